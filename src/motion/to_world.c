// Velocities and accelerations from the frame of each joint's parent to the world.
#include "base/lanes.h"
#include "base/math.h"
#include "base/pairs.h"
#include "motion/kinematics.h"

// The columns of a matrix without its translation; the fourth number of each is not used.
typedef struct columns {
    limberi_lanes x, y, z;
} columns;

LIMBERI_INLINED limber_vec3 apply(const columns* c, limber_vec3 v) {
    float r[4];
    limberi_lanes_store(r, c->x * v.x + c->y * v.y + c->z * v.z);
    return limberi_vec3(r[0], r[1], r[2]);
}

LIMBERI_INLINED columns columns_of(const limber_mat4* a) {
    return (columns){limberi_lanes_load(a->m), limberi_lanes_load(a->m + 4), limberi_lanes_load(a->m + 8)};
}

static limberi_pair dot3(const limberi_pair* a, const limberi_pair* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static LIMBERI_NOT_INLINED columns nearest_rotation(const limber_mat4* a) {
    float r[12];
    limberi_mat4_rotation(a, r);
    r[9] = 0;
    return (columns){limberi_lanes_load(r), limberi_lanes_load(r + 3), limberi_lanes_load(r + 6)};
}

// The result of limberi_mat4_rotation, faster for the usual matrix: a rotation times one scale. A spin is an axial
// vector: through a mirrored parent, R = -mirror keeps its sense without a flip.
static columns rotation_of(const limber_mat4* a) {
    static const double tolerance = 5e-7; // that of limberi_mat4_rotation
    const float* x = a->m;
    const float* y = a->m + 4;
    const float* z = a->m + 8;
    limberi_pair xy[4], yz[4], zx[4];
    limberi_pair_load4(x, y, xy);
    limberi_pair_load4(y, z, yz);
    limberi_pair_load4(z, x, zx);
    limberi_pair squares = dot3(xy, xy);
    limberi_pair square_of_z = dot3(zx, zx);
    limberi_pair across = dot3(xy, yz);
    limberi_pair back = dot3(zx, xy);
    double mean = (squares[0] + squares[1] + square_of_z[0]) / 3;
    double limit = tolerance * mean;
    limberi_pair_mask fits = (limberi_pair_abs(squares - mean) < limit) &
                             (limberi_pair_abs(square_of_z - mean) < limit) & (limberi_pair_abs(across) < limit) &
                             (limberi_pair_abs(back) < limit);
    columns c = columns_of(a);
    if (mean > 1e-30 && limberi_pair_both(fits)) {
        float mirrored = limberi_dot(limberi_load3(x), limberi_cross(limberi_load3(y), limberi_load3(z)));
        float scale = (float)((mirrored < 0 ? -1 : 1) / sqrt(mean));
        c.x *= scale;
        c.y *= scale;
        c.z *= scale;
        return c;
    }
    return nearest_rotation(a);
}

// The last rotation found and its joint: siblings follow each other and share the parent.
typedef struct turned {
    int32_t joint;
    columns rotation;
} turned;

LIMBERI_INLINED void joint_to_world(const limber_mat4* world_from_joint, int32_t parent, uint32_t joint, turned* last,
                                    const limberi_to_world* motion) {
    const limber_kinematics* in = motion->in;
    const limber_kinematics* out = motion->out;
    limber_vec3 w = in->angular_velocity[joint];
    limber_vec3 b = in->angular_acceleration[joint];
    columns c = columns_of(&world_from_joint[parent]);
    out->velocity[joint] = apply(&c, in->velocity[joint]);
    out->acceleration[joint] = apply(&c, in->acceleration[joint]);
    if (last->joint != parent && !(limberi_is_zero(w) && limberi_is_zero(b))) {
        last->rotation = rotation_of(&world_from_joint[parent]);
        last->joint = parent;
    }
    out->angular_velocity[joint] = apply(&last->rotation, w);
    out->angular_acceleration[joint] = apply(&last->rotation, b);
}

// A joint that hangs on another one than its parent moves along with that.
static void stay(const limber_kinematics* out, uint32_t joint) {
    out->velocity[joint] = out->acceleration[joint] = limberi_vec3(0, 0, 0);
    out->angular_velocity[joint] = out->angular_acceleration[joint] = limberi_vec3(0, 0, 0);
}

void limberi_motions_to_world(const limber_model* model, const limber_pose* pose, const limberi_to_world* motions,
                              uint32_t count) {
    const limberi_lanes zero = limberi_lanes_all(0);
    turned last = {-1, {zero, zero, zero}};
    for (uint32_t j = 0; j < model->rig.joint_count; j++) {
        int32_t parent = model->rig.parents[j];
        for (uint32_t i = 0; i < count; i++) {
            const limber_kinematics* in = motions[i].in;
            const limber_kinematics* out = motions[i].out;
            if (model->rig.hangs_on && model->rig.hangs_on[j] != parent) {
                stay(out, j);
                continue;
            }
            if (parent >= 0) {
                joint_to_world(pose->world_from_joint, parent, j, &last, &motions[i]);
                continue;
            }
            out->velocity[j] = in->velocity[j];
            out->acceleration[j] = in->acceleration[j];
            out->angular_velocity[j] = in->angular_velocity[j];
            out->angular_acceleration[j] = in->angular_acceleration[j];
        }
    }
}

void limber_motion_to_world(const limber_model* model, const limber_pose* pose, const limber_kinematics* in,
                            limber_kinematics* out) {
    const limberi_to_world motion = {in, out};
    limberi_motions_to_world(model, pose, &motion, 1);
}
