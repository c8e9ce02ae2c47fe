// The dragon: a plump green whelp with few joints on purpose: two in each wing, two in the tail. Wings and tail carry the
// layer "floppy", so that effects flap and wag what the rig can hardly move. 18 joints.
#include "characters/kit.h"

enum { WING_RIBS = 4 };

typedef struct dragon {
    uint32_t root, hips, chest, neck, head, jaw;
    uint32_t tail[2];
    uint32_t wing[2][2]; // [left, right][shoulder, elbow]
    uint32_t arm[2], leg[2], foot[2];
    uint32_t wing_chain[2];
} dragon;

static const uint32_t SCALES = 0x5fae57;
static const uint32_t DEEP = 0x2f7a4c;
static const uint32_t BELLY = 0xf6e3a1;
static const uint32_t SKIN = 0xf2955b;
static const uint32_t HORN = 0xfff1d0;
static const limber_vec3 HEAD = {0, 0.93f, 0.17f};
static const limber_vec3 TAIL[6] = {{0, 0.3f, -0.2f},    {0, 0.2f, -0.4f},   {0, 0.14f, -0.58f},
                                    {0, 0.135f, -0.76f}, {0, 0.19f, -0.92f}, {0, 0.28f, -1.02f}};
static const float TAIL_RADII[6] = {0.17f, 0.125f, 0.092f, 0.066f, 0.044f, 0.02f};

static const float SIDES[2] = {1, -1};

// ---- rig ----

static void rig_dragon(kit* k, dragon* d) {
    d->root = kit_joint(k, "Root", KIT_NO_PARENT, 0, 0, 0);
    d->hips = kit_joint(k, "Hips", (int32_t)d->root, 0, 0.34f, -0.02f);
    d->chest = kit_joint(k, "Chest", (int32_t)d->hips, 0, 0.56f, 0);
    d->neck = kit_joint(k, "Neck", (int32_t)d->chest, 0, 0.72f, 0.04f);
    d->head = kit_joint(k, "Head", (int32_t)d->neck, 0, 0.84f, 0.1f);
    d->jaw = kit_joint(k, "Jaw", (int32_t)d->head, 0, 0.85f, 0.22f);
    d->tail[0] = kit_joint_numbered(k, "Tail", 1, (int32_t)d->hips, TAIL[0]);
    d->tail[1] = kit_joint_numbered(k, "Tail", 2, (int32_t)d->tail[0], TAIL[3]);
    for (int i = 0; i < 2; i++) {
        d->wing[i][0] = kit_joint_side(k, "WingUpper", SIDES[i], (int32_t)d->chest, 0.1f, 0.66f, -0.15f);
        d->wing[i][1] = kit_joint_side(k, "WingLower", SIDES[i], (int32_t)d->wing[i][0], 0.42f, 0.94f, -0.22f);
        d->arm[i] = kit_joint_side(k, "Arm", SIDES[i], (int32_t)d->chest, 0.19f, 0.56f, 0.09f);
        d->leg[i] = kit_joint_side(k, "Leg", SIDES[i], (int32_t)d->hips, 0.15f, 0.25f, 0.02f);
        d->foot[i] = kit_joint_side(k, "Foot", SIDES[i], (int32_t)d->leg[i], 0.19f, 0.07f, 0.05f);
        const uint32_t chain[] = {d->chest, d->wing[i][0], d->wing[i][1]};
        d->wing_chain[i] = kit_chain(k, chain, 3, 0.09f);
    }
}

// ---- paint ----

// Below 0 on the front of the belly, the throat and under the tail.
static float belly_distance(limber_vec3 at) {
    float front = fabsf(at.x) - 0.135f - 0.04f * sinf(9 * at.y - 1.5f);
    float ahead = 0.06f - at.z - 0.1f * fmaxf(0.3f - at.y, 0);
    float low = at.y - 0.79f;
    return fmaxf(fmaxf(front, ahead), low);
}

static float border(void* user, limber_vec3 at) {
    (void)user;
    return belly_distance(at);
}

