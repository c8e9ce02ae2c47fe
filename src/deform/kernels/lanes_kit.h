// What the kernels of the effects have in common: a few vertices, and sums over joints.
#ifndef LIMBERI_DEFORM_LANES_KIT_H
#define LIMBERI_DEFORM_LANES_KIT_H

#include "base/lanes.h"
#include "deform/kernels/deform_kernels.h"

typedef limberi_lanes lanes;

LIMBERI_INLINED lanes all(float x) {
    return limberi_lanes_all(x);
}

LIMBERI_INLINED lanes fma_(lanes a, lanes b, lanes c) {
    return limberi_lanes_fma(a, b, c);
}

LIMBERI_INLINED lanes get(const float* from, uint32_t v) {
    return limberi_lanes_load(from + v);
}

LIMBERI_INLINED void load(const limberi_block3* from, uint32_t v, lanes* p) {
    for (int c = 0; c < 3; c++)
        p[c] = limberi_lanes_load(from->v[c] + v);
}

LIMBERI_INLINED lanes along(const limberi_plane* plane, const lanes* p) {
    limberi_four f = limberi_four_load(plane->d);
    return fma_(all(f[0]), p[0], fma_(all(f[1]), p[1], all(f[2]) * p[2]));
}

LIMBERI_INLINED lanes distance(const limberi_plane* plane, const lanes* p) {
    limberi_four f = limberi_four_load(plane->d);
    return fma_(all(f[0]), p[0], fma_(all(f[1]), p[1], fma_(all(f[2]), p[2], all(f[3]))));
}

// Without loops, so that gcc finds out that it can multiply by parts of registers.
LIMBERI_INLINED void add_along(lanes* sum, const float* direction, lanes amount) {
    limberi_four f = limberi_four_load(direction);
    sum[0] = fma_(amount, all(f[0]), sum[0]);
    sum[1] = fma_(amount, all(f[1]), sum[1]);
    sum[2] = fma_(amount, all(f[2]), sum[2]);
}

LIMBERI_INLINED void subtract_along(lanes* sum, const float* direction, lanes amount) {
    limberi_four f = limberi_four_load(direction);
    sum[0] = limberi_lanes_fms(amount, all(f[0]), sum[0]);
    sum[1] = limberi_lanes_fms(amount, all(f[1]), sum[1]);
    sum[2] = limberi_lanes_fms(amount, all(f[2]), sum[2]);
}

// Squash with a max, as limberi_limit_squash has it; `slope`: its change with s.
LIMBERI_INLINED lanes limit_squash(lanes s, float max, lanes* slope) {
    lanes bound = all(1e15f);
    lanes x = limberi_lanes_min(limberi_lanes_max(s * all(1 / max), -bound), bound);
    lanes share = all(1) / limberi_lanes_sqrt(fma_(x, x, all(1)));
    *slope = share * share * share;
    return x * share * all(max);
}

// Kernels take some vertices through all joints, with their sums in registers, before they take the next ones. Two
// vectors of four and two joints go side by side, so that one's square roots and quotients are awaited with the work of
// the others.
//
// Along a chain each joint waits for the one before: more vectors side by side gain even where registers run out.
enum { SIDE = LIMBERI_SIDE_BY_SIDE, CHAIN_SIDE = 2 * SIDE };

// Some vertices, and the sums over joints.
typedef struct summing {
    lanes p[3], d[3], slopes[9];
} summing;

LIMBERI_INLINED void open_sums(summing* s, const limberi_lane_block* block, uint32_t v, bool derivatives) {
    load(block->position, v, s->p);
    load(block->displacement, v, s->d);
    for (int e = 0; derivatives && e < 9; e++)
        s->slopes[e] = get(block->slopes->v[e], v);
}

LIMBERI_INLINED void close_sums(const summing* s, const limberi_lane_block* block, uint32_t v, bool derivatives) {
    for (int c = 0; c < 3; c++)
        limberi_lanes_store(block->displacement->v[c] + v, s->d[c]);
    for (int e = 0; derivatives && e < 9; e++)
        limberi_lanes_store(block->slopes->v[e] + v, s->slopes[e]);
}

// The same where the positions themselves move on, and the displacement waits.
LIMBERI_INLINED void open_chain(summing* s, const limberi_lane_block* block, uint32_t v, bool derivatives) {
    load(block->position, v, s->p);
    for (int e = 0; derivatives && e < 9; e++)
        s->slopes[e] = get(block->slopes->v[e], v);
}

LIMBERI_INLINED void close_chain(const summing* s, const limberi_lane_block* block, uint32_t v, bool derivatives) {
    for (int c = 0; c < 3; c++)
        limberi_lanes_store(block->position->v[c] + v, s->p[c]);
    for (int e = 0; derivatives && e < 9; e++)
        limberi_lanes_store(block->slopes->v[e] + v, s->slopes[e]);
}

// The kernels, one file each; deform_kernels.h says what they take.
void LIMBERI_VARIANT(limberi_turn)(const limberi_lane_block* block, const limberi_row_call* calls, uint32_t call_count,
                                   const limberi_turn_mode* mode);
void LIMBERI_VARIANT(limberi_travel)(const limberi_lane_block* block, const limberi_row_call* calls,
                                     uint32_t call_count, const float* gain);
void LIMBERI_VARIANT(limberi_follow)(const limberi_lane_block* block, const limberi_row_call* calls,
                                     uint32_t call_count, const float* gain, const float* shift_gain);
void LIMBERI_VARIANT(limberi_link)(const limberi_lane_block* block, const limberi_link_call* calls, uint32_t call_count,
                                   const limberi_link_mode* mode);
void LIMBERI_VARIANT(limberi_spin)(const limberi_lane_block* block, const limberi_row_call* calls, uint32_t call_count,
                                   const float* gain);
void LIMBERI_VARIANT(limberi_shorten)(const limberi_lane_block* block, const limberi_row_call* calls,
                                      uint32_t call_count, const float* gain);
void LIMBERI_VARIANT(limberi_lift)(const limberi_lane_block* block, const limberi_row_call* calls, uint32_t call_count,
                                   const float* gain, const limberi_block3* normal);
void LIMBERI_VARIANT(limberi_affine)(const limberi_lane_block* block, const limberi_affine_row* row, const float* gain);
void LIMBERI_VARIANT(limberi_cone)(const limberi_lane_block* block, const float* apex, const float* axis, float cosine,
                                   float sine, limberi_block3* normal);
void LIMBERI_VARIANT(limberi_box)(const limberi_lane_block* block, float* low, float* high);
void LIMBERI_VARIANT(limberi_finish)(const limberi_lane_block* block);
void LIMBERI_VARIANT(limberi_advance)(const limberi_lane_block* block, limberi_block9* so_far);
void LIMBERI_VARIANT(limberi_jacobian_normals)(const limberi_lane_block* block, limberi_block3* normal);

#endif
