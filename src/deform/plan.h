// What one joint does in one frame, as an effect's `plan` says it: shifts and matrices that add up along the hierarchy,
// and rows for the kernels. Everything below acts for plan->slot at plan->joint.
#ifndef LIMBERI_DEFORM_PLAN_H
#define LIMBERI_DEFORM_PLAN_H

#include "base/lanes.h"
#include "deform/deformer.h"
#include "deform/effects/formulas.h"

// An axis of rotation and two directions that make a right-handed frame with it; effects of one motion share it.
typedef struct limberi_turn_frame {
    const limber_kinematics* motion; // NULL: not known yet
    bool turns, framed;              // framed: first and second are there
    limberi_turn turn;
    limber_vec3 first, second;
} limberi_turn_frame;

struct limberi_joint_plan {
    limber_deformer* d;
    uint32_t joint, slot;
    limber_joint_gain gain;          // of the effect and the joint, without what differs from vertex to vertex
    limber_effect_block at;          // the joint's position, size L and motion; axes after limberi_plan_need_axes
    const limber_kinematics* motion; // that `at` holds; NULL: none yet
    uint32_t moving;                 // LIMBERI_VELOCITY ...: quantities of it that are not zero
    limberi_turn_frame velocity, acceleration;
    // The bend by the joint's angular velocity waits for the squash of the same turn; rate 0: none.
    struct {
        uint32_t slot;
        float rate;
        limber_vec3 axis;
    } bend;
    struct {
        uint32_t slot;
        float rate;
        limberi_squash_plane plane;
    } squash;
    // The bend by the joint's angular acceleration that was planned last; NULL: none. Another that only has another share
    // goes into its row.
    struct {
        limberi_turn_row* row;
        const limber_kinematics* motion;
        uint32_t list; // limberi_work.list
        float rate;
    } late;
    bool placed, axed;
    limberi_joint_work* work;
    limberi_joint_row* rows; // [work]
};

// --- the joint as effects see it ---

// Position and centroid, then its axes, and how it moves.
void limberi_fill_place(const limber_deformer* deformer, const limber_deform_job* job, uint32_t joint,
                        limber_effect_block* out);
void limberi_fill_axes(const limber_deformer* deformer, const limber_deform_job* job, limber_effect_block* out);
LIMBERI_INLINED void limberi_fill_motion(const limber_kinematics* k, uint32_t j, limber_effect_block* out) {
    out->velocity = k->velocity[j];
    out->acceleration = k->acceleration[j];
    out->angular_velocity = k->angular_velocity[j];
    out->angular_acceleration = k->angular_acceleration[j];
}
// LIMBERI_VELOCITY ...: the quantities that are not zero.
LIMBERI_INLINED uint32_t limberi_moving_quantities(const limber_effect_block* at) {
    return (limberi_is_zero(at->velocity) ? 0u : LIMBERI_VELOCITY) |
           (limberi_is_zero(at->angular_velocity) ? 0u : LIMBERI_ANGULAR_VELOCITY) |
           (limberi_is_zero(at->acceleration) ? 0u : LIMBERI_ACCELERATION) |
           (limberi_is_zero(at->angular_acceleration) ? 0u : LIMBERI_ANGULAR_ACCELERATION);
}

// --- what a plan may ask and say ---

void limberi_plan_need_axes(limberi_joint_plan* p);
// The joint's turn by its angular velocity or angular acceleration; NULL: it does not turn.
const limberi_turn* limberi_plan_turn(limberi_joint_plan* p, bool acceleration);

// A displacement by factor x gain x direction, the same for every vertex.
void limberi_plan_shift(limberi_joint_plan* p, float factor, limber_vec3 direction);
// (scale + rank d d^T) (p - point), in the palette of constant gains or in the effect's own.
void limberi_plan_matrix(limberi_joint_plan* p, uint32_t fold, float scale, float rank, limber_vec3 d,
                         limber_vec3 point);
// A bend back by the turn, as limberi_bend_back has it; `share` of its displacement counts.
void limberi_plan_bend(limberi_joint_plan* p, bool acceleration, float share);
// Angular squash in a plane by `rate` per distance.
void limberi_plan_squash(limberi_joint_plan* p, const limberi_squash_plane* plane, float rate);
// What it does along the medial axis where it goes about the center; max 0: no limit.
void limberi_plan_shorten(limberi_joint_plan* p, const limberi_squash_plane* plane, float rate, float max);
// Stretch along a direction by `rate` per gain, about the centroid; max 0: no limit.
void limberi_plan_travel(limberi_joint_plan* p, limber_vec3 direction, float rate, float max);
// Away from the axis of the turn, with the square of the distance; and along the normals of lift.
void limberi_plan_spin(limberi_joint_plan* p, float rate);
void limberi_plan_lift(limberi_joint_plan* p, float rate);
// A turn and a shift that grow with the distance.
void limberi_plan_follow(limberi_joint_plan* p, limber_vec3 turn, limber_vec3 shift, float reach);
// This joint runs the effect through its scalar function.
void limberi_plan_scalar(limberi_joint_plan* p);

// For the loop over joints: the joint is new, and all its effects have been planned.
static inline void limberi_plan_open(limberi_joint_plan* p) {
    p->placed = p->axed = false;
    p->bend.rate = p->squash.rate = 0;
    p->late.row = NULL;
    p->motion = p->velocity.motion = p->acceleration.motion = NULL;
}

void limberi_plan_close(limberi_joint_plan* p);

#endif
