// Shader programs and their uniforms, addressed by name.
#ifndef LIMBERI_SHADER_PROGRAM_H
#define LIMBERI_SHADER_PROGRAM_H

#include "render/gl/gl.h"

typedef struct limberi_program {
    const limberi_gl* gl;
    GLuint id;
} limberi_program;

// `library` is put before the fragment shader's own text; may be NULL. `name` is for messages.
LIMBER_MUST_USE limber_result limberi_program_create(const limberi_gl* gl, const char* name, const char* vertex,
                                                     const char* library, const char* fragment,
                                                     limberi_program* program, limber_error* error);
void limberi_program_destroy(limberi_program* program);
void limberi_program_use(const limberi_program* program);

// These set uniforms of the program in use. A name the program does not have is ignored, as GL does.
void limberi_set_int(const limberi_program* program, const char* name, int value);
void limberi_set_float2(const limberi_program* program, const char* name, float x, float y);
void limberi_set_float(const limberi_program* program, const char* name, float x);
void limberi_set_floats(const limberi_program* program, const char* name, const float* values, int count);
void limberi_set_vec3(const limberi_program* program, const char* name, limber_vec3 value);
void limberi_set_vec4(const limberi_program* program, const char* name, float x, float y, float z, float w);
void limberi_set_mat4(const limberi_program* program, const char* name, const float m[16]); // column-major

#endif
