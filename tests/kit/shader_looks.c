#include "kit/shader_looks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_FORMULAS = 32, MOST_JOINTS = 512 };

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

void test_shader_looks_free(void) {
    for (int i = 0; i < MOST_FORMULAS; i++)
        limber_expression_destroy(formulas[i]);
}

static void gains(limber_deform_settings* s, limber_effect effect, float linear, float angular) {
    s->effects[effect].linear.value = linear;
    s->effects[effect].angular.value = angular;
}

#define LOOK(name) static void name(limber_deform_settings* s, const limber_model* model)

LOOK(nothing) {
    (void)s;
    (void)model;
}

LOOK(floppy) {
    (void)model;
    gains(s, LIMBER_EFFECT_FLOPPY, 0.05f, 0.3f);
    s->effects[LIMBER_EFFECT_FLOPPY].twist.value = 0.5f;
    s->effects[LIMBER_EFFECT_FLOPPY].bend.value = 1.2f;
    s->effects[LIMBER_EFFECT_FLOPPY].max_bend_deg.value = 30;
}

LOOK(squash) {
    (void)model;
    gains(s, LIMBER_EFFECT_SQUASH, 0.1f, 0.2f);
}

LOOK(squash_about_centers) {
    static int8_t about[MOST_JOINTS];
    static limber_vec3 offsets[MOST_JOINTS];
    gains(s, LIMBER_EFFECT_SQUASH, -0.3f, 0.2f);
    s->effects[LIMBER_EFFECT_SQUASH].about = LIMBER_ABOUT_CENTER;
    assert_true(model->rig.joint_count <= MOST_JOINTS);
    for (uint32_t j = 0; j < model->rig.joint_count; j++) {
        about[j] = (int8_t)((int)(j % 3) - 1);
        offsets[j].y = 0.02f * model->size;
    }
    s->about = about;
    s->centroid_offsets = offsets;
}

LOOK(drag) {
    (void)model;
    gains(s, LIMBER_EFFECT_DRAG, 0.004f, 0.02f);
    s->effects[LIMBER_EFFECT_DRAG].max_bend_deg.value = 40;
}

LOOK(followthrough) {
    (void)model;
    limber_filter spring = {LIMBER_FILTER_SPRING, 0, 3, 0.3};
    gains(s, LIMBER_EFFECT_FOLLOWTHROUGH, 0.004f, 0.02f);
    s->effects[LIMBER_EFFECT_FOLLOWTHROUGH].filters.acceleration = spring;
    s->effects[LIMBER_EFFECT_FOLLOWTHROUGH].filters.angular_acceleration = spring;
    s->effects[LIMBER_EFFECT_FOLLOWTHROUGH].max_bend_deg.value = 40;
}

LOOK(stretch) {
    (void)model;
    gains(s, LIMBER_EFFECT_STRETCH, 0, 0.005f);
}

LOOK(stretch_quadratic) {
    stretch(s, model);
    s->effects[LIMBER_EFFECT_STRETCH].profile = LIMBER_PROFILE_QUADRATIC;
}

LOOK(lift_mesh) {
    (void)model;
    gains(s, LIMBER_EFFECT_LIFT, 0, 0.03f);
    s->effects[LIMBER_EFFECT_LIFT].normals = LIMBER_LIFT_MESH;
}

LOOK(lift_cone) {
    gains(s, LIMBER_EFFECT_LIFT, 0, 0.03f);
    const limber_mesh* mesh = &model->meshes[0];
    uint32_t joint = mesh->vertex_count ? model->skins[mesh->skin].joints[mesh->influence_joint[0]] : 0;
    limber_cone cone = {(int32_t)joint, {0.01f, -0.02f, 0.1f}, {0, 0.6f, 0.8f}, 0.5f, 0.02f * model->size};
    s->effects[LIMBER_EFFECT_LIFT].cone = cone;
}

LOOK(lift_by_everything) {
    lift_mesh(s, model);
    s->effects[LIMBER_EFFECT_LIFT].sources = (1u << LIMBER_EFFECT_LIFT) - 1;
    floppy(s, model);
    gains(s, LIMBER_EFFECT_SQUASH, 0.1f, 0.1f);
    gains(s, LIMBER_EFFECT_FOLLOWTHROUGH, 0.004f, 0.01f);
    gains(s, LIMBER_EFFECT_STRETCH, 0, 0.002f); // drag is off, which counts as gains of 1
    s->effects[LIMBER_EFFECT_DRAG].max_bend_deg.value = 30;
    s->effects[LIMBER_EFFECT_SQUASH].layer = "squash";
    s->effects[LIMBER_EFFECT_FLOPPY].layer = "floppy";
    gains(s, LIMBER_EFFECT_LIFT, 0, 0.01f);
}

