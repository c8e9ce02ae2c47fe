// Differences of sampled vectors: how accelerations on a regular grid become jerk and jounce (thesis, section 7.3).
#ifndef LIMBERI_MOTION_DIFFERENCES_H
#define LIMBERI_MOTION_DIFFERENCES_H

#include <limber/base.h>

#include <stddef.h>

// The grid of a clip has about this many samples per step of the differences.
enum { LIMBERI_STEPS_OF_DIFFERENCE = 3 };

// One vector of one joint, `stride` floats from sample to sample.
typedef struct limberi_vectors {
    float* samples;
    size_t stride;
    uint32_t count;
    double step_s;
    bool loops;             // sample `count` would be sample 0 again ...
    const uint8_t* restart; // [count]: a cut lies between this sample and the one before
    const double* turn;     // ... turned by this quaternion; NULL: not turned
} limberi_vectors;

// Replaces the vectors by their first (order 1) or second (order 2) central differences over about `width_s`, in whole
// samples. Next to cuts and ends the first difference gets shorter on that side and the second moves inward, as those of
// limber_motion_from_clip do. `scratch` has 3 * count floats.
void limberi_differentiate(const limberi_vectors* vectors, uint32_t order, double width_s, float* scratch);

#endif
