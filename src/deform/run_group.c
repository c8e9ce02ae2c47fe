// One group of vertices while effects run over it, as a sum or as a chain: the numbers of effects at its vertices, calls
// of the kernels, and the scalar functions of effects that have no kernel.
#include "base/bits.h"
#include "deform/effects/formulas.h"
#include "deform/plan.h"
#include "deform/run.h"

#include <string.h>

// --- scalar functions ---

// What an effect's function receives, and the memory its gains and settings are in.
typedef struct effect_input {
    limber_effect_block block;
    float gains[2][LIMBER_BLOCK]; // times the joint's own
    limber_effect_settings settings;
} effect_input;

// Joints that do not move cost nothing.
bool limberi_slot_moves(const limber_deformer* d, const limber_deform_job* job, uint32_t slot, uint32_t joint) {
    limber_effect_block at;
    limber_joint_gain gain = limberi_joint_gain(d, slot, joint);
    if (!limberi_slot_is_on(d, slot) || !job->motion[slot] || (gain.linear == 0 && gain.angular == 0))
        return false;
    limberi_fill_motion(job->motion[slot], joint, &at);
    return limberi_moving_quantities(&at) & d->plans[slot].effect->driven_by;
}

static limber_effect_block block_of(const limberi_effect_call* call, const limberi_block_values* values) {
    limber_effect_block out = {0};
    out.count = call->count;
    out.x = call->position->v[0];
    out.y = call->position->v[1];
    out.z = call->position->v[2];
    out.nx = call->normal->v[0];
    out.ny = call->normal->v[1];
    out.nz = call->normal->v[2];
    out.weight = call->weight;
    for (uint32_t value = 0; value < LIMBER_EFFECT_VALUES; value++)
        out.values[value] = values->v[LIMBERI_VALUE_OWN + value];
    out.dx = call->displacement->v[0];
    out.dy = call->displacement->v[1];
    out.dz = call->displacement->v[2];
    return out;
}

static void fill_input(const limberi_effect_call* call, uint32_t slot, const limberi_block_values* values,
                       effect_input* out) {
    const limber_deform_settings* settings = &call->deformer->settings;
    bool source = values == &call->source_values[slot]; // what another effect reads, which has the strength
    limber_joint_gain gain = source ? limberi_joint_gain(call->deformer, slot, call->joint)
                                    : limberi_frame_gain(call->deformer, slot, call->joint);
    out->block = block_of(call, values);
    limberi_fill_place(call->deformer, call->job, call->joint, &out->block);
    limberi_fill_axes(call->deformer, call->job, &out->block);
    limberi_fill_motion(call->job->motion[slot], call->joint, &out->block);
    for (uint32_t part = 0; part < 2; part++)
        out->block.gated[part] = limberi_is_gated(call->deformer, call->job, slot, part);
    if (call->deformer->plans[slot].effect->gains_are_in_motion) { // what differs from vertex to vertex is left
        const limberi_block_values* constants = &call->deformer->frame.constants[slot];
        const bool* formula = call->deformer->plans[slot].formula;
        float linear = constants->v[LIMBERI_VALUE_LINEAR][0];
        float angular = constants->v[LIMBERI_VALUE_ANGULAR][0];
        gain.linear = linear != 0 ? 1 / linear : 0;
        if (formula[LIMBERI_LINEAR])
            gain.linear = 1;
        gain.angular = angular != 0 ? 1 / angular : 0;
    }
    for (uint32_t i = 0; i < call->count; i++) {
        out->gains[LIMBERI_LINEAR][i] = values->v[LIMBERI_VALUE_LINEAR][i] * gain.linear;
        out->gains[LIMBERI_ANGULAR][i] = values->v[LIMBERI_VALUE_ANGULAR][i] * gain.angular;
    }
    out->settings = *limberi_slot_settings(settings, slot);
    if (call->deformer->plans[slot].effect->shapes >> LIMBERI_SHAPE_SQUASH & 1)
        out->settings.values[LIMBERI_VALUE_ABOUT - LIMBERI_VALUE_OWN].value =
            (float)limberi_about_of(call->deformer, slot, call->joint);
    out->block.linear = out->gains[LIMBERI_LINEAR];
    out->block.angular = out->gains[LIMBERI_ANGULAR];
    out->block.settings = &out->settings;
    out->block.user = slot < LIMBER_EFFECT_COUNT ? NULL : settings->custom[slot - LIMBER_EFFECT_COUNT].user;
}

