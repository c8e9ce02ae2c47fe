// Values of morph targets. They stay where they are, in memory or in the store of the bake, until the file is written.
// A target that moves few vertices becomes a sparse accessor.
#include "base/parallel.h"
#include "io/gltf/write.h"

#include <string.h>

enum { VECTOR_BYTES = 3 * sizeof(float), SPARSE_JSON_BYTES = 200, SHORT_INDICES = 65536 };
// Views that will be packed are unpacked one at a time, in memory.
enum { PACKED_VIEW_BYTES = 1 << 20, POSITION_BITS = 16, NORMAL_BITS = 9 };

// One target, until the file is written.
typedef struct target_source {
    const limber_bake_store* store;
    uint64_t at; // in the store
    const float* values;
    uint32_t vertex_count;
    uint32_t moved;    // vertices
    uint32_t accessor; // a sparse one
    limberi_extent bounds;
    bool lost; // the store does not give it back
} target_source;

// All values; `scratch` has room for them. NULL: they cannot be had.
static const float* values_of(const target_source* source, float* scratch) {
    if (source->values)
        return source->values;
    size_t bytes = (size_t)source->vertex_count * VECTOR_BYTES;
    return source->store->get(source->store->user, source->at, scratch, bytes) ? scratch : NULL;
}

static bool moves(const float* vector) {
    return vector[0] != 0 || vector[1] != 0 || vector[2] != 0;
}

static size_t index_bytes(const target_source* source) {
    return source->vertex_count < SHORT_INDICES ? 2 : 4;
}

static bool is_sparse(const limberi_writer* writer, const target_source* source) {
    if (writer->edits && writer->edits->dense)
        return false;
    size_t dense = (size_t)source->vertex_count * VECTOR_BYTES;
    return source->moved * (VECTOR_BYTES + index_bytes(source)) + SPARSE_JSON_BYTES < dense - dense / 16;
}

// --- when the file is written ---

static bool fill_dense(const void* user, uint64_t at, void* out, size_t count) {
    const target_source* source = user;
    return source->store->get(source->store->user, source->at + at, out, count);
}

// Only ever asked for all of it. `indices` or the values of the vertices that move.
static bool fill_sparse(const target_source* source, bool indices, uint8_t* out) {
    limberi_arena scratch = {0};
    float* room = LIMBERI_ALLOCATE(&scratch, float, 3 * (size_t)source->vertex_count);
    const float* values = room ? values_of(source, room) : NULL;
    size_t size = indices ? index_bytes(source) : VECTOR_BYTES;
    for (uint32_t v = 0; values && v < source->vertex_count; v++) {
        if (!moves(values + 3 * (size_t)v))
            continue;
        uint16_t narrow = (uint16_t)v;
        const void* index = size == sizeof narrow ? (const void*)&narrow : &v;
        memcpy(out, indices ? index : values + 3 * (size_t)v, size);
        out += size;
    }
    limberi_arena_free(&scratch);
    return values != NULL;
}

static bool fill_indices(const void* user, uint64_t at, void* out, size_t count) {
    (void)at;
    (void)count;
    return fill_sparse(user, true, out);
}

static bool fill_values(const void* user, uint64_t at, void* out, size_t count) {
    (void)at;
    (void)count;
    return fill_sparse(user, false, out);
}

// --- while the tree grows ---

// `group`: vertices of a target, of which the view has all; 0: not all.
static uint32_t begin_view(limberi_writer* writer, uint32_t bits, uint32_t group) {
    uint32_t view = limberi_view_begin(writer, group ? LIMBERI_GLTF_VERTICES : 0, group ? VECTOR_BYTES : 0);
    if (writer->packs && bits)
        limberi_pack_as(writer, view, bits, group);
    return view;
}

static void end_view(limberi_writer* writer, uint32_t* view, size_t* offset) {
    if (*view != UINT32_MAX)
        limberi_view_end(writer, *view);
    *view = UINT32_MAX;
    *offset = 0;
}

