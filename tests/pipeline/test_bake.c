// Corrective displacements, the two bakes and target reduction.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bake/corrective.h"
#include "bake/reduce.h"
#include "base/math.h"
#include "kit/models.h"

static void corrected_mesh_skins_onto_the_target(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 30, false);
    const limber_model* model = limber_asset_model(asset);
    limber_pose pose;
    limber_mat4 palette[3];
    float skinned[60], target[60], moved[60], delta[60], again[60];
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    pose.local[1].rotation = limberi_quat_exp(limberi_vec3(0.3f, 0.9f, -0.8f));
    pose.local[2].scale = limberi_vec3(1, 2, 0.5f);
    limber_pose_update_world(model, &pose);
    limber_skin_palette(&model->skins[0], &pose, palette);
    limber_skin_job job = limber_skin_job_default();
    job.mesh = &model->meshes[0];
    job.palette = palette;
    job.palette_count = 3;
    job.out_positions = skinned;
    assert_int_equal(limber_skin_evaluate(&job), LIMBER_OK);
    for (int i = 0; i < 60; i++)
        target[i] = skinned[i] + 0.3f * sinf((float)i);
    limberi_bake_corrective_job correct = {.mesh = &model->meshes[0],
                                           .palette = palette,
                                           .positions = target,
                                           .out_positions = delta,
                                           .vertex_count = LIMBER_TO_END};
    limberi_bake_corrective(&correct);
    for (int i = 0; i < 60; i++)
        moved[i] = model->meshes[0].positions[i] + delta[i];
    job.positions = moved;
    job.out_positions = again;
    assert_int_equal(limber_skin_evaluate(&job), LIMBER_OK);
    for (int i = 0; i < 60; i++)
        assert_true(fabsf(again[i] - target[i]) < 1e-5f);
    correct.positions = skinned; // nothing to correct is exactly nothing
    limberi_bake_corrective(&correct);
    for (int i = 0; i < 60; i++)
        assert_true(delta[i] == 0);
    limber_pose_destroy(&pose);
    limber_asset_destroy(asset);
}

static void collapsed_joint_gives_zero_not_nan(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 30, false);
    const limber_model* model = limber_asset_model(asset);
    limber_pose pose;
    limber_mat4 palette[3];
    float target[60], delta[60];
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    pose.local[0].scale = limberi_vec3(0, 0, 0);
    limber_pose_update_world(model, &pose);
    limber_skin_palette(&model->skins[0], &pose, palette);
    for (int i = 0; i < 60; i++)
        target[i] = 1;
    limberi_bake_corrective_job correct = {.mesh = &model->meshes[0],
                                           .palette = palette,
                                           .positions = target,
                                           .out_positions = delta,
                                           .vertex_count = LIMBER_TO_END};
    limberi_bake_corrective(&correct);
    for (int i = 0; i < 60; i++)
        assert_true(delta[i] == 0);
    limber_pose_destroy(&pose);
    limber_asset_destroy(asset);
}

static limber_bake* bake_tube(limber_asset* asset, limber_skinning skinning, limber_bake_settings settings,
                              limber_result expected) {
    limber_stage_settings pipeline_settings;
    limber_stage_settings_default(&pipeline_settings);
    pipeline_settings.skinning = skinning;
    limber_pipeline* pipeline;
    limber_bake* bake;
    limber_error error;
    assert_int_equal(limber_pipeline_create_from_settings(asset, &pipeline_settings, &pipeline, &error), LIMBER_OK);
    assert_int_equal(limber_pipeline_bake(pipeline, &settings, &bake, &error), expected);
    limber_pipeline_destroy(pipeline);
    return bake;
}

static void plain_linear_skinning_needs_no_targets(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 2, 30, false);
    limber_bake* bake = bake_tube(asset, LIMBER_SKINNING_LINEAR, limber_bake_settings_default(), LIMBER_OK);
    assert_int_equal(bake->meshes[0].target_count, 0);
    assert_int_equal(bake->tracks[0].frame_count, 31);
    limber_bake_destroy(bake);
    limber_asset_destroy(asset);
}

