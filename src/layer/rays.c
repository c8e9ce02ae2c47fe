// Rays against the triangles of a surface.
#include "layer/rays.h"
#include "base/lanes.h"
#include "base/math.h"

enum { WIDTH = LIMBERI_RAY_WIDTH, STACK = LIMBERI_TREE_DEPTH * (WIDTH - 1) + 2 };
_Static_assert((int)LIMBERI_LEAF_ITEMS <= (int)WIDTH, "a leaf's triangles are met at once");

// ---- building: a tree of two children each, folded into one of four ----

typedef struct folding {
    const limberi_box_tree* from;
    const limberi_surface* surface;
    const uint32_t* piece_of_node;
    limberi_ray_tree* to;
} folding;

static limberi_box* triangle_boxes(limberi_arena* arena, const limberi_surface* surface) {
    limberi_box* boxes = LIMBERI_ALLOCATE(arena, limberi_box, surface->triangle_count);
    for (size_t t = 0; boxes && t < surface->triangle_count; t++) {
        const uint32_t* v = surface->triangles + 3 * t;
        limber_vec3 a = surface->positions[v[0]];
        limber_vec3 b = surface->positions[v[1]];
        limber_vec3 c = surface->positions[v[2]];
        limberi_store3(boxes[t].low, limberi_vec3(fminf(fminf(a.x, b.x), c.x), fminf(fminf(a.y, b.y), c.y),
                                                  fminf(fminf(a.z, b.z), c.z)));
        limberi_store3(boxes[t].high, limberi_vec3(fmaxf(fmaxf(a.x, b.x), c.x), fmaxf(fmaxf(a.y, b.y), c.y),
                                                   fmaxf(fmaxf(a.z, b.z), c.z)));
    }
    return boxes;
}

static float half_area(const limberi_box_node* node) {
    float x = node->high[0] - node->low[0];
    float y = node->high[1] - node->low[1];
    float z = node->high[2] - node->low[2];
    return x * y + y * z + z * x;
}

// Up to four descendants of an inner node that together hold all below it: the largest is opened again and again.
static uint32_t unfold(const limberi_box_tree* tree, uint32_t node, uint32_t* children) {
    uint32_t count = 2;
    children[0] = tree->nodes[node].first;
    children[1] = children[0] + 1;
    while (count < WIDTH) {
        int32_t largest = -1;
        float max = -1;
        for (uint32_t i = 0; i < count; i++) {
            float area = half_area(&tree->nodes[children[i]]);
            if (!tree->nodes[children[i]].count && area > max) {
                max = area;
                largest = (int32_t)i;
            }
        }
        if (largest < 0)
            break;
        uint32_t first = tree->nodes[children[largest]].first;
        children[largest] = first;
        children[count++] = first + 1;
    }
    return count;
}

static uint32_t add_leaf(const folding* f, const limberi_box_node* node) {
    limberi_ray_leaf* leaf = &f->to->leaves[f->to->leaf_count];
    for (uint32_t i = 0; i < node->count; i++) {
        const uint32_t* v = f->surface->triangles + 3 * (size_t)f->from->items[node->first + i];
        const limber_vec3* positions = f->surface->positions;
        limber_vec3 p = positions[v[0]];
        float corner[3], edge1[3], edge2[3];
        limberi_store3(corner, p);
        limberi_store3(edge1, limberi_sub(positions[v[1]], p));
        limberi_store3(edge2, limberi_sub(positions[v[2]], p));
        for (int c = 0; c < 3; c++) {
            leaf->corner[c][i] = corner[c];
            leaf->edge1[c][i] = edge1[c];
            leaf->edge2[c][i] = edge2[c];
        }
        leaf->piece[i] = f->piece_of_node[v[0]];
    }
    return f->to->leaf_count++;
}

static void set_child(const folding* f, limberi_ray_node* node, uint32_t i, const limberi_box_node* child) {
    for (int c = 0; c < 3; c++) {
        node->bounds[2 * c][i] = child ? child->low[c] : HUGE_VALF;
        node->bounds[2 * c + 1][i] = child ? child->high[c] : -HUGE_VALF;
    }
    if (!child)
        return;
    node->leaves |= (uint32_t)(child->count > 0) << i;
    node->child[i] = child->count ? add_leaf(f, child) : f->to->node_count++;
}

