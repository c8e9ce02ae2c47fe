// Typed arrays of a glTF file, opened once and then read as floats or as indices, whole or in blocks.
#include "io/gltf/read_accessor.h"

#include <math.h>
#include <string.h>

static uint8_t component_bytes(uint64_t component) {
    switch (component) {
    case LIMBERI_GLTF_INT8:
    case LIMBERI_GLTF_UINT8:
        return 1;
    case LIMBERI_GLTF_INT16:
    case LIMBERI_GLTF_UINT16:
        return 2;
    case LIMBERI_GLTF_UINT32:
    case LIMBERI_GLTF_FLOAT:
        return 4;
    default:
        return 0;
    }
}

// MAT2 and MAT3, whose small columns are padded, carry nothing that limber reads.
static uint8_t type_components(const char* type) {
    static const struct {
        const char* name;
        uint8_t components;
    } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(type, types[i].name) == 0)
            return types[i].components;
    return 0;
}

static uint32_t load_unsigned(const uint8_t* p, limberi_gltf_component component) {
    if (component == LIMBERI_GLTF_UINT8)
        return p[0];
    if (component == LIMBERI_GLTF_UINT16)
        return (uint32_t)p[0] | (uint32_t)p[1] << 8;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static float load_float(const uint8_t* p) {
    uint32_t bits = load_unsigned(p, LIMBERI_GLTF_UINT32);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float load_component(const uint8_t* p, limberi_gltf_component component, bool normalized) {
    float value = 0;
    float largest = 1;
    switch (component) {
    case LIMBERI_GLTF_FLOAT:
        return load_float(p);
    case LIMBERI_GLTF_INT8:
        value = (float)(int8_t)p[0];
        largest = 127;
        break;
    case LIMBERI_GLTF_UINT8:
        value = (float)p[0];
        largest = 255;
        break;
    case LIMBERI_GLTF_INT16:
        value = (float)(int16_t)load_unsigned(p, LIMBERI_GLTF_UINT16);
        largest = 32767;
        break;
    case LIMBERI_GLTF_UINT16:
        value = (float)load_unsigned(p, LIMBERI_GLTF_UINT16);
        largest = 65535;
        break;
    case LIMBERI_GLTF_UINT32:
        value = (float)load_unsigned(p, LIMBERI_GLTF_UINT32);
        largest = 4294967295.0f;
        break;
    }
    return normalized ? fmaxf(value / largest, -1.0f) : value;
}

// Whether `count` elements of `size` bytes, `stride` apart, from `offset` on, lie within `bytes`.
static bool fits(uint64_t bytes, uint64_t offset, uint64_t count, uint64_t stride, uint64_t size) {
    if (count == 0)
        return offset <= bytes;
    if (offset > bytes || size > bytes - offset)
        return false;
    return count - 1 <= (bytes - offset - size) / stride;
}

static limber_result fail_past_end(limberi_gltf_reader* reader, const limberi_gltf_place* place, uint32_t view) {
    return limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA, "reaches past the end of bufferViews[%u]", view);
}

static limber_result open_data(limberi_gltf_reader* reader, const limberi_gltf_place* place, const limberi_json* object,
                               limberi_gltf_accessor* a) {
    uint32_t view_index = LIMBERI_NONE;
    uint64_t offset = 0;
    uint64_t element = (uint64_t)a->components * a->component_bytes;
    limber_result result = limberi_gltf_index(reader, place, object, "bufferView", &reader->buffer_views, &view_index);
    if (!result)
        result = limberi_gltf_unsigned(reader, place, object, "byteOffset", &offset);
    a->stride = (uint32_t)element;
    if (result || view_index == LIMBERI_NONE)
        return result;
    limberi_gltf_view view;
    result = limberi_gltf_buffer_view(reader, view_index, &view);
    if (result)
        return result;
    if (view.stride && (view.stride < element || view.stride > 65536))
        return limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA,
                                 "its elements of %llu bytes do not fit the stride of %llu of bufferViews[%u]",
                                 (unsigned long long)element, (unsigned long long)view.stride, view_index);
    if (view.stride)
        a->stride = (uint32_t)view.stride;
    if (!fits(view.bytes.size, offset, a->count, a->stride, element))
        return fail_past_end(reader, place, view_index);
    a->data = view.bytes.data + offset;
    return LIMBER_OK;
}

