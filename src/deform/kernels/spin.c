// Joints that spin: stretch that grows with the square of the distance, (first a + second b) (a^2 + b^2 + h^2); and what
// an angular squash about the centroid does along the medial axis, (1 / (1 + s) - 1) h axis, s = rate |(a, b)|.
#include "deform/kernels/lanes_kit.h"

LIMBERI_INLINED void spin_one(summing* s, const limberi_spin_row* row, lanes weight, bool derivatives) {
    lanes a = distance(&row->first, s->p);
    lanes b = distance(&row->second, s->p);
    lanes h = distance(&row->axis, s->p);
    lanes rate = weight * all(row->rate);
    lanes reach = rate * fma_(a, a, fma_(b, b, h * h));
    lanes twice = rate + rate;
    for (int c = 0; c < 3; c++)
        s->d[c] = fma_(reach * a, all(row->first.d[c]), fma_(reach * b, all(row->second.d[c]), s->d[c]));
    for (int c = 0; derivatives && c < 3; c++) {
        lanes out = fma_(a, all(row->first.d[c]), fma_(b, all(row->second.d[c]), h * all(row->axis.d[c]))) * twice;
        lanes s0 = fma_(out, a, reach * all(row->first.d[c]));
        lanes s1 = fma_(out, b, reach * all(row->second.d[c]));
        for (int r = 0; r < 3; r++)
            s->slopes[3 * c + r] =
                fma_(s0, all(row->first.d[r]), fma_(s1, all(row->second.d[r]), s->slopes[3 * c + r]));
    }
}

void LIMBERI_VARIANT(limberi_spin)(const limberi_lane_block* given, const limberi_row_call* calls, uint32_t call_count,
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

LIMBERI_INLINED void shorten_one(summing* s, const limberi_spin_row* row, lanes gain, lanes weight, bool derivatives) {
    lanes a = distance(&row->first, s->p);
    lanes b = distance(&row->second, s->p);
    lanes h = distance(&row->axis, s->p);
    lanes rate = gain * all(row->rate);
    lanes from_axis = limberi_lanes_sqrt(fma_(a, a, b * b));
    lanes growth = all(1);
    lanes grown = rate * from_axis;
    if (row->base_radius > 0)
        grown = limit_squash(grown, row->base_radius, &growth);
    growth = limberi_lanes_select(limberi_lanes_less(all(-0.9f), grown), growth, all(0)); // 1 + s is at its least
    grown = limberi_lanes_max(grown, all(-0.9f));
    lanes inverse = weight / (all(1) + grown);
    lanes shorter = grown * inverse;
    subtract_along(s->d, row->axis.d, shorter * h);
    if (!derivatives)
        return;
    lanes more = rate * growth * limberi_lanes_inverse(from_axis) * h * inverse / (all(1) + grown);
    for (int c = 0; c < 3; c++) {
        lanes out = fma_(a, all(row->first.d[c]), b * all(row->second.d[c]));
        subtract_along(s->slopes + 3 * c, row->axis.d, fma_(more, out, shorter * all(row->axis.d[c])));
    }
}

void LIMBERI_VARIANT(limberi_shorten)(const limberi_lane_block* given, const limberi_row_call* calls,
                                      uint32_t call_count, const float* gain) {
    const limberi_lane_block block = *given;
    for (uint32_t v = 0; v < block.width; v += LIMBERI_LANE_COUNT) {
        summing s;
        open_sums(&s, &block, v, block.slopes != NULL);
        for (uint32_t i = 0; i < call_count; i++)
            shorten_one(&s, calls[i].row, get(gain, v), get(calls[i].weight, v), block.slopes != NULL);
        close_sums(&s, &block, v, block.slopes != NULL);
    }
}