static void paint(void* user, kit_vertex* vertex) {
    (void)user;
    limber_vec3 at = vertex->position;
    float width = fmaxf(KIT_CRISP * vertex->edge, 0.018f);
    bool limb = fabsf(at.x) > 0.15f;
    float band = 0.5f + 0.5f * sinf(62 * at.y);
    limber_vec3 belly = limberi_lerp(kit_hex(BELLY), kit_hex(0xe2c576), kit_smoothstep(0.7f, 0.95f, band));
    vertex->color = limberi_lerp(vertex->color, belly, limb ? 0 : kit_inside(belly_distance(at), width));
    float back = (1 - kit_smoothstep(-0.3f, 0.02f, at.z)) * (1 - kit_smoothstep(0.02f, 0.25f, fabsf(at.x)));
    vertex->color = limberi_lerp(vertex->color, kit_hex(DEEP), 0.45f * back);
}

// ---- body ----

static void model_body(kit* k, const dragon* d, kit_shape* shape) {
    const uint32_t spine[] = {d->hips, d->chest, d->neck};
    kit_brush scales = {.bind = kit_chain(k, spine, 3, 0.08f), .color = kit_hex(SCALES), .blend = 0.1f, .reach = 0.04f};
    scales.floppy = 0.12f;
    scales.squash = 0.8f;
    kit_add(shape, &scales, kit_ellipsoid(kit_at(0, 0.34f, 0), kit_at(0.245f, 0.255f, 0.235f), kit_at(0, 0, 0)));
    kit_add(shape, &scales, kit_bone(kit_at(0, 0.44f, 0), 0.205f, kit_at(0, 0.6f, 0.01f), 0.15f));
    const uint32_t neck[] = {d->chest, d->neck, d->head};
    scales.bind = kit_chain(k, neck, 3, 0.05f);
    kit_add(shape, &scales, kit_bone(kit_at(0, 0.62f, 0.01f), 0.125f, kit_at(0, 0.84f, 0.1f), 0.105f));
    const uint32_t tail[] = {d->hips, d->tail[0], d->tail[1]};
    scales.bind = kit_chain(k, tail, 3, 0.1f);
    scales.blend = 0.06f;
    scales.floppy = 1;
    scales.edge = 0.036f;
    kit_add_limb(shape, &scales, TAIL, TAIL_RADII, 6);
}

static void model_limbs(kit* k, const dragon* d, kit_shape* shape) {
    for (int i = 0; i < 2; i++) {
        float s = SIDES[i];
        const uint32_t leg[] = {d->hips, d->leg[i], d->foot[i]};
        kit_brush scales = {
            .bind = kit_chain(k, leg, 3, 0.05f), .color = kit_hex(SCALES), .blend = 0.06f, .edge = 0.034f};
        scales.reach = 0.025f;
        scales.squash = 0.5f;
        kit_add(shape, &scales,
                kit_ellipsoid(kit_at(s * 0.19f, 0.2f, 0.03f), kit_at(0.11f, 0.15f, 0.125f), kit_at(0, 0, s * 8)));
        scales.bind = kit_rigid(k, d->foot[i]);
        scales.blend = 0.035f;
        kit_add(shape, &scales,
                kit_ellipsoid(kit_at(s * 0.2f, 0.055f, 0.12f), kit_at(0.098f, 0.062f, 0.14f), kit_at(0, s * 12, 0)));
        const uint32_t arm[] = {d->chest, d->arm[i]};
        scales.bind = kit_chain(k, arm, 2, 0.03f);
        kit_add(shape, &scales,
                kit_bone(kit_at(s * 0.17f, 0.57f, 0.07f), 0.06f, kit_at(s * 0.235f, 0.46f, 0.19f), 0.048f));
        kit_add(shape, &scales, kit_ball(kit_at(s * 0.238f, 0.445f, 0.215f), 0.058f));
    }
    kit_brush cut = {.bind = kit_rigid(k, d->root), .blend = 0.015f, .carve = true}; // flat soles
    kit_add(shape, &cut, kit_ball(kit_at(0, -29.9985f, 0), 30));
}

