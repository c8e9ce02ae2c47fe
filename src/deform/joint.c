#include "deform/joint.h"
#include "base/math.h"

void limberi_fill_place(const limber_deformer* d, const limber_deform_job* job, uint32_t j, limber_effect_block* out) {
    const limber_mat4* world = &job->pose->world_from_joint[j];
    limber_vec3 center = d->model->rig.centroid[j];
    if (d->settings.centroid_offsets)
        center = limberi_add(center, d->settings.centroid_offsets[j]);
    out->position = limberi_mat4_translation(world);
    out->centroid = limberi_mat4_point(world, center);
    out->size = d->size;
    out->joint = j;
}

bool limberi_has_medial_axis(const limber_deformer* d, uint32_t j) {
    return d->settings.medial_axes && !limberi_is_zero(d->settings.medial_axes[j]);
}

void limberi_fill_axes(const limber_deformer* d, const limber_deform_job* job, limber_effect_block* out) {
    const limber_mat4* world = &job->pose->world_from_joint[out->joint];
    limber_vec3 medial = limberi_sub(out->centroid, out->position);
    float length = limberi_length(medial);
    out->medial_axis = limberi_vec3(0, 0, 0);
    if (limberi_has_medial_axis(d, out->joint))
        out->medial_axis = limberi_normalize(limberi_mat4_vector(world, d->settings.medial_axes[out->joint]));
    else if (length > LIMBERI_SHORTEST_AXIS * d->model->size)
        out->medial_axis = limberi_scale(medial, 1 / length);
    out->bone_direction = limberi_normalize(limberi_mat4_vector(world, d->model->rig.bone_direction[out->joint]));
}
