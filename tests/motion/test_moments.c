// Channels sampled two by two and at several moments at once, against the same channels one by one.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asset/asset.h"
#include "asset/channel.h"
#include "asset/moments.h"
#include "base/math.h"
#include "motion/kinematics.h"

enum { JOINTS = 23, PATHS = 3, CHANNELS = JOINTS * PATHS, KEYS = 9, TRIALS = 40 };

static const double key_step_s = 1 / 30.0;

// A rig and a clip without a file around them. Joints hang on each other in a chain.
typedef struct scene {
    limber_model model;
    limber_clip clip;
    limber_channel channels[CHANNELS];
    int32_t of_joint[CHANNELS], parents[JOINTS];
    limber_transform rest[JOINTS];
    float times[CHANNELS][KEYS], values[CHANNELS][3 * 4 * KEYS];
    uint32_t seed;
} scene;

static double some(scene* s) { // 0 ... 1
    s->seed = s->seed * 1664525u + 1013904223u;
    return (s->seed >> 8) / 16777216.0;
}

static double some_between(scene* s, double low, double high) {
    return low + (high - low) * some(s);
}

// From key to key a rotation turns by nothing, by next to nothing, or by up to half a turn: every series is used, and
// what none of them reaches.
static double some_turn(scene* s) {
    const double sizes[] = {0, 1e-9, 1e-3, 0.1, 0.4, 1.04, 2, 3.1}; // short series reach to 0.4007, long ones to 1.047
    return sizes[(size_t)(some(s) * 7.999)];
}

static void fill_rotations(scene* s, float* values, uint32_t keys, size_t stride) {
    double length = some(s) < 0.2 ? 1.001 : 1; // not every program writes units
    limber_quat q = limberi_quat_exp(limberi_vec3((float)some(s), (float)some(s), (float)some(s)));
    double turn = some_turn(s);
    for (uint32_t k = 0; k < keys; k++) {
        limber_vec3 axis = limberi_normalize(limberi_vec3((float)some(s), (float)some(s) - 0.5f, 0.3f));
        q = limberi_quat_normalize(limberi_quat_mul(limberi_quat_exp(limberi_scale(axis, (float)turn)), q));
        double sign = some(s) < 0.3 ? -length : length; // q and -q are the same rotation
        const double all[4] = {(double)q.x, (double)q.y, (double)q.z, (double)q.w};
        for (int i = 0; i < 4; i++)
            values[k * stride + (size_t)i] = (float)(sign * all[i]);
    }
    if (stride == 4 && some(s) < 0.05)
        memset(values + (keys / 2) * stride, 0, 4 * sizeof *values);
}

static void fill_values(scene* s, limber_channel* channel, float* values) {
    size_t width = channel->path == LIMBER_CHANNEL_ROTATION ? 4 : 3;
    bool cubic = channel->interpolation == LIMBER_INTERPOLATION_CUBIC;
    for (size_t i = 0; i < 3 * 4 * KEYS; i++)
        values[i] = (float)some_between(s, -1, 1);
    if (width == 4)
        fill_rotations(s, cubic ? values + 4 : values, channel->key_count, cubic ? 12 : 4);
}

static void fill_channel(scene* s, uint32_t c, bool alike) {
    limber_channel* channel = &s->channels[c];
    const limber_interpolation all[] = {LIMBER_INTERPOLATION_LINEAR, LIMBER_INTERPOLATION_LINEAR,
                                        LIMBER_INTERPOLATION_CUBIC, LIMBER_INTERPOLATION_STEP};
    channel->path = (limber_channel_path)(c % PATHS);
    channel->target = c / PATHS;
    channel->interpolation = alike ? all[s->seed >> 8 & 3] : all[(size_t)(some(s) * 3.999)];
    channel->key_count = some(s) < 0.1 ? 1 : some(s) < 0.2 ? 2 : KEYS;
    bool own = some(s) < 0.3; // its own times
    for (uint32_t k = 0; k < KEYS; k++)
        s->times[c][k] = (float)(key_step_s * (k + (own ? some_between(s, -0.4, 0.4) : 0)));
    channel->times = own || c == 0 ? s->times[c] : s->times[0];
    channel->values = s->values[c];
    fill_values(s, channel, s->values[c]);
    s->of_joint[c] = some(s) < 0.1 ? -1 : (int32_t)c;
}

