// What every fuzzer does with a character and a style, and what must hold then.
#include "fuzz/kit/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 400, WORKERS = 3 };

static bool too_long(const limber_model* model) {
    for (uint32_t i = 0; i < model->clip_count; i++)
        if (!((model->clips[i].end_s - model->clips[i].start_s) * model->clips[i].fps < FRAMES))
            return true;
    return false;
}

limber_pipeline* fuzz_pipeline(const limber_asset* asset, const limber_style* style) {
    limber_pipeline* pipeline;
    limber_error error;
    if (too_long(limber_asset_model(asset)))
        return NULL;
    limber_result result = limber_pipeline_create(asset, style, &pipeline, &error);
    FUZZ_CHECK((result == LIMBER_OK) == (pipeline != NULL));
    FUZZ_CHECK(result == LIMBER_OK || (error.message[0] && error.result == result));
    for (uint32_t i = 0; pipeline && i < limber_pipeline_warning_count(pipeline); i++)
        FUZZ_CHECK(limber_pipeline_warning(pipeline, i)[0] != 0);
    return pipeline;
}

static void run_backwards(void* pool, uint32_t count, uint32_t step, limber_task task, void* user) {
    (void)pool;
    step = step ? step : 1;
    for (uint32_t piece = count / step + 1; piece-- > 0;) {
        uint32_t first = piece * step, end = count - first < step ? count : first + step;
        if (first < count)
            task(user, first, end, piece % WORKERS);
    }
}

limber_parallel fuzz_workers(void) {
    limber_parallel parallel = {WORKERS, run_backwards, NULL};
    return parallel;
}

typedef struct copy {
    float *positions, *normals;
} copy;

static float* copied(const float* values, size_t count) {
    float* out = values ? malloc(count * sizeof *out + 1) : NULL;
    if (out)
        memcpy(out, values, count * sizeof *out);
    return out;
}

static void check_same(const float* a, const float* b, size_t count) {
    FUZZ_CHECK((a != NULL) == (b != NULL));
    FUZZ_CHECK(!a || memcmp(a, b, count * sizeof *a) == 0);
}

static size_t float_count(const limber_pipeline* pipeline) {
    return 3 * (size_t)limber_asset_model(limber_pipeline_asset(pipeline))->vertex_count;
}

void fuzz_evaluate(limber_pipeline* pipeline, int32_t clip, double time_s, bool mild) {
    size_t count = float_count(pipeline);
    limber_frame frame;
    limber_parallel workers = fuzz_workers();
    if (limber_pipeline_evaluate(pipeline, clip, time_s, &frame) != LIMBER_OK)
        return;
    FUZZ_CHECK(!mild || fuzz_all_finite(frame.positions, count));
    FUZZ_CHECK(!mild || fuzz_all_finite(frame.normals, count));
    copy one = {copied(frame.positions, count), copied(frame.normals, count)};
    FUZZ_CHECK(limber_pipeline_set_parallel(pipeline, &workers) == LIMBER_OK);
    FUZZ_CHECK(limber_pipeline_evaluate(pipeline, clip, time_s, &frame) == LIMBER_OK);
    check_same(one.positions, frame.positions, count);
    check_same(one.normals, frame.normals, count);
    FUZZ_CHECK(limber_pipeline_set_parallel(pipeline, NULL) == LIMBER_OK);
    free(one.positions);
    free(one.normals);
}

void fuzz_smear(limber_pipeline* pipeline, int32_t clip, double time_s, double fps, bool mild) {
    size_t count = float_count(pipeline);
    limber_smeared s;
    if (limber_pipeline_evaluate_smeared(pipeline, clip, time_s, fps, &s) != LIMBER_OK)
        return;
    FUZZ_CHECK(!mild || fuzz_all_finite(s.frame.positions, count));
    FUZZ_CHECK(!mild || fuzz_all_finite(s.offsets, count / 3));
    for (uint32_t i = 0; i < s.mesh_count; i++) {
        const limber_smear_mesh* m = &s.meshes[i];
        FUZZ_CHECK(!mild || !m->visible || fuzz_all_finite(m->positions, 3 * (size_t)m->vertex_count));
        for (uint32_t k = 0; m->triangles && k < 3 * m->triangle_count; k++)
            FUZZ_CHECK(m->triangles[k] < m->vertex_count);
    }
}

void fuzz_save(const limber_gltf* gltf, const limber_gltf_edits* edits, const char* name) {
    const char* path = fuzz_path(name);
    limber_error error;
    limber_gltf* again;
    if (limber_gltf_save_file(gltf, edits, path, &error) != LIMBER_OK) {
        FUZZ_CHECK(error.message[0] && access(path, F_OK) != 0);
        return;
    }
    limber_result result = limber_gltf_load_file(path, NULL, &again, &error);
    if (result != LIMBER_OK)
        fprintf(stderr, "%s: %s\n", error.place, error.message);
    FUZZ_CHECK(result == LIMBER_OK);
    limber_gltf_destroy(again);
    fuzz_remove(path);
}
