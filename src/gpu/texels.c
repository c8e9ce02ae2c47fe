// One frame for the shader: what differs from vertex to vertex, and the texture of the joints.
#include "base/bits.h"
#include "base/build.h"
#include "base/math.h"
#include "gpu/packing.h"
#include "motion/time_filter.h"

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
        limberi_evaluate_values(&p->names[m], mesh, p->deformer->plans[p->columns[c].slot].numbers,
                                limberi_slot_settings(&p->deformer->settings, p->columns[c].slot), f->job, first, count,
                                speed, &values);
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
    const limber_layer* layer = name ? limber_mesh_find_layer(mesh, name) : NULL;
    const float* values = layer ? layer->values : NULL;
    float scale = p->columns[c].scale;
    bool limit = p->columns[c].value == LIMBERI_VALUE_MAX_BEND;
    if (p->columns[c].formula)
        values = p->values + (size_t)c * p->model->vertex_count + mesh->first_vertex;
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        float value = values ? 0.0f : 1.0f;
        if (values && scale > 0)
            value = values[u] / scale;
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
    if (LIMBERI_HAS_COLLIDERS && p->collision)
        limberi_pack_put_collider_columns(p, stride, out + next);
    next += limberi_pack_collider_columns(p);
    if (limberi_pack_lift_columns(p))
        limberi_pack_put_lift_columns(p, f->lift_normals, stride, out + next);
    next += limberi_pack_lift_columns(p);
    if (LIMBERI_HAS_RIGID && p->rigid)
        limberi_pack_put_rigid_columns(p, stride, out + next);
}

// --- the joints of skins ---

static float* put_matrix(float* out, const float* m) {
    for (int row = 0; row < 3; row++)
        out = limberi_put4(out, m[row], m[4 + row], m[8 + row], m[12 + row]);
    return out;
}

static float* put_dualquat(float* out, const limber_dualquat* q) {
    const float* s = q->stretch;
    out = limberi_put4(out, q->real.x, q->real.y, q->real.z, q->real.w);
    out = limberi_put4(out, q->dual.x, q->dual.y, q->dual.z, q->dual.w);
    out = limberi_put4(out, s[0], s[1], s[2], s[3]);
    out = limberi_put4(out, s[4], s[5], s[6], s[7]);
    return limberi_put4(out, s[8], 0, 0, 0);
}

// --- all of it ---

// Effects with the same filters see the same motion; the shader counts on it where two share a block.
static bool shares_motion(const limberi_pack* p, limberi_gpu_block block, const limber_kinematics* const* motion) {
    uint32_t a = p->slot_of[block][0];
    uint32_t b = p->slot_of[block][1];
    const limber_deform_settings* settings = &p->deformer->settings;
    if (a >= LIMBERI_SLOTS || b >= LIMBERI_SLOTS || !limberi_slot_is_on(p->deformer, a) ||
        !limberi_slot_is_on(p->deformer, b))
        return true;
    limberi_filters x = limberi_slot_filters(settings, a, p->deformer->size);
    limberi_filters y = limberi_slot_filters(settings, b, p->deformer->size);
    return motion[a] == motion[b] || !limberi_filters_equal(&x, &y);
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
    p->placed = p->can_fold && (f->no_probes || (!p->ground && !p->rigid && !p->collision));
    if (!p->placed)
        limberi_deform_begin(p->deformer, f->job); // probes are moved by the kernels
    else
        limberi_deform_begin_folds(p->deformer, f->job, p->quads);
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
    const float* apex = frame->cone_apex;
    const float* axis = frame->cone_axis;
    float limits[LIMBERI_PACK_BENDS] = {0};
    find_limits(p, limits);
    out = limberi_put4(out, limits[0], limits[1], limits[2], p->deformer->cone.base_radius);
    out = limberi_put4(out, apex[0], apex[1], apex[2], frame->cone_cosine);
    limberi_put4(out, axis[0], axis[1], axis[2], frame->cone_sine);
}

static void put_skins(const limberi_pack* p, const limberi_pack_frame* f, bool moves, float* out) {
    for (uint32_t s = 0; s < p->model->skin_count; s++) {
        const limber_skin* skin = &p->model->skins[s];
        for (uint32_t k = 0; k < skin->joint_count; k++) {
            out = p->skinning == LIMBER_SKINNING_DUALQUAT ? put_dualquat(out, &f->dualquats[s][k])
                                                          : put_matrix(out, f->palettes[s][k].m);
            float row = (float)p->rows[skin->joints[k]];
            out = p->chain ? limberi_put4(out, 0, 0, 0, row)
                           : limberi_pack_put_folds(p, moves, skin->joints[k], row, out);
        }
    }
}

bool limberi_pack_moves(const limberi_pack* p) {
    return p->deformer->active && p->deformer->frame.moves;
}

// What comes after the effects: rigid parts, then the ground under the joints of skins.
static uint32_t put_ground(const limberi_pack* p, const limberi_pack_frame* f, uint32_t count, float* out) {
    bool rigid = LIMBERI_HAS_RIGID && f->grounded && p->rigid;
    bool floor = limberi_pack_has_floor(p, f);
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
    limberi_put4(out + 4 * (size_t)(LIMBERI_PACK_HEAD - 1), f->colliding ? (float)count : -1, p->model->size, colliders,
                 0);
    if (!LIMBERI_HAS_COLLIDERS || !f->colliding)
        return count;
    limberi_pack_put_colliders(p, p->column_count + limberi_pack_contact_columns(p), out + 4 * (size_t)count);
    return count + limberi_pack_collider_texels(p);
}

// After everything else, what bends the pose; the last number of the head says where.
static uint32_t put_bend(const limberi_pack* p, uint32_t count, float* out) {
    bool bends = limberi_pack_bends(p) && (p->deformer->frame.bends >> p->bend_slot & 1);
    int column = p->column_of[LIMBERI_PACK_NUMBERS];
    out[4 * LIMBERI_PACK_HEAD - 1] = bends ? (float)count : -1;
    if (!bends)
        return count;
    float scale = column < 0 ? 1 : p->columns[column].scale;
    return count + limberi_effects[p->bend_slot]->gpu.put_bend(p->deformer, p->bend_slot, column, scale,
                                                               out + 4 * (size_t)count);
}

uint32_t limberi_pack_texels(limberi_pack* p, const limberi_pack_frame* f, float* out) {
    bool moves = limberi_pack_moves(p);
    uint32_t first = LIMBERI_PACK_HEAD + p->skin_joint_count * p->skin_texels;
    uint32_t count = limberi_pack_put_joints(p, moves, first, out);
    put_head(p, out);
    put_skins(p, f, moves, out + 4 * (size_t)LIMBERI_PACK_HEAD);
    return put_bend(p, put_colliders(p, f, put_ground(p, f, count, out), out), out);
}
