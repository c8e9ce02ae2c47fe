// The hero: a chest like a barrel, boots, gloves, a belt and a mask, and a cape on twelve joints. 40 joints.
#include "characters/hero.h"

static const biped_places PLACES = {.hips = {0, 0.95f, 0},
                                    .spine = {0, 1.07f, 0},
                                    .chest = {0, 1.22f, 0},
                                    .neck = {0, 1.49f, -0.01f},
                                    .head = {0, 1.57f, 0},
                                    .shoulder = {0.205f, 1.42f, -0.012f},
                                    .elbow = {0.365f, 1.19f, -0.05f},
                                    .hand = {0.48f, 0.965f, 0.0f},
                                    .hip = {0.095f, 0.91f, 0},
                                    .knee = {0.108f, 0.5f, 0.06f},
                                    .ankle = {0.115f, 0.1f, -0.03f},
                                    .ball = {0.122f, 0.035f, 0.1f},
                                    .heel_z = -0.09f,
                                    .hand_size = 0.068f};

static const uint32_t SKIN = 0xf0b58c;
static const uint32_t SUIT = 0x4b3fae;
static const uint32_t GOLD = 0xf6b73c;
static const uint32_t MASK = 0x2a2363;
static const uint32_t HAIR = 0x2b1d1a;
static const uint32_t RED = 0xe23b2e;
static const float BELT = 0.995f;

// ---- colors ----

static float boot_border(limber_vec3 at) {
    return at.y - 0.37f - 0.03f * kit_smoothstep(-0.02f, 0.12f, at.z);
}

static float trunks_border(limber_vec3 at) {
    float leg = 0.86f + 0.35f * (fabsf(at.x) - 0.1f);
    return fmaxf(at.y - BELT, leg - at.y);
}

// Below 0 on the glove: past the middle of the forearm.
static float glove_border(limber_vec3 at) {
    limber_vec3 d = limberi_normalize(limberi_sub(PLACES.hand, PLACES.elbow));
    limber_vec3 from = limberi_sub(kit_at(fabsf(at.x), at.y, at.z), PLACES.elbow);
    return fabsf(at.x) > 0.3f ? 0.115f - limberi_dot(from, d) : 1;
}

static float collar_border(limber_vec3 at) {
    float away = sqrtf(at.x * at.x + (at.z + 0.01f) * (at.z + 0.01f));
    return at.y - 1.495f - 0.7f * fmaxf(away - 0.07f, 0) - 0.2f * at.z;
}

// Around the eyes and to the temples.
static float mask_border(limber_vec3 at) {
    float x = fabsf(at.x);
    float middle = 1.718f + 0.12f * x;
    float high = 0.036f + 0.02f * kit_smoothstep(0, 0.05f, x);
    return at.z > -0.03f && at.y > 1.6f ? fabsf(at.y - middle) - high : 1;
}

static float border(void* user, limber_vec3 at) {
    (void)user;
    if (at.y > 1.46f)
        return kit_nearer(mask_border(at), collar_border(at));
    return fabsf(at.x) > 0.3f ? glove_border(at) : kit_nearer(boot_border(at), trunks_border(at));
}

static void paint(void* user, kit_vertex* vertex) {
    (void)user;
    limber_vec3 p = vertex->position;
    float width = KIT_CRISP * vertex->edge;
    if (p.y > 1.46f) {
        limber_vec3 skin = limberi_lerp(kit_hex(SKIN), kit_hex(MASK), kit_inside(mask_border(p), width));
        vertex->color = limberi_lerp(skin, kit_hex(SUIT), kit_inside(collar_border(p), width));
        return;
    }
    limber_vec3 color =
        limberi_lerp(kit_hex(SUIT), kit_hex(RED), kit_inside(trunks_border(p), width) * (fabsf(p.x) < 0.3f));
    float gold = fmaxf(kit_inside(boot_border(p), width), kit_inside(glove_border(p), width));
    vertex->color = limberi_lerp(color, kit_hex(GOLD), gold);
}

