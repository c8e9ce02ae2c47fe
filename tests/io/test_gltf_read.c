// The glTF reader on files made in memory: containers, nodes, clips, limits; and on files from outside.
#include "kit/gltf_load.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static void character_has_its_joints_depth_first(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    limber_gltf* gltf = load_kit(&kit);
    const limber_rig* rig = &model_of(gltf)->rig;
    const char* const names[] = {"armature", "root", "spine", "head", "prop"};
    const int32_t parents[] = {-1, 0, 1, 2, 3};
    const uint32_t nodes[] = {0, 1, 2, 3, 5};
    assert_int_equal(rig->joint_count, 5);
    for (uint32_t j = 0; j < 5; j++) {
        assert_string_equal(rig->names[j], names[j]);
        assert_int_equal(rig->parents[j], parents[j]);
        assert_int_equal(gltf->node_of_joint[j], nodes[j]);
        assert_int_equal(gltf->joint_of_node[nodes[j]], j);
    }
    assert_int_equal(gltf->joint_of_node[4], -1); // the skinned mesh's own node moves nothing
    assert_float_equal(rig->rest_local[4].translation.y, 0.5f, 1e-6f);
    assert_int_equal(limber_gltf_warning_count(gltf), 0);
    limber_gltf_destroy(gltf);
}

static void character_has_its_meshes_skins_and_parts(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    limber_gltf* gltf = load_kit(&kit);
    const limber_model* model = model_of(gltf);
    const limber_mesh *body = &model->meshes[0], *hat = &model->meshes[1];
    assert_int_equal(model->mesh_count, 2);
    assert_string_equal(body->name, "Body");
    assert_string_equal(body->node_name, "body");
    assert_int_equal(body->vertex_count, 8);
    assert_int_equal(body->triangle_count, 4);
    assert_int_equal(body->parts[0].material, 0);
    const limber_skin* skin = &model->skins[body->skin];
    assert_int_equal(skin->joint_count, 3);
    assert_int_equal(skin->joints[2], 3);
    assert_float_equal(skin->joint_from_mesh[2].m[13], -2, 0);
    assert_int_equal(hat->vertex_count, 3);
    assert_int_equal(hat->triangle_count, 1);
    assert_int_equal(hat->parts[0].material, -1);
    assert_int_equal(model->skins[hat->skin].joint_count, 1);
    assert_int_equal(model->skins[hat->skin].joints[0], 4);
    assert_float_equal(hat->influence_weight[2], 1, 0);
    assert_int_equal(gltf->meshes[1].node, 5);
    assert_int_equal(gltf->meshes[1].skin, UINT32_MAX);
    limber_gltf_destroy(gltf);
}

static void clip_has_every_interpolation_and_path(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    limber_gltf* gltf = load_kit(&kit);
    const limber_clip* clip = &model_of(gltf)->clips[0];
    assert_string_equal(clip->name, "Hop");
    assert_int_equal(clip->channel_count, 4);
    const limber_channel_path paths[] = {LIMBER_CHANNEL_TRANSLATION, LIMBER_CHANNEL_ROTATION, LIMBER_CHANNEL_SCALE,
                                         LIMBER_CHANNEL_WEIGHTS};
    const limber_interpolation kinds[] = {LIMBER_INTERPOLATION_LINEAR, LIMBER_INTERPOLATION_LINEAR,
                                          LIMBER_INTERPOLATION_STEP, LIMBER_INTERPOLATION_CUBIC};
    const uint32_t targets[] = {1, 2, 3, 0};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(clip->channels[i].path, paths[i]);
        assert_int_equal(clip->channels[i].interpolation, kinds[i]);
        assert_int_equal(clip->channels[i].target, targets[i]);
        assert_int_equal(clip->channels[i].key_count, 3);
    }
    assert_float_equal(clip->channels[1].values[6], 0.70710678f, 1e-7f);
    assert_float_equal(clip->channels[3].values[8], 1, 0);
    assert_int_equal(gltf->animation_of_clip[0], 0);
    limber_gltf_destroy(gltf);
}

