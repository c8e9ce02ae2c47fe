// The skirt, swept from the waist to the hem and back up inside, and what is sewn on: sash, bow, straps, bracelets and
// the ribbons of the shoes.
#include "characters/dancer.h"

enum { WAIST_SAMPLES = 96, FOLDS = 12, SEWN_POINTS = 49 };

static const float HEM_DROP = 0.49f;
static const float HEM_RADIUS = 0.4f;

typedef struct sewing {
    const dancer* d;
    float waist[WAIST_SAMPLES]; // radius of the body around the waist
} sewing;

static float radius_of_body(const kit_shape* body, float angle, float y) {
    float low = 0.01f;
    float high = 0.25f;
    for (int i = 0; body && i < 30; i++) {
        float r = 0.5f * (low + high);
        bool inside = kit_shape_distance(body, kit_at(r * sinf(angle), y, r * cosf(angle)), NULL) < 0;
        low = inside ? r : low;
        high = inside ? high : r;
    }
    return 0.5f * (low + high);
}

static void measure_waist(sewing* w, const dancer* d) {
    w->d = d;
    for (uint32_t i = 0; i < WAIST_SAMPLES; i++)
        w->waist[i] = radius_of_body(d->body, 2 * (float)LIMBERI_PI * (float)i / WAIST_SAMPLES, DANCER_WAIST);
}

static float waist_radius(const sewing* w, float u) {
    float x = (u - floorf(u)) * WAIST_SAMPLES;
    uint32_t i = (uint32_t)x % WAIST_SAMPLES;
    return kit_mix(w->waist[i], w->waist[(i + 1) % WAIST_SAMPLES], x - floorf(x));
}

// ---- skirt ----

// Radius and height along the skirt without folds: over the hips in a short curve, then a cone.
static float skirt_radius(float along) {
    return 0.088f + (HEM_RADIUS - 0.088f) * powf(along, 0.85f);
}

limber_vec3 dancer_panel_point(uint32_t panel, float along) {
    float angle = dancer_panel_angle(panel);
    float r = skirt_radius(along);
    return kit_at(r * sinf(angle), DANCER_WAIST - HEM_DROP * along, r * cosf(angle));
}

// v runs from the waist down the inside, around the hem and up the outside: one surface, round at the hem.
static float skirt_along(float v) {
    return 1 - fabsf(2 * v - 1);
}

static void skirt_point(void* user, float u, float v, limber_vec3* position) {
    const sewing* w = user;
    float s = skirt_along(v);
    float around = 2 * (float)LIMBERI_PI * u;
    float fold = cosf(FOLDS * around);
    float deep = 0.034f * powf(s, 1.4f) + 0.012f * kit_smoothstep(0.8f, 1, s);
    float r = kit_mix(waist_radius(w, u) - 0.004f, skirt_radius(s) + deep * fold, kit_smoothstep(0, 0.14f, s));
    float y = DANCER_WAIST - HEM_DROP * s - 0.012f * s * s * fold;
    // The lining lies this far inside; at the hem the two meet.
    float thick = 0.007f * kit_smoothstep(0, 0.06f, s) * (1 - kit_smoothstep(0.95f, 1, s));
    if (v < 0.5f) {
        r -= thick;
        y -= 0.4f * thick;
    }
    *position = kit_at(r * sinf(around), y, r * cosf(around));
}

static void skirt_paint_color(float s, bool inside, float fold, kit_vertex* vertex) {
    limber_vec3 color = kit_hex(DANCER_DRESS);
    limber_vec3 deep = kit_hex(0xa3122e);
    // The valleys of the folds lie in shade.
    color = limberi_lerp(color, deep, 0.7f * (1 - kit_smoothstep(-0.9f, 0.3f, fold)) * s);
    if (s > 0.955f)
        color = kit_hex(0xffe8c7);
    else if (s > 0.8f && s < 0.84f)
        color = kit_hex(DANCER_GOLD);
    else if (s > 0.84f)
        color = limberi_lerp(kit_hex(0xf2545b), color, 0.35f);
    vertex->color = inside ? limberi_lerp(kit_hex(0xf3a9a0), kit_hex(0xffe0cf), s) : color;
}

