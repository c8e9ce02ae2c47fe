// d(p) = sum over joints of B_j sum over effects of psi_j(p), by the scalar effects, in the mesh's own order: slow and
// plain. Composed as a chain, p <- p + B_j sum over effects of psi_j(p), joint by joint from the leaves to the root. The
// kernels must agree with this to 2e-6 L.
#include "base/bits.h"
#include "base/math.h"
#include "base/memory.h"
#include "deform/run.h"

#include <string.h>

// One joint in the current block.
typedef struct block_joint {
    uint32_t joint;
    float weight[LIMBER_BLOCK];
} block_joint;

typedef struct block_state {
    limberi_arena arena;
    limber_deformer* d;
    const limber_deform_job* job;
    const limber_mesh* mesh;
    limberi_mesh_names names;
    uint32_t first, count, row_count;
    uint32_t* joint_moves;                    // [joint] bit per slot
    int32_t* row_of_joint;                    // [joint] in the current block, -1
    block_joint* rows;                        // [joint]
    limberi_block3 p, n, along, displacement; // along: the normals that lift takes
    limberi_block3 at, step;                  // along a chain: where the vertices are, and what one joint does
    float speed[LIMBER_BLOCK];
    limberi_block_values values[LIMBERI_SLOTS], source_values[LIMBERI_SLOTS];
} block_state;

static void find_moves(block_state* b) {
    limber_deformer* d = b->d;
    for (uint32_t j = 0; j < d->model->rig.joint_count; j++) {
        b->row_of_joint[j] = -1;
        for (uint32_t slot = 0; slot < limberi_slot_count(&d->settings); slot++)
            if (limberi_slot_moves(d, b->job, slot, j))
                b->joint_moves[j] |= 1u << slot;
    }
}

// Upward weights of the block's vertices on the joints that move, one row a joint.
static void gather_rows(block_state* b) {
    const limber_model* model = b->d->model;
    for (uint32_t r = 0; r < b->row_count; r++)
        b->row_of_joint[b->rows[r].joint] = -1;
    b->row_count = 0;
    for (uint32_t v = 0; v < b->count; v++) {
        uint32_t u = b->first + v;
        for (uint32_t i = b->mesh->influence_first[u]; i < b->mesh->influence_first[u + 1]; i++) {
            int32_t j = (int32_t)model->skins[b->mesh->skin].joints[b->mesh->influence_joint[i]];
            for (; j >= 0; j = model->rig.hangs_on[j]) {
                if (!b->joint_moves[j])
                    continue;
                if (b->row_of_joint[j] < 0) {
                    b->row_of_joint[j] = (int32_t)b->row_count;
                    b->rows[b->row_count].joint = (uint32_t)j;
                    memset(b->rows[b->row_count].weight, 0, sizeof b->rows[0].weight);
                    b->row_count++;
                }
                b->rows[b->row_of_joint[j]].weight[v] += b->mesh->influence_weight[i];
            }
        }
    }
}

// Speed of each vertex in L per second: what its joints' velocities add up to.
static void gather_speed(block_state* b) {
    const limber_kinematics* k = b->job->plain_motion;
    const limber_model* model = b->d->model;
    for (uint32_t n = 0; n < b->count; n++) {
        uint32_t u = b->first + n;
        limber_vec3 p = limberi_vec3(b->p.v[0][n], b->p.v[1][n], b->p.v[2][n]);
        limber_vec3 sum = limberi_vec3(0, 0, 0);
        for (uint32_t i = b->mesh->influence_first[u]; k && i < b->mesh->influence_first[u + 1]; i++) {
            int32_t j = (int32_t)model->skins[b->mesh->skin].joints[b->mesh->influence_joint[i]];
            for (; j >= 0; j = model->rig.hangs_on[j]) {
                limber_vec3 arm = limberi_sub(p, limberi_mat4_translation(&b->job->pose->world_from_joint[j]));
                limber_vec3 one = limberi_add(k->velocity[j], limberi_cross(k->angular_velocity[j], arm));
                sum = limberi_add(sum, limberi_scale(one, b->mesh->influence_weight[i]));
            }
        }
        b->speed[n] = limberi_length(sum) / b->d->size;
    }
}

