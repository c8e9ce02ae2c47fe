// What rigid islands are, by geometry and the skeleton only (S19): props are held at the end of a limb, appendages are
// attached at one end and thin, as capes and hats are.
#include "asset/body.h"
#include "base/math.h"
#include "base/symmetric.h"
#include "layer/tree.h"
#include "rigid/islands.h"

#include <string.h>

static const double more_below = 0.15;    // of a joint's surface, further out: more than that is no end of a limb (S19)
static const double slim = 0.4;           // third extent over the first: blades, shields, books (S19)
static const double slender = 0.35;       // second over the first: blades, horns and brows never swing
static const double ball = 0.5;           // thickness over the diameter: round ones do not swing either
static const double thin = 0.5;           // of the thickness of what it hangs on (S19)
static const double host_area = 0.3;      // of its own: what is smaller holds nothing (S19)
static const double host_share = 0.1;     // of a soft island's weights on a joint, so that it may be its core
static const float host_weight = 0.2f;    // of skin on the joint that holds (S19)
static const float attached = 0.03f;      // in L (S19)
static const double attached_share = 0.5; // of the surface, at most (S19)
static const float min_reach = 0.05f;     // in L: this far from what holds it ...
static const double reach_share = 0.02;   // ... is at least that much of it (S19)
static const float min_appendage = 0.25f; // in L: fins and plates that are smaller keep still
static const float largest_buckle = 0.15f; // in L
static const float joined = 0.012f;        // in L: a buckle on a hat

void limberi_island_measure(const limberi_islands* s, const uint32_t* vertices, uint32_t count, double* extents,
                            double* axis) {
    double mean[3] = {0};
    double spread[9] = {0};
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < count; i++) {
            limber_vec3 p = s->surface.positions[s->surface.node_of_vertex[vertices[i]]];
            const double at[3] = {(double)p.x, (double)p.y, (double)p.z};
            for (int c = 0; !pass && c < 3; c++)
                mean[c] += at[c] / count;
            for (int c = 0; pass && c < 9; c++)
                spread[c] += (at[c / 3] - mean[c / 3]) * (at[c % 3] - mean[c % 3]) / count;
        }
    limberi_eigen_small(spread, 3, extents);
    memcpy(axis, spread, 3 * sizeof *axis);
    for (int i = 0; i < 3; i++)
        extents[i] = sqrt(fmax(extents[i], 0));
}

bool limberi_islands_find_limbs(limberi_islands* s) {
    uint32_t joints = s->model->rig.joint_count;
    s->limb = LIMBERI_ALLOCATE(&s->surface.arena, uint8_t, (size_t)joints + 1);
    uint32_t* scratch = LIMBERI_ALLOCATE(&s->surface.arena, uint32_t, (size_t)joints + 1);
    if (!s->limb || !scratch)
        return false;
    limberi_body_pairs(s->model, scratch, s->limb);
    return true;
}

// --- props ---

bool limberi_islands_find_props(limberi_islands* s) {
    const limber_rig* rig = &s->model->rig;
    size_t joints = (size_t)rig->joint_count + 1;
    double* own = LIMBERI_ALLOCATE(&s->surface.arena, double, joints);
    double* tree = LIMBERI_ALLOCATE(&s->surface.arena, double, joints);
    double* flat = LIMBERI_ALLOCATE(&s->surface.arena, double, joints);
    if (s->surface.arena.failed)
        return false;
    for (uint32_t i = 0; i < s->count; i++) {
        const limberi_island* island = &s->islands[i];
        double extents[3], axis[3];
        limberi_island_measure(s, s->vertices + island->first, island->count, extents, axis);
        own[island->joint] += island->area;
        flat[island->joint] += extents[2] < slim * extents[0] ? island->area : 0;
    }
    memcpy(tree, own, joints * sizeof *tree);
    for (uint32_t j = rig->joint_count; j-- > 0;)
        if (rig->parents[j] >= 0)
            tree[rig->parents[j]] += tree[j];
    for (uint32_t i = 0; i < s->count; i++) {
        limberi_island* island = &s->islands[i];
        uint32_t j = island->joint;
        bool held = s->limb[j] && tree[j] - own[j] <= more_below * own[j] && flat[j] > 0.5 * own[j];
        island->prop =
            limberi_island_is_rigid(s, i) && (island->asked == LIMBER_RIGID_PROP || (island->asked < 0 && held));
    }
    return true;
}

// --- appendages ---

typedef struct class_search {
    limberi_islands* s;
    double *volume, *area, *thickness; // [island]
    double* core;                      // [joint] thickness of the thickest island on it
    limberi_box_tree hosts;
    uint32_t* triangle_of; // [item]
    limberi_box* boxes;
} class_search;

