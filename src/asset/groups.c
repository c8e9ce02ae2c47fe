// The vertices of a mesh, sorted once so that those with the same joints are next to each other.
#include "asset/groups.h"

#include "base/lanes.h"
#include "base/memory.h"
#include "base/sort.h"

#include <string.h>

// While sorting: the joints of each vertex, deepest first, without zeros and doubles.
typedef struct sorter {
    const limber_model* model;
    const limber_mesh* mesh;
    const uint32_t* skin_joints;
    uint32_t* set_first; // [vertex + 1]
    uint16_t* sets;      // joints of the skin
    uint32_t count;      // of the vertices that are sorted
    uint32_t* order;     // [count] these
    uint32_t* starts;    // of the groups in `order`, ending with the count
    uint32_t group_count;
    limberi_ancestors tree;
    uint32_t open_count, joined_count;
    uint32_t* slot_scratch;
    uint32_t *open, *joined; // joints of the open group, and with those of one more vertex, in the tree's order
    struct waypoint* way;    // see fill_chains
} sorter;

// A joint on the way up while chains are made, and the weight that has reached it.
struct waypoint {
    int32_t joint;
    uint32_t weight;
};

// --- joint sets ---

// Deeper joints have higher numbers in the rig. The same joint may stand in a skin twice; its number in the skin then
// keeps the order total.
static bool deeper(const sorter* s, uint16_t a, uint16_t b) {
    uint32_t x = s->skin_joints[a];
    uint32_t y = s->skin_joints[b];
    return x > y || (x == y && a > b);
}

static void make_sets(sorter* s) {
    const limber_mesh* mesh = s->mesh;
    uint32_t at = 0;
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        uint32_t start = s->set_first[u] = at;
        for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
            uint16_t joint = mesh->influence_joint[i];
            uint32_t place = at;
            bool known = mesh->influence_weight[i] == 0;
            for (uint32_t k = start; k < at; k++)
                known = known || s->sets[k] == joint;
            if (known)
                continue;
            for (; place > start && deeper(s, joint, s->sets[place - 1]); place--)
                s->sets[place] = s->sets[place - 1];
            s->sets[place] = joint;
            at++;
        }
    }
    s->set_first[mesh->vertex_count] = at;
}

static int compare_sets(const void* user, uint32_t a, uint32_t b) {
    const sorter* s = user;
    const uint16_t* x = s->sets + s->set_first[a];
    const uint16_t* y = s->sets + s->set_first[b];
    uint32_t m = s->set_first[a + 1] - s->set_first[a];
    uint32_t n = s->set_first[b + 1] - s->set_first[b];
    for (uint32_t i = 0; i < m && i < n; i++)
        if (x[i] != y[i])
            return deeper(s, x[i], y[i]) ? 1 : -1;
    return (m > n) - (m < n);
}

// --- where groups end ---

// Joints of a set of vertices, and those with the ones above them.
typedef struct extent {
    uint32_t slots, rows;
} extent;

// How many joints a joint adds to the ways of its two neighbours in the tree's order.
static uint32_t added_rows(const limberi_ancestors* t, int32_t before, int32_t joint, int32_t after) {
    return limberi_ancestors_depth(t, joint) - limberi_ancestors_depth(t, limberi_ancestors_common(t, before, joint)) -
           limberi_ancestors_depth(t, limberi_ancestors_common(t, joint, after)) +
           limberi_ancestors_depth(t, limberi_ancestors_common(t, before, after));
}

// Puts a joint into a list in the tree's order, and counts it unless it is there.
static uint32_t insert_joint(const limberi_ancestors* t, uint32_t* list, uint32_t count, uint32_t joint, extent* e) {
    uint32_t at = count;
    while (at > 0 && t->order[list[at - 1]] > t->order[joint])
        at--;
    if (at > 0 && list[at - 1] == joint)
        return count;
    e->slots++;
    e->rows += added_rows(t, at > 0 ? (int32_t)list[at - 1] : -1, (int32_t)joint, at < count ? (int32_t)list[at] : -1);
    memmove(list + at + 1, list + at, (count - at) * sizeof *list);
    list[at] = joint;
    return count + 1;
}

