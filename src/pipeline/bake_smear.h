// Inside src/pipeline: in-between copies and motion lines of a bake.
#ifndef LIMBERI_PIPELINE_BAKE_SMEAR_H
#define LIMBERI_PIPELINE_BAKE_SMEAR_H

#include "pipeline/pipeline_private.h"

// While frames come in. `bake` has its tracks.
typedef struct limberi_extras {
    limber_pipeline* pipeline;
    const limber_bake_settings* settings;
    limber_bake* bake;
    uint32_t frame_count; // over all tracks
    limber_error* error;
    struct limberi_extra_rows* rows; // [extra]; NULL until a frame has some
    float *scratch_positions, *scratch_normals, *scratch_opacities;
    double byte_count;
} limberi_extras;

// What a frame shows besides the character; `shown` false: it is outside the range and shows nothing.
limber_result limberi_extras_collect(limberi_extras* extras, uint32_t frame_index, const limber_smeared* smeared,
                                     bool shown);
// Rows become targets and weights.
limber_result limberi_extras_finish(limberi_extras* extras);
void limberi_extras_close(limberi_extras* extras);

#endif
