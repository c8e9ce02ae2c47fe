// Sums over long rows of floats, several rows at a time so that what is loaded is used more than once.
#ifndef LIMBERI_BAKE_ROWS_H
#define LIMBERI_BAKE_ROWS_H

#include "base/parallel.h"

// The same for any partition of the work.
double limberi_rows_dot(const float* a, const float* b, size_t width);
// A row against rows after each other.
void limberi_rows_dots(const float* row, const float* others, uint32_t count, size_t width, double* sums);
// The length of the longest of the vectors (three numbers each).
double limberi_rows_longest(const float* row, size_t width);

// target[t] += sum over s of factors[t * factor_stride + s] * sources[s], rows of `width` numbers after each other.
// Rows of targets are independent: the job may be cut anywhere.
typedef struct limberi_rows_sum {
    float* targets;
    const float* sources;
    const double* factors;
    size_t width, factor_stride;
    uint32_t target_count, source_count;
    const limber_parallel* parallel;
    const float* start;   // [target][width] what targets begin as; NULL: as they are
    uint32_t fresh_count; // so many of them, the last, begin as 0
} limberi_rows_sum;

void limberi_rows_add(const limberi_rows_sum* sum);
void limberi_rows_add_one(float* target, const float* source, double factor, size_t width);
// row[x] *= factor, or row[x] /= factor.
void limberi_rows_scale(const limber_parallel* parallel, float* row, size_t width, double factor, bool divide);
// The longest vector of the sum that one target would get.
double limberi_rows_longest_sum(const limberi_rows_sum* sum);

#endif
