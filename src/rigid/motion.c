// The motion of a part: where the skin that holds it went, and the rotation that comes nearest to what the effects did
// to it. The rotation is that of a polar decomposition of sum (b - b0)(a - a0)^T over a few vertices (a before the
// effects, b after them), found by turning towards it step by step (Mueller et al., "A robust method to extract the
// rotational part of deformations", 2016) from the rotation of what carries the part: unlike a decomposition by
// singular values it depends continuously on the vertices even where effects flatten or invert them, so nothing pops.
#include "base/math.h"
#include "base/symmetric.h"
#include "base/turns.h"
#include "rigid/rigid_private.h"

#include <string.h>

// Each step leaves less than half of the angle, except for very thin bodies; the last few, by Newton's method, leave
// nothing.
enum { STEPS = 24 };

static const double carried_turn = 40 * LIMBERI_PI / 180; // at most, relative to the part that carries it (S11)
static const double held_turn = 25 * LIMBERI_PI / 180;    // at most, relative to the skin that holds it
static const double bend_start = 0.75;                    // of that: smaller turns are not limited
static const double rotation_left[2] = {0.15, 0.6};       // in what the effects did: too little to turn, enough
static const double flip_start = 2.1;    // rad: from here to half a turn it goes back, as the axis then changes sides
static const double newton_reach = 0.35; // rad: longer steps of Newton's method may lead elsewhere
static const double stiffness = 0.02;    // how much a part holds on to its carrier's rotation: thin ones spin freely

// --- small vectors ---

// Some vertices, each with a weight; NULL: 1.
typedef struct sample {
    const uint32_t* vertices;
    const float* weights;
    uint32_t count;
} sample;

static sample anchors_of(const limberi_rigid_body* body) {
    sample some = {body->anchors, NULL, body->anchor_count};
    return some;
}

static sample touches_of(const limberi_rigid_body* body) {
    sample some = {body->touches, body->rider ? body->weights : NULL, body->touch_count};
    return some;
}

static double weight_at(sample some, uint32_t i) {
    return some.weights ? (double)some.weights[i] : 1;
}

static double sum_of_weights(sample some) {
    double sum = 0;
    for (uint32_t i = 0; i < some.count; i++)
        sum += weight_at(some, i);
    return sum;
}

static void mean_of(const float* values, sample some, double* out) {
    double sum = sum_of_weights(some);
    memset(out, 0, 3 * sizeof *out);
    for (uint32_t i = 0; i < some.count; i++)
        for (int c = 0; c < 3; c++)
            out[c] += weight_at(some, i) * (double)values[3 * (size_t)some.vertices[i] + (size_t)c] / sum;
}

typedef limber_vec3 (*displacement)(const void* user, uint32_t vertex);

// The mean of differences, so that it is exactly 0 where nothing moves.
static void mean_move(const limberi_rigid_frame* f, displacement moved, sample some, double* out) {
    double sum = sum_of_weights(some);
    memset(out, 0, 3 * sizeof *out);
    for (uint32_t i = 0; i < some.count; i++) {
        limber_vec3 d = moved(f->user, some.vertices[i]);
        out[0] += weight_at(some, i) * (double)d.x / sum;
        out[1] += weight_at(some, i) * (double)d.y / sum;
        out[2] += weight_at(some, i) * (double)d.z / sum;
    }
}

static void matrix_of(const double* q, double* r) {
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int c = 0; c < 3; c++)
        limberi_turn_rotate(q, axes[c], r + 3 * c);
}

// --- the rotation of some vertices ---

// What is left to turn: `axis` is the slope of sum r_c . m_c when r turns, `along` the sum itself.
static double slope(const double* r, const double* m, double* axis) {
    double along = 0;
    memset(axis, 0, 3 * sizeof *axis);
    for (int c = 0; c < 9; c += 3) {
        axis[0] += r[c + 1] * m[c + 2] - r[c + 2] * m[c + 1];
        axis[1] += r[c + 2] * m[c] - r[c] * m[c + 2];
        axis[2] += r[c] * m[c + 1] - r[c + 1] * m[c];
        along += r[c] * m[c] + r[c + 1] * m[c + 1] + r[c + 2] * m[c + 2];
    }
    return along;
}