// 6 V / A: the diameter of a ball, twice the thickness of a plate, 0 of a sheet.
static void find_thickness(class_search* w) {
    const limberi_surface* surface = &w->s->surface;
    for (uint32_t t = 0; t < surface->triangle_count; t++) {
        uint32_t island = w->s->of_node[surface->triangles[3 * (size_t)t]];
        limber_vec3 p[3];
        if (island == UINT32_MAX)
            continue;
        limberi_load_corners(surface, t, p);
        limber_vec3 normal = limberi_cross(limberi_sub(p[1], p[0]), limberi_sub(p[2], p[0]));
        w->area[island] += 0.5 * (double)limberi_length(normal);
        w->volume[island] += (double)limberi_dot(limberi_sub(p[0], w->s->islands[island].middle), normal) / 6;
    }
    for (uint32_t i = 0; i < w->s->count; i++)
        w->thickness[i] = w->area[i] > 0 ? 6 * fabs(w->volume[i]) / w->area[i] : 0;
}

static void find_cores(class_search* w) {
    limberi_islands* s = w->s;
    for (uint32_t i = 0; i < s->count; i++) {
        bool rigid = limberi_island_is_rigid(s, i);
        if (!rigid)
            limberi_island_mean_weights(s, &s->islands[i], true);
        for (uint32_t j = 0; j < s->model->rig.joint_count; j++)
            if (rigid ? s->islands[i].joint == j : s->mean[j] > host_share)
                w->core[j] = fmax(w->core[j], w->thickness[i]);
    }
}

static bool may_swing(const class_search* w, uint32_t index) {
    const limberi_islands* s = w->s;
    const limberi_island* island = &s->islands[index];
    double extents[3], axis[3];
    if (island->kind != LIMBERI_ISLAND_WHOLE || (island->asked >= 0 && island->asked != LIMBER_RIGID_APPENDAGE))
        return false;
    if (island->asked == LIMBER_RIGID_APPENDAGE)
        return true;
    if (island->extent < min_appendage || s->limb[island->joint] ||
        !(w->thickness[index] < thin * w->core[island->joint]) ||
        !(w->thickness[index] < ball * (double)island->extent))
        return false;
    limberi_island_measure(s, s->vertices + island->first, island->count, extents, axis);
    return extents[1] > slender * extents[0];
}

static bool is_host(const class_search* w, uint32_t index, uint32_t node) {
    const limberi_islands* s = w->s;
    uint32_t joint = s->islands[index].joint;
    uint32_t other = s->of_node[node];
    if (other == UINT32_MAX || other == index || !(w->thickness[other] > w->thickness[index]) ||
        !(w->area[other] > host_area * w->area[index] || w->thickness[other] >= w->core[joint]))
        return false;
    if (limberi_island_is_rigid(s, other))
        return s->islands[other].joint == joint && !s->islands[other].appendage;
    return limberi_island_weight(s, s->vertex_of_node[node], joint) > host_weight;
}

static limber_result build_tree(limberi_arena* arena, class_search* w, uint32_t index, bool own,
                                limberi_box_tree* tree) {
    const limberi_surface* surface = &w->s->surface;
    uint32_t count = 0;
    for (uint32_t t = 0; t < surface->triangle_count; t++) {
        uint32_t node = surface->triangles[3 * (size_t)t];
        if (own ? w->s->of_node[node] != index : !is_host(w, index, node))
            continue;
        limber_vec3 p[3];
        limberi_load_corners(surface, t, p);
        w->boxes[count] = limberi_box_around(p, 3);
        w->triangle_of[count++] = t;
    }
    return limberi_box_tree_build(arena, w->boxes, count, tree);
}

static float triangle_distance(const void* user, uint32_t item, limber_vec3 place) {
    const class_search* w = user;
    limber_vec3 p[3];
    float weights[3];
    limberi_load_corners(&w->s->surface, w->triangle_of[item], p);
    return limberi_triangle_nearest(p, place, weights);
}

// How far a node is from the triangles of a tree, and the nearest point of them.
static float distance_to(const class_search* w, const limberi_box_tree* tree, uint32_t node, limber_vec3* near,
                         uint32_t* island) {
    limber_vec3 p[3];
    float weights[3];
    limber_vec3 place = w->s->surface.positions[node];
    uint32_t found = limberi_box_tree_nearest(tree, place, 4, 0, triangle_distance, w);
    if (found == UINT32_MAX)
        return 4;
    limberi_load_corners(&w->s->surface, w->triangle_of[found], p);
    float square = limberi_triangle_nearest(p, place, weights);
    *near = limberi_add(limberi_add(limberi_scale(p[0], weights[0]), limberi_scale(p[1], weights[1])),
                        limberi_scale(p[2], weights[2]));
    *island = w->s->of_node[w->s->surface.triangles[3 * (size_t)w->triangle_of[found]]];
    return sqrtf(square);
}

