// The snail: a soft body under a heavy shell. The foot is a chain that lies along the floor, the eyes stand on stalks
// of three joints each, and the shell, a swept spiral, is rigid on one joint: the hard part that makes the rest look
// soft.
#include "characters/kit.h"

enum { NECK_JOINTS = 3, TAIL_JOINTS = 4, STALK_JOINTS = 3 };

typedef struct snail {
    uint32_t root, body, shell;
    uint32_t neck[NECK_JOINTS], head;
    uint32_t tail[TAIL_JOINTS];
    uint32_t stalk[2][STALK_JOINTS];  // [left, right]
    uint32_t front_chain, rear_chain; // from the middle of the body
    uint32_t sole_chain;              // stays on the floor when the neck is raised
    const kit* k;
} snail;

static const float SIDES[2] = {1, -1};
static const limber_vec3 BODY = {0, 0.1f, -0.05f};
static const limber_vec3 NECK[NECK_JOINTS] = {{0, 0.11f, 0.13f}, {0, 0.17f, 0.27f}, {0, 0.27f, 0.36f}};
static const limber_vec3 HEAD = {0, 0.375f, 0.4f};
static const limber_vec3 TAIL[TAIL_JOINTS] = {
    {0, 0.085f, -0.2f}, {0, 0.06f, -0.34f}, {0, 0.045f, -0.46f}, {0, 0.035f, -0.57f}};
// Of the left stalk: root, middle, below the eye, eye.
static const limber_vec3 STALK[STALK_JOINTS + 1] = {
    {0.052f, 0.455f, 0.405f}, {0.082f, 0.555f, 0.412f}, {0.105f, 0.645f, 0.43f}, {0.118f, 0.715f, 0.45f}};
static const float EYE_RADIUS = 0.066f;

// ------------------------------------------------------------------------------------------------------------------
// rig

static uint32_t joint_at(kit* k, const char* name, uint32_t parent, limber_vec3 at) {
    return kit_joint(k, name, (int32_t)parent, at.x, at.y, at.z);
}

static void build_chains(kit* k, snail* s) {
    uint32_t front[] = {s->body, s->neck[0], s->neck[1], s->neck[2], s->head};
    uint32_t rear[] = {s->body, s->tail[0], s->tail[1], s->tail[2], s->tail[3]};
    s->front_chain = kit_chain(k, front, 5, 0.07f);
    s->rear_chain = kit_chain(k, rear, 5, 0.07f);
    s->sole_chain = kit_chain(k, front, 2, 0.07f);
}

static void build_rig(kit* k, snail* s) {
    s->root = kit_joint(k, "Root", KIT_NO_PARENT, 0, 0, 0);
    s->body = joint_at(k, "Body", s->root, BODY);
    s->shell = joint_at(k, "Shell", s->body, kit_at(0, 0.2f, -0.05f));
    uint32_t parent = s->body;
    for (uint32_t i = 0; i < NECK_JOINTS; i++)
        parent = s->neck[i] = kit_joint_numbered(k, "Neck", i + 1, (int32_t)parent, NECK[i]);
    s->head = joint_at(k, "Head", parent, HEAD);
    parent = s->body;
    for (uint32_t i = 0; i < TAIL_JOINTS; i++)
        parent = s->tail[i] = kit_joint_numbered(k, "Tail", i + 1, (int32_t)parent, TAIL[i]);
    static const char* const names[STALK_JOINTS] = {"Stalk", "StalkMiddle", "StalkEye"};
    for (uint32_t side = 0; side < 2; side++) {
        parent = s->head;
        for (uint32_t i = 0; i < STALK_JOINTS; i++)
            parent = s->stalk[side][i] =
                kit_joint_side(k, names[i], SIDES[side], (int32_t)parent, STALK[i].x, STALK[i].y, STALK[i].z);
    }
}

// -----------------------------------------------------------------------------------------------------------------
// body

