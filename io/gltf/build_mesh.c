// Meshes of a new document: one primitive per part, every attribute in a separate view.
#include "asset/asset.h"
#include "base/error.h"
#include "base/math.h"
#include "io/gltf/build.h"

#include <string.h>

enum { NAME_BYTES = 24 };

typedef struct part_build {
    limberi_builder* b;
    const limber_mesh* mesh;
    limber_part part;
    limberi_json* attributes;
} part_build;

static limberi_arena* arena_of(const part_build* p) {
    return &p->b->writer.arena;
}

// `values` start at the part's first vertex.
static void put_floats(const part_build* p, limberi_json* object, const char* key, const float* values,
                       const char* type, bool bounds) {
    uint32_t accessor =
        limberi_floats_add(&p->b->writer, values, p->part.vertex_count, type, LIMBERI_GLTF_VERTICES, bounds);
    limberi_put_integer(&p->b->writer, object, key, accessor);
}

static void put_bytes(const part_build* p, const char* key, const void* bytes, limberi_gltf_component component,
                      bool normalized) {
    limberi_writer* writer = &p->b->writer;
    size_t size = 4 * (size_t)p->part.vertex_count * (component == LIMBERI_GLTF_UINT8 ? 1 : 2);
    if (!bytes)
        return;
    uint32_t view = limberi_view_begin(writer, LIMBERI_GLTF_VERTICES, 0);
    limberi_writer_append(writer, bytes, size);
    limberi_view_end(writer, view);
    limberi_accessor accessor = {.view = view,
                                 .component_type = (int)component,
                                 .type = "VEC4",
                                 .count = p->part.vertex_count,
                                 .normalized = normalized};
    limberi_put_integer(writer, p->attributes, key, limberi_accessor_add(writer, &accessor));
}

static void put_normals(const part_build* p) {
    const float* normals = p->mesh->normals + 3 * (size_t)p->part.first_vertex;
    size_t count = p->part.vertex_count;
    bool unit = true;
    for (size_t v = 0; v < count && unit; v++)
        unit = fabsf(limberi_length(limberi_load3(normals + 3 * v)) - 1.0f) < 0.005f; // the validator allows 0.00674
    if (unit) {
        put_floats(p, p->attributes, "NORMAL", normals, "VEC3", false);
        return;
    }
    float* copy = LIMBERI_COPY(arena_of(p), float, normals, 3 * count);
    for (size_t v = 0; copy && v < count; v++) {
        limber_vec3 n = limberi_normalize(limberi_load3(copy + 3 * v));
        limberi_store3(copy + 3 * v, limberi_dot(n, n) > 0 ? n : limberi_vec3(0, 1, 0));
    }
    if (copy)
        put_floats(p, p->attributes, "NORMAL", copy, "VEC3", false);
}

static void put_colors(const part_build* p) {
    size_t count = 4 * (size_t)p->part.vertex_count;
    const float* colors = p->mesh->colors + 4 * (size_t)p->part.first_vertex;
    uint8_t* bytes = LIMBERI_ALLOCATE(arena_of(p), uint8_t, count);
    for (size_t i = 0; bytes && i < count; i++)
        bytes[i] = (uint8_t)(fminf(fmaxf(colors[i], 0.0f), 1.0f) * 255.0f + 0.5f);
    put_bytes(p, "COLOR_0", bytes, LIMBERI_GLTF_UINT8, true);
}

// The vertex's joints and weights, each joint once, the largest weight making the sum exact; returns how many.
static uint32_t tidy_influences(const limber_mesh* mesh, uint32_t vertex, uint16_t* joints, float* weights) {
    uint32_t count = 0;
    uint32_t largest = 0;
    for (uint32_t i = mesh->influence_first[vertex]; i < mesh->influence_first[vertex + 1]; i++) {
        uint32_t slot = 0;
        while (slot < count && joints[slot] != mesh->influence_joint[i])
            slot++;
        if (!(mesh->influence_weight[i] > 0))
            continue;
        joints[slot] = mesh->influence_joint[i];
        weights[slot] = (slot < count ? weights[slot] : 0) + mesh->influence_weight[i];
        count += slot == count;
    }
    double rest = 1;
    for (uint32_t i = 1; i < count; i++)
        largest = weights[i] > weights[largest] ? i : largest;
    for (uint32_t i = 0; i < count; i++)
        rest -= i == largest ? 0 : (double)weights[i];
    if (count)
        weights[largest] = (float)rest;
    return count;
}

