// Four legs of two segments each, as the cow, the dog and the horse have them.
#ifndef LIMBERI_CHARACTERS_QUADRUPED_H
#define LIMBERI_CHARACTERS_QUADRUPED_H

#include "characters/steps.h"

enum { FRONT_LEFT, FRONT_RIGHT, HIND_LEFT, HIND_RIGHT, FOUR_LEGS };

typedef struct quadruped_leg {
    uint32_t parent, upper, lower, foot; // joints; the parent is the chest or the hips
    limber_vec3 at;                      // the foot joint's place at rest
    float knee;                          // where the middle joint points: +1 forward, -1 back
} quadruped_leg;

// Of the left legs: the places of the three joints at rest.
typedef struct quadruped_places {
    const char* foot; // name of the last joint
    limber_vec3 front[3], hind[3];
    float front_knee; // the hind ones point the other way
} quadruped_places;

void quadruped_rig(kit* k, const quadruped_places* places, uint32_t chest, uint32_t hips, quadruped_leg* legs);

// Bends a leg as a hinge across the body does: one that is told where its knee points would turn inside out where the
// upper leg swings past the horizontal.
void quadruped_reach(kit_pose* pose, const quadruped_leg* leg, limber_vec3 target, limber_quat turned);

// About what a foot turns, along z from its joint: its heel, or its toe, which is `high` over the floor.
typedef struct quadruped_sole {
    float heel, toe, high;
} quadruped_sole;

// In the air, heel and toe change over softly.
void quadruped_plant(kit_pose* pose, const quadruped_leg* leg, const quadruped_sole* sole, steps_foot foot);

#endif
