// The frames that `fit` compares, and how far apart they are.
#include "base/error.h"
#include "fit/fit_private.h"

#include <math.h>
#include <string.h>

// So many frames say enough about a few numbers; more would only take longer.
enum { MAX_FRAMES = 96, FRAMES_FEWEST = 8 };
static const double wanted_bytes_max = 256e6;

static double rate_of(const limberi_fit_search* s, const limber_clip* clip) {
    return s->job->fps > 0 ? s->job->fps : clip->fps;
}

static limber_frame_range range_of(const limberi_fit_search* s, uint32_t index) {
    const limber_clip* clip = &s->model->clips[s->job->clips[index].plain];
    return limber_clip_frames_between(clip, rate_of(s, clip), s->job->start_s, s->job->end_s);
}

static double time_of(const limberi_fit_search* s, uint32_t index, uint32_t frame) {
    const limber_clip* clip = &s->model->clips[s->job->clips[index].plain];
    return limber_clip_frame_time(clip, rate_of(s, clip), frame);
}

// The two clips run side by side from their starts.
static limber_result evaluate_wanted(const limberi_fit_search* s, uint32_t index, double time_s, limber_frame* frame,
                                     limber_error* error) {
    const limberi_fit_clip* pair = &s->job->clips[index];
    const limber_clip* plain = &s->model->clips[pair->plain];
    const limber_clip* wanted = &limber_asset_model(s->job->wanted)->clips[pair->wanted];
    double wanted_s = fmin(time_s - plain->start_s + wanted->start_s, wanted->end_s);
    limber_result result = limber_pipeline_evaluate(s->wanted, (int32_t)pair->wanted, wanted_s, frame);
    if (result)
        return limberi_fail(error, result, "clip '%s' cannot be evaluated", wanted->name);
    for (size_t i = 0; i < 3 * (size_t)s->model->vertex_count; i++)
        if (!isfinite(frame->positions[i]))
            return limberi_fail(error, LIMBER_ERROR_DATA, "clip '%s' is not finite at %g s", wanted->name, wanted_s);
    return LIMBER_OK;
}

static double square_distance(const float* a, const float* b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
    return sum;
}

static limber_result add_frame(limberi_fit_search* s, uint32_t index, double time_s, limber_error* error) {
    size_t numbers = 3 * (size_t)s->model->vertex_count;
    limber_frame plain, wanted;
    limber_result result = evaluate_wanted(s, index, time_s, &wanted, error);
    if (!result && limber_pipeline_evaluate(s->plain, (int32_t)s->job->clips[index].plain, time_s, &plain))
        result = limberi_fail_memory(error);
    if (result)
        return result;
    limberi_fit_frame* frame = &s->frames[s->frame_count++];
    frame->clip = s->job->clips[index].plain;
    frame->time_s = time_s;
    frame->wanted = LIMBERI_COPY(&s->arena, float, wanted.positions, numbers);
    s->energy += square_distance(plain.positions, wanted.positions, numbers);
    return frame->wanted ? LIMBER_OK : limberi_fail_memory(error);
}

static double max_frames(const limberi_fit_search* s) {
    double room = wanted_bytes_max / (12.0 * fmax(1, s->model->vertex_count));
    return fmax(FRAMES_FEWEST, fmin(MAX_FRAMES, floor(room)));
}

// Spread evenly over all clips.
limber_result limberi_fit_frames_find(limberi_fit_search* s, limber_error* error) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < s->job->clip_count; i++)
        total += range_of(s, i).count;
    double every = fmax(1, total / max_frames(s));
    double next = 0;
    s->frames = LIMBERI_ALLOCATE(&s->arena, limberi_fit_frame, (size_t)max_frames(s) + 1);
    if (!s->frames)
        return limberi_fail_memory(error);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < s->job->clip_count; i++) {
        limber_frame_range range = range_of(s, i);
        for (uint32_t f = 0; f < range.count; f++, seen++) {
            if (seen < next)
                continue;
            next += every;
            limber_result result = add_frame(s, i, time_of(s, i, range.first + f), error);
            if (result)
                return result;
        }
    }
    return LIMBER_OK;
}

limber_result limberi_fit_measure_clip(limberi_fit_search* s, limber_pipeline* fitted, uint32_t index,
                                       limberi_fit_measure* measure, limber_error* error) {
    size_t numbers = 3 * (size_t)s->model->vertex_count;
    limber_frame_range range = range_of(s, index);
    int32_t clip = (int32_t)s->job->clips[index].plain;
    memset(measure, 0, sizeof *measure);
    measure->frame_count = range.count;
    for (uint32_t f = 0; f < range.count; f++) {
        limber_frame plain, wanted, now;
        double time_s = time_of(s, index, range.first + f);
        limber_result result = evaluate_wanted(s, index, time_s, &wanted, error);
        if (!result && (limber_pipeline_evaluate(s->plain, clip, time_s, &plain) ||
                        limber_pipeline_evaluate(fitted, clip, time_s, &now)))
            result = limberi_fail_memory(error);
        if (result)
            return result;
        measure->wanted += square_distance(plain.positions, wanted.positions, numbers);
        measure->left += square_distance(now.positions, wanted.positions, numbers);
    }
    return LIMBER_OK;
}
