// What the writer does to a document: edits, repairs, and files that appear complete or not at all. The tests in
// tests/js look at the same files with programs that are not limber.
#include "io/file_write.h"
#include "kit/gltf_save.h"
#include "kit/sanitized.h"

#include <unistd.h>

static limber_gltf* character(void) {
    gltf_kit kit;
    kit_character(&kit);
    return load_kit(&kit);
}

static limber_gltf* save_repaired(const limber_gltf* gltf, const char* name) {
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.repairs = LIMBER_REPAIR_ALL;
    return save_and_load(gltf, &edits, name);
}

static void an_untouched_file_comes_back_whole(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    kit_set(&kit, "extras", "{'a': [1, 2.5, null, {'b': 'c'}], 'third': 0.1}");
    kit_set(&kit, "nodes/4", "{'name': 'body', 'mesh': 0, 'skin': 0, 'extras': {'keep': true}}");
    kit_set(&kit, "nodes/0/children", "[1]");
    kit_set(&kit, "scenes/0/nodes", "[0, 4]");
    limber_gltf* gltf = load_kit(&kit);
    limber_gltf* back = save_and_load(gltf, NULL, "whole.glb");
    static const char* const same[] = {"extras", "nodes", "scenes", "materials", "animations", "skins", "asset"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (!same_json(at(gltf, same[i]), at(back, same[i])))
            fail_msg("%s changed", same[i]);
    assert_int_equal(memcmp(gltf->buffers[0].data, back->buffers[0].data, gltf->buffers[0].size), 0);
    limber_gltf_destroy(back);
    limber_gltf_destroy(gltf);
}

// Copies of meshes, avatars, and what nobody has heard of; in a file that is edited as well.
static void what_limber_does_not_know_passes_through(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    kit_set(&kit, "extensionsUsed", "['EXT_mesh_gpu_instancing', 'VRMC_springBone', 'ACME_toys']");
    kit_set(&kit, "extensionsRequired", "['EXT_mesh_gpu_instancing']");
    kit_set(
        &kit, "extensions",
        "{'ACME_toys': {'a': [1, {}]}, 'VRMC_springBone': {'springs': [{'joints': [{'node': 3}]}], 'colliders': 7}}");
    kit_set(&kit, "nodes/5/extensions",
            "{'EXT_mesh_gpu_instancing': {'attributes': {'TRANSLATION': 10}}, 'ACME_toys': {'b': null}}");
    kit_set(&kit, "meshes/0/primitives/0/extensions", "{'ACME_toys': 3}");
    kit_set(&kit, "materials/0/extensions", "{'ACME_toys': {'bufferView': 2}}");
    limber_gltf* gltf = load_kit(&kit);
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.style = "{\"limber\": 1}";
    const limber_gltf_edits* both[] = {NULL, &edits};
    static const char* const same[] = {"extensions", "extensionsRequired", "nodes", "meshes", "materials", "accessors"};
    for (int i = 0; i < 2; i++) {
        limber_gltf* back = save_and_load(gltf, both[i], "unknown.glb");
        for (size_t k = 0; k < sizeof same / sizeof *same; k++)
            if (!same_json(at(gltf, same[k]), at(back, same[k])))
                fail_msg("%s changed", same[k]);
        limber_gltf_destroy(back);
    }
    limber_gltf_destroy(gltf);
}

static void copies_go_where_their_mesh_goes(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    kit_set(&kit, "nodes/4/extensions", "{'EXT_mesh_gpu_instancing': {'attributes': {'TRANSLATION': 10}}}");
    limber_gltf* gltf = load_kit(&kit);
    limber_gltf* back = save_repaired(gltf, "copies.glb");
    assert_null(at(back, "nodes/4/mesh"));
    assert_null(at(back, "nodes/4/extensions"));
    assert_non_null(at(back, "nodes/6/mesh"));
    assert_true(same_json(at(back, "nodes/6/extensions"), at(gltf, "nodes/4/extensions")));
    limber_gltf_destroy(back);
    limber_gltf_destroy(gltf);
}

static void a_skinned_mesh_moves_under_the_scene(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    kit_set(&kit, "nodes/4/translation", "[5, 0, 0]");
    limber_gltf* gltf = load_kit(&kit);
    limber_gltf* back = save_repaired(gltf, "moved.glb");
    assert_int_equal(limberi_json_count(at(back, "nodes")), 6);
    assert_int_equal(limberi_json_count(at(back, "nodes/0/children")), 1);
    assert_int_equal(limberi_json_as_integer(at(back, "scenes/0/nodes/1")), 4);
    assert_null(at(back, "nodes/4/translation"));
    assert_floats(model_of(back)->meshes[0].positions, model_of(gltf)->meshes[0].positions, 24, 0);
    limber_gltf_destroy(back);
    limber_gltf_destroy(gltf);
}

static void a_skinned_mesh_on_a_moving_node_gets_a_node_of_its_own(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    kit_set(&kit, "animations/0/channels/0/target", "{'node': 4, 'path': 'translation'}");
    limber_gltf* gltf = load_kit(&kit);
    limber_gltf* back = save_repaired(gltf, "split.glb");
    assert_int_equal(limberi_json_count(at(back, "nodes")), 7);
    assert_null(at(back, "nodes/4/mesh"));
    assert_null(at(back, "nodes/4/skin"));
    assert_string_equal(limberi_json_as_text(at(back, "nodes/6/name")), "body.mesh");
    assert_int_equal(limberi_json_as_integer(at(back, "scenes/0/nodes/1")), 6);
    assert_int_equal(limberi_json_as_integer(at(back, "animations/0/channels/0/target/node")), 4);
    assert_int_equal(limberi_json_as_integer(at(back, "animations/0/channels/3/target/node")),
                     6); // the weights moved along
    limber_gltf_destroy(back);
    limber_gltf_destroy(gltf);
}

// The kit names a joint twice, one for nothing, and one out of range for nothing.
static void crooked_joints_are_straightened_into_new_bytes(void** state) {
    (void)state;
    limber_gltf* gltf = character();
    limber_gltf* back = save_repaired(gltf, "straight.glb");
    int64_t joints = limberi_json_as_integer(at(back, "meshes/0/primitives/0/attributes/JOINTS_0"));
    assert_int_equal(joints, limberi_json_count(at(gltf, "accessors")));
    const limber_mesh* mesh = &model_of(back)->meshes[0];
    const limber_mesh* before = &model_of(gltf)->meshes[0];
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        float a[3] = {0}, b[3] = {0}; // weight on each joint
        for (uint32_t i = mesh->influence_first[v]; i < mesh->influence_first[v + 1]; i++)
            a[mesh->influence_joint[i]] += mesh->influence_weight[i];
        for (uint32_t i = before->influence_first[v]; i < before->influence_first[v + 1]; i++)
            b[before->influence_joint[i]] += before->influence_weight[i];
        assert_floats(a, b, 3, 1e-6f);
    }
    limber_gltf_destroy(back);
    limber_gltf_destroy(gltf);
}

