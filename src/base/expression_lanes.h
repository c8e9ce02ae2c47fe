// Choices between floats without branches, so that loops over blocks become vector instructions.
#ifndef LIMBERI_EXPRESSION_LANES_H
#define LIMBERI_EXPRESSION_LANES_H

#include <limber/base.h>
#include <math.h>
#include <string.h>

#if defined(__GNUC__)
#define LIMBERI_INLINED static inline __attribute__((always_inline))
#else
#define LIMBERI_INLINED static inline
#endif

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
