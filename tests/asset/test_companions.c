// Joints that hang elsewhere in the rig than their skin: a foot on the root that follows the end of its leg.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "asset/asset_private.h"
#include "base/math.h"
#include "kit/models.h"
#include "kit/puppet.h"
#include "kit/style_kit.h"

enum { ROOT, THIGH, SHIN, FOOT, JOINTS, KEYS = 91, RATE = 60 };

typedef enum footing { ON_SHIN, FOLLOWS, WANDERS } footing;

static double swing_of(uint32_t joint, double time_s) {
    return joint == THIGH ? 0.7 * sin(5 * time_s) : joint == SHIN ? 0.5 * sin(5 * time_s - 1) : 0.3 * sin(7 * time_s);
}

// In the plane, the foot on the end of the shin: where it is, and how it is turned.
static void foot_at(double time_s, double* place, double* turn) {
    place[0] = 0;
    place[1] = 1;
    *turn = 0;
    for (uint32_t j = THIGH; j < FOOT; j++) {
        *turn += swing_of(j, time_s);
        place[0] -= sin(*turn);
        place[1] += cos(*turn);
    }
    *turn += swing_of(FOOT, time_s);
}

static void key_turn(double angle, float* out) {
    const float q[4] = {0, 0, (float)sin(0.5 * angle), (float)cos(0.5 * angle)};
    memcpy(out, q, sizeof q);
}

