// Outlines as an inker draws them: around the character, where one part of it stands before another, and, thinner,
// along creases and borders of materials. Found in the picture, not in the mesh, so that open sheets, hair and parts
// that stick through each other need no care.
#ifndef LIMBERI_INK_H
#define LIMBERI_INK_H

#include "render/gl/gl.h"
#include "render/gl/target.h"
#include "render/scene/geometry.h"
#include "render/scene/viewpoint.h"

typedef struct limberi_ink {
    const limberi_gl* gl;
    limberi_program surface_program, edges_program, blur_program, line_program;
    GLuint surface, edges, blurred, depth;
    GLuint surface_framebuffer, edges_framebuffer, blurred_framebuffer;
    uint32_t width, height; // of the maps, drawn pixels
    uint32_t margin;        // rows of the maps below and above a strip
    float half_width;       // of the outline, drawn pixels
    float sigma;            // of the blur
    int left, right;        // columns that were traced
    int bottom, top;        // rows, in the maps
} limberi_ink;

// `width` is that of the outline in pixels of the picture.
LIMBER_MUST_USE limber_result limberi_ink_create(const limberi_gl* gl, const limberi_target* target, float width,
                                                 limberi_ink* ink, limber_error* error);
void limberi_ink_destroy(limberi_ink* ink);

// Finds the lines of a strip; binds its own framebuffers. Nothing of the geometry lies outside the box min ... max
// (stage space): the smaller it is, the faster.
void limberi_ink_trace(limberi_ink* ink, const limberi_target* target, uint32_t strip, const limberi_geometry* geometry,
                       const limberi_view* view, limber_vec3 min, limber_vec3 max);
// Draws what was traced into the bound framebuffer.
void limberi_ink_draw(const limberi_ink* ink);

#endif
