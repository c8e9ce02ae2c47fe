// Inside src/pipeline: the frames that smears need, kept with the pipeline.
#ifndef LIMBERI_SMEAR_STAGE_H
#define LIMBERI_SMEAR_STAGE_H

#include "pipeline/pipeline_private.h"

void limberi_pipeline_smear_destroy(struct limberi_smear_stage* stage);

#endif
