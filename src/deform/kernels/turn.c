// Bend and angular squash of all joints that turn, over a group of vertices:
//   - in the plane across the axis, where only two coordinates count, measured in radians;
//   - bend and squash share the distance from the axis;
//   - the same loop is compiled for what a list of joints needs, and for no more.
// Composed as a chain, what a joint does is added to the position itself, which the next joint sees.
//
// What did not help (cow, arm64): one joint at a time: seven percent fewer instructions, since no sums are spilled, and
// two percent more time; one vector at a time: six percent more time. Counting instead of branching where a list of
// joints is chosen: one to three percent slower. Shorter lists of joints: two percent slower on the giraffe. Reciprocals
// and roots by Newton's steps: 0.84 and 1.57 ns for four, 1.15 and 1.35 ns by division and root, which overlap with other
// work.
#include "base/build.h"
#include "deform/kernels/lanes_kit.h"

// slopes += direction x change
LIMBERI_INLINED void add_slopes(lanes* slopes, const float* direction, const lanes* change) {
    add_along(slopes, direction, change[0]);
    add_along(slopes + 3, direction, change[1]);
    add_along(slopes + 6, direction, change[2]);
}

LIMBERI_INLINED void subtract_slopes(lanes* slopes, const float* direction, const lanes* change) {
    subtract_along(slopes, direction, change[0]);
    subtract_along(slopes + 3, direction, change[1]);
    subtract_along(slopes + 6, direction, change[2]);
}

// How a plane's coordinate changes along the axes: with its direction, and along a chain with how the position does.
LIMBERI_INLINED void find_gradient(const limberi_plane* plane, const lanes* slopes, lanes* out) {
    limberi_four f = limberi_four_load(plane->d);
    for (int c = 0; c < 3; c++)
        out[c] = fma_(slopes[3 * c], all(f[0]),
                      fma_(slopes[3 * c + 1], all(f[1]), fma_(slopes[3 * c + 2], all(f[2]), all(plane->d[c]))));
}

// to = amount * direction
LIMBERI_INLINED void set_along(lanes* to, const float* direction, lanes amount) {
    limberi_four f = limberi_four_load(direction);
    to[0] = amount * all(f[0]);
    to[1] = amount * all(f[1]);
    to[2] = amount * all(f[2]);
}

typedef struct turning {
    summing s;
    lanes bend, limit, squash; // gains
    // for the current joint
    lanes a, b, distance, angle, slope, sine, versine, grown, growth, inverse, second;
} turning;

// What a list of joints does, as constants of a copy of the kernel.
typedef struct turn_choice {
    bool bend, squash;
    limberi_turn_reach reach;
    bool varies, derivatives;
    bool limited; // the squash has a max; gains vary then
    bool chain, affine;
} turn_choice;

// How the coordinates of a row change, along a chain.
typedef struct gradients {
    lanes first[3], second[3], squash[3];
} gradients;

// to = amount * gradient, and to += amount * gradient
LIMBERI_INLINED void set_toward(lanes* to, const limberi_plane* plane, const lanes* gradient, lanes amount,
                                turn_choice is) {
    if (!is.chain)
        set_along(to, plane->d, amount);
    for (int c = 0; is.chain && c < 3; c++)
        to[c] = amount * gradient[c];
}

LIMBERI_INLINED void add_toward(lanes* to, const limberi_plane* plane, const lanes* gradient, lanes amount,
                                turn_choice is) {
    if (!is.chain)
        add_along(to, plane->d, amount);
    for (int c = 0; is.chain && c < 3; c++)
        to[c] = fma_(amount, gradient[c], to[c]);
}

LIMBERI_INLINED void subtract_toward(lanes* to, const limberi_plane* plane, const lanes* gradient, lanes amount,
                                     turn_choice is) {
    if (!is.chain)
        subtract_along(to, plane->d, amount);
    for (int c = 0; is.chain && c < 3; c++)
        to[c] = limberi_lanes_fms(amount, gradient[c], to[c]);
}

