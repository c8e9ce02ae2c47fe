// One frame for the shader: what differs from vertex to vertex, and the texture of the joints.
#include "base/bits.h"
#include "deform/effects/formulas.h"
#include "deform/gpu_rows.h"
#include "deform/joint.h"
#include "deform/scalar.h"
#include "motion/time_filter.h"
#include "pack/packing.h"

#include <string.h>

// --- columns ---

static void skin_mesh(limberi_pack* p, const limberi_pack_frame* f, const limber_mesh* mesh) {
    limber_skin_job job = limber_skin_job_default();
    job.mesh = mesh;
    job.skinning = p->skinning;
    job.palette = f->palettes[mesh->skin];
    job.dualquats = f->dualquats[mesh->skin];
    job.palette_count = p->model->skins[mesh->skin].joint_count;
    job.positions = f->positions && mesh->morph_count ? f->positions + 3 * (size_t)mesh->first_vertex : NULL;
    job.out_positions = p->skinned + 3 * (size_t)mesh->first_vertex;
    if (limber_skin_evaluate(&job)) // only a job without a mesh or palette fails
        memset(job.out_positions, 0, 3 * (size_t)mesh->vertex_count * sizeof(float));
}

// Speed of a vertex in L per second, from the palette of velocities that the deformer folds.
static float speed_of(const limberi_pack* p, const limber_mesh* mesh, uint32_t u) {
    const limberi_deform_frame* frame = &p->deformer->frame;
    const float* at = p->skinned + 3 * ((size_t)mesh->first_vertex + u);
    float sum[3] = {0, 0, 0};
    for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
        uint32_t joint = p->model->skins[mesh->skin].joints[mesh->influence_joint[i]];
        const float* m = frame->palettes[LIMBERI_FOLD_VELOCITY] + 12 * (size_t)joint;
        for (int c = 0; c < 3; c++)
            sum[c] += mesh->influence_weight[i] * (m[c] * at[0] + m[3 + c] * at[1] + m[6 + c] * at[2] + m[9 + c]);
    }
    return limberi_length(limberi_load3(sum)) / p->deformer->size;
}

static void fill_block(limberi_pack* p, const limberi_pack_frame* f, uint32_t m, uint32_t first, uint32_t count) {
    const limber_mesh* mesh = &p->model->meshes[m];
    float speed[LIMBER_BLOCK] = {0};
    limberi_block_values values;
    bool moving = p->skinned && p->deformer->frame.folds >> LIMBERI_FOLD_VELOCITY & 1;
    for (uint32_t i = 0; moving && i < count; i++)
        speed[i] = speed_of(p, mesh, first + i);
    for (uint32_t c = 0; c < p->column_count; c++) {
        if (!p->columns[c].formula)
            continue;
        limberi_evaluate_values(&p->names[m], mesh, limberi_slot_settings(&p->deformer->settings, p->columns[c].slot),
                                f->job, first, count, speed, &values);
        size_t at = (size_t)c * p->model->vertex_count + mesh->first_vertex + first;
        memcpy(p->values + at, values.v[p->columns[c].value], count * sizeof(float));
        for (uint32_t i = 0; i < count; i++)
            p->columns[c].scale = fmaxf(p->columns[c].scale, fabsf(p->values[at + i]));
    }
}

static void fill_values(limberi_pack* p, const limberi_pack_frame* f) {
    for (uint32_t c = 0; c < p->column_count; c++)
        p->columns[c].scale = p->columns[c].formula ? 0.0f : 1.0f;
    for (uint32_t m = 0; m < p->model->mesh_count; m++) {
        const limber_mesh* mesh = &p->model->meshes[m];
        if (p->skinned)
            skin_mesh(p, f, mesh);
        for (uint32_t first = 0; first < mesh->vertex_count; first += LIMBER_BLOCK) {
            uint32_t rest = mesh->vertex_count - first;
            fill_block(p, f, m, first, rest < LIMBER_BLOCK ? rest : LIMBER_BLOCK);
        }
    }
}

// A limit of next to nothing must not become 0, which is no limit at all.
static int16_t normalised(float value, bool limit) {
    int16_t steps = (int16_t)lrintf(fmaxf(-1, fminf(value, 1)) * 32767);
    return limit && value > 0 && steps == 0 ? 1 : steps;
}

