// From the bytes of a file to the JSON tree: the GLB container, its limits, version and extensions.
#include "io/gltf/read.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER_BYTES = 12, CHUNK_HEADER_BYTES = 8, MAGIC = 0x46546c67, CHUNK_JSON = 0x4e4f534a, CHUNK_BIN = 0x004e4942 };

static limber_result read_chunks(limberi_gltf_reader* reader, limberi_bytes file, limberi_bytes* json) {
    size_t offset = HEADER_BYTES;
    for (uint32_t chunk = 0; file.size - offset >= CHUNK_HEADER_BYTES; chunk++) {
        uint32_t length = limberi_little_endian(file.data + offset);
        uint32_t type = limberi_little_endian(file.data + offset + 4);
        offset += CHUNK_HEADER_BYTES;
        if (length > file.size - offset)
            return limberi_gltf_fail(reader, NULL, LIMBER_ERROR_DATA,
                                     "the file ends inside chunk %u: %u bytes are announced, %zu are there", chunk,
                                     length, file.size - offset);
        limberi_bytes bytes = {file.data + offset, length};
        if (chunk == 0 && type != CHUNK_JSON)
            return limberi_gltf_fail(reader, NULL, LIMBER_ERROR_DATA, "its first chunk is not JSON");
        if (chunk == 0)
            *json = bytes;
        if (chunk == 1 && type == CHUNK_BIN) {
            reader->binary_chunk = bytes;
            reader->has_binary_chunk = true;
        }
        offset += length;
    }
    if (!json->data)
        return limberi_gltf_fail(reader, NULL, LIMBER_ERROR_DATA, "the file ends before its JSON chunk");
    return LIMBER_OK;
}

static limber_result read_glb(limberi_gltf_reader* reader, limberi_bytes file, limberi_bytes* json) {
    if (file.size < HEADER_BYTES)
        return limberi_gltf_fail(reader, NULL, LIMBER_ERROR_DATA, "the file ends inside its header");
    uint32_t version = limberi_little_endian(file.data + 4);
    uint32_t length = limberi_little_endian(file.data + 8);
    if (version != 2)
        return limberi_gltf_fail(reader, NULL, LIMBER_ERROR_UNSUPPORTED,
                                 "is a binary glTF of version %u; limber reads version 2", version);
    if (length > file.size)
        return limberi_gltf_fail(reader, NULL, LIMBER_ERROR_DATA,
                                 "the file is cut off: its header says %u bytes, it has %zu", length, file.size);
    if (length < HEADER_BYTES)
        return limberi_gltf_fail(reader, NULL, LIMBER_ERROR_DATA, "its header says that it has %u bytes", length);
    if (length < file.size)
        limberi_gltf_note(reader, NULL, "%zu bytes after the end of the file are ignored", file.size - length);
    file.size = length;
    return read_chunks(reader, file, json);
}

// Its limits are those of exact JSON: a valid file at the limit of nodes needs about a tenth of that memory.
static limber_result parse_json(limberi_gltf_reader* reader, limberi_bytes json) {
    limberi_json_rules rules = limberi_json_rules_exact();
    limber_error problem;
    while (json.size > 0 && json.data[json.size - 1] == 0) // some writers pad the chunk with zeros
        json.size--;
    if (json.size == 0)
        return limberi_gltf_fail(reader, NULL, LIMBER_ERROR_DATA, "its JSON is empty");
    limber_result result = limberi_json_read((const char*)json.data, json.size, &rules, &reader->gltf->json, &problem);
    reader->gltf->json.text = NULL; // does not stay
    reader->gltf->text_size = json.size;
    if (result == LIMBER_ERROR_MEMORY)
        return limberi_fail_memory(reader->error);
    if (result == LIMBER_ERROR_LIMIT)
        return limberi_gltf_fail(reader, NULL, result, "its JSON has too many values");
    if (result)
        return limberi_gltf_fail(reader, NULL, result, "is not valid JSON: %s: %s", problem.place, problem.message);
    if (!limberi_json_is(reader->gltf->json.root, LIMBERI_JSON_OBJECT))
        return limberi_gltf_fail(reader, NULL, LIMBER_ERROR_DATA, "its JSON is not an object");
    return LIMBER_OK;
}

