// A glTF document for a character that did not come from a file.
//
// Joints become the first nodes, in the same order. A mesh that hangs rigidly on one joint sits on that joint's node;
// every other mesh gets a separate node under the scene, where glTF wants skinned meshes.
#include "io/gltf/build.h"
#include "base/error.h"
#include "base/math.h"

#include <stdlib.h>
#include <string.h>

static void put_name(limberi_writer* writer, json_t* object, const char* name) {
    if (name && name[0])
        limberi_put(writer, object, "name", json_string(name));
}

static void put_vector(limberi_writer* writer, json_t* object, const char* key, const float* values, size_t count,
                       const float* rest) {
    if (memcmp(values, rest, count * sizeof(float)) != 0)
        limberi_put(writer, object, key, limberi_reals(writer, values, count));
}

static void add_joints(limberi_builder* b) {
    const limber_rig* rig = &b->model->rig;
    json_t* nodes = limberi_child_array(&b->writer, b->writer.root, "nodes");
    limber_transform rest = limber_transform_identity();
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        const limber_transform* local = &rig->rest_local[j];
        json_t* node = json_object();
        put_name(&b->writer, node, rig->names[j]);
        put_vector(&b->writer, node, "translation", &local->translation.x, 3, &rest.translation.x);
        put_vector(&b->writer, node, "rotation", &local->rotation.x, 4, &rest.rotation.x);
        put_vector(&b->writer, node, "scale", &local->scale.x, 3, &rest.scale.x);
        limberi_push(&b->writer, nodes, node);
    }
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        json_t* parent = rig->parents[j] >= 0 ? json_array_get(nodes, (size_t)rig->parents[j]) : NULL;
        if (parent)
            limberi_push(&b->writer, limberi_child_array(&b->writer, parent, "children"), json_integer(j));
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
    json_t* roots = json_array();
    for (uint32_t j = 0; j < rig->joint_count; j++)
        if (rig->parents[j] < 0)
            limberi_push(&b->writer, roots, json_integer(j));
    json_t* scene = json_object();
    limberi_put(&b->writer, scene, "nodes", json_array());
    if (needs_common_root(b->model)) {
        json_t* root = json_object();
        put_name(&b->writer, root, "root");
        limberi_put(&b->writer, root, "children", roots);
        uint32_t index = limberi_push(&b->writer, json_object_get(b->writer.root, "nodes"), root);
        limberi_push(&b->writer, json_object_get(scene, "nodes"), json_integer(index));
    } else {
        limberi_put(&b->writer, scene, "nodes", roots);
    }
    limberi_push(&b->writer, limberi_child_array(&b->writer, b->writer.root, "scenes"), scene);
    limberi_put(&b->writer, b->writer.root, "scene", json_integer(0));
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
    json_t *entry = json_object(), *joints = json_array();
    put_name(&b->writer, entry, skin->name);
    for (uint32_t k = 0; k < skin->joint_count; k++)
        limberi_push(&b->writer, joints, json_integer(skin->joints[k]));
    for (uint32_t k = 0; inverses && k < skin->joint_count; k++)
        for (int c = 0; c < 4; c++)
            inverses[k].m[4 * c + 3] = c == 3 ? 1.0f : 0.0f;
    limberi_put(&b->writer, entry, "joints", joints);
    if (inverses)
        limberi_put(&b->writer, entry, "inverseBindMatrices",
                    json_integer(limberi_floats_add(&b->writer, inverses[0].m, skin->joint_count, "MAT4", 0, false)));
    b->skin_entries[s] = limberi_push(&b->writer, limberi_child_array(&b->writer, b->writer.root, "skins"), entry);
    return b->skin_entries[s];
}

static limber_result add_mesh_node(limberi_builder* b, uint32_t m, limber_error* error) {
    const limber_mesh* mesh = &b->model->meshes[m];
    const limber_skin* skin = &b->model->skins[mesh->skin];
    json_t* nodes = json_object_get(b->writer.root, "nodes");
    json_t* carrier = is_rigid(skin) ? json_array_get(nodes, skin->joints[0]) : NULL;
    bool rigid = carrier && !json_object_get(carrier, "mesh");
    limberi_gltf_mesh_source* source = &b->document->meshes[m];
    limber_result result = limberi_build_mesh(b, m, !rigid, &source->mesh, error);
    if (result != LIMBER_OK)
        return result;
    source->skin = rigid ? UINT32_MAX : skin_entry(b, mesh->skin);
    source->node = skin->joints[0];
    if (!rigid) {
        carrier = json_object();
        put_name(&b->writer, carrier, mesh->node_name && mesh->node_name[0] ? mesh->node_name : mesh->name);
        limberi_put(&b->writer, carrier, "skin", json_integer(source->skin));
        source->node = limberi_push(&b->writer, nodes, carrier);
        limberi_push(&b->writer, json_object_get(limberi_item(b->writer.root, "scenes", 0), "nodes"),
                     json_integer(source->node));
    }
    limberi_put(&b->writer, carrier, "mesh", json_integer(source->mesh));
    return LIMBER_OK;
}

