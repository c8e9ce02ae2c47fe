// The plain acceleration deformer (acceleration skinning, equation 9), of which drag and followthrough are the two
// shares: the one while the joint speeds up and the one while it slows down. Filtered accelerations come with their
// share already (motion/time_filter.h): filters run on what is left of them, so that a spring settles.
#ifndef LIMBERI_ACCELERATION_H
#define LIMBERI_ACCELERATION_H

#include "deform/gpu_rows.h"
#include "deform/plan.h"
#include "motion/time_filter.h"

#define LIMBERI_TURN_KEY(name, EFFECT)                                                                                 \
    LIMBERI_NUMBER_KEY(name, EFFECT, "turn", LIMBERI_VALUE_TURN, "s", 0, 60, "0.06",                                   \
                       "drag fades into followthrough this long before and after a motion turns; 0: hard switch")
#define LIMBERI_GATE_KEYS(name, EFFECT)                                                                                \
    LIMBERI_TURN_KEY(name, EFFECT),                                                                                    \
        LIMBERI_NUMBER_KEY(name, EFFECT, "gate.limit", LIMBERI_VALUE_GATE_LIMIT, "", 0, LIMBERI_MAX_GAIN, "1",         \
                           "gate \"product\": D of the paper, rad^2/s^3 or L^2/s^3; 0: hard switch"),                  \
        LIMBERI_CHOICE_KEY(name, EFFECT, "gate.type", LIMBERI_VALUE_GATE, "\"time\"", "time product",                  \
                           "what tells drag from followthrough: \"turn\", or velocity times acceleration")

// How drag and followthrough share a motion.
typedef struct limberi_gate_numbers {
    float turn_s, limit;
} limberi_gate_numbers;

// The limit of linear motion goes with the size.
static inline limberi_gate_numbers limberi_gate_of(const limber_effect_settings* settings, uint32_t part, float size,
                                                   float turn_s, float limit) {
    limberi_gate_numbers gate = {turn_s, 0};
    if (limberi_number_of(settings, LIMBERI_VALUE_GATE).value == LIMBER_GATE_PRODUCT) {
        gate.turn_s = 0;
        gate.limit = part == LIMBERI_LINEAR ? limit * size * size : limit;
    }
    return gate;
}

// `slowing` picks the share: D for followthrough, 1 - D for drag.
static inline float limberi_acceleration_share_of(limber_vec3 velocity, limber_vec3 acceleration,
                                                  limberi_gate_numbers gate, bool slowing) {
    float share = limberi_slowing_share(limberi_dot(velocity, acceleration), limberi_dot(acceleration, acceleration),
                                        gate.turn_s, gate.limit);
    return slowing ? share : 1 - share;
}

static inline void limberi_acceleration_share(const limber_effect_block* b, bool slowing) {
    limberi_turn turn;
    bool moves = !limberi_is_zero(b->acceleration);
    bool turns = limberi_turn_of(b->angular_acceleration, b->bone_direction, &turn);
    const float* turn_s = limberi_values_of(b, LIMBERI_VALUE_TURN);
    const float* limit = limberi_values_of(b, LIMBERI_VALUE_GATE_LIMIT);
    for (uint32_t i = 0; i < b->count; i++) {
        if (b->weight[i] == 0)
            continue;
        limber_vec3 d = limberi_vec3(0, 0, 0);
        if (moves && b->linear[i] != 0) {
            limberi_gate_numbers gate = limberi_gate_of(b->settings, LIMBERI_LINEAR, b->size, turn_s[i], limit[i]);
            float share = b->gated[LIMBERI_LINEAR]
                              ? 1
                              : limberi_acceleration_share_of(b->velocity, b->acceleration, gate, slowing);
            d = limberi_scale(b->acceleration, -b->linear[i] * share);
        }
        if (turns && b->angular[i] != 0) {
            limberi_gate_numbers gate = limberi_gate_of(b->settings, LIMBERI_ANGULAR, b->size, turn_s[i], limit[i]);
            float share =
                b->gated[LIMBERI_ANGULAR]
                    ? 1
                    : limberi_acceleration_share_of(b->angular_velocity, b->angular_acceleration, gate, slowing);
            d = limberi_add(d, limberi_scale(limberi_bend_back(b, i, &turn, b->angular[i]), share));
        }
        limberi_displace(b, i, d);
    }
}

static inline limberi_gate_numbers limberi_acceleration_gate(const limber_deformer* d, uint32_t slot, uint32_t part) {
    const limberi_block_values* constants = &d->frame.constants[slot];
    return limberi_gate_of(&d->settings.effects[slot], part, d->size, constants->v[LIMBERI_VALUE_TURN][0],
                           constants->v[LIMBERI_VALUE_GATE_LIMIT][0]);
}

// Of one part at one joint, for kernels and GPU rows.
static inline float limberi_acceleration_part(const limber_deformer* d, const limber_deform_job* job, uint32_t slot,
                                              const limber_effect_block* at, uint32_t part, bool slowing) {
    limberi_gate_numbers gate = limberi_acceleration_gate(d, slot, part);
    if (limberi_is_gated(d, job, slot, part))
        return 1;
    return part == LIMBERI_ANGULAR
               ? limberi_acceleration_share_of(at->angular_velocity, at->angular_acceleration, gate, slowing)
               : limberi_acceleration_share_of(at->velocity, at->acceleration, gate, slowing);
}

static inline void limberi_acceleration_plan(limberi_joint_plan* p, bool slowing) {
    const limber_deform_job* job = &p->d->frame.job;
    if (p->gain.linear != 0 && !limberi_is_zero(p->at.acceleration))
        limberi_plan_shift(p, -limberi_acceleration_part(p->d, job, p->slot, &p->at, LIMBERI_LINEAR, slowing),
                           p->at.acceleration);
    if (p->gain.angular != 0 && !limberi_is_zero(p->at.angular_acceleration))
        limberi_plan_bend(p, true, limberi_acceleration_part(p->d, job, p->slot, &p->at, LIMBERI_ANGULAR, slowing));
}

// limberi_acceleration_part of four joints.
static inline void limberi_acceleration_gpu_share(limberi_joint_quad* quad, uint32_t slot, uint32_t part,
                                                  bool slowing) {
    limberi_gate_numbers gate = limberi_acceleration_gate(quad->d, slot, part);
    limberi_vectors3 v = part == LIMBERI_ANGULAR ? quad->angular_velocity : quad->velocity;
    limberi_vectors3 a = part == LIMBERI_ANGULAR ? quad->angular_acceleration : quad->acceleration;
    limberi_lanes zero = limberi_lanes_all(0);
    limberi_lanes one = limberi_lanes_all(1);
    quad->share = one;
    if (limberi_is_gated(quad->d, quad->job, slot, part))
        return;
    limberi_lanes dot = limberi_vectors_dot(v, a);
    limberi_lanes square = limberi_vectors_dot(a, a);
    limberi_lanes hard = limberi_lanes_where(limberi_lanes_less(dot, zero), one);
    limberi_lanes x = limberi_lanes_share(0.5f - 0.5f * (dot / square) / gate.turn_s);
    limberi_mask soft = limberi_lanes_less(zero, square) & limberi_lanes_less(zero, limberi_lanes_all(gate.turn_s));
    limberi_lanes share = limberi_lanes_select(soft, x * x * (3 - 2 * x), hard);
    if (gate.limit > 0)
        share = limberi_lanes_share(-dot / gate.limit);
    quad->share = slowing ? share : 1 - share;
}

#endif
