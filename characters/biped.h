// What the two-legged characters share: their joints, a figure that poses them, steps that never slide, and hands with
// three fingers and a thumb.
#ifndef LIMBERI_CHARACTERS_BIPED_H
#define LIMBERI_CHARACTERS_BIPED_H

#include "characters/steps.h"

enum { BIPED_FINGERS = 4 }; // thumb, index, middle, little

// Places on the left side at rest.
typedef struct biped_places {
    limber_vec3 hips, spine, chest, neck, head;
    limber_vec3 shoulder, elbow, hand;
    limber_vec3 hip, knee, ankle, ball;
    float heel_z; // where a foot with raised toes touches the floor
    float hand_size;
} biped_places;

// Sides are [left, right].
typedef struct biped {
    const kit* k;
    biped_places at;
    uint32_t root, hips, spine, chest, neck, head;
    uint32_t arm_upper[2], arm_lower[2], hand[2], finger[2][BIPED_FINGERS];
    uint32_t leg_upper[2], leg_lower[2], foot[2], toe[2];
} biped;

static const float BIPED_SIDES[2] = {1, -1};

// Joints down to the neck's end and the toes; what hangs on them is up to the character.
void biped_rig(kit* k, biped* b, const biped_places* places);

// A hand as a shape of its own; a fist is closed around what it holds. `brush` gives color and layers.
void biped_model_hand(kit* k, const biped* b, uint32_t side, bool fist, const kit_brush* brush, float edge);
// The frame of the left hand at rest: the way of the fingers, the side of the thumb, out of the palm.
void biped_hand_frame(const biped_places* at, limber_vec3* along, limber_vec3* thumb, limber_vec3* palm);
// The middle of what a fist holds.
limber_vec3 biped_grip(const biped_places* at);

// A pose as an animator thinks of it, all 0 at rest except the hands. Only doubles: figures are interpolated number by
// number. Metres and degrees; x of hands and feet counts outwards.
typedef struct biped_figure {
    double way;               // of the root along z
    double hips[3], tilt[3];  // moved and turned against the root
    double spine[3], head[3]; // bent in sum
    double hand[2][3];        // from the shoulder, in the frame of the chest
    double wrist[2][3];       // against the forearm
    double foot[2][3];        // against its place at rest in the world
    double pitch[2];          // heel raised over the ball; below 0 toes raised over the heel
    double air[2];            // 1: the toes no longer keep to the floor
    double extra[2];          // what else the character has
} biped_figure;

typedef struct biped_key {
    double t;
    biped_figure at;
} biped_key;

// Smooth through at most KIT_FIGURE_KEYS keys, level at extremes. Hands and head follow the body a little later.
void biped_figure_at(const biped_key* keys, uint32_t count, double t, biped_figure* out);
void biped_pose(const biped* b, kit_pose* pose, const biped_figure* figure);

// Both feet of a run on the spot, on a floor that glides back at stride / period.
void biped_run_feet(biped_figure* f, double t, const steps_gait* gait);
// Both feet of a clip that runs two strides and stops: the left foot digs in at `left_z`, the right one
// comes down at `right_z`, `right_s` later.
void biped_stop_feet(biped_figure* f, double t, const steps_gait* gait, double left_z, double right_z, double right_s);
#endif
