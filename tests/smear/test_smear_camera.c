// Smears for what a camera sees.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "characters/characters.h"
#include <limber/limber.h>
#include <limber/stages/stages.h>

static void assert_floats(const float* values, const float* expected, size_t count, float tolerance) {
    for (size_t i = 0; i < count; i++)
        if (!(fabsf(values[i] - expected[i]) <= tolerance))
            fail_msg("value %zu is %g instead of %g", i, (double)values[i], (double)expected[i]);
}

// The ball with a camera: on the ball's first joint, or in the world, moving by 0.2 along x in every thirtieth second.
typedef struct shot {
    limber_asset *ball, *asset;
    const limber_model* model;
    limber_stage_settings settings;
    limber_pipeline* pipeline;
    limber_expression* offset;
} shot;

static void shot_open(shot* s, int32_t joint, bool moves) {
    static const float times[2] = {0, 3}, way[6] = {0, 0, 0, 18, 0, 0};
    limber_error error;
    memset(s, 0, sizeof *s);
    if (limberi_character_create("ball", 1, &s->ball, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    limber_model model = *limber_asset_model(s->ball);
    limber_camera_node node = {-1, joint, limber_transform_identity()};
    node.rest_local.rotation = limberi_quat_exp(limberi_vec3(0.3f, 1, 0)); // looks somewhere
    limber_camera camera = {.name = "Eye"};
    limber_channel channel = {LIMBER_CHANNEL_TRANSLATION, LIMBER_INTERPOLATION_LINEAR, 0, 2, times, way};
    limber_clip clip = model.clips[limber_model_find_clip(&model, "dash-stop")];
    clip.camera_channel_count = moves;
    clip.camera_channels = &channel;
    model.clip_count = model.camera_node_count = model.camera_count = 1;
    model.clips = &clip;
    model.camera_nodes = &node;
    model.cameras = &camera;
    if (limber_asset_create(&model, &s->asset, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    s->model = limber_asset_model(s->asset);
    s->settings = limber_stage_settings_default();
    s->settings.smear.offsets.camera = 0;
    s->settings.smear.offsets.smooth = 0;
    s->settings.smear.offsets.skeleton = false;
    if (limber_expression_create("offset", NULL, &s->offset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
}

static limber_smeared shot_at(shot* s, uint32_t frame) {
    limber_error error;
    limber_smeared smeared;
    limber_pipeline_destroy(s->pipeline);
    if (limber_pipeline_create_from_settings(s->asset, &s->settings, &s->pipeline, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    assert_int_equal(limber_pipeline_evaluate_smeared(s->pipeline, 0, frame / 30.0, 30, &smeared), LIMBER_OK);
    return smeared;
}

static void shot_close(shot* s) {
    limber_pipeline_destroy(s->pipeline);
    limber_expression_destroy(s->offset);
    limber_asset_destroy(s->asset);
    limber_asset_destroy(s->ball);
}

// As from a train: what stands is smeared against the way the camera goes.
static void what_stands_moves_for_a_moving_camera(void** state) {
    (void)state;
    for (int skeleton = 0; skeleton < 2; skeleton++) {
        shot s;
        shot_open(&s, -1, true);
        s.settings.smear.offsets.skeleton = skeleton;
        s.settings.smear.elongate.amount.expression = s.offset;
        limber_smeared smeared = shot_at(&s, 80); // the ball has come to rest
        for (uint32_t u = 0; u < s.model->vertex_count; u++) {
            const float *p = smeared.frame.positions + 3 * u, *q = smeared.deformed + 3 * u;
            limber_vec3 center = limberi_mat4_translation(&smeared.frame.pose->world_from_joint[1]);
            assert_float_equal(smeared.offsets[u], -(q[0] - center.x) / 0.4f, 0.02);
            const float expected[3] = {q[0] - 0.2f * smeared.offsets[u], q[1], q[2]};
            assert_floats(p, expected, 3, 2e-5f);
        }
        s.settings.smear.offsets.camera = -1; // in the world it does not
        smeared = shot_at(&s, 80);
        assert_memory_equal(smeared.frame.positions, smeared.deformed, 12 * s.model->vertex_count);
        shot_close(&s);
    }
}

static void what_a_camera_follows_is_not_smeared(void** state) {
    (void)state;
    shot s;
    shot_open(&s, 0, false);
    s.settings.smear.elongate.amount.expression = s.offset;
    limber_smeared smeared = shot_at(&s, 28); // rolls fast, and the camera with it
    for (uint32_t u = 0; u < s.model->vertex_count; u++)
        assert_true(smeared.offsets[u] == 0);
    assert_floats(smeared.frame.positions, smeared.deformed, 3 * (size_t)s.model->vertex_count, 1e-5f);
    shot_close(&s);
}

static void copies_and_lines_come_back_to_the_world(void** state) {
    (void)state;
    shot s;
    shot_open(&s, -1, true);
    s.settings.smear.multiples.past = s.settings.smear.multiples.future = 1;
    s.settings.smear.lines.count = 20;
    limber_smeared smeared = shot_at(&s, 80);
    assert_int_equal(smeared.mesh_count, 3);
    for (uint32_t i = 0; i < 2; i++) { // half a frame to either side
        const limber_smear_mesh* copy = &smeared.meshes[i];
        for (uint32_t u = 0; u < s.model->vertex_count; u++) {
            const float* q = smeared.deformed + 3 * u;
            const float expected[3] = {q[0] - 0.1f * (float)copy->number, q[1], q[2]};
            assert_floats(copy->positions + 3 * u, expected, 3, 2e-5f);
            assert_floats(copy->normals + 3 * u, smeared.frame.normals + 3 * u, 3, 2e-3f);
        }
    }
    assert_true(smeared.meshes[2].visible);
    for (uint32_t u = 0; u < smeared.meshes[2].vertex_count; u++) // lines are level and no longer than the way
        assert_true(fabsf(smeared.meshes[2].positions[3 * u + 1] - 0.4f) < 0.45f);
    shot_close(&s);
}

// Stretch, ribbons and strokes are those of the world, whatever a camera does.
static void what_is_drawn_does_not_know_the_camera(void** state) {
    (void)state;
    for (uint32_t frame = 28; frame <= 80; frame += 52) { // in the dash, and at rest with the camera moving on
        shot s;
        shot_open(&s, -1, true);
        size_t numbers = 3 * (size_t)s.model->vertex_count;
        float* seen = malloc(numbers * sizeof *seen);
        s.settings.smear.drawn.stretch = s.settings.smear.drawn.body = s.settings.smear.drawn.ribbon = 1;
        limber_smeared by_camera = shot_at(&s, frame);
        memcpy(seen, by_camera.frame.positions, numbers * sizeof *seen);
        assert_true((frame == 80) == (memcmp(seen, by_camera.deformed, numbers * sizeof *seen) == 0));
        s.settings.smear.offsets.camera = -1;
        limber_smeared in_world = shot_at(&s, frame);
        assert_floats(seen, in_world.frame.positions, numbers, 1e-5f);
        free(seen);
        shot_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stands_moves_for_a_moving_camera),
        cmocka_unit_test(what_a_camera_follows_is_not_smeared),
        cmocka_unit_test(copies_and_lines_come_back_to_the_world),
        cmocka_unit_test(what_is_drawn_does_not_know_the_camera),
    };
    return cmocka_run_group_tests_name("smear_camera", tests, NULL, NULL);
}
