// The glTF reader on files made in memory: buffers, accessors, meshes, pictures.
#include "kit/gltf_load.h"

static void influences_of_no_weight_vanish_and_double_ones_merge(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    limber_gltf* gltf = load_kit(&kit);
    const limber_mesh* body = &model_of(gltf)->meshes[0];
    const uint32_t counts[8] = {1, 1, 2, 2, 2, 2, 1, 1}; // 6: joint 2 twice; 7: joint 9 with weight 0
    for (uint32_t v = 0; v < 8; v++)
        assert_int_equal(body->influence_first[v + 1] - body->influence_first[v], counts[v]);
    const float halves[2] = {0.5f, 0.5f}; // 4: a quarter of joint 1 twice
    assert_floats(body->influence_weight + body->influence_first[4], halves, 2, 1e-6f);
    assert_int_equal(body->influence_joint[body->influence_first[6]], 2);
    assert_float_equal(body->influence_weight[body->influence_first[6]], 1, 1e-6f);
    limber_gltf_destroy(gltf);
}

static void morphs_layers_and_materials_arrive(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    limber_gltf* gltf = load_kit(&kit);
    const limber_model* model = model_of(gltf);
    const limber_mesh* body = &model->meshes[0];
    assert_int_equal(body->morph_count, 2);
    assert_string_equal(body->morphs[1].name, "frown");
    assert_float_equal(body->morphs[1].positions[3 * 4 + 1], 0.1f, 1e-7f);
    assert_null(body->morphs[0].normals);
    assert_float_equal(body->morph_defaults[0], 0.25f, 0);
    const limber_layer* layer = limber_mesh_find_layer(body, "floppy");
    assert_non_null(layer);
    assert_float_equal(layer->values[7], -1, 0);
    const limber_material* red = &model->materials[0];
    assert_string_equal(red->name, "Red");
    assert_float_equal(red->base_color[3], 0.5f, 0);
    assert_float_equal(red->metallic, 0, 0);
    assert_float_equal(red->roughness, 0.75f, 0);
    assert_true(red->double_sided && red->blend);
    assert_int_equal(red->image, -1);
    limber_gltf_destroy(gltf);
}

// A mesh of three vertices on a separate node; `primitive` is its JSON.
static void begin_triangle(gltf_kit* kit, const char* primitive) {
    char mesh[1024];
    kit_begin(kit);
    kit_push(kit, "nodes", "{'mesh': 0}");
    snprintf(mesh, sizeof mesh, "{'primitives': [%s]}", primitive);
    kit_push(kit, "meshes", mesh);
}

static void buffers_may_be_several_and_percent_encoded(void** state) {
    (void)state;
    const float triangle[9] = {0, 0, 0, 2, 0, 0, 0, 2, 0};
    gltf_kit kit;
    char buffer[512], uri[256] = "data:,";
    begin_triangle(&kit, "{'attributes': {'POSITION': 0, 'TEXCOORD_0': 1}}");
    for (size_t i = 0; i < sizeof triangle; i++)
        snprintf(uri + strlen(uri), 4, "%%%02x", ((const uint8_t*)triangle)[i]);
    snprintf(buffer, sizeof buffer,
             "[{'byteLength': 36, 'uri': '%s'}, {'byteLength': 24, 'uri': "
             "'data:application/gltf-buffer;base64,AACAPwAAAAAAAIA/AAAAAAAAgD8AAAAA'}]",
             uri);
    kit_set(&kit, "buffers", buffer);
    kit_push(&kit, "bufferViews", "{'buffer': 0, 'byteLength': 36}");
    kit_push(&kit, "bufferViews", "{'buffer': 1, 'byteLength': 24}");
    kit_push(&kit, "accessors", "{'bufferView': 0, 'componentType': 5126, 'type': 'VEC3', 'count': 3}");
    kit_push(&kit, "accessors", "{'bufferView': 1, 'componentType': 5126, 'type': 'VEC2', 'count': 3.0}");
    limber_gltf* gltf = load_kit(&kit);
    const float uvs[6] = {1, 0, 1, 0, 1, 0};
    assert_floats(model_of(gltf)->meshes[0].positions, triangle, 9, 0);
    assert_floats(model_of(gltf)->meshes[0].uvs, uvs, 6, 0);
    assert_int_equal(gltf->buffer_count, 2);
    assert_int_equal(gltf->buffers[1].size, 24);
    limber_gltf_destroy(gltf);
}

