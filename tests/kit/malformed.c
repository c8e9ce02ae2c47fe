// Files that no reader should accept: a valid character with one thing wrong, and the message for it.
#include "kit/malformed.h"

#include "kit/gltf_kit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA LIMBER_ERROR_DATA
#define LIMIT LIMBER_ERROR_LIMIT
#define UNSUPPORTED LIMBER_ERROR_UNSUPPORTED

// One edit of the tree (kit_set).
typedef struct tree_fault {
    const char* name;
    limber_result result;
    const char* place;
    const char* path;
    const char* json;
} tree_fault;

static const tree_fault tree_faults[] = {
    {"asset_missing", DATA, "", "asset", NULL},
    {"asset_is_a_number", DATA, "", "asset", "2"},
    {"version_missing", DATA, "", "asset", "{}"},
    {"version_is_a_number", DATA, "", "asset/version", "2.0"},
    {"version_is_garbage", DATA, "", "asset/version", "'two'"},
    {"version_1", UNSUPPORTED, "", "asset/version", "'1.0'"},
    {"version_needs_2_1", UNSUPPORTED, "", "asset/minVersion", "'2.1'"},
    {"needs_draco", UNSUPPORTED, "", "extensionsRequired", "['KHR_draco_mesh_compression']"},
    {"needs_meshopt", UNSUPPORTED, "", "extensionsRequired", "['EXT_meshopt_compression']"},
    {"needs_toys", UNSUPPORTED, "", "extensionsRequired", "['ACME_toys']"},
    {"needs_something_unknown", UNSUPPORTED, "", "extensionsRequired", "['KHR_materials_unlit', 'ACME_magic']"},
    {"extension_is_a_number", DATA, "", "extensionsRequired", "[1]"},
    {"scene_out_of_range", DATA, "", "scene", "1"},
    {"scene_node_out_of_range", DATA, "scenes[0]", "scenes/0/nodes", "[0, 99]"},
    {"scene_node_is_a_string", DATA, "scenes[0]", "scenes/0/nodes", "['armature']"},
    {"scenes_is_an_object", DATA, "", "scenes", "{}"},

    {"nodes_is_a_number", DATA, "", "nodes", "7"},
    {"node_is_a_number", DATA, "nodes[2]", "nodes/2", "7"},
    {"node_is_its_own_child", DATA, "nodes[0] 'armature'", "nodes/0/children", "[1, 4, 0]"},
    {"node_cycle", DATA, "nodes[", "nodes", "[{'children': [1]}, {'children': [2]}, {'children': [0]}, {}, {}, {}]"},
    {"node_hangs_on_a_cycle", DATA, "nodes[2]", "nodes",
     "[{}, {}, {'children': [3, 1]}, {'children': [2]}, {'mesh': 0}, {}]"},
    {"node_with_two_parents", DATA, "nodes[3] 'head'", "nodes/0/children", "[1, 4, 3]"},
    {"child_listed_twice", DATA, "nodes[4] 'body'", "nodes/0/children", "[1, 4, 4]"},
    {"child_out_of_range", DATA, "nodes[3] 'head'", "nodes/3/children", "[6]"},
    {"child_negative", DATA, "nodes[3] 'head'", "nodes/3/children", "[-1]"},
    {"child_huge", DATA, "nodes[3] 'head'", "nodes/3/children", "[4294967301]"},
    {"children_is_a_number", DATA, "nodes[3] 'head'", "nodes/3/children", "5"},
    {"node_mesh_out_of_range", DATA, "nodes[4] 'body'", "nodes/4/mesh", "2"},
    {"node_skin_out_of_range", DATA, "nodes[4] 'body'", "nodes/4/skin", "1"},
    {"node_skin_negative", DATA, "nodes[4] 'body'", "nodes/4/skin", "-1"},
    {"matrix_too_short", DATA, "nodes[5] 'prop'", "nodes/5/matrix", "[1, 0, 0, 0]"},
    {"matrix_with_null", DATA, "nodes[5] 'prop'", "nodes/5/matrix",
     "[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, null, 0, 1]"},
    {"matrix_too_large_for_floats", DATA, "nodes[5] 'prop'", "nodes/5/matrix",
     "[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1e39, 0, 1]"},
    {"translation_too_short", DATA, "nodes[2] 'spine'", "nodes/2/translation", "[0, 1]"},
    {"rotation_of_strings", DATA, "nodes[2] 'spine'", "nodes/2/rotation", "['0', '0', '0', '1']"},
    {"scale_infinite", DATA, "nodes[2] 'spine'", "nodes/2/scale", "[1e300, 1, 1]"},
    {"node_weights_too_many", DATA, "nodes[4] 'body'", "nodes/4/weights", "[0, 0, 0]"},

    {"skin_without_joints", DATA, "skins[0] 'Skin'", "skins/0/joints", NULL},
    {"skin_with_no_joints", DATA, "skins[0] 'Skin'", "skins/0/joints", "[]"},
    {"skin_joint_out_of_range", DATA, "skins[0] 'Skin'", "skins/0/joints", "[1, 2, 6]"},
    {"skin_joint_negative", DATA, "skins[0] 'Skin'", "skins/0/joints", "[1, 2, -3]"},
    {"skin_joint_fraction", DATA, "skins[0] 'Skin'", "skins/0/joints", "[1, 2, 2.5]"},
    {"skin_skeleton_out_of_range", DATA, "skins[0] 'Skin'", "skins/0/skeleton", "17"},
    {"skin_smaller_than_its_joints", DATA, "meshes[0].primitives[0]", "skins/0/joints", "[1, 2]"},
    {"inverse_binds_too_few", DATA, "skins[0] 'Skin'", "accessors/9/count", "2"},
    {"inverse_binds_of_vectors", DATA, "skins[0] 'Skin'", "skins/0/inverseBindMatrices", "13"},
    {"inverse_binds_of_bytes", DATA, "skins[0] 'Skin'", "accessors/9/componentType", "5121"},
    {"inverse_binds_out_of_range", DATA, "skins[0] 'Skin'", "skins/0/inverseBindMatrices", "16"},

    {"material_roughness_is_a_string", DATA, "materials[0] 'Red'", "materials/0/pbrMetallicRoughness/roughnessFactor",
     "'rough'"},
    {"texture_out_of_range", DATA, "materials[0] 'Red'", "materials/0/pbrMetallicRoughness/baseColorTexture",
     "{'index': 0}"},
    {"mesh_without_primitives", DATA, "meshes[0] 'Body'", "meshes/0/primitives", NULL},
    {"mesh_with_no_primitives", DATA, "meshes[0] 'Body'", "meshes/0/primitives", "[]"},
    {"primitive_is_a_string", DATA, "meshes[0].primitives[0]", "meshes/0/primitives/0", "'cube'"},
    {"primitive_without_attributes", DATA, "meshes[0].primitives[0]", "meshes/0/primitives/0/attributes", NULL},
    {"primitive_attributes_array", DATA, "meshes[0].primitives[0]", "meshes/0/primitives/0/attributes", "[0, 1]"},
    {"primitive_without_positions", DATA, "meshes[0].primitives[0]", "meshes/0/primitives/0/attributes/POSITION", NULL},
    {"positions_out_of_range", DATA, "meshes[0].primitives[0]", "meshes/0/primitives/0/attributes/POSITION", "16"},
    {"positions_of_vec2", DATA, "meshes[0].primitives[0]", "meshes/0/primitives/0/attributes/POSITION", "2"},
    {"no_vertices", DATA, "meshes[0].primitives[0]", "accessors/0/count", "0"},
    {"normals_too_few", DATA, "meshes[0].primitives[0]", "accessors/1/count", "7"},
    {"texcoords_of_scalars", DATA, "meshes[0].primitives[0]", "meshes/0/primitives/0/attributes/TEXCOORD_0", "8"},
    {"mode_unknown", DATA, "meshes[0].primitives[0]", "meshes/0/primitives/0/mode", "7"},
    {"mode_negative", DATA, "meshes[0].primitives[0]", "meshes/0/primitives/0/mode", "-1"},
    {"indices_of_floats", DATA, "meshes[0].primitives[0]", "meshes/0/primitives/0/indices", "8"},
    {"indices_of_vectors", DATA, "meshes[0].primitives[0]", "meshes/0/primitives/0/indices", "3"},
    {"material_out_of_range", DATA, "meshes[0].primitives[0]", "meshes/0/primitives/0/material", "1"},
    {"joints_without_weights", DATA, "meshes[0].primitives[0]", "meshes/0/primitives/0/attributes/WEIGHTS_0", NULL},
    {"joints_of_floats", DATA, "meshes[0].primitives[0]", "meshes/0/primitives/0/attributes/JOINTS_0", "4"},
    {"joints_signed", DATA, "meshes[0].primitives[0]", "accessors/3/componentType", "5120"},
    {"second_joints_without_weights", DATA, "meshes[0].primitives[0]", "meshes/0/primitives/0/attributes/JOINTS_1",
     "3"},
    {"targets_is_an_object", DATA, "meshes[0].primitives[0]", "meshes/0/primitives/0/targets", "{}"},
    {"target_is_a_number", DATA, "meshes[0].primitives[0]", "meshes/0/primitives/0/targets", "[6, 7]"},
    {"target_too_short", DATA, "meshes[0].primitives[0]", "accessors/7/count", "7"},
    {"target_counts_differ", DATA, "meshes[0].primitives[1]", "meshes/0/primitives/1",
     "{'attributes': {'POSITION': 0}, 'targets': [{'POSITION': 6}]}"},
    {"mesh_weights_too_few", DATA, "meshes[0] 'Body'", "meshes/0/weights", "[1]"},
    {"mesh_weights_of_strings", DATA, "meshes[0] 'Body'", "meshes/0/weights", "['a', 'b']"},
    {"layer_of_vectors", DATA, "meshes[0].primitives[0]", "meshes/0/primitives/0/attributes/_LIMBER_X", "0"},
    {"layer_too_short", DATA, "meshes[0].primitives[0]", "meshes/0/primitives/0/attributes/_LIMBER_X", "11"},

    {"accessor_without_count", DATA, "accessors[0]", "accessors/0/count", NULL},
    {"count_negative", DATA, "accessors[0]", "accessors/0/count", "-8"},
    {"count_fraction", DATA, "accessors[0]", "accessors/0/count", "7.5"},
    {"count_string", DATA, "accessors[0]", "accessors/0/count", "'8'"},
    {"count_past_the_view", DATA, "accessors[0]", "accessors/0/count", "9"},
    {"count_4e9", DATA, "accessors[0]", "accessors/0/count", "4000000000"},
    {"count_2_to_the_63", LIMIT, "accessors[0]", "accessors/0/count", "9223372036854775807"},
    {"count_overflowing_a_product", LIMIT, "accessors[0]", "accessors/0/count", "1537228672809129302"},
    {"count_4e9_of_zeros", LIMIT, "meshes[0].primitives[0]", "accessors/0",
     "{'componentType': 5126, 'type': 'VEC3', 'count': 4000000000}"},
    {"indices_4e9_of_zeros", LIMIT, "meshes[0].primitives[0]", "accessors/5",
     "{'componentType': 5123, 'type': 'SCALAR', 'count': 4000000000}"},
    {"accessor_offset_past_the_view", DATA, "accessors[0]", "accessors/0/byteOffset", "4"},
    {"accessor_offset_near_2_to_the_63", DATA, "accessors[0]", "accessors/0/byteOffset", "9223372036854775800"},
    {"accessor_offset_negative", DATA, "accessors[0]", "accessors/0/byteOffset", "-12"},
    {"component_type_unknown", DATA, "accessors[0]", "accessors/0/componentType", "5127"},
    {"component_type_missing", DATA, "accessors[0]", "accessors/0/componentType", NULL},
    {"type_unknown", DATA, "accessors[0]", "accessors/0/type", "'VEC5'"},
    {"type_missing", DATA, "accessors[0]", "accessors/0/type", NULL},
    {"normalized_is_a_number", DATA, "accessors[0]", "accessors/0/normalized", "1"},
    {"accessor_view_out_of_range", DATA, "accessors[0]", "accessors/0/bufferView", "16"},
    {"stride_too_small", DATA, "accessors[0]", "bufferViews/0/byteStride", "8"},
    {"stride_too_large", DATA, "accessors[0]", "bufferViews/0/byteStride", "16"},
    {"stride_near_2_to_the_63", DATA, "accessors[0]", "bufferViews/0/byteStride", "9223372036854775807"},
    {"stride_negative", DATA, "bufferViews[0]", "bufferViews/0/byteStride", "-12"},
    {"view_without_buffer", DATA, "bufferViews[0]", "bufferViews/0/buffer", NULL},
    {"view_without_length", DATA, "bufferViews[0]", "bufferViews/0/byteLength", NULL},
    {"view_buffer_out_of_range", DATA, "bufferViews[0]", "bufferViews/0/buffer", "1"},
    {"view_past_the_buffer", DATA, "bufferViews[0]", "bufferViews/0/byteLength", "1000000"},
    {"view_offset_past_the_buffer", DATA, "bufferViews[0]", "bufferViews/0/byteOffset", "1000000"},
    {"view_offset_near_2_to_the_63", DATA, "bufferViews[0]", "bufferViews/0/byteOffset", "9223372036854775807"},
    {"view_length_near_2_to_the_63", DATA, "bufferViews[0]", "bufferViews/0/byteLength", "9223372036854775807"},
    {"sparse_without_indices", DATA, "accessors[0]", "accessors/0/sparse", "{'count': 1}"},
    {"sparse_count_too_large", DATA, "accessors[0]", "accessors/0/sparse",
     "{'count': 9, 'indices': {'bufferView': 3, 'componentType': 5121}, 'values': {'bufferView': 1}}"},
    {"sparse_index_out_of_range", DATA, "accessors[0]", "accessors/0/sparse",
     "{'count': 1, 'indices': {'bufferView': 3, 'byteOffset': 29, 'componentType': 5121}, 'values': {'bufferView': "
     "1}}"},
    {"sparse_indices_not_increasing", DATA, "accessors[0]", "accessors/0/sparse",
     "{'count': 2, 'indices': {'bufferView': 3, 'componentType': 5121}, 'values': {'bufferView': 1}}"},
    {"sparse_indices_of_floats", DATA, "accessors[0]", "accessors/0/sparse",
     "{'count': 1, 'indices': {'bufferView': 8, 'componentType': 5126}, 'values': {'bufferView': 1}}"},
    {"sparse_values_past_their_view", DATA, "accessors[0]", "accessors/0/sparse",
     "{'count': 1, 'indices': {'bufferView': 3, 'componentType': 5121}, 'values': {'bufferView': 1, 'byteOffset': "
     "96}}"},
    {"sparse_values_missing", DATA, "accessors[0]", "accessors/0/sparse",
     "{'count': 1, 'indices': {'bufferView': 3, 'componentType': 5121}}"},
    {"sparse_offset_near_2_to_the_63", DATA, "accessors[0]", "accessors/0/sparse",
     "{'count': 1, 'indices': {'bufferView': 3, 'byteOffset': 9223372036854775807, 'componentType': 5121}, 'values': "
     "{'bufferView': 1}}"},

    {"buffer_without_length", DATA, "buffers[0]", "buffers", "[{}]"},
    {"buffer_longer_than_its_chunk", DATA, "buffers[0]", "buffers", "[{'byteLength': 1000000}]"},
    {"buffer_of_2_to_the_63", DATA, "buffers[0]", "buffers", "[{'byteLength': 9223372036854775807}]"},
    {"buffer_without_uri", DATA, "buffers[1]", "buffers", "[{'byteLength': 4}, {'byteLength': 4}]"},
    {"buffer_file_missing", LIMBER_ERROR_FILE, "buffers[0]", "buffers", "[{'byteLength': 4, 'uri': 'not-there.bin'}]"},
    {"buffer_absolute_path", UNSUPPORTED, "buffers[0]", "buffers", "[{'byteLength': 4, 'uri': '/etc/passwd'}]"},
    {"buffer_above_the_folder", UNSUPPORTED, "buffers[0]", "buffers", "[{'byteLength': 4, 'uri': 'a/../../b.bin'}]"},
    {"buffer_above_the_folder_and_down", UNSUPPORTED, "buffers[0]", "buffers",
     "[{'byteLength': 4, 'uri': '../a/b.bin'}]"},
    {"buffer_above_the_folder_hidden", UNSUPPORTED, "buffers[0]", "buffers",
     "[{'byteLength': 4, 'uri': '%2e%2e%2Fb.bin'}]"},
    {"buffer_on_the_web", UNSUPPORTED, "buffers[0]", "buffers",
     "[{'byteLength': 4, 'uri': 'https://example.com/b.bin'}]"},
    {"buffer_file_scheme", UNSUPPORTED, "buffers[0]", "buffers", "[{'byteLength': 4, 'uri': 'file:///etc/passwd'}]"},
    {"buffer_uri_with_zero_byte", UNSUPPORTED, "buffers[0]", "buffers", "[{'byteLength': 4, 'uri': 'a%00b.bin'}]"},
    {"buffer_uri_is_a_number", DATA, "buffers[0]", "buffers", "[{'byteLength': 4, 'uri': 4}]"},
    {"base64_with_stars", DATA, "buffers[0]", "buffers",
     "[{'byteLength': 4, 'uri': 'data:application/octet-stream;base64,AA**AAAA'}]"},
    {"base64_cut_off", DATA, "buffers[0]", "buffers",
     "[{'byteLength': 4, 'uri': 'data:application/octet-stream;base64,AAAAA'}]"},
    {"base64_too_short", DATA, "buffers[0]", "buffers",
     "[{'byteLength': 400, 'uri': 'data:application/octet-stream;base64,AAAA'}]"},
    {"data_uri_without_comma", DATA, "buffers[0]", "buffers", "[{'byteLength': 4, 'uri': 'data:AAAA'}]"},

    {"animations_is_a_string", DATA, "", "animations", "'hop'"},
    {"samplers_is_a_number", DATA, "animations[0] 'Hop'", "animations/0/samplers", "4"},
    {"channels_is_an_object", DATA, "animations[0] 'Hop'", "animations/0/channels", "{}"},
    {"channel_is_a_number", DATA, "animations[0].channels[1]", "animations/0/channels/1", "1"},
    {"channel_sampler_out_of_range", DATA, "animations[0].channels[0]", "animations/0/channels/0/sampler", "4"},
    {"channel_without_sampler", DATA, "animations[0].channels[0]", "animations/0/channels/0/sampler", NULL},
    {"channel_node_out_of_range", DATA, "animations[0].channels[0]", "animations/0/channels/0/target/node", "6"},
    {"channel_path_is_a_number", DATA, "animations[0].channels[0]", "animations/0/channels/0/target/path", "1"},
    {"sampler_is_a_string", DATA, "animations[0].samplers[0]", "animations/0/samplers/0", "'linear'"},
    {"interpolation_unknown", DATA, "animations[0].samplers[0]", "animations/0/samplers/0/interpolation", "'CUBIC'"},
    {"sampler_without_input", DATA, "animations[0].samplers[0]", "animations/0/samplers/0/input", NULL},
    {"sampler_without_output", DATA, "animations[0].samplers[0]", "animations/0/samplers/0/output", NULL},
    {"sampler_with_no_keys", DATA, "animations[0].samplers[0]", "accessors/11/count", "0"},
    {"sampler_input_out_of_range", DATA, "animations[0].samplers[0]", "animations/0/samplers/0/input", "99"},
    {"sampler_times_of_vectors", DATA, "animations[0].samplers[0]", "animations/0/samplers/0/input", "12"},
    {"sampler_times_of_integers", DATA, "animations[0].samplers[0]", "accessors/11/componentType", "5125"},
    {"sampler_values_too_few", DATA, "animations[0].samplers[0]", "accessors/12/count", "2"},
    {"sampler_rotation_of_vec3", DATA, "animations[0].samplers[1]", "animations/0/samplers/1/output", "12"},
    {"cubic_without_tangents", DATA, "animations[0].samplers[0]", "animations/0/samplers/0/interpolation",
     "'CUBICSPLINE'"},
    {"morph_keys_too_few", DATA, "animations[0].samplers[3]", "accessors/15/count", "17"},
    {"keys_4e9_of_zeros", LIMIT, "animations[0].samplers[0]", "accessors",
     "[{'componentType': 5126, 'type': 'SCALAR', 'count': 4000000000}, {'componentType': 5126, 'type': 'VEC3', "
     "'count': 4000000000}]"},
};

