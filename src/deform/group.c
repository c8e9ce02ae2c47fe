// All effects over one group of vertices: folded palettes first, then joint by joint up the hierarchy.
#include "deform/deform_private.h"

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
        if (d->model->meshes[m].groups->most_weights > most)
            most = d->model->meshes[m].groups->most_weights;
    uint32_t slots = LIMBER_EFFECT_COUNT + d->settings.custom_count;
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

static void run_fold(const group_state* g, const limberi_lane_block* block, int fold, const float* gain,
                     limberi_affine_use use) {
    limberi_affine_row row;
    row.slot_count = g->group->slot_count;
    row.slots = g->groups->slots + g->group->slot_first;
    row.joints = g->d->model->skins[g->mesh->skin].joints;
    row.weights = row.slot_count > 1 ? g->groups->weights + g->group->weight_first : NULL;
    row.palette = g->f->palettes[fold];
    row.shift_only = g->f->shift_only[fold];
    row.symmetric = fold != FOLD_VELOCITY;
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
    if (g->f->folds >> FOLD_VELOCITY & 1)
        run_fold(g, &block, FOLD_VELOCITY, NULL, LIMBERI_AFFINE_ADD);
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
        limberi_evaluate_values(&g->d->names[g->mesh_index], g->mesh, limberi_slot_settings(g->d, slot), &g->f->job,
                                g->group->first, g->group->width, g->speed, &g->scratch->values[slot]);
    g->ready |= 1u << slot;
    return &g->scratch->values[slot];
}

// What multiplies the rates of an effect at each vertex: its formula times its layer, or the layer alone. NULL:
// nothing.
static const float* gain_of(group_state* g, uint32_t slot, int part) {
    const limberi_slot_plan* plan = &g->d->plans[slot];
    if (!plan->gain_varies[part])
        return NULL;
    if (plan->formula[part])
        return values_of(g, slot)->v[part == 0 ? VALUE_LINEAR : VALUE_ANGULAR];
    const float* layer = g->d->layers[g->mesh_index * EFFECT_SLOTS + slot];
    return layer ? layer + g->group->first : limberi_group_ones;
}

// Radians; NULL: no limit.
static const float* limit_of(group_state* g, uint32_t slot) {
    limber_number limit = limberi_slot_settings(g->d, slot)->max_bend_deg;
    if (!limit.expression)
        return limit.value > 0 ? g->f->constants[slot].v[VALUE_MAX_BEND] : NULL;
    return (g->d->plans[slot].varies ? values_of(g, slot) : &g->f->constants[slot])->v[VALUE_MAX_BEND];
}

static const float* gain_or_ones(group_state* g, uint32_t slot, int part) {
    const float* gain = gain_of(g, slot, part);
    return gain ? gain : limberi_group_ones;
}

// --- joints ---

// Joints are gathered by what they do and run together.
enum { TURN_TOGETHER, TURN_BEND, TURN_SQUASH, TURN_DRAG, TURN_FOLLOW, TURN_KINDS, CALLS_AT_ONCE = 32 };

typedef struct call_list {
    uint32_t count;
    limberi_row_call calls[CALLS_AT_ONCE];
} call_list;

typedef struct turn_list {
    bool open; // mode, gain and limit are known
    limberi_turn_mode mode;
    float widest[LIMBERI_TURN_WIDE]; // angle, per unit of gain, of each reach
    call_list reaches[LIMBERI_TURN_REACHES];
} turn_list;

typedef struct joint_lists {
    turn_list turns[TURN_KINDS];
    call_list travels, spins, lifts;
} joint_lists;

// True: the list is full.
static inline bool list_call(call_list* list, const void* row, const float* weight) {
    limberi_row_call* call = &list->calls[list->count++];
    call->row = row;
    call->weight = weight;
    return list->count == CALLS_AT_ONCE;
}

static float largest(const float* values, uint32_t count) {
    float most = 0;
    for (uint32_t v = 0; v < count; v++)
        most = fabsf(values[v]) > most ? fabsf(values[v]) : most;
    return most;
}

