// JOINTS_n and WEIGHTS_n of any n to one list of joints and weights per vertex.
#include "io/gltf/read_mesh.h"

#include <string.h>

enum { BLOCK = 256 };

// Vertices are gathered in blocks, so that nothing but the result grows with the mesh. A joint that a vertex names
// twice gets the sum; `slot` finds it without searching.
typedef struct gatherer {
    limberi_gltf_reader* reader;
    limberi_gltf_geometry* geometry;
    uint32_t sets;    // of the current primitive
    uint32_t* joints; // [set][BLOCK * 4]
    float* weights;   // [set][BLOCK * 4]
    uint32_t* slot;   // [65536]: where a joint stands in `found`, plus 1
    uint16_t* found;  // joints of the current vertex
    float* sum;       // their weights
    uint64_t count;   // influences so far
    uint64_t loose;   // vertices that hang on nothing
    uint64_t negatives;
    bool write; // second pass
} gatherer;

static limber_result open_set(gatherer* g, const limberi_gltf_primitive* primitive, uint32_t set,
                              limberi_gltf_accessor** joints, limberi_gltf_accessor** weights) {
    char joints_name[32], weights_name[32];
    limberi_format(joints_name, sizeof joints_name, "JOINTS_%u", set);
    limberi_format(weights_name, sizeof weights_name, "WEIGHTS_%u", set);
    limber_result result = limberi_gltf_attribute(g->reader, &primitive->place, primitive->attributes, joints_name,
                                                  "VEC4", primitive->vertex_count, joints);
    if (!result)
        result = limberi_gltf_attribute(g->reader, &primitive->place, primitive->attributes, weights_name, "VEC4",
                                        primitive->vertex_count, weights);
    if (!result && (!*joints || !*weights))
        return limberi_gltf_fail(g->reader, &primitive->place, LIMBER_ERROR_DATA, "has \"%s\" without \"%s\"",
                                 *joints ? joints_name : weights_name, *joints ? weights_name : joints_name);
    if (!result && !limberi_gltf_is_unsigned(*joints))
        return limberi_gltf_fail(g->reader, &primitive->place, LIMBER_ERROR_DATA,
                                 "\"%s\" must contain unsigned whole numbers", joints_name);
    return result;
}

static limber_result load_block(gatherer* g, const limberi_gltf_primitive* primitive, uint32_t first, uint32_t count) {
    for (uint32_t set = 0; set < g->sets; set++) {
        limberi_gltf_accessor *joints, *weights;
        size_t offset = (size_t)set * BLOCK * 4;
        limber_result result = open_set(g, primitive, set, &joints, &weights);
        if (result)
            return result;
        limberi_gltf_read_unsigned(joints, first, count, g->joints + offset);
        result = limberi_gltf_read_floats(g->reader, weights, first, count, g->weights + offset, 4);
        if (result)
            return result;
    }
    return LIMBER_OK;
}