// Bytes of one buffer view overwritten with a 32-bit pattern.
typedef struct byte_fault {
    const char* name;
    const char* place;
    uint32_t view;
    size_t offset;
    uint32_t bits;
} byte_fault;

enum { NOT_A_NUMBER = 0x7fc00000, INFINITE = 0x7f800000, ONE = 0x3f800000 };

static const byte_fault byte_faults[] = {
    {"position_nan", "accessors[0]", KIT_POSITION, 40, NOT_A_NUMBER},
    {"position_infinite", "accessors[0]", KIT_POSITION, 40, INFINITE},
    {"joint_out_of_range", "meshes[0].primitives[0]", KIT_JOINTS, 4, 200},
    {"weight_nan", "accessors[4]", KIT_WEIGHTS, 0, NOT_A_NUMBER},
    {"weight_infinite", "accessors[4]", KIT_WEIGHTS, 0, INFINITE},
    {"index_past_the_vertices", "meshes[0].primitives[0]", KIT_INDICES, 4, 8},
    {"target_nan", "accessors[6]", KIT_TARGET_0, 92, NOT_A_NUMBER},
    {"layer_infinite", "accessors[8]", KIT_LAYER, 28, INFINITE},
    {"inverse_bind_nan", "accessors[9]", KIT_BIND, 64, NOT_A_NUMBER},
    {"inverse_bind_infinite", "accessors[9]", KIT_BIND, 64 + 52, INFINITE},
    {"time_nan", "accessors[11]", KIT_TIMES, 4, NOT_A_NUMBER},
    {"translation_key_nan", "accessors[12]", KIT_TRANSLATIONS, 16, NOT_A_NUMBER},
    {"rotation_key_infinite", "accessors[13]", KIT_ROTATIONS, 16, INFINITE},
    {"morph_key_nan", "accessors[15]", KIT_MORPH_WEIGHTS, 68, NOT_A_NUMBER},
};

