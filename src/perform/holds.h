// Poses that are held (timing.step, S15): a clip has frames of about 1/24 s, and each shows the first one of its hold.
#ifndef LIMBERI_PERFORM_HOLDS_H
#define LIMBERI_PERFORM_HOLDS_H

#include "perform/acting.h"

typedef struct limberi_holds {
    double start_s, end_s;
    uint32_t frame_count; // of the clip; 0: nothing is held
    uint32_t step;        // frames of a hold
    uint32_t* firsts;     // or, where they differ: [frame_count] the first frame of its hold; else NULL
} limberi_holds;

// All holds are `step` frames long, but for the last one.
limberi_holds limberi_holds_even(const limber_clip* clip, uint32_t step);
// By speed: fast moments and travel on ones, slow moments on threes, the rest on twos. `source`: [moment] of the
// performance; NULL: as the clip came. LIMBER_ERROR_MEMORY or LIMBER_OK.
LIMBER_MUST_USE limber_result limberi_holds_find(const limberi_acting* a, const double* source, limberi_arena* arena,
                                                 limberi_holds* holds);

// The time whose pose is on show.
double limberi_holds_time(const limberi_holds* holds, double time_s);
// Times of two keys for each hold, between which players may blend: its start, and a moment before the next one. The
// last key is at the end of the clip. Returns how many there are; `times` NULL: only that.
uint32_t limberi_holds_keys(const limberi_holds* holds, double* times);

#endif
