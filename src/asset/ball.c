// The smallest ball around points. At most four points hold it: its support. Each round adds the point that is farthest
// outside, finds the smallest ball around these five by trying every choice of support, and keeps that. The ball grows
// with each round, so no support comes twice; a character takes about ten rounds.
#include "asset/asset.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_HELD = 4, MAX_TRIED = MAX_HELD + 1 };

static const double min_growth = 1e-13; // of the squared radius: less is rounding
static const int max_rounds = 10000;

typedef struct support {
    double points[MAX_TRIED][3];
    int count;
} support;

static double square_between(const double* a, const double* b) {
    double x = a[0] - b[0];
    double y = a[1] - b[1];
    double z = a[2] - b[2];
    return x * x + y * y + z * z;
}

static bool load(const float* points, size_t i, double* p) {
    for (int c = 0; c < 3; c++)
        p[c] = (double)points[3 * i + (size_t)c];
    return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
}

// Solves n equations in place, the right side in column n; false when they depend on each other.
static bool solve(double (*a)[4], int n) {
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            pivot = fabs(a[i][k]) > fabs(a[pivot][k]) ? i : pivot;
        double row[4];
        double size = 0;
        memcpy(row, a[pivot], sizeof row);
        memcpy(a[pivot], a[k], sizeof row);
        memcpy(a[k], row, sizeof row);
        for (int i = 0; i < n; i++)
            size = fmax(size, fabs(a[k][i]));
        if (!(fabs(a[k][k]) > 1e-14 * size))
            return false;
        for (int i = 0; i < n; i++) {
            double part = i == k ? 0 : a[i][k] / a[k][k];
            for (int j = k; j <= n; j++)
                a[i][j] -= part * a[k][j];
        }
    }
    for (int k = 0; k < n; k++)
        a[k][n] /= a[k][k];
    return true;
}

// The point of the line, plane or space through the held points that is equally far from all of them: with the edges
// e_i from the first one, sum_j 2 (e_i . e_j) x_j = e_i . e_i.
static bool center_of(const support* s, double* center) {
    double edges[MAX_HELD - 1][3];
    double a[3][4] = {{0}};
    int n = s->count - 1;
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            edges[i][c] = s->points[i + 1][c] - s->points[0][c];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[i][j] = 2 * (edges[i][0] * edges[j][0] + edges[i][1] * edges[j][1] + edges[i][2] * edges[j][2]);
        a[i][n] = 0.5 * a[i][i];
    }
    if (!solve(a, n))
        return false;
    for (int c = 0; c < 3; c++) {
        center[c] = s->points[0][c];
        for (int i = 0; i < n; i++)
            center[c] += a[i][n] * edges[i][c];
    }
    return true;
}

// The smallest ball around the few points of `s`; of these, `s` keeps those that hold it. Every choice of support gives
// a center, and the smallest ball has the one whose farthest point is nearest: that needs no tolerance.
static double hold(support* s, double* center) {
    double best = HUGE_VAL;
    support kept = *s;
    for (int size = 1; size <= MAX_HELD; size++)
        for (unsigned choice = 1; choice < 1u << s->count; choice++) {
            support tried = {{{0}}, 0};
            double middle[3];
            double square = 0;
            for (int i = 0; i < s->count; i++)
                if (choice >> i & 1 && tried.count++ < MAX_HELD)
                    memcpy(tried.points[tried.count - 1], s->points[i], sizeof middle);
            if (tried.count != size || !center_of(&tried, middle))
                continue;
            for (int i = 0; i < s->count; i++)
                square = fmax(square, square_between(middle, s->points[i]));
            if (square < best * (1 - min_growth)) {
                best = square;
                kept = tried;
                memcpy(center, middle, sizeof middle);
            }
        }
    *s = kept;
    return best;
}

// How far the farthest point is, squared; `farthest` is that point.
static double reach(const float* points, size_t count, const double* center, double* farthest) {
    double max = -1;
    double p[3];
    size_t at = count;
    for (size_t i = 0; i < count; i++) {
        load(points, i, p);
        double square = square_between(p, center);
        if (square > max && square < HUGE_VAL) {
            max = square;
            at = i;
        }
    }
    if (at < count)
        load(points, at, farthest);
    return max;
}

limberi_ball limberi_ball_around(const float* points, size_t count) {
    limberi_ball ball = {{0, 0, 0}, 0};
    support s = {{{0}}, 0};
    double square = 0;
    double max = -1;
    for (size_t i = 0; i < count && !s.count; i++)
        s.count = load(points, i, s.points[0]) ? 1 : 0;
    if (!s.count)
        return ball;
    memcpy(ball.center, s.points[0], sizeof ball.center);
    for (int round = 0; round < max_rounds; round++) {
        double center[3] = {0, 0, 0};
        max = reach(points, count, ball.center, s.points[s.count]);
        if (!(max > square * (1 + min_growth)))
            break;
        s.count++;
        double grown = hold(&s, center);
        if (!(grown > square * (1 + min_growth)))
            break;
        square = grown;
        memcpy(ball.center, center, sizeof center);
    }
    ball.radius = sqrt(fmax(max, 0)); // of the last center, so that no point is outside
    return ball;
}
