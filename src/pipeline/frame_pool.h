// Inside src/pipeline: several frames of a bake at once. Each member is a pipeline with memory for a frame, which stays
// as it is until the member evaluates another one; so frames can be evaluated in any order and taken out in theirs.
#ifndef LIMBERI_PIPELINE_FRAME_POOL_H
#define LIMBERI_PIPELINE_FRAME_POOL_H

#include "pipeline/pipeline_private.h"

typedef struct limberi_frame_pool {
    limber_pipeline* pipeline;
    uint32_t count;            // members
    limber_pipeline** members; // clones; without threads the pipeline itself, alone
    limber_pipeline* alone[1];
} limberi_frame_pool;

// No more members than `max`, at least one. Closed by limberi_frame_pool_close also after an error.
LIMBER_MUST_USE limber_result limberi_frame_pool_open(limberi_frame_pool* pool, limber_pipeline* pipeline, uint32_t max,
                                                      limber_error* error);
void limberi_frame_pool_close(limberi_frame_pool* pool);

// Before frames of a clip: what they share.
LIMBER_MUST_USE limber_result limberi_frame_pool_prepare(const limberi_frame_pool* pool, uint32_t clip);
LIMBER_MUST_USE limber_result limberi_frame_pool_prepare_all(const limberi_frame_pool* pool); // of every clip

#endif
