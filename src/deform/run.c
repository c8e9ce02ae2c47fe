// One frame over the vertices, group by group (asset/groups.h); plan.c has settled what joints do.
//
// For each group (limberi_deform_group):
//   1. look which palettes and joints act on its vertices; where none does, they stay as they were skinned
//   2. add up the weights of the joints and those above them; find the speed of the vertices if a formula asks
//   3. either sum what all joints do at the skinned vertices: palettes blended with the skinning weights first, then
//      the rows of the joints, gathered by what they do and run by the kernels;
//      or move the vertices joint after joint, from the leaves to the root (run_chain.c).
//      Effects without a kernel run through their scalar function, in both (run_group.c)
//   4. turn the normals with the displacements, if they go by the Jacobian
//   5. add the displacements to the positions
// Averaged normals follow when all groups are done (normals/averager.h).
#include "deform/run.h"
#include "base/bits.h"
#include "base/settings.h"

#include <string.h>

static const limberi_deform_kernels* kernels_of(limberi_variant variant) {
#if defined(LIMBERI_HAS_AVX2)
    if (variant == LIMBERI_VARIANT_AVX2)
        return &limberi_deform_kernels_avx2;
#endif
    return limberi_variant_is_plain(variant) ? &limberi_deform_kernels_plain : &limberi_deform_kernels_wide;
}

void limberi_deform_use(limber_deformer* d, limberi_variant variant) {
    d->variant = variant;
}

// --- the sum: joints ---

// Joints are gathered by what they do and run together.
enum { CALLS_AT_ONCE = 32 };

typedef struct call_list {
    uint32_t count;
    limberi_row_call calls[CALLS_AT_ONCE];
} call_list;

// Lists of joints that turn are split by how far; all others use the first list.
typedef struct work_list {
    limberi_turn_list turns;
    call_list reaches[LIMBERI_TURN_REACHES];
} work_list;

// True: the list is full.
static inline bool list_call(call_list* list, const void* row, const float* weight) {
    limberi_row_call* call = &list->calls[list->count++];
    call->row = row;
    call->weight = weight;
    return list->count == CALLS_AT_ONCE;
}

static void run_turns(limberi_group_state* g, work_list* list, limberi_turn_reach reach) {
    if (!list->reaches[reach].count)
        return;
    list->turns.mode.reach = reach;
    g->kernels->turn(&g->block, list->reaches[reach].calls, list->reaches[reach].count, &list->turns.mode);
    list->reaches[reach].count = 0;
}

// There are a handful of these for every group, so they have to be short.
static inline void list_turn(limberi_group_state* g, work_list* list, const limberi_work* work,
                             const limberi_turn_row* row, float far, const float* weight) {
    if (!list->turns.open)
        limberi_group_open_turns(g, work, &list->turns);
    limberi_turn_reach reach = limberi_turn_reach_of(&list->turns, row, far);
    if (list_call(&list->reaches[reach], row, weight))
        run_turns(g, list, reach);
}

static void open_lists(work_list* lists, uint32_t count) {
    for (uint32_t w = 0; w < count; w++) {
        lists[w].turns.open = false;
        for (int reach = 0; reach < LIMBERI_TURN_REACHES; reach++)
            lists[w].reaches[reach].count = 0;
    }
}

static void run_list(limberi_group_state* g, const limberi_work* work, call_list* list) {
    if (list->count)
        limberi_group_run_rows(g, work, list->calls, list->count);
    list->count = 0;
}

static void run_lists(limberi_group_state* g, work_list* lists, uint32_t count) {
    for (uint32_t w = 0; w < count; w++) {
        if (!(g->d->turn_works >> w & 1))
            run_list(g, &g->d->works[w], &lists[w].reaches[0]);
        for (int reach = 0; lists[w].turns.open && reach < LIMBERI_TURN_REACHES; reach++)
            run_turns(g, &lists[w], (limberi_turn_reach)reach);
    }
}

static void run_joint(limberi_group_state* g, work_list* lists, uint32_t joint, const float* weight) {
    const limberi_joint_work* own = &g->f->joints[joint];
    const limberi_joint_row* rows = g->f->rows + (size_t)joint * g->d->work_count;
    float far = own->works & g->d->turn_works ? limberi_group_farthest(g, own->place) : 0;
    for (uint32_t rest = own->works; rest; rest &= rest - 1) {
        uint32_t w = limberi_lowest_bit(rest);
        const limberi_work* work = &g->d->works[w];
        work_list* list = &lists[work->list];
        if (g->d->turn_works >> w & 1)
            list_turn(g, list, work, &rows[w].turn, far, weight);
        else if (list_call(&list->reaches[0], &rows[w], weight))
            run_list(g, work, &list->reaches[0]);
    }
    if (own->scalar_slots)
        limberi_group_run_scalar(g, own, joint, weight);
}

