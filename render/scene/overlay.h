// Inside render/: triangles over the character: skeletons, arrows, paths.
#ifndef LIMBERI_OVERLAY_H
#define LIMBERI_OVERLAY_H

#include "render/gl/shader_program.h"
#include "render/render.h"
#include "render/scene/viewpoint.h"

typedef struct limberi_overlay {
    const limberi_gl* gl;
    limberi_program program;
    GLuint vertex_array, vertices;
    uint32_t vertex_count;
} limberi_overlay;

LIMBER_MUST_USE limber_result limberi_overlay_create(const limberi_gl* gl, limberi_overlay* overlay,
                                                     limber_error* error);
void limberi_overlay_destroy(limberi_overlay* overlay);
void limberi_overlay_set(limberi_overlay* overlay, const limberi_overlay_vertex* vertices, uint32_t count);

// Goes by the depth of what is drawn already, and forgets it.
void limberi_overlay_draw(const limberi_overlay* overlay, const limberi_view* view,
                          const limberi_projection* projection);

#endif
