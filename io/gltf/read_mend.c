// A few vertices whose positions or weights are not finite, as some exporters write them: they take those of a
// neighbor. That happens in the document's own bytes, so that what is written back is whole, too.
#include "io/gltf/read_mesh.h"

#include <string.h>

// Where more than one vertex in so many is broken, the file is, and nobody knows how it should look.
enum { ONE_IN = 16, MODE_TRIANGLES = 4 };

typedef struct mender {
    limberi_gltf_reader* reader;
    const limberi_gltf_primitive* primitive;
    bool* broken; // [vertex]
    uint32_t broken_count;
} mender;

static uint8_t* element_of(const limberi_gltf_accessor* a, uint32_t index) {
    return (uint8_t*)(uintptr_t)a->data + (size_t)a->stride * index; // the reader's own memory
}

// The bytes are those of a file: little-endian.
static bool is_finite(const uint8_t* number) {
    return (number[3] & 0x7f) != 0x7f || !(number[2] & 0x80);
}

static bool is_plain(const limberi_gltf_accessor* a) {
    return a && a->data && !a->sparse_count;
}

static bool can_break(const limberi_gltf_accessor* a) {
    return is_plain(a) && a->component == LIMBERI_GLTF_FLOAT;
}

static void mark_accessor(mender* m, const limberi_gltf_accessor* a) {
    for (uint32_t v = 0; can_break(a) && v < a->count; v++) {
        const uint8_t* at = element_of(a, v);
        for (uint32_t c = 0; c < a->components; c++)
            if (!is_finite(at + 4 * (size_t)c) && !m->broken[v]) {
                m->broken[v] = true;
                m->broken_count++;
            }
    }
}

static limber_result begin_mending(mender* m) {
    m->broken_count = 0;
    m->broken = LIMBERI_ALLOCATE(&m->reader->scratch, bool, m->primitive->vertex_count);
    return m->broken ? LIMBER_OK : limberi_fail_memory(m->reader->error);
}

static bool are_few(const mender* m) {
    return m->broken_count && (uint64_t)m->broken_count * ONE_IN <= m->primitive->vertex_count;
}

// --- neighbors ---

static void note_corners(const mender* m, const uint32_t* corners, uint32_t* neighbors) {
    uint32_t end = m->primitive->vertex_count;
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < 3; k++)
            if (corners[i] < end && corners[k] < end && m->broken[corners[i]] && !m->broken[corners[k]])
                neighbors[corners[i]] = corners[k];
}

// Of each broken vertex, a whole one: across an edge, or else the last one before it, or the first of all.
static uint32_t* find_neighbors(const mender* m) {
    const limberi_gltf_primitive* p = m->primitive;
    uint32_t* neighbors = LIMBERI_ALLOCATE(&m->reader->scratch, uint32_t, p->vertex_count);
    uint32_t whole = 0;
    if (!neighbors)
        return NULL;
    while (m->broken[whole])
        whole++;
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        whole = m->broken[v] ? whole : v;
        neighbors[v] = whole;
    }
    uint32_t count = p->indices ? p->indices->count : p->vertex_count;
    for (uint32_t i = 0; i + 2 < count; i += p->mode == MODE_TRIANGLES ? 3 : 1) {
        uint32_t corners[3] = {i, i + 1, i + 2};
        if (p->indices)
            limberi_gltf_read_unsigned(p->indices, i, 3, corners);
        note_corners(m, corners, neighbors);
    }
    return neighbors;
}

static void copy_neighbors(const mender* m, const limberi_gltf_accessor* a, const uint32_t* neighbors) {
    size_t bytes = (size_t)a->components * a->component_bytes;
    for (uint32_t v = 0; v < m->primitive->vertex_count; v++)
        if (m->broken[v])
            memmove(element_of(a, v), element_of(a, neighbors[v]), bytes);
}

// --- positions ---

