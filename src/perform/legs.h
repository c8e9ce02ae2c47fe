// Legs of two segments that are bent so that the foot comes to a target (S16).
#ifndef LIMBERI_PERFORM_LEGS_H
#define LIMBERI_PERFORM_LEGS_H

#include "perform/acting.h"

typedef struct limberi_leg {
    uint32_t limb, root, knee, end; // joints; the end is the ankle
    bool carries;                   // a leg; else a limb that touches the floor now and then
    int32_t foot;                   // limb that acts as its end: a loose foot; -1: none
    uint32_t bone;                  // with a foot: the joint whose frame the foot keeps to
    double offset[3];               // where in that frame
    double axis[3];                 // mean axis that the knee bends about, in the frame of the root
} limberi_leg;

typedef struct limberi_legs {
    uint32_t count;
    limberi_leg* list;
    bool complete;   // every leg was found
    bool* is_leg;    // [limb] carries the body
    bool* is_solved; // [limb] has an entry in the list
} limberi_legs;

LIMBER_MUST_USE limber_result limberi_legs_find(limberi_acting* a, limberi_legs* legs);

// Where the end of the leg is. `world`: [joint] of one moment.
void limberi_leg_end(const limberi_leg* leg, const limberi_placed_joint* world, double* place);
// How much anything of the leg touches the floor.
double limberi_leg_touch(const limberi_acting* a, const limberi_leg* leg, uint32_t moment);
// Length of both segments in the plain clip.
double limberi_leg_length(const limberi_acting* a, const limberi_leg* leg, uint32_t moment);

// How far the hips must come back along `way` so that a target is in reach of the leg whose root is at `hip`.
double limberi_leg_overreach(const limberi_acting* a, const limberi_leg* leg, uint32_t moment, const double* hip,
                             const double* target, double* way);
// What a leg that is planted by `touch` allows of a way down: a deep crouch stays a crouch.
double limberi_leg_limit_sinking(const limberi_acting* a, const limberi_leg* leg, uint32_t moment, double touch,
                                 double down);
// How far a foot may be moved: 0 near the hip, where a small step would swing the whole leg around, 1 far from it.
double limberi_leg_room(const limberi_acting* a, const limberi_leg* leg, uint32_t moment);
// The target of a loose foot becomes that of its leg, which goes as far from its plain place as the foot does; the two do
// not fit together exactly.
void limberi_leg_aim_at_foot(const limberi_acting* a, const limberi_leg* leg, uint32_t moment, double* target);

extern const double limberi_leg_stretch; // how much longer a straight leg may become

// Turns the joints of a leg at one moment: its end comes to `target`, and keeps the turn of the plain clip. `local` and
// `world` are of the edited moment; `world` is not updated.
void limberi_leg_bend(const limberi_acting* a, const limberi_leg* leg, uint32_t moment, const double* target,
                      const limberi_placed_joint* world, limber_transform* local);

// A way in the world, as the translation of a joint has it; `above`: its parent, NULL: it has none.
void limberi_way_below(const limberi_placed_joint* above, const double* way, double* local);

// --- rotations of a local transform, as doubles ---

static inline void limberi_set_turn(limber_transform* t, const double* q) {
    double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(size > 1e-12))
        return;
    t->rotation.x = (float)(q[0] / size);
    t->rotation.y = (float)(q[1] / size);
    t->rotation.z = (float)(q[2] / size);
    t->rotation.w = (float)(q[3] / size);
}

// The turn of a joint's parent in the world.
void limberi_turn_above(const limber_rig* rig, const limber_transform* local, uint32_t joint, double* turn);

#endif
