// What the shader has to do for a style, and where it finds everything: decided once.
#include "base/bits.h"
#include "base/error.h"
#include "base/math.h"
#include "gpu/packing.h"
#include "motion/time_filter.h"
#include "text/text.h"

#include <string.h>

// --- what the shader cannot do ---

static bool is_used(const limberi_pack* p, uint32_t slot) {
    return limberi_slot_is_on(p->deformer, slot) || limberi_slot_is_source(p->deformer, slot);
}

static bool part_is_on(const limberi_pack* p, uint32_t slot, uint32_t part) {
    return limberi_slot_is_on(p->deformer, slot) &&
           limberi_is_on(limberi_number_of(&p->deformer->settings.effects[slot], part));
}

// Effects that the shader does not know run in it as long as they are affine and their gains the same everywhere.
static bool shader_has(const limberi_pack* p, uint32_t slot, uint32_t part) {
    if (LIMBERI_HAS_VERTICES && limberi_effects[slot]->gpu.put_bend)
        return true;
    if (limberi_part_is_folded(p->deformer, slot, part))
        return slot < LIMBERI_PACK_EFFECTS || !p->deformer->plans[slot].gain_varies[part];
    return slot < LIMBERI_PACK_EFFECTS && limberi_effects[slot]->gpu.block[part] != LIMBERI_GPU_NONE;
}

static limber_result check_blocks(const limberi_pack* p, limber_error* error) {
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++)
        for (uint32_t part = 0; part < 2; part++)
            if (part_is_on(p, slot, part) && (limberi_effects[slot]->parts >> part & 1) && !shader_has(p, slot, part))
                return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "the shader cannot do '%s' with these settings",
                                    limberi_effects[slot]->name);
    return LIMBER_OK;
}

// One mixture of twist and bend, one turning time, one fade and one max per joint: these go into the texture, not into
// attributes.
static bool varies(const limberi_pack* p, uint32_t slot, uint32_t value) {
    bool limit = limberi_effects[slot]->bends && value == LIMBERI_VALUE_MAX_BEND; // has a column
    return is_used(p, slot) && !limit &&
           limberi_number_varies(limberi_number_of(&p->deformer->settings.effects[slot], value));
}

static limber_result check_style(const limberi_pack* p, limber_error* error) {
    if (p->deformer->settings.custom_count)
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "effect '%s' is a C function, which no shader can run",
                            p->deformer->settings.custom[0].name ? p->deformer->settings.custom[0].name : "");
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++)
        for (uint32_t value = LIMBERI_VALUE_OWN; value < LIMBERI_VALUES; value++)
            if (varies(p, slot, value))
                return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED,
                                    "%s: '%s' differs from vertex to vertex, which the shader cannot do",
                                    limberi_effects[slot]->name,
                                    limberi_effect_number_name(limberi_effects[slot], value));
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++)
        if (limberi_effects[slot]->bends && is_used(p, slot) &&
            limberi_number_of(&p->deformer->settings.effects[slot], LIMBERI_VALUE_DECOMPOSE).value != 0)
            return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "%s: the shader cannot decompose as printed",
                                limberi_effects[slot]->name);
    if (p->deformer->settings.root != LIMBER_ROOT_RIG)
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "effects that start at contacts are computed on the CPU");
    if (p->deformer->cone_count)
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "lift has several cones, which the shader cannot do");
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++)
        if (limberi_slot_is_source(p->deformer, slot) && !limberi_effects[slot]->gpu.source_texels)
            return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "the shader cannot do lift by '%s'",
                                limberi_effects[slot]->name);
    return check_blocks(p, error);
}

