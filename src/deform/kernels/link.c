// Joints of a chain that are followed: overlap (kernels/follow.c), both parts of squash and what is affine, in one go,
// with the vertices in registers from joint to joint.
#include "deform/kernels/follow_series.h"
#include "deform/kernels/lanes_kit.h"

enum { MOST_SIDE = 2 * SIDE };

typedef struct link_gains {
    lanes turn, shift, squash, travel;
} link_gains;

// Numbers of a row are read four at a time and multiplied by parts of registers.
LIMBERI_INLINED void cross_and_dot(limberi_four e, const lanes* q, lanes* turned, lanes* dot) {
    turned[0] = limberi_lanes_fms(all(e[2]), q[1], all(e[1]) * q[2]);
    turned[1] = limberi_lanes_fms(all(e[0]), q[2], all(e[2]) * q[0]);
    turned[2] = limberi_lanes_fms(all(e[1]), q[0], all(e[0]) * q[1]);
    *dot = fma_(all(e[0]), q[0], fma_(all(e[1]), q[1], all(e[2]) * q[2]));
}

// sin x / x and (1 - cos x) / x^2 of u = x^2, up to half a radian or to half a turn.
LIMBERI_INLINED void link_series(lanes u, bool wide, lanes* sine, lanes* cosine) {
    if (wide) {
        *sine = limberi_follow_sine(u, LIMBERI_FOLLOW_TERMS);
        *cosine = limberi_follow_cosine(u, LIMBERI_FOLLOW_TERMS);
        return;
    }
    limberi_four s = limberi_four_load(sine_terms), c = limberi_four_load(cosine_terms);
    lanes u2 = u * u, u3 = u2 * u, one = all(1);
    *sine = fma_(u3, all(s[3]), fma_(u2, all(s[2]), fma_(u, all(s[1]), one)));
    *cosine = fma_(u3, all(c[3]), fma_(u2, all(c[2]), fma_(u, all(c[1]), one * all(c[0]))));
}

LIMBERI_INLINED void link_follow(lanes* d, const limberi_follow_row* row, const lanes* p, const link_gains* gains,
                                 bool wide) {
    limberi_four place = limberi_four_load(row->place), e = limberi_four_load(row->turn); // and reach^2, |turn|^2
    lanes one = all(1), q[3], turned[3], dot, sine, cosine;
    q[0] = limberi_lanes_fms(one, all(place[0]), p[0]);
    q[1] = limberi_lanes_fms(one, all(place[1]), p[1]);
    q[2] = limberi_lanes_fms(one, all(place[2]), p[2]);
    lanes square = fma_(q[0], q[0], fma_(q[1], q[1], q[2] * q[2])), whole = fma_(one, all(place[3]), square);
    lanes amount = gains->turn * limberi_lanes_sqrt(square / whole), amount2 = amount * amount;
    link_series(amount2 * all(e[3]), wide, &sine, &cosine);
    cross_and_dot(e, q, turned, &dot);
    lanes first = amount * sine, second = amount2 * cosine, toward = second * dot, less = second * all(e[3]);
    // second (e (e . q) - |e|^2 q) - first (e x q)
    d[0] = limberi_lanes_fms(first, turned[0], limberi_lanes_fms(less, q[0], toward * all(e[0])));
    d[1] = limberi_lanes_fms(first, turned[1], limberi_lanes_fms(less, q[1], toward * all(e[1])));
    d[2] = limberi_lanes_fms(first, turned[2], limberi_lanes_fms(less, q[2], toward * all(e[2])));
    if (row->shifts)
        subtract_along(d, row->shift, gains->shift * limberi_lanes_sqrt(square / (square + all(row->shift_reach2))));
}

// Angular squash, with a max.
LIMBERI_INLINED void link_squash(lanes* d, const limberi_turn_row* row, const lanes* p, lanes gain, float per_max2) {
    lanes a = distance(&row->first, p), b = distance(&row->second, p), second = distance(&row->squash_second, p);
    lanes one = all(1), rate = gain * all(row->squash_rate), square = rate * rate * fma_(a, a, b * b);
    lanes grown = limberi_lanes_sqrt(square / fma_(square, all(per_max2), one));
    grown = limberi_lanes_max(limberi_lanes_sign_of(grown, rate), all(-0.9f));
    add_along(d, row->push_first, grown * a);
    subtract_along(d, row->squash_second.d, grown * second / (one + grown));
}

