// limber/gltf.h: glTF 2.0 files in and out.
//
//     limber_gltf* gltf;
//     limber_error error;
//     if (limber_gltf_load_file("fox.glb", NULL, &gltf, &error) != LIMBER_OK) {
//         fprintf(stderr, "%s: %s\n", error.place, error.message);
//         return 1;
//     }
//     const limber_model* model = limber_asset_model(limber_gltf_asset(gltf));
//     printf("%u joints, %u clips\n", model->rig.joint_count, model->clip_count);
//     limber_gltf_edits edits = limber_gltf_edits_default();
//     edits.style = "{\"effects\": {\"floppy\": {\"angular\": 0.4}}}"; // travels with the character
//     if (limber_gltf_save_file(gltf, &edits, "out.glb", &error) != LIMBER_OK)
//         fprintf(stderr, "out.glb: %s\n", error.message);
//     limber_gltf_destroy(gltf);
//
// A file comes back whole: nodes, materials, textures, cameras, lights, extras and extensions that limber does not
// change are written as they were read. An output file appears complete or not at all.
#ifndef LIMBER_GLTF_H
#define LIMBER_GLTF_H

#include <limber/asset.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limber_bake limber_bake;             // limber/bake.h
typedef struct limber_bake_store limber_bake_store; // limber/bake.h

// What a packed view holds, and the filter that was applied to it (EXT_meshopt_compression).
typedef enum limber_packed_mode {
    LIMBER_PACKED_ATTRIBUTES,
    LIMBER_PACKED_TRIANGLES,
    LIMBER_PACKED_INDICES
} limber_packed_mode;
typedef enum limber_packed_filter {
    LIMBER_PACKED_PLAIN,
    LIMBER_PACKED_OCTAHEDRAL,
    LIMBER_PACKED_QUATERNION,
    LIMBER_PACKED_EXPONENTIAL,
} limber_packed_filter;

// A buffer view that EXT_meshopt_compression (or KHR_) has packed, and where its `count` elements of `stride` bytes go.
typedef struct limber_gltf_packed {
    limber_packed_mode mode;
    limber_packed_filter filter;
    const uint8_t* bytes; // as the file has them
    size_t byte_count;
    size_t count, stride;
    uint8_t* out; // count * stride bytes
} limber_gltf_packed;

// An attribute of a packed primitive, and where its values go.
typedef struct limber_gltf_packed_attribute {
    uint32_t id;        // Draco's unique id of the attribute
    uint32_t component; // type of its numbers as glTF counts them: 5120 int8, 5121 uint8, ..., 5126 float
    uint32_t width;     // numbers per vertex
    uint32_t stride;    // bytes from vertex to vertex
    uint8_t* out;       // vertex_count * stride bytes
} limber_gltf_packed_attribute;

// A primitive that KHR_draco_mesh_compression has packed, and where its values go. The counts are what the file says
// elsewhere. Where the data has others, an unpacker that can tells them in `counts` and returns false: it is called again
// with room for these.
typedef struct limber_gltf_packed_mesh {
    const uint8_t* bytes; // as the file has them
    size_t byte_count;
    uint32_t vertex_count, index_count, attribute_count;
    const limber_gltf_packed_attribute* attributes;
    uint32_t* indices; // index_count of them, three per triangle
    uint32_t* counts; // [2] of vertices and indices; in: the most there may be, out: those in the data. NULL: not asked
} limber_gltf_packed_mesh;

// A view to be packed, as EXT_meshopt_compression describes it.
typedef struct limber_gltf_unpacked {
    limber_packed_mode mode;     // attributes, or indices of 2 or 4 bytes
    limber_packed_filter filter; // plain, or exponential: floats
    uint32_t bits;               // of the exponential filter's mantissa, with its sign
    size_t group;                // so many elements share an exponent; 0: each has its own
    const uint8_t* bytes;        // count * stride
    size_t count, stride;        // elements, and bytes of each
    uint8_t* out;                // NULL: only the room it may need is asked for
    size_t room;                 // bytes at `out`
} limber_gltf_unpacked;

