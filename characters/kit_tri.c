// The working triangle mesh: storage, neighbours, and the regular one-to-four subdivision that carries detail.
#include "characters/kit_internal.h"

#include <stdlib.h>
#include <string.h>

static bool grow_array(void** array, size_t count, size_t size) {
    void* grown = realloc(*array, count * size);
    if (!grown)
        return false;
    *array = grown;
    return true;
}

bool kit_tri_reserve(kit_tri* mesh, uint32_t vertices, uint32_t triangles) {
    if (vertices > mesh->vertex_capacity) {
        size_t capacity = mesh->vertex_capacity ? (size_t)vertices + vertices / 2 : vertices;
        if (!grow_array((void**)&mesh->at, capacity, sizeof *mesh->at) ||
            !grow_array((void**)&mesh->out, capacity, sizeof *mesh->out) ||
            !grow_array((void**)&mesh->wanted, capacity, sizeof *mesh->wanted))
            return false;
        mesh->vertex_capacity = (uint32_t)capacity;
    }
    if (triangles > mesh->triangle_capacity) {
        size_t capacity = mesh->triangle_capacity ? (size_t)triangles + triangles / 2 : triangles;
        if (!grow_array((void**)&mesh->corner, 3 * capacity, sizeof *mesh->corner) ||
            !grow_array((void**)&mesh->twin, 3 * capacity, sizeof *mesh->twin))
            return false;
        mesh->triangle_capacity = (uint32_t)capacity;
    }
    return true;
}

void kit_tri_free(kit_tri* mesh) {
    free(mesh->at);
    free(mesh->corner);
    free(mesh->twin);
    free(mesh->out);
    free(mesh->wanted);
    memset(mesh, 0, sizeof *mesh);
}

// Pairs half-edges by walking, for each, the list of those that start where it ends.
bool kit_tri_connect(kit_tri* mesh) {
    uint32_t half_edges = 3 * mesh->triangle_count;
    uint32_t* next_of = malloc(sizeof *next_of * (half_edges ? half_edges : 1));
    if (!next_of)
        return false;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        mesh->out[v] = KIT_NONE;
    for (uint32_t h = 0; h < half_edges; h++) {
        next_of[h] = mesh->out[mesh->corner[h]];
        mesh->out[mesh->corner[h]] = h;
    }
    bool closed = true;
    for (uint32_t h = 0; h < half_edges && closed; h++) {
        uint32_t from = mesh->corner[h];
        uint32_t to = mesh->corner[kit_next(h)];
        uint32_t found = KIT_NONE;
        uint32_t matches = 0;
        for (uint32_t g = mesh->out[to]; g != KIT_NONE; g = next_of[g])
            if (mesh->corner[kit_next(g)] == from) {
                found = g;
                matches++;
            }
        mesh->twin[h] = found;
        closed = matches == 1;
    }
    free(next_of);
    return closed;
}

// Numbers the new vertex of every edge, in the order of the half-edges.
static uint32_t number_edges(const kit_tri* mesh, uint32_t* middle) {
    uint32_t next = mesh->vertex_count;
    for (uint32_t h = 0; h < 3 * mesh->triangle_count; h++) {
        uint32_t twin = mesh->twin[h];
        middle[h] = twin < h ? middle[twin] : next++;
    }
    return next;
}

// Children of triangle t: 4t + k holds corner k (corner, middle of the edge out of it, middle of the edge into it);
// 4t + 3 is the centre (middles of edges 0, 1, 2).
static void split_triangle(const kit_tri* mesh, const uint32_t* middle, uint32_t t, kit_tri* finer) {
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t h = 3 * t + i;
        uint32_t p = kit_prev(h);
        uint32_t child = 3 * (4 * t + i);
        finer->corner[child] = mesh->corner[h];
        finer->corner[child + 1] = middle[h];
        finer->corner[child + 2] = middle[p];
        finer->corner[3 * (4 * t + 3) + i] = middle[h];
        // The half of h at its start meets the half of its twin at the twin's end: the child at the twin's next corner.
        uint32_t twin = mesh->twin[h];
        uint32_t twin_end = kit_next(twin);
        finer->twin[child] = 3 * (4 * (twin_end / 3) + twin_end % 3) + 2;
        finer->twin[child + 1] = 3 * (4 * t + 3) + p % 3;
        uint32_t into = mesh->twin[p];
        finer->twin[child + 2] = 3 * (4 * (into / 3) + into % 3);
        finer->twin[3 * (4 * t + 3) + p % 3] = child + 1;
    }
}

static void place_middles(const kit_shape* shape, const kit_tri* mesh, const uint32_t* middle, kit_tri* finer) {
    memcpy(finer->at, mesh->at, sizeof *mesh->at * mesh->vertex_count);
    for (uint32_t h = 0; h < 3 * mesh->triangle_count; h++) {
        if (mesh->twin[h] < h)
            continue;
        limber_vec3 a = mesh->at[mesh->corner[h]];
        limber_vec3 b = mesh->at[mesh->corner[kit_next(h)]];
        float length = limberi_length(limberi_sub(b, a));
        finer->at[middle[h]] = kit_shape_project(shape, limberi_lerp(a, b, 0.5f), 3, 0.5f * length);
    }
}

bool kit_subdivide(const kit_shape* shape, const kit_tri* mesh, kit_tri* finer) {
    uint32_t* middle = malloc(sizeof *middle * 3 * (mesh->triangle_count ? mesh->triangle_count : 1));
    if (!middle)
        return false;
    uint32_t vertices = number_edges(mesh, middle);
    bool done = kit_tri_reserve(finer, vertices, 4 * mesh->triangle_count);
    if (done) {
        finer->vertex_count = vertices;
        finer->triangle_count = 4 * mesh->triangle_count;
        for (uint32_t t = 0; t < mesh->triangle_count; t++)
            split_triangle(mesh, middle, t, finer);
        place_middles(shape, mesh, middle, finer);
    }
    free(middle);
    return done;
}
