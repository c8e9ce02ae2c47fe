// The horse: a stout chestnut cob with a long face, feathered feet, a mane that falls to one side and a tail on four
// joints. 25 joints.
#include "characters/horse.h"

static const uint32_t COAT = 0xb5653a;
static const uint32_t DARK = 0x5b2c1b;
static const uint32_t CREAM = 0xfdf0dc;
static const uint32_t PINK = 0xe7a58f;
static const uint32_t HOOF = 0x4a3a33;
static const limber_vec3 TAIL[HORSE_TAIL + 1] = {
    {0, 0.98f, -0.5f}, {0, 0.96f, -0.63f}, {0, 0.8f, -0.71f}, {0, 0.6f, -0.73f}, {0, 0.38f, -0.71f}};
static const limber_vec3 POLL = {0, 1.47f, 0.66f};

static const float SIDES[2] = {1, -1};

static const quadruped_places LEGS = {
    .foot = "Hoof",
    .front = {{0.14f, 0.8f, 0.32f}, {0.145f, 0.45f, 0.32f + 0.05f}, {0.148f, 0.11f, 0.32f}},
    .hind = {{0.14f, 0.8f, -0.4f}, {0.145f, 0.45f, -0.4f - 0.1f}, {0.148f, 0.11f, -0.4f - 0.03f}},
    .front_knee = 1,
};

// ---- rig ----

static void rig_horse(kit* k, horse* rig) {
    rig->root = kit_joint(k, "Root", KIT_NO_PARENT, 0, 0, 0);
    rig->hips = kit_joint(k, "Hips", (int32_t)rig->root, 0, 0.9f, -0.34f);
    rig->spine = kit_joint(k, "Spine", (int32_t)rig->hips, 0, 0.9f, -0.06f);
    rig->chest = kit_joint(k, "Chest", (int32_t)rig->spine, 0, 0.9f, 0.2f);
    rig->neck[0] = kit_joint(k, "Neck1", (int32_t)rig->chest, 0, 1.04f, 0.4f);
    rig->neck[1] = kit_joint(k, "Neck2", (int32_t)rig->neck[0], 0, 1.26f, 0.54f);
    rig->head = kit_joint(k, "Head", (int32_t)rig->neck[1], 0, 1.43f, 0.65f);
    for (int i = 0; i < 2; i++)
        rig->ear[i] = kit_joint_side(k, "Ear", SIDES[i], (int32_t)rig->head, 0.065f, 1.56f, 0.64f);
    for (uint32_t i = 0; i < HORSE_TAIL; i++)
        rig->tail[i] = kit_joint_numbered(k, "Tail", i + 1, (int32_t)(i ? rig->tail[i - 1] : rig->hips), TAIL[i]);
    quadruped_rig(k, &LEGS, rig->chest, rig->hips, rig->legs);
}

// ---- paint ----

// A star, a stripe down the face, and white stockings.
static float white_distance(limber_vec3 at) {
    float blaze = at.z > 0.7f && at.y > 1.08f ? fabsf(at.x) - 0.028f - 0.05f * fmaxf(1.42f - at.y, 0) : 1;
    float ahead = at.z - 0.7f;
    blaze = fmaxf(blaze, 0.02f - ahead);
    float sock = at.y - 0.27f - 0.015f * sinf(30 * at.x + 20 * at.z);
    return fminf(blaze, sock);
}

static float nose_distance(limber_vec3 at) {
    return kit_ball_distance(at, kit_at(0, 1.1f, 1.0f), kit_at(1, 1, 1), 0.115f);
}

static float border(void* user, limber_vec3 at) {
    (void)user;
    float white = white_distance(at);
    float nose = nose_distance(at);
    return kit_nearer(white, nose);
}

static void paint(void* user, kit_vertex* vertex) {
    (void)user;
    limber_vec3 at = vertex->position;
    float width = fmaxf(KIT_CRISP * vertex->edge, 0.02f);
    vertex->color = limberi_lerp(vertex->color, kit_hex(CREAM), kit_inside(white_distance(at), width));
    vertex->color = limberi_lerp(vertex->color, kit_hex(PINK), kit_inside(nose_distance(at), width));
}

// ---- model ----

static void model_body(kit* k, const horse* rig, kit_shape* shape) {
    const uint32_t spine[] = {rig->hips, rig->spine, rig->chest};
    kit_brush coat = {.bind = kit_chain(k, spine, 3, 0.12f), .color = kit_hex(COAT), .blend = 0.13f, .reach = 0.06f};
    coat.floppy = 0.12f;
    coat.squash = 0.8f;
    kit_add(shape, &coat, kit_ellipsoid(kit_at(0, 0.88f, 0.25f), kit_at(0.215f, 0.235f, 0.24f), kit_at(0, 0, 0)));
    kit_add(shape, &coat, kit_bone(kit_at(0, 0.88f, 0.14f), 0.215f, kit_at(0, 0.885f, -0.3f), 0.21f));
    kit_add(shape, &coat, kit_ellipsoid(kit_at(0, 0.93f, -0.36f), kit_at(0.215f, 0.21f, 0.215f), kit_at(0, 0, 0)));
    const uint32_t neck[] = {rig->chest, rig->neck[0], rig->neck[1], rig->head};
    coat.bind = kit_chain(k, neck, 4, 0.08f);
    coat.blend = 0.1f;
    kit_add(shape, &coat, kit_bone(kit_at(0, 0.96f, 0.32f), 0.18f, kit_at(0, 1.22f, 0.51f), 0.135f));
    kit_add(shape, &coat, kit_bone(kit_at(0, 1.22f, 0.51f), 0.135f, kit_at(0, 1.43f, 0.64f), 0.105f));
}

