// Lists, strips and fans, indexed or not, to triangles.
#include "io/gltf/read_mesh.h"

enum { MODE_TRIANGLES = 4, MODE_TRIANGLE_STRIP = 5, BLOCK = 1024 };

static limber_result load_indices(limberi_gltf_reader* reader, const limberi_gltf_primitive* primitive, uint32_t first,
                                  uint32_t count, uint32_t* out) {
    if (!primitive->indices) {
        for (uint32_t i = 0; i < count; i++)
            out[i] = first + i;
        return LIMBER_OK;
    }
    limberi_gltf_read_unsigned(primitive->indices, first, count, out);
    for (uint32_t i = 0; i < count; i++)
        if (out[i] >= primitive->vertex_count)
            return limberi_gltf_fail(reader, &primitive->place, LIMBER_ERROR_DATA,
                                     "index %u refers to vertex %u, but there are only %u", first + i, out[i],
                                     primitive->vertex_count);
    return LIMBER_OK;
}

// Triangle i of a strip is (i, i+1, i+2), every other one turned; of a fan (i+1, i+2, 0).
static uint32_t put_triangle(const limberi_gltf_primitive* primitive, uint32_t i, const uint32_t* v, uint32_t hub,
                             uint32_t* out) {
    bool strip = primitive->mode == MODE_TRIANGLE_STRIP;
    uint32_t a = v[0];
    uint32_t b = v[1];
    uint32_t c = v[2];
    if (!strip) {
        a = v[1];
        b = v[2];
        c = hub;
    } else if (i % 2) {
        b = v[2];
        c = v[1];
    }
    if (a == b || b == c || c == a)
        return 0;
    out[0] = primitive->first_vertex + a;
    out[1] = primitive->first_vertex + b;
    out[2] = primitive->first_vertex + c;
    return 1;
}

// In blocks: consecutive blocks share two indices. Returns how many triangles have three different corners.
static limber_result read_strip_or_fan(limberi_gltf_reader* reader, const limberi_gltf_primitive* primitive,
                                       uint32_t* out, uint32_t* count) {
    uint32_t indices[BLOCK + 2];
    uint32_t hub = 0;
    *count = 0;
    for (uint32_t first = 0; first < primitive->triangle_limit; first += BLOCK) {
        uint32_t rest = primitive->triangle_limit - first;
        uint32_t block = rest < BLOCK ? rest : BLOCK;
        limber_result result = load_indices(reader, primitive, first, block + 2, indices);
        if (result)
            return result;
        hub = first ? hub : indices[0];
        for (uint32_t i = 0; i < block; i++)
            *count += put_triangle(primitive, first + i, indices + i, hub, out + 3 * (size_t)*count);
    }
    return LIMBER_OK;
}

static limber_result read_list(limberi_gltf_reader* reader, const limberi_gltf_primitive* primitive, uint32_t* out) {
    limber_result result = load_indices(reader, primitive, 0, 3 * primitive->triangle_limit, out);
    if (result)
        return result;
    for (size_t i = 0; i < 3 * (size_t)primitive->triangle_limit; i++)
        out[i] += primitive->first_vertex;
    return LIMBER_OK;
}

limber_result limberi_gltf_read_triangles(limberi_gltf_reader* reader, limberi_gltf_geometry* geometry,
                                          limber_part* parts) {
    uint32_t* triangles = LIMBERI_ALLOCATE(&reader->scratch, uint32_t, 3 * (size_t)geometry->triangle_limit);
    if (!triangles)
        return limberi_fail_memory(reader->error);
    uint32_t first = 0;
    for (uint32_t i = 0; i < geometry->primitive_count; i++) {
        const limberi_gltf_primitive* primitive = &geometry->primitives[i];
        uint32_t count = primitive->triangle_limit;
        uint32_t material = LIMBERI_NONE;
        uint32_t* out = triangles + 3 * (size_t)first;
        limber_result result = primitive->mode == MODE_TRIANGLES ? read_list(reader, primitive, out)
                                                                 : read_strip_or_fan(reader, primitive, out, &count);
        if (!result)
            result = limberi_gltf_index(reader, &primitive->place, primitive->object, "material", &reader->materials,
                                        &material);
        if (result)
            return result;
        limber_part part = {primitive->first_vertex, primitive->vertex_count, first, count,
                            material == LIMBERI_NONE ? -1 : (int32_t)material};
        parts[i] = part;
        first += count;
    }
    geometry->mesh.triangles = triangles;
    geometry->mesh.triangle_count = first;
    return LIMBER_OK;
}
