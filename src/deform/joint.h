// A joint as effects see it.
#ifndef LIMBERI_DEFORM_JOINT_H
#define LIMBERI_DEFORM_JOINT_H

#include "deform/deformer.h"
#include "deform/effects/formulas.h"

// Position and centroid, then its axes, and how it moves.
void limberi_fill_place(const limber_deformer* deformer, const limber_deform_job* job, uint32_t joint,
                        limber_effect_block* out);
void limberi_fill_axes(const limber_deformer* deformer, const limber_deform_job* job, limber_effect_block* out);
// Whether the settings give the joint an axis. It passes through the joint, and not through the centroid.
bool limberi_has_medial_axis(const limber_deformer* deformer, uint32_t joint);
void limberi_fill_motion(const limber_kinematics* motion, uint32_t joint, limber_effect_block* out);
// LIMBERI_VELOCITY ...: the quantities that are not zero.
static inline uint32_t limberi_moving_quantities(const limber_effect_block* at) {
    return (limberi_is_still(at->velocity) ? 0u : LIMBERI_VELOCITY) |
           (limberi_is_still(at->angular_velocity) ? 0u : LIMBERI_ANGULAR_VELOCITY) |
           (limberi_is_still(at->acceleration) ? 0u : LIMBERI_ACCELERATION) |
           (limberi_is_still(at->angular_acceleration) ? 0u : LIMBERI_ANGULAR_ACCELERATION);
}

#endif
