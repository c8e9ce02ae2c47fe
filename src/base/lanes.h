// Several floats at once (doubles: pairs.h): the place that knows what a processor has. A kernel is written once
// against this header and compiled for 4 lanes (NEON, SSE2, WASM, or plain code where there is nothing), for 8 (AVX2
// with FMA) and for 1 (ordinary floats); see LIMBERI_VARIANT. Sums, products and quotients are the compiler's own
// operators.
#ifndef LIMBERI_LANES_H
#define LIMBERI_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef LIMBERI_LANE_COUNT
#define LIMBERI_LANE_COUNT 4
#endif

#if defined(__GNUC__) && !defined(LIMBERI_ONE_COPY) // with it, what compiles fast counts
#define LIMBERI_INLINED static inline __attribute__((always_inline))
#else
#define LIMBERI_INLINED static inline
#endif
#if defined(__GNUC__)
#define LIMBERI_NOT_INLINED __attribute__((noinline))
#else
#define LIMBERI_NOT_INLINED
#endif

#if LIMBERI_LANE_COUNT == 8 && defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#define LIMBERI_LANES_AVX2
#elif LIMBERI_LANE_COUNT == 4 && defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#define LIMBERI_LANES_NEON
#elif LIMBERI_LANE_COUNT == 4 && defined(__SSE2__)
#include <emmintrin.h>
#define LIMBERI_LANES_SSE2
#elif LIMBERI_LANE_COUNT == 4 && defined(__wasm_simd128__)
#include <wasm_simd128.h>
#define LIMBERI_LANES_WASM
#endif

// A function whose choices are constants where it is called: a copy for each call. Where speed does not matter, all calls
// share one, which compiles in a moment: under sanitizers, and of one lane, which tests compare with.
#if LIMBERI_LANE_COUNT == 1 || defined(LIMBERI_ONE_COPY)
#define LIMBERI_COPIED static LIMBERI_NOT_INLINED
#else
#define LIMBERI_COPIED LIMBERI_INLINED
#endif

// How many vectors of four kernels take side by side, so that the square roots and polynomials of one fill the gaps of
// the other. In browsers that only costs: their compilers run out of registers.
#if LIMBERI_LANE_COUNT == 4 && !defined(LIMBERI_LANES_WASM) && !defined(LIMBERI_LANES_SSE2)
#define LIMBERI_SIDE_BY_SIDE 2
#else
#define LIMBERI_SIDE_BY_SIDE 1
#endif

// Kernels exist once per variant: limberi_skin_kernels_plain, ..._wide, ..._avx2.
#ifndef LIMBERI_VARIANT_NAME
#define LIMBERI_VARIANT_NAME wide
#endif
#define LIMBERI_VARIANT_PASTE(name, variant) name##_##variant
#define LIMBERI_VARIANT_OF(name, variant) LIMBERI_VARIANT_PASTE(name, variant)
#define LIMBERI_VARIANT(name) LIMBERI_VARIANT_OF(name, LIMBERI_VARIANT_NAME)

#if LIMBERI_LANE_COUNT == 1
typedef float limberi_lanes;
typedef int32_t limberi_mask;
#else
typedef float limberi_lanes __attribute__((vector_size(4 * LIMBERI_LANE_COUNT)));
typedef int32_t limberi_mask __attribute__((vector_size(4 * LIMBERI_LANE_COUNT)));
#endif
// A mask is the outcome of a comparison: all bits of a lane set, or none.

// Copied by memcpy, vectors may go through memory and other registers on the way.
LIMBERI_INLINED limberi_lanes limberi_lanes_load(const float* from) {
#if defined(LIMBERI_LANES_NEON)
    return (limberi_lanes)vld1q_f32(from);
#elif defined(LIMBERI_LANES_AVX2)
    return (limberi_lanes)_mm256_loadu_ps(from);
#else
    limberi_lanes v;
    memcpy(&v, from, sizeof v);
    return v;
#endif
}

