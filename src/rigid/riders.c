// Riders (S19): small rigid islands that rest on skin (eyes, teeth, buttons, buckles). Each goes with the skin below it,
// and near skin counts more: by 1 / distance^4, with the rider's own size in it.
#include "base/math.h"
#include "rigid/islands.h"

#include <string.h>

static const float largest = 0.12f; // in L: diameter of a rider (S19)
static const float resting = 0.03f; // in L: at most this far from the skin (S19)
static const float own_share =
    0.6f;                        // of its nodes must be that near skin of another joint: an eye in it, not a hand at it
static const float blur = 0.25f; // of its diameter: skin that is this much nearer hardly counts more

typedef struct rider_search {
    limberi_islands* s;
    limberi_triangle_tree skin;
    uint8_t* small; // [set] all of its islands are
} rider_search;

static bool may_ride(const limberi_island* island) {
    return island->extent < largest && (island->kind == LIMBERI_ISLAND_WHOLE || island->kind == LIMBERI_ISLAND_BLENDED);
}

static bool is_skin(const limberi_islands* s, const uint32_t* n) {
    return limberi_node_is_soft(s, n[0]) && limberi_node_is_soft(s, n[1]) && limberi_node_is_soft(s, n[2]);
}

static float skin_distance(const void* user, uint32_t item, limber_vec3 place) {
    return limberi_triangle_tree_distance(&((const rider_search*)user)->skin, item, place);
}

// Whether skin of its own joint is near an island, or enough skin of another one.
static bool rests_on_skin(const rider_search* w, const limberi_island* island) {
    const limberi_islands* s = w->s;
    uint32_t near = 0;
    uint32_t nodes = 0;
    for (uint32_t i = 0; i < island->count; i++) {
        uint32_t node = s->surface.node_of_vertex[s->vertices[island->first + i]];
        if (s->vertex_of_node[node] != s->vertices[island->first + i])
            continue;
        nodes++;
        uint32_t found =
            limberi_box_tree_nearest(&w->skin.boxes, s->surface.positions[node], resting, 0, skin_distance, w);
        if (found == UINT32_MAX)
            continue;
        near++;
        for (size_t c = 0; c < 3; c++) {
            uint32_t corner = s->surface.triangles[3 * (size_t)w->skin.triangle_of[found] + c];
            if (limberi_island_main_joint(s, s->vertex_of_node[corner]) == island->joint)
                return true;
        }
    }
    return (float)near >= own_share * (float)nodes;
}

// A pupil in an eye and the glint on it are one rider; the other eye is another, though the nose touches both.
static bool lies_in(const limberi_island* a, const limberi_island* b) {
    return 2 * limberi_length(limberi_sub(a->middle, b->middle)) <= fmaxf(a->extent, b->extent);
}

static void join_layers(const rider_search* w, const uint32_t* before, uint32_t* sets) {
    const limberi_islands* s = w->s;
    for (uint32_t i = 0; i < s->count; i++)
        if (w->small[before[i]])
            sets[i] = i;
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t k = 0; w->small[before[i]] && k < i; k++)
            if (before[k] == before[i] && lies_in(&s->islands[i], &s->islands[k]))
                limberi_join_sets(sets, i, k);
    for (uint32_t i = 0; i < s->count; i++)
        if (w->small[before[i]])
            sets[i] = limberi_root_of(sets, i);
}

// What rests on a rider goes with it.
static uint32_t nearest_rider(const rider_search* w, const uint32_t* before, const uint8_t* rides, uint32_t island) {
    const limberi_islands* s = w->s;
    uint32_t best = UINT32_MAX;
    float min = HUGE_VALF;
    for (uint32_t k = 0; k < s->count; k++) {
        if (before[k] != before[island] || !rides[k])
            continue;
        limber_vec3 away = limberi_sub(s->islands[k].middle, s->islands[island].middle);
        if (limberi_dot(away, away) < min) {
            min = limberi_dot(away, away);
            best = k;
        }
    }
    return best;
}

// Sets of small islands become one rider for each that rests on the skin by itself; a set that does not stays as it is.
static void part_sets(const rider_search* w, const uint32_t* before, uint32_t* sets, uint8_t* rides) {
    const limberi_islands* s = w->s;
    join_layers(w, before, sets);
    for (uint32_t i = 0; i < s->count; i++) // in the order of islands, so that the name of a set comes first
        if (w->small[before[i]] && rests_on_skin(w, &s->islands[i]))
            rides[sets[i]] = 1;
    for (uint32_t i = 0; i < s->count; i++)
        if (w->small[before[i]] && !rides[sets[i]]) {
            uint32_t rider = nearest_rider(w, before, rides, i);
            sets[i] = rider == UINT32_MAX ? before[i] : rider;
        }
    for (uint32_t i = 0; i < s->count; i++)
        rides[i] = rides[sets[i]];
}