// Where the whole file is cut, counted from a boundary of the container; the header keeps its length or is corrected.
typedef enum boundary { FROM_START, FROM_JSON, FROM_BINARY, FROM_END } boundary;
typedef struct cut_fault {
    const char* name;
    boundary from;
    int distance;
    bool corrected;
} cut_fault;

static const cut_fault cut_faults[] = {
    {"cut_empty", FROM_START, 0, false},
    {"cut_in_magic", FROM_START, 3, false},
    {"cut_after_magic", FROM_START, 4, false},
    {"cut_after_version", FROM_START, 8, false},
    {"cut_in_header", FROM_START, 11, false},
    {"cut_after_header", FROM_START, 12, false},
    {"cut_after_header_corrected", FROM_START, 12, true},
    {"cut_in_json_header", FROM_START, 16, false},
    {"cut_in_json_header_corrected", FROM_START, 16, true},
    {"cut_before_json", FROM_START, 20, false},
    {"cut_before_json_corrected", FROM_START, 20, true},
    {"cut_in_json", FROM_JSON, -9, false},
    {"cut_in_json_corrected", FROM_JSON, -9, true},
    {"cut_after_json", FROM_JSON, 0, false},
    {"cut_after_json_corrected", FROM_JSON, 0, true},
    {"cut_in_binary_header", FROM_JSON, 4, false},
    {"cut_in_binary_header_corrected", FROM_JSON, 4, true},
    {"cut_before_binary", FROM_BINARY, 0, false},
    {"cut_before_binary_corrected", FROM_BINARY, 0, true},
    {"cut_in_binary", FROM_BINARY, 33, false},
    {"cut_in_binary_corrected", FROM_BINARY, 33, true},
    {"cut_before_the_last_byte", FROM_END, -1, false},
    {"cut_before_the_last_byte_corrected", FROM_END, -1, true},
};