static limber_result count_influences(limberi_pack* p, limber_error* error) {
    p->influences = 4;
    for (uint32_t m = 0; m < p->model->mesh_count; m++) {
        const limber_mesh* mesh = &p->model->meshes[m];
        for (uint32_t u = 0; u < mesh->vertex_count; u++) {
            uint32_t count = mesh->influence_first[u + 1] - mesh->influence_first[u];
            p->influences = count > 4 ? LIMBERI_PACK_INFLUENCES : p->influences;
            if (count > LIMBERI_PACK_INFLUENCES) {
                limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "vertex %u has %u joints; the shader supports %d", u,
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
            return limberi_fail(error, LIMBER_ERROR_LIMIT,
                                "the skins have %u joints in total; the shader supports 65536", count);
    }
    p->skin_joint_count = count;
    return LIMBER_OK;
}

// --- which numbers have a value per vertex ---

static limber_number column_number(const limberi_pack* p, const limberi_pack_column* c) {
    return limberi_number_of(&p->deformer->settings.effects[c->slot], c->value);
}

// Limits have no layer.
static const char* column_layer(const limberi_pack* p, const limberi_pack_column* c) {
    return c->value == LIMBERI_VALUE_MAX_BEND ? NULL : p->deformer->settings.effects[c->slot].layer;
}

// Effects that take the same layer, or the same formula times the same layer, share a column.
static bool same_column(const limberi_pack* p, const limberi_pack_column* a, const limberi_pack_column* b) {
    if (a->formula != b->formula || !limberi_same_text(column_layer(p, a), column_layer(p, b)))
        return false;
    if (!a->formula)
        return true;
    return (a->value == LIMBERI_VALUE_MAX_BEND) == (b->value == LIMBERI_VALUE_MAX_BEND) && // one is in degrees
           column_number(p, a).expression == column_number(p, b).expression;
}

static void add_column(limberi_pack* p, uint32_t slot, uint32_t value, uint32_t number) {
    limberi_pack_column column = {
        slot, value, limberi_number_varies(limberi_number_of(&p->deformer->settings.effects[slot], value)), 1};
    uint32_t at = 0;
    while (at < p->column_count && !same_column(p, &p->columns[at], &column))
        at++;
    p->columns[at] = column;
    p->column_count += at == p->column_count;
    p->column_of[number] = (int)at;
    p->columns_change = p->columns_change || column.formula;
}

// Whether a part has a gain in the shader: it is folded by itself or has a block.
static bool has_gain(uint32_t slot, uint32_t part) {
    return part == limberi_effects[slot]->affine_part || limberi_effects[slot]->gpu.block[part] != LIMBERI_GPU_NONE;
}

static void find_columns(limberi_pack* p) {
    const limber_deformer* d = p->deformer;
    uint32_t bend = 0;
    for (int n = 0; n <= LIMBERI_PACK_NUMBERS; n++)
        p->column_of[n] = -1;
    for (uint32_t slot = 0; slot < LIMBERI_PACK_EFFECTS; slot++)
        for (uint32_t part = 0; part < 2; part++)
            if (((d->active | d->own_sources) >> slot & 1) && d->plans[slot].gain_varies[part] && has_gain(slot, part))
                add_column(p, slot, part, 2 * slot + part);
    for (uint32_t slot = 0; slot < LIMBERI_PACK_EFFECTS; slot++) {
        if (!limberi_effects[slot]->bends)
            continue;
        if (is_used(p, slot) &&
            limberi_number_varies(limberi_number_of(&d->settings.effects[slot], LIMBERI_VALUE_MAX_BEND)))
            add_column(p, slot, LIMBERI_VALUE_MAX_BEND, LIMBERI_PACK_LIMITS + bend);
        bend++;
    }
    if (limberi_pack_bends(p) && d->plans[p->bend_slot].gain_varies[LIMBERI_LINEAR])
        add_column(p, p->bend_slot, LIMBERI_VALUE_LINEAR, LIMBERI_PACK_NUMBERS);
}

// --- what the shader has to do ---

// Which effects the blocks and palettes of the shader are for.
static void find_slots(limberi_pack* p) {
    uint32_t folds = 0;
    p->bend_slot = LIMBERI_SLOTS;
    for (uint32_t slot = 0; LIMBERI_HAS_VERTICES && slot < LIMBER_EFFECT_COUNT; slot++)
        if (limberi_effects[slot]->gpu.put_bend && part_is_on(p, slot, LIMBERI_LINEAR))
            p->bend_slot = slot;
    for (int block = 0; block < LIMBERI_GPU_BLOCKS; block++)
        p->slot_of[block][0] = p->slot_of[block][1] = LIMBERI_SLOTS;
    for (int fold = 0; fold < LIMBERI_PACK_FOLDS; fold++)
        p->folded[fold] = LIMBERI_SLOTS;
    for (uint32_t slot = 0; slot < LIMBERI_PACK_EFFECTS; slot++) {
        const limberi_effect* effect = limberi_effects[slot];
        for (uint32_t part = 0; part < 2; part++)
            p->slot_of[effect->gpu.block[part]][part == LIMBERI_ANGULAR ? effect->gpu.role : 0] = slot;
        if (effect->affine_part != LIMBERI_NO_PART && folds < LIMBERI_PACK_FOLDS)
            p->folded[folds++] = slot;
    }
}

static bool same_motion(const limberi_pack* p, uint32_t a, uint32_t b) {
    limberi_filters x = limberi_slot_filters(&p->deformer->settings, a, p->deformer->size);
    limberi_filters y = limberi_slot_filters(&p->deformer->settings, b, p->deformer->size);
    return limberi_filters_equal(&x, &y);
}

// Lift driven by plain stretch of its own motion needs no rows for that.
static void find_sources(limberi_pack* p, uint32_t user) {
    const limber_deformer* d = p->deformer;
    uint32_t only = d->sources_count_one ? limberi_lowest_bit(d->sources) : LIMBERI_SLOTS;
    if (only < LIMBERI_SLOTS && limberi_part_is_folded(p->deformer, only, LIMBERI_ANGULAR) &&
        same_motion(p, user, only))
        return;
    p->sources = d->sources;
    p->sources_own = d->sources_count_one ? 0 : d->own_sources;
}

// Bits of LIMBERI_KIND_... by block; where two effects share one, another says that their motions differ.
static const uint32_t kind_of[LIMBERI_GPU_BLOCKS] = {0,
                                                     LIMBERI_KIND_TURN,
                                                     LIMBERI_KIND_SLOWING,
                                                     LIMBERI_KIND_TRAVEL,
                                                     LIMBERI_KIND_SPIN,
                                                     LIMBERI_KIND_LIFT,
                                                     LIMBERI_KIND_OVERLAP};
static const uint32_t twice_of[LIMBERI_GPU_BLOCKS] = {0, LIMBERI_KIND_TURN_TWICE, LIMBERI_KIND_SLOWING_TWICE, 0, 0, 0,
                                                      0};

static void find_kinds(limberi_pack* p) {
    p->kinds |= limberi_pack_bends(p) ? LIMBERI_KIND_BEND : 0;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++)
        for (uint32_t part = 0; part < 2; part++)
            if (part_is_on(p, slot, part) && !limberi_part_is_folded(p->deformer, slot, part))
                p->kinds |= kind_of[limberi_effects[slot]->gpu.block[part]];
    for (int block = 0; block < LIMBERI_GPU_BLOCKS; block++) {
        uint32_t a = p->slot_of[block][0];
        uint32_t b = p->slot_of[block][1];
        if (twice_of[block] && part_is_on(p, a, LIMBERI_ANGULAR) && part_is_on(p, b, LIMBERI_ANGULAR) &&
            !same_motion(p, a, b))
            p->kinds |= twice_of[block];
    }
}

// Whether a block of translations is needed: effects with one layer share a palette, and where one of them has
// matrices, the block of matrices has the others, too.
static bool is_filled(const limberi_pack* p, uint32_t fold) {
    for (int i = 0; i < LIMBERI_PACK_FOLDS; i++) {
        uint32_t slot = p->folded[i];
        if (slot < LIMBERI_SLOTS && !limberi_effects[slot]->affine_matrix &&
            part_is_on(p, slot, limberi_effects[slot]->affine_part) && p->deformer->plans[slot].fold == fold)
            return (int32_t)fold != p->matrix_fold;
    }
    return false;
}

// Matrices of constant gain add up in one palette; each effect whose gain has a column has a palette by itself.
static void find_folds(limberi_pack* p) {
    p->matrix_fold = -1;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++) {
        const limberi_effect* effect = limberi_effects[slot];
        for (uint32_t part = 0; part < 2; part++) {
            bool matrix = effect->affine_matrix || part == effect->constant_affine_part;
            if (!matrix || !part_is_on(p, slot, part) || !limberi_part_is_folded(p->deformer, slot, part))
                continue;
            if (p->deformer->plans[slot].gain_varies[part])
                p->matrix_fold = (int32_t)p->deformer->plans[slot].fold;
            else
                p->folds |= LIMBERI_PACK_FOLD_MATRIX;
        }
    }
    for (uint32_t i = 0; i < LIMBERI_PACK_FOLDS && p->folded[i] < LIMBERI_SLOTS; i++) {
        bool matrix = limberi_effects[p->folded[i]]->affine_matrix;
        if (matrix ? p->matrix_fold >= 0 : is_filled(p, LIMBERI_FOLD_SLOT + p->folded[i]))
            p->folds |= 1u << (i + 1);
    }
}

