// Kinematics of a live stream of poses by backward differences, each over its own real time step.
#include "asset/clip.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "motion/kinematics.h"
#include "motion/live.h"
#include <limber/stages/motion.h>

#include <string.h>

static const double longest_gap_s = 0.25;
// Differences of poses closer than this are mostly rounding, which accelerations divide by the square of the step.
static const double shortest_step_s = 0.0005;
// Players that interpolate thirty keys a second linearly make velocities that jump at keys; over a shorter time
// accelerations would be spikes.
static const double window_s = 1 / 30.0;
static const double teleport_cosine = 0.5; // of half of 120 degrees, the jump-cut rule (asset/clip.h)
static const float teleport_move = 0.5f;   // of L

enum { KEPT = 24, KEPT_PER_WINDOW = 16 };

// Velocities of all joints at an earlier moment.
typedef struct past {
    double time_s;
    limber_vec3 *velocity, *angular_velocity;
} past;

struct limber_tracker {
    const limber_model* model;
    limber_transform* last;
    limber_kinematics now;
    past middle;        // how all joints went over the newest step; its velocities are those of the middle of the step
    float* unit_length; // [joint] world length of a unit in its parent's frame, rest pose
    float* shares;      // [joint] of the skin
    uint8_t* jumps;     // [joint] those that jump in the current step (asset/clip.h)
    uint32_t* own_pushes; // [joint] poses since its last fresh start
    double* fresh_s;      // [joint] when it restarted while others went on
    double time_s, window_s;
    uint32_t pushes; // poses since the last fresh start of all
    past kept[KEPT]; // a ring
    uint32_t kept_count, kept_newest;
};

static bool allocate_past(limber_tracker* tracker, size_t count) {
    limber_vec3* block = limberi_allocate_zeroed(2 * (KEPT + 1) * count, sizeof *block); // belongs to the first
    for (size_t i = 0; block && i <= KEPT; i++) {
        past* p = i < KEPT ? &tracker->kept[i] : &tracker->middle;
        p->velocity = block + 2 * i * count;
        p->angular_velocity = block + (2 * i + 1) * count;
    }
    return block != NULL;
}

static bool allocate_joints(limber_tracker* tracker, size_t count) {
    tracker->last = limberi_allocate_zeroed(count, sizeof *tracker->last);
    tracker->unit_length = limberi_allocate_zeroed(count, sizeof *tracker->unit_length);
    tracker->shares = limberi_allocate_zeroed(count, sizeof *tracker->shares);
    tracker->jumps = limberi_allocate_zeroed(count, sizeof *tracker->jumps);
    tracker->own_pushes = limberi_allocate_zeroed(count, sizeof *tracker->own_pushes);
    tracker->fresh_s = limberi_allocate_zeroed(count, sizeof *tracker->fresh_s);
    return tracker->last && tracker->unit_length && tracker->shares && tracker->jumps && tracker->own_pushes &&
           tracker->fresh_s;
}

static void measure_rest(limber_tracker* tracker) {
    const limber_rig* rig = &tracker->model->rig;
    limberi_skin_shares(tracker->model, tracker->shares);
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        int32_t parent = rig->parents[j];
        tracker->unit_length[j] =
            parent < 0 ? 1.0f : limberi_length(limberi_mat4_column(&rig->world_from_joint_rest[parent], 0));
    }
    limber_tracker_reset(tracker);
}

limber_result limber_tracker_create(const limber_model* model, limber_tracker** tracker, limber_error* error) {
    *tracker = NULL;
    size_t count = model->rig.joint_count ? model->rig.joint_count : 1;
    limber_tracker* made = limberi_allocate_zeroed(1, sizeof *made);
    if (made) {
        made->model = model;
        made->window_s = window_s;
    }
    if (!made || !allocate_joints(made, count) || !allocate_past(made, count) ||
        limber_kinematics_create(model, &made->now)) {
        limber_tracker_destroy(made);
        return limberi_fail_memory(error);
    }
    measure_rest(made);
    *tracker = made;
    return LIMBER_OK;
}

void limber_tracker_destroy(limber_tracker* tracker) {
    if (!tracker)
        return;
    limberi_release(tracker->last);
    limberi_release(tracker->unit_length);
    limberi_release(tracker->shares);
    limberi_release(tracker->jumps);
    limberi_release(tracker->own_pushes);
    limberi_release(tracker->fresh_s);
    limberi_release(tracker->kept[0].velocity);
    limber_kinematics_destroy(&tracker->now);
    limberi_release(tracker);
}

