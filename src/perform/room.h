// What stands in the way of a larger pose: the character's own body, and the floor (S16).
#ifndef LIMBERI_PERFORM_ROOM_H
#define LIMBERI_PERFORM_ROOM_H

#include "perform/acting.h"

// rooms[limb]: 0 ... 1 over time, how much room the far half of a limb has; NULL for legs and limbs without points.
LIMBER_MUST_USE limber_result limberi_room_find(limberi_acting* a, const bool* is_leg, double*** rooms);

// Points that lie still on the floor in the plain clip: the hem of a cape, a hand, a foot that the contacts did not count.
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

typedef struct limberi_resting {
    limberi_acting* a;
    float* reach;                // [joint] how far from it its points are, as the clip starts
    limberi_resting_part* parts; // of the clip
} limberi_resting;

// In the arena of the acting.
LIMBER_MUST_USE limber_result limberi_resting_find(limberi_acting* a, limberi_resting** resting);

// Lifts limbs that the edits would push below the floor, and takes edits back where that is not enough or where
// something that lies on the floor would slide. `edited`: [moment * joint_count + joint].
LIMBER_MUST_USE limber_result limberi_floor_guard(limberi_acting* a, const bool* is_leg, const limberi_resting* resting,
                                                  limber_transform* edited);

// Softens how much is kept of edits over about `soft_s`, and never more than that. `keep`: [moment].
void limberi_soften_keep(limberi_acting* a, double soft_s, double* keep);

#endif
