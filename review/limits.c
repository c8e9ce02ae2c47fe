// How often the effects are near the limits that the style sets: what is there wants to go further, and all of it looks
// the same.
#include "base/math.h"
#include "deform/deformer.h"
#include "deform/effects/formulas.h"
#include "pipeline/parts.h"
#include "review/review_private.h"

#include <string.h>

static const float near = 0.9f; // of a limit

void limberi_limits_begin(limberi_limits* l, limberi_arena* arena, const limber_model* model) {
    memset(l, 0, sizeof *l);
    l->overlap = LIMBERI_ALLOCATE(arena, uint32_t, model->rig.joint_count);
    l->squash = LIMBERI_ALLOCATE(arena, uint32_t, model->rig.joint_count);
}

static bool bends_far(const limber_deformer* d, uint32_t joint, float max) {
    float share = d->joint_share ? d->joint_share[joint] : 1;
    return share > 0 && limberi_length(d->lags[joint].bent) > near * max * share;
}

// Travel, and turning as the middle of the joint's skin feels it.
static bool squashes_far(const limber_deformer* d, const limber_kinematics* motion, uint32_t joint, float max) {
    const float* at[2] = {d->frame.constants[LIMBER_EFFECT_SQUASH].v[LIMBERI_VALUE_LINEAR],
                          d->frame.constants[LIMBER_EFFECT_SQUASH].v[LIMBERI_VALUE_ANGULAR]};
    limber_joint_gain gain = limberi_frame_gain(d, LIMBER_EFFECT_SQUASH, joint);
    const limber_mat4* world = &d->frame.job.pose->world_from_joint[joint];
    limber_vec3 arm =
        limberi_sub(limberi_mat4_point(world, d->model->rig.centroid[joint]), limberi_mat4_translation(world));
    float travel = gain.linear * at[0][0] * limberi_length(motion->velocity[joint]) / d->size;
    float turn =
        gain.angular * at[1][0] * limberi_length(limberi_cross(motion->angular_velocity[joint], arm)) / d->size;
    return limberi_limit_squash(fmaxf(fabsf(travel), fabsf(turn)), max) > near * max;
}

static void add_overlap(limberi_limits* l, const limber_deformer* d, float max) {
    bool any = false;
    for (uint32_t j = 0; j < d->model->rig.joint_count; j++) {
        bool far = bends_far(d, j, max);
        l->overlap[j] += far;
        any |= far;
    }
    l->overlap_frames += any;
    l->overlap_max = (double)max;
}

static void add_squash(limberi_limits* l, const limber_deformer* d, float max) {
    const limber_kinematics* motion = d->frame.job.motion[LIMBER_EFFECT_SQUASH];
    bool any = false;
    for (uint32_t j = 0; motion && j < d->model->rig.joint_count; j++) {
        bool far = squashes_far(d, motion, j, max);
        l->squash[j] += far;
        any |= far;
    }
    l->squash_frames += any;
    l->squash_max = (double)max;
}

void limberi_limits_add(limberi_limits* l, const limber_pipeline* styled) {
    const limber_deformer* d = limberi_pipeline_parts_of(styled).deformer;
    l->frames++;
    if (!d || !d->frame.constants_ready)
        return;
    float bend = d->frame.constants[LIMBER_EFFECT_OVERLAP].v[LIMBERI_VALUE_MAX_BEND][0];
    float squash = d->frame.constants[LIMBER_EFFECT_SQUASH].v[LIMBERI_VALUE_MAX_SQUASH][0];
    if (limberi_slot_is_on(d, LIMBER_EFFECT_OVERLAP) && bend > 0)
        add_overlap(l, d, bend);
    if (limberi_slot_is_on(d, LIMBER_EFFECT_SQUASH) && squash > 0)
        add_squash(l, d, squash);
}

static limberi_limited limited(const uint32_t* frames_of, const limber_model* model, uint32_t any, uint32_t all,
                               double max) {
    limberi_limited out = {max > 0, max, 0, LIMBERI_NO_JOINT, 0};
    uint32_t max_frames = 0;
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        if (frames_of[j] > max_frames) {
            max_frames = frames_of[j];
            out.joint = j;
        }
    out.share = all ? (double)any / all : 0;
    out.max_share = all ? (double)max_frames / all : 0;
    return out;
}

void limberi_limits_end(const limberi_limits* l, const limber_model* model, limberi_review* review) {
    review->overlap = limited(l->overlap, model, l->overlap_frames, l->frames, l->overlap_max * 180 / LIMBERI_PI);
    review->squash = limited(l->squash, model, l->squash_frames, l->frames, l->squash_max);
}