static void model_leg(kit* k, const quadruped_leg* leg, kit_shape* shape) {
    const uint32_t joints[] = {leg->parent, leg->upper, leg->lower, leg->foot};
    kit_brush coat = {.bind = kit_chain(k, joints, 4, 0.06f), .color = kit_hex(COAT), .blend = 0.09f, .edge = 0.045f};
    coat.reach = 0.035f;
    coat.squash = 0.5f;
    limber_vec3 top = kit_joint_at(k, leg->upper);
    limber_vec3 knee = kit_joint_at(k, leg->lower);
    limber_vec3 hoof = leg->at;
    bool hind = leg->knee < 0;
    const limber_vec3 points[] = {kit_at(top.x - 0.02f, top.y, top.z), knee, {hoof.x, hoof.y + 0.03f, hoof.z}};
    const float radii[] = {hind ? 0.13f : 0.105f, 0.068f, 0.056f};
    kit_add_limb(shape, &coat, points, radii, 3);
    coat.blend = 0.05f;
    coat.bind = kit_rigid(k, leg->foot);
    kit_add(shape, &coat, // the feather over the hoof
            kit_ellipsoid(kit_at(hoof.x, 0.125f, hoof.z - 0.01f), kit_at(0.082f, 0.06f, 0.085f), kit_at(0, 0, 0)));
}

static void model_hoof(kit* k, const quadruped_leg* leg) {
    kit_brush horn = {.bind = kit_rigid(k, leg->foot), .color = kit_hex(HOOF), .squash = 0.4f};
    const kit_profile_point profile[] = {{0.086f, 0}, {0.088f, 0.012f}, {0.074f, 0.1f}, {0.06f, 0.115f}, {0, 0.118f}};
    kit_mesh_lathe(k, &horn, NULL, NULL, kit_at(leg->at.x, 0, leg->at.z + 0.012f), kit_at(0, 0, 0), profile, 5, 16, 8);
}

static void model_head(kit* k, const horse* rig, kit_shape* shape) {
    kit_brush coat = {.bind = kit_rigid(k, rig->head), .color = kit_hex(COAT), .blend = 0.08f, .edge = 0.035f};
    coat.reach = 0.03f;
    coat.floppy = 0.15f;
    coat.squash = 0.6f;
    kit_add(shape, &coat, kit_ellipsoid(POLL, kit_at(0.118f, 0.125f, 0.13f), kit_at(0, 0, 0)));
    kit_add(shape, &coat, kit_bone(kit_at(0, 1.39f, 0.73f), 0.108f, kit_at(0, 1.15f, 0.95f), 0.078f));
    kit_add(shape, &coat, kit_ellipsoid(kit_at(0, 1.12f, 0.975f), kit_at(0.1f, 0.085f, 0.09f), kit_at(42, 0, 0)));
    coat.blend = 0.03f;
    kit_add(shape, &coat, kit_ellipsoid(kit_at(0, 1.065f, 0.915f), kit_at(0.062f, 0.045f, 0.075f), kit_at(30, 0, 0)));
    for (int i = 0; i < 2; i++) {
        const uint32_t joints[] = {rig->head, rig->ear[i]};
        kit_brush ear = {
            .bind = kit_chain(k, joints, 2, 0.03f), .color = kit_hex(COAT), .blend = 0.03f, .edge = 0.022f};
        ear.reach = 0.015f;
        ear.floppy = 0.8f;
        float s = SIDES[i];
        kit_add(
            shape, &ear,
            kit_ellipsoid(kit_at(s * 0.075f, 1.63f, 0.645f), kit_at(0.032f, 0.085f, 0.022f), kit_at(4, 0, -s * 10)));
    }
}

static void model_tail(kit* k, const horse* rig, kit_shape* shape) {
    const uint32_t joints[] = {rig->hips, rig->tail[0], rig->tail[1], rig->tail[2], rig->tail[3]};
    kit_brush tail = {.bind = kit_chain(k, joints, 5, 0.06f), .color = kit_hex(DARK), .blend = 0.03f, .edge = 0.035f};
    tail.reach = 0.02f;
    tail.floppy = 1;
    tail.squash = 0.5f;
    const float radii[] = {0.05f, 0.075f, 0.105f, 0.1f, 0.02f};
    kit_add_limb(shape, &tail, TAIL, radii, HORSE_TAIL + 1);
}

