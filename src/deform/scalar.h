// An effect's scalar function, called for one joint and a block of vertices.
#ifndef LIMBERI_DEFORM_SCALAR_H
#define LIMBERI_DEFORM_SCALAR_H

#include "deform/deformer.h"

struct limberi_effect_call {
    const limber_deformer* deformer;
    const limber_deform_job* job;
    const limberi_block3 *position, *normal;
    limberi_block3* displacement;
    const limberi_block_values *values, *source_values; // [slot]
    uint32_t count, joint;
    const float* weight;
    const limber_mesh* mesh; // with its layers in the order of the block,
    uint32_t first;          // which starts here
};

void limberi_effect_run(const limberi_effect_call* call, uint32_t slot);

// Whether the slot has something to do at the joint.
bool limberi_slot_moves(const limber_deformer* deformer, const limber_deform_job* job, uint32_t slot, uint32_t joint);

#endif
