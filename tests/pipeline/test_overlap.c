// The follower behind overlap against closed forms, and what the skin makes of it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "deform/deformer.h"
#include "kit/scene.h"
#include "motion/follower.h"
#include "pipeline/state.h"

// --- one spring ---

static const limber_follower spring = {2, 0.4, 0.03, 0, 0};

// From rest, the response to a velocity of 1 that starts at 0: the spring y of a ramp.
static double ramp_follower(double t) {
    double w = 2 * LIMBERI_PI * spring.frequency_hz, d = spring.damping, v = w * sqrt(1 - d * d);
    double lag = 2 * d / w; // y = t - lag + e^(-d w t) (lag cos v t + (d w lag - 1) / v sin v t)
    return t - lag + exp(-d * w * t) * (lag * cos(v * t) + (d * w * lag - 1) / v * sin(v * t));
}

static void the_lag_of_a_steady_turn_is_that_of_the_spring(void** state) {
    (void)state;
    const double rates[] = {24, 60, 120, 997};
    for (int r = 0; r < 4; r++) {
        limberi_follower_step step = limberi_follower_stepper(&spring, true, 1 / rates[r]);
        double at[3] = {0, 0, 0};
        for (int i = 1; i <= (int)rates[r]; i++) {
            limberi_follow(&step, 1, at);
            double t = i / rates[r];
            assert_true(fabs(at[LIMBERI_LAG] - (t - ramp_follower(t))) < 1e-9);
        }
        // In the long run it lags by 2 d / w, and follows as fast as the joint goes.
        for (int i = 0; i < 20 * (int)rates[r]; i++)
            limberi_follow(&step, 1, at);
        double lag = 2 * spring.damping / (2 * LIMBERI_PI * spring.frequency_hz);
        assert_true(fabs(at[LIMBERI_LAG] - lag) < 1e-9 && fabs(at[LIMBERI_SMOOTHED] - lag) < 1e-9);
        assert_true(fabs(at[LIMBERI_FOLLOWING] - 1) < 1e-9);
    }
}

static void steady_travel_leaves_no_lag_and_a_stop_overshoots(void** state) {
    (void)state;
    limberi_follower_step step = limberi_follower_stepper(&spring, false, 1 / 120.0);
    double at[3] = {0, 0, 0}, min = 0;
    for (int i = 0; i < 1200; i++)
        limberi_follow(&step, 3, at);
    assert_true(fabs(at[LIMBERI_LAG]) < 1e-9 && fabs(at[LIMBERI_FOLLOWING] - 3) < 1e-9);
    for (int i = 0; i < 1200; i++) {
        limberi_follow(&step, 0, at);
        min = fmin(min, at[LIMBERI_LAG]);
    }
    assert_true(min < -0.05 && fabs(at[LIMBERI_LAG]) < 1e-6);
}

static void a_period_leads_the_steady_state_back_to_itself(void** state) {
    (void)state;
    enum { STEPS = 77 };
    limberi_follower_step step = limberi_follower_stepper(&spring, true, 1 / 120.0);
    double rest[3] = {0, 0, 0}, steady[3], at[3];
    for (int i = 0; i < STEPS; i++)
        limberi_follow(&step, sin(2 * LIMBERI_PI * (i + 0.5) / STEPS), rest);
    assert_true(limberi_follower_steady(&step, 0, STEPS, rest, steady));
    memcpy(at, steady, sizeof at);
    for (int i = 0; i < STEPS; i++)
        limberi_follow(&step, sin(2 * LIMBERI_PI * (i + 0.5) / STEPS), at);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(at[k] - steady[k]) < 1e-12);
}

// --- the skin ---

static limber_effect_settings* overlap_of(test_scene* s) {
    s->settings.deform.compose = LIMBER_COMPOSE_CHAIN;
    limber_effect_settings* overlap = &s->settings.deform.effects[LIMBER_EFFECT_OVERLAP];
    overlap->angular.value = 1;
    limber_effect_number(&s->settings.deform, LIMBER_EFFECT_OVERLAP, "max")->value = 0;
    return overlap;
}

// The acceleration that leaves a lag of 1, in a motion that goes on like this: the square of 2 pi times 2.2 Hz.
static const float per_lag = 191.0766f;

