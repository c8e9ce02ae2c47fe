#include "render/deform_pack.h"
#include "base/error.h"
#include "base/math.h"
#include "deform/deform_private.h"
#include "motion/filter.h"

#include <string.h>

// --- what the shader cannot do ---

static const char* const number_names[VALUE_COUNT] = {"linear", "angular", "max_bend", "twist", "bend", "threshold"};

static limber_number number_of(const limber_effect_settings* s, int value) {
    const limber_number numbers[VALUE_COUNT] = {s->linear, s->angular, s->max_bend_deg,
                                                s->twist,  s->bend,    s->threshold};
    return numbers[value];
}

static bool varies(limber_number n) {
    return n.expression && !limber_expression_is_uniform(n.expression);
}

static bool is_on(limber_number n) {
    return n.expression || n.value != 0;
}

static bool is_used(const limberi_pack* p, uint32_t slot) {
    return p->deformer->slot_active[slot] || limberi_is_source(p->deformer, slot);
}

static bool bends(uint32_t slot) {
    return slot == LIMBER_EFFECT_FLOPPY || slot == LIMBER_EFFECT_DRAG || slot == LIMBER_EFFECT_FOLLOWTHROUGH;
}

// One mixture of twist and bend and one threshold per joint: these go into the texture, not into attributes.
static limber_result check_style(const limberi_pack* p, limber_error* error) {
    if (p->deformer->settings.custom_count)
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "effect '%s' is a C function, which no shader can run",
                            p->deformer->settings.custom[0].name ? p->deformer->settings.custom[0].name : "");
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++)
        for (int value = VALUE_TWIST; value < VALUE_COUNT; value++)
            if (is_used(p, slot) && bends(slot) && varies(number_of(&p->deformer->settings.effects[slot], value)))
                return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED,
                                    "%s: '%s' differs from vertex to vertex, which the shader cannot do",
                                    limber_effect_name((limber_effect)slot), number_names[value]);
    return LIMBER_OK;
}

static limber_result count_influences(limberi_pack* p, limber_error* error) {
    p->influences = 4;
    for (uint32_t m = 0; m < p->model->mesh_count; m++) {
        const limber_mesh* mesh = &p->model->meshes[m];
        for (uint32_t u = 0; u < mesh->vertex_count; u++) {
            uint32_t count = mesh->influence_first[u + 1] - mesh->influence_first[u];
            p->influences = count > 4 ? LIMBERI_PACK_INFLUENCES : p->influences;
            if (count > LIMBERI_PACK_INFLUENCES) {
                limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "vertex %u hangs on %u joints; the shader takes %d", u,
                             count, (int)LIMBERI_PACK_INFLUENCES);
                return limberi_at(error, LIMBER_ERROR_UNSUPPORTED, "mesh '%s'", mesh->name ? mesh->name : "");
            }
        }
    }
    return LIMBER_OK;
}

static limber_result count_skins(limberi_pack* p, limber_error* error) {
    uint32_t count = 0;
    p->skin_first = LIMBERI_ALLOCATE(&p->arena, uint32_t, p->model->skin_count);
    for (uint32_t s = 0; p->skin_first && s < p->model->skin_count; s++) {
        p->skin_first[s] = count;
        count += p->model->skins[s].joint_count;
        if (count > 65536)
            return limberi_fail(error, LIMBER_ERROR_LIMIT, "the skins have %u joints together; the shader takes 65536",
                                count);
    }
    p->skin_joint_count = count;
    return LIMBER_OK;
}

// --- which numbers have a value per vertex ---

