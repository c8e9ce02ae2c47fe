// Helpers: connected pieces of a mesh that move on their own, such as horns that stay rigid on a head that does not.
#include "bake/bones.h"
#include "layer/surface.h"

#include <math.h>
#include <string.h>

enum { JOINT_LIMIT = 256 }; // what a byte can name in a file

static const double min_alike = 0.8; // of the weights of each vertex of a piece

typedef struct island {
    uint32_t count;
    float off;
} island;

struct limberi_bone_islands {
    const limber_model* model;
    limberi_surface surface;
    uint32_t* parents; // [vertex] the piece's root, its first vertex
    uint32_t* next;    // [vertex] of the piece; UINT32_MAX: it was the last
    island* islands;   // [vertex] at the piece's root
    double* on_joint;  // [joint of a skin] scratch
};

typedef limberi_bone_islands search;

static void unite(uint32_t* parents, uint32_t a, uint32_t b) {
    a = limberi_root_of(parents, a);
    b = limberi_root_of(parents, b);
    parents[a < b ? b : a] = a < b ? a : b;
}

// The vertices of each piece, in rising order.
static bool list_pieces(search* s) {
    uint32_t count = s->model->vertex_count;
    uint32_t* last = LIMBERI_ALLOCATE(&s->surface.arena, uint32_t, count);
    s->next = LIMBERI_ALLOCATE(&s->surface.arena, uint32_t, count);
    for (uint32_t v = 0; last && s->next && v < count; v++) {
        uint32_t root = s->parents[v] = limberi_root_of(s->parents, v);
        if (root != v)
            s->next[last[root]] = v;
        last[root] = v;
        s->next[v] = UINT32_MAX;
    }
    return last && s->next;
}

// Vertices are of one piece when triangles join them, or when they are in the same place and hang on the same joint.
static bool find_pieces(search* s) {
    const limber_model* model = s->model;
    limberi_arena* arena = &s->surface.arena;
    uint32_t* at_node = LIMBERI_ALLOCATE(arena, uint32_t, s->surface.node_count);
    s->parents = LIMBERI_ALLOCATE(arena, uint32_t, model->vertex_count);
    s->islands = LIMBERI_ALLOCATE(arena, island, model->vertex_count);
    if (arena->failed)
        return false;
    for (uint32_t v = 0; v < model->vertex_count; v++)
        s->parents[v] = v;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        memset(at_node, 0xff, s->surface.node_count * sizeof *at_node); // pieces do not cross meshes
        for (uint32_t t = 0; t < 3 * mesh->triangle_count; t++)
            unite(s->parents, mesh->first_vertex + mesh->triangles[t], mesh->first_vertex + mesh->triangles[t - t % 3]);
        for (uint32_t v = 0; v < mesh->vertex_count; v++) {
            uint32_t* first = &at_node[s->surface.node_of_vertex[mesh->first_vertex + v]];
            if (*first == UINT32_MAX)
                *first = mesh->first_vertex + v;
            unite(s->parents, mesh->first_vertex + v, *first);
        }
    }
    return list_pieces(s);
}

static void measure_pieces(search* s, const float* off) {
    memset(s->islands, 0, s->model->vertex_count * sizeof *s->islands);
    for (uint32_t v = 0; v < s->model->vertex_count; v++) {
        island* one = &s->islands[s->parents[v]];
        one->count++;
        one->off = fmaxf(one->off, off[v]);
    }
}

// The piece of this mesh that is farthest off; UINT32_MAX: none is. The mesh's largest piece is its body.
static uint32_t worst_piece(search* s, const limber_mesh* mesh, float limit) {
    uint32_t largest = UINT32_MAX;
    uint32_t worst = UINT32_MAX;
    for (uint32_t v = mesh->first_vertex; v < mesh->first_vertex + mesh->vertex_count; v++)
        if (s->parents[v] == v && (largest == UINT32_MAX || s->islands[v].count > s->islands[largest].count))
            largest = v;
    for (uint32_t v = mesh->first_vertex; v < mesh->first_vertex + mesh->vertex_count; v++)
        if (s->parents[v] == v && v != largest && s->islands[v].off > limit &&
            (worst == UINT32_MAX || s->islands[v].off > s->islands[worst].off))
            worst = v;
    return worst;
}

