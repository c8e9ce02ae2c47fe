// A glTF document for a character that did not come from a file.
//
// Joints become the first nodes, in the same order. A mesh that hangs rigidly on one joint sits on that joint's node;
// every other mesh gets a separate node under the scene, where glTF wants skinned meshes.
#include "io/gltf/build.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"

#include <string.h>

static void put_name(limberi_writer* writer, limberi_json* object, const char* name) {
    if (name && name[0])
        limberi_put_string(writer, object, "name", name);
}

static void put_vector(limberi_writer* writer, limberi_json* object, const char* key, const float* values, size_t count,
                       const float* rest) {
    if (memcmp(values, rest, count * sizeof(float)) != 0)
        limberi_put(writer, object, key, limberi_reals(writer, values, count));
}

static void add_joints(limberi_builder* b) {
    const limber_rig* rig = &b->model->rig;
    limberi_json* nodes = limberi_child_array(&b->writer, b->writer.json.root, "nodes");
    limber_transform rest = limber_transform_identity();
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        const limber_transform* local = &rig->rest_local[j];
        limberi_json* node = limberi_new_object(&b->writer);
        put_name(&b->writer, node, rig->names[j]);
        put_vector(&b->writer, node, "translation", &local->translation.x, 3, &rest.translation.x);
        put_vector(&b->writer, node, "rotation", &local->rotation.x, 4, &rest.rotation.x);
        put_vector(&b->writer, node, "scale", &local->scale.x, 3, &rest.scale.x);
        limberi_push(&b->writer, nodes, node);
    }
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        limberi_json* parent = rig->parents[j] >= 0 ? limberi_json_at(nodes, (size_t)rig->parents[j]) : NULL;
        if (parent)
            limberi_push_integer(&b->writer, limberi_child_array(&b->writer, parent, "children"), j);
    }
}

static uint32_t root_of(const limber_rig* rig, uint32_t joint) {
    while (rig->parents[joint] >= 0)
        joint = (uint32_t)rig->parents[joint];
    return joint;
}

// glTF wants the joints of a skin in one tree.
static bool needs_common_root(const limber_model* model) {
    for (uint32_t s = 0; s < model->skin_count; s++) {
        const limber_skin* skin = &model->skins[s];
        for (uint32_t k = 1; k < skin->joint_count; k++)
            if (root_of(&model->rig, skin->joints[k]) != root_of(&model->rig, skin->joints[0]))
                return true;
    }
    return false;
}

static void add_scene(limberi_builder* b) {
    const limber_rig* rig = &b->model->rig;
    limberi_json* roots = limberi_new_array(&b->writer);
    for (uint32_t j = 0; j < rig->joint_count; j++)
        if (rig->parents[j] < 0)
            limberi_push_integer(&b->writer, roots, j);
    limberi_json* scene = limberi_new_object(&b->writer);
    limberi_put(&b->writer, scene, "nodes", limberi_new_array(&b->writer));
    if (needs_common_root(b->model)) {
        limberi_json* root = limberi_new_object(&b->writer);
        put_name(&b->writer, root, "root");
        limberi_put(&b->writer, root, "children", roots);
        uint32_t index = limberi_push(&b->writer, limberi_json_get(b->writer.json.root, "nodes"), root);
        limberi_push_integer(&b->writer, limberi_json_get(scene, "nodes"), index);
    } else {
        limberi_put(&b->writer, scene, "nodes", roots);
    }
    limberi_push(&b->writer, limberi_child_array(&b->writer, b->writer.json.root, "scenes"), scene);
    limberi_put_integer(&b->writer, b->writer.json.root, "scene", 0);
}

static bool is_rigid(const limber_skin* skin) {
    limber_mat4 identity = limber_mat4_identity();
    return skin->joint_count == 1 && memcmp(&skin->joint_from_mesh[0], &identity, sizeof identity) == 0;
}

static uint32_t skin_entry(limberi_builder* b, uint32_t s) {
    if (b->skin_entries[s] != UINT32_MAX)
        return b->skin_entries[s];
    const limber_skin* skin = &b->model->skins[s];
    limber_mat4* inverses = LIMBERI_COPY(&b->writer.arena, limber_mat4, skin->joint_from_mesh, skin->joint_count);
    limberi_json* entry = limberi_new_object(&b->writer);
    limberi_json* joints = limberi_new_array(&b->writer);
    put_name(&b->writer, entry, skin->name);
    for (uint32_t k = 0; k < skin->joint_count; k++)
        limberi_push_integer(&b->writer, joints, skin->joints[k]);
    for (uint32_t k = 0; inverses && k < skin->joint_count; k++)
        for (int c = 0; c < 4; c++)
            inverses[k].m[4 * c + 3] = c == 3 ? 1.0f : 0.0f;
    limberi_put(&b->writer, entry, "joints", joints);
    if (inverses)
        limberi_put_integer(&b->writer, entry, "inverseBindMatrices",
                            limberi_floats_add(&b->writer, inverses[0].m, skin->joint_count, "MAT4", 0, false));
    b->skin_entries[s] = limberi_push(&b->writer, limberi_child_array(&b->writer, b->writer.json.root, "skins"), entry);
    return b->skin_entries[s];
}