static void bounds_normals_and_rotations_are_repaired(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    static const float long_normal[3] = {0, 3, 0}, long_turn[4] = {0, 0, 0, 2};
    kit_set(&kit, "accessors/0/min", "[9, 9, 9]");
    kit_set(&kit, "accessors/0/max", "[1, 2, 1]");
    kit_set(&kit, "accessors/11/min", NULL);
    kit_poke(&kit, KIT_NORMAL, 0, long_normal, sizeof long_normal);
    kit_poke(&kit, KIT_ROTATIONS, 0, long_turn, sizeof long_turn);
    kit_set(&kit, "materials/0/alphaCutoff", "0.5");
    limber_gltf* gltf = load_kit(&kit);
    limber_gltf* back = save_repaired(gltf, "repaired.glb");
    assert_true(limberi_json_as_number(at(back, "accessors/0/min/0")) == 0);
    assert_true(same_json(at(back, "accessors/0/max"), at(gltf, "accessors/0/max")));
    assert_true(limberi_json_as_number(at(back, "accessors/11/max/0")) == 1);
    assert_null(at(back, "materials/0/alphaCutoff"));
    assert_true(limberi_json_as_integer(at(back, "accessors/1/bufferView")) >= 16);
    assert_true(limberi_json_as_integer(at(back, "accessors/13/bufferView")) >= 16);
    static const float up[3] = {0, 1, 0};
    assert_floats(model_of(back)->meshes[0].normals, up, 3, 0);
    limber_gltf_destroy(back);
    limber_gltf_destroy(gltf);
}

