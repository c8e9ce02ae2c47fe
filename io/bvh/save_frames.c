// Frames of a clip as BVH sees a skeleton: joints whose axes at rest are the world's, places in the parent's frame.
//
// With W the rotation of a joint in the world and G the same at rest, the file's joint turns by N = W G^-1: nothing at
// rest, and rigidly with the model's joint afterwards. Its own part is n = N_parent^-1 N. A model that came from a BVH
// file has G = 1, and n is the joint's rotation as it is.
#include "base/math.h"
#include "base/turns.h"
#include "io/bvh/layout.h"
#include "io/bvh/save.h"
#include <limber/stages/pose.h>

#include <string.h>

static const double still_place = 1e-6; // of L
static const double still_angle = 1e-4; // degrees
static const float still_scale = 1e-4f;
static const double angle_steps = 1e5; // per degree: finer than the floats of a quaternion can tell

typedef struct turned {
    double rotation[4]; // W, the product of the rotations down to the joint
    double map[9];      // of vectors from the joint's frame to the world, scale included; columns
    double file[4];     // N
} turned;

typedef struct frames {
    limberi_bvh_sheet* sheet;
    limber_pose pose;
    turned *rest, *now;
    double* angles; // per joint: the triple of the frame before
} frames;

static void quat_mul(const double* a, const double* b, double* out) {
    double x = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    double y = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    double z = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    double w = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
    double length = sqrt(x * x + y * y + z * z + w * w);
    double s = length > 1e-20 ? 1 / length : 0;
    out[0] = x * s;
    out[1] = y * s;
    out[2] = z * s;
    out[3] = length > 1e-20 ? w * s : 1;
}

static void rotate(const double* q, const double* v, double* out) {
    double t[3] = {2 * (q[1] * v[2] - q[2] * v[1]), 2 * (q[2] * v[0] - q[0] * v[2]), 2 * (q[0] * v[1] - q[1] * v[0])};
    double x = v[0] + q[3] * t[0] + q[1] * t[2] - q[2] * t[1];
    double y = v[1] + q[3] * t[1] + q[2] * t[0] - q[0] * t[2];
    double z = v[2] + q[3] * t[2] + q[0] * t[1] - q[1] * t[0];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static void apply(const double* map, const double* v, double* out) {
    for (int r = 0; r < 3; r++)
        out[r] = map[r] * v[0] + map[3 + r] * v[1] + map[6 + r] * v[2];
}

static const turned origin = {{0, 0, 0, 1}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0, 1}};

// `rest` NULL: this is the rest pose, and N is nothing.
static void turn_joint(const limber_transform* local, const turned* parent, const turned* rest, turned* out) {
    double q[4] = {(double)local->rotation.x, (double)local->rotation.y, (double)local->rotation.z,
                   (double)local->rotation.w};
    double scale[3] = {(double)local->scale.x, (double)local->scale.y, (double)local->scale.z};
    quat_mul(parent->rotation, q, out->rotation);
    quat_mul(origin.rotation, q, q);
    for (int c = 0; c < 3; c++) {
        double axis[3] = {0, 0, 0};
        double column[3];
        axis[c] = scale[c];
        rotate(q, axis, column);
        apply(parent->map, column, out->map + 3 * c);
    }
    double back[4];
    limberi_turn_inverse(rest ? rest->rotation : out->rotation, back);
    quat_mul(out->rotation, back, out->file);
}

// Where the joint is, in the frame of the file's parent joint.
static void place_joint(const limber_transform* local, const turned* parent, double* place) {
    double v[3] = {(double)local->translation.x, (double)local->translation.y, (double)local->translation.z};
    double back[4];
    apply(parent->map, v, place);
    limberi_turn_inverse(parent->file, back);
    rotate(back, place, place);
}

static const turned* parent_of(const frames* f, const turned* all, uint32_t joint) {
    int32_t parent = f->sheet->model->rig.parents[joint];
    return parent < 0 ? &origin : &all[parent];
}

