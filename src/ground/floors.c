// The floor of a clip: given, its own, or the one that other clips of the file stand on.
#include "ground/contacts_private.h"

#include "base/memory.h"

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

static uint32_t clips_on(const floors* all, uint32_t clips, double level, double scale) {
    uint32_t count = 0;
    for (uint32_t c = 0; c < clips; c++) {
        bool has = false;
        for (uint32_t i = 0; i < all->of_clip[c].level_count; i++)
            has |= limberi_floor_same(all->of_clip[c].levels[i], level, scale);
        count += has;
    }
    return count;
}

static double usual_level(const floors* all, uint32_t clips, double scale) {
    double usual = NAN;
    uint32_t most = 0;
    for (uint32_t c = 0; c < clips; c++)
        for (uint32_t i = 0; i < all->of_clip[c].level_count; i++) {
            uint32_t count = clips_on(all, clips, all->of_clip[c].levels[i], scale);
            if (count > most) {
                most = count;
                usual = all->of_clip[c].levels[i];
            }
        }
    return usual;
}

// Clips of a file stand on the same floor: one that only leaps has it from the others. All other levels are their own:
// a sword's tip below the floor in one clip says nothing about the next.
static const floors* floors_of(const limber_asset* asset, const limberi_support* support) {
    const limber_model* model = limber_asset_model(asset);
    limberi_memo* memo = limberi_asset_memo(asset, LIMBERI_MEMO_FLOORS);
    limberi_memo_item* known = atomic_load(&memo->item);
    if (known)
        return (floors*)(void*)known;
    floors* made = limberi_allocate_zeroed(1, sizeof *made + model->clip_count * sizeof made->of_clip[0]);
    for (uint32_t c = 0; made && c < model->clip_count; c++) {
        if (find_floor(support, &model->clips[c], model->clips[c].loops, &made->of_clip[c])) {
            limberi_release(made);
            return NULL;
        }
    }
    if (!made)
        return NULL;
    made->usual = usual_level(made, model->clip_count, support->scale);
    made->memo.destroy = destroy_floors;
    return (floors*)(void*)limberi_memo_keep(memo, &made->memo);
}

limber_result limberi_floor_choose(const limber_asset* asset, const limberi_support* support, const limber_clip* clip,
                                   int32_t index, bool loops, const limber_contact_settings* settings,
                                   limberi_floor* floor) {
    if (settings->floor == LIMBER_FLOOR_NONE)
        return LIMBER_OK;
    const floors* all = index >= 0 ? floors_of(asset, support) : NULL;
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
