// Fewer morph targets: rows that repeat each other's shapes become a small basis and coefficients.
//
// Rows are handed over one by one and are not kept: memory holds a few dozen rows and the basis, however many rows
// come.
#ifndef LIMBERI_REDUCE_H
#define LIMBERI_REDUCE_H

#include "base/parallel.h"

typedef struct limberi_reduction {
    uint32_t count;      // basis vectors
    float* basis;        // [count][width]
    float* followers;    // [count][width]: the least-squares basis of the second quantity; NULL: there is none
    float* coefficients; // [row_count][count], largest magnitude of each column 1
    double error;        // the largest distance of a vertex from its row
} limberi_reduction;

typedef struct limberi_reducer limberi_reducer;

// No vertex (three numbers) will be further off than `tolerance`. With `follow` each row has a second one that goes
// along with the same coefficients (normals). NULL when memory is short. The result does not depend on the threads.
limberi_reducer* limberi_reducer_create(size_t width, double tolerance, bool follow, const limber_parallel* parallel);
// The row must live until limberi_reducer_keep or limberi_reducer_finish; `follower` is NULL without `follow`.
LIMBER_MUST_USE limber_result limberi_reducer_add(limberi_reducer* reducer, const float* row, const float* follower);
void limberi_reducer_keep(limberi_reducer* reducer); // copies rows that were added, by several threads
// The caller frees the arrays with limberi_reduction_free, also after an error.
LIMBER_MUST_USE limber_result limberi_reducer_finish(limberi_reducer* reducer, limberi_reduction* out);
void limberi_reducer_destroy(limberi_reducer* reducer);
void limberi_reduction_free(limberi_reduction* reduction);

// --- rows.c: sums over long rows of floats, several rows at a time so that what is loaded is used more than once ---

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
