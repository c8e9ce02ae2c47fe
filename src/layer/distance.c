// Distance along the surface by a front that marches over the triangles (Kimmel, Sethian, "Computing geodesic paths on
// manifolds", 1998). Inside a triangle the front is taken as a circle around the point it seems to come from, so that
// distances in a plane are exact; where there is no such point (the front started along a line), as straight.
#include "base/error.h"
#include "base/math.h"
#include "layer/surface.h"
#include "layer/tree.h"

#include <limber/stages/layer.h>
#include <string.h>

// Vertices with this share of the joint's largest weight belong to it: at a joint the weights are half its own.
static const float own_share = 0.25f;
// The ring around a joint reaches this many times as far as its nearest vertex, because joints seldom sit in the
// middle.
static const double ring_reach = 1.5;

typedef struct front {
    limberi_surface surface;
    uint32_t *fan_first, *fans; // triangles around each node
    double* distance;           // [node] in L
    uint8_t* done;              // [node]
    uint32_t* heap;             // nodes, the nearest first
    uint32_t* slot;             // [node] in the heap, plus 1; 0: not in it
    uint32_t heap_count;
} front;

// ---- the heap ----

static void place_node(front* f, uint32_t at, uint32_t node) {
    f->heap[at] = node;
    f->slot[node] = at + 1;
}

static uint32_t pop(front* f) {
    uint32_t top = f->heap[0];
    uint32_t node = f->heap[--f->heap_count];
    uint32_t at = 0;
    f->slot[top] = 0;
    if (node == top)
        return top;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= f->heap_count)
            break;
        if (child + 1 < f->heap_count && f->distance[f->heap[child + 1]] < f->distance[f->heap[child]])
            child++;
        if (f->distance[f->heap[child]] >= f->distance[node])
            break;
        place_node(f, at, f->heap[child]);
        at = child;
    }
    place_node(f, at, node);
    return top;
}

static void reach(front* f, uint32_t node, double distance) {
    if (f->done[node] || !(distance < f->distance[node]))
        return;
    f->distance[node] = distance;
    uint32_t at = f->slot[node] ? f->slot[node] - 1 : f->heap_count++;
    for (; at > 0 && distance < f->distance[f->heap[(at - 1) / 2]]; at = (at - 1) / 2)
        place_node(f, at, f->heap[(at - 1) / 2]);
    place_node(f, at, node);
}

// ---- the march ----

// The arrival at (x, y), y > 0, of a front that reaches (0, 0) at `ta` and (length, 0) at `tb`; HUGE_VAL when it does
// not come through the edge between them.
static double cross_triangle(double ta, double tb, double length, double x, double y) {
    if (fabs(tb - ta) >= length)
        return HUGE_VAL;
    double from, arrival;
    if (ta + tb > length) { // a circle around the point that is ta and tb away from the two
        double sx = (ta * ta - tb * tb + length * length) / (2 * length);
        double sy = -sqrt(fmax(ta * ta - sx * sx, 0));
        from = sx - (x - sx) * sy / (y - sy);
        arrival = sqrt((x - sx) * (x - sx) + (y - sy) * (y - sy));
    } else {
        double slope = (tb - ta) / length;
        double rate = sqrt(1 - slope * slope);
        from = x - slope / rate * y;
        arrival = ta + slope * x + rate * y;
    }
    return from >= 0 && from <= length ? arrival : HUGE_VAL;
}

static void cross_to(front* f, uint32_t a, uint32_t b, uint32_t c) {
    limber_vec3 ab = limberi_sub(f->surface.positions[b], f->surface.positions[a]);
    limber_vec3 ac = limberi_sub(f->surface.positions[c], f->surface.positions[a]);
    reach(f, c, f->distance[a] + (double)limberi_length(ac));
    double length = (double)limberi_length(ab);
    if (!f->done[b] || !(length > 1e-12))
        return;
    double x = (double)limberi_dot(ab, ac) / length;
    double y = (double)limberi_length(limberi_cross(ab, ac)) / length;
    if (y > 1e-9)
        reach(f, c, cross_triangle(f->distance[a], f->distance[b], length, x, y));
}

