// An effect's scalar function, called for one joint and a block of vertices.
#include "deform/deform_private.h"

#include <string.h>

static const limber_effect_function functions[LIMBER_EFFECT_COUNT] = {
    limberi_effect_floppy,        limberi_effect_squash,  limberi_effect_drag,
    limberi_effect_followthrough, limberi_effect_stretch, NULL}; // lift runs in its second pass

static bool uses_acceleration(uint32_t slot) {
    return slot == LIMBER_EFFECT_DRAG || slot == LIMBER_EFFECT_FOLLOWTHROUGH || slot >= LIMBER_EFFECT_COUNT;
}

static bool uses_velocity(uint32_t slot) {
    return slot != LIMBER_EFFECT_DRAG && slot != LIMBER_EFFECT_FOLLOWTHROUGH;
}

limber_joint_gain limberi_joint_gain(const limber_deformer* d, uint32_t slot, uint32_t joint) {
    limber_joint_gain one = {1, 1};
    return slot < LIMBER_EFFECT_COUNT && d->settings.joint_gains[slot] ? d->settings.joint_gains[slot][joint] : one;
}

limber_about limberi_joint_about(const limber_deformer* d, uint32_t joint) {
    if (d->settings.about && d->settings.about[joint] >= 0)
        return (limber_about)d->settings.about[joint];
    return d->settings.effects[LIMBER_EFFECT_SQUASH].about;
}

// Joints that do not move cost nothing.
bool limberi_slot_moves(const limber_deformer* d, const limber_deform_job* job, uint32_t slot, uint32_t j) {
    const limber_kinematics* k = job->motion[slot];
    limber_joint_gain gain = limberi_joint_gain(d, slot, j);
    if (!d->slot_active[slot] || !k || (gain.linear == 0 && gain.angular == 0))
        return false;
    if (slot == LIMBER_EFFECT_LIFT) // driven by whatever its sources are driven by
        return !limberi_is_still(k->angular_velocity[j]);
    return (uses_velocity(slot) && (!limberi_is_still(k->velocity[j]) || !limberi_is_still(k->angular_velocity[j]))) ||
           (uses_acceleration(slot) &&
            (!limberi_is_still(k->acceleration[j]) || !limberi_is_still(k->angular_acceleration[j])));
}

bool limberi_is_source(const limber_deformer* d, uint32_t slot) {
    return d->slot_active[LIMBER_EFFECT_LIFT] && slot < LIMBER_EFFECT_LIFT &&
           (d->settings.effects[LIMBER_EFFECT_LIFT].sources >> slot & 1);
}

void limberi_source_values(const limber_deformer* d, uint32_t slot, const limberi_block_values* values,
                           limberi_block_values* out) {
    bool plain_stretch = d->settings.effects[LIMBER_EFFECT_LIFT].sources == 1u << LIMBER_EFFECT_STRETCH;
    *out = *values;
    if (!plain_stretch && d->slot_active[slot])
        return;
    for (uint32_t i = 0; i < LIMBER_BLOCK; i++)
        out->v[VALUE_LINEAR][i] = out->v[VALUE_ANGULAR][i] = 1;
}

void limberi_fill_place(const limber_deformer* d, const limber_deform_job* job, uint32_t j, limber_effect_block* out) {
    const limber_mat4* world = &job->pose->world_from_joint[j];
    limber_vec3 center = d->model->rig.centroid[j];
    if (d->settings.centroid_offsets)
        center = limberi_add(center, d->settings.centroid_offsets[j]);
    out->position = limberi_mat4_translation(world);
    out->centroid = limberi_mat4_point(world, center);
    out->size = d->size;
    out->joint = j;
}

void limberi_fill_axes(const limber_deformer* d, const limber_deform_job* job, limber_effect_block* out) {
    const limber_mat4* world = &job->pose->world_from_joint[out->joint];
    limber_vec3 medial = limberi_sub(out->centroid, out->position);
    float length = limberi_length(medial);
    out->medial_axis = limberi_vec3(0, 0, 0);
    if (length > LIMBERI_SHORTEST_AXIS * d->model->size)
        out->medial_axis = limberi_scale(medial, 1 / length);
    out->bone_direction = limberi_normalize(limberi_mat4_vector(world, d->model->rig.bone_direction[out->joint]));
}

void limberi_fill_motion(const limber_kinematics* k, uint32_t j, limber_effect_block* out) {
    out->velocity = k->velocity[j];
    out->acceleration = k->acceleration[j];
    out->angular_velocity = k->angular_velocity[j];
    out->angular_acceleration = k->angular_acceleration[j];
}