// A 32-bit word of the container replaced.
typedef struct word_fault {
    const char* name;
    limber_result result;
    boundary from;
    int distance;
    uint32_t word;
} word_fault;

static const word_fault word_faults[] = {
    {"magic_wrong", DATA, FROM_START, 0, 0x46546c66},
    {"container_version_1", UNSUPPORTED, FROM_START, 4, 1},
    {"container_version_3", UNSUPPORTED, FROM_START, 4, 3},
    {"container_length_zero", DATA, FROM_START, 8, 0},
    {"container_length_huge", DATA, FROM_START, 8, 0xffffffff},
    {"container_length_of_header", DATA, FROM_START, 8, 12},
    {"json_chunk_length_zero", DATA, FROM_START, 12, 0},
    {"json_chunk_length_huge", DATA, FROM_START, 12, 0xffffffff},
    {"json_chunk_length_wraps", DATA, FROM_START, 12, 0xffffffec},
    {"json_chunk_one_too_long", DATA, FROM_START, 12, 0},
    {"json_chunk_of_binary_type", DATA, FROM_START, 16, 0x004e4942},
    {"binary_chunk_length_huge", DATA, FROM_JSON, 0, 0xffffffff},
    {"binary_chunk_length_wraps", DATA, FROM_JSON, 0, 0xfffffff8},
    {"binary_chunk_of_json_type", DATA, FROM_JSON, 4, 0x4e4f534a},
    {"json_starts_with_garbage", DATA, FROM_START, 20, 0xfffefdfc},
};

