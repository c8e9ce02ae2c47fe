// A frame as the shader wants it (limber/pack.h, docs/shader.md).
#include "base/error.h"
#include "web/wasm/web.h"

#include <stdlib.h>
#include <string.h>

void limberi_web_drop_pack(web_pipeline* p) {
    limber_pack_destroy(p->pack);
    free(p->texels);
    free(p->columns);
    p->pack = NULL;
    p->texels = NULL;
    p->columns = NULL;
    p->columns_ready = false;
}

static uint32_t rows_of(const limber_pack_layout* layout) {
    return (layout->max_texels + LIMBER_PACK_WIDTH - 1) / LIMBER_PACK_WIDTH;
}

// In the browser three.js morphs the meshes that go to the shader.
static bool has_moving_morphs(const web_pipeline* p) {
    const limber_morph_settings* morphs = &limber_pipeline_stage_settings(p->pipeline)->morphs;
    return p->character->model->morph_count && (morphs->drag != 0 || morphs->squash != 0);
}

int32_t WEB_EXPORT(pack_open)(web_pipeline* p, int32_t normals) {
    limberi_web_drop_pack(p);
    if (has_moving_morphs(p))
        return (int32_t)limberi_fail(&limberi_web_error, LIMBER_ERROR_UNSUPPORTED,
                                     "effects of morph targets are computed on the CPU");
    limber_result result = limber_pack_create(p->pipeline, normals != 0, &p->pack, &limberi_web_error);
    if (result)
        return (int32_t)result;
    limber_pack_layout layout = limber_pack_get_layout(p->pack);
    p->texels = calloc((size_t)rows_of(&layout) * LIMBER_PACK_WIDTH, 4 * sizeof *p->texels);
    p->columns = calloc((size_t)p->character->model->vertex_count + 1, layout.column_bytes + 1);
    if (p->texels && p->columns)
        return LIMBER_OK;
    limberi_web_drop_pack(p);
    return (int32_t)limberi_fail_memory(&limberi_web_error);
}

const char* WEB_EXPORT(pack_defines)(const web_pipeline* p) {
    return limber_pack_defines(p->pack);
}

uint32_t WEB_EXPORT(pack_number)(const web_pipeline* p, uint32_t which) {
    limber_pack_layout layout = limber_pack_get_layout(p->pack);
    const uint32_t numbers[] = {layout.influences,   layout.joint_bytes,    layout.column_count,
                                layout.column_bytes, layout.columns_change, layout.max_texels,
                                rows_of(&layout),    LIMBER_PACK_WIDTH,     layout.obeyed_texels};
    return which < sizeof numbers / sizeof *numbers ? numbers[which] : 0;
}

// joint_bytes per vertex: uint16 joints, then float weights.
void WEB_EXPORT(pack_joints)(const web_pipeline* p, uint8_t* out) {
    limber_pack_write_joints(p->pack, out);
}

// Four floats per texel.
void WEB_EXPORT(pack_obeyed)(const web_pipeline* p, float* out) {
    limber_pack_write_obeyed(p->pack, out);
}

// The frame of the current pose; how many texels it has, 0: it failed.
uint32_t WEB_EXPORT(pack_frame)(web_pipeline* p) {
    limber_pack_layout layout = limber_pack_get_layout(p->pack);
    int16_t* columns = !p->columns_ready || layout.columns_change ? p->columns : NULL;
    uint32_t count;
    if (limber_pack_evaluate(p->pack, p->texels, &count, columns, &limberi_web_error))
        return 0;
    p->columns_ready = true;
    return count;
}

// For the shader's uniform limber_settings, when one program shows all styles.
void WEB_EXPORT(pack_settings)(const web_pipeline* p, int32_t* out) {
    limber_pack_write_settings(p->pack, out);
}

// Of the last frame.
const void* WEB_EXPORT(pack_array)(const web_pipeline* p, uint32_t which) {
    return which == 0 ? (const void*)p->texels : p->columns;
}
