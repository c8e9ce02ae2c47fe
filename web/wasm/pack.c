// A frame as the shader wants it (render/deform_pack.h, docs/shader.md).
#include "base/error.h"
#include "web/wasm/web.h"

#include <stdlib.h>
#include <string.h>

void limberi_web_drop_pack(web_pipeline* p) {
    if (p->pack)
        limberi_pack_destroy(p->pack);
    free(p->pack);
    free(p->texels);
    free(p->columns);
    p->pack = NULL;
    p->texels = NULL;
    p->columns = NULL;
    p->columns_ready = false;
}

static size_t rows_of(const limberi_pack* pack) {
    return (pack->texel_limit + LIMBERI_PACK_WIDTH - 1) / LIMBERI_PACK_WIDTH;
}

int32_t WEB_EXPORT(pack_open)(web_pipeline* p, int32_t normals) {
    limberi_web_drop_pack(p);
    const limber_model* model = p->character->model;
    limberi_pack* pack = calloc(1, sizeof *pack);
    if (!pack)
        return (int32_t)limberi_fail(&limberi_web_error, LIMBER_ERROR_MEMORY, "not enough memory");
    limberi_pipeline_parts parts = limberi_pipeline_parts_of(p->pipeline);
    limber_result result = limberi_pack_create(parts.asset, parts.deformer, parts.skinning, pack, &limberi_web_error);
    if (result) {
        free(pack);
        return (int32_t)result;
    }
    pack->normals = normals != 0;
    p->pack = pack;
    p->texels = calloc(rows_of(pack) * LIMBERI_PACK_WIDTH, 4 * sizeof *p->texels);
    p->columns = calloc((size_t)model->vertex_count + 1, limberi_pack_column_bytes(pack) + 1);
    if (p->texels && p->columns)
        return LIMBER_OK;
    limberi_web_drop_pack(p);
    return (int32_t)limberi_fail(&limberi_web_error, LIMBER_ERROR_MEMORY, "not enough memory for the shader's data");
}

const char* WEB_EXPORT(pack_defines)(const web_pipeline* p) {
    static char text[LIMBERI_PACK_DEFINES_SIZE];
    limberi_pack_defines(p->pack, text);
    return text;
}

uint32_t WEB_EXPORT(pack_number)(const web_pipeline* p, uint32_t which) {
    const limberi_pack* k = p->pack;
    const uint32_t numbers[] = {k->influences,        (uint32_t)limberi_pack_joint_bytes(k),
                                k->column_count,      (uint32_t)limberi_pack_column_bytes(k),
                                k->columns_change,    k->texel_limit,
                                (uint32_t)rows_of(k), LIMBERI_PACK_WIDTH};
    return which < 8 ? numbers[which] : 0;
}

// joint_bytes per vertex: uint16 joints, then float weights.
void WEB_EXPORT(pack_joints)(const web_pipeline* p, uint8_t* out) {
    limberi_pack_joints(p->pack, out);
}

// The frame of the pose at hand; how many texels it has, 0: it failed.
uint32_t WEB_EXPORT(pack_frame)(web_pipeline* p) {
    limberi_pipeline_parts parts = limberi_pipeline_parts_of(p->pipeline);
    limber_deform_job job = limberi_pipeline_job(p->pipeline);
    limberi_pack_frame frame = {&job, parts.palettes, parts.dualquats, parts.morphed_positions};
    if (limberi_pack_begin(p->pack, &frame)) {
        limberi_fail(&limberi_web_error, LIMBER_ERROR_ARGUMENT, "the shader needs a pose");
        return 0;
    }
    if (p->pack->column_count && (!p->columns_ready || p->pack->columns_change))
        limberi_pack_columns(p->pack, &frame, p->columns);
    p->columns_ready = true;
    return limberi_pack_texels(p->pack, &frame, p->texels);
}

// For the shader's uniform limber_settings, when one program shows all styles.
void WEB_EXPORT(pack_settings)(const web_pipeline* p, int32_t* out) {
    limberi_pack_settings(p->pack, out);
}

// Of the last frame.
const void* WEB_EXPORT(pack_array)(const web_pipeline* p, uint32_t which) {
    return which == 0 ? (const void*)p->texels : p->columns;
}
