// Two doubles at once, for what loses its digits in single precision: differences of samples that lie close together.
// Sums, products and quotients are the compiler's own operators, and nothing is rounded once where it could be rounded
// twice, so that every processor gives the same bits.
#ifndef LIMBERI_PAIRS_H
#define LIMBERI_PAIRS_H

#include "base/lanes.h"

typedef double limberi_pair __attribute__((vector_size(16)));
typedef int64_t limberi_pair_mask __attribute__((vector_size(16))); // all bits of a lane set, or none

LIMBERI_INLINED limberi_pair limberi_pair_all(double x) {
    limberi_pair v = {x, x};
    return v;
}

LIMBERI_INLINED limberi_pair_mask limberi_pair_bits(limberi_pair v) {
    limberi_pair_mask m;
    memcpy(&m, &v, sizeof m);
    return m;
}

LIMBERI_INLINED limberi_pair limberi_pair_of_bits(limberi_pair_mask m) {
    limberi_pair v;
    memcpy(&v, &m, sizeof v);
    return v;
}

LIMBERI_INLINED limberi_pair limberi_pair_abs(limberi_pair v) {
    return limberi_pair_of_bits(limberi_pair_bits(v) & INT64_MAX);
}

// `v`, negated where `by` is.
LIMBERI_INLINED limberi_pair limberi_pair_turned(limberi_pair v, limberi_pair by) {
    return limberi_pair_of_bits(limberi_pair_bits(v) ^ (limberi_pair_bits(by) & INT64_MIN));
}

LIMBERI_INLINED bool limberi_pair_both(limberi_pair_mask mask) {
    return (mask[0] & mask[1]) != 0;
}

LIMBERI_INLINED limberi_pair limberi_pair_load(const float* a, const float* b) {
    limberi_pair v = {(double)a[0], (double)b[0]};
    return v;
}

// Four numbers from each of two places, crosswise: v[0] has the first of both.
LIMBERI_INLINED void limberi_pair_load4(const float* a, const float* b, limberi_pair* v) {
#if defined(LIMBERI_LANES_NEON)
    float32x4_t p = vld1q_f32(a);
    float32x4_t q = vld1q_f32(b);
    float32x4_t low = vzip1q_f32(p, q);
    float32x4_t high = vzip2q_f32(p, q);
    v[0] = (limberi_pair)vcvt_f64_f32(vget_low_f32(low));
    v[1] = (limberi_pair)vcvt_high_f64_f32(low);
    v[2] = (limberi_pair)vcvt_f64_f32(vget_low_f32(high));
    v[3] = (limberi_pair)vcvt_high_f64_f32(high);
#elif defined(LIMBERI_LANES_SSE2)
    __m128 p = _mm_loadu_ps(a);
    __m128 q = _mm_loadu_ps(b);
    __m128 low = _mm_unpacklo_ps(p, q);
    __m128 high = _mm_unpackhi_ps(p, q);
    v[0] = (limberi_pair)_mm_cvtps_pd(low);
    v[1] = (limberi_pair)_mm_cvtps_pd(_mm_movehl_ps(low, low));
    v[2] = (limberi_pair)_mm_cvtps_pd(high);
    v[3] = (limberi_pair)_mm_cvtps_pd(_mm_movehl_ps(high, high));
#else
    for (int i = 0; i < 4; i++)
        v[i] = limberi_pair_load(a + i, b + i);
#endif
}

LIMBERI_INLINED void limberi_pair_load3(const float* a, const float* b, limberi_pair* v) {
#if defined(LIMBERI_LANES_NEON)
    float32x2_t p = vld1_f32(a);
    float32x2_t q = vld1_f32(b);
    v[0] = (limberi_pair)vcvt_f64_f32(vzip1_f32(p, q));
    v[1] = (limberi_pair)vcvt_f64_f32(vzip2_f32(p, q));
    v[2] = limberi_pair_load(a + 2, b + 2);
#else
    for (int i = 0; i < 3; i++)
        v[i] = limberi_pair_load(a + i, b + i);
#endif
}

// The other way round, as floats.
LIMBERI_INLINED void limberi_pair_store4(const limberi_pair* v, float* a, float* b) {
#if defined(LIMBERI_LANES_NEON)
    float32x4_t low = vcvt_high_f32_f64(vcvt_f32_f64((float64x2_t)v[0]), (float64x2_t)v[1]);
    float32x4_t high = vcvt_high_f32_f64(vcvt_f32_f64((float64x2_t)v[2]), (float64x2_t)v[3]);
    vst1q_f32(a, vuzp1q_f32(low, high));
    vst1q_f32(b, vuzp2q_f32(low, high));
#else
    for (int i = 0; i < 4; i++) {
        a[i] = (float)v[i][0];
        b[i] = (float)v[i][1];
    }
#endif
}

LIMBERI_INLINED void limberi_pair_store3(const limberi_pair* v, float* a, float* b) {
#if defined(LIMBERI_LANES_NEON)
    float32x4_t low = vcvt_high_f32_f64(vcvt_f32_f64((float64x2_t)v[0]), (float64x2_t)v[1]);
    float32x2_t third = vcvt_f32_f64((float64x2_t)v[2]);
    vst1_f32(a, vget_low_f32(vuzp1q_f32(low, low)));
    vst1_f32(b, vget_low_f32(vuzp2q_f32(low, low)));
    vst1_lane_f32(a + 2, third, 0);
    vst1_lane_f32(b + 2, third, 1);
#else
    for (int i = 0; i < 3; i++) {
        a[i] = (float)v[i][0];
        b[i] = (float)v[i][1];
    }
#endif
}

#endif