// ---- body ----

static void add_trunk(kit* k, kit_shape* shape, const hero* rig) {
    const biped* b = &rig->body;
    const uint32_t spine[] = {b->hips, b->spine, b->chest, b->neck};
    kit_brush brush = {.bind = kit_chain(k, spine, 4, 0.07f), .blend = 0.09f, .floppy = 0.1f, .squash = 0.8f};
    limber_vec3 straight = {0, 0, 0};
    kit_add(shape, &brush, kit_ellipsoid(kit_at(0, 0.93f, -0.005f), kit_at(0.142f, 0.1f, 0.112f), straight));
    kit_add(shape, &brush, kit_bone(kit_at(0, 0.98f, 0), 0.108f, kit_at(0, 1.14f, 0), 0.118f));
    kit_add(shape, &brush, kit_ellipsoid(kit_at(0, 1.31f, -0.012f), kit_at(0.215f, 0.165f, 0.138f), straight));
    brush.blend = 0.04f;
    for (int i = 0; i < 2; i++) {
        float s = BIPED_SIDES[i];
        kit_add(shape, &brush, kit_ellipsoid(kit_at(s * 0.09f, 1.37f, 0.072f), kit_at(0.11f, 0.08f, 0.052f), straight));
        kit_add(shape, &brush,
                kit_bone(kit_at(s * 0.05f, 1.47f, -0.02f), 0.055f, kit_at(s * 0.15f, 1.44f, -0.015f), 0.055f));
    }
    const uint32_t throat[] = {b->chest, b->neck, b->head};
    brush.bind = kit_chain(k, throat, 3, 0.035f);
    kit_add(shape, &brush, kit_bone(kit_at(0, 1.45f, -0.012f), 0.078f, kit_at(0, 1.6f, -0.002f), 0.068f));
}

static void add_head(kit* k, kit_shape* shape, const hero* rig) {
    kit_brush brush = {.bind = kit_rigid(k, rig->body.head), .blend = 0.05f, .edge = 0.026f, .reach = 0.015f};
    brush.floppy = 0.1f;
    brush.squash = 0.8f;
    limber_vec3 straight = {0, 0, 0};
    kit_add(shape, &brush, kit_ellipsoid(kit_at(0, 1.73f, 0), kit_at(0.112f, 0.125f, 0.125f), straight));
    kit_add(shape, &brush, kit_ellipsoid(kit_at(0, 1.645f, 0.038f), kit_at(0.088f, 0.07f, 0.078f), straight));
    brush.blend = 0.03f;
    kit_add(shape, &brush, kit_ellipsoid(kit_at(0, 1.598f, 0.075f), kit_at(0.05f, 0.03f, 0.035f), straight)); // a chin
    brush.edge = 0.016f;
    brush.blend = 0.015f;
    kit_add(shape, &brush, kit_bone(kit_at(0, 1.715f, 0.118f), 0.014f, kit_at(0, 1.682f, 0.135f), 0.02f));
    for (int i = 0; i < 2; i++)
        kit_add(
            shape, &brush,
            kit_ellipsoid(kit_at(0.113f * BIPED_SIDES[i], 1.695f, -0.005f), kit_at(0.015f, 0.03f, 0.022f), straight));
}

