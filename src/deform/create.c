// Making a deformer: its settings checked, memory allocated, and the same deformer over some of the vertices only.
#include "base/build.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/settings.h"
#include "deform/deformer.h"
#include "layer/layer.h"
#include "text/text.h"

#include <string.h>

static limber_number number(float value) {
    return (limber_number){value, NULL};
}

void limber_deform_settings_init(limber_deform_settings* given, size_t size) {
    limber_deform_settings settings;
    memset(&settings, 0, sizeof settings);
    settings.struct_size = sizeof settings;
    settings.strength = number(1);
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
        settings.effects[e] = limber_effect_settings_default((limber_effect)e);
    settings.lift_cones.cone.joint = -1;
    limberi_settings_write(given, size, &settings, sizeof settings);
}

void limber_deform_job_init(limber_deform_job* given, size_t size) {
    limber_deform_job job;
    memset(&job, 0, sizeof job);
    job.struct_size = sizeof job;
    limberi_settings_write(given, size, &job, sizeof job);
}

static uint32_t names_of(const limber_effect_settings* s) {
    uint32_t used = 0;
    for (uint32_t value = 0; value < LIMBERI_VALUES; value++) {
        limber_number n = limberi_number_of(s, value);
        used |= n.expression ? limber_expression_uses(n.expression) : 0;
    }
    return used;
}

static void find_active(limber_deformer* d) {
    for (uint32_t slot = 0; slot < limberi_slot_count(&d->settings); slot++) {
        const limber_effect_settings* s = limberi_slot_settings(&d->settings, slot);
        const limberi_effect* effect = d->plans[slot].effect = limberi_slot_effect(slot);
        d->plans[slot].numbers = limberi_effect_numbers(effect);
        if (!limberi_is_on(s->linear) && !limberi_is_on(s->angular))
            continue;
        d->active |= 1u << slot;
        d->names_used |= names_of(s);
        d->source_users |= effect->sources ? 1u << slot : 0;
        d->sources |= effect->sources ? effect->sources(s) & ~(1u << slot) : 0;
    }
    d->own_sources = d->sources & d->active;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++)
        if (limberi_slot_is_on(d, slot) && limberi_effects[slot]->replaces_sources &&
            limberi_effects[slot]->replaces_sources(&d->settings.effects[slot]))
            d->active &= ~d->own_sources;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++) // a source that is off still has numbers
        if (limberi_slot_is_source(d, slot))
            d->names_used |= names_of(&d->settings.effects[slot]);
}

