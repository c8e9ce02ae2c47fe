#include "kit/kernel_looks.h"
#include "base/math.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

// --- formulas ---

enum { MOST_FORMULAS = 32 };

static limber_expression* formulas[MOST_FORMULAS];

static limber_number formula(const char* text) {
    int i = 0;
    for (; formulas[i]; i++)
        if (strcmp(limber_expression_text(formulas[i]), text) == 0)
            break;
    assert_true(i + 1 < MOST_FORMULAS);
    limber_error error;
    if (!formulas[i] && limber_expression_create(text, NULL, &formulas[i], &error) != LIMBER_OK)
        fail_msg("%s: %s", text, error.message);
    limber_number number = {0, formulas[i]};
    return number;
}

void test_looks_free(void) {
    for (int i = 0; i < MOST_FORMULAS; i++)
        limber_expression_destroy(formulas[i]);
}

// --- looks ---

static void gains(limber_deform_settings* s, limber_effect effect, float linear, float angular) {
    s->effects[effect].linear.value = linear;
    s->effects[effect].angular.value = angular;
}

#define LOOK(name) static void name(limber_deform_settings* s, limber_deform_job* job, test_stage* stage)
#define UNUSED ((void)job, (void)stage)

LOOK(floppy_linear) {
    UNUSED;
    gains(s, LIMBER_EFFECT_FLOPPY, 0.1f, 0);
}

LOOK(floppy_angular) {
    UNUSED;
    gains(s, LIMBER_EFFECT_FLOPPY, 0, 0.5f);
}

LOOK(squash_linear) {
    UNUSED;
    gains(s, LIMBER_EFFECT_SQUASH, 0.2f, 0);
}

LOOK(squash_angular) {
    UNUSED;
    gains(s, LIMBER_EFFECT_SQUASH, 0, 0.3f);
}

LOOK(drag_linear) {
    UNUSED;
    gains(s, LIMBER_EFFECT_DRAG, 0.02f, 0);
}

LOOK(drag_angular) {
    UNUSED;
    gains(s, LIMBER_EFFECT_DRAG, 0, 0.1f);
}

LOOK(followthrough_linear) {
    UNUSED;
    gains(s, LIMBER_EFFECT_FOLLOWTHROUGH, 0.02f, 0);
}

LOOK(followthrough_angular) {
    UNUSED;
    gains(s, LIMBER_EFFECT_FOLLOWTHROUGH, 0, 0.1f);
}

LOOK(stretch) {
    UNUSED;
    gains(s, LIMBER_EFFECT_STRETCH, 0, 0.02f);
}

LOOK(stretch_quadratic) {
    UNUSED;
    stretch(s, job, stage);
    s->effects[LIMBER_EFFECT_STRETCH].profile = LIMBER_PROFILE_QUADRATIC;
}

LOOK(lift_mesh) {
    UNUSED;
    gains(s, LIMBER_EFFECT_LIFT, 0, 0.1f);
    s->effects[LIMBER_EFFECT_LIFT].normals = LIMBER_LIFT_MESH;
}

LOOK(lift_cone) {
    (void)job;
    gains(s, LIMBER_EFFECT_LIFT, 0, 0.1f);
    limber_cone cone = {
        (int32_t)stage->joint, {0.01f, -0.02f, 0.1f}, {0, 0.6f, 0.8f}, 0.5f, 0.02f * stage->model->size};
    s->effects[LIMBER_EFFECT_LIFT].cone = cone;
}

LOOK(lift_by_other_sources) {
    lift_mesh(s, job, stage);
    s->effects[LIMBER_EFFECT_LIFT].sources = 1u << LIMBER_EFFECT_FLOPPY | 1u << LIMBER_EFFECT_SQUASH;
    gains(s, LIMBER_EFFECT_FLOPPY, 0.05f, 0.2f); // and squash is off, which counts as a gain of 1
}

LOOK(lift_by_quadratic_stretch) {
    lift_cone(s, job, stage);
    stretch_quadratic(s, job, stage);
}

LOOK(lift_with_formula_and_layer) {
    lift_cone(s, job, stage);
    s->effects[LIMBER_EFFECT_LIFT].angular = formula("0.2 * height + 0.05 * rand");
    s->effects[LIMBER_EFFECT_LIFT].layer = "soft";
}

LOOK(everything) {
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
        gains(s, (limber_effect)e, 0.03f, 0.1f);
    gains(s, LIMBER_EFFECT_STRETCH, 0, 0.01f);
    gains(s, LIMBER_EFFECT_DRAG, 0.01f, 0.03f);
    gains(s, LIMBER_EFFECT_FOLLOWTHROUGH, 0.01f, 0.03f);
    lift_mesh(s, job, stage);
}

