// Primitives that KHR_draco_mesh_compression has packed. Their vertices and triangles are unpacked into new buffers, and
// the file is then as if it never had been packed: whatever writes it back writes plain accessors.
#include "io/gltf/read_accessor.h"

#include <string.h>

static const char extension_name[] = "KHR_draco_mesh_compression";

enum { MODE_TRIANGLES = 4, MAX_ATTRIBUTES = 64 };

// An accessor that gets its values here.
typedef struct target {
    limberi_json* accessor;
    uint64_t component, count, offset; // in the new buffer
    uint32_t width, stride;
} target;

typedef struct unpacking {
    limberi_gltf_reader* reader;
    limberi_gltf_place place;
    const limberi_json *primitive, *packing;
    limber_gltf_packed_mesh mesh;
    limber_gltf_packed_attribute attributes[MAX_ATTRIBUTES];
    target targets[MAX_ATTRIBUTES], indices;
    uint64_t byte_count; // of the new buffer
    uint8_t* room;
    uint32_t old_views; // how many views the file came with
    bool plain;         // it is there unpacked as well
} unpacking;

static limber_result fail(const unpacking* u, limber_result result, const char* message) {
    return limberi_gltf_fail(u->reader, &u->place, result, "%s", message);
}

static uint32_t bytes_of(uint64_t component) {
    if (component == LIMBERI_GLTF_INT8 || component == LIMBERI_GLTF_UINT8)
        return 1;
    if (component == LIMBERI_GLTF_INT16 || component == LIMBERI_GLTF_UINT16)
        return 2;
    return component == LIMBERI_GLTF_UINT32 || component == LIMBERI_GLTF_FLOAT ? 4 : 0;
}

static uint32_t width_of(const char* type) {
    if (strcmp(type, "SCALAR") == 0)
        return 1;
    return strncmp(type, "VEC", 3) == 0 && type[3] >= '2' && type[3] <= '4' && !type[4] ? (uint32_t)(type[3] - '0') : 0;
}

// The accessor that `object` names as `key`; t->accessor NULL: none, or one that has its values already.
static limber_result find_target(unpacking* u, const limberi_json* object, const char* key, target* t) {
    uint32_t index = LIMBERI_NONE;
    const char* type = "";
    memset(t, 0, sizeof *t);
    limber_result result = limberi_gltf_index(u->reader, &u->place, object, key, &u->reader->accessors, &index);
    if (result || index == LIMBERI_NONE)
        return result;
    const limberi_json* accessor = limberi_gltf_entry(&u->reader->accessors, index);
    limberi_gltf_place place = limberi_gltf_place_of(&u->reader->accessors, index);
    if (limberi_json_get(accessor, "bufferView")) {
        u->plain = u->plain || limberi_json_as_integer(limberi_json_get(accessor, "bufferView")) < u->old_views;
        return LIMBER_OK;
    }
    result = limberi_gltf_unsigned(u->reader, &place, accessor, "componentType", &t->component);
    if (!result)
        result = limberi_gltf_unsigned(u->reader, &place, accessor, "count", &t->count);
    if (!result)
        result = limberi_gltf_string(u->reader, &place, accessor, "type", &type);
    if (result)
        return result;
    t->accessor = limberi_json_at(u->reader->accessors.array, index);
    t->width = width_of(type);
    t->stride = (t->width * bytes_of(t->component) + 3) & ~3u;
    if (!t->stride)
        return limberi_gltf_fail(u->reader, &place, LIMBER_ERROR_DATA, "has no known \"type\" or \"componentType\"");
    return LIMBER_OK;
}

static limber_result find_attribute(unpacking* u, const char* name, const limberi_json* ids) {
    uint64_t id = UINT64_MAX;
    uint32_t n = u->mesh.attribute_count;
    limber_result result = limberi_gltf_unsigned(u->reader, &u->place, ids, name, &id);
    if (result || id == UINT64_MAX)
        return result;
    if (n == MAX_ATTRIBUTES || id > UINT32_MAX)
        return fail(u, LIMBER_ERROR_LIMIT, "has too many compressed attributes");
    target* t = &u->targets[n];
    result = find_target(u, limberi_json_get(u->primitive, "attributes"), name, t);
    if (result || !t->accessor)
        return result;
    limber_gltf_packed_attribute a = {(uint32_t)id, (uint32_t)t->component, t->width, t->stride, NULL};
    u->attributes[u->mesh.attribute_count++] = a;
    return LIMBER_OK;
}

