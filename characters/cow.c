// The cow: a barrel on four short legs, a large head with a soft pink muzzle, and everything that dangles: ears, tail,
// udder and a bell. 25 joints.
#include "characters/cow.h"

// Places that model, rig and paint agree on.
static const limber_vec3 HEAD = {0, 1.16f, 0.72f};
static const limber_vec3 MUZZLE = {0, 1.03f, 0.94f};
static const limber_vec3 EYE = {0.105f, 1.25f, 0.885f};
static const float EYE_RADIUS = 0.08f;
static const float COLLAR_DEG = 50;

static const uint32_t WHITE = 0xfdf6ec;
static const uint32_t SPOT = 0x4a3a3a;
static const uint32_t PINK = 0xf7a8a8;
static const uint32_t HOOF = 0x5b4a48;
static const uint32_t HORN = 0xf3e3b8;

static const quadruped_places LEGS = {
    .foot = "Hoof",
    .front = {{0.2f, 0.6f, 0.34f}, {0.2f, 0.34f, 0.34f + 0.05f}, {0.2f, 0.09f, 0.34f}},
    .hind = {{0.2f, 0.6f, -0.38f}, {0.2f, 0.34f, -0.38f - 0.05f}, {0.2f, 0.09f, -0.38f}},
    .front_knee = 1,
};

// ---- rig ----

static void rig_cow(kit* k, cow* rig) {
    rig->root = kit_joint(k, "Root", KIT_NO_PARENT, 0, 0, 0);
    rig->hips = kit_joint(k, "Hips", (int32_t)rig->root, 0, 0.74f, -0.3f);
    rig->chest = kit_joint(k, "Chest", (int32_t)rig->hips, 0, 0.76f, 0.08f);
    rig->neck = kit_joint(k, "Neck", (int32_t)rig->chest, 0, 0.86f, 0.42f);
    rig->head = kit_joint(k, "Head", (int32_t)rig->neck, 0, 1.06f, 0.62f);
    rig->horns = kit_joint(k, "Horns", (int32_t)rig->head, 0, 1.34f, 0.7f);
    for (int i = 0; i < 2; i++)
        rig->ear[i] = kit_joint_side(k, "Ear", i ? -1.0f : 1.0f, (int32_t)rig->head, 0.17f, 1.25f, 0.67f);
    static const limber_vec3 tail[COW_TAIL] = {
        {0, 0.93f, -0.6f}, {0, 0.86f, -0.74f}, {0, 0.7f, -0.81f}, {0, 0.54f, -0.83f}};
    for (uint32_t i = 0; i < COW_TAIL; i++)
        rig->tail[i] = kit_joint_numbered(k, "Tail", i + 1, (int32_t)(i ? rig->tail[i - 1] : rig->hips), tail[i]);
    rig->udder = kit_joint(k, "Udder", (int32_t)rig->hips, 0, 0.52f, -0.22f);
    quadruped_rig(k, &LEGS, rig->chest, rig->hips, rig->legs);
}

// ---- paint ----

typedef struct spot {
    limber_vec3 center;
    float radius;
} spot;

// Not mirrored: a cow's two sides never match.
static const spot SPOTS[] = {
    {{0.36f, 0.92f, 0.12f}, 0.2f},   {{0.28f, 0.57f, -0.16f}, 0.12f}, {{0.22f, 1.0f, -0.42f}, 0.21f},
    {{-0.32f, 0.95f, -0.3f}, 0.25f}, {{-0.36f, 0.68f, 0.2f}, 0.17f},  {{-0.1f, 1.1f, 0.26f}, 0.16f},
    {{0.12f, 1.29f, 0.88f}, 0.16f},  {{-0.24f, 0.42f, 0.38f}, 0.1f},  {{0.24f, 0.5f, -0.46f}, 0.11f},
};

