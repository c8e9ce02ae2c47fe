// What bends like a hose: the limbs of a character, and one of them in a frame.
#ifndef LIMBERI_DEFORM_HOSE_H
#define LIMBERI_DEFORM_HOSE_H

#include "base/math.h"
#include "base/memory.h"
#include <limber/asset.h>

// --- limbs that can be hoses: chains of a few long bones that end in a hand or foot ---

enum { LIMBERI_HOSE_BONES = 4 }; // max; what has more is a tail or a tentacle, which is a hose already

typedef struct limberi_hose_limb {
    uint32_t bone_count;
    uint32_t joints[LIMBERI_HOSE_BONES + 1]; // where its bones start, then where the last one ends
} limberi_hose_limb;

typedef struct limberi_hose_bone {
    int32_t limb; // -1: none
    uint32_t bone;
} limberi_hose_bone;

typedef struct limberi_hose_limbs {
    uint32_t count;
    limberi_hose_limb* limbs;
    limberi_hose_bone* of_joint; // [joint]: the bone that carries it; joints from the end on have none
} limberi_hose_limbs;

// False: memory is short.
bool limberi_hose_limbs_find(limberi_arena* arena, const limber_model* model, limberi_hose_limbs* limbs);

// --- a limb in one frame: its bones as they are, and the arc of a circle that it is bent along ---

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
