#include "cli/cli.h"

int cli_subdivide(const char* input, const limber_asset* asset, const limber_stage_settings* settings,
                  const limber_bake_settings* frames, bool quiet, limber_asset** subdivided) {
    limber_error error;
    limber_bake_settings seen = *frames;
    cli_progress progress = cli_progress_start("checking frame", quiet);
    seen.progress = cli_progress_step;
    seen.user = &progress;
    limber_result result = limber_pipeline_subdivide(asset, settings, &seen, subdivided, &error);
    cli_progress_end(&progress);
    return result ? cli_fail_error(input, &error) : CLI_DONE;
}

int cli_subdivide_clip(const char* input, const limber_asset* asset, const limber_stage_settings* settings,
                       int32_t clip_index, const cli_common* common, limber_asset** subdivided) {
    *subdivided = NULL;
    if (clip_index < 0)
        return CLI_DONE; // nothing moves
    limber_bake_settings frames = limber_bake_settings_default();
    uint32_t clip = (uint32_t)clip_index;
    int status = cli_parse_range(common->range, &frames.range_start_s, &frames.range_end_s);
    frames.clips = &clip;
    frames.clip_count = 1;
    frames.fps = common->fps;
    return status ? status : cli_subdivide(input, asset, settings, &frames, common->quiet, subdivided);
}
