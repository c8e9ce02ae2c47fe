// Which joints are bones, and which vertices belong to them.
#include "smear/smear_private.h"

#include <string.h>

static const float strong_weight = 0.1f; // vertices with less do not count for a bone's size

// A pruned joint gives its vertices to its parent, so a root is never pruned.
static void find_kept(limber_smearer* s, const bool* small) {
    const limber_rig* rig = &s->model->rig;
    const uint8_t* pruned = s->settings.offsets.pruned;
    limberi_smear_bones* b = &s->bones;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        int32_t parent = rig->parents[j];
        int32_t above = parent < 0 ? -1 : (int32_t)b->bone_of_joint[parent];
        bool kept = above < 0 || !(small[j] || (pruned && pruned[j]));
        b->bone_of_joint[j] = kept ? j : (uint32_t)above;
        b->parent[j] = above;
        b->leaf[j] = true;
        if (kept && above >= 0)
            b->leaf[above] = false;
    }
}

// The weights of one vertex, those on one bone added up. Returns how many bones.
static uint32_t gather(const limber_smearer* s, const limber_mesh* mesh, uint32_t vertex, uint32_t* bones,
                       float* weights, uint32_t room) {
    const limber_skin* skin = &s->model->skins[mesh->skin];
    uint32_t count = 0;
    for (uint32_t i = mesh->influence_first[vertex]; i < mesh->influence_first[vertex + 1]; i++) {
        uint32_t bone = s->bones.bone_of_joint[skin->joints[mesh->influence_joint[i]]];
        uint32_t at = 0;
        if (!(mesh->influence_weight[i] > 0))
            continue;
        while (at < count && bones[at] != bone)
            at++;
        if (at == room)
            continue;
        if (at == count) {
            bones[count++] = bone;
            weights[at] = 0;
        }
        weights[at] += mesh->influence_weight[i];
    }
    return count;
}

enum { MAX_INFLUENCES = 256 };

typedef struct sorter {
    uint32_t *strong, *weak; // [joint]: how many; then where the next one goes
} sorter;

static void count_influences(const limber_smearer* s, sorter* sort) {
    uint32_t bones[MAX_INFLUENCES];
    float weights[MAX_INFLUENCES];
    for (uint32_t m = 0; m < s->model->mesh_count; m++)
        for (uint32_t u = 0; u < s->model->meshes[m].vertex_count; u++) {
            uint32_t n = gather(s, &s->model->meshes[m], u, bones, weights, MAX_INFLUENCES);
            for (uint32_t i = 0; i < n; i++)
                (weights[i] >= strong_weight ? sort->strong : sort->weak)[bones[i]]++;
        }
}

static void place_influences(limber_smearer* s, sorter* sort) {
    uint32_t bones[MAX_INFLUENCES];
    float weights[MAX_INFLUENCES];
    for (uint32_t m = 0; m < s->model->mesh_count; m++) {
        const limber_mesh* mesh = &s->model->meshes[m];
        for (uint32_t u = 0; u < mesh->vertex_count; u++) {
            uint32_t n = gather(s, mesh, u, bones, weights, MAX_INFLUENCES);
            for (uint32_t i = 0; i < n; i++) {
                uint32_t at = (weights[i] >= strong_weight ? sort->strong : sort->weak)[bones[i]]++;
                s->bones.vertex[at] = mesh->first_vertex + u;
                s->bones.weight[at] = weights[i];
            }
        }
    }
}

static limber_result sort_influences(limber_smearer* s, limberi_arena* scratch) {
    uint32_t joints = s->model->rig.joint_count;
    limberi_smear_bones* b = &s->bones;
    sorter sort = {LIMBERI_ALLOCATE(scratch, uint32_t, joints), LIMBERI_ALLOCATE(scratch, uint32_t, joints)};
    if (scratch->failed)
        return LIMBER_ERROR_MEMORY;
    count_influences(s, &sort);
    for (uint32_t j = 0; j < joints; j++) {
        uint32_t strong = sort.strong[j];
        uint32_t weak = sort.weak[j];
        b->strong[j] = strong;
        b->first[j + 1] = b->first[j] + strong + weak;
        sort.strong[j] = b->first[j];
        sort.weak[j] = b->first[j] + strong;
    }
    uint32_t count = b->first[joints];
    b->vertex = LIMBERI_ALLOCATE(&s->arena, uint32_t, count);
    b->weight = LIMBERI_ALLOCATE(&s->arena, float, count);
    s->delta = LIMBERI_ALLOCATE(&s->arena, float, count);
    s->along = LIMBERI_ALLOCATE(&s->arena, float, count);
    s->value = LIMBERI_ALLOCATE(&s->arena, float, count);
    if (s->arena.failed)
        return LIMBER_ERROR_MEMORY;
    place_influences(s, &sort);
    return LIMBER_OK;
}

