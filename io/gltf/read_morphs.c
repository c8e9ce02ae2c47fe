// Morph targets and the _LIMBER_<NAME> layers of a mesh.
#include "io/gltf/read_mesh.h"
#include "text/text.h"

#include <string.h>

enum { LAYER_LIMIT = 256 };
static const char LAYER_PREFIX[] = "_LIMBER_";

// All primitives of a mesh must have the same number of targets.
limber_result limberi_gltf_count_morphs(limberi_gltf_reader* reader, limberi_gltf_geometry* geometry) {
    bool normals = false;
    size_t count = 0;
    for (uint32_t i = 0; i < geometry->primitive_count; i++) {
        const limberi_gltf_primitive* primitive = &geometry->primitives[i];
        const limberi_json* targets = NULL;
        limber_result result = limberi_gltf_array(reader, &primitive->place, primitive->object, "targets", &targets);
        if (result)
            return result;
        if (i && limberi_json_count(targets) != count)
            return limberi_gltf_fail(reader, &primitive->place, LIMBER_ERROR_DATA,
                                     "has %u morph targets, the first primitive has %zu", limberi_json_count(targets),
                                     count);
        count = limberi_json_count(targets);
        for (size_t t = 0; t < count; t++) {
            const limberi_json* target = limberi_json_at(targets, t);
            if (!limberi_json_is(target, LIMBERI_JSON_OBJECT))
                return limberi_gltf_fail(reader, &primitive->place, LIMBER_ERROR_DATA,
                                         "morph target %zu must be an object", t);
            normals = normals || limberi_json_get(target, "NORMAL");
        }
    }
    limber_morph* morphs = LIMBERI_ALLOCATE(&reader->scratch, limber_morph, count);
    if (!morphs)
        return limberi_fail_memory(reader->error);
    geometry->mesh.morph_count = (uint32_t)count;
    geometry->mesh.morphs = morphs;
    geometry->morph_normals = normals;
    return LIMBER_OK;
}

static limber_result read_target(limberi_gltf_reader* reader, const limberi_gltf_geometry* geometry, uint32_t index,
                                 const char* name, const float** out) {
    float* values = LIMBERI_ALLOCATE(&reader->scratch, float, 3 * (size_t)geometry->mesh.vertex_count);
    if (!values)
        return limberi_fail_memory(reader->error);
    *out = values;
    for (uint32_t i = 0; i < geometry->primitive_count; i++) {
        const limberi_gltf_primitive* primitive = &geometry->primitives[i];
        const limberi_json* target = limberi_json_at(limberi_json_get(primitive->object, "targets"), index);
        limberi_gltf_accessor* accessor;
        limber_result result =
            limberi_gltf_attribute(reader, &primitive->place, target, name, "VEC3", primitive->vertex_count, &accessor);
        if (!result && accessor)
            result = limberi_gltf_read_floats(reader, accessor, 0, primitive->vertex_count,
                                              values + 3 * (size_t)primitive->first_vertex, 3);
        if (result)
            return result;
    }
    return LIMBER_OK;
}

static const char* target_name(limberi_gltf_reader* reader, const limberi_gltf_geometry* geometry, uint32_t index) {
    const limberi_json* extras = limberi_json_get(limberi_gltf_entry(&reader->meshes, geometry->index), "extras");
    const char* name = limberi_json_as_text(limberi_json_at(limberi_json_get(extras, "targetNames"), index));
    if (name)
        return limberi_gltf_cut(reader, name);
    char text[32];
    limberi_format(text, sizeof text, "target_%u", index);
    return limberi_arena_string(&reader->scratch, text);
}

limber_result limberi_gltf_read_morphs(limberi_gltf_reader* reader, limberi_gltf_geometry* geometry) {
    limber_morph* morphs = (limber_morph*)(uintptr_t)geometry->mesh.morphs; // the reader's own memory
    for (uint32_t t = 0; t < geometry->mesh.morph_count; t++) {
        morphs[t].name = target_name(reader, geometry, t);
        limber_result result = read_target(reader, geometry, t, "POSITION", &morphs[t].positions);
        if (!result && geometry->morph_normals)
            result = read_target(reader, geometry, t, "NORMAL", &morphs[t].normals);
        if (result)
            return result;
    }
    return LIMBER_OK;
}

