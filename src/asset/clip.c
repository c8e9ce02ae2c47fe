// What follows from a clip's keys: its range and rate, and whether it loops.
#include "asset/asset_private.h"
#include "asset/channel.h"
#include "asset/cuts.h"
#include "base/math.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const double default_fps = 30;
static const double loop_tolerance = 1e-4;

static int compare_floats(const void* a, const void* b) {
    float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

static bool shares_times(const limber_clip* clip, uint32_t i) {
    return i && clip->channels[i].times == clip->channels[i - 1].times;
}

static limber_result derive_rate(limber_clip* clip) {
    size_t count = 0, n = 0;
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
    qsort(steps, n, sizeof *steps, compare_floats);
    double median = (double)steps[n / 2], regular = 0;
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
        double first = (double)channel->times[0], last = (double)channel->times[channel->key_count - 1];
        clip->start_s = i ? fmin(clip->start_s, first) : first;
        clip->end_s = i ? fmax(clip->end_s, last) : last;
    }
}

static limber_result derive_tables(limberi_arena* arena, const limber_model* model, limber_clip* clip) {
    size_t joints = 3 * (size_t)model->rig.joint_count;
    int32_t* of_joint = LIMBERI_ALLOCATE(arena, int32_t, joints);
    int32_t* of_mesh = LIMBERI_ALLOCATE(arena, int32_t, model->mesh_count);
    if (arena->failed)
        return LIMBER_ERROR_MEMORY;
    for (size_t i = 0; i < joints; i++)
        of_joint[i] = -1;
    for (uint32_t i = 0; i < model->mesh_count; i++)
        of_mesh[i] = -1;
    for (uint32_t i = clip->channel_count; i-- > 0;) { // backwards: of two channels for one target the first counts
        const limber_channel* channel = &clip->channels[i];
        if (channel->path == LIMBER_CHANNEL_WEIGHTS)
            of_mesh[channel->target] = (int32_t)i;
        else
            of_joint[3 * (size_t)channel->target + channel->path] = (int32_t)i;
    }
    clip->channel_of_joint = of_joint;
    clip->weights_of_mesh = of_mesh;
    return LIMBER_OK;
}

static bool same_value(const limber_model* model, const limber_channel* channel, double a_s, double b_s) {
    double a[4], b[4], plus = 0, minus = 0;
    uint32_t key = 0;
    limberi_channel_sample(channel, a_s, &key, a);
    limberi_channel_sample(channel, b_s, &key, b);
    for (uint32_t i = 0; i < limberi_channel_width(channel); i++) {
        minus += (a[i] - b[i]) * (a[i] - b[i]);
        plus += (a[i] + b[i]) * (a[i] + b[i]);
    }
    if (channel->path == LIMBER_CHANNEL_ROTATION) // q and -q are the same rotation
        return sqrt(fmin(minus, plus)) <= loop_tolerance;
    double unit = 1;
    if (channel->path == LIMBER_CHANNEL_TRANSLATION)
        unit = limberi_parent_scale(&model->rig, channel->target) / (double)model->size;
    return sqrt(minus) * unit <= loop_tolerance;
}

static bool same_weights(const limber_model* model, const limber_channel* channel, double a_s, double b_s,
                         float* scratch) {
    uint32_t count = model->meshes[channel->target].morph_count;
    limberi_channel_sample_weights(channel, a_s, count, scratch);
    limberi_channel_sample_weights(channel, b_s, count, scratch + count);
    for (uint32_t i = 0; i < count; i++)
        if (fabs((double)scratch[i] - (double)scratch[count + i]) > loop_tolerance)
            return false;
    return true;
}

static limber_result derive_loop(const limber_model* model, limber_clip* clip) {
    clip->loops = false;
    if (!(clip->end_s > clip->start_s))
        return LIMBER_OK;
    float* scratch = limberi_allocate((2 * (size_t)model->morph_count + 1) * sizeof *scratch);
    if (!scratch)
        return LIMBER_ERROR_MEMORY;
    bool same = true;
    for (uint32_t i = 0; same && i < clip->channel_count; i++) {
        const limber_channel* channel = &clip->channels[i];
        same = channel->path == LIMBER_CHANNEL_WEIGHTS
                   ? same_weights(model, channel, clip->start_s, clip->end_s, scratch)
                   : same_value(model, channel, clip->start_s, clip->end_s);
    }
    limberi_release(scratch);
    clip->loops = same;
    return LIMBER_OK;
}

limber_result limberi_clip_derive(limberi_arena* arena, const limber_model* model, limber_clip* clip,
                                  limber_error* error) {
    derive_range(clip);
    if (derive_rate(clip) || derive_tables(arena, model, clip) || limberi_clip_derive_cuts(arena, model, clip) ||
        derive_loop(model, clip))
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for clip '%s'", clip->name);
    return LIMBER_OK;
}
