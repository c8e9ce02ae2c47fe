#include "kit/gltf_kit.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void* grab(size_t size) {
    void* memory = calloc(1, size ? size : 1);
    if (!memory)
        abort();
    return memory;
}

static json_t* parse(const char* json) {
    size_t length = strlen(json);
    char* text = grab(length + 1);
    for (size_t i = 0; i < length; i++)
        text[i] = json[i] == '\'' ? '"' : json[i];
    json_t* value = json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    if (!value)
        fprintf(stderr, "bad JSON in a test: %s\n", text);
    free(text);
    if (!value)
        abort();
    return value;
}

void kit_begin(gltf_kit* kit) {
    memset(kit, 0, sizeof *kit);
    kit->root = parse("{'asset': {'version': '2.0'}}");
}

void kit_end(gltf_kit* kit) {
    json_decref(kit->root);
    free(kit->bytes);
    memset(kit, 0, sizeof *kit);
}

static uint32_t append(gltf_kit* kit, const char* list, json_t* entry) {
    json_t* array = json_object_get(kit->root, list);
    if (!array) {
        array = json_array();
        json_object_set_new(kit->root, list, array);
    }
    json_array_append_new(array, entry);
    return (uint32_t)json_array_size(array) - 1;
}

uint32_t kit_push(gltf_kit* kit, const char* list, const char* json) {
    return append(kit, list, parse(json));
}

static void set_child(json_t* parent, const char* key, json_t* value) {
    size_t index = strtoul(key, NULL, 10);
    if (json_is_object(parent) && value)
        json_object_set(parent, key, value);
    else if (json_is_object(parent))
        json_object_del(parent, key);
    else if (json_is_array(parent) && index == json_array_size(parent))
        json_array_append(parent, value);
    else if (json_is_array(parent) && value)
        json_array_set(parent, index, value);
    else
        json_array_remove(parent, index);
}

void kit_set(gltf_kit* kit, const char* path, const char* json) {
    json_t* value = json ? parse(json) : NULL;
    json_t* parent = kit->root;
    char key[128];
    for (;;) {
        size_t length = strcspn(path, "/");
        assert(length < sizeof key);
        memcpy(key, path, length);
        key[length] = 0;
        if (!path[length])
            break;
        parent = json_is_array(parent) ? json_array_get(parent, strtoul(key, NULL, 10)) : json_object_get(parent, key);
        assert(parent);
        path += length + 1;
    }
    set_child(parent, key, value);
    json_decref(value);
}

uint32_t kit_view(gltf_kit* kit, const void* data, size_t size, uint32_t stride) {
    size_t offset = (kit->size + 3) / 4 * 4, end = offset + size;
    if (end > kit->room) {
        kit->room = 2 * end;
        kit->bytes = realloc(kit->bytes, kit->room);
        if (!kit->bytes)
            abort();
    }
    memset(kit->bytes + kit->size, 0, offset - kit->size);
    memcpy(kit->bytes + offset, data, size);
    kit->size = end;
    json_t* view =
        json_pack("{s:i, s:I, s:I}", "buffer", 0, "byteOffset", (json_int_t)offset, "byteLength", (json_int_t)size);
    if (stride)
        json_object_set_new(view, "byteStride", json_integer(stride));
    return append(kit, "bufferViews", view);
}

static size_t element_size(uint32_t component, const char* type) {
    size_t bytes = component == KIT_INT8 || component == KIT_UINT8     ? 1
                   : component == KIT_INT16 || component == KIT_UINT16 ? 2
                                                                       : 4;
    size_t width = strcmp(type, "SCALAR") == 0 ? 1 : strcmp(type, "MAT4") == 0 ? 16 : (size_t)(type[3] - '0');
    return bytes * width;
}

uint32_t kit_array(gltf_kit* kit, const void* data, uint32_t component, bool normalized, const char* type,
                   uint32_t count) {
    uint32_t view = kit_view(kit, data, element_size(component, type) * count, 0);
    json_t* accessor = json_pack("{s:i, s:i, s:I, s:s}", "bufferView", (int)view, "componentType", (int)component,
                                 "count", (json_int_t)count, "type", type);
    if (normalized)
        json_object_set_new(accessor, "normalized", json_true());
    return append(kit, "accessors", accessor);
}

uint32_t kit_floats(gltf_kit* kit, const float* data, const char* type, uint32_t count) {
    return kit_array(kit, data, KIT_FLOAT, false, type, count);
}