static void write_column(const limberi_pack* p, const limber_mesh* mesh, uint32_t c, int16_t* out) {
    size_t stride = limberi_pack_column_bytes(p) / sizeof *out;
    const char* name = limberi_slot_settings(&p->deformer->settings, p->columns[c].slot)->layer;
    const limber_layer* layer = name ? limber_mesh_layer(mesh, name) : NULL;
    const float* values = layer ? layer->values : NULL;
    float scale = p->columns[c].scale;
    bool limit = p->columns[c].value == LIMBERI_VALUE_MAX_BEND;
    if (p->columns[c].formula)
        values = p->values + (size_t)c * p->model->vertex_count + mesh->first_vertex;
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        float value = values && scale > 0 ? values[u] / scale : values ? 0.0f : 1.0f;
        out[((size_t)mesh->first_vertex + u) * stride + c] = normalised(value, limit);
    }
}

void limberi_pack_columns(limberi_pack* p, const limberi_pack_frame* f, int16_t* out) {
    if (p->columns_change)
        fill_values(p, f);
    for (uint32_t m = 0; m < p->model->mesh_count; m++)
        for (uint32_t c = 0; c < p->column_count; c++)
            write_column(p, &p->model->meshes[m], c, out);
    size_t stride = limberi_pack_column_bytes(p) / sizeof *out;
    uint32_t next = p->column_count;
    if (limberi_pack_contact_columns(p))
        limberi_pack_put_contact_column(p, stride, out + next);
    next += limberi_pack_contact_columns(p);
    if (p->collision)
        limberi_pack_put_collider_columns(p, stride, out + next);
    next += limberi_pack_collider_columns(p);
    if (limberi_pack_lift_columns(p))
        limberi_pack_put_lift_columns(p, f->lift_normals, stride, out + next);
    next += limberi_pack_lift_columns(p);
    if (p->rigid)
        limberi_pack_put_rigid_columns(p, stride, out + next);
}

// --- the rows of a joint ---

static float column_scale(const limberi_pack* p, uint32_t slot, uint32_t part) {
    int column = slot < LIMBERI_PACK_EFFECTS ? p->column_of[2 * slot + part] : -1;
    return column < 0 ? 1 : p->columns[column].scale;
}

static float* put4(float* out, float x, float y, float z, float w) {
    out[0] = x;
    out[1] = y;
    out[2] = z;
    out[3] = w;
    return out + 4;
}

static float* put_symmetric(float* out, const float* m, float scale) {
    out = put4(out, scale * m[0], scale * m[1], scale * m[2], scale * m[4]);
    return put4(out, scale * m[5], scale * m[8], 0, 0);
}

// What is affine: of a joint and all above it, or of one joint of a chain.
static float* put_folds(const limberi_pack* p, bool moves, uint32_t joint, float row, float* out) {
    static const float nothing[12] = {0};
    float* const* palettes = p->deformer->frame.palettes;
    const float* m = moves ? palettes[LIMBERI_FOLD_CONSTANT] + 12 * (size_t)joint : nothing;
    out = put4(out, m[9], m[10], m[11], row);
    if (p->folds & LIMBERI_PACK_FOLD_MATRIX)
        out = put_symmetric(out, m, 1);
    for (uint32_t i = 0; i < LIMBERI_PACK_FOLDS; i++) {
        if (!(p->folds & 1u << (i + 1)))
            continue;
        uint32_t slot = p->folded[i];
        bool matrix = limberi_effects[slot]->affine_matrix;
        uint32_t fold = matrix ? (uint32_t)p->matrix_fold : LIMBERI_FOLD_SLOT + slot;
        float scale = column_scale(p, slot, limberi_effects[slot]->affine_part);
        m = moves ? palettes[fold] + 12 * (size_t)joint : nothing;
        if (matrix)
            out = put_symmetric(out, m, scale);
        out = put4(out, scale * m[9], scale * m[10], scale * m[11], 0);
    }
    return out;
}

// The gain of the effect times the joint's, but for what columns give at each vertex.
static float gain_of(const limberi_pack* p, limber_joint_gain own, uint32_t slot, uint32_t part) {
    if (limberi_slot_effect(slot)->gains_are_in_motion)
        return column_scale(p, slot, part);
    float gain = (part == LIMBERI_ANGULAR ? own.angular : own.linear) * column_scale(p, slot, part);
    const limberi_block_values* constants = &p->deformer->frame.constants[slot];
    return p->deformer->plans[slot].formula[part] ? gain : gain * constants->v[part][0];
}

