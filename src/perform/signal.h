// Signals on an even grid over a clip, which the performance is analysed on. A loop wraps; otherwise the end values go
// on. Signals have count moments of `width` numbers each; in a loop the last moment is the first one again.
#ifndef LIMBERI_PERFORM_SIGNAL_H
#define LIMBERI_PERFORM_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct limberi_moments {
    uint32_t count; // moments, at least 2
    double step_s;
    bool loops;
} limberi_moments;

// In place. `scratch` has 2 * count + 2 numbers. Sigma 0: nothing happens.
void limberi_signal_smooth(const limberi_moments* grid, double sigma_s, uint32_t width, double* values,
                           double* scratch);

// The largest (or smallest) value within +-reach_s, of a signal of width 1. `scratch` as above.
void limberi_signal_max(const limberi_moments* grid, double reach_s, double* values, double* scratch);
void limberi_signal_min(const limberi_moments* grid, double reach_s, double* values, double* scratch);

// Mean with a raised cosine of +-reach_s, width 1.
void limberi_signal_hann(const limberi_moments* grid, double reach_s, double* values, double* scratch);

// Derivative by time. In a loop that travels, what is missing at the seam is not a motion.
void limberi_signal_rate(const limberi_moments* grid, uint32_t width, const double* values, double* rate);

// x'' = w^2 (u - x) - 2 d w x', over one step with u held: the new place and velocity from the old ones.
typedef struct limberi_spring_step {
    double place[2], velocity[2], drive[2];
} limberi_spring_step;

limberi_spring_step limberi_spring_stepper(double frequency_hz, double damping, double step_s);

static inline void limberi_spring_follow(const limberi_spring_step* step, double drive, double* place,
                                         double* velocity) {
    double old = *place;
    *place = step->place[0] * old + step->place[1] * *velocity + step->drive[0] * drive;
    *velocity = step->velocity[0] * old + step->velocity[1] * *velocity + step->drive[1] * drive;
}

// A spring that follows the signal (S6), exact for samples that are held; in loops its steady state.
void limberi_signal_spring(const limberi_moments* grid, double frequency_hz, double damping, uint32_t width,
                           double* values);

// The value below which a share of the moments lies, width 1. `scratch` has count numbers.
double limberi_signal_percentile(const limberi_moments* grid, double share, const double* values, double* scratch);

// Of an even signal, at a real-valued moment.
static inline double limberi_signal_at(const double* values, uint32_t count, double moment) {
    moment = moment > 0 ? moment : 0;
    uint32_t at = moment < count - 2 ? (uint32_t)moment : count - 2;
    double part = moment - at < 1 ? moment - at : 1;
    return (1 - part) * values[at] + part * values[at + 1];
}

// Sets the value of a moment, and straight lines to it from the moment `before`.
void limberi_signal_fill(double* values, uint32_t before, uint32_t now, double value);

#endif