static limber_result add_mesh_node(limberi_builder* b, uint32_t m, limber_error* error) {
    const limber_mesh* mesh = &b->model->meshes[m];
    const limber_skin* skin = &b->model->skins[mesh->skin];
    limberi_json* nodes = limberi_json_get(b->writer.json.root, "nodes");
    limberi_json* carrier = is_rigid(skin) ? limberi_json_at(nodes, skin->joints[0]) : NULL;
    bool rigid = carrier && !limberi_json_get(carrier, "mesh");
    limberi_gltf_mesh_source* source = &b->document->meshes[m];
    limber_result result = limberi_build_mesh(b, m, !rigid, &source->mesh, error);
    if (result != LIMBER_OK)
        return result;
    source->skin = rigid ? UINT32_MAX : skin_entry(b, mesh->skin);
    source->node = skin->joints[0];
    if (!rigid) {
        carrier = limberi_new_object(&b->writer);
        put_name(&b->writer, carrier, mesh->node_name && mesh->node_name[0] ? mesh->node_name : mesh->name);
        limberi_put_integer(&b->writer, carrier, "skin", source->skin);
        source->node = limberi_push(&b->writer, nodes, carrier);
        limberi_push_integer(&b->writer, limberi_json_get(limberi_item(b->writer.json.root, "scenes", 0), "nodes"),
                             source->node);
    }
    limberi_put_integer(&b->writer, carrier, "mesh", source->mesh);
    return LIMBER_OK;
}

static void add_material(limberi_builder* b, const limber_material* material) {
    static const float white[4] = {1, 1, 1, 1};
    limberi_writer* w = &b->writer;
    limberi_json* object = limberi_new_object(w);
    limberi_json* surface = limberi_new_object(w);
    put_name(w, object, material->name);
    put_vector(w, surface, "baseColorFactor", material->base_color, 4, white);
    if (material->image >= 0) {
        limberi_json* texture = limberi_new_object(w);
        limberi_put_integer(w, texture, "index", material->image);
        limberi_put(w, surface, "baseColorTexture", texture);
    }
    limberi_put(w, surface, "metallicFactor", limberi_real(w, (double)material->metallic));
    limberi_put(w, surface, "roughnessFactor", limberi_real(w, (double)material->roughness));
    limberi_put(w, object, "pbrMetallicRoughness", surface);
    if (material->double_sided)
        limberi_put(w, object, "doubleSided", limberi_json_new_switch(&w->json, true));
    if (material->blend)
        limberi_put_string(w, object, "alphaMode", "BLEND");
    limberi_push(w, limberi_child_array(w, w->json.root, "materials"), object);
}

// Image i is also texture i.
static limber_result add_image(limberi_builder* b, uint32_t i, limber_error* error) {
    limberi_writer* w = &b->writer;
    limberi_bytes bytes = {b->model->images[i].bytes, b->model->images[i].byte_count};
    const char* type = limberi_picture_type(bytes);
    if (!type)
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "image %u is neither PNG nor JPEG", i);
    uint32_t view = limberi_view_begin(w, 0, 0);
    limberi_writer_append(w, bytes.data, bytes.size);
    limberi_view_end(w, view);
    limberi_json* image = limberi_new_object(w);
    limberi_json* texture = limberi_new_object(w);
    put_name(w, image, b->model->images[i].name);
    limberi_put_integer(w, image, "bufferView", view);
    limberi_put_string(w, image, "mimeType", type);
    limberi_put_integer(w, texture, "source", limberi_push(w, limberi_child_array(w, w->json.root, "images"), image));
    limberi_push(w, limberi_child_array(w, w->json.root, "textures"), texture);
    return LIMBER_OK;
}

static limber_result add_everything(limberi_builder* b, limber_error* error) {
    limberi_writer* w = &b->writer;
    char generator[64];
    limberi_format(generator, sizeof generator, "limber %s", limber_version());
    limberi_json* about = limberi_child_object(w, w->json.root, "asset");
    limberi_put_string(w, about, "version", "2.0");
    limberi_put_string(w, about, "generator", generator);
    add_joints(b);
    add_scene(b);
    for (uint32_t m = 0; m < b->model->mesh_count; m++) {
        limber_result result = add_mesh_node(b, m, error);
        if (result)
            return result;
    }
    for (uint32_t i = 0; i < b->model->material_count; i++)
        add_material(b, &b->model->materials[i]);
    for (uint32_t i = 0; i < b->model->image_count; i++) {
        limber_result result = add_image(b, i, error);
        if (result)
            return result;
    }
    for (uint32_t c = 0; c < b->model->clip_count; c++)
        limberi_build_clip(b, c);
    return limberi_writer_status(w, error);
}