// The multiplier of a turn's angle: how much of it is twist, and what twist and bend count.
static float mixture(const limberi_gpu_pen* pen, uint32_t slot, const limberi_turn* turn) {
    const limberi_block_values* constants = &pen->d->frame.constants[slot];
    return turn->twist * constants->v[LIMBERI_VALUE_TWIST][0] + (1 - turn->twist) * constants->v[LIMBERI_VALUE_BEND][0];
}

// Where nothing is squashed any direction across the axis will do.
static bool put_turn(limberi_gpu_pen* pen, const uint32_t* slots, float bend, float squash) {
    const limberi_block_values* squashing = &pen->d->frame.constants[slots[1]];
    limberi_turn turn;
    limberi_squash_plane q;
    if (!limberi_turn_of(pen->at.angular_velocity, pen->at.bone_direction, &turn)) {
        limberi_gpu_put_nothing(pen, 3);
        return false;
    }
    float rate = -mixture(pen, slots[0], &turn) * bend * turn.speed / pen->at.size, squash_rate = 0;
    if (limberi_squash_plane_of(&pen->at, &q)) {
        squash_rate =
            limberi_squash_share(&q, squashing->v[LIMBERI_VALUE_FADE][0]) * squash * turn.speed / pen->at.size;
    } else {
        limber_vec3 helper = fabsf(turn.axis.x) < 0.6f ? limberi_vec3(1, 0, 0) : limberi_vec3(0, 1, 0);
        q.e = limberi_normalize(limberi_cross(helper, turn.axis));
        q.z = limberi_vec3(0, 0, 0);
    }
    limberi_gpu_put(pen, q.e, rate);
    limberi_gpu_put(pen, limberi_cross(turn.axis, q.e), squash_rate);
    limberi_gpu_put(pen, q.z, squashing->v[LIMBERI_VALUE_MAX_SQUASH][0]);
    return rate != 0 || squash_rate != 0;
}

static bool by_acceleration(uint32_t slot) {
    return limberi_slot_effect(slot)->driven_by & LIMBERI_ANGULAR_ACCELERATION;
}

static bool put_bend(limberi_gpu_pen* pen, uint32_t slot) {
    limberi_turn turn;
    limber_vec3 rotation = by_acceleration(slot) ? pen->at.angular_acceleration : pen->at.angular_velocity;
    float gain = pen->gain[LIMBERI_ANGULAR];
    if (gain == 0 || !limberi_turn_of(rotation, pen->at.bone_direction, &turn)) {
        limberi_gpu_put_nothing(pen, 1);
        return false;
    }
    float mixed = mixture(pen, slot, &turn);
    limberi_gpu_put(pen, turn.axis, -mixed * gain * turn.speed / pen->at.size);
    return mixed != 0;
}

static void put_bend_source(limberi_gpu_pen* pen, uint32_t slot) {
    const limberi_effect* effect = limberi_slot_effect(slot);
    limber_vec3 shift = by_acceleration(slot) ? pen->at.acceleration : pen->at.velocity;
    float share[2];
    for (uint32_t part = 0; part < 2; part++)
        share[part] = effect->gpu.share ? effect->gpu.share(pen, slot, part) : 1;
    float linear = -pen->gain[LIMBERI_LINEAR] * share[LIMBERI_LINEAR];
    limberi_gpu_put(pen, limberi_scale(shift, linear), share[LIMBERI_ANGULAR]);
    put_bend(pen, slot);
}

// --- blocks ---

// Most effects of a joint share one motion.
static void take_motion(limberi_gpu_pen* pen, uint32_t slot) {
    const limber_kinematics* motion = pen->job->motion[slot];
    if (pen->motion == motion)
        return;
    pen->motion = motion;
    limberi_fill_motion(motion, pen->joint, &pen->at);
    pen->moving = limberi_moving_quantities(&pen->at);
}

// As limberi_slot_moves finds out.
static bool slot_moves(const limberi_pack* p, limberi_gpu_pen* pen, uint32_t slot, limber_joint_gain own) {
    if (!limberi_slot_is_on(p->deformer, slot) || !pen->job->motion[slot] || (own.linear == 0 && own.angular == 0))
        return false;
    take_motion(pen, slot);
    return pen->moving & limberi_slot_effect(slot)->driven_by;
}

