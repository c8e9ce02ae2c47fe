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

LIMBERI_INLINED lanes get(const float* from, uint32_t v) {
    return limberi_lanes_load(from + v);
}

// --- turning: bend and angular squash ---
//
// All joints that turn, one after the other, over a few vertices whose sums stay in registers. Two vectors of four go
// side by side, so that one's square roots and polynomials fill the gaps of the other's.

enum { SIDE = LIMBERI_SIDE_BY_SIDE };

// What is known of some vertices for all joints, and summed up.
typedef struct turning {
    lanes p[3], d[3];
    lanes tangent[2][3], moved[2][3];
    lanes bend, limit, squash; // gains
    // for the joint at hand
    lanes a, b, distance, angle, slope, sine, versine, grown, inverse, second, weight;
} turning;

// Angles ease into their limit from three quarters on (limberi_limit_angle).
LIMBERI_INLINED void limit_angle(turning* t) {
    lanes knee = all(0.75f) * t->limit, room = all(0.25f) * t->limit, past = limberi_lanes_abs(t->angle) - knee;
    limberi_mask eased = limberi_lanes_less(all(0), past) & limberi_lanes_less(all(0), t->limit);
    lanes share = room / limberi_lanes_select(eased, room + past, all(1));
    lanes angle = limberi_lanes_min(fma_(past, share, knee), t->limit);
    t->angle = limberi_lanes_select(eased, limberi_lanes_sign_of(angle, t->angle), t->angle);
    t->slope = limberi_lanes_select(eased, t->slope * share * share, t->slope);
}

LIMBERI_INLINED void find_bend(turning* t, const limberi_turn_row* row, bool varies, limberi_turn_reach reach) {
    t->slope = varies ? t->bend * all(row->bend_rate) : all(row->bend_rate);
    t->angle = t->slope * t->distance;
    if (reach == LIMBERI_TURN_WIDE) {
        limit_angle(t);
        limberi_lanes_sine_versine(limberi_lanes_within_turn(t->angle), &t->sine, &t->versine);
    } else if (reach == LIMBERI_TURN_SMALL) {
        limberi_lanes_small_sine_versine(t->angle, &t->sine, &t->versine);
    } else {
        limberi_lanes_tiny_sine_versine(t->angle, &t->sine, &t->versine);
    }
}

LIMBERI_INLINED void find_squash(turning* t, const limberi_turn_row* row, bool varies) {
    lanes rate = varies ? t->squash * all(row->squash_rate) : all(row->squash_rate);
    t->grown = limberi_lanes_max(rate * t->distance, all(-0.9f)); // 1 + s never goes below 0.1 (S4)
    t->inverse = all(1) / (all(1) + t->grown);
    t->second = distance(&row->squash_second, t->p);
}

LIMBERI_INLINED void add_turn(lanes* sum, const turning* t, const limberi_turn_row* row, const lanes* given, bool bend,
                              bool squash) {
    lanes d[3];
    for (int i = 0; i < 3; i++)
        d[i] = given[i] * t->weight;
    for (int c = 0; c < 3; c++) {
        sum[c] = fma_(d[0], all(row->push[0][c]), sum[c]);
        if (bend)
            sum[c] = fma_(d[1], all(row->push[1][c]), sum[c]);
        if (squash)
            sum[c] = limberi_lanes_fms(d[2], all(row->squash_second.d[c]), sum[c]);
    }
}

// Along first, second, and against squash_second.
LIMBERI_INLINED void displace(turning* t, const limberi_turn_row* row, bool bend, bool squash) {
    lanes d[3] = {all(0), all(0), all(0)};
    if (squash) {
        d[0] = t->grown * t->a;
        d[2] = t->grown * t->second * t->inverse;
    }
    if (bend) {
        d[0] = squash ? limberi_lanes_fms(t->sine, t->b, d[0]) : -(t->sine * t->b);
        d[0] = limberi_lanes_fms(t->versine, t->a, d[0]);
        d[1] = limberi_lanes_fms(t->versine, t->b, t->sine * t->a);
    }
    add_turn(t->d, t, row, d, bend, squash);
}

