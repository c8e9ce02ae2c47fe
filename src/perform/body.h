// The body as a whole in a clip: how it is stretched, squashed and bent at each moment (S17).
#ifndef LIMBERI_PERFORM_BODY_H
#define LIMBERI_PERFORM_BODY_H

#include "perform/acting.h"

typedef struct limberi_body_moment {
    double strain[6]; // logarithm of the stretch in the world: xx, yy, zz, xy, yz, zx; the first three add up to 0
    double bend[2];   // along x and z: radians per body height
    double support;   // 0: it flies ... 1: something carries it
} limberi_body_moment;

// [moment] of the clip as it is played: `played` are its local transforms, [moment * joint_count + joint], NULL: those of
// the plain clip; `source` as in limberi_timing, NULL: the same time. In `arena`.
LIMBER_MUST_USE limber_result limberi_body_find(limberi_acting* a, const limber_transform* played, const double* source,
                                                double squash, double bend, limberi_arena* arena,
                                                const limberi_body_moment** body);

// --- the rule, shared with live poses ---

// How a body moves at a moment, in heights and seconds.
typedef struct limberi_body_motion {
    double velocity[3], travel[3]; // travel: its slow part
    double push[3];                // acceleration
    double spin[3];                // how fast the skin turns as a whole: its mean over the joints, radians per second
    double support;                // as above
} limberi_body_motion;

// What it does to the body, before the springs.
void limberi_body_strain(const limberi_body_motion* motion, double* strain);
void limberi_body_bend(const double* push, double* bend);

// The speed at which the skin turns as a whole from one pose to the next, each joint counting by its share of the skin:
// none where limbs turn against each other, or at a jump cut.
void limberi_body_spin(const limberi_placed_joint* before, const limberi_placed_joint* now, const double* shares,
                       uint32_t joints, double step_s, double* spin);

// A step of the springs after it.
typedef struct limberi_body_springs {
    limberi_spring_step strain, bend;
} limberi_body_springs;

limberi_body_springs limberi_body_stepper(double step_s);

static const double limberi_body_travel_s = 0.35;  // width of what counts as travel
static const double limberi_body_smooth_s = 0.025; // width of what velocities are smoothed with

#endif