// The step of Newton's method, a rotation vector: (trace I - S) x = axis with the symmetric part S of sum m_c r_c^T. False
// where the slope does not lead to a top nearby.
static bool newton_step(const double* r, const double* m, double along, const double* axis, double* x) {
    double s[9] = {0};
    for (int c = 0; c < 9; c += 3)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                s[3 * i + j] -= 0.5 * (m[c + i] * r[c + j] + m[c + j] * r[c + i]);
    for (int i = 0; i < 9; i += 4)
        s[i] += along;
    double minors[3] = {s[4] * s[8] - s[5] * s[5], s[5] * s[2] - s[1] * s[8], s[1] * s[5] - s[4] * s[2]};
    double whole = s[0] * minors[0] + s[1] * minors[1] + s[2] * minors[2];
    double scale = fabs(along);
    if (!(s[0] > 1e-3 * scale && minors[0] > 1e-6 * scale * scale && whole > 1e-9 * scale * scale * scale))
        return false;
    const double inverse[6] = {minors[0],
                               minors[1],
                               minors[2],
                               s[0] * s[8] - s[2] * s[2],
                               s[1] * s[2] - s[0] * s[5],
                               s[0] * s[4] - s[1] * s[1]};
    x[0] = (inverse[0] * axis[0] + inverse[1] * axis[1] + inverse[2] * axis[2]) / whole;
    x[1] = (inverse[1] * axis[0] + inverse[3] * axis[1] + inverse[4] * axis[2]) / whole;
    x[2] = (inverse[2] * axis[0] + inverse[4] * axis[1] + inverse[5] * axis[2]) / whole;
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2] < newton_reach * newton_reach;
}

// Turns `q` towards the rotation in `m` (columns).
static void follow(const double* m, double* q) {
    for (int step = 0; step < STEPS; step++) {
        double r[9], axis[3], vector[3], turn[4], next[4];
        matrix_of(q, r);
        double along = slope(r, m, axis);
        double across = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
        if (!(across > 1e-9 * fabs(along)))
            return;
        if (newton_step(r, m, along, axis, vector))
            limberi_turn_exp(vector, 1, turn);
        else
            limberi_turn_exp(axis, atan2(across, fabs(along)) / across, turn);
        limberi_turn_mul(turn, q, next);
        double length = sqrt(next[0] * next[0] + next[1] * next[1] + next[2] * next[2] + next[3] * next[3]);
        for (int i = 0; i < 4; i++)
            q[i] = length > 1e-12 ? next[i] / length : i == 3;
    }
}

// Where effects roll a part up, no rotation comes near to what they did, and the nearest one turns over from one moment
// to the next. It fades out before that, and so it does towards half a turn.
static void fade(const double* m, double spread, const double* start, double* q) {
    double r[9];
    double kept = 0;
    double back[4];
    double relative[4];
    double vector[3];
    double turn[4];
    matrix_of(q, r);
    for (int c = 0; c < 9; c++)
        kept += r[c] * m[c];
    limberi_turn_inverse(start, back);
    limberi_turn_mul(q, back, relative);
    limberi_turn_log(relative, vector);
    double angle = sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
    double part = limberi_smooth_step(rotation_left[0], rotation_left[1], kept / spread) *
                  (1 - limberi_smooth_step(flip_start, LIMBERI_PI, angle));
    limberi_turn_exp(vector, part, turn);
    limberi_turn_mul(turn, start, q);
}

// Sums over some vertices about a pivot: of b a^T (columns) and of a a^T.
typedef struct moments {
    double m[9], c[9];
    double spread; // of |a|^2
} moments;

