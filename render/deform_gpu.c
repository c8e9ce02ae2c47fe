#include "render/deform_gpu.h"
#include "base/error.h"
#include "pipeline/pipeline_private.h"
#include "render/context.h"
#include "render/shaders.h"

#include <stdlib.h>
#include <string.h>

// --- programs ---

// A style's program, found again by its defines.
typedef struct gpu_program {
    struct gpu_program* next;
    char defines[LIMBERI_PACK_DEFINES_SIZE];
    GLuint id;
} gpu_program;

struct limberi_gpu {
    limberi_context context;
    gpu_program* programs;
    GLuint frame, pixel; // draw calls need somewhere to draw to, even when nothing is drawn
};

static limber_result make_target(limberi_gpu* gpu, limber_error* error) {
    const limberi_gl* gl = &gpu->context.gl;
    gl->GenFramebuffers(1, &gpu->frame);
    gl->GenRenderbuffers(1, &gpu->pixel);
    gl->BindRenderbuffer(GL_RENDERBUFFER, gpu->pixel);
    gl->RenderbufferStorageMultisample(GL_RENDERBUFFER, 0, GL_RGBA8, 1, 1);
    gl->BindFramebuffer(GL_FRAMEBUFFER, gpu->frame);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, gpu->pixel);
    return limberi_gl_check(gl, "make a framebuffer", error);
}

limber_result limberi_gpu_create(limberi_gpu** gpu, limber_error* error) {
    *gpu = NULL;
    limberi_gpu* made = calloc(1, sizeof *made);
    if (!made)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for a graphics context");
    limber_result result = limberi_context_create(&made->context, error);
    if (!result)
        result = make_target(made, error);
    if (result) {
        limberi_gpu_destroy(made);
        return result;
    }
    *gpu = made;
    return LIMBER_OK;
}

void limberi_gpu_destroy(limberi_gpu* gpu) {
    if (!gpu)
        return;
    bool current = gpu->context.context != EGL_NO_CONTEXT && limberi_context_use(&gpu->context, NULL) == LIMBER_OK;
    while (gpu->programs) {
        gpu_program* program = gpu->programs;
        gpu->programs = program->next;
        if (current)
            gpu->context.gl.DeleteProgram(program->id);
        free(program);
    }
    if (current) {
        gpu->context.gl.DeleteFramebuffers(1, &gpu->frame);
        gpu->context.gl.DeleteRenderbuffers(1, &gpu->pixel);
    }
    limberi_context_destroy(&gpu->context);
    free(gpu);
}

const char* limberi_gpu_device(const limberi_gpu* gpu) {
    return limberi_context_device(&gpu->context);
}

static limber_result compile(const limberi_gl* gl, GLuint program, GLenum kind, const char* const parts[4],
                             limber_error* error) {
    GLint done = 0;
    GLuint shader = gl->CreateShader(kind);
    gl->ShaderSource(shader, 4, parts, NULL);
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

static limber_result build(const limberi_gl* gl, gpu_program* program, limber_error* error) {
    static const char* const outputs[2] = {"deformed_position", "deformed_normal"};
    const char* const vertex[4] = {limberi_shader_prelude_glsl, program->defines, limberi_shader_limber_deform_glsl,
                                   limberi_shader_deform_feedback_vert};
    const char* const fragment[4] = {limberi_shader_prelude_glsl, "out vec4 color;", "void main() {",
                                     "color = vec4(0.0); }"};
    limber_result result = compile(gl, program->id, GL_VERTEX_SHADER, vertex, error);
    if (!result)
        result = compile(gl, program->id, GL_FRAGMENT_SHADER, fragment, error);
    if (result)
        return result;
    GLint done = 0;
    gl->TransformFeedbackVaryings(program->id, 2, outputs, GL_INTERLEAVED_ATTRIBS);
    gl->LinkProgram(program->id);
    gl->GetProgramiv(program->id, GL_LINK_STATUS, &done);
    if (done)
        return LIMBER_OK;
    char log[256] = "";
    gl->GetProgramInfoLog(program->id, sizeof log, NULL, log);
    return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "the driver cannot link the deforming shader: %s", log);
}

