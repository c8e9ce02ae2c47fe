// Settings of single joints: gains, centroid offsets, medial axes, "about", and the cone of the lift.
#include "style/bind.h"

#include "base/error.h"
#include "base/math.h"

#include <math.h>
#include <string.h>

enum { PART_LINEAR = 1, PART_ANGULAR = 2 };

// Both parts of a joint's gain, each a constant or a formula.
typedef struct gain_plan {
    limber_number linear, angular;
} gain_plan;

// Arrays as they are being filled; those that stay at their defaults are not handed on.
typedef struct joint_plan {
    gain_plan* gains[LIMBER_EFFECT_COUNT];
    limber_vec3 *offsets, *axes;
    int8_t* about;
    float* contact;
} joint_plan;

// --- gains, offsets, about ---

static gain_plan* gains_of(limberi_binder* b, joint_plan* plan, int effect) {
    if (plan->gains[effect])
        return plan->gains[effect];
    uint32_t count = b->model->rig.joint_count;
    gain_plan* gains = LIMBERI_ALLOCATE(&b->bound->arena, gain_plan, count);
    for (uint32_t j = 0; gains && j < count; j++)
        gains[j].linear.value = gains[j].angular.value = 1;
    plan->gains[effect] = gains;
    return gains;
}

static void set_gain(limberi_binder* b, joint_plan* plan, const limberi_row* row, limber_number gain, uint32_t joint) {
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++) {
        gain_plan* gains = limberi_row_effects(row) >> e & 1 ? gains_of(b, plan, e) : NULL;
        if (gains && (row->part & PART_LINEAR))
            gains[joint].linear = gain;
        if (gains && (row->part & PART_ANGULAR))
            gains[joint].angular = gain;
    }
}

// In double precision: the numbers may be of any size.
static limber_vec3 unit_of(const double* x) {
    double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), scale = length > 0 ? 1 / length : 0;
    return limberi_vec3((float)(x[0] * scale), (float)(x[1] * scale), (float)(x[2] * scale));
}

static void set_joint(limberi_binder* b, joint_plan* plan, const limberi_entry* entry, limber_number gain,
                      uint32_t joint) {
    const limberi_row* row = limberi_row_at(entry->row);
    const double* x = entry->value.numbers;
    if (row->store == LIMBERI_STORE_GAIN)
        set_gain(b, plan, row, gain, joint);
    else if (row->store == LIMBERI_STORE_OFFSET && plan->offsets)
        plan->offsets[joint] = limberi_vec3((float)x[0], (float)x[1], (float)x[2]);
    else if (row->store == LIMBERI_STORE_AXIS && plan->axes)
        plan->axes[joint] = unit_of(x);
    else if (row->store == LIMBERI_STORE_ABOUT && plan->about)
        plan->about[joint] = (int8_t)entry->value.choice;
    else if (row->store == LIMBERI_STORE_CONTACT && plan->contact)
        plan->contact[joint] = (float)x[0];
}

static limber_result set_matching(limberi_binder* b, joint_plan* plan, const limberi_entry* entry) {
    bool any = false;
    limber_number gain = {0, NULL};
    limber_result result = LIMBER_OK;
    if (limberi_row_at(entry->row)->store == LIMBERI_STORE_GAIN)
        result = limberi_bind_number(b, entry, &gain);
    if (result)
        return result;
    for (uint32_t j = 0; j < b->model->rig.joint_count; j++) {
        if (!limberi_joint_matches(&b->model->rig, j, entry->pattern))
            continue;
        set_joint(b, plan, entry, gain, j);
        any = true;
    }
    if (any)
        return LIMBER_OK;
    limberi_address address = {2, {"joints", entry->pattern}};
    return limberi_style_at(b->error, limberi_fail_joint(b, entry->pattern), entry->pattern_place, &address);
}

// A formula takes the place of the constant, which then counts as the default.
static float constant_of(limber_number number) {
    return number.expression ? 1 : number.value;
}