// Rows hand over from the body to the skirt's joint, then to the panels' upper and lower joints; around, each vertex
// hangs between its two nearest panels.
static void skirt_weights(const dancer* d, float u, float s, kit_vertex* vertex) {
    float place = (u - floorf(u)) * DANCER_PANELS;
    uint32_t a = (uint32_t)place % DANCER_PANELS;
    uint32_t b = (a + 1) % DANCER_PANELS;
    float t = kit_smoothstep(0, 1, place - floorf(place));
    float body = 1 - kit_smoothstep(0.0f, 0.1f, s);
    float upper = kit_smoothstep(0.03f, 0.3f, s) * (1 - body);
    float lower = kit_smoothstep(0.35f, 0.85f, s);
    vertex->weights.count = 0;
    if (body > 0) {
        kit_weights sewn = {0};
        kit_weights_add_shape(d->k, &sewn, d->body, vertex->position);
        float sum = 0;
        for (uint32_t i = 0; i < sewn.count; i++)
            sum += sewn.weight[i];
        for (uint32_t i = 0; i < sewn.count && sum > 0; i++)
            kit_weights_add(&vertex->weights, sewn.joint[i], body * sewn.weight[i] / sum);
    }
    kit_weights_add(&vertex->weights, d->skirt, (1 - body) - upper);
    kit_weights_add(&vertex->weights, d->skirt_upper[a], upper * (1 - lower) * (1 - t));
    kit_weights_add(&vertex->weights, d->skirt_upper[b], upper * (1 - lower) * t);
    kit_weights_add(&vertex->weights, d->skirt_lower[a], upper * lower * (1 - t));
    kit_weights_add(&vertex->weights, d->skirt_lower[b], upper * lower * t);
}

static void skirt_paint(void* user, kit_vertex* vertex) {
    const sewing* w = user;
    float s = skirt_along(vertex->v);
    float fold = cosf(FOLDS * 2 * (float)LIMBERI_PI * vertex->u);
    skirt_paint_color(s, vertex->v < 0.49f, fold, vertex);
    vertex->floppy = kit_mix(0.25f, 1, s);
    vertex->squash = 1;
    vertex->extra = s;
    skirt_weights(w->d, vertex->u, s, vertex);
}

void dancer_model_skirt(kit* k, const dancer* d) {
    sewing w;
    measure_waist(&w, d);
    kit_patch patch = {
        .point = skirt_point, .paint = skirt_paint, .user = &w, .columns = 120, .rows = 48, .closed = true};
    patch.brush.bind = kit_rigid(k, d->skirt);
    kit_mesh_material(k, "Skirt", 0, 0.7f, false);
    kit_mesh_patch(k, &patch);
}

// ---- sewn on ----

// A band around the waist: v runs once around its cross-section, starting inside.
static void sash_point(void* user, float u, float v, limber_vec3* position) {
    const sewing* w = user;
    float around = 2 * (float)LIMBERI_PI * u;
    float across = 2 * (float)LIMBERI_PI * (v - 0.5f);
    float r = waist_radius(w, u) + 0.009f * cosf(across) - 0.001f;
    float y = DANCER_WAIST + 0.004f + 0.022f * sinf(across) + 0.006f * cosf(around);
    *position = kit_at(r * sinf(around), y, r * cosf(around));
}

static void sewn_paint(void* user, kit_vertex* vertex) {
    const sewing* w = user;
    vertex->weights.count = 0;
    kit_weights_add_shape(w->d->k, &vertex->weights, w->d->body, vertex->position);
}

static void model_sash(kit* k, sewing* w) {
    kit_patch patch = {.point = sash_point, .paint = sewn_paint, .user = w, .columns = 40, .rows = 8, .closed = true};
    patch.brush =
        (kit_brush){.bind = kit_rigid(k, w->d->hips), .color = kit_hex(DANCER_GOLD), .floppy = 0.25f, .squash = 1};
    kit_mesh_patch(k, &patch);
}

