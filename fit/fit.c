// The style that brings a plain clip closest to wanted vertices: a simulation, a sculpt, the bake of another program.
#include "fit/fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "fit/fit_private.h"
#include "layer/layer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 30, START_ROUNDS = 5 };
static const double nothing = 1e-6;    // in L: two motions that are this close are the same
static const double negligible = 2e-4; // of the energy: a gain that explains less is left out

// --- the two files ---

limber_result limberi_fit_check(const limber_model* plain, const limber_model* wanted, limber_error* error) {
    if (plain->mesh_count != wanted->mesh_count)
        return limberi_fail(error, LIMBER_ERROR_DATA, "has %u meshes instead of %u", wanted->mesh_count,
                            plain->mesh_count);
    for (uint32_t m = 0; m < plain->mesh_count; m++)
        if (plain->meshes[m].vertex_count != wanted->meshes[m].vertex_count)
            return limberi_fail(error, LIMBER_ERROR_DATA, "mesh '%s' has %u vertices instead of %u",
                                wanted->meshes[m].name, wanted->meshes[m].vertex_count, plain->meshes[m].vertex_count);
    if (!plain->vertex_count)
        return limberi_fail(error, LIMBER_ERROR_DATA, "has no vertices");
    return LIMBER_OK;
}

// Squares of numbers near the end of what floats hold: no search can compare what comes of them.
static limber_result fail_extreme(limber_error* error) {
    return limberi_fail(error, LIMBER_ERROR_DATA,
                        "the two motions cannot be compared: they are too extreme, a distance is not finite");
}

// Plain skinning, by the method that the style asks for.
static limber_result open_plain(limberi_fit_search* s, limber_error* error) {
    limber_stage_settings settings = limber_stage_settings_default();
    limber_result result = limber_style_bind(s->job->base, s->job->plain, &s->base, error);
    if (result)
        return result;
    settings.skinning = limber_bound_style_settings(s->base)->skinning;
    return limber_pipeline_create_from_settings(s->job->plain, &settings, &s->plain, error);
}

static limber_result open_files(limberi_fit_search* s, limber_error* error) {
    limber_result result = open_plain(s, error);
    if (!result)
        result = limber_pipeline_create(s->job->wanted, NULL, &s->wanted, error);
    if (result)
        return result;
    limber_pipeline_set_outputs(s->plain, 0);
    limber_pipeline_set_outputs(s->wanted, 0);
    result = limberi_fit_frames_find(s, error);
    double numbers = (double)s->frame_count * s->model->vertex_count;
    if (!result && !s->frame_count)
        result = limberi_fail(error, LIMBER_ERROR_DATA, "there are no frames to compare");
    if (!result && !isfinite(s->energy))
        result = fail_extreme(error);
    if (!result && s->energy <= pow(nothing * (double)s->model->size, 2) * numbers)
        result = limberi_fail(error, LIMBER_ERROR_DATA, "moves like the plain clip: there is nothing to fit");
    return result;
}

// --- the search ---

// A number whose search begins at several places; NULL: there is none.
static limberi_fit_key* find_restless(limberi_fit_search* s) {
    for (uint32_t i = 0; i < s->key_count; i++)
        if (s->keys[i].row->more_starts[0] > 0)
            return &s->keys[i];
    return NULL;
}

static limber_result find_start(limberi_fit_search* s, limber_error* error) {
    limberi_fit_key* key = find_restless(s);
    limberi_fit_key first[LIMBERI_FIT_KEYS], best[LIMBERI_FIT_KEYS];
    double min = INFINITY;
    memcpy(first, s->keys, sizeof first);
    memcpy(best, s->keys, sizeof best);
    for (int i = 0; i < (key ? 3 : 1); i++) {
        memcpy(s->keys, first, sizeof first);
        if (key)
            limberi_fit_start(key, i ? key->row->more_starts[i - 1] : key->row->start);
        limber_result result = limberi_fit_sum(s, &s->left, error);
        if (!result)
            result = limberi_fit_descend(s, START_ROUNDS, error);
        if (result)
            return result;
        if (s->left < min) {
            memcpy(best, s->keys, sizeof best);
            min = s->left;
        }
    }
    memcpy(s->keys, best, sizeof best);
    s->left = min;
    return isfinite(min) ? LIMBER_OK : fail_extreme(error);
}