// Whole texts.
typedef struct text_fault {
    const char* name;
    const char* text;
} text_fault;

static const text_fault text_faults[] = {
    {"text_spaces", "   \n"},
    {"text_prose", "once upon a time"},
    {"text_array", "[]"},
    {"text_open_brace", "{"},
    {"text_open_string", "{\"asset"},
    {"text_bare_word", "{\"asset\": hello}"},
    {"text_nan", "{\"asset\": {\"version\": \"2.0\"}, \"scene\": NaN}"},
    {"text_two_documents", "{\"asset\": {\"version\": \"2.0\"}} {}"},
    {"text_empty_object", "{}"},
    {"text_number_too_large", "{\"asset\": 1e999}"},
    {"text_bad_utf8", "{\"asset\": {\"version\": \"2.0\"}, \"nodes\": [{\"name\": \"\xc3\x28\"}]}"},
    {"text_bad_escape", "{\"asset\": {\"version\": \"\\q\"}}"},
    {"text_zero_in_a_key", "{\"asset\": {\"version\": \"2.0\"}, \"a\\u0000b\": 1}"},
    {"text_newline_in_version", "{\"asset\": {\"version\": \"2\\n0\"}}"},
};

// Large ones.
typedef struct large_fault {
    const char* name;
    limber_result result;
    const char* head;
    const char* repeated;
    uint32_t count;
    const char* tail;
} large_fault;

