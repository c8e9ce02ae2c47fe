// Skinning of one group of vertices (asset/groups.h) by the widest kernels the processor has.
#include "skin/blend_group.h"

static const limberi_skin_kernels* kernels_of(limberi_variant variant) {
#if defined(LIMBERI_HAS_AVX2)
    if (variant == LIMBERI_VARIANT_AVX2)
        return &limberi_skin_kernels_avx2;
#endif
    return limberi_variant_is_plain(variant) ? &limberi_skin_kernels_plain : &limberi_skin_kernels_wide;
}

static void look_at_dualquats(limberi_skin_input* in) {
    for (uint32_t k = 0; k < in->slot_count; k++) {
        const limber_dualquat* d = &in->dualquats[in->slots[k]];
        in->stretched = in->stretched || !d->rigid;
        for (uint32_t l = 0; l < k; l++) {
            const limber_quat* a = &d->real;
            const limber_quat* b = &in->dualquats[in->slots[l]].real;
            in->antipodal = in->antipodal || a->x * b->x + a->y * b->y + a->z * b->z + a->w * b->w < 0;
        }
    }
}

// x, y and z of a group as they are kept, or as the mesh has them now.
static void gather_axes(const limberi_skin_group_job* job, const float* const* kept, const float* now,
                        limberi_block3* block, const float** out) {
    if (now)
        limberi_group_gather(job->groups, job->group, now, block);
    for (int c = 0; c < 3; c++)
        out[c] = now ? block->v[c] : kept[c] + job->group->first;
}

void limberi_skin_group(limberi_variant variant, const limberi_skin_group_job* job) {
    const limberi_group* g = job->group;
    limberi_block3 positions, normals;
    limberi_skin_input in = {0};
    in.width = g->width;
    in.slot_count = g->slot_count;
    in.slots = job->groups->slots + g->slot_first;
    in.weights = job->groups->weights + g->weight_first;
    in.palette = job->palette;
    in.dualquats = job->dualquats;
    gather_axes(job, job->groups->positions, job->positions, &positions, in.p);
    if (job->out_normals)
        gather_axes(job, job->kept_normals ? job->kept_normals : job->groups->normals, job->normals, &normals, in.n);
    in.out = job->out_positions;
    in.out_normals = job->out_normals;
    const limberi_skin_kernels* kernels = kernels_of(variant);
    if (job->skinning == LIMBER_SKINNING_LINEAR) {
        kernels->linear(&in);
        return;
    }
    look_at_dualquats(&in);
    kernels->dualquat(&in);
}
