// What the deform stage makes of its keys once all values are known: filters, layers, and gains of joints and meshes.
#include "base/error.h"
#include "base/math.h"
#include "base/turns.h"
#include "deform/effects/cone.h"
#include "deform/effects/keys.h"
#include "deform/style_keys.h"
#include "layer/layer.h"
#include "motion/time_filter.h"
#include "text/text.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

bool limberi_row_is_filter(const limberi_row* row) {
    return strncmp(row->key.path, "effects.*.filter", 16) == 0;
}

// Filters are for the quantities that an effect reads.
uint32_t limberi_row_effects(const limberi_row* row) {
    static const uint32_t quantities[LIMBERI_QUANTITY_COUNT] = {
        [LIMBERI_QUANTITY_ALL] = UINT32_MAX,
        [LIMBERI_QUANTITY_VELOCITY] = LIMBERI_VELOCITY,
        [LIMBERI_QUANTITY_ACCELERATION] = LIMBERI_ACCELERATION,
        [LIMBERI_QUANTITY_ANGULAR_VELOCITY] = LIMBERI_ANGULAR_VELOCITY,
        [LIMBERI_QUANTITY_ANGULAR_ACCELERATION] = LIMBERI_ANGULAR_ACCELERATION};
    uint32_t effects = 0;
    if (!limberi_row_is_filter(row))
        return row->effects;
    for (uint32_t e = 0; e < LIMBER_EFFECT_COUNT; e++)
        effects |= limberi_effects[e]->reads & quantities[row->part] ? 1u << e : 0;
    return effects;
}

// --- filters ---

enum { FILTER_NUMBERS = 3 };
static const size_t filter_numbers[FILTER_NUMBERS] = {
    offsetof(limber_filter, gamma), offsetof(limber_filter, frequency_hz), offsetof(limber_filter, damping)};

// Put together from several keys.
typedef struct filter_plan {
    limber_filter filter;
    const limber_expression* formulas[FILTER_NUMBERS]; // in place of gamma, frequency and damping; NULL: none
    bool typed, given;                                 // whether a type was given, and anything at all
} filter_plan;

typedef filter_plan filter_plans[LIMBER_EFFECT_COUNT][LIMBERI_QUANTITY_COUNT];

static bool is_type(const limberi_row* row) {
    return row->key.type == LIMBER_KEY_CHOICE;
}

static limber_result store_formula(limberi_binder* b, filter_plan* plan, const limberi_entry* entry) {
    limber_number bound;
    limber_result result = limberi_bind_number(b, entry, &bound);
    for (int n = 0; !result && n < FILTER_NUMBERS; n++)
        if (filter_numbers[n] == entry->row->offset)
            plan->formulas[n] = bound.expression;
    return result;
}

static limber_result store_filter(limberi_binder* b, filter_plan* plan, const limberi_entry* entry) {
    plan->given = true;
    if (is_type(entry->row)) {
        plan->typed = true;
        plan->filter.type = (limber_filter_type)entry->value.choice;
    } else if (entry->value.text) {
        return store_formula(b, plan, entry);
    } else {
        memcpy((char*)&plan->filter + entry->row->offset, &entry->value.numbers[0], sizeof(double));
    }
    return LIMBER_OK;
}

// Formulas on their way to the settings.
typedef struct formula_plan {
    limber_filter_formula* formulas; // room for LIMBERI_FILTER_NUMBERS of each effect
    uint32_t count;
} formula_plan;

static limber_result add_formula(limberi_binder* b, formula_plan* plan, int effect, size_t number,
                                 const limber_expression* expression) {
    if (!plan->formulas)
        plan->formulas =
            LIMBERI_ALLOCATE(b->arena, limber_filter_formula, LIMBERI_FILTER_NUMBERS * (size_t)LIMBER_EFFECT_COUNT);
    if (!plan->formulas)
        return limberi_fail_memory(b->error);
    plan->formulas[plan->count++] = (limber_filter_formula){(limber_effect)effect, (uint32_t)number, expression};
    return LIMBER_OK;
}