static void run_joints(limberi_group_state* g) {
    const limber_rig* rig = &g->d->model->rig;
    const limberi_deform_frame* f = g->f;
    const uint32_t count = g->d->work_count;
    work_list lists[LIMBERI_WORKS];
    open_lists(lists, count);
    limberi_group_bound(g);
    for (uint32_t c = 0; c < g->group->chain_count; c++) {
        limberi_chain chain = g->groups->chains[g->group->chain_first + c];
        const float* weight = limberi_group_weight(g->groups, g->group, g->scratch->sums, chain.weight);
        int32_t j = f->acting[chain.first];
        while (j > chain.stop) {
            run_joint(g, lists, (uint32_t)j, weight);
            j = rig->hangs_on[j] < 0 ? -1 : f->acting[rig->hangs_on[j]];
        }
    }
    run_lists(g, lists, count);
}

// --- the sum ---

static void sum_effects(limberi_group_state* g, uint32_t folds, bool acts) {
    bool begun = false;
    for (uint32_t fold = 0; fold < LIMBERI_FOLD_VELOCITY; fold++) { // the first palette starts the sums
        if (!(folds >> fold & 1))
            continue;
        limberi_affine_use use = begun ? LIMBERI_AFFINE_ADD : LIMBERI_AFFINE_SET;
        begun = true;
        if (g->block.slopes && use == LIMBERI_AFFINE_SET && g->f->shift_only[fold])
            limberi_group_clear(g->block.slopes->v, 9, g->group->width);
        limberi_group_run_fold(g, &g->block, fold, limberi_group_fold_gain(g, fold), use);
    }
    if (!begun)
        limberi_group_clear(g->block.displacement->v, 3, g->group->width);
    if (!begun && g->block.slopes)
        limberi_group_clear(g->block.slopes->v, 9, g->group->width);
    if (acts)
        run_joints(g);
}

// --- one group ---

// Which palettes move the group; true: joints act on it, too.
static bool look_at_joints(const limberi_group_state* g, uint32_t* folds) {
    const uint32_t* joints = g->d->model->skins[g->mesh->skin].joints;
    const uint16_t* slots = g->groups->slots + g->group->slot_first;
    int32_t acting = -1;
    *folds = 0;
    for (uint32_t k = 0; k < g->group->slot_count; k++) {
        uint32_t joint = joints[slots[k]];
        *folds |= g->f->folded[joint];
        acting = g->f->acting[joint] > acting ? g->f->acting[joint] : acting;
    }
    return acting >= 0;
}

// The speed of every vertex in L per second.
static void find_speed(limberi_group_state* g) {
    limberi_block3 velocity;
    limberi_lane_block block = g->block;
    memset(&velocity, 0, sizeof velocity);
    block.displacement = &velocity;
    block.slopes = NULL;
    if (g->f->folds >> LIMBERI_FOLD_VELOCITY & 1)
        limberi_group_run_fold(g, &block, LIMBERI_FOLD_VELOCITY, NULL, LIMBERI_AFFINE_ADD);
    for (uint32_t v = 0; v < g->block.width; v++) {
        float x = velocity.v[0][v];
        float y = velocity.v[1][v];
        float z = velocity.v[2][v];
        g->speed[v] = sqrtf(x * x + y * y + z * z) / g->d->size;
    }
}

static void run_effects(limberi_group_state* g, uint32_t folds, bool acts) {
    if (limberi_is_chain(g->d))
        limberi_chain_effects(g);
    else
        sum_effects(g, folds, acts);
}

static float number_or_zero(float x) {
    return x - x == 0 ? x : 0;
}

