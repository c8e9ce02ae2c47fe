// The dancer's clips: a pirouette that gathers speed and stops dead, an endless turn, a leap across the floor, and an
// idle sway.
#include "characters/dancer_pose.h"

// Standing on the left foot, the right one at the knee, arms over the head.
#define ON_ONE_TOE                                                                                                     \
    .hips = {0.072, 0.045, 0.062}, .heel = {48, 0}, .foot = {{0, 0, 0}, {-0.06, 0.425, 0.085}}, .air = {0, 1},         \
    .point = {0, 62}, .knee = {0, 0.9}

// Hands over the head bend towards each other.
#define CROWN_WRIST (-24)

// The toes of the left foot: she turns about them, so they stand on the root.
static stage about_left_toe(double yaw_deg) {
    return (stage){.yaw_deg = yaw_deg, .shift = {-DANCER_TOE_X, 0, -DANCER_TOE_Z}};
}

// ---- twirl ----

static const figure_key twirl_figures[] = {
    {0, {.hand = {ARM_LOW, ARM_LOW}}},
    {0.2, {.hand = {ARM_LOW, ARM_LOW}}},
    // Wind-up: down into the knees, turned to the left, the right arm ahead.
    {0.72,
     {.hips = {0.01, -0.085, -0.05},
      .tilt = {0, 24, 0},
      .spine = {6, 30, 0},
      .head = {4, -44, 0},
      .hand = {ARM_SECOND, ARM_FIRST},
      .wrist = {8, 14},
      .foot = {{0, 0, 0}, {0.03, 0, -0.17}},
      .heel = {0, 30}}},
    {0.84,
     {.hips = {0.01, -0.1, -0.05},
      .tilt = {0, 27, 0},
      .spine = {7, 34, 0},
      .head = {4, -48, 0},
      .hand = {ARM_SECOND, ARM_FIRST},
      .wrist = {8, 14},
      .foot = {{0, 0, 0}, {0.03, 0, -0.17}},
      .heel = {0, 34}}},
    {1.12,
     {ON_ONE_TOE, .tilt = {0, -6, 0}, .spine = {-2, -14, 0}, .head = {0, 10, 0}, .hand = {ARM_FIRST, ARM_FIRST},
      .wrist = {10, 10}, .flare = 3}},
    {1.6,
     {ON_ONE_TOE, .spine = {-3, 0, 0}, .head = {-3, 0, 0}, .hand = {ARM_FIRST, ARM_FIRST}, .wrist = {12, 12},
      .flare = 10, .tail = 22}},
    {1.95,
     {ON_ONE_TOE, .spine = {-4, 0, 0}, .head = {-6, 0, 0}, .hand = {ARM_CROWN, ARM_CROWN},
      .wrist = {CROWN_WRIST, CROWN_WRIST}, .flare = 15, .tail = 40}},
    {2.2,
     {ON_ONE_TOE, .spine = {-4, 0, 0}, .head = {-6, 0, 0}, .hand = {ARM_CROWN, ARM_CROWN},
      .wrist = {CROWN_WRIST, CROWN_WRIST}, .flare = 15, .tail = 40}},
    // The stop: right foot behind, one arm up, one aside.
    {2.46,
     {.hips = {0.03, -0.075, 0.02},
      .tilt = {0, -10, 0},
      .spine = {-7, -12, -6},
      .head = {-8, 14, 5},
      .hand = {ARM_SECOND, ARM_CROWN},
      .wrist = {-8, CROWN_WRIST},
      .foot = {{0, 0, 0}, {0.05, 0, -0.24}},
      .heel = {0, 42}}},
    {2.75,
     {.hips = {0.03, -0.06, 0.02},
      .tilt = {0, -9, 0},
      .spine = {-9, -12, -6},
      .head = {-9, 14, 5},
      .hand = {ARM_SECOND, ARM_CROWN},
      .wrist = {-8, CROWN_WRIST},
      .foot = {{0, 0, 0}, {0.05, 0, -0.24}},
      .heel = {0, 42}}}};

static void dance_twirl(double t, figure* f, stage* on) {
    dancer_figure_at(twirl_figures, sizeof twirl_figures / sizeof *twirl_figures, t, f);
    double yaw = KIT_KEYS(t, {0.88, 0}, {1.2, -52}, {1.55, -210}, {1.9, -450}, {2.2, -690}, {2.42, -720});
    *on = about_left_toe(yaw);
}

