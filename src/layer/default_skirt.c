// The layer "skirt" of characters without a painted one (limber_layer_skirt).
#include "asset/asset.h"
#include "base/build.h"
#include "base/memory.h"
#include "layer/layer.h"

#include <limber/stages/layer.h>
#include <string.h>

typedef struct skirted {
    limberi_derived_item item;
    limberi_arena arena;
    limber_model model;
    bool found;
} skirted;

static void destroy(limberi_derived_item* item) {
    skirted* s = (skirted*)(void*)item;
    limberi_arena_free(&s->arena);
    limberi_release(s);
}

static limber_result find_skirt(skirted* s, const limber_model* model) {
    limber_error error;
    float* values = LIMBERI_ALLOCATE(&s->arena, float, model->vertex_count);
    limber_mesh* meshes = LIMBERI_COPY(&s->arena, limber_mesh, model->meshes, model->mesh_count);
    if (s->arena.failed || (LIMBERI_HAS_FITTED && limber_layer_skirt(model, values, &s->found, &error)))
        return LIMBER_ERROR_MEMORY;
    for (limber_mesh* mesh = meshes; s->found && mesh < meshes + model->mesh_count; mesh++) {
        limber_layer* layers = LIMBERI_ALLOCATE(&s->arena, limber_layer, (size_t)mesh->layer_count + 1);
        if (!layers)
            return LIMBER_ERROR_MEMORY;
        memcpy(layers, mesh->layers, mesh->layer_count * sizeof *layers);
        layers[mesh->layer_count].name = LIMBERI_SKIRT_LAYER;
        layers[mesh->layer_count].values = values + mesh->first_vertex;
        mesh->layers = layers;
        mesh->layer_count++;
    }
    s->model = *model;
    s->model.meshes = meshes;
    return LIMBER_OK;
}

limber_result limberi_asset_skirt(const limber_asset* asset, const limber_model** model) {
    *model = limber_asset_model(asset);
    if (limberi_has_layer(*model, LIMBERI_SKIRT_LAYER))
        return LIMBER_OK;
    limberi_derived* slot = limberi_asset_derived(asset, LIMBERI_DERIVED_SKIRT);
    skirted* known = (skirted*)(void*)atomic_load(&slot->item);
    if (!known) {
        known = limberi_allocate_zeroed(1, sizeof *known);
        if (!known)
            return LIMBER_ERROR_MEMORY;
        known->item.destroy = destroy;
        if (find_skirt(known, *model)) {
            destroy(&known->item);
            return LIMBER_ERROR_MEMORY;
        }
        known = (skirted*)(void*)limberi_derived_keep(slot, &known->item);
    }
    *model = known->found ? &known->model : NULL;
    return LIMBER_OK;
}
