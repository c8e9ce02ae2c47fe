// The frames of a bone bake, from the pipeline or from memory, and how a player will skin them.
#include "base/error.h"
#include "base/math.h"
#include "pipeline/bake_bones.h"
#include "skin/kernels.h"

#include <string.h>

enum { VERTICES_PER_TASK = 1024 };

// --- frames ---

static void find_frame(const limberi_bone_bake* b, uint32_t frame, uint32_t* track, uint32_t* index) {
    *track = 0;
    while (frame >= b->bake->tracks[*track].frame_count)
        frame -= b->bake->tracks[(*track)++].frame_count;
    *index = frame;
}

static void remember(limberi_bone_bake* b, uint32_t frame, double time_s, const limber_clip* clip) {
    size_t joints = b->model->rig.joint_count;
    const limber_pose* skin = limberi_pipeline_skin_pose(b->pipeline, clip, time_s);
    memcpy(b->world + frame * joints, b->pipeline->pose.world_from_joint, joints * sizeof *b->world);
    memcpy(b->skin_world + frame * joints, skin->world_from_joint, joints * sizeof *b->world);
}

static limber_result evaluate(limberi_bone_bake* b, uint32_t frame, uint32_t track, uint32_t index, bool first) {
    const limber_clip* clip = &b->model->clips[b->bake->tracks[track].clip];
    size_t numbers = 3 * (size_t)b->model->vertex_count;
    double time_s = (double)b->bake->tracks[track].times[index];
    limber_smeared smeared;
    limber_result result = limber_pipeline_evaluate_smeared(b->pipeline, (int32_t)b->bake->tracks[track].clip, time_s,
                                                            limberi_bake_rate(b->settings, clip), &smeared);
    if (result)
        return result;
    b->shown[frame] = limberi_bake_shows(b->settings, time_s);
    if (first) {
        remember(b, frame, time_s, clip);
        result = limberi_smear_bake_collect(&b->smears, frame, &smeared, b->shown[frame]);
    }
    memcpy(b->wanted, smeared.frame.positions, numbers * sizeof(float));
    if (!b->shown[frame]) {
        limberi_bone_bake_pose(b, frame, false);
        for (uint32_t m = 0; m < b->model->mesh_count; m++)
            limberi_bone_bake_skin(b, m, limberi_pipeline_morphed_positions(b->pipeline, &b->model->meshes[m]),
                                   b->wanted + 3 * (size_t)b->model->meshes[m].first_vertex);
    }
    if (!result && frame == b->cached && frame < b->cache_count) {
        memcpy(b->cache + frame * numbers, b->wanted, numbers * sizeof(float));
        b->cached++;
    }
    return result;
}

static limber_result step(limberi_bone_bake* b) {
    uint32_t done = b->progress < b->progress_total ? b->progress++ : b->progress_total;
    if (b->settings->progress && !b->settings->progress(b->settings->user, done, b->progress_total))
        return limberi_fail(b->error, LIMBER_ERROR_ARGUMENT, "the bake was stopped");
    return LIMBER_OK;
}

limber_result limberi_bone_bake_frame(limberi_bone_bake* b, uint32_t frame, uint32_t* track, uint32_t* index) {
    find_frame(b, frame, track, index);
    limber_result result = step(b);
    if (result || frame >= b->cached)
        return result ? result : evaluate(b, frame, *track, *index, false);
    size_t numbers = 3 * (size_t)b->model->vertex_count;
    memcpy(b->wanted, b->cache + frame * numbers, numbers * sizeof(float));
    return LIMBER_OK;
}

// --- skinning ---

static limber_mat4 to_matrix(const limberi_affine* a) {
    limber_mat4 m = limber_mat4_identity();
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            m.m[4 * c + r] = (float)a->m[4 * r + c];
    return m;
}

void limberi_bone_bake_pose(limberi_bone_bake* b, uint32_t frame, bool bones) {
    const limber_mat4* world = (bones ? b->world : b->skin_world) + (size_t)frame * b->model->rig.joint_count;
    const limberi_affine* local = bones ? b->local + (size_t)frame * b->bones.slot_count : NULL;
    for (uint32_t m = 0; m < b->model->mesh_count; m++) {
        limberi_bone_mesh* mesh = &b->bones.meshes[m];
        for (uint32_t k = 0; k < mesh->bind_count; k++) {
            uint32_t slot = mesh->slots[k];
            limber_mat4 place = world[limberi_bone_bake_joint(b, slot)], added;
            if (bones) {
                added = to_matrix(&local[slot]);
                place = limberi_mat4_mul(&place, &added);
            }
            mesh->palette[k] = limberi_mat4_mul(&place, &mesh->joint_from_mesh[k]);
        }
    }
}

static void skin_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    (void)worker;
    limberi_skin_linear(user, first, end);
}

void limberi_bone_bake_skin(limberi_bone_bake* b, uint32_t m, const float* positions, float* out) {
    limberi_bone_mesh* mesh = &b->bones.meshes[m];
    limber_skin_job job = limber_skin_job_default();
    job.mesh = &mesh->mesh;
    job.palette = mesh->palette;
    job.palette_count = mesh->bind_count;
    job.positions = positions;
    job.out_positions = out;
    limberi_pipeline_for(b->pipeline, mesh->mesh.vertex_count, VERTICES_PER_TASK, skin_some, &job);
}

// --- the first pass ---

limber_result limberi_bone_bake_collect(limberi_bone_bake* b) {
    uint32_t track, index;
    limber_result result = LIMBER_OK;
    for (uint32_t f = 0; !result && f < b->frame_count; f++) {
        find_frame(b, f, &track, &index);
        result = step(b);
        if (!result)
            result = evaluate(b, f, track, index, true);
    }
    return result;
}
