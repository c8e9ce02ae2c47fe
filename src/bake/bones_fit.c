// The transforms that bring linear blend skinning closest to given vertices: p = sum of w_j A_j x_j is linear in the
// A_j, and separable by coordinate, so that one factored matrix of 4 unknowns per slot serves all frames.
#include "bake/bones.h"
#include "base/symmetric.h"

#include <string.h>

// Of the mean diagonal: what the vertices hardly determine stays with the plain joints.
static const double ridge = 1e-6;

static void spread(const float* place, float weight, double* row) {
    for (int c = 0; c < 3; c++)
        row[c] = (double)weight * (double)place[c];
    row[3] = (double)weight;
}

static void add_pair(double* matrix, size_t n, size_t i, size_t k, const double* a, const double* b,
                     double importance) {
    for (size_t r = 0; r < 4; r++)
        for (size_t c = 0; c < 4; c++)
            matrix[(i + r) * n + k + c] += importance * a[r] * b[c];
}

static void add_vertex(limberi_bones* b, uint32_t m, uint32_t v, double importance) {
    const limberi_bone_mesh* mesh = &b->meshes[m];
    size_t n = 4 * (size_t)b->column_count;
    uint32_t first = mesh->mesh.influence_first[v], end = mesh->mesh.influence_first[v + 1];
    for (uint32_t i = first; i < end; i++) {
        double row[4], other[4];
        spread(b->places + 3 * ((size_t)b->first_place[m] + i), mesh->mesh.influence_weight[i], row);
        size_t at = 4 * (size_t)b->column[mesh->slots[mesh->mesh.influence_joint[i]]];
        for (uint32_t k = first; k < end; k++) {
            spread(b->places + 3 * ((size_t)b->first_place[m] + k), mesh->mesh.influence_weight[k], other);
            add_pair(b->matrix, n, at, 4 * (size_t)b->column[mesh->slots[mesh->mesh.influence_joint[k]]], row, other,
                     importance);
        }
    }
}

limber_result limberi_bones_factor(limberi_bones* b, const float* importance) {
    size_t n = 4 * (size_t)b->column_count;
    double trace = 0;
    memset(b->matrix, 0, n * n * sizeof *b->matrix);
    for (uint32_t m = 0; m < b->model->mesh_count; m++)
        for (uint32_t v = 0; v < b->meshes[m].mesh.vertex_count; v++)
            add_vertex(b, m, v, importance ? (double)importance[b->meshes[m].mesh.first_vertex + v] : 1.0);
    for (size_t i = 0; i < n; i++)
        trace += b->matrix[i * n + i];
    for (size_t i = 0; i < n; i++)
        b->matrix[i * n + i] += ridge * trace / (double)n + 1e-30;
    return !n || limberi_cholesky(b->matrix, (uint32_t)n) ? LIMBER_OK : LIMBER_ERROR_DATA;
}

// One pass over the influences: adds up the right-hand side (`up`), or takes the solution from the vertices.
static void gather(const limberi_bones* b, uint32_t m, const float* importance, const float* wanted, double* right) {
    const limberi_bone_mesh* mesh = &b->meshes[m];
    size_t n = 4 * (size_t)b->column_count;
    for (uint32_t v = 0; v < mesh->mesh.vertex_count; v++) {
        size_t u = mesh->mesh.first_vertex + v;
        double scale = importance ? (double)importance[u] : 1.0;
        double x = scale * (double)wanted[3 * u], y = scale * (double)wanted[3 * u + 1],
               z = scale * (double)wanted[3 * u + 2];
        for (uint32_t i = mesh->mesh.influence_first[v]; i < mesh->mesh.influence_first[v + 1]; i++) {
            double row[4];
            spread(b->places + 3 * ((size_t)b->first_place[m] + i), mesh->mesh.influence_weight[i], row);
            double* at = right + 4 * (size_t)b->column[mesh->slots[mesh->mesh.influence_joint[i]]];
            for (int c = 0; c < 4; c++) {
                at[c] += row[c] * x;
                at[n + (size_t)c] += row[c] * y;
                at[2 * n + (size_t)c] += row[c] * z;
            }
        }
    }
}

static void subtract(const limberi_bones* b, uint32_t m, const double* right, float* wanted) {
    const limberi_bone_mesh* mesh = &b->meshes[m];
    size_t n = 4 * (size_t)b->column_count;
    for (uint32_t v = 0; v < mesh->mesh.vertex_count; v++) {
        double sum[3] = {0, 0, 0};
        for (uint32_t i = mesh->mesh.influence_first[v]; i < mesh->mesh.influence_first[v + 1]; i++) {
            double row[4];
            spread(b->places + 3 * ((size_t)b->first_place[m] + i), mesh->mesh.influence_weight[i], row);
            const double* at = right + 4 * (size_t)b->column[mesh->slots[mesh->mesh.influence_joint[i]]];
            for (size_t c = 0; c < 3; c++)
                sum[c] += row[0] * at[c * n] + row[1] * at[c * n + 1] + row[2] * at[c * n + 2] + row[3] * at[c * n + 3];
        }
        float* out = wanted + 3 * ((size_t)mesh->mesh.first_vertex + v);
        for (int c = 0; c < 3; c++)
            out[c] = (float)((double)out[c] - sum[c]);
    }
}

void limberi_bones_fit(const limberi_bones* b, const float* importance, float* wanted, double* right) {
    size_t n = 4 * (size_t)b->column_count;
    memset(right, 0, 3 * n * sizeof *right);
    for (uint32_t m = 0; m < b->model->mesh_count; m++)
        gather(b, m, importance, wanted, right);
    limberi_cholesky_solve(b->matrix, (uint32_t)n, 3, right);
    for (uint32_t m = 0; m < b->model->mesh_count; m++)
        subtract(b, m, right, wanted);
}

limberi_affine limberi_bones_found(const limberi_bones* b, const double* right, uint32_t slot) {
    limberi_affine a;
    memset(&a, 0, sizeof a);
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
