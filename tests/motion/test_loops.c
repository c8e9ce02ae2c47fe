// Which clips are loops, and that their seams are as smooth as the rest: clips cut out of endless motions have the
// derivatives of these, filtered or not.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asset/clip.h"
#include "base/math.h"
#include "base/turns.h"
#include "kit/models.h"
#include "motion/kinematics.h"

enum { RATE = 240, JOINTS = 3, PATHS = 4 };

// A tube that walks: its root travels, turns, bobs and tilts, the second joint swings.
typedef struct walk {
    double turns;            // how many the clip has; one takes a second
    double yaw_deg, speed;   // per turn
    double bob, tilt_deg;    // of the root
    double swing_deg;        // of the second joint
    double drift_deg, stray; // what the second joint is off after one turn
    double lean_deg;         // and the root, forward
    double scale;            // and how much larger it is
    double fall;             // height lost by the root, faster and faster
    bool starts_with_t_pose;
} walk;

static const walk in_place = {.turns = 1, .bob = 0.1, .tilt_deg = 10, .swing_deg = 40};

static double radians(double deg) {
    return deg * LIMBERI_PI / 180;
}

static void turn_about(double x, double y, double z, double angle, double* q) {
    const double vector[3] = {x * angle, y * angle, z * angle};
    limberi_turn_exp(vector, 1, q);
}

// Around a circle when it turns, straight on when it does not.
static void root_at(const walk* w, double t, double* place, double* turn) {
    double yaw[4], tilt[4], phase = 2 * LIMBERI_PI * t, angle = radians(w->yaw_deg);
    turn_about(0, 1, 0, angle * t, yaw);
    turn_about(1, 0, 0, radians(w->tilt_deg) * sin(phase), tilt);
    double lean[4], upright[4];
    turn_about(1, 0, 0, radians(w->lean_deg) * t, lean);
    limberi_turn_mul(yaw, tilt, upright);
    limberi_turn_mul(lean, upright, turn);
    double from_middle[3] = {w->yaw_deg != 0 ? w->speed / angle : 0, 0, 0};
    limberi_turn_rotate(yaw, from_middle, place);
    if (w->yaw_deg == 0)
        place[2] += w->speed * t;
    place[1] += w->bob * cos(2 * phase) - w->fall * t * t;
}

static void limb_at(const walk* w, double t, double* place, double* turn) {
    double swing[4], roll[4], both[4], drift[4], phase = 2 * LIMBERI_PI * t;
    turn_about(0, 0, 1, radians(w->swing_deg) * sin(phase + 0.3), swing);
    turn_about(0, 1, 0, radians(0.4 * w->swing_deg) * cos(phase), roll);
    limberi_turn_mul(swing, roll, both);
    turn_about(0.6, 0, 0.8, radians(w->drift_deg) * (t - 0.5), drift);
    limberi_turn_mul(drift, both, turn);
    place[0] = w->stray * t;
    place[1] = 1;
    place[2] = 0;
}

static void set_keys(const walk* w, uint32_t key, float* const* values) {
    double place[3], turn[4], t = (double)key / RATE;
    root_at(w, t, place, turn);
    for (int i = 0; i < 3; i++)
        values[0][3 * key + (uint32_t)i] = (float)place[i];
    for (int i = 0; i < 4; i++)
        values[1][4 * key + (uint32_t)i] = (float)turn[i];
    limb_at(w, t, place, turn);
    if (w->starts_with_t_pose && key == 0)
        turn_about(1, 0, 0, 2.5, turn);
    for (int i = 0; i < 3; i++)
        values[2][3 * key + (uint32_t)i] = (float)place[i];
    for (int i = 0; i < 4; i++)
        values[3][4 * key + (uint32_t)i] = (float)turn[i];
    for (int i = 0; i < 3; i++)
        values[4][3 * key + (uint32_t)i] = (float)(1 + w->scale * t / w->turns);
}