static void model_head(kit* k, const dragon* d, kit_shape* shape) {
    kit_brush scales = {.bind = kit_rigid(k, d->head), .color = kit_hex(SCALES), .blend = 0.06f, .edge = 0.032f};
    scales.reach = 0.025f;
    scales.floppy = 0.15f;
    scales.squash = 0.6f;
    kit_add(shape, &scales, kit_ellipsoid(HEAD, kit_at(0.168f, 0.152f, 0.16f), kit_at(0, 0, 0)));
    kit_add(shape, &scales, kit_bone(kit_at(0, 0.905f, 0.28f), 0.1f, kit_at(0, 0.895f, 0.4f), 0.088f));
    scales.blend = 0.025f;
    for (int i = 0; i < 2; i++)
        kit_add(shape, &scales, kit_ball(kit_at(SIDES[i] * 0.045f, 0.955f, 0.445f), 0.034f)); // nostrils
    const uint32_t jaw[] = {d->head, d->jaw};
    scales.bind = kit_chain(k, jaw, 2, 0.03f);
    scales.color = limberi_lerp(kit_hex(SCALES), kit_hex(BELLY), 0.6f);
    kit_add(shape, &scales, kit_ellipsoid(kit_at(0, 0.825f, 0.35f), kit_at(0.082f, 0.036f, 0.115f), kit_at(0, 0, 0)));
}

// ---- wings ----

// A membrane between ribs. `out` runs from the body to the tip, `down` from the leading edge to the scalloped hem.
static limber_vec3 wing_point(float side, float out, float down) {
    float bent = kit_smoothstep(0.3f, 0.5f, out);
    float x = 0.06f + 0.92f * out - 0.06f * out * out;
    float top = 0.66f + 0.7f * out - 0.72f * fmaxf(out - 0.42f, 0) * (0.55f + 0.45f * bent);
    float lobe = fabsf(sinf((float)LIMBERI_PI * WING_RIBS * out));
    float long_one = 0.4f * sqrtf(fmaxf(1 - powf(out, 3), 0)) + 0.16f * out * (1 - out) + 0.012f;
    float hem = top - long_one + 0.065f * lobe * kit_smoothstep(0, 0.25f, out);
    float belly = sinf((float)LIMBERI_PI * down) * lobe;
    float z = -0.15f - 0.12f * out - 0.1f * out * out - 0.07f * belly - 0.05f * down;
    return kit_at(side * x, kit_mix(top, hem, down), z);
}

// Seen from the front, u runs to the character's left.
static void left_wing(void* user, float u, float v, limber_vec3* position) {
    (void)user;
    *position = wing_point(1, u, 1 - v);
}

static void right_wing(void* user, float u, float v, limber_vec3* position) {
    (void)user;
    *position = wing_point(-1, 1 - u, 1 - v);
}

typedef struct wing_user {
    const kit* k;
    uint32_t chain;
    float side;
} wing_user;

static void paint_wing(void* user, kit_vertex* vertex) {
    const wing_user* w = user;
    float out = w->side > 0 ? vertex->u : 1 - vertex->u;
    float down = 1 - vertex->v;
    float lobe = fabsf(sinf((float)LIMBERI_PI * WING_RIBS * out));
    float rib = 1 - kit_smoothstep(0.12f, 0.34f, lobe);
    limber_vec3 skin = limberi_lerp(kit_hex(SKIN), kit_hex(0xfbc38b), 0.7f * down);
    vertex->color = limberi_lerp(skin, kit_hex(DEEP), rib * (1 - 0.3f * down));
    vertex->floppy = kit_smoothstep(0.05f, 1, 0.75f * out + 0.35f * down);
    vertex->squash = 0.5f;
    vertex->weights.count = 0;
    // Skin goes with the arm of the wing above it.
    kit_weights_add_chain(w->k, &vertex->weights, w->chain, wing_point(w->side, out, 0), 1);
}

// Along its tube, v runs outwards.
static void paint_arm(void* user, kit_vertex* vertex) {
    const wing_user* w = user;
    vertex->floppy = kit_smoothstep(0.05f, 1, 0.75f * vertex->v);
    vertex->weights.count = 0;
    kit_weights_add_chain(w->k, &vertex->weights, w->chain, wing_point(w->side, vertex->v, 0), 1);
}

