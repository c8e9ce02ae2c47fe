// Contacts: scenes whose contacts are known to the moment are found within a frame at 60 fps, and what never stands has
// none.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/math.h"
#include "base/memory.h"
#include "kit/figure.h"
#include "kit/scene.h"

#define FRAME_S (1.0 / 60)

enum { STANDS = 16 };

// --- helpers ---

typedef struct limb_plan {
    uint32_t count;
    test_stand stands[STANDS];
} limb_plan;

// Limbs that stand now and then; the others are carried with the body.
typedef struct scene {
    limb_plan limb[FIGURE_JOINTS];
    double arc;          // how high limbs swing
    limber_vec3 body[2]; // how the body moves from the start to the end
    double seconds;
    limber_vec3 belt; // velocity of the world: a treadmill
} scene;

static void pose_scene(double t, test_posture* p, const void* user) {
    const scene* s = user;
    test_posture rest = test_figure_rest();
    limber_vec3 carried = limberi_lerp(s->body[0], s->body[1], (float)(t / s->seconds));
    for (int j = 0; j < FIGURE_JOINTS; j++) {
        const limb_plan* plan = &s->limb[j];
        if (plan->count)
            p->at[j] = test_stand_at(plan->stands, plan->count, s->arc, t);
        else // it breathes: nothing hangs dead still in the air
            p->at[j] = limberi_add(limberi_add(rest.at[j], carried), limberi_vec3(0, 0.03f * sinf(7 * (float)t), 0));
        p->at[j] = limberi_add(p->at[j], limberi_scale(s->belt, (float)t));
    }
    if (!s->limb[FIGURE_HAND_LEFT].count && s->belt.z == 0) // so that it is no loop
        p->at[FIGURE_HAND_LEFT].y += 0.1f * (float)t;
}

static limber_asset* stage(const scene* s) {
    const test_act act = {"scene", s->seconds, 120, pose_scene, s};
    return test_figure_create(&act, 1, false);
}

static limber_contacts* find(const limber_asset* asset, uint32_t clip) {
    limber_contacts* contacts;
    limber_error error;
    if (limber_contacts_find(asset, clip, NULL, &contacts, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return contacts;
}

static void expect_span(const limber_contact* one, const test_stand* stand, uint32_t joint) {
    if (fabs(one->from_s - stand->from_s) > FRAME_S || fabs(one->to_s - stand->to_s) > FRAME_S)
        fail_msg("joint %u stands from %.4f to %.4f s, not from %.4f to %.4f", joint, one->from_s, one->to_s,
                 stand->from_s, stand->to_s);
    if (fabs(one->height - (double)stand->at.y) > 0.01)
        fail_msg("joint %u stands at %.4f, not at %.4f", joint, one->height, (double)stand->at.y);
}

// Exactly these, in this order.
static void expect(const limber_contacts* contacts, uint32_t joint, const test_stand* stands, uint32_t count) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < limber_contact_count(contacts); i++) {
        limber_contact one = limber_contact_at(contacts, i);
        if (one.joint != joint)
            continue;
        if (found < count)
            expect_span(&one, &stands[found], joint);
        found++;
    }
    if (found != count)
        fail_msg("joint %u has %u contacts, not %u", joint, found, count);
}

static void expect_plan(const limber_contacts* contacts, const scene* s) {
    for (uint32_t j = 0; j < FIGURE_JOINTS; j++) {
        test_stand within[STANDS];
        uint32_t count = 0;
        for (uint32_t i = 0; i < s->limb[j].count; i++) {
            test_stand stand = s->limb[j].stands[i];
            stand.from_s = fmax(stand.from_s, 0);
            stand.to_s = fmin(stand.to_s, s->seconds);
            if (stand.from_s < stand.to_s)
                within[count++] = stand;
        }
        expect(contacts, j, within, count);
    }
}

static void add_stand(limb_plan* plan, double from_s, double to_s, double x, double y, double z) {
    test_stand stand = {from_s, to_s, {(float)x, (float)y, (float)z}};
    assert_true(plan->count < STANDS);
    plan->stands[plan->count++] = stand;
}

