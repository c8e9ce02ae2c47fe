// Inside src/pipeline: the frames that smears need.
#ifndef LIMBERI_PIPELINE_SMEAR_H
#define LIMBERI_PIPELINE_SMEAR_H

#include "pipeline/pipeline_private.h"

void limberi_pipeline_smear_destroy(struct limberi_smear_stage* stage);

#endif
