// Which islands touch each other, and the skin that touches them.
#include "base/math.h"
#include "rigid/islands.h"

#include <stdlib.h>
#include <string.h>

static const float joined = 0.012f;  // in L: islands this near are one part (S11)
static const float touching = 0.02f; // in L: skin this near holds a part (S11)

typedef struct search {
    limberi_islands* s;
    limberi_triangle_tree triangles;
    limberi_box_tree points;
    uint32_t* node_of; // [item] of the points
    uint32_t* sets;
    uint32_t *on_joint, *next_on_joint; // first rigid island of a joint, and the one after an island
    uint8_t* touched;                   // [set]
    const limberi_island* from;
    uint32_t set;
} search;

static bool is_rigid(const limberi_islands* s, uint32_t island) {
    return island != UINT32_MAX && limberi_island_is_rigid(s, island) && !limberi_island_is_spike(s, island);
}

limberi_box limberi_box_around(const limber_vec3* p, uint32_t count) {
    limberi_box box = {{p->x, p->y, p->z}, {p->x, p->y, p->z}};
    for (uint32_t i = 1; i < count; i++) {
        const float at[3] = {p[i].x, p[i].y, p[i].z};
        for (int c = 0; c < 3; c++) {
            box.low[c] = fminf(box.low[c], at[c]);
            box.high[c] = fmaxf(box.high[c], at[c]);
        }
    }
    return box;
}

limber_result limberi_triangle_tree_build(limberi_arena* arena, const limberi_islands* islands,
                                          bool (*takes)(const limberi_islands* islands, const uint32_t* nodes),
                                          limberi_triangle_tree* tree) {
    const limberi_surface* surface = tree->surface = &islands->surface;
    limberi_box* boxes = LIMBERI_ALLOCATE(arena, limberi_box, surface->triangle_count);
    tree->triangle_of = LIMBERI_ALLOCATE(arena, uint32_t, surface->triangle_count);
    uint32_t count = 0;
    if (arena->failed)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t t = 0; t < surface->triangle_count; t++) {
        limber_vec3 p[3];
        if (!takes(islands, surface->triangles + 3 * (size_t)t))
            continue;
        limberi_load_corners(surface, t, p);
        boxes[count] = limberi_box_around(p, 3);
        tree->triangle_of[count++] = t;
    }
    return limberi_box_tree_open(arena, boxes, count, &tree->boxes);
}

float limberi_triangle_tree_distance(const limberi_triangle_tree* tree, uint32_t item, limber_vec3 place) {
    limber_vec3 p[3];
    float weights[3];
    limberi_load_corners(tree->surface, tree->triangle_of[item], p);
    return limberi_triangle_nearest(p, place, weights);
}

static bool is_held(const limberi_islands* s, const uint32_t* n) {
    return is_rigid(s, s->of_node[n[0]]) && s->hold[n[0]] + s->hold[n[1]] + s->hold[n[2]] > 0;
}

static limber_result build_point_tree(limberi_arena* arena, search* w) {
    const limberi_surface* surface = &w->s->surface;
    limberi_box* boxes = LIMBERI_ALLOCATE(arena, limberi_box, surface->node_count);
    w->node_of = LIMBERI_ALLOCATE(arena, uint32_t, surface->node_count);
    uint32_t count = 0;
    if (arena->failed)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t n = 0; n < surface->node_count; n++) {
        if (!limberi_node_is_soft(w->s, n))
            continue;
        boxes[count] = limberi_box_around(&surface->positions[n], 1);
        w->node_of[count++] = n;
    }
    return limberi_box_tree_open(arena, boxes, count, &w->points);
}

// --- islands that touch each other ---

static uint32_t island_of_triangle(const search* w, uint32_t item) {
    return w->s->of_node[w->s->surface.triangles[3 * (size_t)w->triangles.triangle_of[item]]];
}

static float triangle_distance(const void* user, uint32_t item, limber_vec3 place) {
    return limberi_triangle_tree_distance(&((const search*)user)->triangles, item, place);
}

// Appendages move on their own, and what lies on them with them.
static bool goes_alone(const limberi_island* island) {
    return island->appendage || island->on != UINT32_MAX;
}