limber_result limberi_deformer_create_averager(limber_deformer* d, const limber_asset* asset,
                                               const limber_deformer* other, bool clone) {
    if (d->settings.normals != LIMBER_NORMALS_AVERAGED || d->averager)
        return LIMBER_OK;
    bool shared = other && other->groups == d->groups && other->averager;
    d->borrows_averager = shared && !clone;
    if (!shared)
        d->averager = limberi_averager_create(asset);
    else
        d->averager = clone ? limberi_averager_clone(other->averager) : other->averager;
    return d->averager ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

bool limberi_scratch_allocate(limberi_arena* arena, const limber_deformer* d, limberi_deform_scratch* scratch) {
    uint32_t max = 0;
    for (uint32_t m = 0; m < d->model->mesh_count; m++)
        if (d->groups[m]->max_weights > max)
            max = d->groups[m]->max_weights;
    uint32_t slots = limberi_slot_count(&d->settings);
    scratch->values = LIMBERI_ALLOCATE(arena, limberi_block_values, slots);
    scratch->source_values = LIMBERI_ALLOCATE(arena, limberi_block_values, d->sources ? slots : 0);
    scratch->sums = LIMBERI_ALLOCATE(arena, float, (size_t)max* LIMBER_BLOCK);
    scratch->links = LIMBERI_ALLOCATE(arena, limberi_chain_link, limberi_is_chain(d) ? d->model->rig.joint_count : 0);
    return !arena->failed;
}

static limber_result allocate_memory(limber_deformer* d, const limber_asset* asset, const limber_deformer* other,
                                     bool clone) {
    if (limberi_prepare_plans(d))
        return LIMBER_ERROR_MEMORY;
    if (!LIMBERI_HAS_VERTICES)
        return LIMBER_OK;
    if (limberi_prepare_sorted(d) || !limberi_scratch_allocate(&d->arena, d, &d->scratch))
        return LIMBER_ERROR_MEMORY;
    return limberi_deformer_create_averager(d, asset, other, clone);
}

static limber_result prepare_effects(limber_deformer* d, limber_error* error) {
    limber_result result = LIMBER_OK;
    for (uint32_t slot = 0; !result && slot < LIMBER_EFFECT_COUNT; slot++)
        if (limberi_slot_begins(d, slot) && limberi_effects[slot]->prepare)
            result = limberi_effects[slot]->prepare(d, slot, error);
    if (result == LIMBER_ERROR_MEMORY)
        return limberi_fail_memory(error);
    return result;
}

// Later stages index arrays by these; a mistake here is the caller's, not the file's.
static limber_result check_settings(const limber_deform_settings* s, limber_error* error) {
    if (s->custom_count > LIMBER_CUSTOM_EFFECTS)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "too many custom effects (%u, max %u)", s->custom_count,
                            LIMBER_CUSTOM_EFFECTS);
    for (uint32_t i = 0; i < s->custom_count; i++)
        if (!s->custom[i].function)
            return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "effect '%s' has no function",
                                s->custom[i].name ? s->custom[i].name : "");
    if (limberi_number_varies(s->strength))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "'strength' may use t, frame and phase only");
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++) {
        const limber_filter_set* filters = &s->effects[slot].filters;
        const limberi_effect* effect = limberi_effects[slot];
        limber_result result = effect->check ? effect->check(&s->effects[slot], error) : LIMBER_OK;
        if (result)
            return result;
        bool varies = limberi_number_varies(limberi_number_of(&s->effects[slot], LIMBERI_VALUE_TURN)) ||
                      limberi_number_varies(limberi_number_of(&s->effects[slot], LIMBERI_VALUE_GATE_LIMIT));
        if (effect->gate != LIMBER_GATE_NONE && varies &&
            (filters->acceleration.type || filters->angular_acceleration.type))
            return limberi_fail(error, LIMBER_ERROR_ARGUMENT,
                                "%s: 'turn' and 'gate.limit' may use t, frame and phase only where there is a filter",
                                limberi_effects[slot]->name);
    }
    for (uint32_t i = 0; i < s->filter_formula_count; i++) {
        const limber_filter_formula* f = &s->filter_formulas[i];
        if ((uint32_t)f->effect >= LIMBER_EFFECT_COUNT || !limberi_filter_number_is_known(f->number))
            return limberi_fail(error, LIMBER_ERROR_ARGUMENT,
                                "a formula is for number %u of the filters, which is none", f->number);
        if (!f->expression || !limber_expression_is_uniform(f->expression))
            return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "filters need formulas of t, frame and phase");
    }
    if (!(s->size >= 0) || !isfinite(s->size))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the size must be positive");
    return LIMBER_OK;
}

static bool names_skirt(const limber_deform_settings* settings) {
    for (uint32_t slot = 0; slot < limberi_slot_count(settings); slot++) {
        const limber_effect_settings* s = limberi_slot_settings(settings, slot);
        const char* const names[] = {s->layer, s->joint_layer};
        for (int i = 0; i < 2; i++)
            if (names[i] && strcmp(names[i], LIMBERI_SKIRT_LAYER) == 0)
                return true;
    }
    return false;
}

// With the skirt that was found, where settings name one that nobody painted.
static limber_result find_model(limber_deformer* d, const limber_asset* asset) {
    const limber_model* skirted = NULL;
    d->model = limber_asset_model(asset);
    if (names_skirt(&d->settings) && limberi_asset_skirt(asset, &skirted))
        return LIMBER_ERROR_MEMORY;
    d->model = skirted ? skirted : d->model;
    return LIMBER_OK;
}

limber_result limber_deformer_create(const limber_asset* asset, const limber_deform_settings* settings,
                                     limber_deformer** deformer, limber_error* error) {
    return limberi_deformer_create_beside(asset, settings, NULL, false, deformer, error);
}

