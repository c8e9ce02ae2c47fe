// What the dog's model and its motions share.
#ifndef LIMBERI_CHARACTERS_DOG_H
#define LIMBERI_CHARACTERS_DOG_H

#include "characters/quadruped.h"

enum { DOG_EAR = 3, DOG_TAIL = 5 };

typedef struct dog {
    uint32_t root, hips, spine, chest, neck, head, tongue;
    uint32_t ear[2][DOG_EAR]; // left, right
    uint32_t tail[DOG_TAIL];
    quadruped_leg legs[FOUR_LEGS];
} dog;

void limberi_dog_clips(kit* k, const dog* rig);

#endif
