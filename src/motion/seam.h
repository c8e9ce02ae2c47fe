// The endless motion that a looping clip stands for: seams closed, travel carried along.
#ifndef LIMBERI_MOTION_SEAM_H
#define LIMBERI_MOTION_SEAM_H

#include <limber/stages/motion.h>

enum { LIMBERI_SEAM_SLOTS = 5 };

// Up to five moments of one clip.
typedef struct limberi_seams {
    const limber_clip* clip;
    double part[LIMBERI_SEAM_SLOTS]; // of the clip that has passed, 0 ... 1
    int turn[LIMBERI_SEAM_SLOTS];    // 0: the clip itself, 1: the time after it
} limberi_seams;

// Whether the motion of a clip that counts as a loop differs from its keys at all.
bool limberi_has_seams(const limber_clip* clip);
const limber_seam* limberi_seam_of(const limber_clip* clip, uint32_t joint); // NULL: none
bool limberi_joint_has_seam(const limber_clip* clip, uint32_t joint);

// Fills one slot and returns limber_clip_wrap(clip, true, time_s).
double limberi_seams_set(limberi_seams* seams, int slot, double time_s);

// From what the keys say at the wrapped time of a slot to the endless motion there: 3 numbers of a translation or 4 of a
// rotation.
void limberi_seams_close(const limberi_seams* seams, int slot, uint32_t joint, limber_channel_path path, double* value);

// A clip that turns ends in another direction: from the motion at its start to that at its end.
bool limberi_turns_at_end(const limber_clip* clip, double time_s);
void limberi_turn_at_seam(const limber_clip* clip, float* vector);

#endif