static float other_distance(const void* user, uint32_t item, limber_vec3 place) {
    const search* w = user;
    uint32_t island = island_of_triangle(w, item);
    if (w->s->islands[island].joint != w->from->joint || limberi_root_of(w->sets, island) == w->set ||
        goes_alone(&w->s->islands[island]))
        return HUGE_VALF;
    return triangle_distance(user, item, place);
}

// Whether another island that could be joined may be this near; most nodes are far from all of them.
static bool is_near_another(const search* w, limber_vec3 place) {
    const float at[3] = {place.x, place.y, place.z};
    for (uint32_t i = w->on_joint[w->from->joint]; i != UINT32_MAX; i = w->next_on_joint[i]) {
        const limberi_island* other = &w->s->islands[i];
        bool near = limberi_root_of(w->sets, i) != w->set;
        for (int c = 0; near && c < 3; c++)
            near = at[c] >= other->low[c] - joined && at[c] <= other->high[c] + joined;
        if (near)
            return true;
    }
    return false;
}

static void join_island(search* w, uint32_t island) {
    limberi_islands* s = w->s;
    w->from = &s->islands[island];
    for (uint32_t i = 0; i < w->from->count; i++) {
        uint32_t u = s->vertices[w->from->first + i];
        uint32_t node = s->surface.node_of_vertex[u];
        limber_vec3 place = s->surface.positions[node];
        w->set = limberi_root_of(w->sets, island);
        if (s->vertex_of_node[node] != u || !is_near_another(w, place))
            continue;
        uint32_t found = limberi_box_tree_nearest(&w->triangles.boxes, place, joined, 0, other_distance, w);
        if (found == UINT32_MAX)
            continue;
        limberi_join_sets(w->sets, w->set, island_of_triangle(w, found));
    }
}

static bool list_by_joint(limberi_arena* arena, search* w) {
    const limberi_islands* s = w->s;
    size_t joints = (size_t)s->model->rig.joint_count + 1;
    w->on_joint = LIMBERI_ALLOCATE(arena, uint32_t, joints);
    w->next_on_joint = LIMBERI_ALLOCATE(arena, uint32_t, s->count);
    if (arena->failed)
        return false;
    memset(w->on_joint, 0xff, joints * sizeof *w->on_joint);
    for (uint32_t i = s->count; i-- > 0;) {
        w->next_on_joint[i] = w->on_joint[s->islands[i].joint];
        if (is_rigid(s, i))
            w->on_joint[s->islands[i].joint] = i;
    }
    return true;
}

static void join_islands(search* w) {
    for (uint32_t i = 0; i < w->s->count; i++)
        w->sets[i] = i;
    for (uint32_t i = 0; i < w->s->count; i++)
        if (is_rigid(w->s, i) && !goes_alone(&w->s->islands[i]))
            join_island(w, i);
    for (uint32_t i = 0; i < w->s->count; i++)
        w->sets[i] = limberi_root_of(w->sets, i);
    for (uint32_t i = 0; i < w->s->count; i++)
        if (w->s->islands[i].on != UINT32_MAX)
            w->sets[i] = w->s->islands[i].on;
}

// --- skin that touches ---

static float point_distance(const void* user, uint32_t item, limber_vec3 place) {
    const search* w = user;
    limber_vec3 away = limberi_sub(w->s->surface.positions[w->node_of[item]], place);
    return limberi_dot(away, away);
}

static uint32_t depth_of(const int32_t* parents, uint32_t joint) {
    uint32_t depth = 0;
    for (int32_t j = parents[joint]; j >= 0; j = parents[j])
        depth++;
    return depth;
}

uint32_t limberi_joint_steps(const limberi_islands* s, uint32_t a, uint32_t b) {
    const int32_t* parents = s->model->rig.hangs_on;
    uint32_t steps = 0;
    uint32_t p = depth_of(parents, a);
    uint32_t q = depth_of(parents, b);
    for (; a != b; steps++) {
        if (p == 0 && q == 0)
            return UINT32_MAX; // two trees
        if (p >= q) {
            a = (uint32_t)parents[a];
            p--;
        } else {
            b = (uint32_t)parents[b];
            q--;
        }
    }
    return steps;
}

