// What is drawn into: a multisampled picture, and the way from there to the caller's pixels.
#ifndef LIMBERI_TARGET_H
#define LIMBERI_TARGET_H

#include "render/gl.h"

typedef struct limberi_target {
    const limberi_gl* gl;
    uint32_t width, height; // of the picture
    uint32_t scale;         // drawn this many times larger per side
    GLuint color, depth, resolved;
    GLuint framebuffer, resolved_framebuffer;
    uint8_t* bytes;           // read back, scale * scale pixels per pixel
    uint16_t* linear_of_byte; // 256 entries
    uint8_t* byte_of_linear;  // 65,536 entries
} limberi_target;

// `scale` is lowered where the result would be larger than the driver or good sense allows.
LIMBER_MUST_USE limber_result limberi_target_create(const limberi_gl* gl, uint32_t width, uint32_t height,
                                                    uint32_t scale, limberi_target* target, limber_error* error);
void limberi_target_destroy(limberi_target* target);

// Draw calls that follow go here; starts transparent.
void limberi_target_begin(const limberi_target* target);

// Averages in linear light, divides by alpha, and turns the picture the right way up.
void limberi_target_read(const limberi_target* target, uint8_t* pixels);

#endif
