// How often the effects are near the limits that the style sets: what is there wants to go further, and all of it looks
// the same.
#include "deform/deformer.h"
#include "pipeline/state.h"
#include "review/review_private.h"

#include <string.h>

static const float near = 0.9f; // of a limit

void limberi_limits_begin(limberi_limits* l, limberi_arena* arena, const limber_model* model) {
    memset(l, 0, sizeof *l);
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
        if (limberi_effects[e]->limit.key)
            l->effects[e].joints = LIMBERI_ALLOCATE(arena, uint32_t, model->rig.joint_count);
}

void limberi_limits_add(limberi_limits* l, const limber_pipeline* styled) {
    const limber_deformer* d = limberi_pipeline_state_of(styled).deformer;
    l->frames++;
    if (!d || !d->frame.constants_ready)
        return;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++) {
        const limberi_effect* effect = limberi_effects[slot];
        float max = effect->limit.key ? d->frame.constants[slot].v[effect->limit.value][0] : 0;
        if (!limberi_slot_is_on(d, slot) || !(max > 0))
            continue;
        bool any = false;
        for (uint32_t j = 0; j < d->model->rig.joint_count; j++) {
            bool far = effect->limit.is_near(d, slot, j, max, near);
            l->effects[slot].joints[j] += far;
            any |= far;
        }
        l->effects[slot].any += any;
        l->effects[slot].max = (double)max;
    }
}

static limberi_limited limited(const limberi_limit_frames* l, const limber_model* model, uint32_t all,
                               double per_unit) {
    double max = l->max * per_unit;
    limberi_limited out = {max > 0, max, 0, LIMBERI_NO_JOINT, 0};
    uint32_t max_frames = 0;
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        if (l->joints[j] > max_frames) {
            max_frames = l->joints[j];
            out.joint = j;
        }
    out.share = all ? (double)l->any / all : 0;
    out.max_share = all ? (double)max_frames / all : 0;
    return out;
}

void limberi_limits_end(const limberi_limits* l, const limber_model* model, limberi_review* review) {
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
        if (limberi_effects[e]->limit.key)
            review->limits[e] = limited(&l->effects[e], model, l->frames, limberi_effects[e]->limit.per_unit);
}
