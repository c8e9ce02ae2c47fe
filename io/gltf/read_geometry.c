// The primitives of one entry of "meshes", put one after the other into a limber_mesh.
#include "io/gltf/read_mesh.h"

#include <string.h>

enum { MODE_TRIANGLES = 4, MODE_TRIANGLE_FAN = 6 };

static limber_result describe_vertices(limberi_gltf_reader* reader, limberi_gltf_primitive* primitive) {
    const limberi_json* attributes = NULL;
    limberi_gltf_accessor* position;
    limber_result result = limberi_gltf_object(reader, &primitive->place, primitive->object, "attributes", &attributes);
    if (!result)
        result = limberi_gltf_open(reader, &primitive->place, attributes, "POSITION", "VEC3", &position);
    if (result)
        return result;
    if (!position || position->count == 0)
        return limberi_gltf_fail(reader, &primitive->place, LIMBER_ERROR_DATA, "has no \"POSITION\"");
    primitive->attributes = limberi_json_get(primitive->object, "attributes");
    primitive->position = position;
    primitive->vertex_count = position->count;
    for (char name[32];; primitive->joint_sets++) {
        limberi_format(name, sizeof name, "JOINTS_%u", primitive->joint_sets);
        if (!limberi_json_get(attributes, name))
            break;
    }
    // Compressed geometry has accessors without data, which would read as zeros.
    const limberi_json* extensions = limberi_json_get(primitive->object, "extensions");
    if (primitive->position->data || !limberi_json_get(extensions, "KHR_draco_mesh_compression"))
        return LIMBER_OK;
    return limberi_gltf_fail(reader, &primitive->place, LIMBER_ERROR_UNSUPPORTED,
                             "is compressed with KHR_draco_mesh_compression, which this build of limber cannot read; "
                             "install libdraco-dev and build limber again");
}

static limber_result describe_triangles(limberi_gltf_reader* reader, limberi_gltf_primitive* primitive) {
    uint64_t mode = MODE_TRIANGLES;
    limberi_gltf_accessor* indices;
    limber_result result = limberi_gltf_unsigned(reader, &primitive->place, primitive->object, "mode", &mode);
    if (!result)
        result = limberi_gltf_open(reader, &primitive->place, primitive->object, "indices", "SCALAR", &indices);
    if (result)
        return result;
    if (mode > MODE_TRIANGLE_FAN)
        return limberi_gltf_fail(reader, &primitive->place, LIMBER_ERROR_DATA, "its \"mode\" is unknown");
    if (indices && !limberi_gltf_is_unsigned(indices))
        return limberi_gltf_fail(reader, &primitive->place, LIMBER_ERROR_DATA,
                                 "its indices are not unsigned whole numbers");
    uint32_t count = indices ? indices->count : primitive->vertex_count;
    primitive->indices = indices;
    primitive->mode = (uint32_t)mode;
    if (mode == MODE_TRIANGLES)
        primitive->triangle_limit = count / 3;
    else if (mode > MODE_TRIANGLES)
        primitive->triangle_limit = count > 2 ? count - 2 : 0;
    if (mode == MODE_TRIANGLES && count % 3)
        limberi_gltf_note(reader, &primitive->place, "its last triangle is not complete");
    return LIMBER_OK;
}

static limber_result describe_primitive(limberi_gltf_reader* reader, limberi_gltf_geometry* geometry, uint32_t index,
                                        uint64_t* vertices) {
    limberi_gltf_primitive* primitive = &geometry->primitives[index];
    limberi_gltf_place place = limberi_gltf_place_of(&reader->meshes, geometry->index);
    limberi_json* list = limberi_json_get(limberi_gltf_entry(&reader->meshes, geometry->index), "primitives");
    primitive->place = limberi_gltf_place_in(place, "primitives", index);
    primitive->object = limberi_json_at(list, index);
    if (!limberi_json_is(primitive->object, LIMBERI_JSON_OBJECT))
        return limberi_gltf_fail(reader, &primitive->place, LIMBER_ERROR_DATA, "must be an object");
    limber_result result = describe_vertices(reader, primitive);
    if (!result)
        result = describe_triangles(reader, primitive);
    if (result)
        return result;
    primitive->first_vertex = (uint32_t)*vertices;
    *vertices += primitive->vertex_count;
    geometry->triangle_limit += primitive->triangle_limit;
    geometry->influence_count +=
        (uint64_t)primitive->vertex_count * (primitive->joint_sets ? primitive->joint_sets : 1) * 4;
    // Also keeps the counts of the mesh within 32 bits.
    if (*vertices > reader->limits.vertices || geometry->triangle_limit > reader->budget.triangles)
        return limberi_gltf_fail(reader, &primitive->place, LIMBER_ERROR_LIMIT,
                                 "%llu vertices and %llu triangles exceed the limits", (unsigned long long)*vertices,
                                 (unsigned long long)geometry->triangle_limit);
    return LIMBER_OK;
}

