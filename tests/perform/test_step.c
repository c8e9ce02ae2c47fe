// Poses on twos and threes (timing.step): whole frames are held, and everything shows what it shows at the held time,
// at any rate, in any order, and in files.
#include "base/math.h"
#include "kit/gltf_save.h"
#include "kit/models.h"
#include "perform/holds.h"
#include <limber/crowd.h>

#include <float.h>

enum { AUTO = 0 };

// --- helpers ---

static limber_asset* hero;

static int load_hero(void** state) {
    hero = test_built_in("hero", 0.5);
    return make_folder(state);
}

static int drop_hero(void** state) {
    limber_asset_destroy(hero);
    return remove_folder(state);
}

static void assert_near(double value, double expected) {
    if (!(fabs(value - expected) < 1e-9))
        fail_msg("%.12g instead of %.12g", value, expected);
}

// Effects and a ground, but neither timing nor poses of their own.
static const char lag[] =
    "{\"contact\": 1, \"impact\": {\"gain\": 0.75}, \"rigid\": \"auto\", \"compose\": \"chain\", \"effects\": {"
    "\"overlap\": {\"frequency\": 1.9, \"gain\": 3.6, \"max\": 20, \"linear\": 1, \"max_linear\": 0.05}}}";

static limber_style* style_of(bool lags, const char* text) {
    limber_style* style;
    limber_error error;
    if (limber_style_create(&style, &error) != LIMBER_OK ||
        (lags && limber_style_read(style, lag, strlen(lag), &error) != LIMBER_OK) ||
        limber_style_read(style, text, strlen(text), &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return style;
}

// What lags, and more keys.
static limber_pipeline* styled(const limber_asset* asset, const char* keys) {
    limber_pipeline* pipeline;
    limber_style* style;
    limber_error error;
    char text[512];
    snprintf(text, sizeof text, "{%s}", keys);
    style = style_of(true, text);
    if (limber_pipeline_create(asset, style, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    limber_style_destroy(style);
    return pipeline;
}

static const float* positions(limber_pipeline* pipeline, uint32_t clip, double time_s) {
    limber_smeared smeared;
    assert_int_equal(limber_pipeline_evaluate_smeared(pipeline, (int32_t)clip, time_s, 24, &smeared), LIMBER_OK);
    return smeared.frame.positions;
}

static size_t bytes_of(const limber_asset* asset) {
    return 3 * (size_t)limber_asset_model(asset)->vertex_count * sizeof(float);
}

static float* copy_of(const limber_asset* asset, const float* from) {
    float* copy = malloc(bytes_of(asset));
    assert_non_null(copy);
    memcpy(copy, from, bytes_of(asset));
    return copy;
}

// In L.
static double apart(const limber_asset* asset, const float* a, const float* b) {
    const limber_model* model = limber_asset_model(asset);
    double worst = 0;
    for (size_t v = 0; v < model->vertex_count; v++)
        worst = fmax(worst, (double)limberi_length(limberi_sub(limberi_load3(a + 3 * v), limberi_load3(b + 3 * v))));
    return worst / (double)model->size;
}

static uint32_t frames_of(const limber_clip* clip) {
    return (uint32_t)lround(24 * (clip->end_s - clip->start_s));
}

static double time_of(const limber_clip* clip, double frame) {
    return clip->start_s + (clip->end_s - clip->start_s) * frame / frames_of(clip);
}

// --- holds by themselves ---

static void holds_are_counted_in_frames_of_a_24th(void** state) {
    (void)state;
    limber_clip clip = {.start_s = 2, .end_s = 3};
    limberi_holds twos = limberi_holds_even(&clip, 2), fives = limberi_holds_even(&clip, 5);
    assert_int_equal(twos.frame_count, 24);
    for (int f = 0; f < 24; f++)
        for (int part = 0; part < 4; part++) {
            double time_s = 2 + (f + 0.25 * part) / 24;
            assert_near(limberi_holds_time(&twos, time_s), 2 + (f - f % 2) / 24.0);
            assert_near(limberi_holds_time(&fives, time_s), 2 + (f - f % 5) / 24.0);
        }
    assert_true(limberi_holds_time(&twos, 3) == 3 && limberi_holds_time(&twos, 2) == 2);
    assert_true(limberi_holds_time(&twos, 1.5) == 1.5 && limberi_holds_time(&twos, 3.5) == 3.5);
    assert_true(limberi_holds_time(&twos, 2 + 2.0 / 24 - 1e-6) > 2.08); // what rounding takes away does not count
    assert_true(limberi_holds_time(&twos, 2 + 2.0 / 24 - 1e-4) == 2);
    clip.end_s = 2.26; // 6.24 frames: six, a little longer
    limberi_holds six = limberi_holds_even(&clip, 2);
    assert_int_equal(six.frame_count, 6);
    assert_near(limberi_holds_time(&six, 2.2), 2 + 0.26 * 4 / 6);
    clip.end_s = 2;
    limberi_holds none = limberi_holds_even(&clip, 2);
    assert_true(none.frame_count == 0 && limberi_holds_time(&none, 2) == 2 && limberi_holds_keys(&none, NULL) == 0);
}

static void keys_are_at_both_ends_of_a_hold(void** state) {
    (void)state;
    limber_clip clip = {.start_s = 1, .end_s = 1.25};
    limberi_holds holds = limberi_holds_even(&clip, 4);
    double times[8] = {0};
    assert_int_equal(limberi_holds_keys(&holds, NULL), 5);
    assert_int_equal(limberi_holds_keys(&holds, times), 5);
    const double expected[5] = {1, 1 + 4.0 / 24 - 1e-4, 1 + 4.0 / 24, 1.25 - 1e-4, 1.25};
    for (int i = 0; i < 5; i++)
        assert_near(times[i], expected[i]);
    for (int i = 0; i + 1 < 5; i += 2) // both show the same
        assert_true(limberi_holds_time(&holds, times[i]) == limberi_holds_time(&holds, times[i + 1]));
    clip.start_s = 5000; // where 32 bits tell times apart by half a millisecond
    clip.end_s = 5000.25;
    holds = limberi_holds_even(&clip, 4);
    assert_int_equal(limberi_holds_keys(&holds, times), 5);
    assert_true((float)times[1] < (float)times[2] && (float)times[3] < (float)times[4]);
}

// --- frames ---

static void frames_on_twos_come_in_pairs(void** state) {
    (void)state;
    const char* const styles[] = {
        "\"timing\": {\"step\": 2}",
        "\"timing\": {\"step\": 2, \"snap\": 0.75}, \"smear\": {\"elongate\": {\"amount\": \"speed\", \"past\": 30}}"};
    uint32_t clip = test_clip(hero, "jump");
    const limber_clip* c = &limber_asset_model(hero)->clips[clip];
    for (int s = 0; s < 2; s++) {
        limber_pipeline
            *held = styled(hero, styles[s]),
            *plain = styled(
                hero,
                strstr(styles[s], "snap")
                    ? "\"timing\": {\"snap\": 0.75}, \"smear\": {\"elongate\": {\"amount\": \"speed\", \"past\": 30}}"
                    : "");
        uint32_t moved = 0;
        for (uint32_t f = 0; f + 2 < frames_of(c); f += 2) {
            float* first = copy_of(hero, positions(held, clip, time_of(c, f)));
            assert_memory_equal(first, positions(held, clip, time_of(c, f + 1)), bytes_of(hero));
            assert_memory_equal(first, positions(held, clip, time_of(c, f + 1.9)), bytes_of(hero));
            assert_memory_equal(first, positions(plain, clip, time_of(c, f)), bytes_of(hero));
            moved += apart(hero, first, positions(held, clip, time_of(c, f + 2))) > 1e-4;
            free(first);
        }
        assert_true(moved > frames_of(c) / 4);
        float* end = copy_of(hero, positions(held, clip, c->end_s));
        assert_memory_equal(end, positions(plain, clip, c->end_s), bytes_of(hero));
        free(end);
        limber_pipeline_destroy(held);
        limber_pipeline_destroy(plain);
    }
}

static void loops_still_close(void** state) {
    (void)state;
    uint32_t clip = test_clip(hero, "run");
    const limber_clip* c = &limber_asset_model(hero)->clips[clip];
    assert_true(c->loops);
    limber_pipeline *held = styled(hero, "\"timing\": {\"step\": 3}"), *plain = styled(hero, "");
    float *start = copy_of(hero, positions(held, clip, c->start_s)),
          *end = copy_of(hero, positions(held, clip, c->end_s));
    float* was = copy_of(hero, positions(plain, clip, c->start_s));
    double gap = apart(hero, was, positions(plain, clip, c->end_s));
    assert_true(apart(hero, start, end) <= gap);
    free(start);
    free(end);
    free(was);
    limber_pipeline_destroy(held);
    limber_pipeline_destroy(plain);
}

// How many frames of a clip stand in holds of each length.
static void count_lengths(limber_pipeline* pipeline, const limber_asset* asset, uint32_t clip, uint32_t* counts) {
    const limber_clip* c = &limber_asset_model(asset)->clips[clip];
    uint32_t frames = frames_of(c);
    memset(counts, 0, 4 * sizeof *counts);
    for (uint32_t f = 0, first = 0; f < frames; f++) {
        double next = limber_pipeline_source_time(pipeline, clip, time_of(c, f + 1));
        if (fabs(next - limber_pipeline_source_time(pipeline, clip, time_of(c, f))) < 1e-9)
            continue;
        assert_true(f + 1 - first <= 3);
        counts[f + 1 - first] += f + 1 - first;
        first = f + 1;
    }
}

static void automatic_steps_follow_the_speed(void** state) {
    (void)state;
    const struct {
        const char *character, *clip;
        double ones[2], threes[2];                         // shares of the frames, from and to
    } shows[] = {{"hero", "run", {1, 1}, {0, 0}},          // travels
                 {"hero", "jump", {0.2, 0.6}, {0.1, 0.6}}, // stands, leaps and stands
                 {"dancer", "sway", {0, 0.1}, {0, 1}}};    // slow
    for (size_t i = 0; i < sizeof shows / sizeof *shows; i++) {
        limber_asset* asset = test_built_in(shows[i].character, 0.5);
        limber_pipeline* pipeline = styled(asset, "\"timing\": {\"step\": \"auto\"}");
        uint32_t counts[4], clip = test_clip(asset, shows[i].clip);
        count_lengths(pipeline, asset, clip, counts);
        double all = frames_of(&limber_asset_model(asset)->clips[clip]);
        double ones = counts[1] / all, threes = counts[3] / all;
        if (ones < shows[i].ones[0] || ones > shows[i].ones[1] || threes < shows[i].threes[0] ||
            threes > shows[i].threes[1])
            fail_msg("%s %s: %g of the frames on ones, %g on threes", shows[i].character, shows[i].clip, ones, threes);
        limber_pipeline_destroy(pipeline);
        limber_asset_destroy(asset);
    }
}

// Of the performance, not of the plain clip.
static void automatic_steps_follow_the_timing(void** state) {
    (void)state;
    uint32_t plain[4], snapped[4], clip = test_clip(hero, "jump");
    limber_pipeline *a = styled(hero, "\"timing\": {\"step\": \"auto\"}"),
                    *b = styled(hero, "\"timing\": {\"step\": \"auto\", \"snap\": 0.75}");
    count_lengths(a, hero, clip, plain);
    count_lengths(b, hero, clip, snapped);
    if (!(snapped[1] >= plain[1] && snapped[3] > plain[3]))
        fail_msg("%u %u %u, with snaps %u %u %u", plain[1], plain[2], plain[3], snapped[1], snapped[2], snapped[3]);
    limber_pipeline_destroy(a);
    limber_pipeline_destroy(b);
}

// A joint that turns at an even speed: everything is on ones, twos or threes, by how fast it turns.
static void automatic_steps_have_the_thresholds_of_the_book(void** state) {
    (void)state;
    const struct {
        float angle; // in a second
        uint32_t step;
    } turns[] = {{0.1f, 3}, {1.6f, 2}, {6.0f, 1}};
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        limber_asset* asset = test_tube_create(3, turns[i].angle, 24, false);
        limber_pipeline* pipeline = styled(asset, "\"timing\": {\"step\": \"auto\"}");
        uint32_t counts[4];
        count_lengths(pipeline, asset, 0, counts);
        if (counts[turns[i].step] < 20)
            fail_msg("%g rad/s: %u ones, %u twos, %u threes", (double)turns[i].angle, counts[1], counts[2], counts[3]);
        limber_pipeline_destroy(pipeline);
        limber_asset_destroy(asset);
    }
}

static void every_rate_and_order_shows_the_same(void** state) {
    (void)state;
    const char* const keys[] = {"\"timing\": {\"step\": 2}",
                                "\"timing\": {\"step\": \"auto\", \"snap\": 0.75, \"hang\": 1}"};
    uint32_t clip = test_clip(hero, "jump");
    const limber_clip* c = &limber_asset_model(hero)->clips[clip];
    for (int k = 0; k < 2; k++) {
        limber_pipeline *a = styled(hero, keys[k]), *b = styled(hero, keys[k]);
        for (uint32_t f = 0; f < 10; f++) { // frames that 24, 60 and 240 have in common
            double time_s = c->start_s + f / 12.0 * 2;
            float* here = copy_of(hero, positions(a, clip, time_s));
            for (int i = 0; i < 2; i++) {
                double fps = i ? 240 : 60;
                assert_memory_equal(here, positions(b, clip, c->start_s + round((time_s - c->start_s) * fps) / fps),
                                    bytes_of(hero));
                positions(b, clip, c->end_s - 0.1 * f);
            }
            free(here);
        }
        for (uint32_t f = 0; f < 700; f++) { // the same poses in the same order, whoever looks more often
            double time_s = c->start_s + f / 240.0;
            double shown = limber_pipeline_source_time(a, clip, time_s);
            double frame = floor((time_s - c->start_s) / (c->end_s - c->start_s) * frames_of(c) + 1e-6);
            assert_true(shown == limber_pipeline_source_time(a, clip, time_of(c, frame)));
        }
        limber_pipeline_destroy(a);
        limber_pipeline_destroy(b);
    }
}

// Some programs mix the numbers of two keys as they are: a turn and its negative, which is the same one, would give none.
static void held_turns_have_no_keys_on_opposite_sides(void** state) {
    (void)state;
    enum { KEYS = 25 };
    float times[KEYS], turns[4 * KEYS] = {0};
    for (uint32_t k = 0; k < KEYS; k++) {
        double half = 0.5 * sin(k / 4.0), side = k % 3 ? 1 : -1;
        times[k] = (float)k / (KEYS - 1);
        turns[4 * k + 2] = (float)(side * sin(half));
        turns[4 * k + 3] = (float)(side * cos(half));
    }
    limber_asset *tube = test_tube_create(3, 1, 24, false), *asset;
    limber_model model = *limber_asset_model(tube);
    limber_channel channel = {LIMBER_CHANNEL_ROTATION, LIMBER_INTERPOLATION_LINEAR, 1, KEYS, times, turns};
    limber_clip clip = {.name = "nod", .channel_count = 1, .channels = &channel};
    model.clips = &clip;
    model.clip_count = 1;
    assert_int_equal(limber_asset_create(&model, &asset, NULL), LIMBER_OK);
    limber_pipeline* pipeline = styled(asset, "\"timing\": {\"step\": 2}");
    limber_edited_clip edited;
    assert_true(limber_pipeline_edited_clip(pipeline, 0, &edited));
    const limber_channel* held = &edited.clip->channels[0];
    assert_true(held->key_count > 1);
    for (uint32_t k = 0; k + 1 < held->key_count; k++) {
        const float *a = held->values + 4 * (size_t)k, *b = a + 4;
        assert_true(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] > 0);
    }
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
    limber_asset_destroy(tube);
}

static void a_step_of_1_changes_nothing(void** state) {
    (void)state;
    uint32_t clip = test_clip(hero, "jump");
    limber_pipeline *one = styled(hero, "\"timing\": {\"step\": 1}"), *plain = styled(hero, "");
    limber_edited_clip edited;
    assert_true(limber_pipeline_edited_clip(one, clip, &edited) == limber_pipeline_edited_clip(plain, clip, &edited));
    float* here = copy_of(hero, positions(one, clip, 0.777));
    assert_memory_equal(here, positions(plain, clip, 0.777), bytes_of(hero));
    assert_true(limber_pipeline_source_time(one, clip, 0.777) == 0.777);
    free(here);
    limber_pipeline_destroy(one);
    limber_pipeline_destroy(plain);
}

static void crowds_hold_and_share_what_is_held(void** state) {
    (void)state;
    uint32_t clip = test_clip(hero, "jump");
    const limber_clip* c = &limber_asset_model(hero)->clips[clip];
    const char* const steps[] = {"{\"timing\": {\"step\": 4}}", "{\"timing\": {\"step\": \"auto\"}}"};
    float* places = malloc(3 * bytes_of(hero));
    assert_non_null(places);
    for (int i = 0; i < 2; i++) {
        limber_style* style = style_of(true, steps[i]);
        limber_crowd_kind kind = {hero, style};
        limber_crowd_settings settings = limber_crowd_settings_default();
        limber_crowd_memory memory = {.positions = places, .vertex_stride = bytes_of(hero) / sizeof(float)};
        limber_crowd* crowd;
        limber_pipeline* pipeline;
        limber_error error;
        settings.kind_count = 1;
        settings.kinds = &kind;
        settings.member_limit = 3;
        assert_int_equal(limber_crowd_create(&settings, &crowd, &error), LIMBER_OK);
        assert_int_equal(limber_pipeline_create(hero, style, &pipeline, &error), LIMBER_OK);
        limber_crowd_member members[3];
        for (int m = 0; m < 3; m++) { // two in one hold, if it is as long as that, and one in another
            limber_crowd_member one = {0, (int32_t)clip, time_of(c, m == 2 ? 40.3 : 0.2 + 1.9 * m) - c->start_s, 1, 0};
            members[m] = one;
        }
        if (limber_crowd_evaluate(crowd, members, 3, 0, 0, &memory, &error) != LIMBER_OK)
            fail_msg("%s", error.message);
        assert_int_equal(limber_crowd_computed(crowd), 2);
        for (uint32_t m = 0; m < 3; m++)
            assert_memory_equal(places + m * memory.vertex_stride,
                                positions(pipeline, clip, c->start_s + members[m].start_s), bytes_of(hero));
        limber_crowd_destroy(crowd);
        limber_pipeline_destroy(pipeline);
        limber_style_destroy(style);
    }
    free(places);
}

// --- files ---

// A file that a bake was written into.
static limber_gltf* written(const limber_gltf* gltf, limber_pipeline* pipeline, limber_bake_kind kind, uint32_t clip,
                            double range_start_s, double range_end_s, uint32_t* targets) {
    limber_bake_settings settings = limber_bake_settings_default();
    limber_gltf_edits edits = limber_gltf_edits_default();
    limber_edited_clip edited;
    limber_bake* bake;
    limber_error error;
    settings.kind = kind;
    settings.clips = &clip;
    settings.clip_count = 1;
    settings.fps = 24;
    settings.range_start_s = range_start_s;
    settings.range_end_s = range_end_s;
    if (limber_pipeline_bake(pipeline, &settings, &bake, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    *targets = bake->meshes[0].target_count;
    edits.bake = bake;
    edits.clips = &edited;
    edits.clip_count = limber_pipeline_edited_clip(pipeline, clip, &edited);
    limber_gltf* back = save_and_load(gltf, &edits, "held.glb");
    limber_bake_destroy(bake);
    return back;
}

static void files_hold_what_is_held(void** state) {
    (void)state;
    const struct {
        const char* keys;
        limber_bake_kind kind;
        double tolerance;
    } bakes[] = {{"\"timing\": {\"step\": 2}", LIMBER_BAKE_CORRECTIVE, 2e-6},
                 {"\"timing\": {\"step\": \"auto\"}", LIMBER_BAKE_VERTEX, 2e-6},
                 {"\"timing\": {\"step\": \"auto\", \"snap\": 0.75}", LIMBER_BAKE_BONES, 1.1e-3},
                 {"\"timing\": {\"step\": 2}, \"smear\": {\"elongate\": {\"amount\": \"speed\", \"past\": 30}}",
                  LIMBER_BAKE_CORRECTIVE, 2e-6},
                 {"\"timing\": {\"step\": 3}, \"exaggerate\": {\"constraints\": \"auto\", \"stretch_skin\": true}",
                  LIMBER_BAKE_CORRECTIVE, 2e-6},
                 {"\"timing\": {\"step\": 6}, \"exaggerate\": {\"constraints\": \"auto\", \"stretch_skin\": true}",
                  LIMBER_BAKE_BONES, 1.1e-3}};
    uint32_t clip = test_clip(hero, "jump");
    const limber_clip* c = &limber_asset_model(hero)->clips[clip];
    limber_gltf* gltf;
    limber_error error;
    if (limber_gltf_from_asset(hero, &gltf, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    for (size_t i = 0; i < sizeof bakes / sizeof *bakes; i++) {
        limber_pipeline* pipeline = styled(limber_gltf_asset(gltf), bakes[i].keys);
        uint32_t targets;
        limber_gltf* back = written(gltf, pipeline, bakes[i].kind, clip, -DBL_MAX, DBL_MAX, &targets);
        limber_pipeline* player;
        assert_int_equal(limber_pipeline_create(limber_gltf_asset(back), NULL, &player, &error), LIMBER_OK);
        double worst = 0;
        for (double t = c->start_s; t < c->end_s; t += 0.0237) { // on and between frames
            float* shown = copy_of(hero, positions(pipeline, clip, t));
            worst = fmax(worst, apart(hero, shown, positions(player, clip, t)));
            free(shown);
        }
        limber_edited_clip edited;
        assert_true(limber_pipeline_edited_clip(pipeline, clip, &edited));
        assert_true((edited.stretch_count > 0) == (strstr(bakes[i].keys, "stretch_skin") != NULL));
        if (worst > bakes[i].tolerance)
            fail_msg("%s: off by %g L", bakes[i].keys, worst);
        if (bakes[i].kind == LIMBER_BAKE_CORRECTIVE && targets > frames_of(c) / 2 + 2)
            fail_msg("%s: %u targets for %u frames", bakes[i].keys, targets, frames_of(c));
        limber_pipeline_destroy(pipeline);
        limber_pipeline_destroy(player);
        limber_gltf_destroy(back);
    }
    limber_gltf_destroy(gltf);
}

// A range that starts and ends within a hold.
static void a_range_begins_and_ends_at_once(void** state) {
    (void)state;
    uint32_t clip = test_clip(hero, "jump"), targets;
    const limber_clip* c = &limber_asset_model(hero)->clips[clip];
    double from = time_of(c, 24.7), to = time_of(c, 33.2);
    limber_gltf* gltf;
    limber_error error;
    assert_int_equal(limber_gltf_from_asset(hero, &gltf, &error), LIMBER_OK);
    limber_pipeline* pipeline = styled(limber_gltf_asset(gltf), "\"timing\": {\"step\": 4}");
    limber_gltf* back = written(gltf, pipeline, LIMBER_BAKE_CORRECTIVE, clip, from, to, &targets);
    limber_pipeline *player, *plain;
    assert_int_equal(limber_pipeline_create(limber_gltf_asset(back), NULL, &player, &error), LIMBER_OK);
    limber_style* style = style_of(false, "{\"timing\": {\"step\": 4}}");
    assert_int_equal(limber_pipeline_create(limber_gltf_asset(gltf), style, &plain, &error), LIMBER_OK);
    const double times[] = {from - 0.002, from + 0.0001, 0.5 * (from + to), to - 0.0001, to + 0.002};
    double largest = 0;
    for (int i = 0; i < 5; i++) {
        bool inside = i > 0 && i < 4;
        float* shown = copy_of(hero, positions(player, clip, times[i]));
        double off = apart(hero, shown, positions(inside ? pipeline : plain, clip, times[i]));
        if (off > 2e-6)
            fail_msg("at %g s: off by %g L", times[i], off);
        largest = fmax(largest, apart(hero, shown, positions(inside ? plain : pipeline, clip, times[i])));
        free(shown);
    }
    assert_true(largest > 1e-3);
    limber_style_destroy(style);
    limber_pipeline_destroy(plain);
    limber_pipeline_destroy(player);
    limber_pipeline_destroy(pipeline);
    limber_gltf_destroy(back);
    limber_gltf_destroy(gltf);
}

// The hero with a morph target that a wave drives in one clip.
static limber_asset* with_morphs(uint32_t clip) {
    enum { KEYS = 90 };
    static float times[KEYS], weights[KEYS];
    limber_model model = *limber_asset_model(hero);
    const limber_clip* old = &model.clips[clip];
    limber_mesh* meshes = malloc(model.mesh_count * sizeof *meshes);
    limber_clip* clips = malloc(model.clip_count * sizeof *clips);
    limber_channel* channels = malloc((old->channel_count + (size_t)1) * sizeof *channels);
    float* way = calloc(3 * (size_t)model.meshes[0].vertex_count, sizeof *way);
    limber_asset* asset;
    limber_error error;
    assert_true(meshes && clips && channels && way);
    for (size_t v = 0; v < model.meshes[0].vertex_count; v++)
        way[3 * v] = 0.3f * model.size;
    for (int k = 0; k < KEYS; k++) {
        times[k] = (float)(old->start_s + (old->end_s - old->start_s) * k / (KEYS - 1));
        weights[k] = 0.5f - 0.5f * cosf(0.4f * (float)k);
    }
    memcpy(meshes, model.meshes, model.mesh_count * sizeof *meshes);
    memcpy(clips, model.clips, model.clip_count * sizeof *clips);
    memcpy(channels, old->channels, old->channel_count * sizeof *channels);
    limber_morph morph = {"aside", way, NULL};
    limber_channel channel = {LIMBER_CHANNEL_WEIGHTS, LIMBER_INTERPOLATION_LINEAR, 0, KEYS, times, weights};
    channels[old->channel_count] = channel;
    clips[clip].channels = channels;
    clips[clip].channel_count = old->channel_count + 1;
    meshes[0].morph_count = 1;
    meshes[0].morphs = &morph;
    model.meshes = meshes;
    model.clips = clips;
    if (limber_asset_create(&model, &asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    free(meshes);
    free(clips);
    free(channels);
    free(way);
    return asset;
}

static void morph_targets_of_a_file_follow(void** state) {
    (void)state;
    uint32_t clip = test_clip(hero, "jump"), targets;
    limber_asset* asset = with_morphs(clip);
    const limber_clip* c = &limber_asset_model(asset)->clips[clip];
    limber_gltf* gltf;
    limber_error error;
    assert_int_equal(limber_gltf_from_asset(asset, &gltf, &error), LIMBER_OK);
    const char* const keys[] = {"\"timing\": {\"step\": 2}", "\"timing\": {\"snap\": 0.75}",
                                "\"strength\": 0, \"timing\": {\"step\": 2}"}; // nothing to bake
    for (int i = 0; i < 3; i++) {
        limber_pipeline* pipeline = styled(limber_gltf_asset(gltf), keys[i]);
        limber_gltf* back = written(gltf, pipeline, LIMBER_BAKE_CORRECTIVE, clip, -DBL_MAX, DBL_MAX, &targets);
        limber_pipeline* player;
        assert_int_equal(limber_pipeline_create(limber_gltf_asset(back), NULL, &player, &error), LIMBER_OK);
        for (uint32_t f = 0; f < frames_of(c); f++) { // between frames a bake without holds is not exact
            double time_s = c->start_s + (f + (i == 1 ? 0 : 0.3)) / 24;
            float* shown = copy_of(asset, positions(pipeline, clip, time_s));
            double off = apart(asset, shown, positions(player, clip, time_s));
            free(shown);
            if (off > 1e-4)
                fail_msg("%s: %g L off at %g s", keys[i], off, time_s);
        }
        limber_pipeline_destroy(player);
        limber_pipeline_destroy(pipeline);
        limber_gltf_destroy(back);
    }
    limber_gltf_destroy(gltf);
    limber_asset_destroy(asset);
}

static uint32_t most_keys(const limber_gltf* gltf, uint32_t clip) {
    const limber_clip* c = &model_of(gltf)->clips[clip];
    uint32_t most = 0;
    for (uint32_t i = 0; i < c->channel_count; i++)
        most = c->channels[i].key_count > most ? c->channels[i].key_count : most;
    return most;
}

// The performance works on 120 moments per second; a bake at 24 needs no more keys than it has frames.
static void joints_have_a_key_per_frame_of_their_bake(void** state) {
    (void)state;
    uint32_t clip = test_clip(hero, "jump"), targets;
    const limber_clip* c = &limber_asset_model(hero)->clips[clip];
    limber_gltf* gltf;
    limber_error error;
    assert_int_equal(limber_gltf_from_asset(hero, &gltf, &error), LIMBER_OK);
    limber_pipeline* pipeline = styled(limber_gltf_asset(gltf), "\"timing\": {\"snap\": 0.75}");
    limber_gltf* whole = written(gltf, pipeline, LIMBER_BAKE_CORRECTIVE, clip, -DBL_MAX, DBL_MAX, &targets);
    limber_gltf* part = written(gltf, pipeline, LIMBER_BAKE_CORRECTIVE, clip, 0.5, 1.5, &targets);
    assert_int_equal(most_keys(whole, clip), limber_clip_frame_count(c, 24));
    assert_true(most_keys(part, clip) > 100 * (c->end_s - c->start_s)); // frames outside of the range need them
    limber_pipeline* players[2];
    assert_int_equal(limber_pipeline_create(limber_gltf_asset(whole), NULL, &players[0], &error), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(limber_gltf_asset(part), NULL, &players[1], &error), LIMBER_OK);
    for (uint32_t f = 0; f < limber_clip_frame_count(c, 24); f++) {
        double time_s = limber_clip_frame_time(c, 24, f);
        float* shown = copy_of(hero, positions(pipeline, clip, time_s));
        assert_true(apart(hero, shown, positions(players[0], clip, time_s)) < 2e-6);
        if (time_s > 0.5 && time_s < 1.5)
            assert_true(apart(hero, shown, positions(players[1], clip, time_s)) < 2e-6);
        free(shown);
    }
    for (int i = 0; i < 2; i++)
        limber_pipeline_destroy(players[i]);
    limber_pipeline_destroy(pipeline);
    limber_gltf_destroy(whole);
    limber_gltf_destroy(part);
    limber_gltf_destroy(gltf);
}

// --- styles ---

static void styles_say_how_long(void** state) {
    (void)state;
    const struct {
        const char* text;
        int step; // -1: not allowed
    } styles[] = {{"{\"timing\": {\"step\": \"auto\"}}", 0},
                  {"{\"timing\": {\"step\": 4}}", 4},
                  {"{}", 1},
                  {"{\"timing\": {\"step\": 0}}", -1},
                  {"{\"timing\": {\"step\": 2.5}}", -1},
                  {"{\"timing\": {\"step\": \"twos\"}}", -1}};
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        limber_style* style = NULL;
        limber_bound_style* bound = NULL;
        limber_error error;
        limber_result result = limber_style_create(&style, &error);
        if (!result)
            result = limber_style_read(style, styles[i].text, strlen(styles[i].text), &error);
        if (!result)
            result = limber_style_bind(style, hero, &bound, &error);
        assert_true((result == LIMBER_OK) == (styles[i].step >= 0));
        if (!result)
            assert_int_equal(limber_bound_style_settings(bound)->perform.step, styles[i].step);
        limber_bound_style_destroy(bound);
        limber_style_destroy(style);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_are_counted_in_frames_of_a_24th),
        cmocka_unit_test(keys_are_at_both_ends_of_a_hold),
        cmocka_unit_test(frames_on_twos_come_in_pairs),
        cmocka_unit_test(loops_still_close),
        cmocka_unit_test(automatic_steps_follow_the_speed),
        cmocka_unit_test(automatic_steps_follow_the_timing),
        cmocka_unit_test(automatic_steps_have_the_thresholds_of_the_book),
        cmocka_unit_test(every_rate_and_order_shows_the_same),
        cmocka_unit_test(held_turns_have_no_keys_on_opposite_sides),
        cmocka_unit_test(a_step_of_1_changes_nothing),
        cmocka_unit_test(crowds_hold_and_share_what_is_held),
        cmocka_unit_test(files_hold_what_is_held),
        cmocka_unit_test(a_range_begins_and_ends_at_once),
        cmocka_unit_test(morph_targets_of_a_file_follow),
        cmocka_unit_test(joints_have_a_key_per_frame_of_their_bake),
        cmocka_unit_test(styles_say_how_long),
    };
    return cmocka_run_group_tests(tests, load_hero, drop_hero);
}