static limber_asset* leg_with(footing how) {
    static float times[KEYS], turns[JOINTS][4 * KEYS], places[3 * KEYS];
    limber_asset* tube = test_tube_create(JOINTS, 1, 24, false);
    limber_model model = *limber_asset_model(tube);
    int32_t parents[JOINTS] = {-1, ROOT, THIGH, how == ON_SHIN ? SHIN : ROOT};
    limber_transform rest[JOINTS];
    memcpy(rest, model.rig.rest_local, sizeof rest);
    rest[FOOT].translation.y = how == ON_SHIN ? 1 : 3;
    for (uint32_t k = 0; k < KEYS; k++) {
        double time_s = (double)k / RATE, place[2], turn;
        times[k] = (float)time_s;
        foot_at(how == WANDERS ? 2 * time_s : time_s, place, &turn);
        for (uint32_t j = THIGH; j <= FOOT; j++)
            key_turn(j == FOOT && how != ON_SHIN ? turn : swing_of(j, time_s), turns[j] + 4 * (size_t)k);
        const float at[3] = {(float)place[0], (float)place[1], 0};
        memcpy(places + 3 * (size_t)k, at, sizeof at);
    }
    limber_channel channels[4];
    for (uint32_t j = THIGH; j <= FOOT; j++)
        channels[j - 1] =
            (limber_channel){LIMBER_CHANNEL_ROTATION, LIMBER_INTERPOLATION_LINEAR, j, KEYS, times, turns[j]};
    channels[3] = (limber_channel){LIMBER_CHANNEL_TRANSLATION, LIMBER_INTERPOLATION_LINEAR, FOOT, KEYS, times, places};
    limber_clip clip;
    memset(&clip, 0, sizeof clip);
    clip.name = "kick";
    clip.channel_count = how == ON_SHIN ? 3 : 4;
    clip.channels = channels;
    model.rig.parents = parents;
    model.rig.rest_local = rest;
    model.clip_count = 1;
    model.clips = &clip;
    limber_asset* asset = NULL;
    limber_error error;
    if (limber_asset_create(&model, &asset, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    limber_asset_destroy(tube);
    return asset;
}

static void a_foot_hangs_on_the_leg_that_it_follows(void** state) {
    (void)state;
    for (footing how = ON_SHIN; how <= WANDERS; how++) {
        limber_asset* asset = leg_with(how);
        const limber_rig* rig = &limber_asset_model(asset)->rig;
        for (uint32_t j = ROOT; j < FOOT; j++)
            assert_int_equal(rig->hangs_on[j], rig->parents[j]);
        assert_int_equal(rig->hangs_on[FOOT], how == WANDERS ? ROOT : SHIN);
        limber_asset_destroy(asset);
    }
}

static limber_pipeline* styled(const limber_asset* asset) {
    limber_style* style =
        style_kit_read("{\"limber\": 1, \"compose\": \"chain\", \"effects\": {\"overlap\": {\"gain\": "
                       "3, \"max\": 30, \"linear\": 1}, \"squash\": {\"linear\": 0.1}}}");
    limber_pipeline* pipeline;
    limber_error error;
    if (limber_pipeline_create(asset, style, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    limber_style_destroy(style);
    return pipeline;
}

// Largest ratio of an edge's length to that of the plain clip.
static double stretch_of(const limber_model* model, const float* plain, const float* now) {
    const limber_mesh* mesh = &model->meshes[0];
    double max = 0;
    for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; k++) {
        size_t a = 3 * (size_t)mesh->triangles[k], b = 3 * (size_t)mesh->triangles[k % 3 == 2 ? k - 2 : k + 1];
        limber_vec3 was = limberi_sub(limberi_load3(plain + a), limberi_load3(plain + b));
        limber_vec3 is = limberi_sub(limberi_load3(now + a), limberi_load3(now + b));
        max = fmax(max, (double)limberi_length(is) / fmax((double)limberi_length(was), 0.1));
    }
    return max;
}

// The foot lags with the leg: as much as one that is a child of the shin, but for its own turns, and nothing tears.
static void a_foot_that_follows_moves_with_the_leg(void** state) {
    (void)state;
    enum { LAST = 18 }; // a vertex of the ring at the end
    limber_asset* assets[2] = {leg_with(ON_SHIN), leg_with(FOLLOWS)};
    limber_pipeline* pipelines[2] = {styled(assets[0]), styled(assets[1])};
    double size = (double)limber_asset_model(assets[0])->size, farthest = 0;
    for (int i = 6; i < 90; i++) {
        limber_frame frames[2];
        limber_vec3 moved[2];
        for (int k = 0; k < 2; k++) {
            assert_int_equal(limber_pipeline_evaluate(pipelines[k], 0, (double)i / RATE, &frames[k]), LIMBER_OK);
            moved[k] =
                limberi_sub(limberi_load3(frames[k].positions + 3 * LAST), limberi_load3(frames[k].skinned + 3 * LAST));
        }
        double apart = (double)limberi_length(limberi_sub(moved[0], moved[1]));
        farthest = fmax(farthest, (double)limberi_length(moved[1]));
        assert_true(apart < 0.03 * size);
        assert_true(stretch_of(limber_asset_model(assets[1]), frames[1].skinned, frames[1].positions) < 1.5);
    }
    assert_true(farthest > 0.1 * size);
    for (int k = 0; k < 2; k++) {
        limber_pipeline_destroy(pipelines[k]);
        limber_asset_destroy(assets[k]);
    }
}

// Where the foot is in the frame of the shin.
static limber_vec3 foot_on_shin(const limber_model* model, const limber_clip* clip, double time_s) {
    limber_pose pose;
    limber_mat4 back;
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    limber_clip_sample(model, clip, time_s, &pose);
    limber_pose_update_world(model, &pose);
    assert_true(limberi_mat4_inverse(&pose.world_from_joint[SHIN], &back));
    limber_vec3 at = limberi_mat4_point(&back, limberi_mat4_translation(&pose.world_from_joint[FOOT]));
    limber_pose_destroy(&pose);
    return at;
}

// The foot goes elsewhere in the edited clip, with its shin.
static void check_that_the_foot_follows(const limber_model* model, const limber_clip* edited) {
    const limber_clip* clips[2] = {&model->clips[0], edited};
    limber_pose poses[2];
    double moved = 0;
    for (int k = 0; k < 2; k++)
        assert_int_equal(limber_pose_create(model, &poses[k]), LIMBER_OK);
    for (uint32_t i = 0; i < KEYS; i++) {
        limber_vec3 at[2];
        for (int k = 0; k < 2; k++) {
            at[k] = foot_on_shin(model, clips[k], (double)i / RATE);
            limber_clip_sample(model, clips[k], (double)i / RATE, &poses[k]);
        }
        assert_true(limberi_length(limberi_sub(at[1], at[0])) < 0.002f * model->size);
        limber_vec3 way = limberi_sub(poses[1].local[FOOT].translation, poses[0].local[FOOT].translation);
        moved = fmax(moved, (double)limberi_length(way));
    }
    assert_true(moved > 0.03 * (double)model->size);
    for (int k = 0; k < 2; k++)
        limber_pose_destroy(&poses[k]);
}

static void exaggerated_feet_stay_on_their_leg(void** state) {
    (void)state;
    limber_asset* asset = leg_with(FOLLOWS);
    const limber_model* model = limber_asset_model(asset);
    limber_exaggerate_settings settings = limber_exaggerate_settings_default();
    limber_exaggerated* edited;
    settings.amount = 1;
    settings.sigma_s = 0.12;
    assert_int_equal(limber_exaggerate(model, &model->clips[0], RATE, &settings, &edited, NULL), LIMBER_OK);
    check_that_the_foot_follows(model, limber_exaggerated_clip(edited));
    limber_exaggerated_destroy(edited);
    limber_asset_destroy(asset);
}

// A mouth at the root of a rig goes where the head goes when poses get larger: else its eyes leave their sockets.
static void larger_poses_take_what_follows_along(void** state) {
    (void)state;
    limber_asset* asset = leg_with(FOLLOWS);
    limber_stage_settings settings = limber_stage_settings_default();
    limber_pipeline* pipeline;
    limber_edited_clip edited;
    settings.perform.exaggerate = 1;
    assert_int_equal(limber_pipeline_create_from_settings(asset, &settings, &pipeline, NULL), LIMBER_OK);
    assert_true(limber_pipeline_edited_clip(pipeline, 0, &edited));
    check_that_the_foot_follows(limber_asset_model(asset), edited.clip);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

// The same with live poses: the ring at the end goes elsewhere, and nothing tears at the shin.
static void larger_live_poses_take_what_follows_along(void** state) {
    (void)state;
    enum { LAST = 18 }; // a vertex of the ring at the end
    puppet p;
    limber_asset* asset = leg_with(FOLLOWS);
    double moved = 0;
    limber_stage_settings settings = puppet_settings(1, 0, 0);
    puppet_open_with(&p, asset, &settings);
    for (int i = 0; i < 120; i++) {
        puppet_play(&p, 0, i / 60.0);
        puppet_skin_plainly(&p);
        moved = fmax(moved, (double)limberi_distance(limberi_load3(p.frame.positions + 3 * LAST),
                                                     limberi_load3(p.plain + 3 * LAST)));
        assert_true(stretch_of(p.model, p.plain, p.frame.positions) < 1.2);
    }
    assert_true(moved > 0.1 * (double)p.model->size);
    puppet_close(&p);
    limber_asset_destroy(asset);
}

// The same leg with its foot before it.
static limber_asset* foot_first(const limber_model* model, uint32_t* order) {
    static const uint32_t first[JOINTS] = {ROOT, FOOT, THIGH, SHIN};
    limberi_arena arena = {NULL, false};
    limber_model turned = *model;
    limber_asset* asset = NULL;
    limber_error error;
    assert_true(limberi_model_reorder(&arena, first, &turned));
    limber_result result = order ? limber_asset_create_ordered(&turned, order, &asset, &error)
                                 : limber_asset_create(&turned, &asset, &error);
    if (result)
        fail_msg("%s: %s", error.place, error.message);
    limberi_arena_free(&arena);
    return asset;
}

static void joints_that_come_before_what_they_hang_on_change_places(void** state) {
    (void)state;
    limber_asset* asset = leg_with(FOLLOWS);
    const limber_model* model = limber_asset_model(asset);
    uint32_t order[JOINTS];
    limber_asset* given = foot_first(model, NULL);
    limber_asset* ordered = foot_first(model, order);
    assert_int_equal(limber_asset_model(given)->rig.hangs_on[1], ROOT);
    const uint32_t wanted[JOINTS] = {0, 2, 3, 1}; // of the joints as they were given
    assert_memory_equal(order, wanted, sizeof wanted);
    limber_pipeline* pipelines[2] = {styled(asset), styled(ordered)};
    limber_frame frames[2];
    for (double t = 0; t < 1.5; t += 0.1) {
        for (int i = 0; i < 2; i++)
            assert_int_equal(limber_pipeline_evaluate(pipelines[i], 0, t, &frames[i]), LIMBER_OK);
        assert_memory_equal(frames[0].positions, frames[1].positions, 12 * (size_t)model->vertex_count);
    }
    for (int i = 0; i < 2; i++)
        limber_pipeline_destroy(pipelines[i]);
    limber_asset_destroy(given);
    limber_asset_destroy(ordered);
    limber_asset_destroy(asset);
}

// What need not change places does not, and is told so.
static void other_joints_stay_where_they_are(void** state) {
    (void)state;
    for (footing how = ON_SHIN; how <= WANDERS; how++) {
        limber_asset* asset = leg_with(how);
        limber_asset* again = NULL;
        limber_error error;
        uint32_t order[JOINTS];
        assert_int_equal(limber_asset_create_ordered(limber_asset_model(asset), order, &again, &error), LIMBER_OK);
        for (uint32_t j = 0; j < JOINTS; j++)
            assert_int_equal(order[j], j);
        limber_asset_destroy(again);
        limber_asset_destroy(asset);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_foot_hangs_on_the_leg_that_it_follows),
        cmocka_unit_test(a_foot_that_follows_moves_with_the_leg),
        cmocka_unit_test(exaggerated_feet_stay_on_their_leg),
        cmocka_unit_test(larger_poses_take_what_follows_along),
        cmocka_unit_test(larger_live_poses_take_what_follows_along),
        cmocka_unit_test(joints_that_come_before_what_they_hang_on_change_places),
        cmocka_unit_test(other_joints_stay_where_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
