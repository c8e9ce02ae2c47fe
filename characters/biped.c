// Joints and hands of the two-legged characters.
#include "characters/biped.h"

static uint32_t joint(kit* k, const char* name, uint32_t parent, limber_vec3 at) {
    return kit_joint(k, name, (int32_t)parent, at.x, at.y, at.z);
}

static uint32_t joint_side(kit* k, const char* name, uint32_t side, uint32_t parent, limber_vec3 left) {
    return kit_joint_side(k, name, BIPED_SIDES[side], (int32_t)parent, left.x, left.y, left.z);
}

static limber_vec3 in_hand(const biped_places* at, float along, float thumb, float palm) {
    limber_vec3 d, t, p;
    biped_hand_frame(at, &d, &t, &p);
    limber_vec3 sum = limberi_add(limberi_scale(d, along), limberi_scale(t, thumb));
    sum = limberi_add(sum, limberi_scale(p, palm));
    return limberi_add(at->hand, limberi_scale(sum, at->hand_size));
}

void biped_hand_frame(const biped_places* at, limber_vec3* along, limber_vec3* thumb, limber_vec3* palm) {
    *along = limberi_normalize(limberi_sub(at->hand, at->elbow));
    limber_vec3 ahead = kit_at(0, 0, 1);
    *thumb = limberi_normalize(limberi_sub(ahead, limberi_scale(*along, limberi_dot(ahead, *along))));
    *palm = limberi_cross(*along, *thumb);
}

limber_vec3 biped_grip(const biped_places* at) {
    return in_hand(at, 0.78f, 0, 0.34f);
}

// Base, knuckle and tip in units of the hand's size: along, to the thumb, out of the palm.
static const float OPEN[BIPED_FINGERS][3][3] = {{{0.35f, 0.4f, 0.1f}, {0.6f, 0.86f, 0.2f}, {0.92f, 1.04f, 0.26f}},
                                                {{0.95f, 0.42f, 0}, {1.4f, 0.56f, 0.06f}, {1.76f, 0.62f, 0.2f}},
                                                {{1.0f, 0, 0}, {1.52f, 0, 0.06f}, {1.92f, 0, 0.22f}},
                                                {{0.92f, -0.42f, 0}, {1.34f, -0.54f, 0.06f}, {1.66f, -0.6f, 0.2f}}};
static const float FIST[BIPED_FINGERS][3][3] = {{{0.4f, 0.34f, 0.2f}, {0.78f, 0.5f, 0.62f}, {1.05f, 0.18f, 0.78f}},
                                                {{0.95f, 0.42f, -0.02f}, {1.3f, 0.42f, 0.4f}, {0.88f, 0.4f, 0.74f}},
                                                {{1.0f, 0, -0.02f}, {1.36f, 0, 0.4f}, {0.9f, 0, 0.76f}},
                                                {{0.94f, -0.4f, -0.02f}, {1.28f, -0.4f, 0.4f}, {0.86f, -0.38f, 0.72f}}};

static limber_vec3 finger_point(const biped_places* at, bool fist, uint32_t finger, uint32_t point) {
    const float* p = fist ? FIST[finger][point] : OPEN[finger][point];
    return in_hand(at, p[0], p[1], p[2]);
}

static void rig_arm(kit* k, biped* b, uint32_t side) {
    static const char* const names[BIPED_FINGERS] = {"HandThumb", "HandIndex", "HandMiddle", "HandLittle"};
    b->arm_upper[side] = joint_side(k, "ArmUpper", side, b->chest, b->at.shoulder);
    b->arm_lower[side] = joint_side(k, "ArmLower", side, b->arm_upper[side], b->at.elbow);
    b->hand[side] = joint_side(k, "Hand", side, b->arm_lower[side], b->at.hand);
    for (uint32_t f = 0; f < BIPED_FINGERS; f++)
        b->finger[side][f] = joint_side(k, names[f], side, b->hand[side], finger_point(&b->at, false, f, 0));
}

static void rig_leg(kit* k, biped* b, uint32_t side) {
    b->leg_upper[side] = joint_side(k, "LegUpper", side, b->hips, b->at.hip);
    b->leg_lower[side] = joint_side(k, "LegLower", side, b->leg_upper[side], b->at.knee);
    b->foot[side] = joint_side(k, "LegFoot", side, b->leg_lower[side], b->at.ankle);
    b->toe[side] = joint_side(k, "LegToe", side, b->foot[side], b->at.ball);
}

void biped_rig(kit* k, biped* b, const biped_places* places) {
    b->k = k;
    b->at = *places;
    b->root = kit_joint(k, "Root", KIT_NO_PARENT, 0, 0, 0);
    b->hips = joint(k, "Hips", b->root, places->hips);
    b->spine = joint(k, "Spine", b->hips, places->spine);
    b->chest = joint(k, "Chest", b->spine, places->chest);
    b->neck = joint(k, "Neck", b->chest, places->neck);
    b->head = joint(k, "Head", b->neck, places->head);
    for (uint32_t side = 0; side < 2; side++)
        rig_arm(k, b, side);
    for (uint32_t side = 0; side < 2; side++)
        rig_leg(k, b, side);
}

static void add_finger(kit* k, kit_shape* shape, const biped* b, uint32_t side, bool fist, uint32_t finger,
                       kit_brush brush) {
    float size = b->at.hand_size;
    float s = BIPED_SIDES[side];
    const uint32_t chain[] = {b->hand[side], b->finger[side][finger]};
    brush.bind = fist ? kit_rigid(k, b->hand[side]) : kit_chain(k, chain, 2, 0.25f * size);
    brush.blend = (finger == 0 ? 0.3f : 0.13f) * size;
    brush.reach = 0.08f * size;
    limber_vec3 points[3];
    for (uint32_t i = 0; i < 3; i++)
        points[i] = kit_mirrored(finger_point(&b->at, fist, finger, i), s);
    const float thick[3] = {0.27f * size, 0.27f * size, (finger == 0 ? 0.24f : 0.22f) * size};
    kit_add_limb(shape, &brush, points, thick, 3);
}

void biped_model_hand(kit* k, const biped* b, uint32_t side, bool fist, const kit_brush* brush, float edge) {
    kit_shape* shape = kit_shape_create(k);
    if (!shape)
        return;
    float size = b->at.hand_size;
    float s = BIPED_SIDES[side];
    kit_brush palm = *brush;
    palm.bind = kit_rigid(k, b->hand[side]);
    palm.blend = 0.25f * size;
    limber_vec3 wrist = kit_mirrored(in_hand(&b->at, -0.1f, 0, 0), s);
    for (int i = -1; i <= 1; i++) {
        limber_vec3 knuckle = kit_mirrored(in_hand(&b->at, 0.9f, 0.36f * (float)i, 0), s);
        kit_add(shape, &palm, kit_bone(wrist, 0.34f * size, knuckle, 0.3f * size));
    }
    for (uint32_t f = 0; f < BIPED_FINGERS; f++)
        add_finger(k, shape, b, side, fist, f, palm);
    shape->edge = edge;
    shape->cell = 0.1f * size;
    shape->occlusion = 0.3f;
    kit_mesh_shape(k, shape);
}
