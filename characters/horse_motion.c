// How the horse moves: a gallop, a kick of both hind legs (the ruade), it rears, and it brakes.
#include "characters/horse.h"

static const steps_gait GALLOP = {
    .period_s = 18 / 30.0, .stride = 2.2, .stance = 0.3, .shift = -0.02, .lift = 0.24, .push_deg = 40, .strike_deg = 6};
static const double PHASE[FOUR_LEGS] = {0.52, 0.66, 0.0, 0.14};

static const quadruped_sole HOOF = {.heel = -0.07f, .toe = 0.09f, .high = 0.01f};

static void neck(const horse* rig, kit_pose* pose, double nod, double head) {
    kit_turn(pose, rig->neck[0], 0.5 * nod, 0, 0);
    kit_turn(pose, rig->neck[1], 0.5 * nod, 0, 0);
    kit_turn(pose, rig->head, head, 0, 0);
}

// Raised by `lift`, each joint of it later.
static void tail(const horse* rig, kit_pose* pose, double lift, double swish, double phase) {
    for (uint32_t i = 0; i < HORSE_TAIL; i++)
        kit_turn(pose, rig->tail[i], lift * (i ? 0.22 : 0.34), 0, swish * (0.4 + 0.2 * i) * sin(phase - 0.7 * i));
}

static void ears(const horse* rig, kit_pose* pose, double back) {
    for (int i = 0; i < 2; i++)
        kit_turn(pose, rig->ear[i], -back, 0, 0);
}

static void gallop_body(const horse* rig, kit_pose* pose, double t, double amount) {
    double beat = 2 * LIMBERI_PI * t / GALLOP.period_s;
    double gather = amount * cos(beat - 0.35);
    double rock = amount * sin(beat - 0.35);
    kit_move(pose, rig->hips, 0, amount * (-0.05 + 0.045 * cos(beat - 2.6)) + 0.02 * rock, 0.05 * gather);
    kit_turn(pose, rig->hips, -4 * gather + 7 * rock, 0, amount * 1.5 * sin(beat));
    kit_turn(pose, rig->spine, 7 * gather - 5 * rock, 0, 0);
    kit_turn(pose, rig->chest, 4 * gather - 4 * rock, 0, 0);
    neck(rig, pose, amount * (12 - 12 * cos(beat - 0.7)), amount * (-6 + 6 * cos(beat - 1.1)));
    tail(rig, pose, amount * (58 + 14 * cos(beat - 1.6)), amount * 8, beat);
    ears(rig, pose, amount * (12 + 8 * cos(beat - 1.5)));
}

static void gallop(const void* user, double t, kit_pose* pose) {
    const horse* rig = user;
    gallop_body(rig, pose, t, 1);
    for (uint32_t leg = 0; leg < FOUR_LEGS; leg++)
        quadruped_plant(pose, &rig->legs[leg], &HOOF, steps_run(&GALLOP, PHASE[leg], t));
}