// How wide the open group is with one more vertex; its joints are then in `joined`.
static extent widen(sorter* s, extent e, uint32_t vertex) {
    memcpy(s->joined, s->open, s->open_count * sizeof *s->open);
    s->joined_count = s->open_count;
    for (uint32_t i = s->set_first[vertex]; i < s->set_first[vertex + 1]; i++)
        s->joined_count = insert_joint(&s->tree, s->joined, s->joined_count, s->skin_joints[s->sets[i]], &e);
    return e;
}

static void swap_joined(sorter* s) {
    uint32_t* swap = s->open;
    s->open = s->joined;
    s->joined = swap;
    s->open_count = s->joined_count;
}

static extent measure_extent(sorter* s, uint32_t vertex) {
    extent none = {0, 0};
    s->open_count = 0;
    return widen(s, none, vertex);
}

// What a group costs, in vector instructions: 12 a step for each joint of the skin, about 50 for each joint that may
// displace it, and some set-up.
static double cost(uint32_t count, extent e) {
    uint32_t steps = (count + LIMBERI_GROUP_STEP - 1) / LIMBERI_GROUP_STEP;
    return steps * (12.0 * e.slots + 50.0 * e.rows + 30) + 20.0 * e.rows + 150;
}

// Only neighbours in the sorted order are joined: their sets differ in the fewest joints.
static void find_groups(sorter* s) {
    uint32_t count = s->count;
    uint32_t begun = 0;
    extent group = {0, 0};
    for (uint32_t first = 0, end; first < count; first = end) {
        uint32_t vertex = s->order[first];
        uint32_t open = first - begun;
        for (end = first + 1; end < count && end - first < LIMBER_BLOCK; end++)
            if (compare_sets(s, vertex, s->order[end]) != 0)
                break;
        extent joined = widen(s, group, vertex);
        extent alone = {0, 0};
        alone.slots = s->set_first[vertex + 1] - s->set_first[vertex];
        alone.rows = alone.slots ? s->tree.depth[s->skin_joints[s->sets[s->set_first[vertex]]]] : 0;
        if (open && open + end - first <= LIMBER_BLOCK &&
            cost(open + end - first, joined) <= cost(open, group) + cost(end - first, alone)) {
            group = joined;
            swap_joined(s);
            continue;
        }
        if (open)
            s->starts[s->group_count++] = begun;
        begun = first;
        group = measure_extent(s, vertex);
        swap_joined(s);
    }
    if (count)
        s->starts[s->group_count++] = begun;
    s->starts[s->group_count] = count;
}

// Within a group the order is free; ascending, neighbours of the mesh are written at once
// (limberi_lanes_scatter_triples).
static void sort_groups(sorter* s) {
    for (uint32_t g = 0; g < s->group_count; g++) {
        for (uint32_t i = s->starts[g] + 1; i < s->starts[g + 1]; i++) {
            uint32_t vertex = s->order[i];
            uint32_t at = i;
            for (; at > s->starts[g] && s->order[at - 1] > vertex; at--)
                s->order[at] = s->order[at - 1];
            s->order[at] = vertex;
        }
    }
}

// --- filling ---

typedef struct filler {
    struct limberi_groups* out;
    limberi_group* groups;
    uint32_t* vertices;
    float *positions[3], *normals[3];
    float* weights;
    uint16_t* slots;
    limberi_weight_sum* sums;
    limberi_chain* chains;
    size_t weight_count, slot_count, sum_count, chain_count; // so far
} filler;

static void add_slot(const filler* f, limberi_group* g, uint16_t joint) {
    for (uint32_t k = 0; k < g->slot_count; k++)
        if (f->slots[g->slot_first + k] == joint)
            return;
    f->slots[g->slot_first + g->slot_count++] = joint;
}