// Everything an effect sees. `scaled` holds the gains times the joint's own.
static limber_effect_block make_block(const limberi_effect_call* call, uint32_t slot,
                                      const limberi_block_values* values, float scaled[2][LIMBER_BLOCK],
                                      limber_effect_settings* settings) {
    limber_effect_block out;
    memset(&out, 0, sizeof out);
    limberi_fill_place(call->deformer, call->job, call->joint, &out);
    limberi_fill_axes(call->deformer, call->job, &out);
    limberi_fill_motion(call->job->motion[slot], call->joint, &out);
    limber_joint_gain gain = limberi_joint_gain(call->deformer, slot, call->joint);
    for (uint32_t i = 0; i < call->count; i++) {
        scaled[0][i] = values->v[VALUE_LINEAR][i] * gain.linear;
        scaled[1][i] = values->v[VALUE_ANGULAR][i] * gain.angular;
    }
    *settings = *limberi_slot_settings(call->deformer, slot);
    if (slot == LIMBER_EFFECT_SQUASH)
        settings->about = limberi_joint_about(call->deformer, call->joint);
    out.count = call->count;
    out.x = call->position->v[0];
    out.y = call->position->v[1];
    out.z = call->position->v[2];
    out.nx = call->normal->v[0];
    out.ny = call->normal->v[1];
    out.nz = call->normal->v[2];
    out.weight = call->weight;
    out.linear = scaled[0];
    out.angular = scaled[1];
    out.max_bend_rad = values->v[VALUE_MAX_BEND];
    out.twist = values->v[VALUE_TWIST];
    out.bend = values->v[VALUE_BEND];
    out.threshold = values->v[VALUE_THRESHOLD];
    out.settings = settings;
    bool custom = slot >= LIMBER_EFFECT_COUNT;
    out.user = custom ? call->deformer->settings.custom[slot - LIMBER_EFFECT_COUNT].user : NULL;
    out.dx = call->displacement->v[0];
    out.dy = call->displacement->v[1];
    out.dz = call->displacement->v[2];
    return out;
}

static void place_cone(const limberi_effect_call* call, limberi_lift* lift) {
    const limber_deformer* d = call->deformer;
    lift->mesh_normals = d->settings.effects[LIMBER_EFFECT_LIFT].normals == LIMBER_LIFT_MESH;
    lift->base_radius = d->cone.base_radius;
    if (lift->mesh_normals)
        return;
    const limber_mat4* world = &call->job->pose->world_from_joint[d->cone.joint];
    lift->apex = limberi_mat4_point(world, d->cone.apex);
    lift->axis = limberi_normalize(limberi_mat4_vector(world, d->cone.axis));
    lift->cosine = cosf(d->cone.half_angle_rad);
    lift->sine = sinf(d->cone.half_angle_rad);
}

// Second pass: the sources' displacements of this joint (unweighted), projected on the normal.
static void run_lift(const limberi_effect_call* call) {
    limberi_block3 source;
    float ones[LIMBER_BLOCK], scaled[2][LIMBER_BLOCK];
    limber_effect_settings settings;
    limberi_lift lift;
    memset(&lift, 0, sizeof lift);
    memset(&source, 0, sizeof source);
    for (uint32_t i = 0; i < LIMBER_BLOCK; i++)
        ones[i] = i < call->count && call->weight[i] != 0 ? 1.0f : 0.0f;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_LIFT; slot++) {
        if (!limberi_is_source(call->deformer, slot) || !call->job->motion[slot])
            continue;
        limber_effect_block block = make_block(call, slot, &call->source_values[slot], scaled, &settings);
        block.weight = ones;
        block.dx = source.v[0];
        block.dy = source.v[1];
        block.dz = source.v[2];
        functions[slot](&block);
    }
    place_cone(call, &lift);
    lift.source_x = source.v[0];
    lift.source_y = source.v[1];
    lift.source_z = source.v[2];
    limber_effect_block block =
        make_block(call, LIMBER_EFFECT_LIFT, &call->values[LIMBER_EFFECT_LIFT], scaled, &settings);
    limberi_effect_lift(&block, &lift);
}

void limberi_effect_run(const limberi_effect_call* call, uint32_t slot) {
    if (slot == LIMBER_EFFECT_LIFT) {
        run_lift(call);
        return;
    }
    float scaled[2][LIMBER_BLOCK];
    limber_effect_settings settings;
    limber_effect_block block = make_block(call, slot, &call->values[slot], scaled, &settings);
    limber_effect_function function = slot < LIMBER_EFFECT_COUNT
                                          ? functions[slot]
                                          : call->deformer->settings.custom[slot - LIMBER_EFFECT_COUNT].function;
    function(&block);
}