static void limit(limber_deform_settings* s, limber_number degrees) {
    for (int e = LIMBER_EFFECT_FLOPPY; e < LIMBER_EFFECT_STRETCH; e++)
        s->effects[e].max_bend_deg = degrees;
}

LOOK(limits) {
    everything(s, job, stage);
    gains(s, LIMBER_EFFECT_FLOPPY, 0, 2);
    limber_number degrees = {25, NULL};
    limit(s, degrees);
}

LOOK(limits_by_formula) {
    everything(s, job, stage);
    gains(s, LIMBER_EFFECT_FLOPPY, 0, 2);
    limit(s, formula("60 * rand - 10")); // also none at all
}

LOOK(twist_and_bend) {
    everything(s, job, stage);
    for (int e = LIMBER_EFFECT_FLOPPY; e < LIMBER_EFFECT_STRETCH; e++) {
        s->effects[e].twist.value = 0.2f;
        s->effects[e].bend.value = 1.5f;
    }
}

LOOK(twist_by_formula) {
    twist_and_bend(s, job, stage);
    s->effects[LIMBER_EFFECT_FLOPPY].twist = formula("height");
    s->effects[LIMBER_EFFECT_DRAG].bend = formula("1 - 0.5 * rand");
}

LOOK(thresholds) {
    everything(s, job, stage);
    s->effects[LIMBER_EFFECT_DRAG].threshold.value = 0;
    s->effects[LIMBER_EFFECT_FOLLOWTHROUGH].threshold = formula("0.2 + rand");
}

LOOK(layers) {
    everything(s, job, stage);
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
        s->effects[e].layer = e % 2 ? "hard" : "soft";
}

LOOK(layer_and_quadratic_stretch) {
    layers(s, job, stage);
    s->effects[LIMBER_EFFECT_STRETCH].profile = LIMBER_PROFILE_QUADRATIC;
}

LOOK(formulas_per_vertex) {
    everything(s, job, stage);
    s->effects[LIMBER_EFFECT_FLOPPY].angular = formula("0.3 * height + 0.1 * sin(8 * x)");
    s->effects[LIMBER_EFFECT_FLOPPY].linear = formula("0.05 * paint.soft");
    s->effects[LIMBER_EFFECT_SQUASH].linear = formula("0.2 * rand * nx");
    s->effects[LIMBER_EFFECT_SQUASH].angular = formula("0.3 * u - 0.1 * v");
    s->effects[LIMBER_EFFECT_DRAG].linear = formula("0.02 * y");
    s->effects[LIMBER_EFFECT_FOLLOWTHROUGH].angular = formula("0.05 * (1 + z)");
    s->effects[LIMBER_EFFECT_STRETCH].angular = formula("0.02 * phase * height");
}

LOOK(formulas_of_speed) {
    everything(s, job, stage);
    s->effects[LIMBER_EFFECT_FLOPPY].angular = formula("0.1 * min(speed, 3)");
    s->effects[LIMBER_EFFECT_SQUASH].linear = formula("0.05 * speed");
    s->effects[LIMBER_EFFECT_SQUASH].layer = "soft";
}

LOOK(formulas_of_time) {
    everything(s, job, stage);
    s->effects[LIMBER_EFFECT_FLOPPY].angular = formula("0.5 * sin(9 * t)");
    s->effects[LIMBER_EFFECT_FLOPPY].max_bend_deg = formula("frame");
    s->effects[LIMBER_EFFECT_DRAG].threshold = formula("phase");
    s->effects[LIMBER_EFFECT_SQUASH].layer = "hard";
    s->effects[LIMBER_EFFECT_SQUASH].angular = formula("0.2 * phase");
}

LOOK(gains_of_joints) {
    static limber_joint_gain table[LIMBER_EFFECT_COUNT][2048];
    static limber_gain_formula changing[2];
    test_random random = test_random_seed(17);
    everything(s, job, stage);
    uint32_t joints = stage->model->rig.joint_count;
    assert_true(joints <= 2048);
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++) {
        for (uint32_t j = 0; j < joints; j++) {
            table[e][j].linear = test_random_chance(&random, 0.3f) ? 0 : test_random_between(&random, -1, 2);
            table[e][j].angular = test_random_chance(&random, 0.3f) ? 0 : test_random_between(&random, -1, 2);
        }
        s->joint_gains[e] = table[e];
    }
    limber_gain_formula floppy = {LIMBER_EFFECT_FLOPPY, 0, true, true, formula("2 * t").expression};
    limber_gain_formula lift = {LIMBER_EFFECT_LIFT, stage->joint, false, true, formula("1 + phase").expression};
    changing[0] = floppy;
    changing[1] = lift;
    s->gain_formula_count = 2;
    s->gain_formulas = changing;
}

