// A model's vertices, triangles and textures on the graphics card.
#include "render/scene/geometry.h"
#include "base/error.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { ATTRIBUTE_POSITION, ATTRIBUTE_NORMAL, ATTRIBUTE_UV, ATTRIBUTE_COLOR };

// Clay, for triangles without a material.
static const limber_material no_material = {
    .base_color = {0.62f, 0.58f, 0.54f, 1.0f}, .roughness = 0.7f, .double_sided = true, .image = -1};

static GLuint buffer(const limberi_gl* gl, GLenum kind, const void* bytes, size_t byte_count, GLenum usage) {
    GLuint id = 0;
    gl->GenBuffers(1, &id);
    gl->BindBuffer(kind, id);
    gl->BufferData(kind, (GLsizeiptr)byte_count, bytes, usage);
    return id;
}

static void attribute(const limberi_gl* gl, GLuint index, GLuint source, GLint components) {
    gl->BindBuffer(GL_ARRAY_BUFFER, source);
    gl->VertexAttribPointer(index, components, GL_FLOAT, GL_FALSE, 0, NULL);
    gl->EnableVertexAttribArray(index);
}

typedef const float* (*mesh_values)(const limber_mesh* mesh);

static const float* uvs_of(const limber_mesh* mesh) {
    return mesh->uvs;
}

static const float* colors_of(const limber_mesh* mesh) {
    return mesh->colors;
}

// One value per vertex of all meshes, `missing` where a mesh has none; no buffer when no mesh has any.
static bool upload_values(limberi_geometry* g, const limber_model* model, mesh_values values_of, size_t components,
                          float missing, GLuint* out) {
    bool any = false;
    for (uint32_t i = 0; i < model->mesh_count; i++)
        any = any || values_of(&model->meshes[i]);
    if (!any)
        return true;
    float* all = malloc(g->vertex_count * components * sizeof *all + 1);
    float* to = all;
    for (uint32_t i = 0; all && i < model->mesh_count; i++) {
        const float* from = values_of(&model->meshes[i]);
        size_t count = components * model->meshes[i].vertex_count;
        for (size_t k = 0; k < count; k++)
            *to++ = from ? from[k] : missing;
    }
    if (all)
        *out = buffer(g->gl, GL_ARRAY_BUFFER, all, g->vertex_count * components * sizeof *all, GL_STATIC_DRAW);
    free(all);
    return all != NULL;
}

static bool upload_triangles(limberi_geometry* g, const limber_model* model, size_t triangle_count) {
    uint32_t* all = malloc(3 * triangle_count * sizeof *all + 1);
    uint32_t* to = all;
    uint32_t first = 0;
    for (uint32_t i = 0; all && i < model->mesh_count; i++) {
        const limber_mesh* mesh = &model->meshes[i];
        for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; k++)
            *to++ = first + mesh->triangles[k];
        first += mesh->vertex_count;
    }
    if (all)
        g->indices = buffer(g->gl, GL_ELEMENT_ARRAY_BUFFER, all, 3 * triangle_count * sizeof *all, GL_STATIC_DRAW);
    free(all);
    return all != NULL;
}

static bool is_mirrored(const limber_model* model, const limber_mesh* mesh) {
    if (mesh->skin >= model->skin_count)
        return false;
    const float* m = model->skins[mesh->skin].world_from_mesh.m;
    float determinant =
        m[0] * (m[5] * m[10] - m[6] * m[9]) - m[4] * (m[1] * m[10] - m[2] * m[9]) + m[8] * (m[1] * m[6] - m[2] * m[5]);
    return determinant < 0.0f;
}

// Files often call solid things blended; only what its colours make translucent is drawn as if it were air.
static bool is_sheer(const limber_mesh* mesh, const limber_part* part, const limber_material* material) {
    if (!material->blend)
        return false;
    double sum = 0;
    for (uint32_t v = 0; mesh->colors && v < part->vertex_count; v++)
        sum += (double)mesh->colors[4 * (size_t)(part->first_vertex + v) + 3];
    double mean = mesh->colors && part->vertex_count ? sum / part->vertex_count : 1;
    return mean * (double)material->base_color[3] < 0.95;
}

