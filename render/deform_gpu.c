#include "render/deform_gpu.h"
#include "base/error.h"
#include "pipeline/parts.h"

#include <GLES3/gl31.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct limberi_gpu {
    limberi_context context;
    limberi_deform_program* programs;
    GLuint frame, pixel;               // draw calls need somewhere to draw to, even when nothing is drawn
    PFNGLDISPATCHCOMPUTEPROC dispatch; // NULL: no compute shaders
    PFNGLMEMORYBARRIERPROC barrier;
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

// WebGL2 has no compute shaders, so nothing depends on them.
static void find_compute(limberi_gpu* gpu) {
    GLint major = 0, minor = 0;
    gpu->context.gl.GetIntegerv(GL_MAJOR_VERSION, &major);
    gpu->context.gl.GetIntegerv(GL_MINOR_VERSION, &minor);
    if (major < 3 || (major == 3 && minor < 1))
        return;
    gpu->dispatch = (PFNGLDISPATCHCOMPUTEPROC)gpu->context.egl.GetProcAddress("glDispatchCompute");
    gpu->barrier = (PFNGLMEMORYBARRIERPROC)gpu->context.egl.GetProcAddress("glMemoryBarrier");
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
    find_compute(made);
    *gpu = made;
    return LIMBER_OK;
}

