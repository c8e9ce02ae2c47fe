// From a style to the settings of the stages, for one character. Each row of the table says where its value goes.
#include "style/bind.h"

#include "base/build.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/settings.h"
#include "layer/layer.h"

#include <string.h>

// --- values ---

// All enumerations of the settings are stored as int.
static void store_choice(void* base, const limberi_row* row, uint32_t choice) {
    int value = (int)choice;
    memcpy((char*)base + row->offset, &value, sizeof value);
}

static void store_filter(limberi_binder* b, const limberi_row* row, const limberi_entry* entry) {
    limberi_filter_plan* plan = &b->filters[entry->effect][row->part];
    plan->given = true;
    if (row->store == LIMBERI_STORE_FILTER_TYPE) {
        plan->typed = true;
        plan->filter.type = (limber_filter_type)entry->value.choice;
    } else {
        memcpy((char*)&plan->filter + row->offset, &entry->value.numbers[0], sizeof(double));
    }
}

// What this build has not: presets name contacts and rigid parts, and do without them; the rest is refused.
typedef struct optional {
    limberi_store store;
    bool present, needed;
    const char* name;
} optional;

static const optional optionals[] = {
    {LIMBERI_STORE_SMEAR, LIMBERI_HAS_SMEARS, true, "smears"},
    {LIMBERI_STORE_MESH_SMEAR, LIMBERI_HAS_SMEARS, true, "smears"},
    {LIMBERI_STORE_SMEAR_GAIN, LIMBERI_HAS_SMEARS, true, "smears"},
    {LIMBERI_STORE_EXAGGERATE, LIMBERI_HAS_CLIPS, true, "edits of clips"},
    {LIMBERI_STORE_COLLIDERS, LIMBERI_HAS_COLLIDERS, true, "colliders"},
    {LIMBERI_STORE_RIGID, LIMBERI_HAS_RIGID, false, "rigid parts"},
    {LIMBERI_STORE_FLOAT, LIMBERI_HAS_CONTACTS, false, "contacts"},
    {LIMBERI_STORE_FLOOR, LIMBERI_HAS_CONTACTS, false, "contacts"},
    {LIMBERI_STORE_CONTACT, LIMBERI_HAS_CONTACTS, false, "contacts"},
    {LIMBERI_STORE_CONTACTS, LIMBERI_HAS_CONTACTS, false, "contacts"},
    {LIMBERI_STORE_MORPHS, LIMBERI_HAS_MORPHS, false, "effects of morph targets"},
    {LIMBERI_STORE_IMPACT, LIMBERI_HAS_CONTACTS, false, "impacts"},
};

static limber_result check_present(limberi_binder* b, const limberi_entry* entry) {
    limberi_store store = limberi_row_at(entry->row)->store;
    for (size_t i = 0; i < sizeof optionals / sizeof *optionals; i++) {
        if (optionals[i].present || optionals[i].store != store)
            continue;
        if (optionals[i].needed)
            return limberi_bind_at(b, limberi_fail_absent(b->error, optionals[i].name), entry);
        limberi_bind_warn(b, entry, "does nothing: limber/light has no %s", optionals[i].name);
    }
    return LIMBER_OK;
}

