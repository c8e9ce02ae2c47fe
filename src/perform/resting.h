// What lies still on the floor in the plain clip, by the few vertices of each joint that stick out.
#ifndef LIMBERI_PERFORM_RESTING_H
#define LIMBERI_PERFORM_RESTING_H

#include "perform/acting.h"

// Points that lie still on the floor: the hem of a cape, a hand, a foot that the contacts did not count.
typedef struct limberi_resting_point {
    uint32_t moment, point;
    float place[3];
    float still;
} limberi_resting_point;

// Those of a part of the clip, by moment.
typedef struct limberi_resting_part {
    uint32_t count, room;
    limberi_resting_point* points;
    bool failed;
} limberi_resting_part;

struct limberi_resting {
    limberi_acting* a;
    float* reach;                // [joint] how far from it its points are, as the clip starts
    limberi_resting_part* parts; // of the clip
};

#endif
