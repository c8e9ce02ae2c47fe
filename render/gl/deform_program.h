// The programs around shaders/limber_deform.glsl: one for each way to run it and each style that was asked for.
#ifndef LIMBERI_DEFORM_PROGRAM_H
#define LIMBERI_DEFORM_PROGRAM_H

#include "render/gl/gl.h"
#include <limber/pack.h>

typedef enum limberi_gpu_path {
    LIMBERI_GPU_FEEDBACK, // vertex shader, into a buffer
    LIMBERI_GPU_COMPUTE,  // compute shader, into a buffer; OpenGL ES 3.1
    LIMBERI_GPU_DRAW,     // vertex shader, into a picture
    LIMBERI_GPU_REDRAW,   // what the compute shader has left, into a picture: deformed once for any number of passes
    LIMBERI_GPU_NORMALS   // only for limberi_deform_program_find: the compute shader's second pass
} limberi_gpu_path;

enum { LIMBERI_DEFINES_SIZE = 1200 };

// Found again by path and defines.
typedef struct limberi_deform_program {
    struct limberi_deform_program* next;
    limberi_gpu_path path;
    char defines[LIMBERI_DEFINES_SIZE];
    GLuint id;
} limberi_deform_program;

// Looks in the list, and adds to it.
LIMBER_MUST_USE limber_result limberi_deform_program_find(const limberi_gl* gl, limberi_deform_program** list,
                                                          limberi_gpu_path path, const char* defines, GLuint* id,
                                                          limber_error* error);
void limberi_deform_programs_destroy(const limberi_gl* gl,
                                     limberi_deform_program* list); // gl NULL: the context is gone

#endif
