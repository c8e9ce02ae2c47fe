// A clip as plain numbers: every joint at every frame of a steady rate.
#include "perform/take.h"

#include "asset/clip.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const double max_samples = 16777216; // joints times frames: 0.7 GB a copy
static const double cut_move = 0.02;        // of L: less is no jump
static const double cut_ratio = 4;          // and this many times as far as in the frames beside it
static const double cut_share = 0.3;        // of the joints
static const double same = 1e-6; // of a translation's size, or radians: what single precision loses on the way

// --- cuts ---

// Places of all joints at four frames: two before a cut, two after.
typedef struct cut_look {
    limber_vec3* places[4];
    limber_pose pose;
} cut_look;

static void look_at(const limberi_take* take, const limber_model* model, const limber_clip* clip, uint32_t frame,
                    cut_look* look) {
    for (uint32_t i = 0; i < 4; i++) {
        int64_t f = (int64_t)frame + i - 2;
        f = f < take->frame_count ? f : (int64_t)take->frame_count - 1;
        f = f > 0 ? f : 0;
        limber_clip_sample(model, clip, limberi_take_time(take, (uint32_t)f), &look->pose);
        limber_pose_update_world(model, &look->pose);
        for (uint32_t j = 0; j < take->joint_count; j++)
            look->places[i][j] = limberi_mat4_translation(&look->pose.world_from_joint[j]);
    }
}

// A cut is where much of the body is somewhere else afterwards. Joints that flip by themselves, which captured wrists
// and ankles do, are left out one by one by the filter, and the rest goes on.
static bool whole_body_jumps(const cut_look* look, uint32_t joints, double size) {
    uint32_t jumps = 0;
    for (uint32_t j = 0; j < joints; j++) {
        double before = (double)limberi_length(limberi_sub(look->places[1][j], look->places[0][j]));
        double jump = (double)limberi_length(limberi_sub(look->places[2][j], look->places[1][j]));
        double after = (double)limberi_length(limberi_sub(look->places[3][j], look->places[2][j]));
        jumps += jump > cut_move * size && jump > cut_ratio * before && jump > cut_ratio * after;
    }
    return jumps >= cut_share * joints;
}

static void find_segments(limberi_take* take, const limber_model* model, const limber_clip* clip, cut_look* look,
                          uint32_t* segments) {
    take->segment_count = 1;
    for (uint32_t c = 0; c < clip->cut_count; c++) {
        double middle = 0.5 * (clip->cuts[c].before_s + clip->cuts[c].after_s);
        double frame = take->step_s > 0 ? ceil((middle - take->start_s) / take->step_s) : 0;
        if (!(frame > segments[take->segment_count - 1] && frame < take->frame_count))
            continue;
        look_at(take, model, clip, (uint32_t)frame, look);
        if (whole_body_jumps(look, take->joint_count, (double)model->size))
            segments[take->segment_count++] = (uint32_t)frame;
    }
    segments[take->segment_count] = take->frame_count;
    take->segments = segments;
    take->loops = take->loops && take->segment_count == 1;
}

static limber_result cut_segments(limberi_arena* arena, const limber_model* model, const limber_clip* clip,
                                  limberi_take* take) {
    uint32_t* segments = LIMBERI_ALLOCATE(arena, uint32_t, (size_t)clip->cut_count + 2);
    limberi_arena scratch = {NULL, false};
    cut_look look;
    for (int i = 0; i < 4; i++)
        look.places[i] = LIMBERI_ALLOCATE(&scratch, limber_vec3, take->joint_count);
    bool failed = !segments || scratch.failed || limber_pose_create(model, &look.pose);
    if (!failed) {
        find_segments(take, model, clip, &look, segments);
        limber_pose_destroy(&look.pose);
    }
    limberi_arena_free(&scratch);
    return failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

// --- frames ---

static limber_result choose_grid(const limber_clip* clip, double fps, bool loops, uint32_t joints, limberi_take* take,
                                 limber_error* error) {
    double duration = clip->end_s - clip->start_s;
    double steps = duration > 0 && fps > 0 ? fmax(1, round(duration * fps)) : 0;
    if ((steps + 1) * joints > max_samples)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "clip '%s' has too many frames to edit; use a lower --fps",
                            clip->name);
    take->joint_count = joints;
    take->frame_count = (uint32_t)steps + 1;
    take->start_s = clip->start_s;
    take->step_s = steps > 0 ? duration / steps : 0;
    take->loops = loops && steps >= 2;
    return LIMBER_OK;
}

