// From the style keys of cones to the settings of lift.
#include "deform/effects/cone.h"

#include "base/error.h"
#include "base/math.h"

#include <string.h>

typedef const limberi_entry* cone_entries[LIMBERI_CONE_KEY_COUNT]; // NULL: not given

static int32_t find_joint(const limber_rig* rig, const char* pattern) {
    for (uint32_t j = 0; j < rig->joint_count; j++)
        if (limberi_name_matches(rig->names[j], pattern))
            return (int32_t)j;
    return -1;
}

// A pattern may find nothing, so that a preset works on any character; a plain name that is not there is a slip.
static limber_result bind_cone_joint(limberi_binder* b, const cone_entries cone, limber_lift_cones* lift) {
    const limberi_entry* entry = cone[LIMBERI_CONE_JOINT];
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
    uint32_t at = 0;
    uint32_t length = 0;
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
static limber_result bind_cone_joints(limberi_binder* b, const cone_entries cone, limber_lift_cones* lift) {
    const limberi_entry* entry = cone[LIMBERI_CONE_JOINTS];
    limber_result result = LIMBER_OK;
    if (!entry || !entry->value.text[0])
        return LIMBER_OK;
    limber_lift_part* parts = LIMBERI_ALLOCATE(b->arena, limber_lift_part, LIMBER_LIFT_CONES);
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

static limber_result bind_cone_shape(limberi_binder* b, const cone_entries cone, limber_lift_cones* lift) {
    const limberi_entry* some = cone[LIMBERI_CONE_APEX];
    if (!some)
        some = cone[LIMBERI_CONE_AXIS];
    if (!some)
        some = cone[LIMBERI_CONE_HALF_ANGLE];
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
    const double* apex = cone[LIMBERI_CONE_APEX]->value.numbers;
    const double* axis = cone[LIMBERI_CONE_AXIS]->value.numbers;
    lift->cone.apex = limberi_vec3((float)apex[0], (float)apex[1], (float)apex[2]);
    lift->cone.axis = limberi_normalize(limberi_vec3((float)axis[0], (float)axis[1], (float)axis[2]));
    lift->cone.half_angle_rad = (float)(cone[LIMBERI_CONE_HALF_ANGLE]->value.numbers[0] * LIMBERI_PI / 180);
    if (limberi_length(lift->cone.axis) < 0.5f)
        return limberi_bind_at(b, limberi_fail(b->error, LIMBER_ERROR_DATA, "the axis has no direction"),
                               cone[LIMBERI_CONE_AXIS]);
    return LIMBER_OK;
}

static const limberi_entry* lift_gain(const limberi_binder* b) {
    for (uint32_t i = 0; i < b->count; i++)
        if (limberi_entry_is_of(limberi_bind_entry(b, i), "effects.lift.angular"))
            return limberi_bind_entry(b, i);
    return NULL;
}

// Without a joint there is nothing to fix a cone to; the mesh's own normals come nearest to what was asked for.
static void use_mesh_normals(limberi_binder* b, const cone_entries cone, limber_number* normals) {
    const limberi_entry* joint = cone[LIMBERI_CONE_JOINT];
    const limberi_entry* gain = lift_gain(b);
    char name[64];
    limberi_json_tidy(joint ? joint->value.text : "", name, sizeof name);
    if (name[0])
        limberi_bind_warn(b, joint, "no joint matches '%s', so the lift follows the mesh's normals", name);
    else if (gain)
        limberi_bind_warn(b, gain, "no joint is named for the cone, so the lift follows the mesh's normals");
    normals->value = LIMBER_LIFT_MESH;
}

limber_result limberi_bind_cone(limberi_binder* b, limber_deform_settings* deform) {
    limber_lift_cones* lift = &deform->lift_cones;
    cone_entries cone = {NULL};
    for (uint32_t i = 0; i < b->count; i++)
        if (limberi_entry_is_of(limberi_bind_entry(b, i), "effects.lift.cone"))
            cone[limberi_bind_entry(b, i)->row->part] = limberi_bind_entry(b, i);
    limber_result result = bind_cone_joint(b, cone, lift);
    if (!result)
        result = bind_cone_joints(b, cone, lift);
    if (!result)
        result = bind_cone_shape(b, cone, lift);
    if (result)
        return result;
    const limberi_entry* radius = cone[LIMBERI_CONE_BASE_RADIUS];
    lift->cone.base_radius = radius ? (float)radius->value.numbers[0] : 0;
    limber_effect_settings* effect = &deform->effects[LIMBER_EFFECT_LIFT];
    limber_number* normals = &effect->values[LIMBERI_LIFT_NORMALS - LIMBERI_VALUE_OWN];
    bool on = effect->angular.expression || effect->angular.value != 0;
    if (on && normals->value == LIMBER_LIFT_CONE && lift->cone.joint < 0 && !lift->part_count)
        use_mesh_normals(b, cone, normals);
    return LIMBER_OK;
}
