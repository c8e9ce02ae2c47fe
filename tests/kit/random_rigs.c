// Random characters by seed: every shape of hierarchy, and what a file may hold that nobody models on purpose.
#include "kit/random_rigs.h"
#include "base/math.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// --- numbers ---

test_random test_random_seed(uint64_t seed) {
    test_random random = {seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du};
    return random;
}

// splitmix64: a counter through a mixing function.
static uint32_t next(test_random* random) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)(z >> 32);
}

uint32_t test_random_below(test_random* random, uint32_t count) {
    return (uint32_t)(((uint64_t)next(random) * count) >> 32);
}

float test_random_between(test_random* random, float min, float max) {
    return min + (max - min) * (float)(next(random) >> 8) * 0x1p-24f;
}

bool test_random_chance(test_random* random, float share) {
    return test_random_between(random, 0, 1) < share;
}

limber_vec3 test_random_direction(test_random* random) {
    limber_vec3 v = limberi_vec3(0, 0, 0);
    while (!(limberi_length(v) > 0.1f && limberi_length(v) <= 1)) {
        v.x = test_random_between(random, -1, 1);
        v.y = test_random_between(random, -1, 1);
        v.z = test_random_between(random, -1, 1);
    }
    return limberi_normalize(v);
}

static limber_quat random_turn(test_random* random, float angle_rad) {
    return limberi_quat_exp(
        limberi_scale(test_random_direction(random), test_random_between(random, -angle_rad, angle_rad)));
}

// --- recipes ---

test_rig_recipe test_recipe(uint32_t index) {
    static const uint32_t joints[] = {1, 2, 3, 5, 8, 17, 33, 64, 120, 256, 512};
    test_random random = test_random_seed(index + 1000);
    test_rig_recipe recipe;
    memset(&recipe, 0, sizeof recipe);
    recipe.seed = index + 1;
    recipe.shape = (test_shape)(index % TEST_SHAPE_COUNT);
    recipe.joint_count = joints[index % 11];
    recipe.mesh_count = 1 + index % 3;
    recipe.vertex_count = 1 + test_random_below(&random, index % 5 == 0 ? 20 : 300);
    recipe.influence_count = 1 + index % 8;
    recipe.far_vertex = index % 7 == 3;
    recipe.morphs = index % 4 == 1;
    return recipe;
}

const char* test_recipe_text(const test_rig_recipe* recipe) {
    static const char* const shapes[] = {"chain", "star", "bush", "tree", "forest", "heap"};
    static char text[160];
    snprintf(text, sizeof text, "seed %llu: %s of %u joints, %u meshes of %u vertices with up to %u influences%s",
             (unsigned long long)recipe->seed, shapes[recipe->shape], recipe->joint_count, recipe->mesh_count,
             recipe->vertex_count, recipe->influence_count, recipe->far_vertex ? ", one far away" : "");
    return text;
}

// --- characters ---

typedef struct maker {
    limberi_arena arena;
    const test_rig_recipe* recipe;
    test_random random;
    limber_model model;
    limber_mat4* world; // [joint] at rest
    float reach;        // about how large the skeleton is
} maker;

static int32_t parent_of(maker* m, uint32_t j) {
    if (j == 0)
        return -1;
    switch (m->recipe->shape) {
    case TEST_CHAIN:
        return (int32_t)j - 1;
    case TEST_STAR:
        return 0;
    case TEST_BUSH:
        return (int32_t)(j - 1) / 2;
    case TEST_FOREST:
        return test_random_chance(&m->random, 0.15f) ? -1 : (int32_t)test_random_below(&m->random, j);
    default:
        return (int32_t)test_random_below(&m->random, j);
    }
}

