// Four joints side by side, for a GPU: the joints as effects see them, and what is affine in p, summed along the
// hierarchy as plan.c sums it for the kernels, to the same bits.
#include "deform/gpu_rows.h"

#include <string.h>

// --- four joints ---

static limberi_vectors3 medial_axes(const limberi_joint_quad* quad, const limberi_matrices* world) {
    const limber_vec3* given = quad->d->settings.medial_axes;
    limberi_vectors3 medial = limberi_vectors_sub(quad->centroid, quad->position);
    limberi_lanes length = limberi_vectors_length(medial);
    limberi_lanes min = limberi_lanes_all(LIMBERI_SHORTEST_AXIS * quad->d->model->size);
    medial = limberi_vectors_where(limberi_lanes_less(min, length), limberi_vectors_scale(medial, 1 / length));
    if (!given)
        return medial;
    limberi_vectors3 own = limberi_vectors_load(given, quad->joints);
    return limberi_vectors_select(limberi_vectors_move(own),
                                  limberi_vectors_normalize(limberi_matrices_vector(world, own)), medial);
}

// As limberi_fill_place and limberi_fill_axes do it.
static void place(limberi_joint_quad* quad) {
    const limber_deformer* d = quad->d;
    limberi_matrices world = limberi_matrices_load(quad->job->pose->world_from_joint, quad->joints);
    limberi_vectors3 center = limberi_vectors_load(d->model->rig.centroid, quad->joints);
    limberi_vectors3 bone = limberi_vectors_load(d->model->rig.bone_direction, quad->joints);
    if (d->settings.centroid_offsets)
        center = limberi_vectors_add(center, limberi_vectors_load(d->settings.centroid_offsets, quad->joints));
    quad->position = world.place;
    quad->centroid = limberi_vectors_add(limberi_matrices_vector(&world, center), world.place);
    quad->medial_axis = medial_axes(quad, &world);
    quad->bone_direction = limberi_vectors_normalize(limberi_matrices_vector(&world, bone));
}

void limberi_gpu_place(const limber_deformer* d, limberi_joint_quad* quads) {
    uint32_t joints = d->model->rig.joint_count;
    for (uint32_t first = 0; first < joints; first += LIMBERI_QUAD_JOINTS, quads++) {
        memset(quads, 0, sizeof *quads);
        quads->d = d;
        quads->job = &d->frame.job;
        quads->count = joints - first < LIMBERI_QUAD_JOINTS ? joints - first : LIMBERI_QUAD_JOINTS;
        for (uint32_t i = 0; i < LIMBERI_QUAD_JOINTS; i++)
            quads->joints[i] = first + (i < quads->count ? i : quads->count - 1);
        place(quads);
    }
}

limberi_lanes limberi_gpu_center(const limberi_joint_quad* quad, uint32_t slot) {
    limberi_vectors3 center = limberi_vectors_sub(quad->centroid, quad->position);
    limberi_lanes along = limberi_vectors_dot(center, quad->medial_axis) + 1e-20f;
    for (int i = 0; i < LIMBERI_QUAD_JOINTS; i++)
        if (limberi_about_of(quad->d, slot, quad->joints[i]) == LIMBER_ABOUT_AXIS)
            along[i] = 0;
    return along;
}

// Most effects of a joint share one motion.
void limberi_gpu_set_motion(limberi_joint_quad* quad, const limber_kinematics* motion) {
    if (quad->motion == motion)
        return;
    quad->motion = motion;
    quad->velocity = limberi_vectors_load(motion->velocity, quad->joints);
    quad->acceleration = limberi_vectors_load(motion->acceleration, quad->joints);
    quad->angular_velocity = limberi_vectors_load(motion->angular_velocity, quad->joints);
    quad->angular_acceleration = limberi_vectors_load(motion->angular_acceleration, quad->joints);
    quad->moving = (limberi_vectors_move(quad->velocity) & LIMBERI_VELOCITY) |
                   (limberi_vectors_move(quad->angular_velocity) & LIMBERI_ANGULAR_VELOCITY) |
                   (limberi_vectors_move(quad->acceleration) & LIMBERI_ACCELERATION) |
                   (limberi_vectors_move(quad->angular_acceleration) & LIMBERI_ANGULAR_ACCELERATION);
}

