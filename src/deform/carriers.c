// Which joints carry the whole character from half its height: the hips of a body, not the foot of a pole. Where such a
// joint lags, nothing bends; everything is only late.
#include "deform/carriers.h"

#include "base/math.h"

static const double all[2] = {0.9, 0.98};    // share of the skin that hangs on the joint: no such joint, one
static const double aside[2] = {0.45, 0.75}; // height of the middle of the skin over the skin's mean height, both from
                                             // the joint: one, none

// The skin in the rest pose, by area.
typedef struct carried {
    const limber_model* model;
    float* rest;   // [3 * vertex] of a mesh
    double* below; // [joint] what hangs on it
    double total, middle, square;
} carried;

static void add_mesh(carried* c, const limber_mesh* mesh) {
    const uint32_t* joints = c->model->skins[mesh->skin].joints;
    limber_mesh_rest_positions(c->model, mesh, c->rest);
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        double area = (double)mesh->areas[u];
        for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++)
            c->below[joints[mesh->influence_joint[i]]] += area * (double)mesh->influence_weight[i];
        double height = (double)c->rest[3 * (size_t)u + 1];
        c->middle += area * height;
        c->square += area * height * height;
        c->total += area;
    }
}

static void add_skin(carried* c) {
    const limber_rig* rig = &c->model->rig;
    for (uint32_t m = 0; m < c->model->mesh_count; m++)
        if (!c->model->meshes[m].scenery)
            add_mesh(c, &c->model->meshes[m]);
    for (uint32_t j = rig->joint_count; j-- > 0;)
        if (rig->hangs_on[j] >= 0)
            c->below[rig->hangs_on[j]] += c->below[j];
}

static float carries(const carried* c, uint32_t joint) {
    double share = c->below[joint] / c->total;
    double height = (double)limberi_mat4_translation(&c->model->rig.world_from_joint_rest[joint]).y;
    double away = c->middle / c->total - height;
    double square = c->square / c->total - height * height - 2 * height * away; // mean of the skin's, from the joint
    double ratio = square > 0 ? fabs(away) / sqrt(square) : 1;
    return (float)(limberi_smooth_step(all[0], all[1], share) * (1 - limberi_smooth_step(aside[0], aside[1], ratio)));
}

bool limberi_carriers_find(limberi_arena* arena, const limber_model* model, float** result) {
    uint32_t joints = model->rig.joint_count;
    limberi_arena scratch = {NULL, false};
    carried c = {.model = model};
    c.rest = LIMBERI_ALLOCATE(&scratch, float, 3 * (size_t)model->vertex_count);
    c.below = LIMBERI_ALLOCATE(&scratch, double, joints);
    *result = LIMBERI_ALLOCATE(arena, float, joints);
    bool memory = !scratch.failed && !arena->failed;
    if (memory)
        add_skin(&c);
    for (uint32_t j = 0; memory && c.total > 0 && j < joints; j++)
        (*result)[j] = carries(&c, j);
    limberi_arena_free(&scratch);
    return memory;
}