// A tree that is a single leaf gets a node with that leaf as its only child.
static void fold(const folding* f) {
    struct {
        uint32_t from, to;
    } stack[STACK] = {{0, 0}};
    uint32_t depth = 1;
    f->to->node_count = 1;
    while (depth) {
        uint32_t from = stack[--depth].from;
        uint32_t children[WIDTH] = {from};
        uint32_t count = 1;
        limberi_ray_node* node = &f->to->nodes[stack[depth].to];
        if (!f->from->nodes[from].count)
            count = unfold(f->from, from, children);
        for (uint32_t i = 0; i < WIDTH; i++) {
            set_child(f, node, i, i < count ? &f->from->nodes[children[i]] : NULL);
            if (i >= count || (node->leaves >> i & 1))
                continue;
            stack[depth].from = children[i];
            stack[depth++].to = node->child[i];
        }
    }
}

limber_result limberi_ray_tree_build(limberi_arena* arena, const limberi_surface* surface,
                                     const uint32_t* piece_of_node, limberi_ray_tree* tree) {
    limberi_arena temporary = {NULL, false};
    limberi_box* boxes = triangle_boxes(&temporary, surface);
    bool built = boxes && !limberi_box_tree_build(arena, boxes, surface->triangle_count, &tree->boxes);
    limberi_arena_free(&temporary);
    if (!built)
        return LIMBER_ERROR_MEMORY;
    tree->node_count = tree->leaf_count = 0;
    tree->nodes = LIMBERI_ALLOCATE(arena, limberi_ray_node, (size_t)tree->boxes.node_count + 1);
    tree->leaves = LIMBERI_ALLOCATE(arena, limberi_ray_leaf, tree->boxes.node_count);
    if (!tree->nodes || !tree->leaves)
        return LIMBER_ERROR_MEMORY;
    folding f = {&tree->boxes, surface, piece_of_node, tree};
    if (surface->triangle_count)
        fold(&f);
    return LIMBER_OK;
}

// ---- tracing ----

typedef struct ray {
    limberi_lanes from[3], along[3], inverse[3]; // the same in all lanes
    uint32_t side[3];                            // which of a box's bounds is met first: 0 low, 1 high
    float nearest, farthest;
    uint32_t piece; // any_piece: leaving whichever comes first
    bool left;      // what was found is a way out
} ray;

static const uint32_t any_piece = UINT32_MAX;

static ray ray_along(limber_vec3 origin, limber_vec3 direction, float nearest, uint32_t piece) {
    const float from[3] = {origin.x, origin.y, origin.z};
    const float along[3] = {direction.x, direction.y, direction.z};
    ray r;
    for (int c = 0; c < 3; c++) { // never infinite, so that a ray in a box's face gives no 0 * infinity
        float inverse = 1 / (fabsf(along[c]) > 1e-12f ? along[c] : copysignf(1e-12f, along[c]));
        r.from[c] = limberi_lanes_all(from[c]);
        r.along[c] = limberi_lanes_all(along[c]);
        r.inverse[c] = limberi_lanes_all(inverse);
        r.side[c] = inverse < 0;
    }
    r.nearest = nearest;
    r.farthest = HUGE_VALF;
    r.piece = piece;
    r.left = false;
    return r;
}

