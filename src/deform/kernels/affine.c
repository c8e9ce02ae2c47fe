// Everything that is affine in p, folded along the hierarchy into one matrix per joint (see deform/plan.c).
#include "deform/kernels/lanes_kit.h"

// Where the 12 entries of a matrix are kept: a symmetric one has 6 and the translation.
static const uint8_t entries[2][12] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {0, 1, 2, 1, 4, 5, 2, 5, 8, 9, 10, 11}};

LIMBERI_INLINED lanes add_or_set(bool set, lanes weight, float x, lanes sum) {
    return set ? weight * all(x) : fma_(weight, all(x), sum);
}

// A joint's matrix times its weight; of symmetric ones, and of translations, only the entries that are kept.
LIMBERI_INLINED void add_matrix(bool set, lanes weight, const float* from, bool symmetric, bool shift_only, lanes* m) {
    limberi_four f = limberi_four_load(from);
    limberi_four g = limberi_four_load(from + 4);
    limberi_four h = limberi_four_load(from + 8);
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
    limberi_four f = limberi_four_load(matrix);
    limberi_four g = limberi_four_load(matrix + 4);
    limberi_four h = limberi_four_load(matrix + 8);
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
        const float* weights = row.weights ? row.weights + v : limberi_group_ones;
        const float* matrix = matrix_of(&row, 0);
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

void LIMBERI_VARIANT(limberi_affine)(const limberi_lane_block* block, const limberi_affine_row* row,
                                     const float* gain) {
    if (row->shift_only)
        affine_kind(block, row, gain, row->use, true);
    else if (!gain && row->use == LIMBERI_AFFINE_MOVE)
        affine_kind(block, row, NULL, LIMBERI_AFFINE_MOVE, false);
    else if (!gain && row->use == LIMBERI_AFFINE_SET)
        affine_kind(block, row, NULL, LIMBERI_AFFINE_SET, false);
    else
        affine_kind(block, row, gain, row->use, false);
}
