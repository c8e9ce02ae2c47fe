// Joints that are followed: a turn about the joint by an angle that grows with the distance up to its whole size, and a
// shift that does likewise (follow_kit.h).
#include "deform/kernels/follow_kit.h"

// How a share grows with the distance, per distance: reach^2 / ((|q|^2 + reach^2)^2 v).
LIMBERI_INLINED lanes growth(lanes square, float reach2, lanes share) {
    lanes whole = square + all(reach2);
    return all(reach2) / (whole * whole * limberi_lanes_max(share, all(1e-18f)));
}

LIMBERI_INLINED void follow_shift(summing* s, const limberi_follow_row* row, const lanes* q, lanes square, lanes gain,
                                  bool derivatives) {
    float reach2 = 0.25f * row->reach2;
    lanes share = share_of(square, reach2);
    subtract_along(s->d, row->shift, gain * share);
    if (!derivatives)
        return;
    lanes grown = gain * growth(square, reach2, share);
    for (int c = 0; c < 3; c++)
        subtract_along(s->slopes + 3 * c, row->shift, grown * q[c]);
}

// What is along first and second changes with a and b, and with the angle, which grows by `grown` along q.
LIMBERI_INLINED void follow_slopes(summing* s, const limberi_follow_row* row, const lanes* q, lanes sine, lanes versine,
                                   lanes grown, lanes weight) {
    lanes a;
    lanes b;
    lanes cosine = all(1) - versine;
    find_across(row, q, &a, &b);
    lanes along_first = weight * grown * limberi_lanes_fms(sine, a, cosine * b);
    lanes along_second = weight * grown * fma_(sine, b, cosine * a);
    sine = weight * sine;
    versine = weight * versine;
    for (int c = 0; c < 3; c++) {
        lanes first = all(row->first[c]);
        lanes second = all(row->second[c]);
        add_along(s->slopes + 3 * c, row->first,
                  fma_(along_first, q[c], limberi_lanes_fms(versine, first, sine * second)));
        subtract_along(s->slopes + 3 * c, row->second, fma_(along_second, q[c], fma_(versine, second, sine * first)));
    }
}

LIMBERI_INLINED void follow_one(summing* s, const limberi_row_call* call, uint32_t v, lanes gain, lanes shift_gain,
                                bool wide, bool derivatives) {
    const limberi_follow_row* row = call->row;
    lanes weight = get(call->weight, v);
    lanes q[3];
    lanes d[3] = {all(0), all(0), all(0)};
    lanes sine;
    lanes versine;
    way_from(row->place, s->p, q);
    lanes square = square_of(q);
    lanes share = share_of(square, row->reach2);
    lanes angle = gain * all(row->angle);
    find_sine_versine(share * angle, wide, &sine, &versine);
    add_turn(d, row, q, sine, versine);
    for (int c = 0; c < 3; c++)
        s->d[c] = fma_(weight, d[c], s->d[c]);
    if (derivatives)
        follow_slopes(s, row, q, sine, versine, angle * growth(square, row->reach2, share), weight);
    if (row->shifts)
        follow_shift(s, row, q, square, weight * shift_gain, derivatives);
}

LIMBERI_INLINED void follow_all(const limberi_lane_block* given, const limberi_row_call* calls, uint32_t call_count,
                                const float* gain, const float* shift_gain, bool wide, bool derivatives) {
    const limberi_lane_block block = *given;
    for (uint32_t v = 0; v < block.width; v += LIMBERI_LANE_COUNT) {
        summing s;
        open_sums(&s, &block, v, derivatives);
        for (uint32_t i = 0; i < call_count; i++)
            follow_one(&s, &calls[i], v, get(gain, v), get(shift_gain, v), wide, derivatives);
        close_sums(&s, &block, v, derivatives);
    }
}

void LIMBERI_VARIANT(limberi_follow)(const limberi_lane_block* block, const limberi_row_call* calls,
                                     uint32_t call_count, const float* gain, const float* shift_gain) {
    bool wide = false;
    for (uint32_t i = 0; i < call_count; i++)
        wide = wide || is_wide(calls[i].row);
    if (block->slopes)
        follow_all(block, calls, call_count, gain, shift_gain, true, true);
    else if (wide)
        follow_all(block, calls, call_count, gain, shift_gain, true, false);
    else
        follow_all(block, calls, call_count, gain, shift_gain, false, false);
}
