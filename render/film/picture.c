// A rectangle of pixels in memory, and the few things contact sheets do with it.
#include "render/film/picture.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

#define PICTURE_BYTE_LIMIT ((uint64_t)512 << 20)

limber_result limberi_picture_create(uint32_t width, uint32_t height, limberi_picture* picture, limber_error* error) {
    memset(picture, 0, sizeof *picture);
    if (width == 0 || height == 0)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "a picture of %u x %u pixels is empty", width, height);
    uint64_t pixels = (uint64_t)width * height;
    if (pixels > PICTURE_BYTE_LIMIT / 4)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "a picture of %u x %u pixels is too large", width, height);
    picture->pixels = calloc((size_t)pixels, 4);
    if (!picture->pixels)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for a picture of %u x %u pixels", width,
                            height);
    picture->width = width;
    picture->height = height;
    return LIMBER_OK;
}

void limberi_picture_destroy(limberi_picture* picture) {
    if (!picture)
        return;
    free(picture->pixels);
    memset(picture, 0, sizeof *picture);
}

void limberi_picture_fill(limberi_picture* picture, limberi_color color) {
    const uint8_t bytes[4] = {color.r, color.g, color.b, color.a};
    size_t count = (size_t)picture->width * picture->height;
    for (size_t i = 0; i < count; i++)
        memcpy(picture->pixels + 4 * i, bytes, 4);
}

// "Over" with straight alpha, in linear light.
static void blend(uint8_t* pixel, const uint8_t* color, float coverage) {
    float over = coverage * (float)color[3] / 255.0f;
    float under = (float)pixel[3] / 255.0f * (1.0f - over);
    float alpha = over + under;
    if (!(alpha > 0.0f))
        return;
    for (int c = 0; c < 3; c++) {
        float top = limberi_linear_from_srgb((float)color[c] / 255.0f);
        float bottom = limberi_linear_from_srgb((float)pixel[c] / 255.0f);
        pixel[c] = limberi_byte(limberi_srgb_from_linear((top * over + bottom * under) / alpha));
    }
    pixel[3] = limberi_byte(alpha);
}

static uint8_t* pixel_at(limberi_picture* picture, int32_t x, int32_t y) {
    if (x < 0 || y < 0 || (uint32_t)x >= picture->width || (uint32_t)y >= picture->height)
        return NULL;
    return picture->pixels + 4 * ((size_t)y * picture->width + (size_t)x);
}

void limberi_picture_blend(limberi_picture* picture, int32_t x, int32_t y, limberi_color color, float coverage) {
    uint8_t* pixel = pixel_at(picture, x, y);
    const uint8_t bytes[4] = {color.r, color.g, color.b, color.a};
    if (pixel && coverage > 0.0f)
        blend(pixel, bytes, coverage < 1.0f ? coverage : 1.0f);
}

// How much of the pixel lies inside a rectangle with round corners.
static float rounded_coverage(const limberi_picture* source, uint32_t x, uint32_t y, float radius) {
    float px = (float)x + 0.5f;
    float py = (float)y + 0.5f;
    float w = (float)source->width;
    float h = (float)source->height;
    float dx = fmaxf(fmaxf(radius - px, px - (w - radius)), 0);
    float dy = fmaxf(fmaxf(radius - py, py - (h - radius)), 0);
    if (dx == 0.0f || dy == 0.0f)
        return 1.0f;
    float inside = radius - sqrtf(dx * dx + dy * dy) + 0.5f;
    return fminf(fmaxf(inside, 0), 1);
}

void limberi_picture_place(limberi_picture* picture, const limberi_picture* source, int32_t x, int32_t y,
                           float radius) {
    float shorter = (float)(source->width < source->height ? source->width : source->height);
    radius = radius < 0.5f * shorter ? radius : 0.5f * shorter;
    for (uint32_t row = 0; row < source->height; row++) {
        const uint8_t* from = source->pixels + 4 * (size_t)row * source->width;
        for (uint32_t column = 0; column < source->width; column++, from += 4) {
            uint8_t* to = pixel_at(picture, x + (int32_t)column, y + (int32_t)row);
            float coverage = to ? rounded_coverage(source, column, row, radius) : 0.0f;
            if (coverage >= 1.0f && from[3] == 255)
                memcpy(to, from, 4);
            else if (coverage > 0.0f)
                blend(to, from, coverage);
        }
    }
}
