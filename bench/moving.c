// Characters for benchmarks: a sample whose joints all move, and rigs of any size.
#include "asset/groups.h"
#include "base/error.h"
#include "base/math.h"
#include "bench/bench.h"

#include <string.h>

enum { KEYS = 25, KEY_RATE = 30, INFLUENCES = 4, CHILDREN = 4 };

static const double CLIP_S = (double)(KEYS - 1) / KEY_RATE;

double bench_frame_time(uint32_t frame) {
    // Steps by the golden section never meet a moment twice.
    double phase = 0.37 + 0.61803398875 * frame;
    return CLIP_S * (phase - floor(phase));
}

// --- a clip in which nothing rests ---

static limber_vec3 some_axis(uint32_t joint) {
    float angle = 2.4f * (float)joint;
    return limberi_normalize(limberi_vec3(cosf(angle), 0.6f, sinf(angle)));
}

static void fill_joint_keys(const limber_transform* rest, uint32_t joint, float size, float* turns, float* places) {
    limber_vec3 axis = some_axis(joint);
    limber_vec3 way = some_axis(joint + 7);
    for (uint32_t k = 0; k < KEYS; k++) {
        double phase = 2 * LIMBERI_PI * k / (KEYS - 1) + joint;
        limber_quat turn =
            limberi_quat_mul(rest->rotation, limberi_quat_exp(limberi_scale(axis, 0.15f * (float)sin(phase))));
        limber_vec3 place = limberi_add(rest->translation, limberi_scale(way, 0.005f * size * (float)cos(phase)));
        memcpy(turns + 4 * (size_t)k, &turn, sizeof turn);
        limberi_store3(places + 3 * (size_t)k, place);
    }
}

typedef struct joints_that_move {
    uint32_t first, count;
} joints_that_move;

static bool make_clip(limberi_arena* arena, const limber_rig* rig, joints_that_move some, float size,
                      limber_clip* clip) {
    limber_channel* channels = LIMBERI_ALLOCATE(arena, limber_channel, 2 * (size_t)some.count);
    float* times = LIMBERI_ALLOCATE(arena, float, KEYS);
    float* values = LIMBERI_ALLOCATE(arena, float, 7 * KEYS * (size_t)some.count);
    if (arena->failed)
        return false;
    for (uint32_t k = 0; k < KEYS; k++)
        times[k] = (float)k / KEY_RATE;
    for (uint32_t i = 0; i < some.count; i++) {
        uint32_t j = some.first + i;
        float* turns = values + 7 * KEYS * (size_t)i;
        float* places = turns + 4 * KEYS;
        const limber_channel turn = {LIMBER_CHANNEL_ROTATION, LIMBER_INTERPOLATION_LINEAR, j, KEYS, times, turns};
        const limber_channel travel = {LIMBER_CHANNEL_TRANSLATION, LIMBER_INTERPOLATION_LINEAR, j, KEYS, times, places};
        fill_joint_keys(&rig->rest_local[j], j, size, turns, places);
        channels[2 * i] = turn;
        channels[2 * i + 1] = travel;
    }
    memset(clip, 0, sizeof *clip);
    clip->name = "everything moves";
    clip->channel_count = 2 * some.count;
    clip->channels = channels;
    return true;
}

// Between 0.25 and 1, as if somebody had painted it.
static bool paint(limberi_arena* arena, limber_mesh* mesh) {
    limber_layer* layer = LIMBERI_ALLOCATE(arena, limber_layer, 1);
    float* values = LIMBERI_ALLOCATE(arena, float, mesh->vertex_count);
    if (arena->failed)
        return false;
    for (uint32_t u = 0; u < mesh->vertex_count; u++)
        values[u] = 0.625f + 0.375f * sinf(5 * (mesh->positions[3 * (size_t)u] + mesh->positions[3 * (size_t)u + 1]));
    layer->name = BENCH_LAYER;
    layer->values = values;
    mesh->layer_count = 1;
    mesh->layers = layer;
    return true;
}

static limber_result make_moving(limberi_arena* arena, limber_model model, joints_that_move some, float size,
                                 limber_asset** moving, limber_error* error) {
    limber_mesh* meshes = LIMBERI_COPY(arena, limber_mesh, model.meshes, model.mesh_count);
    limber_clip clip;
    if (!meshes || !make_clip(arena, &model.rig, some, size, &clip))
        return limberi_fail_memory(error);
    for (uint32_t m = 0; m < model.mesh_count; m++)
        if (!paint(arena, &meshes[m]))
            return limberi_fail_memory(error);
    model.meshes = meshes;
    model.clip_count = 1;
    model.clips = &clip;
    return limber_asset_create(&model, moving, error);
}