// NULL: every joint has a gain of 1.
static const limber_joint_gain* constant_gains(limberi_binder* b, const gain_plan* plan) {
    uint32_t count = b->model->rig.joint_count;
    bool any = false;
    for (uint32_t j = 0; plan && j < count; j++)
        any = any || constant_of(plan[j].linear) != 1 || constant_of(plan[j].angular) != 1;
    limber_joint_gain* gains = any ? LIMBERI_ALLOCATE(&b->bound->arena, limber_joint_gain, count) : NULL;
    for (uint32_t j = 0; gains && j < count; j++) {
        gains[j].linear = constant_of(plan[j].linear);
        gains[j].angular = constant_of(plan[j].angular);
    }
    return gains;
}

// The formulas of one joint and effect: none, one for both parts, or one for each. Returns how many.
static uint32_t write_formulas(const gain_plan* plan, limber_effect effect, uint32_t joint, limber_gain_formula* out) {
    const limber_expression *linear = plan->linear.expression, *angular = plan->angular.expression;
    uint32_t count = 0;
    if (linear)
        out[count++] = (limber_gain_formula){effect, joint, true, linear == angular, linear};
    if (angular && linear != angular)
        out[count++] = (limber_gain_formula){effect, joint, false, true, angular};
    return count;
}

static void hand_over_formulas(limberi_binder* b, const joint_plan* plan) {
    limber_deform_settings* deform = &b->bound->settings.deform;
    uint32_t joints = b->model->rig.joint_count, count = 0;
    limber_gain_formula scratch[2];
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
        for (uint32_t j = 0; plan->gains[e] && j < joints; j++)
            count += write_formulas(&plan->gains[e][j], (limber_effect)e, j, scratch);
    limber_gain_formula* formulas = count ? LIMBERI_ALLOCATE(&b->bound->arena, limber_gain_formula, count) : NULL;
    deform->gain_formulas = formulas;
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
        for (uint32_t j = 0; formulas && plan->gains[e] && j < joints; j++)
            deform->gain_formula_count +=
                write_formulas(&plan->gains[e][j], (limber_effect)e, j, formulas + deform->gain_formula_count);
}

static void hand_over(limberi_binder* b, const joint_plan* plan) {
    limber_deform_settings* deform = &b->bound->settings.deform;
    uint32_t count = b->model->rig.joint_count;
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
        deform->joint_gains[e] = constant_gains(b, plan->gains[e]);
    hand_over_formulas(b, plan);
    for (uint32_t j = 0; j < count; j++) {
        limber_vec3 offset = plan->offsets[j];
        if (offset.x != 0 || offset.y != 0 || offset.z != 0)
            deform->centroid_offsets = plan->offsets;
        if (!limberi_is_zero(plan->axes[j]))
            deform->medial_axes = plan->axes;
        if (plan->about[j] >= 0)
            deform->about = plan->about;
        if (plan->contact[j] != 1)
            b->bound->settings.contacts.of_joint = plan->contact;
    }
}

static bool is_of_joints(const limberi_entry* entry) {
    limberi_store store = limberi_row_at(entry->row)->store;
    return entry->pattern && store != LIMBERI_STORE_MESH_SMEAR && store != LIMBERI_STORE_MESH_GAIN;
}

