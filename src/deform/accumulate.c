// All effects over one group of vertices: folded palettes first, then joint by joint up the hierarchy.
#include "base/bits.h"
#include "base/math.h"
#include "deform/effects/formulas.h"
#include "deform/scalar.h"

#include <string.h>

typedef struct group_state {
    const limber_deformer* d;
    const limberi_deform_frame* f;
    const limberi_deform_kernels* kernels;
    const struct limberi_groups* groups;
    const limberi_group* group;
    const limber_mesh* mesh;
    limberi_deform_scratch* scratch;
    limberi_lane_block block;
    const limberi_block3* normal; // skinned
    limberi_block3 lift_normal;
    bool lift_normal_ready;
    uint32_t ready; // bit per slot: values evaluated
    float speed[LIMBER_BLOCK];
    uint32_t mesh_index;
    float middle[3], radius; // of a sphere around the positions
} group_state;

static const limberi_deform_kernels* kernels_of(limberi_variant variant) {
#if defined(LIMBERI_HAS_AVX2)
    if (variant == LIMBERI_VARIANT_AVX2)
        return &limberi_deform_kernels_avx2;
#endif
    return variant == LIMBERI_VARIANT_PLAIN ? &limberi_deform_kernels_plain : &limberi_deform_kernels_wide;
}

void limberi_deform_use(limber_deformer* d, limberi_variant variant) {
    d->variant = variant;
}

bool limberi_scratch_take(limberi_arena* arena, const limber_deformer* d, limberi_deform_scratch* scratch) {
    uint32_t most = 0;
    for (uint32_t m = 0; m < d->model->mesh_count; m++)
        if (d->groups[m]->most_weights > most)
            most = d->groups[m]->most_weights;
    uint32_t slots = limberi_slot_count(&d->settings);
    scratch->values = LIMBERI_ALLOCATE(arena, limberi_block_values, slots);
    scratch->source_values = LIMBERI_ALLOCATE(arena, limberi_block_values, slots);
    scratch->sums = LIMBERI_ALLOCATE(arena, float, (size_t)most* LIMBER_BLOCK);
    return !arena->failed;
}

// --- folded palettes ---

