#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct apply_options {
    cli_common common;
    const char* bake;
    double tolerance; // thousandths of L
    bool no_normals;
} apply_options;

static int check_options(const apply_options* o, limber_bake_settings* bake, limber_pipeline_settings* pipeline) {
    int status = cli_parse_range(o->common.range, &bake->range_start_s, &bake->range_end_s);
    if (!status)
        status = cli_parse_skinning(o->common.skinning, &pipeline->skinning);
    if (!status)
        status = cli_check_rate(o->common.fps);
    if (status)
        return status;
    if (o->bake && strcmp(o->bake, "corrective") != 0 && strcmp(o->bake, "vertex") != 0)
        return cli_usage("--bake is corrective or vertex, not '%s'", o->bake);
    if (!(o->tolerance >= 0))
        return cli_usage("--tolerance cannot be negative");
    bake->kind = o->bake && strcmp(o->bake, "vertex") == 0 ? LIMBER_BAKE_VERTEX : LIMBER_BAKE_CORRECTIVE;
    bake->fps = o->common.fps;
    bake->tolerance = o->tolerance / 1000;
    bake->normals = !o->no_normals;
    return CLI_DONE;
}

static int bake_and_save(const char* input, const limber_gltf* gltf, limber_pipeline* pipeline,
                         const limber_bake_settings* settings, const char* output) {
    limber_bake* bake;
    limber_error error;
    if (limber_pipeline_bake(pipeline, settings, &bake, &error) != LIMBER_OK)
        return cli_fail_error(input, &error);
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.bake = bake;
    int status = CLI_DONE;
    if (limber_gltf_save_file(gltf, &edits, output, &error) != LIMBER_OK)
        status = cli_fail_error(output, &error);
    limber_bake_destroy(bake);
    return status;
}

// Frames on demand for the vertex caches.
typedef struct frame_source {
    limber_pipeline* pipeline;
    const limber_clip* clip;
    int32_t clip_index;
    double fps;
    uint32_t first, count;
    cli_progress progress;
} frame_source;

static limber_result next_frame(void* user, uint32_t index, const float** positions, const float** normals) {
    frame_source* source = user;
    limber_frame frame;
    double time_s = source->clip ? limber_clip_frame_time(source->clip, source->fps, source->first + index) : 0;
    limber_result result = limber_pipeline_evaluate(source->pipeline, source->clip_index, time_s, &frame);
    *positions = frame.positions;
    *normals = frame.normals;
    cli_progress_step(&source->progress, index, source->count);
    return result;
}

static int save_cache(const char* input, const limber_model* model, limber_pipeline* pipeline,
                      const limber_bake_settings* settings, const apply_options* o) {
    frame_source source = {pipeline,
                           NULL,
                           -1,
                           o->common.fps > 0 ? o->common.fps : 30,
                           0,
                           1,
                           cli_progress_start("writing frame", o->common.quiet)};
    if (model->clip_count) {
        uint32_t clip = settings->clips ? settings->clips[0] : 0;
        source.clip = &model->clips[clip];
        source.clip_index = (int32_t)clip;
        source.fps = o->common.fps > 0 ? o->common.fps : source.clip->fps;
        limber_frame_range range =
            limber_clip_frames_between(source.clip, source.fps, settings->range_start_s, settings->range_end_s);
        source.first = range.first;
        source.count = range.count;
    }
    if (!source.count)
        return cli_fail(input, "no frame lies in the range");
    limber_cache_job job;
    memset(&job, 0, sizeof job);
    job.model = model;
    job.fps = source.fps;
    job.start_s = source.clip ? limber_clip_frame_time(source.clip, source.fps, source.first) : 0;
    job.frame_count = source.count;
    job.frame = next_frame;
    job.user = &source;
    limber_error error;
    limber_result result = limber_cache_save(&job, o->common.output, &error);
    cli_progress_end(&source.progress);
    return result ? cli_fail_error(o->common.output, &error) : CLI_DONE;
}

static int apply(const char* input, const apply_options* o, limber_bake_settings* settings,
                 const limber_pipeline_settings* pipeline_settings) {
    limber_gltf* gltf;
    int status = cli_load(input, &gltf);
    if (status)
        return status;
    const limber_model* model = limber_asset_model(limber_gltf_asset(gltf));
    limber_pipeline* pipeline = NULL;
    limber_error error;
    uint32_t clip;
    if (o->common.clip) {
        status = cli_find_clip(input, model, o->common.clip, &clip);
        settings->clips = &clip;
        settings->clip_count = 1;
    }
    if (!status && limber_pipeline_create(limber_gltf_asset(gltf), pipeline_settings, &pipeline, &error) != LIMBER_OK)
        status = cli_fail_error(input, &error);
    if (!status && limber_cache_knows(o->common.output)) {
        status = save_cache(input, model, pipeline, settings, o);
    } else if (!status) {
        cli_progress progress = cli_progress_start("frame", o->common.quiet);
        settings->progress = cli_progress_step;
        settings->user = &progress;
        status = bake_and_save(input, gltf, pipeline, settings, o->common.output);
        cli_progress_end(&progress);
    }
    limber_pipeline_destroy(pipeline);
    limber_gltf_destroy(gltf);
    return status;
}

int limber_cli_apply(int argc, char** argv) {
    apply_options o;
    memset(&o, 0, sizeof o);
    cli_option options[CLI_COMMON_OPTION_COUNT + 3];
    cli_common_options(&o.common, options);
    const cli_option own[] = {
        {"--bake", "corrective|vertex", CLI_TEXT, &o.bake,
         "keep the skin and correct it (default), or plain morph targets"},
        {"--tolerance", "MM", CLI_NUMBER, &o.tolerance, "fewest targets within this error, in thousandths of the size"},
        {"--no-normals", NULL, CLI_FLAG, &o.no_normals, "morph positions only: smaller files"},
    };
    memcpy(options + CLI_COMMON_OPTION_COUNT, own, sizeof own);
    const cli_verb_help help = {
        "limber apply IN -o OUT [options]",
        "Evaluates every frame of the clips and writes the result.",
        "OUT is .glb or .gltf (the file comes back whole, with the deformation as morph targets), or a vertex cache\n"
        "of one clip: .pc2, .mdd, .usda or an .obj sequence. Effects are not implemented yet: for now this bakes\n"
        "plain skinning, which with linear skinning needs no morph targets at all.",
        "  limber apply fox.glb -o out.glb --skinning dualquat\n"
        "  limber apply fox.glb -o out.glb --bake vertex --tolerance 0.5\n"
        "  limber apply fox.glb -o run.pc2 --clip Run --fps 24",
        options,
        CLI_COMMON_OPTION_COUNT + 3,
        1};
    const char* input;
    size_t count;
    bool over;
    int status = cli_parse(&help, argc, argv, &input, &count, &over);
    if (status || over)
        return status;
    if (!count || !o.common.output)
        return cli_usage("apply needs an input and -o OUT; see limber apply --help");
    bool known = cli_has_ending(o.common.output, ".glb") || cli_has_ending(o.common.output, ".gltf") ||
                 limber_cache_knows(o.common.output);
    if (!known)
        return cli_usage("apply writes .glb, .gltf, .pc2, .mdd, .usda or .obj, not '%s'", o.common.output);
    limber_bake_settings bake = limber_bake_settings_default();
    limber_pipeline_settings pipeline = limber_pipeline_settings_default();
    status = check_options(&o, &bake, &pipeline);
    return status ? status : apply(input, &o, &bake, &pipeline);
}
