// Skinning of one group of vertices (asset/groups.h) by the widest kernels the processor has.
#ifndef LIMBERI_BLEND_GROUP_H
#define LIMBERI_BLEND_GROUP_H

#include "asset/groups.h"
#include "base/variant.h"
#include <limber/stages/skin.h>

typedef struct limberi_skin_group_job {
    const struct limberi_groups* groups;
    const limberi_group* group;
    limber_skinning skinning;
    const limber_mat4* palette;
    const limber_dualquat* dualquats;
    const float *positions, *normals; // 3 per vertex of the mesh; NULL: those of the groups
    const float* const* kept_normals; // [3] x, y and z in the order of the groups; NULL: those of the groups
    limberi_block3* out_positions;
    limberi_block3* out_normals; // NULL: none wanted
} limberi_skin_group_job;

void limberi_skin_group(limberi_variant variant, const limberi_skin_group_job* job);

// What a kernel sees: everything in the order of the group, `width` of each.
typedef struct limberi_skin_input {
    uint32_t width, slot_count;
    const uint16_t* slots;
    const float* weights; // [slot][width]
    const limber_mat4* palette;
    const limber_dualquat* dualquats;
    bool stretched;           // some joint's stretch is not the identity
    bool antipodal;           // some pair of the joints' quaternions lies on opposite sides
    const float *p[3], *n[3]; // x, y, z of positions and normals; n NULL: none
    limberi_block3 *out, *out_normals;
} limberi_skin_input;

typedef struct limberi_skin_kernels {
    void (*linear)(const limberi_skin_input* input);
    void (*dualquat)(const limberi_skin_input* input);
} limberi_skin_kernels;

extern const limberi_skin_kernels limberi_skin_kernels_plain, limberi_skin_kernels_wide;
#if defined(LIMBERI_HAS_AVX2)
extern const limberi_skin_kernels limberi_skin_kernels_avx2;
#endif

#endif
