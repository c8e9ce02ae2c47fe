// Derivatives of the curves themselves, against differences over ever shorter steps.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asset/channel.h"
#include "kit/models.h"
#include "motion/kinematics.h"

enum { KEYS = 5 };

// One channel with keys at uneven times.
typedef struct curve {
    limber_channel channel;
    float times[KEYS], values[3 * 4 * KEYS];
} curve;

static double some(uint32_t* seed) { // -1 ... 1
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) / 8388608.0 - 1;
}

// Keys of rotations are units, and tangents are not too long for the differences below.
static void make_curve(curve* c, limber_channel_path path, limber_interpolation interpolation, uint32_t seed) {
    size_t width = path == LIMBER_CHANNEL_ROTATION ? 4 : 3, parts = interpolation == LIMBER_INTERPOLATION_CUBIC ? 3 : 1;
    for (uint32_t k = 0; k < KEYS; k++) {
        c->times[k] = 0.1f * (float)k + (float)(0.02 * some(&seed));
        for (size_t i = 0; i < parts * width; i++)
            c->values[k * parts * width + i] = (float)(0.5 * some(&seed));
        if (path == LIMBER_CHANNEL_ROTATION)
            c->values[k * parts * width + (parts > 1 ? 7 : 3)] = 1;
    }
    c->channel = (limber_channel){path, interpolation, 0, KEYS, c->times, c->values};
}

static void difference(const limber_channel* channel, double t, double h, double* first, double* second) {
    double x[3][4], back[3], forth[3];
    uint32_t key = 0;
    for (int i = 0; i < 3; i++)
        limberi_channel_sample(channel, t + (i - 1) * h, &key, x[i]);
    for (int i = 0; i < 3; i++) {
        back[i] = x[1][i] - x[0][i];
        forth[i] = x[2][i] - x[1][i];
    }
    if (channel->path == LIMBER_CHANNEL_ROTATION) {
        limberi_rotation_between(x[0], x[1], back);
        limberi_rotation_between(x[1], x[2], forth);
    }
    for (int i = 0; i < 3; i++) {
        first[i] = (back[i] + forth[i]) / (2 * h);
        second[i] = (forth[i] - back[i]) / (h * h);
    }
}

static void expect_near(const double* a, const double* b, double slack) {
    for (int i = 0; i < 3; i++)
        if (!(fabs(a[i] - b[i]) <= slack * (1 + fabs(a[i]))))
            fail_msg("%g is not %g", a[i], b[i]);
}

static void slopes_are_the_limit_of_differences(void** state) {
    (void)state;
    for (uint32_t trial = 0; trial < 60; trial++) {
        curve c;
        make_curve(&c, trial % 2 ? LIMBER_CHANNEL_ROTATION : LIMBER_CHANNEL_TRANSLATION,
                   (limber_interpolation)(trial / 2 % 3), trial * 77);
        for (uint32_t k = 0; k + 1 < KEYS; k++) {
            double t = c.times[k] + 0.37 * ((double)c.times[k + 1] - c.times[k]), v[3], a[3], dv[3], da[3];
            limberi_curve_slope(&c.channel, t, LIMBERI_BEFORE | LIMBERI_AFTER, v, a);
            difference(&c.channel, t, 1e-5, dv, da);
            expect_near(dv, v, 1e-6);
            difference(&c.channel, t, 1e-4, dv, da);
            expect_near(da, a, 1e-4);
        }
    }
}

static void at_keys_both_sides_count_half(void** state) {
    (void)state;
    for (uint32_t trial = 0; trial < 20; trial++) {
        curve c;
        make_curve(&c, trial % 2 ? LIMBER_CHANNEL_ROTATION : LIMBER_CHANNEL_TRANSLATION,
                   trial / 2 % 2 ? LIMBER_INTERPOLATION_CUBIC : LIMBER_INTERPOLATION_LINEAR, trial * 31);
        double t = c.times[2], v[3], a[3], before[3], after[3], dv[3], da[3];
        limberi_curve_slope(&c.channel, t, LIMBERI_BEFORE | LIMBERI_AFTER, v, a);
        difference(&c.channel, t, 1e-7, dv, da);
        expect_near(dv, v, 1e-4);
        limberi_curve_slope(&c.channel, t, LIMBERI_BEFORE, before, a);
        limberi_curve_slope(&c.channel, t, LIMBERI_AFTER, after, a);
        for (int i = 0; i < 3; i++)
            assert_true(fabs(0.5 * (before[i] + after[i]) - v[i]) < 1e-12 * (1 + fabs(v[i])));
    }
}

