// Rays against the triangles of a surface.
#ifndef LIMBERI_LAYER_RAYS_H
#define LIMBERI_LAYER_RAYS_H

#include "layer/surface.h"
#include "layer/tree.h"

// Boxes of four children and triangles of one leaf lie side by side, to be met at once.
enum { LIMBERI_RAY_WIDTH = 4 };

typedef struct limberi_ray_node {
    float bounds[6][LIMBERI_RAY_WIDTH]; // low x, high x, low y, ...; an absent child is empty
    uint32_t child[LIMBERI_RAY_WIDTH];  // a node, or a leaf when bit i of `leaves` is set
    uint32_t leaves;
} limberi_ray_node;

typedef struct limberi_ray_leaf {
    float corner[3][LIMBERI_RAY_WIDTH], edge1[3][LIMBERI_RAY_WIDTH], edge2[3][LIMBERI_RAY_WIDTH]; // absent: 0
    uint32_t piece[LIMBERI_RAY_WIDTH];
} limberi_ray_leaf;

typedef struct limberi_ray_tree {
    limberi_ray_node* nodes;
    limberi_ray_leaf* leaves;
    uint32_t node_count, leaf_count;
    limberi_box_tree boxes; // the same triangles, for other questions
} limberi_ray_tree;

// `piece_of_node` tells connected pieces of the surface apart.
limber_result limberi_ray_tree_build(limberi_arena* arena, const limberi_surface* surface,
                                     const uint32_t* piece_of_node, limberi_ray_tree* tree);

// How far along `direction` the ray leaves one piece of the surface, at least `nearest`. HUGE_VALF when it never does,
// or enters the piece first: then it started outside.
float limberi_ray_leaves_piece(const limberi_ray_tree* tree, limber_vec3 origin, limber_vec3 direction, float nearest,
                               uint32_t piece);
// The same for whichever piece it leaves first; those it enters do not matter.
float limberi_ray_leaves_any(const limberi_ray_tree* tree, limber_vec3 origin, limber_vec3 direction, float nearest);

#endif
