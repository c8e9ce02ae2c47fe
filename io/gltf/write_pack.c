// EXT_meshopt_compression: every view that may be packed is, as the last step before the file is written. The bytes go
// through a file without a name, so that memory holds one view at a time.
#include "base/error.h"
#include "base/memory.h"
#include "io/gltf/write.h"

#include <math.h>
#include <string.h>

// In the tree until the view is packed.
static const char* const bits_key = "limber_bits";
static const char* const group_key = "limber_group";
static const char* const extension = "EXT_meshopt_compression";
static const uint32_t mixed = UINT32_MAX;
enum { LARGEST_STRIDE = 256 };

// What a view holds, by those who use it.
typedef struct view_use {
    uint32_t stride; // 0: nobody says; mixed: they do not agree
    bool indices, vertices;
} view_use;

typedef struct packer {
    limberi_writer* writer;
    const limber_gltf_edits* edits;
    limber_bake_store* store;
    uint64_t stored, room; // bytes packed, bytes they stand for
    uint64_t* starts;      // [segment] in the buffer
    view_use* uses;        // [view]
    size_t view_count, packed_count;
    limber_error* error;
} packer;

// --- who uses a view ---

static void note(packer* p, uint32_t view, uint32_t stride, bool indices) {
    if (view >= p->view_count)
        return;
    view_use* use = &p->uses[view];
    use->stride = !use->stride || use->stride == stride ? stride : mixed;
    use->indices = use->indices || indices;
    use->vertices = use->vertices || !indices;
}

static uint32_t component_bytes(const limberi_json* object) {
    int64_t type = limberi_json_as_integer(limberi_json_get(object, "componentType"));
    if (type == LIMBERI_GLTF_FLOAT || type == LIMBERI_GLTF_UINT32)
        return 4;
    return type == LIMBERI_GLTF_UINT16 || type == LIMBERI_GLTF_INT16 ? 2 : 1;
}

static uint32_t element_bytes(const limberi_json* accessor) {
    const char* type = limberi_json_as_text(limberi_json_get(accessor, "type"));
    bool known = type && (strncmp(type, "MAT", 3) != 0 || strcmp(type, "MAT4") == 0);
    return known ? component_bytes(accessor) * limberi_type_size(type) : mixed;
}

// [accessor] Those that hold the corners of triangles; NULL when memory is short.
static bool* find_indices(const packer* p, uint32_t accessor_count) {
    const limberi_json* meshes = limberi_json_get(p->writer->json.root, "meshes");
    bool* found = LIMBERI_ALLOCATE(&p->writer->arena, bool, (size_t)accessor_count + 1);
    size_t m, i;
    const limberi_json *mesh, *primitive;
    for (m = 0; found && (mesh = limberi_json_at(meshes, m)) != NULL; m++)
        for (i = 0; (primitive = limberi_json_at(limberi_json_get(mesh, "primitives"), i)) != NULL; i++) {
            uint32_t accessor = limberi_index(primitive, "indices");
            if (accessor < accessor_count)
                found[accessor] = true;
        }
    return found;
}

static void note_accessor(packer* p, const limberi_json* accessor, bool indices) {
    const limberi_json* root = p->writer->json.root;
    const limberi_json* sparse = limberi_json_get(accessor, "sparse");
    uint32_t view = limberi_index(accessor, "bufferView");
    uint32_t stride = limberi_index(limberi_item(root, "bufferViews", view), "byteStride");
    note(p, view, stride == UINT32_MAX ? element_bytes(accessor) : stride, indices);
    const limberi_json* part = limberi_json_get(sparse, "indices");
    note(p, limberi_index(part, "bufferView"), component_bytes(part), true);
    note(p, limberi_index(limberi_json_get(sparse, "values"), "bufferView"), element_bytes(accessor), false);
}

// --- the bytes of a view ---

