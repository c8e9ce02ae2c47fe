// The motion of a part: where the skin that holds it went, and the rotation that comes nearest to what the effects did
// to it. The rotation is that of a polar decomposition of sum (b - b0)(a - a0)^T over a few vertices (a before the
// effects, b after them), found by turning towards it step by step (Mueller et al., "A robust method to extract the
// rotational part of deformations", 2016) from the rotation of what carries the part: unlike a decomposition by
// singular values it depends continuously on the vertices even where effects flatten or invert them, so nothing pops.
#include "base/math.h"
#include "base/pairs.h"
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
static const double newton_last = 1e-5;  // rad: what a step of this length leaves is its square
static const double stiffness = 0.02;    // how much a part holds on to its carrier's rotation: thin ones spin freely

// --- a few vertices ---

// With room for weights; NULL: they are 1.
static void open_points(const uint32_t* vertices, uint32_t count, const float* weights, limberi_rigid_points* p) {
    p->vertices = vertices;
    p->count = count;
    p->width = (count + 3) & ~3u;
    for (uint32_t i = 0; i < count; i++)
        p->weights[i] = weights ? weights[i] : 1;
    for (uint32_t i = count; i < p->width; i++)
        p->weights[i] = p->at[0][i] = p->at[1][i] = p->at[2][i] = p->way[0][i] = p->way[1][i] = p->way[2][i] = 0;
}

static void read_places(const limberi_rigid_frame* f, limberi_rigid_points* p) {
    for (uint32_t i = 0; i < p->count; i++)
        for (size_t c = 0; c < 3; c++)
            p->at[c][i] = f->skinned[3 * (size_t)p->vertices[i] + c];
}

static void read_ways(const limberi_rigid_frame* f, limberi_rigid_points* p) {
    for (uint32_t i = 0; i < p->count; i++)
        for (size_t c = 0; c < 3; c++)
            p->way[c][i] = f->deformed[3 * (size_t)p->vertices[i] + c] - p->at[c][i];
    if (f->field)
        f->field(f->user, p);
}

