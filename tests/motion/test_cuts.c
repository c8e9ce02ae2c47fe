// Jump cuts: whose they are, and what does not cross them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asset/clip.h"
#include "base/math.h"
#include "characters/characters.h"
#include "kit/models.h"

enum { KEYS = 61, MAX_JOINTS = 80 };
static const double rate = 30;

static limber_asset* dancer;

static int create_dancer(void** state) {
    (void)state;
    return limberi_character_create("dancer", 1, &dancer, NULL) != LIMBER_OK;
}

static int destroy_dancer(void** state) {
    (void)state;
    limber_asset_destroy(dancer);
    return 0;
}

// A dancer whose joints all swing in a loop of two seconds, key by key; tests turn some of the keys.
typedef struct dance {
    limber_asset* asset;
    const limber_model* model;
    const limber_clip* clip;
    uint32_t joint_count;
    float times[KEYS];
    limber_quat turns[MAX_JOINTS][KEYS];
    limber_interpolation interpolation[MAX_JOINTS];
    int32_t slider; // a joint that slides as well, or -1
    limber_vec3 places[KEYS];
} dance;

static limber_quat turn_about(float x, float y, float z, double angle) {
    float s = (float)sin(0.5 * angle) / sqrtf(x * x + y * y + z * z);
    limber_quat q = {x * s, y * s, z * s, (float)cos(0.5 * angle)};
    return q;
}

static void dance_begin(dance* d) {
    memset(d, 0, sizeof *d);
    const limber_rig* rig = &limber_asset_model(dancer)->rig;
    d->joint_count = rig->joint_count;
    d->slider = -1;
    assert_true(d->joint_count <= MAX_JOINTS);
    for (uint32_t j = 0; j < d->joint_count; j++) {
        d->interpolation[j] = LIMBER_INTERPOLATION_LINEAR;
        for (int k = 0; k < KEYS; k++) {
            double angle = 0.2 * sin(LIMBERI_PI * k / rate * (1 + j % 3) + j);
            d->times[k] = (float)(k / rate);
            d->turns[j][k] = limberi_quat_mul(rig->rest_local[j].rotation, turn_about(1, (float)(j % 2), 0.5f, angle));
        }
    }
}

static uint32_t joint_of(const char* name) {
    int32_t joint = limber_rig_find_joint(&limber_asset_model(dancer)->rig, name);
    assert_true(joint >= 0);
    return (uint32_t)joint;
}

// Turns a joint's keys from one on, up to another, in its own frame: its spin in its parent's stays what it was.
static void flip(dance* d, uint32_t joint, int from, int to, double angle) {
    for (int k = from; k < to; k++)
        d->turns[joint][k] = limberi_quat_mul(d->turns[joint][k], turn_about(0, 1, 0, angle));
}

