// A character from arrays that the caller writes into the builder's memory, piece by piece. limber_asset_create checks
// and copies all of it at the end.
#include "base/error.h"
#include "base/memory.h"
#include "web/wasm/web.h"

#include <stdlib.h>
#include <string.h>

typedef struct web_builder {
    limberi_arena arena;
    limber_model model;
    limber_skin* skins;
    limber_mesh* meshes;
    limber_part* parts; // [mesh], material and image, too: one for all of it
    limber_material* materials;
    limber_clip* clips;
    limber_camera_node* camera_nodes;
    limber_camera* cameras;
} web_builder;

web_builder* WEB_EXPORT(builder_create)(void) {
    web_builder* b = calloc(1, sizeof *b);
    if (b)
        b->model = limber_model_default();
    return b;
}

void WEB_EXPORT(builder_destroy)(web_builder* b) {
    if (!b)
        return;
    limberi_arena_free(&b->arena);
    free(b);
}

void* WEB_EXPORT(builder_allocate)(web_builder* b, size_t bytes) {
    return limberi_arena_allocate(&b->arena, bytes, 1);
}

int32_t WEB_EXPORT(builder_counts)(web_builder* b, uint32_t skins, uint32_t meshes, uint32_t clips,
                                   uint32_t camera_nodes, uint32_t cameras) {
    b->model.skins = b->skins = LIMBERI_ALLOCATE(&b->arena, limber_skin, skins);
    b->model.meshes = b->meshes = LIMBERI_ALLOCATE(&b->arena, limber_mesh, meshes);
    b->parts = LIMBERI_ALLOCATE(&b->arena, limber_part, meshes);
    b->model.materials = b->materials = LIMBERI_ALLOCATE(&b->arena, limber_material, meshes);
    b->model.images = LIMBERI_ALLOCATE(&b->arena, limber_image, meshes);
    b->model.clips = b->clips = LIMBERI_ALLOCATE(&b->arena, limber_clip, clips);
    b->model.camera_nodes = b->camera_nodes = LIMBERI_ALLOCATE(&b->arena, limber_camera_node, camera_nodes);
    b->model.cameras = b->cameras = LIMBERI_ALLOCATE(&b->arena, limber_camera, cameras);
    b->model.skin_count = skins;
    b->model.mesh_count = b->model.material_count = b->model.image_count = meshes;
    b->model.clip_count = clips;
    b->model.camera_node_count = camera_nodes;
    b->model.camera_count = cameras;
    return !b->arena.failed;
}

// `names` are pointers; `rest` has translation, rotation and scale of each joint.
void WEB_EXPORT(builder_rig)(web_builder* b, uint32_t count, const char* const* names, const int32_t* parents,
                             const limber_transform* rest) {
    b->model.rig.joint_count = count;
    b->model.rig.names = names;
    b->model.rig.parents = parents;
    b->model.rig.rest_local = rest;
}

void WEB_EXPORT(builder_skin)(web_builder* b, uint32_t i, const char* name, uint32_t count, const uint32_t* joints,
                              const limber_mat4* joint_from_mesh) {
    b->skins[i].name = name;
    b->skins[i].joint_count = count;
    b->skins[i].joints = joints;
    b->skins[i].joint_from_mesh = joint_from_mesh;
}

void WEB_EXPORT(builder_mesh)(web_builder* b, uint32_t i, const char* name, const char* node_name, uint32_t skin,
                              uint32_t vertices, uint32_t triangles) {
    limber_mesh* mesh = &b->meshes[i];
    mesh->name = name;
    mesh->node_name = node_name;
    mesh->skin = skin;
    mesh->vertex_count = vertices;
    mesh->triangle_count = triangles;
    mesh->part_count = 1;
    mesh->parts = &b->parts[i];
    b->parts[i] = (limber_part){0, vertices, 0, triangles, (int32_t)i};
    b->materials[i] = (limber_material){.base_color = {1, 1, 1, 1}, .image = (int32_t)i};
}

// The material's color, linear, for motion lines.
void WEB_EXPORT(builder_color)(web_builder* b, uint32_t i, const float* color) {
    memcpy(b->materials[i].base_color, color, sizeof b->materials[i].base_color);
}

// All but positions and triangles may be 0.
void WEB_EXPORT(builder_surface)(web_builder* b, uint32_t i, const float* positions, const float* normals,
                                 const float* uvs, const float* colors, const uint32_t* triangles) {
    limber_mesh* mesh = &b->meshes[i];
    mesh->positions = positions;
    mesh->normals = normals;
    mesh->uvs = uvs;
    mesh->colors = colors;
    mesh->triangles = triangles;
}