// Effects without a kernel have no derivatives either: they are walked along the axes. The step, 1e-3 L, is short
// against every effect's reach and long against float rounding.
static void walk_axes(limberi_group_state* g, uint32_t folds, limberi_block9* slopes) {
    limberi_block3* home = g->block.position;
    limberi_block3* still = g->block.displacement;
    limberi_block3 there;
    limberi_block3 changed;
    float step = 1e-3f * g->d->size;
    for (int axis = 0; axis < 3; axis++) {
        there = *home;
        for (uint32_t v = 0; v < g->group->width; v++)
            there.v[axis][v] += step;
        g->block.position = &there;
        g->block.displacement = &changed;
        g->lift_normal_ready = false;
        run_effects(g, folds, true);
        for (int c = 0; c < 3; c++)
            for (uint32_t v = 0; v < g->group->width; v++)
                slopes->v[3 * axis + c][v] = number_or_zero((changed.v[c][v] - still->v[c][v]) / step);
    }
    g->block.position = home;
    g->block.displacement = still;
    g->block.slopes = slopes;
}

// Kernels have derivatives, scalar functions have none.
static bool has_derivatives(const limber_deformer* d) {
    for (uint32_t slot = 0; slot < limberi_slot_count(&d->settings); slot++) {
        const limberi_effect* effect = d->plans[slot].effect;
        if (limberi_slot_is_on(d, slot) &&
            (d->plans[slot].scalar || (effect->has_derivatives && !effect->has_derivatives(d, slot))))
            return false;
    }
    return true;
}

bool limberi_deform_reads_normals(const limber_deformer* d, bool lift_has_own) {
    for (uint32_t slot = 0; !lift_has_own && slot < LIMBER_EFFECT_COUNT; slot++)
        if (limberi_slot_is_on(d, slot) && d->plans[slot].effect->reads_normals &&
            d->plans[slot].effect->reads_normals(&d->settings.effects[slot]))
            return true;
    return d->settings.custom_count;
}

bool limberi_deform_reads_plain(const limber_deformer* d, uint32_t filtered) {
    if (d->settings.custom_count || d->names_used >> LIMBER_VARIABLE_SPEED & 1)
        return true;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++) {
        const limberi_effect* effect = d->plans[slot].effect;
        if (!limberi_slot_is_on(d, slot))
            continue;
        if (!(filtered >> slot & 1) || effect->sources || (effect->reads_plain && effect->reads_plain(d, slot)))
            return true;
    }
    return false;
}

void limberi_deform_weld_normals(const limber_deformer* d, const limber_deform_job* job) {
    const float* normals = job->lift_normals ? job->lift_normals : job->normals;
    memcpy(d->lift_normals, normals, 3 * (size_t)d->model->vertex_count * sizeof *normals);
    if (!job->lift_normals)
        limberi_split_weld(&d->split, d->lift_normals);
}

static bool open_group(limberi_group_state* g, const limber_deformer* d, uint32_t mesh, uint32_t group) {
    g->d = d;
    g->f = &d->frame;
    g->kernels = kernels_of(d->variant);
    g->mesh = &d->sorted[mesh];
    g->mesh_index = mesh;
    g->groups = d->groups[mesh];
    g->group = &g->groups->groups[group];
    g->ready = 0;
    g->lift_normal_ready = false;
    g->block.width = g->group->width;
    g->block.slopes = NULL;
    return true;
}

// Normals are turned along where the Jacobian has them follow; effects see the skinned ones.
static bool bend_pose(limberi_group_state* g, limberi_block3* normal, limberi_block3* plain) {
    if (normal) {
        *plain = *normal;
        g->along = g->along == normal ? plain : g->along;
        g->normal = plain;
    }
    return limberi_group_bend(g, normal);
}

bool limberi_deform_group(const limber_deformer* d, uint32_t mesh, uint32_t group, limberi_deform_scratch* scratch,
                          limberi_block3* position, limberi_block3* normal, const limberi_block3* lift_normal,
                          bool jacobian) {
    limberi_group_state g;
    limberi_block3 displacement, plain;
    limberi_block9 slopes;
    open_group(&g, d, mesh, group);
    uint32_t folds;
    bool acts = look_at_joints(&g, &folds);
    bool kernels = jacobian && has_derivatives(d);
    if (!acts && !d->frame.bends && !(folds & ~(1u << LIMBERI_FOLD_VELOCITY)))
        return false;
    g.scratch = scratch;
    g.normal = normal;
    g.along = lift_normal ? lift_normal : normal;
    g.block.position = position;
    g.block.displacement = &displacement;
    if (d->names_used >> LIMBER_VARIABLE_SPEED & 1)
        find_speed(&g);
    bool bent = d->frame.bends && bend_pose(&g, jacobian ? normal : NULL, &plain);
    if (!acts && !(folds & ~(1u << LIMBERI_FOLD_VELOCITY)))
        return bent;
    if (!acts && !jacobian && d->frame.calm &&
        (folds & ~(1u << LIMBERI_FOLD_VELOCITY)) == 1u << LIMBERI_FOLD_CONSTANT) {
        limberi_group_run_fold(&g, &g.block, LIMBERI_FOLD_CONSTANT, NULL, LIMBERI_AFFINE_MOVE);
        return true;
    }
    if (acts)
        limberi_group_sums(g.groups, g.group, scratch->sums);
    if (!jacobian && d->frame.all_link && d->frame.calm) {
        limberi_chain_move(&g);
        return true;
    }
    g.block.slopes = kernels ? &slopes : NULL;
    run_effects(&g, folds, acts);
    if (jacobian && !kernels)
        walk_axes(&g, folds, &slopes);
    if (jacobian)
        g.kernels->normals(&g.block, normal);
    g.kernels->finish(&g.block);
    return true;
}

