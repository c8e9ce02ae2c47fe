// Views that EXT_meshopt_compression has packed. They are unpacked where the file reserves room for them, in a buffer
// without data, and the file is then as if it never had been packed: whatever writes it back writes plain views.
#include "io/gltf/read.h"

#include <string.h>

// --- one view ---

static bool find_word(const char* word, const char* const* words, uint32_t count, uint32_t* index) {
    for (*index = 0; *index < count; ++*index)
        if (strcmp(word, words[*index]) == 0)
            return true;
    return false;
}

static limber_result read_words(limberi_gltf_reader* reader, const limberi_gltf_place* place, const limberi_json* json,
                                limber_gltf_packed* p) {
    static const char* const modes[] = {"ATTRIBUTES", "TRIANGLES", "INDICES"};
    static const char* const filters[] = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"};
    const char* mode = "";
    const char* filter = "NONE";
    uint32_t m = 0;
    uint32_t f = 0;
    limber_result result = limberi_gltf_string(reader, place, json, "mode", &mode);
    if (!result)
        result = limberi_gltf_string(reader, place, json, "filter", &filter);
    if (result)
        return result;
    if (!find_word(mode, modes, 3, &m) || !find_word(filter, filters, 4, &f))
        return limberi_gltf_fail(reader, place, LIMBER_ERROR_UNSUPPORTED,
                                 "its compression has a mode or a filter that limber does not know");
    p->mode = (limber_packed_mode)m;
    p->filter = (limber_packed_filter)f;
    return LIMBER_OK;
}

// What the decoders expect of their callers.
static bool is_sound(const limber_gltf_packed* p) {
    bool attributes = p->mode == LIMBER_PACKED_ATTRIBUTES;
    bool stride =
        attributes ? p->stride % 4 == 0 && p->stride > 0 && p->stride <= 256 : p->stride == 2 || p->stride == 4;
    bool filter = p->filter == LIMBER_PACKED_PLAIN || p->filter == LIMBER_PACKED_EXPONENTIAL ||
                  (p->filter == LIMBER_PACKED_OCTAHEDRAL && (p->stride == 4 || p->stride == 8)) ||
                  (p->filter == LIMBER_PACKED_QUATERNION && p->stride == 8);
    return stride && filter && (attributes || p->filter == LIMBER_PACKED_PLAIN) &&
           (p->mode != LIMBER_PACKED_TRIANGLES || p->count % 3 == 0);
}

static limber_result read_numbers(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                  const limberi_json* json, limber_gltf_packed* p) {
    uint32_t buffer = LIMBERI_NONE;
    uint64_t offset = 0;
    uint64_t length = 0;
    uint64_t stride = 0;
    uint64_t count = 0;
    limber_result result = limberi_gltf_index(reader, place, json, "buffer", &reader->buffers, &buffer);
    if (!result)
        result = limberi_gltf_unsigned(reader, place, json, "byteOffset", &offset);
    if (!result)
        result = limberi_gltf_unsigned(reader, place, json, "byteLength", &length);
    if (!result)
        result = limberi_gltf_unsigned(reader, place, json, "byteStride", &stride);
    if (!result)
        result = limberi_gltf_unsigned(reader, place, json, "count", &count);
    if (result)
        return result;
    limberi_bytes bytes = {NULL, 0};
    if (buffer != LIMBERI_NONE)
        bytes = reader->gltf->buffers[buffer];
    if (buffer == LIMBERI_NONE || offset > bytes.size || length > bytes.size - offset)
        return limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA,
                                 "its compressed bytes reach past the end of their buffer");
    p->bytes = bytes.data + offset;
    p->byte_count = (size_t)length;
    p->stride = stride <= 256 ? (size_t)stride : 0;
    p->count = count <= UINT32_MAX ? (size_t)count : 0;
    return LIMBER_OK;
}

static limber_result unpack_view(limberi_gltf_reader* reader, uint32_t index) {
    const limberi_json* view = limberi_gltf_entry(&reader->buffer_views, index);
    const limberi_json* packing = limberi_gltf_packing(view);
    limberi_gltf_place place = limberi_gltf_place_of(&reader->buffer_views, index);
    uint32_t buffer = LIMBERI_NONE;
    if (!packing)
        return LIMBER_OK;
    limberi_gltf_view to;
    limber_gltf_packed p = {0};
    limber_result result = limberi_gltf_index(reader, &place, view, "buffer", &reader->buffers, &buffer);
    if (result || buffer == LIMBERI_NONE || !reader->rooms[buffer])
        return result; // it is there unpacked as well
    result = limberi_gltf_buffer_view(reader, index, &to);
    if (!result)
        result = read_words(reader, &place, packing, &p);
    if (!result)
        result = read_numbers(reader, &place, packing, &p);
    if (result)
        return result;
    reader->unpacked = true;
    p.out = reader->rooms[buffer] + (to.bytes.data - reader->rooms[buffer]);
    if (is_sound(&p) && p.count <= to.bytes.size / p.stride && reader->limits.unpack(&p))
        return LIMBER_OK;
    if (p.mode == LIMBER_PACKED_ATTRIBUTES && p.byte_count && p.bytes[0] > 0xa0 && p.bytes[0] <= 0xa9)
        return limberi_gltf_fail(reader, &place, LIMBER_ERROR_UNSUPPORTED,
                                 "is compressed by a newer meshoptimizer (codec 0xa%u); unpacking it needs a newer "
                                 "library than this limber was built with",
                                 p.bytes[0] - 0xa0u);
    return limberi_gltf_fail(reader, &place, LIMBER_ERROR_DATA, "cannot be decompressed: it is damaged");
}

// --- all of them ---

static void drop_from(limberi_json* array) {
    for (size_t i = 0; i < limberi_json_count(array); i++) {
        limberi_json* object = limberi_json_at(array, i);
        limberi_json* extensions = limberi_json_get(object, "extensions");
        for (uint32_t n = 0; extensions && limberi_gltf_packing_name(n); n++)
            limberi_json_remove(extensions, limberi_gltf_packing_name(n));
        if (extensions && !limberi_json_count(extensions))
            limberi_json_remove(object, "extensions");
    }
}

limber_result limberi_gltf_unpack(limberi_gltf_reader* reader) {
    limberi_json* root = reader->gltf->json.root;
    if (!reader->limits.unpack)
        return LIMBER_OK;
    for (uint32_t i = 0; i < reader->buffer_views.count; i++) {
        limber_result result = unpack_view(reader, i);
        if (result)
            return result;
    }
    drop_from(limberi_json_get(root, "bufferViews"));
    drop_from(limberi_json_get(root, "buffers"));
    for (uint32_t n = 0; limberi_gltf_packing_name(n); n++)
        limberi_gltf_undeclare(root, limberi_gltf_packing_name(n));
    return LIMBER_OK;
}
