// Differences of sampled vectors: how accelerations on a regular grid become jerk and jounce (thesis, section 7.3).
#include "motion/differences.h"
#include "base/turns.h"

#include <math.h>
#include <string.h>

// Samples on either side of `at` that no cut and no end is in front of, `max` at most.
static int64_t room_before(const limberi_vectors* v, uint32_t at, int64_t max) {
    int64_t room = 0;
    while (room < max && !v->restart[at] && (at > 0 || v->loops)) {
        at = at > 0 ? at - 1 : v->count - 1;
        room++;
    }
    return room;
}

static int64_t room_after(const limberi_vectors* v, uint32_t at, int64_t max) {
    int64_t room = 0;
    while (room < max && (at + 1 < v->count || v->loops)) {
        at = at + 1 < v->count ? at + 1 : 0;
        if (v->restart[at])
            break;
        room++;
    }
    return room;
}

// Of the endless motion of a loop that turns, sample `at` may lie some turns before or after the clip.
static void load_sample(const limberi_vectors* v, int64_t at, double* out) {
    int64_t count = v->count;
    int64_t turns = at >= 0 ? at / count : -((count - 1 - at) / count);
    const float* from = v->samples + (size_t)(at - turns * count) * v->stride;
    for (int c = 0; c < 3; c++)
        out[c] = (double)from[c];
    if (!v->turn)
        return;
    const double back[4] = {-v->turn[0], -v->turn[1], -v->turn[2], v->turn[3]};
    for (int64_t n = 0; n < turns; n++)
        limberi_turn_rotate(v->turn, out, out);
    for (int64_t n = 0; n > turns; n--)
        limberi_turn_rotate(back, out, out);
}

static void first_difference(const limberi_vectors* v, uint32_t at, int64_t steps, float* out) {
    int64_t before = room_before(v, at, steps);
    int64_t after = room_after(v, at, steps);
    double from[3];
    double to[3];
    double width = (double)(before + after) * v->step_s;
    load_sample(v, at - before, from);
    load_sample(v, at + after, to);
    for (int c = 0; c < 3; c++)
        out[c] = width > 0 ? (float)((to[c] - from[c]) / width) : 0;
}

static void second_difference(const limberi_vectors* v, uint32_t at, int64_t steps, float* out) {
    int64_t before = room_before(v, at, 2 * steps);
    int64_t after = room_after(v, at, 2 * steps);
    int64_t half = (before + after) / 2 < steps ? (before + after) / 2 : steps;
    int64_t inward = 0;
    if (before < half)
        inward = half - before;
    if (after < half)
        inward = after - half;
    double left[3];
    double middle[3];
    double right[3];
    double step = (double)half * v->step_s;
    load_sample(v, at + inward - half, left);
    load_sample(v, at + inward, middle);
    load_sample(v, at + inward + half, right);
    for (int c = 0; c < 3; c++)
        out[c] = step > 0 ? (float)(((right[c] - middle[c]) - (middle[c] - left[c])) / (step * step)) : 0;
}

void limberi_differentiate(const limberi_vectors* v, uint32_t order, double width_s, float* scratch) {
    double steps = v->step_s > 0 ? fmin(fmax(round(width_s / v->step_s), 1), 1e6) : 1;
    for (uint32_t i = 0; i < v->count; i++)
        (order == 1 ? first_difference : second_difference)(v, i, (int64_t)steps, scratch + 3 * (size_t)i);
    for (uint32_t i = 0; i < v->count; i++)
        memcpy(v->samples + i * v->stride, scratch + 3 * (size_t)i, 3 * sizeof *scratch);
}
