// What the horse's model and its motions share.
#ifndef LIMBERI_CHARACTERS_HORSE_H
#define LIMBERI_CHARACTERS_HORSE_H

#include "characters/kit.h"

enum { HORSE_FRONT_LEFT, HORSE_FRONT_RIGHT, HORSE_HIND_LEFT, HORSE_HIND_RIGHT, HORSE_LEGS, HORSE_TAIL = 4 };

typedef struct horse_leg {
    uint32_t upper, lower, hoof;
    limber_vec3 at; // the hoof joint's place at rest
    float knee;     // where the middle joint points: +1 forward, -1 back
} horse_leg;

typedef struct horse {
    uint32_t root, hips, spine, chest, neck[2], head;
    uint32_t ear[2]; // left, right
    uint32_t tail[HORSE_TAIL];
    horse_leg legs[HORSE_LEGS];
} horse;

void limberi_horse_clips(kit* k, const horse* rig);

#endif
