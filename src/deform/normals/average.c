// Re-averaged normals of a run of welds (deform/welds.h): sums over the triangles around each of them, x, y and z side
// by side, then turns of several normals at a time.
#include "base/lanes.h"
#include "deform/normals/welds.h"

typedef limberi_lanes lanes;

enum { BLOCK = 64 }; // welds that are summed up before they are turned: roots and quotients of many overlap

LIMBERI_INLINED size_t place_of(const uint16_t* entries, size_t entry, bool wide) {
    return 3 * (wide ? entries[2 * entry] | (size_t)entries[2 * entry + 1] << 16 : (size_t)entries[entry]);
}

// --- one point ---

#if LIMBERI_LANE_COUNT == 1
typedef struct point {
    float v[3];
} point;

LIMBERI_INLINED point load_point(const float* from, bool last) {
    (void)last;
    point p = {{from[0], from[1], from[2]}};
    return p;
}

LIMBERI_INLINED point subtract(point a, point b) {
    point p = {{a.v[0] - b.v[0], a.v[1] - b.v[1], a.v[2] - b.v[2]}};
    return p;
}

LIMBERI_INLINED point add_cross(point a, point b, point sum) {
    sum.v[0] += a.v[1] * b.v[2] - a.v[2] * b.v[1];
    sum.v[1] += a.v[2] * b.v[0] - a.v[0] * b.v[2];
    sum.v[2] += a.v[0] * b.v[1] - a.v[1] * b.v[0];
    return sum;
}

LIMBERI_INLINED void lanes_of(const point* sums, lanes out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = sums->v[i];
}
#else
typedef lanes point;

// What comes fourth does not matter, but behind the last vertex there may be nothing to read.
LIMBERI_INLINED point load_point(const float* from, bool last) {
    if (!last)
        return limberi_lanes_load(from);
    point p = {from[0], from[1], from[2], 0};
    return p;
}

LIMBERI_INLINED point subtract(point a, point b) {
    return a - b;
}

// y, z, x
LIMBERI_INLINED point next_axis(point a) {
#if defined(LIMBERI_LANES_NEON) // gcc looks it up in two registers, and fills both first
    const uint8x16_t order = {4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 12, 13, 14, 15};
    return (point)vqtbl1q_u8((uint8x16_t)a, order);
#else
    return __builtin_shufflevector(a, a, 1, 2, 0, 3);
#endif
}

// The sum has z, x, y.
LIMBERI_INLINED point add_cross(point a, point b, point sum) {
    return limberi_lanes_fms(next_axis(a), b, limberi_lanes_fma(a, next_axis(b), sum));
}

LIMBERI_INLINED lanes zip_low(lanes a, lanes b) {
    return __builtin_shufflevector(a, b, 0, 4, 1, 5);
}

LIMBERI_INLINED lanes zip_high(lanes a, lanes b) {
    return __builtin_shufflevector(a, b, 2, 6, 3, 7);
}

LIMBERI_INLINED void lanes_of(const point* sums, lanes out[3]) {
    lanes even = zip_low(sums[0], sums[2]), odd = zip_low(sums[1], sums[3]);
    out[0] = zip_high(even, odd);
    out[1] = zip_low(zip_high(sums[0], sums[2]), zip_high(sums[1], sums[3]));
    out[2] = zip_low(even, odd);
}
#endif

// --- sums ---

typedef struct pair {
    point before, after;
} pair;

typedef struct block {
    point before[BLOCK], after[BLOCK];
} block;

LIMBERI_INLINED pair load_pair(const limberi_average_input* in, const uint16_t* entries, size_t entry, bool wide,
                               bool last) {
    size_t at = place_of(entries, entry, wide);
    pair p = {load_point(in->before + at, last), load_point(in->after + at, last)};
    return p;
}