static const large_fault large_faults[] = {
    {"deep_arrays", DATA, "{\"asset\": {\"version\": \"2.0\"}, \"extras\": ", "[", 3000, ""},
    {"deep_objects", DATA, "{\"asset\": {\"version\": \"2.0\"}, \"extras\": ", "{\"a\": ", 3000, "1"},
    {"100000_nodes", LIMIT, "{\"asset\": {\"version\": \"2.0\"}, \"nodes\": [{}", ", {}", 99999, "]}"},
    {"9000000_objects", LIMIT, "{\"asset\": {\"version\": \"2.0\"}, \"extras\": [{}", ",{}", 9000000, "]}"},
    {"many_digits", DATA, "{\"asset\": {\"version\": \"2.0\"}, \"scene\": ", "9", 400, "}"},
};

#define COUNT(table) (uint32_t)(sizeof(table) / sizeof((table)[0]))

static size_t json_length(const uint8_t* glb) {
    return (size_t)glb[12] | (size_t)glb[13] << 8 | (size_t)glb[14] << 16;
}

static size_t boundary_offset(const uint8_t* glb, size_t size, boundary from) {
    size_t json = 20 + json_length(glb);
    return from == FROM_START ? 0 : from == FROM_JSON ? json : from == FROM_BINARY ? json + 8 : size;
}

