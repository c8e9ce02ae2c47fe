// The toon: a round fellow of the rubber-hose age with thin limbs, white gloves, shoes that are much too big, a bowler,
// and an umbrella in his right fist. 29 joints.
#include "characters/toon.h"

static const biped_places PLACES = {.hips = {0, 0.66f, 0},
                                    .spine = {0, 0.76f, 0},
                                    .chest = {0, 0.86f, 0},
                                    .neck = {0, 0.99f, 0},
                                    .head = {0, 1.06f, 0.005f},
                                    .shoulder = {0.125f, 0.92f, 0},
                                    .elbow = {0.262f, 0.79f, -0.025f},
                                    .hand = {0.39f, 0.645f, 0.015f},
                                    .hip = {0.085f, 0.6f, 0},
                                    .knee = {0.098f, 0.37f, 0.05f},
                                    .ankle = {0.105f, 0.12f, -0.025f},
                                    .ball = {0.118f, 0.05f, 0.13f},
                                    .heel_z = -0.1f,
                                    .hand_size = 0.085f};

static const limber_vec3 HEAD = {0, 1.19f, 0.02f};
static const limber_vec3 HAT = {0, 1.3f, -0.02f};
static const float WAIST = 0.735f;
static const float COLLAR = 0.972f;
static const float HAT_TILT_DEG = -9;

static const uint32_t SKIN = 0xf9cfa8;
static const uint32_t HOSE = 0x2b2a3a;
static const uint32_t JERSEY = 0xf4b63f;
static const uint32_t TROUSERS = 0x1f8a8c;
static const uint32_t SHOE = 0xc8442f;
static const uint32_t SOLE = 0x4a2a26;
static const uint32_t GLOVE = 0xfdfaf3;
static const uint32_t FELT = 0x35455e;
static const uint32_t RED = 0xd8372f;

// ---- trunk, head and hoses ----

// Where one color ends: below 0 trousers, hoses and jersey respectively.
static float waist_border(limber_vec3 at) {
    return at.y - WAIST - 0.012f * cosf(3 * atan2f(at.x, at.z));
}

static float hem_border(limber_vec3 at) {
    return at.y - 0.475f;
}

// Outside the shoulder, across the arm; far from it where this is no arm.
static float sleeve_border(limber_vec3 at) {
    limber_vec3 from = limberi_sub(kit_at(fabsf(at.x), at.y, at.z), PLACES.shoulder);
    limber_vec3 along = limberi_normalize(limberi_sub(PLACES.elbow, PLACES.shoulder));
    limber_vec3 off = limberi_sub(from, limberi_scale(along, limberi_dot(from, along)));
    return limberi_length(off) < 0.055f ? 0.036f - limberi_dot(from, kit_at(0.95f, -0.31f, 0)) : 1;
}

static float border(void* user, limber_vec3 at) {
    (void)user;
    return kit_nearer(kit_nearer(waist_border(at), hem_border(at)), kit_nearer(sleeve_border(at), at.y - COLLAR));
}

static void paint(void* user, kit_vertex* vertex) {
    (void)user;
    limber_vec3 p = vertex->position;
    limber_vec3 cloth;
    float width = KIT_CRISP * vertex->edge;
    cloth = limberi_lerp(kit_hex(JERSEY), kit_hex(TROUSERS), kit_inside(waist_border(p), width));
    cloth = limberi_lerp(cloth, kit_hex(HOSE),
                         kit_inside(fminf(hem_border(p), fminf(sleeve_border(p), 0.215f - fabsf(p.x))), width));
    limber_vec3 skin = kit_hex(SKIN);
    // Rosy cheeks.
    float x = fabsf(p.x) - 0.12f;
    float y = p.y - 1.12f;
    float z = p.z - 0.16f;
    float blush = kit_inside(sqrtf(x * x + y * y + z * z) - 0.035f, 0.05f);
    skin = limberi_lerp(skin, kit_hex(0xf0806a), 0.6f * blush);
    vertex->color = limberi_lerp(skin, cloth, kit_inside(p.y - COLLAR, width));
}

