// The pictures on a model's surface, on the graphics card.
#ifndef LIMBERI_TEXTURES_H
#define LIMBERI_TEXTURES_H

#include "render/gl/gl.h"
#include <limber/asset.h>

typedef struct limberi_textures {
    uint32_t count;
    GLuint* ids;       // [image of the model]; 0 where it is unused or unreadable
    char warning[256]; // about the last image that was left out; "": none
} limberi_textures;

// Uploads every image that a material uses. Destroy it in any case.
LIMBER_MUST_USE limber_result limberi_textures_create(const limberi_gl* gl, const limber_model* model,
                                                      limberi_textures* textures, limber_error* error);
void limberi_textures_destroy(const limberi_gl* gl, limberi_textures* textures); // gl NULL: nothing was uploaded

#endif
