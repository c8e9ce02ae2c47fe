// A built-in character with smears and a clip, for tests that look at whole frames.
#ifndef LIMBER_TEST_SMEAR_STAGE_H
#define LIMBER_TEST_SMEAR_STAGE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "characters/characters.h"
#include "kit/models.h"
#include "kit/smear_kit.h"

enum { STAGE_FORMULAS = 4 };

// A built-in character with smears, its formulas, and a clip.
typedef struct stage {
    limber_asset* asset;
    const limber_model* model;
    limber_stage_settings settings;
    limber_expression* formulas[STAGE_FORMULAS];
    uint32_t formula_count;
    limber_pipeline* pipeline;
    int32_t clip;
    const limber_clip* moves;
    size_t numbers; // 3 per vertex
} stage;

static inline void stage_open(stage* s, const char* character, const char* clip) {
    memset(s, 0, sizeof *s);
    limber_error error;
    if (limberi_character_create(character, 1, &s->asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    s->model = limber_asset_model(s->asset);
    s->settings = limber_stage_settings_default();
    s->settings.smear.offsets.smooth = 0;
    s->clip = limber_model_find_clip(s->model, clip);
    assert_true(s->clip >= 0);
    s->moves = &s->model->clips[s->clip];
    s->numbers = 3 * (size_t)s->model->vertex_count;
}

static inline limber_number formula(stage* s, const char* text) {
    limber_error error;
    limber_number number = {0, NULL};
    if (limber_expression_create(text, NULL, &s->formulas[s->formula_count], &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    number.expression = s->formulas[s->formula_count++];
    return number;
}

// Another character with the same clips instead.
static inline void stage_use(stage* s, const limber_model* model) {
    limber_asset* asset;
    limber_error error;
    if (limber_asset_create(model, &asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    limber_asset_destroy(s->asset);
    s->asset = asset;
    s->model = limber_asset_model(asset);
    s->moves = &s->model->clips[s->clip];
    s->numbers = 3 * (size_t)s->model->vertex_count;
}

// A character from the folder of LIMBER_TEST_ASSETS; its file is destroyed after the stage is closed.
static inline limber_gltf* stage_open_file(stage* s, const char* file, const char* clip) {
    char path[1024];
    limber_gltf* gltf;
    limber_error error;
    stage_open(s, "ball", "roll");
    snprintf(path, sizeof path, "%s/%s", test_assets(), file);
    if (limber_gltf_load_file(path, NULL, &gltf, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    s->clip = limber_model_find_clip(limber_asset_model(limber_gltf_asset(gltf)), clip);
    assert_true(s->clip >= 0);
    stage_use(s, limber_asset_model(limber_gltf_asset(gltf)));
    return gltf;
}

// (Again) with the settings as they are now.
static inline void stage_start(stage* s) {
    limber_error error;
    limber_pipeline_destroy(s->pipeline);
    if (limber_pipeline_create_from_settings(s->asset, &s->settings, &s->pipeline, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
}

static inline void stage_close(stage* s) {
    limber_pipeline_destroy(s->pipeline);
    for (uint32_t i = 0; i < s->formula_count; i++)
        limber_expression_destroy(s->formulas[i]);
    limber_asset_destroy(s->asset);
}

static const double fps = 30;

static inline double time_of(const stage* s, uint32_t frame) {
    return limber_clip_frame_time(s->moves, fps, frame);
}

static inline limber_smeared smear(stage* s, uint32_t frame) {
    limber_smeared smeared;
    assert_int_equal(limber_pipeline_evaluate_smeared(s->pipeline, s->clip, time_of(s, frame), fps, &smeared),
                     LIMBER_OK);
    return smeared;
}

static inline float* kept(const float* numbers, size_t count) {
    float* copy = malloc((count + 1) * sizeof *copy);
    memcpy(copy, numbers, count * sizeof *copy);
    return copy;
}

static inline float* smeared_at(stage* s, uint32_t frame) {
    return kept(smear(s, frame).frame.positions, s->numbers);
}

// Without smears.
static inline float* plain_at(stage* s, uint32_t frame) {
    limber_frame evaluated;
    assert_int_equal(limber_pipeline_evaluate(s->pipeline, s->clip, time_of(s, frame), &evaluated), LIMBER_OK);
    return kept(evaluated.positions, s->numbers);
}

static inline double distance(const float* a, const float* b, size_t count) {
    double worst = 0;
    for (size_t i = 0; i < count; i++)
        worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
    return worst;
}

#endif