static void fill_weights(const sorter* s, const filler* f, const limberi_group* g, uint32_t order_first) {
    if (g->slot_count < 2)
        return;
    float* weights = f->weights + g->weight_first;
    memset(weights, 0, (size_t)g->slot_count * g->width * sizeof *weights);
    for (uint32_t v = 0; v < g->width; v++) {
        uint32_t u = s->order[order_first + (v < g->count ? v : g->count - 1)];
        for (uint32_t i = s->mesh->influence_first[u]; i < s->mesh->influence_first[u + 1]; i++)
            for (uint32_t k = 0; k < g->slot_count; k++)
                if (f->slots[g->slot_first + k] == s->mesh->influence_joint[i])
                    weights[(size_t)k * g->width + v] += s->mesh->influence_weight[i];
    }
}

// A joint's upward weight is what its children hand up plus its own. Where only one child hands up, parent and child
// share a weight, and so do all joints above until the next fork: a chain. Joints come in the tree's order, so that the
// way from the current one to its root (the `way`, outermost first) can be kept on a stack.

static uint32_t add_weights(filler* f, limberi_group* g, uint32_t a, uint32_t b) {
    limberi_weight_sum sum = {(uint16_t)a, (uint16_t)b};
    f->sums[f->sum_count++] = sum;
    return g->slot_count + g->sum_count++;
}

// Ends the chains of joints that do not lead to `joint`. Returns how much of the way is left.
static uint32_t leave_way(sorter* s, filler* f, limberi_group* g, uint32_t count, int32_t joint) {
    while (count > 0) {
        struct waypoint top = s->way[count - 1];
        int32_t fork = limberi_ancestors_common(&s->tree, top.joint, joint);
        if (fork == top.joint)
            return count;
        bool below = count > 1 && limberi_ancestors_depth(&s->tree, s->way[count - 2].joint) >=
                                      limberi_ancestors_depth(&s->tree, fork);
        int32_t stop = below ? s->way[count - 2].joint : fork;
        limberi_chain chain = {(uint16_t)top.joint, (uint16_t)top.weight, stop};
        f->chains[f->chain_count++] = chain;
        g->chain_count++;
        f->out->padded_pairs += (double)(s->tree.depth[top.joint] - limberi_ancestors_depth(&s->tree, stop)) * g->width;
        if (below) {
            s->way[count - 2].weight = add_weights(f, g, s->way[count - 2].weight, top.weight);
            count--;
        } else if (stop >= 0) {
            s->way[count - 1].joint = stop;
        } else {
            count--;
        }
    }
    return 0;
}

static int compare_tree_order(const void* user, uint32_t a, uint32_t b) {
    const uint32_t* const* orders = user; // of the tree's joints, of the group's slots as joints
    uint32_t x = orders[0][orders[1][a]];
    uint32_t y = orders[0][orders[1][b]];
    return (x > y) - (x < y);
}

static void fill_chains(sorter* s, filler* f, limberi_group* g) {
    uint32_t count = 0;
    uint32_t* joints = s->open;
    uint32_t* order = s->joined;
    uint32_t* scratch = s->slot_scratch;
    g->sum_first = (uint32_t)f->sum_count;
    g->chain_first = (uint32_t)f->chain_count;
    for (uint32_t k = 0; k < g->slot_count; k++) {
        joints[k] = s->skin_joints[f->slots[g->slot_first + k]];
        order[k] = k;
    }
    const uint32_t* orders[2] = {s->tree.order, joints};
    limberi_sort(order, scratch, g->slot_count, compare_tree_order, (const void*)orders);
    for (uint32_t k = 0; k < g->slot_count; k++) {
        int32_t joint = (int32_t)joints[order[k]];
        count = leave_way(s, f, g, count, joint);
        if (count && s->way[count - 1].joint == joint) {
            s->way[count - 1].weight = add_weights(f, g, s->way[count - 1].weight, order[k]);
            continue;
        }
        struct waypoint here = {joint, order[k]};
        s->way[count++] = here;
    }
    leave_way(s, f, g, count, -1);
}