// "_LIMBER_FLOPPY" -> "floppy"; false for other attributes.
static bool layer_name(const char* attribute, char* out, size_t size) {
    size_t prefix = sizeof LAYER_PREFIX - 1;
    size_t count = 0;
    if (strncmp(attribute, LAYER_PREFIX, prefix) != 0 || !attribute[prefix])
        return false;
    for (const char* p = attribute + prefix; *p && count + 1 < size; p++)
        out[count++] = limberi_lowercase(*p);
    out[count] = 0;
    limberi_text_tidy(out);
    return true;
}

static int32_t find_layer(const limber_layer* layers, uint32_t count, const char* name) {
    for (uint32_t i = 0; i < count; i++)
        if (layers[i].name && strcmp(layers[i].name, name) == 0)
            return (int32_t)i;
    return -1;
}

static limber_result count_in_primitive(limberi_gltf_reader* reader, limberi_gltf_geometry* geometry,
                                        const limberi_gltf_primitive* primitive, limber_layer* layers) {
    const char* attribute;
    char name[LIMBERI_NAME_BYTES];
    for (size_t i = 0; (attribute = limberi_json_key_at(primitive->attributes, i)) != NULL; i++) {
        if (!layer_name(attribute, name, sizeof name) || find_layer(layers, geometry->mesh.layer_count, name) >= 0)
            continue;
        if (geometry->mesh.layer_count == LAYER_LIMIT)
            return limberi_gltf_fail(reader, &primitive->place, LIMBER_ERROR_LIMIT, "has too many layers (max %d)",
                                     LAYER_LIMIT);
        const char* kept = limberi_arena_string(&reader->scratch, name);
        if (!kept)
            return limberi_fail_memory(reader->error);
        layers[geometry->mesh.layer_count++].name = kept;
    }
    return LIMBER_OK;
}

limber_result limberi_gltf_count_layers(limberi_gltf_reader* reader, limberi_gltf_geometry* geometry) {
    limber_layer found[LAYER_LIMIT] = {{NULL, NULL}};
    for (uint32_t i = 0; i < geometry->primitive_count; i++) {
        limber_result result = count_in_primitive(reader, geometry, &geometry->primitives[i], found);
        if (result)
            return result;
    }
    geometry->mesh.layers = LIMBERI_COPY(&reader->scratch, limber_layer, found, geometry->mesh.layer_count);
    return geometry->mesh.layers ? LIMBER_OK : limberi_fail_memory(reader->error);
}

static limber_result read_layers_of(limberi_gltf_reader* reader, const limberi_gltf_geometry* geometry,
                                    const limberi_gltf_primitive* primitive, float* const* values) {
    const char* attribute;
    char name[LIMBERI_NAME_BYTES];
    for (size_t i = 0; (attribute = limberi_json_key_at(primitive->attributes, i)) != NULL; i++) {
        limberi_gltf_accessor* accessor;
        if (!layer_name(attribute, name, sizeof name))
            continue;
        int32_t layer = find_layer(geometry->mesh.layers, geometry->mesh.layer_count, name);
        limber_result result = limberi_gltf_attribute(reader, &primitive->place, primitive->attributes, attribute,
                                                      "SCALAR", primitive->vertex_count, &accessor);
        if (!result && accessor && layer >= 0)
            result = limberi_gltf_read_floats(reader, accessor, 0, primitive->vertex_count,
                                              values[layer] + primitive->first_vertex, 1);
        if (result)
            return result;
    }
    return LIMBER_OK;
}

// A layer that only some primitives have counts as 1 on the others, as it does on whole meshes.
limber_result limberi_gltf_read_layers(limberi_gltf_reader* reader, limberi_gltf_geometry* geometry) {
    limber_layer* layers = (limber_layer*)(uintptr_t)geometry->mesh.layers; // the reader's own memory
    float* values[LAYER_LIMIT];
    for (uint32_t i = 0; i < geometry->mesh.layer_count; i++) {
        values[i] = LIMBERI_ALLOCATE(&reader->scratch, float, geometry->mesh.vertex_count);
        if (!values[i])
            return limberi_fail_memory(reader->error);
        layers[i].values = values[i];
        for (uint32_t v = 0; v < geometry->mesh.vertex_count; v++)
            values[i][v] = 1;
    }
    for (uint32_t i = 0; i < geometry->primitive_count; i++) {
        limber_result result = read_layers_of(reader, geometry, &geometry->primitives[i], values);
        if (result)
            return result;
    }
    return LIMBER_OK;
}
