// A few vertices of a frame whose others the GPU moves: the CPU has to know where effects put them.
#include "pipeline/probes.h"

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

static const struct limberi_groups** make_groups(const limber_pipeline* p, const uint32_t* vertices, uint32_t count,
                                                 limberi_arena* arena) {
    limberi_arena scratch = {NULL, false};
    uint8_t* is_probe = LIMBERI_ALLOCATE(&scratch, uint8_t, p->model->vertex_count);
    uint32_t* list = LIMBERI_ALLOCATE(&scratch, uint32_t, p->model->vertex_count);
    const struct limberi_groups** groups = LIMBERI_ALLOCATE(arena, const struct limberi_groups*, p->model->mesh_count);
    limberi_ancestors tree;
    bool memory = limberi_ancestors_make(&scratch, &p->model->rig, &tree) && groups;
    for (uint32_t i = 0; memory && i < count; i++)
        is_probe[vertices[i]] = 1;
    for (uint32_t m = 0; memory && m < p->model->mesh_count; m++) {
        groups[m] = group_mesh(p, &p->model->meshes[m], &tree, is_probe, list, arena);
        memory = groups[m] != NULL;
    }
    limberi_arena_free(&scratch);
    return memory ? groups : NULL;
}

// The arena of the probes may hold groups already.
static limber_result open_groups(const limber_pipeline* p, const struct limberi_groups* const* groups,
                                 limberi_probe_places places, limberi_probes* probes) {
    uint32_t meshes = p->model->mesh_count;
    probes->groups = groups;
    probes->skinned = places.skinned;
    probes->deformed = places.deformed;
    probes->first_group = LIMBERI_ALLOCATE(&probes->arena, uint32_t, (size_t)meshes + 1);
    for (uint32_t m = 0; groups && probes->first_group && m < meshes; m++)
        probes->first_group[m + 1] = probes->first_group[m] + groups[m]->group_count;
    if (probes->first_group)
        probes->shown = LIMBERI_ALLOCATE(&probes->arena, uint8_t, probes->first_group[meshes]);
    bool memory = groups && !probes->arena.failed;
    limber_result result =
        memory ? limberi_deform_subset_create(p->deformer, groups, &probes->subset) : LIMBER_ERROR_MEMORY;
    if (result)
        limberi_probes_destroy(probes);
    return result;
}

limber_result limberi_probes_create(const limber_pipeline* p, const uint32_t* vertices, uint32_t count,
                                    limberi_probe_places places, limberi_probes* probes) {
    memset(probes, 0, sizeof *probes);
    if (!count)
        return LIMBER_OK;
    return open_groups(p, make_groups(p, vertices, count, &probes->arena), places, probes);
}

limber_result limberi_probes_create_of(const limber_pipeline* p, const struct limberi_groups* const* groups,
                                       limberi_probe_places places, limberi_probes* probes) {
    memset(probes, 0, sizeof *probes);
    return groups ? open_groups(p, groups, places, probes) : LIMBER_OK;
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

enum { SHOWN_SKINNED = 1, SHOWN_MOVED };

void limberi_probes_begin(const limber_pipeline* p, bool moves, limberi_probes* probes) {
    const limberi_group_work work = {
        .p = p, .groups = probes->groups, .deformed = probes->deformed, .skinned = probes->skinned, .moves = moves};
    if (!probes->groups)
        return;
    probes->work = work;
    memset(probes->shown, 0, probes->first_group[p->model->mesh_count]);
}

// Before effects run, or somebody asks how far.
static void need_effects(limberi_probes* probes) {
    limberi_group_work* w = &probes->work;
    if (w->deformer)
        return;
    w->deformer = limberi_deform_subset_begin(probes->subset, &probes->scratch);
    w->own_normals = w->moves && limberi_deform_reads_normals(w->deformer, w->p->lift_normals != NULL);
}

void limberi_probes_show(limberi_probes* probes, uint32_t mesh, uint32_t group, bool moved) {
    uint8_t* shown = &probes->shown[probes->first_group[mesh] + group];
    uint8_t wanted = moved ? SHOWN_MOVED : SHOWN_SKINNED;
    if (*shown >= wanted)
        return;
    if (moved) {
        need_effects(probes);
        limberi_pipeline_run_group(&probes->work, mesh, group, probes->scratch);
    } else {
        limberi_pipeline_skin_group(&probes->work, mesh, group);
    }
    *shown = wanted;
}

void limberi_probes_show_all(limberi_probes* probes, bool moved) {
    for (uint32_t m = 0; probes->groups && m < probes->work.p->model->mesh_count; m++)
        for (uint32_t g = 0; g < probes->groups[m]->group_count; g++)
            limberi_probes_show(probes, m, g, moved);
}

bool limberi_probes_reach(limberi_probes* probes, uint32_t mesh, uint32_t group, const float middle[3],
                          const float half[3], float reach[3]) {
    const limberi_group_work* w = &probes->work;
    if (w->p->is_late && w->p->mesh_is_late[mesh])
        return false;
    memset(reach, 0, 3 * sizeof *reach);
    need_effects(probes);
    return !w->moves || limberi_deform_group_reach(w->deformer, mesh, group, probes->scratch, middle, half, reach);
}
