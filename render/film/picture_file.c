// PNG files out, through stb, which is compiled into this file only.
#include "base/error.h"
#include "io/file_write.h"
#include "render/film/picture.h"

#include <stdlib.h>
#include <string.h>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
// stb declares what it then leaves out; gcc only notices at the end of the file, so there is nothing to pop.
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_image_write.h>

static bool is_opaque(const limberi_picture* picture) {
    size_t count = (size_t)picture->width * picture->height;
    for (size_t i = 0; i < count; i++)
        if (picture->pixels[4 * i + 3] != 255)
            return false;
    return true;
}

// Three channels make opaque pictures a quarter smaller and keep viewers from showing a chequerboard.
static uint8_t* without_alpha(const limberi_picture* picture) {
    size_t count = (size_t)picture->width * picture->height;
    uint8_t* rgb = malloc(3 * count);
    for (size_t i = 0; rgb && i < count; i++)
        memcpy(rgb + 3 * i, picture->pixels + 4 * i, 3);
    return rgb;
}

limber_result limberi_picture_encode_png(const limberi_picture* picture, uint8_t** bytes, size_t* byte_count,
                                         limber_error* error) {
    *bytes = NULL;
    *byte_count = 0;
    if (!picture->pixels)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "an empty picture cannot be written");
    uint8_t* rgb = is_opaque(picture) ? without_alpha(picture) : NULL;
    int channels = rgb ? 3 : 4, length = 0;
    *bytes = stbi_write_png_to_mem(rgb ? rgb : picture->pixels, (int)picture->width * channels, (int)picture->width,
                                   (int)picture->height, channels, &length);
    free(rgb);
    if (!*bytes || length <= 0)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "no memory to encode a picture");
    *byte_count = (size_t)length;
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
