// Where contacts begin and end: how high, how deep, how fast and for how short a time a foot still stands, and what the
// floor does to one that does not.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/figure.h"

static const double moments_per_s = 120; // contacts are looked for that often

// --- one foot, a given floor at 0 ---

// The left foot: where its sole is, and how it moves. Everything else is far above the ground.
typedef struct foot {
    double height, speed; // m above the floor, m/s along it
    double dip;           // moments for which it comes down below `height`, slowly; 0: it stays
    double sway;          // m that it goes up and down from `height`, 8 times per second, and highest in the middle
    double round;         // m, radius of the circle that it goes round; 0: it goes straight on
} foot;

enum { SECONDS = 2 };

static void pose_foot(double t, test_posture* p, const void* user) {
    const foot* f = user;
    double middle = 0.5 * SECONDS + (fmod(f->dip, 2) == 0 ? 0.5 / moments_per_s : 0); // of the dip
    double away = fabs(t - middle) * moments_per_s - 0.5 * (f->dip - 1);              // moments beyond it
    for (int j = 0; j < FIGURE_JOINTS; j++) {
        double way = f->speed * (t - 0.5 * SECONDS);
        p->at[j].z += (float)(f->round > 0 ? f->round * sin(way / f->round) : way);
        p->at[j].x += (float)(f->round > 0 ? f->round * cos(way / f->round) : 0);
        p->at[j].y += 2 + 0.03f * sinf(7 * (float)t); // the foot does not hang on what is above
    }
    p->at[FIGURE_FOOT_LEFT].y = (float)f->height;
    p->at[FIGURE_FOOT_LEFT].y += (float)(f->sway * cos(16 * LIMBERI_PI * (t - 0.5 * SECONDS)));
    if (f->dip > 0)
        p->at[FIGURE_FOOT_LEFT].y += (float)(0.0025 * away);
}

static limber_contacts* find(const limber_asset* asset) {
    limber_contacts* contacts;
    limber_contact_settings settings = limber_contact_settings_default();
    settings.floor = LIMBER_FLOOR_GIVEN;
    assert_int_equal(limber_contacts_find(asset, 0, &settings, &contacts, NULL), LIMBER_OK);
    return contacts;
}

// How much the foot is held in the middle of the clip.
static double hold_of(foot f, double* scale) {
    const test_act act = {"foot", SECONDS, moments_per_s, pose_foot, &f};
    limber_asset* asset = test_figure_create(&act, 1, false);
    limber_contacts* contacts = find(asset);
    float hold[FIGURE_JOINTS];
    *scale = limber_contacts_scale(contacts);
    assert_true(limber_contacts_evaluate(contacts, 0.5 * SECONDS, hold, NULL));
    limber_contacts_destroy(contacts);
    limber_asset_destroy(asset);
    return (double)hold[FIGURE_FOOT_LEFT];
}

static double scale_of_figure(void) {
    double scale;
    (void)hold_of((foot){0, 0, 0, 0, 0}, &scale);
    assert_true(scale > 0.5 && scale < 3);
    return scale;
}

// 1 up to `full`, 0 from `none` on, smooth in between.
static double fades(double full, double none, double x) {
    double t = fmin(fmax((x - full) / (none - full), 0), 1);
    return 1 - t * t * (3 - 2 * t);
}

static void expect_hold(foot f, double wanted) {
    double scale, hold = hold_of(f, &scale);
    if (fabs(hold - wanted) > 0.01)
        fail_msg("a foot at %.4f and %.3f per second is held by %.3f, not %.3f", f.height / scale, f.speed / scale,
                 hold, wanted);
}

static void contacts_foot_just_above_floor_is_free(void** state) {
    (void)state;
    double scale = scale_of_figure();
    for (double height = 0; height < 0.07; height += 0.0051)
        expect_hold((foot){height * scale, 0, 0, 0, 0}, fades(0.02, 0.05, height));
    expect_hold((foot){0.0501 * scale, 0, 0, 0, 0}, 0);
}

static void contacts_foot_deep_below_floor_is_free(void** state) {
    (void)state;
    double scale = scale_of_figure();
    for (double depth = 0.04; depth < 0.1; depth += 0.0051) // of its upper side, 0.08 m above the sole
        expect_hold((foot){-0.08 - depth * scale, 0, 0, 0, 0}, fades(0.05, 0.08, depth));
}

