// Drag and followthrough share an acceleration by the time to the turning point: together they are the plain
// acceleration deformer, nothing jumps where a motion turns, and a spring settles after a stop.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/scene.h"
#include "motion/time_filter.h"

static const limber_filter spring = {LIMBER_FILTER_SPRING, 0, 2.5, 0.2};

static void the_share_depends_on_the_time_to_the_turning_point_alone(void** state) {
    (void)state;
    assert_true(limberi_slowing_share(0, 1, 0.06f, 0) == 0.5f);
    for (float scale = 1e-3f; scale < 1e4f; scale *= 10)
        for (float t = -0.1f; t < 0.1f; t += 0.01f) { // a motion that turns in t seconds: v = -a t
            float x = fminf(fmaxf((t + 0.06f) / 0.12f, 0), 1), wanted = x * x * (3 - 2 * x), a = 3 * scale;
            assert_true(fabsf(limberi_slowing_share(-a * t * a, a * a, 0.06f, 0) - wanted) < 1e-5f);
            assert_true(limberi_slowing_share(-a * t * a, a * a, 0, 0) == (t > 0 ? 1.0f : 0.0f));
        }
    assert_true(limberi_slowing_share(0, 0, 0.06f, 0) == 0);
}

// The plain acceleration deformer: -k a, and a bend by -k |alpha x r| / L about alpha.
static void plain_deformer(const limber_effect_block* b) {
    float speed = limberi_length(b->angular_acceleration);
    limber_vec3 axis = limberi_normalize(b->angular_acceleration);
    for (uint32_t i = 0; i < b->count; i++) {
        limber_vec3 arm = limberi_sub(limberi_vec3(b->x[i], b->y[i], b->z[i]), b->position);
        limber_vec3 r = limberi_sub(arm, limberi_scale(axis, limberi_dot(arm, axis)));
        float angle = -b->angular[i] * speed * limberi_length(r) / b->size;
        limber_vec3 d = limberi_scale(b->acceleration, -b->linear[i]);
        d = limberi_add(
            d, limberi_sub(limberi_scale(limberi_cross(axis, r), sinf(angle)), limberi_scale(r, 1 - cosf(angle))));
        b->dx[i] += b->weight[i] * d.x;
        b->dy[i] += b->weight[i] * d.y;
        b->dz[i] += b->weight[i] * d.z;
    }
}

// AS 9, as printed.
static float printed_share(limber_vec3 a, limber_vec3 b, float limit) {
    float product = limberi_dot(a, b);
    if (product >= 0)
        return 0;
    return product >= -limit ? fabsf(product) / limit : 1;
}

enum { LIMIT = 30 };

// AS 10 and, for a negative sign, AS 11, with limits in rad^2/s^3 and L^2/s^3.
static void printed(const limber_effect_block* b, bool slowing) {
    float turn = printed_share(b->angular_velocity, b->angular_acceleration, LIMIT);
    float move = printed_share(b->velocity, b->acceleration, LIMIT * b->size * b->size);
    limber_effect_block part = *b;
    float linear[LIMBER_BLOCK];
    float weight[LIMBER_BLOCK];
    float none[LIMBER_BLOCK] = {0};
    for (uint32_t i = 0; i < b->count; i++) {
        weight[i] = b->weight[i] * (slowing ? turn : 1 - turn);
        linear[i] = b->weight[i] * (slowing ? move : 1 - move);
    }
    part.weight = weight;
    part.linear = none;
    plain_deformer(&part);
    part = *b;
    part.weight = linear;
    part.angular = none;
    plain_deformer(&part);
}

static void printed_drag(const limber_effect_block* b) {
    printed(b, false);
}

static void printed_followthrough(const limber_effect_block* b) {
    printed(b, true);
}

static void set_gains(limber_effect_settings* s, bool filtered) {
    s->linear.value = 0.004f;
    s->angular.value = 0.02f;
    if (filtered)
        s->filters.acceleration = s->filters.angular_acceleration = spring;
}

