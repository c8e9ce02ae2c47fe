// A tree of boxes over triangles or points.
#ifndef LIMBERI_LAYER_TREE_H
#define LIMBERI_LAYER_TREE_H

#include "base/memory.h"

enum { LIMBERI_LEAF_ITEMS = 4, LIMBERI_TREE_DEPTH = 72 };

typedef struct limberi_box {
    float low[3], high[3];
} limberi_box;

typedef struct limberi_box_node {
    float low[3];
    uint32_t first; // of two neighbouring children, or of the leaf's items
    float high[3];
    uint32_t count; // items of a leaf; 0: not a leaf
} limberi_box_node;

typedef struct limberi_box_tree {
    limberi_box_node* nodes;
    uint32_t* items; // in the order of the leaves
    uint32_t node_count, item_count;
    double* max; // [node] the largest rank of its items, once limberi_box_tree_rank was called; else NULL
    struct limberi_box_splits* open; // what searches need to split nodes; NULL: all of them are
} limberi_box_tree;

// Boxes must be finite.
limber_result limberi_box_tree_build(limberi_arena* arena, const limberi_box* boxes, uint32_t count,
                                     limberi_box_tree* tree);

// The same, but nodes are split when a search comes to them: for few searches, all by one thread, as long as the arena
// lives.
limber_result limberi_box_tree_open(limberi_arena* arena, const limberi_box* boxes, uint32_t count,
                                    limberi_box_tree* tree);

// Gives items a rank by which a search can leave out whole branches.
limber_result limberi_box_tree_rank(limberi_arena* arena, limberi_box_tree* tree, const double* ranks);

// The square of how far `place` is from an item.
typedef float (*limberi_square_distance)(const void* user, uint32_t item, limber_vec3 place);

// The nearest item that is no farther than `limit` and, in a tree with ranks, has a larger one than `above`. UINT32_MAX
// when there is none.
uint32_t limberi_box_tree_nearest(const limberi_box_tree* tree, limber_vec3 place, float limit, double above,
                                  limberi_square_distance distance, const void* user);

// Barycentric weights of the point of a triangle (of any kind, also without area) that is nearest to `place`, and the
// square of how far that is.
float limberi_triangle_nearest(const limber_vec3* corners, limber_vec3 place, float* weights);

#endif
