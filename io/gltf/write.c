#include "io/gltf/write.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/settings.h"
#include "io/file_write.h"
#include "io/gltf/store.h"
#include "io/system.h"
#include "text/json_write.h"

#include <string.h>

enum { CHUNK_JSON = 0x4e4f534a, CHUNK_BINARY = 0x004e4942, GLB_MAGIC = 0x46546c67, GLB_VERSION = 2 };

limber_gltf_edits limber_gltf_edits_default(void) {
    limber_gltf_edits edits;
    memset(&edits, 0, sizeof edits);
    edits.struct_size = sizeof edits;
    return edits;
}

// The part of the path before the last slash is the folder; both resolved, so that "." equals its full name.
static bool same_folder(limberi_writer* writer, const char* path) {
    const char* folder = limberi_file_folder(&writer->arena, path);
    if (!folder || !writer->document->folder)
        return false;
    char *a = limberi_system_real_path(folder), *b = limberi_system_real_path(writer->document->folder);
    bool same = a && b && strcmp(a, b) == 0;
    limberi_release(a);
    limberi_release(b);
    return same;
}

static limber_result apply_edits(limberi_writer* writer, const limber_gltf_edits* edits, limber_error* error) {
    limber_result result = limberi_write_clips(writer, edits, error);
    if (result == LIMBER_OK && edits->bake)
        result = limberi_write_bones(writer, edits->bake, error);
    if (result == LIMBER_OK && edits->bake)
        result = limberi_write_bake(writer, edits->bake, error);
    if (result == LIMBER_OK && edits->bake)
        result = limberi_write_shifts(writer, edits->bake, error);
    if (result == LIMBER_OK && edits->bake)
        result = limberi_write_smears(writer, edits->bake, error);
    for (uint32_t i = 0; result == LIMBER_OK && i < edits->layer_count; i++)
        result = limberi_write_layer(writer, &edits->layers[i], error);
    if (result == LIMBER_OK && edits->style)
        result = limberi_write_style(writer, edits->style, error);
    return result;
}

// Deformed shapes were computed from normalized weights and rotations, and must be played so. Players differ on skinned
// meshes below transforms: one that moves there is a third of its size off in three.js.
static void repair(limberi_writer* writer, const limber_gltf_edits* edits) {
    writer->repairs = edits->repairs;
    if (edits->bake)
        writer->repairs |= 1u << LIMBER_REPAIR_NODES | 1u << LIMBER_REPAIR_WEIGHTS | 1u << LIMBER_REPAIR_UNITS;
    limberi_repair_tangents(writer, edits->bake);
    if (limberi_repairs(writer, LIMBER_REPAIR_ROOT))
        limberi_repair_roots(writer);
    if (limberi_repairs(writer, LIMBER_REPAIR_NODES))
        limberi_repair_nodes(writer);
    if (limberi_repairs(writer, LIMBER_REPAIR_WEIGHTS))
        limberi_repair_weights(writer);
    if (edits->bake)
        limberi_write_helpers(writer, edits->bake);
    limberi_repair_values(writer);
    if (edits->repaired)
        memcpy(edits->repaired, writer->repaired, sizeof writer->repaired);
}

// `inside`: targets of the bake come first, as they are in its store.
static limber_result prepare(limberi_writer* writer, const limber_gltf* gltf, const limber_gltf_edits* edits,
                             bool inside, limber_error* error) {
    writer->document = gltf;
    writer->json.root = limberi_json_copy(&writer->json, gltf->json.root);
    if (!writer->json.root)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "out of memory");
    limberi_reader_over(writer);
    if (inside)
        limberi_writer_append_rows(writer, edits->bake);
    limberi_merge_buffers(writer);
    limberi_nodes_index(writer);
    limber_result result = limberi_writer_status(writer, error);
    if (result == LIMBER_OK)
        result = apply_edits(writer, edits, error);
    if (result != LIMBER_OK)
        return result;
    limberi_write_pointers(writer, edits->bake || edits->clip_count || edits->repairs);
    repair(writer, edits);
    return limberi_writer_status(writer, error);
}

// The one buffer's entry; `uri` NULL: the binary chunk.
static void describe_buffer(limberi_writer* writer, const char* uri) {
    if (!writer->byte_count) {
        limberi_json_remove(writer->json.root, "buffers");
        return;
    }
    limberi_json* buffers = limberi_child_array(writer, writer->json.root, "buffers");
    if (limberi_json_count(buffers) == 0)
        limberi_push(writer, buffers, limberi_new_object(writer));
    limberi_json* buffer = limberi_json_at(buffers, 0);
    limberi_put_integer(writer, buffer, "byteLength", (int64_t)writer->byte_count);
    limberi_json_remove(buffer, "uri");
    if (uri)
        limberi_put_string(writer, buffer, "uri", uri);
}

