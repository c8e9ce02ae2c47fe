// Which pieces of the surface are rigid: connected islands that hang on one joint (a blade, an eye, a plate of armour).
#include "layer/surface.h"
#include "smear/drawn.h"

#include <string.h>

static const double weld_of_size = 1e-5; // vertices this near to each other are one
static const float one_joint = 0.95f;    // of a vertex' weight: it hangs on that joint alone
static const double share_of_island = 0.8;

typedef struct welder {
    uint32_t* parents; // [vertex] union-find
    uint32_t* table;   // [size] vertex + 1
    uint32_t size;     // a power of two
} welder;

static uint32_t hash_of(const int32_t* cell) {
    uint32_t h = 2166136261u;
    for (int i = 0; i < 3; i++)
        h = (h ^ (uint32_t)cell[i]) * 16777619u + (h >> 15);
    return h ^ h >> 13;
}

static void cell_of(const float* p, double scale, int32_t* cell) {
    for (int i = 0; i < 3; i++)
        cell[i] = (int32_t)fmax(fmin(floor((double)p[i] * scale + 0.5), 2e9), -2e9);
}

static void weld(limberi_drawn_builder* b, welder* w) {
    double size = (double)b->smearer->size;
    double scale = size > 0 ? 1 / (weld_of_size * size) : 0;
    for (uint32_t v = 0; v < b->smearer->model->vertex_count; v++) {
        int32_t cell[3], other[3];
        cell_of(b->rest + 3 * (size_t)v, scale, cell);
        uint32_t at = hash_of(cell) & (w->size - 1);
        for (; w->table[at]; at = (at + 1) & (w->size - 1)) {
            cell_of(b->rest + 3 * (size_t)(w->table[at] - 1), scale, other);
            if (memcmp(cell, other, sizeof cell) == 0)
                break;
        }
        if (w->table[at])
            limberi_join_sets(w->parents, v, w->table[at] - 1);
        else
            w->table[at] = v + 1;
    }
}

static void join_triangles(const limber_model* model, uint32_t* parents) {
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        for (size_t t = 0; t < 3 * (size_t)mesh->triangle_count; t += 3)
            for (size_t i = 1; i < 3; i++)
                limberi_join_sets(parents, mesh->first_vertex + mesh->triangles[t],
                                  mesh->first_vertex + mesh->triangles[t + i]);
    }
}

// An island is rigid when one joint alone holds most of its vertices.
static limber_result find_rigid(limberi_drawn_builder* b) {
    uint32_t vertices = b->smearer->model->vertex_count;
    uint32_t* joint = b->island_joint = LIMBERI_ALLOCATE(&b->scratch, uint32_t, b->islands);
    uint32_t* held = LIMBERI_ALLOCATE(&b->scratch, uint32_t, b->islands);
    uint32_t* count = LIMBERI_ALLOCATE(&b->scratch, uint32_t, b->islands);
    if (b->scratch.failed)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t v = 0; v < vertices; v++) {
        uint32_t i = b->island[v];
        if (count[i]++ == 0)
            joint[i] = b->joint[v];
        held[i] += b->joint[v] == joint[i] && b->weight[v] > one_joint;
    }
    for (uint32_t v = 0; v < vertices; v++) {
        uint32_t i = b->island[v];
        b->rigid[v] = (double)held[i] > share_of_island * (double)count[i];
    }
    return LIMBER_OK;
}

limber_result limberi_drawn_find_islands(limberi_drawn_builder* b) {
    const limber_model* model = b->smearer->model;
    uint32_t vertices = model->vertex_count;
    welder w = {LIMBERI_ALLOCATE(&b->scratch, uint32_t, vertices), NULL, 64};
    while (w.size < 2 * vertices)
        w.size *= 2;
    w.table = LIMBERI_ALLOCATE(&b->scratch, uint32_t, w.size);
    b->island = LIMBERI_ALLOCATE(&b->scratch, uint32_t, vertices);
    b->rigid = LIMBERI_ALLOCATE(&b->scratch, uint8_t, vertices);
    uint32_t* first = b->drawn->weld = LIMBERI_ALLOCATE(&b->smearer->arena, uint32_t, vertices);
    if (b->scratch.failed || !first)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t v = 0; v < vertices; v++)
        w.parents[v] = v;
    weld(b, &w);
    for (uint32_t v = 0; v < vertices; v++)
        first[v] = limberi_root_of(w.parents, v);
    join_triangles(model, w.parents);
    for (uint32_t v = 0; v < vertices; v++) { // a root comes before all others
        uint32_t root = limberi_root_of(w.parents, v);
        b->island[v] = root == v ? b->islands++ : b->island[root];
    }
    return find_rigid(b);
}
