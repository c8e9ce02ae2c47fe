// The character as a bone bake sees it (slots, and meshes whose influences name them), and the transforms of slots that
// bring linear blend skinning closest to given vertices: p = sum of w_j A_j x_j is linear in the A_j, and separable by
// coordinate, so that one factored matrix of 4 unknowns per slot serves all frames.
#include "bake/bones.h"
#include "base/lanes.h"
#include "base/math.h"
#include "base/parallel.h"

#include <string.h>

static const float box_weight = 0.1f; // vertices that hardly hang on a slot do not count for its box
// Of the mean diagonal: what the vertices hardly determine stays with the plain joints.
static const double ridge = 1e-6;
// Products for one factorization: a rig of 3,600 joints, all of which share vertices.
static const double max_work = 1e12;
#define WHOLE 65535.0f // a weight of 1 in a file

// --- slots ---

static uint32_t helpers_of(const limberi_bones* b, uint32_t mesh) {
    uint32_t count = 0;
    for (uint32_t h = 0; h < b->helper_count; h++)
        count += b->helpers[h].mesh == mesh;
    return count;
}

static void name_slots(limberi_bones* b, uint32_t m) {
    const limber_skin* skin = &b->model->skins[b->model->meshes[m].skin];
    limberi_bone_mesh* mesh = &b->meshes[m];
    for (uint32_t k = 0; k < skin->joint_count; k++) {
        mesh->slots[k] = skin->joints[k];
        mesh->joint_from_mesh[k] = skin->joint_from_mesh[k];
    }
    uint32_t next = skin->joint_count;
    for (uint32_t h = 0; h < b->helper_count; h++) {
        if (b->helpers[h].mesh != m)
            continue;
        mesh->slots[next] = b->model->rig.joint_count + h;
        mesh->joint_from_mesh[next++] = skin->joint_from_mesh[b->helpers[h].bind];
    }
}

static uint32_t bind_of_helper(const limberi_bone_mesh* mesh, uint32_t slot) {
    uint32_t k = 0;
    while (k + 1 < mesh->bind_count && mesh->slots[k] != slot)
        k++;
    return k;
}

static uint32_t max_shares(const limber_mesh* mesh) {
    uint32_t max = LIMBERI_BONE_PARTS;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        uint32_t count = mesh->influence_first[v + 1] - mesh->influence_first[v];
        max = count > max ? count : max;
    }
    return max;
}

// Those of a vertex, which hangs on a helper alone, or on its joints and helpers that have a share of them.
static uint32_t find_shares(const limberi_bone_places* places, const limber_mesh* from, uint32_t m, uint32_t v,
                            int32_t helper, limberi_bone_share* out) {
    if (helper < 0)
        return limberi_bone_shares(places, from, m, v, out);
    out[0] = (limberi_bone_share){.helper = helper, .weight = 1};
    return 1;
}

// As a file has them: 16 bits, and the largest takes what rounding leaves.
static void round_weights(float* weights, uint32_t count) {
    float* largest = weights;
    float rest = WHOLE;
    for (uint32_t i = 0; i < count; i++) {
        weights[i] = rintf(weights[i] * WHOLE);
        rest -= weights[i];
        largest = weights[i] > *largest ? &weights[i] : largest;
    }
    if (count)
        *largest += rest;
    for (uint32_t i = 0; i < count; i++)
        weights[i] /= WHOLE;
}

static bool copy_influences(limberi_bones* b, uint32_t m, const int32_t* helper_of_vertex,
                            const limberi_bone_places* places) {
    const limber_mesh* from = &b->model->meshes[m];
    limberi_bone_mesh* to = &b->meshes[m];
    uint32_t max = max_shares(from);
    size_t room = places->count ? (size_t)max * from->vertex_count : from->influence_first[from->vertex_count];
    uint32_t* first = LIMBERI_ALLOCATE(&b->arena, uint32_t, from->vertex_count + 1);
    uint16_t* joint = LIMBERI_ALLOCATE(&b->arena, uint16_t, room);
    float* weight = LIMBERI_ALLOCATE(&b->arena, float, room);
    limberi_bone_share* shares = LIMBERI_ALLOCATE(&b->arena, limberi_bone_share, max);
    if (b->arena.failed)
        return false;
    uint32_t count = 0;
    bool helped = helpers_of(b, m) > 0;
    for (uint32_t v = 0; v < from->vertex_count; v++) {
        int32_t helper = helper_of_vertex ? helper_of_vertex[from->first_vertex + v] : -1;
        uint32_t found = find_shares(places, from, m, v, helper, shares);
        first[v] = count;
        for (uint32_t i = 0; i < found; i++, count++) {
            joint[count] = (uint16_t)shares[i].bind;
            if (shares[i].helper >= 0)
                joint[count] = (uint16_t)bind_of_helper(to, b->model->rig.joint_count + (uint32_t)shares[i].helper);
            weight[count] = shares[i].weight;
        }
        if (helped)
            round_weights(weight + first[v], found);
    }
    first[from->vertex_count] = count;
    to->mesh.influence_first = first;
    to->mesh.influence_joint = joint;
    to->mesh.influence_weight = weight;
    return true;
}

