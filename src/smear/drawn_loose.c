// Feet and jaws that hang on the root of the skeleton instead of on the limb that they end, as rigs for inverse
// kinematics have them: to the parts they are children of what they are joined to.
#include "smear/drawn.h"

#include <string.h>

enum { MAX_LOOSE = 16 };               // a skeleton with more of them has no limbs at all
static const double small_share = 0.1; // of all skin: a rigid piece of at most this much may be a foot
static const double near_by = 0.06;    // of L: how near to a limb it is then
static const double min_joined = 1e-4; // of all skin

// The topmost joint with skin above each joint, or -1.
static void find_tops(const limberi_drawn_builder* b, int32_t* top) {
    const limber_rig* rig = &b->smearer->model->rig;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        int32_t above = rig->parents[j] < 0 ? -1 : top[rig->parents[j]];
        top[j] = above < 0 && b->own[j] > 0 ? (int32_t)j : above;
    }
}

// How much skin each joint shares with those below a top.
static void find_joined(const limberi_drawn_builder* b, const int32_t* top, int32_t loose, double* joined) {
    const limber_model* model = b->smearer->model;
    memset(joined, 0, model->rig.joint_count * sizeof *joined);
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        const uint32_t* joints = model->skins[mesh->skin].joints;
        for (uint32_t u = 0; u < mesh->vertex_count; u++) {
            double held = 0;
            for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++)
                held += top[joints[mesh->influence_joint[i]]] == loose ? (double)mesh->influence_weight[i] : 0;
            for (uint32_t i = mesh->influence_first[u]; held > 0 && i < mesh->influence_first[u + 1]; i++) {
                uint32_t j = joints[mesh->influence_joint[i]];
                if (top[j] != loose)
                    joined[j] +=
                        held * (double)mesh->influence_weight[i] * (double)b->drawn->areas[mesh->first_vertex + u];
            }
        }
    }
}

static int32_t limb_joined_to(const limberi_drawn_builder* b, const double* joined, double all) {
    int32_t best = -1;
    double max = min_joined * all;
    for (uint32_t j = 0; j < b->smearer->model->rig.joint_count; j++) {
        if (!(joined[j] > max))
            continue;
        max = joined[j];
        best = (int32_t)j;
    }
    return best;
}

// Of a rigid piece: the joint of the skin that is nearest to its own joint.
static int32_t nearest(const limberi_drawn_builder* b, const int32_t* top, int32_t loose) {
    limber_vec3 place = limberi_mat4_translation(&b->smearer->model->rig.world_from_joint_rest[loose]);
    float min = (float)near_by * b->smearer->size;
    int32_t best = -1;
    for (uint32_t v = 0; v < b->smearer->model->vertex_count; v++) {
        float away = limberi_distance(limberi_load3(b->rest + 3 * (size_t)v), place);
        if (top[b->joint[v]] == loose || top[b->joint[v]] < 0 || !(away < min))
            continue;
        min = away;
        best = (int32_t)b->joint[v];
    }
    return best;
}

static bool is_above(const limberi_drawn_builder* b, int32_t above, int32_t j) {
    while (j >= 0 && j != above)
        j = b->parents[j];
    return j >= 0;
}

static int32_t meeting(const limberi_drawn_builder* b, int32_t one, int32_t other) {
    const int32_t* parents = b->smearer->model->rig.parents;
    while (one != other) { // parents come before their children
        if (one > other)
            one = parents[one];
        else
            other = parents[other];
    }
    return one;
}

// Where all of the skeleton meets. What meets the body there is loose; what meets it farther down hangs on a bone of it,
// though that may have no skin, as where every piece of a robot is a mesh of its own.
static int32_t meeting_of_all(const limberi_drawn_builder* b, const int32_t* top, int32_t largest) {
    int32_t all = largest;
    for (uint32_t j = 0; j < b->smearer->model->rig.joint_count; j++)
        all = top[j] == (int32_t)j ? meeting(b, all, (int32_t)j) : all;
    return all;
}

limber_result limberi_drawn_find_parents(limberi_drawn_builder* b) {
    const limber_rig* rig = &b->smearer->model->rig;
    b->parents = LIMBERI_COPY(&b->scratch, int32_t, rig->parents, rig->joint_count);
    int32_t* top = LIMBERI_ALLOCATE(&b->scratch, int32_t, rig->joint_count);
    double* below = LIMBERI_ALLOCATE(&b->scratch, double, rig->joint_count);
    double* joined = LIMBERI_ALLOCATE(&b->scratch, double, rig->joint_count);
    if (b->scratch.failed)
        return LIMBER_ERROR_MEMORY;
    find_tops(b, top);
    double all = 0;
    int32_t largest = -1;
    uint32_t count = 0;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        all += b->own[j];
        if (top[j] < 0)
            continue;
        below[top[j]] += b->own[j];
        count += top[j] == (int32_t)j;
        largest = largest < 0 || below[top[j]] > below[largest] ? top[j] : largest;
    }
    int32_t all_meet = largest < 0 ? -1 : meeting_of_all(b, top, largest);
    for (uint32_t j = 0; count <= MAX_LOOSE && j < rig->joint_count; j++) {
        if (top[j] != (int32_t)j || top[j] == largest || meeting(b, top[j], largest) != all_meet)
            continue;
        find_joined(b, top, top[j], joined);
        int32_t limb = limb_joined_to(b, joined, all);
        if (limb < 0 && below[j] < small_share * all)
            limb = nearest(b, top, top[j]);
        if (limb >= 0 && !is_above(b, top[j], limb))
            b->parents[j] = limb;
    }
    return LIMBER_OK;
}
