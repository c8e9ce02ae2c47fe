// Smears as drawn: made with the smearer, run after everything else on the frame on show.
#include "smear/drawn.h"

#include <string.h>

static limber_result build(limberi_drawn_builder* b) {
    const limber_model* model = b->smearer->model;
    b->rest = LIMBERI_ALLOCATE(&b->scratch, float, 3 * (size_t)model->vertex_count);
    b->drawn->areas = LIMBERI_ALLOCATE(&b->smearer->arena, float, model->vertex_count);
    if (!b->rest || !b->drawn->areas)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        limber_mesh_rest_positions(model, mesh, b->rest + 3 * (size_t)mesh->first_vertex);
        if (!limberi_smear_skips(b->smearer, mesh))
            memcpy(b->drawn->areas + mesh->first_vertex, mesh->areas, mesh->vertex_count * sizeof(float));
    }
    limber_result result = limberi_drawn_find_parts(b);
    if (!result)
        result = limberi_drawn_place_stations(b);
    if (!result)
        result = limberi_drawn_find_edges(b);
    return result ? result : limberi_drawn_open_ribbons(b->smearer);
}

bool limberi_smear_draws(const limber_smear_settings* settings) {
    const limber_smear_drawn_settings* set = &settings->drawn;
    return set->stretch > 0 || set->body > 0 || set->ribbon > 0 || set->strokes > 0;
}

limber_result limberi_smear_prepare_drawn(limber_smearer* s) {
    if (!limberi_smear_draws(&s->settings) || !s->model->rig.joint_count)
        return LIMBER_OK;
    s->drawn = LIMBERI_ALLOCATE(&s->arena, struct limberi_drawn, 1);
    if (!s->drawn)
        return LIMBER_ERROR_MEMORY;
    s->drawn->smearer = s;
    limberi_drawn_builder builder;
    memset(&builder, 0, sizeof builder);
    builder.smearer = s;
    builder.drawn = s->drawn;
    limber_result result = build(&builder);
    limberi_arena_free(&builder.scratch);
    return result;
}

struct limberi_drawn* limberi_smearer_drawn(limber_smearer* s) {
    return s->drawn;
}

void limberi_drawn_run(limber_smearer* s, const limberi_drawn_grid* grid, const limberi_drawn_point* const* samples,
                       const float* now, float* positions) {
    struct limberi_drawn* d = s->drawn;
    d->samples = samples;
    d->sample_count = grid->count;
    d->now = grid->now;
    d->per_step = grid->per_step;
    limberi_drawn_measure(d, now);
    limberi_drawn_stretch(d, now, positions);
    s->moved = s->moved || d->moved;
    if (d->positions)
        limberi_drawn_ribbons(d, &s->meshes[s->mesh_count - 1]);
}