limberi_gpu_slot limberi_gpu_slot_of(const limber_deformer* d, uint32_t slot) {
    const limberi_effect* effect = d->plans[slot].effect;
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

void limberi_gpu_open(limberi_joint_quad* quad, const limberi_gpu_slot* s) {
    limberi_lanes own[2];
    quad->gain[LIMBERI_LINEAR] = quad->gain[LIMBERI_ANGULAR] = limberi_lanes_all(0);
    if (!s->motion)
        return;
    limberi_gpu_set_motion(quad, s->motion);
    own[LIMBERI_LINEAR] = own[LIMBERI_ANGULAR] = limberi_lanes_all(quad->d->frame.strength);
    if (s->own) {
        limberi_gpu_joint_gains(quad, s->own, own);
        for (uint32_t part = 0; part < 2; part++)
            own[part] *= quad->d->frame.strength;
    }
    limberi_mask moves = (quad->moving & (int32_t)s->driven_by) != 0;
    moves &= (own[LIMBERI_LINEAR] != 0) | (own[LIMBERI_ANGULAR] != 0);
    for (uint32_t part = 0; part < 2; part++)
        quad->gain[part] = limberi_lanes_where(moves, limberi_gpu_gain(s, own, part));
}

// --- what an effect's `fold` may say ---

void limberi_gpu_fold_shift(limberi_joint_quad* quad, limberi_lanes factor, limberi_vectors3 direction) {
    limberi_gpu_fold* f = quad->fold;
    limberi_vectors3 shift = limberi_vectors_scale(direction, factor * quad->gain[LIMBERI_LINEAR]);
    f->acts = (quad->gain[LIMBERI_LINEAR] != 0) & limberi_vectors_move(shift);
    f->matrix = false;
    limberi_lanes rows[4] = {limberi_lanes_all(0), limberi_lanes_where(f->acts, shift.x),
                             limberi_lanes_where(f->acts, shift.y), limberi_lanes_where(f->acts, shift.z)};
    limberi_lanes_transpose(rows);
    for (int i = 0; i < LIMBERI_QUAD_JOINTS; i++)
        limberi_lanes_store(f->m[i] + 8, rows[i]);
}

// Four of the twelve numbers of each joint.
LIMBERI_INLINED void put_four(limberi_gpu_fold* f, int at, limberi_lanes a, limberi_lanes b, limberi_lanes c,
                              limberi_lanes d) {
    limberi_lanes rows[4] = {limberi_lanes_where(f->acts, a), limberi_lanes_where(f->acts, b),
                             limberi_lanes_where(f->acts, c), limberi_lanes_where(f->acts, d)};
    limberi_lanes_transpose(rows);
    for (int i = 0; i < LIMBERI_QUAD_JOINTS; i++)
        limberi_lanes_store(f->m[i] + at, rows[i]);
}

void limberi_gpu_fold_matrix(limberi_joint_quad* quad, limberi_mask acts, limberi_lanes scale, limberi_lanes rank,
                             limberi_vectors3 d, limberi_vectors3 point) {
    limberi_gpu_fold* f = quad->fold;
    limberi_vectors3 r = limberi_vectors_scale(d, rank);
    limberi_lanes xx = r.x * d.x + scale;
    limberi_lanes yy = r.y * d.y + scale;
    limberi_lanes zz = r.z * d.z + scale;
    limberi_lanes xy = r.x * d.y;
    limberi_lanes xz = r.x * d.z;
    limberi_lanes yz = r.y * d.z;
    f->acts = acts & ((scale != 0) | (rank != 0));
    f->matrix = true;
    put_four(f, 0, xx, xy, xz, xy);
    put_four(f, 4, yy, yz, xz, yz);
    put_four(f, 8, zz, -(xx * point.x + xy * point.y + xz * point.z), -(xy * point.x + yy * point.y + yz * point.z),
             -(xz * point.x + yz * point.y + zz * point.z));
}

// --- palettes ---

// Effects that fold, and what they do at four joints.
typedef struct fold_plan {
    uint32_t count, slots[LIMBER_EFFECT_COUNT], palettes[LIMBER_EFFECT_COUNT];
    uint32_t palette_count, used[LIMBERI_FOLD_COUNT]; // palettes of the deformer, without that of velocities
    limberi_gpu_slot seen[LIMBER_EFFECT_COUNT];
    limberi_gpu_fold folds[LIMBER_EFFECT_COUNT];
} fold_plan;

static bool slot_folds(const limber_deformer* d, uint32_t slot) {
    const limber_number gains[2] = {d->settings.effects[slot].linear, d->settings.effects[slot].angular};
    if (!limberi_slot_is_on(d, slot) || d->plans[slot].scalar)
        return false;
    for (uint32_t part = 0; part < 2; part++)
        if ((gains[part].expression || gains[part].value != 0) && limberi_part_is_folded(d, slot, part))
            return true;
    return false;
}

bool limberi_deform_can_fold(const limber_deformer* d) {
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++)
        if (!d->plans[slot].effect->fold && slot_folds(d, slot))
            return false;
    return true;
}