static scene* scene_create(uint32_t seed) {
    scene* s = test_calloc(1, sizeof *s);
    s->seed = seed * 2654435761u;
    for (uint32_t c = 0; c < CHANNELS; c++)
        fill_channel(s, c, seed % 3 == 0);
    for (uint32_t j = 0; j < JOINTS; j++) {
        s->rest[j] = limber_transform_identity();
        s->parents[j] = (int32_t)j - 1;
    }
    s->clip.channels = s->channels;
    s->clip.channel_count = CHANNELS;
    s->clip.channel_of_joint = s->of_joint;
    s->clip.end_s = (KEYS - 1) * key_step_s;
    s->clip.key_step_s = key_step_s;
    s->model.rig.joint_count = JOINTS;
    s->model.rig.parents = s->parents;
    s->model.rig.rest_local = s->rest;
    return s;
}

// --- values ---

typedef struct check {
    const scene* scene;
    const limberi_moments* moments;
    double worst;
    uint32_t seen;
} check;

static void compare(void* user, limber_channel_path path, const uint32_t* joints, limberi_moment_values values) {
    check* c = user;
    for (uint32_t i = 0; i < c->moments->count; i++)
        for (int lane = 0; lane < 2; lane++) {
            double one[4] = {0, 0, 0, 0};
            uint32_t key = 0, width = path == LIMBER_CHANNEL_ROTATION ? 4 : 3;
            const limber_channel* channel = &c->scene->channels[joints[lane] * PATHS + (uint32_t)path];
            limberi_channel_sample(channel, c->moments->time_s[i], &key, one);
            double same = 0, turned = path == LIMBER_CHANNEL_ROTATION ? 0 : 1; // q and -q are the same rotation
            for (uint32_t n = 0; n < width; n++) {
                same = fmax(same, fabs(values[i][n][lane] - one[n]));
                turned = fmax(turned, fabs(values[i][n][lane] + one[n]));
            }
            c->worst = fmax(c->worst, fmin(same, turned));
        }
    c->seen++;
}

static void two_channels_at_once_are_what_each_of_them_is(void** state) {
    (void)state;
    for (uint32_t trial = 0; trial < TRIALS; trial++) {
        scene* s = scene_create(trial);
        limber_pose pose;
        limberi_visit visit;
        check c = {s, &visit.moments, 0, 0};
        assert_int_equal(limber_pose_create(&s->model, &pose), LIMBER_OK);
        limberi_visit_start(&visit);
        const double times[] = {some_between(s, 0, 0.3), some_between(s, 0, 0.3), -1, 9, 4 * key_step_s, NAN};
        for (size_t i = 0; i < sizeof times / sizeof *times; i++)
            limberi_moments_add(&visit.moments, times[i]);
        visit.poses = &pose;
        visit.pose_count = 1;
        visit.moved = compare;
        visit.user = &c;
        limberi_clip_visit(&s->model, &s->clip, &visit);
        assert_true(c.seen > JOINTS);
        assert_true(c.worst < 2e-12); // what one step of Newton's method leaves of a length
        limber_pose_destroy(&pose);
        test_free(s);
    }
}

// --- poses ---

static void a_pose_does_not_depend_on_what_else_is_asked_for(void** state) {
    (void)state;
    limber_motion_settings settings = limber_motion_settings_default();
    for (uint32_t trial = 0; trial < TRIALS; trial++) {
        scene* s = scene_create(trial);
        limber_pose a, b;
        limber_kinematics k;
        assert_int_equal(limber_pose_create(&s->model, &a), LIMBER_OK);
        assert_int_equal(limber_pose_create(&s->model, &b), LIMBER_OK);
        assert_int_equal(limber_kinematics_create(&s->model, &k), LIMBER_OK);
        for (int i = 0; i < 12; i++) {
            double time_s = -0.05 + 0.033 * i;
            limber_clip_sample(&s->model, &s->clip, time_s, &a);
            limberi_motion_at(&s->model, &s->clip, &settings, time_s, &b, &k);
            assert_memory_equal(a.local, b.local, JOINTS * sizeof *a.local);
        }
        limber_pose_destroy(&a);
        limber_pose_destroy(&b);
        limber_kinematics_destroy(&k);
        test_free(s);
    }
}