// What the effects did to some vertices around a pivot that itself went by `move`; q comes in as the rotation they
// would have without any.
static moments fit(const limberi_rigid_frame* f, displacement moved, sample some, const double* pivot,
                   const double* move, double* q) {
    moments sums = {{0}, {0}, 0};
    double* m = sums.m;
    double r[9];
    for (uint32_t i = 0; i < some.count; i++) {
        double a[3], b[3];
        double weight = weight_at(some, i);
        limber_vec3 way = moved(f->user, some.vertices[i]);
        const double d[3] = {(double)way.x, (double)way.y, (double)way.z};
        for (int c = 0; c < 3; c++) {
            a[c] = (double)f->skinned[3 * (size_t)some.vertices[i] + (size_t)c] - pivot[c];
            b[c] = a[c] + (d[c] - move[c]);
            sums.spread += weight * (a[c] * a[c]);
        }
        for (int c = 0; c < 9; c++) {
            m[c] += weight * (b[c % 3] * a[c / 3]);
            sums.c[c] += weight * (a[c % 3] * a[c / 3]);
        }
    }
    if (!(sums.spread > 0))
        return sums;
    double start[4], stiff[9];
    memcpy(start, q, sizeof start);
    matrix_of(q, r);
    for (int c = 0; c < 9; c++)
        stiff[c] = m[c] + stiffness * sums.spread * r[c];
    follow(stiff, q);
    fade(m, sums.spread, start, q);
    return sums;
}

// --- how a mass is squashed (S19) ---

static const double mass_share = 0.75;   // of what the effects do to it
static const double max_strain = 0.1655; // 18 %
static const double least_stretch = 0.2; // what is flattened more than that counts as this
static const double rod_strain = 0.012;
static const double unsquashed = 0.02; // weight of no squash, for flat parts

// exp(values) along the axes (rows).
static void grow(const double* axes, const double* values, double* out) {
    memset(out, 0, 9 * sizeof *out);
    for (int k = 0; k < 9; k += 3)
        for (int i = 0; i < 9; i++)
            out[i] += axes[k + i / 3] * axes[k + i % 3] * exp(values[k / 3]);
}

static void product(const double* a, const double* b, double* out) { // columns
    for (int i = 0; i < 9; i++)
        out[i] = a[i % 3] * b[i - i % 3] + a[3 + i % 3] * b[i - i % 3 + 1] + a[6 + i % 3] * b[i - i % 3 + 2];
}

// The symmetric part of turn^-1 b a^T (a a^T)^-1: what is left of the effects when the rotation is taken out. False: the
// part has no extent.
static bool stretch_of(const moments* sums, const double* turn, double* s) {
    double r[9], back[9], rest[9];
    double lower[9];
    double hold = unsquashed * sums->spread;
    matrix_of(turn, r);
    for (int i = 0; i < 9; i++) {
        back[i] = r[3 * (i % 3) + i / 3];
        lower[i] = sums->c[i] + (i % 4 == 0 ? hold : 0);
    }
    product(back, sums->m, rest);
    for (int i = 0; i < 9; i += 4)
        rest[i] += hold;
    for (int i = 0; i < 9; i++) // right-hand sides are rows
        back[i] = rest[3 * (i % 3) + i / 3];
    if (!limberi_cholesky(lower, 3))
        return false;
    limberi_cholesky_solve(lower, 3, 3, back);
    for (int i = 0; i < 9; i++)
        s[i] = 0.5 * (back[i] + back[3 * (i % 3) + i / 3]);
    return true;
}

// The logarithm of that: no change of volume, its share, within bounds.
static void limit_strain(double* s, double part) {
    double axes[9], values[3];
    double mean = 0;
    memcpy(axes, s, sizeof axes);
    limberi_eigen_small(axes, 3, values);
    for (int i = 0; i < 3; i++) {
        values[i] = log(fmax(values[i], least_stretch));
        mean += values[i] / 3;
    }
    for (int i = 0; i < 3; i++)
        values[i] = part * max_strain * tanh(mass_share * (values[i] - mean) / max_strain);
    mean = (values[0] + values[1] + values[2]) / 3;
    memset(s, 0, 9 * sizeof *s);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 9; i++)
            s[i] += axes[3 * k + i / 3] * axes[3 * k + i % 3] * (values[k] - mean);
}

static double strain_along(const double* strain, const double* a) {
    double sum = 0;
    for (int i = 0; i < 9; i++)
        sum += a[i / 3] * strain[i] * a[i % 3];
    return sum;
}

