// Re-averaged normals. The normals a file came with may be anything an artist wanted, so they are not replaced but
// turned: by the rotation that leads from the surface's averaged normal before the effects to the one after. Vertices
// at one place with one normal (cut there only for texture seams) turn together; hard edges stay hard.
#include "deform/normals/averager.h"
#include "asset/groups.h"
#include "base/memory.h"
#include "deform/normals/welds.h"

#include <string.h>

struct limberi_averager {
    limberi_arena arena;
    const limber_model* model;
    const struct limberi_groups* const* groups; // [mesh]
    uint32_t chunk_count;                       // of all meshes
    limberi_mesh_welds welds[];                 // [mesh]
};

limberi_averager* limberi_averager_create(const limber_asset* asset) {
    const limber_model* model = limber_asset_model(asset);
    limberi_averager* made = limberi_allocate_zeroed(1, sizeof *made + model->mesh_count * sizeof made->welds[0]);
    if (!made)
        return NULL;
    made->model = model;
    made->groups = limberi_asset_groups(asset);
    for (uint32_t m = 0; !made->arena.failed && m < model->mesh_count; m++)
        if (limberi_mesh_welds_make(&made->arena, &model->meshes[m], made->groups[m], &made->welds[m]))
            made->arena.failed = true;
    for (uint32_t m = 0; !made->arena.failed && m < model->mesh_count; m++) {
        made->welds[m].first_chunk = made->chunk_count;
        made->chunk_count += made->welds[m].chunk_count;
    }
    if (!made->arena.failed)
        return made;
    limberi_averager_destroy(made);
    return NULL;
}

limberi_averager* limberi_averager_clone(const limberi_averager* other) {
    size_t bytes = sizeof *other + other->model->mesh_count * sizeof other->welds[0];
    limberi_averager* made = limberi_allocate(bytes);
    if (!made)
        return NULL;
    memcpy(made, other, bytes);
    memset(&made->arena, 0, sizeof made->arena);
    for (uint32_t m = 0; m < made->model->mesh_count; m++)
        made->welds[m].moved = LIMBERI_ALLOCATE(&made->arena, uint8_t, made->groups[m]->group_count + (size_t)1);
    if (!made->arena.failed)
        return made;
    limberi_averager_destroy(made);
    return NULL;
}

void limberi_averager_destroy(limberi_averager* averager) {
    if (!averager)
        return;
    limberi_arena_free(&averager->arena);
    limberi_release(averager);
}

void limberi_averager_mark(limberi_averager* averager, uint32_t mesh, uint32_t group, bool moved) {
    averager->welds[mesh].moved[group] = moved;
}

uint32_t limberi_averager_chunks(const limberi_averager* averager) {
    return averager->chunk_count;
}

static bool chunk_moved(const limberi_mesh_welds* welds, const limberi_weld_chunk* chunk) {
    for (uint32_t i = 0; i < chunk->group_count; i++)
        if (welds->moved[welds->groups[chunk->group_first + i]])
            return true;
    return false;
}

static void run_variant(limberi_variant variant, const limberi_average_input* in) {
#if defined(LIMBERI_HAS_AVX2)
    if (variant == LIMBERI_VARIANT_AVX2) {
        limberi_average_run_avx2(in);
        return;
    }
#endif
    if (limberi_variant_is_plain(variant))
        limberi_average_run_plain(in);
    else
        limberi_average_run_wide(in);
}

static void average_chunk(const limberi_averager* a, const limberi_average_job* job, uint32_t m, uint32_t index) {
    const limberi_mesh_welds* welds = &a->welds[m];
    const limberi_weld_chunk* chunk = &welds->chunks[index];
    size_t at = 3 * ((size_t)a->model->meshes[m].first_vertex + chunk->base);
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
        run_variant(job->variant, &in);
    }
}

// The last mesh that begins at this chunk or before.
static uint32_t mesh_of_chunk(const limberi_averager* a, uint32_t chunk) {
    uint32_t low = 0;
    uint32_t high = a->model->mesh_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (a->welds[middle].first_chunk <= chunk)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void limberi_averager_run(const limberi_averager* a, const limberi_average_job* job, uint32_t first, uint32_t end) {
    uint32_t m = mesh_of_chunk(a, first);
    for (uint32_t i = first; i < end; i++) {
        while (i - a->welds[m].first_chunk >= a->welds[m].chunk_count)
            m++;
        average_chunk(a, job, m, i - a->welds[m].first_chunk);
    }
}

void limberi_averager_run_everywhere(limberi_averager* a, const limberi_average_job* job) {
    memcpy(job->out_normals, job->normals, 3 * (size_t)a->model->vertex_count * sizeof(float));
    for (uint32_t m = 0; m < a->model->mesh_count; m++)
        memset(a->welds[m].moved, 1, a->groups[m]->group_count);
    limberi_averager_run(a, job, 0, limberi_averager_chunks(a));
}
