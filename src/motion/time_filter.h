// Time filters on one scalar signal (acceleration skinning, section 6; thesis, section 5.4).
#ifndef LIMBERI_TIME_FILTER_H
#define LIMBERI_TIME_FILTER_H

#include <limber/stages/motion.h>

bool limberi_filter_set_equal(const limber_filter_set* a, const limber_filter_set* b);

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
    bool loops;             // sample `count` would be sample 0 again
    const uint8_t* restart; // [count]: a cut lies between this sample and the one before; NULL: none
} limberi_signal;

void limberi_filter_run(const limber_filter* filter, const limberi_signal* signal);

// The three signals of one vector in a loop that turns: sample `count` would be sample 0 turned by the quaternion.
void limberi_filter_run_turning(const limber_filter* filter, const limberi_signal* xyz, const double* turn);

// limber_track_evaluate for who has the plain motion at that time already; `out` may be the same.
void limberi_track_apply(const limber_track* track, double time_s, const limber_kinematics* plain,
                         limber_kinematics* out);

#endif
