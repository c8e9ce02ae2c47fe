// The dancer's face and hair: glossy eyes with lashes, a smile, hair parted in the middle, and a high ponytail on a
// chain of joints, a blossom above the ear.
#include "characters/dancer.h"

limber_vec3 dancer_ponytail_point(uint32_t point) {
    static const limber_vec3 points[DANCER_PONYTAIL + 1] = {{0, 1.605f, -0.125f}, {0, 1.635f, -0.2f},
                                                            {0, 1.57f, -0.265f},  {0, 1.465f, -0.285f},
                                                            {0, 1.355f, -0.275f}, {0, 1.24f, -0.245f}};
    return points[point];
}

// ---- face ----

// On the front of the head at (x, y), `out` in front of it.
static limber_vec3 face_point(const dancer* d, float x, float y, float out) {
    limber_vec3 at = kit_at(x, y, 0.2f);
    for (int i = 0; d->body && i < 24; i++)
        at.z -= 0.9f * kit_shape_distance(d->body, at, NULL);
    at.z += out;
    return at;
}

static void model_eye(kit* k, const dancer* d, float side) {
    kit_brush brush = {.bind = kit_rigid(k, d->head), .color = kit_hex(0x2b1714), .floppy = 0.3f, .squash = 1};
    float x = side * 0.054f;
    float y = DANCER_HEAD.y - 0.02f;
    limber_vec3 turned = kit_at(86, side * 20, 0);
    kit_mesh_material(k, "Eye", 0, 0.15f, false);
    limber_vec3 eye = face_point(d, x, y, -0.005f);
    kit_mesh_eye(k, &brush, eye, kit_at(0.0225f, 0.011f, 0.0325f), turned, NULL, 0, 18);
    brush.color = kit_hex(0xffffff);
    limber_quat frame = kit_euler(turned.x, turned.y, turned.z);
    limber_vec3 large = limberi_quat_rotate(frame, kit_at(0.007f, 0.0092f, -0.012f));
    limber_vec3 small = limberi_quat_rotate(frame, kit_at(-0.008f, 0.0088f, 0.013f));
    kit_mesh_eye(k, &brush, limberi_add(eye, large), kit_at(0.0072f, 0.003f, 0.0085f), turned, NULL, 0, 10);
    kit_mesh_eye(k, &brush, limberi_add(eye, small), kit_at(0.0038f, 0.002f, 0.0042f), turned, NULL, 0, 8);
}

static void model_line(kit* k, const dancer* d, const float (*points)[2], uint32_t count, float side,
                       const float* thick, float out) {
    limber_vec3 line[8];
    for (uint32_t i = 0; i < count; i++)
        line[i] = face_point(d, side * points[i][0], points[i][1], out);
    kit_brush brush = {.bind = kit_rigid(k, d->head), .color = kit_hex(0x2b1714), .floppy = 0.3f, .squash = 1};
    kit_mesh_tube(k, &brush, NULL, NULL, line, thick, count, 6, 10);
}

static void model_brows_and_lashes(kit* k, const dancer* d, float side) {
    float y = DANCER_HEAD.y - 0.02f;
    const float lash[5][2] = {
        {0.034f, y + 0.022f}, {0.046f, y + 0.034f}, {0.062f, y + 0.034f}, {0.076f, y + 0.023f}, {0.089f, y + 0.026f}};
    static const float lash_thick[5] = {0.0016f, 0.0042f, 0.005f, 0.0048f, 0.0014f};
    model_line(k, d, lash, 5, side, lash_thick, 0.004f);
    const float brow[4][2] = {{0.03f, y + 0.058f}, {0.048f, y + 0.068f}, {0.068f, y + 0.067f}, {0.085f, y + 0.056f}};
    static const float brow_thick[4] = {0.003f, 0.0048f, 0.0042f, 0.0015f};
    model_line(k, d, brow, 4, side, brow_thick, 0.0015f);
}

