// The ball: rubber, 0.4 m in radius, with a face in front, dots on its back and a stripe around its middle. It is cut
// into patches along the borders of its colors, so that eyes and mouth are crisp at every detail; the patches meet vertex
// by vertex, so that it stretches as one skin. The back is cut like the face, turned through the center: the mean of the
// vertices, about which effects squash, is the center.
#include "characters/kit.h"

static const double RADIUS = 0.4;

enum { COLUMNS = 36, SECTORS = 3, FOLD = 2 * SECTORS }; // the face is three sectors: left eye, right eye, mouth

static const float FACE_DEG = 63; // from the front to the edge of the face

// ---- the plane of the face ----

// The face lies in a plane of angles: a point is so many degrees away from the front, to the left and up.
typedef struct spot {
    float x, y;
} spot;

static limber_vec3 direction_of(spot p) {
    float away = sqrtf(p.x * p.x + p.y * p.y);
    float angle = away * (float)LIMBERI_PI / 180;
    float s = away > 1e-6f ? sinf(angle) / away : (float)LIMBERI_PI / 180;
    return kit_at(s * p.x, s * p.y, cosf(angle));
}

// Shares along borders are rounded, so that both patches find the same bits there.
static float snap(float share) {
    return roundf(share * 8192) / 8192;
}

// The edge of the face; `thirds` counts sectors, from the lower left to the left.
static spot edge_of_face(float thirds) {
    float sector = floorf(thirds);
    float angle = (120 * sector - 30 + 120 * snap(thirds - sector)) * (float)LIMBERI_PI / 180;
    return (spot){FACE_DEG * cosf(angle), FACE_DEG * sinf(angle)};
}

// ---- the middle: rings around the axis from back to front ----

typedef struct ring {
    float from_deg, to_deg; // angle from the pole at -Z at v = 1 and v = 0
} ring;

static limber_vec3 ring_direction(const ring* r, float u, float v) {
    // At its ends the bits of face and back.
    if (v == 0 && r->to_deg == 180 - FACE_DEG)
        return direction_of(edge_of_face(u > 1.0f / 3 ? 4 - 3 * u : 1 - 3 * u));
    if (v == 1 && r->from_deg == FACE_DEG)
        return limberi_scale(direction_of(edge_of_face(u > 2.5f / 3 ? 5.5f - 3 * u : 2.5f - 3 * u)), -1);
    float angle = kit_mix(r->to_deg, r->from_deg, v) * (float)LIMBERI_PI / 180;
    float around = 2 * (float)LIMBERI_PI * u;
    return kit_at(sinf(angle) * sinf(around), sinf(angle) * cosf(around), -cosf(angle));
}

static void ring_point(void* user, float u, float v, limber_vec3* position) {
    limber_vec3 d = limberi_scale(ring_direction(user, u, v), (float)RADIUS);
    *position = kit_at(d.x, d.y + (float)RADIUS, d.z);
}

static void ring_normal(void* user, float u, float v, limber_vec3* normal) {
    *normal = ring_direction(user, u, v);
}

static kit_patch rubber(kit* k, uint32_t ball, uint32_t color, uint32_t rows) {
    kit_patch patch = {.columns = COLUMNS, .rows = rows, .fold = FOLD, .closed = true};
    patch.brush = (kit_brush){.bind = kit_rigid(k, ball), .color = kit_hex(color), .floppy = 1, .squash = 1};
    return patch;
}

static void build_middle(kit* k, uint32_t ball) {
    const struct {
        ring shape;
        uint32_t color, rows;
    } rings[] = {{{FACE_DEG, 78}, 0xee4266, 3}, {{78, 102}, 0x3bceac, 4}, {{102, 180 - FACE_DEG}, 0xee4266, 3}};
    for (uint32_t i = 0; i < sizeof rings / sizeof *rings; i++) {
        ring r = rings[i].shape;
        kit_patch patch = rubber(k, ball, rings[i].color, rings[i].rows);
        patch.point = ring_point;
        patch.normal = ring_normal;
        patch.user = &r;
        kit_mesh_patch(k, &patch);
    }
}

// ---- face and back ----

// A closed curve around a spot: an ellipse, flatter above the spot than below it or the other way round.
typedef struct outline {
    spot center;
    float wide, above, below;
} outline;

typedef struct band {
    uint32_t sector;
    bool back;
    const outline *inner, *outer; // NULL: the spot itself, the edge of the sector
    spot center;
} band;

// Around a sector: out from the middle, along the edge of the face, and back.
static spot sector_edge(uint32_t sector, float u) {
    float third = 3 * (u - floorf(u));
    float from = (float)sector;
    float out = snap(third < 1 ? third : 3 - third);
    spot middle = {0, -4};
    if (third >= 1 && third <= 2)
        return edge_of_face(from + third - 1);
    spot corner = edge_of_face(third < 1 ? from : fmodf(from + 1, SECTORS));
    return (spot){kit_mix(middle.x, corner.x, out), kit_mix(middle.y, corner.y, out)};
}

// Where the outline is in the direction of the sector's edge, so that bands do not twist.
static spot on_outline(const outline* o, spot edge) {
    float x = (edge.x - o->center.x) / o->wide;
    float y = edge.y - o->center.y;
    float high = y > 0 ? o->above : o->below;
    float length = sqrtf(x * x + y * y / (high * high));
    float scale = length > 1e-6f ? 1 / length : 0;
    return (spot){o->center.x + o->wide * x * scale, o->center.y + y * scale};
}

