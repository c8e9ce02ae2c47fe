// How the toon moves. Feet stand where they landed; the hands come late. The hat has no keys: what it does is a style's.
#include "characters/toon.h"

static const steps_gait RUN = {.period_s = 16 / 30.0,
                               .stride = 1.62,
                               .stance = 0.34,
                               .shift = -0.06,
                               .lift = 0.21,
                               .push_deg = 38,
                               .strike_deg = 14};

// ---- run ----

// Hips, spine and arms of a run at the phase (0: the left foot lands), `amount` of it.
static void run_body(biped_figure* f, double phase, double amount) {
    double beat = 2 * LIMBERI_PI * phase;
    double bounce = cos(2 * (beat - 2 * LIMBERI_PI * 0.42));
    double side = cos(beat - 0.5);
    f->hips[1] += amount * (-0.035 + 0.045 * bounce);
    f->hips[2] += amount * 0.02;
    f->hips[0] += amount * 0.02 * sin(beat + 0.4);
    f->tilt[0] += amount * (11 + 3 * cos(2 * beat - 0.6));
    f->tilt[1] += amount * -13 * side;
    f->tilt[2] += amount * -5 * sin(beat + 0.3);
    f->spine[0] += amount * (8 - 5 * cos(2 * beat + 0.4));
    f->spine[1] += amount * 30 * side;
    f->spine[2] += amount * 5 * sin(beat + 0.1);
    f->head[0] += amount * (-17 + 6 * cos(2 * beat - 0.2));
    f->head[1] += amount * -12 * side;
    for (uint32_t i = 0; i < 2; i++) {
        double late = cos(beat - 0.75 + (i ? LIMBERI_PI : 0));
        double ahead = -late;
        const double hand[3] = {0.16 + 0.05 * ahead * ahead - 0.1 * fmax(ahead, 0) * fmax(ahead, 0),
                                -0.17 + 0.14 * ahead + 0.09 * ahead * ahead, 0.05 + 0.25 * ahead};
        for (int n = 0; n < 3; n++)
            f->hand[i][n] = (1 - amount) * f->hand[i][n] + amount * hand[n];
        f->wrist[i][2] += amount * 18 * sin(beat - 1.2 + (i ? LIMBERI_PI : 0));
    }
}

static void run(const void* user, double t, kit_pose* pose) {
    const toon* rig = user;
    biped_figure f = {0};
    run_body(&f, t / RUN.period_s, 1);
    biped_run_feet(&f, t, &RUN);
    biped_pose(&rig->body, pose, &f);
}

// ---- jump ----

// The umbrella tipped along the forearm instead of across it: a turn about the palm's normal.
#define TIPPED(deg)                                                                                                    \
    { 0.74 * (deg), 0.64 * (deg), 0 }
#define HANG                                                                                                           \
    { 0.19, -0.3, 0.03 }
#define BEHIND                                                                                                         \
    { 0.2, -0.2, -0.26 }
#define ALOFT                                                                                                          \
    { 0.2, 0.3, 0.12 }
#define WIDE                                                                                                           \
    { 0.34, 0.06, 0.08 }

