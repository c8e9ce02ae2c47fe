// How far a style stretches edges.
#include "base/memory.h"
#include "base/sort.h"
#include "review/review_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double shortest = 0.002; // sizes: shorter edges double without anybody seeing it
enum { MAX_EDGES = 12000 };

static uint64_t key_of(uint32_t a, uint32_t b) {
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

// Every edge once, sorted. The count, 0 where memory is short.
static size_t list_edges(const limber_model* model, uint64_t* keys) {
    size_t count = 0;
    size_t once = 0;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        for (size_t t = 0; t < 3 * (size_t)mesh->triangle_count; t += 3)
            for (size_t c = 0; c < 3; c++)
                keys[count++] = key_of(mesh->triangles[t + c] + mesh->first_vertex,
                                       mesh->triangles[t + (c + 1) % 3] + mesh->first_vertex);
    }
    if (count)
        qsort(keys, count, sizeof *keys, limberi_compare_keys);
    for (size_t i = 0; i < count; i++)
        if (!i || keys[i] != keys[i - 1])
            keys[once++] = keys[i];
    return once;
}

void limberi_edges_find(limberi_review_edges* e, limberi_arena* arena, const limber_model* model, uint32_t frames) {
    memset(e, 0, sizeof *e);
    uint64_t* keys = limberi_allocate_zeroed(3 * (size_t)model->triangle_count + 1, sizeof *keys);
    if (!keys) {
        arena->failed = true;
        return;
    }
    size_t all = list_edges(model, keys);
    e->count = all < MAX_EDGES ? (uint32_t)all : MAX_EDGES;
    e->edges = limberi_arena_allocate(arena, e->count, sizeof *e->edges);
    e->ratios = LIMBERI_ALLOCATE(arena, float, (size_t)e->count* frames);
    for (uint32_t i = 0; !arena->failed && i < e->count; i++) {
        uint64_t key = keys[(size_t)i * all / e->count];
        e->edges[i][0] = (uint32_t)(key >> 32);
        e->edges[i][1] = (uint32_t)key;
    }
    limberi_release(keys);
}

static double length_of(const float* positions, const uint32_t* edge) {
    const float* a = positions + 3 * (size_t)edge[0];
    const float* b = positions + 3 * (size_t)edge[1];
    double x = (double)a[0] - (double)b[0];
    double y = (double)a[1] - (double)b[1];
    double z = (double)a[2] - (double)b[2];
    return sqrt(x * x + y * y + z * z);
}

void limberi_edges_add(limberi_review_edges* e, double size, const float* plain, const float* styled) {
    float* row = e->ratios + (size_t)e->frames++ * e->count;
    for (uint32_t i = 0; i < e->count; i++) {
        double was = length_of(plain, e->edges[i]);
        row[i] = was > shortest * size ? (float)(length_of(styled, e->edges[i]) / was) : -1;
    }
}

double limberi_edges_frame(limberi_review_edges* e, double size, const float* plain, const float* styled) {
    e->frames = 0;
    limberi_edges_add(e, size, plain, styled);
    size_t count = 0;
    for (uint32_t i = 0; i < e->count; i++)
        if (e->ratios[i] >= 0)
            e->ratios[count++] = e->ratios[i];
    return count ? limberi_percentile(e->ratios, count, 99.9) : 1;
}

// The joint that has most of what is stretched as much as `min`, and when it is stretched most.
static limberi_spot find_spot(const limberi_review_edges* e, limberi_arena* arena, const limber_model* model,
                              double min, const double* times) {
    limberi_spot spot = {LIMBERI_NO_JOINT, 0};
    uint32_t* counts = LIMBERI_ALLOCATE(arena, uint32_t, (size_t)model->rig.joint_count + 1);
    float* max = LIMBERI_ALLOCATE(arena, float, (size_t)model->rig.joint_count + 1);
    double* when = LIMBERI_ALLOCATE(arena, double, (size_t)model->rig.joint_count + 1);
    if (arena->failed)
        return spot;
    for (size_t i = 0; i < (size_t)e->frames * e->count; i++) {
        if ((double)e->ratios[i] < min)
            continue;
        uint32_t joint = limberi_review_joint(model, e->edges[i % e->count][0]);
        counts[joint]++;
        if (e->ratios[i] > max[joint]) {
            max[joint] = e->ratios[i];
            when[joint] = times[i / e->count * LIMBERI_REVIEW_EVERY];
        }
    }
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        if (counts[j] && (spot.joint == LIMBERI_NO_JOINT || counts[j] > counts[spot.joint])) {
            spot.joint = j;
            spot.time_s = when[j];
        }
    return spot;
}

void limberi_edges_end(const limberi_review_edges* e, limberi_arena* arena, const limber_model* model,
                       const double* times, limberi_review* review) {
    review->stretch = review->shrink = 1;
    review->at_stretch.joint = LIMBERI_NO_JOINT;
    size_t all = (size_t)e->frames * e->count;
    size_t count = 0;
    float* values = LIMBERI_ALLOCATE(arena, float, all);
    for (size_t i = 0; values && i < all; i++)
        if (e->ratios[i] >= 0)
            values[count++] = e->ratios[i];
    if (!count)
        return;
    review->stretch = limberi_percentile(values, count, 99.9);
    review->shrink = limberi_percentile(values, count, 0.1);
    review->at_stretch = find_spot(e, arena, model, review->stretch, times);
}
