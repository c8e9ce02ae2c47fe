// What of a character is what: hips, trunk, limbs, legs and head, found by how much of the skin hangs on each joint and
// by what touches the floor, never by name (S14).
#ifndef LIMBERI_PERFORM_ANATOMY_H
#define LIMBERI_PERFORM_ANATOMY_H

#include "asset/asset.h"
#include "asset/body.h"
#include "base/memory.h"

// While a joint touches the ground. Times are from the start of the clip.
typedef struct limberi_contact_span {
    uint32_t joint;
    double from_s, to_s;
} limberi_contact_span;

// What a plain clip does on the ground, as the pipeline found it.
typedef struct limberi_clip_ground {
    uint32_t level_count;
    const double* levels; // rising; none: nothing is known of a floor
    double belt[2];       // velocity along the ground of feet that walk on the spot: x, z
    uint32_t touch_count;
    const limberi_contact_span* touches;
    uint32_t grip_count;
    const limberi_contact_span* grips; // what holds on to something else than the floor
    uint32_t landing_count;
    const double* landings; // times
} limberi_clip_ground;

typedef struct limberi_limb {
    uint32_t root; // its first joint
    bool leg;      // carries the body
    bool loose;    // a foot that hangs on the root instead of on its leg, as rigs for IK have it; neither leg nor limb
    bool low;      // reaches down to the floor in the rest pose
    double touch;  // how much of the time it touches the floor, a sum over all clips
} limberi_limb;

typedef struct limberi_anatomy {
    limberi_arena arena;
    const limber_model* model;
    double height;      // of the body: the unit of all lengths here
    double lowest;      // y of the lowest vertex, rest pose
    bool posable;       // scales are uniform and positive: rotations can be edited
    const float* own;   // [joint] share of the skin's area that hangs on it
    const float* up;    // [joint] and on those below it
    float* held;        // [joint] own skin, and that of joints which never move against it: what it carries in its hand
    int32_t hips, head; // -1: none
    uint32_t trunk_count;
    uint32_t* trunk; // parents first; the first one is the hips
    uint32_t limb_count;
    limberi_limb* limbs; // the loose feet come last
    int32_t* limb_of;    // [joint] -1: trunk, or not part of the body
    float* touch;        // [joint] seconds of contact in all clips
} limberi_anatomy;

// `grounds`: [clip]; NULL: of live poses, where limbs that reach down in the rest pose are what stands. NULL: not enough
// memory.
limberi_anatomy* limberi_anatomy_create(const limber_model* model, const limberi_clip_ground* grounds);
void limberi_anatomy_destroy(limberi_anatomy* anatomy);

#endif