static void add_trunk(kit* k, kit_shape* shape, const toon* rig) {
    const biped* b = &rig->body;
    const uint32_t spine[] = {b->hips, b->spine, b->chest, b->neck};
    kit_brush brush = {.bind = kit_chain(k, spine, 4, 0.06f), .color = kit_hex(JERSEY), .blend = 0.1f};
    brush.floppy = 0.3f;
    brush.squash = 1;
    limber_vec3 straight = {0, 0, 0};
    kit_add(shape, &brush, kit_ellipsoid(kit_at(0, 0.685f, 0.01f), kit_at(0.178f, 0.15f, 0.168f), straight));
    kit_add(shape, &brush, kit_ellipsoid(kit_at(0, 0.86f, 0), kit_at(0.137f, 0.135f, 0.118f), straight));
    const uint32_t throat[] = {b->chest, b->neck, b->head};
    brush.bind = kit_chain(k, throat, 3, 0.03f);
    brush.color = kit_hex(SKIN);
    brush.blend = 0.03f;
    brush.edge = 0.03f;
    kit_add(shape, &brush, kit_bone(kit_at(0, 0.95f, 0), 0.05f, kit_at(0, 1.1f, 0.005f), 0.052f));
}

static void add_head(kit* k, kit_shape* shape, const toon* rig) {
    kit_brush brush = {.bind = kit_rigid(k, rig->body.head), .color = kit_hex(SKIN), .blend = 0.06f, .edge = 0.034f};
    brush.reach = 0.02f;
    brush.floppy = 0.3f;
    brush.squash = 1;
    limber_vec3 straight = {0, 0, 0};
    kit_add(shape, &brush, kit_ellipsoid(HEAD, kit_at(0.178f, 0.18f, 0.172f), straight));
    brush.blend = 0.09f;
    kit_add(shape, &brush, kit_ellipsoid(kit_at(0, 1.115f, 0.075f), kit_at(0.172f, 0.1f, 0.125f), straight));
    brush.blend = 0.02f;
    brush.edge = 0.024f;
    for (int i = 0; i < 2; i++)
        kit_add(
            shape, &brush,
            kit_ellipsoid(kit_at(0.186f * BIPED_SIDES[i], 1.175f, -0.01f), kit_at(0.03f, 0.056f, 0.045f), straight));
}

// Thin hoses: wide hand-overs at the joints make arcs out of bends.
static void add_hoses(kit* k, kit_shape* shape, const toon* rig) {
    const biped* b = &rig->body;
    kit_brush brush = {.color = kit_hex(HOSE), .blend = 0.03f, .edge = 0.026f, .reach = 0.012f};
    brush.floppy = 0.6f;
    brush.squash = 1;
    for (uint32_t side = 0; side < 2; side++) {
        float s = BIPED_SIDES[side];
        const uint32_t arm[] = {b->chest, b->arm_upper[side], b->arm_lower[side], b->hand[side]};
        limber_vec3 points[4] = {{0.09f, 0.925f, 0}, b->at.shoulder, b->at.elbow, b->at.hand};
        for (int i = 0; i < 4; i++)
            points[i] = kit_mirrored(points[i], s);
        const float thin[] = {0.04f, 0.034f, 0.03f, 0.03f};
        brush.bind = kit_chain(k, arm, 4, 0.09f);
        kit_add_limb(shape, &brush, points, thin, 4);
        const uint32_t leg[] = {b->hips, b->leg_upper[side], b->leg_lower[side], b->foot[side]};
        limber_vec3 down[3] = {b->at.hip, b->at.knee, b->at.ankle};
        for (int i = 0; i < 3; i++)
            down[i] = kit_mirrored(down[i], s);
        const float sock[] = {0.04f, 0.034f, 0.034f};
        brush.bind = kit_chain(k, leg, 4, 0.1f);
        kit_add_limb(shape, &brush, down, sock, 3);
    }
}

