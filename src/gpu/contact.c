// Contacts and impacts for the shader: how a landing squashes the body, and a row for each joint of the skins.
#include "base/build.h"
#include "gpu/packing.h"

#include <math.h>
#include <string.h>

// Only where a mesh has the layer.
uint32_t limberi_pack_contact_columns(const limberi_pack* p) {
    for (uint32_t m = 0; LIMBERI_HAS_CONTACTS && p->ground && m < p->model->mesh_count; m++)
        if (limberi_contact_stage_layer(p->ground, m))
            return 1;
    return 0;
}

uint32_t limberi_pack_ground_texels(const limberi_pack* p) {
    return p->ground ? p->skin_joint_count : 0;
}

void limberi_pack_put_contact_column(const limberi_pack* p, size_t stride, int16_t* out) {
    for (uint32_t m = 0; m < p->model->mesh_count; m++) {
        const limber_mesh* mesh = &p->model->meshes[m];
        const float* layer = limberi_contact_stage_layer(p->ground, m);
        for (uint32_t u = 0; u < mesh->vertex_count; u++)
            out[(mesh->first_vertex + u) * stride] =
                (int16_t)lrintf(layer ? fmaxf(-1, fminf(layer[u], 1)) * 32767 : 32767);
    }
}

bool limberi_pack_has_floor(const limberi_pack* p, const limberi_pack_frame* f) {
    return LIMBERI_HAS_CONTACTS && f->grounded && p->ground && limberi_contact_stage_result(p->ground).floor;
}

void limberi_pack_put_ground_head(const limberi_pack* p, const limberi_pack_frame* f, int32_t rigid, int32_t rows,
                                  float out[24]) {
    limberi_contact_stage_found found = {0};
    if (LIMBERI_HAS_CONTACTS && f->grounded && p->ground)
        found = limberi_contact_stage_result(p->ground);
    const limberi_body_shape* b = &found.shape;
    const float head[24] = {(float)rigid,  (float)rows,   found.scale,   found.depth,  //
                            b->center[0],  b->center[1],  b->center[2],  found.edited, //
                            b->stretch[0], b->stretch[1], b->stretch[2], found.firm,   //
                            b->stretch[3], b->stretch[4], b->stretch[5], b->bend[0],   //
                            b->shift[0],   b->shift[1],   b->shift[2],   b->bend[1],   //
                            b->planted,    b->per_height};
    memcpy(out, head, sizeof head);
}

void limberi_pack_put_footings(const limberi_pack* p, float* out) {
    for (uint32_t s = 0; s < p->model->skin_count; s++)
        for (uint32_t k = 0; k < p->model->skins[s].joint_count; k++, out += 4)
            limberi_contact_stage_footing(p->ground, p->model->skins[s].joints[k], out);
}