static bool same_text(const char* a, const char* b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static limber_number column_number(const limberi_pack* p, const limberi_pack_column* c) {
    return number_of(&p->deformer->settings.effects[c->slot], c->value);
}

// Limits have no layer.
static const char* column_layer(const limberi_pack* p, const limberi_pack_column* c) {
    return c->value == VALUE_MAX_BEND ? NULL : p->deformer->settings.effects[c->slot].layer;
}

// Effects that take the same layer, or the same formula times the same layer, share a column.
static bool same_column(const limberi_pack* p, const limberi_pack_column* a, const limberi_pack_column* b) {
    if (a->formula != b->formula || !same_text(column_layer(p, a), column_layer(p, b)))
        return false;
    if (!a->formula)
        return true;
    return (a->value == VALUE_MAX_BEND) == (b->value == VALUE_MAX_BEND) && // one is in degrees
           column_number(p, a).expression == column_number(p, b).expression;
}

static void add_column(limberi_pack* p, uint32_t slot, int value, int number) {
    limberi_pack_column column = {slot, value, varies(number_of(&p->deformer->settings.effects[slot], value)), 1};
    uint32_t at = 0;
    while (at < p->column_count && !same_column(p, &p->columns[at], &column))
        at++;
    p->columns[at] = column;
    p->column_count += at == p->column_count;
    p->column_of[number] = (int)at;
    p->columns_change = p->columns_change || column.formula;
}

static void find_columns(limberi_pack* p) {
    const limber_deformer* d = p->deformer;
    for (int n = 0; n < LIMBERI_PACK_NUMBERS; n++)
        p->column_of[n] = -1;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++)
        for (int part = 0; part < 2; part++)
            if (d->slot_active[slot] && d->plans[slot].gain_varies[part] && (part || slot < LIMBER_EFFECT_STRETCH))
                add_column(p, slot, part, (int)(2 * slot) + part);
    const uint32_t bending[3] = {LIMBER_EFFECT_FLOPPY, LIMBER_EFFECT_DRAG, LIMBER_EFFECT_FOLLOWTHROUGH};
    for (int i = 0; i < 3; i++)
        if (is_used(p, bending[i]) && varies(d->settings.effects[bending[i]].max_bend_deg))
            add_column(p, bending[i], VALUE_MAX_BEND, 2 * LIMBER_EFFECT_COUNT + i);
}

// --- what the shader has to do ---

static bool part_is_on(const limberi_pack* p, limber_effect effect, int part) {
    return p->deformer->slot_active[effect] && is_on(number_of(&p->deformer->settings.effects[effect], part));
}

static bool part_varies(const limberi_pack* p, limber_effect effect, int part) {
    return part_is_on(p, effect, part) && p->deformer->plans[effect].gain_varies[part];
}

static uint32_t bit(bool set, int flag) {
    return set ? (uint32_t)flag : 0;
}

// Effects of one layer share a palette; where stretch is among them its block of texels has all of it.
static bool is_filled(const limberi_pack* p, int fold) {
    const limber_effect shifting[3] = {LIMBER_EFFECT_FLOPPY, LIMBER_EFFECT_DRAG, LIMBER_EFFECT_FOLLOWTHROUGH};
    for (int i = 0; i < 3; i++)
        if (part_is_on(p, shifting[i], 0) && p->deformer->plans[shifting[i]].fold == fold)
            return fold != p->stretch_fold;
    return false;
}

static bool has_limits(const limberi_pack* p) {
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++)
        if (is_used(p, slot) && bends(slot) && is_on(p->deformer->settings.effects[slot].max_bend_deg))
            return true;
    return false;
}

static bool same_motion(const limberi_pack* p, limber_effect a, limber_effect b) {
    const limber_effect_settings* e = p->deformer->settings.effects;
    return limberi_filter_set_equal(&e[a].filters, &e[b].filters);
}

// Two effects of the same motion share what turns them.
static uint32_t pair(const limberi_pack* p, limber_effect a, limber_effect b, int once, int twice) {
    bool first = part_is_on(p, a, 1), second = part_is_on(p, b, 1);
    return bit(first || second, once) | bit(first && second && !same_motion(p, a, b), twice);
}

// Lift driven by plain stretch of its own motion needs no rows for that.
static void find_sources(limberi_pack* p) {
    bool plain = p->deformer->settings.effects[LIMBER_EFFECT_LIFT].sources == 1u << LIMBER_EFFECT_STRETCH;
    if (plain && !p->quadratic && same_motion(p, LIMBER_EFFECT_LIFT, LIMBER_EFFECT_STRETCH))
        return;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_LIFT; slot++) {
        bool source = limberi_is_source(p->deformer, slot);
        p->sources |= bit(source, 1 << slot);
        p->sources_own |= bit(source && !plain && p->deformer->slot_active[slot], 1 << slot);
    }
}

