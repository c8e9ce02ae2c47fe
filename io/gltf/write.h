// Growing a glTF tree and the bytes behind it. The file writer starts from a copy of the tree that was read, the
// builder from an empty one; both only append: objects that were there keep their index and their bytes.
#ifndef LIMBERI_GLTF_WRITE_H
#define LIMBERI_GLTF_WRITE_H

#include "base/buffer.h"
#include "io/file_write.h"
#include "io/gltf/read_accessor.h"
#include <limber/bake.h>

// bufferView.target, numbers that glTF borrowed from OpenGL.
enum { LIMBERI_GLTF_VERTICES = 34962, LIMBERI_GLTF_INDICES = 34963 };

// What else hangs on a node, so that it cannot simply be moved.
enum { LIMBERI_ROLE_JOINT = 1, LIMBERI_ROLE_ANIMATED = 2, LIMBERI_ROLE_WEIGHTS = 4 };

// Bytes of the buffer: in memory, made when they are written, or zeros. `fill` makes the bytes from `at` on, `count` of
// them: a multiple of `step` bytes, or the rest.
typedef bool (*limberi_fill)(const void* user, uint64_t at, void* out, size_t count);
typedef struct limberi_segment {
    const void* data; // NULL: `fill`; without it zeros
    uint64_t size;
    limberi_fill fill;
    const void* user;
    size_t step;
    bool inside; // the file may have them already
} limberi_segment;

typedef struct limberi_channels limberi_channels;
typedef struct limberi_place limberi_place;

// The names of nodes, by their hashes.
typedef struct limberi_node_name {
    const char* text;
    uint32_t number; // that the next node of this name gets behind it
} limberi_node_name;

typedef struct limberi_node_names {
    limberi_node_name* entries; // [room] NULL: free
    uint32_t room, count;       // room: a power of 2
} limberi_node_names;

typedef struct limberi_writer {
    const limber_gltf* document;     // as read; NULL when building a new one
    const limber_parallel* parallel; // NULL: the calling thread
    limberi_json_document json;      // the tree to write
    limberi_arena arena;             // bytes made here
    limberi_segment* segments;       // what the buffer holds, in order
    uint32_t segment_count, segment_capacity;
    uint64_t byte_count;
    limberi_gltf_reader reader; // over `document`, for looking at values that may need repair
    limber_error reader_error;
    bool readable;
    uint32_t node_count; // of the file as read
    uint32_t node_room;  // of the two arrays below, for the nodes that are added
    int32_t* parents;
    uint8_t* roles;
    uint32_t mesh_count; // of the file as read
    uint32_t* mesh_users;
    limberi_node_names names;    // none: nobody asked yet
    uint32_t* carriers;          // [mesh of the model]: the node that carries it now
    limberi_channels** channels; // [animation of the file] found so far
    limberi_place** places;      // [node] the scenes that hold it
    const limber_gltf_edits* edits;
    uint32_t repairs; // bits 1 << limber_repair
    uint32_t repaired[LIMBER_REPAIR_COUNT];
    uint32_t rows_view;  // of the targets that are inside the file already; UINT32_MAX: none yet
    bool has_rows;       // there are such targets; they come first in the buffer
    uint32_t zeros_view; // what sparse targets lie over; UINT32_MAX: none yet
    bool packs;          // views will be packed
    bool failed;         // sticky: memory ran out
    bool not_finite;     // sticky: a number that nobody could read
    bool not_utf8;       // sticky: a text that JSON cannot hold
    bool lost;           // sticky: the store of a bake does not give back what was put there
} limberi_writer;

// write.c. The document with all edits and repairs; to be freed, also when it fails. `inside`: targets of the bake come
// first, as they are in its store.
LIMBER_MUST_USE limber_result limberi_writer_begin(limberi_writer* writer, const limber_gltf* gltf,
                                                   const limber_gltf_edits* edits, bool inside, limber_error* error);
