// Where a character wears a skirt: a hem that runs around two legs, below the joint that carries both, and the surface
// between the two. A hem is a border of the surface or, of a skirt with a lining, the lowest rim of a piece. Sleeves and
// trouser legs have one bone inside, capes and ponytails do not go around, and bodies are closed below.
#include "asset/groups.h"
#include "base/error.h"
#include "base/math.h"
#include "layer/surface.h"

#include <limber/stages/layer.h>
#include <stdlib.h>
#include <string.h>

enum { SECTORS = 16, MAX_BONES = 64 };

// Lengths in L, shares of the ring's radius or of the height from the hem to the joint.
static const float min_radius = 0.02f;
static const float min_drop = 0.05f;     // a shorter one is a belt
static const float max_uneven = 0.8f;    // of the radius: how far the hem goes up and down
static const float max_inside = 0.85f;   // of the radius: where legs are
static const float min_stride = 0.3f;    // of the radius: between two legs; less is one leg with several bones
static const float narrower = 0.9f;      // of the hem's radius: how wide it is above, at most
static const float covered_share = 0.5f; // of the sectors: a hem behind other surfaces is a hidden end of the body

typedef struct ring {
    limber_vec3 center;    // at the mean height of the hem
    float radius[SECTORS]; // of the lowest node in each sector
    float height[SECTORS];
    float mean, low, high; // radius; heights
} ring;

typedef struct search {
    const limber_model* model;
    limberi_surface surface;
    limberi_pieces pieces;
    limberi_ancestors ancestors;
    uint32_t *fan_first, *fans;
    uint32_t *first, *nodes; // [set + 1], and the nodes of each: candidates for a hem
    uint8_t* inside;         // [node] in the current region
    uint32_t* stack;         // [node]
    uint32_t region_count;   // nodes on the stack that belong to it
    limber_vec3 legs[2];     // where they pass the hem
    float top;               // height of the joint that carries them
    double* values;          // [node]
    bool found;
} search;

// --- the ring ---

static uint32_t sector_of(limber_vec3 p, limber_vec3 center) {
    float turn = atan2f(p.x - center.x, p.z - center.z) / (2 * (float)LIMBERI_PI) + 0.5f;
    uint32_t sector = (uint32_t)(turn * SECTORS);
    return sector < SECTORS ? sector : SECTORS - 1;
}

static float away(limber_vec3 p, limber_vec3 center) {
    float x = p.x - center.x;
    float z = p.z - center.z;
    return sqrtf(x * x + z * z);
}

// The lowest node of the set in each sector around `center`; false: some sector has none.
static bool measure_ring(const search* s, uint32_t set, limber_vec3 center, ring* r) {
    for (int i = 0; i < SECTORS; i++)
        r->height[i] = HUGE_VALF;
    for (uint32_t i = s->first[set]; i < s->first[set + 1]; i++) {
        limber_vec3 p = s->surface.positions[s->nodes[i]];
        uint32_t sector = sector_of(p, center);
        if (p.y < r->height[sector]) {
            r->height[sector] = p.y;
            r->radius[sector] = away(p, center);
        }
    }
    float y = 0;
    float mean = 0;
    r->low = HUGE_VALF;
    r->high = -HUGE_VALF;
    for (int i = 0; i < SECTORS; i++) {
        if (r->height[i] == HUGE_VALF)
            return false;
        y += r->height[i] / SECTORS;
        mean += r->radius[i] / SECTORS;
        r->low = fminf(r->low, r->height[i]);
        r->high = fmaxf(r->high, r->height[i]);
    }
    r->center = limberi_vec3(center.x, y, center.z);
    r->mean = mean;
    return true;
}