static void open_turns(group_state* g, turn_list* list, int kind) {
    static const uint32_t bend_slots[TURN_KINDS] = {LIMBER_EFFECT_FLOPPY, LIMBER_EFFECT_FLOPPY, EFFECT_SLOTS,
                                                    LIMBER_EFFECT_DRAG, LIMBER_EFFECT_FOLLOWTHROUGH};
    limberi_turn_mode* mode = &list->mode;
    uint32_t slot = bend_slots[kind];
    memset(mode, 0, sizeof *mode);
    mode->bend = slot < EFFECT_SLOTS;
    mode->squash = kind == TURN_TOGETHER || kind == TURN_SQUASH;
    list->open = true;
    for (int reach = 0; reach < LIMBERI_TURN_WIDE; reach++)
        list->widest[reach] = HUGE_VALF;
    if (mode->squash)
        mode->squash_gain = gain_of(g, LIMBER_EFFECT_SQUASH, 1);
    if (!mode->bend)
        return;
    mode->bend_gain = gain_of(g, slot, 1);
    mode->limit = limit_of(g, slot);
    // Layers stay within 1. A formula's limits are not searched: wide is always right.
    float most_gain = 1.0001f * (g->d->plans[slot].formula[1] ? largest(mode->bend_gain, g->group->width) : 1);
    bool formula = limberi_slot_settings(g->d, slot)->max_bend_deg.expression != NULL;
    float limit = !mode->limit ? 1 : formula ? -1 : fminf(0.75f * mode->limit[0], 1);
    list->widest[LIMBERI_TURN_SMALL] = limit / most_gain;
    list->widest[LIMBERI_TURN_TINY] = fminf(limit, 0.5f) / most_gain;
    list->widest[LIMBERI_TURN_FAINT] = fminf(limit, 0.125f) / most_gain;
}

static void run_turns(group_state* g, turn_list* list, limberi_turn_reach reach) {
    if (!list->reaches[reach].count)
        return;
    list->mode.reach = reach;
    g->kernels->turn(&g->block, list->reaches[reach].calls, list->reaches[reach].count, &list->mode);
    list->reaches[reach].count = 0;
}

// No vertex of the group is farther from the joint than this.
static inline float farthest(const group_state* g, const limberi_joint_rows* rows) {
    float x = g->middle[0] - rows->place[0], y = g->middle[1] - rows->place[1], z = g->middle[2] - rows->place[2];
    return sqrtf(x * x + y * y + z * z) + g->radius;
}

// There are a handful of these for every group, so they have to be short.
static inline void list_turn(group_state* g, joint_lists* lists, int kind, const limberi_turn_row* row, float far,
                             const float* weight) {
    turn_list* list = &lists->turns[kind];
    if (!list->open)
        open_turns(g, list, kind);
    float angle = far * row->longest;
    limberi_turn_reach reach = row->squash_rate < 0 ? LIMBERI_TURN_WIDE : LIMBERI_TURN_FAINT;
    while (reach < LIMBERI_TURN_WIDE && !(angle <= list->widest[reach]))
        reach++;
    if (list_call(&list->reaches[reach], row, weight))
        run_turns(g, list, reach);
}

static void list_apart(group_state* g, joint_lists* lists, const limberi_joint_rows* rows, float far,
                       const float* weight) {
    if (rows->kinds & ROW_BEND)
        list_turn(g, lists, TURN_BEND, &rows->bend, far, weight);
    if (rows->kinds & ROW_SQUASH)
        list_turn(g, lists, TURN_SQUASH, &rows->squash, far, weight);
}

static inline void list_turns(group_state* g, joint_lists* lists, const limberi_joint_rows* rows, const float* weight) {
    float far = farthest(g, rows);
    if (rows->kinds & ROW_TOGETHER)
        list_turn(g, lists, TURN_TOGETHER, &rows->squash, far, weight);
    else if (rows->kinds & (ROW_BEND | ROW_SQUASH))
        list_apart(g, lists, rows, far, weight);
    if (rows->kinds & ROW_DRAG)
        list_turn(g, lists, TURN_DRAG, &rows->drag, far, weight);
    if (rows->kinds & ROW_FOLLOW)
        list_turn(g, lists, g->d->follow_is_drag ? TURN_DRAG : TURN_FOLLOW, &rows->follow, far, weight);
}

