// glTF files made in memory: a tree of JSON, changed by paths, and its buffer.
#include "kit/gltf_kit.h"

#include "text/json_write.h"

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

static limberi_json* parse(gltf_kit* kit, const char* json) {
    size_t length = strlen(json);
    char* text = grab(length + 1);
    for (size_t i = 0; i < length; i++)
        text[i] = json[i] == '\'' ? '"' : json[i];
    limberi_json_rules rules = limberi_json_rules_exact();
    limberi_json_document value;
    limber_result result = limberi_json_read(text, length, &rules, &value, NULL);
    if (result)
        fprintf(stderr, "bad JSON in a test: %s\n", text);
    free(text);
    if (result)
        abort();
    return limberi_json_adopt(&kit->json, &value);
}

void kit_begin(gltf_kit* kit) {
    memset(kit, 0, sizeof *kit);
    kit->json.root = parse(kit, "{'asset': {'version': '2.0'}}");
}

void kit_end(gltf_kit* kit) {
    limberi_json_free(&kit->json);
    free(kit->bytes);
    memset(kit, 0, sizeof *kit);
}

static uint32_t append(gltf_kit* kit, const char* list, limberi_json* entry) {
    limberi_json* array = limberi_json_get(kit->json.root, list);
    if (!array) {
        array = limberi_json_new(&kit->json, LIMBERI_JSON_ARRAY);
        limberi_json_set(&kit->json, kit->json.root, list, array);
    }
    limberi_json_append(&kit->json, array, entry);
    return limberi_json_count(array) - 1;
}

uint32_t kit_push(gltf_kit* kit, const char* list, const char* json) {
    return append(kit, list, parse(kit, json));
}

static void set_child(gltf_kit* kit, limberi_json* parent, const char* key, limberi_json* value) {
    size_t index = strtoul(key, NULL, 10);
    bool object = limberi_json_is(parent, LIMBERI_JSON_OBJECT);
    if (object && value)
        limberi_json_set(&kit->json, parent, key, value);
    else if (object)
        limberi_json_remove(parent, key);
    else if (value && index == limberi_json_count(parent))
        limberi_json_append(&kit->json, parent, value);
    else if (value)
        limberi_json_replace(&kit->json, parent, index, value);
    else
        limberi_json_remove_at(parent, index);
}

void kit_set(gltf_kit* kit, const char* path, const char* json) {
    limberi_json* value = json ? parse(kit, json) : NULL;
    limberi_json* parent = kit->json.root;
    char key[128];
    for (;;) {
        size_t length = strcspn(path, "/");
        assert(length < sizeof key);
        memcpy(key, path, length);
        key[length] = 0;
        if (!path[length])
            break;
        bool array = limberi_json_is(parent, LIMBERI_JSON_ARRAY);
        parent = array ? limberi_json_at(parent, strtoul(key, NULL, 10)) : limberi_json_get(parent, key);
        assert(parent);
        path += length + 1;
    }
    set_child(kit, parent, key, value);
}

static void put_number(gltf_kit* kit, limberi_json* object, const char* key, size_t number) {
    limberi_json_set(&kit->json, object, key, limberi_json_new_integer(&kit->json, (int64_t)number));
}

static void put_text(gltf_kit* kit, limberi_json* object, const char* key, const char* text) {
    limberi_json_set(&kit->json, object, key, limberi_json_new_string(&kit->json, text));
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
    limberi_json* view = limberi_json_new(&kit->json, LIMBERI_JSON_OBJECT);
    put_number(kit, view, "buffer", 0);
    put_number(kit, view, "byteOffset", offset);
    put_number(kit, view, "byteLength", size);
    if (stride)
        put_number(kit, view, "byteStride", stride);
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
    limberi_json* accessor = limberi_json_new(&kit->json, LIMBERI_JSON_OBJECT);
    put_number(kit, accessor, "bufferView", view);
    put_number(kit, accessor, "componentType", component);
    put_number(kit, accessor, "count", count);
    put_text(kit, accessor, "type", type);
    if (normalized)
        limberi_json_set(&kit->json, accessor, "normalized", limberi_json_new_switch(&kit->json, true));
    return append(kit, "accessors", accessor);
}

uint32_t kit_floats(gltf_kit* kit, const float* data, const char* type, uint32_t count) {
    return kit_array(kit, data, KIT_FLOAT, false, type, count);
}

void kit_poke(gltf_kit* kit, uint32_t view, size_t offset, const void* data, size_t size) {
    limberi_json* entry = limberi_json_at(limberi_json_get(kit->json.root, "bufferViews"), view);
    size_t start = (size_t)limberi_json_as_integer(limberi_json_get(entry, "byteOffset"));
    assert(start + offset + size <= kit->size);
    memcpy(kit->bytes + start + offset, data, size);
}

static void put_word(uint8_t* out, size_t value) {
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

// An entry for the bytes unless the test has made one; `uri` may be NULL.
static void describe_buffer(gltf_kit* kit, const char* uri) {
    if (limberi_json_get(kit->json.root, "buffers"))
        return;
    limberi_json* buffer = limberi_json_new(&kit->json, LIMBERI_JSON_OBJECT);
    put_number(kit, buffer, "byteLength", kit->size);
    if (uri)
        put_text(kit, buffer, "uri", uri);
    append(kit, "buffers", buffer);
}

// To be freed.
static limberi_buffer write_json(const gltf_kit* kit, uint32_t indent) {
    limberi_buffer text = {NULL, 0, 0, false};
    limberi_json_writer writer = {.out = &text, .indent = indent};
    limberi_json_tree(&writer, kit->json.root);
    if (text.failed || kit->json.arena.failed)
        abort();
    return text;
}

uint8_t* kit_glb(gltf_kit* kit, size_t* size) {
    if (kit->size)
        describe_buffer(kit, NULL);
    limberi_buffer text = write_json(kit, 0);
    size_t length = text.length, json = (length + 3) / 4 * 4, binary = (kit->size + 3) / 4 * 4;
    *size = 20 + json + (kit->size ? 8 + binary : 0);
    uint8_t* out = grab(*size);
    memcpy(out, "glTF\2", 5);
    put_word(out + 8, *size);
    put_word(out + 12, json);
    memcpy(out + 16, "JSON", 4);
    memset(out + 20, ' ', json);
    memcpy(out + 20, text.data, length);
    limberi_buffer_free(&text);
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
    describe_buffer(kit, uri);
    free(uri);
    limberi_buffer text = write_json(kit, 1);
    *size = text.length;
    return (uint8_t*)text.data;
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
