// Clips of an imported scene: its channels resampled to limber's.
#include "base/math.h"
#include "base/sort.h"
#include "cli/import/scene.h"

#include <stdlib.h>
#include <string.h>

typedef struct clip_import {
    import_scene* s;
    const struct aiAnimation* from;
    const struct aiNodeAnim** moved; // [node]: its channel, or NULL
    double seconds;                  // per tick
    limber_channel* channels;
    uint32_t count;
} clip_import;

// --- one node at one time ---

// Keys start with their time. The last one at or before `time`, and how far it is to the next, from 0 to 1.
static uint32_t find_key(const void* keys, size_t stride, uint32_t count, double time, float* part) {
    uint32_t low = 0;
    uint32_t high = count;
    double before, after;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        memcpy(&before, (const char*)keys + stride * middle, sizeof before);
        if (before <= time)
            low = middle;
        else
            high = middle;
    }
    *part = 0;
    if (low + 1 == count)
        return low;
    memcpy(&before, (const char*)keys + stride * low, sizeof before);
    memcpy(&after, (const char*)keys + stride * (low + 1), sizeof after);
    if (after > before)
        *part = (float)fmin(fmax((time - before) / (after - before), 0), 1);
    return low;
}

static limber_vec3 vector_at(const struct aiVectorKey* keys, uint32_t count, double time) {
    float part;
    uint32_t at = find_key(keys, sizeof *keys, count, time, &part);
    struct aiVector3D a = keys[at].mValue;
    struct aiVector3D b = keys[at + 1 < count ? at + 1 : at].mValue;
    return limberi_vec3(a.x + part * (b.x - a.x), a.y + part * (b.y - a.y), a.z + part * (b.z - a.z));
}

static limber_quat rotation_at(const struct aiQuatKey* keys, uint32_t count, double time) {
    float part;
    uint32_t at = find_key(keys, sizeof *keys, count, time, &part);
    struct aiQuaternion p = keys[at].mValue;
    struct aiQuaternion r = keys[at + 1 < count ? at + 1 : at].mValue;
    limber_quat a = limberi_quat_normalize((limber_quat){p.x, p.y, p.z, p.w});
    limber_quat b = limberi_quat_normalize((limber_quat){r.x, r.y, r.z, r.w});
    limber_quat turn = limberi_quat_mul(b, limberi_quat_conj(a));
    float sign = turn.w < 0 ? -1.0f : 1.0f; // the short way
    limber_vec3 axis = limberi_vec3(sign * turn.x, sign * turn.y, sign * turn.z);
    float sine = sqrtf(limberi_dot(axis, axis));
    if (!(sine > 1e-7f))
        return a;
    float angle = 2 * atan2f(sine, sign * turn.w);
    return limberi_quat_mul(limberi_quat_exp(limberi_scale(axis, part * angle / sine)), a);
}

// Where the keys of a joint's own node move it, they hold all of FBX's chain, though its helper nodes are there, too. Of
// the chain's last rotation they have the inverse, twice of which puts that right (Assimp 5.2).
static limber_quat last_turn(const import_scene* s, uint32_t node) {
    limber_transform t = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    for (uint32_t up = import_folded_above(s, node); up != IMPORT_NONE; up = import_folded_above(s, up)) {
        const char* kind = import_helper_kind(s, node, up);
        if (kind && strcmp(kind, "PostRotation") == 0)
            (void)limberi_mat4_decompose(&s->nodes[up].local, &t);
    }
    return limberi_quat_mul(t.rotation, t.rotation);
}

static limber_mat4 node_at(const clip_import* c, uint32_t node, double time) {
    const struct aiNodeAnim* moved = c->moved[node];
    limber_transform t;
    if (!moved)
        return c->s->nodes[node].local;
    (void)limberi_mat4_decompose(&c->s->nodes[node].local, &t);
    if (moved->mNumPositionKeys)
        t.translation = limberi_scale(vector_at(moved->mPositionKeys, moved->mNumPositionKeys, time), c->s->meters);
    if (moved->mNumRotationKeys)
        t.rotation =
            limberi_quat_mul(rotation_at(moved->mRotationKeys, moved->mNumRotationKeys, time), last_turn(c->s, node));
    if (moved->mNumScalingKeys)
        t.scale = vector_at(moved->mScalingKeys, moved->mNumScalingKeys, time);
    return limberi_mat4_from_transform(&t);
}

