// The flower: a smiling blossom in a terracotta pot. The pot stands on Root; a stem chain bends like a spring, every
// petal has a joint and every leaf two. Soft, light and long: made for drag and follow-through.
#include "characters/kit.h"

enum { STEM_JOINTS = 6, PETALS = 11, STEM_POINTS = 7 };

typedef struct flower {
    uint32_t root, stem[STEM_JOINTS], head;
    uint32_t petal[PETALS];
    uint32_t leaf[2][2];            // [left, right][base, tip]
    limber_vec3 petal_axis[PETALS]; // turning about it folds the petal towards the face
    uint32_t stem_chain;
} flower;

static const float SIDES[2] = {1, -1};
static const float SOIL = 0.29f;
// The face looks forward and a little up.
static const float FACE_UP_DEG = 18;
static const limber_vec3 FACE = {0, 1.075f, 0.085f};
static const float FACE_RADIUS = 0.155f;
static const float FACE_DEPTH = 0.075f;

static const limber_vec3 STEM[STEM_POINTS] = {{0, 0.25f, 0},
                                              {0.012f, 0.42f, -0.008f},
                                              {0.01f, 0.57f, -0.018f},
                                              {-0.004f, 0.71f, -0.022f},
                                              {-0.01f, 0.84f, -0.016f},
                                              {-0.004f, 0.96f, 0.004f},
                                              {0, 1.05f, 0.055f}};

// From the disc of the face (x to its left, y up, z out of it) to the world.
static limber_vec3 face_vector(float x, float y, float z) {
    return limberi_quat_rotate(kit_euler(-FACE_UP_DEG, 0, 0), kit_at(x, y, z));
}

// On the dome of the face, `out` above it.
static limber_vec3 face_point(float x, float y, float out) {
    float rest = 1 - (x * x + y * y) / (FACE_RADIUS * FACE_RADIUS);
    return limberi_add(FACE, face_vector(x, y, FACE_DEPTH * sqrtf(fmaxf(rest, 0)) + out));
}

// ------------------------------------------------------------------------------------------------------------------
// rig

static float petal_angle(uint32_t i) {
    return 2 * (float)LIMBERI_PI * ((float)i + 0.5f) / PETALS;
}

static limber_vec3 leaf_point(float side, float x);

static void build_rig(kit* k, flower* f) {
    f->root = kit_joint(k, "Root", KIT_NO_PARENT, 0, 0, 0);
    uint32_t parent = f->root;
    for (uint32_t i = 0; i < STEM_JOINTS; i++)
        parent = f->stem[i] = kit_joint_numbered(k, "Stem", i + 1, (int32_t)parent, STEM[i]);
    f->head = kit_joint(k, "Head", (int32_t)parent, STEM[STEM_JOINTS].x, STEM[STEM_JOINTS].y, STEM[STEM_JOINTS].z);
    for (uint32_t i = 0; i < PETALS; i++) {
        float angle = petal_angle(i);
        float r = 0.8f * FACE_RADIUS;
        limber_vec3 at = limberi_add(FACE, face_vector(r * sinf(angle), r * cosf(angle), -0.01f));
        f->petal[i] = kit_joint_numbered(k, "Petal", i + 1, (int32_t)f->head, at);
        f->petal_axis[i] = face_vector(cosf(angle), -sinf(angle), 0);
    }
    for (uint32_t s = 0; s < 2; s++) {
        limber_vec3 base = leaf_point(SIDES[s], 0);
        limber_vec3 middle = leaf_point(SIDES[s], 0.45f);
        uint32_t on = f->stem[s == 0 ? 1 : 2];
        f->leaf[s][0] = kit_joint_side(k, "Leaf", SIDES[s], (int32_t)on, SIDES[s] * base.x, base.y, base.z);
        f->leaf[s][1] =
            kit_joint_side(k, "LeafTip", SIDES[s], (int32_t)f->leaf[s][0], SIDES[s] * middle.x, middle.y, middle.z);
    }
    uint32_t chain[STEM_JOINTS + 1];
    for (uint32_t i = 0; i < STEM_JOINTS; i++)
        chain[i] = f->stem[i];
    chain[STEM_JOINTS] = f->head;
    f->stem_chain = kit_chain(k, chain, STEM_JOINTS + 1, 0.07f);
}

// ----------------------------------------------------------------------------------------------------------------
// model