// Wobbly outlines: a ball whose centre shifts with the place.
static float spot_distance(limber_vec3 at) {
    float wobble = 0.02f * (sinf(11 * at.x + 3 * at.y) + sinf(10 * at.y + 1.3f) + sinf(12 * at.z - 1));
    float nearest = 1;
    for (uint32_t i = 0; i < sizeof SPOTS / sizeof *SPOTS; i++)
        nearest = fminf(nearest, limberi_length(limberi_sub(at, SPOTS[i].center)) - SPOTS[i].radius + wobble);
    return nearest;
}

static float muzzle_distance(limber_vec3 at) {
    limber_vec3 d = limberi_sub(at, kit_at(MUZZLE.x, MUZZLE.y - 0.01f, MUZZLE.z + 0.03f));
    return limberi_length(kit_at(d.x * 0.85f, d.y * 1.1f, d.z)) - 0.185f;
}

static float hoof_distance(limber_vec3 at) {
    return at.y - 0.115f;
}

static float border(void* user, limber_vec3 at) {
    (void)user;
    float spots = spot_distance(at);
    float muzzle = muzzle_distance(at);
    float hoof = hoof_distance(at);
    float nearest = fabsf(muzzle) < fabsf(hoof) ? muzzle : hoof;
    return fabsf(spots) < fabsf(nearest) && muzzle > 0 ? spots : nearest;
}

static limber_vec3 blended(limber_vec3 color, uint32_t with, float amount) {
    return limberi_lerp(color, kit_hex(with), amount);
}

static void paint(void* user, kit_vertex* vertex) {
    (void)user;
    limber_vec3 at = vertex->position;
    // Two centimetres look painted; finer meshes need not be sharper.
    float width = fmaxf(KIT_CRISP * vertex->edge, 0.02f);
    // Ears, udder and tail tuft come with the colours of their blobs; only what is white gets spots.
    float white = kit_smoothstep(0.45f, 0.7f, vertex->color.z);
    vertex->color = blended(vertex->color, SPOT, white * kit_inside(spot_distance(at), width));
    bool ear = fabsf(at.x) > 0.25f && at.y > 1.1f;
    if (ear)
        vertex->color = blended(vertex->color, PINK, kit_smoothstep(0.55f, 0.8f, vertex->normal.z));
    vertex->color = blended(vertex->color, HOOF, kit_inside(hoof_distance(at), width));
    vertex->color = blended(vertex->color, PINK, kit_inside(muzzle_distance(at), width));
}

// ---- model ----

static void model_body(kit* k, const cow* rig, kit_shape* shape) {
    const uint32_t spine[] = {rig->hips, rig->chest};
    kit_brush coat = {.bind = kit_chain(k, spine, 2, 0.2f), .color = kit_hex(WHITE), .blend = 0.25f};
    coat.reach = 0.06f;
    coat.floppy = 0.1f;
    coat.squash = 0.6f;
    kit_add(shape, &coat, kit_ellipsoid(kit_at(0, 0.76f, -0.04f), kit_at(0.35f, 0.32f, 0.56f), kit_at(0, 0, 0)));
    kit_add(shape, &coat, kit_ball(kit_at(0, 0.81f, -0.36f), 0.29f));
    kit_add(shape, &coat, kit_ball(kit_at(0, 0.8f, 0.3f), 0.3f));
    // The neck starts deep inside the chest, so that it bends from there.
    const uint32_t neck[] = {rig->chest, rig->neck, rig->head};
    kit_brush throat = coat;
    throat.bind = kit_chain(k, neck, 3, 0.11f);
    throat.blend = 0.2f;
    kit_add(shape, &throat, kit_bone(kit_at(0, 0.86f, 0.4f), 0.23f, kit_at(0, 1.07f, 0.63f), 0.165f));
}

