// Ways to set the effects, one for everything that changes what a kernel or the shader does.
#include "kit/looks.h"
#include "base/math.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

// --- formulas ---

enum { MAX_FORMULAS = 48, MAX_JOINTS = 2048, MAX_MESHES = 512 };

static limber_expression* formulas[MAX_FORMULAS];

static limber_number formula(const char* text) {
    int i = 0;
    for (; formulas[i]; i++)
        if (strcmp(limber_expression_text(formulas[i]), text) == 0)
            break;
    assert_true(i + 1 < MAX_FORMULAS);
    limber_error error;
    if (!formulas[i] && limber_expression_create(text, NULL, &formulas[i], &error) != LIMBER_OK)
        fail_msg("%s: %s", text, error.message);
    limber_number number = {0, formulas[i]};
    return number;
}

void test_looks_free(void) {
    for (int i = 0; i < MAX_FORMULAS; i++)
        limber_expression_destroy(formulas[i]);
}

// --- looks ---

static void gains(limber_deform_settings* s, limber_effect effect, float linear, float angular) {
    s->effects[effect].linear.value = linear;
    s->effects[effect].angular.value = angular;
}

#define LOOK(name) static void name(limber_deform_settings* s, const test_look_target* target)

LOOK(floppy_linear) {
    (void)target;
    gains(s, LIMBER_EFFECT_FLOPPY, 0.1f, 0);
}

LOOK(floppy_angular) {
    (void)target;
    gains(s, LIMBER_EFFECT_FLOPPY, 0, 0.5f);
}

LOOK(squash_linear) {
    (void)target;
    gains(s, LIMBER_EFFECT_SQUASH, 0.2f, 0);
}

LOOK(squash_angular) {
    (void)target;
    gains(s, LIMBER_EFFECT_SQUASH, 0, 0.3f);
}

LOOK(drag_linear) {
    (void)target;
    gains(s, LIMBER_EFFECT_DRAG, 0.02f, 0);
}

LOOK(drag_angular) {
    (void)target;
    gains(s, LIMBER_EFFECT_DRAG, 0, 0.1f);
}

LOOK(followthrough_linear) {
    (void)target;
    gains(s, LIMBER_EFFECT_FOLLOWTHROUGH, 0.02f, 0);
}

LOOK(followthrough_angular) {
    (void)target;
    gains(s, LIMBER_EFFECT_FOLLOWTHROUGH, 0, 0.1f);
}

LOOK(stretch) {
    (void)target;
    gains(s, LIMBER_EFFECT_STRETCH, 0, 0.02f);
}

LOOK(stretch_quadratic) {
    stretch(s, target);
    limber_effect_number(s, LIMBER_EFFECT_STRETCH, "profile")->value = LIMBER_PROFILE_QUADRATIC;
}

LOOK(lift_mesh) {
    (void)target;
    gains(s, LIMBER_EFFECT_LIFT, 0, 0.1f);
    limber_effect_number(s, LIMBER_EFFECT_LIFT, "normals")->value = LIMBER_LIFT_MESH;
}

LOOK(lift_cone) {
    gains(s, LIMBER_EFFECT_LIFT, 0, 0.1f);
    limber_cone cone = {
        (int32_t)target->joint, {0.01f, -0.02f, 0.1f}, {0, 0.6f, 0.8f}, 0.5f, 0.02f * target->model->size};
    s->lift_cones.cone = cone;
}

LOOK(lift_without_falloff) {
    lift_cone(s, target);
    gains(s, LIMBER_EFFECT_LIFT, 0, 0.004f);
    limber_effect_number(s, LIMBER_EFFECT_LIFT, "falloff")->value = LIMBER_LIFT_EVEN;
}

LOOK(lift_by_other_sources) {
    lift_mesh(s, target);
    limber_effect_number(s, LIMBER_EFFECT_LIFT, "source")->value =
        1u << LIMBER_EFFECT_FLOPPY | 1u << LIMBER_EFFECT_SQUASH;
    gains(s, LIMBER_EFFECT_FLOPPY, 0.05f, 0.2f); // and squash is off, which counts as a gain of 1
}

