// Rigid parts as the stage that moves them needs them: which vertices a part has, what holds it, and from
// where its rotation is read.
#ifndef LIMBERI_RIGID_PARTS_H
#define LIMBERI_RIGID_PARTS_H

#include "asset/asset.h"
#include "base/memory.h"
#include <limber/stages/rigid.h>

enum { LIMBERI_RIGID_ANCHORS = 16, LIMBERI_RIGID_TOUCHES = 24, LIMBERI_RIGID_RODS = 32 };

typedef struct limberi_rigid_body {
    uint32_t joint;        // that moves it
    int32_t carrier;       // the body that carries it, an earlier one; -1: none
    uint32_t first, count; // in limber_rigid_parts.vertices
    uint32_t anchor_count, touch_count;
    uint32_t anchors[LIMBERI_RIGID_ANCHORS]; // vertices of its own, spread over it
    uint32_t touches[LIMBERI_RIGID_TOUCHES]; // vertices of the skin that holds it
    float weights[LIMBERI_RIGID_TOUCHES];    // of a rider: how much each of them counts
    uint32_t rod_count;
    uint32_t rods[LIMBERI_RIGID_RODS]
                 [2]; // ends of slender islands in it (an antenna on a head): they keep their length
    float rod_widths[LIMBERI_RIGID_RODS]; // of their lengths
    bool rider;                           // small and resting on skin: goes with it, and turns as it turns
    bool appendage;                       // attached at one end: swings
    bool spike;                           // moves as its own skin does, but keeps its shape
    bool copies;                          // moves as its carrier does, which is on the same joint
    bool mass;                            // round, or with more of the body below it: may be squashed
    limber_vec3 root;                     // of an appendage: the middle of where it is attached, joint space
    bool touched;                         // the touches lie on it, so it turns about them; otherwise about its joint
} limberi_rigid_body;

// A vertex of an appendage, in the space of its joint: where it is, what it swings about, and the way out of what holds it.
typedef struct limberi_swing {
    uint32_t body;
    limber_vec3 place, pivot, away;
    float free; // 0: held ... 1: swings
    float gap;  // from what holds it
} limberi_swing;

struct limber_rigid_parts {
    limberi_derived_item item;
    limberi_arena arena;
    uint32_t count;
    limber_rigid_part* parts;
    limberi_rigid_body* bodies;
    uint32_t entry_count;
    uint32_t* vertices; // [entry] by body
    float* holds;       // [entry] 1: moves with the part, towards 0: with the skin
    int32_t* of_vertex; // [vertex] of all meshes
    uint32_t swing_count;
    limberi_swing* swings; // by body
    uint32_t* motion_of;   // [entry] the motion that moves it: that of its body, or count + its swing
    uint32_t name_count;
    const char** names; // of meshes, nodes and joints that have rigid islands
};

// All parts of a character, found when first asked for and kept as long as it lives. Layers do not count: they may
// change. NULL: not enough memory.
const limber_rigid_parts* limberi_asset_rigid_parts(const limber_asset* asset);

// Whether a mesh has a layer "rigid".
bool limberi_rigid_is_painted(const limber_model* model);

#endif
