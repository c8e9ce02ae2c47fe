// Wind and gravity: what they add to the motion of joints, as closed forms, and what effects make of it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/models.h"
#include "kit/style_kit.h"
#include "motion/air.h"
#include <limber/live.h>

// A cylinder on five joints that stands still, its root turned about z.
static limber_asset* still_one(float angle_rad) {
    limber_asset* moving = test_built_in("cylinder", 0.5);
    limber_model model = *limber_asset_model(moving);
    limber_quat q = limberi_quat_mul(limberi_quat_exp(limberi_vec3(0, 0, angle_rad)), model.rig.rest_local[0].rotation);
    const float times[2] = {0, 2}, values[8] = {q.x, q.y, q.z, q.w, q.x, q.y, q.z, q.w};
    const limber_channel channel = {LIMBER_CHANNEL_ROTATION, LIMBER_INTERPOLATION_LINEAR, 0, 2, times, values};
    limber_clip clip;
    memset(&clip, 0, sizeof clip);
    clip.name = "still";
    clip.channel_count = 1;
    clip.channels = &channel;
    model.clip_count = 1;
    model.clips = &clip;
    limber_asset* asset;
    assert_int_equal(limber_asset_create(&model, &asset, NULL), LIMBER_OK);
    limber_asset_destroy(moving);
    return asset;
}

