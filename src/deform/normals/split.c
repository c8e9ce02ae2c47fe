// Normals for what moves vertices along them: one for all vertices at the same place.
#include "deform/normals/split.h"

#include "asset/asset.h"
#include "base/math.h"
#include "layer/surface.h"

#include <string.h>

static const float same_normal = 1 - 1e-6f; // cosine between normals that count as one: 0.08 degrees
static const float same_weight = 1e-6f;
static const float opposite = 0.1f; // of the number of normals: a shorter sum is that of the two sides of a sheet

// --- where they are split ---

typedef struct finder {
    const limber_model* model;
    limberi_surface surface;
    const limber_mesh** meshes; // [vertex]
    uint32_t* first_of_node;    // [node] its first vertex + 1
    uint32_t* next;             // [vertex] the next one of the node that differs in its weights, + 1
    uint32_t* leader;           // [vertex] the first one with the same place and weights
    uint32_t* members;          // [leader]
    uint8_t* is_split;          // [leader]
} finder;

static bool same_weights(const finder* f, uint32_t a, uint32_t b) {
    const limber_mesh* x = f->meshes[a];
    const limber_mesh* y = f->meshes[b];
    if (x->skin != y->skin)
        return false;
    a -= x->first_vertex;
    b -= y->first_vertex;
    float apart = 0;
    for (uint32_t i = x->influence_first[a]; i < x->influence_first[a + 1]; i++)
        apart = fmaxf(apart, fabsf(x->influence_weight[i] - limberi_weight_on(y, b, x->influence_joint[i])));
    return apart <= same_weight; // both add up to 1, so nothing is left for other joints
}

static limber_vec3 normal_of(const finder* f, uint32_t v) {
    const limber_mesh* mesh = f->meshes[v];
    return limberi_normalize(limberi_load3(mesh->normals + 3 * (size_t)(v - mesh->first_vertex)));
}

static void add_vertex(finder* f, uint32_t v) {
    uint32_t* link = &f->first_of_node[f->surface.node_of_vertex[v]];
    while (*link && !same_weights(f, *link - 1, v))
        link = &f->next[*link - 1];
    if (!*link)
        *link = v + 1;
    uint32_t leader = *link - 1;
    f->leader[v] = leader;
    f->members[leader]++;
    if (!(limberi_dot(normal_of(f, v), normal_of(f, leader)) > same_normal))
        f->is_split[leader] = 1;
}

static bool link_vertices(finder* f) {
    limberi_arena* arena = &f->surface.arena;
    uint32_t vertices = f->model->vertex_count;
    f->meshes = LIMBERI_ALLOCATE(arena, const limber_mesh*, vertices);
    f->first_of_node = LIMBERI_ALLOCATE(arena, uint32_t, f->surface.node_count);
    f->next = LIMBERI_ALLOCATE(arena, uint32_t, vertices);
    f->leader = LIMBERI_ALLOCATE(arena, uint32_t, vertices);
    f->members = LIMBERI_ALLOCATE(arena, uint32_t, vertices);
    f->is_split = LIMBERI_ALLOCATE(arena, uint8_t, vertices);
    for (uint32_t m = 0; !arena->failed && m < f->model->mesh_count; m++) {
        const limber_mesh* mesh = &f->model->meshes[m];
        for (uint32_t u = 0; u < mesh->vertex_count; u++)
            f->meshes[mesh->first_vertex + u] = mesh;
    }
    for (uint32_t v = 0; !arena->failed && v < vertices; v++)
        add_vertex(f, v);
    return !arena->failed;
}

static bool list(finder* f, limberi_arena* arena, limberi_split_normals* split) {
    uint32_t vertices = 0;
    uint32_t point = 0;
    uint32_t at = 0;
    for (uint32_t v = 0; v < f->model->vertex_count; v++) {
        vertices += f->is_split[f->leader[v]];
        split->count += f->is_split[v];
    }
    split->first = LIMBERI_ALLOCATE(arena, uint32_t, (size_t)split->count + 1);
    split->vertices = LIMBERI_ALLOCATE(arena, uint32_t, vertices);
    if (arena->failed)
        return false;
    for (uint32_t v = 0; v < f->model->vertex_count; v++) {
        if (!f->is_split[v])
            continue;
        split->first[point++] = at;
        f->next[v] = at; // where the next member goes
        at += f->members[v];
    }
    split->first[point] = at;
    for (uint32_t v = 0; v < f->model->vertex_count; v++)
        if (f->is_split[f->leader[v]])
            split->vertices[f->next[f->leader[v]]++] = v;
    return true;
}

limber_result limberi_split_find(limberi_arena* arena, const limber_model* model, limberi_split_normals* split) {
    finder f = {0};
    memset(split, 0, sizeof *split);
    f.model = model;
    if (limberi_surface_create(model, &f.surface))
        return LIMBER_ERROR_MEMORY;
    bool found = link_vertices(&f) && list(&f, arena, split);
    limberi_surface_destroy(&f.surface);
    return found ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

// --- one for all ---

// Two sides of one sheet cancel out; a push along either goes the same way, so one of them is turned around.
static limber_vec3 mean_normal(const limberi_split_normals* s, const float* normals, uint32_t point) {
    uint32_t first = s->first[point];
    uint32_t end = s->first[point + 1];
    limber_vec3 sum = limberi_vec3(0, 0, 0);
    limber_vec3 lines = sum;
    limber_vec3 leader = sum;
    for (uint32_t i = first; i < end; i++) {
        limber_vec3 n = limberi_normalize(limberi_load3(normals + 3 * (size_t)s->vertices[i]));
        leader = i == first ? n : leader;
        sum = limberi_add(sum, n);
        lines = limberi_dot(n, leader) < 0 ? limberi_sub(lines, n) : limberi_add(lines, n);
    }
    return limberi_normalize(limberi_length(sum) < opposite * (float)(end - first) ? lines : sum);
}

void limberi_split_weld(const limberi_split_normals* s, float* normals) {
    for (uint32_t point = 0; point < s->count; point++) {
        limber_vec3 mean = mean_normal(s, normals, point);
        for (uint32_t i = s->first[point]; i < s->first[point + 1]; i++)
            limberi_store3(normals + 3 * (size_t)s->vertices[i], mean);
    }
}
