// Copies a model into an asset that owns all of it.
#include "asset/asset.h"
#include "asset/asset_private.h"
#include "asset/channel.h"
#include "asset/clip.h"
#include "asset/groups.h"
#include "base/build.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/settings.h"

#include <string.h>

struct limber_asset {
    limberi_arena arena;
    limber_model model;
    const struct limberi_groups** groups; // [mesh]
    limberi_derived* derived;             // [LIMBERI_DERIVED_KINDS]
    uint32_t* order;                      // a better one of the joints, NULL: there is none
};

void limber_model_init(limber_model* given, size_t size) {
    limber_model model = {0};
    model.struct_size = sizeof model;
    limberi_settings_write(given, size, &model, sizeof model);
}

static void copy_rig(limberi_arena* arena, limber_rig* rig) {
    uint32_t count = rig->joint_count;
    char** names = LIMBERI_ALLOCATE(arena, char*, count);
    char** bones = rig->bones ? LIMBERI_ALLOCATE(arena, char*, count) : NULL;
    limber_transform* rest = LIMBERI_COPY(arena, limber_transform, rig->rest_local, count);
    if (arena->failed)
        return;
    for (uint32_t j = 0; j < count; j++) {
        names[j] = limberi_arena_string(arena, rig->names ? rig->names[j] : NULL);
        if (bones && rig->bones[j])
            bones[j] = limberi_arena_string(arena, rig->bones[j]);
        rest[j].rotation = limberi_quat_normalize(rest[j].rotation);
    }
    rig->names = (const char* const*)names;
    rig->bones = (const char* const*)bones;
    rig->parents = LIMBERI_COPY(arena, int32_t, rig->parents, count);
    rig->rest_local = rest;
}

static void copy_skins(limberi_arena* arena, limber_model* model) {
    limber_skin* skins = LIMBERI_COPY(arena, limber_skin, model->skins, model->skin_count);
    for (uint32_t s = 0; skins && s < model->skin_count; s++) {
        limber_skin* skin = &skins[s];
        skin->name = limberi_arena_string(arena, skin->name);
        skin->joints = LIMBERI_COPY(arena, uint32_t, skin->joints, skin->joint_count);
        skin->joint_from_mesh = LIMBERI_COPY(arena, limber_mat4, skin->joint_from_mesh, skin->joint_count);
    }
    model->skins = skins;
}

// Copies the weights and makes each vertex's sum to 1.
static void copy_influences(limberi_arena* arena, limber_mesh* mesh) {
    uint32_t count = mesh->vertex_count ? mesh->influence_first[mesh->vertex_count] : 0;
    mesh->influence_first = LIMBERI_COPY(arena, uint32_t, mesh->influence_first, (size_t)mesh->vertex_count + 1);
    mesh->influence_joint = LIMBERI_COPY(arena, uint16_t, mesh->influence_joint, count);
    float* weights = LIMBERI_COPY(arena, float, mesh->influence_weight, count);
    mesh->influence_weight = weights;
    if (arena->failed)
        return;
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        double sum = 0;
        for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++)
            sum += (double)weights[i];
        for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++)
            weights[i] = (float)((double)weights[i] / sum);
    }
}

// Copies numbers that do not move the character; those that are not finite become 0.
static float* copy_finite(limberi_arena* arena, const float* from, size_t count) {
    float* values = from ? LIMBERI_COPY(arena, float, from, count) : NULL;
    for (size_t i = 0; values && i < count; i++)
        values[i] = isfinite(values[i]) ? values[i] : 0;
    return values;
}

static void copy_morphs(limberi_arena* arena, limber_mesh* mesh) {
    size_t numbers = 3 * (size_t)mesh->vertex_count;
    limber_morph* morphs = LIMBERI_COPY(arena, limber_morph, mesh->morphs, mesh->morph_count);
    for (uint32_t i = 0; morphs && i < mesh->morph_count; i++) {
        morphs[i].name = limberi_arena_string(arena, morphs[i].name);
        morphs[i].positions = LIMBERI_COPY(arena, float, morphs[i].positions, numbers);
        morphs[i].normals = copy_finite(arena, morphs[i].normals, numbers);
    }
    mesh->morphs = morphs;
    if (mesh->morph_defaults)
        mesh->morph_defaults = LIMBERI_COPY(arena, float, mesh->morph_defaults, mesh->morph_count);
}

