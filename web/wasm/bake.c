// Frames as morph targets and bones.
#include "web/wasm/web.h"

limber_bake* WEB_EXPORT(bake_create)(web_pipeline* p, uint32_t kind, uint32_t clip_count, const uint32_t* clips,
                                     double fps, double start_s, double end_s, double tolerance, int32_t normals,
                                     uint32_t smear_meshes) {
    limber_bake_settings settings = limber_bake_settings_default();
    limber_bake* bake;
    settings.kind = (limber_bake_kind)kind;
    settings.clip_count = clip_count;
    settings.clips = clip_count ? clips : NULL;
    settings.fps = fps;
    if (start_s <= end_s) {
        settings.range_start_s = start_s;
        settings.range_end_s = end_s;
    }
    settings.tolerance = tolerance;
    settings.normals = normals != 0;
    settings.smear_meshes = (limber_bake_smear_meshes)smear_meshes;
    return limber_pipeline_bake(p->pipeline, &settings, &bake, &limberi_web_error) == LIMBER_OK ? bake : NULL;
}

void WEB_EXPORT(bake_destroy)(limber_bake* bake) {
    limber_bake_destroy(bake);
}

uint32_t WEB_EXPORT(bake_kind)(const limber_bake* bake) {
    return (uint32_t)bake->kind;
}

double WEB_EXPORT(bake_error)(const limber_bake* bake) {
    return bake->error;
}

uint32_t WEB_EXPORT(bake_track_count)(const limber_bake* bake) {
    return bake->track_count;
}

uint32_t WEB_EXPORT(bake_track_number)(const limber_bake* bake, uint32_t track, uint32_t which) {
    return which == 0 ? bake->tracks[track].clip : bake->tracks[track].frame_count;
}

const float* WEB_EXPORT(bake_track_times)(const limber_bake* bake, uint32_t track) {
    return bake->tracks[track].times;
}

uint32_t WEB_EXPORT(bake_target_count)(const limber_bake* bake, uint32_t mesh) {
    return bake->meshes[mesh].target_count;
}

const float* WEB_EXPORT(bake_array)(const limber_bake* bake, uint32_t mesh, uint32_t which) {
    const limber_bake_mesh* m = &bake->meshes[mesh];
    const float* const arrays[] = {m->base_positions, m->base_normals, m->positions, m->normals};
    return which < 4 ? arrays[which] : NULL;
}

const float* WEB_EXPORT(bake_weights)(const limber_bake* bake, uint32_t mesh, uint32_t track) {
    return bake->meshes[mesh].weights ? bake->meshes[mesh].weights[track] : NULL;
}

const int32_t* WEB_EXPORT(bake_helpers)(const limber_bake* bake, uint32_t mesh) {
    return bake->meshes[mesh].helper;
}

uint32_t WEB_EXPORT(bake_bone_count)(const limber_bake* bake) {
    return bake->bone_count;
}

int32_t WEB_EXPORT(bake_bone_number)(const limber_bake* bake, uint32_t bone, uint32_t which) {
    const limber_bake_bone* b = &bake->bones[bone];
    const int32_t numbers[] = {(int32_t)b->joint, b->helper_mesh, (int32_t)b->helper_bind, b->shears};
    return which < 4 ? numbers[which] : 0;
}

const float* WEB_EXPORT(bake_bone_axes)(const limber_bake* bake, uint32_t bone) {
    return &bake->bones[bone].axes.x;
}

uint32_t WEB_EXPORT(bake_curve_key_count)(const limber_bake* bake, uint32_t bone, uint32_t curve) {
    return bake->bones[bone].curves[curve].key_count;
}

// Frames of the track, or values.
const void* WEB_EXPORT(bake_curve_array)(const limber_bake* bake, uint32_t bone, uint32_t curve, uint32_t which) {
    const limber_bake_curve* c = &bake->bones[bone].curves[curve];
    return which == 0 ? (const void*)c->frames : c->values;
}

uint32_t WEB_EXPORT(bake_smear_mesh_count)(const limber_bake* bake) {
    return bake->smear_mesh_count;
}

const char* WEB_EXPORT(bake_smear_mesh_name)(const limber_bake* bake, uint32_t mesh) {
    return bake->smear_meshes[mesh].name;
}

int32_t WEB_EXPORT(bake_smear_mesh_number)(const limber_bake* bake, uint32_t mesh, uint32_t which) {
    const limber_bake_smear_mesh* e = &bake->smear_meshes[mesh];
    const int32_t numbers[] = {e->source,
                               (int32_t)e->piece_count,
                               (int32_t)e->vertex_count,
                               (int32_t)e->target_count,
                               (int32_t)e->shape_count,
                               (int32_t)e->opacity_count};
    return which < 6 ? numbers[which] : 0;
}

const float* WEB_EXPORT(bake_smear_mesh_array)(const limber_bake* bake, uint32_t mesh, uint32_t which) {
    const limber_bake_smear_mesh* e = &bake->smear_meshes[mesh];
    const float* const arrays[] = {&e->center.x, e->base_positions, e->base_normals, e->base_colors,
                                   e->positions, e->normals,        e->opacities};
    return which < 7 ? arrays[which] : NULL;
}

const void* WEB_EXPORT(bake_smear_mesh_track)(const limber_bake* bake, uint32_t mesh, uint32_t track, uint32_t which) {
    const limber_bake_smear_mesh* e = &bake->smear_meshes[mesh];
    return which == 0 ? (const void*)e->weights[track] : e->visible[track];
}

// A copy of a mesh, or lines, which have triangles of their own.
int32_t WEB_EXPORT(bake_piece_number)(const limber_bake* bake, uint32_t mesh, uint32_t piece, uint32_t which) {
    const limber_bake_piece* b = &bake->smear_meshes[mesh].pieces[piece];
    const int32_t numbers[] = {b->source, (int32_t)b->first_vertex, (int32_t)b->vertex_count,
                               (int32_t)b->triangle_count};
    return which < 4 ? numbers[which] : 0;
}

const uint32_t* WEB_EXPORT(bake_piece_triangles)(const limber_bake* bake, uint32_t mesh, uint32_t piece) {
    return bake->smear_meshes[mesh].pieces[piece].triangles;
}