limber_result bench_moving_joints(const limber_asset* asset, uint32_t first, uint32_t count, limber_asset** moving,
                                  limber_error* error) {
    const limber_model* model = limber_asset_model(asset);
    const joints_that_move some = {first, count};
    limberi_arena arena = {NULL, false};
    *moving = NULL;
    if (first + count > model->rig.joint_count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the character has only %u joints", model->rig.joint_count);
    limber_result result = make_moving(&arena, *model, some, model->size, moving, error);
    limberi_arena_free(&arena);
    return result;
}

limber_result bench_moving(const limber_asset* asset, limber_asset** moving, limber_error* error) {
    return bench_moving_joints(asset, 0, limber_asset_model(asset)->rig.joint_count, moving, error);
}

// --- generated characters ---

typedef struct rig_arrays {
    uint32_t joint_count, vertex_count;
    const char** names;
    int32_t* parents;
    limber_transform* rest;
    limber_vec3* at;
    uint32_t* skin_joints;
    limber_mat4* inverse;
    float* positions;
    uint32_t* triangles;
    uint32_t* first;
    uint16_t* joints;
    float* weights;
} rig_arrays;

static bool allocate_arrays(limberi_arena* arena, rig_arrays* r) {
    size_t joints = r->joint_count;
    size_t vertices = r->vertex_count;
    r->names = LIMBERI_ALLOCATE(arena, const char*, joints);
    r->parents = LIMBERI_ALLOCATE(arena, int32_t, joints);
    r->rest = LIMBERI_ALLOCATE(arena, limber_transform, joints);
    r->at = LIMBERI_ALLOCATE(arena, limber_vec3, joints);
    r->skin_joints = LIMBERI_ALLOCATE(arena, uint32_t, joints);
    r->inverse = LIMBERI_ALLOCATE(arena, limber_mat4, joints);
    r->positions = LIMBERI_ALLOCATE(arena, float, 3 * vertices);
    r->triangles = LIMBERI_ALLOCATE(arena, uint32_t, 3 * vertices);
    r->first = LIMBERI_ALLOCATE(arena, uint32_t, vertices + 1);
    r->joints = LIMBERI_ALLOCATE(arena, uint16_t, INFLUENCES * vertices);
    r->weights = LIMBERI_ALLOCATE(arena, float, INFLUENCES* vertices);
    return !arena->failed;
}

static void fill_joints(rig_arrays* r, bool bush) {
    for (uint32_t j = 0; j < r->joint_count; j++) {
        r->names[j] = "joint";
        r->skin_joints[j] = j;
        r->parents[j] = bush ? (int32_t)((j - 1) / CHILDREN) : (int32_t)j - 1;
        if (j == 0)
            r->parents[j] = LIMBER_NO_PARENT;
        r->rest[j] = limber_transform_identity();
        limber_vec3 step = bush ? some_axis(j) : limberi_vec3(0, 1, 0);
        if (j)
            r->rest[j].translation = limberi_scale(step, 0.1f);
        r->at[j] = j ? limberi_add(r->at[r->parents[j]], r->rest[j].translation) : limberi_vec3(0, 0, 0);
        r->inverse[j] = limber_mat4_identity();
        limberi_store3(r->inverse[j].m + 12, limberi_scale(r->at[j], -1));
    }
}

// Cubic B-spline weights over the joint and the three above it; at the root they add up.
static uint32_t fill_weights(const rig_arrays* r, uint32_t joint, float s, uint16_t* joints, float* weights) {
    float t = 1 - s;
    const float share[INFLUENCES] = {s * s * s / 6, (1 + 3 * s + 3 * s * s - 3 * s * s * s) / 6,
                                     (4 - 6 * s * s + 3 * s * s * s) / 6, t * t * t / 6};
    uint32_t count = 0;
    for (uint32_t i = 0; i < INFLUENCES; i++) {
        if (i && r->parents[joint] == LIMBER_NO_PARENT) {
            weights[count - 1] += share[i];
            continue;
        }
        joint = i ? (uint32_t)r->parents[joint] : joint;
        joints[count] = (uint16_t)joint;
        weights[count++] = share[i];
    }
    return count;
}

static void fill_vertices(rig_arrays* r) {
    uint32_t n = 0;
    for (uint32_t u = 0; u < r->vertex_count; u++) {
        uint32_t joint = (uint32_t)((uint64_t)u * r->joint_count / r->vertex_count);
        double place = (double)u * r->joint_count / r->vertex_count - joint;
        float angle = 2.4f * (float)(u % 1000);
        float along = (float)place;
        limber_vec3 arm = limberi_vec3(0.05f * cosf(angle), 0.1f * along, 0.05f * sinf(angle));
        limberi_store3(r->positions + 3 * (size_t)u, limberi_add(r->at[joint], arm));
        r->first[u] = n;
        // Zero weights would be dropped, and 0 is where `along` starts.
        n += fill_weights(r, joint, 0.1f + 0.8f * along, r->joints + n, r->weights + n);
    }
    r->first[r->vertex_count] = n;
    for (uint32_t t = 0; t + 2 < r->vertex_count; t++)
        for (uint32_t i = 0; i < 3; i++)
            r->triangles[3 * (size_t)t + i] = t + i;
}

limber_result bench_rig(uint32_t joint_count, uint32_t vertex_count, bool bush, limber_asset** asset,
                        limber_error* error) {
    limberi_arena arena = {NULL, false};
    rig_arrays r = {.joint_count = joint_count, .vertex_count = vertex_count};
    *asset = NULL;
    if (!allocate_arrays(&arena, &r)) {
        limberi_arena_free(&arena);
        return limberi_fail_memory(error);
    }
    fill_joints(&r, bush);
    fill_vertices(&r);
    limber_skin skin = {"skin", joint_count, r.skin_joints, r.inverse, limber_mat4_identity()};
    limber_mesh mesh;
    memset(&mesh, 0, sizeof mesh);
    mesh.name = mesh.node_name = "generated";
    mesh.vertex_count = vertex_count;
    mesh.triangle_count = vertex_count - 2;
    mesh.positions = r.positions;
    mesh.triangles = r.triangles;
    mesh.influence_first = r.first;
    mesh.influence_joint = r.joints;
    mesh.influence_weight = r.weights;
    limber_model model = limber_model_default();
    model.rig.joint_count = joint_count;
    model.rig.names = r.names;
    model.rig.parents = r.parents;
    model.rig.rest_local = r.rest;
    model.skin_count = model.mesh_count = 1;
    model.skins = &skin;
    model.meshes = &mesh;
    const joints_that_move everything = {0, joint_count};
    limber_result result = make_moving(&arena, model, everything, 1, asset, error);
    limberi_arena_free(&arena);
    return result;
}

// --- what a vertex is made of ---

double bench_pairs_per_vertex(const limber_asset* asset) {
    const limber_model* model = limber_asset_model(asset);
    double pairs = 0;
    for (uint32_t m = 0; m < model->mesh_count; m++)
        pairs += limberi_asset_groups(asset)[m]->pairs;
    return model->vertex_count ? pairs / model->vertex_count : 0;
}

double bench_bytes_per_vertex(const limber_asset* asset, bench_set set) {
    enum { VECTOR = 12, NUMBER = 4 };
    const limber_model* model = limber_asset_model(asset);
    double bytes = 0;
    double extra = 0;
    if (set == BENCH_SMEAR || !model->vertex_count)
        return 0;
    if (set == BENCH_JACOBIAN || set == BENCH_OVERLAP_JACOBIAN)
        extra = 2 * VECTOR; // normals, in and out
    if (set == BENCH_AVERAGED)
        extra = 7 * VECTOR; // twice that, skinned positions out, and both kinds of positions in; lists left aside
    if (set == BENCH_ALL)
        extra = VECTOR + NUMBER; // normals for lift, a layer
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const struct limberi_groups* groups = limberi_asset_groups(asset)[m];
        for (uint32_t g = 0; g < groups->group_count; g++) {
            const limberi_group* group = &groups->groups[g];
            double weights = group->slot_count > 1 ? NUMBER * group->slot_count : 0;
            bytes += group->width * (VECTOR + weights) + group->count * (NUMBER + VECTOR + extra);
        }
    }
    return bytes / model->vertex_count;
}