void limber_tracker_reset(limber_tracker* tracker) {
    size_t count = tracker->model->rig.joint_count ? tracker->model->rig.joint_count : 1;
    memset(tracker->now.velocity, 0, 4 * count * sizeof *tracker->now.velocity); // one block of four arrays
    tracker->pushes = tracker->kept_count = 0;
    for (size_t j = 0; j < count; j++) {
        tracker->own_pushes[j] = 0;
        tracker->fresh_s[j] = -HUGE_VAL;
    }
}

void limberi_tracker_window(limber_tracker* tracker, double seconds) {
    tracker->window_s = seconds > 0 ? seconds : window_s;
}

const limber_kinematics* limber_tracker_kinematics(const limber_tracker* tracker) {
    return &tracker->now;
}

static void turn_between(limber_quat from, limber_quat to, double* vector) {
    limber_quat a = limberi_quat_normalize(from);
    limber_quat b = limberi_quat_normalize(to);
    double x[4] = {(double)a.x, (double)a.y, (double)a.z, (double)a.w};
    double y[4] = {(double)b.x, (double)b.y, (double)b.z, (double)b.w};
    limberi_rotation_between(x, y, vector);
}

// The jump-cut rule without an arc tangent: half the angle has the cosine of the two quaternions.
static bool turns_too_far(limber_quat from, limber_quat to) {
    const double a[4] = {(double)from.x, (double)from.y, (double)from.z, (double)from.w};
    const double b[4] = {(double)to.x, (double)to.y, (double)to.z, (double)to.w};
    double both = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    double square = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]) *
                    (b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + b[3] * b[3]);
    return both * both < teleport_cosine * teleport_cosine * square;
}

// Marks the joints that jump. Whether that is the whole character's jump, see asset/cuts.c.
static bool teleported(limber_tracker* tracker, const limber_transform* local) {
    bool any = false;
    for (uint32_t j = 0; j < tracker->model->rig.joint_count; j++) {
        limber_vec3 move = limberi_sub(local[j].translation, tracker->last[j].translation);
        bool far = limberi_length(move) * tracker->unit_length[j] > teleport_move * tracker->model->size;
        far = far || turns_too_far(tracker->last[j].rotation, local[j].rotation);
        tracker->jumps[j] = far ? LIMBERI_JUMPS : 0;
        any = any || far;
    }
    return any && limberi_jump_of_all(&tracker->model->rig, tracker->shares, tracker->jumps);
}

// The velocities that were about a window ago, but not before `since_s`; NULL: there are none yet.
static const past* find_past(const limber_tracker* tracker, double time_s, double since_s) {
    const past* found = NULL;
    for (uint32_t i = 0; i < tracker->kept_count; i++) {
        const past* p = &tracker->kept[i];
        double off = fabs(time_s - p->time_s - tracker->window_s);
        if (p->time_s >= since_s && (!found || off < fabs(time_s - found->time_s - tracker->window_s)))
            found = p;
    }
    return found;
}

static void keep_velocities(limber_tracker* tracker, double time_s) {
    size_t bytes = tracker->model->rig.joint_count * sizeof(limber_vec3);
    double since = time_s - tracker->kept[tracker->kept_newest].time_s;
    if (tracker->kept_count && since < tracker->window_s / KEPT_PER_WINDOW)
        return;
    tracker->kept_newest = tracker->kept_count ? (tracker->kept_newest + 1) % KEPT : 0;
    tracker->kept_count += tracker->kept_count < KEPT;
    past* p = &tracker->kept[tracker->kept_newest];
    p->time_s = time_s;
    memcpy(p->velocity, tracker->middle.velocity, bytes);
    memcpy(p->angular_velocity, tracker->middle.angular_velocity, bytes);
}

// A step of one joint; `before`: earlier velocities, or NULL.
static void advance_joint(limber_tracker* tracker, uint32_t j, const limber_transform* to, double step_s,
                          double middle_s, const past* before) {
    limber_kinematics* now = &tracker->now;
    float per_step = (float)(1 / step_s);
    float per_middle = before ? (float)(1 / (middle_s - before->time_s)) : 0;
    double turn[3];
    turn_between(tracker->last[j].rotation, to->rotation, turn);
    limber_vec3 move = limberi_sub(to->translation, tracker->last[j].translation);
    limber_vec3 v = limberi_scale(move, per_step);
    limber_vec3 w = limberi_scale(limberi_vec3((float)turn[0], (float)turn[1], (float)turn[2]), per_step);
    tracker->middle.velocity[j] = v;
    tracker->middle.angular_velocity[j] = w;
    if (before) {
        limber_vec3 a = limberi_scale(limberi_sub(v, before->velocity[j]), per_middle);
        limber_vec3 b = limberi_scale(limberi_sub(w, before->angular_velocity[j]), per_middle);
        v = limberi_add(v, limberi_scale(a, 0.5f * (float)step_s));
        w = limberi_add(w, limberi_scale(b, 0.5f * (float)step_s));
        now->acceleration[j] = a;
        now->angular_acceleration[j] = b;
    }
    now->velocity[j] = v;
    now->angular_velocity[j] = w;
}