// Everything that the tests above have repaired, in one file.
static limber_gltf* faulty(void) {
    gltf_kit kit;
    static const float long_normal[3] = {0, 3, 0};
    kit_character(&kit);
    kit_set(&kit, "nodes/4/translation", "[5, 0, 0]");
    kit_set(&kit, "accessors/0/min", "[9, 9, 9]");
    kit_set(&kit, "materials/0/alphaCutoff", "0.5");
    kit_poke(&kit, KIT_NORMAL, 0, long_normal, sizeof long_normal);
    kit_push(&kit, "textures", "{}");
    kit_set(&kit, "materials/0/normalTexture", "{'index': 0}");
    return load_kit(&kit);
}

static void nothing_is_repaired_unless_it_is_asked_for(void** state) {
    (void)state;
    limber_gltf* gltf = faulty();
    limber_gltf* back = save_and_load(gltf, NULL, "faulty.glb");
    for (uint32_t i = 0; i < limberi_json_count(gltf->json.root); i++) {
        const char* key = limberi_json_key_at(gltf->json.root, i);
        if (strcmp(key, "buffers") != 0 && !same_json(at(gltf, key), at(back, key)))
            fail_msg("%s changed", key);
    }
    assert_int_equal(gltf->buffers[0].size, back->buffers[0].size);
    limber_gltf_destroy(back);
    limber_gltf_destroy(gltf);
}

static void each_repair_can_be_chosen_and_is_counted(void** state) {
    (void)state;
    limber_gltf* gltf = faulty();
    static const uint32_t wanted[LIMBER_REPAIR_COUNT] = {1, 0, 1, 1, 5, 1, 1}; // its skeleton has one root
    for (uint32_t r = 0; r < LIMBER_REPAIR_COUNT; r++) {
        uint32_t repaired[LIMBER_REPAIR_COUNT];
        limber_gltf_edits edits = limber_gltf_edits_default();
        edits.repairs = 1u << r;
        edits.repaired = repaired;
        limber_gltf_destroy(save_and_load(gltf, &edits, "chosen.glb"));
        for (uint32_t k = 0; k < LIMBER_REPAIR_COUNT; k++)
            if (repaired[k] != (k == r ? wanted[k] : 0))
                fail_msg("repair %u: %u of kind %u", r, repaired[k], k);
    }
    limber_gltf_destroy(gltf);
}

static void layers_are_written_and_replaced(void** state) {
    (void)state;
    limber_gltf* gltf = character();
    static const float values[8] = {0, 0.125f, 0.25f, 0.5f, 1, -1, -0.5f, 0};
    const limber_gltf_layer layers[2] = {{0, {"floppy", values}}, {0, {"ears", values}}};
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.layer_count = 2;
    edits.layers = layers;
    limber_gltf* back = save_and_load(gltf, &edits, "layers.gltf");
    assert_non_null(at(back, "meshes/0/primitives/0/attributes/_LIMBER_EARS"));
    const limber_mesh* mesh = &model_of(back)->meshes[0];
    assert_int_equal(mesh->layer_count, 2);
    assert_floats(limber_mesh_find_layer(mesh, "ears")->values, values, 8, 0);
    assert_floats(limber_mesh_find_layer(mesh, "floppy")->values, values, 8, 0);
    limber_gltf_destroy(back);
    limber_gltf_destroy(gltf);
}

