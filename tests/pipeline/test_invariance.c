// What must not change the result: where and how large the world is, the order of joints, the order of frames; what
// must not change at all: a character that stands still; and what must meet: the two ends of a loop.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/random_rigs.h"
#include "kit/scene.h"

// Every effect, and parts that keep their shape.
static limber_stage_settings everything(const limber_model* model) {
    limber_stage_settings settings = test_everything(model);
    settings.rigid.mode = LIMBER_RIGID_AUTO;
    return settings;
}

static double clip_time(const limber_clip* clip, double part) {
    return clip->start_s + part * (clip->end_s - clip->start_s);
}

// Largest distance between the frames of two pipelines, the second seen through `back`, in units of L.
static double compare_worlds(const limber_model* model, limber_pipeline* a, limber_pipeline* b, const limber_mat4* back,
                             bool* moved) {
    double worst = 0;
    for (uint32_t c = 0; c < model->clip_count; c++) {
        for (int k = 0; k < 4; k++) {
            limber_frame x, y;
            double t = clip_time(&model->clips[c], 0.07 + 0.27 * k);
            assert_int_equal(limber_pipeline_evaluate(a, (int32_t)c, t, &x), LIMBER_OK);
            assert_int_equal(limber_pipeline_evaluate(b, (int32_t)c, t, &y), LIMBER_OK);
            for (size_t u = 0; u < model->vertex_count; u++) {
                limber_vec3 p = limberi_load3(x.positions + 3 * u);
                limber_vec3 q = limberi_mat4_point(back, limberi_load3(y.positions + 3 * u));
                worst = fmax(worst, (double)limberi_length(limberi_sub(p, q)));
                limber_vec3 plain = limberi_load3(x.skinned + 3 * u);
                *moved = *moved || limberi_length(limberi_sub(p, plain)) > 1e-4f * model->size;
            }
        }
    }
    return worst / (double)model->size;
}

static void check_world(const char* what, const limber_transform* above, double tolerance) {
    for (uint32_t i = 0; i < test_character_count(); i += test_character_step()) {
        limber_gltf* gltf;
        limber_asset* asset = test_character_load(i, &gltf);
        const limber_model* model = limber_asset_model(asset);
        limber_asset* other = test_rearranged(model, NULL, above);
        limber_stage_settings settings = everything(model);
        limber_pipeline *a = test_pipeline(asset, &settings), *b = test_pipeline(other, &settings);
        limber_mat4 to = limberi_mat4_from_transform(above), back;
        assert_true(limberi_mat4_inverse(&to, &back));
        bool moved = false;
        double off = compare_worlds(model, a, b, &back, &moved);
        if (off > tolerance)
            fail_msg("%s %s: off by %g L", test_character_name(i), what, off);
        assert_true(moved || model->clip_count == 0);
        limber_pipeline_destroy(a);
        limber_pipeline_destroy(b);
        limber_asset_destroy(other);
        test_character_free(asset, gltf);
    }
}

static void moving_the_world_changes_nothing_else(void** state) {
    (void)state;
    limber_transform above = limber_transform_identity();
    above.translation = limberi_vec3(0.7f, -1.3f, 2.1f);
    check_world("moved", &above, 2e-5);
}

static void turning_the_world_changes_nothing_else(void** state) {
    (void)state;
    limber_transform above = limber_transform_identity();
    above.rotation = limberi_quat_exp(limberi_vec3(0.4f, 2.2f, -0.9f));
    check_world("turned", &above, 2e-5);
}

static void scaling_the_world_changes_nothing_else(void** state) {
    (void)state;
    limber_transform above = limber_transform_identity();
    above.scale = limberi_vec3(100, 100, 100);
    check_world("times 100", &above, 2e-5);
    above.scale = limberi_vec3(0.01f, 0.01f, 0.01f);
    check_world("divided by 100", &above, 2e-5);
}

// All three at once. Each character has its own L, which is no part of the style.
static void any_place_in_the_world_is_as_good(void** state) {
    (void)state;
    test_random random = test_random_seed(17);
    for (int round = 0; round < 3; round++) {
        limber_transform above = limber_transform_identity();
        float angle = test_random_between(&random, 0, (float)LIMBERI_PI);
        float scale = powf(10, test_random_between(&random, -2, 2));
        above.rotation = limberi_quat_exp(limberi_scale(test_random_direction(&random), angle));
        above.scale = limberi_vec3(scale, scale, scale);
        above.translation = limberi_scale(test_random_direction(&random), test_random_between(&random, 0, 2 * scale));
        check_world("anywhere", &above, 1e-4);
    }
}

