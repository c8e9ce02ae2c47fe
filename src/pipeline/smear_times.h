// Inside src/pipeline: the times of the frames that smears need, and the motion between them.
#ifndef LIMBERI_SMEAR_TIMES_H
#define LIMBERI_SMEAR_TIMES_H

#include "pipeline/pipeline_private.h"
#include "smear/smear.h"

enum { LIMBERI_SHOT_CUTS = 64 }; // of a clip; later ones are not looked at

// Which cuts of a clip are cuts for smears, too.
typedef struct limberi_shots {
    int32_t clip; // -1: none yet
    bool is_shot[LIMBERI_SHOT_CUTS];
    limber_vec3* places; // [joint] scratch
} limberi_shots;

// The times of the frames around one of them.
typedef struct limberi_timeline {
    const limber_clip* clip; // NULL: nothing moves
    bool loops, on_grid;
    double fps;
    double time_s;               // of number 0
    uint32_t index, first, last; // on the grid: of number 0, and where a cut or the clip ends
    double start_s, end_s;       // off the grid: the same as times
    uint32_t period;             // frames of a loop
} limberi_timeline;

limberi_timeline limberi_timeline_of(limber_pipeline* pipeline, limberi_shots* shots, int32_t clip, double time_s,
                                     double fps);
// The pose that is held for `step` frames, on show at the timeline's own frame.
limberi_timeline limberi_timeline_held(const limberi_timeline* timeline, uint32_t step);
// Time of frame number n.
double limberi_timeline_at(const limberi_timeline* timeline, int32_t n);
// Time of a part of the way from one frame to the next, `parts` to a frame. The same moment is the same number from
// whichever frame it is seen.
double limberi_timeline_between(const limberi_timeline* timeline, int64_t parts_away, uint32_t parts);

// The motion between the frames of a clip, for smears as drawn.
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
