// Linear algebra for bone bakes, with LAPACK.
#include "cli/algebra.h"

#ifdef LIMBER_WITH_LAPACK
#include <lapacke.h>

static bool factor(uint32_t n, double* matrix) {
    return LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (lapack_int)n, matrix, (lapack_int)n) == 0;
}

static bool solve(uint32_t n, const double* factored, uint32_t count, double* right) {
    return LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', (lapack_int)n, (lapack_int)count, factored, (lapack_int)n, right,
                          (lapack_int)n) == 0;
}

static bool eigen(uint32_t n, double* matrix, double* values) {
    return LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', (lapack_int)n, matrix, (lapack_int)n, values) == 0;
}

const limber_algebra* cli_algebra(void) {
    static const limber_algebra lapack = {factor, solve, eigen};
    return &lapack;
}
#else
const limber_algebra* cli_algebra(void) {
    return NULL;
}
#endif
