// The JSON tree of a file while it is written: objects, arrays, numbers.
#include "base/error.h"
#include "base/memory.h"
#include "io/gltf/write.h"
#include "text/text.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VIEW_ALIGNMENT = 4, FLOAT_DIGITS = 9 }; // nine digits give every float back

limber_result limberi_writer_status(const limberi_writer* writer, limber_error* error) {
    if (writer->not_finite)
        return limberi_fail(error, LIMBER_ERROR_DATA,
                            "the motion or the style is too extreme: a number to write is not finite");
    if (writer->not_utf8)
        return limberi_fail(error, LIMBER_ERROR_DATA, "a name to write is not UTF-8 text");
    if (writer->lost)
        return limberi_fail(error, LIMBER_ERROR_FILE, "cannot read the bake back from the disk");
    if (writer->failed || writer->arena.failed || writer->json.arena.failed || writer->reader.scratch.failed)
        return limberi_fail_memory(error);
    return LIMBER_OK;
}

bool limberi_repairs(const limberi_writer* writer, limber_repair repair) {
    return writer->repairs >> repair & 1;
}

void limberi_writer_free(limberi_writer* writer) {
    limberi_json_free(&writer->json);
    (void)limberi_known_free(&writer->reader.files);
    limberi_arena_free(&writer->reader.scratch);
    limberi_release(writer->segments);
    limberi_arena_free(&writer->arena);
    memset(writer, 0, sizeof *writer);
}

void limberi_scratch_free(limberi_writer* writer, limberi_arena* scratch) {
    writer->failed = writer->failed || scratch->failed;
    limberi_arena_free(scratch);
}

limberi_json* limberi_new_object(limberi_writer* writer) {
    return limberi_json_new(&writer->json, LIMBERI_JSON_OBJECT);
}

limberi_json* limberi_new_array(limberi_writer* writer) {
    return limberi_json_new(&writer->json, LIMBERI_JSON_ARRAY);
}

void limberi_put(limberi_writer* writer, limberi_json* object, const char* key, limberi_json* value) {
    limberi_json_set(&writer->json, object, key, value);
}

void limberi_put_integer(limberi_writer* writer, limberi_json* object, const char* key, int64_t integer) {
    limberi_put(writer, object, key, limberi_json_new_integer(&writer->json, integer));
}

// A name of a model that was made by code may be anything.
static limberi_json* new_string(limberi_writer* writer, const char* text) {
    writer->not_utf8 = writer->not_utf8 || !limberi_utf8_is_valid(text, strlen(text));
    return limberi_json_new_string(&writer->json, text);
}

void limberi_put_string(limberi_writer* writer, limberi_json* object, const char* key, const char* text) {
    limberi_put(writer, object, key, new_string(writer, text));
}

uint32_t limberi_push(limberi_writer* writer, limberi_json* array, limberi_json* value) {
    limberi_json_append(&writer->json, array, value);
    uint32_t count = limberi_json_count(array);
    return count ? count - 1 : 0;
}

void limberi_push_integer(limberi_writer* writer, limberi_json* array, int64_t integer) {
    limberi_push(writer, array, limberi_json_new_integer(&writer->json, integer));
}

void limberi_push_string(limberi_writer* writer, limberi_json* array, const char* text) {
    limberi_push(writer, array, new_string(writer, text));
}

limberi_json* limberi_real(limberi_writer* writer, double value) {
    if (!isfinite(value)) {
        writer->not_finite = true;
        value = 0;
    }
    return limberi_json_new_real(&writer->json, value);
}

// The double with the fewest digits that is this float again: 0.1, not 0.10000000149011612.
static double shortest_double(float value) {
    char text[LIMBERI_DECIMAL_CHARS];
    for (int digits = 6; fabsf(value) < 0.1f * FLT_MAX && digits <= FLOAT_DIGITS; digits++) {
        double shorter = limberi_decimal_read(text, limberi_decimal_format((double)value, digits, text));
        if ((float)shorter == value)
            return shorter;
    }
    return (double)value;
}