// With the strength of the lift, and a layer of a source that acts through it alone.
LOOK(lift_in_place_of_its_sources) {
    lift_mesh(s, target);
    gains(s, LIMBER_EFFECT_LIFT, 0, 2);
    limber_effect_number(s, LIMBER_EFFECT_LIFT, "mode")->value = LIMBER_LIFT_REPLACE;
    limber_effect_number(s, LIMBER_EFFECT_LIFT, "source")->value =
        1u << LIMBER_EFFECT_FLOPPY | 1u << LIMBER_EFFECT_STRETCH;
    gains(s, LIMBER_EFFECT_FLOPPY, 0.05f, 0.2f);
    gains(s, LIMBER_EFFECT_STRETCH, 0, 0.02f);
    gains(s, LIMBER_EFFECT_SQUASH, 0, 0.1f); // as ever
    s->effects[LIMBER_EFFECT_FLOPPY].layer = "floppy";
    s->strength.value = 0.7f;
}

LOOK(lift_by_quadratic_stretch) {
    lift_cone(s, target);
    stretch_quadratic(s, target);
}

LOOK(lift_with_formula_and_layer) {
    lift_cone(s, target);
    s->effects[LIMBER_EFFECT_LIFT].angular = formula("0.2 * height + 0.05 * rand");
    s->effects[LIMBER_EFFECT_LIFT].layer = "floppy";
}

LOOK(everything) {
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
        gains(s, (limber_effect)e, 0.03f, 0.1f);
    gains(s, LIMBER_EFFECT_DERIVATIVE, 0, 0); // the shader has it with a constant linear gain only
    gains(s, LIMBER_EFFECT_HOSE, 0.4f, 0);
    gains(s, LIMBER_EFFECT_STRETCH, 0, 0.01f);
    gains(s, LIMBER_EFFECT_DRAG, 0.01f, 0.03f);
    gains(s, LIMBER_EFFECT_FOLLOWTHROUGH, 0.01f, 0.03f);
    lift_mesh(s, target);
}

// Of the effects that bend.
static void set_bends(limber_deform_settings* s, const char* name, limber_number value) {
    for (int e = LIMBER_EFFECT_FLOPPY; e < LIMBER_EFFECT_STRETCH; e++)
        if (e != LIMBER_EFFECT_SQUASH)
            *limber_effect_number(s, (limber_effect)e, name) = value;
}

static void limit(limber_deform_settings* s, limber_number degrees) {
    set_bends(s, "max_bend", degrees);
}

LOOK(limits) {
    everything(s, target);
    gains(s, LIMBER_EFFECT_FLOPPY, 0, 2);
    limber_number degrees = {25, NULL};
    limit(s, degrees);
}

LOOK(limits_by_formula) {
    everything(s, target);
    gains(s, LIMBER_EFFECT_FLOPPY, 0, 2);
    limit(s, formula("60 * rand - 10")); // also none at all
}

LOOK(twist_and_bend) {
    everything(s, target);
    set_bends(s, "twist", (limber_number){0.2f, NULL});
    set_bends(s, "bend", (limber_number){1.5f, NULL});
}

LOOK(twist_by_formula) {
    twist_and_bend(s, target);
    *limber_effect_number(s, LIMBER_EFFECT_FLOPPY, "twist") = formula("height");
    *limber_effect_number(s, LIMBER_EFFECT_DRAG, "bend") = formula("1 - 0.5 * rand");
}

LOOK(turns) {
    everything(s, target);
    limber_effect_number(s, LIMBER_EFFECT_DRAG, "turn")->value = 0;
    *limber_effect_number(s, LIMBER_EFFECT_FOLLOWTHROUGH, "turn") = formula("0.02 + 0.1 * rand");
}

LOOK(layers) {
    everything(s, target);
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
        s->effects[e].layer = e % 2 ? "squash" : "floppy";
}

LOOK(layer_and_quadratic_stretch) {
    layers(s, target);
    limber_effect_number(s, LIMBER_EFFECT_STRETCH, "profile")->value = LIMBER_PROFILE_QUADRATIC;
}

