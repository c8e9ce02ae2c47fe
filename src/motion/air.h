// Wind and gravity: what they add to the motion of the joints before effects see it (limber_air_settings).
#ifndef LIMBERI_MOTION_AIR_H
#define LIMBERI_MOTION_AIR_H

#include <limber/stages/motion.h>

typedef struct limberi_air limberi_air;

// LIMBER_AIR_... that the settings switch on.
uint32_t limberi_air_bits(const limber_air_settings* settings);

// *air is NULL where the settings switch nothing on. `size` is L. Formulas must outlive it.
LIMBER_MUST_USE limber_result limberi_air_create(const limber_model* model, const limber_air_settings* settings,
                                                 float size, limberi_air** air);
void limberi_air_destroy(limberi_air* air);

// The time, as formulas see it.
typedef struct limberi_moment_of_air {
    double time_s, frame, phase;
} limberi_moment_of_air;

// `clip` NULL: live, 30 frames a second.
limberi_moment_of_air limberi_air_moment(const limber_clip* clip, double time_s);

// Fills the angular velocities and accelerations of `out`, each joint in its parent's frame; nothing else of it. The
// pose's world matrices must be up to date.
void limberi_air_find(const limberi_air* air, uint32_t bits, const limberi_moment_of_air* at, const limber_pose* pose,
                      limber_kinematics* out);
// Adds them to a motion.
void limberi_air_add(const limber_model* model, const limber_kinematics* air, limber_kinematics* motion);

// limber_track_create of a motion in the air; NULL: none. The air must outlive the track.
LIMBER_MUST_USE limber_result limberi_track_create(const limber_model* model, const limber_clip* clip,
                                                   const limber_motion_settings* settings,
                                                   const limber_filter_set* filters, const limberi_air* air,
                                                   limber_track** track, limber_error* error);

#endif
