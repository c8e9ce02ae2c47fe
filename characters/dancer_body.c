// The dancer's body: trunk, head, arms, legs and shoes melt into one soft shape; the hands are separate shapes,
// fine enough for fingers, and join it under the bracelets.
#include "characters/dancer.h"

limber_vec3 dancer_finger_point(uint32_t finger, uint32_t point) {
    static const limber_vec3 points[DANCER_FINGERS][3] = {
        {{0.412f, 0.868f, 0.03f}, {0.418f, 0.842f, 0.056f}, {0.421f, 0.82f, 0.068f}},
        {{0.446f, 0.837f, 0.04f}, {0.463f, 0.807f, 0.05f}, {0.474f, 0.778f, 0.055f}},
        {{0.453f, 0.832f, 0.017f}, {0.475f, 0.799f, 0.022f}, {0.488f, 0.767f, 0.025f}},
        {{0.452f, 0.835f, -0.006f}, {0.472f, 0.805f, -0.009f}, {0.484f, 0.778f, -0.011f}}};
    return points[finger][point];
}

// ---- colours ----

float dancer_neckline(float angle_rad) {
    float away = fabsf(remainderf(angle_rad, 2 * (float)LIMBERI_PI));
    float lobe = (away - 0.5f) / 0.42f;
    float heart = 0.022f * expf(-lobe * lobe);
    return 1.112f + 0.034f * (1 - kit_smoothstep(0.7f, 1.4f, away)) + heart + 0.006f * kit_smoothstep(1.9f, 3, away);
}

static float dress_border(limber_vec3 at) {
    float bodice = fmaxf(at.y - dancer_neckline(atan2f(at.x, at.z)), fabsf(at.x) - 0.14f);
    return fmaxf(bodice, 0.772f - at.y); // she wears shorts under the skirt
}

// A ballet shoe: closed over the toes, low along the side, up at the heel.
static float shoe_border(limber_vec3 at) {
    float heel = 0.062f * (1 - kit_smoothstep(-0.055f, 0.0f, at.z));
    float side = 0.034f;
    float top = fmaxf(heel, side) + 0.12f * kit_smoothstep(0.055f, 0.105f, at.z);
    return at.y - top;
}

static float body_border(void* user, limber_vec3 at) {
    (void)user;
    return at.y > 0.5f ? dress_border(at) : shoe_border(at);
}

static void body_paint(void* user, kit_vertex* vertex) {
    (void)user;
    limber_vec3 p = vertex->position;
    limber_vec3 skin = kit_hex(DANCER_SKIN);
    // Warm cheeks, knees and elbows.
    float x = fabsf(p.x) - 0.083f;
    float y = p.y - 1.415f;
    float z = p.z - 0.108f;
    float blush = kit_inside(sqrtf(x * x + y * y + z * z) - 0.022f, 0.036f);
    skin = limberi_lerp(skin, kit_hex(0xf07f74), 0.55f * blush);
    limber_vec3 cloth = p.y > 0.5f ? kit_hex(DANCER_DRESS) : kit_hex(0xc81d3a);
    float dressed = kit_inside(body_border(user, p), 0.9f * vertex->edge);
    vertex->color = limberi_lerp(skin, cloth, dressed);
}

// ---- body ----

static void add_trunk(kit* k, kit_shape* shape, const dancer* d) {
    uint32_t spine[] = {d->hips, d->spine[0], d->spine[1], d->spine[2], d->neck, d->head};
    kit_brush brush = {.bind = kit_chain(k, spine, 6, 0.045f), .blend = 0.05f, .floppy = 0.25f, .squash = 1};
    limber_vec3 middle[] = {{0, 0.9f, 0}, {0, 0.985f, 0.002f}, {0, 1.06f, 0.004f}, {0, 1.13f, 0}};
    float waist[] = {0.088f, 0.074f, 0.08f, 0.085f};
    kit_add_limb(shape, &brush, middle, waist, 4);
    kit_add(shape, &brush, kit_ellipsoid(kit_at(0, 0.875f, -0.008f), kit_at(0.122f, 0.08f, 0.105f), kit_at(0, 0, 0)));
    kit_add(shape, &brush, kit_ellipsoid(kit_at(0, 1.125f, -0.004f), kit_at(0.104f, 0.085f, 0.078f), kit_at(0, 0, 0)));
    brush.blend = 0.035f;
    for (int side = 0; side < 2; side++)
        kit_add(shape, &brush, kit_ball(kit_at(0.043f * DANCER_SIDES[side], 1.112f, 0.05f), 0.045f));
    brush.blend = 0.05f;
    brush.edge = 0.016f;
    limber_vec3 neck[] = {{0, 1.18f, -0.014f}, {0, 1.26f, -0.013f}, {0, 1.36f, -0.005f}};
    float slender[] = {0.05f, 0.038f, 0.04f};
    kit_add_limb(shape, &brush, neck, slender, 3);
}

