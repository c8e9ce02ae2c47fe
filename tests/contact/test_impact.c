// Impact: a ball in free fall squashes when it lands as the closed form says, stands on the floor, keeps its volume and
// is round at the top.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/figure.h"
#include "kit/models.h"

static const double gravity = 9.8, bounce_s = 1.0;
enum { BOUNCES = 2 };

// The ball lands at 0.5 s and 1.5 s of a loop of 2 s.
static double height_at(double t) {
    double air = fmod(t + 0.5, bounce_s);
    return 0.5 * gravity * air * (bounce_s - air);
}

typedef struct rig {
    limber_asset* asset;
    const limber_model* model;
    limber_pipeline* pipeline;
    const limber_contacts* contacts;
} rig;

static rig open_rig(limber_asset* asset, double gain) {
    rig r = {asset, limber_asset_model(asset), NULL, NULL};
    limber_stage_settings settings = limber_stage_settings_default();
    settings.contacts.strength = 1;
    settings.impact.gain = gain;
    assert_int_equal(limber_pipeline_create_from_settings(asset, &settings, &r.pipeline, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_contacts(r.pipeline, 0, &r.contacts), LIMBER_OK);
    return r;
}

static void close_rig(rig* r) {
    limber_pipeline_destroy(r->pipeline);
    limber_asset_destroy(r->asset);
}

typedef struct shape {
    double low, high, wide, volume;
} shape;

static double volume_of(const limber_mesh* mesh, const float* positions) {
    double sum = 0;
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i += 3) {
        limber_vec3 a = limberi_load3(positions + 3 * (size_t)mesh->triangles[i]);
        limber_vec3 b = limberi_load3(positions + 3 * (size_t)mesh->triangles[i + 1]);
        limber_vec3 c = limberi_load3(positions + 3 * (size_t)mesh->triangles[i + 2]);
        sum += (double)limberi_dot(a, limberi_cross(b, c)) / 6;
    }
    return fabs(sum);
}

static shape shape_at(const rig* r, double time_s, bool plain) {
    limber_frame frame;
    assert_int_equal(limber_pipeline_evaluate(r->pipeline, 0, time_s, &frame), LIMBER_OK);
    const float* positions = plain ? frame.skinned : frame.positions;
    shape s = {INFINITY, -INFINITY, 0, volume_of(&r->model->meshes[0], positions)};
    double left = INFINITY, right = -INFINITY;
    for (size_t u = 0; u < r->model->vertex_count; u++) {
        s.low = fmin(s.low, (double)positions[3 * u + 1]);
        s.high = fmax(s.high, (double)positions[3 * u + 1]);
        left = fmin(left, (double)positions[3 * u]);
        right = fmax(right, (double)positions[3 * u]);
    }
    s.wide = right - left;
    return s;
}

// --- the closed form ---

static double smooth(double low, double high, double x) {
    double t = fmin(fmax((x - low) / (high - low), 0), 1);
    return t * t * (3 - 2 * t);
}

// Of one landing, `x` seconds after it: how much shorter the body is.
static double answer(double x, double speed, double lasts_s) {
    double max = 0.45 * (1 - exp(-speed / 2)), press = fmin(0.5 * lasts_s, 0.09);
    double beta = LIMBERI_PI / 2 / (0.05 + 0.6 * press), alpha = 0.35 * beta, y = x - press;
    double pulse = y < 0 ? smooth(-0.035, press, x) : exp(-alpha * y) * (cos(beta * y) + alpha / beta * sin(beta * y));
    return -max * pulse + 0.25 * max * smooth(-0.2, -0.05, x) * (1 - smooth(-0.05, -0.01, x));
}

static double expected(double t, double speed, double lasts_s) {
    double sum = 0;
    for (int k = -4; k < 8; k++)
        sum += answer(t - 0.5 - k * bounce_s, speed, lasts_s);
    return 0.5 * tanh(2 * sum);
}

// --- the ball ---

static void landings_are_when_and_as_fast_as_free_fall_has_them(void** state) {
    (void)state;
    rig r = open_rig(test_bouncer_create(BOUNCES * bounce_s, 240, height_at), 1);
    double speed = 0.5 * gravity * bounce_s / limber_contacts_scale(r.contacts);
    assert_true(r.model->clips[0].loops);
    assert_int_equal(limber_landing_count(r.contacts), BOUNCES);
    for (uint32_t i = 0; i < BOUNCES; i++) {
        limber_landing landing = limber_landing_at(r.contacts, i);
        assert_true(fabs(landing.time_s - 0.5 - i * bounce_s) < 1.0 / 60);
        assert_true(fabs(landing.speed - speed) < 0.05 * speed);
    }
    close_rig(&r);
}