// The back is darker than the sides, the rim of the foot is light, the cheeks are pink.
static void body_paint(void* user, kit_vertex* vertex) {
    (void)user;
    limber_vec3 p = vertex->position;
    limber_vec3 skin = kit_hex(0x86d6a8);
    limber_vec3 back = kit_hex(0x4fb58a);
    limber_vec3 rim = kit_hex(0xe3f4c4);
    limber_vec3 blush = kit_hex(0xf59a94);
    float up = kit_smoothstep(0.2f, 0.95f, vertex->normal.y) * kit_smoothstep(0.05f, 0.12f, p.y);
    limber_vec3 color = limberi_lerp(skin, back, 0.75f * up);
    float front = vertex->normal.z - vertex->normal.y;
    float throat = kit_smoothstep(0.25f, 0.8f, front) * (1 - kit_smoothstep(0.27f, 0.34f, p.y));
    color = limberi_lerp(color, rim, 0.7f * throat);
    float x = fabsf(p.x) - 0.082f;
    float y = p.y - 0.355f;
    float z = p.z - 0.475f;
    color = limberi_lerp(color, blush, 0.85f * kit_inside(sqrtf(x * x + y * y + z * z) - 0.026f, 0.022f));
    vertex->color = color;
}

static void add_trunk(kit* k, kit_shape* shape, const snail* s, uint32_t front, uint32_t rear) {
    kit_brush brush = {.bind = rear, .blend = 0.06f, .floppy = 0.5f, .squash = 1};
    limber_vec3 spine[4] = {{0, 0.13f, -0.05f}, {0, 0.105f, -0.22f}, {0, 0.068f, -0.42f}, {0, 0.042f, -0.6f}};
    float thick[4] = {0.1f, 0.083f, 0.05f, 0.022f};
    kit_add_limb(shape, &brush, spine, thick, 4);
    // What fills the mouth of the shell.
    kit_brush mantle = {.bind = kit_rigid(k, s->body), .blend = 0.07f, .floppy = 0.2f, .squash = 1};
    kit_add(shape, &mantle, kit_ellipsoid(kit_at(0, 0.2f, 0.01f), kit_at(0.115f, 0.115f, 0.14f), kit_at(-8, 0, 0)));
    brush.bind = front;
    limber_vec3 neck[5] = {
        {0, 0.13f, -0.05f}, {0, 0.13f, 0.12f}, {0, 0.175f, 0.25f}, {0, 0.265f, 0.345f}, {0, 0.33f, 0.38f}};
    float wide[5] = {0.1f, 0.1f, 0.094f, 0.084f, 0.084f};
    kit_add_limb(shape, &brush, neck, wide, 5);
}

static void add_head(kit* k, kit_shape* shape, const snail* s) {
    kit_brush brush = {.bind = kit_rigid(k, s->head), .blend = 0.06f, .edge = 0.028f, .floppy = 0.8f, .squash = 1};
    kit_add(shape, &brush, kit_ellipsoid(kit_at(0, 0.38f, 0.42f), kit_at(0.118f, 0.108f, 0.112f), kit_at(0, 0, 0)));
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t chain[STALK_JOINTS + 1] = {s->head, s->stalk[side][0], s->stalk[side][1], s->stalk[side][2]};
        brush = (kit_brush){.bind = kit_chain(k, chain, STALK_JOINTS + 1, 0.04f), .blend = 0.045f, .edge = 0.02f};
        brush.floppy = brush.squash = 1;
        limber_vec3 points[STALK_JOINTS + 1];
        for (uint32_t i = 0; i <= STALK_JOINTS; i++)
            points[i] = kit_mirrored(STALK[i], SIDES[side]);
        static const float thick[STALK_JOINTS + 1] = {0.034f, 0.026f, 0.023f, 0.024f};
        kit_add_limb(shape, &brush, points, thick, STALK_JOINTS + 1);
    }
}

static void build_body(kit* k, const snail* s) {
    kit_shape* shape = kit_shape_create(k);
    if (!shape)
        return;
    add_trunk(k, shape, s, s->front_chain, s->rear_chain);
    add_head(k, shape, s);
    shape->edge = 0.028f;
    shape->occlusion = 0.2f;
    shape->paint = body_paint;
    kit_mesh_material(k, "Skin", 0, 0.45f, false);
    kit_mesh_shape(k, shape);
}

