// Re-averaged normals of a run of welds (welds.h): sums over the triangles around each of them, x, y and z side
// by side, then turns of several normals at a time.
//
// What did not help: loading and storing normals by ld3 and st3 of one lane (arm64: four percent fewer instructions, three
// percent more time); turning while the next ones are summed up; chunks of 512 or 1024 instead of 256. On x86: chunks that
// first copy the positions they read into one table (15.7 instead of 16.6 ns on the cow, but 113 instead of 94
// instructions on arm64, and more memory); turning in two passes (5 to 9 percent more time); masked loads (1 to 5); z by
// way of memory (2 to 6). The loops are limited by instructions, not by memory.
#include "base/lanes.h"
#include "deform/normals/welds.h"

typedef limberi_lanes lanes;

enum { BLOCK = 64 }; // welds that are summed up before they are turned: roots and quotients of many overlap

LIMBERI_INLINED size_t place_of(const uint16_t* entries, size_t entry, bool wide) {
    return 3 * (wide ? entries[2 * entry] | (size_t)entries[2 * entry + 1] << 16 : (size_t)entries[entry]);
}

// --- one point, before and after ---

#if LIMBERI_LANE_COUNT == 1
typedef struct pair {
    float v[2][3];
} pair;

LIMBERI_INLINED pair load_pair(const float* before, const float* after, bool last) {
    (void)last;
    return (pair){{{before[0], before[1], before[2]}, {after[0], after[1], after[2]}}};
}

LIMBERI_INLINED pair subtract(pair a, pair b) {
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++)
            a.v[k][i] -= b.v[k][i];
    return a;
}

LIMBERI_INLINED pair add_cross(pair a, pair b, pair sum) {
    for (int k = 0; k < 2; k++) {
        sum.v[k][0] += a.v[k][1] * b.v[k][2] - a.v[k][2] * b.v[k][1];
        sum.v[k][1] += a.v[k][2] * b.v[k][0] - a.v[k][0] * b.v[k][2];
        sum.v[k][2] += a.v[k][0] * b.v[k][1] - a.v[k][1] * b.v[k][0];
    }
    return sum;
}

LIMBERI_INLINED void lanes_of(const pair* sums, lanes before[3], lanes after[3]) {
    for (int i = 0; i < 3; i++) {
        before[i] = sums->v[0][i];
        after[i] = sums->v[1][i];
    }
}
#elif LIMBERI_LANE_COUNT == 4
typedef struct pair {
    lanes before, after;
} pair;

// What comes fourth does not matter, but behind the last vertex there may be nothing to read.
LIMBERI_INLINED lanes load_point(const float* from, bool last) {
    if (!last)
        return limberi_lanes_load(from);
    return (lanes){from[0], from[1], from[2], 0};
}

LIMBERI_INLINED pair load_pair(const float* before, const float* after, bool last) {
    return (pair){load_point(before, last), load_point(after, last)};
}

LIMBERI_INLINED pair subtract(pair a, pair b) {
    return (pair){a.before - b.before, a.after - b.after};
}

// y, z, x
LIMBERI_INLINED lanes next_axis(lanes a) {
#if defined(LIMBERI_LANES_NEON) // gcc looks it up in two registers, and fills both first
    const uint8x16_t order = {4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 12, 13, 14, 15};
    return (lanes)vqtbl1q_u8((uint8x16_t)a, order);
#else
    return __builtin_shufflevector(a, a, 1, 2, 0, 3);
#endif
}

LIMBERI_INLINED lanes zip_low(lanes a, lanes b) {
    return __builtin_shufflevector(a, b, 0, 4, 1, 5);
}

LIMBERI_INLINED lanes zip_high(lanes a, lanes b) {
    return __builtin_shufflevector(a, b, 2, 6, 3, 7);
}
#else
typedef lanes pair; // four numbers before, four after

LIMBERI_INLINED pair load_pair(const float* before, const float* after, bool last) {
    if (!last)
        return (pair)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(before)), _mm_loadu_ps(after), 1);
    return (pair){before[0], before[1], before[2], 0, after[0], after[1], after[2], 0};
}

LIMBERI_INLINED pair subtract(pair a, pair b) {
    return a - b;
}

LIMBERI_INLINED lanes next_axis(lanes a) {
    return __builtin_shufflevector(a, a, 1, 2, 0, 3, 5, 6, 4, 7);
}

// Of the first four and of the last four.
LIMBERI_INLINED lanes zip_low(lanes a, lanes b) {
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
}

