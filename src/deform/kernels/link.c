// Joints of a chain that are followed: overlap (follow_kit.h), both parts of squash and what is affine, in one go, with
// the vertices in registers from joint to joint. Each joint waits for the one before, so several vectors go side by
// side within every step.
//
// Per joint and vertex about 69 additions and multiplications, four divisions and three roots (floppy and squash as a sum:
// 36, one and one): the turn 25, the distance from the joint 8, the shift 3, the angular squash 21, the linear one 9, the
// weight 3. Overlap and its squash turn about different axes, so they share no coordinates, and angles depend on the
// distance, so that joints of weight 1 do not fold into one matrix.
#include "deform/kernels/follow_kit.h"

// What is known of a joint, as constants of a copy of the loop.
typedef struct link_choice {
    bool varies; // gains differ from vertex to vertex, or squash may be negative
    bool wide;   // angles may be
    bool whole;  // it has everything but a squash that travels
    uint32_t side;
} link_choice;

// Vertices that go side by side.
typedef struct linking {
    lanes p[CHAIN_SIDE][3];
    lanes q[CHAIN_SIDE][3]; // from the joint
    lanes d[CHAIN_SIDE][3]; // what the joint does
} linking;

// Of a vector.
LIMBERI_INLINED lanes get_side(const float* from, uint32_t v, uint32_t h) {
    return get(from, v + h * LIMBERI_LANE_COUNT);
}

LIMBERI_INLINED void link_follow(linking* l, const limberi_follow_row* row, const limberi_link_mode* mode, uint32_t v,
                                 link_choice is) {
    for (uint32_t h = 0; h < is.side; h++) {
        lanes square = square_of(l->q[h]);
        lanes angle = share_of(square, row->reach2) * all(row->angle);
        lanes sine;
        lanes versine;
        if (is.varies)
            angle = angle * get_side(mode->turn_gain, v, h);
        find_sine_versine(angle, is.wide, &sine, &versine);
        add_turn(l->d[h], row, l->q[h], sine, versine);
        if (!is.whole && !row->shifts)
            continue;
        lanes share = share_of(square, 0.25f * row->reach2);
        subtract_along(l->d[h], row->shift, is.varies ? share * get_side(mode->shift_gain, v, h) : share);
    }
}

// Angular squash: s = rate distance / sqrt(1 + (rate distance / max)^2). Planes of its rows are as long as the rate.
LIMBERI_INLINED void link_squash(linking* l, const limberi_turn_row* row, const limberi_link_mode* mode, uint32_t v,
                                 link_choice is) {
    float per_max2 = mode->max_squash > 0 ? 1 / (mode->max_squash * mode->max_squash) : 0;
    for (uint32_t h = 0; h < is.side; h++) {
        lanes a = along(&row->first, l->q[h]);
        lanes b = along(&row->second, l->q[h]);
        lanes one = all(1);
        lanes square = fma_(a, a, b * b);
        lanes second = along(&row->squash_second, l->q[h]);
        lanes grown;
        if (is.varies) {
            lanes gain = get_side(mode->squash_gain, v, h);
            lanes whole = fma_(square * gain, gain * all(per_max2), one);
            grown = limberi_lanes_sqrt(square / whole) * gain * all(row->squash_rate);
            grown = limberi_lanes_max(grown, all(-0.9f));
        } else {
            grown = limberi_lanes_sqrt(square / fma_(square, all(per_max2), one));
        }
        add_along(l->d[h], row->push_first, grown * a);
        subtract_along(l->d[h], row->squash_second.d, grown * second / (one + grown));
    }
}

LIMBERI_INLINED void link_travel(lanes* d, const limberi_travel_row* row, const lanes* p, lanes gain) {
    lanes one = all(1);
    lanes grown = gain * all(row->rate);
    lanes slope;
    if (row->max > 0)
        grown = limit_squash(grown, row->max, &slope);
    grown = limberi_lanes_max(grown, all(-0.9f));
    lanes across = one / limberi_lanes_sqrt(grown + one) - one;
    add_along(d, row->way.d, (grown - across) * distance(&row->way, p));
    for (int c = 0; c < 3; c++)
        d[c] = fma_(across, p[c] - all(row->centre[c]), d[c]);
}

// d = a symmetric matrix times p, and a shift.
LIMBERI_INLINED void link_affine(lanes* d, const float* m, const lanes* p) {
    lanes xy = all(m[1]);
    lanes xz = all(m[2]);
    lanes yz = all(m[5]);
    d[0] = fma_(all(m[0]), p[0], fma_(xy, p[1], fma_(xz, p[2], all(m[9]))));
    d[1] = fma_(xy, p[0], fma_(all(m[4]), p[1], fma_(yz, p[2], all(m[10]))));
    d[2] = fma_(xz, p[0], fma_(yz, p[1], fma_(all(m[8]), p[2], all(m[11]))));
}