LIMBERI_INLINED void link_travel(lanes* d, const limberi_travel_row* row, const lanes* p, lanes gain) {
    lanes one = all(1), grown = gain * all(row->rate), slope;
    if (row->max > 0)
        grown = limit_squash(grown, row->max, &slope);
    grown = limberi_lanes_max(grown, all(-0.9f));
    lanes across = one / limberi_lanes_sqrt(grown + one) - one;
    add_along(d, row->way.d, (grown - across) * distance(&row->way, p));
    for (int c = 0; c < 3; c++)
        d[c] = fma_(across, p[c] - all(row->centre[c]), d[c]);
}

// A symmetric matrix and a shift.
LIMBERI_INLINED void link_affine(lanes* d, const float* m, const lanes* p) {
    lanes xy = all(m[1]), xz = all(m[2]), yz = all(m[5]);
    d[0] = d[0] + fma_(all(m[0]), p[0], fma_(xy, p[1], fma_(xz, p[2], all(m[9]))));
    d[1] = d[1] + fma_(xy, p[0], fma_(all(m[4]), p[1], fma_(yz, p[2], all(m[10]))));
    d[2] = d[2] + fma_(xz, p[0], fma_(yz, p[1], fma_(all(m[8]), p[2], all(m[11]))));
}

LIMBERI_INLINED void link_one(lanes* p, const limberi_link_call* call, uint32_t v, const link_gains* gains,
                              float per_max2, bool wide) {
    lanes d[3] = {all(0), all(0), all(0)};
    if (call->follow)
        link_follow(d, call->follow, p, gains, wide);
    if (call->squash)
        link_squash(d, call->squash, p, gains->squash, per_max2);
    if (call->travel)
        link_travel(d, call->travel, p, gains->travel);
    if (call->affine)
        link_affine(d, call->affine, p);
    lanes w = get(call->weight, v);
    for (int c = 0; c < 3; c++)
        p[c] = fma_(w, d[c], p[c]);
}

// `side` vectors go side by side, since each joint waits for the one before.
LIMBERI_INLINED void link_some(const limberi_lane_block* block, uint32_t v, const limberi_link_call* calls,
                               uint32_t call_count, const limberi_link_mode* mode, float per_max2, bool wide,
                               uint32_t side) {
    lanes p[MOST_SIDE][3];
    link_gains gains[MOST_SIDE];
    for (uint32_t h = 0; h < side; h++) {
        uint32_t at = v + h * LIMBERI_LANE_COUNT;
        load(block->position, at, p[h]);
        gains[h].turn = get(mode->turn_gain, at);
        gains[h].shift = get(mode->shift_gain, at);
        gains[h].squash = get(mode->squash_gain, at);
        gains[h].travel = get(mode->travel_gain, at);
    }
    for (uint32_t i = 0; i < call_count; i++)
        for (uint32_t h = 0; h < side; h++)
            link_one(p[h], &calls[i], v + h * LIMBERI_LANE_COUNT, &gains[h], per_max2, wide);
    for (uint32_t h = 0; h < side; h++)
        for (int c = 0; c < 3; c++)
            limberi_lanes_store(block->position->v[c] + v + h * LIMBERI_LANE_COUNT, p[h][c]);
}

LIMBERI_INLINED void link_all(const limberi_lane_block* given, const limberi_link_call* calls, uint32_t call_count,
                              const limberi_link_mode* mode, bool wide) {
    const limberi_lane_block block = *given;
    float per_max2 = mode->max_squash > 0 ? 1 / (mode->max_squash * mode->max_squash) : 0;
    uint32_t v = 0;
    for (; v + MOST_SIDE * LIMBERI_LANE_COUNT <= block.width; v += MOST_SIDE * LIMBERI_LANE_COUNT)
        link_some(&block, v, calls, call_count, mode, per_max2, wide, MOST_SIDE);
    for (; v < block.width; v += SIDE * LIMBERI_LANE_COUNT)
        link_some(&block, v, calls, call_count, mode, per_max2, wide, SIDE);
}

void LIMBERI_VARIANT(limberi_link)(const limberi_lane_block* block, const limberi_link_call* calls, uint32_t call_count,
                                   const limberi_link_mode* mode) {
    float widest = 0;
    for (uint32_t i = 0; i < call_count; i++)
        if (calls[i].follow && calls[i].follow->turn2 > widest)
            widest = calls[i].follow->turn2;
    if (widest < 0.25f)
        link_all(block, calls, call_count, mode, false);
    else
        link_all(block, calls, call_count, mode, true);
}