LOOK(formulas_per_vertex) {
    everything(s, target);
    s->effects[LIMBER_EFFECT_FLOPPY].angular = formula("0.3 * height + 0.1 * sin(8 * x)");
    s->effects[LIMBER_EFFECT_FLOPPY].linear = formula("0.05 * paint.floppy");
    s->effects[LIMBER_EFFECT_SQUASH].linear = formula("0.2 * rand * nx");
    s->effects[LIMBER_EFFECT_SQUASH].angular = formula("0.3 * u - 0.1 * v");
    s->effects[LIMBER_EFFECT_DRAG].linear = formula("0.02 * y");
    s->effects[LIMBER_EFFECT_FOLLOWTHROUGH].angular = formula("0.05 * (1 + z)");
    s->effects[LIMBER_EFFECT_STRETCH].angular = formula("0.02 * phase * height");
}

LOOK(formulas_of_speed) {
    everything(s, target);
    s->effects[LIMBER_EFFECT_FLOPPY].angular = formula("0.1 * min(speed, 3)");
    s->effects[LIMBER_EFFECT_SQUASH].linear = formula("0.05 * speed");
    s->effects[LIMBER_EFFECT_SQUASH].layer = "floppy";
}

LOOK(formulas_of_time) {
    everything(s, target);
    s->effects[LIMBER_EFFECT_FLOPPY].angular = formula("0.5 * sin(9 * t)");
    *limber_effect_number(s, LIMBER_EFFECT_FLOPPY, "max_bend") = formula("frame");
    *limber_effect_number(s, LIMBER_EFFECT_DRAG, "turn") = formula("0.2 * phase");
    s->effects[LIMBER_EFFECT_SQUASH].layer = "squash";
    s->effects[LIMBER_EFFECT_SQUASH].angular = formula("0.2 * phase");
}

static void joint_gains(limber_deform_settings* s, const limber_model* model) {
    static limber_joint_gain table[LIMBER_EFFECT_COUNT][MAX_JOINTS];
    test_random random = test_random_seed(17);
    assert_true(model->rig.joint_count <= MAX_JOINTS);
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++) {
        for (uint32_t j = 0; j < model->rig.joint_count; j++) {
            table[e][j].linear = test_random_chance(&random, 0.3f) ? 0 : test_random_between(&random, -1, 2);
            table[e][j].angular = test_random_chance(&random, 0.3f) ? 0 : test_random_between(&random, -1, 2);
        }
        s->joint_gains[e] = table[e];
    }
}

LOOK(gains_of_joints) {
    static limber_gain_formula changing[2];
    everything(s, target);
    joint_gains(s, target->model);
    limber_gain_formula floppy = {LIMBER_EFFECT_FLOPPY, 0, true, true, formula("2 * t").expression};
    limber_gain_formula lift = {LIMBER_EFFECT_LIFT, target->joint, false, true, formula("1 + phase").expression};
    changing[0] = floppy;
    changing[1] = lift;
    s->gain_formula_count = 2;
    s->gain_formulas = changing;
}

LOOK(about_the_center) {
    static int8_t about[MAX_JOINTS];
    static limber_vec3 offsets[MAX_JOINTS];
    test_random random = test_random_seed(18);
    everything(s, target);
    limber_effect_number(s, LIMBER_EFFECT_SQUASH, "about")->value = LIMBER_ABOUT_CENTER;
    for (uint32_t j = 0; j < target->model->rig.joint_count; j++) {
        about[j] = (int8_t)((int)test_random_below(&random, 3) - 1);
        offsets[j] = limberi_scale(test_random_direction(&random), 0.05f * target->model->size);
    }
    s->about = about;
    s->centroid_offsets = offsets;
}

LOOK(turned_medial_axes) {
    static limber_vec3 axes[MAX_JOINTS];
    test_random random = test_random_seed(19);
    about_the_center(s, target);
    for (uint32_t j = 0; j < target->model->rig.joint_count; j++)
        axes[j] = test_random_below(&random, 3) ? test_random_direction(&random) : limberi_vec3(0, 0, 0);
    s->medial_axes = axes;
}

LOOK(filters_that_differ) {
    everything(s, target);
    target->job->motion[LIMBER_EFFECT_SQUASH] = &target->motion[1];
    target->job->motion[LIMBER_EFFECT_DRAG] = &target->motion[2];
    target->job->motion[LIMBER_EFFECT_STRETCH] = &target->motion[2];
}

