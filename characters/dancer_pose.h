// Posing the dancer: a figure is a handful of numbers an animator would think in, all 0 at rest except the hands. Clips
// are tables of figures over time; dancer_perform turns one into joint rotations.
#ifndef LIMBERI_CHARACTERS_DANCER_POSE_H
#define LIMBERI_CHARACTERS_DANCER_POSE_H

#include "characters/dancer.h"

// Only doubles: figures are interpolated number by number. Metres and degrees; x of hands and feet counts outwards.
typedef struct figure {
    double hips[3], tilt[3];  // moved and turned against the root
    double spine[3], head[3]; // bent in sum: forward, to the left, roll
    double hand[2][3];        // from the shoulder, in the frame of the chest
    double wrist[2];          // bent inwards
    double foot[2][3];        // moved against its place at rest, over the floor
    double heel[2];           // raised by turning about the toes, which stay flat
    double air[2];            // 1: the foot hangs on the shin instead of keeping level
    double point[2];          // toes pointed, for a foot in the air
    double knee[2];           // 0: the knee points forwards, 1: to the side
    double flare;             // of the skirt all around
    double tail;              // ponytail thrown out
} figure;

typedef struct figure_key {
    double t;
    figure at;
} figure_key;

// Ports de bras: where the hand is, seen from the shoulder.
#define ARM_REST                                                                                                       \
    { 0.287, -0.302, 0.012 }
#define ARM_LOW                                                                                                        \
    { 0.13, -0.375, 0.1 }
#define ARM_FIRST                                                                                                      \
    { -0.03, -0.14, 0.335 }
#define ARM_SECOND                                                                                                     \
    { 0.395, -0.04, 0.1 }
#define ARM_CROWN                                                                                                      \
    { 0.13, 0.365, 0.07 }
#define ARM_BACK                                                                                                       \
    { 0.2, -0.33, -0.14 }

// Smooth through the keys, level at extremes; arms and head follow the body a little later.
void dancer_figure_at(const figure_key* keys, uint32_t count, double t, figure* out);

// Turns the root by yaw_deg about its own place and moves it along z; feet are placed over the floor, not carried
// along.
typedef struct stage {
    double yaw_deg, z;
    limber_vec3 shift; // of the whole figure against the root, so that she can turn about a foot
} stage;

// What she does at a time.
typedef void (*choreography)(double t, figure* f, stage* s);

// Poses her at time t. The skirt looks back a little: what a leg has lifted floats down later.
void dancer_perform(const dancer* d, kit_pose* pose, choreography dance, double t);

#endif
