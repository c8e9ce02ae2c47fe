// Re-averaged normals. The normals a file came with may be anything an artist wanted, so they are not replaced but
// turned: by the rotation that leads from the surface's averaged normal before the effects to the one after. Vertices
// at one place with one normal (cut there only for texture seams) turn together; hard edges stay hard.
#include "deform/deform_private.h"

#include <string.h>

limber_result limberi_prepare_welds(limber_deformer* d) {
    const limber_model* model = d->model;
    d->variant = limberi_variant_best();
    d->welds = LIMBERI_ALLOCATE(&d->arena, limberi_mesh_welds, model->mesh_count);
    for (uint32_t m = 0; d->welds && m < model->mesh_count; m++)
        if (limberi_mesh_welds_make(&d->weld_arena, &model->meshes[m], &d->welds[m]))
            return LIMBER_ERROR_MEMORY;
    return d->arena.failed || d->weld_arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

limber_result limberi_borrow_welds(limber_deformer* d, const limber_deformer* other) {
    d->welds = LIMBERI_ALLOCATE(&d->arena, limberi_mesh_welds, d->model->mesh_count);
    if (!d->welds)
        return LIMBER_ERROR_MEMORY;
    memcpy(d->welds, other->welds, d->model->mesh_count * sizeof *d->welds);
    d->borrows_welds = true;
    return LIMBER_OK;
}

void limberi_deformer_inherit(limber_deformer* d, limber_deformer* from) {
    if (!d->borrows_welds)
        return;
    d->weld_arena = from->weld_arena;
    d->borrows_welds = from->borrows_welds;
    memset(&from->weld_arena, 0, sizeof from->weld_arena);
    from->welds = NULL;
}

void limberi_average_mark(const limber_deformer* d, uint32_t m, uint32_t group, bool moved) {
    d->welds[m].moved[group] = moved;
}

uint32_t limberi_average_chunks(const limber_deformer* d) {
    uint32_t count = 0;
    for (uint32_t m = 0; m < d->model->mesh_count; m++)
        count += d->welds[m].chunk_count;
    return count;
}

static bool chunk_moved(const limberi_mesh_welds* welds, const limberi_weld_chunk* chunk) {
    for (uint32_t i = 0; i < chunk->group_count; i++)
        if (welds->moved[welds->groups[chunk->group_first + i]])
            return true;
    return false;
}

static void average_chunk(const limber_deformer* d, const limber_deform_job* job, uint32_t m, uint32_t index) {
    const limberi_mesh_welds* welds = &d->welds[m];
    const limberi_weld_chunk* chunk = &welds->chunks[index];
    size_t at = 3 * ((size_t)d->model->meshes[m].first_vertex + chunk->base);
    limberi_average_input in;
    if (!chunk_moved(welds, chunk))
        return;
    in.wide = chunk->wide;
    in.before = job->positions + at;
    in.after = job->out_positions + at;
    in.normals = job->normals + at;
    in.out_normals = job->out_normals + at;
    for (uint32_t r = 0; r < chunk->run_count; r++) {
        in.run = &welds->runs[chunk->run_first + r];
        in.rings = welds->rings + in.run->fan_first;
        in.entries = welds->entries + in.run->entry_first;
        if (d->variant == LIMBERI_VARIANT_PLAIN)
            limberi_average_run_plain(&in);
        else
            limberi_average_run_wide(&in);
    }
}

void limberi_average_normals(const limber_deformer* d, const limber_deform_job* job, uint32_t first, uint32_t end) {
    uint32_t start = 0;
    for (uint32_t m = 0; m < d->model->mesh_count; m++) {
        uint32_t count = d->welds[m].chunk_count;
        for (uint32_t i = first > start ? first : start; i < end && i < start + count; i++)
            average_chunk(d, job, m, i - start);
        start += count;
    }
}

void limberi_average_everywhere(const limber_deformer* d, const limber_deform_job* job) {
    for (uint32_t m = 0; m < d->model->mesh_count; m++)
        memset(d->welds[m].moved, 1, d->model->meshes[m].groups->group_count);
    limberi_average_normals(d, job, 0, limberi_average_chunks(d));
}
