// Slots number all effects of a deformer: the built-in ones as in limber_effect, then a program's own. Numbers of an
// effect have places, too.
#ifndef LIMBERI_DEFORM_SLOTS_H
#define LIMBERI_DEFORM_SLOTS_H

#include <limber/stages/deform.h>

enum { LIMBERI_SLOTS = LIMBER_EFFECT_COUNT + LIMBER_CUSTOM_EFFECTS };
_Static_assert(LIMBERI_SLOTS <= LIMBER_EFFECT_LIMIT, "limber_deform_job.motion has room for all slots");

// Numbers of an effect that may be formulas, in the order of limberi_block_values: its gains, then its own. Those that a
// kernel needs have a fixed place, the same in all effects with that kernel.
enum {
    LIMBERI_VALUE_LINEAR,
    LIMBERI_VALUE_ANGULAR,
    LIMBERI_VALUE_OWN,
    LIMBERI_VALUE_MAX_BEND = LIMBERI_VALUE_OWN, // of effects that bend
    LIMBERI_VALUE_TWIST,
    LIMBERI_VALUE_BEND,
    LIMBERI_VALUE_TURN, // of those with a gate
    LIMBERI_VALUE_GATE_LIMIT,
    LIMBERI_VALUE_GATE,                           // limber_gate_type; no formula
    LIMBERI_VALUE_DECOMPOSE,                      // of effects that bend: limber_decompose; no formula
    LIMBERI_VALUE_MAX_SQUASH = LIMBERI_VALUE_OWN, // of LIMBERI_SHAPE_SQUASH
    LIMBERI_VALUE_FADE,
    LIMBERI_VALUE_ABOUT,                       // limber_about; no formula
    LIMBERI_VALUE_DRIVEN_BY,                   // of effects that join a follower: limber_driven_by; no formula
    LIMBERI_VALUE_PROFILE = LIMBERI_VALUE_OWN, // of LIMBERI_SHAPE_SPIN: limber_profile; no formula
    LIMBERI_VALUES = LIMBERI_VALUE_OWN + (int)LIMBER_EFFECT_VALUES
};

// Number LIMBERI_VALUE_...
static inline limber_number limberi_number_of(const limber_effect_settings* settings, uint32_t number) {
    if (number == LIMBERI_VALUE_LINEAR)
        return settings->linear;
    return number == LIMBERI_VALUE_ANGULAR ? settings->angular : settings->values[number - LIMBERI_VALUE_OWN];
}

// The same for the vertices of a block.
static inline const float* limberi_values_of(const limber_effect_block* block, uint32_t number) {
    return block->values[number - LIMBERI_VALUE_OWN];
}

static inline uint32_t limberi_slot_count(const limber_deform_settings* settings) {
    return LIMBER_EFFECT_COUNT + settings->custom_count;
}

static inline const limber_effect_settings* limberi_slot_settings(const limber_deform_settings* settings,
                                                                  uint32_t slot) {
    return slot < LIMBER_EFFECT_COUNT ? &settings->effects[slot]
                                      : &settings->custom[slot - LIMBER_EFFECT_COUNT].settings;
}

#endif
