// The numbers of an effect for a block of vertices: constants, formulas, layers.
#include "base/math.h"
#include "deform/deformer.h"

#include <string.h>

// Layers and the inputs of formulas in the order of the groups, so that a group finds its own next to each other.
static void sort_layers(limber_deformer* d, uint32_t m, limber_mesh* sorted) {
    const limber_mesh* mesh = &d->model->meshes[m];
    *sorted = *mesh;
    limber_layer* layers = LIMBERI_ALLOCATE(&d->arena, limber_layer, mesh->layer_count);
    for (uint32_t l = 0; layers && l < mesh->layer_count; l++) {
        layers[l].name = mesh->layers[l].name;
        layers[l].values = limberi_groups_sorted(&d->arena, d->groups[m], mesh->layers[l].values);
    }
    sorted->layers = layers;
}

void limberi_sort_layer(const limber_deformer* d, uint32_t m, uint32_t layer) {
    const limber_mesh* mesh = &d->model->meshes[m];
    const uint32_t* vertices = d->groups[m]->vertices;
    const float* values = mesh->layers[layer].values;
    float* sorted = (float*)(uintptr_t)d->sorted[m].layers[layer].values; // ours, by sort_layers
    for (uint32_t v = 0; v < d->groups[m]->width; v++)
        sorted[v] = values[vertices[v]];
}

static limber_result sort_names(limber_deformer* d, uint32_t m, limberi_mesh_names* out) {
    const limber_mesh* mesh = &d->model->meshes[m];
    limberi_arena scratch = {NULL, false};
    limberi_mesh_names names;
    memset(&names, 0, sizeof names);
    limber_result result = limberi_mesh_names_fill(&scratch, d->model, mesh, d->names_used, &names);
    for (uint32_t name = 0; !result && name < LIMBER_VARIABLE_COUNT; name++)
        out->arrays[name] = (float*)(uintptr_t)limberi_groups_sorted(&d->arena, d->groups[m], names.arrays[name]);
    limberi_arena_free(&scratch);
    return result;
}

static void find_layers(limber_deformer* d, uint32_t m) {
    for (uint32_t slot = 0; slot < limberi_slot_count(&d->settings); slot++) {
        const char* name = limberi_slot_settings(&d->settings, slot)->layer;
        const limber_layer* layer = name ? limber_mesh_layer(&d->sorted[m], name) : NULL;
        d->layers[m * LIMBERI_SLOTS + slot] = layer ? layer->values : NULL;
    }
}

limber_result limberi_prepare_sorted(limber_deformer* d) {
    d->layers = LIMBERI_ALLOCATE(&d->arena, const float*, (size_t)d->model->mesh_count* LIMBERI_SLOTS);
    d->names = LIMBERI_ALLOCATE(&d->arena, limberi_mesh_names, d->model->mesh_count);
    d->sorted = LIMBERI_ALLOCATE(&d->arena, limber_mesh, d->model->mesh_count);
    for (uint32_t m = 0; !d->arena.failed && m < d->model->mesh_count; m++) {
        sort_layers(d, m, &d->sorted[m]);
        if (d->arena.failed)
            break;
        find_layers(d, m);
        if (sort_names(d, m, &d->names[m]))
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

bool limberi_number_varies(limber_number n) {
    return n.expression && !limber_expression_is_uniform(n.expression);
}

static const float degrees = (float)(LIMBERI_PI / 180);

void limberi_evaluate_values(const limberi_mesh_names* names, const limber_mesh* mesh, limberi_numbers numbers,
                             const limber_effect_settings* s, const limber_deform_job* job, uint32_t first,
                             uint32_t count, const float* speed, limberi_block_values* out) {
    for (uint32_t n = 0; n < numbers.count; n++) {
        limber_number number = limberi_number_of(s, n);
        if (number.expression) {
            limber_expression_inputs in;
            fill_inputs(names, mesh, number.expression, job, first, count, speed, &in);
            limber_expression_evaluate(number.expression, &in, out->v[n]);
        } else {
            for (uint32_t i = 0; i < count; i++)
                out->v[n][i] = number.value;
        }
        for (uint32_t i = 0; (numbers.degrees >> n & 1) && i < count; i++)
            out->v[n][i] *= degrees;
    }
    const limber_layer* layer = s->layer ? limber_mesh_layer(mesh, s->layer) : NULL;
    for (uint32_t i = 0; layer && i < count; i++) {
        out->v[LIMBERI_VALUE_LINEAR][i] *= layer->values[first + i];
        out->v[LIMBERI_VALUE_ANGULAR][i] *= layer->values[first + i];
    }
}

void limberi_source_values(const limber_deformer* d, uint32_t slot, const limberi_block_values* values,
                           limberi_block_values* out) {
    *out = *values;
    if (!d->sources_count_one && d->own_sources >> slot & 1)
        return;
    for (uint32_t i = 0; i < LIMBER_BLOCK; i++)
        out->v[LIMBERI_VALUE_LINEAR][i] = out->v[LIMBERI_VALUE_ANGULAR][i] = 1;
}
