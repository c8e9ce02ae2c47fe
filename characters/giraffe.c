// The giraffe: mostly neck. 18 of its 55 joints are in there, and every one of them can swing.
#include "characters/giraffe.h"

static const uint32_t COAT = 0xf6c667;
static const uint32_t PATCH = 0xa8622d;
static const uint32_t CREAM = 0xfdebc8;
static const uint32_t DARK = 0x5a3a2a;
static const uint32_t PINK = 0xf2a6a0;
static const limber_vec3 HEAD = {0, 2.7f, 0.88f};
static const limber_vec3 MUZZLE = {0, 2.575f, 1.1f};

// A gentle S from the shoulders to the skull, t from 0 to 1.
static limber_vec3 neck_at(float t) {
    float s = sinf((float)LIMBERI_PI * t);
    return kit_at(0, kit_mix(1.46f, 2.62f, t), kit_mix(0.3f, 0.79f, t) - 0.035f * s * (1 - 2 * t) - 0.02f * s);
}

// ---- rig ----

static void rig_leg(kit* k, giraffe_leg* leg, bool hind, float side, uint32_t parent) {
    const char* limb = hind ? "LegHind" : "LegFront";
    float z = hind ? -0.34f : 0.25f;
    float bend = hind ? -0.05f : 0.03f;
    float x = 0.15f;
    float top = hind ? 1.04f : 1.1f;
    leg->upper = kit_joint_limb(k, limb, "Upper", side, parent, kit_at(x, top, z));
    leg->lower = kit_joint_limb(k, limb, "Lower", side, leg->upper, kit_at(x, 0.6f, z + bend));
    leg->ankle = kit_joint_limb(k, limb, "Ankle", side, leg->lower, kit_at(x, 0.13f, z));
    leg->hoof = kit_joint_limb(k, limb, "Hoof", side, leg->ankle, kit_at(x, 0.06f, z + 0.04f));
    leg->at = kit_joint_at(k, leg->ankle);
    leg->knee = hind ? -1.0f : 1.0f;
}

static void rig_head(kit* k, giraffe* rig) {
    for (uint32_t i = 0; i < GIRAFFE_NECK; i++)
        rig->neck[i] = kit_joint_numbered(k, "Neck", i + 1, (int32_t)(i ? rig->neck[i - 1] : rig->chest),
                                          neck_at((float)i / GIRAFFE_NECK));
    limber_vec3 top = neck_at(1);
    rig->head = kit_joint(k, "Head", (int32_t)rig->neck[GIRAFFE_NECK - 1], top.x, top.y, top.z);
    rig->jaw = kit_joint(k, "Jaw", (int32_t)rig->head, 0, 2.56f, 0.94f);
    for (int i = 0; i < 2; i++) {
        float side = i ? -1.0f : 1.0f;
        rig->ear[i] = kit_joint_side(k, "Ear", side, (int32_t)rig->head, 0.13f, 2.77f, 0.82f);
        rig->ear_tip[i] = kit_joint_side(k, "EarTip", side, (int32_t)rig->ear[i], 0.25f, 2.79f, 0.8f);
        rig->ossicone[i] = kit_joint_side(k, "Ossicone", side, (int32_t)rig->head, 0.065f, 2.84f, 0.85f);
    }
}

static void rig_giraffe(kit* k, giraffe* rig) {
    rig->root = kit_joint(k, "Root", KIT_NO_PARENT, 0, 0, 0);
    rig->hips = kit_joint(k, "Hips", (int32_t)rig->root, 0, 1.18f, -0.3f);
    rig->spine = kit_joint(k, "Spine", (int32_t)rig->hips, 0, 1.22f, -0.06f);
    rig->chest = kit_joint(k, "Chest", (int32_t)rig->spine, 0, 1.28f, 0.16f);
    rig->belly = kit_joint(k, "Belly", (int32_t)rig->spine, 0, 1.08f, -0.04f);
    rig_head(k, rig);
    for (uint32_t i = 0; i < GIRAFFE_TAIL; i++) {
        float t = (float)i / GIRAFFE_TAIL;
        limber_vec3 at = kit_at(0, 1.3f - 0.62f * t * (0.55f + 0.45f * t), -0.5f - 0.2f * sqrtf(t));
        rig->tail[i] = kit_joint_numbered(k, "Tail", i + 1, (int32_t)(i ? rig->tail[i - 1] : rig->hips), at);
    }
    for (uint32_t i = 0; i < GIRAFFE_LEGS; i++)
        rig_leg(k, &rig->legs[i], i >= 2, i % 2 ? -1.0f : 1.0f, i >= 2 ? rig->hips : rig->chest);
}

