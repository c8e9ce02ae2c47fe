// Pictures in: which decoder.
#include "render/film/picture.h"

#include "base/error.h"

#include <string.h>

limber_result limberi_picture_decode_within(const uint8_t* bytes, size_t byte_count, uint64_t* pixel_budget,
                                            limberi_picture* picture, limber_error* error) {
    limberi_picture_reader reader = {bytes, byte_count, 0, picture, *pixel_budget, LIMBER_OK, error};
    memset(picture, 0, sizeof *picture);
    if (bytes && byte_count > 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0)
        limberi_picture_read_png(&reader);
    else if (bytes && byte_count > 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0)
        limberi_picture_read_jpeg(&reader);
    else
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "it is not a PNG or JPEG picture");
    if (reader.result != LIMBER_OK)
        limberi_picture_destroy(picture);
    else
        *pixel_budget -= (uint64_t)picture->width * picture->height;
    return reader.result;
}

limber_result limberi_picture_decode(const uint8_t* bytes, size_t byte_count, limberi_picture* picture,
                                     limber_error* error) {
    uint64_t pixels = UINT64_MAX; // the limit of one picture holds anyway
    return limberi_picture_decode_within(bytes, byte_count, &pixels, picture, error);
}
