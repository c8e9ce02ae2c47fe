// Shared by io/bvh/body.c and io/bvh/body_mesh.c: the pieces of the generated body.
#ifndef LIMBERI_BVH_BODY_H
#define LIMBERI_BVH_BODY_H

#include "io/bvh/layout.h"

// A turned piece of wood along a bone.
typedef struct limberi_bvh_piece {
    int32_t joint;          // moves it
    int32_t before, after;  // joints it hands over to at its two ends, -1: none
    limber_vec3 start, end; // rest pose
    float start_radius, end_radius;
    float start_soft, end_soft; // half the length over which it hands over
    float bulge;                // how much thicker it is in its middle, as a part
    bool round;                 // a head: an egg from start to end, as wide as its radii
} limberi_bvh_piece;

typedef struct limberi_bvh_body_plan {
    uint32_t piece_count;
    limberi_bvh_piece* pieces;
    limber_vec3* places; // of the joints, rest pose
} limberi_bvh_body_plan;

// Turns the pieces into the model's one mesh, skin and material.
LIMBER_MUST_USE limber_result limberi_bvh_body_mesh(const limberi_bvh_body_plan* plan, limberi_arena* arena,
                                                    limber_model* model);

#endif
