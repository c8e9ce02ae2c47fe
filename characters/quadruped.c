// Four legs of two segments each, as the cow, the dog and the horse have them.
#include "characters/quadruped.h"

void quadruped_rig(kit* k, const quadruped_places* places, uint32_t chest, uint32_t hips, quadruped_leg* legs) {
    for (uint32_t i = 0; i < FOUR_LEGS; i++) {
        quadruped_leg* leg = &legs[i];
        bool hind = i >= HIND_LEFT;
        const char* limb = hind ? "LegHind" : "LegFront";
        const limber_vec3* at = hind ? places->hind : places->front;
        float side = i % 2 ? -1.0f : 1.0f;
        leg->parent = hind ? hips : chest;
        leg->upper = kit_joint_limb(k, limb, "Upper", side, leg->parent, at[0]);
        leg->lower = kit_joint_limb(k, limb, "Lower", side, leg->upper, at[1]);
        leg->foot = kit_joint_limb(k, limb, places->foot, side, leg->lower, at[2]);
        leg->at = kit_joint_at(k, leg->foot);
        leg->knee = hind ? -places->front_knee : places->front_knee;
    }
}

void quadruped_reach(kit_pose* pose, const quadruped_leg* leg, limber_vec3 target, limber_quat turned) {
    limber_vec3 hinge = kit_at(leg->knee, 0, 0);
    limber_quat carried = kit_pose_turned(pose, leg->parent);
    kit_reach_hinge(pose, leg->upper, leg->lower, leg->foot, target, hinge, limberi_quat_rotate(carried, hinge),
                    turned);
}

void quadruped_plant(kit_pose* pose, const quadruped_leg* leg, const quadruped_sole* sole, steps_foot foot) {
    float soft = 0.01f + 40 * (float)foot.air;
    float over = kit_smoothstep(-soft, soft, (float)foot.pitch);
    limber_vec3 pivot = kit_at(leg->at.x, sole->high * over, leg->at.z + kit_mix(sole->heel, sole->toe, over));
    limber_quat turned = kit_euler(foot.pitch, 0, 0);
    limber_vec3 target = limberi_add(pivot, limberi_quat_rotate(turned, limberi_sub(leg->at, pivot)));
    target = limberi_add(target, kit_at(0, (float)foot.up, (float)foot.z));
    quadruped_reach(pose, leg, target, turned);
}
