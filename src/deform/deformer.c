#include "deform/deformer.h"
#include "base/settings.h"

#include <string.h>

static void run_mesh(limber_deformer* d, const limber_deform_job* job, uint32_t m) {
    const limber_mesh* mesh = &d->model->meshes[m];
    size_t at = 3 * (size_t)mesh->first_vertex;
    bool jacobian = d->settings.normals == LIMBER_NORMALS_JACOBIAN && job->out_normals;
    const struct limberi_groups* groups = d->groups[m];
    for (uint32_t i = 0; i < groups->group_count; i++) {
        const limberi_group* group = &groups->groups[i];
        limberi_block3 position, normal, along;
        limberi_group_gather(groups, group, job->positions + at, &position);
        limberi_group_gather(groups, group, job->normals + at, &normal);
        if (d->lift_normals)
            limberi_group_gather(groups, group, d->lift_normals + at, &along);
        bool moved =
            limberi_deform_group(d, m, i, &d->scratch, &position, &normal, d->lift_normals ? &along : NULL, jacobian);
        if (d->averager)
            limberi_averager_mark(d->averager, m, i, moved);
        if (!moved)
            continue;
        limberi_group_scatter(groups, group, &position, job->out_positions + at);
        if (jacobian)
            limberi_group_scatter(groups, group, &normal, job->out_normals + at);
    }
}

static limber_result run(limber_deformer* d, const limber_deform_job* job) {
    size_t bytes = 3 * (size_t)d->model->vertex_count * sizeof(float);
    memcpy(job->out_positions, job->positions, bytes);
    if (job->out_normals && job->out_normals != job->normals)
        memcpy(job->out_normals, job->normals, bytes);
    if (!limberi_deform_begin(d, job))
        return LIMBER_OK;
    if (d->lift_normals)
        limberi_deform_weld_normals(d, job);
    for (uint32_t m = 0; m < d->model->mesh_count; m++)
        run_mesh(d, job, m);
    if (d->averager && job->out_normals) {
        limberi_average_job average = {job->positions, job->normals, job->out_positions, job->out_normals, d->variant};
        limberi_averager_run(d->averager, &average, 0, limberi_averager_chunks(d->averager));
    }
    return LIMBER_OK;
}

limber_result limber_deformer_evaluate(limber_deformer* d, const limber_deform_job* given) {
    limber_deform_job job = limber_deform_job_default();
    limber_result result = limberi_settings_read(&job, sizeof job, given, "limber_deform_job", NULL);
    if (result)
        return result;
    if (!job.pose || !job.positions || !job.normals || !job.out_positions || job.out_positions == job.positions)
        return LIMBER_ERROR_ARGUMENT;
    return run(d, &job);
}
