// Rigid parts for the shader: of a vertex the motion that moves it and how much it belongs to it. Each part is a motion,
// and so is each vertex that swings.
#include "base/error.h"
#include "gpu/packing.h"

#include <math.h>

enum { COLUMNS = 2, TEXELS = 3, MAX_PARTS = 32768 }; // a part is a column: 16 bits with a sign

limber_result limberi_pack_check_rigid(const limberi_pack* p, limber_error* error) {
    uint32_t count = p->rigid ? limberi_rigid_motion_count(p->rigid) : 0;
    if (count > MAX_PARTS)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "the character has %u rigid parts; the shader supports %d",
                            count, (int)MAX_PARTS);
    return LIMBER_OK;
}

uint32_t limberi_pack_rigid_columns(const limberi_pack* p) {
    return p->rigid ? COLUMNS : 0;
}

uint32_t limberi_pack_rigid_texels(const limberi_pack* p) {
    return p->rigid ? TEXELS * limberi_rigid_motion_count(p->rigid) : 0;
}

void limberi_pack_put_rigid_columns(const limberi_pack* p, size_t stride, int16_t* out) {
    const limber_rigid_parts* parts = limberi_rigid_parts_of(p->rigid);
    for (uint32_t u = 0; u < p->model->vertex_count; u++) {
        out[u * stride] = -1;
        out[u * stride + 1] = 0;
    }
    for (uint32_t i = 0; i < parts->entry_count; i++) {
        out[parts->vertices[i] * stride] = (int16_t)parts->motion_of[i];
        out[parts->vertices[i] * stride + 1] = (int16_t)lrintf(parts->holds[i] * 32767);
    }
}

void limberi_pack_put_rigid(const limberi_pack* p, float* out) {
    for (uint32_t i = 0; i < limberi_rigid_motion_count(p->rigid); i++)
        limberi_rigid_displacement(p->rigid, i, out + 4 * (size_t)TEXELS * i);
}
