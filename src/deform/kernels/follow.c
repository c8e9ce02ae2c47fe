// Joints that are followed: a turn about the joint by an angle that grows with the distance up to its whole size, and a
// shift that does likewise.
//   v = |q| / sqrt(|q|^2 + reach^2), t = -gain v E
//   (sin|t| / |t|) t x q + ((1 - cos|t|) / |t|^2) t x (t x q) - shift gain v' X
#include "deform/kernels/follow_series.h"
#include "deform/kernels/lanes_kit.h"

// How a share of what is at the distance grows along q, per q: reach^2 / ((|q|^2 + reach^2)^2 v).
LIMBERI_INLINED lanes growth(lanes square, float reach2, lanes share) {
    lanes whole = square + all(reach2);
    return all(reach2) / (whole * whole * limberi_lanes_max(share, all(1e-18f)));
}

LIMBERI_INLINED void follow_shift(summing* s, const limberi_follow_row* row, const lanes* q, lanes square, lanes gain,
                                  bool derivatives) {
    lanes share = limberi_lanes_sqrt(square / (square + all(row->shift_reach2)));
    subtract_along(s->d, row->shift, gain * share);
    if (!derivatives)
        return;
    lanes grown = gain * growth(square, row->shift_reach2, share);
    for (int e = 0; e < 9; e++)
        s->slopes[e] = s->slopes[e] - grown * q[e / 3] * all(row->shift[e % 3]);
}

LIMBERI_INLINED void follow_one(summing* s, const limberi_row_call* call, uint32_t v, lanes gain, lanes shift_gain,
                                int terms, bool derivatives) {
    const limberi_follow_row* row = call->row;
    const float* e = row->turn;
    lanes w = get(call->weight, v), q[3], turned[3], back[3];
    for (int c = 0; c < 3; c++)
        q[c] = s->p[c] - all(row->place[c]);
    lanes square = fma_(q[0], q[0], fma_(q[1], q[1], q[2] * q[2])), whole = square + all(row->reach2);
    lanes share2 = square / whole, share = limberi_lanes_sqrt(share2), amount = gain * share;
    lanes u = amount * amount * all(row->turn2);
    lanes sine = limberi_follow_sine(u, terms), cosine = limberi_follow_cosine(u, terms);
    lanes along_axis = fma_(all(e[0]), q[0], fma_(all(e[1]), q[1], all(e[2]) * q[2]));
    turned[0] = all(e[1]) * q[2] - all(e[2]) * q[1];
    turned[1] = all(e[2]) * q[0] - all(e[0]) * q[2];
    turned[2] = all(e[0]) * q[1] - all(e[1]) * q[0];
    lanes first = -w * amount * sine, second = w * amount * amount * cosine;
    for (int c = 0; c < 3; c++) {
        back[c] = all(e[c]) * along_axis - all(row->turn2) * q[c];
        s->d[c] = fma_(first, turned[c], fma_(second, back[c], s->d[c]));
    }
    if (row->shifts)
        follow_shift(s, row, q, square, w * shift_gain, derivatives);
    if (!derivatives)
        return;
    // 1 - cosine u is the cosine of the angle; the slopes of both factors follow from the two series.
    lanes grown = w * growth(square, row->reach2, share);
    lanes first_grown = -gain * (all(1) - cosine * u) * grown, second_grown = gain * amount * sine * grown;
    for (int k = 0; k < 3; k++) {
        lanes a = first_grown * q[k], b = second_grown * q[k];
        for (int r = 0; r < 3; r++)
            s->slopes[3 * k + r] = fma_(a, turned[r], fma_(b, back[r], s->slopes[3 * k + r])) +
                                   second * all(e[r] * e[k] - (r == k ? row->turn2 : 0));
        s->slopes[3 * k + (k + 1) % 3] = s->slopes[3 * k + (k + 1) % 3] + first * all(e[(k + 2) % 3]);
        s->slopes[3 * k + (k + 2) % 3] = s->slopes[3 * k + (k + 2) % 3] - first * all(e[(k + 1) % 3]);
    }
}

LIMBERI_INLINED void follow_all(const limberi_lane_block* given, const limberi_row_call* calls, uint32_t call_count,
                                const float* gain, const float* shift_gain, int terms, bool derivatives) {
    const limberi_lane_block block = *given;
    for (uint32_t v = 0; v < block.width; v += LIMBERI_LANE_COUNT) {
        summing s;
        open_sums(&s, &block, v, derivatives);
        for (uint32_t i = 0; i < call_count; i++)
            follow_one(&s, &calls[i], v, get(gain, v), get(shift_gain, v), terms, derivatives);
        close_sums(&s, &block, v, derivatives);
    }
}

// Turns below a radian take a shorter series.
void LIMBERI_VARIANT(limberi_follow)(const limberi_lane_block* block, const limberi_row_call* calls,
                                     uint32_t call_count, const float* gain, const float* shift_gain) {
    float widest = 0;
    for (uint32_t i = 0; i < call_count; i++) {
        const limberi_follow_row* row = calls[i].row;
        widest = row->turn2 > widest ? row->turn2 : widest;
    }
    if (block->slopes)
        follow_all(block, calls, call_count, gain, shift_gain, LIMBERI_FOLLOW_TERMS, true);
    else if (widest < 1)
        follow_all(block, calls, call_count, gain, shift_gain, 5, false);
    else
        follow_all(block, calls, call_count, gain, shift_gain, LIMBERI_FOLLOW_TERMS, false);
}
