// The body as a whole: it stretches in the air and squashes where it lands, keeps its volume and stays above the floor;
// it stands in for the impact, and closes on loops.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "characters/characters.h"
#include "kit/scene.h"
#include <limber/limber.h>
#include <limber/stages/settings.h>

static limber_asset* load(const char* name) {
    limber_asset* asset;
    limber_error error;
    if (limberi_character_create(name, 0.5, &asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return asset;
}

static limber_stage_settings shaping(double squash, double bend) {
    limber_stage_settings settings = limber_stage_settings_default();
    settings.perform.squash = squash;
    settings.perform.bend = bend;
    settings.contacts.strength = 1;
    return settings;
}

typedef struct shape {
    double volume, low, high, width;
} shape;

static shape shape_of(const limber_model* model, const float* p) {
    shape s = {0, INFINITY, -INFINITY, 0};
    double left = INFINITY, right = -INFINITY;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        const float* first = p + 3 * (size_t)mesh->first_vertex;
        for (uint32_t t = 0; t < mesh->triangle_count; t++) {
            limber_vec3 a = limberi_load3(first + 3 * (size_t)mesh->triangles[3 * t]);
            limber_vec3 b = limberi_load3(first + 3 * (size_t)mesh->triangles[3 * t + 1]);
            limber_vec3 c = limberi_load3(first + 3 * (size_t)mesh->triangles[3 * t + 2]);
            s.volume += (double)limberi_dot(a, limberi_cross(b, c)) / 6;
        }
    }
    for (size_t v = 0; v < model->vertex_count; v++) {
        s.low = fmin(s.low, (double)p[3 * v + 1]);
        s.high = fmax(s.high, (double)p[3 * v + 1]);
        left = fmin(left, (double)p[3 * v]);
        right = fmax(right, (double)p[3 * v]);
    }
    s.width = right - left;
    return s;
}

static void a_ball_stretches_and_squashes_with_its_volume(void** state) {
    (void)state;
    limber_asset* asset = load("ball");
    const limber_model* model = limber_asset_model(asset);
    limber_stage_settings on = shaping(1, 0), off = shaping(0, 0);
    on.contacts.strength = off.contacts.strength = 0; // the floor flattens what touches it
    limber_pipeline *pipeline = test_pipeline(asset, &on), *plain = test_pipeline(asset, &off);
    uint32_t clip = test_clip(asset, "bounce");
    double tallest = 0, flattest = INFINITY, length_s = model->clips[clip].end_s;
    for (double t = 0; t < length_s; t += 1 / 60.0) {
        shape now = shape_of(model, test_positions(pipeline, clip, t)),
              was = shape_of(model, test_positions(plain, clip, t));
        if (fabs(now.volume / was.volume - 1) > 1e-3)
            fail_msg("%g s: the volume is %g of what it was", t, now.volume / was.volume);
        tallest = fmax(tallest, (now.high - now.low) / (was.high - was.low));
        flattest = fmin(flattest, (now.high - now.low) / (was.high - was.low));
    }
    if (!(tallest > 1.05 && tallest < 1.6 && flattest < 0.9 && flattest > 0.5))
        fail_msg("the height goes from %g to %g", flattest, tallest);
    limber_pipeline_destroy(pipeline);
    limber_pipeline_destroy(plain);
    limber_asset_destroy(asset);
}

static void a_body_stays_above_the_floor_and_on_its_feet(void** state) {
    (void)state;
    limber_asset* asset = load("hero");
    const limber_model* model = limber_asset_model(asset);
    limber_stage_settings on = shaping(2, 2), off = shaping(0, 0);
    limber_pipeline *pipeline = test_pipeline(asset, &on), *plain = test_pipeline(asset, &off);
    uint32_t clip = test_clip(asset, "jump");
    double floor = INFINITY, most = 0;
    for (double t = 0; t < model->clips[clip].end_s; t += 1 / 30.0)
        floor = fmin(floor, shape_of(model, test_positions(plain, clip, t)).low);
    for (double t = 0; t < model->clips[clip].end_s; t += 1 / 30.0) {
        shape now = shape_of(model, test_positions(pipeline, clip, t)),
              was = shape_of(model, test_positions(plain, clip, t));
        if (now.low < floor - 2e-3 * (double)model->size)
            fail_msg("%g s: %g below the floor", t, floor - now.low);
        most = fmax(most, fabs((now.high - now.low) / (was.high - was.low) - 1));
    }
    assert_true(most > 0.1);
    limber_pipeline_destroy(pipeline);
    limber_pipeline_destroy(plain);
    limber_asset_destroy(asset);
}

static void it_stands_in_for_the_impact(void** state) {
    (void)state;
    limber_asset* asset = load("ball");
    const limber_model* model = limber_asset_model(asset);
    limber_stage_settings on = shaping(1, 1), both = shaping(1, 1), impact = shaping(0, 0);
    both.impact.gain = impact.impact.gain = 1;
    limber_pipeline *a = test_pipeline(asset, &on), *b = test_pipeline(asset, &both),
                    *c = test_pipeline(asset, &impact);
    uint32_t clip = test_clip(asset, "bounce");
    size_t bytes = 3 * (size_t)model->vertex_count * sizeof(float);
    bool differs = false;
    for (double t = 0.05; t < 2; t += 0.11) {
        float* here = malloc(bytes);
        assert_non_null(here);
        memcpy(here, test_positions(a, clip, t), bytes);
        assert_memory_equal(here, test_positions(b, clip, t), bytes);
        differs = differs || memcmp(here, test_positions(c, clip, t), bytes) != 0;
        free(here);
    }
    assert_true(differs);
    limber_pipeline_destroy(a);
    limber_pipeline_destroy(b);
    limber_pipeline_destroy(c);
    limber_asset_destroy(asset);
}

static void loops_close(void** state) {
    (void)state;
    limber_asset* asset = load("hero");
    const limber_model* model = limber_asset_model(asset);
    limber_stage_settings on = shaping(2, 2), off = shaping(0, 0);
    limber_pipeline *pipeline = test_pipeline(asset, &on), *plain = test_pipeline(asset, &off);
    uint32_t clip = test_clip(asset, "run");
    const limber_clip* run = &model->clips[clip];
    assert_true(run->loops);
    for (int end = 0; end < 2; end++) {
        limber_pipeline* p = end ? pipeline : plain;
        shape first = shape_of(model, test_positions(p, clip, run->start_s));
        shape last = shape_of(model, test_positions(p, clip, run->end_s));
        assert_true(fabs(first.high - last.high) < 1e-3 && fabs(first.width - last.width) < 1e-3);
    }
    double most = 0;
    for (int i = 0; i < 12; i++) {
        double t = run->start_s + (run->end_s - run->start_s) * i / 12;
        shape now = shape_of(model, test_positions(pipeline, clip, t)),
              was = shape_of(model, test_positions(plain, clip, t));
        most = fmax(most, fabs(now.high - was.high) / (was.high - was.low));
    }
    assert_true(most > 0.01);
    limber_pipeline_destroy(pipeline);
    limber_pipeline_destroy(plain);
    limber_asset_destroy(asset);
}

enum { SPIN_KEYS = 31 };

// The hero at rest, and turning once about an axis within half a second, from half a second on.
static limber_asset* spinning(limber_vec3 axis) {
    limber_asset *hero = load("hero"), *asset;
    limber_model copy = *limber_asset_model(hero);
    float times[SPIN_KEYS], values[4 * SPIN_KEYS];
    for (int k = 0; k < SPIN_KEYS; k++) {
        times[k] = (float)k / 20;
        float angle = 2 * (float)LIMBERI_PI * fminf(fmaxf(2 * times[k] - 1, 0), 1);
        limber_quat turn =
            limberi_quat_mul(limberi_quat_exp(limberi_scale(axis, angle)), copy.rig.rest_local[0].rotation);
        memcpy(&values[4 * k], &turn, sizeof turn);
    }
    limber_channel channel = {.target = 0,
                              .path = LIMBER_CHANNEL_ROTATION,
                              .interpolation = LIMBER_INTERPOLATION_LINEAR,
                              .key_count = SPIN_KEYS,
                              .times = times,
                              .values = values};
    limber_clip clip = {.name = "spin", .end_s = 1.5, .channel_count = 1, .channels = &channel};
    limber_error error;
    copy.clips = &clip;
    copy.clip_count = 1;
    if (limber_asset_create(&copy, &asset, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    limber_asset_destroy(hero);
    return asset;
}

static void a_body_that_spins_is_flatter_and_wider(void** state) {
    (void)state;
    limber_asset* asset = spinning(limberi_vec3(0, 1, 0));
    const limber_model* model = limber_asset_model(asset);
    limber_stage_settings on = shaping(1, 0), off = shaping(0, 0);
    limber_pipeline *pipeline = test_pipeline(asset, &on), *plain = test_pipeline(asset, &off);
    shape turning = shape_of(model, test_positions(pipeline, 0, 0.85)),
          was = shape_of(model, test_positions(plain, 0, 0.85));
    shape still = shape_of(model, test_positions(pipeline, 0, 0.3)),
          stood = shape_of(model, test_positions(plain, 0, 0.3));
    double height = (turning.high - turning.low) / (was.high - was.low);
    print_message("in a spin: %.3f of its height, %.3f of its width\n", height, turning.width / was.width);
    assert_true(height < 0.92 && height > 0.75);
    assert_true(turning.width > 1.02 * was.width);
    assert_true(fabs(still.high - stood.high) < 1e-3 * (stood.high - stood.low));
    limber_pipeline_destroy(pipeline);
    limber_pipeline_destroy(plain);
    limber_asset_destroy(asset);
}

// Limbs that swing one against the other are no spin: a run on the spot is as tall in the air as it was.
static void swinging_limbs_are_no_spin(void** state) {
    (void)state;
    limber_asset* asset = load("hero");
    const limber_model* model = limber_asset_model(asset);
    limber_stage_settings on = shaping(1, 0), off = shaping(0, 0);
    limber_pipeline *pipeline = test_pipeline(asset, &on), *plain = test_pipeline(asset, &off);
    uint32_t clip = test_clip(asset, "run");
    double tallest = 0;
    for (double t = 0; t < model->clips[clip].end_s; t += 1 / 60.0) {
        shape now = shape_of(model, test_positions(pipeline, clip, t)),
              was = shape_of(model, test_positions(plain, clip, t));
        tallest = fmax(tallest, (now.high - now.low) / (was.high - was.low));
    }
    print_message("a run is up to %.4f of its height\n", tallest);
    assert_true(tallest > 1.02);
    limber_pipeline_destroy(pipeline);
    limber_pipeline_destroy(plain);
    limber_asset_destroy(asset);
}

// A ball that rolls stays round.
static void what_rolls_keeps_its_shape(void** state) {
    (void)state;
    limber_asset* asset = load("ball");
    const limber_model* model = limber_asset_model(asset);
    limber_stage_settings on = shaping(1, 0), off = shaping(0, 0);
    limber_pipeline *pipeline = test_pipeline(asset, &on), *plain = test_pipeline(asset, &off);
    uint32_t clip = test_clip(asset, "roll");
    double most = 0;
    for (double t = 0; t < model->clips[clip].end_s; t += 1 / 30.0) {
        shape now = shape_of(model, test_positions(pipeline, clip, t)),
              was = shape_of(model, test_positions(plain, clip, t));
        most = fmax(most, fabs((now.high - now.low) / (was.high - was.low) - 1));
    }
    print_message("a ball that rolls changes its height by %.4f\n", most);
    assert_true(most < 0.03);
    limber_pipeline_destroy(pipeline);
    limber_pipeline_destroy(plain);
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_stretches_and_squashes_with_its_volume),
        cmocka_unit_test(a_body_stays_above_the_floor_and_on_its_feet),
        cmocka_unit_test(it_stands_in_for_the_impact),
        cmocka_unit_test(loops_close),
        cmocka_unit_test(a_body_that_spins_is_flatter_and_wider),
        cmocka_unit_test(swinging_limbs_are_no_spin),
        cmocka_unit_test(what_rolls_keeps_its_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
