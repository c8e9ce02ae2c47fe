// Small characters made by hand, the built-in ones, and all that tests go through, files included.
#include "kit/models.h"
#include "characters/characters.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RINGS = 5, MAX_JOINTS = 16, MAX_KEYS = 2048 };

// Weights of the tube: ring r at height r * (joints - 1) / (RINGS - 1) hangs on the two joints it lies between.
static void fill_tube(uint32_t joint_count, float* positions, uint32_t* first, uint16_t* joints, float* weights,
                      uint32_t* triangles) {
    uint32_t n = 0, t = 0;
    for (uint32_t r = 0; r < RINGS; r++) {
        float y = (float)r * (float)(joint_count - 1) / (RINGS - 1);
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t u = 4 * r + k;
            positions[3 * u] = (k == 0 || k == 3) ? -0.25f : 0.25f;
            positions[3 * u + 1] = y;
            positions[3 * u + 2] = k < 2 ? -0.25f : 0.25f;
            uint32_t below = (uint32_t)fminf(floorf(y), (float)joint_count - 1);
            float above = y - (float)below;
            first[u] = n;
            joints[n] = (uint16_t)below;
            weights[n++] = 1 - above;
            if (above > 0) {
                joints[n] = (uint16_t)(below + 1);
                weights[n++] = above;
            }
            if (r + 1 == RINGS)
                continue;
            uint32_t next = 4 * r + (k + 1) % 4;
            const uint32_t quad[6] = {u, u + 4, next, next, u + 4, next + 4};
            memcpy(triangles + 3 * t, quad, sizeof quad);
            t += 2;
        }
    }
    first[4 * RINGS] = n;
}

limber_asset* test_tube_create(uint32_t joint_count, float angle_rad, uint32_t fps, bool back_again) {
    static float positions[12 * RINGS], weights[8 * RINGS], times[MAX_KEYS], values[4 * MAX_KEYS];
    static uint32_t first[4 * RINGS + 1], triangles[24 * RINGS], skin_joints[MAX_JOINTS];
    static uint16_t joints[8 * RINGS];
    static limber_transform rest[MAX_JOINTS];
    static limber_mat4 inverse[MAX_JOINTS];
    static int32_t parents[MAX_JOINTS];
    static const char* names[MAX_JOINTS];
    fill_tube(joint_count, positions, first, joints, weights, triangles);
    for (uint32_t j = 0; j < joint_count; j++) {
        rest[j] = limber_transform_identity();
        rest[j].translation.y = j ? 1 : 0;
        inverse[j] = limber_mat4_identity();
        inverse[j].m[13] = -(float)j;
        parents[j] = (int32_t)j - 1;
        skin_joints[j] = j;
        names[j] = "joint";
    }
    for (uint32_t k = 0; k <= fps; k++) {
        float at = (float)k / (float)fps, turn = back_again ? 0.5f - 0.5f * cosf(6.2831853f * at) : at;
        times[k] = at;
        const float q[4] = {0, 0, sinf(0.5f * angle_rad * turn), cosf(0.5f * angle_rad * turn)};
        memcpy(values + 4 * k, q, sizeof q);
    }
    limber_channel channel = {LIMBER_CHANNEL_ROTATION, LIMBER_INTERPOLATION_LINEAR, 1, fps + 1, times, values};
    limber_skin skin = {"skin", joint_count, skin_joints, inverse, limber_mat4_identity()};
    limber_mesh mesh;
    memset(&mesh, 0, sizeof mesh);
    mesh.name = mesh.node_name = "tube";
    mesh.vertex_count = 4 * RINGS;
    mesh.triangle_count = 8 * (RINGS - 1);
    mesh.positions = positions;
    mesh.triangles = triangles;
    mesh.influence_first = first;
    mesh.influence_joint = joints;
    mesh.influence_weight = weights;
    limber_clip clip;
    memset(&clip, 0, sizeof clip);
    clip.name = "turn";
    clip.channel_count = 1;
    clip.channels = &channel;
    limber_model model = limber_model_default();
    model.rig.joint_count = joint_count;
    model.rig.names = names;
    model.rig.parents = parents;
    model.rig.rest_local = rest;
    model.skin_count = model.mesh_count = model.clip_count = 1;
    model.skins = &skin;
    model.meshes = &mesh;
    model.clips = &clip;
    limber_asset* asset = NULL;
    limber_error error;
    if (limber_asset_create(&model, &asset, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    return asset;
}

limber_asset* test_built_in(const char* name, double detail) {
    limber_asset* asset = NULL;
    limber_error error = {.result = LIMBER_OK};
    if (limberi_character_create(name, detail, &asset, &error) != LIMBER_OK)
        fail_msg("%s at detail %g: %s %s", name, detail, error.place, error.message);
    return asset;
}

uint32_t test_clip(const limber_asset* asset, const char* name) {
    int32_t clip = limber_model_find_clip(limber_asset_model(asset), name);
    if (clip < 0)
        fail_msg("there is no clip '%s'", name);
    return (uint32_t)clip;
}

const char* test_assets(void) {
    return getenv("LIMBER_TEST_ASSETS");
}

enum { MAX_FILES = 64 };

// The .glb files of the assets folder, sorted so that every run goes the same way.
static uint32_t list_files(char names[MAX_FILES][256]) {
    uint32_t count = 0;
    DIR* listing = test_assets() ? opendir(test_assets()) : NULL;
    for (struct dirent* entry = listing ? readdir(listing) : NULL; entry && count < MAX_FILES;
         entry = readdir(listing)) {
        size_t length = strlen(entry->d_name);
        if (length > 4 && length < 256 && strcmp(entry->d_name + length - 4, ".glb") == 0)
            strcpy(names[count++], entry->d_name);
    }
    if (listing)
        closedir(listing);
    qsort(names, count, sizeof names[0], (int (*)(const void*, const void*))strcmp);
    return count;
}

uint32_t test_character_count(void) {
    static char names[MAX_FILES][256];
    return limberi_character_common_count() + list_files(names);
}

uint32_t test_character_step(void) {
    return getenv("LIMBER_TEST_LONG") ? 1 : 5;
}

const char* test_character_name(uint32_t index) {
    static char names[MAX_FILES][256];
    if (index < limberi_character_common_count())
        return limberi_character_at(index)->name;
    list_files(names);
    return names[index - limberi_character_common_count()];
}

limber_asset* test_character_load(uint32_t index, limber_gltf** gltf) {
    limber_error error;
    *gltf = NULL;
    if (index < limberi_character_common_count())
        return test_built_in(limberi_character_at(index)->name, 1);
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", test_assets(), test_character_name(index));
    if (limber_gltf_load_file(path, NULL, gltf, &error) != LIMBER_OK)
        fail_msg("%s: %s: %s", path, error.place, error.message);
    return (limber_asset*)(uintptr_t)limber_gltf_asset(*gltf);
}

void test_character_free(limber_asset* asset, limber_gltf* gltf) {
    if (gltf)
        limber_gltf_destroy(gltf);
    else
        limber_asset_destroy(asset);
}
