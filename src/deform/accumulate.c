// All effects over one group of vertices, and the normals that go with them.
#include "deform/group_state.h"

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

bool limberi_scratch_allocate(limberi_arena* arena, const limber_deformer* d, limberi_deform_scratch* scratch) {
    uint32_t max = 0;
    for (uint32_t m = 0; m < d->model->mesh_count; m++)
        if (d->groups[m]->max_weights > max)
            max = d->groups[m]->max_weights;
    uint32_t slots = limberi_slot_count(&d->settings);
    scratch->values = LIMBERI_ALLOCATE(arena, limberi_block_values, slots);
    scratch->source_values = LIMBERI_ALLOCATE(arena, limberi_block_values, d->sources ? slots : 0);
    scratch->sums = LIMBERI_ALLOCATE(arena, float, (size_t)max* LIMBER_BLOCK);
    scratch->links = LIMBERI_ALLOCATE(arena, limberi_chain_link, limberi_is_chain(d) ? d->model->rig.joint_count : 0);
    return !arena->failed;
}

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
        float x = velocity.v[0][v], y = velocity.v[1][v], z = velocity.v[2][v];
        g->speed[v] = sqrtf(x * x + y * y + z * z) / g->d->size;
    }
}

// --- all of it ---

static void run_effects(limberi_group_state* g, uint32_t folds, bool acts) {
    if (limberi_is_chain(g->d))
        limberi_chain_effects(g);
    else
        limberi_sum_effects(g, folds, acts);
}

static float number_or_zero(float x) {
    return x - x == 0 ? x : 0;
}

// Effects without a kernel have no derivatives either: they are walked along the axes. The step, 1e-3 L, is short
// against every effect's reach and long against float rounding.
static void walk_axes(limberi_group_state* g, uint32_t folds, limberi_block9* slopes) {
    limberi_block3 *home = g->block.position, *still = g->block.displacement, there, changed;
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
        const limberi_effect* effect = limberi_slot_effect(slot);
        if (limberi_slot_is_on(d, slot) &&
            (d->plans[slot].scalar || (effect->has_derivatives && !effect->has_derivatives(d, slot))))
            return false;
    }
    return true;
}

bool limberi_deform_reads_normals(const limber_deformer* d, bool lift_has_own) {
    for (uint32_t slot = 0; !lift_has_own && slot < LIMBER_EFFECT_COUNT; slot++)
        if (limberi_slot_is_on(d, slot) && limberi_effects[slot]->reads_normals &&
            limberi_effects[slot]->reads_normals(&d->settings.effects[slot]))
            return true;
    return d->settings.custom_count;
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

bool limberi_deform_group(const limber_deformer* d, uint32_t mesh, uint32_t group, limberi_deform_scratch* scratch,
                          limberi_block3* position, limberi_block3* normal, const limberi_block3* lift_normal,
                          bool jacobian) {
    limberi_group_state g;
    limberi_block3 displacement;
    limberi_block9 slopes;
    open_group(&g, d, mesh, group);
    uint32_t folds;
    bool acts = look_at_joints(&g, &folds), kernels = jacobian && has_derivatives(d);
    if (!acts && !(folds & ~(1u << LIMBERI_FOLD_VELOCITY)))
        return false;
    g.scratch = scratch;
    g.normal = normal;
    g.along = lift_normal ? lift_normal : normal;
    g.block.position = position;
    g.block.displacement = &displacement;
    if (!acts && !jacobian && d->frame.calm &&
        (folds & ~(1u << LIMBERI_FOLD_VELOCITY)) == 1u << LIMBERI_FOLD_CONSTANT) {
        limberi_group_run_fold(&g, &g.block, LIMBERI_FOLD_CONSTANT, NULL, LIMBERI_AFFINE_MOVE);
        return true;
    }
    if (acts)
        limberi_group_sums(g.groups, g.group, scratch->sums);
    if (d->names_used >> LIMBER_VARIABLE_SPEED & 1)
        find_speed(&g);
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
