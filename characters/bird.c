// The bird: a round robin with its wings spread, all of it on one joint. It can do nothing but move as a whole; what its
// wings do is up to the layers: "floppy" has the wings, "balance" the wings one way and head and tail the other.
#include "characters/kit.h"

static const uint32_t BLUE = 0x4f8fd0;
static const uint32_t NIGHT = 0x1d3566;
static const uint32_t RUST = 0xf08a3c;
static const uint32_t CREAM = 0xfff3dc;
static const uint32_t BEAK = 0xf7b733;
static const limber_vec3 MIDDLE = {0, 0.36f, 0};
static const limber_vec3 HEAD = {0, 0.545f, 0.13f};
enum { FEATHERS = 6 };

static const float SIDES[2] = {1, -1};

// ---- paint ----

// Below 0 on the red breast, which reaches up to the cheeks.
static float breast_distance(limber_vec3 at) {
    float chest = kit_ball_distance(at, kit_at(0, 0.335f, 0.2f), kit_at(1, 0.95f, 1), 0.175f);
    float cheeks = kit_ball_distance(at, kit_at(0, 0.505f, 0.27f), kit_at(0.95f, 1.25f, 1), 0.135f);
    return fminf(chest, cheeks);
}

static float belly_distance(limber_vec3 at) {
    return kit_ball_distance(at, kit_at(0, 0.17f, -0.02f), kit_at(1, 0.9f, 0.85f), 0.135f);
}

static float border(void* user, limber_vec3 at) {
    (void)user;
    float red = breast_distance(at);
    float pale = belly_distance(at);
    return fabsf(red) < fabsf(pale) ? red : pale;
}

static void paint_body(void* user, kit_vertex* vertex) {
    (void)user;
    float width = fmaxf(KIT_CRISP * vertex->edge, 0.014f);
    vertex->color = limberi_lerp(vertex->color, kit_hex(CREAM), kit_inside(belly_distance(vertex->position), width));
    vertex->color = limberi_lerp(vertex->color, kit_hex(RUST), kit_inside(breast_distance(vertex->position), width));
    vertex->extra = -0.4f * kit_smoothstep(0.42f, 0.6f, vertex->position.y);
}

// ---- wings and tail ----

// `out` 0 at the shoulder, 1 at the tip; `ahead` 0 at the trailing edge, 1 at the leading one.
static limber_vec3 wing_point(float side, float out, float ahead) {
    float wave = sinf((float)LIMBERI_PI * FEATHERS * out);
    float lobe = wave * wave; // round tips, which a shell can follow
    float front = 0.13f + 0.075f * sinf((float)LIMBERI_PI * kit_mix(0.1f, 0.72f, out)) - 0.13f * out * out * out;
    float chord = 0.27f * (1 - 0.5f * out * out) * (1 - 0.85f * powf(out, 8)) + 0.06f;
    float back = front - chord - 0.035f * lobe * kit_smoothstep(0.05f, 0.4f, out);
    float camber = 0.035f * sinf((float)LIMBERI_PI * ahead) * (1 - 0.6f * out);
    float y = 0.41f + 0.15f * sinf(1.9f * out) + camber - 0.03f * (1 - ahead) * out;
    return kit_at(side * (0.1f + 0.66f * out), y, kit_mix(back, front, ahead));
}

// Seen from above, u runs to the character's right.
static void left_wing(void* user, float u, float v, limber_vec3* position) {
    (void)user;
    *position = wing_point(1, 1 - u, v);
}

static void right_wing(void* user, float u, float v, limber_vec3* position) {
    (void)user;
    *position = wing_point(-1, u, v);
}

static void paint_wing(void* user, kit_vertex* vertex) {
    float out = user ? vertex->u : 1 - vertex->u;
    float feather = fabsf(sinf((float)LIMBERI_PI * FEATHERS * out));
    float dark = 1 - kit_smoothstep(0.3f, 0.62f, vertex->v + 0.1f * feather);
    float gap = (1 - kit_smoothstep(0.05f, 0.3f, feather)) * (1 - kit_smoothstep(0.2f, 0.6f, vertex->v));
    bool below = vertex->normal.y < -0.5f; // not the rim
    limber_vec3 top = limberi_lerp(kit_hex(BLUE), kit_hex(NIGHT), kit_mix(0.85f * dark, 1, 0.6f * gap));
    limber_vec3 under = limberi_lerp(kit_hex(CREAM), kit_hex(BLUE), 0.55f * dark + 0.3f * gap);
    bool rim = vertex->v < 0.01f || vertex->v > 0.99f || out > 0.99f;
    vertex->color = below && !rim ? under : top;
    vertex->floppy = out;
    vertex->extra = out;
    vertex->squash = 0.5f;
}

