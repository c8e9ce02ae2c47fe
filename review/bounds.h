// What a review may at most be. Presets have bands of their own; other styles are only held to what no style should do.
#ifndef LIMBERI_BOUNDS_H
#define LIMBERI_BOUNDS_H

#include "review/review.h"

#define LIMBERI_POP_BOUND 2.5
#define LIMBERI_SEAM_BOUND 0.004

typedef enum limberi_bound {
    LIMBERI_BOUND_WEAK,
    LIMBERI_BOUND_STRONG,
    LIMBERI_BOUND_STRETCH,
    LIMBERI_BOUND_RIGID,
    LIMBERI_BOUND_POP,
    LIMBERI_BOUND_FLOOR,
    LIMBERI_BOUND_SLIDE,
    LIMBERI_BOUND_SEAM,
    LIMBERI_BOUND_CRACK,
    LIMBERI_BOUND_SMEARED, // share of the frames
    LIMBERI_BOUND_SMEAR_STRETCH,
    LIMBERI_BOUND_SMEAR_RIGID,
    LIMBERI_BOUND_SMEAR_IDLE,
    LIMBERI_BOUND_SMEAR_FLICKER,
    LIMBERI_BOUND_COUNT
} limberi_bound;

typedef struct limberi_bounds {
    double limit[LIMBERI_BOUND_COUNT]; // INFINITY: no bound; WEAK is the least, 0: none
    double lag_s;                      // a lag cannot exceed this times the speed, so less is not weak
} limberi_bounds;

// `preset` NULL, or without a band: only what holds for every style. `keeps_rigid`: the style means parts to be rigid.
// `no_props`: a body made for a skeleton, or one that is a single piece, has none.
limberi_bounds limberi_bounds_of(const char* preset, bool keeps_rigid, bool no_props);

const char* limberi_bound_name(limberi_bound bound);
// Bit per bound that is broken.
uint32_t limberi_bounds_broken(const limberi_bounds* bounds, const limberi_review* review);
// The number that a bound is about, and the bound itself for this review.
double limberi_bound_value(limberi_bound bound, const limberi_review* review);
double limberi_bound_limit(limberi_bound bound, const limberi_bounds* bounds, const limberi_review* review);

#endif
