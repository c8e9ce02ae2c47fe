// Which nodes become meshes of the model, and what each of them takes from "meshes".
#include "io/gltf/read_mesh.h"

#include <string.h>

// One mesh of the model per node of the scene that carries one: in the order of "meshes", then of "nodes".
limber_result limberi_gltf_read_mesh_list(limberi_gltf_reader* reader) {
    const limberi_gltf_tree* tree = &reader->tree;
    uint32_t* end = LIMBERI_ALLOCATE(&reader->scratch, uint32_t, (size_t)reader->meshes.count + 1);
    reader->mesh_of_node = LIMBERI_ALLOCATE(&reader->scratch, uint32_t, reader->nodes.count);
    if (!end || !reader->mesh_of_node)
        return limberi_fail_memory(reader->error);
    uint32_t count = 0;
    for (uint32_t node = 0; node < reader->nodes.count; node++) {
        if (!tree->shown[node] || tree->mesh[node] == LIMBERI_NONE)
            continue;
        end[tree->mesh[node] + 1]++;
        count++;
    }
    for (uint32_t m = 0; m < reader->meshes.count; m++)
        end[m + 1] += end[m];
    reader->gltf->meshes = LIMBERI_ALLOCATE(reader->arena, limberi_gltf_mesh_source, count);
    reader->model_meshes = LIMBERI_ALLOCATE(&reader->scratch, limber_mesh, count);
    if (!reader->gltf->meshes || !reader->model_meshes)
        return limberi_fail_memory(reader->error);
    for (uint32_t node = 0; node < reader->nodes.count; node++) {
        reader->mesh_of_node[node] = LIMBERI_NONE;
        if (!tree->shown[node] || tree->mesh[node] == LIMBERI_NONE)
            continue;
        limberi_gltf_mesh_source source = {node, tree->mesh[node], tree->skin[node]};
        uint32_t place = end[source.mesh]++; // counts from the end of the mesh before
        reader->gltf->meshes[place] = source;
        reader->mesh_of_node[node] = place;
    }
    reader->model.mesh_count = count;
    reader->model.meshes = reader->model_meshes;
    return LIMBER_OK;
}

// Every node that carries a mesh gets its own copy in the asset, so each is charged for.
static limber_result charge(limberi_gltf_reader* reader, const limberi_gltf_geometry* geometry, bool skinned) {
    enum { OVERHEAD = 48 }; // values' worth of names and bookkeeping per target or layer
    const limber_mesh* mesh = &geometry->mesh;
    limberi_gltf_budget* budget = &reader->budget;
    limberi_gltf_place place = limberi_gltf_place_of(&reader->meshes, geometry->index);
    uint64_t vertices = mesh->vertex_count;
    uint64_t values = mesh->morph_count * (vertices * (geometry->morph_normals ? 6 : 3) + OVERHEAD) +
                      mesh->layer_count * (vertices + OVERHEAD);
    limber_result result = limberi_gltf_charge(reader, &place, &budget->vertices, vertices, "vertices");
    if (!result)
        result = limberi_gltf_charge(reader, &place, &budget->triangles, geometry->triangle_limit, "triangles");
    if (!result)
        result = limberi_gltf_charge(reader, &place, &budget->vertex_values, values, "values of targets and layers");
    if (!result && skinned)
        result = limberi_gltf_charge(reader, &place, &budget->influences, geometry->influence_count, "weights");
    return result;
}

// Weight 1 on joint 0 for as many vertices as the largest mesh without a skin has; they all share it.
static limber_result make_rigid(limberi_gltf_reader* reader, uint32_t vertices, limberi_gltf_geometry* rigid) {
    rigid->influence_first = LIMBERI_ALLOCATE(&reader->scratch, uint32_t, (size_t)vertices + 1);
    rigid->influence_joint = LIMBERI_ALLOCATE(&reader->scratch, uint16_t, vertices);
    rigid->influence_weight = LIMBERI_ALLOCATE(&reader->scratch, float, vertices);
    if (reader->scratch.failed)
        return limberi_fail_memory(reader->error);
    for (uint32_t v = 0; v < vertices; v++) {
        rigid->influence_first[v + 1] = v + 1;
        rigid->influence_weight[v] = 1;
    }
    return LIMBER_OK;
}

