// What an effect folds at four joints, and the velocity of what a joint carries.
#include "deform/gpu_rows.h"

void limberi_gpu_fold_shift(limberi_gpu_pen* pen, limberi_lanes factor, limberi_vectors3 direction) {
    limberi_gpu_fold* f = pen->fold;
    limberi_vectors3 shift = limberi_vectors_scale(direction, factor * pen->gain[LIMBERI_LINEAR]);
    f->acts = (pen->gain[LIMBERI_LINEAR] != 0) & limberi_vectors_move(shift);
    f->matrix = false;
    limberi_lanes rows[4] = {limberi_lanes_all(0), limberi_lanes_where(f->acts, shift.x),
                             limberi_lanes_where(f->acts, shift.y), limberi_lanes_where(f->acts, shift.z)};
    limberi_lanes_transpose(rows);
    for (int i = 0; i < LIMBERI_PEN_JOINTS; i++)
        limberi_lanes_store(f->m[i] + 8, rows[i]);
}

// Four of the twelve numbers of each joint.
LIMBERI_INLINED void put_four(limberi_gpu_fold* f, int at, limberi_lanes a, limberi_lanes b, limberi_lanes c,
                              limberi_lanes d) {
    limberi_lanes rows[4] = {limberi_lanes_where(f->acts, a), limberi_lanes_where(f->acts, b),
                             limberi_lanes_where(f->acts, c), limberi_lanes_where(f->acts, d)};
    limberi_lanes_transpose(rows);
    for (int i = 0; i < LIMBERI_PEN_JOINTS; i++)
        limberi_lanes_store(f->m[i] + at, rows[i]);
}

void limberi_gpu_fold_matrix(limberi_gpu_pen* pen, limberi_mask acts, limberi_lanes scale, limberi_lanes rank,
                             limberi_vectors3 d, limberi_vectors3 point) {
    limberi_gpu_fold* f = pen->fold;
    limberi_vectors3 r = limberi_vectors_scale(d, rank);
    limberi_lanes xx = r.x * d.x + scale, yy = r.y * d.y + scale, zz = r.z * d.z + scale;
    limberi_lanes xy = r.x * d.y, xz = r.x * d.z, yz = r.y * d.z;
    f->acts = acts & ((scale != 0) | (rank != 0));
    f->matrix = true;
    put_four(f, 0, xx, xy, xz, xy);
    put_four(f, 4, yy, yz, xz, yz);
    put_four(f, 8, zz, -(xx * point.x + xy * point.y + xz * point.z), -(xy * point.x + yy * point.y + yz * point.z),
             -(xz * point.x + yz * point.y + zz * point.z));
}

// The velocity of a point carried by this joint: v + w x (p - p_j).
void limberi_fold_velocity(limber_deformer* d, uint32_t joint) {
    const limber_kinematics* k = d->frame.job.plain_motion;
    if (!k)
        return;
    limber_vec3 v = k->velocity[joint], w = k->angular_velocity[joint];
    limber_vec3 place = limberi_mat4_translation(&d->frame.job.pose->world_from_joint[joint]);
    float* m = d->frame.palettes[LIMBERI_FOLD_VELOCITY] + 12 * (size_t)joint;
    d->frame.folded[joint] |= 1u << LIMBERI_FOLD_VELOCITY;
    m[1] += w.z;
    m[2] -= w.y;
    m[3] -= w.z;
    m[5] += w.x;
    m[6] += w.y;
    m[7] -= w.x;
    d->frame.shift_only[LIMBERI_FOLD_VELOCITY] = false;
    limberi_store3(m + 9, limberi_add(limberi_load3(m + 9), limberi_sub(v, limberi_cross(w, place))));
}
