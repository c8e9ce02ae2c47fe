#include "base/error.h"
#include "deform/deform_private.h"

#include <stdlib.h>
#include <string.h>

static const char* const effect_names[LIMBER_EFFECT_COUNT] = {"floppy",        "squash",  "drag",
                                                              "followthrough", "stretch", "lift"};

const char* limber_effect_name(limber_effect effect) {
    return effect_names[effect];
}

static limber_number number(float value) {
    limber_number n = {value, NULL};
    return n;
}

limber_effect_settings limber_effect_settings_default(limber_effect effect) {
    limber_effect_settings s;
    memset(&s, 0, sizeof s);
    (void)effect;
    s.twist = s.bend = number(1);
    s.threshold = number(0.5f);
    s.filters = limber_filter_set_none();
    s.sources = 1u << LIMBER_EFFECT_STRETCH;
    s.cone.joint = -1;
    return s;
}

void limber_deform_settings_default(limber_deform_settings* settings) {
    memset(settings, 0, sizeof *settings);
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
        settings->effects[e] = limber_effect_settings_default((limber_effect)e);
}

const limber_effect_settings* limberi_slot_settings(const limber_deformer* deformer, uint32_t slot) {
    return slot < LIMBER_EFFECT_COUNT ? &deformer->settings.effects[slot]
                                      : &deformer->settings.custom[slot - LIMBER_EFFECT_COUNT].settings;
}

static bool number_is_on(limber_number n) {
    return n.expression || n.value != 0;
}

static uint32_t names_of(const limber_effect_settings* s) {
    const limber_number* numbers[VALUE_COUNT] = {&s->linear, &s->angular, &s->max_bend_deg,
                                                 &s->twist,  &s->bend,    &s->threshold};
    uint32_t used = 0;
    for (int i = 0; i < VALUE_COUNT; i++)
        if (numbers[i]->expression)
            used |= limber_expression_uses(numbers[i]->expression);
    return used;
}

static void find_active(limber_deformer* d) {
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT + d->settings.custom_count; slot++) {
        const limber_effect_settings* s = limberi_slot_settings(d, slot);
        d->slot_active[slot] = number_is_on(s->linear) || number_is_on(s->angular);
        d->active = d->active || d->slot_active[slot];
        d->names_used |= d->slot_active[slot] ? names_of(s) : 0;
    }
    if (!d->slot_active[LIMBER_EFFECT_LIFT])
        return;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++) // a source that is off still has numbers
        if (d->settings.effects[LIMBER_EFFECT_LIFT].sources >> slot & 1)
            d->names_used |= names_of(limberi_slot_settings(d, slot));
}

static limber_result take_memory(limber_deformer* d, const limber_deformer* other) {
    if (limberi_prepare_sorted(d) || limberi_prepare_frame(d) || !limberi_scratch_take(&d->arena, d, &d->scratch))
        return LIMBER_ERROR_MEMORY;
    if (d->settings.normals != LIMBER_NORMALS_AVERAGED)
        return LIMBER_OK;
    bool known = other && other->model == d->model && other->welds;
    return known ? limberi_borrow_welds(d, other) : limberi_prepare_welds(d);
}

static limber_result prepare_cone(limber_deformer* d, limber_error* error) {
    const limber_effect_settings* lift = &d->settings.effects[LIMBER_EFFECT_LIFT];
    d->cone = lift->cone;
    if (!d->slot_active[LIMBER_EFFECT_LIFT] || lift->normals == LIMBER_LIFT_MESH)
        return LIMBER_OK;
    if (d->cone.joint < 0 || d->cone.joint >= (int32_t)d->model->rig.joint_count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "lift needs the joint its cone is fixed to, or mesh normals");
    if (!lift->fit_cone)
        return LIMBER_OK;
    float given = lift->cone.base_radius;
    limber_result result = limber_cone_fit(d->model, (uint32_t)lift->cone.joint, &d->cone, &d->cone_residual, error);
    if (given > 0)
        d->cone.base_radius = given;
    return result;
}

// Later stages index arrays by these; a mistake here is the caller's, not the file's.
static limber_result check_settings(const limber_deform_settings* s, limber_error* error) {
    if (s->custom_count > LIMBER_CUSTOM_EFFECTS)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "%u effects of one's own, at most %u", s->custom_count,
                            LIMBER_CUSTOM_EFFECTS);
    for (uint32_t i = 0; i < s->custom_count; i++)
        if (!s->custom[i].function)
            return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "effect '%s' has no function",
                                s->custom[i].name ? s->custom[i].name : "");
    if (!(s->size >= 0) || !isfinite(s->size))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the size must be positive");
    return LIMBER_OK;
}

limber_result limber_deformer_create(const limber_asset* asset, const limber_deform_settings* settings,
                                     limber_deformer** deformer, limber_error* error) {
    return limberi_deformer_create_beside(asset, settings, NULL, deformer, error);
}

limber_result limberi_deformer_create_beside(const limber_asset* asset, const limber_deform_settings* settings,
                                             const limber_deformer* other, limber_deformer** deformer,
                                             limber_error* error) {
    *deformer = NULL;
    limber_result result = check_settings(settings, error);
    if (result)
        return result;
    limber_deformer* made = calloc(1, sizeof *made);
    if (!made)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the effects");
    made->model = limber_asset_model(asset);
    made->settings = *settings;
    made->size = settings->size > 0 ? settings->size : made->model->size;
    find_active(made);
    result = limberi_prepare_gains(made, error);
    if (!result)
        result = prepare_cone(made, error);
    if (!result && made->active && take_memory(made, other))
        result = limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the effects");
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
    limberi_arena_free(&deformer->weld_arena);
    limberi_arena_free(&deformer->arena);
    free(deformer);
}

bool limber_deformer_cone(const limber_deformer* deformer, limber_cone* cone, float* residual) {
    if (!deformer->slot_active[LIMBER_EFFECT_LIFT] ||
        deformer->settings.effects[LIMBER_EFFECT_LIFT].normals == LIMBER_LIFT_MESH)
        return false;
    *cone = deformer->cone;
    *residual = deformer->cone_residual;
    return true;
}
