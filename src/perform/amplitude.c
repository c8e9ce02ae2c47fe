// How large a performance is: how far the skin goes from its mean shape, seen from the hips, so that turns and travel of
// the whole body do not count.
#include "perform/poser.h"

#include "base/math.h"

#include <string.h>

enum { EVERY = 4 }; // moments: a mean needs no more

typedef struct shapes {
    limber_pose pose;
    limberi_slot_matrix *now, *mean;
    double square; // mean over the moments so far, world units
} shapes;

// Turns the matrices into the frame of the hips, about the middle of the skin.
static void see_from_hips(const limberi_acting* a, const limber_mat4* hips, shapes* s) {
    double middle[3], axes[3][3];
    limberi_skin_sums_middle(a->surface, (const limberi_slot_matrix*)s->now, middle);
    for (int i = 0; i < 3; i++) {
        const float* column = hips->m + 4 * i;
        double size = sqrt((double)column[0] * (double)column[0] + (double)column[1] * (double)column[1] +
                           (double)column[2] * (double)column[2]);
        for (int c = 0; c < 3; c++)
            axes[i][c] = (double)column[c] / fmax(size, 1e-12);
    }
    for (uint32_t k = 0; k < a->surface->slot_count; k++) {
        double* m = s->now[k];
        for (int column = 0; column < 4; column++) {
            double v[3];
            for (int c = 0; c < 3; c++)
                v[c] = m[4 * c + column] - (column == 3 ? middle[c] : 0);
            for (int i = 0; i < 3; i++)
                m[4 * i + column] = limberi_dot3(axes[i], v);
        }
    }
}

static void add_moments(const limberi_acting* a, const limber_transform* local, shapes* s) {
    uint32_t count = (a->grid.count - 1) / EVERY + 1;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(s->pose.local, &local[limberi_acting_at(a, i * EVERY, 0)], a->joint_count * sizeof *local);
        limber_pose_update_world(a->model, &s->pose);
        limberi_skin_sums_slots(a->surface, &s->pose, s->now);
        see_from_hips(a, &s->pose.world_from_joint[a->body->hips], s);
        for (uint32_t k = 0; k < a->surface->slot_count; k++)
            for (int c = 0; c < 12; c++)
                s->mean[k][c] += s->now[k][c] / count;
        s->square += limberi_skin_sums_square(a->surface, (const limberi_slot_matrix*)s->now) / count;
    }
}

double limberi_amplitude(const limberi_acting* a, const limber_transform* local) {
    limberi_arena arena = {NULL, false};
    shapes s = {.now = LIMBERI_ALLOCATE(&arena, limberi_slot_matrix, a->surface->slot_count),
                .mean = LIMBERI_ALLOCATE(&arena, limberi_slot_matrix, a->surface->slot_count)};
    double amplitude = -1;
    if (!arena.failed && !limber_pose_create(a->model, &s.pose)) {
        add_moments(a, local, &s);
        double still = limberi_skin_sums_square(a->surface, (const limberi_slot_matrix*)s.mean);
        amplitude = sqrt(fmax(s.square - still, 0)) / a->body->height;
        limber_pose_destroy(&s.pose);
    }
    limberi_arena_free(&arena);
    return amplitude;
}