static void add_material(limberi_builder* b, const limber_material* material) {
    static const float white[4] = {1, 1, 1, 1};
    limberi_writer* w = &b->writer;
    json_t *object = json_object(), *surface = json_object();
    put_name(w, object, material->name);
    put_vector(w, surface, "baseColorFactor", material->base_color, 4, white);
    if (material->image >= 0) {
        json_t* texture = json_object();
        limberi_put(w, texture, "index", json_integer(material->image));
        limberi_put(w, surface, "baseColorTexture", texture);
    }
    limberi_put(w, surface, "metallicFactor", limberi_real(w, (double)material->metallic));
    limberi_put(w, surface, "roughnessFactor", limberi_real(w, (double)material->roughness));
    limberi_put(w, object, "pbrMetallicRoughness", surface);
    if (material->double_sided)
        limberi_put(w, object, "doubleSided", json_true());
    if (material->blend)
        limberi_put(w, object, "alphaMode", json_string("BLEND"));
    limberi_push(w, limberi_child_array(w, w->root, "materials"), object);
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
    json_t *image = json_object(), *texture = json_object();
    put_name(w, image, b->model->images[i].name);
    limberi_put(w, image, "bufferView", json_integer(view));
    limberi_put(w, image, "mimeType", json_string(type));
    limberi_put(w, texture, "source", json_integer(limberi_push(w, limberi_child_array(w, w->root, "images"), image)));
    limberi_push(w, limberi_child_array(w, w->root, "textures"), texture);
    return LIMBER_OK;
}

static limber_result add_everything(limberi_builder* b, limber_error* error) {
    limberi_writer* w = &b->writer;
    char generator[64];
    limberi_format(generator, sizeof generator, "limber %s", limber_version());
    json_t* about = limberi_child_object(w, w->root, "asset");
    limberi_put(w, about, "version", json_string("2.0"));
    limberi_put(w, about, "generator", json_string(generator));
    add_joints(b);
    add_scene(b);
    limber_result result = LIMBER_OK;
    for (uint32_t m = 0; result == LIMBER_OK && m < b->model->mesh_count; m++)
        result = add_mesh_node(b, m, error);
    for (uint32_t i = 0; i < b->model->material_count; i++)
        add_material(b, &b->model->materials[i]);
    for (uint32_t i = 0; result == LIMBER_OK && i < b->model->image_count; i++)
        result = add_image(b, i, error);
    for (uint32_t c = 0; c < b->model->clip_count; c++)
        limberi_build_clip(b, c);
    return result == LIMBER_OK ? limberi_writer_status(w, error) : result;
}

static void tidy(limberi_builder* b) {
    json_t *root = b->writer.root, *scene = limberi_item(root, "scenes", 0);
    if (json_array_size(json_object_get(scene, "nodes")) == 0)
        json_object_del(scene, "nodes"); // glTF has no empty arrays
    if (json_array_size(json_object_get(root, "nodes")) == 0)
        json_object_del(root, "nodes");
}

// All segments in one piece, and the tree handed over.
static limber_result finish(limberi_builder* b, limber_error* error) {
    limberi_writer* w = &b->writer;
    limber_gltf* document = b->document;
    uint8_t* bytes = LIMBERI_ALLOCATE(&document->arena, uint8_t, w->byte_count);
    document->buffers = LIMBERI_ALLOCATE(&document->arena, limberi_bytes, 1);
    if (!bytes || !document->buffers)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "out of memory");
    size_t at = 0;
    for (size_t i = 0; i < w->segment_count; at += w->segments[i++].size)
        if (w->segments[i].data)
            memcpy(bytes + at, w->segments[i].data, w->segments[i].size);
    if (w->byte_count) {
        document->buffer_count = 1;
        document->buffers[0].data = bytes;
        document->buffers[0].size = (size_t)w->byte_count;
        json_t* buffer = json_object();
        limberi_put(w, buffer, "byteLength", json_integer((json_int_t)w->byte_count));
        limberi_push(w, limberi_child_array(w, w->root, "buffers"), buffer);
    }
    tidy(b);
    document->root = json_incref(w->root);
    return limberi_writer_status(w, error);
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
    b->writer.root = json_object();
    if (!document->meshes || !document->animation_of_clip || !b->skin_entries || !b->writer.root)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "out of memory");
    memset(b->skin_entries, 0xff, b->model->skin_count * sizeof(uint32_t));
    limber_result result = add_everything(b, error);
    size_t node_count = json_array_size(json_object_get(b->writer.root, "nodes"));
    if (result == LIMBER_OK)
        result = finish(b, error);
    if (result == LIMBER_OK && map_joints(document, b->model, node_count) != LIMBER_OK)
        result = limberi_fail(error, LIMBER_ERROR_MEMORY, "out of memory");
    return result;
}

limber_result limber_gltf_from_asset(const limber_asset* asset, limber_gltf** gltf, limber_error* error) {
    *gltf = NULL;
    limberi_builder b;
    memset(&b, 0, sizeof b);
    b.document = calloc(1, sizeof *b.document);
    if (!b.document)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "out of memory");
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
