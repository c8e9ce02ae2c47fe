#include "render/scene/copies.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

void limberi_extras_destroy(limberi_extras* e) {
    limberi_geometry_destroy(&e->geometry);
    free(e->positions);
    free(e->normals);
    free(e->colors);
    memset(e, 0, sizeof *e);
}

// The model's materials, all seen through, then one for meshes without and one that shows vertex colours alone.
static limber_material* make_materials(const limber_model* model) {
    limber_material* materials = calloc((size_t)model->material_count + 2, sizeof *materials);
    for (uint32_t i = 0; materials && i < model->material_count + 2; i++) {
        static const float clay[4] = {0.62f, 0.58f, 0.54f, 1}, white[4] = {1, 1, 1, 1};
        bool own = i < model->material_count;
        if (own)
            materials[i] = model->materials[i];
        else
            memcpy(materials[i].base_color, i == model->material_count ? clay : white, sizeof clay);
        materials[i].roughness = own ? materials[i].roughness : 0.7f;
        materials[i].image = own ? materials[i].image : -1;
        materials[i].double_sided = own ? materials[i].double_sided : true;
        materials[i].blend = true;
    }
    return materials;
}

static limber_mesh make_mesh(const limber_model* model, const limber_smear_mesh* extra, limber_part* whole) {
    limber_mesh mesh;
    memset(&mesh, 0, sizeof mesh);
    bool copy = extra->kind == LIMBER_SMEAR_MULTIPLE;
    if (copy)
        mesh = model->meshes[extra->source];
    else
        mesh.skin = UINT32_MAX;
    mesh.vertex_count = extra->vertex_count;
    mesh.triangle_count = extra->triangle_count;
    mesh.triangles = extra->triangles;
    mesh.colors = extra->colors;
    if (mesh.part_count)
        return mesh;
    whole->vertex_count = extra->vertex_count;
    whole->triangle_count = extra->triangle_count;
    whole->material = (int32_t)model->material_count + (copy ? 0 : 1);
    mesh.parts = whole;
    mesh.part_count = 1;
    return mesh;
}

static limber_result build(limberi_extras* e, const limberi_gl* gl, const limber_model* model,
                           const limber_smear_mesh* extras, uint32_t count, limber_error* error) {
    limber_mesh* meshes = calloc(count, sizeof *meshes);
    limber_part* parts = calloc(count, sizeof *parts);
    limber_material* materials = make_materials(model);
    limber_result result = LIMBER_ERROR_MEMORY;
    if (meshes && parts && materials) {
        limber_model shown = *model;
        for (uint32_t i = 0; i < count; i++)
            meshes[i] = make_mesh(model, &extras[i], &parts[i]);
        shown.mesh_count = count;
        shown.meshes = meshes;
        shown.material_count = model->material_count + 2;
        shown.materials = materials;
        result = limberi_geometry_create(gl, &shown, &e->geometry, error);
    } else {
        limberi_fail(error, result, "no memory to draw smears");
    }
    free(meshes);
    free(parts);
    free(materials);
    return result;
}

static limber_result prepare(limberi_extras* e, const limberi_gl* gl, const limber_model* model,
                             const limber_smear_mesh* meshes, uint32_t count, limber_error* error) {
    if (e->mesh_count == count && e->shape == meshes[0].triangles)
        return LIMBER_OK;
    limberi_extras_destroy(e);
    limber_result result = build(e, gl, model, meshes, count, error);
    size_t vertices = e->geometry.vertex_count + 1;
    e->positions = malloc(3 * vertices * sizeof(float));
    e->normals = malloc(3 * vertices * sizeof(float));
    e->colors = malloc(4 * vertices * sizeof(float));
    if (!result && !(e->positions && e->normals && e->colors))
        result = limberi_fail(error, LIMBER_ERROR_MEMORY, "no memory to draw smears");
    if (result) {
        limberi_extras_destroy(e);
        return result;
    }
    e->mesh_count = count;
    e->shape = meshes[0].triangles;
    return LIMBER_OK;
}

limber_result limberi_extras_set(limberi_extras* e, const limberi_gl* gl, const limber_model* model,
                                 const limber_smear_mesh* meshes, uint32_t count, limber_error* error) {
    bool visible = false;
    for (uint32_t i = 0; i < count; i++)
        visible = visible || meshes[i].visible;
    e->visible = false;
    if (!visible)
        return LIMBER_OK;
    limber_result result = prepare(e, gl, model, meshes, count, error);
    size_t at = 0;
    for (uint32_t i = 0; !result && i < count; i++) {
        size_t vertices = meshes[i].vertex_count;
        memcpy(e->positions + 3 * at, meshes[i].positions, 3 * vertices * sizeof(float));
        memcpy(e->normals + 3 * at, meshes[i].normals, 3 * vertices * sizeof(float));
        memcpy(e->colors + 4 * at, meshes[i].colors, 4 * vertices * sizeof(float));
        at += vertices;
    }
    if (!result)
        limberi_geometry_paint(&e->geometry, e->colors);
    e->visible = !result;
    return result;
}