// --- one joint: its own node and the folded ones above ---

// Of a node and the folded ones above, into `times` where that is not NULL; how many there are.
static size_t list_times(const clip_import* c, uint32_t node, double* times) {
    size_t all = 0;
    for (uint32_t n = node; n != IMPORT_NONE; n = import_folded_above(c->s, n)) {
        const struct aiNodeAnim* moved = c->moved[n];
        for (uint32_t k = 0; times && moved && k < moved->mNumPositionKeys; k++)
            times[all + k] = moved->mPositionKeys[k].mTime;
        all += moved ? moved->mNumPositionKeys : 0;
        for (uint32_t k = 0; times && moved && k < moved->mNumRotationKeys; k++)
            times[all + k] = moved->mRotationKeys[k].mTime;
        all += moved ? moved->mNumRotationKeys : 0;
        for (uint32_t k = 0; times && moved && k < moved->mNumScalingKeys; k++)
            times[all + k] = moved->mScalingKeys[k].mTime;
        all += moved ? moved->mNumScalingKeys : 0;
    }
    return all;
}

// All times of its keys in ticks, sorted, none twice; NULL with *count 0: it does not move, or memory is short.
static double* key_times(const clip_import* c, uint32_t node, uint32_t* count) {
    uint32_t scaled = import_scale_source(c->s, node);
    size_t own = list_times(c, node, NULL);
    size_t all = own + list_times(c, scaled, NULL);
    double* times = all ? LIMBERI_ALLOCATE(&c->s->arena, double, all) : NULL;
    size_t kept = 0;
    if (times)
        all = list_times(c, node, times) + list_times(c, scaled, times + own);
    if (times)
        qsort(times, all, sizeof *times, limberi_compare_doubles);
    enum { PER_SECOND = 4000 }; // closer keys are the same one, rounded
    for (size_t k = 0; times && k < all; k++)
        if (isfinite(times[k]) && (!kept || (times[k] - times[kept - 1]) * c->seconds * PER_SECOND > 1))
            times[kept++] = times[k];
    *count = (uint32_t)kept;
    return times;
}

static void add_channel(clip_import* c, limber_channel_path path, uint32_t joint, uint32_t keys, const float* times,
                        const float* values, const float* rest) {
    uint32_t width = path == LIMBER_CHANNEL_ROTATION ? 4 : 3;
    bool still = true;
    for (size_t i = 0; still && i < (size_t)keys * width; i++)
        still = fabsf(values[i] - rest[i % width]) <= 1e-6f * fmaxf(1, fabsf(rest[i % width]));
    limber_channel channel = {path, LIMBER_INTERPOLATION_LINEAR, joint, keys, times, values};
    if (!still)
        c->channels[c->count++] = channel;
}

static limber_mat4 joint_at(const clip_import* c, uint32_t node, double tick) {
    limber_mat4 local = node_at(c, node, tick);
    for (uint32_t up = import_folded_above(c->s, node); up != IMPORT_NONE; up = import_folded_above(c->s, up)) {
        if (c->moved[node] && import_helper_kind(c->s, node, up))
            continue;
        limber_mat4 above = node_at(c, up, tick);
        local = limberi_mat4_mul(&above, &local);
    }
    return local;
}