static void fill_vertices(const sorter* s, const filler* f, const limberi_group* g, uint32_t order_first) {
    for (uint32_t v = 0; v < g->width; v++) {
        uint32_t u = s->order[order_first + (v < g->count ? v : g->count - 1)];
        f->vertices[g->first + v] = u;
        for (size_t c = 0; c < 3; c++) {
            f->positions[c][g->first + v] = s->mesh->positions[3 * (size_t)u + c];
            f->normals[c][g->first + v] = s->mesh->normals[3 * (size_t)u + c];
        }
    }
}

static void start_group(sorter* s, filler* f, uint32_t index, limberi_group* g) {
    memset(g, 0, sizeof *g);
    g->first = f->out->width;
    g->count = s->starts[index + 1] - s->starts[index];
    g->width = (g->count + LIMBERI_GROUP_STEP - 1) / LIMBERI_GROUP_STEP * LIMBERI_GROUP_STEP;
    g->slot_first = (uint32_t)f->slot_count;
    g->weight_first = (uint32_t)f->weight_count;
    uint32_t before = UINT32_MAX;
    for (uint32_t i = s->starts[index]; i < s->starts[index + 1]; i++) {
        uint32_t u = s->order[i];
        if (before != UINT32_MAX && compare_sets(s, before, u) == 0)
            continue;
        for (uint32_t k = s->set_first[u]; k < s->set_first[u + 1]; k++)
            add_slot(f, g, s->sets[k]);
        before = u;
    }
    f->slot_count += g->slot_count;
    f->weight_count += g->slot_count > 1 ? (size_t)g->slot_count * g->width : 0;
    f->out->width += g->width;
}

// Sizes first: every group lists its slots into a scratch array as wide as all influences, which bounds them.
static bool start_groups(sorter* s, limberi_arena* arena, filler* f) {
    struct limberi_groups* out = f->out;
    size_t influences = s->set_first[s->mesh->vertex_count];
    f->groups = LIMBERI_ALLOCATE(arena, limberi_group, s->group_count);
    f->slots = limberi_allocate((influences + 1) * sizeof *f->slots);
    if (!f->groups || !f->slots)
        return false;
    for (uint32_t i = 0; i < s->group_count; i++) {
        start_group(s, f, i, &f->groups[i]);
        if (f->groups[i].slot_count >= 32768) // weights and sums are numbered with 16 bits
            return false;
    }
    out->slots = LIMBERI_COPY(arena, uint16_t, f->slots, f->slot_count);
    f->weights = LIMBERI_ALLOCATE(arena, float, f->weight_count);
    f->vertices = LIMBERI_ALLOCATE(arena, uint32_t, out->width);
    for (int c = 0; c < 3; c++) {
        out->positions[c] = f->positions[c] = LIMBERI_ALLOCATE(arena, float, out->width);
        out->normals[c] = f->normals[c] = LIMBERI_ALLOCATE(arena, float, out->width);
    }
    f->sums = limberi_allocate((f->slot_count + 1) * sizeof *f->sums); // k weights are joined by k - 1 sums ...
    f->chains =
        limberi_allocate((2 * f->slot_count + 1) * sizeof *f->chains); // ... and each of the 2k - 1 has one chain
    return !arena->failed && f->sums && f->chains && f->weight_count < UINT32_MAX;
}