// The joints of one vertex of the block, weights of 0 left out, into `found` and `sum`; returns their number.
static uint32_t gather(gatherer* g, uint32_t vertex) {
    uint32_t count = 0;
    for (uint32_t set = 0; set < g->sets; set++) {
        for (uint32_t k = 0; k < 4; k++) {
            size_t at = (size_t)set * BLOCK * 4 + (size_t)vertex * 4 + k;
            float weight = g->weights[at];
            uint32_t joint = g->joints[at] < LIMBER_JOINT_LIMIT ? g->joints[at] : LIMBER_JOINT_LIMIT;
            g->negatives += weight < 0;
            if (!(weight > 0))
                continue;
            if (!g->slot[joint]) {
                g->slot[joint] = ++count;
                g->found[count - 1] = (uint16_t)joint;
                g->sum[count - 1] = 0;
            }
            g->sum[g->slot[joint] - 1] += weight;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        g->slot[g->found[i]] = 0;
    return count;
}

static limber_result put_vertex(gatherer* g, uint32_t primitive, uint32_t vertex, uint32_t in_block) {
    limberi_gltf_geometry* geometry = g->geometry;
    uint32_t count = gather(g, in_block);
    double total = 0;
    for (uint32_t i = 0; i < count; i++)
        total += (double)g->sum[i];
    if (!(total > 1e-20) || !(total < 3e38)) { // nothing, or too large to normalise
        g->loose++;
        g->found[0] = 0;
        g->sum[0] = 1;
        count = 1;
    }
    if (g->write) {
        memcpy(geometry->influence_joint + g->count, g->found, sizeof(uint16_t) * count);
        memcpy(geometry->influence_weight + g->count, g->sum, sizeof(float) * count);
        geometry->influence_first[geometry->primitives[primitive].first_vertex + vertex + 1] =
            (uint32_t)(g->count + count);
    }
    for (uint32_t i = 0; i < count; i++) {
        if ((uint32_t)g->found[i] < geometry->joint_end)
            continue;
        geometry->joint_end = (uint32_t)g->found[i] + 1;
        geometry->joint_end_primitive = primitive;
        geometry->joint_end_vertex = vertex;
    }
    g->count += count;
    return LIMBER_OK;
}

static limber_result run_primitive(gatherer* g, uint32_t index) {
    const limberi_gltf_primitive* primitive = &g->geometry->primitives[index];
    g->sets = primitive->joint_sets;
    g->loose = g->negatives = 0;
    for (uint32_t first = 0; first < primitive->vertex_count; first += BLOCK) {
        uint32_t rest = primitive->vertex_count - first;
        uint32_t block = rest < BLOCK ? rest : BLOCK;
        limber_result result = load_block(g, primitive, first, block);
        if (result)
            return result;
        for (uint32_t v = 0; v < block; v++) {
            result = put_vertex(g, index, first + v, v);
            if (result)
                return result;
        }
    }
    if (!g->write)
        return LIMBER_OK;
    if (g->loose)
        limberi_gltf_note(g->reader, &primitive->place,
                          "%llu vertices of a skinned mesh have no weights; they follow the first joint",
                          (unsigned long long)g->loose);
    if (g->negatives)
        limberi_gltf_note(g->reader, &primitive->place, "%llu weights are negative and count as 0",
                          (unsigned long long)g->negatives);
    return LIMBER_OK;
}

static limber_result gather_all(gatherer* g, bool write) {
    g->count = 0;
    g->write = write;
    for (uint32_t i = 0; i < g->geometry->primitive_count; i++) {
        limber_result result = run_primitive(g, i);
        if (result)
            return result;
    }
    return LIMBER_OK;
}

static limber_result allocate_result(gatherer* g) {
    limberi_arena* scratch = &g->reader->scratch;
    if (g->count > UINT32_MAX)
        return limberi_gltf_fail(g->reader, NULL, LIMBER_ERROR_LIMIT, "a mesh has too many weights");
    g->geometry->influence_first = LIMBERI_ALLOCATE(scratch, uint32_t, (size_t)g->geometry->mesh.vertex_count + 1);
    g->geometry->influence_joint = LIMBERI_ALLOCATE(scratch, uint16_t, (size_t)g->count);
    g->geometry->influence_weight = LIMBERI_ALLOCATE(scratch, float, (size_t)g->count);
    return scratch->failed ? limberi_fail_memory(g->reader->error) : LIMBER_OK;
}

limber_result limberi_gltf_read_influences(limberi_gltf_reader* reader, limberi_gltf_geometry* geometry) {
    if (geometry->skinned)
        return LIMBER_OK;
    geometry->skinned = true;
    uint32_t sets = 1;
    for (uint32_t i = 0; i < geometry->primitive_count; i++)
        sets = geometry->primitives[i].joint_sets > sets ? geometry->primitives[i].joint_sets : sets;
    limberi_arena block = {NULL, false};
    gatherer g = {.reader = reader, .geometry = geometry};
    size_t max = (size_t)sets * 4;
    g.joints = LIMBERI_ALLOCATE(&block, uint32_t, max * BLOCK);
    g.weights = LIMBERI_ALLOCATE(&block, float, max* BLOCK);
    g.slot = LIMBERI_ALLOCATE(&block, uint32_t, LIMBER_JOINT_LIMIT + 1);
    g.found = LIMBERI_ALLOCATE(&block, uint16_t, max);
    g.sum = LIMBERI_ALLOCATE(&block, float, max);
    limber_result result = block.failed ? limberi_fail_memory(reader->error) : LIMBER_OK;
    for (uint32_t i = 0; i < geometry->primitive_count && !result; i++)
        result = limberi_gltf_mend_weights(reader, &geometry->primitives[i]);
    if (!result)
        result = gather_all(&g, false);
    if (!result)
        result = allocate_result(&g);
    if (!result)
        result = gather_all(&g, true);
    limberi_arena_free(&block);
    return result;
}