// What is to be known of all targets before the tree grows.
typedef struct measuring {
    target_source* sources;
    float* scratch; // [worker][vertex * 3] for those in the store
} measuring;

static void measure_bounds(target_source* source, float* scratch) {
    const float* values = values_of(source, scratch);
    source->lost = !values;
    if (!values)
        return;
    for (size_t v = 0; v < source->vertex_count; v++)
        source->moved += moves(values + 3 * v);
    source->bounds = limberi_extent_of(values, source->vertex_count, 3);
}

static void measure_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const measuring* m = user;
    for (uint32_t t = first; t < end; t++)
        measure_bounds(&m->sources[t], m->scratch + 3 * (size_t)worker * m->sources[t].vertex_count);
}

static bool measure_all(limberi_writer* writer, const limberi_target_values* v, target_source* sources) {
    limberi_arena arena = {0};
    size_t workers = writer->parallel ? writer->parallel->worker_count : 1;
    size_t numbers = 3 * (size_t)v->vertex_count;
    measuring m = {sources, LIMBERI_ALLOCATE(&arena, float, v->rows ? workers* numbers : 1)};
    if (m.scratch)
        limberi_parallel_for(writer->parallel, v->target_count, 1, measure_some, &m);
    for (uint32_t t = 0; m.scratch && t < v->target_count; t++)
        writer->lost = writer->lost || sources[t].lost;
    limberi_scratch_free(writer, &arena);
    return m.scratch && !writer->lost;
}

// Players exist that do not clear what a sparse accessor without a view is laid over (Godot 3). One view of zeros is
// enough for all of them. Babylon.js writes the values of sparse accessors into the view, and so into all other targets,
// unless the view has gaps: then it takes a copy.
static void add_zeros(limberi_writer* writer, const target_source* sources, uint32_t count) {
    bool any = false;
    for (uint32_t t = 0; t < count; t++)
        any = any || (is_sparse(writer, &sources[t]) && !(writer->has_rows && sources[t].store));
    if (!any || writer->packs || writer->zeros_view != UINT32_MAX)
        return;
    const limber_model* model = limber_asset_model(writer->document->asset);
    uint32_t max_count = sources[0].vertex_count;
    for (uint32_t m = 0; m < model->mesh_count; m++)
        for (uint32_t i = 0; i < limberi_part_count(&model->meshes[m]); i++) {
            uint32_t part = limberi_part_at(&model->meshes[m], i).vertex_count;
            max_count = part > max_count ? part : max_count;
        }
    size_t stride = VECTOR_BYTES + sizeof(float);
    uint8_t* zeros = LIMBERI_ALLOCATE(&writer->arena, uint8_t, max_count * stride);
    if (!zeros)
        return;
    writer->zeros_view = limberi_view_begin(writer, LIMBERI_GLTF_VERTICES, (uint32_t)stride);
    limberi_writer_append(writer, zeros, max_count * stride);
    limberi_view_end(writer, writer->zeros_view);
}

// The accessor of a target; dense ones are appended to the view, which begins with the first.
static void add_target(limberi_writer* writer, target_source* source, uint32_t bits, uint32_t* view, size_t* offset) {
    limberi_accessor accessor = {.view = UINT32_MAX,
                                 .component_type = LIMBERI_GLTF_FLOAT,
                                 .type = "VEC3",
                                 .count = source->vertex_count,
                                 .known = &source->bounds};
    if (writer->has_rows && source->store) {
        accessor.view = limberi_view_of_rows(writer);
        accessor.offset = (size_t)source->at;
        source->moved = 0;
    } else if (!is_sparse(writer, source)) {
        if (*view == UINT32_MAX)
            *view = begin_view(writer, bits, source->vertex_count);
        accessor.view = *view;
        accessor.offset = *offset;
        size_t bytes = (size_t)source->vertex_count * VECTOR_BYTES;
        if (source->values)
            limberi_writer_append(writer, source->values, bytes);
        else
            limberi_writer_append_later(writer, fill_dense, source, bytes, 1);
        *offset += bytes;
        source->moved = 0; // nothing is left to do
    } else if (!writer->packs) {
        accessor.view = writer->zeros_view;
    }
    source->accessor = limberi_accessor_add(writer, &accessor);
    if (writer->packs && *offset > PACKED_VIEW_BYTES)
        end_view(writer, view, offset);
}

