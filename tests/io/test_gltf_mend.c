// Positions and weights that are not finite: a few take their neighbors' numbers, many are refused.
#include "kit/gltf_load.h"

#include <math.h>

enum { ROW = 40 };

// Two rows of vertices; triangles lead from one row to the other.
static void add_ribbon(gltf_kit* kit, const float* positions, const float* weights) {
    uint8_t joints[2 * ROW][4] = {{0}};
    uint16_t indices[6 * (ROW - 1)];
    for (int i = 0; i < ROW; i++)
        joints[i][0] = joints[ROW + i][0] = (uint8_t)(1 + (i & 1));
    for (uint16_t i = 0; i + 1 < ROW; i++) {
        const uint16_t corners[6] = {
            i, (uint16_t)(i + 1), (uint16_t)(ROW + i), (uint16_t)(i + 1), (uint16_t)(ROW + i), (uint16_t)(ROW + i + 1)};
        memcpy(indices + 6 * i, corners, sizeof corners);
    }
    char text[256];
    uint32_t position = kit_floats(kit, positions, "VEC3", 2 * ROW);
    uint32_t joint = kit_array(kit, joints, KIT_UINT8, false, "VEC4", 2 * ROW);
    uint32_t weight = kit_floats(kit, weights, "VEC4", 2 * ROW);
    uint32_t index = kit_array(kit, indices, KIT_UINT16, false, "SCALAR", 6 * (ROW - 1));
    snprintf(text, sizeof text,
             "{'name': 'Ribbon', 'primitives': [{'attributes': {'POSITION': %u, 'JOINTS_0': %u, 'WEIGHTS_0': %u}, "
             "'indices': %u}]}",
             position, joint, weight, index);
    kit_push(kit, "meshes", text);
    kit_set(kit, "nodes/4/mesh", "2");
    kit_set(kit, "animations/0/channels/3", NULL); // of targets that it does not have
}

static void make_ribbon(gltf_kit* kit, uint32_t bad_count) {
    float positions[2 * ROW][3] = {{0}}, weights[2 * ROW][4] = {{0}};
    for (uint32_t i = 0; i < 2 * ROW; i++) {
        positions[i][0] = (float)(i % ROW);
        positions[i][1] = i < ROW ? 1 : 2;
        weights[i][0] = 0.5f;
        weights[i][1] = i == 7 ? NAN : 0.5f; // what is left is enough
    }
    for (uint32_t i = 0; i < bad_count; i++) {
        positions[ROW + 3 + i][1] = i ? INFINITY : NAN;
        weights[ROW + 10 + i][0] = weights[ROW + 10 + i][1] = NAN;
    }
    kit_character(kit);
    add_ribbon(kit, positions[0], weights[0]);
}

// Beside it in the row, or across the ribbon.
static void expect_neighbor(const limber_mesh* mesh, uint32_t vertex) {
    float beside = fabsf(mesh->positions[3 * (size_t)vertex] - (float)(vertex % ROW));
    float height = mesh->positions[3 * (size_t)vertex + 1];
    assert_true(beside <= 2 && (height == 1 || height == 2));
}

static void expect_joint(const limber_mesh* mesh, uint32_t vertex, uint16_t least, float weight) {
    uint32_t first = mesh->influence_first[vertex];
    assert_true(mesh->influence_joint[first] >= least);
    assert_float_equal(mesh->influence_weight[first], weight, 1e-6f);
}

static void a_few_vertices_that_are_no_numbers_take_their_neighbors(void** state) {
    (void)state;
    gltf_kit kit;
    limber_error error;
    make_ribbon(&kit, 2);
    limber_gltf* gltf = load_kit(&kit);
    const limber_mesh* mesh = &model_of(gltf)->meshes[model_of(gltf)->mesh_count - 1];
    assert_int_equal(mesh->vertex_count, 2 * ROW);
    expect_neighbor(mesh, ROW + 3);
    expect_neighbor(mesh, ROW + 4);
    expect_joint(mesh, 7, 1, 1); // all that it has left
    expect_joint(mesh, ROW + 10, 1, 0.5f);
    expect_joint(mesh, ROW + 11, 1, 0.5f);
    assert_int_equal(limber_gltf_warning_count(gltf), 2);
    assert_non_null(strstr(limber_gltf_warning(gltf, 0), "positions of 2 vertices are not finite"));
    assert_non_null(strstr(limber_gltf_warning(gltf, 1), "weights of 3 vertices are not finite"));
    void* bytes;
    size_t size;
    assert_int_equal(limber_gltf_save_memory(gltf, NULL, &bytes, &size, &error), LIMBER_OK);
    limber_gltf_destroy(gltf);
    assert_int_equal(limber_gltf_load_memory(bytes, size, NULL, NULL, &gltf, &error), LIMBER_OK);
    limber_release(bytes);
    assert_int_equal(limber_gltf_warning_count(gltf), 0); // what is written is whole
    limber_gltf_destroy(gltf);
}

static void many_vertices_that_are_no_numbers_are_refused(void** state) {
    (void)state;
    gltf_kit kit;
    limber_gltf* gltf;
    limber_error error;
    size_t size;
    make_ribbon(&kit, 6); // of 80
    uint8_t* bytes = kit_glb(&kit, &size);
    assert_int_equal(limber_gltf_load_memory(bytes, size, NULL, NULL, &gltf, &error), LIMBER_ERROR_DATA);
    assert_non_null(strstr(error.message, "is not finite"));
    free(bytes);
    kit_end(&kit);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_few_vertices_that_are_no_numbers_take_their_neighbors),
        cmocka_unit_test(many_vertices_that_are_no_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
