// Colliders: which bodies a character has, that effects push no skin into them, and that neither the order of frames,
// the number of threads nor the world around matter.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asset/groups.h"
#include "base/math.h"
#include "collide/colliders.h"
#include "kit/models.h"
#include "kit/random_rigs.h"
#include "kit/scene.h"
#include "kit/style_kit.h"
#include "pipeline/state.h"
#include <limber/pack.h>

// --- helpers ---

static limber_pipeline* styled(const limber_asset* asset, const char* text) {
    limber_style* style = style_kit_read(text);
    limber_pipeline* pipeline;
    limber_error error;
    if (limber_pipeline_create(asset, style, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s: %s", text, error.message);
    limber_style_destroy(style);
    return pipeline;
}

static limber_frame frame_at(limber_pipeline* pipeline, uint32_t clip, double time_s) {
    limber_frame frame;
    assert_int_equal(limber_pipeline_evaluate(pipeline, (int32_t)clip, time_s, &frame), LIMBER_OK);
    return frame;
}

static double clearance(const limberi_placed_collider* c, limber_collider_shape shape, const float* p) {
    limber_vec3 to = limberi_sub(limberi_load3(p), c->from), along = limberi_sub(c->to, c->from);
    if (shape == LIMBER_COLLIDER_PLANE)
        return (double)limberi_dot(to, c->to);
    float square = shape == LIMBER_COLLIDER_CAPSULE ? limberi_dot(along, along) : 0;
    float part = square > 0 ? fminf(fmaxf(limberi_dot(to, along) / square, 0), 1) : 0;
    return (double)(limberi_length(limberi_sub(to, limberi_scale(along, part))) - c->radius);
}

// --- closed forms, on a cylinder that a joint bends ---

static const char bent[] = "{\"effects\": {\"floppy\": {\"angular\": 1.5}}, \"colliders\": [%s]}";

// Every vertex against one collider that stands still: the clamp of S10 along the normal at the plain place.
static void check_closed_form(const char* item, double min_pushed) {
    limber_asset* asset = test_built_in("cylinder", 1);
    const limber_model* model = limber_asset_model(asset);
    char text[512];
    snprintf(text, sizeof text, bent, item);
    limber_pipeline *free_one = styled(asset, "{\"effects\": {\"floppy\": {\"angular\": 1.5}}}"),
                    *kept = styled(asset, text);
    limber_collider c = limber_collider_at(limber_pipeline_colliders(kept), 0);
    double soft = 0.02 * (double)model->size, pushed = 0;
    for (int i = 0; i < 20; i++) {
        double time_s = i * model->clips[0].end_s / 20;
        limber_frame a = frame_at(free_one, 0, time_s), b = frame_at(kept, 0, time_s);
        limberi_placed_collider at = limberi_pipeline_collider(kept, 0);
        for (size_t u = 0; u < model->vertex_count; u++) {
            double plain = clearance(&at, c.shape, a.skinned + 3 * u);
            double now = clearance(&at, c.shape, b.positions + 3 * u),
                   was = clearance(&at, c.shape, a.positions + 3 * u);
            if (plain > -0.3 * (double)at.radius) // nearer to the axis colliders fade out
                assert_true(now >= fmin(plain, 0) - 1e-5);
            pushed = fmax(pushed, now - was);
            if (c.shape != LIMBER_COLLIDER_PLANE)
                continue;
            double z = fmin(fmax(plain, 0), soft), x = was - fmin(plain, 0); // a plane: exactly the clamp
            double wanted = x < z ? z * z / (2 * z - x) : x;
            assert_true(fabs(now - fmin(plain, 0) - wanted) < 2e-5);
        }
    }
    assert_true(pushed > min_pushed);
    limber_pipeline_destroy(free_one);
    limber_pipeline_destroy(kept);
    limber_asset_destroy(asset);
}

static void a_plane_is_never_crossed(void** state) {
    (void)state;
    check_closed_form("{\"plane\": {\"point\": [0.3, 0, 0], \"normal\": [-2, 0, 0]}}", 0.01);
    check_closed_form("{\"plane\": {\"point\": [-0.3, 0, 0], \"normal\": [1, 0.2, 0]}}", 0.01);
}

static void spheres_and_capsules_are_never_entered(void** state) {
    (void)state;
    check_closed_form("{\"sphere\": {\"center\": [0.55, 0.9, 0], \"radius\": 0.3}}", 0.01);
    check_closed_form("{\"capsule\": {\"from\": [0.5, 0, 0], \"to\": [0.5, 2, 0.3], \"radius\": 0.2}}", 0.01);
}

// --- characters ---

typedef struct tally {
    double before, after; // vertices that effects pushed deeper than the plain animation has them, over all frames
    double jump_before, jump_after; // largest way of a vertex in 1/120 s, in L
} tally;

static bool hangs_on(const limber_model* model, uint32_t vertex, const char* start) {
    float share = 0;
    const limber_mesh* mesh = &model->meshes[0];
    for (uint32_t i = mesh->influence_first[vertex]; i < mesh->influence_first[vertex + 1]; i++) {
        const char* name = model->rig.names[model->skins[mesh->skin].joints[mesh->influence_joint[i]]];
        share += strncmp(name, start, strlen(start)) == 0 ? mesh->influence_weight[i] : 0;
    }
    return share > 0.7f;
}

static void count_deep(const limber_model* model, limber_pipeline* kept, const limber_frame* a, const limber_frame* b,
                       const char* cloth, tally* t) {
    const limber_colliders* colliders = limber_pipeline_colliders(kept);
    double slack = 5e-3 * (double)model->size;
    for (uint32_t c = 0; c < limber_collider_count(colliders); c++) {
        limber_collider item = limber_collider_at(colliders, c);
        limberi_placed_collider at = limberi_pipeline_collider(kept, c), plain = limberi_collider_place(&item, a->pose);
        if (strncmp(model->rig.names[item.joint], "Ribbon", 6) == 0)
            continue; // cloth, too
        for (uint32_t u = 0; u < model->vertex_count; u++) {
            double rest = fmin(0, clearance(&plain, item.shape, a->skinned + 3 * (size_t)u));
            if (rest < -0.3 * (double)plain.radius || !hangs_on(model, u, cloth))
                continue;
            t->before += clearance(&at, item.shape, a->positions + 3 * (size_t)u) < rest - slack;
            t->after += clearance(&at, item.shape, b->positions + 3 * (size_t)u) < rest - slack;
        }
    }
}

static double longest_way(const float* now, const float* before, size_t numbers, double size) {
    double max = 0;
    for (size_t k = 0; k < numbers; k++)
        max = fmax(max, fabs((double)now[k] - (double)before[k]));
    return max / size;
}

static tally compare(const char* character, const char* cloth, uint32_t clip, const char* effects) {
    tally t = {0, 0, 0, 0};
    char text[512];
    limber_asset* asset = test_built_in(character, 0.5);
    const limber_model* model = limber_asset_model(asset);
    size_t numbers = 3 * (size_t)model->vertex_count;
    float* before = malloc(2 * numbers * sizeof *before);
    snprintf(text, sizeof text, "{\"colliders\": \"auto\", %s}", effects);
    limber_pipeline* kept = styled(asset, text);
    snprintf(text, sizeof text, "{%s}", effects);
    limber_pipeline* free_one = styled(asset, text);
    for (int i = 0; i < 480 && i / 120.0 <= model->clips[clip].end_s; i++) {
        limber_frame a = frame_at(free_one, clip, i / 120.0), b = frame_at(kept, clip, i / 120.0);
        if (i % 6 == 0)
            count_deep(model, kept, &a, &b, cloth, &t);
        if (i) {
            t.jump_before = fmax(t.jump_before, longest_way(a.positions, before, numbers, (double)model->size));
            t.jump_after = fmax(t.jump_after, longest_way(b.positions, before + numbers, numbers, (double)model->size));
        }
        memcpy(before, a.positions, numbers * sizeof *before);
        memcpy(before + numbers, b.positions, numbers * sizeof *before);
    }
    free(before);
    limber_pipeline_destroy(free_one);
    limber_pipeline_destroy(kept);
    limber_asset_destroy(asset);
    return t;
}

#define LOWPASS "\"filter\": {\"type\": \"lowpass\", \"gamma\": 0.4}"

static void check_cloth(const char* character, const char* cloth, const char* effects) {
    tally all = {0, 0, 0, 0};
    for (uint32_t clip = 0; clip < 4; clip++) {
        tally t = compare(character, cloth, clip, effects);
        all.before += t.before;
        all.after += t.after;
        assert_true(t.jump_after < 1.2 * t.jump_before + 1e-3); // nothing pops
    }
    if (!(all.before > 50 && all.after <= 0.01 * all.before))
        fail_msg("%s: %g of %g vertices are inside", character, all.after, all.before);
}

static void skirts_and_capes_stay_outside(void** state) {
    (void)state;
    static const char chain[] = "\"compose\": \"chain\", \"effects\": {\"overlap\": {\"gain\": 6, \"max\": 60}}";
    check_cloth("dancer", "Skirt",
                "\"effects\": {\"floppy\": {\"angular\": 0.5, \"max_bend\": 60, \"layer\": \"skirt\", " LOWPASS "}}");
    check_cloth("dancer", "Skirt", chain);
    check_cloth("hero", "Cape", chain);
}

// Layers that say 0 everywhere, and joints that obey.
static void only_what_obeys_is_pushed(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("dancer", 0.5);
    const limber_model* model = limber_asset_model(asset);
    limber_pipeline* free_one = styled(asset, "{\"effects\": {\"floppy\": {\"angular\": 0.5}}}");
    limber_pipeline* kept =
        styled(asset, "{\"effects\": {\"floppy\": {\"angular\": 0.5}}, \"colliders\": [{\"capsule\": "
                      "{\"joint\": \"LegUpper*\", \"to\": [0, 0.3, 0], \"radius\": 0.2}, "
                      "\"obey\": [\"SkirtLower*\"]}]}");
    assert_int_equal(limber_collider_count(limber_pipeline_colliders(kept)), 2);
    bool any = false;
    for (int i = 0; i < 10; i++) {
        limber_frame a = frame_at(free_one, 0, 0.4 * i), b = frame_at(kept, 0, 0.4 * i);
        for (uint32_t u = 0; u < model->vertex_count; u++) {
            bool moved = memcmp(a.positions + 3 * (size_t)u, b.positions + 3 * (size_t)u, 3 * sizeof(float)) != 0;
            any = any || moved;
            assert_true(!moved || hangs_on(model, u, "Skirt"));
        }
    }
    assert_true(any);
    limber_pipeline_destroy(free_one);
    limber_pipeline_destroy(kept);
    limber_asset_destroy(asset);
}

static void bones_are_colliders_and_cloth_is_not(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("dancer", 0.5);
    const limber_model* model = limber_asset_model(asset);
    limber_colliders* colliders;
    assert_int_equal(limber_colliders_find(asset, NULL, &colliders, NULL), LIMBER_OK);
    uint32_t legs = 0;
    for (uint32_t i = 0; i < limber_collider_count(colliders); i++) {
        limber_collider c = limber_collider_at(colliders, i);
        assert_int_equal(c.shape, LIMBER_COLLIDER_CAPSULE);
        assert_true(strncmp(model->rig.names[c.joint], "Skirt", 5) != 0);
        assert_null(strstr(model->rig.names[c.joint], "Thumb")); // tiny
        legs += strncmp(model->rig.names[c.joint], "LegUpper", 8) == 0;
    }
    assert_int_equal(legs, 2);
    limber_colliders_destroy(colliders);
    limber_asset_destroy(asset);
}

// The hero cut off below the hem of the cape.
static limber_asset* hem_on_the_floor(void) {
    limber_asset *hero = test_built_in("hero", 0.5), *cut;
    limber_model model = *limber_asset_model(hero);
    limber_mesh mesh = model.meshes[0];
    float* positions = malloc(3 * (size_t)mesh.vertex_count * sizeof *positions);
    float hem = INFINITY;
    memcpy(positions, mesh.positions, 3 * (size_t)mesh.vertex_count * sizeof *positions);
    for (uint32_t u = 0; u < mesh.vertex_count; u++)
        hem = hangs_on(&model, u, "Cape") ? fminf(hem, positions[3 * (size_t)u + 1]) : hem;
    for (size_t u = 0; u < mesh.vertex_count; u++)
        positions[3 * u + 1] = fmaxf(positions[3 * u + 1], hem);
    mesh.positions = positions;
    model.meshes = &mesh;
    assert_int_equal(model.mesh_count, 1);
    assert_int_equal(limber_asset_create(&model, &cut, NULL), LIMBER_OK);
    free(positions);
    limber_asset_destroy(hero);
    return cut;
}

// How much each vertex obeys all colliders.
static float* obedience(const limber_asset* asset, bool stands) {
    const limber_collider_settings settings = {.automatic = true};
    float* sums = calloc(limber_asset_model(asset)->vertex_count, sizeof *sums);
    limberi_collision* collision;
    assert_int_equal(limberi_collision_create(asset, &settings, NULL, stands, &collision, NULL), LIMBER_OK);
    for (uint32_t g = 0; g < limberi_collision_group_count(collision); g++) {
        uint32_t count;
        const limberi_obeyed* obeyed = limberi_collision_obeyed(collision, g, &count);
        limberi_collision_group at = limberi_collision_group_at(collision, g);
        const struct limberi_groups* groups = limberi_asset_groups(asset)[at.mesh];
        const limberi_group* group = &groups->groups[at.group];
        for (uint32_t k = 0; k < count; k++)
            for (uint32_t i = 0; i < group->count; i++)
                sums[groups->vertices[group->first + i]] += obeyed[k].base ? fabsf(obeyed[k].base[i]) : 1;
    }
    limberi_collision_destroy(collision);
    return sums;
}

static void a_hem_on_the_floor_obeys_and_feet_that_stand_do_not(void** state) {
    (void)state;
    limber_asset* asset = hem_on_the_floor();
    const limber_model* model = limber_asset_model(asset);
    float *floats = obedience(asset, false), *stands = obedience(asset, true);
    uint32_t hems = 0, feet = 0;
    for (uint32_t u = 0; u < model->vertex_count; u++) {
        bool cape = hangs_on(model, u, "Cape");
        assert_true(!cape || stands[u] == floats[u]);
        hems += cape && floats[u] > 0 &&
                model->meshes[0].positions[3 * (size_t)u + 1] < model->rest_min.y + 0.01f * model->size;
        feet += stands[u] < floats[u];
    }
    assert_true(hems > 0 && feet > 0);
    free(floats);
    free(stands);
    limber_asset_destroy(asset);
}

// --- what must not matter ---

static const char strong[] =
    "{\"colliders\": \"auto\", \"compose\": \"chain\", \"effects\": {\"overlap\": {\"gain\": 6, "
    "\"max\": 60}}, \"normals\": \"%s\"}";

static void the_order_of_frames_does_not_matter(void** state) {
    (void)state;
    char text[256];
    snprintf(text, sizeof text, strong, "averaged");
    limber_asset* asset = test_built_in("hero", 0.5);
    size_t numbers = 3 * (size_t)limber_asset_model(asset)->vertex_count;
    limber_pipeline* pipeline = styled(asset, text);
    float* frames = malloc(20 * numbers * sizeof *frames);
    for (size_t i = 0; i < 20; i++)
        memcpy(frames + i * numbers, frame_at(pipeline, 1, 0.1 * (double)i).positions, numbers * sizeof *frames);
    for (size_t i = 0; i < 20; i++) {
        size_t at = i * 7 % 20;
        assert_memory_equal(frame_at(pipeline, 1, 0.1 * (double)at).positions, frames + at * numbers,
                            numbers * sizeof *frames);
    }
    free(frames);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

static void the_number_of_threads_does_not_matter(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("hero", 1);
    size_t bytes = 3 * (size_t)limber_asset_model(asset)->vertex_count * sizeof(float);
    static const char* const normals[] = {"averaged", "jacobian"};
    for (int i = 0; i < 2; i++) {
        char text[256];
        snprintf(text, sizeof text, strong, normals[i]);
        limber_pipeline *one = styled(asset, text), *three = styled(asset, text);
        limber_parallel parallel = {.worker_count = 3, .run = test_run_backwards};
        assert_int_equal(limber_pipeline_set_parallel(three, &parallel), LIMBER_OK);
        limber_frame a = frame_at(one, 1, 1.1), b = frame_at(three, 1, 1.1);
        assert_memory_equal(a.positions, b.positions, bytes);
        assert_memory_equal(a.normals, b.normals, bytes);
        limber_pipeline_destroy(one);
        limber_pipeline_destroy(three);
    }
    limber_asset_destroy(asset);
}

static void the_world_around_does_not_matter(void** state) {
    (void)state;
    char text[256];
    snprintf(text, sizeof text, strong, "averaged");
    test_random random = test_random_seed(5);
    limber_asset* asset = test_built_in("hero", 0.5);
    const limber_model* model = limber_asset_model(asset);
    limber_pipeline* here = styled(asset, text);
    for (int round = 0; round < 3; round++) {
        limber_transform above = limber_transform_identity();
        float scale = powf(10, test_random_between(&random, -2, 2));
        above.rotation = limberi_quat_exp(limberi_scale(test_random_direction(&random), 2));
        above.scale = limberi_vec3(scale, scale, scale);
        above.translation = limberi_scale(test_random_direction(&random), scale);
        limber_asset* other = test_rearranged(model, NULL, &above);
        limber_pipeline* there = styled(other, text);
        limber_mat4 to = limberi_mat4_from_transform(&above);
        for (int i = 0; i < 6; i++) {
            limber_frame a = frame_at(here, 1, 0.5 * i), b = frame_at(there, 1, 0.5 * i);
            for (size_t u = 0; u < model->vertex_count; u++) {
                limber_vec3 wanted = limberi_mat4_point(&to, limberi_load3(a.positions + 3 * u));
                limber_vec3 off = limberi_sub(wanted, limberi_load3(b.positions + 3 * u));
                assert_true(limberi_length(off) < 1e-3f * scale * model->size);
            }
        }
        limber_pipeline_destroy(there);
        limber_asset_destroy(other);
    }
    limber_pipeline_destroy(here);
    limber_asset_destroy(asset);
}

static void without_effects_nothing_changes_at_all(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("hero", 0.5);
    size_t bytes = 3 * (size_t)limber_asset_model(asset)->vertex_count * sizeof(float);
    limber_pipeline* pipeline = styled(asset, "{\"colliders\": \"auto\"}");
    limber_frame frame = frame_at(pipeline, 1, 1.1);
    assert_memory_equal(frame.positions, frame.skinned, bytes);
    assert_non_null(limber_pipeline_colliders(pipeline));
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

// --- the floor ---

// How far vertices go below the floor and the plain ones, and how far colliders took one of them; both in L.
static void sink(const limber_asset* asset, const char* rest, double* deepest, double* pushed) {
    char text[640];
    const limber_model* model = limber_asset_model(asset);
    static const char style[] = "{\"effects\": {\"overlap\": {\"gain\": 3, \"max\": 60, \"linear\": 2}}, \"floor\": 0, "
                                "\"colliders\": [%s], %s}";
    // The head swings and takes a ceiling with it that goes through the legs.
    static const char ceiling[] =
        "{\"plane\": {\"joint\": \"Head\", \"point\": [0, -2, 0], \"normal\": [0, -1, 0]}, \"obey\": [\"Leg*\"]}";
    snprintf(text, sizeof text, style, ceiling, rest);
    limber_pipeline* kept = styled(asset, text);
    snprintf(text, sizeof text, style, "", rest);
    limber_pipeline* free_one = styled(asset, text);
    *deepest = *pushed = 0;
    for (uint32_t clip = 0; clip < 2; clip++)
        for (int i = 0; i < 40; i++) {
            limber_frame a = frame_at(free_one, clip, i / 20.0), b = frame_at(kept, clip, i / 20.0);
            for (size_t u = 0; u < model->vertex_count; u++) {
                double low = fmin(0, (double)a.skinned[3 * u + 1]), y = (double)b.positions[3 * u + 1];
                *deepest = fmax(*deepest, (low - y) / (double)model->size);
                *pushed = fmax(*pushed, ((double)a.positions[3 * u + 1] - y) / (double)model->size);
            }
        }
    limber_pipeline_destroy(kept);
    limber_pipeline_destroy(free_one);
}

static void colliders_push_nothing_through_the_floor(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("toon", 0.5);
    double deepest, pushed;
    sink(asset, "\"contact\": 0", &deepest, &pushed);
    assert_true(deepest > 0.01 && pushed > 0.01);
    sink(asset, "\"contact\": 1", &deepest, &pushed);
    assert_true(pushed > 0.01);
    if (!(deepest < 1e-6))
        fail_msg("a vertex is %g L below the floor", deepest);
    limber_asset_destroy(asset);
}

// --- for a GPU ---

// Each vertex has a row of the table; only the skirt obeys something.
static void the_shader_is_told_who_obeys_what(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("dancer", 0.5);
    const limber_model* model = limber_asset_model(asset);
    limber_pipeline* pipeline =
        styled(asset, "{\"effects\": {\"floppy\": {\"angular\": 0.5}}, \"colliders\": [{\"capsule\": {\"joint\": "
                      "\"LegUpper*\", \"to\": [0, 0.3, 0], \"radius\": 0.2}, \"obey\": [\"SkirtLower*\"]}]}");
    limber_pack* pack;
    limber_error error;
    uint32_t count, obeying = 0;
    assert_int_equal(limber_pack_create(pipeline, true, &pack, &error), LIMBER_OK);
    limber_pack_layout layout = limber_pack_get_layout(pack);
    assert_int_equal(layout.column_count, 2);
    float *texels = calloc(layout.max_texels, 16), *table = calloc(layout.obeyed_texels, 16);
    int16_t* columns = calloc(model->vertex_count, layout.column_bytes);
    limber_pack_write_obeyed(pack, table);
    assert_int_equal(limber_pipeline_evaluate_joints(pipeline, 0, 0.5), LIMBER_OK);
    assert_int_equal(limber_pack_evaluate(pack, texels, &count, columns, &error), LIMBER_OK);
    assert_true(count <= layout.max_texels);
    assert_int_equal((uint32_t)texels[36], count - 8); // two colliders of four texels each
    for (uint32_t u = 0; u < model->vertex_count; u++) {
        const float* row = table + 4 * ((size_t)columns[2 * u] + ((size_t)columns[2 * u + 1] << 15));
        assert_true(row + 4 <= table + 4 * (size_t)layout.obeyed_texels);
        obeying += row[0] >= 0;
        if (row[0] < 0)
            continue;
        assert_true(hangs_on(model, u, "Skirt"));
        assert_true(row[0] <= 1 && row[1] >= 2 && row[1] <= 3 && row[2] == -1);
    }
    assert_true(obeying > 50);
    free(columns);
    free(table);
    free(texels);
    limber_pack_destroy(pack);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plane_is_never_crossed),
        cmocka_unit_test(spheres_and_capsules_are_never_entered),
        cmocka_unit_test(bones_are_colliders_and_cloth_is_not),
        cmocka_unit_test(skirts_and_capes_stay_outside),
        cmocka_unit_test(only_what_obeys_is_pushed),
        cmocka_unit_test(a_hem_on_the_floor_obeys_and_feet_that_stand_do_not),
        cmocka_unit_test(the_order_of_frames_does_not_matter),
        cmocka_unit_test(the_number_of_threads_does_not_matter),
        cmocka_unit_test(the_world_around_does_not_matter),
        cmocka_unit_test(without_effects_nothing_changes_at_all),
        cmocka_unit_test(colliders_push_nothing_through_the_floor),
        cmocka_unit_test(the_shader_is_told_who_obeys_what),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