static void make_rig(maker* m) {
    uint32_t count = m->recipe->joint_count;
    int32_t* parents = LIMBERI_ALLOCATE(&m->arena, int32_t, count);
    limber_transform* rest = LIMBERI_ALLOCATE(&m->arena, limber_transform, count);
    m->world = LIMBERI_ALLOCATE(&m->arena, limber_mat4, count);
    m->reach = 0.5f;
    for (uint32_t j = 0; j < count; j++) {
        bool short_bone = m->recipe->shape == TEST_HEAP || test_random_chance(&m->random, 0.15f);
        parents[j] = parent_of(m, j);
        rest[j] = limber_transform_identity();
        rest[j].rotation = random_turn(&m->random, 0.5f);
        if (!short_bone)
            rest[j].translation =
                limberi_scale(test_random_direction(&m->random), test_random_between(&m->random, 0.05f, 0.4f));
        limber_mat4 local = limberi_mat4_from_transform(&rest[j]);
        m->world[j] = parents[j] < 0 ? local : limberi_mat4_mul(&m->world[parents[j]], &local);
        m->reach = fmaxf(m->reach, limberi_length(limberi_mat4_translation(&m->world[j])));
    }
    m->model.rig.joint_count = count;
    m->model.rig.parents = parents;
    m->model.rig.rest_local = rest;
}

// Some of the joints, in any order; now and then one of them twice.
static limber_skin make_skin(maker* m, uint32_t index) {
    uint32_t joints = m->recipe->joint_count, count = 1 + test_random_below(&m->random, joints);
    if (index == 0)
        count = joints + joints / 4;
    uint32_t* list = LIMBERI_ALLOCATE(&m->arena, uint32_t, count);
    limber_mat4* inverse = LIMBERI_ALLOCATE(&m->arena, limber_mat4, count);
    for (uint32_t k = 0; k < count; k++) {
        list[k] = test_random_below(&m->random, joints);
        limberi_mat4_inverse(&m->world[list[k]], &inverse[k]);
    }
    limber_skin skin = {"skin", count, list, inverse, limber_mat4_identity()};
    return skin;
}

// Vertices share sets of joints, as they do where a mesh bends, with different weights.
static void make_influences(maker* m, limber_mesh* mesh, uint32_t joints) {
    enum { MAX = 8 };
    uint32_t sets = 1 + mesh->vertex_count / 12, at = 0;
    uint16_t* pool = LIMBERI_ALLOCATE(&m->arena, uint16_t, MAX * sets);
    uint32_t* first = LIMBERI_ALLOCATE(&m->arena, uint32_t, (size_t)mesh->vertex_count + 1);
    uint16_t* joint = LIMBERI_ALLOCATE(&m->arena, uint16_t, MAX * (size_t)mesh->vertex_count);
    float* weight = LIMBERI_ALLOCATE(&m->arena, float, MAX*(size_t)mesh->vertex_count);
    for (uint32_t i = 0; i < MAX * sets; i++)
        pool[i] = (uint16_t)test_random_below(&m->random, joints);
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        const uint16_t* set = pool + MAX * (size_t)test_random_below(&m->random, sets);
        uint32_t count =
            test_random_chance(&m->random, 0.7f) ? m->recipe->influence_count : 1 + test_random_below(&m->random, MAX);
        first[u] = at;
        for (uint32_t i = 0; i < count && i < m->recipe->influence_count; i++) {
            bool again = i && test_random_chance(&m->random, 0.1f);
            joint[at] = again ? joint[at - 1] : set[i];
            weight[at] = i && test_random_chance(&m->random, 0.15f) ? 0 : test_random_between(&m->random, 0.01f, 1);
            at++;
        }
    }
    first[mesh->vertex_count] = at;
    mesh->influence_first = first;
    mesh->influence_joint = joint;
    mesh->influence_weight = weight;
}

static float* random_floats(maker* m, size_t count, float min, float max) {
    float* values = LIMBERI_ALLOCATE(&m->arena, float, count);
    for (size_t i = 0; i < count; i++)
        values[i] = test_random_between(&m->random, min, max);
    return values;
}

