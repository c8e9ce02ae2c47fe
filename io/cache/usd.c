// USD as text (.usda): one Xform that holds a Mesh prim per mesh, with time samples.
#include "io/cache/spool.h"
#include "io/cache/writers.h"
#include "io/out.h"

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

static void measure(const limber_mesh* mesh, const float* positions, float* extent) {
    for (int c = 0; c < 6; c++)
        extent[c] = mesh->vertex_count ? positions[c % 3] : 0;
    for (size_t u = 1; u < mesh->vertex_count; u++)
        for (size_t c = 0; c < 3; c++) {
            float x = positions[3 * u + c];
            extent[c] = x < extent[c] ? x : extent[c];
            extent[3 + c] = x > extent[3 + c] ? x : extent[3 + c];
        }
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
        measure(mesh, view.positions + 3 * (size_t)mesh->first_vertex, s->extents + 6 * (size_t)m);
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

static void put_value(stage* s, const char* before, double value) {
    limberi_out_string(&s->out, before);
    limberi_out_decimal(&s->out, value);
    limberi_out_string(&s->out, "\n");
}

static limber_result put_header(stage* s, const char* path, limber_error* error) {
    const char* slash = strrchr(path, '/');
    char* stem = limberi_arena_string(&s->arena, slash ? slash + 1 : path);
    if (stem)
        *strrchr(stem, '.') = 0; // the ending that chose this format
    char* root = stem ? limberi_cache_name(&s->arena, stem, LIMBERI_CACHE_IDENTIFIERS) : NULL;
    if (!root)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory");
    limberi_out_string(&s->out, "#usda 1.0\n(\n    defaultPrim = \"");
    limberi_out_string(&s->out, root);
    limberi_out_string(&s->out, "\"\n");
    put_value(s, "    endTimeCode = ", s->first_code + (s->job->frame_count - 1));
    put_value(s, "    framesPerSecond = ", s->job->fps);
    limberi_out_string(&s->out, "    metersPerUnit = 1\n");
    put_value(s, "    startTimeCode = ", s->first_code);
    put_value(s, "    timeCodesPerSecond = ", s->job->fps);
    limberi_out_string(&s->out, "    upAxis = \"Y\"\n)\n\ndef Xform \"");
    limberi_out_string(&s->out, root);
    limberi_out_string(&s->out, "\" (\n    kind = \"component\"\n)\n{\n");
    return LIMBER_OK;
}

static void put_tuples(limberi_out* out, const float* values, size_t tuple_count, uint32_t size, size_t stride) {
    limberi_out_string(out, "[");
    for (size_t i = 0; i < tuple_count; i++)
        limberi_out_tuple(out, i ? ", (" : "(", values + i * stride, size, ", ", ")");
    limberi_out_string(out, "]");
}

static void put_topology(limberi_out* out, const limber_mesh* mesh) {
    limberi_out_string(out, "        int[] faceVertexCounts = [");
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        limberi_out_string(out, t ? ", 3" : "3");
    limberi_out_string(out, "]\n        int[] faceVertexIndices = [");
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++) {
        if (i)
            limberi_out_string(out, ", ");
        limberi_out_unsigned(out, mesh->triangles[i]);
    }
    limberi_out_string(out, "]\n");
}

static const char per_vertex[] = " (\n            interpolation = \"vertex\"\n        )\n";

static void put_primvars(stage* s, const limber_mesh* mesh) {
    if (mesh->colors) {
        limberi_out_string(&s->out, "        color3f[] primvars:displayColor = ");
        put_tuples(&s->out, mesh->colors, mesh->vertex_count, 3, 4);
        limberi_out_string(&s->out, per_vertex);
    }
    if (!mesh->uvs)
        return;
    for (size_t u = 0; u < mesh->vertex_count; u++) {
        s->values[2 * u] = mesh->uvs[2 * u];
        s->values[2 * u + 1] = 1 - mesh->uvs[2 * u + 1];
    }
    limberi_out_string(&s->out, "        texCoord2f[] primvars:st = ");
    put_tuples(&s->out, s->values, mesh->vertex_count, 2, 2);
    limberi_out_string(&s->out, per_vertex);
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
    for (uint32_t f = 1; result == LIMBER_OK && !*changes && f < s->job->frame_count; f++) {
        result = limberi_cache_spool_read(&s->spool, f, a->start, s->values, a->float_count, error);
        *changes = memcmp(s->values, s->first_values, a->float_count * sizeof(float)) != 0;
    }
    return result;
}

static limber_result put_samples(stage* s, const attribute* a, limber_error* error) {
    for (uint32_t f = 0; f < s->job->frame_count; f++) {
        limber_result result = limberi_cache_spool_read(&s->spool, f, a->start, s->values, a->float_count, error);
        if (result != LIMBER_OK)
            return result;
        limberi_out_string(&s->out, "            ");
        limberi_out_decimal(&s->out, s->first_code + f);
        limberi_out_string(&s->out, ": ");
        put_tuples(&s->out, s->values, a->float_count / 3, 3, 3);
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
        put_tuples(&s->out, s->first_values, a->float_count / 3, 3, 3);
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

static bool is_double_sided(const limber_model* model, const limber_mesh* mesh) {
    for (uint32_t p = 0; p < mesh->part_count; p++)
        if (mesh->parts[p].material >= 0 && model->materials[mesh->parts[p].material].double_sided)
            return true;
    return false;
}

static limber_result put_mesh(stage* s, uint32_t index, const char* name, limber_error* error) {
    const limber_mesh* mesh = &s->model->meshes[index];
    uint64_t first = 3 * (uint64_t)mesh->first_vertex;
    size_t float_count = 3 * (size_t)mesh->vertex_count;
    limberi_out_string(&s->out, index ? "\n    def Mesh \"" : "    def Mesh \"");
    limberi_out_string(&s->out, name);
    limberi_out_string(&s->out, "\"\n    {\n        uniform token subdivisionScheme = \"none\"\n");
    if (is_double_sided(s->model, mesh))
        limberi_out_string(&s->out, "        uniform bool doubleSided = 1\n");
    put_topology(&s->out, mesh);
    put_primvars(s, mesh);
    const attribute extent = {"        float3[] extent", "\n", extents_start(s) + 6 * (uint64_t)index, 6};
    const attribute normals = {"        normal3f[] normals", per_vertex, normals_start(s) + first, float_count};
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
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory");
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
    for (uint32_t f = 0; result == LIMBER_OK && f < s->job->frame_count; f++)
        result = spool_frame(s, f, error);
    if (result == LIMBER_OK)
        result = put_header(s, path, error);
    if (result != LIMBER_OK)
        return result;
    const char* const* names = limberi_cache_names(&s->arena, s->model, LIMBERI_CACHE_IDENTIFIERS);
    if (!names)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory");
    for (uint32_t m = 0; result == LIMBER_OK && m < s->model->mesh_count; m++)
        result = put_mesh(s, m, names[m], error);
    limberi_out_string(&s->out, "}\n");
    return result == LIMBER_OK ? limberi_out_commit(&s->out, error) : result;
}

limber_result limberi_cache_save_usda(const limber_cache_job* job, const char* path, limber_error* error) {
    stage s;
    memset(&s, 0, sizeof s);
    s.job = job;
    s.model = job->model;
    limber_result result = write_stage(&s, path, error);
    limberi_out_close(&s.out);
    if (s.spool_open)
        limberi_cache_spool_close(&s.spool);
    limberi_arena_free(&s.arena);
    return result;
}
