// The first stage of the pipeline: the clips are edited once, on creation, and all later stages see the edited ones
// through the pipeline's own copy of the model.
#include "base/error.h"
#include "motion/kinematics.h"
#include "perform/performance.h"
#include "pipeline/pipeline_private.h"

#include <stdlib.h>
#include <string.h>

static void hold_standing(const void* contacts, double time_s, float* holds) {
    (void)limber_contacts_evaluate(contacts, time_s, holds, NULL);
}

void limber_exaggerate_hold_contacts(limber_exaggerate_settings* settings, const limber_contacts* contacts) {
    settings->hold = contacts ? hold_standing : NULL;
    settings->hold_user = contacts;
}

// Contacts are those of the clip as it came, and `clip` may show another time of it.
typedef struct retimed_contacts {
    const limber_contacts* contacts;
    const limberi_performance* performance; // NULL: no other time
} retimed_contacts;

static void hold_retimed(const void* user, double time_s, float* holds) {
    const retimed_contacts* r = user;
    double source_s = r->performance ? limberi_performance_source(r->performance, time_s) : time_s;
    (void)limber_contacts_evaluate(r->contacts, source_s, holds, NULL);
}

// What stands stays.
static limber_result edit_clip(limber_pipeline* p, uint32_t index, limber_error* error) {
    const limber_clip* clip = &p->model->clips[index];
    limber_exaggerate_settings settings = p->settings.exaggerate;
    retimed_contacts ground = {NULL, p->performed ? p->performed[index] : NULL};
    if (p->settings.contacts.strength > 0 && limber_pipeline_contacts(p, index, &ground.contacts))
        return limberi_fail_memory(error);
    settings.hold = ground.contacts ? hold_retimed : NULL;
    settings.hold_user = &ground;
    settings.stiff = p->rigid ? limberi_rigid_stiff_joints(p->rigid) : NULL;
    settings.props = p->rigid ? limberi_rigid_props(p->rigid) : NULL;
    return limber_exaggerate(p->model, clip, 0, &settings, &p->edited[index], error);
}

limber_result limberi_pipeline_exaggerate(limber_pipeline* p, limber_error* error) {
    const limber_model* model = p->model;
    if (!limber_exaggerate_is_on(&p->settings.exaggerate) || !model->clip_count)
        return LIMBER_OK;
    limber_clip* clips = LIMBERI_COPY(&p->arena, limber_clip, model->clips, model->clip_count);
    p->edited = LIMBERI_ALLOCATE(&p->arena, limber_exaggerated*, model->clip_count);
    p->skin_pose.world_from_joint = LIMBERI_ALLOCATE(&p->arena, limber_mat4, model->rig.joint_count);
    if (p->arena.failed)
        return limberi_fail_memory(error);
    for (uint32_t c = 0; c < model->clip_count; c++) {
        limber_result result = limberi_pipeline_perform(p, c);
        if (result)
            return limberi_fail_memory(error);
        result = edit_clip(p, c, error);
        if (result)
            return result;
        clips[c] = *limber_exaggerated_clip(p->edited[c]);
        clips[c].camera_channel_count = model->clips[c].camera_channel_count; // cameras are not edited
        clips[c].camera_channels = model->clips[c].camera_channels;
    }
    p->edited_model = *model;
    p->edited_model.clips = clips;
    p->model = &p->edited_model;
    return LIMBER_OK;
}

limber_result limberi_pipeline_share_edits(limber_pipeline* p, limber_error* error) {
    p->model = p->original->model;
    p->spins = p->original->spins;
    p->edited = p->original->edited;
    p->performed = p->original->performed;
    if (!p->edited)
        return LIMBER_OK;
    p->skin_pose.world_from_joint = LIMBERI_ALLOCATE(&p->arena, limber_mat4, p->model->rig.joint_count);
    return p->arena.failed ? limberi_fail_memory(error) : LIMBER_OK;
}

void limberi_pipeline_drop_edits(limber_pipeline* p) {
    if (p->original)
        return;
    for (uint32_t c = 0; p->edited && c < p->model->clip_count; c++)
        limber_exaggerated_destroy(p->edited[c]);
}

const limber_pose* limberi_pipeline_skin_pose(limber_pipeline* p, const limber_clip* clip, double time_s) {
    const limber_exaggerated* edited = p->edited && clip ? p->edited[clip - p->model->clips] : NULL;
    if (!edited || !limber_exaggerated_stretch_count(edited))
        return &p->pose;
    memcpy(p->skin_pose.world_from_joint, p->pose.world_from_joint,
           p->model->rig.joint_count * sizeof *p->pose.world_from_joint);
    limber_exaggerated_stretch_pose(edited, time_s, p->skin_pose.world_from_joint);
    return &p->skin_pose;
}

limber_result limberi_pipeline_find_edited(limber_pipeline* pipeline, uint32_t clip, limber_edited_clip* out,
                                           bool* changed) {
    bool performed = pipeline->performed && limberi_perform_edits(&pipeline->settings.perform);
    *changed = pipeline->edited || performed || pipeline->held || pipeline->spins.count;
    *changed = *changed && clip < pipeline->model->clip_count;
    if (!*changed)
        return LIMBER_OK;
    limber_result result = limberi_pipeline_perform(pipeline, clip); // found when first asked for
    if (result)
        return result;
    const limber_exaggerated* edited = pipeline->edited ? pipeline->edited[clip] : NULL;
    out->index = clip;
    out->clip = edited ? limber_exaggerated_clip(edited) : &pipeline->model->clips[clip];
    out->stretch_count = edited ? limber_exaggerated_stretch_count(edited) : 0;
    out->stretches = edited ? limber_exaggerated_stretch(edited, 0) : NULL;
    return limberi_pipeline_hold_clip(pipeline, out);
}

bool limber_pipeline_edited_clip(const limber_pipeline* pipeline, uint32_t clip, limber_edited_clip* out) {
    bool changed;
    return !limberi_pipeline_find_edited((limber_pipeline*)pipeline, clip, out, &changed) && changed;
}
