// How large body parts are in the rest pose: which joints are too small to be bones, and how thick the others are.
#include "smear/smear_private.h"

// The skin of each joint and its descendants, as an area. Parents come before children.
static void add_up_areas(const limber_model* model, const float* areas, double* sums) {
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        const limber_skin* skin = &model->skins[mesh->skin];
        for (uint32_t u = 0; u < mesh->vertex_count; u++)
            for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++)
                sums[skin->joints[mesh->influence_joint[i]]] +=
                    (double)mesh->influence_weight[i] * (double)areas[mesh->first_vertex + u];
    }
    for (uint32_t j = model->rig.joint_count; j-- > 0;)
        if (model->rig.parents[j] >= 0)
            sums[model->rig.parents[j]] += sums[j];
}

limber_result limberi_smear_find_small(limber_smearer* s, const float* areas, bool* small) {
    uint32_t joints = s->model->rig.joint_count;
    double side = (double)s->settings.offsets.prune_below * (double)s->size;
    limberi_arena scratch = {NULL, false};
    double* sums = LIMBERI_ALLOCATE(&scratch, double, joints);
    if (sums)
        add_up_areas(s->model, areas, sums);
    for (uint32_t j = 0; sums && j < joints; j++)
        small[j] = sums[j] < side * side;
    limberi_arena_free(&scratch);
    return sums ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

// Square of the distance from the bone's axis; from its centroid when it has no direction.
static double off_axis(const limber_smear_bone* bone, limber_vec3 p, float size) {
    limber_vec3 along = limberi_sub(bone->tip, bone->root);
    limber_vec3 arm = limberi_sub(p, bone->root);
    float length = limberi_length(along);
    if (length > LIMBERI_SHORT_BONE * size) {
        limber_vec3 axis = limberi_scale(along, 1 / length);
        arm = limberi_sub(arm, limberi_scale(axis, limberi_dot(arm, axis)));
    } else {
        arm = limberi_sub(p, bone->centroid);
    }
    return (double)limberi_dot(arm, arm);
}

// Root mean square of the distances, in L: the radius, if the part is a tube.
static float radius_of(const limber_smearer* s, uint32_t j, const limber_smear_bone* bone, const float* rest,
                       const float* areas) {
    const limberi_smear_bones* b = &s->bones;
    double sum = 0;
    double whole = 0;
    for (uint32_t i = b->first[j]; i < b->first[j + 1]; i++) {
        uint32_t u = b->vertex[i];
        double weight = (double)b->weight[i] * ((double)areas[u] + 1e-30); // points without an area count alike
        sum += weight * off_axis(bone, limberi_load3(rest + 3 * (size_t)u), s->size);
        whole += weight;
    }
    return whole > 0 && s->size > 0 ? (float)sqrt(sum / whole) / s->size : 0;
}

// Without a skeleton: the same about the centroid of everything.
static limber_result one_radius(limber_smearer* s, const float* rest, const float* areas) {
    double sum[5] = {0, 0, 0, 0, 0}; // places, their squares, weights
    for (size_t u = 0; u < s->model->vertex_count; u++) {
        limber_vec3 p = limberi_load3(rest + 3 * u);
        double weight = (double)areas[u] + 1e-30;
        const double terms[5] = {(double)p.x, (double)p.y, (double)p.z, (double)limberi_dot(p, p), 1};
        for (int i = 0; i < 5; i++)
            sum[i] += weight * terms[i];
    }
    double whole = sum[4] > 0 ? sum[4] : 1;
    double center = 0;
    for (int i = 0; i < 3; i++)
        center += sum[i] / whole * (sum[i] / whole);
    double square = sum[3] / whole - center;
    for (size_t u = 0; u < s->model->vertex_count; u++)
        s->radii[u] = square > 0 && s->size > 0 ? (float)sqrt(square) / s->size : 0;
    return LIMBER_OK;
}

// In the rest pose. NULL: no memory.
static limber_smear_bone* rest_bones(const limber_smearer* s, limberi_arena* scratch) {
    const limber_rig* rig = &s->model->rig;
    limber_smear_bone* bones = LIMBERI_ALLOCATE(scratch, limber_smear_bone, rig->joint_count);
    limber_mat4* worlds = LIMBERI_COPY(scratch, limber_mat4, rig->world_from_joint_rest, rig->joint_count);
    limber_pose pose = {NULL, worlds, NULL};
    if (scratch->failed)
        return NULL;
    limber_smearer_bones(s, &pose, NULL, bones);
    return bones;
}

static limber_result radii_of_bones(limber_smearer* s, const float* rest, const float* areas) {
    const limberi_smear_bones* b = &s->bones;
    limberi_arena scratch = {NULL, false};
    limber_smear_bone* bones = rest_bones(s, &scratch);
    for (uint32_t j = 0; bones && j < s->model->rig.joint_count; j++) {
        float radius = radius_of(s, j, &bones[j], rest, areas);
        for (uint32_t i = b->first[j]; i < b->first[j + 1]; i++)
            s->radii[b->vertex[i]] += b->weight[i] * radius;
    }
    limberi_arena_free(&scratch);
    return bones ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

limber_result limberi_smear_find_radii(limber_smearer* s, const float* rest, const float* areas) {
    s->radii = LIMBERI_ALLOCATE(&s->arena, float, s->model->vertex_count);
    if (!s->radii)
        return LIMBER_ERROR_MEMORY;
    return s->settings.offsets.skeleton ? radii_of_bones(s, rest, areas) : one_radius(s, rest, areas);
}

// --- balls ---

static const float off_center = 0.25f; // of the mean distance: a bone this short has no direction worth the name
static const float roundness = 0.12f;  // how much the distances of a ball differ (standard deviation over mean)

// Mean and standard deviation of the distances from the centroid.
static float distances(const limber_smearer* s, uint32_t j, limber_vec3 center, const float* rest, const float* areas,
                       float* deviation) {
    const limberi_smear_bones* b = &s->bones;
    double sum = 0;
    double squares = 0;
    double whole = 0;
    for (uint32_t i = b->first[j]; i < b->first[j + 1]; i++) {
        uint32_t u = b->vertex[i];
        double weight = (double)b->weight[i] * ((double)areas[u] + 1e-30);
        double d = (double)limberi_distance(limberi_load3(rest + 3 * (size_t)u), center);
        sum += weight * d;
        squares += weight * d * d;
        whole += weight;
    }
    double mean = whole > 0 ? sum / whole : 0;
    double square = whole > 0 ? squares / whole - mean * mean : 0;
    *deviation = square > 0 ? (float)sqrt(square) : 0;
    return (float)mean;
}

limber_result limberi_smear_find_balls(limber_smearer* s, const float* rest, const float* areas) {
    uint32_t joints = s->model->rig.joint_count;
    s->spins = LIMBERI_ALLOCATE(&s->arena, uint8_t, joints);
    s->centered = LIMBERI_ALLOCATE(&s->arena, bool, joints);
    if (s->arena.failed)
        return LIMBER_ERROR_MEMORY;
    if (!s->settings.ignore_spin && !s->settings.ignore_balls)
        return LIMBER_OK;
    limberi_arena scratch = {NULL, false};
    limber_smear_bone* bones = rest_bones(s, &scratch);
    for (uint32_t j = 0; bones && j < joints; j++) {
        float deviation;
        float mean = distances(s, j, bones[j].centroid, rest, areas, &deviation);
        float length = limberi_distance(bones[j].tip, bones[j].root);
        s->centered[j] = !(length > off_center * mean && length > LIMBERI_SHORT_BONE * s->size);
        bool ball = s->settings.ignore_balls && s->centered[j] && mean > 0 && deviation < roundness * mean;
        s->spins[j] = ball || (s->settings.ignore_spin && s->settings.ignore_spin[j]);
    }
    limberi_arena_free(&scratch);
    return bones ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}
