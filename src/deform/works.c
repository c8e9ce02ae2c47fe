// Decided when a deformer is made: which kernels run with whose numbers, and which palettes there are.
#include "deform/deformer.h"

#include <string.h>

static bool layer_exists(const limber_deformer* d, const char* layer) {
    for (uint32_t m = 0; layer && m < d->model->mesh_count; m++)
        if (limber_mesh_layer(&d->model->meshes[m], layer))
            return true;
    return false;
}

static void make_plan(limber_deformer* d, uint32_t slot) {
    const limber_effect_settings* s = limberi_slot_settings(&d->settings, slot);
    const limberi_effect* effect = limberi_slot_effect(slot);
    limberi_slot_plan* plan = &d->plans[slot];
    bool mixed = false;
    for (uint32_t value = LIMBERI_VALUE_TWIST; effect->bends && value < LIMBERI_VALUES; value++)
        mixed = mixed || limberi_number_varies(limberi_number_of(s, value));
    plan->numbers = limberi_effect_numbers(effect);
    plan->layered = layer_exists(d, s->layer);
    plan->formula[LIMBERI_LINEAR] = limberi_number_varies(s->linear);
    plan->formula[LIMBERI_ANGULAR] = limberi_number_varies(s->angular);
    for (int part = 0; part < 2; part++)
        plan->gain_varies[part] = plan->layered || plan->formula[part];
    for (uint32_t value = 0; value < LIMBERI_VALUES; value++) {
        limber_number number = limberi_number_of(s, value);
        bool differs = limberi_number_varies(number);
        plan->varies = plan->varies || differs;
        plan->constants_change = plan->constants_change || (number.expression && !differs);
    }
    // The kernels take one turning time and one mixture of twist and bend per joint.
    plan->scalar = !effect->plan || mixed || (effect->needs_scalar && effect->needs_scalar(s));
}

// --- palettes ---

static bool same_layer(const limber_deformer* d, uint32_t a, uint32_t b) {
    const char *x = d->settings.effects[a].layer, *y = d->settings.effects[b].layer;
    return x && y && strcmp(x, y) == 0;
}

// Effects that the same layer scales share a palette.
static void choose_fold(limber_deformer* d, uint32_t slot) {
    uint32_t part = limberi_effects[slot]->affine_part;
    limberi_slot_plan* plan = &d->plans[slot];
    if (part == LIMBERI_NO_PART || !plan->gain_varies[part])
        return; // LIMBERI_FOLD_CONSTANT
    plan->fold = LIMBERI_FOLD_SLOT + slot;
    for (uint32_t k = 0; k < slot && plan->fold == LIMBERI_FOLD_SLOT + slot && !plan->formula[part]; k++) {
        uint32_t other = limberi_effects[k]->affine_part;
        if (other != LIMBERI_NO_PART && limberi_slot_is_on(d, k) && !d->plans[k].formula[other] &&
            same_layer(d, slot, k))
            plan->fold = d->plans[k].fold;
    }
}

static bool fold_is_used(const limber_deformer* d, uint32_t fold) {
    if (fold == LIMBERI_FOLD_CONSTANT)
        return true;
    if (fold == LIMBERI_FOLD_VELOCITY)
        return d->names_used >> LIMBER_VARIABLE_SPEED & 1;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++)
        if (limberi_slot_is_on(d, slot) && d->plans[slot].fold == fold)
            return true;
    return false;
}

// --- works ---

// Whether bends of the two run with the same numbers per vertex, so that one list does.
static bool run_alike(const limber_deformer* d, uint32_t a, uint32_t b) {
    limber_number x = limberi_number_of(&d->settings.effects[a], LIMBERI_VALUE_MAX_BEND),
                  y = limberi_number_of(&d->settings.effects[b], LIMBERI_VALUE_MAX_BEND);
    const limberi_slot_plan *p = &d->plans[a], *q = &d->plans[b];
    bool formula = p->formula[LIMBERI_ANGULAR] || q->formula[LIMBERI_ANGULAR] || x.expression || y.expression;
    bool same = (!p->layered && !q->layered) || same_layer(d, a, b);
    return limberi_effects[a]->driven_by == limberi_effects[b]->driven_by && !formula && same && x.value == y.value;
}

static uint32_t add_work(limber_deformer* d, limberi_shape shape, int32_t bend_slot, int32_t slot, uint32_t part) {
    limberi_work work = {shape, bend_slot, slot, part, d->work_count};
    bool turns = shape == LIMBERI_SHAPE_BEND || shape == LIMBERI_SHAPE_SQUASH;
    for (uint32_t w = 0; shape == LIMBERI_SHAPE_BEND && w < d->work_count && work.list == d->work_count; w++)
        if (d->works[w].shape == LIMBERI_SHAPE_BEND && run_alike(d, (uint32_t)d->works[w].bend_slot, (uint32_t)slot))
            work.list = d->works[w].list;
    d->turn_works |= turns ? 1u << d->work_count : 0;
    d->works[d->work_count] = work;
    return d->work_count++;
}