static limber_vec3 face_direction(const band* b, float u, float v) {
    if (b->back) {
        band front = *b;
        front.back = false;
        return limberi_scale(face_direction(&front, 1 - u, v), -1);
    }
    spot edge = sector_edge(b->sector, u);
    spot from = b->inner ? on_outline(b->inner, edge) : b->center;
    spot to = b->outer ? on_outline(b->outer, edge) : edge;
    return direction_of((spot){kit_mix(to.x, from.x, v), kit_mix(to.y, from.y, v)});
}

static void face_point(void* user, float u, float v, limber_vec3* position) {
    limber_vec3 d = limberi_scale(face_direction(user, u, v), (float)RADIUS);
    *position = kit_at(d.x, d.y + (float)RADIUS, d.z);
}

static void face_normal(void* user, float u, float v, limber_vec3* normal) {
    *normal = face_direction(user, u, v);
}

static void build_band(kit* k, uint32_t ball, band b, uint32_t color, uint32_t rows) {
    kit_patch patch = rubber(k, ball, color, rows);
    patch.point = face_point;
    patch.normal = face_normal;
    patch.user = &b;
    patch.pole_end = !b.inner;
    kit_mesh_patch(k, &patch);
}

typedef struct paints {
    uint32_t skin, white, pupil, glint, mouth, tongue;
} paints;

static void build_side(kit* k, uint32_t ball, bool back, const paints* c) {
    for (uint32_t i = 0; i < 2; i++) {
        float s = i ? -1.0f : 1.0f;
        outline glint = {{11 * s + 3, 17}, 2.6f, 3.2f, 3.2f};
        outline pupil = {{11 * s, 12}, 7, 12, 11};
        outline white = {{17 * s, 14}, 14.5f, 21, 20};
        build_band(k, ball, (band){i, back, NULL, &glint, glint.center}, c->glint, 1);
        build_band(k, ball, (band){i, back, &glint, &pupil, pupil.center}, c->pupil, 2);
        build_band(k, ball, (band){i, back, &pupil, &white, white.center}, c->white, 2);
        build_band(k, ball, (band){i, back, &white, NULL, white.center}, c->skin, 4);
    }
    outline tongue = {{0, -37}, 9, 3.5f, 4};
    outline mouth = {{0, -33}, 20, 4, 12};
    build_band(k, ball, (band){2, back, NULL, &tongue, tongue.center}, c->tongue, 2);
    build_band(k, ball, (band){2, back, &tongue, &mouth, mouth.center}, c->mouth, 2);
    build_band(k, ball, (band){2, back, &mouth, NULL, mouth.center}, c->skin, 4);
}

static void build_sides(kit* k, uint32_t ball) {
    const uint32_t yellow = 0xffd23f;
    const paints face = {yellow, 0xffffff, 0x1c1a24, 0xffffff, 0x7a1f2e, 0xf0627a};
    const paints dots = {0xee4266, yellow, yellow, yellow, yellow, yellow};
    build_side(k, ball, false, &face);
    build_side(k, ball, true, &dots);
}

// ---- clips ----

// Height of a ball in free flight, `x` from 0 (leaving the floor) to 1 (landing).
static double arc(double x, double height) {
    return 4 * height * x * (1 - x);
}

static void bounce(const void* user, double t, kit_pose* pose) {
    const uint32_t* joints = user;
    kit_move(pose, joints[0], 0, arc(fmod(t, 1.0), 1.2), 0);
    kit_turn(pose, joints[1], 0, 360 * t / 2, 0);
}

// Rolls to and fro without slipping: the angle is the way divided by the radius.
static void roll(const void* user, double t, kit_pose* pose) {
    const uint32_t* joints = user;
    double way = KIT_LOOP(t, 3.0, {0, -1.0}, {1.5, 1.0});
    kit_move(pose, joints[0], 0, 0, way);
    kit_turn(pose, joints[1], way / RADIUS * 180 / LIMBERI_PI, 0, 0);
}

// Winds up, shoots off and stops dead; two small hops of delight at the end.
static void dash(const void* user, double t, kit_pose* pose) {
    const uint32_t* joints = user;
    double way = KIT_KEYS(t, {0, 0}, {0.6, -0.45}, {0.75, -0.5}, {1.25, 3.0}, {3.0, 3.0});
    double hop = 0;
    if (t > 1.6 && t < 2.0)
        hop = arc((t - 1.6) / 0.4, 0.3);
    else if (t >= 2.0 && t < 2.25)
        hop = arc((t - 2.0) / 0.25, 0.1);
    kit_move(pose, joints[0], 0, hop, way);
    kit_turn(pose, joints[1], way / RADIUS * 180 / LIMBERI_PI, 0, 0);
}

void limberi_build_ball(kit* k) {
    uint32_t joints[2];
    joints[0] = kit_joint(k, "Root", KIT_NO_PARENT, 0, 0, 0);
    joints[1] = kit_joint(k, "Ball", (int32_t)joints[0], 0, (float)RADIUS, 0);
    kit_mesh_begin(k, "Ball");
    build_middle(k, joints[1]);
    build_sides(k, joints[1]);
    kit_mesh_end(k);
    kit_clip(k, "bounce", 2.0, true, bounce, joints);
    kit_clip(k, "roll", 3.0, true, roll, joints);
    kit_clip(k, "dash-stop", 3.0, false, dash, joints);
}
