// Kinematics of a live stream of poses by backward differences, each over its own real time step (S3, live use).
#include "base/error.h"
#include "base/math.h"
#include "motion/live.h"
#include "motion/rotation.h"
#include <limber/motion.h>

#include <stdlib.h>
#include <string.h>

static const double longest_gap_s = 0.25;
// Poses closer to each other than this tell nothing about accelerations: what they differ by is rounding, and it is
// divided by the square of the step.
static const double shortest_step_s = 0.0005;
static const double teleport_turn = 2 * LIMBERI_PI / 3; // S3: the jump-cut rule
static const float teleport_move = 0.5f;                // of L

struct limber_tracker {
    const limber_model* model;
    limber_transform* last;
    limber_kinematics now;
    float* unit_length; // [joint] world length of a unit in its parent's frame, rest pose
    double time_s, step_s;
    uint32_t pushes; // poses since the last fresh start
};

limber_result limber_tracker_create(const limber_model* model, limber_tracker** tracker, limber_error* error) {
    *tracker = NULL;
    size_t count = model->rig.joint_count ? model->rig.joint_count : 1;
    limber_tracker* made = calloc(1, sizeof *made);
    if (made) {
        made->model = model;
        made->last = calloc(count, sizeof *made->last);
        made->unit_length = calloc(count, sizeof *made->unit_length);
    }
    if (!made || !made->last || !made->unit_length || limber_kinematics_create(model, &made->now)) {
        limber_tracker_destroy(made);
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for a tracker");
    }
    for (uint32_t j = 0; j < model->rig.joint_count; j++) {
        int32_t parent = model->rig.parents[j];
        made->unit_length[j] =
            parent < 0 ? 1.0f : limberi_length(limberi_mat4_column(&model->rig.world_from_joint_rest[parent], 0));
    }
    *tracker = made;
    return LIMBER_OK;
}

void limber_tracker_destroy(limber_tracker* tracker) {
    if (!tracker)
        return;
    free(tracker->last);
    free(tracker->unit_length);
    limber_kinematics_destroy(&tracker->now);
    free(tracker);
}

void limber_tracker_reset(limber_tracker* tracker) {
    size_t count = tracker->model->rig.joint_count ? tracker->model->rig.joint_count : 1;
    memset(tracker->now.velocity, 0, 4 * count * sizeof *tracker->now.velocity); // one block of four arrays
    tracker->pushes = 0;
}

const limber_kinematics* limber_tracker_kinematics(const limber_tracker* tracker) {
    return &tracker->now;
}

static void turn_between(limber_quat from, limber_quat to, double* vector) {
    limber_quat a = limberi_quat_normalize(from), b = limberi_quat_normalize(to);
    double x[4] = {(double)a.x, (double)a.y, (double)a.z, (double)a.w};
    double y[4] = {(double)b.x, (double)b.y, (double)b.z, (double)b.w};
    limberi_rotation_between(x, y, vector);
}

static bool teleported(const limber_tracker* tracker, const limber_transform* local) {
    for (uint32_t j = 0; j < tracker->model->rig.joint_count; j++) {
        limber_vec3 move = limberi_sub(local[j].translation, tracker->last[j].translation);
        double turn[3];
        turn_between(tracker->last[j].rotation, local[j].rotation, turn);
        bool far = limberi_length(move) * tracker->unit_length[j] > teleport_move * tracker->model->size;
        if (far || sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]) > teleport_turn)
            return true;
    }
    return false;
}

// The second difference divides by the time between the middles of the last two steps.
static void advance(limber_tracker* tracker, const limber_transform* local, double step_s) {
    float per_step = (float)(1 / step_s), per_middle = (float)(2 / (step_s + tracker->step_s));
    limber_kinematics* now = &tracker->now;
    for (uint32_t j = 0; j < tracker->model->rig.joint_count; j++) {
        double turn[3];
        turn_between(tracker->last[j].rotation, local[j].rotation, turn);
        limber_vec3 move = limberi_sub(local[j].translation, tracker->last[j].translation);
        limber_vec3 v = limberi_scale(move, per_step);
        limber_vec3 w = limberi_scale(limberi_vec3((float)turn[0], (float)turn[1], (float)turn[2]), per_step);
        bool settled = tracker->pushes >= 2;
        limber_vec3 zero = limberi_vec3(0, 0, 0);
        now->acceleration[j] = settled ? limberi_scale(limberi_sub(v, now->velocity[j]), per_middle) : zero;
        now->angular_acceleration[j] =
            settled ? limberi_scale(limberi_sub(w, now->angular_velocity[j]), per_middle) : zero;
        now->velocity[j] = v;
        now->angular_velocity[j] = w;
    }
}

limberi_tracked limberi_tracker_take(limber_tracker* tracker, const limber_transform* local, double time_s) {
    double step_s = time_s - tracker->time_s;
    limberi_tracked held = {tracker->pushes, true, 0};
    if (!isfinite(time_s) || (tracker->pushes && step_s >= 0 && step_s < shortest_step_s))
        return held;
    if (tracker->pushes && (step_s < 0 || step_s > longest_gap_s || teleported(tracker, local)))
        limber_tracker_reset(tracker);
    if (tracker->pushes)
        advance(tracker, local, step_s);
    if (tracker->model->rig.joint_count)
        memcpy(tracker->last, local, tracker->model->rig.joint_count * sizeof *local);
    tracker->time_s = time_s;
    tracker->step_s = step_s;
    tracker->pushes++;
    limberi_tracked taken = {tracker->pushes, false, step_s};
    return taken;
}

void limber_tracker_push(limber_tracker* tracker, const limber_transform* local, double time_s) {
    limberi_tracker_take(tracker, local, time_s);
}

void limberi_tracker_copy(limber_tracker* to, const limber_tracker* from) {
    size_t count = to->model->rig.joint_count ? to->model->rig.joint_count : 1;
    memcpy(to->last, from->last, count * sizeof *to->last);
    memcpy(to->now.velocity, from->now.velocity, 4 * count * sizeof *to->now.velocity); // one block of four arrays
    to->time_s = from->time_s;
    to->step_s = from->step_s;
    to->pushes = from->pushes;
}
