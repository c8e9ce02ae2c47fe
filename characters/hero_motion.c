// How the hero moves. The cape hangs by angles in the world, whatever the back does, and its rows follow each other;
// everything livelier is left to limber.
#include "characters/hero.h"

static const steps_gait RUN = {
    .period_s = 18 / 30.0, .stride = 2.5, .stance = 0.3, .shift = -0.1, .lift = 0.3, .push_deg = 42, .strike_deg = 12};

// `lift_deg`: how far the cape is blown back from hanging down; `wave_deg` runs down it with the phase; `side_deg` swings
// it to the left.
static void hang_cape(const hero* rig, kit_pose* pose, const biped_figure* f, double lift_deg, double wave_deg,
                      double phase, double side_deg) {
    static const double share[HERO_ROWS] = {0.62, 0.18, 0.12, 0.08};
    double back = f->tilt[0] + f->spine[0];
    for (uint32_t c = 0; c < HERO_COLUMNS; c++)
        for (uint32_t r = 0; r < HERO_ROWS; r++) {
            double wave = wave_deg * (0.3 + 0.3 * r) * sin(phase - 1.15 * r + 0.7 * (c == 1));
            double pitch = share[r] * lift_deg - (r ? 0 : back) + wave;
            // The edges spread when it flies.
            double spread = r == 0 ? (1 - (double)c) * 0.07 * fmax(lift_deg, 0) : 0;
            kit_turn(pose, rig->cape[c][r], pitch, 0, spread + side_deg * (r ? 0.15 : 0.5));
        }
}

// ---- run ----

static void run_body(biped_figure* f, double phase, double amount) {
    double beat = 2 * LIMBERI_PI * phase;
    double bounce = cos(2 * (beat - 2 * LIMBERI_PI * 0.4));
    double side = cos(beat - 0.45);
    f->hips[1] += amount * (-0.065 + 0.045 * bounce);
    f->hips[0] += amount * 0.015 * sin(beat + 0.4);
    f->tilt[0] += amount * (13 + 2 * cos(2 * beat - 0.6));
    f->tilt[1] += amount * -10 * side;
    f->tilt[2] += amount * -4 * sin(beat + 0.3);
    f->spine[0] += amount * (9 - 3 * cos(2 * beat + 0.4));
    f->spine[1] += amount * 24 * side;
    f->spine[2] += amount * 3 * sin(beat + 0.1);
    f->head[0] += amount * (-17 + 3 * cos(2 * beat - 0.2));
    f->head[1] += amount * -12 * side;
    for (uint32_t i = 0; i < 2; i++) {
        double ahead = -cos(beat - 0.65 + (i ? LIMBERI_PI : 0));
        const double hand[3] = {0.1 - 0.09 * ahead, -0.2 + 0.15 * ahead + 0.03 * ahead * ahead, 0.06 + 0.25 * ahead};
        for (int n = 0; n < 3; n++)
            f->hand[i][n] = (1 - amount) * f->hand[i][n] + amount * hand[n];
    }
}

static void run(const void* user, double t, kit_pose* pose) {
    const hero* rig = user;
    double phase = t / RUN.period_s;
    double beat = 4 * LIMBERI_PI * phase;
    biped_figure f = {0};
    run_body(&f, phase, 1);
    biped_run_feet(&f, t, &RUN);
    biped_pose(&rig->body, pose, &f);
    hang_cape(rig, pose, &f, 62 + 5 * cos(beat - 2.4), 9, beat, 6 * sin(0.5 * beat - 0.8));
}

// ---- jump ----

#define PROUD                                                                                                          \
    { 0.02, -0.42, 0.07 }
#define LOW                                                                                                            \
    { 0.2, -0.46, 0.02 }
#define BEHIND                                                                                                         \
    { 0.18, -0.36, -0.3 }