static void find_work(limberi_pack* p) {
    uint32_t lift = p->slot_of[LIMBERI_GPU_LIFT][0];
    uint32_t spin = p->slot_of[LIMBERI_GPU_SPIN][0];
    p->quadratic = !limberi_part_is_folded(p->deformer, spin, LIMBERI_ANGULAR);
    p->lift_mesh = limberi_slot_is_on(p->deformer, lift) && !p->deformer->has_cone;
    p->normals = true;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++) {
        const limber_effect_settings* set = &p->deformer->settings.effects[slot];
        const limberi_effect* effect = limberi_effects[slot];
        if (!is_used(p, slot))
            continue;
        p->limits |= effect->bends && limberi_is_on(limberi_number_of(set, LIMBERI_VALUE_MAX_BEND));
        p->max_squash |= (effect->shapes >> LIMBERI_SHAPE_SQUASH & 1) &&
                         limberi_is_on(limberi_number_of(set, LIMBERI_VALUE_MAX_SQUASH));
    }
    p->chain = limberi_is_chain(p->deformer);
    p->can_fold = limberi_deform_can_fold(p->deformer);
    find_kinds(p);
    find_folds(p);
    if (p->kinds & LIMBERI_KIND_LIFT)
        find_sources(p, lift);
}

static uint32_t texels(uint32_t set, uint32_t flags, uint32_t count) {
    return set & flags ? count : 0;
}