static void copy_layers(limberi_arena* arena, limber_mesh* mesh) {
    limber_layer* layers = LIMBERI_COPY(arena, limber_layer, mesh->layers, mesh->layer_count);
    for (uint32_t i = 0; layers && i < mesh->layer_count; i++) {
        layers[i].name = limberi_arena_string(arena, layers[i].name);
        float* values = LIMBERI_COPY(arena, float, layers[i].values, mesh->vertex_count);
        for (uint32_t u = 0; values && u < mesh->vertex_count; u++)
            values[u] = fminf(fmaxf(values[u], -1.0f), 1.0f);
        layers[i].values = values;
    }
    mesh->layers = layers;
}

static void copy_mesh(limberi_arena* arena, limber_mesh* mesh) {
    size_t vertices = mesh->vertex_count;
    mesh->name = limberi_arena_string(arena, mesh->name);
    mesh->node_name = limberi_arena_string(arena, mesh->node_name);
    mesh->positions = LIMBERI_COPY(arena, float, mesh->positions, 3 * vertices);
    mesh->normals = copy_finite(arena, mesh->normals, 3 * vertices);
    mesh->uvs = copy_finite(arena, mesh->uvs, 2 * vertices);
    mesh->colors = copy_finite(arena, mesh->colors, 4 * vertices);
    mesh->triangles = LIMBERI_COPY(arena, uint32_t, mesh->triangles, 3 * (size_t)mesh->triangle_count);
    mesh->parts = LIMBERI_COPY(arena, limber_part, mesh->parts, mesh->part_count);
    copy_influences(arena, mesh);
    copy_morphs(arena, mesh);
    copy_layers(arena, mesh);
}

static void copy_meshes(limberi_arena* arena, limber_model* model) {
    limber_mesh* meshes = LIMBERI_COPY(arena, limber_mesh, model->meshes, model->mesh_count);
    model->vertex_count = model->triangle_count = model->morph_count = 0;
    for (uint32_t m = 0; meshes && m < model->mesh_count; m++) {
        meshes[m].first_vertex = model->vertex_count;
        meshes[m].first_morph = model->morph_count;
        model->vertex_count += meshes[m].vertex_count;
        model->triangle_count += meshes[m].triangle_count;
        model->morph_count += meshes[m].morph_count;
        copy_mesh(arena, &meshes[m]);
    }
    model->meshes = meshes;
}

static const limber_channel* copy_channels(limberi_arena* arena, const limber_model* model, const limber_channel* given,
                                           uint32_t count) {
    limber_channel* channels = LIMBERI_COPY(arena, limber_channel, given, count);
    for (uint32_t i = 0; channels && i < count; i++) {
        // Channels of one clip usually share their key times; so do the copies.
        bool shared = i && given[i].times == given[i - 1].times && given[i].key_count == given[i - 1].key_count;
        channels[i].times =
            shared ? channels[i - 1].times : LIMBERI_COPY(arena, float, given[i].times, given[i].key_count);
        channels[i].values = LIMBERI_COPY(arena, float, given[i].values,
                                          limberi_channel_numbers_per_key(model, &given[i]) * given[i].key_count);
    }
    return channels;
}

// What is not derived.
static void copy_keys(limberi_arena* arena, const limber_model* model, limber_clip* clip) {
    clip->name = limberi_arena_string(arena, clip->name);
    clip->channels = copy_channels(arena, model, clip->channels, clip->channel_count);
    clip->camera_channels = copy_channels(arena, model, clip->camera_channels, clip->camera_channel_count);
}

limber_clip limberi_clip_copy(limberi_arena* arena, const limber_model* model, const limber_clip* given) {
    limber_clip clip = *given;
    copy_keys(arena, model, &clip);
    clip.cuts = LIMBERI_COPY(arena, limber_cut, clip.cuts, clip.cut_count);
    clip.joint_cuts = LIMBERI_COPY(arena, limber_joint_cut, clip.joint_cuts, clip.joint_cut_count);
    clip.loop.seams = LIMBERI_COPY(arena, limber_seam, clip.loop.seams, clip.loop.seam_count);
    clip.channel_of_joint = LIMBERI_COPY(arena, int32_t, clip.channel_of_joint, 3 * (size_t)model->rig.joint_count);
    clip.weights_of_mesh = LIMBERI_COPY(arena, int32_t, clip.weights_of_mesh, model->mesh_count);
    return clip;
}