// Breadth first instead of depth first, siblings backwards.
static void shuffle(const limber_rig* rig, uint32_t* order) {
    uint32_t* depth = calloc((size_t)rig->joint_count + 1, sizeof *depth);
    uint32_t deepest = 0, n = 0;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        depth[j] = rig->parents[j] < 0 ? 0 : depth[rig->parents[j]] + 1;
        deepest = depth[j] > deepest ? depth[j] : deepest;
    }
    for (uint32_t level = 0; level <= deepest; level++)
        for (uint32_t j = rig->joint_count; j-- > 0;)
            if (depth[j] == level)
                order[n++] = j;
    free(depth);
}

static void the_order_of_joints_changes_nothing(void** state) {
    (void)state;
    limber_transform above = limber_transform_identity();
    limber_mat4 back = limber_mat4_identity();
    for (uint32_t i = 1; i < test_character_count(); i += test_character_step()) {
        limber_gltf* gltf;
        limber_asset* asset = test_character_load(i, &gltf);
        const limber_model* model = limber_asset_model(asset);
        uint32_t* order = malloc(((size_t)model->rig.joint_count + 1) * sizeof *order);
        shuffle(&model->rig, order);
        limber_asset* other = test_rearranged(model, order, &above);
        limber_stage_settings settings = everything(model);
        limber_pipeline *a = test_pipeline(asset, &settings), *b = test_pipeline(other, &settings);
        bool moved = false;
        double off = compare_worlds(model, a, b, &back, &moved);
        if (off > 5e-6)
            fail_msg("%s shuffled: off by %g L", test_character_name(i), off);
        free(order);
        limber_pipeline_destroy(a);
        limber_pipeline_destroy(b);
        limber_asset_destroy(other);
        test_character_free(asset, gltf);
    }
}

// Paws that come before their legs, and limbs that lie on the floor in any order. Rounding makes turns of neighbouring
// joints come in another order, no more.
static void the_order_of_joints_changes_nothing_with_inverse_kinematics(void** state) {
    (void)state;
    limber_transform above = limber_transform_identity();
    limber_mat4 back = limber_mat4_identity();
    limber_gltf* gltf = NULL;
    limber_error error;
    char path[512];
    snprintf(path, sizeof path, "%s/more/Wolf.glb", test_assets() ? test_assets() : "");
    if (!test_assets() || limber_gltf_load_file(path, NULL, &gltf, &error) != LIMBER_OK)
        skip();
    const limber_asset* asset = limber_gltf_asset(gltf);
    limber_model model = *limber_asset_model(asset);
    model.clip_count = 2; // an attack, and a death
    uint32_t* order = malloc(((size_t)model.rig.joint_count + 1) * sizeof *order);
    shuffle(&model.rig, order);
    limber_asset* one = test_rearranged(&model, NULL, &above);
    limber_asset* other = test_rearranged(&model, order, &above);
    limber_style* style = NULL;
    assert_int_equal(limber_style_create(&style, &error), LIMBER_OK);
    assert_int_equal(limber_style_read_preset(style, "cartoon", &error), LIMBER_OK);
    limber_pipeline* pipelines[2] = {NULL, NULL};
    bool moved = false;
    assert_int_equal(limber_pipeline_create(one, style, &pipelines[0], &error), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(other, style, &pipelines[1], &error), LIMBER_OK);
    double off = compare_worlds(&model, pipelines[0], pipelines[1], &back, &moved);
    assert_true(moved);
    if (off > 3e-4)
        fail_msg("shuffled: off by %g L", off);
    for (int i = 0; i < 2; i++)
        limber_pipeline_destroy(pipelines[i]);
    limber_style_destroy(style);
    limber_asset_destroy(one);
    limber_asset_destroy(other);
    free(order);
    limber_gltf_destroy(gltf);
}

