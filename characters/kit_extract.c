// From an implicit shape to triangles: marching tetrahedra over the cells near the surface. Each cube is cut into the
// six tetrahedra of its corner-to-corner paths (Kuhn), so that neighbours agree on every face and the result is always
// a closed manifold; remeshing makes it pretty afterwards.
#include "characters/kit_internal.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 8, NODES = BLOCK + 1 };

typedef struct slot {
    uint64_t key; // 0: free
    uint32_t vertex;
} slot;

typedef struct grid {
    const kit_shape* shape;
    limber_vec3 origin;
    float cell;
    uint32_t size[3]; // cells
    slot* slots;
    uint32_t slot_count, slot_used; // slot_count is a power of two
    kit_tri* mesh;
    bool failed;
    float values[NODES * NODES * NODES];
} grid;

static uint32_t slot_find(const slot* slots, uint32_t slot_count, uint64_t key) {
    uint64_t hash = key * 0x9e3779b97f4a7c15ull;
    uint32_t i = (uint32_t)(hash >> 32) & (slot_count - 1);
    while (slots[i].key && slots[i].key != key)
        i = (i + 1) & (slot_count - 1);
    return i;
}

static bool slots_grow(grid* g) {
    uint32_t count = g->slot_count ? 2 * g->slot_count : 1u << 12;
    slot* slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    for (uint32_t i = 0; i < g->slot_count; i++)
        if (g->slots[i].key)
            slots[slot_find(slots, count, g->slots[i].key)] = g->slots[i];
    free(g->slots);
    g->slots = slots;
    g->slot_count = count;
    return true;
}

static limber_vec3 node_at(const grid* g, const uint32_t* node) {
    return limberi_add(g->origin,
                       limberi_vec3((float)node[0] * g->cell, (float)node[1] * g->cell, (float)node[2] * g->cell));
}

// The vertex on the grid edge from corner `low` of the cell to corner `high` (corners are bit sets of x, y, z).
static uint32_t edge_vertex(grid* g, const uint32_t* cell, uint32_t low, uint32_t high, float f_low, float f_high) {
    uint32_t a[3], b[3];
    for (uint32_t axis = 0; axis < 3; axis++) {
        a[axis] = cell[axis] + (low >> axis & 1);
        b[axis] = cell[axis] + (high >> axis & 1);
    }
    uint64_t node = ((uint64_t)a[2] * (g->size[1] + 1) + a[1]) * (g->size[0] + 1) + a[0];
    uint64_t key = node * 8 + (low ^ high);
    if (2 * g->slot_used >= g->slot_count && !slots_grow(g)) {
        g->failed = true;
        return 0;
    }
    slot* s = &g->slots[slot_find(g->slots, g->slot_count, key)];
    if (s->key)
        return s->vertex;
    if (!kit_tri_reserve(g->mesh, g->mesh->vertex_count + 1, g->mesh->triangle_count)) {
        g->failed = true;
        return 0;
    }
    float t = fminf(fmaxf(f_low / (f_low - f_high), 0.05f), 0.95f);
    g->mesh->at[g->mesh->vertex_count] = limberi_lerp(node_at(g, a), node_at(g, b), t);
    s->key = key;
    s->vertex = g->mesh->vertex_count++;
    g->slot_used++;
    return s->vertex;
}

static void put_triangle(grid* g, uint32_t a, uint32_t b, uint32_t c) {
    kit_tri* mesh = g->mesh;
    if (g->failed || !kit_tri_reserve(mesh, mesh->vertex_count, mesh->triangle_count + 1)) {
        g->failed = true;
        return;
    }
    uint32_t* corner = mesh->corner + 3 * mesh->triangle_count++;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
}

static uint32_t crossing(grid* g, const uint32_t* cell, const uint32_t* corners, const float* f, int i, int j) {
    uint32_t low = corners[i] < corners[j] ? corners[i] : corners[j];
    bool swapped = low != corners[i];
    return edge_vertex(g, cell, low, corners[i] ^ corners[j] ^ low, swapped ? f[j] : f[i], swapped ? f[i] : f[j]);
}