// The sole: a mat with a round, slightly frilled rim, pointed at the tail.
static void sole_point(void* user, float u, float v, limber_vec3* position) {
    (void)user;
    float around = 2 * (float)LIMBERI_PI * u;
    float half = 0.5f * (float)LIMBERI_PI;
    // v runs from the tail forwards; the round ends get their share of rows.
    float z = v < 0.8f ? kit_mix(-0.645f, 0.16f, v / 0.8f) : 0.16f + 0.115f * sinf(half * (v - 0.8f) / 0.2f);
    float width = v < 0.8f ? sqrtf(sinf(half * fminf(v / 0.55f, 1))) : cosf(half * (v - 0.8f) / 0.2f);
    float frill = 0.006f * sinf(30 * z) * width;
    float out = -sinf(around);
    float up = cosf(around);
    // Flat below and in the middle, round at the rim.
    float height = kit_mix(0.012f, 0.026f, fminf(width, 1)) * (1 + copysignf(powf(fabsf(up), 0.6f), up));
    *position = kit_at(copysignf(powf(fabsf(out), 0.8f), out) * (0.126f * width + frill), height, z);
}

static void sole_paint(void* user, kit_vertex* vertex) {
    const snail* s = user;
    limber_vec3 p = vertex->position;
    vertex->color = limberi_lerp(kit_hex(0xbfe08e), kit_hex(0xe2f2b6), kit_smoothstep(0, 0.05f, p.y));
    vertex->weights.count = 0;
    kit_weights_add_chain(s->k, &vertex->weights, p.z > BODY.z ? s->sole_chain : s->rear_chain, p, 1);
}

static void build_sole(kit* k, snail* s) {
    kit_patch patch = {.point = sole_point, .paint = sole_paint, .user = s, .columns = 16, .rows = 34};
    patch.closed = patch.pole_start = patch.pole_end = true;
    patch.brush = (kit_brush){.bind = s->rear_chain, .floppy = 0.4f, .squash = 1};
    kit_mesh_patch(k, &patch);
}

static void build_eyes(kit* k, const snail* s) {
    const kit_band bands[] = {{27, kit_hex(0x1d1a26)}, {41, kit_hex(0x7a4a2a)}, {180, kit_hex(0xfdfbf4)}};
    kit_profile_point lid[6];
    for (int i = 0; i < 6; i++) {
        float angle = 0.5f * (float)LIMBERI_PI * (float)i / 5;
        lid[i] = (kit_profile_point){1.08f * EYE_RADIUS * cosf(angle), 1.08f * EYE_RADIUS * sinf(angle)};
    }
    lid[5].radius = 0;
    for (uint32_t side = 0; side < 2; side++) {
        kit_brush brush = {.bind = kit_rigid(k, s->stalk[side][2]), .floppy = 1, .squash = 1};
        limber_vec3 at = kit_mirrored(STALK[STALK_JOINTS], SIDES[side]);
        kit_mesh_material(k, "Eye", 0, 0.2f, false);
        kit_mesh_eye(k, &brush, at, kit_at(EYE_RADIUS, EYE_RADIUS, EYE_RADIUS), kit_at(88, SIDES[side] * 6, 0), bands,
                     3, 18);
        brush.color = kit_hex(0xffffff);
        limber_vec3 glint = limberi_add(at, kit_at(0.014f + SIDES[side] * 0.006f, 0.018f, 0.0605f));
        kit_mesh_eye(k, &brush, glint, kit_at(0.009f, 0.005f, 0.009f), kit_at(80, 10, 0), NULL, 0, 8);
        brush.color = kit_hex(0x5cc096);
        kit_mesh_material(k, "Lid", 0, 0.45f, false);
        kit_mesh_lathe(k, &brush, NULL, NULL, at, kit_at(-38, 0, -SIDES[side] * 10), lid, 6, 18, 6);
    }
}

