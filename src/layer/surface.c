// The rest pose of a whole character as one surface: vertices at the same place are one node, whichever mesh they
// belong to, so that seams between meshes do not matter.
#include "layer/surface.h"
#include "base/math.h"
#include "base/sort.h"

#include <string.h>

// Vertices that are surely one place lie within half of this (in L), which is well above what skinning rounds off and
// well below any detail.
static const float cell_size = 2e-5f;

typedef struct place {
    limber_vec3 p;
    int32_t scenery;     // a floor is not joined to the feet on it
    float sizes[3];      // of its position in its mesh
    uint32_t number;     // there
    uint32_t joint;      // of its first influence
    int32_t cells[2][3]; // in a grid, and in one that is shifted by half a cell
} place;

typedef struct cell {
    int32_t c[4];
} cell;

static int32_t cell_at(float x) {
    return (int32_t)fminf(fmaxf(floorf(x), -1e9f), 1e9f);
}

static void find_cells(place* where) {
    const float at[3] = {where->p.x, where->p.y, where->p.z};
    for (int i = 0; i < 3; i++) {
        where->cells[0][i] = cell_at(at[i] / cell_size);
        where->cells[1][i] = cell_at(at[i] / cell_size + 0.5f);
    }
}

static cell cell_of(const place* where, uint32_t shift) {
    cell result;
    result.c[3] = where->scenery;
    for (int i = 0; i < 3; i++)
        result.c[i] = where->cells[shift >> i & 1][i];
    return result;
}

static uint32_t hash_cell(cell k) {
    uint32_t h = 2166136261u;
    for (int i = 0; i < 4; i++) {
        h = (h ^ (uint32_t)k.c[i]) * 2654435761u;
        h ^= h >> 15;
    }
    return h;
}

// Joins everything that shares a cell of one grid.
static void join_cells(const place* places, uint32_t count, uint32_t shift, uint32_t* table, uint32_t size,
                       uint32_t* parents) {
    memset(table, 0, size * sizeof *table);
    for (uint32_t u = 0; u < count; u++) {
        cell mine = cell_of(&places[u], shift);
        uint32_t slot = hash_cell(mine) & (size - 1);
        for (; table[slot]; slot = (slot + 1) & (size - 1)) {
            cell other = cell_of(&places[table[slot] - 1], shift);
            if (memcmp(&mine, &other, sizeof mine) == 0)
                break;
        }
        if (table[slot])
            limberi_join_sets(parents, table[slot] - 1, u);
        else
            table[slot] = u + 1;
    }
}

// Neither the order of meshes matters, nor how the world is turned. Meshes that are there twice hang on other joints.
static int compare_places(const void* user, uint32_t a, uint32_t b) {
    const place* p = (const place*)user + a;
    const place* q = (const place*)user + b;
    int order = limberi_compare_sizes(p->sizes, q->sizes);
    if (!order)
        order = (p->number > q->number) - (p->number < q->number);
    if (!order)
        order = (p->joint > q->joint) - (p->joint < q->joint);
    return order ? order : p->scenery - q->scenery;
}

// Numbers the sets in the order of their first vertices, and lists those. `first` and `numbers` have room for twice as
// many.
static void number_nodes(limberi_surface* s, const place* places, uint32_t* first, uint32_t* numbers) {
    uint32_t* roots = s->node_of_vertex;
    for (uint32_t u = 0; u < s->vertex_count; u++) {
        roots[u] = limberi_root_of(roots, u);
        if (roots[u] == u || compare_places(places, u, numbers[roots[u]]) < 0) // a root comes before its set
            numbers[roots[u]] = u;
    }
    for (uint32_t u = 0; u < s->vertex_count; u++)
        if (roots[u] == u)
            first[s->node_count++] = numbers[u];
    limberi_sort(first, first + s->vertex_count, s->node_count, compare_places, places);
    for (uint32_t n = 0; n < s->node_count; n++)
        numbers[roots[first[n]]] = n;
    for (uint32_t u = 0; u < s->vertex_count; u++)
        roots[u] = numbers[roots[u]];
}

// Two places that straddle a border of one grid share a cell of another that is shifted by half a cell along the axes
// in question, so eight grids find every pair, in any order, without comparing all with all.
static bool weld(limberi_surface* s, const place* places, uint32_t* first) {
    limberi_arena temporary = {NULL, false};
    uint32_t size = 16;
    uint32_t count = s->vertex_count;
    while (size < 2 * (size_t)count && size < 1u << 31)
        size *= 2;
    uint32_t* table = LIMBERI_ALLOCATE(&temporary, uint32_t, size);
    uint32_t* parents = s->node_of_vertex;
    for (uint32_t u = 0; u < count; u++)
        parents[u] = u;
    for (uint32_t shift = 0; table && shift < 8; shift++)
        join_cells(places, count, shift, table, size, parents);
    if (table)
        number_nodes(s, places, first, table);
    limberi_arena_free(&temporary);
    return table != NULL;
}

static float within_reach(float x) {
    return fminf(fmaxf(x, -1e6f), 1e6f); // fmaxf drops NaN
}

limber_vec3 limberi_surface_place(const limber_model* model, limber_vec3 world) {
    limber_vec3 middle = limberi_scale(limberi_add(model->rest_min, model->rest_max), 0.5f);
    limber_vec3 p = limberi_scale(limberi_sub(world, middle), 1 / model->size);
    return limberi_vec3(within_reach(p.x), within_reach(p.y), within_reach(p.z));
}

