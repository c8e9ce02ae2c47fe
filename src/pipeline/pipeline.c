#include "base/error.h"
#include "motion/at.h"
#include "motion/filter.h"
#include "pipeline/pipeline_private.h"
#include "pipeline/smear.h"

#include <stdlib.h>
#include <string.h>

limber_pipeline_settings limber_pipeline_settings_default(void) {
    limber_pipeline_settings settings;
    memset(&settings, 0, sizeof settings);
    settings.skinning = LIMBER_SKINNING_LINEAR;
    settings.motion = limber_motion_settings_default();
    settings.exaggerate = limber_exaggerate_settings_default();
    settings.deform = limber_deform_settings_default();
    settings.smear = limber_smear_settings_default();
    return settings;
}

// Effects with the same filters share one filtered motion.
static void find_filters(limber_pipeline* p) {
    limber_filter_set none = limber_filter_set_none();
    for (uint32_t slot = 0; slot < limberi_slot_count(&p->settings.deform); slot++) {
        const limber_filter_set* set = &limberi_slot_settings(&p->settings.deform, slot)->filters;
        uint32_t at = 0;
        p->filter_of_slot[slot] = UINT32_MAX;
        if (limber_filter_set_equal(set, &none))
            continue;
        while (at < p->filter_count && !limber_filter_set_equal(set, &p->filters[at]))
            at++;
        p->filters[at] = *set;
        p->filter_count += at == p->filter_count;
        p->filter_of_slot[slot] = at;
    }
}

static limber_result take_memory(limber_pipeline* p) {
    const limber_model* model = p->model;
    size_t numbers = 3 * (size_t)model->vertex_count;
    bool dualquat = p->settings.skinning == LIMBER_SKINNING_DUALQUAT;
    p->palettes = LIMBERI_TAKE(&p->arena, limber_mat4*, model->skin_count);
    p->dualquats = LIMBERI_TAKE(&p->arena, limber_dualquat*, model->skin_count);
    for (uint32_t s = 0; !p->arena.failed && s < model->skin_count; s++) {
        p->palettes[s] = LIMBERI_TAKE(&p->arena, limber_mat4, model->skins[s].joint_count);
        if (dualquat)
            p->dualquats[s] = LIMBERI_TAKE(&p->arena, limber_dualquat, model->skins[s].joint_count);
    }
    p->skinned = LIMBERI_TAKE(&p->arena, float, numbers);
    p->deformed = LIMBERI_TAKE(&p->arena, float, numbers);
    p->normals = LIMBERI_TAKE(&p->arena, float, numbers);
    p->morphed_positions = LIMBERI_TAKE(&p->arena, float, model->morph_count ? numbers : 0);
    p->morphed_normals = LIMBERI_TAKE(&p->arena, float, model->morph_count ? numbers : 0);
    if (p->arena.failed || limber_pose_create(model, &p->pose) || limber_kinematics_create(model, &p->local_motion) ||
        limber_kinematics_create(model, &p->world_motion))
        return LIMBER_ERROR_MEMORY;
    for (uint32_t i = 0; i < p->filter_count; i++)
        if (limber_kinematics_create(model, &p->filtered[i]))
            return LIMBER_ERROR_MEMORY;
    return limberi_pipeline_take_groups(p);
}

limber_result limber_pipeline_create(const limber_asset* asset, const limber_pipeline_settings* settings,
                                     limber_pipeline** pipeline, limber_error* error) {
    return limberi_pipeline_create_beside(asset, settings, NULL, pipeline, error);
}

void limberi_pipeline_inherit(limber_pipeline* pipeline, limber_pipeline* from) {
    limberi_deformer_inherit(pipeline->deformer, from->deformer);
}

limber_result limberi_pipeline_create_beside(const limber_asset* asset, const limber_pipeline_settings* settings,
                                             const limber_pipeline* other, limber_pipeline** pipeline,
                                             limber_error* error) {
    *pipeline = NULL;
    if (!asset)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "a pipeline needs a character");
    limber_pipeline* made = calloc(1, sizeof *made);
    if (!made)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the pipeline");
    made->asset = asset;
    made->model = limber_asset_model(asset);
    made->settings = settings ? *settings : limber_pipeline_settings_default();
    made->track_clip = made->posed_clip = -1;
    limber_result result = limberi_pipeline_exaggerate(made, error);
    if (!result)
        result = limberi_deformer_create_beside(asset, &made->settings.deform, other ? other->deformer : NULL,
                                                &made->deformer, error);
    if (!result) {
        find_filters(made);
        result = take_memory(made);
        if (result)
            limberi_fail(error, result, "not enough memory for the pipeline");
    }
    if (result) {
        limber_pipeline_destroy(made);
        return result;
    }
    *pipeline = made;
    return LIMBER_OK;
}

