// Shape diameter (Shapira, Shamir, Cohen-Or, "Consistent mesh partitioning and skeletonisation using the shape diameter
// function", 2008), as velocity skinning, fig. 11, uses it: from every point of the surface a cone of rays goes
// inwards, and the diameter is a robust mean of how far they get.
//
// Rays stay within the connected piece they start from, so that a collar around a neck or an eye sunk into a head does
// not make them look thin; only where a piece has holes do they go on into whatever lies behind.
#include "base/error.h"
#include "base/math.h"
#include "layer/rays.h"

#include <limber/stages/layer.h>
#include <stdlib.h>

// On a fine mesh, smoothing takes the mean over many neighbours, and each of them needs fewer rays.
enum { RAYS = 16, RAYS_OF_FINE = 10, MAX_PASSES = 64, PASSES_OF_FINE = 8 };

static const double cone_cosine = 0.5;   // 60 degrees to each side, as in the paper
static const float ray_start = 1e-5f;    // in L: past the triangles around the point itself
static const float min_diameter = 1e-4f; // in L: what a sheet without a back counts as
// At a corner of a box half of the cone is outside. With less inside than this, a point is the tip of something thin.
static const double enough_hits = 0.4;
static const double flat_normal = 0.05;  // mean normal of a sheet that is its own back
static const double smooth_reach = 0.01; // in L: how far noise is spread; coarse meshes are left as they are
// Thinnest and thickest are meant of this much of the area, so that no single tip decides.
static const double thin_share = 0.01;
static const double thick_share = 0.9;
// How much thicker the thickest (0) is than the thinnest (1): at least this, because a ball's dents are not thin parts,
// and at most that, because beside a skirt of no thickness arms and legs are still different.
static const double min_ratio = 4;
static const double max_ratio = 16;

// Directions over the cone's cap, evenly spread along a golden spiral, as if inwards were +Z.
typedef struct cone {
    int count;
    limber_vec3 rays[RAYS];
} cone;

static cone spread_rays(int count) {
    const double golden = LIMBERI_PI * (3 - sqrt(5.0));
    cone c;
    c.count = count;
    for (int i = 0; i < count; i++) {
        double cosine = 1 - (1 - cone_cosine) * (i + 0.5) / count;
        double sine = sqrt(1 - cosine * cosine);
        c.rays[i] = limberi_vec3((float)(sine * cos(golden * i)), (float)(sine * sin(golden * i)), (float)cosine);
    }
    return c;
}

// Mean of what lies within one standard deviation of the median, counting rays near the axis more. `lengths` is sorted
// in place, the cosines with it.
static double robust_mean(float* lengths, float* cosines, int count) {
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && lengths[k - 1] > lengths[k]; k--) {
            float length = lengths[k];
            float cosine = cosines[k];
            lengths[k] = lengths[k - 1];
            cosines[k] = cosines[k - 1];
            lengths[k - 1] = length;
            cosines[k - 1] = cosine;
        }
    double median = 0.5 * ((double)lengths[(count - 1) / 2] + (double)lengths[count / 2]);
    double spread = 0;
    for (int i = 0; i < count; i++)
        spread += ((double)lengths[i] - median) * ((double)lengths[i] - median) / count;
    double sum = 0;
    double total = 0;
    double max = sqrt(spread) * 1.000001 + 1e-12;
    for (int i = 0; i < count; i++) {
        if (fabs((double)lengths[i] - median) > max)
            continue;
        sum += (double)(cosines[i] * lengths[i]);
        total += (double)cosines[i];
    }
    return total > 0 ? sum / total : median;
}

static double diameter_at(const limberi_ray_tree* tree, limber_vec3 place, limber_vec3 inwards, uint32_t piece,
                          bool open, const cone* c) {
    // A frame that turns with the character about the vertical, so that the result does.
    limber_vec3 side = limberi_normalize(limberi_cross(limberi_vec3(0, 1, 0), inwards));
    if (!(limberi_dot(side, side) > 0.5f))
        side = limberi_vec3(1, 0, 0);
    limber_vec3 up = limberi_cross(inwards, side);
    float lengths[RAYS], cosines[RAYS];
    int hits = 0;
    for (int i = 0; i < c->count; i++) {
        limber_vec3 ray = c->rays[i];
        limber_vec3 across = limberi_add(limberi_scale(side, ray.x), limberi_scale(up, ray.y));
        limber_vec3 direction = limberi_add(across, limberi_scale(inwards, ray.z));
        float length = limberi_ray_leaves_piece(tree, place, direction, ray_start, piece);
        if (open && !(length < HUGE_VALF))
            length = limberi_ray_leaves_any(tree, place, direction, ray_start);
        if (!(length < HUGE_VALF))
            continue;
        lengths[hits] = length;
        cosines[hits++] = ray.z;
    }
    if (!hits)
        return 0;
    return robust_mean(lengths, cosines, hits) * fmin(1, (double)hits / c->count / enough_hits);
}

typedef struct shell {
    limberi_surface surface;
    limberi_pieces pieces;
    limber_vec3* normals; // [node] sum of the unit normals around it, by angle
    double* angles;       // [node] their weights
    double* areas;        // [node] a third of the triangles around it
    double* values;       // [node] logarithms of diameters
} shell;

