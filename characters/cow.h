// What the cow's model and its motions share.
#ifndef LIMBERI_CHARACTERS_COW_H
#define LIMBERI_CHARACTERS_COW_H

#include "characters/quadruped.h"

enum { COW_TAIL = 4 };

typedef struct cow {
    uint32_t root, hips, chest, neck, head, horns, udder;
    uint32_t ear[2]; // left, right
    uint32_t tail[COW_TAIL];
    quadruped_leg legs[FOUR_LEGS];
} cow;

void limberi_cow_clips(kit* k, const cow* rig);

#endif
