// Fewer morph targets: rows that repeat each other's shapes become a small basis and coefficients.
//
// Rows are handed over one by one and are not kept: memory holds a few dozen rows and the basis, however many rows
// come.
#ifndef LIMBERI_REDUCE_H
#define LIMBERI_REDUCE_H

#include "bake/rows.h"

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

#endif
