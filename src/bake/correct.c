// Corrective displacements: what to add to the mesh before skinning so that the skinned result lands on a given frame.
// With M the blended matrix of a vertex, M (p + delta) = target, so delta = M^-1 (target - M p).
#include "base/math.h"
#include "skin/kernels.h"
#include <limber/bake.h>

#include <stdlib.h>

static limber_mat4 from_rows(const float* rows) {
    limber_mat4 m = limber_mat4_identity();
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++)
            m.m[4 * column + row] = rows[4 * row + column];
    return m;
}

static limber_vec3 correct_position(const float* m, limber_vec3 p, limber_vec3 target) {
    limber_vec3 skinned =
        limberi_vec3(m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3], //
                     m[4] * p.x + m[5] * p.y + m[6] * p.z + m[7], m[8] * p.x + m[9] * p.y + m[10] * p.z + m[11]);
    limber_vec3 off = limberi_sub(target, skinned);
    limber_mat4 world_from_mesh = from_rows(m), mesh_from_world;
    if ((off.x == 0 && off.y == 0 && off.z == 0) || !limberi_mat4_inverse(&world_from_mesh, &mesh_from_world))
        return limberi_vec3(0, 0, 0);
    return limberi_mat4_vector(&mesh_from_world, off);
}

// A player turns normals by the cofactors of M, which M^T undoes up to length.
static limber_vec3 correct_normal(const float* m, limber_vec3 n, limber_vec3 target) {
    limber_vec3 skinned = limberi_skin_normal(m, n);
    if (skinned.x == target.x && skinned.y == target.y && skinned.z == target.z)
        return limberi_vec3(0, 0, 0);
    limber_vec3 back = limberi_vec3(m[0] * target.x + m[4] * target.y + m[8] * target.z,
                                    m[1] * target.x + m[5] * target.y + m[9] * target.z,
                                    m[2] * target.x + m[6] * target.y + m[10] * target.z);
    limber_vec3 unit = limberi_normalize(back);
    return limberi_dot(unit, unit) > 0.5f ? limberi_sub(unit, n) : limberi_vec3(0, 0, 0);
}

void limber_bake_correct(const limber_bake_correct_job* job) {
    const limber_mesh* mesh = job->mesh;
    const float* positions = job->morphed_positions ? job->morphed_positions : mesh->positions;
    const float* normals = job->morphed_normals ? job->morphed_normals : mesh->normals;
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        float m[12];
        size_t at = 3 * (size_t)u;
        limberi_skin_blend(mesh, job->palette, u, m);
        limberi_store3(job->out_positions + at,
                       correct_position(m, limberi_load3(positions + at), limberi_load3(job->positions + at)));
        if (job->out_normals)
            limberi_store3(job->out_normals + at,
                           correct_normal(m, limberi_load3(normals + at), limberi_load3(job->normals + at)));
    }
}

void limber_bake_destroy(limber_bake* bake) {
    if (!bake)
        return;
    for (uint32_t m = 0; bake->meshes && m < bake->mesh_count; m++) {
        limber_bake_mesh* mesh = &bake->meshes[m];
        free(mesh->base_positions);
        free(mesh->base_normals);
        free(mesh->positions);
        free(mesh->normals);
        for (uint32_t t = 0; mesh->weights && t < bake->track_count; t++)
            free(mesh->weights[t]);
        free(mesh->weights);
    }
    for (uint32_t t = 0; bake->tracks && t < bake->track_count; t++)
        free(bake->tracks[t].times);
    free(bake->meshes);
    free(bake->tracks);
    free(bake);
}