static limber_result check_sparse_order(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                        const limberi_gltf_accessor* a) {
    uint64_t next = 0;
    size_t bytes = component_bytes(a->sparse_index_component);
    for (uint32_t i = 0; i < a->sparse_count; i++) {
        uint32_t index = load_unsigned(a->sparse_indices + bytes * i, a->sparse_index_component);
        if (index >= a->count)
            return limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA,
                                     "sparse index %u refers to element %u, but there are only %u", i, index, a->count);
        if (index < next)
            return limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA,
                                     "sparse index %u is not larger than the previous one", i);
        next = (uint64_t)index + 1;
    }
    return LIMBER_OK;
}

// The bytes of "indices" or "values".
static limber_result open_sparse_part(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                      const limberi_json* sparse, const char* key, uint32_t count, uint32_t element,
                                      const uint8_t** out) {
    const limberi_json* object = NULL;
    uint32_t view_index = LIMBERI_NONE;
    uint64_t offset = 0;
    limberi_gltf_view view;
    limber_result result = limberi_gltf_object(reader, place, sparse, key, &object);
    if (!result)
        result = limberi_gltf_index(reader, place, object, "bufferView", &reader->buffer_views, &view_index);
    if (!result)
        result = limberi_gltf_unsigned(reader, place, object, "byteOffset", &offset);
    if (!result && view_index == LIMBERI_NONE)
        result = limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA, "its sparse \"%s\" have no \"bufferView\"", key);
    if (!result)
        result = limberi_gltf_buffer_view(reader, view_index, &view);
    if (result)
        return result;
    if (!fits(view.bytes.size, offset, count, element, element))
        return fail_past_end(reader, place, view_index);
    *out = view.bytes.data + offset;
    return LIMBER_OK;
}

static limber_result open_sparse(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                 const limberi_json* object, limberi_gltf_accessor* a) {
    const limberi_json* sparse = NULL;
    uint64_t count = 0;
    uint64_t component = 0;
    limber_result result = limberi_gltf_object(reader, place, object, "sparse", &sparse);
    if (result || !sparse)
        return result;
    result = limberi_gltf_unsigned(reader, place, sparse, "count", &count);
    if (!result)
        result = limberi_gltf_unsigned(reader, place, limberi_json_get(sparse, "indices"), "componentType", &component);
    if (result)
        return result;
    if (count > a->count)
        return limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA, "has %llu sparse elements but only %u elements",
                                 (unsigned long long)count, a->count);
    if (component != LIMBERI_GLTF_UINT8 && component != LIMBERI_GLTF_UINT16 && component != LIMBERI_GLTF_UINT32)
        return limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA, "the type of its sparse indices is unknown");
    a->sparse_count = (uint32_t)count;
    a->sparse_index_component = (limberi_gltf_component)component;
    uint32_t element = (uint32_t)a->components * a->component_bytes;
    result = open_sparse_part(reader, place, sparse, "indices", a->sparse_count, component_bytes(component),
                              &a->sparse_indices);
    if (!result)
        result = open_sparse_part(reader, place, sparse, "values", a->sparse_count, element, &a->sparse_values);
    return result ? result : check_sparse_order(reader, place, a);
}

