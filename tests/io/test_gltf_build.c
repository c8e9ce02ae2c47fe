// Characters that never were in a file become documents that say the same.
#include "kit/gltf_save.h"

enum { VERTICES = 6, JOINTS = 7, KEYS = 2 };

static const uint8_t picture[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13};
static const float positions[3 * VERTICES] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 0, 0, 3, 0, 0, 2, 1, 0};
static const float uvs[2 * VERTICES] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
static const float colors[4 * VERTICES] = {1, 0, 0, 1,    0, 1, 0, 1, 0, 0,  1,    1,
                                           1, 1, 1, 0.5f, 0, 0, 0, 0, 2, -1, 0.2f, 1};
static const uint32_t triangles[6] = {0, 1, 2, 3, 4, 5};
// Vertex 0 hangs on six joints, vertex 1 on one that is named twice, the others on one.
static const uint32_t influence_first[VERTICES + 1] = {0, 6, 8, 9, 10, 11, 12};
static const uint16_t influence_joint[12] = {0, 1, 2, 3, 4, 5, 2, 2, 3, 4, 5, 6};
static const float influence_weight[12] = {0.1f, 0.2f, 0.3f, 0.15f, 0.05f, 0.2f, 0.25f, 0.75f, 1, 1, 1, 1};
static const uint32_t rigid_first[VERTICES + 1] = {0, 1, 2, 3, 4, 5, 6};
static const uint16_t rigid_joint[VERTICES] = {0};
static const float rigid_weight[VERTICES] = {1, 1, 1, 1, 1, 1};
static const float smile[3 * VERTICES] = {0.5f, 0, 0, 0.25f};
static const float layer[VERTICES] = {0, 0.5f, 1, -1, 0.25f, 0};
static const float morph_default[1] = {0.5f};
static const float times[KEYS] = {0, 1.5f}, other_times[KEYS] = {0.5f, 1};
static const float moves[3 * KEYS] = {0, 0, 0, 1, 2, 3};
static const float turns[4 * 3 * KEYS] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0};
static const float swell[KEYS] = {0, 1};

static const limber_part parts[2] = {{0, 3, 0, 1, 0}, {3, 3, 1, 1, -1}};
static const limber_morph morph = {"smile", smile, NULL};
static const limber_layer painted = {"floppy", layer};
static const limber_channel channels[4] = {
    {LIMBER_CHANNEL_TRANSLATION, LIMBER_INTERPOLATION_STEP, 1, KEYS, times, moves},
    {LIMBER_CHANNEL_ROTATION, LIMBER_INTERPOLATION_CUBIC, 2, KEYS, times, turns},
    {LIMBER_CHANNEL_WEIGHTS, LIMBER_INTERPOLATION_LINEAR, 0, KEYS, other_times, swell},
    {LIMBER_CHANNEL_SCALE, LIMBER_INTERPOLATION_CUBIC, 3, 1, times, turns}, // a spline of one key
};