// Twice the area of a quad along its normal is the product of its diagonals.
LIMBERI_INLINED pair add_quad(pair a, pair b, pair c, pair d, pair sum) {
    sum.before = add_cross(subtract(c.before, a.before), subtract(d.before, b.before), sum.before);
    sum.after = add_cross(subtract(c.after, a.after), subtract(d.after, b.after), sum.after);
    return sum;
}

// Two triangles at a time, and the one that may be left.
LIMBERI_INLINED pair add_fan(const limberi_average_input* in, const uint16_t* entries, uint32_t ring, bool wide,
                             bool last, pair sum) {
    pair a = load_pair(in, entries, 0, wide, last), b = load_pair(in, entries, 1, wide, last);
    uint32_t i = 2;
    for (; i < ring; i += 2) {
        pair c = load_pair(in, entries, i, wide, last), d = load_pair(in, entries, i + 1, wide, last);
        sum = add_quad(a, b, c, d, sum);
        b = d;
    }
    return i > ring ? sum : add_quad(a, b, b, load_pair(in, entries, i, wide, last), sum);
}

// Welds of one vertex and one fan, of a length that the compiler knows.
LIMBERI_INLINED void sum_single(const limberi_average_input* in, uint32_t first, uint32_t count, uint32_t ring,
                                block* out) {
    const uint16_t* entries = in->entries + (size_t)first * (ring + 2);
    for (uint32_t w = 0; w < count; w++) {
        pair sum;
        memset(&sum, 0, sizeof sum);
        sum = add_fan(in, entries + 1, ring, false, false, sum);
        out->before[w] = sum.before;
        out->after[w] = sum.after;
        entries += ring + 2;
    }
}

LIMBERI_INLINED void sum_any(const limberi_average_input* in, uint32_t first, uint32_t count, bool wide, bool last,
                             block* out) {
    const limberi_weld_run* run = in->run;
    for (uint32_t w = 0; w < count; w++) {
        const uint16_t* entries = in->entries;
        entries += ((size_t)(first + w) * run->entry_count + run->member_count) << wide;
        pair sum;
        memset(&sum, 0, sizeof sum);
        for (uint32_t f = 0; f < run->fan_count; f++) {
            sum = add_fan(in, entries, in->rings[f], wide, last, sum);
            entries += ((size_t)in->rings[f] + 1) << wide;
        }
        out->before[w] = sum.before;
        out->after[w] = sum.after;
    }
}

static void sum_block(const limberi_average_input* in, uint32_t first, uint32_t count, block* out) {
    bool single = in->run->fan_count == 1 && in->run->member_count == 1;
    if (in->wide || in->run->last)
        sum_any(in, first, count, in->wide, true, out);
    else if (single && in->rings[0] == 3) // four triangles all around, or two
        sum_single(in, first, count, 3, out);
    else if (single && in->rings[0] == 4)
        sum_single(in, first, count, 4, out);
    else if (single && in->rings[0] == 5)
        sum_single(in, first, count, 5, out);
    else if (single && in->rings[0] == 6)
        sum_single(in, first, count, 6, out);
    else if (single && in->rings[0] == 7)
        sum_single(in, first, count, 7, out);
    else
        sum_any(in, first, count, false, false, out);
    for (uint32_t w = count; w % LIMBERI_LANE_COUNT; w++) { // lanes that are left over turn nothing
        memset(&out->before[w], 0, sizeof out->before[w]);
        memset(&out->after[w], 0, sizeof out->after[w]);
    }
}

// --- turning ---

LIMBERI_INLINED lanes dot(const lanes a[3], const lanes b[3]) {
    return limberi_lanes_fma(a[0], b[0], limberi_lanes_fma(a[1], b[1], a[2] * b[2]));
}

LIMBERI_INLINED limberi_mask equal(lanes a, lanes b) {
#if LIMBERI_LANE_COUNT == 1
    return -(limberi_mask)(a == b);
#else
    return a == b;
#endif
}