static void put_sparse(limberi_writer* writer, const target_source* source, const char* part, uint32_t view,
                       size_t offset) {
    limberi_json* accessor = limberi_item(writer->json.root, "accessors", source->accessor);
    limberi_json* sparse = limberi_child_object(writer, accessor, "sparse");
    limberi_put_integer(writer, sparse, "count", source->moved);
    limberi_json* object = limberi_child_object(writer, sparse, part);
    limberi_put_integer(writer, object, "bufferView", view);
    if (offset)
        limberi_put_integer(writer, object, "byteOffset", (int64_t)offset);
    if (strcmp(part, "indices") == 0)
        limberi_put_integer(writer, object, "componentType",
                            index_bytes(source) == 2 ? LIMBERI_GLTF_UINT16 : LIMBERI_GLTF_UINT32);
}

// One view with the indices, or the values (bits not 0), of all sparse targets.
static void add_sparse(limberi_writer* writer, const target_source* sources, uint32_t count, uint32_t bits) {
    bool indices = bits == 0;
    size_t offset = 0;
    uint32_t view = UINT32_MAX;
    for (uint32_t t = 0; t < count; t++) {
        const target_source* source = &sources[t];
        size_t bytes = source->moved * (indices ? index_bytes(source) : VECTOR_BYTES);
        if (!bytes)
            continue;
        if (view == UINT32_MAX)
            view = begin_view(writer, bits, 0);
        put_sparse(writer, source, indices ? "indices" : "values", view, offset);
        limberi_writer_append_later(writer, indices ? fill_indices : fill_values, source, bytes, bytes);
        offset += bytes;
        if (writer->packs && offset > PACKED_VIEW_BYTES)
            end_view(writer, &view, &offset);
    }
    end_view(writer, &view, &offset);
}

void limberi_write_target_values(limberi_writer* writer, const limberi_target_values* v, limberi_json* targets,
                                 const char* attribute) {
    size_t first = limberi_json_count(targets) - v->target_count;
    size_t offset = 0;
    target_source* sources = LIMBERI_ALLOCATE(&writer->arena, target_source, v->target_count);
    for (uint32_t t = 0; sources && t < v->target_count; t++) {
        sources[t] = (target_source){.vertex_count = v->vertex_count};
        if (v->rows) {
            sources[t].store = v->store;
            sources[t].at = v->rows[t] + v->offset + (uint64_t)VECTOR_BYTES * v->first_vertex;
        } else {
            sources[t].values = v->values + 3 * (t * v->row_vertices + v->first_vertex);
        }
    }
    if (!sources || !measure_all(writer, v, sources))
        return;
    add_zeros(writer, sources, v->target_count);
    uint32_t view = UINT32_MAX;
    uint32_t still = UINT32_MAX; // the accessor of all that move nothing
    uint32_t bits = strcmp(attribute, "NORMAL") == 0 ? NORMAL_BITS : POSITION_BITS;
    for (uint32_t t = 0; t < v->target_count; t++) {
        bool moves_nothing = !sources[t].moved && !sources[t].store;
        sources[t].accessor = still;
        if (!moves_nothing || still == UINT32_MAX)
            add_target(writer, &sources[t], bits, &view, &offset);
        if (moves_nothing)
            still = sources[t].accessor;
        limberi_put_integer(writer, limberi_json_at(targets, first + t), attribute, sources[t].accessor);
    }
    end_view(writer, &view, &offset);
    add_sparse(writer, sources, v->target_count, 0);
    add_sparse(writer, sources, v->target_count, bits);
}