// Everything that is to be unpacked, with its counts held against the limits.
static limber_result find_all(unpacking* u) {
    const limberi_json* attributes = limberi_json_get(u->primitive, "attributes");
    const limberi_json* ids = NULL;
    const limber_gltf_limits* limits = &u->reader->limits;
    target position;
    limber_result result = limberi_gltf_object(u->reader, &u->place, u->packing, "attributes", &ids);
    if (!result)
        result = find_target(u, attributes, "POSITION", &position);
    if (!result)
        result = find_target(u, u->primitive, "indices", &u->indices);
    if (result || !position.accessor)
        return result;
    if (!u->indices.accessor || u->indices.width != 1 || u->indices.component == LIMBERI_GLTF_FLOAT)
        return fail(u, LIMBER_ERROR_DATA, "is compressed but has no indices to unpack");
    if (position.count > limits->vertices || u->indices.count > 12 * limits->vertices)
        return fail(u, LIMBER_ERROR_LIMIT, "has more compressed vertices or triangles than the limits allow");
    u->indices.stride = bytes_of(u->indices.component);
    u->mesh.vertex_count = (uint32_t)position.count;
    u->mesh.index_count = (uint32_t)u->indices.count;
    for (uint32_t i = 0; i < limberi_json_count(ids); i++) {
        result = find_attribute(u, limberi_json_key_at(ids, i), ids);
        if (result)
            return result;
    }
    return LIMBER_OK;
}

static limber_result find_bytes(unpacking* u) {
    uint32_t index = LIMBERI_NONE;
    limberi_gltf_view view;
    limber_result result =
        limberi_gltf_index(u->reader, &u->place, u->packing, "bufferView", &u->reader->buffer_views, &index);
    if (!result && (index == LIMBERI_NONE || index >= u->old_views))
        result = fail(u, LIMBER_ERROR_DATA, "is compressed but names no \"bufferView\"");
    if (!result)
        result = limberi_gltf_buffer_view(u->reader, index, &view);
    if (result)
        return result;
    u->reader->packed_views[index] = true;
    u->mesh.bytes = view.bytes.data;
    u->mesh.byte_count = view.bytes.size;
    return LIMBER_OK;
}

// In the size that the accessor says; false: one that does not fit, or that names no vertex.
static bool store_indices(const unpacking* u, const uint32_t* indices) {
    uint32_t bytes = u->indices.stride;
    uint8_t* out = u->room + u->indices.offset;
    for (size_t i = 0; i < u->mesh.index_count; i++) {
        uint32_t index = indices[i];
        if (index >= u->mesh.vertex_count || (bytes < 4 && index >> (8 * bytes)))
            return false;
        for (uint32_t b = 0; b < bytes; b++)
            *out++ = (uint8_t)(index >> (8 * b));
    }
    return true;
}

// --- decoding ---

static void place_target(unpacking* u, target* t, uint32_t count) {
    t->count = count;
    t->offset = u->byte_count;
    u->byte_count += (t->count * t->stride + 3) & ~(uint64_t)3;
}

static limber_result allocate_targets(unpacking* u) {
    limberi_gltf_reader* reader = u->reader;
    u->byte_count = 0;
    place_target(u, &u->indices, u->mesh.index_count);
    for (uint32_t i = 0; i < u->mesh.attribute_count; i++)
        place_target(u, &u->targets[i], u->mesh.vertex_count);
    uint64_t bytes = u->byte_count + 4 * (uint64_t)u->mesh.index_count;
    limber_result result = limberi_gltf_charge(reader, &u->place, &reader->budget.bytes, bytes, "bytes");
    if (result)
        return result;
    u->room = LIMBERI_ALLOCATE(reader->arena, uint8_t, (size_t)u->byte_count);
    u->mesh.indices = LIMBERI_ALLOCATE(&reader->scratch, uint32_t, u->mesh.index_count);
    if (!u->room || !u->mesh.indices)
        return limberi_fail_memory(reader->error);
    for (uint32_t i = 0; i < u->mesh.attribute_count; i++)
        u->attributes[i].out = u->room + u->targets[i].offset;
    u->mesh.attributes = u->attributes;
    return LIMBER_OK;
}

