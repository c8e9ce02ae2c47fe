// Passes over the moments of a clip, shared out to the threads that a program lends. The moments are cut into parts that
// are always the same, so that sums over them are, too.
#ifndef LIMBERI_PERFORM_PASSES_H
#define LIMBERI_PERFORM_PASSES_H

#include "base/parallel.h"
#include "perform/acting.h"

enum { LIMBERI_PART = 18 }; // moments: a multiple of LIMBERI_POSES

// What a thread has for itself.
struct limberi_looker {
    limber_pose poses[LIMBERI_POSES];
    limberi_slot_matrix* slots[4];
    limberi_placed_joint* joints[2]; // [joint]
    float* places[3];                // [point * 3]
    uint32_t* list;                  // [point]
    double* signal;                  // [2 * count + 2], for the signals; the first one is that of the acting
};

// One for each thread. False: not enough memory; closing is fine then, too.
LIMBER_MUST_USE bool limberi_lookers_open(limberi_acting* a);
void limberi_lookers_close(limberi_acting* a);

static inline uint32_t limberi_part_count(const limberi_acting* a) {
    return (a->grid.count - 1) / LIMBERI_PART + 1;
}

// Calls `task` for the parts of the clip.
static inline void limberi_each_part(const limberi_acting* a, limber_task task, const void* user) {
    limberi_parallel_for(a->parallel, limberi_part_count(a), 1, task, (void*)(uintptr_t)user);
}

// From parts to their moments.
static inline void limberi_moments_of(const limberi_acting* a, uint32_t* first, uint32_t* end) {
    *first *= LIMBERI_PART;
    *end = *end < limberi_part_count(a) ? *end * LIMBERI_PART : a->grid.count;
}

// The matrices of a pose: `pose` is scratch. `local`: [joint].
void limberi_look_at(const limberi_acting* a, const limber_transform* local, limber_pose* pose,
                     limberi_slot_matrix* slots);
// Places of some points: `places` is [point * 3].
void limberi_see_points(const limberi_acting* a, const limberi_slot_matrix* slots, const uint32_t* list, uint32_t count,
                        float* places);
// sum += share * slots
void limberi_add_slots(const limberi_acting* a, double share, const limberi_slot_matrix* slots,
                       limberi_slot_matrix* sum);
// The mean square of the sum of `count` parts, [part * slot_count + slot], which go into the first one.
double limberi_square_of_parts(const limberi_acting* a, uint32_t count, limberi_slot_matrix* parts);

#endif
