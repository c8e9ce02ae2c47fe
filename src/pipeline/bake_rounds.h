// Inside src/pipeline: the frames of a bake become rows of morph targets, in rounds. A round evaluates a few frames of
// each thread; the rows are then taken in the order of the frames.
#ifndef LIMBERI_PIPELINE_BAKE_ROUNDS_H
#define LIMBERI_PIPELINE_BAKE_ROUNDS_H

#include "bake/reduce.h"
#include "pipeline/bake_smear.h"

// Frames of one mesh that differ from the plain skin, while they are being collected.
typedef struct limberi_collector {
    uint32_t row_count, capacity;
    int32_t* row_of_frame;    // over all tracks, -1: no displacement
    limberi_reducer* reducer; // takes the rows when there is a tolerance
} limberi_collector;

typedef struct limberi_baker {
    limber_pipeline* pipeline;
    const limber_bake_settings* settings;
    limber_bake* bake;
    limberi_collector* collectors; // [mesh]
    limberi_smear_bake smears;
    uint32_t frame_count; // over all tracks
    uint64_t byte_count;  // of vertices that targets move
    uint64_t stored;      // bytes
    uint32_t samples;     // only so many frames, to estimate; 0: all
    uint32_t all_frames;  // with `samples`: frames over all tracks
    limber_error* error;
} limberi_baker;

// Evaluates all frames. Rows are then in the memory of the bake, in its store or in the reducers.
LIMBER_MUST_USE limber_result limberi_bake_rounds(limberi_baker* baker);

// World length of a unit in the mesh's own space; corrective targets live there.
double limberi_bake_mesh_scale(const limberi_baker* baker, const limber_mesh* mesh);
limber_result limberi_bake_no_memory(limber_error* error);

#endif