// Dragged along, at one height, it may be twice as fast as one that swings by.
static void contacts_foot_that_slides_is_free(void** state) {
    (void)state;
    double scale = scale_of_figure();
    for (double speed = 0.2; speed < 2; speed += 0.122)
        expect_hold((foot){0, speed * scale, 0, 0, 0}, fades(0.6, 1.6, speed));
    for (double speed = 0.2; speed < 1; speed += 0.061)
        expect_hold((foot){0, speed * scale, 0, 0.002 * scale, 0}, fades(0.3, 0.8, speed));
    expect_hold((foot){0, 0.6 * scale, 0, 0.0004 * scale, 0}, 1);
    assert_true(hold_of((foot){0, 0.6 * scale, 0, 0, 0.04 * scale}, &scale) < 0.4); // a spin carries it round
}

// A ball is slow where it turns round, and nothing holds it there.
static void contacts_foot_that_touches_for_an_instant_is_free(void** state) {
    (void)state;
    double scale, height = 0.049 * scale_of_figure();
    assert_true(hold_of((foot){height, 0, 3, 0, 0}, &scale) == 0);
    assert_true(hold_of((foot){height, 0, 4, 0, 0}, &scale) == 0);
    assert_true(hold_of((foot){height, 0, 5, 0, 0}, &scale) > 0);
    assert_true(hold_of((foot){height, 0, 6, 0, 0}, &scale) > 0);
}

// --- what the floor does ---

// Pushes everything down by `user`, a float.
static void push_down(const limber_effect_block* b) {
    const float* down = b->user;
    for (uint32_t i = 0; b->joint == FIGURE_ROOT && i < b->count; i++)
        b->dy[i] -= b->weight[i] * *down;
}

