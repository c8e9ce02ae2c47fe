// limber_gltf_load_*: the order of the reader's steps, and who owns what.
#include "base/memory.h"
#include "base/settings.h"
#include "io/gltf/read.h"
#include "io/gltf/read_accessor.h"
#include "text/json_write.h"

#include <string.h>

void limber_gltf_limits_init(limber_gltf_limits* given, size_t size) {
    limber_gltf_limits limits = {sizeof limits, (uint64_t)2 << 30, 65535, 20000000, 200000000, NULL, NULL};
    limberi_settings_write(given, size, &limits, sizeof limits);
}

static limber_result read_limits(const limber_gltf_limits* given, limber_gltf_limits* limits, limber_error* error) {
    const limber_gltf_limits usual = limber_gltf_limits_default();
    const uint64_t countable = (uint64_t)1 << 28; // limber_model counts vertices and triangles in 32 bits
    *limits = usual;
    limber_result result =
        given ? limberi_settings_read(limits, sizeof *limits, given, "limber_gltf_limits", error) : LIMBER_OK;
    if (!limits->file_bytes)
        limits->file_bytes = usual.file_bytes;
    if (!limits->nodes)
        limits->nodes = usual.nodes;
    if (!limits->vertices)
        limits->vertices = usual.vertices;
    if (!limits->key_values)
        limits->key_values = usual.key_values;
    limits->vertices = limits->vertices < countable ? limits->vertices : countable;
    return result;
}

// Some arrays may be larger in memory than in the file: an accessor without data is zeros, and entries may share one.
// What the buffers really hold is allowed on top of what the limits say.
static void set_budget(limberi_gltf_reader* reader) {
    uint64_t held = 0;
    for (uint32_t i = 0; i < reader->gltf->buffer_count; i++)
        held += reader->gltf->buffers[i].size;
    limberi_gltf_budget* budget = &reader->budget;
    budget->image_bytes = 4 * held;
    budget->vertices = reader->limits.vertices;
    budget->triangles = 4 * reader->limits.vertices;
    budget->influences = 8 * reader->limits.vertices + held;
    budget->vertex_values = 6 * reader->limits.vertices + held;
    budget->key_values = reader->limits.key_values;
    budget->clip_entries = reader->limits.key_values;
}

static limber_result read_style(limberi_gltf_reader* reader) {
    if (reader->scene == LIMBERI_NONE)
        return LIMBER_OK;
    limberi_gltf_place place = limberi_gltf_place_of(&reader->scenes, reader->scene);
    const limberi_json* extensions = limberi_json_get(limberi_gltf_entry(&reader->scenes, reader->scene), "extensions");
    const limberi_json* style = limberi_json_get(extensions, "LIMBER_style");
    if (!style)
        return LIMBER_OK;
    if (!limberi_json_is(style, LIMBERI_JSON_OBJECT)) {
        limberi_gltf_note(reader, &place, "its LIMBER_style is not an object and is ignored");
        return LIMBER_OK;
    }
    limberi_buffer text = {NULL, 0, 0, false};
    limberi_json_writer writer = {.out = &text, .indent = 1, .flat = 1};
    limberi_json_tree(&writer, style);
    reader->gltf->style = text.failed ? NULL : limberi_arena_string(reader->arena, text.data);
    limberi_buffer_free(&text);
    return reader->gltf->style ? LIMBER_OK : limberi_fail_memory(reader->error);
}

static limber_result open_all(limberi_gltf_reader* reader) {
    reader->opened = LIMBERI_ALLOCATE(&reader->scratch, limberi_gltf_accessor, reader->accessors.count);
    set_budget(reader);
    return reader->opened ? LIMBER_OK : limberi_fail_memory(reader->error);
}

static limber_result create_asset(limberi_gltf_reader* reader) {
    limber_gltf* gltf = reader->gltf;
    uint32_t joints = reader->model.rig.joint_count;
    uint32_t* order = LIMBERI_ALLOCATE(&reader->scratch, uint32_t, joints);
    uint32_t* nodes = LIMBERI_COPY(&reader->scratch, uint32_t, gltf->node_of_joint, joints);
    if (reader->scratch.failed)
        return limberi_fail_memory(reader->error);
    limber_result result = limber_asset_create_ordered(&reader->model, order, &gltf->asset, reader->error);
    for (uint32_t j = 0; !result && j < joints; j++) {
        gltf->node_of_joint[j] = nodes[order[j]];
        gltf->joint_of_node[nodes[order[j]]] = (int32_t)j;
    }
    return result;
}

// After limberi_gltf_parse.
static limber_result read_document(limberi_gltf_reader* reader) {
    static limber_result (*const steps[])(limberi_gltf_reader*) = {
        limberi_gltf_check_version,    limberi_gltf_check_extensions, limberi_gltf_lists,
        limberi_gltf_resolve_pointers, limberi_gltf_read_buffers,     limberi_gltf_unpack,
        limberi_gltf_unpack_meshes,    limberi_gltf_drop_unused,      open_all,
        limberi_gltf_read_tree,        limberi_gltf_read_mesh_list,   limberi_gltf_read_rig,
        limberi_gltf_read_materials,   limberi_gltf_read_skins,       limberi_gltf_read_meshes,
        limberi_gltf_read_cameras,     limberi_gltf_read_colliders,   limberi_gltf_read_springs,
        limberi_gltf_read_bones,       limberi_gltf_read_clips,       read_style,
    };
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        limber_result result = steps[i](reader);
        if (result)
            return result;
    }
    if (reader->scratch.failed || reader->arena->failed)
        return limberi_fail_memory(reader->error);
    return create_asset(reader);
}