// Both have a direction, and they are not the same numbers.
LIMBERI_INLINED limberi_mask has_turned(const lanes a[3], const lanes b[3], lanes lengths) {
    limberi_mask same = equal(a[0], b[0]) & equal(a[1], b[1]) & equal(a[2], b[2]);
    limberi_mask some = limberi_lanes_less(limberi_lanes_all(1e-36f), lengths);
    return some & limberi_lanes_less(lengths, limberi_lanes_all(1e36f)) & ~same;
}

// The shortest rotation from a to b, taken as unit vectors, leads from n to
//     n + (2 a.n - t) b - t a,   t = (a.n + b.n) / (1 + a.b),
// the reflection in the plane across a, then in the one across a + b. Half a turn has no shortest way: what n has along
// a is flipped.
LIMBERI_INLINED void turn(const lanes a[3], const lanes b[3], lanes n[3]) {
    const lanes one = limberi_lanes_all(1);
    lanes aa = dot(a, a), bb = dot(b, b), lengths = limberi_lanes_sqrt(aa) * limberi_lanes_sqrt(bb);
    lanes inverse = one / lengths, cosine = dot(a, b) * inverse;
    lanes share = inverse / limberi_lanes_max(one + cosine, limberi_lanes_all(1e-3f));
    lanes an = dot(a, n) * share, bn = dot(b, n) * share;
    lanes to_b = limberi_lanes_fms(bn, aa * inverse, an * (one + cosine + cosine));
    lanes from_a = limberi_lanes_fma(an, bb * inverse, bn);
    limberi_mask turns = has_turned(a, b, lengths);
    for (int i = 0; i < 3; i++) {
        lanes turned = limberi_lanes_fms(from_a, a[i], limberi_lanes_fma(to_b, b[i], n[i]));
        n[i] = limberi_lanes_select(turns, turned, n[i]);
    }
}

static void turn_block(const block* sums, uint32_t count, float normals[3][BLOCK]) {
    for (uint32_t w = 0; w < count; w += LIMBERI_LANE_COUNT) {
        lanes a[3], b[3], n[3];
        lanes_of(sums->before + w, a);
        lanes_of(sums->after + w, b);
        for (int i = 0; i < 3; i++)
            n[i] = limberi_lanes_load(normals[i] + w);
        turn(a, b, n);
        for (int i = 0; i < 3; i++)
            limberi_lanes_store(normals[i] + w, n[i]);
    }
}

LIMBERI_INLINED void turn_member(const limberi_average_input* in, size_t entry, uint32_t count, bool wide,
                                 const block* sums, float normals[3][BLOCK]) {
    size_t length = in->run->entry_count;
    for (uint32_t w = 0; w < count; w++) {
        const float* from = in->normals + place_of(in->entries, entry + w * length, wide);
        normals[0][w] = from[0];
        normals[1][w] = from[1];
        normals[2][w] = from[2];
    }
    turn_block(sums, count, normals);
    for (uint32_t w = 0; w < count; w++) {
        float* to = in->out_normals + place_of(in->entries, entry + w * length, wide);
        to[0] = normals[0][w];
        to[1] = normals[1][w];
        to[2] = normals[2][w];
    }
}

void LIMBERI_VARIANT(limberi_average_run)(const limberi_average_input* in) {
    block sums;
    float normals[3][BLOCK];
    memset(normals, 0, sizeof normals);
    for (uint32_t first = 0; first < in->run->count; first += BLOCK) {
        uint32_t rest = in->run->count - first, count = rest < BLOCK ? rest : BLOCK;
        sum_block(in, first, count, &sums);
        for (uint32_t m = 0; m < in->run->member_count; m++) {
            size_t entry = (size_t)first * in->run->entry_count + m;
            if (in->wide)
                turn_member(in, entry, count, true, &sums, normals);
            else
                turn_member(in, entry, count, false, &sums, normals);
        }
    }
}
