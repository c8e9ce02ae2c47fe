// The programs around shaders/limber_deform.glsl: one for each way to run it and each style that was asked for.
#include "render/gl/deform_program.h"
#include "base/error.h"
#include "render/shaders.h"

#include <GLES3/gl31.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 5 };

static limber_result compile(const limberi_gl* gl, GLuint program, GLenum kind, const char* const parts[PARTS],
                             limber_error* error) {
    GLint done = 0;
    GLuint shader = gl->CreateShader(kind);
    gl->ShaderSource(shader, PARTS, parts, NULL);
    gl->CompileShader(shader);
    gl->GetShaderiv(shader, GL_COMPILE_STATUS, &done);
    char log[256] = "";
    if (!done)
        gl->GetShaderInfoLog(shader, sizeof log, NULL, log);
    gl->AttachShader(program, shader);
    gl->DeleteShader(shader); // lives on as long as the program
    return done ? LIMBER_OK
                : limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "the driver rejects the deforming shader: %s", log);
}

static const char version_3_1[] = "#version 310 es\nprecision highp float;\nprecision highp int;\n";

static limber_result compile_vertex(const limberi_gl* gl, const limberi_deform_program* p, limber_error* error) {
    bool draws = p->path == LIMBERI_GPU_DRAW;
    const char* const vertex[PARTS] = {limberi_shader_prelude_glsl, p->defines, limberi_shader_limber_deform_glsl,
                                       limberi_shader_deform_attributes_glsl,
                                       draws ? limberi_shader_deform_draw_vert : limberi_shader_deform_feedback_vert};
    const char* const fragment[PARTS] = {
        limberi_shader_prelude_glsl,
        draws ? limberi_shader_deform_draw_frag : "out vec4 color; void main() { color = vec4(0.0); }", "", "", ""};
    limber_result result = compile(gl, p->id, GL_VERTEX_SHADER, vertex, error);
    return result ? result : compile(gl, p->id, GL_FRAGMENT_SHADER, fragment, error);
}

static limber_result compile_redraw(const limberi_gl* gl, const limberi_deform_program* p, limber_error* error) {
    const char* const vertex[PARTS] = {version_3_1, limberi_shader_deform_stored_glsl, limberi_shader_deform_draw_vert,
                                       "", ""};
    const char* const fragment[PARTS] = {version_3_1, limberi_shader_deform_draw_frag, "", "", ""};
    limber_result result = compile(gl, p->id, GL_VERTEX_SHADER, vertex, error);
    return result ? result : compile(gl, p->id, GL_FRAGMENT_SHADER, fragment, error);
}

static limber_result compile_path(const limberi_gl* gl, const limberi_deform_program* p, limber_error* error) {
    const char* const compute[PARTS] = {version_3_1, p->defines, limberi_shader_limber_deform_glsl,
                                        limberi_shader_deform_compute_comp, ""};
    const char* const normals[PARTS] = {version_3_1, limberi_shader_deform_normals_comp, "", "", ""};
    switch (p->path) {
    case LIMBERI_GPU_COMPUTE:
        return compile(gl, p->id, GL_COMPUTE_SHADER, compute, error);
    case LIMBERI_GPU_NORMALS:
        return compile(gl, p->id, GL_COMPUTE_SHADER, normals, error);
    case LIMBERI_GPU_REDRAW:
        return compile_redraw(gl, p, error);
    default:
        return compile_vertex(gl, p, error);
    }
}

static limber_result build(const limberi_gl* gl, const limberi_deform_program* p, limber_error* error) {
    static const char* const outputs[2] = {"deformed_position", "deformed_normal"};
    limber_result result = compile_path(gl, p, error);
    if (result)
        return result;
    GLint done = 0;
    if (p->path == LIMBERI_GPU_FEEDBACK)
        gl->TransformFeedbackVaryings(p->id, 2, outputs, GL_INTERLEAVED_ATTRIBS);
    gl->LinkProgram(p->id);
    gl->GetProgramiv(p->id, GL_LINK_STATUS, &done);
    if (done)
        return LIMBER_OK;
    char log[256] = "";
    gl->GetProgramInfoLog(p->id, sizeof log, NULL, log);
    return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "the driver cannot link the deforming shader: %s", log);
}

limber_result limberi_deform_program_find(const limberi_gl* gl, limberi_deform_program** list, limberi_gpu_path path,
                                          const char* defines, GLuint* id, limber_error* error) {
    for (const limberi_deform_program* p = *list; p; p = p->next)
        if (p->path == path && strcmp(p->defines, defines) == 0) {
            *id = p->id;
            return LIMBER_OK;
        }
    limberi_deform_program* made = calloc(1, sizeof *made);
    if (!made)
        return limberi_fail_memory(error);
    made->path = path;
    limberi_format(made->defines, sizeof made->defines, "%s", defines);
    made->id = gl->CreateProgram();
    limber_result result = build(gl, made, error);
    if (result) {
        gl->DeleteProgram(made->id);
        free(made);
        return result;
    }
    made->next = *list;
    *list = made;
    *id = made->id;
    return LIMBER_OK;
}

void limberi_deform_programs_destroy(const limberi_gl* gl, limberi_deform_program* list) {
    while (list) {
        limberi_deform_program* program = list;
        list = program->next;
        if (gl)
            gl->DeleteProgram(program->id);
        free(program);
    }
}