static void make_surface(maker* m, limber_mesh* mesh, const limber_skin* skin) {
    size_t count = mesh->vertex_count;
    float* positions = LIMBERI_ALLOCATE(&m->arena, float, 3 * count);
    float* normals = LIMBERI_ALLOCATE(&m->arena, float, 3 * count);
    for (size_t u = 0; u < count; u++) {
        uint32_t k = mesh->influence_joint[mesh->influence_first[u]];
        limber_vec3 at = limberi_mat4_translation(&m->world[skin->joints[k]]);
        float away = m->recipe->far_vertex && u + 1 == count ? 20 * m->reach : 0.3f;
        at = limberi_add(at, limberi_scale(test_random_direction(&m->random), away));
        limberi_store3(positions + 3 * u, at);
        limberi_store3(normals + 3 * u, test_random_direction(&m->random));
    }
    uint32_t triangle_count = mesh->vertex_count < 3 ? 0 : mesh->vertex_count;
    uint32_t* triangles = LIMBERI_ALLOCATE(&m->arena, uint32_t, 3 * (size_t)triangle_count);
    for (uint32_t i = 0; i < 3 * triangle_count; i++)
        triangles[i] = test_random_below(&m->random, mesh->vertex_count);
    mesh->positions = positions;
    mesh->normals = normals;
    mesh->triangle_count = triangle_count;
    mesh->triangles = triangles;
}

static void make_extras(maker* m, limber_mesh* mesh, uint32_t index) {
    size_t count = mesh->vertex_count;
    limber_layer* layers = LIMBERI_ALLOCATE(&m->arena, limber_layer, 2);
    layers[0].name = "floppy";
    layers[0].values = random_floats(m, count, -1, 1);
    layers[1].name = "squash";
    layers[1].values = random_floats(m, count, 0, 1);
    mesh->layer_count = index == 0 ? 2 : index == 1 ? 1 : 0;
    mesh->layers = layers;
    mesh->uvs = index % 2 ? NULL : random_floats(m, 2 * count, 0, 1);
    if (!m->recipe->morphs || index)
        return;
    limber_morph* morph = LIMBERI_ALLOCATE(&m->arena, limber_morph, 1);
    morph->name = "shape";
    morph->positions = random_floats(m, 3 * count, -0.05f, 0.05f);
    morph->normals = random_floats(m, 3 * count, -0.1f, 0.1f);
    mesh->morph_count = 1;
    mesh->morphs = morph;
    mesh->morph_defaults = random_floats(m, 1, 0.2f, 0.8f);
}

static void make_clip(maker* m) {
    enum { KEYS = 13 };
    uint32_t joints = m->recipe->joint_count;
    limber_clip* clip = LIMBERI_ALLOCATE(&m->arena, limber_clip, 1);
    limber_channel* channels = LIMBERI_ALLOCATE(&m->arena, limber_channel, (size_t)joints + 2);
    float* times = LIMBERI_ALLOCATE(&m->arena, float, KEYS);
    for (uint32_t k = 0; k < KEYS; k++)
        times[k] = (float)k / 12;
    for (uint32_t j = 0; j < joints; j++) {
        float* values = LIMBERI_ALLOCATE(&m->arena, float, 4 * KEYS);
        for (uint32_t k = 0; k < KEYS; k++) {
            limber_quat q = random_turn(&m->random, 0.3f);
            memcpy(values + 4 * k, &q, sizeof q);
        }
        limber_channel turn = {LIMBER_CHANNEL_ROTATION, LIMBER_INTERPOLATION_LINEAR, j, KEYS, times, values};
        channels[clip->channel_count++] = turn;
    }
    limber_channel travel = {LIMBER_CHANNEL_TRANSLATION,
                             LIMBER_INTERPOLATION_LINEAR,
                             0,
                             KEYS,
                             times,
                             random_floats(m, 3 * KEYS, -0.3f, 0.3f)};
    channels[clip->channel_count++] = travel;
    limber_channel shape = {LIMBER_CHANNEL_WEIGHTS,      LIMBER_INTERPOLATION_LINEAR, 0, KEYS, times,
                            random_floats(m, KEYS, 0, 1)};
    if (m->recipe->morphs)
        channels[clip->channel_count++] = shape;
    clip->name = "shaking";
    clip->channels = channels;
    m->model.clips = clip;
    m->model.clip_count = 1;
}

