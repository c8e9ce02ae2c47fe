// How the cow moves. Feet are placed in the world and the legs reach for them, so that nothing slides unless it should.
#include "characters/cow.h"

static limber_vec3 place_of_hoof(const cow* rig, const kit_pose* pose, uint32_t leg, double ahead, double up) {
    limber_vec3 rest = limberi_add(kit_pose_at(pose, rig->root), rig->legs[leg].at);
    return limberi_add(rest, kit_at(0, (float)up, (float)ahead));
}

// Puts a hoof `ahead` and `up` from the place below the root where it rests; `pitch_deg` tips its toe down.
static void plant(const cow* rig, kit_pose* pose, uint32_t leg, double ahead, double up, double pitch_deg) {
    const quadruped_leg* l = &rig->legs[leg];
    limber_vec3 target = place_of_hoof(rig, pose, leg, ahead, up);
    kit_reach(pose, l->upper, l->lower, l->foot, target, kit_at(0, 0, l->knee), kit_euler(pitch_deg, 0, 0));
}

// The same for a gallop.
static void throw_leg(const cow* rig, kit_pose* pose, uint32_t leg, double ahead, double up, double pitch_deg) {
    limber_vec3 target = place_of_hoof(rig, pose, leg, ahead, up);
    quadruped_reach(pose, &rig->legs[leg], target, kit_euler(pitch_deg, 0, 0));
}

// Ears, tail and udder follow what the body does with a delay; limber's effects come on top of it.
static void dangle(const cow* rig, kit_pose* pose, double flap_deg, double wag_deg, double lift_deg) {
    kit_turn(pose, rig->ear[0], 0, 0, flap_deg);
    kit_turn(pose, rig->ear[1], 0, 0, -flap_deg);
    for (uint32_t i = 0; i < COW_TAIL; i++)
        kit_turn(pose, rig->tail[i], lift_deg / COW_TAIL, 0, wag_deg * (0.4 + 0.3 * i));
}

// ---- walk ----

enum { WALK_FRAMES = 36 };
static const double WALK_S = WALK_FRAMES / 30.0;
static const double WALK_STRIDE = 0.46;
static const double WALK_STANCE = 0.64;
// Four beats: hind left, front left, hind right, front right.
static const double WALK_PHASE[FOUR_LEGS] = {0.25, 0.75, 0.0, 0.5};

static void walk(const void* user, double t, kit_pose* pose) {
    const cow* rig = user;
    double way = WALK_STRIDE * t / WALK_S;
    double bob = kit_wave(t, WALK_S / 2, 0.1);
    double sway = kit_wave(t, WALK_S, 0.07);
    kit_move(pose, rig->hips, 0.018 * sway, -0.036 + 0.012 * bob, 0);
    kit_turn(pose, rig->hips, 1.2 * kit_wave(t, WALK_S / 2, 0.3), 2.5 * kit_wave(t, WALK_S, 0.3), 3 * sway);
    kit_turn(pose, rig->chest, 1.5 * kit_wave(t, WALK_S / 2, 0.55), -4 * kit_wave(t, WALK_S, 0.3), -4.5 * sway);
    kit_turn(pose, rig->neck, 4 * kit_wave(t, WALK_S / 2, 0.7), 1.5 * sway, 0);
    kit_turn(pose, rig->head, 3.5 * kit_wave(t, WALK_S / 2, 0.55), 0, 2 * kit_wave(t, WALK_S, 0.9));
    kit_turn(pose, rig->udder, 5 * kit_wave(t, WALK_S / 2, 0.85), 0, 8 * kit_wave(t, WALK_S, 0.85));
    dangle(rig, pose, 9 * kit_wave(t, WALK_S / 2, 0.4), 0, 0);
    for (uint32_t i = 0; i < COW_TAIL; i++)
        kit_turn(pose, rig->tail[i], 0, 0, 13 * kit_wave(t, WALK_S, 0.9 - 0.09 * i));
    for (uint32_t leg = 0; leg < FOUR_LEGS; leg++) {
        kit_step step = kit_step_at(way, WALK_STRIDE, WALK_PHASE[leg], WALK_STANCE);
        double toe = 38 * kit_bump(step.swing, 0, 0.3, 0.85) - 10 * kit_bump(step.swing, 0.6, 0.88, 1);
        plant(rig, pose, leg, step.way - way, 0.11 * step.lift, step.swing > 0 ? toe : 0);
    }
}

// ---- jump ----

