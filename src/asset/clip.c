// What follows from a clip's keys: its range, its rate and its tables.
#include "asset/clip.h"
#include "asset/asset_private.h"
#include "base/build.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

static const double default_fps = 30;

static bool shares_times(const limber_clip* clip, uint32_t i) {
    return i && clip->channels[i].times == clip->channels[i - 1].times;
}

static limber_result derive_rate(limber_clip* clip) {
    size_t count = 0;
    size_t n = 0;
    for (uint32_t i = 0; i < clip->channel_count; i++)
        count += shares_times(clip, i) ? 0 : clip->channels[i].key_count - 1;
    clip->key_step_s = 1 / default_fps;
    clip->fps = default_fps;
    if (!count)
        return LIMBER_OK;
    float* steps = limberi_allocate(count * sizeof *steps);
    if (!steps)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t i = 0; i < clip->channel_count; i++)
        for (uint32_t k = 1; !shares_times(clip, i) && k < clip->channels[i].key_count; k++)
            steps[n++] = clip->channels[i].times[k] - clip->channels[i].times[k - 1];
    qsort(steps, n, sizeof *steps, limberi_compare_floats);
    double median = (double)steps[n / 2];
    double regular = 0;
    for (size_t i = 0; i < n; i++)
        regular += fabs((double)steps[i] - median) < 0.05 * median;
    limberi_release(steps);
    clip->key_step_s = median;
    // Fewer than twelve keys a second are an animator's poses, not a frame rate.
    if (regular > 0.5 * (double)n && median < 1 / 11.5 && median > 1 / 250.0) {
        double rate = 1 / median;
        clip->fps = fabs(rate - round(rate)) < 0.01 * rate ? round(rate) : rate;
    }
    return LIMBER_OK;
}

// A clip that moves nothing but cameras lasts as long as they do.
static void derive_range(limber_clip* clip) {
    const limber_channel* channels = clip->channel_count ? clip->channels : clip->camera_channels;
    uint32_t count = clip->channel_count ? clip->channel_count : clip->camera_channel_count;
    clip->start_s = clip->end_s = 0;
    for (uint32_t i = 0; i < count; i++) {
        const limber_channel* channel = &channels[i];
        double first = (double)channel->times[0];
        double last = (double)channel->times[channel->key_count - 1];
        clip->start_s = i ? fmin(clip->start_s, first) : first;
        clip->end_s = i ? fmax(clip->end_s, last) : last;
    }
}

void limberi_clip_fill_tables(const limber_model* model, limber_clip* clip, int32_t* of_joint, int32_t* of_mesh) {
    memset(of_joint, -1, 3 * (size_t)model->rig.joint_count * sizeof *of_joint);
    memset(of_mesh, -1, model->mesh_count * sizeof *of_mesh);
    for (uint32_t i = clip->channel_count; i-- > 0;) { // backwards: of two channels for one target the first counts
        const limber_channel* channel = &clip->channels[i];
        if (channel->path == LIMBER_CHANNEL_WEIGHTS)
            of_mesh[channel->target] = (int32_t)i;
        else
            of_joint[3 * (size_t)channel->target + channel->path] = (int32_t)i;
    }
    clip->channel_of_joint = of_joint;
    clip->weights_of_mesh = of_mesh;
}

static limber_result derive_tables(limberi_arena* arena, const limber_model* model, limber_clip* clip) {
    size_t joints = 3 * (size_t)model->rig.joint_count;
    int32_t* of_joint = LIMBERI_ALLOCATE(arena, int32_t, joints);
    int32_t* of_mesh = LIMBERI_ALLOCATE(arena, int32_t, model->mesh_count);
    if (arena->failed)
        return LIMBER_ERROR_MEMORY;
    limberi_clip_fill_tables(model, clip, of_joint, of_mesh);
    return LIMBER_OK;
}

limber_result limberi_clip_derive(limberi_arena* arena, const limber_model* model, const float* shares,
                                  limber_clip* clip, limber_error* error) {
    derive_range(clip);
    if (derive_rate(clip) || derive_tables(arena, model, clip) || limberi_clip_derive_cuts(arena, model, clip) ||
        limberi_clip_derive_loop(arena, model, shares, clip))
        return limberi_fail_memory(error);
    return LIMBER_OK;
}

static int compare_lengths(const void* user, uint32_t a, uint32_t b) {
    const limber_clip* clips = user;
    double x = clips[a].end_s - clips[a].start_s;
    double y = clips[b].end_s - clips[b].start_s;
    return (x < y) - (x > y);
}

void limberi_clips_longest_first(const limber_model* model, uint32_t* order) {
    for (uint32_t c = 0; c < model->clip_count; c++)
        order[c] = c;
    if (!LIMBERI_IS_SMALL) // browsers have no other threads
        limberi_sort(order, order + model->clip_count, model->clip_count, compare_lengths, model->clips);
}
