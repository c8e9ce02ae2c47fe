// The skeleton's joints and how they move.
//
// UsdSkel holds scales as 16-bit floats. A joint's axes are therefore given in larger or smaller units (`units`), such
// that its largest scale is exactly 1; and what rounding loses of a scale that changes is made good in the places and
// scales of the joints below.
#include "base/math.h"
#include "io/cache/usd_skel.h"

#include <math.h>
#include <string.h>

static const float worth_a_look = 0.1f; // weights of vertices that decide where the middle of a bone is

double limberi_usd_time_s(const limberi_usd* usd, uint32_t frame) {
    return usd->clip ? (double)usd->job->bake->tracks[usd->job->track].times[usd->first_frame + frame] : 0;
}

double limberi_usd_code(const limberi_usd* usd, uint32_t frame) {
    double number = limberi_usd_time_s(usd, frame) * usd->job->fps;
    double whole = round(number);
    return fabs(number - whole) < 1e-3 ? whole + 0.0 : number;
}

static uint32_t stretch_count(const limberi_usd* usd) {
    return usd->job->edited ? usd->job->edited->stretch_count : 0;
}

static float factor_at(const limber_stretch* stretch, double time_s) {
    uint32_t high = 0;
    while (high < stretch->key_count && (double)stretch->times[high] < time_s)
        high++;
    if (!stretch->key_count)
        return 1;
    if (high == 0 || high == stretch->key_count)
        return stretch->factors[high ? high - 1 : 0];
    double from = (double)stretch->times[high - 1];
    double to = (double)stretch->times[high];
    double part = (time_s - from) / (to - from);
    return (float)((1 - part) * (double)stretch->factors[high - 1] + part * (double)stretch->factors[high]);
}

static float largest(limber_vec3 v) {
    return fmaxf(fabsf(v.x), fmaxf(fabsf(v.y), fabsf(v.z)));
}

static void sample(limberi_usd* usd, uint32_t frame) {
    limber_clip_sample(usd->model, usd->clip, limberi_usd_time_s(usd, frame), &usd->pose);
}

static void measure_scales(limberi_usd* usd) {
    for (uint32_t f = 0; f < usd->frame_count; f++) {
        sample(usd, f);
        for (uint32_t j = 0; j < usd->model->rig.joint_count; j++)
            usd->shrink[j] = fmaxf(usd->shrink[j], largest(usd->pose.local[j].scale));
    }
    for (uint32_t j = 0; j < usd->joint_count; j++) {
        float above = usd->parents[j] == UINT32_MAX ? 1 : usd->units[usd->parents[j]];
        bool fits = usd->shrink[j] > 1e-6f && usd->shrink[j] < 1e6f && j < usd->model->rig.joint_count;
        usd->shrink[j] = fits ? usd->shrink[j] : 1;
        usd->units[j] = above / usd->shrink[j];
    }
}

// Along the bone, of the vertices that hang on the joint: `range` has the lowest and the highest.
static void widen(const limberi_usd* usd, const limber_mesh* mesh, uint32_t vertex, float (*range)[2]) {
    const limber_skin* skin = &usd->model->skins[mesh->skin];
    uint32_t own = usd->model->rig.joint_count;
    for (uint32_t k = mesh->influence_first[vertex]; k < mesh->influence_first[vertex + 1]; k++) {
        uint32_t slot = mesh->influence_joint[k];
        uint32_t below = usd->skin_joints[skin->joints[slot]];
        if (below < own || mesh->influence_weight[k] < worth_a_look)
            continue;
        limber_vec3 p =
            limberi_mat4_point(&skin->joint_from_mesh[slot], limberi_load3(mesh->positions + 3 * (size_t)vertex));
        float along = limberi_dot(p, usd->job->edited->stretches[below - own].axis);
        range[below - own][0] = fminf(range[below - own][0], along);
        range[below - own][1] = fmaxf(range[below - own][1], along);
    }
}

