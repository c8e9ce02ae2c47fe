// A glTF file in memory: the JSON tree as read, the bytes behind it, and how limber's model maps back onto it.
#ifndef LIMBERI_GLTF_DOCUMENT_H
#define LIMBERI_GLTF_DOCUMENT_H

#include "io/file.h"
#include "text/json.h"
#include <limber/gltf.h>

// Which node and mesh of the file a mesh of the model is; its parts are the mesh's primitives, in order.
typedef struct limberi_gltf_mesh_source {
    uint32_t node;
    uint32_t mesh;
    uint32_t skin; // index into "skins", UINT32_MAX for a mesh without one
} limberi_gltf_mesh_source;

struct limber_gltf {
    limberi_arena arena; // everything below except `json` and `asset`
    limberi_json_document json;
    size_t text_size; // of the JSON as read; 0: it was built
    char* folder;     // for external images; NULL when loaded from memory without one
    uint32_t buffer_count;
    limberi_bytes* buffers; // one per entry of "buffers"
    limber_asset* asset;
    uint32_t* node_of_joint;          // [rig.joint_count]
    int32_t* joint_of_node;           // [node count], -1 when not part of the rig
    limberi_gltf_mesh_source* meshes; // [model.mesh_count]
    uint32_t* animation_of_clip;      // [model.clip_count]
    uint32_t problem_count;
    const char** problems;
    char* style; // JSON text of LIMBER_style, or NULL
};

// One more of the document's problems. Past the first hundred only that there are more.
void limberi_gltf_tell(limber_gltf* gltf, const char* sentence);

// The file no longer uses the extension.
void limberi_gltf_undeclare(limberi_json* root, const char* extension);

// What meshoptimizer's compression is called; NULL: there are no more names.
const char* limberi_gltf_packing_name(uint32_t index);
bool limberi_gltf_is_packing(const char* extension);
// Of a buffer or a view: that extension, or NULL.
const limberi_json* limberi_gltf_packing(const limberi_json* object);

#endif