// How far the top of a foot on the floor is moved when an effect pushes all of the foot down.
static double moved_top(double speed, float down, float strength) {
    const foot f = {0, speed, 0, 0, 0};
    const test_act act = {"foot", SECONDS, moments_per_s, pose_foot, &f};
    limber_asset* asset = test_figure_create(&act, 1, false);
    limber_stage_settings settings;
    limber_pipeline* pipeline;
    limber_frame frame;
    settings = limber_stage_settings_default();
    settings.contacts.floor = LIMBER_FLOOR_GIVEN;
    settings.contacts.strength = strength;
    limber_custom_effect effect = {"push", push_down, &down, limber_effect_settings_default(LIMBER_EFFECT_FLOPPY)};
    effect.settings.linear.value = 1;
    settings.deform.custom[settings.deform.custom_count++] = effect;
    assert_int_equal(limber_pipeline_create_from_settings(asset, &settings, &pipeline, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_evaluate(pipeline, 0, 0.5 * SECONDS, &frame), LIMBER_OK);
    const limber_model* model = limber_asset_model(asset);
    uint32_t top = 0; // of the left foot: the highest vertex below 0.5
    for (uint32_t u = 0; u < model->vertex_count; u++)
        if (frame.skinned[3 * u + 1] < 0.5f && frame.skinned[3 * u + 1] > 0.05f)
            top = u;
    double moved = (double)(frame.positions[3 * top + 1] - frame.skinned[3 * top + 1]);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
    return moved;
}

// Else it would be squashed flat against the floor, which takes only the last fifth.
static void contacts_foot_that_sinks_is_lifted_as_a_whole(void** state) {
    (void)state;
    const double speed = 2 * scale_of_figure(), down = 0.05;
    assert_true(fabs(moved_top(speed, (float)down, 0) + down) < 1e-6);
    assert_true(fabs(moved_top(speed, (float)down, 1) + 0.2 * down) < 1e-6);
    assert_true(fabs(moved_top(0, (float)down, 1)) < 0.2 * down); // it stands: it is held, too
}

// --- landings ---

// The lowest point of a ball: straight lines between these, in seconds and scales above a floor at 0.
enum { PATH = 64 };

static struct {
    double scale;
    uint32_t count;
    double time_s[PATH], height[PATH];
} path;

static double path_at(double t) {
    uint32_t i = 0;
    while (i + 2 < path.count && t > path.time_s[i + 1])
        i++;
    double part = fmin(fmax((t - path.time_s[i]) / (path.time_s[i + 1] - path.time_s[i]), 0), 1);
    return path.scale * (path.height[i] + part * (path.height[i + 1] - path.height[i]));
}

static void then(double seconds, double height) {
    assert_true(path.count < PATH);
    path.time_s[path.count] = path.count ? path.time_s[path.count - 1] + seconds : 0;
    path.height[path.count++] = height;
}

static void start_at(double height) {
    path.count = 0;
    then(0, height);
}

// When and how fast the ball lands, in scales per second; 0: it does not.
static limber_landing landing(void) {
    path.scale = path.scale > 0 ? path.scale : 1;
    then(1, path.height[path.count - 1]);
    limber_asset* asset = test_bouncer_create(path.time_s[path.count - 1], 480, path_at);
    limber_contacts* contacts = find(asset);
    if (fabs(limber_contacts_scale(contacts) - path.scale) > 1e-6) { // known now
        path.scale = limber_contacts_scale(contacts);
        path.count--;
        limber_contacts_destroy(contacts);
        limber_asset_destroy(asset);
        return landing();
    }
    assert_true(limber_landing_count(contacts) <= 1);
    limber_landing found = limber_landing_at(contacts, 0);
    limber_contacts_destroy(contacts);
    limber_asset_destroy(asset);
    return found;
}

// From one scale above the floor, at this speed.
static double lands_at(double speed) {
    start_at(1);
    then(0.5, 1);
    then(1 / speed, 0);
    return landing().speed;
}

static void landings_slower_than_a_third_are_none(void** state) {
    (void)state;
    assert_true(fabs(lands_at(2) - 2) < 0.02);
    assert_true(fabs(lands_at(0.37) - 0.37) < 0.01);
    assert_true(lands_at(0.33) == 0);
}

// Up in an instant, and down at 1 scale a second: `air` seconds higher than the hundredth and a half that count as none.
static double hop(double air) {
    start_at(0);
    then(0.5, 0);
    then(0.004, 0.015 + air);
    then(0.015 + air, 0);
    return landing().speed;
}

static void landings_follow_a_flight(void** state) {
    (void)state;
    assert_true(hop(0.2) > 0.9);
    assert_true(hop(0.058) > 0.9);
    assert_true(hop(0.038) == 0);
}

// Fast, then slowly for the last `slow` seconds, a twentieth of which is on the floor already.
static double brakes(double slow) {
    start_at(1.2);
    then(0.5, 1.2);
    then((1.2 - 0.3 * slow) / 0.6, 0.3 * slow);
    then(slow, 0);
    return landing().speed;
}

static void landings_that_are_caught_in_time_are_none(void** state) {
    (void)state;
    assert_true(brakes(0.135) > 0.5);
    assert_true(brakes(0.165) == 0);
}

// From one scale a second to 0.3 within `seconds`, and on like that for as long that the landing itself is none.
static double stops(double from, double seconds) {
    const int steps = 40;
    double height = 0.5 * (from + 0.3) * seconds + 0.3 * 0.165, top = height + from;
    start_at(top);
    then(0.5, top);
    then(1, height);
    for (int i = 0; i < steps; i++) {
        double speed = from + (0.3 - from) * (i + 0.5) / steps;
        height -= speed * seconds / steps;
        then(seconds / steps, height);
    }
    then(0.165, 0);
    return landing().speed;
}

// As the hands or the back stop a body: hard enough, and fast enough.
static void landings_without_a_flight_stop_a_fast_fall(void** state) {
    (void)state;
    assert_true(stops(1, 0.15) > 0.7);
    assert_true(stops(1, 0.19) == 0);
    assert_true(stops(0.75, 0.02) > 0.7);
    assert_true(stops(0.66, 0.02) == 0);
}

// Through the floor, for so long: when it lands, seconds from when it touches.
static double sinks(double seconds) {
    start_at(1);
    then(0.5, 1);
    then(1, 0);
    then(seconds, -seconds);
    return landing().time_s - 1.5;
}

static void landings_end_a_fall(void** state) {
    (void)state;
    assert_true(fabs(sinks(0.1)) < 0.03);
    assert_true(fabs(sinks(0.21)) < 0.03);
    assert_true(fabs(sinks(0.27) - 0.27) < 0.03); // where it stops
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_foot_just_above_floor_is_free),
        cmocka_unit_test(contacts_foot_deep_below_floor_is_free),
        cmocka_unit_test(contacts_foot_that_slides_is_free),
        cmocka_unit_test(contacts_foot_that_touches_for_an_instant_is_free),
        cmocka_unit_test(contacts_foot_that_sinks_is_lifted_as_a_whole),
        cmocka_unit_test(landings_slower_than_a_third_are_none),
        cmocka_unit_test(landings_follow_a_flight),
        cmocka_unit_test(landings_that_are_caught_in_time_are_none),
        cmocka_unit_test(landings_without_a_flight_stop_a_fast_fall),
        cmocka_unit_test(landings_end_a_fall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