LOOK(about_the_center) {
    static int8_t about[2048];
    static limber_vec3 offsets[2048];
    test_random random = test_random_seed(18);
    everything(s, job, stage);
    s->effects[LIMBER_EFFECT_SQUASH].about = LIMBER_ABOUT_CENTER;
    for (uint32_t j = 0; j < stage->model->rig.joint_count; j++) {
        about[j] = (int8_t)((int)test_random_below(&random, 3) - 1);
        offsets[j] = limberi_scale(test_random_direction(&random), 0.05f * stage->model->size);
    }
    s->about = about;
    s->centroid_offsets = offsets;
}

LOOK(filters_that_differ) {
    everything(s, job, stage);
    job->motion[LIMBER_EFFECT_SQUASH] = &stage->motion[1];
    job->motion[LIMBER_EFFECT_DRAG] = &stage->motion[2];
    job->motion[LIMBER_EFFECT_STRETCH] = &stage->motion[2];
}

LOOK(motion_for_some_effects_only) {
    everything(s, job, stage);
    job->motion[LIMBER_EFFECT_FLOPPY] = NULL;
    job->motion[LIMBER_EFFECT_STRETCH] = NULL;
    job->plain_motion = NULL;
    s->effects[LIMBER_EFFECT_DRAG].linear = formula("0.05 * speed");
}

LOOK(negative_gains) {
    everything(s, job, stage);
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++) {
        s->effects[e].linear.value *= -1;
        s->effects[e].angular.value *= -1;
    }
    gains(s, LIMBER_EFFECT_SQUASH, -1, -1); // beyond where squash stops
}

LOOK(negative_squash_by_layer) {
    UNUSED;
    gains(s, LIMBER_EFFECT_SQUASH, -3, 3);
    s->effects[LIMBER_EFFECT_SQUASH].layer = "soft";
}

LOOK(a_few_turns) {
    UNUSED;
    gains(s, LIMBER_EFFECT_FLOPPY, 0, 12);
    gains(s, LIMBER_EFFECT_DRAG, 0, 3);
}

LOOK(many_turns) {
    UNUSED;
    gains(s, LIMBER_EFFECT_FLOPPY, 0, 120);
}

static void push_outwards(const limber_effect_block* b) {
    for (uint32_t i = 0; i < b->count; i++) {
        b->dx[i] += b->weight[i] * b->linear[i] * b->nx[i] * limberi_length(b->velocity);
        b->dy[i] += b->weight[i] * b->angular[i] * b->ny[i] * b->angular_velocity.x * b->size;
    }
}

LOOK(effects_of_ones_own) {
    everything(s, job, stage);
    s->custom_count = 2;
    for (int i = 0; i < 2; i++) {
        limber_custom_effect own = {"own", push_outwards, NULL, limber_effect_settings_default(LIMBER_EFFECT_FLOPPY)};
        own.settings.linear.value = 0.02f;
        own.settings.angular = formula("0.01 * height");
        own.settings.layer = i ? "soft" : NULL;
        s->custom[i] = own;
    }
}

const test_look test_looks[] = {
    {"floppy, linear", floppy_linear, 1},
    {"floppy, angular", floppy_angular, 1},
    {"squash, linear", squash_linear, 1},
    {"squash, angular", squash_angular, 1},
    {"drag, linear", drag_linear, 1},
    {"drag, angular", drag_angular, 1},
    {"followthrough, linear", followthrough_linear, 1},
    {"followthrough, angular", followthrough_angular, 1},
    {"stretch", stretch, 1},
    {"stretch, quadratic", stretch_quadratic, 1},
    {"lift by mesh normals", lift_mesh, 1},
    {"lift by a cone", lift_cone, 1},
    {"lift by other sources", lift_by_other_sources, 1},
    {"lift by quadratic stretch", lift_by_quadratic_stretch, 1},
    {"lift with formula and layer", lift_with_formula_and_layer, 1},
    {"everything", everything, 1},
    {"limits", limits, 1},
    {"limits by formula", limits_by_formula, 1},
    {"twist and bend", twist_and_bend, 1},
    {"twist and bend by formula", twist_by_formula, 1},
    {"thresholds", thresholds, 1},
    {"layers", layers, 1},
    {"layers, quadratic stretch", layer_and_quadratic_stretch, 1},
    {"formulas per vertex", formulas_per_vertex, 1},
    {"formulas of speed", formulas_of_speed, 1},
    {"formulas of time", formulas_of_time, 1},
    {"gains of joints", gains_of_joints, 1},
    {"about the center", about_the_center, 1},
    {"filters that differ", filters_that_differ, 1},
    {"motion for some effects only", motion_for_some_effects_only, 1},
    {"negative gains", negative_gains, 2},
    {"negative squash by a layer", negative_squash_by_layer, 1},
    {"angles of a few turns", a_few_turns, 4},
    {"angles of many turns", many_turns, 40},
    {"effects of one's own", effects_of_ones_own, 1},
};

const uint32_t test_look_count = sizeof test_looks / sizeof *test_looks;