LIMBER_MUST_USE limber_result limberi_edits_read(const limber_gltf_edits* given, limber_gltf_edits* edits,
                                                 limber_error* error); // `given` NULL: no edits
// The one buffer's entry; `uri` NULL: the binary chunk.
void limberi_describe_buffer(limberi_writer* writer, const char* uri);
// Every double comes back exactly. To be freed, also when it fails.
LIMBER_MUST_USE limber_result limberi_writer_text(const limberi_writer* writer, limberi_buffer* text,
                                                  limber_error* error);

limber_result limberi_writer_status(const limberi_writer* writer, limber_error* error);
void limberi_writer_free(limberi_writer* writer);
void limberi_scratch_free(limberi_writer* writer, limberi_arena* scratch); // notes when it ran short

// JSON. Where something cannot be put because memory ran short, the writer is marked as failed.
limberi_json* limberi_new_object(limberi_writer* writer);
limberi_json* limberi_new_array(limberi_writer* writer);
void limberi_put(limberi_writer* writer, limberi_json* object, const char* key, limberi_json* value);
void limberi_put_integer(limberi_writer* writer, limberi_json* object, const char* key, int64_t integer);
void limberi_put_string(limberi_writer* writer, limberi_json* object, const char* key, const char* text);
uint32_t limberi_push(limberi_writer* writer, limberi_json* array, limberi_json* value); // returns its index
void limberi_push_integer(limberi_writer* writer, limberi_json* array, int64_t integer);
void limberi_push_string(limberi_writer* writer, limberi_json* array, const char* text);
limberi_json* limberi_real(limberi_writer* writer, double value);
limberi_json* limberi_reals(limberi_writer* writer, const float* values, size_t count);
limberi_json* limberi_child_array(limberi_writer* writer, limberi_json* object, const char* key); // made when absent
limberi_json* limberi_child_object(limberi_writer* writer, limberi_json* object, const char* key);
limberi_json* limberi_item(const limberi_json* root, const char* array, size_t index); // NULL when there is none
uint32_t limberi_index(const limberi_json* object, const char* key);                   // UINT32_MAX when there is none

// Bytes. `data` is not copied: it must live until the file is written.
void limberi_writer_append(limberi_writer* writer, const void* data, size_t size);
// Made when the file is written; `user` must live until then.
void limberi_writer_append_later(limberi_writer* writer, limberi_fill fill, const void* user, uint64_t size,
                                 size_t step);
void limberi_writer_append_segment(limberi_writer* writer, const limberi_segment* segment); // as it is
bool limberi_fill_stored(const void* user, uint64_t at, void* out, size_t count);           // `user`: a store
// Targets of a bake that are inside the file already. Before anything else; does nothing where there are none.
void limberi_writer_append_rows(limberi_writer* writer, const limber_bake* bake);
uint32_t limberi_view_of_rows(limberi_writer* writer);
uint32_t limberi_view_begin(limberi_writer* writer, int target, uint32_t stride); // 0: none
void limberi_view_end(limberi_writer* writer, uint32_t view);

// The least and the greatest numbers of some elements.
typedef struct limberi_extent {
    float low[16], high[16];
    bool finite; // all numbers are
} limberi_extent;

limberi_extent limberi_extent_of(const float* values, size_t count, uint32_t size); // count > 0; any thread

typedef struct limberi_accessor {
    uint32_t view; // UINT32_MAX: all zeros
    size_t offset; // in the view
    int component_type;
    const char* type; // "SCALAR", "VEC3", ...
    size_t count;
    bool normalized;
    const float* bounds;         // min and max are taken from these; NULL: not needed
    const limberi_extent* known; // or they are these
} limberi_accessor;

uint32_t limberi_accessor_add(limberi_writer* writer, const limberi_accessor* accessor);
uint32_t limberi_type_size(const char* type); // numbers per element
// Numbers of an accessor of zeros that are not 0. The arrays must live until the file is written.
void limberi_accessor_scatter(limberi_writer* writer, uint32_t accessor, const uint32_t* indices, const float* values,
                              size_t count);

