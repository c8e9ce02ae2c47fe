// What the work will come to, before it begins.
#include "cli/cli.h"

#include "asset/groups.h"

#include <math.h>

// An hour or so on one core: a clip of one hour of a character with 100,000 vertices is a fifth of it.
static const double usual_budget = 1000;
static const double unit = 1e9;
static const double joint_work = 16; // as much as so many influences: its pose, velocities and filters

static double count_all(const limber_model* model, const cli_common* common) {
    double start_s;
    double end_s;
    double frames = 0;
    uint32_t first = 0;
    const char* output = common->output;
    bool every_clip = !output || cli_has_ending(output, ".glb") || cli_has_ending(output, ".gltf");
    bool still = output && cli_has_ending(output, ".png");
    uint32_t count = every_clip ? model->clip_count : 1;
    if (cli_parse_range(common->range, &start_s, &end_s) != CLI_DONE)
        return 0;
    int32_t named = common->clip ? limber_model_find_clip(model, common->clip) : -1;
    if (named >= 0) {
        first = (uint32_t)named;
        count = 1;
    }
    for (uint32_t i = first; i < first + count && i < model->clip_count; i++) {
        const limber_clip* clip = &model->clips[i];
        double all = limber_clip_frames_between(clip, common->fps > 0 ? common->fps : clip->fps, start_s, end_s).count;
        frames += still ? fmin(all, CLI_FRAMING_FRAMES) : all;
    }
    return frames;
}

int cli_check_budget(const char* input, const limber_asset* asset, const cli_common* common) {
    double frames = count_all(limber_asset_model(asset), common);
    double budget = common->budget > 0 ? common->budget : usual_budget;
    // Vertices times the joints that move them, and those above.
    double influences = joint_work * limber_asset_model(asset)->rig.joint_count;
    for (uint32_t m = 0; m < limber_asset_model(asset)->mesh_count; m++)
        influences += (double)limberi_asset_groups(asset)[m]->pairs;
    double work = frames * influences / unit;
    if (work <= budget)
        return CLI_DONE;
    return cli_fail(input,
                    "%.0f frames of this character are too much work (%.0f billion influences of joints, budget %g); "
                    "use --range, --clip or a lower --fps, or raise --budget",
                    frames, work, budget);
}
