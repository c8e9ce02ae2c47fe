// A character with a style.
#include "base/build.h"
#include "base/error.h"
#include "perform/performance.h"
#include "pipeline/clone.h"
#include "web/wasm/web.h"

#include <stdlib.h>
#include <string.h>

web_pipeline* WEB_EXPORT(pipeline_create)(const web_character* c, const limber_style* style) {
    web_pipeline* p = calloc(1, sizeof *p);
    if (!p)
        limberi_web_fail(LIMBER_ERROR_MEMORY);
    if (!p || limber_pipeline_create(limberi_web_asset(c), style, &p->pipeline, &limberi_web_error)) {
        free(p);
        return NULL;
    }
    p->character = c;
    if (LIMBERI_HAS_SMEARS)
        limberi_web_color_lines(c, p->pipeline);
    return p;
}

static void drop_lives(web_pipeline* p, limber_live** fresh) {
    uint32_t i = 0;
    for (web_live* l = p->lives; l; l = l->after, i++) {
        limber_live_destroy(l->live);
        l->live = fresh[i];
    }
}

// New streams for those that are there, with their motion.
static limber_result continue_lives(web_pipeline* p, limber_pipeline* next, limber_live*** fresh) {
    uint32_t count = 0;
    uint32_t i = 0;
    for (web_live* l = p->lives; l; l = l->after)
        count++;
    *fresh = calloc((size_t)count + 1, sizeof **fresh); // NOLINT(bugprone-sizeof-expression): an array of pointers
    limber_result result = *fresh ? LIMBER_OK : limberi_web_fail(LIMBER_ERROR_MEMORY);
    for (web_live* l = p->lives; !result && l; l = l->after)
        result = limber_live_create(next, l->live, &(*fresh)[i++], &limberi_web_error);
    for (i = 0; result && *fresh && i < count; i++)
        limber_live_destroy((*fresh)[i]);
    return result;
}

// Another style for the same character: streams go on. Where it fails the pipeline is as it was.
int32_t WEB_EXPORT(pipeline_restyle)(web_pipeline* p, const limber_style* style) {
    limber_pipeline* next;
    limber_live** fresh = NULL;
    limber_result result =
        limberi_pipeline_create_beside(limberi_web_asset(p->character), style, p->pipeline, &next, &limberi_web_error);
    if (result)
        return (int32_t)result;
    if (LIMBERI_HAS_SMEARS)
        limberi_web_color_lines(p->character, next);
    result = continue_lives(p, next, &fresh);
    if (result) {
        limber_pipeline_destroy(next);
        free(fresh);
        return (int32_t)result;
    }
    limberi_web_drop_pack(p);
    drop_lives(p, fresh);
    free(fresh);
    limberi_pipeline_inherit(next, p->pipeline);
    limber_pipeline_destroy(p->pipeline);
    p->pipeline = next;
    memset(&p->shown, 0, sizeof p->shown);
    return LIMBER_OK;
}

void WEB_EXPORT(pipeline_destroy)(web_pipeline* p) {
    if (!p)
        return;
    for (web_live* l = p->lives; l;) {
        web_live* after = l->after;
        limberi_web_free_live(l);
        l = after;
    }
    limberi_web_drop_pack(p);
    limber_colliders_destroy(p->found);
    limber_pipeline_destroy(p->pipeline);
    free(p);
}

uint32_t WEB_EXPORT(pipeline_warning_count)(const web_pipeline* p) {
    return limber_pipeline_warning_count(p->pipeline);
}

const char* WEB_EXPORT(pipeline_warning)(const web_pipeline* p, uint32_t i) {
    return limber_pipeline_warning(p->pipeline, i);
}

// Whether the style smears, and whether it edits clips.
int32_t WEB_EXPORT(pipeline_has)(const web_pipeline* p, uint32_t which) {
    const limber_stage_settings* s = limber_pipeline_stage_settings(p->pipeline);
    if (which == 0)
        return limber_smear_is_on(&s->smear);
    return limber_exaggerate_is_on(&s->exaggerate) || (LIMBERI_HAS_CLIPS && limberi_perform_edits(&s->perform));
}

// The values of a layer of its character are others now (layer_values).
void WEB_EXPORT(pipeline_repaint)(web_pipeline* p, uint32_t mesh, uint32_t layer) {
    limberi_pipeline_layer_changed(p->pipeline, mesh, layer);
    p->columns_ready = false;
}

// Of what was evaluated last, 0 where there is none: [vertex * 3], [vertex], then [joint ...] of the current pose.
const float* WEB_EXPORT(pipeline_array)(const web_pipeline* p, uint32_t which) {
    const limber_smeared* s = &p->shown;
    limberi_pipeline_state parts = limberi_pipeline_state_of(p->pipeline);
    const limber_kinematics* motion = parts.motion;
    const float* const arrays[] = {s->frame.positions,
                                   s->frame.normals,
                                   s->frame.skinned,
                                   s->deformed,
                                   s->offsets,
                                   &motion->velocity->x,
                                   &motion->acceleration->x,
                                   &motion->angular_velocity->x,
                                   &motion->angular_acceleration->x,
                                   parts.pose->world_from_joint->m,
                                   &parts.pose->local->translation.x,
                                   parts.pose->morph_weights};
    return which < 12 ? arrays[which] : NULL;
}