// Every number that is written is one of these: a file with one that is not finite would not load again. Those of the
// functions above and below are checked already.
void limberi_check_floats(limberi_writer* writer, const float* values, size_t count);

// A separate view with `count` float elements; `target` 0 for anything but vertex data.
uint32_t limberi_floats_add(limberi_writer* writer, const float* values, size_t count, const char* type, int target,
                            bool bounds);

// Values of keys. Rotations that are multiples of 1 / 32767 have 16 bits.
uint32_t limberi_values_add(limberi_writer* writer, const float* values, size_t count, const char* type);
uint8_t* limberi_int16_of(limberi_writer* writer, const float* values, size_t count); // normalised; NULL: no memory

// write_values.c: an accessor of the file as read, as floats (normalised integers as fractions), in memory of
// `arena`.
typedef struct limberi_values {
    float* values;
    uint32_t count;
    uint32_t width; // numbers per element
    limberi_gltf_component component;
    bool normalized;
} limberi_values;

void limberi_reader_over(limberi_writer* writer); // makes the functions below work
// False when the accessor is missing, broken, new or without bytes.
bool limberi_read_values(limberi_writer* writer, limberi_arena* arena, uint32_t accessor, limberi_values* out);
// The bytes of an image's URI, in the writer's arena; false when they cannot be had.
bool limberi_read_uri(limberi_writer* writer, const char* uri, limberi_bytes* out);

// write_nodes.c
void limberi_nodes_index(limberi_writer* writer);
uint32_t limberi_node_root(const limberi_writer* writer, uint32_t node);
// Puts a node under every scene that holds the root.
void limberi_add_to_scenes(limberi_writer* writer, uint32_t node, uint32_t root);
// The node that carries the node's mesh directly under the scene, without a transform; it may be a new one.
uint32_t limberi_node_to_root(limberi_writer* writer, uint32_t node);
// The node that carries the node's rigid mesh and nothing else, in the same place; it may be a new child. Players exist
// that lose the morph weights of a joint, or hand those of a node on to its children.
uint32_t limberi_node_to_leaf(limberi_writer* writer, uint32_t node);
// The index of a mesh that only `node` uses; cloned when others share it.
uint32_t limberi_mesh_own(limberi_writer* writer, uint32_t node);

bool limberi_repairs(const limberi_writer* writer, limber_repair repair); // whether it is to be made

// write_repair.c, write_skin.c: what inputs often have wrong and the validator complains about.
void limberi_repair_roots(limberi_writer* writer); // before the nodes
void limberi_repair_nodes(limberi_writer* writer);
void limberi_repair_weights(limberi_writer* writer);
void limberi_repair_values(limberi_writer* writer);
// write_tangents.c: before the nodes, which it finds by the meshes they carry. `bake` may be NULL.
void limberi_repair_tangents(limberi_writer* writer, const limber_bake* bake);

// write_targets.c: one attribute of all new targets of a part, the last ones of `targets`.
typedef struct limberi_target_values {
    const limber_bake_store* store; // with `rows`
    const uint64_t* rows;           // [target] bytes in the store; NULL: `values`
    const float* values;            // [target][vertex * 3]
    uint64_t offset;                // bytes in a row
    size_t row_vertices;
    uint32_t target_count, first_vertex, vertex_count;
} limberi_target_values;

void limberi_write_target_values(limberi_writer* writer, const limberi_target_values* values, limberi_json* targets,
                                 const char* attribute);

// write_bake.c, write_animation.c
limber_result limberi_write_bake(limberi_writer* writer, const limber_bake* bake, limber_error* error);
void limberi_primitive_touch(limberi_json* primitive); // forget compressed copies of what is about to change

