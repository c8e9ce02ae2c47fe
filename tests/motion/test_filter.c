// Time filters: closed-form step responses, steady-state loops, cuts, and tracks over clips.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/models.h"
#include "motion/time_filter.h"

enum { SAMPLES = 600 };

static const limber_filter lowpass = {LIMBER_FILTER_LOWPASS, 0.3, 0, 0};
static const limber_filter spring = {LIMBER_FILTER_SPRING, 0, 2, 0.2};

static void run(const limber_filter* filter, float* x, uint32_t count, double step_s, bool loops,
                const uint8_t* restart) {
    limberi_signal signal = {x, 1, count, step_s, loops, restart, NULL};
    limberi_filter_run(filter, &signal);
}

static void lowpass_approaches_a_step_at_the_same_pace_at_every_rate(void** state) {
    (void)state;
    for (int rate = 30; rate <= 480; rate *= 2) {
        float x[SAMPLES];
        for (int i = 0; i < SAMPLES; i++)
            x[i] = i == 0 ? 0 : 1;
        run(&lowpass, x, SAMPLES, 1.0 / rate, false, NULL);
        for (int i = 0; i < SAMPLES; i++)
            assert_true(fabs((double)x[i] - (1 - pow(1 - 0.3, 60.0 * i / rate))) < 1e-6);
    }
}

static void lowpass_at_60_hz_is_the_plain_recursion(void** state) {
    (void)state;
    float x[SAMPLES], y = 0;
    for (int i = 0; i < SAMPLES; i++)
        x[i] = sinf(0.1f * (float)i) + 0.3f * sinf(1.7f * (float)i);
    float copy[SAMPLES];
    memcpy(copy, x, sizeof x);
    run(&lowpass, x, SAMPLES, 1 / 60.0, false, NULL);
    for (int i = 0; i < SAMPLES; i++) {
        y = i == 0 ? copy[0] : 0.3f * copy[i] + 0.7f * y;
        assert_true(fabsf(y - x[i]) < 1e-5f);
    }
}

// The response to a ramp that reaches 1 in the first step, then rests: after it a free oscillation about 1.
static void spring_swings_with_its_frequency_and_damping(void** state) {
    (void)state;
    float x[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        x[i] = i == 0 ? 0 : 1;
    run(&spring, x, SAMPLES, 1 / 2000.0, false, NULL); // a short first step is nearly a jump
    double w = 2 * LIMBERI_PI * 2, v = w * sqrt(1 - 0.04);
    for (int i = 1; i < SAMPLES; i++) {
        double t = (i - 0.5) / 2000.0;
        double exact = 1 - exp(-0.2 * w * t) * (cos(v * t) + 0.2 * w / v * sin(v * t));
        assert_true(fabs((double)x[i] - exact) < 1e-4);
    }
}

static void spring_does_not_depend_on_the_step_for_straight_input(void** state) {
    (void)state;
    float coarse[50], fine[500];
    for (int i = 0; i < 500; i++) // straight between the coarse samples
        fine[i] = fabsf(fmodf((float)i / 100, 2) - 1);
    for (int i = 0; i < 50; i++)
        coarse[i] = fine[10 * i];
    run(&spring, coarse, 50, 0.05, false, NULL);
    run(&spring, fine, 500, 0.005, false, NULL);
    for (int i = 0; i < 50; i++)
        assert_true(fabsf(coarse[i] - fine[10 * i]) < 2e-5f);
}

static void constants_and_enormous_steps_stay_put(void** state) {
    (void)state;
    const limber_filter all[] = {lowpass, spring, {LIMBER_FILTER_SPRING, 0, 3, 5}, {LIMBER_FILTER_SPRING, 0, 3, 1}};
    for (size_t f = 0; f < 4; f++) {
        float x[SAMPLES];
        for (int i = 0; i < SAMPLES; i++)
            x[i] = 2.5f;
        run(&all[f], x, SAMPLES, 1 / 60.0, false, NULL);
        for (int i = 0; i < SAMPLES; i++)
            assert_true(fabsf(x[i] - 2.5f) < 1e-5f);
        for (int i = 0; i < SAMPLES; i++)
            x[i] = (float)(i % 7);
        run(&all[f], x, SAMPLES, 100, false, NULL);
        for (int i = 0; i < SAMPLES; i++)
            assert_true(isfinite(x[i]) && fabsf(x[i]) < 50);
    }
}

static void loop_starts_in_the_state_many_turns_lead_to(void** state) {
    (void)state;
    enum { TURN = 90, TURNS = 60 };
    const limber_filter all[] = {lowpass, spring};
    for (size_t f = 0; f < 2; f++) {
        float once[TURN];
        static float many[TURN * TURNS];
        for (int i = 0; i < TURN * TURNS; i++)
            many[i] = sinf((float)(2 * LIMBERI_PI) * (float)(i % TURN) / TURN) + (i % TURN < 20 ? 0.5f : 0);
        memcpy(once, many, sizeof once);
        run(&all[f], once, TURN, 1 / 60.0, true, NULL);
        run(&all[f], many, TURN * TURNS, 1 / 60.0, false, NULL);
        for (int i = 0; i < TURN; i++)
            assert_true(fabsf(once[i] - many[TURN * (TURNS - 1) + i]) < 1e-4f);
    }
}

static void a_cut_starts_afresh(void** state) {
    (void)state;
    float x[100];
    uint8_t restart[100] = {0};
    restart[40] = 1;
    for (int loops = 0; loops < 2; loops++) {
        for (int i = 0; i < 100; i++)
            x[i] = i < 40 ? 1000 : 1;
        run(&spring, x, 100, 1 / 60.0, loops != 0, restart);
        assert_true(x[40] == 1);
        for (int i = 40; i < 100; i++)
            assert_true(fabsf(x[i] - 1) < 1e-3f);
    }
}

static void track_without_filters_is_the_plain_motion(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 30, true);
    const limber_model* model = limber_asset_model(asset);
    limber_motion_settings settings = limber_motion_settings_default();
    limber_filter_set none = limber_filter_set_none();
    limber_track* track;
    limber_kinematics a, b;
    assert_int_equal(limber_track_create(model, &model->clips[0], &settings, &none, &track, NULL), LIMBER_OK);
    assert_int_equal(limber_kinematics_create(model, &a), LIMBER_OK);
    assert_int_equal(limber_kinematics_create(model, &b), LIMBER_OK);
    for (int i = -10; i < 50; i++) {
        limber_track_evaluate(track, i * 0.037, &a);
        assert_int_equal(limber_motion_from_clip(model, &model->clips[0], &settings, i * 0.037, &b), LIMBER_OK);
        assert_memory_equal(a.angular_velocity, b.angular_velocity, 3 * sizeof(limber_vec3));
        assert_memory_equal(a.angular_acceleration, b.angular_acceleration, 3 * sizeof(limber_vec3));
    }
    limber_track_destroy(track);
    limber_kinematics_destroy(&a);
    limber_kinematics_destroy(&b);
    limber_asset_destroy(asset);
}