LOOK(motion_for_some_effects_only) {
    everything(s, target);
    target->job->motion[LIMBER_EFFECT_FLOPPY] = NULL;
    target->job->motion[LIMBER_EFFECT_STRETCH] = NULL;
    target->job->plain_motion = NULL;
    s->effects[LIMBER_EFFECT_DRAG].linear = formula("0.05 * speed");
}

LOOK(gates_of_the_paper) {
    everything(s, target);
    static const limber_effect effects[] = {LIMBER_EFFECT_DRAG, LIMBER_EFFECT_FOLLOWTHROUGH};
    for (int i = 0; i < 2; i++) {
        limber_effect_number(s, effects[i], "gate.type")->value = LIMBER_GATE_PRODUCT;
        limber_effect_number(s, effects[i], "gate.limit")->value = 2.0f + (float)i;
    }
}

LOOK(negative_gains) {
    everything(s, target);
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++) {
        s->effects[e].linear.value *= -1;
        s->effects[e].angular.value *= -1;
    }
    gains(s, LIMBER_EFFECT_SQUASH, -1, -1); // beyond where squash stops
}

LOOK(negative_squash_by_layer) {
    (void)target;
    gains(s, LIMBER_EFFECT_SQUASH, -3, 3);
    s->effects[LIMBER_EFFECT_SQUASH].layer = "floppy";
}

LOOK(squash_max) {
    (void)target;
    gains(s, LIMBER_EFFECT_SQUASH, 1, 1);
    limber_effect_number(s, LIMBER_EFFECT_SQUASH, "max")->value = 0.3f;
    limber_effect_number(s, LIMBER_EFFECT_SQUASH, "fade")->value = 0;
}

LOOK(squash_max_by_time) {
    everything(s, target);
    gains(s, LIMBER_EFFECT_SQUASH, -1, -1);
    *limber_effect_number(s, LIMBER_EFFECT_SQUASH, "max") = formula("0.5 + 0.4 * sin(t)");
    *limber_effect_number(s, LIMBER_EFFECT_SQUASH, "fade") = formula("0.2 + 0.5 * phase");
}

LOOK(squash_max_and_layer) {
    (void)target;
    gains(s, LIMBER_EFFECT_FLOPPY, 0.05f, 0.3f);
    gains(s, LIMBER_EFFECT_SQUASH, 0.8f, 0.8f);
    limber_effect_number(s, LIMBER_EFFECT_SQUASH, "max")->value = 0.6f;
    s->effects[LIMBER_EFFECT_SQUASH].layer = "floppy";
}

LOOK(squash_max_by_vertex) {
    squash_max(s, target);
    *limber_effect_number(s, LIMBER_EFFECT_SQUASH, "max") = formula("0.8 * height - 0.1");
    *limber_effect_number(s, LIMBER_EFFECT_SQUASH, "fade") = formula("rand");
}

LOOK(lift_by_squash_max) {
    lift_mesh(s, target);
    limber_effect_number(s, LIMBER_EFFECT_LIFT, "source")->value = 1u << LIMBER_EFFECT_SQUASH;
    squash_max(s, target);
    limber_effect_number(s, LIMBER_EFFECT_SQUASH, "fade")->value = 0.5f;
}

LOOK(a_few_turns) {
    (void)target;
    gains(s, LIMBER_EFFECT_FLOPPY, 0, 12);
    gains(s, LIMBER_EFFECT_DRAG, 0, 3);
}

LOOK(many_turns) {
    (void)target;
    gains(s, LIMBER_EFFECT_FLOPPY, 0, 120);
}

static void push_outwards(const limber_effect_block* b) {
    for (uint32_t i = 0; i < b->count; i++) {
        b->dx[i] += b->weight[i] * b->linear[i] * b->nx[i] * limberi_length(b->velocity);
        b->dy[i] += b->weight[i] * b->angular[i] * b->ny[i] * b->angular_velocity.x * b->size;
    }
}

LOOK(effects_of_ones_own) {
    everything(s, target);
    s->custom_count = 2;
    for (int i = 0; i < 2; i++) {
        limber_custom_effect own = {"own", push_outwards, NULL, limber_effect_settings_default(LIMBER_EFFECT_FLOPPY)};
        own.settings.linear.value = 0.02f;
        own.settings.angular = formula("0.01 * height");
        own.settings.layer = i ? "floppy" : NULL;
        s->custom[i] = own;
    }
}