// Both feet walk along +Z, `step` metres in `half_s` seconds, on ground of this shape.
static scene walk(uint32_t steps, double step, double half_s, double (*ground)(double z)) {
    scene s;
    memset(&s, 0, sizeof s);
    s.seconds = (steps + 0.35) * half_s;
    s.arc = 0.15;
    s.body[1] = limberi_vec3(0, (float)ground(steps * step), (float)(steps * step));
    for (int i = -1; i <= (int)steps + 1; i++) {
        uint32_t foot = i % 2 ? FIGURE_FOOT_RIGHT : FIGURE_FOOT_LEFT;
        add_stand(&s.limb[foot], (i - 0.6) * half_s, (i + 0.6) * half_s, i % 2 ? -0.15 : 0.15, ground(i * step),
                  i * step);
    }
    return s;
}

static double flat(double z) {
    (void)z;
    return 0;
}

static double stairs(double z) {
    return 0.18 * floor(z / 0.35 + 0.5);
}

static double ramp(double z) {
    return 0.15 * z;
}

// --- scenes ---

static void check_walk(double (*ground)(double z), double step, uint32_t levels) {
    scene s = walk(6, step, 0.5, ground);
    limber_asset* asset = stage(&s);
    limber_contacts* contacts = find(asset, 0);
    double belt[2];
    limber_contacts_belt(contacts, belt);
    assert_true(belt[0] == 0 && belt[1] == 0);
    expect_plan(contacts, &s);
    if (levels)
        assert_int_equal(limber_contacts_level_count(contacts), levels);
    limber_contacts_destroy(contacts);
    limber_asset_destroy(asset);
}

static void feet_that_walk_on_a_floor_are_found(void** state) {
    (void)state;
    check_walk(flat, 0.5, 1);
}

static void feet_that_climb_stairs_are_found(void** state) {
    (void)state;
    check_walk(stairs, 0.35, 7);
}

static void feet_that_walk_up_a_ramp_are_found(void** state) {
    (void)state;
    check_walk(ramp, 0.5, 0);
}

// The walk of one stride, in a loop: the body stays, the ground goes back under it. What crosses the seam is two.
static void feet_on_a_treadmill_are_found(void** state) {
    (void)state;
    scene s;
    const double stride = 1.1;
    memset(&s, 0, sizeof s);
    s.seconds = 1;
    s.arc = 0.15;
    s.belt = limberi_vec3(0, 0, (float)-stride);
    add_stand(&s.limb[FIGURE_FOOT_LEFT], -0.9, -0.4, 0.15, 0, -stride);
    add_stand(&s.limb[FIGURE_FOOT_LEFT], 0.1, 0.6, 0.15, 0, 0);
    add_stand(&s.limb[FIGURE_FOOT_LEFT], 1.1, 1.6, 0.15, 0, stride);
    add_stand(&s.limb[FIGURE_FOOT_RIGHT], -0.4, 0.1, -0.15, 0, -0.5 * stride);
    add_stand(&s.limb[FIGURE_FOOT_RIGHT], 0.6, 1.1, -0.15, 0, 0.5 * stride);
    s.body[1] = limberi_vec3(0, 0, (float)stride);
    limber_asset* asset = stage(&s);
    assert_true(limber_asset_model(asset)->clips[0].loops && !limber_asset_model(asset)->clips[0].travels);
    limber_contacts* contacts = find(asset, 0);
    double belt[2];
    limber_contacts_belt(contacts, belt);
    assert_true(fabs(belt[0]) < 0.02 && fabs(belt[1] + stride) < 0.05 * stride);
    const test_stand left[] = {{0.1, 0.6, {0, 0, 0}}}, right[] = {{0, 0.1, {0, 0, 0}}, {0.6, 1, {0, 0, 0}}};
    expect(contacts, FIGURE_FOOT_LEFT, left, 1);
    expect(contacts, FIGURE_FOOT_RIGHT, right, 2);
    limber_contacts_destroy(contacts);
    limber_asset_destroy(asset);
}

