// limber/stages/pose.h: where every joint of a rig is at one moment.
//
// Sample a clip into a pose, or write its local transforms yourself, then compute the world matrices:
//
//     limber_pose pose;
//     if (limber_pose_create(model, &pose) != LIMBER_OK)
//         return 1;
//     limber_clip_sample(model, &model->clips[0], 0.5, &pose);
//     limber_pose_update_world(model, &pose);
//     printf("joint 0 is at height %g\n", pose.world_from_joint[0].m[13]);
//     limber_pose_destroy(&pose);
#ifndef LIMBER_STAGES_POSE_H
#define LIMBER_STAGES_POSE_H

#include <limber/asset.h>

#ifdef __cplusplus
extern "C" {
#endif

// Where every joint is, and the morph weights of all meshes.
typedef struct limber_pose {
    limber_transform* local;       // [joint_count]
    limber_mat4* world_from_joint; // [joint_count]
    float* morph_weights;          // [model.morph_count]
} limber_pose;

// Allocates the arrays and fills them with the default pose.
LIMBER_API LIMBER_MUST_USE limber_result limber_pose_create(const limber_model* model, limber_pose* pose);
LIMBER_API void limber_pose_destroy(limber_pose* pose);

// The file's default pose: local transforms and morph weights.
LIMBER_API void limber_pose_rest(const limber_model* model, limber_pose* pose);

// Local transforms and morph weights of `clip` at `time_s`; NULL: the default pose. Before the first and after the last
// key of a channel its end value holds; use limber_clip_wrap to repeat a loop. A loop that travels starts in its first
// place again.
LIMBER_API void limber_clip_sample(const limber_model* model, const limber_clip* clip, double time_s,
                                   limber_pose* pose);

// Wraps a time into [start_s, end_s) of a looping clip; clamps it to [start_s, end_s] otherwise.
LIMBER_API double limber_clip_wrap(const limber_clip* clip, bool loops, double time_s);

// World matrices from local transforms.
LIMBER_API void limber_pose_update_world(const limber_model* model, limber_pose* pose);

// The world matrix of a camera at a time of a clip (NULL: the default pose). `pose` must be the pose of that moment.
LIMBER_API limber_mat4 limber_camera_world(const limber_model* model, const limber_clip* clip, double time_s,
                                           const limber_pose* pose, uint32_t camera);

#ifdef __cplusplus
}
#endif

#endif