// `corners` in an order of positive volume. With i inside and (i, j, k, l) an even permutation, the triangle
// (ij, ik, il) faces outwards.
static void cut_tetrahedron(grid* g, const uint32_t* cell, const uint32_t* corners, const float* f) {
    static const int even[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
    static const int pairs[6][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {2, 3, 0, 1}, {3, 1, 0, 2}, {1, 2, 0, 3}};
    int inside = 0;
    for (int i = 0; i < 4; i++)
        inside += f[i] < 0;
    if (inside == 0 || inside == 4)
        return;
    if (inside == 2) {
        for (int p = 0; p < 6; p++) {
            const int* o = pairs[p];
            if (!(f[o[0]] < 0 && f[o[1]] < 0))
                continue;
            uint32_t a = crossing(g, cell, corners, f, o[0], o[2]);
            uint32_t b = crossing(g, cell, corners, f, o[0], o[3]);
            uint32_t c = crossing(g, cell, corners, f, o[1], o[3]);
            uint32_t d = crossing(g, cell, corners, f, o[1], o[2]);
            put_triangle(g, a, b, c);
            put_triangle(g, a, c, d);
        }
        return;
    }
    for (int i = 0; i < 4; i++) {
        if ((f[i] < 0) != (inside == 1))
            continue;
        uint32_t a = crossing(g, cell, corners, f, i, even[i][1]);
        uint32_t b = crossing(g, cell, corners, f, i, even[i][2]);
        uint32_t c = crossing(g, cell, corners, f, i, even[i][3]);
        if (inside == 1)
            put_triangle(g, a, b, c);
        else
            put_triangle(g, a, c, b);
    }
}

static void cut_cell(grid* g, const uint32_t* cell, const float* f) {
    // Paths 0 -> 7; the last two corners are swapped where the permutation is odd, to keep the volume positive.
    static const uint32_t tetrahedra[6][4] = {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7},
                                              {0, 1, 7, 5}, {0, 2, 7, 3}, {0, 4, 7, 6}};
    for (int t = 0; t < 6; t++) {
        float values[4];
        for (int i = 0; i < 4; i++)
            values[i] = f[tetrahedra[t][i]];
        cut_tetrahedron(g, cell, tetrahedra[t], values);
    }
}

static bool block_is_far(const grid* g, const uint32_t* first) {
    float half = 0.5f * BLOCK * g->cell;
    limber_vec3 center = limberi_add(node_at(g, first), limberi_vec3(half, half, half));
    // Ellipsoids overestimate distances a little; 1.5 covers the half diagonal's sqrt(3) together with that.
    return fabsf(kit_shape_distance(g->shape, center, NULL)) > 1.5f * 1.7321f * half;
}

static void cut_block(grid* g, const uint32_t* first) {
    for (uint32_t n = 0; n < NODES * NODES * NODES; n++) {
        uint32_t node[3] = {first[0] + n % NODES, first[1] + n / NODES % NODES, first[2] + n / (NODES * NODES)};
        g->values[n] = kit_shape_distance(g->shape, node_at(g, node), NULL);
    }
    for (uint32_t c = 0; c < BLOCK * BLOCK * BLOCK && !g->failed; c++) {
        uint32_t x = c % BLOCK;
        uint32_t y = c / BLOCK % BLOCK;
        uint32_t z = c / (BLOCK * BLOCK);
        uint32_t cell[3] = {first[0] + x, first[1] + y, first[2] + z};
        float f[8];
        for (uint32_t i = 0; i < 8; i++)
            f[i] = g->values[((z + (i >> 2)) * NODES + y + (i >> 1 & 1)) * NODES + x + (i & 1)];
        cut_cell(g, cell, f);
    }
}

static void grid_place(grid* g) {
    limber_vec3 low = {1e9f, 1e9f, 1e9f};
    limber_vec3 high = {-1e9f, -1e9f, -1e9f};
    for (uint32_t i = 0; i < g->shape->blob_count; i++) {
        const kit_blob* b = &g->shape->blobs[i];
        if (b->brush.carve)
            continue; // may be as large as a floor
        float r = b->radius + 0.3f * b->brush.blend + 2 * g->cell;
        low = limberi_vec3(fminf(low.x, b->center.x - r), fminf(low.y, b->center.y - r), fminf(low.z, b->center.z - r));
        high = limberi_vec3(fmaxf(high.x, b->center.x + r), fmaxf(high.y, b->center.y + r),
                            fmaxf(high.z, b->center.z + r));
    }
    g->origin = low;
    float extent[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
    for (int axis = 0; axis < 3; axis++)
        g->size[axis] = BLOCK * ((uint32_t)fmaxf(extent[axis] / (g->cell * BLOCK), 0) + 1);
}

bool kit_extract(const kit_shape* shape, float cell, kit_tri* mesh) {
    grid* g = calloc(1, sizeof *g);
    if (!g)
        return false;
    g->shape = shape;
    g->cell = cell;
    g->mesh = mesh;
    grid_place(g);
    g->failed = !slots_grow(g);
    for (uint32_t z = 0; z < g->size[2]; z += BLOCK)
        for (uint32_t y = 0; y < g->size[1]; y += BLOCK)
            for (uint32_t x = 0; x < g->size[0] && !g->failed; x += BLOCK) {
                uint32_t first[3] = {x, y, z};
                if (!block_is_far(g, first))
                    cut_block(g, first);
            }
    bool done = !g->failed;
    free(g->slots);
    free(g);
    return done && kit_tri_connect(mesh);
}