limber_result limberi_gltf_describe(limberi_gltf_reader* reader, uint32_t index, limberi_gltf_geometry* out) {
    limberi_gltf_place place = limberi_gltf_place_of(&reader->meshes, index);
    const limberi_json* list = NULL;
    limber_result result =
        limberi_gltf_array(reader, &place, limberi_gltf_entry(&reader->meshes, index), "primitives", &list);
    if (result)
        return result;
    if (limberi_json_count(list) == 0)
        return limberi_gltf_fail(reader, &place, LIMBER_ERROR_DATA, "has no primitives");
    out->index = index;
    out->described = true;
    out->primitive_count = limberi_json_count(list);
    out->primitives = LIMBERI_ALLOCATE(&reader->scratch, limberi_gltf_primitive, out->primitive_count);
    if (!out->primitives)
        return limberi_fail_memory(reader->error);
    uint64_t vertices = 0;
    for (uint32_t i = 0; i < out->primitive_count; i++) {
        result = describe_primitive(reader, out, i, &vertices);
        if (result)
            return result;
    }
    out->mesh.name = limberi_gltf_name(reader, &reader->meshes, index, "mesh");
    out->mesh.vertex_count = (uint32_t)vertices;
    result = limberi_gltf_count_morphs(reader, out);
    return result ? result : limberi_gltf_count_layers(reader, out);
}

// An attribute that some primitives may lack; their vertices keep `missing`. *array stays NULL when all of them do.
static limber_result read_optional(limberi_gltf_reader* reader, const limberi_gltf_geometry* geometry, const char* name,
                                   const char* types, uint32_t width, float missing, const float** array) {
    float* values = NULL;
    size_t count = (size_t)geometry->mesh.vertex_count * width;
    for (uint32_t i = 0; i < geometry->primitive_count; i++) {
        const limberi_gltf_primitive* primitive = &geometry->primitives[i];
        limberi_gltf_accessor* accessor;
        limber_result result = limberi_gltf_attribute(reader, &primitive->place, primitive->attributes, name, types,
                                                      primitive->vertex_count, &accessor);
        if (result)
            return result;
        if (!accessor)
            continue;
        if (!values) {
            values = LIMBERI_ALLOCATE(&reader->scratch, float, count);
            if (!values)
                return limberi_fail_memory(reader->error);
            for (size_t k = 0; missing != 0 && k < count; k++)
                values[k] = missing;
        }
        reader->mends = strcmp(name, "POSITION") != 0;
        result = limberi_gltf_read_floats(reader, accessor, 0, primitive->vertex_count,
                                          values + (size_t)primitive->first_vertex * width, width);
        reader->mends = false;
        if (result)
            return result;
    }
    *array = values;
    return LIMBER_OK;
}

limber_result limberi_gltf_read_geometry(limberi_gltf_reader* reader, limberi_gltf_geometry* geometry) {
    if (geometry->filled)
        return LIMBER_OK;
    geometry->filled = true;
    limber_mesh* mesh = &geometry->mesh;
    limber_part* parts = LIMBERI_ALLOCATE(&reader->scratch, limber_part, geometry->primitive_count);
    if (!parts)
        return limberi_fail_memory(reader->error);
    mesh->part_count = geometry->primitive_count;
    mesh->parts = parts;
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; i < geometry->primitive_count && !result; i++)
        result = limberi_gltf_mend_positions(reader, &geometry->primitives[i]);
    if (!result)
        result = read_optional(reader, geometry, "POSITION", "VEC3", 3, 0, &mesh->positions);
    if (!result)
        result = limberi_gltf_read_triangles(reader, geometry, parts);
    if (!result)
        result =
            read_optional(reader, geometry, "NORMAL", "VEC3", 3, 0, &mesh->normals); // the asset makes up for zeros
    if (!result)
        result = read_optional(reader, geometry, "TEXCOORD_0", "VEC2", 2, 0, &mesh->uvs);
    if (!result)
        result = read_optional(reader, geometry, "COLOR_0", "VEC3 VEC4", 4, 1, &mesh->colors);
    if (!result)
        result = limberi_gltf_read_morphs(reader, geometry);
    return result ? result : limberi_gltf_read_layers(reader, geometry);
}
