// What src/smear offers to the pipeline besides the public headers: smoothed offsets and split meshes.
#ifndef LIMBERI_SMEAR_H
#define LIMBERI_SMEAR_H

#include "base/arena.h"
#include <limber/stages/subdivide.h>

// The mean of the offsets of 2n + 1 frames (SMEAR, equation 2); offsets[n] belongs to the frame in question.
void limberi_smear_smooth(const float* const* offsets, uint32_t n, uint32_t vertex_count, float* out);

// --- split_mesh.c ---

// Edges by their two ends in either order, numbered in the order they were first asked for.
typedef struct limberi_edge_numbers {
    uint64_t* keys; // [size] 0: free, otherwise both ends and 1
    uint32_t* numbers;
    uint32_t size, count; // size is a power of two
} limberi_edge_numbers;

// Room for `max` edges.
bool limberi_edge_numbers_allocate(limberi_arena* arena, size_t max, limberi_edge_numbers* edges);
uint32_t limberi_edge_number(limberi_edge_numbers* edges, uint32_t a, uint32_t b);

// One mesh with the sides of triangles split whose flag is set. Everything is the arena's or the old mesh's.
// `split` [3 * triangle + side]; side s lies between the corners s and s + 1.
LIMBER_MUST_USE limber_result limberi_mesh_split(limberi_arena* arena, const limber_mesh* mesh, const uint8_t* split,
                                                 limber_mesh* out);

// The largest difference seen along any edge, in model units.
float limberi_subdivider_worst(const limber_subdivider* subdivider);

#endif