static void put_word(uint8_t* out, uint32_t value) {
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

static malformed_file make_tree(const tree_fault* fault) {
    malformed_file file = {fault->name, ".glb", fault->result, fault->place, NULL, 0};
    gltf_kit kit;
    kit_character(&kit);
    kit_set(&kit, fault->path, fault->json);
    if (strcmp(fault->name, "keys_4e9_of_zeros") == 0) { // a bare skeleton, so that only the clip needs accessors
        kit_set(&kit, "meshes", NULL);
        kit_set(&kit, "skins", NULL);
        kit_set(&kit, "nodes", "[{}]");
        kit_set(&kit, "animations",
                "[{'samplers': [{'input': 0, 'output': 1}], 'channels': [{'sampler': 0, "
                "'target': {'node': 0, 'path': 'translation'}}]}]");
    }
    file.bytes = kit_glb(&kit, &file.size);
    kit_end(&kit);
    return file;
}

static malformed_file make_bytes(const byte_fault* fault) {
    malformed_file file = {fault->name, ".gltf", DATA, fault->place, NULL, 0};
    uint8_t word[4];
    gltf_kit kit;
    kit_character(&kit);
    put_word(word, fault->bits);
    kit_poke(&kit, fault->view, fault->offset, word, sizeof word);
    file.bytes = kit_gltf(&kit, &file.size);
    kit_end(&kit);
    return file;
}

static malformed_file make_cut(const cut_fault* fault) {
    malformed_file file = {fault->name, ".glb", DATA, "", NULL, 0};
    gltf_kit kit;
    kit_character(&kit);
    file.bytes = kit_glb(&kit, &file.size);
    kit_end(&kit);
    file.size = (size_t)((long)boundary_offset(file.bytes, file.size, fault->from) + fault->distance);
    if (fault->corrected)
        put_word(file.bytes + 8, (uint32_t)file.size);
    if (strcmp(fault->name, "cut_after_json_corrected") == 0 ||
        strcmp(fault->name, "cut_in_binary_header_corrected") == 0)
        file.place = "buffers[0]"; // a GLB without a binary chunk is one; its buffer is missing
    return file;
}

static malformed_file make_word(const word_fault* fault) {
    malformed_file file = {fault->name, ".glb", fault->result, "", NULL, 0};
    gltf_kit kit;
    kit_character(&kit);
    file.bytes = kit_glb(&kit, &file.size);
    kit_end(&kit);
    size_t offset = boundary_offset(file.bytes, file.size, fault->from) + (size_t)fault->distance;
    bool longer = strcmp(fault->name, "json_chunk_one_too_long") == 0;
    put_word(file.bytes + offset, longer ? (uint32_t)json_length(file.bytes) + 1 : fault->word);
    if (strcmp(fault->name, "binary_chunk_of_json_type") == 0)
        file.place = "buffers[0]";
    return file;
}

static malformed_file make_text(const text_fault* fault) {
    malformed_file file = {fault->name, ".gltf", DATA, "", NULL, 0};
    file.size = strlen(fault->text);
    file.bytes = malloc(file.size + 1);
    if (file.bytes)
        memcpy(file.bytes, fault->text, file.size + 1);
    return file;
}

static malformed_file make_large(const large_fault* fault) {
    malformed_file file = {fault->name, ".gltf", fault->result, "", NULL, 0};
    size_t head = strlen(fault->head), part = strlen(fault->repeated), tail = strlen(fault->tail);
    file.size = head + part * fault->count + tail;
    file.bytes = malloc(file.size + 1);
    if (!file.bytes)
        return file;
    memcpy(file.bytes, fault->head, head);
    for (uint32_t i = 0; i < fault->count; i++)
        memcpy(file.bytes + head + part * i, fault->repeated, part);
    memcpy(file.bytes + head + part * fault->count, fault->tail, tail);
    return file;
}

uint32_t malformed_count(void) {
    return COUNT(tree_faults) + COUNT(byte_faults) + COUNT(cut_faults) + COUNT(word_faults) + COUNT(text_faults) +
           COUNT(large_faults);
}

malformed_file malformed_make(uint32_t index) {
    if (index < COUNT(tree_faults))
        return make_tree(&tree_faults[index]);
    index -= COUNT(tree_faults);
    if (index < COUNT(byte_faults))
        return make_bytes(&byte_faults[index]);
    index -= COUNT(byte_faults);
    if (index < COUNT(cut_faults))
        return make_cut(&cut_faults[index]);
    index -= COUNT(cut_faults);
    if (index < COUNT(word_faults))
        return make_word(&word_faults[index]);
    index -= COUNT(word_faults);
    if (index < COUNT(text_faults))
        return make_text(&text_faults[index]);
    return make_large(&large_faults[index - COUNT(text_faults)]);
}

void malformed_free(malformed_file* file) {
    free(file->bytes);
    file->bytes = NULL;
}

bool malformed_line(const char* message) {
    return strlen(message) > 0 && strpbrk(message, "\r\n\t") == NULL;
}