// Angles ease into their limit from three quarters on (limberi_limit_angle).
LIMBERI_INLINED void limit_angle(turning* t) {
    lanes knee = all(0.75f) * t->limit;
    lanes room = all(0.25f) * t->limit;
    lanes past = limberi_lanes_abs(t->angle) - knee;
    limberi_mask eased = limberi_lanes_less(all(0), past) & limberi_lanes_less(all(0), t->limit);
    lanes share = room / limberi_lanes_select(eased, room + past, all(1));
    lanes angle = limberi_lanes_min(fma_(past, share, knee), t->limit);
    t->angle = limberi_lanes_select(eased, limberi_lanes_sign_of(angle, t->angle), t->angle);
    t->slope = limberi_lanes_select(eased, t->slope * share * share, t->slope);
}

LIMBERI_INLINED void find_bend(turning* t, lanes square, turn_choice is) {
    t->slope = is.varies ? t->bend : all(1);
    t->angle = is.varies ? t->bend * t->distance : t->distance;
    if (is.reach == LIMBERI_TURN_WIDE) {
        limit_angle(t);
        t->angle = limberi_lanes_within_turn(t->angle);
    }
    if (is.varies)
        square = t->angle * t->angle;
    if (is.reach == LIMBERI_TURN_WIDE)
        limberi_lanes_sine_versine(t->angle, square, &t->sine, &t->versine);
    else if (is.reach == LIMBERI_TURN_SMALL)
        limberi_lanes_small_sine_versine(t->angle, square, &t->sine, &t->versine);
    else if (is.reach == LIMBERI_TURN_TINY)
        limberi_lanes_tiny_sine_versine(t->angle, square, &t->sine, &t->versine);
    else
        limberi_lanes_faint_sine_versine(t->angle, square, &t->sine, &t->versine);
}

// 1 + s never goes below 0.1; where it could, gains vary, as they do in the widest reach.
LIMBERI_INLINED void find_squash(turning* t, const limberi_turn_row* row, float max, turn_choice is) {
    t->grown = (is.varies ? t->squash * t->distance : t->distance) * all(row->squash_rate);
    if (is.limited)
        t->grown = limit_squash(t->grown, max, &t->growth);
    if (is.varies)
        t->grown = limberi_lanes_max(t->grown, all(-0.9f));
    t->inverse = all(1) / (all(1) + t->grown);
}

// Against first, along second, against squash_second.
LIMBERI_INLINED void displace(turning* t, const limberi_turn_row* row, lanes weight, turn_choice is) {
    lanes d[3] = {all(0), all(0), all(0)};
    lanes* to = is.chain ? t->s.p : t->s.d;
    if (is.bend) {
        lanes less = is.squash ? t->versine - t->grown : t->versine;
        d[0] = fma_(t->sine, t->b, less * t->a);
        d[1] = limberi_lanes_fms(t->versine, t->b, t->sine * t->a);
    } else {
        d[0] = -(t->grown * t->a);
    }
    if (is.squash)
        d[2] = t->grown * t->second * t->inverse;
    for (int i = 0; i < 3; i++)
        d[i] = d[i] * weight;
    subtract_along(to, row->push_first, d[0]);
    if (is.bend)
        add_along(to, row->push_second, d[1]);
    if (is.squash)
        subtract_along(to, row->squash_second.d, d[2]);
}

// How the squash across the medial axis changes; `more` is how it grows with the distance.
LIMBERI_INLINED void slope_across(turning* t, const limberi_turn_row* row, lanes more, lanes a, lanes b, lanes weight,
                                  const gradients* along, turn_choice is) {
    lanes change[3];
    lanes thinner = t->inverse * t->inverse * more * t->second;
    set_toward(change, &row->squash_second, along->squash, t->grown * t->inverse * weight, is);
    add_toward(change, &row->first, along->first, thinner * a, is);
    add_toward(change, &row->second, along->second, thinner * b, is);
    subtract_slopes(t->s.slopes, row->squash_second.d, change);
}