// All segments in one piece, and the tree handed over.
static limber_result finish(limberi_builder* b, limber_error* error) {
    limberi_writer* w = &b->writer;
    limber_gltf* document = b->document;
    bool fits = w->byte_count <= SIZE_MAX / 2; // memory may have 32 bits
    uint8_t* bytes = fits ? LIMBERI_ALLOCATE(&document->arena, uint8_t, (size_t)w->byte_count) : NULL;
    document->buffers = LIMBERI_ALLOCATE(&document->arena, limberi_bytes, 1);
    if (!bytes || !document->buffers)
        return limberi_fail_memory(error);
    size_t at = 0;
    for (size_t i = 0; i < w->segment_count; at += w->segments[i++].size)
        if (w->segments[i].data)
            memcpy(bytes + at, w->segments[i].data, (size_t)w->segments[i].size);
    if (w->byte_count) {
        document->buffer_count = 1;
        document->buffers[0].data = bytes;
        document->buffers[0].size = (size_t)w->byte_count;
        limberi_json* buffer = limberi_new_object(w);
        limberi_put_integer(w, buffer, "byteLength", (int64_t)w->byte_count);
        limberi_push(w, limberi_child_array(w, w->json.root, "buffers"), buffer);
    }
    limberi_json* root = w->json.root;
    limberi_json* scene = limberi_item(root, "scenes", 0);
    if (limberi_json_count(limberi_json_get(scene, "nodes")) == 0)
        limberi_json_remove(scene, "nodes"); // glTF has no empty arrays
    if (limberi_json_count(limberi_json_get(root, "nodes")) == 0)
        limberi_json_remove(root, "nodes");
    limber_result result = limberi_writer_status(w, error);
    document->json = w->json;
    memset(&w->json, 0, sizeof w->json);
    return result;
}

static limber_result map_joints(limber_gltf* document, const limber_model* model, size_t node_count) {
    document->node_of_joint = LIMBERI_ALLOCATE(&document->arena, uint32_t, model->rig.joint_count);
    document->joint_of_node = LIMBERI_ALLOCATE(&document->arena, int32_t, node_count);
    if (!document->node_of_joint || !document->joint_of_node)
        return LIMBER_ERROR_MEMORY;
    for (size_t n = 0; n < node_count; n++)
        document->joint_of_node[n] = n < model->rig.joint_count ? (int32_t)n : -1;
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        document->node_of_joint[j] = j;
    return LIMBER_OK;
}

static limber_result build(limberi_builder* b, limber_error* error) {
    limber_gltf* document = b->document;
    document->meshes = LIMBERI_ALLOCATE(&document->arena, limberi_gltf_mesh_source, b->model->mesh_count);
    document->animation_of_clip = LIMBERI_ALLOCATE(&document->arena, uint32_t, b->model->clip_count);
    b->skin_entries = LIMBERI_ALLOCATE(&b->writer.arena, uint32_t, b->model->skin_count);
    b->writer.json.root = limberi_new_object(&b->writer);
    if (!document->meshes || !document->animation_of_clip || !b->skin_entries || !b->writer.json.root)
        return limberi_fail_memory(error);
    memset(b->skin_entries, 0xff, b->model->skin_count * sizeof(uint32_t));
    limber_result result = add_everything(b, error);
    size_t node_count = limberi_json_count(limberi_json_get(b->writer.json.root, "nodes"));
    if (result == LIMBER_OK)
        result = finish(b, error);
    if (result == LIMBER_OK && map_joints(document, b->model, node_count) != LIMBER_OK)
        result = limberi_fail_memory(error);
    return result;
}

limber_result limber_gltf_from_asset(const limber_asset* asset, limber_gltf** gltf, limber_error* error) {
    return limberi_gltf_build(asset, NULL, gltf, error);
}

limber_result limberi_gltf_build(const limber_asset* asset, const float* lookup, limber_gltf** gltf,
                                 limber_error* error) {
    *gltf = NULL;
    limberi_builder b = {0};
    b.lookup = lookup;
    b.document = limberi_allocate_zeroed(1, sizeof *b.document);
    if (!b.document)
        return limberi_fail_memory(error);
    limber_result result = limber_asset_create(limber_asset_model(asset), &b.document->asset, error);
    if (result == LIMBER_OK) {
        b.model = limber_asset_model(b.document->asset);
        result = build(&b, error);
    }
    limberi_writer_free(&b.writer);
    if (result != LIMBER_OK) {
        limber_gltf_destroy(b.document);
        return result;
    }
    *gltf = b.document;
    return LIMBER_OK;
}
