// Characters deformed by the graphics card: shaders/limber_deform.glsl, run by transform feedback or a compute shader
// and read back, or drawn straight away.
#include "render/gl/deform_gpu.h"
#include "base/error.h"
#include "pipeline/state.h"
#include "render/gl/deform_gpu_private.h"

#include <stdlib.h>
#include <string.h>

enum {
    GROUP = 128,                // vertices that the compute shaders take at once
    LONG_GROUP = 4,             // how often, where there are many
    MANY_VERTICES = 1 << 22,    // enough to keep any card busy
    MAX_SURFACES = 1 << 24,     // vertices that averaged normals have room for, 32 bytes each
    MAX_SHARED_BYTES = 1 << 15, // more would leave room for few groups
    MAX_CHARACTERS = 65535      // of one dispatch
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
    GLint major = 0;
    GLint minor = 0;
    gpu->context.gl.GetIntegerv(GL_MAJOR_VERSION, &major);
    gpu->context.gl.GetIntegerv(GL_MINOR_VERSION, &minor);
    if (major < 3 || (major == 3 && minor < 1))
        return;
    gpu->dispatch = (PFNGLDISPATCHCOMPUTEPROC)gpu->context.egl.GetProcAddress("glDispatchCompute");
    gpu->barrier = (PFNGLMEMORYBARRIERPROC)gpu->context.egl.GetProcAddress("glMemoryBarrier");
    GLint buffers = 0;
    GLint bytes = 0;
    gpu->context.gl.GetIntegerv(GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS, &buffers);
    gpu->context.gl.GetIntegerv(GL_MAX_COMPUTE_SHARED_MEMORY_SIZE, &bytes);
    gpu->redraws = buffers > 0;
    gpu->shared_texels = (uint32_t)(bytes < MAX_SHARED_BYTES ? bytes : MAX_SHARED_BYTES) / 16;
}

limber_result limberi_gpu_create(limberi_gpu** gpu, limber_error* error) {
    *gpu = NULL;
    limberi_gpu* made = calloc(1, sizeof *made);
    if (!made)
        return limberi_fail_memory(error);
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
    if (path != LIMBERI_GPU_COMPUTE && path != LIMBERI_GPU_REDRAW)
        return true;
    return gpu->dispatch && gpu->barrier && (path == LIMBERI_GPU_COMPUTE || gpu->redraws);
}

// --- a character ---

limberi_gpu_memory limberi_gpu_character_bytes(const limberi_gpu_character* c) {
    limberi_gpu_memory memory;
    memory.plain = 6 * sizeof(float) + c->layout.joint_bytes;
    memory.all = memory.plain + c->layout.column_bytes;
    return memory;
}

uint32_t limberi_gpu_character_texels(const limberi_gpu_character* c) {
    return c->texel_count;
}

static limber_result allocate_memory(limberi_gpu_character* c, limber_error* error) {
    const limber_model* model = c->model;
    c->texels = calloc(limberi_gpu_texture_height(c) * LIMBER_PACK_WIDTH, 4 * sizeof *c->texels);
    c->place_list = calloc(c->settings.instances, 4 * sizeof *c->place_list);
    c->vertices = calloc((size_t)model->vertex_count + 1, 6 * sizeof *c->vertices);
    c->column_values = calloc((size_t)model->vertex_count + 1, c->layout.column_bytes + 1);
    if (!c->texels || !c->place_list || !c->vertices || !c->column_values)
        return limberi_fail_memory(error);
    for (uint32_t m = 0; m < model->mesh_count; m++)
        limberi_gpu_write_surface(c, &model->meshes[m]);
    return LIMBER_OK;
}

static uint32_t portion_of(const limberi_gpu_character* c) {
    uint32_t max = c->averaged ? MAX_SURFACES / (c->model->vertex_count + 1) + 1 : MAX_CHARACTERS;
    max = max < MAX_CHARACTERS ? max : MAX_CHARACTERS;
    max = c->settings.portion && c->settings.portion < max ? c->settings.portion : max;
    return max < c->settings.instances ? max : c->settings.instances;
}

static limber_result make_character(limberi_gpu_character* c, limber_error* error) {
    limber_result result = limberi_context_use(&c->gpu->context, error);
    if (!result)
        result = limber_pack_create(c->pipeline, !c->settings.skinned_normals, &c->pack, error);
    if (!result)
        c->layout = limber_pack_get_layout(c->pack);
    c->averaged =
        !c->settings.skinned_normals && limberi_pipeline_state_of(c->pipeline).normals == LIMBER_NORMALS_AVERAGED;
    c->portion = portion_of(c);
    if (!result && c->settings.instances > 1 && (c->layout.columns_change || c->model->morph_count))
        result = limberi_fail(
            error, LIMBER_ERROR_UNSUPPORTED,
            "a crowd shares its vertices, so it cannot have morph targets or formulas per vertex and frame");
    if (!result)
        result = allocate_memory(c, error);
    if (!result)
        result = limberi_gpu_make_vertices(c, error);
    if (!result)
        result = limberi_gpu_make_texture(c, error);
    return result ? result : limberi_gpu_make_obeyed(c, error);
}

