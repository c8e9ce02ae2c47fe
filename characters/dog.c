// The dog: a barrel chest on short legs, a head that is all muzzle and nose, long ears on three joints each, and a tail
// on five. 30 joints.
#include "characters/dog.h"

static const uint32_t COAT = 0xdc9a52;
static const uint32_t CREAM = 0xfbeedb;
static const uint32_t DARK = 0x6f3f24;
static const uint32_t NOSE = 0x241a1c;
static const uint32_t RED = 0xd0342c;
static const uint32_t GOLD = 0xf5b93e;
static const limber_vec3 HEAD = {0, 0.77f, 0.47f};
static const limber_vec3 TAIL[DOG_TAIL + 1] = {{0, 0.56f, -0.37f}, {0, 0.63f, -0.46f}, {0, 0.72f, -0.52f},
                                               {0, 0.82f, -0.55f}, {0, 0.92f, -0.55f}, {0, 1.0f, -0.53f}};
static const limber_vec3 EAR[DOG_EAR + 1] = {
    {0.115f, 0.86f, 0.45f}, {0.19f, 0.8f, 0.455f}, {0.222f, 0.68f, 0.46f}, {0.228f, 0.54f, 0.465f}};

static const float SIDES[2] = {1, -1};

static const quadruped_places LEGS = {
    .foot = "Paw",
    .front = {{0.1f, 0.42f, 0.22f}, {0.102f, 0.245f, 0.22f - 0.06f}, {0.104f, 0.065f, 0.22f}},
    .hind = {{0.1f, 0.42f, -0.26f}, {0.102f, 0.245f, -0.26f + 0.09f}, {0.104f, 0.065f, -0.26f - 0.02f}},
    .front_knee = -1,
};

// ---- rig ----

static void rig_dog(kit* k, dog* rig) {
    rig->root = kit_joint(k, "Root", KIT_NO_PARENT, 0, 0, 0);
    rig->hips = kit_joint(k, "Hips", (int32_t)rig->root, 0, 0.49f, -0.24f);
    rig->spine = kit_joint(k, "Spine", (int32_t)rig->hips, 0, 0.5f, -0.04f);
    rig->chest = kit_joint(k, "Chest", (int32_t)rig->spine, 0, 0.5f, 0.14f);
    rig->neck = kit_joint(k, "Neck", (int32_t)rig->chest, 0, 0.58f, 0.32f);
    rig->head = kit_joint(k, "Head", (int32_t)rig->neck, 0, 0.71f, 0.41f);
    rig->tongue = kit_joint(k, "Tongue", (int32_t)rig->head, 0.035f, 0.63f, 0.68f);
    for (int i = 0; i < 2; i++)
        for (uint32_t n = 0; n < DOG_EAR; n++) {
            static const char* const names[DOG_EAR] = {"Ear1", "Ear2", "Ear3"};
            uint32_t parent = n ? rig->ear[i][n - 1] : rig->head;
            rig->ear[i][n] = kit_joint_side(k, names[n], SIDES[i], (int32_t)parent, EAR[n].x, EAR[n].y, EAR[n].z);
        }
    for (uint32_t i = 0; i < DOG_TAIL; i++)
        rig->tail[i] = kit_joint_numbered(k, "Tail", i + 1, (int32_t)(i ? rig->tail[i - 1] : rig->hips), TAIL[i]);
    quadruped_rig(k, &LEGS, rig->chest, rig->hips, rig->legs);
}

// ---- paint ----

// Below 0 where the coat is cream: muzzle and blaze, bib, socks, the tip of the tail.
static float cream_distance(limber_vec3 at) {
    float muzzle = kit_ball_distance(at, kit_at(0, 0.665f, 0.67f), kit_at(1, 1, 0.9f), 0.125f);
    float blaze = at.z > 0.45f && at.y > 0.7f ? fabsf(at.x) - 0.02f - 0.1f * fmaxf(0.86f - at.y, 0) : 1;
    float bib = kit_ball_distance(at, kit_at(0, 0.44f, 0.36f), kit_at(1.1f, 0.75f, 1), 0.135f);
    float sock = at.y - 0.135f;
    float tip = 0.93f - at.y;
    float nearest = fminf(fminf(muzzle, blaze), fminf(bib, sock));
    return at.z < -0.3f ? fminf(nearest, tip) : nearest;
}

static float saddle_distance(limber_vec3 at) {
    float wobble = 0.015f * (sinf(19 * at.z) + sinf(23 * at.x + 1));
    float saddle = kit_ball_distance(at, kit_at(0, 0.66f, -0.06f), kit_at(1, 1.25f, 0.85f), 0.17f + wobble);
    float patch = kit_ball_distance(at, kit_at(-0.085f, 0.85f, 0.58f), kit_at(1, 0.85f, 1), 0.085f);
    return fminf(saddle, patch);
}