static void pot_paint(void* user, kit_vertex* vertex) {
    (void)user;
    limber_vec3 clay = kit_hex(0xd46a3a);
    limber_vec3 shade = kit_hex(0xa34a27);
    limber_vec3 rim = kit_hex(0xe38955);
    float y = vertex->position.y;
    float x = vertex->position.x;
    float z = vertex->position.z;
    bool inside = sqrtf(x * x + z * z) < 0.2145f && y > 0.25f;
    // The neck lies in the shadow of the rim, and so does the inside.
    float dark = inside ? 1 - kit_smoothstep(0.28f, 0.325f, y)
                        : 0.7f * kit_smoothstep(0.17f, 0.235f, y) * (1 - kit_smoothstep(0.24f, 0.248f, y));
    limber_vec3 color = limberi_lerp(clay, rim, kit_smoothstep(0.24f, 0.25f, y));
    vertex->color = limberi_lerp(color, shade, fmaxf(dark, 0.5f * (1 - kit_smoothstep(0, 0.1f, y))));
}

static void soil_paint(void* user, kit_vertex* vertex) {
    (void)user;
    // Crumbs: a fixed pattern of lighter specks.
    float speck = sinf(71 * vertex->position.x + 13) * sinf(83 * vertex->position.z + 5);
    vertex->color = limberi_lerp(kit_hex(0x3f2a20), kit_hex(0x6b4a36), kit_smoothstep(0.1f, 0.9f, speck));
}

static void build_pot(kit* k, const flower* f) {
    static const kit_profile_point wall[] = {{0.13f, 0.002f}, {0.147f, 0.002f}, {0.147f, 0.002f}, {0.156f, 0.012f},
                                             {0.175f, 0.12f}, {0.193f, 0.225f}, {0.196f, 0.24f},  {0.215f, 0.246f},
                                             {0.228f, 0.25f}, {0.235f, 0.262f}, {0.241f, 0.31f},  {0.237f, 0.326f},
                                             {0.226f, 0.33f}, {0.214f, 0.324f}, {0.208f, 0.308f}, {0.2f, 0.26f}};
    static const kit_profile_point soil[] = {
        {0.204f, 0.272f}, {0.17f, 0.286f}, {0.1f, 0.294f}, {0.04f, 0.302f}, {0, 0.305f}};
    kit_brush brush = {.bind = kit_rigid(k, f->root), .color = kit_hex(0xd9703f)};
    kit_mesh_material(k, "Clay", 0, 0.75f, false);
    kit_mesh_lathe(k, &brush, pot_paint, NULL, kit_at(0, 0, 0), kit_at(0, 0, 0), wall, 16, 30, 18);
    kit_mesh_lathe(k, &brush, soil_paint, NULL, kit_at(0, 0, 0), kit_at(0, 0, 0), soil, 5, 24, 5);
}

static void stem_paint(void* user, kit_vertex* vertex) {
    (void)user;
    float up = kit_smoothstep(SOIL, 1, vertex->position.y);
    vertex->color = limberi_lerp(kit_hex(0x4f9a3b), kit_hex(0x86c94f), up);
    vertex->floppy = up;
    vertex->squash = kit_smoothstep(SOIL, 0.5f, vertex->position.y);
}

static void build_stem(kit* k, const flower* f) {
    static const float radii[STEM_POINTS] = {0.031f, 0.027f, 0.024f, 0.0225f, 0.0215f, 0.022f, 0.03f};
    kit_brush brush = {.bind = f->stem_chain};
    kit_mesh_material(k, "Leaf", 0, 0.55f, false);
    kit_mesh_tube(k, &brush, stem_paint, NULL, STEM, radii, STEM_POINTS, 12, 34);
    // The green cup that holds the petals.
    static const kit_profile_point cup[] = {{0, -0.1f},       {0.03f, -0.1f},  {0.085f, -0.082f}, {0.138f, -0.046f},
                                            {0.142f, -0.03f}, {0.12f, -0.02f}, {0, -0.02f}};
    brush = (kit_brush){.bind = kit_rigid(k, f->head), .color = kit_hex(0x79bd49), .floppy = 1, .squash = 1};
    kit_mesh_lathe(k, &brush, NULL, NULL, FACE, kit_at(90 - FACE_UP_DEG, 0, 0), cup, 7, 20, 9);
}