static void a_style_is_embedded_replaced_and_removed(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    kit_set(&kit, "extensionsUsed", "['ACME_first']");
    limber_gltf* gltf = load_kit(&kit);
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.style = "{\"limber\": 1, \"effects\": {\"floppy\": {\"linear\": 0.05}}}";
    limber_gltf* styled = save_and_load(gltf, &edits, "style.glb");
    limberi_json_document expected;
    assert_int_equal(limberi_json_read(edits.style, strlen(edits.style), NULL, &expected, NULL), LIMBER_OK);
    assert_true(same_json(at(styled, "scenes/0/extensions/LIMBER_style"), expected.root));
    assert_string_equal(limberi_json_as_text(at(styled, "extensionsUsed/1")), "LIMBER_style");
    assert_non_null(limber_gltf_style(styled));
    edits.style = NULL; // as it is
    limber_gltf* kept = save_and_load(styled, &edits, "kept.glb");
    assert_true(same_json(at(kept, "scenes/0/extensions/LIMBER_style"), expected.root));
    edits.style = "";
    limber_gltf* removed = save_and_load(kept, &edits, "removed.glb");
    assert_null(at(removed, "scenes/0/extensions"));
    assert_int_equal(limberi_json_count(at(removed, "extensionsUsed")), 1);
    assert_null(limber_gltf_style(removed));
    limberi_json_free(&expected);
    limber_gltf_destroy(removed);
    limber_gltf_destroy(kept);
    limber_gltf_destroy(styled);
    limber_gltf_destroy(gltf);
}

// One target that lifts every vertex of the body, half way at the first frame and fully at the second.
typedef struct small_bake {
    float positions[24], base[24], weights[2], times[2];
    float* tracks[1];
    limber_bake_mesh meshes[2];
    limber_bake_track track;
    limber_bake bake;
} small_bake;

static const limber_bake* make_bake(small_bake* b, limber_bake_kind kind) {
    memset(b, 0, sizeof *b);
    for (int v = 0; v < 8; v++)
        b->positions[3 * v + 1] = b->base[3 * v] = (float)v;
    b->weights[0] = 0.5f;
    b->weights[1] = 1;
    b->times[1] = 0.75f;
    b->tracks[0] = b->weights;
    b->meshes[0].target_count = 1;
    b->meshes[0].positions = b->positions;
    b->meshes[0].weights = b->tracks;
    b->meshes[0].base_positions = kind == LIMBER_BAKE_VERTEX ? b->base : NULL;
    b->meshes[1].weights = b->tracks;
    b->track.frame_count = 2;
    b->track.times = b->times;
    b->bake.kind = kind;
    b->bake.mesh_count = 2;
    b->bake.meshes = b->meshes;
    b->bake.track_count = 1;
    b->bake.tracks = &b->track;
    return &b->bake;
}

static void corrective_targets_join_the_file_s_own(void** state) {
    (void)state;
    limber_gltf* gltf = character();
    small_bake b;
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.bake = make_bake(&b, LIMBER_BAKE_CORRECTIVE);
    limber_gltf* back = save_and_load(gltf, &edits, "corrective.glb");
    const limber_mesh* mesh = &model_of(back)->meshes[0];
    assert_int_equal(mesh->morph_count, 3);
    assert_floats(mesh->morphs[2].positions, b.positions, 24, 0);
    assert_string_equal(limberi_json_as_text(at(back, "meshes/0/extras/targetNames/2")), "limber_0000");
    assert_true(limberi_json_as_number(at(back, "meshes/0/weights/0")) == 0.25);
    assert_non_null(at(back, "nodes/4/skin"));
    // Keys: the file's 0, 0.5 and 1, and the frames 0 and 0.75. The file's spline is at its value on its keys.
    const limber_clip* clip = &model_of(back)->clips[0];
    const limber_channel* channel = &clip->channels[clip->weights_of_mesh[0]];
    static const float times[4] = {0, 0.5f, 0.75f, 1};
    assert_int_equal(channel->key_count, 4);
    assert_floats(channel->times, times, 4, 0);
    static const float second[3] = {1, 0.5f, 0.5f + 0.5f * 0.5f / 0.75f};
    assert_floats(channel->values + 3, second, 3, 1e-6f);
    assert_float_equal(channel->values[11], 1, 0); // held after the last frame
    limber_gltf_destroy(back);
    limber_gltf_destroy(gltf);
}

