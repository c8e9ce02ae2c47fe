// Acting of live poses: memory, and the order of things. The plain pose is an acting of one moment, so that rules for
// clips hold for it.
#include "perform/live_private.h"

#include "base/memory.h"

#include <string.h>

// --- memory ---

static void sum_lumps(limberi_live_acting* l) {
    const limberi_skin_sums* s = l->now.surface;
    for (uint32_t k = 0; k < s->model->skin_count; k++) {
        const limber_skin* skin = &s->model->skins[k];
        for (uint32_t i = 0; i < skin->joint_count; i++) {
            const double* sum = s->mean[s->first_slot[k] + i];
            const float* m = skin->joint_from_mesh[i].m;
            double* lump = l->lumps[skin->joints[i]];
            for (int r = 0; r < 3; r++)
                lump[r] += (double)m[r] * sum[0] + (double)m[4 + r] * sum[1] + (double)m[8 + r] * sum[2] +
                           (double)m[12 + r] * sum[3];
            lump[3] += sum[3];
        }
    }
    for (uint32_t j = 0; j < l->now.joint_count; j++)
        for (int r = 0; r < 3 && l->lumps[j][3] > 0; r++)
            l->lumps[j][r] /= l->lumps[j][3];
}

static bool allocate(limberi_live_acting* l) {
    limberi_acting* a = &l->now;
    uint32_t joints = a->joint_count;
    a->world = LIMBERI_ALLOCATE(&a->arena, limberi_placed_joint, joints);
    a->touch = LIMBERI_ALLOCATE(&a->arena, double*, joints);
    l->pose.touch = LIMBERI_ALLOCATE(&a->arena, double, joints);
    l->pose.limb_touch = LIMBERI_ALLOCATE(&a->arena, double, a->body->limb_count);
    l->lumps = limberi_arena_allocate(&a->arena, joints, sizeof *l->lumps);
    l->shares = LIMBERI_ALLOCATE(&a->arena, double, joints);
    l->posed = LIMBERI_ALLOCATE(&a->arena, limberi_placed_joint, joints);
    l->last_posed = LIMBERI_ALLOCATE(&a->arena, limberi_placed_joint, joints);
    if (a->arena.failed)
        return false;
    sum_lumps(l);
    for (uint32_t j = 0; j < joints; j++)
        l->shares[j] = l->lumps[j][3];
    limberi_place_joints(&a->model->rig, a->model->rig.rest_local, a->world);
    return limberi_live_pose_open(l);
}

static bool has_legs(const limberi_anatomy* body) {
    for (uint32_t i = 0; i < body->limb_count; i++)
        if (body->limbs[i].leg || body->limbs[i].loose)
            return true;
    return false;
}

limberi_live_acting* limberi_live_acting_create(const limberi_performer* performer,
                                                const limber_perform_settings* settings) {
    limberi_live_acting* l = limberi_allocate_zeroed(1, sizeof *l);
    if (!l)
        return NULL;
    bool legs = has_legs(performer->anatomy);
    l->performer = performer;
    l->settings = *settings;
    l->now.model = performer->model;
    l->now.body = performer->anatomy;
    l->now.surface = performer->surface;
    l->now.points = &performer->points;
    l->now.ground = &l->no_ground;
    l->now.grid.count = 1;
    l->now.joint_count = performer->model->rig.joint_count;
    l->body.on = settings->squash != 0 || settings->bend != 0;
    l->body.squash = legs ? settings->squash : fmin(settings->squash, 1); // as in clips
    l->body.bend = settings->bend;
    l->body.landing = legs ? 0 : l->body.squash;
    if (allocate(l)) {
        for (uint32_t j = 0; j < l->now.joint_count; j++)
            l->now.touch[j] = &l->pose.touch[j];
        return l;
    }
    limberi_live_acting_destroy(l);
    return NULL;
}

void limberi_live_acting_destroy(limberi_live_acting* l) {
    if (!l)
        return;
    limberi_arena_free(&l->now.arena);
    limberi_release(l);
}

void limberi_live_acting_reset(limberi_live_acting* l) {
    limberi_live_body fresh = {
        .on = l->body.on, .squash = l->body.squash, .bend = l->body.bend, .landing = l->body.landing};
    l->body = fresh;
    l->started = false;
    l->age_s = l->support = 0;
}

void limberi_live_acting_copy(limberi_live_acting* to, const limberi_live_acting* from) {
    limberi_live_acting_reset(to);
    if (!from->started || to->pose.on != from->pose.on || to->body.on != from->body.on)
        return;
    limberi_live_body body = from->body;
    body.squash = to->body.squash;
    body.bend = to->body.bend;
    body.landing = to->body.landing;
    to->body = body;
    memcpy(to->last_posed, from->last_posed, to->now.joint_count * sizeof *to->last_posed);
    to->started = true;
    to->age_s = from->age_s;
    to->support = from->support;
    if (to->pose.on)
        limberi_live_pose_copy(&to->pose, &from->pose, to->now.joint_count);
}

// --- a pose ---

static void see_ground(limberi_live_acting* l, const limberi_live_ground* ground) {
    limberi_acting* a = &l->now;
    const limberi_anatomy* body = a->body;
    a->has_floor = ground->touching && body->hips >= 0;
    a->floor = a->has_floor ? (double)ground->height[body->hips] : 0;
    memset(l->pose.limb_touch, 0, body->limb_count * sizeof *l->pose.limb_touch);
    for (uint32_t j = 0; j < a->joint_count; j++) {
        double touch = l->pose.touch[j] = a->has_floor ? (double)ground->touching[j] : 0;
        if (body->limb_of[j] >= 0)
            l->pose.limb_touch[body->limb_of[j]] = fmax(l->pose.limb_touch[body->limb_of[j]], touch);
    }
    limberi_live_legs_see(l, ground);
    l->support = a->has_floor ? fmax(limberi_carried(a, 0), limberi_live_legs_carry(l)) : 0;
}

void limberi_live_acting_pose(limberi_live_acting* l, const limberi_live_ground* ground, double step_s,
                              limber_transform* local) {
    bool first = !l->started;
    l->started = true;
    l->age_s = first ? 0 : l->age_s + step_s;
    limberi_place_joints(&l->now.model->rig, local, l->now.world);
    see_ground(l, ground);
    if (!l->pose.on)
        return;
    if (first)
        limberi_live_pose_start(l, local);
    else if (step_s > 0)
        limberi_live_pose_advance(l, local, step_s);
    if (l->age_s > 0)
        limberi_live_pose_edit(l, first ? 0 : step_s, local);
}

bool limberi_live_acting_poses(const limberi_live_acting* l) {
    return l->pose.on;
}
