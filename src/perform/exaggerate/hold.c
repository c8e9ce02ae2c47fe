// What stands on the ground stays where it stood, whatever the edits did, and nothing goes farther than it may: joints go
// back to their place and rotation by how much they are held. The hold fades along the bones and over time, so nothing
// jumps and no bone is torn.
#include "perform/exaggerate/cartoon_filter.h"
#include "perform/exaggerate/editor.h"

#include "base/error.h"

#include <string.h>

typedef struct holder {
    limberi_editor* e;
    float* holds;                         // [joint] of this frame
    limber_mat4 *source, *edited, *after; // [joint] world
    bool* led;                            // [joint] below one that follows: edits of its own would tear it off
} holder;

static void to_world(const limber_rig* rig, const limberi_take* take, uint32_t frame, limber_mat4* world) {
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        limber_mat4 local = limberi_mat4_from_transform(limberi_take_at(take, frame, j));
        world[j] = rig->parents[j] < 0 ? local : limberi_mat4_mul(&world[rig->parents[j]], &local);
    }
}

// Place and rotation in the world; scales are not edited.
static limber_mat4 held_world(const holder* h, uint32_t joint) {
    limber_transform plain, edited;
    (void)limberi_mat4_decompose(&h->source[joint], &plain);
    (void)limberi_mat4_decompose(&h->edited[joint], &edited);
    limber_transform held = limberi_transform_blend(&edited, &plain, (double)h->holds[joint]);
    return limberi_mat4_from_transform(&held);
}

static bool follows(const limber_rig* rig, uint32_t joint) {
    return rig->hangs_on[joint] != rig->parents[joint];
}

// The paw of a rig with inverse kinematics goes where the leg went, whatever the edits did to it.
static void follow_leg(const holder* h, uint32_t joint) {
    uint32_t leg = (uint32_t)h->e->model->rig.hangs_on[joint];
    limber_mat4 inverse;
    if (!limberi_mat4_inverse(&h->source[leg], &inverse))
        return;
    limber_mat4 change = limberi_mat4_mul(&h->after[leg], &inverse);
    h->edited[joint] = limberi_mat4_mul(&change, &h->source[joint]);
}

static void hold_joint(const holder* h, uint32_t frame, uint32_t joint) {
    limberi_editor* e = h->e;
    int32_t parent = e->model->rig.parents[joint];
    limber_transform* local = limberi_take_at(&e->take, frame, joint);
    if (h->led[joint])
        *local = *limberi_take_at(&e->source, frame, joint);
    bool held = h->holds[joint] > 0 || (parent >= 0 && h->holds[parent] > 0) || follows(&e->model->rig, joint);
    if (follows(&e->model->rig, joint))
        follow_leg(h, joint);
    if (held && !e->fixed[joint] && !h->led[joint]) {
        limber_mat4 inverse;
        limber_mat4 wanted = h->holds[joint] > 0 ? held_world(h, joint) : h->edited[joint];
        limber_transform found;
        if (parent >= 0 && limberi_mat4_inverse(&h->after[parent], &inverse))
            wanted = limberi_mat4_mul(&inverse, &wanted);
        (void)limberi_mat4_decompose(&wanted, &found);
        local->translation = found.translation;
        local->rotation = found.rotation;
    }
    limber_mat4 matrix = limberi_mat4_from_transform(local);
    h->after[joint] = parent < 0 ? matrix : limberi_mat4_mul(&h->after[parent], &matrix);
    bool plain = h->led[joint] || follows(&e->model->rig, joint);
    if (e->factors && (held || plain)) {
        float* factor = &e->factors[(size_t)frame * e->take.joint_count + joint];
        *factor = plain ? 1 : 1 + (1 - h->holds[joint]) * (*factor - 1);
    }
}

// What moves as one is held as one.
static void join_holds(const holder* h) {
    const limberi_editor* e = h->e;
    for (uint32_t j = e->take.joint_count; j-- > 0;) {
        float* above = e->fixed[j] ? &h->holds[e->model->rig.parents[j]] : &h->holds[j];
        *above = fmaxf(*above, h->holds[j]);
    }
    for (uint32_t j = 0; j < e->take.joint_count; j++)
        if (e->fixed[j])
            h->holds[j] = h->holds[e->model->rig.parents[j]];
}

// As much as it takes to stay within the limit, which is approached and never reached. All joints alike: single ones
// would tear away from the others.
static void limit_moves(const holder* h) {
    const limberi_editor* e = h->e;
    float limit = (float)(e->settings->limit * e->size);
    float farthest = 0;
    for (uint32_t j = 0; j < e->take.joint_count; j++) {
        limber_vec3 from = limberi_mat4_translation(&h->source[j]);
        limber_vec3 to = limberi_mat4_translation(&h->edited[j]);
        farthest = fmaxf(farthest, limberi_length(limberi_sub(to, from)));
    }
    float times = farthest / limit;
    float square = times * times;
    for (uint32_t j = 0; j < e->take.joint_count; j++)
        h->holds[j] = 1 - (1 - h->holds[j]) / sqrtf(sqrtf(1 + square * square));
}

static void find_holds(const holder* h, uint32_t frame) {
    limberi_editor* e = h->e;
    memset(h->holds, 0, e->take.joint_count * sizeof *h->holds);
    if (e->settings->hold)
        e->settings->hold(e->settings->hold_user, limberi_take_time(&e->take, frame), h->holds);
    for (uint32_t i = 0; i < e->settings->constraint_count; i++) // these go where they are told to
        h->holds[e->settings->constraints[i].joint] = 0;
    join_holds(h);
    if (e->settings->limit > 0)
        limit_moves(h);
}

static void hold_frame(const holder* h, uint32_t frame) {
    limberi_editor* e = h->e;
    bool any = false;
    to_world(&e->model->rig, &e->source, frame, h->source);
    to_world(&e->model->rig, &e->take, frame, h->edited);
    find_holds(h, frame);
    for (uint32_t j = 0; j < e->take.joint_count; j++)
        any = any || h->holds[j] > 0 || follows(&e->model->rig, j);
    if (!any)
        return;
    for (uint32_t j = 0; j < e->take.joint_count; j++)
        hold_joint(h, frame, j);
}

bool limberi_editor_holds(const limberi_editor* e) {
    bool any = e->settings->hold || e->settings->limit > 0;
    for (uint32_t j = 0; j < e->take.joint_count; j++)
        any = any || follows(&e->model->rig, j);
    return any;
}

limber_result limberi_editor_hold(limberi_editor* e) {
    limberi_arena scratch = {NULL, false};
    uint32_t joints = e->take.joint_count;
    holder h = {e,
                LIMBERI_ALLOCATE(&scratch, float, joints),
                LIMBERI_ALLOCATE(&scratch, limber_mat4, joints),
                LIMBERI_ALLOCATE(&scratch, limber_mat4, joints),
                LIMBERI_ALLOCATE(&scratch, limber_mat4, joints),
                LIMBERI_ALLOCATE(&scratch, bool, joints)};
    bool failed = scratch.failed;
    const limber_rig* rig = &e->model->rig;
    for (uint32_t j = 0; j < joints && !failed; j++) {
        int32_t parent = rig->parents[j];
        h.led[j] = parent >= 0 && !follows(rig, j) && (follows(rig, (uint32_t)parent) || h.led[parent]);
    }
    uint32_t frames = failed ? 0 : e->take.frame_count;
    for (uint32_t f = 0; f < frames; f++)
        hold_frame(&h, f);
    limberi_arena_free(&scratch);
    return failed ? limberi_fail_memory(e->error) : LIMBER_OK;
}