// Means of the rest positions, weighted by area where there is any.
static void find_centroids(limber_smearer* s, const float* rest, const float* areas) {
    const limber_rig* rig = &s->model->rig;
    limberi_smear_bones* b = &s->bones;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        double area[4] = {0, 0, 0, 0};
        double plain[4] = {0, 0, 0, 0};
        for (uint32_t i = b->first[j]; i < b->first[j + 1]; i++) {
            uint32_t u = b->vertex[i];
            double weight = (double)b->weight[i];
            for (size_t c = 0; c < 4; c++) {
                double x = c < 3 ? (double)rest[3 * (size_t)u + c] : 1;
                area[c] += weight * (double)areas[u] * x;
                plain[c] += weight * x;
            }
        }
        const double* sum = area[3] > 0 ? area : plain;
        limber_mat4 joint_from_world;
        if (!(sum[3] > 0) || !limberi_mat4_inverse(&rig->world_from_joint_rest[j], &joint_from_world))
            continue;
        limber_vec3 center = limberi_vec3((float)(sum[0] / sum[3]), (float)(sum[1] / sum[3]), (float)(sum[2] / sum[3]));
        b->centroid[j] = limberi_mat4_point(&joint_from_world, center);
    }
}

// Gains of the joints themselves, whichever bone their vertices belong to.
static limber_result spread_gains(limber_smearer* s) {
    s->gains = LIMBERI_ALLOCATE(&s->arena, float, s->model->vertex_count);
    if (!s->gains)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t m = 0; m < s->model->mesh_count; m++) {
        const limber_mesh* mesh = &s->model->meshes[m];
        const uint32_t* joints = s->model->skins[mesh->skin].joints;
        for (uint32_t u = 0; u < mesh->vertex_count; u++)
            for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++)
                s->gains[mesh->first_vertex + u] +=
                    mesh->influence_weight[i] * s->settings.joint_gains[joints[mesh->influence_joint[i]]];
    }
    return LIMBER_OK;
}

static limber_result prepare(limber_smearer* s, limberi_arena* scratch) {
    const limber_model* model = s->model;
    limberi_smear_bones* b = &s->bones;
    uint32_t joints = model->rig.joint_count;
    b->bone_of_joint = LIMBERI_ALLOCATE(&s->arena, uint32_t, joints);
    b->parent = LIMBERI_ALLOCATE(&s->arena, int32_t, joints);
    b->leaf = LIMBERI_ALLOCATE(&s->arena, bool, joints);
    b->centroid = LIMBERI_ALLOCATE(&s->arena, limber_vec3, joints);
    b->first = LIMBERI_ALLOCATE(&s->arena, uint32_t, (size_t)joints + 1);
    b->strong = LIMBERI_ALLOCATE(&s->arena, uint32_t, joints);
    float* rest = LIMBERI_ALLOCATE(scratch, float, 3 * (size_t)model->vertex_count);
    float* areas = LIMBERI_ALLOCATE(scratch, float, model->vertex_count);
    bool* small = LIMBERI_ALLOCATE(scratch, bool, joints);
    if (s->arena.failed || scratch->failed)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        limber_mesh_rest_positions(model, mesh, rest + 3 * (size_t)mesh->first_vertex);
        memcpy(areas + mesh->first_vertex, mesh->areas, mesh->vertex_count * sizeof *areas);
    }
    if (s->settings.offsets.prune_below > 0 && limberi_smear_find_small(s, areas, small))
        return LIMBER_ERROR_MEMORY;
    find_kept(s, small);
    if (sort_influences(s, scratch))
        return LIMBER_ERROR_MEMORY;
    find_centroids(s, rest, areas);
    if (s->settings.elongate.max > 0 && limberi_smear_find_radii(s, rest, areas))
        return LIMBER_ERROR_MEMORY;
    limber_result result = limberi_smear_find_balls(s, rest, areas);
    return result || !s->settings.joint_gains ? result : spread_gains(s);
}

limber_result limberi_smear_prepare_bones(limber_smearer* s) {
    limberi_arena scratch = {NULL, false};
    limber_result result = prepare(s, &scratch);
    limberi_arena_free(&scratch);
    return result;
}
