// Acting of live poses, which come one by one: the body squashes and bends, and poses go farther from where the character
// dwells, by what was so far (S16, S17). Timing and anticipation would have to know what comes; they do not exist here.
#ifndef LIMBERI_PERFORM_LIVE_ACTING_H
#define LIMBERI_PERFORM_LIVE_ACTING_H

#include "perform/performance.h"

typedef struct limberi_live_acting limberi_live_acting;

// `performer`: its anatomy is that of live poses. All memory is allocated here. NULL: not enough memory.
limberi_live_acting* limberi_live_acting_create(const limberi_performer* performer,
                                                const limber_perform_settings* settings);
void limberi_live_acting_destroy(limberi_live_acting* acting);
// The next pose has nothing to do with the last one.
void limberi_live_acting_reset(limberi_live_acting* acting);
// As if the stream had gone on here. Both are of the same performer.
void limberi_live_acting_copy(limberi_live_acting* to, const limberi_live_acting* from);

// What is known of the ground under a pose, [joint] each: how much a joint touches it, and its height below the joint.
typedef struct limberi_live_ground {
    const float *touching, *height; // NULL: nothing is known
} limberi_live_ground;

// The next pose: its local transforms are edited in place. `step_s` is the time since the last one; 0: the same moment
// again. The first one after a reset has none.
void limberi_live_acting_pose(limberi_live_acting* acting, const limberi_live_ground* ground, double step_s,
                              limber_transform* local);
// After it, with the world matrices of the edited pose: what the body does.
void limberi_live_acting_shape(limberi_live_acting* acting, const limber_pose* pose, double step_s);

// Whether poses are edited, and whether the body has a shape; `landing` and `height` as in limberi_performance.
bool limberi_live_acting_poses(const limberi_live_acting* acting);
bool limberi_live_acting_body(const limberi_live_acting* acting, limberi_body_moment* body, double* height,
                              double* landing);

#endif
