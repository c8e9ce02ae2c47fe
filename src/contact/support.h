// Support points: the few vertices of each joint that can touch a floor, whatever way it is turned. Contacts are found
// by looking at these instead of the whole skin.
#ifndef LIMBERI_SUPPORT_H
#define LIMBERI_SUPPORT_H

#include "asset/asset.h"
#include "base/memory.h"
#include <limber/stages/pose.h>

typedef struct limberi_support {
    limberi_derived_item item;
    limberi_arena arena;
    const limber_model* model;
    double scale;          // the length that contacts are measured in: about L, whatever weapons the character carries
    const uint32_t* fused; // [joint] the joint that it never moves against, or itself
    uint32_t owner_count;
    const uint32_t* owners;    // [owner] joints that have points, fused
    const uint32_t* first;     // [owner + 1] in the points
    const limber_vec3* middle; // [owner] of its points, joint space
    const float* radius;       // [owner] around them, world units
    uint32_t point_count;
    const uint32_t* vertices;        // [point] of all meshes
    const float* positions;          // [point * 3] mesh space
    const uint32_t* influence_first; // [point + 1]
    const uint32_t* influence_slot;  // in the palettes of all skins, one after the other
    const float* influence_weight;
    uint32_t palette_count;
    const uint32_t* first_palette; // [skin + 1]
    const double* mass; // [palette * 4] share and first moment of the vertices: where the middle of the body is
} limberi_support;

// Found when first asked for, and kept as long as the character lives. NULL: not enough memory.
const limberi_support* limberi_asset_support(const limber_asset* asset);

// Where points are in the world, 3 numbers each.
void limberi_support_places(const limberi_support* support, const limber_mat4* palettes, uint32_t first, uint32_t count,
                            float* places);
// Of all skins, one after the other.
void limberi_support_palettes(const limberi_support* support, const limber_pose* pose, limber_mat4* palettes);
// Adds what one skin has of the mean of all vertices.
void limberi_support_body(const limberi_support* support, uint32_t skin, const limber_mat4* palette, double* middle);
// [owner] How much of the skin each owner has.
void limberi_support_shares(const limberi_support* support, double* shares);

#endif