static void filtered_loop_closes_and_can_be_scrubbed(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 30, true);
    const limber_model* model = limber_asset_model(asset);
    limber_motion_settings settings = limber_motion_settings_default();
    limber_filter_set set = limber_filter_set_none();
    set.angular_velocity = spring;
    set.angular_acceleration = lowpass;
    limber_track* track;
    limber_kinematics a, b;
    assert_int_equal(limber_track_create(model, &model->clips[0], &settings, &set, &track, NULL), LIMBER_OK);
    assert_int_equal(limber_kinematics_create(model, &a), LIMBER_OK);
    assert_int_equal(limber_kinematics_create(model, &b), LIMBER_OK);
    for (int i = 0; i < 40; i++) {
        double t = i * 0.0251;
        limber_track_evaluate(track, t, &a);
        limber_track_evaluate(track, 0.9 - 0.5 * t, &b); // somewhere else in between
        limber_track_evaluate(track, t + 2, &b);
        assert_true(fabsf(a.angular_velocity[1].z - b.angular_velocity[1].z) < 1e-4f);
        assert_true(fabsf(a.angular_acceleration[1].z - b.angular_acceleration[1].z) < 1e-3f);
    }
    limber_track_evaluate(track, 1 - 1e-7, &a);
    limber_track_evaluate(track, 0, &b);
    assert_true(fabsf(a.angular_velocity[1].z - b.angular_velocity[1].z) < 1e-3f);
    limber_track_destroy(track);
    limber_kinematics_destroy(&a);
    limber_kinematics_destroy(&b);
    limber_asset_destroy(asset);
}

static void filtered_motion_does_not_depend_on_the_key_rate(void** state) {
    (void)state;
    limber_filter_set set = limber_filter_set_none();
    set.angular_velocity = lowpass;
    limber_motion_settings settings = limber_motion_settings_default();
    settings.step_s = 1 / 120.0;
    float seen[3][20];
    for (int r = 0; r < 3; r++) {
        limber_asset* asset = test_tube_create(3, 1, 240u << r, true);
        const limber_model* model = limber_asset_model(asset);
        limber_track* track;
        limber_kinematics k;
        assert_int_equal(limber_track_create(model, &model->clips[0], &settings, &set, &track, NULL), LIMBER_OK);
        assert_int_equal(limber_kinematics_create(model, &k), LIMBER_OK);
        for (int i = 0; i < 20; i++) {
            limber_track_evaluate(track, i / 20.0, &k);
            seen[r][i] = k.angular_velocity[1].z;
        }
        limber_track_destroy(track);
        limber_kinematics_destroy(&k);
        limber_asset_destroy(asset);
    }
    for (int i = 0; i < 20; i++)
        assert_true(fabsf(seen[0][i] - seen[1][i]) < 2e-3f && fabsf(seen[1][i] - seen[2][i]) < 2e-3f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lowpass_approaches_a_step_at_the_same_pace_at_every_rate),
        cmocka_unit_test(lowpass_at_60_hz_is_the_plain_recursion),
        cmocka_unit_test(spring_swings_with_its_frequency_and_damping),
        cmocka_unit_test(spring_does_not_depend_on_the_step_for_straight_input),
        cmocka_unit_test(constants_and_enormous_steps_stay_put),
        cmocka_unit_test(loop_starts_in_the_state_many_turns_lead_to),
        cmocka_unit_test(a_cut_starts_afresh),
        cmocka_unit_test(track_without_filters_is_the_plain_motion),
        cmocka_unit_test(filtered_loop_closes_and_can_be_scrubbed),
        cmocka_unit_test(filtered_motion_does_not_depend_on_the_key_rate),
    };
    return cmocka_run_group_tests_name("filter", tests, NULL, NULL);
}
