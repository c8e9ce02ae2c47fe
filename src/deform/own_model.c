// Meshes with layers that the deformer makes.
#include "deform/deformer.h"

#include <string.h>

// A model that is the deformer's, so that meshes can have more layers.
static bool own_the_model(limber_deformer* d) {
    if (d->own_meshes)
        return true;
    d->own_meshes = LIMBERI_COPY(&d->arena, limber_mesh, d->model->meshes, d->model->mesh_count);
    d->own_model = *d->model;
    d->own_model.meshes = d->own_meshes;
    if (d->own_meshes)
        d->model = &d->own_model;
    return d->own_meshes != NULL;
}

float* limberi_own_layer_add(limber_deformer* d, uint32_t m, const char* name) {
    if (!own_the_model(d))
        return NULL;
    limber_mesh* mesh = &d->own_meshes[m];
    limber_layer* layers = LIMBERI_ALLOCATE(&d->arena, limber_layer, (size_t)mesh->layer_count + 1);
    float* values = LIMBERI_ALLOCATE(&d->arena, float, mesh->vertex_count);
    if (!layers || !values)
        return NULL;
    if (mesh->layer_count)
        memcpy(layers, mesh->layers, mesh->layer_count * sizeof *layers);
    layers[mesh->layer_count].name = name;
    layers[mesh->layer_count].values = values;
    mesh->layers = layers;
    mesh->layer_count++;
    return values;
}
