#include "deform/scalar.h"
#include "deform/joint.h"

#include <string.h>

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
    return limberi_moving_quantities(&at) & limberi_slot_effect(slot)->driven_by;
}

static limber_effect_block block_of(const limberi_effect_call* call, const limberi_block_values* values) {
    limber_effect_block out;
    memset(&out, 0, sizeof out);
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

// What squash keeps in place at this joint.
static void choose_about(const limberi_effect_call* call, limber_number* about) {
    const int8_t* of_joint = call->deformer->settings.about;
    if (of_joint && of_joint[call->joint] >= 0)
        about->value = (float)of_joint[call->joint];
    if (limberi_has_medial_axis(call->deformer, call->joint))
        about->value = LIMBER_ABOUT_AXIS;
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
    if (limberi_slot_effect(slot)->gains_are_in_motion) { // what differs from vertex to vertex is left
        const limberi_block_values* constants = &call->deformer->frame.constants[slot];
        const bool* formula = call->deformer->plans[slot].formula;
        float linear = constants->v[LIMBERI_VALUE_LINEAR][0], angular = constants->v[LIMBERI_VALUE_ANGULAR][0];
        gain.linear = formula[LIMBERI_LINEAR] ? 1 : linear != 0 ? 1 / linear : 0;
        gain.angular = angular != 0 ? 1 / angular : 0;
    }
    for (uint32_t i = 0; i < call->count; i++) {
        out->gains[LIMBERI_LINEAR][i] = values->v[LIMBERI_VALUE_LINEAR][i] * gain.linear;
        out->gains[LIMBERI_ANGULAR][i] = values->v[LIMBERI_VALUE_ANGULAR][i] * gain.angular;
    }
    out->settings = *limberi_slot_settings(settings, slot);
    if (limberi_slot_effect(slot)->shapes >> LIMBERI_SHAPE_SQUASH & 1)
        choose_about(call, &out->settings.values[LIMBERI_VALUE_ABOUT - LIMBERI_VALUE_OWN]);
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
        limberi_slot_effect(slot)->function(&input.block);
    }
}

void limberi_effect_run(const limberi_effect_call* call, uint32_t slot) {
    const limberi_effect* effect = limberi_slot_effect(slot);
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
