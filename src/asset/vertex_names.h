// What formulas may use of a vertex in the rest pose: position, normal, texture coordinates, height, a random number.
#ifndef LIMBERI_VERTEX_NAMES_H
#define LIMBERI_VERTEX_NAMES_H

#include "base/arena.h"
#include <limber/asset.h>
#include <limber/stages/expression.h>

// Per-vertex inputs of formulas for one mesh; NULL what no formula uses.
typedef struct limberi_mesh_names {
    float* arrays[LIMBER_VARIABLE_COUNT];
} limberi_mesh_names;

// Fills the arrays of those of the `used` names (bits of limber_variable) that do not change as the character moves.
limber_result limberi_mesh_names_fill(limberi_arena* arena, const limber_model* model, const limber_mesh* mesh,
                                      uint32_t used, limberi_mesh_names* names);

// Points `inputs` at `count` vertices from `first`, with the layers that `expression` asks for.
void limberi_mesh_names_point(const limberi_mesh_names* names, const limber_mesh* mesh,
                              const limber_expression* expression, uint32_t first, uint32_t count,
                              limber_expression_inputs* inputs);

#endif