static void add_trouser_legs(kit* k, kit_shape* shape, const toon* rig) {
    const biped* b = &rig->body;
    for (uint32_t side = 0; side < 2; side++) {
        const uint32_t leg[] = {b->hips, b->leg_upper[side], b->leg_lower[side]};
        kit_brush brush = {.bind = kit_chain(k, leg, 3, 0.06f), .color = kit_hex(TROUSERS), .blend = 0.07f};
        brush.edge = 0.036f;
        brush.floppy = 0.3f;
        brush.squash = 1;
        limber_vec3 hip = kit_mirrored(b->at.hip, BIPED_SIDES[side]);
        kit_add(shape, &brush,
                kit_bone(kit_at(hip.x, 0.62f, 0.005f), 0.088f, kit_at(1.12f * hip.x, 0.53f, 0.016f), 0.078f));
    }
}

// ---- shoes ----

static float sole_border(void* user, limber_vec3 at) {
    (void)user;
    return at.y - 0.034f;
}

static void paint_shoe(void* user, kit_vertex* vertex) {
    float low = kit_inside(sole_border(user, vertex->position), KIT_CRISP * vertex->edge);
    vertex->color = limberi_lerp(vertex->color, kit_hex(SOLE), low);
}

static void model_shoe(kit* k, const toon* rig, uint32_t side) {
    const biped* b = &rig->body;
    kit_shape* shape = kit_shape_create(k);
    if (!shape)
        return;
    float s = BIPED_SIDES[side];
    const uint32_t chain[] = {b->foot[side], b->toe[side]};
    kit_brush brush = {.bind = kit_chain(k, chain, 2, 0.05f), .color = kit_hex(SHOE), .blend = 0.07f};
    brush.floppy = 0.4f;
    brush.squash = 1;
    limber_vec3 straight = {0, 0, 0};
    kit_add(shape, &brush,
            kit_ellipsoid(kit_at(s * 0.108f, 0.065f, -0.025f), kit_at(0.068f, 0.066f, 0.082f), straight));
    kit_add(shape, &brush, kit_ellipsoid(kit_at(s * 0.123f, 0.07f, 0.15f), kit_at(0.092f, 0.08f, 0.125f), straight));
    brush.blend = 0.025f;
    brush.bind = kit_rigid(k, b->foot[side]);
    kit_add(shape, &brush, kit_ring(kit_at(s * 0.105f, 0.128f, -0.026f), 0.036f, 0.019f, straight));
    kit_brush cut = {.bind = kit_rigid(k, b->foot[side]), .blend = 0.02f, .carve = true};
    kit_add(shape, &cut, kit_ball(kit_at(0, -29.9985f, 0), 30));
    shape->edge = 0.029f;
    shape->cell = 0.012f;
    shape->border = sole_border;
    shape->paint = paint_shoe;
    kit_mesh_shape(k, shape);
}

// ---- face ----

// On the front of the head at (x, y), `out` in front of it.
static limber_vec3 face_point(const kit_shape* body, float x, float y, float out) {
    limber_vec3 at = kit_at(x, y, 0.32f);
    for (int i = 0; body && i < 24; i++)
        at.z -= 0.9f * kit_shape_distance(body, at, NULL);
    at.z += out;
    return at;
}