static limber_result open_accessor(limberi_gltf_reader* reader, uint32_t index, limberi_gltf_accessor* a) {
    const limberi_json* object = limberi_gltf_entry(&reader->accessors, index);
    limberi_gltf_place place = limberi_gltf_place_of(&reader->accessors, index);
    uint64_t component = 0;
    uint64_t count = UINT64_MAX;
    const char* type = "";
    memset(a, 0, sizeof *a);
    limber_result result = limberi_gltf_unsigned(reader, &place, object, "componentType", &component);
    if (!result)
        result = limberi_gltf_unsigned(reader, &place, object, "count", &count);
    if (!result)
        result = limberi_gltf_string(reader, &place, object, "type", &type);
    if (!result)
        result = limberi_gltf_boolean(reader, &place, object, "normalized", &a->normalized);
    if (result)
        return result;
    a->component_bytes = component_bytes(component);
    a->components = type_components(type);
    if (!a->component_bytes || !a->components)
        return limberi_gltf_fail(reader, &place, LIMBER_ERROR_DATA, "has no known \"%s\"",
                                 a->components ? "componentType" : "type");
    if (count == UINT64_MAX)
        return limberi_gltf_fail(reader, &place, LIMBER_ERROR_DATA, "has no \"count\"");
    if (count >= UINT32_MAX)
        return limberi_gltf_fail(reader, &place, LIMBER_ERROR_LIMIT, "has too many elements");
    a->index = index;
    a->count = (uint32_t)count;
    a->component = (limberi_gltf_component)component;
    result = open_data(reader, &place, object, a);
    if (!result)
        result = open_sparse(reader, &place, object, a);
    a->opened = !result;
    return result;
}

// Whether "VEC3" is one of the words of "VEC3 VEC4".
static bool type_is_among(uint8_t components, const char* types) {
    for (const char* word = types; *word;) {
        char type[8] = "";
        size_t length = strcspn(word, " ");
        memcpy(type, word, length < 7 ? length : 7);
        if (type_components(type) == components)
            return true;
        word += length + (word[length] == ' ');
    }
    return false;
}

limber_result limberi_gltf_open_index(limberi_gltf_reader* reader, uint32_t index, limberi_gltf_accessor** out) {
    *out = &reader->opened[index];
    return (*out)->opened ? LIMBER_OK : open_accessor(reader, index, *out);
}

limber_result limberi_gltf_open(limberi_gltf_reader* reader, const limberi_gltf_place* who, const limberi_json* object,
                                const char* what, const char* types, limberi_gltf_accessor** out) {
    uint32_t index = LIMBERI_NONE;
    *out = NULL;
    limber_result result = limberi_gltf_index(reader, who, object, what, &reader->accessors, &index);
    if (result || index == LIMBERI_NONE)
        return result;
    limberi_gltf_accessor* a;
    result = limberi_gltf_open_index(reader, index, &a);
    if (result)
        return result;
    if (!type_is_among(a->components, types))
        return limberi_gltf_fail(reader, who, LIMBER_ERROR_DATA, "\"%s\" is accessors[%u], which is not of type %s",
                                 what, index, types);
    *out = a;
    return LIMBER_OK;
}

limber_result limberi_gltf_attribute(limberi_gltf_reader* reader, const limberi_gltf_place* who,
                                     const limberi_json* attributes, const char* name, const char* types,
                                     uint32_t vertex_count, limberi_gltf_accessor** out) {
    limber_result result = limberi_gltf_open(reader, who, attributes, name, types, out);
    if (result || !*out || (*out)->count == vertex_count)
        return result;
    return limberi_gltf_fail(reader, who, LIMBER_ERROR_DATA, "\"%s\" has %u elements, but there are %u vertices", name,
                             (*out)->count, vertex_count);
}