// Crouch, leave the ground at 0.6 s, top at 0.95, land at 1.3, sink in, come up.
static void jump(const void* user, double t, kit_pose* pose) {
    const cow* rig = user;
    double height = KIT_KEYS(t, {0, 0}, {0.2, 0.01}, {0.45, -0.15}, {0.5, -0.15}, {0.6, 0.08}, {0.95, 0.72},
                             {1.3, 0.05}, {1.42, -0.17}, {1.7, 0.025}, {1.95, -0.008}, {2.2, 0});
    double tilt = KIT_KEYS(t, {0, 0}, {0.45, 5}, {0.65, -20}, {0.95, -2}, {1.25, 15}, {1.45, 3}, {1.7, -3}, {2.0, 0});
    double nod = KIT_KEYS(t, {0, 0}, {0.2, -4}, {0.5, 20}, {0.7, -18}, {1.0, -8}, {1.3, -20}, {1.5, 26}, {1.75, -7},
                          {2.0, 2}, {2.2, 0});
    kit_move(pose, rig->hips, 0, height, 0);
    kit_turn(pose, rig->hips, tilt, 0, 0);
    kit_turn(pose, rig->chest, -0.3 * tilt, 0, 0);
    kit_turn(pose, rig->neck, 0.5 * nod, 0, 0);
    kit_turn(pose, rig->head, 0.5 * nod, 0, 0);
    double air = kit_bump(t, 0.6, 0.95, 1.3);
    double flap = KIT_KEYS(t, {0, 0}, {0.5, 15}, {0.7, -32}, {0.95, 5}, {1.25, 38}, {1.5, -25}, {1.75, 8}, {2.1, 0});
    double raise = KIT_KEYS(t, {0, 0}, {0.5, 12}, {0.75, -20}, {1.2, 85}, {1.5, -16}, {1.8, 8}, {2.15, 0});
    dangle(rig, pose, flap, 0, raise);
    kit_turn(pose, rig->udder, KIT_KEYS(t, {0, 0}, {0.5, -8}, {0.7, 14}, {1.2, -12}, {1.5, 16}, {1.8, -5}, {2.1, 0}), 0,
             0);
    for (uint32_t leg = 0; leg < FOUR_LEGS; leg++) {
        bool hind = leg >= HIND_LEFT;
        // Front feet leave first and land first; in the air they hang under the body, tucked up.
        double off = hind ? 0.62 : 0.54;
        double on = hind ? 1.34 : 1.27;
        double flight = kit_ease(t, off - 0.02, off + 0.16) - kit_ease(t, on - 0.2, on);
        double up = flight * (fmax(height, 0) * 0.94 + 0.09) + air * 0.04;
        double ahead =
            flight * KIT_KEYS(t, {0.55, hind ? -0.22 : 0.1}, {0.95, hind ? 0.02 : 0.0}, {1.3, hind ? 0.06 : 0.17});
        plant(rig, pose, leg, ahead, up, flight * (hind ? 40 : 48));
    }
}

// ---- head shake ----

// Looks up, shakes its head as if at a fly, and stops dead looking at you with its head tilted.
static void head_shake(const void* user, double t, kit_pose* pose) {
    const cow* rig = user;
    double yaw = KIT_KEYS(t, {0, 0}, {0.35, -12}, {0.6, 38}, {0.85, -40}, {1.1, 40}, {1.35, -40}, {1.6, 40},
                          {1.78, -14}, {3.0, -14});
    double roll = KIT_KEYS(t, {0, 0}, {0.4, -6}, {0.65, 12}, {0.9, -13}, {1.15, 13}, {1.4, -13}, {1.62, 12}, {1.8, 11},
                           {3.0, 11});
    double dip = KIT_KEYS(t, {0, 0}, {0.4, 12}, {1.5, 10}, {1.8, -6}, {3.0, -6});
    double lean = 0.1 * yaw;
    kit_move(pose, rig->hips, -0.0008 * yaw, -0.012 * kit_ease(t, 0, 0.4), 0);
    kit_turn(pose, rig->hips, 0, 0.05 * yaw, 0.1 * lean);
    kit_turn(pose, rig->chest, 0.3 * dip, 0.15 * yaw, 0);
    kit_turn(pose, rig->neck, 0.4 * dip, 0.35 * yaw, 0.3 * roll);
    kit_turn(pose, rig->head, 0.4 * dip, 0.5 * yaw, 0.7 * roll);
    double wag = KIT_KEYS(t, {0, 0}, {0.7, 9}, {1.2, -9}, {1.7, 9}, {2.0, 0});
    dangle(rig, pose, -10 * kit_ease(t, 0.2, 0.5) + 16 * kit_ease(t, 1.6, 1.8), wag, 0);
    for (uint32_t leg = 0; leg < FOUR_LEGS; leg++)
        plant(rig, pose, leg, 0, 0, 0);
}

// ---- charge ----

static const double CHARGE_STRIDE = 1.35;
static const double CHARGE_FROM_S = 1.15;
static const double BRAKE_S = 2.25;
static const double HALT_S = 2.62;