static void add_head(kit* k, kit_shape* shape, const dancer* d) {
    kit_brush brush = {.bind = kit_rigid(k, d->head), .blend = 0.04f, .edge = 0.016f, .reach = 0.012f, .squash = 1};
    brush.floppy = 0.3f;
    limber_vec3 c = DANCER_HEAD;
    limber_vec3 straight = {0, 0, 0};
    kit_add(shape, &brush, kit_ellipsoid(c, kit_at(0.143f, 0.143f, 0.14f), straight));
    brush.blend = 0.06f;
    kit_add(shape, &brush, kit_ellipsoid(kit_at(0, c.y - 0.072f, 0.035f), kit_at(0.096f, 0.082f, 0.098f), straight));
    brush.blend = 0.02f;
    brush.edge = 0.009f;
    kit_add(shape, &brush, kit_ellipsoid(kit_at(0, c.y - 0.05f, 0.146f), kit_at(0.013f, 0.012f, 0.014f), straight));
    brush.edge = 0.012f;
    for (int side = 0; side < 2; side++)
        kit_add(shape, &brush,
                kit_ellipsoid(kit_at(0.14f * DANCER_SIDES[side], c.y - 0.045f, -0.012f), kit_at(0.016f, 0.03f, 0.021f),
                              kit_at(0, 0, 0)));
}

static void add_arm(kit* k, kit_shape* shape, const dancer* d, uint32_t side) {
    float s = DANCER_SIDES[side];
    uint32_t chain[] = {d->spine[2], d->clavicle[side], d->arm_upper[side], d->arm_lower[side], d->hand[side]};
    kit_brush brush = {
        .bind = kit_chain(k, chain, 5, 0.045f), .blend = 0.045f, .edge = 0.017f, .floppy = 0.5f, .squash = 1};
    limber_vec3 shoulder[] = {kit_mirrored(kit_at(0.05f, 1.19f, -0.008f), s),
                              kit_mirrored(kit_at(0.112f, 1.186f, -0.006f), s)};
    kit_add(shape, &brush, kit_bone(shoulder[0], 0.04f, shoulder[1], 0.042f));
    brush.blend = 0.03f;
    limber_vec3 arm[] = {kit_at(0.116f, 1.188f, -0.006f), kit_at(0.195f, 1.118f, -0.013f),
                         kit_at(0.278f, 1.04f, -0.018f),  kit_at(0.335f, 0.973f, -0.007f),
                         kit_at(0.405f, 0.888f, 0.006f),  kit_at(0.415f, 0.876f, 0.008f)};
    static const float thick[] = {0.042f, 0.037f, 0.031f, 0.031f, 0.021f, 0.02f};
    for (int i = 0; i < 6; i++)
        arm[i] = kit_mirrored(arm[i], s);
    kit_add_limb(shape, &brush, arm, thick, 6);
}

