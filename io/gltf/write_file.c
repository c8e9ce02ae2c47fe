// limber_gltf_save_file: a .glb, or a .gltf with its bytes beside it.
#include "base/error.h"
#include "base/memory.h"
#include "io/file_write.h"
#include "io/gltf/write.h"
#include "io/system.h"

#include <string.h>

// The part of the path before the last slash is the folder; both resolved, so that "." equals its full name.
static bool same_folder(limberi_writer* writer, const char* path) {
    const char* folder = limberi_file_folder(&writer->arena, path);
    if (!folder || !writer->document->folder)
        return false;
    char* a = limberi_system_real_path(folder);
    char* b = limberi_system_real_path(writer->document->folder);
    bool same = a && b && strcmp(a, b) == 0;
    limberi_release(a);
    limberi_release(b);
    return same;
}

// A new file, or the one that has the rows.
static limber_result open_glb(limberi_inside* inside, const char* path, limberi_file* file, limber_error* error) {
    if (!inside)
        return limberi_file_open(file, path, error);
    *file = limberi_inside_hand_over(inside);
    limberi_file_seek(file, 0);
    return LIMBER_OK;
}

static void put_bytes(void* user, const void* bytes, size_t count) {
    limberi_file_put(user, bytes, count);
}

static void seek(void* user, uint64_t offset) {
    limberi_file_seek(user, offset);
}

// With its name, or finished and without one in `kept`.
static limber_result save_glb(limberi_writer* writer, const char* path, limberi_inside* inside, limberi_file* kept,
                              limber_error* error) {
    limberi_glb glb;
    limberi_file file = {0};
    const limberi_sink sink = {put_bytes, seek, &file};
    limber_result result = limberi_glb_begin(writer, inside ? inside->front : 0, &glb, error);
    if (result == LIMBER_OK)
        result = open_glb(glb.front ? inside : NULL, path, &file, error);
    if (result == LIMBER_OK)
        result = limberi_glb_put(&glb, writer, &sink, error);
    if (result == LIMBER_OK)
        result = kept ? limberi_file_finish(&file, error) : limberi_file_commit(&file, error);
    if (result == LIMBER_OK && kept) {
        *kept = file;
        memset(&file, 0, sizeof file);
    }
    limberi_file_discard(&file);
    limberi_buffer_free(&glb.text);
    return result;
}

// The bytes get their name first: until the text follows, nobody refers to them.
static limber_result write_pair(limberi_writer* writer, const char* path, const char* binary,
                                const limberi_buffer* json, limber_error* error) {
    limberi_file files[2] = {{0}, {0}};
    limberi_file* text = &files[1];
    limberi_file* bytes = &files[0];
    const limberi_sink sink = {put_bytes, seek, bytes};
    limber_result result = limberi_file_open(text, path, error);
    if (result == LIMBER_OK && writer->byte_count)
        result = limberi_file_open(bytes, binary, error);
    if (result == LIMBER_OK)
        limberi_file_put(text, json->data, json->length);
    if (result == LIMBER_OK && writer->byte_count)
        result = limberi_put_segments(&sink, writer, 0, error);
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
        limberi_describe_buffer(writer, uri);
    limberi_buffer json = {NULL, 0, 0, false};
    result = limberi_writer_text(writer, &json, error);
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
    limber_gltf_edits edits;
    limber_result result = limberi_edits_read(given, &edits, error);
    if (result != LIMBER_OK)
        return result;
    limberi_writer writer;
    limberi_inside* inside =
        edits.bake && binary && !edits.pack ? limberi_store_inside(&edits.bake->store, path) : NULL;
    result = limberi_writer_begin(&writer, gltf, &edits, inside != NULL, error);
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
    limber_result result = limberi_writer_begin(&writer, gltf, &edits, false, error);
    if (result == LIMBER_OK)
        result = save_glb(&writer, path, NULL, file, error);
    limberi_writer_free(&writer);
    return result;
}
