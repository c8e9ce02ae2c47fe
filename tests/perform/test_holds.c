// Single holds: a moment stays for as long as the animator says, key poses elsewhere keep their times, the clip keeps its
// ends, and nonsense does nothing.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "characters/characters.h"
#include "kit/scene.h"
#include "kit/style_kit.h"

// --- helpers ---

static limber_asset* hero;

static int open_hero(void** state) {
    (void)state;
    return limberi_character_create("hero", 0.5, &hero, NULL) != LIMBER_OK;
}

static int close_hero(void** state) {
    (void)state;
    limber_asset_destroy(hero);
    return 0;
}

static limber_pipeline* holding(const limber_asset* asset, double snap, const limber_hold* holds, uint32_t count) {
    limber_stage_settings settings = limber_stage_settings_default();
    limber_pipeline* pipeline;
    limber_error error;
    settings.perform.snap = snap;
    settings.perform.hang = snap;
    settings.perform.holds = holds;
    settings.perform.hold_count = count;
    if (limber_pipeline_create_from_settings(asset, &settings, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return pipeline;
}

static limber_pipeline* with_style(const char* text) {
    limber_style* style = style_kit_read(text);
    limber_pipeline* pipeline;
    limber_error error;
    if (limber_pipeline_create(hero, style, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    limber_style_destroy(style);
    return pipeline;
}

static double length_of(uint32_t clip) {
    const limber_clip* c = &limber_asset_model(hero)->clips[clip];
    assert_true(c->start_s == 0);
    return c->end_s;
}

static const double step_s = 1.0 / 480;

static double rate_at(limber_pipeline* p, uint32_t clip, double time_s) {
    double after = limber_pipeline_source_time(p, clip, time_s + step_s);
    return (after - limber_pipeline_source_time(p, clip, time_s)) / step_s;
}

static double shown_at(limber_pipeline* p, uint32_t clip, double source_s) {
    double time_s = 0;
    while (time_s < length_of(clip) && limber_pipeline_source_time(p, clip, time_s) < source_s)
        time_s += step_s;
    return fmin(time_s, length_of(clip));
}

// How long the moment is shown below 0.7 of the plain speed, in one piece.
static double lingers_at(limber_pipeline* p, uint32_t clip, double source_s) {
    double middle = shown_at(p, clip, source_s);
    double from = middle;
    double to = middle;
    while (from - step_s >= 0 && rate_at(p, clip, from - step_s) < 0.7)
        from -= step_s;
    while (to + 2 * step_s <= length_of(clip) && rate_at(p, clip, to) < 0.7)
        to += step_s;
    return to - from;
}

static void expect_near(const char* what, double value, double wanted, double tolerance) {
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%s: %g instead of %g", what, value, wanted);
}

// Both ends stay, and the clip never stands still, runs back or goes faster than it may.
static void expect_sound(limber_pipeline* p, uint32_t clip) {
    double end = length_of(clip);
    expect_near("the start", limber_pipeline_source_time(p, clip, 0), 0, 1e-9);
    expect_near("the end", limber_pipeline_source_time(p, clip, end), end, 1e-6);
    for (double t = 0; t + step_s < end; t += step_s) {
        double rate = rate_at(p, clip, t);
        if (!(rate > 0.36 && rate < 1.9))
            fail_msg("%g of the plain speed at %g s", rate, t);
    }
}

// --- one hold ---

static void a_hold_lingers_for_its_length(void** state) {
    (void)state;
    uint32_t jump = test_clip(hero, "jump");
    const double lengths[] = {0.1, 0.2, 0.3};
    const double times[] = {0.6, 0.8, 1.65, 2.6};
    for (size_t l = 0; l < 3; l++)
        for (size_t t = 0; t < 4; t++) {
            limber_hold hold = {(int32_t)jump, times[t], lengths[l]};
            limber_pipeline* p = holding(hero, 0, &hold, 1);
            expect_near("length", lingers_at(p, jump, times[t]), lengths[l], 0.03);
            expect_near("its own time", limber_pipeline_source_time(p, jump, times[t]), times[t], 1.0 / 120);
            expect_near("its speed", rate_at(p, jump, times[t]), 0.4, 0.02);
            expect_sound(p, jump);
            limber_pipeline_destroy(p);
        }
}

static void a_hold_at_an_end_lies_on_one_side(void** state) {
    (void)state;
    uint32_t jump = test_clip(hero, "jump");
    double end = length_of(jump);
    limber_hold holds[] = {{-1, 0, 0.2}, {-1, end, 0.3}};
    limber_pipeline* p = holding(hero, 0, holds, 2);
    expect_near("at the start", lingers_at(p, jump, 0), 0.2, 0.03);
    expect_near("at the end", lingers_at(p, jump, end), 0.3, 0.03);
    expect_sound(p, jump);
    limber_pipeline_destroy(p);
}

// A key pose less than 0.18 s from it moves with it, and is not in its way.
static void a_hold_takes_a_near_key_pose_along(void** state) {
    (void)state;
    uint32_t jump = test_clip(hero, "jump");
    limber_hold hold = {-1, 1.33, 0.2};
    limber_pipeline* p = holding(hero, 0, &hold, 1);
    assert_true(rate_at(p, jump, 1.33 - 0.085) < 0.6 && rate_at(p, jump, 1.33 + 0.085) < 0.6);
    assert_true(limber_pipeline_source_time(p, jump, 1.2083) > 1.2083 + 0.03);
    limber_pipeline_destroy(p);
}

static void nothing_is_shifted_too_far(void** state) {
    (void)state;
    uint32_t jump = test_clip(hero, "jump");
    limber_hold hold = {-1, length_of(jump), 0.7};
    limber_pipeline* p = holding(hero, 0, &hold, 1);
    limber_performance found;
    assert_true(limber_pipeline_performance(p, jump, &found));
    expect_near("shift", found.max_shift_s, 0.22, 0.005);
    limber_pipeline_destroy(p);
}

static void what_is_far_from_a_hold_stays(void** state) {
    (void)state;
    uint32_t jump = test_clip(hero, "jump");
    limber_hold hold = {-1, 2.3, 0.1}; // the next key pose is at 3.2 s
    limber_pipeline* p = holding(hero, 0, &hold, 1);
    for (double t = 3.11; t < length_of(jump); t += 0.01)
        expect_near("later", limber_pipeline_source_time(p, jump, t), t, 1e-6);
    for (double t = 0; t < 2.1; t += 0.1)
        expect_near("earlier", limber_pipeline_source_time(p, jump, t), t, 1e-6);
    assert_true(limber_pipeline_source_time(p, jump, 2.9) < 2.9 - 0.003);
    limber_pipeline_destroy(p);
}

// --- key poses ---

static void a_key_pose_is_held_longer_or_shorter_than_by_the_snap(void** state) {
    (void)state;
    uint32_t jump = test_clip(hero, "jump");
    limber_pipeline* plain = holding(hero, 0.75, NULL, 0);
    limber_performance found;
    assert_true(limber_pipeline_performance(plain, jump, &found));
    assert_true(found.key_count == 4 && found.hold_count == 0);
    double key = found.key_times[2];
    double by_snap = lingers_at(plain, jump, key);
    assert_true(by_snap > 0.2 && by_snap < 0.45);
    const double lengths[] = {0, 0.08, 0.2, 0.6};
    for (size_t i = 0; i < 4; i++) {
        limber_hold hold = {-1, key, lengths[i]};
        limber_pipeline* p = holding(hero, 0.75, &hold, 1);
        expect_near("length", lingers_at(p, jump, key), lengths[i], 0.03);
        expect_sound(p, jump);
        for (uint32_t k = 0; k < found.key_count; k++)
            expect_near("a key pose", shown_at(p, jump, found.key_times[k]), shown_at(plain, jump, found.key_times[k]),
                        1.0 / 24);
        expect_near("before the key pose before it", limber_pipeline_source_time(p, jump, 0.5),
                    limber_pipeline_source_time(plain, jump, 0.5), 0.02);
        limber_performance now;
        assert_true(limber_pipeline_performance(p, jump, &now));
        assert_true(now.hold_count == 1 && now.key_count == 4 && now.key_times[2] == key && now.retimed);
        limber_pipeline_destroy(p);
    }
    limber_pipeline_destroy(plain);
}

static void without_length_a_key_pose_passes_at_the_plain_speed(void** state) {
    (void)state;
    uint32_t jump = test_clip(hero, "jump");
    limber_hold hold = {-1, 2.1, 0};
    limber_pipeline* p = holding(hero, 0.75, &hold, 1);
    for (double t = 2.05; t < 2.15; t += 0.01)
        expect_near("speed", rate_at(p, jump, t), 1, 0.05);
    limber_pipeline_destroy(p);
    p = holding(hero, 0, &hold, 1); // nothing holds it anyway
    limber_performance found;
    assert_true(limber_pipeline_performance(p, jump, &found));
    assert_false(found.retimed);
    limber_pipeline_destroy(p);
}

// The hold is 0.1 s from one key pose; the others are not to move, and there is room on the other side.
static void a_hold_without_room_comes_out_shorter(void** state) {
    (void)state;
    uint32_t jump = test_clip(hero, "jump");
    limber_hold holds[] = {{-1, 1.0, 0.7}, {-1, 0.2, 0.7}};
    limber_pipeline* p = holding(hero, 0, holds, 2);
    expect_sound(p, jump);
    expect_near("the key pose after it", shown_at(p, jump, 1.2083), 1.2083, 1.0 / 120);
    double length = lingers_at(p, jump, 1.0);
    if (!(length > 0.1 && length < 0.5))
        fail_msg("%g s", length);
    limber_performance found;
    assert_true(limber_pipeline_performance(p, jump, &found));
    assert_true(found.max_shift_s <= 0.221);
    limber_pipeline_destroy(p);
}

// --- several ---

static void the_last_hold_of_a_pose_counts(void** state) {
    (void)state;
    uint32_t jump = test_clip(hero, "jump");
    limber_hold holds[] = {{-1, 0.62, 0.4}, {-1, 2.6, 0.3}, {-1, 0.6, 0.1}};
    limber_pipeline* p = holding(hero, 0, holds, 3);
    limber_performance found;
    assert_true(limber_pipeline_performance(p, jump, &found));
    assert_int_equal(found.hold_count, 2);
    expect_near("the last one", lingers_at(p, jump, 0.6), 0.1, 0.03);
    expect_near("another one", lingers_at(p, jump, 2.6), 0.3, 0.03);
    limber_pipeline_destroy(p);
}

static void holds_that_overlap_share_the_room(void** state) {
    (void)state;
    uint32_t jump = test_clip(hero, "jump");
    limber_hold holds[] = {{-1, 0.5, 0.3}, {-1, 0.8, 0.3}};
    limber_pipeline* p = holding(hero, 0, holds, 2);
    expect_sound(p, jump);
    for (int i = 0; i < 2; i++) {
        expect_near("its own time", limber_pipeline_source_time(p, jump, holds[i].at_s), holds[i].at_s, 1.0 / 120);
        assert_true(lingers_at(p, jump, holds[i].at_s) > 0.1);
    }
    assert_true(rate_at(p, jump, 0.53) < 0.6 && rate_at(p, jump, 0.77) < 0.6);
    limber_pipeline_destroy(p);
}

static void nonsense_does_nothing(void** state) {
    (void)state;
    uint32_t jump = test_clip(hero, "jump");
    const limber_hold holds[] = {{-1, -0.1, 0.2}, {-1, NAN, 0.2}, {-1, 0.6, NAN},    {-1, 0.6, -1},
                                 {-1, 99, 0.2},   {99, 0.6, 0.2}, {-1, INFINITY, 1}, {-1, 3.3, 1}};
    limber_pipeline* p = holding(hero, 0, holds, 8);
    limber_performance found;
    assert_true(limber_pipeline_performance(p, jump, &found));
    assert_true(!found.retimed && found.hold_count == 0);
    limber_pipeline_destroy(p);
    limber_hold endless = {-1, 0.6, INFINITY};
    p = holding(hero, 0, &endless, 1);
    expect_sound(p, jump);
    assert_true(lingers_at(p, jump, 0.6) > 0.3);
    limber_pipeline_destroy(p);
}

static void any_number_of_holds_is_sound(void** state) {
    (void)state;
    uint32_t seed = 1;
    for (int round = 0; round < 40; round++) {
        limber_hold holds[12];
        uint32_t count = 1 + (uint32_t)round % 12;
        for (uint32_t i = 0; i < count; i++) {
            seed = seed * 1664525 + 1013904223;
            holds[i].clip = -1;
            holds[i].at_s = (seed >> 8) % 3600 / 1000.0;
            seed = seed * 1664525 + 1013904223;
            holds[i].length_s = (seed >> 8) % 4 ? (seed >> 12) % 1000 / 1000.0 : 0;
        }
        limber_pipeline* p = holding(hero, round % 2 ? 1.5 : 0, holds, count);
        for (uint32_t c = 0; c < limber_asset_model(hero)->clip_count; c++)
            expect_sound(p, c);
        limber_pipeline_destroy(p);
    }
}

// --- loops, rates and sizes ---

static void a_hold_at_the_seam_of_a_loop_lies_on_both_sides(void** state) {
    (void)state;
    uint32_t run = test_clip(hero, "run");
    double end = length_of(run);
    for (int at_end = 0; at_end < 2; at_end++) {
        limber_hold hold = {-1, at_end ? end : 0, 0.1};
        limber_pipeline* p = holding(hero, 0.75, &hold, 1);
        expect_near("after the seam", lingers_at(p, run, 0), 0.05, 0.012);
        expect_near("before the seam", lingers_at(p, run, end), 0.05, 0.012);
        expect_sound(p, run);
        limber_frame frame;
        size_t bytes = 3 * sizeof(float) * limber_asset_model(hero)->vertex_count;
        float* first = malloc(bytes);
        assert_int_equal(limber_pipeline_evaluate(p, (int32_t)run, 0, &frame), LIMBER_OK);
        memcpy(first, frame.positions, bytes);
        assert_int_equal(limber_pipeline_evaluate(p, (int32_t)run, end, &frame), LIMBER_OK);
        for (size_t i = 0; i < bytes / sizeof(float); i++)
            assert_true(fabsf(first[i] - frame.positions[i]) < 1e-3f * limber_asset_model(hero)->size);
        free(first);
        limber_pipeline_destroy(p);
    }
}

// A gait keeps its timing, but for what an animator asks for.
static void a_gait_is_held_too(void** state) {
    (void)state;
    uint32_t run = test_clip(hero, "run");
    limber_hold hold = {-1, 0.3, 0.1};
    limber_pipeline* p = holding(hero, 0.75, &hold, 1);
    expect_near("length", lingers_at(p, run, 0.3), 0.1, 0.03);
    expect_near("its own time", limber_pipeline_source_time(p, run, 0.3), 0.3, 1.0 / 120);
    limber_pipeline_destroy(p);
}

static void frames_do_not_depend_on_the_rate(void** state) {
    (void)state;
    uint32_t jump = test_clip(hero, "jump");
    limber_hold hold = {-1, 0.8, 0.3};
    limber_pipeline* slow = holding(hero, 0.75, &hold, 1);
    limber_pipeline* fast = holding(hero, 0.75, &hold, 1);
    size_t bytes = 3 * sizeof(float) * limber_asset_model(hero)->vertex_count;
    float* seen = malloc(bytes);
    for (int f = 0; f < 240; f++) {
        limber_frame frame;
        assert_int_equal(limber_pipeline_evaluate(fast, (int32_t)jump, f / 240.0, &frame), LIMBER_OK);
        if (f % 40)
            continue;
        memcpy(seen, frame.positions, bytes);
        assert_int_equal(limber_pipeline_evaluate(slow, (int32_t)jump, f / 10 / 24.0, &frame), LIMBER_OK);
        assert_memory_equal(seen, frame.positions, bytes);
    }
    free(seen);
    limber_pipeline_destroy(slow);
    limber_pipeline_destroy(fast);
}

static void size_does_not_matter(void** state) {
    (void)state;
    uint32_t jump = test_clip(hero, "jump");
    limber_transform above = limber_transform_identity();
    above.scale = limberi_vec3(100, 100, 100);
    limber_asset* giant = test_rearranged(limber_asset_model(hero), NULL, &above);
    limber_hold holds[] = {{-1, 0.8, 0.3}, {-1, 2.1, 0.1}};
    limber_pipeline* p = holding(hero, 0.75, holds, 2);
    limber_pipeline* q = holding(giant, 0.75, holds, 2);
    for (double t = 0; t < length_of(jump); t += 0.01)
        expect_near("size", limber_pipeline_source_time(q, jump, t), limber_pipeline_source_time(p, jump, t), 1e-3);
    limber_pipeline_destroy(p);
    limber_pipeline_destroy(q);
    limber_asset_destroy(giant);
}

// --- styles ---

static void a_style_holds_in_the_clips_that_it_names(void** state) {
    (void)state;
    limber_pipeline* p = with_style("{\"timing\": {\"holds\": [{\"clip\": \"ju*\", \"at\": 0.8, \"length\": 0.2}, "
                                    "{\"at\": 0.3, \"length\": 0.1}]}}");
    limber_performance found;
    assert_true(limber_pipeline_performance(p, test_clip(hero, "jump"), &found));
    assert_true(found.hold_count == 2 && found.retimed);
    expect_near("length", lingers_at(p, test_clip(hero, "jump"), 0.8), 0.2, 0.03);
    assert_true(limber_pipeline_performance(p, test_clip(hero, "run"), &found));
    assert_int_equal(found.hold_count, 1);
    limber_pipeline_destroy(p);
}

static void strength_scales_holds(void** state) {
    (void)state;
    const struct {
        const char* strength;
        double length;
    } cases[] = {{"0.5", 0.2}, {"1", 0.4}, {"0", 0}};
    for (int i = 0; i < 3; i++) {
        char text[160];
        snprintf(text, sizeof text, "{\"strength\": %s, \"timing\": {\"holds\": [{\"at\": 0.8, \"length\": 0.4}]}}",
                 cases[i].strength);
        limber_style* style = style_kit_read(text);
        limber_bound_style* bound;
        limber_error error;
        assert_int_equal(limber_style_bind(style, hero, &bound, &error), LIMBER_OK);
        const limber_perform_settings* s = &limber_bound_style_settings(bound)->perform;
        assert_int_equal(limber_perform_is_on(s), cases[i].length > 0);
        assert_int_equal(s->hold_count, cases[i].length > 0);
        assert_true(s->hold_count == 0 || (s->holds[0].length_s == cases[i].length && s->holds[0].at_s == 0.8));
        limber_bound_style_destroy(bound);
        limber_style_destroy(style);
    }
}

static void refused(const char* value, const char* message) {
    limber_style* style;
    limber_error error;
    char text[200];
    snprintf(text, sizeof text, "{\"timing\": {\"holds\": %s}}", value);
    assert_int_equal(limber_style_create(&style, &error), LIMBER_OK);
    assert_int_not_equal(limber_style_read(style, text, strlen(text), &error), LIMBER_OK);
    if (!strstr(error.message, message) || !strstr(error.place, "timing.holds"))
        fail_msg("%s: %s: %s", value, error.place, error.message);
    limber_style_destroy(style);
}

static void wrong_values_are_refused(void** state) {
    (void)state;
    refused("0.2", "expected a list of holds: [{\"at\": ..., \"length\": ...}], found the number 0.2");
    refused("[0.2]", "expected a hold: {\"at\": ..., \"length\": ...}, found the number 0.2");
    refused("[{\"at\": 1}]", "a hold needs the key \"length\"");
    refused("[{\"length\": 1}]", "a hold needs the key \"at\"");
    refused("[{\"at\": -1, \"length\": 1}]", "-1 is out of range (0 ... 1000000)");
    refused("[{\"at\": 1, \"length\": 11}]", "11 is out of range (0 ... 10)");
    refused("[{\"at\": \"1\", \"length\": 1}]", "expected a number");
    refused("[{\"at\": 1, \"lenght\": 1}]", "unknown key 'lenght' of a hold; did you mean 'length'?");
    refused("[{\"at\": 1, \"joint\": \"Head\"}]", "unknown key 'joint' of a hold (known: clip, at, length)");
    refused("[{\"at\": 1, \"length\": 1, \"clip\": 3}]", "expected a name in quotes");
    refused("[{\"at\": 1, \"length\": 1, \"clip\": \"\"}]", "expected a name in quotes");
}

static void too_many_are_refused(void** state) {
    (void)state;
    enum { COUNT = 1025 };
    static char text[64 + 32 * COUNT];
    strcpy(text, "{\"timing\": {\"holds\": [");
    for (int i = 0; i < COUNT; i++)
        strcat(text, i ? ",{\"at\":1,\"length\":1}" : "{\"at\":1,\"length\":1}");
    strcat(text, "]}}");
    limber_style* style;
    limber_error error;
    assert_int_equal(limber_style_create(&style, &error), LIMBER_OK);
    assert_int_equal(limber_style_read(style, text, strlen(text), &error), LIMBER_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "too many holds (max 1024)"));
    limber_style_destroy(style);
}

static void a_clip_that_is_not_there_is_refused(void** state) {
    (void)state;
    limber_style* style = style_kit_read("{\"timing\": {\"holds\": [{\"at\": 1, \"length\": 1}, {\"clip\": \"jmup\", "
                                         "\"at\": 1, \"length\": 1}]}}");
    limber_bound_style* bound;
    limber_error error;
    assert_int_equal(limber_style_bind(style, hero, &bound, &error), LIMBER_ERROR_DATA);
    assert_non_null(strstr(error.message, "no clip matches 'jmup'; did you mean 'jump'?"));
    assert_non_null(strstr(error.place, "timing.holds[1].clip"));
    limber_style_destroy(style);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hold_lingers_for_its_length),
        cmocka_unit_test(a_hold_at_an_end_lies_on_one_side),
        cmocka_unit_test(a_hold_takes_a_near_key_pose_along),
        cmocka_unit_test(nothing_is_shifted_too_far),
        cmocka_unit_test(what_is_far_from_a_hold_stays),
        cmocka_unit_test(a_key_pose_is_held_longer_or_shorter_than_by_the_snap),
        cmocka_unit_test(without_length_a_key_pose_passes_at_the_plain_speed),
        cmocka_unit_test(a_hold_without_room_comes_out_shorter),
        cmocka_unit_test(the_last_hold_of_a_pose_counts),
        cmocka_unit_test(holds_that_overlap_share_the_room),
        cmocka_unit_test(nonsense_does_nothing),
        cmocka_unit_test(any_number_of_holds_is_sound),
        cmocka_unit_test(a_hold_at_the_seam_of_a_loop_lies_on_both_sides),
        cmocka_unit_test(a_gait_is_held_too),
        cmocka_unit_test(frames_do_not_depend_on_the_rate),
        cmocka_unit_test(size_does_not_matter),
        cmocka_unit_test(a_style_holds_in_the_clips_that_it_names),
        cmocka_unit_test(strength_scales_holds),
        cmocka_unit_test(wrong_values_are_refused),
        cmocka_unit_test(too_many_are_refused),
        cmocka_unit_test(a_clip_that_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, open_hero, close_hero);
}