static float border(void* user, limber_vec3 at) {
    (void)user;
    float cream = cream_distance(at);
    float dark = saddle_distance(at);
    return fabsf(cream) < fabsf(dark) ? cream : dark;
}

static void paint(void* user, kit_vertex* vertex) {
    (void)user;
    limber_vec3 at = vertex->position;
    float width = fmaxf(KIT_CRISP * vertex->edge, 0.018f);
    bool ear = fabsf(at.x) > 0.155f && at.y > 0.5f && at.z > 0.35f;
    vertex->color = limberi_lerp(vertex->color, kit_hex(DARK), ear ? 0 : kit_inside(saddle_distance(at), width));
    vertex->color = limberi_lerp(vertex->color, kit_hex(CREAM), ear ? 0 : kit_inside(cream_distance(at), width));
}

// ---- model ----

static void model_body(kit* k, const dog* rig, kit_shape* shape) {
    const uint32_t spine[] = {rig->hips, rig->spine, rig->chest};
    kit_brush coat = {.bind = kit_chain(k, spine, 3, 0.08f), .color = kit_hex(COAT), .blend = 0.1f, .reach = 0.04f};
    coat.floppy = 0.15f;
    coat.squash = 0.8f;
    limber_vec3 straight = {0, 0, 0};
    kit_add(shape, &coat, kit_ellipsoid(kit_at(0, 0.495f, 0.19f), kit_at(0.15f, 0.158f, 0.175f), straight));
    kit_add(shape, &coat, kit_bone(kit_at(0, 0.505f, 0.1f), 0.136f, kit_at(0, 0.51f, -0.25f), 0.122f));
    const uint32_t neck[] = {rig->chest, rig->neck, rig->head};
    kit_brush throat = coat;
    throat.bind = kit_chain(k, neck, 3, 0.06f);
    kit_add(shape, &throat, kit_bone(kit_at(0, 0.55f, 0.27f), 0.115f, kit_at(0, 0.72f, 0.42f), 0.098f));
}

static void model_leg(kit* k, const quadruped_leg* leg, kit_shape* shape) {
    const uint32_t joints[] = {leg->parent, leg->upper, leg->lower, leg->foot};
    kit_brush coat = {.bind = kit_chain(k, joints, 4, 0.05f), .color = kit_hex(COAT), .blend = 0.07f, .edge = 0.032f};
    coat.reach = 0.025f;
    coat.squash = 0.5f;
    limber_vec3 hip = kit_joint_at(k, leg->upper);
    limber_vec3 knee = kit_joint_at(k, leg->lower);
    limber_vec3 paw = leg->at;
    bool hind = leg->knee > 0;
    const limber_vec3 points[] = {hip, knee, {paw.x, paw.y, paw.z}};
    const float radii[] = {hind ? 0.092f : 0.078f, hind ? 0.062f : 0.056f, 0.045f};
    kit_add_limb(shape, &coat, points, radii, 3);
    coat.blend = 0.035f;
    coat.bind = kit_rigid(k, leg->foot);
    kit_add(shape, &coat,
            kit_ellipsoid(kit_at(paw.x, 0.045f, paw.z + 0.035f), kit_at(0.062f, 0.05f, 0.082f), kit_at(0, 0, 0)));
}

static void model_head(kit* k, const dog* rig, kit_shape* shape) {
    kit_brush coat = {.bind = kit_rigid(k, rig->head), .color = kit_hex(COAT), .blend = 0.06f, .edge = 0.028f};
    coat.reach = 0.02f;
    coat.floppy = 0.2f;
    coat.squash = 0.6f;
    limber_vec3 straight = {0, 0, 0};
    kit_add(shape, &coat, kit_ellipsoid(HEAD, kit_at(0.142f, 0.135f, 0.142f), straight));
    kit_add(shape, &coat, kit_bone(kit_at(0, 0.715f, 0.56f), 0.082f, kit_at(0, 0.705f, 0.69f), 0.066f));
    coat.blend = 0.03f;
    for (int i = 0; i < 2; i++) // jowls
        kit_add(shape, &coat,
                kit_ellipsoid(kit_at(0.045f * SIDES[i], 0.672f, 0.675f), kit_at(0.062f, 0.062f, 0.072f), straight));
    kit_add(shape, &coat, kit_ellipsoid(kit_at(0, 0.625f, 0.63f), kit_at(0.05f, 0.035f, 0.075f), straight)); // chin
}

