// Acting of live poses: what its files share.
#ifndef LIMBERI_PERFORM_LIVE_PRIVATE_H
#define LIMBERI_PERFORM_LIVE_PRIVATE_H

#include "perform/live_acting.h"
#include "perform/poser.h"

static const double limberi_live_grow_s = 0.3; // how long all of it takes to grow from nothing

// How fast filters follow in a step.
typedef struct limberi_live_step {
    double step_s;
    double even; // of means over time
    double part; // of those in which slow moments count most
} limberi_live_step;

// A slow mean of a turn: where something dwells.
typedef struct limberi_dwelling {
    double mean[4], last[4];
} limberi_dwelling;

// How large poses are: lumps of skin against their mean places, heading and travel taken out.
typedef struct limberi_live_size {
    double* mean;  // [joint * 3]
    double square; // mean of the squared amplitude, heights
} limberi_live_size;

// A joint that poses turn farther.
typedef struct limberi_turner {
    uint32_t joint;
    int32_t limb; // -1: trunk
    double share, soft_s;
    limberi_dwelling at;
    double away[3], soft[3]; // rotation vector from where it dwells, and smoothed
    double square;           // mean of its square
} limberi_turner;

enum { LIMBERI_SOLES = 4 };

// A leg that is bent: soles are points of the foot that are lowest at rest, in the frames of their joints.
typedef struct limberi_live_leg {
    uint32_t sole_count;
    uint32_t sole_joints[LIMBERI_SOLES];
    double soles[LIMBERI_SOLES][3];
    double low;                       // height of the lowest of them now, world units
    double high;                      // of that above the ground, in heights
    double near;                      // 0: the foot is in the air ... 1: it is on the ground
    double mean[3], last[3], soft[3]; // of the way from hip to ankle, heading taken out
    double step[3], target[3];        // where its end goes on top of its plain place, and where it goes at all
} limberi_live_leg;

// What poses know of the past.
typedef struct limberi_live_pose {
    bool on, shifts;              // the style has it; the hips may be moved
    uint32_t count, top;          // turners; the uppermost trunk joint
    limberi_turner* turners;      // parents first
    limberi_live_leg* legs;       // [legs.count]
    limberi_legs found;           // as clips have them
    double heading[4];            // which way the character faces: a turn about the vertical
    double upright;               // 0: it is upside down, so nobody knows
    double lying;                 // 0 ... 1: the legs carry nothing
    double rest_turn[4];          // of the hips
    double rest_high;             // height of the hips above the lowest vertex at rest
    limberi_dwelling hips;        // tilts, heading taken out
    limberi_dwelling chest;       // of the top
    double place[2][3];           // means of the hips' place, the second of the first
    double last[3];               // their last place
    double middle[3];             // of the skin, last
    double travel[3];             // slow velocity of that, heights per second
    double *lump_now, *lump_last; // [joint * 3] middle of its own skin, world
    limberi_live_size plain, edited;
    double wanted;             // gain: the style's, and what a small performance gets more
    double change;             // of it, so that poses become as much larger as wanted
    bool travels;              // the above is known
    double speed_square;       // mean of the squared speed of the pose, heights per second
    double largest;            // squared amplitude: its mean, or what it is now where that is more
    double weight;             // mean of how much it dwells
    limberi_live_step step;    // the last one
    limberi_placed_joint* now; // [joint] of the edited pose
    double* touch;             // [joint] how much it touches the ground
    double* limb_touch;        // [limb] how much any of its joints does
    int32_t* foot_of;          // [joint] index of the leg at or below whose end it is, -1: none
    uint8_t* shifted;          // [joint] is the hips or hangs below them
} limberi_live_pose;

// Filters of the body's shape, and its springs.
typedef struct limberi_live_shape {
    double smooth[6][3];             // velocity, acceleration and spin, each smoothed once and twice; heights, radians
    double travel[3];                // slow part of the velocity
    double strain[6][2], bend[2][2]; // place and velocity
} limberi_live_shape;

// What the shape of the body knows of the past.
typedef struct limberi_live_body {
    bool on;
    double squash, bend, landing;
    uint32_t known;                                 // 0: nothing, 1: a place, 2: and a velocity
    double middle[3], velocity[3], spin[3], step_s; // of the last step
    limberi_live_shape known_to;                    // up to the middle of it, where that velocity is exact
    limberi_live_shape now;                         // carried on from there to the newest pose
} limberi_live_body;

struct limberi_live_acting {
    limberi_acting now; // one moment: the plain pose
    const limberi_performer* performer;
    limber_perform_settings settings;
    limberi_clip_ground no_ground;
    double age_s; // since the stream began
    bool started;
    double support;
    limberi_placed_joint *posed, *last_posed; // [joint] of the edited pose, and of the one before
    double* shares;                           // [joint] of the skin
    double (*lumps)[4]; // [joint] own skin as one lump, joint space: its place, and its share of the whole
    limberi_live_pose pose;
    limberi_live_body body;
};

// live_pose.c
LIMBER_MUST_USE bool limberi_live_pose_open(limberi_live_acting* acting);
void limberi_live_pose_copy(limberi_live_pose* to, const limberi_live_pose* from, uint32_t joint_count);
void limberi_live_pose_start(limberi_live_acting* acting, const limber_transform* local);
void limberi_live_pose_advance(limberi_live_acting* acting, const limber_transform* local, double step_s);
void limberi_live_pose_edit(limberi_live_acting* acting, double step_s, limber_transform* local);
// live_legs.c: finds soles; where feet are; moves the hips and bends legs after joints were turned.
LIMBER_MUST_USE bool limberi_live_legs_open(limberi_live_acting* acting);
void limberi_live_legs_start(limberi_live_acting* acting);
void limberi_live_legs_advance(limberi_live_acting* acting, const limberi_live_step* step);
void limberi_live_legs_see(limberi_live_acting* acting, const limberi_live_ground* ground);
// How much of the body legs carry that are down on the ground, whether or not their feet rest there.
double limberi_live_legs_carry(const limberi_live_acting* acting);
// `gain` as limberi_poser has it; `fade`: 0 ... 1 of everything.
void limberi_live_stand(limberi_live_acting* acting, double gain, double fade, limber_transform* local);

// A vector of the world, seen by someone who faces along the heading.
static inline void limberi_out_of_heading(const double* heading, const double* v, double* out) {
    double back[4];
    limberi_turn_inverse(heading, back);
    limberi_turn_rotate(back, v, out);
}

#endif