LOOK(everything) {
    limber_filter lowpass = {LIMBER_FILTER_LOWPASS, 0.4, 0, 0};
    floppy(s, model);
    squash(s, model);
    drag(s, model);
    followthrough(s, model);
    stretch(s, model);
    lift_mesh(s, model);
    s->effects[LIMBER_EFFECT_SQUASH].filters.velocity = lowpass;
    s->effects[LIMBER_EFFECT_SQUASH].filters.angular_velocity = lowpass;
}

// Effects that see the same motion share what turns them.
static void one_motion(limber_deform_settings* s) {
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
        s->effects[e].filters = limber_filter_set_none();
}

LOOK(everything_of_one_motion) {
    everything(s, model);
    one_motion(s);
}

LOOK(layers) {
    everything_of_one_motion(s, model);
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
        s->effects[e].layer = e % 2 ? "squash" : "floppy";
    gains(s, LIMBER_EFFECT_SQUASH, -0.5f, 0.2f);
}

LOOK(layers_and_cone) {
    everything(s, model);
    lift_cone(s, model);
    s->effects[LIMBER_EFFECT_LIFT].normals = LIMBER_LIFT_CONE;
    s->effects[LIMBER_EFFECT_STRETCH].profile = LIMBER_PROFILE_QUADRATIC;
    s->effects[LIMBER_EFFECT_STRETCH].layer = "floppy";
    s->effects[LIMBER_EFFECT_LIFT].layer = "floppy";
}

LOOK(formulas_per_vertex) {
    everything(s, model);
    s->effects[LIMBER_EFFECT_FLOPPY].angular = formula("0.3 * height + 0.1 * sin(8 * x)");
    s->effects[LIMBER_EFFECT_FLOPPY].linear = formula("0.05 * paint.floppy");
    s->effects[LIMBER_EFFECT_FLOPPY].max_bend_deg = formula("60 * rand - 10"); // also none at all
    s->effects[LIMBER_EFFECT_SQUASH].linear = formula("0.2 * rand * nx");
    s->effects[LIMBER_EFFECT_SQUASH].layer = "squash";
    s->effects[LIMBER_EFFECT_DRAG].linear = formula("0.004 * y");
    s->effects[LIMBER_EFFECT_STRETCH].angular = formula("0.01 * phase * height");
}

LOOK(formulas_of_speed_and_time) {
    everything(s, model);
    s->effects[LIMBER_EFFECT_FLOPPY].angular = formula("0.1 * min(speed, 3)");
    s->effects[LIMBER_EFFECT_SQUASH].linear = formula("0.05 * speed");
    s->effects[LIMBER_EFFECT_DRAG].threshold = formula("phase");
    s->effects[LIMBER_EFFECT_FOLLOWTHROUGH].angular = formula("0.02 * sin(9 * t)");
    s->effects[LIMBER_EFFECT_FOLLOWTHROUGH].max_bend_deg = formula("10 + frame");
}

LOOK(gains_of_joints) {
    static limber_joint_gain table[LIMBER_EFFECT_COUNT][MOST_JOINTS];
    everything_of_one_motion(s, model);
    assert_true(model->rig.joint_count <= MOST_JOINTS);
    for (uint32_t e = 0; e < LIMBER_EFFECT_COUNT; e++) {
        for (uint32_t j = 0; j < model->rig.joint_count; j++) {
            table[e][j].linear = (float)((3 * e + 5 * j) % 4) - 1;
            table[e][j].angular = (float)((e + 7 * j) % 4) - 1;
        }
        s->joint_gains[e] = table[e];
    }
}

const test_shader_look test_shader_looks[] = {
    {"nothing", nothing, false},
    {"floppy", floppy, false},
    {"squash", squash, false},
    {"squash about centers", squash_about_centers, false},
    {"drag", drag, false},
    {"followthrough", followthrough, false},
    {"stretch", stretch, false},
    {"stretch, quadratic", stretch_quadratic, false},
    {"lift by mesh normals", lift_mesh, false},
    {"lift by a cone", lift_cone, false},
    {"lift by all effects", lift_by_everything, false},
    {"everything", everything, true},
    {"everything of one motion", everything_of_one_motion, false},
    {"layers", layers, false},
    {"layers and a cone", layers_and_cone, false},
    {"formulas per vertex", formulas_per_vertex, false},
    {"formulas of speed and time", formulas_of_speed_and_time, false},
    {"gains of joints", gains_of_joints, false},
};

const uint32_t test_shader_look_count = sizeof test_shader_looks / sizeof *test_shader_looks;