// Every double comes back exactly. To be freed, also when it fails.
static limber_result write_json(const limberi_writer* writer, limberi_buffer* text, limber_error* error) {
    limber_result result = limberi_writer_status(writer, error);
    if (result != LIMBER_OK)
        return result;
    limberi_json_writer json = {.out = text};
    limberi_json_tree(&json, writer->json.root);
    return text->failed ? limberi_fail(error, LIMBER_ERROR_MEMORY, "out of memory") : LIMBER_OK;
}

static void put_words(limberi_file* file, const uint32_t* words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[4] = {(uint8_t)words[i], (uint8_t)(words[i] >> 8), (uint8_t)(words[i] >> 16),
                            (uint8_t)(words[i] >> 24)};
        limberi_file_put(file, bytes, sizeof bytes);
    }
}

static void put_spaces(limberi_file* file, uint64_t count) {
    char spaces[1 << 10];
    memset(spaces, ' ', sizeof spaces);
    for (; count > sizeof spaces; count -= sizeof spaces)
        limberi_file_put(file, spaces, sizeof spaces);
    limberi_file_put(file, spaces, (size_t)count);
}

enum { FILL_BYTES = 1 << 16 };

// Whole steps at a time.
static bool put_filled(limberi_file* file, const limberi_segment* segment) {
    size_t room = segment->step < FILL_BYTES ? FILL_BYTES / segment->step * segment->step : segment->step;
    room = room < segment->size ? room : (size_t)segment->size;
    uint8_t* bytes = limberi_allocate(room);
    bool filled = bytes != NULL;
    for (uint64_t at = 0; filled && at < segment->size; at += room) {
        size_t count = segment->size - at < room ? (size_t)(segment->size - at) : room;
        filled = segment->fill(segment->user, at, bytes, count);
        limberi_file_put(file, bytes, filled ? count : 0);
    }
    limberi_release(bytes);
    return filled;
}

// `front`: where the bytes begin, in a file that has its rows; 0: in one that has not.
static limber_result put_segments(limberi_file* file, const limberi_writer* writer, uint64_t front,
                                  limber_error* error) {
    static const uint8_t zeros[8] = {0};
    for (size_t i = 0; i < writer->segment_count; i++) {
        const limberi_segment* segment = &writer->segments[i];
        if (front && segment->inside) {
            limberi_file_seek(file, front + segment->size);
            continue;
        }
        if (segment->fill && !put_filled(file, segment))
            return limberi_fail(error, LIMBER_ERROR_FILE, "cannot read the bake back from the disk");
        if (!segment->fill)
            limberi_file_put(file, segment->data ? segment->data : zeros, (size_t)segment->size);
    }
    return LIMBER_OK;
}

// Of the text with the spaces after it.
static uint64_t text_room(const limberi_buffer* json, const limberi_inside* inside) {
    return inside ? inside->front - LIMBERI_GLB_FRONT : (json->length + 3) & ~(uint64_t)3;
}

static uint64_t glb_size(const limberi_writer* writer, uint64_t text) {
    return 20 + text + (writer->byte_count ? 8 + ((writer->byte_count + 3) & ~(uint64_t)3) : 0);
}

static limber_result put_glb(limberi_file* file, const limberi_writer* writer, const limberi_buffer* json,
                             const limberi_inside* inside, limber_error* error) {
    uint64_t text = text_room(json, inside);
    size_t tail = (size_t)(-writer->byte_count & 3);
    uint32_t header[5] = {GLB_MAGIC, GLB_VERSION, (uint32_t)glb_size(writer, text), (uint32_t)text, CHUNK_JSON};
    put_words(file, header, 5);
    limberi_file_put(file, json->data, json->length);
    put_spaces(file, text - json->length);
    if (!writer->byte_count)
        return LIMBER_OK;
    uint32_t chunk[2] = {(uint32_t)(writer->byte_count + tail), CHUNK_BINARY};
    put_words(file, chunk, 2);
    limber_result result = put_segments(file, writer, inside ? inside->front : 0, error);
    limberi_file_put(file, "\0\0", tail);
    return result;
}

// A new file, or the one that has the rows.
static limber_result open_glb(limberi_inside* inside, const char* path, limberi_file* file, limber_error* error) {
    if (!inside)
        return limberi_file_open(file, path, error);
    *file = limberi_inside_take(inside);
    limberi_file_seek(file, 0);
    return LIMBER_OK;
}