static void a_vertex_bake_leaves_a_plain_mesh(void** state) {
    (void)state;
    limber_gltf* gltf = character();
    small_bake b;
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.bake = make_bake(&b, LIMBER_BAKE_VERTEX);
    limber_gltf* back = save_and_load(gltf, &edits, "vertex.glb");
    const limber_mesh* mesh = &model_of(back)->meshes[0];
    assert_int_equal(mesh->morph_count, 1);
    assert_floats(mesh->positions, b.base, 24, 0);
    assert_null(at(back, "nodes/4/skin"));
    assert_null(at(back, "skins"));
    assert_null(at(back, "meshes/0/primitives/0/attributes/JOINTS_0"));
    assert_int_equal(limberi_json_count(at(back, "meshes/0/weights")), 1);
    assert_int_equal(limberi_json_as_integer(at(back, "scenes/0/nodes/1")), 4);
    assert_string_equal(limberi_json_as_text(at(back, "nodes/3/name")), "head"); // the skeleton stays
    assert_int_equal(model_of(back)->clips[0].channel_count, 4);
    limber_gltf_destroy(back);
    limber_gltf_destroy(gltf);
}

static void a_shared_mesh_is_cloned_for_the_node_that_changes(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    kit_push(&kit, "nodes", "{'name': 'twin', 'mesh': 0, 'skin': 0}");
    kit_set(&kit, "scenes/0/nodes", "[0, 6]");
    limber_gltf* gltf = load_kit(&kit);
    small_bake b;
    limber_gltf_edits edits = limber_gltf_edits_default();
    make_bake(&b, LIMBER_BAKE_CORRECTIVE);
    limber_bake_mesh meshes[3] = {b.meshes[0], b.meshes[1], b.meshes[1]};
    b.bake.meshes = meshes;
    b.bake.mesh_count = 3;
    edits.bake = &b.bake;
    limber_gltf* back = save_and_load(gltf, &edits, "clone.glb");
    assert_int_equal(limberi_json_count(at(back, "meshes")), 3);
    assert_int_equal(limberi_json_as_integer(at(back, "nodes/4/mesh")), 2);
    assert_int_equal(limberi_json_as_integer(at(back, "nodes/6/mesh")), 0);
    assert_int_equal(limberi_json_count(at(back, "meshes/0/primitives/0/targets")), 2);
    assert_int_equal(limberi_json_count(at(back, "meshes/2/primitives/0/targets")), 3);
    limber_gltf_destroy(back);
    limber_gltf_destroy(gltf);
}

// Some players lose the weights of a node that is a joint.
static void targets_of_a_mesh_on_a_joint_move_to_a_leaf(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    kit_set(&kit, "nodes/5/mesh", NULL);
    kit_set(&kit, "nodes/3/mesh", "1");
    limber_gltf* gltf = load_kit(&kit);
    small_bake b;
    make_bake(&b, LIMBER_BAKE_CORRECTIVE);
    limber_bake_mesh meshes[2] = {b.meshes[1], b.meshes[0]};
    b.bake.meshes = meshes;
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.bake = &b.bake;
    limber_gltf* back = save_and_load(gltf, &edits, "leaf.glb");
    assert_null(at(back, "nodes/3/mesh"));
    assert_int_equal(limberi_json_as_integer(at(back, "nodes/3/children/1")), 6);
    assert_int_equal(limberi_json_as_integer(at(back, "nodes/6/mesh")), 1);
    assert_int_equal(limberi_json_as_integer(at(back, "animations/0/channels/4/target/node")), 6);
    const limber_mesh* mesh = &model_of(back)->meshes[1];
    assert_int_equal(mesh->morph_count, 1);
    assert_floats(mesh->morphs[0].positions, b.positions, 9, 0);
    limber_gltf_destroy(back);
    limber_gltf_destroy(gltf);
}

static void a_normal_map_without_tangents_gets_some(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    kit_push(&kit, "textures", "{}");
    kit_set(&kit, "materials/0/normalTexture", "{'index': 0}");
    limber_gltf* gltf = load_kit(&kit);
    limber_gltf* back = save_repaired(gltf, "tangents.glb");
    int64_t accessor = limberi_json_as_integer(at(back, "meshes/0/primitives/0/attributes/TANGENT"));
    limberi_json* view = limberi_json_at(at(back, "bufferViews"),
                                         (size_t)limberi_json_as_integer(limberi_json_get(
                                             limberi_json_at(at(back, "accessors"), (size_t)accessor), "bufferView")));
    // u grows along x and v along z on a floor seen from above: the bitangent points against z.
    static const float expected[4] = {1, 0, 0, 1};
    const uint8_t* bytes = back->buffers[0].data + limberi_json_as_integer(limberi_json_get(view, "byteOffset"));
    for (int v = 0; v < 8; v++) {
        float tangent[4];
        memcpy(tangent, bytes + 16 * v, sizeof tangent);
        assert_floats(tangent, expected, 4, 1e-6f);
    }
    limber_gltf_destroy(back);
    limber_gltf_destroy(gltf);
}