LIMBERI_INLINED lanes zip_high(lanes a, lanes b) {
    return __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
}
#endif

#if LIMBERI_LANE_COUNT > 1
LIMBERI_INLINED lanes add_cross_of(lanes a, lanes b, lanes sum) {
    return limberi_lanes_fms(next_axis(a), b, limberi_lanes_fma(a, next_axis(b), sum));
}

// First, second and third numbers of four points.
LIMBERI_INLINED void transpose(lanes p, lanes q, lanes r, lanes s, lanes out[3]) {
    lanes even = zip_low(p, r);
    lanes odd = zip_low(q, s);
    out[0] = zip_low(even, odd);
    out[1] = zip_high(even, odd);
    out[2] = zip_low(zip_high(p, r), zip_high(q, s));
}
#endif

// Sums of add_cross have z, x, y.
#if LIMBERI_LANE_COUNT == 4
LIMBERI_INLINED pair add_cross(pair a, pair b, pair sum) {
    return (pair){add_cross_of(a.before, b.before, sum.before), add_cross_of(a.after, b.after, sum.after)};
}

LIMBERI_INLINED void lanes_of(const pair* s, lanes before[3], lanes after[3]) {
    lanes a[3], b[3];
    transpose(s[0].before, s[1].before, s[2].before, s[3].before, a);
    transpose(s[0].after, s[1].after, s[2].after, s[3].after, b);
    for (int i = 0; i < 3; i++) {
        before[i] = a[(i + 1) % 3];
        after[i] = b[(i + 1) % 3];
    }
}
#elif LIMBERI_LANE_COUNT == 8
LIMBERI_INLINED pair add_cross(pair a, pair b, pair sum) {
    return add_cross_of(a, b, sum);
}

