// The effects over a group of vertices, LIMBERI_LANE_COUNT at a time. Formulas and papers stand with the scalar
// effects, one file each, which are the reference; here they are written for few instructions, and derivatives ride
// along when normals are wanted. Joints that turn are in turn_lanes.c.
#include "deform/lanes_kit.h"

// --- travelling: linear squash ---

LIMBERI_INLINED void travel_one(summing* s, const limberi_row_call* call, uint32_t v, lanes gain, bool derivatives) {
    const limberi_travel_row* row = call->row;
    lanes one = all(1), w = get(call->weight, v), grown = gain * all(row->rate);
    grown = limberi_lanes_max(grown, all(-0.9f)); // 1 + s never goes below 0.1 (S4)
    lanes across = one / limberi_lanes_sqrt(grown + one) - one, onward = (grown - across) * w;
    lanes amount = onward * distance(&row->way, s->p);
    across = across * w;
    add_along(s->d, row->way.d, amount);
    for (int c = 0; c < 3; c++)
        s->d[c] = fma_(across, s->p[c] - all(row->centre[c]), s->d[c]);
    for (int e = 0; derivatives && e < 9; e++)
        s->slopes[e] = fma_(onward, all(row->way.d[e / 3] * row->way.d[e % 3]), s->slopes[e]);
    for (int e = 0; derivatives && e < 9; e += 4)
        s->slopes[e] = s->slopes[e] + across;
}

LIMBERI_INLINED void travel_all(const limberi_lane_block* given, const limberi_row_call* calls, uint32_t call_count,
                                const float* gains, bool derivatives) {
    const limberi_lane_block block = *given;
    for (uint32_t v = 0; v < block.width; v += SIDE * LIMBERI_LANE_COUNT) {
        summing s[SIDE];
        lanes gain[SIDE];
        uint32_t i = 0;
        for (uint32_t h = 0; h < SIDE; h++) {
            open_sums(&s[h], &block, v + h * LIMBERI_LANE_COUNT, derivatives);
            gain[h] = get(gains, v + h * LIMBERI_LANE_COUNT);
        }
        for (; SIDE > 1 && i + 1 < call_count; i += 2) {
            for (uint32_t h = 0; h < SIDE; h++)
                travel_one(&s[h], &calls[i], v + h * LIMBERI_LANE_COUNT, gain[h], derivatives);
            for (uint32_t h = 0; h < SIDE; h++)
                travel_one(&s[h], &calls[i + 1], v + h * LIMBERI_LANE_COUNT, gain[h], derivatives);
        }
        for (; i < call_count; i++)
            for (uint32_t h = 0; h < SIDE; h++)
                travel_one(&s[h], &calls[i], v + h * LIMBERI_LANE_COUNT, gain[h], derivatives);
        for (uint32_t h = 0; h < SIDE; h++)
            close_sums(&s[h], &block, v + h * LIMBERI_LANE_COUNT, derivatives);
    }
}

static void travel(const limberi_lane_block* block, const limberi_row_call* calls, uint32_t call_count,
                   const float* gain) {
    if (block->slopes)
        travel_all(block, calls, call_count, gain, true);
    else
        travel_all(block, calls, call_count, gain, false);
}

// --- spinning: quadratic stretch, lift ---

// (first a + second b) (a^2 + b^2 + h^2)
LIMBERI_INLINED void spin_one(summing* s, const limberi_spin_row* row, lanes weight, bool derivatives) {
    lanes a = distance(&row->first, s->p), b = distance(&row->second, s->p), h = distance(&row->axis, s->p);
    lanes rate = weight * all(row->rate), reach = rate * fma_(a, a, fma_(b, b, h * h)), twice = rate + rate;
    for (int c = 0; c < 3; c++)
        s->d[c] = fma_(reach * a, all(row->first.d[c]), fma_(reach * b, all(row->second.d[c]), s->d[c]));
    for (int c = 0; derivatives && c < 3; c++) {
        lanes out = fma_(a, all(row->first.d[c]), fma_(b, all(row->second.d[c]), h * all(row->axis.d[c]))) * twice;
        lanes s0 = fma_(out, a, reach * all(row->first.d[c])), s1 = fma_(out, b, reach * all(row->second.d[c]));
        for (int r = 0; r < 3; r++)
            s->slopes[3 * c + r] =
                fma_(s0, all(row->first.d[r]), fma_(s1, all(row->second.d[r]), s->slopes[3 * c + r]));
    }
}