// Petals and leaves are flat bags: u runs around the rim and across both sides, v from the root to the round tip.
// Gives how far along (0 to 1) and how wide (0 to 1) the outline is at v.
static void outline(float v, float base, float widest, float* along, float* width) {
    const float share = 0.45f; // of the rows lie before the widest place, the others evenly on the arc of the tip
    if (v < share) {
        *along = widest * v / share;
        *width = kit_mix(base, 1, kit_smoothstep(-0.3f, 1, v / share));
        return;
    }
    float angle = 0.5f * (float)LIMBERI_PI * (v - share) / (1 - share);
    *along = widest + (1 - widest) * sinf(angle);
    *width = cosf(angle);
}

typedef struct petal {
    const flower* f;
    uint32_t index;
    limber_vec3 base, along, across, out;
} petal;

static void petal_point(void* user, float u, float v, limber_vec3* position) {
    const petal* p = user;
    float x;
    float wide;
    float around = 2 * (float)LIMBERI_PI * u;
    float side = sinf(around);
    outline(v, 0.42f, 0.62f, &x, &wide);
    bool behind = p->index % 2 == 1;
    float thick = 0.0075f * cosf(around) * kit_mix(0.6f, 1, wide);
    // A shallow spoon: the edges and the tip come forward; every second petal lies a little behind.
    float lift =
        0.022f * side * side * x + 0.055f * x * x - 0.03f * sinf((float)LIMBERI_PI * x) - (behind ? 0.024f : 0);
    limber_vec3 at = limberi_add(p->base, limberi_scale(p->along, (behind ? 0.23f : 0.24f) * x - 0.05f));
    at = limberi_add(at, limberi_scale(p->across, side * 0.066f * wide));
    *position = limberi_add(at, limberi_scale(p->out, lift + thick));
}

static void petal_paint(void* user, kit_vertex* vertex) {
    const petal* p = user;
    float x;
    float wide;
    float side = fabsf(sinf(2 * (float)LIMBERI_PI * vertex->u));
    outline(vertex->v, 0.42f, 0.62f, &x, &wide);
    limber_vec3 deep = kit_hex(0xc72a6b);
    limber_vec3 tip = kit_hex(p->index % 2 == 1 ? 0xf0588f : 0xff7fae);
    vertex->color = limberi_lerp(deep, tip, kit_smoothstep(0.2f, 0.75f, x));
    float edge = fmaxf(side * side * wide, kit_smoothstep(0.85f, 1, x));
    vertex->color = limberi_lerp(vertex->color, kit_hex(0xffc4da), 0.55f * edge * kit_smoothstep(0.3f, 0.8f, x));
    // At its root a petal still hangs on the head.
    float own = kit_smoothstep(0.02f, 0.3f, x);
    vertex->weights.count = 0;
    kit_weights_add(&vertex->weights, p->f->head, 1 - own);
    kit_weights_add(&vertex->weights, p->f->petal[p->index], own);
}

static void build_petals(kit* k, flower* f) {
    kit_mesh_material(k, "Petal", 0, 0.5f, false);
    for (uint32_t i = 0; i < PETALS; i++) {
        float angle = petal_angle(i);
        float r = 0.8f * FACE_RADIUS;
        petal p = {.f = f, .index = i};
        p.base = limberi_add(FACE, face_vector(r * sinf(angle), r * cosf(angle), 0));
        p.along = face_vector(sinf(angle), cosf(angle), 0);
        p.across = face_vector(cosf(angle), -sinf(angle), 0);
        p.out = face_vector(0, 0, 1);
        kit_patch patch = {.point = petal_point, .paint = petal_paint, .user = &p, .columns = 12, .rows = 8};
        patch.closed = patch.pole_start = patch.pole_end = true;
        patch.brush = (kit_brush){.bind = kit_rigid(k, f->petal[i]), .floppy = 1, .squash = 1};
        kit_mesh_patch(k, &patch);
    }
}

// The midrib of a leaf: out of the stem, up in an arc, and over.
static limber_vec3 leaf_point(float side, float x) {
    limber_vec3 base = STEM[side > 0 ? 1 : 2];
    float reach = side > 0 ? 0.34f : 0.29f;
    float height = 0.46f * x - 0.4f * x * x;
    return limberi_add(base, kit_at(side * reach * x, reach * height * 2.1f, 0.04f * x));
}

typedef struct leaf {
    const flower* f;
    float side;
} leaf;