// The ruade: it drops its head, tips onto its front legs, throws both hind legs out behind, and comes down again.
static void kick(const void* user, double t, kit_pose* pose) {
    const horse* rig = user;
    double tip = KIT_KEYS(t, {0, 0}, {0.3, -7}, {0.52, -4}, {0.8, 30}, {0.98, 34}, {1.28, -5}, {1.5, 2}, {1.8, 0});
    double up = KIT_KEYS(t, {0, 0}, {0.32, -0.13}, {0.5, -0.12}, {0.8, 0.26}, {0.98, 0.28}, {1.28, -0.1}, {1.55, 0.01},
                         {1.8, 0});
    double ahead = KIT_KEYS(t, {0, 0}, {0.3, -0.05}, {0.8, 0.08}, {1.0, 0.09}, {1.3, -0.02}, {1.6, 0});
    double arch = KIT_KEYS(t, {0, 0}, {0.32, 12}, {0.8, -12}, {1.0, -12}, {1.28, 9}, {1.6, 0});
    double nod = KIT_KEYS(t, {0, 0}, {0.3, -16}, {0.75, 52}, {1.0, 50}, {1.3, -14}, {1.6, 5}, {1.9, 0});
    kit_move(pose, rig->hips, 0, up, ahead);
    kit_turn(pose, rig->hips, tip, 0, 0);
    kit_turn(pose, rig->spine, 0.5 * arch - 0.1 * tip, 0, 0);
    kit_turn(pose, rig->chest, 0.5 * arch - 0.15 * tip, 0, 0);
    neck(rig, pose, nod - 0.5 * tip, 0.2 * nod);
    tail(rig, pose, KIT_KEYS(t, {0, 0}, {0.3, -10}, {0.82, 96}, {1.05, 88}, {1.35, -16}, {1.7, 8}, {2.0, 0}),
         6 * kit_bump(t, 0.1, 1, 2), 9 * t);
    ears(rig, pose, KIT_KEYS(t, {0, 0}, {0.3, -8}, {0.6, 42}, {1.1, 40}, {1.5, 0}));
    for (uint32_t leg = 0; leg < FOUR_LEGS; leg++) {
        steps_foot foot = {0};
        if (leg >= HIND_LEFT) {
            double late = leg == HIND_RIGHT ? 0.035 : 0;
            double s = t - late;
            foot.up = KIT_KEYS(s, {0.54, 0}, {0.72, 0.62}, {0.88, 1.02}, {1.0, 0.98}, {1.16, 0.4}, {1.27, 0});
            foot.z = KIT_KEYS(s, {0.54, 0}, {0.68, 0.02}, {0.88, -0.62}, {1.0, -0.58}, {1.16, -0.1}, {1.27, 0});
            foot.pitch = KIT_KEYS(s, {0.46, 0}, {0.56, 34}, {0.75, 96}, {0.9, 78}, {1.05, 70}, {1.24, 0});
            foot.air = kit_bump(s, 0.54, 0.88, 1.27);
        }
        quadruped_plant(pose, &rig->legs[leg], &HOOF, foot);
    }
}

// Rears, paws the air and stands still again.
static void rear(const void* user, double t, kit_pose* pose) {
    const horse* rig = user;
    double tip = KIT_KEYS(t, {0, 0}, {0.35, 5}, {0.5, 4}, {0.95, -44}, {1.5, -41}, {1.95, 3}, {2.2, -1}, {2.4, 0});
    double up = KIT_KEYS(t, {0, 0}, {0.35, -0.1}, {0.95, -0.06}, {1.5, -0.05}, {1.95, -0.08}, {2.2, 0.01}, {2.4, 0});
    double paw = kit_bump(t, 0.8, 1.25, 1.75);
    kit_move(pose, rig->hips, 0, up, KIT_KEYS(t, {0.4, 0}, {0.95, 0.03}, {1.5, 0.03}, {1.95, 0}));
    kit_turn(pose, rig->hips, tip, 0, 0);
    kit_turn(pose, rig->spine, 0.12 * tip, 0, 0);
    kit_turn(pose, rig->chest, 0.1 * tip, 0, 0);
    neck(rig, pose, KIT_KEYS(t, {0, 0}, {0.4, 16}, {0.95, 20}, {1.5, 10}, {1.95, 22}, {2.3, 0}),
         KIT_KEYS(t, {0, 0}, {0.95, 22}, {1.5, 14}, {1.95, -6}, {2.3, 0}));
    tail(rig, pose, KIT_KEYS(t, {0, 0}, {0.4, 12}, {1.0, 30}, {1.5, 20}, {2.0, 30}, {2.4, 0}), 14 * paw, 8 * t);
    ears(rig, pose, KIT_KEYS(t, {0.3, 0}, {0.7, 30}, {1.5, 26}, {2.0, 0}));
    for (uint32_t leg = 0; leg < FOUR_LEGS; leg++) {
        steps_foot foot = {0};
        if (leg < HIND_LEFT) {
            double s = t - (leg == FRONT_RIGHT ? 0.05 : 0);
            double turn = 2 * LIMBERI_PI * 1.9 * s + (leg == FRONT_RIGHT ? LIMBERI_PI : 0);
            foot.up = KIT_KEYS(s, {0.5, 0}, {0.95, 0.74}, {1.5, 0.7}, {1.9, 0}) + 0.1 * paw * sin(turn);
            foot.z = KIT_KEYS(s, {0.5, 0}, {0.95, -0.12}, {1.5, -0.1}, {1.9, 0}) + 0.12 * paw * cos(turn);
            foot.pitch = KIT_KEYS(s, {0.42, 0}, {0.52, 24}, {0.95, 66}, {1.5, 60}, {1.86, 0});
            foot.air = kit_bump(s, 0.5, 1.2, 1.9);
        }
        quadruped_plant(pose, &rig->legs[leg], &HOOF, foot);
    }
}