static limber_result find_program(limberi_gpu* gpu, const limberi_pack* pack, GLuint* id, limber_error* error) {
    const limberi_gl* gl = &gpu->context.gl;
    gpu_program* made = calloc(1, sizeof *made);
    if (!made)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for a shader");
    limberi_pack_defines(pack, made->defines);
    for (const gpu_program* p = gpu->programs; p; p = p->next) {
        if (strcmp(p->defines, made->defines) != 0)
            continue;
        free(made);
        *id = p->id;
        return LIMBER_OK;
    }
    made->id = gl->CreateProgram();
    limber_result result = build(gl, made, error);
    if (result) {
        gl->DeleteProgram(made->id);
        free(made);
        return result;
    }
    made->next = gpu->programs;
    gpu->programs = made;
    *id = made->id;
    return LIMBER_OK;
}

// --- a character ---

struct limberi_gpu_character {
    limberi_gpu* gpu;
    limber_pipeline* pipeline;
    limberi_pack pack;
    GLuint program, vertex_array, texture;
    GLuint surface, joints, columns, deformed; // buffers
    float* texels;
    float* vertices; // [vertex][6] positions and normals, mesh space
    int16_t* column_values;
    bool columns_ready;
    uint32_t texel_count;
};

limberi_pack_memory limberi_gpu_character_bytes(const limberi_gpu_character* c) {
    return limberi_pack_bytes(&c->pack);
}

uint32_t limberi_gpu_character_texels(const limberi_gpu_character* c) {
    return c->texel_count;
}

// Positions and normals next to each other, those of one mesh.
static void write_surface(const limberi_gpu_character* c, const limber_mesh* mesh) {
    const float* positions = limberi_pipeline_morphed_positions(c->pipeline, mesh);
    const float* normals = limberi_pipeline_morphed_normals(c->pipeline, mesh);
    float* to = c->vertices + 6 * (size_t)mesh->first_vertex;
    for (size_t u = 0; u < mesh->vertex_count; u++, to += 6) {
        memcpy(to, positions + 3 * u, 3 * sizeof *to);
        memcpy(to + 3, normals + 3 * u, 3 * sizeof *to);
    }
}

static void point_floats(const limberi_gl* gl, GLuint place, GLint count, size_t stride, size_t offset) {
    gl->EnableVertexAttribArray(place);
    gl->VertexAttribPointer(place, count, GL_FLOAT, GL_FALSE, (GLsizei)stride, (const void*)(uintptr_t)offset);
}

static void point_joints(const limberi_gl* gl, const limberi_pack* pack) {
    size_t stride = limberi_pack_joint_bytes(pack);
    for (uint32_t i = 0; i < pack->influences / 4; i++) {
        gl->EnableVertexAttribArray(2 + 2 * i);
        gl->VertexAttribIPointer(2 + 2 * i, 4, GL_UNSIGNED_SHORT, (GLsizei)stride, (const void*)(uintptr_t)(8 * i));
        point_floats(gl, 3 + 2 * i, 4, stride, 2 * pack->influences + 16 * i);
    }
}

static void point_columns(const limberi_gl* gl, const limberi_pack* pack) {
    size_t stride = limberi_pack_column_bytes(pack);
    for (uint32_t first = 0; first < pack->column_count; first += 4) {
        uint32_t rest = pack->column_count - first;
        gl->EnableVertexAttribArray(6 + first / 4);
        gl->VertexAttribPointer(6 + first / 4, rest < 4 ? (GLint)rest : 4, GL_SHORT, GL_TRUE, (GLsizei)stride,
                                (const void*)(uintptr_t)(2 * first));
    }
}

static GLuint make_buffer(const limberi_gl* gl, size_t bytes, const void* data, GLenum use) {
    GLuint buffer = 0;
    gl->GenBuffers(1, &buffer);
    gl->BindBuffer(GL_ARRAY_BUFFER, buffer);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)bytes, data, use);
    return buffer;
}

