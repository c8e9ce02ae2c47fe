// Morphed meshes, and what targets that move do to them before they are skinned.
#include "base/math.h"
#include "pipeline/pipeline_private.h"
#include "skin/skin.h"

#include <string.h>

const float* limberi_pipeline_morphed_positions(const limber_pipeline* pipeline, const limber_mesh* mesh) {
    return mesh->morph_count ? pipeline->morphed_positions + 3 * (size_t)mesh->first_vertex : mesh->positions;
}

const float* limberi_pipeline_morphed_normals(const limber_pipeline* pipeline, const limber_mesh* mesh) {
    return mesh->morph_count ? pipeline->morphed_normals + 3 * (size_t)mesh->first_vertex : mesh->normals;
}

void limberi_pipeline_clear_morph_rates(limber_pipeline* p) {
    p->is_late = false;
    if (p->morph_rates)
        memset(p->morph_rates, 0, p->model->morph_count * sizeof *p->morph_rates);
}

// L in the units of a mesh.
static double size_in(const limber_pipeline* p, const limber_mesh* mesh) {
    double size = (double)(p->settings.deform.size > 0 ? p->settings.deform.size : p->model->size);
    double unit = (double)limberi_length(limberi_mat4_column(&p->model->skins[mesh->skin].world_from_mesh, 0));
    return unit > 0 ? size / unit : 0;
}

void limberi_pipeline_drag_morphs(limber_pipeline* p, double strength) {
    p->is_late = false;
    for (uint32_t m = 0; m < p->model->mesh_count; m++) {
        const limber_mesh* mesh = &p->model->meshes[m];
        limberi_morph_job morphs = {mesh, p->morph_rates + mesh->first_morph,
                                    limberi_pipeline_morphed_positions(p, mesh), p->settings.morphs, size_in(p, mesh)};
        morphs.settings.drag *= strength;
        morphs.settings.squash *= strength;
        p->mesh_is_late[m] = limberi_morph_move(&morphs, p->late_positions + 3 * (size_t)mesh->first_vertex);
        p->is_late = p->is_late || p->mesh_is_late[m];
        if (!p->mesh_is_late[m] && mesh->morph_count)
            memcpy(p->late_positions + 3 * (size_t)mesh->first_vertex, morphs.positions,
                   3 * (size_t)mesh->vertex_count * sizeof(float));
    }
}

const float* limberi_pipeline_late_positions(const limber_pipeline* p, const limber_mesh* mesh) {
    return p->is_late && p->mesh_is_late[mesh - p->model->meshes] ? p->late_positions + 3 * (size_t)mesh->first_vertex
                                                                  : limberi_pipeline_morphed_positions(p, mesh);
}