static void cross(const limberi_lanes* a, const limberi_lanes* b, limberi_lanes* out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static limberi_lanes dot(const limberi_lanes* a, const limberi_lanes* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Keeps the nearest of the triangles that count: those of the ray's piece, or those it leaves through.
static void keep_nearest(const limberi_ray_leaf* leaf, const float* det, const float* found, ray* r) {
    for (int i = 0; i < WIDTH; i++) {
        bool leaving = det[i] < 0;
        bool counts = r->piece == any_piece ? leaving : leaf->piece[i] == r->piece;
        if (!counts || !(found[i] < r->farthest))
            continue;
        r->farthest = found[i];
        r->left = leaving;
    }
}

// Moeller and Trumbore's test, kept free of divisions until the end by the sign of the determinant, which is negative
// where the ray and the normal agree and the surface is left.
static void meet_leaf(const limberi_ray_leaf* leaf, ray* r) {
    limberi_lanes edge1[3], edge2[3], s[3], p[3], q[3];
    for (int c = 0; c < 3; c++) {
        edge1[c] = limberi_lanes_load(leaf->edge1[c]);
        edge2[c] = limberi_lanes_load(leaf->edge2[c]);
        s[c] = r->from[c] - limberi_lanes_load(leaf->corner[c]);
    }
    cross(r->along, edge2, p);
    cross(s, edge1, q);
    limberi_lanes det = dot(edge1, p);
    limberi_lanes zero = limberi_lanes_all(0);
    limberi_lanes sign = limberi_lanes_select(det < zero, limberi_lanes_all(-1), limberi_lanes_all(1));
    limberi_lanes u = sign * dot(s, p);
    limberi_lanes v = sign * dot(r->along, q);
    limberi_lanes size = sign * det;
    // Too small: edge-on, or without area.
    limberi_mask met = (size > limberi_lanes_all(1e-20f)) & (u >= zero) & (v >= zero) & (u + v <= size);
    limberi_lanes t = dot(edge2, q) / limberi_lanes_select(met, det, limberi_lanes_all(1));
    met &= t >= limberi_lanes_all(r->nearest);
    float found[WIDTH], dets[WIDTH];
    limberi_lanes_store(found, limberi_lanes_select(met, t, limberi_lanes_all(HUGE_VALF)));
    limberi_lanes_store(dets, det);
    keep_nearest(leaf, dets, found, r);
}

// Where the ray enters each child's box; HUGE_VALF when it misses or the box lies beyond what was found already.
static void meet_children(const limberi_ray_node* node, const ray* r, float* enter) {
    limberi_lanes in = limberi_lanes_all(0);
    limberi_lanes out = limberi_lanes_all(r->farthest);
    for (uint32_t c = 0; c < 3; c++) {
        limberi_lanes first = limberi_lanes_load(node->bounds[2 * c + r->side[c]]);
        limberi_lanes last = limberi_lanes_load(node->bounds[2 * c + 1 - r->side[c]]);
        in = limberi_lanes_max(in, (first - r->from[c]) * r->inverse[c]);
        out = limberi_lanes_min(out, (last - r->from[c]) * r->inverse[c]);
    }
    limberi_mask met = in <= out * limberi_lanes_all(1.000001f); // slack for the rounding of the bounds
    limberi_lanes_store(enter, limberi_lanes_select(met, in, limberi_lanes_all(HUGE_VALF)));
}

typedef struct visit {
    uint32_t index;
    float enter;
    uint32_t leaf;
} visit;

// Puts the children that are met onto the stack, the nearest on top.
static uint32_t push_children(const limberi_ray_node* node, const float* enter, visit* stack, uint32_t depth) {
    uint32_t bottom = depth;
    for (uint32_t i = 0; i < WIDTH; i++) {
        if (!(enter[i] < HUGE_VALF))
            continue;
        uint32_t at = depth++;
        for (; at > bottom && stack[at - 1].enter < enter[i]; at--)
            stack[at] = stack[at - 1];
        stack[at].index = node->child[i];
        stack[at].enter = enter[i];
        stack[at].leaf = node->leaves >> i & 1;
    }
    return depth;
}

static void trace(const limberi_ray_tree* tree, ray* r) {
    visit stack[STACK]; // only the first is set: clearing all of it would take longer than most rays
    stack[0].index = stack[0].leaf = 0;
    stack[0].enter = 0;
    uint32_t depth = tree->node_count > 0;
    while (depth) {
        visit v = stack[--depth];
        if (v.enter > r->farthest)
            continue;
        if (v.leaf) {
            meet_leaf(&tree->leaves[v.index], r);
            continue;
        }
        float enter[WIDTH];
        meet_children(&tree->nodes[v.index], r, enter);
        depth = push_children(&tree->nodes[v.index], enter, stack, depth);
    }
}

float limberi_ray_leaves_piece(const limberi_ray_tree* tree, limber_vec3 origin, limber_vec3 direction, float nearest,
                               uint32_t piece) {
    ray r = ray_along(origin, direction, nearest, piece);
    trace(tree, &r);
    return r.left ? r.farthest : HUGE_VALF;
}

float limberi_ray_leaves_any(const limberi_ray_tree* tree, limber_vec3 origin, limber_vec3 direction, float nearest) {
    ray r = ray_along(origin, direction, nearest, any_piece);
    trace(tree, &r);
    return r.farthest;
}
