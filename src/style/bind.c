// From a style to the settings of the stages, for one character. Each row of the table says where its value goes; what is
// put together from several is the stages' own work.
#include "base/build.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/settings.h"
#include "contact/style_keys.h"
#include "perform/performance.h"
#include "perform/style_keys.h"
#include "smear/style_keys.h"
#include "style/style_private.h"

#include <math.h>
#include <string.h>

struct limber_bound_style {
    limberi_arena arena;
    limber_stage_settings settings;
    limberi_binder binder; // with the formulas and warnings
};

void limber_stage_settings_init(limber_stage_settings* given, size_t size) {
    limber_stage_settings settings;
    memset(&settings, 0, sizeof settings);
    settings.struct_size = sizeof settings;
    settings.skinning = LIMBER_SKINNING_LINEAR;
    settings.motion = limber_motion_settings_default();
    settings.deform = limber_deform_settings_default();
    if (LIMBERI_HAS_CLIPS) { // what a build does without needs no defaults
        settings.exaggerate = limber_exaggerate_settings_default();
        settings.perform = limber_perform_settings_default();
    }
    if (LIMBERI_HAS_CONTACTS) {
        settings.contacts = limber_contact_settings_default();
        settings.impact = limber_impact_settings_default();
    }
    if (LIMBERI_HAS_SMEARS)
        settings.smear = limber_smear_settings_default();
    limberi_settings_write(given, size, &settings, sizeof settings);
}

static void scale_performance(limber_perform_settings* s, double strength) {
    s->snap *= strength;
    s->hang *= strength;
    s->exaggerate *= strength;
    s->anticipate *= strength;
    s->step = strength > 0 ? s->step : 1;
    s->hold_count = strength > 0 ? s->hold_count : 0;
    limber_hold* holds = (limber_hold*)(uintptr_t)s->holds; // the bound style's own
    for (uint32_t i = 0; i < s->hold_count; i++)
        holds[i].length_s *= strength;
}

static void scale_smears(limber_smear_settings* smear, float strength) {
    limber_number* const lengths[] = {&smear->elongate.past, &smear->elongate.future};
    for (int i = 0; i < 2; i++)
        if (!lengths[i]->expression)
            lengths[i]->value *= strength;
    smear->drawn.stretch *= strength;
    smear->drawn.body *= strength;
    smear->drawn.ribbon = fminf(smear->drawn.ribbon * strength, 1);
}

// What is not an effect takes plain numbers only.
static void bind_strength(limberi_binder* b, const limberi_entry* entry, limber_stage_settings* s) {
    double strength = (double)s->deform.strength.value;
    bool others = limber_exaggerate_is_on(&s->exaggerate) || limber_smear_is_on(&s->smear) ||
                  (LIMBERI_HAS_CLIPS && limberi_perform_edits(&s->perform));
    if (s->deform.strength.expression) {
        if (others)
            limberi_bind_warn(b, entry, "as a formula acts on effects only, not on clips and smears");
        return;
    }
    if (LIMBERI_HAS_CLIPS)
        scale_performance(&s->perform, strength);
    s->exaggerate.amount *= strength;
    s->exaggerate.strength *= strength;
    scale_smears(&s->smear, (float)strength);
    limber_smear_settings* meshes = (limber_smear_settings*)(uintptr_t)s->smear.of_mesh; // the bound style's own
    for (uint32_t m = 0; m < s->smear.of_mesh_count; m++)
        scale_smears(&meshes[m], (float)strength);
}

// A name that no joint has is a slip.
static limber_result check_joints(limberi_binder* b) {
    for (uint32_t i = 0; i < b->count; i++) {
        const limberi_entry* entry = limberi_bind_entry(b, i);
        bool any = strncmp(entry->row->key.path, "joints.", 7) != 0;
        for (uint32_t j = 0; !any && j < b->model->rig.joint_count; j++)
            any = limberi_joint_matches(&b->model->rig, j, entry->pattern);
        limberi_address address = {2, {"joints", entry->pattern}};
        if (!any)
            return limberi_style_at(b->error, limberi_fail_joint(b, entry->pattern), entry->pattern_place, &address);
    }
    return LIMBER_OK;
}

