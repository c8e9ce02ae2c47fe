// The edit of poses: what its files share.
#ifndef LIMBERI_PERFORM_POSER_H
#define LIMBERI_PERFORM_POSER_H

#include "base/turns.h"
#include "perform/legs.h"

typedef struct limberi_poser {
    limberi_acting* a;
    const limberi_pose_amounts* amounts;
    double gain;          // pose.exaggerate, with what a small performance gets, and what it takes to reach that
    double room_for_more; // 1 ...: multiplies limits, where a performance needs more to be larger at all
    limber_transform* out;
    limberi_placed_joint* now; // [moment * joint_count + joint] of `out`
    limberi_legs legs;
    double** room;   // [limb] 0 ... 1 over time; NULL: 1
    double* fade;    // [moment] 0 at the ends of a clip that does not loop
    double* weight;  // [moment] how much the character dwells
    double* weights; // [moment] the same, smoothed
    double* lying;   // [moment] the legs carry nothing
    double* calm;    // [moment] how much the trunk may bend further
    double* shift;   // [moment * 3] of the hips, world units
    double* e;       // [moment * 3] scratch
    double* x;       // [moment * 3] scratch
    double* q;       // [moment * 4] scratch
} limberi_poser;

// Finds how much the character dwells in each moment.
void limberi_poser_weigh(limberi_poser* poser);
// The mean around each moment, in place; slow moments count most.
void limberi_poser_refer(const limberi_poser* poser, uint32_t width, double* values);
// values -= amount * width^2 * the second derivative of `of`, smoothed: each motion starts the other way. `of`: [moment *
// 3], spoiled.
void limberi_poser_wind_up(const limberi_poser* poser, double amount, double* of, double* values);
// Shows what was `delay_s` before, in place; `width` up to 3.
void limberi_poser_delay(const limberi_poser* poser, double delay_s, uint32_t width, double* values);
// What the style says about a joint.
double limberi_poser_gain_of(const limberi_poser* poser, uint32_t joint);
// Fills `now` from `out`.
void limberi_poser_place(limberi_poser* poser);

// amplitude.c: how large the poses of a clip are, in heights; `local`: [moment * joint_count + joint]. Below 0: not enough
// memory.
double limberi_amplitude(const limberi_acting* a, const limber_transform* local);
// How far the skin goes from its plain place at most, as the root of a mean square, in heights; below 0: the same.
double limberi_largest_change(const limberi_acting* a, const limber_transform* edited);

// stance.c: moves the hips, where all legs can be bent to that, and bends the legs so that the feet stay.
LIMBER_MUST_USE limber_result limberi_poser_stand(limberi_poser* poser);

// Part of the way from one turn to another.
static inline void limberi_turn_blend(const double* from, const double* to, double part, double* out) {
    double back[4], way[4], v[3], turn[4];
    limberi_turn_inverse(from, back);
    limberi_turn_mul(to, back, way);
    limberi_turn_log(way, v);
    limberi_turn_exp(v, part, turn);
    limberi_turn_mul(turn, from, out);
}

#endif