// Slender islands keep their length: the strain along each is taken out, and what others then still have is scaled down.
static void spare_rods(const limberi_rigid_body* body, const limberi_rigid_frame* f, double* strain) {
    double axes[LIMBERI_RIGID_RODS][3];
    double left = 0;
    for (uint32_t k = 0; k < body->rod_count; k++) {
        double size = 0;
        for (size_t c = 0; c < 3; c++) {
            axes[k][c] = (double)f->skinned[3 * (size_t)body->rods[k][1] + c] -
                         (double)f->skinned[3 * (size_t)body->rods[k][0] + c];
            size += axes[k][c] * axes[k][c];
        }
        for (int c = 0; c < 3; c++)
            axes[k][c] /= sqrt(fmax(size, 1e-30));
        double along = strain_along(strain, axes[k]);
        for (int i = 0; i < 9; i++)
            strain[i] -= along * (1.5 * axes[k][i / 3] * axes[k][i % 3] - (i % 4 == 0 ? 0.5 : 0));
    }
    for (uint32_t k = 0; k < body->rod_count; k++)
        left = fmax(left, fabs(strain_along(strain, axes[k])));
    for (int i = 0; left > rod_strain && i < 9; i++)
        strain[i] *= rod_strain / left;
}

// A part that is round takes its share of the squash.
static void squash(const limberi_rigid_body* body, const limberi_rigid_frame* f, const moments* sums, double part,
                   limberi_rigid_motion* m) {
    double strain[9], values[3];
    for (int i = 0; i < 9; i++)
        m->stretch[i] = i % 4 == 0;
    if (!body->mass || !(sums->spread > 0) || !stretch_of(sums, m->field_turn, strain))
        return;
    limit_strain(strain, part);
    spare_rods(body, f, strain);
    limberi_eigen_small(strain, 3, values);
    grow(strain, values, m->stretch);
}

// --- one part ---

// Rotation vectors up to 3/4 of the limit pass; longer ones approach it, with a continuous slope.
static void limit_turn(double max_turn, double* vector) {
    double angle = sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
    double start = bend_start * max_turn;
    double room = max_turn - start;
    if (!(angle > start))
        return;
    double limited = start + room * (angle - start) / (angle - start + room);
    for (int i = 0; i < 3; i++)
        vector[i] *= limited / angle;
}

static void stretch_and_turn(const limberi_rigid_motion* m, const double* turn, const double* away, double* out) {
    double grown[3];
    for (int i = 0; i < 3; i++)
        grown[i] = m->stretch[i] * away[0] + m->stretch[3 + i] * away[1] + m->stretch[6 + i] * away[2];
    limberi_turn_rotate(turn, grown, out);
}

static void carry(const limberi_rigid_motion* by, const double* turn, const double* move, const double* place,
                  double* out) {
    double away[3], turned[3];
    for (int i = 0; i < 3; i++)
        away[i] = place[i] - by->pivot[i];
    stretch_and_turn(by, turn, away, turned);
    for (int i = 0; i < 3; i++)
        out[i] = turned[i] - away[i] + move[i];
}

static void identity(double* q) {
    memset(q, 0, 3 * sizeof *q);
    q[3] = 1;
}

// A hand that effects turn by 60 degrees takes its sword along.
static void turn_of_skin(const limberi_rigid_body* body, const limberi_rigid_frame* f, displacement moved,
                         const double* move, double* turn) {
    double middle[3];
    mean_of(f->skinned, touches_of(body), middle);
    identity(turn);
    fit(f, moved, touches_of(body), middle, move, turn);
}

// Whether the floor changes the displacement of the skin that holds the part. Most parts are far from the ground.
static bool is_on_ground(const limberi_rigid_body* body, const limberi_rigid_frame* f) {
    for (uint32_t i = 0; f->planted && i < body->touch_count; i++) {
        limber_vec3 a = f->field(f->user, body->touches[i]);
        limber_vec3 b = f->settled(f->user, body->touches[i]);
        if (a.x != b.x || a.y != b.y || a.z != b.z)
            return true;
    }
    return false;
}