static void remove_key(limberi_fit_search* s, uint32_t at) {
    s->key_count--;
    memmove(&s->keys[at], &s->keys[at + 1], (s->key_count - at) * sizeof *s->keys);
}

// The gain that can be left out at the least cost; UINT32_MAX: there is none.
static limber_result find_idle(limberi_fit_search* s, uint32_t* idle, double* left, limber_error* error) {
    *idle = UINT32_MAX;
    *left = s->left + negligible * s->energy;
    for (uint32_t i = 0; i < s->key_count; i++) {
        double x = s->keys[i].x;
        double sum;
        if (!s->keys[i].row->gain || !s->keys[i].active)
            continue;
        s->keys[i].x = 0;
        limber_result result = limberi_fit_sum(s, &sum, error);
        s->keys[i].x = x;
        if (result)
            return result;
        if (sum <= *left) {
            *idle = i;
            *left = sum;
        }
    }
    return LIMBER_OK;
}

// `name` NULL: any gain of the effect.
static bool has_gain(const limberi_fit_search* s, limber_effect effect, const char* name) {
    for (uint32_t i = 0; i < s->key_count; i++)
        if (s->keys[i].effect == effect && s->keys[i].row->gain && s->keys[i].active &&
            (!name || strcmp(s->keys[i].row->name, name) == 0))
            return true;
    return false;
}

static void drop_loose(limberi_fit_search* s) {
    for (uint32_t i = s->word_count; i-- > 0;)
        if (!has_gain(s, s->words[i].effect, NULL)) {
            s->word_count--;
            memmove(&s->words[i], &s->words[i + 1], (s->word_count - i) * sizeof *s->words);
        }
    for (uint32_t i = s->key_count; i-- > 0;) // limits of something that is off
        if (!s->keys[i].row->gain && !has_gain(s, s->keys[i].effect, s->keys[i].row->only_limits))
            remove_key(s, i);
}

static limber_result drop_idle(limberi_fit_search* s, limber_error* error) {
    for (;;) {
        uint32_t idle;
        double left;
        limber_result result = find_idle(s, &idle, &left, error);
        if (result || idle == UINT32_MAX)
            return result;
        // What the base style would add again stays at 0.
        s->keys[idle].x = 0;
        s->keys[idle].active = false;
        if (!s->keys[idle].in_base)
            remove_key(s, idle);
        drop_loose(s);
        s->left = left;
    }
}

static limber_result search(limberi_fit_search* s, limber_error* error) {
    for (uint32_t e = 0; e < LIMBER_EFFECT_COUNT; e++)
        if (s->job->effects >> e & 1)
            limberi_fit_add_effect(s, (limber_effect)e);
    limber_result result = find_start(s, error);
    if (!result)
        result = limberi_fit_descend(s, ROUNDS, error);
    if (!result)
        result = limberi_fit_add_options(s, error);
    if (!result)
        result = drop_idle(s, error);
    return result ? result : limberi_fit_descend(s, ROUNDS, error);
}

// --- the result ---

// As many digits as a person wants to read.
static void round_keys(limberi_fit_search* s) {
    for (uint32_t i = 0; i < s->key_count; i++) {
        char text[32];
        snprintf(text, sizeof text, "%.5g", limberi_fit_value(&s->keys[i]));
        limberi_fit_start(&s->keys[i], strtod(text, NULL));
    }
}

typedef struct owner {
    limberi_fit fit;
    limberi_arena arena;
} owner;

static void finish_measure(limberi_fit_measure* m, const limber_model* model) {
    double wanted = m->wanted;
    double left = m->left;
    double scale = 1 / fmax((double)m->frame_count * model->vertex_count, 1);
    m->explained = wanted > 0 ? 1 - left / wanted : 1;
    m->wanted = model->size > 0 ? sqrt(wanted * scale) / (double)model->size : 0;
    m->left = model->size > 0 ? sqrt(left * scale) / (double)model->size : 0;
}