limber_result limberi_rigid_riders(limberi_islands* s, limberi_touches* touches) {
    limberi_arena arena = {NULL, false};
    rider_search w = {.s = s};
    uint32_t* before = LIMBERI_ALLOCATE(&arena, uint32_t, s->count);
    w.small = LIMBERI_ALLOCATE(&arena, uint8_t, s->count);
    touches->rides = LIMBERI_ALLOCATE(&s->surface.arena, uint8_t, s->count);
    limber_result result = before && w.small && touches->rides ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    bool any = false;
    for (uint32_t i = 0; !result && i < s->count; i++) {
        before[i] = touches->sets[i];
        w.small[before[i]] = may_ride(&s->islands[i]) && (before[i] == i || w.small[before[i]]);
        any = any || w.small[before[i]];
    }
    if (!result && any)
        result = limberi_triangle_tree_build(&arena, w.s, is_skin, &w.skin);
    if (!result && any && w.skin.boxes.item_count)
        part_sets(&w, before, touches->sets, touches->rides);
    limberi_arena_free(&arena);
    return result;
}

// --- the skin below a rider ---

// Of places that are as near as each other the first counts: rounding does not choose.
static const float clearly_nearer = 0.9998f;

typedef struct rider_ring {
    uint32_t count, max;
    uint32_t* nodes;
    float* squares; // how far each is
} rider_ring;

static void insert(rider_ring* ring, uint32_t node, float square) {
    uint32_t at = ring->count < ring->max ? ring->count++ : ring->max - 1;
    for (; at && square < clearly_nearer * ring->squares[at - 1]; at--) {
        ring->squares[at] = ring->squares[at - 1];
        ring->nodes[at] = ring->nodes[at - 1];
    }
    ring->squares[at] = square;
    ring->nodes[at] = node;
}

static uint32_t list_nodes(const limberi_islands* s, const uint32_t* sets, uint32_t rider, uint32_t* nodes) {
    uint32_t count = 0;
    for (uint32_t n = 0; n < s->surface.node_count; n++)
        if (s->of_node[n] != UINT32_MAX && sets[s->of_node[n]] == rider)
            nodes[count++] = n;
    return count;
}

// The square of how far a place is from some nodes, all within a ball; no less than `limit` where it is farther.
static float square_from(const limberi_islands* s, const uint32_t* nodes, uint32_t count, limber_vec3 middle,
                         float radius, limber_vec3 place, float limit) {
    float min = limit;
    if (limberi_length(limberi_sub(place, middle)) - radius > sqrtf(limit))
        return limit;
    for (uint32_t i = 0; i < count; i++) {
        limber_vec3 away = limberi_sub(s->surface.positions[nodes[i]], place);
        min = fminf(min, limberi_dot(away, away));
    }
    return min;
}

uint32_t limberi_rider_skin(const limberi_islands* s, const limberi_touches* touches, uint32_t rider, uint32_t max,
                            uint32_t* scratch, uint32_t* nodes, float* weights) {
    const limberi_island* first = &s->islands[rider];
    rider_ring ring = {0, max, nodes, weights};
    uint32_t count = list_nodes(s, touches->sets, rider, scratch);
    float radius = 0;
    for (uint32_t i = 0; i < count; i++)
        radius = fmaxf(radius, limberi_length(limberi_sub(s->surface.positions[scratch[i]], first->middle)));
    for (uint32_t n = 0; n < s->surface.node_count; n++) {
        float limit = ring.count < max ? HUGE_VALF : weights[max - 1];
        if (!limberi_node_is_soft(s, n))
            continue;
        float square = square_from(s, scratch, count, first->middle, radius, s->surface.positions[n], limit);
        if (!(square < clearly_nearer * limit))
            continue;
        uint32_t joint = limberi_island_main_joint(s, s->vertex_of_node[n]);
        if (limberi_joint_steps(s, first->joint, joint) <= LIMBERI_MAX_STEPS)
            insert(&ring, n, square);
    }
    for (uint32_t i = 0; i < ring.count; i++) {
        float away = sqrtf(weights[i]) + blur * 2 * radius;
        weights[i] = 1 / fmaxf(away * away * away * away, 1e-12f);
    }
    return ring.count;
}