static void model_mouth(kit* k, const dancer* d) {
    limber_vec3 smile[7];
    float thick[7];
    float y = DANCER_HEAD.y - 0.094f;
    for (int i = 0; i < 7; i++) {
        float x = ((float)i - 3) / 3;
        smile[i] = face_point(d, 0.034f * x, y + 0.0135f * x * x, 0.0005f);
        thick[i] = 0.0062f - 0.0036f * x * x;
    }
    kit_brush brush = {.bind = kit_rigid(k, d->head), .color = kit_hex(0xb3202f), .floppy = 0.3f, .squash = 1};
    kit_mesh_tube(k, &brush, NULL, NULL, smile, thick, 7, 8, 16);
}

void dancer_model_face(kit* k, const dancer* d) {
    for (uint32_t i = 0; i < 2; i++)
        model_eye(k, d, DANCER_SIDES[i]);
    for (uint32_t i = 0; i < 2; i++)
        model_brows_and_lashes(k, d, DANCER_SIDES[i]);
    model_mouth(k, d);
}

// ---- hair ----

// Strands: faint light stripes that run away from the parting and down the tail.
static void hair_paint(void* user, kit_vertex* vertex) {
    (void)user;
    limber_vec3 p = vertex->position;
    float strand = p.z < -0.19f ? sinf(130 * p.x) : sinf(95 * p.x + 20 * p.z);
    float top = kit_smoothstep(0.2f, 0.95f, vertex->normal.y);
    vertex->color =
        limberi_lerp(kit_hex(0x3a1c14), kit_hex(0x6b3521), 0.5f * kit_smoothstep(0.2f, 1, strand) + 0.35f * top);
}

static void add_cap(kit* k, kit_shape* shape, const dancer* d) {
    limber_vec3 c = DANCER_HEAD;
    limber_vec3 straight = {0, 0, 0};
    kit_brush brush = {.bind = kit_rigid(k, d->head), .blend = 0.03f, .floppy = 0.3f, .squash = 1};
    kit_add(shape, &brush,
            kit_ellipsoid(kit_at(0, c.y + 0.016f, c.z - 0.022f), kit_at(0.154f, 0.146f, 0.146f), straight));
    kit_add(shape, &brush,
            kit_ellipsoid(kit_at(0, c.y - 0.045f, c.z - 0.075f), kit_at(0.118f, 0.11f, 0.085f), straight));
    brush.blend = 0.016f;
    brush.edge = 0.0145f;
    for (int i = 0; i < 2; i++) {
        float s = DANCER_SIDES[i];
        // From the parting over the temple and behind the ear.
        limber_vec3 swoop[] = {{s * 0.012f, c.y + 0.128f, 0.085f},
                               {s * 0.065f, c.y + 0.108f, 0.1f},
                               {s * 0.112f, c.y + 0.06f, 0.082f},
                               {s * 0.14f, c.y + 0.0f, 0.045f},
                               {s * 0.144f, c.y - 0.05f, 0.0f}};
        static const float thick[] = {0.021f, 0.03f, 0.031f, 0.025f, 0.014f};
        kit_add_limb(shape, &brush, swoop, thick, 5);
    }
}

static void model_tail(kit* k, const dancer* d) {
    kit_shape* shape = kit_shape_create(k);
    if (!shape)
        return;
    add_cap(k, shape, d);
    uint32_t chain[DANCER_PONYTAIL + 1] = {d->head};
    limber_vec3 points[DANCER_PONYTAIL + 1];
    for (uint32_t i = 0; i <= DANCER_PONYTAIL; i++) {
        points[i] = dancer_ponytail_point(i);
        if (i < DANCER_PONYTAIL)
            chain[i + 1] = d->ponytail[i];
    }
    kit_brush brush = {
        .bind = kit_chain(k, chain, DANCER_PONYTAIL + 1, 0.05f), .blend = 0.03f, .floppy = 1, .squash = 1};
    static const float thick[] = {0.034f, 0.046f, 0.054f, 0.052f, 0.038f, 0.015f};
    kit_add_limb(shape, &brush, points, thick, DANCER_PONYTAIL + 1);
    shape->edge = 0.0185f;
    shape->cell = 0.0075f;
    shape->paint = hair_paint;
    kit_mesh_material(k, "Hair", 0, 0.4f, false);
    kit_mesh_shape(k, shape);
}

