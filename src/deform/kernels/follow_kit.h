// A joint that the skin follows, at some vertices: q is the way from the joint, a and b its coordinates across the axis.
//   v = |q| / sqrt(|q|^2 + reach^2), angle = gain v angle of the row
//   (sin b - (1 - cos) a) first - (sin a + (1 - cos) b) second - gain v' shift, v' with half the reach
#ifndef LIMBERI_DEFORM_FOLLOW_KIT_H
#define LIMBERI_DEFORM_FOLLOW_KIT_H

#include "deform/kernels/lanes_kit.h"

LIMBERI_INLINED void way_from(const float* place, const lanes* p, lanes* q) {
    limberi_four f = limberi_four_load(place);
    q[0] = p[0] - all(f[0]);
    q[1] = p[1] - all(f[1]);
    q[2] = p[2] - all(f[2]);
}

LIMBERI_INLINED lanes square_of(const lanes* q) {
    return fma_(q[0], q[0], fma_(q[1], q[1], q[2] * q[2]));
}

// v
LIMBERI_INLINED lanes share_of(lanes square, float reach2) {
    return limberi_lanes_sqrt(square / (square + all(reach2)));
}

// Angles above half a radian are wide.
LIMBERI_INLINED bool is_wide(const limberi_follow_row* row) {
    return row->angle > 0.5f;
}

// sin and 1 - cos; of angles that are not wide as limberi_lanes_tiny_sine_versine has them, in an order in which Arm
// multiplies by parts of a register.
LIMBERI_INLINED void find_sine_versine(lanes angle, bool wide, lanes* sine, lanes* versine) {
    static const float terms[4] = {-0.16666512f, 0.00828389f, -0.0416658f, 0.00137962f};
    lanes u = angle * angle;
    lanes u2 = u * u;
    lanes cube = angle * u;
    limberi_four t = limberi_four_load(terms);
    if (wide) {
        limberi_lanes_sine_versine(angle, u, sine, versine);
        return;
    }
    *sine = fma_(cube * u, all(t[1]), fma_(cube, all(t[0]), angle));
    *versine = fma_(u2 * u, all(t[3]), fma_(u2, all(t[2]), u * all(0.5f)));
}

LIMBERI_INLINED void find_across(const limberi_follow_row* row, const lanes* q, lanes* a, lanes* b) {
    limberi_four first = limberi_four_load(row->first);
    limberi_four second = limberi_four_load(row->second);
    *a = fma_(q[0], all(first[0]), q[1] * all(first[1]));
    *b = fma_(q[0], all(second[0]), fma_(q[1], all(second[1]), q[2] * all(second[2])));
}

LIMBERI_INLINED void add_turn(lanes* d, const limberi_follow_row* row, const lanes* q, lanes sine, lanes versine) {
    limberi_four first = limberi_four_load(row->first);
    lanes a, b;
    find_across(row, q, &a, &b);
    lanes more = limberi_lanes_fms(versine, a, sine * b);
    d[0] = fma_(more, all(first[0]), d[0]);
    d[1] = fma_(more, all(first[1]), d[1]);
    subtract_along(d, row->second, fma_(versine, b, sine * a));
}

#endif
