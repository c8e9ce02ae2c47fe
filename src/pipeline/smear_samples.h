// Inside src/pipeline: the motion between the frames of a clip, for smears as drawn.
#ifndef LIMBERI_SMEAR_SAMPLES_H
#define LIMBERI_SMEAR_SAMPLES_H

#include "pipeline/smear_times.h"
#include "smear/smear.h"

typedef struct limberi_smear_samples limberi_smear_samples;

// NULL: there is too little memory.
limberi_smear_samples* limberi_smear_samples_create(const struct limberi_drawn* drawn);
void limberi_smear_samples_destroy(limberi_smear_samples* samples);
// Of another clip or rate: none that were kept are of use.
void limberi_smear_samples_forget(limberi_smear_samples* samples);
// The samples around frame number 0 of a timeline, [grid.count]. The pose of the pipeline is then that of one of them.
const limberi_drawn_point* const* limberi_smear_samples_around(limberi_smear_samples* samples,
                                                               limber_pipeline* pipeline,
                                                               const limberi_timeline* timeline,
                                                               const limberi_drawn_grid* grid);

#endif