static limber_result store_entry(limberi_binder* b, const limberi_entry* entry) {
    const limberi_row* row = limberi_row_at(entry->row);
    limber_stage_settings* settings = &b->bound->settings;
    limber_effect_settings* effect = &settings->deform.effects[entry->effect < 0 ? 0 : entry->effect];
    double number = entry->value.word ? 0 : entry->value.numbers[0]; // "auto" is 0 in the settings
    switch (row->store) {
    case LIMBERI_STORE_SIZE:
        settings->deform.size = (float)number;
        break;
    case LIMBERI_STORE_STEP:
        settings->motion.step_s = number;
        break;
    case LIMBERI_STORE_STRENGTH:
        b->strength = entry;
        return limberi_bind_number(b, entry, &settings->deform.strength);
    case LIMBERI_STORE_MODE:
        store_choice(settings, row, entry->value.choice);
        break;
    case LIMBERI_STORE_NUMBER:
        return limberi_bind_number(b, entry, (limber_number*)(void*)((char*)effect + row->offset));
    case LIMBERI_STORE_DOUBLE:
        memcpy((char*)effect + row->offset, &number, sizeof number);
        break;
    case LIMBERI_STORE_VALUE: {
        float value = row->key.type == LIMBER_KEY_CHOICE ? (float)entry->value.choice
                      : row->key.type == LIMBER_KEY_LIST ? (float)entry->value.bits
                                                         : (float)number;
        memcpy((char*)effect + row->offset + offsetof(limber_number, value), &value, sizeof value);
        break;
    }
    case LIMBERI_STORE_LAYER:
        effect->layer = entry->value.text[0] ? limberi_arena_string(&b->bound->arena, entry->value.text) : NULL;
        break;
    case LIMBERI_STORE_JOINT_LAYER:
        effect->joint_layer = entry->value.text[0] ? limberi_arena_string(&b->bound->arena, entry->value.text) : NULL;
        break;
    case LIMBERI_STORE_FILTER_TYPE:
    case LIMBERI_STORE_FILTER:
        store_filter(b, row, entry);
        break;
    case LIMBERI_STORE_CONE:
        b->cone[row->part] = entry;
        break;
    case LIMBERI_STORE_RIGID:
        return LIMBERI_HAS_RIGID ? limberi_bind_rigid(b, entry) : LIMBER_OK;
    case LIMBERI_STORE_CONTACTS:
        return LIMBERI_HAS_CONTACTS ? limberi_bind_contacts(b, entry) : LIMBER_OK;
    case LIMBERI_STORE_FLOAT: {
        float value = (float)number;
        memcpy((char*)settings + row->offset, &value, sizeof value);
        break;
    }
    case LIMBERI_STORE_MORPHS:
        if (!b->model->morph_count && number != 0)
            limberi_bind_warn(b, entry, "does nothing: this character has no morph targets");
        memcpy((char*)settings + row->offset, &number, sizeof number);
        break;
    case LIMBERI_STORE_IMPACT:
        memcpy((char*)settings + row->offset, &number, sizeof number);
        break;
    case LIMBERI_STORE_FLOOR:
        settings->contacts.floor = !entry->value.word    ? LIMBER_FLOOR_GIVEN
                                   : entry->value.choice ? LIMBER_FLOOR_NONE
                                                         : LIMBER_FLOOR_AUTO;
        settings->contacts.height = (float)number;
        break;
    case LIMBERI_STORE_COLLIDERS:
        return LIMBERI_HAS_COLLIDERS ? limberi_bind_colliders(b, entry) : LIMBER_OK;
    case LIMBERI_STORE_WIND:
    case LIMBERI_STORE_GRAVITY:
        return limberi_bind_air(b, entry);
    case LIMBERI_STORE_SMEAR:
        return LIMBERI_HAS_SMEARS ? limberi_bind_smear(b, entry) : LIMBER_OK;
    default: // joints come later
        break;
    }
    return LIMBER_OK;
}

// --- filters ---

static void start_filters(limberi_binder* b) {
    static const limber_filter standard = {LIMBER_FILTER_NONE, 0.6, 3, 0.3}; // as in the table
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
        for (int q = 0; q < LIMBERI_QUANTITY_COUNT; q++)
            b->filters[e][q].filter = standard;
}

// A quantity with its own keys ignores the common filter.
static limber_filter chosen_filter(const limberi_filter_plan* plans, limberi_quantity quantity) {
    const limberi_filter_plan* plan = plans[quantity].given ? &plans[quantity] : &plans[LIMBERI_QUANTITY_ALL];
    return plan->filter.type == LIMBER_FILTER_NONE ? limber_filter_set_none().velocity : plan->filter;
}