// The joint that most of a piece hangs on, UINT32_MAX when it bends: one transform can only stand in for weights that
// are about the same everywhere.
static uint32_t main_bind(search* s, const limber_mesh* mesh, uint32_t root) {
    uint32_t count = s->model->skins[mesh->skin].joint_count;
    uint32_t best = 0;
    memset(s->on_joint, 0, count * sizeof *s->on_joint);
    for (uint32_t u = root; u != UINT32_MAX; u = s->next[u]) {
        uint32_t v = u - mesh->first_vertex;
        for (uint32_t i = mesh->influence_first[v]; i < mesh->influence_first[v + 1]; i++)
            s->on_joint[mesh->influence_joint[i]] += (double)mesh->influence_weight[i] / s->islands[root].count;
    }
    for (uint32_t k = 1; k < count; k++)
        best = s->on_joint[k] > s->on_joint[best] ? k : best;
    for (uint32_t u = root; u != UINT32_MAX; u = s->next[u]) {
        uint32_t v = u - mesh->first_vertex;
        double same = 0; // as much of the weights as the mean has, too
        for (uint32_t i = mesh->influence_first[v]; i < mesh->influence_first[v + 1]; i++)
            same += fmin((double)mesh->influence_weight[i], s->on_joint[mesh->influence_joint[i]]);
        if (same < min_alike)
            return UINT32_MAX;
    }
    return best;
}

// The helper for a piece: that of its joint, unless it has been there already.
static uint32_t helper_for(uint32_t m, uint32_t bind, int32_t now, uint32_t count, limberi_bone_helper* helpers) {
    uint32_t h = 0;
    while (h < count && (now >= 0 || helpers[h].mesh != m || helpers[h].bind != bind))
        h++;
    return now >= 0 ? count : h;
}

static bool add_piece(search* s, uint32_t m, uint32_t root, int32_t* helper_of_vertex, uint32_t* count,
                      limberi_bone_helper* helpers) {
    const limber_mesh* mesh = &s->model->meshes[m];
    uint32_t bind = main_bind(s, mesh, root);
    int32_t now = helper_of_vertex[root];
    s->islands[root].off = 0;
    if (bind == UINT32_MAX || (now >= 0 && helpers[now].count < 2))
        return false;
    uint32_t h = helper_for(m, bind, now, *count, helpers);
    if (h == LIMBER_BONE_HELPERS || s->model->skins[mesh->skin].joint_count + h >= JOINT_LIMIT)
        return false;
    if (h == *count) {
        helpers[h] = (limberi_bone_helper){m, s->model->skins[mesh->skin].joints[bind], bind, 0};
        ++*count;
    }
    helpers[h].count++;
    if (now >= 0)
        helpers[now].count--;
    for (uint32_t v = root; v != UINT32_MAX; v = s->next[v])
        helper_of_vertex[v] = (int32_t)h;
    return true;
}

static bool add_pieces(search* s, float limit, int32_t* helper_of_vertex, uint32_t* count,
                       limberi_bone_helper* helpers) {
    bool any = false;
    for (uint32_t m = 0; m < s->model->mesh_count; m++) {
        const limber_mesh* mesh = &s->model->meshes[m];
        // A mesh on one joint may be none that the file skins.
        for (uint32_t root;
             s->model->skins[mesh->skin].joint_count > 1 && (root = worst_piece(s, mesh, limit)) != UINT32_MAX;)
            any |= add_piece(s, m, root, helper_of_vertex, count, helpers);
    }
    return any;
}

limberi_bone_islands* limberi_bones_islands_create(const limber_model* model) {
    search* s = limberi_allocate_zeroed(1, sizeof *s);
    if (!s)
        return NULL;
    s->model = model;
    limber_result result = limberi_surface_create(model, &s->surface);
    s->on_joint = LIMBERI_ALLOCATE(&s->surface.arena, double, LIMBER_JOINT_LIMIT + 1);
    if (!result && s->on_joint && find_pieces(s))
        return s;
    limberi_bones_islands_destroy(s);
    return NULL;
}

void limberi_bones_islands_destroy(limberi_bone_islands* s) {
    if (!s)
        return;
    limberi_surface_destroy(&s->surface);
    limberi_release(s);
}

bool limberi_bones_islands_add(limberi_bone_islands* s, const float* off, float limit, int32_t* helper_of_vertex,
                               uint32_t* helper_count, limberi_bone_helper* helpers) {
    measure_pieces(s, off);
    return add_pieces(s, limit, helper_of_vertex, helper_count, helpers);
}
