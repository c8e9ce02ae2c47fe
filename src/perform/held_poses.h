// Single holds: moments of a clip that stay for as long as an animator says, whatever the timing does there.
#ifndef LIMBERI_PERFORM_HELD_POSES_H
#define LIMBERI_PERFORM_HELD_POSES_H

#include "perform/acting.h"

// What every retimed clip keeps to.
typedef struct limberi_warp_bounds {
    double slowest, fastest; // of the plain speed
    double max_shift_s;
    double key_apart_s; // nearer moments are one key pose
} limberi_warp_bounds;

// Holds of other clips, outside of this one and without a place (NaN) are left out. `shift` is how much later than in the
// plain clip each of its moments is shown, in seconds. Held moments and key poses elsewhere keep theirs.
LIMBER_MUST_USE limber_result limberi_poses_hold(const limberi_acting* a, const limberi_warp_bounds* bounds,
                                                 const limberi_timing_amounts* amounts, limberi_timing* timing,
                                                 double* shift);

#endif
