// One Wavefront .obj per frame.
#include "base/memory.h"
#include "io/cache/writers.h"
#include "io/out.h"
#include "io/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// All frames are written under temporary names and renamed together at the end.
typedef struct sequence {
    const limber_cache_job* job;
    limberi_arena arena;
    limberi_cache_pattern pattern;
    const char* const* names;
    limberi_out out;
    limberi_file* files; // finished, not yet renamed
    uint32_t file_count, file_capacity;
} sequence;

// Vertex colours in .obj files are read as display values (Blender, three.js, MeshLab), limber's are linear.
static float srgb_from_linear(float value) {
    if (!(value > 0))
        return 0;
    if (value >= 1)
        return 1;
    return value <= 0.0031308f ? 12.92f * value : 1.055f * powf(value, 1 / 2.4f) - 0.055f;
}

static void put_vertices(limberi_out* out, const limber_mesh* mesh, const float* positions) {
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        float line[6];
        memcpy(line, positions + 3 * (size_t)u, 3 * sizeof *line);
        for (int c = 0; mesh->colors && c < 3; c++)
            line[3 + c] = srgb_from_linear(mesh->colors[4 * (size_t)u + (size_t)c]);
        limberi_out_tuple(out, "v ", line, mesh->colors ? 6 : 3, " ", "\n");
    }
}

// Counts from 1 over the whole file; meshes without texture coordinates leave no gap in those.
static void put_triangles(limberi_out* out, const limber_mesh* mesh, uint32_t first_uv, bool normals) {
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++) {
        uint32_t vertex = 1 + mesh->first_vertex + mesh->triangles[i];
        limberi_out_string(out, i % 3 ? " " : "f ");
        limberi_out_unsigned(out, vertex);
        if (mesh->uvs || normals)
            limberi_out_string(out, "/");
        if (mesh->uvs)
            limberi_out_unsigned(out, 1 + first_uv + mesh->triangles[i]);
        if (normals) {
            limberi_out_string(out, "/");
            limberi_out_unsigned(out, vertex);
        }
        if (i % 3 == 2)
            limberi_out_string(out, "\n");
    }
}

static void put_frame(sequence* s, uint32_t index, const limberi_cache_view* view) {
    limberi_out* out = &s->out;
    limberi_out_string(out, "# limber: frame ");
    limberi_out_unsigned(out, index + 1);
    limberi_out_string(out, " of ");
    limberi_out_unsigned(out, s->job->frame_count);
    limberi_out_string(out, ", ");
    limberi_out_decimal(out, s->job->fps);
    limberi_out_string(out, " fps\n");
    uint32_t first_uv = 0;
    for (uint32_t m = 0; m < s->job->model->mesh_count; m++) {
        const limber_mesh* mesh = &s->job->model->meshes[m];
        const float* normals = view->normals ? view->normals + 3 * (size_t)mesh->first_vertex : NULL;
        limberi_out_string(out, "o ");
        limberi_out_string(out, s->names[m]);
        limberi_out_string(out, "\n");
        put_vertices(out, mesh, view->positions + 3 * (size_t)mesh->first_vertex);
        for (uint32_t u = 0; mesh->uvs && u < mesh->vertex_count; u++) {
            const float st[2] = {mesh->uvs[2 * (size_t)u], 1 - mesh->uvs[2 * (size_t)u + 1]};
            limberi_out_tuple(out, "vt ", st, 2, " ", "\n");
        }
        for (uint32_t u = 0; normals && u < mesh->vertex_count; u++)
            limberi_out_tuple(out, "vn ", normals + 3 * (size_t)u, 3, " ", "\n");
        put_triangles(out, mesh, first_uv, normals);
        first_uv += mesh->uvs ? mesh->vertex_count : 0;
    }
}

static limber_result make_room_for_file(sequence* s, limber_error* error) {
    limberi_file* files = limberi_list_with_room(s->files, s->file_count, &s->file_capacity, sizeof *files);
    if (!files)
        return limberi_fail_memory(error);
    s->files = files;
    return LIMBER_OK;
}

static limber_result write_frame(sequence* s, uint32_t index, limber_error* error) {
    limberi_cache_view view;
    limber_result result = make_room_for_file(s, error);
    if (result == LIMBER_OK)
        result = limberi_cache_frame(s->job, index, &view, error);
    if (result == LIMBER_OK)
        result = limberi_out_open(&s->out, limberi_cache_pattern_path(&s->pattern, index + 1), error);
    if (result != LIMBER_OK)
        return result;
    put_frame(s, index, &view);
    result = limberi_out_finish(&s->out, error);
    s->files[s->file_count++] = s->out.file;
    memset(&s->out.file, 0, sizeof s->out.file);
    return result;
}

static limber_result write_sequence(sequence* s, const char* path, limber_error* error) {
    limber_result result = limberi_cache_pattern_parse(&s->arena, path, &s->pattern, error);
    if (result != LIMBER_OK)
        return result;
    s->names = limberi_cache_names(&s->arena, s->job->model, LIMBERI_CACHE_LINES);
    if (!s->names)
        return limberi_fail_memory(error);
    for (uint32_t f = 0; f < s->job->frame_count; f++) {
        result = write_frame(s, f, error);
        if (result != LIMBER_OK)
            return result;
    }
    return limberi_files_commit(s->files, s->file_count, error);
}

limber_result limberi_cache_save_obj(const limber_cache_job* job, const char* path, limber_error* error) {
    sequence s = {0};
    s.job = job;
    limber_result result = write_sequence(&s, path, error);
    limberi_out_close(&s.out);
    for (uint32_t f = 0; f < s.file_count; f++)
        limberi_file_discard(&s.files[f]);
    limberi_release(s.files);
    limberi_arena_free(&s.arena);
    return result;
}
