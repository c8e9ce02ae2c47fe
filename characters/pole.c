// The pole: a candy stick whose joints stand beside it. Root and three joints run up a line 0.3 m behind its axis, so
// that turning about the joints' own line swings the stick around it, and bending it tips it over. For what twist and
// bend do to skin that lies off its bones.
#include "characters/kit.h"

enum { POLE_JOINTS = 4, COLUMNS = 28, ROWS = 36 };
static const float RADIUS = 0.17f;
static const float HEIGHT = 1.6f;
static const float ASIDE = 0.3f;

static void pole_point(void* user, float u, float v, limber_vec3* position) {
    (void)user;
    float around = 2 * (float)LIMBERI_PI * u;
    *position = kit_at(RADIUS * sinf(around), HEIGHT * v, ASIDE + RADIUS * cosf(around));
}

// Stripes along the stick and rings around it: a grid on which every shear shows.
static void pole_paint(void* user, kit_vertex* vertex) {
    (void)user;
    float stripe = 4 * vertex->u;
    float off = (fabsf(stripe - floorf(stripe) - 0.5f) - 0.25f) * COLUMNS / 4;
    float ring = 6 * vertex->v;
    float band = (fabsf(ring - floorf(ring) - 0.5f) - 0.42f) * ROWS / 6;
    vertex->color = limberi_lerp(kit_hex(0xfff4e0), kit_hex(0x3d7ea6), kit_inside(off, 0.5f));
    vertex->color = limberi_lerp(kit_hex(0xf2b134), vertex->color, kit_inside(band, 0.5f));
    vertex->floppy = vertex->squash = 1;
}

static double there_and_stop(double t) {
    return KIT_KEYS(t, {0, 0}, {0.4, -20}, {0.6, -22}, {1.05, 75}, {2.0, 75});
}

static void twist(const void* user, double t, kit_pose* pose) {
    (void)user;
    kit_turn(pose, 1, 0, there_and_stop(t), 0);
}

static void bend_stop(const void* user, double t, kit_pose* pose) {
    (void)user;
    for (uint32_t j = 1; j < POLE_JOINTS; j++)
        kit_turn(pose, j, 0, 0, 0.3 * there_and_stop(t));
}

static void sway(const void* user, double t, kit_pose* pose) {
    (void)user;
    for (uint32_t j = 1; j < POLE_JOINTS; j++)
        kit_turn(pose, j, 0, 0, 14 * kit_wave(t, 2, -0.08 * j));
}

void limberi_build_pole(kit* k) {
    uint32_t joints[POLE_JOINTS];
    for (uint32_t j = 0; j < POLE_JOINTS; j++)
        joints[j] = j == 0 ? kit_joint(k, "Root", KIT_NO_PARENT, 0, 0, 0)
                           : kit_joint_numbered(k, "Side", j, (int32_t)joints[j - 1], kit_at(0, 0.4f * (float)j, 0));
    kit_patch wall = {.point = pole_point, .normal = kit_round_normal, .paint = pole_paint};
    wall.columns = COLUMNS;
    wall.rows = ROWS;
    wall.closed = wall.flat_start = wall.flat_end = true;
    wall.brush.bind = kit_chain(k, joints, POLE_JOINTS, 0.2f);
    kit_mesh_begin(k, "Pole");
    kit_mesh_patch(k, &wall);
    kit_mesh_end(k);
    kit_clip(k, "twist", 2.0, false, twist, NULL);
    kit_clip(k, "sway", 2.0, true, sway, NULL);
    kit_clip(k, "bend-stop", 2.0, false, bend_stop, NULL);
}
