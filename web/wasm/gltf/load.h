// A file of the studio's module for .glb files: glTF, or BVH with its wooden figure.
#ifndef LIMBERI_WASM_GLTF_LOAD_H
#define LIMBERI_WASM_GLTF_LOAD_H

#include <limber/bvh.h>
#include <limber/gltf.h>

typedef struct limberi_web_file {
    limber_bvh* bvh; // NULL: the file is glTF
    limber_gltf* gltf;
} limberi_web_file;

LIMBER_MUST_USE limber_result limberi_web_gltf_load(const void* bytes, size_t count, limber_gltf** gltf);
// `clip_name`: the file is BVH. Errors go to limberi_web_error.
LIMBER_MUST_USE limber_result limberi_web_file_open(const void* bytes, size_t count, const char* clip_name,
                                                    limberi_web_file* file);
void limberi_web_file_close(limberi_web_file* file);

#endif
