// The search of `fit`: Gauss-Newton steps over the keys of a style.
#include "base/error.h"
#include "fit/fit_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double good_enough = 1e-10; // of the energy: what bakes and floats leave
static const double no_progress = 1e-7;  // relative decrease of a round that is the last
static const double seen = 1e-3;         // in L: how far the difference quotient of a gain moves vertices
static const double log_step_max = 0.7;  // of a number in one round: half or double
enum { TRIES = 8 };

// --- styles and pipelines ---

static bool is_first(const limberi_fit_search* s, uint32_t at) {
    for (uint32_t i = 0; i < at; i++)
        if (strcmp(s->keys[i].path, s->keys[at].path) == 0)
            return false;
    return true;
}

// All parts of a number: "0.1 + 0.4 * paint.ears".
static limber_result set_key(const limberi_fit_search* s, uint32_t at, limber_style* style, limber_error* error) {
    char text[32 * (1 + LIMBERI_FIT_LAYERS) + 64 * LIMBERI_FIT_LAYERS] = "";
    size_t length = 0;
    for (uint32_t i = at; i < s->key_count; i++) {
        const limberi_fit_key* key = &s->keys[i];
        if (strcmp(key->path, s->keys[at].path) != 0)
            continue;
        int more = snprintf(text + length, sizeof text - length, "%s%.9g%s%s", length ? " + " : "",
                            limberi_fit_value(key), key->layer ? " * paint." : "", key->layer ? key->layer : "");
        length += more > 0 && (size_t)more < sizeof text - length ? (size_t)more : 0;
    }
    return limber_style_set(style, s->keys[at].path, text, error);
}

limber_result limberi_fit_style(const limberi_fit_search* s, limber_style** style, limber_error* error) {
    const char* text = limber_style_text(s->job->base);
    limber_result result = limber_style_create(style, error);
    if (!result)
        result = text ? limber_style_read(*style, text, strlen(text), error) : limberi_fail_memory(error);
    for (uint32_t i = 0; !result && i < s->word_count; i++) {
        char path[64];
        snprintf(path, sizeof path, "effects.%s.filter.type", limber_effect_name(s->words[i].effect));
        result = limber_style_set(*style, path, s->words[i].filter, error);
    }
    for (uint32_t i = 0; !result && i < s->key_count; i++)
        if (is_first(s, i))
            result = set_key(s, i, *style, error);
    if (result) {
        limber_style_destroy(*style);
        *style = NULL;
    }
    return result;
}

static limber_result make_pipeline(const limberi_fit_search* s, const limber_style* style, limber_pipeline** pipeline,
                                   limber_error* error) {
    limber_result result = limber_pipeline_create(s->job->plain, style, pipeline, error);
    if (result)
        return result;
    limber_pipeline_set_outputs(*pipeline, 0);
    if (s->job->parallel && limber_pipeline_set_parallel(*pipeline, s->job->parallel))
        result = limberi_fail_memory(error);
    if (result) {
        limber_pipeline_destroy(*pipeline);
        *pipeline = NULL;
    }
    return result;
}

limber_result limberi_fit_pipeline(limberi_fit_search* s, limber_pipeline** pipeline, limber_error* error) {
    limber_style* style = NULL;
    *pipeline = NULL;
    limber_result result = limberi_fit_style(s, &style, error);
    if (!result)
        result = make_pipeline(s, style, pipeline, error);
    limber_style_destroy(style);
    return result;
}

static void tell_progress(limberi_fit_search* s) {
    if (s->job->progress)
        (void)s->job->progress(s->job->user, s->passes, s->passes + 1);
    s->passes++;
}

limber_result limberi_fit_sum(limberi_fit_search* s, double* sum, limber_error* error) {
    limber_pipeline* pipeline;
    limber_result result = limberi_fit_pipeline(s, &pipeline, error);
    *sum = 0;
    for (uint32_t f = 0; !result && f < s->frame_count; f += s->every) {
        limber_frame at;
        if (limber_pipeline_evaluate(pipeline, (int32_t)s->frames[f].clip, s->frames[f].time_s, &at)) {
            result = limberi_fail_memory(error);
            break;
        }
        for (size_t i = 0; i < 3 * (size_t)s->model->vertex_count; i++) {
            double r = (double)s->frames[f].wanted[i] - (double)at.positions[i];
            *sum += r * r;
        }
    }
    limber_pipeline_destroy(pipeline);
    tell_progress(s);
    return result;
}

// --- normal equations ---

// The pipeline as it is, and one for each active key with that key moved by its step.
typedef struct slope {
    uint32_t count;
    uint32_t key_of[LIMBERI_FIT_KEYS];
    double step[LIMBERI_FIT_KEYS];
    limber_pipeline* pipelines[LIMBERI_FIT_KEYS + 1]; // the last one is that without steps
    double a[LIMBERI_FIT_KEYS * LIMBERI_FIT_KEYS], b[LIMBERI_FIT_KEYS];
} slope;