// ---- paint ----

typedef struct coat {
    uint32_t count;
    limber_vec3 centers[GIRAFFE_SPOTS];
    float radii[GIRAFFE_SPOTS];
} coat;

static void add_spot(coat* c, const kit_shape* shape, limber_vec3 at, float radius) {
    if (c->count >= GIRAFFE_SPOTS)
        return;
    c->centers[c->count] = kit_shape_project(shape, at, 8, 0.2f);
    c->radii[c->count++] = radius;
}

// Staggered rows around body and neck; none on the belly, the throat and the lower legs.
static void add_spots(coat* c, const kit_shape* shape) {
    static const float pi = (float)LIMBERI_PI;
    for (int row = 0; row < 4; row++) {
        for (int i = 0; i < (row % 2 ? 2 : 3); i++) {
            float around = (78 * ((float)i + 0.5f * (float)(row % 2)) - 78) * pi / 180;
            limber_vec3 out = kit_at(0.3f * sinf(around), 0.3f * cosf(around), 0);
            limber_vec3 center = kit_at(0, 1.2f + 0.035f * (float)row, -0.42f + 0.225f * (float)row);
            add_spot(c, shape, limberi_add(center, out), 0.096f + 0.007f * (float)((row + 2 * i) % 3));
        }
    }
    for (int row = 0; row < 5; row++) {
        for (int i = 0; i < 3; i++) {
            float t = 0.17f + 0.165f * (float)row;
            float around = (120 * (float)i + (row % 2 ? 60.0f : 0.0f) + 180) * pi / 180;
            limber_vec3 out = kit_at(0.16f * sinf(around), 0, 0.16f * cosf(around));
            add_spot(c, shape, limberi_add(neck_at(t), out), 0.08f - 0.004f * (float)row);
        }
    }
    for (int i = 0; i < 4; i++) {
        float x = i % 2 ? -0.24f : 0.24f;
        float z = i < 2 ? 0.25f : -0.36f;
        add_spot(c, shape, kit_at(x, 0.99f, z), 0.08f);
        add_spot(c, shape, kit_at(x, 0.74f, z + 0.06f), 0.062f);
    }
}

static float spot_distance(const coat* c, limber_vec3 at) {
    float nearest = 1;
    for (uint32_t i = 0; i < c->count; i++)
        nearest = fminf(nearest, limberi_length(limberi_sub(at, c->centers[i])) - c->radii[i]);
    return nearest;
}

static float hoof_distance(limber_vec3 at) {
    return at.y - 0.115f;
}

static float muzzle_distance(limber_vec3 at) {
    limber_vec3 d = limberi_sub(at, kit_at(MUZZLE.x, MUZZLE.y - 0.02f, MUZZLE.z + 0.04f));
    return limberi_length(kit_at(d.x, d.y, 0.9f * d.z)) - 0.178f;
}

static float border(void* user, limber_vec3 at) {
    float spots = spot_distance(user, at);
    float muzzle = muzzle_distance(at);
    float hoof = hoof_distance(at);
    float nearest = fabsf(muzzle) < fabsf(hoof) ? muzzle : hoof;
    return fabsf(spots) < fabsf(nearest) ? spots : nearest;
}

