// Re-averaged normals of a chunk of welds (deform/normals/welds.h): the positions that it reads are put next to each
// other, before and after the effects, then summed up over the triangles around each weld, x, y and z side by side. Then
// several normals at a time turn.
#include "base/lanes.h"
#include "deform/normals/welds.h"

typedef limberi_lanes lanes;

// --- one point, before and after ---

#if LIMBERI_LANE_COUNT == 1
typedef struct pair {
    float v[2][4];
} pair;

LIMBERI_INLINED pair load_pair(const float* before, const float* after, bool last) {
    (void)last;
    pair p = {{{before[0], before[1], before[2], 0}, {after[0], after[1], after[2], 0}}};
    return p;
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
    lanes p = {from[0], from[1], from[2], 0};
    return p;
}

LIMBERI_INLINED pair load_pair(const float* before, const float* after, bool last) {
    pair p = {load_point(before, last), load_point(after, last)};
    return p;
}

LIMBERI_INLINED pair subtract(pair a, pair b) {
    pair p = {a.before - b.before, a.after - b.after};
    return p;
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

#else
typedef lanes pair; // four numbers before, four after

LIMBERI_INLINED pair load_pair(const float* before, const float* after, bool last) {
    if (!last)
        return (pair)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(before)), _mm_loadu_ps(after), 1);
    pair p = {before[0], before[1], before[2], 0, after[0], after[1], after[2], 0};
    return p;
}

LIMBERI_INLINED pair subtract(pair a, pair b) {
    return a - b;
}

LIMBERI_INLINED lanes next_axis(lanes a) {
    return __builtin_shufflevector(a, a, 1, 2, 0, 3, 5, 6, 4, 7);
}
#endif

#if LIMBERI_LANE_COUNT > 1
LIMBERI_INLINED lanes add_cross_of(lanes a, lanes b, lanes sum) {
    return limberi_lanes_fms(next_axis(a), b, limberi_lanes_fma(a, next_axis(b), sum));
}
#endif

// Sums of add_cross have z, x, y.
#if LIMBERI_LANE_COUNT == 4
LIMBERI_INLINED pair add_cross(pair a, pair b, pair sum) {
    pair p = {add_cross_of(a.before, b.before, sum.before), add_cross_of(a.after, b.after, sum.after)};
    return p;
}

