// Solves a small system of linear equations.
#include "fit/fit_private.h"

#include <math.h>

// Keeps columns apart that differ by rounding only.
static const double ridge = 1e-9;

// Lower triangle of the Cholesky factor, in place.
static bool factor(uint32_t n, double* m) {
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = j; i < n; i++) {
            double sum = m[i * n + j];
            for (uint32_t k = 0; k < j; k++)
                sum -= m[i * n + k] * m[j * n + k];
            if (i == j && !(sum > 0))
                return false;
            m[i * n + j] = i == j ? sqrt(sum) : sum / m[j * n + j];
        }
    return true;
}

static void substitute(uint32_t n, const double* m, double* x) {
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < i; k++)
            x[i] -= m[i * n + k] * x[k];
        x[i] /= m[i * n + i];
    }
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t k = i + 1; k < n; k++)
            x[i] -= m[k * n + i] * x[k];
        x[i] /= m[i * n + i];
    }
}

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
    if (!factor(n, m))
        return false;
    substitute(n, m, x);
    bool finite = true;
    for (uint32_t i = 0; i < n; i++) {
        x[i] *= scale[i];
        finite = finite && isfinite(x[i]);
    }
    return finite;
}