LIMBERI_INLINED void lanes_of(const pair* s, lanes before[3], lanes after[3]) {
    lanes low[3], high[3];
    transpose(s[0], s[1], s[2], s[3], low);
    transpose(s[4], s[5], s[6], s[7], high);
    for (int i = 0; i < 3; i++) {
        before[i] = __builtin_shufflevector(low[(i + 1) % 3], high[(i + 1) % 3], 0, 1, 2, 3, 8, 9, 10, 11);
        after[i] = __builtin_shufflevector(low[(i + 1) % 3], high[(i + 1) % 3], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}
#endif

// --- sums ---

LIMBERI_INLINED pair load_entry(const limberi_average_input* in, const uint16_t* entries, size_t entry, bool wide,
                                bool last) {
    size_t at = place_of(entries, entry, wide);
    return load_pair(in->before + at, in->after + at, last);
}

// Twice the area of a quad along its normal is the product of its diagonals.
LIMBERI_INLINED pair add_quad(pair a, pair b, pair c, pair d, pair sum) {
    return add_cross(subtract(c, a), subtract(d, b), sum);
}

// Two triangles at a time, and the one that may be left.
LIMBERI_INLINED pair add_fan(const limberi_average_input* in, const uint16_t* entries, uint32_t ring, bool wide,
                             bool last, pair sum) {
    pair a = load_entry(in, entries, 0, wide, last);
    pair b = load_entry(in, entries, 1, wide, last);
    uint32_t i = 2;
    for (; i < ring; i += 2) {
        pair c = load_entry(in, entries, i, wide, last);
        pair d = load_entry(in, entries, i + 1, wide, last);
        sum = add_quad(a, b, c, d, sum);
        b = d;
    }
    return i > ring ? sum : add_quad(a, b, b, load_entry(in, entries, i, wide, last), sum);
}

// Welds of one vertex and one fan, of a length that the compiler knows.
LIMBERI_INLINED void sum_single(const limberi_average_input* in, uint32_t first, uint32_t count, uint32_t ring,
                                pair* out) {
    const uint16_t* entries = in->entries + (size_t)first * (ring + 2);
    for (uint32_t w = 0; w < count; w++) {
        pair sum = {0};
        sum = add_fan(in, entries + 1, ring, false, false, sum);
        out[w] = sum;
        entries += ring + 2;
    }
}

LIMBERI_INLINED void sum_any(const limberi_average_input* in, uint32_t first, uint32_t count, bool wide, bool last,
                             pair* out) {
    const limberi_weld_run* run = in->run;
    for (uint32_t w = 0; w < count; w++) {
        const uint16_t* entries = in->entries;
        entries += ((size_t)(first + w) * run->entry_count + run->member_count) << wide;
        pair sum = {0};
        for (uint32_t f = 0; f < run->fan_count; f++) {
            sum = add_fan(in, entries, in->rings[f], wide, last, sum);
            entries += ((size_t)in->rings[f] + 1) << wide;
        }
        out[w] = sum;
    }
}

static void sum_block(const limberi_average_input* in, uint32_t first, uint32_t count, pair* out) {
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
    for (uint32_t w = count; w % LIMBERI_LANE_COUNT; w++) // lanes that are left over turn nothing
        memset(&out[w], 0, sizeof out[w]);
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
    lanes aa = dot(a, a);
    lanes bb = dot(b, b);
    lanes lengths = limberi_lanes_sqrt(aa) * limberi_lanes_sqrt(bb);
    lanes ab = dot(a, b);
    lanes inverse = one / lengths; // two quotients that do not wait for each other
    lanes share = one / limberi_lanes_max(lengths + ab, limberi_lanes_all(1e-3f) * lengths);
    lanes an = dot(a, n) * share;
    lanes bn = dot(b, n) * share;
    lanes to_b = limberi_lanes_fms(bn, aa * inverse, an * limberi_lanes_fma(ab + ab, inverse, one));
    lanes from_a = limberi_lanes_fma(an, bb * inverse, bn);
    limberi_mask turns = has_turned(a, b, lengths);
    for (int i = 0; i < 3; i++) {
        lanes turned = limberi_lanes_fms(from_a, a[i], limberi_lanes_fma(to_b, b[i], n[i]));
        n[i] = limberi_lanes_select(turns, turned, n[i]);
    }
}

#if defined(LIMBERI_LANES_AVX2) || defined(LIMBERI_LANES_NEON)
#define IN_REGISTERS
#endif

#if defined(IN_REGISTERS)
// Where the normals of as many welds as there are lanes are. Not a float more is read: another thread may be writing
// there.
typedef struct places {
    size_t at[LIMBERI_LANE_COUNT];
} places;
#endif

#if defined(LIMBERI_LANES_NEON)
LIMBERI_INLINED void gather(const float* normals, const places* from, lanes n[3]) {
    lanes points[4];
    for (uint32_t w = 0; w < 4; w++)
        points[w] = (lanes)limberi_load_three(normals + from->at[w]);
    transpose(points[0], points[1], points[2], points[3], n);
}

LIMBERI_INLINED void scatter(float* normals, const places* to, uint32_t count, const lanes n[3]) {
    float32x4_t even = (float32x4_t)zip_low(n[0], n[1]);
    float32x4_t odd = (float32x4_t)zip_high(n[0], n[1]);
    float32x4_t z = (float32x4_t)n[2];
    limberi_store_three(normals + to->at[0], vget_low_f32(even), vgetq_lane_f32(z, 0));
    if (count > 1)
        limberi_store_three(normals + to->at[1], vget_high_f32(even), vgetq_lane_f32(z, 1));
    if (count > 2)
        limberi_store_three(normals + to->at[2], vget_low_f32(odd), vgetq_lane_f32(z, 2));
    if (count > 3)
        limberi_store_three(normals + to->at[3], vget_high_f32(odd), vgetq_lane_f32(z, 3));
}
#elif defined(LIMBERI_LANES_AVX2)
LIMBERI_INLINED __m128 load_three(const float* from) {
    return _mm_insert_ps(_mm_castpd_ps(_mm_load_sd((const double*)(const void*)from)), _mm_load_ss(from + 2), 0x20);
}

LIMBERI_INLINED void gather(const float* normals, const places* from, lanes n[3]) {
    lanes points[4];
    for (uint32_t w = 0; w < 4; w++) {
        __m128 low = load_three(normals + from->at[w]);
        __m128 high = load_three(normals + from->at[w + 4]);
        points[w] = (lanes)_mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
    }
    transpose(points[0], points[1], points[2], points[3], n);
}

// The z of the first of four vertices is in `z`, those of the others follow.
LIMBERI_INLINED void scatter_two(float* normals, const size_t* to, bool one, bool other, __m128 xy, __m128 z) {
    if (one) {
        _mm_storel_pi((__m64*)(void*)(normals + to[0]), xy);
        _mm_store_ss(normals + to[0] + 2, z);
    }
    if (other) {
        _mm_storeh_pi((__m64*)(void*)(normals + to[1]), xy);
        _mm_store_ss(normals + to[1] + 2, _mm_movehdup_ps(z));
    }
}

LIMBERI_INLINED void scatter(float* normals, const places* to, uint32_t count, const lanes n[3]) {
    __m256 even = (__m256)zip_low(n[0], n[1]);
    __m256 odd = (__m256)zip_high(n[0], n[1]);
    __m256 z = (__m256)n[2];
    for (uint32_t half = 0; half < 2; half++) {
        __m128 a = half ? _mm256_extractf128_ps(even, 1) : _mm256_castps256_ps128(even);
        __m128 b = half ? _mm256_extractf128_ps(odd, 1) : _mm256_castps256_ps128(odd);
        __m128 c = half ? _mm256_extractf128_ps(z, 1) : _mm256_castps256_ps128(z);
        uint32_t w = 4 * half;
        scatter_two(normals, to->at + w, w < count, w + 1 < count, a, c);
        scatter_two(normals, to->at + w + 2, w + 2 < count, w + 3 < count, b, _mm_movehl_ps(c, c));
    }
}
#endif

#if defined(IN_REGISTERS)
typedef struct turning {
    const float* normals;
    float* out_normals;
    const uint16_t* entries;
    size_t length; // entries from weld to weld
    bool wide;
} turning;

// Lanes that are left over read what the last one reads.
LIMBERI_INLINED void turn_some(const turning* t, size_t entry, uint32_t count, const pair* sums) {
    lanes a[3], b[3], n[3];
    places at;
    for (uint32_t w = 0; w < LIMBERI_LANE_COUNT; w++)
        at.at[w] = place_of(t->entries, entry + (w < count ? w : count - 1) * t->length, t->wide);
    lanes_of(sums, a, b);
    gather(t->normals, &at, n);
    turn(a, b, n);
    scatter(t->out_normals, &at, count, n);
}

LIMBERI_INLINED void turn_member(const limberi_average_input* in, size_t entry, uint32_t count, bool wide,
                                 const pair* sums) {
    const turning t = {in->normals, in->out_normals, in->entries, in->run->entry_count, wide};
    uint32_t w = 0;
    for (; w + LIMBERI_LANE_COUNT <= count; w += LIMBERI_LANE_COUNT, entry += LIMBERI_LANE_COUNT * t.length)
        turn_some(&t, entry, LIMBERI_LANE_COUNT, sums + w);
    if (w < count)
        turn_some(&t, entry, count - w, sums + w);
}
#else
static void turn_block(const pair* sums, uint32_t count, float normals[3][BLOCK]) {
    for (uint32_t w = 0; w < count; w += LIMBERI_LANE_COUNT) {
        lanes a[3], b[3], n[3];
        lanes_of(sums + w, a, b);
        for (int i = 0; i < 3; i++)
            n[i] = limberi_lanes_load(normals[i] + w);
        turn(a, b, n);
        for (int i = 0; i < 3; i++)
            limberi_lanes_store(normals[i] + w, n[i]);
    }
}

LIMBERI_INLINED void turn_member(const limberi_average_input* in, size_t entry, uint32_t count, bool wide,
                                 const pair* sums) {
    size_t length = in->run->entry_count;
    float normals[3][BLOCK];
    for (uint32_t w = 0; w < count; w++) {
        const float* from = in->normals + place_of(in->entries, entry + w * length, wide);
        normals[0][w] = from[0];
        normals[1][w] = from[1];
        normals[2][w] = from[2];
    }
    for (uint32_t w = count; w % LIMBERI_LANE_COUNT; w++)
        normals[0][w] = normals[1][w] = normals[2][w] = 0;
    turn_block(sums, count, normals);
    for (uint32_t w = 0; w < count; w++) {
        float* to = in->out_normals + place_of(in->entries, entry + w * length, wide);
        to[0] = normals[0][w];
        to[1] = normals[1][w];
        to[2] = normals[2][w];
    }
}
#endif

void LIMBERI_VARIANT(limberi_average_run)(const limberi_average_input* in) {
    pair sums[BLOCK];
    for (uint32_t first = 0; first < in->run->count; first += BLOCK) {
        uint32_t rest = in->run->count - first;
        uint32_t count = rest < BLOCK ? rest : BLOCK;
        sum_block(in, first, count, sums);
        for (uint32_t m = 0; m < in->run->member_count; m++) {
            size_t entry = (size_t)first * in->run->entry_count + m;
            if (in->wide)
                turn_member(in, entry, count, true, sums);
            else
                turn_member(in, entry, count, false, sums);
        }
    }
}