limber_result limberi_bind_joints(limberi_binder* b) {
    joint_plan plan;
    memset(&plan, 0, sizeof plan);
    bool any = false;
    for (uint32_t i = 0; i < b->style->count; i++)
        any = any || is_of_joints(&b->style->entries[i]);
    if (!any)
        return LIMBER_OK;
    uint32_t count = b->model->rig.joint_count;
    plan.offsets = LIMBERI_ALLOCATE(&b->bound->arena, limber_vec3, count);
    plan.axes = LIMBERI_ALLOCATE(&b->bound->arena, limber_vec3, count);
    plan.about = LIMBERI_ALLOCATE(&b->bound->arena, int8_t, count);
    plan.contact = LIMBERI_ALLOCATE(&b->bound->arena, float, count);
    if (!plan.offsets || !plan.axes || !plan.about || !plan.contact)
        return limberi_fail_memory(b->error);
    memset(plan.about, -1, count);
    for (uint32_t j = 0; j < count; j++)
        plan.contact[j] = 1;
    for (uint32_t i = 0; i < b->style->count; i++) {
        const limberi_entry* entry = &b->style->entries[b->order[i]];
        limber_result result = is_of_joints(entry) ? set_matching(b, &plan, entry) : LIMBER_OK;
        if (result)
            return result;
    }
    hand_over(b, &plan);
    return LIMBER_OK;
}

// --- the cone ---

static int32_t find_joint(const limber_rig* rig, const char* pattern) {
    for (uint32_t j = 0; j < rig->joint_count; j++)
        if (limberi_name_matches(rig->names[j], pattern))
            return (int32_t)j;
    return -1;
}

// A pattern may find nothing, so that a preset works on any character; a plain name that is not there is a slip.
static limber_result bind_cone_joint(limberi_binder* b, limber_lift_cones* lift) {
    const limberi_entry* entry = b->cone[LIMBERI_CONE_JOINT];
    if (!entry || !entry->value.text[0])
        return LIMBER_OK;
    lift->cone.joint = find_joint(&b->model->rig, entry->value.text);
    if (lift->cone.joint < 0 && !strchr(entry->value.text, '*'))
        return limberi_bind_at(b, limberi_fail_joint(b, entry->value.text), entry);
    return LIMBER_OK;
}

static limber_result find_named(limberi_binder* b, const limberi_entry* entry, const char* name, int32_t* joint) {
    *joint = find_joint(&b->model->rig, name);
    return *joint < 0 && !strchr(name, '*') ? limberi_bind_at(b, limberi_fail_joint(b, name), entry) : LIMBER_OK;
}

// "A" or "A > B", up to the end of the line; returns what follows.
static const char* next_part(const char* text, char names[2][LIMBERI_PATTERN_BYTES]) {
    uint32_t at = 0, length = 0;
    names[0][0] = names[1][0] = 0;
    for (; *text && *text != '\n'; text++) {
        if (*text == '>' && at == 0) {
            at = 1;
            length = 0;
        } else if (length + 1 < LIMBERI_PATTERN_BYTES && !(*text == ' ' && length == 0)) {
            names[at][length++] = *text;
            names[at][length] = 0;
        }
    }
    for (int i = 0; i < 2; i++)
        for (size_t end = strlen(names[i]); end && names[i][end - 1] == ' '; end--)
            names[i][end - 1] = 0;
    return *text ? text + 1 : text;
}

// Patterns that find nothing are left out, so that a preset works on any character.
static limber_result bind_cone_joints(limberi_binder* b, limber_lift_cones* lift) {
    const limberi_entry* entry = b->cone[LIMBERI_CONE_JOINTS];
    limber_result result = LIMBER_OK;
    if (!entry || !entry->value.text[0])
        return LIMBER_OK;
    limber_lift_part* parts = LIMBERI_ALLOCATE(&b->bound->arena, limber_lift_part, LIMBER_LIFT_CONES);
    lift->parts = parts;
    for (const char* text = entry->value.text; parts && *text && !result;) {
        char names[2][LIMBERI_PATTERN_BYTES];
        limber_lift_part part = {-1, -1};
        text = next_part(text, names);
        result = find_named(b, entry, names[0], &part.joint);
        if (!result && names[1][0])
            result = find_named(b, entry, names[1], &part.to);
        bool found = part.joint >= 0 && (!names[1][0] || part.to >= 0);
        if (!result && found && lift->part_count < LIMBER_LIFT_CONES)
            parts[lift->part_count++] = part;
    }
    return result;
}

