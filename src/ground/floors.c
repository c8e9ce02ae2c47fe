// The floor of a clip: given, its own, or the one that other clips of the file stand on.
#include "ground/contacts_private.h"

#include "base/arena.h"
#include "base/memory.h"

#include <stdlib.h>

typedef struct floors {
    limberi_memo_item memo;
    double usual; // the level that most clips have; NAN: none has any
    limberi_floor of_clip[];
} floors;

static void destroy_floors(limberi_memo_item* item) {
    limberi_release(item);
}

static limber_result find_floor(const limberi_support* support, const limber_clip* clip, bool loops,
                                limberi_floor* floor) {
    limberi_grid grid = limberi_contact_grid(support, clip, loops);
    limberi_trace trace;
    limber_result result = limberi_trace_make(support, clip, &grid, NULL, NULL, &trace);
    if (result)
        return result;
    result = limberi_floor_find(&trace, floor);
    limberi_trace_free(&trace);
    return result;
}

// One level of one clip.
typedef struct level {
    double height;
    uint32_t clip, order;
} level;

static int compare_levels(const void* a, const void* b) {
    const level *x = a, *y = b;
    if (x->height != y->height)
        return x->height < y->height ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

static uint32_t list_levels(const floors* all, uint32_t clips, level* list) {
    uint32_t count = 0;
    for (uint32_t c = 0; c < clips; c++)
        for (uint32_t i = 0; i < all->of_clip[c].level_count; i++) {
            double height = all->of_clip[c].levels[i];
            if (isfinite(height) && list)
                list[count] = (level){height, c, count};
            count += isfinite(height) ? 1 : 0;
        }
    return count;
}

// The level that most clips have, the first of them. Levels that are as good as the same lie in a window of the sorted
// list, which goes along with them. The level itself is always inside, whatever the scale of an extreme character is.
static double most_common(const level* list, uint32_t count, double scale, uint32_t* in_window) {
    uint32_t low = 0, high = 0, clips = 0, most = 0, first = 0;
    double usual = NAN;
    for (uint32_t i = 0; i < count; i++) {
        for (; high < count && (high <= i || limberi_floor_same(list[high].height, list[i].height, scale)); high++)
            clips += in_window[list[high].clip]++ == 0;
        for (; low < i && !limberi_floor_same(list[low].height, list[i].height, scale); low++)
            clips -= --in_window[list[low].clip] == 0;
        if (clips > most || (clips == most && list[i].order < first)) {
            most = clips;
            first = list[i].order;
            usual = list[i].height;
        }
    }
    return usual;
}

static bool usual_level(floors* all, uint32_t clips, double scale) {
    limberi_arena scratch = {NULL, false};
    uint32_t count = list_levels(all, clips, NULL);
    level* list = LIMBERI_ALLOCATE(&scratch, level, count);
    uint32_t* in_window = LIMBERI_ALLOCATE(&scratch, uint32_t, clips);
    bool memory = list && in_window;
    all->usual = NAN;
    if (memory && count) {
        list_levels(all, clips, list);
        qsort(list, count, sizeof *list, compare_levels);
        all->usual = most_common(list, count, scale, in_window);
    }
    limberi_arena_free(&scratch);
    return memory;
}

typedef struct floor_work {
    const limber_model* model;
    const limberi_support* support;
    floors* made;
    atomic_bool failed;
} floor_work;

static void find_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    floor_work* w = user;
    (void)worker;
    for (uint32_t c = first; c < end; c++)
        if (find_floor(w->support, &w->model->clips[c], w->model->clips[c].loops, &w->made->of_clip[c]))
            atomic_store(&w->failed, true);
}

static floors* make_floors(const limber_model* model, const limberi_support* support, const limber_parallel* parallel) {
    floors* made = limberi_allocate_zeroed(1, sizeof *made + model->clip_count * sizeof made->of_clip[0]);
    floor_work work = {.model = model, .support = support, .made = made};
    if (made && parallel && parallel->run && model->clip_count > 1)
        parallel->run(parallel->pool, model->clip_count, 1, find_some, &work);
    else if (made)
        find_some(&work, 0, model->clip_count, 0);
    if (made && !atomic_load(&work.failed) && usual_level(made, model->clip_count, support->scale)) {
        made->memo.destroy = destroy_floors;
        return made;
    }
    limberi_release(made);
    return NULL;
}

// Clips of a file stand on the same floor: one that only leaps has it from the others. All other levels are their own:
// a sword's tip below the floor in one clip says nothing about the next.
static const floors* floors_of(const limber_asset* asset, const limberi_support* support,
                               const limber_parallel* parallel) {
    limberi_memo* memo = limberi_asset_memo(asset, LIMBERI_MEMO_FLOORS);
    limberi_memo_item* known = atomic_load(&memo->item);
    if (known)
        return (floors*)(void*)known;
    floors* made = make_floors(limber_asset_model(asset), support, parallel);
    return made ? (floors*)(void*)limberi_memo_keep(memo, &made->memo) : NULL;
}

limber_result limberi_floors_find(const limber_asset* asset, const limberi_support* support,
                                  const limber_parallel* parallel) {
    return floors_of(asset, support, parallel) ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

limber_result limberi_floor_choose(const limber_asset* asset, const limberi_support* support, const limber_clip* clip,
                                   int32_t index, bool loops, const limber_contact_settings* settings,
                                   limberi_floor* floor) {
    if (settings->floor == LIMBER_FLOOR_NONE)
        return LIMBER_OK;
    const floors* all = index >= 0 ? floors_of(asset, support, NULL) : NULL;
    if (index >= 0 && !all)
        return LIMBER_ERROR_MEMORY;
    if (all)
        *floor = all->of_clip[index];
    else if (find_floor(support, clip, loops, floor))
        return LIMBER_ERROR_MEMORY;
    bool given = settings->floor == LIMBER_FLOOR_GIVEN, usual = !given && !floor->level_count && all;
    if (given || (usual && !isnan(all->usual))) {
        floor->level_count = 1;
        floor->levels[0] = given ? (double)settings->height : all->usual;
    }
    return LIMBER_OK;
}