// The displacements of the effects that another one reads, unweighted.
static void run_sources(const limberi_effect_call* call, limberi_block3* out) {
    float ones[LIMBER_BLOCK];
    effect_input input;
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < LIMBER_BLOCK; i++)
        ones[i] = i < call->count && call->weight[i] != 0 ? 1.0f : 0.0f;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++) {
        if (!limberi_slot_is_source(call->deformer, slot) || !call->job->motion[slot])
            continue;
        fill_input(call, slot, &call->source_values[slot], &input);
        input.block.weight = ones;
        input.block.dx = out->v[0];
        input.block.dy = out->v[1];
        input.block.dz = out->v[2];
        call->deformer->plans[slot].effect->function(&input.block);
    }
}

void limberi_effect_run(const limberi_effect_call* call, uint32_t slot) {
    const limberi_effect* effect = call->deformer->plans[slot].effect;
    const limber_custom_effect* custom = call->deformer->settings.custom;
    effect_input input;
    limberi_block3 sources;
    fill_input(call, slot, &call->values[slot], &input);
    if (effect->run_on_sources) {
        run_sources(call, &sources);
        effect->run_on_sources(call, &input.block, &sources);
        return;
    }
    (slot < LIMBER_EFFECT_COUNT ? effect->function : custom[slot - LIMBER_EFFECT_COUNT].function)(&input.block);
}

// --- numbers at the vertices ---

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

// What multiplies the rates of an effect at each vertex: its formula times its layer, or the layer alone. NULL: nothing.
static const float* gain_at(limberi_group_state* g, uint32_t slot, uint32_t part) {
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
    const float* gain = gain_at(g, slot, part);
    return gain ? gain : limberi_group_ones;
}

const float* limberi_group_fold_gain(limberi_group_state* g, uint32_t fold) {
    uint32_t slot = fold - LIMBERI_FOLD_SLOT;
    return fold == LIMBERI_FOLD_CONSTANT ? NULL : gain_at(g, slot, g->d->plans[slot].effect->affine_part);
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
    float low[3];
    float high[3];
    float square = 0;
    g->kernels->box(&g->block, low, high);
    for (int c = 0; c < 3; c++) {
        g->middle[c] = 0.5f * (low[c] + high[c]);
        square += 0.25f * (high[c] - low[c]) * (high[c] - low[c]);
    }
    g->radius = sqrtf(square);
}

bool limberi_group_bend(limberi_group_state* g, limberi_block3* normal) {
    bool bent = false;
    for (uint32_t rest = g->f->bends; rest; rest &= rest - 1) {
        uint32_t slot = limberi_lowest_bit(rest);
        const limberi_bend_call call = {g->d,
                                        slot,
                                        g->mesh,
                                        g->group->first,
                                        g->group->count,
                                        g->groups->vertices + g->group->first,
                                        values_of(g, slot)->v[LIMBERI_VALUE_LINEAR],
                                        g->block.position,
                                        normal};
        bent = g->d->plans[slot].effect->bend(&call) || bent;
    }
    return bent;
}

// --- kernels ---

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
        mode->squash_gain = gain_at(g, (uint32_t)work->slot, LIMBERI_ANGULAR);
        mode->max_squash = max > 0 ? fmaxf(max, LIMBERI_MIN_MAX_SQUASH) : 0;
        if (g->d->plans[work->slot].formula[LIMBERI_ANGULAR])
            list->squash_gain *= largest(mode->squash_gain, g->group->width);
    }
    if (!mode->bend)
        return;
    uint32_t slot = (uint32_t)work->bend_slot;
    mode->bend_gain = gain_at(g, slot, LIMBERI_ANGULAR);
    mode->limit = limit_of(g, slot);
    if (g->d->plans[slot].formula[LIMBERI_ANGULAR])
        list->bend_gain *= largest(mode->bend_gain, g->group->width);
    // A formula's limits are not searched: wide is always right.
    const limber_effect_settings* settings = limberi_slot_settings(&g->d->settings, slot);
    bool formula = limberi_number_of(settings, LIMBERI_VALUE_MAX_BEND).expression != NULL;
    float limit = 1;
    if (mode->limit)
        limit = formula ? -1 : fminf(0.75f * mode->limit[0], 1);
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
    else if (work->shape == LIMBERI_SHAPE_SHORTEN)
        g->kernels->shorten(&g->block, calls, count, gain);
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
        call.normal = g->d->plans[slot].effect->reads_normals && g->along ? g->along : skinned;
        limberi_effect_run(&call, slot);
    }
}