void limberi_gpu_destroy(limberi_gpu* gpu) {
    if (!gpu)
        return;
    bool current = gpu->context.context != EGL_NO_CONTEXT && limberi_context_use(&gpu->context, NULL) == LIMBER_OK;
    limberi_deform_programs_destroy(current ? &gpu->context.gl : NULL, gpu->programs);
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

const limberi_context* limberi_gpu_context(const limberi_gpu* gpu) {
    return &gpu->context;
}

bool limberi_gpu_can(const limberi_gpu* gpu, limberi_gpu_path path) {
    return path != LIMBERI_GPU_COMPUTE || (gpu->dispatch && gpu->barrier);
}

// --- a character ---

enum { BUFFERS = 7 };

struct limberi_gpu_character {
    limberi_gpu* gpu;
    limber_pipeline* pipeline;
    limberi_gpu_settings settings;
    limberi_pack pack;
    GLuint vertex_array, texture;
    GLuint surface, joints, columns, deformed; // buffers; the last is made when something is to be read back
    GLuint triangles, places, colors;          // for drawing
    limberi_gpu_camera camera;
    float* texels;     // [instance][texel_limit][4]
    float* place_list; // [instance][4]
    float* vertices;   // [vertex][6] positions and normals, mesh space
    int16_t* column_values;
    bool columns_ready, posed, placed; // columns, texels, places as they are on the card
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

// Two for the whole of a drawing: places of characters, colours of vertices.
static void point_drawing(const limberi_gpu_character* c) {
    const limberi_gl* gl = &c->gpu->context.gl;
    gl->BindBuffer(GL_ARRAY_BUFFER, c->places);
    point_floats(gl, 10, 4, 16, 0);
    gl->VertexAttribDivisor(10, 1);
    gl->BindBuffer(GL_ARRAY_BUFFER, c->colors);
    gl->EnableVertexAttribArray(11);
    gl->VertexAttribPointer(11, 4, GL_UNSIGNED_BYTE, GL_TRUE, 4, (const void*)0);
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

static GLuint make_buffer(const limberi_gl* gl, GLenum kind, size_t bytes, const void* data, GLenum use) {
    GLuint buffer = 0;
    gl->GenBuffers(1, &buffer);
    gl->BindBuffer(kind, buffer);
    gl->BufferData(kind, (GLsizeiptr)bytes, data, use);
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
    c->surface = make_buffer(gl, GL_ARRAY_BUFFER, vertices * 24, c->vertices, GL_DYNAMIC_DRAW);
    point_floats(gl, 0, 3, 24, 0);
    point_floats(gl, 1, 3, 24, 12);
    c->joints = make_buffer(gl, GL_ARRAY_BUFFER, joint_bytes, joints, GL_STATIC_DRAW);
    point_joints(gl, pack);
    c->columns = make_buffer(gl, GL_ARRAY_BUFFER, vertices * limberi_pack_column_bytes(pack), NULL, GL_DYNAMIC_DRAW);
    point_columns(gl, pack);
    gl->BindVertexArray(0);
    gl->BindBuffer(GL_ARRAY_BUFFER, 0);
    free(joints);
    return limberi_gl_check(gl, "keep the character's vertices", error);
}

static uint8_t byte_of(float value) {
    return (uint8_t)lrintf(255 * fmaxf(0, fminf(value, 1)));
}

// Vertex colours times the material's; pictures on the surface are left out.
static void write_colors(const limber_model* model, const limber_mesh* mesh, uint8_t* out) {
    for (uint32_t i = 0; i < mesh->part_count; i++) {
        const limber_part* part = &mesh->parts[i];
        const limber_material* material = part->material < 0 ? NULL : &model->materials[part->material];
        for (uint32_t u = part->first_vertex; u < part->first_vertex + part->vertex_count; u++)
            for (uint32_t k = 0; k < 4; k++) {
                float base = material ? material->base_color[k] : 0.8f;
                out[4 * (size_t)u + k] = byte_of(base * (mesh->colors ? mesh->colors[4 * (size_t)u + k] : 1));
            }
    }
}

static void write_triangles(const limber_mesh* mesh, uint32_t* out) {
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
        out[i] = mesh->first_vertex + mesh->triangles[i];
}

// Made when something is drawn for the first time.
static limber_result make_drawing(limberi_gpu_character* c, limber_error* error) {
    const limberi_gl* gl = &c->gpu->context.gl;
    const limber_model* model = c->pack.model;
    if (c->triangles)
        return LIMBER_OK;
    uint32_t* triangles = calloc(3 * (size_t)model->triangle_count + 1, sizeof *triangles);
    uint8_t* colors = calloc((size_t)model->vertex_count + 1, 4);
    size_t first = 0;
    for (uint32_t m = 0; triangles && colors && m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        memset(colors + 4 * (size_t)mesh->first_vertex, 204, 4 * (size_t)mesh->vertex_count);
        write_colors(model, mesh, colors + 4 * (size_t)mesh->first_vertex);
        write_triangles(mesh, triangles + first);
        first += 3 * (size_t)mesh->triangle_count;
    }
    bool memory = triangles && colors;
    if (memory) {
        gl->BindVertexArray(c->vertex_array);
        c->triangles = make_buffer(gl, GL_ELEMENT_ARRAY_BUFFER, first * sizeof *triangles, triangles, GL_STATIC_DRAW);
        c->colors = make_buffer(gl, GL_ARRAY_BUFFER, 4 * (size_t)model->vertex_count, colors, GL_STATIC_DRAW);
        c->places = make_buffer(gl, GL_ARRAY_BUFFER, 16 * (size_t)c->settings.instances, NULL, GL_DYNAMIC_DRAW);
        point_drawing(c);
        gl->BindVertexArray(0);
    }
    free(triangles);
    free(colors);
    return memory ? limberi_gl_check(gl, "keep the character's triangles", error)
                  : limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the character's triangles");
}

static limber_result make_deformed(limberi_gpu_character* c, limber_error* error) {
    const limberi_gl* gl = &c->gpu->context.gl;
    size_t vertices = (size_t)c->pack.model->vertex_count * c->settings.instances;
    if (!c->deformed)
        c->deformed = make_buffer(gl, GL_ARRAY_BUFFER, vertices * 24, NULL, GL_STREAM_READ);
    return limberi_gl_check(gl, "make room for the deformed vertices", error);
}

static size_t texture_height(const limberi_gpu_character* c) {
    return ((size_t)c->pack.texel_limit * c->settings.instances + LIMBERI_PACK_WIDTH - 1) / LIMBERI_PACK_WIDTH;
}

static limber_result make_texture(limberi_gpu_character* c, limber_error* error) {
    const limberi_gl* gl = &c->gpu->context.gl;
    GLint most = 0;
    gl->GetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
    if (texture_height(c) > (size_t)most)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "the joints need a texture of %zu rows; the driver has %d",
                            texture_height(c), (int)most);
    gl->GenTextures(1, &c->texture);
    gl->BindTexture(GL_TEXTURE_2D, c->texture);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, LIMBERI_PACK_WIDTH, (GLsizei)texture_height(c), 0, GL_RGBA, GL_FLOAT,
                   NULL);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    gl->BindTexture(GL_TEXTURE_2D, 0);
    return limberi_gl_check(gl, "keep the character's joints", error);
}

static limber_result take_memory(limberi_gpu_character* c, limber_error* error) {
    const limber_model* model = c->pack.model;
    c->texels = calloc(texture_height(c) * LIMBERI_PACK_WIDTH, 4 * sizeof *c->texels);
    c->place_list = calloc(c->settings.instances, 4 * sizeof *c->place_list);
    c->vertices = calloc((size_t)model->vertex_count + 1, 6 * sizeof *c->vertices);
    c->column_values = calloc((size_t)model->vertex_count + 1, limberi_pack_column_bytes(&c->pack) + 1);
    if (!c->texels || !c->place_list || !c->vertices || !c->column_values)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the shader's data");
    for (uint32_t m = 0; m < model->mesh_count; m++)
        write_surface(c, &model->meshes[m]);
    return LIMBER_OK;
}

static limber_result make_character(limberi_gpu_character* c, limber_error* error) {
    limberi_pipeline_parts parts = limberi_pipeline_parts_of(c->pipeline);
    limber_result result = limberi_context_use(&c->gpu->context, error);
    if (!result)
        result = limberi_pack_create(parts.asset, parts.deformer, parts.skinning, &c->pack, error);
    c->pack.normals = (parts.outputs & LIMBER_OUTPUT_NORMALS) != 0;
    if (!result && c->settings.instances > 1 && (c->pack.columns_change || c->pack.model->morph_count))
        result = limberi_fail(error, LIMBER_ERROR_UNSUPPORTED,
                              "a crowd shares its vertices: no morph targets, no formulas that change them");
    if (!result)
        result = take_memory(c, error);
    if (!result)
        result = make_buffers(c, error);
    return result ? result : make_texture(c, error);
}

limber_result limberi_gpu_character_create(limberi_gpu* gpu, limber_pipeline* pipeline,
                                           const limberi_gpu_settings* settings, limberi_gpu_character** character,
                                           limber_error* error) {
    static const limberi_gpu_settings standard = {.instances = 1};
    *character = NULL;
    if (settings && !settings->instances)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "a crowd of nobody");
    limberi_gpu_character* made = calloc(1, sizeof *made);
    if (!made)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the shader's data");
    made->gpu = gpu;
    made->pipeline = pipeline;
    made->settings = settings ? *settings : standard;
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
        const GLuint buffers[BUFFERS] = {c->surface,   c->joints, c->columns, c->deformed,
                                         c->triangles, c->places, c->colors};
        gl->DeleteBuffers(BUFFERS, buffers);
        gl->DeleteVertexArrays(1, &c->vertex_array);
        gl->DeleteTextures(1, &c->texture);
    }
    limberi_pack_destroy(&c->pack);
    free(c->texels);
    free(c->place_list);
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

