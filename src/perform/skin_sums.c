// Sums over the skin by area: first moments per joint, second moments per pair of joints that share vertices.
#include "perform/skin_sums.h"

#include "base/memory.h"

#include <string.h>

// --- pairs of joints ---

// An open hash table from two slots to a pair.
typedef struct pair_table {
    limberi_skin_sums* surface;
    uint32_t* cells; // pair + 1; 0: empty
    uint32_t cell_count, capacity;
    bool failed;
} pair_table;

static uint32_t* cell_of(const pair_table* t, uint32_t a, uint32_t b) {
    uint32_t at = (a * 2654435761u ^ b * 2246822519u) & (t->cell_count - 1);
    while (t->cells[at]) {
        const limberi_skin_pair* pair = &t->surface->pairs[t->cells[at] - 1];
        if (pair->a == a && pair->b == b)
            break;
        at = (at + 1) & (t->cell_count - 1);
    }
    return &t->cells[at];
}

static void grow_table(pair_table* t) {
    uint32_t capacity = t->capacity ? 2 * t->capacity : 256;
    limberi_skin_pair* pairs =
        limberi_reallocate(t->surface->pairs, t->capacity * sizeof *pairs, capacity * sizeof *pairs);
    uint32_t* cells = limberi_allocate_zeroed(4 * (size_t)capacity, sizeof *cells);
    if (pairs)
        t->surface->pairs = pairs;
    t->failed = t->failed || !pairs || !cells;
    if (t->failed) {
        limberi_release(cells);
        return;
    }
    limberi_release(t->cells);
    t->cells = cells;
    t->capacity = capacity;
    t->cell_count = 4 * capacity;
    for (uint32_t i = 0; i < t->surface->pair_count; i++)
        *cell_of(t, pairs[i].a, pairs[i].b) = i + 1;
}

static void add_product(pair_table* t, uint32_t a, uint32_t b, double weight, const double* p) {
    if (t->surface->pair_count == t->capacity)
        grow_table(t);
    if (t->failed)
        return;
    uint32_t* cell = cell_of(t, a < b ? a : b, a < b ? b : a);
    if (!*cell) {
        limberi_skin_pair* pair = &t->surface->pairs[t->surface->pair_count++];
        memset(pair, 0, sizeof *pair);
        pair->a = a < b ? a : b;
        pair->b = a < b ? b : a;
        *cell = t->surface->pair_count;
    }
    double* sum = t->surface->pairs[*cell - 1].products;
    for (int r = 0; r < 4; r++)
        for (int c = r; c < 4; c++)
            *sum++ += weight * p[r] * p[c];
}

static void add_vertex(pair_table* t, const limber_mesh* mesh, uint32_t vertex, double area) {
    limberi_skin_sums* s = t->surface;
    const float* at = mesh->positions + 3 * (size_t)vertex;
    const double p[4] = {(double)at[0], (double)at[1], (double)at[2], 1};
    uint32_t first = s->first_slot[mesh->skin];
    uint32_t end = mesh->influence_first[vertex + 1];
    for (uint32_t i = mesh->influence_first[vertex]; i < end; i++) {
        uint32_t a = first + mesh->influence_joint[i];
        double weight = area * (double)mesh->influence_weight[i];
        for (int c = 0; c < 4; c++)
            s->mean[a][c] += weight * p[c];
        for (uint32_t k = i; k < end; k++) {
            uint32_t b = first + mesh->influence_joint[k];
            double twice = i != k && a == b ? 2 : 1; // a joint that is listed twice
            add_product(t, a, b, twice * weight * (double)mesh->influence_weight[k], p);
        }
    }
}

// --- the surface ---

static double total_area(const limber_model* model) {
    double total = 0;
    for (uint32_t m = 0; m < model->mesh_count; m++)
        for (uint32_t v = 0; !model->meshes[m].scenery && v < model->meshes[m].vertex_count; v++)
            total += (double)model->meshes[m].areas[v];
    return total;
}

static bool fill(limberi_skin_sums* s) {
    const limber_model* model = s->model;
    uint32_t* first = LIMBERI_ALLOCATE(&s->arena, uint32_t, model->skin_count);
    for (uint32_t i = 0; first && i < model->skin_count; i++) {
        first[i] = s->slot_count;
        s->slot_count += model->skins[i].joint_count;
    }
    s->first_slot = first;
    s->mean = limberi_arena_allocate(&s->arena, s->slot_count + (size_t)1, sizeof *s->mean);
    double total = total_area(model);
    pair_table table = {s, NULL, 0, 0, s->arena.failed};
    for (uint32_t m = 0; !table.failed && total > 0 && m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        for (uint32_t v = 0; !mesh->scenery && v < mesh->vertex_count; v++)
            if (mesh->areas[v] > 0)
                add_vertex(&table, mesh, v, (double)mesh->areas[v] / total);
    }
    limberi_release(table.cells);
    return !table.failed;
}

limberi_skin_sums* limberi_skin_sums_create(const limber_model* model) {
    limberi_skin_sums* s = limberi_allocate_zeroed(1, sizeof *s);
    if (!s)
        return NULL;
    s->model = model;
    if (fill(s))
        return s;
    limberi_skin_sums_destroy(s);
    return NULL;
}

void limberi_skin_sums_destroy(limberi_skin_sums* surface) {
    if (!surface)
        return;
    limberi_release(surface->pairs);
    limberi_arena_free(&surface->arena);
    limberi_release(surface);
}

