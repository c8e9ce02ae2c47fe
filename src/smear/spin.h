// Spin that goes into the texture (SMEAR, section 6 and figure 19): a surface of revolution that turns about its axis
// looks the same when it stands still and its texture runs around it.
#ifndef LIMBERI_SMEAR_SPIN_H
#define LIMBERI_SMEAR_SPIN_H

#include "base/memory.h"
#include <limber/asset.h>

// A joint that spins, and the meshes that hang on it alone.
typedef struct limberi_spin {
    uint32_t joint;
    double axis[3];  // unit vector, in the frame that the joint's rotation turns
    double rest_rad; // about the axis, in the rest pose
} limberi_spin;

typedef struct limberi_spins {
    uint32_t count;
    limberi_spin* list;
    int32_t* of_mesh; // [mesh] index in `list`, -1: its texture stays
    int32_t* widths;  // [mesh] textures side by side around the axis; negative: u falls
} limberi_spins;

// Fails when nothing that spins can do so in its texture; the error says why.
LIMBER_MUST_USE limber_result limberi_spins_find(limberi_arena* arena, const limber_model* model, limberi_spins* spins,
                                                 limber_error* error);

// How far the joint is turned about the axis against the rest pose, -pi ... pi.
double limberi_spin_angle(const limber_model* model, const limber_clip* clip, const limberi_spin* spin, double time_s);

// The clip with joints that do not spin any more. What did not change is shared with the old one.
LIMBER_MUST_USE limber_result limberi_spins_stop(limberi_arena* arena, const limber_model* model,
                                                 const limberi_spins* spins, limber_clip* clip);

// spin_surface.c: whether a mesh looks the same turned about an axis through the origin once its texture is shifted
// along u. `points`: its vertices, 3 each. NULL, and how many textures there are around the axis; or what is wrong.
const char* limberi_spin_refuses(const limber_model* model, const limber_mesh* mesh, const float* points,
                                 const double* axis, int32_t* widths);

#endif
