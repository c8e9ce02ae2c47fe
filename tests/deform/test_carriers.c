// Joints that carry the whole character: which ones, and what overlap makes of their lag.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "deform/carriers.h"
#include "deform/deformer.h"
#include "kit/scene.h"
#include "pipeline/state.h"

static float carries(const limber_model* model, uint32_t joint) {
    limberi_arena arena = {NULL, false};
    float* found;
    assert_true(limberi_carriers_find(&arena, model, &found));
    float result = found[joint];
    limberi_arena_free(&arena);
    return result;
}

static uint32_t joint_of(const limber_model* model, const char* name) {
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        if (strcmp(model->rig.names[j], name) == 0)
            return j;
    fail_msg("no joint %s", name);
    return 0;
}

static void hips_carry_a_body_and_the_foot_of_a_stalk_does_not(void** state) {
    (void)state;
    const struct {
        const char *character, *joint;
        bool carries;
    } cases[] = {{"hero", "Hips", true}, {"dancer", "Hips", true}, {"cow", "Hips", true}, {"giraffe", "Hips", true},
                 {"ball", "Ball", true}, {"hero", "Spine", false}, {"cow", "Root", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        limber_asset* asset = test_built_in(cases[i].character, 0.5);
        const limber_model* model = limber_asset_model(asset);
        assert_true((carries(model, joint_of(model, cases[i].joint)) > 0.9f) == cases[i].carries);
        limber_asset_destroy(asset);
    }
    const char* const stand[] = {"flower", "cylinder", "pole"};
    for (int i = 0; i < 3; i++) {
        limber_asset* asset = test_built_in(stand[i], 0.5);
        assert_true(carries(limber_asset_model(asset), 0) == 0);
        limber_asset_destroy(asset);
    }
}

// Level squares: one of area 1 at height 0 and one at 1, on a joint at `height`; one at half the height on another root.
static float carries_squares(float height, float other_area) {
    enum { SQUARES = 3, CORNERS = 4 * SQUARES };
    const char* const names[] = {"body", "other"};
    const int32_t parents[] = {LIMBER_NO_PARENT, LIMBER_NO_PARENT};
    const uint32_t joints[] = {0, 1};
    const float heights[SQUARES] = {0, 1, 0.5f};
    const float halves[SQUARES] = {0.5f, 0.5f, 0.5f * sqrtf(other_area)};
    limber_transform rest[] = {limber_transform_identity(), limber_transform_identity()};
    limber_mat4 joint_from_mesh[] = {limber_mat4_identity(), limber_mat4_identity()};
    float positions[3 * CORNERS], weights[CORNERS];
    uint32_t triangles[6 * SQUARES], first[CORNERS + 1];
    uint16_t of[CORNERS];
    rest[0].translation.y = height;
    joint_from_mesh[0].m[13] = -height;
    for (uint32_t u = 0; u <= CORNERS; u++)
        first[u] = u;
    for (uint32_t u = 0; u < CORNERS; u++) {
        float half = halves[u / 4];
        positions[3 * u] = u % 4 == 1 || u % 4 == 2 ? half : -half;
        positions[3 * u + 1] = heights[u / 4];
        positions[3 * u + 2] = u % 4 < 2 ? half : -half;
        weights[u] = 1;
        of[u] = u / 4 == 2;
    }
    for (uint32_t i = 0; i < 6 * SQUARES; i++)
        triangles[i] = 4 * (i / 6) + (const uint32_t[]){0, 1, 2, 0, 2, 3}[i % 6];
    const limber_skin skin = {.joint_count = 2, .joints = joints, .joint_from_mesh = joint_from_mesh};
    const limber_mesh mesh = {.name = "squares",
                              .vertex_count = CORNERS,
                              .triangle_count = 2 * SQUARES,
                              .positions = positions,
                              .triangles = triangles,
                              .influence_first = first,
                              .influence_joint = of,
                              .influence_weight = weights};
    limber_model model = limber_model_default();
    model.rig.joint_count = 2;
    model.rig.names = names;
    model.rig.parents = parents;
    model.rig.rest_local = rest;
    model.skin_count = model.mesh_count = 1;
    model.skins = &skin;
    model.meshes = &mesh;
    limber_asset* asset;
    assert_int_equal(limber_asset_create(&model, &asset, NULL), LIMBER_OK);
    float result = carries(limber_asset_model(asset), 0);
    limber_asset_destroy(asset);
    return result;
}

static void what_carries_fades_out_with_its_height_and_with_what_hangs_elsewhere(void** state) {
    (void)state;
    assert_true(fabsf(carries_squares(0.5f, 0.01f) - 1) < 1e-5f);
    assert_true(fabsf(carries_squares(0.26f, 0) - 1) < 1e-5f);
    assert_true(fabsf(carries_squares(0.125f, 0) - 0.5f) < 1e-4f); // middle over mean height: 0.375 of 0.625
    assert_true(carries_squares(-0.2f, 0) == 0);
    assert_true(fabsf(carries_squares(0.5f, 2 * 0.06f / 0.94f) - 0.5f) < 1e-4f);
    assert_true(carries_squares(0.5f, 0.25f) == 0);
}

// A joint of a character turns, and so does another one; how far overlap turns its skin.
static float lag_of(const char* character, const char* name, float whole) {
    test_scene s;
    test_scene_open(&s, character);
    uint32_t joint = joint_of(s.model, name);
    s.settings.deform.compose = LIMBER_COMPOSE_CHAIN;
    s.settings.deform.effects[LIMBER_EFFECT_OVERLAP].angular.value = 1;
    limber_effect_number(&s.settings.deform, LIMBER_EFFECT_OVERLAP, "whole")->value = whole;
    s.motion.angular_acceleration[joint] = limberi_vec3(0, 0, 60);
    test_scene_run(&s);
    const limber_deformer* d = limberi_pipeline_state_of(s.pipeline).deformer;
    float lag = limberi_length(d->frame.job.motion[LIMBER_EFFECT_OVERLAP]->angular_acceleration[joint]);
    test_scene_close(&s);
    return lag;
}

static void a_lag_of_everything_counts_as_the_style_says(void** state) {
    (void)state;
    float all = lag_of("dancer", "Hips", 1);
    assert_true(all > 0.1f);
    assert_true(fabsf(lag_of("dancer", "Hips", 0.25f) - 0.25f * all) < 1e-6f && lag_of("dancer", "Hips", 0) == 0);
    assert_true(lag_of("dancer", "Spine1", 0) == lag_of("dancer", "Spine1", 1) && lag_of("dancer", "Spine1", 0) > 0.1f);
    assert_true(lag_of("cylinder", "Root", 0) == lag_of("cylinder", "Root", 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hips_carry_a_body_and_the_foot_of_a_stalk_does_not),
        cmocka_unit_test(what_carries_fades_out_with_its_height_and_with_what_hangs_elsewhere),
        cmocka_unit_test(a_lag_of_everything_counts_as_the_style_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