// Crouches, shoots up behind a fist, lands on one knee and one fist, and rises with his hands on his hips.
static void jump(const void* user, double t, kit_pose* pose) {
    const hero* rig = user;
    static const biped_key keys[] = {
        {0, {.hand = {LOW, LOW}, .extra = {8}}},
        {0.22,
         {.hips = {0, 0.01, 0},
          .spine = {-6},
          .head = {-4},
          .hand = {{0.2, -0.42, 0.14}, {0.2, -0.42, 0.14}},
          .extra = {6}}},
        {0.6,
         {.hips = {0, -0.36, -0.09},
          .tilt = {30},
          .spine = {32},
          .head = {-34},
          .hand = {BEHIND, BEHIND},
          .extra = {34}}},
        {0.68,
         {.hips = {0, -0.37, -0.08},
          .tilt = {30},
          .spine = {33},
          .head = {-38},
          .hand = {BEHIND, BEHIND},
          .extra = {32}}},
        {0.76,
         {.way = 0.06,
          .hips = {0, -0.14, 0},
          .tilt = {20},
          .spine = {12},
          .head = {-26},
          .hand = {{0.14, -0.36, 0.12}, {0.1, -0.12, 0.44}},
          .pitch = {22, 22},
          .extra = {14}}},
        {0.86,
         {.way = 0.15,
          .hips = {0, 0.1, 0.03},
          .tilt = {8},
          .spine = {-8},
          .head = {-16},
          .hand = {{0.12, -0.3, 0.16}, {0.06, 0.4, 0.16}},
          .pitch = {56, 56},
          .extra = {4}}},
        {1.2,
         {.way = 0.75,
          .hips = {0, 0.9, 0},
          .tilt = {14},
          .spine = {-4},
          .head = {-22},
          .hand = {{0.16, -0.4, -0.12}, {0.05, 0.46, 0.2}},
          .foot = {{0, 0.92, 0.52}, {0, 1.14, 0.66}},
          .pitch = {66, 48},
          .air = {1, 1},
          .extra = {28}}},
        {1.54,
         {.way = 1.3,
          .hips = {0, 0.06, -0.04},
          .tilt = {14},
          .spine = {14},
          .head = {4},
          .hand = {{0.36, 0.1, -0.05}, {0.24, 0.26, 0.2}},
          .foot = {{0.02, 0, 1.5}, {0.02, 0.02, 1.14}},
          .pitch = {-8, 34},
          .extra = {118}}},
        {1.7,
         {.way = 1.36,
          .hips = {0, -0.465, -0.02},
          .tilt = {30},
          .spine = {44, -14},
          .head = {-8},
          .hand = {{0.38, -0.02, -0.26}, {0.04, -0.5, 0.12}},
          .foot = {{0.02, 0, 1.5}, {0.02, 0, 0.98}},
          .pitch = {0, 62},
          .extra = {128}}},
        {1.95,
         {.way = 1.36,
          .hips = {0, -0.45, -0.02},
          .tilt = {27},
          .spine = {40, -12},
          .head = {-34},
          .hand = {{0.36, -0.06, -0.24}, {0.04, -0.51, 0.12}},
          .foot = {{0.02, 0, 1.5}, {0.02, 0, 0.98}},
          .pitch = {0, 60},
          .extra = {66}}},
        {2.2,
         {.way = 1.36,
          .hips = {0, -0.445, -0.02},
          .tilt = {26},
          .spine = {38, -12},
          .head = {-46},
          .hand = {{0.36, -0.08, -0.24}, {0.04, -0.51, 0.12}},
          .foot = {{0.02, 0, 1.5}, {0.02, 0, 0.98}},
          .pitch = {0, 60},
          .extra = {60}}},
        {2.62,
         {.way = 1.36,
          .hips = {0, -0.02, 0.02},
          .tilt = {-2},
          .spine = {-8},
          .head = {2},
          .hand = {{0.1, -0.44, 0.03}, {0.1, -0.44, 0.03}},
          .foot = {{0.03, 0, 1.5}, {0.03, 0, 1.3}},
          .extra = {22}}},
        {2.9,
         {.way = 1.36,
          .hips = {0, -0.012, 0.02},
          .tilt = {-2},
          .spine = {-5},
          .head = {-2},
          .hand = {PROUD, PROUD},
          .foot = {{0.03, 0, 1.5}, {0.03, 0, 1.3}},
          .extra = {14}}},
        {3.2,
         {.way = 1.36,
          .hips = {0, -0.012, 0.02},
          .tilt = {-2},
          .spine = {-5},
          .head = {-2},
          .hand = {PROUD, PROUD},
          .foot = {{0.03, 0, 1.5}, {0.03, 0, 1.3}},
          .extra = {12}}},
    };
    biped_figure f;
    biped_figure_at(keys, sizeof keys / sizeof *keys, t, &f);
    f.foot[1][1] += 0.06 * kit_bump(t, 2.3, 2.42, 2.56);
    f.air[1] += kit_bump(t, 2.3, 2.42, 2.56);
    biped_pose(&rig->body, pose, &f);
    double rushing = kit_bump(t, 0.7, 1.0, 1.4) + kit_bump(t, 1.3, 1.6, 2.2);
    hang_cape(rig, pose, &f, f.extra[0], 7 * rushing, 14 * t, 0);
}