static void poses_sampled_at_once_are_those_of_each_time(void** state) {
    (void)state;
    for (uint32_t trial = 0; trial < TRIALS; trial++) {
        scene* s = scene_create(trial);
        limber_pose at_once[LIMBERI_POSES], one;
        double times_s[LIMBERI_POSES];
        double step_s = 0.001 + 0.006 * trial; // several between two keys, and keys between two of them
        assert_int_equal(limberi_poses_create(&s->model, at_once), LIMBER_OK);
        assert_int_equal(limber_pose_create(&s->model, &one), LIMBER_OK);
        for (uint32_t i = 0; i < LIMBERI_POSES; i++)
            times_s[i] = -0.02 + step_s * i;
        for (uint32_t count = 1; count <= LIMBERI_POSES; count++) {
            limberi_clip_sample_some(&s->model, &s->clip, times_s, count, at_once);
            for (uint32_t i = 0; i < count; i++) {
                limber_clip_sample(&s->model, &s->clip, times_s[i], &one);
                assert_memory_equal(at_once[i].local, one.local, JOINTS * sizeof *one.local);
            }
        }
        limberi_poses_destroy(at_once);
        limber_pose_destroy(&one);
        test_free(s);
    }
}

// --- differences ---

static void expect_near(limber_vec3 is, const double* wanted) {
    double off = fabs((double)is.x - wanted[0]) + fabs((double)is.y - wanted[1]) + fabs((double)is.z - wanted[2]);
    assert_true(off < 1e-6 * (1e-3 + fabs(wanted[0]) + fabs(wanted[1]) + fabs(wanted[2])));
}

static void check_differences(const limber_channel* channel, double time_s, double h, limber_vec3 first,
                              limber_vec3 second) {
    double q[3][4], v[3], a[3], b[3];
    uint32_t key = 0;
    for (int i = 0; i < 3; i++)
        limberi_channel_sample(channel, time_s + (i - 1) * h, &key, q[i]);
    for (int i = 0; i < 3; i++) {
        v[i] = q[2][i] - q[0][i];
        a[i] = q[2][i] - q[1][i];
        b[i] = q[1][i] - q[0][i];
    }
    if (channel->path == LIMBER_CHANNEL_ROTATION) {
        limberi_rotation_between(q[0], q[2], v);
        limberi_rotation_between(q[1], q[2], a);
        limberi_rotation_between(q[0], q[1], b);
        if (sqrt(pow(a[0] + b[0], 2) + pow(a[1] + b[1], 2) + pow(a[2] + b[2], 2)) >= 3) // might be the wrong way round
            for (int i = 0; i < 3; i++)
                v[i] = a[i] + b[i];
    }
    for (int i = 0; i < 3; i++) {
        v[i] /= 2 * h;
        a[i] = (a[i] - b[i]) / (h * h);
    }
    expect_near(first, v);
    expect_near(second, a);
}

static void differences_are_those_of_channels_one_by_one(void** state) {
    (void)state;
    for (uint32_t trial = 0; trial < TRIALS; trial++) {
        scene* s = scene_create(trial);
        limber_kinematics k;
        limber_motion_settings settings = {sizeof settings, 1 / 64.0, LIMBER_LOOP_NEVER,
                                           LIMBER_DERIVATIVES_DIFFERENCES};
        double time_s = 0.125;
        assert_int_equal(limber_kinematics_create(&s->model, &k), LIMBER_OK);
        assert_int_equal(limber_motion_from_clip(&s->model, &s->clip, &settings, time_s, &k), LIMBER_OK);
        for (uint32_t j = 0; j < JOINTS; j++) {
            uint32_t place = j * PATHS + LIMBER_CHANNEL_TRANSLATION, turn = j * PATHS + LIMBER_CHANNEL_ROTATION;
            if (s->of_joint[place] >= 0)
                check_differences(&s->channels[place], time_s, settings.step_s, k.velocity[j], k.acceleration[j]);
            if (s->of_joint[turn] >= 0)
                check_differences(&s->channels[turn], time_s, settings.step_s, k.angular_velocity[j],
                                  k.angular_acceleration[j]);
        }
        limber_kinematics_destroy(&k);
        test_free(s);
    }
}

// All keys become the first one.
static void hold(scene* s) {
    for (uint32_t c = 0; c < CHANNELS; c++) {
        size_t width = s->channels[c].path == LIMBER_CHANNEL_ROTATION ? 4 : 3;
        bool cubic = s->channels[c].interpolation == LIMBER_INTERPOLATION_CUBIC;
        float first[4], *values = s->values[c];
        memcpy(first, cubic ? values + width : values, width * sizeof *first);
        if (cubic)
            memset(values, 0, sizeof s->values[c]);
        for (size_t k = 0; k < KEYS; k++)
            memcpy(values + (cubic ? 3 * k + 1 : k) * width, first, width * sizeof *first);
    }
}

