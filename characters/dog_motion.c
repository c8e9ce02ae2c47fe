// How the dog moves: a gallop that gathers and stretches, feet that stand where they landed. Ears, tongue and the joints
// along the tail are left to the style: what is loose has no keys.
#include "characters/dog.h"

static const steps_gait RUN = {
    .period_s = 16 / 30.0, .stride = 1.35, .stance = 0.26, .shift = 0, .lift = 0.15, .push_deg = 46, .strike_deg = 8};
// Hind pair, then front pair; in the order of the legs.
static const double PHASE[FOUR_LEGS] = {0.5, 0.62, 0.0, 0.12};

static const quadruped_sole PAW = {.heel = -0.03f, .toe = 0.075f, .high = 0.02f};

// He carries and wags it from its root.
static void tail(const dog* rig, kit_pose* pose, double lower, double wag, double phase) {
    kit_turn(pose, rig->tail[0], -0.6 * lower, 0, wag * sin(phase));
}

// ---- run ----

// At the phase 0 the hind feet land under the belly: gathered; half a period later stretched.
static void run_body(const dog* rig, kit_pose* pose, double phase, double amount) {
    double beat = 2 * LIMBERI_PI * phase;
    double gather = cos(beat - 0.35);
    double rock = sin(beat - 0.35);
    double bob = cos(beat - 2 * LIMBERI_PI * 0.42);
    kit_move(pose, rig->hips, 0, amount * (-0.04 + 0.028 * bob + 0.018 * rock), amount * 0.05 * gather);
    kit_turn(pose, rig->hips, amount * (-6 * gather + 9 * rock), 0, amount * 2 * sin(beat));
    kit_turn(pose, rig->spine, amount * (15 * gather - 7 * rock), 0, 0);
    kit_turn(pose, rig->chest, amount * (8 * gather - 5 * rock), 0, amount * -2 * sin(beat));
    kit_turn(pose, rig->neck, amount * (-6 - 12 * cos(beat - 0.7)), 0, 0);
    kit_turn(pose, rig->head, amount * (3 - 7 * cos(beat - 1.1)), 0, amount * 3 * sin(beat));
    tail(rig, pose, amount * 46, amount * 10, beat);
}

static void run(const void* user, double t, kit_pose* pose) {
    const dog* rig = user;
    run_body(rig, pose, t / RUN.period_s, 1);
    for (uint32_t leg = 0; leg < FOUR_LEGS; leg++)
        quadruped_plant(pose, &rig->legs[leg], &PAW, steps_run(&RUN, PHASE[leg], t));
}

// ---- jump ----

static void jump(const void* user, double t, kit_pose* pose) {
    const dog* rig = user;
    double way = KIT_KEYS(t, {0.5, 0}, {0.72, 0.12}, {0.95, 0.55}, {1.22, 0.98}, {1.42, 1.1});
    double height = KIT_KEYS(t, {0, 0}, {0.2, 0.015}, {0.5, -0.1}, {0.56, -0.105}, {0.7, 0.06}, {0.96, 0.46},
                             {1.22, 0.05}, {1.38, -0.095}, {1.6, -0.06}, {1.85, 0.012}, {2.1, 0});
    double pitch = KIT_KEYS(t, {0, 0}, {0.2, 2}, {0.5, 3}, {0.58, 1}, {0.72, -34}, {0.95, -8}, {1.2, 22}, {1.38, 3},
                            {1.62, -5}, {1.9, 1}, {2.15, 0});
    double arch =
        KIT_KEYS(t, {0, 0}, {0.5, 14}, {0.58, 13}, {0.76, -22}, {1.0, -6}, {1.22, 12}, {1.4, 12}, {1.65, 4}, {2.0, 0});
    double nod = KIT_KEYS(t, {0, 0}, {0.22, -10}, {0.52, 17}, {0.6, 12}, {0.8, -20}, {1.08, 6}, {1.25, -22}, {1.44, 26},
                          {1.66, -8}, {1.95, 3}, {2.2, 0});
    kit_move(pose, rig->root, 0, 0, way);
    kit_move(pose, rig->hips, 0, height, -0.03 * kit_bump(t, 0.2, 0.52, 0.7));
    kit_turn(pose, rig->hips, pitch, 0, 0);
    kit_turn(pose, rig->spine, 0.5 * arch, 0, 0);
    kit_turn(pose, rig->chest, 0.5 * arch, 0, 0);
    kit_turn(pose, rig->neck, 0.5 * nod - 0.6 * (pitch + arch), 0, 0);
    kit_turn(pose, rig->head, 0.5 * nod - 0.3 * (pitch + arch), 0, 0);
    tail(rig, pose, KIT_KEYS(t, {0, 0}, {0.5, 30}, {1.5, 30}, {2.1, 0}),
         26 * (kit_bump(t, 0.05, 0.3, 0.6) + kit_bump(t, 1.5, 1.85, 2.3)), 26 * t);
    for (uint32_t leg = 0; leg < FOUR_LEGS; leg++) {
        bool hind = leg >= HIND_LEFT;
        double off = hind ? 0.7 : 0.6;
        double on = hind ? 1.32 : 1.2;
        double air = kit_bump(t, off, 0.95, on);
        steps_foot foot = {.z = 1.1 * kit_ease(t, off, on)};
        double reach = kit_bump(t, off, off + 0.14, off + 0.4);
        double land = kit_bump(t, on - 0.3, on - 0.1, on);
        foot.z += hind ? -0.2 * reach + 0.06 * land : 0.16 * reach + 0.1 * land;
        foot.up = KIT_KEYS(t, {off, 0}, {0.95, hind ? 0.5 : 0.54}, {on, 0});
        foot.pitch = KIT_KEYS(t, {off - 0.12, 0}, {off, hind ? 48 : 36}, {off + 0.14, 70}, {1.02, 36}, {on - 0.06, -8},
                              {on, -8}, {on + 0.06, 0});
        foot.air = air;
        quadruped_plant(pose, &rig->legs[leg], &PAW, foot);
    }
}

