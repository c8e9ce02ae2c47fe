// Which edges are split: those for which the displacement of the two ends differs too much in any frame.
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "layer/surface.h"
#include "smear/smear.h"

#include <string.h>

#define NO_EDGE UINT32_MAX // its ends are one place

struct limber_subdivider {
    limberi_arena arena;
    const limber_model* model;
    uint32_t edge_count;
    uint32_t* edges;     // [3 * triangle + side] of all meshes, or NO_EDGE
    float* differences;  // [edge] squares, the largest so far
    uint32_t* triangles; // [mesh + 1] where its triangles start
};

// --- edges ---

static void number_edges(limber_subdivider* s, const uint32_t* nodes, limberi_edge_numbers* numbers) {
    for (uint32_t m = 0; m < s->model->mesh_count; m++) {
        const limber_mesh* mesh = &s->model->meshes[m];
        const uint32_t* node = nodes + mesh->first_vertex;
        uint32_t* edges = s->edges + 3 * (size_t)s->triangles[m];
        for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++) {
            uint32_t a = node[mesh->triangles[i]];
            uint32_t b = node[mesh->triangles[i % 3 == 2 ? i - 2 : i + 1]];
            edges[i] = a == b ? NO_EDGE : limberi_edge_number(numbers, a, b);
        }
    }
    s->edge_count = numbers->count;
}

static limber_result find_edges(limber_subdivider* s) {
    const limber_model* model = s->model;
    s->triangles = LIMBERI_ALLOCATE(&s->arena, uint32_t, (size_t)model->mesh_count + 1);
    s->edges = LIMBERI_ALLOCATE(&s->arena, uint32_t, 3 * (size_t)model->triangle_count);
    if (s->arena.failed)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t m = 0; m < model->mesh_count; m++)
        s->triangles[m + 1] = s->triangles[m] + model->meshes[m].triangle_count;
    limberi_arena scratch = {NULL, false};
    limberi_edge_numbers numbers;
    limberi_surface surface;
    limber_result result = limberi_surface_create(model, &surface);
    if (!result && !limberi_edge_numbers_allocate(&scratch, 3 * (size_t)model->triangle_count, &numbers))
        result = LIMBER_ERROR_MEMORY;
    if (!result)
        number_edges(s, surface.node_of_vertex, &numbers);
    limberi_surface_destroy(&surface);
    limberi_arena_free(&scratch);
    s->differences = LIMBERI_ALLOCATE(&s->arena, float, s->edge_count);
    return result || s->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

limber_result limber_subdivider_create(const limber_asset* asset, limber_subdivider** subdivider, limber_error* error) {
    *subdivider = NULL;
    if (!asset)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "there is no character to subdivide");
    limber_subdivider* made = limberi_allocate_zeroed(1, sizeof *made);
    if (made)
        made->model = limber_asset_model(asset);
    if (!made || find_edges(made)) {
        limber_subdivider_destroy(made);
        return limberi_fail_memory(error);
    }
    *subdivider = made;
    return LIMBER_OK;
}

void limber_subdivider_destroy(limber_subdivider* s) {
    if (!s)
        return;
    limberi_arena_free(&s->arena);
    limberi_release(s);
}

void limber_subdivider_see(limber_subdivider* s, const float* before, const float* after) {
    for (uint32_t m = 0; m < s->model->mesh_count; m++) {
        const limber_mesh* mesh = &s->model->meshes[m];
        const float* from = before + 3 * (size_t)mesh->first_vertex;
        const float* to = after + 3 * (size_t)mesh->first_vertex;
        const uint32_t* edges = s->edges + 3 * (size_t)s->triangles[m];
        for (size_t t = 0; t < mesh->triangle_count; t++) {
            limber_vec3 d[3];
            for (size_t c = 0; c < 3; c++) {
                size_t at = 3 * (size_t)mesh->triangles[3 * t + c];
                d[c] = limberi_sub(limberi_load3(to + at), limberi_load3(from + at));
            }
            for (size_t c = 0; c < 3; c++) {
                limber_vec3 difference = limberi_sub(d[(c + 1) % 3], d[c]);
                float square = limberi_dot(difference, difference);
                uint32_t edge = edges[3 * t + c];
                if (edge != NO_EDGE && square > s->differences[edge])
                    s->differences[edge] = square;
            }
        }
    }
}

static float worst_square(const limber_subdivider* s) {
    float worst = 0;
    for (uint32_t e = 0; e < s->edge_count; e++)
        worst = s->differences[e] > worst ? s->differences[e] : worst;
    return worst;
}

float limberi_subdivider_worst(const limber_subdivider* s) {
    return sqrtf(worst_square(s));
}

// --- splitting ---

static bool is_split(const limber_subdivider* s, size_t side, float square) {
    return s->edges[side] != NO_EDGE && s->differences[s->edges[side]] > square;
}

// Every side that is split adds one triangle, whatever happens to the other two.
static uint64_t triangles_after(const limber_subdivider* s, float square) {
    uint64_t count = s->model->triangle_count;
    for (size_t i = 0; i < 3 * (size_t)s->model->triangle_count; i++)
        count += is_split(s, i, square);
    return count;
}

// The smallest difference, not below the threshold, that keeps to the limit; by halving, which is exact enough.
static float square_within(const limber_subdivider* s, float square, uint32_t triangle_limit) {
    if (triangles_after(s, square) <= triangle_limit)
        return square;
    float low = square;
    float high = worst_square(s); // nothing is above that
    for (int i = 0; i < 40; i++) {
        float middle = low + 0.5f * (high - low);
        if (triangles_after(s, middle) <= triangle_limit)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static limber_result split_meshes(const limber_subdivider* s, limberi_arena* arena, float square, limber_mesh* meshes) {
    uint8_t* split = LIMBERI_ALLOCATE(arena, uint8_t, 3 * (size_t)s->model->triangle_count);
    if (!split)
        return LIMBER_ERROR_MEMORY;
    for (size_t i = 0; i < 3 * (size_t)s->model->triangle_count; i++)
        split[i] = is_split(s, i, square);
    for (uint32_t m = 0; m < s->model->mesh_count; m++)
        if (limberi_mesh_split(arena, &s->model->meshes[m], split + 3 * (size_t)s->triangles[m], &meshes[m]))
            return LIMBER_ERROR_MEMORY;
    return LIMBER_OK;
}

limber_result limber_subdivider_split(limber_subdivider* s, float threshold, uint32_t triangle_limit,
                                      limber_asset** refined, limber_error* error) {
    *refined = NULL;
    if (!(threshold >= 0))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the threshold must not be negative");
    float min = threshold * s->model->size;
    float square = square_within(s, min * min, triangle_limit);
    if (triangles_after(s, square) == s->model->triangle_count)
        return LIMBER_OK;
    limberi_arena arena = {NULL, false};
    limber_model model = *s->model;
    limber_mesh* meshes = LIMBERI_ALLOCATE(&arena, limber_mesh, model.mesh_count);
    limber_result result = meshes ? split_meshes(s, &arena, square, meshes) : LIMBER_ERROR_MEMORY;
    model.meshes = meshes;
    if (result)
        limberi_fail_memory(error);
    else
        result = limber_asset_create(&model, refined, error);
    limberi_arena_free(&arena);
    return result;
}
