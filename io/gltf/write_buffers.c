// One buffer out of many, and pictures beside the file brought inside.
#include "io/gltf/write.h"

#include <string.h>

enum { BUFFER_ALIGNMENT = 4 };

static void shift_view(limberi_writer* writer, json_t* view, const uint64_t* starts) {
    uint32_t buffer = limberi_index(view, "buffer");
    if (buffer >= writer->document->buffer_count)
        return;
    json_t* old_offset = json_object_get(view, "byteOffset");
    double start = json_number_value(old_offset);
    json_int_t offset = start >= 0 && start < 9007199254740992.0 ? (json_int_t)start : 0;
    if (buffer != 0)
        limberi_put(writer, view, "buffer", json_integer(0));
    if (starts[buffer] != 0)
        limberi_put(writer, view, "byteOffset", json_integer(offset + (json_int_t)starts[buffer]));
}

void limberi_merge_buffers(limberi_writer* writer) {
    const limber_gltf* document = writer->document;
    uint64_t* starts = LIMBERI_ALLOCATE(&writer->arena, uint64_t, document->buffer_count);
    if (!starts)
        return;
    for (uint32_t b = 0; b < document->buffer_count; b++) {
        limberi_writer_append(writer, NULL, (size_t)(-writer->byte_count & (BUFFER_ALIGNMENT - 1)));
        starts[b] = writer->byte_count;
        limberi_writer_append(writer, document->buffers[b].data, document->buffers[b].size);
    }
    size_t i;
    json_t* view;
    json_array_foreach(json_object_get(writer->root, "bufferViews"), i, view) {
        const char* key;
        json_t* extension;
        shift_view(writer, view, starts);
        json_object_foreach(json_object_get(view, "extensions"), key, extension) {
            shift_view(writer, extension, starts); // compressed copies name another buffer
        }
    }
    json_t* buffers = json_object_get(writer->root, "buffers");
    for (size_t b = json_array_size(buffers); b-- > 1;)
        json_array_remove(buffers, b);
}

// Only what is plainly a picture is taken into the file, whatever its name says.
const char* limberi_picture_type(limberi_bytes bytes) {
    static const struct {
        const char *magic, *type;
        size_t size, offset;
    } kinds[] = {{"\x89PNG\r\n\x1a\n", "image/png", 8, 0},
                 {"\xff\xd8\xff", "image/jpeg", 3, 0},
                 {"WEBP", "image/webp", 4, 8},
                 {"\xabKTX 20\xbb\r\n\x1a\n", "image/ktx2", 12, 0},
                 {"DDS ", "image/vnd-ms.dds", 4, 0},
                 {"ftypavif", "image/avif", 8, 4}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (bytes.size >= kinds[k].offset + kinds[k].size &&
            memcmp(bytes.data + kinds[k].offset, kinds[k].magic, kinds[k].size) == 0)
            return kinds[k].type;
    return NULL;
}

static void embed_image(limberi_writer* writer, json_t* image, const char* uri) {
    limberi_bytes bytes = {NULL, 0};
    if (!limberi_read_uri(writer, uri, &bytes))
        return;
    const char* type = limberi_picture_type(bytes);
    if (!type)
        return;
    uint32_t view = limberi_view_begin(writer, 0, 0);
    limberi_writer_append(writer, bytes.data, bytes.size);
    limberi_view_end(writer, view);
    json_object_del(image, "uri");
    limberi_put(writer, image, "bufferView", json_integer(view));
    limberi_put(writer, image, "mimeType", json_string(type));
}

void limberi_embed_images(limberi_writer* writer, bool data_uris) {
    size_t i;
    json_t* image;
    json_array_foreach(json_object_get(writer->root, "images"), i, image) {
        const char* uri = json_string_value(json_object_get(image, "uri"));
        if (uri && (data_uris || strncmp(uri, "data:", 5) != 0))
            embed_image(writer, image, uri);
    }
}
