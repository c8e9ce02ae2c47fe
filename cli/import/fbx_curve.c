// A curve of an .fbx file between its keys. Cubic ones are Bezier curves over time: from a key's value along its slope to
// the right, into the next one along that one's slope to the left. Slopes are in the file, or follow from the keys near.
#include "cli/import/fbx.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    HOLD = 0x2,
    CUBIC = 0x8,
    HOLD_NEXT = 0x100,
    TCB = 0x200,
    USER = 0x400,
    CLAMP = 0x1000,
    TIME_INDEPENDENT = 0x2000,
    CLAMP_PROGRESSIVE = 0x4000,
    WEIGHTED_RIGHT = 0x1000000,
    WEIGHTED_NEXT_LEFT = 0x2000000,
};

enum {
    GRID = 60,  // samples per second, at the same times in all curves
    DENSE = 23, // keys per second that need no others between
    GAP = 2000, // of a second: how long a jump takes
};
static const double far_turn = 10; // degrees between linear keys: the short way round is another one from 180 on
static const float third = 1.0f / 3;

typedef struct key {
    int32_t flags;
    float tangents[4];
} key;

// What the loops below look at: the curve with a row per key.
typedef struct curve_keys {
    const fbx_curve* c;
    const key* keys;
} curve_keys;

static double seconds(const fbx_curve* c, size_t from, size_t to) {
    return (double)(c->times[to] - c->times[from]) / FBX_SECOND;
}

static double secant(const fbx_curve* c, size_t from, size_t to) {
    return ((double)c->values[to] - (double)c->values[from]) / seconds(c, from, to);
}

static float weight_right(const key* k) {
    uint32_t packed;
    memcpy(&packed, &k->tangents[2], sizeof packed);
    return k->flags & WEIGHTED_RIGHT ? (float)(packed & 0xffff) * 1e-4f : third;
}

static float weight_next_left(const key* k) {
    uint32_t packed;
    memcpy(&packed, &k->tangents[2], sizeof packed);
    return k->flags & WEIGHTED_NEXT_LEFT ? (float)(packed >> 16) * 1e-4f : third;
}

// --- slopes ---

static double limited(double slope, double max) {
    return slope < max ? slope : max;
}

// A key's own slope where nobody set one; at the ends of the curve it goes straight to the neighbor, or is flat.
static double auto_slope(const curve_keys* k, size_t i) {
    const fbx_curve* c = k->c;
    int32_t flags = k->keys[i].flags;
    bool first = i == 0;
    bool last = i + 1 == c->count;
    if (first || last)
        return flags & CLAMP_PROGRESSIVE ? 0 : secant(c, first ? 0 : i - 1, first ? 1 : i);
    bool level = c->values[i] == c->values[i - 1] || c->values[i] == c->values[i + 1];
    if ((flags & CLAMP) && level)
        return 0;
    double before = secant(c, i - 1, i);
    double after = secant(c, i, i + 1);
    double slope = secant(c, i - 1, i + 1);
    double part = seconds(c, i - 1, i) / seconds(c, i - 1, i + 1);
    if (!(flags & TIME_INDEPENDENT))
        slope = 0.5 * slope + 0.5 * (before * (1 - part) + after * part);
    if (!(flags & CLAMP_PROGRESSIVE))
        return slope;
    if (before * after <= 0)
        return 0;
    double max_before = fabs(before) / fmax((double)weight_next_left(&k->keys[i - 1]), 1e-4);
    double max_after = fabs(after) / fmax((double)weight_right(&k->keys[i]), 1e-4);
    return copysign(limited(limited(fabs(slope), max_before), max_after), slope);
}

// Kochanek and Bartels, 1984: tension, continuity and bias. `side` is 1 to the right, -1 to the left.
static double tcb_slope(const curve_keys* k, size_t i, double side) {
    const float* t = k->keys[i].tangents;
    bool first = i == 0;
    bool last = i + 1 == k->c->count;
    double before = first ? 0 : secant(k->c, i - 1, i);
    double after = last ? 0 : secant(k->c, i, i + 1);
    double all = (first || last ? 1.0 : 0.5) * (1 - (double)t[0]);
    double continuity = side * (double)t[1];
    double bias = (double)t[2];
    return all * ((1 + bias) * (1 + continuity) * before + (1 - bias) * (1 - continuity) * after);
}

static double slope_right(const curve_keys* k, size_t i) {
    const key* at = &k->keys[i];
    if (at->flags & TCB)
        return tcb_slope(k, i, 1);
    return at->flags & USER ? (double)at->tangents[0] : auto_slope(k, i);
}

// Of key i, from the right end of the curve between i - 1 and i.
static double slope_left(const curve_keys* k, size_t i) {
    const key* at = &k->keys[i];
    if ((at->flags & CUBIC) && (at->flags & TCB))
        return tcb_slope(k, i, -1);
    if ((at->flags & CUBIC) && !(at->flags & USER))
        return auto_slope(k, i);
    return (double)k->keys[i - 1].tangents[1];
}

// --- between two keys ---

static double bezier(double a, double b, double c, double d, double u) {
    double v = 1 - u;
    return v * v * v * a + 3 * v * v * u * b + 3 * v * u * u * c + u * u * u * d;
}

