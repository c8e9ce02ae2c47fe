// Solves a small system of linear equations.
#include "fit/fit_private.h"

#include "base/symmetric.h"

#include <math.h>

// Keeps columns apart that differ by rounding only.
static const double ridge = 1e-9;

bool limberi_fit_solve(uint32_t n, const double* a, const double* b, double damping, double* x) {
    double m[LIMBERI_FIT_KEYS * LIMBERI_FIT_KEYS], scale[LIMBERI_FIT_KEYS];
    for (uint32_t i = 0; i < n; i++)
        scale[i] = a[i * n + i] > 0 ? 1 / sqrt(a[i * n + i]) : 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j <= i; j++)
            m[i * n + j] = a[i * n + j] * scale[i] * scale[j];
        m[i * n + i] = 1 + damping + ridge;
        x[i] = b[i] * scale[i];
    }
    limberi_lower whole = {n, m, NULL, NULL};
    if (!limberi_cholesky(&whole))
        return false;
    limberi_cholesky_solve(&whole, 1, x);
    bool finite = true;
    for (uint32_t i = 0; i < n; i++) {
        x[i] *= scale[i];
        finite = finite && isfinite(x[i]);
    }
    return finite;
}
