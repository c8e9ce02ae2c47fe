// The edit of poses: what its files share.
#ifndef LIMBERI_PERFORM_POSER_H
#define LIMBERI_PERFORM_POSER_H

#include "base/turns.h"
#include "perform/legs.h"
#include "perform/room.h"

typedef struct limberi_turn_track limberi_turn_track;
typedef struct limberi_stance limberi_stance;

// The edit is tried with several gains; what does not depend on the gain is found once.
typedef struct limberi_poser {
    limberi_acting* a;
    const limberi_pose_amounts* amounts;
    double trail_s;       // how much later the larger pose comes
    double wanted;        // pose.exaggerate, with what a small performance gets
    double gain;          // pose.exaggerate, with what a small performance gets, and what it takes to reach that
    double room_for_more; // 1 ...: multiplies limits, where a performance needs more to be larger at all
    limber_transform* out;
    limberi_placed_joint* now; // [moment * joint_count + joint] of `out`
    limberi_legs legs;
    double** room; // [limb] 0 ... 1 over time; NULL: 1
    limberi_resting* resting;
    double* ends;    // [moment] 0 at the ends of a clip that does not loop
    double* fade;    // [moment] that, and less where a moment would be moved too far
    double* weight;  // [moment] how much the character dwells
    double* weights; // [moment] the same, smoothed
    double* lying;   // [moment] the legs carry nothing
    double* calm;    // [moment] how much the trunk may bend further
    uint32_t turner_count;
    limberi_turn_track* turners; // [turner_count] joints that turn farther
    limberi_stance* stance;      // where hips and feet are, whatever the gain
    double* shift;               // [moment * 3] of the hips, world units
    double* e;                   // [moment * 3] scratch
    double* x;                   // [moment * 3] scratch
    double* q;                   // [moment * 4] scratch
    double** scratch;            // [looker] what limberi_poser_copy hands out
} limberi_poser;

// --- rules that live poses share (S16) ---

static const double limberi_limb_gain = 1.1;
static const double limberi_degree = 0.017453292519943295;
static const double limberi_trunk_max = 1.5 * 26; // degrees, of all trunk joints together
static const double limberi_limb_max = 20;        // degrees, of each limb joint
static const double limberi_bent_trunk = 55;      // degrees: what is bent already needs no more
static const double limberi_kept_way = 0.5;       // of what the joints above add, heads and limbs take back
static const double limberi_body_y = 0.9;         // how far hips go from where they dwell
static const double limberi_body_xz = 0.5;
static const double limberi_body_max_y = 0.09; // in heights
static const double limberi_body_max_xz = 0.045;
static const double limberi_step_gain = 0.5;
static const double limberi_step_max = 0.10; // in heights
static const double limberi_around_s = 1.2;  // where the character dwells is a mean over this

static const double limberi_larger = 0.24; // how much larger poses become, per amount of exaggeration

// What a small performance gets more; `amplitude` in heights.
double limberi_small_gain(double amplitude);
// 0 in the trunk, towards 1 at the end of a limb.
double limberi_far_down(const limberi_anatomy* body, uint32_t joint);
bool limberi_has_legs(const limberi_anatomy* body, const limberi_legs* legs);
// Whether a trunk joint carries a leg without a knee: it stays, since nothing could keep the foot in place.
bool limberi_carries_stiff_leg(const limberi_anatomy* body, const limberi_legs* legs, uint32_t joint);
// Takes back a part of what the joints above add to where a joint points: the face stays readable, and arms that swing
// forward do not cross the body. Turns of its parent in the plain and in the edited pose.
void limberi_keep_way(const double* plain, const double* now, double part, limber_transform* local);
// The part of a limb's joint, 0 elsewhere. Without legs a limb goes on where the trunk leads: a tail that swims.
double limberi_kept_way_of(const limberi_anatomy* body, const limberi_legs* legs, uint32_t joint);
// Joints that hang on another one than their parent keep to it, as in the plain pose: a mouth at the root of a rig goes where
// the head went. Loose feet are left to their legs. `plain`, `now`: [joint] of the moment; `now` is that of `local` afterwards where there
// are any.
void limberi_keep_companions(const limberi_anatomy* body, const limberi_placed_joint* plain, limberi_placed_joint* now,
                             limber_transform* local);
// The hips go elsewhere only where every leg can be bent to that.
bool limberi_may_shift(const limberi_anatomy* body, const limberi_legs* legs, bool has_floor);

// --- clips ---

// Finds how much the character dwells in each moment.
void limberi_poser_weigh(limberi_poser* poser);
// The mean around each moment, in place; slow moments count most.
void limberi_poser_refer(const limberi_poser* poser, uint32_t width, double* values);
// The smoothed second derivative of [moment * 3] values, in place.
void limberi_poser_curve(const limberi_poser* poser, double* values);
// values -= amount * width^2 * curve: each motion starts the other way.
void limberi_poser_wind_up(const limberi_poser* poser, double amount, const double* curve, double* values);
// Shows what was `delay_s` before, in place; `width` up to 3.
void limberi_poser_delay(const limberi_poser* poser, double delay_s, uint32_t width, double* values);
// What the style says about a joint.
double limberi_poser_gain_of(const limberi_poser* poser, uint32_t joint);

// A poser for one thread, with scratch of its own; for everything but `out` and what is as long as that.
typedef struct limberi_poser_copy {
    limberi_acting acting;
    limberi_poser poser;
    double* more; // [moment * 5] scratch
} limberi_poser_copy;

enum { LIMBERI_COPY_WIDTH = 18 }; // numbers for a moment
void limberi_poser_copy_open(const limberi_poser* poser, uint32_t worker, limberi_poser_copy* copy);

// amplitude.c: how large the poses of a clip are, in heights; `local`: [moment * joint_count + joint]. Below 0: not enough
// memory.
double limberi_amplitude(const limberi_acting* a, const limber_transform* local);
// How far the skin is from its plain place at each moment, as the root of a mean square, in heights. False: the same.
LIMBER_MUST_USE bool limberi_changes(const limberi_acting* a, const limber_transform* edited, double* changes);

// stance.c: finds what stays the same in all tries.
LIMBER_MUST_USE limber_result limberi_stance_find(limberi_poser* poser);
// Moves the hips, where all legs can be bent to that, bends the legs so that the feet stay, and brings along what keeps to
// another joint.
void limberi_poser_stand(limberi_poser* poser);

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
