// The cylinder: the character for closed forms. It stands on y = 0 around the Y axis, radius 0.25 m, height 2 m, every
// ring a regular polygon and every lid flat. Joints sit on the axis at y = 0, 0.4, 0.8, 1.2 and 1.6; each owns the 0.4
// m above it, and hands over within 0.2 m below and above a joint, so no vertex has more than two influences.
#include "characters/kit.h"

enum { CYLINDER_JOINTS = 5, COLUMNS = 32, ROWS = 40 };
static const float RADIUS = 0.25f;
static const float HEIGHT = 2.0f;
static const float SPACING = 0.4f;

static void cylinder_point(void* user, float u, float v, limber_vec3* position) {
    (void)user;
    float around = 2 * (float)LIMBERI_PI * u;
    *position = kit_at(RADIUS * sinf(around), HEIGHT * v, RADIUS * cosf(around));
}

// A candy stick, so that a twist can be seen: two stripes that climb one row per column, along the diagonals of the
// grid.
static void cylinder_paint(void* user, kit_vertex* vertex) {
    (void)user;
    float column = COLUMNS * vertex->u - ROWS * vertex->v + 0.5f;
    float winding = column / (COLUMNS / 2.0f) + 8;
    float off = (fabsf(winding - floorf(winding) - 0.5f) - 0.25f) * (COLUMNS / 2.0f);
    vertex->color = limberi_lerp(kit_hex(0xfff4e0), kit_hex(0xf2545b), kit_inside(off, 0.5f));
    vertex->floppy = vertex->position.y / HEIGHT;
    vertex->squash = 1;
}

static void bend(const void* user, double t, kit_pose* pose) {
    (void)user;
    for (uint32_t j = 1; j < CYLINDER_JOINTS; j++) {
        double later = t - 0.06 * j; // the wave travels up: each joint follows the one below it
        double angle = KIT_LOOP(later, 2.0, {0, 0}, {0.5, 22}, {1.0, 0}, {1.5, -22});
        kit_turn(pose, j, 0, 0, angle);
    }
}

static void twist(const void* user, double t, kit_pose* pose) {
    (void)user;
    for (uint32_t j = 1; j < CYLINDER_JOINTS; j++)
        kit_turn(pose, j, 0, 30 * kit_wave(t, 2.0, 0), 0);
}

// Leans back, whips forward from the second joint and stops dead. It stays there: the pose differs from the first one,
// so that nobody takes the clip for a loop.
static void stop(const void* user, double t, kit_pose* pose) {
    (void)user;
    double lean = KIT_KEYS(t, {0, 0}, {0.5, -25}, {0.7, -28}, {1.0, 40}, {2.5, 40});
    kit_turn(pose, 1, lean, 0, 0);
    kit_turn(pose, 2, 0.35 * lean, 0, 0);
}

void limberi_build_cylinder(kit* k) {
    uint32_t joints[CYLINDER_JOINTS];
    for (uint32_t j = 0; j < CYLINDER_JOINTS; j++)
        joints[j] = j == 0 ? kit_joint(k, "Root", KIT_NO_PARENT, 0, 0, 0)
                           : kit_joint_numbered(k, "Bend", j, (int32_t)joints[j - 1], kit_at(0, SPACING * (float)j, 0));
    kit_patch wall = {.point = cylinder_point, .normal = kit_round_normal, .paint = cylinder_paint};
    wall.columns = COLUMNS;
    wall.rows = ROWS;
    wall.closed = wall.slanted = wall.flat_start = wall.flat_end = true;
    wall.brush.bind = kit_chain(k, joints, CYLINDER_JOINTS, 0.5f * SPACING);
    kit_mesh_begin(k, "Cylinder");
    kit_mesh_patch(k, &wall);
    kit_mesh_end(k);
    kit_clip(k, "bend", 2.0, true, bend, NULL);
    kit_clip(k, "twist", 2.0, true, twist, NULL);
    kit_clip(k, "stop", 2.5, false, stop, NULL);
}
