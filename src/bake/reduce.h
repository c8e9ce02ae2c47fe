// Fewer morph targets: rows that repeat each other's shapes become a small basis and coefficients.
#ifndef LIMBERI_REDUCE_H
#define LIMBERI_REDUCE_H

#include <limber/base.h>

typedef struct limberi_reduction {
    uint32_t count;      // basis vectors
    float* basis;        // [count][width]
    float* coefficients; // [row_count][count], largest magnitude of each column 1
} limberi_reduction;

// Finds few basis rows whose combinations give back every row with no vertex (three numbers) further off than
// `tolerance`. Destroys `rows`. The caller frees both arrays.
limber_result limberi_reduce(float* rows, uint32_t row_count, size_t width, double tolerance, limberi_reduction* out);

// Rows of a second quantity that goes with the first (normals): the least-squares basis for given coefficients.
limber_result limberi_reduce_follow(const float* rows, uint32_t row_count, size_t width,
                                    const limberi_reduction* reduction, float* basis);

#endif