// The most a file may contain; more is LIMBER_ERROR_LIMIT. 0: the default.
typedef struct limber_gltf_limits {
    uint32_t struct_size; // set by limber_gltf_limits_default
    uint64_t file_bytes;  // default 2 GiB
    uint32_t nodes;       // default 65,535
    uint64_t vertices;    // default 20,000,000
    uint64_t key_values;  // default 200,000,000 floats over all clips
    // Unpacks a view with the library of your choice (cli/unpack.c uses meshoptimizer); false: it is damaged. NULL:
    // files that need it are refused.
    bool (*unpack)(const limber_gltf_packed* packed);
    // The same for primitives (cli/unpack_draco.cpp uses Draco).
    bool (*unpack_mesh)(const limber_gltf_packed_mesh* packed);
} limber_gltf_limits;

LIMBER_DEFAULT(limber_gltf_limits)

// A glTF file that was read: a character, and everything else in the file.
typedef struct limber_gltf limber_gltf;

// `limits` NULL: the defaults. error->place begins with the file.
LIMBER_API LIMBER_MUST_USE limber_result limber_gltf_load_file(const char* path, const limber_gltf_limits* limits,
                                                               limber_gltf** gltf, limber_error* error);

// `folder` resolves relative URIs. NULL: a buffer with such a URI is an error, an image with one is left out.
LIMBER_API LIMBER_MUST_USE limber_result limber_gltf_load_memory(const void* bytes, size_t byte_count,
                                                                 const char* folder, const limber_gltf_limits* limits,
                                                                 limber_gltf** gltf, limber_error* error);

// A new document for a character that did not come from a glTF file.
LIMBER_API LIMBER_MUST_USE limber_result limber_gltf_from_asset(const limber_asset* asset, limber_gltf** gltf,
                                                                limber_error* error);
LIMBER_API void limber_gltf_destroy(limber_gltf* gltf);

// The character; it belongs to the document.
LIMBER_API const limber_asset* limber_gltf_asset(const limber_gltf* gltf);

// Problems that did not prevent the file from being read, one sentence each.
LIMBER_API uint32_t limber_gltf_warning_count(const limber_gltf* gltf);
LIMBER_API const char* limber_gltf_warning(const limber_gltf* gltf, uint32_t index);

// Whether the file has skinned meshes that are not in the character because no scene shows them, such as levels of
// detail (MSFT_lod). They hang on the same bones: a bake that splits joints (limber_bake_settings.shares) does not suit
// them.
LIMBER_API bool limber_gltf_has_other_meshes(const limber_gltf* gltf);

// The JSON text of the LIMBER_style extension on the scene, or NULL.
LIMBER_API const char* limber_gltf_style(const limber_gltf* gltf);

// A layer to write as the attribute _LIMBER_<NAME>; it replaces one of the same name. values NULL: remove it.
typedef struct limber_gltf_layer {
    uint32_t mesh; // index in the model
    limber_layer layer;
} limber_gltf_layer;

// What files often have wrong, the validator complains about, and can be put right without changing the picture.
typedef enum limber_repair {
    LIMBER_REPAIR_TANGENTS, // surfaces with a normal map that have none get tangents
    LIMBER_REPAIR_ROOT,     // joints of a skin that are in several trees get a node above them
    LIMBER_REPAIR_NODES,    // skinned meshes move to where no transform is above them; skins without use go
    LIMBER_REPAIR_WEIGHTS,  // weights sum to 1; no joint twice, none without weight
    LIMBER_REPAIR_BOUNDS,   // "min" and "max" of accessors
    LIMBER_REPAIR_UNITS,    // normals and rotations have length 1
    LIMBER_REPAIR_UNUSED,   // properties without effect go
    LIMBER_REPAIR_COUNT
} limber_repair;
#define LIMBER_REPAIR_ALL ((1u << LIMBER_REPAIR_COUNT) - 1u)