limberi_json* limberi_reals(limberi_writer* writer, const float* values, size_t count) {
    limberi_json* array = limberi_new_array(writer);
    for (size_t i = 0; i < count; i++)
        limberi_push(writer, array, limberi_real(writer, shortest_double(values[i])));
    return array;
}

limberi_json* limberi_child_array(limberi_writer* writer, limberi_json* object, const char* key) {
    limberi_json* child = limberi_json_get(object, key);
    if (limberi_json_is(child, LIMBERI_JSON_ARRAY))
        return child;
    limberi_put(writer, object, key, limberi_new_array(writer));
    return limberi_json_get(object, key);
}

limberi_json* limberi_child_object(limberi_writer* writer, limberi_json* object, const char* key) {
    limberi_json* child = limberi_json_get(object, key);
    if (limberi_json_is(child, LIMBERI_JSON_OBJECT))
        return child;
    limberi_put(writer, object, key, limberi_new_object(writer));
    return limberi_json_get(object, key);
}

limberi_json* limberi_item(const limberi_json* root, const char* array, size_t index) {
    return limberi_json_at(limberi_json_get(root, array), index);
}

uint32_t limberi_index(const limberi_json* object, const char* key) {
    const limberi_json* value = limberi_json_get(object, key);
    double index = limberi_json_is_number(value) ? limberi_json_as_number(value) : -1; // 24.0 is as good as 24
    return index >= 0 && index < UINT32_MAX ? (uint32_t)index : UINT32_MAX;
}

static bool segment_room(limberi_writer* writer) {
    limberi_segment* segments =
        limberi_list_with_room(writer->segments, writer->segment_count, &writer->segment_capacity, sizeof *segments);
    writer->failed = writer->failed || !segments;
    writer->segments = segments ? segments : writer->segments;
    return segments != NULL;
}

void limberi_writer_append(limberi_writer* writer, const void* data, size_t size) {
    if (!size || !segment_room(writer))
        return;
    limberi_segment segment = {.data = data, .size = size};
    writer->segments[writer->segment_count++] = segment;
    writer->byte_count += size;
}

void limberi_writer_append_later(limberi_writer* writer, limberi_fill fill, const void* user, uint64_t size,
                                 size_t step) {
    if (!size || !segment_room(writer))
        return;
    limberi_segment segment = {.fill = fill, .user = user, .size = size, .step = step};
    writer->segments[writer->segment_count++] = segment;
    writer->byte_count += size;
}

void limberi_writer_append_segment(limberi_writer* writer, const limberi_segment* segment) {
    if (!segment->size || !segment_room(writer))
        return;
    writer->segments[writer->segment_count++] = *segment;
    writer->byte_count += segment->size;
}

bool limberi_fill_stored(const void* user, uint64_t at, void* out, size_t count) {
    const limber_bake_store* store = user;
    return store->get(store->user, at, out, count);
}

void limberi_writer_append_rows(limberi_writer* writer, const limber_bake* bake) {
    const limber_model* model = limber_asset_model(writer->document->asset);
    uint64_t end = 0;
    for (uint32_t m = 0; m < bake->mesh_count && m < model->mesh_count; m++) {
        uint64_t size = (uint64_t)model->meshes[m].vertex_count * 3 * sizeof(float) * (bake->stored_normals ? 2 : 1);
        uint32_t count = bake->meshes[m].rows ? bake->meshes[m].target_count : 0; // rising offsets
        end = count && bake->meshes[m].rows[count - 1] + size > end ? bake->meshes[m].rows[count - 1] + size : end;
    }
    limberi_writer_append_later(writer, limberi_fill_stored, &bake->store, end, 1);
    writer->has_rows = end && writer->segment_count;
    writer->rows_view = UINT32_MAX;
    if (writer->has_rows)
        writer->segments[0].inside = true;
}

