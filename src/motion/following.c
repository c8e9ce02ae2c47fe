// How the springs of one joint go through a clip. Where a tip stops, the lag of its chain fades out just before, so that
// a blow lands when it lands in the clip, and the springs swing on with the speed that the joint came with.
#include "base/turns.h"
#include "motion/follower.h"

#include <math.h>
#include <string.h>

static const double way_s = 0.125;   // over which a joint comes to its stop
static const double overshoot = 0.6; // of its mean speed on that way

// --- without stops ---

// Once through the clip; writes nothing where `out` is false.
static void follow_through(const limberi_following* f, double (*state)[3], bool out) {
    for (uint32_t i = 0; i < f->count; i++) {
        float* u = f->velocities + i * f->stride;
        float* lag = f->lags + i * f->stride;
        for (int c = 0; c < 3; c++) {
            double input = (double)u[c];
            double push = (double)lag[c];
            if (out) {
                u[c] = (float)state[c][LIMBERI_FOLLOWING];
                lag[c] = (float)state[c][LIMBERI_SMOOTHED];
            }
            if (i < f->steps)
                limberi_follow_pushed(&f->step[i * f->step_stride], input, push, state[c]);
        }
    }
}

static void turn_back(const limberi_following* f, double (*state)[3]) {
    if (!f->turn)
        return;
    const double back[4] = {-f->turn[0], -f->turn[1], -f->turn[2], f->turn[3]};
    for (int part = 0; part < 3; part++) {
        double vector[3] = {state[0][part], state[1][part], state[2][part]};
        limberi_turn_rotate(back, vector, vector);
        for (int c = 0; c < 3; c++)
            state[c][part] = vector[c];
    }
}

// The state that a loop starts in.
static void enter_loop(const limberi_following* f, double (*state)[3]) {
    double rest[3][3] = {{0}};
    for (int n = 0; f->turn && n < f->rounds; n++) {
        follow_through(f, state, false);
        turn_back(f, state);
    }
    if (f->turn)
        return;
    follow_through(f, rest, false);
    for (int c = 0; c < 3; c++)
        limberi_follower_steady(f->step, f->step_stride, f->steps, rest[c], state[c]);
}

// --- with stops ---

// The mean velocity on the way to a stop.
static void find_speed(const limberi_following* f, uint32_t stop, double* speed) {
    uint32_t steps = (uint32_t)fmax(way_s / f->step_s + 0.5, 1);
    uint32_t at = (stop + f->count - f->ahead % f->count) % f->count; // where the clip stops
    uint32_t known = 0;
    memset(speed, 0, 3 * sizeof *speed);
    for (uint32_t n = 1; n <= steps && n <= f->count && (f->loops || n <= at); n++, known++) {
        uint32_t i = n <= at ? at - n : at + f->count - n;
        for (int c = 0; c < 3; c++)
            speed[c] += (double)f->velocities[i * f->stride + (size_t)c];
    }
    for (int c = 0; c < 3 && known; c++)
        speed[c] /= known;
}

// The joint stops: its springs move to where it is, and keep a part of the speed that it lost. With a share below 1
// they go only that part of the way.
static void land(const limberi_following* f, uint32_t n, uint32_t sample, double (*state)[3]) {
    double share = f->arrive * (double)f->arrivals->stops[n].share;
    for (int c = 0; c < 3; c++) {
        double now = (double)f->velocities[sample * f->stride + (size_t)c];
        double on = now + overshoot * (f->speeds[n][c] - now);
        state[c][LIMBERI_LAG] *= 1 - share;
        state[c][LIMBERI_SMOOTHED] *= 1 - share;
        state[c][LIMBERI_FOLLOWING] += share * (on - state[c][LIMBERI_FOLLOWING]);
    }
}

// How much of the lag is left before the stop that comes next. Large lags are compressed later: a square, so that these
// do not stay large until the last moment.
static double fade_before(const limberi_following* f, uint32_t next, uint32_t sample) {
    const limberi_arrivals* all = f->arrivals;
    if (next == all->count && !f->loops)
        return 1;
    const limberi_stop* stop = &all->stops[next % all->count];
    double steps = (double)stop->sample - sample + (next == all->count ? f->count : 0);
    double x = fmin(steps * f->step_s / f->fade_s, 1);
    double left = x * x * (3 - 2 * x);
    return 1 - f->arrive * (double)stop->share * (1 - left * left);
}

// Once through the clip. Velocities stay those of springs that know of no stops, and jump nowhere.
static void arrive_through(const limberi_following* f, double (*state)[3], double (*landed)[3], bool out) {
    uint32_t next = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        float* u = f->velocities + i * f->stride;
        float* lag = f->lags + i * f->stride;
        if (next < f->arrivals->count && f->arrivals->stops[next].sample == i)
            land(f, next++, i, landed);
        double left = fade_before(f, next, i);
        for (int c = 0; c < 3; c++) {
            double input = (double)u[c];
            double push = (double)lag[c];
            if (out) {
                u[c] = (float)state[c][LIMBERI_FOLLOWING];
                lag[c] = (float)(left * landed[c][LIMBERI_SMOOTHED]);
            }
            if (i >= f->steps)
                continue;
            limberi_follow_pushed(&f->step[i * f->step_stride], input, push, state[c]);
            limberi_follow_pushed(&f->step[i * f->step_stride], input, push, landed[c]);
        }
    }
}

static void arrive(const limberi_following* f, double (*state)[3]) {
    double landed[3][3];
    double aside[3][3];
    for (uint32_t n = 0; n < f->arrivals->count; n++)
        find_speed(f, f->arrivals->stops[n].sample, f->speeds[n]);
    memcpy(landed, state, sizeof landed);
    memcpy(aside, state, sizeof aside);
    for (int n = 0; f->loops && n < f->rounds; n++) {
        arrive_through(f, aside, landed, false);
        turn_back(f, aside);
        turn_back(f, landed);
    }
    arrive_through(f, state, landed, true);
}

void limberi_following_run(const limberi_following* f, double (*state)[3]) {
    if (f->loops)
        enter_loop(f, state);
    if (f->arrivals && f->arrivals->count)
        arrive(f, state);
    else
        follow_through(f, state, true);
}