static void measure_triangles(shell* s) {
    for (size_t t = 0; t < s->surface.triangle_count; t++) {
        const uint32_t* v = s->surface.triangles + 3 * t;
        limber_vec3 p[3];
        for (int i = 0; i < 3; i++)
            p[i] = s->surface.positions[v[i]];
        limber_vec3 cross = limberi_cross(limberi_sub(p[1], p[0]), limberi_sub(p[2], p[0]));
        limber_vec3 normal = limberi_normalize(cross);
        if (!(limberi_dot(normal, normal) > 0.5f))
            continue;
        for (int i = 0; i < 3; i++) {
            limber_vec3 a = limberi_sub(p[(i + 1) % 3], p[i]);
            limber_vec3 b = limberi_sub(p[(i + 2) % 3], p[i]);
            double angle = atan2((double)limberi_length(limberi_cross(a, b)), (double)limberi_dot(a, b));
            s->normals[v[i]] = limberi_add(s->normals[v[i]], limberi_scale(normal, (float)angle));
            s->angles[v[i]] += angle;
            s->areas[v[i]] += (double)limberi_length(cross) / 6;
        }
    }
}

// Values spread by about edge * sqrt(passes / 2).
static uint32_t smooth_passes(const limberi_surface* s) {
    double sum = 0;
    double count = 0;
    for (size_t i = 0; i < 3 * (size_t)s->triangle_count; i++) {
        size_t next = i % 3 == 2 ? i - 2 : i + 1;
        if (!s->moves[s->triangles[i]])
            continue;
        limber_vec3 edge = limberi_sub(s->positions[s->triangles[next]], s->positions[s->triangles[i]]);
        sum += (double)limberi_length(edge);
        count++;
    }
    double steps = smooth_reach * count / fmax(sum, 1e-6 * count + 1e-30);
    return (uint32_t)fmin(2 * steps * steps + 1, MAX_PASSES);
}

static limber_result measure_diameters(shell* s, uint32_t passes) {
    limberi_ray_tree tree;
    if (limberi_pieces_find(&s->surface, &s->pieces) ||
        limberi_ray_tree_build(&s->surface.arena, &s->surface, s->pieces.of_node, &tree))
        return LIMBER_ERROR_MEMORY;
    cone c = spread_rays(passes > PASSES_OF_FINE ? RAYS_OF_FINE : RAYS);
    for (uint32_t n = 0; n < s->surface.node_count; n++) {
        uint32_t piece = s->pieces.of_node[n];
        limber_vec3 inwards = limberi_scale(limberi_normalize(s->normals[n]), -1);
        bool flat = !((double)limberi_length(s->normals[n]) > flat_normal * s->angles[n]);
        double diameter =
            flat ? 0 : diameter_at(&tree, s->surface.positions[n], inwards, piece, s->pieces.open[piece], &c);
        s->values[n] = log(fmax(diameter, (double)min_diameter));
    }
    return limberi_pieces_stitch(&s->surface, &s->pieces, &tree.boxes, s->values);
}

typedef struct sample {
    double value, area;
} sample;

static int compare_samples(const void* a, const void* b) {
    double x = ((const sample*)a)->value;
    double y = ((const sample*)b)->value;
    return (x > y) - (x < y);
}

// The values that `thin_share` and `thick_share` of the moving area stay below; false when there is no area.
static bool find_range(shell* s, double* thin, double* thick) {
    sample* samples = LIMBERI_ALLOCATE(&s->surface.arena, sample, s->surface.node_count);
    size_t count = 0;
    double total = 0;
    double sum = 0;
    for (uint32_t n = 0; samples && n < s->surface.node_count; n++) {
        if (!s->surface.moves[n] || !(s->areas[n] > 0))
            continue;
        samples[count].value = s->values[n];
        samples[count++].area = s->areas[n];
        total += s->areas[n];
    }
    if (!count)
        return false;
    qsort(samples, count, sizeof *samples, compare_samples);
    *thin = *thick = samples[count - 1].value;
    for (size_t i = count; i-- > 0;) {
        sum += samples[i].area;
        if (sum <= (1 - thick_share) * total)
            *thick = samples[i].value;
        if (sum <= (1 - thin_share) * total)
            *thin = samples[i].value;
    }
    return true;
}

static limber_result fill_thickness(shell* s, float* values) {
    uint32_t nodes = s->surface.node_count;
    s->normals = LIMBERI_ALLOCATE(&s->surface.arena, limber_vec3, nodes);
    s->angles = LIMBERI_ALLOCATE(&s->surface.arena, double, nodes);
    s->areas = LIMBERI_ALLOCATE(&s->surface.arena, double, nodes);
    s->values = LIMBERI_ALLOCATE(&s->surface.arena, double, nodes);
    if (s->surface.arena.failed)
        return LIMBER_ERROR_MEMORY;
    measure_triangles(s);
    uint32_t passes = smooth_passes(&s->surface);
    if (measure_diameters(s, passes) || limberi_surface_smooth(&s->surface, passes, s->values))
        return LIMBER_ERROR_MEMORY;
    double thin = 0;
    double thick = 0;
    bool any = find_range(s, &thin, &thick);
    if (s->surface.arena.failed)
        return LIMBER_ERROR_MEMORY;
    thin = fmax(thin, thick - log(max_ratio));
    double range = fmax(thick - thin, log(min_ratio));
    for (uint32_t u = 0; u < s->surface.vertex_count; u++) {
        double value = any ? 1 - (s->values[s->surface.node_of_vertex[u]] - thin) / range : 1;
        values[u] = (float)fmin(fmax(value, 0), 1);
    }
    return LIMBER_OK;
}

limber_result limber_layer_thickness(const limber_model* model, float* values, limber_error* error) {
    shell s = {0};
    limber_result result = limberi_surface_create(model, &s.surface);
    if (!result)
        result = fill_thickness(&s, values);
    limberi_surface_destroy(&s.surface);
    return result ? limberi_fail_memory(error) : LIMBER_OK;
}