LIMBERI_INLINED void lanes_of(const pair* s, lanes before[3], lanes after[3]) {
    lanes a[3], b[3];
    limberi_lanes_transpose_points(s[0].before, s[1].before, s[2].before, s[3].before, a);
    limberi_lanes_transpose_points(s[0].after, s[1].after, s[2].after, s[3].after, b);
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
    limberi_lanes_transpose_points(s[0], s[1], s[2], s[3], low);
    limberi_lanes_transpose_points(s[4], s[5], s[6], s[7], high);
    for (int i = 0; i < 3; i++) {
        before[i] = __builtin_shufflevector(low[(i + 1) % 3], high[(i + 1) % 3], 0, 1, 2, 3, 8, 9, 10, 11);
        after[i] = __builtin_shufflevector(low[(i + 1) % 3], high[(i + 1) % 3], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}
#endif

// --- sums ---

// A place in memory that entries count from, in steps of 8 bytes.
LIMBERI_INLINED pair* at_entry(const pair* pairs, size_t entry) {
    return (pair*)(uintptr_t)((const char*)pairs + 8 * entry);
}

// Twice the area of a quad along its normal is the product of its diagonals.
LIMBERI_INLINED pair add_quad(pair a, pair b, pair c, pair d, pair sum) {
    return add_cross(subtract(c, a), subtract(d, b), sum);
}

// Two triangles at a time, and the one that may be left.
LIMBERI_INLINED pair add_fan(const pair* table, const uint16_t* entries, uint32_t ring, pair sum) {
    pair a = *at_entry(table, entries[0]), b = *at_entry(table, entries[1]);
    uint32_t i = 2;
    for (; i < ring; i += 2) {
        pair c = *at_entry(table, entries[i]), d = *at_entry(table, entries[i + 1]);
        sum = add_quad(a, b, c, d, sum);
        b = d;
    }
    return i > ring ? sum : add_quad(a, b, b, *at_entry(table, entries[i]), sum);
}

// Welds of one vertex and one fan, of a length that the compiler knows.
LIMBERI_INLINED void sum_single(const uint16_t* entries, uint32_t count, uint32_t ring, const pair* table, pair* sums) {
    for (uint32_t w = 0; w < count; w++) {
        pair sum;
        memset(&sum, 0, sizeof sum);
        *at_entry(sums, entries[0]) = add_fan(table, entries + 1, ring, sum);
        entries += ring + 2;
    }
}

static void sum_any(const limberi_weld_run* run, const uint32_t* rings, const uint16_t* entries, const pair* table,
                    pair* sums) {
    for (uint32_t w = 0; w < run->count; w++) {
        const uint16_t* members = entries;
        pair sum;
        memset(&sum, 0, sizeof sum);
        entries += run->member_count;
        for (uint32_t f = 0; f < run->fan_count; f++) {
            sum = add_fan(table, entries, rings[f], sum);
            entries += rings[f] + 1;
        }
        for (uint32_t m = 0; m < run->member_count; m++)
            *at_entry(sums, members[m]) = sum;
    }
}

static void sum_run(const limberi_average_input* in, const limberi_weld_run* run, const pair* table, pair* sums) {
    const uint32_t* rings = in->welds->rings + run->fan_first;
    const uint16_t* entries = in->welds->entries + run->entry_first;
    bool single = run->fan_count == 1 && run->member_count == 1;
    if (single && rings[0] == 3) // four triangles all around, or two
        sum_single(entries, run->count, 3, table, sums);
    else if (single && rings[0] == 4)
        sum_single(entries, run->count, 4, table, sums);
    else if (single && rings[0] == 5)
        sum_single(entries, run->count, 5, table, sums);
    else if (single && rings[0] == 6)
        sum_single(entries, run->count, 6, table, sums);
    else if (single && rings[0] == 7)
        sum_single(entries, run->count, 7, table, sums);
    else
        sum_any(run, rings, entries, table, sums);
}

// --- lists of vertices ---

static LIMBERI_NOT_INLINED void list_vertices(const limberi_average_input* in, uint32_t first, uint32_t count,
                                              uint32_t* out) {
    const uint16_t* list = in->welds->vertices + in->chunk->vertex_first;
    if (in->chunk->wide) {
        list += 2 * (size_t)first;
        for (uint32_t i = 0; i < count; i++)
            out[i] = list[2 * i] | (uint32_t)list[2 * i + 1] << 16;
    } else {
        list += first;
        for (uint32_t i = 0; i < count; i++)
            out[i] = list[i];
    }
}

LIMBERI_INLINED pair read_pair(const limberi_average_input* in, uint32_t vertex, bool last) {
    return load_pair(in->before + 3 * (size_t)vertex, in->after + 3 * (size_t)vertex, last);
}

// The last one may be that of the mesh.
static void read_pairs(const limberi_average_input* in, const uint32_t* vertices, uint32_t count, pair* out) {
    uint32_t i = 0;
    for (; i + 4 < count; i += 4)
        for (uint32_t k = i; k < i + 4; k++)
            out[k] = read_pair(in, vertices[k], false);
    for (; i + 1 < count; i++)
        out[i] = read_pair(in, vertices[i], false);
    if (count)
        out[count - 1] = read_pair(in, vertices[count - 1], true);
}

// Leaves the vertices that turn in `vertices`.
static void sum_chunk(const limberi_average_input* in, uint32_t* vertices, pair* sums) {
    const limberi_weld_chunk* chunk = in->chunk;
    uint32_t turned = chunk->turned_count, others = chunk->vertex_count - turned;
    pair table[LIMBERI_CHUNK_READ];
    list_vertices(in, turned, others, vertices);
    read_pairs(in, vertices, others, table + turned);
    list_vertices(in, 0, turned, vertices);
    read_pairs(in, vertices, turned, table);
    for (uint32_t r = 0; r < chunk->run_count; r++)
        sum_run(in, &in->welds->runs[chunk->run_first + r], table, sums);
}

// Of a weld that does not fit into a table.
static pair sum_large(const limberi_average_input* in) {
    const limberi_weld_run* run = &in->welds->runs[in->chunk->run_first];
    uint32_t entry = run->member_count, vertices[2];
    pair sum;
    memset(&sum, 0, sizeof sum);
    for (uint32_t f = 0; f < run->fan_count; f++) {
        uint32_t end = entry + in->welds->rings[run->fan_first + f] + 1;
        list_vertices(in, entry, 2, vertices);
        pair a = read_pair(in, vertices[0], true), b = read_pair(in, vertices[1], true);
        for (uint32_t i = entry + 2; i < end; i++) {
            list_vertices(in, i, 1, vertices);
            pair c = read_pair(in, vertices[0], true);
            sum = add_quad(a, b, b, c, sum);
            b = c;
        }
        entry = end;
    }
    return sum;
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

#if defined(LIMBERI_LANES_NEON) || defined(LIMBERI_LANES_WASM)
enum { ALWAYS_SELECTS = 1 }; // a single instruction; elsewhere they are many, and mostly all turn
#else
enum { ALWAYS_SELECTS = 0 };
#endif

// The shortest rotation from a to b, taken as unit vectors, leads from n to
//     n + (2 a.n - t) b - t a,   t = (a.n + b.n) / (1 + a.b),
// the reflection in the plane across a, then in the one across a + b. Half a turn has no shortest way: what n has along
// a is flipped.
LIMBERI_INLINED void turn(const lanes a[3], const lanes b[3], lanes n[3]) {
    const lanes one = limberi_lanes_all(1);
    lanes aa = dot(a, a), bb = dot(b, b), lengths = limberi_lanes_sqrt(aa) * limberi_lanes_sqrt(bb), ab = dot(a, b);
    lanes inverse = one / lengths; // two quotients that do not wait for each other
    lanes share = one / limberi_lanes_max(lengths + ab, limberi_lanes_all(1e-3f) * lengths);
    lanes an = dot(a, n) * share, bn = dot(b, n) * share;
    lanes to_b = limberi_lanes_fms(bn, aa * inverse, an * limberi_lanes_fma(ab + ab, inverse, one));
    lanes from_a = limberi_lanes_fma(an, bb * inverse, bn);
    limberi_mask turns = has_turned(a, b, lengths);
    lanes turned[3];
    for (int i = 0; i < 3; i++)
        turned[i] = limberi_lanes_fms(from_a, a[i], limberi_lanes_fma(to_b, b[i], n[i]));
    if (ALWAYS_SELECTS || limberi_lanes_any(~turns))
        for (int i = 0; i < 3; i++)
            turned[i] = limberi_lanes_select(turns, turned[i], n[i]);
    for (int i = 0; i < 3; i++)
        n[i] = turned[i];
}

// Vertices ascend; lanes that are left over do what the first one does.
static void turn_all(const limberi_average_input* in, uint32_t* vertices, uint32_t count, pair* sums) {
    uint32_t full = count - count % LIMBERI_LANE_COUNT;
    for (; count % LIMBERI_LANE_COUNT; count++) {
        vertices[count] = vertices[full];
        sums[count] = sums[full];
    }
    for (uint32_t i = 0; i < count; i += LIMBERI_LANE_COUNT) {
        bool run = vertices[i + LIMBERI_LANE_COUNT - 1] - vertices[i] == LIMBERI_LANE_COUNT - 1;
        lanes a[3], b[3], n[3];
        lanes_of(sums + i, a, b);
        limberi_lanes_gather_triples(in->normals, vertices + i, run, n);
        turn(a, b, n);
        limberi_lanes_scatter_triples(in->out_normals, vertices + i, run, n);
    }
}

void LIMBERI_VARIANT(limberi_average_chunk)(const limberi_average_input* in) {
    uint32_t vertices[LIMBERI_CHUNK_READ], count = in->chunk->turned_count;
    pair sums[LIMBERI_CHUNK_TURNED];
    if (!in->chunk->large) {
        sum_chunk(in, vertices, sums);
        turn_all(in, vertices, count, sums);
        return;
    }
    const pair sum = sum_large(in);
    for (uint32_t first = 0, some; first < count; first += some) {
        some = count - first < LIMBERI_CHUNK_TURNED ? count - first : LIMBERI_CHUNK_TURNED;
        for (uint32_t i = 0; i < some; i++)
            sums[i] = sum;
        list_vertices(in, first, some, vertices);
        turn_all(in, vertices, some, sums);
    }
}
