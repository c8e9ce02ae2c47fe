// Depths of joints in the tree, and the lowest common ancestor of two joints in logarithmic time.
#ifndef LIMBERI_ANCESTORS_H
#define LIMBERI_ANCESTORS_H

#include "base/arena.h"
#include <limber/asset.h>

typedef struct limberi_ancestors {
    const int32_t* parents;
    uint32_t* depth; // [joint] 1 for roots
    int32_t* jump;   // [joint] some ancestor far above, -1
    uint32_t* order; // [joint] place in a walk that visits parents before children, and whole branches one by one
} limberi_ancestors;

// False (and a failed arena) when memory is short.
bool limberi_ancestors_make(limberi_arena* arena, const limber_rig* rig, limberi_ancestors* ancestors);

// The deepest joint that is above both, or one of them; -1: they have different roots, or one is -1.
int32_t limberi_ancestors_common(const limberi_ancestors* ancestors, int32_t a, int32_t b);

static inline uint32_t limberi_ancestors_depth(const limberi_ancestors* ancestors, int32_t joint) {
    return joint < 0 ? 0 : ancestors->depth[joint];
}

#endif
