// Slots number all effects of a deformer: the built-in ones as in limber_effect, then a program's own.
#ifndef LIMBERI_DEFORM_SLOTS_H
#define LIMBERI_DEFORM_SLOTS_H

#include <limber/stages/deform.h>

enum { LIMBERI_SLOTS = LIMBER_EFFECT_COUNT + LIMBER_CUSTOM_EFFECTS };

static inline uint32_t limberi_slot_count(const limber_deform_settings* settings) {
    return LIMBER_EFFECT_COUNT + settings->custom_count;
}

static inline const limber_effect_settings* limberi_slot_settings(const limber_deform_settings* settings,
                                                                  uint32_t slot) {
    return slot < LIMBER_EFFECT_COUNT ? &settings->effects[slot]
                                      : &settings->custom[slot - LIMBER_EFFECT_COUNT].settings;
}

#endif
