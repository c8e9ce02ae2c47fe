// How the giraffe moves: slowly at the feet, far and wide at the other end.
#include "characters/giraffe.h"

static void plant(const giraffe* rig, kit_pose* pose, uint32_t leg, double ahead, double up, double pitch_deg) {
    const giraffe_leg* l = &rig->legs[leg];
    limber_quat heading = kit_pose_turned(pose, rig->root);
    limber_vec3 local = limberi_add(l->at, kit_at(0, (float)up, (float)ahead));
    limber_vec3 target = limberi_add(kit_pose_at(pose, rig->root), limberi_quat_rotate(heading, local));
    limber_quat turned = limberi_quat_mul(heading, kit_euler(pitch_deg, 0, 0));
    kit_reach(pose, l->upper, l->lower, l->ankle, target, kit_at(0, 0, l->knee), turned);
}

// Knees slightly bent, so that the body can sway over standing feet.
static const double STANDING = -0.02;

static void plant_all(const giraffe* rig, kit_pose* pose) {
    for (uint32_t leg = 0; leg < GIRAFFE_LEGS; leg++)
        plant(rig, pose, leg, 0, 0, 0);
}

// Spreads a turn over the neck; each joint gets its share. The head turns back by `level` of it, to keep looking ahead.
static void bend_neck(const giraffe* rig, kit_pose* pose, double x_deg, double y_deg, double z_deg, double level) {
    for (uint32_t i = 0; i < GIRAFFE_NECK; i++)
        kit_turn(pose, rig->neck[i], x_deg / GIRAFFE_NECK, y_deg / GIRAFFE_NECK, z_deg / GIRAFFE_NECK);
    kit_turn(pose, rig->head, -level * x_deg, -level * y_deg, -level * z_deg);
}

static void swing_tail(const giraffe* rig, kit_pose* pose, double lift_deg, double wag_deg) {
    for (uint32_t i = 0; i < GIRAFFE_TAIL; i++)
        kit_turn(pose, rig->tail[i], lift_deg / GIRAFFE_TAIL, 0, wag_deg / GIRAFFE_TAIL);
}

static void flap_ears(const giraffe* rig, kit_pose* pose, double up_deg) {
    for (int i = 0; i < 2; i++) {
        double side = i ? -1 : 1;
        kit_turn(pose, rig->ear[i], 0, 0, side * up_deg);
        kit_turn(pose, rig->ear_tip[i], 0, 0, 0.6 * side * up_deg);
    }
}

// ---- walk ----

static const double WALK_S = 50 / 30.0;
static const double WALK_STRIDE = 0.72;
static const double WALK_STANCE = 0.62;
// Nearly a pace: the legs of one side swing almost together.
static const double WALK_PHASE[GIRAFFE_LEGS] = {0.14, 0.64, 0.0, 0.5};