static bool find_ring(const search* s, uint32_t set, ring* r) {
    limber_vec3 low = limberi_vec3(HUGE_VALF, 0, HUGE_VALF);
    limber_vec3 high = limberi_vec3(-HUGE_VALF, 0, -HUGE_VALF);
    for (uint32_t i = s->first[set]; i < s->first[set + 1]; i++) {
        limber_vec3 p = s->surface.positions[s->nodes[i]];
        low = limberi_vec3(fminf(low.x, p.x), 0, fminf(low.z, p.z));
        high = limberi_vec3(fmaxf(high.x, p.x), 0, fmaxf(high.z, p.z));
    }
    return s->first[set + 1] - s->first[set] >= SECTORS &&
           measure_ring(s, set, limberi_scale(limberi_add(low, high), 0.5f), r) && r->mean >= min_radius &&
           r->high - r->low <= max_uneven * r->mean;
}

// --- the legs ---

static limber_vec3 joint_place(const search* s, int32_t joint) {
    limber_mat4 world = s->model->rig.world_from_joint_rest[joint];
    return limberi_surface_place(s->model, limberi_mat4_translation(&world));
}

// Where the bone to a joint goes down through the hem; false: it does not.
static bool passes(const search* s, const ring* r, int32_t joint, limber_vec3* at) {
    int32_t parent = s->model->rig.parents[joint];
    if (parent < 0)
        return false;
    limber_vec3 up = joint_place(s, parent);
    limber_vec3 down = joint_place(s, joint);
    if (!(up.y > r->center.y && down.y < r->center.y))
        return false;
    *at = limberi_lerp(up, down, (up.y - r->center.y) / (up.y - down.y));
    return away(*at, r->center) < max_inside * r->radius[sector_of(*at, r->center)];
}

// The two that are farthest apart, and the joint that carries both.
static bool find_legs(search* s, const ring* r) {
    limber_vec3 at[MAX_BONES];
    int32_t joints[MAX_BONES];
    int32_t carrier = -1;
    uint32_t count = 0;
    for (uint32_t j = 0; j < s->model->rig.joint_count && count < MAX_BONES; j++)
        if (passes(s, r, (int32_t)j, &at[count]))
            joints[count++] = (int32_t)j;
    float stride = min_stride * r->mean;
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < a; b++) {
            int32_t common = limberi_ancestors_common(&s->ancestors, joints[a], joints[b]);
            if (common < 0 || !(away(at[a], at[b]) >= stride))
                continue;
            stride = away(at[a], at[b]);
            carrier = common;
            s->legs[0] = at[a];
            s->legs[1] = at[b];
        }
    s->top = carrier < 0 ? 0 : joint_place(s, carrier).y;
    return carrier >= 0 && s->top - r->high >= min_drop;
}

// --- what hangs between the joint and the hem ---

static void enter(search* s, uint32_t node, float low) {
    float y = s->surface.positions[node].y;
    if (s->inside[node] || y < low || y > s->top)
        return;
    s->inside[node] = 1;
    s->stack[s->region_count++] = node;
}

static void fill_region(search* s, uint32_t set, const ring* r) {
    float low = r->low - 0.001f;
    s->region_count = 0;
    for (uint32_t i = s->first[set]; i < s->first[set + 1]; i++) {
        limber_vec3 p = s->surface.positions[s->nodes[i]];
        if (p.y <= r->height[sector_of(p, r->center)] + 0.001f)
            enter(s, s->nodes[i], low);
    }
    for (uint32_t i = 0; i < s->region_count; i++) {
        uint32_t n = s->stack[i];
        for (uint32_t t = s->fan_first[n]; t < s->fan_first[n + 1]; t++)
            for (size_t k = 0; k < 3; k++)
                enter(s, s->surface.triangles[3 * (size_t)s->fans[t] + k], low);
    }
}

static bool is_narrow_above(const search* s, const ring* r) {
    float border = r->center.y + 0.7f * (s->top - r->center.y);
    float sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->region_count; i++) {
        limber_vec3 p = s->surface.positions[s->stack[i]];
        if (p.y < border)
            continue;
        sum += away(p, r->center);
        count++;
    }
    return count >= SECTORS / 2 && sum <= narrower * r->mean * (float)count;
}