static void model_wings(kit* k, const dragon* d) {
    for (int i = 0; i < 2; i++) {
        wing_user user = {k, d->wing_chain[i], SIDES[i]};
        kit_patch wing = {
            .point = i ? right_wing : left_wing, .paint = paint_wing, .user = &user, .columns = 40, .rows = 16};
        wing.thickness = 0.016f;
        wing.brush.bind = d->wing_chain[i];
        kit_mesh_patch(k, &wing);
        limber_vec3 arm[9];
        float thick[9];
        for (int n = 0; n < 9; n++) {
            float out = (float)n / 8;
            arm[n] = wing_point(SIDES[i], out, 0);
            thick[n] = kit_mix(0.04f, 0.012f, out) + 0.012f * expf(-80 * (out - 0.4f) * (out - 0.4f));
        }
        kit_brush bone = {.bind = d->wing_chain[i], .color = kit_hex(DEEP), .squash = 0.5f};
        kit_mesh_tube(k, &bone, paint_arm, &user, arm, thick, 9, 8, 32);
    }
}

// ---- horns, spikes, claws and face ----

static void add_spike(kit* k, kit_brush brush, limber_vec3 base, limber_vec3 way, float radius) {
    const limber_vec3 points[] = {limberi_sub(base, limberi_scale(way, 0.2f)),
                                  limberi_add(base, limberi_scale(way, 0.5f)), limberi_add(base, way)};
    const float radii[] = {radius, 0.62f * radius, 0.12f * radius};
    kit_mesh_tube(k, &brush, NULL, NULL, points, radii, 3, 8, 8);
}

static void model_horns(kit* k, const dragon* d, const kit_shape* shape) {
    kit_brush horn = {.bind = kit_rigid(k, d->head), .color = kit_hex(HORN), .squash = 0.4f};
    for (int i = 0; i < 2; i++) {
        float s = SIDES[i];
        const limber_vec3 points[] = {
            {s * 0.09f, 1.03f, 0.1f}, {s * 0.12f, 1.13f, 0.06f}, {s * 0.13f, 1.2f, -0.02f}, {s * 0.12f, 1.24f, -0.1f}};
        kit_mesh_tube(k, &horn, NULL, NULL, points, (const float[]){0.044f, 0.034f, 0.022f, 0.006f}, 4, 10, 12);
        for (int toe = -1; toe <= 1; toe++) {
            kit_brush claw = horn;
            claw.bind = kit_rigid(k, d->foot[i]);
            float turn = 0.21f * s + 0.42f * (float)toe;
            limber_vec3 at = kit_at(s * 0.2f + 0.078f * sinf(turn), 0.032f, 0.12f + 0.115f * cosf(turn));
            add_spike(k, claw, at, kit_at(0.055f * sinf(turn), -0.01f, 0.055f * cosf(turn)), 0.024f);
        }
    }
    kit_brush spike = {.color = kit_hex(SKIN), .floppy = 0.3f, .squash = 0.5f};
    const uint32_t spine[] = {d->hips, d->chest, d->neck, d->head};
    const uint32_t tail[] = {d->hips, d->tail[0], d->tail[1]};
    spike.bind = kit_chain(k, spine, 4, 0.06f);
    for (int i = 0; i < 4; i++) {
        float t = (float)i / 3;
        limber_vec3 from = limberi_lerp(kit_at(0, 0.38f, -0.4f), kit_at(0, 0.94f, -0.2f), t);
        limber_vec3 at = kit_shape_project(shape, from, 12, 0.2f);
        add_spike(k, spike, at, kit_at(0, 0.035f, -0.085f), 0.036f);
    }
    spike.bind = kit_chain(k, tail, 3, 0.1f);
    spike.floppy = 1;
    for (int i = 1; i < 5; i++) {
        limber_vec3 at = kit_at(0, TAIL[i].y + 0.96f * TAIL_RADII[i], TAIL[i].z);
        add_spike(k, spike, at, kit_at(0, 0.078f - 0.009f * (float)i, -0.03f), 0.034f - 0.003f * (float)i);
    }
    const limber_vec3 end = {0, 0.3f, -1.03f};
    kit_mesh_eye(k, &spike, end, kit_at(0.03f, 0.09f, 0.062f), kit_at(-35, 0, 0), NULL, 0, 14);
}

