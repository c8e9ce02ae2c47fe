// A character with more triangles where the smears of its clips would tear it: checks every frame, splits the edges
// that need it, and repeats this on the result, as often as the style allows.
#include "bake/bake.h"
#include "base/error.h"
#include "pipeline/pipeline_private.h"
#include <limber/stages/subdivide.h>

static const uint32_t max_frames = 1000000;

// With held poses, the frames between show one of those that are looked at.
static limber_result see_clip(limber_pipeline* p, const limber_model* model, uint32_t clip_index, uint32_t step,
                              const limber_bake_settings* frames, limber_subdivider* subdivider) {
    const limber_clip* clip = &model->clips[clip_index];
    double fps = frames->fps > 0 ? frames->fps : clip->fps;
    limber_frame_range range = limber_clip_frames_between(clip, fps, frames->range_start_s, frames->range_end_s);
    for (uint32_t f = range.first - range.first % step; f < range.first + range.count; f += step) {
        limber_smeared smeared;
        double time_s = limber_clip_frame_time(clip, fps, f);
        limber_result result = limber_pipeline_evaluate_smeared(p, (int32_t)clip_index, time_s, fps, &smeared);
        if (result)
            return result;
        limber_subdivider_see(subdivider, smeared.deformed, smeared.frame.positions);
        if (frames->progress && !frames->progress(frames->user, f - range.first % step, range.first + range.count))
            return LIMBER_ERROR_ARGUMENT;
    }
    return LIMBER_OK;
}

static limber_result see_clips(const limber_asset* asset, const limber_stage_settings* settings,
                               const limber_bake_settings* frames, limber_subdivider* subdivider, limber_error* error) {
    const limber_model* model = limber_asset_model(asset);
    limber_pipeline* p;
    limber_result result = limber_pipeline_create_from_settings(asset, settings, &p, error);
    if (result)
        return result;
    limber_pipeline_set_outputs(p, 0);
    uint32_t count = frames->clips ? frames->clip_count : model->clip_count;
    uint32_t step = settings->smear.step;
    for (uint32_t i = 0; !result && i < count; i++)
        result = see_clip(p, model, frames->clips ? frames->clips[i] : i, step ? step : 1, frames, subdivider);
    limber_pipeline_destroy(p);
    if (result == LIMBER_ERROR_MEMORY)
        limberi_fail_memory(error);
    else if (result)
        limberi_fail(error, result, "subdivision was stopped");
    return result;
}

static limber_result check_clips(const limber_model* model, const limber_bake_settings* frames, limber_error* error) {
    uint32_t count = frames->clips ? frames->clip_count : model->clip_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = frames->clips ? frames->clips[i] : i;
        if (index >= model->clip_count)
            return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "clip %u does not exist", index);
        const limber_clip* clip = &model->clips[index];
        double fps = frames->fps > 0 ? frames->fps : clip->fps;
        if (limber_clip_frames_between(clip, fps, frames->range_start_s, frames->range_end_s).count > max_frames)
            return limberi_fail(error, LIMBER_ERROR_LIMIT,
                                "clip '%s' has too many frames (max %u); use --range to select a part", clip->name,
                                max_frames);
    }
    return LIMBER_OK;
}

// *finer NULL: nothing tears.
static limber_result split_once(const limber_asset* asset, const limber_stage_settings* settings,
                                const limber_bake_settings* frames, uint32_t limit, limber_asset** finer,
                                limber_error* error) {
    limber_subdivider* subdivider;
    *finer = NULL;
    limber_result result = limber_subdivider_create(asset, &subdivider, error);
    if (!result)
        result = see_clips(asset, settings, frames, subdivider, error);
    if (!result)
        result = limber_subdivider_split(subdivider, settings->smear.elongate.tear, limit, finer, error);
    limber_subdivider_destroy(subdivider);
    return result;
}

limber_result limber_pipeline_subdivide(const limber_pipeline* pipeline, const limber_bake_settings* given,
                                        limber_asset** subdivided, limber_error* error) {
    *subdivided = NULL;
    limber_bake_settings frames;
    limber_result result = limberi_bake_settings_read(given, &frames, error);
    if (result)
        return result;
    const limber_stage_settings* settings = &pipeline->settings;
    const limber_model* model = limber_asset_model(pipeline->asset);
    uint32_t levels = settings->smear.elongate.subdivide;
    uint32_t max = LIMBER_SMEAR_TRIANGLES;
    levels = levels < LIMBER_SMEAR_LEVELS ? levels : LIMBER_SMEAR_LEVELS;
    if (!levels || !limber_smear_is_on(&settings->smear))
        return LIMBER_OK;
    uint32_t limit = model->triangle_count > max ? model->triangle_count : max;
    result = check_clips(model, &frames, error);
    for (uint32_t level = 0; !result && level < levels; level++) {
        limber_asset* finer;
        result = split_once(*subdivided ? *subdivided : pipeline->asset, settings, &frames, limit, &finer, error);
        if (result || !finer)
            break;
        limber_asset_destroy(*subdivided);
        *subdivided = finer;
    }
    if (result) {
        limber_asset_destroy(*subdivided);
        *subdivided = NULL;
    }
    return result;
}
