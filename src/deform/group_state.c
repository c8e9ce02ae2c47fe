// The numbers per vertex of a group, and the kernels that sum.c and chain.c call alike.
#include "deform/group_state.h"
#include "deform/effects/formulas.h"

#include <string.h>

// --- values ---

static const limberi_block_values* values_of(limberi_group_state* g, uint32_t slot) {
    const limberi_slot_plan* plan = &g->d->plans[slot];
    if (!plan->varies && !plan->layered)
        return &g->f->constants[slot];
    if (!(g->ready >> slot & 1))
        limberi_evaluate_values(&g->d->names[g->mesh_index], g->mesh, g->d->plans[slot].numbers,
                                limberi_slot_settings(&g->d->settings, slot), &g->f->job, g->group->first,
                                g->group->width, g->speed, &g->scratch->values[slot]);
    g->ready |= 1u << slot;
    return &g->scratch->values[slot];
}

const float* limberi_group_gain(limberi_group_state* g, uint32_t slot, uint32_t part) {
    const limberi_slot_plan* plan = &g->d->plans[slot];
    if (!plan->gain_varies[part])
        return NULL;
    if (plan->formula[part])
        return values_of(g, slot)->v[part == LIMBERI_LINEAR ? LIMBERI_VALUE_LINEAR : LIMBERI_VALUE_ANGULAR];
    const float* layer = g->d->layers[g->mesh_index * LIMBERI_SLOTS + slot];
    return layer ? layer + g->group->first : limberi_group_ones;
}

// Radians; NULL: no limit.
static const float* limit_of(limberi_group_state* g, uint32_t slot) {
    limber_number limit = limberi_number_of(limberi_slot_settings(&g->d->settings, slot), LIMBERI_VALUE_MAX_BEND);
    if (!limit.expression)
        return limit.value > 0 ? g->f->constants[slot].v[LIMBERI_VALUE_MAX_BEND] : NULL;
    return (g->d->plans[slot].varies ? values_of(g, slot) : &g->f->constants[slot])->v[LIMBERI_VALUE_MAX_BEND];
}

const float* limberi_group_gain_or_ones(limberi_group_state* g, uint32_t slot, uint32_t part) {
    const float* gain = limberi_group_gain(g, slot, part);
    return gain ? gain : limberi_group_ones;
}

const float* limberi_group_fold_gain(limberi_group_state* g, uint32_t fold) {
    uint32_t slot = fold - LIMBERI_FOLD_SLOT;
    return fold == LIMBERI_FOLD_CONSTANT ? NULL : limberi_group_gain(g, slot, limberi_effects[slot]->affine_part);
}

void limberi_group_run_fold(const limberi_group_state* g, const limberi_lane_block* block, uint32_t fold,
                            const float* gain, limberi_affine_use use) {
    limberi_affine_row row;
    row.slot_count = g->group->slot_count;
    row.slots = g->groups->slots + g->group->slot_first;
    row.joints = g->d->model->skins[g->mesh->skin].joints;
    row.weights = row.slot_count > 1 ? g->groups->weights + g->group->weight_first : NULL;
    row.palette = g->f->palettes[fold];
    row.shift_only = g->f->shift_only[fold];
    row.symmetric = fold != LIMBERI_FOLD_VELOCITY;
    row.use = use;
    g->kernels->affine(block, &row, gain);
}

void limberi_group_clear(float (*rows)[LIMBER_BLOCK], int count, uint32_t width) {
    for (int r = 0; r < count; r++)
        memset(rows[r], 0, width * sizeof rows[r][0]);
}

void limberi_group_bound(limberi_group_state* g) {
    float low[3], high[3], square = 0;
    g->kernels->box(&g->block, low, high);
    for (int c = 0; c < 3; c++) {
        g->middle[c] = 0.5f * (low[c] + high[c]);
        square += 0.25f * (high[c] - low[c]) * (high[c] - low[c]);
    }
    g->radius = sqrtf(square);
}

// --- joints ---

static float largest(const float* values, uint32_t count) {
    float high = 0;
    for (uint32_t v = 0; v < count; v++)
        high = fabsf(values[v]) > high ? fabsf(values[v]) : high;
    return high;
}