// Stock models have such keys.
static void keys_out_of_order_are_sorted(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    limber_gltf* plain = load_kit(&kit);
    const limber_clip* was = &model_of(plain)->clips[0];
    kit_character(&kit);
    const float swapped[] = {was->channels[0].times[1], was->channels[0].times[0], was->channels[0].times[2]};
    kit_poke(&kit, KIT_TIMES, 0, swapped, sizeof swapped);
    limber_gltf* gltf = load_kit(&kit);
    const limber_clip* clip = &model_of(gltf)->clips[0];
    assert_int_equal(clip->channels[0].key_count, 3);
    assert_memory_equal(clip->channels[0].times, was->channels[0].times, 12);
    assert_memory_equal(clip->channels[0].values, was->channels[0].values + 3, 12);
    assert_memory_equal(clip->channels[0].values + 3, was->channels[0].values, 12);
    assert_memory_equal(clip->channels[0].values + 6, was->channels[0].values + 6, 12);
    assert_int_equal(limber_gltf_warning_count(gltf), 1); // for all four channels
    assert_non_null(strstr(limber_gltf_warning(gltf, 0), "out of order"));
    limber_gltf_destroy(gltf);
    kit_character(&kit); // all at one time
    const float same[] = {1, 1, 1};
    kit_poke(&kit, KIT_TIMES, 0, same, sizeof same);
    gltf = load_kit(&kit);
    assert_int_equal(model_of(gltf)->clips[0].channels[0].key_count, 1);
    assert_memory_equal(model_of(gltf)->clips[0].channels[0].values, was->channels[0].values + 6, 12);
    limber_gltf_destroy(gltf);
    limber_gltf_destroy(plain);
}

static void normals_that_are_no_numbers_are_made_anew(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    const float bad[] = {NAN, 0, INFINITY};
    kit_poke(&kit, KIT_NORMAL, 0, bad, sizeof bad);
    limber_gltf* gltf = load_kit(&kit);
    const float* normal = model_of(gltf)->meshes[0].normals;
    assert_float_equal(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2], 1, 1e-5f);
    assert_int_equal(limber_gltf_warning_count(gltf), 1);
    assert_non_null(strstr(limber_gltf_warning(gltf, 0), "not finite"));
    limber_gltf_destroy(gltf);
}

static void glb_and_text_give_the_same_model(void** state) {
    (void)state;
    gltf_kit kit;
    size_t size;
    kit_character(&kit);
    uint8_t* text = kit_gltf(&kit, &size);
    limber_gltf* from_text = load_bytes(text, size);
    kit_end(&kit);
    kit_character(&kit);
    limber_gltf* from_glb = load_kit(&kit);
    const limber_model *a = model_of(from_text), *b = model_of(from_glb);
    assert_memory_equal(a->meshes[0].positions, b->meshes[0].positions, 8 * 12);
    assert_memory_equal(a->meshes[0].influence_weight, b->meshes[0].influence_weight, 11 * 4);
    assert_memory_equal(a->clips[0].channels[1].values, b->clips[0].channels[1].values, 48);
    limber_gltf_destroy(from_text);
    limber_gltf_destroy(from_glb);
}