void limberi_skin_sums_slots(const limberi_skin_sums* s, const limber_pose* pose, limberi_slot_matrix* slots) {
    for (uint32_t k = 0; k < s->model->skin_count; k++) {
        const limber_skin* skin = &s->model->skins[k];
        for (uint32_t i = 0; i < skin->joint_count; i++) {
            limber_mat4 world;
            limberi_mat4_multiply(&pose->world_from_joint[skin->joints[i]], &skin->joint_from_mesh[i], &world);
            double* out = slots[s->first_slot[k] + i];
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 4; c++)
                    out[4 * r + c] = (double)world.m[4 * c + r];
        }
    }
}

void limberi_skin_sums_middle(const limberi_skin_sums* s, const limberi_slot_matrix* slots, double* middle) {
    for (int r = 0; r < 3; r++)
        middle[r] = 0;
    for (uint32_t i = 0; i < s->slot_count; i++)
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 4; c++)
                middle[r] += slots[i][4 * r + c] * s->mean[i][c];
}

// tr(A C B^T)
static double product(const double* a, const double* c, const double* b) {
    double sum = 0;
    for (int r = 0; r < 3; r++, a += 4, b += 4) {
        sum += b[0] * (a[0] * c[0] + a[1] * c[1] + a[2] * c[2] + a[3] * c[3]);
        sum += b[1] * (a[0] * c[1] + a[1] * c[4] + a[2] * c[5] + a[3] * c[6]);
        sum += b[2] * (a[0] * c[2] + a[1] * c[5] + a[2] * c[7] + a[3] * c[8]);
        sum += b[3] * (a[0] * c[3] + a[1] * c[6] + a[2] * c[8] + a[3] * c[9]);
    }
    return sum;
}

double limberi_skin_sums_square(const limberi_skin_sums* s, const limberi_slot_matrix* slots) {
    double sum = 0;
    for (uint32_t i = 0; i < s->pair_count; i++) {
        const limberi_skin_pair* pair = &s->pairs[i];
        double one = product(slots[pair->a], pair->products, slots[pair->b]);
        sum += pair->a == pair->b ? one : 2 * one;
    }
    return sum > 0 ? sum : 0;
}

// cross += A C B^T
static void add_cross(const double* a, const double* c, const double* b, double* cross) {
    for (int r = 0; r < 3; r++, a += 4) {
        const double ac[4] = {a[0] * c[0] + a[1] * c[1] + a[2] * c[2] + a[3] * c[3],
                              a[0] * c[1] + a[1] * c[4] + a[2] * c[5] + a[3] * c[6],
                              a[0] * c[2] + a[1] * c[5] + a[2] * c[7] + a[3] * c[8],
                              a[0] * c[3] + a[1] * c[6] + a[2] * c[8] + a[3] * c[9]};
        for (int k = 0; k < 3; k++)
            cross[3 * r + k] += ac[0] * b[4 * k] + ac[1] * b[4 * k + 1] + ac[2] * b[4 * k + 2] + ac[3] * b[4 * k + 3];
    }
}

void limberi_skin_sums_cross(const limberi_skin_sums* s, const limberi_slot_matrix* x, const limberi_slot_matrix* y,
                             double* cross) {
    memset(cross, 0, 9 * sizeof *cross);
    for (uint32_t i = 0; i < s->pair_count; i++) {
        const limberi_skin_pair* pair = &s->pairs[i];
        add_cross(x[pair->a], pair->products, y[pair->b], cross);
        if (pair->a != pair->b)
            add_cross(x[pair->b], pair->products, y[pair->a], cross);
    }
}

static const limber_mesh* mesh_of(const limber_model* model, uint32_t vertex) {
    uint32_t low = 0;
    uint32_t high = model->mesh_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (model->meshes[middle].first_vertex <= vertex)
            low = middle;
        else
            high = middle;
    }
    return &model->meshes[low];
}

void limberi_skin_sums_place(const limberi_skin_sums* s, const limberi_slot_matrix* slots, uint32_t vertex,
                             float* place) {
    const limber_mesh* mesh = mesh_of(s->model, vertex);
    uint32_t v = vertex - mesh->first_vertex;
    uint32_t first = s->first_slot[mesh->skin];
    const float* at = mesh->positions + 3 * (size_t)v;
    const double p[3] = {(double)at[0], (double)at[1], (double)at[2]};
    double sum[3] = {0, 0, 0};
    for (uint32_t i = mesh->influence_first[v]; i < mesh->influence_first[v + 1]; i++) {
        const double* m = slots[first + mesh->influence_joint[i]];
        double weight = (double)mesh->influence_weight[i];
        for (int r = 0; r < 3; r++, m += 4)
            sum[r] += weight * (m[0] * p[0] + m[1] * p[1] + m[2] * p[2] + m[3]);
    }
    for (int r = 0; r < 3; r++)
        place[r] = (float)sum[r];
}

float limberi_skin_sums_height(const limberi_skin_sums* s, const limberi_slot_matrix* slots, uint32_t vertex) {
    const limber_mesh* mesh = mesh_of(s->model, vertex);
    uint32_t v = vertex - mesh->first_vertex;
    uint32_t first = s->first_slot[mesh->skin];
    const float* at = mesh->positions + 3 * (size_t)v;
    double sum = 0;
    for (uint32_t i = mesh->influence_first[v]; i < mesh->influence_first[v + 1]; i++) {
        const double* m = slots[first + mesh->influence_joint[i]] + 4;
        sum += (double)mesh->influence_weight[i] *
               (m[0] * (double)at[0] + m[1] * (double)at[1] + m[2] * (double)at[2] + m[3]);
    }
    return (float)sum;
}