// ---- blossom ----

typedef struct blossom_petal {
    limber_vec3 center, up, side, out;
} blossom_petal;

// A flat bag like the flower's petals: u around its rim, v from the root to the tip; spooned, its tip bent outwards.
static void petal_point(void* user, float u, float v, limber_vec3* position) {
    const blossom_petal* p = user;
    const float size = 0.056f;
    float around = 2 * (float)LIMBERI_PI * u;
    float across = sinf(around);
    float thick = cosf(around);
    float along = 0.5f - 0.5f * cosf((float)LIMBERI_PI * v);
    float wide = powf(fmaxf(sinf((float)LIMBERI_PI * v), 0), 0.75f) * (0.24f + 0.32f * along);
    float lift = 0.42f * along - 0.34f * along * along * along + 0.2f * across * across * wide +
                 0.07f * thick * fminf(2 * wide, 1);
    limber_vec3 at = limberi_scale(p->up, size * along);
    at = limberi_add(at, limberi_scale(p->side, size * across * wide));
    at = limberi_add(at, limberi_scale(p->out, size * lift));
    *position = limberi_add(p->center, at);
}

static void petal_paint(void* user, kit_vertex* vertex) {
    (void)user;
    vertex->color = limberi_lerp(kit_hex(0xe8452f), kit_hex(0xffa36b), kit_smoothstep(0.15f, 0.7f, vertex->v));
}

static void model_blossom(kit* k, const dancer* d) {
    limber_vec3 center = kit_at(0.137f, 1.548f, 0.012f);
    limber_vec3 out = limberi_normalize(kit_at(0.82f, 0.5f, 0.26f));
    limber_vec3 x = limberi_normalize(limberi_cross(kit_at(0, 0, 1), out));
    limber_vec3 y = limberi_cross(out, x);
    kit_brush brush = {.bind = kit_rigid(k, d->head), .floppy = 0.3f, .squash = 1};
    kit_mesh_material(k, "Blossom", 0, 0.5f, false);
    for (uint32_t i = 0; i < 5; i++) {
        float angle = 2 * (float)LIMBERI_PI * ((float)i + 0.2f) / 5;
        blossom_petal p = {.center = center, .out = out};
        p.up = limberi_add(limberi_scale(x, cosf(angle)), limberi_scale(y, sinf(angle)));
        p.side = limberi_cross(p.up, out);
        kit_patch patch = {.point = petal_point, .paint = petal_paint, .user = &p, .columns = 8, .rows = 6};
        patch.closed = patch.pole_start = patch.pole_end = true;
        patch.brush = brush;
        kit_mesh_patch(k, &patch);
    }
    brush.color = kit_hex(0xffd24a);
    limber_vec3 heart = limberi_add(center, limberi_scale(out, 0.011f));
    kit_mesh_eye(k, &brush, heart, kit_at(0.0145f, 0.0145f, 0.0145f), kit_at(0, 0, 0), NULL, 0, 12);
}

void dancer_model_hair(kit* k, const dancer* d) {
    model_tail(k, d);
    // What ties the tail.
    limber_vec3 a = dancer_ponytail_point(0);
    limber_vec3 b = dancer_ponytail_point(1);
    limber_vec3 way = limberi_normalize(limberi_sub(b, a));
    float pitch = atan2f(way.z, way.y) * 180 / (float)LIMBERI_PI;
    static const kit_profile_point band[] = {
        {0.03f, -0.018f}, {0.048f, -0.014f}, {0.054f, 0}, {0.048f, 0.014f}, {0.03f, 0.018f}};
    kit_brush brush = {
        .bind = kit_rigid(k, d->ponytail[0]), .color = kit_hex(DANCER_DRESS), .floppy = 0.4f, .squash = 1};
    kit_mesh_lathe(k, &brush, NULL, NULL, limberi_lerp(a, b, 0.25f), kit_at(pitch, 0, 0), band, 5, 16, 6);
    model_blossom(k, d);
}