static void outside_of_its_keys_a_curve_stands_still(void** state) {
    (void)state;
    curve c;
    make_curve(&c, LIMBER_CHANNEL_TRANSLATION, LIMBER_INTERPOLATION_CUBIC, 5);
    double v[3], a[3];
    const double times[] = {-1, 7};
    for (int i = 0; i < 2; i++) {
        limberi_curve_slope(&c.channel, times[i], LIMBERI_BEFORE | LIMBERI_AFTER, v, a);
        assert_true(v[0] == 0 && v[1] == 0 && v[2] == 0 && a[0] == 0);
    }
}

static double distance(limber_vec3 a, limber_vec3 b) {
    return sqrt(pow((double)a.x - (double)b.x, 2) + pow((double)a.y - (double)b.y, 2) +
                pow((double)a.z - (double)b.z, 2));
}

// Whole characters, loops with seams and travel included.
static void motion_of_clips_is_the_limit_of_differences(void** state) {
    (void)state;
    for (uint32_t i = 0; i < test_character_count(); i++) {
        limber_gltf* gltf;
        limber_asset* asset = test_character_load(i, &gltf);
        const limber_model* model = limber_asset_model(asset);
        limber_motion_settings settings = limber_motion_settings_default();
        limber_kinematics exact, differ;
        assert_int_equal(limber_kinematics_create(model, &exact), LIMBER_OK);
        assert_int_equal(limber_kinematics_create(model, &differ), LIMBER_OK);
        double worst = 0, worst_turn = 0;
        for (uint32_t c = 0; c < model->clip_count; c++) {
            const limber_clip* clip = &model->clips[c];
            for (int n = 0; n < 6; n++) { // between keys, where lines have one derivative
                double keys = floor((clip->end_s - clip->start_s) / clip->key_step_s * (0.05 + 0.17 * n));
                double t = clip->start_s + (keys + 0.43) * clip->key_step_s;
                settings.step_s = 2e-5;
                settings.derivatives = LIMBER_DERIVATIVES_DIFFERENCES;
                assert_int_equal(limber_motion_from_clip(model, clip, &settings, t, &differ), LIMBER_OK);
                settings.derivatives = LIMBER_DERIVATIVES_ANALYTIC;
                assert_int_equal(limber_motion_from_clip(model, clip, &settings, t, &exact), LIMBER_OK);
                for (uint32_t j = 0; j < model->rig.joint_count; j++) {
                    worst = fmax(worst, distance(exact.velocity[j], differ.velocity[j]));
                    worst_turn = fmax(worst_turn, distance(exact.angular_velocity[j], differ.angular_velocity[j]));
                }
            }
        }
        print_message("%s: %.2g L/s, %.2g rad/s\n", test_character_name(i), worst / (double)model->size, worst_turn);
        assert_true(worst < 1e-4 * (double)model->size);
        assert_true(worst_turn < 1e-4);
        limber_kinematics_destroy(&exact);
        limber_kinematics_destroy(&differ);
        test_character_free(asset, gltf);
    }
}

static double worst_of(limber_vec3 a, limber_vec3 b) {
    return fmax(fabs((double)(a.x - b.x)), fmax(fabs((double)(a.y - b.y)), fabs((double)(a.z - b.z))));
}