static void normalised_accessors_of_every_type_become_fractions(void** state) {
    (void)state;
    static const struct {
        uint32_t component;
        uint8_t bytes[12];
        float expected[3], plain[3];
    } cases[] = {
        {KIT_INT8, {0x80, 0x7f, 0}, {-1, 1, 0}, {-128, 127, 0}},
        {KIT_UINT8, {0, 255, 51}, {0, 1, 0.2f}, {0, 255, 51}},
        {KIT_INT16, {0, 0x80, 0xff, 0x7f, 0, 0}, {-1, 1, 0}, {-32768, 32767, 0}},
        {KIT_UINT16, {0, 0, 0xff, 0xff, 0x33, 0x33}, {0, 1, 0.2f}, {0, 65535, 13107}},
        {KIT_UINT32, {0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 4, 0, 0, 0}, {0, 1, 0}, {0, 4294967296.0f, 4}},
        {KIT_FLOAT, {0, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}, {0, 1, 2}, {0, 1, 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int normalized = 0; normalized < 2; normalized++) {
            gltf_kit kit;
            begin_triangle(&kit, "{'attributes': {'POSITION': 0}}");
            kit_array(&kit, cases[i].bytes, cases[i].component, normalized, "VEC3", 1);
            limber_gltf* gltf = load_kit(&kit);
            assert_floats(model_of(gltf)->meshes[0].positions, normalized ? cases[i].expected : cases[i].plain, 3,
                          1e-7f);
            limber_gltf_destroy(gltf);
        }
    }
}

static void strides_and_offsets_interleave(void** state) {
    (void)state;
    // Per vertex: position, two bytes of texture coordinate, two of padding, normal.
    struct {
        float position[3];
        uint8_t uv[2], padding[2];
        float normal[3];
    } vertices[3] = {{{0, 0, 0}, {0, 255}, {9, 9}, {0, 0, 1}},
                     {{1, 0, 0}, {255, 0}, {9, 9}, {0, 0, 1}},
                     {{0, 1, 0}, {255, 255}, {9, 9}, {0, 1, 0}}};
    gltf_kit kit;
    begin_triangle(&kit, "{'attributes': {'POSITION': 0, 'TEXCOORD_0': 1, 'NORMAL': 2}}");
    kit_view(&kit, vertices, sizeof vertices, sizeof vertices[0]);
    kit_push(&kit, "accessors", "{'bufferView': 0, 'componentType': 5126, 'type': 'VEC3', 'count': 3}");
    kit_push(&kit, "accessors",
             "{'bufferView': 0, 'byteOffset': 12, 'componentType': 5121, 'type': 'VEC2', 'count': 3, "
             "'normalized': true}");
    kit_push(&kit, "accessors",
             "{'bufferView': 0, 'byteOffset': 16, 'componentType': 5126, 'type': 'VEC3', 'count': 3}");
    kit_set(&kit, "extensionsRequired", "['KHR_mesh_quantization']");
    limber_gltf* gltf = load_kit(&kit);
    const limber_mesh* mesh = &model_of(gltf)->meshes[0];
    const float uvs[6] = {0, 1, 1, 0, 1, 1};
    assert_floats(mesh->positions + 6, vertices[2].position, 3, 0);
    assert_floats(mesh->normals + 6, vertices[2].normal, 3, 1e-6f);
    assert_floats(mesh->uvs, uvs, 6, 0);
    limber_gltf_destroy(gltf);
}

static void sparse_accessors_replace_elements(void** state) {
    (void)state;
    const float base[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, changed[6] = {5, 6, 7, 8, 9, 10};
    const uint16_t at[2] = {0, 2};
    for (int with_base = 0; with_base < 2; with_base++) {
        gltf_kit kit;
        begin_triangle(&kit, "{'attributes': {'POSITION': 0}}");
        kit_floats(&kit, base, "VEC3", 3);
        kit_view(&kit, at, sizeof at, 0);
        kit_view(&kit, changed, sizeof changed, 0);
        kit_set(&kit, "accessors/0/sparse",
                "{'count': 2, 'indices': {'bufferView': 1, 'componentType': 5123}, "
                "'values': {'bufferView': 2}}");
        if (!with_base)
            kit_set(&kit, "accessors/0/bufferView", NULL);
        limber_gltf* gltf = load_kit(&kit);
        const float expected[9] = {5, 6, 7, with_base ? 1.0f : 0.0f, 0, 0, 8, 9, 10};
        assert_floats(model_of(gltf)->meshes[0].positions, expected, 9, 0);
        limber_gltf_destroy(gltf);
    }
}

static void sparse_indices_and_joints_are_replaced_too(void** state) {
    (void)state;
    const uint8_t index_at[1] = {1}, joint_at[1] = {0}, joint[4] = {2, 0, 0, 0};
    const uint16_t index[1] = {3};
    gltf_kit kit;
    kit_character(&kit);
    kit_view(&kit, index_at, 1, 0); // 16
    kit_view(&kit, index, 2, 0);    // 17
    kit_view(&kit, joint_at, 1, 0); // 18
    kit_view(&kit, joint, 4, 0);    // 19
    kit_set(&kit, "accessors/5/sparse",
            "{'count': 1, 'indices': {'bufferView': 16, 'componentType': 5121}, 'values': {'bufferView': 17}}");
    kit_set(&kit, "accessors/3/sparse",
            "{'count': 1, 'indices': {'bufferView': 18, 'componentType': 5121}, 'values': {'bufferView': 19}}");
    limber_gltf* gltf = load_kit(&kit);
    const limber_mesh* body = &model_of(gltf)->meshes[0];
    assert_int_equal(body->triangles[0], 0);
    assert_int_equal(body->triangles[1], 3);
    assert_int_equal(body->triangles[2], 1);
    assert_int_equal(body->influence_joint[0], 2);
    limber_gltf_destroy(gltf);
}

static void sparse_weights_are_found_in_every_block_of_vertices(void** state) {
    (void)state;
    enum { COUNT = 1000 };
    static const float positions[COUNT][3], one[4][4] = {{1}, {2}, {3}, {4}};
    static const uint16_t at[4] = {10, 255, 256, 999}, second[COUNT][4];
    gltf_kit kit;
    begin_triangle(&kit, "{'attributes': {'POSITION': 0, 'JOINTS_0': 1, 'WEIGHTS_0': 2}, 'mode': 0}");
    kit_set(&kit, "nodes/0", "{'mesh': 0, 'skin': 0}");
    kit_push(&kit, "nodes", "{}");
    kit_push(&kit, "skins", "{'joints': [0, 1]}");
    kit_floats(&kit, positions[0], "VEC3", COUNT);
    kit_array(&kit, second, KIT_UINT16, false, "VEC4", COUNT);
    kit_view(&kit, at, sizeof at, 0);
    kit_view(&kit, one, sizeof one, 0);
    kit_push(&kit, "accessors",
             "{'componentType': 5126, 'type': 'VEC4', 'count': 1000, 'sparse': {'count': 4, "
             "'indices': {'bufferView': 2, 'componentType': 5123}, 'values': {'bufferView': 3}}}");
    limber_gltf* gltf = load_kit(&kit);
    assert_true(has_problem(gltf, "996 vertices"));
    limber_gltf_destroy(gltf);
}

static void check_triangles(const char* mode, const uint8_t* indices, uint32_t index_count, const uint32_t* expected,
                            uint32_t triangle_count) {
    static const float five[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0};
    char primitive[256];
    gltf_kit kit;
    snprintf(primitive, sizeof primitive, "{'attributes': {'POSITION': 0}, 'mode': %s%s}", mode,
             index_count ? ", 'indices': 1" : "");
    begin_triangle(&kit, primitive);
    kit_floats(&kit, five, "VEC3", 5);
    if (index_count)
        kit_array(&kit, indices, KIT_UINT8, false, "SCALAR", index_count);
    limber_gltf* gltf = load_kit(&kit);
    const limber_mesh* mesh = &model_of(gltf)->meshes[0];
    assert_int_equal(mesh->vertex_count, 5);
    assert_int_equal(mesh->triangle_count, triangle_count);
    assert_int_equal(mesh->parts[0].triangle_count, triangle_count);
    assert_memory_equal(mesh->triangles, expected, 12 * triangle_count);
    limber_gltf_destroy(gltf);
}

static void strips_and_fans_become_triangles(void** state) {
    (void)state;
    const uint32_t strip[9] = {0, 1, 2, 1, 3, 2, 2, 3, 4}, fan[9] = {1, 2, 0, 2, 3, 0, 3, 4, 0};
    check_triangles("5", NULL, 0, strip, 3);
    check_triangles("6", NULL, 0, fan, 3);
    const uint8_t joined[8] = {0, 1, 2, 2, 1, 1, 3, 4}; // triangles without area join the pieces
    const uint32_t pieces[6] = {0, 1, 2, 1, 4, 3};
    check_triangles("5", joined, 8, pieces, 2);
    const uint8_t turned[4] = {4, 3, 2, 1};
    const uint32_t turned_fan[6] = {3, 2, 4, 2, 1, 4};
    check_triangles("6", turned, 4, turned_fan, 2);
    check_triangles("5", turned, 2, NULL, 0);
}

static void long_strips_keep_their_winding_across_blocks(void** state) {
    (void)state;
    enum { COUNT = 5000 };
    float* positions = calloc(3 * COUNT, sizeof(float));
    for (uint32_t v = 0; v < COUNT; v++) {
        positions[3 * v] = (float)(v / 2);
        positions[3 * v + 1] = (float)(v % 2);
    }
    gltf_kit kit;
    begin_triangle(&kit, "{'attributes': {'POSITION': 0}, 'mode': 5}");
    kit_floats(&kit, positions, "VEC3", COUNT);
    limber_gltf* gltf = load_kit(&kit);
    const limber_mesh* mesh = &model_of(gltf)->meshes[0];
    assert_int_equal(mesh->triangle_count, COUNT - 2);
    for (uint32_t t = 0; t < COUNT - 2; t++) {
        const uint32_t* corner = mesh->triangles + 3 * t;
        const float *a = positions + 3 * corner[0], *b = positions + 3 * corner[1], *c = positions + 3 * corner[2];
        float area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        assert_true(area < 0); // all turn the same way as the first
    }
    free(positions);
    limber_gltf_destroy(gltf);
}

static void long_fans_keep_their_hub_across_blocks(void** state) {
    (void)state;
    enum { COUNT = 5000 };
    float* positions = calloc(3 * COUNT, sizeof(float));
    assert_non_null(positions);
    gltf_kit kit;
    begin_triangle(&kit, "{'attributes': {'POSITION': 0}, 'mode': 6}");
    kit_floats(&kit, positions, "VEC3", COUNT);
    free(positions);
    limber_gltf* gltf = load_kit(&kit);
    const limber_mesh* mesh = &model_of(gltf)->meshes[0];
    assert_int_equal(mesh->triangle_count, COUNT - 2);
    for (uint32_t t = 0; t < COUNT - 2; t++) {
        assert_int_equal(mesh->triangles[3 * t], t + 1);
        assert_int_equal(mesh->triangles[3 * t + 1], t + 2);
        assert_int_equal(mesh->triangles[3 * t + 2], 0);
    }
    limber_gltf_destroy(gltf);
}

static void points_and_lines_keep_their_vertices(void** state) {
    (void)state;
    check_triangles("0", NULL, 0, NULL, 0);
    check_triangles("1", NULL, 0, NULL, 0);
    check_triangles("3", NULL, 0, NULL, 0);
}

static void incomplete_triangle_lists_are_noted(void** state) {
    (void)state;
    static const float five[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0};
    gltf_kit kit;
    begin_triangle(&kit, "{'attributes': {'POSITION': 0}}");
    kit_floats(&kit, five, "VEC3", 5);
    limber_gltf* gltf = load_kit(&kit);
    assert_int_equal(model_of(gltf)->meshes[0].triangle_count, 1);
    assert_true(has_problem(gltf, "not complete"));
    limber_gltf_destroy(gltf);
}

static void more_than_four_joints_per_vertex(void** state) {
    (void)state;
    const uint16_t joints[8][4] = {{1, 2, 0, 0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}};
    const uint8_t weights[8][4] = {{51, 102, 0, 0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}};
    gltf_kit kit;
    kit_character(&kit);
    kit_array(&kit, joints, KIT_UINT16, false, "VEC4", 8);
    kit_array(&kit, weights, KIT_UINT8, true, "VEC4", 8);
    kit_set(&kit, "meshes/0/primitives/0/attributes/JOINTS_1", "16");
    kit_set(&kit, "meshes/0/primitives/0/attributes/WEIGHTS_1", "17");
    limber_gltf* gltf = load_kit(&kit);
    const limber_mesh* body = &model_of(gltf)->meshes[0];
    const float expected[3] = {1 / 1.6f, 0.2f / 1.6f, 0.4f / 1.6f};
    assert_int_equal(body->influence_first[1], 3);
    assert_floats(body->influence_weight, expected, 3, 1e-6f);
    limber_gltf_destroy(gltf);
}

static void vertices_without_weights_follow_the_first_joint(void** state) {
    (void)state;
    const float nothing[4] = {0, 0, 0, 0}, negative[4] = {1, -0.5f, 0, 0};
    gltf_kit kit;
    kit_character(&kit);
    kit_poke(&kit, KIT_WEIGHTS, 16 * 5, nothing, sizeof nothing);
    kit_poke(&kit, KIT_WEIGHTS, 0, negative, sizeof negative);
    limber_gltf* gltf = load_kit(&kit);
    const limber_mesh* body = &model_of(gltf)->meshes[0];
    assert_int_equal(body->influence_joint[body->influence_first[5]], 0);
    assert_int_equal(body->influence_first[1], 1);
    assert_true(has_problem(gltf, "meshes[0].primitives[0]: 1 vertices"));
    assert_true(has_problem(gltf, "1 weights are negative"));
    limber_gltf_destroy(gltf);

    kit_character(&kit);
    kit_set(&kit, "meshes/0/primitives/0/attributes/JOINTS_0", NULL);
    kit_set(&kit, "meshes/0/primitives/0/attributes/WEIGHTS_0", NULL);
    gltf = load_kit(&kit);
    assert_int_equal(model_of(gltf)->meshes[0].influence_first[8], 8);
    assert_true(has_problem(gltf, "8 vertices"));
    limber_gltf_destroy(gltf);
}

static void mesh_without_skin_ignores_its_joints(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    kit_set(&kit, "nodes/4/skin", NULL);
    limber_gltf* gltf = load_kit(&kit);
    const limber_model* model = model_of(gltf);
    const limber_skin* skin = &model->skins[model->meshes[0].skin];
    assert_int_equal(skin->joint_count, 1);
    assert_string_equal(model->rig.names[skin->joints[0]], "body");
    assert_int_equal(model->meshes[0].influence_first[8], 8);
    assert_int_equal(limber_gltf_warning_count(gltf), 0);
    limber_gltf_destroy(gltf);
}

static void one_mesh_on_two_nodes_is_two_meshes(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    kit_push(&kit, "nodes", "{'name': 'twin', 'mesh': 0, 'skin': 0, 'weights': [0, 0.75]}");
    kit_set(&kit, "scenes/0/nodes", "[6, 0]");
    limber_gltf* gltf = load_kit(&kit);
    const limber_model* model = model_of(gltf);
    assert_int_equal(model->mesh_count, 3); // in the order of "meshes", then of "nodes"
    assert_string_equal(model->meshes[0].node_name, "body");
    assert_string_equal(model->meshes[1].node_name, "twin");
    assert_string_equal(model->meshes[2].node_name, "prop");
    assert_int_equal(model->meshes[0].skin, model->meshes[1].skin);
    assert_int_equal(model->skin_count, 2);
    assert_float_equal(model->meshes[0].morph_defaults[0], 0.25f, 0);
    assert_float_equal(model->meshes[1].morph_defaults[1], 0.75f, 0);
    assert_int_equal(model->clips[0].channels[3].target, 0);
    limber_gltf_destroy(gltf);
}

static void primitives_follow_each_other_and_fill_gaps(void** state) {
    (void)state;
    const float triangle[9] = {0, 0, 0, 0, 0, 1, 1, 0, 0}, colors[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const float layer[3] = {0.5f, 0.25f, 0};
    gltf_kit kit;
    kit_character(&kit);
    kit_floats(&kit, triangle, "VEC3", 3); // 16
    kit_floats(&kit, colors, "VEC3", 3);   // 17
    kit_floats(&kit, layer, "SCALAR", 3);  // 18
    kit_set(&kit, "meshes/0/primitives/1",
            "{'attributes': {'POSITION': 16, 'COLOR_0': 17, '_LIMBER_Extra': 18}, "
            "'targets': [{'POSITION': 16, 'NORMAL': 16}, {}]}");
    limber_gltf* gltf = load_kit(&kit);
    const limber_mesh* body = &model_of(gltf)->meshes[0];
    assert_int_equal(body->vertex_count, 11);
    assert_int_equal(body->part_count, 2);
    assert_int_equal(body->parts[1].first_vertex, 8);
    assert_int_equal(body->parts[1].first_triangle, 4);
    assert_int_equal(body->triangles[12], 8);
    const float up[3] = {0, 1, 0}, white[4] = {1, 1, 1, 1}, green[4] = {0, 1, 0, 1}, zero[3] = {0, 0, 0};
    assert_floats(body->normals + 3 * 10, up, 3, 1e-6f); // averaged from its triangles
    assert_floats(body->uvs + 2 * 9, zero, 2, 0);
    assert_floats(body->colors, white, 4, 0);
    assert_floats(body->colors + 4 * 9, green, 4, 0);
    assert_float_equal(limber_mesh_find_layer(body, "extra")->values[0], 1, 0);
    assert_float_equal(limber_mesh_find_layer(body, "extra")->values[9], 0.25f, 0);
    assert_float_equal(limber_mesh_find_layer(body, "floppy")->values[9], 1, 0);
    assert_floats(body->morphs[0].positions + 3 * 8, triangle, 9, 0);
    assert_floats(body->morphs[0].normals, zero, 3, 0);
    assert_floats(body->morphs[1].positions + 3 * 10, zero, 3, 0);
    limber_gltf_destroy(gltf);
}

static void targets_without_names_are_numbered(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    kit_set(&kit, "meshes/0/extras/targetNames", "['smile', 2]");
    limber_gltf* gltf = load_kit(&kit);
    assert_string_equal(model_of(gltf)->meshes[0].morphs[0].name, "smile");
    assert_string_equal(model_of(gltf)->meshes[0].morphs[1].name, "target_1");
    limber_gltf_destroy(gltf);
}

static void pictures_come_from_views_and_data_uris(void** state) {
    (void)state;
    const uint8_t picture[5] = {0x89, 'P', 'N', 'G', 1};
    gltf_kit kit;
    kit_character(&kit);
    kit_view(&kit, picture, sizeof picture, 0); // 16
    kit_push(&kit, "images", "{'bufferView': 16, 'mimeType': 'image/png', 'name': 'skin'}");
    kit_push(&kit, "images", "{'uri': 'data:image/png;base64,iVBORw=='}");
    kit_push(&kit, "images", "{'uri': 'not-there.png'}");
    kit_push(&kit, "textures", "{'source': 0}");
    kit_push(&kit, "textures", "{'extensions': {'EXT_texture_webp': {'source': 1}}}");
    kit_push(&kit, "textures", "{'source': 2}");
    kit_push(&kit, "materials", "{'pbrMetallicRoughness': {'baseColorTexture': {'index': 1}}}");
    kit_push(&kit, "materials", "{'pbrMetallicRoughness': {'baseColorTexture': {'index': 0}}}");
    kit_push(&kit, "materials", "{'pbrMetallicRoughness': {'baseColorTexture': {'index': 2}}}");
    kit_push(&kit, "materials", "{'pbrMetallicRoughness': {'baseColorTexture': {'index': 1}}}");
    limber_gltf* gltf = load_kit(&kit);
    const limber_model* model = model_of(gltf);
    assert_int_equal(model->image_count, 2);
    const int32_t images[5] = {-1, 0, 1, -1, 0};
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(model->materials[i].image, images[i]);
    assert_int_equal(model->images[0].byte_count, 4);
    assert_memory_equal(model->images[0].bytes, picture, 4);
    assert_string_equal(model->images[1].name, "skin");
    assert_memory_equal(model->images[1].bytes, picture, 5);
    assert_int_equal(limber_gltf_warning_count(gltf), 1);
    assert_true(has_problem(gltf, "images[2]"));
    limber_gltf_destroy(gltf);
}

static void textures_repeat_unless_a_sampler_says_otherwise(void** state) {
    (void)state;
    static const char* const samplers[] = {"{}", "{'wrapS': 10497}", "{'wrapS': 33071}", "{'wrapS': 33648}",
                                           "{'wrapT': 33071}"};
    static const char* const users[] = {"0", "1", "2", "3", "4", "99", "-1", "'x'"};
    const bool ends[] = {false, false, false, true, true, false, false, false, false}; // the first one has no texture
    gltf_kit kit;
    char text[128];
    kit_character(&kit);
    kit_push(&kit, "images", "{'uri': 'data:image/png;base64,iVBORw=='}");
    for (size_t i = 0; i < sizeof samplers / sizeof *samplers; i++)
        kit_push(&kit, "samplers", samplers[i]);
    for (size_t i = 0; i < sizeof users / sizeof *users; i++) {
        snprintf(text, sizeof text, "{'source': 0, 'sampler': %s}", users[i]);
        kit_push(&kit, "textures", text);
        snprintf(text, sizeof text, "{'pbrMetallicRoughness': {'baseColorTexture': {'index': %zu}}}", i);
        kit_push(&kit, "materials", text);
    }
    limber_gltf* gltf = load_kit(&kit);
    for (uint32_t i = 0; i < sizeof ends / sizeof *ends; i++)
        assert_int_equal(model_of(gltf)->materials[i].ends, ends[i]);
    limber_gltf_destroy(gltf);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(textures_repeat_unless_a_sampler_says_otherwise),
        cmocka_unit_test(influences_of_no_weight_vanish_and_double_ones_merge),
        cmocka_unit_test(morphs_layers_and_materials_arrive),
        cmocka_unit_test(buffers_may_be_several_and_percent_encoded),
        cmocka_unit_test(normalised_accessors_of_every_type_become_fractions),
        cmocka_unit_test(strides_and_offsets_interleave),
        cmocka_unit_test(sparse_accessors_replace_elements),
        cmocka_unit_test(sparse_indices_and_joints_are_replaced_too),
        cmocka_unit_test(sparse_weights_are_found_in_every_block_of_vertices),
        cmocka_unit_test(strips_and_fans_become_triangles),
        cmocka_unit_test(long_strips_keep_their_winding_across_blocks),
        cmocka_unit_test(long_fans_keep_their_hub_across_blocks),
        cmocka_unit_test(points_and_lines_keep_their_vertices),
        cmocka_unit_test(incomplete_triangle_lists_are_noted),
        cmocka_unit_test(more_than_four_joints_per_vertex),
        cmocka_unit_test(vertices_without_weights_follow_the_first_joint),
        cmocka_unit_test(mesh_without_skin_ignores_its_joints),
        cmocka_unit_test(one_mesh_on_two_nodes_is_two_meshes),
        cmocka_unit_test(primitives_follow_each_other_and_fill_gaps),
        cmocka_unit_test(targets_without_names_are_numbered),
        cmocka_unit_test(pictures_come_from_views_and_data_uris),
    };
    return cmocka_run_group_tests_name("gltf read mesh", tests, NULL, NULL);
}
