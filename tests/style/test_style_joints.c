// Gains of joints that are formulas, from the text of a style to the vertices of a character.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/scene.h"
#include "kit/style_kit.h"

// The effects are on, for every part; what the joints do with them stands after it.
#define EFFECTS                                                                                                        \
    "\"effects\": {\"floppy\": {\"linear\": 0.05, \"angular\": 0.1}, \"squash\": {\"linear\": 0.1, \"angular\": 0.1}," \
    " \"drag\": {\"linear\": 0.02, \"angular\": 0.03}, \"followthrough\": {\"linear\": 0.02, \"angular\": 0.03},"      \
    " \"stretch\": {\"angular\": 0.02}, \"lift\": {\"angular\": 0.5, \"normals\": \"mesh\","                           \
    " \"source\": [\"stretch\", \"floppy\"]}}"
#define JOINTS(text) "{" EFFECTS ", \"joints\": {" text "}}"

enum { BEND = 0 }; // the cylinder's first clip: two seconds

// The cylinder with joints Root, Bend1 ... Bend4, all of them moving in every way, under one style. They are
// near a turning point, so that drag and followthrough both have a share.
typedef struct stage {
    test_scene scene;
    limber_style* style;
    limber_bound_style* bound;
} stage;

static void open_stage(stage* s, const char* text) {
    test_scene_open(&s->scene, "cylinder");
    s->style = style_kit_read(text);
    s->bound = style_kit_bind(s->style, s->scene.asset);
    limber_error error;
    if (limber_pipeline_create_from_settings(s->scene.asset, limber_bound_style_settings(s->bound), &s->scene.pipeline,
                                             &error))
        fail_msg("%s", error.message);
    for (uint32_t j = 0; j < s->scene.model->rig.joint_count; j++) {
        float way = (float)j;
        s->scene.motion.velocity[j] = limberi_vec3(1, 0.2f * way, 0.1f);
        s->scene.motion.angular_velocity[j] = limberi_vec3(0.3f, 0.1f * way, 1);
        s->scene.motion.acceleration[j] = limberi_vec3(-10, 20, 5 * way);
        s->scene.motion.angular_acceleration[j] = limberi_vec3(10, 4, -6);
    }
}

static void close_stage(stage* s) {
    test_scene_close(&s->scene);
    limber_bound_style_destroy(s->bound);
    limber_style_destroy(s->style);
}

static void evaluate(stage* s, double time_s) {
    assert_int_equal(
        limber_pipeline_evaluate_what_if(s->scene.pipeline, BEND, time_s, &s->scene.motion, 1, &s->scene.frame),
        LIMBER_OK);
}

// Whether two styles give the same vertices, bit by bit, at a time.
static bool same(const char* first, const char* second, double time_s) {
    stage a, b;
    open_stage(&a, first);
    open_stage(&b, second);
    evaluate(&a, time_s);
    evaluate(&b, time_s);
    size_t bytes = 3 * (size_t)a.scene.model->vertex_count * sizeof(float);
    bool equal = memcmp(a.scene.frame.positions, b.scene.frame.positions, bytes) == 0 &&
                 memcmp(a.scene.frame.normals, b.scene.frame.normals, bytes) == 0;
    close_stage(&a);
    close_stage(&b);
    return equal;
}

static void a_formula_switches_a_joint_on(void** state) {
    (void)state;
    const char *formula = JOINTS("\"Bend2\": {\"*\": \"step(0.5, t)\"}"), *off = JOINTS("\"Bend2\": {\"*\": 0}"),
               *on = JOINTS("");
    assert_true(same(formula, off, 0.25));
    assert_false(same(formula, on, 0.25));
    assert_true(same(formula, on, 0.75));
    assert_false(same(formula, off, 0.75));
}

static void scrubbing_back_finds_the_gain_of_that_time(void** state) {
    (void)state;
    stage s;
    open_stage(&s, JOINTS("\"Bend*\": {\"*\": \"t\", \"squash\": \"1 - t\"}"));
    size_t bytes = 3 * (size_t)s.scene.model->vertex_count * sizeof(float);
    float* kept = malloc(bytes);
    evaluate(&s, 0.25);
    memcpy(kept, s.scene.frame.positions, bytes);
    evaluate(&s, 1.5);
    assert_memory_not_equal(kept, s.scene.frame.positions, bytes);
    evaluate(&s, 0.25);
    assert_memory_equal(kept, s.scene.frame.positions, bytes);
    free(kept);
    close_stage(&s);
}

