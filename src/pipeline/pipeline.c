#include "base/error.h"
#include "pipeline/pipeline_private.h"

#include <stdlib.h>
#include <string.h>

limber_pipeline_settings limber_pipeline_settings_default(void) {
    limber_pipeline_settings settings;
    settings.skinning = LIMBER_SKINNING_LINEAR;
    settings.motion = limber_motion_settings_default();
    return settings;
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
    p->normals = LIMBERI_TAKE(&p->arena, float, numbers);
    p->morphed_positions = LIMBERI_TAKE(&p->arena, float, model->morph_count ? numbers : 0);
    p->morphed_normals = LIMBERI_TAKE(&p->arena, float, model->morph_count ? numbers : 0);
    if (p->arena.failed || limber_pose_create(model, &p->pose) || limber_kinematics_create(model, &p->local_motion) ||
        limber_kinematics_create(model, &p->world_motion))
        return LIMBER_ERROR_MEMORY;
    return LIMBER_OK;
}

limber_result limber_pipeline_create(const limber_asset* asset, const limber_pipeline_settings* settings,
                                     limber_pipeline** pipeline, limber_error* error) {
    *pipeline = NULL;
    if (!asset)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "a pipeline needs a character");
    limber_pipeline* made = calloc(1, sizeof *made);
    if (!made)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the pipeline");
    made->model = limber_asset_model(asset);
    made->settings = settings ? *settings : limber_pipeline_settings_default();
    if (take_memory(made)) {
        limber_pipeline_destroy(made);
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the pipeline");
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
    limberi_arena_free(&pipeline->arena);
    free(pipeline);
}

const float* limberi_pipeline_morphed_positions(const limber_pipeline* pipeline, const limber_mesh* mesh) {
    return mesh->morph_count ? pipeline->morphed_positions + 3 * (size_t)mesh->first_vertex : mesh->positions;
}

const float* limberi_pipeline_morphed_normals(const limber_pipeline* pipeline, const limber_mesh* mesh) {
    return mesh->morph_count ? pipeline->morphed_normals + 3 * (size_t)mesh->first_vertex : mesh->normals;
}

static limber_result skin_mesh(limber_pipeline* p, const limber_mesh* mesh) {
    size_t at = 3 * (size_t)mesh->first_vertex;
    if (mesh->morph_count)
        limber_mesh_morph(mesh, p->pose.morph_weights + mesh->first_morph, p->morphed_positions + at,
                          p->morphed_normals + at);
    limber_skin_job job = limber_skin_job_default();
    job.mesh = mesh;
    job.skinning = p->settings.skinning;
    job.palette = p->palettes[mesh->skin];
    job.dualquats = p->dualquats[mesh->skin];
    job.palette_count = p->model->skins[mesh->skin].joint_count;
    job.positions = limberi_pipeline_morphed_positions(p, mesh);
    job.normals = limberi_pipeline_morphed_normals(p, mesh);
    job.out_positions = p->skinned + at;
    job.out_normals = p->normals + at;
    return limber_skin_run(&job);
}

limber_result limber_pipeline_evaluate(limber_pipeline* p, int32_t clip_index, double time_s, limber_frame* frame) {
    const limber_model* model = p->model;
    if (clip_index >= (int32_t)model->clip_count)
        return LIMBER_ERROR_ARGUMENT;
    const limber_clip* clip = clip_index < 0 ? NULL : &model->clips[clip_index];
    limber_clip_sample(model, clip, time_s, &p->pose);
    limber_pose_update_world(model, &p->pose);
    limber_motion_from_clip(model, clip, &p->settings.motion, time_s, &p->local_motion);
    limber_motion_to_world(model, &p->pose, &p->local_motion, &p->world_motion);
    for (uint32_t s = 0; s < model->skin_count; s++) {
        limber_skin_palette(&model->skins[s], &p->pose, p->palettes[s]);
        if (p->dualquats[s])
            limber_skin_dualquats(p->palettes[s], model->skins[s].joint_count, p->dualquats[s]);
    }
    limber_result result = LIMBER_OK;
    for (uint32_t m = 0; !result && m < model->mesh_count; m++)
        result = skin_mesh(p, &model->meshes[m]);
    frame->time_s = time_s;
    frame->pose = &p->pose;
    frame->motion = &p->world_motion;
    frame->skinned = p->skinned;
    frame->positions = p->skinned;
    frame->normals = p->normals;
    return result;
}