static void model_leg(kit* k, const quadruped_leg* leg, kit_shape* shape) {
    const uint32_t joints[] = {leg->parent, leg->upper, leg->lower, leg->foot};
    kit_brush coat = {.bind = kit_chain(k, joints, 4, 0.07f), .color = kit_hex(WHITE), .blend = 0.14f, .edge = 0.05f};
    coat.reach = 0.035f;
    coat.squash = 0.3f;
    limber_vec3 hip = kit_joint_at(k, leg->upper);
    limber_vec3 knee = kit_joint_at(k, leg->lower);
    limber_vec3 hoof = leg->at;
    bool hind = leg->knee < 0;
    if (hind)
        kit_add(
            shape, &coat,
            kit_ellipsoid(kit_at(hip.x * 0.95f, 0.7f, hip.z - 0.01f), kit_at(0.13f, 0.24f, 0.19f), kit_at(0, 0, 0)));
    const limber_vec3 points[] = {hip, knee, {hoof.x, 0.13f, hoof.z}};
    const float radii[] = {hind ? 0.135f : 0.125f, 0.1f, 0.09f};
    kit_add_limb(shape, &coat, points, radii, 3);
    coat.blend = 0.05f;
    kit_add(shape, &coat,
            kit_bone(kit_at(hoof.x, 0.1f, hoof.z + 0.005f), 0.098f, kit_at(hoof.x, 0.062f, hoof.z + 0.012f), 0.112f));
    coat.carve = true; // a flat sole
    coat.blend = 0.04f;
    kit_add(shape, &coat, kit_ellipsoid(kit_at(hoof.x, -0.3f, hoof.z), kit_at(0.6f, 0.3f, 0.6f), kit_at(0, 0, 0)));
}

static void model_head(kit* k, const cow* rig, kit_shape* shape) {
    kit_brush coat = {.bind = kit_rigid(k, rig->head), .color = kit_hex(WHITE), .blend = 0.1f, .edge = 0.042f};
    coat.reach = 0.03f;
    coat.floppy = 0.2f;
    coat.squash = 0.4f;
    kit_add(shape, &coat, kit_ellipsoid(HEAD, kit_at(0.2f, 0.215f, 0.22f), kit_at(0, 0, 0)));
    kit_add(shape, &coat, kit_ellipsoid(MUZZLE, kit_at(0.185f, 0.13f, 0.14f), kit_at(0, 0, 0)));
    kit_add(shape, &coat, kit_ellipsoid(kit_at(0, 0.945f, 0.9f), kit_at(0.13f, 0.07f, 0.12f), kit_at(10, 0, 0)));
    // A quiff between the horns.
    coat.color = kit_hex(SPOT);
    coat.blend = 0.05f;
    coat.floppy = 0.6f;
    kit_add(shape, &coat, kit_bone(kit_at(0, 1.36f, 0.74f), 0.075f, kit_at(0.015f, 1.34f, 0.88f), 0.035f));
    for (int i = 0; i < 2; i++) {
        float side = i ? -1.0f : 1.0f;
        kit_brush ear = coat;
        const uint32_t joints[] = {rig->head, rig->ear[i]};
        ear.bind = kit_chain(k, joints, 2, 0.04f);
        ear.blend = 0.05f;
        ear.edge = 0.031f;
        ear.floppy = 1;
        ear.color = kit_hex(i ? WHITE : SPOT);
        kit_add(shape, &ear,
                kit_bone(kit_at(0.16f * side, 1.25f, 0.67f), 0.05f, kit_at(0.22f * side, 1.25f, 0.66f), 0.05f));
        kit_add(shape, &ear,
                kit_ellipsoid(kit_at(0.31f * side, 1.215f, 0.655f), kit_at(0.135f, 0.078f, 0.04f),
                              kit_at(0, 14 * side, -24 * side)));
    }
}

