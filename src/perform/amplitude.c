// How large a performance is: how far the skin goes from its mean shape, with turns and travel of the whole body taken
// out.
#include "perform/poser.h"

#include "base/math.h"
#include "base/symmetric.h"

#include <string.h>

enum { EVERY = 4 }; // moments: a mean needs no more

typedef struct shapes {
    limber_pose pose;
    limberi_slot_matrix *now, *mean, *first;
    double square; // mean over the moments so far, world units
} shapes;

// Takes out where the skin is.
static void center(const limberi_acting* a, limberi_slot_matrix* slots) {
    double middle[3];
    limberi_skin_sums_middle(a->surface, (const limberi_slot_matrix*)slots, middle);
    for (uint32_t k = 0; k < a->surface->slot_count; k++)
        for (int c = 0; c < 3; c++)
            slots[k][4 * c + 3] -= middle[c];
}

// The rotation that brings x nearest to y, from the mean of x y^T: rows.
static void nearest_turn(const double* cross, double* turn) {
    double v[9], values[3], u[9];
    memset(v, 0, sizeof v);
    for (int i = 0; i < 9; i++) // cross^T cross
        for (int k = 0; k < 9; k += 3)
            v[i] += cross[k + i / 3] * cross[k + i % 3];
    limberi_eigen_small(v, 3, values);
    for (int axis = 0; axis < 2; axis++) {
        for (int r = 0; r < 3; r++)
            u[3 * axis + r] = limberi_dot3(cross + 3 * r, v + 3 * axis);
        double size = sqrt(limberi_dot3(u + 3 * axis, u + 3 * axis));
        for (int r = 0; r < 3; r++)
            u[3 * axis + r] /= fmax(size, 1e-30);
    }
    for (int r = 0; r < 3; r++) {
        int s = (r + 1) % 3;
        int t = (r + 2) % 3;
        u[6 + r] = u[s] * u[3 + t] - u[t] * u[3 + s];
        v[6 + r] = v[s] * v[3 + t] - v[t] * v[3 + s];
    }
    for (int i = 0; i < 9; i++)
        turn[i] = v[i / 3] * u[i % 3] + v[3 + i / 3] * u[3 + i % 3] + v[6 + i / 3] * u[6 + i % 3];
}

// Takes out how the skin as a whole is turned against the first moment.
static void align(const limberi_acting* a, shapes* s) {
    double cross[9], turn[9];
    limberi_skin_sums_cross(a->surface, (const limberi_slot_matrix*)s->now, (const limberi_slot_matrix*)s->first,
                            cross);
    nearest_turn(cross, turn);
    for (uint32_t k = 0; k < a->surface->slot_count; k++) {
        double* m = s->now[k];
        for (int column = 0; column < 4; column++) {
            const double v[3] = {m[column], m[4 + column], m[8 + column]};
            for (int r = 0; r < 3; r++)
                m[4 * r + column] = limberi_dot3(turn + 3 * r, v);
        }
    }
}

static void see(const limberi_acting* a, const limber_transform* local, shapes* s, limberi_slot_matrix* slots) {
    memcpy(s->pose.local, local, a->joint_count * sizeof *local);
    limber_pose_update_world(a->model, &s->pose);
    limberi_skin_sums_slots(a->surface, &s->pose, slots);
}

static void add_moments(const limberi_acting* a, const limber_transform* local, shapes* s) {
    uint32_t count = (a->grid.count - 1) / EVERY + 1;
    for (uint32_t i = 0; i < count; i++) {
        see(a, &local[limberi_acting_at(a, i * EVERY, 0)], s, s->now);
        center(a, s->now);
        if (i == 0)
            memcpy(s->first, s->now, a->surface->slot_count * sizeof *s->first);
        else
            align(a, s);
        for (uint32_t k = 0; k < a->surface->slot_count; k++)
            for (int c = 0; c < 12; c++)
                s->mean[k][c] += s->now[k][c] / count;
        s->square += limberi_skin_sums_square(a->surface, (const limberi_slot_matrix*)s->now) / count;
    }
}

static bool open_shapes(const limberi_acting* a, limberi_arena* arena, shapes* s) {
    memset(s, 0, sizeof *s);
    s->now = LIMBERI_ALLOCATE(arena, limberi_slot_matrix, a->surface->slot_count);
    s->mean = LIMBERI_ALLOCATE(arena, limberi_slot_matrix, a->surface->slot_count);
    s->first = LIMBERI_ALLOCATE(arena, limberi_slot_matrix, a->surface->slot_count);
    return !arena->failed && !limber_pose_create(a->model, &s->pose);
}

static void close_shapes(limberi_arena* arena, shapes* s) {
    limber_pose_destroy(&s->pose);
    limberi_arena_free(arena);
}

double limberi_amplitude(const limberi_acting* a, const limber_transform* local) {
    limberi_arena arena = {NULL, false};
    shapes s;
    double amplitude = -1;
    if (open_shapes(a, &arena, &s)) {
        add_moments(a, local, &s);
        double still = limberi_skin_sums_square(a->surface, (const limberi_slot_matrix*)s.mean);
        amplitude = sqrt(fmax(s.square - still, 0)) / a->body->height;
    }
    close_shapes(&arena, &s);
    return amplitude;
}

bool limberi_changes(const limberi_acting* a, const limber_transform* edited, double* changes) {
    limberi_arena arena = {NULL, false};
    shapes s;
    bool made = open_shapes(a, &arena, &s);
    for (uint32_t f = 0, before = 0; made; f = f + EVERY < a->grid.count - 1 ? f + EVERY : a->grid.count - 1) {
        see(a, &a->local[limberi_acting_at(a, f, 0)], &s, s.mean);
        see(a, &edited[limberi_acting_at(a, f, 0)], &s, s.now);
        for (uint32_t k = 0; k < a->surface->slot_count; k++)
            for (int c = 0; c < 12; c++)
                s.now[k][c] -= s.mean[k][c];
        double square = limberi_skin_sums_square(a->surface, (const limberi_slot_matrix*)s.now);
        limberi_signal_fill(changes, before, f, sqrt(fmax(square, 0)) / a->body->height);
        before = f;
        if (f == a->grid.count - 1)
            break;
    }
    close_shapes(&arena, &s);
    return made;
}