limber_asset* test_random_rig(const test_rig_recipe* recipe) {
    maker m;
    memset(&m, 0, sizeof m);
    m.recipe = recipe;
    m.random = test_random_seed(recipe->seed);
    m.model = limber_model_default();
    make_rig(&m);
    limber_skin* skins = LIMBERI_ALLOCATE(&m.arena, limber_skin, recipe->mesh_count);
    limber_mesh* meshes = LIMBERI_ALLOCATE(&m.arena, limber_mesh, recipe->mesh_count);
    for (uint32_t i = 0; i < recipe->mesh_count; i++) {
        skins[i] = make_skin(&m, i);
        meshes[i].name = meshes[i].node_name = "mesh";
        meshes[i].skin = i;
        meshes[i].vertex_count = recipe->vertex_count;
        make_influences(&m, &meshes[i], skins[i].joint_count);
        make_surface(&m, &meshes[i], &skins[i]);
        make_extras(&m, &meshes[i], i);
    }
    m.model.skin_count = m.model.mesh_count = recipe->mesh_count;
    m.model.skins = skins;
    m.model.meshes = meshes;
    if (recipe->clip)
        make_clip(&m);
    limber_asset* asset = NULL;
    limber_error error;
    assert_false(m.arena.failed);
    if (limber_asset_create(&m.model, &asset, &error) != LIMBER_OK)
        fail_msg("%s: %s: %s", test_recipe_text(recipe), error.place, error.message);
    limberi_arena_free(&m.arena);
    return asset;
}

// --- poses and motion ---

static uint32_t deepest(const limber_model* model) {
    uint32_t max = 1;
    for (uint32_t j = 0; j < model->rig.joint_count; j++) {
        uint32_t depth = 0;
        for (int32_t k = (int32_t)j; k >= 0; k = model->rig.parents[k])
            depth++;
        max = depth > max ? depth : max;
    }
    return max;
}

void test_random_pose(test_random* random, const limber_model* model, float angle_rad, limber_pose* pose) {
    limber_pose_rest(model, pose);
    float scaled = 0.5f / (float)deepest(model);
    for (uint32_t j = 0; j < model->rig.joint_count; j++) {
        pose->local[j].rotation = limberi_quat_mul(pose->local[j].rotation, random_turn(random, angle_rad));
        if (test_random_chance(random, scaled)) {
            pose->local[j].scale.x = test_random_between(random, 0.7f, 1.3f);
            pose->local[j].scale.y = test_random_between(random, 0.7f, 1.3f);
        }
    }
    for (uint32_t i = 0; i < model->morph_count; i++)
        pose->morph_weights[i] = test_random_between(random, 0, 1);
    limber_pose_update_world(model, pose);
}

static limber_vec3 random_vector(test_random* random, float max) {
    return limberi_scale(test_random_direction(random), test_random_between(random, 0, max));
}

void test_random_motion(test_random* random, const limber_model* model, float max, float still_share,
                        limber_kinematics* motion) {
    float share = max / sqrtf((float)deepest(model));
    for (uint32_t j = 0; j < model->rig.joint_count; j++) {
        float moves = test_random_chance(random, still_share) ? 0 : share;
        motion->velocity[j] = random_vector(random, moves * model->size);
        motion->acceleration[j] = random_vector(random, 4 * moves * model->size);
        motion->angular_velocity[j] = random_vector(random, test_random_chance(random, still_share) ? 0 : share);
        motion->angular_acceleration[j] = random_vector(random, 4 * moves);
    }
}
