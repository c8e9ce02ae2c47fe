// Passes over the moments of a clip: what each thread needs, and the sums of what they find.
#include "perform/passes.h"

#include <string.h>

bool limberi_lookers_open(limberi_acting* a) {
    size_t slots = a->surface->slot_count;
    a->looker_count = limberi_worker_count(a->parallel);
    a->lookers = LIMBERI_ALLOCATE(&a->arena, limberi_looker, a->looker_count);
    for (uint32_t i = 0; !a->arena.failed && i < a->looker_count; i++) {
        limberi_looker* own = &a->lookers[i];
        for (int k = 0; k < 4; k++)
            own->slots[k] = LIMBERI_ALLOCATE(&a->arena, limberi_slot_matrix, slots);
        for (int k = 0; k < 2; k++)
            own->joints[k] = LIMBERI_ALLOCATE(&a->arena, limberi_placed_joint, a->joint_count);
        for (int k = 0; k < 3; k++)
            own->places[k] = LIMBERI_ALLOCATE(&a->arena, float, 3 * (size_t)a->points->count);
        own->list = LIMBERI_ALLOCATE(&a->arena, uint32_t, a->points->count);
        own->signal = LIMBERI_ALLOCATE(&a->arena, double, 2 * (size_t)a->grid.count + 2);
        if (limberi_poses_create(a->model, own->poses))
            return false;
    }
    a->scratch = a->lookers ? a->lookers->signal : NULL;
    return !a->arena.failed;
}

void limberi_lookers_close(limberi_acting* a) {
    for (uint32_t i = 0; a->lookers && i < a->looker_count; i++)
        limberi_poses_destroy(a->lookers[i].poses);
}

void limberi_look_at(const limberi_acting* a, const limber_transform* local, limber_pose* pose,
                     limberi_slot_matrix* slots) {
    memcpy(pose->local, local, a->joint_count * sizeof *local);
    limber_pose_update_world(a->model, pose);
    limberi_skin_sums_slots(a->surface, pose, slots);
}

void limberi_see_points(const limberi_acting* a, const limberi_slot_matrix* slots, const uint32_t* list, uint32_t count,
                        float* places) {
    for (uint32_t i = 0; i < count; i++)
        limberi_skin_sums_place(a->surface, slots, a->points->vertices[list[i]], places + 3 * (size_t)list[i]);
}

void limberi_add_slots(const limberi_acting* a, double share, const limberi_slot_matrix* slots,
                       limberi_slot_matrix* sum) {
    for (uint32_t s = 0; s < a->surface->slot_count; s++)
        for (int i = 0; i < 12; i++)
            sum[s][i] += share * slots[s][i];
}

double limberi_square_of_parts(const limberi_acting* a, uint32_t count, limberi_slot_matrix* parts) {
    for (uint32_t k = 1; k < count; k++)
        limberi_add_slots(a, 1, (const limberi_slot_matrix*)parts + (size_t)k * a->surface->slot_count, parts);
    return limberi_skin_sums_square(a->surface, (const limberi_slot_matrix*)parts);
}