static void paint(void* user, kit_vertex* vertex) {
    limber_vec3 at = vertex->position;
    limber_vec3 plain = kit_hex(COAT);
    float width = fmaxf(KIT_CRISP * vertex->edge, 0.02f);
    // Only the coat's own colour gets spots; mane, tuft, ears and knobs keep theirs.
    bool coloured = limberi_length(limberi_sub(vertex->color, plain)) < 0.12f;
    if (coloured) {
        // Paler below and on the lower legs.
        float pale = fmaxf(kit_smoothstep(0.3f, 0.95f, -vertex->normal.y) * (at.y > 0.9f ? 1.0f : 0.0f),
                           0.75f * (1 - kit_smoothstep(0.35f, 0.75f, at.y)));
        vertex->color = limberi_lerp(vertex->color, kit_hex(CREAM), at.y < 2.4f ? pale : 0);
        vertex->color = limberi_lerp(vertex->color, kit_hex(PATCH), kit_inside(spot_distance(user, at), width));
    }
    bool ear = fabsf(at.x) > 0.16f && at.y > 2.65f;
    if (ear)
        vertex->color = limberi_lerp(vertex->color, kit_hex(PINK), kit_smoothstep(0.5f, 0.8f, vertex->normal.z));
    vertex->color = limberi_lerp(vertex->color, kit_hex(DARK), kit_inside(hoof_distance(at), width));
    vertex->color = limberi_lerp(vertex->color, kit_hex(CREAM), kit_inside(muzzle_distance(at), width));
}

// ---- model ----

static void model_body(kit* k, const giraffe* rig, kit_shape* shape) {
    const uint32_t spine[] = {rig->hips, rig->spine, rig->chest};
    kit_brush hide = {.bind = kit_chain(k, spine, 3, 0.12f), .color = kit_hex(COAT), .blend = 0.2f, .reach = 0.05f};
    hide.floppy = 0.1f;
    hide.squash = 0.5f;
    kit_add(shape, &hide, kit_ellipsoid(kit_at(0, 1.22f, -0.06f), kit_at(0.27f, 0.255f, 0.44f), kit_at(-6, 0, 0)));
    kit_add(shape, &hide, kit_ball(kit_at(0, 1.3f, 0.17f), 0.235f));
    kit_add(shape, &hide, kit_ball(kit_at(0, 1.19f, -0.3f), 0.215f));
    hide.bind = kit_rigid(k, rig->belly);
    hide.floppy = 0.4f;
    hide.blend = 0.15f;
    hide.reach = 0.02f;
    kit_add(shape, &hide, kit_ellipsoid(kit_at(0, 1.09f, -0.04f), kit_at(0.18f, 0.13f, 0.26f), kit_at(-4, 0, 0)));
}

static void model_neck(kit* k, const giraffe* rig, kit_shape* shape) {
    enum { POINTS = 10 };
    uint32_t joints[GIRAFFE_NECK + 2] = {rig->chest};
    for (uint32_t i = 0; i < GIRAFFE_NECK; i++)
        joints[i + 1] = rig->neck[i];
    joints[GIRAFFE_NECK + 1] = rig->head;
    uint32_t chain = kit_chain(k, joints, GIRAFFE_NECK + 2, 0.1f);
    kit_brush hide = {.bind = chain, .color = kit_hex(COAT), .blend = 0.22f, .edge = 0.061f, .reach = 0.04f};
    hide.floppy = 0.6f;
    hide.squash = 0.3f;
    limber_vec3 points[POINTS], mane[POINTS];
    float radii[POINTS], mane_radii[POINTS];
    for (int i = 0; i < POINTS; i++) {
        float t = (float)i / (POINTS - 1);
        points[i] = neck_at(t);
        radii[i] = kit_mix(0.15f, 0.088f, powf(t, 0.7f));
        mane[i] = limberi_add(neck_at(0.1f + 0.95f * t), kit_at(0, 0.03f, -0.72f * radii[i] - 0.025f));
        mane_radii[i] = 0.034f + 0.006f * sinf(9 * t);
    }
    kit_add_limb(shape, &hide, points, radii, POINTS);
    hide.color = kit_hex(DARK);
    hide.blend = 0.02f;
    hide.edge = 0.062f;
    hide.floppy = 0.9f;
    kit_add_limb(shape, &hide, mane, mane_radii, POINTS);
}

