// The effects over a group of vertices, LIMBERI_LANE_COUNT at a time. Formulas and papers stand with the scalar
// effects, one file each, which are the reference; here they are written for few instructions:
//   - turning effects work in the plane across the axis, where only two coordinates count;
//   - bend and angular squash share the distance from the axis;
//   - derivatives along two tangents ride along when normals are wanted.
#include "deform/lanes.h"

#include "base/lanes.h"

typedef limberi_lanes lanes;

LIMBERI_INLINED lanes all(float x) {
    return limberi_lanes_all(x);
}

LIMBERI_INLINED lanes fma_(lanes a, lanes b, lanes c) {
    return limberi_lanes_fma(a, b, c);
}

LIMBERI_INLINED void load(const limberi_block3* from, uint32_t v, lanes* p) {
    for (int c = 0; c < 3; c++)
        p[c] = limberi_lanes_load(from->v[c] + v);
}

LIMBERI_INLINED lanes along(const float* d, const lanes* p) {
    return fma_(all(d[0]), p[0], fma_(all(d[1]), p[1], all(d[2]) * p[2]));
}

LIMBERI_INLINED lanes distance(const limberi_plane* plane, const lanes* p) {
    return fma_(all(plane->d[0]), p[0], fma_(all(plane->d[1]), p[1], fma_(all(plane->d[2]), p[2], all(plane->offset))));
}

// to += sum of amount[i] * direction[i]
LIMBERI_INLINED void add_along(limberi_block3* to, uint32_t v, const float* const* direction, const lanes* amount,
                               int count) {
    for (int c = 0; c < 3; c++) {
        lanes sum = limberi_lanes_load(to->v[c] + v);
        for (int i = 0; i < count; i++)
            sum = fma_(amount[i], all(direction[i][c]), sum);
        limberi_lanes_store(to->v[c] + v, sum);
    }
}

// --- turning: bend and angular squash ---

// One step of lanes in the plane across the axis.
typedef struct turning {
    lanes a, b, distance; // coordinates across the axis
    lanes sine, versine;  // of the bend
    lanes bend_slope;     // change of the angle per distance
    lanes squashed, thinned, squash_slope, from, second;
} turning;

// The angle eases into its limit from three quarters on (limberi_limit_angle).
LIMBERI_INLINED lanes limit_angle(lanes angle, lanes limit, lanes* slope) {
    lanes size = limberi_lanes_abs(angle), knee = all(0.75f) * limit, room = all(0.25f) * limit, over = size - knee;
    limberi_mask eased = limberi_lanes_less(all(0), over) & limberi_lanes_less(all(0), limit);
    if (!limberi_lanes_any(eased))
        return angle;
    lanes share = room / limberi_lanes_select(eased, room + over, all(1));
    lanes limited = limberi_lanes_min(fma_(over, share, knee), limit);
    *slope = limberi_lanes_select(eased, *slope * share * share, *slope);
    return limberi_lanes_select(eased, limberi_lanes_sign_of(limited, angle), angle);
}

LIMBERI_INLINED void find_bend(const limberi_turn_row* row, const float* gain, const float* limit, uint32_t v,
                               turning* t) {
    t->bend_slope = limberi_lanes_load(gain + v) * all(row->bend_rate);
    lanes angle = t->bend_slope * t->distance;
    if (limit)
        angle = limit_angle(angle, limberi_lanes_load(limit + v), &t->bend_slope);
    limberi_lanes_sine_versine(angle, &t->sine, &t->versine);
}

LIMBERI_INLINED void find_squash(const limberi_turn_row* row, const float* gain, const lanes* p, uint32_t v,
                                 turning* t) {
    const lanes least = all(0.1f); // 1 + s never goes below this (S4)
    t->squash_slope = limberi_lanes_load(gain + v) * all(row->squash_rate);
    t->squashed = limberi_lanes_max(fma_(t->squash_slope, t->distance, all(1)), least);
    t->thinned = all(1) / t->squashed;
    t->from = t->a + all(row->squash_from);
    t->second = distance(&row->squash_second, p);
}