// White space, or part of a byte order mark.
static bool is_blank(uint8_t c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == 0xef || c == 0xbb || c == 0xbf;
}

limber_result limberi_gltf_parse(limberi_gltf_reader* reader, limberi_bytes file) {
    limberi_bytes json = {NULL, 0};
    if (file.size == 0)
        return limberi_gltf_fail(reader, NULL, LIMBER_ERROR_DATA, "the file is empty");
    size_t compare = file.size < 4 ? file.size : 4;
    bool binary = memcmp(file.data, "glTF", compare) == 0;
    size_t first = 0;
    while (first < file.size && is_blank(file.data[first]))
        first++;
    if (!binary && (first == file.size || file.data[first] != '{'))
        return limberi_gltf_fail(reader, NULL, LIMBER_ERROR_DATA, "is not a glTF file");
    limber_result result = LIMBER_OK;
    if (binary)
        result = read_glb(reader, file, &json);
    else
        json = file;
    return result ? result : parse_json(reader, json);
}

static limber_result read_list(limberi_gltf_reader* reader, const char* name, limberi_gltf_list* list) {
    const limberi_json* array = NULL;
    list->name = name;
    limber_result result = limberi_gltf_array(reader, NULL, reader->gltf->json.root, name, &array);
    if (result)
        return result;
    list->array = array;
    list->count = limberi_json_count(array);
    for (uint32_t i = 0; i < list->count; i++) {
        limberi_gltf_place place = {name, i, NULL, 0, NULL};
        if (!limberi_json_is(limberi_json_at(array, i), LIMBERI_JSON_OBJECT))
            return limberi_gltf_fail(reader, &place, LIMBER_ERROR_DATA, "must be an object");
    }
    return LIMBER_OK;
}

limber_result limberi_gltf_lists(limberi_gltf_reader* reader) {
    struct {
        const char* name;
        limberi_gltf_list* list;
    } all[] = {
        {"accessors", &reader->accessors}, {"animations", &reader->animations}, {"bufferViews", &reader->buffer_views},
        {"buffers", &reader->buffers},     {"cameras", &reader->cameras},       {"images", &reader->images},
        {"materials", &reader->materials}, {"meshes", &reader->meshes},         {"nodes", &reader->nodes},
        {"scenes", &reader->scenes},       {"skins", &reader->skins},           {"textures", &reader->textures},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        limber_result result = read_list(reader, all[i].name, all[i].list);
        if (result)
            return result;
    }
    if (reader->nodes.count > reader->limits.nodes)
        return limberi_gltf_fail(reader, NULL, LIMBER_ERROR_LIMIT, "too many nodes (%u, max %u)", reader->nodes.count,
                                 reader->limits.nodes);
    reader->scene = reader->scenes.count ? 0 : LIMBERI_NONE;
    return limberi_gltf_index(reader, NULL, reader->gltf->json.root, "scene", &reader->scenes, &reader->scene);
}

// "2.1" -> 2, 1
static bool parse_version(const char* text, unsigned long* major, unsigned long* minor) {
    char* end = NULL;
    if (!text || text[0] < '0' || text[0] > '9')
        return false;
    *major = strtoul(text, &end, 10);
    if (*end != '.' || end[1] < '0' || end[1] > '9')
        return false;
    *minor = strtoul(end + 1, &end, 10);
    return *end == 0;
}

