// Points of the skin that a review follows: slide, belt, climb.
#include "base/turns.h"
#include "review/review_private.h"

#include <math.h>
#include <string.h>

enum { MAX_SAMPLES = 4000 };

void limberi_samples_find(limberi_review_samples* s, limberi_arena* arena, const limber_model* model, uint32_t frames) {
    memset(s, 0, sizeof *s);
    s->count = model->vertex_count < MAX_SAMPLES ? model->vertex_count : MAX_SAMPLES;
    s->capacity = frames;
    s->vertices = LIMBERI_ALLOCATE(arena, uint32_t, s->count);
    s->places = LIMBERI_ALLOCATE(arena, float, 3 * (size_t)s->count * frames);
    s->moved = LIMBERI_ALLOCATE(arena, float, (size_t)s->count* frames);
    if (arena->failed)
        return;
    for (uint32_t i = 0; i < s->count; i++)
        s->vertices[i] = (uint32_t)((uint64_t)i * model->vertex_count / s->count);
}

static double distance(const float* a, const float* b) {
    double x = (double)a[0] - (double)b[0];
    double y = (double)a[1] - (double)b[1];
    double z = (double)a[2] - (double)b[2];
    return sqrt(x * x + y * y + z * z);
}

void limberi_samples_add(limberi_review_samples* s, double size, const float* plain, const float* styled) {
    if (s->frames == s->capacity)
        return;
    float* places = s->places + 3 * (size_t)s->count * s->frames;
    float* moved = s->moved + (size_t)s->count * s->frames;
    for (uint32_t i = 0; i < s->count; i++) {
        size_t at = 3 * (size_t)s->vertices[i];
        memcpy(places + 3 * (size_t)i, plain + at, 3 * sizeof *plain);
        moved[i] = (float)(distance(styled + at, plain + at) / size);
    }
    s->frames++;
}

static const float* place_of(const limberi_review_samples* s, uint32_t frame, uint32_t i) {
    return s->places + 3 * ((size_t)frame * s->count + i);
}

// --- motion, speed and strength ---

// How far a vertex gets from its mean place, and its largest step, both against the body.
static void measure_travel(const limberi_review_samples* s, double (*bodies)[3], uint32_t i, float* reach,
                           float* step) {
    double mean[3] = {0, 0, 0};
    double last[3] = {0, 0, 0};
    double far = 0;
    double fast = 0;
    for (uint32_t f = 0; f < s->frames; f++)
        for (int c = 0; c < 3; c++)
            mean[c] += ((double)place_of(s, f, i)[c] - bodies[f][c]) / s->frames;
    for (uint32_t f = 0; f < s->frames; f++) {
        double off[3], change[3];
        for (int c = 0; c < 3; c++) {
            double at = (double)place_of(s, f, i)[c] - bodies[f][c];
            off[c] = at - mean[c];
            change[c] = f ? at - last[c] : 0;
            last[c] = at;
        }
        far = fmax(far, limberi_dot3(off, off));
        fast = fmax(fast, limberi_dot3(change, change));
    }
    *reach = (float)sqrt(far);
    *step = (float)sqrt(fast);
}

static void find_motion(const limberi_review_samples* s, limberi_arena* arena, limberi_review* review) {
    double(*bodies)[3] = limberi_arena_allocate(arena, s->frames, sizeof *bodies);
    float* reach = LIMBERI_ALLOCATE(arena, float, s->count);
    float* step = LIMBERI_ALLOCATE(arena, float, s->count);
    if (arena->failed)
        return;
    for (uint32_t f = 0; f < s->frames; f++)
        for (uint32_t i = 0; i < s->count; i++)
            for (int c = 0; c < 3; c++)
                bodies[f][c] += (double)place_of(s, f, i)[c] / s->count;
    for (uint32_t i = 0; i < s->count; i++)
        measure_travel(s, bodies, i, &reach[i], &step[i]);
    review->motion = limberi_percentile(reach, s->count, 95) / review->size;
    review->speed = limberi_percentile(step, s->count, 95) * LIMBERI_REVIEW_RATE / review->size;
}

static limberi_spot spot_of(const limberi_review_samples* s, const limber_model* model, size_t at,
                            const double* times) {
    return (limberi_spot){limberi_review_joint(model, s->vertices[at % s->count]), times[at / s->count]};
}

