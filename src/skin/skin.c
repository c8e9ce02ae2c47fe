// Skins a mesh: palettes, morph targets, then one of the two kernels.
#include "skin/skin.h"
#include "base/math.h"
#include "base/settings.h"

#include <string.h>

void limber_skin_job_init(limber_skin_job* given, size_t size) {
    limber_skin_job job;
    memset(&job, 0, sizeof job);
    job.struct_size = sizeof job;
    job.vertex_count = LIMBER_TO_END;
    limberi_settings_write(given, size, &job, sizeof job);
}

void limber_skin_palette(const limber_skin* skin, const limber_pose* pose, limber_mat4* palette) {
    for (uint32_t k = 0; k < skin->joint_count; k++)
        limberi_mat4_multiply(&pose->world_from_joint[skin->joints[k]], &skin->joint_from_mesh[k], &palette[k]);
}

void limber_mesh_morph(const limber_mesh* mesh, const float* weights, float* positions, float* normals) {
    size_t numbers = 3 * (size_t)mesh->vertex_count;
    memcpy(positions, mesh->positions, numbers * sizeof *positions);
    if (normals)
        memcpy(normals, mesh->normals, numbers * sizeof *normals);
    for (uint32_t m = 0; m < mesh->morph_count; m++) {
        float weight = weights[m];
        if (weight == 0)
            continue;
        const limber_morph* morph = &mesh->morphs[m];
        for (size_t i = 0; i < numbers; i++)
            positions[i] += weight * morph->positions[i];
        for (size_t i = 0; normals && morph->normals && i < numbers; i++)
            normals[i] += weight * morph->normals[i];
    }
}

limber_result limber_skin_evaluate(const limber_skin_job* given) {
    limber_skin_job job = limber_skin_job_default();
    limber_result result = limberi_settings_read(&job, sizeof job, given, "limber_skin_job", NULL);
    if (result)
        return result;
    if (!job.mesh || !job.palette || !job.palette_count || !job.out_positions ||
        job.first_vertex > job.mesh->vertex_count)
        return LIMBER_ERROR_ARGUMENT;
    if (job.skinning == LIMBER_SKINNING_DUALQUAT && !job.dualquats)
        return LIMBER_ERROR_ARGUMENT;
    uint32_t rest = job.mesh->vertex_count - job.first_vertex;
    uint32_t end = job.first_vertex + (job.vertex_count < rest ? job.vertex_count : rest);
    job.positions = job.positions ? job.positions : job.mesh->positions;
    job.normals = job.normals ? job.normals : job.mesh->normals;
    if (job.skinning == LIMBER_SKINNING_DUALQUAT)
        limberi_skin_dualquat(&job, job.first_vertex, end);
    else
        limberi_skin_linear(&job, job.first_vertex, end);
    return LIMBER_OK;
}
