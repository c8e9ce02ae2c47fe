// The dancer: a figure with a full human rig, a ponytail, a bow and a skirt that swings. The skirt hangs on the joint
// "Skirt" and on a ring of eight short chains, with which her own clips keep it off her legs; everything livelier than
// that is left to limber.
#include "characters/dancer.h"

static uint32_t joint(kit* k, const char* name, uint32_t parent, float x, float y, float z) {
    return kit_joint(k, name, (int32_t)parent, x, y, z);
}

static uint32_t joint_side(kit* k, const char* name, uint32_t side, uint32_t parent, limber_vec3 left) {
    return kit_joint_side(k, name, DANCER_SIDES[side], (int32_t)parent, left.x, left.y, left.z);
}

static void build_spine(kit* k, dancer* d) {
    d->root = kit_joint(k, "Root", KIT_NO_PARENT, 0, 0, 0);
    d->hips = joint(k, "Hips", d->root, 0, 0.9f, 0);
    d->spine[0] = joint(k, "Spine1", d->hips, 0, 0.985f, 0);
    d->spine[1] = joint(k, "Spine2", d->spine[0], 0, 1.06f, 0);
    d->spine[2] = joint(k, "Spine3", d->spine[1], 0, 1.135f, -0.005f);
    d->neck = joint(k, "Neck", d->spine[2], 0, 1.25f, -0.012f);
    d->head = joint(k, "Head", d->neck, 0, 1.32f, -0.005f);
}

static void build_arm(kit* k, dancer* d, uint32_t side) {
    static const char* const names[DANCER_FINGERS][2] = {{"HandThumb", "HandThumbTip"},
                                                         {"HandIndex", "HandIndexTip"},
                                                         {"HandMiddle", "HandMiddleTip"},
                                                         {"HandLittle", "HandLittleTip"}};
    d->clavicle[side] = joint_side(k, "Clavicle", side, d->spine[2], kit_at(0.022f, 1.195f, 0.005f));
    d->arm_upper[side] = joint_side(k, "ArmUpper", side, d->clavicle[side], kit_at(0.118f, 1.19f, -0.006f));
    d->arm_lower[side] = joint_side(k, "ArmLower", side, d->arm_upper[side], kit_at(0.278f, 1.04f, -0.018f));
    d->hand[side] = joint_side(k, "Hand", side, d->arm_lower[side], kit_at(0.405f, 0.888f, 0.006f));
    for (uint32_t f = 0; f < DANCER_FINGERS; f++) {
        d->finger[side][f][0] = joint_side(k, names[f][0], side, d->hand[side], dancer_finger_point(f, 0));
        d->finger[side][f][1] = joint_side(k, names[f][1], side, d->finger[side][f][0], dancer_finger_point(f, 1));
    }
}

static void build_leg(kit* k, dancer* d, uint32_t side) {
    d->leg_upper[side] = joint_side(k, "LegUpper", side, d->hips, kit_at(0.07f, 0.87f, 0));
    d->leg_lower[side] = joint_side(k, "LegLower", side, d->leg_upper[side], kit_at(0.075f, 0.48f, 0.01f));
    d->foot[side] = joint_side(k, "LegFoot", side, d->leg_lower[side], kit_at(0.078f, 0.085f, -0.012f));
    d->toe[side] = joint_side(k, "LegToe", side, d->foot[side], kit_at(DANCER_TOE_X, 0.024f, DANCER_TOE_Z));
}

static void build_skirt_joints(kit* k, dancer* d) {
    d->skirt = joint(k, "Skirt", d->hips, 0, DANCER_WAIST, 0);
    for (uint32_t i = 0; i < DANCER_PANELS; i++) {
        d->skirt_upper[i] = kit_joint_numbered(k, "SkirtUpper", i + 1, (int32_t)d->skirt, dancer_panel_point(i, 0.1f));
        d->skirt_lower[i] =
            kit_joint_numbered(k, "SkirtLower", i + 1, (int32_t)d->skirt_upper[i], dancer_panel_point(i, 0.55f));
    }
    for (uint32_t side = 0; side < 2; side++) {
        limber_vec3 knot = dancer_ribbon_point(1, 0);
        limber_vec3 middle = dancer_ribbon_point(1, 1);
        d->ribbon[side][0] = joint_side(k, "Ribbon", side, d->hips, knot);
        d->ribbon[side][1] = joint_side(k, "RibbonTip", side, d->ribbon[side][0], middle);
    }
}

static void build_rig(kit* k, dancer* d) {
    build_spine(k, d);
    for (uint32_t side = 0; side < 2; side++)
        build_arm(k, d, side);
    for (uint32_t side = 0; side < 2; side++)
        build_leg(k, d, side);
    build_skirt_joints(k, d);
    uint32_t parent = d->head;
    for (uint32_t i = 0; i < DANCER_PONYTAIL; i++)
        parent = d->ponytail[i] = kit_joint_numbered(k, "Ponytail", i + 1, (int32_t)parent, dancer_ponytail_point(i));
}

void limberi_build_dancer(kit* k) {
    dancer d = {.k = k};
    build_rig(k, &d);
    kit_mesh_begin(k, "Dancer");
    kit_mesh_layer(k, "skirt");
    dancer_model_body(k, &d);
    dancer_model_hands(k, &d);
    dancer_model_face(k, &d);
    dancer_model_hair(k, &d);
    dancer_model_skirt(k, &d);
    dancer_model_trims(k, &d);
    kit_mesh_end(k);
    dancer_animate(k, &d);
}
