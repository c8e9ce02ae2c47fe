// Vectors of several joints side by side: what base/math.h does with one, in the same order, so to the same bits.
#ifndef LIMBERI_VECTORS_H
#define LIMBERI_VECTORS_H

#include "base/lanes.h"
#include <limber/base.h>

typedef struct limberi_vectors3 {
    limberi_lanes x, y, z;
} limberi_vectors3;

LIMBERI_INLINED limberi_vectors3 limberi_vectors_of(limberi_lanes x, limberi_lanes y, limberi_lanes z) {
    limberi_vectors3 v = {x, y, z};
    return v;
}

LIMBERI_INLINED limberi_vectors3 limberi_vectors_zero(void) {
    limberi_lanes zero = limberi_lanes_all(0);
    return limberi_vectors_of(zero, zero, zero);
}

LIMBERI_INLINED limberi_vectors3 limberi_vectors_add(limberi_vectors3 a, limberi_vectors3 b) {
    return limberi_vectors_of(a.x + b.x, a.y + b.y, a.z + b.z);
}

LIMBERI_INLINED limberi_vectors3 limberi_vectors_sub(limberi_vectors3 a, limberi_vectors3 b) {
    return limberi_vectors_of(a.x - b.x, a.y - b.y, a.z - b.z);
}

LIMBERI_INLINED limberi_vectors3 limberi_vectors_scale(limberi_vectors3 a, limberi_lanes s) {
    return limberi_vectors_of(a.x * s, a.y * s, a.z * s);
}