limber_vec3 dancer_ribbon_point(float side, uint32_t point) {
    static const limber_vec3 points[3] = {{0.012f, 0.985f, -0.098f}, {0.055f, 0.86f, -0.228f}, {0.088f, 0.72f, -0.31f}};
    return kit_mirrored(points[point], side);
}

typedef struct ribbon {
    const dancer* d;
    float side;
    bool loop; // of the bow; otherwise a hanging end
} ribbon;

static void ribbon_point(void* user, float u, float v, limber_vec3* position) {
    const ribbon* r = user;
    float around = 2 * (float)LIMBERI_PI * u;
    float across = sinf(around);
    float thick = cosf(around);
    if (r->loop) {
        // A puff, pinched at the knot. Mirrored sides need the other sense of u to face outwards.
        float turn = (float)LIMBERI_PI * powf(v, 0.75f);
        float wide = 0.004f + 0.04f * sinf(turn) * (0.4f + 0.6f * v);
        limber_vec3 at = kit_at(r->side * 0.105f * v, 0.035f * v - r->side * across * wide,
                                -0.02f * v + 0.016f * sinf(turn) * thick);
        *position = limberi_add(dancer_ribbon_point(r->side, 0), at);
        return;
    }
    limber_vec3 a = dancer_ribbon_point(r->side, 0);
    limber_vec3 b = dancer_ribbon_point(r->side, 1);
    limber_vec3 c = dancer_ribbon_point(r->side, 2);
    limber_vec3 at = limberi_lerp(limberi_lerp(a, b, 1.15f * v), limberi_lerp(b, c, 1.15f * v - 0.15f), v);
    float wide = kit_mix(0.014f, 0.034f, v);
    limber_vec3 out = limberi_normalize(kit_at(0.25f * r->side, 0.5f, -0.83f));
    limber_vec3 left = limberi_normalize(kit_at(0.94f, 0.1f * r->side, 0.3f * r->side));
    at = limberi_add(at, limberi_scale(out, 0.004f * thick + 0.008f * sinf(9 * v)));
    *position = limberi_add(at, limberi_scale(left, across * wide));
}

static void ribbon_paint(void* user, kit_vertex* vertex) {
    const ribbon* r = user;
    uint32_t side = r->side > 0 ? 0 : 1;
    float own = r->loop ? 0.5f * vertex->v : kit_smoothstep(0, 0.25f, vertex->v);
    float tip = r->loop ? 0 : kit_smoothstep(0.3f, 0.75f, vertex->v);
    vertex->color = limberi_lerp(kit_hex(DANCER_GOLD), kit_hex(0xffd773), vertex->v);
    vertex->floppy = kit_mix(0.3f, 1, r->loop ? own : vertex->v);
    vertex->weights.count = 0;
    kit_weights_add(&vertex->weights, r->d->hips, 1 - own);
    kit_weights_add(&vertex->weights, r->d->ribbon[side][0], own * (1 - tip));
    kit_weights_add(&vertex->weights, r->d->ribbon[side][1], own * tip);
}

static void model_bow(kit* k, const dancer* d) {
    kit_brush brush = {.bind = kit_rigid(k, d->hips), .color = kit_hex(0xe9a220), .floppy = 0.25f, .squash = 1};
    kit_mesh_eye(k, &brush, kit_at(0, 0.99f, -0.1f), kit_at(0.018f, 0.02f, 0.016f), kit_at(0, 0, 0), NULL, 0, 12);
    for (uint32_t i = 0; i < 4; i++) {
        ribbon r = {d, DANCER_SIDES[i % 2], i < 2};
        kit_patch patch = {
            .point = ribbon_point, .paint = ribbon_paint, .user = &r, .columns = 8, .rows = r.loop ? 9 : 12};
        patch.closed = patch.pole_start = patch.pole_end = true;
        patch.brush = (kit_brush){.bind = kit_rigid(k, d->hips), .squash = 1};
        kit_mesh_patch(k, &patch);
    }
}