// One filter of an effect.
static limber_result set_filter(limberi_binder* b, const filter_plan* plan, int effect, size_t place,
                                limber_filter_set* set, formula_plan* formulas) {
    bool none = plan->filter.type == LIMBER_FILTER_NONE;
    limber_filter filter = none ? limber_filter_set_none().velocity : plan->filter;
    limber_result result = LIMBER_OK;
    memcpy((char*)set + place, &filter, sizeof filter);
    for (int n = 0; !result && !none && n < FILTER_NUMBERS; n++)
        if (plan->formulas[n])
            result = add_formula(b, formulas, effect, place + filter_numbers[n], plan->formulas[n]);
    return result;
}

// A quantity with its own keys ignores the common filter.
static const filter_plan* chosen_plan(const filter_plan* plans, int quantity) {
    return plans[quantity].given ? &plans[quantity] : &plans[LIMBERI_QUANTITY_ALL];
}

static limber_result set_filters(limberi_binder* b, filter_plans all, limber_deform_settings* deform,
                                 formula_plan* formulas) {
    static const size_t places[LIMBERI_QUANTITY_COUNT] = {
        [LIMBERI_QUANTITY_VELOCITY] = offsetof(limber_filter_set, velocity),
        [LIMBERI_QUANTITY_ACCELERATION] = offsetof(limber_filter_set, acceleration),
        [LIMBERI_QUANTITY_ANGULAR_VELOCITY] = offsetof(limber_filter_set, angular_velocity),
        [LIMBERI_QUANTITY_ANGULAR_ACCELERATION] = offsetof(limber_filter_set, angular_acceleration)};
    limber_result result = LIMBER_OK;
    for (int e = 0; !result && e < LIMBER_EFFECT_COUNT; e++)
        for (int q = 0; !result && q < LIMBERI_QUANTITY_COUNT; q++)
            if (q != LIMBERI_QUANTITY_ALL)
                result = set_filter(b, chosen_plan(all[e], q), e, places[q], &deform->effects[e].filters, formulas);
    return result;
}

// A gamma without a type does nothing, which is hardly what was meant.
static void warn_of_typeless_filters(limberi_binder* b, filter_plans plans) {
    for (uint32_t i = 0; i < b->count; i++) {
        const limberi_entry* entry = limberi_bind_entry(b, i);
        const limberi_row* row = entry->row;
        if (!limberi_row_is_filter(row) || is_type(row) || plans[entry->effect][row->part].typed)
            continue;
        limberi_bind_warn(b, entry, "has no effect, because the filter has no \"type\"");
        plans[entry->effect][row->part].typed = true; // once is enough
    }
}

// Numbers of an effect's springs.
static bool is_of_follower(const limberi_entry* entry) {
    size_t first = offsetof(limber_effect_settings, filters.follower);
    return entry->row->store == LIMBERI_STORE_DOUBLE && entry->effect >= 0 && entry->row->offset >= first &&
           entry->row->offset < first + sizeof(limber_follower);
}

static limber_result bind_spring(limberi_binder* b, const limberi_entry* entry, formula_plan* formulas) {
    limber_number bound;
    limber_result result = limberi_bind_number(b, entry, &bound);
    size_t number = entry->row->offset - offsetof(limber_effect_settings, filters);
    return result ? result : add_formula(b, formulas, entry->effect, number, bound.expression);
}

static limber_result bind_filters(limberi_binder* b, limber_deform_settings* deform) {
    filter_plans plans;
    formula_plan formulas = {NULL, 0};
    limber_result result = LIMBER_OK;
    memset(plans, 0, sizeof plans);
    static const limber_filter standard = {LIMBER_FILTER_NONE, 0.6, 3, 0.3}; // as in the table
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
        for (int q = 0; q < LIMBERI_QUANTITY_COUNT; q++)
            plans[e][q].filter = standard;
    for (uint32_t i = 0; !result && i < b->count; i++) {
        const limberi_entry* entry = limberi_bind_entry(b, i);
        if (limberi_row_is_filter(entry->row))
            result = store_filter(b, &plans[entry->effect][entry->row->part], entry);
        else if (entry->value.text && is_of_follower(entry))
            result = bind_spring(b, entry, &formulas);
    }
    if (!result)
        result = set_filters(b, plans, deform, &formulas);
    if (result)
        return result;
    deform->filter_formulas = formulas.formulas;
    deform->filter_formula_count = formulas.count;
    warn_of_typeless_filters(b, plans);
    return LIMBER_OK;
}