static void spin(const limberi_lane_block* given, const limberi_row_call* calls, uint32_t call_count,
                 const float* gain) {
    const limberi_lane_block block = *given;
    for (uint32_t v = 0; v < block.width; v += LIMBERI_LANE_COUNT) {
        summing s;
        open_sums(&s, &block, v, block.slopes != NULL);
        for (uint32_t i = 0; i < call_count; i++)
            spin_one(&s, calls[i].row, get(gain, v) * get(calls[i].weight, v), block.slopes != NULL);
        close_sums(&s, &block, v, block.slopes != NULL);
    }
}

// How far out along the normal a joint pushes.
LIMBERI_INLINED lanes lift_one(const limberi_row_call* call, uint32_t v, const lanes* p, const lanes* n, lanes sum) {
    const limberi_spin_row* row = call->row;
    lanes a = distance(&row->first, p), b = distance(&row->second, p);
    lanes reach = limberi_lanes_max(limberi_lanes_sqrt(fma_(a, a, b * b)) - all(row->base_radius), all(0));
    lanes outward = fma_(a, along(&row->first, n), b * along(&row->second, n)) * get(call->weight, v);
    return fma_(reach * all(row->rate), outward, sum);
}

// How that changes along the axes, for normals that stay as they are.
LIMBERI_INLINED void lift_slope(const limberi_row_call* call, uint32_t v, const lanes* p, const lanes* n, lanes* sum) {
    const limberi_spin_row* row = call->row;
    lanes a = distance(&row->first, p), b = distance(&row->second, p);
    lanes apart = limberi_lanes_sqrt(fma_(a, a, b * b)), reach = apart - all(row->base_radius);
    lanes first = along(&row->first, n), second = along(&row->second, n);
    lanes farther = fma_(a, first, b * second) * limberi_lanes_inverse(apart);
    lanes rate = limberi_lanes_select(limberi_lanes_less(all(0), reach), all(row->rate), all(0)) * get(call->weight, v);
    add_along(sum, row->first.d, rate * fma_(reach, first, farther * a));
    add_along(sum, row->second.d, rate * fma_(reach, second, farther * b));
}

static void lift_slopes(const limberi_lane_block* block, const limberi_row_call* calls, uint32_t call_count,
                        const float* gain, const limberi_block3* normal) {
    for (uint32_t v = 0; v < block->width; v += LIMBERI_LANE_COUNT) {
        lanes p[3], n[3], sum[3] = {all(0), all(0), all(0)};
        load(block->position, v, p);
        load(normal, v, n);
        for (uint32_t i = 0; i < call_count; i++)
            lift_slope(&calls[i], v, p, n, sum);
        for (int e = 0; e < 9; e++) {
            float* to = block->slopes->v[e] + v;
            limberi_lanes_store(to, fma_(sum[e / 3] * get(gain, v), n[e % 3], limberi_lanes_load(to)));
        }
    }
}

