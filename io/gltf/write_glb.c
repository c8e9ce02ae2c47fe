// The container .glb: its front, the text, the bytes; for a file or for memory.
#include "base/error.h"
#include "base/memory.h"
#include "io/gltf/write.h"

#include <string.h>

enum { CHUNK_JSON = 0x4e4f534a, CHUNK_BINARY = 0x004e4942, GLB_MAGIC = 0x46546c67, GLB_VERSION = 2 };

static void put_words(const limberi_sink* sink, const uint32_t* words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[4] = {(uint8_t)words[i], (uint8_t)(words[i] >> 8), (uint8_t)(words[i] >> 16),
                            (uint8_t)(words[i] >> 24)};
        sink->put(sink->user, bytes, sizeof bytes);
    }
}

static void put_spaces(const limberi_sink* sink, uint64_t count) {
    char spaces[1 << 10];
    memset(spaces, ' ', sizeof spaces);
    for (; count > sizeof spaces; count -= sizeof spaces)
        sink->put(sink->user, spaces, sizeof spaces);
    sink->put(sink->user, spaces, (size_t)count);
}

enum { FILL_BYTES = 1 << 16 };

// Whole steps at a time.
static limber_result put_filled(const limberi_sink* sink, const limberi_segment* segment, limber_error* error) {
    size_t room = segment->step < FILL_BYTES ? FILL_BYTES / segment->step * segment->step : segment->step;
    room = room < segment->size ? room : (size_t)segment->size;
    uint8_t* bytes = limberi_allocate(room);
    if (!bytes)
        return limberi_fail_memory(error);
    bool filled = true;
    for (uint64_t at = 0; filled && at < segment->size; at += room) {
        size_t count = segment->size - at < room ? (size_t)(segment->size - at) : room;
        filled = segment->fill(segment->user, at, bytes, count);
        sink->put(sink->user, bytes, filled ? count : 0);
    }
    limberi_release(bytes);
    return filled ? LIMBER_OK : limberi_fail(error, LIMBER_ERROR_FILE, "cannot read the bake back from the disk");
}

limber_result limberi_put_segments(const limberi_sink* sink, const limberi_writer* writer, uint64_t front,
                                   limber_error* error) {
    static const uint8_t zeros[8] = {0};
    for (size_t i = 0; i < writer->segment_count; i++) {
        const limberi_segment* segment = &writer->segments[i];
        if (front && segment->inside) {
            sink->seek(sink->user, front + segment->size);
            continue;
        }
        limber_result result = segment->fill ? put_filled(sink, segment, error) : LIMBER_OK;
        if (result != LIMBER_OK)
            return result;
        if (!segment->fill)
            sink->put(sink->user, segment->data ? segment->data : zeros, (size_t)segment->size);
    }
    return LIMBER_OK;
}

// Text that does not fit before the rows of a store needs them copied.
limber_result limberi_glb_begin(limberi_writer* writer, uint64_t front, limberi_glb* glb, limber_error* error) {
    memset(glb, 0, sizeof *glb);
    limberi_embed_images(writer, true);
    limberi_describe_buffer(writer, NULL);
    limber_result result = limberi_writer_text(writer, &glb->text, error);
    if (result != LIMBER_OK)
        return result;
    glb->front = front && writer->has_rows && glb->text.length <= front - LIMBERI_GLB_FRONT ? front : 0;
    glb->text_room = glb->front ? front - LIMBERI_GLB_FRONT : (glb->text.length + 3) & ~(uint64_t)3;
    glb->size = 20 + glb->text_room + (writer->byte_count ? 8 + ((writer->byte_count + 3) & ~(uint64_t)3) : 0);
    if (glb->size <= UINT32_MAX)
        return LIMBER_OK;
    return limberi_fail(error, LIMBER_ERROR_LIMIT,
                        "a .glb can hold 4 GiB, but this one needs %llu MiB; write a .gltf, bake fewer frames or "
                        "clips, or use a tolerance",
                        (unsigned long long)(glb->size >> 20));
}

limber_result limberi_glb_put(const limberi_glb* glb, const limberi_writer* writer, const limberi_sink* sink,
                              limber_error* error) {
    size_t tail = (size_t)(-writer->byte_count & 3);
    uint32_t header[5] = {GLB_MAGIC, GLB_VERSION, (uint32_t)glb->size, (uint32_t)glb->text_room, CHUNK_JSON};
    put_words(sink, header, 5);
    sink->put(sink->user, glb->text.data, glb->text.length);
    put_spaces(sink, glb->text_room - glb->text.length);
    if (!writer->byte_count)
        return LIMBER_OK;
    uint32_t chunk[2] = {(uint32_t)(writer->byte_count + tail), CHUNK_BINARY};
    put_words(sink, chunk, 2);
    limber_result result = limberi_put_segments(sink, writer, glb->front, error);
    sink->put(sink->user, "\0\0", tail);
    return result;
}