static void the_ball_follows_the_closed_form(void** state) {
    (void)state;
    rig r = open_rig(test_bouncer_create(BOUNCES * bounce_s, 240, height_at), 1);
    limber_landing landing = limber_landing_at(r.contacts, 0);
    double late_s = landing.time_s - 0.5, worst = 0, size = (double)r.model->size;
    double lasts_s = 1.0 / 120; // it touches for an instant: one moment of the grid
    for (double t = 0; t < BOUNCES * bounce_s; t += 1.0 / 97) {
        shape s = shape_at(&r, t, false);
        double want = 1 + expected(t - late_s, landing.speed, lasts_s);
        worst = fmax(worst, fabs((s.high - s.low) / 1 - want));
        assert_true(fabs(s.wide * s.wide * (s.high - s.low) - 1) < 0.02);
        assert_true(fabs(s.volume / shape_at(&r, t, true).volume - 1) < 0.01);
    }
    print_message("height over time: %.4f off the closed form\n", worst);
    assert_true(worst < 0.002);
    shape at_contact = shape_at(&r, 0.5, false), before = shape_at(&r, 0.45, false), top = shape_at(&r, 1, false);
    print_message("at contact %.3f high with its base at %.6f L; before %.3f; at the top %.4f\n",
                  at_contact.high - at_contact.low, at_contact.low / size, before.high - before.low,
                  top.high - top.low);
    assert_true(fabs(at_contact.low) < 1e-4 * size);
    assert_true(at_contact.high - at_contact.low < 0.8);
    assert_true(before.high - before.low > 1.03);
    assert_true(fabs(top.high - top.low - 1) < 0.01);
    close_rig(&r);
}

static void the_floor_holds_in_every_frame(void** state) {
    (void)state;
    rig r = open_rig(test_bouncer_create(BOUNCES * bounce_s, 240, height_at), 2);
    for (double t = 0.4; t < 0.7; t += 1.0 / 240)
        assert_true(shape_at(&r, t, false).low > -1e-4 * (double)r.model->size);
    close_rig(&r);
}

static void loops_close(void** state) {
    (void)state;
    rig r = open_rig(test_built_in("ball", 1), 1);
    const limber_clip* clip = &r.model->clips[0];
    size_t numbers = 3 * (size_t)r.model->vertex_count;
    float* first = malloc(numbers * sizeof *first);
    limber_frame frame;
    assert_non_null(first);
    assert_int_equal(limber_pipeline_evaluate(r.pipeline, 0, clip->start_s, &frame), LIMBER_OK);
    memcpy(first, frame.positions, numbers * sizeof *first);
    assert_int_equal(limber_pipeline_evaluate(r.pipeline, 0, clip->end_s, &frame), LIMBER_OK);
    for (size_t i = 0; i < numbers; i++)
        assert_true(fabsf(first[i] - frame.positions[i]) < 1e-4f * r.model->size);
    free(first);
    close_rig(&r);
}

static void slow_falls_and_no_gain_do_nothing(void** state) {
    (void)state;
    rig r = open_rig(test_bouncer_create(BOUNCES * bounce_s, 240, height_at), 0);
    shape at_contact = shape_at(&r, 0.5, false);
    assert_true(fabs(at_contact.high - at_contact.low - 1) < 1e-6);
    limber_stage_settings settings = *limber_pipeline_stage_settings(r.pipeline);
    limber_pipeline_destroy(r.pipeline);
    settings.impact.gain = 1;
    settings.impact.min_speed = 100;
    assert_int_equal(limber_pipeline_create_from_settings(r.asset, &settings, &r.pipeline, NULL), LIMBER_OK);
    at_contact = shape_at(&r, 0.5, false);
    assert_true(fabs(at_contact.high - at_contact.low - 1) < 1e-6);
    close_rig(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(landings_are_when_and_as_fast_as_free_fall_has_them),
        cmocka_unit_test(the_ball_follows_the_closed_form),
        cmocka_unit_test(the_floor_holds_in_every_frame),
        cmocka_unit_test(loops_close),
        cmocka_unit_test(slow_falls_and_no_gain_do_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