void limber_pipeline_destroy(limber_pipeline* pipeline) {
    if (!pipeline)
        return;
    limber_pose_destroy(&pipeline->pose);
    limber_kinematics_destroy(&pipeline->local_motion);
    limber_kinematics_destroy(&pipeline->world_motion);
    for (uint32_t i = 0; i < pipeline->filter_count; i++) {
        limber_track_destroy(pipeline->tracks[i]);
        limber_kinematics_destroy(&pipeline->filtered[i]);
    }
    limberi_pipeline_smear_destroy(pipeline->smear);
    limber_deformer_destroy(pipeline->deformer);
    limberi_pipeline_drop_edits(pipeline);
    limberi_arena_free(&pipeline->worker_arena);
    limberi_arena_free(&pipeline->arena);
    free(pipeline);
}

const limber_asset* limber_pipeline_asset(const limber_pipeline* pipeline) {
    return pipeline->asset;
}

const float* limberi_pipeline_morphed_positions(const limber_pipeline* pipeline, const limber_mesh* mesh) {
    return mesh->morph_count ? pipeline->morphed_positions + 3 * (size_t)mesh->first_vertex : mesh->positions;
}

const float* limberi_pipeline_morphed_normals(const limber_pipeline* pipeline, const limber_mesh* mesh) {
    return mesh->morph_count ? pipeline->morphed_normals + 3 * (size_t)mesh->first_vertex : mesh->normals;
}

// Filters run over a whole clip; their results are kept until another clip is asked for.
static limber_result prepare_tracks(limber_pipeline* p, int32_t clip_index) {
    if (p->track_clip == clip_index || clip_index < 0)
        return LIMBER_OK;
    p->track_clip = -1;
    for (uint32_t i = 0; i < p->filter_count; i++) {
        limber_track_destroy(p->tracks[i]);
        p->tracks[i] = NULL;
        limber_result result = limber_track_create(p->model, &p->model->clips[clip_index], &p->settings.motion,
                                                   &p->filters[i], &p->tracks[i], NULL);
        if (result)
            return result;
    }
    p->track_clip = clip_index;
    return LIMBER_OK;
}

void limberi_pipeline_move(limber_pipeline* p, const limber_clip* clip, double time_s) {
    const limber_model* model = p->model;
    limber_pose_update_world(model, &p->pose);
    const limber_pose* skin_pose = limberi_pipeline_skin_pose(p, clip, time_s);
    for (uint32_t s = 0; s < model->skin_count; s++) {
        limber_skin_palette(&model->skins[s], skin_pose, p->palettes[s]);
        if (p->dualquats[s])
            limber_skin_dualquats(p->palettes[s], model->skins[s].joint_count, p->dualquats[s]);
    }
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        size_t at = 3 * (size_t)mesh->first_vertex;
        if (mesh->morph_count)
            limber_mesh_morph(mesh, p->pose.morph_weights + mesh->first_morph, p->morphed_positions + at,
                              p->morphed_normals + at);
    }
}

// The local transforms of p->pose are those of `time_s`.
static void pose_joints(limber_pipeline* p, int32_t clip_index, double time_s) {
    const limber_clip* clip = clip_index < 0 ? NULL : &p->model->clips[clip_index];
    limberi_pipeline_move(p, clip, time_s);
    p->posed_clip = clip_index < 0 ? -1 : clip_index;
    p->posed_time_s = time_s;
    p->posed_live = NULL;
    p->posed_filtered = false;
}

static const double live_fps = 30; // what formulas of `frame` count in where there is no clip

