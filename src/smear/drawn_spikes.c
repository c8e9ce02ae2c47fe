// Horns, feathers and the like: slender rigid pieces that stick out of what leaves no ribbon itself, as a head. They are
// parts of their own that are never stretched: they go along with what they sit on, and leave a ribbon.
#include "smear/drawn.h"

#include <string.h>

static const double min_length = 0.1;   // of L
static const double slender = 2.3;      // times as long as thick
static const uint32_t min_vertices = 8; // of a spike
static const float rooted = 0.3f;       // of its length: how near one end is to other surface
static const float is_free = 0.6f;      // and how far the other end is from it

// Sums over the vertices of an island in the rest pose.
typedef struct island_sums {
    limberi_drawn_cloud cloud;
    double covered;    // vertices on limbs that leave a ribbon there
    uint32_t vertices; // rigid or not
} island_sums;

typedef struct spike {
    uint32_t island;
    limber_vec3 root, way; // from its root to its tip
    float length;
} spike;

static bool is_covered(const limberi_drawn_builder* b, uint32_t v) {
    const struct limberi_drawn* d = b->drawn;
    uint8_t part = d->part_of[v];
    if (b->prop[b->bone_of[b->joint[v]]])
        return true;
    if (part == LIMBERI_PART_NONE || d->parts[part].stubby || d->one_piece)
        return false;
    return d->parts[part].slim * limberi_drawn_at(d->parts[part].lean, d->along[v]) > 0.5f;
}

static void add_vertices(const limberi_drawn_builder* b, island_sums* sums) {
    for (uint32_t v = 0; v < b->smearer->model->vertex_count; v++) {
        island_sums* s = &sums[b->island[v]];
        s->vertices++;
        if (!b->rigid[v] || !(b->drawn->areas[v] > 0))
            continue;
        s->covered += is_covered(b, v);
        limberi_drawn_cloud_add(&s->cloud, 1, limberi_load3(b->rest + 3 * (size_t)v));
    }
}

// Whether an island is slender and long, and its longest axis.
static bool is_slender(const limberi_drawn_builder* b, const island_sums* s, spike* out) {
    if (s->cloud.weight < min_vertices || s->covered > 0.5 * s->cloud.weight)
        return false;
    limberi_drawn_bar bar = limberi_drawn_cloud_bar(&s->cloud);
    out->way = bar.axis;
    return bar.length > slender * bar.width && 3.4 * bar.length > min_length * (double)b->smearer->size;
}

// How far a place is from the surface of all other islands of at least so many vertices.
static float distance_to_others(const limberi_drawn_builder* b, const island_sums* sums, uint32_t island,
                                uint32_t vertices, limber_vec3 place) {
    float min = HUGE_VALF;
    for (uint32_t v = 0; v < b->smearer->model->vertex_count; v++) {
        limber_vec3 off = limberi_sub(limberi_load3(b->rest + 3 * (size_t)v), place);
        float square = limberi_dot(off, off);
        if (b->island[v] != island && sums[b->island[v]].vertices >= vertices && square < min)
            min = square;
    }
    return sqrtf(min);
}

// It stands on something with one end; the other end is free but for smaller things, as the toes of a bird. What lies on a
// surface, as a moustache, is no spike.
static bool sticks_out(const limberi_drawn_builder* b, const island_sums* sums, spike* s) {
    limber_vec3 ends[2] = {{0, 0, 0}, {0, 0, 0}};
    float range[2] = {HUGE_VALF, -HUGE_VALF};
    for (uint32_t v = 0; v < b->smearer->model->vertex_count; v++) {
        limber_vec3 p = limberi_load3(b->rest + 3 * (size_t)v);
        float at = limberi_dot(p, s->way);
        if (b->island[v] != s->island)
            continue;
        if (at < range[0]) {
            range[0] = at;
            ends[0] = p;
        }
        if (at > range[1]) {
            range[1] = at;
            ends[1] = p;
        }
    }
    s->length = range[1] - range[0];
    uint32_t own = sums[s->island].vertices;
    float away[2] = {distance_to_others(b, sums, s->island, own, ends[0]),
                     distance_to_others(b, sums, s->island, own, ends[1])};
    size_t root = away[0] < away[1] ? 0 : 1;
    s->root = ends[root];
    s->way = root ? limberi_scale(s->way, -1) : s->way;
    return away[1 - root] > is_free * s->length &&
           distance_to_others(b, sums, s->island, 0, s->root) < rooted * s->length;
}

static uint32_t insert_by_length(spike* spikes, uint32_t count, uint32_t max, const spike* s) {
    uint32_t at = count;
    while (at > 0 && spikes[at - 1].length < s->length)
        at--;
    if (at == max)
        return count;
    count = count < max ? count + 1 : count;
    memmove(spikes + at + 1, spikes + at, (count - at - 1) * sizeof *spikes);
    spikes[at] = *s;
    return count;
}

static void place_vertices(limberi_drawn_builder* b, const spike* s, uint8_t part) {
    struct limberi_drawn* d = b->drawn;
    float per_length = (LIMBERI_STATIONS - 1) / s->length;
    double gain = 0;
    uint32_t count = 0;
    for (uint32_t v = 0; v < b->smearer->model->vertex_count; v++) {
        if (b->island[v] != s->island)
            continue;
        limber_vec3 off = limberi_sub(limberi_load3(b->rest + 3 * (size_t)v), s->root);
        d->spike_of[v] = part;
        d->spike_along[v] = limberi_clamp(limberi_dot(off, s->way) * per_length, 0, LIMBERI_STATIONS - 1);
        gain += b->smearer->gains ? (double)b->smearer->gains[v] : 1;
        count++;
    }
    d->parts[part].length = s->length;
    d->parts[part].gain = (float)(gain / fmax(count, 1));
    d->parts[part].stiff = 1;
}

limber_result limberi_drawn_find_spikes(limberi_drawn_builder* b) {
    struct limberi_drawn* d = b->drawn;
    uint32_t vertices = b->smearer->model->vertex_count;
    uint32_t max = LIMBERI_PARTS - d->part_count;
    spike spikes[LIMBERI_PARTS];
    uint32_t count = 0;
    island_sums* sums = LIMBERI_ALLOCATE(&b->scratch, island_sums, b->islands);
    d->spike_of = LIMBERI_ALLOCATE(&b->smearer->arena, uint8_t, vertices);
    d->spike_along = LIMBERI_ALLOCATE(&b->smearer->arena, float, vertices);
    if (!sums || !d->spike_of || !d->spike_along)
        return LIMBER_ERROR_MEMORY;
    memset(d->spike_of, LIMBERI_PART_NONE, vertices);
    add_vertices(b, sums);
    for (uint32_t i = 0; max > 0 && (d->part_count > 1 || d->one_piece) && i < b->islands; i++) {
        spike s = {.island = i};
        if (is_slender(b, &sums[i], &s) && sticks_out(b, sums, &s))
            count = insert_by_length(spikes, count, max, &s);
    }
    for (uint32_t i = 0; i < count; i++)
        place_vertices(b, &spikes[i], (uint8_t)d->part_count++);
    return LIMBER_OK;
}