static limber_result check_present(limberi_binder* b) {
    for (uint32_t i = 0; i < b->count; i++) {
        const limberi_entry* entry = limberi_bind_entry(b, i);
        const limberi_optional* absent = limberi_row_absent(entry->index);
        if (!absent)
            continue;
        if (absent->needed)
            return limberi_bind_at(b, limberi_fail_absent(b->error, absent->name), entry);
        limberi_bind_warn(b, entry, "does nothing: limber/light has no %s", absent->name);
    }
    return LIMBER_OK;
}

// Values one by one; those of joints and meshes, and what is put together from several, come after.
static limber_result bind_values(limberi_binder* b, limber_stage_settings* settings) {
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < b->count; i++) {
        const limberi_entry* entry = limberi_bind_entry(b, i);
        if (!entry->pattern && !limberi_row_absent(entry->index))
            result = limberi_bind_value(b, entry, limberi_row_settings(entry->index, settings));
    }
    return result;
}

static limber_result bind_stages(limberi_binder* b, limber_stage_settings* settings) {
    settings->exaggerate.size = settings->smear.size = settings->deform.size; // one L for all
    settings->exaggerate.loop = settings->motion.loop;
    limber_result result = limberi_bind_effects(b, &settings->deform);
    if (!result)
        result = check_joints(b);
    if (!result)
        result = limberi_bind_effect_names(b, &settings->deform);
    if (!result && LIMBERI_HAS_CONTACTS)
        result = limberi_bind_contact_joints(b, &settings->contacts);
    if (!result && LIMBERI_HAS_CLIPS)
        result = limberi_bind_perform_joints(b, &settings->perform);
    if (!result && LIMBERI_HAS_SMEARS)
        result = limberi_bind_smear_names(b, &settings->smear);
    for (uint32_t i = 0; !result && i < b->count; i++)
        if (limberi_entry_is_of(&b->entries[i], "strength"))
            bind_strength(b, &b->entries[i], settings);
    return result;
}

static limber_result bind(const limber_style* style, limberi_binder* b, limber_stage_settings* settings) {
    *settings = limber_stage_settings_default();
    b->expressions = LIMBERI_ALLOCATE(b->arena, limber_expression*, (size_t)style->count + 2); // wind has three
    b->entries = style->entries;
    b->count = style->count;
    b->order = limberi_style_order(style, b->arena);
    if (!b->order || !b->expressions)
        return limberi_fail_memory(b->error);
    limber_result result = check_present(b);
    if (!result)
        result = bind_values(b, settings);
    if (!result)
        result = bind_stages(b, settings);
    return !result && b->arena->failed ? limberi_fail_memory(b->error) : result;
}

limber_result limber_style_bind(const limber_style* style, const limber_asset* asset, limber_bound_style** bound,
                                limber_error* error) {
    *bound = limberi_allocate_zeroed(1, sizeof **bound);
    if (!*bound)
        return limberi_fail_memory(error);
    limberi_binder* b = &(*bound)->binder;
    b->asset = asset;
    b->model = limber_asset_model(asset);
    b->arena = &(*bound)->arena;
    b->error = error;
    limber_result result = bind(style, b, &(*bound)->settings);
    if (result) {
        limber_bound_style_destroy(*bound);
        *bound = NULL;
    }
    return result;
}

void limber_bound_style_destroy(limber_bound_style* bound) {
    if (!bound)
        return;
    for (uint32_t i = 0; i < bound->binder.expression_count; i++)
        limber_expression_destroy(bound->binder.expressions[i]);
    limberi_arena_free(&bound->arena);
    limberi_release(bound);
}

const limber_stage_settings* limber_bound_style_settings(const limber_bound_style* bound) {
    return &bound->settings;
}

uint32_t limber_bound_style_warning_count(const limber_bound_style* bound) {
    return bound->binder.warning_count;
}

const char* limber_bound_style_warning(const limber_bound_style* bound, uint32_t index) {
    return index < bound->binder.warning_count ? bound->binder.warnings[index] : "";
}
