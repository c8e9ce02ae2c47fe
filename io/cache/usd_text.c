// What both USD writers put into a file: the header, lists of numbers, the parts of a mesh that never move.
#include "io/cache/usd_text.h"
#include "io/cache/writers.h"

#include <string.h>

const char limberi_usd_per_vertex[] = " (\n            interpolation = \"vertex\"\n        )\n";

char* limberi_usd_root_name(limberi_arena* arena, const char* path) {
    const char* slash = strrchr(path, '/');
    char* stem = limberi_arena_string(arena, slash ? slash + 1 : path);
    if (stem)
        *strrchr(stem, '.') = 0; // the ending that chose this format
    return stem ? limberi_cache_name(arena, stem, LIMBERI_CACHE_IDENTIFIERS) : NULL;
}

static void put_value(limberi_out* out, const char* before, double value) {
    limberi_out_string(out, before);
    limberi_out_decimal(out, value);
    limberi_out_string(out, "\n");
}

void limberi_usd_header(limberi_out* out, const limberi_usd_head* head) {
    limberi_out_string(out, "#usda 1.0\n(\n    defaultPrim = \"");
    limberi_out_string(out, head->root);
    limberi_out_string(out, "\"\n");
    put_value(out, "    endTimeCode = ", head->last_code);
    put_value(out, "    framesPerSecond = ", head->fps);
    limberi_out_string(out, "    metersPerUnit = 1\n");
    put_value(out, "    startTimeCode = ", head->first_code);
    put_value(out, "    timeCodesPerSecond = ", head->fps);
    limberi_out_string(out, "    upAxis = \"Y\"\n)\n\ndef ");
    limberi_out_string(out, head->type);
    limberi_out_string(out, " \"");
    limberi_out_string(out, head->root);
    limberi_out_string(out, "\" (\n");
    limberi_out_string(out, head->metadata);
    limberi_out_string(out, ")\n{\n");
}

void limberi_usd_tuples(limberi_out* out, const float* values, size_t tuple_count, uint32_t size, size_t stride) {
    limberi_out_string(out, "[");
    for (size_t i = 0; i < tuple_count; i++) {
        if (size == 1)
            limberi_out_tuple(out, i ? ", " : "", values + i * stride, 1, "", "");
        else
            limberi_out_tuple(out, i ? ", (" : "(", values + i * stride, size, ", ", ")");
    }
    limberi_out_string(out, "]");
}

void limberi_usd_indices(limberi_out* out, const uint32_t* values, size_t count) {
    limberi_out_string(out, "[");
    for (size_t i = 0; i < count; i++) {
        if (i)
            limberi_out_string(out, ", ");
        limberi_out_unsigned(out, values[i]);
    }
    limberi_out_string(out, "]");
}

static bool is_double_sided(const limber_model* model, const limber_mesh* mesh) {
    for (uint32_t p = 0; p < mesh->part_count; p++)
        if (mesh->parts[p].material >= 0 && model->materials[mesh->parts[p].material].double_sided)
            return true;
    return false;
}

void limberi_usd_surface(limberi_out* out, const limber_model* model, const limber_mesh* mesh, float* scratch) {
    limberi_out_string(out, "        uniform token subdivisionScheme = \"none\"\n");
    if (is_double_sided(model, mesh))
        limberi_out_string(out, "        uniform bool doubleSided = 1\n");
    limberi_out_string(out, "        int[] faceVertexCounts = [");
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        limberi_out_string(out, t ? ", 3" : "3");
    limberi_out_string(out, "]\n        int[] faceVertexIndices = ");
    limberi_usd_indices(out, mesh->triangles, 3 * (size_t)mesh->triangle_count);
    limberi_out_string(out, "\n");
    if (mesh->colors) {
        limberi_out_string(out, "        color3f[] primvars:displayColor = ");
        limberi_usd_tuples(out, mesh->colors, mesh->vertex_count, 3, 4);
        limberi_out_string(out, limberi_usd_per_vertex);
    }
    if (!mesh->uvs)
        return;
    for (size_t u = 0; u < mesh->vertex_count; u++) {
        scratch[2 * u] = mesh->uvs[2 * u];
        scratch[2 * u + 1] = 1 - mesh->uvs[2 * u + 1];
    }
    limberi_out_string(out, "        texCoord2f[] primvars:st = ");
    limberi_usd_tuples(out, scratch, mesh->vertex_count, 2, 2);
    limberi_out_string(out, limberi_usd_per_vertex);
}

void limberi_usd_extent(const limber_mesh* mesh, const float* positions, float* extent) {
    for (int c = 0; c < 6; c++)
        extent[c] = mesh->vertex_count ? positions[c % 3] : 0;
    for (size_t u = 1; u < mesh->vertex_count; u++)
        for (size_t c = 0; c < 3; c++) {
            float x = positions[3 * u + c];
            extent[c] = x < extent[c] ? x : extent[c];
            extent[3 + c] = x > extent[3 + c] ? x : extent[3 + c];
        }
}