static void bind_filters(limberi_binder* b) {
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++) {
        const limberi_filter_plan* plans = b->filters[e];
        limber_filter_set* set = &b->bound->settings.deform.effects[e].filters;
        set->velocity = chosen_filter(plans, LIMBERI_QUANTITY_VELOCITY);
        set->acceleration = chosen_filter(plans, LIMBERI_QUANTITY_ACCELERATION);
        set->angular_velocity = chosen_filter(plans, LIMBERI_QUANTITY_ANGULAR_VELOCITY);
        set->angular_acceleration = chosen_filter(plans, LIMBERI_QUANTITY_ANGULAR_ACCELERATION);
    }
}

// A gamma without a type does nothing, which is hardly what was meant.
static void warn_of_typeless_filters(limberi_binder* b) {
    for (uint32_t i = 0; i < b->style->count; i++) {
        const limberi_entry* entry = &b->style->entries[b->order[i]];
        const limberi_row* row = limberi_row_at(entry->row);
        if (row->store != LIMBERI_STORE_FILTER || b->filters[entry->effect][row->part].typed)
            continue;
        limberi_bind_warn(b, entry, "has no effect, because the filter has no \"type\"");
        b->filters[entry->effect][row->part].typed = true; // once is enough
    }
}

// --- layers, when it is known which effects are on ---

static bool is_on(limber_number number) {
    return number.expression || number.value != 0;
}

static bool uses_layer(const limberi_binder* b, int effect, const char* layer) {
    const limber_effect_settings* settings = &b->bound->settings.deform.effects[effect];
    bool on = is_on(settings->linear) || is_on(settings->angular);
    return on && settings->layer && strcmp(settings->layer, layer) == 0;
}

static void turn_off(limberi_binder* b, const char* layer) {
    static const limber_number none = {0, NULL};
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
        if (uses_layer(b, e, layer))
            b->bound->settings.deform.effects[e].linear = b->bound->settings.deform.effects[e].angular = none;
}

// A skirt that nobody painted is searched for; effects on a skirt do nothing to a character without one.
static limber_result bind_effect_layer(limberi_binder* b, const limberi_entry* entry, const char* layer) {
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
    turn_off(b, layer);
    return LIMBER_OK;
}

// A layer that several effects name is spoken of once.
static limber_result bind_layers(limberi_binder* b) {
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < b->style->count; i++) {
        const limberi_entry* entry = &b->style->entries[b->order[i]];
        limberi_store store = limberi_row_at(entry->row)->store;
        if (store == LIMBERI_STORE_JOINT_LAYER && entry->value.text[0])
            limberi_bind_layer(b, entry, entry->value.text);
        if (store != LIMBERI_STORE_LAYER || !entry->value.text[0])
            continue;
        bool said = false;
        for (int e = 0; e < entry->effect; e++)
            said = said || uses_layer(b, e, entry->value.text);
        if (!said && uses_layer(b, entry->effect, entry->value.text))
            result = bind_effect_layer(b, entry, entry->value.text);
    }
    return result;
}

// --- all of it ---

void limber_stage_settings_init(limber_stage_settings* given, size_t size) {
    limber_stage_settings settings;
    memset(&settings, 0, sizeof settings);
    settings.struct_size = sizeof settings;
    settings.skinning = LIMBER_SKINNING_LINEAR;
    settings.motion = limber_motion_settings_default();
    settings.exaggerate = limber_exaggerate_settings_default();
    settings.deform = limber_deform_settings_default();
    settings.contacts = limber_contact_settings_default();
    settings.impact = limber_impact_settings_default();
    settings.smear = limber_smear_settings_default();
    limberi_settings_write(given, size, &settings, sizeof settings);
}

static void scale_smears(limber_smear_settings* smear, float strength) {
    limber_number* const lengths[] = {&smear->elongate.past, &smear->elongate.future};
    for (int i = 0; i < 2; i++)
        if (!lengths[i]->expression)
            lengths[i]->value *= strength;
}

