// The bytes behind the JSON: data URIs, files beside the document, the binary chunk, and views of them.
#include "io/gltf/read.h"
#include "io/inside.h"

#include <string.h>

static int base64_digit(char c) {
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '+')
        return 62;
    return c == '/' ? 63 : -1;
}

static bool base64_decode(const char* text, size_t length, uint8_t* out, size_t* count) {
    uint32_t bits = 0;
    uint32_t have = 0;
    *count = 0;
    for (size_t i = 0; i < length; i++) {
        int digit = base64_digit(text[i]);
        if (digit < 0)
            return false;
        bits = (bits << 6 | (uint32_t)digit) & 0xffffff;
        have += 6;
        if (have >= 8) {
            have -= 8;
            out[(*count)++] = (uint8_t)(bits >> have);
        }
    }
    return length % 4 != 1;
}

static limber_result fetch_data_uri(limberi_gltf_reader* reader, const limberi_gltf_place* place, const char* uri,
                                    limberi_arena* arena, limberi_bytes* out) {
    const char* comma = strchr(uri, ',');
    if (!comma)
        return limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA, "its data URI has no comma");
    const char* text = comma + 1;
    size_t length = strlen(text);
    bool base64 = comma - uri >= 7 && memcmp(comma - 7, ";base64", 7) == 0;
    while (base64 && length > 0 && text[length - 1] == '=')
        length--;
    size_t room = base64 ? length / 4 * 3 + 3 : length;
    limber_result result = limberi_gltf_charge(reader, place, &reader->budget.bytes, room, "bytes");
    if (result)
        return result;
    uint8_t* data = LIMBERI_ALLOCATE(arena, uint8_t, room);
    if (!data)
        return limberi_fail_memory(reader->error);
    if (!base64)
        out->size = limberi_percent_decode(text, data);
    else if (!base64_decode(text, length, data, &out->size))
        return limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA, "its data URI is not valid base64");
    out->data = data;
    return LIMBER_OK;
}

// A file that is named more than once is read once, and its bytes are shared.
typedef struct known_file {
    limberi_bytes bytes;
    const limberi_arena* arena;
} known_file;

// The document's own memory lives longest.
static bool find_known(const limberi_gltf_reader* reader, const char* path, const limberi_arena* arena,
                       limberi_bytes* out) {
    const known_file* file = (const known_file*)(uintptr_t)limberi_known_get(&reader->files, path);
    if (!file || (file->arena != arena && file->arena != reader->arena))
        return false;
    *out = file->bytes;
    return true;
}

static limber_result keep_known(limberi_gltf_reader* reader, const char* path, limberi_arena* arena,
                                limberi_bytes bytes) {
    known_file* file = LIMBERI_ALLOCATE(arena, known_file, 1);
    if (!file)
        return limberi_fail_memory(reader->error);
    file->bytes = bytes;
    file->arena = arena;
    limberi_known_set(&reader->files, path, (int64_t)(uintptr_t)file);
    return reader->files.json.arena.failed ? limberi_fail_memory(reader->error) : LIMBER_OK;
}

static limber_result fetch_file(limberi_gltf_reader* reader, const limberi_gltf_place* place, const char* uri,
                                limberi_arena* arena, limberi_bytes* out) {
    const char* folder = reader->gltf->folder;
    if (!folder)
        return limberi_gltf_fail(reader, place, LIMBER_ERROR_FILE,
                                 "refers to another file, but a document in memory has no folder");
    char* path = LIMBERI_ALLOCATE(&reader->scratch, char, strlen(uri) + 1);
    if (!path)
        return limberi_fail_memory(reader->error);
    if (!limberi_inside_path(uri, path))
        return limberi_gltf_fail(reader, place, LIMBER_ERROR_UNSUPPORTED,
                                 "its URI must name a file in the document's folder or below, and no hidden one");
    if (find_known(reader, path, arena, out))
        return LIMBER_OK;
    limber_error why;
    limber_result result = limberi_file_read_below(folder, path, reader->budget.bytes, arena, out, &why);
    if (result)
        return limberi_gltf_fail(reader, place, result, "'%s': %s", uri, why.message);
    reader->budget.bytes -= out->size;
    return keep_known(reader, path, arena, *out);
}

const char* limberi_gltf_file_of(limberi_gltf_reader* reader, const char* uri) {
    if (strncmp(uri, "data:", 5) == 0)
        return NULL;
    char* path = LIMBERI_ALLOCATE(&reader->scratch, char, strlen(uri) + 1);
    size_t length = path ? limberi_percent_decode(uri, (uint8_t*)path) : 0;
    for (size_t i = 0; i < length; i++)
        path[i] = path[i] == '\\' ? '/' : path[i];
    return path;
}

limber_result limberi_gltf_fetch(limberi_gltf_reader* reader, const limberi_gltf_place* place, const char* uri,
                                 limberi_arena* arena, limberi_bytes* out) {
    if (strncmp(uri, "data:", 5) == 0)
        return fetch_data_uri(reader, place, uri, arena, out);
    return fetch_file(reader, place, uri, arena, out);
}

// For views that are packed elsewhere.
static limber_result allocate_bytes(limberi_gltf_reader* reader, const limberi_gltf_place* place, uint32_t index,
                                    uint64_t length, limberi_bytes* out) {
    limber_result result = limberi_gltf_charge(reader, place, &reader->budget.bytes, length, "bytes");
    if (result)
        return result;
    out->data = reader->rooms[index] = LIMBERI_ALLOCATE(reader->arena, uint8_t, (size_t)length);
    out->size = (size_t)length;
    return out->data ? LIMBER_OK : limberi_fail_memory(reader->error);
}

