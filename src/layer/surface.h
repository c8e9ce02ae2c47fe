// The rest pose of a whole character as one surface: vertices at the same place are one node, whichever mesh they
// belong to, so that seams between meshes do not matter.
#ifndef LIMBERI_LAYER_SURFACE_H
#define LIMBERI_LAYER_SURFACE_H

#include "base/arena.h"
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

// Sets of numbers as trees of parents: the number that stands for the set of n. Ways to it get shorter.
static inline uint32_t limberi_root_of(uint32_t* parents, uint32_t n) {
    while (parents[n] != n) {
        parents[n] = parents[parents[n]];
        n = parents[n];
    }
    return n;
}

// The triangles around each node, as node_count + 1 offsets into a list. NULL in *first when memory is short.
void limberi_surface_fans(limberi_surface* surface, uint32_t** first, uint32_t** triangles);

// `passes` of diffusion over one value per node; `passes` 0 leaves them as they are.
limber_result limberi_surface_smooth(limberi_surface* surface, uint32_t passes, double* values);

#endif