static void tail_point(void* user, float u, float v, limber_vec3* position) {
    (void)user;
    float across = 1 - 2 * u; // to the character's right
    float along = 1 - v;
    float lobe = fabsf(sinf((float)LIMBERI_PI * 2.5f * (across + 1)));
    float length = 0.34f - 0.05f * across * across + 0.025f * lobe;
    float wide = kit_mix(0.045f, 0.15f, powf(along, 0.8f));
    *position =
        kit_at(wide * across, 0.36f + 0.075f * along + 0.02f * (1 - across * across) * along, -0.13f - length * along);
}

static void paint_tail(void* user, kit_vertex* vertex) {
    (void)user;
    float along = 1 - vertex->v;
    float lobe = fabsf(sinf((float)LIMBERI_PI * 5 * vertex->u));
    vertex->color = limberi_lerp(kit_hex(BLUE), kit_hex(NIGHT),
                                 kit_smoothstep(0.35f, 0.8f, along) * kit_mix(1, 0.55f, kit_smoothstep(0, 0.4f, lobe)));
    vertex->floppy = 0.35f * along;
    vertex->extra = -0.8f * along;
}

static void model_wings(kit* k, const kit_brush* brush) {
    static const int is_right = 1;
    for (int i = 0; i < 2; i++) {
        kit_patch wing = {.point = i ? right_wing : left_wing, .paint = paint_wing, .columns = 40, .rows = 14};
        wing.user = i ? (void*)(uintptr_t)&is_right : NULL;
        wing.thickness = 0.02f;
        wing.brush = *brush;
        kit_mesh_patch(k, &wing);
    }
    kit_patch tail = {.point = tail_point, .paint = paint_tail, .columns = 22, .rows = 12, .thickness = 0.018f};
    tail.brush = *brush;
    kit_mesh_patch(k, &tail);
}

// ---- face and feet ----

static void model_face(kit* k, kit_brush hard) {
    for (int i = 0; i < 2; i++) {
        float s = SIDES[i];
        limber_vec3 at = kit_at(0.066f * s, 0.575f, 0.222f);
        limber_vec3 turned = kit_at(78, 26 * s, 0);
        limber_quat frame = kit_euler(78, (double)(26 * s), 0);
        hard.color = kit_hex(0xffffff);
        kit_mesh_eye(k, &hard, at, kit_at(0.04f, 0.026f, 0.048f), turned, NULL, 0, 14);
        hard.color = kit_hex(0x1b1416);
        limber_vec3 pupil = limberi_add(at, limberi_quat_rotate(frame, kit_at(-0.006f * s, 0.017f, 0.004f)));
        kit_mesh_eye(k, &hard, pupil, kit_at(0.024f, 0.0125f, 0.03f), turned, NULL, 0, 12);
        hard.color = kit_hex(0xffffff);
        limber_vec3 glint = limberi_add(at, limberi_quat_rotate(frame, kit_at(0.004f * s, 0.0275f, -0.008f)));
        kit_mesh_eye(k, &hard, glint, kit_at(0.008f, 0.0045f, 0.01f), turned, NULL, 0, 8);
    }
    const limber_vec3 upper[] = {{0, 0.538f, 0.235f}, {0, 0.535f, 0.285f}, {0, 0.52f, 0.335f}, {0, 0.5f, 0.36f}};
    const limber_vec3 lower[] = {{0, 0.512f, 0.235f}, {0, 0.506f, 0.28f}, {0, 0.5f, 0.318f}};
    hard.color = kit_hex(BEAK);
    kit_mesh_tube(k, &hard, NULL, NULL, upper, (const float[]){0.038f, 0.031f, 0.018f, 0.006f}, 4, 10, 10);
    hard.color = kit_hex(0xdb9420);
    kit_mesh_tube(k, &hard, NULL, NULL, lower, (const float[]){0.028f, 0.02f, 0.007f}, 3, 8, 8);
    const limber_vec3 crest[] = {{0, 0.655f, 0.12f}, {0, 0.72f, 0.09f}, {0, 0.745f, 0.03f}};
    hard.color = kit_hex(NIGHT);
    kit_mesh_tube(k, &hard, NULL, NULL, crest, (const float[]){0.024f, 0.018f, 0.006f}, 3, 8, 8);
}

