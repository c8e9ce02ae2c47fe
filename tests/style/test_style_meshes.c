// Gains of effects per mesh, from the text of a style to the vertices of a character.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/models.h"
#include "kit/style_kit.h"
#include "pipeline/clone.h"

#define PAPERS                                                                                                         \
    "\"effects\": {\"floppy\": {\"linear\": 0.05, \"angular\": 0.2, \"max_bend\": 40}, \"squash\": {\"linear\": 0.1,"  \
    " \"angular\": \"0.1 * height\", \"layer\": \"squash\"}, \"drag\": {\"linear\": 0.002, \"angular\": \"0.02 * "     \
    "phase\"}, \"followthrough\": {\"linear\": 0.002, \"angular\": 0.01, \"layer\": \"floppy\"}, \"stretch\": "        \
    "{\"angular\": 0.01}, \"derivative\": {\"angular\": 0.0002, \"max_bend\": 20}}"
#define SPRINGS                                                                                                        \
    "\"compose\": \"chain\", \"effects\": {\"overlap\": {\"gain\": 4, \"linear\": 1, \"layer\": \"floppy\"},"          \
    " \"squash\": {\"linear\": 0.1, \"angular\": 0.1}}"

// The cow twice: her mesh is that of a sword and that of a body.
static limber_asset* twins(void) {
    limber_asset *cow = test_built_in("cow", 0.5), *asset;
    limber_model model = *limber_asset_model(cow);
    limber_mesh meshes[2] = {model.meshes[0], model.meshes[0]};
    meshes[0].name = "Sphere.001";
    meshes[0].node_name = "Sword.Left";
    meshes[1].name = meshes[1].node_name = "Body";
    model.meshes = meshes;
    model.mesh_count = 2;
    assert_int_equal(limber_asset_create(&model, &asset, NULL), LIMBER_OK);
    limber_asset_destroy(cow);
    return asset;
}

