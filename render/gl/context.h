// An OpenGL ES 3 context without a window system.
#ifndef LIMBERI_CONTEXT_H
#define LIMBERI_CONTEXT_H

#include "render/gl/gl.h"

typedef struct limberi_context {
    limberi_egl egl;
    limberi_gl gl;
    EGLDisplay display;
    EGLContext context;
} limberi_context;

LIMBER_MUST_USE limber_result limberi_context_create(limberi_context* context, limber_error* error);
void limberi_context_destroy(limberi_context* context);

// Several renderers may live in one thread, so each makes its context current before it talks to GL.
LIMBER_MUST_USE limber_result limberi_context_use(const limberi_context* context, limber_error* error);

// The driver's own words, for example "llvmpipe (LLVM 15.0.6, 128 bits)".
const char* limberi_context_device(const limberi_context* context);
// Whether that is a CPU in truth.
bool limberi_context_is_software(const limberi_context* context);

#endif