static const double BRAKE_S = 1.15;
static const double HALT_S = 1.65;

static steps_foot stopping_hoof(uint32_t leg, double t, double there) {
    const double for_good = 1e6;
    bool hind = leg >= HIND_LEFT;
    steps_plant plants[4];
    for (int i = 0; i < 3; i++)
        plants[i] = steps_run_plant(&GALLOP, PHASE[leg], i - 1);
    int last = hind ? 3 : 2;
    double land = hind ? (2 + PHASE[leg]) * GALLOP.period_s : (1 + PHASE[leg]) * GALLOP.period_s + 0.25;
    plants[last] = (steps_plant){land, for_good, there + (hind ? 0.1 : 0.14) + (leg % 2 ? -0.05 : 0.04)};
    return steps_at(plants, (uint32_t)last + 1, t, &GALLOP);
}

// Gallops, sits back against the brake, tips forward, and stands with its head up.
static void stop(const void* user, double t, kit_pose* pose) {
    const horse* rig = user;
    double speed = GALLOP.stride / GALLOP.period_s;
    double there = steps_brake(99, speed, BRAKE_S, HALT_S);
    double running = 1 - kit_ease(t, BRAKE_S - 0.1, BRAKE_S + 0.16);
    double sit = KIT_KEYS(t, {BRAKE_S - 0.06, 0}, {BRAKE_S + 0.26, 1}, {HALT_S + 0.02, 0.9}, {HALT_S + 0.3, -0.35},
                          {HALT_S + 0.55, 0.1}, {HALT_S + 0.8, 0});
    double proud = -10 * kit_ease(t, HALT_S, HALT_S + 0.5);
    kit_move(pose, rig->root, 0, 0, steps_brake(t, speed, BRAKE_S, HALT_S));
    gallop_body(rig, pose, t, running);
    kit_move(pose, rig->hips, 0, -0.2 * fmax(sit, 0) - 0.03 * fmax(-sit, 0), -0.1 * sit);
    kit_turn(pose, rig->hips, -15 * sit, 0, 0);
    kit_turn(pose, rig->spine, 4 * sit, 0, 0);
    kit_turn(pose, rig->chest, 4 * sit, 0, 0);
    neck(rig, pose, -18 * sit + proud, 16 * sit);
    tail(rig, pose,
         (1 - running) * 40 * KIT_KEYS(t, {BRAKE_S, 1}, {HALT_S, -0.4}, {HALT_S + 0.3, 0.6}, {HALT_S + 0.8, 0}), 0, 0);
    ears(rig, pose, -14 * sit);
    for (uint32_t leg = 0; leg < FOUR_LEGS; leg++)
        quadruped_plant(pose, &rig->legs[leg], &HOOF, stopping_hoof(leg, t, there));
}

void limberi_horse_clips(kit* k, const horse* rig) {
    kit_clip(k, "gallop", GALLOP.period_s, true, gallop, rig);
    kit_clip(k, "kick", 2.2, false, kick, rig);
    kit_clip(k, "rear", 2.6, false, rear, rig);
    kit_clip(k, "stop", 3.0, false, stop, rig);
}
