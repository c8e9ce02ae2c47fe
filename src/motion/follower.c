// The spring that follows a joint: how far the skin is behind it, and how fast it follows.
#include "motion/follower.h"
#include "base/math.h"

#include <math.h>
#include <string.h>

enum { N = 4 };

static void multiply(double (*a)[N], double (*b)[N], double (*out)[N]) {
    double product[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            product[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j] + a[i][3] * b[3][j];
    memcpy(out, product, sizeof product);
}

// exp(m), by halving until the series is short. Rows of m and of the result are 4 long.
static void exponential(double (*m)[N], double (*out)[N]) {
    double largest = 0;
    double term[N][N];
    int halvings = 0;
    for (int i = 0; i < N; i++)
        largest = fmax(largest, fabs(m[i][0]) + fabs(m[i][1]) + fabs(m[i][2]) + fabs(m[i][3]));
    for (; largest > 1 / 16.0 && halvings < 60; halvings++)
        largest *= 0.5;
    double scale = ldexp(1, -halvings);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            m[i][j] *= scale;
            out[i][j] = term[i][j] = i == j;
        }
    for (int k = 1; k < 12; k++) {
        multiply(term, m, term);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                term[i][j] /= k;
                out[i][j] += term[i][j];
            }
    }
    for (int k = 0; k < halvings; k++)
        multiply(out, out, out);
}

limberi_follower_step limberi_follower_stepper(const limber_follower* f, bool turns, double step_s) {
    double w = 2 * LIMBERI_PI * fmin(fmax(f->frequency_hz, 1e-3), 1e3);
    double drag = 2 * fmin(fmax(f->damping, 0), 1e2) * w;
    double per_smooth = 1 / fmax(f->smooth_s, 1e-4);
    double m[N][N] = {
        {0, -1, 0, 1}, {w * w, -drag, 0, turns ? 0 : drag}, {per_smooth, 0, -per_smooth, 0}, {0, 0, 0, 0}};
    double e[N][N];
    limberi_follower_step step;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            m[i][j] *= step_s;
    exponential(m, e);
    for (int i = 0; i < 3; i++) {
        memcpy(step.m[i], e[i], sizeof step.m[i]);
        step.b[i] = e[i][3];
    }
    // A x = (exp(A h) - 1) (0, -1, 0), row by row: A is the matrix above.
    double v[3] = {-e[0][1], 1 - e[1][1], -e[2][1]};
    step.pushed[1] = -v[0];
    step.pushed[0] = (v[1] + drag * step.pushed[1]) / (w * w);
    step.pushed[2] = step.pushed[0] - v[2] / per_smooth;
    return step;
}

// m to the power of n.
static void power(const limberi_follower_step* step, uint32_t n, double (*out)[N]) {
    double square[N][N] = {{0}};
    for (int i = 0; i < 3; i++)
        memcpy(square[i], step->m[i], sizeof step->m[i]);
    memset(out, 0, N * sizeof *out);
    for (int i = 0; i < N; i++)
        out[i][i] = 1;
    for (; n; n >>= 1) {
        if (n & 1)
            multiply(out, square, out);
        multiply(square, square, square);
    }
}

// All steps, one after the other.
static void product(const limberi_follower_step* step, uint32_t n, double (*out)[N]) {
    memset(out, 0, N * sizeof *out);
    for (int i = 0; i < N; i++)
        out[i][i] = 1;
    for (uint32_t k = 0; k < n; k++) {
        double next[N][N] = {{0}};
        for (int i = 0; i < 3; i++)
            memcpy(next[i], step[k].m[i], sizeof step[k].m[i]);
        multiply(next, out, out);
    }
}

static double determinant(double (*a)[N]) {
    return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
           a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

bool limberi_follower_steady(const limberi_follower_step* step, uint32_t stride, uint32_t steps,
                             const double* from_rest, double* state) {
    double a[N][N], swapped[N][N];
    if (stride)
        product(step, steps, a);
    else
        power(step, steps, a);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            a[i][j] = (i == j) - a[i][j];
    double whole = determinant(a);
    if (fabs(whole) < 1e-12)
        return false;
    for (int k = 0; k < 3; k++) { // Cramer's rule
        memcpy(swapped, a, sizeof a);
        for (int i = 0; i < 3; i++)
            swapped[i][k] = from_rest[i];
        state[k] = determinant(swapped) / whole;
    }
    return true;
}
