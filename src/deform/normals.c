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

// The corners of triangles at each group, so that sums can be gathered by any number of threads, always in one order.
static limber_result list_faces(limberi_arena* arena, const limber_mesh* mesh, limberi_mesh_weld* weld) {
    weld->face_first = LIMBERI_TAKE(arena, uint32_t, (size_t)weld->group_count + 2);
    weld->faces = LIMBERI_TAKE(arena, uint32_t, 3 * (size_t)mesh->triangle_count);
    if (arena->failed)
        return LIMBER_ERROR_MEMORY;
    size_t corners = 3 * (size_t)mesh->triangle_count;
    uint32_t* next = weld->face_first + 1; // ends up as the end of each group, which is the start of the one after
    for (size_t c = 0; c < corners; c++)
        next[weld->group[mesh->triangles[c]] + 1]++;
    for (uint32_t g = 0; g < weld->group_count; g++)
        next[g + 1] += next[g];
    for (size_t c = 0; c < corners; c++)
        weld->faces[next[weld->group[mesh->triangles[c]]]++] = (uint32_t)(c / 3);
    return LIMBER_OK;
}

limber_result limberi_prepare_welds(limber_deformer* d) {
    uint32_t most = 0;
    d->welds = LIMBERI_TAKE(&d->arena, limberi_mesh_weld, d->model->mesh_count);
    for (uint32_t m = 0; d->welds && m < d->model->mesh_count; m++) {
        const limber_mesh* mesh = &d->model->meshes[m];
        if (weld_mesh(&d->arena, mesh, &d->welds[m]) || list_faces(&d->arena, mesh, &d->welds[m]))
            return LIMBER_ERROR_MEMORY;
        most = mesh->triangle_count > most ? mesh->triangle_count : most;
    }
    d->faces = LIMBERI_TAKE(&d->arena, limberi_face, most);
    return d->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

static limber_vec3 face_normal(const uint32_t* v, const float* positions) {
    limber_vec3 a = limberi_load3(positions + 3 * (size_t)v[0]);
    limber_vec3 ab = limberi_sub(limberi_load3(positions + 3 * (size_t)v[1]), a);
    limber_vec3 ac = limberi_sub(limberi_load3(positions + 3 * (size_t)v[2]), a);
    return limberi_cross(ab, ac);
}

void limberi_average_faces(limber_deformer* d, const limber_deform_job* job, uint32_t m, uint32_t first, uint32_t end) {
    const limber_mesh* mesh = &d->model->meshes[m];
    size_t at = 3 * (size_t)mesh->first_vertex;
    for (uint32_t t = first; t < end; t++) {
        const uint32_t* v = mesh->triangles + 3 * (size_t)t;
        d->faces[t].before = face_normal(v, job->positions + at);
        d->faces[t].after = face_normal(v, job->out_positions + at);
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

void limberi_average_normals(limber_deformer* d, const limber_deform_job* job, uint32_t m, uint32_t first,
                             uint32_t end) {
    const limber_mesh* mesh = &d->model->meshes[m];
    const limberi_mesh_weld* weld = &d->welds[m];
    size_t at = 3 * (size_t)mesh->first_vertex;
    for (size_t u = first; u < end; u++) {
        limber_vec3 before = limberi_vec3(0, 0, 0), after = before;
        uint32_t group = weld->group[u];
        for (uint32_t i = weld->face_first[group]; i < weld->face_first[group + 1]; i++) {
            before = limberi_add(before, d->faces[weld->faces[i]].before);
            after = limberi_add(after, d->faces[weld->faces[i]].after);
        }
        if (memcmp(&before, &after, sizeof before) == 0)
            continue;
        limber_vec3 a = limberi_normalize(before), b = limberi_normalize(after);
        limber_vec3 n = limberi_load3(job->normals + at + 3 * u);
        if (limberi_dot(a, a) > 0.5f && limberi_dot(b, b) > 0.5f)
            limberi_store3(job->out_normals + at + 3 * u, turn(n, a, b));
    }
}

void limberi_average_mesh(limber_deformer* d, const limber_deform_job* job, uint32_t m) {
    limberi_average_faces(d, job, m, 0, d->model->meshes[m].triangle_count);
    limberi_average_normals(d, job, m, 0, d->model->meshes[m].vertex_count);
}
