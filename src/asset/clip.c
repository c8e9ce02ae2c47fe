// What follows from a clip's keys: its range and rate, whether it loops, and where it was cut.
#include "asset/asset_private.h"
#include "asset/channel.h"
#include "base/math.h"

#include <stdlib.h>
#include <string.h>

static const double default_fps = 30;
static const double loop_tolerance = 1e-4; // S3
static const double cut_move = 0.5;        // of L, S3
static const double cut_turn = 2 * LIMBERI_PI / 3;
// "Slow on both sides": the steps beside a cut move less than this part of the jump itself.
static const double cut_slow = 0.25;
// A whole pose can jump although no joint alone turns by 120 degrees: a T-pose put before a walk turns some twenty
// joints by 550 degrees in sum (measured on such files; the next steps turn them by less than a hundredth of that).
// Joints count that jump by ten degrees or more and are slower than a tenth of that afterwards.
static const double pose_jump = 2.0; // in thresholds of a cut, summed over the joints
static const double pose_least = 1.0 / 12, pose_slow = 0.1;
static const uint32_t pose_keys = 8;

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
    float* steps = malloc(count * sizeof *steps);
    if (!steps)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t i = 0; i < clip->channel_count; i++)
        for (uint32_t k = 1; !shares_times(clip, i) && k < clip->channels[i].key_count; k++)
            steps[n++] = clip->channels[i].times[k] - clip->channels[i].times[k - 1];
    qsort(steps, n, sizeof *steps, compare_floats);
    double median = (double)steps[n / 2], regular = 0;
    for (size_t i = 0; i < n; i++)
        regular += fabs((double)steps[i] - median) < 0.05 * median;
    free(steps);
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
    int32_t* of_joint = LIMBERI_TAKE(arena, int32_t, joints);
    int32_t* of_mesh = LIMBERI_TAKE(arena, int32_t, model->mesh_count);
    if (arena->failed)
        return LIMBER_ERROR_MEMORY;
    for (size_t i = 0; i < joints; i++)
        of_joint[i] = -1;
    for (uint32_t i = 0; i < model->mesh_count; i++)
        of_mesh[i] = -1;
    for (uint32_t i = clip->channel_count; i-- > 0;) { // backwards: of two channels for one target the first counts
        const limber_channel* channel = &clip->channels[i];
        if (channel->path == LIMBER_PATH_WEIGHTS)
            of_mesh[channel->target] = (int32_t)i;
        else
            of_joint[3 * (size_t)channel->target + channel->path] = (int32_t)i;
    }
    clip->channel_of_joint = of_joint;
    clip->weights_of_mesh = of_mesh;
    return LIMBER_OK;
}

// World length of a unit in the frame of the joint's parent, in the rest pose.
static double parent_scale(const limber_rig* rig, uint32_t joint) {
    if (rig->parents[joint] < 0)
        return 1;
    const limber_mat4* a = &rig->world_from_joint_rest[rig->parents[joint]];
    limber_vec3 x = limberi_mat4_column(a, 0), y = limberi_mat4_column(a, 1), z = limberi_mat4_column(a, 2);
    return cbrt(fabs((double)limberi_dot(x, limberi_cross(y, z))));
}

// How far a channel goes from time a to time b, in thresholds of a cut (1: enough to be one).
static double channel_travel(const limber_model* model, const limber_channel* channel, double a_s, double b_s) {
    double a[4], b[4];
    uint32_t key = 0;
    limberi_channel_sample(channel, a_s, &key, a);
    limberi_channel_sample(channel, b_s, &key, b);
    if (channel->path == LIMBER_PATH_ROTATION)
        return limberi_quat_angle(a, b) / cut_turn;
    double length = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
    return length * parent_scale(&model->rig, channel->target) / (cut_move * (double)model->size);
}

// Most steps turn by far less than a cut does, and the stored keys show that without interpolation.
static bool turns_little(const limber_channel* channel, uint32_t key) {
    if (channel->path != LIMBER_PATH_ROTATION)
        return false;
    const float *a = limberi_channel_key(channel, key), *b = limberi_channel_key(channel, key + 1);
    float dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    float squares = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]) *
                    (b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + b[3] * b[3]);
    return dot * dot > 0.26f * squares; // the cosine of half of cut_turn is 0.5
}

static bool is_cut(const limber_model* model, const limber_channel* channel, uint32_t key, double step_s) {
    double a = (double)channel->times[key], b = (double)channel->times[key + 1];
    if (b - a > step_s * 1.01 || turns_little(channel, key))
        return false;
    double jump = channel_travel(model, channel, a, b);
    if (!(jump > 1))
        return false;
    return channel_travel(model, channel, a - step_s, a) < cut_slow * jump &&
           channel_travel(model, channel, b, b + step_s) < cut_slow * jump;
}

