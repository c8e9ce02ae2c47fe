// Several frames of one character at once: clones of a pipeline, one for each thread.
#ifndef LIMBERI_PIPELINE_CLONE_H
#define LIMBERI_PIPELINE_CLONE_H

#include <limber/pipeline.h>

// Makes everything that frames of a clip share, and keeps it until the pipeline is destroyed: filtered motions and
// contacts. Clips that were not prepared are prepared when they are first evaluated, from then on.
LIMBER_MUST_USE limber_result limberi_pipeline_prepare_clip(limber_pipeline* pipeline, uint32_t clip);

// All clips, by several threads where the program lends them.
LIMBER_MUST_USE limber_result limberi_pipeline_prepare_clips(limber_pipeline* pipeline);

// The same character in the same style, with memory of its own for a frame. The original must outlive it, and must have
// prepared what the clone evaluates: clones only read of it, so that they may run at the same time.
LIMBER_MUST_USE limber_result limberi_pipeline_clone(const limber_pipeline* original, limber_pipeline** clone,
                                                     limber_error* error);

#endif
