// Corrective displacements, the two bakes and target reduction.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bake/bake_private.h"
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

static void collapse_to(float size) {
    limber_asset* asset = test_tube_create(3, 1, 30, false);
    const limber_model* model = limber_asset_model(asset);
    limber_pose pose;
    limber_mat4 palette[3];
    float target[60], delta[60];
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    pose.local[0].scale = limberi_vec3(size, size, size);
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

static void collapsed_joint_gives_zero_not_nan(void** state) {
    (void)state;
    collapse_to(0);
    collapse_to(1e-15f); // the determinant is no float any more
    collapse_to(1e-14f); // its inverse is not
}

static limber_bake* bake_tube(limber_asset* asset, limber_skinning skinning, limber_bake_settings settings,
                              limber_result expected) {
    limber_stage_settings pipeline_settings = limber_stage_settings_default();
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
    assert_int_equal(bake->kind, LIMBER_BAKE_CORRECTIVE); // nothing is smaller than no targets
    assert_int_equal(bake->meshes[0].target_count, 0);
    assert_int_equal(bake->tracks[0].frame_count, 31);
    limber_bake_destroy(bake);
    limber_asset_destroy(asset);
}

// Sums the targets of a bake at a frame and compares with what the pipeline shows there.
static double bake_error(limber_asset* asset, const limber_bake* bake, limber_skinning skinning) {
    const limber_model* model = limber_asset_model(asset);
    limber_stage_settings settings = limber_stage_settings_default();
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
        // One joint turning about one axis spans cos and sin: two shapes, and one that is always on.
        assert_true(count <= 3 && count <= before);
        assert_true(bake_error(asset, bake, LIMBER_SKINNING_LINEAR) <= settings.tolerance + 1e-6);
        for (size_t k = 0; k < bake->tracks[0].frame_count * (size_t)count; k++)
            assert_true(bake->meshes[0].weights[0][k] >= 0 && bake->meshes[0].weights[0][k] <= 1);
        before = count;
        limber_bake_destroy(bake);
    }
    limber_asset_destroy(asset);
}

static float random_number(uint32_t* seed) {
    return (float)((*seed = *seed * 1664525u + 1013904223u) >> 8) / 16777216.0f - 0.5f;
}

// Rows that are sums of `rank` shapes.
static void fill_rows(float* rows, uint32_t row_count, size_t width, uint32_t rank, uint32_t seed) {
    float* shape = calloc(width, sizeof *shape);
    assert_non_null(shape);
    memset(rows, 0, row_count * width * sizeof *rows);
    for (uint32_t k = 0; k < rank; k++) {
        for (size_t i = 0; i < width; i++)
            shape[i] = random_number(&seed);
        for (uint32_t r = 0; r < row_count; r++) {
            float c = random_number(&seed);
            for (size_t i = 0; i < width; i++)
                rows[r * width + i] += c * shape[i];
        }
    }
    free(shape);
}

static limberi_reduction reduce_rows(const float* rows, uint32_t row_count, size_t width, double tolerance,
                                     const limber_parallel* parallel) {
    limberi_reduction reduction;
    limberi_reducer* reducer = limberi_reducer_create(width, tolerance, true, parallel);
    assert_non_null(reducer);
    for (uint32_t r = 0; r < row_count; r++)
        assert_int_equal(limberi_reducer_add(reducer, rows + r * width, rows + r * width), LIMBER_OK);
    assert_int_equal(limberi_reducer_finish(reducer, &reduction), LIMBER_OK);
    limberi_reducer_destroy(reducer);
    return reduction;
}

static double worst_offset(const float* rows, uint32_t row_count, size_t width, const limberi_reduction* reduction) {
    double max = 0;
    for (uint32_t r = 0; r < row_count; r++)
        for (size_t i = 0; i < width; i += 3) {
            double off[3] = {0};
            for (size_t x = 0; x < 3; x++) {
                off[x] = -(double)rows[r * width + i + x];
                for (uint32_t k = 0; k < reduction->count; k++)
                    off[x] += (double)reduction->coefficients[r * reduction->count + k] *
                              (double)reduction->basis[k * width + i + x];
            }
            max = fmax(max, sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]));
        }
    return max;
}

