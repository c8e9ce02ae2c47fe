// Vertex animation textures: frames as rows of texels, in the layout of OpenVAT.
#include "base/memory.h"
#include "io/cache/writers.h"
#include "io/out.h"
#include "io/png/png.h"
#include "io/system.h"
#include "io/vat/mesh.h"
#include "text/json_write.h"
#include <limber/vat.h>

#include <math.h>
#include <string.h>

enum { SPOOLED = 6, MAX = 65535 }; // offset and normal; the largest number of a texel

typedef struct vat {
    limber_cache_job job;
    const limber_clip* clip;
    limberi_arena arena;
    char *png_path, *json_path, *glb_path;
    float *base, *base_normals; // the first frame
    float* frame;               // offsets, then normals
    uint8_t* row;               // the high byte of a number first
    bool normals;
    uint32_t width, rows, height; // `rows` per frame and kind
    float min[3], max[3];         // in the axes of the texture
    limberi_cache_spool spool;
    limberi_out png, json;
    limberi_file glb;
} vat;

static char* path_in(limberi_arena* arena, const char* folder, const char* name, const char* ending) {
    size_t size = strlen(folder) + strlen(name) + strlen(ending) + 2;
    size_t end = strlen(folder);
    char* path = LIMBERI_ALLOCATE(arena, char, size);
    bool ended = end && limberi_system_is_separator(folder[end - 1]);
    if (path)
        limberi_format(path, size, "%s%s%s%s", folder, ended ? "" : "/", name, ending);
    return path;
}

static limber_result allocate_job(vat* v, const char* folder, const char* name, limber_error* error) {
    size_t count = v->job.model->vertex_count;
    v->png_path = path_in(&v->arena, folder, name, "_vat.png");
    v->json_path = path_in(&v->arena, folder, name, "-remap_info.json");
    v->glb_path = path_in(&v->arena, folder, name, ".glb");
    v->base = LIMBERI_ALLOCATE(&v->arena, float, 3 * count);
    v->base_normals = LIMBERI_ALLOCATE(&v->arena, float, 3 * count);
    v->frame = LIMBERI_ALLOCATE(&v->arena, float, SPOOLED* count);
    v->row = LIMBERI_ALLOCATE(&v->arena, uint8_t, 6 * LIMBER_VAT_SIDE);
    return v->arena.failed ? limberi_fail_memory(error) : LIMBER_OK;
}

static limber_result lay_out(vat* v, limber_error* error) {
    uint32_t vertices = v->job.model->vertex_count;
    v->rows = (vertices - 1) / LIMBER_VAT_SIDE + 1;
    v->width = (vertices - 1) / v->rows + 1;
    uint64_t height = (uint64_t)v->rows * v->job.frame_count * (v->normals ? 2 : 1);
    if (height > LIMBER_VAT_SIDE)
        return limberi_fail(error, LIMBER_ERROR_LIMIT,
                            "%u frames of %u vertices need a texture %u wide and %llu high; the limit is %d, so write "
                            "fewer frames",
                            v->job.frame_count, vertices, v->width, (unsigned long long)height, LIMBER_VAT_SIDE);
    v->height = (uint32_t)height;
    return LIMBER_OK;
}

// From Y up to Blender's Z up.
static void turn(const float* from, float* to) {
    to[0] = from[0];
    to[1] = -from[2];
    to[2] = from[1];
}

static void include(vat* v, const float* offset) {
    for (int c = 0; c < 3; c++) {
        v->min[c] = fminf(v->min[c], offset[c]);
        v->max[c] = fmaxf(v->max[c], offset[c]);
    }
}

static limber_result read_frame(vat* v, uint32_t index, limber_error* error) {
    size_t count = v->job.model->vertex_count;
    limberi_cache_view view;
    limber_result result = limberi_cache_frame(&v->job, index, &view, error);
    if (result == LIMBER_OK && index == 0) {
        v->normals = view.normals != NULL;
        memcpy(v->base, view.positions, 3 * count * sizeof(float));
        if (v->normals)
            memcpy(v->base_normals, view.normals, 3 * count * sizeof(float));
        result = lay_out(v, error);
    }
    if (result == LIMBER_OK && v->normals != (view.normals != NULL))
        result = limberi_fail(error, LIMBER_ERROR_ARGUMENT, "only some frames have normals");
    if (result != LIMBER_OK)
        return result;
    for (size_t u = 0; u < count; u++) {
        const float* now = view.positions + 3 * u;
        const float* then = v->base + 3 * u;
        const float offset[3] = {now[0] - then[0], now[1] - then[1], now[2] - then[2]};
        turn(offset, v->frame + 3 * u);
        include(v, v->frame + 3 * u);
        if (v->normals)
            turn(view.normals + 3 * u, v->frame + 3 * (count + u));
    }
    for (int c = 0; c < 3; c++) // finite positions can be too far apart
        if (!isfinite(v->max[c] - v->min[c]))
            return limberi_fail(error, LIMBER_ERROR_DATA,
                                "the motion is too extreme: frame %u is too far from the first", index + 1);
    return limberi_cache_spool_write(&v->spool, index, 0, v->frame, SPOOLED * count, error);
}