LIMBERI_INLINED void limberi_lanes_store(float* to, limberi_lanes v) {
#if defined(LIMBERI_LANES_NEON)
    vst1q_f32(to, (float32x4_t)v);
#elif defined(LIMBERI_LANES_AVX2)
    _mm256_storeu_ps(to, (__m256)v);
#else
    memcpy(to, &v, sizeof v);
#endif
}

// x, y and z of as many vertices as there are lanes, which follow each other in memory.
LIMBERI_INLINED void limberi_lanes_load_run(const float* from, limberi_lanes p[3]) {
#if defined(LIMBERI_LANES_NEON)
    float32x4x3_t t = vld3q_f32(from);
    for (int i = 0; i < 3; i++)
        p[i] = (limberi_lanes)t.val[i];
#elif defined(LIMBERI_LANES_AVX2) // as four lanes do it, in both halves
    __m256 a = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from)), _mm_loadu_ps(from + 12), 1);
    __m256 b = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from + 4)), _mm_loadu_ps(from + 16), 1);
    __m256 c = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from + 8)), _mm_loadu_ps(from + 20), 1);
    __m256 xy = _mm256_shuffle_ps(b, c, _MM_SHUFFLE(2, 1, 3, 2));
    __m256 yz = _mm256_shuffle_ps(a, b, _MM_SHUFFLE(1, 0, 2, 1));
    p[0] = (limberi_lanes)_mm256_shuffle_ps(a, xy, _MM_SHUFFLE(2, 0, 3, 0));
    p[1] = (limberi_lanes)_mm256_shuffle_ps(yz, xy, _MM_SHUFFLE(3, 1, 2, 0));
    p[2] = (limberi_lanes)_mm256_shuffle_ps(yz, c, _MM_SHUFFLE(3, 0, 3, 1));
#elif LIMBERI_LANE_COUNT == 4
    limberi_lanes a = limberi_lanes_load(from);
    limberi_lanes b = limberi_lanes_load(from + 4);
    limberi_lanes c = limberi_lanes_load(from + 8);
    limberi_lanes xy = __builtin_shufflevector(b, c, 2, 3, 5, 6);
    limberi_lanes yz = __builtin_shufflevector(a, b, 1, 2, 4, 5);
    p[0] = __builtin_shufflevector(a, xy, 0, 3, 4, 6);
    p[1] = __builtin_shufflevector(yz, xy, 0, 2, 5, 7);
    p[2] = __builtin_shufflevector(yz, c, 1, 3, 4, 7);
#else
    for (int i = 0; i < 3; i++)
        p[i] = from[i];
#endif
}

LIMBERI_INLINED void limberi_lanes_store_run(float* to, const limberi_lanes p[3]) {
#if defined(LIMBERI_LANES_NEON)
    float32x4x3_t t = {{(float32x4_t)p[0], (float32x4_t)p[1], (float32x4_t)p[2]}};
    vst3q_f32(to, t);
#elif defined(LIMBERI_LANES_AVX2)
    __m256 x = (__m256)p[0];
    __m256 y = (__m256)p[1];
    __m256 z = (__m256)p[2];
    __m256 xy = _mm256_shuffle_ps(x, y, _MM_SHUFFLE(2, 0, 2, 0));
    __m256 yz = _mm256_shuffle_ps(y, z, _MM_SHUFFLE(3, 1, 3, 1));
    __m256 zx = _mm256_shuffle_ps(z, x, _MM_SHUFFLE(3, 1, 2, 0));
    __m256 out[3] = {_mm256_shuffle_ps(xy, zx, _MM_SHUFFLE(2, 0, 2, 0)),
                     _mm256_shuffle_ps(yz, xy, _MM_SHUFFLE(3, 1, 2, 0)),
                     _mm256_shuffle_ps(zx, yz, _MM_SHUFFLE(3, 1, 3, 1))};
    for (int i = 0; i < 3; i++) {
        _mm_storeu_ps(to + 4 * i, _mm256_castps256_ps128(out[i]));
        _mm_storeu_ps(to + 4 * i + 12, _mm256_extractf128_ps(out[i], 1));
    }
#elif LIMBERI_LANE_COUNT == 4
    limberi_lanes xy = __builtin_shufflevector(p[0], p[1], 0, 2, 4, 6);
    limberi_lanes yz = __builtin_shufflevector(p[1], p[2], 1, 3, 5, 7);
    limberi_lanes zx = __builtin_shufflevector(p[2], p[0], 0, 2, 5, 7);
    limberi_lanes_store(to, __builtin_shufflevector(xy, zx, 0, 2, 4, 6));
    limberi_lanes_store(to + 4, __builtin_shufflevector(yz, xy, 0, 2, 5, 7));
    limberi_lanes_store(to + 8, __builtin_shufflevector(zx, yz, 1, 3, 5, 7));
#else
    for (int i = 0; i < 3; i++)
        to[i] = p[i];
#endif
}

