// Frames of a clip, or of the pose that came last: vertices, smears, colliders.
#include "base/error.h"
#include "web/wasm/web.h"

#include <string.h>

void WEB_EXPORT(pipeline_outputs)(web_pipeline* p, uint32_t outputs) {
    limber_pipeline_set_outputs(p->pipeline, outputs);
}

// Which build of the kernels runs (base/variant.h); for tests and benchmarks.
void WEB_EXPORT(pipeline_variant)(web_pipeline* p, uint32_t variant) {
    limberi_pipeline_use(p->pipeline, (limberi_variant)variant);
}

// --- evaluation ---

static void show(web_pipeline* p, const limber_frame* frame) {
    memset(&p->shown, 0, sizeof p->shown);
    p->shown.frame = *frame;
    p->shown.deformed = frame->positions;
}

int32_t WEB_EXPORT(pipeline_pose)(web_pipeline* p, int32_t clip, double time_s) {
    limber_result result = limber_pipeline_evaluate_joints(p->pipeline, clip, time_s);
    return (int32_t)(result ? limberi_web_fail(result) : LIMBER_OK);
}

void WEB_EXPORT(pipeline_run)(web_pipeline* p) {
    limber_frame frame;
    limber_pipeline_evaluate_vertices(p->pipeline, &frame);
    show(p, &frame);
}

int32_t WEB_EXPORT(pipeline_smear)(web_pipeline* p, int32_t clip, double time_s, double fps) {
    limber_result result = limber_pipeline_evaluate_smeared(p->pipeline, clip, time_s, fps, &p->shown);
    return (int32_t)(result ? limberi_web_fail(result) : LIMBER_OK);
}

// `motion`: velocity, acceleration, angular velocity and angular acceleration, each [joint].
int32_t WEB_EXPORT(pipeline_what_if)(web_pipeline* p, int32_t clip, double time_s, limber_vec3* motion, float amount) {
    uint32_t joints = p->character->model->rig.joint_count;
    limber_kinematics k = {motion, motion + joints, motion + 2 * (size_t)joints, motion + 3 * (size_t)joints};
    limber_frame frame;
    limber_result result = limber_pipeline_evaluate_what_if(p->pipeline, clip, time_s, &k, amount, &frame);
    if (result)
        return (int32_t)limberi_web_fail(result);
    show(p, &frame);
    return LIMBER_OK;
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
                                         : limberi_collider_place(&c, limberi_pipeline_state_of(p->pipeline).pose);
        const float row[9] = {(float)c.shape, (float)c.joint, at.from.x, at.from.y, at.from.z,
                              at.to.x,        at.to.y,        at.to.z,   at.radius};
        memcpy(out, row, sizeof row);
    }
    return limber_collider_count(list);
}

// --- meshes that smears add ---

uint32_t WEB_EXPORT(pipeline_smear_mesh_count)(const web_pipeline* p) {
    return p->shown.mesh_count;
}

int32_t WEB_EXPORT(pipeline_smear_mesh_number)(const web_pipeline* p, uint32_t i, uint32_t which) {
    const limber_smear_mesh* m = &p->shown.meshes[i];
    int32_t source = m->kind == LIMBER_SMEAR_KIND_COPY ? (int32_t)m->source : -1;
    const int32_t numbers[] = {(int32_t)m->kind,           m->number, source, (int32_t)m->vertex_count,
                               (int32_t)m->triangle_count, m->visible};
    return which < 6 ? numbers[which] : 0;
}

const char* WEB_EXPORT(pipeline_smear_mesh_name)(const web_pipeline* p, uint32_t i) {
    return p->shown.meshes[i].name;
}

const void* WEB_EXPORT(pipeline_smear_mesh_array)(const web_pipeline* p, uint32_t i, uint32_t which) {
    const limber_smear_mesh* m = &p->shown.meshes[i];
    const void* const arrays[] = {m->positions, m->normals, m->colors, m->triangles};
    return which < 4 ? arrays[which] : NULL;
}

// --- live ---

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
    return (int32_t)(result ? limberi_web_fail(result) : LIMBER_OK);
}