limber_deform_job limberi_pipeline_job(const limber_pipeline* p) {
    limber_deform_job job;
    memset(&job, 0, sizeof job);
    const limber_clip* clip = p->posed_clip < 0 ? NULL : &p->model->clips[p->posed_clip];
    double duration = clip ? clip->end_s - clip->start_s : 0;
    job.time_s = clip ? p->posed_time_s - clip->start_s : p->posed_live ? p->posed_time_s : 0;
    job.frame = job.time_s * (clip ? clip->fps : live_fps);
    job.phase = duration > 0 ? job.time_s / duration : 0;
    job.pose = &p->pose;
    job.plain_motion = &p->world_motion;
    for (uint32_t slot = 0; slot < limberi_slot_count(&p->settings.deform); slot++) {
        uint32_t at = p->filter_of_slot[slot];
        job.motion[slot] = p->posed_filtered && at != UINT32_MAX ? &p->filtered[at] : &p->world_motion;
    }
    return job;
}

limber_result limber_pipeline_pose(limber_pipeline* p, int32_t clip_index, double time_s) {
    const limber_model* model = p->model;
    if (clip_index >= (int32_t)model->clip_count)
        return LIMBER_ERROR_ARGUMENT;
    const limber_clip* clip = clip_index < 0 ? NULL : &model->clips[clip_index];
    limber_result result = prepare_tracks(p, clip_index);
    if (result)
        return result;
    limberi_motion_at(model, clip, &p->settings.motion, time_s, &p->pose, &p->local_motion);
    pose_joints(p, clip_index, time_s);
    uint32_t filters = clip ? p->filter_count : 0;
    limberi_to_world motions[1 + LIMBERI_SLOTS];
    for (uint32_t i = 0; i < filters; i++) {
        limberi_track_apply(p->tracks[i], time_s, &p->local_motion, &p->filtered[i]);
        motions[1 + i].in = motions[1 + i].out = &p->filtered[i];
    }
    motions[0].in = &p->local_motion;
    motions[0].out = &p->world_motion;
    limberi_motions_to_world(model, &p->pose, motions, 1 + filters);
    p->posed_filtered = clip != NULL;
    return LIMBER_OK;
}

void limber_pipeline_run(limber_pipeline* p, limber_frame* frame) {
    limber_deform_job job = limberi_pipeline_job(p);
    limberi_pipeline_run_groups(p, &job);
    frame->time_s = p->posed_time_s;
    frame->pose = &p->pose;
    frame->motion = &p->world_motion;
    frame->skinned = p->outputs & LIMBER_OUTPUT_SKINNED ? p->skinned : NULL;
    frame->positions = p->deformed;
    frame->normals = p->outputs & LIMBER_OUTPUT_NORMALS ? p->normals : NULL;
}

limber_result limber_pipeline_evaluate(limber_pipeline* p, int32_t clip_index, double time_s, limber_frame* frame) {
    limber_result result = limber_pipeline_pose(p, clip_index, time_s);
    if (!result)
        limber_pipeline_run(p, frame);
    return result;
}

static void scale_motion(limber_vec3* out, const limber_vec3* in, uint32_t count, float amount) {
    for (uint32_t i = 0; i < count; i++) {
        out[i].x = in[i].x * amount;
        out[i].y = in[i].y * amount;
        out[i].z = in[i].z * amount;
    }
}

limber_result limber_pipeline_evaluate_fake(limber_pipeline* p, int32_t clip_index, double time_s,
                                            const limber_kinematics* motion, float amount, limber_frame* frame) {
    if (clip_index >= (int32_t)p->model->clip_count)
        return LIMBER_ERROR_ARGUMENT;
    limber_clip_sample(p->model, clip_index < 0 ? NULL : &p->model->clips[clip_index], time_s, &p->pose);
    pose_joints(p, clip_index, time_s);
    uint32_t joints = p->model->rig.joint_count;
    scale_motion(p->world_motion.velocity, motion->velocity, joints, amount);
    scale_motion(p->world_motion.acceleration, motion->acceleration, joints, amount);
    scale_motion(p->world_motion.angular_velocity, motion->angular_velocity, joints, amount);
    scale_motion(p->world_motion.angular_acceleration, motion->angular_acceleration, joints, amount);
    limber_pipeline_run(p, frame);
    return LIMBER_OK;
}

bool limber_pipeline_cone(const limber_pipeline* pipeline, limber_cone* cone, float* residual) {
    return limber_deformer_cone(pipeline->deformer, cone, residual);
}
