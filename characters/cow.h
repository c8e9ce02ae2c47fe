// What the cow's model and its motions share.
#ifndef LIMBERI_CHARACTERS_COW_H
#define LIMBERI_CHARACTERS_COW_H

#include "characters/kit.h"

enum { COW_FRONT_LEFT, COW_FRONT_RIGHT, COW_HIND_LEFT, COW_HIND_RIGHT, COW_LEGS, COW_TAIL = 4 };

typedef struct cow_leg {
    uint32_t upper, lower, hoof;
    limber_vec3 at; // the hoof joint's place at rest
    float knee;     // where the knee points: +1 forward, -1 back
} cow_leg;

typedef struct cow {
    uint32_t root, hips, chest, neck, head, horns, udder;
    uint32_t ear[2]; // left, right
    uint32_t tail[COW_TAIL];
    cow_leg legs[COW_LEGS];
} cow;

void limberi_cow_clips(kit* k, const cow* rig);

#endif
