// What the ground leaves of displacements: it lifts what sinks, holds what stands, and pushes back what goes through the
// floor. render/shaders/limber_deform.glsl has the same for a GPU.
#ifndef LIMBERI_SETTLE_H
#define LIMBERI_SETTLE_H

#include "asset/groups.h"

// What of the ground a joint has, and a vertex sees: weighted means over its joints.
typedef struct limberi_footing {
    float hold, height, lift, fixed;
} limberi_footing;

// The floor of a frame.
typedef struct limberi_footed {
    float scale; // what heights are measured in
    float depth; // how far the plain clip itself is below it
    float firm;  // how much of its push counts
    bool edited; // it holds whatever the skeleton does
} limberi_footed;

static const float limberi_soft_zone = 0.02f; // in scales above the ground, where the floor begins to push back

// A group of vertices.
typedef struct limberi_settle_block {
    limberi_block3 skinned, moved; // moved: by how much
    float hold[LIMBER_BLOCK], height[LIMBER_BLOCK], lift[LIMBER_BLOCK], fixed[LIMBER_BLOCK];
    float strength[LIMBER_BLOCK], keep[LIMBER_BLOCK]; // keep: how much of the displacement is left
} limberi_settle_block;

void limberi_settle(const limberi_footed* floor, uint32_t width, limberi_settle_block* block);
// The same for a single vertex whose plain height is known.
void limberi_settle_one(const limberi_footed* floor, float strength, limberi_footing on, float plain_height,
                        float* moved);
// The height that the floor leaves of a vertex that something after it moves on, from one height to another.
float limberi_settle_height(const limberi_footed* floor, float strength, limberi_footing on, float from, float to);

#endif