static void jump(const void* user, double t, kit_pose* pose) {
    const toon* rig = user;
    static const biped_key keys[] = {
        {0, {.hand = {HANG, HANG}}},
        {0.2, {.hips = {0, 0.02, 0}, .spine = {-6}, .head = {-8}, .hand = {{0.2, -0.22, 0.16}, {0.2, -0.22, 0.16}}}},
        {0.52, {.hips = {0, -0.2, -0.03}, .tilt = {26}, .spine = {34}, .head = {-34}, .hand = {BEHIND, BEHIND}}},
        {0.6, {.hips = {0, -0.21, -0.02}, .tilt = {27}, .spine = {36}, .head = {-38}, .hand = {BEHIND, BEHIND}}},
        {0.68,
         {.way = 0.04,
          .hips = {0, -0.07, 0},
          .tilt = {18},
          .spine = {10},
          .head = {-22},
          .hand = {{0.2, -0.1, 0.26}, {0.2, -0.1, 0.26}},
          .wrist = {{0}, TIPPED(30)},
          .pitch = {20, 20}}},
        {0.77,
         {.way = 0.12,
          .hips = {0, 0.1, 0.02},
          .tilt = {10},
          .spine = {-12},
          .head = {-8},
          .hand = {ALOFT, ALOFT},
          .wrist = {{0}, TIPPED(60)},
          .pitch = {52, 52}}},
        {1.0,
         {.way = 0.45,
          .hips = {0, 0.52, 0},
          .tilt = {4},
          .spine = {4},
          .head = {6},
          .hand = {WIDE, WIDE},
          .wrist = {{0}, TIPPED(75)},
          .foot = {{0.06, 0.6, 0.5}, {0.06, 0.6, 0.42}},
          .pitch = {18, 30},
          .air = {1, 1}}},
        {1.28,
         {.way = 0.8,
          .hips = {0, 0.04, -0.03},
          .tilt = {-4},
          .spine = {8},
          .head = {10},
          .hand = {{0.24, 0.22, 0.1}, {0.26, 0.2, 0.1}},
          .wrist = {{0}, TIPPED(80)},
          .foot = {{0.03, 0, 0.9}, {0.03, 0, 0.86}},
          .pitch = {-14, -14}}},
        {1.42,
         {.way = 0.9,
          .hips = {0, -0.22, -0.01},
          .tilt = {22},
          .spine = {32},
          .head = {-12},
          .hand = {{0.3, -0.12, 0.12}, {0.3, -0.12, 0.12}},
          .wrist = {{0}, TIPPED(-10)},
          .foot = {{0.03, 0, 0.9}, {0.03, 0, 0.86}}}},
        {1.62,
         {.way = 0.9,
          .hips = {0, -0.14, 0},
          .tilt = {14},
          .spine = {20},
          .head = {-26},
          .hand = {{0.22, -0.28, -0.1}, {0.26, -0.24, 0.02}},
          .wrist = {{0}, TIPPED(-40)},
          .foot = {{0.03, 0, 0.9}, {0.03, 0, 0.86}}}},
        {1.92,
         {.way = 0.9,
          .hips = {0, 0.02, 0},
          .tilt = {-2},
          .spine = {-8},
          .head = {4},
          .hand = {{0.25, -0.22, 0.1}, {0.25, -0.22, 0.1}},
          .foot = {{0.03, 0, 0.9}, {0.03, 0, 0.86}}}},
        {2.2, {.way = 0.9, .hand = {HANG, HANG}, .foot = {{0.03, 0, 0.9}, {0.03, 0, 0.86}}}},
        {2.4, {.way = 0.9, .hand = {HANG, HANG}, .foot = {{0.03, 0, 0.9}, {0.03, 0, 0.86}}}},
    };
    biped_figure f;
    biped_figure_at(keys, sizeof keys / sizeof *keys, t, &f);
    biped_pose(&rig->body, pose, &f);
}

// ---- swing ----