// As the shader's limber_row_... and limber_skin_... have it.
static void find_layout(limberi_pack* p) {
    static const uint32_t block_texels[LIMBERI_GPU_BLOCKS] = {0, 3, 2, 2, 1, 1, 2};
    p->fold_texels = 1 + texels(p->folds, LIMBERI_PACK_FOLD_MATRIX, 2);
    for (uint32_t i = 0; i < LIMBERI_PACK_FOLDS && p->folded[i] < LIMBERI_SLOTS; i++)
        p->fold_texels += texels(p->folds, 1u << (i + 1), limberi_effects[p->folded[i]]->affine_matrix ? 3 : 1);
    p->skin_texels = p->chain ? 1 : p->fold_texels;
    p->skin_texels += p->skinning == LIMBER_SKINNING_DUALQUAT ? 5 : 3;
    p->joint_texels = 1 + (p->chain ? p->fold_texels : 0);
    for (uint32_t block = 1; block < LIMBERI_GPU_BLOCKS; block++)
        p->joint_texels += texels(p->kinds, kind_of[block], block_texels[block]) +
                           texels(p->kinds, twice_of[block], block_texels[block]);
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++)
        p->joint_texels += texels(p->sources, 1u << slot, limberi_effects[slot]->gpu.source_texels);
    p->texel_limit = LIMBERI_PACK_HEAD + p->skin_joint_count * p->skin_texels +
                     p->model->rig.joint_count * p->joint_texels + limberi_pack_rigid_texels(p) +
                     limberi_pack_ground_texels(p) + limberi_pack_collider_texels(p);
    if (limberi_pack_bends(p))
        p->texel_limit += limberi_effects[p->bend_slot]->gpu.bend_texels(p->deformer, p->bend_slot);
}