limber_result limberi_take_create(limberi_arena* arena, const limber_model* model, const limber_clip* clip, double fps,
                                  bool loops, limberi_take* take, limber_error* error) {
    memset(take, 0, sizeof *take);
    uint32_t joints = model->rig.joint_count;
    limber_result result = choose_grid(clip, fps > 0 ? fps : clip->fps, loops, joints, take, error);
    if (result)
        return result;
    limber_pose pose;
    take->local = LIMBERI_ALLOCATE(arena, limber_transform, (size_t)take->frame_count * joints);
    if (!take->local || cut_segments(arena, model, clip, take) || limber_pose_create(model, &pose))
        return limberi_fail_memory(error);
    for (uint32_t f = 0; f < take->frame_count; f++) {
        // The float that will be the key's time, so that what does not change is found again there.
        double time_s = (double)(float)limberi_take_time(take, f);
        limber_clip_sample(model, clip, f + 1 == take->frame_count ? clip->end_s : time_s, &pose);
        memcpy(limberi_take_at(take, f, 0), pose.local, joints * sizeof *pose.local);
    }
    limber_pose_destroy(&pose);
    return LIMBER_OK;
}

double limberi_take_formula(const limberi_take* take, const limber_expression* formula, uint32_t frame, double limit) {
    if (!formula)
        return 1;
    limber_expression_inputs in = limber_expression_inputs_default();
    float out = 0;
    in.count = 1;
    in.frame[LIMBER_VARIABLE_T] = (float)(frame * take->step_s);
    in.frame[LIMBER_VARIABLE_FRAME] = (float)frame;
    in.frame[LIMBER_VARIABLE_PHASE] = take->frame_count > 1 ? (float)frame / (float)(take->frame_count - 1) : 0;
    limber_expression_evaluate(formula, &in, &out);
    if (!((double)out > -limit))
        return -limit;
    return (double)out < limit ? (double)out : limit;
}

uint32_t limberi_take_segment(const limberi_take* take, uint32_t frame) {
    uint32_t segment = 0;
    while (segment + 1 < take->segment_count && frame >= take->segments[segment + 1])
        segment++;
    return segment;
}

limberi_between limberi_take_between(const limberi_take* take, uint32_t frame, double time_s) {
    uint32_t segment = limberi_take_segment(take, frame);
    double low = take->segments[segment];
    double high = (double)take->segments[segment + 1] - 1;
    double at = take->step_s > 0 ? (time_s - take->start_s) / take->step_s : 0;
    if (take->loops)
        at -= floor(at / high) * high;
    at = fmin(fmax(at, low), high);
    limberi_between between = {(uint32_t)at, (uint32_t)at, 0};
    between.b += between.b < high;
    between.part = at - between.a;
    return between;
}

void limberi_take_positions(const limberi_take* take, const limber_rig* rig, limber_mat4* scratch,
                            limber_vec3* positions) {
    for (uint32_t f = 0; f < take->frame_count; f++)
        for (uint32_t j = 0; j < take->joint_count; j++) {
            limber_mat4 local = limberi_mat4_from_transform(limberi_take_at(take, f, j));
            int32_t parent = rig->parents[j];
            scratch[j] = parent < 0 ? local : limberi_mat4_mul(&scratch[parent], &local);
            positions[(size_t)f * take->joint_count + j] = limberi_mat4_translation(&scratch[j]);
        }
}

// --- back to a clip ---

static const float* part_of(const limber_transform* t, limber_channel_path path) {
    if (path == LIMBER_CHANNEL_ROTATION)
        return &t->rotation.x;
    return path == LIMBER_CHANNEL_SCALE ? &t->scale.x : &t->translation.x;
}

