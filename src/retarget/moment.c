// The character at one moment: turns of the motion on its own bones, hips, and feet that reach the ground.
#include "base/turns.h"
#include "retarget/retarget_private.h"

#include <string.h>

static void driven_turn(const limberi_moment* m, const limberi_drive* d, double* turn) {
    double since[4];
    memcpy(since, m->from_turn[d->a], sizeof since);
    if (d->part > 0) {
        double inverse[4];
        double way[4];
        double vector[3];
        double step[4];
        limberi_turn_inverse(m->from_turn[d->a], inverse);
        limberi_turn_mul(m->from_turn[d->b], inverse, way);
        limberi_turn_log(way, vector);
        limberi_turn_exp(vector, d->part, step);
        limberi_turn_mul(step, m->from_turn[d->a], since);
    }
    limberi_turn_mul(since, d->turn, turn);
}

static void place_hips(const limber_retarget* r, limberi_moment* m) {
    double left[3];
    double right[3];
    double below[3];
    double turn[4];
    uint32_t hips = (uint32_t)r->to.hips;
    limberi_carry_place(r, m, r->from.limbs[LIMBERI_LEG_LEFT].bones.joints[0], left);
    limberi_carry_place(r, m, r->from.limbs[LIMBERI_LEG_RIGHT].bones.joints[0], right);
    limberi_turn_mul(m->extra[hips], m->from_turn[r->from.hips], turn);
    limberi_turn_rotate(turn, r->middle, below);
    for (int i = 0; i < 3; i++)
        m->place[hips][i] = 0.5 * (left[i] + right[i]) - below[i] + m->shift[i];
}

static void place_joint(const limber_retarget* r, limberi_moment* m, uint32_t j) {
    const limber_rig* rig = &r->character->rig;
    int32_t parent = rig->parents[j];
    const limber_transform* rest = &rig->rest_local[j];
    if (parent < 0) {
        limberi_rest_place(rig, j, m->place[j]);
        return;
    }
    double offset[3] = {(double)rest->translation.x, (double)rest->translation.y, (double)rest->translation.z};
    double turned[3];
    limberi_turn_rotate(m->turn[parent], offset, turned);
    for (int i = 0; i < 3; i++)
        m->place[j][i] = m->place[parent][i] + r->size[parent] * turned[i];
}

static void turn_joint(const limber_retarget* r, limberi_moment* m, uint32_t j) {
    const limber_rig* rig = &r->character->rig;
    int32_t parent = rig->parents[j];
    if (r->drive_of[j] >= 0) {
        double turn[4];
        driven_turn(m, &r->drives[r->drive_of[j]], turn);
        limberi_turn_mul(m->extra[j], turn, m->turn[j]);
        return;
    }
    if (parent < 0) {
        memcpy(m->turn[j], r->rest[j], sizeof m->turn[j]);
        return;
    }
    double inverse[4];
    double local[4];
    limberi_turn_inverse(r->rest[parent], inverse);
    limberi_turn_mul(inverse, r->rest[j], local);
    limberi_turn_mul(m->turn[parent], local, m->turn[j]);
}

static void pose_character(const limber_retarget* r, limberi_moment* m) {
    for (uint32_t j = 0; j < r->character->rig.joint_count; j++) {
        turn_joint(r, m, j);
        if ((int32_t)j == r->to.hips)
            place_hips(r, m);
        else
            place_joint(r, m, j);
    }
}

static void place_loose_ends(const limber_retarget* r, limberi_moment* m) {
    for (uint32_t i = 0; i < r->foot_count; i++) {
        const limberi_foot* foot = &r->feet[i];
        uint32_t last = foot->to->bones.joints[foot->to->bones.count - 1];
        double way[3];
        if (!foot->to->loose)
            continue;
        limberi_turn_rotate(m->turn[last], foot->end_offset, way);
        for (int k = 0; k < 3; k++)
            m->place[foot->to->end][k] = m->place[last][k] + way[k];
    }
}

void limberi_moment_pose(const limber_retarget* r, limberi_moment* m) {
    for (uint32_t j = 0; j < r->character->rig.joint_count; j++) {
        m->extra[j][0] = m->extra[j][1] = m->extra[j][2] = 0;
        m->extra[j][3] = 1;
    }
    memset(m->shift, 0, sizeof m->shift);
    // How every joint of the motion has turned since its rest pose.
    for (uint32_t j = 0; j < r->motion->rig.joint_count; j++) {
        double now[4];
        double since[4];
        limberi_turn_of_matrix(&m->from[j], now);
        limberi_turn_mul(now, r->from_rest[j], since);
        limberi_carry_turn(r, since, m->from_turn[j]);
    }
    limberi_feet_level_hips(r, m);
    pose_character(r, m);
}

// The way of the hips along the ground becomes that of the root, and of all that hangs on it beside them.
static void move_root(const limber_retarget* r, limberi_moment* m) {
    const limber_rig* rig = &r->character->rig;
    double way[3];
    double climb = 0;
    limberi_rest_place(rig, (uint32_t)r->to.hips, way);
    for (int i = 0; i < 3; i++) {
        way[i] = m->place[r->to.hips][i] - way[i];
        climb += way[i] * r->to.up[i];
    }
    for (int32_t j = rig->parents[r->to.hips]; j >= 0; j = rig->parents[j])
        for (int i = 0; i < 3; i++)
            m->place[j][i] += way[i] - climb * r->to.up[i];
}

void limberi_moment_solve(const limber_retarget* r, limberi_moment* m) {
    limberi_moment_pose(r, m);
    if (r->wider > 0) {
        limberi_feet_tilt_hips(r, m);
        pose_character(r, m);
    }
    limberi_feet_solve(r, m);
    pose_character(r, m);
    if (r->has_hands) {
        limberi_touch_solve(r, m);
        pose_character(r, m);
    }
    place_loose_ends(r, m);
    if (r->settings.root_motion)
        move_root(r, m);
}