// Metres run: leans back first, then speeds up, and brakes within a body length.
static double charge_way(double t) {
    return KIT_KEYS(t, {0, 0}, {0.95, -0.09}, {CHARGE_FROM_S, -0.1}, {1.5, 0.7}, {BRAKE_S, 3.7}, {HALT_S, 4.5},
                    {4.0, 4.5});
}

static void charge_leg(const cow* rig, kit_pose* pose, uint32_t leg, double t, double way) {
    static const double phase[FOUR_LEGS] = {0.55, 0.7, 0.0, 0.15}; // a gallop: hind pair, then front pair
    bool hind = leg >= HIND_LEFT;
    kit_step step = kit_step_at(way, CHARGE_STRIDE, phase[leg], 0.28);
    double run = kit_ease(t, CHARGE_FROM_S, CHARGE_FROM_S + 0.25) - kit_ease(t, BRAKE_S - 0.05, BRAKE_S + 0.12);
    double standing = t < 1.6 ? -way : 0; // before the run the feet stay where they were, whatever the body does
    double skid = kit_bump(t, BRAKE_S - 0.05, BRAKE_S + 0.14, HALT_S + 0.35) * (hind ? 0.15 : 0.2);
    double ahead = run * (step.way - way) + (1 - run) * standing + skid;
    double up = run * 0.2 * step.lift;
    double toe = run * (step.swing > 0 ? 55 * kit_bump(step.swing, 0, 0.35, 0.9) : 0);
    if (leg == FRONT_RIGHT) { // pawing the ground, twice
        double paw = kit_bump(t, 0.3, 0.42, 0.62) + kit_bump(t, 0.64, 0.76, 0.96);
        double scrape = KIT_KEYS(t, {0.3, 0}, {0.45, 0.12}, {0.6, -0.12}, {0.78, 0.12}, {0.94, -0.1}, {1.1, 0});
        up += 0.1 * paw;
        ahead += scrape;
        toe += 42 * paw;
    }
    throw_leg(rig, pose, leg, ahead, up, toe);
}

static void charge(const void* user, double t, kit_pose* pose) {
    const cow* rig = user;
    double way = charge_way(t);
    double run = kit_ease(t, CHARGE_FROM_S, CHARGE_FROM_S + 0.3) - kit_ease(t, BRAKE_S - 0.1, BRAKE_S + 0.1);
    double beat = way / CHARGE_STRIDE;
    double rock = run * sin(2 * LIMBERI_PI * (beat - 0.12));
    double bob = run * sin(2 * LIMBERI_PI * (beat + 0.1));
    double brake = KIT_KEYS(t, {BRAKE_S - 0.12, 0}, {BRAKE_S + 0.2, 1}, {HALT_S + 0.02, 0.95}, {HALT_S + 0.3, -0.3},
                            {HALT_S + 0.6, 0.1}, {HALT_S + 0.9, 0});
    double low = KIT_KEYS(t, {0, 0}, {0.5, 1}, {CHARGE_FROM_S, 1}, {1.6, 0.5}, {BRAKE_S, 0.5}, {HALT_S, 0.2}, {3.3, 0});
    kit_move(pose, rig->root, 0, 0, way);
    kit_move(pose, rig->hips, 0, -0.045 * low - 0.07 * brake * brake + 0.05 * bob - 0.01 * run, -0.05 * brake);
    kit_turn(pose, rig->hips, 9 * rock - 9 * brake + 2 * low, 0, 0);
    kit_turn(pose, rig->chest, -8 * rock - 3 * brake + 3 * low, 0, 0);
    kit_turn(pose, rig->neck, 14 * low - 5 * rock - 16 * brake, 0, 0);
    kit_turn(pose, rig->head, 8 * low - 4 * rock - 10 * brake, 0, 0);
    double wag = 10 * kit_bump(t, 0.2, 0.5, 0.8) - 10 * kit_bump(t, 0.5, 0.8, 1.1);
    dangle(rig, pose, -24 * run + 8 * rock + 18 * brake, wag, 70 * run - 25 * brake);
    kit_turn(pose, rig->udder, 12 * rock - 14 * brake, 0, 0);
    for (uint32_t leg = 0; leg < FOUR_LEGS; leg++)
        charge_leg(rig, pose, leg, t, way);
}

void limberi_cow_clips(kit* k, const cow* rig) {
    kit_clip(k, "walk", WALK_S, true, walk, rig);
    kit_clip(k, "jump", 2.4, false, jump, rig);
    kit_clip(k, "headshake-stop", 3.0, false, head_shake, rig);
    kit_clip(k, "charge-and-stop", 4.0, false, charge, rig);
}