static void open_lists(group_state* g, joint_lists* lists) {
    float least[3], most[3], square = 0;
    lists->travels.count = lists->spins.count = lists->lifts.count = 0;
    for (int kind = 0; kind < TURN_KINDS; kind++) {
        lists->turns[kind].open = false;
        for (int reach = 0; reach < LIMBERI_TURN_REACHES; reach++)
            lists->turns[kind].reaches[reach].count = 0;
    }
    g->kernels->box(&g->block, least, most);
    for (int c = 0; c < 3; c++) {
        g->middle[c] = 0.5f * (least[c] + most[c]);
        square += 0.25f * (most[c] - least[c]) * (most[c] - least[c]);
    }
    g->radius = sqrtf(square);
}

static void run_travels(group_state* g, call_list* list) {
    if (list->count)
        g->kernels->travel(&g->block, list->calls, list->count, gain_or_ones(g, LIMBER_EFFECT_SQUASH, 0));
    list->count = 0;
}

static void run_spins(group_state* g, call_list* list) {
    if (list->count)
        g->kernels->spin(&g->block, list->calls, list->count, gain_or_ones(g, LIMBER_EFFECT_STRETCH, 1));
    list->count = 0;
}

static void run_lifts(group_state* g, call_list* list) {
    const limberi_block3* normal = g->normal;
    if (!list->count)
        return;
    if (g->d->settings.effects[LIMBER_EFFECT_LIFT].normals != LIMBER_LIFT_MESH) {
        if (!g->lift_normal_ready)
            g->kernels->cone(&g->block, g->f->cone_apex, g->f->cone_axis, g->f->cone_cosine, g->f->cone_sine,
                             &g->lift_normal);
        g->lift_normal_ready = true;
        normal = &g->lift_normal;
    }
    g->kernels->lift(&g->block, list->calls, list->count, gain_or_ones(g, LIMBER_EFFECT_LIFT, 1), normal);
    list->count = 0;
}

static void run_lists(group_state* g, joint_lists* lists) {
    for (int kind = 0; kind < TURN_KINDS; kind++)
        for (int reach = 0; lists->turns[kind].open && reach < LIMBERI_TURN_REACHES; reach++)
            run_turns(g, &lists->turns[kind], (limberi_turn_reach)reach);
    run_travels(g, &lists->travels);
    run_spins(g, &lists->spins);
    run_lifts(g, &lists->lifts);
}