// A factor that is rounded moves the ends of a bone least when the skin is stretched from its middle.
static bool find_middles(limberi_usd* usd) {
    uint32_t count = stretch_count(usd);
    usd->middles = LIMBERI_ALLOCATE(&usd->arena, float, count);
    float(*range)[2] = limberi_arena_allocate(&usd->arena, count, sizeof *range);
    if (!usd->middles || !range)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        range[i][0] = HUGE_VALF;
        range[i][1] = -HUGE_VALF;
    }
    for (uint32_t m = 0; count && m < usd->model->mesh_count; m++)
        for (uint32_t v = 0; v < usd->model->meshes[m].vertex_count; v++)
            widen(usd, &usd->model->meshes[m], v, range);
    for (uint32_t i = 0; i < count; i++)
        usd->middles[i] = range[i][0] <= range[i][1] ? (range[i][0] + range[i][1]) / 2 : 0;
    return true;
}

static const char* join(limberi_usd* usd, const char* above, const char* name) {
    size_t size = (above ? strlen(above) + 1 : 0) + strlen(name) + 1;
    char* path = LIMBERI_ALLOCATE(&usd->arena, char, size);
    if (path)
        limberi_format(path, size, "%s%s%s", above ? above : "", above ? "/" : "", name);
    return path;
}

static bool name_joint(limberi_usd* usd, limberi_name_set* set, uint32_t joint, const char* text) {
    const char* above = usd->parents[joint] == UINT32_MAX ? NULL : usd->joint_paths[usd->parents[joint]];
    const char* wanted = limberi_cache_name(&usd->arena, text, LIMBERI_CACHE_IDENTIFIERS);
    const char* name = wanted ? limberi_name_claim(set, &usd->arena, wanted) : NULL;
    usd->joint_paths[joint] = name ? join(usd, above, name) : NULL;
    return usd->joint_paths[joint] != NULL;
}

static bool name_joints(limberi_usd* usd, uint32_t* parents) {
    const limber_rig* rig = &usd->model->rig;
    limberi_name_set set;
    if (!limberi_name_set_open(&usd->arena, usd->joint_count, &set))
        return false;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        parents[j] = rig->parents[j] == LIMBER_NO_PARENT ? UINT32_MAX : (uint32_t)rig->parents[j];
        usd->skin_joints[j] = j;
        if (!name_joint(usd, &set, j, rig->names[j]))
            return false;
    }
    for (uint32_t i = 0; i < stretch_count(usd); i++) {
        uint32_t joint = usd->job->edited->stretches[i].joint;
        uint32_t below = rig->joint_count + i;
        char name[160];
        limberi_format(name, sizeof name, "%s_skin", rig->names[joint]);
        parents[below] = joint;
        usd->skin_joints[joint] = below;
        if (!name_joint(usd, &set, below, name))
            return false;
    }
    return true;
}

limber_result limberi_usd_open_joints(limberi_usd* usd, limber_error* error) {
    usd->joint_count = usd->model->rig.joint_count + stretch_count(usd);
    uint32_t* parents = LIMBERI_ALLOCATE(&usd->arena, uint32_t, usd->joint_count);
    usd->parents = parents;
    usd->joint_paths = LIMBERI_ALLOCATE(&usd->arena, const char*, usd->joint_count);
    usd->skin_joints = LIMBERI_ALLOCATE(&usd->arena, uint32_t, usd->joint_count);
    usd->shrink = LIMBERI_ALLOCATE(&usd->arena, float, usd->joint_count);
    usd->units = LIMBERI_ALLOCATE(&usd->arena, float, usd->joint_count);
    usd->local = LIMBERI_ALLOCATE(&usd->arena, limber_transform, usd->joint_count);
    usd->lost = LIMBERI_ALLOCATE(&usd->arena, limber_vec3, usd->joint_count);
    if (usd->arena.failed || !name_joints(usd, parents) || !find_middles(usd) ||
        limber_pose_create(usd->model, &usd->pose) != LIMBER_OK)
        return limberi_fail_memory(error);
    measure_scales(usd);
    return LIMBER_OK;
}

// The rig's transform in the units of the file.
static limber_transform in_units(const limberi_usd* usd, uint32_t joint, limber_transform t) {
    float above = usd->parents[joint] == UINT32_MAX ? 1 : usd->units[usd->parents[joint]];
    t.translation = limberi_scale(t.translation, 1 / above);
    t.scale =
        limberi_vec3(t.scale.x / usd->shrink[joint], t.scale.y / usd->shrink[joint], t.scale.z / usd->shrink[joint]);
    t.rotation = limberi_quat_normalize(t.rotation);
    return t;
}