static void model_tail_and_udder(kit* k, const cow* rig, kit_shape* shape) {
    const uint32_t joints[] = {rig->hips, rig->tail[0], rig->tail[1], rig->tail[2], rig->tail[3]};
    kit_brush tail = {.bind = kit_chain(k, joints, 5, 0.07f), .color = kit_hex(WHITE), .blend = 0.03f, .edge = 0.032f};
    tail.reach = 0.02f;
    tail.floppy = 1;
    limber_vec3 points[COW_TAIL + 1];
    const float radii[] = {0.06f, 0.042f, 0.036f, 0.032f, 0.03f};
    for (uint32_t i = 0; i < COW_TAIL; i++)
        points[i] = kit_joint_at(k, rig->tail[i]);
    points[COW_TAIL] = kit_at(0, 0.46f, -0.835f);
    kit_add_limb(shape, &tail, points, radii, COW_TAIL + 1);
    tail.color = kit_hex(SPOT);
    kit_add(shape, &tail, kit_ellipsoid(kit_at(0, 0.4f, -0.835f), kit_at(0.062f, 0.1f, 0.062f), kit_at(0, 0, 0)));
    kit_brush udder = {.bind = kit_rigid(k, rig->udder), .color = kit_hex(PINK), .blend = 0.06f, .edge = 0.038f};
    udder.floppy = 0.8f;
    udder.squash = 1;
    kit_add(shape, &udder, kit_ellipsoid(kit_at(0, 0.445f, -0.17f), kit_at(0.15f, 0.105f, 0.16f), kit_at(0, 0, 0)));
    udder.blend = 0.03f;
    for (int i = 0; i < 4; i++) {
        float x = i % 2 ? -0.06f : 0.06f;
        float z = i / 2 ? -0.1f : -0.24f;
        kit_add(shape, &udder, kit_bone(kit_at(x, 0.38f, z), 0.034f, kit_at(x * 1.15f, 0.325f, z), 0.026f));
    }
}

// The smile follows the muzzle: its points are walked to the surface.
static void model_smile(kit* k, const cow* rig, const kit_shape* shape) {
    enum { POINTS = 9 };
    limber_vec3 points[POINTS];
    float radii[POINTS];
    for (int i = 0; i < POINTS; i++) {
        float x = (float)i / (POINTS - 1) * 2 - 1;
        limber_vec3 at = kit_at(0.135f * x, 0.965f + 0.045f * x * x, 1.07f - 0.08f * x * x);
        points[i] = shape ? kit_shape_project(shape, at, 8, 0.1f) : at;
        radii[i] = 0.009f - 0.005f * x * x;
    }
    kit_brush line = {.bind = kit_rigid(k, rig->head), .color = kit_hex(0x8c4a50), .floppy = 0.2f, .squash = 0.4f};
    kit_mesh_tube(k, &line, NULL, NULL, points, radii, POINTS, 5, 14);
}

// Horns curve outwards and up.
static void model_horn(kit* k, const cow* rig, float side) {
    kit_brush horn = {.bind = kit_rigid(k, rig->horns), .color = kit_hex(HORN), .floppy = 0.3f};
    const limber_vec3 points[] = {{0.09f * side, 1.31f, 0.7f},
                                  {0.16f * side, 1.38f, 0.7f},
                                  {0.195f * side, 1.46f, 0.71f},
                                  {0.18f * side, 1.53f, 0.72f}};
    const float radii[] = {0.047f, 0.042f, 0.03f, 0.012f};
    kit_mesh_tube(k, &horn, NULL, NULL, points, radii, 4, 9, 9);
}

static void model_face(kit* k, const cow* rig, const kit_shape* shape) {
    kit_brush hard = {.bind = kit_rigid(k, rig->head), .color = kit_hex(0x8c4a50), .floppy = 0.2f, .squash = 0.4f};
    const kit_band iris[] = {{33, kit_hex(0x1d1a1a)}, {43, kit_hex(0x6b4423)}, {180, kit_hex(0xffffff)}};
    for (int i = 0; i < 2; i++) {
        float side = i ? -1.0f : 1.0f;
        limber_vec3 at = kit_at(EYE.x * side, EYE.y, EYE.z);
        limber_vec3 turned = kit_at(78, 12 * side, 0);
        limber_vec3 radii = kit_at(EYE_RADIUS, EYE_RADIUS * 0.8f, EYE_RADIUS * 1.15f);
        kit_mesh_eye(k, &hard, at, radii, turned, iris, 3, 16);
        kit_brush shine = hard;
        shine.color = kit_hex(0xffffff);
        limber_vec3 glint = kit_eye_at(at, radii, turned, 27, 150);
        kit_mesh_eye(k, &shine, glint, kit_at(0.016f, 0.008f, 0.019f), turned, NULL, 0, 7);
        limber_vec3 nostril = kit_at(0.075f * side, 1.075f, 1.07f);
        nostril = shape ? kit_shape_project(shape, nostril, 8, 0.1f) : nostril;
        kit_mesh_eye(k, &hard, nostril, kit_at(0.028f, 0.012f, 0.02f), kit_at(60, 25 * side, 0), NULL, 0, 8);
    }
    for (int i = 0; i < 2; i++)
        model_horn(k, rig, i ? -1.0f : 1.0f);
    model_smile(k, rig, shape);
}

