// How a style looks on a clip, as numbers: what an art director would reject, measured.
#include "review/review.h"

#include "base/error.h"
#include "review/review_private.h"
#include <limber/stages/contacts.h>
#include <limber/stages/settings.h>

#include <math.h>
#include <string.h>

typedef struct work {
    limberi_arena arena;
    const limberi_review_job* job;
    const limber_model* model;
    const limber_clip* clip;
    limber_frame_range frames;
    double* times;         // [frame]
    float *first, *middle; // plain positions of these frames
    double size;
    limberi_changes changes;
    limberi_review_parts parts;
    limberi_review_edges edges;
    limberi_review_samples samples;
    limberi_limits limits;
    limberi_review_depths depths;
    double lowest;        // of the plain motion
    double styled_lowest; // and of the styled one
    uint32_t lowest_vertex;
    double lowest_s;
} work;

// The diagonal of the rest pose's box.
static double find_size(work* w) {
    float low[3] = {INFINITY, INFINITY, INFINITY};
    float high[3] = {-INFINITY, -INFINITY, -INFINITY};
    float* rest = LIMBERI_ALLOCATE(&w->arena, float, 3 * (size_t)w->model->vertex_count);
    for (uint32_t m = 0; rest && m < w->model->mesh_count; m++)
        limber_mesh_rest_positions(w->model, &w->model->meshes[m], rest + 3 * (size_t)w->model->meshes[m].first_vertex);
    double square = 0;
    for (size_t i = 0; rest && i < 3 * (size_t)w->model->vertex_count; i++) {
        low[i % 3] = fminf(low[i % 3], rest[i]);
        high[i % 3] = fmaxf(high[i % 3], rest[i]);
    }
    for (int c = 0; c < 3; c++)
        square += high[c] > low[c] ? pow((double)high[c] - (double)low[c], 2) : 0;
    return sqrt(square);
}

static void choose_frames(work* w) {
    double start_s = w->clip->start_s;
    double end_s = w->clip->end_s;
    if (end_s - start_s > LIMBERI_REVIEW_SECONDS) {
        start_s += 0.5 * (end_s - start_s - LIMBERI_REVIEW_SECONDS);
        end_s = start_s + LIMBERI_REVIEW_SECONDS;
    }
    w->frames = limber_clip_frames_between(w->clip, LIMBERI_REVIEW_RATE, start_s, end_s);
    w->times = LIMBERI_ALLOCATE(&w->arena, double, w->frames.count);
    for (uint32_t i = 0; w->times && i < w->frames.count; i++)
        w->times[i] = limber_clip_frame_time(w->clip, LIMBERI_REVIEW_RATE, w->frames.first + i);
}

// The time of the plain clip that the style shows in a frame.
static double shown_s(const work* w, uint32_t frame) {
    return limber_pipeline_source_time(w->job->styled, w->job->clip, w->times[frame]);
}

static limber_result copy_plain(work* w, uint32_t frame, float* positions) {
    limber_frame at;
    limber_result result = limber_pipeline_evaluate(w->job->plain, (int32_t)w->job->clip, shown_s(w, frame), &at);
    if (!result)
        memcpy(positions, at.positions, 3 * (size_t)w->model->vertex_count * sizeof *positions);
    return result;
}