// How the displacement changes along a tangent; `inverse` is that of the distance.
LIMBERI_INLINED void displace_tangent(turning* t, int k, const limberi_turn_row* row, lanes inverse, bool bend,
                                      bool squash, bool varies) {
    const lanes* s = t->tangent[k];
    lanes d[3] = {all(0), all(0), all(0)}, s0 = along(row->first.d, s), s1 = along(row->second.d, s);
    lanes nearer = fma_(t->a, s0, t->b * s1) * inverse; // change of the distance
    if (squash) {                                       // none where 1 + s is held at its least
        lanes rate = varies ? t->squash * all(row->squash_rate) : all(row->squash_rate);
        lanes more = limberi_lanes_select(limberi_lanes_less(all(-0.9f), t->grown), rate, all(0)) * nearer;
        d[0] = fma_(t->grown, s0, more * t->a);
        d[2] = t->inverse * fma_(t->grown, along(row->squash_second.d, s), t->inverse * more * t->second);
    }
    if (bend) { // of -(sine b + versine a) and sine a - versine b, with the angle changing by `turned`
        lanes turned = t->slope * nearer, cosine = (all(1) - t->versine) * turned;
        d[0] = d[0] - fma_(t->versine, s0, fma_(t->sine, fma_(turned, t->a, s1), cosine * t->b));
        d[1] = fma_(t->sine, limberi_lanes_fms(turned, t->b, s0), limberi_lanes_fms(t->versine, s1, cosine * t->a));
    }
    add_turn(t->moved[k], t, row, d, bend, squash);
}

LIMBERI_INLINED void turn_open(turning* t, const limberi_lane_block* block, uint32_t v, const limberi_turn_mode* mode,
                               bool varies, bool derivatives) {
    load(block->position, v, t->p);
    load(block->displacement, v, t->d);
    t->bend = varies && mode->bend_gain ? get(mode->bend_gain, v) : all(1);
    t->squash = varies && mode->squash_gain ? get(mode->squash_gain, v) : all(1);
    t->limit = mode->limit ? get(mode->limit, v) : all(0);
    for (int k = 0; derivatives && k < 2; k++) {
        load(block->tangent[k], v, t->tangent[k]);
        load(block->moved[k], v, t->moved[k]);
    }
}

LIMBERI_INLINED void turn_close(const turning* t, const limberi_lane_block* block, uint32_t v, bool derivatives) {
    for (int c = 0; c < 3; c++) {
        limberi_lanes_store(block->displacement->v[c] + v, t->d[c]);
        for (int k = 0; derivatives && k < 2; k++)
            limberi_lanes_store(block->moved[k]->v[c] + v, t->moved[k][c]);
    }
}

LIMBERI_INLINED void turn_one(turning* t, const limberi_turn_row* row, bool bend, bool squash, limberi_turn_reach reach,
                              bool varies, bool derivatives) {
    t->a = distance(&row->first, t->p);
    t->b = distance(&row->second, t->p);
    t->distance = limberi_lanes_sqrt(fma_(t->a, t->a, t->b * t->b));
    if (squash)
        find_squash(t, row, varies);
    if (bend)
        find_bend(t, row, varies, reach);
    displace(t, row, bend, squash);
    lanes inverse = derivatives ? limberi_lanes_inverse(t->distance) : all(0);
    for (int k = 0; derivatives && k < 2; k++)
        displace_tangent(t, k, row, inverse, bend, squash, varies);
}

LIMBERI_INLINED void turn_all(const limberi_lane_block* given, const limberi_turn_call* calls, uint32_t call_count,
                              const limberi_turn_mode* mode, bool bend, bool squash, limberi_turn_reach reach,
                              bool varies, bool derivatives) {
    const limberi_lane_block block = *given;
    const uint32_t sides = derivatives ? 1 : SIDE; // with derivatives one fills the registers
    for (uint32_t v = 0; v < block.width; v += sides * LIMBERI_LANE_COUNT) {
        turning t[SIDE];
        for (uint32_t h = 0; h < sides; h++)
            turn_open(&t[h], &block, v + h * LIMBERI_LANE_COUNT, mode, varies, derivatives);
        for (uint32_t i = 0; i < call_count; i++) {
            for (uint32_t h = 0; h < sides; h++)
                t[h].weight = get(calls[i].weight, v + h * LIMBERI_LANE_COUNT);
            for (uint32_t h = 0; h < sides; h++)
                turn_one(&t[h], calls[i].row, bend, squash, reach, varies, derivatives);
        }
        for (uint32_t h = 0; h < sides; h++)
            turn_close(&t[h], &block, v + h * LIMBERI_LANE_COUNT, derivatives);
    }
}

