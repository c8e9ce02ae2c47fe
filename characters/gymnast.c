// The toon where hands and not feet hold him: under a bar, and against a wall. Hands stay where they are while the body
// moves, which is what "root": "contacts" is for.
#include "characters/toon.h"

static const float BAR = 1.76f;   // height
static const float GRIP = 0.2f;   // of the hands, aside
static const float WALL = 0.56f;  // ahead
static const float PALMS = 0.98f; // height of the hands on it

static void hold(const toon* rig, kit_pose* pose, uint32_t side, limber_vec3 at, limber_quat turned) {
    const biped* b = &rig->body;
    limber_vec3 pole = kit_at(BIPED_SIDES[side], -0.3f, -0.6f);
    kit_reach(pose, b->arm_upper[side], b->arm_lower[side], b->hand[side], at, pole, turned);
}

// Swings to and fro; the legs come late, and the head looks ahead.
static void hang(const void* user, double t, kit_pose* pose) {
    const toon* rig = user;
    const biped* b = &rig->body;
    double swing = 24 * kit_wave(t, 1.6, 0);
    double late = 24 * kit_wave(t, 1.6, -0.12);
    limber_vec3 hips = kit_joint_at(b->k, b->hips);
    limber_vec3 arm = kit_at(0, hips.y + 0.47f - BAR, 0);
    limber_vec3 moved = limberi_quat_rotate(kit_euler(-swing, 0, 0), arm);
    kit_move(pose, b->hips, 0, (double)(BAR + moved.y - hips.y), (double)moved.z);
    kit_turn(pose, b->hips, -swing, 0, 0);
    kit_turn(pose, b->spine, -0.25 * (late - swing), 0, 0);
    kit_turn(pose, b->neck, 0.5 * swing, 0, 0);
    kit_turn(pose, rig->hat, 0.1 * swing, 0, 0);
    for (uint32_t side = 0; side < 2; side++) {
        kit_turn(pose, b->leg_upper[side], -0.9 * (late - swing) - 6, 0, 0);
        kit_turn(pose, b->leg_lower[side], 14 - 0.5 * (late - swing), 0, 0);
        kit_turn(pose, b->foot[side], 26, 0, 0);
        limber_vec3 at = kit_at(GRIP * BIPED_SIDES[side], BAR - 0.035f, 0);
        hold(rig, pose, side, at, kit_euler(0, 0, (double)(128 * BIPED_SIDES[side])));
    }
}

// Leans in, pushes off the wall, and falls back against it: hands stay until the push, and land where they were.
static void push(const void* user, double t, kit_pose* pose) {
    const toon* rig = user;
    const biped* b = &rig->body;
    double lean = KIT_LOOP(t, 2.0, {0, 13}, {0.55, 19}, {0.95, 2}, {1.2, -5}, {1.65, 12});
    double off = kit_bump(t, 0.9, 1.22, 1.6);
    kit_turn(pose, b->root, lean, 0, 0);
    kit_turn(pose, b->spine, -0.2 * lean, 0, 0);
    kit_turn(pose, b->neck, -0.4 * lean, 0, 0);
    for (uint32_t side = 0; side < 2; side++) {
        kit_turn(pose, b->foot[side], -lean, 0, 0);
        limber_vec3 at =
            kit_at(0.17f * BIPED_SIDES[side], PALMS + 0.05f * (float)off, WALL - 0.045f - 0.2f * (float)off);
        hold(rig, pose, side, at, kit_euler(-95, 0, (double)(20 * BIPED_SIDES[side])));
    }
}

void limberi_build_gymnast(kit* k) {
    toon rig;
    limberi_model_toon(k, &rig, false);
    uint32_t bar = kit_joint(k, "Bar", KIT_NO_PARENT, 0, BAR, 0);
    kit_brush steel = {.bind = kit_rigid(k, bar), .color = kit_hex(0xc9ced6)};
    const limber_vec3 across[] = {{-0.5f, BAR, 0}, {0, BAR, 0}, {0.5f, BAR, 0}};
    kit_mesh_begin(k, "Bar");
    kit_mesh_material(k, "Steel", 0.6f, 0.3f, false);
    kit_mesh_tube(k, &steel, NULL, NULL, across, (const float[]){0.022f, 0.022f, 0.022f}, 3, 12, 12);
    for (int i = 0; i < 2; i++) {
        const limber_vec3 post[] = {{0.5f * BIPED_SIDES[i], 0.06f, 0}, {0.5f * BIPED_SIDES[i], BAR + 0.05f, 0}};
        steel.color = kit_hex(0xd6483b);
        kit_mesh_tube(k, &steel, NULL, NULL, post, (const float[]){0.03f, 0.03f}, 2, 12, 48);
    }
    kit_mesh_end(k);
    kit_clip(k, "hang", 1.6, true, hang, &rig);
}

static const float PILLAR = 0.36f; // radius

static void pillar_point(void* user, float u, float v, limber_vec3* position) {
    limber_vec3 out;
    kit_round_normal(user, u, v, &out);
    *position = kit_at(PILLAR * out.x, 1.4f * v, WALL + PILLAR + PILLAR * out.z);
}

void limberi_build_pusher(kit* k) {
    toon rig;
    limberi_model_toon(k, &rig, false);
    uint32_t wall = kit_joint(k, "Wall", KIT_NO_PARENT, 0, 0, WALL);
    kit_brush brick = {.bind = kit_rigid(k, wall), .color = kit_hex(0xc98f6b)};
    kit_mesh_begin(k, "Wall");
    kit_mesh_material(k, "Plaster", 0, 0.9f, false);
    kit_patch pillar = {.point = pillar_point, .normal = kit_round_normal, .columns = 36, .rows = 10, .brush = brick};
    pillar.closed = pillar.flat_start = pillar.flat_end = true;
    kit_mesh_patch(k, &pillar);
    kit_mesh_end(k);
    kit_clip(k, "push", 2.0, true, push, &rig);
}