// ---- swing ----

// Winds up and throws a punch that stops dead at full reach.
static void swing(const void* user, double t, kit_pose* pose) {
    const hero* rig = user;
    static const biped_key keys[] = {
        {0, {.hand = {LOW, LOW}, .extra = {8}}},
        {0.25,
         {.hips = {0, -0.05, 0},
          .tilt = {4},
          .spine = {6},
          .hand = {{0.0, -0.16, 0.3}, {0.02, -0.2, 0.28}},
          .extra = {10}}},
        {0.72,
         {.hips = {-0.05, -0.15, -0.13},
          .tilt = {-2, -36, 2},
          .spine = {-4, -48, 4},
          .head = {4, 70, 0},
          .hand = {{-0.06, -0.12, 0.36}, {0.2, -0.22, -0.2}},
          .foot = {{0.03, 0, 0.16}, {0.05, 0, -0.2}},
          .pitch = {18, 0},
          .extra = {4, -14}}},
        {0.84,
         {.hips = {-0.055, -0.16, -0.14},
          .tilt = {-2, -39, 2},
          .spine = {-5, -52, 4},
          .head = {4, 76, 0},
          .hand = {{-0.06, -0.12, 0.37}, {0.2, -0.2, -0.23}},
          .foot = {{0.03, 0, 0.16}, {0.05, 0, -0.2}},
          .pitch = {20, 0},
          .extra = {4, -16}}},
        {1.0,
         {.hips = {0.04, -0.2, 0.16},
          .tilt = {10, 30, -2},
          .spine = {12, 40, -3},
          .head = {-12, -56, 2},
          .hand = {{0.16, -0.24, -0.14}, {-0.1, 0.04, 0.54}},
          .foot = {{0.03, 0, 0.34}, {0.05, 0, -0.2}},
          .pitch = {0, 40},
          .extra = {30, 20}}},
        {1.08,
         {.hips = {0.045, -0.21, 0.18},
          .tilt = {11, 33, -2},
          .spine = {13, 43, -3},
          .head = {-13, -60, 2},
          .hand = {{0.16, -0.22, -0.16}, {-0.1, 0.04, 0.56}},
          .foot = {{0.03, 0, 0.34}, {0.05, 0, -0.2}},
          .pitch = {0, 44},
          .extra = {44, 26}}},
        {1.34,
         {.hips = {0.035, -0.18, 0.14},
          .tilt = {9, 28, -2},
          .spine = {10, 38, -3},
          .head = {-10, -54, 2},
          .hand = {{0.16, -0.24, -0.14}, {-0.09, 0.03, 0.52}},
          .foot = {{0.03, 0, 0.34}, {0.05, 0, -0.2}},
          .pitch = {0, 38},
          .extra = {12, -4}}},
        {1.62,
         {.hips = {0.04, -0.19, 0.15},
          .tilt = {10, 30, -2},
          .spine = {11, 40, -3},
          .head = {-11, -56, 2},
          .hand = {{0.16, -0.24, -0.14}, {-0.1, 0.03, 0.53}},
          .foot = {{0.03, 0, 0.34}, {0.05, 0, -0.2}},
          .pitch = {0, 40},
          .extra = {16, 2}}},
        {2.2,
         {.hips = {0.04, -0.19, 0.15},
          .tilt = {10, 30, -2},
          .spine = {11, 40, -3},
          .head = {-11, -56, 2},
          .hand = {{0.16, -0.24, -0.14}, {-0.1, 0.03, 0.53}},
          .foot = {{0.03, 0, 0.34}, {0.05, 0, -0.2}},
          .pitch = {0, 40},
          .extra = {14, 0}}},
    };
    biped_figure f;
    biped_figure_at(keys, sizeof keys / sizeof *keys, t, &f);
    // Both feet step: the right one back, the left one into the punch.
    double back = kit_bump(t, 0.3, 0.45, 0.66);
    double in = kit_bump(t, 0.85, 0.92, 1.0);
    f.foot[1][1] = 0.06 * back;
    f.air[1] = back;
    f.foot[0][1] = 0.05 * (in + kit_bump(t, 0.3, 0.45, 0.66));
    f.air[0] = fmin(in + back, 1);
    biped_pose(&rig->body, pose, &f);
    hang_cape(rig, pose, &f, f.extra[0], 0, 0, f.extra[1]);
}

