// Eigenvectors of small symmetric matrices.
#ifndef LIMBERI_BAKE_EIGEN_H
#define LIMBERI_BAKE_EIGEN_H

#include "bake/rows.h"

// Replaces the matrix a [n][n] by its eigenvectors, one per row, by falling eigenvalue. `values` has room for n.
// LIMBER_ERROR_MEMORY when there is too little. The result does not depend on the workers; NULL: the caller alone.
LIMBER_MUST_USE limber_result limberi_eigen(double* a, uint32_t n, double* values, const limberi_workers* workers);

#endif