static void fill_joint(frames* f, uint32_t j, float* numbers) {
    limberi_bvh_column* column = &f->sheet->columns[j];
    const turned* parent = parent_of(f, f->now, j);
    double place[3];
    double back[4];
    double own[4];
    double* angles = f->angles + 3 * (size_t)j;
    turn_joint(&f->pose.local[j], parent, &f->rest[j], &f->now[j]);
    place_joint(&f->pose.local[j], parent, place);
    limberi_turn_inverse(parent->file, back);
    quat_mul(back, f->now[j].file, own);
    limberi_bvh_euler(own, column->axes, column->kept_rotations, angles);
    for (int i = 0; i < 3; i++) {
        numbers[i] = (float)place[i];
        numbers[3 + i] = (float)(round(angles[i] * angle_steps) / angle_steps);
    }
    double room = still_place * (double)f->sheet->model->size;
    for (int i = 0; i < 3; i++) {
        if (fabs((double)numbers[i] - (double)column->offset[i]) > room)
            column->needs[i] = true;
        if (fabs((double)numbers[3 + i]) > still_angle)
            column->needs[3 + i] = true;
    }
}

static void fill_rest(frames* f) {
    const limber_rig* rig = &f->sheet->model->rig;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        const turned* parent = parent_of(f, f->rest, j);
        double place[3];
        turn_joint(&rig->rest_local[j], parent, NULL, &f->rest[j]);
        place_joint(&rig->rest_local[j], parent, place);
        for (int i = 0; i < 3; i++)
            f->sheet->columns[j].offset[i] = (float)place[i];
    }
}

static void fill_frames(frames* f) {
    limberi_bvh_sheet* sheet = f->sheet;
    uint32_t joints = sheet->model->rig.joint_count;
    for (uint32_t i = 0; i < sheet->frame_count; i++) {
        // Keys are floats: a time that meets one must not miss it by a rounding.
        double start_s = sheet->clip ? sheet->clip->start_s : 0;
        limber_clip_sample(sheet->model, sheet->clip, (double)(float)(start_s + i * sheet->frame_time_s), &f->pose);
        for (uint32_t j = 0; j < joints; j++) {
            fill_joint(f, j, sheet->numbers + LIMBERI_BVH_CHANNELS_MAX * ((size_t)i * joints + j));
            limber_vec3 a = f->pose.local[j].scale;
            limber_vec3 b = sheet->model->rig.rest_local[j].scale;
            if (fabsf(a.x - b.x) > still_scale || fabsf(a.y - b.y) > still_scale || fabsf(a.z - b.z) > still_scale)
                sheet->scales = true;
        }
    }
}

static bool is_sound(float number) {
    return fabsf(number) < LIMBERI_BVH_FARTHEST;
}

static bool all_sound(const limberi_bvh_sheet* sheet) {
    uint32_t joints = sheet->model->rig.joint_count;
    size_t count = LIMBERI_BVH_CHANNELS_MAX * (size_t)sheet->frame_count * joints;
    for (size_t i = 0; i < count; i++)
        if (!is_sound(sheet->numbers[i]))
            return false;
    for (uint32_t i = 0; i < 3 * joints; i++)
        if (!is_sound(sheet->columns[i / 3].offset[i % 3]))
            return false;
    return true;
}

limber_result limberi_bvh_fill_sheet(limberi_bvh_sheet* sheet, limber_error* error) {
    size_t joints = sheet->model->rig.joint_count;
    frames f = {.sheet = sheet};
    f.rest = LIMBERI_ALLOCATE(sheet->arena, turned, joints);
    f.now = LIMBERI_ALLOCATE(sheet->arena, turned, joints);
    f.angles = LIMBERI_ALLOCATE(sheet->arena, double, 3 * joints);
    sheet->numbers = limberi_arena_allocate(sheet->arena, joints * sheet->frame_count,
                                            LIMBERI_BVH_CHANNELS_MAX * sizeof *sheet->numbers);
    if (sheet->arena->failed || limber_pose_create(sheet->model, &f.pose) != LIMBER_OK)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for %u frames", sheet->frame_count);
    fill_rest(&f);
    fill_frames(&f);
    limber_pose_destroy(&f.pose);
    if (!all_sound(sheet))
        return limberi_fail(error, LIMBER_ERROR_DATA, "the motion is too large to write");
    return LIMBER_OK;
}