static void model_ears_and_tail(kit* k, const dog* rig, kit_shape* shape) {
    for (int i = 0; i < 2; i++) {
        const uint32_t joints[] = {rig->head, rig->ear[i][0], rig->ear[i][1], rig->ear[i][2]};
        kit_brush ear = {
            .bind = kit_chain(k, joints, 4, 0.05f), .color = kit_hex(DARK), .blend = 0.04f, .edge = 0.022f};
        ear.reach = 0.012f;
        ear.floppy = 1;
        ear.squash = 0.5f;
        float s = SIDES[i];
        kit_add(shape, &ear,
                kit_bone(kit_at(s * 0.11f, 0.855f, 0.45f), 0.042f, kit_at(s * 0.18f, 0.805f, 0.455f), 0.04f));
        kit_add(shape, &ear,
                kit_ellipsoid(kit_at(s * 0.214f, 0.675f, 0.46f), kit_at(0.033f, 0.17f, 0.082f), kit_at(0, 0, s * 9)));
    }
    const uint32_t joints[] = {rig->hips, rig->tail[0], rig->tail[1], rig->tail[2], rig->tail[3], rig->tail[4]};
    kit_brush tail = {.bind = kit_chain(k, joints, 6, 0.045f), .color = kit_hex(COAT), .blend = 0.04f, .edge = 0.026f};
    tail.reach = 0.015f;
    tail.floppy = 1;
    tail.squash = 0.5f;
    const float radii[] = {0.055f, 0.044f, 0.04f, 0.04f, 0.036f, 0.018f};
    kit_add_limb(shape, &tail, TAIL, radii, DOG_TAIL + 1);
}

static void model_face(kit* k, const dog* rig, const kit_shape* shape) {
    kit_brush hard = {.bind = kit_rigid(k, rig->head), .floppy = 0.2f, .squash = 0.6f};
    for (int i = 0; i < 2; i++) {
        float s = SIDES[i];
        limber_vec3 turned = kit_at(80, 14 * s, 0);
        limber_vec3 radii = kit_at(0.046f, 0.028f, 0.06f);
        limber_vec3 at = kit_at(0.062f * s, 0.825f, 0.582f);
        hard.color = kit_hex(0xffffff);
        kit_mesh_eye(k, &hard, at, radii, turned, NULL, 0, 16);
        limber_quat frame = kit_euler(80, (double)(14 * s), 0);
        hard.color = kit_hex(0x1b1416);
        limber_vec3 pupil = limberi_add(at, limberi_quat_rotate(frame, kit_at(-0.008f * s, 0.019f, 0.01f)));
        kit_mesh_eye(k, &hard, pupil, kit_at(0.026f, 0.0125f, 0.036f), turned, NULL, 0, 12);
        hard.color = kit_hex(0xffffff);
        limber_vec3 glint = limberi_add(at, limberi_quat_rotate(frame, kit_at(0, 0.029f, -0.006f)));
        kit_mesh_eye(k, &hard, glint, kit_at(0.009f, 0.005f, 0.012f), turned, NULL, 0, 8);
        limber_vec3 brow[3] = {{0.035f * s, 0.902f, 0.58f}, {0.065f * s, 0.915f, 0.56f}, {0.092f * s, 0.9f, 0.54f}};
        for (int n = 0; shape && n < 3; n++)
            brow[n] = kit_shape_project(shape, brow[n], 8, 0.1f);
        hard.color = kit_hex(DARK);
        kit_mesh_tube(k, &hard, NULL, NULL, brow, (const float[]){0.006f, 0.011f, 0.005f}, 3, 6, 8);
    }
    hard.color = kit_hex(NOSE);
    kit_mesh_eye(k, &hard, kit_at(0, 0.745f, 0.745f), kit_at(0.056f, 0.042f, 0.044f), kit_at(0, 0, 0), NULL, 0, 16);
    limber_vec3 smile[9];
    float thick[9];
    for (int i = 0; i < 9; i++) {
        float x = ((float)i - 4) / 4;
        float lobe = fabsf(sinf((float)LIMBERI_PI * x));
        limber_vec3 at = kit_at(0.098f * x, 0.662f - 0.032f * lobe + 0.02f * x * x, 0.76f - 0.1f * x * x);
        smile[i] = shape ? kit_shape_project(shape, at, 10, 0.1f) : at;
        thick[i] = 0.0075f - 0.0035f * x * x;
    }
    kit_mesh_tube(k, &hard, NULL, NULL, smile, thick, 9, 6, 24);
}

