// The mesh that a vertex animation texture moves.
#include "io/vat/mesh.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/gltf/build.h"

#include <string.h>

typedef struct merge {
    const limber_model* model;
    limberi_arena arena;
    float *uvs, *colors;
    uint32_t *triangles, *influence_first;
    uint16_t* influence_joint;
    float* influence_weight;
    limber_part* parts;
    uint32_t part_count, triangle_count;
    limber_material* materials;
    limber_image* images;
    uint32_t image_count;
} merge;

static bool has_colors(const limber_model* model) {
    bool any = false;
    for (uint32_t m = 0; m < model->mesh_count; m++)
        any |= model->meshes[m].colors != NULL;
    return any;
}

static bool allocate_mesh(merge* g) {
    size_t vertices = g->model->vertex_count;
    size_t triangles = 0;
    size_t parts = 0;
    for (uint32_t m = 0; m < g->model->mesh_count; m++) {
        triangles += g->model->meshes[m].triangle_count;
        parts += limberi_part_count(&g->model->meshes[m]);
    }
    g->uvs = LIMBERI_ALLOCATE(&g->arena, float, 2 * vertices);
    g->colors = has_colors(g->model) ? LIMBERI_ALLOCATE(&g->arena, float, 4 * vertices) : NULL;
    g->triangles = LIMBERI_ALLOCATE(&g->arena, uint32_t, 3 * triangles);
    g->influence_first = LIMBERI_ALLOCATE(&g->arena, uint32_t, vertices + 1);
    g->influence_joint = LIMBERI_ALLOCATE(&g->arena, uint16_t, vertices);
    g->influence_weight = LIMBERI_ALLOCATE(&g->arena, float, vertices);
    g->parts = LIMBERI_ALLOCATE(&g->arena, limber_part, parts);
    g->materials = LIMBERI_ALLOCATE(&g->arena, limber_material, g->model->material_count);
    g->images = LIMBERI_ALLOCATE(&g->arena, limber_image, g->model->image_count);
    return !g->arena.failed;
}

static void add_vertices(merge* g, const limber_mesh* mesh) {
    size_t first = mesh->first_vertex;
    size_t count = mesh->vertex_count;
    if (mesh->uvs && count)
        memcpy(g->uvs + 2 * first, mesh->uvs, 2 * count * sizeof(float));
    for (size_t i = 0; g->colors && i < 4 * count; i++)
        g->colors[4 * first + i] = mesh->colors ? mesh->colors[i] : 1;
    for (size_t v = first; v < first + count; v++) {
        g->influence_first[v + 1] = (uint32_t)v + 1;
        g->influence_weight[v] = 1;
    }
}

static void add_mesh(merge* g, const limber_mesh* mesh) {
    add_vertices(g, mesh);
    for (uint32_t i = 0; mesh->vertex_count && i < limberi_part_count(mesh); i++) {
        limber_part part = limberi_part_at(mesh, i);
        part.first_vertex += mesh->first_vertex;
        part.first_triangle += g->triangle_count;
        if (part.vertex_count)
            g->parts[g->part_count++] = part;
    }
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
        g->triangles[3 * (size_t)g->triangle_count + i] = mesh->triangles[i] + mesh->first_vertex;
    g->triangle_count += mesh->triangle_count;
}

// Pictures that a .glb has no plain place for (WebP, KTX2) stay out.
static void add_materials(merge* g) {
    for (uint32_t i = 0; i < g->model->material_count; i++) {
        g->materials[i] = g->model->materials[i];
        g->materials[i].image = -1;
    }
    for (uint32_t i = 0; i < g->model->image_count; i++) {
        limberi_bytes bytes = {g->model->images[i].bytes, g->model->images[i].byte_count};
        if (!limberi_picture_type(bytes))
            continue;
        for (uint32_t k = 0; k < g->model->material_count; k++)
            if (g->model->materials[k].image == (int32_t)i)
                g->materials[k].image = (int32_t)g->image_count;
        g->images[g->image_count++] = g->model->images[i];
    }
}

// A character of one joint that does not move.
static limber_result make_asset(const merge* g, const limberi_vat_mesh* from, limber_asset** asset,
                                limber_error* error) {
    const int32_t parent = LIMBER_NO_PARENT;
    const uint32_t joint = 0;
    const limber_transform rest = limber_transform_identity();
    const limber_mat4 identity = limber_mat4_identity();
    const limber_skin skin = {.name = "", .joint_count = 1, .joints = &joint, .joint_from_mesh = &identity};
    const limber_mesh mesh = {.name = from->name,
                              .node_name = from->name,
                              .vertex_count = g->model->vertex_count,
                              .triangle_count = g->triangle_count,
                              .positions = from->positions,
                              .normals = from->normals,
                              .uvs = g->uvs,
                              .colors = g->colors,
                              .triangles = g->triangles,
                              .influence_first = g->influence_first,
                              .influence_joint = g->influence_joint,
                              .influence_weight = g->influence_weight,
                              .part_count = g->part_count,
                              .parts = g->parts};
    limber_model model = limber_model_default();
    model.rig.joint_count = model.skin_count = model.mesh_count = 1;
    model.rig.names = &from->name;
    model.rig.parents = &parent;
    model.rig.rest_local = &rest;
    model.skins = &skin;
    model.meshes = &mesh;
    model.material_count = g->model->material_count;
    model.materials = g->materials;
    model.image_count = g->image_count;
    model.images = g->images;
    return limber_asset_create(&model, asset, error);
}

limber_result limberi_vat_mesh_write(const limberi_vat_mesh* mesh, const char* path, limberi_file* file,
                                     limber_error* error) {
    merge g = {.model = mesh->model};
    limber_asset* asset = NULL;
    limber_gltf* gltf = NULL;
    limber_result result = LIMBER_ERROR_MEMORY;
    if (allocate_mesh(&g)) {
        for (uint32_t m = 0; m < g.model->mesh_count; m++)
            add_mesh(&g, &g.model->meshes[m]);
        add_materials(&g);
        result = make_asset(&g, mesh, &asset, error);
    } else {
        limberi_fail_memory(error);
    }
    if (result == LIMBER_OK)
        result = limberi_gltf_build(asset, mesh->lookup, &gltf, error);
    if (result == LIMBER_OK)
        result = limberi_gltf_write_glb(gltf, path, file, error);
    limber_gltf_destroy(gltf);
    limber_asset_destroy(asset);
    limberi_arena_free(&g.arena);
    return result;
}
