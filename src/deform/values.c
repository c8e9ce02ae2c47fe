// The numbers of a frame: of effects at a block of vertices (constants, formulas, layers), gains of single joints that
// are formulas, and the strength of the style.
#include "base/build.h"
#include "base/error.h"
#include "base/math.h"
#include "deform/deformer.h"

#include <string.h>

// --- effects ---

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
    return LIMBERI_HAS_FORMULAS && n.expression && !limber_expression_is_uniform(n.expression);
}

static const float degrees = (float)(LIMBERI_PI / 180);

void limberi_evaluate_values(const limberi_mesh_names* names, const limber_mesh* mesh, limberi_numbers numbers,
                             const limber_effect_settings* s, const limber_deform_job* job, uint32_t first,
                             uint32_t count, const float* speed, limberi_block_values* out) {
    for (uint32_t n = 0; n < numbers.count; n++) {
        limber_number number = limberi_number_of(s, n);
        if (LIMBERI_HAS_FORMULAS && number.expression) {
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
    const limber_layer* layer = s->layer ? limber_mesh_find_layer(mesh, s->layer) : NULL;
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

// --- joints, and all of it: once a frame ---

// Constants of a style end here too; beyond it, products with the gains of the effects would overflow.
static const float largest_gain = 1e6f;

static limber_result check_formula(const limber_deformer* d, const limber_gain_formula* f, limber_error* error) {
    if ((uint32_t)f->effect >= LIMBER_EFFECT_COUNT || f->joint >= d->model->rig.joint_count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "a formula is for joint %u of effect %u, which is not there",
                            f->joint, (uint32_t)f->effect);
    if (!f->expression || !limber_expression_is_uniform(f->expression))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the gain of joint %u needs a formula of t, frame and phase",
                            f->joint);
    return LIMBER_OK;
}

// The caller's gains stay as they are: others may be reading them.
static void own_gains(limber_deformer* d, limber_effect effect) {
    const limber_joint_gain* given = d->settings.joint_gains[effect];
    uint32_t count = d->model->rig.joint_count;
    if (d->own_gains[effect])
        return;
    limber_joint_gain* gains = LIMBERI_ALLOCATE(&d->arena, limber_joint_gain, count);
    for (uint32_t j = 0; gains && j < count; j++) {
        gains[j].linear = given ? given[j].linear : 1;
        gains[j].angular = given ? given[j].angular : 1;
    }
    d->own_gains[effect] = gains;
    d->settings.joint_gains[effect] = gains;
}

limber_result limberi_prepare_gains(limber_deformer* d, limber_error* error) {
    uint32_t count = d->settings.gain_formula_count;
    if (!count)
        return LIMBER_OK;
    for (uint32_t i = 0; i < count; i++) {
        limber_result result = check_formula(d, &d->settings.gain_formulas[i], error);
        if (result)
            return result;
    }
    for (uint32_t i = 0; i < count; i++)
        own_gains(d, d->settings.gain_formulas[i].effect);
    d->settings.gain_formulas = LIMBERI_COPY(&d->arena, limber_gain_formula, d->settings.gain_formulas, count);
    return d->arena.failed ? limberi_fail_memory(error) : LIMBER_OK;
}

float limberi_deform_strength(const limber_deformer* d, const limber_deform_job* job) {
    limber_number strength = d->settings.strength;
    if (!LIMBERI_HAS_FORMULAS || !strength.expression)
        return strength.value;
    limber_expression_inputs in = limber_expression_inputs_default();
    in.frame[LIMBER_VARIABLE_T] = (float)job->time_s;
    in.frame[LIMBER_VARIABLE_FRAME] = (float)job->frame;
    in.frame[LIMBER_VARIABLE_PHASE] = (float)job->phase;
    float value = limber_expression_evaluate_uniform(strength.expression, &in);
    return limberi_clamp(value, 0, 2);
}

void limberi_evaluate_gains(limber_deformer* d, const limber_deform_job* job) {
    d->frame.strength = limberi_deform_strength(d, job);
    if (!LIMBERI_HAS_FORMULAS)
        return;
    limber_expression_inputs in = limber_expression_inputs_default();
    in.frame[LIMBER_VARIABLE_T] = (float)job->time_s;
    in.frame[LIMBER_VARIABLE_FRAME] = (float)job->frame;
    in.frame[LIMBER_VARIABLE_PHASE] = (float)job->phase;
    const limber_expression* last = NULL; // one formula usually stands for many joints, next to each other
    float value = 1;
    for (uint32_t i = 0; i < d->settings.gain_formula_count; i++) {
        const limber_gain_formula* f = &d->settings.gain_formulas[i];
        if (f->expression != last)
            value = limber_expression_evaluate_uniform(f->expression, &in);
        last = f->expression;
        value = value > largest_gain ? largest_gain : value;
        value = value < -largest_gain ? -largest_gain : value;
        float scaled = d->own_layers[f->effect].in_joints ? value * d->own_layers[f->effect].scale : value;
        limber_joint_gain* gain = &d->own_gains[f->effect][f->joint];
        if (f->linear)
            gain->linear = scaled;
        if (f->angular)
            gain->angular = scaled;
    }
}