static float side(limber_vec3 a, limber_vec3 b, limber_vec3 p) {
    return (b.x - a.x) * (p.z - a.z) - (b.z - a.z) * (p.x - a.x);
}

// Whether a triangle lies above or below the point.
static bool covers(const search* s, uint32_t triangle, limber_vec3 p) {
    const uint32_t* v = s->surface.triangles + 3 * (size_t)triangle;
    limber_vec3 a = s->surface.positions[v[0]];
    limber_vec3 b = s->surface.positions[v[1]];
    limber_vec3 c = s->surface.positions[v[2]];
    float x = side(a, b, p);
    float y = side(b, c, p);
    float z = side(c, a, p);
    return (x > 0 && y > 0 && z > 0) || (x < 0 && y < 0 && z < 0);
}

// Nothing of it is in the way of the legs in the lower half: it is no lid, and not the skin of the legs themselves.
static bool is_hollow(const search* s, const ring* r) {
    float half = 0.5f * (s->top + r->center.y);
    for (uint32_t i = 0; i < s->region_count; i++) {
        uint32_t n = s->stack[i];
        limber_vec3 p = s->surface.positions[n];
        if (p.y > half)
            continue;
        if (away(p, s->legs[0]) < 0.02f * r->mean || away(p, s->legs[1]) < 0.02f * r->mean)
            return false;
        for (uint32_t t = s->fan_first[n]; t < s->fan_first[n + 1]; t++)
            if (covers(s, s->fans[t], s->legs[0]) || covers(s, s->fans[t], s->legs[1]) ||
                covers(s, s->fans[t], r->center))
                return false;
    }
    return true;
}

static bool is_outside(const search* s, const ring* r) {
    bool covered[SECTORS] = {false};
    uint32_t count = 0;
    for (uint32_t n = 0; n < s->surface.node_count; n++) {
        limber_vec3 p = s->surface.positions[n];
        uint32_t sector = sector_of(p, r->center);
        if (s->surface.moves[n] && !s->inside[n] && fabsf(p.y - r->center.y) < min_drop &&
            away(p, r->center) > 1.02f * r->radius[sector] && away(p, r->center) < 2 * r->radius[sector])
            covered[sector] = true;
    }
    for (int i = 0; i < SECTORS; i++)
        count += covered[i];
    return (float)count <= covered_share * SECTORS;
}

// 0 at the height of the joint, 1 at the lowest point of the hem.
static void paint_region(search* s, const ring* r) {
    for (uint32_t i = 0; i < s->region_count; i++) {
        uint32_t n = s->stack[i];
        double value = (double)((s->top - s->surface.positions[n].y) / (s->top - r->low));
        s->values[n] = fmax(s->values[n], fmin(value, 1));
    }
    s->found = true;
}

static void try_sets(search* s, uint32_t sets) {
    for (uint32_t set = 0; set < sets; set++) {
        ring r;
        if (!find_ring(s, set, &r) || !find_legs(s, &r))
            continue;
        fill_region(s, set, &r);
        if (is_narrow_above(s, &r) && is_hollow(s, &r) && is_outside(s, &r))
            paint_region(s, &r);
        for (uint32_t i = 0; i < s->region_count; i++)
            s->inside[s->stack[i]] = 0;
    }
}

// --- candidates ---

// Nodes by the set they are in; UINT32_MAX: none.
static void list_sets(search* s, const uint32_t* set_of_node, uint32_t sets) {
    memset(s->first, 0, ((size_t)s->surface.node_count + 2) * sizeof *s->first);
    for (uint32_t n = 0; n < s->surface.node_count; n++)
        if (set_of_node[n] != UINT32_MAX)
            s->first[set_of_node[n] + 2]++;
    for (uint32_t i = 0; i < sets; i++)
        s->first[i + 2] += s->first[i + 1];
    for (uint32_t n = 0; n < s->surface.node_count; n++) // first[i + 1] grows from i's start to its end
        if (set_of_node[n] != UINT32_MAX)
            s->nodes[s->first[set_of_node[n] + 1]++] = n;
}