static void build_smile(kit* k, const snail* s) {
    limber_vec3 points[7];
    float thick[7];
    for (int i = 0; i < 7; i++) {
        float x = ((float)i - 3) / 3;
        float px = 0.058f * x;
        float py = 0.333f + 0.026f * x * x;
        float y = (py - 0.38f) / 0.108f;
        float w = px / 0.118f;
        points[i] = kit_at(px, py, 0.42f + 0.112f * sqrtf(fmaxf(1 - y * y - w * w, 0)) + 0.003f);
        thick[i] = 0.0062f - 0.002f * x * x;
    }
    kit_brush brush = {.bind = kit_rigid(k, s->head), .color = kit_hex(0x2d5e4c), .floppy = 0.8f, .squash = 1};
    kit_mesh_tube(k, &brush, NULL, NULL, points, thick, 7, 8, 14);
}

// ----------------------------------------------------------------------------------------------------------------
// shell

// A logarithmic spiral in the plane x = 0, its outer edge growing by SHELL_GROWTH every turn. Each whorl reaches a
// little under the next one, and the inner ones are the widest, so that both flanks are domes with a spiral groove.
static const limber_vec3 SHELL_CENTER = {0, 0.44f, -0.06f};
static const float SHELL_RADIUS = 0.345f;
static const float SHELL_GROWTH = 2.15f;
static const float SHELL_TURNS = 3.1f;
static const float SHELL_END_DEG = -68;

typedef struct whorl {
    float angle_rad, middle, half_height, half_width;
    float share; // of the shell's radius
} whorl;

static whorl whorl_at(float v) {
    whorl w;
    float grown = SHELL_TURNS * v;
    float outer = SHELL_RADIUS * powf(SHELL_GROWTH, grown - SHELL_TURNS);
    // The first half turn is a solid knob that fills the middle.
    float inner = kit_mix(-outer, 0.88f * outer / SHELL_GROWTH, kit_smoothstep(0.5f, 1.1f, grown));
    w.share = outer / SHELL_RADIUS;
    w.angle_rad = (float)LIMBERI_PI * (SHELL_END_DEG / 180 + 2 * (grown - SHELL_TURNS));
    w.middle = 0.5f * (outer + inner);
    w.half_height = 0.5f * (outer - inner);
    w.half_width = 0.168f * sqrtf(1 - 0.4f * w.share * w.share);
    return w;
}

static const float LIP = 0.965f; // from here on the tube flares, then turns inwards

static void shell_point(void* user, float u, float v, limber_vec3* position) {
    (void)user;
    float inside = v > LIP ? (v - LIP) / (1 - LIP) : 0;
    whorl w = whorl_at(v > LIP ? LIP + 0.5f * (v - LIP) * (1 - inside) : v);
    float size = 1 + 0.1f * kit_smoothstep(LIP - 0.06f, LIP, v) - 1.1f * inside * inside;
    float around = 2 * (float)LIMBERI_PI * u;
    float c = cosf(around);
    float side = sinf(around);
    // Fuller than an ellipse where whorls meet, for shallow grooves; the outer edge of the last one stays round.
    float full = 1 / sqrtf(sqrtf(c * c * c * c + side * side * side * side));
    full = kit_mix(1, full, 0.75f * (1 - kit_smoothstep(-0.7f, 0, c) * kit_smoothstep(0.3f, 0.7f, w.share)));
    float away = w.middle + size * w.half_height * full * c;
    limber_vec3 at = kit_at(size * w.half_width * full * side * (1 - 0.2f * w.share * c), away * sinf(w.angle_rad),
                            away * cosf(w.angle_rad));
    *position = limberi_add(SHELL_CENTER, at);
}