// Joints 0..5 form a chain, joint 6 is another root. Mesh 0 is skinned, meshes 1 and 2 hang on joint 3.
static limber_asset* make_asset(void) {
    static const char* const names[JOINTS] = {"a", "b", "c", "d", "e", "f", "loner"};
    static const int32_t parents[JOINTS] = {-1, 0, 1, 2, 3, 4, -1};
    static const uint32_t all[JOINTS] = {0, 1, 2, 3, 4, 5, 6}, one[1] = {3};
    limber_transform rest[JOINTS];
    limber_mat4 inverses[JOINTS], identity = limber_mat4_identity();
    for (int j = 0; j < JOINTS; j++) {
        rest[j] = limber_transform_identity();
        rest[j].translation.y = j ? 1 : 0;
        inverses[j] = identity;
        inverses[j].m[13] = -(float)j;
    }
    const limber_skin skins[2] = {{.name = "skin", .joint_count = JOINTS, .joints = all, .joint_from_mesh = inverses},
                                  {.joint_count = 1, .joints = one, .joint_from_mesh = &identity}};
    limber_mesh meshes[3];
    memset(meshes, 0, sizeof meshes);
    for (int m = 0; m < 3; m++) {
        limber_mesh* mesh = &meshes[m];
        mesh->name = m ? "hat" : "body";
        mesh->node_name = m ? "hat node" : "body node";
        mesh->skin = m ? 1 : 0;
        mesh->vertex_count = VERTICES;
        mesh->triangle_count = 2;
        mesh->positions = positions;
        mesh->triangles = triangles;
        mesh->influence_first = m ? rigid_first : influence_first;
        mesh->influence_joint = m ? rigid_joint : influence_joint;
        mesh->influence_weight = m ? rigid_weight : influence_weight;
    }
    meshes[0].uvs = uvs;
    meshes[0].colors = colors;
    meshes[0].part_count = 2;
    meshes[0].parts = parts;
    meshes[0].morph_count = 1;
    meshes[0].morphs = &morph;
    meshes[0].morph_defaults = morph_default;
    meshes[0].layer_count = 1;
    meshes[0].layers = &painted;
    const limber_clip clips[2] = {{.name = "go", .channel_count = 4, .channels = channels}, {.name = "stay"}};
    const limber_material material = {"paint", {0.5f, 0.25f, 1, 1}, 0.25f, 0.75f, true, true, 0, false};
    const limber_image image = {"grain", picture, sizeof picture, NULL};
    limber_model model = limber_model_default();
    model.rig.joint_count = JOINTS;
    model.rig.names = names;
    model.rig.parents = parents;
    model.rig.rest_local = rest;
    model.skin_count = 2;
    model.skins = skins;
    model.mesh_count = 3;
    model.meshes = meshes;
    model.clip_count = 2;
    model.clips = clips;
    model.material_count = 1;
    model.materials = &material;
    model.image_count = 1;
    model.images = &image;
    limber_asset* asset;
    limber_error error;
    if (limber_asset_create(&model, &asset, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    return asset;
}

static limber_gltf* make_document(void) {
    limber_asset* asset = make_asset();
    limber_gltf* gltf;
    limber_error error;
    if (limber_gltf_from_asset(asset, &gltf, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    limber_asset_destroy(asset); // the document has its own copy
    return gltf;
}

static void meshes_come_back(void** state) {
    (void)state;
    limber_gltf* gltf = make_document();
    limber_gltf* back = save_and_load(gltf, NULL, "built.glb");
    const limber_model* model = model_of(back);
    assert_int_equal(model->mesh_count, 3);
    const limber_mesh* mesh = &model->meshes[0];
    assert_string_equal(mesh->name, "body");
    assert_string_equal(mesh->node_name, "body node");
    assert_int_equal(mesh->part_count, 2);
    assert_int_equal(mesh->parts[0].material, 0);
    assert_int_equal(mesh->parts[1].material, -1);
    assert_floats(mesh->positions, positions, 3 * VERTICES, 0);
    assert_floats(mesh->uvs, uvs, 2 * VERTICES, 0);
    static const float clamped[4] = {1, 0, 0.2f, 1};
    assert_floats(mesh->colors, colors, 4 * 5, 0.51f / 255);
    assert_floats(mesh->colors + 20, clamped, 4, 0.51f / 255);
    assert_floats(limber_mesh_find_layer(mesh, "floppy")->values, layer, VERTICES, 0);
    assert_int_equal(mesh->morph_count, 1);
    assert_floats(mesh->morphs[0].positions, smile, 3 * VERTICES, 0);
    assert_float_equal(mesh->morph_defaults[0], 0.5f, 0);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(mesh->triangles[i], triangles[i]);
    limber_gltf_destroy(back);
    limber_gltf_destroy(gltf);
}

static void six_influences_take_two_sets(void** state) {
    (void)state;
    limber_gltf* gltf = make_document();
    limber_gltf* back = save_and_load(gltf, NULL, "influences.glb");
    assert_non_null(at(back, "meshes/0/primitives/0/attributes/WEIGHTS_1"));
    assert_null(at(back, "meshes/0/primitives/0/attributes/WEIGHTS_2"));
    const limber_mesh* mesh = &model_of(back)->meshes[0];
    const limber_skin* skin = &model_of(back)->skins[mesh->skin];
    assert_int_equal(mesh->influence_first[1], 6);
    for (uint32_t i = 0; i < 6; i++) {
        const char* joint = model_of(back)->rig.names[skin->joints[mesh->influence_joint[i]]];
        assert_int_equal(joint[0], "abcdef"[influence_joint[i]]);
        assert_float_equal(mesh->influence_weight[i], influence_weight[i], 1e-6f);
    }
    assert_int_equal(mesh->influence_first[2], 7); // the joint named twice is named once
    limber_gltf_destroy(back);
    limber_gltf_destroy(gltf);
}

static void rigid_meshes_sit_on_their_joint(void** state) {
    (void)state;
    limber_gltf* gltf = make_document();
    assert_int_equal(limberi_json_as_integer(at(gltf, "nodes/3/mesh")), 1);
    assert_null(at(gltf, "nodes/3/skin"));
    assert_int_equal(gltf->meshes[1].node, 3);
    assert_int_equal(gltf->meshes[1].skin, UINT32_MAX);
    assert_true(gltf->meshes[2].node > JOINTS); // the node was taken
    assert_int_not_equal(gltf->meshes[2].skin, UINT32_MAX);
    assert_int_equal(limberi_json_count(at(gltf, "skins")), 2);
    limber_gltf_destroy(gltf);
}

static void joints_in_two_trees_get_a_common_root(void** state) {
    (void)state;
    limber_gltf* gltf = make_document();
    assert_int_equal(limberi_json_count(at(gltf, "nodes/7/children")), 2);
    assert_int_equal(limberi_json_as_integer(at(gltf, "scenes/0/nodes/0")), 7);
    assert_int_equal(gltf->joint_of_node[7], -1);
    limber_gltf_destroy(gltf);
}

static void clips_and_materials_come_back(void** state) {
    (void)state;
    limber_gltf* gltf = make_document();
    limber_gltf* back = save_and_load(gltf, NULL, "clips.gltf");
    const limber_model* model = model_of(back);
    assert_int_equal(model->clip_count, 2);
    assert_string_equal(model->clips[0].name, "go");
    assert_int_equal(model->clips[0].channel_count, 4);
    for (uint32_t c = 0; c < 3; c++) {
        const limber_channel* channel = &model->clips[0].channels[c];
        assert_int_equal(channel->path, channels[c].path);
        assert_int_equal(channel->interpolation, channels[c].interpolation);
        assert_floats(channel->times, channels[c].times, KEYS, 0);
    }
    assert_floats(model->clips[0].channels[1].values, turns, 24, 0);
    assert_floats(model->clips[0].channels[2].values, swell, KEYS, 0);
    assert_int_equal(model->clips[0].channels[3].interpolation, LIMBER_INTERPOLATION_STEP);
    assert_string_equal(model->materials[0].name, "paint");
    assert_float_equal(model->materials[0].roughness, 0.75f, 0);
    assert_true(model->materials[0].double_sided && model->materials[0].blend);
    assert_int_equal(model->images[model->materials[0].image].byte_count, sizeof picture);
    assert_string_equal(limberi_json_as_text(at(back, "buffers/0/uri")), "clips.bin");
    limber_gltf_destroy(back);
    limber_gltf_destroy(gltf);
}

static void a_new_document_takes_edits(void** state) {
    (void)state;
    limber_gltf* gltf = make_document();
    static const float values[VERTICES] = {1, 0, 1, 0, 1, 0};
    const limber_gltf_layer layers[2] = {{0, {"ears", values}}, {2, {"ears", values}}};
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.layer_count = 2;
    edits.layers = layers;
    edits.style = "{\"limber\": 1}";
    limber_gltf* back = save_and_load(gltf, &edits, "edits.glb");
    assert_floats(limber_mesh_find_layer(&model_of(back)->meshes[0], "ears")->values, values, VERTICES, 0);
    assert_null(limber_mesh_find_layer(&model_of(back)->meshes[1], "ears"));
    assert_floats(limber_mesh_find_layer(&model_of(back)->meshes[2], "ears")->values, values, VERTICES, 0);
    assert_non_null(limber_gltf_style(back));
    limber_gltf_destroy(back);
    limber_gltf_destroy(gltf);
}

// A program that made a motion saves it beside those of the file.
static void a_new_clip_comes_after_the_clips_of_the_file(void** state) {
    (void)state;
    static const float half_turn[4 * KEYS] = {0, 0, 0, 1, 0, 1, 0, 0};
    const limber_channel nod[] = {
        {LIMBER_CHANNEL_ROTATION, LIMBER_INTERPOLATION_LINEAR, 4, KEYS, other_times, half_turn},
        {LIMBER_CHANNEL_TRANSLATION, LIMBER_INTERPOLATION_LINEAR, 6, KEYS, other_times, moves},
        {LIMBER_CHANNEL_WEIGHTS, LIMBER_INTERPOLATION_LINEAR, 0, KEYS, times, swell}};
    const limber_clip clips[2] = {{.name = "nod", .channel_count = 3, .channels = nod}, {.name = "empty"}};
    const limber_edited_clip added[2] = {{.index = LIMBER_NEW_CLIP, .clip = &clips[0]},
                                         {.index = LIMBER_NEW_CLIP, .clip = &clips[1]}};
    limber_gltf* gltf = make_document();
    uint32_t before = model_of(gltf)->clip_count;
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.clip_count = 2;
    edits.clips = added;
    limber_gltf* back = save_and_load(gltf, &edits, "new_clip.glb");
    const limber_model* model = model_of(back);
    assert_int_equal(model->clip_count, before + 1); // an empty one would not be valid
    for (uint32_t i = 0; i < before; i++)
        assert_string_equal(model->clips[i].name, model_of(gltf)->clips[i].name);
    const limber_clip* clip = &model->clips[before];
    assert_string_equal(clip->name, "nod");
    assert_int_equal(clip->channel_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const limber_channel* channel = &clip->channels[i];
        assert_int_equal(channel->path, nod[i].path);
        assert_string_equal(model->rig.names[channel->target], model_of(gltf)->rig.names[nod[i].target]);
        assert_floats(channel->times, other_times, KEYS, 0);
        assert_floats(channel->values, nod[i].values, i ? 3 * KEYS : 4 * KEYS, 0);
    }
    limber_gltf_destroy(back);
    limber_gltf_destroy(gltf);
}

static void new_clips_that_cannot_be_written_are_refused(void** state) {
    (void)state;
    static const struct {
        uint32_t index, joint;
        limber_interpolation interpolation;
        const char* message;
    } cases[] = {{LIMBER_NEW_CLIP, JOINTS, LIMBER_INTERPOLATION_LINEAR, "channel 0 of a new clip"},
                 {LIMBER_NEW_CLIP, 1, LIMBER_INTERPOLATION_STEP, "is not linear"},
                 {LIMBER_NEW_CLIP - 1, 1, LIMBER_INTERPOLATION_LINEAR, "does not exist"}};
    limber_gltf* gltf = make_document();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        limber_channel channel = {
            LIMBER_CHANNEL_TRANSLATION, cases[i].interpolation, cases[i].joint, KEYS, times, moves};
        limber_clip clip = {.name = "new", .channel_count = 1, .channels = &channel};
        limber_edited_clip added = {.index = cases[i].index, .clip = &clip};
        limber_gltf_edits edits = limber_gltf_edits_default();
        limber_error error;
        edits.clip_count = 1;
        edits.clips = &added;
        assert_int_equal(limber_gltf_save_file(gltf, &edits, in_folder("bad.glb"), &error), LIMBER_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, cases[i].message));
    }
    limber_gltf_destroy(gltf);
}

static void a_skeleton_alone_is_a_document(void** state) {
    (void)state;
    limber_asset* whole = make_asset();
    limber_model model = *limber_asset_model(whole);
    model.mesh_count = model.skin_count = model.clip_count = model.material_count = model.image_count = 0;
    limber_asset* asset;
    limber_error error;
    assert_int_equal(limber_asset_create(&model, &asset, &error), LIMBER_OK);
    limber_gltf* gltf;
    assert_int_equal(limber_gltf_from_asset(asset, &gltf, &error), LIMBER_OK);
    assert_null(at(gltf, "buffers"));
    limber_gltf* back = save_and_load(gltf, NULL, "skeleton.glb");
    assert_null(at(back, "buffers"));
    limber_gltf_destroy(back);
    limber_gltf_destroy(gltf);
    limber_asset_destroy(asset);
    limber_asset_destroy(whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_come_back),
        cmocka_unit_test(six_influences_take_two_sets),
        cmocka_unit_test(rigid_meshes_sit_on_their_joint),
        cmocka_unit_test(joints_in_two_trees_get_a_common_root),
        cmocka_unit_test(clips_and_materials_come_back),
        cmocka_unit_test(a_new_document_takes_edits),
        cmocka_unit_test(a_new_clip_comes_after_the_clips_of_the_file),
        cmocka_unit_test(new_clips_that_cannot_be_written_are_refused),
        cmocka_unit_test(a_skeleton_alone_is_a_document),
    };
    return cmocka_run_group_tests_name("gltf build", tests, make_folder, remove_folder);
}
