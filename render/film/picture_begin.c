// What a picture may cost, decided when its size is known and nothing has been decoded.
#include "render/film/picture.h"

#include "base/error.h"

enum { LARGEST_SIDE = 16384 };
#define PIXEL_LIMIT ((uint64_t)64 << 20)

bool limberi_picture_begin(limberi_picture_reader* reader, uint64_t width, uint64_t height) {
    if (width > LARGEST_SIDE || height > LARGEST_SIDE || width * height > PIXEL_LIMIT)
        reader->result = limberi_fail(reader->error, LIMBER_ERROR_LIMIT, "a picture of %llu x %llu pixels is too large",
                                      (unsigned long long)width, (unsigned long long)height);
    else if (width * height > reader->pixel_limit)
        reader->result = limberi_fail(reader->error, LIMBER_ERROR_LIMIT,
                                      "with its %llu x %llu pixels the pictures of this file are too large together",
                                      (unsigned long long)width, (unsigned long long)height);
    else
        reader->result = limberi_picture_create((uint32_t)width, (uint32_t)height, reader->picture, reader->error);
    return reader->result == LIMBER_OK;
}
