// Symmetric matrices: eigenvectors, and equations with a positive definite one.
#ifndef LIMBERI_SYMMETRIC_H
#define LIMBERI_SYMMETRIC_H

#include <limber/base.h>

// Replaces the matrix a [n][n] by its eigenvectors, one per row, by falling eigenvalue. `values` has room for n.
// LIMBER_ERROR_MEMORY when there is too little. The result does not depend on the threads; NULL: the caller alone.
LIMBER_MUST_USE limber_result limberi_eigen(double* a, uint32_t n, double* values, const limber_parallel* parallel);
// The same for n up to LIMBERI_EIGEN_SMALL, without memory that can be short.
enum { LIMBERI_EIGEN_SMALL = 4 };
void limberi_eigen_small(double* a, uint32_t n, double* values);

// Turns `count` rows [count][n], which may be any, towards the eigenvectors of the largest eigenvalues of a [n][n]: each
// step takes the difference down by the ratio of the eigenvalues without and within. They end up at right angles; one that
// the matrix makes 0 becomes 0. `room` has `count` times n numbers.
void limberi_eigen_approach(const double* a, uint32_t n, uint32_t count, uint32_t steps, double* rows, double* room);

// Eigenvectors of a 3 x 3 matrix, one per row, in any order.
void limberi_eigen_three(const double* a, double* axes, double* values);

// The lower triangle of a symmetric matrix: row i has the columns first[i] to i, and those before are 0, as they are in L.
typedef struct limberi_lower {
    uint32_t n;
    double* numbers;
    const uint32_t* first; // [n] multiples of 4; NULL: all 0
    const size_t* at;      // [n] where the rows begin; NULL: n numbers apart
} limberi_lower;

// a = L L': replaces a by L. False: a is not positive definite.
LIMBER_MUST_USE bool limberi_cholesky(const limberi_lower* a);
// With `factored` from limberi_cholesky: replaces each of the right-hand sides [count][n] by its solution.
void limberi_cholesky_solve(const limberi_lower* factored, uint32_t count, double* right);

#endif
