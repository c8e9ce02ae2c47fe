// limber_bvh_load_*: the order of the reader's steps, and who owns what.
#include "io/bvh/load.h"
#include "base/memory.h"
#include "base/settings.h"
#include "io/file.h"

#include <string.h>

void limber_bvh_limits_init(limber_bvh_limits* given, size_t size) {
    limber_bvh_limits limits = {sizeof limits, (uint64_t)2 << 30, LIMBER_JOINT_LIMIT, 200000000};
    limberi_settings_write(given, size, &limits, sizeof limits);
}

static limber_result read_limits(const limber_bvh_limits* given, limber_bvh_limits* limits, limber_error* error) {
    const limber_bvh_limits usual = limber_bvh_limits_default();
    *limits = usual;
    limber_result result =
        given ? limberi_settings_read(limits, sizeof *limits, given, "limber_bvh_limits", error) : LIMBER_OK;
    if (!limits->file_bytes)
        limits->file_bytes = usual.file_bytes;
    if (!limits->joints || limits->joints > LIMBER_JOINT_LIMIT)
        limits->joints = usual.joints;
    if (!limits->key_values)
        limits->key_values = usual.key_values;
    return result;
}

static limber_result build_rig(limberi_bvh_reader* reader) {
    const limber_bvh* bvh = reader->bvh;
    const char** names = LIMBERI_ALLOCATE(&reader->scratch, const char*, bvh->joint_count);
    int32_t* parents = LIMBERI_ALLOCATE(&reader->scratch, int32_t, bvh->joint_count);
    limber_transform* rest = LIMBERI_ALLOCATE(&reader->scratch, limber_transform, bvh->joint_count);
    if (reader->scratch.failed)
        return limberi_fail_memory(reader->error);
    for (uint32_t i = 0; i < bvh->node_count; i++) {
        const limberi_bvh_node* node = &bvh->nodes[i];
        if (node->joint < 0)
            continue;
        names[node->joint] = node->name;
        parents[node->joint] = node->parent < 0 ? LIMBER_NO_PARENT : bvh->nodes[node->parent].joint;
        rest[node->joint] = limber_transform_identity();
        rest[node->joint].translation.x = (float)node->offset[0];
        rest[node->joint].translation.y = (float)node->offset[1];
        rest[node->joint].translation.z = (float)node->offset[2];
    }
    reader->model.rig.joint_count = bvh->joint_count;
    reader->model.rig.names = names;
    reader->model.rig.parents = parents;
    reader->model.rig.rest_local = rest;
    return LIMBER_OK;
}

static limber_result read_file(limberi_bvh_reader* reader, const char* clip_name) {
    reader->clip.name = clip_name;
    limber_result result = limberi_bvh_read_hierarchy(reader);
    if (!result)
        result = build_rig(reader);
    if (!result)
        result = limberi_bvh_read_motion(reader);
    if (!result && limberi_bvh_body(reader->bvh, &reader->scratch, &reader->model) != LIMBER_OK)
        result = limberi_fail_memory(reader->error);
    if (result)
        return result;
    reader->model.clips = &reader->clip;
    reader->model.clip_count = reader->clip.channel_count && reader->bvh->frame_count ? 1 : 0;
    return limber_asset_create(&reader->model, &reader->bvh->asset, reader->error);
}

static limber_result load(limberi_bytes bytes, const char* clip_name, const limber_bvh_limits* limits, limber_bvh** out,
                          limber_error* error) {
    limber_bvh* bvh = limberi_allocate_zeroed(1, sizeof *bvh);
    if (!bvh)
        return limberi_fail_memory(error);
    limberi_bvh_reader reader = {0};
    reader.bvh = bvh;
    reader.limits = *limits;
    reader.error = error;
    reader.model = limber_model_default();
    reader.scanner.start = reader.scanner.at = (const char*)bytes.data;
    reader.scanner.end = reader.scanner.start + bytes.size;
    reader.scanner.error = error;
    limber_result result = read_file(&reader, clip_name);
    limberi_arena_free(&reader.scratch);
    if (result) {
        limber_bvh_destroy(bvh);
        return result;
    }
    error->result = LIMBER_OK;
    error->place[0] = error->message[0] = error->detail[0] = 0;
    *out = bvh;
    return LIMBER_OK;
}

limber_result limber_bvh_load_memory(const void* bytes, size_t byte_count, const char* clip_name,
                                     const limber_bvh_limits* given, limber_bvh** bvh, limber_error* error) {
    limber_error ignored;
    limber_bvh_limits limits;
    error = error ? error : &ignored;
    *bvh = NULL;
    limber_result result = read_limits(given, &limits, error);
    if (result)
        return result;
    if (byte_count > limits.file_bytes)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "the file is too large (%zu bytes, max %llu)", byte_count,
                            (unsigned long long)limits.file_bytes);
    limberi_bytes all = {byte_count ? bytes : (const void*)"", byte_count};
    return load(all, clip_name ? clip_name : "motion", &limits, bvh, error);
}

// The name without folders and ending.
static char* clip_name_of(limberi_arena* arena, const char* path) {
    const char* name = limberi_file_name(path);
    const char* dot = strrchr(name, '.');
    char* copy = limberi_arena_string(arena, name);
    if (copy && dot && dot != name)
        copy[dot - name] = 0;
    return copy;
}

limber_result limber_bvh_load_file(const char* path, const limber_bvh_limits* given, limber_bvh** bvh,
                                   limber_error* error) {
    limber_error ignored;
    limber_bvh_limits limits;
    limberi_arena arena = {NULL, false};
    limberi_bytes bytes = {NULL, 0};
    error = error ? error : &ignored;
    *bvh = NULL;
    limber_result result = read_limits(given, &limits, error);
    if (!result)
        result = limberi_file_read(path, limits.file_bytes, &arena, &bytes, error);
    char* name = result ? NULL : clip_name_of(&arena, path);
    if (!result && !name)
        result = limberi_fail_memory(error);
    if (!result)
        result = load(bytes, name, &limits, bvh, error);
    limberi_arena_free(&arena);
    return limberi_file_blame(path, result, error);
}

void limber_bvh_destroy(limber_bvh* bvh) {
    if (!bvh)
        return;
    limber_asset_destroy(bvh->asset);
    limberi_arena_free(&bvh->arena);
    limberi_release(bvh);
}

const limber_asset* limber_bvh_asset(const limber_bvh* bvh) {
    return bvh->asset;
}

uint32_t limber_bvh_declared_frame_count(const limber_bvh* bvh) {
    return bvh->declared_frame_count;
}

uint32_t limber_bvh_frame_count(const limber_bvh* bvh) {
    return bvh->frame_count;
}

double limber_bvh_frame_time_s(const limber_bvh* bvh) {
    return bvh->frame_time_s;
}