static void leaf_patch_point(void* user, float u, float v, limber_vec3* position) {
    const leaf* l = user;
    float x;
    float wide;
    float around = 2 * (float)LIMBERI_PI * u;
    float side = sinf(around);
    outline(v, 0.14f, 0.4f, &x, &wide);
    // Pointed rather than round at the tip, folded along the midrib, with a gentle wave.
    float width = 0.078f * wide * (1 - 0.4f * x * x);
    float fold = 0.35f * fabsf(side) * width + 0.008f * side * wide * sinf(10 * x);
    float thick = 0.008f * cosf(around) * kit_mix(0.5f, 1, wide);
    *position = limberi_add(leaf_point(l->side, x), kit_at(0, fold + thick, -l->side * side * width));
}

static void leaf_paint(void* user, kit_vertex* vertex) {
    const leaf* l = user;
    float x;
    float wide;
    float side = fabsf(sinf(2 * (float)LIMBERI_PI * vertex->u));
    outline(vertex->v, 0.14f, 0.4f, &x, &wide);
    vertex->color = limberi_lerp(kit_hex(0xa6dc6a), kit_hex(0x58ab42), kit_smoothstep(0, 0.5f, side));
    vertex->floppy = kit_mix(0.3f, 1, x);
    const uint32_t* joints = l->f->leaf[l->side > 0 ? 0 : 1];
    float own = kit_smoothstep(0, 0.16f, x);
    float tip = kit_smoothstep(0.22f, 0.7f, x);
    vertex->weights.count = 0;
    kit_weights_add(&vertex->weights, l->f->stem[l->side > 0 ? 1 : 2], 1 - own);
    kit_weights_add(&vertex->weights, joints[0], own * (1 - tip));
    kit_weights_add(&vertex->weights, joints[1], own * tip);
}

static void build_leaves(kit* k, const flower* f) {
    kit_mesh_material(k, "Leaf", 0, 0.55f, false);
    for (uint32_t s = 0; s < 2; s++) {
        leaf l = {f, SIDES[s]};
        kit_patch patch = {.point = leaf_patch_point, .paint = leaf_paint, .user = &l, .columns = 16, .rows = 13};
        patch.closed = patch.pole_start = patch.pole_end = true;
        patch.brush = (kit_brush){.bind = kit_rigid(k, f->leaf[s][0]), .squash = 1};
        kit_mesh_patch(k, &patch);
    }
}

static void build_face(kit* k, const flower* f) {
    kit_brush brush = {.bind = kit_rigid(k, f->head), .floppy = 1, .squash = 1};
    limber_vec3 looks = kit_at(90 - FACE_UP_DEG, 0, 0); // turns the pole of an eye out of the face
    kit_band disc[] = {{64, kit_hex(0xffd84f)}, {82, kit_hex(0xf7b733)}, {180, kit_hex(0xd98a1f)}};
    kit_mesh_material(k, "Face", 0, 0.6f, false);
    kit_mesh_eye(k, &brush, FACE, kit_at(FACE_RADIUS, FACE_DEPTH, FACE_RADIUS), looks, disc, 3, 32);
    for (uint32_t s = 0; s < 2; s++) {
        brush.color = kit_hex(0xff9a6b);
        kit_mesh_eye(k, &brush, face_point(SIDES[s] * 0.088f, -0.022f, -0.001f), kit_at(0.022f, 0.006f, 0.016f),
                     kit_at(90 - FACE_UP_DEG + 4, SIDES[s] * 14, 0), NULL, 0, 12);
    }
    kit_mesh_material(k, "Eye", 0, 0.2f, false);
    for (uint32_t s = 0; s < 2; s++) {
        brush.color = kit_hex(0x2a1a1f);
        kit_mesh_eye(k, &brush, face_point(SIDES[s] * 0.05f, 0.028f, -0.002f), kit_at(0.0205f, 0.012f, 0.03f), looks,
                     NULL, 0, 16);
        brush.color = kit_hex(0xffffff);
        kit_mesh_eye(k, &brush, face_point(SIDES[s] * 0.05f + 0.007f, 0.04f, 0.0085f), kit_at(0.0068f, 0.003f, 0.0085f),
                     looks, NULL, 0, 8);
    }
    limber_vec3 smile[7];
    float thick[7];
    for (int i = 0; i < 7; i++) {
        float x = ((float)i - 3) / 3;
        smile[i] = face_point(0.046f * x, -0.05f + 0.026f * x * x, 0.001f);
        thick[i] = 0.0065f - 0.0025f * x * x;
    }
    brush.color = kit_hex(0x8a2f2a);
    kit_mesh_tube(k, &brush, NULL, NULL, smile, thick, 7, 8, 14);
}