static void hands_of_a_cartwheel_are_found(void** state) {
    (void)state;
    scene s;
    memset(&s, 0, sizeof s);
    s.seconds = 2;
    s.arc = 1.2;
    s.body[1] = limberi_vec3(2, 0, 0);
    add_stand(&s.limb[FIGURE_FOOT_RIGHT], 0, 0.4, -0.15, 0, 0);
    add_stand(&s.limb[FIGURE_FOOT_RIGHT], 1.3, 2, 2.4, 0, 0);
    add_stand(&s.limb[FIGURE_FOOT_LEFT], 0, 0.6, 0.15, 0, 0);
    add_stand(&s.limb[FIGURE_FOOT_LEFT], 1.1, 2, 1.9, 0, 0);
    add_stand(&s.limb[FIGURE_HAND_LEFT], -0.6, -0.5, 0, 0.3, 0);
    add_stand(&s.limb[FIGURE_HAND_LEFT], 0.5, 0.9, 0.8, 0, 0);
    add_stand(&s.limb[FIGURE_HAND_LEFT], 2.3, 2.4, 2, 0.3, 0);
    add_stand(&s.limb[FIGURE_HAND_RIGHT], -0.6, -0.5, 0, 0.3, 0);
    add_stand(&s.limb[FIGURE_HAND_RIGHT], 0.75, 1.15, 1.3, 0, 0);
    add_stand(&s.limb[FIGURE_HAND_RIGHT], 2.3, 2.4, 2, 0.3, 0);
    limber_asset* asset = stage(&s);
    limber_contacts* contacts = find(asset, 0);
    const test_stand left[] = {{0.5, 0.9, {0, 0, 0}}}, right[] = {{0.75, 1.15, {0, 0, 0}}};
    expect(contacts, FIGURE_HAND_LEFT, left, 1);
    expect(contacts, FIGURE_HAND_RIGHT, right, 1);
    expect(contacts, FIGURE_FOOT_LEFT, s.limb[FIGURE_FOOT_LEFT].stands, 2);
    expect(contacts, FIGURE_FOOT_RIGHT, s.limb[FIGURE_FOOT_RIGHT].stands, 2);
    limber_contacts_destroy(contacts);
    limber_asset_destroy(asset);
}

// A ladder: the hands go from rung to rung, the body rises all the time.
static scene ladder(double rises) {
    scene s;
    memset(&s, 0, sizeof s);
    s.seconds = 3;
    s.body[1] = limberi_vec3(0, (float)rises, 0);
    add_stand(&s.limb[FIGURE_HAND_LEFT], -1, 1, 0.3, 1.6, 0.3);
    add_stand(&s.limb[FIGURE_HAND_LEFT], 1.4, 2.4, 0.3, 2.1, 0.3);
    add_stand(&s.limb[FIGURE_HAND_LEFT], 2.6, 2.7, 0.3, 2.4, 0.3);
    add_stand(&s.limb[FIGURE_HAND_LEFT], 2.9, 4, 0.3, 2.6, 0.3);
    return s;
}

static void expect_grip(const limber_contacts* contacts, uint32_t index, uint32_t joint, double from_s, double to_s) {
    limber_grip grip = limber_grip_at(contacts, index);
    if (grip.joint != joint || fabs(grip.from_s - from_s) > 0.05 || fabs(grip.to_s - to_s) > 0.05)
        fail_msg("joint %u holds on from %.3f to %.3f s", grip.joint, grip.from_s, grip.to_s);
}

// What holds on is held like a foot, but stands on no floor.
static void hands_on_a_ladder_hold_on(void** state) {
    (void)state;
    scene s = ladder(1);
    limber_asset* asset = stage(&s);
    limber_contacts* contacts = find(asset, 0);
    float held[FIGURE_JOINTS];
    assert_int_equal(limber_grip_count(contacts), 2); // .1 s on a rung is not to be told from the end of a swing
    expect_grip(contacts, 0, FIGURE_HAND_LEFT, 0, 1);
    expect_grip(contacts, 1, FIGURE_HAND_LEFT, 1.4, 2.4);
    assert_true(limber_grip_at(contacts, 2).to_s == 0);
    assert_int_equal(limber_contact_count(contacts), 0);
    assert_true(limber_contacts_evaluate(contacts, 0.5, held, NULL));
    assert_true(held[FIGURE_HAND_LEFT] > 0.99f && held[FIGURE_HAND_RIGHT] < 0.5f);
    limber_contacts_evaluate(contacts, 1.2, held, NULL);
    assert_true(held[FIGURE_HAND_LEFT] < 0.5f);
    limber_contacts_destroy(contacts);
    limber_asset_destroy(asset);
}