// Time runs from 0 to 1, over the first and last third of the way by the weights.
static double parameter_at(double part, double right, double left) {
    double low = 0;
    double high = 1;
    for (int i = 0; i < 40; i++) {
        double middle = 0.5 * (low + high);
        if (bezier(0, right, 1 - left, 1, middle) < part)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

typedef struct span {
    double from, to, right, left; // values, and those of the Bezier curve between
    double weight_right, weight_left;
} span;

static span cubic_span(const curve_keys* k, size_t i) {
    const fbx_curve* c = k->c;
    double step = seconds(c, i, i + 1);
    span s = {.from = (double)c->values[i], .to = (double)c->values[i + 1]};
    s.weight_right = (double)weight_right(&k->keys[i]);
    s.weight_left = (double)weight_next_left(&k->keys[i]);
    s.right = s.from + slope_right(k, i) * s.weight_right * step;
    s.left = s.to - slope_left(k, i + 1) * s.weight_left * step;
    return s;
}

// Whether samples between the keys i and i + 1 say more than these.
static bool needs_samples(const curve_keys* k, size_t i) {
    const fbx_curve* c = k->c;
    double change = fabs((double)c->values[i + 1] - (double)c->values[i]);
    if (k->keys[i].flags & HOLD)
        return change > 0;
    if (seconds(c, i, i + 1) * DENSE < 1)
        return false;
    if (!(k->keys[i].flags & CUBIC))
        return change > far_turn;
    span s = cubic_span(k, i);
    double size = fmax(fmax(fabs(s.from), fabs(s.to)), change);
    double off = fmax(fabs(s.right - (s.from + s.weight_right * (s.to - s.from))),
                      fabs(s.left - (s.to - s.weight_left * (s.to - s.from))));
    return change > far_turn || off > 1e-6 * size;
}

static void add(fbx_keys* keys, int64_t time, double value) {
    if (!isfinite(value))
        return;
    keys->times[keys->count] = time;
    keys->values[keys->count++] = (float)value;
}

static void add_hold(const fbx_curve* c, size_t i, bool next, fbx_keys* keys) {
    int64_t gap = FBX_SECOND / GAP;
    if (c->times[i + 1] - c->times[i] < 2 * gap)
        return;
    if (next)
        add(keys, c->times[i] + gap, (double)c->values[i + 1]);
    else
        add(keys, c->times[i + 1] - gap, (double)c->values[i]);
}

// At the ticks of the grid that are not too near to the keys.
static void add_samples(const curve_keys* k, size_t i, fbx_keys* keys) {
    const fbx_curve* c = k->c;
    const int64_t step = FBX_SECOND / GRID;
    const int64_t gap = FBX_SECOND / GAP;
    const int64_t from = c->times[i];
    const int64_t to = c->times[i + 1];
    bool cubic = k->keys[i].flags & CUBIC;
    span s = {.from = (double)c->values[i], .to = (double)c->values[i + 1]};
    if (cubic)
        s = cubic_span(k, i);
    for (int64_t n = from / step; n * step < to; n++) {
        double part = (double)(n * step - from) / (double)(to - from);
        if (n * step - from > gap && to - n * step > gap)
            add(keys, n * step,
                cubic ? bezier(s.from, s.right, s.left, s.to, parameter_at(part, s.weight_right, s.weight_left))
                      : s.from + part * (s.to - s.from));
    }
}

// --- a curve ---

static size_t count_samples(const curve_keys* k) {
    size_t count = 0;
    for (size_t i = 0; i + 1 < k->c->count && count < FBX_KEY_LIMIT; i++) {
        double keys = seconds(k->c, i, i + 1) * GRID + 3;
        if (needs_samples(k, i))
            count += keys < FBX_KEY_LIMIT ? (size_t)keys : FBX_KEY_LIMIT;
    }
    return count;
}

// A row per key; NULL where the file does not say enough, or memory is short.
static const key* spread_runs(limberi_arena* arena, const fbx_curve* c) {
    size_t done = 0;
    key* keys = LIMBERI_ALLOCATE(arena, key, c->count);
    for (size_t r = 0; keys && r < c->runs; r++)
        for (int32_t n = 0; n < c->repeats[r] && done < c->count; n++) {
            keys[done].flags = c->flags[r];
            memcpy(keys[done++].tangents, c->tangents + 4 * r, sizeof keys->tangents);
        }
    return done == c->count ? keys : NULL;
}

static bool is_plain(const fbx_curve* c) {
    for (size_t i = 0; i < c->count; i++)
        if (!isfinite(c->values[i]) || llabs(c->times[i]) > INT64_MAX / 4 || (i && c->times[i] <= c->times[i - 1]))
            return false;
    for (size_t i = 0; i < 4 * c->runs; i++)
        if (i % 4 < 2 && !isfinite(c->tangents[i]))
            return false;
    return c->count > 1;
}

bool fbx_curve_sample(limberi_arena* arena, const fbx_curve* curve, fbx_keys* keys) {
    curve_keys k = {curve, is_plain(curve) ? spread_runs(arena, curve) : NULL};
    size_t more = k.keys ? count_samples(&k) : 0;
    memset(keys, 0, sizeof *keys);
    if (!more || more + curve->count > FBX_KEY_LIMIT)
        return false;
    keys->times = LIMBERI_ALLOCATE(arena, int64_t, more + curve->count);
    keys->values = LIMBERI_ALLOCATE(arena, float, more + curve->count);
    if (arena->failed)
        return false;
    for (size_t i = 0; i < curve->count; i++) {
        add(keys, curve->times[i], (double)curve->values[i]);
        if (i + 1 == curve->count || !needs_samples(&k, i))
            continue;
        if (k.keys[i].flags & HOLD)
            add_hold(curve, i, k.keys[i].flags & HOLD_NEXT, keys);
        else
            add_samples(&k, i, keys);
    }
    return true;
}