static void shell_paint(void* user, kit_vertex* vertex) {
    (void)user;
    float around = 2 * (float)LIMBERI_PI * vertex->u;
    float v = vertex->v;
    float turns = SHELL_TURNS * (1 - v);
    limber_vec3 base = kit_hex(0xee7b3b);
    limber_vec3 cream = kit_hex(0xffe0a8);
    limber_vec3 dark = kit_hex(0x9c3d25);
    // Growth rings: soft bands across, closer to each other towards the middle, as shells grow.
    float ring = 0.5f + 0.5f * sinf(2 * (float)LIMBERI_PI * 6 * turns);
    limber_vec3 color = limberi_lerp(base, kit_hex(0xf9a457), kit_smoothstep(0.25f, 0.75f, ring));
    // A cream ribbon winds along each flank; the groove between whorls is dark.
    float height = cosf(around);
    color = limberi_lerp(color, cream, kit_smoothstep(0.3f, 0.5f, height) * (1 - kit_smoothstep(0.78f, 0.92f, height)));
    color = limberi_lerp(color, dark, 0.8f * (1 - kit_smoothstep(-0.75f, 0, height)));
    color = limberi_lerp(color, cream, kit_smoothstep(LIP - 0.04f, LIP - 0.02f, v));
    vertex->color = limberi_lerp(color, kit_hex(0x5a2417), kit_smoothstep(LIP + 0.008f, LIP + 0.02f, v));
}

static void build_shell(kit* k, const snail* s) {
    kit_patch patch = {.point = shell_point, .paint = shell_paint, .columns = 20, .rows = 84};
    patch.closed = patch.pole_start = patch.pole_end = true;
    patch.brush = (kit_brush){.bind = kit_rigid(k, s->shell), .squash = 0.3f};
    kit_mesh_material(k, "Shell", 0, 0.35f, false);
    kit_mesh_patch(k, &patch);
}

// ----------------------------------------------------------------------------------------------------------------
// clips

// Moves the joints of the trunk by world offsets (each one less what its parent already does).
typedef struct offsets {
    limber_vec3 body, neck[NECK_JOINTS], head, tail[TAIL_JOINTS];
} offsets;

static void move_by(kit_pose* pose, uint32_t joint, limber_vec3 to, limber_vec3 parent) {
    limber_vec3 d = limberi_sub(to, parent);
    kit_move(pose, joint, d.x, d.y, d.z);
}

static void move_trunk(const snail* s, kit_pose* pose, const offsets* o) {
    move_by(pose, s->body, o->body, kit_at(0, 0, 0));
    for (uint32_t i = 0; i < NECK_JOINTS; i++)
        move_by(pose, s->neck[i], o->neck[i], i ? o->neck[i - 1] : o->body);
    move_by(pose, s->head, o->head, o->neck[NECK_JOINTS - 1]);
    for (uint32_t i = 0; i < TAIL_JOINTS; i++)
        move_by(pose, s->tail[i], o->tail[i], i ? o->tail[i - 1] : o->body);
}

// Bends both stalks, the upper parts later than the lower ones if the caller's angles are.
static void bend_stalk(const snail* s, kit_pose* pose, uint32_t side, uint32_t i, double x_deg, double z_deg) {
    kit_turn(pose, s->stalk[side][i], x_deg, 0, z_deg);
}

// ---- crawl: waves run along the foot from the tail to the head.

static limber_vec3 crawl_wave(double t, float z) {
    double phase = t - z / 0.62;
    return kit_at(0, (float)(0.019 * (1 + kit_wave(phase, 1, 0))), (float)(0.03 * kit_wave(phase, 1, 0.25)));
}

static void crawl(const void* user, double t, kit_pose* pose) {
    const snail* s = user;
    offsets o;
    o.body = crawl_wave(t, BODY.z);
    for (uint32_t i = 0; i < NECK_JOINTS; i++)
        o.neck[i] = crawl_wave(t, NECK[i].z);
    o.head = limberi_add(crawl_wave(t, HEAD.z), kit_at((float)(0.025 * kit_wave(t, 2, 0)), 0, 0));
    for (uint32_t i = 0; i < TAIL_JOINTS; i++)
        o.tail[i] = crawl_wave(t, TAIL[i].z);
    move_trunk(s, pose, &o);
    kit_turn(pose, s->shell, 5 * kit_wave(t, 1, 0.62), 0, 4 * kit_wave(t, 2, 0.1));
    kit_turn(pose, s->neck[1], 0, 0, -3 * kit_wave(t, 2, 0));
    kit_turn(pose, s->head, 5 * kit_wave(t, 1, 0.1), 9 * kit_wave(t, 2, 0.05), 3 * kit_wave(t, 2, 0));
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t i = 0; i < STALK_JOINTS; i++) {
            double late = t - 0.08 * (i + 1) - 0.05 * side;
            bend_stalk(s, pose, side, i, 7 * kit_wave(late, 1, 0.15), 5 * kit_wave(late, 2, 0.3));
        }
}