// x, y and z of as many vertices as there are lanes, from and to a list of all of them: those that follow each other
// all at once.
LIMBERI_INLINED bool limberi_is_run(const uint32_t* vertices) {
    bool run = true;
    for (uint32_t i = 1; i < LIMBERI_LANE_COUNT; i++)
        run = run && vertices[i] == vertices[0] + i;
    return run;
}

#if defined(LIMBERI_LANES_NEON)
// Arm's instructions for a single triple take longer than two for its parts. Not a float more: another thread may be
// writing there.
LIMBERI_INLINED float32x4_t limberi_load_three(const float* from) {
    return vld1q_lane_f32(from + 2, vcombine_f32(vld1_f32(from), vdup_n_f32(0)), 2);
}

LIMBERI_INLINED void limberi_store_three(float* to, float32x2_t xy, float z) {
    vst1_f32(to, xy);
    to[2] = z;
}
#endif

LIMBERI_INLINED void limberi_lanes_gather_triples(const float* from, const uint32_t* vertices, float* x, float* y,
                                                  float* z) {
#if LIMBERI_LANE_COUNT > 1
    if (limberi_is_run(vertices)) {
        limberi_lanes p[3];
        limberi_lanes_load_run(from + 3 * (size_t)vertices[0], p);
        limberi_lanes_store(x, p[0]);
        limberi_lanes_store(y, p[1]);
        limberi_lanes_store(z, p[2]);
        return;
    }
#endif
#if defined(LIMBERI_LANES_NEON)
    float32x4_t a = limberi_load_three(from + 3 * (size_t)vertices[0]);
    float32x4_t b = limberi_load_three(from + 3 * (size_t)vertices[1]);
    float32x4_t c = limberi_load_three(from + 3 * (size_t)vertices[2]);
    float32x4_t d = limberi_load_three(from + 3 * (size_t)vertices[3]);
    float32x4_t even = vzip1q_f32(a, c);
    float32x4_t odd = vzip1q_f32(b, d);
    vst1q_f32(x, vzip1q_f32(even, odd));
    vst1q_f32(y, vzip2q_f32(even, odd));
    vst1q_f32(z, vzip1q_f32(vzip2q_f32(a, c), vzip2q_f32(b, d)));
#else
    for (int i = 0; i < LIMBERI_LANE_COUNT; i++) {
        const float* p = from + 3 * (size_t)vertices[i];
        x[i] = p[0];
        y[i] = p[1];
        z[i] = p[2];
    }
#endif
}