// Copies of turn_all in which the choices are constants.
LIMBERI_INLINED void turn_kind(const limberi_lane_block* block, const limberi_turn_call* calls, uint32_t call_count,
                               const limberi_turn_mode* mode, bool bend, bool squash) {
    bool varies = mode->bend_gain || mode->squash_gain;
    limberi_turn_reach reach = bend ? mode->reach : LIMBERI_TURN_TINY;
    if (block->tangent[0] && reach == LIMBERI_TURN_WIDE) // with gains of 1 where there are none
        turn_all(block, calls, call_count, mode, bend, squash, LIMBERI_TURN_WIDE, true, true);
    else if (block->tangent[0])
        turn_all(block, calls, call_count, mode, bend, squash, LIMBERI_TURN_SMALL, true, true);
    else if (reach == LIMBERI_TURN_WIDE)
        turn_all(block, calls, call_count, mode, bend, squash, LIMBERI_TURN_WIDE, true, false);
    else if (reach == LIMBERI_TURN_SMALL && varies)
        turn_all(block, calls, call_count, mode, bend, squash, LIMBERI_TURN_SMALL, true, false);
    else if (reach == LIMBERI_TURN_SMALL)
        turn_all(block, calls, call_count, mode, bend, squash, LIMBERI_TURN_SMALL, false, false);
    else if (varies)
        turn_all(block, calls, call_count, mode, bend, squash, LIMBERI_TURN_TINY, true, false);
    else
        turn_all(block, calls, call_count, mode, bend, squash, LIMBERI_TURN_TINY, false, false);
}

static void turn(const limberi_lane_block* block, const limberi_turn_call* calls, uint32_t call_count,
                 const limberi_turn_mode* mode) {
    if (mode->bend && mode->squash)
        turn_kind(block, calls, call_count, mode, true, true);
    else if (mode->bend)
        turn_kind(block, calls, call_count, mode, true, false);
    else
        turn_kind(block, calls, call_count, mode, false, true);
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

// How far out along the normal a joint pushes.
LIMBERI_INLINED lanes lift_one(const limberi_spin_row* row, lanes weight, const lanes* p, const lanes* n) {
    lanes a = distance(&row->first, p), b = distance(&row->second, p);
    lanes reach = limberi_lanes_sqrt(fma_(a, a, b * b)) - all(row->base_radius);
    lanes outward = fma_(a, along(row->first.d, n), b * along(row->second.d, n));
    return weight * all(row->rate * row->inverse_size) * limberi_lanes_max(reach, all(0)) * outward;
}

static void lift(const limberi_lane_block* given, const limberi_lift_call* calls, uint32_t call_count,
                 const float* gain, const limberi_block3* normal) {
    const limberi_lane_block block = *given;
    for (uint32_t v = 0; v < block.width; v += SIDE * LIMBERI_LANE_COUNT) {
        lanes p[SIDE][3], n[SIDE][3], amount[SIDE];
        for (uint32_t h = 0; h < SIDE; h++) {
            load(block.position, v + h * LIMBERI_LANE_COUNT, p[h]);
            load(normal, v + h * LIMBERI_LANE_COUNT, n[h]);
            amount[h] = all(0);
        }
        for (uint32_t i = 0; i < call_count; i++)
            for (uint32_t h = 0; h < SIDE; h++)
                amount[h] =
                    amount[h] + lift_one(calls[i].row, get(calls[i].weight, v + h * LIMBERI_LANE_COUNT), p[h], n[h]);
        for (uint32_t h = 0; h < SIDE; h++) {
            uint32_t at = v + h * LIMBERI_LANE_COUNT;
            lanes all_of_it = amount[h] * get(gain, at);
            for (int c = 0; c < 3; c++)
                limberi_lanes_store(block.displacement->v[c] + at,
                                    fma_(all_of_it, n[h][c], get(block.displacement->v[c], at)));
        }
    }
}

static void cone(const limberi_lane_block* block, const float* apex, const float* axis, float cosine, float sine,
                 limberi_block3* normal) {
    for (uint32_t v = 0; v < block->width; v += LIMBERI_LANE_COUNT) {
        lanes p[3], r[3];
        load(block->position, v, p);
        for (int c = 0; c < 3; c++)
            p[c] = p[c] - all(apex[c]);
        lanes height = along(axis, p);
        for (int c = 0; c < 3; c++)
            r[c] = fma_(-height, all(axis[c]), p[c]);
        lanes scale =
            all(cosine) * limberi_lanes_inverse(limberi_lanes_sqrt(fma_(r[0], r[0], fma_(r[1], r[1], r[2] * r[2]))));
        for (int c = 0; c < 3; c++)
            limberi_lanes_store(normal->v[c] + v, fma_(r[c], scale, all(-sine * axis[c])));
    }
}

// --- everything that is affine in p, folded along the hierarchy ---

// Where the 12 entries of a matrix are kept: a symmetric one has 6 and the translation.
static const uint8_t entries[2][12] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {0, 1, 2, 1, 4, 5, 2, 5, 8, 9, 10, 11}};

