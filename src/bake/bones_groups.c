// Morph targets by regions. What bones leave at a hand has little to do with what they leave at a foot: targets for all
// vertices at once are as large as the mesh; targets of regions (k-means of the vertices) are smaller, and hardly more.
#include "bake/bones.h"
#include "base/build.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// At most so many regions, half of them where a round would make more targets than PLAYED (players know 256 in all), of at
// least so many vertices; targets that need no regions; steps of k-means; a region with more of the work than one in so
// many is large.
enum { REGIONS = 8, PLAYED = 170, MIN_VERTICES = 150, FEW = 4, STEPS = 12, LARGE = 4 };

// Vertices for each frame: weights of more targets take as much as vertices that are moved in vain.
static const double weight_share = 0.3;
static const double row_share = 0.5; // of the tolerance: rows that are nowhere farther off need no target here

typedef struct region {
    struct region* next;
    uint32_t first, end; // of `order`
    uint32_t count;
    float* targets; // [count][vertex * 3]
    bool no_memory;
} region;

typedef struct region_search {
    const limberi_bone_targets_job* job;
    const float* places;
    uint32_t* order; // vertices of a region are next to each other
    bool no_memory;  // sticky
} region_search;

static void free_regions(region* list) {
    while (list) {
        region* next = list->next;
        limberi_release(list->targets);
        limberi_release(list);
        list = next;
    }
}

// --- one region ---

// Whether a row counts: how far the farthest vertex of the region is off.
static bool counts(const region_search* s, const region* r, const float* row) {
    float worst = 0;
    for (uint32_t i = r->first; i < r->end; i++) {
        const float* at = row + 3 * (size_t)s->order[i];
        float off = at[0] * at[0] + at[1] * at[1] + at[2] * at[2];
        worst = off > worst ? off : worst;
    }
    return sqrt((double)worst) > row_share * s->job->tolerance;
}

static void copy_row(const region_search* s, const region* r, const float* row, float* out) {
    for (uint32_t i = r->first; i < r->end; i++, out += 3)
        memcpy(out, row + 3 * (size_t)s->order[i], 3 * sizeof(float));
}

// Several regions may be looked at at once, each by one thread.
static bool find_region_targets(const region_search* s, region* r, const limber_parallel* parallel, uint32_t limit) {
    bool held = false;
    limberi_bone_targets_job job = *s->job;
    job.parallel = parallel;
    job.width = 3 * (size_t)(r->end - r->first);
    job.limit = limit;
    job.held = &held;
    float* rows = limberi_allocate((job.row_count * job.width + 1) * sizeof *rows);
    r->no_memory = !rows;
    job.row_count = 0;
    for (uint32_t i = 0; rows && i < s->job->row_count; i++)
        if (counts(s, r, s->job->rows + i * s->job->width))
            copy_row(s, r, s->job->rows + i * s->job->width, rows + job.row_count++ * job.width);
    job.rows = rows;
    r->no_memory = r->no_memory || limberi_bone_targets(&job, &r->count, &r->targets) == LIMBER_ERROR_MEMORY;
    limberi_release(rows);
    return held || !job.row_count;
}

static region* make_region(region_search* s, uint32_t first, uint32_t end) {
    region* r = limberi_allocate_zeroed(1, sizeof *r);
    s->no_memory = s->no_memory || !r;
    if (r) {
        r->first = first;
        r->end = end;
    }
    return r;
}

// --- k-means ---

static float square_distance(const float* a, const float* b) {
    float x = a[0] - b[0];
    float y = a[1] - b[1];
    float z = a[2] - b[2];
    return x * x + y * y + z * z;
}

static uint32_t nearest(const float* centers, uint32_t count, const float* place) {
    uint32_t best = 0;
    for (uint32_t c = 1; c < count; c++)
        best = square_distance(centers + 3 * c, place) < square_distance(centers + 3 * best, place) ? c : best;
    return best;
}

// Each new center is the vertex that is farthest from those before.
static void place_centers(const float* places, uint32_t vertices, float* centers, uint32_t count) {
    memcpy(centers, places, 3 * sizeof *centers);
    for (uint32_t c = 1; c < count; c++) {
        float far = -1;
        for (uint32_t v = 0; v < vertices; v++) {
            const float* place = places + 3 * (size_t)v;
            float off = square_distance(centers + 3 * nearest(centers, c, place), place);
            if (off > far)
                memcpy(centers + 3 * c, place, 3 * sizeof *centers);
            far = off > far ? off : far;
        }
    }
}

static void move_centers(const float* places, uint32_t vertices, float* centers, uint32_t count) {
    double sums[REGIONS][4] = {{0}};
    for (uint32_t v = 0; v < vertices; v++) {
        const float* place = places + 3 * (size_t)v;
        double* sum = sums[nearest(centers, count, place)];
        for (int i = 0; i < 3; i++)
            sum[i] += (double)place[i];
        sum[3]++;
    }
    for (uint32_t c = 0; c < count; c++)
        for (int i = 0; i < 3 && sums[c][3] > 0; i++)
            centers[3 * c + (uint32_t)i] = (float)(sums[c][i] / sums[c][3]);
}