// The pen is at the slot's motion, with its gains; 0: the effect does nothing at this joint.
static void open_effect(const limberi_pack* p, limberi_gpu_pen* pen, uint32_t slot) {
    limber_joint_gain own = limberi_frame_gain(p->deformer, slot, pen->joint);
    bool moves = slot_moves(p, pen, slot, own);
    for (uint32_t part = 0; part < 2; part++)
        pen->gain[part] = moves ? gain_of(p, own, slot, part) : 0;
}

static bool put_turns(const limberi_pack* p, limberi_gpu_pen* pen) {
    const uint32_t* slots = p->slot_of[LIMBERI_GPU_TURN];
    bool twice = p->kinds & LIMBERI_KIND_TURN_TWICE, acts = false;
    open_effect(p, pen, slots[0]);
    float bend = pen->gain[LIMBERI_ANGULAR];
    if (twice)
        acts = put_turn(pen, slots, bend, 0);
    open_effect(p, pen, slots[1]);
    if (!twice && bend != 0)
        take_motion(pen, slots[0]);
    return put_turn(pen, slots, twice ? 0 : bend, pen->gain[LIMBERI_ANGULAR]) || acts;
}

// The bend of one of the two; returns how much of it counts.
static float put_slowing(const limberi_pack* p, limberi_gpu_pen* pen, uint32_t slot) {
    open_effect(p, pen, slot);
    return put_bend(pen, slot) ? limberi_effects[slot]->gpu.share(pen, slot, LIMBERI_ANGULAR) : 0;
}

// Two bends about one axis; where the first is missing the second brings it.
static bool put_slowing_pair(const limberi_pack* p, limberi_gpu_pen* pen, bool drag, bool follow) {
    const uint32_t* slots = p->slot_of[LIMBERI_GPU_SLOWING];
    float* first = pen->out;
    float drag_share = drag ? put_slowing(p, pen, slots[0]) : 0;
    if (!drag)
        limberi_gpu_put_nothing(pen, 1);
    float follow_share = follow ? put_slowing(p, pen, slots[1]) : 0;
    float rate = follow ? first[7] : 0;
    if (drag_share == 0 && follow)
        memcpy(first, first + 4, 3 * sizeof *first);
    pen->out = first + 4;
    limberi_gpu_put(pen, limberi_vec3(drag_share, follow_share, rate), 0);
    return drag_share != 0 || follow_share != 0;
}

static bool put_slowings(const limberi_pack* p, limberi_gpu_pen* pen) {
    bool twice = p->kinds & LIMBERI_KIND_SLOWING_TWICE;
    bool acts = put_slowing_pair(p, pen, true, !twice);
    return twice ? put_slowing_pair(p, pen, false, true) || acts : acts;
}

static bool put_single(const limberi_pack* p, limberi_gpu_pen* pen, limberi_gpu_block block) {
    uint32_t slot = p->slot_of[block][0];
    open_effect(p, pen, slot);
    return limberi_effects[slot]->gpu.put(pen, slot);
}

// A source has its own gains, or gains of 1, and those of its joints; the strength is that of the effect that reads it.
static void put_sources(const limberi_pack* p, limberi_gpu_pen* pen) {
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++) {
        const limberi_effect* effect = limberi_effects[slot];
        limber_joint_gain own = limberi_joint_gain(p->deformer, slot, pen->joint);
        bool own_gains = p->sources_own >> slot & 1;
        if (!(p->sources >> slot & 1))
            continue;
        if (!pen->job->motion[slot]) {
            limberi_gpu_put_nothing(pen, effect->gpu.source_texels);
            continue;
        }
        take_motion(pen, slot);
        pen->gain[LIMBERI_LINEAR] = own_gains ? gain_of(p, own, slot, LIMBERI_LINEAR) : own.linear;
        pen->gain[LIMBERI_ANGULAR] = own_gains ? gain_of(p, own, slot, LIMBERI_ANGULAR) : own.angular;
        if (effect->gpu.put_source)
            effect->gpu.put_source(pen, slot);
        else
            put_bend_source(pen, slot);
    }
}

