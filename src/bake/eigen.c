// Householder reflections make the matrix tridiagonal, implicit QL steps with Wilkinson's shift make it diagonal:
// Golub and Van Loan, Matrix Computations, 8.3. Vectors are kept as rows, so that every inner loop runs along memory.
#include "bake/eigen.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 60 }; // per eigenvalue; two or three are usual

typedef struct tridiagonal {
    uint32_t n;
    double *d, *e; // diagonal; e[i] stands between i and i + 1
    double* rows;  // [n][n] of the transform
} tridiagonal;

// The reflection that leaves only the first of the numbers: v and 2 / v.v, 0 when nothing is to be done.
static double reflector(double* v, uint32_t count, double* left) {
    double rest = 0;
    for (uint32_t i = 1; i < count; i++)
        rest += v[i] * v[i];
    *left = v[0];
    if (!(rest > 0))
        return 0;
    double length = sqrt(v[0] * v[0] + rest);
    *left = v[0] > 0 ? -length : length;
    v[0] -= *left;
    return 2 / (v[0] * v[0] + rest);
}

// a <- H a H on the trailing block, H = 1 - scale v v'. `w` is scratch.
static void reflect_both(double* a, uint32_t n, uint32_t first, const double* v, double scale, double* w) {
    double along = 0;
    for (uint32_t i = first; i < n; i++) {
        double sum = 0;
        for (uint32_t k = first; k < n; k++)
            sum += a[(size_t)i * n + k] * v[k - first];
        w[i - first] = scale * sum;
        along += w[i - first] * v[i - first];
    }
    for (uint32_t i = first; i < n; i++)
        w[i - first] -= 0.5 * scale * along * v[i - first];
    for (uint32_t i = first; i < n; i++)
        for (uint32_t k = first; k < n; k++)
            a[(size_t)i * n + k] -= v[i - first] * w[k - first] + w[i - first] * v[k - first];
}

// rows <- rows H. From the last reflection to the first, what is not reflected yet is still the identity.
static void reflect_rows(double* rows, uint32_t n, uint32_t first, const double* v, double scale) {
    for (uint32_t r = first; r < n; r++) {
        double* row = rows + (size_t)r * n + first;
        double sum = 0;
        for (uint32_t k = 0; k < n - first; k++)
            sum += row[k] * v[k];
        for (uint32_t k = 0; k < n - first; k++)
            row[k] -= scale * sum * v[k];
    }
}

// Leaves each reflection in the row of `a` it came from.
static void make_tridiagonal(double* a, const tridiagonal* t, double* scales, double* scratch) {
    uint32_t n = t->n;
    for (uint32_t k = 0; k + 1 < n; k++) {
        double* v = a + (size_t)k * n + k + 1;
        t->d[k] = a[(size_t)k * n + k];
        scales[k] = reflector(v, n - k - 1, &t->e[k]);
        if (scales[k] != 0)
            reflect_both(a, n, k + 1, v, scales[k], scratch);
    }
    t->d[n - 1] = a[(size_t)n * n - 1];
    t->e[n - 1] = 0;
    for (size_t i = 0; i < (size_t)n * n; i++)
        t->rows[i] = i % (n + 1u) == 0 ? 1 : 0;
    for (uint32_t k = n; k-- > 0;)
        if (k + 1 < n && scales[k] != 0)
            reflect_rows(t->rows, n, k + 1, a + (size_t)k * n + k + 1, scales[k]);
}

static void rotate_rows(double* restrict a, double* restrict b, uint32_t n, double c, double s) {
    for (uint32_t k = 0; k < n; k++) {
        double x = a[k], y = b[k];
        a[k] = c * x - s * y;
        b[k] = s * x + c * y;
    }
}

// One implicit QL step on the unreduced block low..high.
static void ql_step(const tridiagonal* t, uint32_t low, uint32_t high) {
    double *d = t->d, *e = t->e;
    double half = (d[low + 1] - d[low]) / (2 * e[low]), root = hypot(half, 1);
    double shift = d[low] - e[low] / (half + copysign(root, half));
    double g = d[high] - shift, c = 1, s = 1, p = 0;
    for (uint32_t i = high; i-- > low;) {
        double f = s * e[i], b = c * e[i], r = hypot(f, g);
        e[i + 1] = r;
        if (r == 0) { // split early
            d[i + 1] -= p;
            e[high] = 0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        rotate_rows(t->rows + (size_t)i * t->n, t->rows + (size_t)(i + 1) * t->n, t->n, c, s);
    }
    d[low] -= p;
    e[low] = g;
    e[high] = 0;
}

static void make_diagonal(const tridiagonal* t) {
    for (uint32_t low = 0; low < t->n; low++) {
        for (int step = 0; step < MOST_STEPS; step++) {
            uint32_t high = low;
            while (high + 1 < t->n && fabs(t->e[high]) > 1e-16 * (fabs(t->d[high]) + fabs(t->d[high + 1])))
                high++;
            if (high == low)
                break;
            ql_step(t, low, high);
        }
    }
}

// Falling eigenvalues; equal ones keep their order.
static void sort_into(const tridiagonal* t, double* a, double* values, uint32_t* order) {
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t at = i;
        for (; at > 0 && t->d[order[at - 1]] < t->d[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (uint32_t i = 0; i < t->n; i++) {
        values[i] = t->d[order[i]];
        memcpy(a + (size_t)i * t->n, t->rows + (size_t)order[i] * t->n, t->n * sizeof *a);
    }
}

limber_result limberi_eigen(double* a, uint32_t n, double* values) {
    if (!n)
        return LIMBER_OK;
    double* room = limberi_allocate(((size_t)n * n + 4 * (size_t)n) * sizeof *room);
    uint32_t* order = limberi_allocate(n * sizeof *order);
    if (room && order) {
        tridiagonal t = {n, room, room + n, room + 4 * (size_t)n};
        make_tridiagonal(a, &t, room + 2 * (size_t)n, room + 3 * (size_t)n);
        make_diagonal(&t);
        sort_into(&t, a, values, order);
    }
    limber_result result = room && order ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    limberi_release(room);
    limberi_release(order);
    return result;
}