static void add_arm(kit* k, kit_shape* shape, const hero* rig, uint32_t side) {
    const biped* b = &rig->body;
    float s = BIPED_SIDES[side];
    const uint32_t chain[] = {b->chest, b->arm_upper[side], b->arm_lower[side], b->hand[side]};
    kit_brush brush = {.bind = kit_chain(k, chain, 4, 0.06f), .blend = 0.035f, .edge = 0.036f, .reach = 0.025f};
    brush.floppy = 0.15f;
    brush.squash = 0.8f;
    limber_vec3 shoulder = b->at.shoulder;
    limber_vec3 elbow = b->at.elbow;
    limber_vec3 hand = b->at.hand;
    kit_add(shape, &brush, kit_ball(kit_mirrored(shoulder, s), 0.093f));
    limber_vec3 points[] = {shoulder, limberi_lerp(shoulder, elbow, 0.5f), elbow, limberi_lerp(elbow, hand, 0.3f),
                            hand};
    for (int i = 0; i < 5; i++)
        points[i] = kit_mirrored(points[i], s);
    const float thick[] = {0.074f, 0.077f, 0.054f, 0.064f, 0.038f};
    kit_add_limb(shape, &brush, points, thick, 5);
}

static void add_leg(kit* k, kit_shape* shape, const hero* rig, uint32_t side) {
    const biped* b = &rig->body;
    float s = BIPED_SIDES[side];
    const uint32_t chain[] = {b->hips, b->leg_upper[side], b->leg_lower[side], b->foot[side], b->toe[side]};
    kit_brush brush = {.bind = kit_chain(k, chain, 5, 0.06f), .blend = 0.04f, .edge = 0.04f, .reach = 0.025f};
    brush.floppy = 0.1f;
    brush.squash = 0.8f;
    limber_vec3 points[] = {kit_at(0.092f, 0.88f, 0),      kit_at(0.11f, 0.7f, 0.03f),    PLACES.knee,
                            kit_at(0.112f, 0.36f, 0.012f), kit_at(0.114f, 0.2f, -0.015f), PLACES.ankle};
    const float thick[] = {0.096f, 0.09f, 0.066f, 0.078f, 0.064f, 0.058f};
    for (int i = 0; i < 6; i++)
        points[i] = kit_mirrored(points[i], s);
    kit_add_limb(shape, &brush, points, thick, 6);
    limber_vec3 foot[] = {kit_at(0.115f, 0.05f, -0.04f), kit_at(0.119f, 0.052f, 0.04f), kit_at(0.124f, 0.046f, 0.12f)};
    const float flat[] = {0.056f, 0.058f, 0.052f};
    for (int i = 0; i < 3; i++)
        foot[i] = kit_mirrored(foot[i], s);
    brush.edge = 0.032f;
    kit_add_limb(shape, &brush, foot, flat, 3);
    brush.blend = 0.012f;
    brush.edge = 0.026f;
    brush.bind = kit_rigid(k, b->leg_lower[side]);
    // The boot's cuff.
    kit_add(shape, &brush,
            kit_ring(kit_mirrored(kit_at(0.112f, 0.375f, 0.016f), s), 0.078f, 0.019f, kit_at(-12, 0, 0)));
}

// ---- face, hair, belt, emblem ----

static limber_vec3 front_point(const kit_shape* body, float x, float y, float out) {
    limber_vec3 at = kit_at(x, y, 0.32f);
    for (int i = 0; body && i < 30; i++)
        at.z -= 0.9f * kit_shape_distance(body, at, NULL);
    at.z += out;
    return at;
}

