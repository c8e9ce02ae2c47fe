// render/film/picture.h: a rectangle of pixels in memory, and the few things contact sheets do with it.
#ifndef LIMBERI_PICTURE_H
#define LIMBERI_PICTURE_H

#include <limber/base.h>

// sRGB, straight alpha, 4 bytes per pixel, top row first.
typedef struct limberi_picture {
    uint32_t width, height;
    uint8_t* pixels;
} limberi_picture;

typedef struct limberi_color {
    uint8_t r, g, b, a;
} limberi_color;

// Transparent black. A size of 0 is LIMBER_ERROR_ARGUMENT, more than 512 MiB LIMBER_ERROR_LIMIT.
LIMBER_MUST_USE limber_result limberi_picture_create(uint32_t width, uint32_t height, limberi_picture* picture,
                                                     limber_error* error);
void limberi_picture_destroy(limberi_picture* picture); // an empty one is fine

void limberi_picture_fill(limberi_picture* picture, limberi_color color);

// One pixel, `coverage` (0 ... 1) of it painted over with `color`, in linear light. Outside the picture: nothing.
void limberi_picture_blend(limberi_picture* picture, int32_t x, int32_t y, limberi_color color, float coverage);

// Copies `source` to (x, y), its corners rounded with a radius in pixels. What falls outside is dropped.
void limberi_picture_place(limberi_picture* picture, const limberi_picture* source, int32_t x, int32_t y, float radius);

// PNG bytes in memory that free() releases.
LIMBER_MUST_USE limber_result limberi_picture_encode_png(const limberi_picture* picture, uint8_t** bytes,
                                                         size_t* byte_count, limber_error* error);

// PNG or JPEG. Larger than 16,384 a side or 64 Mi pixels is LIMBER_ERROR_LIMIT, before any memory is taken.
LIMBER_MUST_USE limber_result limberi_picture_decode(const uint8_t* bytes, size_t byte_count, limberi_picture* picture,
                                                     limber_error* error);

// For one of several pictures: they have so many pixels together, and each takes its own off what is left.
LIMBER_MUST_USE limber_result limberi_picture_decode_within(const uint8_t* bytes, size_t byte_count,
                                                            uint64_t* pixel_budget, limberi_picture* picture,
                                                            limber_error* error);
#define LIMBERI_PICTURES_OF_A_FILE ((uint64_t)128 << 20) // pixels: half a gigabyte

// The file appears complete or not at all.
LIMBER_MUST_USE limber_result limberi_picture_save_png(const limberi_picture* picture, const char* path,
                                                       limber_error* error);

#endif