static void model_eye(kit* k, const toon* rig, const kit_shape* body, float s) {
    kit_brush brush = {.bind = kit_rigid(k, rig->body.head), .color = kit_hex(0xffffff), .floppy = 0.3f, .squash = 1};
    limber_vec3 turned = kit_at(84, 12 * s, 0);
    limber_vec3 radii = kit_at(0.052f, 0.03f, 0.076f);
    limber_vec3 at = face_point(body, 0.058f * s, 1.235f, -0.012f);
    kit_mesh_eye(k, &brush, at, radii, turned, NULL, 0, 18);
    limber_quat frame = kit_euler(84, (double)(12 * s), 0);
    limber_vec3 pupil = limberi_add(at, limberi_quat_rotate(frame, kit_at(-0.01f * s, 0.021f, 0.018f)));
    brush.color = kit_hex(0x17151c);
    kit_mesh_eye(k, &brush, pupil, kit_at(0.026f, 0.0125f, 0.042f), turned, NULL, 0, 14);
    brush.color = kit_hex(0xffffff);
    limber_vec3 glint = limberi_add(at, limberi_quat_rotate(frame, kit_at(-0.002f * s, 0.031f, 0.0f)));
    kit_mesh_eye(k, &brush, glint, kit_at(0.009f, 0.005f, 0.012f), turned, NULL, 0, 8);
}

static void model_line(kit* k, const toon* rig, const kit_shape* body, const float (*points)[2], const float* thick,
                       uint32_t count, float s, uint32_t color) {
    limber_vec3 line[8];
    for (uint32_t i = 0; i < count; i++)
        line[i] = face_point(body, s * points[i][0], points[i][1], 0.002f);
    kit_brush brush = {.bind = kit_rigid(k, rig->body.head), .color = kit_hex(color), .floppy = 0.3f, .squash = 1};
    kit_mesh_tube(k, &brush, NULL, NULL, line, thick, count, 6, 14);
}

static void model_face(kit* k, const toon* rig, const kit_shape* body) {
    static const float brow[4][2] = {{0.035f, 1.312f}, {0.055f, 1.325f}, {0.08f, 1.322f}, {0.1f, 1.305f}};
    static const float brow_thick[4] = {0.005f, 0.0085f, 0.008f, 0.004f};
    static const float smile[7][2] = {{-0.118f, 1.112f}, {-0.085f, 1.078f}, {-0.045f, 1.058f}, {0, 1.052f},
                                      {0.045f, 1.058f},  {0.085f, 1.078f},  {0.118f, 1.112f}};
    static const float smile_thick[7] = {0.004f, 0.008f, 0.01f, 0.0105f, 0.01f, 0.008f, 0.004f};
    for (int i = 0; i < 2; i++) {
        model_eye(k, rig, body, BIPED_SIDES[i]);
        model_line(k, rig, body, brow, brow_thick, 4, BIPED_SIDES[i], HOSE);
    }
    model_line(k, rig, body, smile, smile_thick, 7, 1, 0x8a2f2c);
    kit_brush nose = {.bind = kit_rigid(k, rig->body.head), .color = kit_hex(0xe8663c), .floppy = 0.4f, .squash = 1};
    limber_vec3 at = face_point(body, 0, 1.155f, 0.028f);
    kit_mesh_eye(k, &nose, at, kit_at(0.056f, 0.047f, 0.05f), kit_at(0, 0, 0), NULL, 0, 16);
    const kit_band button[] = {{180, kit_hex(0xfff2c4)}};
    kit_brush sewn = {.bind = kit_rigid(k, rig->body.hips), .floppy = 0.3f, .squash = 1};
    for (int i = 0; i < 2; i++) {
        limber_vec3 place = kit_at(0.06f * BIPED_SIDES[i], 0.7f, 0.3f);
        place = body ? kit_shape_project(body, place, 10, 0.1f) : place;
        kit_mesh_eye(k, &sewn, place, kit_at(0.024f, 0.01f, 0.028f), kit_at(86, 20 * BIPED_SIDES[i], 0), button, 1, 12);
    }
}

// ---- gloves, hat, umbrella ----

