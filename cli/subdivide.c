#include "cli/cli.h"

int cli_refine(const char* input, const limber_asset* asset, const limber_pipeline_settings* settings,
               const limber_bake_settings* frames, bool quiet, limber_asset** refined) {
    limber_error error;
    limber_bake_settings seen = *frames;
    cli_progress progress = cli_progress_start("looking at frame", quiet);
    seen.progress = cli_progress_step;
    seen.user = &progress;
    limber_result result = limber_pipeline_subdivide(asset, settings, &seen, refined, &error);
    cli_progress_end(&progress);
    return result ? cli_fail_error(input, &error) : CLI_DONE;
}

int cli_refine_clip(const char* input, const limber_asset* asset, const limber_pipeline_settings* settings,
                    int32_t clip_index, const cli_common* common, limber_asset** refined) {
    *refined = NULL;
    if (clip_index < 0)
        return CLI_DONE; // nothing moves
    limber_bake_settings frames = limber_bake_settings_default();
    uint32_t clip = (uint32_t)clip_index;
    int status = cli_parse_range(common->range, &frames.range_start_s, &frames.range_end_s);
    frames.clips = &clip;
    frames.clip_count = 1;
    frames.fps = common->fps;
    return status ? status : cli_refine(input, asset, settings, &frames, common->quiet, refined);
}
