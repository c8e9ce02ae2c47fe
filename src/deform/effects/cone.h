// The cone that lift takes its normals from.
#ifndef LIMBERI_DEFORM_CONE_H
#define LIMBERI_DEFORM_CONE_H

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

#endif
