// Loose parts: ears, tails, hair and skirts whose joints no clip moves. What carries them moves, and they swing from it.
#ifndef LIMBERI_DEFORM_LOOSE_PARTS_H
#define LIMBERI_DEFORM_LOOSE_PARTS_H

#include "base/memory.h"
#include <limber/asset.h>

typedef struct limberi_loose_part {
    uint32_t joint;     // its first one
    float length;       // from the joint to the tip
    limber_vec3 tip;    // from the joint, in its space
    limber_vec3 inward; // unit length: to the skin of what carries it, in the joint's space
} limberi_loose_part;

typedef struct limberi_loose_parts {
    uint32_t count;
    limberi_loose_part* parts;
    int32_t* of_joint; // [joint] which one begins there; -1: none
} limberi_loose_parts;

// False: not enough memory.
bool limberi_loose_parts_find(limberi_arena* arena, const limber_model* model, limberi_loose_parts* loose);

// How far a loose part swings when its tip is behind by `lag`: a rotation vector of at most `max` radians, as a lag of its
// joint. All in the world.
limber_vec3 limberi_loose_swing(limber_vec3 tip, limber_vec3 inward, limber_vec3 lag, float max);

#endif