static void model_face(kit* k, const hero* rig, const kit_shape* body) {
    kit_brush brush = {.bind = kit_rigid(k, rig->body.head), .floppy = 0.1f, .squash = 0.8f};
    for (int i = 0; i < 2; i++) {
        float s = BIPED_SIDES[i];
        limber_vec3 turned = kit_at(86, 18 * s, 0);
        limber_vec3 at = front_point(body, 0.044f * s, 1.722f, -0.003f);
        brush.color = kit_hex(0xffffff);
        kit_mesh_eye(k, &brush, at, kit_at(0.031f, 0.013f, 0.025f), kit_at(86, 18 * s, 10 * s), NULL, 0, 14);
        brush.color = kit_hex(0x1d1a2b);
        limber_vec3 pupil =
            limberi_add(at, limberi_quat_rotate(kit_euler(86, (double)(18 * s), 0), kit_at(-0.006f * s, 0.0085f, 0)));
        kit_mesh_eye(k, &brush, pupil, kit_at(0.0125f, 0.0065f, 0.0165f), turned, NULL, 0, 10);
        brush.color = kit_hex(HAIR);
        limber_vec3 brow[4];
        static const float line[4][2] = {{0.016f, 1.752f}, {0.038f, 1.764f}, {0.062f, 1.77f}, {0.085f, 1.758f}};
        for (int n = 0; n < 4; n++)
            brow[n] = front_point(body, s * line[n][0], line[n][1], 0.003f);
        kit_mesh_tube(k, &brush, NULL, NULL, brow, (const float[]){0.007f, 0.009f, 0.008f, 0.004f}, 4, 6, 8);
    }
    limber_vec3 smile[5];
    for (int i = 0; i < 5; i++) {
        float x = ((float)i - 2) / 2;
        smile[i] = front_point(body, 0.034f * x + 0.008f, 1.632f + 0.009f * x * x + 0.004f * x, 0);
    }
    brush.color = kit_hex(0x8f3a2f);
    kit_mesh_tube(k, &brush, NULL, NULL, smile, (const float[]){0.003f, 0.0055f, 0.006f, 0.0055f, 0.003f}, 5, 6, 12);
}

static void model_hair(kit* k, const hero* rig) {
    kit_shape* shape = kit_shape_create(k);
    if (!shape)
        return;
    kit_brush brush = {.bind = kit_rigid(k, rig->body.head), .color = kit_hex(HAIR), .blend = 0.035f, .squash = 0.8f};
    brush.floppy = 0.2f;
    kit_add(shape, &brush, kit_ellipsoid(kit_at(0, 1.765f, -0.028f), kit_at(0.119f, 0.112f, 0.118f), kit_at(0, 0, 0)));
    kit_add(shape, &brush, kit_ellipsoid(kit_at(0, 1.7f, -0.07f), kit_at(0.1f, 0.085f, 0.07f), kit_at(0, 0, 0)));
    // A quiff swept up to the left.
    const limber_vec3 quiff[] = {
        {-0.06f, 1.835f, 0.07f}, {0, 1.865f, 0.1f}, {0.055f, 1.88f, 0.085f}, {0.08f, 1.87f, 0.05f}};
    const float thick[] = {0.03f, 0.042f, 0.038f, 0.02f};
    brush.floppy = 0.5f;
    kit_add_limb(shape, &brush, quiff, thick, 4);
    shape->edge = 0.03f;
    shape->cell = 0.011f;
    kit_mesh_material(k, "Hair", 0, 0.35f, false);
    kit_mesh_shape(k, shape);
}

typedef struct sewing {
    const hero* rig;
    const kit_shape* body;
} sewing;

static void sewn_paint(void* user, kit_vertex* vertex) {
    const sewing* w = user;
    vertex->weights.count = 0;
    kit_weights_add_shape(w->rig->body.k, &vertex->weights, w->body, vertex->position);
}

static void model_belt(kit* k, const hero* rig, const kit_shape* body) {
    enum { POINTS = 33 };
    sewing w = {rig, body};
    limber_vec3 ring[POINTS];
    float thick[POINTS];
    for (int i = 0; i < POINTS; i++) {
        float turn = 2 * (float)LIMBERI_PI * ((float)i / (POINTS - 1) + 0.5f);
        float low = 0.01f;
        float high = 0.25f;
        for (int n = 0; body && n < 24; n++) {
            float r = 0.5f * (low + high);
            bool inside = kit_shape_distance(body, kit_at(r * sinf(turn), BELT, r * cosf(turn)), NULL) < 0;
            low = inside ? r : low;
            high = inside ? high : r;
        }
        ring[i] = kit_at(low * sinf(turn), BELT, low * cosf(turn));
        thick[i] = 0.022f;
    }
    kit_brush brush = {.bind = kit_rigid(k, rig->body.hips), .color = kit_hex(GOLD), .floppy = 0.1f, .squash = 0.8f};
    kit_mesh_tube(k, &brush, sewn_paint, &w, ring, thick, POINTS, 8, 40);
    brush.color = kit_hex(0xfff0b8);
    kit_mesh_eye(k, &brush, front_point(body, 0, BELT, 0.012f), kit_at(0.05f, 0.022f, 0.038f), kit_at(90, 0, 0), NULL,
                 0, 14);
}

