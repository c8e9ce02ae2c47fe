// Diffusion over the edges of a surface. Each pass is a convex combination of values, so it is stable whatever the mesh
// looks like; written as differences, it leaves constants exactly as they are.
#include "base/error.h"
#include "base/math.h"
#include "layer/surface.h"

#include <limber/stages/layer.h>
#include <string.h>

// Half way to the neighbours' mean: all the way would swap values back and forth on a grid of quads.
static const double step = 0.5;

// 1 / length of the edge that starts at corner i of each triangle: a short edge ties its ends more. An edge between two
// triangles stands in both and counts twice, a border once.
static double* edge_weights(limberi_surface* s) {
    double* weights = LIMBERI_ALLOCATE(&s->arena, double, 3 * (size_t)s->triangle_count);
    for (size_t i = 0; weights && i < 3 * (size_t)s->triangle_count; i++) {
        size_t next = i % 3 == 2 ? i - 2 : i + 1;
        limber_vec3 along = limberi_sub(s->positions[s->triangles[next]], s->positions[s->triangles[i]]);
        weights[i] = 1 / fmax((double)limberi_length(along), 1e-9);
    }
    return weights;
}

static void sum_weights(const limberi_surface* s, const double* weights, double* totals) {
    for (size_t i = 0; i < 3 * (size_t)s->triangle_count; i++) {
        size_t next = i % 3 == 2 ? i - 2 : i + 1;
        totals[s->triangles[i]] += weights[i];
        totals[s->triangles[next]] += weights[i];
    }
}

static void pass(const limberi_surface* s, const double* weights, const double* totals, double* change,
                 double* values) {
    memset(change, 0, s->node_count * sizeof *change);
    for (size_t i = 0; i < 3 * (size_t)s->triangle_count; i++) {
        size_t next = i % 3 == 2 ? i - 2 : i + 1;
        uint32_t a = s->triangles[i];
        uint32_t b = s->triangles[next];
        double flow = weights[i] * (values[b] - values[a]);
        change[a] += flow;
        change[b] -= flow;
    }
    for (uint32_t n = 0; n < s->node_count; n++)
        if (totals[n] > 0)
            values[n] += step * change[n] / totals[n];
}

limber_result limberi_surface_smooth(limberi_surface* s, uint32_t passes, double* values) {
    if (!passes)
        return LIMBER_OK;
    double* weights = edge_weights(s);
    double* totals = LIMBERI_ALLOCATE(&s->arena, double, s->node_count);
    double* change = LIMBERI_ALLOCATE(&s->arena, double, s->node_count);
    if (s->arena.failed)
        return LIMBER_ERROR_MEMORY;
    sum_weights(s, weights, totals);
    for (uint32_t i = 0; i < passes; i++)
        pass(s, weights, totals, change, values);
    return LIMBER_OK;
}

// Vertices at one place start from their mean.
static bool gather_nodes(limberi_surface* s, const float* values, double* nodes) {
    uint32_t* counts = LIMBERI_ALLOCATE(&s->arena, uint32_t, s->node_count);
    for (uint32_t u = 0; counts && u < s->vertex_count; u++) {
        uint32_t n = s->node_of_vertex[u];
        nodes[n] += ((double)values[u] - nodes[n]) / ++counts[n]; // a running mean keeps equal values as they are
    }
    return counts != NULL;
}

limber_result limber_layer_smooth(const limber_model* model, uint32_t passes, float* values, limber_error* error) {
    if (!passes)
        return LIMBER_OK;
    limberi_surface s;
    bool created = limberi_surface_create(model, &s) == LIMBER_OK;
    double* nodes = created ? LIMBERI_ALLOCATE(&s.arena, double, s.node_count) : NULL;
    bool smoothed = nodes && gather_nodes(&s, values, nodes) && !limberi_surface_smooth(&s, passes, nodes);
    for (uint32_t u = 0; smoothed && u < s.vertex_count; u++)
        values[u] = fminf(fmaxf((float)nodes[s.node_of_vertex[u]], -1), 1);
    limberi_surface_destroy(&s);
    return smoothed ? LIMBER_OK : limberi_fail_memory(error);
}