static void expect_failure(const limber_gltf* gltf, const limber_gltf_edits* edits, const char* name,
                           limber_result expected, const char* words) {
    limber_error error;
    count_files(true);
    limber_result result = limber_gltf_save_file(gltf, edits, in_folder(name), &error);
    if (result != expected || !strstr(error.message, words))
        fail_msg("%s: %d %s", name, result, error.message);
    assert_int_equal(count_files(false), 0);
}

static void what_cannot_be_written_leaves_nothing_behind(void** state) {
    (void)state;
    limber_gltf* gltf = character();
    small_bake b;
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.bake = make_bake(&b, LIMBER_BAKE_CORRECTIVE);
    b.positions[5] = NAN;
    expect_failure(gltf, &edits, "nan.glb", LIMBER_ERROR_DATA, "finite");
    expect_failure(gltf, &edits, "nan.gltf", LIMBER_ERROR_DATA, "finite");
    edits = limber_gltf_edits_default();
    expect_failure(gltf, &edits, "name.obj", LIMBER_ERROR_ARGUMENT, ".glb");
    expect_failure(gltf, &edits, "no/such/folder.glb", LIMBER_ERROR_FILE, "folder.glb");
    edits.style = "{\"limber\": }";
    expect_failure(gltf, &edits, "style.glb", LIMBER_ERROR_ARGUMENT, "style");
    edits.style = "[]";
    expect_failure(gltf, &edits, "style.glb", LIMBER_ERROR_ARGUMENT, "style");
    limber_gltf_destroy(gltf);
}

// The same 4 MiB over and over, which the writer never copies.
static void more_than_four_gib_is_a_limit(void** state) {
    (void)state;
    if (TEST_SANITIZED)
        skip();
    enum { VERTICES = 1 << 20, LAYERS = 1030 };
    gltf_kit kit;
    kit_begin(&kit);
    kit_push(&kit, "nodes", "{'mesh': 0}");
    kit_push(&kit, "scenes", "{'nodes': [0]}");
    kit_set(&kit, "accessors", "[{'componentType': 5126, 'count': 1048576, 'type': 'VEC3'}]");
    kit_push(&kit, "meshes", "{'primitives': [{'attributes': {'POSITION': 0}}]}");
    limber_gltf* gltf = load_kit(&kit);
    float* values = calloc(VERTICES, sizeof *values);
    limber_gltf_layer* layers = calloc(LAYERS, sizeof *layers);
    char(*names)[32] = calloc(LAYERS, sizeof *names);
    for (int i = 0; i < LAYERS; i++) {
        snprintf(names[i], sizeof names[i], "layer%d", i);
        layers[i].layer.name = names[i];
        layers[i].layer.values = values;
    }
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.layer_count = LAYERS;
    edits.layers = layers;
    expect_failure(gltf, &edits, "large.glb", LIMBER_ERROR_LIMIT, "4 GiB");
    void* bytes = &edits;
    size_t count;
    assert_int_equal(limber_gltf_save_memory(gltf, &edits, &bytes, &count, NULL), LIMBER_ERROR_LIMIT);
    assert_null(bytes);
    free(names);
    free(layers);
    free(values);
    limber_gltf_destroy(gltf);
}

