// A small character with names, and short ways to read and bind styles.
#include "kit/style_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

limber_asset* style_kit_asset(void) {
    static const char* const names[KIT_JOINTS] = {"Root", "Hip", "Head", "Arm.L", "LegL", "LegR", "Skirt"};
    static const float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, weights[3] = {1, 1, 1};
    static const float soft[3] = {0, 0.5f, 1}, ears[3] = {1, 0, 1};
    static const uint32_t triangle[3] = {0, 1, 2}, first[4] = {0, 1, 2, 3};
    static const uint16_t influences[3] = {0, 1, 2};
    static const limber_layer layers[2] = {{"floppy", soft}, {"ears", ears}};
    int32_t parents[KIT_JOINTS];
    uint32_t joints[KIT_JOINTS];
    limber_transform rest[KIT_JOINTS];
    limber_mat4 inverse[KIT_JOINTS];
    for (uint32_t j = 0; j < KIT_JOINTS; j++) {
        parents[j] = (int32_t)j - 1;
        joints[j] = j;
        rest[j] = limber_transform_identity();
        inverse[j] = limber_mat4_identity();
    }
    const limber_skin skin = {"skin", KIT_JOINTS, joints, inverse, limber_mat4_identity()};
    limber_mesh mesh;
    memset(&mesh, 0, sizeof mesh);
    mesh.name = mesh.node_name = "mesh";
    mesh.vertex_count = 3;
    mesh.triangle_count = 1;
    mesh.positions = positions;
    mesh.triangles = triangle;
    mesh.influence_first = first;
    mesh.influence_joint = influences;
    mesh.influence_weight = weights;
    mesh.layer_count = 2;
    mesh.layers = layers;
    limber_model model = limber_model_default();
    model.rig.joint_count = KIT_JOINTS;
    model.rig.names = names;
    model.rig.parents = parents;
    model.rig.rest_local = rest;
    model.skin_count = model.mesh_count = 1;
    model.skins = &skin;
    model.meshes = &mesh;
    limber_asset* asset = NULL;
    limber_error error;
    if (limber_asset_create(&model, &asset, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    return asset;
}

limber_style* style_kit_read(const char* text) {
    limber_style* style;
    limber_error error;
    assert_int_equal(limber_style_create(&style, &error), LIMBER_OK);
    if (limber_style_read(style, text, strlen(text), &error) != LIMBER_OK)
        fail_msg("%s: %s\n%s", error.place, error.message, text);
    return style;
}

void style_kit_refuse(const char* text, const char* message, const char* place) {
    limber_style* style;
    limber_error error;
    assert_int_equal(limber_style_create(&style, &error), LIMBER_OK);
    assert_int_equal(limber_style_read(style, text, strlen(text), &error), LIMBER_ERROR_DATA);
    if (!strstr(error.message, message) || !strstr(error.place, place))
        fail_msg("%s: %s: %s", text, error.place, error.message);
    limber_style_destroy(style);
}

void style_kit_set(limber_style* style, const char* path, const char* value) {
    limber_error error;
    if (limber_style_set(style, path, value, &error) != LIMBER_OK)
        fail_msg("%s=%s: %s: %s", path, value, error.place, error.message);
}

limber_bound_style* style_kit_bind(const limber_style* style, const limber_asset* asset) {
    limber_bound_style* bound;
    limber_error error;
    if (limber_style_bind(style, asset, &bound, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    return bound;
}

// --- comparing ---

static bool same_number(limber_number a, limber_number b) {
    if (!a.expression != !b.expression)
        return false;
    if (a.expression)
        return strcmp(limber_expression_text(a.expression), limber_expression_text(b.expression)) == 0;
    return a.value == b.value;
}

static bool same_filter(const limber_filter* a, const limber_filter* b) {
    return a->type == b->type && a->gamma == b->gamma && a->frequency_hz == b->frequency_hz && a->damping == b->damping;
}

static bool same_vector(limber_vec3 a, limber_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_filter_formulas(const limber_deform_settings* a, const limber_deform_settings* b) {
    for (uint32_t i = 0; a->filter_formula_count == b->filter_formula_count && i < a->filter_formula_count; i++) {
        const limber_filter_formula* x = &a->filter_formulas[i];
        const limber_filter_formula* y = &b->filter_formulas[i];
        if (x->effect != y->effect || x->number != y->number ||
            strcmp(limber_expression_text(x->expression), limber_expression_text(y->expression)) != 0)
            return false;
    }
    return a->filter_formula_count == b->filter_formula_count;
}

static const char* effect_difference(const limber_effect_settings* a, const limber_effect_settings* b) {
    const struct {
        const char* name;
        bool same;
    } checks[] = {
        {"linear", same_number(a->linear, b->linear)},
        {"angular", same_number(a->angular, b->angular)},
        {"frequency", a->filters.follower.frequency_hz == b->filters.follower.frequency_hz},
        {"damping", a->filters.follower.damping == b->filters.follower.damping},
        {"smooth", a->filters.follower.smooth_s == b->filters.follower.smooth_s},
        {"ahead", a->filters.follower.ahead_s == b->filters.follower.ahead_s},
        {"arrive", a->filters.follower.arrive == b->filters.follower.arrive},
        {"layer", !a->layer == !b->layer && (!a->layer || strcmp(a->layer, b->layer) == 0)},
        {"joint layer", !a->joint_layer == !b->joint_layer},
        {"velocity filter", same_filter(&a->filters.velocity, &b->filters.velocity)},
        {"acceleration filter", same_filter(&a->filters.acceleration, &b->filters.acceleration)},
        {"angular velocity filter", same_filter(&a->filters.angular_velocity, &b->filters.angular_velocity)},
        {"angular acceleration filter",
         same_filter(&a->filters.angular_acceleration, &b->filters.angular_acceleration)},
    };
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        if (!checks[i].same)
            return checks[i].name;
    for (uint32_t v = 0; v < LIMBER_EFFECT_VALUES; v++)
        if (!same_number(a->values[v], b->values[v]))
            return "a number of its own";
    return "";
}

static bool same_formulas(const limber_deform_settings* a, const limber_deform_settings* b) {
    if (a->gain_formula_count != b->gain_formula_count || !same_filter_formulas(a, b))
        return false;
    for (uint32_t i = 0; i < a->gain_formula_count; i++) {
        const limber_gain_formula *x = &a->gain_formulas[i], *y = &b->gain_formulas[i];
        if (x->effect != y->effect || x->joint != y->joint || x->linear != y->linear || x->angular != y->angular ||
            strcmp(limber_expression_text(x->expression), limber_expression_text(y->expression)) != 0)
            return false;
    }
    return true;
}

static const char* joint_difference(const limber_deform_settings* a, const limber_deform_settings* b) {
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++) {
        const limber_joint_gain *x = a->joint_gains[e], *y = b->joint_gains[e];
        if (!x != !y)
            return "gains";
        for (uint32_t j = 0; x && j < KIT_JOINTS; j++)
            if (x[j].linear != y[j].linear || x[j].angular != y[j].angular)
                return "gains";
    }
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++) {
        const float *x = a->mesh_gains[e], *y = b->mesh_gains[e];
        if (!x != !y || (x && x[0] != y[0]))
            return "gains of meshes";
    }
    if (!same_formulas(a, b))
        return "formulas of gains";
    if (!a->centroid_offsets != !b->centroid_offsets || !a->about != !b->about || !a->medial_axes != !b->medial_axes)
        return "centroid offsets, medial axes or about";
    for (uint32_t j = 0; j < KIT_JOINTS; j++) {
        if (a->centroid_offsets && !same_vector(a->centroid_offsets[j], b->centroid_offsets[j]))
            return "centroid offsets";
        if (a->medial_axes && !same_vector(a->medial_axes[j], b->medial_axes[j]))
            return "medial axes";
        if (a->about && a->about[j] != b->about[j])
            return "about";
    }
    return "";
}

static bool same_flags(const uint8_t* a, const uint8_t* b) {
    for (uint32_t j = 0; j < KIT_JOINTS; j++)
        if ((a ? a[j] : 0) != (b ? b[j] : 0))
            return false;
    return true;
}

// The default length is a formula of the table; it needs no separate formula.
static bool same_length(const limber_smear_line_settings* a, const limber_smear_line_settings* b) {
    const char* x = a->standard_length     ? "8 * offset"
                    : a->length.expression ? limber_expression_text(a->length.expression)
                                           : NULL;
    const char* y = b->standard_length     ? "8 * offset"
                    : b->length.expression ? limber_expression_text(b->length.expression)
                                           : NULL;
    return x && y ? strcmp(x, y) == 0 : !x && !y && a->length.value == b->length.value;
}

static const char* smear_difference(const limber_smear_settings* a, const limber_smear_settings* b) {
    const struct {
        const char* name;
        bool same;
    } checks[] = {
        {"skeleton", a->offsets.skeleton == b->offsets.skeleton},
        {"prune", same_flags(a->offsets.pruned, b->offsets.pruned)},
        {"prune_below", a->offsets.prune_below == b->offsets.prune_below},
        {"smooth", a->offsets.smooth == b->offsets.smooth},
        {"motion", a->steady_offsets == b->steady_offsets},
        {"normalize", a->printed_sizes == b->printed_sizes},
        {"space", a->offsets.camera == b->offsets.camera},
        {"amount", same_number(a->elongate.amount, b->elongate.amount)},
        {"past", same_number(a->elongate.past, b->elongate.past)},
        {"future", same_number(a->elongate.future, b->elongate.future)},
        {"max", a->elongate.max == b->elongate.max},
        {"subdivide", a->elongate.subdivide == b->elongate.subdivide},
        {"tear", a->elongate.tear == b->elongate.tear},
        {"copies", a->multiples.past == b->multiples.past && a->multiples.future == b->multiples.future},
        {"overlap", a->multiples.overlap == b->multiples.overlap},
        {"spacing", a->multiples.spacing == b->multiples.spacing},
        {"opacity", a->multiples.standard_opacity == b->multiples.standard_opacity &&
                        same_number(a->multiples.opacity, b->multiples.opacity)},
        {"speed of copies", a->multiples.min_speed == b->multiples.min_speed},
        {"count", a->lines.count == b->lines.count},
        {"silhouette", a->lines.silhouette == b->lines.silhouette},
        {"color", a->lines.colored == b->lines.colored && !memcmp(a->lines.color, b->lines.color, 3 * sizeof(float))},
        {"second color", a->line_tint.on == b->line_tint.on && a->line_tint.surface == b->line_tint.surface &&
                             !memcmp(a->line_tint.color, b->line_tint.color, 3 * sizeof(float))},
        {"start of the second color", same_number(a->line_tint.start, b->line_tint.start)},
        {"end of the second color", same_number(a->line_tint.end, b->line_tint.end)},
        {"point", same_number(a->lines.point, b->lines.point)},
        {"dry", same_number(a->lines.dry, b->lines.dry)},
        {"length", same_length(&a->lines, &b->lines)},
        {"radius", same_number(a->lines.radius, b->lines.radius)},
        {"taper", same_number(a->lines.taper, b->lines.taper)},
        {"gap", same_number(a->lines.gap, b->lines.gap)},
        {"opacity of lines", same_number(a->lines.opacity, b->lines.opacity)},
        {"fade", same_number(a->lines.fade, b->lines.fade)},
        {"speed of lines", a->lines.min_speed == b->lines.min_speed},
        {"seed", a->lines.seed == b->lines.seed},
        {"spin", same_flags(a->ignore_spin, b->ignore_spin) && a->ignore_balls == b->ignore_balls &&
                     a->texture_spin == b->texture_spin},
        {"motion", a->motion.part == b->motion.part && a->motion.joint == b->motion.joint},
        {"gains", (a->joint_gains != NULL) == (b->joint_gains != NULL)},
        {"step", a->step == b->step},
        {"stretch", a->drawn.stretch == b->drawn.stretch && a->drawn.body == b->drawn.body},
        {"ribbon", a->drawn.ribbon == b->drawn.ribbon && a->drawn.ribbon_age == b->drawn.ribbon_age &&
                       a->drawn.streaks == b->drawn.streaks},
        {"strokes", a->drawn.strokes == b->drawn.strokes},
        {"burst", a->drawn.width == b->drawn.width && a->drawn.frames == b->drawn.frames},
    };
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        if (!checks[i].same)
            return checks[i].name;
    if (a->of_mesh || b->of_mesh)
        return smear_difference(a->of_mesh ? a->of_mesh : a, b->of_mesh ? b->of_mesh : b);
    return "";
}

// NULL stands for all joints, or for none.
static bool same_joints(const bool* a, const bool* b, bool standard) {
    for (uint32_t j = 0; j < KIT_JOINTS; j++)
        if ((a ? a[j] : standard) != (b ? b[j] : standard))
            return false;
    return true;
}

static bool same_constraints(const limber_exaggerate_settings* a, const limber_exaggerate_settings* b) {
    if (a->automatic != b->automatic || a->constraint_count != b->constraint_count)
        return false;
    for (uint32_t i = 0; i < a->constraint_count; i++) {
        const limber_constraint *x = &a->constraints[i], *y = &b->constraints[i];
        if (x->joint != y->joint || x->weight != y->weight || x->relative != y->relative ||
            x->window_s != y->window_s || x->key_count != y->key_count || !same_number(x->elongate, y->elongate))
            return false;
    }
    return true;
}

static bool same_expression(const limber_expression* a, const limber_expression* b) {
    return a && b ? strcmp(limber_expression_text(a), limber_expression_text(b)) == 0 : !a && !b;
}

static const char* exaggerate_difference(const limber_exaggerate_settings* a, const limber_exaggerate_settings* b) {
    const struct {
        const char* name;
        bool same;
    } checks[] = {
        {"amount", a->amount == b->amount},
        {"sigma", a->sigma_s == b->sigma_s},
        {"delay", a->delay_s == b->delay_s},
        {"formulas", same_expression(a->changes.amount, b->changes.amount) &&
                         same_expression(a->changes.sigma_s, b->changes.sigma_s) &&
                         same_expression(a->changes.delay_s, b->changes.delay_s) &&
                         same_expression(a->changes.strength, b->changes.strength)},
        {"filtered joints", same_joints(a->filter_joints, b->filter_joints, true)},
        {"constraints", same_constraints(a, b)},
        {"strength", a->strength == b->strength},
        {"limit", a->limit == b->limit},
        {"kinematic", a->kinematic == b->kinematic},
        {"pin_root", a->pin_root == b->pin_root},
        {"spread", a->spread == b->spread},
        {"smooth", a->smooth == b->smooth},
        {"stretch_skin", a->stretch_skin == b->stretch_skin},
    };
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        if (!checks[i].same)
            return checks[i].name;
    return "";
}

limber_number style_kit_number(const limber_stage_settings* settings, limber_effect effect, const char* name) {
    limber_deform_settings copy = settings->deform;
    const limber_number* number = limber_effect_number(&copy, effect, name);
    if (!number)
        fail_msg("%s has no number '%s'", limber_effect_name(effect), name);
    return *number;
}

static bool same_cones(const limber_lift_cones* a, const limber_lift_cones* b) {
    return a->fit == b->fit && a->part_count == b->part_count && a->cone.joint == b->cone.joint &&
           same_vector(a->cone.apex, b->cone.apex) && same_vector(a->cone.axis, b->cone.axis) &&
           a->cone.half_angle_rad == b->cone.half_angle_rad && a->cone.base_radius == b->cone.base_radius;
}

const char* style_kit_difference(const limber_stage_settings* a, const limber_stage_settings* b) {
    static char text[64];
    if (a->skinning != b->skinning)
        return "skinning";
    if (!same_cones(&a->deform.lift_cones, &b->deform.lift_cones))
        return "cones";
    if (a->rigid.mode != b->rigid.mode || a->rigid.only_count != b->rigid.only_count ||
        a->rigid.except_count != b->rigid.except_count || a->rigid.mass_count != b->rigid.mass_count ||
        a->rigid.prop_count != b->rigid.prop_count || a->rigid.appendage_count != b->rigid.appendage_count)
        return "rigid";
    if (!a->contacts.of_joint != !b->contacts.of_joint)
        return "contact of a joint";
    if (a->contacts.strength != b->contacts.strength || a->contacts.floor != b->contacts.floor ||
        a->contacts.height != b->contacts.height || a->contacts.edit_count != b->contacts.edit_count)
        return "contacts";
    if (a->morphs.drag != b->morphs.drag || a->morphs.squash != b->morphs.squash || a->morphs.max != b->morphs.max)
        return "morphs";
    if (a->perform.snap != b->perform.snap || a->perform.hang != b->perform.hang ||
        a->perform.step != b->perform.step || a->perform.hold_count != b->perform.hold_count)
        return "timing";
    if (a->perform.trail != b->perform.trail)
        return "trail";
    if (a->perform.exaggerate != b->perform.exaggerate || a->perform.anticipate != b->perform.anticipate ||
        (a->perform.of_joint == NULL) != (b->perform.of_joint == NULL))
        return "pose";
    if (a->perform.squash != b->perform.squash || a->perform.bend != b->perform.bend)
        return "body";
    if (a->impact.gain != b->impact.gain || a->impact.min_speed != b->impact.min_speed)
        return "impact";
    if (a->colliders.automatic != b->colliders.automatic || a->colliders.count != b->colliders.count)
        return "colliders";
    if (memcmp(&a->air.gravity, &b->air.gravity, sizeof a->air.gravity) != 0)
        return "gravity";
    for (int c = 0; c < 3; c++)
        if (a->air.wind[c].value != b->air.wind[c].value)
            return "wind";
    if (a->baked != b->baked)
        return "baked";
    if (a->motion.step_s != b->motion.step_s || a->motion.loop != b->motion.loop ||
        a->motion.derivatives != b->motion.derivatives)
        return "motion";
    if (a->deform.size != b->deform.size || a->deform.normals != b->deform.normals ||
        a->deform.compose != b->deform.compose || a->deform.root != b->deform.root)
        return "size, normals, compose or root";
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++) {
        const char* found = effect_difference(&a->deform.effects[e], &b->deform.effects[e]);
        if (found[0]) {
            snprintf(text, sizeof text, "%s of %s", found, limber_effect_name((limber_effect)e));
            return text;
        }
    }
    if (joint_difference(&a->deform, &b->deform)[0])
        return joint_difference(&a->deform, &b->deform);
    if (exaggerate_difference(&a->exaggerate, &b->exaggerate)[0])
        return exaggerate_difference(&a->exaggerate, &b->exaggerate);
    return smear_difference(&a->smear, &b->smear);
}