static void add_touch(const search* w, uint32_t island, uint32_t node, limberi_touches* touches) {
    const limberi_islands* s = w->s;
    uint32_t main_joint = limberi_island_main_joint(s, s->vertex_of_node[node]);
    bool edge = s->of_node[node] == island;
    limberi_touch touch = {w->sets[island], node, 0};
    if (!edge)
        touch.steps = limberi_joint_steps(s, s->islands[island].joint, main_joint);
    if (touch.steps <= LIMBERI_MAX_STEPS)
        touches->items[touches->count++] = touch;
}

static int compare_touches(const void* a, const void* b) {
    const limberi_touch* x = a;
    const limberi_touch* y = b;
    if (x->set != y->set)
        return x->set < y->set ? -1 : 1;
    if (x->steps != y->steps)
        return x->steps < y->steps ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

// Skin finds the nearest part: a staff has no vertices where a hand holds it. Edges that blend into skin count as skin.
static void touch_from_skin(search* w, limberi_touches* touches) {
    const limberi_islands* s = w->s;
    for (uint32_t n = 0; n < s->surface.node_count; n++) {
        if (is_rigid(s, s->of_node[n]) && s->hold[n] > 0 && s->hold[n] < 1)
            add_touch(w, s->of_node[n], n, touches);
        if (!limberi_node_is_soft(s, n))
            continue;
        uint32_t found =
            limberi_box_tree_nearest(&w->triangles.boxes, s->surface.positions[n], touching, 0, triangle_distance, w);
        if (found != UINT32_MAX)
            add_touch(w, island_of_triangle(w, found), n, touches);
    }
}

// Parts that no skin found look for it themselves: another one lies between, as a helmet does between face and visor.
static limber_result touch_from_parts(limberi_arena* arena, search* w, limberi_touches* touches) {
    const limberi_islands* s = w->s;
    bool all = true;
    for (uint32_t i = 0; i < touches->count; i++)
        w->touched[touches->items[i].set] = 1;
    for (uint32_t i = 0; i < s->count; i++)
        all = all && (!is_rigid(s, i) || w->touched[w->sets[i]]);
    if (all)
        return LIMBER_OK;
    if (build_point_tree(arena, w))
        return LIMBER_ERROR_MEMORY;
    for (uint32_t n = 0; n < s->surface.node_count; n++) {
        uint32_t island = s->of_node[n];
        if (!is_rigid(s, island) || w->touched[w->sets[island]])
            continue;
        uint32_t found = limberi_box_tree_nearest(&w->points, s->surface.positions[n], touching, 0, point_distance, w);
        if (found != UINT32_MAX)
            add_touch(w, island, w->node_of[found], touches);
    }
    return LIMBER_OK;
}

// --- all of it ---

static limber_result find_touches(limberi_arena* arena, search* w, limberi_touches* touches) {
    limberi_islands* s = w->s;
    w->sets = touches->sets = LIMBERI_ALLOCATE(&s->surface.arena, uint32_t, s->count);
    touches->items = LIMBERI_ALLOCATE(&s->surface.arena, limberi_touch, 2 * (size_t)s->surface.node_count);
    w->touched = LIMBERI_ALLOCATE(arena, uint8_t, s->count);
    if (s->surface.arena.failed || !w->touched || !list_by_joint(arena, w) ||
        limberi_triangle_tree_build(arena, s, is_held, &w->triangles))
        return LIMBER_ERROR_MEMORY;
    join_islands(w);
    touch_from_skin(w, touches);
    if (touch_from_parts(arena, w, touches))
        return LIMBER_ERROR_MEMORY;
    uint32_t kept = 0; // each once
    qsort(touches->items, touches->count, sizeof *touches->items, compare_touches);
    for (uint32_t i = 0; i < touches->count; i++)
        if (!kept || compare_touches(&touches->items[kept - 1], &touches->items[i]) != 0)
            touches->items[kept++] = touches->items[i];
    touches->count = kept;
    return LIMBER_OK;
}

limber_result limberi_rigid_touch(limberi_islands* s, limberi_touches* touches) {
    limberi_arena arena = {NULL, false};
    search w = {0};
    memset(touches, 0, sizeof *touches);
    w.s = s;
    limber_result result = find_touches(&arena, &w, touches);
    limberi_arena_free(&arena);
    return result;
}
