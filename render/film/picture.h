// render/film/picture.h: a rectangle of pixels in memory, and the few things contact sheets do with it.
#ifndef LIMBER_PICTURE_H
#define LIMBER_PICTURE_H

#include <limber/base.h>

// sRGB, straight alpha, 4 bytes per pixel, top row first.
typedef struct limber_picture {
    uint32_t width, height;
    uint8_t* pixels;
} limber_picture;

typedef struct limber_color {
    uint8_t r, g, b, a;
} limber_color;

// Transparent black. A size of 0 is LIMBER_ERROR_ARGUMENT, more than 512 MiB LIMBER_ERROR_LIMIT.
LIMBER_MUST_USE limber_result limber_picture_create(uint32_t width, uint32_t height, limber_picture* picture,
                                                    limber_error* error);
void limber_picture_destroy(limber_picture* picture); // an empty one is fine

void limber_picture_fill(limber_picture* picture, limber_color color);

// One pixel, `coverage` (0 ... 1) of it painted over with `color`, in linear light. Outside the picture: nothing.
void limber_picture_blend(limber_picture* picture, int32_t x, int32_t y, limber_color color, float coverage);

// Copies `source` to (x, y), its corners rounded with a radius in pixels. What falls outside is dropped.
void limber_picture_place(limber_picture* picture, const limber_picture* source, int32_t x, int32_t y, float radius);

// PNG bytes in memory that free() releases.
LIMBER_MUST_USE limber_result limber_picture_encode_png(const limber_picture* picture, uint8_t** bytes,
                                                        size_t* byte_count, limber_error* error);

// PNG or JPEG. Larger than 16,384 a side or 64 million pixels is LIMBER_ERROR_LIMIT.
LIMBER_MUST_USE limber_result limber_picture_decode(const uint8_t* bytes, size_t byte_count, limber_picture* picture,
                                                    limber_error* error);

// The file appears complete or not at all.
LIMBER_MUST_USE limber_result limber_picture_save_png(const limber_picture* picture, const char* path,
                                                      limber_error* error);

#endif