LIMBERI_INLINED limberi_lanes limberi_vectors_dot(limberi_vectors3 a, limberi_vectors3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

LIMBERI_INLINED limberi_vectors3 limberi_vectors_cross(limberi_vectors3 a, limberi_vectors3 b) {
    return limberi_vectors_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

LIMBERI_INLINED limberi_lanes limberi_vectors_length(limberi_vectors3 a) {
    return limberi_lanes_sqrt(limberi_vectors_dot(a, a));
}

// Zero where the mask is not set.
LIMBERI_INLINED limberi_lanes limberi_lanes_where(limberi_mask mask, limberi_lanes v) {
    return limberi_lanes_of_bits(mask & limberi_lanes_bits(v));
}

LIMBERI_INLINED limberi_vectors3 limberi_vectors_where(limberi_mask mask, limberi_vectors3 v) {
    return limberi_vectors_of(limberi_lanes_where(mask, v.x), limberi_lanes_where(mask, v.y),
                              limberi_lanes_where(mask, v.z));
}

LIMBERI_INLINED limberi_vectors3 limberi_vectors_select(limberi_mask mask, limberi_vectors3 yes, limberi_vectors3 no) {
    return limberi_vectors_of(limberi_lanes_select(mask, yes.x, no.x), limberi_lanes_select(mask, yes.y, no.y),
                              limberi_lanes_select(mask, yes.z, no.z));
}

LIMBERI_INLINED limberi_vectors3 limberi_vectors_normalize(limberi_vectors3 a) {
    limberi_lanes length = limberi_vectors_length(a);
    limberi_mask some = limberi_lanes_less(limberi_lanes_all(1e-20f), length);
    return limberi_vectors_where(some, limberi_vectors_scale(a, 1.0f / length));
}

LIMBERI_INLINED limberi_mask limberi_vectors_move(limberi_vectors3 a) {
    return (a.x != 0) | (a.y != 0) | (a.z != 0);
}

// Within [0, 1]; what is not a number stays none.
LIMBERI_INLINED limberi_lanes limberi_lanes_share(limberi_lanes x) {
    limberi_lanes zero = limberi_lanes_all(0);
    limberi_lanes one = limberi_lanes_all(1);
    return limberi_lanes_select(limberi_lanes_less(x, zero), zero,
                                limberi_lanes_select(limberi_lanes_less(one, x), one, x));
}

// The same, and 0 where it is not a number.
LIMBERI_INLINED limberi_lanes limberi_lanes_part(limberi_lanes x) {
    limberi_lanes zero = limberi_lanes_all(0);
    return limberi_lanes_share(limberi_lanes_select(limberi_lanes_less(zero, x), x, zero));
}

// At most 1, and that, too, where it is not a number.
LIMBERI_INLINED limberi_lanes limberi_lanes_at_most_one(limberi_lanes x) {
    limberi_lanes one = limberi_lanes_all(1);
    return limberi_lanes_select(limberi_lanes_less(x, one), x, one);
}

// Of an array of vectors those with four numbers, in order.
LIMBERI_INLINED limberi_vectors3 limberi_vectors_load(const limber_vec3* from, const uint32_t* numbers) {
    limberi_vectors3 v;
#if defined(LIMBERI_LANES_NEON)
    if (numbers[3] == numbers[0] + 3) {
        float32x4x3_t t = vld3q_f32(&from[numbers[0]].x);
        v.x = (limberi_lanes)t.val[0];
        v.y = (limberi_lanes)t.val[1];
        v.z = (limberi_lanes)t.val[2];
        return v;
    }
#endif
    const limber_vec3* a = &from[numbers[0]];
    const limber_vec3* b = &from[numbers[1]];
    const limber_vec3* c = &from[numbers[2]];
    const limber_vec3* d = &from[numbers[3]];
    limberi_lanes x = {a->x, b->x, c->x, d->x};
    limberi_lanes y = {a->y, b->y, c->y, d->y};
    limberi_lanes z = {a->z, b->z, c->z, d->z};
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

// Rows become columns.
LIMBERI_INLINED void limberi_lanes_transpose(limberi_lanes* v) {
#if defined(LIMBERI_LANES_NEON)
    float32x4x2_t low = vzipq_f32((float32x4_t)v[0], (float32x4_t)v[2]);
    float32x4x2_t high = vzipq_f32((float32x4_t)v[1], (float32x4_t)v[3]);
    float32x4x2_t first = vzipq_f32(low.val[0], high.val[0]);
    float32x4x2_t last = vzipq_f32(low.val[1], high.val[1]);
    v[0] = (limberi_lanes)first.val[0];
    v[1] = (limberi_lanes)first.val[1];
    v[2] = (limberi_lanes)last.val[0];
    v[3] = (limberi_lanes)last.val[1];
#elif defined(LIMBERI_LANES_SSE2)
    __m128 a = _mm_unpacklo_ps((__m128)v[0], (__m128)v[2]);
    __m128 b = _mm_unpackhi_ps((__m128)v[0], (__m128)v[2]);
    __m128 c = _mm_unpacklo_ps((__m128)v[1], (__m128)v[3]);
    __m128 d = _mm_unpackhi_ps((__m128)v[1], (__m128)v[3]);
    v[0] = (limberi_lanes)_mm_unpacklo_ps(a, c);
    v[1] = (limberi_lanes)_mm_unpackhi_ps(a, c);
    v[2] = (limberi_lanes)_mm_unpacklo_ps(b, d);
    v[3] = (limberi_lanes)_mm_unpackhi_ps(b, d);
#elif defined(LIMBERI_LANES_WASM)
    v128_t a = wasm_i32x4_shuffle((v128_t)v[0], (v128_t)v[2], 0, 4, 1, 5);
    v128_t b = wasm_i32x4_shuffle((v128_t)v[0], (v128_t)v[2], 2, 6, 3, 7);
    v128_t c = wasm_i32x4_shuffle((v128_t)v[1], (v128_t)v[3], 0, 4, 1, 5);
    v128_t d = wasm_i32x4_shuffle((v128_t)v[1], (v128_t)v[3], 2, 6, 3, 7);
    v[0] = (limberi_lanes)wasm_i32x4_shuffle(a, c, 0, 4, 1, 5);
    v[1] = (limberi_lanes)wasm_i32x4_shuffle(a, c, 2, 6, 3, 7);
    v[2] = (limberi_lanes)wasm_i32x4_shuffle(b, d, 0, 4, 1, 5);
    v[3] = (limberi_lanes)wasm_i32x4_shuffle(b, d, 2, 6, 3, 7);
#else
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++) {
            float swap = v[i][k];
            v[i][k] = v[k][i];
            v[k][i] = swap;
        }
#endif
}

// Columns of the affine matrices of four joints.
typedef struct limberi_matrices {
    limberi_vectors3 x, y, z, place;
} limberi_matrices;

LIMBERI_INLINED limberi_vectors3 limberi_matrices_column(const limber_mat4* from, const uint32_t* numbers, int column) {
    limberi_lanes v[4];
    for (int i = 0; i < 4; i++)
        v[i] = limberi_lanes_load(from[numbers[i]].m + 4 * column);
    limberi_lanes_transpose(v);
    return limberi_vectors_of(v[0], v[1], v[2]);
}

LIMBERI_INLINED limberi_matrices limberi_matrices_load(const limber_mat4* from, const uint32_t* numbers) {
    limberi_matrices m = {limberi_matrices_column(from, numbers, 0), limberi_matrices_column(from, numbers, 1),
                          limberi_matrices_column(from, numbers, 2), limberi_matrices_column(from, numbers, 3)};
    return m;
}

LIMBERI_INLINED limberi_vectors3 limberi_matrices_vector(const limberi_matrices* m, limberi_vectors3 v) {
    return limberi_vectors_of(m->x.x * v.x + m->y.x * v.y + m->z.x * v.z, m->x.y * v.x + m->y.y * v.y + m->z.y * v.z,
                              m->x.z * v.x + m->y.z * v.y + m->z.z * v.z);
}

#endif