static void a_joint_turns_its_skin_back_by_its_lag(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    overlap_of(&s);
    limber_effect_number(&s.settings.deform, LIMBER_EFFECT_OVERLAP, "reach")->value = 0; // all of it counts, wherever
    const float lag = 0.4f, noise = 0.0261799388f;
    s.motion.angular_acceleration[0] = limberi_vec3(0, 0, per_lag * lag);
    test_scene_run(&s);
    float angle = -lag * lag / sqrtf(lag * lag + noise * noise);
    for (uint32_t u = 0; u < s.model->vertex_count; u++) {
        limber_vec3 p = test_scene_position(&s, u), d = test_scene_displacement(&s, u);
        float x = cosf(angle) * p.x - sinf(angle) * p.y, y = sinf(angle) * p.x + cosf(angle) * p.y;
        assert_true(fabsf(p.x + d.x - x) + fabsf(p.y + d.y - y) + fabsf(d.z) < 1e-5f);
    }
    test_scene_close(&s);
}

// What the joints of a chain add up to never exceeds the max, and is the same however many joints share it.
static limber_vec3 tip_of(test_scene* s) {
    uint32_t top = 0;
    for (uint32_t u = 1; u < s->model->vertex_count; u++)
        top = test_scene_position(s, u).y > test_scene_position(s, top).y ? u : top;
    return test_scene_displacement(s, top);
}

static double turned_by(const test_scene* s, uint32_t joints) {
    limber_vec3 sum = limberi_vec3(0, 0, 0);
    limber_deformer* d = limberi_pipeline_state_of(s->pipeline).deformer;
    for (uint32_t j = 0; j < joints; j++)
        sum = limberi_add(sum, d->frame.job.motion[LIMBER_EFFECT_OVERLAP]->angular_acceleration[j]);
    return (double)limberi_length(sum);
}

static void lags_along_a_chain_telescope(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    limber_effect_settings* overlap = overlap_of(&s);
    overlap->angular.value = 4;
    limber_effect_number(&s.settings.deform, LIMBER_EFFECT_OVERLAP, "max")->value = 40;
    uint32_t joints = s.model->rig.joint_count;
    double one = 0;
    for (uint32_t shared = 1; shared <= joints; shared++) {
        for (uint32_t j = 0; j < joints; j++)
            s.motion.angular_acceleration[j] = limberi_vec3(0, 0, j < shared ? per_lag * 0.3f / (float)shared : 0);
        test_scene_run(&s);
        double all = turned_by(&s, joints), limit = 40 * LIMBERI_PI / 180;
        one = shared == 1 ? all : one;
        assert_true(fabs(all - one) < 1e-5 && all < limit);
        assert_true(limberi_length(tip_of(&s)) > 0.1f);
    }
    for (uint32_t j = 0; j < joints; j++)
        s.motion.angular_acceleration[j] = limberi_vec3(0, 0, 50 * per_lag);
    test_scene_run(&s);
    assert_true(turned_by(&s, joints) <= 40 * LIMBERI_PI / 180 + 1e-5);
    test_scene_close(&s);
}

static void shifts_are_limited_and_grow_with_the_distance(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    limber_effect_settings* overlap = overlap_of(&s);
    overlap->angular.value = 0;
    overlap->linear.value = 2;
    limber_effect_number(&s.settings.deform, LIMBER_EFFECT_OVERLAP, "max_linear")->value = 0.05f;
    s.motion.acceleration[0] = limberi_vec3(100 * per_lag, 0, 0);
    test_scene_run(&s);
    float size = s.model->size, max = 0.05f * size, reach = 0.375f * size;
    for (uint32_t u = 0; u < s.model->vertex_count; u++) {
        limber_vec3 p = test_scene_position(&s, u), d = test_scene_displacement(&s, u);
        float far = limberi_length(p), share = far / sqrtf(far * far + reach * reach);
        assert_true(fabsf(d.x + max * share) < 1e-4f * size && fabsf(d.y) + fabsf(d.z) < 1e-6f * size);
    }
    test_scene_close(&s);
}

// --- squash that goes by the follower ---

// A step that creeps along does not stretch anything: below 0.2 L/s the stretch goes with the square of the speed.
static void squash_of_a_slow_motion_is_small(void** state) {
    (void)state;
    for (float speed = 0.05f; speed < 2; speed *= 2) { // L per second
        test_scene s;
        test_scene_open(&s, "ball");
        (void)overlap_of(&s);
        s.settings.deform.effects[LIMBER_EFFECT_SQUASH].linear.value = 0.2f;
        s.motion.velocity[1] = limberi_vec3(0, speed * s.model->size, 0);
        test_scene_run(&s);
        float stretch = 1 + 0.2f * speed * speed / sqrtf(speed * speed + 0.04f);
        limber_vec3 c = limberi_mat4_point(&s.frame.pose->world_from_joint[1], s.model->rig.centroid[1]);
        for (uint32_t u = 0; u < s.model->vertex_count; u++) {
            limber_vec3 arm = limberi_sub(test_scene_position(&s, u), c), d = test_scene_displacement(&s, u);
            assert_true(fabsf(d.y - arm.y * (stretch - 1)) < 1e-5f * s.model->size);
            assert_true(fabsf(d.x - arm.x * (1 / sqrtf(stretch) - 1)) < 1e-5f * s.model->size);
        }
        test_scene_close(&s);
    }
}