static void model_face(kit* k, const dragon* d, const kit_shape* shape) {
    kit_brush hard = {.bind = kit_rigid(k, d->head), .floppy = 0.15f, .squash = 0.6f};
    for (int i = 0; i < 2; i++) {
        float s = SIDES[i];
        limber_vec3 turned = kit_at(76, 20 * s, 0);
        limber_quat frame = kit_euler(76, (double)(20 * s), 0);
        limber_vec3 at = kit_at(0.082f * s, 1.005f, 0.272f);
        hard.color = kit_hex(0xffffff);
        kit_mesh_eye(k, &hard, at, kit_at(0.06f, 0.036f, 0.074f), turned, NULL, 0, 16);
        hard.color = kit_hex(0x8a5a12);
        limber_vec3 iris = limberi_add(at, limberi_quat_rotate(frame, kit_at(-0.008f * s, 0.0225f, 0.006f)));
        kit_mesh_eye(k, &hard, iris, kit_at(0.038f, 0.0165f, 0.05f), turned, NULL, 0, 14);
        hard.color = kit_hex(0x1b1416);
        limber_vec3 pupil = limberi_add(at, limberi_quat_rotate(frame, kit_at(-0.008f * s, 0.032f, 0.007f)));
        kit_mesh_eye(k, &hard, pupil, kit_at(0.021f, 0.0105f, 0.036f), turned, NULL, 0, 12);
        hard.color = kit_hex(0xffffff);
        limber_vec3 glint = limberi_add(at, limberi_quat_rotate(frame, kit_at(0.006f * s, 0.0395f, -0.014f)));
        kit_mesh_eye(k, &hard, glint, kit_at(0.011f, 0.006f, 0.014f), turned, NULL, 0, 8);
        limber_vec3 brow[3] = {{0.03f * s, 1.085f, 0.27f}, {0.08f * s, 1.105f, 0.25f}, {0.13f * s, 1.085f, 0.22f}};
        for (int n = 0; n < 3; n++)
            brow[n] = kit_shape_project(shape, brow[n], 8, 0.1f);
        hard.color = kit_hex(DEEP);
        kit_mesh_tube(k, &hard, NULL, NULL, brow, (const float[]){0.008f, 0.014f, 0.007f}, 3, 6, 8);
        hard.color = kit_hex(0x24532f);
        kit_mesh_eye(k, &hard, kit_at(s * 0.045f, 0.962f, 0.474f), kit_at(0.013f, 0.008f, 0.016f),
                     kit_at(80, 10 * s, 0), NULL, 0, 8);
        hard.color = kit_hex(0xffffff); // one tooth on either side
        limber_vec3 root = kit_shape_project(shape, kit_at(s * 0.06f, 0.84f, 0.45f), 8, 0.1f);
        add_spike(k, hard, root, kit_at(0, 0.04f, 0.012f), 0.015f);
    }
    limber_vec3 smile[9];
    float thick[9];
    for (int i = 0; i < 9; i++) {
        float x = ((float)i - 4) / 4;
        limber_vec3 at = kit_at(0.115f * x, 0.843f + 0.035f * x * x, 0.49f - 0.19f * x * x);
        smile[i] = kit_shape_project(shape, at, 10, 0.1f);
        thick[i] = 0.008f - 0.003f * x * x;
    }
    hard.color = kit_hex(0x24532f);
    kit_mesh_tube(k, &hard, NULL, NULL, smile, thick, 9, 6, 24);
}

// ---- clips ----

static const double FLAP_S = 1.0;

static void wings(const dragon* d, kit_pose* pose, double up, double fold) {
    for (int i = 0; i < 2; i++) {
        kit_turn(pose, d->wing[i][0], 0, 0, SIDES[i] * up);
        kit_turn(pose, d->wing[i][1], 0, 0, SIDES[i] * fold);
    }
}