// First sparse element at or after `first`.
static uint32_t sparse_start(const limberi_gltf_accessor* a, uint32_t first) {
    uint32_t low = 0;
    uint32_t high = a->sparse_count;
    size_t bytes = component_bytes(a->sparse_index_component);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (load_unsigned(a->sparse_indices + bytes * middle, a->sparse_index_component) < first)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The sparse elements of a block, one by one: false after the last. `at` runs from sparse_start on. Accessors may lie over
// each other, and mending one can change the order that was checked: the block's own bounds count.
static bool sparse_next(const limberi_gltf_accessor* a, uint32_t first, uint64_t end, uint32_t* at, uint32_t* element,
                        const uint8_t** value) {
    if (*at >= a->sparse_count)
        return false;
    size_t index_bytes = component_bytes(a->sparse_index_component);
    *element = load_unsigned(a->sparse_indices + index_bytes * *at, a->sparse_index_component);
    if (*element < first || *element >= end)
        return false;
    *value = a->sparse_values + (size_t)a->components * a->component_bytes * *at;
    (*at)++;
    return true;
}

static void load_element(const limberi_gltf_accessor* a, const uint8_t* p, float* out) {
    for (uint32_t c = 0; c < a->components; c++)
        out[c] = load_component(p + (size_t)c * a->component_bytes, a->component, a->normalized);
}

static void load_block(const limberi_gltf_accessor* a, uint32_t first, uint32_t count, float* out,
                       uint32_t out_stride) {
    const uint8_t* p = a->data + (size_t)a->stride * first;
    if (a->component != LIMBERI_GLTF_FLOAT) {
        for (uint32_t i = 0; i < count; i++)
            load_element(a, p + (size_t)a->stride * i, out + (size_t)out_stride * i);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < a->components; c++)
            out[(size_t)out_stride * i + c] = load_float(p + (size_t)a->stride * i + 4 * (size_t)c);
}

static limber_result check_finite(limberi_gltf_reader* reader, const limberi_gltf_accessor* a, uint32_t first,
                                  uint32_t count, float* values, uint32_t stride) {
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t c = 0; c < a->components; c++) {
            if (isfinite(values[(size_t)stride * i + c]))
                continue;
            limberi_gltf_place place = limberi_gltf_place_of(&reader->accessors, a->index);
            if (!reader->mends)
                return limberi_gltf_fail(reader, &place, LIMBER_ERROR_DATA, "element %u is not finite", first + i);
            values[(size_t)stride * i + c] = 0;
            if (!reader->mended)
                limberi_gltf_note(reader, &place,
                                  "has normals, texture coordinates or colors that are not finite; they count as 0");
            reader->mended = true;
        }
    }
    return LIMBER_OK;
}

limber_result limberi_gltf_read_floats(limberi_gltf_reader* reader, const limberi_gltf_accessor* a, uint32_t first,
                                       uint32_t count, float* out, uint32_t out_stride) {
    if (a->data) {
        load_block(a, first, count, out, out_stride);
    } else {
        for (uint32_t i = 0; i < count; i++)
            memset(out + (size_t)out_stride * i, 0, sizeof(float) * a->components);
    }
    const uint8_t* value;
    uint32_t element;
    uint32_t at = sparse_start(a, first);
    while (sparse_next(a, first, (uint64_t)first + count, &at, &element, &value))
        load_element(a, value, out + (size_t)out_stride * (element - first));
    bool could_be_bad = a->component == LIMBERI_GLTF_FLOAT;
    return could_be_bad ? check_finite(reader, a, first, count, out, out_stride) : LIMBER_OK;
}

void limberi_gltf_read_unsigned(const limberi_gltf_accessor* a, uint32_t first, uint32_t count, uint32_t* out) {
    size_t width = a->components;
    size_t bytes = a->component_bytes;
    for (size_t i = 0; i < count; i++) {
        const uint8_t* p = a->data ? a->data + (size_t)a->stride * (first + i) : NULL;
        for (size_t c = 0; c < width; c++)
            out[width * i + c] = p ? load_unsigned(p + bytes * c, a->component) : 0;
    }
    const uint8_t* value;
    uint32_t element;
    uint32_t at = sparse_start(a, first);
    while (sparse_next(a, first, (uint64_t)first + count, &at, &element, &value))
        for (size_t c = 0; c < width; c++)
            out[width * (element - first) + c] = load_unsigned(value + bytes * c, a->component);
}

bool limberi_gltf_is_unsigned(const limberi_gltf_accessor* a) {
    return a->component == LIMBERI_GLTF_UINT8 || a->component == LIMBERI_GLTF_UINT16 ||
           a->component == LIMBERI_GLTF_UINT32;
}

limber_result limberi_gltf_floats_shared(limberi_gltf_reader* reader, limberi_gltf_accessor* a, const float** out) {
    *out = a->floats;
    if (a->floats)
        return LIMBER_OK;
    float* floats = LIMBERI_ALLOCATE(&reader->scratch, float, (size_t)a->count * a->components);
    if (!floats)
        return limberi_fail_memory(reader->error);
    limber_result result = limberi_gltf_read_floats(reader, a, 0, a->count, floats, a->components);
    if (!result)
        *out = a->floats = floats;
    return result;
}
