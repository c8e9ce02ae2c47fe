// Connected pieces of a surface: a body, and the parts attached to it.
#ifndef LIMBERI_LAYER_PIECES_H
#define LIMBERI_LAYER_PIECES_H

#include "layer/surface.h"
#include "layer/tree.h"

typedef struct limberi_pieces {
    uint32_t count;
    uint32_t* of_node; // [node]
    double* volumes;   // [piece]
    uint8_t* open;     // [piece] has a hole: it is a sheet, or closed by another piece
    uint8_t* moves;    // [piece] some of it belongs to the character
} limberi_pieces;

limber_result limberi_pieces_find(limberi_surface* surface, limberi_pieces* pieces);

// Small pieces must move with what they sit on, or eyes slide off their faces. Where a piece is no farther from a
// larger one than it is thick itself, or than a small distance, it takes the larger one's value; at twice that it keeps
// its own. `values` are logarithms of thickness in L, and `triangles` a tree over the surface's triangles.
limber_result limberi_pieces_stitch(limberi_surface* surface, const limberi_pieces* pieces, limberi_box_tree* triangles,
                                    double* values);

#endif
