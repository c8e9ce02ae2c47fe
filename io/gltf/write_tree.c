#include "base/error.h"
#include "io/gltf/write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VIEW_ALIGNMENT = 4 };

limber_result limberi_writer_status(const limberi_writer* writer, limber_error* error) {
    if (writer->not_finite)
        return limberi_fail(error, LIMBER_ERROR_DATA, "a value to write is not a finite number");
    if (writer->failed || writer->arena.failed || writer->reader.scratch.failed)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "out of memory");
    return LIMBER_OK;
}

void limberi_writer_free(limberi_writer* writer) {
    json_decref(writer->root);
    limberi_arena_free(&writer->reader.scratch);
    free(writer->segments);
    limberi_arena_free(&writer->arena);
    memset(writer, 0, sizeof *writer);
}

void limberi_scratch_free(limberi_writer* writer, limberi_arena* scratch) {
    writer->failed = writer->failed || scratch->failed;
    limberi_arena_free(scratch);
}

void limberi_put(limberi_writer* writer, json_t* object, const char* key, json_t* value) {
    if (json_object_set_new(object, key, value) != 0)
        writer->failed = true;
}

uint32_t limberi_push(limberi_writer* writer, json_t* array, json_t* value) {
    if (json_array_append_new(array, value) != 0) {
        writer->failed = true;
        return 0;
    }
    return (uint32_t)(json_array_size(array) - 1);
}

json_t* limberi_real(limberi_writer* writer, double value) {
    if (!isfinite(value)) {
        writer->not_finite = true;
        value = 0;
    }
    return json_real(value);
}

json_t* limberi_reals(limberi_writer* writer, const float* values, size_t count) {
    json_t* array = json_array();
    for (size_t i = 0; i < count; i++)
        limberi_push(writer, array, limberi_real(writer, (double)values[i]));
    return array;
}

json_t* limberi_child_array(limberi_writer* writer, json_t* object, const char* key) {
    json_t* child = json_object_get(object, key);
    if (json_is_array(child))
        return child;
    limberi_put(writer, object, key, json_array());
    return json_object_get(object, key);
}

json_t* limberi_child_object(limberi_writer* writer, json_t* object, const char* key) {
    json_t* child = json_object_get(object, key);
    if (json_is_object(child))
        return child;
    limberi_put(writer, object, key, json_object());
    return json_object_get(object, key);
}

json_t* limberi_item(const json_t* root, const char* array, size_t index) {
    return json_array_get(json_object_get(root, array), index);
}

uint32_t limberi_index(const json_t* object, const char* key) {
    const json_t* value = json_object_get(object, key);
    double index = json_is_number(value) ? json_number_value(value) : -1; // 24.0 is as good as 24
    return index >= 0 && index < UINT32_MAX ? (uint32_t)index : UINT32_MAX;
}

static bool segment_room(limberi_writer* writer) {
    if (writer->segment_count < writer->segment_capacity)
        return true;
    size_t capacity = writer->segment_capacity ? 2 * writer->segment_capacity : 64;
    limberi_bytes* grown = realloc(writer->segments, capacity * sizeof *grown);
    if (!grown) {
        writer->failed = true;
        return false;
    }
    writer->segments = grown;
    writer->segment_capacity = capacity;
    return true;
}

void limberi_writer_append(limberi_writer* writer, const void* data, size_t size) {
    if (!size || !segment_room(writer))
        return;
    limberi_bytes* segment = &writer->segments[writer->segment_count++];
    segment->data = data;
    segment->size = size;
    writer->byte_count += size;
}

uint32_t limberi_view_begin(limberi_writer* writer, int target, uint32_t stride) {
    limberi_writer_append(writer, NULL, (size_t)(-writer->byte_count & (VIEW_ALIGNMENT - 1)));
    json_t* view = json_object();
    limberi_put(writer, view, "buffer", json_integer(0));
    limberi_put(writer, view, "byteOffset", json_integer((json_int_t)writer->byte_count));
    limberi_put(writer, view, "byteLength", json_integer(0));
    if (stride)
        limberi_put(writer, view, "byteStride", json_integer(stride));
    if (target)
        limberi_put(writer, view, "target", json_integer(target));
    return limberi_push(writer, limberi_child_array(writer, writer->root, "bufferViews"), view);
}

void limberi_view_end(limberi_writer* writer, uint32_t view) {
    json_t* object = limberi_item(writer->root, "bufferViews", view);
    json_int_t start = json_integer_value(json_object_get(object, "byteOffset"));
    limberi_put(writer, object, "byteLength", json_integer((json_int_t)writer->byte_count - start));
}

uint32_t limberi_type_size(const char* type) {
    if (strcmp(type, "SCALAR") == 0)
        return 1;
    if (strcmp(type, "MAT4") == 0)
        return 16;
    return type[3] == '2' ? 2 : type[3] == '3' ? 3 : 4;
}

static void put_bounds(limberi_writer* writer, json_t* object, const float* values, size_t count, uint32_t size) {
    float low[16], high[16];
    memcpy(low, values, size * sizeof(float));
    memcpy(high, values, size * sizeof(float));
    for (size_t i = 0; i < count * size; i++) {
        uint32_t c = (uint32_t)(i % size);
        low[c] = fminf(low[c], values[i]);
        high[c] = fmaxf(high[c], values[i]);
        writer->not_finite |= !isfinite(values[i]);
    }
    limberi_put(writer, object, "min", limberi_reals(writer, low, size));
    limberi_put(writer, object, "max", limberi_reals(writer, high, size));
}

uint32_t limberi_accessor_add(limberi_writer* writer, const limberi_accessor* accessor) {
    json_t* object = json_object();
    if (accessor->view != UINT32_MAX)
        limberi_put(writer, object, "bufferView", json_integer(accessor->view));
    if (accessor->offset)
        limberi_put(writer, object, "byteOffset", json_integer((json_int_t)accessor->offset));
    limberi_put(writer, object, "componentType", json_integer(accessor->component_type));
    if (accessor->normalized)
        limberi_put(writer, object, "normalized", json_true());
    limberi_put(writer, object, "count", json_integer((json_int_t)accessor->count));
    limberi_put(writer, object, "type", json_string(accessor->type));
    if (accessor->bounds && accessor->count)
        put_bounds(writer, object, accessor->bounds, accessor->count, limberi_type_size(accessor->type));
    return limberi_push(writer, limberi_child_array(writer, writer->root, "accessors"), object);
}

uint32_t limberi_floats_add(limberi_writer* writer, const float* values, size_t count, const char* type, int target,
                            bool bounds) {
    uint32_t view = limberi_view_begin(writer, target, 0);
    limberi_writer_append(writer, values, count * limberi_type_size(type) * sizeof(float));
    limberi_view_end(writer, view);
    limberi_accessor accessor = {view, 0, LIMBERI_GLTF_FLOAT, type, count, false, bounds ? values : NULL};
    return limberi_accessor_add(writer, &accessor);
}

uint32_t limberi_part_count(const limber_mesh* mesh) {
    return mesh->part_count ? mesh->part_count : 1;
}

limber_part limberi_part_at(const limber_mesh* mesh, uint32_t part) {
    limber_part whole = {0, mesh->vertex_count, 0, mesh->triangle_count, -1};
    return mesh->part_count ? mesh->parts[part] : whole;
}
