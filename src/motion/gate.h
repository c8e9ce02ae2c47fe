// Which share of an acceleration belongs to a motion that starts and which to one that stops, by the time to the
// turning point.
#ifndef LIMBERI_MOTION_GATE_H
#define LIMBERI_MOTION_GATE_H

#include "base/math.h"
#include <limber/stages/motion.h>

// `dot` is velocity . acceleration, `square` acceleration . acceleration. t = -dot / square is the time until the motion
// turns round, negative after it; the result is smoothstep(-turn, turn, t): 1 while the motion stops, 0 while it starts,
// half at the turning point. A turn of 0 is a hard switch.
static inline float limberi_slowing_share(float dot, float square, float turn_s) {
    if (!(turn_s > 0) || !(square > 0))
        return dot < 0 ? 1.0f : 0.0f;
    float x = 0.5f - 0.5f * (dot / square) / turn_s;
    x = x < 0 ? 0 : x > 1 ? 1 : x;
    return x * x * (3 - 2 * x);
}

static inline limber_vec3 limberi_gated(limber_gate gate, double turn_s, limber_vec3 velocity,
                                        limber_vec3 acceleration) {
    if (gate == LIMBER_GATE_NONE)
        return acceleration;
    float share = limberi_slowing_share(limberi_dot(velocity, acceleration), limberi_dot(acceleration, acceleration),
                                        (float)turn_s);
    return limberi_scale(acceleration, gate == LIMBER_GATE_STOPPING ? share : 1 - share);
}

#endif