static void find_work(limberi_pack* p) {
    const limber_effect_settings* e = p->deformer->settings.effects;
    bool stretch = part_is_on(p, LIMBER_EFFECT_STRETCH, 1), squash = part_is_on(p, LIMBER_EFFECT_SQUASH, 0);
    bool stretch_varies = part_varies(p, LIMBER_EFFECT_STRETCH, 1), travel = part_varies(p, LIMBER_EFFECT_SQUASH, 0);
    p->quadratic = e[LIMBER_EFFECT_STRETCH].profile == LIMBER_PROFILE_QUADRATIC;
    p->lift_mesh = e[LIMBER_EFFECT_LIFT].normals == LIMBER_LIFT_MESH;
    p->normals = true;
    p->limits = has_limits(p);
    p->kinds =
        pair(p, LIMBER_EFFECT_FLOPPY, LIMBER_EFFECT_SQUASH, LIMBERI_KIND_TURN, LIMBERI_KIND_TURN_TWICE) |
        pair(p, LIMBER_EFFECT_DRAG, LIMBER_EFFECT_FOLLOWTHROUGH, LIMBERI_KIND_SLOWING, LIMBERI_KIND_SLOWING_TWICE) |
        bit(travel, LIMBERI_KIND_TRAVEL) | bit(stretch && p->quadratic, LIMBERI_KIND_SPIN) |
        bit(part_is_on(p, LIMBER_EFFECT_LIFT, 1), LIMBERI_KIND_LIFT);
    p->stretch_fold = stretch_varies && !p->quadratic ? p->deformer->plans[LIMBER_EFFECT_STRETCH].fold : -1;
    p->folds = bit((squash && !travel) || (stretch && !stretch_varies && !p->quadratic), LIMBERI_FOLD_MATRIX) |
               bit(is_filled(p, FOLD_FLOPPY), LIMBERI_FOLD_FLOPPY) | bit(is_filled(p, FOLD_DRAG), LIMBERI_FOLD_DRAG) |
               bit(is_filled(p, FOLD_FOLLOWTHROUGH), LIMBERI_FOLD_FOLLOW) |
               bit(p->stretch_fold >= 0, LIMBERI_FOLD_STRETCH);
    if (p->kinds & LIMBERI_KIND_LIFT)
        find_sources(p);
}

static uint32_t texels(uint32_t set, uint32_t flags, uint32_t count) {
    return set & flags ? count : 0;
}

static void find_layout(limberi_pack* p) {
    p->skin_texels = (p->skinning == LIMBER_SKINNING_DUALQUAT ? 6 : 4) + texels(p->folds, LIMBERI_FOLD_MATRIX, 2) +
                     texels(p->folds, LIMBERI_FOLD_FLOPPY, 1) + texels(p->folds, LIMBERI_FOLD_DRAG, 1) +
                     texels(p->folds, LIMBERI_FOLD_FOLLOW, 1) + texels(p->folds, LIMBERI_FOLD_STRETCH, 3);
    p->joint_texels = 1 + texels(p->kinds, LIMBERI_KIND_TURN, 3) + texels(p->kinds, LIMBERI_KIND_TURN_TWICE, 3) +
                      texels(p->kinds, LIMBERI_KIND_SLOWING, 2) + texels(p->kinds, LIMBERI_KIND_SLOWING_TWICE, 2) +
                      texels(p->kinds, LIMBERI_KIND_TRAVEL, 2) + texels(p->kinds, LIMBERI_KIND_SPIN, 1) +
                      texels(p->kinds, LIMBERI_KIND_LIFT, 1) + texels(p->sources, 1, 2) + texels(p->sources, 2, 5) +
                      texels(p->sources, 4, 2) + texels(p->sources, 8, 2) + texels(p->sources, 16, 1);
    p->texel_limit = 3 + p->skin_joint_count * p->skin_texels + p->model->rig.joint_count * p->joint_texels;
}