void limberi_group_open_turns(limberi_group_state* g, const limberi_work* work, limberi_turn_list* list) {
    limberi_turn_mode* mode = &list->mode;
    memset(mode, 0, sizeof *mode);
    mode->bend = work->bend_slot >= 0;
    mode->squash = work->shape == LIMBERI_SHAPE_SQUASH;
    list->open = true;
    list->bend_gain = list->squash_gain = 1.0001f; // layers stay within 1
    for (int reach = 0; reach < LIMBERI_TURN_WIDE; reach++)
        list->widest[reach] = HUGE_VALF;
    if (mode->squash) {
        float max = g->f->constants[work->slot].v[LIMBERI_VALUE_MAX_SQUASH][0];
        mode->squash_gain = limberi_group_gain(g, (uint32_t)work->slot, LIMBERI_ANGULAR);
        mode->max_squash = max > 0 ? fmaxf(max, LIMBERI_MIN_MAX_SQUASH) : 0;
        if (g->d->plans[work->slot].formula[LIMBERI_ANGULAR])
            list->squash_gain *= largest(mode->squash_gain, g->group->width);
    }
    if (!mode->bend)
        return;
    uint32_t slot = (uint32_t)work->bend_slot;
    mode->bend_gain = limberi_group_gain(g, slot, LIMBERI_ANGULAR);
    mode->limit = limit_of(g, slot);
    if (g->d->plans[slot].formula[LIMBERI_ANGULAR])
        list->bend_gain *= largest(mode->bend_gain, g->group->width);
    // A formula's limits are not searched: wide is always right.
    const limber_effect_settings* settings = limberi_slot_settings(&g->d->settings, slot);
    bool formula = limberi_number_of(settings, LIMBERI_VALUE_MAX_BEND).expression != NULL;
    float limit = !mode->limit ? 1 : formula ? -1 : fminf(0.75f * mode->limit[0], 1);
    list->widest[LIMBERI_TURN_SMALL] = limit / list->bend_gain;
    list->widest[LIMBERI_TURN_TINY] = fminf(limit, 0.5f) / list->bend_gain;
    list->widest[LIMBERI_TURN_FAINT] = fminf(limit, 0.125f) / list->bend_gain;
}

// The normals that lift goes along: the cone's, or the mesh's.
static const limberi_block3* lift_normals(limberi_group_state* g) {
    if (!g->d->has_cone)
        return g->along;
    if (!g->lift_normal_ready)
        g->kernels->cone(&g->block, g->f->cone_apex, g->f->cone_axis, g->f->cone_cosine, g->f->cone_sine,
                         &g->lift_normal);
    g->lift_normal_ready = true;
    return &g->lift_normal;
}

void limberi_group_run_rows(limberi_group_state* g, const limberi_work* work, const limberi_row_call* calls,
                            uint32_t count) {
    const float* gain = limberi_group_gain_or_ones(g, (uint32_t)work->slot, work->part);
    if (work->shape == LIMBERI_SHAPE_TRAVEL)
        g->kernels->travel(&g->block, calls, count, gain);
    else if (work->shape == LIMBERI_SHAPE_SPIN)
        g->kernels->spin(&g->block, calls, count, gain);
    else if (work->shape == LIMBERI_SHAPE_FOLLOW)
        g->kernels->follow(&g->block, calls, count, gain,
                           limberi_group_gain_or_ones(g, (uint32_t)work->slot, LIMBERI_LINEAR));
    else
        g->kernels->lift(&g->block, calls, count, gain, lift_normals(g));
}

// Effects without a kernel. Their functions expect values of every effect they may need in one table.
void limberi_group_run_scalar(limberi_group_state* g, const limberi_joint_work* own, uint32_t joint,
                              const float* weight) {
    uint32_t slots = limberi_slot_count(&g->d->settings);
    for (uint32_t slot = 0; slot < slots; slot++) {
        bool source = limberi_slot_is_source(g->d, slot) && (own->scalar_slots & g->d->source_users);
        if (!(own->scalar_slots >> slot & 1) && !source)
            continue;
        const limberi_block_values* values = values_of(g, slot);
        if (values != &g->scratch->values[slot])
            g->scratch->values[slot] = *values;
        if (source)
            limberi_source_values(g->d, slot, values, &g->scratch->source_values[slot]);
    }
    const limberi_block3* skinned = g->normal ? g->normal : g->block.position;
    limberi_effect_call call = {g->d,
                                &g->f->job,
                                g->block.position,
                                skinned,
                                g->block.displacement,
                                g->scratch->values,
                                g->scratch->source_values,
                                g->group->count,
                                joint,
                                weight,
                                &g->d->sorted[g->mesh_index],
                                g->group->first};
    for (uint32_t slot = 0; slot < slots; slot++) {
        if (!(own->scalar_slots >> slot & 1))
            continue;
        call.normal = limberi_slot_effect(slot)->reads_normals && g->along ? g->along : skinned;
        limberi_effect_run(&call, slot);
    }
}