static limber_result bind_cone_shape(limberi_binder* b, limber_lift_cones* lift) {
    const limberi_entry* const* cone = b->cone;
    const limberi_entry* some = cone[LIMBERI_CONE_APEX]   ? cone[LIMBERI_CONE_APEX]
                                : cone[LIMBERI_CONE_AXIS] ? cone[LIMBERI_CONE_AXIS]
                                                          : cone[LIMBERI_CONE_HALF_ANGLE];
    const limberi_entry* fit = cone[LIMBERI_CONE_FIT];
    bool wants_fit = !fit || fit->value.choice == 0;
    if (!some && wants_fit) {
        lift->fit = lift->cone.joint >= 0;
        return LIMBER_OK;
    }
    if (!cone[LIMBERI_CONE_APEX] || !cone[LIMBERI_CONE_AXIS] || !cone[LIMBERI_CONE_HALF_ANGLE])
        return limberi_bind_at(
            b, limberi_fail(b->error, LIMBER_ERROR_DATA, "a cone that is not fitted needs apex, axis and half_angle"),
            some ? some : fit);
    const double *apex = cone[LIMBERI_CONE_APEX]->value.numbers, *axis = cone[LIMBERI_CONE_AXIS]->value.numbers;
    lift->cone.apex = limberi_vec3((float)apex[0], (float)apex[1], (float)apex[2]);
    lift->cone.axis = limberi_normalize(limberi_vec3((float)axis[0], (float)axis[1], (float)axis[2]));
    lift->cone.half_angle_rad = (float)(cone[LIMBERI_CONE_HALF_ANGLE]->value.numbers[0] * LIMBERI_PI / 180);
    if (limberi_length(lift->cone.axis) < 0.5f)
        return limberi_bind_at(b, limberi_fail(b->error, LIMBER_ERROR_DATA, "the axis has no direction"),
                               cone[LIMBERI_CONE_AXIS]);
    return LIMBER_OK;
}

static const limberi_entry* lift_gain(const limber_style* style) {
    for (uint32_t i = 0; i < style->count; i++)
        if (style->entries[i].effect == LIMBER_EFFECT_LIFT &&
            limberi_row_at(style->entries[i].row)->store == LIMBERI_STORE_NUMBER)
            return &style->entries[i];
    return NULL;
}

// Without a joint there is nothing to fix a cone to; the mesh's own normals come nearest to what was asked for.
static void use_mesh_normals(limberi_binder* b, limber_number* normals) {
    const limberi_entry *joint = b->cone[LIMBERI_CONE_JOINT], *gain = lift_gain(b->style);
    char name[64];
    limberi_json_tidy(joint ? joint->value.text : "", name, sizeof name);
    if (name[0])
        limberi_bind_warn(b, joint, "no joint matches '%s', so the lift follows the mesh's normals", name);
    else if (gain)
        limberi_bind_warn(b, gain, "no joint is named for the cone, so the lift follows the mesh's normals");
    normals->value = LIMBER_LIFT_MESH;
}

limber_result limberi_bind_cone(limberi_binder* b) {
    limber_lift_cones* lift = &b->bound->settings.deform.lift_cones;
    limber_result result = bind_cone_joint(b, lift);
    if (!result)
        result = bind_cone_joints(b, lift);
    if (!result)
        result = bind_cone_shape(b, lift);
    if (result)
        return result;
    const limberi_entry* radius = b->cone[LIMBERI_CONE_BASE_RADIUS];
    lift->cone.base_radius = radius ? (float)radius->value.numbers[0] : 0;
    limber_effect_settings* effect = &b->bound->settings.deform.effects[LIMBER_EFFECT_LIFT];
    limber_number* normals = limber_effect_number(&b->bound->settings.deform, LIMBER_EFFECT_LIFT, "normals");
    bool on = effect->angular.expression || effect->angular.value != 0;
    if (on && normals->value == LIMBER_LIFT_CONE && lift->cone.joint < 0 && !lift->part_count)
        use_mesh_normals(b, normals);
    return LIMBER_OK;
}