// ---- shake ----

// Shakes himself dry from the head to the tail, then stops dead with his head on one side.
static void shake(const void* user, double t, kit_pose* pose) {
    const dog* rig = user;
    double amount = KIT_KEYS(t, {0.45, 0}, {0.75, 0.7}, {1.1, 1}, {1.55, 0.95}, {1.7, 0});
    double rate = 2 * LIMBERI_PI * 4.2;
    double turn = rate * (t - 0.45);
    double low = KIT_KEYS(t, {0, 0}, {0.42, 1}, {1.55, 0.9}, {1.8, -0.2}, {2.1, 0});
    double head = amount * sin(turn);
    double body = 0.8 * amount * sin(turn - 0.9);
    double rump = 0.7 * amount * sin(turn - 1.8);
    double tilt = KIT_KEYS(t, {1.55, 0}, {1.74, 27}, {1.9, 22}, {2.1, 24});
    double look = KIT_KEYS(t, {1.5, 0}, {1.74, 16}, {2.0, 14});
    kit_move(pose, rig->hips, 0.012 * rump, -0.05 * low, -0.02 * low);
    kit_turn(pose, rig->hips, 3 * low, -3 * rump, 12 * rump);
    kit_turn(pose, rig->spine, 2 * low, 0, 8 * (body - rump));
    kit_turn(pose, rig->chest, 3 * low, 2 * body, 10 * (body - rump));
    kit_turn(pose, rig->neck, 12 * low, 8 * head + 0.4 * look, 18 * (head - 0.4 * body) + 0.3 * tilt);
    kit_turn(pose, rig->head, 8 * low, 10 * head + 0.6 * look, 24 * (head - 0.3 * body) + 0.7 * tilt);
    tail(rig, pose, 24 * low, 26 * amount + 18 * kit_bump(t, 1.9, 2.15, 2.6), amount > 0 ? turn - 2.4 : 24 * t);
    for (uint32_t leg = 0; leg < FOUR_LEGS; leg++)
        quadruped_plant(pose, &rig->legs[leg], &PAW, (steps_foot){0});
}

// ---- stop ----

static const double BRAKE_S = 1.0;
static const double HALT_S = 1.4;

static steps_foot stopping_paw(uint32_t leg, double t, double there) {
    const double for_good = 1e6;
    bool hind = leg >= HIND_LEFT;
    steps_plant plants[4];
    for (int i = 0; i < 3; i++)
        plants[i] = steps_run_plant(&RUN, PHASE[leg], i - 1);
    // The last to land is for good: hind feet under the belly, front feet ahead.
    int last = hind ? 3 : 2;
    double land = hind ? 2 * RUN.period_s + PHASE[leg] * RUN.period_s : (1 + PHASE[leg]) * RUN.period_s + 0.22;
    plants[last] = (steps_plant){land, for_good, there + (hind ? 0.02 : 0.06) + (leg % 2 ? -0.03 : 0.02)};
    return steps_at(plants, (uint32_t)last + 1, t, &RUN);
}

static void stop(const void* user, double t, kit_pose* pose) {
    const dog* rig = user;
    double speed = RUN.stride / RUN.period_s;
    double way = steps_brake(t, speed, BRAKE_S, HALT_S);
    double there = steps_brake(99, speed, BRAKE_S, HALT_S);
    double running = 1 - kit_ease(t, BRAKE_S - 0.1, BRAKE_S + 0.14);
    double sit = KIT_KEYS(t, {BRAKE_S - 0.06, 0}, {BRAKE_S + 0.22, 1}, {HALT_S + 0.02, 0.9}, {HALT_S + 0.26, -0.4},
                          {HALT_S + 0.5, 0.12}, {HALT_S + 0.75, 0});
    kit_move(pose, rig->root, 0, 0, way);
    run_body(rig, pose, t / RUN.period_s, running);
    // He sits back on his hind legs against the brake, tips forward and settles.
    kit_move(pose, rig->hips, 0, -0.13 * fmax(sit, 0) - 0.02 * fmax(-sit, 0), -0.07 * sit);
    kit_turn(pose, rig->hips, -17 * sit, 0, 0);
    kit_turn(pose, rig->spine, 5 * sit, 0, 0);
    kit_turn(pose, rig->chest, 6 * sit, 0, 0);
    kit_turn(pose, rig->neck, -6 * sit, 0, 0);
    kit_turn(pose, rig->head, 10 * sit, 0, 0);
    tail(rig, pose, (1 - running) * KIT_KEYS(t, {BRAKE_S, 46}, {HALT_S + 0.7, 0}),
         34 * kit_bump(t, HALT_S + 0.2, HALT_S + 0.7, HALT_S + 1.3), 22 * t);
    for (uint32_t leg = 0; leg < FOUR_LEGS; leg++)
        quadruped_plant(pose, &rig->legs[leg], &PAW, stopping_paw(leg, t, there));
}

void limberi_dog_clips(kit* k, const dog* rig) {
    kit_clip(k, "run", RUN.period_s, true, run, rig);
    kit_clip(k, "jump", 2.4, false, jump, rig);
    kit_clip(k, "shake", 2.8, false, shake, rig);
    kit_clip(k, "stop", 3.0, false, stop, rig);
}
