// What the filters of an effect run on: the whole motion, the share of the accelerations that its gate lets through,
// or springs that follow the joints. Two effects with opposite gates may add up to the whole acceleration.
#include "base/build.h"
#include "deform/effects/effect.h"
#include "deform/stage.h"
#include "text/text.h"

#include <string.h>

static bool is_active(const limber_effect_settings* s) {
    return limberi_is_on(s->linear) || limberi_is_on(s->angular);
}

// The effect whose springs the joints of the effect are followed by: itself, or one that it joins; LIMBERI_SLOTS: none.
static uint32_t follower_slot(const limber_deform_settings* settings, uint32_t slot) {
    uint32_t found = LIMBERI_SLOTS;
    const limberi_effect* effect = limberi_slot_effect(slot);
    const limber_filter_set* filters = &limberi_slot_settings(settings, slot)->filters;
    bool joins = limberi_effect_joins(effect, limberi_slot_settings(settings, slot)) && !filters->velocity.type &&
                 !filters->angular_velocity.type;
    if (!effect->has_follower && !joins)
        return slot;
    for (uint32_t k = 0; k < LIMBER_EFFECT_COUNT; k++)
        if (limberi_effects[k]->has_follower && (joins || k == slot) && is_active(&settings->effects[k]))
            found = k;
    return found;
}

static void add_formula(limberi_filters* filters, size_t number, double scale, const limber_expression* expression) {
    if (filters->formula_count < LIMBERI_FILTER_NUMBERS)
        filters->formulas[filters->formula_count++] = (limberi_filter_formula){number, scale, expression};
}

static bool is_of_follower(size_t number) {
    return number >= offsetof(limber_filter_set, follower) &&
           number < offsetof(limber_filter_set, follower) + sizeof(limber_follower);
}

// The numbers of the filters are the effect's own, those of the springs may be another's.
static void add_formulas(const limber_deform_settings* settings, uint32_t slot, uint32_t follower,
                         limberi_filters* filters) {
    for (uint32_t i = 0; LIMBERI_HAS_FORMULAS && i < settings->filter_formula_count; i++) {
        const limber_filter_formula* f = &settings->filter_formulas[i];
        if ((uint32_t)f->effect == (is_of_follower(f->number) ? follower : slot))
            add_formula(filters, f->number, 1, f->expression);
    }
}

static void set_number(limberi_filters* filters, size_t number, limber_number n, double scale) {
    double value = scale * (double)n.value;
    memcpy((char*)&filters->set + number, &value, sizeof value);
    if (LIMBERI_HAS_FORMULAS && n.expression)
        add_formula(filters, number, scale, n.expression);
}

// Without a filter the gate is per vertex (effects/acceleration.h).
static void set_gate(const limber_effect_settings* s, float size, limberi_filters* filters) {
    double square = (double)size * (double)size;
    if (!s->filters.acceleration.type && !s->filters.angular_acceleration.type)
        return;
    if (limberi_number_of(s, LIMBERI_VALUE_GATE).value != LIMBER_GATE_PRODUCT) {
        set_number(filters, offsetof(limber_filter_set, turn_s), limberi_number_of(s, LIMBERI_VALUE_TURN), 1);
        return;
    }
    limber_number limit = limberi_number_of(s, LIMBERI_VALUE_GATE_LIMIT);
    set_number(filters, offsetof(limber_filter_set, gate_limit[LIMBERI_LINEAR]), limit, square);
    set_number(filters, offsetof(limber_filter_set, gate_limit[LIMBERI_ANGULAR]), limit, 1);
}

limberi_filters limberi_slot_filters(const limber_deform_settings* settings, uint32_t slot, float size) {
    static const limber_follower none = {0, 0, 0, 0, 0};
    const limber_effect_settings* s = limberi_slot_settings(settings, slot);
    const limberi_effect* effect = limberi_slot_effect(slot);
    uint32_t follower = follower_slot(settings, slot);
    limberi_filters filters = {s->filters, 0, {{0, 0, NULL}}};
    filters.set.follower = none;
    if (follower < LIMBERI_SLOTS)
        filters.set.follower = limberi_slot_settings(settings, follower)->filters.follower;
    filters.set.gate = effect->gate;
    if (effect->derivative && is_active(s))
        filters.set.derivative = effect->derivative(s);
    filters.set.air = effect->air & settings->air;
    add_formulas(settings, slot, follower, &filters);
    if (effect->gate != LIMBER_GATE_NONE)
        set_gate(s, size, &filters);
    return filters;
}