// A hand that is still because all of the body is has nothing to hold on to.
static void hands_of_who_stays_do_not_hold_on(void** state) {
    (void)state;
    scene s = ladder(0.02);
    limber_asset* asset = stage(&s);
    limber_contacts* contacts = find(asset, 0);
    assert_int_equal(limber_grip_count(contacts), 0);
    limber_contacts_destroy(contacts);
    limber_asset_destroy(asset);
}

// The body rises; the left hand waves about a place, and is back there every 0.4 s.
static void pose_wave(double t, test_posture* p, const void* user) {
    (void)user;
    for (int j = 0; j < FIGURE_JOINTS; j++)
        p->at[j].y += (float)t / 2;
    p->at[FIGURE_HAND_LEFT] = limberi_vec3(0.5f + 0.05f * sinf(2 * (float)LIMBERI_PI * (float)t / 0.4f), 1.5f, 0);
}

static void hands_that_wave_do_not_hold_on(void** state) {
    (void)state;
    const test_act act = {"wave", 3, 120, pose_wave, NULL};
    limber_asset* asset = test_figure_create(&act, 1, false);
    limber_contacts* contacts = find(asset, 0);
    assert_int_equal(limber_grip_count(contacts), 0);
    limber_contacts_destroy(contacts);
    limber_asset_destroy(asset);
}

