// Joints that travel: the linear part of squash, where its gain differs from vertex to vertex.
#include "deform/kernels/lanes_kit.h"

LIMBERI_INLINED void travel_one(summing* s, const limberi_row_call* call, uint32_t v, lanes gain, bool limited,
                                bool derivatives) {
    const limberi_travel_row* row = call->row;
    lanes one = all(1), w = get(call->weight, v), grown = gain * all(row->rate), slope;
    if (limited)
        grown = limit_squash(grown, row->max, &slope);
    grown = limberi_lanes_max(grown, all(-0.9f)); // 1 + s never goes below 0.1
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
                                const float* gains, bool limited, bool derivatives) {
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
                travel_one(&s[h], &calls[i], v + h * LIMBERI_LANE_COUNT, gain[h], limited, derivatives);
            for (uint32_t h = 0; h < SIDE; h++)
                travel_one(&s[h], &calls[i + 1], v + h * LIMBERI_LANE_COUNT, gain[h], limited, derivatives);
        }
        for (; i < call_count; i++)
            for (uint32_t h = 0; h < SIDE; h++)
                travel_one(&s[h], &calls[i], v + h * LIMBERI_LANE_COUNT, gain[h], limited, derivatives);
        for (uint32_t h = 0; h < SIDE; h++)
            close_sums(&s[h], &block, v + h * LIMBERI_LANE_COUNT, derivatives);
    }
}

void LIMBERI_VARIANT(limberi_travel)(const limberi_lane_block* block, const limberi_row_call* calls,
                                     uint32_t call_count, const float* gain) {
    bool limited = call_count && ((const limberi_travel_row*)calls[0].row)->max > 0; // rows of a list have one max
    if (block->slopes)
        travel_all(block, calls, call_count, gain, limited, true);
    else if (limited)
        travel_all(block, calls, call_count, gain, true, false);
    else
        travel_all(block, calls, call_count, gain, false, false);
}
