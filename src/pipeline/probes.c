#include "pipeline/probes.h"

#include "base/memory.h"

#include <string.h>

enum { PROBES_PER_TASK = 4 };

static bool has_a_probe(const struct limberi_groups* groups, const limberi_group* group, const uint8_t* is_probe) {
    for (uint32_t i = 0; i < group->count; i++)
        if (is_probe[groups->vertices[group->first + i]])
            return true;
    return false;
}

static void find_groups(const limber_pipeline* p, const uint8_t* is_probe, limberi_probes* probes) {
    for (uint32_t m = 0; m < p->model->mesh_count; m++) {
        const struct limberi_groups* groups = p->groups[m];
        for (uint32_t g = 0; g < groups->group_count; g++)
            if (has_a_probe(groups, &groups->groups[g], is_probe + p->model->meshes[m].first_vertex)) {
                limberi_probe_group found = {m, g};
                probes->groups[probes->count++] = found;
            }
    }
}

limber_result limberi_probes_create(const limber_pipeline* p, const uint32_t* vertices, uint32_t count,
                                    limberi_probes* probes) {
    size_t numbers = 3 * (size_t)p->model->vertex_count;
    memset(probes, 0, sizeof *probes);
    if (!count)
        return LIMBER_OK;
    uint8_t* is_probe = limberi_allocate_zeroed(p->model->vertex_count, 1);
    probes->groups = LIMBERI_ALLOCATE(&probes->arena, limberi_probe_group, p->first_group[p->model->mesh_count]);
    probes->skinned = LIMBERI_ALLOCATE(&probes->arena, float, numbers);
    probes->deformed = LIMBERI_ALLOCATE(&probes->arena, float, numbers);
    bool memory = is_probe && !probes->arena.failed;
    for (uint32_t i = 0; memory && i < count; i++)
        is_probe[vertices[i]] = 1;
    if (memory)
        find_groups(p, is_probe, probes);
    else
        limberi_probes_destroy(probes);
    limberi_release(is_probe);
    return memory ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

void limberi_probes_destroy(limberi_probes* probes) {
    limberi_arena_free(&probes->arena);
    memset(probes, 0, sizeof *probes);
}

typedef struct probe_work {
    limberi_group_work groups;
    const limberi_probes* probes;
} probe_work;

static void run_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const probe_work* w = user;
    for (uint32_t i = first; i < end; i++)
        limberi_pipeline_run_group(&w->groups, w->probes->groups[i].mesh, w->probes->groups[i].group,
                                   &w->groups.p->scratch[worker]);
}

void limberi_probes_run(const limber_pipeline* p, const limberi_probes* probes) {
    probe_work work = {.groups = {.p = p, .deformed = probes->deformed, .skinned = probes->skinned, .moves = true},
                       .probes = probes};
    limberi_pipeline_for(p, probes->count, PROBES_PER_TASK, run_some, &work);
}