static double bound(const limberi_fit_key* key, bool high) {
    double value = high ? key->row->high : key->row->low;
    return key->row->gain ? value : log(value);
}

static limber_result open_slope(limberi_fit_search* s, slope* d, limber_error* error) {
    memset(d, 0, sizeof *d);
    for (uint32_t i = 0; i < s->key_count; i++) {
        limberi_fit_key* key = &s->keys[i];
        if (!key->active)
            continue;
        double x = key->x;
        d->key_of[d->count] = i;
        d->step[d->count] = x + key->step > bound(key, true) ? -key->step : key->step;
        key->x = x + d->step[d->count];
        limber_result result = limberi_fit_pipeline(s, &d->pipelines[d->count++], error);
        key->x = x;
        if (result)
            return result;
    }
    return limberi_fit_pipeline(s, &d->pipelines[d->count], error);
}

static void add_frame(const limberi_fit_search* s, slope* d, const limber_frame* at, const float* wanted) {
    const float* now = at[d->count].positions;
    double column[LIMBERI_FIT_KEYS];
    for (size_t v = 0; v < 3 * (size_t)s->model->vertex_count; v++) {
        double r = (double)wanted[v] - (double)now[v];
        for (uint32_t i = 0; i < d->count; i++) {
            column[i] = ((double)at[i].positions[v] - (double)now[v]) / d->step[i];
            d->b[i] += column[i] * r;
            for (uint32_t j = 0; j <= i; j++)
                d->a[i * d->count + j] += column[i] * column[j];
        }
    }
}

// The next difference quotient of a gain is as large as it needs to be, whatever its unit.
static void adapt_steps(limberi_fit_search* s, const slope* d) {
    double vertices = fmax(1, (double)s->frame_count * s->model->vertex_count);
    for (uint32_t i = 0; i < d->count; i++) {
        limberi_fit_key* key = &s->keys[d->key_of[i]];
        double slant = sqrt(d->a[i * d->count + i] / vertices);
        if (key->row->gain && slant > 0)
            key->step = fmin(fmax(seen * (double)s->model->size / slant, 1e-6), 1);
    }
}

static limber_result find_slope(limberi_fit_search* s, slope* d, limber_error* error) {
    limber_frame at[LIMBERI_FIT_KEYS + 1];
    limber_result result = open_slope(s, d, error);
    for (uint32_t f = 0; !result && f < s->frame_count; f += s->every) {
        const limberi_fit_frame* frame = &s->frames[f];
        for (uint32_t i = 0; !result && i <= d->count; i++)
            if (limber_pipeline_evaluate(d->pipelines[i], (int32_t)frame->clip, frame->time_s, &at[i]))
                result = limberi_fail_memory(error);
        if (!result)
            add_frame(s, d, at, frame->wanted);
    }
    for (uint32_t i = 0; i <= d->count; i++)
        limber_pipeline_destroy(d->pipelines[i]);
    if (!result)
        adapt_steps(s, d);
    tell_progress(s);
    return result;
}

// --- steps ---

static void step_along(limberi_fit_search* s, const slope* d, const double* step) {
    for (uint32_t i = 0; i < d->count; i++) {
        limberi_fit_key* key = &s->keys[d->key_of[i]];
        double max = key->row->gain ? INFINITY : log_step_max;
        double x = key->x + fmin(fmax(step[i], -max), max);
        key->x = fmin(fmax(x, bound(key, false)), bound(key, true));
    }
}

// The first damping that helps, from the one that helped last; *improved is false where none does.
static limber_result try_steps(limberi_fit_search* s, const slope* d, double* damping, bool* improved,
                               limber_error* error) {
    limberi_fit_key before[LIMBERI_FIT_KEYS];
    memcpy(before, s->keys, sizeof before);
    *improved = false;
    for (uint32_t i = 0; i < TRIES; i++, *damping *= 10) {
        double step[LIMBERI_FIT_KEYS];
        double sum = INFINITY;
        if (!limberi_fit_solve(d->count, d->a, d->b, *damping, step))
            continue;
        step_along(s, d, step);
        limber_result result = limberi_fit_sum(s, &sum, error);
        if (result)
            return result;
        if (sum < s->left) {
            *improved = true;
            s->left = sum;
            *damping = fmax(*damping / 100, 1e-8);
            return LIMBER_OK;
        }
        memcpy(s->keys, before, sizeof before);
    }
    return LIMBER_OK;
}

limber_result limberi_fit_descend(limberi_fit_search* s, uint32_t rounds, limber_error* error) {
    slope d;
    double damping = 1e-6;
    for (uint32_t i = 0; i < rounds && s->left > good_enough * s->energy; i++) {
        double was = s->left;
        bool improved;
        limber_result result = find_slope(s, &d, error);
        if (!result)
            result = try_steps(s, &d, &damping, &improved, error);
        if (result)
            return result;
        if (!improved || was - s->left < no_progress * was)
            break;
    }
    return LIMBER_OK;
}
