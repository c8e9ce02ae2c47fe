// One clip of `limber apply`, frame by frame: vertex caches, textures, and poses with given velocities.
#include "cli/verbs/apply.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>

// Frames on demand for the vertex caches.
typedef struct frame_source {
    limber_pipeline* pipeline;
    const limber_clip* clip;
    int32_t clip_index;
    double fps;
    uint32_t first, count;
    const limber_kinematics* what_if; // given velocities: the frames ramp them in; NULL: the clip's
    bool no_normals;
    cli_progress progress;
} frame_source;

static limber_result next_frame(void* user, uint32_t index, const float** positions, const float** normals) {
    frame_source* source = user;
    limber_smeared smeared;
    limber_frame* frame = &smeared.frame;
    uint32_t shown = source->what_if ? source->first : source->first + index;
    double time_s = source->clip ? limber_clip_frame_time(source->clip, source->fps, shown) : 0;
    float amount = (float)index / (CLI_WHAT_IF_STEPS - 1);
    limber_result result = source->what_if ? limber_pipeline_evaluate_what_if(source->pipeline, source->clip_index,
                                                                              time_s, source->what_if, amount, frame)
                                           : limber_pipeline_evaluate_smeared(source->pipeline, source->clip_index,
                                                                              time_s, source->fps, &smeared);
    *positions = frame->positions;
    *normals = source->no_normals ? NULL : frame->normals;
    cli_progress_step(&source->progress, index, source->count);
    return result;
}

static int open_source(const apply_work* w, const limber_kinematics* what_if, frame_source* source) {
    const cli_common* common = &w->options->common;
    memset(source, 0, sizeof *source);
    source->pipeline = w->pipeline;
    source->clip_index = -1;
    source->fps = common->fps > 0 ? common->fps : 30;
    source->count = 1;
    source->what_if = what_if;
    source->no_normals = w->options->vat && w->options->no_normals;
    source->progress = cli_progress_start("writing frame", common->quiet);
    if (w->model->clip_count) {
        uint32_t clip = w->settings->clips ? w->settings->clips[0] : cli_first_clip();
        source->clip = &w->model->clips[clip];
        source->clip_index = (int32_t)clip;
        source->fps = common->fps > 0 ? common->fps : source->clip->fps;
        limber_frame_range range =
            limber_clip_frames_between(source->clip, source->fps, w->settings->range_start_s, w->settings->range_end_s);
        source->first = range.first;
        source->count = range.count;
    }
    if (!source->count)
        return cli_fail(w->input, "no frame of clip '%s' (%g to %g s) is in --range %s", source->clip->name,
                        source->clip->start_s, source->clip->end_s, common->range);
    if (what_if)
        source->count = CLI_WHAT_IF_STEPS;
    return CLI_DONE;
}

static limber_result save_frames(const apply_work* w, const limber_cache_job* job, const limber_clip* clip,
                                 limber_error* error) {
    char name[256];
    if (!w->options->vat)
        return limber_cache_save(job, w->options->common.output, error);
    // The input's name without folder and extension begins the names of the files.
    const char* from = limberi_file_name(w->input);
    const char* end = strrchr(from, '.');
    size_t length = end && end != from ? (size_t)(end - from) : strlen(from);
    snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : (int)sizeof name - 1, from);
    return limber_vat_save(job, clip, w->options->vat, name, error);
}

static int save_cache(const apply_work* w, frame_source* source) {
    limber_cache_job job = limber_cache_job_default();
    job.model = w->model;
    job.fps = source->fps;
    job.start_s =
        source->clip && !source->what_if ? limber_clip_frame_time(source->clip, source->fps, source->first) : 0;
    job.frame_count = source->count;
    job.frame = next_frame;
    job.user = source;
    limber_error error;
    limber_result result = save_frames(w, &job, source->what_if ? NULL : source->clip, &error);
    cli_progress_end(&source->progress);
    if (result)
        return cli_fail_error(w->options->common.output, &error);
    char what[48];
    snprintf(what, sizeof what, "%u frame%s", source->count, source->count == 1 ? "" : "s");
    cli_tell_written(w->options->common.output, what, w->started_s);
    return CLI_DONE;
}

// Vertex caches have no room for meshes that come and go.
static void warn_of_cache(const apply_work* w) {
    const limber_smear_settings* smear = &w->look.settings.smear;
    if (limber_smear_adds_meshes(smear) && w->settings->smear_meshes != LIMBER_SMEAR_MESHES_NONE)
        cli_warn(w->options->common.output,
                 "in-between copies, motion lines and ribbons are left out: only .glb and .gltf can hold them");
    if (smear->texture_spin)
        cli_warn(w->options->common.output, "textures that spin are left out: only .glb and .gltf can hold them");
}

int apply_what_if(const apply_work* w) {
    limber_kinematics motion;
    frame_source source;
    if (limber_kinematics_create(w->model, &motion) != LIMBER_OK)
        return cli_fail_memory(w->input);
    int status = cli_what_if_parse(w->input, w->model, &w->options->what_ifs, &motion);
    if (!status)
        status = open_source(w, &motion, &source);
    if (!status && apply_writes_frames(w->options))
        status = save_cache(w, &source);
    else if (!status)
        status = cli_what_if_save(w->input, w->model, next_frame, &source, w->options->common.output);
    limber_kinematics_destroy(&motion);
    return status;
}

// UsdSkel holds one clip, as a cache does, and no smear meshes.
int apply_skeleton(apply_work* w) {
    frame_source source;
    const uint32_t first = 0;
    int status = open_source(w, NULL, &source); // looks whether there are frames
    if (status)
        return status;
    warn_of_cache(w);
    w->settings->smear_meshes = LIMBER_SMEAR_MESHES_NONE;
    if (!w->settings->clips && w->model->clip_count) {
        w->settings->clips = &first;
        w->settings->clip_count = 1;
    }
    status = apply_bake(w);
    w->settings->clips = w->settings->clips == &first ? NULL : w->settings->clips;
    return status;
}

int apply_cache(const apply_work* w) {
    frame_source source;
    int status = open_source(w, NULL, &source);
    if (!status)
        warn_of_cache(w);
    return status ? status : save_cache(w, &source);
}
