// Four joints side by side, as effects see them.
#include "deform/gpu_rows.h"

#include <string.h>

static limberi_vectors3 medial_axes(const limberi_gpu_pen* pen, const limberi_matrices* world) {
    const limber_vec3* given = pen->d->settings.medial_axes;
    limberi_vectors3 medial = limberi_vectors_sub(pen->centroid, pen->position);
    limberi_lanes length = limberi_vectors_length(medial);
    limberi_lanes min = limberi_lanes_all(LIMBERI_SHORTEST_AXIS * pen->d->model->size);
    medial = limberi_vectors_where(limberi_lanes_less(min, length), limberi_vectors_scale(medial, 1 / length));
    if (!given)
        return medial;
    limberi_vectors3 own = limberi_vectors_load(given, pen->joints);
    return limberi_vectors_select(limberi_vectors_move(own),
                                  limberi_vectors_normalize(limberi_matrices_vector(world, own)), medial);
}

// As limberi_fill_place and limberi_fill_axes do it.
static void place(limberi_gpu_pen* pen) {
    const limber_deformer* d = pen->d;
    limberi_matrices world = limberi_matrices_load(pen->job->pose->world_from_joint, pen->joints);
    limberi_vectors3 center = limberi_vectors_load(d->model->rig.centroid, pen->joints);
    limberi_vectors3 bone = limberi_vectors_load(d->model->rig.bone_direction, pen->joints);
    if (d->settings.centroid_offsets)
        center = limberi_vectors_add(center, limberi_vectors_load(d->settings.centroid_offsets, pen->joints));
    pen->position = world.place;
    pen->centroid = limberi_vectors_add(limberi_matrices_vector(&world, center), world.place);
    pen->medial_axis = medial_axes(pen, &world);
    pen->bone_direction = limberi_vectors_normalize(limberi_matrices_vector(&world, bone));
}

void limberi_gpu_place(const limber_deformer* d, limberi_gpu_pen* pens) {
    uint32_t joints = d->model->rig.joint_count;
    for (uint32_t first = 0; first < joints; first += LIMBERI_PEN_JOINTS, pens++) {
        memset(pens, 0, sizeof *pens);
        pens->d = d;
        pens->job = &d->frame.job;
        pens->count = joints - first < LIMBERI_PEN_JOINTS ? joints - first : LIMBERI_PEN_JOINTS;
        for (uint32_t i = 0; i < LIMBERI_PEN_JOINTS; i++)
            pens->joints[i] = first + (i < pens->count ? i : pens->count - 1);
        place(pens);
    }
}

// Most effects of a joint share one motion.
void limberi_gpu_set_motion(limberi_gpu_pen* pen, const limber_kinematics* motion) {
    if (pen->motion == motion)
        return;
    pen->motion = motion;
    pen->velocity = limberi_vectors_load(motion->velocity, pen->joints);
    pen->acceleration = limberi_vectors_load(motion->acceleration, pen->joints);
    pen->angular_velocity = limberi_vectors_load(motion->angular_velocity, pen->joints);
    pen->angular_acceleration = limberi_vectors_load(motion->angular_acceleration, pen->joints);
    pen->moving = (limberi_vectors_move(pen->velocity) & LIMBERI_VELOCITY) |
                  (limberi_vectors_move(pen->angular_velocity) & LIMBERI_ANGULAR_VELOCITY) |
                  (limberi_vectors_move(pen->acceleration) & LIMBERI_ACCELERATION) |
                  (limberi_vectors_move(pen->angular_acceleration) & LIMBERI_ANGULAR_ACCELERATION);
}

limberi_gpu_slot limberi_gpu_slot_of(const limber_deformer* d, uint32_t slot) {
    const limberi_effect* effect = limberi_effects[slot];
    limberi_gpu_slot s = {limberi_slot_is_on(d, slot) ? d->frame.job.motion[slot] : NULL,
                          d->settings.joint_gains[slot],
                          effect->driven_by,
                          effect->gains_are_in_motion,
                          {1, 1},
                          {1, 1}};
    for (uint32_t part = 0; part < 2; part++)
        if (!d->plans[slot].formula[part])
            s.constant[part] = d->frame.constants[slot].v[part][0];
    return s;
}

void limberi_gpu_open(limberi_gpu_pen* pen, const limberi_gpu_slot* s) {
    limberi_lanes own[2];
    pen->gain[LIMBERI_LINEAR] = pen->gain[LIMBERI_ANGULAR] = limberi_lanes_all(0);
    if (!s->motion)
        return;
    limberi_gpu_set_motion(pen, s->motion);
    own[LIMBERI_LINEAR] = own[LIMBERI_ANGULAR] = limberi_lanes_all(pen->d->frame.strength);
    if (s->own) {
        limberi_gpu_joint_gains(pen, s->own, own);
        for (uint32_t part = 0; part < 2; part++)
            own[part] *= pen->d->frame.strength;
    }
    limberi_mask moves = (pen->moving & (int32_t)s->driven_by) != 0;
    moves &= (own[LIMBERI_LINEAR] != 0) | (own[LIMBERI_ANGULAR] != 0);
    for (uint32_t part = 0; part < 2; part++)
        pen->gain[part] = limberi_lanes_where(moves, limberi_gpu_gain(s, own, part));
}