static void walk(const void* user, double t, kit_pose* pose) {
    const giraffe* rig = user;
    double way = WALK_STRIDE * t / WALK_S;
    double half = WALK_S / 2;
    double sway = kit_wave(t, WALK_S, 0.1);
    kit_move(pose, rig->hips, 0.02 * sway, -0.062 + 0.014 * kit_wave(t, half, 0.05), 0);
    kit_turn(pose, rig->hips, 1.2 * kit_wave(t, half, 0.3), 2.5 * kit_wave(t, WALK_S, 0.3), 2.5 * sway);
    kit_turn(pose, rig->spine, 0, -2 * kit_wave(t, WALK_S, 0.3), -1.5 * sway);
    kit_turn(pose, rig->chest, 1.5 * kit_wave(t, half, 0.5), -2 * kit_wave(t, WALK_S, 0.3), -2 * sway);
    kit_turn(pose, rig->belly, 0, 0, 4 * kit_wave(t, WALK_S, 0.85));
    // The neck pumps twice per stride; the wave climbs it, the head stays level.
    for (uint32_t i = 0; i < GIRAFFE_NECK; i++) {
        double lag = 0.012 * i;
        kit_turn(pose, rig->neck[i], 0.85 * kit_wave(t, half, 0.7 - lag), 0.3 * kit_wave(t, WALK_S, 0.2 - lag),
                 0.4 * kit_wave(t, WALK_S, 0.55 - lag));
    }
    kit_turn(pose, rig->head, -9 * kit_wave(t, half, 0.52), -3 * kit_wave(t, WALK_S, 0.05), 0);
    flap_ears(rig, pose, 7 * kit_wave(t, half, 0.3));
    for (uint32_t i = 0; i < GIRAFFE_TAIL; i++)
        kit_turn(pose, rig->tail[i], 0, 0, 6 * kit_wave(t, WALK_S, 0.9 - 0.05 * i));
    for (uint32_t leg = 0; leg < GIRAFFE_LEGS; leg++) {
        kit_step step = kit_step_at(way, WALK_STRIDE, WALK_PHASE[leg], WALK_STANCE);
        double toe =
            step.swing > 0 ? 35 * kit_bump(step.swing, 0, 0.3, 0.85) - 9 * kit_bump(step.swing, 0.6, 0.88, 1) : 0;
        plant(rig, pose, leg, step.way - way, 0.15 * step.lift, toe);
        kit_turn(pose, rig->legs[leg].hoof, 0.4 * toe, 0, 0);
    }
}

// ---- neck swing and full stop ----

// Swings its neck low to one side as giraffes fight, whips it over to the other, and stops dead.
static void neck_swing(const void* user, double t, kit_pose* pose) {
    const giraffe* rig = user;
    double body = KIT_KEYS(t, {0, 0}, {0.7, -1}, {0.9, -1}, {1.35, 1}, {3.0, 1});
    for (uint32_t i = 0; i < GIRAFFE_NECK; i++) {
        // The base leads and the top follows; all arrive together, which makes the stop hard.
        double late = 0.012 * i;
        double side = KIT_KEYS(t, {0, 0}, {0.75 + late, -1}, {0.9 + late, -1}, {1.45, 1}, {3.0, 1});
        double low = KIT_KEYS(t, {0, 0}, {0.8 + late, 1}, {1.18 + 0.5 * late, 0.25}, {1.45, 0.8}, {3.0, 0.8});
        kit_turn(pose, rig->neck[i], 1.6 * low, 0.9 * side, -3.3 * side);
    }
    kit_move(pose, rig->hips, -0.06 * body, STANDING, 0);
    kit_turn(pose, rig->hips, 0, 3 * body, -3 * body);
    kit_turn(pose, rig->chest, 0, 5 * body, -4 * body);
    double head = KIT_KEYS(t, {0, 0}, {0.8, -1}, {0.95, -1}, {1.45, 1}, {3.0, 1});
    kit_turn(pose, rig->head, -14 * fabs(head), -12 * head, 16 * head);
    swing_tail(rig, pose, 20 * kit_bump(t, 0.9, 1.3, 1.8), -45 * body);
    flap_ears(rig, pose, 15 * kit_bump(t, 0.9, 1.2, 1.45));
    plant_all(rig, pose);
}

// ---- look around ----

static const double LOOK_S = 4.0;

