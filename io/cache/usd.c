// A point cache as USD text (.usda): one Xform that holds a Mesh prim per mesh, with time samples.
#include "io/cache/usd_text.h"
#include "io/cache/writers.h"

#include <string.h>

typedef struct stage {
    const limber_cache_job* job;
    const limber_model* model;
    limberi_arena arena;
    limberi_out out;
    limberi_cache_spool spool;
    bool spool_open, normals;
    double first_code;
    float* extents; // 6 per mesh
    float* values;  // one attribute of one mesh at one frame
    float* first_values;
} stage;

// A record of the spool: positions of all vertices, normals of all vertices, extents of all meshes.
static uint64_t normals_start(const stage* s) {
    return 3 * (uint64_t)s->model->vertex_count;
}

static uint64_t extents_start(const stage* s) {
    return 6 * (uint64_t)s->model->vertex_count;
}

static limber_result spool_frame(stage* s, uint32_t index, limber_error* error) {
    limberi_cache_view view;
    limber_result result = limberi_cache_frame(s->job, index, &view, error);
    if (result != LIMBER_OK)
        return result;
    if (index == 0)
        s->normals = view.normals != NULL;
    if (s->normals != (view.normals != NULL))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "some frames have normals and frame %u differs", index + 1);
    for (uint32_t m = 0; m < s->model->mesh_count; m++) {
        const limber_mesh* mesh = &s->model->meshes[m];
        limberi_usd_extent(mesh, view.positions + 3 * (size_t)mesh->first_vertex, s->extents + 6 * (size_t)m);
    }
    size_t count = 3 * (size_t)s->model->vertex_count;
    result = limberi_cache_spool_write(&s->spool, index, 0, view.positions, count, error);
    if (result == LIMBER_OK && s->normals)
        result = limberi_cache_spool_write(&s->spool, index, normals_start(s), view.normals, count, error);
    if (result == LIMBER_OK)
        result = limberi_cache_spool_write(&s->spool, index, extents_start(s), s->extents,
                                           6 * (size_t)s->model->mesh_count, error);
    return result;
}

static limber_result put_header(stage* s, const char* path, limber_error* error) {
    limberi_usd_head head = {.type = "Xform",
                             .root = limberi_usd_root_name(&s->arena, path),
                             .metadata = "    kind = \"component\"\n",
                             .fps = s->job->fps,
                             .first_code = s->first_code,
                             .last_code = s->first_code + (s->job->frame_count - 1)};
    if (!head.root)
        return limberi_fail_memory(error);
    limberi_usd_header(&s->out, &head);
    return LIMBER_OK;
}

typedef struct attribute {
    const char* declaration;
    const char* metadata; // ends the line
    uint64_t start;       // in a record of the spool
    size_t float_count;
} attribute;

// Reads the first frame into first_values and stops at the first frame that differs from it.
static limber_result find_change(stage* s, const attribute* a, bool* changes, limber_error* error) {
    limber_result result = limberi_cache_spool_read(&s->spool, 0, a->start, s->first_values, a->float_count, error);
    *changes = false;
    if (result)
        return result;
    for (uint32_t f = 1; !*changes && f < s->job->frame_count; f++) {
        result = limberi_cache_spool_read(&s->spool, f, a->start, s->values, a->float_count, error);
        if (result)
            return result;
        *changes = memcmp(s->values, s->first_values, a->float_count * sizeof(float)) != 0;
    }
    return LIMBER_OK;
}

static limber_result put_samples(stage* s, const attribute* a, limber_error* error) {
    for (uint32_t f = 0; f < s->job->frame_count; f++) {
        limber_result result = limberi_cache_spool_read(&s->spool, f, a->start, s->values, a->float_count, error);
        if (result != LIMBER_OK)
            return result;
        limberi_out_string(&s->out, "            ");
        limberi_out_decimal(&s->out, s->first_code + f);
        limberi_out_string(&s->out, ": ");
        limberi_usd_tuples(&s->out, s->values, a->float_count / 3, 3, 3);
        limberi_out_string(&s->out, ",\n");
    }
    return LIMBER_OK;
}