static void march(front* f) {
    while (f->heap_count) {
        uint32_t a = pop(f);
        f->done[a] = 1;
        for (uint32_t i = f->fan_first[a]; i < f->fan_first[a + 1]; i++) {
            const uint32_t* v = f->surface.triangles + 3 * (size_t)f->fans[i];
            uint32_t at = 0;
            while (v[at] != a)
                at++;
            uint32_t b = v[(at + 1) % 3];
            uint32_t c = v[(at + 2) % 3];
            cross_to(f, a, b, c);
            cross_to(f, a, c, b);
        }
    }
}

// ---- where it starts ----

// How much the joint holds each node: its own weights, else those of the joints below it, else 1 everywhere.
static void fill_holds(const limber_model* model, const limberi_surface* s, uint32_t joint, bool below, float* holds) {
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        const uint32_t* joints = model->skins[mesh->skin].joints;
        for (uint32_t u = 0; u < mesh->vertex_count; u++) {
            float sum = 0;
            for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
                int32_t j = (int32_t)joints[mesh->influence_joint[i]];
                for (; below && j > (int32_t)joint; j = model->rig.parents[j]) { // parents come before children
                }
                sum += j == (int32_t)joint ? mesh->influence_weight[i] : 0;
            }
            float* hold = &holds[s->node_of_vertex[mesh->first_vertex + u]];
            *hold = sum > *hold ? sum : *hold;
        }
    }
}

static float find_holds(const limber_model* model, const limberi_surface* s, uint32_t joint, float* holds) {
    float max = 0;
    for (int below = 0; below < 2 && !(max > 0); below++) {
        fill_holds(model, s, joint, below, holds);
        for (uint32_t n = 0; n < s->node_count; n++)
            max = holds[n] > max ? holds[n] : max;
    }
    for (uint32_t n = 0; n < s->node_count && !(max > 0); n++)
        holds[n] = 1;
    return max > 0 ? max : 1;
}

static limber_result start_front(front* f, const limber_model* model, uint32_t joint) {
    float* holds = LIMBERI_ALLOCATE(&f->surface.arena, float, f->surface.node_count);
    double* away = LIMBERI_ALLOCATE(&f->surface.arena, double, f->surface.node_count);
    if (f->surface.arena.failed)
        return LIMBER_ERROR_MEMORY;
    limber_mat4 world_from_joint = model->rig.world_from_joint_rest[joint];
    limber_vec3 place = limberi_surface_place(model, limberi_mat4_translation(&world_from_joint));
    float enough = own_share * find_holds(model, &f->surface, joint, holds);
    double nearest = HUGE_VAL;
    for (uint32_t n = 0; n < f->surface.node_count; n++) {
        away[n] = (double)limberi_distance(f->surface.positions[n], place);
        if (holds[n] >= enough && away[n] < nearest)
            nearest = away[n];
    }
    for (uint32_t n = 0; n < f->surface.node_count; n++)
        if (holds[n] >= enough && away[n] <= ring_reach * nearest + 1e-6)
            reach(f, n, away[n]);
    return LIMBER_OK;
}

// ---- loose pieces ----

// What the front has reached: triangles, and nodes that have none as triangles without extent.
typedef struct shore {
    const limberi_surface* surface;
    uint32_t* corners; // 3 nodes each
    limberi_box_tree tree;
    uint32_t count;
} shore;

static void load_corners(const shore* s, uint32_t item, limber_vec3* p) {
    for (size_t i = 0; i < 3; i++)
        p[i] = s->surface->positions[s->corners[3 * (size_t)item + i]];
}

static float shore_distance(const void* user, uint32_t item, limber_vec3 place) {
    limber_vec3 p[3];
    float weights[3];
    load_corners(user, item, p);
    return limberi_triangle_nearest(p, place, weights);
}

static void add_to_shore(shore* s, limberi_box* boxes, uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t corners[3] = {a, b, c};
    memcpy(s->corners + 3 * (size_t)s->count, corners, sizeof corners);
    limber_vec3 p[3];
    load_corners(s, s->count, p);
    limberi_box* box = &boxes[s->count++];
    limberi_store3(box->low, limberi_vec3(fminf(fminf(p[0].x, p[1].x), p[2].x), fminf(fminf(p[0].y, p[1].y), p[2].y),
                                          fminf(fminf(p[0].z, p[1].z), p[2].z)));
    limberi_store3(box->high, limberi_vec3(fmaxf(fmaxf(p[0].x, p[1].x), p[2].x), fmaxf(fmaxf(p[0].y, p[1].y), p[2].y),
                                           fmaxf(fmaxf(p[0].z, p[1].z), p[2].z)));
}

