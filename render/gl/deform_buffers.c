// What a character has on the graphics card: buffers, the arrays that point into them, a texture.
#include "base/error.h"
#include "render/gl/deform_gpu_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Positions and normals next to each other, those of one mesh.
void limberi_gpu_write_surface(const limberi_gpu_character* c, const limber_mesh* mesh) {
    const float *positions, *normals;
    limber_pack_surface(c->pack, (uint32_t)(mesh - c->model->meshes), &positions, &normals);
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

static void point_joints(const limberi_gl* gl, const limber_pack_layout* layout) {
    size_t stride = layout->joint_bytes;
    for (uint32_t i = 0; i < layout->influences / 4; i++) {
        gl->EnableVertexAttribArray(2 + 2 * i);
        gl->VertexAttribIPointer(2 + 2 * i, 4, GL_UNSIGNED_SHORT, (GLsizei)stride, (const void*)(uintptr_t)(8 * i));
        point_floats(gl, 3 + 2 * i, 4, stride, 2 * layout->influences + 16 * i);
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

static void point_columns(const limberi_gl* gl, const limber_pack_layout* layout) {
    size_t stride = layout->column_bytes;
    for (uint32_t first = 0; first < layout->column_count; first += 4) {
        uint32_t rest = layout->column_count - first;
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

limber_result limberi_gpu_make_vertices(limberi_gpu_character* c, limber_error* error) {
    const limberi_gl* gl = &c->gpu->context.gl;
    size_t vertices = c->model->vertex_count;
    size_t joint_bytes = vertices * c->layout.joint_bytes;
    uint8_t* joints = malloc(joint_bytes ? joint_bytes : 1);
    if (!joints)
        return limberi_fail_memory(error);
    limber_pack_write_joints(c->pack, joints);
    gl->GenVertexArrays(1, &c->vertex_array);
    gl->BindVertexArray(c->vertex_array);
    c->surface = make_buffer(gl, GL_ARRAY_BUFFER, vertices * 24, c->vertices, GL_DYNAMIC_DRAW);
    point_floats(gl, 0, 3, 24, 0);
    point_floats(gl, 1, 3, 24, 12);
    c->joints = make_buffer(gl, GL_ARRAY_BUFFER, joint_bytes, joints, GL_STATIC_DRAW);
    point_joints(gl, &c->layout);
    c->columns = make_buffer(gl, GL_ARRAY_BUFFER, vertices * c->layout.column_bytes, NULL, GL_DYNAMIC_DRAW);
    point_columns(gl, &c->layout);
    gl->BindVertexArray(0);
    gl->BindBuffer(GL_ARRAY_BUFFER, 0);
    free(joints);
    return limberi_gl_check(gl, "keep the character's vertices", error);
}

// Vertex colours times the material's; pictures on the surface are left out.
static void write_colors(const limber_model* model, const limber_mesh* mesh, uint8_t* out) {
    for (uint32_t i = 0; i < mesh->part_count; i++) {
        const limber_part* part = &mesh->parts[i];
        const limber_material* material = part->material < 0 ? NULL : &model->materials[part->material];
        for (uint32_t u = part->first_vertex; u < part->first_vertex + part->vertex_count; u++)
            for (uint32_t k = 0; k < 4; k++) {
                float base = material ? material->base_color[k] : 0.8f;
                out[4 * (size_t)u + k] = (uint8_t)lrintf(
                    255 * fmaxf(0, fminf(base * (mesh->colors ? mesh->colors[4 * (size_t)u + k] : 1), 1)));
            }
    }
}

// Made when something is drawn for the first time.
limber_result limberi_gpu_make_drawing(limberi_gpu_character* c, limber_error* error) {
    const limberi_gl* gl = &c->gpu->context.gl;
    const limber_model* model = c->model;
    if (c->triangles)
        return LIMBER_OK;
    uint32_t* triangles = calloc(3 * (size_t)model->triangle_count + 1, sizeof *triangles);
    uint8_t* colors = calloc((size_t)model->vertex_count + 1, 4);
    size_t first = 0;
    for (uint32_t m = 0; triangles && colors && m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        memset(colors + 4 * (size_t)mesh->first_vertex, 204, 4 * (size_t)mesh->vertex_count);
        write_colors(model, mesh, colors + 4 * (size_t)mesh->first_vertex);
        for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
            triangles[first++] = mesh->first_vertex + mesh->triangles[i];
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
    return memory ? limberi_gl_check(gl, "keep the character's triangles", error) : limberi_fail_memory(error);
}

limber_result limberi_gpu_make_deformed(limberi_gpu_character* c, limber_error* error) {
    const limberi_gl* gl = &c->gpu->context.gl;
    size_t vertices = (size_t)c->model->vertex_count * c->settings.instances;
    if (!c->deformed)
        c->deformed = make_buffer(gl, GL_ARRAY_BUFFER, vertices * 24, NULL, GL_STREAM_READ);
    return limberi_gl_check(gl, "make room for the deformed vertices", error);
}

limber_result limberi_gpu_make_averaging(limberi_gpu_character* c, limber_error* error) {
    const limberi_gl* gl = &c->gpu->context.gl;
    const uint32_t* rings;
    size_t words;
    if (c->rings)
        return LIMBER_OK;
    limber_result result = limber_pack_rings(c->pack, &rings, &words, error);
    if (result)
        return result;
    c->rings = make_buffer(gl, GL_ARRAY_BUFFER, words * sizeof *rings, rings, GL_STATIC_DRAW);
    c->surfaces =
        make_buffer(gl, GL_ARRAY_BUFFER, 32 * (size_t)c->model->vertex_count * c->portion, NULL, GL_STREAM_COPY);
    return limberi_gl_check(gl, "make room for averaged normals", error);
}

size_t limberi_gpu_texture_height(const limberi_gpu_character* c) {
    return ((size_t)c->layout.max_texels * c->settings.instances + LIMBER_PACK_WIDTH - 1) / LIMBER_PACK_WIDTH;
}

static limber_result make_texture(const limberi_gl* gl, const char* what, size_t rows, const float* texels,
                                  GLuint* texture, limber_error* error) {
    GLint max = 0;
    gl->GetIntegerv(GL_MAX_TEXTURE_SIZE, &max);
    if (rows > (size_t)max)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "%s need a texture of %zu rows (the driver's max is %d)", what,
                            rows, (int)max);
    gl->GenTextures(1, texture);
    gl->BindTexture(GL_TEXTURE_2D, *texture);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, LIMBER_PACK_WIDTH, (GLsizei)rows, 0, GL_RGBA, GL_FLOAT, texels);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    gl->BindTexture(GL_TEXTURE_2D, 0);
    return limberi_gl_check(gl, "keep the character's joints", error);
}

limber_result limberi_gpu_make_texture(limberi_gpu_character* c, limber_error* error) {
    return make_texture(&c->gpu->context.gl, "the joints", limberi_gpu_texture_height(c), NULL, &c->texture, error);
}

limber_result limberi_gpu_make_obeyed(limberi_gpu_character* c, limber_error* error) {
    size_t rows = (c->layout.obeyed_texels + (size_t)LIMBER_PACK_WIDTH - 1) / LIMBER_PACK_WIDTH;
    if (!rows)
        return LIMBER_OK;
    float* texels = calloc(rows * LIMBER_PACK_WIDTH, 4 * sizeof *texels);
    if (!texels)
        return limberi_fail_memory(error);
    limber_pack_write_obeyed(c->pack, texels);
    limber_result result = make_texture(&c->gpu->context.gl, "the colliders", rows, texels, &c->obeyed, error);
    free(texels);
    return result;
}

void limberi_gpu_upload_surface(const limberi_gpu_character* c) {
    const limberi_gl* gl = &c->gpu->context.gl;
    const limber_model* model = c->model;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        if (!mesh->morph_count)
            continue;
        limberi_gpu_write_surface(c, mesh);
        gl->BindBuffer(GL_ARRAY_BUFFER, c->surface);
        gl->BufferSubData(GL_ARRAY_BUFFER, (GLintptr)(24 * (size_t)mesh->first_vertex),
                          (GLsizeiptr)(24 * (size_t)mesh->vertex_count), c->vertices + 6 * (size_t)mesh->first_vertex);
    }
}

int16_t* limberi_gpu_wanted_columns(const limberi_gpu_character* c) {
    return c->layout.column_count && (!c->columns_ready || c->layout.columns_change) ? c->column_values : NULL;
}

void limberi_gpu_upload_columns(limberi_gpu_character* c) {
    const limberi_gl* gl = &c->gpu->context.gl;
    if (!limberi_gpu_wanted_columns(c))
        return;
    gl->BindBuffer(GL_ARRAY_BUFFER, c->columns);
    gl->BufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)(c->model->vertex_count * c->layout.column_bytes),
                      c->column_values);
    c->columns_ready = true;
}

float* limberi_gpu_character_lend(limberi_gpu_character* c) {
    const limberi_gl* gl = &c->gpu->context.gl;
    GLsizeiptr size = (GLsizeiptr)(limberi_gpu_texture_height(c) * LIMBER_PACK_WIDTH * 4 * sizeof(float));
    if (limberi_context_use(&c->gpu->context, NULL))
        return NULL;
    bool made = c->lent != 0;
    if (!made)
        gl->GenBuffers(1, &c->lent);
    gl->BindBuffer(GL_PIXEL_UNPACK_BUFFER, c->lent);
    if (!made)
        gl->BufferData(GL_PIXEL_UNPACK_BUFFER, size, NULL, GL_STREAM_DRAW);
    float* texels =
        gl->MapBufferRange(GL_PIXEL_UNPACK_BUFFER, 0, size, GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);
    gl->BindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    c->is_lent = texels != NULL;
    c->posed = c->posed && !texels;
    return texels;
}

// Of a lone character only what the frame has; of a crowd everything at once.
void limberi_gpu_upload_texels(limberi_gpu_character* c) {
    const limberi_gl* gl = &c->gpu->context.gl;
    size_t count = c->settings.instances > 1 ? (size_t)c->used * c->layout.max_texels : c->texel_count;
    gl->ActiveTexture(GL_TEXTURE1);
    gl->BindTexture(GL_TEXTURE_2D, c->obeyed);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(GL_TEXTURE_2D, c->texture);
    if (c->is_lent) {
        gl->BindBuffer(GL_PIXEL_UNPACK_BUFFER, c->lent);
        gl->UnmapBuffer(GL_PIXEL_UNPACK_BUFFER);
    }
    if (!c->posed)
        gl->TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, LIMBER_PACK_WIDTH,
                          (GLsizei)((count + LIMBER_PACK_WIDTH - 1) / LIMBER_PACK_WIDTH), GL_RGBA, GL_FLOAT,
                          c->is_lent ? NULL : c->texels);
    gl->BindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    c->is_lent = false;
    c->posed = true;
}

void limberi_gpu_delete_buffers(limberi_gpu_character* c) {
    enum { BUFFERS = 10 };
    const limberi_gl* gl = &c->gpu->context.gl;
    const GLuint buffers[BUFFERS] = {c->surface, c->joints,    c->columns, c->deformed, c->surfaces,
                                     c->rings,   c->triangles, c->places,  c->colors,   c->lent};
    gl->DeleteBuffers(BUFFERS, buffers);
    gl->DeleteVertexArrays(1, &c->vertex_array);
    const GLuint textures[2] = {c->texture, c->obeyed};
    gl->DeleteTextures(2, textures);
}
