// Loose parts: which ones are found, and how they swing.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "characters/characters.h"
#include "deform/loose_parts.h"
#include <limber/limber.h>

// --- which ---

static uint32_t count_loose(const limber_model* model, const char** names) {
    limberi_arena arena = {NULL, false};
    limberi_loose_parts loose;
    assert_true(limberi_loose_parts_find(&arena, model, &loose));
    uint32_t count = loose.count;
    for (uint32_t i = 0; i < count && i < 8; i++) {
        names[i] = model->rig.names[loose.parts[i].joint];
        assert_true(loose.of_joint[loose.parts[i].joint] == (int32_t)i);
        assert_true(loose.parts[i].length > 0.06f * model->size && loose.parts[i].length < 0.5f * model->size);
    }
    limberi_arena_free(&arena);
    return count;
}

static limber_asset* character_of(const char* name, double detail) {
    limber_asset* asset;
    limber_error error;
    if (limberi_character_create(name, detail, &asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return asset;
}

static limber_asset* character(const char* name) {
    return character_of(name, 0.5);
}

static void ears_and_tail_that_no_clip_moves_are_loose(void** state) {
    (void)state;
    for (double detail = 0.5; detail < 0.8; detail += 0.2) {
        limber_asset* dog = character_of("dog", detail);
        const char* names[8];
        assert_int_equal(count_loose(limber_asset_model(dog), names), 3);
        assert_string_equal(names[0], "Ear1Left");
        assert_string_equal(names[1], "Ear1Right");
        assert_string_equal(names[2], "Tail2");
        limber_asset_destroy(dog);
    }
}

// However dense the mesh: one joint carries both of them, and the middle between their tips is no tip.
static void horns_are_not_loose(void** state) {
    (void)state;
    for (double detail = 0.5; detail < 1.1; detail += 0.1) {
        limber_asset* cow = character_of("cow", detail);
        const char* names[8];
        assert_int_equal(count_loose(limber_asset_model(cow), names), 0);
        limber_asset_destroy(cow);
    }
}

// One clip, of which joints of that name know nothing.
static limber_asset* with_clip(const limber_asset* from, const char* name, const char* dropped) {
    limber_model model = *limber_asset_model(from);
    limber_clip clip;
    limber_channel channels[256];
    limber_asset* asset;
    limber_error error;
    uint32_t at = 0;
    while (strcmp(model.clips[at].name, name) != 0)
        at++;
    clip = model.clips[at];
    uint32_t count = 0;
    for (uint32_t i = 0; i < clip.channel_count && count < 256; i++)
        if (clip.channels[i].path == LIMBER_CHANNEL_WEIGHTS ||
            strncmp(model.rig.names[clip.channels[i].target], dropped, strlen(dropped)) != 0)
            channels[count++] = clip.channels[i];
    clip.channels = channels;
    clip.channel_count = count;
    model.clips = &clip;
    model.clip_count = 1;
    if (limber_asset_create(&model, &asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return asset;
}

static void legs_and_hands_that_hang_still_are_not_loose(void** state) {
    (void)state;
    const char* names[8];
    limber_asset* toon = character("toon");
    limber_asset* stiff = with_clip(toon, "swing", "Leg");
    limber_asset* idle = with_clip(toon, "swing", "Hand");
    assert_int_equal(count_loose(limber_asset_model(stiff), names), 0);
    assert_int_equal(count_loose(limber_asset_model(idle), names), 0);
    limber_asset_destroy(stiff);
    limber_asset_destroy(idle);
    limber_asset_destroy(toon);
}

// Nobody knows what moves.
static void without_clips_nothing_is_loose(void** state) {
    (void)state;
    limber_asset* dog = character("dog");
    limber_model model = *limber_asset_model(dog);
    const char* names[8];
    model.clip_count = 0;
    assert_int_equal(count_loose(&model, names), 0);
    limber_asset_destroy(dog);
}

// --- how ---

static const float most = 60 * (float)(LIMBERI_PI / 180);
static const limber_vec3 down = {0, -2, 0};
static const limber_vec3 inward = {-1, 0, 0};

// Where the tip goes: overlap turns by the negative of a lag.
static limber_vec3 swung(limber_vec3 tip, limber_vec3 lag) {
    limber_vec3 swing = limberi_loose_swing(tip, inward, lag, most);
    return limberi_quat_rotate(limberi_quat_exp(limberi_scale(swing, -1)), tip);
}

static void a_tip_stays_behind(void** state) {
    (void)state;
    limber_vec3 none = limberi_loose_swing(down, inward, limberi_vec3(0, 0, 0), most);
    assert_true(limberi_length(none) == 0);
    limber_vec3 tip = swung(down, limberi_vec3(0, 0, 0.2f)); // the head goes ahead
    assert_true(tip.z < -0.15f && tip.z > -0.2f && fabsf(tip.x) < 1e-3f);
    assert_true(fabsf(limberi_length(tip) - 2) < 1e-5f);
}

// Along the part, too: a tip that is pulled out swings less far.
static void small_lags_are_followed_in_every_direction(void** state) {
    (void)state;
    const limber_vec3 lags[] = {{0, 0, 0.1f}, {0, 0.2f, 0.1f}, {0.1f, 0.2f, 0.1f}};
    for (int i = 0; i < 3; i++) {
        limber_vec3 left = limberi_sub(down, lags[i]);
        limber_vec3 tip = swung(down, lags[i]);
        assert_true(fabsf(tip.z / tip.y / (left.z / left.y) - 1) < 0.012f);
    }
}

static void no_swing_is_larger_than_its_limit_nor_flips(void** state) {
    (void)state;
    limber_vec3 before = swung(down, limberi_vec3(0.05f, -9, -9));
    for (float z = -9; z < 9; z += 0.02f) {
        limber_vec3 lag = {0.05f, -9, z};
        limber_vec3 now = swung(down, lag);
        assert_true(limberi_length(limberi_loose_swing(down, inward, lag, most)) <= most);
        assert_true(limberi_length(limberi_sub(now, before)) < 0.03f);
        before = now;
    }
}

static void ears_of_who_falls_fly_outwards(void** state) {
    (void)state;
    limber_vec3 falls = swung(down, limberi_vec3(0, -1.5f, 0));
    limber_vec3 rises = swung(down, limberi_vec3(0, 1.5f, 0));
    assert_true(falls.x > 0.4f && falls.y > -1.97f && fabsf(falls.z) < 1e-3f);
    assert_true(limberi_length(limberi_sub(rises, down)) < 0.01f);
}

static void it_swings_away_from_what_carries_it_rather_than_into_it(void** state) {
    (void)state;
    limber_vec3 in = swung(down, limberi_vec3(0.5f, 0, 0));
    limber_vec3 out = swung(down, limberi_vec3(-0.5f, 0, 0));
    assert_true(in.x < 0 && out.x > 0.4f);
    assert_true(-in.x < 0.4f * out.x);
}

// --- on a character ---

static limber_pipeline* styled_with(const limber_asset* asset, const char* loose, const char* gain) {
    limber_style* style;
    limber_pipeline* pipeline;
    assert_int_equal(limber_style_create(&style, NULL), LIMBER_OK);
    assert_int_equal(limber_style_set(style, "compose", "\"chain\"", NULL), LIMBER_OK);
    assert_int_equal(limber_style_set(style, "effects.overlap.gain", gain, NULL), LIMBER_OK);
    assert_int_equal(limber_style_set(style, "effects.overlap.loose", loose, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(asset, style, &pipeline, NULL), LIMBER_OK);
    limber_style_destroy(style);
    return pipeline;
}

static limber_pipeline* styled(const limber_asset* asset, const char* loose) {
    return styled_with(asset, loose, "3");
}

// How much of a vertex hangs on joints of that name.
static float share_of(const limber_model* model, uint32_t vertex, const char* name) {
    const limber_mesh* mesh = model->meshes;
    while (vertex >= mesh->first_vertex + mesh->vertex_count)
        mesh++;
    uint32_t u = vertex - mesh->first_vertex;
    float sum = 0;
    for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++)
        if (strncmp(model->rig.names[model->skins[mesh->skin].joints[mesh->influence_joint[i]]], name, strlen(name)) ==
            0)
            sum += mesh->influence_weight[i];
    return sum;
}

static void ears_of_a_jumping_dog_fly_and_nothing_else_changes(void** state) {
    (void)state;
    limber_asset* dog = character("dog");
    const limber_model* model = limber_asset_model(dog);
    limber_pipeline* off = styled(dog, "0");
    limber_pipeline* on = styled(dog, "60");
    double ears = 0;
    double rest = 0;
    for (double t = 0.5; t < 1.8; t += 0.07) {
        limber_frame plain, loose;
        assert_int_equal(limber_pipeline_evaluate(off, 1, t, &plain), LIMBER_OK);
        assert_int_equal(limber_pipeline_evaluate(on, 1, t, &loose), LIMBER_OK);
        for (uint32_t v = 0; v < model->vertex_count; v++) {
            const float* a = plain.positions + 3 * (size_t)v;
            const float* b = loose.positions + 3 * (size_t)v;
            double way = (double)limberi_length(limberi_sub(limberi_load3(a), limberi_load3(b))) / (double)model->size;
            if (share_of(model, v, "Ear") > 0.5f)
                ears = fmax(ears, way);
            else if (share_of(model, v, "Ear") == 0 && share_of(model, v, "Tail") == 0)
                rest = fmax(rest, way);
        }
    }
    if (ears < 0.06 || rest > 1e-6)
        fail_msg("ears move by %g L, the rest by %g L", ears, rest);
    limber_pipeline_destroy(off);
    limber_pipeline_destroy(on);
    limber_asset_destroy(dog);
}

// How far ears go by being loose, at most, in L.
static double throw_of_ears(const limber_asset* dog, const char* gain, uint32_t clip) {
    const limber_model* model = limber_asset_model(dog);
    limber_pipeline* off = styled_with(dog, "0", gain);
    limber_pipeline* on = styled_with(dog, "85", gain);
    uint32_t* ears = malloc(model->vertex_count * sizeof *ears);
    uint32_t count = 0;
    double farthest = 0;
    assert_non_null(ears);
    for (uint32_t v = 0; v < model->vertex_count; v++)
        if (share_of(model, v, "Ear") > 0.5f)
            ears[count++] = v;
    assert_true(count > 20);
    for (int i = 0; i < 18; i++) {
        limber_frame plain, loose;
        assert_int_equal(limber_pipeline_evaluate(off, (int32_t)clip, 0.5 + 0.07 * i, &plain), LIMBER_OK);
        assert_int_equal(limber_pipeline_evaluate(on, (int32_t)clip, 0.5 + 0.07 * i, &loose), LIMBER_OK);
        for (uint32_t k = 0; k < count; k++) {
            limber_vec3 a = limberi_load3(plain.positions + 3 * (size_t)ears[k]);
            limber_vec3 b = limberi_load3(loose.positions + 3 * (size_t)ears[k]);
            farthest = fmax(farthest, (double)limberi_length(limberi_sub(a, b)));
        }
    }
    free(ears);
    limber_pipeline_destroy(off);
    limber_pipeline_destroy(on);
    return farthest / (double)model->size;
}

// A gain makes small swings larger. In a leap ears stay where they are: more would throw them farther than the head went.
static void a_gain_makes_small_swings_larger_and_large_ones_hardly(void** state) {
    (void)state;
    limber_asset* dog = character("dog");
    double walk[3] = {throw_of_ears(dog, "0.58", 0), throw_of_ears(dog, "0.6", 0), throw_of_ears(dog, "1.17", 0)};
    double leap[2] = {throw_of_ears(dog, "0.59", 2), throw_of_ears(dog, "1.17", 2)};
    print_message("twice the gain: %.3f and %.3f L, %.3f and %.3f in leaps\n", walk[1], walk[2], leap[0], leap[1]);
    assert_true(fabs(walk[1] / walk[0] - 1) < 0.05);
    assert_true(walk[2] > 1.1 * walk[1]);
    assert_true(leap[1] < 1.05 * leap[0]);
    limber_asset_destroy(dog);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ears_and_tail_that_no_clip_moves_are_loose),
        cmocka_unit_test(horns_are_not_loose),
        cmocka_unit_test(legs_and_hands_that_hang_still_are_not_loose),
        cmocka_unit_test(without_clips_nothing_is_loose),
        cmocka_unit_test(a_tip_stays_behind),
        cmocka_unit_test(small_lags_are_followed_in_every_direction),
        cmocka_unit_test(no_swing_is_larger_than_its_limit_nor_flips),
        cmocka_unit_test(ears_of_a_jumping_dog_fly_and_nothing_else_changes),
        cmocka_unit_test(a_gain_makes_small_swings_larger_and_large_ones_hardly),
        cmocka_unit_test(ears_of_who_falls_fly_outwards),
        cmocka_unit_test(it_swings_away_from_what_carries_it_rather_than_into_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
