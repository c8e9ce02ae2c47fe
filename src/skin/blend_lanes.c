// Linear blend and dual quaternion skinning over a group of vertices that share their joints, LIMBERI_LANE_COUNT at a
// time. The scalar kernels in linear.c and dualquat.c are the reference.
#include "base/lanes.h"
#include "skin/blend_group.h"

typedef limberi_lanes lanes;

LIMBERI_INLINED lanes all(float x) {
    return limberi_lanes_all(x);
}

LIMBERI_INLINED lanes fma_(lanes a, lanes b, lanes c) {
    return limberi_lanes_fma(a, b, c);
}

LIMBERI_INLINED void store(limberi_block3* out, uint32_t v, const lanes* p) {
    for (int c = 0; c < 3; c++)
        limberi_lanes_store(out->v[c] + v, p[c]);
}

LIMBERI_INLINED void load(const float* x, const float* y, const float* z, uint32_t v, lanes* p) {
    p[0] = limberi_lanes_load(x + v);
    p[1] = limberi_lanes_load(y + v);
    p[2] = limberi_lanes_load(z + v);
}

LIMBERI_INLINED void cross(const lanes* a, const lanes* b, lanes* out) {
    out[0] = limberi_lanes_fms(a[2], b[1], a[1] * b[2]);
    out[1] = limberi_lanes_fms(a[0], b[2], a[2] * b[0]);
    out[2] = limberi_lanes_fms(a[1], b[0], a[0] * b[1]);
}

LIMBERI_INLINED lanes dot(const lanes* a, const lanes* b) {
    return fma_(a[0], b[0], fma_(a[1], b[1], a[2] * b[2]));
}

// Columns of a 3x3 matrix: its cofactors turn a normal rightly under uneven scale too.
LIMBERI_INLINED void turn_normal(const lanes* m, const lanes* n, lanes* out) {
    lanes yz[3], zx[3], xy[3];
    cross(m + 3, m + 6, yz);
    cross(m + 6, m, zx);
    cross(m, m + 3, xy);
    lanes sum[3];
    for (int c = 0; c < 3; c++)
        sum[c] = fma_(yz[c], n[0], fma_(zx[c], n[1], xy[c] * n[2]));
    limberi_mask mirrored = limberi_lanes_less(dot(m, yz), all(0));
    lanes inverse = limberi_lanes_inverse(limberi_lanes_sqrt(dot(sum, sum)));
    lanes scale = limberi_lanes_select(mirrored, -inverse, inverse);
    for (int c = 0; c < 3; c++)
        out[c] = sum[c] * scale;
}

// --- linear ---

LIMBERI_INLINED void transform(const lanes* m, const lanes* p, lanes* out) {
    for (int c = 0; c < 3; c++)
        out[c] = fma_(m[c], p[0], fma_(m[3 + c], p[1], fma_(m[6 + c], p[2], m[9 + c])));
}

LIMBERI_INLINED void add_column(lanes weight, const float* column, lanes* m) {
    limberi_four f = limberi_four_load(column);
    m[0] = fma_(weight, all(f[0]), m[0]);
    m[1] = fma_(weight, all(f[1]), m[1]);
    m[2] = fma_(weight, all(f[2]), m[2]);
}

LIMBERI_INLINED void set_column(lanes weight, const float* column, lanes* m) {
    limberi_four f = limberi_four_load(column);
    m[0] = weight * all(f[0]);
    m[1] = weight * all(f[1]);
    m[2] = weight * all(f[2]);
}

// Columns of the blended matrix, translation last.
LIMBERI_INLINED void blend(const limberi_skin_input* in, uint32_t v, lanes* m) {
    const float* matrix = in->palette[in->slots[0]].m;
    const float* weights = in->weights + v;
    lanes weight = limberi_lanes_load(weights);
    set_column(weight, matrix, m);
    set_column(weight, matrix + 4, m + 3);
    set_column(weight, matrix + 8, m + 6);
    set_column(weight, matrix + 12, m + 9);
    for (uint32_t k = 1; k < in->slot_count; k++) {
        matrix = in->palette[in->slots[k]].m;
        weights += in->width;
        weight = limberi_lanes_load(weights);
        add_column(weight, matrix, m);
        add_column(weight, matrix + 4, m + 3);
        add_column(weight, matrix + 8, m + 6);
        add_column(weight, matrix + 12, m + 9);
    }
}

LIMBERI_INLINED void move_by_matrix(const limberi_skin_input* in, uint32_t v, const lanes* m) {
    lanes p[3], out[3];
    load(in->p[0], in->p[1], in->p[2], v, p);
    transform(m, p, out);
    store(in->out, v, out);
}

LIMBERI_INLINED void turn_by_matrix(const limberi_skin_input* in, uint32_t v, const lanes* m) {
    lanes n[3], out[3];
    load(in->n[0], in->n[1], in->n[2], v, n);
    turn_normal(m, n, out);
    store(in->out_normals, v, out);
}