LIMBERI_INLINED void limberi_lanes_scatter_triples(float* to, const uint32_t* vertices, const float* x, const float* y,
                                                   const float* z) {
#if LIMBERI_LANE_COUNT > 1
    limberi_lanes p[3] = {limberi_lanes_load(x), limberi_lanes_load(y), limberi_lanes_load(z)};
    if (limberi_is_run(vertices)) {
        limberi_lanes_store_run(to + 3 * (size_t)vertices[0], p);
        return;
    }
#endif
#if defined(LIMBERI_LANES_NEON)
    float32x4_t a = (float32x4_t)p[0];
    float32x4_t b = (float32x4_t)p[1];
    float32x4_t c = (float32x4_t)p[2];
    float32x4_t even = vzip1q_f32(a, b);
    float32x4_t odd = vzip2q_f32(a, b);
    limberi_store_three(to + 3 * (size_t)vertices[0], vget_low_f32(even), vgetq_lane_f32(c, 0));
    limberi_store_three(to + 3 * (size_t)vertices[1], vget_high_f32(even), vgetq_lane_f32(c, 1));
    limberi_store_three(to + 3 * (size_t)vertices[2], vget_low_f32(odd), vgetq_lane_f32(c, 2));
    limberi_store_three(to + 3 * (size_t)vertices[3], vget_high_f32(odd), vgetq_lane_f32(c, 3));
#elif defined(LIMBERI_LANES_SSE2)
    __m128 even = _mm_unpacklo_ps((__m128)p[0], (__m128)p[1]);
    __m128 odd = _mm_unpackhi_ps((__m128)p[0], (__m128)p[1]);
    float* at[4];
    for (int i = 0; i < 4; i++) {
        at[i] = to + 3 * (size_t)vertices[i];
        at[i][2] = z[i];
    }
    _mm_storel_pi((__m64*)(void*)at[0], even);
    _mm_storeh_pi((__m64*)(void*)at[1], even);
    _mm_storel_pi((__m64*)(void*)at[2], odd);
    _mm_storeh_pi((__m64*)(void*)at[3], odd);
#else
    for (int i = 0; i < LIMBERI_LANE_COUNT; i++) {
        float* at = to + 3 * (size_t)vertices[i];
        at[0] = x[i];
        at[1] = y[i];
        at[2] = z[i];
    }
#endif
}

LIMBERI_INLINED limberi_lanes limberi_lanes_all(float x) {
#if LIMBERI_LANE_COUNT == 1
    return x;
#elif LIMBERI_LANE_COUNT == 4
    limberi_lanes v = {x, x, x, x};
    return v;
#else
    limberi_lanes v = {x, x, x, x, x, x, x, x};
    return v;
#endif
}

// Four floats of which each is used for all lanes: Arm multiplies by a part of a register, elsewhere parts are loaded.
#if defined(LIMBERI_LANES_NEON)
typedef limberi_lanes limberi_four;
#else
typedef const float* limberi_four;
#endif

LIMBERI_INLINED limberi_four limberi_four_load(const float* from) {
#if defined(LIMBERI_LANES_NEON)
    return (limberi_lanes)vld1q_f32(from); // a copy would go through integer registers
#else
    return from;
#endif
}

LIMBERI_INLINED limberi_mask limberi_lanes_bits(limberi_lanes v) {
    limberi_mask m;
    memcpy(&m, &v, sizeof m);
    return m;
}

LIMBERI_INLINED limberi_lanes limberi_lanes_of_bits(limberi_mask m) {
    limberi_lanes v;
    memcpy(&v, &m, sizeof v);
    return v;
}

LIMBERI_INLINED limberi_mask limberi_lanes_less(limberi_lanes a, limberi_lanes b) {
#if LIMBERI_LANE_COUNT == 1
    return -(limberi_mask)(a < b);
#else
    return a < b;
#endif
}

LIMBERI_INLINED limberi_lanes limberi_lanes_select(limberi_mask mask, limberi_lanes yes, limberi_lanes no) {
    return limberi_lanes_of_bits((mask & limberi_lanes_bits(yes)) | (~mask & limberi_lanes_bits(no)));
}