static limber_result allocate_memory(limberi_pack* p) {
    uint32_t used = p->columns_change ? p->deformer->names_used : 0;
    p->rows = LIMBERI_ALLOCATE(&p->arena, int32_t, p->model->rig.joint_count);
    p->quads = LIMBERI_ALLOCATE(&p->arena, limberi_joint_quad, limberi_quad_count(p->model));
    p->quad_texels = LIMBERI_ALLOCATE(&p->arena, float, 4 * LIMBERI_QUAD_JOINTS * (size_t)p->joint_texels);
    p->names = LIMBERI_ALLOCATE(&p->arena, limberi_mesh_names, p->model->mesh_count);
    if (used >> LIMBER_VARIABLE_SPEED & 1)
        p->skinned = LIMBERI_ALLOCATE(&p->arena, float, 3 * (size_t)p->model->vertex_count);
    if (p->columns_change)
        p->values = LIMBERI_ALLOCATE(&p->arena, float, (size_t)p->column_count * p->model->vertex_count);
    if (p->arena.failed)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t m = 0; m < p->model->mesh_count; m++)
        if (limberi_mesh_names_fill(&p->arena, p->model, &p->model->meshes[m], used, &p->names[m]))
            return LIMBER_ERROR_MEMORY;
    return LIMBER_OK;
}

limber_result limberi_pack_create(const limber_asset* asset, limber_deformer* deformer, limberi_pack_stages stages,
                                  limber_skinning skinning, limberi_pack* p, limber_error* error) {
    memset(p, 0, sizeof *p);
    p->deformer = deformer;
    p->rigid = stages.rigid;
    p->ground = limberi_contact_stage_acts(stages.ground) ? stages.ground : NULL;
    p->collision = stages.collision;
    p->asset = asset;
    p->model = deformer->model; // may have a layer that was found
    p->skinning = skinning;
    limber_result result = check_style(p, error);
    if (!result)
        result = count_influences(p, error);
    if (!result)
        result = count_skins(p, error);
    if (!result)
        result = limberi_pack_check_rigid(p, error);
    if (!result && limberi_pack_find_collider_layers(p))
        result = limberi_fail_memory(error);
    if (!result) {
        find_slots(p);
        find_columns(p);
        p->columns_change = p->columns_change || (limberi_pack_lift_columns(p) && p->model->morph_count);
        uint32_t count = limberi_pack_column_count(p);
        if (count > LIMBERI_PACK_COLUMNS)
            result =
                limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "the style needs %u values per vertex; the shader has %d",
                             count, (int)LIMBERI_PACK_COLUMNS);
    }
    if (!result) {
        find_work(p);
        find_layout(p);
        if (allocate_memory(p) || limberi_pack_find_obeyed(p))
            result = limberi_fail_memory(error);
    }
    if (result)
        limberi_pack_destroy(p);
    return result;
}

void limberi_pack_destroy(limberi_pack* p) {
    limberi_arena_free(&p->arena);
    memset(p, 0, sizeof *p);
}

static int contact_column(const limberi_pack* p) {
    return limberi_pack_contact_columns(p) ? (int)p->column_count : -1;
}

// The first one of two.
static int collider_column(const limberi_pack* p) {
    return p->collision ? (int)(p->column_count + limberi_pack_contact_columns(p)) : -1;
}

