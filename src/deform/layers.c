// The layers a deformer reads: those of the model and its own, in the order of the groups.
// Gains per mesh (SMEAR, figure 17) become layers of the deformer's own, so that kernels, palettes and the shader know
// nothing of them.
#include "base/math.h"
#include "deform/deformer.h"
#include "text/text.h"

#include <string.h>

// --- in the order of the groups ---

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
    limberi_mesh_names names = {0};
    limber_result result = limberi_mesh_names_fill(&scratch, d->model, mesh, d->names_used, &names);
    for (uint32_t name = 0; !result && name < LIMBER_VARIABLE_COUNT; name++)
        out->arrays[name] = (float*)(uintptr_t)limberi_groups_sorted(&d->arena, d->groups[m], names.arrays[name]);
    limberi_arena_free(&scratch);
    return result;
}

static void find_layers(limber_deformer* d, uint32_t m) {
    for (uint32_t slot = 0; slot < limberi_slot_count(&d->settings); slot++) {
        const char* name = limberi_slot_settings(&d->settings, slot)->layer;
        const limber_layer* layer = name ? limber_mesh_find_layer(&d->sorted[m], name) : NULL;
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

// --- layers of its own ---

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

// --- gains per mesh ---

static bool equal_gains(const float* a, const float* b, uint32_t count) {
    for (uint32_t m = 0; m < count; m++)
        if (a[m] != b[m])
            return false;
    return true;
}

// An earlier effect whose layer does for this one, too; the slot itself: none.
static uint32_t find_alike(const limber_deformer* d, uint32_t slot) {
    const float* const* gains = d->settings.mesh_gains;
    for (uint32_t k = 0; k < slot; k++)
        if (d->own_layers[k].name && limberi_same_text(d->own_layers[k].painted, d->own_layers[slot].painted) &&
            equal_gains(gains[k], gains[slot], d->model->mesh_count))
            return k;
    return slot;
}

static float largest_gain(const float* gains, uint32_t count) {
    float largest = 0;
    for (uint32_t m = 0; m < count; m++)
        largest = fmaxf(largest, fabsf(gains[m]));
    return largest > 0 ? largest : 1;
}

// The painted layer, or 1, times the gain of the mesh; at most 1: the rest is in the gains of the effect.
static void fill_layer(const limber_deformer* d, uint32_t slot, uint32_t m, float* values) {
    const limberi_own_layer* own = &d->own_layers[slot];
    const limber_mesh* mesh = &d->model->meshes[m];
    const limber_layer* painted = own->painted ? limber_mesh_find_layer(mesh, own->painted) : NULL;
    float gain = d->settings.mesh_gains[slot][m] / own->scale;
    for (uint32_t u = 0; u < mesh->vertex_count; u++)
        values[u] = painted ? gain * painted->values[u] : gain;
}

static void scale_joints(limber_deformer* d, uint32_t slot, float scale) {
    const limber_joint_gain* given = d->settings.joint_gains[slot];
    uint32_t count = d->model->rig.joint_count;
    limber_joint_gain* gains = LIMBERI_ALLOCATE(&d->arena, limber_joint_gain, count);
    for (uint32_t j = 0; gains && j < count; j++) {
        gains[j].linear = scale * (given ? given[j].linear : 1);
        gains[j].angular = scale * (given ? given[j].angular : 1);
    }
    if (gains)
        d->settings.joint_gains[slot] = gains;
}

// Formulas cannot be scaled, and an effect that has its gains in the motion need not be linear in them.
static void scale_gains(limber_deformer* d, uint32_t slot) {
    limber_effect_settings* s = &d->settings.effects[slot];
    limberi_own_layer* own = &d->own_layers[slot];
    own->in_joints = s->linear.expression || s->angular.expression || d->plans[slot].effect->gains_are_in_motion;
    if (own->scale == 1)
        return;
    if (own->in_joints) {
        scale_joints(d, slot, own->scale);
    } else {
        s->linear.value *= own->scale;
        s->angular.value *= own->scale;
    }
}

static const char* own_name(limber_deformer* d, uint32_t slot) {
    const char* effect = d->plans[slot].effect->name;
    char* name = LIMBERI_ALLOCATE(&d->arena, char, strlen(effect) + sizeof "meshes.*.");
    if (!name)
        return effect;
    memcpy(name, "meshes.*.", sizeof "meshes.*." - 1);
    memcpy(name + sizeof "meshes.*." - 1, effect, strlen(effect) + 1);
    return name;
}

static void prepare_slot(limber_deformer* d, uint32_t slot) {
    limber_effect_settings* s = &d->settings.effects[slot];
    limberi_own_layer* own = &d->own_layers[slot];
    own->painted = s->layer;
    own->scale = largest_gain(d->settings.mesh_gains[slot], d->model->mesh_count);
    uint32_t alike = find_alike(d, slot);
    own->name = alike < slot ? d->own_layers[alike].name : own_name(d, slot);
    for (uint32_t m = 0; alike == slot && m < d->model->mesh_count; m++) {
        float* values = limberi_own_layer_add(d, m, d->own_layers[slot].name);
        if (values)
            fill_layer(d, slot, m, values);
    }
    s->layer = own->name;
    scale_gains(d, slot);
}

limber_result limberi_prepare_own_layers(limber_deformer* d) {
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++) {
        const float* gains = d->settings.mesh_gains[slot];
        if (!gains || !((d->active | d->own_sources) >> slot & 1))
            continue;
        if (d->arena.failed)
            return LIMBER_ERROR_MEMORY;
        prepare_slot(d, slot);
    }
    return d->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

static void fill_again(const limber_deformer* d, uint32_t m, uint32_t layer) {
    const limber_mesh* mesh = &d->model->meshes[m];
    for (uint32_t slot = 0; d->own_meshes && slot < LIMBER_EFFECT_COUNT; slot++) {
        const limberi_own_layer* own = &d->own_layers[slot];
        if (!own->name || !limberi_same_text(own->painted, mesh->layers[layer].name))
            continue;
        for (uint32_t l = 0; l < mesh->layer_count; l++)
            if (mesh->layers[l].name == own->name) {
                fill_layer(d, slot, m, (float*)(uintptr_t)mesh->layers[l].values); // ours, by add_layer
                if (d->sorted)
                    limberi_sort_layer(d, m, l);
            }
    }
}

void limberi_deformer_layer_changed(limber_deformer* d, uint32_t m, uint32_t layer) {
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++)
        if (limberi_slot_is_on(d, slot) && d->plans[slot].effect->layer_changed)
            d->plans[slot].effect->layer_changed(d, slot);
    if (d->sorted)
        limberi_sort_layer(d, m, layer);
    fill_again(d, m, layer);
}