static void twirl(const void* user, double t, kit_pose* pose) {
    dancer_perform(user, pose, dance_twirl, t);
}

// ---- spin: one turn per second, endless ----

static void dance_spin(double t, figure* f, stage* on) {
    figure turning = {ON_ONE_TOE, .spine = {-3, 0, 0}, .head = {-5, 0, 0}, .hand = {ARM_CROWN, ARM_CROWN}};
    turning.flare = 12;
    turning.tail = 30;
    for (uint32_t side = 0; side < 2; side++) {
        turning.hand[side][0] += 0.02 * kit_wave(t, 1, 0.25 * side);
        turning.wrist[side] = CROWN_WRIST + 5 * kit_wave(t, 1, 0.25 * side);
    }
    *f = turning;
    *on = about_left_toe(-360 * t);
}

static void spin(const void* user, double t, kit_pose* pose) {
    dancer_perform(user, pose, dance_spin, t);
}

// ---- leap ----

static const double LEAP_Z = 1.75;

static double leap_way(double t) {
    return KIT_KEYS(t, {0.2, 0}, {0.66, -0.05}, {0.95, 0.24}, {1.5, 1.5}, {1.8, 1.72}, {2.1, LEAP_Z});
}

// A foot goes from its place on the floor to one seen from the hips, and to its next place on the floor.
static void leap_foot(figure* f, uint32_t side, double t, const double* leaves, const double* lands,
                      const double* seen) {
    double up = kit_ease(t, leaves[0], leaves[1]);
    double down = kit_ease(t, lands[0], lands[1]);
    double air = up * (1 - down);
    double height = 0.785 + f->hips[1] + seen[0];
    double z = leap_way(t) + seen[1];
    f->foot[side][1] = air * fmax(height, 0);
    f->foot[side][2] = (1 - down) * up * z + down * LEAP_Z;
    f->air[side] = air;
}

// Takes off from the left foot, lands on the right one.
static void leap_feet(double t, figure* f) {
    static const double right[2][2] = {{0.76, 1.02}, {1.3, 1.53}};
    static const double left[2][2] = {{0.93, 1.22}, {1.62, 2.06}};
    double kick = kit_ease(t, 0.8, 1.16);
    double drop = kit_ease(t, 1.3, 1.55);
    double swing = 88 * LIMBERI_PI / 180 * kick;
    // A straight leg, but for the knee that lets the toes pass.
    double front[2] = {0.03 - 0.78 * cos(swing) + 0.13 * kit_bump(t, 0.74, 0.88, 1.08), 0.8 * sin(swing)};
    double back[2] = {0.04 - 0.5 * kit_ease(t, 1.5, 1.85), -0.8 + 0.5 * kit_ease(t, 1.4, 1.85)};
    leap_foot(f, 1, t, right[0], right[1], front);
    leap_foot(f, 0, t, left[0], left[1], back);
    f->point[1] = 62 * kit_ease(t, 0.86, 1.08) * (1 - drop);
    f->heel[1] = KIT_KEYS(t, {0.6, 0}, {0.8, 34}, {0.95, 0}, {1.3, 30}, {1.52, 28}, {1.66, 0}, {2.0, 0});
    f->point[0] = 62 * (1 - kit_ease(t, 1.6, 1.95));
    f->heel[0] = KIT_KEYS(t, {0.76, 0}, {0.95, 60}, {1.1, 40}, {1.8, 20}, {2.05, 0});
}