uint32_t limberi_view_of_rows(limberi_writer* writer) {
    if (writer->rows_view != UINT32_MAX)
        return writer->rows_view;
    writer->rows_view = limberi_view_begin(writer, LIMBERI_GLTF_VERTICES, 3 * sizeof(float));
    limberi_json* view = limberi_item(writer->json.root, "bufferViews", writer->rows_view);
    limberi_put_integer(writer, view, "byteOffset", 0);
    limberi_put_integer(writer, view, "byteLength", (int64_t)writer->segments[0].size);
    return writer->rows_view;
}

uint32_t limberi_view_begin(limberi_writer* writer, int target, uint32_t stride) {
    limberi_writer_append(writer, NULL, (size_t)(-writer->byte_count & (VIEW_ALIGNMENT - 1)));
    limberi_json* view = limberi_new_object(writer);
    limberi_put_integer(writer, view, "buffer", 0);
    limberi_put_integer(writer, view, "byteOffset", (int64_t)writer->byte_count);
    limberi_put_integer(writer, view, "byteLength", 0);
    if (stride)
        limberi_put_integer(writer, view, "byteStride", stride);
    if (target)
        limberi_put_integer(writer, view, "target", target);
    return limberi_push(writer, limberi_child_array(writer, writer->json.root, "bufferViews"), view);
}

void limberi_view_end(limberi_writer* writer, uint32_t view) {
    limberi_json* object = limberi_item(writer->json.root, "bufferViews", view);
    int64_t start = limberi_json_as_integer(limberi_json_get(object, "byteOffset"));
    limberi_put_integer(writer, object, "byteLength", (int64_t)writer->byte_count - start);
}

uint32_t limberi_type_size(const char* type) {
    if (strcmp(type, "SCALAR") == 0)
        return 1;
    if (strcmp(type, "MAT4") == 0)
        return 16;
    return type[3] == '2' || type[3] == '3' ? (uint32_t)(type[3] - '0') : 4;
}

static bool all_finite(const float* values, size_t count) {
    uint32_t bad = 0; // without a branch, for vectors
    for (size_t i = 0; values && i < count; i++)
        bad |= (uint32_t) !(fabsf(values[i]) <= FLT_MAX);
    return !bad;
}

void limberi_check_floats(limberi_writer* writer, const float* values, size_t count) {
    writer->not_finite |= !all_finite(values, count);
}

// Several elements side by side, for compilers to use vectors: morph targets are most of a file.
enum { BOUND_LANES = 48 };

static void find_bounds(const float* values, size_t count, uint32_t size, float* low, float* high) {
    float min[BOUND_LANES], max[BOUND_LANES];
    size_t i = 0;
    size_t numbers = count * size;
    size_t lanes = BOUND_LANES / size * size;
    for (uint32_t k = 0; k < BOUND_LANES; k++)
        min[k] = max[k] = values[k % size];
    for (; lanes == BOUND_LANES && i + BOUND_LANES <= numbers; i += BOUND_LANES)
        for (uint32_t k = 0; k < BOUND_LANES; k++) {
            min[k] = values[i + k] < min[k] ? values[i + k] : min[k];
            max[k] = values[i + k] > max[k] ? values[i + k] : max[k];
        }
    for (; i < numbers; i++) {
        uint32_t k = (uint32_t)(i % size);
        min[k] = values[i] < min[k] ? values[i] : min[k];
        max[k] = values[i] > max[k] ? values[i] : max[k];
    }
    for (uint32_t k = 0; k < lanes; k++) {
        low[k % size] = k < size || min[k] < low[k % size] ? min[k] : low[k % size];
        high[k % size] = k < size || max[k] > high[k % size] ? max[k] : high[k % size];
    }
}