// Winds up like a batter on his back foot, sweeps the umbrella round and stops dead, leaning after it.
static void swing(const void* user, double t, kit_pose* pose) {
    const toon* rig = user;
    static const biped_key keys[] = {
        {0, {.hand = {HANG, HANG}}},
        {0.18, {.spine = {2, 10}, .head = {0, -6}, .hand = {HANG, {0.16, -0.24, 0.16}}, .wrist = {{0}, TIPPED(10)}}},
        {0.7,
         {.hips = {-0.06, -0.07, -0.05},
          .tilt = {-4, -38, 4},
          .spine = {-8, -52, 6},
          .head = {4, 66, -4},
          .hand = {{0.02, -0.1, 0.3}, {0.2, 0.24, -0.12}},
          .wrist = {{0}, TIPPED(80)},
          .foot = {{0, 0, 0.06}, {0.02, 0, -0.08}},
          .pitch = {24, 0}}},
        {0.86,
         {.hips = {-0.065, -0.08, -0.06},
          .tilt = {-5, -41, 4},
          .spine = {-9, -56, 6},
          .head = {4, 72, -4},
          .hand = {{0.02, -0.1, 0.3}, {0.2, 0.26, -0.14}},
          .wrist = {{0}, TIPPED(86)},
          .foot = {{0, 0, 0.06}, {0.02, 0, -0.08}},
          .pitch = {26, 0}}},
        {1.06,
         {.hips = {0.07, -0.11, 0.06},
          .tilt = {8, 34, -4},
          .spine = {16, 46, -4},
          .head = {-8, -50, 4},
          .hand = {{0.3, -0.08, -0.16}, {0.06, -0.08, 0.34}},
          .wrist = {{0}, TIPPED(66)},
          .foot = {{0, 0, 0.1}, {0.02, 0, -0.08}},
          .pitch = {0, 34}}},
        {1.14,
         {.hips = {0.08, -0.12, 0.07},
          .tilt = {9, 38, -4},
          .spine = {18, 50, -5},
          .head = {-9, -54, 5},
          .hand = {{0.31, -0.06, -0.18}, {0.0, -0.1, 0.34}},
          .wrist = {{0}, TIPPED(48)},
          .foot = {{0, 0, 0.1}, {0.02, 0, -0.08}},
          .pitch = {0, 38}}},
        {1.4,
         {.hips = {0.06, -0.09, 0.05},
          .tilt = {6, 32, -3},
          .spine = {12, 42, -4},
          .head = {-6, -46, 4},
          .hand = {{0.3, -0.1, -0.14}, {0.04, -0.1, 0.34}},
          .wrist = {{0}, TIPPED(58)},
          .foot = {{0, 0, 0.1}, {0.02, 0, -0.08}},
          .pitch = {0, 32}}},
        {1.7,
         {.hips = {0.065, -0.095, 0.055},
          .tilt = {7, 34, -3},
          .spine = {13, 44, -4},
          .head = {-6, -48, 4},
          .hand = {{0.3, -0.09, -0.15}, {0.03, -0.1, 0.34}},
          .wrist = {{0}, TIPPED(54)},
          .foot = {{0, 0, 0.1}, {0.02, 0, -0.08}},
          .pitch = {0, 34}}},
        {2.2,
         {.hips = {0.065, -0.095, 0.055},
          .tilt = {7, 34, -3},
          .spine = {13, 44, -4},
          .head = {-6, -48, 4},
          .hand = {{0.3, -0.09, -0.15}, {0.03, -0.1, 0.34}},
          .wrist = {{0}, TIPPED(54)},
          .foot = {{0, 0, 0.1}, {0.02, 0, -0.08}},
          .pitch = {0, 34}}},
    };
    biped_figure f;
    biped_figure_at(keys, sizeof keys / sizeof *keys, t, &f);
    // The front foot steps in with the stroke.
    f.foot[0][1] = 0.05 * kit_bump(t, 0.87, 0.96, 1.05);
    f.air[0] = kit_bump(t, 0.87, 0.96, 1.05);
    biped_pose(&rig->body, pose, &f);
}

// ---- stop ----

static const double BRAKE_S = 1.0;
static const double HALT_S = 1.42;

static void stop(const void* user, double t, kit_pose* pose) {
    const toon* rig = user;
    double speed = RUN.stride / RUN.period_s;
    double way = steps_brake(t, speed, BRAKE_S, HALT_S);
    double there = steps_brake(9, speed, BRAKE_S, HALT_S);
    double running = 1 - kit_ease(t, BRAKE_S - 0.06, BRAKE_S + 0.16);
    double lean = KIT_KEYS(t, {BRAKE_S - 0.08, 0}, {BRAKE_S + 0.18, 1}, {HALT_S - 0.06, 0.95}, {HALT_S + 0.16, -0.55},
                           {HALT_S + 0.42, 0.16}, {HALT_S + 0.72, 0});
    biped_figure f = {.hand = {HANG, HANG}};
    // The run fades out in place: its phase goes on while its amount falls.
    run_body(&f, t / RUN.period_s, running);
    f.way = way;
    f.hips[1] -= 0.09 * fabs(lean) + 0.015 * (1 - running);
    f.hips[2] -= 0.1 * lean;
    f.tilt[0] -= 15 * lean;
    f.spine[0] -= lean > 0 ? 16 * lean : 24 * lean;
    f.head[0] += 10 * lean;
    for (uint32_t i = 0; i < 2; i++) {
        double up = fmax(lean, 0);
        double after = fmax(-lean, 0);
        double late = 1 - running;
        f.hand[i][0] += late * (0.14 * up + 0.04 * after);
        f.hand[i][1] += late * (0.32 * up + 0.05 * after);
        f.hand[i][2] += late * (0.2 * up - 0.3 * after);
    }
    biped_stop_feet(&f, t, &RUN, there + 0.12, there + 0.02, 0.2);
    biped_pose(&rig->body, pose, &f);
}

void limberi_toon_clips(kit* k, const toon* rig) {
    kit_clip(k, "run", RUN.period_s, true, run, rig);
    kit_clip(k, "jump", 2.4, false, jump, rig);
    kit_clip(k, "swing", 2.2, false, swing, rig);
    kit_clip(k, "stop", 2.6, false, stop, rig);
}