void kit_poke(gltf_kit* kit, uint32_t view, size_t offset, const void* data, size_t size) {
    json_t* entry = json_array_get(json_object_get(kit->root, "bufferViews"), view);
    size_t start = (size_t)json_integer_value(json_object_get(entry, "byteOffset"));
    assert(start + offset + size <= kit->size);
    memcpy(kit->bytes + start + offset, data, size);
}

static void put_word(uint8_t* out, size_t value) {
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

uint8_t* kit_glb(gltf_kit* kit, size_t* size) {
    if (kit->size && !json_object_get(kit->root, "buffers"))
        json_object_set_new(kit->root, "buffers", json_pack("[{s:I}]", "byteLength", (json_int_t)kit->size));
    char* text = json_dumps(kit->root, JSON_COMPACT);
    size_t length = strlen(text), json = (length + 3) / 4 * 4, binary = (kit->size + 3) / 4 * 4;
    *size = 20 + json + (kit->size ? 8 + binary : 0);
    uint8_t* out = grab(*size);
    memcpy(out, "glTF\2", 5);
    put_word(out + 8, *size);
    put_word(out + 12, json);
    memcpy(out + 16, "JSON", 4);
    memset(out + 20, ' ', json);
    memcpy(out + 20, text, length);
    free(text);
    if (!kit->size)
        return out;
    put_word(out + 20 + json, binary);
    memcpy(out + 24 + json, "BIN\0", 4);
    memcpy(out + 28 + json, kit->bytes, kit->size);
    return out;
}

char* kit_base64(const uint8_t* bytes, size_t size, const char* prefix) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t start = strlen(prefix);
    char* out = grab(start + (size + 2) / 3 * 4 + 1);
    memcpy(out, prefix, start);
    for (size_t i = 0, o = start; i < size; i += 3, o += 4) {
        uint32_t bits = (uint32_t)bytes[i] << 16;
        bits |= i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0;
        bits |= i + 2 < size ? (uint32_t)bytes[i + 2] : 0;
        for (int k = 0; k < 4; k++)
            out[o + (size_t)k] = digits[bits >> (18 - 6 * k) & 63];
        if (i + 2 >= size)
            out[o + 3] = '=';
        if (i + 1 >= size)
            out[o + 2] = '=';
    }
    return out;
}

uint8_t* kit_gltf(gltf_kit* kit, size_t* size) {
    char* uri = kit_base64(kit->bytes, kit->size, "data:application/octet-stream;base64,");
    json_t* buffers = json_pack("[{s:I, s:s}]", "byteLength", (json_int_t)kit->size, "uri", uri);
    if (!json_object_get(kit->root, "buffers"))
        json_object_set(kit->root, "buffers", buffers);
    json_decref(buffers);
    free(uri);
    char* text = json_dumps(kit->root, JSON_INDENT(1));
    *size = strlen(text);
    return (uint8_t*)text;
}

static void add_body(gltf_kit* kit) {
    // Two squares one above the other, joined by walls left out: eight vertices, four triangles.
    static const float positions[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1},
                                          {0, 2, 0}, {1, 2, 0}, {1, 2, 1}, {0, 2, 1}};
    static const float normals[8][3] = {{0, 1, 0}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0},
                                        {0, 1, 0}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}};
    static const float uvs[8][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}, {1, 0}, {1, 1}, {0, 1}};
    static const uint8_t joints[8][4] = {{0}, {0}, {0, 1}, {0, 1}, {1, 2, 1}, {1, 2}, {2, 2}, {2, 9}};
    static const float weights[8][4] = {{1},          {1},          {0.5f, 0.5f}, {0.5f, 0.5f}, {0.25f, 0.5f, 0.25f},
                                        {0.5f, 0.5f}, {0.5f, 0.5f}, {1, 0}};
    static const uint16_t indices[12] = {0, 2, 1, 0, 3, 2, 4, 6, 5, 4, 7, 6};
    static const float smile[8][3] = {{0}, {0}, {0}, {0}, {0.1f}, {0.1f}, {0.1f}, {0.1f}};
    static const float frown[8][3] = {{0}, {0}, {0}, {0}, {0, 0.1f}, {0, 0.1f}, {0, 0.1f}, {0, 0.1f}};
    static const float layer[8] = {0, 0, 0.25f, 0.25f, 0.5f, 0.5f, 1, -1};
    kit_floats(kit, positions[0], "VEC3", 8);
    kit_floats(kit, normals[0], "VEC3", 8);
    kit_floats(kit, uvs[0], "VEC2", 8);
    kit_array(kit, joints, KIT_UINT8, false, "VEC4", 8);
    kit_floats(kit, weights[0], "VEC4", 8);
    kit_array(kit, indices, KIT_UINT16, false, "SCALAR", 12);
    kit_floats(kit, smile[0], "VEC3", 8);
    kit_floats(kit, frown[0], "VEC3", 8);
    kit_floats(kit, layer, "SCALAR", 8);
    kit_push(kit, "meshes",
             "{'name': 'Body', 'weights': [0.25, 0], 'extras': {'targetNames': ['smile', 'frown']}, 'primitives': [{"
             "'attributes': {'POSITION': 0, 'NORMAL': 1, 'TEXCOORD_0': 2, 'JOINTS_0': 3, 'WEIGHTS_0': 4, "
             "'_LIMBER_FLOPPY': 8}, 'indices': 5, 'material': 0, 'targets': [{'POSITION': 6}, {'POSITION': 7}]}]}");
}