// Of numbers: what comes back when one is NaN differs from processor to processor.
LIMBERI_INLINED limberi_lanes limberi_lanes_min(limberi_lanes a, limberi_lanes b) {
#if defined(LIMBERI_LANES_NEON)
    return (limberi_lanes)vminq_f32((float32x4_t)a, (float32x4_t)b);
#elif defined(LIMBERI_LANES_SSE2)
    return (limberi_lanes)_mm_min_ps((__m128)a, (__m128)b);
#elif defined(LIMBERI_LANES_AVX2)
    return (limberi_lanes)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(LIMBERI_LANES_WASM)
    return (limberi_lanes)wasm_f32x4_pmin((v128_t)b, (v128_t)a);
#else
    return limberi_lanes_select(limberi_lanes_less(a, b), a, b);
#endif
}

LIMBERI_INLINED limberi_lanes limberi_lanes_max(limberi_lanes a, limberi_lanes b) {
#if defined(LIMBERI_LANES_NEON)
    return (limberi_lanes)vmaxq_f32((float32x4_t)a, (float32x4_t)b);
#elif defined(LIMBERI_LANES_SSE2)
    return (limberi_lanes)_mm_max_ps((__m128)a, (__m128)b);
#elif defined(LIMBERI_LANES_AVX2)
    return (limberi_lanes)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(LIMBERI_LANES_WASM)
    return (limberi_lanes)wasm_f32x4_pmax((v128_t)b, (v128_t)a);
#else
    return limberi_lanes_select(limberi_lanes_less(b, a), a, b);
#endif
}

LIMBERI_INLINED float limberi_lanes_min_of(limberi_lanes v) {
#if LIMBERI_LANE_COUNT == 1
    return v;
#elif defined(LIMBERI_LANES_NEON)
    return vminvq_f32((float32x4_t)v);
#else
    float min = v[0];
    for (int i = 1; i < LIMBERI_LANE_COUNT; i++)
        min = v[i] < min ? v[i] : min;
    return min;
#endif
}

LIMBERI_INLINED float limberi_lanes_greatest(limberi_lanes v) {
#if LIMBERI_LANE_COUNT == 1
    return v;
#elif defined(LIMBERI_LANES_NEON)
    return vmaxvq_f32((float32x4_t)v);
#else
    float greatest = v[0];
    for (int i = 1; i < LIMBERI_LANE_COUNT; i++)
        greatest = v[i] > greatest ? v[i] : greatest;
    return greatest;
#endif
}

// Whether the comparison held in any lane.
LIMBERI_INLINED bool limberi_lanes_any(limberi_mask mask) {
#if LIMBERI_LANE_COUNT == 1
    return mask != 0;
#elif defined(LIMBERI_LANES_NEON)
    return vmaxvq_u32((uint32x4_t)mask) != 0;
#elif defined(LIMBERI_LANES_SSE2)
    return _mm_movemask_ps((__m128)mask) != 0;
#elif defined(LIMBERI_LANES_AVX2)
    return _mm256_movemask_ps((__m256)mask) != 0;
#elif defined(LIMBERI_LANES_WASM)
    return wasm_v128_any_true((v128_t)mask);
#else
    int32_t any = 0;
    for (int i = 0; i < LIMBERI_LANE_COUNT; i++)
        any |= mask[i];
    return any != 0;
#endif
}

// Whether a product and a sum take one instruction.
#if defined(LIMBERI_LANES_NEON) || defined(LIMBERI_LANES_AVX2)
#define LIMBERI_FUSED true
#else
#define LIMBERI_FUSED false
#endif

// a * b + c, rounded once where the processor can.
LIMBERI_INLINED limberi_lanes limberi_lanes_fma(limberi_lanes a, limberi_lanes b, limberi_lanes c) {
#if defined(LIMBERI_LANES_NEON)
    return (limberi_lanes)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#elif defined(LIMBERI_LANES_AVX2)
    return (limberi_lanes)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c;
#endif
}