static void model_gloves(kit* k, const toon* rig) {
    const biped* b = &rig->body;
    limber_vec3 along, thumb, palm;
    biped_hand_frame(&b->at, &along, &thumb, &palm);
    for (uint32_t side = 0; side < 2; side++) {
        kit_brush brush = {.color = kit_hex(GLOVE), .floppy = 0.6f, .squash = 1};
        biped_model_hand(k, b, side, side == 1, &brush, 0.0235f);
        // The rolled cuff.
        limber_vec3 ring[13];
        limber_vec3 center = limberi_add(b->at.hand, limberi_scale(along, -0.008f));
        float thick[13];
        for (int i = 0; i < 13; i++) {
            float turn = 2 * (float)LIMBERI_PI * (float)i / 12;
            limber_vec3 out = limberi_add(limberi_scale(thumb, cosf(turn)), limberi_scale(palm, sinf(turn)));
            ring[i] = kit_mirrored(limberi_add(center, limberi_scale(out, 0.034f)), BIPED_SIDES[side]);
            thick[i] = 0.017f;
        }
        brush.bind = kit_rigid(k, b->hand[side]);
        kit_mesh_tube(k, &brush, NULL, NULL, ring, thick, 13, 8, 18);
        // Three darts on the back.
        brush.color = kit_hex(HOSE);
        for (int i = -1; i <= 1; i++) {
            limber_vec3 dart[2];
            for (int e = 0; e < 2; e++) {
                limber_vec3 at = limberi_scale(along, (e ? 0.9f : 0.5f) * b->at.hand_size);
                at = limberi_add(at, limberi_scale(thumb, (e ? 0.34f : 0.24f) * (float)i * b->at.hand_size));
                at = limberi_add(at, limberi_scale(palm, (i ? -0.325f : -0.36f) * b->at.hand_size));
                dart[e] = kit_mirrored(limberi_add(b->at.hand, at), BIPED_SIDES[side]);
            }
            kit_mesh_tube(k, &brush, NULL, NULL, dart, (const float[]){0.0045f, 0.0035f}, 2, 5, 4);
        }
    }
}

static void paint_hat(void* user, kit_vertex* vertex) {
    (void)user;
    bool band = vertex->v > 0.5f && vertex->v < 0.64f;
    vertex->color = kit_hex(band ? RED : FELT);
}

static void model_hat(kit* k, const toon* rig) {
    static const kit_profile_point bowler[] = {{0, 0.0f},        {0.14f, -0.005f}, {0.215f, 0.008f}, {0.236f, 0.024f},
                                               {0.222f, 0.032f}, {0.172f, 0.022f}, {0.152f, 0.032f}, {0.15f, 0.08f},
                                               {0.138f, 0.135f}, {0.1f, 0.178f},   {0.048f, 0.196f}, {0, 0.2f}};
    kit_brush brush = {.bind = kit_rigid(k, rig->hat), .color = kit_hex(FELT), .floppy = 0.4f, .squash = 0.6f};
    kit_mesh_lathe(k, &brush, paint_hat, NULL, HAT, kit_at(HAT_TILT_DEG, 0, 4), bowler, 12, 30, 24);
    brush.color = kit_hex(0xf7f2e0);
    limber_vec3 daisy = kit_at(0.125f, 1.375f, 0.08f);
    for (int i = 0; i < 5; i++) {
        float turn = 2 * (float)LIMBERI_PI * (float)i / 5;
        limber_vec3 at = kit_at(daisy.x + 0.022f * cosf(turn) * 0.6f, daisy.y + 0.024f * sinf(turn),
                                daisy.z - 0.022f * cosf(turn) * 0.8f);
        kit_mesh_eye(k, &brush, at, kit_at(0.018f, 0.016f, 0.018f), kit_at(0, 0, 0), NULL, 0, 8);
    }
    brush.color = kit_hex(0xf4b63f);
    kit_mesh_eye(k, &brush, kit_at(daisy.x + 0.008f, daisy.y, daisy.z + 0.008f), kit_at(0.016f, 0.016f, 0.016f),
                 kit_at(0, 0, 0), NULL, 0, 8);
}