static void a_still_character_is_bit_equal_to_plain_skinning(void** state) {
    (void)state;
    for (uint32_t i = 2; i < test_character_count(); i += test_character_step()) {
        limber_gltf* gltf;
        limber_asset* asset = test_character_load(i, &gltf);
        const limber_model* model = limber_asset_model(asset);
        limber_stage_settings settings = everything(model);
        settings.deform.effects[LIMBER_EFFECT_HOSE].linear.value = 0; // bends poses, still or not
        for (int n = 0; n < 2; n++) {
            settings.deform.normals = (limber_normals)n;
            limber_pipeline *a = test_pipeline(asset, &settings), *b = test_pipeline(asset, NULL);
            limber_frame x, y;
            size_t bytes = 3 * (size_t)model->vertex_count * sizeof(float);
            assert_int_equal(limber_pipeline_evaluate(a, -1, 0, &x), LIMBER_OK);
            assert_int_equal(limber_pipeline_evaluate(b, -1, 0, &y), LIMBER_OK);
            assert_memory_equal(x.positions, y.skinned, bytes);
            assert_memory_equal(x.normals, y.normals, bytes);
            limber_pipeline_destroy(a);
            limber_pipeline_destroy(b);
        }
        test_character_free(asset, gltf);
    }
}

static void scrubbing_to_a_frame_equals_playing_to_it(void** state) {
    (void)state;
    for (uint32_t i = 0; i < test_character_count(); i += test_character_step()) {
        limber_gltf* gltf;
        limber_asset* asset = test_character_load(i, &gltf);
        const limber_model* model = limber_asset_model(asset);
        limber_stage_settings settings = everything(model);
        limber_pipeline *playing = test_pipeline(asset, &settings), *scrubbing = test_pipeline(asset, &settings);
        size_t bytes = 3 * (size_t)model->vertex_count * sizeof(float);
        for (uint32_t c = 0; c < model->clip_count && c < 4; c++) {
            limber_frame x, y;
            for (int k = 0; k <= 8; k++)
                assert_int_equal(
                    limber_pipeline_evaluate(playing, (int32_t)c, clip_time(&model->clips[c], k / 16.0), &x),
                    LIMBER_OK);
            assert_int_equal(limber_pipeline_evaluate(scrubbing, (int32_t)c, clip_time(&model->clips[c], 0.9), &y),
                             LIMBER_OK);
            assert_int_equal(limber_pipeline_evaluate(scrubbing, (int32_t)c, clip_time(&model->clips[c], 0.5), &y),
                             LIMBER_OK);
            assert_memory_equal(x.positions, y.positions, bytes);
            assert_memory_equal(x.normals, y.normals, bytes);
        }
        limber_pipeline_destroy(playing);
        limber_pipeline_destroy(scrubbing);
        test_character_free(asset, gltf);
    }
}

static void copy_frame(limber_pipeline* p, int32_t clip, double time_s, float* out, size_t numbers) {
    limber_frame frame;
    assert_int_equal(limber_pipeline_evaluate(p, clip, time_s, &frame), LIMBER_OK);
    memcpy(out, frame.positions, numbers * sizeof *out);
}

static void copy_displacement(limber_pipeline* p, int32_t clip, double time_s, float* out, size_t numbers) {
    limber_frame frame;
    assert_int_equal(limber_pipeline_evaluate(p, clip, time_s, &frame), LIMBER_OK);
    for (size_t i = 0; i < numbers; i++)
        out[i] = frame.positions[i] - frame.skinned[i];
}

// The displacement at the end of a loop and at its start. The plain animation itself may have a corner there, a gap, or
// go on from another place; the effects must not add a pop. A gap turns what it carries.
static void check_seam(limber_asset* asset, const limber_stage_settings* settings, const char* name) {
    const limber_model* model = limber_asset_model(asset);
    limber_pipeline* p = test_pipeline(asset, settings);
    size_t numbers = 3 * (size_t)model->vertex_count;
    float* frames[2];
    for (int i = 0; i < 2; i++)
        frames[i] = malloc((numbers + 1) * sizeof(float));
    for (uint32_t c = 0; c < model->clip_count; c++) {
        const limber_clip* clip = &model->clips[c];
        if (!clip->loops || clip->loop.yaw_rad != 0)
            continue;
        const double tiny = 1e-6;
        copy_displacement(p, (int32_t)c, clip->end_s - tiny, frames[0], numbers);
        copy_displacement(p, (int32_t)c, clip->start_s, frames[1], numbers);
        double jump = 0;
        for (size_t i = 0; i < numbers; i++)
            jump = fmax(jump, fabs((double)frames[0][i] - (double)frames[1][i]));
        if (jump > (1e-3 + 0.5 * clip->loop.gap_rad) * (double)model->size)
            fail_msg("%s clip %s: jumps by %g L at the seam", name, clip->name, jump / (double)model->size);
    }
    for (int i = 0; i < 2; i++)
        free(frames[i]);
    limber_pipeline_destroy(p);
}

