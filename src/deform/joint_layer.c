// A layer by joints: what a joint's own skin is painted with on average. A floppy ear on a stiff head then flops as a
// whole from its root, however hard the edge of the paint is; per vertex it would be torn off there.
#include "deform/deformer.h"

#include <string.h>

static void add_mesh(const limber_deformer* d, const limber_mesh* mesh, const char* name, double* sum, double* mass) {
    const limber_layer* layer = limber_mesh_layer(mesh, name);
    const uint32_t* joints = d->model->skins[mesh->skin].joints;
    for (uint32_t u = 0; u < mesh->vertex_count; u++)
        for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
            uint32_t j = joints[mesh->influence_joint[i]];
            sum[j] += (double)mesh->influence_weight[i] * (layer ? (double)layer->values[u] : 1);
            mass[j] += (double)mesh->influence_weight[i];
        }
}

// Joints without skin take the mean of what hangs on them.
static void share_out(const limber_deformer* d, double* sum, double* mass) {
    const limber_rig* rig = &d->model->rig;
    double *below_sum = sum + rig->joint_count, *below_mass = mass + rig->joint_count;
    memcpy(below_sum, sum, rig->joint_count * sizeof *sum);
    memcpy(below_mass, mass, rig->joint_count * sizeof *mass);
    for (uint32_t j = rig->joint_count; j-- > 0;)
        if (rig->parents[j] >= 0) {
            below_sum[rig->parents[j]] += below_sum[j];
            below_mass[rig->parents[j]] += below_mass[j];
        }
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        bool own = mass[j] > 0;
        double weight = own ? mass[j] : below_mass[j], value = own ? sum[j] : below_sum[j];
        d->joint_share[j] = weight > 0 ? (float)(value / weight) : 1;
    }
}

static bool has_layer(const limber_model* model, const char* name) {
    for (uint32_t m = 0; m < model->mesh_count; m++)
        if (limber_mesh_layer(&model->meshes[m], name))
            return true;
    return false;
}

void limberi_joint_layer_changed(const limber_deformer* d, const char* name) {
    if (!d->joint_share)
        return;
    uint32_t joints = d->model->rig.joint_count;
    double *sum = d->joint_sums, *mass = d->joint_sums + 2 * (size_t)joints;
    memset(sum, 0, 4 * (size_t)joints * sizeof *sum);
    for (uint32_t m = 0; m < d->model->mesh_count; m++)
        add_mesh(d, &d->model->meshes[m], name, sum, mass);
    share_out(d, sum, mass);
}

limber_result limberi_joint_layer_prepare(limber_deformer* d, const char* name) {
    if (!name || !has_layer(d->model, name))
        return LIMBER_OK;
    d->joint_share = LIMBERI_ALLOCATE(&d->arena, float, d->model->rig.joint_count);
    d->joint_sums = LIMBERI_ALLOCATE(&d->arena, double, 4 * (size_t)d->model->rig.joint_count);
    if (d->arena.failed)
        return LIMBER_ERROR_MEMORY;
    limberi_joint_layer_changed(d, name);
    return LIMBER_OK;
}