limber_result limberi_gpu_character_pose(limberi_gpu_character* c, uint32_t instance, limber_error* error) {
    limberi_pipeline_parts parts = limberi_pipeline_parts_of(c->pipeline);
    limber_deform_job job = limberi_pipeline_job(c->pipeline);
    limberi_pack_frame frame = {&job, parts.palettes, parts.dualquats, parts.morphed_positions};
    limber_result result = limberi_context_use(&c->gpu->context, error);
    if (result)
        return result;
    if (instance >= c->settings.instances || limberi_pack_begin(&c->pack, &frame))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT,
                            "the shader needs a pose, and one motion for effects with the same filters");
    upload_surface(c);
    upload_columns(c, &frame);
    float* texels = c->texels + 4 * (size_t)instance * c->pack.texel_limit;
    c->texel_count = limberi_pack_texels(&c->pack, &frame, texels);
    c->posed = false;
    return LIMBER_OK;
}

void limberi_gpu_character_place(limberi_gpu_character* c, uint32_t instance, const float place[4]) {
    memcpy(c->place_list + 4 * (size_t)instance, place, 4 * sizeof *place);
    c->placed = false;
}

void limberi_gpu_character_camera(limberi_gpu_character* c, const limberi_gpu_camera* camera) {
    c->camera = *camera;
}

// Of a lone character only what the frame has; of a crowd everything at once.
static void upload_texels(limberi_gpu_character* c) {
    const limberi_gl* gl = &c->gpu->context.gl;
    size_t count = c->settings.instances > 1 ? (size_t)c->settings.instances * c->pack.texel_limit : c->texel_count;
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(GL_TEXTURE_2D, c->texture);
    if (!c->posed)
        gl->TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, LIMBERI_PACK_WIDTH,
                          (GLsizei)((count + LIMBERI_PACK_WIDTH - 1) / LIMBERI_PACK_WIDTH), GL_RGBA, GL_FLOAT,
                          c->texels);
    c->posed = true;
}

// A name the program does not have is ignored by GL.
static void set_int(const limberi_gl* gl, GLuint program, const char* name, int value) {
    gl->Uniform1i(gl->GetUniformLocation(program, name), value);
}