static uint32_t limited(uint64_t count) {
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

// Other programs go by what they decode, so that files whose accessors have other counts exist.
static limber_result decode(unpacking* u) {
    const limber_gltf_limits* limits = &u->reader->limits;
    for (bool again = false;; again = true) {
        uint32_t counts[2] = {limited(limits->vertices), limited(12 * limits->vertices)};
        const uint32_t max[2] = {counts[0], counts[1]};
        limber_result result = allocate_targets(u);
        if (result)
            return result;
        u->mesh.counts = counts;
        if (limits->unpack_mesh(&u->mesh) && store_indices(u, u->mesh.indices))
            return LIMBER_OK;
        bool others = counts[0] != u->mesh.vertex_count || counts[1] != u->mesh.index_count;
        if (again || memcmp(counts, max, sizeof max) == 0 || counts[0] > max[0] || counts[1] > max[1] || !others)
            return fail(u, LIMBER_ERROR_DATA, "cannot be decompressed: it is damaged");
        u->mesh.vertex_count = counts[0];
        u->mesh.index_count = counts[1];
    }
}

// --- the result in the tree ---

static void set_number(limberi_gltf_reader* reader, limberi_json* object, const char* key, uint64_t value) {
    limberi_json_document* json = &reader->gltf->json;
    limberi_json_set(json, object, key, limberi_json_new_integer(json, (int64_t)value));
}

static double number_at(const uint8_t* bytes, uint64_t component) {
    float real = 0;
    uint32_t whole = 0;
    uint16_t two = 0;
    switch (component) {
    case LIMBERI_GLTF_INT8:
        return (int8_t)bytes[0];
    case LIMBERI_GLTF_UINT8:
        return bytes[0];
    case LIMBERI_GLTF_INT16:
        memcpy(&two, bytes, sizeof two);
        return (int16_t)two;
    case LIMBERI_GLTF_UINT16:
        memcpy(&two, bytes, sizeof two);
        return two;
    case LIMBERI_GLTF_UINT32:
        memcpy(&whole, bytes, sizeof whole);
        return whole;
    default:
        memcpy(&real, bytes, sizeof real);
        return (double)real;
    }
}

// Packing rounds: the bounds are those of the values that came out.
static void set_bound(unpacking* u, const target* t, const char* key, double sign) {
    limberi_json_document* json = &u->reader->gltf->json;
    limberi_json* bound = limberi_json_new(json, LIMBERI_JSON_ARRAY);
    for (uint32_t c = 0; c < t->width; c++) {
        const uint8_t* bytes = u->room + t->offset + c * (size_t)bytes_of(t->component);
        double best = number_at(bytes, t->component);
        for (uint64_t i = 1; i < t->count; i++) {
            double value = number_at(bytes + i * t->stride, t->component);
            if (sign * value > sign * best)
                best = value;
        }
        limberi_json_append(json, bound, limberi_json_new_real(json, best));
    }
    limberi_json_set(json, t->accessor, key, bound);
}

static void update_accessor(unpacking* u, const target* t) {
    set_number(u->reader, t->accessor, "count", t->count);
    if (t->count && limberi_json_get(t->accessor, "min"))
        set_bound(u, t, "min", -1);
    if (t->count && limberi_json_get(t->accessor, "max"))
        set_bound(u, t, "max", 1);
}

static void add_view(unpacking* u, const target* t, bool vertices) {
    limberi_gltf_reader* reader = u->reader;
    limberi_json_document* json = &reader->gltf->json;
    limberi_json* views = limberi_json_get(json->root, "bufferViews");
    limberi_json* view = limberi_json_new(json, LIMBERI_JSON_OBJECT);
    update_accessor(u, t);
    set_number(reader, t->accessor, "bufferView", limberi_json_count(views));
    limberi_json_remove(t->accessor, "byteOffset");
    set_number(reader, view, "buffer", reader->gltf->buffer_count);
    set_number(reader, view, "byteOffset", t->offset);
    set_number(reader, view, "byteLength", t->count * t->stride);
    if (vertices && t->stride != t->width * bytes_of(t->component))
        set_number(reader, view, "byteStride", t->stride);
    set_number(reader, view, "target", vertices ? 34962 : 34963);
    limberi_json_append(json, views, view);
}

static limber_result add_buffer(unpacking* u) {
    limberi_gltf_reader* reader = u->reader;
    limber_gltf* gltf = reader->gltf;
    limberi_bytes* buffers = LIMBERI_ALLOCATE(reader->arena, limberi_bytes, (size_t)gltf->buffer_count + 1);
    if (!buffers)
        return limberi_fail_memory(reader->error);
    add_view(u, &u->indices, false);
    for (uint32_t i = 0; i < u->mesh.attribute_count; i++)
        add_view(u, &u->targets[i], true);
    limberi_json* buffer = limberi_json_new(&gltf->json, LIMBERI_JSON_OBJECT);
    set_number(reader, buffer, "byteLength", u->byte_count);
    limberi_json_append(&gltf->json, limberi_json_get(gltf->json.root, "buffers"), buffer);
    memcpy(buffers, gltf->buffers, gltf->buffer_count * sizeof *buffers);
    buffers[gltf->buffer_count].data = u->room;
    buffers[gltf->buffer_count].size = (size_t)u->byte_count;
    gltf->buffers = buffers;
    reader->buffers.count = ++gltf->buffer_count;
    reader->unpacked = true;
    reader->buffer_views.count = limberi_json_count(reader->buffer_views.array);
    return gltf->json.arena.failed ? limberi_fail_memory(reader->error) : LIMBER_OK;
}

// --- all of them ---

// *plain: it has its values unpacked as well and stays as it is.
static limber_result unpack_primitive(limberi_gltf_reader* reader, limberi_gltf_place place, uint32_t old_views,
                                      limberi_json* primitive, bool* plain) {
    const limberi_json* packing = limberi_json_get(limberi_json_get(primitive, "extensions"), extension_name);
    unpacking u = {
        .reader = reader, .place = place, .primitive = primitive, .packing = packing, .old_views = old_views};
    uint64_t mode = MODE_TRIANGLES;
    if (!u.packing)
        return LIMBER_OK;
    limber_result result = limberi_gltf_unsigned(reader, &u.place, primitive, "mode", &mode);
    if (!result && mode != MODE_TRIANGLES)
        result = fail(&u, LIMBER_ERROR_UNSUPPORTED, "is a compressed strip, which limber cannot read");
    if (!result)
        result = find_all(&u);
    if (!result && u.mesh.attribute_count)
        result = find_bytes(&u);
    if (!result && u.mesh.attribute_count)
        result = decode(&u);
    if (!result && u.mesh.attribute_count)
        result = add_buffer(&u);
    if (u.plain && !u.mesh.attribute_count) {
        *plain = true;
        return result;
    }
    limberi_json* extensions = limberi_json_get(primitive, "extensions");
    limberi_json_remove(extensions, extension_name);
    if (!limberi_json_count(extensions))
        limberi_json_remove(primitive, "extensions");
    return result;
}

limber_result limberi_gltf_unpack_meshes(limberi_gltf_reader* reader) {
    uint32_t old_views = reader->buffer_views.count;
    bool plain = false;
    if (!reader->limits.unpack_mesh)
        return LIMBER_OK;
    reader->packed_views = LIMBERI_ALLOCATE(&reader->scratch, bool, old_views);
    reader->packed_view_count = old_views;
    if (!reader->packed_views)
        return limberi_fail_memory(reader->error);
    for (uint32_t m = 0; m < reader->meshes.count; m++) {
        const limberi_json* primitives = limberi_json_get(limberi_gltf_entry(&reader->meshes, m), "primitives");
        for (uint32_t p = 0; p < limberi_json_count(primitives); p++) {
            limberi_gltf_place place =
                limberi_gltf_place_in(limberi_gltf_place_of(&reader->meshes, m), "primitives", p);
            limber_result result = unpack_primitive(reader, place, old_views, limberi_json_at(primitives, p), &plain);
            if (result)
                return result;
        }
    }
    if (!plain)
        limberi_gltf_undeclare(reader->gltf->json.root, extension_name);
    return LIMBER_OK;
}
