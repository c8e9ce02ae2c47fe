// A moment of a clip: first the joints (pose, motion, filters), then the vertices.
#include "base/math.h"
#include "motion/kinematics.h"
#include "motion/time_filter.h"
#include "pipeline/pipeline_private.h"

#include <string.h>

static limber_result prepare_contacts(limber_pipeline* p, int32_t clip_index) {
    p->contacts = NULL;
    p->live_contacts = NULL;
    return clip_index < 0 ? LIMBER_OK : limber_pipeline_contacts(p, (uint32_t)clip_index, &p->contacts);
}

void limberi_pipeline_weld_normals(limber_pipeline* p) {
    for (uint32_t m = 0; m < p->model->mesh_count; m++) {
        const limber_mesh* mesh = &p->model->meshes[m];
        memcpy(p->lift_normals + 3 * (size_t)mesh->first_vertex, limberi_pipeline_morphed_normals(p, mesh),
               3 * (size_t)mesh->vertex_count * sizeof(float));
    }
    limberi_split_weld(limberi_deform_split(p->deformer), p->lift_normals);
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
    if (p->lift_normals && model->morph_count)
        limberi_pipeline_weld_normals(p);
}

// The local transforms of p->pose are those of `time_s`.
static void pose_joints(limber_pipeline* p, int32_t clip_index, double time_s) {
    const limber_clip* clip = clip_index < 0 ? NULL : &p->model->clips[clip_index];
    limberi_pipeline_move(p, clip, time_s);
    p->posed_clip = clip_index < 0 ? -1 : clip_index;
    p->posed_time_s = time_s;
    p->posed_live = NULL;
    p->live_acting = NULL;
    p->posed_filtered = p->posed_what_if = false;
    p->posed_by_program = true;
    limberi_pipeline_clear_morph_rates(p);
}

static const double live_fps = 30; // what formulas of `frame` count in where there is no clip

limber_deform_job limberi_pipeline_job(const limber_pipeline* p) {
    limber_deform_job job = limber_deform_job_default();
    const limber_clip* clip = p->posed_clip < 0 ? NULL : &p->model->clips[p->posed_clip];
    double duration = clip ? clip->end_s - clip->start_s : 0;
    job.time_s = p->posed_live ? p->posed_time_s : 0;
    if (clip)
        job.time_s = p->posed_time_s - clip->start_s;
    job.frame = job.time_s * (clip ? clip->fps : live_fps);
    job.phase = duration > 0 ? job.time_s / duration : 0;
    job.pose = &p->pose;
    job.plain_motion = p->plain_unread && p->posed_filtered ? NULL : &p->world_motion;
    for (uint32_t slot = 0; slot < limberi_slot_count(&p->settings.deform); slot++) {
        uint32_t at = p->filter_of_slot[slot];
        bool follows = p->posed_what_if && at != UINT32_MAX && p->filters[at].set.follower.frequency_hz > 0;
        job.motion[slot] = (p->posed_filtered && at != UINT32_MAX) || follows ? &p->filtered[at] : &p->world_motion;
        if (!p->posed_filtered && at != UINT32_MAX && p->filters[at].set.derivative)
            job.motion[slot] = NULL; // nobody knows how a frozen pose goes on
        if (p->posed_filtered && (p->whole >> slot & 1) && (p->whole & ((1u << slot) - 1)))
            job.motion[slot] = NULL;
    }
    job.gated = p->posed_filtered ? ~0u : 0;
    return job;
}

// The plain motion of a filter's effects.
static const limber_kinematics* motion_in_air(limber_pipeline* p, uint32_t filter, const limber_clip* clip,
                                              double time_s) {
    uint32_t joints = p->model->rig.joint_count;
    if (!p->air || !p->filters[filter].set.air)
        return &p->local_motion;
    limberi_moment at = limberi_moment_of(clip, time_s - clip->start_s);
    limberi_air_find(p->air, p->filters[filter].set.air, &at, &p->pose, &p->air_only);
    limberi_kinematics_copy(&p->local_motion, joints, &p->aired);
    limberi_air_add(p->model, &p->air_only, &p->aired);
    return &p->aired;
}

// Whether something of the plain motion of a clip stays in what effects see.
static bool needs_plain(const limber_pipeline* p) {
    bool needed = !p->plain_unread;
    for (uint32_t i = 0; i < p->filter_count; i++)
        needed = needed || !limberi_track_replaces(p->tracks[i]);
    return needed;
}

// The local transforms of the pose, and as much of the plain motion as is needed.
static void sample_joints(limber_pipeline* p, const limber_clip* clip, double time_s) {
    if (!clip || needs_plain(p)) {
        limberi_motion_at(p->model, clip, &p->settings.motion, time_s, &p->pose, &p->local_motion);
        return;
    }
    limber_clip_sample(p->model, clip, time_s, &p->pose);
    limberi_kinematics_clear(p->model->rig.joint_count, &p->local_motion);
}