// The node's weights win over the mesh's.
static limber_result read_default_weights(limberi_gltf_reader* reader, const limberi_gltf_mesh_source* source,
                                          limber_mesh* mesh) {
    if (mesh->morph_count == 0)
        return LIMBER_OK;
    float* weights = LIMBERI_ALLOCATE(&reader->scratch, float, mesh->morph_count);
    if (!weights)
        return limberi_fail_memory(reader->error);
    mesh->morph_defaults = weights;
    limberi_gltf_place place = limberi_gltf_place_of(&reader->nodes, source->node);
    bool present;
    limber_result result = limberi_gltf_floats(reader, &place, limberi_gltf_entry(&reader->nodes, source->node),
                                               "weights", weights, mesh->morph_count, &present);
    if (result || present)
        return result;
    place = limberi_gltf_place_of(&reader->meshes, source->mesh);
    return limberi_gltf_floats(reader, &place, limberi_gltf_entry(&reader->meshes, source->mesh), "weights", weights,
                               mesh->morph_count, NULL);
}

static limber_result check_joints(limberi_gltf_reader* reader, const limberi_gltf_geometry* geometry,
                                  const limber_skin* skin) {
    if (geometry->joint_end <= skin->joint_count)
        return LIMBER_OK;
    limberi_gltf_place place = geometry->primitives[geometry->joint_end_primitive].place;
    return limberi_gltf_fail(reader, &place, LIMBER_ERROR_DATA,
                             "vertex %u refers to joint %u, but its skin has only %u joints",
                             geometry->joint_end_vertex, geometry->joint_end - 1, skin->joint_count);
}

static limber_result fill_mesh(limberi_gltf_reader* reader, uint32_t index, limberi_gltf_geometry* geometry,
                               const limberi_gltf_geometry* rigid) {
    const limberi_gltf_mesh_source* source = &reader->gltf->meshes[index];
    limber_mesh* mesh = &reader->model_meshes[index];
    uint32_t skin = mesh->skin;
    bool skinned = source->skin != LIMBERI_NONE;
    limber_result result = limberi_gltf_read_geometry(reader, geometry);
    if (!result && skinned)
        result = limberi_gltf_read_influences(reader, geometry);
    if (!result && skinned)
        result = check_joints(reader, geometry, &reader->model.skins[skin]);
    if (result)
        return result;
    const limberi_gltf_geometry* influences = skinned ? geometry : rigid;
    *mesh = geometry->mesh;
    mesh->skin = skin;
    mesh->node_name = limberi_gltf_name(reader, &reader->nodes, source->node, "node");
    mesh->influence_first = influences->influence_first;
    mesh->influence_joint = influences->influence_joint;
    mesh->influence_weight = influences->influence_weight;
    return read_default_weights(reader, source, mesh);
}

limber_result limberi_gltf_read_meshes(limberi_gltf_reader* reader) {
    limberi_gltf_geometry rigid = {0};
    limberi_gltf_geometry* all = LIMBERI_ALLOCATE(&reader->scratch, limberi_gltf_geometry, reader->meshes.count);
    if (!all)
        return limberi_fail_memory(reader->error);
    uint32_t largest = 0;
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; i < reader->model.mesh_count; i++) {
        const limberi_gltf_mesh_source* source = &reader->gltf->meshes[i];
        limberi_gltf_geometry* geometry = &all[source->mesh];
        bool skinned = source->skin != LIMBERI_NONE;
        if (!geometry->described)
            result = limberi_gltf_describe(reader, source->mesh, geometry);
        if (!result)
            result = charge(reader, geometry, skinned);
        if (result)
            return result;
        if (!skinned && geometry->mesh.vertex_count > largest)
            largest = geometry->mesh.vertex_count;
    }
    result = make_rigid(reader, largest, &rigid);
    if (result)
        return result;
    for (uint32_t i = 0; i < reader->model.mesh_count; i++) {
        result = fill_mesh(reader, i, &all[reader->gltf->meshes[i].mesh], &rigid);
        if (result)
            return result;
    }
    return LIMBER_OK;
}