// As firm as the chin where it leaves the mouth.
static void paint_tongue(void* user, kit_vertex* vertex) {
    (void)user;
    vertex->floppy = kit_mix(0.2f, 0.8f, kit_smoothstep(0.3f, 1, vertex->v));
}

// Hangs out on one side.
static void model_tongue(kit* k, const dog* rig) {
    const uint32_t chain[] = {rig->head, rig->tongue};
    kit_brush brush = {.bind = kit_chain(k, chain, 2, 0.02f), .color = kit_hex(0xee6f7d), .floppy = 1, .squash = 0.6f};
    const limber_vec3 points[] = {
        {0.035f, 0.64f, 0.655f}, {0.038f, 0.628f, 0.705f}, {0.042f, 0.6f, 0.728f}, {0.045f, 0.565f, 0.73f}};
    const float radii[] = {0.02f, 0.024f, 0.027f, 0.02f};
    kit_mesh_tube(k, &brush, paint_tongue, NULL, points, radii, 4, 8, 12);
}

// A ring around the neck, pulled to the surface.
static limber_vec3 collar_base(const kit_shape* shape, float around, limber_vec3* outwards) {
    limber_vec3 ring = kit_at(0.14f * sinf(around), 0, 0.14f * cosf(around));
    limber_vec3 at = limberi_add(kit_at(0, 0.625f, 0.345f), limberi_quat_rotate(kit_euler(38, 0, 0), ring));
    at = kit_shape_project(shape, at, 6, 0.1f);
    kit_shape_distance(shape, at, outwards);
    *outwards = limberi_normalize(*outwards);
    return at;
}

static void collar_point(void* user, float u, float v, limber_vec3* position) {
    float tube = 2 * (float)LIMBERI_PI * v;
    limber_vec3 outwards;
    limber_vec3 along = limberi_quat_rotate(kit_euler(38, 0, 0), kit_at(0, 1, 0));
    limber_vec3 base = collar_base(user, 2 * (float)LIMBERI_PI * u, &outwards);
    along = limberi_normalize(limberi_sub(along, limberi_scale(outwards, limberi_dot(along, outwards))));
    base = limberi_add(base, limberi_scale(outwards, 0.006f + 0.011f * cosf(tube)));
    *position = limberi_add(base, limberi_scale(along, 0.021f * sinf(tube)));
}

static void model_collar(kit* k, const dog* rig, kit_shape* shape) {
    const uint32_t neck[] = {rig->chest, rig->neck, rig->head};
    kit_patch collar = {.point = collar_point, .user = shape, .columns = 28, .rows = 6, .closed = true};
    collar.brush =
        (kit_brush){.bind = kit_chain(k, neck, 3, 0.06f), .color = kit_hex(RED), .floppy = 0.15f, .squash = 0.6f};
    kit_mesh_patch(k, &collar);
    limber_vec3 outwards;
    limber_vec3 at = collar_base(shape, 0, &outwards);
    at = limberi_add(limberi_add(at, limberi_scale(outwards, 0.03f)), kit_at(0, -0.03f, 0));
    kit_brush tag = {.bind = kit_rigid(k, rig->neck), .color = kit_hex(GOLD), .floppy = 0.3f};
    kit_mesh_eye(k, &tag, at, kit_at(0.034f, 0.011f, 0.034f), kit_at(62, 0, 0), NULL, 0, 12);
}

void limberi_build_dog(kit* k) {
    dog rig;
    rig_dog(k, &rig);
    kit_shape* shape = kit_shape_create(k);
    if (!shape)
        return;
    shape->edge = 0.04f;
    shape->cell = 0.0145f;
    shape->border = border;
    shape->paint = paint;
    model_body(k, &rig, shape);
    for (uint32_t i = 0; i < FOUR_LEGS; i++)
        model_leg(k, &rig.legs[i], shape);
    kit_brush cut = {.bind = kit_rigid(k, rig.root), .blend = 0.015f, .carve = true}; // flat soles
    kit_add(shape, &cut, kit_ball(kit_at(0, -29.9985f, 0), 30));
    model_head(k, &rig, shape);
    model_ears_and_tail(k, &rig, shape);
    kit_mesh_begin(k, "Dog");
    kit_mesh_material(k, "Coat", 0, 0.7f, false);
    kit_mesh_shape(k, shape);
    kit_mesh_material(k, "Shiny", 0, 0.25f, false);
    model_face(k, &rig, shape);
    model_tongue(k, &rig);
    model_collar(k, &rig, shape);
    kit_mesh_end(k);
    limberi_dog_clips(k, &rig);
}