// The segment that holds a byte.
static size_t segment_at(const packer* p, uint64_t byte) {
    size_t low = 0;
    size_t high = p->writer->segment_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (p->starts[middle] <= byte)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Bytes that are made later are only ever asked for whole: no view has part of such a segment.
static bool read_bytes(const packer* p, uint64_t from, uint8_t* out, size_t count) {
    for (size_t s = segment_at(p, from); count && s < p->writer->segment_count; s++) {
        const limberi_segment* segment = &p->writer->segments[s];
        uint64_t skipped = from - p->starts[s];
        uint64_t left = segment->size - skipped;
        size_t some = left < count ? (size_t)left : count;
        if (segment->fill && (skipped || some < segment->size || !segment->fill(segment->user, 0, out, some)))
            return false;
        if (!segment->fill && segment->data)
            memcpy(out, (const uint8_t*)segment->data + skipped, some);
        else if (!segment->fill)
            memset(out, 0, some);
        out += some;
        from += some;
        count -= some;
    }
    return count == 0;
}

static bool store_bytes(packer* p, const uint8_t* bytes, size_t count) {
    static const uint8_t zeros[4] = {0};
    size_t padding = -count & 3;
    bool done = p->store->put(p->store->user, p->stored, bytes, count) &&
                (!padding || p->store->put(p->store->user, p->stored + count, zeros, padding));
    p->stored += count + padding;
    return done;
}

// --- one view ---

static bool may_pack(const view_use* use, size_t size) {
    if (!use->stride || use->stride == mixed || (use->indices && use->vertices) || !size || size % use->stride)
        return false;
    return use->indices ? use->stride == 2 || use->stride == 4 : use->stride % 4 == 0 && use->stride <= LARGEST_STRIDE;
}

// Filtered numbers may be off by a step of their group's largest.
static bool is_near(const limber_gltf_unpacked* view, const float* b) {
    const float* a = (const float*)(const void*)view->bytes;
    size_t width = view->stride / sizeof(float);
    size_t group = (view->group ? view->group : 1) * width;
    for (size_t first = 0; first < view->count * width; first += group) {
        size_t left = view->count * width - first;
        size_t end = first + (left < group ? left : group);
        float max = 0;
        for (size_t i = first; i < end; i++)
            max = fmaxf(max, fabsf(a[i]));
        for (size_t i = first; i < end; i++)
            if (!(fabsf(a[i] - b[i]) <= ldexpf(max, 1 - (int)view->bits)))
                return false;
    }
    return true;
}

static bool comes_back(const packer* p, const limber_gltf_unpacked* view, size_t packed) {
    limber_gltf_packed back = {view->mode, view->filter, view->out, packed, view->count, view->stride, NULL};
    size_t size = view->count * view->stride;
    back.out = limberi_allocate(size);
    bool good = back.out && p->edits->unpack(&back);
    if (good && view->filter == LIMBER_PACKED_PLAIN)
        good = memcmp(back.out, view->bytes, size) == 0;
    else if (good)
        good = is_near(view, (const float*)(const void*)back.out);
    limberi_release(back.out);
    return good;
}

static void describe(packer* p, limberi_json* object, const limber_gltf_unpacked* view, size_t packed) {
    limberi_writer* writer = p->writer;
    limberi_json* packing = limberi_child_object(writer, limberi_child_object(writer, object, "extensions"), extension);
    limberi_put_integer(writer, packing, "buffer", 0);
    limberi_put_integer(writer, packing, "byteOffset", (int64_t)p->stored);
    limberi_put_integer(writer, packing, "byteLength", (int64_t)packed);
    limberi_put_integer(writer, packing, "byteStride", (int64_t)view->stride);
    limberi_put_integer(writer, packing, "count", (int64_t)view->count);
    limberi_put_string(writer, packing, "mode", view->mode == LIMBER_PACKED_INDICES ? "INDICES" : "ATTRIBUTES");
    if (view->filter == LIMBER_PACKED_EXPONENTIAL)
        limberi_put_string(writer, packing, "filter", "EXPONENTIAL");
    limberi_put_integer(writer, object, "buffer", 1);
    limberi_put_integer(writer, object, "byteOffset", (int64_t)p->room);
    p->room += (view->count * view->stride + 3) & ~(uint64_t)3;
    p->packed_count++;
}

// The bytes of a view, packed where that makes them fewer.
static limber_result pack_bytes(packer* p, limberi_json* object, limber_gltf_unpacked* view, size_t size) {
    size_t packed = 0;
    view->room = p->edits->pack(view);
    view->out = limberi_allocate(view->room + 1);
    if (!view->out)
        return limberi_fail_memory(p->error);
    packed = view->room ? p->edits->pack(view) : 0;
    if (packed == SIZE_MAX) {
        limberi_release(view->out);
        return limberi_fail_memory(p->error);
    }
    if (packed && !comes_back(p, view, packed)) {
        limberi_release(view->out);
        return limberi_fail(p->error, LIMBER_ERROR_DATA, "a compressed view does not come back as it was");
    }
    bool smaller = packed && packed < size;
    if (smaller)
        describe(p, object, view, packed);
    else
        limberi_put_integer(p->writer, object, "byteOffset", (int64_t)p->stored);
    bool done = smaller ? store_bytes(p, view->out, packed) : store_bytes(p, view->bytes, size);
    limberi_release(view->out);
    return done ? LIMBER_OK : limberi_fail(p->error, LIMBER_ERROR_FILE, "no room on the disk for the file");
}

static limber_result pack_view(packer* p, size_t index) {
    limberi_json* object = limberi_item(p->writer->json.root, "bufferViews", index);
    const view_use* use = &p->uses[index];
    uint32_t bits = limberi_index(object, bits_key);
    int64_t from = limberi_json_as_integer(limberi_json_get(object, "byteOffset"));
    size_t size = (size_t)limberi_json_as_integer(limberi_json_get(object, "byteLength"));
    uint8_t* bytes = limberi_allocate(size + 1);
    if (!bytes)
        return limberi_fail_memory(p->error);
    uint32_t group = limberi_index(object, group_key);
    limberi_json_remove(object, bits_key);
    limberi_json_remove(object, group_key);
    limber_gltf_unpacked view = {.bytes = bytes, .stride = use->stride, .group = group};
    limber_result result = LIMBER_OK;
    if (!read_bytes(p, (uint64_t)from, bytes, size))
        result = limberi_fail(p->error, LIMBER_ERROR_FILE, "cannot read the bake back from the disk");
    bool packs = may_pack(use, size);
    if (packs) {
        view.count = size / use->stride;
        view.mode = use->indices ? LIMBER_PACKED_INDICES : LIMBER_PACKED_ATTRIBUTES;
        view.filter = bits != UINT32_MAX ? LIMBER_PACKED_EXPONENTIAL : LIMBER_PACKED_PLAIN;
        view.bits = bits;
    }
    if (!result && packs)
        result = pack_bytes(p, object, &view, size);
    else if (!result) {
        limberi_put_integer(p->writer, object, "byteOffset", (int64_t)p->stored);
        if (!store_bytes(p, bytes, size))
            result = limberi_fail(p->error, LIMBER_ERROR_FILE, "no room on the disk for the file");
    }
    limberi_release(bytes);
    return result;
}

// --- the file ---

static void declare_packing(packer* p) {
    static const char* const lists[] = {"extensionsUsed", "extensionsRequired"};
    limberi_writer* writer = p->writer;
    limberi_gltf_undeclare(writer->json.root, extension);
    for (int i = 0; i < 2; i++)
        limberi_push_string(writer, limberi_child_array(writer, writer->json.root, lists[i]), extension);
    limberi_json* room = limberi_new_object(writer);
    limberi_put_integer(writer, room, "byteLength", (int64_t)p->room);
    limberi_json* own = limberi_child_object(writer, limberi_child_object(writer, room, "extensions"), extension);
    limberi_put(writer, own, "fallback", limberi_json_new_switch(&writer->json, true));
    limberi_push(writer, limberi_child_array(writer, writer->json.root, "buffers"), room);
}

static limber_result pack_all(packer* p) {
    limberi_writer* writer = p->writer;
    uint64_t start = 0;
    p->view_count = limberi_json_count(limberi_json_get(writer->json.root, "bufferViews"));
    p->starts = LIMBERI_ALLOCATE(&writer->arena, uint64_t, writer->segment_count + 1);
    p->uses = LIMBERI_ALLOCATE(&writer->arena, view_use, p->view_count + 1);
    if (!p->starts || !p->uses)
        return limberi_fail_memory(p->error);
    for (size_t s = 0; s < writer->segment_count; start += writer->segments[s++].size)
        p->starts[s] = start;
    const limberi_json* accessors = limberi_json_get(writer->json.root, "accessors");
    const bool* indices = find_indices(p, limberi_json_count(accessors));
    if (!indices)
        return limberi_fail_memory(p->error);
    for (uint32_t a = 0; a < limberi_json_count(accessors); a++)
        note_accessor(p, limberi_json_at(accessors, a), indices[a]);
    for (size_t v = 0; v < p->view_count; v++) {
        limber_result result = pack_view(p, v);
        if (result)
            return result;
    }
    return LIMBER_OK;
}

limber_result limberi_pack_views(limberi_writer* writer, const limber_gltf_edits* edits, limber_bake_store* store,
                                 limber_error* error) {
    packer p = {.writer = writer, .edits = edits, .store = store, .error = error};
    if (!edits->unpack)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "\"pack\" needs \"unpack\"");
    limber_result result = pack_all(&p);
    if (result)
        return result;
    writer->segment_count = 0;
    writer->byte_count = 0;
    limberi_writer_append_later(writer, limberi_fill_stored, store, p.stored, 1);
    limberi_json* buffers = limberi_child_array(writer, writer->json.root, "buffers");
    if (!limberi_json_count(buffers) && p.stored)
        limberi_push(writer, buffers, limberi_new_object(writer));
    if (p.packed_count)
        declare_packing(&p);
    return limberi_writer_status(writer, error);
}

void limberi_pack_as(limberi_writer* writer, uint32_t view, uint32_t bits, uint32_t group) {
    limberi_json* object = limberi_item(writer->json.root, "bufferViews", view);
    limberi_put_integer(writer, object, bits_key, bits);
    limberi_put_integer(writer, object, group_key, group);
}
