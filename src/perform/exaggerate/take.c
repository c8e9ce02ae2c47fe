// A clip as plain numbers: every joint at every frame of a steady rate.
#include "perform/exaggerate/take.h"

#include "base/error.h"
#include "base/math.h"

#include <stdlib.h>
#include <string.h>

static const double max_samples = 16777216; // joints times frames: 0.7 GB a copy
static const double cut_move = 0.02;        // of L: less is no jump
static const double cut_ratio = 4;          // and this many times as far as in the frames beside it
static const double cut_share = 0.3;        // of the joints

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

uint32_t limberi_take_segment(const limberi_take* take, uint32_t frame) {
    uint32_t segment = 0;
    while (segment + 1 < take->segment_count && frame >= take->segments[segment + 1])
        segment++;
    return segment;
}

limberi_between limberi_take_between(const limberi_take* take, uint32_t frame, double time_s) {
    uint32_t segment = limberi_take_segment(take, frame);
    double low = take->segments[segment], high = (double)take->segments[segment + 1] - 1;
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