void limberi_samples_end(const limberi_review_samples* s, limberi_arena* arena, const limber_model* model,
                         const double* times, limberi_review* review) {
    review->at_strength.joint = LIMBERI_NO_JOINT;
    find_motion(s, arena, review);
    float* values = LIMBERI_ALLOCATE(arena, float, s->count);
    for (uint32_t f = 0; values && f < s->frames; f++) {
        const float* moved = s->moved + (size_t)s->count * f;
        memcpy(values, moved, s->count * sizeof *values);
        double strength = limberi_percentile(values, s->count, 95);
        if (strength <= review->strength)
            continue;
        size_t max = 0;
        for (uint32_t i = 1; i < s->count; i++)
            max = moved[i] > moved[max] ? i : max;
        review->strength = strength;
        review->at_strength = spot_of(s, model, (size_t)s->count * f + max, times);
    }
}

// --- slide ---

static const double near_floor = 0.02; // sizes
static const double still = 0.15;      // sizes per second
static const double turning = 10;      // vertical acceleration of what only swings past the floor, sizes per second^2

typedef struct standing {
    const limberi_review_samples* s;
    double floor, size;
    double belt[3]; // velocity of what the low vertices commonly do along the ground: a treadmill
} standing;

static void velocity_of(const standing* w, uint32_t frame, uint32_t i, double* v) {
    const float* a = place_of(w->s, frame, i);
    const float* b = place_of(w->s, frame + 1, i);
    for (int c = 0; c < 3; c++)
        v[c] = ((double)b[c] - (double)a[c]) * LIMBERI_REVIEW_RATE / w->size;
}

static bool is_low(const standing* w, uint32_t frame, uint32_t i) {
    return (double)place_of(w->s, frame, i)[1] < w->floor + near_floor * w->size;
}

static void find_belt(standing* w, limberi_arena* arena) {
    const limberi_review_samples* s = w->s;
    float* values[2] = {LIMBERI_ALLOCATE(arena, float, (size_t)s->count * s->frames),
                        LIMBERI_ALLOCATE(arena, float, (size_t)s->count * s->frames)};
    size_t count = 0;
    if (arena->failed)
        return;
    for (uint32_t f = 0; f + 1 < s->frames; f++)
        for (uint32_t i = 0; i < s->count; i++) {
            double v[3];
            if (!is_low(w, f, i))
                continue;
            velocity_of(w, f, i, v);
            values[0][count] = (float)v[0];
            values[1][count++] = (float)v[2];
        }
    w->belt[0] = limberi_percentile(values[0], count, 50);
    w->belt[2] = limberi_percentile(values[1], count, 50);
}

// Vertical velocity, smoothed over 5 frames: keys at 30 per second make steps.
static double climb_at(const standing* w, uint32_t frame, uint32_t i) {
    static const double weights[2] = {0.25, 0.05};
    uint32_t steps = w->s->frames - 1;
    double v[3], before[3], after[3];
    velocity_of(w, frame, i, v);
    double climb = v[1];
    for (uint32_t shift = 1; shift <= 2; shift++) {
        if (frame < shift || frame + shift >= steps)
            continue;
        velocity_of(w, frame - shift, i, before);
        velocity_of(w, frame + shift, i, after);
        climb += weights[shift - 1] * (before[1] + after[1] - 2 * v[1]);
    }
    return climb;
}

static bool turns(const standing* w, uint32_t frame, uint32_t i) {
    uint32_t steps = w->s->frames - 1;
    if (frame < 3 || frame + 3 >= steps)
        return false;
    return fabs(climb_at(w, frame + 3, i) - climb_at(w, frame - 3, i)) * LIMBERI_REVIEW_RATE / 6 >= turning;
}

static bool stands(const standing* w, uint32_t frame, uint32_t i) {
    double v[3], against[3];
    if (!is_low(w, frame, i))
        return false;
    velocity_of(w, frame, i, v);
    for (int c = 0; c < 3; c++)
        against[c] = v[c] - w->belt[c];
    return limberi_dot3(v, v) < still * still ||
           (limberi_dot3(against, against) < still * still && !turns(w, frame, i));
}

void limberi_samples_slide(const limberi_review_samples* s, limberi_arena* arena, const limber_model* model,
                           const double* times, double floor, limberi_review* review) {
    standing w = {s, floor, review->size, {0, 0, 0}};
    review->at_slide.joint = LIMBERI_NO_JOINT;
    find_belt(&w, arena);
    float* values = LIMBERI_ALLOCATE(arena, float, (size_t)s->count * s->frames);
    size_t count = 0;
    size_t max = SIZE_MAX;
    for (uint32_t f = 0; values && f + 1 < s->frames; f++)
        for (uint32_t i = 0; i < s->count; i++) {
            size_t at = (size_t)f * s->count + i;
            if (!stands(&w, f, i))
                continue;
            values[count++] = s->moved[at];
            max = max == SIZE_MAX || s->moved[at] > s->moved[max] ? at : max;
        }
    review->slide = limberi_percentile(values, count, 99);
    if (count)
        review->at_slide = spot_of(s, model, max, times);
}