static void model_leg(kit* k, const giraffe_leg* leg, uint32_t parent, kit_shape* shape) {
    const uint32_t joints[] = {parent, leg->upper, leg->lower, leg->ankle, leg->hoof};
    kit_brush hide = {.bind = kit_chain(k, joints, 5, 0.06f), .color = kit_hex(COAT), .blend = 0.12f, .edge = 0.07f};
    hide.reach = 0.02f;
    hide.squash = 0.2f;
    limber_vec3 hip = kit_joint_at(k, leg->upper);
    limber_vec3 knee = kit_joint_at(k, leg->lower);
    limber_vec3 ankle = leg->at;
    float bulge = leg->knee < 0 ? 0.115f : 0.105f;
    const limber_vec3 points[] = {hip, limberi_lerp(hip, knee, 0.6f), knee, limberi_lerp(knee, ankle, 0.35f), ankle};
    const float radii[] = {bulge, 0.083f, 0.078f, 0.064f, 0.062f};
    kit_add_limb(shape, &hide, points, radii, 5);
    hide.blend = 0.03f;
    hide.edge = 0.052f;
    kit_add(shape, &hide,
            kit_bone(kit_at(ankle.x, 0.1f, ankle.z + 0.005f), 0.07f, kit_at(ankle.x, 0.05f, ankle.z + 0.02f), 0.088f));
    hide.carve = true; // a flat sole
    kit_add(shape, &hide, kit_ellipsoid(kit_at(ankle.x, -0.3f, ankle.z), kit_at(0.6f, 0.3f, 0.6f), kit_at(0, 0, 0)));
}

static void model_ears(kit* k, const giraffe* rig, kit_shape* shape) {
    for (int i = 0; i < 2; i++) {
        float side = i ? -1.0f : 1.0f;
        const uint32_t joints[] = {rig->head, rig->ear[i], rig->ear_tip[i]};
        kit_brush ear = {
            .bind = kit_chain(k, joints, 3, 0.04f), .color = kit_hex(COAT), .blend = 0.03f, .edge = 0.037f};
        ear.floppy = 1;
        ear.reach = 0.012f;
        kit_add(shape, &ear,
                kit_ellipsoid(kit_at(0.24f * side, 2.785f, 0.8f), kit_at(0.14f, 0.068f, 0.038f),
                              kit_at(0, 16 * side, 8 * side)));
        kit_brush horn = {.color = kit_hex(COAT), .blend = 0.02f, .edge = 0.045f, .floppy = 0.5f, .reach = 0.012f};
        const uint32_t ossicone[] = {rig->head, rig->ossicone[i]};
        horn.bind = kit_chain(k, ossicone, 2, 0.03f);
        kit_add(shape, &horn,
                kit_bone(kit_at(0.065f * side, 2.82f, 0.85f), 0.04f, kit_at(0.085f * side, 2.98f, 0.83f), 0.03f));
        horn.color = kit_hex(DARK);
        horn.blend = 0.01f;
        kit_add(shape, &horn, kit_ball(kit_at(0.088f * side, 3.01f, 0.826f), 0.052f));
    }
}

static void model_head(kit* k, const giraffe* rig, kit_shape* shape) {
    kit_brush hide = {.bind = kit_rigid(k, rig->head), .color = kit_hex(COAT), .blend = 0.08f, .edge = 0.05f};
    hide.reach = 0.02f;
    hide.floppy = 0.3f;
    hide.squash = 0.3f;
    kit_add(shape, &hide, kit_ellipsoid(HEAD, kit_at(0.155f, 0.155f, 0.17f), kit_at(0, 0, 0)));
    kit_add(shape, &hide, kit_ellipsoid(MUZZLE, kit_at(0.132f, 0.1f, 0.165f), kit_at(8, 0, 0)));
    const uint32_t jaw[] = {rig->head, rig->jaw};
    hide.bind = kit_chain(k, jaw, 2, 0.03f);
    hide.blend = 0.03f;
    kit_add(shape, &hide, kit_ellipsoid(kit_at(0, 2.5f, 1.07f), kit_at(0.1f, 0.065f, 0.135f), kit_at(8, 0, 0)));
    model_ears(k, rig, shape);
}

