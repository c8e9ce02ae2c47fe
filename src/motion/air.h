// Wind and gravity: what they add to the motion of the joints before effects see it (limber_air_settings).
#ifndef LIMBERI_MOTION_AIR_H
#define LIMBERI_MOTION_AIR_H

#include "motion/time_filter.h"

typedef struct limberi_air limberi_air;

// LIMBER_AIR_... that the settings switch on.
uint32_t limberi_air_bits(const limber_air_settings* settings);

// *air is NULL where the settings switch nothing on. `size` is L. Formulas must outlive it.
LIMBER_MUST_USE limber_result limberi_air_create(const limber_model* model, const limber_air_settings* settings,
                                                 float size, limberi_air** air);
void limberi_air_destroy(limberi_air* air);

// Fills the angular velocities and accelerations of `out`, each joint in its parent's frame; nothing else of it. The
// pose's world matrices must be up to date.
void limberi_air_find(const limberi_air* air, uint32_t bits, const limberi_moment* at, const limber_pose* pose,
                      limber_kinematics* out);
// Adds them to a motion.
void limberi_air_add(const limber_model* model, const limber_kinematics* air, limber_kinematics* motion);

// limber_track_create of a motion in the air; NULL: none. The air must outlive the track. `parallel`: threads to find it
// with; NULL: the calling one.
LIMBER_MUST_USE limber_result limberi_track_create(const limber_model* model, const limber_clip* clip,
                                                   const limber_motion_settings* settings,
                                                   const limberi_filters* filters, const limberi_air* air,
                                                   const limber_parallel* parallel, limber_track** track,
                                                   limber_error* error);

#endif