static bool fill_groups(sorter* s, limberi_arena* arena, struct limberi_groups* out) {
    filler f = {0};
    f.out = out;
    bool ok = start_groups(s, arena, &f);
    uint32_t count = ok ? s->group_count : 0;
    for (uint32_t i = 0; i < count; i++) {
        limberi_group* g = &f.groups[i];
        fill_vertices(s, &f, g, s->starts[i]);
        fill_weights(s, &f, g, s->starts[i]);
        fill_chains(s, &f, g);
        uint32_t weights = g->slot_count + g->sum_count;
        out->max_weights = weights > out->max_weights ? weights : out->max_weights;
    }
    out->sums = LIMBERI_COPY(arena, limberi_weight_sum, f.sums, ok ? f.sum_count : 0);
    out->chains = LIMBERI_COPY(arena, limberi_chain, f.chains, ok ? f.chain_count : 0);
    out->group_count = s->group_count;
    out->groups = f.groups;
    out->vertices = f.vertices;
    out->weights = f.weights;
    limberi_release(f.slots);
    limberi_release(f.sums);
    limberi_release(f.chains);
    return ok && !arena->failed;
}

static void count_pairs(sorter* s, struct limberi_groups* out) {
    extent e = {0, 0};
    for (uint32_t i = 0; i < s->count; i++) {
        if (i == 0 || compare_sets(s, s->order[i - 1], s->order[i]) != 0)
            e = measure_extent(s, s->order[i]);
        out->pairs += e.rows;
    }
}

static bool allocate_sorter(limberi_arena* scratch, sorter* s) {
    size_t vertices = s->mesh->vertex_count;
    s->set_first = LIMBERI_ALLOCATE(scratch, uint32_t, vertices + 1);
    s->sets = LIMBERI_ALLOCATE(scratch, uint16_t, s->mesh->influence_first[vertices]);
    s->order = LIMBERI_ALLOCATE(scratch, uint32_t, vertices);
    s->starts = LIMBERI_ALLOCATE(scratch, uint32_t, vertices + 1);
    return !scratch->failed;
}

// The most joints of the skin that a block of vertices, and one more that is only tried, can have.
static bool allocate_lists(limberi_arena* scratch, sorter* s) {
    size_t max = 0;
    size_t joints = s->model->skins[s->mesh->skin].joint_count;
    for (uint32_t u = 0; u < s->mesh->vertex_count; u++) {
        size_t own = s->set_first[u + 1] - s->set_first[u];
        max = own > max ? own : max;
    }
    max = max * (LIMBER_BLOCK + 1) < joints ? max * (LIMBER_BLOCK + 1) : joints;
    s->open = LIMBERI_ALLOCATE(scratch, uint32_t, max + 1);
    s->joined = LIMBERI_ALLOCATE(scratch, uint32_t, max + 1);
    s->slot_scratch = LIMBERI_ALLOCATE(scratch, uint32_t, max + 1);
    s->way = LIMBERI_ALLOCATE(scratch, struct waypoint, 2 * max + 2);
    return !scratch->failed;
}

const struct limberi_groups* limberi_groups_make(limberi_arena* arena, const limber_model* model,
                                                 const limberi_ancestors* tree, const limber_mesh* mesh) {
    return limberi_groups_make_of(arena, model, tree, mesh, NULL, mesh->vertex_count);
}

const struct limberi_groups* limberi_groups_make_of(limberi_arena* arena, const limber_model* model,
                                                    const limberi_ancestors* tree, const limber_mesh* mesh,
                                                    const uint32_t* vertices, uint32_t count) {
    limberi_arena scratch = {NULL, false};
    struct limberi_groups* out = LIMBERI_ALLOCATE(arena, struct limberi_groups, 1);
    sorter s = {0};
    s.model = model;
    s.mesh = mesh;
    s.tree = *tree;
    s.count = count;
    s.skin_joints = model->skins[mesh->skin].joints;
    bool ok = out && allocate_sorter(&scratch, &s);
    if (ok) {
        make_sets(&s);
        ok = allocate_lists(&scratch, &s);
    }
    if (ok) {
        for (uint32_t i = 0; i < count; i++)
            s.order[i] = vertices ? vertices[i] : i;
        limberi_sort(s.order, s.starts, count, compare_sets, &s);
        find_groups(&s);
        count_pairs(&s, out);
        sort_groups(&s);
        ok = fill_groups(&s, arena, out);
    }
    limberi_arena_free(&scratch);
    arena->failed = arena->failed || !ok;
    return ok ? out : NULL;
}

