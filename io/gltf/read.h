// Shared inside the glTF reader (io/gltf/read*.c): the state of one load, and the steps in the order they run.
//
// Whatever the file says is checked before memory is allocated for it, in 64-bit arithmetic, and large arrays are
// charged to a budget first, so that a small file cannot describe more than the caller's limits allow. Model arrays
// live in `scratch` until limber_asset_create has copied them.
#ifndef LIMBERI_GLTF_READ_H
#define LIMBERI_GLTF_READ_H

#include "base/error.h"
#include "base/memory.h"
#include "io/gltf/document.h"
#include "io/known.h"

#define LIMBERI_NONE UINT32_MAX

// An array of the file's top level, e.g. "nodes"; `array` is NULL when the file has none.
typedef struct limberi_gltf_list {
    const char* name;
    const limberi_json* array;
    uint32_t count;
} limberi_gltf_list;

// What may still be taken; see limberi_gltf_charge.
typedef struct limberi_gltf_budget {
    uint64_t bytes;       // of files and data URIs
    uint64_t image_bytes; // of pictures in buffer views, which several entries may share
    uint64_t vertices;
    uint64_t triangles;
    uint64_t influences;
    uint64_t vertex_values; // floats of morph targets and layers
    uint64_t key_values;
    uint64_t clip_entries; // joints and meshes times clips
} limberi_gltf_budget;

typedef struct limberi_gltf_accessor limberi_gltf_accessor; // io/gltf/read_accessor.h

// "nodes" as a tree. Sibling lists keep the file's order.
typedef struct limberi_gltf_tree {
    uint32_t* parent;       // [node], LIMBERI_NONE for a root
    uint32_t* first_child;  // [node]
    uint32_t* next_sibling; // [node]
    uint32_t* mesh;         // [node]
    uint32_t* skin;         // [node]; LIMBERI_NONE unless the node also has a mesh
    uint32_t* order;        // all nodes, depth first; the scene's roots come before all others
    bool* shown;            // [node]: reachable from the active scene
} limberi_gltf_tree;

typedef struct limberi_gltf_reader {
    limber_gltf* gltf;    // the document being filled
    limberi_arena* arena; // the document's
    limberi_arena scratch;
    limber_gltf_limits limits;
    limberi_gltf_budget budget;
    limber_error* error; // never NULL
    limberi_bytes binary_chunk;
    bool has_binary_chunk;
    limberi_known files; // that were read, by their paths: addresses of what read_buffers.c keeps about them
    bool mends;          // values that are not finite become 0 instead of an error
    bool mended, sorted; // told already: values that were, keys that were
    uint8_t** rooms;     // [buffers]: those that packed views are unpacked into, else NULL
    bool unpacked;       // something was
    bool* packed_views;  // [packed_view_count]: those of unpacked primitives; NULL: none
    uint32_t packed_view_count;

    limberi_gltf_list accessors, animations, buffer_views, buffers, cameras, images, materials, meshes, nodes, scenes,
        skins, textures;
    uint32_t scene; // LIMBERI_NONE when the file has none

    limberi_gltf_accessor* opened; // [accessors], filled as they are used
    limberi_gltf_tree tree;
    uint32_t* mesh_of_node;    // [node]: index into the model's meshes
    uint32_t* camera_of_node;  // [node]: index into the model's camera nodes
    limber_mesh* model_meshes; // the model's, one per entry of the document's `meshes`
    limber_model model;
} limberi_gltf_reader;

// A place in the file: "meshes[2].primitives[0]", with the name of `object` (may be NULL) when it has one.
typedef struct limberi_gltf_place {
    const char* list;
    uint32_t index;
    const char* part; // NULL: none
    uint32_t part_index;
    const limberi_json* object;
} limberi_gltf_place;

limberi_gltf_place limberi_gltf_place_of(const limberi_gltf_list* list, uint32_t index);
limberi_gltf_place limberi_gltf_place_in(limberi_gltf_place place, const char* part, uint32_t part_index);

// `place` may be NULL: the file as a whole.
limber_result limberi_gltf_fail(limberi_gltf_reader* reader, const limberi_gltf_place* place, limber_result result,
                                const char* format, ...) LIMBERI_PRINTF(4, 5);

// Something worth telling the user. Past the first hundred only their number is kept.
void limberi_gltf_note(limberi_gltf_reader* reader, const limberi_gltf_place* place, const char* format, ...)
    LIMBERI_PRINTF(3, 4);

// Replaces control characters and a character cut in half at the end: names come from the file, messages are one line.
void limberi_text_tidy(char* text);

