// Connected pieces of a surface: a body, and the parts attached to it.
#include "base/math.h"
#include "base/turns.h"
#include "layer/surface.h"

#include <stdlib.h>

static const double open_share = 0.01; // of its area: how large the holes of a piece must be to matter
static const double larger = 1.1;      // times the volume: two eyes do not sit on each other
static const double min_hold = 0.025;  // in L: thin as it may be, a piece is held this far from what it sits on

static void join_triangles(const limberi_surface* s, uint32_t* parents) {
    for (uint32_t n = 0; n < s->node_count; n++)
        parents[n] = n;
    for (size_t t = 0; t < s->triangle_count; t++) {
        limberi_join_sets(parents, s->triangles[3 * t], s->triangles[3 * t + 1]);
        limberi_join_sets(parents, s->triangles[3 * t], s->triangles[3 * t + 2]);
    }
    for (uint32_t n = 0; n < s->node_count; n++)
        parents[n] = limberi_root_of(parents, n);
}

// Sums over one piece, relative to one of its own points so that no precision is lost far from the origin.
typedef struct sums {
    limber_vec3 from;
    bool any;
    double area, volume, vector[3];
} sums;

static void add_triangle(const limberi_surface* s, const uint32_t* v, sums* sum) {
    if (!sum->any)
        sum->from = s->positions[v[0]];
    sum->any = true;
    limber_vec3 p = s->positions[v[0]];
    limber_vec3 cross = limberi_cross(limberi_sub(s->positions[v[1]], p), limberi_sub(s->positions[v[2]], p));
    sum->area += 0.5 * (double)limberi_length(cross);
    sum->volume += (double)limberi_dot(limberi_sub(p, sum->from), cross) / 6;
    sum->vector[0] += 0.5 * (double)cross.x;
    sum->vector[1] += 0.5 * (double)cross.y;
    sum->vector[2] += 0.5 * (double)cross.z;
}

static void measure_pieces(const limberi_surface* s, limberi_pieces* pieces, sums* all) {
    for (size_t t = 0; t < s->triangle_count; t++)
        add_triangle(s, s->triangles + 3 * t, &all[pieces->of_node[s->triangles[3 * t]]]);
    for (uint32_t i = 0; i < pieces->count; i++) {
        const double* a = all[i].vector; // of a closed surface these add up to nothing
        pieces->open[i] = limberi_length3(a) > open_share * all[i].area;
        pieces->volumes[i] = fabs(all[i].volume);
    }
    for (uint32_t n = 0; n < s->node_count; n++)
        pieces->moves[pieces->of_node[n]] |= s->moves[n];
}

limber_result limberi_pieces_find(limberi_surface* s, limberi_pieces* pieces) {
    uint32_t* of_node = LIMBERI_ALLOCATE(&s->arena, uint32_t, s->node_count);
    pieces->count = 0;
    pieces->of_node = of_node;
    if (!of_node)
        return LIMBER_ERROR_MEMORY;
    join_triangles(s, of_node);
    for (uint32_t n = 0; n < s->node_count; n++) // a root comes before all that hang on it
        of_node[n] = of_node[n] == n ? pieces->count++ : of_node[of_node[n]];
    pieces->volumes = LIMBERI_ALLOCATE(&s->arena, double, pieces->count);
    pieces->open = LIMBERI_ALLOCATE(&s->arena, uint8_t, pieces->count);
    pieces->moves = LIMBERI_ALLOCATE(&s->arena, uint8_t, pieces->count);
    sums* all = LIMBERI_ALLOCATE(&s->arena, sums, pieces->count);
    if (s->arena.failed)
        return LIMBER_ERROR_MEMORY;
    measure_pieces(s, pieces, all);
    return LIMBER_OK;
}

// ---- hosts ----

typedef struct stitching {
    const limberi_surface* surface;
    const limberi_pieces* pieces;
    const limberi_box_tree* triangles;
    double volume; // of the guest's piece: hosts are larger
} stitching;

static double host_rank(const limberi_pieces* pieces, uint32_t node) {
    uint32_t piece = pieces->of_node[node];
    return pieces->moves[piece] ? pieces->volumes[piece] : 0;
}

static float host_distance(const void* user, uint32_t triangle, limber_vec3 place) {
    const stitching* st = user;
    if (!(host_rank(st->pieces, st->surface->triangles[3 * (size_t)triangle]) > larger * st->volume))
        return HUGE_VALF; // not a host, only in the same leaf as one
    limber_vec3 p[3];
    float weights[3];
    limberi_load_corners(st->surface, triangle, p);
    return limberi_triangle_nearest(p, place, weights);
}

// ---- stitching ----

typedef struct ranked {
    double volume;
    uint32_t node;
} ranked;

static int compare_ranked(const void* a, const void* b) {
    const ranked* x = a;
    const ranked* y = b;
    if (x->volume != y->volume)
        return x->volume < y->volume ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

static void stitch_node(const stitching* st, uint32_t node, double* values) {
    double hold = fmax(exp(values[node]), min_hold);
    limber_vec3 place = st->surface->positions[node];
    limber_vec3 p[3];
    uint32_t host =
        limberi_box_tree_nearest(st->triangles, place, (float)(2 * hold), larger * st->volume, host_distance, st);
    if (host == UINT32_MAX)
        return;
    float weights[3];
    limberi_load_corners(st->surface, host, p);
    double gap = sqrt((double)limberi_triangle_nearest(p, place, weights)) / hold;
    double value = 0;
    for (size_t i = 0; i < 3; i++)
        value += (double)weights[i] * values[st->surface->triangles[3 * (size_t)host + i]];
    double own = fmin(fmax(gap - 1, 0), 1);
    own = own * own * (3 - 2 * own);
    values[node] = value + own * (values[node] - value);
}

limber_result limberi_pieces_stitch(limberi_surface* s, const limberi_pieces* pieces, limberi_box_tree* triangles,
                                    double* values) {
    ranked* order = LIMBERI_ALLOCATE(&s->arena, ranked, s->node_count);
    double* ranks = LIMBERI_ALLOCATE(&s->arena, double, s->triangle_count);
    if (s->arena.failed)
        return LIMBER_ERROR_MEMORY;
    for (size_t t = 0; t < s->triangle_count; t++)
        ranks[t] = host_rank(pieces, s->triangles[3 * t]);
    if (limberi_box_tree_rank(&s->arena, triangles, ranks))
        return LIMBER_ERROR_MEMORY;
    for (uint32_t n = 0; n < s->node_count; n++) {
        order[n].node = n;
        order[n].volume = pieces->volumes[pieces->of_node[n]];
    }
    qsort(order, s->node_count, sizeof *order, compare_ranked); // so that hosts are done before their guests
    for (uint32_t i = 0; i < s->node_count; i++) {
        stitching st = {s, pieces, triangles, order[i].volume};
        if (pieces->moves[pieces->of_node[order[i].node]])
            stitch_node(&st, order[i].node, values);
    }
    return LIMBER_OK;
}