// All rows of a joint after its place; false: it does nothing this frame.
static bool put_joint(const limberi_pack* p, limberi_gpu_pen* pen, int32_t next) {
    bool acts = false;
    pen->motion = NULL;
    limberi_fill_place(p->deformer, pen->job, pen->joint, &pen->at);
    limberi_fill_axes(p->deformer, pen->job, &pen->at);
    limberi_gpu_put(pen, pen->at.position, (float)next);
    if (p->chain) {
        pen->out = put_folds(p, true, pen->joint, 0, pen->out);
        acts = p->deformer->frame.folded[pen->joint] & ~(1u << LIMBERI_FOLD_VELOCITY);
    }
    if (p->kinds & LIMBERI_KIND_TURN)
        acts |= put_turns(p, pen);
    if (p->kinds & LIMBERI_KIND_SLOWING)
        acts |= put_slowings(p, pen);
    if (p->kinds & LIMBERI_KIND_TRAVEL)
        acts |= put_single(p, pen, LIMBERI_GPU_TRAVEL);
    if (p->kinds & LIMBERI_KIND_SPIN)
        acts |= put_single(p, pen, LIMBERI_GPU_SPIN);
    if (p->kinds & LIMBERI_KIND_LIFT)
        acts |= put_single(p, pen, LIMBERI_GPU_LIFT);
    if (p->kinds & LIMBERI_KIND_OVERLAP)
        acts |= put_single(p, pen, LIMBERI_GPU_OVERLAP);
    put_sources(p, pen);
    return acts;
}

// Where each joint's chain of acting joints starts, itself or above; returns the texels used so far.
static uint32_t put_joints(limberi_pack* p, const limber_deform_job* job, bool moves, uint32_t first, float* out) {
    limberi_gpu_pen pen;
    memset(&pen, 0, sizeof pen);
    pen.d = p->deformer;
    pen.job = job;
    pen.puts_sources = p->sources != 0;
    for (uint32_t j = 0; j < p->model->rig.joint_count; j++) {
        int32_t parent = p->model->rig.parents[j], above = parent < 0 ? -1 : p->rows[parent];
        pen.joint = j;
        pen.out = out + 4 * (size_t)first;
        p->rows[j] = above;
        if (!moves || !put_joint(p, &pen, above))
            continue;
        p->rows[j] = (int32_t)first;
        first += p->joint_texels;
    }
    return first;
}

// --- the joints of skins ---

static float* put_matrix(float* out, const float* m) {
    for (int row = 0; row < 3; row++)
        out = put4(out, m[row], m[4 + row], m[8 + row], m[12 + row]);
    return out;
}

static float* put_dualquat(float* out, const limber_dualquat* q) {
    const float* s = q->stretch;
    out = put4(out, q->real.x, q->real.y, q->real.z, q->real.w);
    out = put4(out, q->dual.x, q->dual.y, q->dual.z, q->dual.w);
    out = put4(out, s[0], s[1], s[2], s[3]);
    out = put4(out, s[4], s[5], s[6], s[7]);
    return put4(out, s[8], 0, 0, 0);
}

// --- all of it ---

// Effects with the same filters see the same motion; the shader counts on it where two share a block.
static bool shares_motion(const limberi_pack* p, limberi_gpu_block block, const limber_kinematics* const* motion) {
    uint32_t a = p->slot_of[block][0], b = p->slot_of[block][1];
    const limber_deform_settings* settings = &p->deformer->settings;
    if (a >= LIMBERI_SLOTS || b >= LIMBERI_SLOTS || !limberi_slot_is_on(p->deformer, a) ||
        !limberi_slot_is_on(p->deformer, b))
        return true;
    limber_filter_set x = limberi_slot_filters(settings, a), y = limberi_slot_filters(settings, b);
    return motion[a] == motion[b] || !limberi_filter_set_equal(&x, &y);
}

limber_result limberi_pack_begin(limberi_pack* p, const limberi_pack_frame* f) {
    if (!f->job->pose || !f->palettes || (p->skinning == LIMBER_SKINNING_DUALQUAT && !f->dualquats))
        return LIMBER_ERROR_ARGUMENT;
    const limber_kinematics* const* motion = f->job->motion;
    for (int block = 0; block < LIMBERI_GPU_BLOCKS; block++)
        if (!shares_motion(p, (limberi_gpu_block)block, motion))
            return LIMBER_ERROR_ARGUMENT;
    uint32_t lift = p->slot_of[LIMBERI_GPU_LIFT][0];
    if ((p->kinds & LIMBERI_KIND_LIFT) && !p->sources &&
        motion[lift] != motion[limberi_lowest_bit(p->deformer->sources)])
        return LIMBER_ERROR_ARGUMENT;
    if (p->ground || p->rigid || p->collision)
        limberi_deform_begin(p->deformer, f->job); // probes are moved by the kernels
    else
        limberi_deform_begin_folds(p->deformer, f->job);
    return LIMBER_OK;
}