static uint32_t first_joint(const limber_model* model, const limber_mesh* mesh, uint32_t vertex) {
    uint32_t at = mesh->influence_first[vertex];
    return at < mesh->influence_first[vertex + 1] ? model->skins[mesh->skin].joints[mesh->influence_joint[at]] : 0;
}

static bool place_vertices(const limber_model* model, place* places) {
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        limberi_arena temporary = {NULL, false};
        float* rest = LIMBERI_ALLOCATE(&temporary, float, 3 * (size_t)mesh->vertex_count);
        if (rest)
            limber_mesh_rest_positions(model, mesh, rest);
        for (size_t u = 0; rest && u < mesh->vertex_count; u++) {
            place* into = &places[mesh->first_vertex + u];
            into->p = limberi_surface_place(model, limberi_load3(rest + 3 * u));
            into->scenery = mesh->scenery;
            limberi_position_sizes(mesh->positions + 3 * u, into->sizes);
            into->number = (uint32_t)u;
            into->joint = first_joint(model, mesh, (uint32_t)u);
            find_cells(into);
        }
        limberi_arena_free(&temporary);
        if (!rest)
            return false;
    }
    return true;
}

// The side a triangle shows is where its normals point; files with two-sided materials may wind it either way.
static bool is_inside_out(const limber_mesh* mesh, const uint32_t* v) {
    limber_vec3 sum = limberi_vec3(0, 0, 0);
    limber_vec3 p[3];
    for (int i = 0; i < 3; i++) {
        sum = limberi_add(sum, limberi_load3(mesh->normals + 3 * (size_t)v[i]));
        p[i] = limberi_load3(mesh->positions + 3 * (size_t)v[i]);
    }
    return limberi_dot(sum, limberi_cross(limberi_sub(p[1], p[0]), limberi_sub(p[2], p[0]))) < 0;
}

static void add_triangles(limberi_surface* s, const limber_model* model, const limber_mesh* mesh) {
    float rotation[9];
    bool mirrored = limberi_mat4_rotation(&model->skins[mesh->skin].world_from_mesh, rotation) < 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t* v = mesh->triangles + 3 * (size_t)t;
        uint32_t n[3];
        for (int i = 0; i < 3; i++)
            n[i] = s->node_of_vertex[mesh->first_vertex + v[i]];
        if (n[0] == n[1] || n[1] == n[2] || n[2] == n[0])
            continue;
        bool swap = is_inside_out(mesh, v) != mirrored;
        const uint32_t corners[3] = {n[0], n[swap ? 2 : 1], n[swap ? 1 : 2]};
        memcpy(s->triangles + 3 * (size_t)s->triangle_count++, corners, sizeof corners);
    }
}

static bool build(const limber_model* model, limberi_surface* s, place* places, uint32_t* first) {
    s->node_of_vertex = LIMBERI_ALLOCATE(&s->arena, uint32_t, s->vertex_count);
    if (!places || !first || !s->node_of_vertex || !place_vertices(model, places) || !weld(s, places, first))
        return false;
    s->positions = LIMBERI_ALLOCATE(&s->arena, limber_vec3, s->node_count);
    s->moves = LIMBERI_ALLOCATE(&s->arena, uint8_t, s->node_count);
    s->triangles = LIMBERI_ALLOCATE(&s->arena, uint32_t, 3 * (size_t)model->triangle_count);
    if (s->arena.failed)
        return false;
    for (uint32_t n = 0; n < s->node_count; n++) {
        s->positions[n] = places[first[n]].p;
        s->moves[n] = !places[first[n]].scenery;
    }
    for (uint32_t m = 0; m < model->mesh_count; m++)
        add_triangles(s, model, &model->meshes[m]);
    return true;
}

limber_result limberi_surface_create(const limber_model* model, limberi_surface* s) {
    memset(s, 0, sizeof *s);
    s->vertex_count = model->vertex_count;
    limberi_arena temporary = {NULL, false};
    place* places = LIMBERI_ALLOCATE(&temporary, place, model->vertex_count);
    uint32_t* first = LIMBERI_ALLOCATE(&temporary, uint32_t, 2 * (size_t)model->vertex_count);
    bool built = build(model, s, places, first);
    limberi_arena_free(&temporary);
    if (!built)
        limberi_surface_destroy(s);
    return built ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

void limberi_surface_destroy(limberi_surface* s) {
    limberi_arena_free(&s->arena);
}

void limberi_surface_fans(limberi_surface* s, uint32_t** first, uint32_t** triangles) {
    uint32_t* start = LIMBERI_ALLOCATE(&s->arena, uint32_t, (size_t)s->node_count + 2);
    uint32_t* list = LIMBERI_ALLOCATE(&s->arena, uint32_t, 3 * (size_t)s->triangle_count);
    *triangles = list;
    *first = start && list ? start : NULL;
    if (!*first)
        return;
    for (size_t i = 0; i < 3 * (size_t)s->triangle_count; i++)
        start[s->triangles[i] + 2]++;
    for (uint32_t n = 0; n < s->node_count; n++)
        start[n + 2] += start[n + 1];
    for (size_t i = 0; i < 3 * (size_t)s->triangle_count; i++) // start[n + 1] grows from n's start to its end
        list[start[s->triangles[i] + 1]++] = (uint32_t)(i / 3);
}