// The deformed vertices at a moment; the caller frees them.
static float* run(const limber_asset* asset, const char* style, const char* rest, double time_s) {
    char text[1200];
    snprintf(text, sizeof text, "{%s%s}", style, rest);
    limber_style* read = style_kit_read(text);
    limber_pipeline* pipeline;
    limber_error error;
    limber_frame f;
    if (limber_pipeline_create(asset, read, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s: %s", text, error.message);
    assert_int_equal(limber_pipeline_evaluate(pipeline, 1, time_s, &f), LIMBER_OK);
    size_t bytes = 3 * sizeof(float) * limber_asset_model(asset)->vertex_count;
    float* copy = malloc(bytes);
    memcpy(copy, f.positions, bytes);
    limber_pipeline_destroy(pipeline);
    limber_style_destroy(read);
    return copy;
}

static double distance(const float* a, const float* b, size_t count) {
    double max = 0;
    for (size_t i = 0; i < count; i++)
        max = fmax(max, fabs((double)(a[i] - b[i])));
    return max;
}

// A gain of a mesh is the gain of all joints as that mesh sees it.
static void a_mesh_moves_as_if_all_joints_had_its_gain(void** state) {
    (void)state;
    limber_asset* asset = twins();
    size_t half = 3 * (size_t)limber_asset_model(asset)->meshes[0].vertex_count;
    double size = (double)limber_asset_model(asset)->size;
    const char* const styles[] = {PAPERS, SPRINGS};
    const double gains[] = {0, 0.4, 2.5, -1};
    for (int s = 0; s < 2; s++) {
        float *plain = run(asset, styles[s], "", 0.4), *none = run(asset, "\"loop\": \"auto\"", "", 0.4);
        assert_true(distance(plain, none, 2 * half) > 0.02 * size);
        for (int g = 0; g < 4; g++) {
            char meshes[200], joints[200];
            snprintf(meshes, sizeof meshes, ", \"meshes\": {\"Sword*\": {\"effects\": {\"*\": %g}}}", gains[g]);
            snprintf(joints, sizeof joints, ", \"joints\": {\"*\": {\"*\": %g}}", gains[g]);
            float *mixed = run(asset, styles[s], meshes, 0.4), *all = run(asset, styles[s], joints, 0.4);
            assert_true(distance(mixed, all, half) < 4e-6 * size);
            assert_true(distance(mixed + half, plain + half, half) < 4e-6 * size);
            free(mixed);
            free(all);
        }
        free(plain);
        free(none);
    }
    limber_asset_destroy(asset);
}

static void one_effect_of_one_mesh_and_later_patterns_win(void** state) {
    (void)state;
    limber_asset* asset = twins();
    size_t half = 3 * (size_t)limber_asset_model(asset)->meshes[0].vertex_count;
    double size = (double)limber_asset_model(asset)->size;
    float* mixed = run(asset, PAPERS,
                       ", \"meshes\": {\"*\": {\"effects\": {\"floppy\": 0}}, \"Sphere.001\": {\"effects\": {\"*\": 0, "
                       "\"drag\": 3}}}",
                       0.4);
    float* body = run(asset, PAPERS, ", \"joints\": {\"*\": {\"floppy\": 0}}", 0.4);
    float* sword = run(asset, PAPERS, ", \"joints\": {\"*\": {\"*\": 0, \"drag\": 3}}", 0.4);
    assert_true(distance(mixed, sword, half) < 4e-6 * size);
    assert_true(distance(mixed + half, body + half, half) < 4e-6 * size);
    assert_true(distance(sword, body, half) > 1e-3 * size);
    free(mixed);
    free(body);
    free(sword);
    limber_asset_destroy(asset);
}

// A skirt of two meshes: each is lifted along its own normals.
static void meshes_are_lifted_alike(void** state) {
    (void)state;
    limber_asset* asset = twins();
    size_t half = 3 * (size_t)limber_asset_model(asset)->meshes[0].vertex_count;
    double size = (double)limber_asset_model(asset)->size;
    float* lifted = run(asset, "\"effects\": {\"lift\": {\"angular\": 2, \"normals\": \"mesh\"}}", "", 0.4);
    float* plain = run(asset, "\"loop\": \"auto\"", "", 0.4);
    assert_true(distance(lifted, plain, half) > 1e-3 * size);
    assert_true(distance(lifted, lifted + half, half) < 4e-6 * size);
    free(lifted);
    free(plain);
    limber_asset_destroy(asset);
}

// A layer that is painted later counts under the gains of meshes, too.
static void paint_shows_at_once(void** state) {
    (void)state;
    limber_asset* asset = twins();
    const limber_mesh* mesh = &limber_asset_model(asset)->meshes[0];
    limber_style* style = style_kit_read("{" PAPERS ", \"meshes\": {\"Sword*\": {\"effects\": {\"*\": 2}}}}");
    limber_pipeline *painted, *fresh;
    limber_frame a, b;
    assert_int_equal(limber_pipeline_create(asset, style, &painted, NULL), LIMBER_OK);
    uint32_t layer = 0;
    while (strcmp(mesh->layers[layer].name, "floppy") != 0)
        layer++;
    float* values = (float*)(uintptr_t)mesh->layers[layer].values;
    for (uint32_t u = 0; u < mesh->vertex_count; u++)
        values[u] = 0.3f;
    limberi_pipeline_layer_changed(painted, 0, layer);
    assert_int_equal(limber_pipeline_create(asset, style, &fresh, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_evaluate(painted, 1, 0.4, &a), LIMBER_OK);
    assert_int_equal(limber_pipeline_evaluate(fresh, 1, 0.4, &b), LIMBER_OK);
    assert_true(distance(a.positions, b.positions, 3 * (size_t)mesh->vertex_count) == 0);
    limber_pipeline_destroy(painted);
    limber_pipeline_destroy(fresh);
    limber_style_destroy(style);
    limber_asset_destroy(asset);
}

static void every_effect_has_a_gain_per_mesh(void** state) {
    (void)state;
    limber_asset* asset = style_kit_asset();
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++) {
        char path[96];
        snprintf(path, sizeof path, "meshes.mesh.effects.%s", limber_effect_name((limber_effect)e));
        limber_style* style = style_kit_read("{}");
        style_kit_set(style, path, "0.25");
        limber_bound_style* bound = style_kit_bind(style, asset);
        const float* const* gains = limber_bound_style_settings(bound)->deform.mesh_gains;
        for (int other = 0; other < LIMBER_EFFECT_COUNT; other++)
            assert_true(other == e ? gains[other] && gains[other][0] == 0.25f : !gains[other]);
        limber_bound_style_destroy(bound);
        limber_style_destroy(style);
    }
    limber_asset_destroy(asset);
}

// The message names as many as fit, and says when there are more.
static void a_list_of_meshes_says_whether_it_goes_on(void** state) {
    (void)state;
    enum { MESHES = 40 };
    char names[MESHES][8];
    limber_mesh meshes[MESHES];
    limber_asset *tube = test_tube_create(2, 1, 24, false), *asset;
    limber_model model = *limber_asset_model(tube);
    limber_style* style = style_kit_read("{\"meshes\": {\"Something else\": {\"effects\": {\"*\": 2}}}}");
    for (uint32_t m = 0; m < MESHES; m++) {
        snprintf(names[m], sizeof names[m], "mesh %u", m);
        meshes[m] = model.meshes[0];
        meshes[m].name = meshes[m].node_name = names[m];
        model.meshes = meshes;
        model.mesh_count = m + 1;
        assert_int_equal(limber_asset_create(&model, &asset, NULL), LIMBER_OK);
        limber_bound_style* bound;
        limber_error error;
        assert_int_equal(limber_style_bind(style, asset, &bound, &error), LIMBER_ERROR_DATA);
        bool all = strstr(error.message, names[m]), more = strstr(error.message, "...");
        assert_true(all != more);
        limber_asset_destroy(asset);
    }
    limber_style_destroy(style);
    limber_asset_destroy(tube);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_effect_has_a_gain_per_mesh),
        cmocka_unit_test(a_mesh_moves_as_if_all_joints_had_its_gain),
        cmocka_unit_test(one_effect_of_one_mesh_and_later_patterns_win),
        cmocka_unit_test(meshes_are_lifted_alike),
        cmocka_unit_test(paint_shows_at_once),
        cmocka_unit_test(a_list_of_meshes_says_whether_it_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
