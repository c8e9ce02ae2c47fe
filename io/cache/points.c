// The two caches that hold points and nothing else.
//
// .pc2 (PointCache 2), little-endian: "POINTCACHE2\0", int32 version 1, int32 points, float32 start frame, float32
// frames per sample, int32 samples; then float32 x y z per point, sample by sample.
// .mdd (LightWave), big-endian: int32 frames, int32 points, float32 seconds per frame; then float32 x y z per point,
// frame by frame.
#include "io/cache/writers.h"
#include "io/out.h"

#include <string.h>

typedef void (*float_writer)(limberi_out* out, const float* values, size_t count);

// check_job keeps frame numbers below 1e9; the points have to fit a signed field too.
static limber_result check_count(const limber_cache_job* job, limber_error* error) {
    if (job->model->vertex_count > INT32_MAX)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "too many vertices for this format (%u)",
                            job->model->vertex_count);
    return LIMBER_OK;
}

static limber_result put_frames(limberi_out* out, const limber_cache_job* job, float_writer put_floats,
                                limber_error* error) {
    for (uint32_t f = 0; f < job->frame_count; f++) {
        limberi_cache_view view;
        limber_result result = limberi_cache_frame(job, f, &view, error);
        if (result != LIMBER_OK)
            return result;
        put_floats(out, view.positions, 3 * (size_t)job->model->vertex_count);
    }
    return limberi_out_commit(out, error);
}

limber_result limberi_cache_save_pc2(const limber_cache_job* job, const char* path, limber_error* error) {
    limberi_out out = {0};
    limber_result result = check_count(job, error);
    if (result == LIMBER_OK)
        result = limberi_out_open(&out, path, error);
    if (result == LIMBER_OK) {
        const float first_and_step[2] = {(float)limberi_cache_first_frame(job), 1};
        limberi_out_bytes(&out, "POINTCACHE2", 12);
        limberi_out_little_endian(&out, 1);
        limberi_out_little_endian(&out, job->model->vertex_count);
        limberi_out_floats_little_endian(&out, first_and_step, 2);
        limberi_out_little_endian(&out, job->frame_count);
        result = put_frames(&out, job, limberi_out_floats_little_endian, error);
    }
    limberi_out_close(&out);
    return result;
}

limber_result limberi_cache_save_mdd(const limber_cache_job* job, const char* path, limber_error* error) {
    limberi_out out = {0};
    limber_result result = check_count(job, error);
    if (result == LIMBER_OK)
        result = limberi_out_open(&out, path, error);
    if (result == LIMBER_OK) {
        limberi_out_big_endian(&out, job->frame_count);
        limberi_out_big_endian(&out, job->model->vertex_count);
        for (uint32_t f = 0; f < job->frame_count; f++) {
            float time_s = (float)(job->start_s + f / job->fps);
            limberi_out_floats_big_endian(&out, &time_s, 1);
        }
        result = put_frames(&out, job, limberi_out_floats_big_endian, error);
    }
    limberi_out_close(&out);
    return result;
}
