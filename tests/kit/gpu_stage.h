// A character on the graphics card beside its pipeline, for tests that compare the two.
#ifndef LIMBER_KIT_GPU_STAGE_H
#define LIMBER_KIT_GPU_STAGE_H

#include "base/math.h"
#include "render/gl/deform_gpu.h"
#include <limber/limber.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double sideways = 3; // degrees

static limberi_gpu* gpu;

static inline bool have_gpu(void) {
    limber_error error;
    if (gpu || limberi_gpu_create(&gpu, &error) == LIMBER_OK)
        return true;
    print_message("skipped: %s\n", error.message);
    return false;
}

typedef struct stage {
    const limber_model* model;
    limber_pipeline* pipeline;
    limberi_gpu_character* character;
    limberi_gpu_path path;
    float *got, *got_normals;
} stage;

static inline limber_pipeline* make_pipeline(const limber_asset* asset, const char* text) {
    limber_error error;
    limber_style* style;
    limber_pipeline* pipeline = NULL;
    if (limber_style_create(&style, &error) != LIMBER_OK ||
        limber_style_read(style, text, strlen(text), &error) != LIMBER_OK ||
        limber_pipeline_create(asset, style, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s %s", error.place, error.message);
    limber_style_destroy(style);
    return pipeline;
}

static inline stage open_stage(const limber_asset* asset, const char* style, limberi_gpu_path path, bool dynamic) {
    stage s = {.model = limber_asset_model(asset), .pipeline = make_pipeline(asset, style), .path = path};
    const limberi_gpu_settings wanted = {.instances = 1, .dynamic = dynamic};
    limber_error error;
    if (limberi_gpu_character_create(gpu, s.pipeline, &wanted, &s.character, &error) != LIMBER_OK)
        fail_msg("%s: %s", style, error.message);
    s.got = calloc(3 * (size_t)s.model->vertex_count, sizeof *s.got);
    s.got_normals = calloc(3 * (size_t)s.model->vertex_count, sizeof *s.got_normals);
    assert_true(s.got && s.got_normals);
    return s;
}

static inline void close_stage(stage* s) {
    limberi_gpu_character_destroy(s->character);
    limber_pipeline_destroy(s->pipeline);
    free(s->got);
    free(s->got_normals);
}

static inline double distance(const float* a, const float* b) {
    return (double)limberi_length(limberi_sub(limberi_load3(a), limberi_load3(b)));
}

static inline bool is_turned(const float* a, const float* b) {
    return !(limberi_dot(limberi_load3(a), limberi_load3(b)) > cosf((float)(sideways * 3.14159265 / 180)));
}

#endif
