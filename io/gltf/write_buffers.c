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

// Buffers of one file share its bytes: the longest of them stands for all. Its index plus 1 is known by their address.
static void find_longest(const limber_gltf* document, limberi_known* longest) {
    for (uint32_t b = 0; b < document->buffer_count; b++) {
        const limberi_bytes* bytes = &document->buffers[b];
        int64_t other = bytes->size ? limberi_known_at(longest, bytes->data) : 0;
        if (bytes->size && (!other || document->buffers[other - 1].size < bytes->size))
            limberi_known_put(longest, bytes->data, (int64_t)b + 1);
    }
}

static void append_buffers(limberi_writer* writer, uint64_t* starts) {
    const limber_gltf* document = writer->document;
    limberi_known longest = {{0}};
    find_longest(document, &longest);
    for (uint32_t b = 0; b < document->buffer_count; b++) {
        int64_t whole = document->buffers[b].size ? limberi_known_at(&longest, document->buffers[b].data) : 0;
        if (whole && whole - 1 != b)
            continue;
        limberi_writer_append(writer, NULL, (size_t)(-writer->byte_count & (BUFFER_ALIGNMENT - 1)));
        starts[b] = writer->byte_count;
        limberi_writer_append(writer, document->buffers[b].data, document->buffers[b].size);
    }
    for (uint32_t b = 0; b < document->buffer_count; b++) {
        int64_t whole = document->buffers[b].size ? limberi_known_at(&longest, document->buffers[b].data) : 0;
        starts[b] = whole ? starts[whole - 1] : starts[b];
    }
    writer->failed = !limberi_known_free(&longest) || writer->failed;
}

void limberi_merge_buffers(limberi_writer* writer) {
    uint64_t* starts = LIMBERI_ALLOCATE(&writer->arena, uint64_t, writer->document->buffer_count);
    if (!starts)
        return;
    append_buffers(writer, starts);
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

// A file that several pictures name is taken once; `views` has its view plus 1.
static void embed_image(limberi_writer* writer, limberi_json* image, const char* uri, limberi_known* views) {
    limberi_bytes bytes = {NULL, 0};
    if (!limberi_read_uri(writer, uri, &bytes))
        return;
    const char* type = limberi_picture_type(bytes);
    if (!type)
        return;
    int64_t known = limberi_known_at(views, bytes.data);
    uint32_t view = known ? (uint32_t)(known - 1) : limberi_view_begin(writer, 0, 0);
    if (!known) {
        limberi_writer_append(writer, bytes.data, bytes.size);
        limberi_view_end(writer, view);
        limberi_known_put(views, bytes.data, (int64_t)view + 1);
    }
    limberi_json_remove(image, "uri");
    limberi_put_integer(writer, image, "bufferView", view);
    limberi_put_string(writer, image, "mimeType", type);
}

void limberi_embed_images(limberi_writer* writer, bool data_uris) {
    limberi_known views = {{0}};
    size_t i;
    limberi_json* image;
    for (i = 0; (image = limberi_json_at(limberi_json_get(writer->json.root, "images"), i)) != NULL; i++) {
        const char* uri = limberi_json_as_text(limberi_json_get(image, "uri"));
        if (uri && (data_uris || strncmp(uri, "data:", 5) != 0))
            embed_image(writer, image, uri, &views);
    }
    writer->failed = !limberi_known_free(&views) || writer->failed;
}
