// Kinematics: the identity of velocities on every character, closed forms, ends, loops, cuts, and the live tracker.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asset/channel.h"
#include "base/math.h"
#include "kit/models.h"
#include "motion/kinematics.h"

// A second implementation of posing, in double precision, as the yardstick.
typedef double matrix[12]; // columns x, y, z, translation

static void matrix_from_parts(const double* t, const double* q, const double* s, double* m) {
    double x = q[0], y = q[1], z = q[2], w = q[3];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y + w * z),     2 * (x * z - w * y),
                         2 * (x * y - w * z),     1 - 2 * (x * x + z * z), 2 * (y * z + w * x),
                         2 * (x * z + w * y),     2 * (y * z - w * x),     1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 9; i++)
        m[i] = r[i] * s[i / 3];
    for (int i = 0; i < 3; i++)
        m[9 + i] = t[i];
}

static void matrix_apply(const double* m, const double* p, double* out) {
    for (int i = 0; i < 3; i++)
        out[i] = m[i] * p[0] + m[3 + i] * p[1] + m[6 + i] * p[2] + m[9 + i];
}

static void matrix_multiply(const double* a, const double* b, double* out) {
    for (int c = 0; c < 4; c++)
        for (int i = 0; i < 3; i++)
            out[3 * c + i] =
                a[i] * b[3 * c] + a[3 + i] * b[3 * c + 1] + a[6 + i] * b[3 * c + 2] + (c == 3 ? a[9 + i] : 0);
}

static void pose_exactly(const limber_model* model, const limber_clip* clip, double time_s, matrix* world) {
    for (uint32_t j = 0; j < model->rig.joint_count; j++) {
        const limber_transform* rest = &model->rig.rest_local[j];
        double t[3] = {(double)rest->translation.x, (double)rest->translation.y, (double)rest->translation.z};
        double q[4] = {(double)rest->rotation.x, (double)rest->rotation.y, (double)rest->rotation.z,
                       (double)rest->rotation.w};
        double s[3] = {(double)rest->scale.x, (double)rest->scale.y, (double)rest->scale.z};
        double* parts[3] = {t, q, s};
        for (int path = 0; path < 3; path++) {
            uint32_t key = 0;
            int32_t c = clip->channel_of_joint[3 * j + (uint32_t)path];
            if (c >= 0)
                limberi_channel_sample(&clip->channels[c], time_s, &key, parts[path]);
        }
        double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        for (int i = 0; i < 4; i++)
            q[i] /= norm;
        matrix local;
        matrix_from_parts(t, q, s, local);
        if (model->rig.parents[j] < 0)
            memcpy(world[j], local, sizeof local);
        else
            matrix_multiply(world[model->rig.parents[j]], local, world[j]);
    }
}

static void skin_point(const limber_skin* skin, uint32_t k, matrix* world, const float* p, double* out) {
    matrix bind;
    for (int c = 0; c < 4; c++)
        for (int i = 0; i < 3; i++)
            bind[3 * c + i] = (double)skin->joint_from_mesh[k].m[4 * c + i];
    double mesh[3] = {(double)p[0], (double)p[1], (double)p[2]}, joint[3];
    matrix_apply(bind, mesh, joint);
    matrix_apply(world[skin->joints[k]], joint, out);
}

typedef struct speeds {
    double worst, fastest;
} speeds;

