// The frames of a bake.
#include "pipeline/bake_tracks.h"
#include "base/error.h"
#include "base/memory.h"

static const uint32_t max_frames = 1000000;

static limber_result out_of_memory(limber_error* error) {
    return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the bake");
}

double limberi_bake_rate(const limber_bake_settings* settings, const limber_clip* clip) {
    return settings->fps > 0 ? settings->fps : clip->fps;
}

// The frames of a track. When the range leaves out part of the clip, one frame on either side is added; it will carry
// no displacement, so that the clip is plain outside the range.
static limber_result make_track(const limber_pipeline* pipeline, const limber_bake_settings* settings,
                                limber_bake_track* track, uint32_t clip_index, limber_error* error) {
    const limber_clip* clip = &pipeline->model->clips[clip_index];
    double fps = limberi_bake_rate(settings, clip);
    uint32_t all = limber_clip_frame_count(clip, fps);
    limber_frame_range range = limber_clip_frames_between(clip, fps, settings->range_start_s, settings->range_end_s);
    if (range.count > max_frames)
        return limberi_fail(error, LIMBER_ERROR_LIMIT,
                            "clip '%s' has too many frames (%u, max %u); use --range to select a part", clip->name,
                            range.count, max_frames);
    if (!range.count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "no frame of clip '%s' (%g to %g s) is in the range",
                            clip->name, clip->start_s, clip->end_s);
    uint32_t first = range.first > 0 ? range.first - 1 : 0;
    uint32_t end = range.first + range.count < all ? range.first + range.count + 1 : all;
    track->clip = clip_index;
    track->frame_count = end - first;
    track->times = limberi_allocate(track->frame_count * sizeof *track->times);
    if (!track->times)
        return out_of_memory(error);
    for (uint32_t i = 0; i < track->frame_count; i++)
        track->times[i] = (float)limber_clip_frame_time(clip, fps, first + i);
    return LIMBER_OK;
}

bool limberi_bake_shows(const limber_bake_settings* settings, double time_s) {
    double snap = 1e-6;
    return time_s >= settings->range_start_s - snap && time_s <= settings->range_end_s + snap;
}

limber_result limberi_bake_tracks(const limber_pipeline* pipeline, const limber_bake_settings* settings,
                                  limber_bake* bake, uint32_t* frame_count, limber_error* error) {
    const limber_model* model = pipeline->model;
    uint32_t count = settings->clips ? settings->clip_count : model->clip_count;
    *frame_count = 0;
    bake->tracks = limberi_allocate_zeroed(count ? count : 1, sizeof *bake->tracks);
    if (!bake->tracks)
        return out_of_memory(error);
    bake->track_count = count;
    for (uint32_t t = 0; t < count; t++) {
        uint32_t clip = settings->clips ? settings->clips[t] : t;
        if (clip >= model->clip_count)
            return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "clip %u does not exist", clip);
        limber_result result = make_track(pipeline, settings, &bake->tracks[t], clip, error);
        if (result)
            return result;
        *frame_count += bake->tracks[t].frame_count;
    }
    return LIMBER_OK;
}
