// What is drawn into: a multisampled picture, and the way from there to the caller's pixels. Large pictures are drawn
// in horizontal strips, one after the other, so that graphics memory stays small whatever the size.
#ifndef LIMBERI_TARGET_H
#define LIMBERI_TARGET_H

#include "render/gl/gl.h"

typedef struct limberi_target {
    const limberi_gl* gl;
    uint32_t width, height; // of the picture
    uint32_t scale;         // drawn this many times larger per side
    uint32_t strip_rows;    // rows of the picture that are drawn at once
    uint32_t strip_count;
    GLuint color, depth, resolved;
    GLuint framebuffer, resolved_framebuffer;
    uint8_t* bytes;           // one strip read back, scale * scale pixels per pixel
    uint16_t* linear_of_byte; // 256 entries
    uint8_t* byte_of_linear;  // 65,536 entries
} limberi_target;

// `scale` is lowered where the result would be wider or higher than the driver allows.
LIMBER_MUST_USE limber_result limberi_target_create(const limberi_gl* gl, uint32_t width, uint32_t height,
                                                    uint32_t scale, limberi_target* target, limber_error* error);
void limberi_target_destroy(limberi_target* target);

// Draw calls that follow go here, as if to the whole picture; starts transparent. Strip 0 is the lowest.
void limberi_target_begin(const limberi_target* target, uint32_t strip);

// Puts the strip into the picture's pixels: averages in linear light, divides by alpha, turns it the right way up.
void limberi_target_read(const limberi_target* target, uint32_t strip, uint8_t* pixels);

#endif
