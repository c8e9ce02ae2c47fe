// Vertices that coincide in the plain motion, the islands that they and the triangles make, and those of the islands
// that are rigid in the plain motion.
#include "base/sort.h"
#include "base/symmetric.h"
#include "layer/surface.h"
#include "review/review_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double same_place = 1e-5;  // sizes
static const double min_length = 0.03;  // sizes: smaller islands are buttons
static const double same_length = 2e-4; // sizes
static const double slender = 0.2;      // second extent over the first, at most: a blade, a staff
static const double round_allowance = 10;
enum { MIN_MEMBERS = 8 };

typedef struct islands {
    const limber_model* model;
    double size;
    const float *first, *middle; // plain positions
    uint32_t* welded;            // [vertex] the first that it coincides with
    uint32_t* label;             // [vertex] of its island: its smallest vertex
    uint8_t* used;               // [vertex] a triangle has it
} islands;

// --- vertices that coincide ---

typedef struct place {
    long long at[6]; // in both frames
    uint32_t vertex;
} place;

static int by_place(const void* a, const void* b) {
    const place* p = a;
    const place* q = b;
    for (int c = 5; c >= 0; c--)
        if (p->at[c] != q->at[c])
            return p->at[c] < q->at[c] ? -1 : 1;
    return p->vertex < q->vertex ? -1 : p->vertex > q->vertex;
}

static void sort_places(const islands* s, place* places) {
    double unit = same_place * s->size;
    for (uint32_t v = 0; v < s->model->vertex_count; v++) {
        for (size_t c = 0; c < 3; c++) {
            places[v].at[c] = llrint((double)s->first[3 * (size_t)v + c] / unit);
            places[v].at[3 + c] = llrint((double)s->middle[3 * (size_t)v + c] / unit);
        }
        places[v].vertex = v;
    }
    qsort(places, s->model->vertex_count, sizeof *places, by_place);
}

static void weld(const islands* s, limberi_review_parts* p, place* places) {
    sort_places(s, places);
    for (uint32_t v = 0; v < s->model->vertex_count; v++) {
        uint32_t vertex = places[v].vertex;
        s->welded[vertex] = vertex;
        if (!v || memcmp(places[v].at, places[v - 1].at, sizeof places[v].at) != 0)
            continue;
        s->welded[vertex] = s->welded[places[v - 1].vertex];
        if (p->pair_count < LIMBERI_REVIEW_MANY) {
            p->pairs[p->pair_count][0] = places[v - 1].vertex;
            p->pairs[p->pair_count++][1] = vertex;
        }
    }
}

// --- islands ---

static void join_triangles(const islands* s) {
    for (uint32_t v = 0; v < s->model->vertex_count; v++)
        s->label[v] = v;
    for (uint32_t m = 0; m < s->model->mesh_count; m++) {
        const limber_mesh* mesh = &s->model->meshes[m];
        for (size_t t = 0; t < 3 * (size_t)mesh->triangle_count; t++) {
            uint32_t v = mesh->triangles[t] + mesh->first_vertex;
            uint32_t next = mesh->triangles[t % 3 == 2 ? t - 2 : t + 1] + mesh->first_vertex;
            s->used[v] = 1;
            limberi_join_sets(s->label, s->welded[v], s->welded[next]);
        }
    }
    for (uint32_t v = 0; v < s->model->vertex_count; v++)
        s->label[v] = limberi_root_of(s->label, s->welded[v]);
}

static uint32_t end_of_island(const uint64_t* members, uint32_t count, uint32_t first) {
    uint32_t end = first + 1;
    while (end < count && members[end] >> 32 == members[first] >> 32)
        end++;
    return end;
}

// --- the far points of an island ---

// The direction in which the members differ most. Returns whether they differ about as much across it.
static bool long_axis(const islands* s, const uint64_t* members, uint32_t count, const double* middle, double* axis) {
    double m[9] = {0};
    double values[3];
    for (uint32_t i = 0; i < count; i++)
        for (size_t c = 0; c < 9; c++)
            m[c] += ((double)s->first[3 * (size_t)(uint32_t)members[i] + c / 3] - middle[c / 3]) *
                    ((double)s->first[3 * (size_t)(uint32_t)members[i] + c % 3] - middle[c % 3]);
    limberi_eigen_small(m, 3, values);
    memcpy(axis, m, 3 * sizeof *axis);
    return values[1] > slender * slender * values[0];
}

// False: the island is too small to matter.
static bool find_ends(const islands* s, const uint64_t* members, uint32_t count, limberi_review_part* part) {
    double middle[3] = {0, 0, 0};
    double axis[3];
    double min = HUGE_VAL;
    double max = -HUGE_VAL;
    for (uint32_t i = 0; i < count; i++)
        for (size_t c = 0; c < 3; c++)
            middle[c] += (double)s->first[3 * (size_t)(uint32_t)members[i] + c] / count;
    part->allowed = long_axis(s, members, count, middle, axis) ? round_allowance : 1;
    for (uint32_t i = 0; i < count; i++) {
        const float* p = s->first + 3 * (size_t)(uint32_t)members[i];
        double along = 0;
        for (int c = 0; c < 3; c++)
            along += ((double)p[c] - middle[c]) * axis[c];
        if (along < min) {
            min = along;
            part->ends[0] = (uint32_t)members[i];
        }
        if (along > max) {
            max = along;
            part->ends[1] = (uint32_t)members[i];
        }
    }
    return max - min >= min_length * s->size;
}