LIMBERI_INLINED bool is_kept(int e, bool symmetric, bool shift_only) {
    return e >= 9 || (!shift_only && entries[symmetric][e] == e);
}

LIMBERI_INLINED void blend(const limberi_affine_row* row, uint32_t width, uint32_t v, bool symmetric, bool shift_only,
                           lanes* m) {
    const float* own = row->palette + 12 * (size_t)row->joints[row->slots[0]];
    lanes weight = row->weights ? get(row->weights, v) : all(1);
    for (int e = 0; e < 12; e++)
        if (is_kept(e, symmetric, shift_only))
            m[e] = weight * all(own[e]);
    for (uint32_t k = 1; k < row->slot_count; k++) {
        own = row->palette + 12 * (size_t)row->joints[row->slots[k]];
        weight = get(row->weights, k * width + v);
        for (int e = 0; e < 12; e++)
            if (is_kept(e, symmetric, shift_only))
                m[e] = fma_(weight, all(own[e]), m[e]);
    }
}

LIMBERI_INLINED void transform(const lanes* m, const lanes* p, bool shift, bool symmetric, bool shift_only,
                               lanes* out) {
    const uint8_t* at = entries[symmetric];
    for (int c = 0; c < 3; c++) {
        out[c] = shift ? m[9 + c] : all(0);
        if (!shift_only)
            out[c] = fma_(m[at[c]], p[0], fma_(m[at[3 + c]], p[1], fma_(m[at[6 + c]], p[2], out[c])));
    }
}

// x - x is 0 for numbers and nothing else.
LIMBERI_INLINED lanes number_or_zero(lanes x) {
    return limberi_lanes_of_bits(limberi_lanes_less(x - x, all(1)) & limberi_lanes_bits(x));
}

LIMBERI_INLINED void use_affine(const limberi_lane_block* block, limberi_affine_use use, uint32_t v, const lanes* p,
                                const lanes* d, const float* gain) {
    lanes scale = gain ? get(gain, v) : all(1);
    for (int c = 0; c < 3; c++) {
        lanes scaled = gain ? scale * d[c] : d[c];
        if (use == LIMBERI_AFFINE_MOVE)
            limberi_lanes_store(block->position->v[c] + v, p[c] + scaled);
        else if (use == LIMBERI_AFFINE_SET)
            limberi_lanes_store(block->displacement->v[c] + v, scaled);
        else
            limberi_lanes_store(block->displacement->v[c] + v, get(block->displacement->v[c], v) + scaled);
    }
}

LIMBERI_INLINED void affine_loop(const limberi_lane_block* given, const limberi_affine_row* given_row,
                                 const float* gain, limberi_affine_use use, bool symmetric, bool shift_only) {
    const limberi_lane_block block = *given;
    const limberi_affine_row row = *given_row;
    for (uint32_t v = 0; v < block.width; v += LIMBERI_LANE_COUNT) {
        lanes m[12], p[3], d[3];
        blend(&row, block.width, v, symmetric, shift_only, m);
        load(block.position, v, p);
        transform(m, p, true, symmetric, shift_only, d);
        use_affine(&block, use, v, p, d, gain);
        for (int k = 0; k < 2 && !shift_only && block.tangent[k]; k++) {
            load(block.tangent[k], v, p);
            transform(m, p, false, symmetric, false, d);
            for (int c = 0; c < 3; c++)
                limberi_lanes_store(block.moved[k]->v[c] + v,
                                    fma_(gain ? get(gain, v) : all(1), d[c], get(block.moved[k]->v[c], v)));
        }
    }
}