static void add_leg(kit* k, kit_shape* shape, const dancer* d, uint32_t side) {
    float s = DANCER_SIDES[side];
    uint32_t chain[] = {d->hips, d->leg_upper[side], d->leg_lower[side], d->foot[side], d->toe[side]};
    kit_brush brush = {.bind = kit_chain(k, chain, 5, 0.05f), .blend = 0.03f, .floppy = 0.3f, .squash = 1};
    limber_vec3 leg[] = {kit_at(0.066f, 0.85f, -0.004f), kit_at(0.072f, 0.7f, 0.002f),   kit_at(0.075f, 0.56f, 0.008f),
                         kit_at(0.075f, 0.48f, 0.01f),   kit_at(0.076f, 0.37f, -0.008f), kit_at(0.077f, 0.22f, -0.01f),
                         kit_at(0.078f, 0.085f, -0.012f)};
    static const float thick[] = {0.08f, 0.072f, 0.056f, 0.049f, 0.05f, 0.037f, 0.029f};
    for (int i = 0; i < 7; i++)
        leg[i] = kit_mirrored(leg[i], s);
    brush.edge = 0.03f; // hidden by the skirt
    kit_add_limb(shape, &brush, leg, thick, 3);
    brush.edge = 0.021f;
    kit_add_limb(shape, &brush, leg + 2, thick + 2, 5);
    brush.edge = 0.0135f;
    brush.blend = 0.025f;
    limber_vec3 foot[] = {kit_at(0.078f, 0.036f, -0.035f), kit_at(0.08f, 0.04f, 0.02f), kit_at(0.083f, 0.031f, 0.085f),
                          kit_at(0.084f, 0.026f, 0.125f)};
    static const float flat[] = {0.031f, 0.034f, 0.034f, 0.024f};
    for (int i = 0; i < 4; i++)
        foot[i] = kit_mirrored(foot[i], s);
    kit_add_limb(shape, &brush, foot, flat, 4);
    brush.blend = 0.02f;
    kit_add(shape, &brush, kit_bone(leg[6], 0.029f, foot[1], 0.03f));
}

void dancer_model_body(kit* k, dancer* d) {
    kit_shape* shape = d->body = kit_shape_create(k);
    if (!shape)
        return;
    add_trunk(k, shape, d);
    for (uint32_t side = 0; side < 2; side++)
        add_leg(k, shape, d, side);
    // Flat soles: the floor is a ball so large that it is level within a millimetre under her feet.
    kit_brush floor_cut = {.bind = kit_rigid(k, d->root), .blend = 0.012f, .carve = true};
    kit_add(shape, &floor_cut, kit_ball(kit_at(0, -29.9985f, 0), 30));
    for (uint32_t side = 0; side < 2; side++)
        add_arm(k, shape, d, side);
    add_head(k, shape, d);
    shape->edge = 0.022f;
    shape->cell = 0.0085f;
    shape->occlusion = 0.22f;
    shape->border = body_border;
    shape->paint = body_paint;
    kit_mesh_material(k, "Skin", 0, 0.6f, false);
    kit_mesh_shape(k, shape);
}

// ---- hands ----

static void model_hand(kit* k, const dancer* d, uint32_t side) {
    kit_shape* shape = kit_shape_create(k);
    if (!shape)
        return;
    float s = DANCER_SIDES[side];
    kit_brush brush = {
        .bind = kit_rigid(k, d->hand[side]), .color = kit_hex(DANCER_SKIN), .blend = 0.02f, .edge = 0.0115f};
    brush.floppy = 0.6f;
    brush.squash = 1;
    limber_vec3 wrist = kit_mirrored(kit_at(0.392f, 0.903f, 0.003f), s);
    limber_vec3 palm = kit_mirrored(kit_at(0.432f, 0.853f, 0.018f), s);
    kit_add(shape, &brush, kit_bone(wrist, 0.0155f, palm, 0.021f));
    kit_add(shape, &brush, kit_ellipsoid(palm, kit_at(0.017f, 0.035f, 0.033f), kit_at(0, 0, s * 38)));
    for (uint32_t f = 0; f < DANCER_FINGERS; f++) {
        uint32_t chain[] = {d->hand[side], d->finger[side][f][0], d->finger[side][f][1]};
        brush.bind = kit_chain(k, chain, 3, 0.012f);
        brush.blend = f == 0 ? 0.016f : 0.011f;
        brush.reach = 0.004f;
        brush.edge = 0.0095f;
        limber_vec3 points[3];
        for (uint32_t i = 0; i < 3; i++)
            points[i] = kit_mirrored(dancer_finger_point(f, i), s);
        static const float thick[2][3] = {{0.0125f, 0.0115f, 0.0095f}, {0.0115f, 0.0105f, 0.0085f}};
        kit_add_limb(shape, &brush, points, thick[f == 0 ? 0 : 1], 3);
    }
    shape->edge = 0.0115f;
    shape->cell = 0.0042f;
    shape->occlusion = 0.2f;
    kit_mesh_shape(k, shape);
}

void dancer_model_hands(kit* k, const dancer* d) {
    for (uint32_t side = 0; side < 2; side++)
        model_hand(k, d, side);
}