limber_result limberi_gltf_mend_positions(limberi_gltf_reader* reader, const limberi_gltf_primitive* primitive) {
    mender m = {.reader = reader, .primitive = primitive};
    limber_result result = begin_mending(&m);
    if (result)
        return result;
    mark_accessor(&m, primitive->position);
    if (!are_few(&m))
        return LIMBER_OK; // whoever reads them says what is wrong
    const uint32_t* neighbors = find_neighbors(&m);
    if (!neighbors)
        return limberi_fail_memory(reader->error);
    copy_neighbors(&m, primitive->position, neighbors);
    limberi_gltf_note(reader, &primitive->place,
                      "the positions of %u vertices are not finite; they were put where their neighbors are",
                      m.broken_count);
    return LIMBER_OK;
}

// --- weights ---

typedef struct skin_set {
    limberi_gltf_accessor *joints, *weights;
} skin_set;

static limberi_gltf_accessor* find_set(const mender* m, const char* prefix, uint32_t set) {
    char name[32];
    limberi_gltf_accessor* found;
    limberi_format(name, sizeof name, "%s_%u", prefix, set);
    limber_result result = limberi_gltf_attribute(m->reader, &m->primitive->place, m->primitive->attributes, name,
                                                  "VEC4", m->primitive->vertex_count, &found);
    return result ? NULL : found; // whoever reads it says what is wrong
}

// Whether the vertex has a weight that is left; those that are not finite become 0.
static bool keep_finite(const limberi_gltf_accessor* a, uint32_t vertex) {
    bool left = false;
    for (uint32_t c = 0; c < a->components; c++) {
        uint8_t* at = element_of(a, vertex) + (size_t)c * a->component_bytes;
        if (can_break(a) && !is_finite(at))
            memset(at, 0, 4);
        bool negative = can_break(a) && at[3] & 0x80;
        for (uint32_t b = 0; b < a->component_bytes; b++)
            left = left || (!negative && at[b]);
    }
    return left;
}

// The others are normalized with the rest of the mesh, and need nothing.
static void unmark_weighted(mender* m, const skin_set* sets) {
    for (uint32_t v = 0; v < m->primitive->vertex_count; v++) {
        bool left = false;
        for (uint32_t i = 0; m->broken[v] && i < m->primitive->joint_sets; i++)
            left = (is_plain(sets[i].weights) && keep_finite(sets[i].weights, v)) || left;
        m->broken[v] = m->broken[v] && !left;
    }
}

// A vertex without any takes its neighbor's, with their joints.
static limber_result copy_neighbor_weights(mender* m, const skin_set* sets) {
    const uint32_t* neighbors = find_neighbors(m);
    if (!neighbors)
        return limberi_fail_memory(m->reader->error);
    for (uint32_t i = 0; i < m->primitive->joint_sets; i++)
        if (is_plain(sets[i].weights) && is_plain(sets[i].joints)) {
            copy_neighbors(m, sets[i].joints, neighbors);
            copy_neighbors(m, sets[i].weights, neighbors);
        }
    return LIMBER_OK;
}

limber_result limberi_gltf_mend_weights(limberi_gltf_reader* reader, const limberi_gltf_primitive* primitive) {
    mender m = {.reader = reader, .primitive = primitive};
    limber_result result = begin_mending(&m);
    skin_set* sets = LIMBERI_ALLOCATE(&reader->scratch, skin_set, primitive->joint_sets);
    if (result || !sets)
        return limberi_fail_memory(reader->error);
    for (uint32_t i = 0; i < primitive->joint_sets; i++) {
        sets[i].joints = find_set(&m, "JOINTS", i);
        sets[i].weights = find_set(&m, "WEIGHTS", i);
        mark_accessor(&m, sets[i].weights);
    }
    if (!are_few(&m))
        return LIMBER_OK;
    limberi_gltf_note(reader, &primitive->place,
                      "the weights of %u vertices are not finite; they follow their other joints, or their neighbors",
                      m.broken_count);
    unmark_weighted(&m, sets);
    return copy_neighbor_weights(&m, sets);
}