static void a_file_appears_complete_or_not_at_all(void** state) {
    (void)state;
    limber_error error;
    limberi_file file;
    count_files(true);
    assert_int_equal(limberi_file_open(&file, in_folder("text"), &error), LIMBER_OK);
    limberi_file_put(&file, "new", 3);
    assert_int_equal(access(in_folder("text"), F_OK), -1);
    limberi_file_discard(&file);
    limberi_file_discard(&file);
    assert_int_equal(count_files(false), 0);
    assert_int_equal(limberi_file_open(&file, in_folder("text"), &error), LIMBER_OK);
    limberi_file_put(&file, "new", 3);
    assert_int_equal(limberi_file_commit(&file, &error), LIMBER_OK);
    assert_int_equal(count_files(false), 1);
    assert_int_equal(limberi_file_open(&file, save_folder, &error), LIMBER_ERROR_FILE); // a folder
    assert_int_equal(limberi_file_open(&file, "/dev/null", &error), LIMBER_ERROR_FILE);
    assert_int_equal(symlink("text", in_folder("link")), 0);
    assert_int_equal(limberi_file_open(&file, in_folder("link"), &error), LIMBER_OK);
    limberi_file_put(&file, "newer", 5);
    assert_int_equal(limberi_file_commit(&file, &error), LIMBER_OK);
    struct stat status;
    assert_int_equal(lstat(in_folder("link"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(in_folder("text"), &status), 0);
    assert_int_equal(status.st_size, 5);
}

static void write_text(const char* path, const char* text) {
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static bool holds_text(const char* path, const char* text) {
    char found[64] = "";
    FILE* file = fopen(path, "rb");
    size_t count = file ? fread(found, 1, sizeof found - 1, file) : 0;
    if (file)
        fclose(file);
    return count == strlen(text) && memcmp(found, text, count) == 0;
}

static void a_bin_of_another_file_is_not_overwritten(void** state) {
    (void)state;
    limber_gltf* gltf = character();
    char other[512];
    snprintf(other, sizeof other, "%s", in_folder("own.bin"));
    write_text(other, "of another file");
    for (int again = 0; again < 2; again++) { // the second time its own .bin is replaced
        limber_gltf* back = save_and_load(gltf, NULL, "own.gltf");
        assert_string_equal(limberi_json_as_text(at(back, "buffers/0/uri")), "own-1.bin");
        assert_true(holds_text(other, "of another file"));
        limber_gltf_destroy(back);
    }
    assert_int_not_equal(access(in_folder("own-2.bin"), F_OK), 0);
    remove(in_folder("own.gltf"));
    remove(in_folder("own-1.bin"));
    remove(other);
    limber_gltf_destroy(gltf);
}

static void a_full_disk_is_an_error(void** state) {
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    limber_error error;
    limberi_file file;
    count_files(true);
    assert_int_equal(limberi_file_open(&file, in_folder("text"), &error), LIMBER_OK);
    assert_non_null(freopen("/dev/full", "wb", file.stream));
    limberi_file_put(&file, "something", 9);
    assert_int_equal(limberi_file_commit(&file, &error), LIMBER_ERROR_FILE);
    assert_non_null(strstr(error.message, "No space"));
    assert_int_equal(count_files(false), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_untouched_file_comes_back_whole),
        cmocka_unit_test(what_limber_does_not_know_passes_through),
        cmocka_unit_test(copies_go_where_their_mesh_goes),
        cmocka_unit_test(a_skinned_mesh_moves_under_the_scene),
        cmocka_unit_test(a_skinned_mesh_on_a_moving_node_gets_a_node_of_its_own),
        cmocka_unit_test(crooked_joints_are_straightened_into_new_bytes),
        cmocka_unit_test(bounds_normals_and_rotations_are_repaired),
        cmocka_unit_test(nothing_is_repaired_unless_it_is_asked_for),
        cmocka_unit_test(each_repair_can_be_chosen_and_is_counted),
        cmocka_unit_test(layers_are_written_and_replaced),
        cmocka_unit_test(a_style_is_embedded_replaced_and_removed),
        cmocka_unit_test(corrective_targets_join_the_file_s_own),
        cmocka_unit_test(a_vertex_bake_leaves_a_plain_mesh),
        cmocka_unit_test(a_shared_mesh_is_cloned_for_the_node_that_changes),
        cmocka_unit_test(targets_of_a_mesh_on_a_joint_move_to_a_leaf),
        cmocka_unit_test(a_normal_map_without_tangents_gets_some),
        cmocka_unit_test(what_cannot_be_written_leaves_nothing_behind),
        cmocka_unit_test(more_than_four_gib_is_a_limit),
        cmocka_unit_test(a_file_appears_complete_or_not_at_all),
        cmocka_unit_test(a_bin_of_another_file_is_not_overwritten),
        cmocka_unit_test(a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests_name("gltf write", tests, make_folder, remove_folder);
}
