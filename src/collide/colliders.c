// The list of colliders of a character, and the stage that they make.
#include "asset/asset.h"
#include "base/error.h"
#include "base/memory.h"
#include "collide/colliders_private.h"

#include <string.h>

// --- the list ---

static void find_main_joints(limber_colliders* c) {
    const limber_model* model = c->model;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        for (uint32_t u = 0; u < mesh->vertex_count; u++) {
            uint32_t main = UINT32_MAX;
            float max = 0.5f;
            for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++)
                if (mesh->influence_weight[i] >= max) {
                    max = mesh->influence_weight[i];
                    main = model->skins[mesh->skin].joints[mesh->influence_joint[i]];
                }
            c->main[mesh->first_vertex + u] = mesh->scenery ? UINT32_MAX : main;
        }
        limber_mesh_rest_positions(model, mesh, c->rest + 3 * (size_t)mesh->first_vertex);
    }
}

// Copies `obey` and the name of the layer: they are the caller's, who may free them once the list is made.
static limber_result add_colliders(limber_colliders* c, const limber_collider* items, uint32_t count,
                                   limber_error* error) {
    uint32_t joints = c->model->rig.joint_count;
    for (uint32_t i = 0; i < count; i++) {
        limber_collider* item = &c->items[c->count++];
        if (!limberi_collider_is_valid(&items[i], joints))
            return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "collider %u is invalid", i);
        *item = items[i];
        item->layer = item->layer ? limberi_arena_string(&c->arena, item->layer) : NULL;
        item->obey = item->obey ? LIMBERI_COPY(&c->arena, uint8_t, item->obey, joints) : NULL;
    }
    return c->arena.failed ? limberi_fail_memory(error) : LIMBER_OK;
}

static limber_result fill_colliders(limber_colliders* c, const limber_collider_settings* settings,
                                    limber_error* error) {
    const limber_model* model = c->model;
    if (settings->count > LIMBER_COLLIDER_LIMIT)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "too many colliders (max %u)", LIMBER_COLLIDER_LIMIT);
    size_t joints = model->rig.joint_count;
    size_t room = (size_t)settings->count + model->collider_count + joints;
    c->items = LIMBERI_ALLOCATE(&c->arena, limber_collider, room);
    c->fitted = LIMBERI_ALLOCATE(&c->arena, uint8_t, room);
    c->thickness = LIMBERI_ALLOCATE(&c->arena, float, joints);
    c->rest = LIMBERI_ALLOCATE(&c->arena, float, 3 * (size_t)model->vertex_count);
    c->main = LIMBERI_ALLOCATE(&c->arena, uint32_t, model->vertex_count);
    if (c->arena.failed)
        return limberi_fail_memory(error);
    find_main_joints(c);
    limber_result result = LIMBER_OK;
    if (settings->automatic && model->collider_count)
        result = add_colliders(c, model->colliders, model->collider_count, error);
    else if (settings->automatic && limberi_colliders_fit(c))
        result = limberi_fail_memory(error);
    if (!result)
        result = add_colliders(c, settings->items, settings->count, error);
    c->count = c->count < LIMBER_COLLIDER_LIMIT ? c->count : LIMBER_COLLIDER_LIMIT;
    return result;
}

limber_result limber_colliders_find(const limber_asset* asset, const limber_collider_settings* settings,
                                    limber_colliders** colliders, limber_error* error) {
    static const limber_collider_settings automatic = {true, 0, NULL};
    *colliders = NULL;
    limber_colliders* made = limberi_allocate_zeroed(1, sizeof *made);
    if (!made)
        return limberi_fail_memory(error);
    made->model = limber_asset_model(asset);
    limber_result result = fill_colliders(made, settings ? settings : &automatic, error);
    if (result)
        limber_colliders_destroy(made);
    else
        *colliders = made;
    return result;
}

void limber_colliders_destroy(limber_colliders* colliders) {
    if (!colliders)
        return;
    limberi_arena_free(&colliders->arena);
    limberi_release(colliders);
}

uint32_t limber_collider_count(const limber_colliders* colliders) {
    return colliders->count;
}

limber_collider limber_collider_at(const limber_colliders* colliders, uint32_t index) {
    return colliders->items[index];
}

// --- the stage ---

limber_result limberi_collision_create(const limber_asset* asset, const limber_collider_settings* settings,
                                       const int32_t* parts, bool stands, limberi_collision** collision,
                                       limber_error* error) {
    *collision = NULL;
    if (!settings->automatic && !settings->count)
        return LIMBER_OK;
    limberi_collision* made = limberi_allocate_zeroed(1, sizeof *made);
    if (!made)
        return limberi_fail_memory(error);
    made->asset = asset;
    made->model = limber_asset_model(asset);
    made->length = made->model->size;
    made->parts = parts;
    made->stands = stands;
    limber_result result = limber_colliders_find(asset, settings, &made->colliders, error);
    if (!result && limberi_collision_prepare(made))
        result = limberi_fail_memory(error);
    if (result || !made->group_count)
        limberi_collision_destroy(made);
    else
        *collision = made;
    return result;
}

void limberi_collision_destroy(limberi_collision* collision) {
    if (!collision)
        return;
    limber_colliders_destroy(collision->colliders);
    limberi_arena_free(&collision->arena);
    limberi_release(collision);
}

const limber_colliders* limberi_collision_colliders(const limberi_collision* collision) {
    return collision->colliders;
}

uint32_t limberi_collision_group_count(const limberi_collision* collision) {
    return collision->group_count;
}

limberi_collision_group limberi_collision_group_at(const limberi_collision* collision, uint32_t index) {
    return collision->groups[index].at;
}

// --- for a GPU ---

uint32_t limberi_collision_probes(const limberi_collision* s, uint32_t* vertices) {
    uint32_t total = 0;
    for (uint32_t c = 0; c < s->colliders->count; c++)
        for (int end = 0; end < 2; end++) {
            uint32_t count = s->anchors[c].count[end];
            if (vertices && count)
                memcpy(vertices + total, s->anchors[c].vertices[end], count * sizeof *vertices);
            total += count;
        }
    return total;
}

const limberi_obeyed* limberi_collision_obeyed(const limberi_collision* s, uint32_t index, uint32_t* count) {
    *count = s->groups[index].count;
    return s->groups[index].obeyed;
}

void limberi_collision_row(const limberi_collision* s, uint32_t collider, float out[16]) {
    const limberi_moving_collider* m = &s->moving[collider];
    const float row[16] = {
        m->from.x,    m->from.y,    m->from.z,    m->radius,
        m->along.x,   m->along.y,   m->along.z,   m->shape == LIMBER_COLLIDER_PLANE ? -1 : m->per_square,
        m->move[0].x, m->move[0].y, m->move[0].z, -1,
        m->move[1].x, m->move[1].y, m->move[1].z, -1};
    memcpy(out, row, sizeof row);
}