static void model_sewn_tube(kit* k, sewing* w, const limber_vec3* points, uint32_t count, float thick, uint32_t rows,
                            uint32_t color) {
    float radii[SEWN_POINTS];
    for (uint32_t i = 0; i < count && i < SEWN_POINTS; i++)
        radii[i] = thick;
    kit_brush brush = {.bind = kit_rigid(k, w->d->hips), .color = kit_hex(color), .floppy = 0.25f, .squash = 1};
    kit_mesh_tube(k, &brush, sewn_paint, w, points, radii, count, 6, rows);
}

static limber_vec3 on_body(const dancer* d, limber_vec3 at) {
    return d->body ? kit_shape_project(d->body, at, 8, 0.05f) : at;
}

// The piping along the upper edge of the dress.
static void model_neckline(kit* k, sewing* w) {
    limber_vec3 line[SEWN_POINTS];
    for (uint32_t i = 0; i < SEWN_POINTS; i++) {
        float angle = 2 * (float)LIMBERI_PI * ((float)i / (SEWN_POINTS - 1) + 0.5f);
        float y = dancer_neckline(angle);
        float r = radius_of_body(w->d->body, angle, y) + 0.001f;
        line[i] = kit_at(r * sinf(angle), y, r * cosf(angle));
    }
    model_sewn_tube(k, w, line, SEWN_POINTS, 0.0075f, 72, DANCER_GOLD);
}

static void model_straps(kit* k, sewing* w) {
    for (uint32_t side = 0; side < 2; side++) {
        limber_vec3 strap[9];
        for (uint32_t i = 0; i < 9; i++) {
            float turn = (float)LIMBERI_PI * ((float)i / 8);
            limber_vec3 at = kit_at(0.062f + 0.012f * sinf(turn), 1.152f + 0.11f * sinf(turn), 0.09f * cosf(turn));
            strap[i] = on_body(w->d, kit_mirrored(at, DANCER_SIDES[side]));
        }
        model_sewn_tube(k, w, strap, 9, 0.0065f, 20, DANCER_DRESS);
    }
}

// A ring around a limb: `axis` points along it.
static void model_ring(kit* k, sewing* w, limber_vec3 center, limber_vec3 axis, float away, float thick,
                       uint32_t color) {
    limber_vec3 ring[13];
    limber_vec3 x = limberi_normalize(limberi_cross(axis, kit_at(0, 0.1f, 1)));
    limber_vec3 y = limberi_normalize(limberi_cross(x, axis));
    for (uint32_t i = 0; i < 13; i++) {
        float turn = 2 * (float)LIMBERI_PI * ((float)i / 12);
        limber_vec3 out = limberi_add(limberi_scale(x, cosf(turn)), limberi_scale(y, sinf(turn)));
        ring[i] = on_body(w->d, limberi_add(center, limberi_scale(out, away)));
    }
    model_sewn_tube(k, w, ring, 13, thick, 18, color);
}

void dancer_model_trims(kit* k, const dancer* d) {
    sewing w;
    measure_waist(&w, d);
    kit_mesh_material(k, "Satin", 0, 0.4f, false);
    model_sash(k, &w);
    model_bow(k, d);
    model_neckline(k, &w);
    model_straps(k, &w);
    for (uint32_t side = 0; side < 2; side++) {
        float s = DANCER_SIDES[side];
        limber_vec3 along = kit_at(s * 0.127f, -0.152f, 0.024f);
        model_ring(k, &w, kit_mirrored(kit_at(0.402f, 0.892f, 0.005f), s), along, 0.024f, 0.006f, DANCER_GOLD);
        model_ring(k, &w, kit_mirrored(kit_at(0.078f, 0.108f, -0.012f), s), kit_at(0, 1, 0.3f), 0.03f, 0.005f,
                   0xc81d3a);
        model_ring(k, &w, kit_mirrored(kit_at(0.078f, 0.118f, -0.012f), s), kit_at(0, 1, -0.35f), 0.03f, 0.005f,
                   0xc81d3a);
    }
}