limberi_extent limberi_extent_of(const float* values, size_t count, uint32_t size) {
    limberi_extent bounds;
    find_bounds(values, count, size, bounds.low, bounds.high);
    bounds.finite = all_finite(values, count * size);
    return bounds;
}

static void put_bounds(limberi_writer* writer, limberi_json* object, const limberi_extent* bounds, uint32_t size) {
    writer->not_finite |= !bounds->finite;
    limberi_put(writer, object, "min", limberi_reals(writer, bounds->low, size));
    limberi_put(writer, object, "max", limberi_reals(writer, bounds->high, size));
}

uint32_t limberi_accessor_add(limberi_writer* writer, const limberi_accessor* accessor) {
    limberi_json* object = limberi_new_object(writer);
    if (accessor->view != UINT32_MAX)
        limberi_put_integer(writer, object, "bufferView", accessor->view);
    if (accessor->offset)
        limberi_put_integer(writer, object, "byteOffset", (int64_t)accessor->offset);
    limberi_put_integer(writer, object, "componentType", accessor->component_type);
    if (accessor->normalized)
        limberi_put(writer, object, "normalized", limberi_json_new_switch(&writer->json, true));
    limberi_put_integer(writer, object, "count", (int64_t)accessor->count);
    limberi_put_string(writer, object, "type", accessor->type);
    uint32_t size = limberi_type_size(accessor->type);
    if (accessor->known) {
        put_bounds(writer, object, accessor->known, size);
    } else if (accessor->bounds && accessor->count) {
        limberi_extent bounds = limberi_extent_of(accessor->bounds, accessor->count, size);
        put_bounds(writer, object, &bounds, size);
    }
    return limberi_push(writer, limberi_child_array(writer, writer->json.root, "accessors"), object);
}

static limberi_json* put_sparse(limberi_writer* writer, limberi_json* sparse, const char* key, const void* data,
                                size_t size) {
    uint32_t view = limberi_view_begin(writer, 0, 0);
    limberi_writer_append(writer, data, size);
    limberi_view_end(writer, view);
    limberi_json* part = limberi_child_object(writer, sparse, key);
    limberi_put_integer(writer, part, "bufferView", view);
    return part;
}

void limberi_accessor_scatter(limberi_writer* writer, uint32_t accessor, const uint32_t* indices, const float* values,
                              size_t count) {
    limberi_json* object = limberi_item(writer->json.root, "accessors", accessor);
    limberi_json* sparse = limberi_child_object(writer, object, "sparse");
    limberi_put_integer(writer, sparse, "count", (int64_t)count);
    limberi_json* part = put_sparse(writer, sparse, "indices", indices, count * sizeof *indices);
    limberi_put_integer(writer, part, "componentType", LIMBERI_GLTF_UINT32);
    limberi_check_floats(writer, values, count);
    put_sparse(writer, sparse, "values", values, count * sizeof *values);
}

uint32_t limberi_floats_add(limberi_writer* writer, const float* values, size_t count, const char* type, int target,
                            bool bounds) {
    uint32_t view = limberi_view_begin(writer, target, 0);
    limberi_check_floats(writer, values, count * limberi_type_size(type));
    limberi_writer_append(writer, values, count * limberi_type_size(type) * sizeof(float));
    limberi_view_end(writer, view);
    limberi_accessor accessor = {.view = view,
                                 .component_type = LIMBERI_GLTF_FLOAT,
                                 .type = type,
                                 .count = count,
                                 .bounds = bounds ? values : NULL};
    return limberi_accessor_add(writer, &accessor);
}

uint32_t limberi_part_count(const limber_mesh* mesh) {
    return mesh->part_count ? mesh->part_count : 1;
}

limber_part limberi_part_at(const limber_mesh* mesh, uint32_t part) {
    limber_part whole = {0, mesh->vertex_count, 0, mesh->triangle_count, -1};
    return mesh->part_count ? mesh->parts[part] : whole;
}