static uint16_t texel(float value, float min, float max) {
    double share = max > min ? ((double)value - (double)min) / ((double)max - (double)min) : 0;
    return (uint16_t)(fmin(fmax(share, 0), 1) * MAX + 0.5);
}

// The columns of one row of texels in one frame. What is beyond the last vertex stays 0.
static limber_result put_row(vat* v, limberi_png* png, bool normals, uint32_t row, uint32_t frame,
                             limber_error* error) {
    uint32_t vertices = v->job.model->vertex_count;
    uint32_t first = row * v->width;
    uint32_t count = vertices - first < v->width ? vertices - first : v->width;
    uint64_t at = 3 * ((uint64_t)first + (normals ? vertices : 0));
    limber_result result = limberi_cache_spool_read(&v->spool, frame, at, v->frame, 3 * (size_t)count, error);
    if (result != LIMBER_OK)
        return result;
    memset(v->row, 0, 6 * (size_t)v->width);
    for (size_t i = 0; i < 3 * (size_t)count; i++) {
        uint16_t t = normals ? texel(v->frame[i], -1, 1) : texel(v->frame[i], v->min[i % 3], v->max[i % 3]);
        v->row[2 * i] = (uint8_t)(t >> 8);
        v->row[2 * i + 1] = (uint8_t)t;
    }
    limberi_png_row(png, v->row);
    return LIMBER_OK;
}

static limber_result put_rows(vat* v, limberi_png* png, limber_error* error) {
    for (uint32_t kind = 0; kind < (v->normals ? 2u : 1u); kind++)
        for (uint32_t row = 0; row < v->rows; row++)
            for (uint32_t f = 0; f < v->job.frame_count; f++) {
                limber_result result = put_row(v, png, kind == 1, row, f, error);
                if (result)
                    return result;
            }
    return LIMBER_OK;
}

static void put_png(void* user, const void* bytes, size_t count) {
    limberi_out_bytes(user, bytes, count);
}

static limber_result write_png(vat* v, limber_error* error) {
    limberi_png png = {
        .put = put_png, .user = &v->png, .width = v->width, .height = v->height, .bits = 16, .channels = 3};
    limber_result result = limberi_out_open(&v->png, v->png_path, error);
    if (result == LIMBER_OK && !limberi_png_begin(&png))
        result = limberi_fail_memory(error);
    if (result == LIMBER_OK)
        result = put_rows(v, &png, error);
    if (result == LIMBER_OK) {
        limberi_png_end(&png);
        result = limberi_out_finish(&v->png, error);
    }
    limberi_png_free(&png);
    return result;
}

static void put_vector(limberi_json_writer* w, const char* key, const float* values) {
    limberi_json_key(w, key);
    limberi_json_flat(w, true);
    limberi_json_open(w, '[');
    for (int c = 0; c < 3; c++)
        limberi_json_real(w, (double)values[c]);
    limberi_json_close(w, ']');
    limberi_json_flat(w, false);
}

static void put_integer(limberi_json_writer* w, const char* key, uint32_t value) {
    limberi_json_key(w, key);
    limberi_json_integer(w, value);
}

static void put_clip(limberi_json_writer* w, const vat* v) {
    limberi_json_key(w, "animations");
    limberi_json_open(w, '{');
    limberi_json_key(w, v->clip->name && *v->clip->name ? v->clip->name : "clip");
    limberi_json_open(w, '{');
    put_integer(w, "startFrame", 1);
    put_integer(w, "endFrame", v->job.frame_count);
    limberi_json_key(w, "framerate");
    limberi_json_real(w, v->job.fps);
    limberi_json_key(w, "looping");
    limberi_json_switch(w, v->clip->loops && !v->clip->travels);
    limberi_json_close(w, '}');
    limberi_json_close(w, '}');
}