// Sorts `order` by regions; the regions are ends[c - 1] to ends[c].
static void divide(region_search* s, uint32_t vertices, uint32_t count, uint32_t* ends) {
    float centers[3 * REGIONS];
    uint32_t done = 0;
    place_centers(s->places, vertices, centers, count);
    for (int i = 0; i < STEPS; i++)
        move_centers(s->places, vertices, centers, count);
    for (uint32_t c = 0; c < count; c++) {
        for (uint32_t v = 0; v < vertices; v++)
            if (nearest(centers, count, s->places + 3 * (size_t)v) == c)
                s->order[done++] = v;
        ends[c] = done;
    }
}

typedef struct parts {
    const region_search* search;
    region* list[REGIONS];
    double work[REGIONS]; // each one's share of it
    bool done[REGIONS];
} parts;

static void find_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const parts* p = user;
    (void)worker;
    for (uint32_t c = first; c < end; c++)
        if (!p->done[c])
            (void)find_region_targets(p->search, p->list[c], NULL, p->search->job->limit);
}

static void measure_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    parts* p = user;
    const limberi_bone_targets_job* job = p->search->job;
    (void)worker;
    for (uint32_t c = first; c < end; c++) {
        double rows = 0;
        for (uint32_t i = 0; i < job->row_count; i++)
            rows += counts(p->search, p->list[c], job->rows + i * job->width);
        p->work[c] = rows * rows * (p->list[c]->end - p->list[c]->first);
    }
}

// Regions that others would wait for come first, one after the other, with all threads.
static void find_large(parts* p, uint32_t count) {
    const limber_parallel* parallel = p->search->job->parallel;
    double all = 0;
    if (!LIMBERI_HAS_THREADS || !parallel || !parallel->run)
        return;
    limberi_parallel_for(parallel, count, 1, measure_some, p);
    for (uint32_t c = 0; c < count; c++)
        all += p->work[c];
    for (uint32_t c = 0; c < count; c++) {
        p->done[c] = p->work[c] * LARGE > all && parallel->worker_count > 1;
        if (p->done[c])
            (void)find_region_targets(p->search, p->list[c], parallel, p->search->job->limit);
    }
}

// NULL: they would be more than `limit` targets together.
static region* find_parts(region_search* s, uint32_t vertices, uint32_t count, uint32_t limit) {
    uint32_t ends[REGIONS];
    uint32_t targets = 0;
    parts all = {.search = s};
    region* list = NULL;
    divide(s, vertices, count, ends);
    for (uint32_t c = 0; c < count; c++) {
        region* next = all.list[c] = make_region(s, c ? ends[c - 1] : 0, ends[c]);
        if (!next)
            break;
        next->next = list;
        list = next;
    }
    if (!s->no_memory) {
        find_large(&all, count);
        limberi_parallel_for(s->job->parallel, count, 1, find_some, &all);
    }
    for (const region* r = list; r; r = r->next) {
        targets += r->count;
        s->no_memory = s->no_memory || r->no_memory;
    }
    if (targets <= limit)
        return list;
    free_regions(list);
    return NULL;
}

// One region where a few targets do, or vertices are few.
static region* find_regions(region_search* s, uint32_t vertices) {
    uint32_t min = (uint32_t)(weight_share * s->job->frame_count);
    min = min > MIN_VERTICES ? min : MIN_VERTICES;
    uint32_t count = vertices / min < REGIONS ? vertices / min : REGIONS;
    region* list = make_region(s, 0, vertices);
    uint32_t limit = count > 1 && FEW < s->job->limit ? FEW : s->job->limit;
    bool held = list && find_region_targets(s, list, s->job->parallel, limit);
    s->no_memory = s->no_memory || (list && list->no_memory);
    if (count < 2 || held || s->no_memory)
        return list;
    free_regions(list);
    list = find_parts(s, vertices, count, PLAYED);
    return list || s->no_memory ? list : find_parts(s, vertices, (count + 1) / 2, UINT32_MAX);
}

// --- all of them ---

static float* targets_of_regions(const region_search* s, const region* list, uint32_t count) {
    float* targets = limberi_allocate_zeroed(count * s->job->width + 1, sizeof *targets);
    size_t at = 0;
    for (; targets && list; list = list->next)
        for (uint32_t t = 0; t < list->count; t++, at++)
            for (uint32_t i = list->first; i < list->end; i++)
                memcpy(targets + at * s->job->width + 3 * (size_t)s->order[i],
                       list->targets + 3 * ((size_t)t * (list->end - list->first) + i - list->first),
                       3 * sizeof(float));
    return targets;
}

limber_result limberi_bone_targets_by_region(const limberi_bone_targets_job* job, const float* places, uint32_t* count,
                                             float** targets) {
    uint32_t vertices = (uint32_t)(job->width / 3);
    region_search s = {job, places, limberi_allocate((vertices + (size_t)1) * sizeof(uint32_t)), false};
    *count = 0;
    *targets = NULL;
    if (!s.order)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t v = 0; v < vertices; v++)
        s.order[v] = v;
    region* list = vertices ? find_regions(&s, vertices) : NULL;
    for (const region* r = list; r; r = r->next)
        *count += r->count;
    if (!s.no_memory && *count)
        *targets = targets_of_regions(&s, list, *count);
    free_regions(list);
    limberi_release(s.order);
    return s.no_memory || (*count && !*targets) ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}