static void skin_rigid(const limberi_skin_input* in) {
    lanes m[12];
    for (int e = 0; e < 12; e++)
        m[e] = all(in->palette[in->slots[0]].m[e + e / 3]);
    for (uint32_t v = 0; v < in->width; v += LIMBERI_LANE_COUNT) {
        move_by_matrix(in, v, m);
        if (in->n[0])
            turn_by_matrix(in, v, m);
    }
}

// What one joint adds: matrix * (weight * p). Where products and sums are not fused this takes fewer of them than the
// blended matrix does, and positions are to be the same to the bit with and without normals.
LIMBERI_INLINED void add_moved(const float* matrix, lanes weight, const lanes* p, bool set, lanes* out) {
    limberi_four x = limberi_four_load(matrix);
    limberi_four y = limberi_four_load(matrix + 4);
    limberi_four z = limberi_four_load(matrix + 8);
    limberi_four shift = limberi_four_load(matrix + 12);
    lanes q[3] = {weight * p[0], weight * p[1], weight * p[2]};
    out[0] = set ? weight * all(shift[0]) : fma_(weight, all(shift[0]), out[0]);
    out[1] = set ? weight * all(shift[1]) : fma_(weight, all(shift[1]), out[1]);
    out[2] = set ? weight * all(shift[2]) : fma_(weight, all(shift[2]), out[2]);
    out[0] = fma_(q[2], all(z[0]), fma_(q[1], all(y[0]), fma_(q[0], all(x[0]), out[0])));
    out[1] = fma_(q[2], all(z[1]), fma_(q[1], all(y[1]), fma_(q[0], all(x[1]), out[1])));
    out[2] = fma_(q[2], all(z[2]), fma_(q[1], all(y[2]), fma_(q[0], all(x[2]), out[2])));
}

static void skin_positions(const limberi_skin_input* given) {
    const limberi_skin_input in = *given;
    for (uint32_t v = 0; v < in.width; v += 2 * LIMBERI_LANE_COUNT) {
        lanes p[2][3], out[2][3];
        const float* weights = in.weights + v;
        for (uint32_t h = 0; h < 2; h++) {
            load(in.p[0], in.p[1], in.p[2], v + h * LIMBERI_LANE_COUNT, p[h]);
            add_moved(in.palette[in.slots[0]].m, limberi_lanes_load(weights + h * LIMBERI_LANE_COUNT), p[h], true,
                      out[h]);
        }
        for (uint32_t k = 1; k < in.slot_count; k++) {
            const float* matrix = in.palette[in.slots[k]].m;
            weights += in.width;
            for (uint32_t h = 0; h < 2; h++)
                add_moved(matrix, limberi_lanes_load(weights + h * LIMBERI_LANE_COUNT), p[h], false, out[h]);
        }
        for (uint32_t h = 0; h < 2; h++)
            store(in.out, v + h * LIMBERI_LANE_COUNT, out[h]);
    }
}

static void skin_linear(const limberi_skin_input* given) {
    const limberi_skin_input in = *given;
    if (in.slot_count == 1) {
        skin_rigid(&in);
        return;
    }
    if (!LIMBERI_FUSED)
        skin_positions(&in);
    for (uint32_t v = 0; v < in.width && (LIMBERI_FUSED || in.n[0]); v += LIMBERI_LANE_COUNT) {
        lanes m[12];
        blend(&in, v, m);
        if (LIMBERI_FUSED)
            move_by_matrix(&in, v, m);
        if (in.n[0])
            turn_by_matrix(&in, v, m);
    }
}

// --- dual quaternions ---

LIMBERI_INLINED const float* real_of(const limberi_skin_input* in, uint32_t slot) {
    return (const float*)&in->dualquats[in->slots[slot]].real;
}

// The heaviest joint's quaternion: the side that counts.
LIMBERI_INLINED void find_side(const limberi_skin_input* in, uint32_t v, lanes* side) {
    lanes heaviest = all(0);
    for (int e = 0; e < 4; e++)
        side[e] = all(real_of(in, 0)[e]);
    for (uint32_t k = 0; k < in->slot_count; k++) {
        lanes weight = limberi_lanes_load(in->weights + k * in->width + v);
        limberi_mask heavier = limberi_lanes_less(heaviest, weight);
        for (int e = 0; e < 4; e++)
            side[e] = limberi_lanes_select(heavier, all(real_of(in, k)[e]), side[e]);
        heaviest = limberi_lanes_select(heavier, weight, heaviest);
    }
}

// A joint's weights, negative where its quaternion faces away from the side that counts.
LIMBERI_INLINED lanes facing_weight(const limberi_skin_input* in, uint32_t k, uint32_t v, bool antipodal,
                                    const lanes* side) {
    lanes weight = limberi_lanes_load(in->weights + k * in->width + v);
    if (!antipodal)
        return weight;
    const float* real = real_of(in, k);
    lanes facing = side[0] * all(real[0]) + side[1] * all(real[1]) + side[2] * all(real[2]) + side[3] * all(real[3]);
    return limberi_lanes_select(limberi_lanes_less(facing, all(0)), -weight, weight);
}