// What squash by itself does at any time of the clip, VS 14 and 15, and next to an overlap that moves nothing.
static double squash_next_to_overlap(limber_driven_by by) {
    test_scene s;
    test_scene_open(&s, "cow");
    limber_stage_settings alone = s.settings;
    alone.deform.compose = LIMBER_COMPOSE_CHAIN;
    limber_effect_settings* squash = &alone.deform.effects[LIMBER_EFFECT_SQUASH];
    squash->linear.value = squash->angular.value = 0.2f;
    limber_effect_number(&alone.deform, LIMBER_EFFECT_SQUASH, "driven_by")->value = (float)by;
    limber_stage_settings both = alone;
    both.deform.effects[LIMBER_EFFECT_OVERLAP].angular.value = 1e-6f;
    limber_pipeline* pipelines[2];
    limber_frame frames[2];
    double worst = 0;
    assert_int_equal(limber_pipeline_create_from_settings(s.asset, &alone, &pipelines[0], NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_create_from_settings(s.asset, &both, &pipelines[1], NULL), LIMBER_OK);
    for (int n = 0; n < 10; n++) {
        for (int i = 0; i < 2; i++)
            assert_int_equal(limber_pipeline_evaluate(pipelines[i], 0, 0.13 * n, &frames[i]), LIMBER_OK);
        for (uint32_t u = 0; u < 3 * s.model->vertex_count; u++)
            worst = fmax(worst, fabs((double)(frames[0].positions[u] - frames[1].positions[u])));
    }
    worst /= (double)s.model->size;
    limber_pipeline_destroy(pipelines[0]);
    limber_pipeline_destroy(pipelines[1]);
    test_scene_close(&s);
    return worst;
}

static void squash_driven_by_motion_is_that_without_overlap(void** state) {
    (void)state;
    assert_true(squash_next_to_overlap(LIMBER_DRIVEN_BY_OVERLAP) > 0.01);
    assert_true(squash_next_to_overlap(LIMBER_DRIVEN_BY_MOTION) < 2e-6);
}

// --- strength ---

static void strength_scales_all_of_a_style(void** state) {
    (void)state;
    test_scene s;
    limber_expression* formula;
    test_scene_open(&s, "cylinder");
    overlap_of(&s);
    s.settings.deform.effects[LIMBER_EFFECT_FLOPPY].linear.value = 0.1f;
    s.motion.angular_acceleration[1] = limberi_vec3(0, 0, 0.1f * per_lag);
    s.motion.velocity[0] = limberi_vec3(0, 0, 1);
    test_scene_run(&s);
    limber_vec3 whole = tip_of(&s);
    assert_true(limberi_length(whole) > 0.05f);
    const float strengths[] = {0, 0.5f, 2};
    for (int i = 0; i < 3; i++) {
        s.settings.deform.strength.value = strengths[i];
        test_scene_run(&s);
        limber_vec3 off = limberi_sub(tip_of(&s), limberi_scale(whole, strengths[i]));
        assert_true(limberi_length(off) < 0.02f * s.model->size);
        assert_true(strengths[i] != 0 || limberi_is_zero(tip_of(&s)));
    }
    assert_int_equal(limber_expression_create("0.5 + height", NULL, &formula, NULL), LIMBER_OK);
    s.settings.deform.strength.expression = formula;
    limber_pipeline* pipeline;
    limber_error error;
    assert_int_equal(limber_pipeline_create_from_settings(s.asset, &s.settings, &pipeline, &error),
                     LIMBER_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "'strength' may use t, frame and phase only"));
    limber_expression_destroy(formula);
    test_scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lag_of_a_steady_turn_is_that_of_the_spring),
        cmocka_unit_test(steady_travel_leaves_no_lag_and_a_stop_overshoots),
        cmocka_unit_test(a_period_leads_the_steady_state_back_to_itself),
        cmocka_unit_test(a_joint_turns_its_skin_back_by_its_lag),
        cmocka_unit_test(lags_along_a_chain_telescope),
        cmocka_unit_test(shifts_are_limited_and_grow_with_the_distance),
        cmocka_unit_test(squash_of_a_slow_motion_is_small),
        cmocka_unit_test(squash_driven_by_motion_is_that_without_overlap),
        cmocka_unit_test(strength_scales_all_of_a_style),
    };
    return cmocka_run_group_tests_name("overlap", tests, NULL, NULL);
}