// With its name, or finished and without one in `kept`. More text than there is room for before the rows needs another
// file.
static limber_result save_glb(limberi_writer* writer, const char* path, limberi_inside* inside, limberi_file* kept,
                              limber_error* error) {
    limberi_embed_images(writer, true);
    describe_buffer(writer, NULL);
    limberi_buffer json = {NULL, 0, 0, false};
    limber_result result = write_json(writer, &json, error);
    inside = inside && writer->has_rows && json.length <= text_room(&json, inside) ? inside : NULL;
    uint64_t total = glb_size(writer, text_room(&json, inside));
    if (result == LIMBER_OK && total > UINT32_MAX)
        result = limberi_fail(error, LIMBER_ERROR_LIMIT,
                              "a .glb can hold 4 GiB, but this one needs %llu MiB; write a .gltf, bake fewer frames or "
                              "clips, or use a tolerance",
                              (unsigned long long)(total >> 20));
    limberi_file file = {0};
    if (result == LIMBER_OK)
        result = open_glb(inside, path, &file, error);
    if (result == LIMBER_OK)
        result = put_glb(&file, writer, &json, inside, error);
    if (result == LIMBER_OK)
        result = kept ? limberi_file_finish(&file, error) : limberi_file_commit(&file, error);
    if (result == LIMBER_OK && kept) {
        *kept = file;
        memset(&file, 0, sizeof file);
    }
    limberi_file_discard(&file);
    limberi_buffer_free(&json);
    return result;
}

// The bytes get their name first: until the text follows, nobody refers to them.
static limber_result write_pair(limberi_writer* writer, const char* path, const char* binary,
                                const limberi_buffer* json, limber_error* error) {
    limberi_file files[2] = {{0}, {0}};
    limberi_file *text = &files[1], *bytes = &files[0];
    limber_result result = limberi_file_open(text, path, error);
    if (result == LIMBER_OK && writer->byte_count)
        result = limberi_file_open(bytes, binary, error);
    if (result == LIMBER_OK)
        limberi_file_put(text, json->data, json->length);
    if (result == LIMBER_OK && writer->byte_count)
        result = put_segments(bytes, writer, 0, error);
    if (result == LIMBER_OK)
        result = writer->byte_count ? limberi_files_commit(files, 2, error) : limberi_file_commit(text, error);
    limberi_file_discard(bytes);
    limberi_file_discard(text);
    return result;
}

static limber_result save_gltf(limberi_writer* writer, const char* path, limber_error* error) {
    if (!same_folder(writer, path))
        limberi_embed_images(writer, false);
    const char* binary = NULL;
    limber_result result = limberi_binary_name(writer, path, &binary, error);
    if (result != LIMBER_OK)
        return result;
    const char* uri = limberi_file_uri(&writer->arena, binary);
    if (uri)
        describe_buffer(writer, uri);
    limberi_buffer json = {NULL, 0, 0, false};
    result = write_json(writer, &json, error);
    if (result == LIMBER_OK)
        result = write_pair(writer, path, binary, &json, error);
    limberi_buffer_free(&json);
    return result;
}

// Pictures beside the file come inside first: they are views too.
static limber_result pack(limberi_writer* writer, const limber_gltf_edits* edits, const char* path,
                          limber_bake_store** store, limber_error* error) {
    if (limberi_file_has_ending(path, ".glb") || !same_folder(writer, path))
        limberi_embed_images(writer, limberi_file_has_ending(path, ".glb"));
    limber_result result = limberi_writer_status(writer, error);
    if (result == LIMBER_OK)
        result = limber_gltf_store_open(path, store, error);
    return result == LIMBER_OK ? limberi_pack_views(writer, edits, *store, error) : result;
}

limber_result limber_gltf_save_file(const limber_gltf* gltf, const limber_gltf_edits* given, const char* path,
                                    limber_error* error) {
    bool binary = limberi_file_has_ending(path, ".glb");
    if (!binary && !limberi_file_has_ending(path, ".gltf"))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "'%s' has an unknown extension; use .glb or .gltf", path);
    limber_gltf_edits edits = limber_gltf_edits_default();
    limber_result result =
        given ? limberi_settings_read(&edits, sizeof edits, given, "limber_gltf_edits", error) : LIMBER_OK;
    if (result != LIMBER_OK)
        return result;
    limberi_writer writer;
    memset(&writer, 0, sizeof writer);
    writer.packs = edits.pack != NULL;
    writer.parallel = edits.parallel && edits.parallel->run ? edits.parallel : NULL;
    limberi_inside* inside =
        edits.bake && binary && !edits.pack ? limberi_store_inside(&edits.bake->store, path) : NULL;
    result = prepare(&writer, gltf, &edits, inside != NULL, error);
    limber_bake_store* store = NULL;
    if (result == LIMBER_OK && edits.pack)
        result = pack(&writer, &edits, path, &store, error);
    if (result == LIMBER_OK)
        result = binary ? save_glb(&writer, path, inside, NULL, error) : save_gltf(&writer, path, error);
    limberi_writer_free(&writer);
    limber_gltf_store_close(store);
    return result;
}

limber_result limberi_gltf_write_glb(const limber_gltf* gltf, const char* path, limberi_file* file,
                                     limber_error* error) {
    const limber_gltf_edits edits = limber_gltf_edits_default();
    limberi_writer writer;
    memset(&writer, 0, sizeof writer);
    limber_result result = prepare(&writer, gltf, &edits, false, error);
    if (result == LIMBER_OK)
        result = save_glb(&writer, path, NULL, file, error);
    limberi_writer_free(&writer);
    return result;
}