// --- layers, when it is known which effects are on ---

static bool uses_layer(const limber_deform_settings* deform, int effect, const char* layer) {
    const limber_effect_settings* settings = &deform->effects[effect];
    bool on = limberi_is_on(settings->linear) || limberi_is_on(settings->angular);
    return on && settings->layer && strcmp(settings->layer, layer) == 0;
}

static void turn_off(limber_deform_settings* deform, const char* layer) {
    static const limber_number none = {0, NULL};
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
        if (uses_layer(deform, e, layer))
            deform->effects[e].linear = deform->effects[e].angular = none;
}

// A skirt that nobody painted is searched for; effects on a skirt do nothing to a character without one.
static limber_result bind_layer(limberi_binder* b, const limberi_entry* entry, limber_deform_settings* deform,
                                const char* layer) {
    const limber_model* skirted = NULL;
    if (strcmp(layer, LIMBERI_SKIRT_LAYER) != 0) {
        limberi_bind_layer(b, entry, layer);
        return LIMBER_OK;
    }
    if (limberi_asset_skirt(b->asset, &skirted))
        return limberi_fail_memory(b->error);
    if (skirted)
        return LIMBER_OK;
    limberi_bind_warn(b, entry, "this character has no skirt, so effects on it do nothing (paint a layer 'skirt')");
    turn_off(deform, layer);
    return LIMBER_OK;
}

// A layer that several effects name is spoken of once.
static limber_result bind_layers(limberi_binder* b, limber_deform_settings* deform) {
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < b->count; i++) {
        const limberi_entry* entry = limberi_bind_entry(b, i);
        bool named = entry->row->store == LIMBERI_STORE_TEXT && entry->effect >= 0 && entry->value.text[0];
        if (named && entry->row->offset == offsetof(limber_effect_settings, joint_layer))
            limberi_bind_layer(b, entry, entry->value.text);
        if (!named || entry->row->offset != offsetof(limber_effect_settings, layer))
            continue;
        bool said = false;
        for (int e = 0; e < entry->effect; e++)
            said = said || uses_layer(deform, e, entry->value.text);
        if (!said && uses_layer(deform, entry->effect, entry->value.text))
            result = bind_layer(b, entry, deform, entry->value.text);
    }
    return result;
}

limber_result limberi_bind_effects(limberi_binder* b, limber_deform_settings* deform) {
    limber_result result = bind_filters(b, deform);
    if (!result)
        result = bind_layers(b, deform);
    return result ? result : limberi_bind_cone(b, deform);
}

// --- joints ---

// Both parts of a joint's gain, each a constant or a formula.
typedef struct gain_plan {
    limber_number linear, angular;
} gain_plan;

// Arrays as they are being filled; those that stay at their defaults are not handed on.
typedef struct joint_plan {
    gain_plan* gains[LIMBER_EFFECT_COUNT];
    limber_vec3 *offsets, *axes;
    int8_t* about;
} joint_plan;

static gain_plan* gains_of(limberi_binder* b, joint_plan* plan, int effect) {
    if (plan->gains[effect])
        return plan->gains[effect];
    uint32_t count = b->model->rig.joint_count;
    gain_plan* gains = LIMBERI_ALLOCATE(b->arena, gain_plan, count);
    for (uint32_t j = 0; gains && j < count; j++)
        gains[j].linear.value = gains[j].angular.value = 1;
    plan->gains[effect] = gains;
    return gains;
}

