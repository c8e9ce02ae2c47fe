// Where the bones are in a pose.
#include "smear/smear_private.h"

// Puts the sums of the children's positions into the tips, and how many there are into turn.x.
static void sum_children(const limber_rig* rig, limber_smear_bone* bones) {
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        bones[j].tip = limberi_vec3(0, 0, 0);
        bones[j].turn.x = 0;
    }
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        if (rig->parents[j] < 0)
            continue;
        limber_smear_bone* parent = &bones[rig->parents[j]];
        parent->tip = limberi_add(parent->tip, bones[j].root);
        parent->turn.x += 1;
    }
}

void limber_smearer_bones(const limber_smearer* s, const limber_pose* pose, const limber_mat4* to_space,
                          limber_smear_bone* bones) {
    const limber_rig* rig = &s->model->rig;
    const limber_smear_settings* set = &s->settings;
    bool turns = set->ignore_spin || set->ignore_balls || set->motion.part != LIMBER_SMEAR_MOTION_ALL;
    for (uint32_t j = 0; j < rig->joint_count; j++)
        bones[j].root = limberi_mat4_translation(&pose->world_from_joint[j]);
    sum_children(rig, bones);
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        const limber_mat4* world = &pose->world_from_joint[j];
        limber_smear_bone* bone = &bones[j];
        limber_vec3 center = limberi_mat4_point(world, rig->centroid[j]);
        bone->tip = s->bones.leaf[j] ? limberi_sub(limberi_scale(center, 2), bone->root)
                                     : limberi_scale(bone->tip, 1 / bone->turn.x);
        bone->centroid = limberi_mat4_point(world, s->bones.centroid[j]);
        bone->turn = limberi_quat_identity();
        if (turns) {
            limber_mat4 turned = to_space ? limberi_mat4_mul(to_space, world) : *world;
            float r[9];
            limberi_mat4_rotation(&turned, r);
            bone->turn = limberi_quat_from_rotation(r);
        }
    }
    for (uint32_t j = 0; to_space && j < rig->joint_count; j++) {
        bones[j].root = limberi_mat4_point(to_space, bones[j].root);
        bones[j].tip = limberi_mat4_point(to_space, bones[j].tip);
        bones[j].centroid = limberi_mat4_point(to_space, bones[j].centroid);
    }
}
