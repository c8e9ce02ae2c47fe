// Inside src/pipeline: the frames that smears need.
#ifndef LIMBERI_PIPELINE_SMEAR_H
#define LIMBERI_PIPELINE_SMEAR_H

#include "deform/deform_private.h"
#include "pipeline/pipeline_private.h"

void limberi_pipeline_smear_destroy(struct limberi_smear_stage* stage);

// Joints, palettes, morphs and kinematics of a moment, without its vertices; fills the frame's time, pose and motion.
void limberi_pipeline_pose(limber_pipeline* pipeline, int32_t clip, double time_s, limber_frame* frame);

#endif