static void gather_block(block_state* b) {
    size_t at = 3 * ((size_t)b->mesh->first_vertex + b->first);
    for (uint32_t v = 0; v < b->count; v++) {
        for (int c = 0; c < 3; c++) {
            b->p.v[c][v] = b->job->positions[at + 3 * v + (size_t)c];
            b->n.v[c][v] = b->job->normals[at + 3 * v + (size_t)c];
            b->along.v[c][v] = (b->d->lift_normals ? b->d->lift_normals : b->job->normals)[at + 3 * v + (size_t)c];
        }
    }
    gather_speed(b);
    for (uint32_t slot = 0; slot < limberi_slot_count(&b->d->settings); slot++) {
        if (!limberi_slot_is_on(b->d, slot) && !limberi_slot_is_source(b->d, slot))
            continue;
        limberi_evaluate_values(&b->names, b->mesh, b->d->plans[slot].numbers,
                                limberi_slot_settings(&b->d->settings, slot), b->job, b->first, b->count, b->speed,
                                &b->values[slot]);
        if (limberi_slot_is_source(b->d, slot))
            limberi_source_values(b->d, slot, &b->values[slot], &b->source_values[slot]);
    }
}

static void bend_block(block_state* b) {
    for (uint32_t rest = b->d->frame.bends; rest; rest &= rest - 1) {
        uint32_t slot = limberi_lowest_bit(rest);
        const float* gain = b->values[slot].v[LIMBERI_VALUE_LINEAR];
        const limberi_bend_call call = {b->d, slot, b->mesh, b->first, b->count, NULL, gain, &b->p, NULL};
        b->d->plans[slot].effect->bend(&call);
    }
}

static void run_row(const block_state* b, const block_joint* row, const limberi_block3* at,
                    limberi_block3* displacement) {
    limberi_effect_call call = {b->d,     b->job,     at,          &b->n,   displacement, b->values, b->source_values,
                                b->count, row->joint, row->weight, b->mesh, b->first};
    for (uint32_t slot = 0; slot < limberi_slot_count(&b->d->settings); slot++) {
        call.normal = b->d->plans[slot].effect->reads_normals ? &b->along : &b->n;
        if (b->joint_moves[row->joint] >> slot & 1)
            limberi_effect_run(&call, slot);
    }
}

// Children have higher numbers than their parents.
static void chain_effects(block_state* b) {
    b->at = b->p;
    for (uint32_t joint = b->d->model->rig.joint_count; joint-- > 0;) {
        if (b->row_of_joint[joint] < 0)
            continue;
        memset(&b->step, 0, sizeof b->step);
        run_row(b, &b->rows[b->row_of_joint[joint]], &b->at, &b->step);
        for (int c = 0; c < 3; c++)
            for (uint32_t i = 0; i < b->count; i++)
                b->at.v[c][i] += b->step.v[c][i];
    }
    for (int c = 0; c < 3; c++)
        for (uint32_t i = 0; i < b->count; i++)
            b->displacement.v[c][i] = b->at.v[c][i] - b->p.v[c][i];
}

static void sum_effects(block_state* b) {
    memset(&b->displacement, 0, sizeof b->displacement);
    for (uint32_t r = 0; r < b->row_count && !limberi_is_chain(b->d); r++)
        run_row(b, &b->rows[r], &b->p, &b->displacement);
    if (limberi_is_chain(b->d))
        chain_effects(b);
    for (int c = 0; c < 3; c++) // enormous gains overflow; what is not a number moves nothing
        for (uint32_t i = 0; i < b->count; i++)
            if (!isfinite(b->displacement.v[c][i]))
                b->displacement.v[c][i] = 0;
}

static void run_mesh(block_state* b, uint32_t mesh_index) {
    b->mesh = &b->d->model->meshes[mesh_index];
    for (b->first = 0; b->first < b->mesh->vertex_count; b->first += LIMBER_BLOCK) {
        uint32_t rest = b->mesh->vertex_count - b->first;
        b->count = rest < LIMBER_BLOCK ? rest : LIMBER_BLOCK;
        gather_rows(b);
        if (!b->row_count && !b->d->frame.bends)
            continue;
        gather_block(b);
        bend_block(b);
        sum_effects(b);
        size_t at = 3 * ((size_t)b->mesh->first_vertex + b->first);
        for (uint32_t v = 0; v < b->count; v++)
            for (int c = 0; c < 3; c++)
                b->job->out_positions[at + 3 * v + (size_t)c] = b->p.v[c][v] + b->displacement.v[c][v];
    }
}

static void open_state(limberi_arena* arena, limber_deformer* d, block_state* b) {
    uint32_t joints = d->model->rig.joint_count;
    b->d = d;
    b->job = &d->frame.job;
    b->joint_moves = LIMBERI_ALLOCATE(arena, uint32_t, joints);
    b->row_of_joint = LIMBERI_ALLOCATE(arena, int32_t, joints);
    b->rows = LIMBERI_ALLOCATE(arena, block_joint, joints);
}