static limber_result build_shore(front* f, shore* s) {
    limberi_arena* arena = &f->surface.arena;
    size_t max = (size_t)f->surface.triangle_count + f->surface.node_count;
    limberi_box* boxes = LIMBERI_ALLOCATE(arena, limberi_box, max);
    s->surface = &f->surface;
    s->count = 0;
    s->corners = LIMBERI_ALLOCATE(arena, uint32_t, 3 * max);
    if (arena->failed)
        return LIMBER_ERROR_MEMORY;
    for (size_t t = 0; t < f->surface.triangle_count; t++) {
        const uint32_t* v = f->surface.triangles + 3 * t;
        if (f->done[v[0]])
            add_to_shore(s, boxes, v[0], v[1], v[2]);
    }
    for (uint32_t n = 0; n < f->surface.node_count; n++)
        if (f->done[n] && f->fan_first[n] == f->fan_first[n + 1])
            add_to_shore(s, boxes, n, n, n);
    return limberi_box_tree_build(arena, boxes, s->count, &s->tree);
}

// Pieces the front cannot reach go on from the nearest point it did reach, straight through the air.
static limber_result bridge(front* f) {
    uint32_t reached = 0;
    for (uint32_t n = 0; n < f->surface.node_count; n++)
        reached += f->done[n];
    if (!reached || reached == f->surface.node_count)
        return LIMBER_OK;
    shore s;
    if (build_shore(f, &s))
        return LIMBER_ERROR_MEMORY;
    for (uint32_t n = 0; n < f->surface.node_count; n++) {
        if (f->done[n])
            continue;
        limber_vec3 place = f->surface.positions[n];
        limber_vec3 p[3];
        float weights[3];
        uint32_t item = limberi_box_tree_nearest(&s.tree, place, HUGE_VALF, 0, shore_distance, &s);
        load_corners(&s, item, p);
        double distance = sqrt((double)limberi_triangle_nearest(p, place, weights));
        for (size_t i = 0; i < 3; i++)
            distance += (double)weights[i] * f->distance[s.corners[3 * (size_t)item + i]];
        reach(f, n, distance);
    }
    march(f);
    return LIMBER_OK;
}

static void write_values(const front* f, float* values) {
    double min = HUGE_VAL;
    double max = 0;
    for (uint32_t n = 0; n < f->surface.node_count; n++) {
        min = f->distance[n] < min ? f->distance[n] : min;
        max = f->surface.moves[n] && f->distance[n] > max ? f->distance[n] : max;
    }
    double range = max - min;
    for (uint32_t u = 0; u < f->surface.vertex_count; u++) {
        double value = f->distance[f->surface.node_of_vertex[u]] - min;
        values[u] = range > 1e-12 ? (float)fmin(value / range, 1) : 0;
    }
}

static limber_result fill_distances(front* f, const limber_model* model, uint32_t joint, float* values) {
    limberi_arena* arena = &f->surface.arena;
    uint32_t nodes = f->surface.node_count;
    limberi_surface_fans(&f->surface, &f->fan_first, &f->fans);
    f->distance = LIMBERI_ALLOCATE(arena, double, nodes);
    f->done = LIMBERI_ALLOCATE(arena, uint8_t, nodes);
    f->heap = LIMBERI_ALLOCATE(arena, uint32_t, nodes);
    f->slot = LIMBERI_ALLOCATE(arena, uint32_t, nodes);
    if (arena->failed)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t n = 0; n < nodes; n++)
        f->distance[n] = HUGE_VAL;
    if (start_front(f, model, joint))
        return LIMBER_ERROR_MEMORY;
    march(f);
    if (bridge(f))
        return LIMBER_ERROR_MEMORY;
    write_values(f, values);
    return LIMBER_OK;
}

limber_result limber_layer_joint_distance(const limber_model* model, uint32_t joint, float* values,
                                          limber_error* error) {
    if (joint >= model->rig.joint_count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "joint %u does not exist", joint);
    front f = {0};
    limber_result result = limberi_surface_create(model, &f.surface);
    if (!result)
        result = fill_distances(&f, model, joint, values);
    limberi_surface_destroy(&f.surface);
    return result ? limberi_fail_memory(error) : LIMBER_OK;
}