// More rows than a batch has.
static void random_rows_of_known_rank_are_found(void** state) {
    (void)state;
    enum { ROWS = 130, WIDTH = 300, RANK = 5 };
    static float rows[ROWS * WIDTH];
    fill_rows(rows, ROWS, WIDTH, RANK, 5);
    limberi_reduction reduction = reduce_rows(rows, ROWS, WIDTH, 1e-4, NULL);
    assert_int_equal(reduction.count, RANK);
    assert_true(worst_offset(rows, ROWS, WIDTH, &reduction) < 1e-4);
    for (int i = 0; i < RANK * WIDTH; i++) // what goes along is the same here
        assert_true(fabsf(reduction.followers[i] - reduction.basis[i]) < 1e-3f);
    limberi_reduction_free(&reduction);
}

// Shapes of falling size, so that some are dropped.
static void reduction_says_how_far_it_is_off(void** state) {
    (void)state;
    enum { ROWS = 100, WIDTH = 600, RANK = 40 };
    static float rows[ROWS * WIDTH], part[ROWS * WIDTH];
    for (uint32_t k = 0; k < RANK; k++) {
        fill_rows(part, ROWS, WIDTH, 1, 100 + k);
        for (size_t i = 0; i < ROWS * WIDTH; i++)
            rows[i] += part[i] * powf(0.8f, (float)k);
    }
    uint32_t before = RANK + 1;
    for (double tolerance = 1e-3; tolerance < 1; tolerance *= 10) {
        limberi_reduction reduction = reduce_rows(rows, ROWS, WIDTH, tolerance, NULL);
        double off = worst_offset(rows, ROWS, WIDTH, &reduction);
        assert_true(reduction.count < before && reduction.error <= tolerance);
        assert_true(off <= reduction.error + 1e-5 && off > 0.3 * reduction.error);
        before = reduction.count;
        limberi_reduction_free(&reduction);
    }
}

// What rounding leaves is far more than the tolerance: there would be no end to improving, and giving up would lose rows.
static void a_tolerance_below_rounding_ends_and_loses_no_row(void** state) {
    (void)state;
    enum { ROWS = 200, WIDTH = 144 };
    static float rows[ROWS * WIDTH];
    fill_rows(rows, ROWS, WIDTH, WIDTH, 7);
    for (size_t i = 0; i < ROWS * WIDTH; i++)
        rows[i] *= 1e5f;
    limberi_reduction reduction = reduce_rows(rows, ROWS, WIDTH, 1e-7, NULL);
    assert_true(reduction.count <= WIDTH);
    assert_true(worst_offset(rows, ROWS, WIDTH, &reduction) < 1); // of 100,000
    limberi_reduction_free(&reduction);
}

static void squares_beyond_floats_have_an_error(void** state) {
    (void)state;
    float rows[2 * 3] = {1e25f, -2e25f, 1e24f, -3e25f, 1e25f, 1e24f};
    limberi_reduction reduction = reduce_rows(rows, 2, 3, 1e-3, NULL);
    assert_true(reduction.error < 3.2e25); // not more than there is, and a number
    limberi_reduction_free(&reduction);
    assert_true(fabs(limberi_rows_longest(rows, 6) / 3.164e25 - 1) < 1e-3);
}

// Workers that take the parts from the end.
static void run_backwards(void* pool, uint32_t count, uint32_t step,
                          void (*part)(void* user, uint32_t first, uint32_t end, uint32_t worker), void* user) {
    uint32_t last = (count - 1) / step;
    ++*(uint32_t*)pool;
    for (uint32_t i = last + 1; i-- > 0;)
        part(user, i * step, i == last ? count : (i + 1) * step, i % 2);
}

static void reduction_is_the_same_for_any_workers(void** state) {
    (void)state;
    enum { ROWS = 70, WIDTH = 330, RANK = 20 };
    static float rows[ROWS * WIDTH];
    uint32_t runs = 0;
    limber_parallel parallel = {1, run_backwards, &runs};
    fill_rows(rows, ROWS, WIDTH, RANK, 9);
    limberi_reduction alone = reduce_rows(rows, ROWS, WIDTH, 0.5, NULL);
    limberi_reduction together = reduce_rows(rows, ROWS, WIDTH, 0.5, &parallel);
    assert_true(runs > 0 && alone.count == together.count && alone.count > 1);
    assert_memory_equal(alone.basis, together.basis, alone.count * WIDTH * sizeof(float));
    assert_memory_equal(alone.followers, together.followers, alone.count * WIDTH * sizeof(float));
    assert_memory_equal(alone.coefficients, together.coefficients, alone.count * ROWS * sizeof(float));
    limberi_reduction_free(&alone);
    limberi_reduction_free(&together);
}

