// The spring that follows a joint: how far the skin is behind it, and how fast it follows.
#ifndef LIMBERI_MOTION_FOLLOWER_H
#define LIMBERI_MOTION_FOLLOWER_H

#include "motion/arrivals.h"
#include <limber/stages/motion.h>

#include <math.h>

// One step of one component with a constant input u, the joint's velocity: e is the lag, w the follower's velocity, s the
// lag smoothed:
//   e' = u - w,  w' = f^2 e - 2 d f (w - (1 - c) u),  s' = (e - s) / smooth
// c is 1 for turns (a steady turn leaves a steady lag) and 0 for travel (a steady travel leaves none).
// A push a, an acceleration of the joint that is not in u, goes straight into w' as -a: a steady one leaves a lag of a / f^2.
typedef struct limberi_follower_step {
    double m[3][3], b[3], pushed[3];
} limberi_follower_step;

enum { LIMBERI_LAG, LIMBERI_FOLLOWING, LIMBERI_SMOOTHED };

// Exact for any step.
limberi_follower_step limberi_follower_stepper(const limber_follower* follower, bool turns, double step_s);

static inline void limberi_follow_pushed(const limberi_follower_step* step, double u, double push, double* state) {
    double next[3];
    for (int i = 0; i < 3; i++) {
        next[i] = step->m[i][0] * state[0] + step->m[i][1] * state[1] + step->m[i][2] * state[2] + step->b[i] * u;
        if (push != 0)
            next[i] += step->pushed[i] * push;
    }
    state[0] = next[0];
    state[1] = next[1];
    state[2] = next[2];
}

static inline void limberi_follow(const limberi_follower_step* step, double u, double* state) {
    limberi_follow_pushed(step, u, 0, state);
}

// The state that a turn at the velocity u, under a push, ends up in.
static inline void limberi_follower_settle(const limber_follower* f, double u, double push, double* state) {
    double w = 6.283185307179586 * fmin(fmax(f->frequency_hz, 1e-3), 1e3);
    state[LIMBERI_FOLLOWING] = u;
    state[LIMBERI_LAG] = state[LIMBERI_SMOOTHED] = (2 * fmin(fmax(f->damping, 0), 1e2) * u + push / w) / w;
}

// The state that a period leads back to itself: `from_rest` is where it leads from 0. False: there is none. With a stride
// of 0 all steps are the first one.
bool limberi_follower_steady(const limberi_follower_step* step, uint32_t stride, uint32_t steps,
                             const double* from_rest, double* state);

// --- how the springs of one joint go through a clip ---

// One vector of a joint: the samples hold its velocities over the steps and what pushes it, and then how it is followed.
typedef struct limberi_following {
    const limberi_follower_step* step; // [sample * step_stride]
    uint32_t step_stride;              // 0: always the same
    float *velocities, *lags;          // [sample * stride]
    size_t stride;
    uint32_t steps, count;
    bool loops;
    double rounds;      // of a loop, after which the first state has no influence
    const double* turn; // by which a loop turns in every round; NULL: it does not
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