static limber_result write_json(vat* v, limber_error* error) {
    limberi_buffer text = {0};
    limberi_json_writer w = {.out = &text, .indent = 4, .digits = 9}; // enough for a float
    limberi_json_open(&w, '{');
    limberi_json_key(&w, "os-remap");
    limberi_json_open(&w, '{');
    put_vector(&w, "Min", v->min);
    put_vector(&w, "Max", v->max);
    put_integer(&w, "Frames", v->job.frame_count);
    limberi_json_close(&w, '}');
    if (v->clip)
        put_clip(&w, v);
    limberi_json_close(&w, '}');
    limberi_buffer_add(&text, "\n");
    limber_result result = text.failed ? limberi_fail_memory(error) : limberi_out_open(&v->json, v->json_path, error);
    if (result == LIMBER_OK) {
        limberi_out_bytes(&v->json, text.data, text.length);
        result = limberi_out_finish(&v->json, error);
    }
    limberi_buffer_free(&text);
    return result;
}

static limber_result write_mesh(vat* v, const char* name, limber_error* error) {
    uint32_t vertices = v->job.model->vertex_count;
    float* lookup = LIMBERI_ALLOCATE(&v->arena, float, 2 * (size_t)vertices);
    if (!lookup)
        return limberi_fail_memory(error);
    for (uint32_t u = 0; u < vertices; u++) {
        uint64_t row = (uint64_t)(u / v->width) * v->job.frame_count;
        lookup[2 * (size_t)u] = (float)((u % v->width + 0.5) / v->width);
        lookup[2 * (size_t)u + 1] = (float)(((double)row + 0.5) / v->height);
    }
    limberi_vat_mesh mesh = {v->job.model, name, v->base, v->normals ? v->base_normals : NULL, lookup};
    return limberi_vat_mesh_write(&mesh, v->glb_path, &v->glb, error);
}

static limber_result write_all(vat* v, const char* name, limber_error* error) {
    limber_result result =
        limberi_cache_spool_open(&v->spool, v->png_path, (uint64_t)SPOOLED * v->job.model->vertex_count, error);
    if (result != LIMBER_OK)
        return result;
    for (uint32_t f = 0; result == LIMBER_OK && f < v->job.frame_count; f++)
        result = read_frame(v, f, error);
    if (result == LIMBER_OK)
        result = write_png(v, error);
    if (result == LIMBER_OK)
        result = write_json(v, error);
    limberi_cache_spool_close(&v->spool);
    if (result == LIMBER_OK)
        result = write_mesh(v, name, error);
    if (result != LIMBER_OK)
        return result;
    limberi_file files[3] = {v->png.file, v->json.file, v->glb};
    memset(&v->png.file, 0, sizeof v->png.file);
    memset(&v->json.file, 0, sizeof v->json.file);
    memset(&v->glb, 0, sizeof v->glb);
    return limberi_files_commit(files, 3, error);
}

static limber_result make_folder(const char* folder, limberi_sweep** sweep, bool* made, limber_error* error) {
    *made = limberi_sweep_make_folder(folder, sweep);
    limberi_kind kind = *made ? LIMBERI_KIND_FOLDER : limberi_system_kind(folder);
    if (kind == LIMBERI_KIND_FOLDER)
        return LIMBER_OK;
    if (kind != LIMBERI_KIND_NONE && kind != LIMBERI_KIND_UNKNOWN)
        return limberi_fail(error, LIMBER_ERROR_FILE, "'%s' is not a folder", folder);
    return limberi_fail(error, LIMBER_ERROR_FILE, "cannot make the folder '%s'", folder);
}

limber_result limber_vat_save(const limber_cache_job* job, const limber_clip* clip, const char* folder,
                              const char* name, limber_error* error) {
    vat v;
    bool made = false;
    limberi_sweep* sweep = NULL;
    memset(&v, 0, sizeof v);
    limber_result result = limberi_cache_job_read(job, &v.job, error);
    if (result == LIMBER_OK && !(folder && *folder && name && *name))
        result = limberi_fail(error, LIMBER_ERROR_ARGUMENT, "vertex animation textures need a folder and a name");
    if (result == LIMBER_OK)
        result = allocate_job(&v, folder, name, error);
    if (result == LIMBER_OK)
        result = make_folder(folder, &sweep, &made, error);
    v.clip = clip;
    if (result == LIMBER_OK)
        result = write_all(&v, name, error);
    limberi_out_close(&v.png);
    limberi_out_close(&v.json);
    limberi_file_discard(&v.glb);
    limberi_arena_free(&v.arena);
    if (result != LIMBER_OK && made)
        limberi_system_remove_folder(folder);
    limberi_sweep_forget(sweep);
    return result;
}
