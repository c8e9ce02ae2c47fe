// Poses of a clip at any time, and the times of its frames.
#include "asset/asset.h"
#include "asset/moments.h"
#include "base/math.h"
#include "base/memory.h"
#include <limber/stages/pose.h>

#include <string.h>

_Static_assert((int)LIMBERI_POSES <= (int)LIMBERI_MAX_MOMENTS, "poses are sampled at moments");

limber_result limber_pose_create(const limber_model* model, limber_pose* pose) {
    size_t joints = model->rig.joint_count ? model->rig.joint_count : 1;
    size_t weights = model->morph_count ? model->morph_count : 1;
    pose->local = limberi_allocate_zeroed(joints, sizeof *pose->local);
    pose->world_from_joint = limberi_allocate_zeroed(joints, sizeof *pose->world_from_joint);
    pose->morph_weights = limberi_allocate_zeroed(weights, sizeof *pose->morph_weights);
    if (!pose->local || !pose->world_from_joint || !pose->morph_weights) {
        limber_pose_destroy(pose);
        return LIMBER_ERROR_MEMORY;
    }
    limber_pose_rest(model, pose);
    limber_pose_update_world(model, pose);
    return LIMBER_OK;
}

void limber_pose_destroy(limber_pose* pose) {
    if (!pose)
        return;
    limberi_release(pose->local);
    limberi_release(pose->world_from_joint);
    limberi_release(pose->morph_weights);
    memset(pose, 0, sizeof *pose);
}

void limberi_poses_destroy(limber_pose* poses) {
    for (int i = 0; i < LIMBERI_POSES; i++)
        limber_pose_destroy(&poses[i]);
}

limber_result limberi_poses_create(const limber_model* model, limber_pose* poses) {
    limber_result result = LIMBER_OK;
    memset(poses, 0, LIMBERI_POSES * sizeof *poses);
    for (int i = 0; !result && i < LIMBERI_POSES; i++)
        result = limber_pose_create(model, &poses[i]);
    if (result)
        limberi_poses_destroy(poses);
    return result;
}

void limber_pose_rest(const limber_model* model, limber_pose* pose) {
    if (model->rig.joint_count)
        memcpy(pose->local, model->rig.rest_local, model->rig.joint_count * sizeof *pose->local);
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        for (uint32_t i = 0; i < mesh->morph_count; i++)
            pose->morph_weights[mesh->first_morph + i] = mesh->morph_defaults ? mesh->morph_defaults[i] : 0.0f;
    }
}

void limberi_clip_sample_some(const limber_model* model, const limber_clip* clip, const double* times_s, uint32_t count,
                              limber_pose* poses) {
    limberi_visit visit;
    for (uint32_t i = 0; i < count; i++)
        limber_pose_rest(model, &poses[i]);
    if (!clip)
        return;
    limberi_visit_start(&visit);
    memcpy(visit.moments.time_s, times_s, count * sizeof *times_s);
    visit.moments.count = count;
    visit.poses = poses;
    visit.pose_count = count;
    limberi_clip_visit(model, clip, &visit);
}

void limber_clip_sample(const limber_model* model, const limber_clip* clip, double time_s, limber_pose* pose) {
    limberi_clip_sample_some(model, clip, &time_s, 1, pose);
}

void limber_pose_update_world(const limber_model* model, limber_pose* pose) {
    for (uint32_t j = 0; j < model->rig.joint_count; j++) {
        limber_mat4* world = &pose->world_from_joint[j];
        int32_t parent = model->rig.parents[j];
        *world = limberi_mat4_from_transform(&pose->local[j]);
        if (parent >= 0)
            limberi_mat4_multiply(&pose->world_from_joint[parent], world, world);
    }
}

double limber_clip_wrap(const limber_clip* clip, bool loops, double time_s) {
    double duration = clip->end_s - clip->start_s;
    if (!isfinite(time_s) || !(duration > 0))
        return clip->start_s;
    if (!loops)
        return fmin(fmax(time_s, clip->start_s), clip->end_s);
    double turns = floor((time_s - clip->start_s) / duration);
    double wrapped = time_s - turns * duration;
    return wrapped < clip->start_s || wrapped >= clip->end_s ? clip->start_s : wrapped;
}

// A frame closer than this part of a frame to the clip's end is the end.
static const double frame_snap = 1e-3;

uint32_t limber_clip_frame_count(const limber_clip* clip, double fps) {
    double duration = clip->end_s - clip->start_s;
    double whole = duration > 0 && fps > 0 ? floor(duration * fps + frame_snap) : 0;
    bool rest = fps > 0 && (clip->end_s - clip->start_s) * fps - whole > frame_snap;
    double count = whole + 1 + (rest ? 1 : 0);
    return count < 4e9 ? (uint32_t)count : 4000000000u;
}

double limber_clip_frame_time(const limber_clip* clip, double fps, uint32_t frame) {
    if (frame > 0 && frame + 1 >= limber_clip_frame_count(clip, fps))
        return clip->end_s;
    return clip->start_s + (fps > 0 ? frame / fps : 0);
}

limber_frame_range limber_clip_frames_between(const limber_clip* clip, double fps, double start_s, double end_s) {
    uint32_t count = limber_clip_frame_count(clip, fps);
    limber_frame_range range = {0, 0};
    double snap = fps > 0 ? frame_snap / fps : 0;
    double skip = fps > 0 ? ceil((start_s - clip->start_s) * fps - frame_snap) : 0;
    range.first = (uint32_t)fmin(fmax(skip, 0), count);
    // The last frame may come early, so a start just before it can skip one too many.
    while (range.first > 0 && limber_clip_frame_time(clip, fps, range.first - 1) >= start_s - snap)
        range.first--;
    double reach = fps > 0 ? floor((end_s - clip->start_s) * fps + frame_snap) : 0;
    uint32_t end = count;
    if (reach + 1 < count)
        end = reach < 0 ? 0 : (uint32_t)reach + 1;
    if (end < count && limber_clip_frame_time(clip, fps, end) <= end_s + snap)
        end++;
    range.count = end > range.first ? end - range.first : 0;
    return range;
}