static limber_result use_program(limberi_gpu_character* c, limberi_gpu_path path, GLuint* program,
                                 limber_error* error) {
    const limberi_gl* gl = &c->gpu->context.gl;
    const limberi_pack* pack = &c->pack;
    char defines[LIMBERI_PACK_DEFINES_SIZE];
    limberi_pack_defines(pack, defines);
    if (c->settings.dynamic)
        limberi_pack_dynamic_defines(pack, defines);
    limber_result result = limberi_deform_program_find(gl, &c->gpu->programs, path, defines, program, error);
    if (result)
        return result;
    gl->UseProgram(*program);
    set_int(gl, *program, "limber_texture", 0);
    set_int(gl, *program, "character_texels", (int)pack->texel_limit);
    set_int(gl, *program, "vertex_count", (int)pack->model->vertex_count);
    set_int(gl, *program, "column_stride", (int)(limberi_pack_column_bytes(pack) / 4));
    GLint settings[LIMBERI_PACK_SETTINGS];
    limberi_pack_settings(pack, settings);
    if (c->settings.dynamic)
        gl->Uniform1iv(gl->GetUniformLocation(*program, "limber_settings"), LIMBERI_PACK_SETTINGS, settings);
    return LIMBER_OK;
}

static void run_feedback(const limberi_gpu_character* c) {
    const limberi_gl* gl = &c->gpu->context.gl;
    gl->BindVertexArray(c->vertex_array);
    gl->Enable(GL_RASTERIZER_DISCARD);
    gl->BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, c->deformed);
    gl->BeginTransformFeedback(GL_POINTS);
    gl->DrawArraysInstanced(GL_POINTS, 0, (GLsizei)c->pack.model->vertex_count, (GLsizei)c->settings.instances);
    gl->EndTransformFeedback();
    gl->BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
    gl->Disable(GL_RASTERIZER_DISCARD);
    gl->BindVertexArray(0);
}

static void run_compute(const limberi_gpu_character* c) {
    const limberi_gl* gl = &c->gpu->context.gl;
    const GLuint buffers[4] = {c->surface, c->joints, c->columns, c->deformed};
    for (GLuint i = 0; i < 4; i++)
        gl->BindBufferBase(GL_SHADER_STORAGE_BUFFER, i, buffers[i]);
    c->gpu->dispatch((c->pack.model->vertex_count + 63) / 64, c->settings.instances, 1);
    c->gpu->barrier(GL_BUFFER_UPDATE_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT);
}

static void run_draw(limberi_gpu_character* c, GLuint program) {
    const limberi_gl* gl = &c->gpu->context.gl;
    const limberi_gpu_camera* camera = &c->camera;
    if (!c->placed) {
        gl->BindBuffer(GL_ARRAY_BUFFER, c->places);
        gl->BufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)(16 * (size_t)c->settings.instances), c->place_list);
        c->placed = true;
    }
    gl->UniformMatrix4fv(gl->GetUniformLocation(program, "clip_from_world"), 1, GL_FALSE, camera->clip_from_world);
    gl->Uniform3fv(gl->GetUniformLocation(program, "eye"), 1, camera->eye);
    gl->Uniform3fv(gl->GetUniformLocation(program, "haze"), 1, camera->haze);
    gl->Uniform1f(gl->GetUniformLocation(program, "haze_per_distance"), camera->haze_per_distance);
    gl->BindVertexArray(c->vertex_array);
    gl->DrawElementsInstanced(GL_TRIANGLES, (GLsizei)(3 * c->pack.model->triangle_count), GL_UNSIGNED_INT, NULL,
                              (GLsizei)c->settings.instances);
    gl->BindVertexArray(0);
}

limber_result limberi_gpu_character_run(limberi_gpu_character* c, limberi_gpu_path path, limber_error* error) {
    GLuint program = 0;
    if (!limberi_gpu_can(c->gpu, path))
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "the driver has no compute shaders");
    limber_result result = limberi_context_use(&c->gpu->context, error);
    if (!result)
        result = path == LIMBERI_GPU_DRAW ? make_drawing(c, error) : make_deformed(c, error);
    if (!result)
        result = use_program(c, path, &program, error);
    if (result)
        return result;
    upload_texels(c);
    if (path == LIMBERI_GPU_DRAW)
        run_draw(c, program);
    else if (path == LIMBERI_GPU_COMPUTE)
        run_compute(c);
    else
        run_feedback(c);
    return limberi_gl_check(&c->gpu->context.gl, "deform the character", error);
}

limber_result limberi_gpu_character_read(limberi_gpu_character* c, uint32_t instance, float* positions, float* normals,
                                         limber_error* error) {
    const limberi_gl* gl = &c->gpu->context.gl;
    size_t vertices = c->pack.model->vertex_count;
    limber_result result = limberi_context_use(&c->gpu->context, error);
    if (result || !vertices)
        return result;
    if (instance >= c->settings.instances || !c->deformed)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "there is nothing to read back");
    gl->BindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, c->deformed);
    const float* from = gl->MapBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, (GLintptr)(24 * vertices * instance),
                                           (GLsizeiptr)(24 * vertices), GL_MAP_READ_BIT);
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
