// How far every vertex goes along its path (SMEAR, eq. 10), and how fast it moves.
#include "smear/smear_private.h"
#include "text/expression_code.h"

#include <string.h>

static uint32_t names_in(const limber_smear_settings* set) {
    uint32_t used = 0;
    const limber_number numbers[] = {set->elongate.amount,   set->elongate.past, set->elongate.future,
                                     set->multiples.opacity, set->lines.length,  set->lines.radius,
                                     set->lines.taper,       set->lines.gap,     set->lines.opacity,
                                     set->lines.fade,        set->lines.point,   set->lines.dry};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        used |= numbers[i].expression ? limber_expression_uses(numbers[i].expression) : 0;
    return used;
}

limber_result limberi_smear_prepare_names(limber_smearer* s) {
    s->names_used = names_in(&s->settings);
    for (uint32_t m = 0; m < s->model->mesh_count; m++)
        s->names_used |= names_in(limberi_smear_of_mesh(s, m));
    s->names = LIMBERI_ALLOCATE(&s->arena, limberi_mesh_names, s->model->mesh_count);
    for (uint32_t m = 0; s->names && m < s->model->mesh_count; m++)
        if (limberi_mesh_names_fill(&s->arena, s->model, &s->model->meshes[m], s->names_used, &s->names[m]))
            return LIMBER_ERROR_MEMORY;
    return s->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

limber_expression_inputs limberi_smear_inputs(const limber_smear_job* job) {
    limber_expression_inputs in = limber_expression_inputs_default();
    in.frame[LIMBER_VARIABLE_T] = (float)job->time_s;
    in.frame[LIMBER_VARIABLE_FRAME] = (float)job->frame;
    in.frame[LIMBER_VARIABLE_PHASE] = (float)job->phase;
    return in;
}

void limberi_smear_speeds(limber_smearer* s, const limber_smear_job* job) {
    const float* from = job->from->positions;
    const float* to = job->to->positions;
    size_t numbers = 3 * (size_t)s->model->vertex_count;
    if (s->filters) {
        limberi_smear_filter(s, job->now, job->from, s->filtered);
        limberi_smear_filter(s, job->now, job->to, s->filtered + numbers);
        from = s->filtered;
        to = s->filtered + numbers;
    }
    s->from = from;
    s->to = to;
    float scale = s->size > 0 ? 1 / s->size : 0;
    for (size_t u = 0; u < s->model->vertex_count; u++) {
        float x = to[3 * u] - from[3 * u];
        float y = to[3 * u + 1] - from[3 * u + 1];
        float z = to[3 * u + 2] - from[3 * u + 2];
        s->speeds[u] = sqrtf(x * x + y * y + z * z) * scale;
    }
}

static void fill(float* out, uint32_t count, float value) {
    for (uint32_t i = 0; i < count; i++)
        out[i] = value;
}

void limberi_smear_evaluate(const limber_smearer* s, const limber_smear_job* job, uint32_t m, limber_number number,
                            int32_t copy, uint32_t first, uint32_t count, float* out) {
    if (!number.expression) {
        fill(out, count, number.value);
        return;
    }
    const limber_mesh* mesh = &s->model->meshes[m];
    limber_expression_inputs in = limberi_smear_inputs(job);
    limberi_mesh_names_point(&s->names[m], mesh, number.expression, first, count, &in);
    in.vertex[LIMBER_VARIABLE_SPEED] = s->speeds + mesh->first_vertex + first;
    in.vertex[LIMBER_VARIABLE_OFFSET] = job->offsets + mesh->first_vertex + first;
    float copy_number[LIMBER_BLOCK], copies[LIMBER_BLOCK];
    uint32_t on_side = copy < 0 ? s->settings.multiples.past : s->settings.multiples.future;
    fill(copy_number, count, (float)copy);
    fill(copies, count, copy ? (float)on_side : 0);
    in.vertex[LIMBER_VARIABLE_COPY] = copy_number;
    in.vertex[LIMBER_VARIABLE_COPIES] = copies;
    limber_expression_evaluate(number.expression, &in, out);
}

void limberi_smear_run_until(const limber_smearer* s, uint32_t m, const limber_expression* expression,
                             uint32_t instruction, uint32_t first, uint32_t count, float* out) {
    limber_expression_inputs in = limber_expression_inputs_default();
    limberi_mesh_names_point(&s->names[m], &s->model->meshes[m], expression, first, count, &in);
    in.count = count;
    limberi_expression_run_until(expression, &in, instruction, out);
}

// A thin part that is drawn out far becomes a blade: with x = distance over limit, x / sqrt(1 + x^2) of the limit is left.
static float hold_back(const limber_smearer* s, size_t vertex, float amount) {
    float limit = s->settings.elongate.max * s->radii[vertex];
    float way = amount * s->speeds[vertex];
    return limit > 0 ? amount / sqrtf(1 + way * way / (limit * limit)) : 0;
}

static void mesh_amounts(limber_smearer* s, const limber_smear_job* job, uint32_t m) {
    const limber_mesh* mesh = &s->model->meshes[m];
    const limber_smear_elongate_settings* e = &limberi_smear_of_mesh(s, m)->elongate;
    const float step = (float)s->settings.step;
    const float max = (float)LIMBER_SMEAR_REACH;
    float past[LIMBER_BLOCK], future[LIMBER_BLOCK];
    for (uint32_t first = 0; first < mesh->vertex_count; first += LIMBER_BLOCK) {
        uint32_t left = mesh->vertex_count - first;
        uint32_t count = left < LIMBER_BLOCK ? left : LIMBER_BLOCK;
        float* amounts = s->amounts + mesh->first_vertex + first;
        limberi_smear_evaluate(s, job, m, e->amount, 0, first, count, amounts);
        limberi_smear_evaluate(s, job, m, e->past, 0, first, count, past);
        limberi_smear_evaluate(s, job, m, e->future, 0, first, count, future);
        for (uint32_t i = 0; i < count; i++) {
            float part = past[i];
            if (amounts[i] > 0)
                part = s->past_only ? 0 : future[i];
            float x = amounts[i] * part * step;
            x = s->radii ? hold_back(s, mesh->first_vertex + first + i, x) : x;
            x *= s->gains ? s->gains[mesh->first_vertex + first + i] : 1;
            x = x < max ? x : max;
            amounts[i] = x > -max ? x : -max;
        }
    }
}

void limberi_smear_amounts(limber_smearer* s, const limber_smear_job* job) {
    for (uint32_t m = 0; m < s->model->mesh_count; m++) {
        const limber_mesh* mesh = &s->model->meshes[m];
        if (limberi_smear_skips(s, mesh))
            memset(s->amounts + mesh->first_vertex, 0, mesh->vertex_count * sizeof *s->amounts);
        else
            mesh_amounts(s, job, m);
    }
    for (size_t u = 0; u < s->model->vertex_count; u++) {
        s->min = s->amounts[u] < s->min ? s->amounts[u] : s->min;
        s->max = s->amounts[u] > s->max ? s->amounts[u] : s->max;
    }
}