// The joints of one vertex, each named once; a vertex without weights follows the first joint, as in glTF files.
static uint32_t gather(uint32_t width, const uint16_t* joints, const float* weights, uint16_t* found, float* sums) {
    uint32_t count = 0;
    double total = 0;
    for (uint32_t k = 0; k < width; k++) {
        uint32_t at = 0;
        if (!(weights[k] > 0))
            continue;
        while (at < count && found[at] != joints[k])
            at++;
        found[at] = joints[k];
        sums[at] = at < count ? sums[at] + weights[k] : weights[k];
        count += at == count;
        total += (double)weights[k];
    }
    if (total > 1e-20 && total < 3e38)
        return count;
    found[0] = 0;
    sums[0] = 1;
    return 1;
}

// `width` joints and weights per vertex.
int32_t WEB_EXPORT(builder_influences)(web_builder* b, uint32_t i, uint32_t width, const uint16_t* joints,
                                       const float* weights) {
    limber_mesh* mesh = &b->meshes[i];
    size_t max = (size_t)mesh->vertex_count * width + mesh->vertex_count; // one even where there are none
    uint32_t* first = LIMBERI_ALLOCATE(&b->arena, uint32_t, (size_t)mesh->vertex_count + 1);
    uint16_t* found = LIMBERI_ALLOCATE(&b->arena, uint16_t, max);
    float* sums = LIMBERI_ALLOCATE(&b->arena, float, max);
    if (b->arena.failed)
        return 0;
    for (uint32_t u = 0; u < mesh->vertex_count; u++)
        first[u + 1] = first[u] + gather(width, joints + (size_t)u * width, weights + (size_t)u * width,
                                         found + first[u], sums + first[u]);
    mesh->influence_first = first;
    mesh->influence_joint = found;
    mesh->influence_weight = sums;
    return 1;
}

int32_t WEB_EXPORT(builder_mesh_counts)(web_builder* b, uint32_t i, uint32_t morphs, const float* defaults,
                                        uint32_t layers) {
    limber_mesh* mesh = &b->meshes[i];
    mesh->morph_count = morphs;
    mesh->morphs = LIMBERI_ALLOCATE(&b->arena, limber_morph, morphs);
    mesh->morph_defaults = defaults;
    mesh->layer_count = layers;
    mesh->layers = LIMBERI_ALLOCATE(&b->arena, limber_layer, layers);
    return !b->arena.failed;
}

void WEB_EXPORT(builder_morph)(web_builder* b, uint32_t mesh, uint32_t i, const char* name, const float* positions,
                               const float* normals) {
    limber_morph morph = {name, positions, normals};
    ((limber_morph*)b->meshes[mesh].morphs)[i] = morph;
}

void WEB_EXPORT(builder_layer)(web_builder* b, uint32_t mesh, uint32_t i, const char* name, const float* values) {
    limber_layer layer = {name, values};
    ((limber_layer*)b->meshes[mesh].layers)[i] = layer;
}

int32_t WEB_EXPORT(builder_clip)(web_builder* b, uint32_t i, const char* name, uint32_t channels,
                                 uint32_t camera_channels) {
    limber_clip* clip = &b->clips[i];
    clip->name = name;
    clip->channel_count = channels;
    clip->channels = LIMBERI_ALLOCATE(&b->arena, limber_channel, channels);
    clip->camera_channel_count = camera_channels;
    clip->camera_channels = LIMBERI_ALLOCATE(&b->arena, limber_channel, camera_channels);
    return !b->arena.failed;
}

// Channel numbers go on with those of cameras.
void WEB_EXPORT(builder_channel)(web_builder* b, uint32_t clip, uint32_t i, uint32_t path, uint32_t interpolation,
                                 uint32_t target, uint32_t keys, const float* times, const float* values) {
    limber_channel channel = {
        (limber_channel_path)path, (limber_interpolation)interpolation, target, keys, times, values};
    uint32_t own = b->clips[clip].channel_count;
    if (i < own)
        ((limber_channel*)b->clips[clip].channels)[i] = channel;
    else
        ((limber_channel*)b->clips[clip].camera_channels)[i - own] = channel;
}

void WEB_EXPORT(builder_camera_node)(web_builder* b, uint32_t i, int32_t parent, int32_t joint,
                                     const limber_transform* rest) {
    limber_camera_node node = {parent, joint, *rest};
    b->camera_nodes[i] = node;
}

void WEB_EXPORT(builder_camera)(web_builder* b, uint32_t i, const char* name, uint32_t node) {
    limber_camera camera = {.name = name, .node = node};
    b->cameras[i] = camera;
}

// order: NULL: the joints stay in theirs; otherwise see limber_asset_create_ordered.
web_character* WEB_EXPORT(builder_finish)(web_builder* b, uint32_t* order) {
    web_character* c = calloc(1, sizeof *c);
    if (b->arena.failed || !c) {
        limberi_fail_memory(&limberi_web_error);
        free(c);
        return NULL;
    }
    limber_result result = order ? limber_asset_create_ordered(&b->model, order, &c->asset, &limberi_web_error)
                                 : limber_asset_create(&b->model, &c->asset, &limberi_web_error);
    if (result) {
        free(c);
        return NULL;
    }
    c->model = limber_asset_model(c->asset);
    return c;
}
