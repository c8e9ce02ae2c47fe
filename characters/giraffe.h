// What the giraffe's model and its motions share.
#ifndef LIMBERI_CHARACTERS_GIRAFFE_H
#define LIMBERI_CHARACTERS_GIRAFFE_H

#include "characters/kit.h"

enum {
    GIRAFFE_NECK = 18,
    GIRAFFE_TAIL = 8,
    GIRAFFE_LEGS = 4, // front left, front right, hind left, hind right
    GIRAFFE_SPOTS = 64
};

typedef struct giraffe_leg {
    uint32_t upper, lower, ankle, hoof;
    limber_vec3 at; // the ankle's place at rest
    float knee;     // where the knee points: +1 forward, -1 back
} giraffe_leg;

typedef struct giraffe {
    uint32_t root, hips, spine, chest, belly, head, jaw;
    uint32_t neck[GIRAFFE_NECK], tail[GIRAFFE_TAIL];
    uint32_t ear[2], ear_tip[2], ossicone[2]; // left, right
    giraffe_leg legs[GIRAFFE_LEGS];
} giraffe;

void limberi_giraffe_clips(kit* k, const giraffe* rig);

#endif