static double largest_difference(const limber_asset* asset, const limber_stage_settings* a,
                                 const limber_stage_settings* b, double* strongest) {
    const limber_model* model = limber_asset_model(asset);
    limber_pipeline *first, *second;
    double worst = 0;
    assert_int_equal(limber_pipeline_create_from_settings(asset, a, &first, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_create_from_settings(asset, b, &second, NULL), LIMBER_OK);
    for (uint32_t c = 0; c < model->clip_count; c++) {
        for (int n = 0; n <= 50; n++) {
            double t = model->clips[c].start_s + (model->clips[c].end_s - model->clips[c].start_s) * n / 50;
            limber_frame x, y;
            assert_int_equal(limber_pipeline_evaluate(first, (int32_t)c, t, &x), LIMBER_OK);
            assert_int_equal(limber_pipeline_evaluate(second, (int32_t)c, t, &y), LIMBER_OK);
            for (size_t i = 0; i < 3 * (size_t)model->vertex_count; i++) {
                worst = fmax(worst, fabs((double)(x.positions[i] - y.positions[i])));
                *strongest = fmax(*strongest, fabs((double)(x.positions[i] - x.skinned[i])));
            }
        }
    }
    limber_pipeline_destroy(first);
    limber_pipeline_destroy(second);
    *strongest /= (double)model->size;
    return worst / (double)model->size;
}

static void the_two_add_up_to_the_plain_deformer_with_and_without_filters(void** state) {
    (void)state;
    static const char* const names[] = {"cylinder", "cow"};
    for (int n = 0; n < 4; n++) {
        test_scene s;
        test_scene_open(&s, names[n / 2]);
        bool filtered = n % 2;
        limber_stage_settings pair = s.settings, plain = s.settings;
        set_gains(&pair.deform.effects[LIMBER_EFFECT_DRAG], filtered);
        set_gains(&pair.deform.effects[LIMBER_EFFECT_FOLLOWTHROUGH], filtered);
        limber_custom_effect* custom = &plain.deform.custom[plain.deform.custom_count++];
        memset(custom, 0, sizeof *custom);
        custom->name = "plain";
        custom->function = plain_deformer;
        custom->settings = limber_effect_settings_default(LIMBER_EFFECT_DRAG);
        set_gains(&custom->settings, filtered);
        double strongest = 0, worst = largest_difference(s.asset, &pair, &plain, &strongest);
        assert_true(strongest > 0.02);
        assert_true(worst < 2e-6);
        // And each of them is only a part.
        pair.deform.effects[LIMBER_EFFECT_DRAG].linear.value = pair.deform.effects[LIMBER_EFFECT_DRAG].angular.value =
            0;
        assert_true(largest_difference(s.asset, &pair, &plain, &strongest) > 0.01);
        test_scene_close(&s);
    }
}

// AS 9 to 11 (TH 5.1 to 5.3).
static void the_gate_of_the_paper_is_as_printed(void** state) {
    (void)state;
    static const limber_effect effects[] = {LIMBER_EFFECT_DRAG, LIMBER_EFFECT_FOLLOWTHROUGH};
    static const limber_effect_function wanted[] = {printed_drag, printed_followthrough};
    for (int n = 0; n < 4; n++) {
        test_scene s;
        test_scene_open(&s, n / 2 ? "cow" : "cylinder");
        limber_stage_settings ours = s.settings, theirs = s.settings;
        ours.deform.size = theirs.deform.size = n / 2 ? 1.3f : 0; // limits go with it
        set_gains(&ours.deform.effects[effects[n % 2]], false);
        limber_effect_number(&ours.deform, effects[n % 2], "gate.type")->value = LIMBER_GATE_PRODUCT;
        limber_effect_number(&ours.deform, effects[n % 2], "gate.limit")->value = LIMIT;
        limber_custom_effect* custom = &theirs.deform.custom[theirs.deform.custom_count++];
        memset(custom, 0, sizeof *custom);
        custom->name = "printed";
        custom->function = wanted[n % 2];
        custom->settings = limber_effect_settings_default(LIMBER_EFFECT_STRETCH);
        set_gains(&custom->settings, false);
        double strongest = 0;
        assert_true(largest_difference(s.asset, &ours, &theirs, &strongest) < 1e-6);
        assert_true(strongest > 0.01);
        // By time it is another.
        limber_effect_number(&ours.deform, effects[n % 2], "gate.type")->value = LIMBER_GATE_TIME;
        assert_true(largest_difference(s.asset, &ours, &theirs, &strongest) > 1e-3);
        test_scene_close(&s);
    }
}

// The filters of an effect run on the same shares.
static void filters_take_the_gate_of_the_paper(void** state) {
    (void)state;
    limber_filter_set set = limber_filter_set_none();
    limber_vec3 v = {1, 0, 2}, a = {-3, 1, 0};
    set.gate_limit[0] = 4;
    set.gate_limit[1] = 12;
    set.gate = LIMBER_GATE_STOPPING;
    assert_true(fabsf(limberi_gated(&set, 0, v, a).x + 3 * 0.75f) < 1e-6f);
    assert_true(fabsf(limberi_gated(&set, 1, v, a).x + 3 * 0.25f) < 1e-6f);
    set.gate = LIMBER_GATE_STARTING;
    assert_true(fabsf(limberi_gated(&set, 1, v, a).x + 3 * 0.75f) < 1e-6f);
    v.x = -1; // it speeds up
    assert_true(limberi_gated(&set, 0, v, a).x == -3);
    test_scene s;
    test_scene_open(&s, "cow");
    limber_stage_settings soft = s.settings;
    set_gains(&soft.deform.effects[LIMBER_EFFECT_FOLLOWTHROUGH], true);
    limber_effect_number(&soft.deform, LIMBER_EFFECT_FOLLOWTHROUGH, "gate.type")->value = LIMBER_GATE_PRODUCT;
    limber_stage_settings hard = soft;
    limber_effect_number(&hard.deform, LIMBER_EFFECT_FOLLOWTHROUGH, "gate.limit")->value = 0;
    limber_effect_number(&soft.deform, LIMBER_EFFECT_FOLLOWTHROUGH, "gate.limit")->value = 50;
    double strongest = 0;
    assert_true(largest_difference(s.asset, &soft, &hard, &strongest) > 1e-3);
    test_scene_close(&s);
}

// --- each by its own layer and gains ---

// How far the two effects together are from the sum of each by itself.
static double beyond_the_sum(const test_scene* s, const limber_stage_settings* both, double* strongest) {
    limber_stage_settings settings[3] = {*both, *both, *both};
    limber_pipeline* pipelines[3];
    double worst = 0;
    for (int i = 0; i < 3; i++) {
        limber_effect_settings* off =
            &settings[i].deform.effects[i == 1 ? LIMBER_EFFECT_DRAG : LIMBER_EFFECT_FOLLOWTHROUGH];
        if (i > 0)
            off->linear.value = off->angular.value = 0;
        assert_int_equal(limber_pipeline_create_from_settings(s->asset, &settings[i], &pipelines[i], NULL), LIMBER_OK);
    }
    for (int n = 0; n <= 20; n++) {
        limber_frame f[3];
        for (int i = 0; i < 3; i++)
            assert_int_equal(limber_pipeline_evaluate(pipelines[i], 0, 0.05 * n, &f[i]), LIMBER_OK);
        for (size_t v = 0; v < 3 * (size_t)s->model->vertex_count; v++) {
            double moved = (double)(f[0].positions[v] - f[0].skinned[v]);
            double alone = (double)(f[1].positions[v] - f[1].skinned[v] + f[2].positions[v] - f[2].skinned[v]);
            worst = fmax(worst, fabs(moved - alone));
            *strongest = fmax(*strongest, fabs(moved));
        }
    }
    for (int i = 0; i < 3; i++)
        limber_pipeline_destroy(pipelines[i]);
    *strongest /= (double)s->model->size;
    return worst / (double)s->model->size;
}

static void drag_and_followthrough_keep_to_their_own_layers(void** state) {
    (void)state;
    test_scene s;
    double strongest = 0;
    test_scene_open(&s, "cow");
    limber_effect_settings* effects = s.settings.deform.effects;
    set_gains(&effects[LIMBER_EFFECT_DRAG], true);
    set_gains(&effects[LIMBER_EFFECT_FOLLOWTHROUGH], true);
    effects[LIMBER_EFFECT_DRAG].layer = "floppy";
    effects[LIMBER_EFFECT_FOLLOWTHROUGH].layer = "squash";
    assert_true(beyond_the_sum(&s, &s.settings, &strongest) < 1e-6);
    assert_true(strongest > 0.01);
    test_scene_close(&s);
}

// Joint by joint and for either part; one of the two effects has gains of its own, the other none.
static void drag_and_followthrough_keep_to_their_own_gains(void** state) {
    (void)state;
    for (int part = 0; part < 2; part++) {
        test_scene s;
        double strongest = 0;
        test_scene_open(&s, "cow");
        limber_joint_gain* gains = calloc(s.model->rig.joint_count, sizeof *gains);
        assert_non_null(gains);
        for (uint32_t j = 0; j < s.model->rig.joint_count; j++)
            gains[j] = part ? (limber_joint_gain){1, 0.25f} : (limber_joint_gain){0.25f, 1};
        set_gains(&s.settings.deform.effects[LIMBER_EFFECT_DRAG], true);
        set_gains(&s.settings.deform.effects[LIMBER_EFFECT_FOLLOWTHROUGH], true);
        s.settings.deform.joint_gains[LIMBER_EFFECT_DRAG] = gains;
        assert_true(beyond_the_sum(&s, &s.settings, &strongest) < 1e-6);
        assert_true(strongest > 0.01);
        free(gains);
        test_scene_close(&s);
    }
}

// A joint that swings and stops: -cos(3 pi t) up to 1 s, then still.
static limber_asset* swing_and_stop(void) {
    enum { KEYS = 241 };
    static float times[KEYS], turns[4 * KEYS];
    limber_asset *base = test_tube_create(3, 1, 30, false), *asset;
    limber_model model = *limber_asset_model(base);
    limber_clip clip = model.clips[0];
    for (int k = 0; k < KEYS; k++) {
        double t = k / 80.0, angle = 0.5 * -cos(3 * LIMBERI_PI * fmin(t, 1));
        times[k] = (float)t;
        turns[4 * k] = turns[4 * k + 1] = 0;
        turns[4 * k + 2] = (float)sin(0.5 * angle);
        turns[4 * k + 3] = (float)cos(0.5 * angle);
    }
    limber_channel channel = {LIMBER_CHANNEL_ROTATION, LIMBER_INTERPOLATION_LINEAR, 1, KEYS, times, turns};
    clip.channel_count = 1;
    clip.channels = &channel;
    model.clips = &clip;
    assert_int_equal(limber_asset_create(&model, &asset, NULL), LIMBER_OK);
    limber_asset_destroy(base);
    return asset;
}

// The farthest vertex, sideways.
static double tip(limber_pipeline* pipeline, double time_s) {
    const limber_model* model = limber_asset_model(limber_pipeline_asset(pipeline));
    limber_frame f;
    size_t top = 0;
    assert_int_equal(limber_pipeline_evaluate(pipeline, 0, time_s, &f), LIMBER_OK);
    for (size_t v = 0; v < model->vertex_count; v++)
        top = model->meshes[0].positions[3 * v + 1] > model->meshes[0].positions[3 * top + 1] ? v : top;
    double x = (double)(f.positions[3 * top] - f.skinned[3 * top]),
           y = (double)(f.positions[3 * top + 1] - f.skinned[3 * top + 1]);
    return copysign(hypot(x, y), x) / (double)model->size;
}

static void a_spring_settles_after_a_stop_and_nothing_jumps_at_a_turn(void** state) {
    (void)state;
    limber_asset* asset = swing_and_stop();
    limber_stage_settings settings = limber_stage_settings_default();
    limber_effect_settings* s = &settings.deform.effects[LIMBER_EFFECT_FOLLOWTHROUGH];
    s->angular.value = 0.02f;
    for (int filtered = 0; filtered < 2; filtered++) {
        limber_pipeline* pipeline;
        double strongest = 0, jump = 0, last = 0, peaks[8] = {0};
        int passes = 0;
        if (filtered)
            s->filters.angular_acceleration = spring;
        assert_int_equal(limber_pipeline_create_from_settings(asset, &settings, &pipeline, NULL), LIMBER_OK);
        for (int i = 0; i <= 3000; i++) {
            double d = tip(pipeline, i / 1000.0);
            strongest = fmax(strongest, fabs(d));
            jump = i ? fmax(jump, fabs(d - last)) : 0;
            if (i > 1100 && passes < 7) { // all is still but for the spring
                passes += d * last < 0;
                peaks[passes] = fmax(peaks[passes], fabs(d));
            }
            last = d;
        }
        assert_true(strongest > 0.03);
        assert_true(jump < 0.05 * strongest); // within a millisecond; a gate that flips jumps by all of it
        for (int k = 1; filtered && k < 5; k++)
            assert_true(peaks[k] > 1e-4 && peaks[k + 1] < 0.8 * peaks[k]);
        assert_true(filtered ? passes >= 5 : strongest > 0 && fabs(last) < 1e-6);
        limber_pipeline_destroy(pipeline);
    }
    limber_asset_destroy(asset);
}

static void behind_a_filter_turn_cannot_differ_from_vertex_to_vertex(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    limber_expression* formula;
    limber_pipeline* pipeline;
    limber_error error;
    assert_int_equal(limber_expression_create("0.1 * height", NULL, &formula, &error), LIMBER_OK);
    set_gains(&s.settings.deform.effects[LIMBER_EFFECT_DRAG], true);
    limber_effect_number(&s.settings.deform, LIMBER_EFFECT_DRAG, "turn")->expression = formula;
    assert_int_equal(limber_pipeline_create_from_settings(s.asset, &s.settings, &pipeline, &error),
                     LIMBER_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "drag: 'turn' and 'gate.limit' may use t, frame and phase only"));
    limber_expression_destroy(formula);
    test_scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_share_depends_on_the_time_to_the_turning_point_alone),
        cmocka_unit_test(the_two_add_up_to_the_plain_deformer_with_and_without_filters),
        cmocka_unit_test(the_gate_of_the_paper_is_as_printed),
        cmocka_unit_test(filters_take_the_gate_of_the_paper),
        cmocka_unit_test(drag_and_followthrough_keep_to_their_own_layers),
        cmocka_unit_test(drag_and_followthrough_keep_to_their_own_gains),
        cmocka_unit_test(a_spring_settles_after_a_stop_and_nothing_jumps_at_a_turn),
        cmocka_unit_test(behind_a_filter_turn_cannot_differ_from_vertex_to_vertex),
    };
    return cmocka_run_group_tests_name("gate", tests, NULL, NULL);
}