// write_channels.c: channels by what they move; animations by their index in the file.
limberi_json* limberi_channels_find(limberi_writer* writer, uint32_t animation, uint32_t node, const char* path);
limberi_json* limberi_channels_add(limberi_writer* writer, uint32_t animation, uint32_t node, const char* path);
void limberi_channels_move(limberi_writer* writer, uint32_t animation, uint32_t from, uint32_t to, const char* path);
void limberi_channels_remove(limberi_writer* writer, uint32_t animation, limberi_json* channel);
// Gives a channel another sampler, in the place of its old one unless others use that, too.
void limberi_channels_sample(limberi_writer* writer, uint32_t animation, limberi_json* channel, limberi_json* sampler);
// An edited channel with a key in each frame of the track, where that has fewer; `track` may be NULL.
const limber_channel* limberi_baked_keys(limberi_writer* writer, const limber_bake_track* track,
                                         const limber_channel* channel);
void limberi_channels_forget(limberi_writer* writer); // after a change that the functions above do not see

// One channel of an animation, "LINEAR" or "STEP" between its keys; it replaces the one there is.
void limberi_set_channel(limberi_writer* writer, uint32_t animation, uint32_t node, const char* path,
                         const char* interpolation, uint32_t input, uint32_t output);

// write_shifts.c: textures that move. After the bake and before the smears, whose materials follow.
limber_result limberi_write_shifts(limberi_writer* writer, const limber_bake* bake, limber_error* error);
void limberi_repeat_shifts(limberi_writer* writer, uint32_t material, uint32_t copy);

// write_smear.c: multiples and lines. After the bake, which may move the nodes of meshes.
limber_result limberi_write_smears(limberi_writer* writer, const limber_bake* bake, limber_error* error);

// write_clips.c: clips that take the place of the file's. Before the bake, which may move the nodes of meshes.
limber_result limberi_write_clips(limberi_writer* writer, const limber_gltf_edits* edits, limber_error* error);

// The name of a new node; one that is taken gets a number.
void limberi_name_node(limberi_writer* writer, limberi_json* node, const char* name, const char* end);
// Joints of skins, and nodes above some of them, but not above all.
uint32_t limberi_count_bones(limberi_writer* writer);
// A new node below another; one that bends or stretches a skin.
uint32_t limberi_add_below(limberi_writer* writer, uint32_t parent, const char* name, limber_quat rotation);
// Rigid meshes that a node carries itself hang on another one below it from now on.
void limberi_hang_meshes(limberi_writer* writer, uint32_t from, uint32_t to);

// write_bones.c: the nodes, skins and keys of a bone bake. After the clips, before the targets.
limber_result limberi_write_bones(limberi_writer* writer, const limber_bake* bake, limber_error* error);
// Writes the joints and weights of meshes of which helpers carry shares. Those need no repair afterwards.
void limberi_write_shares(limberi_writer* writer, const limber_bake* bake);
// Hangs vertices of other meshes on helpers, after weights were repaired.
void limberi_write_helpers(limberi_writer* writer, const limber_bake* bake);

// How the targets of one mesh change.
typedef struct limberi_weights_edit {
    uint32_t mesh;                 // of the model
    uint32_t node;                 // of the file; the one that carries the mesh now
    uint32_t old_count, new_count; // targets that stay, targets that are added
} limberi_weights_edit;

// Weights of the new targets: [frame][new_count], or the one that is 1 in each frame.
typedef struct limberi_frame_weights {
    const float* weights;
    const int32_t* shown; // [frame], -1: none; NULL: `weights`
    bool many;            // as few bytes as possible
} limberi_frame_weights;

// The weights channel of one animation. *input is the accessor of the track's times, shared by all meshes, UINT32_MAX
// before the first.
void limberi_write_track(limberi_writer* writer, const limberi_weights_edit* edit, const limber_bake_track* track,
                         limberi_frame_weights weights, uint32_t* input);
// Makes every other animation that moves the node's weights fit the new number of targets. `baked` is [clip].
void limberi_extend_tracks(limberi_writer* writer, const limberi_weights_edit* edit, const bool* baked);

// The parts of a mesh as primitives; a mesh without parts is one.
uint32_t limberi_part_count(const limber_mesh* mesh);
limber_part limberi_part_at(const limber_mesh* mesh, uint32_t part);

