// Vectors, quaternions and affine matrices. Every normalisation and division is guarded: degenerate input gives the
// zero vector or the identity, never NaN.
#ifndef LIMBERI_MATH_H
#define LIMBERI_MATH_H

#include <limber/base.h>
#include <math.h>

#define LIMBERI_PI 3.14159265358979323846
#define LIMBERI_SHORTEST_AXIS 1e-3f // of L: shorter offsets have no direction worth using

// 0 below `low`, 1 above `high`, and a continuous slope between them.
static inline double limberi_smooth_step(double low, double high, double x) {
    double t = fmin(fmax((x - low) / (high - low), 0), 1);
    return t * t * (3 - 2 * t);
}

static inline float limberi_clamp(float x, float low, float high) {
    x = x > low ? x : low;
    return x < high ? x : high;
}

static inline limber_vec3 limberi_vec3(float x, float y, float z) {
    limber_vec3 v = {x, y, z};
    return v;
}

static inline limber_vec3 limberi_add(limber_vec3 a, limber_vec3 b) {
    return limberi_vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline limber_vec3 limberi_sub(limber_vec3 a, limber_vec3 b) {
    return limberi_vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline limber_vec3 limberi_scale(limber_vec3 a, float s) {
    return limberi_vec3(a.x * s, a.y * s, a.z * s);
}

static inline limber_vec3 limberi_lerp(limber_vec3 a, limber_vec3 b, float t) {
    return limberi_add(a, limberi_scale(limberi_sub(b, a), t));
}

static inline float limberi_dot(limber_vec3 a, limber_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline limber_vec3 limberi_cross(limber_vec3 a, limber_vec3 b) {
    return limberi_vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline float limberi_length(limber_vec3 a) {
    return sqrtf(limberi_dot(a, a));
}

static inline bool limberi_is_zero(limber_vec3 a) {
    return a.x == 0 && a.y == 0 && a.z == 0;
}

// Zero when `a` has no direction.
static inline limber_vec3 limberi_normalize(limber_vec3 a) {
    float length = limberi_length(a);
    return length > 1e-20f ? limberi_scale(a, 1.0f / length) : limberi_vec3(0, 0, 0);
}

static inline float limberi_distance(limber_vec3 a, limber_vec3 b) {
    return limberi_length(limberi_sub(a, b));
}

// The direction of the part of `v` that is at right angles to a direction of length 1.
static inline limber_vec3 limberi_across(limber_vec3 v, limber_vec3 direction) {
    return limberi_normalize(limberi_sub(v, limberi_scale(direction, limberi_dot(v, direction))));
}

// Some direction at right angles to one of length 1.
static inline limber_vec3 limberi_any_across(limber_vec3 direction) {
    limber_vec3 other = fabsf(direction.x) < 0.6f ? limberi_vec3(1, 0, 0) : limberi_vec3(0, 1, 0);
    return limberi_normalize(limberi_cross(direction, other));
}

static inline limber_vec3 limberi_load3(const float* p) {
    return limberi_vec3(p[0], p[1], p[2]);
}

static inline void limberi_store3(float* p, limber_vec3 v) {
    p[0] = v.x;
    p[1] = v.y;
    p[2] = v.z;
}

static inline limber_quat limberi_quat_identity(void) {
    limber_quat q = {0, 0, 0, 1};
    return q;
}

static inline limber_quat limberi_quat_mul(limber_quat a, limber_quat b) {
    limber_quat q = {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
    return q;
}

static inline float limberi_quat_dot(limber_quat a, limber_quat b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static inline limber_quat limberi_quat_conj(limber_quat q) {
    limber_quat r = {-q.x, -q.y, -q.z, q.w};
    return r;
}

static inline limber_quat limberi_quat_normalize(limber_quat q) {
    float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (!(length > 1e-20f))
        return limberi_quat_identity();
    float s = 1.0f / length;
    limber_quat r = {q.x * s, q.y * s, q.z * s, q.w * s};
    return r;
}

// Turns the x axis onto a direction of length 1.
static inline limber_quat limberi_quat_x_onto(limber_vec3 axis) {
    limber_quat q = {0, -axis.z, axis.y, 1 + axis.x};
    limber_quat back = {0, 1, 0, 0};
    return axis.x > -0.9999f ? limberi_quat_normalize(q) : back;
}

static inline limber_vec3 limberi_quat_rotate(limber_quat q, limber_vec3 v) {
    limber_vec3 u = limberi_vec3(q.x, q.y, q.z);
    limber_vec3 t = limberi_scale(limberi_cross(u, v), 2.0f);
    return limberi_add(limberi_add(v, limberi_scale(t, q.w)), limberi_cross(u, t));
}

// Rotation by the angle |v| about v.
static inline limber_quat limberi_quat_exp(limber_vec3 v) {
    float angle = limberi_length(v);
    float s = angle > 1e-6f ? sinf(0.5f * angle) / angle : 0.5f - angle * angle / 48.0f;
    limber_quat q = {v.x * s, v.y * s, v.z * s, cosf(0.5f * angle)};
    return q;
}

// The columns of the matrix are three floats each.
static inline limber_vec3 limberi_mat3_vector(const float* r, limber_vec3 v) {
    return limberi_vec3(r[0] * v.x + r[3] * v.y + r[6] * v.z, r[1] * v.x + r[4] * v.y + r[7] * v.z,
                        r[2] * v.x + r[5] * v.y + r[8] * v.z);
}

static inline limber_vec3 limberi_mat4_point(const limber_mat4* a, limber_vec3 p) {
    const float* m = a->m;
    return limberi_vec3(m[0] * p.x + m[4] * p.y + m[8] * p.z + m[12], m[1] * p.x + m[5] * p.y + m[9] * p.z + m[13],
                        m[2] * p.x + m[6] * p.y + m[10] * p.z + m[14]);
}

static inline limber_vec3 limberi_mat4_vector(const limber_mat4* a, limber_vec3 v) {
    const float* m = a->m;
    return limberi_vec3(m[0] * v.x + m[4] * v.y + m[8] * v.z, m[1] * v.x + m[5] * v.y + m[9] * v.z,
                        m[2] * v.x + m[6] * v.y + m[10] * v.z);
}

static inline limber_vec3 limberi_mat4_translation(const limber_mat4* a) {
    return limberi_vec3(a->m[12], a->m[13], a->m[14]);
}

static inline limber_vec3 limberi_mat4_column(const limber_mat4* a, int c) {
    return limberi_vec3(a->m[4 * c], a->m[4 * c + 1], a->m[4 * c + 2]);
}

// Product of two affine matrices (last row 0 0 0 1); `product` may be one of them.
limber_mat4 limberi_mat4_mul(const limber_mat4* a, const limber_mat4* b);
void limberi_mat4_multiply(const limber_mat4* a, const limber_mat4* b, limber_mat4* product);

// Inverse of an affine matrix; false (and the identity) when its 3x3 part is singular relative to its size.
bool limberi_mat4_inverse(const limber_mat4* a, limber_mat4* inverse);

limber_mat4 limberi_mat4_from_transform(const limber_transform* t);

// Splits translation, rotation and scale; a mirrored matrix gets a negative x scale. Returns how much of the matrix the
// three parts cannot express (shear), as a fraction of its size.
float limberi_mat4_decompose(const limber_mat4* a, limber_transform* t);

// Rotation matrix (columns of `r`, 9 floats) to quaternion.
limber_quat limberi_quat_from_rotation(const float* r);

// The rotation nearest to the 3x3 part of `a` (polar decomposition), columns in `r`. A mirrored matrix gives the
// negative of a rotation's mirror: `r` is always a proper rotation and the return value is the sign of the determinant.
float limberi_mat4_rotation(const limber_mat4* a, float* r);

static inline bool limberi_mat4_is_finite(const limber_mat4* a) {
    for (int i = 0; i < 16; i++)
        if (!isfinite(a->m[i]))
            return false;
    return true;
}

// The sizes of the three numbers of a position, the smallest first.
static inline void limberi_position_sizes(const float* p, float* sizes) {
    float low = fabsf(p[0]);
    float middle = fabsf(p[1]);
    float high = fabsf(p[2]);
    sizes[0] = fminf(low, fminf(middle, high));
    sizes[1] = fmaxf(fminf(low, middle), fminf(fmaxf(low, middle), high));
    sizes[2] = fmaxf(low, fmaxf(middle, high));
}

static inline int limberi_compare_sizes(const float* a, const float* b) {
    int order = 0;
    for (int i = 0; !order && i < 3; i++)
        order = (a[i] > b[i]) - (a[i] < b[i]);
    return order;
}

// An order of positions in a mesh that is the same where other programs have swapped or turned the axes (Blender has Z
// up): by the sizes of the three numbers, smallest first. Mirrored ones are alike.
static inline int limberi_compare_positions(const float* a, const float* b) {
    float sizes[2][3];
    limberi_position_sizes(a, sizes[0]);
    limberi_position_sizes(b, sizes[1]);
    return limberi_compare_sizes(sizes[0], sizes[1]);
}

#endif