static bool is_border(const search* s, uint32_t a, uint32_t b) {
    uint32_t count = 0;
    for (uint32_t t = s->fan_first[a]; t < s->fan_first[a + 1]; t++) {
        const uint32_t* v = s->surface.triangles + 3 * (size_t)s->fans[t];
        count += v[0] == b || v[1] == b || v[2] == b;
    }
    return count == 1;
}

// Rings of edges that have a triangle on one side only. Returns how many; `sets` becomes the ring of each node.
static uint32_t find_borders(const search* s, uint32_t* sets, uint8_t* on_border) {
    uint32_t count = 0;
    for (uint32_t n = 0; n < s->surface.node_count; n++)
        sets[n] = n;
    for (size_t i = 0; i < 3 * (size_t)s->surface.triangle_count; i++) {
        uint32_t a = s->surface.triangles[i];
        uint32_t b = s->surface.triangles[i % 3 == 2 ? i - 2 : i + 1];
        if (!is_border(s, a, b))
            continue;
        limberi_join_sets(sets, a, b);
        on_border[a] = on_border[b] = 1;
    }
    for (uint32_t n = 0; n < s->surface.node_count; n++)
        sets[n] = limberi_root_of(sets, n);
    for (uint32_t n = 0; n < s->surface.node_count; n++) { // a root comes before the rest of its set
        sets[n] = sets[n] == n && on_border[n] ? count++ : sets[sets[n]];
        if (!on_border[n])
            sets[n] = UINT32_MAX;
    }
    return count;
}

static bool allocate_search(search* s) {
    limberi_arena* arena = &s->surface.arena;
    size_t nodes = s->surface.node_count;
    limberi_surface_fans(&s->surface, &s->fan_first, &s->fans);
    s->first = LIMBERI_ALLOCATE(arena, uint32_t, nodes + 2);
    s->nodes = LIMBERI_ALLOCATE(arena, uint32_t, nodes);
    s->inside = LIMBERI_ALLOCATE(arena, uint8_t, nodes);
    s->stack = LIMBERI_ALLOCATE(arena, uint32_t, nodes);
    s->values = LIMBERI_ALLOCATE(arena, double, nodes);
    return !limberi_pieces_find(&s->surface, &s->pieces) &&
           limberi_ancestors_make(arena, &s->model->rig, &s->ancestors) && !arena->failed;
}

static bool search_skirt(search* s) {
    uint32_t* sets = LIMBERI_ALLOCATE(&s->surface.arena, uint32_t, s->surface.node_count);
    uint8_t* on_border = LIMBERI_ALLOCATE(&s->surface.arena, uint8_t, s->surface.node_count);
    if (!allocate_search(s) || s->surface.arena.failed)
        return false;
    list_sets(s, s->pieces.of_node, s->pieces.count);
    try_sets(s, s->pieces.count);
    uint32_t count = find_borders(s, sets, on_border);
    list_sets(s, sets, count);
    try_sets(s, count);
    return true;
}

limber_result limber_layer_skirt(const limber_model* model, float* values, bool* found, limber_error* error) {
    search s = {0};
    s.model = model;
    *found = false;
    if (limberi_surface_create(model, &s.surface))
        return limberi_fail_memory(error);
    bool done = search_skirt(&s);
    for (uint32_t v = 0; done && v < model->vertex_count; v++)
        values[v] = (float)s.values[s.surface.node_of_vertex[v]];
    *found = s.found;
    limberi_surface_destroy(&s.surface);
    return done ? LIMBER_OK : limberi_fail_memory(error);
}
