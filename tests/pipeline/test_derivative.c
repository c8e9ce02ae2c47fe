// The effect derivative against closed forms: joints that go to and fro like a sine, live poses along a polynomial.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/models.h"

static const double turn_per_s = 2 * LIMBERI_PI; // one swing a second

// The root of a tube goes along x like 0.3 sin(wt) and its second joint turns about z like 0.4 sin(wt), `scale` times as
// large. Samples of the differences lie on keys.
static limber_asset* swinging(uint32_t rate, float scale, bool turns) {
    static float times[1000], values[4000];
    limber_asset *base = test_tube_create(3, 1, 30, true), *asset;
    limber_model model = *limber_asset_model(base);
    limber_clip clip = model.clips[0];
    limber_transform rest[3];
    limber_mesh mesh = model.meshes[0];
    float* positions = malloc(3 * sizeof(float) * mesh.vertex_count);
    for (uint32_t i = 0; i < 3 * mesh.vertex_count; i++)
        positions[i] = scale * mesh.positions[i];
    mesh.positions = positions;
    for (uint32_t j = 0; j < 3; j++) {
        rest[j] = model.rig.rest_local[j];
        rest[j].translation = limberi_scale(rest[j].translation, scale);
    }
    limber_skin skin = model.skins[0];
    limber_mat4 inverse[3];
    for (uint32_t j = 0; j < 3; j++) {
        inverse[j] = skin.joint_from_mesh[j];
        for (int c = 12; c < 15; c++)
            inverse[j].m[c] *= scale;
    }
    skin.joint_from_mesh = inverse;
    for (uint32_t k = 0; k <= rate; k++) {
        double t = (double)k / rate, angle = 0.4 * sin(turn_per_s * t);
        times[k] = (float)t;
        if (turns) {
            values[4 * k] = values[4 * k + 1] = 0;
            values[4 * k + 2] = (float)sin(0.5 * angle);
            values[4 * k + 3] = (float)cos(0.5 * angle);
        } else {
            values[3 * k] = scale * (float)(0.3 * sin(turn_per_s * t));
            values[3 * k + 1] = values[3 * k + 2] = 0;
        }
    }
    limber_channel channel = {turns ? LIMBER_CHANNEL_ROTATION : LIMBER_CHANNEL_TRANSLATION,
                              LIMBER_INTERPOLATION_LINEAR,
                              turns ? 1u : 0u,
                              rate + 1,
                              times,
                              values};
    clip.channel_count = 1;
    clip.channels = &channel;
    clip.end_s = 1;
    model.rig.rest_local = rest;
    model.meshes = &mesh;
    model.skins = &skin;
    model.clips = &clip;
    limber_error error;
    if (limber_asset_create(&model, &asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    limber_asset_destroy(base);
    free(positions);
    return asset;
}

static void set(limber_effect_settings* effect, const char* name, float value) {
    limber_deform_settings all = limber_deform_settings_default();
    all.effects[LIMBER_EFFECT_DERIVATIVE] = *effect;
    limber_effect_number(&all, LIMBER_EFFECT_DERIVATIVE, name)->value = value;
    *effect = all.effects[LIMBER_EFFECT_DERIVATIVE];
}

static limber_pipeline* open_with(const limber_asset* asset, const limber_effect_settings* effect) {
    limber_stage_settings settings = limber_stage_settings_default();
    settings.deform.effects[LIMBER_EFFECT_DERIVATIVE] = *effect;
    limber_pipeline* pipeline;
    limber_error error;
    if (limber_pipeline_create_from_settings(asset, &settings, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return pipeline;
}

// What differences over h make of the n-th derivative of sin(wt).
static double derivative_of_sine(int order, double t) {
    double w = turn_per_s, h = 1 / 24.0, first = sin(w * h) / h, second = pow(2 * sin(0.5 * w * h) / h, 2);
    switch (order) {
    case 1:
        return first * cos(w * t);
    case 2:
        return -second * sin(w * t);
    case 3:
        return -first * second * cos(w * t);
    default:
        return second * second * sin(w * t);
    }
}

static void parts_go_against_each_derivative_of_a_translation(void** state) {
    (void)state;
    const uint32_t rates[] = {144, 288, 720};
    for (int order = 1; order <= 4; order++)
        for (int r = 0; r < 3; r++) {
            limber_asset* asset = swinging(rates[r], 1, false);
            limber_effect_settings effect = limber_effect_settings_default(LIMBER_EFFECT_DERIVATIVE);
            set(&effect, "by", (float)(order - 1));
            double k = 0.05 / pow(turn_per_s, order);
            effect.linear.value = (float)k;
            limber_pipeline* pipeline = open_with(asset, &effect);
            for (int i = 0; i <= 72; i++) {
                limber_frame f;
                double wanted = -k * 0.3 * derivative_of_sine(order, i / 72.0);
                assert_int_equal(limber_pipeline_evaluate(pipeline, 0, i / 72.0, &f), LIMBER_OK);
                for (uint32_t v = 0; v < limber_asset_model(asset)->vertex_count; v++) {
                    assert_true(fabs((double)(f.positions[3 * v] - f.skinned[3 * v]) - wanted) < 2e-5);
                    assert_true(f.positions[3 * v + 1] == f.skinned[3 * v + 1]);
                }
            }
            limber_pipeline_destroy(pipeline);
            limber_asset_destroy(asset);
        }
}

// A bend by -k |w'' r| / L about the second joint; `r` is the vertex's distance from it in the plane of the swing.
static void parts_bend_against_the_jerk_of_a_rotation(void** state) {
    (void)state;
    limber_asset* asset = swinging(144, 1, true);
    const limber_model* model = limber_asset_model(asset);
    limber_effect_settings effect = limber_effect_settings_default(LIMBER_EFFECT_DERIVATIVE);
    effect.angular.value = 0.01f;
    limber_pipeline* pipeline = open_with(asset, &effect);
    double max = 0;
    for (int i = 0; i < 72; i++) {
        limber_frame f;
        assert_int_equal(limber_pipeline_evaluate(pipeline, 0, i / 72.0, &f), LIMBER_OK);
        limber_vec3 joint = limberi_mat4_translation(&f.pose->world_from_joint[1]);
        for (uint32_t v = 0; v < model->vertex_count; v++) {
            double x = (double)(f.skinned[3 * v] - joint.x), y = (double)(f.skinned[3 * v + 1] - joint.y), weight = 0;
            for (uint32_t n = model->meshes[0].influence_first[v]; n < model->meshes[0].influence_first[v + 1]; n++)
                weight += model->meshes[0].influence_joint[n] >= 1 ? (double)model->meshes[0].influence_weight[n] : 0;
            double angle = -0.01 * 0.4 * derivative_of_sine(3, i / 72.0) * hypot(x, y) / (double)model->size;
            double dx = weight * (cos(angle) * x - sin(angle) * y - x),
                   dy = weight * (sin(angle) * x + cos(angle) * y - y);
            assert_true(fabs((double)(f.positions[3 * v] - f.skinned[3 * v]) - dx) < 1e-4);
            assert_true(fabs((double)(f.positions[3 * v + 1] - f.skinned[3 * v + 1]) - dy) < 1e-4);
            max = fmax(max, hypot(dx, dy));
        }
    }
    assert_true(max > 0.1);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

static float* positions_at(const limber_asset* asset, const limber_effect_settings* effect, double time_s) {
    limber_pipeline* pipeline = open_with(asset, effect);
    size_t bytes = 3 * sizeof(float) * limber_asset_model(asset)->vertex_count;
    float* copy = malloc(bytes);
    limber_frame f;
    assert_int_equal(limber_pipeline_evaluate(pipeline, 0, time_s, &f), LIMBER_OK);
    memcpy(copy, f.positions, bytes);
    limber_pipeline_destroy(pipeline);
    return copy;
}

static void a_larger_character_moves_as_much_larger_and_loops_close(void** state) {
    (void)state;
    for (int turns = 0; turns < 2; turns++) {
        limber_asset *small = swinging(144, 1, turns), *large = swinging(144, 100, turns);
        limber_effect_settings effect = limber_effect_settings_default(LIMBER_EFFECT_DERIVATIVE);
        set(&effect, "by", LIMBER_BY_JOUNCE);
        effect.linear.value = effect.angular.value = 0.0002f;
        set(&effect, "max", 0.05f);
        set(&effect, "max_bend", 20);
        const double times[] = {0, 0.13, 0.31, 1};
        for (int i = 0; i < 4; i++) {
            float *a = positions_at(small, &effect, times[i]), *b = positions_at(large, &effect, times[i]);
            float* start = positions_at(small, &effect, 0);
            for (uint32_t v = 0; v < 3 * limber_asset_model(small)->vertex_count; v++) {
                assert_true(fabsf(100 * a[v] - b[v]) < 0.02f);
                assert_true(times[i] != 1 || fabsf(a[v] - start[v]) < 1e-5f);
            }
            free(a);
            free(b);
            free(start);
        }
        limber_asset_destroy(small);
        limber_asset_destroy(large);
    }
}

static void a_max_holds_what_is_large_and_leaves_what_is_small(void** state) {
    (void)state;
    limber_asset* asset = swinging(144, 1, false);
    double size = (double)limber_asset_model(asset)->size, jerk = 0.3 * derivative_of_sine(3, 0);
    for (double k = 1e-6; k < 1e3; k *= 10) {
        limber_effect_settings effect = limber_effect_settings_default(LIMBER_EFFECT_DERIVATIVE);
        effect.linear.value = (float)k;
        set(&effect, "max", 0.1f);
        limber_pipeline* pipeline = open_with(asset, &effect);
        limber_frame f;
        assert_int_equal(limber_pipeline_evaluate(pipeline, 0, 0, &f), LIMBER_OK);
        double free_to_go = -k * jerk, max = 0.1 * size;
        double wanted = free_to_go / sqrt(1 + free_to_go * free_to_go / (max * max));
        assert_true(fabs((double)(f.positions[0] - f.skinned[0]) - wanted) < 1e-5);
        assert_true(fabs((double)(f.positions[0] - f.skinned[0])) <= max + 1e-6);
        limber_pipeline_destroy(pipeline);
    }
    limber_asset_destroy(asset);
}

static void a_max_and_a_formula_by_vertex_are_refused(void** state) {
    (void)state;
    limber_asset* asset = swinging(144, 1, false);
    limber_stage_settings settings = limber_stage_settings_default();
    limber_effect_settings* effect = &settings.deform.effects[LIMBER_EFFECT_DERIVATIVE];
    limber_expression* expression;
    assert_int_equal(limber_expression_create("0.1 * height", NULL, &expression, NULL), LIMBER_OK);
    effect->linear.expression = expression;
    set(effect, "max", 0.1f);
    limber_pipeline* pipeline;
    limber_error error;
    assert_int_equal(limber_pipeline_create_from_settings(asset, &settings, &pipeline, &error), LIMBER_ERROR_ARGUMENT);
    assert_string_equal(error.message, "derivative: with a 'max', 'linear' may differ in time, but not from vertex to "
                                       "vertex; use a layer");
    limber_expression_destroy(expression);
    limber_asset_destroy(asset);
}

// By velocity it is floppy; by acceleration it is drag and followthrough at once.
static void the_first_two_derivatives_are_the_effects_of_the_papers(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("cow", 0.5);
    for (int by = LIMBER_BY_VELOCITY; by <= LIMBER_BY_ACCELERATION; by++) {
        limber_stage_settings one, other;
        one = limber_stage_settings_default();
        other = limber_stage_settings_default();
        limber_effect_settings* effects[] = {
            &one.deform.effects[LIMBER_EFFECT_DERIVATIVE],
            &other.deform.effects[by ? LIMBER_EFFECT_DRAG : LIMBER_EFFECT_FLOPPY],
            &other.deform.effects[by ? LIMBER_EFFECT_FOLLOWTHROUGH : LIMBER_EFFECT_FLOPPY]};
        for (int i = 0; i < 3; i++) {
            effects[i]->linear.value = by ? 0.004f : 0.05f;
            effects[i]->angular.value = by ? 0.02f : 0.2f;
        }
        set(effects[0], "by", (float)by);
        limber_pipeline *a, *b;
        assert_int_equal(limber_pipeline_create_from_settings(asset, &one, &a, NULL), LIMBER_OK);
        assert_int_equal(limber_pipeline_create_from_settings(asset, &other, &b, NULL), LIMBER_OK);
        double max = 0, size = (double)limber_asset_model(asset)->size;
        for (int n = 0; n < 20; n++) {
            limber_frame x, y;
            assert_int_equal(limber_pipeline_evaluate(a, 0, 0.05 * n, &x), LIMBER_OK);
            assert_int_equal(limber_pipeline_evaluate(b, 0, 0.05 * n, &y), LIMBER_OK);
            for (uint32_t v = 0; v < 3 * limber_asset_model(asset)->vertex_count; v++) {
                assert_true(fabs((double)(x.positions[v] - y.positions[v])) < 4e-6 * size);
                max = fmax(max, fabs((double)(x.positions[v] - x.skinned[v])));
            }
        }
        assert_true(max > 0.005 * size);
        limber_pipeline_destroy(a);
        limber_pipeline_destroy(b);
    }
    limber_asset_destroy(asset);
}

// --- live ---

// Where the displacement of a root that goes along x like t^n ends up after 0.6 s.
static double live_displacement(limber_pipeline* pipeline, int n, double rate) {
    const limber_model* model = limber_asset_model(limber_pipeline_asset(pipeline));
    limber_live* live;
    limber_pose pose;
    limber_frame f;
    assert_int_equal(limber_live_create(pipeline, NULL, &live, NULL), LIMBER_OK);
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    limber_pose_rest(model, &pose);
    for (int i = 0; i <= (int)(0.6 * rate); i++) {
        pose.local[0].translation.x = (float)pow(i / rate, n);
        assert_int_equal(limber_live_push(live, pose.local, NULL, i / rate), LIMBER_OK);
    }
    limber_pipeline_evaluate_vertices(pipeline, &f);
    double moved = (double)(f.positions[0] - f.skinned[0]);
    limber_pose_destroy(&pose);
    limber_live_destroy(live);
    return moved;
}

static void live_poses_have_the_jerk_of_a_cubic_and_the_jounce_of_a_quartic(void** state) {
    (void)state;
    limber_asset* asset = swinging(144, 1, false);
    const double rates[] = {30, 60, 144};
    for (int order = 3; order <= 4; order++)
        for (int r = 0; r < 3; r++) {
            limber_effect_settings effect = limber_effect_settings_default(LIMBER_EFFECT_DERIVATIVE);
            set(&effect, "by", (float)(order - 1));
            effect.linear.value = 0.01f;
            limber_pipeline* pipeline = open_with(asset, &effect);
            double wanted = -0.01 * (order == 3 ? 6 : 24), got = live_displacement(pipeline, order, rates[r]);
            assert_true(fabs(got - wanted) < 0.02 * fabs(wanted));
            limber_pipeline_destroy(pipeline);
        }
    limber_asset_destroy(asset);
}

// A pose that appears has no history, and one that stays where it is does nothing for good.
static void a_live_stream_starts_without_a_spike(void** state) {
    (void)state;
    limber_asset* asset = swinging(144, 1, false);
    limber_effect_settings effect = limber_effect_settings_default(LIMBER_EFFECT_DERIVATIVE);
    set(&effect, "by", LIMBER_BY_JOUNCE);
    effect.linear.value = 0.001f;
    limber_pipeline* pipeline = open_with(asset, &effect);
    const limber_model* model = limber_asset_model(asset);
    limber_live* live;
    limber_pose pose;
    limber_frame f;
    assert_int_equal(limber_live_create(pipeline, NULL, &live, NULL), LIMBER_OK);
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    limber_pose_rest(model, &pose);
    for (int i = 0; i < 60; i++) { // at a constant speed from the start on
        pose.local[0].translation.x = 0.5f * (float)i / 60;
        assert_int_equal(limber_live_push(live, pose.local, NULL, i / 60.0), LIMBER_OK);
        limber_pipeline_evaluate_vertices(pipeline, &f);
        assert_true(fabsf(f.positions[0] - f.skinned[0]) < 2e-3f);
    }
    limber_pose_destroy(&pose);
    limber_live_destroy(live);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

static void a_frozen_pose_has_no_jerk(void** state) {
    (void)state;
    limber_asset* asset = swinging(144, 1, false);
    limber_effect_settings effect = limber_effect_settings_default(LIMBER_EFFECT_DERIVATIVE);
    effect.linear.value = 0.001f;
    limber_pipeline* pipeline = open_with(asset, &effect);
    limber_kinematics motion;
    limber_frame f;
    assert_int_equal(limber_kinematics_create(limber_asset_model(asset), &motion), LIMBER_OK);
    motion.acceleration[0] = limberi_vec3(100, 0, 0);
    assert_int_equal(limber_pipeline_evaluate_what_if(pipeline, 0, 0, &motion, 1, &f), LIMBER_OK);
    assert_true(f.positions[0] == f.skinned[0]);
    limber_kinematics_destroy(&motion);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_go_against_each_derivative_of_a_translation),
        cmocka_unit_test(parts_bend_against_the_jerk_of_a_rotation),
        cmocka_unit_test(a_larger_character_moves_as_much_larger_and_loops_close),
        cmocka_unit_test(a_max_holds_what_is_large_and_leaves_what_is_small),
        cmocka_unit_test(a_max_and_a_formula_by_vertex_are_refused),
        cmocka_unit_test(the_first_two_derivatives_are_the_effects_of_the_papers),
        cmocka_unit_test(live_poses_have_the_jerk_of_a_cubic_and_the_jounce_of_a_quartic),
        cmocka_unit_test(a_live_stream_starts_without_a_spike),
        cmocka_unit_test(a_frozen_pose_has_no_jerk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