static limberi_batch make_batch(const limberi_geometry* g, const limber_model* model, const limber_mesh* mesh,
                                const limber_part* part, size_t first_triangle) {
    bool known = part->material >= 0 && (uint32_t)part->material < model->material_count;
    const limber_material* material = known ? &model->materials[part->material] : &no_material;
    limberi_batch batch = {.first_index = 3 * (first_triangle + part->first_triangle),
                           .index_count = (GLsizei)(3 * part->triangle_count),
                           .metallic = material->metallic,
                           .roughness = material->roughness,
                           .double_sided = material->double_sided,
                           .blended = material->blend,
                           .sheer = is_sheer(mesh, part, material),
                           .mirrored = is_mirrored(model, mesh)};
    memcpy(batch.base_color, material->base_color, sizeof batch.base_color);
    if (material->image >= 0 && (uint32_t)material->image < g->textures.count && mesh->uvs)
        batch.texture = g->textures.ids[material->image];
    return batch;
}

static uint32_t part_number(const limber_model* model, uint32_t mesh, const limber_part* part) {
    uint32_t material =
        part->material >= 0 && (uint32_t)part->material < model->material_count ? (uint32_t)part->material + 1 : 0;
    return 1 + (mesh * (model->material_count + 1) + material) % (uint32_t)INT32_MAX;
}

static void add_batches(limberi_geometry* g, const limber_model* model, bool blended) {
    size_t first_triangle = 0;
    for (uint32_t i = 0; i < model->mesh_count; i++) {
        const limber_mesh* mesh = &model->meshes[i];
        const limber_part whole = {.triangle_count = mesh->triangle_count, .material = -1};
        uint32_t count = mesh->part_count ? mesh->part_count : 1;
        for (uint32_t k = 0; k < count; k++) {
            const limber_part* part = mesh->part_count ? &mesh->parts[k] : &whole;
            limberi_batch batch = make_batch(g, model, mesh, part, first_triangle);
            batch.mesh = i;
            batch.part = part_number(model, i, part);
            if (batch.blended == blended && batch.index_count > 0)
                g->batches[g->batch_count++] = batch;
        }
        first_triangle += mesh->triangle_count;
    }
}

static bool create_batches(limberi_geometry* g, const limber_model* model) {
    size_t count = 1;
    for (uint32_t i = 0; i < model->mesh_count; i++)
        count += (size_t)model->meshes[i].part_count + 1;
    g->batches = calloc(count, sizeof *g->batches);
    if (!g->batches)
        return false;
    add_batches(g, model, false);
    add_batches(g, model, true);
    return true;
}

static bool create_buffers(limberi_geometry* g, const limber_model* model, size_t triangle_count) {
    const limberi_gl* gl = g->gl;
    size_t byte_count = 3 * sizeof(float) * g->vertex_count;
    gl->GenVertexArrays(1, &g->vertex_array);
    gl->BindVertexArray(g->vertex_array);
    g->positions = buffer(gl, GL_ARRAY_BUFFER, NULL, byte_count, GL_STREAM_DRAW);
    attribute(gl, ATTRIBUTE_POSITION, g->positions, 3);
    g->normals = buffer(gl, GL_ARRAY_BUFFER, NULL, byte_count, GL_STREAM_DRAW);
    attribute(gl, ATTRIBUTE_NORMAL, g->normals, 3);
    if (!upload_values(g, model, uvs_of, 2, 0.0f, &g->uvs) || !upload_values(g, model, colors_of, 4, 1.0f, &g->colors))
        return false;
    if (g->uvs)
        attribute(gl, ATTRIBUTE_UV, g->uvs, 2);
    if (g->colors)
        attribute(gl, ATTRIBUTE_COLOR, g->colors, 4);
    return upload_triangles(g, model, triangle_count);
}

