// What the module for browsers is held against (web/limber/test/equal.test.mjs, web/limber/test/bench.mjs).
//   web_reference equal FILE OUT STYLE...   frames of every clip by the scalar kernels: arrays, each after its length
//   web_reference bench FILE STYLE          nanoseconds per frame of the first clip, by the fastest kernels
#include "pipeline/state.h"
#include <limber/limber.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double moments[] = {0.21, 0.77};
static const uint32_t rounds = 20, frames_per_round = 20;

typedef struct subject {
    limber_gltf* gltf;
    const limber_asset* asset;
    const limber_model* model;
    limber_pipeline* pipeline;
} subject;

static int fail(const char* what, const limber_error* error) {
    fprintf(stderr, "web_reference: %s: %s\n", what, error ? error->message : "failed");
    return 1;
}

static void close_style(subject* s) {
    limber_pipeline_destroy(s->pipeline);
    s->pipeline = NULL;
}

static int open_style(subject* s, const char* text) {
    limber_error error;
    limber_style* style = NULL;
    limber_result result = limber_style_create(&style, &error);
    if (!result)
        result = limber_style_read(style, text, strlen(text), &error);
    if (!result)
        result = limber_pipeline_create(s->asset, style, &s->pipeline, &error);
    limber_style_destroy(style);
    return result ? fail(text, &error) : 0;
}

static void put(FILE* file, const float* values, uint32_t count) {
    count = values ? count : 0;
    fwrite(&count, sizeof count, 1, file);
    if (count)
        fwrite(values, sizeof *values, count, file);
}

static int write_moment(subject* s, FILE* file, uint32_t clip, double time_s) {
    limber_smeared smeared;
    uint32_t vertices = s->model->vertex_count;
    if (limber_pipeline_evaluate_smeared(s->pipeline, (int32_t)clip, time_s, 0, &smeared) != LIMBER_OK)
        return fail("frame", NULL);
    put(file, smeared.frame.positions, 3 * vertices);
    put(file, smeared.frame.normals, 3 * vertices);
    put(file, smeared.offsets, vertices);
    for (uint32_t m = 0; m < smeared.mesh_count; m++) {
        const limber_smear_mesh* mesh = &smeared.meshes[m];
        put(file, mesh->visible ? mesh->positions : NULL, 3 * mesh->vertex_count);
        put(file, mesh->visible ? mesh->colors : NULL, 4 * mesh->vertex_count);
    }
    return 0;
}

// Every second clip at the first moment, the others at the second; with --long all at both.
static int write_style(subject* s, FILE* file) {
    const bool is_long = getenv("LIMBER_TEST_LONG") != NULL;
    limberi_pipeline_use(s->pipeline, LIMBERI_VARIANT_PLAIN);
    limber_pipeline_set_outputs(s->pipeline, LIMBER_OUTPUT_NORMALS | LIMBER_OUTPUT_OFFSETS);
    for (uint32_t c = 0; c < s->model->clip_count; c++) {
        const limber_clip* clip = &s->model->clips[c];
        for (size_t i = 0; i < sizeof moments / sizeof moments[0]; i++)
            if ((is_long || c % 2 == i) &&
                write_moment(s, file, c, clip->start_s + moments[i] * (clip->end_s - clip->start_s)))
                return 1;
    }
    return 0;
}

static int equal(subject* s, const char* output, int count, char** styles) {
    FILE* file = fopen(output, "wb");
    int status = file ? 0 : fail(output, NULL);
    for (int i = 0; !status && i < count; i++) {
        status = open_style(s, styles[i]);
        if (!status)
            status = write_style(s, file);
        close_style(s);
    }
    if (file && fclose(file) != 0)
        status = fail(output, NULL);
    return status;
}

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int bench(subject* s, const char* style) {
    double best = HUGE_VAL;
    limber_frame frame;
    if (open_style(s, style))
        return 1;
    limber_pipeline_set_outputs(s->pipeline, 0);
    const limber_clip* clip = &s->model->clips[0];
    for (uint32_t r = 0; r < rounds; r++) {
        double start = now_ns();
        for (uint32_t i = 0; i < frames_per_round; i++)
            if (limber_pipeline_evaluate(s->pipeline, 0,
                                         clip->start_s + (clip->end_s - clip->start_s) * i / frames_per_round, &frame))
                return fail("frame", NULL);
        best = fmin(best, (now_ns() - start) / frames_per_round);
    }
    printf("%.0f\n", best);
    close_style(s);
    return 0;
}

int main(int count, char** arguments) {
    subject s = {NULL, NULL, NULL, NULL};
    limber_error error;
    if (count < 4)
        return fail("usage: web_reference equal|bench FILE ...", NULL);
    if (limber_gltf_load_file(arguments[2], NULL, &s.gltf, &error) != LIMBER_OK)
        return fail(arguments[2], &error);
    s.asset = limber_gltf_asset(s.gltf);
    s.model = limber_asset_model(s.asset);
    int status = strcmp(arguments[1], "equal") == 0 ? equal(&s, arguments[3], count - 4, arguments + 4)
                                                    : bench(&s, arguments[3]);
    limber_gltf_destroy(s.gltf);
    return status;
}
