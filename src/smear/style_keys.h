// Style keys of smears.
#ifndef LIMBERI_SMEAR_STYLE_KEYS_H
#define LIMBERI_SMEAR_STYLE_KEYS_H

#include "keys/bind.h"
#include <limber/stages/smear.h>

// Keys that have a value of their own kind.
enum {
    LIMBERI_SMEAR_JOINT = 1,
    LIMBERI_SMEAR_PRUNE,
    LIMBERI_SMEAR_SPACE,
    LIMBERI_SMEAR_AMOUNT,  // a word stands for a formula
    LIMBERI_SMEAR_OPACITY, // of multiples: a word selects SMEAR, eq. 12
    LIMBERI_SMEAR_LENGTH,  // of lines
    LIMBERI_SMEAR_COLOR,   // of lines
    LIMBERI_SMEAR_CHANGE   // a number or a formula of time
};

// All of limber_smear_settings.
extern const limberi_keys limberi_smear_keys, limberi_drawn_keys, limberi_smear_mesh_keys, limberi_smear_gain_keys,
    limberi_spin_keys;

limber_result limberi_bind_smear_value(limberi_binder* binder, const limberi_entry* entry, void* settings);
// What is known once all keys are: of joints and of meshes.
limber_result limberi_bind_smear_names(limberi_binder* binder, limber_smear_settings* settings);

#endif