// Furled, its long end on the side of the thumb, so that it points up when the forearm points ahead.
static void model_umbrella(kit* k, const toon* rig) {
    const biped* b = &rig->body;
    limber_vec3 along;
    limber_vec3 thumb;
    limber_vec3 palm;
    limber_vec3 grip = biped_grip(&b->at);
    biped_hand_frame(&b->at, &along, &thumb, &palm);
    limber_vec3 crook[9];
    static const float out[9][2] = {{0.1f, 0},         {0.0f, 0},         {-0.09f, 0},
                                    {-0.135f, 0.012f}, {-0.165f, 0.042f}, {-0.165f, 0.078f},
                                    {-0.135f, 0.106f}, {-0.105f, 0.108f}, {-0.09f, 0.1f}};
    float thick[9];
    for (int i = 0; i < 9; i++) {
        limber_vec3 at = limberi_add(limberi_scale(thumb, out[i][0]), limberi_scale(along, out[i][1]));
        crook[i] = kit_mirrored(limberi_add(grip, at), -1);
        thick[i] = 0.0145f;
    }
    kit_brush brush = {.bind = kit_rigid(k, b->hand[1]), .color = kit_hex(0x8a5a33), .floppy = 0.6f, .squash = 1};
    kit_mesh_material(k, "Umbrella", 0, 0.45f, false);
    kit_mesh_tube(k, &brush, NULL, NULL, crook, thick, 9, 8, 24);
    limber_vec3 spindle[7];
    static const float at[7] = {0.075f, 0.1f, 0.16f, 0.28f, 0.44f, 0.55f, 0.6f};
    static const float wide[7] = {0.014f, 0.03f, 0.046f, 0.043f, 0.03f, 0.018f, 0.012f};
    for (int i = 0; i < 7; i++)
        spindle[i] = kit_mirrored(limberi_add(grip, limberi_scale(thumb, at[i])), -1);
    brush.color = kit_hex(RED);
    kit_mesh_tube(k, &brush, NULL, NULL, spindle, wide, 7, 12, 20);
    limber_vec3 tip[2] = {kit_mirrored(limberi_add(grip, limberi_scale(thumb, 0.59f)), -1),
                          kit_mirrored(limberi_add(grip, limberi_scale(thumb, 0.66f)), -1)};
    brush.color = kit_hex(0xf7f2e0);
    kit_mesh_tube(k, &brush, NULL, NULL, tip, (const float[]){0.011f, 0.007f}, 2, 8, 5);
}

void limberi_model_toon(kit* k, toon* rig, bool umbrella) {
    biped_rig(k, &rig->body, &PLACES);
    rig->hat = kit_joint(k, "Hat", (int32_t)rig->body.head, HAT.x, HAT.y, HAT.z);
    kit_shape* shape = kit_shape_create(k);
    if (!shape)
        return;
    shape->edge = 0.045f;
    shape->cell = 0.0145f;
    shape->border = border;
    shape->paint = paint;
    add_trunk(k, shape, rig);
    add_trouser_legs(k, shape, rig);
    add_hoses(k, shape, rig);
    add_head(k, shape, rig);
    kit_mesh_begin(k, "Toon");
    kit_mesh_material(k, "Cloth", 0, 0.65f, false);
    kit_mesh_shape(k, shape);
    model_gloves(k, rig);
    kit_mesh_material(k, "Shiny", 0, 0.3f, false);
    for (uint32_t side = 0; side < 2; side++)
        model_shoe(k, rig, side);
    model_face(k, rig, shape);
    kit_mesh_material(k, "Felt", 0, 0.8f, false);
    model_hat(k, rig);
    if (umbrella)
        model_umbrella(k, rig);
    kit_mesh_end(k);
}

void limberi_build_toon(kit* k) {
    toon rig;
    limberi_model_toon(k, &rig, true);
    if (!kit_failed(k))
        limberi_toon_clips(k, &rig);
}
