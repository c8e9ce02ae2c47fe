// Shared by io/bvh/load.c, expect.c, hierarchy.c and motion_block.c: the state of one load, and its steps.
#ifndef LIMBERI_BVH_LOAD_H
#define LIMBERI_BVH_LOAD_H

#include "io/bvh/layout.h"
#include "io/bvh/scan.h"

typedef struct limberi_bvh_reader {
    limber_bvh* bvh;
    limberi_bvh_scanner scanner;
    limber_bvh_limits limits;
    limberi_arena scratch; // until the asset has its own copy
    limber_error* error;
    limber_model model;
    limber_clip clip;
} limberi_bvh_reader;

// From the start of the text up to and including the word MOTION.
LIMBER_MUST_USE limber_result limberi_bvh_read_hierarchy(limberi_bvh_reader* reader);

// Frames, Frame Time and the numbers, into reader->clip.
LIMBER_MUST_USE limber_result limberi_bvh_read_motion(limberi_bvh_reader* reader);

// The next word as a number; `what` says in messages what it should be.
LIMBER_MUST_USE limber_result limberi_bvh_read_number(limberi_bvh_reader* reader, const char* what, double* number);

// "'word' stands where `expected` should".
LIMBER_MUST_USE limber_result limberi_bvh_fail_word(limberi_bvh_reader* reader, limberi_bvh_word word,
                                                    const char* expected);

// --- body ---
// Shared by io/bvh/body.c and io/bvh/body_mesh.c: the pieces of the generated body.

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