static limber_pipeline* styled(const limber_asset* asset, const char* text) {
    limber_style* style = style_kit_read(text);
    limber_pipeline* pipeline;
    limber_error error;
    if (limber_pipeline_create(asset, style, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s: %s", text, error.message);
    limber_style_destroy(style);
    return pipeline;
}

static limber_vec3 mean_move(const limber_model* model, const limber_frame* f) {
    limber_vec3 sum = limberi_vec3(0, 0, 0);
    for (size_t u = 0; u < model->vertex_count; u++)
        sum = limberi_add(sum, limberi_sub(limberi_load3(f->positions + 3 * u), limberi_load3(f->skinned + 3 * u)));
    return limberi_scale(sum, 1 / ((float)model->vertex_count * model->size));
}

static limber_vec3 move_at(const limber_asset* asset, const char* text, double time_s) {
    limber_pipeline* pipeline = styled(asset, text);
    limber_frame frame;
    assert_int_equal(limber_pipeline_evaluate(pipeline, 0, time_s, &frame), LIMBER_OK);
    limber_vec3 move = mean_move(limber_asset_model(asset), &frame);
    limber_pipeline_destroy(pipeline);
    return move;
}

// The lag of a spring in a steady wind is 2 d / w of the turn, that under a steady push 1 / w^2 of it.
static void check_follower(float angle_rad, limber_vec3 wind, limber_vec3 gravity) {
    limber_asset* asset = still_one(angle_rad);
    const limber_model* model = limber_asset_model(asset);
    limber_air_settings settings = {{{wind.x, NULL}, {wind.y, NULL}, {wind.z, NULL}}, gravity};
    limber_filter_set filters = limber_filter_set_none();
    filters.air = LIMBER_AIR_WIND | LIMBER_AIR_GRAVITY;
    filters.follower = (limber_follower){2.2, 0.5, 0.03, 0, 0};
    limberi_air* air;
    limber_track* track;
    limber_kinematics k;
    limber_pose pose;
    assert_int_equal(limberi_air_create(model, &settings, model->size, &air), LIMBER_OK);
    limber_motion_settings motion = limber_motion_settings_default();
    limberi_filters with_air = {filters, 0, {{0, 0, NULL}}};
    assert_int_equal(limberi_track_create(model, &model->clips[0], &motion, &with_air, air, NULL, &track, NULL),
                     LIMBER_OK);
    assert_int_equal(limber_kinematics_create(model, &k), LIMBER_OK);
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    limber_clip_sample(model, &model->clips[0], 0, &pose);
    limber_pose_update_world(model, &pose);
    double w = 2 * LIMBERI_PI * 2.2;
    for (int i = 0; i <= 4; i++) {
        limber_track_evaluate(track, 0.5 * i, &k);
        limber_motion_to_world(model, &pose, &k, &k);
        for (uint32_t j = 0; j < model->rig.joint_count; j++) {
            limber_vec3 l = limberi_mat4_vector(&pose.world_from_joint[j], model->rig.centroid[j]);
            limber_quat turned = limberi_quat_exp(limberi_vec3(0, 0, angle_rad)); // all joints turn with the root
            limber_vec3 change = limberi_sub(gravity, limberi_quat_rotate(turned, gravity));
            float min = 0.05f * model->size, square = fmaxf(limberi_dot(l, l), min * min);
            limber_vec3 turn = limberi_scale(limberi_cross(l, wind), -model->size / square);
            limber_vec3 push = limberi_scale(limberi_cross(l, change), -model->size / square);
            limber_vec3 lag =
                limberi_add(limberi_scale(turn, (float)(2 * 0.5 / w)), limberi_scale(push, (float)(1 / (w * w))));
            float scale = limberi_length(turn) + limberi_length(push) + 1e-6f;
            assert_true(limberi_length(limberi_sub(k.angular_velocity[j], turn)) < 1e-4f * scale);
            assert_true(limberi_length(limberi_sub(k.angular_acceleration[j], lag)) < 1e-4f * scale);
        }
    }
    limber_pose_destroy(&pose);
    limber_kinematics_destroy(&k);
    limber_track_destroy(track);
    limberi_air_destroy(air);
    limber_asset_destroy(asset);
}

static void springs_settle_where_they_should(void** state) {
    (void)state;
    check_follower(0, limberi_vec3(0.4f, 0, 0.1f), limberi_vec3(0, 0, 0));
    check_follower(0.7f, limberi_vec3(0, 0, 0), limberi_vec3(0, -3, 0));
    check_follower(-1.2f, limberi_vec3(0, 0.2f, 0.4f), limberi_vec3(1, -3, 0));
}

#define FLOPPY "\"effects\": {\"floppy\": {\"angular\": 0.3}}"
#define OVERLAP "\"compose\": \"chain\", \"effects\": {\"overlap\": {\"gain\": 3}}"

static void a_still_character_bends_with_the_wind(void** state) {
    (void)state;
    limber_asset* asset = still_one(0);
    static const char* const effects[2] = {FLOPPY, OVERLAP};
    for (int i = 0; i < 2; i++) {
        char text[256];
        snprintf(text, sizeof text, "{\"wind\": [0.5, 0, 0], %s}", effects[i]);
        limber_vec3 there = move_at(asset, text, 1);
        snprintf(text, sizeof text, "{\"wind\": [\"-0.5\", 0, 0], %s}", effects[i]);
        limber_vec3 back = move_at(asset, text, 1);
        snprintf(text, sizeof text, "{\"wind\": [0, 0, 0], %s}", effects[i]);
        limber_vec3 none = move_at(asset, text, 1);
        assert_true(there.x > 0.01f && fabsf(there.x + back.x) < 1e-5f);
        assert_true(limberi_is_zero(none));
    }
    // Squash and stretch do not feel it.
    assert_true(limberi_is_zero(move_at(
        asset, "{\"wind\": [1, 0, 0], \"effects\": {\"squash\": {\"angular\": 1}, \"stretch\": {\"angular\": 1}}}",
        1)));
    limber_asset_destroy(asset);
}

static void what_leans_droops_and_the_rest_pose_does_not(void** state) {
    (void)state;
    limber_asset *upright = still_one(0), *leaning = still_one(-0.8f);
    static const char* const texts[2] = {"{\"gravity\": 4, " OVERLAP "}",
                                         "{\"gravity\": [0, -4, 0], \"effects\": {\"drag\": {\"angular\": 0.05}}}"};
    for (int i = 0; i < 2; i++) {
        assert_true(limberi_length(move_at(upright, texts[i], 1)) < 1e-5f);
        limber_vec3 move = move_at(leaning, texts[i], 1);
        assert_true(move.y < -0.005f && move.x > 0);
    }
    limber_asset_destroy(upright);
    limber_asset_destroy(leaning);
}

static void gusts_that_repeat_close_the_loop(void** state) {
    (void)state;
    limber_asset* asset = still_one(0);
    static const char* const texts[2] = {
        "{\"loop\": true, \"wind\": [\"0.5 * sin(6.2831853 * phase)\", 0, 0.1], " OVERLAP "}",
        "{\"loop\": true, \"wind\": [\"2 * noise(1.5 * cos(6.2831853 * phase) + 0.3, 1.5 * sin(6.2831853 * phase) + x, "
        "y)\", 0, 0.1], " FLOPPY "}"};
    for (int i = 0; i < 2; i++) {
        limber_vec3 a = move_at(asset, texts[i], 0), b = move_at(asset, texts[i], 2), c = move_at(asset, texts[i], 0.5);
        assert_true(limberi_length(limberi_sub(a, b)) < 1e-4f);
        assert_true(limberi_length(limberi_sub(a, c)) > 1e-3f);
    }
    limber_asset_destroy(asset);
}

static void live_poses_feel_the_same_wind(void** state) {
    (void)state;
    limber_asset* asset = still_one(0.5f);
    const limber_model* model = limber_asset_model(asset);
    static const char* const texts[2] = {"{\"wind\": [\"0.5 + 0.3 * noise(2 * t)\", 0, 0.1], \"gravity\": 2, " OVERLAP
                                         "}",
                                         "{\"wind\": [\"0.5 + 0.3 * noise(2 * t)\", 0, 0.1], " FLOPPY "}"};
    for (int i = 0; i < 2; i++) {
        limber_pipeline* pipeline = styled(asset, texts[i]);
        limber_live* live;
        limber_pose pose;
        limber_frame frame;
        assert_int_equal(limber_live_create(pipeline, NULL, &live, NULL), LIMBER_OK);
        assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
        limber_clip_sample(model, &model->clips[0], 0, &pose);
        for (int k = 0; k <= 120; k++)
            assert_int_equal(limber_live_push(live, pose.local, NULL, 10 + k / 120.0), LIMBER_OK);
        limber_pipeline_evaluate_vertices(pipeline, &frame);
        limber_vec3 a = mean_move(model, &frame), b = move_at(asset, texts[i], 1);
        assert_true(limberi_length(a) > 0.01f);
        assert_true(limberi_length(limberi_sub(a, b)) < 0.02f * limberi_length(a));
        limber_pose_destroy(&pose);
        limber_live_destroy(live);
        limber_pipeline_destroy(pipeline);
    }
    limber_asset_destroy(asset);
}

static void refused(const char* text, const char* place, const char* message) {
    limber_style* style;
    limber_error error;
    assert_int_equal(limber_style_create(&style, &error), LIMBER_OK);
    assert_int_equal(limber_style_read(style, text, strlen(text), &error), LIMBER_ERROR_DATA);
    if (!strstr(error.message, message) || !strstr(error.place, place))
        fail_msg("%s: %s %s", text, error.place, error.message);
    limber_style_destroy(style);
}

static void wrong_values_are_refused(void** state) {
    (void)state;
    refused("{\"wind\": 3}", "wind", "expected three numbers or formulas: [x, y, z], found the number 3");
    refused("{\"wind\": [1, 2]}", "wind", "expected three numbers or formulas");
    refused("{\"wind\": [1, 2, true]}", "wind",
            "expected a number from -1e4 to 1e4 or a formula in quotes, found true");
    refused("{\"wind\": [1, \"tt\", 0]}", "wind", "tt");
    refused("{\"wind\": [1, \"height\", 0]}", "wind", "height");
    refused("{\"gravity\": \"down\"}", "gravity", "expected a number from -1e4 to 1e4, or three of them: [x, y, z]");
    refused("{\"gravity\": [1, 2, 1e9]}", "gravity", "expected a number from -1e4 to 1e4");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_settle_where_they_should),
        cmocka_unit_test(a_still_character_bends_with_the_wind),
        cmocka_unit_test(what_leans_droops_and_the_rest_pose_does_not),
        cmocka_unit_test(gusts_that_repeat_close_the_loop),
        cmocka_unit_test(live_poses_feel_the_same_wind),
        cmocka_unit_test(wrong_values_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
