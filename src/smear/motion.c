// Which part of the motion is smeared (SMEAR, section 6): with or without that of one joint, and without the spin of
// joints that have it ignored (Fig. 19).
#include "smear/smear_private.h"

#include <string.h>

// The rotation of q about the unit vector `axis`.
static limber_quat twist_of(limber_quat q, limber_vec3 axis) {
    float part = q.x * axis.x + q.y * axis.y + q.z * axis.z;
    limber_quat twist = {axis.x * part, axis.y * part, axis.z * part, q.w};
    return limberi_quat_normalize(twist);
}

// The rotation about `center` that takes the spin of a joint since `now` out of `frame`. A joint in the middle of its
// vertices has no axis, so all of its rotation is spin.
static limber_quat unspin(const limber_smear_bone* now, const limber_smear_bone* frame, bool centered,
                          limber_vec3* center) {
    limber_vec3 axis = limberi_sub(now->tip, now->root);
    limber_vec3 axis_there = limberi_sub(frame->tip, frame->root);
    limber_quat turn = limberi_quat_mul(frame->turn, limberi_quat_conj(now->turn));
    if (centered) {
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

static void despin(const limber_smearer* s, const limber_smear_frame* now, const limber_smear_frame* frame,
                   float* out) {
    const limberi_smear_bones* b = &s->bones;
    for (uint32_t j = 0; j < s->model->rig.joint_count; j++) {
        if (!s->spins[j])
            continue;
        limber_vec3 center;
        limber_quat back = unspin(&now->bones[j], &frame->bones[j], s->centered[j], &center);
        for (uint32_t i = b->first[j]; i < b->first[j + 1]; i++) {
            size_t at = 3 * (size_t)b->vertex[i];
            limber_vec3 arm = limberi_sub(limberi_load3(frame->positions + at), center);
            limber_vec3 change = limberi_sub(limberi_quat_rotate(back, arm), arm);
            limberi_store3(out + at, limberi_add(limberi_load3(out + at), limberi_scale(change, b->weight[i])));
        }
    }
}

void limberi_smear_spin_rows(const limber_smearer* s, const limber_smear_bone* now, const limber_smear_bone* frame,
                             float* rows) {
    for (uint32_t j = 0; j < s->model->rig.joint_count; j++, rows += LIMBERI_SPIN_NUMBERS) {
        limber_vec3 center = limberi_vec3(0, 0, 0);
        limber_quat back = limberi_quat_identity();
        if (s->spins[j])
            back = unspin(&now[j], &frame[j], s->centered[j], &center);
        const float row[LIMBERI_SPIN_NUMBERS] = {back.x,   back.y,   back.z,   back.w,
                                                 center.x, center.y, center.z, (float)(s->spins[j] != 0)};
        memcpy(rows, row, sizeof row);
    }
}

// --- one joint's motion ---

// p becomes turn (p - from) + to.
typedef struct rigid {
    limber_quat turn;
    limber_vec3 from, to;
} rigid;

// RELATIVE brings points of `frame` back to `now`; the others carry those of `now` on to `frame`.
static bool carries(const limber_smearer* s) {
    limber_smear_motion part = s->settings.motion.part;
    return part != LIMBER_SMEAR_MOTION_ALL && part != LIMBER_SMEAR_MOTION_RELATIVE;
}

static rigid rigid_of(const limber_smearer* s, const limber_smear_frame* now, const limber_smear_frame* frame) {
    const limber_smear_motion_settings* set = &s->settings.motion;
    const limber_smear_bone* a = &now->bones[set->joint];
    const limber_smear_bone* b = &frame->bones[set->joint];
    limber_quat on = limberi_quat_mul(b->turn, limberi_quat_conj(a->turn));
    rigid r = {on, a->root, b->root};
    if (set->part == LIMBER_SMEAR_MOTION_RELATIVE) {
        r.turn = limberi_quat_conj(on);
        r.from = b->root;
        r.to = a->root;
    } else if (set->part == LIMBER_SMEAR_MOTION_TRANSLATION) {
        r.turn = limberi_quat_identity();
    } else if (set->part == LIMBER_SMEAR_MOTION_ROTATION) {
        r.to = a->root;
    }
    return r;
}

static limber_vec3 move(const rigid* r, limber_vec3 p) {
    return limberi_add(limberi_quat_rotate(r->turn, limberi_sub(p, r->from)), r->to);
}

// --- frames ---

void limberi_smear_filter(const limber_smearer* s, const limber_smear_frame* now, const limber_smear_frame* frame,
                          float* out) {
    size_t vertices = s->model->vertex_count;
    memcpy(out, (carries(s) ? now : frame)->positions, 3 * vertices * sizeof *out);
    if (frame == now)
        return;
    if (!carries(s))
        despin(s, now, frame, out);
    if (s->settings.motion.part == LIMBER_SMEAR_MOTION_ALL)
        return;
    rigid r = rigid_of(s, now, frame);
    for (size_t u = 0; u < vertices; u++)
        limberi_store3(out + 3 * u, move(&r, limberi_load3(out + 3 * u)));
}

limber_vec3 limberi_smear_filter_point(const limber_smearer* s, const limber_smear_frame* now,
                                       const limber_smear_frame* frame, limber_vec3 of_now, limber_vec3 of_frame) {
    if (s->settings.motion.part == LIMBER_SMEAR_MOTION_ALL)
        return of_frame;
    rigid r = rigid_of(s, now, frame);
    return move(&r, carries(s) ? of_now : of_frame);
}

void limberi_smear_filter_bones(const limber_smearer* s, const limber_smear_frame* now, const limber_smear_frame* frame,
                                limber_smear_bone* out) {
    rigid r = rigid_of(s, now, frame);
    const limber_smear_bone* source = (carries(s) ? now : frame)->bones;
    for (uint32_t j = 0; j < s->model->rig.joint_count; j++) {
        out[j].root = move(&r, source[j].root);
        out[j].tip = move(&r, source[j].tip);
        out[j].centroid = move(&r, source[j].centroid);
        out[j].turn = source[j].turn;
    }
}

limber_result limberi_smear_prepare_motion(limber_smearer* s) {
    uint32_t joints = s->model->rig.joint_count;
    bool one_joint = s->settings.motion.part != LIMBER_SMEAR_MOTION_ALL;
    s->filters = one_joint || memchr(s->spins, 1, joints);
    if (!s->filters)
        return LIMBER_OK;
    s->filtered = LIMBERI_ALLOCATE(&s->arena, float, LIMBERI_SMEAR_FRAMES * 3 * (size_t)s->model->vertex_count);
    s->seen = LIMBERI_ALLOCATE(&s->arena, limber_smear_frame, LIMBERI_SMEAR_FRAMES);
    s->moved_bones = LIMBERI_ALLOCATE(&s->arena, limber_smear_bone, one_joint ? 2 * (size_t)joints : 0);
    return s->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

const limber_smear_frame* limberi_smear_see(limber_smearer* s, const limber_smear_job* job, int32_t* first) {
    *first = s->filters ? s->reach.first : job->first;
    if (!s->filters)
        return job->frames;
    size_t numbers = 3 * (size_t)s->model->vertex_count;
    for (int32_t i = s->reach.first; i <= s->reach.last; i++) {
        limber_smear_frame* seen = &s->seen[i - s->reach.first];
        float* positions = s->filtered + (size_t)(i - s->reach.first) * numbers;
        *seen = job->frames[i - job->first];
        limberi_smear_filter(s, job->now, i ? seen : job->now, positions);
        seen->positions = positions;
        seen->normals = carries(s) ? job->now->normals : seen->normals;
    }
    return s->seen;
}