limber_result limberi_gpu_character_create(limberi_gpu* gpu, limber_pipeline* pipeline,
                                           const limberi_gpu_settings* settings, limberi_gpu_character** character,
                                           limber_error* error) {
    static const limberi_gpu_settings single = {.instances = 1};
    *character = NULL;
    if (settings && !settings->instances)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "a crowd needs at least one character");
    limberi_gpu_character* made = calloc(1, sizeof *made);
    if (!made)
        return limberi_fail_memory(error);
    made->gpu = gpu;
    made->pipeline = pipeline;
    made->model = limber_asset_model(limber_pipeline_asset(pipeline));
    made->settings = settings ? *settings : single;
    made->used = made->settings.instances;
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
    if (limberi_context_use(&c->gpu->context, NULL) == LIMBER_OK)
        limberi_gpu_delete_buffers(c);
    limber_pack_destroy(c->pack);
    free(c->texels);
    free(c->place_list);
    free(c->vertices);
    free(c->column_values);
    free(c);
}

// --- a frame ---

limber_result limberi_gpu_character_pose(limberi_gpu_character* c, uint32_t instance, limber_error* error) {
    limber_result result = limberi_context_use(&c->gpu->context, error);
    if (result)
        return result;
    if (instance >= c->settings.instances)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "character %u of a crowd of %u", instance,
                            c->settings.instances);
    float* texels = c->texels + 4 * (size_t)instance * c->layout.max_texels;
    result = limber_pack_evaluate(c->pack, texels, &c->texel_count, limberi_gpu_wanted_columns(c), error);
    if (result)
        return result;
    limberi_gpu_upload_surface(c);
    limberi_gpu_upload_columns(c);
    c->posed = false;
    return LIMBER_OK;
}

float* limberi_gpu_character_room(limberi_gpu_character* c, uint32_t instance) {
    c->posed = false;
    return c->texels + 4 * (size_t)instance * c->layout.max_texels;
}

void limberi_gpu_character_use(limberi_gpu_character* c, uint32_t instances) {
    c->used = instances < c->settings.instances ? instances : c->settings.instances;
    c->posed = false;
}

void limberi_gpu_character_place(limberi_gpu_character* c, uint32_t instance, const float place[4]) {
    memcpy(c->place_list + 4 * (size_t)instance, place, 4 * sizeof *place);
    c->placed = false;
}

void limberi_gpu_character_camera(limberi_gpu_character* c, const limberi_gpu_camera* camera) {
    c->camera = *camera;
}

// A name the program does not have is ignored by GL.
static void set_int(const limberi_gl* gl, GLuint program, const char* name, int value) {
    gl->Uniform1i(gl->GetUniformLocation(program, name), value);
}

// The style's defines, and what the compute shader does in its own way.
static void write_compute_defines(const limberi_gpu_character* c, const char* defines, char* text, size_t size) {
    char shared[64] = "";
    if (c->layout.max_texels <= c->gpu->shared_texels)
        limberi_format(shared, sizeof shared, "#define LIMBER_SHARED_TEXELS %u\n", c->layout.max_texels);
    limberi_format(text, size, "%s%s%s", shared, defines,
                   c->averaged ? "#undef LIMBER_NORMALS\n#define LIMBER_NORMALS 0\n#define LIMBER_AVERAGED 1\n" : "");
}

static limber_result use_program(limberi_gpu_character* c, limberi_gpu_path path, GLuint* program,
                                 limber_error* error) {
    const limberi_gl* gl = &c->gpu->context.gl;
    const char* defines = c->settings.dynamic ? limber_pack_dynamic_defines(c->pack) : limber_pack_defines(c->pack);
    char compute_defines[LIMBERI_DEFINES_SIZE];
    if (path == LIMBERI_GPU_COMPUTE) {
        write_compute_defines(c, defines, compute_defines, sizeof compute_defines);
        defines = compute_defines;
    }
    limber_result result = limberi_deform_program_find(gl, &c->gpu->programs, path, defines, program, error);
    if (result)
        return result;
    gl->UseProgram(*program);
    set_int(gl, *program, "limber_texture", 0);
    set_int(gl, *program, "limber_obeyed", 1);
    set_int(gl, *program, "character_texels", (int)c->layout.max_texels);
    set_int(gl, *program, "vertex_count", (int)c->model->vertex_count);
    set_int(gl, *program, "column_stride", (int)(c->layout.column_bytes / 4));
    GLint settings[LIMBER_PACK_SETTINGS];
    limber_pack_write_settings(c->pack, settings);
    if (c->settings.dynamic)
        gl->Uniform1iv(gl->GetUniformLocation(*program, "limber_settings"), LIMBER_PACK_SETTINGS, settings);
    return LIMBER_OK;
}

static void run_feedback(const limberi_gpu_character* c) {
    const limberi_gl* gl = &c->gpu->context.gl;
    gl->BindFramebuffer(GL_FRAMEBUFFER, c->gpu->frame); // the caller's may be gone
    gl->BindVertexArray(c->vertex_array);
    gl->Enable(GL_RASTERIZER_DISCARD);
    gl->BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, c->deformed);
    gl->BeginTransformFeedback(GL_POINTS);
    gl->DrawArraysInstanced(GL_POINTS, 0, (GLsizei)c->model->vertex_count, (GLsizei)c->used);
    gl->EndTransformFeedback();
    gl->BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
    gl->Disable(GL_RASTERIZER_DISCARD);
    gl->BindVertexArray(0);
}