// c - a * b
LIMBERI_INLINED limberi_lanes limberi_lanes_fms(limberi_lanes a, limberi_lanes b, limberi_lanes c) {
#if defined(LIMBERI_LANES_NEON)
    return (limberi_lanes)vfmsq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#elif defined(LIMBERI_LANES_AVX2)
    return (limberi_lanes)_mm256_fnmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return c - a * b;
#endif
}

LIMBERI_INLINED limberi_lanes limberi_lanes_sqrt(limberi_lanes v) {
#if LIMBERI_LANE_COUNT == 1
    return sqrtf(v);
#elif defined(LIMBERI_LANES_NEON)
    return (limberi_lanes)vsqrtq_f32((float32x4_t)v);
#elif defined(LIMBERI_LANES_SSE2)
    return (limberi_lanes)_mm_sqrt_ps((__m128)v);
#elif defined(LIMBERI_LANES_AVX2)
    return (limberi_lanes)_mm256_sqrt_ps((__m256)v);
#elif defined(LIMBERI_LANES_WASM)
    return (limberi_lanes)wasm_f32x4_sqrt((v128_t)v);
#else
    for (int i = 0; i < LIMBERI_LANE_COUNT; i++)
        v[i] = sqrtf(v[i]);
    return v;
#endif
}

// 1 / v, and 0 where v is not above 0.
LIMBERI_INLINED limberi_lanes limberi_lanes_inverse(limberi_lanes v) {
    limberi_mask some = limberi_lanes_less(limberi_lanes_all(0), v);
    return limberi_lanes_of_bits(some & limberi_lanes_bits(limberi_lanes_all(1) / v));
}

LIMBERI_INLINED limberi_lanes limberi_lanes_abs(limberi_lanes v) {
    return limberi_lanes_of_bits(limberi_lanes_bits(v) & 0x7fffffff);
}

// The size of `a` with the sign of `b`; `a` is not negative.
LIMBERI_INLINED limberi_lanes limberi_lanes_sign_of(limberi_lanes a, limberi_lanes b) {
    return limberi_lanes_of_bits(limberi_lanes_bits(a) | (limberi_lanes_bits(b) & ~0x7fffffff));
}

// To the nearest whole number, for |v| below 2^22; what is larger comes back as it is.
LIMBERI_INLINED limberi_lanes limberi_lanes_round(limberi_lanes v) {
    limberi_lanes magic = limberi_lanes_sign_of(limberi_lanes_all(8388608.0f), v);
    limberi_lanes whole = (v + magic) - magic;
    return limberi_lanes_select(limberi_lanes_less(limberi_lanes_abs(v), limberi_lanes_all(4194304.0f)), whole, v);
}

// `a` less whole turns: within [-pi, pi].
LIMBERI_INLINED limberi_lanes limberi_lanes_within_turn(limberi_lanes a) {
    limberi_lanes turns = limberi_lanes_round(a * limberi_lanes_all(0.15915494f));
    a = limberi_lanes_fma(turns, limberi_lanes_all(-6.28125f), a); // 2 pi in two pieces
    return limberi_lanes_fma(turns, limberi_lanes_all(-0.0019353072f), a);
}

// sin(a) and 1 - cos(a), from polynomials of u = a^2 (near-minimax): for |a| <= 1/8 with errors below 4.5e-7 |a| and
// 1.4e-7 a^2 ...
LIMBERI_INLINED void limberi_lanes_faint_sine_versine(limberi_lanes a, limberi_lanes u, limberi_lanes* sine,
                                                      limberi_lanes* versine) {
    *sine = a * limberi_lanes_fma(limberi_lanes_all(-0.16655884f), u, limberi_lanes_all(1));
    *versine = u * limberi_lanes_fma(limberi_lanes_all(-0.041648692f), u, limberi_lanes_all(0.5f));
}

