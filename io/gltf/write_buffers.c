// One buffer out of many, and pictures beside the file brought inside.
#include "io/gltf/write.h"

#include <string.h>

enum { BUFFER_ALIGNMENT = 4 };

static void shift_view(limberi_writer* writer, limberi_json* view, const uint64_t* starts) {
    uint32_t buffer = limberi_index(view, "buffer");
    if (buffer >= writer->document->buffer_count)
        return;
    limberi_json* old_offset = limberi_json_get(view, "byteOffset");
    double start = limberi_json_as_number(old_offset);
    int64_t offset = start >= 0 && start < 9007199254740992.0 ? (int64_t)start : 0;
    if (buffer != 0)
        limberi_put_integer(writer, view, "buffer", 0);
    if (starts[buffer] != 0)
        limberi_put_integer(writer, view, "byteOffset", offset + (int64_t)starts[buffer]);
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
    limberi_json* view;
    for (i = 0; (view = limberi_json_at(limberi_json_get(writer->json.root, "bufferViews"), i)) != NULL; i++) {
        shift_view(writer, view, starts);
        const limberi_json* extensions = limberi_json_get(view, "extensions");
        for (uint32_t k = 0; k < limberi_json_count(extensions); k++) // compressed copies name another buffer
            shift_view(writer, limberi_json_at(extensions, k), starts);
    }
    limberi_json* buffers = limberi_json_get(writer->json.root, "buffers");
    for (size_t b = limberi_json_count(buffers); b-- > 1;)
        limberi_json_remove_at(buffers, b);
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

static void embed_image(limberi_writer* writer, limberi_json* image, const char* uri) {
    limberi_bytes bytes = {NULL, 0};
    if (!limberi_read_uri(writer, uri, &bytes))
        return;
    const char* type = limberi_picture_type(bytes);
    if (!type)
        return;
    uint32_t view = limberi_view_begin(writer, 0, 0);
    limberi_writer_append(writer, bytes.data, bytes.size);
    limberi_view_end(writer, view);
    limberi_json_remove(image, "uri");
    limberi_put_integer(writer, image, "bufferView", view);
    limberi_put_string(writer, image, "mimeType", type);
}

void limberi_embed_images(limberi_writer* writer, bool data_uris) {
    size_t i;
    limberi_json* image;
    for (i = 0; (image = limberi_json_at(limberi_json_get(writer->json.root, "images"), i)) != NULL; i++) {
        const char* uri = limberi_json_as_text(limberi_json_get(image, "uri"));
        if (uri && (data_uris || strncmp(uri, "data:", 5) != 0))
            embed_image(writer, image, uri);
    }
}