// The part whose gain scales a row of the shape.
static uint32_t part_of(uint32_t shape) {
    return shape == LIMBERI_SHAPE_TRAVEL ? LIMBERI_LINEAR : LIMBERI_ANGULAR;
}

// Whether the effect's plan may ask for the shape.
static bool may_need(const limber_deformer* d, uint32_t slot, uint32_t shape) {
    uint32_t part = part_of(shape);
    limber_number gain = limberi_number_of(&d->settings.effects[slot], part);
    if (shape == LIMBERI_SHAPE_FOLLOW) // both parts
        return limberi_slot_is_on(d, slot) && (limberi_effects[slot]->shapes >> shape & 1);
    return limberi_slot_is_on(d, slot) && !d->plans[slot].scalar && (limberi_effects[slot]->shapes >> shape & 1) &&
           (gain.expression || gain.value != 0) && !limberi_part_is_folded(d, slot, part);
}

static void add_own_work(limber_deformer* d, uint32_t slot, limberi_shape shape) {
    int32_t bend_slot = shape == LIMBERI_SHAPE_BEND ? (int32_t)slot : -1;
    if (may_need(d, slot, shape))
        d->work_of[slot][shape] = (uint8_t)add_work(d, shape, bend_slot, (int32_t)slot, part_of(shape));
}

// A bend and a squash that may run as one come first.
static void add_together(limber_deformer* d) {
    int32_t bend = -1, squash = -1;
    for (int32_t slot = LIMBER_EFFECT_COUNT - 1; slot >= 0; slot--) {
        if (may_need(d, (uint32_t)slot, LIMBERI_SHAPE_BEND) &&
            (limberi_effects[slot]->driven_by & LIMBERI_ANGULAR_VELOCITY))
            bend = slot;
        if (may_need(d, (uint32_t)slot, LIMBERI_SHAPE_SQUASH))
            squash = slot;
    }
    if (bend >= 0 && squash >= 0)
        d->together = add_work(d, LIMBERI_SHAPE_SQUASH, bend, squash, LIMBERI_ANGULAR);
}

// Everything that turns, effect by effect, then the other shapes.
static void list_works(limber_deformer* d) {
    add_together(d);
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++) {
        add_own_work(d, slot, LIMBERI_SHAPE_BEND);
        add_own_work(d, slot, LIMBERI_SHAPE_SQUASH);
    }
    for (uint32_t shape = LIMBERI_SHAPE_TRAVEL; shape < LIMBERI_SHAPE_COUNT; shape++)
        for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++)
            add_own_work(d, slot, (limberi_shape)shape);
}

// One effect that squashes (without a bend) and travels runs along with the joints that are followed.
static bool runs_along(const limberi_work* work) {
    return (work->shape == LIMBERI_SHAPE_SQUASH && work->bend_slot < 0) || work->shape == LIMBERI_SHAPE_TRAVEL;
}

static void find_link_works(limber_deformer* d) {
    d->squash_slot = -1;
    bool follows = false;
    for (uint32_t w = 0; w < d->work_count; w++) {
        const limberi_work* work = &d->works[w];
        bool follow = work->shape == LIMBERI_SHAPE_FOLLOW;
        if (follow ? follows : !runs_along(work) || (d->squash_slot >= 0 && d->squash_slot != work->slot))
            continue;
        d->link_works |= 1u << w;
        if (follow)
            d->follow_slot = (uint32_t)work->slot;
        else
            d->squash_slot = work->slot;
        follows = follows || follow;
    }
    if (!follows)
        d->link_works = 0;
}

limber_result limberi_prepare_works(limber_deformer* d) {
    limberi_deform_frame* f = &d->frame;
    uint32_t joints = d->model->rig.joint_count;
    for (uint32_t slot = 0; slot < limberi_slot_count(&d->settings); slot++)
        make_plan(d, slot);
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++)
        choose_fold(d, slot);
    list_works(d);
    find_link_works(d);
    f->joints = LIMBERI_ALLOCATE(&d->arena, limberi_joint_work, joints);
    f->rows = LIMBERI_ALLOCATE(&d->arena, limberi_joint_row, (size_t)joints * d->work_count);
    f->acting = LIMBERI_ALLOCATE(&d->arena, int32_t, joints);
    f->folded = LIMBERI_ALLOCATE(&d->arena, uint16_t, joints);
    f->constants = LIMBERI_ALLOCATE(&d->arena, limberi_block_values, limberi_slot_count(&d->settings));
    for (uint32_t fold = 0; fold < LIMBERI_FOLD_COUNT; fold++)
        if (fold_is_used(d, fold))
            f->palettes[fold] = LIMBERI_ALLOCATE(&d->arena, float, 12 * (size_t)joints);
    d->variant = limberi_variant_best();
    return d->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}
