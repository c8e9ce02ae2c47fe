// A model with its joints in another order.
#include "asset/asset_private.h"

#include <string.h>

typedef struct reorder {
    limberi_arena* arena;
    const uint32_t* order; // [new joint] old
    uint32_t* place;       // [old joint] new
    uint32_t count;
} reorder;

static int32_t place_of(const reorder* r, int32_t joint) {
    return joint < 0 ? joint : (int32_t)r->place[joint];
}

// NULL stays NULL.
static void* in_order(const reorder* r, const void* items, size_t size) {
    char* out = items ? limberi_arena_allocate(r->arena, r->count, size) : NULL;
    for (uint32_t j = 0; out && j < r->count; j++)
        memcpy(out + j * size, (const char*)items + r->order[j] * size, size);
    return out;
}

static void reorder_rig(const reorder* r, limber_rig* rig) {
    int32_t* parents = in_order(r, rig->parents, sizeof *parents);
    for (uint32_t j = 0; parents && j < r->count; j++)
        parents[j] = place_of(r, parents[j]);
    rig->parents = parents;
    rig->names = in_order(r, rig->names, sizeof *rig->names);
    rig->rest_local = in_order(r, rig->rest_local, sizeof *rig->rest_local);
    rig->bones = in_order(r, rig->bones, sizeof *rig->bones);
}

static void reorder_skins(const reorder* r, limber_model* model) {
    limber_skin* skins = LIMBERI_COPY(r->arena, limber_skin, model->skins, model->skin_count);
    for (uint32_t s = 0; skins && s < model->skin_count; s++) {
        uint32_t* joints = LIMBERI_COPY(r->arena, uint32_t, skins[s].joints, skins[s].joint_count);
        for (uint32_t k = 0; joints && k < skins[s].joint_count; k++)
            joints[k] = r->place[joints[k]];
        skins[s].joints = joints;
    }
    model->skins = skins;
}

static void reorder_clips(const reorder* r, limber_model* model) {
    limber_clip* clips = LIMBERI_COPY(r->arena, limber_clip, model->clips, model->clip_count);
    for (uint32_t c = 0; clips && c < model->clip_count; c++) {
        limber_channel* channels = LIMBERI_COPY(r->arena, limber_channel, clips[c].channels, clips[c].channel_count);
        for (uint32_t i = 0; channels && i < clips[c].channel_count; i++)
            if (channels[i].path != LIMBER_CHANNEL_WEIGHTS)
                channels[i].target = r->place[channels[i].target];
        clips[c].channels = channels;
    }
    model->clips = clips;
}

static void reorder_others(const reorder* r, limber_model* model) {
    limber_camera_node* nodes =
        LIMBERI_COPY(r->arena, limber_camera_node, model->camera_nodes, model->camera_node_count);
    limber_collider* colliders = LIMBERI_COPY(r->arena, limber_collider, model->colliders, model->collider_count);
    for (uint32_t n = 0; nodes && n < model->camera_node_count; n++)
        nodes[n].joint = place_of(r, nodes[n].joint);
    for (uint32_t c = 0; colliders && c < model->collider_count; c++) {
        colliders[c].joint = place_of(r, colliders[c].joint);
        colliders[c].obey = in_order(r, colliders[c].obey, sizeof *colliders[c].obey);
    }
    model->camera_nodes = nodes;
    model->colliders = colliders;
}

bool limberi_model_reorder(limberi_arena* arena, const uint32_t* order, limber_model* model) {
    reorder r = {arena, order, LIMBERI_ALLOCATE(arena, uint32_t, model->rig.joint_count), model->rig.joint_count};
    for (uint32_t j = 0; r.place && j < r.count; j++)
        r.place[order[j]] = j;
    if (r.place) {
        reorder_rig(&r, &model->rig);
        reorder_skins(&r, model);
        reorder_clips(&r, model);
        reorder_others(&r, model);
    }
    return !arena->failed;
}