// --- several settings at once, and filters, which only pipelines run ---

LOOK(nothing) {
    (void)s;
    (void)target;
}

LOOK(floppy) {
    (void)target;
    gains(s, LIMBER_EFFECT_FLOPPY, 0.05f, 0.3f);
    limber_effect_number(s, LIMBER_EFFECT_FLOPPY, "twist")->value = 0.5f;
    limber_effect_number(s, LIMBER_EFFECT_FLOPPY, "bend")->value = 1.2f;
    limber_effect_number(s, LIMBER_EFFECT_FLOPPY, "max_bend")->value = 30;
}

LOOK(squash) {
    (void)target;
    gains(s, LIMBER_EFFECT_SQUASH, 0.1f, 0.2f);
}

LOOK(drag) {
    (void)target;
    gains(s, LIMBER_EFFECT_DRAG, 0.004f, 0.02f);
    limber_effect_number(s, LIMBER_EFFECT_DRAG, "max_bend")->value = 40;
}

LOOK(followthrough) {
    (void)target;
    limber_filter spring = {LIMBER_FILTER_SPRING, 0, 3, 0.3};
    gains(s, LIMBER_EFFECT_FOLLOWTHROUGH, 0.004f, 0.02f);
    s->effects[LIMBER_EFFECT_FOLLOWTHROUGH].filters.acceleration = spring;
    s->effects[LIMBER_EFFECT_FOLLOWTHROUGH].filters.angular_acceleration = spring;
    limber_effect_number(s, LIMBER_EFFECT_FOLLOWTHROUGH, "max_bend")->value = 40;
}

LOOK(lift_by_all_effects) {
    lift_mesh(s, target);
    limber_effect_number(s, LIMBER_EFFECT_LIFT, "source")->value = (1u << LIMBER_EFFECT_LIFT) - 1;
    floppy(s, target);
    gains(s, LIMBER_EFFECT_SQUASH, 0.1f, 0.1f);
    gains(s, LIMBER_EFFECT_FOLLOWTHROUGH, 0.004f, 0.01f);
    gains(s, LIMBER_EFFECT_STRETCH, 0, 0.002f); // drag is off, which counts as gains of 1
    limber_effect_number(s, LIMBER_EFFECT_DRAG, "max_bend")->value = 30;
    s->effects[LIMBER_EFFECT_SQUASH].layer = "squash";
    s->effects[LIMBER_EFFECT_FLOPPY].layer = "floppy";
    gains(s, LIMBER_EFFECT_LIFT, 0, 0.01f);
}

LOOK(everything_filtered) {
    limber_filter lowpass = {LIMBER_FILTER_LOWPASS, 0.4, 0, 0};
    floppy(s, target);
    squash(s, target);
    drag(s, target);
    followthrough(s, target);
    stretch(s, target);
    lift_mesh(s, target);
    s->effects[LIMBER_EFFECT_SQUASH].filters.velocity = lowpass;
    s->effects[LIMBER_EFFECT_SQUASH].filters.angular_velocity = lowpass;
}

LOOK(layers_and_cone) {
    everything_filtered(s, target);
    lift_cone(s, target);
    limber_effect_number(s, LIMBER_EFFECT_LIFT, "normals")->value = LIMBER_LIFT_CONE;
    limber_effect_number(s, LIMBER_EFFECT_STRETCH, "profile")->value = LIMBER_PROFILE_QUADRATIC;
    s->effects[LIMBER_EFFECT_STRETCH].layer = "floppy";
    s->effects[LIMBER_EFFECT_LIFT].layer = "floppy";
}

LOOK(overlap) {
    (void)target;
    gains(s, LIMBER_EFFECT_OVERLAP, 0.02f, 0.5f);
}

LOOK(overlap_wide) {
    (void)target;
    gains(s, LIMBER_EFFECT_OVERLAP, 0.05f, 3);
    limber_effect_number(s, LIMBER_EFFECT_OVERLAP, "max")->value = 60;
    limber_effect_number(s, LIMBER_EFFECT_OVERLAP, "twist")->value = 0.3f;
}