// A bolt across the chest, on the skin of it.
static void model_emblem(kit* k, const hero* rig, const kit_shape* body) {
    sewing w = {rig, body};
    static const float bolt[5][2] = {
        {0.05f, 1.43f}, {-0.035f, 1.35f}, {-0.002f, 1.35f}, {0.03f, 1.348f}, {-0.045f, 1.255f}};
    static const float thick[5] = {0.004f, 0.02f, 0.017f, 0.02f, 0.004f};
    limber_vec3 line[5];
    for (int i = 0; i < 5; i++)
        line[i] = front_point(body, bolt[i][0], bolt[i][1], 0.001f);
    kit_brush brush = {.bind = kit_rigid(k, rig->body.chest), .color = kit_hex(GOLD), .floppy = 0.1f, .squash = 0.8f};
    kit_mesh_tube(k, &brush, sewn_paint, &w, line, thick, 5, 8, 22);
}

// ---- putting him together ----

static void rig_cape(kit* k, hero* rig) {
    static const char* const names[HERO_COLUMNS] = {"CapeLeft", "CapeMiddle", "CapeRight"};
    for (uint32_t c = 0; c < HERO_COLUMNS; c++)
        for (uint32_t r = 0; r < HERO_ROWS; r++) {
            limber_vec3 at = hero_cape_point(1 - (float)c, 0.03f + (float)r / HERO_ROWS);
            rig->cape[c][r] =
                kit_joint_numbered(k, names[c], r + 1, (int32_t)(r ? rig->cape[c][r - 1] : rig->body.chest), at);
        }
}

static kit_shape* model_body(kit* k, const hero* rig) {
    kit_shape* shape = kit_shape_create(k);
    if (!shape)
        return NULL;
    add_trunk(k, shape, rig);
    for (uint32_t side = 0; side < 2; side++)
        add_leg(k, shape, rig, side);
    kit_brush cut = {.bind = kit_rigid(k, rig->body.root), .blend = 0.015f, .carve = true};
    kit_add(shape, &cut, kit_ball(kit_at(0, -29.9985f, 0), 30));
    for (uint32_t side = 0; side < 2; side++)
        add_arm(k, shape, rig, side);
    add_head(k, shape, rig);
    shape->edge = 0.046f;
    shape->cell = 0.0135f;
    shape->border = border;
    shape->paint = paint;
    kit_mesh_material(k, "Suit", 0, 0.5f, false);
    kit_mesh_shape(k, shape);
    return shape;
}

void limberi_build_hero(kit* k) {
    hero rig;
    biped_rig(k, &rig.body, &PLACES);
    rig_cape(k, &rig);
    kit_mesh_begin(k, "Hero");
    kit_mesh_layer(k, "cape");
    kit_shape* body = model_body(k, &rig);
    kit_brush glove = {.color = kit_hex(GOLD), .floppy = 0.1f, .squash = 0.8f};
    for (uint32_t side = 0; side < 2; side++)
        biped_model_hand(k, &rig.body, side, true, &glove, 0.0215f);
    if (body) {
        model_belt(k, &rig, body);
        model_emblem(k, &rig, body);
    }
    model_face(k, &rig, body);
    model_hair(k, &rig);
    hero_model_cape(k, &rig);
    kit_mesh_end(k);
    limberi_hero_clips(k, &rig);
}
