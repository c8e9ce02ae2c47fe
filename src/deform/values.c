// The numbers of an effect for a block of vertices: constants, formulas, layers.
#include "deform/deform_private.h"

#include <string.h>

limber_result limberi_prepare_names(limber_deformer* d) {
    d->names = LIMBERI_TAKE(&d->arena, limberi_mesh_names, d->model->mesh_count);
    for (uint32_t m = 0; d->names && m < d->model->mesh_count; m++)
        if (limberi_mesh_names_fill(&d->arena, d->model, &d->model->meshes[m], d->names_used, &d->names[m]))
            return LIMBER_ERROR_MEMORY;
    return d->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

static void fill_inputs(const limber_deformer* d, const limber_expression* e, const limber_deform_job* job,
                        const limber_mesh* mesh, uint32_t mesh_index, uint32_t first, uint32_t count,
                        const float* speed, limber_expression_inputs* in) {
    *in = limber_expression_inputs_default();
    in->frame[LIMBER_NAME_T] = (float)job->time_s;
    in->frame[LIMBER_NAME_FRAME] = (float)job->frame;
    in->frame[LIMBER_NAME_PHASE] = (float)job->phase;
    limberi_mesh_names_point(&d->names[mesh_index], mesh, e, first, count, in);
    in->vertex[LIMBER_NAME_SPEED] = speed;
}

static const float degrees = (float)(LIMBERI_PI / 180);

void limberi_evaluate_values(const limber_deformer* d, const limber_effect_settings* s, const limber_deform_job* job,
                             const limber_mesh* mesh, uint32_t mesh_index, uint32_t first, uint32_t count,
                             const float* speed, limberi_block_values* out) {
    const limber_number* numbers[VALUE_COUNT] = {&s->linear, &s->angular, &s->max_bend_deg,
                                                 &s->twist,  &s->bend,    &s->threshold};
    for (int n = 0; n < VALUE_COUNT; n++) {
        if (numbers[n]->expression) {
            limber_expression_inputs in;
            fill_inputs(d, numbers[n]->expression, job, mesh, mesh_index, first, count, speed, &in);
            limber_expression_evaluate(numbers[n]->expression, &in, out->v[n]);
        } else {
            for (uint32_t i = 0; i < count; i++)
                out->v[n][i] = numbers[n]->value;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        out->v[VALUE_MAX_BEND][i] *= degrees;
    const limber_layer* layer = s->layer ? limber_mesh_layer(mesh, s->layer) : NULL;
    for (uint32_t i = 0; layer && i < count; i++) {
        out->v[VALUE_LINEAR][i] *= layer->values[first + i];
        out->v[VALUE_ANGULAR][i] *= layer->values[first + i];
    }
}
