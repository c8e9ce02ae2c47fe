// limber/stages/pose.h: where every joint of a rig is at one moment.
//
// A pose is the caller's memory. Sample a clip into it (or write the local transforms yourself), then let it work out
// the world matrices:
//
//     limber_pose pose;
//     if (limber_pose_create(model, &pose) != LIMBER_OK) ...
//     limber_clip_sample(model, &model->clips[0], 0.5, &pose);
//     limber_pose_update_world(model, &pose);
//     limber_pose_destroy(&pose);
#ifndef LIMBER_STAGES_POSE_H
#define LIMBER_STAGES_POSE_H

#include <limber/asset.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limber_pose {
    limber_transform* local;       // [joint_count]
    limber_mat4* world_from_joint; // [joint_count]
    float* morph_weights;          // [model.morph_count]
} limber_pose;

LIMBER_API LIMBER_MUST_USE limber_result limber_pose_create(const limber_model* model, limber_pose* pose);
LIMBER_API void limber_pose_destroy(limber_pose* pose);

// The file's default pose: local transforms and morph weights.
LIMBER_API void limber_pose_rest(const limber_model* model, limber_pose* pose);

// Local transforms and morph weights of `clip` at `time_s`. Before the first and after the last key of a channel its
// end value holds; wrapping a loop is the caller's choice (limber_clip_wrap). `clip` may be NULL: the default pose.
LIMBER_API void limber_clip_sample(const limber_model* model, const limber_clip* clip, double time_s,
                                   limber_pose* pose);

// Brings a time into [start_s, end_s) of a looping clip; clamps it otherwise.
LIMBER_API double limber_clip_wrap(const limber_clip* clip, bool loops, double time_s);

LIMBER_API void limber_pose_update_world(const limber_model* model, limber_pose* pose);

// Where a camera is at a time of a clip (NULL: the default pose); `pose` is that of the same moment.
LIMBER_API limber_mat4 limber_camera_world(const limber_model* model, const limber_clip* clip, double time_s,
                                           const limber_pose* pose, uint32_t camera);

// Frames of a clip at a rate: start_s + i / fps, and the clip's exact end as the last one.
LIMBER_API uint32_t limber_clip_frame_count(const limber_clip* clip, double fps);
LIMBER_API double limber_clip_frame_time(const limber_clip* clip, double fps, uint32_t frame);

// The frames whose times lie in [start_s, end_s] (clip time); they keep the numbers they have in the whole clip.
typedef struct limber_frame_range {
    uint32_t first, count;
} limber_frame_range;

LIMBER_API limber_frame_range limber_clip_frames_between(const limber_clip* clip, double fps, double start_s,
                                                         double end_s);

#ifdef __cplusplus
}
#endif

#endif