// Hovers: the body rises on the beat and sinks while the wings come up.
static void fly(const void* user, double t, kit_pose* pose) {
    const dragon* d = user;
    double beat = KIT_LOOP(t, FLAP_S, {0, 30}, {0.42, -48}, {FLAP_S - 0.12, 26});
    double fold = KIT_LOOP(t - 0.1, FLAP_S, {0, 10}, {0.42, -26}, {0.75, -34});
    double lift = KIT_LOOP(t - 0.08, FLAP_S, {0, 0}, {0.45, 0.16}, {0.9, 0.02});
    kit_move(pose, d->root, 0, 0.3 + lift, 0);
    kit_turn(pose, d->hips, 12 + 4 * kit_wave(t, FLAP_S, 0.1), 0, 0);
    kit_turn(pose, d->chest, -4 * kit_wave(t, FLAP_S, 0.2), 0, 0);
    kit_turn(pose, d->neck, -8 + 5 * kit_wave(t, FLAP_S, 0.3), 0, 0);
    kit_turn(pose, d->head, -4 + 5 * kit_wave(t, FLAP_S, 0.4), 0, 0);
    kit_turn(pose, d->tail[0], -14 + 10 * kit_wave(t, FLAP_S, 0.55), 0, 0);
    kit_turn(pose, d->tail[1], 8 * kit_wave(t, FLAP_S, 0.35), 0, 0);
    wings(d, pose, beat, fold);
    for (int i = 0; i < 2; i++) {
        kit_turn(pose, d->leg[i], 28 + 9 * kit_wave(t, FLAP_S, 0.5), 0, 0);
        kit_turn(pose, d->foot[i], 26 + 8 * kit_wave(t, FLAP_S, 0.35), 0, 0);
        kit_turn(pose, d->arm[i], 10 * kit_wave(t, FLAP_S, 0.45), 0, 0);
    }
}

// Looks back at its tail, wags it twice and stops dead.
static void wag_stop(const void* user, double t, kit_pose* pose) {
    const dragon* d = user;
    double wag = KIT_KEYS(t, {0.2, 0}, {0.5, 34}, {0.75, -38}, {1.0, 40}, {1.25, -40}, {1.42, 30}, {2.4, 30});
    double look = KIT_KEYS(t, {0, 0}, {0.4, 38}, {1.3, 34}, {1.55, 0});
    double spread = KIT_KEYS(t, {0, 0}, {0.5, 12}, {1.2, 16}, {1.42, -22}, {2.4, -22});
    kit_turn(pose, d->hips, 0, 0.25 * wag, 0);
    kit_turn(pose, d->chest, 0, 0.15 * look - 0.15 * wag, 0);
    kit_turn(pose, d->neck, 0, 0.4 * look, 0);
    kit_turn(pose, d->head, -4, 0.6 * look, 0.2 * look);
    kit_turn(pose, d->tail[0], 0, wag, 0);
    kit_turn(pose, d->tail[1], 0, 0.8 * wag, 0);
    wings(d, pose, spread, 0.6 * spread);
    for (int i = 0; i < 2; i++) {
        kit_turn(pose, d->leg[i], 0, -0.25 * wag, 0);
        kit_turn(pose, d->arm[i], 0.3 * fabs(wag) * kit_ease(fabs(wag), 0, 30), 0, 0);
    }
}

void limberi_build_dragon(kit* k) {
    dragon d;
    rig_dragon(k, &d);
    kit_shape* shape = kit_shape_create(k);
    if (!shape)
        return;
    shape->edge = 0.045f;
    shape->cell = 0.0165f;
    shape->border = border;
    shape->paint = paint;
    model_body(k, &d, shape);
    model_limbs(k, &d, shape);
    model_head(k, &d, shape);
    kit_mesh_begin(k, "Dragon");
    kit_mesh_material(k, "Scales", 0, 0.55f, false);
    kit_mesh_shape(k, shape);
    model_wings(k, &d);
    kit_mesh_material(k, "Shiny", 0, 0.3f, false);
    model_horns(k, &d, shape);
    model_face(k, &d, shape);
    kit_mesh_end(k);
    kit_clip(k, "fly", FLAP_S, true, fly, &d);
    kit_clip(k, "wag-stop", 2.4, false, wag_stop, &d);
}
