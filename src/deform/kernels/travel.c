// Joints that travel: the linear part of squash, where its gain differs from vertex to vertex.
#include "deform/kernels/lanes_kit.h"

typedef struct travelling {
    summing s;
    lanes gain;
    lanes thinner; // what all joints together scale p by; they are apart only in where they scale it about
} travelling;

LIMBERI_INLINED void travel_one(travelling* t, const limberi_row_call* call, uint32_t v, bool limited,
                                bool derivatives) {
    const limberi_travel_row* row = call->row;
    summing* s = &t->s;
    limberi_four f = limberi_four_load(row->centre); // and the rate
    lanes one = all(1);
    lanes w = get(call->weight, v);
    lanes grown = t->gain * all(f[3]);
    lanes slope;
    if (limited)
        grown = limit_squash(grown, row->max, &slope);
    grown = limberi_lanes_max(grown, all(-0.9f)); // 1 + s never goes below 0.1
    lanes across = one / limberi_lanes_sqrt(grown + one) - one;
    lanes onward = (grown - across) * w;
    across = across * w;
    t->thinner = t->thinner + across;
    add_along(s->d, row->way.d, onward * distance(&row->way, s->p));
    subtract_along(s->d, row->centre, across);
    for (int e = 0; derivatives && e < 9; e++)
        s->slopes[e] = fma_(onward, all(row->way.d[e / 3] * row->way.d[e % 3]), s->slopes[e]);
}

LIMBERI_INLINED void open_travel(travelling* t, const limberi_lane_block* block, uint32_t v, const float* gains,
                                 bool derivatives) {
    open_sums(&t->s, block, v, derivatives);
    t->gain = get(gains, v);
    t->thinner = all(0);
}

LIMBERI_INLINED void close_travel(travelling* t, const limberi_lane_block* block, uint32_t v, bool derivatives) {
    for (int c = 0; c < 3; c++)
        t->s.d[c] = fma_(t->thinner, t->s.p[c], t->s.d[c]);
    for (int e = 0; derivatives && e < 9; e += 4)
        t->s.slopes[e] = t->s.slopes[e] + t->thinner;
    close_sums(&t->s, block, v, derivatives);
}

LIMBERI_INLINED void travel_all(const limberi_lane_block* given, const limberi_row_call* calls, uint32_t call_count,
                                const float* gains, bool limited, bool derivatives) {
    const limberi_lane_block block = *given;
    for (uint32_t v = 0; v < block.width; v += SIDE * LIMBERI_LANE_COUNT) {
        travelling t[SIDE];
        uint32_t i = 0;
        for (uint32_t h = 0; h < SIDE; h++)
            open_travel(&t[h], &block, v + h * LIMBERI_LANE_COUNT, gains, derivatives);
        for (; SIDE > 1 && i + 1 < call_count; i += 2) {
            for (uint32_t h = 0; h < SIDE; h++)
                travel_one(&t[h], &calls[i], v + h * LIMBERI_LANE_COUNT, limited, derivatives);
            for (uint32_t h = 0; h < SIDE; h++)
                travel_one(&t[h], &calls[i + 1], v + h * LIMBERI_LANE_COUNT, limited, derivatives);
        }
        for (; i < call_count; i++)
            for (uint32_t h = 0; h < SIDE; h++)
                travel_one(&t[h], &calls[i], v + h * LIMBERI_LANE_COUNT, limited, derivatives);
        for (uint32_t h = 0; h < SIDE; h++)
            close_travel(&t[h], &block, v + h * LIMBERI_LANE_COUNT, derivatives);
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
