// Smears without a clip: what a clip would show that ends with the current frame.
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
#include <limber/limber.h>
#include <limber/stages/stages.h>

// --- a character, and live smears of it ---

typedef struct stage {
    limber_asset* asset;
    const limber_model* model;
    limber_expression* amount;
    limber_stage_settings settings;
    limber_smear_live_settings live_settings;
    limber_smear_live* live;
    size_t numbers;
    float *positions, *offsets; // of the last evaluation
} stage;

static void stage_allocate(stage* s, limber_asset* asset, const char* amount) {
    limber_error error;
    memset(s, 0, sizeof *s);
    s->asset = asset;
    s->model = limber_asset_model(asset);
    s->settings = limber_stage_settings_default();
    s->live_settings = limber_smear_live_settings_default();
    if (limber_expression_create(amount, NULL, &s->amount, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    s->settings.smear.elongate.amount.expression = s->amount;
    s->settings.smear.elongate.future.value = 0;
    s->numbers = 3 * (size_t)s->model->vertex_count;
    s->positions = calloc(s->numbers + 1, sizeof(float));
    s->offsets = calloc((size_t)s->model->vertex_count + 1, sizeof(float));
}

static void stage_open(stage* s, const char* character, const char* amount) {
    limber_error error;
    limber_asset* asset;
    if (limberi_character_create(character, 0.5, &asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    stage_allocate(s, asset, amount);
}

static void stage_start(stage* s) {
    limber_error error;
    limber_smear_live_destroy(s->live);
    if (limber_smear_live_create(s->asset, &s->settings.smear, &s->live_settings, &s->live, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
}

static void stage_close(stage* s) {
    limber_smear_live_destroy(s->live);
    limber_expression_destroy(s->amount);
    limber_asset_destroy(s->asset);
    free(s->positions);
    free(s->offsets);
}

static void evaluate(stage* s) {
    assert_int_equal(limber_smear_live_evaluate(s->live, s->positions, s->offsets), LIMBER_OK);
}

static double distance(const float* a, const float* b, size_t count) {
    double worst = 0;
    for (size_t i = 0; i < count; i++)
        worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
    return worst;
}

// --- against clips ---

static const char* const coarse_names[] = {"ball", "giraffe"};
static limber_asset* coarse[2]; // made once: modelling them takes longer than anything else here

static const limber_asset* coarse_character(const char* name) {
    uint32_t at = strcmp(name, coarse_names[0]) == 0 ? 0 : 1;
    limber_error error;
    if (!coarse[at] && limberi_character_create(coarse_names[at], 0.5, &coarse[at], &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return coarse[at];
}

// The same character with a clip that ends with frame `last` (at 30 a second).
static limber_asset* cut_asset(const limber_asset* asset, int32_t clip, uint32_t last) {
    limber_model model = *limber_asset_model(asset);
    limber_clip cut = model.clips[clip];
    limber_channel* channels = calloc(cut.channel_count, sizeof *channels);
    double end_s = limber_clip_frame_time(&cut, 30, last) + 1e-4;
    for (uint32_t c = 0; c < cut.channel_count; c++) {
        channels[c] = cut.channels[c];
        while (channels[c].key_count > 1 && (double)channels[c].times[channels[c].key_count - 1] > end_s)
            channels[c].key_count--;
    }
    cut.channels = channels;
    cut.camera_channel_count = 0;
    model.clips = &cut;
    model.clip_count = 1;
    limber_asset* made;
    limber_error error;
    if (limber_asset_create(&model, &made, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    free(channels);
    return made;
}

static void check_copies(const stage* s, const limber_smeared* clip, double within) {
    assert_int_equal(limber_smear_live_mesh_count(s->live), clip->mesh_count);
    for (uint32_t i = 0; i < clip->mesh_count; i++) {
        const limber_smear_mesh *a = limber_smear_live_mesh(s->live, i), *b = &clip->meshes[i];
        assert_int_equal(a->visible, b->visible);
        assert_int_equal(a->number, b->number);
        assert_true(distance(a->positions, b->positions, 3 * (size_t)a->vertex_count) <= within);
        assert_true(distance(a->normals, b->normals, 3 * (size_t)a->vertex_count) <= 1e-5);
        assert_true(distance(a->colors, b->colors, 4 * (size_t)a->vertex_count) <= 1e-5);
    }
}

// Pushes all frames of a clip that is cut off after `last`, and compares with what the pipeline makes of its end.
static double compare_with_clip(const char* character, const char* clip_name, uint32_t last, const char* amount,
                                uint32_t smooth) {
    const limber_asset* whole = coarse_character(character);
    limber_error error;
    int32_t clip = limber_model_find_clip(limber_asset_model(whole), clip_name);
    assert_true(clip >= 0);
    stage s;
    stage_allocate(&s, cut_asset(whole, clip, last), amount);
    s.settings.deform.effects[LIMBER_EFFECT_SQUASH].linear.value = 0.1f; // smears come after effects
    s.settings.smear.offsets.smooth = smooth;
    s.settings.smear.multiples.past = 2;
    s.settings.smear.lines.count = 12;
    s.settings.smear.lines.standard_length = false;
    s.settings.smear.lines.length.value = -3;
    s.settings.motion.loop = LIMBER_LOOP_NEVER;
    stage_start(&s);
    limber_pipeline* pipeline;
    if (limber_pipeline_create_from_settings(s.asset, &s.settings, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    const limber_clip* moves = &s.model->clips[0];
    for (uint32_t f = 0; f <= last; f++) {
        limber_frame frame;
        double time_s = limber_clip_frame_time(moves, 30, f);
        assert_int_equal(limber_pipeline_evaluate(pipeline, 0, time_s, &frame), LIMBER_OK);
        limber_smear_live_push(s.live, frame.positions, frame.normals, frame.pose, f / 30.0);
    }
    evaluate(&s);
    limber_smeared smeared;
    double end_s = limber_clip_frame_time(moves, 30, last);
    assert_int_equal(limber_pipeline_evaluate_smeared(pipeline, 0, end_s, 30, &smeared), LIMBER_OK);
    double within = 2e-6 * (double)s.model->size, offsets = distance(s.offsets, smeared.offsets, s.model->vertex_count);
    double moved = distance(smeared.frame.positions, smeared.deformed, s.numbers);
    double off = distance(s.positions, smeared.frame.positions, s.numbers);
    if (off > within || offsets > 2e-6)
        fail_msg("%s %s up to frame %u: off by %g, offsets by %g", character, clip_name, last, off, offsets);
    check_copies(&s, &smeared, within);
    limber_pipeline_destroy(pipeline);
    stage_close(&s);
    return moved;
}

static void live_is_what_the_end_of_a_clip_shows(void** state) {
    (void)state;
    double moved = 0;
    for (uint32_t last = 0; last < 40; last += 5)
        moved = fmax(moved, compare_with_clip("ball", "dash-stop", last, "offset", 0));
    assert_true(moved > 0.01);
    for (uint32_t last = 1; last < 40; last += 9) {
        compare_with_clip("ball", "dash-stop", last, "3.4 * offset", 2);
        assert_true(compare_with_clip("giraffe", "walk", last, "20 * offset * speed", 2) > 0);
    }
}

static void live_smooths_over_as_many_frames_as_clips_do(void** state) {
    (void)state;
    for (uint32_t smooth = 1; smooth <= 16; smooth += 5)
        compare_with_clip("giraffe", "walk", 20, "offset", smooth);
}

// --- a ball pushed by hand ---

typedef struct hand {
    limber_pose pose;
    float *rest, *moved;
} hand;

static void hand_open(const stage* s, hand* h) {
    assert_int_equal(limber_pose_create(s->model, &h->pose), LIMBER_OK);
    h->rest = calloc(s->numbers + 1, sizeof(float));
    h->moved = calloc(s->numbers + 1, sizeof(float));
    for (uint32_t m = 0; m < s->model->mesh_count; m++)
        limber_mesh_rest_positions(s->model, &s->model->meshes[m],
                                   h->rest + 3 * (size_t)s->model->meshes[m].first_vertex);
}

static void hand_close(hand* h) {
    limber_pose_destroy(&h->pose);
    free(h->rest);
    free(h->moved);
}

// The whole character moved by x.
static void push_at(stage* s, hand* h, float x, double time_s) {
    limber_pose_rest(s->model, &h->pose);
    limber_pose_update_world(s->model, &h->pose);
    for (uint32_t j = 0; j < s->model->rig.joint_count; j++)
        h->pose.world_from_joint[j].m[12] += x;
    for (size_t i = 0; i < s->numbers; i++)
        h->moved[i] = h->rest[i] + (i % 3 == 0 ? x : 0);
    limber_smear_live_push(s->live, h->moved, NULL, &h->pose, time_s);
}

static void a_still_character_is_unchanged(void** state) {
    (void)state;
    stage s;
    hand h;
    stage_open(&s, "ball", "5 * offset");
    s.settings.smear.multiples.past = 3;
    stage_start(&s);
    hand_open(&s, &h);
    const double times[] = {0, 0.01, 0.05, 0.0501, 0.1, 0.2, 0.21, 0.4, 0.41};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        push_at(&s, &h, 0.3f, times[i]);
        evaluate(&s);
        assert_memory_equal(s.positions, h.moved, s.numbers * sizeof(float));
        for (uint32_t u = 0; u < s.model->vertex_count; u++)
            assert_true(s.offsets[u] == 0);
        for (uint32_t m = 0; m < limber_smear_live_mesh_count(s.live); m++)
            assert_false(limber_smear_live_mesh(s.live, m)->visible);
    }
    hand_close(&h);
    stage_close(&s);
}

// Steady motion, seen at moments that are not its frames: the same smear.
static void smears_do_not_depend_on_the_rate_of_pushes(void** state) {
    (void)state;
    stage s;
    hand h;
    stage_open(&s, "ball", "30 * offset * speed");
    s.settings.smear.multiples.past = 3;
    stage_start(&s);
    hand_open(&s, &h);
    const float speed = 3 * s.model->size; // a second
    float* wanted = calloc(s.numbers, sizeof *wanted);
    const double steps_s[] = {1 / 30.0, 1 / 60.0, 1 / 144.0, 1 / 400.0, 0.011, 0.021, 0.045, 0};
    for (size_t i = 0; i < sizeof steps_s / sizeof steps_s[0]; i++) {
        limber_smear_live_reset(s.live);
        double time_s = 0;
        for (uint32_t k = 0; time_s < 0.999; k++) {
            push_at(&s, &h, speed * (float)time_s, time_s);
            time_s += steps_s[i] > 0 ? steps_s[i] : 0.004 + 0.03 * fabs(sin(k)); // last: as it comes
        }
        push_at(&s, &h, speed, 1);
        evaluate(&s);
        if (i == 0)
            memcpy(wanted, s.positions, s.numbers * sizeof *wanted);
        assert_true(distance(wanted, h.moved, s.numbers) > 0.1 * (double)s.model->size);
        if (distance(wanted, s.positions, s.numbers) > 1e-4 * (double)s.model->size)
            fail_msg("steps of %g s: off by %g", steps_s[i], distance(wanted, s.positions, s.numbers));
    }
    free(wanted);
    hand_close(&h);
    stage_close(&s);
}

// Faster and faster, pushed 60 times a second up to `last`.
static void speed_up(stage* s, hand* h, uint32_t last) {
    limber_smear_live_reset(s->live);
    for (uint32_t k = 0; k <= last; k++)
        push_at(s, h, s->model->size * (float)(k * k) / 1000, k / 60.0);
    evaluate(s);
}

// On twos the pose of frame 20 is shown for two frames, with smears that are twice as long.
static void poses_are_held(void** state) {
    (void)state;
    stage s, twice;
    hand h;
    stage_open(&s, "ball", "offset");
    stage_open(&twice, "ball", "2 * offset");
    s.settings.smear.step = 2;
    stage_start(&s);
    stage_start(&twice);
    hand_open(&s, &h);
    speed_up(&twice, &h, 40);
    for (uint32_t k = 40; k < 46; k++) {
        speed_up(&s, &h, k);
        double off = distance(s.positions, twice.positions, s.numbers) / (double)s.model->size;
        assert_true(k < 44 ? off < 1e-6 : off > 0.01);
        assert_true(limber_smear_live_moved(s.live));
    }
    hand_close(&h);
    stage_close(&s);
    stage_close(&twice);
}

static void run_up(stage* s, hand* h, float speed, double* time_s) {
    limber_smear_live_reset(s->live);
    for (uint32_t f = 0; f < 10; f++) {
        *time_s = 5 + f / 30.0;
        push_at(s, h, speed * (float)f, *time_s);
    }
    evaluate(s);
    assert_true(limber_smear_live_moved(s->live));
    assert_true(distance(s->positions, h->moved, s->numbers) > 0);
}

static void expect_fresh_start(stage* s, const hand* h) {
    evaluate(s);
    assert_memory_equal(s->positions, h->moved, s->numbers * sizeof(float));
    assert_false(limber_smear_live_moved(s->live));
}

static void pauses_gaps_and_teleports(void** state) {
    (void)state;
    stage s;
    hand h;
    double time_s;
    stage_open(&s, "ball", "2 * offset");
    stage_start(&s);
    hand_open(&s, &h);
    float size = s.model->size, speed = 0.05f * size;
    float* before = calloc(s.numbers, sizeof *before);
    run_up(&s, &h, speed, &time_s);
    memcpy(before, s.positions, s.numbers * sizeof *before);
    push_at(&s, &h, 9 * speed, time_s); // a pause
    evaluate(&s);
    assert_memory_equal(before, s.positions, s.numbers * sizeof *before);
    push_at(&s, &h, 10 * speed, time_s - 0.1); // back in time
    expect_fresh_start(&s, &h);
    run_up(&s, &h, speed, &time_s);
    push_at(&s, &h, 10 * speed, time_s + 0.2); // a gap that is a slow frame
    evaluate(&s);
    assert_true(limber_smear_live_moved(s.live));
    run_up(&s, &h, speed, &time_s);
    push_at(&s, &h, 10 * speed, time_s + 0.3);
    expect_fresh_start(&s, &h);
    run_up(&s, &h, speed, &time_s);
    push_at(&s, &h, 10 * speed, (double)NAN);
    expect_fresh_start(&s, &h);
    run_up(&s, &h, speed, &time_s);
    push_at(&s, &h, 9 * speed + 0.6f * size, time_s + 1 / 30.0); // put elsewhere
    expect_fresh_start(&s, &h);
    push_at(&s, &h, 10 * speed + 0.6f * size, time_s + 2 / 30.0);
    evaluate(&s);
    assert_true(limber_smear_live_moved(s.live)); // and it goes on from there
    run_up(&s, &h, 0.6f * size, &time_s);         // fast from the second frame on is a motion
    free(before);
    hand_close(&h);
    stage_close(&s);
}

static void paths_end_with_the_history(void** state) {
    (void)state;
    stage s;
    hand h;
    stage_open(&s, "ball", "-20");
    s.live_settings.history = 3;
    stage_start(&s);
    hand_open(&s, &h);
    for (uint32_t f = 0; f < 100; f++)
        push_at(&s, &h, 0.1f * (float)f, f / 30.0);
    evaluate(&s);
    float back = h.moved[0] - s.positions[0];
    assert_true(back > 0.299f && back < 0.401f);
    hand_close(&h);
    stage_close(&s);
}

// Nobody knows where it will be.
static void lines_do_not_run_ahead(void** state) {
    (void)state;
    for (int ahead = 0; ahead < 2; ahead++) {
        stage s;
        hand h;
        stage_open(&s, "ball", "0");
        s.settings.smear.lines.count = 40;
        s.settings.smear.lines.standard_length = false;
        s.settings.smear.lines.length.value = ahead ? 6 : -6;
        stage_start(&s);
        hand_open(&s, &h);
        for (uint32_t f = 0; f < 20; f++)
            push_at(&s, &h, 0.1f * (float)f, f / 30.0);
        evaluate(&s);
        assert_int_equal(limber_smear_live_mesh_count(s.live), 1);
        assert_true(limber_smear_live_mesh(s.live, 0)->visible == !ahead);
        hand_close(&h);
        stage_close(&s);
    }
}

// --- memory ---

static void memory_is_bounded_and_taken_once(void** state) {
    (void)state;
    stage s;
    hand h;
    stage_open(&s, "ball", "2 * offset");
    hand_open(&s, &h);
    size_t vertices = s.model->vertex_count, joints = s.model->rig.joint_count;
    const uint32_t histories[] = {1, 8, 32};
    for (size_t i = 0; i < 3; i++) {
        for (uint32_t copies = 0; copies < 3; copies += 2) {
            s.live_settings.history = histories[i];
            s.settings.smear.multiples.past = copies;
            test_memory_forget();
            stage_start(&s);
            size_t history = histories[i] < 2 ? 2 : histories[i],
                   bytes = limber_smear_live_bytes(s.live); // smoothing: 2
            size_t frames = 3 * history + 8, per_vertex = 12 * frames * (copies ? 2 : 1) + 4 * 4 + 8 + 20 + 40 * copies;
            size_t stated = vertices * per_vertex + joints * 52 * frames;
            assert_true(bytes <= test_memory_taken_bytes()); // what it took for a while and gave back counts there
            assert_true(bytes > stated && bytes < stated + stated / 10 + 400 * 1024);
            test_memory_forget();
            for (uint32_t f = 0; f < 80; f++) {
                push_at(&s, &h, 0.1f * (float)f, f / 30.0 + 0.01 * sin(f));
                evaluate(&s);
            }
            assert_int_equal(test_memory_taken_count(), 0);
            assert_int_equal(limber_smear_live_bytes(s.live), bytes);
        }
    }
    hand_close(&h);
    stage_close(&s);
}

static void each_failing_allocation_is_reported(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "ball", "2 * offset");
    long failures = 0;
    for (bool done = false; !done; failures++) {
        limber_error error;
        limber_smear_live* live;
        test_memory_allow(failures);
        limber_result result = limber_smear_live_create(s.asset, &s.settings.smear, NULL, &live, &error);
        done = !test_memory_end();
        assert_int_equal(result, done ? LIMBER_OK : LIMBER_ERROR_MEMORY);
        assert_true((live != NULL) == done);
        limber_smear_live_destroy(live);
    }
    assert_true(failures > 4);
    stage_close(&s);
}

static void what_makes_no_sense_is_refused(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "ball", "offset");
    limber_smear_live* live;
    limber_error error;
    s.live_settings.fps = 0;
    assert_int_equal(limber_smear_live_create(s.asset, NULL, &s.live_settings, &live, &error), LIMBER_ERROR_ARGUMENT);
    s.live_settings.fps = 30;
    s.live_settings.history = 33;
    assert_int_equal(limber_smear_live_create(s.asset, NULL, &s.live_settings, &live, &error), LIMBER_ERROR_LIMIT);
    assert_int_equal(limber_smear_live_create(NULL, NULL, NULL, &live, &error), LIMBER_ERROR_ARGUMENT);
    limber_smear_live_destroy(NULL);
    s.live_settings.history = 4;
    stage_start(&s);
    assert_int_equal(limber_smear_live_evaluate(s.live, s.positions, NULL), LIMBER_ERROR_ARGUMENT);
    hand h;
    hand_open(&s, &h);
    push_at(&s, &h, 0, 0);
    assert_int_equal(limber_smear_live_evaluate(s.live, s.positions, NULL), LIMBER_OK);
    limber_smear_live_reset(s.live);
    assert_int_equal(limber_smear_live_evaluate(s.live, s.positions, NULL), LIMBER_ERROR_ARGUMENT);
    hand_close(&h);
    stage_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(live_is_what_the_end_of_a_clip_shows),
        cmocka_unit_test(live_smooths_over_as_many_frames_as_clips_do),
        cmocka_unit_test(a_still_character_is_unchanged),
        cmocka_unit_test(smears_do_not_depend_on_the_rate_of_pushes),
        cmocka_unit_test(poses_are_held),
        cmocka_unit_test(pauses_gaps_and_teleports),
        cmocka_unit_test(paths_end_with_the_history),
        cmocka_unit_test(lines_do_not_run_ahead),
        cmocka_unit_test(memory_is_bounded_and_taken_once),
        cmocka_unit_test(each_failing_allocation_is_reported),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    limber_asset_destroy(coarse[0]);
    limber_asset_destroy(coarse[1]);
    return failed;
}