// Left side of the identity minus the numerical derivative of the skinned position, for one vertex.
static void check_vertex(const limber_model* model, const limber_mesh* mesh, uint32_t u, const limber_kinematics* world,
                         matrix* const poses[3], double step_s, speeds* out) {
    const limber_skin* skin = &model->skins[mesh->skin];
    const float* p = mesh->positions + 3 * u;
    double sum[3] = {0, 0, 0}, before[3] = {0, 0, 0}, after[3] = {0, 0, 0};
    for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
        uint32_t k = mesh->influence_joint[i];
        double b = (double)mesh->influence_weight[i], at[3], lo[3], hi[3];
        skin_point(skin, k, poses[0], p, lo);
        skin_point(skin, k, poses[1], p, at);
        skin_point(skin, k, poses[2], p, hi);
        for (int c = 0; c < 3; c++) {
            before[c] += b * lo[c];
            after[c] += b * hi[c];
        }
        for (int32_t j = (int32_t)skin->joints[k]; j >= 0; j = model->rig.parents[j]) {
            limber_vec3 v = world->velocity[j], w = world->angular_velocity[j];
            double r[3] = {at[0] - poses[1][j][9], at[1] - poses[1][j][10], at[2] - poses[1][j][11]};
            sum[0] += b * ((double)v.x + (double)w.y * r[2] - (double)w.z * r[1]);
            sum[1] += b * ((double)v.y + (double)w.z * r[0] - (double)w.x * r[2]);
            sum[2] += b * ((double)v.z + (double)w.x * r[1] - (double)w.y * r[0]);
        }
    }
    double off = 0, speed = 0;
    for (int c = 0; c < 3; c++) {
        double rate = (after[c] - before[c]) / (2 * step_s);
        off += (sum[c] - rate) * (sum[c] - rate);
        speed += rate * rate;
    }
    out->worst = fmax(out->worst, sqrt(off));
    out->fastest = fmax(out->fastest, sqrt(speed));
}

static bool scale_moves(const limber_clip* clip) {
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        const limber_channel* channel = &clip->channels[i];
        if (channel->path != LIMBER_CHANNEL_SCALE)
            continue;
        for (uint32_t k = 1; k < channel->key_count; k++)
            for (int c = 0; c < 3; c++)
                if (fabsf(limberi_channel_key(channel, k)[c] - limberi_channel_key(channel, 0)[c]) > 1e-5f)
                    return true;
    }
    return false;
}

static double check_clip(const limber_model* model, const limber_clip* clip, double fraction) {
    const double step_s = 2e-5;
    uint32_t joints = model->rig.joint_count;
    matrix* poses[3];
    for (int i = 0; i < 3; i++)
        poses[i] = malloc(joints * sizeof(matrix));
    limber_pose pose;
    limber_kinematics local, world;
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    assert_int_equal(limber_kinematics_create(model, &local), LIMBER_OK);
    assert_int_equal(limber_kinematics_create(model, &world), LIMBER_OK);
    // Inside an interval between keys, where linear keys have a derivative.
    double keys = floor((clip->end_s - clip->start_s) / clip->key_step_s * fraction);
    double t = clip->start_s + (keys + 0.43) * clip->key_step_s;
    limber_motion_settings settings = limber_motion_settings_default();
    settings.step_s = step_s;
    settings.loop = LIMBER_LOOP_NEVER; // the gap at the seam of a loop is taken out of its motion
    limber_clip_sample(model, clip, t, &pose);
    limber_pose_update_world(model, &pose);
    assert_int_equal(limber_motion_from_clip(model, clip, &settings, t, &local), LIMBER_OK);
    limber_motion_to_world(model, &pose, &local, &world);
    for (int i = 0; i < 3; i++)
        pose_exactly(model, clip, t + (i - 1) * step_s, poses[i]);
    speeds s = {0, 0};
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        for (uint32_t u = 0; u < mesh->vertex_count; u += 3)
            check_vertex(model, mesh, u, &world, poses, step_s, &s);
    }
    for (int i = 0; i < 3; i++)
        free(poses[i]);
    limber_pose_destroy(&pose);
    limber_kinematics_destroy(&local);
    limber_kinematics_destroy(&world);
    return s.fastest > 1e-4 * (double)model->size ? s.worst / s.fastest : 0;
}

static void joint_velocities_add_up_to_the_derivative_of_skinning(void** state) {
    (void)state;
    uint32_t clips = 0;
    for (uint32_t i = 0; i < test_character_count(); i++) {
        limber_gltf* gltf;
        limber_asset* asset = test_character_load(i, &gltf);
        const limber_model* model = limber_asset_model(asset);
        double worst = 0;
        for (uint32_t c = 0; c < model->clip_count; c++) {
            if (scale_moves(&model->clips[c])) // the identity is about rotation and translation
                continue;
            clips++;
            for (int k = 0; k < 4; k++)
                worst = fmax(worst, check_clip(model, &model->clips[c], 0.11 + 0.23 * k));
        }
        print_message("%s: %.2g\n", test_character_name(i), worst);
        if (worst > 1e-4)
            fail_msg("%s: identity of velocities off by %g", test_character_name(i), worst);
        test_character_free(asset, gltf);
    }
    assert_true(clips >= 1);
}