static void dance_finish(dance* d) {
    limber_model model = *limber_asset_model(dancer);
    limber_channel channels[MAX_JOINTS + 1];
    channels[d->joint_count] = (limber_channel){
        LIMBER_CHANNEL_TRANSLATION, LIMBER_INTERPOLATION_LINEAR, (uint32_t)d->slider, KEYS, d->times, &d->places[0].x};
    for (uint32_t j = 0; j < d->joint_count; j++) {
        limber_channel channel = {LIMBER_CHANNEL_ROTATION, d->interpolation[j], j, KEYS, d->times, &d->turns[j][0].x};
        channels[j] = channel;
    }
    uint32_t count = d->joint_count + (d->slider >= 0);
    limber_clip clip = {.name = "dance", .channel_count = count, .channels = channels};
    limber_error error;
    model.clip_count = 1;
    model.clips = &clip;
    if (limber_asset_create(&model, &d->asset, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    d->model = limber_asset_model(d->asset);
    d->clip = &d->model->clips[0];
}

static void dance_end(dance* d) {
    limber_asset_destroy(d->asset);
}

static limber_kinematics new_kinematics(const dance* d) {
    limber_kinematics k;
    assert_int_equal(limber_kinematics_create(d->model, &k), LIMBER_OK);
    return k;
}

static limber_track* new_track(const dance* d) {
    static const limber_filter lowpass = {LIMBER_FILTER_LOWPASS, 0.4, 0, 0}, spring = {LIMBER_FILTER_SPRING, 0, 3, 0.3};
    limber_filter_set set = {lowpass, lowpass, spring, spring, LIMBER_GATE_NONE, 0, {0, 0, 0, 0, 0}, 0, 0, {0, 0}};
    limber_motion_settings settings = limber_motion_settings_default();
    limber_track* track;
    assert_int_equal(limber_track_create(d->model, d->clip, &settings, &set, &track, NULL), LIMBER_OK);
    return track;
}

static void plain_at(const dance* d, double time_s, limber_kinematics* out) {
    limber_motion_settings settings = limber_motion_settings_default();
    assert_int_equal(limber_motion_from_clip(d->model, d->clip, &settings, time_s, out), LIMBER_OK);
}

static bool same_joint(const limber_kinematics* a, const limber_kinematics* b, uint32_t j) {
    return memcmp(&a->angular_velocity[j], &b->angular_velocity[j], sizeof(limber_vec3)) == 0 &&
           memcmp(&a->angular_acceleration[j], &b->angular_acceleration[j], sizeof(limber_vec3)) == 0 &&
           memcmp(&a->velocity[j], &b->velocity[j], sizeof(limber_vec3)) == 0 &&
           memcmp(&a->acceleration[j], &b->acceleration[j], sizeof(limber_vec3)) == 0;
}

static double apart(limber_vec3 a, limber_vec3 b) {
    return (double)limberi_length(limberi_sub(a, b));
}

// --- whose cut it is ---

static void a_flipping_thumb_is_cut_alone(void** state) {
    (void)state;
    dance d;
    dance_begin(&d);
    uint32_t thumb = joint_of("HandThumbLeft"), hand = joint_of("HandRight");
    flip(&d, thumb, 20, KEYS, LIMBERI_PI);
    flip(&d, hand, 20, KEYS, LIMBERI_PI);
    dance_finish(&d);
    assert_int_equal(d.clip->cut_count, 0);
    assert_int_equal(d.clip->joint_cut_count, 2);
    for (uint32_t i = 0; i < 2; i++) { // by joint
        const limber_joint_cut* cut = &d.clip->joint_cuts[i];
        bool is_thumb = (i == 0) == (thumb < hand);
        assert_int_equal(cut->joint, is_thumb ? thumb : hand);
        assert_true(fabs(cut->cut.before_s - 19 / rate) < 1e-6 && fabs(cut->cut.after_s - 20 / rate) < 1e-6);
    }
    dance_end(&d);
}

static void an_inserted_pose_cuts_everything(void** state) {
    (void)state;
    dance d;
    dance_begin(&d);
    for (uint32_t j = 0; j < d.joint_count; j++) // none alone is a jump of 120 degrees
        flip(&d, j, 0, 1, j % 4 ? 0.3 : 1.2);
    dance_finish(&d);
    assert_int_equal(d.clip->cut_count, 1);
    assert_int_equal(d.clip->joint_cut_count, 0);
    assert_true(d.clip->cuts[0].before_s == 0 && fabs(d.clip->cuts[0].after_s - 1 / rate) < 1e-6);
    limber_kinematics k = new_kinematics(&d);
    limber_track* track = new_track(&d);
    for (int i = 0; i < 60; i++) {
        limber_track_evaluate(track, i / 240.0, &k);
        for (uint32_t j = 0; j < d.joint_count; j++)
            assert_true(limberi_length(k.angular_velocity[j]) < 4 && limberi_length(k.angular_acceleration[j]) < 40);
    }
    limber_track_destroy(track);
    limber_kinematics_destroy(&k);
    dance_end(&d);
}

static void many_fingers_at_the_start_are_no_inserted_pose(void** state) {
    (void)state;
    static const char* const names[] = {"HandThumbLeft", "HandIndexLeft", "HandMiddleLeft", "HandLittleLeft"};
    dance d;
    dance_begin(&d);
    for (int i = 0; i < 4; i++) // 12 right angles in sum, on a hundredth of the skin
        flip(&d, joint_of(names[i]), 3, KEYS, 0.95 * LIMBERI_PI);
    dance_finish(&d);
    assert_int_equal(d.clip->cut_count, 0);
    assert_int_equal(d.clip->joint_cut_count, 4);
    dance_end(&d);
}

static void a_flip_of_what_carries_the_body_cuts_everything(void** state) {
    (void)state;
    dance d;
    dance_begin(&d);
    flip(&d, joint_of("Hips"), 30, KEYS, LIMBERI_PI);
    flip(&d, joint_of("HandThumbLeft"), 30, KEYS, LIMBERI_PI); // at the same moment: no separate cut
    dance_finish(&d);
    assert_int_equal(d.clip->cut_count, 1);
    assert_int_equal(d.clip->joint_cut_count, 0);
    dance_end(&d);
}

// 124 degrees from one key to the next, 17 before and 11 after: an arm that throws a punch.
static void a_punch_is_motion(void** state) {
    (void)state;
    dance d;
    dance_begin(&d);
    uint32_t arm = joint_of("ArmUpperRight");
    for (int k = 0; k < KEYS; k++) {
        double degrees = k < 20 ? 0 : k == 20 ? 17 : k == 21 ? 141 : 152;
        d.turns[arm][k] = turn_about(0, 1, 0, degrees * LIMBERI_PI / 180);
    }
    dance_finish(&d);
    assert_int_equal(d.clip->cut_count + d.clip->joint_cut_count, 0);
    limber_kinematics k = new_kinematics(&d);
    plain_at(&d, 20.5 / rate, &k);
    assert_true(limberi_length(k.angular_velocity[arm]) > 30);
    limber_kinematics_destroy(&k);
    dance_end(&d);
}

static void flips_that_last_for_a_key_are_cuts_and_a_spinning_wheel_is_motion(void** state) {
    (void)state;
    dance d;
    dance_begin(&d);
    uint32_t thumb = joint_of("HandThumbLeft"), toe = joint_of("LegToeRight");
    flip(&d, thumb, 20, 21, LIMBERI_PI);
    for (int k = 0; k < KEYS; k++)
        flip(&d, toe, k, k + 1, k * 2.4); // 137 degrees each
    dance_finish(&d);
    assert_int_equal(d.clip->cut_count, 0);
    assert_int_equal(d.clip->joint_cut_count, 2);
    assert_true(d.clip->joint_cuts[0].joint == thumb && d.clip->joint_cuts[1].joint == thumb);
    limber_kinematics k = new_kinematics(&d);
    for (int i = 0; i < 480; i++) {
        plain_at(&d, i / 240.0, &k);
        assert_true(limberi_length(k.angular_velocity[thumb]) < 4 && limberi_length(k.angular_velocity[toe]) > 20);
    }
    limber_kinematics_destroy(&k);
    dance_end(&d);
}

static void stepped_keys_jump_where_they_end(void** state) {
    (void)state;
    dance d;
    dance_begin(&d);
    uint32_t thumb = joint_of("HandThumbLeft");
    d.interpolation[thumb] = LIMBER_INTERPOLATION_STEP;
    for (int k = 0; k < KEYS; k++)
        d.turns[thumb][k] = turn_about(0, 1, 0, k < 20 ? 0 : LIMBERI_PI);
    dance_finish(&d);
    assert_int_equal(d.clip->joint_cut_count, 1);
    limber_kinematics k = new_kinematics(&d);
    for (int i = 0; i < 480; i++) {
        plain_at(&d, i / 240.0, &k);
        assert_true(limberi_length(k.angular_velocity[thumb]) == 0);
    }
    limber_kinematics_destroy(&k);
    dance_end(&d);
}

// --- what does not cross it ---

// Two dances, alike but for a thumb that flips over and back again.
typedef struct pair {
    dance plain, flipped;
    uint32_t thumb, hand;
} pair;

static void pair_begin(pair* p) {
    dance_begin(&p->plain);
    dance_begin(&p->flipped);
    p->thumb = joint_of("HandThumbLeft");
    p->hand = joint_of("HandLeft");
    flip(&p->flipped, p->thumb, 20, 44, LIMBERI_PI);
    dance_finish(&p->plain);
    dance_finish(&p->flipped);
    assert_int_equal(p->flipped.clip->joint_cut_count, 2);
    assert_true(p->plain.clip->loops && p->flipped.clip->loops);
}

static void pair_end(pair* p) {
    dance_end(&p->plain);
    dance_end(&p->flipped);
}

static void motion_of_the_others_does_not_see_a_flip(void** state) {
    (void)state;
    pair* p = malloc(sizeof *p);
    pair_begin(p);
    limber_kinematics a = new_kinematics(&p->plain), b = new_kinematics(&p->plain);
    limber_track *one = new_track(&p->plain), *other = new_track(&p->flipped);
    for (int i = 0; i < 500; i++) {
        double t = i * 0.00401;
        plain_at(&p->plain, t, &a);
        plain_at(&p->flipped, t, &b);
        for (uint32_t j = 0; j < p->plain.joint_count; j++)
            assert_true(j == p->thumb || same_joint(&a, &b, j));
        assert_true(apart(a.angular_velocity[p->thumb], b.angular_velocity[p->thumb]) <
                    0.7); // h alpha / 2; the flip: 47
        limber_track_evaluate(one, t, &a);
        limber_track_evaluate(other, t, &b);
        for (uint32_t j = 0; j < p->plain.joint_count; j++)
            assert_true(j == p->thumb || same_joint(&a, &b, j));
        assert_true(limberi_length(b.angular_velocity[p->thumb]) < 4);
        assert_true(limberi_length(b.angular_acceleration[p->thumb]) < 60); // the flip would be one of 2800
    }
    limber_track_destroy(one);
    limber_track_destroy(other);
    limber_kinematics_destroy(&a);
    limber_kinematics_destroy(&b);
    pair_end(p);
    free(p);
}

// A thumb that slides along at a steady pace and is elsewhere after each of its flips: nobody sees it shoot there.
static void a_joint_that_jumps_keeps_its_pace(void** state) {
    (void)state;
    dance* d = malloc(sizeof *d);
    dance_begin(d);
    const limber_vec3 pace = {0.003f, -0.002f, 0.001f}; // per key
    d->slider = (int32_t)joint_of("HandThumbLeft");
    for (int k = 0; k < KEYS; k++) {
        limber_vec3 rest = limber_asset_model(dancer)->rig.rest_local[d->slider].translation;
        d->places[k] = limberi_add(rest, limberi_scale(pace, (float)(k < 20 ? k : k < 44 ? k + 30 : k - 60)));
    }
    flip(d, (uint32_t)d->slider, 20, 44, LIMBERI_PI);
    dance_finish(d);
    assert_int_equal(d->clip->joint_cut_count, 2);
    limber_kinematics k = new_kinematics(d);
    for (int i = 0; i < 240; i++) {
        double key = 0.25 * i;
        if ((key > 19 && key < 20) || (key > 43 && key < 44))
            continue;
        plain_at(d, key / rate, &k);
        assert_true(apart(k.velocity[d->slider], limberi_scale(pace, (float)rate)) < 1e-3);
        assert_true(limberi_length(k.acceleration[d->slider]) < 0.02f);
    }
    limber_kinematics_destroy(&k);
    dance_end(d);
    free(d);
}

static void check_vertices(const pair* p, const float* a, const float* b) {
    const limber_model* model = p->plain.model;
    float weights[MAX_JOINTS];
    uint32_t seen = 0;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        for (uint32_t u = 0; u < mesh->vertex_count; u++) {
            size_t at = 3 * ((size_t)mesh->first_vertex + u);
            limber_mesh_upward_weights(model, mesh, u, weights);
            if (weights[p->hand] > 0) { // vertices beside those of the thumb are worked out with them in one go
                for (size_t i = 0; i < 3 && !(weights[p->thumb] > 0); i++)
                    assert_true(fabsf(a[at + i] - b[at + i]) < 1e-6f);
                continue;
            }
            assert_memory_equal(a + at, b + at, 3 * sizeof(float));
            seen++;
        }
    }
    assert_true(seen > model->vertex_count / 2);
}

static limber_pipeline* new_pipeline(const dance* d) {
    limber_stage_settings settings = limber_stage_settings_default();
    limber_effect_settings* effects = settings.deform.effects;
    limber_pipeline* pipeline;
    effects[LIMBER_EFFECT_FLOPPY].angular.value = 0.4f;
    effects[LIMBER_EFFECT_SQUASH].angular.value = 0.2f;
    effects[LIMBER_EFFECT_DRAG].angular.value = effects[LIMBER_EFFECT_FOLLOWTHROUGH].angular.value = 0.03f;
    effects[LIMBER_EFFECT_FLOPPY].filters.angular_velocity.type = LIMBER_FILTER_SPRING;
    effects[LIMBER_EFFECT_FLOPPY].filters.angular_velocity.frequency_hz = 3;
    effects[LIMBER_EFFECT_FLOPPY].filters.angular_velocity.damping = 0.3;
    assert_int_equal(limber_pipeline_create_from_settings(d->asset, &settings, &pipeline, NULL), LIMBER_OK);
    limber_pipeline_set_outputs(pipeline, 0);
    return pipeline;
}

static void offsets_of_the_body_do_not_see_a_flip(void** state) {
    (void)state;
    pair* p = malloc(sizeof *p);
    pair_begin(p);
    limber_pipeline *one = new_pipeline(&p->plain), *other = new_pipeline(&p->flipped);
    limber_frame a, b;
    for (int i = 0; i < 40; i++) {
        double t = 18 / rate + i / 120.0; // past the first flip
        assert_int_equal(limber_pipeline_evaluate(one, 0, t, &a), LIMBER_OK);
        assert_int_equal(limber_pipeline_evaluate(other, 0, t, &b), LIMBER_OK);
        check_vertices(p, a.positions, b.positions);
    }
    limber_pipeline_destroy(one);
    limber_pipeline_destroy(other);
    pair_end(p);
    free(p);
}

static void a_loop_with_a_flip_closes_and_can_be_scrubbed(void** state) {
    (void)state;
    pair* p = malloc(sizeof *p);
    pair_begin(p);
    const dance* d = &p->flipped;
    limber_track* track = new_track(d);
    limber_kinematics a = new_kinematics(d), b = new_kinematics(d);
    for (int i = 0; i < 240; i++) { // forwards, and again backwards, a turn later
        limber_track_evaluate(track, i / 120.0 + 1e-4, &a);
        limber_track_evaluate(track, 2 + (239 - i) / 120.0 + 1e-4, &b);
        limber_track_evaluate(track, 2 + i / 120.0 + 1e-4, &b);
        assert_true(apart(a.angular_velocity[p->thumb], b.angular_velocity[p->thumb]) < 1e-5);
        assert_true(apart(a.angular_acceleration[p->thumb], b.angular_acceleration[p->thumb]) < 1e-3);
    }
    limber_track_evaluate(track, 2 - 1e-6, &a);
    limber_track_evaluate(track, 1e-6, &b);
    for (uint32_t j = 0; j < d->joint_count; j++)
        assert_true(apart(a.angular_velocity[j], b.angular_velocity[j]) < 1e-3);
    limber_track_destroy(track);
    limber_kinematics_destroy(&a);
    limber_kinematics_destroy(&b);
    pair_end(p);
    free(p);
}

// Filtered motion has one jump only, at the flip, and is smooth on both sides of it.
static void filters_of_the_joint_start_afresh_at_its_flip(void** state) {
    (void)state;
    pair* p = malloc(sizeof *p);
    pair_begin(p);
    const dance* d = &p->flipped;
    limber_track* track = new_track(d);
    limber_kinematics a = new_kinematics(d), b = new_kinematics(d);
    double flip_s = 19.5 / rate;
    plain_at(d, flip_s + 1e-3, &a);
    limber_track_evaluate(track, flip_s + 1e-3, &b);
    assert_true(apart(a.angular_velocity[p->thumb], b.angular_velocity[p->thumb]) < 0.05); // as if it began here
    limber_track_evaluate(track, flip_s - 1e-3, &a);
    assert_true(apart(a.angular_velocity[p->thumb], b.angular_velocity[p->thumb]) > 0.02);
    limber_track_evaluate(track, 18 / rate, &a);
    for (int i = 1; i < 240; i++) {
        double t = 18 / rate + i / 2400.0;
        limber_track_evaluate(track, t, &b);
        if (fabs(t - flip_s) > 1.0 / 2400)
            assert_true(apart(a.angular_velocity[p->thumb], b.angular_velocity[p->thumb]) < 0.02);
        memcpy(a.angular_velocity, b.angular_velocity, d->joint_count * sizeof *a.angular_velocity);
    }
    limber_track_destroy(track);
    limber_kinematics_destroy(&a);
    limber_kinematics_destroy(&b);
    pair_end(p);
    free(p);
}

// --- live ---

static void push(limber_tracker* tracker, const dance* d, limber_pose* pose, double time_s) {
    limber_clip_sample(d->model, d->clip, time_s, pose);
    limber_tracker_push(tracker, pose->local, time_s);
}

static void a_live_flip_starts_one_joint_afresh(void** state) {
    (void)state;
    pair* p = malloc(sizeof *p);
    limber_tracker *one, *other;
    limber_pose pose;
    pair_begin(p);
    assert_int_equal(limber_tracker_create(p->plain.model, &one, NULL), LIMBER_OK);
    assert_int_equal(limber_tracker_create(p->flipped.model, &other, NULL), LIMBER_OK);
    assert_int_equal(limber_pose_create(p->plain.model, &pose), LIMBER_OK);
    const limber_kinematics *a = limber_tracker_kinematics(one), *b = limber_tracker_kinematics(other);
    for (int i = 0; i < 60; i++) {
        push(one, &p->plain, &pose, i / rate);
        push(other, &p->flipped, &pose, i / rate);
        for (uint32_t j = 0; j < p->plain.joint_count; j++)
            assert_true(j == p->thumb || same_joint(a, b, j));
        if (i == 20 || i == 44) // nothing is known about it
            assert_true(limberi_length(b->angular_velocity[p->thumb]) == 0);
        if (i == 21 || i == 45) // how fast it is, but not since when
            assert_true(limberi_length(b->angular_acceleration[p->thumb]) == 0);
        // Without an acceleration a velocity is that of the middle of the step.
        double half = i == 21 || i == 45 ? 0.5 / rate * (double)limberi_length(a->angular_acceleration[p->thumb]) : 0;
        if (i != 20 && i != 44)
            assert_true(apart(a->angular_velocity[p->thumb], b->angular_velocity[p->thumb]) < half + 1e-3);
        if (i == 19 || i == 22 || i == 46)
            assert_true(apart(a->angular_acceleration[p->thumb], b->angular_acceleration[p->thumb]) < 5e-2);
    }
    assert_true(limberi_length(a->angular_velocity[joint_of("Hips")]) > 0);
    limber_tracker_destroy(one);
    limber_tracker_destroy(other);
    limber_pose_destroy(&pose);
    pair_end(p);
    free(p);
}

static void a_live_teleport_of_the_body_starts_everything_afresh(void** state) {
    (void)state;
    dance d;
    limber_tracker* tracker;
    limber_pose pose;
    dance_begin(&d);
    flip(&d, joint_of("Hips"), 20, KEYS, LIMBERI_PI);
    dance_finish(&d);
    assert_int_equal(limber_tracker_create(d.model, &tracker, NULL), LIMBER_OK);
    assert_int_equal(limber_pose_create(d.model, &pose), LIMBER_OK);
    for (int i = 0; i <= 20; i++)
        push(tracker, &d, &pose, i / rate);
    const limber_kinematics* now = limber_tracker_kinematics(tracker);
    for (uint32_t j = 0; j < d.joint_count; j++)
        assert_true(limberi_length(now->angular_velocity[j]) == 0);
    push(tracker, &d, &pose, 21 / rate);
    assert_true(limberi_length(now->angular_velocity[joint_of("HandLeft")]) > 0);
    limber_tracker_destroy(tracker);
    limber_pose_destroy(&pose);
    dance_end(&d);
}

// --- files ---

// Motion capture whose thumb and fingers flip over twenty times: only they are cut, and the pose at the start is.
static void captured_fingers_that_flip_do_not_cut_the_body(void** state) {
    (void)state;
    char path[1024];
    limber_bvh* bvh;
    if (!test_assets())
        skip();
    snprintf(path, sizeof path, "%s/cmu_06_15.bvh", test_assets());
    assert_int_equal(limber_bvh_load_file(path, NULL, &bvh, NULL), LIMBER_OK);
    const limber_model* model = limber_asset_model(limber_bvh_asset(bvh));
    const limber_clip* clip = &model->clips[0];
    assert_int_equal(clip->cut_count, 1);
    assert_true(clip->cuts[0].before_s == 0);
    assert_true(clip->joint_cut_count > 10);
    for (uint32_t i = 0; i < clip->joint_cut_count; i++) {
        const char* name = model->rig.names[clip->joint_cuts[i].joint];
        assert_true(strcmp(name, "LThumb") == 0 || strcmp(name, "LeftFingerBase") == 0);
    }
    limber_bvh_destroy(bvh);
}

static void skin_shares_add_up_to_one_and_to_the_parts_of_the_body(void** state) {
    (void)state;
    const limber_model* model = limber_asset_model(dancer);
    float shares[MAX_JOINTS];
    double sum = 0;
    limberi_skin_shares(model, shares);
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        sum += (double)shares[j];
    assert_true(fabs(sum - 1) < 1e-4);
    float thumb = shares[joint_of("HandThumbLeft")], other = shares[joint_of("HandThumbRight")];
    assert_true(thumb > 0 && thumb < 0.01f && fabsf(thumb - other) < 0.01f * thumb); // she is symmetric
    uint8_t jumps[MAX_JOINTS] = {0};
    jumps[joint_of("Hips")] = LIMBERI_JUMPS;
    assert_true(limberi_jump_of_all(&model->rig, shares, jumps));
    assert_true(jumps[joint_of("HandThumbTipLeft")] == LIMBERI_CARRIED && !jumps[joint_of("Root")]);
    memset(jumps, 0, sizeof jumps);
    jumps[joint_of("ArmUpperLeft")] = jumps[joint_of("ArmUpperRight")] = LIMBERI_JUMPS;
    assert_false(limberi_jump_of_all(&model->rig, shares, jumps));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flipping_thumb_is_cut_alone),
        cmocka_unit_test(an_inserted_pose_cuts_everything),
        cmocka_unit_test(many_fingers_at_the_start_are_no_inserted_pose),
        cmocka_unit_test(a_flip_of_what_carries_the_body_cuts_everything),
        cmocka_unit_test(a_punch_is_motion),
        cmocka_unit_test(flips_that_last_for_a_key_are_cuts_and_a_spinning_wheel_is_motion),
        cmocka_unit_test(stepped_keys_jump_where_they_end),
        cmocka_unit_test(motion_of_the_others_does_not_see_a_flip),
        cmocka_unit_test(a_joint_that_jumps_keeps_its_pace),
        cmocka_unit_test(offsets_of_the_body_do_not_see_a_flip),
        cmocka_unit_test(a_loop_with_a_flip_closes_and_can_be_scrubbed),
        cmocka_unit_test(filters_of_the_joint_start_afresh_at_its_flip),
        cmocka_unit_test(a_live_flip_starts_one_joint_afresh),
        cmocka_unit_test(a_live_teleport_of_the_body_starts_everything_afresh),
        cmocka_unit_test(captured_fingers_that_flip_do_not_cut_the_body),
        cmocka_unit_test(skin_shares_add_up_to_one_and_to_the_parts_of_the_body),
    };
    return cmocka_run_group_tests_name("cuts", tests, create_dancer, destroy_dancer);
}
