// The table of all keys: what the stages and effects bring, in the order of the documentation. A new key is one row of
// its stage; a new group of them a line of `places`.
#include "style/table.h"

#include "collide/style_keys.h"
#include "contact/style_keys.h"
#include "deform/effects/effect.h"
#include "deform/style_keys.h"
#include "motion/style_keys.h"
#include "perform/exaggerate/style_keys.h"
#include "perform/style_keys.h"
#include "rigid/style_keys.h"
#include "skin/style_keys.h"
#include "smear/style_keys.h"

#include <string.h>

// --- the style as a whole ---

static const limberi_row format_rows[] = {
    LIMBERI_ROW("limber", CONSTANT, "", 1, 1, false, "1", NULL, "version of the style format", NOTHING, 0, 0, 0, NULL),
    LIMBERI_ROW("$schema", TEXT, "", 0, 0, false, NULL, NULL,
                "location of the JSON Schema, for editors; limber ignores it", NOTHING, 0, 0, 0, NULL),
};
static const limberi_section sections[] = {
    {"", "Global settings", LIMBERI_TEXT("Settings that apply to all effects."),
     LIMBERI_TEXT("{\"limber\": 1, \"size\": \"auto\", \"skinning\": \"dualquat\", \"normals\": \"jacobian\"}")},
};
static const limberi_row strength_rows[] = {
    LIMBERI_ROW("strength", NUMBER, "", 0, 2, false, "1", NULL,
                "multiplies the whole style; formulas may use t, frame and phase: \"key(1, 1, 1.2, 2, 1.5, 1)\"",
                NUMBER, 0, 0, 0, NULL),
};
static const limberi_row baked_rows[] = {
    LIMBERI_ROW("baked", CHOICE, "", 0, 0, false, "false", "false true",
                "the effects are already baked into the file that carries this style and are not applied again", CHOICE,
                0, 0, 0, NULL),
};

static const limberi_keys format_keys = LIMBERI_KEYS_OF(format_rows, sections);
static const limberi_keys strength_keys = LIMBERI_KEYS(strength_rows);
static const limberi_keys baked_keys = LIMBERI_KEYS(baked_rows);

// --- all of it ---

// Presets name contacts, rigid parts, colliders, edits of clips and morph targets, and do without them; the rest is
// refused.
static const limberi_optional smears = {LIMBERI_HAS_SMEARS, true, "smears"};
static const limberi_optional edits = {LIMBERI_HAS_CLIPS, false, "edits of clips"};
static const limberi_optional performances = {LIMBERI_HAS_CLIPS, false, "performances"};
static const limberi_optional colliders = {LIMBERI_HAS_COLLIDERS, false, "colliders"};
static const limberi_optional rigid = {LIMBERI_HAS_RIGID, false, "rigid parts"};
static const limberi_optional contacts = {LIMBERI_HAS_CONTACTS, false, "contacts"};
static const limberi_optional impacts = {LIMBERI_HAS_CONTACTS, false, "impacts"};
static const limberi_optional roots = {LIMBERI_HAS_CONTACTS, true, "roots at contacts"};
static const limberi_optional by_pose = {LIMBERI_HAS_VERTICES, false, "effects of poses"};
static const limberi_optional morphs = {LIMBERI_HAS_MORPHS, false, "effects of morph targets"};

// Rows, and the settings that their values go to.
typedef struct place {
    const limberi_keys* keys;         // NULL: those of the effects, ...
    size_t settings;                  // ... whose values go to the effect's; of NULL: whether they are those of joints
    const limberi_optional* optional; // NULL: every build has them
} place;

#define OF(member) offsetof(limber_stage_settings, member)

static const place places[] = {
    {&format_keys, 0, NULL},
    {&limberi_size_keys, OF(deform), NULL},
    {&limberi_skinning_keys, OF(skinning), NULL},
    {&limberi_derivative_keys, OF(motion), NULL},
    {&strength_keys, OF(deform.strength), NULL},
    {&limberi_loop_keys, OF(motion), NULL},
    {&limberi_deform_keys, OF(deform), NULL},
    {&limberi_root_keys, OF(deform), &roots},
    {&limberi_rigid_keys, OF(rigid), &rigid},
    {&limberi_contact_keys, OF(contacts), &contacts},
    {&limberi_impact_keys, OF(impact), &impacts},
    {&limberi_morph_keys, OF(morphs), &morphs},
    {&limberi_collider_keys, OF(colliders), &colliders},
    {&limberi_air_keys, OF(air), NULL},
    {&baked_keys, OF(baked), NULL},
    {NULL, false, NULL},
    {&limberi_filter_keys, OF(deform), NULL},
    {&limberi_perform_keys, OF(perform), &performances},
    {&limberi_exaggerate_keys, OF(exaggerate), &edits},
    {&limberi_smear_keys, OF(smear), &smears},
    {&limberi_drawn_keys, OF(smear), &smears},
    {&limberi_mesh_gain_keys, OF(deform), NULL},
    {&limberi_smear_mesh_keys, OF(smear), &smears},
    {&limberi_contact_joint_keys, OF(contacts), &contacts},
    {&limberi_perform_joint_keys, OF(perform), &performances},
    {&limberi_smear_gain_keys, OF(smear), &smears},
    {&limberi_joint_gain_keys, OF(deform), NULL},
    {NULL, true, NULL},
    {&limberi_joint_keys, OF(deform), NULL},
    {&limberi_spin_keys, OF(smear), NULL},
};