static void loops_close_under_every_filter(void** state) {
    (void)state;
    const limber_filter filters[3] = {
        {LIMBER_FILTER_NONE, 0, 0, 0}, {LIMBER_FILTER_LOWPASS, 0.2, 0, 0}, {LIMBER_FILTER_SPRING, 0, 2.5, 0.15}};
    for (uint32_t i = 1; i < test_character_count(); i += test_character_step()) {
        limber_gltf* gltf;
        limber_asset* asset = test_character_load(i, &gltf);
        for (int f = 0; f < 3; f++) {
            limber_stage_settings settings = test_everything(limber_asset_model(asset));
            for (int e = 0; e < LIMBER_EFFECT_COUNT; e++) {
                limber_filter_set set = {filters[f], filters[f],      filters[f], filters[f], LIMBER_GATE_NONE,
                                         0,          {0, 0, 0, 0, 0}, 0,          0,          {0, 0}};
                settings.deform.effects[e].filters = set;
            }
            check_seam(asset, &settings, test_character_name(i));
        }
        test_character_free(asset, gltf);
    }
}

// On a smooth loop the speed of every vertex goes through the seam unchanged as well.
static void velocity_flows_through_the_seam_of_a_smooth_loop(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 480, true);
    limber_stage_settings settings = test_everything(limber_asset_model(asset));
    settings.motion.step_s = 1 / 60.0;
    // Drag hands over to followthrough just here; with the same filter the two are one, and smooth.
    settings.deform.effects[LIMBER_EFFECT_FOLLOWTHROUGH].filters = limber_filter_set_none();
    // The motion turns round at the seam, and squash grows with |w|: it has a corner wherever w is 0.
    settings.deform.effects[LIMBER_EFFECT_SQUASH].angular.value = 0;
    limber_pipeline* p = test_pipeline(asset, &settings);
    float f[4][60];
    const double h = 1 / 60.0; // one step of the filters' grid
    copy_frame(p, 0, 1 - 2 * h, f[0], 60);
    copy_frame(p, 0, 1 - h, f[1], 60);
    copy_frame(p, 0, 0, f[2], 60);
    copy_frame(p, 0, h, f[3], 60);
    double size = (double)limber_asset_model(asset)->size;
    for (int i = 0; i < 60; i++) {
        double before = ((double)f[2][i] - (double)f[1][i]) / h, after = ((double)f[3][i] - (double)f[2][i]) / h;
        double earlier = ((double)f[1][i] - (double)f[0][i]) / h;
        // The change of speed across the seam is no larger than the change just before it.
        assert_true(fabs(after - before) < 2 * fabs(before - earlier) + 0.03 * size);
    }
    limber_pipeline_destroy(p);
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moving_the_world_changes_nothing_else),
        cmocka_unit_test(turning_the_world_changes_nothing_else),
        cmocka_unit_test(scaling_the_world_changes_nothing_else),
        cmocka_unit_test(any_place_in_the_world_is_as_good),
        cmocka_unit_test(the_order_of_joints_changes_nothing),
        cmocka_unit_test(the_order_of_joints_changes_nothing_with_inverse_kinematics),
        cmocka_unit_test(a_still_character_is_bit_equal_to_plain_skinning),
        cmocka_unit_test(scrubbing_to_a_frame_equals_playing_to_it),
        cmocka_unit_test(loops_close_under_every_filter),
        cmocka_unit_test(velocity_flows_through_the_seam_of_a_smooth_loop),
    };
    return cmocka_run_group_tests_name("invariance", tests, NULL, NULL);
}