// What is not an effect takes plain numbers only.
static void bind_strength(limberi_binder* b) {
    limber_stage_settings* s = &b->bound->settings;
    double strength = (double)s->deform.strength.value;
    bool others = limber_exaggerate_is_on(&s->exaggerate) || limber_smear_is_on(&s->smear);
    if (s->deform.strength.expression) {
        if (others)
            limberi_bind_warn(b, b->strength, "as a formula acts on effects only, not on \"exaggerate\" and \"smear\"");
        return;
    }
    s->exaggerate.amount *= strength;
    s->exaggerate.strength *= strength;
    scale_smears(&s->smear, (float)strength);
    limber_smear_settings* meshes = (limber_smear_settings*)(uintptr_t)s->smear.of_mesh; // the bound style's own
    for (uint32_t m = 0; m < s->smear.of_mesh_count; m++)
        scale_smears(&meshes[m], (float)strength);
}

static limber_result bind(limberi_binder* b) {
    limber_bound_style* bound = b->bound;
    limberi_arena* arena = &bound->arena;
    bound->settings = limber_stage_settings_default();
    bound->expressions = LIMBERI_ALLOCATE(arena, limber_expression*, (size_t)b->style->count + 2); // wind has three
    b->order = limberi_style_order(b->style, arena);
    if (!b->order || !bound->expressions)
        return limberi_fail_memory(b->error);
    start_filters(b);
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < b->style->count; i++)
        result = check_present(b, &b->style->entries[b->order[i]]);
    for (uint32_t i = 0; !result && i < b->style->count; i++)
        result = store_entry(b, &b->style->entries[b->order[i]]);
    bind_filters(b);
    warn_of_typeless_filters(b);
    if (!result)
        result = bind_layers(b);
    if (!result)
        result = limberi_bind_cone(b);
    if (!result)
        result = limberi_bind_joints(b);
    if (!result)
        result = limberi_bind_mesh_gains(b);
    if (!result && LIMBERI_HAS_SMEARS)
        result = limberi_bind_smear_joints(b);
    if (!result && LIMBERI_HAS_SMEARS)
        result = limberi_bind_smear_meshes(b);
    if (!result && LIMBERI_HAS_CLIPS)
        result = limberi_bind_exaggerate(b);
    if (!result && b->strength)
        bind_strength(b);
    return !result && arena->failed ? limberi_fail_memory(b->error) : result;
}

limber_result limber_style_bind(const limber_style* style, const limber_asset* asset, limber_bound_style** bound,
                                limber_error* error) {
    limberi_binder* b = limberi_allocate_zeroed(1, sizeof *b);
    *bound = limberi_allocate_zeroed(1, sizeof **bound);
    limber_result result = LIMBER_ERROR_MEMORY;
    if (b && *bound) {
        b->style = style;
        b->asset = asset;
        b->model = limber_asset_model(asset);
        b->bound = *bound;
        b->error = error;
        result = bind(b);
    } else {
        result = limberi_fail_memory(error);
    }
    limberi_release(b);
    if (result) {
        limber_bound_style_destroy(*bound);
        *bound = NULL;
    }
    return result;
}

void limber_bound_style_destroy(limber_bound_style* bound) {
    if (!bound)
        return;
    for (uint32_t i = 0; i < bound->expression_count; i++)
        limber_expression_destroy(bound->expressions[i]);
    limberi_arena_free(&bound->arena);
    limberi_release(bound);
}

const limber_stage_settings* limber_bound_style_settings(const limber_bound_style* bound) {
    return &bound->settings;
}

uint32_t limber_bound_style_warning_count(const limber_bound_style* bound) {
    return bound->warning_count;
}

const char* limber_bound_style_warning(const limber_bound_style* bound, uint32_t index) {
    return index < bound->warning_count ? bound->warnings[index] : "";
}