// ... for |a| <= 1/2 with errors below 5e-7 |a| and 1e-7 a^2 ...
LIMBERI_INLINED void limberi_lanes_tiny_sine_versine(limberi_lanes a, limberi_lanes u, limberi_lanes* sine,
                                                     limberi_lanes* versine) {
    limberi_lanes p = limberi_lanes_fma(limberi_lanes_all(0.00828389f), u, limberi_lanes_all(-0.16666512f));
    limberi_lanes q = limberi_lanes_fma(limberi_lanes_all(0.00137962f), u, limberi_lanes_all(-0.0416658f));
    *sine = a * limberi_lanes_fma(p, u, limberi_lanes_all(1));
    *versine = u * limberi_lanes_fma(q, u, limberi_lanes_all(0.5f));
}

// ... for |a| <= 1 with errors below 1.2e-7 |a| and 8e-8 a^2 ...
LIMBERI_INLINED void limberi_lanes_small_sine_versine(limberi_lanes a, limberi_lanes u, limberi_lanes* sine,
                                                      limberi_lanes* versine) {
    limberi_lanes p = limberi_lanes_fma(limberi_lanes_all(-0.00019297114f), u, limberi_lanes_all(0.0083299465f));
    limberi_lanes q = limberi_lanes_fma(limberi_lanes_all(-2.4256273e-05f), u, limberi_lanes_all(0.0013885492f));
    p = limberi_lanes_fma(p, u, limberi_lanes_all(-0.16666599f));
    q = limberi_lanes_fma(q, u, limberi_lanes_all(-0.041666597f));
    *sine = a * limberi_lanes_fma(p, u, limberi_lanes_all(1));
    *versine = u * limberi_lanes_fma(q, u, limberi_lanes_all(0.5f));
}

// ... and for |a| <= pi with errors below 2.5e-7 |a| and 8e-8 a^2.
LIMBERI_INLINED void limberi_lanes_sine_versine(limberi_lanes a, limberi_lanes u, limberi_lanes* sine,
                                                limberi_lanes* versine) {
    const float s[6] = {0.99999994f, -0.16666621f, 0.0083327917f, -0.00019817625f, 2.7088224e-06f, -2.0697737e-08f};
    const float c[6] = {0.5f, -0.041666634f, 0.0013888495f, -2.4784411e-05f, 2.721724e-07f, -1.773222e-09f};
    limberi_lanes p = limberi_lanes_all(s[5]);
    limberi_lanes q = limberi_lanes_all(c[5]);
    for (int i = 4; i >= 0; i--) {
        p = limberi_lanes_fma(p, u, limberi_lanes_all(s[i]));
        q = limberi_lanes_fma(q, u, limberi_lanes_all(c[i]));
    }
    *sine = a * p;
    *versine = u * q;
}

// --- choices between single floats without branches, so that loops over blocks become vector instructions ---

LIMBERI_INLINED uint32_t limberi_bits_of(float a) {
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

LIMBERI_INLINED float limberi_float_of(uint32_t bits) {
    float a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

LIMBERI_INLINED uint32_t limberi_pick_bits(bool condition, uint32_t a, uint32_t b) {
    uint32_t mask = 0u - (uint32_t)condition;
    return (a & mask) | (b & ~mask);
}

// condition ? a : b. From the plain choice gcc likes to make branches, one for every constant among the outcomes.
LIMBERI_INLINED float limberi_pick(bool condition, float a, float b) {
    return limberi_float_of(limberi_pick_bits(condition, limberi_bits_of(a), limberi_bits_of(b)));
}

// No NaN comes here. Arm cuts in one instruction; elsewhere fminf and fmaxf are calls.
LIMBERI_INLINED float limberi_cut_above(float v, float limit) {
#if defined(__aarch64__)
    return fminf(v, limit);
#else
    return limberi_pick(v > limit, limit, v);
#endif
}

LIMBERI_INLINED float limberi_cut_below(float v, float limit) {
#if defined(__aarch64__)
    return fmaxf(v, limit);
#else
    return limberi_pick(v < limit, limit, v);
#endif
}

#endif