// Locks down the neck, falling to the right, and a forelock between the ears.
static void model_mane(kit* k, const horse* rig) {
    const uint32_t neck[] = {rig->chest, rig->neck[0], rig->neck[1], rig->head};
    kit_brush hair = {.bind = kit_chain(k, neck, 4, 0.08f), .color = kit_hex(DARK), .floppy = 0.9f, .squash = 0.5f};
    for (int i = 0; i < 9; i++) {
        float t = (float)i / 8;
        limber_vec3 crest = limberi_lerp(kit_at(0, 1.13f, 0.22f), kit_at(0, 1.57f, 0.59f), t);
        crest.y += 0.03f * sinf((float)LIMBERI_PI * t);
        float long_one = kit_mix(0.2f, 0.15f, t) * (i % 2 ? 0.9f : 1.1f);
        const limber_vec3 lock[] = {crest,
                                    {crest.x - 0.085f, crest.y + 0.01f, crest.z - 0.01f},
                                    {crest.x - 0.15f, crest.y - 0.5f * long_one, crest.z - 0.005f},
                                    {crest.x - 0.155f, crest.y - long_one, crest.z + 0.02f}};
        kit_mesh_tube(k, &hair, NULL, NULL, lock, (const float[]){0.045f, 0.05f, 0.042f, 0.008f}, 4, 8, 10);
    }
    hair.bind = kit_rigid(k, rig->head);
    for (int i = -1; i <= 1; i++) {
        float x = 0.03f * (float)i;
        const limber_vec3 lock[] = {
            {x, 1.585f, 0.62f}, {x * 1.2f, 1.585f, 0.72f}, {x * 1.5f, 1.51f, 0.79f}, {x * 1.7f - 0.01f, 1.44f, 0.81f}};
        kit_mesh_tube(k, &hair, NULL, NULL, lock, (const float[]){0.03f, 0.034f, 0.024f, 0.006f}, 4, 8, 10);
    }
}

static void model_face(kit* k, const horse* rig, const kit_shape* shape) {
    kit_brush hard = {.bind = kit_rigid(k, rig->head), .floppy = 0.15f, .squash = 0.6f};
    for (int i = 0; i < 2; i++) {
        float s = SIDES[i];
        limber_vec3 turned = kit_at(70, 42 * s, 0);
        limber_quat frame = kit_euler(70, (double)(42 * s), 0);
        limber_vec3 at = kit_at(0.088f * s, 1.475f, 0.765f);
        hard.color = kit_hex(0xffffff);
        kit_mesh_eye(k, &hard, at, kit_at(0.046f, 0.03f, 0.056f), turned, NULL, 0, 16);
        hard.color = kit_hex(0x1b1416);
        limber_vec3 pupil = limberi_add(at, limberi_quat_rotate(frame, kit_at(-0.006f * s, 0.02f, 0.006f)));
        kit_mesh_eye(k, &hard, pupil, kit_at(0.028f, 0.0135f, 0.036f), turned, NULL, 0, 12);
        hard.color = kit_hex(0xffffff);
        limber_vec3 glint = limberi_add(at, limberi_quat_rotate(frame, kit_at(0.004f * s, 0.032f, -0.008f)));
        kit_mesh_eye(k, &hard, glint, kit_at(0.009f, 0.005f, 0.012f), turned, NULL, 0, 8);
        hard.color = kit_hex(0x7d3c33);
        limber_vec3 nostril = kit_shape_project(shape, kit_at(0.046f * s, 1.14f, 1.06f), 8, 0.1f);
        kit_mesh_eye(k, &hard, nostril, kit_at(0.016f, 0.01f, 0.022f), kit_at(60, 30 * s, 0), NULL, 0, 10);
    }
    limber_vec3 smile[7];
    float thick[7];
    for (int i = 0; i < 7; i++) {
        float x = ((float)i - 3) / 3;
        limber_vec3 at = kit_at(0.085f * x, 1.075f + 0.02f * x * x, 1.03f - 0.07f * x * x);
        smile[i] = kit_shape_project(shape, at, 10, 0.1f);
        thick[i] = 0.0075f - 0.003f * x * x;
    }
    hard.color = kit_hex(0x7d3c33);
    kit_mesh_tube(k, &hard, NULL, NULL, smile, thick, 7, 6, 20);
}

void limberi_build_horse(kit* k) {
    horse rig;
    rig_horse(k, &rig);
    kit_shape* shape = kit_shape_create(k);
    if (!shape)
        return;
    shape->edge = 0.055f;
    shape->cell = 0.019f;
    shape->border = border;
    shape->paint = paint;
    model_body(k, &rig, shape);
    for (uint32_t i = 0; i < FOUR_LEGS; i++)
        model_leg(k, &rig.legs[i], shape);
    model_head(k, &rig, shape);
    model_tail(k, &rig, shape);
    kit_mesh_begin(k, "Horse");
    kit_mesh_material(k, "Coat", 0, 0.7f, false);
    kit_mesh_shape(k, shape);
    model_mane(k, &rig);
    kit_mesh_material(k, "Shiny", 0, 0.3f, false);
    model_face(k, &rig, shape);
    for (uint32_t i = 0; i < FOUR_LEGS; i++)
        model_hoof(k, &rig.legs[i]);
    kit_mesh_end(k);
    limberi_horse_clips(k, &rig);
}