static void kinematics_at(const limber_asset* asset, double time_s, double step_s, limber_kinematics* out) {
    const limber_model* model = limber_asset_model(asset);
    limber_motion_settings settings = limber_motion_settings_default();
    settings.step_s = step_s;
    assert_int_equal(limber_motion_from_clip(model, &model->clips[0], &settings, time_s, out), LIMBER_OK);
}

static void constant_turn_has_constant_spin_up_to_both_ends(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1.2f, 30, false);
    limber_kinematics k;
    assert_int_equal(limber_kinematics_create(limber_asset_model(asset), &k), LIMBER_OK);
    const double times[] = {-1, 0, 0.001, 0.02, 0.5, 0.99, 1, 7};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        kinematics_at(asset, times[i], 0, &k);
        assert_true(fabsf(k.angular_velocity[1].z - 1.2f) < 1e-4f);
        assert_true(fabsf(k.angular_acceleration[1].z) < 2e-2f); // float keys: 1e-7 rad over (1/30 s)^2
        assert_true(k.velocity[1].x == 0 && k.angular_velocity[0].z == 0 && k.angular_velocity[2].z == 0);
    }
    limber_kinematics_destroy(&k);
    limber_asset_destroy(asset);
}

static void loop_wraps_velocity_and_acceleration(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 60, true); // angle (1 - cos 2 pi t) / 2
    limber_kinematics a, b;
    assert_int_equal(limber_kinematics_create(limber_asset_model(asset), &a), LIMBER_OK);
    assert_int_equal(limber_kinematics_create(limber_asset_model(asset), &b), LIMBER_OK);
    for (int i = 0; i < 40; i++) {
        double t = i / 40.0;
        kinematics_at(asset, t, 0, &a);
        kinematics_at(asset, t + 3, 0, &b);
        assert_true(fabsf(a.angular_velocity[1].z - b.angular_velocity[1].z) < 1e-5f);
        double w = LIMBERI_PI * sin(2 * LIMBERI_PI * t), alpha = 2 * LIMBERI_PI * LIMBERI_PI * cos(2 * LIMBERI_PI * t);
        assert_true(fabs((double)a.angular_velocity[1].z - w) < 0.05);
        if (i % 2 == 0) // between keys the second difference of straight pieces has its own ripple
            assert_true(fabs((double)a.angular_acceleration[1].z - alpha) < 1);
    }
    limber_kinematics_destroy(&a);
    limber_kinematics_destroy(&b);
    limber_asset_destroy(asset);
}

static limber_asset* tube_with_root_track(const float* moves, uint32_t keys, const float* times) {
    limber_asset *base = test_tube_create(3, 1, 30, false), *asset;
    limber_model model = *limber_asset_model(base);
    limber_clip clip = model.clips[0];
    limber_channel channel = {LIMBER_CHANNEL_TRANSLATION, LIMBER_INTERPOLATION_LINEAR, 0, keys, times, moves};
    clip.channel_count = 1;
    clip.channels = &channel;
    model.clips = &clip;
    assert_int_equal(limber_asset_create(&model, &asset, NULL), LIMBER_OK);
    limber_asset_destroy(base);
    return asset;
}

static void derivatives_do_not_cross_a_cut(void** state) {
    (void)state;
    float times[61], moves[183];
    for (int k = 0; k <= 60; k++) {
        times[k] = (float)k / 30;
        moves[3 * k] = 0.3f * times[k] + (k >= 20 ? 40.0f : 0.0f);
        moves[3 * k + 1] = moves[3 * k + 2] = 0;
    }
    limber_asset* asset = tube_with_root_track(moves, 61, times);
    limber_kinematics k;
    assert_int_equal(limber_asset_model(asset)->clips[0].cut_count, 1);
    assert_int_equal(limber_kinematics_create(limber_asset_model(asset), &k), LIMBER_OK);
    for (int i = 0; i <= 200; i++) {
        kinematics_at(asset, i / 100.0, 0, &k);
        assert_true(fabsf(k.velocity[0].x - 0.3f) < 1e-3f);
        assert_true(fabsf(k.acceleration[0].x) < 0.02f);
    }
    limber_kinematics_destroy(&k);
    limber_asset_destroy(asset);
}