limber_result limberi_geometry_create(const limberi_gl* gl, const limber_model* model, limberi_geometry* g,
                                      limber_error* error) {
    size_t triangle_count = 0;
    memset(g, 0, sizeof *g);
    g->gl = gl;
    for (uint32_t i = 0; i < model->mesh_count; i++) {
        g->vertex_count += model->meshes[i].vertex_count;
        triangle_count += model->meshes[i].triangle_count;
    }
    if (g->vertex_count > UINT32_MAX || triangle_count > INT_MAX / 3)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "%zu triangles are too many to draw", triangle_count);
    limber_result result = limberi_textures_create(g->gl, model, &g->textures, error);
    if (result != LIMBER_OK)
        return result;
    if (!create_buffers(g, model, triangle_count) || !create_batches(g, model))
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory to draw %zu vertices", g->vertex_count);
    return limberi_gl_check(gl, "upload the meshes", error);
}

void limberi_geometry_destroy(limberi_geometry* g) {
    if (g->gl) {
        const GLuint buffers[6] = {g->positions, g->normals, g->uvs, g->colors, g->indices, g->paint};
        g->gl->DeleteBuffers(6, buffers);
        g->gl->DeleteVertexArrays(1, &g->vertex_array);
    }
    limberi_textures_destroy(g->gl, &g->textures);
    free(g->batches);
    memset(g, 0, sizeof *g);
}

void limberi_geometry_move(const limberi_geometry* g, const float* positions, const float* normals) {
    const limberi_gl* gl = g->gl;
    static const float none[4] = {0, 0, 0, 0};
    static const float white[4] = {1, 1, 1, 1};
    GLsizeiptr byte_count = (GLsizeiptr)(3 * sizeof(float) * g->vertex_count);
    gl->BindVertexArray(g->vertex_array);
    gl->BindBuffer(GL_ARRAY_BUFFER, g->positions);
    gl->BufferData(GL_ARRAY_BUFFER, byte_count, positions, GL_STREAM_DRAW);
    // What a disabled attribute reads is the context's state, not the vertex array's.
    gl->VertexAttrib4fv(ATTRIBUTE_NORMAL, none);
    gl->VertexAttrib4fv(ATTRIBUTE_COLOR, white);
    if (!normals) {
        gl->DisableVertexAttribArray(ATTRIBUTE_NORMAL);
        return;
    }
    gl->EnableVertexAttribArray(ATTRIBUTE_NORMAL);
    gl->BindBuffer(GL_ARRAY_BUFFER, g->normals);
    gl->BufferData(GL_ARRAY_BUFFER, byte_count, normals, GL_STREAM_DRAW);
}

void limberi_geometry_paint(const limberi_geometry* g, const float* colors) {
    g->gl->BindBuffer(GL_ARRAY_BUFFER, g->colors);
    g->gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(4 * sizeof(float) * g->vertex_count), colors, GL_STREAM_DRAW);
}

void limberi_geometry_repaint(limberi_geometry* g, const float* colors) {
    const limberi_gl* gl = g->gl;
    if (!colors && !g->painted)
        return;
    g->painted = colors != NULL;
    gl->BindVertexArray(g->vertex_array);
    if (colors) {
        if (!g->paint)
            gl->GenBuffers(1, &g->paint);
        gl->BindBuffer(GL_ARRAY_BUFFER, g->paint);
        gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(4 * sizeof(float) * g->vertex_count), colors, GL_STREAM_DRAW);
    }
    if (colors || g->colors)
        attribute(gl, ATTRIBUTE_COLOR, colors ? g->paint : g->colors, 4);
    else
        gl->DisableVertexAttribArray(ATTRIBUTE_COLOR);
}

void limberi_geometry_bind(const limberi_geometry* g) {
    g->gl->BindVertexArray(g->vertex_array);
}

void limberi_geometry_draw(const limberi_geometry* g, const limberi_batch* batch) {
    const void* offset = (const void*)(uintptr_t)(batch->first_index * sizeof(uint32_t));
    g->gl->DrawElements(GL_TRIANGLES, batch->index_count, GL_UNSIGNED_INT, offset);
}