// ----------------------------------------------------------------------------------------------------------------
// clips

// Positive angles fold a petal back, negative ones close it over the face.
static void fold_petal(const flower* f, kit_pose* pose, uint32_t i, double angle_deg) {
    float angle_rad = (float)(angle_deg * LIMBERI_PI / 180);
    pose->local[f->petal[i]].rotation = limberi_quat_exp(limberi_scale(f->petal_axis[i], -angle_rad));
}

// Bends the whole stem and the head by these angles in sum, more towards the top, where it is thin.
static void bend_stem(const flower* f, kit_pose* pose, uint32_t joint, double x_deg, double z_deg) {
    static const double share[STEM_JOINTS + 1] = {0.1, 0.13, 0.16, 0.18, 0.17, 0.14, 0.12};
    uint32_t target = joint < STEM_JOINTS ? f->stem[joint] : f->head;
    kit_turn(pose, target, share[joint] * x_deg, 0, share[joint] * z_deg);
}

// A breeze: the top follows the bottom, the leaves follow the stem.
static void sway(const void* user, double t, kit_pose* pose) {
    const flower* f = user;
    for (uint32_t i = 0; i <= STEM_JOINTS; i++) {
        double late = t - 0.09 * i;
        bend_stem(f, pose, i, 10 * kit_wave(late, 2, 0.1) - 2, 34 * kit_wave(late, 4, 0));
    }
    kit_turn(pose, f->head, 0, 12 * kit_wave(t - 0.7, 4, 0), -8 * kit_wave(t - 0.7, 4, 0));
    for (uint32_t s = 0; s < 2; s++) {
        double swing = 9 * kit_wave(t - 0.3, 4, 0.05 * s) + 4 * kit_wave(t - 0.2, 2, 0.2 * s);
        kit_turn(pose, f->leaf[s][0], 0, 0, swing);
        kit_turn(pose, f->leaf[s][1], 0, 0, 1.3 * (9 * kit_wave(t - 0.55, 4, 0.05 * s)));
    }
    for (uint32_t i = 0; i < PETALS; i++)
        fold_petal(f, pose, i, 5 * kit_wave(t, 2, 2.0 * i / PETALS));
}

// Two beats: dip, spring up with a hop of the pot to the left, then the same to the right.
static void dance(const void* user, double t, kit_pose* pose) {
    const flower* f = user;
    double beat = fmod(t, 1.0);
    double hop = KIT_LOOP(beat, 1.0, {0.42, 0}, {0.61, 0.12}, {0.8, 0}, {0.9, 0});
    double stand = KIT_LOOP(t, 2.0, {0.42, 1}, {0.8, -1}, {1.42, -1}, {1.8, 1}); // moves only while it is in the air
    double tip = KIT_LOOP(t, 2.0, {0.42, 0}, {0.6, 9}, {0.8, 0}, {1.42, 0}, {1.6, -9}, {1.8, 0});
    kit_move(pose, f->root, 0.08 * stand, hop, 0);
    kit_turn(pose, f->root, 0, 12 * stand, tip);
    // An S in the stem takes the head down without moving it forward.
    static const double s_curve[STEM_JOINTS + 1] = {32, 26, -20, -48, -34, 14, 34};
    for (uint32_t i = 0; i <= STEM_JOINTS; i++) {
        double dip = KIT_LOOP(beat - 0.012 * i, 1.0, {0, 0.3}, {0.27, 1}, {0.58, -0.5}, {0.84, 0.45}, {0.94, 0.25});
        double lean = KIT_LOOP(t - 0.05 * i, 2.0, {0.1, 1}, {0.5, 1}, {1.1, -1}, {1.5, -1});
        kit_turn(pose, i < STEM_JOINTS ? f->stem[i] : f->head, s_curve[i] * dip, 0, 0);
        bend_stem(f, pose, i, 0, -38 * lean);
    }
    kit_turn(pose, f->head, 0, 0, 30 * KIT_LOOP(t - 0.1, 2.0, {0.1, 1}, {0.5, 1}, {1.1, -1}, {1.5, -1}));
    double flap = KIT_LOOP(beat - 0.06, 1.0, {0, -2}, {0.28, -14}, {0.58, 36}, {0.85, 2});
    double late = KIT_LOOP(beat - 0.16, 1.0, {0, -5}, {0.28, -20}, {0.58, 32}, {0.85, 0});
    for (uint32_t s = 0; s < 2; s++) {
        kit_turn(pose, f->leaf[s][0], 0, 0, SIDES[s] * flap);
        kit_turn(pose, f->leaf[s][1], 0, 0, SIDES[s] * late);
    }
    for (uint32_t i = 0; i < PETALS; i++)
        fold_petal(f, pose, i, KIT_LOOP(beat - 0.08, 1.0, {0, 0}, {0.28, -12}, {0.58, 16}, {0.85, -3}));
}