static bool make_meshes(limberi_bones* b, const int32_t* helper_of_vertex, const limberi_bone_places* split) {
    const limber_model* model = b->model;
    b->meshes = LIMBERI_ALLOCATE(&b->arena, limberi_bone_mesh, model->mesh_count);
    b->first_row = LIMBERI_ALLOCATE(&b->arena, uint32_t, model->mesh_count);
    for (uint32_t m = 0; b->first_row && m < model->mesh_count; m++) {
        limberi_bone_mesh* mesh = &b->meshes[m];
        mesh->mesh = model->meshes[m];
        mesh->bind_count = model->skins[mesh->mesh.skin].joint_count + helpers_of(b, m);
        mesh->slots = LIMBERI_ALLOCATE(&b->arena, uint32_t, mesh->bind_count);
        mesh->joint_from_mesh = LIMBERI_ALLOCATE(&b->arena, limber_mat4, mesh->bind_count);
        if (b->arena.failed)
            return false;
        name_slots(b, m);
        if (!copy_influences(b, m, helper_of_vertex, split))
            return false;
        b->first_row[m] = b->row_count;
        b->row_count += mesh->mesh.influence_first[mesh->mesh.vertex_count];
    }
    b->rows = LIMBERI_ALLOCATE(&b->arena, float, 4 * (size_t)b->row_count);
    return b->rows != NULL;
}

// Calls `each` for all influences.
typedef void (*influence_visit)(limberi_bones* b, uint32_t slot, float weight, limber_vec3 place, float* out);

static void visit(limberi_bones* b, influence_visit each) {
    for (uint32_t m = 0; m < b->model->mesh_count; m++) {
        const limberi_bone_mesh* mesh = &b->meshes[m];
        for (uint32_t v = 0; v < mesh->mesh.vertex_count; v++) {
            limber_vec3 p = limberi_load3(mesh->mesh.positions + 3 * (size_t)v);
            for (uint32_t i = mesh->mesh.influence_first[v]; i < mesh->mesh.influence_first[v + 1]; i++) {
                uint32_t bind = mesh->mesh.influence_joint[i];
                each(b, mesh->slots[bind], mesh->mesh.influence_weight[i],
                     limberi_mat4_point(&mesh->joint_from_mesh[bind], p), b->rows + 4 * ((size_t)b->first_row[m] + i));
            }
        }
    }
}

// `unit` holds the sum of the weights for now, `column` whether there are any, be they 0.
static void add_center(limberi_bones* b, uint32_t slot, float weight, limber_vec3 place, float* out) {
    (void)out;
    double* c = b->center + 3 * (size_t)slot;
    c[0] += (double)weight * (double)place.x;
    c[1] += (double)weight * (double)place.y;
    c[2] += (double)weight * (double)place.z;
    b->unit[slot] += (double)weight;
    b->column[slot] = 1;
    const float at[3] = {place.x, place.y, place.z};
    for (size_t i = 0; weight >= box_weight && i < 3; i++) {
        double* low = &b->low[3 * (size_t)slot + i];
        double* high = &b->high[3 * (size_t)slot + i];
        *low = (double)at[i] < *low ? (double)at[i] : *low; // many: fmin would be called
        *high = (double)at[i] > *high ? (double)at[i] : *high;
    }
}

static void store_row(limberi_bones* b, uint32_t slot, float weight, limber_vec3 place, float* out) {
    const double* c = b->center + 3 * (size_t)slot;
    double scale = (double)weight * b->unit[slot];
    out[0] = (float)(((double)place.x - c[0]) * scale);
    out[1] = (float)(((double)place.y - c[1]) * scale);
    out[2] = (float)(((double)place.z - c[2]) * scale);
    out[3] = weight;
}

