// Keeps a stretched surface in one piece: at elbows and where a limb meets the trunk, neighbours would go too different
// ways, so both give way until their edge is at most about twice as long.
#include "smear/drawn.h"

#include "smear/smear.h"

#include <string.h>

static const float slack = 1.06f;       // edges this much beyond their limit are left
static const float give = 0.8f;         // of an edge's length: how much more one end may move than the other
static const float short_edge = 0.002f; // L: edges are treated as no shorter, as those inside a bent elbow
static const float stands = 0.15f;      // of the other end's step: an end that goes less far hardly gives way
static const float eager = 1.4f;        // of what the edges around ask for on average: in few passes
enum { PASSES = 24 };                   // each carries what is given way one edge further

static void add_edge(struct limberi_drawn* d, limberi_edge_numbers* numbers, uint32_t a, uint32_t b) {
    a = d->weld[a];
    b = d->weld[b];
    bool together = d->island_of[a] != LIMBERI_NO_ISLAND && d->island_of[a] == d->island_of[b];
    if (a == b || together || limberi_edge_number(numbers, a, b) < d->edge_count)
        return;
    d->edges[2 * (size_t)d->edge_count] = a;
    d->edges[2 * (size_t)d->edge_count + 1] = b;
    d->edge_count++;
}

limber_result limberi_drawn_find_edges(limberi_drawn_builder* b) {
    const limber_model* model = b->smearer->model;
    struct limberi_drawn* d = b->drawn;
    size_t max = 0;
    for (uint32_t m = 0; m < model->mesh_count; m++)
        max += limberi_smear_skips(b->smearer, &model->meshes[m]) ? 0 : 3 * (size_t)model->meshes[m].triangle_count;
    limberi_edge_numbers numbers;
    uint32_t* edges = LIMBERI_ALLOCATE(&b->scratch, uint32_t, 2 * max);
    if (!edges || !limberi_edge_numbers_allocate(&b->scratch, max, &numbers))
        return LIMBER_ERROR_MEMORY;
    d->edges = edges;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        for (size_t t = 0; !limberi_smear_skips(b->smearer, mesh) && t < 3 * (size_t)mesh->triangle_count; t++) {
            size_t next = t % 3 == 2 ? t - 2 : t + 1;
            add_edge(d, &numbers, mesh->first_vertex + mesh->triangles[t], mesh->first_vertex + mesh->triangles[next]);
        }
    }
    limberi_arena* arena = &b->smearer->arena;
    d->edges = LIMBERI_COPY(arena, uint32_t, edges, 2 * (size_t)d->edge_count);
    d->moved_edges = LIMBERI_ALLOCATE(arena, limberi_drawn_edge, (size_t)d->edge_count + 1);
    d->steps = LIMBERI_ALLOCATE(arena, limber_vec3, model->vertex_count);
    d->changes = LIMBERI_ALLOCATE(arena, limber_vec3, model->vertex_count);
    d->gave_way = LIMBERI_ALLOCATE(arena, uint8_t, model->vertex_count);
    d->pulls = LIMBERI_ALLOCATE(arena, limberi_drawn_pull, model->vertex_count);
    return arena->failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

static void pull(struct limberi_drawn* d, uint32_t v, limber_vec3 by, float share) {
    d->pulls[v].sum = limberi_add(d->pulls[v].sum, limberi_scale(by, share));
    d->pulls[v].count++;
}

// The edges between what moves apart. What stands is never dragged along, so nothing changes between what stands.
static uint32_t find_moved_edges(struct limberi_drawn* d, const float* now) {
    uint32_t count = 0;
    float min = short_edge * d->smearer->size;
    for (uint32_t e = 0; e < d->edge_count; e++) {
        uint32_t a = d->edges[2 * (size_t)e];
        uint32_t b = d->edges[2 * (size_t)e + 1];
        limber_vec3 apart = limberi_sub(d->steps[a], d->steps[b]);
        bool rigid = d->island_of[a] != LIMBERI_NO_ISLAND && d->island_of[b] != LIMBERI_NO_ISLAND;
        bool stand = !(limberi_dot(d->steps[a], d->steps[a]) > 0) && !(limberi_dot(d->steps[b], d->steps[b]) > 0);
        if (rigid || stand)
            continue;
        limber_vec3 edge = limberi_sub(limberi_load3(now + 3 * (size_t)a), limberi_load3(now + 3 * (size_t)b));
        float limit = give * fmaxf(limberi_length(edge), min);
        bool apart_now = limberi_dot(apart, apart) > slack * slack * limit * limit;
        d->moved_edges[count++] = (limberi_drawn_edge){a, b, limit, apart_now};
    }
    return count;
}

// What stands is not dragged along: the other end gives way alone. So does what is soft beside a rigid piece.
static bool pull_edge(struct limberi_drawn* d, const limberi_drawn_edge* e) {
    uint32_t a = e->a;
    uint32_t b = e->b;
    limber_vec3 apart = limberi_sub(limberi_add(d->steps[a], d->changes[a]), limberi_add(d->steps[b], d->changes[b]));
    float square = limberi_dot(apart, apart);
    if (square <= slack * slack * e->limit * e->limit)
        return false;
    limber_vec3 excess = limberi_scale(apart, 1 - e->limit / sqrtf(square));
    float of_a = d->island_of[a] != LIMBERI_NO_ISLAND ? 0 : limberi_length(d->steps[a]);
    float of_b = d->island_of[b] != LIMBERI_NO_ISLAND ? 0 : limberi_length(d->steps[b]);
    float less = 0.5f * limberi_ss(0, stands, fminf(of_a, of_b) / fmaxf(fmaxf(of_a, of_b), 1e-12f * d->smearer->size));
    float share = of_a < of_b ? less : 1 - less;
    if (share > 0)
        pull(d, a, excess, -share);
    if (share < 1)
        pull(d, b, excess, 1 - share);
    return true;
}

void limberi_drawn_hold_together(struct limberi_drawn* d, const float* now) {
    uint32_t vertices = d->smearer->model->vertex_count;
    memset(d->changes, 0, vertices * sizeof *d->changes);
    memset(d->gave_way, 0, vertices);
    uint32_t count = find_moved_edges(d, now);
    for (int pass = 0; pass < PASSES; pass++) {
        bool any = false;
        memset(d->pulls, 0, vertices * sizeof *d->pulls);
        for (uint32_t i = 0; i < count; i++) {
            const limberi_drawn_edge* e = &d->moved_edges[i];
            if (pass == 0 ? e->apart : d->gave_way[e->a] || d->gave_way[e->b])
                any = pull_edge(d, e) || any;
        }
        if (!any)
            return;
        for (uint32_t v = 0; v < vertices; v++) {
            if (!(d->pulls[v].count > 0))
                continue;
            d->gave_way[v] = 1;
            float by = (d->pulls[v].count > 1 ? eager : 1) / d->pulls[v].count;
            d->changes[v] = limberi_add(d->changes[v], limberi_scale(d->pulls[v].sum, by));
        }
    }
}