static void frame_and_phase_are_known(void** state) {
    (void)state;
    assert_true(same(JOINTS("\"*\": {\"*\": \"phase\"}"), JOINTS("\"*\": {\"*\": 0.25}"), 0.5));
    stage s;
    open_stage(&s, "{}");
    double fps = s.scene.model->clips[BEND].fps;
    close_stage(&s);
    assert_true(same(JOINTS("\"*\": {\"*\": \"frame / 8\"}"), JOINTS("\"*\": {\"*\": 0.375}"), 3 / fps));
}

// Each key by itself: a formula is worth what the constant of its value is worth, and nothing else changes.
static void every_key_takes_a_formula(void** state) {
    (void)state;
    static const char* const keys[] = {
        "*",
        "floppy",
        "squash",
        "drag",
        "followthrough",
        "stretch",
        "lift",
        "floppy.linear",
        "floppy.angular",
        "squash.linear",
        "squash.angular",
        "drag.linear",
        "drag.angular",
        "followthrough.linear",
        "followthrough.angular",
        "stretch.angular",
        "lift.angular",
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char formula[1024], constant[1024];
        snprintf(formula, sizeof formula, JOINTS("\"Bend1\": {\"%s\": \"0.5 + 2 * t\"}"), keys[i]);
        snprintf(constant, sizeof constant, JOINTS("\"Bend1\": {\"%s\": 1.5}"), keys[i]);
        if (!same(formula, constant, 0.5))
            fail_msg("%s as a formula is not what it is as a number", keys[i]);
        if (same(formula, JOINTS(""), 0.5))
            fail_msg("%s changes nothing", keys[i]);
    }
}

