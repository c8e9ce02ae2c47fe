// What stands in the way of a larger pose: the character's own body, and the floor (S16).
#ifndef LIMBERI_PERFORM_ROOM_H
#define LIMBERI_PERFORM_ROOM_H

#include "perform/acting.h"

// rooms[limb]: 0 ... 1 over time, how much room the far half of a limb has; NULL for legs and limbs without points.
LIMBER_MUST_USE limber_result limberi_room_find(limberi_acting* a, const bool* is_leg, double*** rooms);

// Lifts limbs that the edits would push below the floor, and where that is not enough takes the edits back. `edited`:
// [moment * joint_count + joint].
LIMBER_MUST_USE limber_result limberi_floor_guard(limberi_acting* a, const bool* is_leg, limber_transform* edited);

#endif