limber_result limberi_gltf_check_version(limberi_gltf_reader* reader) {
    const limberi_json* asset = NULL;
    const char* version = NULL;
    const char* min = NULL;
    limber_result result = limberi_gltf_object(reader, NULL, reader->gltf->json.root, "asset", &asset);
    if (!result)
        result = limberi_gltf_string(reader, NULL, asset, "version", &version);
    if (!result)
        result = limberi_gltf_string(reader, NULL, asset, "minVersion", &min);
    if (result)
        return result;
    unsigned long major, minor;
    if (!parse_version(version, &major, &minor) || (min && !parse_version(min, &major, &minor)))
        return limberi_gltf_fail(reader, NULL, LIMBER_ERROR_DATA, "\"asset\" does not say which version of glTF it is");
    if (major != 2 || (min && minor > 0))
        return limberi_gltf_fail(reader, NULL, LIMBER_ERROR_UNSUPPORTED, "is glTF %s; limber reads 2.0",
                                 min ? min : version);
    return LIMBER_OK;
}

// Extensions that change how a surface looks or what is around the character, never its shape or motion.
static bool is_harmless(const char* extension) {
    static const char* const prefixes[] = {"KHR_materials_",
                                           "KHR_texture_",
                                           "EXT_texture_",
                                           "MSFT_texture_dds",
                                           "MSFT_packing_",
                                           "ADOBE_materials_",
                                           "KHR_lights_",
                                           "EXT_lights_",
                                           "KHR_xmp",
                                           "KHR_techniques_webgl",
                                           "KHR_mesh_quantization",
                                           "KHR_animation_pointer",
                                           "KHR_node_",
                                           "KHR_audio",
                                           "KHR_interactivity",
                                           "EXT_mesh_features",
                                           "EXT_structural_metadata",
                                           "LIMBER_style",
                                           "GODOT_single_root",
                                           "VRM",
                                           "KHR_environment_map",
                                           "EXT_mesh_gpu_instancing"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(extension, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

// What unpacks files with this extension; NULL: they are not packed by it.
static const char* unpacked_by(const char* extension) {
    if (limberi_gltf_is_packing(extension))
        return "libmeshoptimizer-dev";
    return strcmp(extension, "KHR_draco_mesh_compression") == 0 ? "libdraco-dev" : NULL;
}

static bool is_readable(const limberi_gltf_reader* reader, const char* extension) {
    if (!unpacked_by(extension))
        return is_harmless(extension);
    return limberi_gltf_is_packing(extension) ? reader->limits.unpack != NULL : reader->limits.unpack_mesh != NULL;
}

static limber_result refuse_extension(limberi_gltf_reader* reader, const char* extension) {
    if (unpacked_by(extension))
        return limberi_gltf_fail(reader, NULL, LIMBER_ERROR_UNSUPPORTED,
                                 "is compressed with %s, which this build of limber cannot read; install %s and build "
                                 "limber again",
                                 extension, unpacked_by(extension));
    return limberi_gltf_fail(reader, NULL, LIMBER_ERROR_UNSUPPORTED, "needs the extension %s, which limber cannot read",
                             extension);
}

limber_result limberi_gltf_check_extensions(limberi_gltf_reader* reader) {
    const limberi_json* required = NULL;
    const limberi_json* used = NULL;
    limber_result result = limberi_gltf_array(reader, NULL, reader->gltf->json.root, "extensionsRequired", &required);
    if (!result)
        result = limberi_gltf_array(reader, NULL, reader->gltf->json.root, "extensionsUsed", &used);
    if (result)
        return result;
    for (size_t i = 0; i < limberi_json_count(required); i++) {
        const char* extension = limberi_json_as_text(limberi_json_at(required, i));
        if (!extension)
            return limberi_gltf_fail(reader, NULL, LIMBER_ERROR_DATA, "\"extensionsRequired\" must contain strings");
        if (!is_readable(reader, extension))
            return refuse_extension(reader, extension);
    }
    for (size_t i = 0; i < limberi_json_count(used); i++) {
        const char* extension = limberi_json_as_text(limberi_json_at(used, i));
        if (extension && strcmp(extension, "EXT_mesh_gpu_instancing") == 0)
            limberi_gltf_note(reader, NULL, "%s is ignored: only one of each mesh is animated", extension);
    }
    return LIMBER_OK;
}