// Sums the targets of a bake at a frame and compares with what the pipeline shows there.
static double bake_error(limber_asset* asset, const limber_bake* bake, limber_skinning skinning) {
    const limber_model* model = limber_asset_model(asset);
    limber_stage_settings settings;
    limber_stage_settings_default(&settings);
    settings.skinning = skinning;
    limber_pipeline* pipeline;
    assert_int_equal(limber_pipeline_create_from_settings(asset, &settings, &pipeline, NULL), LIMBER_OK);
    limber_mat4 palette[8];
    double worst = 0;
    const limber_bake_mesh* baked = &bake->meshes[0];
    for (uint32_t f = 0; f < bake->tracks[0].frame_count; f++) {
        limber_frame frame;
        float positions[60], shown[60];
        assert_int_equal(limber_pipeline_evaluate(pipeline, 0, (double)bake->tracks[0].times[f], &frame), LIMBER_OK);
        memcpy(positions, baked->base_positions ? baked->base_positions : model->meshes[0].positions, sizeof positions);
        for (uint32_t t = 0; t < baked->target_count; t++)
            for (int i = 0; i < 60; i++)
                positions[i] += baked->weights[0][f * baked->target_count + t] * baked->positions[60 * t + (uint32_t)i];
        memcpy(shown, positions, sizeof shown);
        if (bake->kind == LIMBER_BAKE_CORRECTIVE) {
            limber_skin_palette(&model->skins[0], frame.pose, palette);
            limber_skin_job job = limber_skin_job_default();
            job.mesh = &model->meshes[0];
            job.palette = palette;
            job.palette_count = model->skins[0].joint_count;
            job.positions = positions;
            job.out_positions = shown;
            assert_int_equal(limber_skin_evaluate(&job), LIMBER_OK);
        }
        for (int i = 0; i < 60; i++)
            worst = fmax(worst, fabs((double)shown[i] - (double)frame.positions[i]));
    }
    limber_pipeline_destroy(pipeline);
    return worst / (double)model->size;
}

static void both_bakes_show_the_frames_exactly(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 2, 30, false);
    for (int kind = 0; kind < 2; kind++) {
        limber_bake_settings settings = limber_bake_settings_default();
        settings.kind = (limber_bake_kind)kind;
        settings.fps = 24;
        limber_bake* bake = bake_tube(asset, LIMBER_SKINNING_DUALQUAT, settings, LIMBER_OK);
        assert_true(bake->meshes[0].target_count > 20);
        assert_true(bake_error(asset, bake, LIMBER_SKINNING_DUALQUAT) < 2e-6);
        limber_bake_destroy(bake);
    }
    limber_asset_destroy(asset);
}

static void reduction_holds_its_tolerance_with_few_targets(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 2, 60, false);
    uint32_t before = 1000;
    for (int i = 0; i < 3; i++) {
        limber_bake_settings settings = limber_bake_settings_default();
        settings.kind = LIMBER_BAKE_VERTEX;
        settings.tolerance = 1e-5 * pow(10, i);
        limber_bake* bake = bake_tube(asset, LIMBER_SKINNING_LINEAR, settings, LIMBER_OK);
        uint32_t count = bake->meshes[0].target_count;
        // One joint turning about one axis spans cos and sin: two shapes.
        assert_true(count <= 2 && count <= before);
        assert_true(bake_error(asset, bake, LIMBER_SKINNING_LINEAR) <= settings.tolerance + 1e-6);
        for (size_t k = 0; k < bake->tracks[0].frame_count * (size_t)count; k++)
            assert_true(fabsf(bake->meshes[0].weights[0][k]) <= 1.0001f);
        before = count;
        limber_bake_destroy(bake);
    }
    limber_asset_destroy(asset);
}