bool limberi_deform_group_reach(const limber_deformer* d, uint32_t mesh, uint32_t group,
                                limberi_deform_scratch* scratch, const float middle[3], const float half[3],
                                float reach[3]) {
    limberi_group_state g;
    if (d->frame.bends || !d->frame.all_link || !d->frame.calm)
        return false;
    open_group(&g, d, mesh, group);
    g.scratch = scratch;
    memcpy(g.middle, middle, sizeof g.middle);
    limberi_chain_reach(&g, half, reach);
    return true;
}

// --- all groups ---

static void run_mesh(limber_deformer* d, const limber_deform_job* job, uint32_t m) {
    const limber_mesh* mesh = &d->model->meshes[m];
    size_t at = 3 * (size_t)mesh->first_vertex;
    bool jacobian = d->settings.normals == LIMBER_NORMALS_JACOBIAN && job->out_normals;
    const struct limberi_groups* groups = d->groups[m];
    for (uint32_t i = 0; i < groups->group_count; i++) {
        const limberi_group* group = &groups->groups[i];
        limberi_block3 position, normal, along;
        limberi_group_gather(groups, group, job->positions + at, &position);
        limberi_group_gather(groups, group, job->normals + at, &normal);
        if (d->lift_normals)
            limberi_group_gather(groups, group, d->lift_normals + at, &along);
        bool moved =
            limberi_deform_group(d, m, i, &d->scratch, &position, &normal, d->lift_normals ? &along : NULL, jacobian);
        if (d->averager)
            limberi_averager_mark(d->averager, m, i, moved);
        if (!moved)
            continue;
        limberi_group_scatter(groups, group, &position, job->out_positions + at);
        if (jacobian)
            limberi_group_scatter(groups, group, &normal, job->out_normals + at);
    }
}

static limber_result run_frame(limber_deformer* d, const limber_deform_job* job) {
    size_t bytes = 3 * (size_t)d->model->vertex_count * sizeof(float);
    memcpy(job->out_positions, job->positions, bytes);
    if (job->out_normals && job->out_normals != job->normals)
        memcpy(job->out_normals, job->normals, bytes);
    if (!limberi_deform_begin(d, job))
        return LIMBER_OK;
    if (d->lift_normals)
        limberi_deform_weld_normals(d, job);
    for (uint32_t m = 0; m < d->model->mesh_count; m++)
        run_mesh(d, job, m);
    if (d->averager && job->out_normals) {
        limberi_average_job average = {job->positions, job->normals, job->out_positions, job->out_normals, d->variant};
        limberi_averager_run(d->averager, &average, 0, limberi_averager_chunks(d->averager));
    }
    return LIMBER_OK;
}

limber_result limber_deformer_evaluate(limber_deformer* d, const limber_deform_job* given) {
    limber_deform_job job = limber_deform_job_default();
    limber_result result = limberi_settings_read(&job, sizeof job, given, "limber_deform_job", NULL);
    if (result)
        return result;
    if (!job.pose || !job.positions || !job.normals || !job.out_positions || job.out_positions == job.positions)
        return LIMBER_ERROR_ARGUMENT;
    // From the numbers that programs use, which leave room for more effects, to slots.
    uint32_t built_in = job.gated & ((1u << LIMBER_EFFECT_COUNT) - 1);
    job.gated = built_in | job.gated >> LIMBER_EFFECT_LIMIT << LIMBER_EFFECT_COUNT;
    for (uint32_t i = 0; i < LIMBER_CUSTOM_EFFECTS; i++)
        job.motion[LIMBER_EFFECT_COUNT + i] = job.custom_motion[i];
    return run_frame(d, &job);
}