// Takes `count` out of one of the reader's budgets, or fails saying that there are too many `what`.
limber_result limberi_gltf_charge(limberi_gltf_reader* reader, const limberi_gltf_place* place, uint64_t* budget,
                                  uint64_t count, const char* what);

// Fields. A missing one leaves *out as it was; one of the wrong kind is an error.
limber_result limberi_gltf_unsigned(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                    const limberi_json* object, const char* key, uint64_t* out);
limber_result limberi_gltf_index(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                 const limberi_json* object, const char* key, const limberi_gltf_list* list,
                                 uint32_t* out);
limber_result limberi_gltf_boolean(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                   const limberi_json* object, const char* key, bool* out);
limber_result limberi_gltf_floats(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                  const limberi_json* object, const char* key, float* out, uint32_t count,
                                  bool* present);
limber_result limberi_gltf_float(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                 const limberi_json* object, const char* key, float* out);
limber_result limberi_gltf_array(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                 const limberi_json* object, const char* key, const limberi_json** out);
limber_result limberi_gltf_object(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                  const limberi_json* object, const char* key, const limberi_json** out);
limber_result limberi_gltf_string(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                  const limberi_json* object, const char* key, const char** out);

// One element of an array as an index into `list`.
limber_result limberi_gltf_element(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                   const limberi_json* array, size_t element, const char* key,
                                   const limberi_gltf_list* list, uint32_t* out);

// Entry `index` of a top-level list; limberi_gltf_lists has made sure that it is an object.
const limberi_json* limberi_gltf_entry(const limberi_gltf_list* list, uint32_t index);

// At most this many bytes of a name are kept: every mesh of the model has its own copies.
enum { LIMBERI_NAME_BYTES = 256 };
const char* limberi_gltf_cut(limberi_gltf_reader* reader, const char* name);

// The entry's name, or e.g. "node_12". NULL when memory is short.
const char* limberi_gltf_name(limberi_gltf_reader* reader, const limberi_gltf_list* list, uint32_t index,
                              const char* kind);

// The steps.
limber_result limberi_gltf_parse(limberi_gltf_reader* reader, limberi_bytes file); // root, binary chunk
limber_result limberi_gltf_lists(limberi_gltf_reader* reader);
limber_result limberi_gltf_check_version(limberi_gltf_reader* reader);
limber_result limberi_gltf_check_extensions(limberi_gltf_reader* reader);
limber_result limberi_gltf_resolve_pointers(limberi_gltf_reader* reader);
limber_result limberi_gltf_read_buffers(limberi_gltf_reader* reader);
limber_result limberi_gltf_unpack(limberi_gltf_reader* reader);
limber_result limberi_gltf_unpack_meshes(limberi_gltf_reader* reader);
limber_result limberi_gltf_drop_unused(limberi_gltf_reader* reader); // the packed bytes, once they are unpacked
limber_result limberi_gltf_read_tree(limberi_gltf_reader* reader);
limber_result limberi_gltf_read_mesh_list(limberi_gltf_reader* reader); // which nodes become meshes of the model
limber_result limberi_gltf_read_rig(limberi_gltf_reader* reader);
limber_result limberi_gltf_read_materials(limberi_gltf_reader* reader);
limber_result limberi_gltf_read_skins(limberi_gltf_reader* reader);
limber_result limberi_gltf_read_meshes(limberi_gltf_reader* reader);
limber_result limberi_gltf_read_cameras(limberi_gltf_reader* reader);
limber_result limberi_gltf_read_colliders(limberi_gltf_reader* reader);
limber_result limberi_gltf_read_springs(limberi_gltf_reader* reader); // after the meshes
limber_result limberi_gltf_read_bones(limberi_gltf_reader* reader);
limber_result limberi_gltf_read_clips(limberi_gltf_reader* reader);

limber_result limberi_gltf_read_transform(limberi_gltf_reader* reader, uint32_t node, limber_transform* out);

// A buffer view, checked to lie inside its buffer.
typedef struct limberi_gltf_view {
    limberi_bytes bytes;
    uint64_t stride; // 0: tightly packed
} limberi_gltf_view;

limber_result limberi_gltf_buffer_view(limberi_gltf_reader* reader, uint32_t index, limberi_gltf_view* out);

// The bytes behind a data URI or a file beside the document, charged to the budget, in memory of `arena`.
limber_result limberi_gltf_fetch(limberi_gltf_reader* reader, const limberi_gltf_place* place, const char* uri,
                                 limberi_arena* arena, limberi_bytes* out);
// The file that a URI names, below the document's folder; NULL: the URI is the data itself.
const char* limberi_gltf_file_of(limberi_gltf_reader* reader, const char* uri);

#endif
