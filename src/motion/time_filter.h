// Time filters on one scalar signal (acceleration skinning, section 6; thesis, section 5.4), and which share of an
// acceleration belongs to a motion that starts and which to one that stops.
#ifndef LIMBERI_TIME_FILTER_H
#define LIMBERI_TIME_FILTER_H

#include "base/math.h"
#include <limber/stages/motion.h>

// The time, as formulas see it.
typedef struct limberi_moment {
    double time_s, frame, phase;
} limberi_moment;

// `clip` NULL: live, 30 frames a second.
limberi_moment limberi_moment_of(const limber_clip* clip, double time_s);

// A number of a filter set that changes with time: at this offset, times `scale`.
typedef struct limberi_filter_formula {
    size_t number;
    double scale;
    const limber_expression* expression;
} limberi_filter_formula;

enum { LIMBERI_FILTER_NUMBERS = 4 * 3 + 3 + 3 }; // of the filters, the follower and the gate

// The filters of an effect.
typedef struct limberi_filters {
    limber_filter_set set;
    uint32_t formula_count;
    limberi_filter_formula formulas[LIMBERI_FILTER_NUMBERS];
} limberi_filters;

// Whether a formula may stand for the number at this offset, from the style.
bool limberi_filter_number_is_known(size_t number);
bool limberi_filters_equal(const limberi_filters* a, const limberi_filters* b);
// All numbers as they are at this moment.
limber_filter_set limberi_filters_at(const limberi_filters* filters, const limberi_moment* at);

// One step of either filter as a linear map: (y, y') -> m (y, y') + f0 * x_before + f1 * x_after.
typedef struct limberi_stepper {
    double m[4], f0[2], f1[2];
} limberi_stepper;

// `step_s` is above 0, and the filter is one.
limberi_stepper limberi_filter_stepper(const limber_filter* filter, double step_s);
void limberi_filter_step(const limberi_stepper* stepper, double before, double after, double* y);

// Samples of one signal, `stride` floats apart, filtered in place.
typedef struct limberi_signal {
    float* samples;
    size_t stride;
    uint32_t count;
    double step_s;
    bool loops;                   // sample `count` would be sample 0 again
    const uint8_t* restart;       // [count]: a cut lies between this sample and the one before; NULL: none
    const limberi_stepper* steps; // [count] from each sample to the next; NULL: the filter's, always the same
} limberi_signal;

void limberi_filter_run(const limber_filter* filter, const limberi_signal* signal);

// The three signals of one vector in a loop that turns: sample `count` would be sample 0 turned by the quaternion.
void limberi_filter_run_turning(const limber_filter* filter, const limberi_signal* xyz, const double* turn);

// Whether nothing is left of the plain motion, so that any with zeros for joints that stand still will do.
bool limberi_track_replaces(const limber_track* track);
// Seconds between its samples (0: it has none), and how far ahead of the time it is looked up.
double limberi_track_step(const limber_track* track, double* ahead_s);
// limber_track_evaluate for who has the plain motion at that time already; `out` may be the same.
void limberi_track_apply(const limber_track* track, double time_s, const limber_kinematics* plain,
                         limber_kinematics* out);

// --- gates ---

// `dot` is velocity . acceleration, `square` acceleration . acceleration. t = -dot / square is the time until the motion
// turns round, negative after it; the result is smoothstep(-turn, turn, t): 1 while the motion stops, 0 while it starts,
// half at the turning point. A turn of 0 is a hard switch. A limit takes the place of all that: clamp(-dot / limit, 0, 1).
static inline float limberi_slowing_share(float dot, float square, float turn_s, float limit) {
    if (limit > 0)
        return limberi_clamp(-dot / limit, 0, 1);
    if (!(turn_s > 0) || !(square > 0))
        return dot < 0 ? 1.0f : 0.0f;
    float x = 0.5f - 0.5f * (dot / square) / turn_s;
    x = limberi_clamp(x, 0, 1);
    return x * x * (3 - 2 * x);
}

// `part`: 0 linear, 1 angular.
static inline limber_vec3 limberi_gated(const limber_filter_set* filters, int part, limber_vec3 velocity,
                                        limber_vec3 acceleration) {
    limber_gate gate = filters->gate;
    if (gate == LIMBER_GATE_NONE)
        return acceleration;
    float share = limberi_slowing_share(limberi_dot(velocity, acceleration), limberi_dot(acceleration, acceleration),
                                        (float)filters->turn_s, (float)filters->gate_limit[part]);
    return limberi_scale(acceleration, gate == LIMBER_GATE_STOPPING ? share : 1 - share);
}

#endif
