// Before and after the effects: the box around a group of vertices, and the sum of position and displacement. The table
// of all kernels of one build.
#include "deform/kernels/lanes_kit.h"

// x - x is 0 for numbers and nothing else.
LIMBERI_INLINED lanes number_or_zero(lanes x) {
    return limberi_lanes_of_bits(limberi_lanes_less(x - x, all(1)) & limberi_lanes_bits(x));
}

void LIMBERI_VARIANT(limberi_box)(const limberi_lane_block* block, float* min, float* max) {
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
        min[c] = limberi_lanes_min_of(low[c]);
        max[c] = limberi_lanes_greatest(high[c]);
    }
}

// Enormous gains overflow; what is not a number moves nothing.
void LIMBERI_VARIANT(limberi_finish)(const limberi_lane_block* given) {
    const limberi_lane_block block = *given;
    for (uint32_t v = 0; v < block.width; v += LIMBERI_LANE_COUNT) {
        lanes p[3], d[3];
        load(block.position, v, p);
        load(block.displacement, v, d);
        for (int c = 0; c < 3; c++)
            limberi_lanes_store(block.position->v[c] + v, p[c] + number_or_zero(d[c]));
    }
}

// 1 + so_far becomes (1 + slopes) (1 + so_far).
LIMBERI_INLINED void advance_slopes(const limberi_block9* slopes, uint32_t v, limberi_block9* so_far) {
    lanes own[9], old[9];
    for (int e = 0; e < 9; e++) {
        own[e] = get(slopes->v[e], v);
        old[e] = e % 4 ? get(so_far->v[e], v) : get(so_far->v[e], v) + all(1);
    }
    for (int e = 0; e < 9; e++) {
        const lanes* column = old + e / 3 * 3;
        lanes more = fma_(own[e % 3], column[0], fma_(own[3 + e % 3], column[1], own[6 + e % 3] * column[2]));
        limberi_lanes_store(so_far->v[e] + v, get(so_far->v[e], v) + more);
    }
}

void LIMBERI_VARIANT(limberi_advance)(const limberi_lane_block* given, limberi_block9* so_far) {
    const limberi_lane_block block = *given;
    for (uint32_t v = 0; v < block.width; v += LIMBERI_LANE_COUNT) {
        lanes p[3], d[3];
        load(block.position, v, p);
        load(block.displacement, v, d);
        for (int c = 0; c < 3; c++)
            limberi_lanes_store(block.position->v[c] + v, p[c] + d[c]);
        if (block.slopes)
            advance_slopes(block.slopes, v, so_far);
    }
}

const limberi_deform_kernels LIMBERI_VARIANT(limberi_deform_kernels) = {LIMBERI_VARIANT(limberi_turn),
                                                                        LIMBERI_VARIANT(limberi_travel),
                                                                        LIMBERI_VARIANT(limberi_spin),
                                                                        LIMBERI_VARIANT(limberi_shorten),
                                                                        LIMBERI_VARIANT(limberi_lift),
                                                                        LIMBERI_VARIANT(limberi_follow),
                                                                        LIMBERI_VARIANT(limberi_link),
                                                                        LIMBERI_VARIANT(limberi_affine),
                                                                        LIMBERI_VARIANT(limberi_cone),
                                                                        LIMBERI_VARIANT(limberi_box),
                                                                        LIMBERI_VARIANT(limberi_finish),
                                                                        LIMBERI_VARIANT(limberi_advance),
                                                                        LIMBERI_VARIANT(limberi_jacobian_normals)};
