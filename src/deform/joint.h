// A joint as effects see it.
#ifndef LIMBERI_DEFORM_JOINT_H
#define LIMBERI_DEFORM_JOINT_H

#include "base/lanes.h"
#include "deform/deformer.h"
#include "deform/effects/formulas.h"

// Position and centroid, then its axes, and how it moves.
void limberi_fill_place(const limber_deformer* deformer, const limber_deform_job* job, uint32_t joint,
                        limber_effect_block* out);
void limberi_fill_axes(const limber_deformer* deformer, const limber_deform_job* job, limber_effect_block* out);
// Whether the settings give the joint an axis. It passes through the joint, and not through the centroid.
bool limberi_has_medial_axis(const limber_deformer* deformer, uint32_t joint);
LIMBERI_INLINED void limberi_fill_motion(const limber_kinematics* k, uint32_t j, limber_effect_block* out) {
    out->velocity = k->velocity[j];
    out->acceleration = k->acceleration[j];
    out->angular_velocity = k->angular_velocity[j];
    out->angular_acceleration = k->angular_acceleration[j];
}
// LIMBERI_VELOCITY ...: the quantities that are not zero.
LIMBERI_INLINED uint32_t limberi_moving_quantities(const limber_effect_block* at) {
    return (limberi_is_still(at->velocity) ? 0u : LIMBERI_VELOCITY) |
           (limberi_is_still(at->angular_velocity) ? 0u : LIMBERI_ANGULAR_VELOCITY) |
           (limberi_is_still(at->acceleration) ? 0u : LIMBERI_ACCELERATION) |
           (limberi_is_still(at->angular_acceleration) ? 0u : LIMBERI_ANGULAR_ACCELERATION);
}

#endif