static void set_gain(limberi_binder* b, joint_plan* plan, const limberi_row* row, limber_number gain, uint32_t joint) {
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++) {
        gain_plan* gains = row->effects >> e & 1 ? gains_of(b, plan, e) : NULL;
        if (gains && (row->part & LIMBERI_GAIN_LINEAR))
            gains[joint].linear = gain;
        if (gains && (row->part & LIMBERI_GAIN_ANGULAR))
            gains[joint].angular = gain;
    }
}

// In double precision: the numbers may be of any size.
static limber_vec3 unit_of(const double* x) {
    double length = limberi_length3(x);
    double scale = length > 0 ? 1 / length : 0;
    return limberi_vec3((float)(x[0] * scale), (float)(x[1] * scale), (float)(x[2] * scale));
}

static void set_joint(limberi_binder* b, joint_plan* plan, const limberi_entry* entry, limber_number gain,
                      uint32_t joint) {
    const double* x = entry->value.numbers;
    if (entry->row->effects)
        set_gain(b, plan, entry->row, gain, joint);
    else if (entry->row->part == LIMBERI_JOINT_OFFSET)
        plan->offsets[joint] = limberi_vec3((float)x[0], (float)x[1], (float)x[2]);
    else if (entry->row->part == LIMBERI_JOINT_AXIS)
        plan->axes[joint] = unit_of(x);
    else if (entry->row->part == LIMBERI_JOINT_ABOUT)
        plan->about[joint] = (int8_t)entry->value.choice;
}

static limber_result set_matching(limberi_binder* b, joint_plan* plan, const limberi_entry* entry) {
    limber_number gain = {0, NULL};
    limber_result result = entry->row->effects ? limberi_bind_number(b, entry, &gain) : LIMBER_OK;
    for (uint32_t j = 0; !result && j < b->model->rig.joint_count; j++)
        if (limberi_joint_matches(&b->model->rig, j, entry->pattern))
            set_joint(b, plan, entry, gain, j);
    return result;
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
    limber_joint_gain* gains = any ? LIMBERI_ALLOCATE(b->arena, limber_joint_gain, count) : NULL;
    for (uint32_t j = 0; gains && j < count; j++) {
        gains[j].linear = constant_of(plan[j].linear);
        gains[j].angular = constant_of(plan[j].angular);
    }
    return gains;
}

// The formulas of one joint and effect: none, one for both parts, or one for each. Returns how many.
static uint32_t write_formulas(const gain_plan* plan, limber_effect effect, uint32_t joint, limber_gain_formula* out) {
    const limber_expression* linear = plan->linear.expression;
    const limber_expression* angular = plan->angular.expression;
    uint32_t count = 0;
    if (linear)
        out[count++] = (limber_gain_formula){effect, joint, true, linear == angular, linear};
    if (angular && linear != angular)
        out[count++] = (limber_gain_formula){effect, joint, false, true, angular};
    return count;
}

static void hand_over_formulas(limberi_binder* b, const joint_plan* plan, limber_deform_settings* deform) {
    uint32_t joints = b->model->rig.joint_count;
    uint32_t count = 0;
    limber_gain_formula scratch[2];
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
        for (uint32_t j = 0; plan->gains[e] && j < joints; j++)
            count += write_formulas(&plan->gains[e][j], (limber_effect)e, j, scratch);
    limber_gain_formula* formulas = count ? LIMBERI_ALLOCATE(b->arena, limber_gain_formula, count) : NULL;
    deform->gain_formulas = formulas;
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
        for (uint32_t j = 0; formulas && plan->gains[e] && j < joints; j++)
            deform->gain_formula_count +=
                write_formulas(&plan->gains[e][j], (limber_effect)e, j, formulas + deform->gain_formula_count);
}

static void set_joint_settings(limberi_binder* b, const joint_plan* plan, limber_deform_settings* deform) {
    uint32_t count = b->model->rig.joint_count;
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
        deform->joint_gains[e] = constant_gains(b, plan->gains[e]);
    hand_over_formulas(b, plan, deform);
    for (uint32_t j = 0; j < count; j++) {
        limber_vec3 offset = plan->offsets[j];
        if (offset.x != 0 || offset.y != 0 || offset.z != 0)
            deform->centroid_offsets = plan->offsets;
        if (!limberi_is_zero(plan->axes[j]))
            deform->medial_axes = plan->axes;
        if (plan->about[j] >= 0)
            deform->about = plan->about;
    }
}

