#include "pipeline/turned_normals.h"

#include "deform/deform_private.h"

#include <stdlib.h>
#include <string.h>

limber_deformer* limberi_pipeline_welds(const limber_model* model) {
    limber_deformer* welds = calloc(1, sizeof *welds);
    if (!welds)
        return NULL;
    welds->model = model;
    if (limberi_prepare_welds(welds)) {
        limber_deformer_destroy(welds);
        return NULL;
    }
    return welds;
}

void limberi_pipeline_turn_normals(const limber_model* model, limber_deformer* welds, const float* positions,
                                   const float* normals, float* moved, float* turned) {
    limber_deform_job job;
    memset(&job, 0, sizeof job);
    job.positions = positions;
    job.normals = normals;
    job.out_positions = moved;
    job.out_normals = turned;
    memcpy(turned, normals, 3 * (size_t)model->vertex_count * sizeof(float));
    limberi_average_everywhere(welds, &job);
}
