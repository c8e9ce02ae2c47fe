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

// `slowing` picks the share: D for followthrough, 1 - D for drag.
static inline float limberi_acceleration_share_of(limber_vec3 velocity, limber_vec3 acceleration, float turn_s,
                                                  bool slowing) {
    float share =
        limberi_slowing_share(limberi_dot(velocity, acceleration), limberi_dot(acceleration, acceleration), turn_s);
    return slowing ? share : 1 - share;
}

static inline void limberi_acceleration_share(const limber_effect_block* b, bool slowing) {
    limberi_turn turn;
    bool moves = !limberi_is_still(b->acceleration);
    bool turns = limberi_turn_of(b->angular_acceleration, b->bone_direction, &turn);
    const float* turn_s = limberi_values_of(b, LIMBERI_VALUE_TURN);
    for (uint32_t i = 0; i < b->count; i++) {
        if (b->weight[i] == 0)
            continue;
        limber_vec3 d = limberi_vec3(0, 0, 0);
        if (moves && b->linear[i] != 0) {
            float share = b->gated[LIMBERI_LINEAR]
                              ? 1
                              : limberi_acceleration_share_of(b->velocity, b->acceleration, turn_s[i], slowing);
            d = limberi_scale(b->acceleration, -b->linear[i] * share);
        }
        if (turns && b->angular[i] != 0) {
            float share =
                b->gated[LIMBERI_ANGULAR]
                    ? 1
                    : limberi_acceleration_share_of(b->angular_velocity, b->angular_acceleration, turn_s[i], slowing);
            d = limberi_add(d, limberi_scale(limberi_bend_back(b, i, &turn, b->angular[i]), share));
        }
        limberi_displace(b, i, d);
    }
}

// Of one part at one joint, for kernels and GPU rows.
static inline float limberi_acceleration_part(const limber_deformer* d, const limber_deform_job* job, uint32_t slot,
                                              const limber_effect_block* at, uint32_t part, bool slowing) {
    float turn_s = d->frame.constants[slot].v[LIMBERI_VALUE_TURN][0];
    if (limberi_is_gated(d, job, slot, part))
        return 1;
    return part == LIMBERI_ANGULAR
               ? limberi_acceleration_share_of(at->angular_velocity, at->angular_acceleration, turn_s, slowing)
               : limberi_acceleration_share_of(at->velocity, at->acceleration, turn_s, slowing);
}

static inline void limberi_acceleration_plan(limberi_joint_plan* p, bool slowing) {
    const limber_deform_job* job = &p->d->frame.job;
    if (p->gain.linear != 0 && !limberi_is_still(p->at.acceleration))
        limberi_plan_shift(p, -limberi_acceleration_part(p->d, job, p->slot, &p->at, LIMBERI_LINEAR, slowing),
                           p->at.acceleration);
    if (p->gain.angular != 0 && !limberi_is_still(p->at.angular_acceleration))
        limberi_plan_bend(p, true, limberi_acceleration_part(p->d, job, p->slot, &p->at, LIMBERI_ANGULAR, slowing));
}

// limberi_acceleration_part of four joints.
static inline void limberi_acceleration_gpu_share(limberi_joint_quad* quad, uint32_t slot, uint32_t part,
                                                  bool slowing) {
    float turn_s = limberi_gpu_constant(quad, slot, LIMBERI_VALUE_TURN);
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
    limberi_lanes x = limberi_lanes_share(0.5f - 0.5f * (dot / square) / turn_s);
    limberi_mask soft = limberi_lanes_less(zero, square) & limberi_lanes_less(zero, limberi_lanes_all(turn_s));
    limberi_lanes share = limberi_lanes_select(soft, x * x * (3 - 2 * x), hard);
    quad->share = slowing ? share : 1 - share;
}

#endif