static limber_result measure_owner(limberi_fit_search* s, owner* o, limber_error* error) {
    limberi_fit_measure* clips = LIMBERI_ALLOCATE(&o->arena, limberi_fit_measure, s->job->clip_count);
    limberi_fit_measure* total = &o->fit.total;
    limber_pipeline* fitted = NULL;
    limber_result result = clips ? limberi_fit_pipeline(s, &fitted, error) : limberi_fail_memory(error);
    for (uint32_t i = 0; !result && i < s->job->clip_count; i++) {
        result = limberi_fit_measure_clip(s, fitted, i, &clips[i], error);
        total->frame_count += clips[i].frame_count;
        total->wanted += clips[i].wanted;
        total->left += clips[i].left;
        finish_measure(&clips[i], s->model);
    }
    if (!result && !isfinite(total->wanted + total->left))
        result = fail_extreme(error);
    finish_measure(total, s->model);
    limber_pipeline_destroy(fitted);
    o->fit.clips = clips;
    return result;
}

static limber_result keep_keys(const limberi_fit_search* s, owner* o, limber_error* error) {
    limberi_fitted_key* keys = LIMBERI_ALLOCATE(&o->arena, limberi_fitted_key, s->key_count);
    if (!keys)
        return limberi_fail_memory(error);
    for (uint32_t i = 0; i < s->key_count; i++) {
        snprintf(keys[i].path, sizeof keys[i].path, "%s%s%s", s->keys[i].path, s->keys[i].layer ? " * paint." : "",
                 s->keys[i].layer ? s->keys[i].layer : "");
        keys[i].value = limberi_fit_value(&s->keys[i]);
    }
    o->fit.keys = keys;
    o->fit.key_count = s->key_count;
    return LIMBER_OK;
}

static limber_result check_layers(const limberi_fit_search* s, limber_error* error) {
    const limberi_fit_job* job = s->job;
    if (job->layer_count > LIMBERI_FIT_LAYERS)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "%u layers are too many, max %u", job->layer_count,
                            LIMBERI_FIT_LAYERS);
    for (uint32_t i = 0; i < job->layer_count; i++)
        if (strlen(job->layers[i]) > 40 || !limberi_has_layer(s->model, job->layers[i]))
            return limberi_fail(error, LIMBER_ERROR_DATA, "has no layer '%s'", job->layers[i]);
    return LIMBER_OK;
}

limber_result limberi_fit_run(const limberi_fit_job* job, limberi_fit** fit, limber_error* error) {
    limberi_fit_search* s = limberi_allocate_zeroed(1, sizeof *s);
    owner* o = limberi_allocate_zeroed(1, sizeof *o);
    *fit = NULL;
    limber_result result = s && o ? LIMBER_OK : limberi_fail_memory(error);
    if (!result) {
        s->job = job;
        s->every = 1;
        s->model = limber_asset_model(job->plain);
        result = limberi_fit_check(s->model, limber_asset_model(job->wanted), error);
    }
    if (!result)
        result = check_layers(s, error);
    if (!result)
        result = open_files(s, error);
    if (!result)
        result = search(s, error);
    if (!result) {
        round_keys(s);
        result = measure_owner(s, o, error);
    }
    if (!result)
        result = keep_keys(s, o, error);
    if (!result)
        result = limberi_fit_style(s, &o->fit.style, error);
    if (s) {
        limber_pipeline_destroy(s->plain);
        limber_pipeline_destroy(s->wanted);
        limber_bound_style_destroy(s->base);
        limberi_arena_free(&s->arena);
    }
    limberi_release(s);
    if (result)
        limberi_fit_destroy(o ? &o->fit : NULL);
    else
        *fit = &o->fit;
    return result;
}

void limberi_fit_destroy(limberi_fit* fit) {
    if (!fit)
        return;
    owner* o = (owner*)fit; // its first member
    limber_style_destroy(fit->style);
    limberi_arena_free(&o->arena);
    limberi_release(o);
}
