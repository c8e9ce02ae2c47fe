// The joints of a clip at several moments at once, two channels side by side. Where the moments lie among the keys is
// looked up once for all channels that have the same times, and so is what depends on nothing else.
#ifndef LIMBERI_MOMENTS_H
#define LIMBERI_MOMENTS_H

#include "base/pairs.h"
#include <limber/stages/pose.h>

enum { LIMBERI_MAX_MOMENTS = 6, LIMBERI_TURN_TERMS = 12 };

// Where the moments lie among the keys of one channel.
typedef struct limberi_moment_keys {
    const float* times; // whose they are
    uint32_t key_count;
    uint32_t key[LIMBERI_MAX_MOMENTS]; // there is one after it
    bool inside[LIMBERI_MAX_MOMENTS];  // and the moment lies between the two
    float low_s[LIMBERI_MAX_MOMENTS], high_s[LIMBERI_MAX_MOMENTS];
} limberi_moment_keys;

typedef struct limberi_moments {
    uint32_t count;
    double time_s[LIMBERI_MAX_MOMENTS];
    limberi_moment_keys lanes[2]; // of the two channels that were asked for last
    // Coefficients of the weights of a turn (moments.c); way[i][0] is the part of the way from key to key, 0 ... 1.
    limberi_pair way[LIMBERI_MAX_MOMENTS][LIMBERI_TURN_TERMS], excess[LIMBERI_MAX_MOMENTS][LIMBERI_TURN_TERMS];
    // Weights of cubic splines: of the way to the next value, of the tangent that leaves and of the one that arrives.
    limberi_pair spline[LIMBERI_MAX_MOMENTS][3];
} limberi_moments;

// Values of two channels at all moments: [moment][number]. Rotations have four, the others three.
typedef limberi_pair limberi_moment_values[LIMBERI_MAX_MOMENTS][4];

typedef struct limberi_visit {
    limberi_moments moments;
    limber_pose* poses; // [pose_count] get the transforms of as many moments, from `pose_first` on
    uint32_t pose_first, pose_count;
    // Called for channels of more than one key; the same joint twice where there is no other. May be NULL.
    void (*moved)(void* user, limber_channel_path path, const uint32_t* joints, limberi_moment_values values);
    void* user;
} limberi_visit;

// No moments, no pose, nobody to call.
void limberi_visit_start(limberi_visit* visit);

// Adds a moment, unless it is there already, and returns its number.
uint32_t limberi_moments_add(limberi_moments* moments, double time_s);

// Visits all translations and rotations of a clip; scales and morph weights only where there is a pose to fill.
void limberi_clip_visit(const limber_model* model, const limber_clip* clip, limberi_visit* visit);

#endif
