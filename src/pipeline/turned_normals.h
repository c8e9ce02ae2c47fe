// Inside src/pipeline: normals of a surface after smears have moved it.
#ifndef LIMBERI_TURNED_NORMALS_H
#define LIMBERI_TURNED_NORMALS_H

#include <limber/deform.h>

// A deformer without effects: it knows which vertices turn together. NULL: not enough memory.
limber_deformer* limberi_pipeline_welds(const limber_model* model);
// Normals that turn with the surface, from those before it was smeared. All meshes after each other.
void limberi_pipeline_turn_normals(const limber_model* model, limber_deformer* welds, const float* positions,
                                   const float* normals, float* moved, float* turned);

#endif