static void a_range_is_plain_outside(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 2, 30, false);
    limber_bake_settings settings = limber_bake_settings_default();
    settings.kind = LIMBER_BAKE_CORRECTIVE;
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
    settings.kind = LIMBER_BAKE_CORRECTIVE;
    settings.progress = stop_at_ten;
    assert_null(bake_tube(asset, LIMBER_SKINNING_DUALQUAT, settings, LIMBER_ERROR_ARGUMENT));
    limber_asset_destroy(asset);
}

static void a_pipeline_without_normals_bakes_them(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 2, 30, false);
    limber_pipeline* pipeline;
    limber_stage_settings stages = limber_stage_settings_default();
    stages.skinning = LIMBER_SKINNING_DUALQUAT;
    assert_int_equal(limber_pipeline_create_from_settings(asset, &stages, &pipeline, NULL), LIMBER_OK);
    for (int kind = 0; kind < 2; kind++) {
        limber_bake *with, *without;
        limber_bake_settings settings = limber_bake_settings_default();
        settings.kind = (limber_bake_kind)kind;
        limber_pipeline_set_outputs(pipeline, LIMBER_OUTPUT_NORMALS);
        assert_int_equal(limber_pipeline_bake(pipeline, &settings, &with, NULL), LIMBER_OK);
        limber_pipeline_set_outputs(pipeline, 0);
        assert_int_equal(limber_pipeline_bake(pipeline, &settings, &without, NULL), LIMBER_OK);
        size_t numbers = 60 * (size_t)with->meshes[0].target_count;
        assert_true(numbers > 0);
        assert_memory_equal(with->meshes[0].normals, without->meshes[0].normals, numbers * sizeof(float));
        limber_frame frame;
        assert_int_equal(limber_pipeline_evaluate(pipeline, 0, 0.1, &frame), LIMBER_OK);
        assert_null(frame.normals); // as the program wants it
        limber_bake_destroy(with);
        limber_bake_destroy(without);
    }
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

// The bar is another mesh than the gymnast; seams have several vertices at one place.
static void each_vertex_of_a_character_is_next_to_itself(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("gymnast", 0.5);
    const limber_model* model = limber_asset_model(asset);
    uint32_t* found = calloc(model->vertex_count, sizeof *found);
    uint32_t* joint_of = calloc(model->rig.joint_count, sizeof *joint_of);
    float* far = calloc(model->vertex_count, sizeof *far);
    float* rest = calloc(model->vertex_count, 3 * sizeof *rest);
    assert_true(found && joint_of && far && rest && model->mesh_count == 2);
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        joint_of[j] = j;
    for (uint32_t m = 0; m < model->mesh_count; m++)
        limber_mesh_rest_positions(model, &model->meshes[m], rest + 3 * (size_t)model->meshes[m].first_vertex);
    assert_int_equal(limberi_nearest_vertices(model, model, joint_of, found, far), LIMBER_OK);
    for (uint32_t v = 0; v < model->vertex_count; v++)
        assert_true(far[v] < 1e-6f &&
                    limberi_distance(limberi_load3(rest + 3 * (size_t)v), limberi_load3(rest + 3 * (size_t)found[v])) <
                        1e-6f * model->size);
    free(found);
    free(joint_of);
    free(far);
    free(rest);
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
        cmocka_unit_test(reduction_says_how_far_it_is_off),
        cmocka_unit_test(a_tolerance_below_rounding_ends_and_loses_no_row),
        cmocka_unit_test(squares_beyond_floats_have_an_error),
        cmocka_unit_test(reduction_is_the_same_for_any_workers),
        cmocka_unit_test(a_range_is_plain_outside),
        cmocka_unit_test(progress_can_stop_a_bake),
        cmocka_unit_test(a_pipeline_without_normals_bakes_them),
        cmocka_unit_test(each_vertex_of_a_character_is_next_to_itself),
    };
    return cmocka_run_group_tests_name("bake", tests, NULL, NULL);
}
