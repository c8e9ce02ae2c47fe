// How fast a character and its displacement change from frame to frame, and how far the ends of a clip are apart.
#ifndef LIMBERI_CHANGES_H
#define LIMBERI_CHANGES_H

#include "base/memory.h"
#include <limber/asset.h>

#define LIMBERI_MIN_SPEED 0.48 // sizes per second: nobody sees less from one frame to the next
#define LIMBERI_CLOSED 2e-3    // sizes: a clip whose ends are this near is seen as a loop

typedef struct limberi_farthest {
    double length;
    uint32_t vertex;
} limberi_farthest;

// Lengths are in units of the model. Set up by limberi_changes_begin, then fed frame by frame.
typedef struct limberi_changes {
    const limber_clip* clip;
    uint32_t vertex_count, frame_count;
    double last_s;
    float *plain, *moved; // 3 per vertex: of the frame before
    float *first_plain, *first_moved;
    float* scratch;
    double plain_change;
    limberi_farthest change; // of the displacement
    double change_s;         // when it had happened
    double strength;         // the largest displacement
} limberi_changes;

// False: not enough memory, which the arena remembers.
bool limberi_changes_begin(limberi_changes* changes, limberi_arena* arena, const limber_clip* clip, uint32_t vertices);
// Frames come in the order of time. A jump cut between two is not motion.
void limberi_changes_add(limberi_changes* changes, double time_s, const float* plain, const float* styled);

// How far the last frame is from the first: of the plain motion, and of the displacement.
double limberi_changes_gap(const limberi_changes* changes);
limberi_farthest limberi_changes_seam(const limberi_changes* changes);

// The largest change of displacement over that of the plain motion, which counts as at least LIMBERI_MIN_SPEED.
double limberi_changes_pop(const limberi_changes* changes, double size, double rate);

#endif