static void random_rows_of_known_rank_are_found(void** state) {
    (void)state;
    enum { ROWS = 40, WIDTH = 300, RANK = 5 };
    static float shapes[RANK][WIDTH], rows[ROWS * WIDTH], copy[ROWS * WIDTH];
    uint32_t seed = 5;
    for (int k = 0; k < RANK; k++)
        for (int i = 0; i < WIDTH; i++)
            shapes[k][i] = (float)((seed = seed * 1664525u + 1013904223u) >> 8) / 16777216.0f - 0.5f;
    for (int r = 0; r < ROWS; r++)
        for (int k = 0; k < RANK; k++) {
            float c = (float)((seed = seed * 1664525u + 1013904223u) >> 8) / 16777216.0f - 0.5f;
            for (int i = 0; i < WIDTH; i++)
                rows[r * WIDTH + i] += c * shapes[k][i];
        }
    memcpy(copy, rows, sizeof rows);
    limberi_reduction reduction;
    assert_int_equal(limberi_reduce(rows, ROWS, WIDTH, 1e-4, &reduction), LIMBER_OK);
    assert_int_equal(reduction.count, RANK);
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < WIDTH; i++) {
            float sum = 0;
            for (int k = 0; k < RANK; k++)
                sum += reduction.coefficients[r * RANK + k] * reduction.basis[k * WIDTH + i];
            assert_true(fabsf(sum - copy[r * WIDTH + i]) < 1e-4f);
        }
    float basis[RANK * WIDTH];
    assert_int_equal(limberi_reduce_follow(copy, ROWS, WIDTH, &reduction, basis), LIMBER_OK);
    for (int i = 0; i < RANK * WIDTH; i++)
        assert_true(fabsf(basis[i] - reduction.basis[i]) < 1e-3f);
    free(reduction.basis);
    free(reduction.coefficients);
}

static void a_range_is_plain_outside(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 2, 30, false);
    limber_bake_settings settings = limber_bake_settings_default();
    settings.range_start_s = 0.5;
    settings.range_end_s = 0.6;
    limber_bake* bake = bake_tube(asset, LIMBER_SKINNING_DUALQUAT, settings, LIMBER_OK);
    assert_int_equal(bake->tracks[0].frame_count, 6); // frames 15 to 18 and one plain frame on either side
    assert_int_equal(bake->meshes[0].target_count, 4);
    for (uint32_t t = 0; t < 4; t++)
        assert_true(bake->meshes[0].weights[0][t] == 0 && bake->meshes[0].weights[0][5 * 4 + t] == 0);
    limber_bake_destroy(bake);
    settings.range_start_s = 5;
    settings.range_end_s = 6;
    assert_null(bake_tube(asset, LIMBER_SKINNING_DUALQUAT, settings, LIMBER_ERROR_ARGUMENT));
    limber_asset_destroy(asset);
}

static bool stop_at_ten(void* user, uint32_t done, uint32_t total) {
    (void)user;
    (void)total;
    return done < 10;
}

static void progress_can_stop_a_bake(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 2, 30, false);
    limber_bake_settings settings = limber_bake_settings_default();
    settings.progress = stop_at_ten;
    assert_null(bake_tube(asset, LIMBER_SKINNING_DUALQUAT, settings, LIMBER_ERROR_ARGUMENT));
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corrected_mesh_skins_onto_the_target),
        cmocka_unit_test(collapsed_joint_gives_zero_not_nan),
        cmocka_unit_test(plain_linear_skinning_needs_no_targets),
        cmocka_unit_test(both_bakes_show_the_frames_exactly),
        cmocka_unit_test(reduction_holds_its_tolerance_with_few_targets),
        cmocka_unit_test(random_rows_of_known_rank_are_found),
        cmocka_unit_test(a_range_is_plain_outside),
        cmocka_unit_test(progress_can_stop_a_bake),
    };
    return cmocka_run_group_tests_name("bake", tests, NULL, NULL);
}
