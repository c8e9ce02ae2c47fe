// A bake as UsdSkel.
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How long the folder of a path is, with its last slash.
static size_t folder_length(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static bool is_absolute(const char* path) {
    return path[0] == '/' || (path[0] && path[1] == ':');
}

// A picture's path as a reader of the output finds it: relative where that is sure, absolute where the input is. NULL:
// neither, or no memory.
static char* path_from(const char* input, const char* output, const char* file) {
    size_t in = folder_length(input);
    size_t out = folder_length(output);
    bool same = in == out && memcmp(input, output, in) == 0;
    size_t ups = 0;
    if (strchr(input, '\\') || strchr(output, '\\')) // USD has no such separators
        return NULL;
    if (!same && !is_absolute(input) && (is_absolute(output) || strstr(output, "..")))
        return NULL;
    for (size_t i = 0; !same && !is_absolute(input) && i < out; i++)
        ups += output[i] == '/';
    size_t size = 2 + 3 * ups + in + strlen(file) + 1;
    char* path = malloc(size);
    if (!path)
        return NULL;
    char* p = path + snprintf(path, size, "%s", same ? "./" : "");
    for (size_t i = 0; i < ups; i++)
        p += snprintf(p, size - (size_t)(p - path), "../");
    snprintf(p, size - (size_t)(p - path), "%.*s%s", same ? 0 : (int)in, input, file);
    return path;
}

int cli_save_usd(const char* input, const limber_pipeline* pipeline, const limber_model* model,
                 const limber_bake_settings* settings, const limber_bake* bake, const char* output) {
    limber_error error;
    limber_edited_clip edited;
    limber_usd_job job = limber_usd_job_default();
    char** textures = calloc((size_t)model->image_count + 1, sizeof *textures);
    if (!textures)
        return cli_fail_memory(input);
    for (uint32_t i = 0; i < model->image_count; i++)
        textures[i] = model->images[i].file ? path_from(input, output, model->images[i].file) : NULL;
    job.model = model;
    job.bake = bake;
    job.range_start_s = settings->range_start_s;
    job.range_end_s = settings->range_end_s;
    job.fps = settings->fps > 0 ? settings->fps : job.fps;
    job.textures = (const char* const*)textures;
    if (bake->track_count) {
        uint32_t clip = bake->tracks[0].clip;
        job.fps = settings->fps > 0 ? settings->fps : model->clips[clip].fps;
        job.edited = limber_pipeline_edited_clip(pipeline, clip, &edited) ? &edited : NULL;
    }
    limber_result result = limber_usd_save(&job, output, &error);
    for (uint32_t i = 0; i < model->image_count; i++)
        free(textures[i]);
    free(textures);
    return result == LIMBER_OK ? CLI_DONE : cli_fail_error(output, &error);
}