static void fill_keys(const clip_import* c, uint32_t node, const double* ticks, uint32_t keys, float* times,
                      float* values[3]) {
    limber_quat before = {0, 0, 0, 0};
    uint32_t scaled = import_scale_source(c->s, node);
    for (uint32_t k = 0; k < keys; k++) {
        limber_mat4 local = joint_at(c, node, ticks[k]);
        if (scaled != IMPORT_NONE) {
            limber_mat4 above = joint_at(c, scaled, ticks[k]);
            local = import_without_scale(&local, &above);
        }
        limber_transform t;
        (void)limberi_mat4_decompose(&local, &t);
        limber_quat q = t.rotation;
        float sign = q.x * before.x + q.y * before.y + q.z * before.z + q.w * before.w < 0 ? -1.0f : 1.0f;
        before = (limber_quat){sign * q.x, sign * q.y, sign * q.z, sign * q.w};
        times[k] = (float)(ticks[k] * c->seconds);
        limberi_store3(values[0] + 3 * (size_t)k, t.translation);
        memcpy(values[1] + 4 * (size_t)k, &before, sizeof before);
        limberi_store3(values[2] + 3 * (size_t)k, t.scale);
    }
}

static limber_result import_joint(clip_import* c, uint32_t joint) {
    limberi_arena* arena = &c->s->arena;
    const limber_transform* rest = &c->s->model.rig.rest_local[joint];
    uint32_t keys;
    uint32_t node = c->s->node_of_joint[joint];
    const double start = 0;
    const double* ticks = key_times(c, node, &keys);
    if (arena->failed)
        return limberi_fail_memory(c->s->error);
    if (!keys && memcmp(rest, &c->s->saved_local[joint], sizeof *rest) == 0)
        return LIMBER_OK;
    if (!keys) { // it stays as it was saved
        ticks = &start;
        keys = 1;
    }
    float* times = LIMBERI_ALLOCATE(arena, float, keys);
    float* values[3] = {LIMBERI_ALLOCATE(arena, float, 3 * (size_t)keys),
                        LIMBERI_ALLOCATE(arena, float, 4 * (size_t)keys),
                        LIMBERI_ALLOCATE(arena, float, 3 * (size_t)keys)};
    if (arena->failed)
        return limberi_fail_memory(c->s->error);
    fill_keys(c, node, ticks, keys, times, values);
    add_channel(c, LIMBER_CHANNEL_TRANSLATION, joint, keys, times, values[0], &rest->translation.x);
    add_channel(c, LIMBER_CHANNEL_ROTATION, joint, keys, times, values[1], &rest->rotation.x);
    add_channel(c, LIMBER_CHANNEL_SCALE, joint, keys, times, values[2], &rest->scale.x);
    return LIMBER_OK;
}

// --- morph weights ---

// "Face*0": the node or the mesh, then a number.
static uint32_t morphed_mesh(const import_scene* s, const char* channel) {
    size_t length = strcspn(channel, "*");
    for (uint32_t n = 0; n < s->node_count; n++) {
        uint32_t mesh = s->mesh_of_node[n];
        const char* names[2] = {s->nodes[n].source->mName.data, mesh == IMPORT_NONE ? "" : s->model.meshes[mesh].name};
        for (int i = 0; mesh != IMPORT_NONE && i < 2; i++)
            if (strlen(names[i]) == length && memcmp(names[i], channel, length) == 0)
                return s->model.meshes[mesh].morph_count ? mesh : IMPORT_NONE;
    }
    return IMPORT_NONE;
}

static limber_result import_weights(clip_import* c, const struct aiMeshMorphAnim* from) {
    uint32_t mesh = morphed_mesh(c->s, from->mName.data);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->count; i++) // one mesh of several materials has several channels
        if (c->channels[i].path == LIMBER_CHANNEL_WEIGHTS && c->channels[i].target == mesh)
            return LIMBER_OK;
    if (mesh == IMPORT_NONE || !from->mNumKeys)
        return LIMBER_OK;
    uint32_t width = c->s->model.meshes[mesh].morph_count;
    float* times = LIMBERI_ALLOCATE(&c->s->arena, float, from->mNumKeys);
    float* values = LIMBERI_ALLOCATE(&c->s->arena, float, (size_t)from->mNumKeys* width);
    if (!times || !values)
        return limberi_fail_memory(c->s->error);
    for (uint32_t k = 0; k < from->mNumKeys; k++) {
        const struct aiMeshMorphKey* key = &from->mKeys[k];
        float time = (float)(key->mTime * c->seconds);
        if (!isfinite(time) || (kept && !(time > times[kept - 1])))
            continue;
        for (uint32_t i = 0; i < key->mNumValuesAndWeights; i++)
            if (key->mValues[i] < width)
                values[(size_t)kept * width + key->mValues[i]] = (float)key->mWeights[i];
        times[kept++] = time;
    }
    limber_channel channel = {LIMBER_CHANNEL_WEIGHTS, LIMBER_INTERPOLATION_LINEAR, mesh, kept, times, values};
    if (kept)
        c->channels[c->count++] = channel;
    return LIMBER_OK;
}

