// limber/gltf.h: glTF 2.0 files in and out.
//
//     limber_gltf* gltf;
//     if (limber_gltf_load_file("fox.glb", NULL, &gltf, &error) != LIMBER_OK) ...
//     const limber_model* model = limber_asset_model(limber_gltf_asset(gltf));
//     ...
//     limber_gltf_edits edits = limber_gltf_edits_default();
//     edits.bake = bake;                                        // from limber_pipeline_bake
//     if (limber_gltf_save_file(gltf, &edits, "out.glb", &error) != LIMBER_OK) ...
//     limber_gltf_destroy(gltf);
//
// A file comes back whole: nodes, materials, textures, cameras, lights, extras and extensions that limber does not
// change are written as they were read. An output file appears complete or not at all.
#ifndef LIMBER_GLTF_H
#define LIMBER_GLTF_H

#include <limber/bake.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a file may at most contain; larger is LIMBER_ERROR_LIMIT. Zero means the default.
typedef struct limber_gltf_limits {
    uint64_t file_bytes; // default 2 GiB
    uint32_t nodes;      // default 65,535
    uint64_t vertices;   // default 20,000,000
    uint64_t key_values; // default 200,000,000 floats over all clips
} limber_gltf_limits;

typedef struct limber_gltf limber_gltf;

LIMBER_API LIMBER_MUST_USE limber_result limber_gltf_load_file(const char* path, const limber_gltf_limits* limits,
                                                               limber_gltf** gltf, limber_error* error);

// `folder` resolves relative URIs; NULL: a buffer that has one is an error, a picture that has one is left out.
LIMBER_API LIMBER_MUST_USE limber_result limber_gltf_load_memory(const void* bytes, size_t byte_count,
                                                                 const char* folder, const limber_gltf_limits* limits,
                                                                 limber_gltf** gltf, limber_error* error);

// A new document that holds a model that did not come from a file.
LIMBER_API LIMBER_MUST_USE limber_result limber_gltf_from_asset(const limber_asset* asset, limber_gltf** gltf,
                                                                limber_error* error);
LIMBER_API void limber_gltf_destroy(limber_gltf* gltf);

// The character; belongs to the document.
LIMBER_API const limber_asset* limber_gltf_asset(const limber_gltf* gltf);

// Things worth telling a user that did not keep the file from being read, one sentence each.
LIMBER_API uint32_t limber_gltf_warning_count(const limber_gltf* gltf);
LIMBER_API const char* limber_gltf_warning(const limber_gltf* gltf, uint32_t index);

// The JSON text of the LIMBER_style extension on the scene, or NULL.
LIMBER_API const char* limber_gltf_style(const limber_gltf* gltf);

// A layer to write as the attribute _LIMBER_<NAME>; it replaces one of the same name. Without values,
// that one is removed.
typedef struct limber_gltf_layer {
    uint32_t mesh;
    limber_layer layer;
} limber_gltf_layer;

// A clip that takes the place of one of the file's. Only channels of joints whose values are not the file's own are
// written. A stretched joint gets two nodes that carry the stretch, and its skins hang on those, so that its children
// do not inherit it.
typedef struct limber_edited_clip {
    uint32_t index; // in the model
    const limber_clip* clip;
    uint32_t stretch_count;
    const limber_stretch* stretches;
} limber_edited_clip;

typedef struct limber_gltf_edits {
    const limber_bake* bake; // NULL: none
    const char* style;       // JSON text for LIMBER_style; NULL: leave as it is; "": remove
    uint32_t layer_count;
    const limber_gltf_layer* layers;
    uint32_t clip_count;
    const limber_edited_clip* clips;
} limber_gltf_edits;

LIMBER_API limber_gltf_edits limber_gltf_edits_default(void);

// The ending picks the container: .glb, or .gltf with a .bin beside it.
LIMBER_API LIMBER_MUST_USE limber_result limber_gltf_save_file(const limber_gltf* gltf, const limber_gltf_edits* edits,
                                                               const char* path, limber_error* error);

#ifdef __cplusplus
}
#endif

#endif
