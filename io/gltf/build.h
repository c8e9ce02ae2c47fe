// Shared inside the builder of new glTF documents (io/gltf/build*.c).
#ifndef LIMBERI_GLTF_BUILD_H
#define LIMBERI_GLTF_BUILD_H

#include "io/gltf/write.h"

typedef struct limberi_builder {
    limberi_writer writer;
    limber_gltf* document;
    const limber_model* model; // the document's own copy; everything in it outlives the writer
    uint32_t* skin_entries;    // [skin]: index in "skins", UINT32_MAX until used
    const float* lookup;       // 2 per vertex of all meshes: a second set of texture coordinates; or NULL
} limberi_builder;

// limber_gltf_from_asset with a second set of texture coordinates.
LIMBER_MUST_USE limber_result limberi_gltf_build(const limber_asset* asset, const float* lookup, limber_gltf** gltf,
                                                 limber_error* error);
limber_result limberi_build_mesh(limberi_builder* b, uint32_t mesh, bool skinned, uint32_t* index, limber_error* error);
void limberi_build_clip(limberi_builder* b, uint32_t clip);

#endif
