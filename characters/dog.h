// What the dog's model and its motions share.
#ifndef LIMBERI_CHARACTERS_DOG_H
#define LIMBERI_CHARACTERS_DOG_H

#include "characters/kit.h"

enum { DOG_FRONT_LEFT, DOG_FRONT_RIGHT, DOG_HIND_LEFT, DOG_HIND_RIGHT, DOG_LEGS, DOG_EAR = 3, DOG_TAIL = 5 };

typedef struct dog_leg {
    uint32_t upper, lower, paw;
    limber_vec3 at; // the paw joint's place at rest
    float knee;     // where the middle joint points: +1 forward, -1 back
} dog_leg;

typedef struct dog {
    uint32_t root, hips, spine, chest, neck, head, tongue;
    uint32_t ear[2][DOG_EAR]; // left, right
    uint32_t tail[DOG_TAIL];
    dog_leg legs[DOG_LEGS];
} dog;

void limberi_dog_clips(kit* k, const dog* rig);

#endif