// Of places, or of ways: then it is exactly 0 where nothing moves.
static void mean_of(const limberi_rigid_points* p, bool ways, double* out) {
    double sum = 0;
    memset(out, 0, 3 * sizeof *out);
    for (uint32_t i = 0; i < p->count; i++) {
        double weight = (double)p->weights[i];
        sum += weight;
        for (int c = 0; c < 3; c++)
            out[c] += weight * (double)(ways ? p->way[c][i] : p->at[c][i]);
    }
    for (int c = 0; c < 3; c++)
        out[c] /= sum;
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
static void turn_towards(const double* m, double* q) {
    for (int step = 0; step < STEPS; step++) {
        double r[9], axis[3], vector[3], turn[4], next[4];
        matrix_of(q, r);
        double along = slope(r, m, axis);
        double across = limberi_length3(axis);
        if (!(across > 1e-9 * fabs(along)))
            return;
        bool newton = newton_step(r, m, along, axis, vector);
        if (newton)
            limberi_turn_exp(vector, 1, turn);
        else
            limberi_turn_exp(axis, atan2(across, fabs(along)) / across, turn);
        limberi_turn_mul(turn, q, next);
        double length = sqrt(next[0] * next[0] + next[1] * next[1] + next[2] * next[2] + next[3] * next[3]);
        for (int i = 0; i < 4; i++)
            q[i] = length > 1e-12 ? next[i] / length : i == 3;
        if (newton && vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2] < newton_last * newton_last)
            return;
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
    if (kept >= rotation_left[1] * spread && fabs(relative[3]) > cos(0.5 * flip_start)) // all of it counts
        return;
    limberi_turn_log(relative, vector);
    double angle = limberi_length3(vector);
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

// The pivot itself went by `move`. Where nothing moves, both matrices are the same to the bit. In double precision: thin
// parts leave little of the sums to turn by.
static moments moments_of(const limberi_rigid_points* p, const double* pivot, const double* move) {
    limberi_pair m[9], c[9];
    for (int i = 0; i < 9; i++)
        m[i] = c[i] = limberi_pair_all(0);
    for (uint32_t v = 0; v < p->width; v += 2) {
        limberi_pair a[3], b[3];
        limberi_pair weight = limberi_pair_load(p->weights + v, p->weights + v + 1);
        for (int i = 0; i < 3; i++) {
            const float* at = p->at[i] + v;
            const float* way = p->way[i] + v;
            a[i] = limberi_pair_load(at, at + 1) - limberi_pair_all(pivot[i]);
            b[i] = a[i] + (limberi_pair_load(way, way + 1) - limberi_pair_all(move[i]));
        }
        for (int i = 0; i < 9; i++) {
            m[i] += weight * (b[i % 3] * a[i / 3]);
            if (i % 3 <= i / 3)
                c[i] += weight * (a[i % 3] * a[i / 3]);
        }
    }
    moments sums;
    for (int i = 0; i < 9; i++) {
        int same = i % 3 <= i / 3 ? i : 3 * (i % 3) + i / 3;
        sums.m[i] = m[i][0] + m[i][1];
        sums.c[i] = c[same][0] + c[same][1];
    }
    sums.spread = sums.c[0] + sums.c[4] + sums.c[8];
    return sums;
}

// The rotation in what the effects did; q comes in as the rotation that there would be without any.
static void fit_rotation(const moments* sums, double* q) {
    double start[4], stiff[9], r[9];
    if (!(sums->spread > 0))
        return;
    memcpy(start, q, sizeof start);
    matrix_of(q, r);
    for (int c = 0; c < 9; c++)
        stiff[c] = sums->m[c] + stiffness * sums->spread * r[c];
    turn_towards(stiff, q);
    fade(sums->m, sums->spread, start, q);
}

// --- how a mass is squashed (S19) ---

static const double small_strain = 0.03; // less would not be seen ...
static const double small_share = 0.85;  // ... and is shown larger by this
static const double max_strain = 0.1655; // 18 %
static const double min_stretch = 0.2;   // what is flattened more than that counts as this
static const double rod_strain = 0.012;
static const double unsquashed = 0.02;  // weight of no squash, for flat parts ...
static const double unstretched = 1e-3; // ... and for spikes, which are thin

// exp(values) along the axes (rows).
static void exponential_of(const double* axes, const double* values, double* out) {
    memset(out, 0, 9 * sizeof *out);
    for (int k = 0; k < 9; k += 3) {
        double grown = exp(values[k / 3]);
        for (int i = 0; i < 9; i++)
            out[i] += axes[k + i / 3] * axes[k + i % 3] * grown;
    }
}

static void product(const double* a, const double* b, double* out) { // columns
    for (int i = 0; i < 9; i++)
        out[i] = a[i % 3] * b[i - i % 3] + a[3 + i % 3] * b[i - i % 3 + 1] + a[6 + i % 3] * b[i - i % 3 + 2];
}

// turn^-1 b a^T (a a^T)^-1: what is left of the effects when the rotation is taken out. `flat` weighs none of it, for parts
// that have no extent some way. False: the part has none at all.
static bool left_of(const moments* sums, const double* turn, double flat, double* left) {
    double r[9], back[9], rest[9];
    double lower[9];
    double hold = flat * sums->spread;
    matrix_of(turn, r);
    for (int i = 0; i < 9; i++) {
        back[i] = r[3 * (i % 3) + i / 3];
        lower[i] = sums->c[i] + (i % 4 == 0 ? hold : 0);
    }
    product(back, sums->m, rest);
    for (int i = 0; i < 9; i += 4)
        rest[i] += hold;
    for (int i = 0; i < 9; i++) // right-hand sides are rows
        left[i] = rest[3 * (i % 3) + i / 3];
    limberi_lower whole = {3, lower, NULL, NULL};
    if (!limberi_cholesky(&whole))
        return false;
    limberi_cholesky_solve(&whole, 3, left);
    return true;
}

// Its symmetric part.
static bool stretch_of(const moments* sums, const double* turn, double* s) {
    double left[9];
    if (!left_of(sums, turn, unsquashed, left))
        return false;
    for (int i = 0; i < 9; i++)
        s[i] = 0.5 * (left[i] + left[3 * (i % 3) + i / 3]);
    return true;
}

static double shown_strain(double strain) {
    return max_strain * tanh(strain / max_strain) + small_strain * tanh(small_share * strain / small_strain);
}

// The logarithm of that: no change of volume, its share, within bounds. Leaves it along its axes (rows), too.
static void limit_strain(double* s, double part, double* axes, double* values) {
    double mean = 0;
    limberi_eigen_three(s, axes, values);
    for (int i = 0; i < 3; i++) {
        values[i] = log(fmax(values[i], min_stretch));
        mean += values[i] / 3;
    }
    for (int i = 0; i < 3; i++)
        values[i] = part * shown_strain(values[i] - mean);
    mean = (values[0] + values[1] + values[2]) / 3;
    double largest = max_strain;
    for (int i = 0; i < 3; i++) {
        values[i] -= mean;
        largest = fabs(values[i]) > largest ? fabs(values[i]) : largest;
    }
    memset(s, 0, 9 * sizeof *s);
    for (int k = 0; k < 3; k++) {
        values[k] *= max_strain / largest;
        for (int i = 0; i < 9; i++)
            s[i] += axes[3 * k + i / 3] * axes[3 * k + i % 3] * values[k];
    }
}

// What a strain does along a rod, and across it, which turns the ends of thick ones.
typedef struct rod_change {
    double along, across[3];
} rod_change;

static rod_change change_of(const double* strain, const double* axis) {
    rod_change c = {0, {0, 0, 0}};
    for (int i = 0; i < 9; i++)
        c.across[i / 3] += strain[i] * axis[i % 3];
    for (int i = 0; i < 3; i++)
        c.along += c.across[i] * axis[i];
    for (int i = 0; i < 3; i++)
        c.across[i] -= c.along * axis[i];
    return c;
}

// Slender islands keep their length: the strain along each is taken out, and what others then still have is scaled down.
static void spare_rods(const limberi_rigid_body* body, const limberi_rigid_frame* f, double* strain) {
    double axes[LIMBERI_RIGID_RODS][3];
    double left = 0;
    for (uint32_t k = 0; k < body->rod_count; k++) {
        double* axis = axes[k];
        double size = 0;
        for (size_t c = 0; c < 3; c++) {
            axis[c] = (double)f->skinned[3 * (size_t)body->rods[k][1] + c] -
                      (double)f->skinned[3 * (size_t)body->rods[k][0] + c];
            size += axis[c] * axis[c];
        }
        for (int c = 0; c < 3; c++)
            axis[c] /= sqrt(fmax(size, 1e-30));
        rod_change now = change_of(strain, axis);
        for (int i = 0; i < 9; i++) {
            strain[i] -= now.along * (1.5 * axis[i / 3] * axis[i % 3] - (i % 4 == 0 ? 0.5 : 0));
            strain[i] -= now.across[i / 3] * axis[i % 3] + axis[i / 3] * now.across[i % 3];
        }
    }
    for (uint32_t k = 0; k < body->rod_count; k++) {
        rod_change now = change_of(strain, axes[k]);
        double turned =
            sqrt(now.across[0] * now.across[0] + now.across[1] * now.across[1] + now.across[2] * now.across[2]);
        left = fmax(left, fabs(now.along) + 2 * (double)body->rod_widths[k] * turned);
    }
    for (int i = 0; left > rod_strain && i < 9; i++)
        strain[i] *= rod_strain / left;
}

static const double spike_strain[2] = {0.08, 0.2};

// A spike keeps its shape in what the body does all the time, and goes with its skin where that is deformed much: it would
// come out of it.
static void stretch_spike(const moments* sums, double part, limberi_rigid_motion* m) {
    double left[9];
    double square = 0;
    if (!(sums->spread > 0) || !left_of(sums, m->field_turn, unstretched, left))
        return;
    for (int i = 0; i < 9; i++) {
        double change = 0.5 * (left[i] + left[3 * (i % 3) + i / 3]) - (i % 4 == 0);
        square += change * change;
    }
    part *= limberi_smooth_step(spike_strain[0], spike_strain[1], sqrt(square));
    for (int i = 0; i < 9; i++) // left has rows
        m->stretch[i] += part * (left[3 * (i % 3) + i / 3] - (i % 4 == 0));
}

// A part that is round takes its share of the squash.
static void squash(const limberi_rigid_body* body, const limberi_rigid_frame* f, const moments* sums, double part,
                   limberi_rigid_motion* m) {
    double strain[9], axes[9], values[3];
    for (int i = 0; i < 9; i++)
        m->stretch[i] = i % 4 == 0;
    if (body->spike)
        stretch_spike(sums, part, m);
    if (!body->mass || !(sums->spread > 0) || !stretch_of(sums, m->field_turn, strain))
        return;
    limit_strain(strain, part, axes, values);
    if (body->rod_count) {
        spare_rods(body, f, strain);
        limberi_eigen_three(strain, axes, values);
    }
    exponential_of(axes, values, m->stretch);
}

// --- one part ---

// Rotation vectors up to 3/4 of the limit pass; longer ones approach it, with a continuous slope.
static void limit_turn(double max_turn, double* vector) {
    double angle = limberi_length3(vector);
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
static moments turn_of_skin(const limberi_rigid_points* skin, const double* middle, const double* move, double* turn) {
    moments sums = moments_of(skin, middle, move);
    identity(turn);
    fit_rotation(&sums, turn);
    return sums;
}

// Lets the floor change the displacement of the skin that holds a part. False: it did not. Most parts are far from it.
static bool settle(const limberi_rigid_frame* f, limberi_rigid_points* skin) {
    float before[3][LIMBERI_RIGID_POINTS];
    bool changed = false;
    if (!f->planted || !f->settled)
        return false;
    memcpy(before, skin->way, sizeof before);
    f->settled(f->user, skin);
    for (int c = 0; c < 3; c++)
        for (uint32_t i = 0; i < skin->count; i++)
            changed = changed || before[c][i] != skin->way[c][i];
    return changed;
}

// `sums` are of the skin about its middle, as the effects have it.
static void hold_by_skin(const limberi_rigid_body* body, const limberi_rigid_frame* f, float planted,
                         const limberi_rigid_points* skin, limberi_rigid_motion* m, moments* sums, double* base) {
    limberi_rigid_points settled = *skin;
    double middle[3];
    mean_of(skin, false, middle);
    if (body->touched)
        memcpy(m->pivot, middle, sizeof middle);
    mean_of(skin, true, m->field_move);
    *sums = turn_of_skin(skin, middle, m->field_move, m->field_turn);
    memcpy(m->move, m->field_move, sizeof m->move);
    memcpy(base, m->field_turn, sizeof m->field_turn);
    if (settle(f, &settled)) {
        mean_of(&settled, true, m->move);
        turn_of_skin(&settled, middle, m->move, base);
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

// What a part is read from: vertices of the skin that holds it, and its own. Those of a rider have no ways.
typedef struct body_points {
    limberi_rigid_points skin, own;
} body_points;

static void read_points(const limberi_rigid_body* body, const limberi_rigid_frame* f, body_points* out) {
    open_points(body->touches, body->touch_count, body->rider ? body->weights : NULL, &out->skin);
    read_places(f, &out->skin);
    if (body->touch_count)
        read_ways(f, &out->skin);
    open_points(body->anchors, body->anchor_count, NULL, &out->own);
    read_places(f, &out->own);
    if (!body->rider || !body->touch_count)
        read_ways(f, &out->own);
    if (body->spike)
        settle(f, &out->own);
}

// Where a part turns about, where that point goes, and the rotation of what holds it: as the effects have it
// (field_turn) and, for a part, with its limits (base).
static void hold(const limberi_rigid* rigid, const limberi_rigid_body* body, const limberi_rigid_frame* f,
                 float planted, const body_points* of, limberi_rigid_motion* m, moments* skin, double* base) {
    const float* joint = f->pose->world_from_joint[body->joint].m + 12;
    identity(m->field_turn);
    identity(base);
    for (int i = 0; i < 3; i++)
        m->pivot[i] = (double)joint[i];
    if (body->touch_count) {
        hold_by_skin(body, f, planted, &of->skin, m, skin, base);
    } else if (body->carrier >= 0) {
        const limberi_rigid_motion* by = &rigid->motions[body->carrier];
        carry(by, by->turn, by->move, m->pivot, m->move);
        carry(by, by->field_turn, by->field_move, m->pivot, m->field_move);
        memcpy(m->field_turn, by->field_turn, sizeof m->field_turn);
        memcpy(base, by->turn, sizeof by->turn);
    } else {
        mean_of(&of->own, false, m->pivot);
        mean_of(&of->own, true, m->field_move);
        for (int i = 0; i < 3; i++)
            m->move[i] = m->field_move[i] * (1 - (double)planted);
    }
}

// --- the floor ---

static const double floor_slack = 1e-4; // in scales
static const double soft_depth = 0.05;  // in scales: a part that would sink that deep turns half as much
static const double tip_lever = 0.1;    // in scales: what is this far from the pivot is half tipped up, half lifted
static const double max_tip = 0.35;     // radians

static void turned_by(const double* vector, double part, const double* base, double* out) {
    double turn[4];
    limberi_turn_exp(vector, part, turn);
    limberi_turn_mul(turn, base, out);
}

// How much higher each point of a part must come, and where it is from the part's pivot. Returns the most.
static double needs_of(const limberi_rigid_points* own, const limberi_rigid_motion* m, double limit, double* needs,
                       double (*away)[3]) {
    double r[9], whole[9];
    double most = -INFINITY;
    matrix_of(m->turn, r);
    product(r, m->stretch, whole);
    for (uint32_t i = 0; i < own->count; i++) {
        memset(away[i], 0, sizeof away[i]);
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                away[i][k] += whole[3 * c + k] * ((double)own->at[c][i] - m->pivot[c]);
        needs[i] = limit - (m->pivot[1] + m->move[1] + away[i][1]);
        most = needs[i] > most ? needs[i] : most;
    }
    return most;
}

// Tips a part up about its pivot, least squares over the points that must come higher: a hand with a staff stays in its
// sleeve. Points near the pivot are left to lifting. `part`: of the tip that would fit, what is taken.
static void tip_up(const limberi_rigid_points* own, double part, double lever, double limit, limberi_rigid_motion* m) {
    double needs[LIMBERI_RIGID_POINTS], away[LIMBERI_RIGID_POINTS][3];
    double xx = 0, xz = 0, zz = 0, x = 0, z = 0;
    needs_of(own, m, limit, needs, away);
    for (uint32_t i = 0; i < own->count; i++) {
        double need = needs[i] > 0 ? needs[i] : 0;
        double up_x = -away[i][2]; // how a turn about x lifts it
        double up_z = away[i][0];
        xx += need * (up_x * up_x + lever * lever);
        zz += need * (up_z * up_z + lever * lever);
        xz += need * up_x * up_z;
        x += need * need * up_x;
        z += need * need * up_z;
    }
    double det = xx * zz - xz * xz;
    if (!(det > 0))
        return;
    double vector[3] = {(x * zz - z * xz) / det, 0, (z * xx - x * xz) / det};
    limit_turn(max_tip, vector);
    turned_by(vector, part, m->turn, m->turn);
}

// Keeps a part from turning or sinking into the ground: the deeper it would sink, the less it turns; then it is lifted.
// (The largest turn that fits would be discontinuous.)
static void keep_above(const limberi_rigid_body* body, const limberi_rigid_frame* f, float planted,
                       const limberi_rigid_points* own, const double* vector, const double* base,
                       limberi_rigid_motion* m) {
    double limit = (double)f->ground[body->joint];
    for (uint32_t i = 0; !f->edited && i < own->count; i++)
        limit = (double)own->at[1][i] < limit ? (double)own->at[1][i] : limit;
    limit -= f->edited ? (double)f->depth : floor_slack * (double)f->scale;
    double needs[LIMBERI_RIGID_POINTS], away[LIMBERI_RIGID_POINTS][3];
    double sinks = needs_of(own, m, limit, needs, away);
    if (!(sinks > 0))
        return;
    turned_by(vector, 1 / (1 + sinks / (soft_depth * (double)f->scale)), base, m->turn);
    tip_up(own, 1 - (double)planted, tip_lever * (double)f->scale, limit, m);
    m->move[1] += fmax(0, needs_of(own, m, limit, needs, away));
}

static void keep_matrices(const double* whole, limberi_rigid_motion* m) {
    double cofactors[9];
    memcpy(m->whole, whole, sizeof m->whole);
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

void limberi_rigid_swing_motion(const limberi_rigid_motion* by, const double* at, const double* turn,
                                const double* push, limberi_rigid_motion* out) {
    double r[9], swung[9], away[3];
    const double* whole = by->whole;
    matrix_of(turn, r);
    product(whole, r, swung);
    for (int i = 0; i < 3; i++)
        away[i] = at[i] + push[i] - by->pivot[i];
    for (int i = 0; i < 3; i++) {
        double carried = whole[i] * away[0] + whole[3 + i] * away[1] + whole[6 + i] * away[2];
        out->pivot[i] = at[i];
        out->move[i] = carried - (at[i] - by->pivot[i]) + by->move[i];
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
    float planted = f->planted && !body->spike ? f->planted[index] : 0;
    double base[4], before[4], back[4], relative[4], vector[3];
    if (body->copies) {
        *m = rigid->motions[body->carrier];
        return;
    }
    body_points of;
    moments sums;
    read_points(body, f, &of);
    hold(rigid, body, f, planted, &of, m, &sums, base);
    memcpy(before, m->field_turn, sizeof before);
    if (!body->rider || !body->touched || !body->touch_count) // else they are those of the skin about its middle
        sums = moments_of(body->rider ? &of.skin : &of.own, m->pivot, m->field_move);
    fit_rotation(&sums, m->field_turn);
    squash(body, f, &sums, 1 - (double)planted, m);
    limberi_turn_inverse(before, back);
    limberi_turn_mul(m->field_turn, back, relative);
    limberi_turn_log(relative, vector);
    if (!body->spike)
        limit_turn(body->touch_count ? held_turn : carried_turn, vector);
    for (int i = 0; i < 3; i++)
        vector[i] *= body->rider || body->appendage ? 0 : 1 - (double)planted;
    turned_by(vector, 1, base, m->turn);
    if (f->planted)
        keep_above(body, f, planted, &of.own, vector, base, m);
    double turned[9], whole[9];
    matrix_of(m->turn, turned);
    product(turned, m->stretch, whole);
    keep_matrices(whole, m);
}

// --- motions as numbers: the matrix minus the identity, and where the origin of the joint goes ---

void limberi_rigid_recall_body(const limberi_rigid* rigid, uint32_t index, const limber_pose* pose,
                               const float* stored) {
    const limberi_rigid_body* body = &rigid->parts->bodies[index];
    limberi_rigid_motion* m = &rigid->motions[index];
    const float* joint = pose->world_from_joint[body->joint].m + 12;
    double whole[9];
    for (int i = 0; i < 9; i++)
        whole[i] = (double)stored[i] + (i % 4 == 0);
    for (int i = 0; i < 3; i++) {
        m->pivot[i] = (double)joint[i];
        m->move[i] = (double)stored[9 + i];
    }
    keep_matrices(whole, m);
}

void limberi_rigid_store(const limberi_rigid* rigid, const limber_pose* pose, float* numbers) {
    for (uint32_t b = 0; b < rigid->parts->count; b++, numbers += LIMBERI_RIGID_NUMBERS) {
        const limberi_rigid_motion* m = &rigid->motions[b];
        const float* joint = pose->world_from_joint[rigid->parts->bodies[b].joint].m + 12;
        memcpy(numbers, m->matrix, sizeof m->matrix);
        for (int i = 0; i < 3; i++) {
            double move = m->move[i];
            for (int c = 0; c < 3; c++)
                move += (double)m->matrix[3 * c + i] * ((double)joint[c] - m->pivot[c]);
            numbers[9 + i] = (float)move;
        }
    }
}

static float worst_anchor(const limberi_rigid_body* body, const limber_pose* pose, const float* skinned, const float* a,
                          const float* b) {
    const float* joint = pose->world_from_joint[body->joint].m + 12;
    float worst = 0;
    for (uint32_t i = 0; i < body->anchor_count; i++) {
        const float* at = skinned + 3 * (size_t)body->anchors[i];
        float square = 0;
        for (int c = 0; c < 3; c++) {
            float way = a[9 + c] - b[9 + c];
            for (int k = 0; k < 3; k++)
                way += (a[3 * k + c] - b[3 * k + c]) * (at[k] - joint[k]);
            square += way * way;
        }
        worst = square > worst ? square : worst;
    }
    return sqrtf(worst);
}

float limberi_rigid_compare(const limberi_rigid* rigid, const limber_pose* pose, const float* skinned, const float* a,
                            const float* b) {
    float worst = 0;
    for (uint32_t i = 0; i < rigid->parts->count; i++) {
        size_t at = (size_t)LIMBERI_RIGID_NUMBERS * i;
        float off = worst_anchor(&rigid->parts->bodies[i], pose, skinned, a + at, b + at);
        worst = off > worst ? off : worst;
    }
    return worst;
}

// The anchors of a rider only tell how low it is.
uint32_t limberi_rigid_probes(const limberi_rigid* rigid, bool moved, uint32_t* vertices) {
    uint32_t count = 0;
    for (uint32_t b = 0; b < rigid->parts->count; b++) {
        const limberi_rigid_body* body = &rigid->parts->bodies[b];
        bool still = body->rider && body->touch_count;
        uint32_t touches = moved ? body->touch_count : 0;
        uint32_t anchors = moved != still ? body->anchor_count : 0;
        if (vertices) {
            memcpy(vertices + count, body->touches, touches * sizeof *vertices);
            memcpy(vertices + count + touches, body->anchors, anchors * sizeof *vertices);
        }
        count += touches + anchors;
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
