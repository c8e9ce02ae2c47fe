// Live poses: they end up where a clip does, at any rate, and nothing that happens to a clock makes them explode.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "characters/characters.h"
#include "kit/failing_memory.h"
#include "kit/sanitized.h"
#include "kit/scene.h"

// --- a tube that swings to and fro once a second, and its live twin ---

typedef struct stage {
    limber_asset* asset;
    const limber_model* model;
    limber_stage_settings settings;
    limber_pipeline* pipeline;
    limber_live* live;
    limber_pose pose;
    limber_frame frame;
} stage;

static void stage_open(stage* s, uint32_t keys_per_second, bool filters) {
    memset(s, 0, sizeof *s);
    s->asset = test_tube_create(4, 1.2f, keys_per_second, true);
    s->model = limber_asset_model(s->asset);
    s->settings = test_everything(s->model);
    for (int i = 0; !filters && i < LIMBER_EFFECT_OVERLAP; i++) // which is a filter
        s->settings.deform.effects[i].filters = limber_filter_set_none();
    assert_int_equal(limber_pose_create(s->model, &s->pose), LIMBER_OK);
}

static void stage_start(stage* s) {
    limber_error error;
    if (limber_pipeline_create_from_settings(s->asset, &s->settings, &s->pipeline, &error) != LIMBER_OK ||
        limber_live_create(s->pipeline, NULL, &s->live, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
}

static void stage_stop(stage* s) {
    limber_live_destroy(s->live);
    limber_pipeline_destroy(s->pipeline);
    s->live = NULL;
    s->pipeline = NULL;
}

static void stage_close(stage* s) {
    stage_stop(s);
    limber_pose_destroy(&s->pose);
    limber_asset_destroy(s->asset);
}

static void sample(stage* s, double time_s) {
    const limber_clip* clip = &s->model->clips[0];
    limber_clip_sample(s->model, clip, limber_clip_wrap(clip, true, time_s), &s->pose);
}

static void push(stage* s, double time_s) {
    sample(s, time_s);
    assert_int_equal(limber_live_push(s->live, s->pose.local, NULL, time_s), LIMBER_OK);
}

static const float* run(stage* s) {
    limber_pipeline_evaluate_vertices(s->pipeline, &s->frame);
    return s->frame.positions;
}

static float* copied(const stage* s, const float* positions) {
    float* copy = malloc(3 * sizeof *copy * s->model->vertex_count);
    memcpy(copy, positions, 3 * sizeof *copy * s->model->vertex_count);
    return copy;
}

// In L.
static double distance(const stage* s, const float* a, const float* b) {
    double worst = 0;
    for (size_t i = 0; i < 3 * (size_t)s->model->vertex_count; i++) {
        assert_true(isfinite(a[i]) && isfinite(b[i]));
        worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
    }
    return worst / (double)s->model->size;
}

// How far the effects move the vertices now.
static double moved(stage* s) {
    const float* positions = run(s);
    return distance(s, positions, s->frame.skinned);
}

static bool same(const stage* s, const float* a, const float* b) {
    return memcmp(a, b, 3 * sizeof *a * s->model->vertex_count) == 0;
}

static bool at_rest(stage* s) {
    const float* positions = run(s);
    return same(s, positions, s->frame.skinned);
}

// The farthest that live poses, pushed at a rate, are from what the clip shows at that time. Time filters have to
// forget the start, and the loop's first turn is not yet its steady state.
static double error_at(stage* s, double rate) {
    double worst = 0;
    limber_pipeline* clip;
    limber_frame frame;
    stage_start(s);
    assert_int_equal(limber_pipeline_create_from_settings(s->asset, &s->settings, &clip, NULL), LIMBER_OK);
    for (uint32_t i = 0; i <= (uint32_t)(4 * rate); i++) {
        double t = i / rate;
        push(s, t);
        if (t < 3 || i % (uint32_t)(rate / 20))
            continue;
        double wrapped = limber_clip_wrap(&s->model->clips[0], true, t);
        assert_int_equal(limber_pipeline_evaluate(clip, 0, wrapped, &frame), LIMBER_OK);
        worst = fmax(worst, distance(s, run(s), frame.positions));
    }
    limber_pipeline_destroy(clip);
    stage_stop(s);
    return worst;
}

static void live_converges_to_the_clip_as_steps_shrink(void** state) {
    (void)state;
    for (int filters = 0; filters < 2; filters++) {
        stage s;
        stage_open(&s, 2000, filters);
        s.settings.motion.step_s = 1 / 1000.0; // the window of accelerations; below the step between pushes
        double at_60 = error_at(&s, 60), at_120 = error_at(&s, 120), at_240 = error_at(&s, 240);
        assert_true(at_60 > 1e-3); // backward differences are half a step late: something must be seen
        assert_true(at_240 < 5e-3);
        assert_true(at_120 < 0.6 * at_60 && at_240 < 0.6 * at_120);
        stage_close(&s);
    }
}

// What the rate changes is how late velocities are (half a step) and how far accelerations look back.
static void live_hardly_depends_on_the_rate_of_poses(void** state) {
    (void)state;
    stage s;
    stage_open(&s, 2000, true);
    float* reference = NULL;
    const double rates[] = {960, 240, 144, 90, 60, 30};
    const double limits[] = {0, 3e-3, 5e-3, 8e-3, 1.2e-2, 3e-2};
    for (size_t r = 0; r < 6; r++) {
        stage_start(&s);
        for (uint32_t i = 0; i <= (uint32_t)(3.5 * rates[r] + 0.5); i++)
            push(&s, i / rates[r]);
        if (!reference)
            reference = copied(&s, run(&s));
        double d = distance(&s, run(&s), reference);
        assert_true(d <= limits[r]);
        stage_stop(&s);
    }
    free(reference);
    stage_close(&s);
}

static float random_part(uint32_t* state) { // -1 ... 1
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 8388608.0f - 1;
}

// A game's clock: steps of 1/60 s give or take 30 %. How strong the effects of live poses are beside the clip's: root
// mean squares of the displacements after the first seconds. What happens at one moment is a few hundredths of a second
// late, since the next pose is unknown.
static double live_strength(const limber_asset* asset, uint32_t clip_index, const limber_style* style) {
    const limber_model* model = limber_asset_model(asset);
    const limber_clip* clip = &model->clips[clip_index];
    limber_pipeline *played, *pushed;
    limber_live* live;
    limber_pose pose;
    uint32_t chance = 7, moment = 0;
    double ours = 0, theirs = 0;
    assert_int_equal(limber_pipeline_create(asset, style, &played, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(asset, style, &pushed, NULL), LIMBER_OK);
    assert_int_equal(limber_live_create(pushed, NULL, &live, NULL), LIMBER_OK);
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    double end_s = 3 + 2 * (clip->end_s - clip->start_s);
    for (double t = 0; t < end_s; t += (1 + 0.3 * (double)random_part(&chance)) / 60) {
        double wrapped = limber_clip_wrap(clip, true, clip->start_s + t);
        limber_frame a, b;
        limber_clip_sample(model, clip, wrapped, &pose);
        assert_int_equal(limber_live_push(live, pose.local, NULL, t), LIMBER_OK);
        if (t < 3 || moment++ % 2) // every second one is compared
            continue;
        limber_pipeline_evaluate_vertices(pushed, &a);
        assert_int_equal(limber_pipeline_evaluate(played, (int32_t)clip_index, wrapped, &b), LIMBER_OK);
        for (size_t i = 0; i < 3 * (size_t)model->vertex_count; i++) {
            double our = (double)(a.positions[i] - a.skinned[i]), their = (double)(b.positions[i] - b.skinned[i]);
            ours += our * our;
            theirs += their * their;
        }
    }
    limber_pose_destroy(&pose);
    limber_live_destroy(live);
    limber_pipeline_destroy(pushed);
    limber_pipeline_destroy(played);
    return sqrt(ours / theirs);
}

static void uneven_steps_are_as_strong_as_the_clip(void** state) {
    (void)state;
    static const char* const presets[] = {"subtle", "cartoon", "rubberhose", "jelly"};
    static const char* const names[] = {"cow", "dancer", "snail"};
    for (int n = TEST_SANITIZED ? 2 : 0; n < 3; n++) {
        limber_asset* asset;
        assert_int_equal(limberi_character_create(names[n], 0.5, &asset, NULL), LIMBER_OK);
        for (int p = TEST_SANITIZED ? n : 0; p < (TEST_SANITIZED ? n + 1 : 4); p++) {
            limber_style* style;
            assert_int_equal(limber_style_create(&style, NULL), LIMBER_OK);
            assert_int_equal(limber_style_read_preset(style, presets[p], NULL), LIMBER_OK);
            // Of live poses nobody knows the ground here.
            assert_int_equal(limber_style_set(style, "contact", "0", NULL), LIMBER_OK);
            assert_int_equal(limber_style_set(style, "impact.gain", "0", NULL), LIMBER_OK);
            // Effects alone: clips are edited as a whole, and live poses act by what was so far.
            static const char* const acting[] = {"timing.snap",
                                                 "timing.hang",
                                                 "pose.exaggerate",
                                                 "pose.anticipate",
                                                 "pose.trail",
                                                 "body.squash",
                                                 "body.bend",
                                                 "effects.overlap.arrive",
                                                 "exaggerate.filter.amount",
                                                 "exaggerate.strength"};
            for (size_t k = 0; k < sizeof acting / sizeof *acting; k++)
                assert_int_equal(limber_style_set(style, acting[k], "0", NULL), LIMBER_OK);
            for (uint32_t c = 0; c < limber_asset_model(asset)->clip_count; c++) {
                const limber_clip* clip = &limber_asset_model(asset)->clips[c];
                double ratio = clip->loops ? live_strength(asset, c, style) : 1;
                if (!(fabs(ratio - 1) < 0.1))
                    fail_msg("%s, %s, %s: %g of the clip's strength", names[n], clip->name, presets[p], ratio);
            }
            limber_style_destroy(style);
        }
        limber_asset_destroy(asset);
    }
}

static void keys_joined_by_straight_lines_make_no_spikes(void** state) {
    (void)state;
    stage s;
    stage_open(&s, 30, false);
    double max = 0.6 * pow(2 * LIMBERI_PI, 2); // of the swing's second derivative
    for (double rate = 60; rate <= 240; rate *= 2) {
        double worst = 0;
        stage_start(&s);
        for (uint32_t i = 0; i <= (uint32_t)(2 * rate); i++) {
            push(&s, i / rate);
            run(&s);
            worst = fmax(worst, fabs((double)s.frame.motion->angular_acceleration[1].z));
        }
        assert_true(worst > 0.9 * max && worst < 1.1 * max);
        stage_stop(&s);
    }
    stage_close(&s);
}

// --- clocks that misbehave ---

static void play(stage* s, double from_s, double to_s, double rate) {
    for (uint32_t i = 0; from_s + i / rate < to_s; i++)
        push(s, from_s + i / rate);
}

static void a_pause_keeps_the_deformation(void** state) {
    (void)state;
    stage s;
    stage_open(&s, 1000, true);
    stage_start(&s);
    play(&s, 0, 1.2, 60);
    push(&s, 1.2);
    float* before = copied(&s, run(&s));
    assert_false(at_rest(&s));
    for (int i = 0; i < 100; i++)
        push(&s, 1.2);
    assert_true(same(&s, run(&s), before));
    assert_int_equal(limber_live_push(s.live, s.model->rig.rest_local, NULL, 1.2), LIMBER_OK);
    assert_false(at_rest(&s)); // another pose, the same motion
    free(before);
    stage_close(&s);
}

static void slow_motion_keeps_the_deformation(void** state) {
    (void)state;
    stage s;
    stage_open(&s, 2000, true);
    stage_start(&s);
    play(&s, 0, 1.35, 60);
    float* wanted = copied(&s, run(&s));
    stage_stop(&s);
    stage_start(&s);
    play(&s, 0, 1.3, 60);
    play(&s, 1.3, 1.33333, 30000); // a five-hundredth of the speed: steps of 33 microseconds
    push(&s, 80 / 60.0);
    assert_true(distance(&s, run(&s), wanted) < 0.01);
    assert_true(distance(&s, wanted, s.frame.skinned) > 0.05);
    free(wanted);
    stage_close(&s);
}

static void gaps_teleports_and_time_that_goes_back_start_at_rest(void** state) {
    (void)state;
    stage s;
    stage_open(&s, 1000, true);
    for (int kind = 0; kind < 4; kind++) {
        stage_start(&s);
        play(&s, 0, 1.2, 60);
        assert_false(at_rest(&s));
        sample(&s, 1.2);
        if (kind == 1)
            s.pose.local[0].translation.x += 0.6f * s.model->size;
        if (kind == 3)
            limber_live_reset(s.live);
        double time_s = kind == 0 ? 1.5 : kind == 2 ? 0.1 : 1.2;
        assert_int_equal(limber_live_push(s.live, s.pose.local, NULL, time_s), LIMBER_OK);
        assert_true(at_rest(&s));
        // ... and what follows is what a fresh stream would show.
        stage fresh = s;
        assert_int_equal(limber_live_create(s.pipeline, NULL, &fresh.live, NULL), LIMBER_OK);
        assert_int_equal(limber_live_push(fresh.live, s.pose.local, NULL, time_s), LIMBER_OK);
        float offset = kind == 1 ? 0.6f * s.model->size : 0;
        for (int i = 1; i < 20; i++) {
            sample(&s, 1.2 + i / 60.0);
            s.pose.local[0].translation.x += offset;
            assert_int_equal(limber_live_push(fresh.live, s.pose.local, NULL, time_s + i / 60.0), LIMBER_OK);
            float* wanted = copied(&s, run(&s));
            assert_int_equal(limber_live_push(s.live, s.pose.local, NULL, time_s + i / 60.0), LIMBER_OK);
            assert_true(same(&s, run(&s), wanted));
            free(wanted);
        }
        limber_live_destroy(fresh.live);
        stage_stop(&s);
    }
    stage_close(&s);
}

static uint32_t seed = 1;

static double random_between(double low, double high) {
    seed = seed * 1664525u + 1013904223u;
    return low + (high - low) * (seed >> 8) / 16777216.0;
}

// Steps from microseconds to seconds, back and forth: deformations stay within what the motion itself makes of them.
static void a_wild_clock_does_not_explode(void** state) {
    (void)state;
    stage s;
    stage_open(&s, 1000, true);
    stage_start(&s);
    double t = 0, worst = 0;
    for (int i = 0; i < 20000; i++) {
        t += pow(10, random_between(-6, -0.5)) * (random_between(0, 1) < 0.02 ? -1 : 1);
        push(&s, t);
        if (i % 10 == 0)
            worst = fmax(worst, moved(&s));
    }
    assert_true(worst > 0.01 && worst < 0.6);
    stage_close(&s);
}

static void numbers_that_are_not_finite_change_nothing(void** state) {
    (void)state;
    stage s;
    stage_open(&s, 1000, true);
    stage_start(&s);
    play(&s, 0, 0.7, 60);
    float* before = copied(&s, run(&s));
    sample(&s, 0.7);
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        limber_transform kept = s.pose.local[2];
        s.pose.local[2].rotation.y = bad[i];
        assert_int_equal(limber_live_push(s.live, s.pose.local, NULL, 0.7), LIMBER_ERROR_ARGUMENT);
        s.pose.local[2] = kept;
        assert_int_equal(limber_live_push(s.live, s.pose.local, NULL, (double)bad[i]), LIMBER_ERROR_ARGUMENT);
    }
    assert_true(same(&s, run(&s), before));
    push(&s, 0.7);
    assert_true(distance(&s, run(&s), before) < 0.2);
    free(before);
    stage_close(&s);
}

// --- several streams, other styles ---

static void streams_of_one_pipeline_do_not_see_each_other(void** state) {
    (void)state;
    stage s;
    stage_open(&s, 1000, true);
    stage_start(&s);
    play(&s, 0, 0.8, 60);
    float* alone = copied(&s, run(&s));
    stage_stop(&s);
    stage_start(&s);
    limber_live* other;
    assert_int_equal(limber_live_create(s.pipeline, NULL, &other, NULL), LIMBER_OK);
    for (uint32_t i = 0; i / 60.0 < 0.8; i++) {
        sample(&s, 3.1 - 1.7 * i / 60.0);
        assert_int_equal(limber_live_push(other, s.pose.local, NULL, 77 + i / 40.0), LIMBER_OK);
        push(&s, i / 60.0);
    }
    assert_true(same(&s, run(&s), alone));
    limber_live_destroy(other);
    free(alone);
    stage_close(&s);
}

// One second of each stream: positions and normals of all frames. A stream is the clip from a time on.
enum { STREAM_FRAMES = 40 };

static void show(stage* s, limber_live* live, double from_s, int frame, limber_frame* out) {
    sample(s, from_s + frame / 50.0);
    assert_int_equal(limber_live_evaluate(live, s->pose.local, s->pose.morph_weights, frame / 50.0, out), LIMBER_OK);
}

static float* stream_alone(stage* s, double from_s) {
    size_t numbers = 3 * (size_t)s->model->vertex_count;
    float *all = malloc(2 * STREAM_FRAMES * numbers * sizeof *all), *at = all;
    stage_start(s);
    for (int i = 0; i < STREAM_FRAMES; i++, at += 2 * numbers) {
        limber_frame frame;
        sample(s, from_s + i / 50.0);
        assert_int_equal(limber_live_push(s->live, s->pose.local, s->pose.morph_weights, i / 50.0), LIMBER_OK);
        limber_pipeline_evaluate_vertices(s->pipeline, &frame);
        memcpy(at, frame.positions, numbers * sizeof *at);
        memcpy(at + numbers, frame.normals, numbers * sizeof *at);
    }
    stage_stop(s);
    return all;
}

static void expect_frame(const stage* s, const limber_frame* frame, const float* alone, int index) {
    size_t numbers = 3 * (size_t)s->model->vertex_count, bytes = numbers * sizeof *alone;
    alone += 2 * (size_t)index * numbers;
    assert_memory_equal(frame->positions, alone, bytes);
    assert_memory_equal(frame->normals, alone + numbers, bytes);
}

// Two streams and a clip take turns on one pipeline; their frames are looked at when all have been made.
static void interleave(stage* s) {
    size_t bytes = 3 * sizeof(float) * s->model->vertex_count;
    float *a = stream_alone(s, 0), *b = stream_alone(s, 0.37);
    stage_start(s);
    limber_live* other;
    limber_frame first, second, clip, again;
    assert_int_equal(limber_live_create(s->pipeline, NULL, &other, NULL), LIMBER_OK);
    for (int i = 0; i < STREAM_FRAMES; i++) {
        show(s, s->live, 0, i, &first);
        if (i > STREAM_FRAMES / 2)
            assert_int_equal(limber_pipeline_evaluate(s->pipeline, 0, i / 50.0, &clip), LIMBER_OK);
        float* shown = i > STREAM_FRAMES / 2 ? copied(s, clip.positions) : NULL;
        show(s, other, 0.37, i, &second);
        expect_frame(s, &first, a, i);
        expect_frame(s, &second, b, i);
        assert_true(first.pose != second.pose && first.motion != second.motion && first.skinned != second.skinned);
        if (!shown)
            continue;
        assert_memory_equal(clip.positions, shown, bytes); // nobody wrote over it
        limber_pipeline_evaluate_vertices(s->pipeline, &again);
        assert_memory_equal(again.positions, shown, bytes); // and the pose is still there
        free(shown);
    }
    limber_live_destroy(other);
    stage_stop(s);
    free(a);
    free(b);
}

static void streams_make_frames_of_their_own(void** state) {
    (void)state;
    stage s;
    stage_open(&s, 100, true);
    interleave(&s);
    s.settings.skinning = LIMBER_SKINNING_DUALQUAT;
    s.settings.contacts.strength = 1;
    s.settings.contacts.floor = LIMBER_FLOOR_GIVEN;
    interleave(&s);
    stage_close(&s);
}

static void a_pose_that_is_not_finite_leaves_the_frame(void** state) {
    (void)state;
    stage s;
    stage_open(&s, 100, true);
    stage_start(&s);
    limber_frame frame;
    show(&s, s.live, 0, 1, &frame);
    float* before = copied(&s, frame.positions);
    s.pose.local[1].rotation.x = NAN;
    assert_int_equal(limber_live_evaluate(s.live, s.pose.local, NULL, 1, &frame), LIMBER_ERROR_ARGUMENT);
    assert_true(same(&s, frame.positions, before));
    free(before);
    stage_close(&s);
}

static void a_new_style_goes_on_with_the_motion_at_hand(void** state) {
    (void)state;
    stage s;
    stage_open(&s, 1000, true);
    stage_start(&s);
    play(&s, 0, 1, 60);
    limber_live *next, *stranger;
    limber_pipeline *pipeline = s.pipeline, *again;
    assert_int_equal(limber_pipeline_create_from_settings(s.asset, &s.settings, &again, NULL), LIMBER_OK);
    assert_int_equal(limber_live_create(again, s.live, &next, NULL), LIMBER_OK);
    push(&s, 1);
    float* wanted = copied(&s, run(&s));
    limber_live_destroy(s.live);
    limber_pipeline_destroy(pipeline);
    s.pipeline = again;
    s.live = next;
    push(&s, 1);
    assert_true(same(&s, run(&s), wanted));
    limber_asset* other = test_tube_create(3, 1, 30, true);
    assert_int_equal(limber_pipeline_create(other, NULL, &pipeline, NULL), LIMBER_OK);
    assert_int_equal(limber_live_create(pipeline, s.live, &stranger, NULL), LIMBER_ERROR_ARGUMENT);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(other);
    free(wanted);
    stage_close(&s);
}

static void formulas_see_the_time_since_the_first_pose(void** state) {
    (void)state;
    stage s;
    limber_expression* formula;
    stage_open(&s, 1000, false);
    assert_int_equal(limber_expression_create("0.1 * step(0.5, t) * step(14.9, frame)", NULL, &formula, NULL),
                     LIMBER_OK);
    s.settings = limber_stage_settings_default();
    s.settings.deform.effects[LIMBER_EFFECT_FLOPPY].angular.expression = formula;
    stage_start(&s);
    play(&s, 100, 100.3, 60);
    push(&s, 100.3);
    assert_true(at_rest(&s));
    play(&s, 100.3, 100.7, 60);
    push(&s, 100.7);
    assert_false(at_rest(&s));
    limber_live_reset(s.live);
    play(&s, 100.7, 100.9, 60);
    assert_true(at_rest(&s));
    stage_close(&s);
    limber_expression_destroy(formula);
}

// --- smears ---

static void live_smears_are_those_of_the_deformed_frames(void** state) {
    (void)state;
    stage s;
    stage_open(&s, 1000, true);
    s.settings.smear.elongate.amount.value = -1.5f;
    s.settings.smear.multiples.past = 2;
    stage_start(&s);
    limber_smear_live* by_hand;
    limber_smeared smeared;
    assert_int_equal(limber_smear_live_create(s.asset, &s.settings.smear, NULL, &by_hand, NULL), LIMBER_OK);
    assert_int_equal(limber_live_evaluate_smeared(s.live, &smeared), LIMBER_ERROR_ARGUMENT); // nothing was pushed
    size_t numbers = 3 * (size_t)s.model->vertex_count;
    float* wanted = malloc(numbers * sizeof *wanted);
    double moved = 0;
    for (uint32_t i = 0; i < 60; i++) {
        push(&s, i / 60.0);
        run(&s);
        limber_smear_live_push(by_hand, s.frame.positions, s.frame.normals, s.frame.pose, i / 60.0);
        assert_int_equal(limber_smear_live_evaluate(by_hand, wanted, NULL), LIMBER_OK);
        assert_int_equal(limber_live_evaluate_smeared(s.live, &smeared), LIMBER_OK);
        assert_true(same(&s, smeared.frame.positions, wanted));
        assert_int_equal(smeared.mesh_count, 2);
        assert_memory_equal(smeared.meshes[1].positions, limber_smear_live_mesh(by_hand, 1)->positions,
                            numbers * sizeof(float));
        moved = fmax(moved, distance(&s, smeared.frame.positions, smeared.deformed));
    }
    assert_true(moved > 0.01);
    free(wanted);
    limber_smear_live_destroy(by_hand);
    stage_close(&s);
}

// --- memory ---

static void pushes_take_no_memory(void** state) {
    (void)state;
    stage s;
    limber_smeared smeared;
    stage_open(&s, 100, true);
    s.settings.smear.elongate.amount.value = -1;
    stage_start(&s);
    assert_int_equal(limber_live_set_smears(s.live, NULL, NULL), LIMBER_OK);
    test_memory_forget();
    for (uint32_t i = 0; i < 300; i++) {
        push(&s, i / 60.0);
        assert_int_equal(limber_live_evaluate_smeared(s.live, &smeared), LIMBER_OK);
    }
    limber_live_reset(s.live);
    push(&s, 9);
    assert_int_equal(test_memory_taken_count(), 0);
    stage_close(&s);
}

static void memory_that_runs_short_is_an_error(void** state) {
    (void)state;
    stage s;
    stage_open(&s, 100, true);
    s.settings.smear.elongate.amount.value = -1;
    stage_start(&s);
    limber_live_destroy(s.live);
    s.live = NULL;
    limber_result result = LIMBER_ERROR_MEMORY;
    long steps = 0;
    for (; result && steps < 200; steps++) {
        limber_live* live = NULL;
        test_memory_allow(steps);
        result = limber_live_create(s.pipeline, NULL, &live, NULL);
        if (!result)
            result = limber_live_set_smears(live, NULL, NULL);
        if (!result)
            result = limber_live_evaluate(live, s.pose.local, NULL, 0, &s.frame);
        assert_int_equal(result, test_memory_end() ? LIMBER_ERROR_MEMORY : LIMBER_OK);
        limber_live_destroy(live);
    }
    assert_true(steps > 10 && result == LIMBER_OK);
    stage_close(&s);
}

// The first second of a character's clips, played live: on average as far from the skinned character as the clip's own
// evaluation.
static void characters_play_live(void** state) {
    (void)state;
    for (uint32_t c = 0; c < 3; c += 2) { // ball, cylinder
        limber_error error;
        stage s;
        memset(&s, 0, sizeof s);
        if (limberi_character_create(limberi_character_at(c)->name, 0.5, &s.asset, &error) != LIMBER_OK)
            fail_msg("%s", error.message);
        s.model = limber_asset_model(s.asset);
        s.settings = test_everything(s.model);
        assert_int_equal(limber_pose_create(s.model, &s.pose), LIMBER_OK);
        stage_start(&s);
        for (uint32_t k = 0; k < s.model->clip_count; k++) {
            const limber_clip* clip = &s.model->clips[k];
            double live = 0, exact = 0, frames = 0;
            limber_live_reset(s.live);
            for (int i = 0; i < 60; i++) {
                limber_frame frame;
                double t = clip->start_s + i / 60.0;
                limber_clip_sample(s.model, clip, t, &s.pose);
                assert_int_equal(limber_live_push(s.live, s.pose.local, s.pose.morph_weights, t), LIMBER_OK);
                if (i % 6)
                    continue;
                live += moved(&s);
                assert_int_equal(limber_pipeline_evaluate(s.pipeline, (int32_t)k, t, &frame), LIMBER_OK);
                exact += distance(&s, frame.positions, frame.skinned);
                frames++;
            }
            if (!(fabs(live - exact) < 0.5 * exact + 0.003 * frames))
                fail_msg("%s, %s: %g instead of %g", limberi_character_at(c)->name, clip->name, live / frames,
                         exact / frames);
        }
        stage_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(live_converges_to_the_clip_as_steps_shrink),
        cmocka_unit_test(live_hardly_depends_on_the_rate_of_poses),
        cmocka_unit_test(uneven_steps_are_as_strong_as_the_clip),
        cmocka_unit_test(keys_joined_by_straight_lines_make_no_spikes),
        cmocka_unit_test(a_pause_keeps_the_deformation),
        cmocka_unit_test(slow_motion_keeps_the_deformation),
        cmocka_unit_test(gaps_teleports_and_time_that_goes_back_start_at_rest),
        cmocka_unit_test(a_wild_clock_does_not_explode),
        cmocka_unit_test(numbers_that_are_not_finite_change_nothing),
        cmocka_unit_test(streams_of_one_pipeline_do_not_see_each_other),
        cmocka_unit_test(streams_make_frames_of_their_own),
        cmocka_unit_test(a_pose_that_is_not_finite_leaves_the_frame),
        cmocka_unit_test(a_new_style_goes_on_with_the_motion_at_hand),
        cmocka_unit_test(formulas_see_the_time_since_the_first_pose),
        cmocka_unit_test(live_smears_are_those_of_the_deformed_frames),
        cmocka_unit_test(pushes_take_no_memory),
        cmocka_unit_test(memory_that_runs_short_is_an_error),
        cmocka_unit_test(characters_play_live),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