typedef struct source {
    limberi_bytes bytes;
    limberi_arena* arena; // owns `bytes`; NULL when the caller does
} source;

// The binary chunk is needed as long as the document; the text only until it is parsed.
static limber_result keep_binary(limberi_gltf_reader* reader, source* from) {
    if (from->arena && from->bytes.size >= 4 && memcmp(from->bytes.data, "glTF", 4) == 0) {
        limberi_arena swap = *from->arena;
        *from->arena = *reader->arena;
        *reader->arena = swap;
    }
    limber_result result = limberi_gltf_parse(reader, from->bytes);
    if (!result && !from->arena && reader->has_binary_chunk) {
        limberi_bytes* chunk = &reader->binary_chunk;
        chunk->data = LIMBERI_COPY(reader->arena, uint8_t, chunk->data, chunk->size);
        result = chunk->data ? LIMBER_OK : limberi_fail_memory(reader->error);
    }
    if (from->arena)
        limberi_arena_free(from->arena);
    return result;
}

static limber_result load(source* from, const char* folder, const limber_gltf_limits* limits, limber_gltf** out,
                          limber_error* error) {
    limber_gltf* gltf = limberi_allocate_zeroed(1, sizeof *gltf);
    if (!gltf)
        return limberi_fail_memory(error);
    limberi_gltf_reader reader = {.gltf = gltf, .arena = &gltf->arena, .limits = *limits, .error = error};
    reader.model = limber_model_default();
    reader.budget.bytes = limits->file_bytes - from->bytes.size;
    limber_result result = keep_binary(&reader, from);
    if (!result && folder) {
        gltf->folder = limberi_arena_string(&gltf->arena, folder);
        result = gltf->folder ? LIMBER_OK : limberi_fail_memory(reader.error);
    }
    if (!result)
        result = read_document(&reader);
    (void)limberi_known_free(&reader.files);
    limberi_arena_free(&reader.scratch);
    if (result) {
        limber_gltf_destroy(gltf);
        gltf = NULL;
    }
    *out = gltf;
    return result;
}

// Names from the file may be in the message.
static limber_result finish(limber_result result, limber_error* error) {
    if (!result) {
        error->place[0] = error->message[0] = error->detail[0] = 0;
        error->result = LIMBER_OK;
    }
    limberi_text_tidy(error->place);
    limberi_text_tidy(error->message);
    return result;
}

limber_result limber_gltf_load_memory(const void* bytes, size_t byte_count, const char* folder,
                                      const limber_gltf_limits* limits, limber_gltf** gltf, limber_error* error) {
    limber_error unused;
    error = error ? error : &unused;
    *gltf = NULL;
    if (!bytes && byte_count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "no bytes were given");
    limber_gltf_limits complete;
    limber_result result = read_limits(limits, &complete, error);
    if (result)
        return result;
    if (byte_count > complete.file_bytes)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "the file is too large (%zu bytes, max %llu)", byte_count,
                            (unsigned long long)complete.file_bytes);
    source from = {{bytes, byte_count}, NULL};
    return finish(load(&from, folder, &complete, gltf, error), error);
}

limber_result limber_gltf_load_file(const char* path, const limber_gltf_limits* limits, limber_gltf** gltf,
                                    limber_error* error) {
    limber_error unused;
    error = error ? error : &unused;
    *gltf = NULL;
    limber_gltf_limits complete;
    limberi_arena file = {NULL, false};
    limberi_arena names = {NULL, false};
    source from = {{NULL, 0}, &file};
    char* folder = limberi_file_folder(&names, path);
    limber_result result = read_limits(limits, &complete, error);
    if (!result)
        result = limberi_file_read(path, complete.file_bytes, &file, &from.bytes, error);
    if (!result && !folder)
        result = limberi_fail_memory(error);
    if (!result)
        result = load(&from, folder, &complete, gltf, error);
    limberi_arena_free(&names);
    limberi_arena_free(&file);
    return finish(limberi_file_blame(path, result, error), error);
}

void limber_gltf_destroy(limber_gltf* gltf) {
    if (!gltf)
        return;
    limberi_json_free(&gltf->json);
    limber_asset_destroy(gltf->asset);
    limberi_arena_free(&gltf->arena);
    limberi_release(gltf);
}

const limber_asset* limber_gltf_asset(const limber_gltf* gltf) {
    return gltf->asset;
}

uint32_t limber_gltf_warning_count(const limber_gltf* gltf) {
    return gltf->problem_count;
}

const char* limber_gltf_warning(const limber_gltf* gltf, uint32_t index) {
    return index < gltf->problem_count ? gltf->problems[index] : NULL;
}

bool limber_gltf_has_other_meshes(const limber_gltf* gltf) {
    const limberi_json* nodes = limberi_json_get(gltf->json.root, "nodes");
    uint32_t skinned = 0;
    uint32_t shown = 0;
    for (uint32_t i = 0; i < limberi_json_count(nodes); i++) {
        const limberi_json* node = limberi_json_at(nodes, i);
        skinned += limberi_json_get(node, "mesh") && limberi_json_get(node, "skin");
    }
    for (uint32_t m = 0; m < limber_asset_model(gltf->asset)->mesh_count; m++) {
        const limberi_json* node = limberi_json_at(nodes, gltf->meshes[m].node);
        shown += limberi_json_get(node, "mesh") && limberi_json_get(node, "skin");
    }
    return skinned > shown;
}

const char* limber_gltf_style(const limber_gltf* gltf) {
    return gltf->style;
}