// write_name.c: the .bin beside a .gltf, which overwrites nothing but the buffer of a .gltf it replaces.
limber_result limberi_binary_name(limberi_writer* writer, const char* path, const char** out, limber_error* error);
char* limberi_file_uri(limberi_arena* arena, const char* path);

// write_pointers.c: channels of KHR_animation_pointer as they were or, when clips have changed, as plain ones.
void limberi_write_pointers(limberi_writer* writer, bool plain);

// write_unused.c: after all edits; accessors that were replaced go, and their bytes.
void limberi_drop_unused(limberi_writer* writer);

// write_edits.c
limber_result limberi_write_layer(limberi_writer* writer, const limber_gltf_layer* layer, limber_error* error);
void limberi_declare(limberi_writer* writer, const char* extension);    // in extensionsUsed
char* limberi_layer_attribute(limberi_arena* arena, const char* layer); // "ears" -> "_LIMBER_EARS"
limber_result limberi_write_style(limberi_writer* writer, const char* style, limber_error* error);

// write_pack.c: the last step. The store must live until the file is written.
LIMBER_MUST_USE limber_result limberi_pack_views(limberi_writer* writer, const limber_gltf_edits* edits,
                                                 limber_bake_store* store, limber_error* error);
// A view of float vectors may be rounded to so many bits of mantissa when it is packed. `group`: so many vectors share
// an exponent; 0: each has its own.
void limberi_pack_as(limberi_writer* writer, uint32_t view, uint32_t bits, uint32_t group);

// write_buffers.c
void limberi_merge_buffers(limberi_writer* writer);
const char* limberi_picture_type(limberi_bytes bytes); // "image/png", ..., or NULL
void limberi_embed_images(limberi_writer* writer, bool data_uris);

// write_glb.c: where the bytes of a document go, one after the other. Whether that worked, the sink itself knows.
typedef struct limberi_sink {
    void (*put)(void* user, const void* bytes, size_t count);
    void (*seek)(void* user, uint64_t offset); // only asked for where a store is inside of the file
    void* user;
} limberi_sink;

// Magic number, version and length; length and kind of the chunk of text, and of the chunk of bytes after it.
enum { LIMBERI_GLB_FRONT = 12 + 8 + 8 };

typedef struct limberi_glb {
    limberi_buffer text;
    uint64_t text_room; // of the text with the spaces after it
    uint64_t size;      // of the whole file
    uint64_t front;     // where the bytes begin in a file that has its rows already; 0: it has none
} limberi_glb;

// The last step before the bytes are put. `front`: bytes before the rows of a store inside of the file; 0: there is
// none. The text is to be freed, also when it fails.
LIMBER_MUST_USE limber_result limberi_glb_begin(limberi_writer* writer, uint64_t front, limberi_glb* glb,
                                                limber_error* error);
LIMBER_MUST_USE limber_result limberi_glb_put(const limberi_glb* glb, const limberi_writer* writer,
                                              const limberi_sink* sink, limber_error* error);
// The bytes alone; `front` as in limberi_glb.
LIMBER_MUST_USE limber_result limberi_put_segments(const limberi_sink* sink, const limberi_writer* writer,
                                                   uint64_t front, limber_error* error);

// A .glb that is finished but has no name yet, to be committed together with other files.
LIMBER_MUST_USE limber_result limberi_gltf_write_glb(const limber_gltf* gltf, const char* path, limberi_file* file,
                                                     limber_error* error);

// A store inside of the .glb that will be written: front, rows, and what limber_gltf_save_file puts after them.
typedef struct limberi_inside {
    limberi_file file;
    int descriptor; // of the rows; -1 once the file has been taken over
    uint64_t front; // bytes before the rows
} limberi_inside;

// NULL: the store is another one, was opened for another file, or has been taken over.
limberi_inside* limberi_store_inside(const limber_bake_store* store, const char* path);
limberi_file limberi_inside_hand_over(limberi_inside* inside);

#endif