// Whichever way round: the later pattern wins, and within one the more particular key.
static void formulas_and_constants_override_each_other(void** state) {
    (void)state;
    const struct {
        const char *mixed, *plain; // the same at half a second
    } cases[] = {
        {JOINTS("\"Bend*\": {\"*\": \"t\"}, \"Bend2\": {\"*\": 2}"),
         JOINTS("\"Bend*\": {\"*\": 0.5}, \"Bend2\": {\"*\": 2}")},
        {JOINTS("\"Bend*\": {\"*\": 2}, \"Bend2\": {\"*\": \"t\"}"),
         JOINTS("\"Bend*\": {\"*\": 2}, \"Bend2\": {\"*\": 0.5}")},
        {JOINTS("\"Bend*\": {\"*\": \"t\"}, \"Bend2\": {\"*\": 1}"),
         JOINTS("\"Bend*\": {\"*\": 0.5}, \"Bend2\": {\"*\": 1}")},
        {JOINTS("\"Bend*\": {\"*\": \"t\"}, \"Bend2\": {\"*\": \"3 * t\"}"),
         JOINTS("\"Bend*\": {\"*\": 0.5}, \"Bend2\": {\"*\": 1.5}")},
        {JOINTS("\"Bend2\": {\"*\": \"t\", \"squash\": 2, \"floppy.angular\": 3}"),
         JOINTS("\"Bend2\": {\"*\": 0.5, \"squash\": 2, \"floppy.angular\": 3}")},
        {JOINTS("\"Bend2\": {\"squash.angular\": \"t\", \"squash\": 2, \"*\": 0}"),
         JOINTS("\"Bend2\": {\"squash.angular\": 0.5, \"squash\": 2, \"*\": 0}")},
        {JOINTS("\"Bend2\": {\"floppy.linear\": \"t\", \"floppy.angular\": \"4 * t\"}"),
         JOINTS("\"Bend2\": {\"floppy.linear\": 0.5, \"floppy.angular\": 2}")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (!same(cases[i].mixed, cases[i].plain, 0.5))
            fail_msg("at 0.5 s not the same:\n%s\n%s", cases[i].mixed, cases[i].plain);
        if (same(cases[i].mixed, cases[i].plain, 0.25))
            fail_msg("at 0.25 s still the same:\n%s", cases[i].mixed);
    }
}

static void overridden_formulas_leave_nothing_behind(void** state) {
    (void)state;
    stage s;
    open_stage(&s, JOINTS("\"Bend*\": {\"*\": \"t\"}, \"*\": {\"*\": 1}"));
    const limber_deform_settings* deform = &limber_bound_style_settings(s.bound)->deform;
    assert_int_equal(deform->gain_formula_count, 0);
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
        assert_null(deform->joint_gains[e]);
    close_stage(&s);
    open_stage(&s, JOINTS("\"Bend2\": {\"floppy\": 3}, \"Bend*\": {\"floppy\": \"t\"}"));
    deform = &limber_bound_style_settings(s.bound)->deform;
    assert_int_equal(deform->gain_formula_count, 4);
    assert_null(deform->joint_gains[LIMBER_EFFECT_FLOPPY]);
    close_stage(&s);
}

static void formulas_end_where_numbers_end(void** state) {
    (void)state;
    assert_true(same(JOINTS("\"Bend2\": {\"floppy\": \"1e20 * t\"}"), JOINTS("\"Bend2\": {\"floppy\": 1000000}"), 0.5));
    assert_true(
        same(JOINTS("\"Bend2\": {\"floppy\": \"-1e20 * t\"}"), JOINTS("\"Bend2\": {\"floppy\": -1000000}"), 0.5));
}

// --- the settings by hand ---

static limber_expression* compile(const char* text) {
    limber_expression* expression;
    limber_error error;
    if (limber_expression_create(text, NULL, &expression, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return expression;
}

static void formulas_leave_the_callers_gains_alone(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    limber_expression* formula = compile("0.5");
    const limber_gain_formula one = {LIMBER_EFFECT_FLOPPY, 2, true, false, formula};
    limber_joint_gain given[5] = {{1, 1}, {1, 1}, {3, 2}, {1, 1}, {4, 4}}, kept[5];
    memcpy(kept, given, sizeof kept);
    assert_int_equal(s.model->rig.joint_count, 5);
    s.settings.deform.effects[LIMBER_EFFECT_FLOPPY].linear.value = 0.1f;
    s.settings.deform.joint_gains[LIMBER_EFFECT_FLOPPY] = given;
    s.settings.deform.gain_formula_count = 1;
    s.settings.deform.gain_formulas = &one;
    s.motion.velocity[2] = limberi_vec3(1, 0, 0);
    test_scene_run(&s);
    assert_memory_equal(given, kept, sizeof kept);
    float moved = 0; // most where joint 2 has all the weight
    for (uint32_t u = 0; u < s.model->vertex_count; u++)
        moved = fminf(moved, test_scene_displacement(&s, u).x);
    assert_true(fabsf(moved + 0.05f) < 1e-6f);
    test_scene_close(&s);
    limber_expression_destroy(formula);
}

static void impossible_formulas_are_refused(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    limber_expression *time = compile("t"), *vertex = compile("height");
    const limber_gain_formula bad[] = {
        {LIMBER_EFFECT_FLOPPY, 5, true, true, time},   {LIMBER_EFFECT_FLOPPY, UINT32_MAX, true, true, time},
        {LIMBER_EFFECT_COUNT, 0, true, true, time},    {(limber_effect)-1, 0, true, true, time},
        {LIMBER_EFFECT_FLOPPY, 0, true, true, vertex}, {LIMBER_EFFECT_FLOPPY, 0, true, true, NULL},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        s.settings.deform.gain_formula_count = 1;
        s.settings.deform.gain_formulas = &bad[i];
        limber_deformer* deformer;
        limber_error error;
        assert_int_equal(limber_deformer_create(s.asset, &s.settings.deform, &deformer, &error), LIMBER_ERROR_ARGUMENT);
        assert_null(deformer);
        assert_true(error.message[0] != 0);
    }
    limber_expression_destroy(time);
    limber_expression_destroy(vertex);
    test_scene_close(&s);
}

// Root, Bend1 ... Bend4 hang on each other.
static void smear_gains_hold_for_the_joints_below(void** state) {
    (void)state;
    stage s;
    open_stage(&s, "{\"joints\": {\"Root\": {\"smear\": 0}, \"Bend2\": {\"smear\": 0.5}, \"Bend4\": {\"smear\": 1}}}");
    const float* gains = limber_bound_style_settings(s.bound)->smear.joint_gains;
    const float expected[5] = {0, 0, 0.5f, 0.5f, 1};
    for (int j = 0; j < 5; j++)
        assert_true(gains[limber_rig_find_joint(
                        &s.scene.model->rig, (const char* const[]){"Root", "Bend1", "Bend2", "Bend3", "Bend4"}[j])] ==
                    expected[j]);
    close_stage(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_formula_switches_a_joint_on),
        cmocka_unit_test(scrubbing_back_finds_the_gain_of_that_time),
        cmocka_unit_test(frame_and_phase_are_known),
        cmocka_unit_test(every_key_takes_a_formula),
        cmocka_unit_test(formulas_and_constants_override_each_other),
        cmocka_unit_test(overridden_formulas_leave_nothing_behind),
        cmocka_unit_test(formulas_end_where_numbers_end),
        cmocka_unit_test(formulas_leave_the_callers_gains_alone),
        cmocka_unit_test(impossible_formulas_are_refused),
        cmocka_unit_test(smear_gains_hold_for_the_joints_below),
    };
    return cmocka_run_group_tests_name("style_joints", tests, NULL, NULL);
}
