// In-between copies and lines that smears add to a frame, seen through and without shadows.
#include "base/error.h"
#include "render/scene/renderer.h"

#include <stdlib.h>
#include <string.h>

void limberi_copies_destroy(limberi_copies* c) {
    limberi_geometry_destroy(&c->geometry);
    free(c->positions);
    free(c->normals);
    free(c->colors);
    free(c->sources);
    memset(c, 0, sizeof *c);
}

// The model's materials, all seen through, then one for meshes without and one that shows vertex colours alone.
static limber_material* make_materials(const limber_model* model) {
    limber_material* materials = calloc((size_t)model->material_count + 2, sizeof *materials);
    for (uint32_t i = 0; materials && i < model->material_count + 2; i++) {
        static const float clay[4] = {0.62f, 0.58f, 0.54f, 1};
        static const float white[4] = {1, 1, 1, 1};
        bool own = i < model->material_count;
        if (own)
            materials[i] = model->materials[i];
        else
            memcpy(materials[i].base_color, i == model->material_count ? clay : white, sizeof clay);
        materials[i].roughness = own ? materials[i].roughness : 0.7f;
        materials[i].image = own ? materials[i].image : -1;
        materials[i].double_sided = own ? materials[i].double_sided : i == model->material_count;
        materials[i].blend = true;
    }
    return materials;
}

static limber_mesh make_mesh(const limber_model* model, const limber_smear_mesh* smear, limber_part* whole) {
    limber_mesh mesh = {0};
    bool copy = smear->kind == LIMBER_SMEAR_KIND_COPY;
    if (copy)
        mesh = model->meshes[smear->source];
    else
        mesh.skin = UINT32_MAX;
    mesh.vertex_count = smear->vertex_count;
    mesh.triangle_count = smear->triangle_count;
    mesh.triangles = smear->triangles;
    mesh.colors = smear->colors;
    if (mesh.part_count)
        return mesh;
    whole->vertex_count = smear->vertex_count;
    whole->triangle_count = smear->triangle_count;
    whole->material = (int32_t)model->material_count + (copy ? 0 : 1);
    mesh.parts = whole;
    mesh.part_count = 1;
    return mesh;
}

static limber_result build(limberi_copies* c, const limberi_gl* gl, const limber_model* model,
                           const limber_smear_mesh* smears, uint32_t count, limber_error* error) {
    limber_mesh* meshes = calloc(count, sizeof *meshes);
    limber_part* parts = calloc(count, sizeof *parts);
    limber_material* materials = make_materials(model);
    limber_result result = LIMBER_ERROR_MEMORY;
    if (meshes && parts && materials) {
        limber_model shown = *model;
        for (uint32_t i = 0; i < count; i++)
            meshes[i] = make_mesh(model, &smears[i], &parts[i]);
        shown.mesh_count = count;
        shown.meshes = meshes;
        shown.material_count = model->material_count + 2;
        shown.materials = materials;
        result = limberi_geometry_create(gl, &shown, &c->geometry, error);
    } else {
        limberi_fail_memory(error);
    }
    free(meshes);
    free(parts);
    free(materials);
    return result;
}

static limber_result prepare(limberi_copies* c, const limberi_gl* gl, const limber_model* model,
                             const limber_smear_mesh* meshes, uint32_t count, limber_error* error) {
    if (c->mesh_count == count && c->shape == meshes[0].triangles)
        return LIMBER_OK;
    limberi_copies_destroy(c);
    limber_result result = build(c, gl, model, meshes, count, error);
    size_t vertices = c->geometry.vertex_count + 1;
    c->positions = malloc(3 * vertices * sizeof(float));
    c->normals = malloc(3 * vertices * sizeof(float));
    c->colors = malloc(4 * vertices * sizeof(float));
    c->sources = malloc(count * sizeof *c->sources);
    for (uint32_t i = 0; c->sources && i < count; i++)
        c->sources[i] = meshes[i].kind == LIMBER_SMEAR_KIND_COPY ? meshes[i].source : UINT32_MAX;
    if (!result && !(c->positions && c->normals && c->colors && c->sources))
        result = limberi_fail_memory(error);
    if (result) {
        limberi_copies_destroy(c);
        return result;
    }
    c->mesh_count = count;
    c->shape = meshes[0].triangles;
    return LIMBER_OK;
}

limber_result limberi_copies_set(limberi_copies* c, const limberi_gl* gl, const limber_model* model,
                                 const limber_smear_mesh* meshes, uint32_t count, limber_error* error) {
    bool visible = false;
    for (uint32_t i = 0; i < count; i++)
        visible = visible || meshes[i].visible;
    c->visible = false;
    if (!visible)
        return LIMBER_OK;
    limber_result result = prepare(c, gl, model, meshes, count, error);
    if (result)
        return result;
    size_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t vertices = meshes[i].vertex_count;
        memcpy(c->positions + 3 * at, meshes[i].positions, 3 * vertices * sizeof(float));
        memcpy(c->normals + 3 * at, meshes[i].normals, 3 * vertices * sizeof(float));
        memcpy(c->colors + 4 * at, meshes[i].colors, 4 * vertices * sizeof(float));
        at += vertices;
    }
    limberi_geometry_paint(&c->geometry, c->colors);
    c->visible = true;
    return LIMBER_OK;
}