static void find_gaps(class_search* w, limberi_island* island) {
    limberi_islands* s = w->s;
    float min = HUGE_VALF;
    for (uint32_t i = 0; i < island->count; i++) {
        uint32_t node = s->surface.node_of_vertex[s->vertices[island->first + i]];
        uint32_t other = UINT32_MAX;
        s->gap[node] = distance_to(w, &w->hosts, node, &s->near[node], &other);
        if (s->gap[node] < min) {
            min = s->gap[node];
            island->host = other;
        }
    }
}

// Attached somewhere, but not by most of it, and reaching away from there.
static bool hangs_off(const class_search* w, uint32_t index) {
    const limberi_islands* s = w->s;
    const limberi_island* island = &s->islands[index];
    uint32_t near = 0;
    uint32_t far = 0;
    double held = 0;
    for (uint32_t i = 0; i < island->count; i++) {
        float gap = s->gap[s->surface.node_of_vertex[s->vertices[island->first + i]]];
        near += gap < attached;
        far += gap > min_reach;
    }
    for (uint32_t t = 0; t < s->surface.triangle_count; t++) {
        const uint32_t* n = s->surface.triangles + 3 * (size_t)t;
        limber_vec3 p[3];
        if (s->of_node[n[0]] != index || !(s->gap[n[0]] + s->gap[n[1]] + s->gap[n[2]] < 3 * attached))
            continue;
        limberi_load_corners(&s->surface, t, p);
        held += 0.5 * (double)limberi_length(limberi_cross(limberi_sub(p[1], p[0]), limberi_sub(p[2], p[0])));
    }
    return near && held < attached_share * w->area[index] && far > reach_share * island->count;
}

// Small islands that lie on it rather than on what holds it: a buckle.
static limber_result take_small(limberi_arena* arena, class_search* w, uint32_t index) {
    limberi_islands* s = w->s;
    limberi_box_tree own;
    limber_vec3 near;
    uint32_t other;
    float* gaps = LIMBERI_ALLOCATE(arena, float, 2 * (size_t)s->count);
    for (int pass = 0; gaps && pass < 2; pass++) { // one tree at a time, as they share their triangles
        if (build_tree(arena, w, index, pass == 0, pass == 0 ? &own : &w->hosts))
            return LIMBER_ERROR_MEMORY;
        for (uint32_t k = 0; k < s->count; k++) {
            const limberi_island* island = &s->islands[k];
            bool small = limberi_island_is_rigid(s, k) && island->joint == s->islands[index].joint &&
                         island->extent < largest_buckle;
            for (uint32_t i = 0; small && i < island->count; i++) {
                uint32_t node = s->surface.node_of_vertex[s->vertices[island->first + i]];
                gaps[2 * k + (uint32_t)pass] += distance_to(w, pass == 0 ? &own : &w->hosts, node, &near, &other);
            }
            if (small && pass && gaps[2 * k] < gaps[2 * k + 1] && gaps[2 * k] < joined * (float)island->count)
                s->islands[k].on = index;
        }
    }
    return gaps ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

static limber_result find_appendage(limberi_arena* arena, class_search* w, uint32_t index) {
    limberi_islands* s = w->s;
    limberi_island* island = &s->islands[index];
    if (!may_swing(w, index))
        return LIMBER_OK;
    if (build_tree(arena, w, index, false, &w->hosts))
        return LIMBER_ERROR_MEMORY;
    if (!w->hosts.item_count)
        return LIMBER_OK;
    find_gaps(w, island);
    island->appendage = island->asked == LIMBER_RIGID_APPENDAGE || hangs_off(w, index);
    return island->appendage ? take_small(arena, w, index) : LIMBER_OK;
}

limber_result limberi_islands_find_appendages(limberi_islands* s) {
    limberi_arena arena = {NULL, false};
    class_search w = {.s = s};
    size_t islands = (size_t)s->count + 1;
    w.volume = LIMBERI_ALLOCATE(&arena, double, islands);
    w.area = LIMBERI_ALLOCATE(&arena, double, islands);
    w.thickness = LIMBERI_ALLOCATE(&arena, double, islands);
    w.core = LIMBERI_ALLOCATE(&arena, double, (size_t)s->model->rig.joint_count + 1);
    w.boxes = LIMBERI_ALLOCATE(&arena, limberi_box, s->surface.triangle_count);
    w.triangle_of = LIMBERI_ALLOCATE(&arena, uint32_t, s->surface.triangle_count);
    s->gap = LIMBERI_ALLOCATE(&s->surface.arena, float, s->surface.node_count);
    s->near = LIMBERI_ALLOCATE(&s->surface.arena, limber_vec3, s->surface.node_count);
    limber_result result = arena.failed || s->surface.arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
    if (!result) {
        find_thickness(&w);
        find_cores(&w);
    }
    for (uint32_t i = 0; !result && i < s->count; i++)
        result = find_appendage(&arena, &w, i);
    limberi_arena_free(&arena);
    return result;
}
