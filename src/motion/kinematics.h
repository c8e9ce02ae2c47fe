// Kinematics of one moment: with its pose, which needs the same samples and matrices, in the world, and of curves.
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

// How fast the weights of morph targets change, per second, [model.morph_count], by the differences that velocities of
// joints have. `scratch`: twice as many.
void limberi_morph_rates(const limber_model* model, const limber_clip* clip, const limber_motion_settings* settings,
                         double time_s, float* scratch, float* rates);

void limberi_kinematics_clear(uint32_t joint_count, limber_kinematics* out);
void limberi_kinematics_copy(const limber_kinematics* from, uint32_t joint_count, limber_kinematics* to);

// limber_motion_to_world of several motions of one pose.
typedef struct limberi_to_world {
    const limber_kinematics* in;
    limber_kinematics* out; // may be the same
} limberi_to_world;

void limberi_motions_to_world(const limber_model* model, const limber_pose* pose, const limberi_to_world* motions,
                              uint32_t count);

// --- curves.c ---

// log(b * inverse(a)) as a rotation vector along the shortest arc, for unit quaternions x, y, z, w.
void limberi_rotation_between(const double* a, const double* b, double* vector);

enum { LIMBERI_BEFORE = 1, LIMBERI_AFTER = 2 }; // sides of a key

// A moment closer to a key than this part of the way to the next one is the key.
#define LIMBERI_KEY_SNAP 1e-3

// First and second derivative of a translation, or angular velocity and its change of a rotation (on the left, like
// log(q(t + h) q(t)^-1) / h), in the middle between the sides that count where there is a kink: at keys.
void limberi_curve_slope(const limber_channel* channel, double time_s, unsigned sides, double* first, double* second);

#endif