// ---- stop ----

static const double BRAKE_S = 1.12;
static const double HALT_S = 1.6;

static void stop(const void* user, double t, kit_pose* pose) {
    const hero* rig = user;
    double speed = RUN.stride / RUN.period_s;
    double way = steps_brake(t, speed, BRAKE_S, HALT_S);
    double there = steps_brake(99, speed, BRAKE_S, HALT_S);
    double running = 1 - kit_ease(t, BRAKE_S - 0.06, BRAKE_S + 0.2);
    double lean = KIT_KEYS(t, {BRAKE_S - 0.1, 0}, {BRAKE_S + 0.2, 1}, {HALT_S - 0.06, 0.95}, {HALT_S + 0.18, -0.5},
                           {HALT_S + 0.46, 0.12}, {HALT_S + 0.8, 0});
    double proud = kit_ease(t, HALT_S + 0.25, HALT_S + 0.7);
    double phase = t / RUN.period_s;
    double beat = 4 * LIMBERI_PI * phase;
    const double low[3] = LOW;
    const double hips[3] = PROUD;
    biped_figure f = {0};
    for (uint32_t i = 0; i < 2; i++)
        for (int n = 0; n < 3; n++)
            f.hand[i][n] = (1 - proud) * low[n] + proud * hips[n];
    run_body(&f, phase, running);
    f.way = way;
    f.hips[1] -= 0.16 * fabs(lean) + 0.02 * (1 - running);
    f.hips[2] -= 0.12 * lean;
    f.tilt[0] -= 16 * lean;
    f.spine[0] -= (lean > 0 ? 8 : 26) * lean + 5 * proud;
    f.head[0] += 8 * lean;
    for (uint32_t i = 0; i < 2; i++) {
        double up = (1 - running) * fmax(lean, 0);
        double after = (1 - running) * fmax(-lean, 0);
        f.hand[i][0] += 0.14 * up;
        f.hand[i][1] += 0.34 * up + 0.06 * after;
        f.hand[i][2] += 0.16 * up - 0.34 * after;
    }
    biped_stop_feet(&f, t, &RUN, there + 0.2, there - 0.04, 0.26);
    biped_pose(&rig->body, pose, &f);
    // The cape flies on, swings in under its weight and comes to rest.
    double lift = KIT_KEYS(t, {BRAKE_S, 62}, {HALT_S - 0.1, 30}, {HALT_S + 0.16, 4}, {HALT_S + 0.44, 26},
                           {HALT_S + 0.72, 9}, {HALT_S + 1.0, 14});
    hang_cape(rig, pose, &f, lift + running * 5 * cos(beat - 2.4), 9 * running, beat,
              running * 6 * sin(0.5 * beat - 0.8));
}

void limberi_hero_clips(kit* k, const hero* rig) {
    kit_clip(k, "run", RUN.period_s, true, run, rig);
    kit_clip(k, "jump", 3.2, false, jump, rig);
    kit_clip(k, "swing", 2.2, false, swing, rig);
    kit_clip(k, "stop", 3.0, false, stop, rig);
}
