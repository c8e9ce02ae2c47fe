// Inside src/pipeline: in-between copies and motion lines of a bake.
#ifndef LIMBERI_PIPELINE_BAKE_SMEAR_H
#define LIMBERI_PIPELINE_BAKE_SMEAR_H

#include "bake/reduce.h"
#include "pipeline/pipeline_private.h"

// While frames come in. `bake` has its tracks.
typedef struct limberi_smear_bake {
    limber_pipeline* pipeline;
    const limber_bake_settings* settings;
    limber_bake* bake;
    uint32_t frame_count; // over all tracks
    limber_error* error;
    struct limberi_smear_rows* rows; // [extra]; NULL until a frame has some
    float *scratch_positions, *scratch_normals, *scratch_opacities;
    double byte_count;
} limberi_smear_bake;

// What a frame shows besides the character; `shown` false: it is outside the range and shows nothing.
limber_result limberi_smear_bake_collect(limberi_smear_bake* bake, uint32_t frame_index, const limber_smeared* smeared,
                                         bool shown);
// Rows become targets and weights.
limber_result limberi_smear_bake_finish(limberi_smear_bake* bake);
void limberi_smear_bake_close(limberi_smear_bake* bake);

#endif