static void carried_joint_contributes_nothing(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 30, false);
    const limber_model* model = limber_asset_model(asset);
    limber_kinematics local, world;
    limber_pose pose;
    assert_int_equal(limber_kinematics_create(model, &local), LIMBER_OK);
    assert_int_equal(limber_kinematics_create(model, &world), LIMBER_OK);
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    kinematics_at(asset, 0.5, 0, &local);
    limber_clip_sample(model, &model->clips[0], 0.5, &pose);
    limber_pose_update_world(model, &pose);
    limber_motion_to_world(model, &pose, &local, &world);
    assert_true(limberi_length(world.velocity[2]) == 0 && limberi_length(world.angular_velocity[2]) == 0);
    assert_true(limberi_length(world.angular_velocity[1]) > 0.9f);
    limber_pose_destroy(&pose);
    limber_kinematics_destroy(&local);
    limber_kinematics_destroy(&world);
    limber_asset_destroy(asset);
}

static void tracker_and_clip_agree_to_first_order(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 960, true);
    const limber_model* model = limber_asset_model(asset);
    limber_pose pose;
    limber_tracker* tracker;
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    assert_int_equal(limber_tracker_create(model, &tracker, NULL), LIMBER_OK);
    double off[3];
    for (int round = 0; round < 3; round++) {
        double rate = 60 << round, worst = 0;
        limber_tracker_reset(tracker);
        for (int i = 0; i < (int)rate / 2; i++) {
            double t = i / rate;
            limber_clip_sample(model, &model->clips[0], t, &pose);
            limber_tracker_push(tracker, pose.local, t);
            double exact = LIMBERI_PI * sin(2 * LIMBERI_PI * t);
            if (i > 2)
                worst = fmax(worst, fabs((double)limber_tracker_kinematics(tracker)->angular_velocity[1].z - exact));
        }
        off[round] = worst;
    }
    assert_true(off[0] < 0.3 && off[1] < 0.6 * off[0] && off[2] < 0.6 * off[1]);
    limber_tracker_destroy(tracker);
    limber_pose_destroy(&pose);
    limber_asset_destroy(asset);
}

static void push_turn(limber_tracker* tracker, limber_pose* pose, float angle, double time_s) {
    limber_quat q = {0, 0, sinf(0.5f * angle), cosf(0.5f * angle)};
    pose->local[1].rotation = q;
    limber_tracker_push(tracker, pose->local, time_s);
}

static void tracker_survives_pauses_gaps_teleports_and_uneven_steps(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 30, false);
    const limber_model* model = limber_asset_model(asset);
    limber_pose pose;
    limber_tracker* tracker;
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    assert_int_equal(limber_tracker_create(model, &tracker, NULL), LIMBER_OK);
    const limber_vec3* spin = &limber_tracker_kinematics(tracker)->angular_velocity[1];
    const limber_vec3* change = &limber_tracker_kinematics(tracker)->angular_acceleration[1];
    const double uneven[] = {0, 0.01, 0.015, 0.04, 0.05, 0.06};
    for (size_t i = 0; i < 6; i++) {
        push_turn(tracker, &pose, (float)(2 * uneven[i]), uneven[i]);
        if (i >= 1)
            assert_true(fabsf(spin->z - 2) < 1e-3f && fabsf(change->z) < 0.1f);
    }
    push_turn(tracker, &pose, 0.12f, 0.06); // pause: same stamp
    assert_true(fabsf(spin->z - 2) < 1e-3f);
    push_turn(tracker, &pose, 2, 3); // a tab switch later
    assert_true(spin->z == 0 && change->z == 0);
    push_turn(tracker, &pose, 2.02f, 3.01);
    assert_true(fabsf(spin->z - 2) < 1e-2f && change->z == 0);
    pose.local[0].translation.x = 100; // teleport
    push_turn(tracker, &pose, 2.04f, 3.02);
    assert_true(limber_tracker_kinematics(tracker)->velocity[0].x == 0 && spin->z == 0);
    push_turn(tracker, &pose, 2.0f, 1.0); // time runs backwards
    assert_true(spin->z == 0);
    limber_tracker_push(tracker, pose.local, NAN);
    assert_true(isfinite(spin->z));
    limber_tracker_destroy(tracker);
    limber_pose_destroy(&pose);
    limber_asset_destroy(asset);
}