// --- all of them ---

static double first_gap(const clip_import* c, const struct aiNodeAnim* channel, uint32_t node) {
    struct aiMatrix4x4 m = c->s->nodes[node].source->mTransformation;
    struct aiVector3D place = {m.a4, m.b4, m.c4};
    struct aiVector3D key = channel->mNumPositionKeys ? channel->mPositionKeys[0].mValue : place;
    double x = (double)(key.x - place.x);
    double y = (double)(key.y - place.y);
    double z = (double)(key.z - place.z);
    return x * x + y * y + z * z;
}

// Channels go by names, which a bone and a mesh may share: the one that starts nearest to where the channel does.
static uint32_t find_moved(const clip_import* c, const struct aiNodeAnim* channel) {
    const char* name = channel->mNodeName.data;
    uint32_t best = IMPORT_NONE;
    double min = HUGE_VAL;
    for (uint32_t place = import_find_name(c->s, name); import_is_named(c->s, place, name); place++) {
        uint32_t node = c->s->by_name[place];
        double gap = first_gap(c, channel, node);
        if (c->moved[node] || (best != IMPORT_NONE && !(gap < min)))
            continue;
        best = node;
        min = gap;
    }
    return best;
}

static limber_result import_clip(import_scene* s, const struct aiAnimation* from, limber_clip* to) {
    enum { USUAL_RATE = 25 }; // where the file does not say, as Assimp has it
    clip_import c = {.s = s, .from = from};
    c.seconds = 1 / (from->mTicksPerSecond > 0 ? from->mTicksPerSecond : (double)USUAL_RATE);
    c.moved = LIMBERI_ALLOCATE(&s->arena, const struct aiNodeAnim*, s->node_count);
    c.channels =
        LIMBERI_ALLOCATE(&s->arena, limber_channel, 3 * (size_t)s->model.rig.joint_count + from->mNumMorphMeshChannels);
    if (s->arena.failed)
        return limberi_fail_memory(s->error);
    for (uint32_t i = 0; i < from->mNumChannels; i++) {
        uint32_t node = find_moved(&c, from->mChannels[i]);
        if (node != IMPORT_NONE)
            c.moved[node] = from->mChannels[i];
    }
    for (uint32_t j = 0; j < s->model.rig.joint_count; j++) {
        limber_result result = import_joint(&c, j);
        if (result)
            return result;
    }
    for (uint32_t i = 0; i < from->mNumMorphMeshChannels; i++) {
        limber_result result = import_weights(&c, from->mMorphMeshChannels[i]);
        if (result)
            return result;
    }
    to->name = import_name(s, &from->mName);
    to->channels = c.channels;
    to->channel_count = c.count;
    return LIMBER_OK;
}

limber_result import_clips(import_scene* s) {
    limber_clip* clips = LIMBERI_ALLOCATE(&s->arena, limber_clip, s->source->mNumAnimations);
    s->model.clips = clips;
    if (!clips)
        return limberi_fail_memory(s->error);
    for (uint32_t i = 0; i < s->source->mNumAnimations; i++) {
        limber_result result = import_clip(s, s->source->mAnimations[i], &clips[s->model.clip_count]);
        if (result)
            return result;
        if (clips[s->model.clip_count].channel_count) // a take in which nothing moves is none
            s->model.clip_count++;
    }
    return LIMBER_OK;
}
