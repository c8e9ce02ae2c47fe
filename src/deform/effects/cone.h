// The cone that lift takes its normals from.
#ifndef LIMBERI_DEFORM_CONE_H
#define LIMBERI_DEFORM_CONE_H

#include "deform/slots.h"
#include "keys/bind.h"
#include <limber/stages/deform.h>

// Fits a cone to the vertices of a joint (those with at least half of their weight on it), in joint space. *residual is
// the root mean square distance of these vertices from it, in L.
LIMBER_MUST_USE limber_result limberi_cone_fit(const limber_model* model, uint32_t joint, limber_cone* cone,
                                               float* residual, limber_error* error);

// Several cones (cones.c): fits those of the settings, and finds which vertices belong to which.
LIMBER_MUST_USE limber_result limberi_cones_prepare(limber_deformer* deformer, const limber_lift_cones* settings,
                                                    limber_error* error);
// Where they stand in this frame.
void limberi_cones_place(limber_deformer* deformer, const limber_pose* pose);

// --- style keys ---

// Places of the numbers of lift.
enum { LIMBERI_LIFT_SOURCE = LIMBERI_VALUE_OWN, LIMBERI_LIFT_MODE, LIMBERI_LIFT_NORMALS, LIMBERI_LIFT_FALLOFF };

typedef enum limberi_cone_key {
    LIMBERI_CONE_JOINT,
    LIMBERI_CONE_JOINTS,
    LIMBERI_CONE_FIT,
    LIMBERI_CONE_APEX,
    LIMBERI_CONE_AXIS,
    LIMBERI_CONE_HALF_ANGLE,
    LIMBERI_CONE_BASE_RADIUS,
    LIMBERI_CONE_KEY_COUNT
} limberi_cone_key;

// What is known once all keys of lift are.
limber_result limberi_bind_cone(limberi_binder* binder, limber_deform_settings* settings);

#endif
