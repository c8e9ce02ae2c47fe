// The displacements of all joints, added up at the skinned vertices: folded palettes first, then joint by joint up the
// hierarchy.
#include "base/bits.h"
#include "deform/group_state.h"

// --- joints ---

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
            j = rig->parents[j] < 0 ? -1 : f->acting[rig->parents[j]];
        }
    }
    run_lists(g, lists, count);
}

// --- all of it ---

void limberi_sum_effects(limberi_group_state* g, uint32_t folds, bool acts) {
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
