// A rectangle of pixels in memory, and the few things contact sheets do with it.
#ifndef LIMBERI_PICTURE_H
#define LIMBERI_PICTURE_H

#include <limber/base.h>
#include <math.h>
#include <stdint.h>

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

// --- picture read ---
// The two decoders behind limberi_picture_decode.

// Compressed bytes on their way in, and the picture they become. Both decoders ask limberi_picture_begin for memory,
// which checks the size they found first.
typedef struct limberi_picture_reader {
    const uint8_t* bytes;
    size_t byte_count, at;
    limberi_picture* picture;
    uint64_t pixel_limit;
    limber_result result;
    limber_error* error;
} limberi_picture_reader;

// False when the size is over a limit, or memory is short.
bool limberi_picture_begin(limberi_picture_reader* reader, uint64_t width, uint64_t height);

// What is wrong stands in reader->result and reader->error.
void limberi_picture_read_png(limberi_picture_reader* reader);
void limberi_picture_read_jpeg(limberi_picture_reader* reader);

// --- srgb ---
// sRGB bytes to linear light and back.

static inline float limberi_linear_from_srgb(float s) {
    return s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f);
}

static inline float limberi_srgb_from_linear(float l) {
    if (!(l > 0.0f))
        return 0.0f;
    if (l >= 1.0f)
        return 1.0f;
    return l <= 0.0031308f ? l * 12.92f : 1.055f * powf(l, 1.0f / 2.4f) - 0.055f;
}

static inline uint8_t limberi_byte(float value) {
    if (!(value > 0.0f))
        return 0;
    return (uint8_t)(value >= 1.0f ? 255.0f : value * 255.0f + 0.5f);
}

#endif
