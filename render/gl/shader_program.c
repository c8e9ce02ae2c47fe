// Shader programs and their uniforms, addressed by name.
#include "base/error.h"
#include "render/gl/gl.h"
#include "render/shaders.h"

static limber_result compile(const limberi_gl* gl, GLenum kind, const char* name, const char* library,
                             const char* source, GLuint* shader, limber_error* error) {
    const char* parts[3] = {limberi_shader_prelude_glsl, library ? library : "", source};
    GLint done = 0;
    *shader = gl->CreateShader(kind);
    gl->ShaderSource(*shader, 3, parts, NULL);
    gl->CompileShader(*shader);
    gl->GetShaderiv(*shader, GL_COMPILE_STATUS, &done);
    if (done)
        return LIMBER_OK;
    char log[256] = "";
    gl->GetShaderInfoLog(*shader, sizeof log, NULL, log);
    return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "the driver rejects the %s shader '%s': %s",
                        kind == GL_VERTEX_SHADER ? "vertex" : "fragment", name, log);
}

static limber_result link(limberi_program* program, const char* name, limber_error* error) {
    const limberi_gl* gl = program->gl;
    GLint done = 0;
    gl->LinkProgram(program->id);
    gl->GetProgramiv(program->id, GL_LINK_STATUS, &done);
    if (done)
        return LIMBER_OK;
    char log[256] = "";
    gl->GetProgramInfoLog(program->id, sizeof log, NULL, log);
    return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "the driver cannot link the shader '%s': %s", name, log);
}

limber_result limberi_program_create(const limberi_gl* gl, const char* name, const char* vertex, const char* library,
                                     const char* fragment, limberi_program* program, limber_error* error) {
    GLuint shaders[2] = {0, 0};
    program->gl = gl;
    program->id = gl->CreateProgram();
    limber_result result = compile(gl, GL_VERTEX_SHADER, name, NULL, vertex, &shaders[0], error);
    if (result == LIMBER_OK)
        result = compile(gl, GL_FRAGMENT_SHADER, name, library, fragment, &shaders[1], error);
    if (result == LIMBER_OK) {
        gl->AttachShader(program->id, shaders[0]);
        gl->AttachShader(program->id, shaders[1]);
        result = link(program, name, error);
    }
    gl->DeleteShader(shaders[0]);
    gl->DeleteShader(shaders[1]);
    return result;
}

void limberi_program_destroy(limberi_program* program) {
    if (program->gl)
        program->gl->DeleteProgram(program->id);
    program->gl = NULL;
}

void limberi_program_use(const limberi_program* program) {
    program->gl->UseProgram(program->id);
}

static GLint place(const limberi_program* program, const char* name) {
    return program->gl->GetUniformLocation(program->id, name);
}

void limberi_set_int(const limberi_program* program, const char* name, int value) {
    program->gl->Uniform1i(place(program, name), value);
}

void limberi_set_float(const limberi_program* program, const char* name, float x) {
    program->gl->Uniform1f(place(program, name), x);
}

void limberi_set_float2(const limberi_program* program, const char* name, float x, float y) {
    program->gl->Uniform2f(place(program, name), x, y);
}

void limberi_set_floats(const limberi_program* program, const char* name, const float* values, int count) {
    program->gl->Uniform1fv(place(program, name), count, values);
}

void limberi_set_vec3(const limberi_program* program, const char* name, limber_vec3 value) {
    program->gl->Uniform3fv(place(program, name), 1, &value.x);
}

void limberi_set_vec4(const limberi_program* program, const char* name, float x, float y, float z, float w) {
    const float values[4] = {x, y, z, w};
    program->gl->Uniform4fv(place(program, name), 1, values);
}

void limberi_set_mat4(const limberi_program* program, const char* name, const float m[16]) {
    program->gl->UniformMatrix4fv(place(program, name), 1, GL_FALSE, m);
}