static bool same_number(limber_number a, limber_number b) {
    if (a.expression && b.expression)
        return strcmp(limber_expression_text(a.expression), limber_expression_text(b.expression)) == 0;
    return a.expression == b.expression && a.value == b.value;
}

static bool same_filter(const limber_filter* a, const limber_filter* b) {
    return a->type == b->type && a->gamma == b->gamma && a->frequency_hz == b->frequency_hz && a->damping == b->damping;
}

static bool same_settings(const limber_effect_settings* a, const limber_effect_settings* b) {
    for (uint32_t value = 0; value < LIMBERI_VALUES; value++)
        if (!same_number(limberi_number_of(a, value), limberi_number_of(b, value)))
            return false;
    return limberi_same_text(a->layer, b->layer) && same_filter(&a->filters.acceleration, &b->filters.acceleration) &&
           same_filter(&a->filters.angular_acceleration, &b->filters.angular_acceleration);
}

static bool same_gains(const limber_joint_gain* a, const limber_joint_gain* b, uint32_t count) {
    for (uint32_t j = 0; a != b && j < count; j++) {
        limber_joint_gain x = a ? a[j] : (limber_joint_gain){1, 1};
        limber_joint_gain y = b ? b[j] : (limber_joint_gain){1, 1};
        if (x.linear != y.linear || x.angular != y.angular)
            return false;
    }
    return true;
}

// Without a filter the shares are taken per vertex, and add up by themselves.
static bool is_filtered(const limber_effect_settings* s) {
    return is_active(s) && (!limberi_is_on(s->linear) || s->filters.acceleration.type) &&
           (!limberi_is_on(s->angular) || s->filters.angular_acceleration.type);
}

static bool has_formulas(const limber_deform_settings* settings, uint32_t pair) {
    for (uint32_t i = 0; i < settings->filter_formula_count; i++)
        if (pair >> settings->filter_formulas[i].effect & 1)
            return true;
    for (uint32_t i = 0; i < settings->gain_formula_count; i++)
        if (pair >> settings->gain_formulas[i].effect & 1)
            return true;
    return false;
}

// Another effect may read one of them alone.
static bool is_read_alone(const limber_deform_settings* settings, uint32_t pair) {
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++) {
        const limberi_effect* effect = limberi_effects[slot];
        uint32_t read = effect->sources ? effect->sources(&settings->effects[slot]) & pair : 0;
        if (read && read != pair)
            return true;
    }
    return false;
}

uint32_t limberi_slots_that_add_up(const limber_deform_settings* settings, uint32_t joint_count) {
    uint32_t starting = LIMBERI_SLOTS;
    uint32_t stopping = LIMBERI_SLOTS;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++) {
        limber_gate gate = limberi_effects[slot]->gate;
        starting = gate == LIMBER_GATE_STARTING ? slot : starting;
        stopping = gate == LIMBER_GATE_STOPPING ? slot : stopping;
    }
    if (starting == LIMBERI_SLOTS || stopping == LIMBERI_SLOTS)
        return 0;
    uint32_t pair = 1u << starting | 1u << stopping;
    const limber_effect_settings* a = &settings->effects[starting];
    const limber_effect_settings* b = &settings->effects[stopping];
    bool whole = is_filtered(a) && same_settings(a, b) && !has_formulas(settings, pair) &&
                 !is_read_alone(settings, pair) &&
                 same_gains(settings->joint_gains[starting], settings->joint_gains[stopping], joint_count) &&
                 settings->mesh_gains[starting] == settings->mesh_gains[stopping]; // equal ones are one array
    return whole ? pair : 0;
}