static limber_result make_buffers(limberi_gpu_character* c, limber_error* error) {
    const limberi_gl* gl = &c->gpu->context.gl;
    const limberi_pack* pack = &c->pack;
    size_t vertices = pack->model->vertex_count, joint_bytes = vertices * limberi_pack_joint_bytes(pack);
    uint8_t* joints = malloc(joint_bytes ? joint_bytes : 1);
    if (!joints)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the shader's vertices");
    limberi_pack_joints(pack, joints);
    gl->GenVertexArrays(1, &c->vertex_array);
    gl->BindVertexArray(c->vertex_array);
    c->surface = make_buffer(gl, vertices * 24, c->vertices, GL_DYNAMIC_DRAW);
    point_floats(gl, 0, 3, 24, 0);
    point_floats(gl, 1, 3, 24, 12);
    c->joints = make_buffer(gl, joint_bytes, joints, GL_STATIC_DRAW);
    point_joints(gl, pack);
    c->columns = make_buffer(gl, vertices * limberi_pack_column_bytes(pack), NULL, GL_DYNAMIC_DRAW);
    point_columns(gl, pack);
    c->deformed = make_buffer(gl, vertices * 24, NULL, GL_STREAM_READ);
    gl->BindVertexArray(0);
    gl->BindBuffer(GL_ARRAY_BUFFER, 0);
    free(joints);
    return limberi_gl_check(gl, "keep the character's vertices", error);
}

static uint32_t texture_height(const limberi_pack* pack) {
    return (pack->texel_limit + LIMBERI_PACK_WIDTH - 1) / LIMBERI_PACK_WIDTH;
}

static limber_result make_texture(limberi_gpu_character* c, limber_error* error) {
    const limberi_gl* gl = &c->gpu->context.gl;
    GLint most = 0;
    gl->GetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
    if (texture_height(&c->pack) > (uint32_t)most)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "the joints need a texture of %u rows; the driver has %d",
                            texture_height(&c->pack), (int)most);
    gl->GenTextures(1, &c->texture);
    gl->BindTexture(GL_TEXTURE_2D, c->texture);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, LIMBERI_PACK_WIDTH, (GLsizei)texture_height(&c->pack), 0, GL_RGBA,
                   GL_FLOAT, NULL);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    gl->BindTexture(GL_TEXTURE_2D, 0);
    return limberi_gl_check(gl, "keep the character's joints", error);
}

static limber_result take_memory(limberi_gpu_character* c, limber_error* error) {
    const limber_model* model = c->pack.model;
    size_t texels = (size_t)texture_height(&c->pack) * LIMBERI_PACK_WIDTH;
    c->texels = calloc(texels, 4 * sizeof *c->texels);
    c->vertices = calloc((size_t)model->vertex_count + 1, 6 * sizeof *c->vertices);
    c->column_values = calloc((size_t)model->vertex_count + 1, limberi_pack_column_bytes(&c->pack) + 1);
    if (!c->texels || !c->vertices || !c->column_values)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the shader's data");
    for (uint32_t m = 0; m < model->mesh_count; m++)
        write_surface(c, &model->meshes[m]);
    return LIMBER_OK;
}

static limber_result make_character(limberi_gpu_character* c, limber_error* error) {
    limber_result result = limberi_context_use(&c->gpu->context, error);
    if (!result)
        result = limberi_pack_create(c->pipeline->asset, c->pipeline->deformer, c->pipeline->settings.skinning,
                                     &c->pack, error);
    c->pack.normals = (c->pipeline->outputs & LIMBER_OUTPUT_NORMALS) != 0;
    if (!result)
        result = take_memory(c, error);
    if (!result)
        result = find_program(c->gpu, &c->pack, &c->program, error);
    if (!result)
        result = make_buffers(c, error);
    return result ? result : make_texture(c, error);
}

limber_result limberi_gpu_character_create(limberi_gpu* gpu, limber_pipeline* pipeline,
                                           limberi_gpu_character** character, limber_error* error) {
    *character = NULL;
    limberi_gpu_character* made = calloc(1, sizeof *made);
    if (!made)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the shader's data");
    made->gpu = gpu;
    made->pipeline = pipeline;
    limber_result result = make_character(made, error);
    if (result) {
        limberi_gpu_character_destroy(made);
        return result;
    }
    *character = made;
    return LIMBER_OK;
}

void limberi_gpu_character_destroy(limberi_gpu_character* c) {
    if (!c)
        return;
    const limberi_gl* gl = &c->gpu->context.gl;
    if (limberi_context_use(&c->gpu->context, NULL) == LIMBER_OK) {
        const GLuint buffers[4] = {c->surface, c->joints, c->columns, c->deformed};
        gl->DeleteBuffers(4, buffers);
        gl->DeleteVertexArrays(1, &c->vertex_array);
        gl->DeleteTextures(1, &c->texture);
    }
    limberi_pack_destroy(&c->pack);
    free(c->texels);
    free(c->vertices);
    free(c->column_values);
    free(c);
}

// --- a frame ---