static void write_file(const char* path, const void* bytes, size_t size) {
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void external_buffers_are_found_beside_the_file(void** state) {
    (void)state;
    char folder[] = "/tmp/limber-gltf-XXXXXX", path[256], inner[256];
    assert_non_null(mkdtemp(folder));
    gltf_kit kit;
    size_t size;
    kit_character(&kit);
    snprintf(path, sizeof path, "%s/the buffer.bin", folder);
    write_file(path, kit.bytes, kit.size);
    snprintf(inner, sizeof inner, "[{'byteLength': %zu, 'uri': './x/../the%%20buffer.bin'}]", kit.size);
    kit_set(&kit, "buffers", inner);
    uint8_t* text = kit_gltf(&kit, &size);
    kit_end(&kit);
    char sub[256];
    snprintf(sub, sizeof sub, "%s/x", folder);
    assert_int_equal(mkdir(sub, 0700), 0);
    snprintf(inner, sizeof inner, "%s/character.gltf", folder);
    write_file(inner, text, size);
    limber_gltf* gltf;
    limber_error error;
    assert_int_equal(limber_gltf_load_file(inner, NULL, &gltf, &error), LIMBER_OK);
    assert_int_equal(model_of(gltf)->vertex_count, 11);
    assert_string_equal(gltf->folder, folder);
    limber_gltf_destroy(gltf);
    assert_int_equal(limber_gltf_load_memory(text, size, NULL, NULL, &gltf, &error), LIMBER_ERROR_FILE);
    limber_gltf_limits limits = limber_gltf_limits_default();
    limits.file_bytes = size + 100; // the text fits, the buffer does not
    assert_int_equal(limber_gltf_load_file(inner, &limits, &gltf, &error), LIMBER_ERROR_LIMIT);
    free(text);
    assert_int_equal(remove(inner) | remove(path) | remove(sub) | remove(folder), 0);
}

enum { PICTURE_BYTES = 100000, PICTURES = 30 };

// Thirty materials with a picture each, and two buffers; all pictures are one file, and so are the buffers.
static void make_repetitive(gltf_kit* kit) {
    static const char* const names[] = {"p.png", "./p.png", "%70.png"};
    char text[256];
    kit_character(kit);
    snprintf(text, sizeof text, "[{'byteLength': %zu, 'uri': 'b.bin'}, {'byteLength': %zu, 'uri': './b.bin'}]",
             kit->size - 4, kit->size);
    kit_set(kit, "buffers", text);
    kit_set(kit, "bufferViews/15/buffer", "1");
    for (uint32_t i = 0; i < PICTURES; i++) {
        snprintf(text, sizeof text, "{'uri': '%s'}", names[i % 3]);
        kit_push(kit, "images", text);
        snprintf(text, sizeof text, "{'source': %u}", i);
        kit_push(kit, "textures", text);
        snprintf(text, sizeof text, "{'pbrMetallicRoughness': {'baseColorTexture': {'index': %u}}}", i);
        kit_push(kit, "materials", text);
    }
}

static void a_file_that_is_named_often_is_read_and_counted_once(void** state) {
    (void)state;
    static uint8_t picture[PICTURE_BYTES] = "\x89PNG\r\n\x1a\n";
    char folder[] = "/tmp/limber-gltf-XXXXXX", paths[3][64];
    static const char* const names[] = {"b.bin", "p.png", "a.gltf"};
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 3; i++)
        snprintf(paths[i], sizeof paths[i], "%s/%s", folder, names[i]);
    gltf_kit kit;
    size_t size;
    make_repetitive(&kit);
    uint8_t* text = kit_gltf(&kit, &size);
    write_file(paths[0], kit.bytes, kit.size);
    write_file(paths[1], picture, sizeof picture);
    write_file(paths[2], text, size);
    free(text);
    limber_gltf* gltf;
    limber_error error;
    limber_gltf_limits limits = limber_gltf_limits_default();
    limits.file_bytes = size + kit.size + sizeof picture;
    kit_end(&kit);
    if (limber_gltf_load_file(paths[2], &limits, &gltf, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    assert_int_equal(limber_gltf_warning_count(gltf), 0);
    assert_int_equal(model_of(gltf)->image_count, 1);
    assert_int_equal(model_of(gltf)->materials[PICTURES].image, 0);
    void* bytes;
    size_t written;
    assert_int_equal(limber_gltf_save_memory(gltf, NULL, &bytes, &written, &error), LIMBER_OK);
    limber_gltf_destroy(gltf);
    assert_true(written < size + limits.file_bytes); // its JSON, and each file once
    limits.file_bytes = written;
    assert_int_equal(limber_gltf_load_memory(bytes, written, NULL, &limits, &gltf, &error), LIMBER_OK);
    assert_int_equal(model_of(gltf)->vertex_count, 11);
    limber_gltf_destroy(gltf);
    limber_release(bytes);
    assert_int_equal(remove(paths[0]) | remove(paths[1]) | remove(paths[2]) | remove(folder), 0);
}

static void only_the_active_scene_shows_meshes(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    kit_push(&kit, "nodes", "{'name': 'other', 'mesh': 1}");
    kit_push(&kit, "nodes", "{'name': 'stage', 'children': [4]}");
    kit_set(&kit, "nodes/0/children", "[1]"); // the body stands in its own scene, its joints outside of it
    kit_push(&kit, "scenes", "{'nodes': [7]}");
    kit_set(&kit, "scene", "1");
    limber_gltf* gltf = load_kit(&kit);
    const limber_model* model = model_of(gltf);
    assert_int_equal(model->mesh_count, 1);
    assert_string_equal(model->meshes[0].node_name, "body");
    assert_int_equal(model->rig.joint_count, 4); // armature, root, spine, head
    assert_string_equal(model->rig.names[0], "armature");
    limber_gltf_destroy(gltf);
}

static void without_scenes_every_root_is_shown(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    kit_set(&kit, "scene", NULL);
    kit_set(&kit, "scenes", NULL);
    kit_push(&kit, "nodes", "{'mesh': 1}");
    limber_gltf* gltf = load_kit(&kit);
    assert_int_equal(model_of(gltf)->mesh_count, 3);
    assert_string_equal(model_of(gltf)->meshes[2].node_name, "node_6");
    limber_gltf_destroy(gltf);
}

static void scene_order_decides_the_order_of_roots(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    kit_push(&kit, "nodes", "{'name': 'first', 'mesh': 1}");
    kit_set(&kit, "scenes/0/nodes", "[6, 0, 6]");
    limber_gltf* gltf = load_kit(&kit);
    assert_string_equal(model_of(gltf)->rig.names[0], "first");
    assert_string_equal(model_of(gltf)->rig.names[1], "armature");
    limber_gltf_destroy(gltf);
}

static void bare_skeleton_is_a_rig(void** state) {
    (void)state;
    gltf_kit kit;
    kit_begin(&kit);
    kit_push(&kit, "scenes", "{'nodes': [1]}");
    kit_push(&kit, "nodes", "{'name': 'hips', 'translation': [0, 1, 0]}");
    kit_push(&kit, "nodes", "{'name': 'world', 'children': [0]}");
    limber_gltf* gltf = load_kit(&kit);
    assert_int_equal(model_of(gltf)->rig.joint_count, 2);
    assert_string_equal(model_of(gltf)->rig.names[1], "hips");
    assert_int_equal(model_of(gltf)->mesh_count, 0);
    limber_gltf_destroy(gltf);
}

static void bare_skeleton_with_a_skin_is_the_skin_s_joints(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    kit_set(&kit, "meshes", NULL);
    kit_set(&kit, "nodes/4", "{'name': 'camera'}");
    kit_set(&kit, "nodes/5", "{'name': 'lamp'}");
    limber_gltf* gltf = load_kit(&kit);
    assert_int_equal(model_of(gltf)->rig.joint_count, 4);
    assert_int_equal(model_of(gltf)->clips[0].channel_count, 3);
    limber_gltf_destroy(gltf);
}

static void matrices_split_and_shear_is_noted(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    kit_set(&kit, "nodes/5/matrix", "[0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 4, 0, 5, 6, 7, 1]"); // turn by 90 about z
    limber_gltf* gltf = load_kit(&kit);
    const limber_transform* rest = &model_of(gltf)->rig.rest_local[4];
    assert_float_equal(rest->scale.x, 2, 1e-5f);
    assert_float_equal(rest->scale.y, 3, 1e-5f);
    assert_float_equal(rest->rotation.z, 0.70710678f, 1e-5f);
    assert_float_equal(rest->translation.z, 7, 0);
    assert_int_equal(limber_gltf_warning_count(gltf), 0);
    limber_gltf_destroy(gltf);

    kit_character(&kit);
    kit_set(&kit, "nodes/5/matrix", "[1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]");
    gltf = load_kit(&kit);
    assert_true(has_problem(gltf, "nodes[5] 'prop'"));
    limber_gltf_destroy(gltf);
}

static void missing_inverse_binds_are_identities(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    kit_set(&kit, "skins/0/inverseBindMatrices", NULL);
    limber_gltf* gltf = load_kit(&kit);
    const limber_mat4 identity = limber_mat4_identity();
    assert_memory_equal(&model_of(gltf)->skins[0].joint_from_mesh[2], &identity, sizeof identity);
    limber_gltf_destroy(gltf);
}

static void foreign_channels_are_left_alone_and_double_ones_noted(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    kit_set(&kit, "animations/0/channels/4", "{'sampler': 0, 'target': {'path': 'pointer'}}");
    kit_set(&kit, "animations/0/channels/5", "{'sampler': 0, 'target': {'node': 4, 'path': 'translation'}}");
    kit_set(&kit, "animations/0/channels/6", "{'sampler': 0, 'target': {'node': 2, 'path': 'sparkle'}}");
    kit_set(&kit, "animations/0/channels/7", "{'sampler': 2, 'target': {'node': 1, 'path': 'translation'}}");
    kit_set(&kit, "animations/0/channels/8", "{'sampler': 0, 'target': {'node': 5, 'path': 'weights'}}");
    kit_push(&kit, "animations", "{'samplers': [], 'channels': []}");
    limber_gltf* gltf = load_kit(&kit);
    const limber_model* model = model_of(gltf);
    assert_int_equal(model->clip_count, 2);
    assert_int_equal(model->clips[0].channel_count, 4);
    assert_float_equal(model->clips[0].channels[0].values[4], 0.5f, 0); // the first one won
    assert_string_equal(model->clips[1].name, "animation_1");
    assert_int_equal(model->clips[1].channel_count, 0);
    assert_true(has_problem(gltf, "animations[0].channels[7]"));
    assert_true(has_problem(gltf, "animations[0].channels[8]"));
    assert_int_equal(limber_gltf_warning_count(gltf), 2);
    limber_gltf_destroy(gltf);
}

static void harmless_extensions_may_be_required(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    kit_set(&kit, "extensionsRequired",
            "['KHR_materials_unlit', 'KHR_texture_transform', 'KHR_lights_punctual', 'KHR_mesh_quantization', "
            "'KHR_texture_basisu', 'EXT_texture_webp', 'LIMBER_style', 'KHR_xmp_json_ld']");
    kit_set(&kit, "extensionsUsed", "['KHR_draco_mesh_compression', 'EXT_mesh_gpu_instancing']");
    limber_gltf* gltf = load_kit(&kit);
    assert_true(has_problem(gltf, "EXT_mesh_gpu_instancing"));
    limber_gltf_destroy(gltf);
}

static void compressed_primitive_without_data_is_unsupported(void** state) {
    (void)state;
    gltf_kit kit;
    limber_error error;
    kit_character(&kit);
    kit_set(&kit, "accessors/0/bufferView", NULL);
    kit_set(&kit, "meshes/0/primitives/0/extensions", "{'KHR_draco_mesh_compression': {}}");
    assert_int_equal(load_with(&kit, NULL, &error), LIMBER_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "libdraco-dev"));
}

// In place of Draco: vertex i is at (i, 0, 0), triangles go backwards.
static bool unpack_mesh(const limber_gltf_packed_mesh* packed) {
    assert_int_equal(packed->byte_count, 8);
    assert_int_equal(packed->attribute_count, 1);
    assert_int_equal(packed->attributes[0].id, 7);
    for (uint32_t i = 0; i < packed->index_count; i++)
        packed->indices[i] = (packed->index_count - 1 - i) % packed->vertex_count;
    for (uint32_t i = 0; i < packed->vertex_count; i++) {
        float position[3] = {(float)i, 0, 0};
        memcpy(packed->attributes[0].out + (size_t)i * packed->attributes[0].stride, position, sizeof position);
    }
    return packed->bytes[0] == 1;
}

static void make_packed(gltf_kit* kit, uint8_t first) {
    const uint8_t bytes[8] = {first};
    char text[160];
    kit_character(kit);
    uint32_t view = kit_view(kit, bytes, sizeof bytes, 0);
    kit_set(kit, "accessors/0/bufferView", NULL); // KIT_POSITION
    kit_set(kit, "accessors/5/bufferView", NULL); // KIT_INDICES
    limberi_format(text, sizeof text,
                   "{'KHR_draco_mesh_compression': {'bufferView': %u, 'attributes': {'POSITION': 7}}}", view);
    kit_set(kit, "meshes/0/primitives/0/extensions", text);
    kit_set(kit, "extensionsRequired", "['KHR_draco_mesh_compression']");
}

static void packed_primitive_is_unpacked_by_the_hook(void** state) {
    (void)state;
    gltf_kit kit;
    limber_gltf_limits limits = limber_gltf_limits_default();
    limber_error error;
    limber_gltf* gltf;
    size_t size;
    limits.unpack_mesh = unpack_mesh;
    make_packed(&kit, 1);
    uint8_t* bytes = kit_glb(&kit, &size);
    assert_int_equal(limber_gltf_load_memory(bytes, size, NULL, &limits, &gltf, &error), LIMBER_OK);
    const limber_mesh* mesh = &limber_asset_model(limber_gltf_asset(gltf))->meshes[0];
    const limber_part* part = &mesh->parts[0];
    assert_float_equal(mesh->positions[3 * (part->vertex_count - 1)], (float)(part->vertex_count - 1), 0);
    assert_int_equal(mesh->triangles[3 * part->triangle_count - 1], 0);
    limber_gltf_destroy(gltf);
    free(bytes);
    kit_end(&kit);

    make_packed(&kit, 0);
    assert_int_equal(load_with(&kit, &limits, &error), LIMBER_ERROR_DATA);
    assert_non_null(strstr(error.place, "meshes[0].primitives[0]"));
    make_packed(&kit, 1);
    kit_set(&kit, "accessors/5/count", "1000000000");
    assert_int_equal(load_with(&kit, &limits, &error), LIMBER_ERROR_LIMIT);
}

static void style_comes_from_the_active_scene(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    kit_set(&kit, "scenes/0/extensions", "{'LIMBER_style': {'limber': 1, 'effects': {'floppy': {'linear': 0.5}}}}");
    limber_gltf* gltf = load_kit(&kit);
    assert_string_equal(limber_gltf_style(gltf), "{\"limber\": 1, \"effects\": {\"floppy\": {\"linear\": 0.5}}}");
    limber_gltf_destroy(gltf);

    kit_character(&kit);
    gltf = load_kit(&kit);
    assert_null(limber_gltf_style(gltf));
    limber_gltf_destroy(gltf);

    kit_character(&kit);
    kit_set(&kit, "scenes/0/extensions", "{'LIMBER_style': 'bouncy'}");
    gltf = load_kit(&kit);
    assert_null(limber_gltf_style(gltf));
    assert_true(has_problem(gltf, "LIMBER_style"));
    limber_gltf_destroy(gltf);
}

static void names_are_kept_short_and_on_one_line(void** state) {
    (void)state;
    char json[2200] = "'x"; // so that a cut at 256 bytes is in the middle of a character
    for (int i = 0; i < 500; i++)
        strcat(json, "\xc3\xa9"); // 1000 bytes of e with an accent
    strcat(json, "'");
    gltf_kit kit;
    kit_character(&kit);
    kit_set(&kit, "nodes/0/name", json);
    kit_set(&kit, "nodes/1/name", "'two\\nlines'");
    kit_set(&kit, "nodes/1/rotation", "[0, 0, 0, 5]");
    kit_set(&kit, "nodes/2/name", "'zero\\u0000byte'");
    kit_set(&kit, "nodes/3/name", "''");
    limber_gltf* gltf = load_kit(&kit);
    const limber_rig* rig = &model_of(gltf)->rig;
    assert_int_equal(strlen(rig->names[0]), 255);
    assert_string_equal(rig->names[2], "zero");
    assert_string_equal(rig->names[3], "node_3");
    assert_float_equal(rig->rest_local[1].rotation.w, 1, 1e-6f);
    assert_true(has_problem(gltf, "nodes[1] 'two lines'"));
    limber_gltf_destroy(gltf);
}

static void bytes_after_the_container_are_noted(void** state) {
    (void)state;
    gltf_kit kit;
    size_t size;
    kit_character(&kit);
    uint8_t* bytes = kit_glb(&kit, &size);
    kit_end(&kit);
    bytes = realloc(bytes, size + 10);
    assert_non_null(bytes);
    memset(bytes + size, 7, 10);
    limber_gltf* gltf = load_bytes(bytes, size + 10);
    assert_true(has_problem(gltf, "10 bytes after the end"));
    limber_gltf_destroy(gltf);
}

static void byte_order_mark_and_zero_padding_are_skipped(void** state) {
    (void)state;
    static const char text[] = "\xef\xbb\xbf{\"asset\": {\"version\": \"2.0\"}, \"nodes\": [{}]}\0\0";
    limber_gltf* gltf;
    limber_error error;
    assert_int_equal(limber_gltf_load_memory(text, sizeof text - 1, NULL, NULL, &gltf, &error), LIMBER_OK);
    assert_int_equal(model_of(gltf)->rig.joint_count, 1);
    limber_gltf_destroy(gltf);
}

static void pipes_are_read_and_folders_and_devices_are_not(void** state) {
    (void)state;
    gltf_kit kit;
    size_t size;
    int ends[2];
    char path[64];
    kit_character(&kit);
    uint8_t* bytes = kit_glb(&kit, &size);
    kit_end(&kit);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], bytes, size), size);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    limber_gltf* gltf;
    limber_error error;
    assert_int_equal(limber_gltf_load_file(path, NULL, &gltf, &error), LIMBER_OK);
    assert_int_equal(model_of(gltf)->vertex_count, 11);
    limber_gltf_destroy(gltf);
    close(ends[0]);
    free(bytes);
    assert_int_equal(limber_gltf_load_file("/", NULL, &gltf, &error), LIMBER_ERROR_FILE);
    assert_string_equal(error.message, "is a folder, not a file");
    assert_int_equal(limber_gltf_load_file("/dev/zero", NULL, &gltf, &error), LIMBER_ERROR_FILE);
    assert_int_equal(limber_gltf_load_file("not-there.glb", NULL, &gltf, &error), LIMBER_ERROR_FILE);
    assert_string_equal(error.message, "cannot be opened: No such file or directory");
    assert_string_equal(error.place, "not-there.glb");
    char far[600]; // of a long path the end is said
    memset(far, 'x', sizeof far);
    memcpy(far + sizeof far - 9, "/end.glb", 9);
    assert_int_equal(limber_gltf_load_file(far, NULL, &gltf, &error), LIMBER_ERROR_FILE);
    assert_int_equal(strlen(error.place), sizeof error.place - 1);
    assert_string_equal(error.place + sizeof error.place - 9, "/end.glb");
}