static void open_plan(const limber_deformer* d, fold_plan* plan) {
    plan->count = plan->palette_count = 0;
    for (uint32_t palette = 0; palette < LIMBERI_FOLD_VELOCITY; palette++)
        if (d->frame.palettes[palette])
            plan->used[plan->palette_count++] = palette;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++) {
        if (!d->frame.job.motion[slot] || !slot_folds(d, slot))
            continue;
        plan->slots[plan->count] = slot;
        plan->palettes[plan->count] = d->plans[slot].fold;
        plan->seen[plan->count++] = limberi_gpu_slot_of(d, slot);
    }
}

// A palette starts as that of the parent; in a chain every joint acts by itself. Returns the bit of the palette where the
// joint adds to it.
static uint32_t add_up(const limber_deformer* d, const fold_plan* plan, uint32_t palette, uint32_t joint,
                       uint32_t lane) {
    const limberi_deform_frame* f = &d->frame;
    int32_t parent = limberi_is_chain(d) ? -1 : d->model->rig.hangs_on[joint];
    float* to = f->palettes[palette] + 12 * (size_t)joint;
    uint32_t folded = 0;
    limberi_lanes sum[3] = {limberi_lanes_all(0), limberi_lanes_all(0), limberi_lanes_all(0)};
    for (int i = 0; parent >= 0 && i < 3; i++)
        sum[i] = limberi_lanes_load(f->palettes[palette] + 12 * (size_t)parent + 4 * i);
    for (uint32_t n = 0; n < plan->count; n++) {
        const limberi_gpu_fold* fold = &plan->folds[n];
        if (!fold->acts[lane] || plan->palettes[n] != palette)
            continue;
        folded = 1u << palette;
        sum[2] += limberi_lanes_load(fold->m[lane] + 8);
        for (int i = 0; fold->matrix && i < 2; i++)
            sum[i] += limberi_lanes_load(fold->m[lane] + 4 * i);
    }
    for (int i = 0; i < 3; i++)
        limberi_lanes_store(to + 4 * i, sum[i]);
    return folded;
}

static void add_joint(limber_deformer* d, const fold_plan* plan, uint32_t joint, uint32_t lane) {
    limberi_deform_frame* f = &d->frame;
    int32_t parent = d->model->rig.hangs_on[joint];
    uint32_t folded = parent < 0 ? 0 : f->folded[parent];
    if (limberi_is_chain(d))
        folded &= 1u << LIMBERI_FOLD_VELOCITY;
    for (uint32_t i = 0; i < plan->palette_count; i++)
        folded |= add_up(d, plan, plan->used[i], joint, lane);
    f->folded[joint] = (uint16_t)folded;
    float* velocity = f->palettes[LIMBERI_FOLD_VELOCITY];
    if (velocity) {
        memset(velocity + 12 * (size_t)joint, 0, 12 * sizeof *velocity);
        if (parent >= 0)
            memcpy(velocity + 12 * (size_t)joint, velocity + 12 * (size_t)parent, 12 * sizeof *velocity);
        limberi_fold_velocity(d, joint);
    }
    f->folds |= f->folded[joint];
}

static void fold_quad(limber_deformer* d, fold_plan* plan, limberi_joint_quad* quad) {
    for (uint32_t n = 0; n < plan->count; n++) {
        quad->fold = &plan->folds[n];
        limberi_gpu_open(quad, &plan->seen[n]);
        d->plans[plan->slots[n]].effect->fold(quad, plan->slots[n]);
    }
    for (uint32_t i = 0; i < quad->count; i++)
        add_joint(d, plan, quad->joints[i], i);
}

bool limberi_deform_begin_folds(limber_deformer* d, const limber_deform_job* job, limberi_joint_quad* quads) {
    fold_plan plan;
    if (!limberi_deform_open(d, job))
        return false;
    limberi_gpu_place(d, quads);
    open_plan(d, &plan);
    for (uint32_t i = 0; i < limberi_quad_count(d->model); i++)
        fold_quad(d, &plan, &quads[i]);
    d->frame.moves = true;
    return true;
}