static void copy_clips(limberi_arena* arena, limber_model* model) {
    limber_clip* clips = LIMBERI_COPY(arena, limber_clip, model->clips, model->clip_count);
    for (uint32_t c = 0; clips && c < model->clip_count; c++)
        copy_keys(arena, model, &clips[c]);
    model->clips = clips;
}

static void copy_materials(limberi_arena* arena, limber_model* model) {
    limber_material* materials = LIMBERI_COPY(arena, limber_material, model->materials, model->material_count);
    for (uint32_t i = 0; materials && i < model->material_count; i++)
        materials[i].name = limberi_arena_string(arena, materials[i].name);
    limber_image* images = LIMBERI_COPY(arena, limber_image, model->images, model->image_count);
    for (uint32_t i = 0; images && i < model->image_count; i++) {
        images[i].name = limberi_arena_string(arena, images[i].name);
        images[i].file = images[i].file ? limberi_arena_string(arena, images[i].file) : NULL;
        images[i].bytes = LIMBERI_COPY(arena, uint8_t, images[i].bytes, images[i].byte_count);
    }
    model->materials = materials;
    model->images = images;
}

static void copy_cameras(limberi_arena* arena, limber_model* model) {
    limber_camera_node* nodes = LIMBERI_COPY(arena, limber_camera_node, model->camera_nodes, model->camera_node_count);
    limber_camera* cameras = LIMBERI_COPY(arena, limber_camera, model->cameras, model->camera_count);
    for (uint32_t i = 0; nodes && i < model->camera_node_count; i++)
        nodes[i].rest_local.rotation = limberi_quat_normalize(nodes[i].rest_local.rotation);
    for (uint32_t i = 0; cameras && i < model->camera_count; i++)
        cameras[i].name = limberi_arena_string(arena, cameras[i].name);
    model->camera_nodes = nodes;
    model->cameras = cameras;
}

static limber_result derive_clips(limberi_arena* arena, limber_model* model, limber_error* error) {
    limber_clip* clips = (limber_clip*)(uintptr_t)model->clips; // the arena's own copy
    if (!model->clip_count)
        return LIMBER_OK;
    if (!LIMBERI_HAS_CLIPS)
        return limberi_fail_absent(error, "clips");
    float* shares = limberi_allocate(((size_t)model->rig.joint_count + 1) * sizeof *shares);
    if (!shares)
        return limberi_fail_memory(error);
    limberi_skin_shares(model, shares);
    limber_result result = LIMBER_OK;
    for (uint32_t c = 0; c < model->clip_count; c++) {
        result = limberi_clip_derive(arena, model, shares, &clips[c], error);
        if (result)
            break;
    }
    limberi_release(shares);
    return result;
}

static void copy_colliders(limberi_arena* arena, limber_model* model) {
    limber_collider* colliders = LIMBERI_COPY(arena, limber_collider, model->colliders, model->collider_count);
    for (uint32_t i = 0; colliders && i < model->collider_count; i++) {
        limber_collider* c = &colliders[i];
        c->layer = c->layer ? limberi_arena_string(arena, c->layer) : NULL;
        c->obey = c->obey ? LIMBERI_COPY(arena, uint8_t, c->obey, model->rig.joint_count) : NULL;
    }
    model->colliders = colliders;
}

static void make_groups(limber_asset* asset) {
    const limber_model* model = &asset->model;
    limberi_arena scratch = {NULL, false};
    limberi_ancestors tree;
    asset->groups = LIMBERI_ALLOCATE(&asset->arena, const struct limberi_groups*, model->mesh_count);
    bool memory = limberi_ancestors_make(&scratch, &model->rig, &tree);
    for (uint32_t m = 0; memory && asset->groups && m < model->mesh_count; m++)
        asset->groups[m] = limberi_groups_make(&asset->arena, model, &tree, &model->meshes[m]);
    asset->arena.failed = asset->arena.failed || !memory;
    limberi_arena_free(&scratch);
}

static limber_result derive_all(limber_asset* asset, limber_error* error) {
    limber_model* model = &asset->model;
    if (asset->arena.failed)
        return limberi_fail_memory(error);
    limber_result result = limberi_model_derive(&asset->arena, model, error);
    if (!result)
        result = derive_clips(&asset->arena, model, error);
    model->rig.hangs_on = model->rig.parents;
    if (!result && LIMBERI_HAS_CLIPS && model->clip_count &&
        limberi_find_companions(&asset->arena, model, &asset->order))
        result = limberi_fail_memory(error);
    if (!result && LIMBERI_HAS_VERTICES)
        make_groups(asset);
    if (!result && asset->arena.failed)
        result = limberi_fail_memory(error);
    return result;
}