// A periscope: the neck leans in a circle while the head looks outwards; then back where it began. Chews all the while.
static void look_around(const void* user, double t, kit_pose* pose) {
    const giraffe* rig = user;
    double around = 2 * LIMBERI_PI * t / LOOK_S;
    double lean = 26;
    kit_move(pose, rig->hips, 0.03 * sin(around), STANDING, -0.02 * cos(around));
    kit_turn(pose, rig->hips, -1.5 * cos(around), 0, 2 * sin(around));
    for (uint32_t i = 0; i < GIRAFFE_NECK; i++) {
        double lag = around - 0.035 * i;
        kit_turn(pose, rig->neck[i], lean / GIRAFFE_NECK * cos(lag), 40.0 / GIRAFFE_NECK * sin(lag),
                 -lean / GIRAFFE_NECK * sin(lag));
    }
    double late = around - 0.7;
    kit_turn(pose, rig->head, -14 * cos(late), 28 * sin(late), 14 * sin(late));
    double chew = 0.5 - 0.5 * cos(2 * LIMBERI_PI * 6 * t / LOOK_S);
    kit_turn(pose, rig->jaw, 9 * chew, 0, 0);
    kit_move(pose, rig->jaw, 0.008 * sin(2 * LIMBERI_PI * 6 * t / LOOK_S), 0, 0);
    flap_ears(rig, pose, 10 * kit_wave(t, LOOK_S / 2, 0) + 6 * kit_wave(t, LOOK_S / 4, 0.2));
    swing_tail(rig, pose, 0, 60 * kit_wave(t, LOOK_S / 2, 0.25));
    plant_all(rig, pose);
}

// ---- twirl ----

// Winds up against the turn, hops into a full turn in the air, lands and stands. The neck drags behind and whips past.
static void twirl(const void* user, double t, kit_pose* pose) {
    const giraffe* rig = user;
    double spin = KIT_KEYS(t, {0, 0}, {0.6, 0}, {1.4, 360}, {3.0, 360});
    double wind = KIT_KEYS(t, {0, 0}, {0.5, -22}, {0.62, -22}, {0.85, 14}, {1.35, 8}, {1.5, 12}, {1.8, -4}, {2.1, 0});
    double height = KIT_KEYS(t, {0, 0}, {0.5, -0.16}, {0.58, -0.16}, {0.7, 0.08}, {1.0, 0.5}, {1.32, 0.04},
                             {1.45, -0.17}, {1.75, 0.012}, {2.0, 0});
    kit_turn(pose, rig->root, 0, spin, 0);
    kit_move(pose, rig->hips, 0, STANDING + height, 0);
    kit_turn(pose, rig->hips, 0, 0.5 * wind, 0);
    kit_turn(pose, rig->chest, 0, 0.5 * wind, 0);
    double drag = KIT_KEYS(t, {0, 0}, {0.55, -30}, {0.9, -55}, {1.3, -35}, {1.62, 40}, {1.9, -12}, {2.15, 4}, {2.4, 0});
    double nod = KIT_KEYS(t, {0, 0}, {0.55, 16}, {0.8, -12}, {1.2, -6}, {1.5, 24}, {1.8, -6}, {2.1, 0});
    double out = KIT_KEYS(t, {0.5, 0}, {1.0, 14}, {1.6, -6}, {1.9, 0});
    bend_neck(rig, pose, nod, drag, out, 0.25);
    swing_tail(rig, pose, KIT_KEYS(t, {0.5, 0}, {1.0, 110}, {1.55, -10}, {1.9, 0}),
               KIT_KEYS(t, {0.4, 0}, {0.9, 60}, {1.3, 30}, {1.65, -50}, {2.0, 0}));
    flap_ears(rig, pose, KIT_KEYS(t, {0, 0}, {0.5, 12}, {0.75, -25}, {1.2, 28}, {1.5, -22}, {1.9, 0}));
    double flight = kit_ease(t, 0.58, 0.78) - kit_ease(t, 1.16, 1.36);
    for (uint32_t leg = 0; leg < GIRAFFE_LEGS; leg++) {
        double up = flight * (fmax(height, 0) * 0.9 + 0.16);
        double ahead = flight * (leg >= 2 ? 0.06 : -0.04);
        plant(rig, pose, leg, ahead, up, 45 * flight);
    }
}

void limberi_giraffe_clips(kit* k, const giraffe* rig) {
    kit_clip(k, "walk", WALK_S, true, walk, rig);
    kit_clip(k, "neck-swing-stop", 3.0, false, neck_swing, rig);
    kit_clip(k, "look-around", LOOK_S, true, look_around, rig);
    kit_clip(k, "twirl", 2.6, false, twirl, rig);
}