// What is written otherwise than it was read.
typedef struct limber_gltf_edits {
    uint32_t struct_size;    // set by limber_gltf_edits_default
    const limber_bake* bake; // NULL: none
    const char* style;       // JSON text for LIMBER_style; NULL: keep the file's; "": remove it
    uint32_t layer_count;
    const limber_gltf_layer* layers;
    // Clips that replace the file's, such as those of limber_pipeline_edited_clip. A bake brings those that its style
    // edits; a clip that is given here comes before the bake's. Joint channels that did not change are kept. A stretched joint gets two extra nodes
    // that carry the stretch, so that its children do not inherit it. New clips come after the file's; of these only
    // name and joint channels count, which must be linear.
    uint32_t clip_count;
    const limber_edited_clip* clips;
    // Bits 1 << limber_repair of what to put right; 0 (the default): what is not edited is written as it was read. A bake
    // needs nodes, weights and units to play as computed, and new tangents where it moves a mesh: it has them anyway.
    uint32_t repairs;
    uint32_t* repaired; // [LIMBER_REPAIR_COUNT] or NULL: how many things were
    // Packs views with the library of your choice (cli/unpack.c uses meshoptimizer) and returns the number of bytes, 0
    // when it cannot, SIZE_MAX when memory is short: the file becomes smaller and needs EXT_meshopt_compression. Morph targets are rounded to 16 bits
    // of mantissa, their normals to 9. What is packed is unpacked again and compared. NULL: plain views.
    size_t (*pack)(const limber_gltf_unpacked* view);
    bool (*unpack)(const limber_gltf_packed* packed); // needed with `pack`
    const limber_parallel* parallel;                  // threads to look at targets with; NULL: the calling one
    // NULL, or where to count the bones that players will see: joints of skins, and the nodes that hold them together.
    uint32_t* bone_count;
    bool dense; // no sparse accessors of targets and weights, for players that cannot read them; larger files
} limber_gltf_edits;

LIMBER_DEFAULT(limber_gltf_edits)

// The extension of `path` chooses the container: .glb, or .gltf with a .bin beside it. A .bin that is there is replaced
// only if it is the buffer of the .gltf that is replaced; otherwise the new one is called "name-1.bin" and so on.
LIMBER_API LIMBER_MUST_USE limber_result limber_gltf_save_file(const limber_gltf* gltf, const limber_gltf_edits* edits,
                                                               const char* path, limber_error* error);

// The .glb in memory: the bytes that limber_gltf_save_file writes. The caller gives them back with limber_release. On
// failure *bytes is NULL.
LIMBER_API LIMBER_MUST_USE limber_result limber_gltf_save_memory(const limber_gltf* gltf,
                                                                 const limber_gltf_edits* edits, void** bytes,
                                                                 size_t* byte_count, limber_error* error);

// Room on the disk for a bake that will be saved as `path`, in the same folder, without a name: it is gone with the
// program, whatever happens. Close it after the bake is destroyed.
LIMBER_API LIMBER_MUST_USE limber_result limber_gltf_store_open(const char* path, limber_bake_store** store,
                                                                limber_error* error);
// The same inside of the .glb itself: what the bake of `gltf` puts there stays, and limber_gltf_save_file writes the rest
// of `path` around it, so that an exact bake is written once. The text comes first in such a file and is known last: it
// gets room for targets in `frame_count` frames, and spaces fill it up. Every target has all its vertices; where few
// move, limber_gltf_store_open makes a smaller file. Until it is saved the file has a temporary name; from then on the
// targets of the bake cannot be read any more, and it cannot be saved again.
LIMBER_API LIMBER_MUST_USE limber_result limber_gltf_store_open_inside(const limber_gltf* gltf, uint32_t frame_count,
                                                                       const char* path, limber_bake_store** store,
                                                                       limber_error* error);
LIMBER_API void limber_gltf_store_close(limber_bake_store* store);

#ifdef __cplusplus
}
#endif

#endif
