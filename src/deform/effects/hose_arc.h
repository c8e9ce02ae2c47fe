// A limb in one frame: its bones as they are, and the arc of a circle that it is bent along.
#ifndef LIMBERI_DEFORM_HOSE_ARC_H
#define LIMBERI_DEFORM_HOSE_ARC_H

#include "base/math.h"
#include "deform/effects/hose_limbs.h"

// Coordinates of a straightened limb: x along it, y across it on the side of the knee, z out of the plane of the bend.
typedef struct limberi_hose_bone_place {
    limber_vec3 rows[3]; // from the world, relative to the root, to the straightened limb: a rotation ...
    limber_vec3 offset;  // ... and a shift
} limberi_hose_bone_place;

// An arc that has the length of the bones and ends where they do. Angles are to the chord, in the plane of the bend.
typedef struct limberi_hose_arc {
    float share;                    // how much of the way to the arc the limb goes; 0: it stays as it is
    limber_vec3 root;               // world space
    limber_vec3 chord, side, plane; // axes
    float length;
    float half_angle; // of the arc at its ends
    float turn[2];    // of the first and the last bone, ...
    float tilt[2];    // ... and how far they leave the plane
    limberi_hose_bone_place bones[LIMBERI_HOSE_BONES];
} limberi_hose_arc;

// The half angle x with sin x / x = 1 - missing: how far an arc must bend so that its ends come that much closer.
double limberi_hose_half_angle(double missing);

// `joints`: [bone_count + 1], world space.
limberi_hose_arc limberi_hose_arc_of(const limber_vec3* joints, uint32_t bone_count);

// A vector of the world along the straightened limb.
static inline limber_vec3 limberi_hose_to_limb(const limberi_hose_bone_place* bone, limber_vec3 v) {
    const limber_vec3* rows = bone->rows;
    return limberi_vec3(limberi_dot(rows[0], v), limberi_dot(rows[1], v), limberi_dot(rows[2], v));
}

// Where a point of the straightened limb comes to lie, relative to the root. The three small vectors of `carried`, in
// the same coordinates, are bent with the limb there. NULL: none.
limber_vec3 limberi_hose_bend(const limberi_hose_arc* arc, limber_vec3 straight, limber_vec3* carried);

#endif
