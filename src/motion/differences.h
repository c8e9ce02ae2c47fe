// Differences of sampled vectors: how accelerations on a regular grid become jerk and jounce (thesis, section 7.3).
#ifndef LIMBERI_MOTION_DIFFERENCES_H
#define LIMBERI_MOTION_DIFFERENCES_H

#include "base/memory.h"
#include "motion/live.h"

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

// --- of a live stream of poses: backward differences of its accelerations ---

typedef struct limberi_live_differences limberi_live_differences;

// Order 1: jerk, 2: jounce. NULL where the arena has failed.
limberi_live_differences* limberi_live_differences_create(limberi_arena* arena, uint32_t joint_count, uint32_t order,
                                                          double step_s);
// The accelerations of `out` become those of `differences`; they stay valid until the next push.
void limberi_live_differences_push(limberi_live_differences* differences, limberi_tracked tracked,
                                   const limber_kinematics* plain, limber_kinematics* out);
// Nothing is known of the stream before; `out` as above.
void limberi_live_differences_start(limberi_live_differences* differences, limber_kinematics* out);
void limberi_live_differences_copy(limberi_live_differences* to, const limberi_live_differences* from);

#endif