// ---- peek: into the shell and out again.

// Where everything goes inside the shell; `out` 0 is at rest, 1 hidden. Down first, then backwards.
static limber_vec3 retract(limber_vec3 rest, limber_vec3 hidden, double amount) {
    limber_vec3 way = limberi_sub(hidden, rest);
    double down = amount > 0 ? amount * (2 - amount) : 1.4 * amount;
    return kit_at((float)amount * way.x, (float)down * way.y, (float)amount * way.z);
}

static void hide(const snail* s, kit_pose* pose, double trunk, double eyes) {
    static const limber_vec3 neck[NECK_JOINTS] = {{0, 0.11f, 0.0f}, {0, 0.115f, -0.02f}, {0, 0.12f, -0.05f}};
    static const float tail[TAIL_JOINTS] = {-0.14f, -0.19f, -0.23f, -0.26f};
    offsets o = {.body = {0, 0, 0}};
    for (uint32_t i = 0; i < NECK_JOINTS; i++)
        o.neck[i] = retract(NECK[i], neck[i], trunk);
    o.head = retract(HEAD, kit_at(0, 0.12f, -0.08f), trunk);
    for (uint32_t i = 0; i < TAIL_JOINTS; i++)
        o.tail[i] = retract(TAIL[i], kit_at(0, TAIL[i].y, tail[i]), trunk);
    move_trunk(s, pose, &o);
    for (uint32_t side = 0; side < 2; side++) {
        static const limber_vec3 inwards[STALK_JOINTS] = {
            {-0.02f, -0.085f, 0}, {-0.022f, -0.09f, -0.005f}, {-0.015f, -0.08f, -0.012f}};
        for (uint32_t i = 0; i < STALK_JOINTS; i++)
            kit_move(pose, s->stalk[side][i], eyes * SIDES[side] * inwards[i].x, eyes * inwards[i].y,
                     eyes * inwards[i].z);
    }
}

// Startled, it is gone; the shell drops and rocks. After a while it peers out, looks around, and pops up again.
static void peek(const void* user, double t, kit_pose* pose) {
    const snail* s = user;
    double trunk = KIT_KEYS(t, {0, 0}, {0.3, 0}, {0.55, -0.13}, {0.62, -0.14}, {0.84, 0.78}, {1.8, 0.78}, {2.15, 0.4},
                            {3.05, 0.4}, {3.2, 0.72}, {3.42, -0.12}, {3.75, 0.02}, {4.0, 0});
    double eyes = KIT_KEYS(t, {0, 0}, {0.3, 0}, {0.55, -0.12}, {0.6, -0.12}, {0.78, 1}, {1.95, 1}, {2.35, 0.5},
                           {3.05, 0.5}, {3.2, 0.66}, {3.46, -0.16}, {3.8, 0.02}, {4.0, 0});
    hide(s, pose, trunk, eyes);
    // The shell comes down over the head like a helmet, bounces once, and is lifted a little for the look around.
    double cover = KIT_KEYS(t, {0.3, 0}, {0.6, -0.1}, {0.76, -0.12}, {0.93, 1}, {1.01, 0.75}, {1.1, 1}, {1.85, 1},
                            {2.15, 0.4}, {3.05, 0.4}, {3.2, 0.7}, {3.42, -0.12}, {3.75, 0});
    kit_move(pose, s->shell, 0, -0.1 * cover, 0.06 * cover);
    kit_turn(pose, s->shell, 14 * cover, 0, 6 * kit_ring_down(t, 0.93, 2.2, 5) * kit_ease(t, 0.93, 1.08));
    double look = KIT_KEYS(t, {2.2, 0}, {2.45, 20}, {2.62, 20}, {2.85, -20}, {3.0, -20}, {3.2, 0});
    kit_turn(pose, s->head, -8 * kit_bump(t, 0.3, 0.56, 0.7), look, 0);
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t i = 0; i < STALK_JOINTS; i++) {
            double late = t - 0.05 * i;
            double spring = KIT_KEYS(late, {3.2, 0}, {3.4, 10}, {3.58, -8}, {3.76, 4}, {3.95, 0});
            bend_stalk(s, pose, side, i, spring, -SIDES[side] * (spring + 3 * kit_bump(late, 0.3, 0.56, 0.75)));
        }
}