LIMBERI_INLINED void turn_displacement(const turning* t, bool bend, bool squash, lanes* d) {
    d[0] = d[1] = d[2] = all(0);
    if (bend) {
        d[0] = -fma_(t->sine, t->b, t->versine * t->a);
        d[1] = fma_(t->sine, t->a, -(t->versine * t->b));
    }
    if (squash) {
        d[0] = fma_(t->squashed - all(1), t->from, d[0]);
        d[2] = (t->thinned - all(1)) * t->second;
    }
}

// How that displacement changes along a tangent.
LIMBERI_INLINED void turn_change(const limberi_turn_row* row, const turning* t, lanes inverse, const lanes* s,
                                 bool bend, bool squash, lanes* d) {
    lanes s0 = along(row->first.d, s), s1 = along(row->second.d, s);
    lanes nearer = fma_(t->a, s0, t->b * s1) * inverse; // change of the distance
    d[0] = d[1] = d[2] = all(0);
    if (bend) {
        lanes turned = t->bend_slope * nearer, cosine = all(1) - t->versine;
        d[0] = -fma_(t->sine, s1, t->versine * s0) - turned * fma_(cosine, t->b, t->sine * t->a);
        d[1] = fma_(t->sine, s0, -(t->versine * s1)) + turned * fma_(cosine, t->a, -(t->sine * t->b));
    }
    if (squash) {
        lanes grown = t->squash_slope * nearer;
        d[0] = fma_(t->squashed - all(1), s0, fma_(grown, t->from, d[0]));
        d[2] =
            fma_(t->thinned - all(1), along(row->squash_second.d, s), -(t->thinned * t->thinned * grown * t->second));
    }
}

LIMBERI_INLINED void turn_loop(const limberi_lane_block* block, const limberi_turn_row* row, const float* weight,
                               const float* bend_gain, const float* limit, const float* squash_gain, bool bend,
                               bool squash, bool derivatives) {
    const float* const directions[3] = {row->first.d, row->second.d, row->squash_second.d};
    for (uint32_t v = 0; v < block->width; v += LIMBERI_LANE_COUNT) {
        lanes p[3], d[3], w = limberi_lanes_load(weight + v);
        turning t;
        load(block->position, v, p);
        t.a = distance(&row->first, p);
        t.b = distance(&row->second, p);
        t.distance = limberi_lanes_sqrt(fma_(t.a, t.a, t.b * t.b));
        if (bend)
            find_bend(row, bend_gain, limit, v, &t);
        if (squash)
            find_squash(row, squash_gain, p, v, &t);
        w = w * all(row->bend_share);
        turn_displacement(&t, bend, squash, d);
        for (int i = 0; i < 3; i++)
            d[i] = d[i] * w;
        add_along(block->displacement, v, directions, d, squash ? 3 : 2);
        if (!derivatives)
            continue;
        limberi_mask apart = limberi_lanes_less(all(1e-20f), t.distance);
        lanes inverse = limberi_lanes_select(apart, all(1) / limberi_lanes_select(apart, t.distance, all(1)), all(0));
        if (squash) // no change where 1 + s is held at its least
            t.squash_slope = limberi_lanes_select(limberi_lanes_less(all(0.1f), t.squashed), t.squash_slope, all(0));
        for (int k = 0; k < 2; k++) {
            lanes s[3];
            load(block->tangent[k], v, s);
            turn_change(row, &t, inverse, s, bend, squash, d);
            for (int i = 0; i < 3; i++)
                d[i] = d[i] * w;
            add_along(block->moved[k], v, directions, d, squash ? 3 : 2);
        }
    }
}