static void measure_slots(limberi_bones* b) {
    for (size_t i = 0; i < 3 * (size_t)b->slot_count; i++) {
        b->low[i] = HUGE_VAL;
        b->high[i] = -HUGE_VAL;
    }
    visit(b, add_center);
    for (size_t i = 0; i < 3 * (size_t)b->slot_count; i++)
        if (!(b->low[i] <= b->high[i]))
            b->low[i] = b->high[i] = 0;
    uint32_t joints = b->model->rig.joint_count;
    for (uint32_t s = 0; s < b->slot_count; s++) {
        double sum = b->unit[s];
        double scale = 0;
        const limber_mat4* rest = &b->model->rig.world_from_joint_rest[s < joints ? s : b->helpers[s - joints].joint];
        for (int c = 0; c < 3; c++) {
            b->center[3 * s + (uint32_t)c] /= sum > 0 ? sum : 1;
            scale = fmax(scale, (double)limberi_length(limberi_mat4_column(rest, c)));
        }
        double size = (double)b->model->size;
        b->unit[s] = size > 0 && scale > 0 ? scale / size : 1;
        b->column[s] = b->column[s] ? b->column_count++ : UINT32_MAX;
    }
    visit(b, store_row);
}

// Influences by slots, so that what a slot gathers stays in registers.
static bool sort_by_columns(limberi_bones* b) {
    uint32_t* next = LIMBERI_ALLOCATE(&b->arena, uint32_t, b->column_count + (size_t)1);
    b->row_column = LIMBERI_ALLOCATE(&b->arena, uint32_t, b->row_count);
    b->first_gathered = LIMBERI_ALLOCATE(&b->arena, uint32_t, b->column_count + (size_t)1);
    b->gathered = LIMBERI_ALLOCATE(&b->arena, limberi_bone_row, b->row_count);
    if (b->arena.failed)
        return false;
    for (uint32_t m = 0; m < b->model->mesh_count; m++) {
        const limberi_bone_mesh* mesh = &b->meshes[m];
        for (uint32_t i = 0; i < mesh->mesh.influence_first[mesh->mesh.vertex_count]; i++) {
            uint32_t column = b->column[mesh->slots[mesh->mesh.influence_joint[i]]];
            b->row_column[b->first_row[m] + i] = column;
            b->first_gathered[column + 1]++;
        }
    }
    for (uint32_t c = 0; c < b->column_count; c++)
        b->first_gathered[c + 1] += b->first_gathered[c];
    memcpy(next, b->first_gathered, b->column_count * sizeof *next);
    for (uint32_t m = 0; m < b->model->mesh_count; m++) {
        const limber_mesh* mesh = &b->meshes[m].mesh;
        for (uint32_t v = 0; v < mesh->vertex_count; v++)
            for (uint32_t i = mesh->influence_first[v]; i < mesh->influence_first[v + 1]; i++) {
                uint32_t row = b->first_row[m] + i;
                b->gathered[next[b->row_column[row]]++] = (limberi_bone_row){mesh->first_vertex + v, row};
            }
    }
    return true;
}

// `first` becomes, for each row of the matrix, the first column that is not 0: that of the first slot with which the
// row's slot shares a vertex.
static void find_rows(const limberi_bones* b, uint32_t* first) {
    for (uint32_t i = 0; i < b->column_count; i++)
        first[4 * i] = 4 * i;
    for (uint32_t m = 0; m < b->model->mesh_count; m++) {
        const uint32_t* influences = b->meshes[m].mesh.influence_first;
        const uint32_t* columns = b->row_column + b->first_row[m];
        for (uint32_t v = 0; v < b->meshes[m].mesh.vertex_count; v++) {
            uint32_t min = UINT32_MAX;
            for (uint32_t i = influences[v]; i < influences[v + 1]; i++)
                min = 4 * columns[i] < min ? 4 * columns[i] : min;
            for (uint32_t i = influences[v]; i < influences[v + 1]; i++) {
                uint32_t* row = &first[4 * (size_t)columns[i]];
                *row = min < *row ? min : *row;
            }
        }
    }
    for (uint32_t i = 0; i < 4 * b->column_count; i++)
        first[i] = first[i & ~3u];
}