static void start_joint(limber_tracker* tracker, uint32_t j, double time_s) {
    limber_kinematics* now = &tracker->now;
    tracker->middle.velocity[j] = tracker->middle.angular_velocity[j] = limberi_vec3(0, 0, 0);
    now->velocity[j] = now->acceleration[j] = limberi_vec3(0, 0, 0);
    now->angular_velocity[j] = now->angular_acceleration[j] = limberi_vec3(0, 0, 0);
    tracker->own_pushes[j] = 0;
    tracker->fresh_s[j] = time_s;
}

// Velocities belong to the middle of the step they are taken over; accelerations divide by the time between middles,
// and carry the velocities on to the end of the step.
static void advance(limber_tracker* tracker, const limber_transform* local, double time_s) {
    double step_s = time_s - tracker->time_s;
    double middle_s = time_s - 0.5 * step_s;
    const past* common = find_past(tracker, middle_s, -HUGE_VAL);
    for (uint32_t j = 0; j < tracker->model->rig.joint_count; j++) {
        const past* before = common;
        if (tracker->jumps[j] == LIMBERI_JUMPS) {
            start_joint(tracker, j, time_s);
            continue;
        }
        if (before && before->time_s < tracker->fresh_s[j])
            before = find_past(tracker, middle_s, tracker->fresh_s[j]);
        advance_joint(tracker, j, &local[j], step_s, middle_s, before);
    }
    keep_velocities(tracker, middle_s);
}

double limberi_tracker_step(limber_tracker* tracker, const limber_transform* local, double time_s) {
    double step_s = time_s - tracker->time_s;
    if (!tracker->pushes || step_s < 0 || step_s > longest_gap_s)
        return -1;
    if (step_s < shortest_step_s)
        return 0;
    return teleported(tracker, local) ? -1 : step_s;
}

limberi_tracked limberi_tracker_push_pose(limber_tracker* tracker, const limber_transform* local, double time_s) {
    double step_s = time_s - tracker->time_s;
    limberi_tracked held = {tracker->own_pushes, true, 0, NULL, NULL, NULL};
    if (!isfinite(time_s) || (tracker->pushes && step_s >= 0 && step_s < shortest_step_s))
        return held;
    if (tracker->pushes && (step_s < 0 || step_s > longest_gap_s || teleported(tracker, local)))
        limber_tracker_reset(tracker);
    if (tracker->pushes)
        advance(tracker, local, time_s);
    if (tracker->model->rig.joint_count)
        memcpy(tracker->last, local, tracker->model->rig.joint_count * sizeof *local);
    tracker->time_s = time_s;
    tracker->pushes++;
    for (uint32_t j = 0; j < tracker->model->rig.joint_count; j++)
        tracker->own_pushes[j]++;
    limberi_tracked tracked = {
        tracker->own_pushes, false, step_s, tracker->middle.velocity, tracker->middle.angular_velocity, NULL};
    return tracked;
}

void limber_tracker_push(limber_tracker* tracker, const limber_transform* local, double time_s) {
    limberi_tracker_push_pose(tracker, local, time_s);
}

void limberi_tracker_copy(limber_tracker* to, const limber_tracker* from) {
    size_t count = to->model->rig.joint_count ? to->model->rig.joint_count : 1;
    memcpy(to->last, from->last, count * sizeof *to->last);
    memcpy(to->now.velocity, from->now.velocity, 4 * count * sizeof *to->now.velocity); // one block of four arrays
    memcpy(to->kept[0].velocity, from->kept[0].velocity,
           2 * (KEPT + 1) * count * sizeof(limber_vec3)); // one block, too
    for (uint32_t i = 0; i < KEPT; i++)
        to->kept[i].time_s = from->kept[i].time_s;
    memcpy(to->own_pushes, from->own_pushes, count * sizeof *to->own_pushes);
    memcpy(to->fresh_s, from->fresh_s, count * sizeof *to->fresh_s);
    to->kept_count = from->kept_count;
    to->kept_newest = from->kept_newest;
    to->time_s = from->time_s;
    to->pushes = from->pushes;
}
