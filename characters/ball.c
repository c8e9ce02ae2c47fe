// The ball: rubber, 0.4 m in radius, with a star at either pole and a stripe around its middle. It is cut into
// rings along the borders of its colours, so that the star is crisp at every detail.
#include "characters/kit.h"

static const double RADIUS = 0.4;

typedef struct ring {
    float from_deg, to_deg;  // angle from the pole at v = 1 and v = 0
    bool from_star, to_star; // the border is the star's outline instead of a circle
    float pole;              // +1 top, -1 bottom
} ring;

// Angle from the pole of a five-pointed star's outline; its straight edges become great arcs or nearly so.
static float star_deg(float u) {
    const float tip = 34, notch = 15, step = (float)LIMBERI_PI / 5;
    float around = fmodf(5 * u, 1), x = fabsf(2 * around - 1); // 1 at a tip, 0 at a notch
    // The point at angle x * step on the straight line from notch to tip, in polar form.
    float angle = x * step;
    float numerator = tip * notch * sinf(step);
    float denominator = tip * sinf(step - angle) + notch * sinf(angle);
    return denominator > 1e-6f ? numerator / denominator : notch;
}

static limber_vec3 ring_direction(const ring* r, float u, float v) {
    float from = r->from_star ? star_deg(u) : r->from_deg, to = r->to_star ? star_deg(u) : r->to_deg;
    float angle = kit_mix(to, from, v) * (float)LIMBERI_PI / 180, around = 2 * (float)LIMBERI_PI * u;
    // The lower half is the upper one turned about X, which keeps triangles facing outwards.
    return kit_at(sinf(angle) * sinf(around), r->pole * cosf(angle), r->pole * sinf(angle) * cosf(around));
}

static void ring_point(void* user, float u, float v, limber_vec3* position) {
    limber_vec3 d = limberi_scale(ring_direction(user, u, v), (float)RADIUS);
    *position = kit_at(d.x, d.y + (float)RADIUS, d.z);
}

static void ring_normal(void* user, float u, float v, limber_vec3* normal) {
    *normal = ring_direction(user, u, v);
}

static void build_half(kit* k, uint32_t ball, float pole) {
    static const struct {
        ring shape;
        uint32_t color, rows;
    } rings[] = {{{0, 0, false, true, 0}, 0xffd23f, 5},
                 {{0, 66, true, false, 0}, 0xee4266, 8},
                 {{66, 90, false, false, 0}, 0x3bceac, 4}};
    for (uint32_t i = 0; i < 3; i++) {
        ring r = rings[i].shape;
        r.pole = pole;
        kit_patch patch = {.point = ring_point, .normal = ring_normal, .user = &r, .columns = 40, .closed = true};
        patch.rows = rings[i].rows;
        patch.pole_end = i == 0;
        patch.brush =
            (kit_brush){.bind = kit_rigid(k, ball), .color = kit_hex(rings[i].color), .floppy = 1, .squash = 1};
        kit_mesh_patch(k, &patch);
    }
}

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
    double way = KIT_LOOP(t, 4.0, {0, -1.2}, {2.0, 1.2});
    kit_move(pose, joints[0], 0, 0, way);
    kit_turn(pose, joints[1], way / RADIUS * 180 / LIMBERI_PI, 0, 0);
}

// Winds up, shoots off and stops dead; two small hops of delight at the end.
static void dash(const void* user, double t, kit_pose* pose) {
    const uint32_t* joints = user;
    double way = KIT_KEYS(t, {0, 0}, {0.6, -0.45}, {0.75, -0.5}, {1.25, 3.0}, {3.0, 3.0});
    double hop = t > 1.6 && t < 2.0 ? arc((t - 1.6) / 0.4, 0.3) : t >= 2.0 && t < 2.25 ? arc((t - 2.0) / 0.25, 0.1) : 0;
    kit_move(pose, joints[0], 0, hop, way);
    kit_turn(pose, joints[1], way / RADIUS * 180 / LIMBERI_PI, 0, 0);
}

void limberi_build_ball(kit* k) {
    uint32_t joints[2];
    joints[0] = kit_joint(k, "Root", KIT_NO_PARENT, 0, 0, 0);
    joints[1] = kit_joint(k, "Ball", (int32_t)joints[0], 0, (float)RADIUS, 0);
    kit_mesh_begin(k, "Ball");
    build_half(k, joints[1], 1);
    build_half(k, joints[1], -1);
    kit_mesh_end(k);
    kit_clip(k, "bounce", 2.0, true, bounce, joints);
    kit_clip(k, "roll", 4.0, true, roll, joints);
    kit_clip(k, "dash-stop", 3.0, false, dash, joints);
}
