// A few vertices of a frame whose others the GPU moves: the CPU has to know where effects put them.
#include "pipeline/probes.h"

#include "base/memory.h"

#include <string.h>

static const struct limberi_groups* group_mesh(const limber_pipeline* p, const limber_mesh* mesh,
                                               const limberi_ancestors* tree, const uint8_t* is_probe, uint32_t* list,
                                               limberi_arena* arena) {
    uint32_t count = 0;
    for (uint32_t u = 0; u < mesh->vertex_count; u++)
        if (is_probe[mesh->first_vertex + u])
            list[count++] = u;
    return limberi_groups_make_of(arena, p->model, tree, mesh, list, count);
}

static limber_result make_groups(const limber_pipeline* p, const uint32_t* vertices, uint32_t count,
                                 limberi_probes* probes) {
    limberi_arena scratch = {NULL, false};
    uint8_t* is_probe = LIMBERI_ALLOCATE(&scratch, uint8_t, p->model->vertex_count);
    uint32_t* list = LIMBERI_ALLOCATE(&scratch, uint32_t, p->model->vertex_count);
    probes->groups = LIMBERI_ALLOCATE(&probes->arena, const struct limberi_groups*, p->model->mesh_count);
    limberi_ancestors tree;
    bool memory = limberi_ancestors_make(&scratch, &p->model->rig, &tree) && probes->groups;
    for (uint32_t i = 0; memory && i < count; i++)
        is_probe[vertices[i]] = 1;
    for (uint32_t m = 0; memory && m < p->model->mesh_count; m++) {
        probes->groups[m] = group_mesh(p, &p->model->meshes[m], &tree, is_probe, list, &probes->arena);
        memory = probes->groups[m] != NULL;
    }
    limberi_arena_free(&scratch);
    return memory ? limberi_deform_subset_create(p->deformer, probes->groups, &probes->subset) : LIMBER_ERROR_MEMORY;
}

limber_result limberi_probes_create(const limber_pipeline* p, const uint32_t* vertices, uint32_t count,
                                    limberi_probes* probes) {
    size_t numbers = 3 * (size_t)p->model->vertex_count;
    memset(probes, 0, sizeof *probes);
    if (!count)
        return LIMBER_OK;
    probes->skinned = LIMBERI_ALLOCATE(&probes->arena, float, numbers);
    probes->deformed = LIMBERI_ALLOCATE(&probes->arena, float, numbers);
    limber_result result = probes->arena.failed ? LIMBER_ERROR_MEMORY : make_groups(p, vertices, count, probes);
    if (result)
        limberi_probes_destroy(probes);
    return result;
}

void limberi_probes_destroy(limberi_probes* probes) {
    limberi_deform_subset_destroy(probes->subset);
    limberi_arena_free(&probes->arena);
    memset(probes, 0, sizeof *probes);
}

void limberi_probes_repaint(limberi_probes* probes) {
    if (probes->subset)
        limberi_deform_subset_repaint(probes->subset);
}

void limberi_probes_run(const limber_pipeline* p, bool moves, limberi_probes* probes) {
    limberi_group_work work = {
        .p = p, .groups = probes->groups, .deformed = probes->deformed, .skinned = probes->skinned, .moves = moves};
    limberi_deform_scratch* scratch;
    if (!probes->groups)
        return;
    work.deformer = limberi_deform_subset_begin(probes->subset, &scratch);
    work.own_normals = moves && limberi_deform_reads_normals(work.deformer, p->lift_normals != NULL);
    for (uint32_t m = 0; m < p->model->mesh_count; m++)
        for (uint32_t g = 0; g < probes->groups[m]->group_count; g++)
            limberi_pipeline_run_group(&work, m, g, scratch);
}