LIMBERI_INLINED void add_four(lanes weight, const float* from, lanes* to) {
    limberi_four f = limberi_four_load(from);
    to[0] = fma_(weight, all(f[0]), to[0]);
    to[1] = fma_(weight, all(f[1]), to[1]);
    to[2] = fma_(weight, all(f[2]), to[2]);
    to[3] = fma_(weight, all(f[3]), to[3]);
}

LIMBERI_INLINED void blend_dualquats(const limberi_skin_input* in, uint32_t v, bool antipodal, bool stretched, lanes* q,
                                     lanes* stretch) {
    lanes side[4] = {all(0), all(0), all(0), all(1)};
    if (antipodal)
        find_side(in, v, side);
    for (int e = 0; e < 8; e++)
        q[e] = all(0);
    for (uint32_t k = 0; k < in->slot_count; k++) {
        const limber_dualquat* d = &in->dualquats[in->slots[k]];
        lanes turned = facing_weight(in, k, v, antipodal, side);
        add_four(turned, (const float*)&d->real, q);
        add_four(turned, (const float*)&d->dual, q + 4);
    }
    for (int e = 0; stretched && e < 9; e++) {
        stretch[e] = all(0);
        for (uint32_t k = 0; k < in->slot_count; k++)
            stretch[e] = fma_(limberi_lanes_load(in->weights + k * in->width + v),
                              all(in->dualquats[in->slots[k]].stretch[e]), stretch[e]);
    }
}

// r x (r x v + w v): half of what a rotation by the quaternion q = (r, w), times |q|^2, adds to v.
LIMBERI_INLINED void half_turn(const lanes* q, const lanes* v, lanes* out) {
    lanes t[3];
    for (int c = 0; c < 3; c++) {
        int d = (c + 1) % 3;
        int e = (c + 2) % 3;
        t[c] = limberi_lanes_fms(q[e], v[d], fma_(q[d], v[e], q[3] * v[c]));
    }
    cross(q, t, out);
}

// Vector part of dual * conjugate(real): half of the translation, times |q|^2.
LIMBERI_INLINED void half_shift(const lanes* q, lanes* out) {
    for (int c = 0; c < 3; c++) {
        int d = (c + 1) % 3;
        int e = (c + 2) % 3;
        lanes turned = limberi_lanes_fms(q[e], q[4 + d], fma_(q[d], q[4 + e], q[3] * q[4 + c]));
        out[c] = limberi_lanes_fms(q[7], q[c], turned);
    }
}

// The blended quaternion need not be made a unit first: everything it does is in proportion to its square. Where joints
// cancel each other out nothing moves.
LIMBERI_INLINED void move_by_dualquat(const limberi_skin_input* in, uint32_t v, bool stretched, const lanes* q,
                                      const lanes* s) {
    lanes shift[3], turned[3], p[3], n[3], out[3];
    lanes square = fma_(q[0], q[0], fma_(q[1], q[1], fma_(q[2], q[2], q[3] * q[3])));
    limberi_mask enough = limberi_lanes_less(all(1e-20f), square);
    lanes twice = limberi_lanes_of_bits(enough & limberi_lanes_bits(all(2) / square));
    load(in->p[0], in->p[1], in->p[2], v, p);
    if (stretched) {
        lanes given[3] = {p[0], p[1], p[2]};
        for (int c = 0; c < 3; c++)
            p[c] = fma_(s[c], given[0], fma_(s[3 + c], given[1], s[6 + c] * given[2]));
    }
    half_turn(q, p, turned);
    half_shift(q, shift);
    for (int c = 0; c < 3; c++)
        out[c] = fma_(twice, turned[c] + shift[c], p[c]);
    store(in->out, v, out);
    if (!in->n[0])
        return;
    load(in->n[0], in->n[1], in->n[2], v, n);
    if (stretched)
        turn_normal(s, n, n);
    half_turn(q, n, turned);
    for (int c = 0; c < 3; c++)
        out[c] = fma_(twice, turned[c], n[c]);
    store(in->out_normals, v, out);
}

// Two vectors of four side by side: the one's quotient fills the gaps of the other's products.
enum { SIDE = LIMBERI_SIDE_BY_SIDE };

LIMBERI_INLINED void dualquat_loop(const limberi_skin_input* in, bool antipodal, bool stretched) {
    for (uint32_t v = 0; v < in->width; v += SIDE * LIMBERI_LANE_COUNT) {
        lanes q[SIDE][8], s[SIDE][9];
        for (uint32_t h = 0; h < SIDE; h++)
            blend_dualquats(in, v + h * LIMBERI_LANE_COUNT, antipodal, stretched, q[h], s[h]);
        for (uint32_t h = 0; h < SIDE; h++)
            move_by_dualquat(in, v + h * LIMBERI_LANE_COUNT, stretched, q[h], s[h]);
    }
}

static void skin_dualquat(const limberi_skin_input* in) {
    if (in->slot_count == 1) // one joint has nothing to blend
        skin_rigid(in);
    else if (in->antipodal || in->stretched)
        dualquat_loop(in, true, true);
    else
        dualquat_loop(in, false, false);
}

const limberi_skin_kernels LIMBERI_VARIANT(limberi_skin_kernels) = {skin_linear, skin_dualquat};