static limber_result put_attribute(stage* s, const attribute* a, limber_error* error) {
    bool changes;
    limber_result result = find_change(s, a, &changes, error);
    if (result != LIMBER_OK)
        return result;
    if (!changes) {
        limberi_out_string(&s->out, a->declaration);
        limberi_out_string(&s->out, " = ");
        limberi_usd_tuples(&s->out, s->first_values, a->float_count / 3, 3, 3);
        limberi_out_string(&s->out, a->metadata);
        return LIMBER_OK;
    }
    if (a->metadata[0] != '\n') {
        limberi_out_string(&s->out, a->declaration);
        limberi_out_string(&s->out, a->metadata);
    }
    limberi_out_string(&s->out, a->declaration);
    limberi_out_string(&s->out, ".timeSamples = {\n");
    result = put_samples(s, a, error);
    limberi_out_string(&s->out, "        }\n");
    return result;
}

static limber_result put_mesh(stage* s, uint32_t index, const char* name, limber_error* error) {
    const limber_mesh* mesh = &s->model->meshes[index];
    uint64_t first = 3 * (uint64_t)mesh->first_vertex;
    size_t float_count = 3 * (size_t)mesh->vertex_count;
    limberi_out_string(&s->out, index ? "\n    def Mesh \"" : "    def Mesh \"");
    limberi_out_string(&s->out, name);
    limberi_out_string(&s->out, "\"\n    {\n");
    limberi_usd_surface(&s->out, s->model, mesh, s->values);
    const attribute extent = {"        float3[] extent", "\n", extents_start(s) + 6 * (uint64_t)index, 6};
    const attribute normals = {"        normal3f[] normals", limberi_usd_per_vertex, normals_start(s) + first,
                               float_count};
    const attribute points = {"        point3f[] points", "\n", first, float_count};
    limber_result result = put_attribute(s, &extent, error);
    if (result == LIMBER_OK && s->normals)
        result = put_attribute(s, &normals, error);
    if (result == LIMBER_OK)
        result = put_attribute(s, &points, error);
    limberi_out_string(&s->out, "    }\n");
    return result;
}

static limber_result open_stage(stage* s, const char* path, limber_error* error) {
    size_t largest = 2; // an extent is 6 floats
    for (uint32_t m = 0; m < s->model->mesh_count; m++)
        largest = s->model->meshes[m].vertex_count > largest ? s->model->meshes[m].vertex_count : largest;
    s->first_code = limberi_cache_first_frame(s->job);
    s->extents = LIMBERI_ALLOCATE(&s->arena, float, 6 * (size_t)s->model->mesh_count);
    s->values = LIMBERI_ALLOCATE(&s->arena, float, 3 * largest);
    s->first_values = LIMBERI_ALLOCATE(&s->arena, float, 3 * largest);
    if (s->arena.failed)
        return limberi_fail_memory(error);
    limber_result result = limberi_out_open(&s->out, path, error);
    if (result != LIMBER_OK)
        return result;
    uint64_t frame_floats = extents_start(s) + 6 * (uint64_t)s->model->mesh_count;
    result = limberi_cache_spool_open(&s->spool, path, frame_floats, error);
    s->spool_open = result == LIMBER_OK;
    return result;
}

static limber_result write_stage(stage* s, const char* path, limber_error* error) {
    limber_result result = open_stage(s, path, error);
    if (result)
        return result;
    for (uint32_t f = 0; f < s->job->frame_count; f++) {
        result = spool_frame(s, f, error);
        if (result)
            return result;
    }
    result = put_header(s, path, error);
    if (result)
        return result;
    const char* const* names = limberi_cache_names(&s->arena, s->model, LIMBERI_CACHE_IDENTIFIERS);
    if (!names)
        return limberi_fail_memory(error);
    for (uint32_t m = 0; m < s->model->mesh_count; m++) {
        result = put_mesh(s, m, names[m], error);
        if (result)
            return result;
    }
    limberi_out_string(&s->out, "}\n");
    return limberi_out_commit(&s->out, error);
}

limber_result limberi_cache_save_usda(const limber_cache_job* job, const char* path, limber_error* error) {
    stage s = {0};
    s.job = job;
    s.model = job->model;
    limber_result result = write_stage(&s, path, error);
    limberi_out_close(&s.out);
    if (s.spool_open)
        limberi_cache_spool_close(&s.spool);
    limberi_arena_free(&s.arena);
    return result;
}
