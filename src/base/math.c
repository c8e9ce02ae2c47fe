// Vectors, quaternions and affine matrices.
#include "base/math.h"
#include "base/lanes.h"

limber_transform limber_transform_identity(void) {
    return (limber_transform){{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
}

limber_mat4 limber_mat4_identity(void) {
    return (limber_mat4){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
}

void limberi_mat4_multiply(const limber_mat4* a, const limber_mat4* b, limber_mat4* product) {
    limberi_lanes x = limberi_lanes_load(a->m);
    limberi_lanes y = limberi_lanes_load(a->m + 4);
    limberi_lanes z = limberi_lanes_load(a->m + 8);
    limberi_lanes at = limberi_lanes_load(a->m + 12);
    for (int col = 0; col < 4; col++) {
        const float* v = b->m + 4 * col;
        limberi_lanes sum = col == 3 ? at + x * v[0] : x * v[0];
        sum = sum + y * v[1] + z * v[2];
        sum[3] = col == 3 ? 1.0f : 0.0f;
        limberi_lanes_store(product->m + 4 * col, sum);
    }
}

limber_mat4 limberi_mat4_mul(const limber_mat4* a, const limber_mat4* b) {
    limber_mat4 c;
    limberi_mat4_multiply(a, b, &c);
    return c;
}

bool limberi_mat4_inverse(const limber_mat4* a, limber_mat4* inverse) {
    double x[3] = {a->m[0], a->m[1], a->m[2]};
    double y[3] = {a->m[4], a->m[5], a->m[6]};
    double z[3] = {a->m[8], a->m[9], a->m[10]};
    double yz[3] = {y[1] * z[2] - y[2] * z[1], y[2] * z[0] - y[0] * z[2], y[0] * z[1] - y[1] * z[0]};
    double zx[3] = {z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]};
    double xy[3] = {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
    double det = x[0] * yz[0] + x[1] * yz[1] + x[2] * yz[2];
    double size = 0;
    for (int i = 0; i < 3; i++)
        size += fabs(x[i]) + fabs(y[i]) + fabs(z[i]);
    *inverse = limber_mat4_identity();
    // 1e-9 of the cube of the size: flatter than that and float positions carry no information across the thin side.
    if (!(fabs(det) > 1e-9 * size * size * size / 27.0) || !isfinite(det))
        return false;
    for (int i = 0; i < 3; i++) {
        inverse->m[4 * i + 0] = (float)(yz[i] / det);
        inverse->m[4 * i + 1] = (float)(zx[i] / det);
        inverse->m[4 * i + 2] = (float)(xy[i] / det);
    }
    double t[3] = {a->m[12], a->m[13], a->m[14]};
    inverse->m[12] = (float)(-(yz[0] * t[0] + yz[1] * t[1] + yz[2] * t[2]) / det);
    inverse->m[13] = (float)(-(zx[0] * t[0] + zx[1] * t[1] + zx[2] * t[2]) / det);
    inverse->m[14] = (float)(-(xy[0] * t[0] + xy[1] * t[1] + xy[2] * t[2]) / det);
    return limberi_mat4_is_finite(inverse);
}

limber_mat4 limberi_mat4_from_transform(const limber_transform* t) {
    limber_quat q = t->rotation;
    float xx = q.x * q.x;
    float yy = q.y * q.y;
    float zz = q.z * q.z;
    float xy = q.x * q.y;
    float xz = q.x * q.z;
    float yz = q.y * q.z;
    float wx = q.w * q.x;
    float wy = q.w * q.y;
    float wz = q.w * q.z;
    limber_vec3 s = t->scale;
    limber_mat4 a = {{s.x * (1 - 2 * (yy + zz)), s.x * 2 * (xy + wz), s.x * 2 * (xz - wy), 0, //
                      s.y * 2 * (xy - wz), s.y * (1 - 2 * (xx + zz)), s.y * 2 * (yz + wx), 0, //
                      s.z * 2 * (xz + wy), s.z * 2 * (yz - wx), s.z * (1 - 2 * (xx + yy)), 0, //
                      t->translation.x, t->translation.y, t->translation.z, 1}};
    return a;
}

limber_quat limberi_quat_from_rotation(const float* r) {
    float m00 = r[0];
    float m10 = r[1];
    float m20 = r[2];
    float m01 = r[3];
    float m11 = r[4];
    float m21 = r[5];
    float m02 = r[6];
    float m12 = r[7];
    float m22 = r[8];
    limber_quat q;
    float trace = m00 + m11 + m22;
    if (trace > 0) {
        float s = 2 * sqrtf(trace + 1);
        limber_quat a = {(m21 - m12) / s, (m02 - m20) / s, (m10 - m01) / s, 0.25f * s};
        q = a;
    } else if (m00 > m11 && m00 > m22) {
        float s = 2 * sqrtf(fmaxf(1 + m00 - m11 - m22, 1e-12f));
        limber_quat a = {0.25f * s, (m01 + m10) / s, (m02 + m20) / s, (m21 - m12) / s};
        q = a;
    } else if (m11 > m22) {
        float s = 2 * sqrtf(fmaxf(1 + m11 - m00 - m22, 1e-12f));
        limber_quat a = {(m01 + m10) / s, 0.25f * s, (m12 + m21) / s, (m02 - m20) / s};
        q = a;
    } else {
        float s = 2 * sqrtf(fmaxf(1 + m22 - m00 - m11, 1e-12f));
        limber_quat a = {(m02 + m20) / s, (m12 + m21) / s, 0.25f * s, (m10 - m01) / s};
        q = a;
    }
    return limberi_quat_normalize(q);
}

float limberi_mat4_decompose(const limber_mat4* a, limber_transform* t) {
    limber_vec3 c[3] = {limberi_mat4_column(a, 0), limberi_mat4_column(a, 1), limberi_mat4_column(a, 2)};
    float s[3] = {limberi_length(c[0]), limberi_length(c[1]), limberi_length(c[2])};
    if (limberi_dot(c[0], limberi_cross(c[1], c[2])) < 0)
        s[0] = -s[0];
    float r[9];
    for (int i = 0; i < 3; i++)
        limberi_store3(r + 3 * i, fabsf(s[i]) > 1e-20f ? limberi_scale(c[i], 1 / s[i]) : limberi_vec3(0, 0, 0));
    t->translation = limberi_mat4_translation(a);
    t->rotation = limberi_quat_from_rotation(r);
    t->scale = limberi_vec3(s[0], s[1], s[2]);
    limber_mat4 back = limberi_mat4_from_transform(t);
    float size = fabsf(s[0]) + fabsf(s[1]) + fabsf(s[2]);
    float off = 0;
    for (int i = 0; i < 12; i++)
        off = fmaxf(off, fabsf(back.m[i] - a->m[i]));
    return size > 0 ? off / size : 0;
}

// One step of Higham's iteration R <- (R + R^-T) / 2, which converges quadratically to the polar rotation.
static bool polar_step(double* r) {
    double c[9] = {r[4] * r[8] - r[5] * r[7], r[5] * r[6] - r[3] * r[8], r[3] * r[7] - r[4] * r[6],
                   r[7] * r[2] - r[8] * r[1], r[8] * r[0] - r[6] * r[2], r[6] * r[1] - r[7] * r[0],
                   r[1] * r[5] - r[2] * r[4], r[2] * r[3] - r[0] * r[5], r[0] * r[4] - r[1] * r[3]};
    double det = r[0] * c[0] + r[1] * c[1] + r[2] * c[2];
    double change = 0;
    if (fabs(det) < 1e-30)
        return false;
    for (int i = 0; i < 9; i++) {
        double next = 0.5 * (r[i] + c[i] / det);
        change += fabs(next - r[i]);
        r[i] = next;
    }
    return change > 1e-12;
}

// Columns at right angles and of length 1, as far as single precision goes.
static bool is_rotation(const double* d) {
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++) {
            double dot = d[3 * i] * d[3 * k] + d[3 * i + 1] * d[3 * k + 1] + d[3 * i + 2] * d[3 * k + 2];
            if (!(fabs(dot - (i == k ? 1 : 0)) < 5e-7))
                return false;
        }
    return true;
}

float limberi_mat4_rotation(const limber_mat4* a, float* r) {
    limber_vec3 x = limberi_mat4_column(a, 0);
    limber_vec3 y = limberi_mat4_column(a, 1);
    limber_vec3 z = limberi_mat4_column(a, 2);
    float sign = limberi_dot(x, limberi_cross(y, z)) < 0 ? -1.0f : 1.0f;
    double d[9] = {x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z};
    double size = 0;
    for (int i = 0; i < 9; i++)
        size += d[i] * d[i];
    size = sqrt(size / 3);
    if (!(size > 1e-20)) {
        for (int i = 0; i < 9; i++)
            r[i] = i % 4 == 0 ? 1.0f : 0.0f;
        return 1.0f;
    }
    for (int i = 0; i < 9; i++)
        d[i] *= sign / size;
    bool rigid = is_rotation(d); // as most are: rotations times one scale
    for (int step = 0; !rigid && step < 40 && polar_step(d); step++) {
    }
    for (int i = 0; i < 9; i++)
        r[i] = (float)d[i];
    return sign;
}