static void add_skin_and_prop(gltf_kit* kit) {
    static const float bind[3][16] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
                                      {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1},
                                      {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -2, 0, 1}};
    static const float prop[3][3] = {{0, 0, 0}, {0.5f, 0, 0}, {0, 0.5f, 0}};
    kit_floats(kit, bind[0], "MAT4", 3);
    kit_floats(kit, prop[0], "VEC3", 3);
    kit_push(kit, "meshes", "{'name': 'Hat', 'primitives': [{'attributes': {'POSITION': 10}}]}");
    kit_push(kit, "skins", "{'name': 'Skin', 'joints': [1, 2, 3], 'inverseBindMatrices': 9, 'skeleton': 1}");
    kit_push(kit, "materials",
             "{'name': 'Red', 'pbrMetallicRoughness': {'baseColorFactor': [1, 0, 0, 0.5], 'metallicFactor': 0, "
             "'roughnessFactor': 0.75}, 'doubleSided': true, 'alphaMode': 'BLEND'}");
}

static void add_clip(gltf_kit* kit) {
    static const float times[3] = {0, 0.5f, 1};
    static const float translations[3][3] = {{0, 0, 0}, {0, 0.5f, 0}, {0, 0, 0}};
    static const float rotations[3][4] = {{0, 0, 0, 1}, {0, 0, 0.70710678f, 0.70710678f}, {0, 0, 0, 1}};
    static const float scales[3][3] = {{1, 1, 1}, {1, 2, 1}, {1, 1, 1}};
    static const float weights[18] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 0.5f, 0, 0, 0, 0, 0, 0, 0, 0};
    kit_floats(kit, times, "SCALAR", 3);
    kit_floats(kit, translations[0], "VEC3", 3);
    kit_floats(kit, rotations[0], "VEC4", 3);
    kit_floats(kit, scales[0], "VEC3", 3);
    kit_floats(kit, weights, "SCALAR", 18);
    kit_push(kit, "animations",
             "{'name': 'Hop', 'samplers': [{'input': 11, 'output': 12}, {'input': 11, 'output': 13, 'interpolation': "
             "'LINEAR'}, {'input': 11, 'output': 14, 'interpolation': 'STEP'}, {'input': 11, 'output': 15, "
             "'interpolation': 'CUBICSPLINE'}], 'channels': [{'sampler': 0, 'target': {'node': 1, 'path': "
             "'translation'}}, {'sampler': 1, 'target': {'node': 2, 'path': 'rotation'}}, {'sampler': 2, 'target': "
             "{'node': 3, 'path': 'scale'}}, {'sampler': 3, 'target': {'node': 4, 'path': 'weights'}}]}");
}

void kit_character(gltf_kit* kit) {
    kit_begin(kit);
    kit_set(kit, "scene", "0");
    kit_push(kit, "scenes", "{'nodes': [0]}");
    kit_push(kit, "nodes", "{'name': 'armature', 'children': [1, 4]}");
    kit_push(kit, "nodes", "{'name': 'root', 'children': [2]}");
    kit_push(kit, "nodes", "{'name': 'spine', 'children': [3], 'translation': [0, 1, 0]}");
    kit_push(kit, "nodes", "{'name': 'head', 'children': [5], 'translation': [0, 1, 0]}");
    kit_push(kit, "nodes", "{'name': 'body', 'mesh': 0, 'skin': 0}");
    kit_push(kit, "nodes", "{'name': 'prop', 'mesh': 1, 'matrix': [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0.5, 0, 1]}");
    add_body(kit);
    add_skin_and_prop(kit);
    add_clip(kit);
}