static bool differs(const limber_transform* a, const limber_transform* b, limber_channel_path path) {
    const float* x = part_of(a, path);
    const float* y = part_of(b, path);
    double apart = 0;
    double together = 0;
    double size = 0;
    for (int i = 0; i < (path == LIMBER_CHANNEL_ROTATION ? 4 : 3); i++) {
        apart += ((double)x[i] - (double)y[i]) * ((double)x[i] - (double)y[i]);
        together += ((double)x[i] + (double)y[i]) * ((double)x[i] + (double)y[i]);
        size += (double)y[i] * (double)y[i];
    }
    if (path == LIMBER_CHANNEL_ROTATION)
        return fmin(apart, together) > 0.25 * same * same;
    return apart > same * same * size;
}

static bool is_changed(const limberi_take* take, const limberi_take* source, uint32_t joint, limber_channel_path path) {
    for (uint32_t f = 0; f < take->frame_count; f++)
        if (differs(limberi_take_at(take, f, joint), limberi_take_at(source, f, joint), path))
            return true;
    return false;
}

// A key for every frame. Neighbouring quaternions are kept on one side, for players that blend them plainly.
static const float* key_values(const limberi_take* take, uint32_t joint, limber_channel_path path,
                               limberi_arena* arena) {
    uint32_t width = path == LIMBER_CHANNEL_ROTATION ? 4 : 3;
    float* values = LIMBERI_ALLOCATE(arena, float, (size_t)take->frame_count* width);
    for (uint32_t f = 0; values && f < take->frame_count; f++) {
        const float* now = part_of(limberi_take_at(take, f, joint), path);
        float* key = values + (size_t)f * width;
        const float* before = key - width;
        float dot =
            width == 4 && f ? now[0] * before[0] + now[1] * before[1] + now[2] * before[2] + now[3] * before[3] : 1;
        for (uint32_t i = 0; i < width; i++)
            key[i] = dot < 0 ? -now[i] : now[i];
    }
    return values;
}

const float* limberi_take_key_times(const limberi_take* take, const limber_clip* clip, limberi_arena* arena) {
    float* times = LIMBERI_ALLOCATE(arena, float, take->frame_count);
    for (uint32_t f = 0; times && f < take->frame_count; f++)
        times[f] = (float)(f + 1 < take->frame_count ? limberi_take_time(take, f) : clip->end_s);
    return times;
}

static uint32_t new_channels(const limberi_take* take, const limberi_take* source, const float* times, bool* changed,
                             limberi_arena* arena, limber_channel* channels) {
    uint32_t count = 0;
    for (uint32_t j = 0; j < take->joint_count; j++)
        for (uint32_t i = 0; i < 3; i++) {
            limber_channel_path path = (limber_channel_path)i;
            changed[3 * (size_t)j + i] = is_changed(take, source, j, path);
            if (!changed[3 * (size_t)j + i])
                continue;
            limber_channel channel = {path,  LIMBER_INTERPOLATION_LINEAR,     j, take->frame_count,
                                      times, key_values(take, j, path, arena)};
            channels[count++] = channel;
        }
    return count;
}

limber_result limberi_take_to_clip(const limberi_take* take, const limberi_take* source, const limber_model* model,
                                   const limber_clip* clip, const float* times, limberi_arena* arena,
                                   limber_clip* out) {
    size_t joint_channels = 3 * (size_t)take->joint_count;
    limber_channel* channels = LIMBERI_ALLOCATE(arena, limber_channel, joint_channels + clip->channel_count);
    int32_t* of_joint = LIMBERI_ALLOCATE(arena, int32_t, joint_channels);
    int32_t* of_mesh = LIMBERI_ALLOCATE(arena, int32_t, model->mesh_count);
    bool* changed = limberi_allocate_zeroed(joint_channels + 1, sizeof *changed);
    if (!times || !changed || arena->failed) {
        limberi_release(changed);
        return LIMBER_ERROR_MEMORY;
    }
    uint32_t count = new_channels(take, source, times, changed, arena, channels);
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        const limber_channel* channel = &clip->channels[i];
        if (channel->path == LIMBER_CHANNEL_WEIGHTS || !changed[3 * (size_t)channel->target + channel->path])
            channels[count++] = *channel;
    }
    limberi_release(changed);
    *out = *clip;
    out->channels = channels;
    out->channel_count = count;
    limberi_clip_fill_tables(model, out, of_joint, of_mesh);
    return arena->failed ? LIMBER_ERROR_MEMORY : limberi_clip_derive_seams(arena, model, out);
}