static void model_feet(kit* k, kit_brush brush) {
    brush.color = kit_hex(0xd98a2b);
    for (int i = 0; i < 2; i++) {
        float x = 0.075f * SIDES[i];
        const limber_vec3 shin[] = {{x, 0.2f, 0}, {x, 0.11f, -0.012f}, {x, 0.018f, 0.006f}};
        kit_mesh_tube(k, &brush, NULL, NULL, shin, (const float[]){0.016f, 0.0125f, 0.0125f}, 3, 8, 8);
        for (int toe = -1; toe <= 2; toe++) {
            bool behind = toe == 2;
            limber_vec3 tip = behind ? kit_at(x, 0.011f, -0.045f) : kit_at(x + 0.036f * (float)toe, 0.011f, 0.07f);
            const limber_vec3 points[] = {{x, 0.016f, 0.004f}, tip};
            kit_mesh_tube(k, &brush, NULL, NULL, points, (const float[]){0.0135f, 0.009f}, 2, 8, 6);
        }
    }
}

// ---- clips ----

// In the air the body falls slowly and is lifted by the beat.
static double beat_height(double t) {
    return KIT_LOOP(t, 0.8, {0, 0}, {0.24, 0.3}, {0.8 - 0.02, 0});
}

static void flap(const void* user, double t, kit_pose* pose) {
    kit_move(pose, *(const uint32_t*)user, 0, 0.45 + beat_height(t), 0);
}

// Takes off, flies ahead and stops in the air.
static void dart_stop(const void* user, double t, kit_pose* pose) {
    uint32_t joint = *(const uint32_t*)user;
    double way = KIT_KEYS(t, {0.35, 0}, {0.55, -0.06}, {0.9, 0.7}, {1.15, 1.8}, {1.27, 2.0});
    double up = KIT_KEYS(t, {0.3, 0}, {0.9, 0.4}, {1.27, 0.5});
    double nose = KIT_KEYS(t, {0.3, 0}, {0.55, -10}, {0.9, 16}, {1.15, 12}, {1.3, -22}, {1.5, -15});
    kit_move(pose, joint, 0, up, way);
    kit_turn(pose, joint, nose, 0, 0);
}

void limberi_build_bird(kit* k) {
    uint32_t joint = kit_joint(k, "Bird", KIT_NO_PARENT, MIDDLE.x, MIDDLE.y, MIDDLE.z);
    kit_shape* shape = kit_shape_create(k);
    if (!shape)
        return;
    kit_brush brush = {.bind = kit_rigid(k, joint), .color = kit_hex(BLUE), .blend = 0.06f, .squash = 0.5f};
    limber_vec3 straight = {0, 0, 0};
    shape->edge = 0.034f;
    shape->cell = 0.0145f;
    shape->border = border;
    shape->paint = paint_body;
    kit_add(shape, &brush, kit_ellipsoid(kit_at(0, 0.32f, 0.02f), kit_at(0.17f, 0.175f, 0.215f), kit_at(-16, 0, 0)));
    kit_add(shape, &brush, kit_bone(kit_at(0, 0.34f, -0.1f), 0.1f, kit_at(0, 0.375f, -0.19f), 0.05f));
    kit_add(shape, &brush, kit_ellipsoid(HEAD, kit_at(0.138f, 0.128f, 0.135f), straight));
    kit_mesh_begin(k, "Bird");
    kit_mesh_layer(k, "balance");
    kit_mesh_material(k, "Feathers", 0, 0.7f, false);
    kit_mesh_shape(k, shape);
    model_wings(k, &brush);
    kit_mesh_material(k, "Shiny", 0, 0.3f, false);
    model_face(k, brush);
    model_feet(k, brush);
    kit_mesh_end(k);
    kit_clip(k, "flap", 0.8, true, flap, &joint);
    kit_clip(k, "dart-stop", 2.4, false, dart_stop, &joint);
}