limber_result limber_asset_create(const limber_model* given, limber_asset** asset, limber_error* error) {
    *asset = NULL;
    limber_model model = limber_model_default();
    limber_result result = limberi_settings_read(&model, sizeof model, given, "limber_model", error);
    if (!result)
        result = limberi_model_check(&model, error);
    if (result)
        return result;
    limber_asset* made = limberi_allocate_zeroed(1, sizeof *made);
    if (!made)
        return limberi_fail_memory(error);
    made->model = model;
    copy_rig(&made->arena, &made->model.rig);
    copy_skins(&made->arena, &made->model);
    copy_meshes(&made->arena, &made->model);
    copy_clips(&made->arena, &made->model);
    copy_materials(&made->arena, &made->model);
    copy_cameras(&made->arena, &made->model);
    copy_colliders(&made->arena, &made->model);
    made->derived = LIMBERI_ALLOCATE(&made->arena, limberi_derived, LIMBERI_DERIVED_KINDS);
    result = derive_all(made, error);
    if (result) {
        limber_asset_destroy(made);
        return result;
    }
    *asset = made;
    return LIMBER_OK;
}

static limber_result create_again(const limber_model* given, const uint32_t* order, limber_asset** asset,
                                  limber_error* error) {
    limberi_arena scratch = {NULL, false};
    limber_model model = limber_model_default();
    limber_result result = limberi_settings_read(&model, sizeof model, given, "limber_model", error);
    if (!result && !limberi_model_reorder(&scratch, order, &model))
        result = limberi_fail_memory(error);
    if (!result)
        result = limber_asset_create(&model, asset, error);
    limberi_arena_free(&scratch);
    return result;
}

limber_result limber_asset_create_ordered(const limber_model* given, uint32_t* order, limber_asset** asset,
                                          limber_error* error) {
    limber_result result = limber_asset_create(given, asset, error);
    if (result)
        return result;
    limber_asset* first = *asset;
    for (uint32_t j = 0; j < first->model.rig.joint_count; j++)
        order[j] = first->order ? first->order[j] : j;
    if (!first->order)
        return LIMBER_OK;
    *asset = NULL;
    limber_asset_destroy(first);
    return create_again(given, order, asset, error);
}

void limber_asset_destroy(limber_asset* asset) {
    if (!asset)
        return;
    for (int kind = 0; asset->derived && kind < LIMBERI_DERIVED_KINDS; kind++) {
        limberi_derived_item* item = atomic_load(&asset->derived[kind].item);
        if (item)
            item->destroy(item);
    }
    limberi_arena_free(&asset->arena);
    limberi_release(asset);
}

const limber_model* limber_asset_model(const limber_asset* asset) {
    return &asset->model;
}

int32_t limber_rig_find_joint(const limber_rig* rig, const char* name) {
    for (uint32_t j = 0; j < rig->joint_count; j++)
        if (strcmp(rig->names[j], name) == 0)
            return (int32_t)j;
    for (uint32_t j = 0; rig->bones && j < rig->joint_count; j++)
        if (rig->bones[j] && strcmp(rig->bones[j], name) == 0)
            return (int32_t)j;
    return -1;
}

int32_t limber_model_find_clip(const limber_model* model, const char* name) {
    for (uint32_t c = 0; c < model->clip_count; c++)
        if (strcmp(model->clips[c].name, name) == 0)
            return (int32_t)c;
    return -1;
}

const limber_layer* limber_mesh_find_layer(const limber_mesh* mesh, const char* name) {
    for (uint32_t i = 0; i < mesh->layer_count; i++)
        if (strcmp(mesh->layers[i].name, name) == 0)
            return &mesh->layers[i];
    return NULL;
}

const struct limberi_groups* const* limberi_asset_groups(const limber_asset* asset) {
    return asset->groups;
}

limberi_derived* limberi_asset_derived(const limber_asset* asset, limberi_derived_kind kind) {
    return &asset->derived[kind];
}

limberi_derived_item* limberi_derived_keep(limberi_derived* slot, limberi_derived_item* item) {
    limberi_derived_item* known = NULL;
    if (atomic_compare_exchange_strong(&slot->item, &known, item))
        return item;
    item->destroy(item);
    return known;
}