// ---- dash: root motion with a wind-up and a dead stop.

// Positive: drawn out to the front, tail trailing; negative: squeezed together and leaning back.
static void stretch_out(const snail* s, kit_pose* pose, double amount) {
    offsets o = {.body = {0, 0, 0}};
    float a = (float)amount;
    static const float neck_ahead[NECK_JOINTS] = {0.05f, 0.11f, 0.16f};
    static const float neck_down[NECK_JOINTS] = {0, -0.02f, -0.06f};
    for (uint32_t i = 0; i < NECK_JOINTS; i++)
        o.neck[i] = kit_at(0, a * neck_down[i], a * neck_ahead[i]);
    o.head = kit_at(0, -0.1f * a, 0.2f * a);
    for (uint32_t i = 0; i < TAIL_JOINTS; i++)
        o.tail[i] = kit_at(0, 0, -0.045f * a * (float)(i + 1));
    move_trunk(s, pose, &o);
}

static void dash(const void* user, double t, kit_pose* pose) {
    const snail* s = user;
    double way = KIT_KEYS(t, {0, 0}, {0.2, 0}, {0.75, -0.16}, {0.92, -0.18}, {1.15, 0.9}, {1.4, 2.5}, {3.0, 2.5});
    double stretch =
        KIT_KEYS(t, {0.2, 0}, {0.75, -0.75}, {0.9, -0.85}, {1.12, 1}, {1.34, 1}, {1.52, -0.5}, {1.75, 0.14}, {1.95, 0});
    double lean = KIT_KEYS(t, {0.2, 0}, {0.8, -11}, {0.92, -12}, {1.1, -15}, {1.3, -12}, {1.5, 15}, {1.75, -5},
                           {2.0, 1.5}, {2.2, 0});
    kit_move(pose, s->root, 0, 0, way);
    stretch_out(s, pose, stretch);
    kit_turn(pose, s->shell, lean, 0, 0);
    kit_turn(pose, s->head, KIT_KEYS(t, {0.2, 0}, {0.85, 8}, {1.1, -10}, {1.35, -8}, {1.55, 14}, {1.9, 0}), 0, 0);
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t i = 0; i < STALK_JOINTS; i++) {
            double late = t - 0.03 * i;
            double bend = KIT_KEYS(late, {0.2, 0}, {0.8, 9}, {0.95, 9}, {1.15, -24}, {1.36, -20}, {1.52, 22},
                                   {1.72, -11}, {1.92, 5}, {2.15, 0});
            bend_stalk(s, pose, side, i, bend, 0);
        }
}

void limberi_build_snail(kit* k) {
    snail s;
    s.k = k;
    build_rig(k, &s);
    build_chains(k, &s);
    kit_mesh_begin(k, "Snail");
    build_shell(k, &s);
    build_body(k, &s);
    build_sole(k, &s);
    build_smile(k, &s);
    build_eyes(k, &s);
    kit_mesh_end(k);
    kit_clip(k, "crawl", 2.0, true, crawl, &s);
    kit_clip(k, "peek", 4.2, false, peek, &s);
    kit_clip(k, "dash-stop", 3.0, false, dash, &s);
}
