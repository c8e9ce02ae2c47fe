// Re-averaged normals. The normals a file came with may be anything an artist wanted, so they are not replaced but
// turned: by the rotation that leads from the surface's averaged normal before the effects to the one after. Vertices
// at one place with one normal (cut there only for texture seams) turn together; hard edges stay hard.
#include "deform/deform_private.h"

#include <stdlib.h>
#include <string.h>

static const float same_normal = 0.996f; // cosine of 5 degrees

static uint32_t hash_place(const float* p) {
    uint32_t h = 2166136261u;
    for (int i = 0; i < 3; i++) {
        float value = p[i] + 0.0f; // -0 and 0 are one place
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        h = (h ^ bits) * 16777619u;
        h ^= h >> 15;
    }
    return h;
}

static bool same_point(const limber_mesh* mesh, uint32_t a, uint32_t b) {
    for (int c = 0; c < 3; c++)
        if (mesh->positions[3 * (size_t)a + (size_t)c] != mesh->positions[3 * (size_t)b + (size_t)c])
            return false;
    limber_vec3 m = limberi_load3(mesh->normals + 3 * (size_t)a), n = limberi_load3(mesh->normals + 3 * (size_t)b);
    return limberi_dot(m, n) > same_normal * limberi_length(m) * limberi_length(n);
}

static limber_result weld_mesh(limberi_arena* arena, const limber_mesh* mesh, limberi_mesh_weld* weld) {
    uint32_t size = 16;
    while (size < 2 * mesh->vertex_count && size < 1u << 31)
        size *= 2;
    uint32_t* table = malloc(size * sizeof *table); // vertex + 1 of a group's first member, by hash
    weld->group = LIMBERI_TAKE(arena, uint32_t, mesh->vertex_count);
    if (!table || !weld->group) {
        free(table);
        return LIMBER_ERROR_MEMORY;
    }
    memset(table, 0, size * sizeof *table);
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        uint32_t slot = hash_place(mesh->positions + 3 * (size_t)u) & (size - 1);
        while (table[slot] && !same_point(mesh, table[slot] - 1, u))
            slot = (slot + 1) & (size - 1);
        if (!table[slot]) {
            table[slot] = u + 1;
            weld->group[u] = weld->group_count++;
        } else {
            weld->group[u] = weld->group[table[slot] - 1];
        }
    }
    free(table);
    return LIMBER_OK;
}

limber_result limberi_prepare_welds(limber_deformer* d) {
    uint32_t most = 0;
    d->welds = LIMBERI_TAKE(&d->arena, limberi_mesh_weld, d->model->mesh_count);
    for (uint32_t m = 0; d->welds && m < d->model->mesh_count; m++) {
        if (weld_mesh(&d->arena, &d->model->meshes[m], &d->welds[m]))
            return LIMBER_ERROR_MEMORY;
        most = d->welds[m].group_count > most ? d->welds[m].group_count : most;
    }
    d->before = LIMBERI_TAKE(&d->arena, float, 3 * (size_t)most);
    d->after = LIMBERI_TAKE(&d->arena, float, 3 * (size_t)most);
    return d->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

static void sum_faces(const limber_mesh* mesh, const limberi_mesh_weld* weld, const float* positions, float* sums) {
    memset(sums, 0, 3 * (size_t)weld->group_count * sizeof *sums);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t* v = mesh->triangles + 3 * (size_t)t;
        limber_vec3 a = limberi_load3(positions + 3 * (size_t)v[0]);
        limber_vec3 ab = limberi_sub(limberi_load3(positions + 3 * (size_t)v[1]), a);
        limber_vec3 ac = limberi_sub(limberi_load3(positions + 3 * (size_t)v[2]), a);
        limber_vec3 face = limberi_cross(ab, ac);
        for (int i = 0; i < 3; i++) {
            float* sum = sums + 3 * (size_t)weld->group[v[i]];
            limberi_store3(sum, limberi_add(limberi_load3(sum), face));
        }
    }
}

// n turned by the shortest rotation from a to b (unit vectors).
static limber_vec3 turn(limber_vec3 n, limber_vec3 a, limber_vec3 b) {
    float cosine = limberi_dot(a, b);
    if (cosine < -0.999f) // opposite: half a turn has no shortest way, the flipped normal is the answer that matters
        return limberi_scale(n, -1);
    limber_vec3 v = limberi_cross(a, b), once = limberi_cross(v, n);
    limber_vec3 twice = limberi_cross(v, once);
    return limberi_normalize(limberi_add(limberi_add(n, once), limberi_scale(twice, 1 / (1 + cosine))));
}

void limberi_average_normals(limber_deformer* d, const limber_deform_job* job, const limber_mesh* mesh,
                             uint32_t mesh_index) {
    const limberi_mesh_weld* weld = &d->welds[mesh_index];
    size_t at = 3 * (size_t)mesh->first_vertex;
    sum_faces(mesh, weld, job->positions + at, d->before);
    sum_faces(mesh, weld, job->out_positions + at, d->after);
    for (size_t u = 0; u < mesh->vertex_count; u++) {
        const float* before = d->before + 3 * (size_t)weld->group[u];
        const float* after = d->after + 3 * (size_t)weld->group[u];
        if (memcmp(before, after, 3 * sizeof *before) == 0)
            continue;
        limber_vec3 a = limberi_normalize(limberi_load3(before)), b = limberi_normalize(limberi_load3(after));
        limber_vec3 n = limberi_load3(job->normals + at + 3 * u);
        if (limberi_dot(a, a) > 0.5f && limberi_dot(b, b) > 0.5f)
            limberi_store3(job->out_normals + at + 3 * u, turn(n, a, b));
    }
}
