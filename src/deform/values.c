// The numbers of an effect for a block of vertices: constants, formulas, layers.
#include "deform/deform_private.h"

#include <string.h>

// Layers and the inputs of formulas in the order of the groups, so that a group finds its own next to each other.
static void sort_layers(limber_deformer* d, const limber_mesh* mesh, limber_mesh* sorted) {
    *sorted = *mesh;
    limber_layer* layers = LIMBERI_ALLOCATE(&d->arena, limber_layer, mesh->layer_count);
    for (uint32_t l = 0; layers && l < mesh->layer_count; l++) {
        layers[l].name = mesh->layers[l].name;
        layers[l].values = limberi_groups_sorted(&d->arena, mesh->groups, mesh->layers[l].values);
    }
    sorted->layers = layers;
}

void limberi_deformer_layer_changed(limber_deformer* d, uint32_t m, uint32_t layer) {
    if (!d->sorted)
        return;
    const limber_mesh* mesh = &d->model->meshes[m];
    const uint32_t* vertices = mesh->groups->vertices;
    const float* values = mesh->layers[layer].values;
    float* sorted = (float*)(uintptr_t)d->sorted[m].layers[layer].values; // ours, by sort_layers
    for (uint32_t v = 0; v < mesh->groups->width; v++)
        sorted[v] = values[vertices[v]];
}

static limber_result sort_names(limber_deformer* d, const limber_mesh* mesh, limberi_mesh_names* out) {
    limberi_arena scratch = {NULL, false};
    limberi_mesh_names names;
    memset(&names, 0, sizeof names);
    limber_result result = limberi_mesh_names_fill(&scratch, d->model, mesh, d->names_used, &names);
    for (uint32_t name = 0; !result && name < LIMBER_VARIABLE_COUNT; name++)
        out->arrays[name] = (float*)(uintptr_t)limberi_groups_sorted(&d->arena, mesh->groups, names.arrays[name]);
    limberi_arena_free(&scratch);
    return result;
}

static void find_layers(limber_deformer* d, uint32_t m) {
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT + d->settings.custom_count; slot++) {
        const char* name = limberi_slot_settings(d, slot)->layer;
        const limber_layer* layer = name ? limber_mesh_layer(&d->sorted[m], name) : NULL;
        d->layers[m * EFFECT_SLOTS + slot] = layer ? layer->values : NULL;
    }
}

limber_result limberi_prepare_sorted(limber_deformer* d) {
    d->layers = LIMBERI_ALLOCATE(&d->arena, const float*, (size_t)d->model->mesh_count* EFFECT_SLOTS);
    d->names = LIMBERI_ALLOCATE(&d->arena, limberi_mesh_names, d->model->mesh_count);
    d->sorted = LIMBERI_ALLOCATE(&d->arena, limber_mesh, d->model->mesh_count);
    for (uint32_t m = 0; !d->arena.failed && m < d->model->mesh_count; m++) {
        sort_layers(d, &d->model->meshes[m], &d->sorted[m]);
        if (d->arena.failed)
            break;
        find_layers(d, m);
        if (sort_names(d, &d->model->meshes[m], &d->names[m]))
            return LIMBER_ERROR_MEMORY;
    }
    return d->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

static void fill_inputs(const limberi_mesh_names* names, const limber_mesh* mesh, const limber_expression* e,
                        const limber_deform_job* job, uint32_t first, uint32_t count, const float* speed,
                        limber_expression_inputs* in) {
    *in = limber_expression_inputs_default();
    in->frame[LIMBER_VARIABLE_T] = (float)job->time_s;
    in->frame[LIMBER_VARIABLE_FRAME] = (float)job->frame;
    in->frame[LIMBER_VARIABLE_PHASE] = (float)job->phase;
    limberi_mesh_names_point(names, mesh, e, first, count, in);
    in->vertex[LIMBER_VARIABLE_SPEED] = speed;
}

static const float degrees = (float)(LIMBERI_PI / 180);

void limberi_evaluate_values(const limberi_mesh_names* names, const limber_mesh* mesh, const limber_effect_settings* s,
                             const limber_deform_job* job, uint32_t first, uint32_t count, const float* speed,
                             limberi_block_values* out) {
    const limber_number* numbers[VALUE_COUNT] = {&s->linear, &s->angular, &s->max_bend_deg,
                                                 &s->twist,  &s->bend,    &s->threshold};
    for (int n = 0; n < VALUE_COUNT; n++) {
        if (numbers[n]->expression) {
            limber_expression_inputs in;
            fill_inputs(names, mesh, numbers[n]->expression, job, first, count, speed, &in);
            limber_expression_evaluate(numbers[n]->expression, &in, out->v[n]);
        } else {
            for (uint32_t i = 0; i < count; i++)
                out->v[n][i] = numbers[n]->value;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        out->v[VALUE_MAX_BEND][i] *= degrees;
    const limber_layer* layer = s->layer ? limber_mesh_layer(mesh, s->layer) : NULL;
    for (uint32_t i = 0; layer && i < count; i++) {
        out->v[VALUE_LINEAR][i] *= layer->values[first + i];
        out->v[VALUE_ANGULAR][i] *= layer->values[first + i];
    }
}
