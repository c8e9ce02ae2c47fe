// Time filters of a live stream of poses, and what its tracker made of a pose.
#ifndef LIMBERI_MOTION_LIVE_H
#define LIMBERI_MOTION_LIVE_H

#include "motion/time_filter.h"

// What became of a push: velocities are known from the second pose after a fresh start on, accelerations from the
// third.
typedef struct limberi_tracked {
    const uint32_t* pushes;                         // [joint] since its last fresh start, this one included
    bool held;                                      // nothing changed
    double step_s;                                  // since the one before; above 0 unless it was a fresh start of all
    const limber_vec3 *velocity, *angular_velocity; // [joint] over that step
    const limber_kinematics* air;                   // what the air adds (motion/air.h); NULL: none
} limberi_tracked;

limberi_tracked limberi_tracker_push_pose(limber_tracker* tracker, const limber_transform* local, double time_s);
// What a push would make of a pose: the step since the last one; 0: the same moment again; below 0: a fresh start.
double limberi_tracker_step(limber_tracker* tracker, const limber_transform* local, double time_s);
// How long ago the velocities are that accelerations are taken against; 0: a thirtieth of a second.
void limberi_tracker_window(limber_tracker* tracker, double seconds);
// Both are of the same rig.
void limberi_tracker_copy(limber_tracker* to, const limber_tracker* from);

// One set of filters, stepped with the real time between poses. Each quantity starts from the first value it has.
typedef struct limberi_live_filter limberi_live_filter;

// `step_s`: what jerk and jounce are taken over; 0: 1/24 s.
LIMBER_MUST_USE limber_result limberi_live_filter_create(const limber_model* model, const limberi_filters* filters,
                                                         double step_s, limberi_live_filter** filter);
void limberi_live_filter_destroy(limberi_live_filter* filter);
// From the tracker's kinematics to filtered ones, both in the parents' frames. `out` is not `plain`; `at`: for formulas.
void limberi_live_filter_push(limberi_live_filter* filter, limberi_tracked tracked, const limberi_moment* at,
                              const limber_kinematics* plain, limber_kinematics* out);
// As if the stream had always been like this.
void limberi_live_filter_start(limberi_live_filter* filter, const limber_kinematics* plain);
// Both are of the same rig and the same filters.
void limberi_live_filter_copy(limberi_live_filter* to, const limberi_live_filter* from);

#endif