// How the displacements change with a and b: by their factors, and by these factors' changes with the distance.
LIMBERI_INLINED void slope(turning* t, const limberi_turn_row* row, lanes weight, const gradients* along,
                           turn_choice is) {
    lanes apart = limberi_lanes_inverse(t->distance);
    lanes a = t->a * apart;
    lanes b = t->b * apart;
    lanes more = all(0);
    lanes change[3];
    if (is.squash) {
        more = is.varies ? t->squash * all(row->squash_rate) : all(row->squash_rate);
        if (is.limited)
            more = more * t->growth;
        if (is.varies) // no change where 1 + s is held at its least
            more = limberi_lanes_select(limberi_lanes_less(all(-0.9f), t->grown), more, all(0));
        more = more * weight;
        slope_across(t, row, more, a, b, weight, along, is);
    }
    if (!is.bend) {
        set_toward(change, &row->first, along->first, fma_(more * t->a, a, t->grown * weight), is);
        add_toward(change, &row->second, along->second, more * t->a * b, is);
        add_slopes(t->s.slopes, row->push_first, change);
        return;
    }
    lanes sine = t->sine * weight;
    lanes versine = t->versine * weight;
    lanes sine_slope = t->slope * sine;
    lanes cosine_slope = t->slope * (weight - versine);
    lanes swerve = limberi_lanes_fms(sine_slope, t->b, cosine_slope * t->a);
    lanes less = is.squash ? limberi_lanes_fms(t->grown, weight, versine) : versine;
    lanes slower = fma_(is.squash ? sine_slope - more : sine_slope, t->a, cosine_slope * t->b);
    set_toward(change, &row->first, along->first, fma_(slower, a, less), is);
    add_toward(change, &row->second, along->second, fma_(slower, b, sine), is);
    subtract_slopes(t->s.slopes, row->push_first, change);
    set_toward(change, &row->first, along->first, fma_(swerve, a, sine), is);
    subtract_toward(change, &row->second, along->second, limberi_lanes_fms(swerve, b, versine), is);
    add_slopes(t->s.slopes, row->push_second, change);
}

LIMBERI_INLINED void find_gradients(const summing* s, const limberi_turn_row* row, turn_choice is, gradients* out) {
    find_gradient(&row->first, s->slopes, out->first);
    find_gradient(&row->second, s->slopes, out->second);
    if (is.squash)
        find_gradient(&row->squash_second, s->slopes, out->squash);
}

// to += matrix * q
LIMBERI_INLINED void add_times(lanes* to, const float* matrix, const lanes* q) {
    limberi_four f = limberi_four_load(matrix);
    limberi_four g = limberi_four_load(matrix + 4);
    limberi_four h = limberi_four_load(matrix + 8);
    to[0] = fma_(q[2], all(g[2]), fma_(q[1], all(f[3]), fma_(q[0], all(f[0]), to[0])));
    to[1] = fma_(q[2], all(g[3]), fma_(q[1], all(g[0]), fma_(q[0], all(f[1]), to[1])));
    to[2] = fma_(q[2], all(h[0]), fma_(q[1], all(g[1]), fma_(q[0], all(f[2]), to[2])));
}

// p += weight * (matrix p + shift), and what that does to the slopes.
LIMBERI_INLINED void move_along(summing* s, const limberi_row_call* call, lanes weight, uint32_t v, bool derivatives) {
    lanes scale = weight * get(call->affine_gain, v);
    lanes q[3] = {scale * s->p[0], scale * s->p[1], scale * s->p[2]};
    limberi_four h = limberi_four_load(call->affine + 8);
    s->p[0] = fma_(scale, all(h[1]), s->p[0]);
    s->p[1] = fma_(scale, all(h[2]), s->p[1]);
    s->p[2] = fma_(scale, all(h[3]), s->p[2]);
    add_times(s->p, call->affine, q);
    for (int c = 0; derivatives && c < 3; c++) {
        for (int r = 0; r < 3; r++)
            q[r] = r == c ? fma_(scale, s->slopes[3 * c + r], scale) : scale * s->slopes[3 * c + r];
        add_times(s->slopes + 3 * c, call->affine, q);
    }
}

LIMBERI_INLINED void turn_one(turning* t, const limberi_row_call* call, uint32_t v, float max, turn_choice is) {
    const limberi_turn_row* row = call->row;
    lanes weight = get(call->weight, v);
    t->a = distance(&row->first, t->s.p);
    t->b = distance(&row->second, t->s.p);
    lanes square = fma_(t->a, t->a, t->b * t->b);
    t->distance = limberi_lanes_sqrt(square);
    if (is.squash) {
        t->second = distance(&row->squash_second, t->s.p);
        find_squash(t, row, max, is);
    }
    gradients along;
    if (is.derivatives && is.chain)
        find_gradients(&t->s, row, is, &along);
    if (is.affine && call->affine) // everything the turn needs of the position is known
        move_along(&t->s, call, weight, v, is.derivatives);
    if (is.bend)
        find_bend(t, square, is);
    displace(t, row, weight, is);
    if (is.derivatives)
        slope(t, row, weight, &along, is);
}

