// From a figure to joints, and from plants to feet that stand where they landed.
#include "characters/biped.h"

// Hands and head follow the body by this much.
static const double FOLLOW_S = 0.04;

void biped_figure_at(const biped_key* keys, uint32_t count, double t, biped_figure* out) {
    const kit_figure kind = {.size = sizeof *out,
                             .first_late = offsetof(biped_figure, head),
                             .end_late = offsetof(biped_figure, foot),
                             .late_s = FOLLOW_S};
    kit_figure_at(&kind, keys, count, t, out);
}

// ---- joints ----

static void bend_spine(const biped* b, kit_pose* pose, const biped_figure* f) {
    kit_move(pose, b->root, 0, 0, f->way);
    kit_move(pose, b->hips, f->hips[0], f->hips[1], f->hips[2]);
    kit_turn(pose, b->hips, f->tilt[0], f->tilt[1], f->tilt[2]);
    kit_turn(pose, b->spine, 0.5 * f->spine[0], 0.5 * f->spine[1], 0.5 * f->spine[2]);
    kit_turn(pose, b->chest, 0.5 * f->spine[0], 0.5 * f->spine[1], 0.5 * f->spine[2]);
    kit_turn(pose, b->neck, 0.4 * f->head[0], 0.4 * f->head[1], 0.4 * f->head[2]);
    kit_turn(pose, b->head, 0.6 * f->head[0], 0.6 * f->head[1], 0.6 * f->head[2]);
}

static void reach_arm(const biped* b, kit_pose* pose, const biped_figure* f, uint32_t side) {
    float s = BIPED_SIDES[side];
    const double* h = f->hand[side];
    limber_quat turned = kit_pose_turned(pose, b->chest);
    limber_vec3 shoulder = kit_pose_at(pose, b->arm_upper[side]);
    limber_vec3 way = limberi_quat_rotate(turned, kit_at(s * (float)h[0], (float)h[1], (float)h[2]));
    limber_vec3 pole = kit_at(s * 0.62f, -0.3f, -0.72f);
    limber_vec3 rest = limberi_sub(kit_joint_at(b->k, b->hand[side]), kit_joint_at(b->k, b->arm_upper[side]));
    limber_vec3 hinge = limberi_cross(limberi_quat_rotate(turned, pole), way);
    kit_reach_hinge(pose, b->arm_upper[side], b->arm_lower[side], b->hand[side], limberi_add(shoulder, way),
                    limberi_cross(pole, rest), hinge, turned);
    pose->local[b->hand[side]].rotation = limberi_quat_identity();
    kit_turn(pose, b->hand[side], f->wrist[side][0], (double)s * f->wrist[side][1], (double)s * f->wrist[side][2]);
}

// The foot turns about its ball, or about its heel when the toes are up. In the air the two change over softly.
static void place_leg(const biped* b, kit_pose* pose, const biped_figure* f, uint32_t side) {
    float s = BIPED_SIDES[side];
    float pitch = (float)f->pitch[side];
    limber_vec3 ankle = kit_joint_at(b->k, b->foot[side]);
    limber_vec3 ball = kit_joint_at(b->k, b->toe[side]);
    float soft = 0.01f + 40 * (float)f->air[side];
    float over = kit_smoothstep(-soft, soft, pitch);
    limber_vec3 pivot = kit_at(ball.x, kit_mix(0, ball.y, over), kit_mix(b->at.heel_z, ball.z, over));
    limber_quat turned = kit_euler((double)pitch, 0, 0);
    limber_vec3 target = limberi_add(pivot, limberi_quat_rotate(turned, limberi_sub(ankle, pivot)));
    target = limberi_add(target, kit_at(s * (float)f->foot[side][0], (float)f->foot[side][1], (float)f->foot[side][2]));
    limber_vec3 hinge = kit_at(1, 0, 0);
    limber_vec3 now = limberi_quat_rotate(kit_pose_turned(pose, b->hips), hinge);
    kit_reach_hinge(pose, b->leg_upper[side], b->leg_lower[side], b->foot[side], target, hinge, now, turned);
    kit_turn(pose, b->toe[side], -fmax((double)pitch, 0) * (1 - f->air[side]), 0, 0);
}

void biped_pose(const biped* b, kit_pose* pose, const biped_figure* figure) {
    bend_spine(b, pose, figure);
    for (uint32_t side = 0; side < 2; side++) {
        reach_arm(b, pose, figure, side);
        place_leg(b, pose, figure, side);
    }
}

// ---- steps ----

static void put_foot(biped_figure* f, uint32_t side, steps_foot foot) {
    f->foot[side][1] = foot.up;
    f->foot[side][2] = foot.z;
    f->pitch[side] = foot.pitch;
    f->air[side] = foot.air;
}

void biped_run_feet(biped_figure* f, double t, const steps_gait* gait) {
    for (uint32_t side = 0; side < 2; side++)
        put_foot(f, side, steps_run(gait, 0.5 * side, t));
}

void biped_stop_feet(biped_figure* f, double t, const steps_gait* gait, double left_z, double right_z, double right_s) {
    const double for_good = 1e6;
    const double land = 2 * gait->period_s;
    for (uint32_t side = 0; side < 2; side++) {
        steps_plant plants[4];
        for (int i = 0; i < 3; i++)
            plants[i] = steps_run_plant(gait, 0.5 * side, i - 1);
        plants[3] =
            side == 0 ? (steps_plant){land, for_good, left_z} : (steps_plant){land + right_s, for_good, right_z};
        put_foot(f, side, steps_at(plants, 4, t, gait));
    }
}
