// Jerk and jounce of a live stream of poses: backward differences of its accelerations (thesis, section 7.3).
#ifndef LIMBERI_MOTION_LIVE_DIFFERENCES_H
#define LIMBERI_MOTION_LIVE_DIFFERENCES_H

#include "base/arena.h"
#include "motion/live.h"

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