// Leans far to its right, holds its breath, whips over to the left and stops dead; after a while it comes back.
static void whip_stop(const void* user, double t, kit_pose* pose) {
    const flower* f = user;
    double lean = KIT_KEYS(t, {0, 0}, {0.15, 0}, {0.75, 58}, {0.9, 62}, {1.13, -74}, {2.5, -74}, {3.3, 0}, {3.5, 0});
    double look = KIT_KEYS(t, {0, 0}, {0.75, -22}, {0.95, -22}, {1.13, 20}, {2.5, 20}, {3.3, 0});
    for (uint32_t i = 0; i <= STEM_JOINTS; i++)
        bend_stem(f, pose, i, 0.12 * fabs(lean) * kit_ease(fabs(lean), 0, 60), lean);
    kit_turn(pose, f->head, 0, look, 0.2 * -lean);
    for (uint32_t s = 0; s < 2; s++)
        kit_turn(pose, f->leaf[s][0], 0, 0, 0.25 * lean);
}

// Turn of the stem at time t: winds up, spins twice with growing speed, stops dead.
static double twist_angle(double t) {
    return KIT_KEYS(t, {0, 0}, {0.2, 0}, {0.8, -75}, {0.95, -80}, {1.35, 130}, {1.75, 570}, {1.95, 720}, {3.0, 720});
}

static void twist(const void* user, double t, kit_pose* pose) {
    const flower* f = user;
    double below = 0;
    for (uint32_t i = 0; i <= STEM_JOINTS; i++) {
        double angle = twist_angle(t - 0.016 * i);
        kit_turn(pose, i < STEM_JOINTS ? f->stem[i] : f->head, 0, angle - below, 0);
        below = angle;
    }
    double spread = kit_bump(t, 1.0, 1.6, 2.0);
    double tense = kit_bump(t, 0.2, 0.9, 1.3);
    for (uint32_t s = 0; s < 2; s++)
        kit_turn(pose, f->leaf[s][0], 0, 0, SIDES[s] * (22 * spread - 4 * tense));
    for (uint32_t i = 0; i < PETALS; i++)
        fold_petal(f, pose, i, 14 * spread - 16 * tense);
}

// The head turns about the middle of its face, faster and faster, and stops dead; the stem stays.
static void wheel_stop(const void* user, double t, kit_pose* pose) {
    const flower* f = user;
    double angle =
        KIT_KEYS(t, {0, 0}, {0.15, 0}, {0.55, -35}, {0.7, -38}, {1.1, 150}, {1.6, 690}, {1.85, 760}, {2.6, 760});
    limber_vec3 arm = limberi_sub(kit_joint_at(pose->k, f->head), FACE);
    limber_quat turn = limberi_quat_exp(limberi_scale(face_vector(0, 0, 1), (float)(angle * LIMBERI_PI / 180)));
    limber_vec3 moved =
        limberi_sub(limberi_quat_rotate(turn, arm), arm); // about FACE and not about the joint behind it
    pose->local[f->head].rotation = turn;
    kit_move(pose, f->head, (double)moved.x, (double)moved.y, (double)moved.z);
}

void limberi_build_flower(kit* k) {
    flower f;
    build_rig(k, &f);
    kit_mesh_begin(k, "Flower");
    build_pot(k, &f);
    build_stem(k, &f);
    build_leaves(k, &f);
    build_petals(k, &f);
    build_face(k, &f);
    kit_mesh_end(k);
    kit_clip(k, "sway", 4.0, true, sway, &f);
    kit_clip(k, "dance", 2.0, true, dance, &f);
    kit_clip(k, "whip-stop", 3.6, false, whip_stop, &f);
    kit_clip(k, "twist", 3.0, false, twist, &f);
    kit_clip(k, "wheel-stop", 2.6, false, wheel_stop, &f);
}
