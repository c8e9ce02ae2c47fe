// Where the bytes of a .gltf go. A .bin that is there may be the buffer of another file: only that of the .gltf which is
// being replaced is replaced with it, otherwise a free name is taken.
#include "base/error.h"
#include "io/gltf/write.h"
#include "io/system.h"
#include "text/text.h"

#include <errno.h>
#include <string.h>

enum { MAX_TEXT = 256 << 20, MAX_NAMES = 1000, NUMBER_BYTES = 16 };

// "a b.bin" becomes "a%20b.bin".
char* limberi_file_uri(limberi_arena* arena, const char* path) {
    static const char digits[] = "0123456789ABCDEF";
    const char* name = limberi_file_name(path);
    char* uri = LIMBERI_ALLOCATE(arena, char, 3 * strlen(name) + 1);
    size_t count = 0;
    for (const char* c = name; uri && *c; c++) {
        unsigned char byte = (unsigned char)*c;
        bool plain = limberi_is_letter(*c) || limberi_is_digit(*c) || strchr("-._~", *c);
        if (plain) {
            uri[count++] = *c;
            continue;
        }
        uri[count++] = '%';
        uri[count++] = digits[byte >> 4];
        uri[count++] = digits[byte & 15];
    }
    return uri;
}

static limber_result fail_unknown(const char* path, limber_error* error) {
    char reason[128];
    limberi_system_reason(errno, reason, sizeof reason);
    return limberi_fail(error, LIMBER_ERROR_FILE, "cannot write '%s': %s", path, reason);
}

// The one buffer of the .gltf that is there now; NULL: there is none, or it is not a file with one buffer beside it. Where
// nobody can tell, nothing may be replaced.
static limber_result find_old_buffer(limberi_arena* arena, const char* path, const char** out, limber_error* error) {
    limberi_arena scratch = {NULL, false};
    limberi_json_rules rules = limberi_json_rules_exact();
    limberi_json_document json;
    limberi_bytes text;
    limber_error ignored;
    const char* uri = NULL;
    *out = NULL;
    limberi_kind kind = limberi_system_kind(path);
    if (kind == LIMBERI_KIND_UNKNOWN)
        return fail_unknown(path, error);
    if (kind != LIMBERI_KIND_FILE)
        return LIMBER_OK;
    limber_result result = limberi_file_read_plain(path, MAX_TEXT, &scratch, &text, error);
    if (result == LIMBER_OK &&
        limberi_json_read((const char*)text.data, text.size, &rules, &json, &ignored) == LIMBER_OK) {
        const limberi_json* buffers = limberi_json_get(json.root, "buffers");
        uri = limberi_json_as_text(limberi_json_get(limberi_json_at(buffers, 0), "uri"));
        *out = limberi_json_count(buffers) == 1 && uri ? limberi_arena_string(arena, uri) : NULL;
        limberi_json_free(&json);
    }
    limberi_arena_free(&scratch);
    return limberi_file_blame(path, result == LIMBER_ERROR_LIMIT ? LIMBER_OK : result, error);
}

limber_result limberi_binary_name(limberi_writer* writer, const char* path, const char** out, limber_error* error) {
    size_t stem = strlen(path) - strlen(".gltf");
    size_t size = strlen(path) + NUMBER_BYTES;
    char* name = LIMBERI_ALLOCATE(&writer->arena, char, size);
    const char* old;
    *out = name;
    limber_result result = find_old_buffer(&writer->arena, path, &old, error);
    if (result != LIMBER_OK)
        return result;
    for (uint32_t i = 0; name && i < MAX_NAMES; i++) {
        memcpy(name, path, stem);
        if (i)
            limberi_format(name + stem, size - stem, "-%u.bin", i);
        else
            limberi_format(name + stem, size - stem, ".bin");
        const char* uri = limberi_file_uri(&writer->arena, name);
        if (!uri)
            break;
        limberi_kind kind = limberi_system_kind(name);
        if (kind == LIMBERI_KIND_UNKNOWN)
            return fail_unknown(name, error);
        if (kind == LIMBERI_KIND_NONE || (old && strcmp(old, uri) == 0))
            return LIMBER_OK;
    }
    if (writer->arena.failed)
        return limberi_fail_memory(error);
    return limberi_fail(error, LIMBER_ERROR_FILE, "no name is free for its buffer: remove some of '%s' and the like",
                        name);
}
