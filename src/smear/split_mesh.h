// Inside src/smear: a mesh with some of its edges split.
#ifndef LIMBERI_SMEAR_SPLIT_MESH_H
#define LIMBERI_SMEAR_SPLIT_MESH_H

#include "base/arena.h"
#include <limber/stages/subdivide.h>

// One mesh with the sides of triangles split whose flag is set. Everything is the arena's or the old mesh's.
// `split` [3 * triangle + side]; side s lies between the corners s and s + 1.
LIMBER_MUST_USE limber_result limberi_mesh_split(limberi_arena* arena, const limber_mesh* mesh, const uint8_t* split,
                                                 limber_mesh* out);

// The largest difference seen along any edge, in model units.
float limberi_subdivider_worst(const limber_subdivider* subdivider);

#endif