// An arm that is turned by more than 120 degrees from one pose to the next is another pose, about whatever axis: taken for
// a motion it would fling everything that follows it.
static void a_turn_by_more_than_120_degrees_is_a_cut(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 30, false);
    const limber_model* model = limber_asset_model(asset);
    limber_pose pose;
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    for (int axis = 0; axis < 3; axis++)
        for (int degrees = 100; degrees <= 140; degrees += 10) {
            limber_tracker* tracker;
            limber_vec3 way = limberi_scale(limberi_vec3((float)(axis == 0), (float)(axis == 1), (float)(axis == 2)),
                                            (float)degrees * (float)LIMBERI_PI / 180);
            assert_int_equal(limber_tracker_create(model, &tracker, NULL), LIMBER_OK);
            for (int i = 0; i < 3; i++) {
                pose.local[1].rotation = limberi_quat_exp(limberi_scale(way, (float)i));
                limber_tracker_push(tracker, pose.local, i / 60.0);
            }
            bool moves = limberi_length(limber_tracker_kinematics(tracker)->angular_velocity[1]) > 1;
            if (degrees != 120)
                assert_int_equal(moves, degrees < 120);
            limber_tracker_destroy(tracker);
        }
    limber_pose_destroy(&pose);
    limber_asset_destroy(asset);
}

static void every_clip_of_every_character_has_finite_bounded_kinematics(void** state) {
    (void)state;
    for (uint32_t i = 0; i < test_character_count(); i++) {
        limber_gltf* gltf;
        limber_asset* asset = test_character_load(i, &gltf);
        const limber_model* model = limber_asset_model(asset);
        limber_kinematics k;
        limber_motion_settings settings = limber_motion_settings_default();
        assert_int_equal(limber_kinematics_create(model, &k), LIMBER_OK);
        for (uint32_t c = 0; c < model->clip_count; c++) {
            const limber_clip* clip = &model->clips[c];
            for (int n = -2; n <= 42; n++) {
                double t = clip->start_s + (clip->end_s - clip->start_s) * n / 40.0;
                assert_int_equal(limber_motion_from_clip(model, clip, &settings, t, &k), LIMBER_OK);
                for (uint32_t j = 0; j < model->rig.joint_count; j++) {
                    assert_true(isfinite(limberi_length(k.acceleration[j])));
                    // Half a turn per step is the most that differences of poses can tell.
                    double max = LIMBERI_PI / limberi_motion_step(&settings);
                    assert_true((double)limberi_length(k.angular_velocity[j]) <= 1.01 * max);
                }
            }
        }
        limber_kinematics_destroy(&k);
        test_character_free(asset, gltf);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joint_velocities_add_up_to_the_derivative_of_skinning),
        cmocka_unit_test(constant_turn_has_constant_spin_up_to_both_ends),
        cmocka_unit_test(loop_wraps_velocity_and_acceleration),
        cmocka_unit_test(derivatives_do_not_cross_a_cut),
        cmocka_unit_test(carried_joint_contributes_nothing),
        cmocka_unit_test(tracker_and_clip_agree_to_first_order),
        cmocka_unit_test(tracker_survives_pauses_gaps_teleports_and_uneven_steps),
        cmocka_unit_test(a_turn_by_more_than_120_degrees_is_a_cut),
        cmocka_unit_test(every_clip_of_every_character_has_finite_bounded_kinematics),
    };
    return cmocka_run_group_tests_name("motion", tests, NULL, NULL);
}