// How far the whole pose goes from one key to the next while it is slow on both sides, in thresholds of a cut.
static double pose_travel(const limber_model* model, const limber_clip* clip, const limber_cut* cut, double step_s) {
    double sum = 0;
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        const limber_channel* channel = &clip->channels[i];
        if (channel->path == LIMBER_PATH_WEIGHTS || channel->path == LIMBER_PATH_SCALE)
            continue;
        double jump = channel_travel(model, channel, cut->before_s, cut->after_s);
        if (jump > pose_least &&
            channel_travel(model, channel, cut->before_s - step_s, cut->before_s) < pose_slow * jump &&
            channel_travel(model, channel, cut->after_s, cut->after_s + step_s) < pose_slow * jump)
            sum += jump;
    }
    return sum;
}

// A pose put before the clip and held for a few keys.
static bool starts_with_pose(const limber_model* model, const limber_clip* clip, double step_s, limber_cut* cut) {
    const limber_channel* timing = NULL;
    for (uint32_t i = 0; !timing && i < clip->channel_count; i++)
        if (clip->channels[i].key_count > 2 && (double)clip->channels[i].times[0] <= clip->start_s)
            timing = &clip->channels[i];
    for (uint32_t k = 0; timing && k + 2 < timing->key_count && k < pose_keys; k++) {
        cut->before_s = (double)timing->times[k];
        cut->after_s = (double)timing->times[k + 1];
        if (cut->after_s - cut->before_s <= step_s * 1.01 && pose_travel(model, clip, cut, step_s) > pose_jump)
            return true;
    }
    return false;
}

static int compare_cuts(const void* a, const void* b) {
    double x = ((const limber_cut*)a)->before_s, y = ((const limber_cut*)b)->before_s;
    return (x > y) - (x < y);
}

static uint32_t merge_cuts(limber_cut* cuts, uint32_t count) {
    uint32_t kept = 0;
    qsort(cuts, count, sizeof *cuts, compare_cuts);
    for (uint32_t i = 0; i < count; i++) {
        if (kept && cuts[i].before_s < cuts[kept - 1].after_s)
            cuts[kept - 1].after_s = fmax(cuts[kept - 1].after_s, cuts[i].after_s);
        else
            cuts[kept++] = cuts[i];
    }
    return kept;
}

// Every cut of every channel, one after the other; with `cuts` NULL it only counts.
static uint32_t collect_cuts(const limber_model* model, const limber_clip* clip, limber_cut* cuts) {
    double step_s = fmin(fmax(clip->key_step_s, 1 / 120.0), 1 / 24.0);
    limber_cut pose;
    uint32_t count = starts_with_pose(model, clip, step_s, &pose) ? 1 : 0;
    if (count && cuts)
        cuts[0] = pose;
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        const limber_channel* channel = &clip->channels[i];
        if (channel->path == LIMBER_PATH_WEIGHTS || channel->path == LIMBER_PATH_SCALE)
            continue;
        for (uint32_t k = 0; k + 1 < channel->key_count; k++) {
            if (!is_cut(model, channel, k, step_s))
                continue;
            if (cuts) {
                cuts[count].before_s = (double)channel->times[k];
                cuts[count].after_s = (double)channel->times[k + 1];
            }
            count++;
        }
    }
    return count;
}

static limber_result derive_cuts(limberi_arena* arena, const limber_model* model, limber_clip* clip) {
    clip->cut_count = collect_cuts(model, clip, NULL);
    limber_cut* cuts = LIMBERI_TAKE(arena, limber_cut, clip->cut_count);
    if (!cuts)
        return LIMBER_ERROR_MEMORY;
    collect_cuts(model, clip, cuts);
    clip->cut_count = merge_cuts(cuts, clip->cut_count);
    clip->cuts = cuts;
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
    if (channel->path == LIMBER_PATH_ROTATION) // q and -q are the same rotation
        return sqrt(fmin(minus, plus)) <= loop_tolerance;
    double unit = 1;
    if (channel->path == LIMBER_PATH_TRANSLATION)
        unit = parent_scale(&model->rig, channel->target) / (double)model->size;
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
    float* scratch = malloc((2 * (size_t)model->morph_count + 1) * sizeof *scratch);
    if (!scratch)
        return LIMBER_ERROR_MEMORY;
    bool same = true;
    for (uint32_t i = 0; same && i < clip->channel_count; i++) {
        const limber_channel* channel = &clip->channels[i];
        same = channel->path == LIMBER_PATH_WEIGHTS ? same_weights(model, channel, clip->start_s, clip->end_s, scratch)
                                                    : same_value(model, channel, clip->start_s, clip->end_s);
    }
    free(scratch);
    clip->loops = same;
    return LIMBER_OK;
}

limber_result limberi_clip_derive(limberi_arena* arena, const limber_model* model, limber_clip* clip,
                                  limber_error* error) {
    derive_range(clip);
    if (derive_rate(clip) || derive_tables(arena, model, clip) || derive_cuts(arena, model, clip) ||
        derive_loop(model, clip))
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for clip '%s'", clip->name);
    return LIMBER_OK;
}
