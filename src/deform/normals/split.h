// Normals for what moves vertices along them: one for all vertices at the same place. Hard edges and texture seams split
// a point of the surface into vertices with different normals, and a push along each would tear it open there.
#ifndef LIMBERI_DEFORM_SPLIT_H
#define LIMBERI_DEFORM_SPLIT_H

#include "base/memory.h"
#include <limber/asset.h>

// Points of the surface whose vertices have the same skin and weights, but different normals. Smooth characters have
// none.
typedef struct limberi_split_normals {
    uint32_t count;
    uint32_t* first;    // [count + 1] in `vertices`
    uint32_t* vertices; // of all meshes
} limberi_split_normals;

LIMBER_MUST_USE limber_result limberi_split_find(limberi_arena* arena, const limber_model* model,
                                                 limberi_split_normals* split);
// Averages normals over the vertices of each such point, in place: 3 floats per vertex of all meshes, skinned or not.
void limberi_split_weld(const limberi_split_normals* split, float* normals);

#endif