static limber_result take_memory(limberi_pack* p) {
    uint32_t used = p->columns_change ? p->deformer->names_used : 0;
    p->rows = LIMBERI_ALLOCATE(&p->arena, int32_t, p->model->rig.joint_count);
    p->names = LIMBERI_ALLOCATE(&p->arena, limberi_mesh_names, p->model->mesh_count);
    if (used >> LIMBER_VARIABLE_SPEED & 1)
        p->skinned = LIMBERI_ALLOCATE(&p->arena, float, 3 * (size_t)p->model->vertex_count);
    if (p->columns_change)
        p->values = LIMBERI_ALLOCATE(&p->arena, float, (size_t)p->column_count * p->model->vertex_count);
    for (uint32_t m = 0; !p->arena.failed && m < p->model->mesh_count; m++)
        if (limberi_mesh_names_fill(&p->arena, p->model, &p->model->meshes[m], used, &p->names[m]))
            return LIMBER_ERROR_MEMORY;
    return p->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

limber_result limberi_pack_create(const limber_asset* asset, limber_deformer* deformer, limber_skinning skinning,
                                  limberi_pack* p, limber_error* error) {
    memset(p, 0, sizeof *p);
    p->deformer = deformer;
    p->model = limber_asset_model(asset);
    p->skinning = skinning;
    limber_result result = check_style(p, error);
    if (!result)
        result = count_influences(p, error);
    if (!result)
        result = count_skins(p, error);
    if (!result) {
        find_columns(p);
        find_work(p);
        find_layout(p);
        if (take_memory(p))
            result = limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the shader's data");
    }
    if (result)
        limberi_pack_destroy(p);
    return result;
}

void limberi_pack_destroy(limberi_pack* p) {
    limberi_arena_free(&p->arena);
    memset(p, 0, sizeof *p);
}

static uint32_t column_vectors(const limberi_pack* p) {
    return p->column_count > 4 ? (p->column_count + 3) / 4 : 1;
}

void limberi_pack_defines(const limberi_pack* p, char text[LIMBERI_PACK_DEFINES_SIZE]) {
    limberi_format(text, LIMBERI_PACK_DEFINES_SIZE,
                   "#define LIMBER_SKINNING %d\n#define LIMBER_INFLUENCES %u\n#define LIMBER_NORMALS %d\n"
                   "#define LIMBER_KINDS %u\n#define LIMBER_FOLDS %u\n#define LIMBER_SOURCES %u\n"
                   "#define LIMBER_SOURCES_OWN %u\n#define LIMBER_QUADRATIC %d\n#define LIMBER_LIFT_MESH %d\n"
                   "#define LIMBER_LIMITS %d\n"
                   "#define LIMBER_COLUMN_VECTORS %u\n#define LIMBER_COLUMNS ",
                   p->skinning == LIMBER_SKINNING_DUALQUAT, p->influences, p->normals, p->kinds, p->folds, p->sources,
                   p->sources_own, p->quadratic, p->lift_mesh, p->limits, column_vectors(p));
    for (int n = 0; n < LIMBERI_PACK_NUMBERS; n++) {
        size_t length = strlen(text);
        limberi_format(text + length, LIMBERI_PACK_DEFINES_SIZE - length, "%d%s", p->column_of[n],
                       n + 1 < LIMBERI_PACK_NUMBERS ? ", " : "\n");
    }
}

void limberi_pack_dynamic_defines(const limberi_pack* p, char text[LIMBERI_PACK_DEFINES_SIZE]) {
    limberi_format(text, LIMBERI_PACK_DEFINES_SIZE,
                   "#define LIMBER_DYNAMIC 1\n#define LIMBER_INFLUENCES %u\n#define LIMBER_NORMALS %d\n"
                   "#define LIMBER_COLUMN_VECTORS %d\n#define LIMBER_MAY_SKINNING %d\n#define LIMBER_MAY_SOURCES %u\n",
                   p->influences, p->normals, (LIMBERI_PACK_NUMBERS + 3) / 4, p->skinning == LIMBER_SKINNING_DUALQUAT,
                   p->sources);
}

void limberi_pack_settings(const limberi_pack* p, int32_t out[LIMBERI_PACK_SETTINGS]) {
    const int32_t flags[8] = {p->skinning == LIMBER_SKINNING_DUALQUAT,
                              (int32_t)p->kinds,
                              (int32_t)p->folds,
                              (int32_t)p->sources,
                              (int32_t)p->sources_own,
                              p->quadratic,
                              p->limits,
                              p->lift_mesh};
    memcpy(out, flags, sizeof flags);
    for (int n = 0; n < LIMBERI_PACK_NUMBERS; n++)
        out[8 + n] = p->column_of[n];
}

// --- attributes ---

size_t limberi_pack_joint_bytes(const limberi_pack* p) {
    return p->influences * (sizeof(uint16_t) + sizeof(float));
}

// Attributes start at multiples of four bytes.
size_t limberi_pack_column_bytes(const limberi_pack* p) {
    return (p->column_count + 1) / 2 * 2 * sizeof(int16_t);
}

limberi_pack_memory limberi_pack_bytes(const limberi_pack* p) {
    limberi_pack_memory memory;
    memory.plain = 6 * sizeof(float) + limberi_pack_joint_bytes(p);
    memory.all = memory.plain + limberi_pack_column_bytes(p);
    return memory;
}

void limberi_pack_joints(const limberi_pack* p, uint8_t* out) {
    size_t stride = limberi_pack_joint_bytes(p);
    for (uint32_t m = 0; m < p->model->mesh_count; m++) {
        const limber_mesh* mesh = &p->model->meshes[m];
        for (uint32_t u = 0; u < mesh->vertex_count; u++) {
            uint16_t joints[LIMBERI_PACK_INFLUENCES] = {0};
            float weights[LIMBERI_PACK_INFLUENCES] = {0};
            uint32_t first = mesh->influence_first[u];
            for (uint32_t i = first; i < mesh->influence_first[u + 1]; i++) {
                joints[i - first] = (uint16_t)(p->skin_first[mesh->skin] + mesh->influence_joint[i]);
                weights[i - first] = mesh->influence_weight[i];
            }
            uint8_t* to = out + ((size_t)mesh->first_vertex + u) * stride;
            memcpy(to, joints, p->influences * sizeof *joints);
            memcpy(to + p->influences * sizeof *joints, weights, p->influences * sizeof *weights);
        }
    }
}
