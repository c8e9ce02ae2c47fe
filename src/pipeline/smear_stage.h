// Inside src/pipeline: the frames that smears need.
#ifndef LIMBERI_SMEAR_STAGE_H
#define LIMBERI_SMEAR_STAGE_H

#include "deform/deform_private.h"
#include "pipeline/pipeline_private.h"

// A deformer without effects: it knows which vertices turn together. NULL: not enough memory.
limber_deformer* limberi_pipeline_welds(const limber_model* model);
// Normals that turn with the surface, from those before it was smeared. All meshes after each other.
void limberi_pipeline_turn_normals(const limber_model* model, limber_deformer* welds, const float* positions,
                                   const float* normals, float* moved, float* turned);

void limberi_pipeline_smear_destroy(struct limberi_smear_stage* stage);

#endif