static limber_asset* make_walk(const walk* w) {
    uint32_t keys = (uint32_t)(w->turns * RATE) + 1;
    const uint32_t widths[5] = {3, 4, 3, 4, 3}, joints[5] = {0, 0, 1, 1, 1};
    const limber_channel_path paths[5] = {LIMBER_CHANNEL_TRANSLATION, LIMBER_CHANNEL_ROTATION,
                                          LIMBER_CHANNEL_TRANSLATION, LIMBER_CHANNEL_ROTATION, LIMBER_CHANNEL_SCALE};
    float *times = malloc(keys * sizeof *times), *values[5];
    limber_channel channels[5];
    for (int c = 0; c < 5; c++) {
        values[c] = malloc((size_t)keys * widths[c] * sizeof(float));
        const limber_channel channel = {paths[c], LIMBER_INTERPOLATION_LINEAR, joints[c], keys, times, values[c]};
        channels[c] = channel;
    }
    for (uint32_t k = 0; k < keys; k++) {
        times[k] = (float)k / RATE;
        set_keys(w, k, values);
    }
    limber_asset *tube = test_tube_create(JOINTS, 1, 30, true), *asset;
    limber_model model = *limber_asset_model(tube);
    limber_clip clip;
    memset(&clip, 0, sizeof clip);
    clip.name = "walk";
    clip.channel_count = 5;
    clip.channels = channels;
    model.clips = &clip;
    limber_error error;
    if (limber_asset_create(&model, &asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    limber_asset_destroy(tube);
    for (int c = 0; c < 5; c++)
        free(values[c]);
    free(times);
    return asset;
}

static limber_clip facts_of(const walk* w) {
    limber_asset* asset = make_walk(w);
    limber_clip clip = limber_asset_model(asset)->clips[0];
    limber_asset_destroy(asset);
    return clip;
}

// --- the rule ---

static void a_clip_that_ends_as_it_starts_loops(void** state) {
    (void)state;
    limber_clip clip = facts_of(&in_place);
    assert_true(clip.loops && !clip.travels && clip.loop.ends == LIMBER_ENDS_MEET && clip.loop.seam_count == 0);
    assert_true(limberi_clip_closes(&clip));
    walk still = {.turns = 1};
    assert_true(facts_of(&still).loops);
}

static void small_gaps_are_seams_and_large_ones_ends(void** state) {
    (void)state;
    walk w = in_place;
    w.drift_deg = 5;
    limber_clip clip = facts_of(&w);
    assert_true(clip.loops && !clip.travels && clip.loop.seam_count == 1 && clip.loop.joint == 1);
    assert_true(fabs(clip.loop.gap_rad - radians(5)) < 1e-4 && !limberi_clip_closes(&clip));
    w.drift_deg = 12;
    clip = facts_of(&w);
    assert_true(!clip.loops && clip.loop.ends == LIMBER_ENDS_JOINT_OFF && clip.loop.joint == 1);
    assert_true(fabs(clip.loop.gap_rad - radians(12)) < 1e-4);
    w.drift_deg = 0;
    w.stray = 0.01; // L is 2.1
    assert_true(facts_of(&w).loops);
    w.stray = 0.06;
    assert_false(facts_of(&w).loops);
    w.stray = 0;
    w.scale = 0.01;
    assert_true(facts_of(&w).loops);
    w.scale = 0.1;
    assert_true(facts_of(&w).loop.ends == LIMBER_ENDS_SCALE_OFF);
}

static void a_walk_that_travels_and_turns_loops(void** state) {
    (void)state;
    walk w = in_place;
    w.speed = 3;
    limber_clip clip = facts_of(&w);
    assert_true(clip.loops && clip.travels && clip.loop.root == 0 && !limberi_clip_closes(&clip));
    assert_true(fabsf(clip.loop.travel.z - 3) < 1e-5f && fabs(clip.loop.yaw_rad) < 1e-6);
    w.yaw_deg = -30;
    clip = facts_of(&w);
    assert_true(clip.loops && clip.travels && fabs(clip.loop.yaw_rad - radians(-30)) < 1e-5);
    assert_true(clip.loop.seam_count == 0 && clip.loop.gap_rad < 1e-5);
    w.drift_deg = 12; // the arm does not come back: no part of this is taken out
    clip = facts_of(&w);
    assert_true(!clip.loops && !clip.travels && clip.loop.root == -1 && clip.loop.joint == 1);
}

static void what_only_travels_is_no_cycle(void** state) {
    (void)state;
    walk ball = {.turns = 1, .fall = 3, .speed = 1};
    limber_clip clip = facts_of(&ball);
    assert_true(!clip.loops && clip.loop.ends == LIMBER_ENDS_TRAVEL_ONLY);
    walk turntable = {.turns = 1, .yaw_deg = 90};
    assert_true(facts_of(&turntable).loop.ends == LIMBER_ENDS_TRAVEL_ONLY);
    walk hop = {.turns = 1, .bob = 0.3, .speed = 1};
    clip = facts_of(&hop);
    assert_true(clip.loops && clip.travels);
    walk wobble = {.turns = 1, .tilt_deg = 20, .speed = 1};
    assert_true(facts_of(&wobble).loops);
}

static void a_pose_put_before_a_walk_is_part_of_the_clip(void** state) {
    (void)state;
    walk w = in_place;
    w.starts_with_t_pose = true;
    limber_clip clip = facts_of(&w);
    assert_true(clip.cut_count + clip.joint_cut_count > 0 && !clip.loops && !clip.travels);
    w.speed = 2;
    clip = facts_of(&w);
    assert_true(!clip.loops && !clip.travels);
}

// --- seams ---

typedef struct bench {
    limber_asset* asset;
    const limber_clip* clip;
    limber_track* track;
    limber_kinematics motion;
    double large; // what accelerations, or what stands in their place, are about
} bench;

static const limber_filter filters[3] = {
    {LIMBER_FILTER_NONE, 0, 0, 0}, {LIMBER_FILTER_LOWPASS, 0.2, 0, 0}, {LIMBER_FILTER_SPRING, 0, 2.5, 0.2}};

enum { JERK = 3, JOUNCE, KINDS }; // after the filters

static void bench_open(bench* b, const walk* w, int filter, limber_loop_mode loop) {
    b->asset = make_walk(w);
    b->large = filter == JERK ? 300 : filter == JOUNCE ? 3000 : 40;
    const limber_model* model = limber_asset_model(b->asset);
    limber_motion_settings settings = limber_motion_settings_default();
    settings.loop = loop;
    b->clip = &model->clips[0];
    const limber_filter f = filters[filter % JERK];
    const limber_filter_set set = {
        f, f, f, f, LIMBER_GATE_NONE, 0, {0, 0, 0, 0, 0}, 0, filter >= JERK ? (uint32_t)filter : 0, {0, 0}};
    assert_int_equal(limber_track_create(model, b->clip, &settings, &set, &b->track, NULL), LIMBER_OK);
    assert_int_equal(limber_kinematics_create(model, &b->motion), LIMBER_OK);
}

static void bench_close(bench* b) {
    limber_track_destroy(b->track);
    limber_kinematics_destroy(&b->motion);
    limber_asset_destroy(b->asset);
}

// Compares the motion of a joint; that of `a` is turned by some yaw first.
static void expect_same(const bench* a, double yaw_rad, const bench* b, uint32_t joint, double tolerance) {
    const limber_vec3* const one[PATHS] = {a->motion.velocity, a->motion.acceleration, a->motion.angular_velocity,
                                           a->motion.angular_acceleration};
    const limber_vec3* const two[PATHS] = {b->motion.velocity, b->motion.acceleration, b->motion.angular_velocity,
                                           b->motion.angular_acceleration};
    limber_quat yaw = limberi_quat_exp(limberi_vec3(0, joint == 0 ? (float)yaw_rad : 0, 0));
    for (int q = 0; q < PATHS; q++) {
        limber_vec3 turned = limberi_quat_rotate(yaw, one[q][joint]);
        double off = (double)limberi_length(limberi_sub(turned, two[q][joint]));
        double size = q % 2 ? b->large : 5; // accelerations are larger
        if (!(off < tolerance * size))
            fail_msg("joint %u, quantity %d: off by %g (%g %g %g, %g %g %g)", joint, q, off, (double)turned.x,
                     (double)turned.y, (double)turned.z, (double)two[q][joint].x, (double)two[q][joint].y,
                     (double)two[q][joint].z);
    }
}

// One turn against a turn in the middle of many.
static void compare_with_endless(const walk* one, int filter) {
    enum { BEFORE = 8 };
    walk many = *one;
    many.turns = BEFORE + 2;
    bench a, b;
    bench_open(&a, one, filter, LIMBER_LOOP_AUTO);
    bench_open(&b, &many, filter, LIMBER_LOOP_NEVER);
    assert_true(a.clip->loops);
    const double times[] = {0, 0.001, 0.004, 0.02, 0.3, 0.77, 0.98, 0.996, 0.999, 1};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        limber_track_evaluate(a.track, times[i], &a.motion);
        limber_track_evaluate(b.track, BEFORE + times[i], &b.motion);
        for (uint32_t j = 0; j < 2; j++)
            expect_same(&a, BEFORE * radians(one->yaw_deg), &b, j, 2e-3);
    }
    bench_close(&a);
    bench_close(&b);
}

static void a_turn_of_an_endless_walk_moves_like_the_walk(void** state) {
    (void)state;
    const double yaws[3] = {0, 30, -100}, speeds[2] = {0, 1.5};
    for (int filter = 0; filter < KINDS; filter++)
        for (int y = 0; y < 3; y++)
            for (int v = 0; v < 2; v++) {
                walk w = in_place;
                w.yaw_deg = yaws[y];
                w.speed = speeds[v];
                compare_with_endless(&w, filter);
            }
}

// The end is the start, turned by the yaw.
static void both_ends_of_a_turn_move_alike(void** state) {
    (void)state;
    walk w = in_place;
    w.yaw_deg = 40;
    w.speed = 2;
    for (int filter = 0; filter < KINDS; filter++) {
        bench a, b;
        bench_open(&a, &w, filter, LIMBER_LOOP_AUTO);
        bench_open(&b, &w, filter, LIMBER_LOOP_AUTO);
        limber_track_evaluate(a.track, 0, &a.motion);
        limber_track_evaluate(b.track, 1, &b.motion);
        for (uint32_t j = 0; j < 2; j++)
            expect_same(&a, radians(40), &b, j, 1e-5);
        limber_track_evaluate(b.track, 1 - 1e-7, &b.motion);
        for (uint32_t j = 0; j < 2; j++)
            expect_same(&a, radians(40), &b, j, 1e-3);
        bench_close(&a);
        bench_close(&b);
    }
}

// What is left of a gap when it is spread over the clip is the motion without it; its size matters only for "auto".
static void a_gap_is_spread_over_the_clip(void** state) {
    (void)state;
    const double drifts[3] = {5, 12, 60};
    for (int filter = 0; filter < 3; filter++)
        for (int i = 0; i < 3; i++) {
            walk w = in_place;
            w.drift_deg = drifts[i];
            w.stray = 0.004 * drifts[i];
            bench a, b;
            bench_open(&a, &w, filter, i ? LIMBER_LOOP_ALWAYS : LIMBER_LOOP_AUTO);
            bench_open(&b, &in_place, filter, LIMBER_LOOP_AUTO);
            for (double t = 0; t <= 1; t += 0.0625) {
                limber_track_evaluate(a.track, t, &a.motion);
                limber_track_evaluate(b.track, t, &b.motion);
                expect_same(&a, 0, &b, 0, 1e-6);
                expect_same(&a, 0, &b, 1, 2e-3);
            }
            bench_close(&a);
            bench_close(&b);
        }
}

// Of a root that travels only the yaw is carried along.
static void what_else_a_root_is_off_is_spread_over_the_clip(void** state) {
    (void)state;
    for (int filter = 0; filter < 3; filter++) {
        walk plain = in_place, leaning;
        plain.speed = 2;
        plain.yaw_deg = 40;
        leaning = plain;
        leaning.lean_deg = 6;
        bench a, b;
        bench_open(&a, &leaning, filter, LIMBER_LOOP_AUTO);
        bench_open(&b, &plain, filter, LIMBER_LOOP_AUTO);
        assert_true(a.clip->loops && a.clip->loop.joint == 0 && fabs(a.clip->loop.gap_rad - radians(6)) < 1e-4);
        for (double t = 0; t <= 1; t += 0.0625) {
            limber_track_evaluate(a.track, t, &a.motion);
            limber_track_evaluate(b.track, t, &b.motion);
            expect_same(&a, 0, &b, 0, 2e-3);
        }
        bench_close(&a);
        bench_close(&b);
    }
}

static void poses_stay_as_the_file_has_them(void** state) {
    (void)state;
    walk w = in_place;
    w.drift_deg = 5;
    w.speed = 2;
    limber_asset* asset = make_walk(&w);
    const limber_model* model = limber_asset_model(asset);
    limber_motion_settings settings = limber_motion_settings_default();
    limber_pose a, b;
    limber_kinematics motion;
    assert_int_equal(limber_pose_create(model, &a), LIMBER_OK);
    assert_int_equal(limber_pose_create(model, &b), LIMBER_OK);
    assert_int_equal(limber_kinematics_create(model, &motion), LIMBER_OK);
    for (double t = 0; t <= 1; t += 0.125) {
        limberi_motion_at(model, &model->clips[0], &settings, t, &a, &motion);
        limber_clip_sample(model, &model->clips[0], t, &b);
        assert_memory_equal(a.local, b.local, JOINTS * sizeof *a.local);
    }
    limber_kinematics_destroy(&motion);
    limber_pose_destroy(&a);
    limber_pose_destroy(&b);
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clip_that_ends_as_it_starts_loops),
        cmocka_unit_test(small_gaps_are_seams_and_large_ones_ends),
        cmocka_unit_test(a_walk_that_travels_and_turns_loops),
        cmocka_unit_test(what_only_travels_is_no_cycle),
        cmocka_unit_test(a_pose_put_before_a_walk_is_part_of_the_clip),
        cmocka_unit_test(a_turn_of_an_endless_walk_moves_like_the_walk),
        cmocka_unit_test(both_ends_of_a_turn_move_alike),
        cmocka_unit_test(a_gap_is_spread_over_the_clip),
        cmocka_unit_test(what_else_a_root_is_off_is_spread_over_the_clip),
        cmocka_unit_test(poses_stay_as_the_file_has_them),
    };
    return cmocka_run_group_tests_name("loops", tests, NULL, NULL);
}
