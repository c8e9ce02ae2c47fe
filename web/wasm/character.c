// What a character consists of.
#include "base/build.h"
#include "web/wasm/web.h"

#include <stdlib.h>

const limber_asset* limberi_web_asset(const web_character* c) {
    return LIMBERI_HAS_CLIPS && c->bvh ? limber_bvh_asset(c->bvh) : c->asset;
}

void WEB_EXPORT(character_destroy)(web_character* c) {
    if (!c)
        return;
    if (LIMBERI_HAS_SMEARS)
        limberi_web_drop_textures(c);
    limber_asset_destroy(c->asset);
    if (LIMBERI_HAS_CLIPS)
        limber_bvh_destroy(c->bvh);
    free(c);
}

enum { COUNT_JOINTS, COUNT_SKINS, COUNT_MESHES, COUNT_CLIPS, COUNT_VERTICES, COUNT_MORPHS, COUNT_CAMERAS };

uint32_t WEB_EXPORT(character_count)(const web_character* c, uint32_t which) {
    const limber_model* m = c->model;
    const uint32_t counts[] = {m->rig.joint_count, m->skin_count,  m->mesh_count,  m->clip_count,
                               m->vertex_count,    m->morph_count, m->camera_count};
    return which <= COUNT_CAMERAS ? counts[which] : 0;
}

float WEB_EXPORT(character_size)(const web_character* c) {
    return c->model->size;
}

// The names of what character_count counts: joints, skins, meshes, clips; cameras.
const char* WEB_EXPORT(character_name)(const web_character* c, uint32_t which, uint32_t i) {
    const limber_model* m = c->model;
    switch (which) {
    case COUNT_JOINTS:
        return m->rig.names[i];
    case COUNT_SKINS:
        return m->skins[i].name;
    case COUNT_MESHES:
        return m->meshes[i].name;
    case COUNT_CLIPS:
        return m->clips[i].name;
    case COUNT_CAMERAS:
        return m->cameras[i].name;
    default:
        return NULL;
    }
}

const void* WEB_EXPORT(character_rig)(const web_character* c, uint32_t which) {
    const limber_rig* rig = &c->model->rig;
    const void* const arrays[] = {rig->parents,  rig->rest_local,  rig->world_from_joint_rest,
                                  rig->centroid, rig->medial_axis, rig->bone_direction};
    return which < 6 ? arrays[which] : NULL;
}

void WEB_EXPORT(character_rest)(const web_character* c, float* out) {
    for (uint32_t m = 0; m < c->model->mesh_count; m++)
        limber_mesh_rest_positions(c->model, &c->model->meshes[m], out + 3 * (size_t)c->model->meshes[m].first_vertex);
}

uint32_t WEB_EXPORT(skin_joint_count)(const web_character* c, uint32_t skin) {
    return c->model->skins[skin].joint_count;
}

const void* WEB_EXPORT(skin_array)(const web_character* c, uint32_t skin, uint32_t which) {
    return which == 0 ? (const void*)c->model->skins[skin].joints : c->model->skins[skin].joint_from_mesh;
}

uint32_t WEB_EXPORT(mesh_number)(const web_character* c, uint32_t mesh, uint32_t which) {
    const limber_mesh* m = &c->model->meshes[mesh];
    const uint32_t numbers[] = {
        m->skin,        m->vertex_count, m->triangle_count, m->morph_count,
        m->layer_count, m->first_vertex, m->first_morph,    m->influence_first[m->vertex_count]};
    return which < 8 ? numbers[which] : 0;
}

const void* WEB_EXPORT(mesh_array)(const web_character* c, uint32_t mesh, uint32_t which) {
    const limber_mesh* m = &c->model->meshes[mesh];
    const void* const arrays[] = {m->positions,       m->normals,          m->uvs,
                                  m->colors,          m->triangles,        m->influence_first,
                                  m->influence_joint, m->influence_weight, m->morph_defaults};
    return which < 9 ? arrays[which] : NULL;
}

const char* WEB_EXPORT(layer_name)(const web_character* c, uint32_t mesh, uint32_t layer) {
    return c->model->meshes[mesh].layers[layer].name;
}

// Its values, one per vertex. Who changes them tells every pipeline of the character (pipeline_repaint).
float* WEB_EXPORT(layer_values)(web_character* c, uint32_t mesh, uint32_t layer) {
    return (float*)c->model->meshes[mesh].layers[layer].values; // the asset is ours
}
