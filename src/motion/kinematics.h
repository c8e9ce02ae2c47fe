// Pose and kinematics of one moment together: they need the same samples and matrices.
#ifndef LIMBERI_KINEMATICS_H
#define LIMBERI_KINEMATICS_H

#include <limber/stages/motion.h>

// The step of the central differences, seconds; and whether the clip counts as a loop.
double limberi_motion_step(const limber_motion_settings* settings);
bool limberi_motion_loops(const limber_clip* clip, const limber_motion_settings* settings);

// The two times, within the clip, that velocities at `time_s` are differences between; returns how far apart they are, 0:
// nothing moves.
double limberi_motion_around(const limber_clip* clip, const limber_motion_settings* settings, double time_s,
                             double* before, double* after);

// limber_clip_sample and limber_motion_from_clip in one; `pose` may be NULL.
void limberi_motion_at(const limber_model* model, const limber_clip* clip, const limber_motion_settings* settings,
                       double time_s, limber_pose* pose, limber_kinematics* out);

void limberi_kinematics_copy(const limber_kinematics* from, uint32_t joint_count, limber_kinematics* to);

// limber_motion_to_world of several motions of one pose.
typedef struct limberi_to_world {
    const limber_kinematics* in;
    limber_kinematics* out; // may be the same
} limberi_to_world;

void limberi_motions_to_world(const limber_model* model, const limber_pose* pose, const limberi_to_world* motions,
                              uint32_t count);

#endif
