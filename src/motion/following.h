// How the springs of one joint go through a clip.
#ifndef LIMBERI_MOTION_FOLLOWING_H
#define LIMBERI_MOTION_FOLLOWING_H

#include "motion/arrivals.h"
#include "motion/follower.h"

// One vector of a joint: the samples hold its velocities over the steps and what pushes it, and then how it is followed.
typedef struct limberi_following {
    const limberi_follower_step* step; // [sample * step_stride]
    uint32_t step_stride;              // 0: always the same
    float *velocities, *lags;          // [sample * stride]
    size_t stride;
    uint32_t steps, count;
    bool loops;
    double rounds;      // through a loop until it no longer matters how it began
    const double* turn; // that a loop adds in every round; NULL: none
    double step_s;
    const limberi_arrivals* arrivals; // NULL: none
    double (*speeds)[3];              // [stop] scratch of these
    double arrive;                    // 0 to 1: how much they count
    double fade_s;                    // over which the lag goes before a stop
    uint32_t ahead;                   // limberi_arrival_grid.ahead
} limberi_following;

// From `state` on, for each of the three numbers; loops find their own.
void limberi_following_run(const limberi_following* following, double (*state)[3]);

#endif
