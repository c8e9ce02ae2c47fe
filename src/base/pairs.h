// Two doubles at once, for what loses its digits in single precision: differences of samples that lie close together.
// Sums, products and quotients are the compiler's own operators, and nothing is rounded once where it could be rounded
// twice, so that every processor gives the same bits.
#ifndef LIMBERI_PAIRS_H
#define LIMBERI_PAIRS_H

#include "base/lanes.h"

typedef double limberi_pair __attribute__((vector_size(16)));
typedef int64_t limberi_pair_mask __attribute__((vector_size(16))); // all bits of a lane set, or none
typedef float limberi_pair_floats __attribute__((vector_size(8)));

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

// Two numbers from each of two places, crosswise: v[0] has the first of both.
LIMBERI_INLINED void limberi_pair_load2(const float* a, const float* b, limberi_pair* v) {
    limberi_pair_floats p, q;
    memcpy(&p, a, sizeof p);
    memcpy(&q, b, sizeof q);
    limberi_pair x = __builtin_convertvector(p, limberi_pair), y = __builtin_convertvector(q, limberi_pair);
    limberi_pair first = {x[0], y[0]}, second = {x[1], y[1]};
    v[0] = first;
    v[1] = second;
}

LIMBERI_INLINED limberi_pair limberi_pair_load(const float* a, const float* b) {
    limberi_pair v = {(double)a[0], (double)b[0]};
    return v;
}

// Three numbers for each of two places, as floats.
LIMBERI_INLINED void limberi_pair_store3(const limberi_pair* v, float* a, float* b) {
    for (int i = 0; i < 3; i++) {
        limberi_pair_floats f = __builtin_convertvector(v[i], limberi_pair_floats);
        a[i] = f[0];
        b[i] = f[1];
    }
}

#endif