static bool is_of_joints(const limberi_entry* entry) {
    return strncmp(entry->row->key.path, "joints.", 7) == 0;
}

static limber_result bind_joints(limberi_binder* b, limber_deform_settings* deform) {
    joint_plan plan = {0};
    bool any = false;
    for (uint32_t i = 0; i < b->count; i++)
        any = any || is_of_joints(&b->entries[i]);
    if (!any)
        return LIMBER_OK;
    uint32_t count = b->model->rig.joint_count;
    plan.offsets = LIMBERI_ALLOCATE(b->arena, limber_vec3, count);
    plan.axes = LIMBERI_ALLOCATE(b->arena, limber_vec3, count);
    plan.about = LIMBERI_ALLOCATE(b->arena, int8_t, count);
    if (!plan.offsets || !plan.axes || !plan.about)
        return limberi_fail_memory(b->error);
    memset(plan.about, -1, count);
    for (uint32_t i = 0; i < b->count; i++) {
        const limberi_entry* entry = limberi_bind_entry(b, i);
        limber_result result = is_of_joints(entry) ? set_matching(b, &plan, entry) : LIMBER_OK;
        if (result)
            return result;
    }
    set_joint_settings(b, &plan, deform);
    return LIMBER_OK;
}

// --- meshes ---

// Where the gains of an effect are, 1 until a key says otherwise.
static float* mesh_gains_of(limberi_binder* b, float** gains, uint32_t effect) {
    uint32_t count = b->model->mesh_count;
    if (!gains[effect])
        gains[effect] = LIMBERI_ALLOCATE(b->arena, float, (size_t)count + 1);
    else
        return gains[effect];
    for (uint32_t m = 0; gains[effect] && m < count; m++)
        gains[effect][m] = 1;
    return gains[effect];
}

static limber_result set_mesh_gains(limberi_binder* b, const limberi_entry* entry, float** gains) {
    bool any = false;
    for (uint32_t m = 0; m < b->model->mesh_count; m++) {
        if (!limberi_mesh_matches(&b->model->meshes[m], entry->pattern))
            continue;
        any = true;
        for (uint32_t e = 0; e < LIMBER_EFFECT_COUNT; e++) {
            float* own = entry->row->effects >> e & 1 ? mesh_gains_of(b, gains, e) : NULL;
            if (own)
                own[m] = (float)entry->value.numbers[0];
        }
    }
    return any || entry->preset ? LIMBER_OK : limberi_fail_mesh(b, entry);
}

// Gains of 1 are none, and effects with equal gains share them.
static void hand_over_mesh_gains(float* const* gains, uint32_t count, const float** to) {
    for (uint32_t e = 0; e < LIMBER_EFFECT_COUNT; e++) {
        bool plain = true;
        for (uint32_t m = 0; gains[e] && m < count; m++)
            plain = plain && gains[e][m] == 1;
        to[e] = plain ? NULL : gains[e];
        for (uint32_t k = 0; k < e && to[e]; k++)
            if (to[k] && memcmp(to[k], to[e], count * sizeof **to) == 0)
                to[e] = to[k];
    }
}

static limber_result bind_meshes(limberi_binder* b, limber_deform_settings* deform) {
    float* gains[LIMBER_EFFECT_COUNT] = {NULL};
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < b->count; i++) {
        const limberi_entry* entry = limberi_bind_entry(b, i);
        if (limberi_entry_is_of(entry, "meshes.*.effects"))
            result = set_mesh_gains(b, entry, gains);
    }
    if (!result)
        hand_over_mesh_gains(gains, b->model->mesh_count, deform->mesh_gains);
    return result;
}

limber_result limberi_bind_effect_names(limberi_binder* b, limber_deform_settings* deform) {
    limber_result result = bind_joints(b, deform);
    return result ? result : bind_meshes(b, deform);
}