static void hold_by_skin(const limberi_rigid_body* body, const limberi_rigid_frame* f, float planted,
                         limberi_rigid_motion* m, double* base) {
    if (body->touched)
        mean_of(f->skinned, touches_of(body), m->pivot);
    mean_move(f, f->field, touches_of(body), m->field_move);
    turn_of_skin(body, f, f->field, m->field_move, m->field_turn);
    memcpy(m->move, m->field_move, sizeof m->move);
    memcpy(base, m->field_turn, sizeof m->field_turn);
    if (is_on_ground(body, f)) {
        mean_move(f, f->settled, touches_of(body), m->move);
        turn_of_skin(body, f, f->settled, m->move, base);
    }
    if (planted > 0) { // a part on the ground neither moves nor turns with the skin
        double vector[3];
        double part = 1 - (double)planted;
        limberi_turn_log(base, vector);
        limberi_turn_exp(vector, part, base);
        for (int i = 0; i < 3; i++)
            m->move[i] *= part;
    }
}

// Where a part turns about, where that point goes, and the rotation of what holds it: as the effects have it
// (field_turn) and, for a part, with its limits (base).
static void hold(const limberi_rigid* rigid, const limberi_rigid_body* body, const limberi_rigid_frame* f,
                 float planted, limberi_rigid_motion* m, double* base) {
    const float* joint = f->pose->world_from_joint[body->joint].m + 12;
    identity(m->field_turn);
    identity(base);
    for (int i = 0; i < 3; i++)
        m->pivot[i] = (double)joint[i];
    if (body->touch_count) {
        hold_by_skin(body, f, planted, m, base);
    } else if (body->carrier >= 0) {
        const limberi_rigid_motion* by = &rigid->motions[body->carrier];
        carry(by, by->turn, by->move, m->pivot, m->move);
        carry(by, by->field_turn, by->field_move, m->pivot, m->field_move);
        memcpy(m->field_turn, by->field_turn, sizeof m->field_turn);
        memcpy(base, by->turn, sizeof by->turn);
    } else {
        mean_of(f->skinned, anchors_of(body), m->pivot);
        mean_move(f, f->field, anchors_of(body), m->field_move);
        for (int i = 0; i < 3; i++)
            m->move[i] = m->field_move[i] * (1 - (double)planted);
    }
}

// --- the floor ---

static const double floor_slack = 1e-4; // in scales
static const double soft_depth = 0.05;  // in scales: a part that would sink that deep turns half as much

static double lowest_after(const limberi_rigid_body* body, const limberi_rigid_frame* f, const limberi_rigid_motion* m,
                           const double* turn) {
    double low = INFINITY;
    for (uint32_t i = 0; i < body->anchor_count; i++) {
        double away[3], turned[3];
        for (int c = 0; c < 3; c++)
            away[c] = (double)f->skinned[3 * (size_t)body->anchors[i] + (size_t)c] - m->pivot[c];
        stretch_and_turn(m, turn, away, turned);
        double y = m->pivot[1] + m->move[1] + turned[1];
        low = y < low ? y : low;
    }
    return low;
}

static void turned_by(const double* vector, double part, const double* base, double* out) {
    double turn[4];
    limberi_turn_exp(vector, part, turn);
    limberi_turn_mul(turn, base, out);
}

// Keeps a part from turning or sinking into the ground: the deeper it would sink, the less it turns; then it is lifted.
// (The largest turn that fits would be discontinuous.)
static void keep_above(const limberi_rigid_body* body, const limberi_rigid_frame* f, const double* vector,
                       const double* base, limberi_rigid_motion* m) {
    double limit = (double)f->ground[body->joint];
    for (uint32_t i = 0; !f->edited && i < body->anchor_count; i++)
        limit = fmin(limit, (double)f->skinned[3 * (size_t)body->anchors[i] + 1]);
    limit -= f->edited ? (double)f->depth : floor_slack * (double)f->scale;
    double sinks = limit - lowest_after(body, f, m, m->turn);
    if (!(sinks > 0))
        return;
    turned_by(vector, 1 / (1 + sinks / (soft_depth * (double)f->scale)), base, m->turn);
    m->move[1] += fmax(0, limit - lowest_after(body, f, m, m->turn));
}

