// What lies on what: islands that touch each other, and the skin that touches them.
#ifndef LIMBERI_RIGID_TOUCH_H
#define LIMBERI_RIGID_TOUCH_H

#include "rigid/islands.h"

// One node of skin near a set of islands.
typedef struct limberi_touch {
    uint32_t set, node;
    uint32_t steps; // between their joints in the hierarchy
} limberi_touch;

typedef struct limberi_touches {
    uint32_t count;
    limberi_touch* items; // by set, then by steps, then by node; none twice
    uint32_t* sets;       // [island] islands on one joint that touch are a set, named by the smallest of them
} limberi_touches;

// Which islands lie on each other, and the skin on each set of them. Arrays are the islands'.
limber_result limberi_rigid_touch(limberi_islands* islands, limberi_touches* touches);

#endif
