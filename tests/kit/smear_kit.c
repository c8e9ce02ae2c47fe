// Frames of a clip for the tests of smears, and a second, plain implementation of motion offsets.
#include "kit/smear_kit.h"
#include "base/math.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

limber_smearer* test_smearer(const limber_asset* asset, const limber_smear_settings* settings) {
    limber_smearer* smearer;
    limber_error error;
    if (limber_smearer_create(asset, settings, &smearer, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return smearer;
}

static const float* kept(const float* numbers, size_t count) {
    float* copy = malloc((count + 1) * sizeof *copy);
    memcpy(copy, numbers, count * sizeof *copy);
    return copy;
}

test_reel test_reel_open(const limber_asset* asset, const limber_smearer* smearer, uint32_t clip, double fps,
                         uint32_t start, uint32_t limit) {
    test_reel reel = {limber_asset_model(asset), 0, NULL, NULL};
    const limber_clip* moves = &reel.model->clips[clip];
    limber_pipeline* pipeline;
    limber_error error;
    if (limber_pipeline_create(asset, NULL, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    uint32_t all = limber_clip_frame_count(moves, fps);
    reel.count = all - start < limit ? all - start : limit;
    reel.frames = calloc(reel.count, sizeof *reel.frames);
    reel.poses = calloc(reel.count, sizeof *reel.poses);
    size_t numbers = 3 * (size_t)reel.model->vertex_count;
    for (uint32_t i = 0; i < reel.count; i++) {
        limber_frame frame;
        double time_s = limber_clip_frame_time(moves, fps, start + i);
        assert_int_equal(limber_pipeline_evaluate(pipeline, (int32_t)clip, time_s, &frame), LIMBER_OK);
        assert_int_equal(limber_pose_create(reel.model, &reel.poses[i]), LIMBER_OK);
        memcpy(reel.poses[i].world_from_joint, frame.pose->world_from_joint,
               reel.model->rig.joint_count * sizeof(limber_mat4));
        limber_smear_bone* bones = calloc((size_t)reel.model->rig.joint_count + 1, sizeof *bones);
        limber_smearer_bones(smearer, frame.pose, NULL, bones);
        reel.frames[i].positions = kept(frame.positions, numbers);
        reel.frames[i].normals = kept(frame.normals, numbers);
        reel.frames[i].bones = bones;
    }
    limber_pipeline_destroy(pipeline);
    return reel;
}

void test_reel_close(test_reel* reel) {
    for (uint32_t i = 0; i < reel->count; i++) {
        free((void*)(uintptr_t)reel->frames[i].positions);
        free((void*)(uintptr_t)reel->frames[i].normals);
        free((void*)(uintptr_t)reel->frames[i].bones);
        limber_pose_destroy(&reel->poses[i]);
    }
    free(reel->frames);
    free(reel->poses);
}

// --- the plain implementation ---

typedef struct vec {
    double x, y, z;
} vec;

static vec sub(vec a, vec b) {
    vec v = {a.x - b.x, a.y - b.y, a.z - b.z};
    return v;
}

static vec mix(vec a, double s, vec b, double t) {
    vec v = {a.x * s + b.x * t, a.y * s + b.y * t, a.z * s + b.z * t};
    return v;
}

static double dot(vec a, vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static double length(vec a) {
    return sqrt(dot(a, a));
}

static vec unit(vec a) {
    double l = length(a);
    vec v = {a.x / l, a.y / l, a.z / l};
    return v;
}

static vec from3(limber_vec3 v) {
    vec w = {(double)v.x, (double)v.y, (double)v.z};
    return w;
}

static vec place_of(const limber_pose* pose, uint32_t joint) {
    return from3(limberi_mat4_translation(&pose->world_from_joint[joint]));
}

static vec centroid_of(const limber_model* model, const limber_pose* pose, uint32_t joint) {
    return from3(limberi_mat4_point(&pose->world_from_joint[joint], model->rig.centroid[joint]));
}

static uint32_t kept_ancestor(const limber_model* model, const uint8_t* pruned, uint32_t joint) {
    while (pruned && pruned[joint] && model->rig.parents[joint] >= 0)
        joint = (uint32_t)model->rig.parents[joint];
    return joint;
}

// Parent among the bones that are kept; -1: none.
static int32_t parent_of(const limber_model* model, const uint8_t* pruned, uint32_t joint) {
    int32_t parent = model->rig.parents[joint];
    return parent < 0 ? -1 : (int32_t)kept_ancestor(model, pruned, (uint32_t)parent);
}

static vec tip_of(const limber_model* model, const uint8_t* pruned, const limber_pose* pose, uint32_t joint) {
    vec sum = {0, 0, 0};
    double count = 0;
    bool leaf = true;
    for (uint32_t k = 0; k < model->rig.joint_count; k++) {
        bool kept = kept_ancestor(model, pruned, k) == k;
        leaf = leaf && !(kept && parent_of(model, pruned, k) == (int32_t)joint);
        if (model->rig.parents[k] == (int32_t)joint) {
            sum = mix(sum, 1, place_of(pose, k), 1);
            count++;
        }
    }
    if (!leaf)
        return mix(sum, 1 / count, sum, 0);
    return mix(centroid_of(model, pose, joint), 2, place_of(pose, joint), -1);
}

typedef struct plain_bone {
    vec root, bone, motion_root, motion_tip, center;
    bool still, simple;
    double own;
} plain_bone;

static vec step_direction(vec from, vec to, double size, bool* moves) {
    vec v = sub(to, from);
    *moves = length(v) > 1e-6 * size;
    return *moves ? unit(v) : v;
}

static plain_bone bone_of(const limber_model* model, const uint8_t* pruned, const limber_pose* pose,
                          const limber_pose* next, uint32_t j) {
    plain_bone b;
    memset(&b, 0, sizeof b);
    double size = (double)model->size;
    b.root = place_of(pose, j);
    b.bone = sub(tip_of(model, pruned, pose, j), b.root);
    b.center = centroid_of(model, pose, j);
    if (length(b.bone) <= 1e-4 * size) {
        bool moves;
        b.simple = true;
        b.motion_root = step_direction(b.center, centroid_of(model, next, j), size, &moves);
        b.still = !moves;
        return b;
    }
    bool root_moves, tip_moves;
    b.motion_root = step_direction(b.root, place_of(next, j), size, &root_moves);
    b.motion_tip = step_direction(tip_of(model, pruned, pose, j), tip_of(model, pruned, next, j), size, &tip_moves);
    if (!root_moves)
        b.motion_root = b.motion_tip;
    if (!tip_moves)
        b.motion_tip = b.motion_root;
    b.still = !root_moves && !tip_moves;
    return b;
}

// delta of SMEAR, eq. 6, and what multiplies it besides 1 / M.
static double delta_of(const plain_bone* b, vec p, double* u, double* factor) {
    *u = 0;
    *factor = 1;
    if (b->simple)
        return dot(sub(p, b->center), b->motion_root);
    vec axis = unit(b->bone);
    double x = dot(sub(p, b->root), axis) / length(b->bone);
    x = fmin(fmax(x, 0), 1);
    *u = x * x * (3 - 2 * x);
    double angle = acos(fmin(fmax(dot(b->motion_root, b->motion_tip), -1), 1));
    vec v;
    if (angle < 0.01 || angle > 2.9)
        v = mix(b->motion_root, 1 - *u, b->motion_tip, *u);
    else
        v = mix(b->motion_root, sin((1 - *u) * angle) / sin(angle), b->motion_tip, sin(*u * angle) / sin(angle));
    double whole = length(v);
    *factor = angle > 2.9 ? whole : 1;
    v = mix(v, 1 / whole, v, 0);
    vec n = mix(v, 1, axis, -dot(v, axis));
    *factor *= 1 - dot(v, axis) * dot(v, axis);
    return length(n) > 1e-6 ? dot(sub(p, b->root), unit(n)) : 0;
}

static void weights_of(const limber_model* model, const uint8_t* pruned, const limber_mesh* mesh, uint32_t u,
                       double* weights) {
    const limber_skin* skin = &model->skins[mesh->skin];
    memset(weights, 0, model->rig.joint_count * sizeof *weights);
    for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++)
        weights[kept_ancestor(model, pruned, skin->joints[mesh->influence_joint[i]])] +=
            (double)mesh->influence_weight[i];
}

static double size_of(const limber_model* model, const uint8_t* pruned, const plain_bone* bones, uint32_t j, double u) {
    double root = bones[j].own, tip = bones[j].own;
    int32_t parent = parent_of(model, pruned, j);
    for (uint32_t k = 0; k < model->rig.joint_count; k++) {
        int32_t above = parent_of(model, pruned, k);
        if (parent >= 0 && (above == parent || (int32_t)k == parent))
            root = fmax(root, bones[k].own);
        if (above == (int32_t)j)
            tip = fmax(tip, bones[k].own);
    }
    return bones[j].simple ? bones[j].own : (1 - u) * root + u * tip;
}

void test_offsets(const limber_model* model, const uint8_t* pruned, const limber_pose* pose, const limber_pose* next,
                  const float* positions, double* offsets) {
    uint32_t joints = model->rig.joint_count;
    plain_bone* bones = calloc((size_t)joints + 1, sizeof *bones);
    double* weights = calloc((size_t)joints + 1, sizeof *weights);
    for (uint32_t j = 0; j < joints; j++)
        bones[j] = bone_of(model, pruned, pose, next, j);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t m = 0; m < model->mesh_count; m++)
            for (uint32_t u = 0; u < model->meshes[m].vertex_count; u++) {
                size_t at = model->meshes[m].first_vertex + u;
                vec p = from3(limberi_load3(positions + 3 * at));
                weights_of(model, pruned, &model->meshes[m], u, weights);
                offsets[at] = 0;
                for (uint32_t j = 0; j < joints; j++) {
                    if (!(weights[j] > 0) || bones[j].still)
                        continue;
                    double x, factor, delta = delta_of(&bones[j], p, &x, &factor);
                    if (pass == 0 && weights[j] >= 0.1 - 1e-7)
                        bones[j].own = fmax(bones[j].own, fabs(delta));
                    double max = pass ? size_of(model, pruned, bones, j, x) : 0;
                    if (max > 0)
                        offsets[at] += weights[j] * factor * delta / max;
                }
                offsets[at] = fmin(fmax(offsets[at], -1), 1);
            }
    free(bones);
    free(weights);
}

// The largest |delta| by bone j over all vertices affected by bones around its root, and around its tip.
static void printed_sizes(const limber_model* model, const plain_bone* bones, uint32_t j, const float* positions,
                          double* root, double* tip) {
    uint32_t joints = model->rig.joint_count;
    int32_t parent = parent_of(model, NULL, j);
    double* weights = calloc((size_t)joints + 1, sizeof *weights);
    *root = *tip = 0;
    for (uint32_t m = 0; m < model->mesh_count; m++)
        for (uint32_t u = 0; u < model->meshes[m].vertex_count; u++) {
            double x, factor;
            vec p = from3(limberi_load3(positions + 3 * ((size_t)model->meshes[m].first_vertex + u)));
            double delta = fabs(delta_of(&bones[j], p, &x, &factor));
            weights_of(model, NULL, &model->meshes[m], u, weights);
            for (uint32_t k = 0; k < joints; k++) {
                int32_t above = parent_of(model, NULL, k);
                if (!(weights[k] > 0))
                    continue;
                if (k == j || (parent >= 0 && (above == parent || (int32_t)k == parent)))
                    *root = fmax(*root, delta);
                if (k == j || above == (int32_t)j)
                    *tip = fmax(*tip, delta);
            }
        }
    free(weights);
}

void test_offsets_printed(const limber_model* model, const limber_pose* pose, const limber_pose* next,
                          const float* positions, double* offsets) {
    uint32_t joints = model->rig.joint_count;
    double* weights = calloc((size_t)joints + 1, sizeof *weights);
    plain_bone* bones = calloc((size_t)joints + 1, sizeof *bones);
    memset(offsets, 0, model->vertex_count * sizeof *offsets);
    for (uint32_t j = 0; j < joints; j++)
        bones[j] = bone_of(model, NULL, pose, next, j);
    for (uint32_t j = 0; j < joints; j++) {
        double root, tip;
        printed_sizes(model, bones, j, positions, &root, &tip);
        for (uint32_t m = 0; !bones[j].still && m < model->mesh_count; m++)
            for (uint32_t u = 0; u < model->meshes[m].vertex_count; u++) {
                size_t at = model->meshes[m].first_vertex + u;
                double x, factor, delta = delta_of(&bones[j], from3(limberi_load3(positions + 3 * at)), &x, &factor);
                weights_of(model, NULL, &model->meshes[m], u, weights);
                double max = x * root + (1 - x) * tip;
                if (weights[j] > 0 && max > 0)
                    offsets[at] += weights[j] * factor * delta / max;
            }
    }
    free(bones);
    free(weights);
}

static bool is_delicate(const limber_model* model, const limber_pose* pose, const limber_pose* next, uint32_t joint) {
    vec root = sub(place_of(next, joint), place_of(pose, joint));
    vec tip = sub(tip_of(model, NULL, next, joint), tip_of(model, NULL, pose, joint));
    double slow = 1e-4 * (double)model->size;
    if (length(root) < slow || length(tip) < slow)
        return true;
    return fabs(acos(fmin(fmax(dot(unit(root), unit(tip)), -1), 1)) - 2.9) < 0.02;
}

bool test_offset_is_delicate(const limber_model* model, const limber_pose* pose, const limber_pose* next,
                             uint32_t vertex) {
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        if (vertex < mesh->first_vertex || vertex - mesh->first_vertex >= mesh->vertex_count)
            continue;
        uint32_t u = vertex - mesh->first_vertex;
        for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++)
            if (is_delicate(model, pose, next, model->skins[mesh->skin].joints[mesh->influence_joint[i]]))
                return true;
    }
    return false;
}