static void joints_whose_keys_are_equal_rest_to_the_last_bit(void** state) {
    (void)state;
    limber_motion_settings settings = limber_motion_settings_default();
    for (uint32_t trial = 0; trial < TRIALS; trial++) {
        scene* s = scene_create(trial);
        limber_kinematics k;
        hold(s);
        assert_int_equal(limber_kinematics_create(&s->model, &k), LIMBER_OK);
        for (int i = 0; i < 8; i++) {
            assert_int_equal(limber_motion_from_clip(&s->model, &s->clip, &settings, some_between(s, 0, 0.3), &k),
                             LIMBER_OK);
            for (uint32_t n = 0; n < JOINTS; n++) {
                const limber_vec3 all[4] = {k.velocity[n], k.acceleration[n], k.angular_velocity[n],
                                            k.angular_acceleration[n]};
                for (int q = 0; q < 4; q++)
                    assert_true(all[q].x == 0 && all[q].y == 0 && all[q].z == 0);
            }
        }
        limber_kinematics_destroy(&k);
        test_free(s);
    }
}

// --- to world ---

static void check_spin(const limber_mat4* parent, limber_vec3 in, limber_vec3 out) {
    float r[9];
    limberi_mat4_rotation(parent, r);
    const double wanted[3] = {(double)(r[0] * in.x + r[3] * in.y + r[6] * in.z),
                              (double)(r[1] * in.x + r[4] * in.y + r[7] * in.z),
                              (double)(r[2] * in.x + r[5] * in.y + r[8] * in.z)};
    expect_near(out, wanted);
}

static void spins_turn_with_rigid_scaled_mirrored_and_sheared_parents(void** state) {
    (void)state;
    const limber_vec3 scales[] = {{1, 1, 1}, {2.5f, 2.5f, 2.5f}, {-1, 1, 1}, {1, 1.3f, 0.4f}, {1e-4f, 1e-4f, 1e-4f}};
    scene* s = scene_create(1);
    limber_pose pose;
    limber_kinematics in, out;
    assert_int_equal(limber_pose_create(&s->model, &pose), LIMBER_OK);
    assert_int_equal(limber_kinematics_create(&s->model, &in), LIMBER_OK);
    assert_int_equal(limber_kinematics_create(&s->model, &out), LIMBER_OK);
    for (uint32_t j = 0; j < JOINTS; j++) {
        limber_vec3 turn = {(float)some(s), (float)some(s), (float)some(s)};
        pose.local[j].rotation = limberi_quat_exp(turn);
        pose.local[j].scale = scales[j % 5];
        pose.world_from_joint[j] = limberi_mat4_from_transform(&pose.local[j]);
        in.velocity[j] = turn;
        in.angular_velocity[j] = limberi_vec3(turn.y, -turn.x, 1);
        in.angular_acceleration[j] = turn;
    }
    limber_motion_to_world(&s->model, &pose, &in, &out);
    for (uint32_t j = 1; j < JOINTS; j++) {
        const limber_mat4* parent = &pose.world_from_joint[j - 1];
        limber_vec3 v = limberi_mat4_vector(parent, in.velocity[j]);
        check_spin(parent, in.angular_velocity[j], out.angular_velocity[j]);
        check_spin(parent, in.angular_acceleration[j], out.angular_acceleration[j]);
        assert_memory_equal(&v, &out.velocity[j], sizeof v);
    }
    assert_memory_equal(&in.angular_velocity[0], &out.angular_velocity[0], sizeof(limber_vec3));
    limber_pose_destroy(&pose);
    limber_kinematics_destroy(&in);
    limber_kinematics_destroy(&out);
    test_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_channels_at_once_are_what_each_of_them_is),
        cmocka_unit_test(a_pose_does_not_depend_on_what_else_is_asked_for),
        cmocka_unit_test(poses_sampled_at_once_are_those_of_each_time),
        cmocka_unit_test(differences_are_those_of_channels_one_by_one),
        cmocka_unit_test(joints_whose_keys_are_equal_rest_to_the_last_bit),
        cmocka_unit_test(spins_turn_with_rigid_scaled_mirrored_and_sheared_parents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