LIMBERI_INLINED void link_open(linking* l, const limberi_link_call* call, link_choice is) {
    for (uint32_t h = 0; h < is.side; h++) {
        way_from(call->place, l->p[h], l->q[h]);
        l->d[h][0] = l->d[h][1] = l->d[h][2] = all(0);
    }
    if (is.whole || call->affine)
        for (uint32_t h = 0; h < is.side; h++)
            link_affine(l->d[h], call->affine, l->p[h]);
}

LIMBERI_INLINED void link_one(linking* l, const limberi_link_call* call, const limberi_link_mode* mode, uint32_t v,
                              link_choice is) {
    link_open(l, call, is);
    if (is.whole || call->squash)
        link_squash(l, call->squash, mode, v, is);
    for (uint32_t h = 0; !is.whole && call->travel && h < is.side; h++)
        link_travel(l->d[h], call->travel, l->p[h], get_side(mode->travel_gain, v, h));
    if (is.whole || call->follow)
        link_follow(l, call->follow, mode, v, is);
    for (uint32_t h = 0; h < is.side; h++) {
        lanes weight = get_side(call->weight, v, h);
        for (int c = 0; c < 3; c++)
            l->p[h][c] = fma_(weight, l->d[h][c], l->p[h][c]);
    }
}

LIMBERI_INLINED void link_some(const limberi_lane_block* block, const limberi_link_call* calls, uint32_t call_count,
                               const limberi_link_mode* mode, uint32_t v, link_choice is) {
    const link_choice whole = {is.varies, is.wide, true, is.side};
    linking l;
    for (uint32_t h = 0; h < is.side; h++)
        load(block->position, v + h * LIMBERI_LANE_COUNT, l.p[h]);
    for (uint32_t i = 0; i < call_count; i++)
        if (calls[i].whole && !is.varies) // without branches compilers put squash between the steps of the turn
            link_one(&l, &calls[i], mode, v, whole);
        else
            link_one(&l, &calls[i], mode, v, is);
    for (uint32_t h = 0; h < is.side; h++)
        for (int c = 0; c < 3; c++)
            limberi_lanes_store(block->position->v[c] + v + h * LIMBERI_LANE_COUNT, l.p[h][c]);
}

LIMBERI_INLINED void link_all(const limberi_lane_block* given, const limberi_link_call* calls, uint32_t call_count,
                              const limberi_link_mode* mode, bool varies, bool wide) {
    const limberi_lane_block block = *given;
    const link_choice max = {varies, wide, false, CHAIN_SIDE};
    const link_choice rest = {varies, wide, false, SIDE};
    uint32_t v = 0;
    for (; v + CHAIN_SIDE * LIMBERI_LANE_COUNT <= block.width; v += CHAIN_SIDE * LIMBERI_LANE_COUNT)
        link_some(&block, calls, call_count, mode, v, max);
    for (; CHAIN_SIDE > SIDE && v < block.width; v += SIDE * LIMBERI_LANE_COUNT)
        link_some(&block, calls, call_count, mode, v, rest);
}

// Functions by themselves: of very long ones compilers take less care.
#define LINK_FUNCTION(name, varies, wide)                                                                              \
    static LIMBERI_NOT_INLINED void name(const limberi_lane_block* block, const limberi_link_call* calls,              \
                                         uint32_t call_count, const limberi_link_mode* mode) {                         \
        link_all(block, calls, call_count, mode, varies, wide);                                                        \
    }

LINK_FUNCTION(link_even, false, false)
LINK_FUNCTION(link_even_wide, false, true)
LINK_FUNCTION(link_varied, true, false)
LINK_FUNCTION(link_varied_wide, true, true)

void LIMBERI_VARIANT(limberi_link)(const limberi_lane_block* block, const limberi_link_call* calls, uint32_t call_count,
                                   const limberi_link_mode* mode) {
    bool varies = mode->varies;
    bool wide = false;
    for (uint32_t i = 0; i < call_count; i++) {
        wide = wide || (calls[i].follow && is_wide(calls[i].follow));
        varies = varies || (calls[i].squash && calls[i].squash->squash_rate < 0);
    }
    if (varies)
        (wide ? link_varied_wide : link_varied)(block, calls, call_count, mode);
    else
        (wide ? link_even_wide : link_even)(block, calls, call_count, mode);
}
