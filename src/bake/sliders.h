// Weights from 0 to 1, as sliders have them: Blender clamps others.
#ifndef LIMBERI_SLIDERS_H
#define LIMBERI_SLIDERS_H

#include "bake/rows.h"
#include <limber/bake.h>

// Scales the targets of a mesh so that no weight is above 1. Where weights are below 0 it adds a target that is always
// on and holds what the lowest weights make together; the others start there.
LIMBER_MUST_USE limber_result limberi_bake_settle(limber_bake* bake, uint32_t mesh, uint32_t vertex_count,
                                                  const limber_parallel* parallel);

#endif