// Of the joint that stretches skin, in the rig's units.
static limber_transform stretched(const limberi_usd* usd, uint32_t index, float factor) {
    const limber_stretch* stretch = &usd->job->edited->stretches[index];
    limber_transform t = limber_transform_identity();
    t.translation = limberi_scale(stretch->axis, usd->middles[index] * factor);
    t.rotation = limberi_quat_x_onto(stretch->axis);
    t.scale = limberi_vec3(factor, 1, 1);
    return t;
}

limber_transform limberi_usd_rest(const limberi_usd* usd, uint32_t joint) {
    uint32_t own = usd->model->rig.joint_count;
    limber_transform rest = joint < own ? usd->model->rig.rest_local[joint] : stretched(usd, joint - own, 1);
    return in_units(usd, joint, rest);
}

limber_mat4 limberi_usd_bound(const limberi_usd* usd, uint32_t skeleton, uint32_t joint) {
    uint32_t own = usd->model->rig.joint_count;
    limber_transform axes = joint < own ? limber_transform_identity() : stretched(usd, joint - own, 1);
    axes.scale = limberi_vec3(usd->units[joint], usd->units[joint], usd->units[joint]);
    limber_mat4 joint_from_axes = limberi_mat4_from_transform(&axes);
    return limberi_mat4_mul(&usd->binds[skeleton][joint < own ? joint : usd->parents[joint]], &joint_from_axes);
}

// To 11 bits, as a 16-bit float has them.
static float to_half(float x) {
    int exponent;
    (void)frexpf(x, &exponent);
    int unit = exponent - 11 > -24 ? exponent - 11 : -24;
    float rounded = ldexpf(rintf(ldexpf(x, -unit)), unit);
    return fmaxf(-65504, fminf(65504, rounded));
}

static float share(float wanted, float got) {
    return fabsf(got) > 1e-6f ? wanted / got : 1;
}

// Rounds the scale. Children of a joint that is equally too small in all directions can make up for it entirely;
// otherwise they are put into the right place.
static void round_scale(const limberi_usd* usd, uint32_t joint) {
    limber_transform* t = &usd->local[joint];
    limber_vec3 lost = limberi_vec3(1, 1, 1);
    if (usd->parents[joint] != UINT32_MAX)
        lost = usd->lost[usd->parents[joint]];
    t->translation = limberi_vec3(t->translation.x * lost.x, t->translation.y * lost.y, t->translation.z * lost.z);
    if (lost.x == lost.y && lost.x == lost.z)
        t->scale = limberi_scale(t->scale, lost.x);
    limber_vec3 wanted = t->scale;
    t->scale = limberi_vec3(to_half(wanted.x), to_half(wanted.y), to_half(wanted.z));
    usd->lost[joint] =
        limberi_vec3(share(wanted.x, t->scale.x), share(wanted.y, t->scale.y), share(wanted.z, t->scale.z));
}

static void pose_frame(limberi_usd* usd, uint32_t frame) {
    uint32_t own = usd->model->rig.joint_count;
    double time_s = limberi_usd_time_s(usd, frame);
    sample(usd, frame);
    for (uint32_t j = 0; j < usd->joint_count; j++) {
        const limber_stretch* stretch = j < own ? NULL : &usd->job->edited->stretches[j - own];
        usd->local[j] =
            in_units(usd, j, stretch ? stretched(usd, j - own, factor_at(stretch, time_s)) : usd->pose.local[j]);
        round_scale(usd, j);
    }
}

// --- attributes of the animation ---

typedef struct attribute {
    const char* declaration;
    uint32_t size; // floats in a tuple
    size_t count;  // tuples
    void (*fill)(limberi_usd* usd, uint32_t frame, float* values);
} attribute;

static void fill_translations(limberi_usd* usd, uint32_t frame, float* values) {
    pose_frame(usd, frame);
    for (size_t j = 0; j < usd->joint_count; j++)
        limberi_store3(values + 3 * j, usd->local[j].translation);
}