// Set s of one vertex: four joints and weights.
static void store_set(const part_build* p, bool wide, uint32_t vertex, const uint16_t* from_joints,
                      const float* from_weights, uint8_t* joints, float* weights) {
    size_t at = 4 * (size_t)(vertex - p->part.first_vertex);
    for (uint32_t c = 0; c < 4; c++) {
        weights[at + c] = from_weights[c];
        joints[wide ? 2 * (at + c) : at + c] = (uint8_t)from_joints[c];
        if (wide)
            joints[2 * (at + c) + 1] = (uint8_t)(from_joints[c] >> 8);
    }
}

static void put_skinning(const part_build* p) {
    const limber_mesh* mesh = p->mesh;
    bool wide = p->b->model->skins[mesh->skin].joint_count > 256;
    uint32_t set_count = (limberi_max_influences(mesh) + 3) / 4;
    uint32_t vertices = p->part.vertex_count;
    limberi_arena scratch = {0};
    uint16_t* vertex_joints = LIMBERI_ALLOCATE(&scratch, uint16_t, 4 * (size_t)set_count);
    float* vertex_weights = LIMBERI_ALLOCATE(&scratch, float, 4 * (size_t)set_count);
    for (uint32_t s = 0; vertex_joints && vertex_weights && s < set_count; s++) {
        uint8_t* joints = LIMBERI_ALLOCATE(arena_of(p), uint8_t, 4 * (size_t)vertices * (wide ? 2 : 1));
        float* weights = LIMBERI_ALLOCATE(arena_of(p), float, 4 * (size_t)vertices);
        for (uint32_t v = p->part.first_vertex; joints && weights && v < p->part.first_vertex + vertices; v++) {
            memset(vertex_joints, 0, 4 * (size_t)set_count * sizeof *vertex_joints);
            memset(vertex_weights, 0, 4 * (size_t)set_count * sizeof *vertex_weights);
            tidy_influences(mesh, v, vertex_joints, vertex_weights);
            store_set(p, wide, v, vertex_joints + 4 * s, vertex_weights + 4 * s, joints, weights);
        }
        char name[NAME_BYTES];
        limberi_format(name, sizeof name, "JOINTS_%u", s);
        put_bytes(p, name, joints, wide ? LIMBERI_GLTF_UINT16 : LIMBERI_GLTF_UINT8, false);
        limberi_format(name, sizeof name, "WEIGHTS_%u", s);
        if (weights)
            put_floats(p, p->attributes, name, weights, "VEC4", false);
    }
    limberi_scratch_free(&p->b->writer, &scratch);
}

static limberi_json* make_attributes(part_build* p, bool skinned) {
    const limber_mesh* mesh = p->mesh;
    limberi_writer* writer = &p->b->writer;
    size_t first = p->part.first_vertex;
    int32_t material = p->part.material;
    p->attributes = limberi_new_object(writer);
    put_floats(p, p->attributes, "POSITION", mesh->positions + 3 * first, "VEC3", true);
    if (mesh->normals)
        put_normals(p);
    if (mesh->uvs) {
        put_floats(p, p->attributes, "TEXCOORD_0", mesh->uvs + 2 * first, "VEC2", false);
    } else if (material >= 0 && p->b->model->materials[material].image >= 0) {
        limberi_accessor zeros = {
            .view = UINT32_MAX, .component_type = LIMBERI_GLTF_FLOAT, .type = "VEC2", .count = p->part.vertex_count};
        limberi_put_integer(writer, p->attributes, "TEXCOORD_0", limberi_accessor_add(writer, &zeros));
    }
    if (p->b->lookup)
        put_floats(p, p->attributes, "TEXCOORD_1", p->b->lookup + 2 * (mesh->first_vertex + first), "VEC2", false);
    if (mesh->colors)
        put_colors(p);
    if (skinned)
        put_skinning(p);
    for (uint32_t i = 0; i < p->mesh->layer_count; i++) {
        const limber_layer* layer = &p->mesh->layers[i];
        char* name = limberi_layer_attribute(arena_of(p), layer->name);
        if (name)
            put_floats(p, p->attributes, name, layer->values + p->part.first_vertex, "SCALAR", false);
    }
    return p->attributes;
}

static limberi_json* make_targets(const part_build* p) {
    limberi_writer* writer = &p->b->writer;
    limberi_json* targets = limberi_new_array(writer);
    size_t first = 3 * (size_t)p->part.first_vertex;
    for (uint32_t i = 0; i < p->mesh->morph_count; i++) {
        const limber_morph* morph = &p->mesh->morphs[i];
        limberi_json* target = limberi_new_object(writer);
        put_floats(p, target, "POSITION", morph->positions + first, "VEC3", true);
        if (morph->normals && p->mesh->normals)
            put_floats(p, target, "NORMAL", morph->normals + first, "VEC3", false);
        limberi_push(writer, targets, target);
    }
    return targets;
}