static void the_place_in_a_file_follows_the_file(void** state) {
    (void)state;
    char path[] = "/tmp/limber-place-XXXXXX";
    int file = mkstemp(path);
    static const char text[] =
        "{\"asset\": {\"version\": \"2.0\"}, \"buffers\": [{\"byteLength\": 4, \"uri\": \"data:,a\"}]}";
    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    limber_gltf* gltf;
    limber_error error, expected;
    assert_int_equal(limber_gltf_load_memory(text, sizeof text - 1, NULL, NULL, &gltf, &expected), LIMBER_ERROR_DATA);
    assert_int_equal(limber_gltf_load_file(path, NULL, &gltf, &error), LIMBER_ERROR_DATA);
    unlink(path);
    char place[512];
    snprintf(place, sizeof place, "%s: %s", path, expected.place);
    assert_true(strlen(expected.place) > 0);
    assert_string_equal(error.place, place);
    assert_string_equal(error.message, expected.message);
}

static void limits_are_limits(void** state) {
    (void)state;
    // The character has 6 nodes, 11 vertices and 60 floats of keys: 3 * (1 + 3 + 1 + 4 + 1 + 3 + 1 + 3 * 2).
    enum { BYTES = sizeof(limber_gltf_limits) };
    static const struct {
        limber_gltf_limits limits;
        limber_result result;
    } cases[] = {
        {{BYTES, 0, 6, 11, 60, NULL, NULL}, LIMBER_OK},          {{BYTES, 0, 5, 0, 0, NULL, NULL}, LIMBER_ERROR_LIMIT},
        {{BYTES, 0, 0, 10, 0, NULL, NULL}, LIMBER_ERROR_LIMIT},  {{BYTES, 0, 0, 0, 59, NULL, NULL}, LIMBER_ERROR_LIMIT},
        {{BYTES, 500, 0, 0, 0, NULL, NULL}, LIMBER_ERROR_LIMIT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gltf_kit kit;
        limber_error error;
        kit_character(&kit);
        assert_int_equal(load_with(&kit, &cases[i].limits, &error), cases[i].result);
    }
}

static void shared_accessors_cannot_multiply_past_the_limits(void** state) {
    (void)state;
    enum { KEYS = 20000, CHANNELS = 30000 };
    float* times = malloc(KEYS * sizeof *times);
    assert_non_null(times);
    for (int i = 0; i < KEYS; i++)
        times[i] = (float)i;
    gltf_kit kit;
    limber_error error;
    kit_begin(&kit);
    kit_floats(&kit, times, "SCALAR", KEYS);
    kit_push(&kit, "accessors", "{'componentType': 5126, 'type': 'VEC3', 'count': 20000}");
    kit_push(&kit, "animations", "{'samplers': [{'input': 0, 'output': 1}], 'channels': []}");
    for (int i = 0; i < CHANNELS; i++) {
        char path[64], channel[96];
        snprintf(path, sizeof path, "animations/0/channels/%d", i);
        snprintf(channel, sizeof channel, "{'sampler': 0, 'target': {'node': %d, 'path': 'translation'}}", i);
        kit_push(&kit, "nodes", "{}");
        kit_set(&kit, path, channel);
    }
    assert_int_equal(load_with(&kit, NULL, &error), LIMBER_ERROR_LIMIT);
    assert_string_equal(error.place, "animations[0].samplers[0]");
    free(times);
}

static void many_problems_are_counted_but_not_kept(void** state) {
    (void)state;
    gltf_kit kit;
    kit_begin(&kit);
    for (int i = 0; i < 1000; i++)
        kit_push(&kit, "nodes", "{'rotation': [0, 0, 0, 0]}");
    limber_gltf* gltf = load_kit(&kit);
    assert_int_equal(limber_gltf_warning_count(gltf), 100);
    assert_true(has_problem(gltf, "and more problems"));
    assert_null(limber_gltf_warning(gltf, 100));
    limber_gltf_destroy(gltf);
}

static void chain_of_60000_nodes_is_read(void** state) {
    (void)state;
    enum { NODES = 60000 };
    gltf_kit kit;
    kit_begin(&kit);
    char json[64];
    for (int i = 0; i + 1 < NODES; i++) {
        snprintf(json, sizeof json, "{'children': [%d]}", i + 1);
        kit_push(&kit, "nodes", json);
    }
    kit_push(&kit, "nodes", "{'mesh': 0}");
    const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    kit_push(&kit, "meshes", "{'primitives': [{'attributes': {'POSITION': 0}}]}");
    kit_floats(&kit, triangle, "VEC3", 3);
    limber_gltf* gltf = load_kit(&kit);
    assert_int_equal(model_of(gltf)->rig.joint_count, NODES);
    assert_int_equal(model_of(gltf)->rig.parents[NODES - 1], NODES - 2);
    limber_gltf_destroy(gltf);
}

static void files_from_outside_have_what_their_makers_say(void** state) {
    (void)state;
    static const struct {
        const char* name;
        uint32_t skin_joints, clips, meshes, vertices, triangles, morphs, images;
    } files[] = {
        {"Fox.glb", 24, 3, 1, 1728, 576, 0, 1},
        {"CesiumMan.glb", 19, 1, 1, 3273, 4672, 0, 1},
        {"RiggedFigure.glb", 19, 1, 1, 370, 256, 0, 0},
        {"RiggedSimple.glb", 2, 1, 1, 160, 188, 0, 0},
        {"RobotExpressive.glb", 1, 14, 14, 7214, 3237, 3, 0},
        {"spot.glb", 26, 1, 1, 3225, 5856, 0, 1},
    };
    const char* folder = getenv("LIMBER_TEST_ASSETS");
    if (!folder)
        skip();
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[1024];
        limber_gltf* gltf;
        limber_error error;
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        if (limber_gltf_load_file(path, NULL, &gltf, &error) != LIMBER_OK)
            fail_msg("%s: %s: %s", files[i].name, error.place, error.message);
        const limber_model* model = model_of(gltf);
        assert_int_equal(model->skins[0].joint_count, files[i].skin_joints);
        assert_int_equal(model->clip_count, files[i].clips);
        assert_int_equal(model->mesh_count, files[i].meshes);
        assert_int_equal(model->vertex_count, files[i].vertices);
        assert_int_equal(model->triangle_count, files[i].triangles);
        assert_int_equal(model->morph_count, files[i].morphs);
        assert_int_equal(model->image_count, files[i].images);
        assert_int_equal(limber_gltf_warning_count(gltf), 0);
        limber_gltf_destroy(gltf);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(character_has_its_joints_depth_first),
        cmocka_unit_test(character_has_its_meshes_skins_and_parts),
        cmocka_unit_test(clip_has_every_interpolation_and_path),
        cmocka_unit_test(keys_out_of_order_are_sorted),
        cmocka_unit_test(normals_that_are_no_numbers_are_made_anew),
        cmocka_unit_test(glb_and_text_give_the_same_model),
        cmocka_unit_test(external_buffers_are_found_beside_the_file),
        cmocka_unit_test(a_file_that_is_named_often_is_read_and_counted_once),
        cmocka_unit_test(only_the_active_scene_shows_meshes),
        cmocka_unit_test(without_scenes_every_root_is_shown),
        cmocka_unit_test(scene_order_decides_the_order_of_roots),
        cmocka_unit_test(bare_skeleton_is_a_rig),
        cmocka_unit_test(bare_skeleton_with_a_skin_is_the_skin_s_joints),
        cmocka_unit_test(matrices_split_and_shear_is_noted),
        cmocka_unit_test(missing_inverse_binds_are_identities),
        cmocka_unit_test(foreign_channels_are_left_alone_and_double_ones_noted),
        cmocka_unit_test(harmless_extensions_may_be_required),
        cmocka_unit_test(compressed_primitive_without_data_is_unsupported),
        cmocka_unit_test(packed_primitive_is_unpacked_by_the_hook),
        cmocka_unit_test(style_comes_from_the_active_scene),
        cmocka_unit_test(names_are_kept_short_and_on_one_line),
        cmocka_unit_test(bytes_after_the_container_are_noted),
        cmocka_unit_test(byte_order_mark_and_zero_padding_are_skipped),
        cmocka_unit_test(pipes_are_read_and_folders_and_devices_are_not),
        cmocka_unit_test(the_place_in_a_file_follows_the_file),
        cmocka_unit_test(limits_are_limits),
        cmocka_unit_test(shared_accessors_cannot_multiply_past_the_limits),
        cmocka_unit_test(many_problems_are_counted_but_not_kept),
        cmocka_unit_test(chain_of_60000_nodes_is_read),
        cmocka_unit_test(files_from_outside_have_what_their_makers_say),
    };
    return cmocka_run_group_tests_name("gltf read", tests, NULL, NULL);
}
