// Rotations as the three angles of a BVH joint.
#include "base/math.h"
#include "io/bvh/layout.h"

#include <string.h>

static const double degree = LIMBERI_PI / 180;
// Below this the first and the last axis are one, and only the sum of their angles means something.
static const double locked = 1e-7;

void limberi_bvh_turn(double* q, int axis, double degrees) {
    if (degrees == 0)
        return;
    int next = (axis + 1) % 3;
    int after = (axis + 2) % 3;
    double half = degrees * (LIMBERI_PI / 360);
    double s = sin(half);
    double c = cos(half);
    double w = q[3] * c - q[axis] * s;
    double a = q[axis] * c + q[3] * s;
    double n = q[next] * c + q[after] * s;
    double f = q[after] * c - q[next] * s;
    q[3] = w;
    q[axis] = a;
    q[next] = n;
    q[after] = f;
}

static void matrix_of(const double* q, double m[3][3]) {
    double x = q[0];
    double y = q[1];
    double z = q[2];
    double w = q[3];
    const double rows[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                               {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                               {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    memcpy(m, rows, sizeof rows);
}

// With i, j, k the axes, s = +1 when they follow each other as x, y, z do and -1 when they run backwards, and
// R = R_i(a) R_j(b) R_k(c): the first angle stands in a column of R where b only scales it; with that angle turned
// back, R_i(-a) R = R_j(b) R_k(c) shows the other two directly. If the lock hides the first angle, any value will do.
static void extract(const double* q, const uint8_t* axes, double first_if_locked, double* angles) {
    int i = axes[0];
    int j = axes[1];
    int l = 3 - i - j; // l is the third axis, and k unless the first comes again
    bool again = axes[2] == axes[0];
    double s = (i + 1) % 3 == j ? 1 : -1;
    double m[3][3];
    double rest[4] = {q[0], q[1], q[2], q[3]};
    matrix_of(q, m);
    double sine = again ? m[j][i] : -s * m[j][l];
    double cosine = again ? -s * m[l][i] : m[l][l];
    angles[0] = hypot(sine, cosine) > locked ? atan2(sine, cosine) / degree : first_if_locked;

    double back[4] = {0, 0, 0, 1};
    limberi_bvh_turn(back, i, -angles[0]);
    double x = back[i];
    double w = back[3]; // back times q, where back has only two parts
    int n = (i + 1) % 3;
    int f = (i + 2) % 3;
    rest[3] = w * q[3] - x * q[i];
    rest[i] = w * q[i] + x * q[3];
    rest[n] = w * q[n] - x * q[f];
    rest[f] = w * q[f] + x * q[n];
    matrix_of(rest, m);
    angles[1] = (again ? atan2(-s * m[l][i], m[i][i]) : atan2(s * m[i][l], m[l][l])) / degree;
    angles[2] = (again ? atan2(-s * m[j][l], m[j][j]) : atan2(s * m[j][i], m[j][j])) / degree;
}

// Adds whole turns so that each angle comes as near to `previous` as it can; returns how far away that still is.
static double unwind(double* angles, const double* previous, uint32_t kept) {
    static const double weights[3] = {1, 1e3, 1e6}; // of angles the joint has no channel for, the last costs most
    double cost = 0;
    for (uint32_t i = 0; i < 3; i++) {
        double aim = i < kept ? previous[i] : 0;
        angles[i] -= 360 * round((angles[i] - aim) / 360);
        cost += fabs(angles[i] - aim) * weights[i < kept ? 0 : i];
    }
    return cost;
}

void limberi_bvh_euler(const double* q, const uint8_t* axes, uint32_t kept, double* angles) {
    double one[3], other[3];
    extract(q, axes, angles[0], one);
    other[0] = one[0] + 180; // the second solution: turned half about the first axis, bent over the other way
    other[1] = axes[0] == axes[2] ? -one[1] : 180 - one[1];
    other[2] = one[2] + 180;
    double cost = unwind(one, angles, kept);
    double other_cost = unwind(other, angles, kept);
    memcpy(angles, cost <= other_cost ? one : other, sizeof one);
}
