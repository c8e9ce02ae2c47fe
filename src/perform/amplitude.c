// How large a performance is: how far the skin goes from its mean shape, with turns and travel of the whole body taken
// out.
#include "perform/passes.h"
#include "perform/poser.h"

#include "base/math.h"
#include "base/symmetric.h"

#include <string.h>

enum { EVERY = 4, PART = 8 }; // moments: a mean needs no more; looks that a thread takes at once

typedef struct shapes {
    const limberi_acting* a;
    const limber_transform* local; // [moment * joint_count + joint]
    uint32_t count;                // looks
    double* squares;               // [look]
    limberi_slot_matrix* first;    // the shape at the start
    limberi_slot_matrix* means;    // [part * slot_count + slot]
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
static void align(const limberi_acting* a, const limberi_slot_matrix* first, limberi_slot_matrix* now) {
    double cross[9], turn[9];
    limberi_skin_sums_cross(a->surface, (const limberi_slot_matrix*)now, first, cross);
    nearest_turn(cross, turn);
    for (uint32_t k = 0; k < a->surface->slot_count; k++) {
        double* m = now[k];
        for (int column = 0; column < 4; column++) {
            const double v[3] = {m[column], m[4 + column], m[8 + column]};
            for (int r = 0; r < 3; r++)
                m[4 * r + column] = limberi_dot3(turn + 3 * r, v);
        }
    }
}

static uint32_t moment_of(const limberi_acting* a, uint32_t look) {
    return look * EVERY < a->grid.count - 1 ? look * EVERY : a->grid.count - 1;
}

// Any thread, for different parts of the looks.
static void see_shapes(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const shapes* s = user;
    const limberi_acting* a = s->a;
    limberi_looker* own = &a->lookers[worker];
    limberi_slot_matrix* now = own->slots[0];
    for (uint32_t i = first * PART; i < end * PART && i < s->count; i++) {
        limberi_look_at(a, &s->local[limberi_acting_at(a, moment_of(a, i), 0)], own->poses, now);
        center(a, now);
        if (i > 0)
            align(a, (const limberi_slot_matrix*)s->first, now);
        limberi_add_slots(a, 1.0 / s->count, (const limberi_slot_matrix*)now,
                          s->means + (size_t)(i / PART) * a->surface->slot_count);
        s->squares[i] = limberi_skin_sums_square(a->surface, (const limberi_slot_matrix*)now);
    }
}

static bool open_shapes(limberi_arena* arena, size_t parts, shapes* s) {
    s->squares = LIMBERI_ALLOCATE(arena, double, s->count);
    s->first = LIMBERI_ALLOCATE(arena, limberi_slot_matrix, s->a->surface->slot_count);
    s->means = LIMBERI_ALLOCATE(arena, limberi_slot_matrix, parts * s->a->surface->slot_count);
    return !arena->failed;
}

double limberi_amplitude(const limberi_acting* a, const limber_transform* local) {
    limberi_arena arena = {NULL, false};
    shapes s = {.a = a, .local = local, .count = (a->grid.count - 1) / EVERY + 1};
    uint32_t parts = (s.count - 1) / PART + 1;
    double amplitude = -1;
    if (open_shapes(&arena, parts, &s)) {
        double square = 0;
        limberi_look_at(a, local, a->lookers->poses, s.first);
        center(a, s.first);
        limberi_parallel_for(a->parallel, parts, 1, see_shapes, &s);
        for (uint32_t i = 0; i < s.count; i++)
            square += s.squares[i] / s.count;
        amplitude = sqrt(fmax(square - limberi_square_of_parts(a, parts, s.means), 0)) / a->body->height;
    }
    limberi_arena_free(&arena);
    return amplitude;
}

// Any thread, for different looks.
static void see_changes(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const shapes* s = user;
    const limberi_acting* a = s->a;
    limberi_looker* own = &a->lookers[worker];
    for (uint32_t i = first; i < end; i++) {
        size_t at = limberi_acting_at(a, moment_of(a, i), 0);
        limberi_look_at(a, &a->local[at], own->poses, own->slots[0]);
        limberi_look_at(a, &s->local[at], own->poses, own->slots[1]);
        limberi_add_slots(a, -1, (const limberi_slot_matrix*)own->slots[0], own->slots[1]);
        s->squares[i] = limberi_skin_sums_square(a->surface, (const limberi_slot_matrix*)own->slots[1]);
    }
}

bool limberi_changes(const limberi_acting* a, const limber_transform* edited, double* changes) {
    shapes s = {.a = a, .local = edited, .count = (a->grid.count + EVERY - 2) / EVERY + 1};
    s.squares = limberi_allocate(s.count * sizeof *s.squares);
    if (!s.squares)
        return false;
    limberi_parallel_for(a->parallel, s.count, PART, see_changes, &s);
    for (uint32_t i = 0; i < s.count; i++)
        limberi_signal_fill(changes, moment_of(a, i ? i - 1 : 0), moment_of(a, i),
                            sqrt(fmax(s.squares[i], 0)) / a->body->height);
    limberi_release(s.squares);
    return true;
}