static const figure_key leap_figures[] = {
    {0, {.hand = {ARM_LOW, ARM_LOW}}},
    {0.2, {.hand = {ARM_LOW, ARM_LOW}}},
    {0.66,
     {.hips = {0, -0.15, -0.03},
      .tilt = {12, 0, 0},
      .spine = {14, 0, 0},
      .head = {-10, 0, 0},
      .hand = {ARM_BACK, ARM_BACK},
      .wrist = {-6, -6}}},
    {0.95,
     {.hips = {0.02, 0.05, 0},
      .tilt = {4, 0, 0},
      .spine = {-2, 4, 0},
      .head = {-6, 0, 0},
      .hand = {{0.1, 0.0, 0.33}, {0.03, 0.05, 0.34}},
      .flare = 3}},
    {1.22,
     {.hips = {0, 0.4, 0},
      .tilt = {2, 0, 0},
      .spine = {-12, 6, 0},
      .head = {-10, -4, 0},
      .hand = {{0.39, 0.12, 0.03}, {0.04, 0.23, 0.33}},
      .wrist = {-6, 4},
      .flare = 4,
      .tail = 10}},
    {1.5,
     {.hips = {-0.03, 0.02, 0},
      .tilt = {6, 0, 0},
      .spine = {-4, 4, 0},
      .head = {4, 0, 0},
      .hand = {ARM_SECOND, ARM_SECOND},
      .wrist = {-10, -10},
      .flare = 15,
      .tail = 35}},
    {1.7,
     {.hips = {-0.03, -0.13, 0},
      .tilt = {12, 0, 0},
      .spine = {12, 0, 0},
      .head = {6, 0, 0},
      .hand = {{0.36, -0.16, 0.14}, {0.36, -0.16, 0.14}},
      .wrist = {6, 6},
      .flare = 5,
      .tail = 5}},
    {2.15, {.hips = {0, 0.006, 0}, .spine = {-3, 0, 0}, .head = {-4, 0, 0}, .hand = {ARM_LOW, ARM_LOW}}},
    {2.45, {.hand = {ARM_LOW, ARM_LOW}}}};

static void dance_leap(double t, figure* f, stage* on) {
    dancer_figure_at(leap_figures, sizeof leap_figures / sizeof *leap_figures, t, f);
    leap_feet(t, f);
    *on = (stage){.z = leap_way(t)};
}

static void leap(const void* user, double t, kit_pose* pose) {
    dancer_perform(user, pose, dance_leap, t);
}

// ---- sway ----

static void dance_sway(double t, figure* f, stage* on) {
    double side = kit_wave(t, 4, 0);
    double breath = kit_wave(t, 2, 0.1);
    *f = (figure){.hand = {ARM_LOW, ARM_LOW}};
    *on = (stage){0};
    f->hips[0] = 0.04 * side;
    f->hips[1] = -0.014 - 0.01 * kit_wave(t, 2, 0.25);
    f->tilt[1] = 7 * kit_wave(t, 4, 0.06);
    f->tilt[2] = -4 * side;
    f->spine[0] = 1.5 * breath;
    f->spine[1] = -9 * kit_wave(t, 4, 0);
    f->spine[2] = 9 * kit_wave(t, 4, -0.04);
    f->head[0] = 2 * kit_wave(t, 2, 0);
    f->head[1] = 8 * kit_wave(t, 4, -0.12);
    f->head[2] = -9 * kit_wave(t, 4, -0.1);
    for (uint32_t i = 0; i < 2; i++) {
        double up = 0.5 + 0.5 * kit_wave(t, 4, 0.5 * i - 0.1);
        f->hand[i][0] += 0.19 * up;
        f->hand[i][1] += 0.13 * up;
        f->hand[i][2] += 0.05 * kit_wave(t, 4, 0.5 * i - 0.25);
        f->wrist[i] = 10 * kit_wave(t, 4, 0.5 * i - 0.22);
        f->heel[i] = 16 * kit_ease(-(double)DANCER_SIDES[i] * side, 0.1, 1);
        f->knee[i] = 0.25;
    }
    f->flare = 2;
    f->tail = 5 + 4 * kit_wave(t, 2, 0.1);
}

static void sway(const void* user, double t, kit_pose* pose) {
    const dancer* d = user;
    dancer_perform(d, pose, dance_sway, t);
    // Skirt and ponytail swing after the hips.
    kit_turn(pose, d->skirt, 0, -5 * kit_wave(t, 4, -0.1), 5 * kit_wave(t, 4, -0.14));
    for (uint32_t i = 0; i < DANCER_PONYTAIL; i++)
        kit_turn(pose, d->ponytail[i], 0, 0, 5 * kit_wave(t, 4, -0.2 - 0.04 * i));
}

void dancer_animate(kit* k, const dancer* d) {
    kit_clip(k, "twirl", 4.0, false, twirl, d);
    kit_clip(k, "spin", 1.0, true, spin, d);
    kit_clip(k, "leap", 3.0, false, leap, d);
    kit_clip(k, "sway", 4.0, true, sway, d);
}