LIMBERI_INLINED void turn_open(turning* t, const limberi_lane_block* block, uint32_t v, const limberi_turn_mode* mode,
                               turn_choice is) {
    if (is.chain)
        open_chain(&t->s, block, v, is.derivatives);
    else
        open_sums(&t->s, block, v, is.derivatives);
    t->bend = is.varies && mode->bend_gain ? get(mode->bend_gain, v) : all(1);
    t->squash = is.varies && mode->squash_gain ? get(mode->squash_gain, v) : all(1);
    t->limit = mode->limit ? get(mode->limit, v) : all(0);
}

LIMBERI_INLINED void turn_all(const limberi_lane_block* given, const limberi_row_call* calls, uint32_t call_count,
                              const limberi_turn_mode* mode, turn_choice is) {
    const limberi_lane_block block = *given;
    const float max = mode->max_squash;
    const uint32_t sides = is.derivatives ? 1 : SIDE; // with derivatives one fills the registers
    for (uint32_t v = 0; v < block.width; v += sides * LIMBERI_LANE_COUNT) {
        turning t[SIDE];
        uint32_t i = 0;
        for (uint32_t h = 0; h < sides; h++)
            turn_open(&t[h], &block, v + h * LIMBERI_LANE_COUNT, mode, is);
        for (; SIDE > 1 && i + 1 < call_count; i += 2) {
            for (uint32_t h = 0; h < sides; h++)
                turn_one(&t[h], &calls[i], v + h * LIMBERI_LANE_COUNT, max, is);
            for (uint32_t h = 0; h < sides; h++)
                turn_one(&t[h], &calls[i + 1], v + h * LIMBERI_LANE_COUNT, max, is);
        }
        for (; i < call_count; i++)
            for (uint32_t h = 0; h < sides; h++)
                turn_one(&t[h], &calls[i], v + h * LIMBERI_LANE_COUNT, max, is);
        for (uint32_t h = 0; h < sides; h++)
            close_sums(&t[h].s, &block, v + h * LIMBERI_LANE_COUNT, is.derivatives);
    }
}

LIMBERI_INLINED void chain_some(const limberi_lane_block* block, const limberi_row_call* calls, uint32_t call_count,
                                const limberi_turn_mode* mode, uint32_t v, uint32_t sides, turn_choice is) {
    turning t[CHAIN_SIDE];
    for (uint32_t h = 0; h < sides; h++)
        turn_open(&t[h], block, v + h * LIMBERI_LANE_COUNT, mode, is);
    for (uint32_t i = 0; i < call_count; i++)
        for (uint32_t h = 0; h < sides; h++)
            turn_one(&t[h], &calls[i], v + h * LIMBERI_LANE_COUNT, mode->max_squash, is);
    for (uint32_t h = 0; h < sides; h++)
        close_chain(&t[h].s, block, v + h * LIMBERI_LANE_COUNT, is.derivatives);
}

// The same along a chain. Every joint waits for the one before, so two of them side by side would gain nothing, and
// more vectors do.
LIMBERI_INLINED void chain_all(const limberi_lane_block* given, const limberi_row_call* calls, uint32_t call_count,
                               const limberi_turn_mode* mode, turn_choice is) {
    const limberi_lane_block block = *given;
    const uint32_t sides = is.derivatives ? 1 : CHAIN_SIDE;
    const uint32_t rest = is.derivatives ? 1 : SIDE;
    uint32_t v = 0;
    for (; v + sides * LIMBERI_LANE_COUNT <= block.width; v += sides * LIMBERI_LANE_COUNT)
        chain_some(&block, calls, call_count, mode, v, sides, is);
    for (; sides > rest && v < block.width; v += rest * LIMBERI_LANE_COUNT)
        chain_some(&block, calls, call_count, mode, v, rest, is);
}

LIMBERI_COPIED void run_all(const limberi_lane_block* block, const limberi_row_call* calls, uint32_t call_count,
                            const limberi_turn_mode* mode, turn_choice is) {
    if (is.chain)
        chain_all(block, calls, call_count, mode, is);
    else
        turn_all(block, calls, call_count, mode, is);
}

