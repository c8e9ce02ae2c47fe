// Shared inside src/smear: edges to split, and the resulting meshes.
#ifndef LIMBERI_SMEAR_SUBDIVIDE_H
#define LIMBERI_SMEAR_SUBDIVIDE_H

#include "base/arena.h"
#include <limber/smear_subdivide.h>

#define LIMBERI_NO_EDGE UINT32_MAX

// Unordered pairs of numbers, numbered in the order in which they were first asked for.
typedef struct limberi_pairs {
    uint64_t* keys; // [size] 0: free, otherwise the pair and 1
    uint32_t* numbers;
    uint32_t size, count; // size is a power of two
} limberi_pairs;

// Room for `most` pairs.
bool limberi_pairs_take(limberi_arena* arena, size_t most, limberi_pairs* pairs);
uint32_t limberi_pairs_number(limberi_pairs* pairs, uint32_t a, uint32_t b);

// One mesh with the sides of triangles split whose flag is set. Everything is the arena's or the old mesh's.
// `split` [3 * triangle + side]; side s lies between the corners s and s + 1.
LIMBER_MUST_USE limber_result limberi_mesh_split(limberi_arena* arena, const limber_mesh* mesh, const uint8_t* split,
                                                 limber_mesh* out);

#endif