// Effects without a kernel. Their functions expect values of every effect they may need in one table.
static void run_scalar(group_state* g, const limberi_joint_rows* rows, uint32_t joint, const float* weight) {
    uint32_t slots = LIMBER_EFFECT_COUNT + g->d->settings.custom_count;
    for (uint32_t slot = 0; slot < slots; slot++) {
        bool source = limberi_is_source(g->d, slot) && (rows->scalar_slots >> LIMBER_EFFECT_LIFT & 1);
        if (!(rows->scalar_slots >> slot & 1) && !source)
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
        if (rows->scalar_slots >> slot & 1)
            limberi_effect_run(&call, slot);
}

static void run_joint(group_state* g, joint_lists* lists, uint32_t joint, const float* weight) {
    const limberi_joint_rows* rows = &g->f->rows[joint];
    if (rows->kinds & ROW_TURNS)
        list_turns(g, lists, rows, weight);
    if ((rows->kinds & ROW_TRAVEL) && list_call(&lists->travels, &rows->travel, weight))
        run_travels(g, &lists->travels);
    if ((rows->kinds & ROW_SPIN) && list_call(&lists->spins, &rows->spin, weight))
        run_spins(g, &lists->spins);
    if ((rows->kinds & ROW_LIFT) && list_call(&lists->lifts, &rows->lift, weight))
        run_lifts(g, &lists->lifts);
    if (rows->scalar_slots)
        run_scalar(g, rows, joint, weight);
}

static void run_joints(group_state* g) {
    const limber_rig* rig = &g->d->model->rig;
    const limberi_deform_frame* f = g->f;
    joint_lists lists;
    open_lists(g, &lists);
    for (uint32_t c = 0; c < g->group->chain_count; c++) {
        limberi_chain chain = g->groups->chains[g->group->chain_first + c];
        const float* weight = limberi_group_weight(g->groups, g->group, g->scratch->sums, chain.weight);
        int32_t j = f->acting[chain.first];
        while (j > chain.stop) {
            run_joint(g, &lists, (uint32_t)j, weight);
            j = rig->parents[j] < 0 ? -1 : f->acting[rig->parents[j]];
        }
    }
    run_lists(g, &lists);
}

// --- all of it ---

static void clear_rows(float (*rows)[LIMBER_BLOCK], int count, uint32_t width) {
    for (int r = 0; r < count; r++)
        memset(rows[r], 0, width * sizeof rows[r][0]);
}

static void sum_effects(group_state* g, uint32_t folds, bool acts) {
    bool begun = false;
    static const uint32_t slot_of_fold[FOLD_COUNT] = {
        0, LIMBER_EFFECT_FLOPPY, LIMBER_EFFECT_DRAG, LIMBER_EFFECT_FOLLOWTHROUGH, LIMBER_EFFECT_STRETCH, 0};
    for (int fold = 0; fold < FOLD_VELOCITY; fold++) { // the first palette starts the sums
        if (!(folds >> fold & 1))
            continue;
        limberi_affine_use use = begun ? LIMBERI_AFFINE_ADD : LIMBERI_AFFINE_SET;
        begun = true;
        if (g->block.slopes && use == LIMBERI_AFFINE_SET && g->f->shift_only[fold])
            clear_rows(g->block.slopes->v, 9, g->group->width);
        run_fold(g, &g->block, fold,
                 fold == FOLD_CONSTANT ? NULL : gain_of(g, slot_of_fold[fold], fold == FOLD_STRETCH ? 1 : 0), use);
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

// Kernels have derivatives of their own, but for lift along a cone, whose normals change with the place. What runs by
// scalar functions has none.
static bool has_derivatives(const limber_deformer* d) {
    const limber_effect_settings* lift = &d->settings.effects[LIMBER_EFFECT_LIFT];
    const limber_effect_settings* source = &d->settings.effects[LIMBER_EFFECT_STRETCH];
    const limber_kinematics* const* motion = d->frame.job.motion;
    if (d->plans[LIMBER_EFFECT_LIFT].active &&
        (lift->normals != LIMBER_LIFT_MESH || source->profile != LIMBER_PROFILE_LINEAR ||
         motion[LIMBER_EFFECT_STRETCH] != motion[LIMBER_EFFECT_LIFT]))
        return false;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT + d->settings.custom_count; slot++)
        if (d->plans[slot].active && d->plans[slot].scalar)
            return false;
    return true;
}

bool limberi_deform_reads_normals(const limber_deformer* d) {
    const limber_effect_settings* lift = &d->settings.effects[LIMBER_EFFECT_LIFT];
    return d->settings.custom_count || (d->slot_active[LIMBER_EFFECT_LIFT] && lift->normals == LIMBER_LIFT_MESH);
}

static bool open_group(group_state* g, const limber_deformer* d, uint32_t mesh, uint32_t group) {
    g->d = d;
    g->f = &d->frame;
    g->kernels = kernels_of(d->variant);
    g->mesh = &d->sorted[mesh];
    g->mesh_index = mesh;
    g->groups = g->mesh->groups;
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
    if (!acts && !(folds & ~(1u << FOLD_VELOCITY)))
        return false;
    g.scratch = scratch;
    g.normal = normal;
    g.block.position = position;
    g.block.displacement = &displacement;
    if (!acts && !jacobian && d->frame.calm && (folds & ~(1u << FOLD_VELOCITY)) == 1u << FOLD_CONSTANT) {
        run_fold(&g, &g.block, FOLD_CONSTANT, NULL, LIMBERI_AFFINE_MOVE);
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