LOOK(overlap_and_squash) {
    overlap(s, target);
    gains(s, LIMBER_EFFECT_SQUASH, 0.1f, 0.2f);
    limber_effect_number(s, LIMBER_EFFECT_SQUASH, "max")->value = 0.3f;
}

LOOK(overlap_and_negative_squash) {
    overlap_and_squash(s, target);
    s->effects[LIMBER_EFFECT_SQUASH].angular.value = -0.2f;
}

LOOK(overlap_by_layer) {
    overlap_and_squash(s, target);
    s->effects[LIMBER_EFFECT_OVERLAP].layer = "floppy";
    s->effects[LIMBER_EFFECT_OVERLAP].linear = formula("0.01 + 0.02 * height");
    s->effects[LIMBER_EFFECT_SQUASH].layer = "squash";
}

LOOK(overlap_with_everything) {
    everything(s, target);
    overlap(s, target);
}

// Some of them larger than 1, none and the other way round.
LOOK(gains_of_meshes) {
    static float table[MAX_MESHES];
    layers(s, target);
    assert_true(target->model->mesh_count <= MAX_MESHES);
    for (uint32_t m = 0; m < MAX_MESHES; m++)
        table[m] = 1.3f - 0.4f * (float)(m % 5);
    for (uint32_t e = 0; e < LIMBER_EFFECT_COUNT; e++)
        s->mesh_gains[e] = table;
}

LOOK(derivative_linear) {
    (void)target;
    gains(s, LIMBER_EFFECT_DERIVATIVE, 0.02f, 0);
    limber_effect_number(s, LIMBER_EFFECT_DERIVATIVE, "max")->value = 0.03f;
}

LOOK(derivative_angular) {
    (void)target;
    gains(s, LIMBER_EFFECT_DERIVATIVE, 0.02f, 0.1f);
    limber_effect_number(s, LIMBER_EFFECT_DERIVATIVE, "max_bend")->value = 20;
    limber_effect_number(s, LIMBER_EFFECT_DERIVATIVE, "twist")->value = 0.4f;
}

LOOK(derivative_by_velocity) {
    derivative_angular(s, target);
    limber_effect_number(s, LIMBER_EFFECT_DERIVATIVE, "by")->value = LIMBER_BY_VELOCITY;
    limber_effect_number(s, LIMBER_EFFECT_DERIVATIVE, "max")->value = 0.02f;
    s->effects[LIMBER_EFFECT_DERIVATIVE].layer = "floppy";
    gains(s, LIMBER_EFFECT_FLOPPY, 0.02f, 0.2f);
    gains(s, LIMBER_EFFECT_SQUASH, 0.1f, 0.2f);
}

LOOK(derivative_with_everything) {
    everything(s, target);
    derivative_angular(s, target);
    s->effects[LIMBER_EFFECT_DERIVATIVE].linear = formula("0.03 * height");
    s->effects[LIMBER_EFFECT_DERIVATIVE].angular = formula("0.1 * rand");
}

LOOK(hose) {
    (void)target;
    gains(s, LIMBER_EFFECT_HOSE, 1, 0);
}

LOOK(hose_with_everything) {
    everything(s, target);
    s->effects[LIMBER_EFFECT_HOSE].linear = formula("0.3 + 0.7 * height");
    s->effects[LIMBER_EFFECT_HOSE].layer = "floppy";
}

// --- the table ---

enum { K = TEST_LOOK_KERNELS, S = TEST_LOOK_SHADER, C = TEST_LOOK_SHADER | TEST_LOOK_CHAIN };