// The collar lies on the neck wherever that is: a ring around it, pulled to the surface.
static limber_vec3 collar_base(const kit_shape* shape, float around, limber_vec3* outwards) {
    limber_vec3 ring = kit_at(0.24f * sinf(around), 0, 0.24f * cosf(around));
    limber_vec3 at = limberi_add(kit_at(0, 0.95f, 0.53f), limberi_quat_rotate(kit_euler(COLLAR_DEG, 0, 0), ring));
    at = kit_shape_project(shape, at, 6, 0.1f);
    kit_shape_distance(shape, at, outwards);
    return at;
}

static void collar_point(void* user, float u, float v, limber_vec3* position) {
    float tube = 2 * (float)LIMBERI_PI * v;
    limber_vec3 outwards;
    limber_vec3 along = limberi_quat_rotate(kit_euler(COLLAR_DEG, 0, 0), kit_at(0, 1, 0));
    limber_vec3 base = collar_base(user, 2 * (float)LIMBERI_PI * u, &outwards);
    outwards = limberi_normalize(outwards);
    along = limberi_normalize(limberi_sub(along, limberi_scale(outwards, limberi_dot(along, outwards))));
    base = limberi_add(base, limberi_scale(outwards, 0.012f + 0.016f * cosf(tube)));
    *position = limberi_add(base, limberi_scale(along, 0.03f * sinf(tube)));
}

static void model_bell(kit* k, const cow* rig, kit_shape* shape) {
    const uint32_t neck[] = {rig->chest, rig->neck, rig->head};
    kit_patch collar = {.point = collar_point, .user = shape, .columns = 22, .rows = 5, .closed = true};
    collar.brush = (kit_brush){.bind = kit_chain(k, neck, 3, 0.11f), .color = kit_hex(0xd64545), .floppy = 0.2f};
    kit_mesh_patch(k, &collar);
    limber_vec3 outwards;
    limber_vec3 at = collar_base(shape, 0, &outwards);
    at = limberi_add(limberi_add(at, limberi_scale(outwards, 0.04f)), kit_at(0, -0.06f, 0));
    kit_brush bell = {.bind = kit_rigid(k, rig->neck), .color = kit_hex(0xf2b632), .floppy = 0.3f};
    const kit_profile_point profile[] = {{0, -0.035f},    {0.06f, -0.04f}, {0.078f, -0.052f}, {0.083f, -0.045f},
                                         {0.07f, -0.02f}, {0.06f, 0.03f},  {0.045f, 0.055f},  {0, 0.065f}};
    kit_mesh_lathe(k, &bell, NULL, NULL, at, kit_at(8, 0, 0), profile, 8, 14, 9);
}

void limberi_build_cow(kit* k) {
    cow rig;
    rig_cow(k, &rig);
    kit_shape* shape = kit_shape_create(k);
    if (!shape)
        return;
    shape->edge = 0.073f;
    shape->cell = 0.023f;
    shape->border = border;
    shape->paint = paint;
    model_body(k, &rig, shape);
    for (uint32_t i = 0; i < FOUR_LEGS; i++)
        model_leg(k, &rig.legs[i], shape);
    model_head(k, &rig, shape);
    model_tail_and_udder(k, &rig, shape);
    kit_mesh_begin(k, "Cow");
    kit_mesh_shape(k, shape);
    model_face(k, &rig, shape);
    model_bell(k, &rig, shape);
    kit_mesh_end(k);
    limberi_cow_clips(k, &rig);
}