static void turn(const limberi_lane_block* block, const limberi_turn_row* row, const float* weight, const float* bend,
                 const float* limit, const float* squash) {
    bool derivatives = block->tangent[0] != NULL;
    if (bend && squash && limit && !derivatives)
        turn_loop(block, row, weight, bend, limit, squash, true, true, false);
    else if (bend && squash && !derivatives)
        turn_loop(block, row, weight, bend, NULL, squash, true, true, false);
    else if (bend && squash)
        turn_loop(block, row, weight, bend, limit, squash, true, true, true);
    else if (bend && limit && !derivatives)
        turn_loop(block, row, weight, bend, limit, NULL, true, false, false);
    else if (bend && !derivatives)
        turn_loop(block, row, weight, bend, NULL, NULL, true, false, false);
    else if (bend)
        turn_loop(block, row, weight, bend, limit, NULL, true, false, true);
    else if (squash && !derivatives)
        turn_loop(block, row, weight, NULL, NULL, squash, false, true, false);
    else if (squash)
        turn_loop(block, row, weight, NULL, NULL, squash, false, true, true);
}

// --- travelling: linear squash ---

static void travel(const limberi_lane_block* block, const limberi_travel_row* row, const float* weight,
                   const float* gain) {
    for (uint32_t v = 0; v < block->width; v += LIMBERI_LANE_COUNT) {
        lanes p[3], one = all(1), w = limberi_lanes_load(weight + v);
        lanes stretch = limberi_lanes_max(fma_(limberi_lanes_load(gain + v), all(row->rate), one), all(0.1f));
        lanes across = one / limberi_lanes_sqrt(stretch) - one, onward = stretch - one - across;
        load(block->position, v, p);
        for (int c = 0; c < 3; c++)
            p[c] = p[c] - all(row->centre[c]);
        for (int k = -1; k < 2; k++) {
            limberi_block3* to = k < 0 ? block->displacement : block->moved[k];
            if (k >= 0 && !block->tangent[k])
                break;
            if (k >= 0)
                load(block->tangent[k], v, p);
            lanes amount = onward * along(row->direction, p) * w, share = across * w;
            for (int c = 0; c < 3; c++)
                limberi_lanes_store(to->v[c] + v, fma_(amount, all(row->direction[c]),
                                                       fma_(share, p[c], limberi_lanes_load(to->v[c] + v))));
        }
    }
}

// --- spinning: quadratic stretch, lift ---

static void spin(const limberi_lane_block* block, const limberi_spin_row* row, const float* weight, const float* gain) {
    const float* const directions[2] = {row->first.d, row->second.d};
    for (uint32_t v = 0; v < block->width; v += LIMBERI_LANE_COUNT) {
        lanes p[3], d[2], scale = all(row->inverse_size * row->inverse_size);
        lanes w = limberi_lanes_load(weight + v) * limberi_lanes_load(gain + v) * all(row->rate) * scale;
        load(block->position, v, p);
        lanes a = distance(&row->first, p), b = distance(&row->second, p), h = distance(&row->axis, p);
        lanes reach = fma_(a, a, fma_(b, b, h * h));
        d[0] = w * reach * a;
        d[1] = w * reach * b;
        add_along(block->displacement, v, directions, d, 2);
        for (int k = 0; k < 2 && block->tangent[k]; k++) {
            lanes s[3];
            load(block->tangent[k], v, s);
            lanes s0 = along(row->first.d, s), s1 = along(row->second.d, s), s2 = along(row->axis.d, s);
            lanes more = all(2) * fma_(a, s0, fma_(b, s1, h * s2));
            d[0] = w * fma_(reach, s0, more * a);
            d[1] = w * fma_(reach, s1, more * b);
            add_along(block->moved[k], v, directions, d, 2);
        }
    }
}

static void lift(const limberi_lane_block* block, const limberi_spin_row* row, const float* weight, const float* gain,
                 const limberi_block3* normal) {
    for (uint32_t v = 0; v < block->width; v += LIMBERI_LANE_COUNT) {
        lanes p[3], n[3], zero = all(0);
        load(block->position, v, p);
        load(normal, v, n);
        lanes a = distance(&row->first, p), b = distance(&row->second, p);
        lanes reach = limberi_lanes_sqrt(fma_(a, a, b * b)) - all(row->base_radius);
        reach = limberi_lanes_max(reach, zero) * all(row->inverse_size);
        lanes outward = fma_(a, along(row->first.d, n), b * along(row->second.d, n));
        lanes amount = limberi_lanes_load(weight + v) * limberi_lanes_load(gain + v) * all(row->rate);
        amount = amount * reach * outward;
        for (int c = 0; c < 3; c++)
            limberi_lanes_store(block->displacement->v[c] + v,
                                fma_(amount, n[c], limberi_lanes_load(block->displacement->v[c] + v)));
    }
}