const test_look test_looks[] = {
    {"floppy, linear", floppy_linear, K, 1},
    {"floppy, angular", floppy_angular, K, 1},
    {"squash, linear", squash_linear, K, 1},
    {"squash, angular", squash_angular, K, 1},
    {"drag, linear", drag_linear, K, 1},
    {"drag, angular", drag_angular, K, 1},
    {"followthrough, linear", followthrough_linear, K, 1},
    {"followthrough, angular", followthrough_angular, K, 1},
    {"stretch", stretch, K, 1},
    {"stretch, quadratic", stretch_quadratic, K | S, 1},
    {"lift by mesh normals", lift_mesh, K | S, 1},
    {"lift by a cone", lift_cone, K | C, 1},
    {"lift without falloff", lift_without_falloff, K, 1},
    {"lift by other sources", lift_by_other_sources, K, 1},
    {"lift in place of its sources", lift_in_place_of_its_sources, K | C, 1},
    {"lift by quadratic stretch", lift_by_quadratic_stretch, K, 1},
    {"lift with formula and layer", lift_with_formula_and_layer, K, 1},
    {"everything", everything, K | C, 1},
    {"limits", limits, K, 1},
    {"limits by formula", limits_by_formula, K | S, 1},
    {"twist and bend", twist_and_bend, K | C, 1},
    {"twist and bend by formula", twist_by_formula, K, 1},
    {"turns", turns, K, 1},
    {"layers", layers, K | C, 1},
    {"layers, quadratic stretch", layer_and_quadratic_stretch, K | C, 1},
    {"formulas per vertex", formulas_per_vertex, K | S, 1},
    {"formulas of speed", formulas_of_speed, K | C, 1},
    {"formulas of time", formulas_of_time, K | C, 1},
    {"gains of joints", gains_of_joints, K | C, 1},
    {"gains of meshes", gains_of_meshes, K | C, 1},
    {"about the center", about_the_center, K | S, 1},
    {"turned medial axes", turned_medial_axes, K | S, 1},
    {"filters that differ", filters_that_differ, K, 1},
    {"motion for some effects only", motion_for_some_effects_only, K, 1},
    {"overlap", overlap, K | C, 1},
    {"overlap, wide", overlap_wide, K | C, 1},
    {"overlap and squash", overlap_and_squash, K | C, 1},
    {"overlap and negative squash", overlap_and_negative_squash, K | C, 1},
    {"overlap by a layer", overlap_by_layer, K | C, 1},
    {"overlap with everything", overlap_with_everything, K | C, 1},
    {"derivative, linear", derivative_linear, K | C, 1},
    {"derivative, angular", derivative_angular, K, 1},
    {"derivative by velocity", derivative_by_velocity, K, 1},
    {"derivative with everything", derivative_with_everything, K, 1},
    {"hose", hose, K | C, 1},
    {"hose with everything", hose_with_everything, K | C, 1},
    {"gates of the paper", gates_of_the_paper, K, 2},
    {"negative gains", negative_gains, K, 2},
    {"negative squash by a layer", negative_squash_by_layer, K | S, 2},
    {"squash, max", squash_max, K | S, 1},
    {"squash, max by time", squash_max_by_time, K | C, 2},
    {"squash, max and a layer", squash_max_and_layer, K | C, 1},
    {"squash, max by vertex", squash_max_by_vertex, K, 1},
    {"lift by squash with a max", lift_by_squash_max, K | S, 1},
    {"angles of a few turns", a_few_turns, K, 4},
    {"angles of many turns", many_turns, K, 40},
    {"effects of one's own", effects_of_ones_own, K, 1},
    {"nothing", nothing, S, 1},
    {"floppy", floppy, K | C, 1},
    {"squash", squash, C, 1},
    {"drag", drag, K | S, 1},
    {"followthrough", followthrough, S, 1},
    {"lift by all effects", lift_by_all_effects, K | C, 1},
    {"everything, filtered", everything_filtered, C | TEST_LOOK_OFTEN, 1},
    {"layers and a cone", layers_and_cone, S, 1},
};

const uint32_t test_look_count = sizeof test_looks / sizeof *test_looks;
_Static_assert(sizeof test_looks / sizeof *test_looks <= TEST_LOOKS_MAX, "arrays of tests have less room");

const test_look* test_look_named(const char* name) {
    for (uint32_t i = 0; i < test_look_count; i++)
        if (strcmp(test_looks[i].name, name) == 0)
            return &test_looks[i];
    fail_msg("there is no look '%s'", name);
    return NULL;
}

void test_look_set(const test_look* look, limber_deform_settings* settings, limber_deform_job* job,
                   const test_stage* stage) {
    test_look_target target = {stage->model, stage->joint, job, stage->motion};
    look->set(settings, &target);
}