// --- use ---

const float limberi_group_ones[LIMBER_BLOCK] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                                1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                                1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

const float* limberi_group_weight(const struct limberi_groups* groups, const limberi_group* group, const float* sums,
                                  uint32_t index) {
    if (group->slot_count == 1)
        return limberi_group_ones;
    if (index < group->slot_count)
        return groups->weights + group->weight_first + (size_t)index * group->width;
    return sums + (size_t)(index - group->slot_count) * LIMBER_BLOCK;
}

void limberi_group_sums(const struct limberi_groups* groups, const limberi_group* group, float* sums) {
    for (uint32_t n = 0; n < group->sum_count; n++) {
        limberi_weight_sum sum = groups->sums[group->sum_first + n];
        const float* a = limberi_group_weight(groups, group, sums, sum.a);
        const float* b = limberi_group_weight(groups, group, sums, sum.b);
        float* out = sums + (size_t)n * LIMBER_BLOCK;
        for (uint32_t v = 0; v < group->width; v++)
            out[v] = a[v] + b[v];
    }
}

void limberi_group_gather(const struct limberi_groups* groups, const limberi_group* group, const float* from,
                          limberi_block3* to) {
    const uint32_t* vertices = groups->vertices + group->first;
    for (uint32_t v = 0; v < group->width; v += LIMBERI_LANE_COUNT)
        limberi_lanes_gather_triples(from, vertices + v, to->v[0] + v, to->v[1] + v, to->v[2] + v);
}

// Of as many vertices as there are lanes.
LIMBERI_INLINED void scatter_some(const uint32_t* vertices, const limberi_block3* from, uint32_t v, float* to) {
    limberi_lanes_scatter_triples(to, vertices, from->v[0] + v, from->v[1] + v, from->v[2] + v);
}

LIMBERI_INLINED void scatter_one(uint32_t vertex, const limberi_block3* from, uint32_t v, float* to) {
    float* p = to + 3 * (size_t)vertex;
    p[0] = from->v[0][v];
    p[1] = from->v[1][v];
    p[2] = from->v[2][v];
}

void limberi_group_scatter(const struct limberi_groups* groups, const limberi_group* group, const limberi_block3* from,
                           float* to) {
    const uint32_t* vertices = groups->vertices + group->first;
    uint32_t v = 0;
    for (; v + LIMBERI_LANE_COUNT <= group->count; v += LIMBERI_LANE_COUNT)
        scatter_some(vertices + v, from, v, to);
    for (; v < group->count; v++)
        scatter_one(vertices[v], from, v, to);
}

void limberi_group_scatter_both(const struct limberi_groups* groups, const limberi_group* group,
                                const limberi_block3* from, float* to, const limberi_block3* from_other, float* other) {
    const uint32_t* vertices = groups->vertices + group->first;
    uint32_t v = 0;
    for (; v + LIMBERI_LANE_COUNT <= group->count; v += LIMBERI_LANE_COUNT) {
        uint32_t some[LIMBERI_LANE_COUNT]; // a copy, which stores do not change
        memcpy(some, vertices + v, sizeof some);
        scatter_some(some, from, v, to);
        scatter_some(some, from_other, v, other);
    }
    for (; v < group->count; v++) {
        scatter_one(vertices[v], from, v, to);
        scatter_one(vertices[v], from_other, v, other);
    }
}

const float* limberi_groups_sorted(limberi_arena* arena, const struct limberi_groups* groups, const float* values) {
    float* sorted = values ? LIMBERI_ALLOCATE(arena, float, groups->width) : NULL;
    for (uint32_t v = 0; sorted && v < groups->width; v++)
        sorted[v] = values[groups->vertices[v]];
    return sorted;
}