limber_result limberi_deformer_create_beside(const limber_asset* asset, const limber_deform_settings* given,
                                             const limber_deformer* other, bool clone, limber_deformer** deformer,
                                             limber_error* error) {
    *deformer = NULL;
    limber_deform_settings own = limber_deform_settings_default();
    const limber_deform_settings* settings = &own;
    limber_result result = limberi_settings_read(&own, sizeof own, given, "limber_deform_settings", error);
    if (!result)
        result = check_settings(settings, error);
    if (result)
        return result;
    limber_deformer* made = limberi_allocate_zeroed(1, sizeof *made);
    if (!made)
        return limberi_fail_memory(error);
    made->groups = limberi_asset_groups(asset);
    made->settings = *settings;
    if (find_model(made, asset)) {
        limber_deformer_destroy(made);
        return limberi_fail_memory(error);
    }
    made->size = settings->size > 0 ? settings->size : made->model->size;
    find_active(made);
    if (limberi_prepare_own_layers(made))
        result = limberi_fail_memory(error);
    if (!result)
        result = limberi_prepare_gains(made, error);
    if (!result)
        result = prepare_effects(made, error);
    if (!result && made->active && allocate_memory(made, asset, other, clone))
        result = limberi_fail_memory(error);
    if (result) {
        limber_deformer_destroy(made);
        return result;
    }
    *deformer = made;
    return LIMBER_OK;
}

void limber_deformer_destroy(limber_deformer* deformer) {
    if (!deformer)
        return;
    if (!deformer->borrows_averager)
        limberi_averager_destroy(deformer->averager);
    limberi_arena_free(&deformer->arena);
    limberi_release(deformer);
}

void limberi_deformer_inherit(limber_deformer* d, limber_deformer* from) {
    if (!d->borrows_averager)
        return;
    d->borrows_averager = from->borrows_averager;
    from->averager = NULL;
}

limberi_averager* limberi_deformer_averager(const limber_deformer* deformer) {
    return deformer->averager;
}

// --- over some of the vertices ---

struct limberi_deform_subset {
    const limber_deformer* of;
    limber_deformer seen; // a copy of it, but for what is in the order of groups; its arena has that
};

// What follows the order of groups moves over from the last copy.
static void copy_settings(limberi_deform_subset* subset) {
    limber_deformer copy = *subset->of;
    copy.arena = subset->seen.arena;
    copy.groups = subset->seen.groups;
    copy.names = subset->seen.names;
    copy.sorted = subset->seen.sorted;
    copy.layers = subset->seen.layers;
    copy.scratch = subset->seen.scratch;
    copy.averager = NULL;
    subset->seen = copy;
}

limber_result limberi_deform_subset_create(const limber_deformer* of, const struct limberi_groups* const* groups,
                                           limberi_deform_subset** subset) {
    *subset = NULL;
    limberi_deform_subset* made = limberi_allocate_zeroed(1, sizeof *made);
    if (!made)
        return LIMBER_ERROR_MEMORY;
    made->of = of;
    made->seen.groups = groups;
    copy_settings(made);
    if (of->active && (limberi_prepare_sorted(&made->seen) ||
                       !limberi_scratch_allocate(&made->seen.arena, &made->seen, &made->seen.scratch))) {
        limberi_deform_subset_destroy(made);
        return LIMBER_ERROR_MEMORY;
    }
    *subset = made;
    return LIMBER_OK;
}

void limberi_deform_subset_destroy(limberi_deform_subset* subset) {
    if (!subset)
        return;
    limberi_arena_free(&subset->seen.arena);
    limberi_release(subset);
}

void limberi_deform_subset_repaint(limberi_deform_subset* subset) {
    const limber_model* model = subset->of->model;
    copy_settings(subset);
    for (uint32_t m = 0; subset->seen.sorted && m < model->mesh_count; m++)
        for (uint32_t l = 0; l < model->meshes[m].layer_count; l++)
            limberi_sort_layer(&subset->seen, m, l);
}

// Only the frame changes from one to the next: all of the deformer is 15 kB.
const limber_deformer* limberi_deform_subset_begin(limberi_deform_subset* subset, limberi_deform_scratch** scratch) {
    subset->seen.frame = subset->of->frame;
    subset->seen.variant = subset->of->variant;
    *scratch = &subset->seen.scratch;
    return &subset->seen;
}

// --- what others ask ---

bool limber_deformer_cone(const limber_deformer* deformer, limber_cone* cone, float* residual) {
    return limber_deformer_cone_at(deformer, 0, cone, residual);
}

bool limber_deformer_cone_at(const limber_deformer* deformer, uint32_t index, limber_cone* cone, float* residual) {
    if (!deformer->has_cone || (index && index >= deformer->cone_count))
        return false;
    *cone = index ? deformer->cones[index].cone : deformer->cone;
    *residual = index ? deformer->cones[index].residual : deformer->cone_residual;
    return true;
}

const limberi_split_normals* limberi_deform_split(const limber_deformer* d) {
    return d->split.count ? &d->split : NULL;
}