static void note_buffer(const limberi_json* object, bool* used, uint32_t count) {
    double buffer = limberi_json_as_number(limberi_json_get(object, "buffer"));
    if (buffer >= 0 && buffer < count)
        used[(uint32_t)buffer] = true;
}

// Which buffers a view needs, or a compressed copy of one. The others are not written back; those in
// files are not even opened.
static bool* find_used(limberi_gltf_reader* reader) {
    uint32_t count = reader->buffers.count;
    bool* used = LIMBERI_ALLOCATE(&reader->scratch, bool, count);
    for (uint32_t i = 0; used && i < reader->buffer_views.count; i++) {
        const limberi_json* view = limberi_gltf_entry(&reader->buffer_views, i);
        const limberi_json* extensions = limberi_json_get(view, "extensions");
        if (limberi_json_get(view, "buffer"))
            note_buffer(view, used, count);
        for (uint32_t k = 0; k < limberi_json_count(extensions); k++)
            if (limberi_json_get(limberi_json_at(extensions, k), "buffer"))
                note_buffer(limberi_json_at(extensions, k), used, count);
    }
    return used;
}

static limber_result read_buffer(limberi_gltf_reader* reader, uint32_t index, bool used, limberi_bytes* out) {
    const limberi_json* buffer = limberi_gltf_entry(&reader->buffers, index);
    limberi_gltf_place place = limberi_gltf_place_of(&reader->buffers, index);
    uint64_t length = UINT64_MAX;
    const char* uri = NULL;
    limber_result result = limberi_gltf_unsigned(reader, &place, buffer, "byteLength", &length);
    if (!result)
        result = limberi_gltf_string(reader, &place, buffer, "uri", &uri);
    if (!result && length == UINT64_MAX)
        result = limberi_gltf_fail(reader, &place, LIMBER_ERROR_DATA, "has no \"byteLength\"");
    if (!result && !used && uri && strncmp(uri, "data:", 5) != 0)
        return LIMBER_OK;
    if (!result && uri)
        result = limberi_gltf_fetch(reader, &place, uri, reader->arena, out);
    else if (!result && index == 0 && reader->has_binary_chunk)
        *out = reader->binary_chunk;
    else if (!result && reader->limits.unpack && limberi_gltf_packing(buffer))
        result = allocate_bytes(reader, &place, index, length, out);
    else if (!result)
        result = limberi_gltf_fail(reader, &place, LIMBER_ERROR_DATA, "has neither a URI nor a binary chunk");
    if (!result && out->size < length)
        result = limberi_gltf_fail(reader, &place, LIMBER_ERROR_DATA, "should have %llu bytes but has only %zu",
                                   (unsigned long long)length, out->size);
    out->size = result || !used ? 0 : (size_t)length;
    return result;
}

limber_result limberi_gltf_buffer_view(limberi_gltf_reader* reader, uint32_t index, limberi_gltf_view* out) {
    const limberi_json* view = limberi_gltf_entry(&reader->buffer_views, index);
    limberi_gltf_place place = limberi_gltf_place_of(&reader->buffer_views, index);
    uint32_t buffer = LIMBERI_NONE;
    uint64_t offset = 0;
    uint64_t length = UINT64_MAX;
    out->stride = 0;
    limber_result result = limberi_gltf_index(reader, &place, view, "buffer", &reader->buffers, &buffer);
    if (!result)
        result = limberi_gltf_unsigned(reader, &place, view, "byteOffset", &offset);
    if (!result)
        result = limberi_gltf_unsigned(reader, &place, view, "byteLength", &length);
    if (!result)
        result = limberi_gltf_unsigned(reader, &place, view, "byteStride", &out->stride);
    if (result)
        return result;
    if (buffer == LIMBERI_NONE || length == UINT64_MAX)
        return limberi_gltf_fail(reader, &place, LIMBER_ERROR_DATA, "has no \"%s\"",
                                 buffer == LIMBERI_NONE ? "buffer" : "byteLength");
    limberi_bytes bytes = reader->gltf->buffers[buffer];
    if (offset > bytes.size || length > bytes.size - offset)
        return limberi_gltf_fail(reader, &place, LIMBER_ERROR_DATA,
                                 "reaches past the end of buffers[%u], which has %zu bytes", buffer, bytes.size);
    out->bytes.data = bytes.data + offset;
    out->bytes.size = (size_t)length;
    return LIMBER_OK;
}

// Also those that nothing limber reads uses: whoever writes the file back may trust them.
limber_result limberi_gltf_read_buffers(limberi_gltf_reader* reader) {
    limber_gltf* gltf = reader->gltf;
    gltf->buffers = LIMBERI_ALLOCATE(reader->arena, limberi_bytes, reader->buffers.count);
    reader->rooms = LIMBERI_ALLOCATE(&reader->scratch, uint8_t*, reader->buffers.count);
    bool* used = find_used(reader);
    if (!gltf->buffers || !reader->rooms || !used)
        return limberi_fail_memory(reader->error);
    gltf->buffer_count = reader->buffers.count;
    for (uint32_t i = 0; i < gltf->buffer_count; i++) {
        limber_result result = read_buffer(reader, i, used[i], &gltf->buffers[i]);
        if (result)
            return result;
    }
    for (uint32_t i = 0; i < reader->buffer_views.count; i++) {
        limberi_gltf_view view;
        limber_result result = limberi_gltf_buffer_view(reader, i, &view);
        if (result)
            return result;
    }
    return LIMBER_OK;
}
