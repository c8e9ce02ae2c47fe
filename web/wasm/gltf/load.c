// Reads files for the studio's module for .glb files; packed ones are unpacked by the page.
#include "web/wasm/gltf/load.h"
#include "io/gltf/document.h"
#include "web/wasm/web.h"

#define IMPORT(name) __attribute__((import_module("limber"), import_name(#name))) name

int32_t IMPORT(unpack)(uint32_t mode, uint32_t filter, const uint8_t* bytes, size_t byte_count, size_t count,
                       size_t stride, uint8_t* out);

static bool unpack_view(const limber_gltf_packed* packed) {
    return unpack(packed->mode, packed->filter, packed->bytes, packed->byte_count, packed->count, packed->stride,
                  packed->out) != 0;
}

limber_result limberi_web_gltf_load(const void* bytes, size_t count, limber_gltf** gltf) {
    limber_gltf_limits limits = limber_gltf_limits_default();
    limits.unpack = unpack_view;
    return limber_gltf_load_memory(bytes, count, NULL, &limits, gltf, &limberi_web_error);
}

limber_result limberi_web_file_open(const void* bytes, size_t count, const char* clip_name, limberi_web_file* file) {
    *file = (limberi_web_file){NULL, NULL};
    if (!clip_name)
        return limberi_web_gltf_load(bytes, count, &file->gltf);
    limber_result result = limber_bvh_load_memory(bytes, count, clip_name, NULL, &file->bvh, &limberi_web_error);
    if (!result)
        result = limber_gltf_from_asset(limber_bvh_asset(file->bvh), &file->gltf, &limberi_web_error);
    return result;
}

void limberi_web_file_close(limberi_web_file* file) {
    limber_gltf_destroy(file->gltf);
    limber_bvh_destroy(file->bvh);
}