// Copies of these in which the choices are constants.
LIMBERI_INLINED void turn_reach(const limberi_lane_block* block, const limberi_row_call* calls, uint32_t call_count,
                                const limberi_turn_mode* mode, turn_choice is) {
    is.varies = true; // with gains of 1 where there are none
    if (is.limited || is.affine || is.reach == LIMBERI_TURN_WIDE || mode->bend_gain || mode->squash_gain) {
        run_all(block, calls, call_count, mode, is);
        return;
    }
    is.varies = false;
    run_all(block, calls, call_count, mode, is);
}

LIMBERI_INLINED void turn_kind(const limberi_lane_block* block, const limberi_row_call* calls, uint32_t call_count,
                               const limberi_turn_mode* mode, turn_choice is) {
    is.reach = LIMBERI_TURN_WIDE;
    if (mode->reach == LIMBERI_TURN_WIDE || (LIMBERI_IS_SMALL && is.derivatives)) {
        turn_reach(block, calls, call_count, mode, is);
        return;
    }
    is.reach = LIMBERI_TURN_SMALL;
    if (is.bend && (mode->reach == LIMBERI_TURN_SMALL || is.derivatives)) {
        turn_reach(block, calls, call_count, mode, is);
        return;
    }
    is.reach = LIMBERI_TURN_TINY;
    if (is.bend && (mode->reach == LIMBERI_TURN_TINY || is.affine)) {
        turn_reach(block, calls, call_count, mode, is);
        return;
    }
    is.reach = LIMBERI_TURN_FAINT;
    turn_reach(block, calls, call_count, mode, is);
}

LIMBERI_INLINED void turn_choose(const limberi_lane_block* block, const limberi_row_call* calls, uint32_t call_count,
                                 const limberi_turn_mode* mode, bool derivatives, bool limited, bool chain,
                                 bool affine) {
    turn_choice both = {true, true, LIMBERI_TURN_WIDE, true, derivatives, limited, chain, affine};
    turn_choice bend = both;
    turn_choice squash = both;
    bend.squash = squash.bend = false;
    if (mode->bend && mode->squash)
        turn_kind(block, calls, call_count, mode, both);
    else if (!limited && mode->bend)
        turn_kind(block, calls, call_count, mode, bend);
    else
        turn_kind(block, calls, call_count, mode, squash);
}

// Functions by themselves: of very long ones compilers take less care.
#define TURN_FUNCTION(name, derivatives, limited, chain, affine)                                                       \
    static LIMBERI_NOT_INLINED void name(const limberi_lane_block* block, const limberi_row_call* calls,               \
                                         uint32_t call_count, const limberi_turn_mode* mode) {                         \
        turn_choose(block, calls, call_count, mode, derivatives, limited, chain, affine);                              \
    }
#define TURN_FUNCTIONS(name, chain, affine)                                                                            \
    TURN_FUNCTION(name, false, false, chain, affine)                                                                   \
    TURN_FUNCTION(name##_slopes, true, false, chain, affine)                                                           \
    TURN_FUNCTION(name##_limited, false, true, chain, affine)                                                          \
    TURN_FUNCTION(name##_limited_slopes, true, true, chain, affine)

TURN_FUNCTION(turn_limited, false, true, false, false)
TURN_FUNCTION(turn_limited_slopes, true, true, false, false)
TURN_FUNCTIONS(chain, true, false)
TURN_FUNCTIONS(chain_affine, true, true)

typedef void turn_function(const limberi_lane_block* block, const limberi_row_call* calls, uint32_t call_count,
                           const limberi_turn_mode* mode);

void LIMBERI_VARIANT(limberi_turn)(const limberi_lane_block* block, const limberi_row_call* calls, uint32_t call_count,
                                   const limberi_turn_mode* mode) {
    static turn_function* const chains[2][2][2] = {
        {{chain, chain_slopes}, {chain_limited, chain_limited_slopes}},
        {{chain_affine, chain_affine_slopes}, {chain_affine_limited, chain_affine_limited_slopes}}};
    bool limited = mode->squash && mode->max_squash > 0;
    if (mode->chain)
        chains[mode->affine][limited][block->slopes != NULL](block, calls, call_count, mode);
    else if (limited)
        (block->slopes ? turn_limited_slopes : turn_limited)(block, calls, call_count, mode);
    else if (block->slopes)
        turn_choose(block, calls, call_count, mode, true, false, false, false);
    else
        turn_choose(block, calls, call_count, mode, false, false, false, false);
}
