// The spin of joints that have it ignored, taken out of the frames (SM Fig. 19).
#include "smear/smear_private.h"

#include <string.h>

// The part of the rotation q about the unit vector `axis`.
static limber_quat twist_of(limber_quat q, limber_vec3 axis) {
    float part = q.x * axis.x + q.y * axis.y + q.z * axis.z;
    limber_quat twist = {axis.x * part, axis.y * part, axis.z * part, q.w};
    return limberi_quat_normalize(twist);
}

// What takes the spin of a joint since `now` out of `frame`: a rotation about `center`. A bone without a direction has
// no axis, so all of its rotation is spin.
static limber_quat unspin(const limber_smear_bone* now, const limber_smear_bone* frame, float size,
                          limber_vec3* center) {
    limber_vec3 axis = limberi_sub(now->tip, now->root), axis_there = limberi_sub(frame->tip, frame->root);
    limber_quat turn = limberi_quat_mul(frame->turn, limberi_quat_conj(now->turn));
    if (!(limberi_length(axis) > LIMBERI_SHORT_BONE * size)) {
        *center = frame->centroid;
        return limberi_quat_conj(turn);
    }
    *center = frame->root;
    limber_quat twist = twist_of(turn, limberi_normalize(axis));
    limber_vec3 there = limberi_normalize(axis_there);
    float part = -limberi_dot(limberi_vec3(twist.x, twist.y, twist.z), limberi_normalize(axis));
    limber_quat back = {there.x * part, there.y * part, there.z * part, twist.w};
    return limberi_quat_normalize(back);
}

void limberi_smear_despin(const limber_smearer* s, const limber_smear_frame* now, const limber_smear_frame* frame,
                          float* out) {
    const limberi_smear_bones* b = &s->bones;
    memcpy(out, frame->positions, 3 * (size_t)s->model->vertex_count * sizeof *out);
    for (uint32_t j = 0; j < s->model->rig.joint_count && frame != now; j++) {
        if (!s->settings.ignore_spin[j])
            continue;
        limber_vec3 center;
        limber_quat back = unspin(&now->bones[j], &frame->bones[j], s->size, &center);
        for (uint32_t i = b->first[j]; i < b->first[j + 1]; i++) {
            size_t at = 3 * (size_t)b->vertex[i];
            limber_vec3 arm = limberi_sub(limberi_load3(frame->positions + at), center);
            limber_vec3 change = limberi_sub(limberi_quat_rotate(back, arm), arm);
            limberi_store3(out + at, limberi_add(limberi_load3(out + at), limberi_scale(change, b->weight[i])));
        }
    }
}

const limber_smear_frame* limberi_smear_see(limber_smearer* s, const limber_smear_job* job, int32_t* first) {
    *first = s->despins ? s->reach.first : job->first;
    if (!s->despins)
        return job->frames;
    size_t numbers = 3 * (size_t)s->model->vertex_count;
    for (int32_t i = s->reach.first; i <= s->reach.last; i++) {
        limber_smear_frame* seen = &s->seen[i - s->reach.first];
        float* positions = s->despun + (size_t)(i - s->reach.first) * numbers;
        *seen = job->frames[i - job->first];
        limberi_smear_despin(s, job->now, seen, positions);
        seen->positions = positions;
    }
    return s->seen;
}
