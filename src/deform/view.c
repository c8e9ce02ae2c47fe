// A deformer as it is, over groups of some of its vertices.
#include "base/memory.h"
#include "deform/deformer.h"

#include <string.h>

struct limberi_deform_view {
    const limber_deformer* of;
    limber_deformer seen; // a copy of it, but for what is in the order of groups; its arena has that
};

// What follows the order of groups moves over from the last copy.
static void look(limberi_deform_view* view) {
    limber_deformer copy = *view->of;
    copy.arena = view->seen.arena;
    copy.groups = view->seen.groups;
    copy.names = view->seen.names;
    copy.sorted = view->seen.sorted;
    copy.layers = view->seen.layers;
    copy.scratch = view->seen.scratch;
    copy.averager = NULL;
    view->seen = copy;
}

limber_result limberi_deform_view_create(const limber_deformer* of, const struct limberi_groups* const* groups,
                                         limberi_deform_view** view) {
    *view = NULL;
    limberi_deform_view* made = limberi_allocate_zeroed(1, sizeof *made);
    if (!made)
        return LIMBER_ERROR_MEMORY;
    made->of = of;
    made->seen.groups = groups;
    look(made);
    if (of->active && (limberi_prepare_sorted(&made->seen) ||
                       !limberi_scratch_allocate(&made->seen.arena, &made->seen, &made->seen.scratch))) {
        limberi_deform_view_destroy(made);
        return LIMBER_ERROR_MEMORY;
    }
    *view = made;
    return LIMBER_OK;
}

void limberi_deform_view_destroy(limberi_deform_view* view) {
    if (!view)
        return;
    limberi_arena_free(&view->seen.arena);
    limberi_release(view);
}

void limberi_deform_view_repaint(limberi_deform_view* view) {
    const limber_model* model = view->of->model;
    for (uint32_t m = 0; view->seen.sorted && m < model->mesh_count; m++)
        for (uint32_t l = 0; l < model->meshes[m].layer_count; l++)
            limberi_sort_layer(&view->seen, m, l);
}

const limber_deformer* limberi_deform_view_begin(limberi_deform_view* view, limberi_deform_scratch** scratch) {
    look(view);
    *scratch = &view->seen.scratch;
    return &view->seen;
}