static void fill_scales(limberi_usd* usd, uint32_t frame, float* values) {
    pose_frame(usd, frame);
    for (size_t j = 0; j < usd->joint_count; j++)
        limberi_store3(values + 3 * j, usd->local[j].scale);
}

// q and -q are the same rotation, but halfway from one to the other is not. `values` still holds the frame before.
static void fill_rotations(limberi_usd* usd, uint32_t frame, float* values) {
    pose_frame(usd, frame);
    for (size_t j = 0; j < usd->joint_count; j++) {
        float* v = values + 4 * j;
        limber_quat q = usd->local[j].rotation;
        float along = frame ? v[0] * q.w + v[1] * q.x + v[2] * q.y + v[3] * q.z : 1;
        float sign = along < 0 ? -1.0f : 1.0f;
        v[0] = sign * q.w;
        v[1] = sign * q.x;
        v[2] = sign * q.y;
        v[3] = sign * q.z;
    }
}

static void fill_weights(limberi_usd* usd, uint32_t frame, float* values) {
    sample(usd, frame);
    limberi_usd_weights(usd, frame, values);
}

static bool changes(limberi_usd* usd, const attribute* a, float* values, float* first) {
    size_t bytes = a->count * a->size * sizeof(float);
    a->fill(usd, 0, values);
    memcpy(first, values, bytes);
    for (uint32_t f = 1; f < usd->frame_count; f++) {
        a->fill(usd, f, values);
        if (memcmp(values, first, bytes) != 0)
            return true;
    }
    return false;
}

static void put_attribute(limberi_usd* usd, const attribute* a, float* values, float* first) {
    if (!a->count)
        return;
    bool moves = changes(usd, a, values, first);
    limberi_out_string(&usd->out, a->declaration);
    if (!moves) {
        limberi_out_string(&usd->out, " = ");
        limberi_usd_floats(usd, first, a->count, a->size);
        limberi_out_string(&usd->out, "\n");
        return;
    }
    limberi_out_string(&usd->out, ".timeSamples = {\n");
    for (uint32_t f = 0; f < usd->frame_count; f++) {
        a->fill(usd, f, values);
        limberi_out_string(&usd->out, "            ");
        limberi_out_decimal(&usd->out, limberi_usd_code(usd, f));
        limberi_out_string(&usd->out, ": ");
        limberi_usd_floats(usd, values, a->count, a->size);
        limberi_out_string(&usd->out, ",\n");
    }
    limberi_out_string(&usd->out, "        }\n");
}

static void put_shape_names(limberi_usd* usd) {
    const char** names = LIMBERI_ALLOCATE(&usd->arena, const char*, usd->shape_count);
    size_t count = 0;
    for (uint32_t m = 0; names && m < usd->model->mesh_count; m++)
        for (uint32_t i = 0; i < usd->shapes[m].count; i++)
            names[count++] = usd->shapes[m].names[i];
    limberi_usd_tokens(usd, "        uniform token[] blendShapes = ", names, count);
}

void limberi_usd_put_animation(limberi_usd* usd) {
    size_t max = 4 * (size_t)usd->joint_count > usd->shape_count ? 4 * (size_t)usd->joint_count : usd->shape_count;
    float* values = LIMBERI_ALLOCATE(&usd->arena, float, max);
    float* first = LIMBERI_ALLOCATE(&usd->arena, float, max);
    if (!values || !first)
        return; // the arena remembers
    const attribute attributes[] = {
        {"        quatf[] rotations", 4, usd->joint_count, fill_rotations},
        {"        half3[] scales", 3, usd->joint_count, fill_scales},
        {"        float3[] translations", 3, usd->joint_count, fill_translations},
        {"        float[] blendShapeWeights", 1, usd->shape_count, fill_weights},
    };
    limberi_out_string(&usd->out, "\n    def SkelAnimation \"");
    limberi_out_string(&usd->out, usd->animation);
    limberi_out_string(&usd->out, "\"\n    {\n");
    limberi_usd_tokens(usd, "        uniform token[] joints = ", usd->joint_paths, usd->joint_count);
    if (usd->shape_count)
        put_shape_names(usd);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        put_attribute(usd, &attributes[i], values, first);
    limberi_out_string(&usd->out, "    }\n");
}