// Groups of a character: fewer and longer ones where there are enough of them, since each copies its texels.
static GLuint groups_of(const limberi_gpu_character* c, uint32_t characters) {
    uint32_t groups = (c->model->vertex_count + GROUP - 1) / GROUP;
    bool many = (uint64_t)c->model->vertex_count * characters >= MANY_VERTICES;
    return many ? (groups + LONG_GROUP - 1) / LONG_GROUP : groups;
}

static limber_result average_normals(limberi_gpu_character* c, uint32_t first, uint32_t count, limber_error* error) {
    const limberi_gl* gl = &c->gpu->context.gl;
    GLuint program = 0;
    limber_result result = limberi_deform_program_find(gl, &c->gpu->programs, LIMBERI_GPU_NORMALS, "", &program, error);
    if (result)
        return result;
    gl->UseProgram(program);
    set_int(gl, program, "vertex_count", (int)c->model->vertex_count);
    set_int(gl, program, "first_character", (int)first);
    set_int(gl, program, "skinned_first", (int)(c->model->vertex_count * c->portion));
    c->gpu->barrier(GL_SHADER_STORAGE_BARRIER_BIT);
    c->gpu->dispatch((c->model->vertex_count + GROUP - 1) / GROUP, count, 1);
    c->gpu->barrier(GL_SHADER_STORAGE_BARRIER_BIT);
    return LIMBER_OK;
}

// Portion by portion of a crowd: what averaged normals need in between stays small.
static limber_result run_compute(limberi_gpu_character* c, GLuint program, limber_error* error) {
    enum { BUFFERS = 6 };
    const limberi_gl* gl = &c->gpu->context.gl;
    const GLuint buffers[BUFFERS] = {c->surface, c->joints, c->columns, c->deformed, c->surfaces, c->rings};
    limber_result result = LIMBER_OK;
    for (GLuint i = 0; i < BUFFERS; i++)
        gl->BindBufferBase(GL_SHADER_STORAGE_BUFFER, i, buffers[i]);
    for (uint32_t first = 0; !result && first < c->used; first += c->portion) {
        uint32_t count = c->used - first < c->portion ? c->used - first : c->portion;
        gl->UseProgram(program);
        set_int(gl, program, "first_character", (int)first);
        set_int(gl, program, "skinned_first", (int)(c->model->vertex_count * c->portion));
        c->gpu->dispatch(groups_of(c, count), count, 1);
        if (c->averaged)
            result = average_normals(c, first, count, error);
    }
    c->gpu->barrier(GL_BUFFER_UPDATE_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT);
    return result;
}

static limber_result prepare_path(limberi_gpu_character* c, limberi_gpu_path path, limber_error* error) {
    bool draws = path == LIMBERI_GPU_DRAW || path == LIMBERI_GPU_REDRAW;
    if (path == LIMBERI_GPU_REDRAW && !c->deformed)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "there is nothing to draw again");
    limber_result result = draws ? limberi_gpu_make_drawing(c, error) : limberi_gpu_make_deformed(c, error);
    if (!result && path == LIMBERI_GPU_COMPUTE && c->averaged)
        result = limberi_gpu_make_averaging(c, error);
    return result;
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
    gl->DrawElementsInstanced(GL_TRIANGLES, (GLsizei)(3 * c->model->triangle_count), GL_UNSIGNED_INT, NULL,
                              (GLsizei)c->used);
    gl->BindVertexArray(0);
}

limber_result limberi_gpu_character_run(limberi_gpu_character* c, limberi_gpu_path path, limber_error* error) {
    const limberi_gl* gl = &c->gpu->context.gl;
    GLuint program = 0;
    if (!limberi_gpu_can(c->gpu, path))
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "the driver has no compute shaders%s",
                            path == LIMBERI_GPU_REDRAW ? " whose results vertex shaders can read" : "");
    limber_result result = limberi_context_use(&c->gpu->context, error);
    if (!result)
        result = prepare_path(c, path, error);
    if (!result)
        result = use_program(c, path, &program, error);
    if (result)
        return result;
    limberi_gpu_upload_texels(c);
    if (path == LIMBERI_GPU_REDRAW)
        gl->BindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, c->deformed);
    if (path == LIMBERI_GPU_DRAW || path == LIMBERI_GPU_REDRAW)
        run_draw(c, program);
    else if (path == LIMBERI_GPU_COMPUTE)
        result = run_compute(c, program, error);
    else
        run_feedback(c);
    return result ? result : limberi_gl_check(gl, "deform the character", error);
}

limber_result limberi_gpu_character_read(limberi_gpu_character* c, uint32_t instance, float* positions, float* normals,
                                         limber_error* error) {
    const limberi_gl* gl = &c->gpu->context.gl;
    size_t vertices = c->model->vertex_count;
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
