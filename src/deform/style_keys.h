// Style keys of the deform stage; those of single effects stand with the effects.
#ifndef LIMBERI_DEFORM_STYLE_KEYS_H
#define LIMBERI_DEFORM_STYLE_KEYS_H

#include "keys/bind.h"
#include <limber/stages/deform.h>

// Quantities a filter may be for.
typedef enum limberi_quantity {
    LIMBERI_QUANTITY_ALL,
    LIMBERI_QUANTITY_VELOCITY,
    LIMBERI_QUANTITY_ACCELERATION,
    LIMBERI_QUANTITY_ANGULAR_VELOCITY,
    LIMBERI_QUANTITY_ANGULAR_ACCELERATION,
    LIMBERI_QUANTITY_COUNT
} limberi_quantity;

// What keys of joints are about, besides gains.
enum { LIMBERI_JOINT_OFFSET = 1, LIMBERI_JOINT_AXIS, LIMBERI_JOINT_ABOUT };

// All of limber_deform_settings.
extern const limberi_keys limberi_size_keys, limberi_deform_keys, limberi_filter_keys, limberi_mesh_gain_keys,
    limberi_joint_gain_keys, limberi_joint_keys;

bool limberi_row_is_filter(const limberi_row* row);
// Bit i: effect i has this key.
uint32_t limberi_row_effects(const limberi_row* row);

// What is known once all keys are: filters, layers, cones, and then what joints and meshes say.
limber_result limberi_bind_effects(limberi_binder* binder, limber_deform_settings* settings);
limber_result limberi_bind_effect_names(limberi_binder* binder, limber_deform_settings* settings);

extern const limberi_keys limberi_root_keys; // of limber_deform_settings

#endif
