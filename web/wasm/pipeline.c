// A character with a style: evaluated at a time of a clip, or live.
#include "base/error.h"
#include "pipeline/style_change.h"
#include "web/wasm/web.h"

#include <stdlib.h>
#include <string.h>

static limber_result fail_short(limber_result result) {
    return limberi_fail(&limberi_web_error, result,
                        result == LIMBER_ERROR_MEMORY ? "not enough memory"
                                                      : "there is no such clip, or no such frame");
}

web_pipeline* WEB_EXPORT(pipeline_create)(const web_character* c, const limber_style* style) {
    web_pipeline* p = calloc(1, sizeof *p);
    if (!p)
        fail_short(LIMBER_ERROR_MEMORY);
    if (!p || limber_pipeline_create(limberi_web_asset(c), style, &p->pipeline, &limberi_web_error)) {
        free(p);
        return NULL;
    }
    p->character = c;
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
    uint32_t count = 0, i = 0;
    for (web_live* l = p->lives; l; l = l->after)
        count++;
    *fresh = calloc((size_t)count + 1, sizeof **fresh); // NOLINT(bugprone-sizeof-expression): an array of pointers
    limber_result result = *fresh ? LIMBER_OK : fail_short(LIMBER_ERROR_MEMORY);
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

static void free_live(web_live* l) {
    limber_live_destroy(l->live);
    free(l->local);
    free(l->morph_weights);
    free(l);
}

void WEB_EXPORT(pipeline_destroy)(web_pipeline* p) {
    if (!p)
        return;
    for (web_live* l = p->lives; l;) {
        web_live* after = l->after;
        free_live(l);
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
    return which == 0 ? limber_smear_is_on(&s->smear) : limber_exaggerate_is_on(&s->exaggerate);
}

void WEB_EXPORT(pipeline_outputs)(web_pipeline* p, uint32_t outputs) {
    limber_pipeline_set_outputs(p->pipeline, outputs);
}

// Which build of the kernels runs (base/variant.h); for tests and benchmarks.
void WEB_EXPORT(pipeline_variant)(web_pipeline* p, uint32_t variant) {
    limberi_pipeline_use(p->pipeline, (limberi_variant)variant);
}

// The values of a layer of its character are others now (layer_values).
void WEB_EXPORT(pipeline_repaint)(web_pipeline* p, uint32_t mesh, uint32_t layer) {
    limberi_pipeline_layer_changed(p->pipeline, mesh, layer);
    p->columns_ready = false;
}

// --- evaluation ---

static void show(web_pipeline* p, const limber_frame* frame) {
    memset(&p->shown, 0, sizeof p->shown);
    p->shown.frame = *frame;
    p->shown.deformed = frame->positions;
}

int32_t WEB_EXPORT(pipeline_pose)(web_pipeline* p, int32_t clip, double time_s) {
    limber_result result = limber_pipeline_evaluate_joints(p->pipeline, clip, time_s);
    return (int32_t)(result ? fail_short(result) : LIMBER_OK);
}

void WEB_EXPORT(pipeline_run)(web_pipeline* p) {
    limber_frame frame;
    limber_pipeline_evaluate_vertices(p->pipeline, &frame);
    show(p, &frame);
}

int32_t WEB_EXPORT(pipeline_smear)(web_pipeline* p, int32_t clip, double time_s, double fps) {
    limber_result result = limber_pipeline_evaluate_smeared(p->pipeline, clip, time_s, fps, &p->shown);
    return (int32_t)(result ? fail_short(result) : LIMBER_OK);
}

// `motion`: velocity, acceleration, angular velocity and angular acceleration, each [joint].
int32_t WEB_EXPORT(pipeline_fake)(web_pipeline* p, int32_t clip, double time_s, limber_vec3* motion, float amount) {
    uint32_t joints = p->character->model->rig.joint_count;
    limber_kinematics k = {motion, motion + joints, motion + 2 * (size_t)joints, motion + 3 * (size_t)joints};
    limber_frame frame;
    limber_result result = limber_pipeline_evaluate_what_if(p->pipeline, clip, time_s, &k, amount, &frame);
    if (result)
        return (int32_t)fail_short(result);
    show(p, &frame);
    return LIMBER_OK;
}

// Of what was evaluated last, 0 where there is none: [vertex * 3], [vertex], then [joint ...] of the current pose.
const float* WEB_EXPORT(pipeline_array)(const web_pipeline* p, uint32_t which) {
    const limber_smeared* s = &p->shown;
    limberi_pipeline_parts parts = limberi_pipeline_parts_of(p->pipeline);
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

// --- colliders ---

// Those of the style in the current frame; else those that "auto" would find, around the plain bones. Writes the shape,
// the joint, two points (of a plane the second is the normal) and the radius, and returns how many there are. NULL: only
// how many.
uint32_t WEB_EXPORT(pipeline_colliders)(web_pipeline* p, float* out) {
    const limber_colliders* own = limber_pipeline_colliders(p->pipeline);
    if (!own && !p->found && limber_colliders_find(limberi_web_asset(p->character), NULL, &p->found, NULL))
        return 0;
    const limber_colliders* list = own ? own : p->found;
    for (uint32_t i = 0; out && i < limber_collider_count(list); i++, out += 9) {
        limber_collider c = limber_collider_at(list, i);
        limberi_placed_collider at = own ? limberi_pipeline_collider(p->pipeline, i)
                                         : limberi_collider_place(&c, limberi_pipeline_parts_of(p->pipeline).pose);
        const float row[9] = {(float)c.shape, (float)c.joint, at.from.x, at.from.y, at.from.z,
                              at.to.x,        at.to.y,        at.to.z,   at.radius};
        memcpy(out, row, sizeof row);
    }
    return limber_collider_count(list);
}

// --- meshes that smears add ---

uint32_t WEB_EXPORT(extra_count)(const web_pipeline* p) {
    return p->shown.mesh_count;
}

int32_t WEB_EXPORT(extra_number)(const web_pipeline* p, uint32_t i, uint32_t which) {
    const limber_smear_mesh* m = &p->shown.meshes[i];
    int32_t source = m->kind == LIMBER_SMEAR_KIND_COPY ? (int32_t)m->source : -1;
    const int32_t numbers[] = {(int32_t)m->kind,           m->number, source, (int32_t)m->vertex_count,
                               (int32_t)m->triangle_count, m->visible};
    return which < 6 ? numbers[which] : 0;
}

const char* WEB_EXPORT(extra_name)(const web_pipeline* p, uint32_t i) {
    return p->shown.meshes[i].name;
}

const void* WEB_EXPORT(extra_array)(const web_pipeline* p, uint32_t i, uint32_t which) {
    const limber_smear_mesh* m = &p->shown.meshes[i];
    const void* const arrays[] = {m->positions, m->normals, m->colors, m->triangles};
    return which < 4 ? arrays[which] : NULL;
}

// --- live ---

static bool level_ground(void* user, float x, float z, float* height) {
    const web_live* l = user;
    (void)x;
    (void)z;
    *height = l->ground;
    return l->has_ground;
}

// Level ground at a height; NaN: none.
void WEB_EXPORT(live_ground)(web_live* l, float height) {
    l->has_ground = height == height;
    l->ground = height;
    limber_live_set_ground(l->live, l->has_ground ? level_ground : NULL, l);
}

// `before` (may be NULL): a stream of another pipeline of the character, whose motion goes on.
web_live* WEB_EXPORT(live_create)(web_pipeline* p, const web_live* before) {
    const limber_model* model = p->character->model;
    web_live* l = calloc(1, sizeof *l);
    if (l) {
        l->local = calloc((size_t)model->rig.joint_count + 1, sizeof *l->local);
        l->morph_weights = calloc((size_t)model->morph_count + 1, sizeof *l->morph_weights);
    }
    limber_result result =
        l && l->local && l->morph_weights
            ? limber_live_create(p->pipeline, before ? before->live : NULL, &l->live, &limberi_web_error)
            : fail_short(LIMBER_ERROR_MEMORY);
    if (result || !l || !l->local) {
        if (l)
            free_live(l);
        return NULL;
    }
    memcpy(l->local, model->rig.rest_local, model->rig.joint_count * sizeof *l->local);
    if (before && before->has_ground)
        live_ground(l, before->ground);
    l->owner = p;
    l->after = p->lives;
    if (p->lives)
        p->lives->before = l;
    p->lives = l;
    return l;
}

void WEB_EXPORT(live_destroy)(web_live* l) {
    if (l->before)
        l->before->after = l->after;
    else
        l->owner->lives = l->after;
    if (l->after)
        l->after->before = l->before;
    free_live(l);
}

// Where the caller writes local transforms (10 floats per joint) and morph weights.
float* WEB_EXPORT(live_array)(web_live* l, uint32_t which) {
    return which == 0 ? &l->local->translation.x : l->morph_weights;
}

int32_t WEB_EXPORT(live_push)(web_live* l, int32_t morphs, double time_s) {
    limber_result result = limber_live_push(l->live, l->local, morphs ? l->morph_weights : NULL, time_s);
    if (result)
        limberi_fail(&limberi_web_error, result, "a number of the pose is not finite");
    return (int32_t)result;
}

void WEB_EXPORT(live_reset)(web_live* l) {
    limber_live_reset(l->live);
}

int32_t WEB_EXPORT(live_smears)(web_live* l, double fps, uint32_t history, float teleport) {
    limber_smear_live_settings settings = limber_smear_live_settings_default();
    settings.fps = fps;
    settings.history = history;
    settings.teleport = teleport;
    return (int32_t)limber_live_set_smears(l->live, &settings, &limberi_web_error);
}

int32_t WEB_EXPORT(live_smear)(web_live* l) {
    limber_result result = limber_live_evaluate_smeared(l->live, &l->owner->shown);
    if (result == LIMBER_ERROR_ARGUMENT)
        return (int32_t)limberi_fail(&limberi_web_error, result, "smears need a pose of this stream first");
    return (int32_t)(result ? fail_short(result) : LIMBER_OK);
}