// LIMBER_ERROR_LIMIT: so many slots share vertices that the equations would take hours.
static limber_result make_matrix(limberi_bones* b) {
    uint32_t n = 4 * b->column_count;
    uint32_t* first = LIMBERI_ALLOCATE(&b->arena, uint32_t, n);
    size_t* at = LIMBERI_ALLOCATE(&b->arena, size_t, n);
    if (b->arena.failed)
        return LIMBER_ERROR_MEMORY;
    find_rows(b, first);
    double work = 0;
    b->matrix_size = 0;
    for (uint32_t i = 0; i < n; i++) {
        size_t length = i - first[i] + 1;
        at[i] = b->matrix_size;
        b->matrix_size += length;
        work += (double)length * (double)length;
    }
    if (work > max_work)
        return LIMBER_ERROR_LIMIT;
    limberi_lower matrix = {n, LIMBERI_ALLOCATE(&b->arena, double, b->matrix_size), first, at};
    b->matrix = matrix;
    return b->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

limber_result limberi_bones_create(const limber_model* model, const int32_t* helper_of_vertex, uint32_t helper_count,
                                   const limberi_bone_helper* helpers, const limberi_bone_places* places,
                                   limberi_bones* b) {
    memset(b, 0, sizeof *b);
    b->model = model;
    b->helper_count = helper_count;
    b->helpers = helpers;
    b->slot_count = model->rig.joint_count + helper_count;
    b->column = LIMBERI_ALLOCATE(&b->arena, uint32_t, b->slot_count);
    b->center = LIMBERI_ALLOCATE(&b->arena, double, 3 * (size_t)b->slot_count);
    b->unit = LIMBERI_ALLOCATE(&b->arena, double, b->slot_count);
    b->low = LIMBERI_ALLOCATE(&b->arena, double, 3 * (size_t)b->slot_count);
    b->high = LIMBERI_ALLOCATE(&b->arena, double, 3 * (size_t)b->slot_count);
    if (b->arena.failed || !make_meshes(b, helper_of_vertex, places))
        return LIMBER_ERROR_MEMORY;
    measure_slots(b);
    return sort_by_columns(b) ? make_matrix(b) : LIMBER_ERROR_MEMORY;
}

void limberi_bones_destroy(limberi_bones* b) {
    limberi_arena_free(&b->arena);
    memset(b, 0, sizeof *b);
}

// --- fits ---

// Slots i and k, k not after i: the part on and below the diagonal.
static void add_pair(const limberi_lower* matrix, uint32_t i, uint32_t k, const float* a, const float* b,
                     double importance) {
    for (uint32_t r = 0; r < 4; r++) {
        double* row = matrix->numbers + matrix->at[i + r] + (k - matrix->first[i + r]);
        uint32_t end = i == k ? r + 1 : 4;
        for (uint32_t c = 0; c < end; c++)
            row[c] += importance * (double)a[r] * (double)b[c];
    }
}

// The matrix while it is filled; each slot's rows by one thread, so that sums have one order.
typedef struct matrix_work {
    const limberi_bones* bones;
    const float* importance;
    uint32_t first, end; // rows
} matrix_work;

static void add_vertex(const matrix_work* w, uint32_t m, uint32_t v, double importance) {
    const limberi_bones* b = w->bones;
    const limberi_bone_mesh* mesh = &b->meshes[m];
    uint32_t first = mesh->mesh.influence_first[v];
    uint32_t end = mesh->mesh.influence_first[v + 1];
    const float* rows = b->rows + 4 * (size_t)b->first_row[m];
    const uint32_t* columns = b->row_column + b->first_row[m];
    for (uint32_t i = first; i < end; i++) {
        uint32_t at = 4 * columns[i];
        for (uint32_t k = first; at >= w->first && at < w->end && k < end; k++)
            if (columns[k] <= columns[i])
                add_pair(&b->matrix, at, 4 * columns[k], rows + 4 * (size_t)i, rows + 4 * (size_t)k, importance);
    }
}

static void fill_rows(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    matrix_work w = *(const matrix_work*)user;
    const limberi_bones* b = w.bones;
    (void)worker;
    w.first = 4 * first;
    w.end = 4 * end;
    for (uint32_t m = 0; m < b->model->mesh_count; m++)
        for (uint32_t v = 0; v < b->meshes[m].mesh.vertex_count; v++)
            add_vertex(&w, m, v, w.importance ? (double)w.importance[b->meshes[m].mesh.first_vertex + v] : 1.0);
}

limber_result limberi_bones_factor(limberi_bones* b, const limber_parallel* parallel, const float* importance) {
    const limberi_lower* matrix = &b->matrix;
    matrix_work work = {.bones = b, .importance = importance};
    double trace = 0;
    uint32_t workers = limberi_worker_count(parallel);
    uint32_t tasks = workers > 1 ? 2 * workers : 1;
    memset(matrix->numbers, 0, b->matrix_size * sizeof *matrix->numbers);
    limberi_parallel_for(parallel, b->column_count, (b->column_count + tasks - 1) / tasks, fill_rows, &work);
    for (uint32_t i = 0; i < matrix->n; i++)
        trace += matrix->numbers[matrix->at[i] + (i - matrix->first[i])];
    for (uint32_t i = 0; i < matrix->n; i++)
        matrix->numbers[matrix->at[i] + (i - matrix->first[i])] += ridge * trace / (double)matrix->n + 1e-30;
    return limberi_cholesky(matrix) ? LIMBER_OK : LIMBER_ERROR_DATA;
}

// Sums in single precision are that long: the rounding of more would show in what the equations tell apart least.
enum { SUMMED = 32 };

// Adds up the right-hand sides of a slot.
static void gather(const limberi_bones* b, uint32_t column, const float* importance, const float* wanted,
                   double* right) {
    size_t n = 4 * (size_t)b->column_count;
    const limberi_bone_row* row = b->gathered + b->first_gathered[column];
    const limberi_bone_row* end = b->gathered + b->first_gathered[column + 1];
    while (row < end) {
        const limberi_bone_row* stop = end - row < SUMMED ? end : row + SUMMED;
        limberi_lanes sums[3] = {limberi_lanes_all(0), limberi_lanes_all(0), limberi_lanes_all(0)};
        float numbers[4];
        for (; row < stop; row++) {
            const float* w = wanted + 3 * (size_t)row->vertex;
            limberi_lanes by = limberi_lanes_load(b->rows + 4 * (size_t)row->row);
            by *= limberi_lanes_all(importance ? importance[row->vertex] : 1);
            for (int c = 0; c < 3; c++)
                sums[c] += by * limberi_lanes_all(w[c]);
        }
        for (size_t c = 0; c < 3; c++) {
            limberi_lanes_store(numbers, sums[c]);
            for (size_t k = 0; k < 4; k++)
                right[c * n + 4 * column + k] += (double)numbers[k];
        }
    }
}

static float sum_of(limberi_lanes v) {
    float numbers[4];
    limberi_lanes_store(numbers, v);
    return (numbers[0] + numbers[1]) + (numbers[2] + numbers[3]);
}

// Takes the solution, [column][coordinate][4], from the vertices.
static void subtract(const limberi_bones* b, uint32_t m, const float* solution, float* wanted) {
    const limber_mesh* mesh = &b->meshes[m].mesh;
    const float* rows = b->rows + 4 * (size_t)b->first_row[m];
    const uint32_t* columns = b->row_column + b->first_row[m];
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        limberi_lanes sums[3] = {limberi_lanes_all(0), limberi_lanes_all(0), limberi_lanes_all(0)};
        for (uint32_t i = mesh->influence_first[v]; i < mesh->influence_first[v + 1]; i++) {
            limberi_lanes row = limberi_lanes_load(rows + 4 * (size_t)i);
            const float* at = solution + 12 * (size_t)columns[i];
            for (int c = 0; c < 3; c++, at += 4)
                sums[c] += row * limberi_lanes_load(at);
        }
        float* out = wanted + 3 * ((size_t)mesh->first_vertex + v);
        for (int c = 0; c < 3; c++)
            out[c] -= sum_of(sums[c]);
    }
}