// The first one of four.
static int lift_column(const limberi_pack* p) {
    uint32_t before = p->column_count + limberi_pack_contact_columns(p) + limberi_pack_collider_columns(p);
    return limberi_pack_lift_columns(p) ? (int)before : -1;
}

// The column that has the part; the next one has how much the vertex belongs to it.
static int rigid_column(const limberi_pack* p) {
    uint32_t before = p->column_count + limberi_pack_contact_columns(p) + limberi_pack_collider_columns(p) +
                      limberi_pack_lift_columns(p);
    return p->rigid ? (int)before : -1;
}

void limberi_pack_defines(const limberi_pack* p, char text[LIMBERI_PACK_DEFINES_SIZE]) {
    uint32_t columns = limberi_pack_column_count(p);
    uint32_t vectors = columns > 4 ? (columns + 3) / 4 : 1;
    limberi_format(
        text, LIMBERI_PACK_DEFINES_SIZE,
        "#define LIMBER_SKINNING %d\n#define LIMBER_INFLUENCES %u\n#define LIMBER_NORMALS %d\n"
        "#define LIMBER_KINDS %u\n#define LIMBER_FOLDS %u\n#define LIMBER_SOURCES %u\n"
        "#define LIMBER_SOURCES_OWN %u\n#define LIMBER_QUADRATIC %d\n#define LIMBER_LIFT_MESH %d\n"
        "#define LIMBER_LIMITS %d\n#define LIMBER_MAX_SQUASH %d\n#define LIMBER_CHAIN %d\n#define LIMBER_RIGID %d\n"
        "#define LIMBER_GROUND %d\n#define LIMBER_CONTACT %d\n#define LIMBER_COLLIDERS %d\n#define LIMBER_LIFT_NORMAL "
        "%d\n"
        "#define LIMBER_COLUMN_VECTORS %u\n#define LIMBER_COLUMNS ",
        p->skinning == LIMBER_SKINNING_DUALQUAT, p->influences, p->normals, p->kinds, p->folds, p->sources,
        p->sources_own, p->quadratic, p->lift_mesh, p->limits, p->max_squash, p->chain, rigid_column(p),
        p->ground != NULL, contact_column(p), collider_column(p), lift_column(p), vectors);
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
                   p->influences, p->normals, LIMBERI_PACK_COLUMNS / 4, p->skinning == LIMBER_SKINNING_DUALQUAT,
                   p->sources);
}

void limberi_pack_settings(const limberi_pack* p, int32_t out[LIMBERI_PACK_SETTINGS]) {
    const int32_t flags[LIMBERI_PACK_FLAGS] = {p->skinning == LIMBER_SKINNING_DUALQUAT,
                                               (int32_t)p->kinds,
                                               (int32_t)p->folds,
                                               (int32_t)p->sources,
                                               (int32_t)p->sources_own,
                                               p->quadratic,
                                               p->limits,
                                               p->lift_mesh,
                                               p->max_squash,
                                               p->chain,
                                               rigid_column(p),
                                               p->ground != NULL,
                                               contact_column(p),
                                               collider_column(p),
                                               lift_column(p)};
    memcpy(out, flags, sizeof flags);
    for (int n = 0; n < LIMBERI_PACK_NUMBERS; n++)
        out[LIMBERI_PACK_FLAGS + n] = p->column_of[n];
}

// --- attributes ---

size_t limberi_pack_joint_bytes(const limberi_pack* p) {
    return p->influences * (sizeof(uint16_t) + sizeof(float));
}

uint32_t limberi_pack_column_count(const limberi_pack* p) {
    return p->column_count + limberi_pack_contact_columns(p) + limberi_pack_collider_columns(p) +
           limberi_pack_lift_columns(p) + limberi_pack_rigid_columns(p);
}

// Attributes start at multiples of four bytes.
size_t limberi_pack_column_bytes(const limberi_pack* p) {
    return (limberi_pack_column_count(p) + 1) / 2 * 2 * sizeof(int16_t);
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