static double distance(const float* positions, uint32_t a, uint32_t b) {
    const float* p = positions + 3 * (size_t)a;
    const float* q = positions + 3 * (size_t)b;
    double x = (double)p[0] - (double)q[0];
    double y = (double)p[1] - (double)q[1];
    double z = (double)p[2] - (double)q[2];
    return sqrt(x * x + y * y + z * z);
}

static void add_part(const islands* s, limberi_review_parts* p, const uint64_t* members, uint32_t count) {
    limberi_review_part* part = &p->parts[p->part_count];
    if (count < MIN_MEMBERS || !find_ends(s, members, count, part))
        return;
    for (uint32_t i = 0; i < LIMBERI_PART_PROBES; i++)
        part->probes[i] = (uint32_t)members[(uint64_t)i * (count - 1) / (LIMBERI_PART_PROBES - 1)];
    for (uint32_t a = 0; a < LIMBERI_PART_PROBES; a++)
        for (uint32_t b = 0; b < a; b++)
            part->distances[a][b] = (float)distance(s->first, part->probes[a], part->probes[b]);
    p->part_count++;
}

static void add_parts(const islands* s, limberi_review_parts* p, limberi_arena* arena, uint64_t* members) {
    // Vertices of triangles, those of an island next to each other and rising: the island above, the vertex below.
    uint32_t count = 0;
    for (uint32_t v = 0; v < s->model->vertex_count; v++)
        if (s->used[v])
            members[count++] = (uint64_t)s->label[v] << 32 | v;
    if (count)
        qsort(members, count, sizeof *members, limberi_compare_keys);
    uint32_t large = 0;
    for (uint32_t i = 0, end; i < count; i = end) {
        end = end_of_island(members, count, i);
        large += end - i >= MIN_MEMBERS;
    }
    p->parts = LIMBERI_ALLOCATE(arena, limberi_review_part, large);
    for (uint32_t i = 0, end; p->parts && i < count; i = end) {
        end = end_of_island(members, count, i);
        if (end - i >= MIN_MEMBERS)
            add_part(s, p, members + i, end - i);
    }
}

void limberi_parts_find(limberi_review_parts* p, limberi_arena* arena, const limber_model* model, double size,
                        const float* first, const float* middle) {
    limberi_arena scratch = {NULL, false};
    uint32_t vertices = model->vertex_count;
    islands s = {model,
                 size,
                 first,
                 middle,
                 LIMBERI_ALLOCATE(&scratch, uint32_t, vertices),
                 LIMBERI_ALLOCATE(&scratch, uint32_t, vertices),
                 LIMBERI_ALLOCATE(&scratch, uint8_t, vertices)};
    place* places = LIMBERI_ALLOCATE(&scratch, place, vertices);
    uint64_t* members = LIMBERI_ALLOCATE(&scratch, uint64_t, vertices);
    memset(p, 0, sizeof *p);
    p->pairs = limberi_arena_allocate(arena, LIMBERI_REVIEW_MANY, sizeof *p->pairs);
    arena->failed |= scratch.failed;
    if (!arena->failed && vertices && size > 0) {
        weld(&s, p, places);
        join_triangles(&s);
        add_parts(&s, p, arena, members);
    }
    limberi_arena_free(&scratch);
}

// --- frames ---

static bool bends(const limberi_review_part* part, double size, const float* plain) {
    for (uint32_t a = 0; a < LIMBERI_PART_PROBES; a++)
        for (uint32_t b = 0; b < a; b++)
            if (fabs(distance(plain, part->probes[a], part->probes[b]) - (double)part->distances[a][b]) >=
                same_length * size)
                return true;
    return false;
}

void limberi_parts_add(limberi_review_parts* p, double size, double time_s, const float* plain, const float* styled) {
    for (uint32_t i = 0; i < p->part_count; i++) {
        limberi_review_part* part = &p->parts[i];
        part->bends = part->bends || bends(part, size, plain);
        double was = distance(plain, part->ends[0], part->ends[1]);
        double change = was > 0 ? fabs(distance(styled, part->ends[0], part->ends[1]) / was - 1) : 0;
        if (change > part->change) {
            part->change = change;
            part->change_s = time_s;
        }
    }
    for (uint32_t i = 0; i < p->pair_count; i++) {
        double gap = distance(styled, p->pairs[i][0], p->pairs[i][1]);
        if (gap > p->crack.length) {
            p->crack.length = gap;
            p->crack.vertex = p->pairs[i][0];
            p->crack_s = time_s;
        }
    }
}

void limberi_parts_end(const limberi_review_parts* p, const limber_model* model, limberi_review* review) {
    review->at_rigid.joint = review->at_crack.joint = LIMBERI_NO_JOINT;
    for (uint32_t i = 0; i < p->part_count; i++) {
        const limberi_review_part* part = &p->parts[i];
        review->rigid_count += !part->bends;
        if (part->bends || part->change <= review->rigid * part->allowed)
            continue;
        review->rigid = part->change / part->allowed;
        review->at_rigid.joint = limberi_review_joint(model, part->ends[0]);
        review->at_rigid.time_s = part->change_s;
    }
    if (p->crack.length > 0) {
        review->crack = p->crack.length / review->size;
        review->at_crack.joint = limberi_review_joint(model, p->crack.vertex);
        review->at_crack.time_s = p->crack_s;
    }
}