static void cone(const limberi_lane_block* block, const float* apex, const float* axis, float cosine, float sine,
                 limberi_block3* normal) {
    for (uint32_t v = 0; v < block->width; v += LIMBERI_LANE_COUNT) {
        lanes p[3], r[3], one = all(1);
        load(block->position, v, p);
        for (int c = 0; c < 3; c++)
            p[c] = p[c] - all(apex[c]);
        lanes height = along(axis, p);
        for (int c = 0; c < 3; c++)
            r[c] = fma_(-height, all(axis[c]), p[c]);
        lanes length = limberi_lanes_sqrt(fma_(r[0], r[0], fma_(r[1], r[1], r[2] * r[2])));
        limberi_mask apart = limberi_lanes_less(all(1e-20f), length);
        lanes scale = limberi_lanes_select(apart, all(cosine) / limberi_lanes_select(apart, length, one), all(0));
        for (int c = 0; c < 3; c++)
            limberi_lanes_store(normal->v[c] + v, fma_(r[c], scale, all(-sine * axis[c])));
    }
}

// --- everything that is affine in p, folded along the hierarchy ---

LIMBERI_INLINED void blend(const limberi_affine_row* row, uint32_t width, uint32_t v, int first, lanes* m) {
    for (int e = first; e < 12; e++)
        m[e] = all(0);
    for (uint32_t k = 0; k < row->slot_count; k++) {
        const float* next = row->palette + 12 * (size_t)row->joints[row->slots[k]];
        lanes weight = row->weights ? limberi_lanes_load(row->weights + k * width + v) : all(1);
        for (int e = first; e < 12; e++)
            m[e] = fma_(weight, all(next[e]), m[e]);
    }
}

LIMBERI_INLINED void transform(const lanes* m, const lanes* p, bool shift, bool shift_only, lanes* out) {
    for (int c = 0; c < 3; c++) {
        out[c] = shift ? m[9 + c] : all(0);
        if (!shift_only)
            out[c] = fma_(m[c], p[0], fma_(m[3 + c], p[1], fma_(m[6 + c], p[2], out[c])));
    }
}

LIMBERI_INLINED void add_scaled(limberi_block3* to, uint32_t v, const lanes* d, const float* gain) {
    lanes scale = gain ? limberi_lanes_load(gain + v) : all(1);
    for (int c = 0; c < 3; c++) {
        lanes sum = limberi_lanes_load(to->v[c] + v);
        limberi_lanes_store(to->v[c] + v, gain ? fma_(scale, d[c], sum) : sum + d[c]);
    }
}

LIMBERI_INLINED void affine_loop(const limberi_lane_block* block, const limberi_affine_row* row, const float* gain,
                                 bool shift_only) {
    for (uint32_t v = 0; v < block->width; v += LIMBERI_LANE_COUNT) {
        lanes m[12], p[3], d[3];
        blend(row, block->width, v, shift_only ? 9 : 0, m);
        load(block->position, v, p);
        transform(m, p, true, shift_only, d);
        add_scaled(block->displacement, v, d, gain);
        for (int k = 0; k < 2 && !shift_only && block->tangent[k]; k++) {
            load(block->tangent[k], v, p);
            transform(m, p, false, false, d);
            add_scaled(block->moved[k], v, d, gain);
        }
    }
}

static void affine(const limberi_lane_block* block, const limberi_affine_row* row, const float* gain) {
    if (row->shift_only)
        affine_loop(block, row, gain, true);
    else
        affine_loop(block, row, gain, false);
}

const limberi_deform_kernels LIMBERI_VARIANT(limberi_deform_kernels) = {turn, travel, spin, lift, affine, cone};
