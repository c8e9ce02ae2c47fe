// Rotations in double precision: unit quaternions x, y, z, w and rotation vectors.
#ifndef LIMBERI_TURNS_H
#define LIMBERI_TURNS_H

#include <limber/base.h>
#include <math.h>

// a b; `out` is neither of them.
static inline void limberi_turn_mul(const double* a, const double* b, double* out) {
    out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    out[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    out[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

static inline void limberi_turn_inverse(const double* q, double* out) {
    for (int i = 0; i < 3; i++)
        out[i] = -q[i];
    out[3] = q[3];
}

// The rotation vector, the short way; at most pi long.
static inline void limberi_turn_log(const double* q, double* vector) {
    double sine = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    double scale = sine > 1e-12 ? 2 * atan2(sine, fabs(q[3])) / sine : 2;
    for (int i = 0; i < 3; i++)
        vector[i] = q[3] < 0 ? -scale * q[i] : scale * q[i];
}

// Rotation by `part` of a rotation vector.
static inline void limberi_turn_exp(const double* vector, double part, double* q) {
    double square = vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2];
    double u = 0.25 * part * part * square;
    double scale = 0.5 * part; // u: half the angle, squared
    if (u < 0.01) {            // series to the last bits of a double
        scale *= 1 - u * (1 / 6.0 - u * (1 / 120.0 - u * (1 / 5040.0 - u / 362880.0)));
        q[3] = 1 - u * (1 / 2.0 - u * (1 / 24.0 - u * (1 / 720.0 - u * (1 / 40320.0 - u / 3628800.0))));
    } else {
        double half = sqrt(u);
        scale *= sin(half) / half;
        q[3] = cos(half);
    }
    for (int i = 0; i < 3; i++)
        q[i] = scale * vector[i];
}

static inline void limberi_turn_rotate(const double* q, const double* v, double* out) {
    double t[3] = {2 * (q[1] * v[2] - q[2] * v[1]), 2 * (q[2] * v[0] - q[0] * v[2]), 2 * (q[0] * v[1] - q[1] * v[0])};
    double x = v[0] + q[3] * t[0] + q[1] * t[2] - q[2] * t[1];
    double y = v[1] + q[3] * t[1] + q[2] * t[0] - q[0] * t[2];
    out[2] = v[2] + q[3] * t[2] + q[0] * t[1] - q[1] * t[0];
    out[0] = x;
    out[1] = y;
}

// The shortest rotation from one direction to another; none when they are opposite or one of them has no length.
static inline void limberi_turn_onto(const double* from, const double* to, double* q) {
    double sizes = sqrt((from[0] * from[0] + from[1] * from[1] + from[2] * from[2]) *
                        (to[0] * to[0] + to[1] * to[1] + to[2] * to[2]));
    q[0] = from[1] * to[2] - from[2] * to[1];
    q[1] = from[2] * to[0] - from[0] * to[2];
    q[2] = from[0] * to[1] - from[1] * to[0];
    q[3] = sizes + from[0] * to[0] + from[1] * to[1] + from[2] * to[2];
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    bool clear = sizes > 0 && length > 1e-9 * sizes;
    for (int i = 0; i < 4; i++)
        q[i] = clear ? q[i] / length : i == 3;
}

static inline double limberi_dot3(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double limberi_length3(const double* v) {
    return sqrt(limberi_dot3(v, v));
}

static inline double limberi_distance3(const double* a, const double* b) {
    double way[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return limberi_length3(way);
}

static inline double limberi_dot4(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

// `out` is neither of them.
static inline void limberi_cross3(const double* a, const double* b, double* out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void limberi_turn_of_transform(const limber_transform* t, double* turn) {
    turn[0] = (double)t->rotation.x;
    turn[1] = (double)t->rotation.y;
    turn[2] = (double)t->rotation.z;
    turn[3] = (double)t->rotation.w;
}

#endif
