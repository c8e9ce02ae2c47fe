// The plan of a body: what hips, trunk and limbs are follows from the shares of the skin alone.
#include "asset/body.h"
#include "base/math.h"

#include <string.h>

static const double whole_body = 0.98;  // of the skin: the hips have at least this much below them
static const double trunk_share = 0.35; // what has more below it is trunk
static const float twin_slack = 0.02f;  // of a bone's length: arms and legs come in pairs
static const float min_bone = 0.01f;    // in L
static const double limb_share = 0.012; // what has less is no limb: fingers of a rig without arms, buttons

void limberi_shares_below(const limber_rig* rig, const float* own, float* up) {
    memcpy(up, own, rig->joint_count * sizeof *up);
    for (uint32_t j = rig->joint_count; j-- > 0;)
        if (rig->parents[j] >= 0)
            up[rig->parents[j]] += up[j];
}

bool limberi_hangs_below(const limber_rig* rig, uint32_t joint, uint32_t above) {
    return limberi_chain_length(rig, joint, above) > 0;
}

uint32_t limberi_chain_length(const limber_rig* rig, uint32_t joint, uint32_t above) {
    uint32_t length = 1;
    int32_t j = (int32_t)joint;
    while (j > (int32_t)above) { // parents have smaller numbers
        j = rig->parents[j];
        length++;
    }
    return j == (int32_t)above ? length : 0;
}

int32_t limberi_body_hips(const limber_rig* rig, const float* up) {
    int32_t hips = rig->joint_count ? 0 : -1;
    for (uint32_t j = 0; j < rig->joint_count; j++)
        if ((double)up[j] >= whole_body || (up[hips] < (float)whole_body && up[j] > up[hips]))
            hips = (int32_t)j;
    return hips;
}

uint32_t limberi_body_trunk(const limber_rig* rig, const float* up, int32_t hips, uint32_t* trunk) {
    uint32_t count = 0;
    for (uint32_t j = 0; hips >= 0 && j < rig->joint_count; j++)
        if ((double)up[j] >= trunk_share && limberi_hangs_below(rig, j, (uint32_t)hips))
            trunk[count++] = j;
    return count;
}

bool limberi_body_is_trunk(const uint32_t* trunk, uint32_t trunk_count, int32_t joint) {
    for (uint32_t i = 0; i < trunk_count; i++)
        if ((int32_t)trunk[i] == joint)
            return true;
    return false;
}

uint32_t limberi_body_limbs(const limber_rig* rig, const float* up, const uint32_t* trunk, uint32_t trunk_count,
                            uint32_t* roots) {
    uint32_t count = 0;
    for (uint32_t j = 0; j < rig->joint_count; j++)
        if (limberi_body_is_trunk(trunk, trunk_count, rig->parents[j]) &&
            !limberi_body_is_trunk(trunk, trunk_count, (int32_t)j) && (double)up[j] >= limb_share)
            roots[count++] = j;
    return count;
}

static float bone_length(const limber_rig* rig, uint32_t joint) {
    limber_vec3 from = limberi_mat4_translation(&rig->world_from_joint_rest[rig->parents[joint]]);
    return limberi_distance(limberi_mat4_translation(&rig->world_from_joint_rest[joint]), from);
}

// A finger more on one hand does not make two kinds of arms.
static bool as_many(uint32_t a, uint32_t b) {
    uint32_t more = a > b ? a - b : b - a;
    return 6 * more <= a;
}

// A sibling that is like it: as far from their parent, with about as many joints below; -1: none.
static int32_t twin_of(const limber_model* model, const uint32_t* below, uint32_t joint) {
    const limber_rig* rig = &model->rig;
    float length = bone_length(rig, joint);
    for (uint32_t k = 0; length > min_bone * model->size && k < rig->joint_count; k++)
        if (k != joint && rig->parents[k] == rig->parents[joint] && as_many(below[k], below[joint]) &&
            fabsf(bone_length(rig, k) - length) < twin_slack * length)
            return (int32_t)k;
    return -1;
}

void limberi_body_pairs(const limber_model* model, uint32_t* scratch, uint8_t* paired) {
    const limber_rig* rig = &model->rig;
    for (uint32_t j = rig->joint_count; j-- > 0;)
        if (rig->parents[j] >= 0)
            scratch[rig->parents[j]] += scratch[j] + 1;
    for (uint32_t j = 0; j < rig->joint_count; j++)
        paired[j] = rig->parents[j] >= 0 && (paired[rig->parents[j]] || twin_of(model, scratch, j) >= 0);
}

bool limberi_body_middle(const limber_model* model, const uint32_t* below, const uint8_t* paired, limber_vec3* point,
                         limber_vec3* normal) {
    const limber_rig* rig = &model->rig;
    float widest = 0;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        bool first = paired[j] && !paired[rig->parents[j]]; // only roots have no parents, and those are not paired
        int32_t twin = first ? twin_of(model, below, j) : -1;
        if (twin < (int32_t)j)
            continue;
        limber_vec3 from = limberi_mat4_translation(&rig->world_from_joint_rest[j]);
        limber_vec3 to = limberi_mat4_translation(&rig->world_from_joint_rest[twin]);
        limber_vec3 way = limberi_sub(to, from);
        if (limberi_length(way) > widest) {
            widest = limberi_length(way);
            *point = limberi_scale(limberi_add(from, to), 0.5f);
            *normal = limberi_scale(way, 1 / widest);
        }
    }
    return widest > 0;
}