// Both hands of a gymnast on his bar, over the seam of the loop; nobody else's.
static void gymnasts_hold_on_and_walkers_do_not(void** state) {
    static const struct {
        const char* name;
        uint32_t grips;
    } cases[] = {{"gymnast", 2}, {"hero", 0}, {"cow", 0}, {"giraffe", 0}, {"bird", 0}, {"ball", 0}, {"dog", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        limber_asset* asset = test_built_in(cases[i].name, 0.5);
        const limber_model* model = limber_asset_model(asset);
        for (uint32_t c = 0; c < model->clip_count; c++) {
            limber_contacts* contacts = find(asset, c);
            if (limber_grip_count(contacts) != cases[i].grips)
                fail_msg("%s, clip %u: %u grips", cases[i].name, c, limber_grip_count(contacts));
            for (uint32_t g = 0; g < limber_grip_count(contacts); g++) {
                limber_grip grip = limber_grip_at(contacts, g);
                assert_true(strncmp(model->rig.names[grip.joint], "Hand", 4) == 0);
                assert_true(grip.from_s < 0 && grip.to_s > model->clips[c].end_s - model->clips[c].start_s);
            }
            limber_contacts_destroy(contacts);
        }
        limber_asset_destroy(asset);
    }
}

// Body, head and hands come down at 1 s and stay; the feet lie on their heels all the time.
static void pose_fall_over(double t, test_posture* p, const void* user) {
    (void)user;
    float up = t < 1 ? (float)(1 - t * t) : 0;
    const limber_vec3 lying[] = {{0, 0, -0.8f}, {0, 0, -1.4f}, {0.6f, 0, -1}, {-0.6f, 0, -1}};
    for (int j = FIGURE_BODY; j <= FIGURE_HAND_RIGHT; j++) {
        p->at[j] = limberi_lerp(lying[j - FIGURE_BODY], p->at[j], up);
        p->at[j].y = up * p->at[j].y / (up > 0 ? up : 1);
    }
    p->at[FIGURE_ROOT] = limberi_vec3(0, 0.1f + 0.8f * up, -0.5f * (1 - up));
}

static void lying_down_is_found(void** state) {
    (void)state;
    const test_act act = {"fall", 2, 120, pose_fall_over, NULL};
    limber_asset* asset = test_figure_create(&act, 1, false);
    limber_contacts* contacts = find(asset, 0);
    const test_stand lies = {1, 2, {0, 0, 0}}, always = {0, 2, {0, 0, 0}};
    for (uint32_t j = FIGURE_BODY; j <= FIGURE_HAND_RIGHT; j++)
        expect(contacts, j, &lies, 1);
    expect(contacts, FIGURE_FOOT_LEFT, &always, 1);
    expect(contacts, FIGURE_FOOT_RIGHT, &always, 1);
    limber_contacts_destroy(contacts);
    limber_asset_destroy(asset);
}

static const double leap_from = 0.8, leap_to = 1.3, gravity = 9.8;

// A leap straight up in free fall, and a crouch that catches it.
static void pose_leap(double t, test_posture* p, const void* user) {
    double air = t - leap_from, speed = 0.5 * gravity * (leap_to - leap_from), down = 0;
    (void)user;
    if (t > leap_from && t < leap_to)
        down = -(speed * air - 0.5 * gravity * air * air);
    if (t >= leap_to)
        down = speed * (t - leap_to) * exp(-8 * (t - leap_to));
    if (t <= leap_from)
        down = -speed * (t - leap_from) * exp(8 * (t - leap_from));
    for (int j = 0; j < FIGURE_JOINTS; j++)
        if (j < FIGURE_FOOT_LEFT || (t > leap_from && t < leap_to))
            p->at[j].y -= (float)down;
}

static void a_leap_has_a_landing(void** state) {
    (void)state;
    const test_act act = {"leap", 2, 120, pose_leap, NULL};
    limber_asset* asset = test_figure_create(&act, 1, false);
    limber_contacts* contacts = find(asset, 0);
    const test_stand stands[] = {{0, leap_from, {0, 0, 0}}, {leap_to, 2, {0, 0, 0}}};
    expect(contacts, FIGURE_FOOT_LEFT, stands, 2);
    expect(contacts, FIGURE_FOOT_RIGHT, stands, 2);
    assert_int_equal(limber_landing_count(contacts), 1);
    limber_landing landing = limber_landing_at(contacts, 0);
    double speed = 0.5 * gravity * (leap_to - leap_from) / limber_contacts_scale(contacts);
    assert_true(fabs(landing.time_s - leap_to) <= FRAME_S);
    assert_true(fabs(landing.speed - speed) < 0.1 * speed);
    limber_contacts_destroy(contacts);
    limber_asset_destroy(asset);
}

static void a_ball_that_rolls_touches_all_the_time(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("ball", 1);
    const limber_model* model = limber_asset_model(asset);
    assert_string_equal(model->clips[1].name, "roll");
    limber_contacts* contacts = find(asset, 1);
    assert_int_equal(limber_contact_count(contacts), 1);
    limber_contact one = limber_contact_at(contacts, 0);
    assert_true(one.from_s < FRAME_S && one.to_s > model->clips[1].end_s - FRAME_S);
    assert_true(fabs(one.height) < 0.01 * (double)model->size);
    limber_contacts_destroy(contacts);
    limber_asset_destroy(asset);
}

// --- what never stands ---

static void pose_flight(double t, test_posture* p, const void* user) {
    bool swims = user != NULL;
    float beat = sinf(9 * (float)t), wave = 0.25f * sinf(3 * (float)t);
    for (int j = 0; j < FIGURE_JOINTS; j++) {
        p->at[j] = swims ? limberi_vec3(p->at[j].x, 2 + 0.2f * p->at[j].z, 1 - p->at[j].y) : p->at[j];
        p->at[j] = limberi_add(p->at[j], limberi_vec3(0, 3 + wave, swims ? 1.2f * (float)t : 0));
    }
    for (int side = 0; side < 2; side++) {
        p->at[FIGURE_HAND_LEFT + side].y += 0.5f * beat;
        p->at[FIGURE_FOOT_LEFT + side].y += (side ? -0.3f : 0.3f) * beat;
        p->at[FIGURE_FOOT_LEFT + side].z += (swims ? 0.05f : 0.2f) * cosf(9 * (float)t + (float)side);
        p->at[FIGURE_HAND_LEFT + side].z += 0.4f * cosf(9 * (float)t);
    }
}

static void what_flies_or_swims_has_no_contacts(void** state) {
    (void)state;
    static const int yes = 1;
    for (int swims = 0; swims < 2; swims++) {
        const test_act act = {"air", 2.5, 60, pose_flight, swims ? &yes : NULL};
        limber_asset* asset = test_figure_create(&act, 1, false);
        limber_contacts* contacts = find(asset, 0);
        float hold[FIGURE_JOINTS], ground[FIGURE_JOINTS];
        assert_int_equal(limber_contact_count(contacts), 0);
        assert_int_equal(limber_contacts_level_count(contacts), 0);
        assert_int_equal(limber_landing_count(contacts), 0);
        assert_false(limber_contacts_evaluate(contacts, 1, hold, ground));
        for (int j = 0; j < FIGURE_JOINTS; j++)
            assert_true(hold[j] == 0 && ground[j] == 0);
        limber_contacts_destroy(contacts);
        limber_asset_destroy(asset);
    }
}

// A fish that darts up and sinks back turns round sharply, like a ball that bounces. All of it does; a foot would rest.
static void pose_dart(double t, test_posture* p, const void* user) {
    (void)user;
    float sink = 0.35f * fabsf(sinf(4 * (float)t));
    for (int j = 0; j < FIGURE_JOINTS; j++) {
        limber_vec3 lying = limberi_vec3(p->at[j].x, 2 + 0.2f * p->at[j].z, 1 - p->at[j].y);
        p->at[j] = limberi_add(lying, limberi_vec3(0, sink, 0.05f * sinf(8 * (float)t + 3 * lying.z)));
    }
}

static void a_swimmer_has_no_floor_unless_it_walks_in_another_clip(void** state) {
    (void)state;
    scene s = walk(4, 0.5, 0.5, flat);
    const test_act acts[2] = {{"dart", 2.5, 60, pose_dart, NULL}, {"walk", s.seconds, 120, pose_scene, &s}};
    for (uint32_t count = 1; count <= 2; count++) {
        limber_asset* asset = test_figure_create(acts, count, false);
        limber_contacts* contacts = find(asset, 0);
        assert_int_equal(limber_contacts_level_count(contacts) > 0, count == 2);
        assert_int_equal(limber_landing_count(contacts) > 0, count == 2);
        limber_contacts_destroy(contacts);
        limber_asset_destroy(asset);
    }
}

// Thrown on a deck, it falls as far as it is long and comes up again at once: something hard was there.
static void pose_bounce(double t, test_posture* p, const void* user) {
    float height = 3 * fabsf(sinf(5 * (float)t));
    pose_dart(t, p, user);
    for (int j = 0; j < FIGURE_JOINTS; j++)
        p->at[j].y += height;
}

static void a_swimmer_that_falls_hard_has_a_floor_in_that_clip_alone(void** state) {
    (void)state;
    const test_act acts[2] = {{"dart", 2.5, 60, pose_dart, NULL}, {"bounce", 1.25, 120, pose_bounce, NULL}};
    limber_asset* asset = test_figure_create(acts, 2, false);
    for (uint32_t clip = 0; clip < 2; clip++) {
        limber_contacts* contacts = find(asset, clip);
        assert_int_equal(limber_contacts_level_count(contacts) > 0, clip == 1);
        limber_contacts_destroy(contacts);
    }
    limber_asset_destroy(asset);
}

// --- odd clips ---

static void pose_rest(double t, test_posture* p, const void* user) {
    (void)t;
    (void)p;
    (void)user;
}

static void check_odd(limber_asset* asset) {
    const limber_model* model = limber_asset_model(asset);
    limber_stage_settings settings = limber_stage_settings_default();
    settings.contacts.strength = 1;
    settings.impact.gain = 1;
    settings.deform.effects[LIMBER_EFFECT_SQUASH].linear.value = 0.1f;
    limber_pipeline* pipeline;
    assert_int_equal(limber_pipeline_create_from_settings(asset, &settings, &pipeline, NULL), LIMBER_OK);
    for (uint32_t c = 0; c < model->clip_count; c++) {
        limber_contacts* contacts = find(asset, c);
        limber_frame frame;
        assert_int_equal(limber_contact_count(contacts), 0);
        (void)limber_contacts_evaluate(contacts, 0.3, NULL, NULL);
        assert_int_equal(limber_pipeline_evaluate(pipeline, (int32_t)c, 0.3, &frame), LIMBER_OK);
        for (uint32_t i = 0; i < 3 * model->vertex_count; i++)
            assert_true(isfinite(frame.positions[i]));
        limber_contacts_destroy(contacts);
    }
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

static void clips_of_one_frame_and_of_none_are_fine(void** state) {
    (void)state;
    const test_act odd[2] = {{"pose", 0, 60, pose_rest, NULL}, {"nothing", 0, 60, NULL, NULL}};
    check_odd(test_figure_create(odd, 2, false));
}

static void a_skeleton_without_skin_is_fine(void** state) {
    (void)state;
    const test_act act = {"leap", 2, 60, pose_leap, NULL};
    check_odd(test_figure_create(&act, 1, true));
}

// A clip that only leaps has the floor of the others.
static void pose_hang(double t, test_posture* p, const void* user) {
    pose_flight(t, p, user);
    for (int j = 0; j < FIGURE_JOINTS; j++)
        p->at[j].y -= 2.2f;
}

static void a_clip_in_the_air_has_the_floor_of_the_file(void** state) {
    (void)state;
    scene s = walk(4, 0.5, 0.5, flat);
    const test_act acts[2] = {{"walk", s.seconds, 120, pose_scene, &s}, {"hang", 2.5, 60, pose_hang, NULL}};
    limber_asset* asset = test_figure_create(acts, 2, false);
    limber_contacts* contacts = find(asset, 1);
    assert_int_equal(limber_contacts_level_count(contacts), 1);
    assert_true(fabs(limber_contacts_level(contacts, 0)) < 0.005);
    assert_int_equal(limber_contact_count(contacts), 0);
    limber_contacts_destroy(contacts);
    limber_asset_destroy(asset);
}

// A pose whose legs lie below that floor is not lifted out of it.
static void a_pose_of_one_frame_has_no_floor(void** state) {
    (void)state;
    scene s = walk(4, 0.5, 0.5, flat);
    const test_act acts[2] = {{"walk", s.seconds, 120, pose_scene, &s}, {"pose", 0, 60, pose_hang, NULL}};
    limber_asset* asset = test_figure_create(acts, 2, false);
    limber_contacts* contacts = find(asset, 1);
    assert_int_equal(limber_contacts_level_count(contacts), 0);
    limber_contacts_destroy(contacts);
    limber_asset_destroy(asset);
}

// --- the world around ---

static void expect_same(const limber_contacts* a, const limber_contacts* b, uint32_t extra) {
    assert_int_equal(limber_contact_count(a), limber_contact_count(b));
    for (uint32_t i = 0; i < limber_contact_count(a); i++) {
        limber_contact x = limber_contact_at(a, i), y = limber_contact_at(b, i);
        assert_int_equal(x.joint + extra, y.joint);
        assert_true(fabs(x.from_s - y.from_s) < 1e-9 && fabs(x.to_s - y.to_s) < 1e-9);
    }
    assert_int_equal(limber_landing_count(a), limber_landing_count(b));
}

static void size_and_place_of_the_world_do_not_matter(void** state) {
    (void)state;
    const test_act leap = {"leap", 2, 60, pose_leap, NULL};
    scene walking = walk(4, 0.5, 0.5, stairs);
    limber_asset* assets[3] = {test_figure_create(&leap, 1, false), stage(&walking), test_built_in("toon", 1)};
    for (int i = 0; i < 3; i++) {
        limber_contacts* was = find(assets[i], 0);
        for (int k = 0; k < 3; k++) {
            limber_transform above = limber_transform_identity();
            float size = k == 0 ? 100 : k == 1 ? 0.01f : 1;
            above.translation = limberi_scale(limberi_vec3(4, -3, 7), k == 2 ? 1 : size);
            above.scale = limberi_vec3(size, size, size);
            above.rotation = limberi_quat_exp(limberi_vec3(0, k == 2 ? 0.7f : 0, 0));
            limber_asset* moved = test_rearranged(limber_asset_model(assets[i]), NULL, &above);
            limber_contacts* now = find(moved, 0);
            expect_same(was, now, 1);
            limber_contacts_destroy(now);
            limber_asset_destroy(moved);
        }
        limber_contacts_destroy(was);
        limber_asset_destroy(assets[i]);
    }
}

// The triangles of the first hundred vertices go, or shrink to lines.
static double scale_without(const limber_model* model, bool lines) {
    limberi_arena arena = {NULL, false};
    limber_model copy = *model;
    limber_mesh* meshes = LIMBERI_COPY(&arena, limber_mesh, model->meshes, model->mesh_count);
    uint32_t* triangles = LIMBERI_ALLOCATE(&arena, uint32_t, 3 * (size_t)meshes->triangle_count);
    uint32_t count = 0;
    for (uint32_t t = 0; t < meshes->triangle_count; t++) {
        const uint32_t* v = meshes->triangles + 3 * (size_t)t;
        bool gone = v[0] < 100 || v[1] < 100 || v[2] < 100;
        const uint32_t corners[3] = {v[0], gone ? v[0] : v[1], v[2]};
        if (!gone || lines)
            memcpy(triangles + 3 * (size_t)count++, corners, sizeof corners);
    }
    meshes->triangles = triangles;
    meshes->triangle_count = count;
    meshes->part_count = 0;
    copy.meshes = meshes;
    limber_asset* asset = NULL;
    limber_error error;
    if (limber_asset_create(&copy, &asset, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    limber_contacts* contacts = find(asset, 0);
    double scale = limber_contacts_scale(contacts);
    limber_contacts_destroy(contacts);
    limber_asset_destroy(asset);
    limberi_arena_free(&arena);
    return scale;
}

static void triangles_without_area_do_not_matter(void** state) {
    (void)state;
    limber_asset* cow = test_built_in("cow", 1);
    double without = scale_without(limber_asset_model(cow), false);
    assert_true(fabs(scale_without(limber_asset_model(cow), true) / without - 1) < 1e-12);
    limber_asset_destroy(cow);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feet_that_walk_on_a_floor_are_found),
        cmocka_unit_test(feet_that_climb_stairs_are_found),
        cmocka_unit_test(feet_that_walk_up_a_ramp_are_found),
        cmocka_unit_test(feet_on_a_treadmill_are_found),
        cmocka_unit_test(hands_of_a_cartwheel_are_found),
        cmocka_unit_test(hands_on_a_ladder_hold_on),
        cmocka_unit_test(hands_of_who_stays_do_not_hold_on),
        cmocka_unit_test(hands_that_wave_do_not_hold_on),
        cmocka_unit_test(gymnasts_hold_on_and_walkers_do_not),
        cmocka_unit_test(lying_down_is_found),
        cmocka_unit_test(a_leap_has_a_landing),
        cmocka_unit_test(a_ball_that_rolls_touches_all_the_time),
        cmocka_unit_test(what_flies_or_swims_has_no_contacts),
        cmocka_unit_test(a_swimmer_has_no_floor_unless_it_walks_in_another_clip),
        cmocka_unit_test(a_swimmer_that_falls_hard_has_a_floor_in_that_clip_alone),
        cmocka_unit_test(clips_of_one_frame_and_of_none_are_fine),
        cmocka_unit_test(a_pose_of_one_frame_has_no_floor),
        cmocka_unit_test(a_skeleton_without_skin_is_fine),
        cmocka_unit_test(a_clip_in_the_air_has_the_floor_of_the_file),
        cmocka_unit_test(size_and_place_of_the_world_do_not_matter),
        cmocka_unit_test(triangles_without_area_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