limber_result limberi_pipeline_evaluate_joints_at(limber_pipeline* p, int32_t clip_index, double time_s) {
    const limber_model* model = p->model;
    const limber_clip* clip = clip_index < 0 ? NULL : &model->clips[clip_index];
    limber_result result = limberi_pipeline_prepare_tracks(p, clip_index);
    if (!result)
        result = prepare_contacts(p, clip_index);
    if (result)
        return result;
    sample_joints(p, clip, time_s);
    pose_joints(p, clip_index, time_s);
    if (p->morph_rates && clip) {
        limberi_morph_rates(model, clip, &p->settings.motion, time_s, p->morph_scratch, p->morph_rates);
        limber_deform_job job = limberi_pipeline_job(p);
        limberi_pipeline_drag_morphs(p, (double)limberi_deform_strength(p->deformer, &job));
    }
    uint32_t filters = clip ? p->filter_count : 0;
    limberi_to_world motions[1 + LIMBERI_SLOTS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < filters; i++) {
        limberi_track_apply(p->tracks[i], time_s, motion_in_air(p, i, clip, time_s), &p->filtered[i]);
        motions[count++] = (limberi_to_world){&p->filtered[i], &p->filtered[i]};
    }
    if (!clip || !p->plain_unread)
        motions[count++] = (limberi_to_world){&p->local_motion, &p->world_motion};
    limberi_motions_to_world(model, &p->pose, motions, count);
    p->posed_filtered = clip != NULL;
    return LIMBER_OK;
}

limber_result limber_pipeline_evaluate_joints(limber_pipeline* p, int32_t clip_index, double time_s) {
    if (clip_index >= (int32_t)p->model->clip_count)
        return LIMBER_ERROR_ARGUMENT;
    limber_result result = limberi_pipeline_hold(p, clip_index, &time_s);
    return result ? result : limberi_pipeline_evaluate_joints_at(p, clip_index, time_s);
}

void limber_pipeline_evaluate_vertices(limber_pipeline* p, limber_frame* frame) {
    limber_deform_job job = limberi_pipeline_job(p);
    limberi_pipeline_run_groups(p, &job);
    memset(frame, 0, sizeof *frame);
    frame->time_s = p->posed_time_s;
    frame->pose = &p->pose;
    frame->motion = &p->world_motion;
    frame->skinned = p->outputs & LIMBER_OUTPUT_SKINNED ? p->skinned : NULL;
    frame->positions = p->deformed;
    frame->normals = p->outputs & LIMBER_OUTPUT_NORMALS ? p->normals : NULL;
}

limber_result limberi_pipeline_evaluate_at(limber_pipeline* p, int32_t clip_index, double time_s, limber_frame* frame) {
    limber_result result = limberi_pipeline_evaluate_joints_at(p, clip_index, time_s);
    if (!result)
        limber_pipeline_evaluate_vertices(p, frame);
    return result;
}

limber_result limber_pipeline_evaluate(limber_pipeline* p, int32_t clip_index, double time_s, limber_frame* frame) {
    limber_result result = limber_pipeline_evaluate_joints(p, clip_index, time_s);
    if (!result)
        limber_pipeline_evaluate_vertices(p, frame);
    return result;
}

static void scale_motion(limber_vec3* out, const limber_vec3* in, uint32_t count, float amount) {
    for (uint32_t i = 0; i < count; i++) {
        out[i].x = in[i].x * amount;
        out[i].y = in[i].y * amount;
        out[i].z = in[i].z * amount;
    }
}

// Where a follower ends up in a motion that goes on like this: it lags by 2 d / w of the turn, and by 1 / w^2 of the
// accelerations.
static void follow_steadily(limber_pipeline* p, uint32_t filter, const limberi_moment* at) {
    limber_filter_set set = limberi_filters_at(&p->filters[filter], at);
    const limber_follower* f = &set.follower;
    const limber_kinematics* in = &p->world_motion;
    limber_kinematics* out = &p->filtered[filter];
    float w = (float)(2 * LIMBERI_PI * f->frequency_hz);
    float of_turn = 2 * (float)f->damping / w;
    for (uint32_t j = 0; j < p->model->rig.joint_count; j++) {
        out->velocity[j] = in->velocity[j];
        out->angular_velocity[j] = in->angular_velocity[j];
        out->acceleration[j] = limberi_scale(in->acceleration[j], 1 / (w * w));
        out->angular_acceleration[j] = limberi_add(limberi_scale(in->angular_acceleration[j], 1 / (w * w)),
                                                   limberi_scale(in->angular_velocity[j], of_turn));
    }
}

limber_result limber_pipeline_evaluate_what_if(limber_pipeline* p, int32_t clip_index, double time_s,
                                               const limber_kinematics* motion, float amount, limber_frame* frame) {
    if (clip_index >= (int32_t)p->model->clip_count)
        return LIMBER_ERROR_ARGUMENT;
    limber_result result = clip_index < 0 ? LIMBER_OK : limberi_pipeline_perform(p, (uint32_t)clip_index);
    if (!result)
        result = limberi_pipeline_hold(p, clip_index, &time_s);
    if (!result)
        result = prepare_contacts(p, clip_index);
    if (result)
        return result;
    limber_clip_sample(p->model, clip_index < 0 ? NULL : &p->model->clips[clip_index], time_s, &p->pose);
    pose_joints(p, clip_index, time_s);
    const limber_clip* clip = clip_index < 0 ? NULL : &p->model->clips[clip_index];
    limberi_moment at = limberi_moment_of(clip, clip ? time_s - clip->start_s : time_s);
    uint32_t joints = p->model->rig.joint_count;
    scale_motion(p->world_motion.velocity, motion->velocity, joints, amount);
    scale_motion(p->world_motion.acceleration, motion->acceleration, joints, amount);
    scale_motion(p->world_motion.angular_velocity, motion->angular_velocity, joints, amount);
    scale_motion(p->world_motion.angular_acceleration, motion->angular_acceleration, joints, amount);
    for (uint32_t i = 0; i < p->filter_count; i++)
        if (p->filters[i].set.follower.frequency_hz > 0)
            follow_steadily(p, i, &at);
    p->posed_what_if = true;
    limber_pipeline_evaluate_vertices(p, frame);
    return LIMBER_OK;
}