static void upload_surface(const limberi_gpu_character* c) {
    const limberi_gl* gl = &c->gpu->context.gl;
    const limber_model* model = c->pack.model;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        if (!mesh->morph_count)
            continue;
        write_surface(c, mesh);
        gl->BindBuffer(GL_ARRAY_BUFFER, c->surface);
        gl->BufferSubData(GL_ARRAY_BUFFER, (GLintptr)(24 * (size_t)mesh->first_vertex),
                          (GLsizeiptr)(24 * (size_t)mesh->vertex_count), c->vertices + 6 * (size_t)mesh->first_vertex);
    }
}

static void upload_columns(limberi_gpu_character* c, const limberi_pack_frame* frame) {
    const limberi_gl* gl = &c->gpu->context.gl;
    if (!c->pack.column_count || (c->columns_ready && !c->pack.columns_change))
        return;
    limberi_pack_columns(&c->pack, frame, c->column_values);
    gl->BindBuffer(GL_ARRAY_BUFFER, c->columns);
    gl->BufferSubData(GL_ARRAY_BUFFER, 0,
                      (GLsizeiptr)(c->pack.model->vertex_count * limberi_pack_column_bytes(&c->pack)),
                      c->column_values);
    c->columns_ready = true;
}

static void upload_texels(limberi_gpu_character* c, const limberi_pack_frame* frame) {
    const limberi_gl* gl = &c->gpu->context.gl;
    c->texel_count = limberi_pack_texels(&c->pack, frame, c->texels);
    gl->BindTexture(GL_TEXTURE_2D, c->texture);
    gl->TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, LIMBERI_PACK_WIDTH,
                      (GLsizei)((c->texel_count + LIMBERI_PACK_WIDTH - 1) / LIMBERI_PACK_WIDTH), GL_RGBA, GL_FLOAT,
                      c->texels);
}

static void draw(const limberi_gpu_character* c) {
    const limberi_gl* gl = &c->gpu->context.gl;
    gl->UseProgram(c->program);
    gl->Uniform1i(gl->GetUniformLocation(c->program, "limber_texture"), 0);
    gl->BindVertexArray(c->vertex_array);
    gl->Enable(GL_RASTERIZER_DISCARD);
    gl->BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, c->deformed);
    gl->BeginTransformFeedback(GL_POINTS);
    gl->DrawArrays(GL_POINTS, 0, (GLsizei)c->pack.model->vertex_count);
    gl->EndTransformFeedback();
    gl->BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
    gl->Disable(GL_RASTERIZER_DISCARD);
    gl->BindVertexArray(0);
}

limber_result limberi_gpu_character_run(limberi_gpu_character* c, limber_error* error) {
    const limberi_gl* gl = &c->gpu->context.gl;
    const limber_pipeline* p = c->pipeline;
    limber_deform_job job = limberi_pipeline_job(p);
    limberi_pack_frame frame = {&job, p->palettes, p->dualquats, p->model->morph_count ? p->morphed_positions : NULL};
    limber_result result = limberi_context_use(&c->gpu->context, error);
    if (result)
        return result;
    if (limberi_pack_begin(&c->pack, &frame))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT,
                            "the shader needs a pose, and one motion for effects with the same filters");
    gl->ActiveTexture(GL_TEXTURE0);
    upload_surface(c);
    upload_columns(c, &frame);
    upload_texels(c, &frame);
    draw(c);
    return limberi_gl_check(gl, "deform the character", error);
}

limber_result limberi_gpu_character_read(limberi_gpu_character* c, float* positions, float* normals,
                                         limber_error* error) {
    const limberi_gl* gl = &c->gpu->context.gl;
    size_t vertices = c->pack.model->vertex_count;
    limber_result result = limberi_context_use(&c->gpu->context, error);
    if (result || !vertices)
        return result;
    gl->BindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, c->deformed);
    const float* from =
        gl->MapBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, (GLsizeiptr)(24 * vertices), GL_MAP_READ_BIT);
    for (size_t u = 0; from && u < vertices; u++) {
        memcpy(positions + 3 * u, from + 6 * u, 3 * sizeof *positions);
        if (normals)
            memcpy(normals + 3 * u, from + 6 * u + 3, 3 * sizeof *normals);
    }
    if (from)
        gl->UnmapBuffer(GL_TRANSFORM_FEEDBACK_BUFFER);
    gl->BindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, 0);
    return limberi_gl_check(gl, "read the deformed character back", error);
}