static void model_tail(kit* k, const giraffe* rig, kit_shape* shape) {
    uint32_t joints[GIRAFFE_TAIL + 1] = {rig->hips};
    limber_vec3 points[GIRAFFE_TAIL];
    float radii[GIRAFFE_TAIL];
    for (uint32_t i = 0; i < GIRAFFE_TAIL; i++) {
        joints[i + 1] = rig->tail[i];
        points[i] = kit_joint_at(k, rig->tail[i]);
        radii[i] = kit_mix(0.05f, 0.028f, fminf((float)i / 3, 1));
    }
    kit_brush tail = {.bind = kit_chain(k, joints, GIRAFFE_TAIL + 1, 0.05f), .color = kit_hex(COAT), .blend = 0.05f};
    tail.edge = 0.045f;
    tail.reach = 0.015f;
    tail.floppy = 1;
    kit_add_limb(shape, &tail, points, radii, GIRAFFE_TAIL);
    tail.color = kit_hex(DARK);
    tail.blend = 0.02f;
    limber_vec3 end = points[GIRAFFE_TAIL - 1];
    kit_add(shape, &tail,
            kit_bone(kit_at(0, end.y + 0.01f, end.z), 0.032f, kit_at(0, end.y - 0.1f, end.z - 0.005f), 0.052f));
    kit_add(shape, &tail,
            kit_bone(kit_at(0, end.y - 0.1f, end.z), 0.05f, kit_at(0, end.y - 0.19f, end.z - 0.01f), 0.015f));
}

static void model_smile(kit* k, const giraffe* rig, const kit_shape* shape) {
    enum { POINTS = 9 };
    limber_vec3 points[POINTS];
    float radii[POINTS];
    for (int i = 0; i < POINTS; i++) {
        float x = (float)i / (POINTS - 1) * 2 - 1;
        limber_vec3 at = kit_at(0.12f * x, 2.535f + 0.035f * x * x, 1.27f - 0.14f * x * x);
        points[i] = kit_shape_project(shape, at, 8, 0.1f);
        radii[i] = 0.008f - 0.004f * x * x;
    }
    kit_brush line = {.bind = kit_rigid(k, rig->head), .color = kit_hex(0x9c5a3c), .floppy = 0.3f, .squash = 0.3f};
    kit_mesh_tube(k, &line, NULL, NULL, points, radii, POINTS, 4, 12);
}

static void model_face(kit* k, const giraffe* rig, const kit_shape* shape) {
    kit_brush hard = {.bind = kit_rigid(k, rig->head), .color = kit_hex(DARK), .floppy = 0.3f, .squash = 0.3f};
    const kit_band iris[] = {{36, kit_hex(0x1d1a1a)}, {47, kit_hex(0x7a4a21)}, {180, kit_hex(0xffffff)}};
    for (int i = 0; i < 2; i++) {
        float side = i ? -1.0f : 1.0f;
        limber_vec3 eye = kit_at(0.1f * side, 2.765f, 0.985f);
        limber_vec3 turned = kit_at(80, 16 * side, 0);
        limber_vec3 radii = kit_at(0.074f, 0.062f, 0.084f);
        kit_mesh_eye(k, &hard, eye, radii, turned, iris, 3, 13);
        kit_brush shine = hard;
        shine.color = kit_hex(0xffffff);
        limber_vec3 glint = kit_eye_at(eye, radii, turned, 27, 150);
        kit_mesh_eye(k, &shine, glint, kit_at(0.015f, 0.007f, 0.017f), turned, NULL, 0, 5);
        limber_vec3 nostril = kit_shape_project(shape, kit_at(0.06f * side, 2.615f, 1.25f), 8, 0.1f);
        kit_mesh_eye(k, &hard, nostril, kit_at(0.022f, 0.009f, 0.015f), kit_at(60, 25 * side, 0), NULL, 0, 6);
    }
    model_smile(k, rig, shape);
}

void limberi_build_giraffe(kit* k) {
    giraffe rig;
    coat spots = {0};
    rig_giraffe(k, &rig);
    kit_shape* shape = kit_shape_create(k);
    if (!shape)
        return;
    shape->edge = 0.085f;
    shape->cell = 0.025f;
    shape->border = border;
    shape->paint = paint;
    shape->user = &spots;
    model_body(k, &rig, shape);
    for (uint32_t i = 0; i < GIRAFFE_LEGS; i++)
        model_leg(k, &rig.legs[i], i < 2 ? rig.chest : rig.hips, shape);
    model_neck(k, &rig, shape);
    model_head(k, &rig, shape);
    model_tail(k, &rig, shape);
    add_spots(&spots, shape);
    kit_mesh_begin(k, "Giraffe");
    kit_mesh_shape(k, shape);
    model_face(k, &rig, shape);
    kit_mesh_end(k);
    limberi_giraffe_clips(k, &rig);
}
