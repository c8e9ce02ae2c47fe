// What the horse's model and its motions share.
#ifndef LIMBERI_CHARACTERS_HORSE_H
#define LIMBERI_CHARACTERS_HORSE_H

#include "characters/quadruped.h"

enum { HORSE_TAIL = 4 };

typedef struct horse {
    uint32_t root, hips, spine, chest, neck[2], head;
    uint32_t ear[2]; // left, right
    uint32_t tail[HORSE_TAIL];
    quadruped_leg legs[FOUR_LEGS];
} horse;

void limberi_horse_clips(kit* k, const horse* rig);

#endif