static void affine(const limberi_lane_block* block, const limberi_affine_row* row, const float* gain) {
    if (row->shift_only)
        affine_loop(block, row, gain, row->use, true, true);
    else if (row->symmetric && !gain && row->use == LIMBERI_AFFINE_MOVE)
        affine_loop(block, row, NULL, LIMBERI_AFFINE_MOVE, true, false);
    else if (row->symmetric && !gain && row->use == LIMBERI_AFFINE_SET)
        affine_loop(block, row, NULL, LIMBERI_AFFINE_SET, true, false);
    else if (row->symmetric)
        affine_loop(block, row, gain, row->use, true, false);
    else
        affine_loop(block, row, gain, row->use, false, false);
}

// --- before and after ---

static void box(const limberi_lane_block* block, float* least, float* most) {
    lanes low[3], high[3];
    load(block->position, 0, low);
    load(block->position, 0, high);
    for (uint32_t v = LIMBERI_LANE_COUNT; v < block->width; v += LIMBERI_LANE_COUNT) {
        lanes p[3];
        load(block->position, v, p);
        for (int c = 0; c < 3; c++) {
            low[c] = limberi_lanes_min(low[c], p[c]);
            high[c] = limberi_lanes_max(high[c], p[c]);
        }
    }
    for (int c = 0; c < 3; c++) {
        least[c] = limberi_lanes_least(low[c]);
        most[c] = limberi_lanes_greatest(high[c]);
    }
}

// Enormous gains overflow; what is not a number moves nothing.
static void finish(const limberi_lane_block* block) {
    for (int c = 0; c < 3; c++) {
        float *displacement = block->displacement->v[c], *position = block->position->v[c];
        for (uint32_t v = 0; v < block->width; v += LIMBERI_LANE_COUNT)
            limberi_lanes_store(position + v, get(position, v) + number_or_zero(get(displacement, v)));
    }
}

static void tangents(uint32_t width, const limberi_block3* normal, limberi_block3* s, limberi_block3* t) {
    for (uint32_t v = 0; v < width; v += LIMBERI_LANE_COUNT) {
        lanes n[3], zero = all(0);
        load(normal, v, n);
        limberi_mask steep = limberi_lanes_less(all(0.6f), limberi_lanes_abs(n[0]));
        lanes a[3] = {limberi_lanes_select(steep, n[2], zero), limberi_lanes_select(steep, zero, -n[2]),
                      limberi_lanes_select(steep, -n[0], n[1])};
        for (int c = 0; c < 3; c++) {
            int d = (c + 1) % 3, e = (c + 2) % 3;
            limberi_lanes_store(s->v[c] + v, a[c]);
            limberi_lanes_store(t->v[c] + v, limberi_lanes_fms(n[e], a[d], n[d] * a[e]));
        }
    }
}

static void normals(const limberi_lane_block* block, limberi_block3* const* tangent, limberi_block3* const* moved,
                    limberi_block3* normal) {
    for (uint32_t v = 0; v < block->width; v += LIMBERI_LANE_COUNT) {
        lanes side[2][3], n[3], d[3], old[3];
        for (int k = 0; k < 2; k++)
            for (int c = 0; c < 3; c++)
                side[k][c] = get(tangent[k]->v[c], v) + get(moved[k]->v[c], v);
        for (int c = 0; c < 3; c++)
            n[c] = limberi_lanes_fms(side[0][(c + 2) % 3], side[1][(c + 1) % 3],
                                     side[0][(c + 1) % 3] * side[1][(c + 2) % 3]);
        load(block->displacement, v, d);
        load(normal, v, old);
        lanes length = limberi_lanes_sqrt(fma_(n[0], n[0], fma_(n[1], n[1], n[2] * n[2])));
        lanes touched = fma_(d[0], d[0], fma_(d[1], d[1], d[2] * d[2]));
        limberi_mask good = limberi_lanes_less(all(1e-12f), length) & limberi_lanes_less(length, all(1e12f)) &
                            limberi_lanes_less(all(0), touched);
        lanes inverse = all(1) / length;
        for (int c = 0; c < 3; c++)
            limberi_lanes_store(normal->v[c] + v, limberi_lanes_select(good, n[c] * inverse, old[c]));
    }
}

const limberi_deform_kernels LIMBERI_VARIANT(limberi_deform_kernels) = {turn, travel, spin,   lift,     affine,
                                                                        cone, box,    finish, tangents, normals};
