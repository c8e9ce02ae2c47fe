// Shared by crowd.c and crowd_evaluate.c.
#ifndef LIMBERI_PIPELINE_CROWD_PRIVATE_H
#define LIMBERI_PIPELINE_CROWD_PRIVATE_H

#include "base/memory.h"
#include "pipeline/ground_track.h"
#include <limber/crowd.h>

// A character in a style: a pipeline for each worker, the first of which has what all of them read.
typedef struct limberi_crowd_kind {
    limber_pipeline** pipelines;   // [worker]
    limber_pack** packs;           // [worker], NULL: no texels
    bool* prepared;                // [clip]
    limberi_ground_track** ground; // [clip] NULL: not stored
    size_t palette_floats, texel_floats, column_shorts, vertex_floats;
} limberi_crowd_kind;

struct limber_crowd {
    limberi_arena arena;
    uint32_t outputs, kind_count, member_limit, worker_count;
    double step_s;
    limber_parallel parallel; // run NULL: the calling thread
    limberi_crowd_kind* kinds;

    // Of the current call:
    const limber_crowd_member* members;
    const limber_crowd_memory* memory;
    uint32_t due_count, copy_count;
    uint32_t *due, *copies; // [member_limit] members to be computed, and those that get a copy
    uint32_t* source;       // [member_limit] whose numbers a member has, of those that are due
    double* times;          // [member_limit] in the clip
    uint32_t* texel_counts; // [member_limit], NULL: no texels
    uint32_t table_size;    // a power of two
    uint32_t* table;        // [table_size] 1 + the first member of a moment, 0: free
    limber_result* results; // [worker]
};

// Filters and contacts of a clip, which its first frame needs.
limber_result limberi_crowd_prepare_clip(limberi_crowd_kind* kind, uint32_t clip);

#endif