enum { PLACES = sizeof places / sizeof *places };

static uint32_t count_of(const place* p, uint32_t effect) {
    if (p->keys)
        return p->keys->count;
    const limberi_effect* e = limberi_effects[effect];
    return p->settings ? e->joint_key_count : e->key_count;
}

static const limberi_row* rows_of(const place* p, uint32_t effect) {
    if (p->keys)
        return p->keys->rows;
    const limberi_effect* e = limberi_effects[effect];
    return p->settings ? e->joint_keys : e->keys;
}

// The place of a row. *index becomes its number among the keys there, *effect that of the effect.
static const place* find_place(uint32_t* index, uint32_t* effect) {
    for (uint32_t i = 0; i < PLACES; i++)
        for (*effect = 0; *effect < (places[i].keys ? 1 : LIMBER_EFFECT_COUNT); ++*effect) {
            uint32_t count = count_of(&places[i], *effect);
            if (*index < count)
                return &places[i];
            *index -= count;
        }
    return NULL;
}

uint32_t limber_key_count(void) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < PLACES; i++)
        for (uint32_t e = 0; e < (places[i].keys ? 1 : LIMBER_EFFECT_COUNT); e++)
            count += count_of(&places[i], e);
    return count;
}

const limberi_row* limberi_row_at(uint32_t index) {
    uint32_t effect;
    const place* p = find_place(&index, &effect);
    return p ? &rows_of(p, effect)[index] : NULL;
}

const limber_key* limber_key_at(uint32_t index) {
    const limberi_row* row = limberi_row_at(index);
    return row ? &row->key : NULL;
}

void* limberi_row_settings(uint32_t index, limber_stage_settings* settings) {
    uint32_t effect;
    const place* p = find_place(&index, &effect);
    return p->keys ? (char*)settings + p->settings : (char*)&settings->deform.effects[effect];
}

const limberi_optional* limberi_row_absent(uint32_t index) {
    uint32_t effect;
    const place* p = find_place(&index, &effect);
    const limberi_optional* optional = p->optional;
    if (!p->keys && !p->settings && !limberi_effects[effect]->plan && !limberi_effects[effect]->bend)
        optional = &by_pose;
    return optional && !optional->present ? optional : NULL;
}

// --- sections ---

// Those of the effects come second.
uint32_t limberi_section_count(void) {
    uint32_t count = 0;
    for (uint32_t e = 0; e < LIMBER_EFFECT_COUNT; e++)
        count += limberi_effects[e]->section_count;
    for (uint32_t i = 0; i < PLACES; i++)
        count += places[i].keys ? places[i].keys->section_count : 0;
    return count;
}

const limberi_section* limberi_section_at(uint32_t index) {
    if (index == 0)
        return sections;
    uint32_t e = 0;
    uint32_t i = 1;
    for (index--; e < LIMBER_EFFECT_COUNT && index >= limberi_effects[e]->section_count; e++)
        index -= limberi_effects[e]->section_count;
    if (e < LIMBER_EFFECT_COUNT)
        return &limberi_effects[e]->sections[index];
    for (; !places[i].keys || index >= places[i].keys->section_count; i++)
        index -= places[i].keys ? places[i].keys->section_count : 0;
    return &places[i].keys->sections[index];
}

uint32_t limberi_section_of(const limberi_row* row) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < limberi_section_count(); i++) {
        const char* path = limberi_section_at(i)->path;
        size_t length = strlen(path);
        if (length > strlen(limberi_section_at(best)->path) && strncmp(row->key.path, path, length) == 0 &&
            row->key.path[length] == '.')
            best = i;
    }
    return best;
}

// --- addresses ---

int32_t limberi_effect_find(const char* name) {
    for (int32_t i = 0; i < LIMBER_EFFECT_COUNT; i++)
        if (strcmp(limber_effect_name((limber_effect)i), name) == 0)
            return i;
    return -1;
}

// The star of the second key stands for any joint or mesh, or for the effects the row is for; elsewhere it is just a star.
static bool key_fits(const limberi_row* row, uint32_t level, const char* key) {
    size_t length = 0;
    const char* start = limberi_row_key_at(row, level, &length);
    if (!start)
        return false;
    if (level == 1 && length == 1 && *start == '*') {
        if (strncmp(start - 7, "joints.", 7) == 0 || strncmp(start - 7, "meshes.", 7) == 0)
            return true;
        int32_t effect = limberi_effect_find(key);
        return effect >= 0 && (limberi_row_effects(row) >> effect & 1);
    }
    return strlen(key) == length && memcmp(start, key, length) == 0;
}

bool limberi_row_accepts(const limberi_row* row, const limberi_address* address, uint32_t count) {
    for (uint32_t level = 0; level < count; level++)
        if (!key_fits(row, level, address->keys[level]))
            return false;
    return true;
}

int32_t limberi_row_find(const limberi_address* address) {
    uint32_t count = limber_key_count();
    for (uint32_t i = 0; i < count; i++) {
        const limberi_row* row = limberi_row_at(i);
        if (limberi_row_depth(row) == address->count && limberi_row_accepts(row, address, address->count))
            return (int32_t)i;
    }
    return -1;
}
