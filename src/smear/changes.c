// Numbers of smears that change with time, as the paper's authors set keys on them: found again for every frame.
#include "smear/smear_private.h"

static float value_at(const limber_expression* formula, const limber_smear_job* job, float max) {
    limber_expression_inputs in = limberi_smear_inputs(job);
    float value;
    in.count = 1;
    limber_expression_evaluate(formula, &in, &value);
    if (!(value > 0))
        return 0;
    return value < max ? value : max;
}

static uint32_t count_at(const limber_expression* formula, const limber_smear_job* job, uint32_t max) {
    return formula ? (uint32_t)(value_at(formula, job, (float)max) + 0.5f) : max;
}

uint32_t limberi_smear_smooth_at(const limber_smear_settings* settings, const limber_smear_job* job) {
    return count_at(settings->changes.smooth, job, settings->offsets.smooth);
}

void limberi_smear_change(limber_smearer* s, const limber_smear_job* job) {
    const limber_smear_changes* c = &s->settings.changes;
    const float slow = 1000; // L per frame
    s->settings.multiples.past = count_at(c->past, job, s->max_past);
    s->settings.multiples.future = count_at(c->future, job, s->max_future);
    s->settings.lines.count = count_at(c->line_count, job, s->seed_count);
    if (c->spacing)
        s->settings.multiples.spacing = value_at(c->spacing, job, (float)LIMBER_SMEAR_REACH);
    if (c->copy_min_speed)
        s->settings.multiples.min_speed = value_at(c->copy_min_speed, job, slow);
    if (c->line_min_speed)
        s->settings.lines.min_speed = value_at(c->line_min_speed, job, slow);
}