void limberi_bones_fit(const limberi_bones* b, const float* importance, float* wanted, double* right) {
    size_t n = 4 * (size_t)b->column_count;
    float* solution = (float*)(right + 3 * n);
    memset(right, 0, 3 * n * sizeof *right);
    for (uint32_t c = 0; c < b->column_count; c++)
        gather(b, c, importance, wanted, right);
    limberi_cholesky_solve(&b->matrix, 3, right);
    for (size_t i = 0; i < 3 * n; i++)
        solution[i] = (float)right[i / 4 % 3 * n + i / 12 * 4 + i % 4];
    for (uint32_t m = 0; m < b->model->mesh_count; m++)
        subtract(b, m, solution, wanted);
}

limberi_affine limberi_bones_found(const limberi_bones* b, const double* right, uint32_t slot) {
    limberi_affine a = {0};
    if (b->column[slot] == UINT32_MAX)
        return a;
    size_t n = 4 * (size_t)b->column_count;
    const double* center = b->center + 3 * (size_t)slot;
    for (size_t r = 0; r < 3; r++) {
        const double* x = right + r * n + 4 * (size_t)b->column[slot];
        a.m[4 * r + 3] = x[3];
        for (size_t c = 0; c < 3; c++) {
            a.m[4 * r + c] = x[c] * b->unit[slot];
            a.m[4 * r + 3] -= a.m[4 * r + c] * center[c];
        }
    }
    return a;
}