static void lift(const limberi_lane_block* given, const limberi_row_call* calls, uint32_t call_count, const float* gain,
                 const limberi_block3* normal) {
    const limberi_lane_block block = *given;
    if (block.slopes)
        lift_slopes(&block, calls, call_count, gain, normal);
    for (uint32_t v = 0; v < block.width; v += SIDE * LIMBERI_LANE_COUNT) {
        lanes p[SIDE][3], n[SIDE][3], amount[SIDE];
        for (uint32_t h = 0; h < SIDE; h++) {
            load(block.position, v + h * LIMBERI_LANE_COUNT, p[h]);
            load(normal, v + h * LIMBERI_LANE_COUNT, n[h]);
            amount[h] = all(0);
        }
        uint32_t i = 0;
        for (; SIDE > 1 && i + 1 < call_count; i += 2)
            for (uint32_t k = 0; k < 2 * SIDE; k++) {
                uint32_t h = k % SIDE;
                amount[h] = lift_one(&calls[i + k / SIDE], v + h * LIMBERI_LANE_COUNT, p[h], n[h], amount[h]);
            }
        for (; i < call_count; i++)
            for (uint32_t h = 0; h < SIDE; h++)
                amount[h] = lift_one(&calls[i], v + h * LIMBERI_LANE_COUNT, p[h], n[h], amount[h]);
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
        lanes height = fma_(all(axis[0]), p[0], fma_(all(axis[1]), p[1], all(axis[2]) * p[2]));
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

LIMBERI_INLINED lanes add_or_set(bool set, lanes weight, float x, lanes sum) {
    return set ? weight * all(x) : fma_(weight, all(x), sum);
}

// A joint's matrix times its weight; of symmetric ones, and of translations, only the entries that are kept.
LIMBERI_INLINED void add_matrix(bool set, lanes weight, const float* from, bool symmetric, bool shift_only, lanes* m) {
    limberi_four f = limberi_four_load(from), g = limberi_four_load(from + 4), h = limberi_four_load(from + 8);
    m[9] = add_or_set(set, weight, h[1], m[9]);
    m[10] = add_or_set(set, weight, h[2], m[10]);
    m[11] = add_or_set(set, weight, h[3], m[11]);
    if (shift_only)
        return;
    m[0] = add_or_set(set, weight, f[0], m[0]);
    m[1] = add_or_set(set, weight, f[1], m[1]);
    m[2] = add_or_set(set, weight, f[2], m[2]);
    m[4] = add_or_set(set, weight, g[0], m[4]);
    m[5] = add_or_set(set, weight, g[1], m[5]);
    m[8] = add_or_set(set, weight, h[0], m[8]);
    if (symmetric)
        return;
    m[3] = add_or_set(set, weight, f[3], m[3]);
    m[6] = add_or_set(set, weight, g[2], m[6]);
    m[7] = add_or_set(set, weight, g[3], m[7]);
}

LIMBERI_INLINED const float* matrix_of(const limberi_affine_row* row, uint32_t k) {
    return row->palette + 12 * (size_t)row->joints[row->slots[k]];
}

LIMBERI_INLINED void blend(const limberi_affine_row* row, uint32_t width, uint32_t v, bool symmetric, bool shift_only,
                           lanes* m) {
    const float* weights = row->weights ? row->weights + v : limberi_group_ones;
    add_matrix(true, limberi_lanes_load(weights), matrix_of(row, 0), symmetric, shift_only, m);
    for (uint32_t k = 1; k < row->slot_count; k++) {
        weights += width;
        add_matrix(false, limberi_lanes_load(weights), matrix_of(row, k), symmetric, shift_only, m);
    }
}

LIMBERI_INLINED void transform(const lanes* m, const lanes* p, bool symmetric, bool shift_only, lanes* out) {
    const uint8_t* at = entries[symmetric];
    for (int c = 0; c < 3; c++) {
        out[c] = m[9 + c];
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

LIMBERI_INLINED void slope_affine(const limberi_lane_block* block, limberi_affine_use use, uint32_t v, const lanes* m,
                                  bool symmetric, const float* gain) {
    lanes scale = gain ? get(gain, v) : all(1);
    for (int e = 0; e < 9; e++) {
        float* to = block->slopes->v[e] + v;
        lanes more = m[entries[symmetric][e]] * scale;
        limberi_lanes_store(to, use == LIMBERI_AFFINE_SET ? more : more + limberi_lanes_load(to));
    }
}

LIMBERI_INLINED void blended_loop(const limberi_lane_block* given, const limberi_affine_row* given_row,
                                  const float* gain, limberi_affine_use use, bool symmetric, bool shift_only) {
    const limberi_lane_block block = *given;
    const limberi_affine_row row = *given_row;
    for (uint32_t v = 0; v < block.width; v += LIMBERI_LANE_COUNT) {
        lanes m[12], p[3], d[3];
        blend(&row, block.width, v, symmetric, shift_only, m);
        load(block.position, v, p);
        transform(m, p, symmetric, shift_only, d);
        use_affine(&block, use, v, p, d, gain);
        if (!shift_only && block.slopes)
            slope_affine(&block, use, v, m, symmetric, gain);
    }
}

// What one joint adds: matrix * (weight * p). Where nobody needs the blended matrix this is quicker, but with AVX2.
LIMBERI_INLINED void add_moved(bool set, lanes weight, const float* matrix, const lanes* p, bool shift_only,
                               lanes* out) {
    limberi_four f = limberi_four_load(matrix), g = limberi_four_load(matrix + 4), h = limberi_four_load(matrix + 8);
    lanes q[3] = {weight * p[0], weight * p[1], weight * p[2]};
    out[0] = add_or_set(set, weight, h[1], out[0]);
    out[1] = add_or_set(set, weight, h[2], out[1]);
    out[2] = add_or_set(set, weight, h[3], out[2]);
    if (shift_only)
        return;
    out[0] = fma_(q[2], all(g[2]), fma_(q[1], all(f[3]), fma_(q[0], all(f[0]), out[0])));
    out[1] = fma_(q[2], all(g[3]), fma_(q[1], all(g[0]), fma_(q[0], all(f[1]), out[1])));
    out[2] = fma_(q[2], all(h[0]), fma_(q[1], all(g[1]), fma_(q[0], all(f[2]), out[2])));
}

LIMBERI_INLINED void moved_loop(const limberi_lane_block* given, const limberi_affine_row* given_row, const float* gain,
                                limberi_affine_use use, bool shift_only) {
    enum { ABREAST = 2 }; // what is loaded for one serves the other
    const limberi_lane_block block = *given;
    const limberi_affine_row row = *given_row;
    for (uint32_t v = 0; v < block.width; v += ABREAST * LIMBERI_LANE_COUNT) {
        lanes p[ABREAST][3], d[ABREAST][3];
        const float *weights = row.weights ? row.weights + v : limberi_group_ones, *matrix = matrix_of(&row, 0);
        for (uint32_t h = 0; h < ABREAST; h++) {
            load(block.position, v + h * LIMBERI_LANE_COUNT, p[h]);
            add_moved(true, get(weights, h * LIMBERI_LANE_COUNT), matrix, p[h], shift_only, d[h]);
        }
        for (uint32_t k = 1; k < row.slot_count; k++) {
            weights += block.width;
            matrix = matrix_of(&row, k);
            for (uint32_t h = 0; h < ABREAST; h++)
                add_moved(false, get(weights, h * LIMBERI_LANE_COUNT), matrix, p[h], shift_only, d[h]);
        }
        for (uint32_t h = 0; h < ABREAST; h++)
            use_affine(&block, use, v + h * LIMBERI_LANE_COUNT, p[h], d[h], gain);
    }
}

LIMBERI_INLINED void affine_kind(const limberi_lane_block* block, const limberi_affine_row* row, const float* gain,
                                 limberi_affine_use use, bool shift_only) {
    if (LIMBERI_LANE_COUNT < 8 && !block->slopes)
        moved_loop(block, row, gain, use, shift_only);
    else if (row->symmetric)
        blended_loop(block, row, gain, use, true, shift_only);
    else
        blended_loop(block, row, gain, use, false, shift_only);
}

static void affine(const limberi_lane_block* block, const limberi_affine_row* row, const float* gain) {
    if (row->shift_only)
        affine_kind(block, row, gain, row->use, true);
    else if (!gain && row->use == LIMBERI_AFFINE_MOVE)
        affine_kind(block, row, NULL, LIMBERI_AFFINE_MOVE, false);
    else if (!gain && row->use == LIMBERI_AFFINE_SET)
        affine_kind(block, row, NULL, LIMBERI_AFFINE_SET, false);
    else
        affine_kind(block, row, gain, row->use, false);
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
static void finish(const limberi_lane_block* given) {
    const limberi_lane_block block = *given;
    for (uint32_t v = 0; v < block.width; v += LIMBERI_LANE_COUNT) {
        lanes p[3], d[3];
        load(block.position, v, p);
        load(block.displacement, v, d);
        for (int c = 0; c < 3; c++)
            limberi_lanes_store(block.position->v[c] + v, p[c] + number_or_zero(d[c]));
    }
}

LIMBERI_INLINED void cross(const lanes* a, const lanes* b, lanes* out) {
    for (int c = 0; c < 3; c++)
        out[c] = limberi_lanes_fms(a[(c + 2) % 3], b[(c + 1) % 3], a[(c + 1) % 3] * b[(c + 2) % 3]);
}

static void normals(const limberi_lane_block* given, limberi_block3* normal) {
    const limberi_lane_block block = *given;
    for (uint32_t v = 0; v < block.width; v += LIMBERI_LANE_COUNT) {
        lanes m[9], cofactors[9], n[3], d[3], old[3];
        for (int e = 0; e < 9; e++)
            m[e] = e % 4 ? get(block.slopes->v[e], v) : get(block.slopes->v[e], v) + all(1);
        for (int c = 0; c < 3; c++)
            cross(m + 3 * ((c + 1) % 3), m + 3 * ((c + 2) % 3), cofactors + 3 * c);
        load(block.displacement, v, d);
        load(normal, v, old);
        for (int c = 0; c < 3; c++)
            n[c] = fma_(cofactors[c], old[0], fma_(cofactors[3 + c], old[1], cofactors[6 + c] * old[2]));
        lanes length = limberi_lanes_sqrt(fma_(n[0], n[0], fma_(n[1], n[1], n[2] * n[2])));
        lanes touched = fma_(d[0], d[0], fma_(d[1], d[1], d[2] * d[2]));
        limberi_mask good = limberi_lanes_less(all(1e-12f), length) & limberi_lanes_less(length, all(1e12f)) &
                            limberi_lanes_less(all(0), touched);
        lanes inverse = all(1) / length;
        for (int c = 0; c < 3; c++)
            limberi_lanes_store(normal->v[c] + v, limberi_lanes_select(good, n[c] * inverse, old[c]));
    }
}

const limberi_deform_kernels LIMBERI_VARIANT(limberi_deform_kernels) = {
    LIMBERI_VARIANT(limberi_turn), travel, spin, lift, affine, cone, box, finish, normals};