// Returns false when a triangle reaches outside the part. 65535 is kept free: it restarts strips.
static bool put_indices(const part_build* p, limberi_json* primitive) {
    limberi_writer* writer = &p->b->writer;
    size_t count = 3 * (size_t)p->part.triangle_count;
    const uint32_t* triangles = p->mesh->triangles + 3 * (size_t)p->part.first_triangle;
    bool wide = p->part.vertex_count > 65535;
    uint8_t* bytes = LIMBERI_ALLOCATE(arena_of(p), uint8_t, count * (wide ? 4 : 2));
    for (size_t i = 0; bytes && i < count; i++) {
        uint32_t index = triangles[i] - p->part.first_vertex;
        if (index >= p->part.vertex_count)
            return false;
        for (size_t k = 0; k < (wide ? 4u : 2u); k++)
            bytes[i * (wide ? 4 : 2) + k] = (uint8_t)(index >> (8 * k));
    }
    uint32_t view = limberi_view_begin(writer, LIMBERI_GLTF_INDICES, 0);
    limberi_writer_append(writer, bytes, count * (wide ? 4 : 2));
    limberi_view_end(writer, view);
    limberi_accessor accessor = {.view = view,
                                 .component_type = wide ? LIMBERI_GLTF_UINT32 : LIMBERI_GLTF_UINT16,
                                 .type = "SCALAR",
                                 .count = count};
    limberi_put_integer(writer, primitive, "indices", limberi_accessor_add(writer, &accessor));
    return true;
}

static limberi_json* make_primitive(part_build* p, bool skinned) {
    limberi_writer* writer = &p->b->writer;
    limberi_json* primitive = limberi_new_object(writer);
    limberi_put(writer, primitive, "attributes", make_attributes(p, skinned));
    if (!p->part.triangle_count)
        limberi_put_integer(writer, primitive, "mode", 0); // points: an index list may not be empty
    else if (!put_indices(p, primitive))
        return NULL;
    if (p->part.material >= 0)
        limberi_put_integer(writer, primitive, "material", p->part.material);
    if (p->mesh->morph_count)
        limberi_put(writer, primitive, "targets", make_targets(p));
    return primitive;
}

static void put_morph_info(limberi_writer* writer, const limber_mesh* mesh, limberi_json* object) {
    if (!mesh->morph_count)
        return;
    limberi_json* weights = limberi_new_array(writer);
    limberi_json* names = limberi_new_array(writer);
    bool named = false;
    for (uint32_t i = 0; i < mesh->morph_count; i++) {
        double weight = mesh->morph_defaults ? (double)mesh->morph_defaults[i] : 0;
        limberi_push(writer, weights, limberi_real(writer, weight));
        limberi_push_string(writer, names, mesh->morphs[i].name);
        named |= mesh->morphs[i].name[0] != 0;
    }
    limberi_put(writer, object, "weights", weights);
    if (named)
        limberi_put(writer, limberi_child_object(writer, object, "extras"), "targetNames", names);
}

limber_result limberi_build_mesh(limberi_builder* b, uint32_t m, bool skinned, uint32_t* index, limber_error* error) {
    limberi_writer* writer = &b->writer;
    const limber_mesh* mesh = &b->model->meshes[m];
    limberi_json* object = limberi_new_object(writer);
    limberi_json* primitives = limberi_new_array(writer);
    if (mesh->name[0])
        limberi_put_string(writer, object, "name", mesh->name);
    limberi_put(writer, object, "primitives", primitives);
    put_morph_info(writer, mesh, object);
    *index = limberi_push(writer, limberi_child_array(writer, writer->json.root, "meshes"), object);
    for (uint32_t i = 0; i < limberi_part_count(mesh); i++) {
        part_build p = {b, mesh, limberi_part_at(mesh, i), NULL};
        limberi_json* primitive = p.part.vertex_count ? make_primitive(&p, skinned) : NULL;
        limber_result status = limberi_writer_status(writer, error);
        if (status != LIMBER_OK)
            return status;
        if (!primitive) {
            const char* why = p.part.vertex_count ? "uses vertices of another part" : "has no vertices";
            limber_result result = limberi_fail(error, LIMBER_ERROR_DATA, "part %u %s", i, why);
            return limberi_at(error, result, "mesh %u '%s'", m, mesh->name);
        }
        limberi_push(writer, primitives, primitive);
    }
    return LIMBER_OK;
}