// Which palettes move the group; true: joints act on it, too.
static bool look_at_joints(const group_state* g, uint32_t* folds) {
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

static void run_fold(const group_state* g, const limberi_lane_block* block, uint32_t fold, const float* gain,
                     limberi_affine_use use) {
    limberi_affine_row row;
    row.slot_count = g->group->slot_count;
    row.slots = g->groups->slots + g->group->slot_first;
    row.joints = g->d->model->skins[g->mesh->skin].joints;
    row.weights = row.slot_count > 1 ? g->groups->weights + g->group->weight_first : NULL;
    row.palette = g->f->palettes[fold];
    row.shift_only = g->f->shift_only[fold];
    row.symmetric = fold != LIMBERI_FOLD_VELOCITY;
    row.use = use;
    g->kernels->affine(block, &row, gain);
}

// The speed of every vertex in L per second.
static void find_speed(group_state* g) {
    limberi_block3 velocity;
    limberi_lane_block block = g->block;
    memset(&velocity, 0, sizeof velocity);
    block.displacement = &velocity;
    block.slopes = NULL;
    if (g->f->folds >> LIMBERI_FOLD_VELOCITY & 1)
        run_fold(g, &block, LIMBERI_FOLD_VELOCITY, NULL, LIMBERI_AFFINE_ADD);
    for (uint32_t v = 0; v < g->block.width; v++) {
        float x = velocity.v[0][v], y = velocity.v[1][v], z = velocity.v[2][v];
        g->speed[v] = sqrtf(x * x + y * y + z * z) / g->d->size;
    }
}

// --- values ---

static const limberi_block_values* values_of(group_state* g, uint32_t slot) {
    const limberi_slot_plan* plan = &g->d->plans[slot];
    if (!plan->varies && !plan->layered)
        return &g->f->constants[slot];
    if (!(g->ready >> slot & 1))
        limberi_evaluate_values(&g->d->names[g->mesh_index], g->mesh, limberi_slot_settings(&g->d->settings, slot),
                                &g->f->job, g->group->first, g->group->width, g->speed, &g->scratch->values[slot]);
    g->ready |= 1u << slot;
    return &g->scratch->values[slot];
}

// What multiplies the rates of an effect at each vertex: its formula times its layer, or the layer alone. NULL:
// nothing.
static const float* gain_of(group_state* g, uint32_t slot, uint32_t part) {
    const limberi_slot_plan* plan = &g->d->plans[slot];
    if (!plan->gain_varies[part])
        return NULL;
    if (plan->formula[part])
        return values_of(g, slot)->v[part == LIMBERI_LINEAR ? LIMBERI_VALUE_LINEAR : LIMBERI_VALUE_ANGULAR];
    const float* layer = g->d->layers[g->mesh_index * LIMBERI_SLOTS + slot];
    return layer ? layer + g->group->first : limberi_group_ones;
}

// Radians; NULL: no limit.
static const float* limit_of(group_state* g, uint32_t slot) {
    limber_number limit = limberi_slot_settings(&g->d->settings, slot)->max_bend_deg;
    if (!limit.expression)
        return limit.value > 0 ? g->f->constants[slot].v[LIMBERI_VALUE_MAX_BEND] : NULL;
    return (g->d->plans[slot].varies ? values_of(g, slot) : &g->f->constants[slot])->v[LIMBERI_VALUE_MAX_BEND];
}

static const float* gain_or_ones(group_state* g, uint32_t slot, uint32_t part) {
    const float* gain = gain_of(g, slot, part);
    return gain ? gain : limberi_group_ones;
}

// --- joints ---

// Joints are gathered by what they do and run together.
enum { CALLS_AT_ONCE = 32 };

typedef struct call_list {
    uint32_t count;
    limberi_row_call calls[CALLS_AT_ONCE];
} call_list;

// Lists of joints that turn are split by how far; all others use the first list.
typedef struct work_list {
    bool open; // mode, gain and limit are known
    limberi_turn_mode mode;
    float widest[LIMBERI_TURN_WIDE]; // angle, per unit of gain, of each reach
    call_list reaches[LIMBERI_TURN_REACHES];
} work_list;

// True: the list is full.
static inline bool list_call(call_list* list, const void* row, const float* weight) {
    limberi_row_call* call = &list->calls[list->count++];
    call->row = row;
    call->weight = weight;
    return list->count == CALLS_AT_ONCE;
}

static float largest(const float* values, uint32_t count) {
    float high = 0;
    for (uint32_t v = 0; v < count; v++)
        high = fabsf(values[v]) > high ? fabsf(values[v]) : high;
    return high;
}

static void open_turns(group_state* g, work_list* list, const limberi_work* work) {
    limberi_turn_mode* mode = &list->mode;
    memset(mode, 0, sizeof *mode);
    mode->bend = work->bend_slot >= 0;
    mode->squash = work->shape == LIMBERI_SHAPE_SQUASH;
    list->open = true;
    for (int reach = 0; reach < LIMBERI_TURN_WIDE; reach++)
        list->widest[reach] = HUGE_VALF;
    if (mode->squash) {
        float max = g->f->constants[work->slot].v[LIMBERI_VALUE_MAX_SQUASH][0];
        mode->squash_gain = gain_of(g, (uint32_t)work->slot, LIMBERI_ANGULAR);
        mode->max_squash = max > 0 ? fmaxf(max, LIMBERI_LEAST_MAX_SQUASH) : 0;
    }
    if (!mode->bend)
        return;
    uint32_t slot = (uint32_t)work->bend_slot;
    mode->bend_gain = gain_of(g, slot, LIMBERI_ANGULAR);
    mode->limit = limit_of(g, slot);
    // Layers stay within 1. A formula's limits are not searched: wide is always right.
    bool formula_gain = g->d->plans[slot].formula[LIMBERI_ANGULAR];
    float largest_gain = 1.0001f * (formula_gain ? largest(mode->bend_gain, g->group->width) : 1);
    bool formula = limberi_slot_settings(&g->d->settings, slot)->max_bend_deg.expression != NULL;
    float limit = !mode->limit ? 1 : formula ? -1 : fminf(0.75f * mode->limit[0], 1);
    list->widest[LIMBERI_TURN_SMALL] = limit / largest_gain;
    list->widest[LIMBERI_TURN_TINY] = fminf(limit, 0.5f) / largest_gain;
    list->widest[LIMBERI_TURN_FAINT] = fminf(limit, 0.125f) / largest_gain;
}

static void run_turns(group_state* g, work_list* list, limberi_turn_reach reach) {
    if (!list->reaches[reach].count)
        return;
    list->mode.reach = reach;
    g->kernels->turn(&g->block, list->reaches[reach].calls, list->reaches[reach].count, &list->mode);
    list->reaches[reach].count = 0;
}

// No vertex of the group is farther from the joint than this.
static inline float farthest(const group_state* g, const float* place) {
    float x = g->middle[0] - place[0], y = g->middle[1] - place[1], z = g->middle[2] - place[2];
    return sqrtf(x * x + y * y + z * z) + g->radius;
}

// There are a handful of these for every group, so they have to be short.
static inline void list_turn(group_state* g, work_list* list, const limberi_work* work, const limberi_turn_row* row,
                             float far, const float* weight) {
    if (!list->open)
        open_turns(g, list, work);
    float angle = far * row->longest;
    limberi_turn_reach reach = row->squash_rate < 0 ? LIMBERI_TURN_WIDE : LIMBERI_TURN_FAINT;
    while (reach < LIMBERI_TURN_WIDE && !(angle <= list->widest[reach]))
        reach++;
    if (list_call(&list->reaches[reach], row, weight))
        run_turns(g, list, reach);
}

static void open_lists(group_state* g, work_list* lists) {
    float low[3], high[3], square = 0;
    for (uint32_t w = 0; w < g->d->work_count; w++) {
        lists[w].open = false;
        for (int reach = 0; reach < LIMBERI_TURN_REACHES; reach++)
            lists[w].reaches[reach].count = 0;
    }
    g->kernels->box(&g->block, low, high);
    for (int c = 0; c < 3; c++) {
        g->middle[c] = 0.5f * (low[c] + high[c]);
        square += 0.25f * (high[c] - low[c]) * (high[c] - low[c]);
    }
    g->radius = sqrtf(square);
}

// The normals that lift goes along: the cone's, or the mesh's.
static const limberi_block3* lift_normals(group_state* g) {
    if (!g->d->has_cone)
        return g->normal;
    if (!g->lift_normal_ready)
        g->kernels->cone(&g->block, g->f->cone_apex, g->f->cone_axis, g->f->cone_cosine, g->f->cone_sine,
                         &g->lift_normal);
    g->lift_normal_ready = true;
    return &g->lift_normal;
}

static void run_list(group_state* g, const limberi_work* work, call_list* list) {
    if (!list->count)
        return;
    const float* gain = gain_or_ones(g, (uint32_t)work->slot, work->part);
    if (work->shape == LIMBERI_SHAPE_TRAVEL)
        g->kernels->travel(&g->block, list->calls, list->count, gain);
    else if (work->shape == LIMBERI_SHAPE_SPIN)
        g->kernels->spin(&g->block, list->calls, list->count, gain);
    else
        g->kernels->lift(&g->block, list->calls, list->count, gain, lift_normals(g));
    list->count = 0;
}

static void run_lists(group_state* g, work_list* lists) {
    for (uint32_t w = 0; w < g->d->work_count; w++) {
        if (!(g->d->turn_works >> w & 1))
            run_list(g, &g->d->works[w], &lists[w].reaches[0]);
        for (int reach = 0; lists[w].open && reach < LIMBERI_TURN_REACHES; reach++)
            run_turns(g, &lists[w], (limberi_turn_reach)reach);
    }
}

// Effects without a kernel. Their functions expect values of every effect they may need in one table.
static void run_scalar(group_state* g, const limberi_joint_work* own, uint32_t joint, const float* weight) {
    uint32_t slots = limberi_slot_count(&g->d->settings);
    for (uint32_t slot = 0; slot < slots; slot++) {
        bool source = limberi_slot_is_source(g->d, slot) && (own->scalar_slots & g->d->source_users);
        if (!(own->scalar_slots >> slot & 1) && !source)
            continue;
        const limberi_block_values* values = values_of(g, slot);
        if (values != &g->scratch->values[slot])
            g->scratch->values[slot] = *values;
        if (source)
            limberi_source_values(g->d, slot, values, &g->scratch->source_values[slot]);
    }
    limberi_effect_call call = {g->d,
                                &g->f->job,
                                g->block.position,
                                g->normal ? g->normal : g->block.position,
                                g->block.displacement,
                                g->scratch->values,
                                g->scratch->source_values,
                                g->group->count,
                                joint,
                                weight};
    for (uint32_t slot = 0; slot < slots; slot++)
        if (own->scalar_slots >> slot & 1)
            limberi_effect_run(&call, slot);
}

static void run_joint(group_state* g, work_list* lists, uint32_t joint, const float* weight) {
    const limberi_joint_work* own = &g->f->joints[joint];
    const limberi_joint_row* rows = g->f->rows + (size_t)joint * g->d->work_count;
    float far = own->works & g->d->turn_works ? farthest(g, own->place) : 0;
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
        run_scalar(g, own, joint, weight);
}

static void run_joints(group_state* g) {
    const limber_rig* rig = &g->d->model->rig;
    const limberi_deform_frame* f = g->f;
    work_list lists[LIMBERI_WORKS];
    open_lists(g, lists);
    for (uint32_t c = 0; c < g->group->chain_count; c++) {
        limberi_chain chain = g->groups->chains[g->group->chain_first + c];
        const float* weight = limberi_group_weight(g->groups, g->group, g->scratch->sums, chain.weight);
        int32_t j = f->acting[chain.first];
        while (j > chain.stop) {
            run_joint(g, lists, (uint32_t)j, weight);
            j = rig->parents[j] < 0 ? -1 : f->acting[rig->parents[j]];
        }
    }
    run_lists(g, lists);
}

// --- all of it ---

static void clear_rows(float (*rows)[LIMBER_BLOCK], int count, uint32_t width) {
    for (int r = 0; r < count; r++)
        memset(rows[r], 0, width * sizeof rows[r][0]);
}

// What scales the palette at each vertex: the layer or formula of the effect it is for.
static const float* fold_gain(group_state* g, uint32_t fold) {
    uint32_t slot = fold - LIMBERI_FOLD_SLOT;
    return fold == LIMBERI_FOLD_CONSTANT ? NULL : gain_of(g, slot, limberi_effects[slot]->affine_part);
}

static void sum_effects(group_state* g, uint32_t folds, bool acts) {
    bool begun = false;
    for (uint32_t fold = 0; fold < LIMBERI_FOLD_VELOCITY; fold++) { // the first palette starts the sums
        if (!(folds >> fold & 1))
            continue;
        limberi_affine_use use = begun ? LIMBERI_AFFINE_ADD : LIMBERI_AFFINE_SET;
        begun = true;
        if (g->block.slopes && use == LIMBERI_AFFINE_SET && g->f->shift_only[fold])
            clear_rows(g->block.slopes->v, 9, g->group->width);
        run_fold(g, &g->block, fold, fold_gain(g, fold), use);
    }
    if (!begun)
        clear_rows(g->block.displacement->v, 3, g->group->width);
    if (!begun && g->block.slopes)
        clear_rows(g->block.slopes->v, 9, g->group->width);
    if (acts)
        run_joints(g);
}

static float number_or_zero(float x) {
    return x - x == 0 ? x : 0;
}

// Effects without a kernel have no derivatives either: they are walked along the axes. The step, 1e-3 L, is short
// against every effect's reach and long against float rounding.
static void walk_axes(group_state* g, uint32_t folds, limberi_block9* slopes) {
    limberi_block3 *home = g->block.position, *still = g->block.displacement, there, changed;
    float step = 1e-3f * g->d->size;
    for (int axis = 0; axis < 3; axis++) {
        there = *home;
        for (uint32_t v = 0; v < g->group->width; v++)
            there.v[axis][v] += step;
        g->block.position = &there;
        g->block.displacement = &changed;
        g->lift_normal_ready = false;
        sum_effects(g, folds, true);
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

bool limberi_deform_reads_normals(const limber_deformer* d) {
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++)
        if (limberi_slot_is_on(d, slot) && limberi_effects[slot]->reads_normals &&
            limberi_effects[slot]->reads_normals(&d->settings.effects[slot]))
            return true;
    return d->settings.custom_count;
}

static bool open_group(group_state* g, const limber_deformer* d, uint32_t mesh, uint32_t group) {
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
                          limberi_block3* position, limberi_block3* normal, bool jacobian) {
    group_state g;
    limberi_block3 displacement;
    limberi_block9 slopes;
    open_group(&g, d, mesh, group);
    uint32_t folds;
    bool acts = look_at_joints(&g, &folds), kernels = jacobian && has_derivatives(d);
    if (!acts && !(folds & ~(1u << LIMBERI_FOLD_VELOCITY)))
        return false;
    g.scratch = scratch;
    g.normal = normal;
    g.block.position = position;
    g.block.displacement = &displacement;
    if (!acts && !jacobian && d->frame.calm &&
        (folds & ~(1u << LIMBERI_FOLD_VELOCITY)) == 1u << LIMBERI_FOLD_CONSTANT) {
        run_fold(&g, &g.block, LIMBERI_FOLD_CONSTANT, NULL, LIMBERI_AFFINE_MOVE);
        return true;
    }
    if (acts)
        limberi_group_sums(g.groups, g.group, scratch->sums);
    if (d->names_used >> LIMBER_VARIABLE_SPEED & 1)
        find_speed(&g);
    g.block.slopes = kernels ? &slopes : NULL;
    sum_effects(&g, folds, acts);
    if (jacobian && !kernels)
        walk_axes(&g, folds, &slopes);
    if (jacobian)
        g.kernels->normals(&g.block, normal);
    g.kernels->finish(&g.block);
    return true;
}
