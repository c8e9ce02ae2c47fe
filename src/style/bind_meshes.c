// Gains of effects per mesh.
#include "style/bind.h"

#include "base/error.h"
#include "text/text.h"

#include <string.h>

bool limberi_mesh_matches(const limber_mesh* mesh, const char* pattern) {
    return limberi_name_matches(mesh->name, pattern) || limberi_name_matches(mesh->node_name, pattern);
}

// Where the gains of an effect are, 1 until a key says otherwise.
static float* gains_of(limberi_binder* b, float** gains, uint32_t effect) {
    uint32_t count = b->model->mesh_count;
    if (!gains[effect])
        gains[effect] = LIMBERI_ALLOCATE(&b->bound->arena, float, (size_t)count + 1);
    else
        return gains[effect];
    for (uint32_t m = 0; gains[effect] && m < count; m++)
        gains[effect][m] = 1;
    return gains[effect];
}

static limber_result bind_entry(limberi_binder* b, const limberi_entry* entry, float** gains) {
    bool any = false;
    for (uint32_t m = 0; m < b->model->mesh_count; m++) {
        if (!limberi_mesh_matches(&b->model->meshes[m], entry->pattern))
            continue;
        any = true;
        for (uint32_t e = 0; e < LIMBER_EFFECT_COUNT; e++) {
            float* own = limberi_row_at(entry->row)->effects >> e & 1 ? gains_of(b, gains, e) : NULL;
            if (own)
                own[m] = (float)entry->value.numbers[0];
        }
    }
    if (any || entry->preset)
        return LIMBER_OK;
    limberi_address address = {2, {"meshes", entry->pattern}};
    return limberi_style_at(b->error, limberi_fail_mesh(b, entry->pattern), entry->pattern_place, &address);
}

// Gains of 1 are none, and effects with equal gains share them.
static void hand_over(limberi_binder* b, float* const* gains) {
    const float** to = b->bound->settings.deform.mesh_gains;
    uint32_t count = b->model->mesh_count;
    for (uint32_t e = 0; e < LIMBER_EFFECT_COUNT; e++) {
        bool plain = true;
        for (uint32_t m = 0; gains[e] && m < count; m++)
            plain = plain && gains[e][m] == 1;
        to[e] = plain ? NULL : gains[e];
        for (uint32_t k = 0; k < e && to[e]; k++)
            if (to[k] && memcmp(to[k], to[e], count * sizeof **to) == 0)
                to[e] = to[k];
    }
}

limber_result limberi_bind_mesh_gains(limberi_binder* b) {
    float* gains[LIMBER_EFFECT_COUNT] = {NULL};
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < b->style->count; i++) {
        const limberi_entry* entry = &b->style->entries[b->order[i]];
        if (limberi_row_at(entry->row)->store == LIMBERI_STORE_MESH_GAIN)
            result = bind_entry(b, entry, gains);
    }
    if (!result)
        hand_over(b, gains);
    return result;
}