static limber_result begin_clip(work* w) {
    uint32_t few = (w->frames.count + LIMBERI_REVIEW_EVERY - 1) / LIMBERI_REVIEW_EVERY;
    float* first = w->first = LIMBERI_ALLOCATE(&w->arena, float, 3 * (size_t)w->model->vertex_count);
    float* middle = w->middle = LIMBERI_ALLOCATE(&w->arena, float, 3 * (size_t)w->model->vertex_count);
    if (w->arena.failed)
        return LIMBER_ERROR_MEMORY;
    limber_result result = copy_plain(w, 0, first);
    if (!result)
        result = copy_plain(w, w->frames.count / 2, middle);
    if (result)
        return result;
    limberi_changes_begin(&w->changes, &w->arena, w->clip, w->model->vertex_count);
    limberi_parts_find(&w->parts, &w->arena, w->model, w->size, first, middle);
    limberi_edges_find(&w->edges, &w->arena, w->model, few);
    limberi_samples_find(&w->samples, &w->arena, w->model, w->frames.count);
    limberi_limits_begin(&w->limits, &w->arena, w->model);
    w->lowest = w->styled_lowest = INFINITY;
    return w->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

static bool is_finite(const float* positions, uint32_t vertices) {
    for (size_t i = 0; i < 3 * (size_t)vertices; i++)
        if (!isfinite(positions[i]))
            return false;
    return true;
}

static void look_for_floor(work* w, double time_s, const float* plain, const float* styled) {
    for (uint32_t v = 0; v < w->model->vertex_count; v++) {
        size_t y = 3 * (size_t)v + 1;
        w->lowest = fmin(w->lowest, (double)plain[y]);
        if ((double)styled[y] < w->styled_lowest) {
            w->styled_lowest = (double)styled[y];
            w->lowest_vertex = v;
            w->lowest_s = time_s;
        }
    }
}

static limber_result add_frame(work* w, uint32_t i, limber_error* error) {
    limber_frame a, b;
    limber_result result = limber_pipeline_evaluate(w->job->plain, (int32_t)w->job->clip, shown_s(w, i), &a);
    if (!result)
        result = limber_pipeline_evaluate(w->job->styled, (int32_t)w->job->clip, w->times[i], &b);
    if (result)
        return limberi_fail(error, result, "clip '%s' cannot be evaluated", w->clip->name);
    if (!is_finite(b.positions, w->model->vertex_count))
        return limberi_fail(error, LIMBER_ERROR_DATA, "clip '%s' is not finite at %g s", w->clip->name, w->times[i]);
    limberi_changes_add(&w->changes, w->times[i], a.positions, b.positions);
    limberi_samples_add(&w->samples, w->size, a.positions, b.positions);
    limberi_limits_add(&w->limits, w->job->styled);
    if (i % LIMBERI_REVIEW_EVERY)
        return LIMBER_OK;
    limberi_parts_add(&w->parts, w->size, w->times[i], a.positions, b.positions);
    limberi_edges_add(&w->edges, w->size, a.positions, b.positions);
    look_for_floor(w, w->times[i], a.positions, b.positions);
    limberi_depths_add(&w->depths, w->model, limber_pipeline_asset(w->job->plain), w->times[i], &a, &b);
    return LIMBER_OK;
}

static void end_changes(work* w, limberi_review* r) {
    double min = LIMBERI_MIN_SPEED / LIMBERI_REVIEW_RATE;
    r->plain_step = fmax(w->changes.plain_change / w->size, min);
    r->pop = limberi_changes_pop(&w->changes, w->size, LIMBERI_REVIEW_RATE);
    r->at_pop.joint = limberi_review_joint(w->model, w->changes.change.vertex);
    r->at_pop.time_s = w->changes.change_s;
    r->at_seam.joint = LIMBERI_NO_JOINT;
    // A part of a clip may end where it began and be on its way back.
    bool whole = w->clip->end_s - w->clip->start_s <= LIMBERI_REVIEW_SECONDS;
    r->closes = whole && w->frames.count > 3 && limberi_changes_gap(&w->changes) < LIMBERI_CLOSED * w->size;
    if (!r->closes)
        return;
    limberi_farthest seam = limberi_changes_seam(&w->changes);
    r->seam = seam.length / w->size;
    r->at_seam.joint = limberi_review_joint(w->model, seam.vertex);
    r->at_seam.time_s = r->end_s;
}

// What flies or swims may go as low as it likes.
static bool has_floor(const work* w) {
    const limber_contacts* contacts;
    if (limber_pipeline_contacts(w->job->styled, w->job->clip, &contacts) || !contacts)
        return true;
    return limber_contacts_level_count(contacts) > 0;
}

static void end(work* w, limberi_review* r) {
    r->size = w->size;
    r->frame_count = w->frames.count;
    r->start_s = w->times[0];
    r->end_s = w->times[w->frames.count - 1];
    limberi_samples_end(&w->samples, &w->arena, w->model, w->times, r);
    bool stands = has_floor(w);
    r->at_slide.joint = LIMBERI_NO_JOINT;
    if (stands)
        limberi_samples_slide(&w->samples, &w->arena, w->model, w->times, w->lowest, r);
    limberi_edges_end(&w->edges, &w->arena, w->model, w->times, r);
    limberi_parts_end(&w->parts, w->model, r);
    limberi_limits_end(&w->limits, w->model, r);
    limberi_depths_end(&w->depths, w->model, w->size, r);
    end_changes(w, r);
    r->floor = stands ? fmax(0, (w->lowest - w->styled_lowest) / w->size) : 0;
    r->at_floor.joint = limberi_review_joint(w->model, w->lowest_vertex);
    r->at_floor.time_s = w->lowest_s;
}

static limber_result measure_clip(work* w, limberi_review* review, limber_error* error) {
    w->size = find_size(w);
    choose_frames(w);
    if (!w->arena.failed && (!(w->size > 0) || !w->frames.count))
        return limberi_fail(error, LIMBER_ERROR_DATA, "there is nothing to measure");
    limber_result result = limberi_depths_begin(&w->depths, limber_pipeline_asset(w->job->plain), error);
    if (!result)
        result = begin_clip(w);
    for (uint32_t i = 0; !result && i < w->frames.count; i++) {
        result = add_frame(w, i, error);
        if (!result && w->job->progress)
            (void)w->job->progress(w->job->user, i, w->frames.count);
    }
    if (!result)
        end(w, review);
    if (!result)
        result = limberi_smears_measure(w->job, &w->arena, w->first, w->middle, review);
    if (result == LIMBER_ERROR_MEMORY || w->arena.failed)
        return limberi_fail_memory(error);
    return result;
}

limber_result limberi_review_clip(const limberi_review_job* job, limberi_review* review, limber_error* error) {
    work w = {0};
    memset(review, 0, sizeof *review);
    w.job = job;
    w.model = limber_asset_model(limber_pipeline_asset(job->plain));
    if (job->clip >= w.model->clip_count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "there is no clip %u", job->clip);
    w.clip = &w.model->clips[job->clip];
    limber_pipeline_set_outputs(job->plain, 0);
    limber_pipeline_set_outputs(job->styled, LIMBER_OUTPUT_SKINNED);
    limber_result result = measure_clip(&w, review, error);
    limberi_depths_free(&w.depths);
    limberi_arena_free(&w.arena);
    return result;
}
