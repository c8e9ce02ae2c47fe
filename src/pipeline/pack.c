// limber/pack.h over src/pack: the pipeline knows the pose, the palettes and the deformer.
#include "base/error.h"
#include "base/memory.h"
#include "pack/packing.h"
#include "pipeline/probes.h"
#include <limber/pack.h>

_Static_assert(LIMBER_PACK_SETTINGS == LIMBERI_PACK_SETTINGS, "the header names the number of settings");

struct limber_pack {
    limberi_pack pack;
    limber_pipeline* pipeline;
    limberi_probes probes; // vertices that what comes after the effects is read from
    char defines[LIMBERI_PACK_DEFINES_SIZE], dynamic_defines[LIMBERI_PACK_DEFINES_SIZE];
};

static limber_result find_probes(const limber_pipeline* p, limberi_probes* probes) {
    uint32_t count = p->ground ? limberi_ground_probes(p->ground, NULL) : 0;
    uint32_t* vertices = limberi_allocate_zeroed(count ? count : 1, sizeof *vertices);
    if (vertices && count)
        limberi_ground_probes(p->ground, vertices);
    limber_result result = vertices ? limberi_probes_create(p, vertices, count, probes) : LIMBER_ERROR_MEMORY;
    limberi_release(vertices);
    return result;
}

static limber_result open_pack(limber_pack* made, bool normals, limber_error* error) {
    const limber_pipeline* p = made->pipeline;
    limber_result result =
        limberi_pack_create(p->asset, p->deformer, p->rigid, p->ground, p->settings.skinning, &made->pack, error);
    if (result)
        return result;
    made->pack.normals = normals;
    limberi_pack_defines(&made->pack, made->defines);
    limberi_pack_dynamic_defines(&made->pack, made->dynamic_defines);
    return find_probes(p, &made->probes)
               ? limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the shader's data")
               : LIMBER_OK;
}

limber_result limber_pack_create(limber_pipeline* pipeline, bool normals, limber_pack** pack, limber_error* error) {
    *pack = NULL;
    if (pipeline->collision)
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED,
                            "the shader does not have colliders, and this character has %u: use the CPU, or set "
                            "\"colliders\": \"none\" in the style",
                            limber_collider_count(limberi_collision_colliders(pipeline->collision)));
    limber_pack* made = limberi_allocate_zeroed(1, sizeof *made);
    if (!made)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the shader's data");
    made->pipeline = pipeline;
    limber_result result = open_pack(made, normals, error);
    if (result)
        limber_pack_destroy(made);
    else
        *pack = made;
    return result;
}

void limber_pack_destroy(limber_pack* pack) {
    if (!pack)
        return;
    limberi_probes_destroy(&pack->probes);
    limberi_pack_destroy(&pack->pack);
    limberi_release(pack);
}

limber_pack_layout limber_pack_get_layout(const limber_pack* pack) {
    const limberi_pack* p = &pack->pack;
    limber_pack_layout layout = {p->influences,
                                 (uint32_t)limberi_pack_joint_bytes(p),
                                 limberi_pack_column_count(p),
                                 (uint32_t)limberi_pack_column_bytes(p),
                                 p->columns_change,
                                 p->texel_limit};
    return layout;
}

const char* limber_pack_defines(const limber_pack* pack) {
    return pack->defines;
}

const char* limber_pack_dynamic_defines(const limber_pack* pack) {
    return pack->dynamic_defines;
}

void limber_pack_write_settings(const limber_pack* pack, int32_t* settings) {
    limberi_pack_settings(&pack->pack, settings);
}

void limber_pack_write_joints(const limber_pack* pack, void* joints) {
    limberi_pack_joints(&pack->pack, joints);
}

void limber_pack_surface(const limber_pack* pack, uint32_t mesh, const float** positions, const float** normals) {
    const limber_mesh* m = &pack->pipeline->model->meshes[mesh];
    *positions = m->morph_count ? limberi_pipeline_morphed_positions(pack->pipeline, m) : m->positions;
    *normals = m->morph_count ? limberi_pipeline_morphed_normals(pack->pipeline, m) : m->normals;
}

// Whether something after the effects moves vertices.
static bool begin_ground(limber_pack* pack, const limber_deform_job* job) {
    const limber_pipeline* p = pack->pipeline;
    bool moves = limberi_pack_moves(&pack->pack);
    if (!limberi_pipeline_has_ground(p, moves))
        return false;
    limberi_probes_run(p, moves, &pack->probes);
    limberi_ground_frame frame = limberi_pipeline_ground_frame(p, job);
    frame.skinned = pack->probes.skinned;
    frame.deformed = pack->probes.deformed;
    return limberi_ground_begin(p->ground, &frame);
}

limber_result limber_pack_evaluate(limber_pack* pack, float* texels, uint32_t* texel_count, int16_t* columns,
                                   limber_error* error) {
    const limber_pipeline* p = pack->pipeline;
    limber_deform_job job = limberi_pipeline_job(p);
    limberi_pack_frame frame = {.job = &job,
                                .palettes = p->palettes,
                                .dualquats = p->dualquats,
                                .positions = p->model->morph_count ? p->morphed_positions : NULL};
    if (!columns && pack->pack.columns_change)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "columns change with every frame: give memory for them");
    if (limberi_pack_begin(&pack->pack, &frame))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT,
                            "the shader needs a pose, and one motion for effects with the same filters");
    if (columns)
        limberi_probes_repaint(&pack->probes);
    frame.grounded = begin_ground(pack, &job);
    if (columns && limberi_pack_column_count(&pack->pack))
        limberi_pack_columns(&pack->pack, &frame, columns);
    *texel_count = limberi_pack_texels(&pack->pack, &frame, texels);
    return LIMBER_OK;
}