// Positions only: normals follow by the same code whichever way the positions came.
limber_result limberi_deformer_run_reference(limber_deformer* d, const limber_deform_job* job) {
    limberi_arena arena = {NULL, false};
    block_state* b = LIMBERI_ALLOCATE(&arena, block_state, 1);
    if (b)
        open_state(&arena, d, b);
    memcpy(job->out_positions, job->positions, 3 * (size_t)d->model->vertex_count * sizeof(float));
    limberi_evaluate_gains(d, job);
    d->frame.job = *job;
    d->frame.bends = 0;
    if (d->active)
        limberi_begin_effects(d);
    if (d->lift_normals)
        limberi_deform_weld_normals(d, job);
    if (!arena.failed)
        find_moves(b);
    for (uint32_t m = 0; !arena.failed && m < d->model->mesh_count; m++) {
        memset(&b->names, 0, sizeof b->names);
        if (limberi_mesh_names_fill(&arena, d->model, &d->model->meshes[m], d->names_used, &b->names))
            arena.failed = true;
        else
            run_mesh(b, m);
    }
    limber_result result = arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
    limberi_arena_free(&arena);
    return result;
}

// --- roots ---

struct limberi_rooting {
    limberi_arena arena;
    block_state state;
    limberi_mesh_names* names; // [mesh]
};

limberi_rooting* limberi_rooting_create(limber_deformer* d) {
    limberi_rooting* r = limberi_allocate_zeroed(1, sizeof *r);
    if (!r)
        return NULL;
    const limber_model* model = d->model;
    open_state(&r->arena, d, &r->state);
    r->names = LIMBERI_ALLOCATE(&r->arena, limberi_mesh_names, model->mesh_count);
    for (uint32_t m = 0; !r->arena.failed && m < model->mesh_count; m++)
        if (limberi_mesh_names_fill(&r->arena, model, &model->meshes[m], d->names_used, &r->names[m]))
            r->arena.failed = true;
    if (!r->arena.failed)
        return r;
    limberi_rooting_destroy(r);
    return NULL;
}

void limberi_rooting_destroy(limberi_rooting* r) {
    if (!r)
        return;
    limberi_arena_free(&r->arena);
    limberi_release(r);
}

static int32_t top_of(const limber_rig* rig, int32_t joint) {
    while (rig->hangs_on[joint] >= 0)
        joint = rig->hangs_on[joint];
    return joint;
}

// How much of each vertex of the block hangs in the same tree as the joint: what stands around does not.
static void gather_kin(const block_state* b, uint32_t joint, float* kin) {
    const limber_model* model = b->d->model;
    int32_t top = top_of(&model->rig, (int32_t)joint);
    for (uint32_t v = 0; v < b->count; v++) {
        uint32_t u = b->first + v;
        kin[v] = 0;
        for (uint32_t i = b->mesh->influence_first[u]; i < b->mesh->influence_first[u + 1]; i++) {
            uint32_t j = model->skins[b->mesh->skin].joints[b->mesh->influence_joint[i]];
            if (top_of(&model->rig, (int32_t)j) == top)
                kin[v] += b->mesh->influence_weight[i];
        }
    }
}

// The joint and those above it that move, each with the same weights.
static void gather_path(block_state* b, uint32_t joint) {
    const limber_rig* rig = &b->d->model->rig;
    float kin[LIMBER_BLOCK] = {0};
    gather_kin(b, joint, kin);
    b->row_count = 0;
    for (int32_t j = (int32_t)joint; j >= 0; j = rig->hangs_on[j]) {
        if (!b->joint_moves[j])
            continue;
        block_joint* row = &b->rows[b->row_count];
        b->row_of_joint[j] = (int32_t)b->row_count++;
        row->joint = (uint32_t)j;
        memcpy(row->weight, kin, sizeof row->weight);
    }
}

void limberi_rooting_run(limberi_rooting* r, const limber_deform_job* job, uint32_t joint, float share) {
    block_state* b = &r->state;
    b->d->frame.job = *job;
    memset(b->joint_moves, 0, b->d->model->rig.joint_count * sizeof *b->joint_moves);
    find_moves(b);
    for (uint32_t m = 0; m < b->d->model->mesh_count; m++) {
        b->mesh = &b->d->model->meshes[m];
        b->names = r->names[m];
        for (b->first = 0; b->first < b->mesh->vertex_count; b->first += LIMBER_BLOCK) {
            uint32_t rest = b->mesh->vertex_count - b->first;
            b->count = rest < LIMBER_BLOCK ? rest : LIMBER_BLOCK;
            gather_path(b, joint);
            if (!b->row_count)
                return;
            gather_block(b);
            sum_effects(b);
            size_t at = 3 * ((size_t)b->mesh->first_vertex + b->first);
            for (uint32_t v = 0; v < b->count; v++)
                for (int c = 0; c < 3; c++)
                    b->job->out_positions[at + 3 * v + (size_t)c] -= share * b->displacement.v[c][v];
        }
    }
}
