// --subdivide: splits edges that smears stretch too far, before anything is computed.
#include "cli/cli.h"

int cli_subdivide(const char* input, const limber_bake_settings* frames, bool quiet, limber_pipeline** pipeline,
                  limber_asset** subdivided) {
    limber_error error;
    limber_bake_settings seen = *frames;
    cli_progress progress = cli_progress_start("checking frame", quiet);
    seen.progress = cli_progress_step;
    seen.user = &progress;
    limber_result result = limber_pipeline_subdivide(*pipeline, &seen, subdivided, &error);
    cli_progress_end(&progress);
    if (result)
        return cli_fail_error(input, &error);
    if (!*subdivided)
        return CLI_DONE;
    // The same settings with the subdivided character.
    const limber_stage_settings* settings = limber_pipeline_stage_settings(*pipeline);
    limber_pipeline* next;
    if (limber_pipeline_create_from_settings(*subdivided, settings, &next, &error) != LIMBER_OK)
        return cli_fail_error(input, &error);
    limber_pipeline_destroy(*pipeline);
    *pipeline = next;
    return CLI_DONE;
}

int cli_subdivide_clip(const char* input, int32_t clip_index, const cli_common* common, limber_pipeline** pipeline,
                       limber_asset** subdivided) {
    *subdivided = NULL;
    if (clip_index < 0)
        return CLI_DONE; // nothing moves
    limber_bake_settings frames = limber_bake_settings_default();
    uint32_t clip = (uint32_t)clip_index;
    int status = cli_parse_range(common->range, &frames.range_start_s, &frames.range_end_s);
    frames.clips = &clip;
    frames.clip_count = 1;
    frames.fps = common->fps;
    return status ? status : cli_subdivide(input, &frames, common->quiet, pipeline, subdivided);
}
