// sin x / x and (1 - cos x) / x^2 as series of u = x^2.
#ifndef LIMBERI_DEFORM_FOLLOW_SERIES_H
#define LIMBERI_DEFORM_FOLLOW_SERIES_H

#include "deform/kernels/lanes_kit.h"

enum { LIMBERI_FOLLOW_TERMS = 9 }; // up to half a turn
static const float sine_terms[LIMBERI_FOLLOW_TERMS] = {1.0f,           -1 / 6.0f,       1 / 120.0f,
                                                       -1 / 5040.0f,   1 / 362880.0f,   -1 / 39916800.0f,
                                                       1.6059044e-10f, -7.6471637e-13f, 2.8114573e-15f};
static const float cosine_terms[LIMBERI_FOLLOW_TERMS] = {1 / 2.0f,       -1 / 24.0f,      1 / 720.0f,
                                                         -1 / 40320.0f,  1 / 3628800.0f,  -1 / 479001600.0f,
                                                         1.1470746e-11f, -4.7794773e-14f, 1.5619207e-16f};

LIMBERI_INLINED lanes follow_series(const float* terms, int count, lanes u) {
    lanes sum = all(terms[count - 1]);
    for (int n = count - 2; n >= 0; n--)
        sum = fma_(sum, u, all(terms[n]));
    return sum;
}

LIMBERI_INLINED lanes limberi_follow_sine(lanes u, int terms) {
    return follow_series(sine_terms, terms, u);
}

LIMBERI_INLINED lanes limberi_follow_cosine(lanes u, int terms) {
    return follow_series(cosine_terms, terms, u);
}

#endif
