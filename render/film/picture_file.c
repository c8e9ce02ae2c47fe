// PNG files out.
#include "base/error.h"
#include "io/file_write.h"
#include "io/png/png.h"
#include "render/film/picture.h"

#include <stdlib.h>
#include <string.h>

static bool is_opaque(const limberi_picture* picture) {
    size_t count = (size_t)picture->width * picture->height;
    for (size_t i = 0; i < count; i++)
        if (picture->pixels[4 * i + 3] != 255)
            return false;
    return true;
}

typedef struct memory {
    uint8_t* bytes;
    size_t count, room;
    bool failed;
} memory;

static void write_bytes(void* user, const void* bytes, size_t count) {
    memory* m = user;
    size_t room = m->room;
    while (room - m->count < count)
        room = room ? 2 * room : 1 << 16;
    uint8_t* larger = m->failed || room == m->room ? m->bytes : realloc(m->bytes, room);
    m->failed = m->failed || !larger;
    if (m->failed)
        return;
    m->bytes = larger;
    m->room = room;
    memcpy(m->bytes + m->count, bytes, count);
    m->count += count;
}

// Three channels make opaque pictures a quarter smaller and keep viewers from showing a chequerboard.
static bool encode(const limberi_picture* picture, memory* out) {
    uint8_t channels = is_opaque(picture) ? 3 : 4;
    limberi_png png = {.put = write_bytes,
                       .user = out,
                       .width = picture->width,
                       .height = picture->height,
                       .bits = 8,
                       .channels = channels};
    uint8_t* row = malloc((size_t)channels * picture->width);
    bool begun = limberi_png_begin(&png) && row;
    for (uint32_t y = 0; begun && y < picture->height; y++) {
        const uint8_t* pixels = picture->pixels + 4 * (size_t)y * picture->width;
        for (size_t x = 0; x < picture->width; x++)
            memcpy(row + channels * x, pixels + 4 * x, channels);
        limberi_png_row(&png, row);
    }
    if (begun)
        limberi_png_end(&png);
    limberi_png_free(&png);
    free(row);
    return begun && !out->failed;
}

limber_result limberi_picture_encode_png(const limberi_picture* picture, uint8_t** bytes, size_t* byte_count,
                                         limber_error* error) {
    memory out = {NULL, 0, 0, false};
    *bytes = NULL;
    *byte_count = 0;
    if (!picture->pixels)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "an empty picture cannot be written");
    if (!encode(picture, &out)) {
        free(out.bytes);
        return limberi_fail_memory(error);
    }
    *bytes = out.bytes;
    *byte_count = out.count;
    return LIMBER_OK;
}

limber_result limberi_picture_save_png(const limberi_picture* picture, const char* path, limber_error* error) {
    uint8_t* bytes = NULL;
    size_t byte_count = 0;
    limberi_file file;
    limber_result result = limberi_picture_encode_png(picture, &bytes, &byte_count, error);
    if (result != LIMBER_OK)
        return result;
    result = limberi_file_open(&file, path, error);
    if (result == LIMBER_OK) {
        limberi_file_put(&file, bytes, byte_count);
        result = limberi_file_commit(&file, error);
    }
    free(bytes);
    return result;
}