static void keep_matrices(const double* whole, limberi_rigid_motion* m) {
    double cofactors[9];
    for (int c = 0; c < 3; c++) {
        const double* x = whole + 3 * ((c + 1) % 3);
        const double* y = whole + 3 * ((c + 2) % 3);
        for (int i = 0; i < 3; i++)
            cofactors[3 * c + i] = x[(i + 1) % 3] * y[(i + 2) % 3] - x[(i + 2) % 3] * y[(i + 1) % 3];
    }
    for (int i = 0; i < 9; i++) {
        m->matrix[i] = (float)(whole[i] - (i % 4 == 0));
        m->normals[i] = (float)(cofactors[i] - (i % 4 == 0));
    }
    for (int i = 0; i < 3; i++) {
        m->pivot_f[i] = (float)m->pivot[i];
        m->move_f[i] = (float)m->move[i];
    }
}

static void whole_matrix(const limberi_rigid_motion* m, double* whole) {
    double r[9];
    matrix_of(m->turn, r);
    product(r, m->stretch, whole);
}

void limberi_rigid_swing_motion(const limberi_rigid_motion* by, const double* at, const double* turn,
                                const double* push, limberi_rigid_motion* out) {
    double whole[9], r[9], swung[9], away[3], carried[3];
    whole_matrix(by, whole);
    matrix_of(turn, r);
    product(whole, r, swung);
    for (int i = 0; i < 3; i++)
        away[i] = at[i] + push[i] - by->pivot[i];
    stretch_and_turn(by, by->turn, away, carried);
    for (int i = 0; i < 3; i++) {
        out->pivot[i] = at[i];
        out->move[i] = carried[i] - (at[i] - by->pivot[i]) + by->move[i];
    }
    keep_matrices(swung, out);
}

void limberi_rigid_moved(const limberi_rigid_motion* m, const double* from, double* to) {
    for (int i = 0; i < 3; i++)
        to[i] = from[i] + m->move[i] + (double)m->matrix[i] * from[0] + (double)m->matrix[3 + i] * from[1] +
                (double)m->matrix[6 + i] * from[2];
}

void limberi_rigid_move_body(const limberi_rigid* rigid, uint32_t index, const limberi_rigid_frame* f) {
    const limberi_rigid_body* body = &rigid->parts->bodies[index];
    limberi_rigid_motion* m = &rigid->motions[index];
    float planted = f->planted ? f->planted[index] : 0;
    double base[4], before[4], back[4], relative[4], vector[3];
    if (body->copies) {
        *m = rigid->motions[body->carrier];
        return;
    }
    hold(rigid, body, f, planted, m, base);
    memcpy(before, m->field_turn, sizeof before);
    sample shape = body->rider ? touches_of(body) : anchors_of(body);
    moments sums = fit(f, f->field, shape, m->pivot, m->field_move, m->field_turn);
    squash(body, f, &sums, 1 - (double)planted, m);
    limberi_turn_inverse(before, back);
    limberi_turn_mul(m->field_turn, back, relative);
    limberi_turn_log(relative, vector);
    limit_turn(body->touch_count ? held_turn : carried_turn, vector);
    for (int i = 0; i < 3; i++)
        vector[i] *= body->rider || body->appendage ? 0 : 1 - (double)planted;
    turned_by(vector, 1, base, m->turn);
    if (f->planted)
        keep_above(body, f, vector, base, m);
    double whole[9];
    whole_matrix(m, whole);
    keep_matrices(whole, m);
}

uint32_t limberi_rigid_probes(const limberi_rigid* rigid, uint32_t* vertices) {
    uint32_t count = 0;
    for (uint32_t b = 0; b < rigid->parts->count; b++) {
        const limberi_rigid_body* body = &rigid->parts->bodies[b];
        if (vertices) {
            memcpy(vertices + count, body->touches, body->touch_count * sizeof *vertices);
            memcpy(vertices + count + body->touch_count, body->anchors, body->anchor_count * sizeof *vertices);
        }
        count += body->touch_count + body->anchor_count;
    }
    return count;
}

// The pivot goes into the last column in double precision; without any motion all of it is 0.
void limberi_rigid_displacement(const limberi_rigid* rigid, uint32_t motion, float out[12]) {
    const limberi_rigid_motion* m = &rigid->motions[motion];
    for (int row = 0; row < 3; row++) {
        double shift = m->move[row];
        for (int c = 0; c < 3; c++) {
            out[4 * row + c] = m->matrix[3 * c + row];
            shift -= (double)m->matrix[3 * c + row] * m->pivot[c];
        }
        out[4 * row + 3] = (float)shift;
    }
}
