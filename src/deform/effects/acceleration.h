// The plain acceleration deformer (acceleration skinning, equation 9), of which drag and followthrough are the two
// shares: the one while the joint speeds up and the one while it slows down.
#ifndef LIMBERI_ACCELERATION_H
#define LIMBERI_ACCELERATION_H

#include "deform/gpu_rows.h"
#include "deform/plan.h"

#define LIMBERI_THRESHOLD_KEY(name, EFFECT)                                                                            \
    LIMBERI_NUMBER_KEY(                                                                                                \
        name, EFFECT, "threshold", threshold, "", 0, LIMBERI_MAX_GAIN, "0.5",                                          \
        "how much braking counts as a stop; below it drag and follow-through share the motion; 0: hard switch")

// `slowing` picks the share: D for followthrough, 1 - D for drag.
static inline void limberi_acceleration_share(const limber_effect_block* b, bool slowing) {
    limberi_turn turn;
    bool moves = !limberi_is_still(b->acceleration);
    bool turns = limberi_turn_of(b->angular_acceleration, b->bone_direction, &turn);
    float linear_dot = limberi_dot(b->velocity, b->acceleration) / (b->size * b->size);
    float angular_dot = limberi_dot(b->angular_velocity, b->angular_acceleration);
    for (uint32_t i = 0; i < b->count; i++) {
        if (b->weight[i] == 0)
            continue;
        limber_vec3 d = limberi_vec3(0, 0, 0);
        if (moves && b->linear[i] != 0) {
            float share = limberi_opposition(linear_dot, b->threshold[i]);
            d = limberi_scale(b->acceleration, -b->linear[i] * (slowing ? share : 1 - share));
        }
        if (turns && b->angular[i] != 0) {
            float share = limberi_opposition(angular_dot, b->threshold[i]);
            limber_vec3 bent = limberi_bend_back(b, i, &turn, b->angular[i]);
            d = limberi_add(d, limberi_scale(bent, slowing ? share : 1 - share));
        }
        limberi_displace(b, i, d);
    }
}

static inline void limberi_acceleration_plan(limberi_joint_plan* p, bool slowing) {
    const limber_effect_block* at = &p->at;
    float threshold = p->d->frame.constants[p->slot].v[LIMBERI_VALUE_THRESHOLD][0];
    float opposed = limberi_opposition(limberi_dot(at->velocity, at->acceleration) / (at->size * at->size), threshold);
    limberi_plan_shift(p, slowing ? -opposed : opposed - 1, at->acceleration);
    opposed = limberi_opposition(limberi_dot(at->angular_velocity, at->angular_acceleration), threshold);
    limberi_plan_bend(p, true, slowing ? opposed : 1 - opposed);
}

static inline float limberi_acceleration_gpu_share(const limberi_gpu_pen* pen, uint32_t slot, uint32_t part,
                                                   bool slowing) {
    const limber_effect_block* at = &pen->at;
    float dot = part == LIMBERI_ANGULAR ? limberi_dot(at->angular_velocity, at->angular_acceleration)
                                        : limberi_dot(at->velocity, at->acceleration) / (at->size * at->size);
    float opposed = limberi_opposition(dot, pen->d->frame.constants[slot].v[LIMBERI_VALUE_THRESHOLD][0]);
    return slowing ? opposed : 1 - opposed;
}

#endif
