// The rest pose of a whole character as one surface: vertices at the same place are one node, whichever mesh they
// belong to, so that seams between meshes do not matter.
#ifndef LIMBERI_LAYER_SURFACE_H
#define LIMBERI_LAYER_SURFACE_H

#include "base/memory.h"
#include "layer/tree.h"
#include <limber/asset.h>

typedef struct limberi_surface {
    limberi_arena arena;
    uint32_t vertex_count, node_count, triangle_count;
    uint32_t* node_of_vertex; // [vertex] of all meshes
    limber_vec3* positions;   // [node] in units of L, from the middle of the character
    uint8_t* moves;           // [node] belongs to the character, not to the scenery
    uint32_t* triangles;      // 3 nodes each, all different, counter-clockwise seen from outside
} limberi_surface;

limber_result limberi_surface_create(const limber_model* model, limberi_surface* surface);
void limberi_surface_destroy(limberi_surface* surface);

// A point of the world in the surface's own space. Always finite and moderate, whatever a file holds.
limber_vec3 limberi_surface_place(const limber_model* model, limber_vec3 world);

static inline void limberi_load_corners(const limberi_surface* surface, uint32_t triangle, limber_vec3* p) {
    for (size_t i = 0; i < 3; i++)
        p[i] = surface->positions[surface->triangles[3 * (size_t)triangle + i]];
}

// Sets of numbers as trees of parents (union-find): the smallest number of the set of n. Paths are halved on the way.
static inline uint32_t limberi_root_of(uint32_t* parents, uint32_t n) {
    while (parents[n] != n) {
        parents[n] = parents[parents[n]];
        n = parents[n];
    }
    return n;
}

static inline void limberi_join_sets(uint32_t* parents, uint32_t a, uint32_t b) {
    a = limberi_root_of(parents, a);
    b = limberi_root_of(parents, b);
    if (a > b)
        parents[a] = b;
    else
        parents[b] = a;
}

// The triangles around each node, as node_count + 1 offsets into a list. NULL in *first when memory is short.
void limberi_surface_fans(limberi_surface* surface, uint32_t** first, uint32_t** triangles);

// `passes` of diffusion over one value per node; `passes` 0 leaves them as they are.
limber_result limberi_surface_smooth(limberi_surface* surface, uint32_t passes, double* values);

// --- connected pieces: a body, and the parts attached to it ---

typedef struct limberi_pieces {
    uint32_t count;
    uint32_t* of_node; // [node]
    double* volumes;   // [piece]
    uint8_t* open;     // [piece] has a hole: it is a sheet, or closed by another piece
    uint8_t* moves;    // [piece] some of it belongs to the character
} limberi_pieces;

limber_result limberi_pieces_find(limberi_surface* surface, limberi_pieces* pieces);

// Small pieces must move with the surface below them, or eyes slide off their faces. Where a piece is no farther from a
// larger one than it is thick itself, or than a small distance, it takes the larger one's value; at twice that it keeps
// its own. `values` are logarithms of thickness in L, and `triangles` a tree over the surface's triangles.
limber_result limberi_pieces_stitch(limberi_surface* surface, const limberi_pieces* pieces, limberi_box_tree* triangles,
                                    double* values);

#endif