// Of the effects that bend, in their order.
static void find_limits(const limberi_pack* p, float* limits) {
    uint32_t bend = 0;
    for (uint32_t slot = 0; slot < LIMBERI_PACK_EFFECTS && bend < LIMBERI_PACK_BENDS; slot++) {
        if (!limberi_effects[slot]->bends)
            continue;
        int column = p->column_of[LIMBERI_PACK_LIMITS + bend];
        bool used = limberi_slot_is_on(p->deformer, slot) || limberi_slot_is_source(p->deformer, slot);
        float constant = used ? p->deformer->frame.constants[slot].v[LIMBERI_VALUE_MAX_BEND][0] : 0;
        limits[bend++] = column >= 0 ? p->columns[column].scale : constant;
    }
}

static void put_head(const limberi_pack* p, float* out) {
    const limberi_deform_frame* frame = &p->deformer->frame;
    const float *apex = frame->cone_apex, *axis = frame->cone_axis;
    float limits[LIMBERI_PACK_BENDS] = {0};
    find_limits(p, limits);
    out = put4(out, limits[0], limits[1], limits[2], p->deformer->cone.base_radius);
    out = put4(out, apex[0], apex[1], apex[2], frame->cone_cosine);
    put4(out, axis[0], axis[1], axis[2], frame->cone_sine);
}

static void put_skins(const limberi_pack* p, const limberi_pack_frame* f, bool moves, float* out) {
    for (uint32_t s = 0; s < p->model->skin_count; s++) {
        const limber_skin* skin = &p->model->skins[s];
        for (uint32_t k = 0; k < skin->joint_count; k++) {
            out = p->skinning == LIMBER_SKINNING_DUALQUAT ? put_dualquat(out, &f->dualquats[s][k])
                                                          : put_matrix(out, f->palettes[s][k].m);
            float row = (float)p->rows[skin->joints[k]];
            out = p->chain ? put4(out, 0, 0, 0, row) : put_folds(p, moves, skin->joints[k], row, out);
        }
    }
}

bool limberi_pack_moves(const limberi_pack* p) {
    return p->deformer->active && p->deformer->frame.moves;
}

// What comes after the effects: rigid parts, then the ground under the joints of skins.
static uint32_t put_ground(const limberi_pack* p, const limberi_pack_frame* f, uint32_t count, float* out) {
    bool rigid = f->grounded && p->rigid, floor = limberi_pack_has_floor(p, f);
    uint32_t rows = count + (rigid ? limberi_pack_rigid_texels(p) : 0);
    limberi_pack_put_ground_head(p, f, rigid ? (int32_t)count : -1, floor ? (int32_t)rows : -1, out + 12);
    if (rigid)
        limberi_pack_put_rigid(p, out + 4 * (size_t)count);
    if (floor)
        limberi_pack_put_footings(p, out + 4 * (size_t)rows);
    return rows + (floor ? limberi_pack_ground_texels(p) : 0);
}

// Colliders come last of all; the last texel of the head says where, L, and how many.
static uint32_t put_colliders(const limberi_pack* p, const limberi_pack_frame* f, uint32_t count, float* out) {
    float colliders = p->collision ? (float)limber_collider_count(limberi_collision_colliders(p->collision)) : 0;
    put4(out + 4 * (size_t)(LIMBERI_PACK_HEAD - 1), f->colliding ? (float)count : -1, p->model->size, colliders, 0);
    if (!f->colliding)
        return count;
    limberi_pack_put_colliders(p, p->column_count + limberi_pack_contact_columns(p), out + 4 * (size_t)count);
    return count + limberi_pack_collider_texels(p);
}

uint32_t limberi_pack_texels(limberi_pack* p, const limberi_pack_frame* f, float* out) {
    bool moves = limberi_pack_moves(p);
    uint32_t first = LIMBERI_PACK_HEAD + p->skin_joint_count * p->skin_texels;
    uint32_t count = put_joints(p, &p->deformer->frame.job, moves, first, out);
    put_head(p, out);
    put_skins(p, f, moves, out + 4 * (size_t)LIMBERI_PACK_HEAD);
    return put_colliders(p, f, put_ground(p, f, count, out), out);
}
