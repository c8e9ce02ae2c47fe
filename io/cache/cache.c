// Vertex caches: picks the writer by the name of the file, and checks the job.
#include "base/settings.h"
#include "io/cache/writers.h"
#include "io/file.h"

#include <math.h>
#include <string.h>

typedef limber_result (*saver)(const limber_cache_job* job, const char* path, limber_error* error);

static const struct {
    const char* ending;
    saver save;
} formats[] = {{".pc2", limberi_cache_save_pc2},
               {".mdd", limberi_cache_save_mdd},
               {".obj", limberi_cache_save_obj},
               {".usda", limberi_cache_save_usda}};

// The fastest and slowest rates that still print as plain decimals in the text formats.
static const double fps_min = 1e-3;
static const double fps_max = 1e6;
static const double frame_number_max = 1e9;

static saver find_saver(const char* path) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (limberi_file_has_ending(limberi_file_name(path), formats[i].ending))
            return formats[i].save;
    return NULL;
}

void limber_cache_job_init(limber_cache_job* given, size_t size) {
    limber_cache_job job;
    memset(&job, 0, sizeof job);
    job.struct_size = sizeof job;
    job.fps = 30;
    limberi_settings_write(given, size, &job, sizeof job);
}

bool limber_cache_knows(const char* path) {
    return path && find_saver(path);
}

static limber_result check_job(const limber_cache_job* job, limber_error* error) {
    if (!job->model || !job->frame)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "a cache needs a model and a source of frames");
    if (!job->frame_count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "there are no frames to write");
    if (!(job->fps >= fps_min && job->fps <= fps_max))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "a frame rate of %g is not between %g and %g", job->fps,
                            fps_min, fps_max);
    if (!(fabs(job->start_s * job->fps) + job->frame_count <= frame_number_max))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "frame numbers from %g s on are too large", job->start_s);
    if (!job->model->vertex_count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the character has no mesh, and a cache holds only vertices");
    return LIMBER_OK;
}

limber_result limberi_cache_job_read(const limber_cache_job* given, limber_cache_job* job, limber_error* error) {
    *job = limber_cache_job_default();
    limber_result result = limberi_settings_read(job, sizeof *job, given, "limber_cache_job", error);
    return result == LIMBER_OK ? check_job(job, error) : result;
}

limber_result limber_cache_save(const limber_cache_job* given, const char* path, limber_error* error) {
    limber_cache_job job;
    limber_result result = limberi_cache_job_read(given, &job, error);
    if (result != LIMBER_OK)
        return result;
    saver save = path ? find_saver(path) : NULL;
    if (!save)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT,
                            "'%s' has an unknown extension; use .pc2, .mdd, .obj or .usda", path ? path : "");
    return save(&job, path, error);
}
