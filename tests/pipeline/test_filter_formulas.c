// Settings of time filters that are formulas of time (acceleration skinning, section 6; thesis, section 5.4): against the
// differential equations, against constants, at any time in any order, in loops, live, and what is refused.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/models.h"
#include "kit/style_kit.h"
#include "motion/air.h"

static limber_pipeline* styled(const limber_asset* asset, const char* text) {
    limber_pipeline* pipeline;
    limber_error error;
    limber_style* style = style_kit_read(text);
    if (limber_pipeline_create(asset, style, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s: %s", text, error.message);
    limber_style_destroy(style);
    return pipeline;
}

// --- the equations ---

// The angular velocity of the tube's second joint, filtered, at some time of its clip (1 rad in 1 s and back again).
static limber_track* track_of(const limber_asset* asset, limber_filter filter, size_t number, const char* formula,
                              limber_expression** expression) {
    const limber_model* model = limber_asset_model(asset);
    limber_motion_settings motion = limber_motion_settings_default();
    limberi_filters filters = {limber_filter_set_none(), 1, {{0, 1, NULL}}};
    limber_track* track;
    assert_int_equal(limber_expression_create(formula, NULL, expression, NULL), LIMBER_OK);
    motion.loop = LIMBER_LOOP_NEVER;
    filters.set.angular_velocity = filter;
    filters.formulas[0].number = offsetof(limber_filter_set, angular_velocity) + number;
    filters.formulas[0].expression = *expression;
    assert_int_equal(limberi_track_create(model, &model->clips[0], &motion, &filters, NULL, NULL, &track, NULL),
                     LIMBER_OK);
    return track;
}

static double filtered_at(const limber_asset* asset, const limber_track* track, double time_s) {
    limber_kinematics k;
    assert_int_equal(limber_kinematics_create(limber_asset_model(asset), &k), LIMBER_OK);
    limber_track_evaluate(track, time_s, &k);
    double z = (double)k.angular_velocity[1].z;
    limber_kinematics_destroy(&k);
    return z;
}

static double plain_at(const limber_asset* asset, double time_s) {
    const limber_model* model = limber_asset_model(asset);
    limber_motion_settings motion = limber_motion_settings_default();
    limber_kinematics k;
    motion.loop = LIMBER_LOOP_NEVER;
    assert_int_equal(limber_kinematics_create(model, &k), LIMBER_OK);
    assert_int_equal(limber_motion_from_clip(model, &model->clips[0], &motion, time_s, &k), LIMBER_OK);
    double z = (double)k.angular_velocity[1].z;
    limber_kinematics_destroy(&k);
    return z;
}

// y'' = w^2 (x - y) - 2 d w y' with w = 2 pi (1 + 2 t), in small steps.
static void a_spring_whose_frequency_changes_follows_its_equation(void** state) {
    (void)state;
    enum { STEPS = 4000 };
    const double damping = 0.2;
    limber_asset* asset = test_tube_create(3, 1, 60, true);
    const limber_clip* clip = &limber_asset_model(asset)->clips[0];
    limber_expression* formula;
    limber_filter spring = {LIMBER_FILTER_SPRING, 0, 3, damping};
    limber_track* track = track_of(asset, spring, offsetof(limber_filter, frequency_hz), "1 + 2 * t", &formula);
    double h = (clip->end_s - clip->start_s) / STEPS;
    double y = plain_at(asset, clip->start_s);
    double speed = 0;
    double max = 0;
    for (int i = 0; i < STEPS; i++) {
        double t = (i + 0.5) * h;
        double w = 2 * LIMBERI_PI * (1 + 2 * t);
        double x = plain_at(asset, clip->start_s + t);
        double a = w * w * (x - y - 0.5 * h * speed) - 2 * damping * w * speed;
        double middle = speed + 0.5 * h * a;
        y += h * middle;
        speed += h * (w * w * (x - y + 0.5 * h * middle) - 2 * damping * w * middle);
        if (i % 100 == 99)
            max = fmax(max, fabs(y - filtered_at(asset, track, clip->start_s + (i + 1) * h)));
    }
    assert_true(max < 0.02); // of a velocity of 2
    limber_track_destroy(track);
    limber_expression_destroy(formula);
    limber_asset_destroy(asset);
}

// The recursion y += g (x - y) at 60 Hz, with g at the middle of each step.
static void a_lowpass_whose_gamma_changes_is_the_recursion(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 60, true);
    const limber_clip* clip = &limber_asset_model(asset)->clips[0];
    limber_expression* formula;
    limber_filter lowpass = {LIMBER_FILTER_LOWPASS, 0.6, 0, 0};
    limber_track* track = track_of(asset, lowpass, offsetof(limber_filter, gamma), "key(0, 0.1, 0.5, 0.9)", &formula);
    int steps = (int)lround(60 * (clip->end_s - clip->start_s));
    double y = plain_at(asset, clip->start_s);
    for (int i = 0; i < steps; i++) {
        double x = plain_at(asset, clip->start_s + (i + 1) / 60.0);
        limber_expression_inputs in = limber_expression_inputs_default();
        in.frame[LIMBER_VARIABLE_T] = (float)((i + 0.5) / 60);
        y += (double)limber_expression_evaluate_uniform(formula, &in) * (x - y);
        assert_true(fabs(y - filtered_at(asset, track, clip->start_s + (i + 1) / 60.0)) < 1e-4);
    }
    limber_track_destroy(track);
    limber_expression_destroy(formula);
    limber_asset_destroy(asset);
}

// --- styles ---

// Every setting that can be a formula, with %s for its value: numbers that floats hold exactly.
typedef struct setting {
    const char *style, *number, *formula, *other;
} setting;

#define DRAG "{\"effects\": {\"drag\": {\"angular\": 0.05, \"linear\": 0.02, "
#define FLOPPY "{\"effects\": {\"floppy\": {\"angular\": 0.5, \"linear\": 0.2, \"filter\": "
#define OVERLAP                                                                                                        \
    "{\"compose\": \"chain\", \"effects\": {\"squash\": {\"linear\": 0.2}, \"overlap\": {\"gain\": 4, \"linear\": 1, "

static const setting settings[] = {
    {FLOPPY "{\"type\": \"lowpass\", \"gamma\": %s}}}}", "0.25", "\"0.25 + 0 * t\"", "\"key(0.3, 0.25, 0.4, 0.9)\""},
    {FLOPPY "{\"type\": \"spring\", \"frequency\": %s}}}}", "2", "\"2 + 0 * frame\"", "\"key(0.3, 2, 0.4, 4)\""},
    {FLOPPY "{\"type\": \"spring\", \"damping\": %s}}}}", "0.5", "\"0.5 + 0 * phase\"", "\"key(0.3, 0.5, 0.4, 0.1)\""},
    {FLOPPY "{\"angular_velocity\": {\"type\": \"spring\", \"frequency\": %s}}}}}", "2", "\"2 + 0 * t\"",
     "\"key(0.3, 2, 0.4, 4)\""},
    {DRAG "\"filter\": {\"type\": \"spring\", \"frequency\": %s}}}}", "2", "\"2 + 0 * t\"", "\"key(0.3, 2, 0.4, 4)\""},
    {DRAG "\"filter\": {\"type\": \"spring\", \"frequency\": 2}, \"turn\": %s}}}", "0.0625", "\"0.0625 + 0 * t\"",
     "\"key(0.3, 0.0625, 0.4, 0.5)\""},
    {DRAG "\"filter\": {\"type\": \"spring\"}, \"gate\": {\"type\": \"product\", \"limit\": %s}}}}", "2",
     "\"2 + 0 * t\"", "\"key(0.3, 2, 0.4, 20)\""},
    {OVERLAP "\"frequency\": %s}}}", "2", "\"2 + 0 * t\"", "\"key(0.3, 2, 0.4, 4)\""},
    {OVERLAP "\"damping\": %s}}}", "0.5", "\"0.5 + 0 * t\"", "\"key(0.3, 0.5, 0.4, 0.125)\""},
    {OVERLAP "\"smooth\": %s}}}", "0.0625", "\"0.0625 + 0 * t\"", "\"key(0.3, 0.0625, 0.4, 0.25)\""},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static limber_pipeline* with(const limber_asset* asset, const setting* s, const char* value) {
    char text[512];
    const char* at = strstr(s->style, "%s");
    size_t before = (size_t)(at - s->style);
    memcpy(text, s->style, before);
    strcpy(text + before, value);
    strcat(text, at + 2);
    return styled(asset, text);
}

static double difference(limber_pipeline* a, limber_pipeline* b, double time_s) {
    limber_frame x;
    limber_frame y;
    double max = 0;
    assert_int_equal(limber_pipeline_evaluate(a, 0, time_s, &x), LIMBER_OK);
    assert_int_equal(limber_pipeline_evaluate(b, 0, time_s, &y), LIMBER_OK);
    for (uint32_t i = 0; i < 3 * limber_asset_model(limber_pipeline_asset(a))->vertex_count; i++)
        max = fmax(max, fabs((double)(x.positions[i] - y.positions[i])));
    return max;
}

// A formula that is constant is the number; one that changes at 0.3 s is the number before and something else after.
// (Followers look no farther back than that: the tube's clip does not loop.)
static void a_formula_is_its_value_at_every_time(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 30, true);
    for (int i = 0; i < SETTINGS; i++) {
        const setting* s = &settings[i];
        limber_pipeline* number = with(asset, s, s->number);
        limber_pipeline* formula = with(asset, s, s->formula);
        limber_pipeline* other = with(asset, s, s->other);
        double later = 0;
        for (int n = 0; n < 24; n++) {
            assert_true(difference(number, formula, n / 24.0) == 0);
            if (n / 24.0 > 0.4)
                later = fmax(later, difference(number, other, n / 24.0));
        }
        if (!(later > 1e-4))
            fail_msg("%s: %g", s->style, later);
        limber_pipeline_destroy(number);
        limber_pipeline_destroy(formula);
        limber_pipeline_destroy(other);
    }
    limber_asset_destroy(asset);
}

// Which frames were asked for before, and at which rate, does not matter.
static void frames_may_be_asked_for_in_any_order(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("dog", 1);
    for (int i = 0; i < SETTINGS; i += 3) {
        limber_pipeline* forth = with(asset, &settings[i], settings[i].other);
        limber_pipeline* back = with(asset, &settings[i], settings[i].other);
        for (int n = 0; n < 8; n++) {
            limber_frame skipped;
            assert_int_equal(limber_pipeline_evaluate(back, 0, 0.5 - 0.06 * n, &skipped), LIMBER_OK);
            assert_true(difference(forth, back, 0.06 * n) == 0);
        }
        limber_pipeline_destroy(forth);
        limber_pipeline_destroy(back);
    }
    limber_asset_destroy(asset);
}

// In a loop the motion after the last frame is the first one's: filters start where a round leads them.
static void a_loop_closes(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("dog", 1);
    const limber_clip* clip = &limber_asset_model(asset)->clips[0];
    const char* const styles[] = {FLOPPY "{\"type\": \"spring\", \"frequency\": \"3 + 2 * sin(6.2831853 * phase)\"}}}}",
                                  FLOPPY
                                  "{\"type\": \"lowpass\", \"gamma\": \"0.5 + 0.4 * sin(6.2831853 * phase)\"}}}}",
                                  OVERLAP "\"frequency\": \"3 + 2 * sin(6.2831853 * phase)\"}}}"};
    for (int i = 0; i < 3; i++) {
        limber_pipeline* p = styled(asset, styles[i]);
        limber_frame f;
        uint32_t numbers = 3 * limber_asset_model(asset)->vertex_count;
        float* first = malloc(numbers * sizeof *first);
        double duration = clip->end_s - clip->start_s;
        double max = 0;
        assert_int_equal(limber_pipeline_evaluate(p, 0, clip->start_s + 1e-6, &f), LIMBER_OK);
        for (uint32_t k = 0; k < numbers; k++)
            first[k] = f.positions[k] - f.skinned[k];
        assert_int_equal(limber_pipeline_evaluate(p, 0, clip->start_s + duration - 1e-6, &f), LIMBER_OK);
        for (uint32_t k = 0; k < numbers; k++)
            max = fmax(max, fabs((double)(f.positions[k] - f.skinned[k] - first[k])));
        assert_true(max < 2e-3 * (double)limber_asset_model(asset)->size);
        free(first);
        limber_pipeline_destroy(p);
    }
    limber_asset_destroy(asset);
}

// --- live ---

static void push_swing(limber_live* live, limber_pipeline* pipeline, float* tip, int count) {
    const limber_model* model = limber_asset_model(limber_pipeline_asset(pipeline));
    limber_pose pose;
    limber_frame f;
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    limber_pose_rest(model, &pose);
    for (int i = 0; i < count; i++) {
        float angle = 0.2f * sinf(0.2f * (float)i);
        pose.local[1].rotation = (limber_quat){0, 0, sinf(angle), cosf(angle)};
        pose.local[0].translation.x = 0.1f * sinf(0.17f * (float)i);
        assert_int_equal(limber_live_push(live, pose.local, NULL, i / 60.0), LIMBER_OK);
        limber_pipeline_evaluate_vertices(pipeline, &f);
        tip[i] = f.positions[3 * (model->vertex_count - 1)];
    }
    limber_pose_destroy(&pose);
}

static void live_poses_have_them_too(void** state) {
    (void)state;
    enum { COUNT = 60 };
    limber_asset* asset = test_tube_create(3, 1, 30, true);
    for (int i = 0; i < SETTINGS; i++) {
        const char* const values[] = {settings[i].number, settings[i].formula, settings[i].other};
        float tips[3][COUNT];
        double later = 0;
        for (int k = 0; k < 3; k++) {
            limber_pipeline* pipeline = with(asset, &settings[i], values[k]);
            limber_live* live;
            assert_int_equal(limber_live_create(pipeline, NULL, &live, NULL), LIMBER_OK);
            push_swing(live, pipeline, tips[k], COUNT);
            limber_live_destroy(live);
            limber_pipeline_destroy(pipeline);
        }
        for (int n = 0; n < COUNT; n++) {
            assert_true(tips[0][n] == tips[1][n]);
            assert_true(n > 17 || tips[0][n] == tips[2][n]); // live knows nothing of what comes
            later = fmax(later, fabs((double)(tips[0][n] - tips[2][n])));
        }
        if (!(later > 1e-5))
            fail_msg("%s: %g", settings[i].style, later);
    }
    limber_asset_destroy(asset);
}

// --- what is refused ---

static void refused(const char* text, const char* why) {
    limber_asset* asset = test_tube_create(3, 1, 30, true);
    limber_style* style;
    limber_bound_style* bound = NULL;
    limber_error error;
    assert_int_equal(limber_style_create(&style, &error), LIMBER_OK);
    limber_result result = limber_style_read(style, text, strlen(text), &error);
    if (!result)
        result = limber_style_bind(style, asset, &bound, &error);
    assert_int_not_equal(result, LIMBER_OK);
    if (!strstr(error.message, why))
        fail_msg("%s: %s", text, error.message);
    limber_style_destroy(style);
    limber_asset_destroy(asset);
}

// Filters are of joints, which have no vertex; where a follower looks, and where blows land, is the whole clip's.
static void what_filters_cannot_use_is_refused(void** state) {
    (void)state;
    refused(FLOPPY "{\"type\": \"lowpass\", \"gamma\": \"height\"}}}}", "'height'");
    refused(OVERLAP "\"frequency\": \"2 + speed\"}}}", "'speed'");
    refused(OVERLAP "\"ahead\": \"0.1 * t\"}}}", "no formula here: it is used once for the whole clip");
    refused(OVERLAP "\"arrive\": \"t\"}}}", "no formula here: it is used once for the whole clip");
}

static void settings_are_checked(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 30, true);
    limber_stage_settings s = limber_stage_settings_default();
    limber_filter_formula formula = {LIMBER_EFFECT_FLOPPY, offsetof(limber_filter_set, velocity.gamma), NULL};
    limber_expression* of_time;
    limber_expression* of_vertex;
    limber_pipeline* pipeline;
    limber_error error;
    s.deform.filter_formulas = &formula;
    s.deform.filter_formula_count = 1;
    assert_int_equal(limber_expression_create("t", NULL, &of_time, NULL), LIMBER_OK);
    assert_int_equal(limber_expression_create("height", NULL, &of_vertex, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_create_from_settings(asset, &s, &pipeline, &error), LIMBER_ERROR_ARGUMENT);
    formula.expression = of_vertex;
    assert_int_equal(limber_pipeline_create_from_settings(asset, &s, &pipeline, &error), LIMBER_ERROR_ARGUMENT);
    formula.expression = of_time;
    formula.number = offsetof(limber_filter_set, follower.ahead_s);
    assert_int_equal(limber_pipeline_create_from_settings(asset, &s, &pipeline, &error), LIMBER_ERROR_ARGUMENT);
    formula.number = offsetof(limber_filter_set, angular_acceleration.damping);
    assert_int_equal(limber_pipeline_create_from_settings(asset, &s, &pipeline, &error), LIMBER_OK);
    limber_pipeline_destroy(pipeline);
    limber_expression_destroy(of_time);
    limber_expression_destroy(of_vertex);
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spring_whose_frequency_changes_follows_its_equation),
        cmocka_unit_test(a_lowpass_whose_gamma_changes_is_the_recursion),
        cmocka_unit_test(a_formula_is_its_value_at_every_time),
        cmocka_unit_test(frames_may_be_asked_for_in_any_order),
        cmocka_unit_test(a_loop_closes),
        cmocka_unit_test(live_poses_have_them_too),
        cmocka_unit_test(what_filters_cannot_use_is_refused),
        cmocka_unit_test(settings_are_checked),
    };
    return cmocka_run_group_tests_name("filter_formulas", tests, NULL, NULL);
}
