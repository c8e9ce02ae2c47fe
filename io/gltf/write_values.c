// Looking back into the file as read, with the reader's own tools.
#include "io/gltf/write.h"

// For what has to be expanded before anyone knows whether it is any good.
enum { SPARSE_LIMIT = 20 * 1000 * 1000 };

void limberi_reader_over(limberi_writer* writer) {
    limberi_gltf_reader* reader = &writer->reader;
    reader->gltf = (limber_gltf*)(uintptr_t)writer->document; // only read
    reader->arena = &writer->arena;
    reader->error = &writer->reader_error;
    reader->limits.nodes = UINT32_MAX;
    reader->budget.bytes = UINT32_MAX;
    if (limberi_gltf_lists(reader) != LIMBER_OK)
        return;
    reader->opened = LIMBERI_ALLOCATE(&writer->arena, limberi_gltf_accessor, reader->accessors.count);
    writer->readable = reader->opened != NULL;
}

bool limberi_read_values(limberi_writer* writer, limberi_arena* arena, uint32_t index, limberi_values* out) {
    limberi_gltf_reader* reader = &writer->reader;
    if (!writer->readable || index >= reader->accessors.count)
        return false;
    limberi_gltf_accessor* accessor;
    limber_result result = limberi_gltf_open_index(reader, index, &accessor);
    if (result != LIMBER_OK || !accessor->count)
        return false;
    if (!accessor->data && (!accessor->sparse_count || accessor->count > SPARSE_LIMIT))
        return false;
    out->count = accessor->count;
    out->width = accessor->components;
    out->component = accessor->component;
    out->normalized = accessor->normalized;
    out->values = LIMBERI_ALLOCATE(arena, float, (size_t)out->count * out->width);
    return out->values &&
           limberi_gltf_read_floats(reader, accessor, 0, out->count, out->values, out->width) == LIMBER_OK;
}

bool limberi_read_uri(limberi_writer* writer, const char* uri, limberi_bytes* out) {
    return writer->readable && limberi_gltf_fetch(&writer->reader, NULL, uri, &writer->arena, out) == LIMBER_OK;
}