// Splines have accelerations, along all axes: what an effect drags by.
static void splines_accelerate_as_their_differences_do(void** state) {
    (void)state;
    curve moves, turns;
    limber_error error;
    limber_asset *tube = test_tube_create(3, 1, 30, false), *asset;
    make_curve(&moves, LIMBER_CHANNEL_TRANSLATION, LIMBER_INTERPOLATION_CUBIC, 11);
    make_curve(&turns, LIMBER_CHANNEL_ROTATION, LIMBER_INTERPOLATION_CUBIC, 12);
    limber_channel channels[2] = {moves.channel, turns.channel};
    channels[0].target = channels[1].target = 1;
    limber_model model = *limber_asset_model(tube);
    limber_clip clip = model.clips[0];
    clip.channels = channels;
    clip.channel_count = 2;
    model.clips = &clip;
    assert_int_equal(limber_asset_create(&model, &asset, &error), LIMBER_OK);
    const limber_model* made = limber_asset_model(asset);
    limber_motion_settings settings = limber_motion_settings_default();
    limber_kinematics exact, differ;
    const limber_vec3 none = {0, 0, 0};
    double largest = 0;
    settings.step_s = 1e-3;
    assert_int_equal(limber_kinematics_create(made, &exact), LIMBER_OK);
    assert_int_equal(limber_kinematics_create(made, &differ), LIMBER_OK);
    for (uint32_t k = 0; k + 1 < KEYS; k++) {
        double t = 0.5 * ((double)moves.times[k] + (double)moves.times[k + 1]);
        settings.derivatives = LIMBER_DERIVATIVES_DIFFERENCES;
        assert_int_equal(limber_motion_from_clip(made, &made->clips[0], &settings, t, &differ), LIMBER_OK);
        settings.derivatives = LIMBER_DERIVATIVES_ANALYTIC;
        assert_int_equal(limber_motion_from_clip(made, &made->clips[0], &settings, t, &exact), LIMBER_OK);
        largest = fmax(largest, worst_of(exact.acceleration[1], none));
        assert_true(worst_of(exact.acceleration[1], differ.acceleration[1]) < 0.5);
        assert_true(worst_of(exact.angular_acceleration[1], differ.angular_acceleration[1]) < 0.5);
    }
    print_message("accelerations of up to %.1f\n", largest);
    assert_true(largest > 5);
    limber_kinematics_destroy(&exact);
    limber_kinematics_destroy(&differ);
    limber_asset_destroy(asset);
    limber_asset_destroy(tube);
}

// Frames lie on keys: there a linear curve has the difference over both neighbors, at the ends that of one side.
static void linear_keys_give_the_mean_of_both_sides(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 30, true); // angle (1 - cos 2 pi t) / 2, a loop
    const limber_model* model = limber_asset_model(asset);
    limber_motion_settings settings = limber_motion_settings_default();
    settings.derivatives = LIMBER_DERIVATIVES_ANALYTIC;
    limber_kinematics k;
    assert_int_equal(limber_kinematics_create(model, &k), LIMBER_OK);
    for (int frame = 0; frame <= 60; frame++) {
        double t = frame / 30.0, pi = acos(-1), mean = 0.5 * sin(2 * pi * t) * sin(2 * pi / 30) * 30;
        assert_int_equal(limber_motion_from_clip(model, &model->clips[0], &settings, t, &k), LIMBER_OK);
        if (fabs((double)k.angular_velocity[1].z - mean) > 1e-3)
            fail_msg("frame %d: %g instead of %g", frame, (double)k.angular_velocity[1].z, mean);
    }
    limber_kinematics_destroy(&k);
    limber_asset_destroy(asset);
}

static void ends_that_do_not_loop_have_the_slope_of_one_side(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1.2f, 30, false);
    const limber_model* model = limber_asset_model(asset);
    limber_motion_settings settings = limber_motion_settings_default();
    settings.derivatives = LIMBER_DERIVATIVES_ANALYTIC;
    limber_kinematics k;
    assert_int_equal(limber_kinematics_create(model, &k), LIMBER_OK);
    const double times[] = {-1, 0, 1e-9, 0.02, 0.5, 1 - 1e-9, 1, 7};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        assert_int_equal(limber_motion_from_clip(model, &model->clips[0], &settings, times[i], &k), LIMBER_OK);
        assert_true(fabsf(k.angular_velocity[1].z - 1.2f) < 1e-4f);
    }
    limber_kinematics_destroy(&k);
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_the_limit_of_differences),
        cmocka_unit_test(at_keys_both_sides_count_half),
        cmocka_unit_test(outside_of_its_keys_a_curve_stands_still),
        cmocka_unit_test(motion_of_clips_is_the_limit_of_differences),
        cmocka_unit_test(splines_accelerate_as_their_differences_do),
        cmocka_unit_test(linear_keys_give_the_mean_of_both_sides),
        cmocka_unit_test(ends_that_do_not_loop_have_the_slope_of_one_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
