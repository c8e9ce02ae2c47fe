// The hips and legs of live poses (S16): the hips sink deeper and rise higher, and legs are bent so that feet which are on
// the ground stay where they were. What is on the ground is said by contacts; where nobody says, the lowest foot is.
#include "perform/live_private.h"

#include "base/math.h"
#include "base/turns.h"

#include <string.h>

static const double flat = 0.05;                 // of the height: how far soles are above the lowest point of a foot
static const double on_ground[2] = {0.01, 0.12}; // heights above the ground: there, and gone
static const double down[2] = {0.01, 0.06};      // the same, for a foot that carries the body
static const double soft_s = 0.03;
static const double gone[2] = {0.15, 0.5}; // travel in heights per second, above which the hips keep to their way

// --- soles ---

static void list_feet(limberi_live_acting* l) {
    const limberi_legs* found = &l->pose.found;
    for (uint32_t j = 0; j < l->now.joint_count; j++) {
        l->pose.foot_of[j] = -1;
        for (uint32_t i = 0; i < found->count; i++)
            if (limberi_hangs_below(&l->now.model->rig, j, found->list[i].end))
                l->pose.foot_of[j] = (int32_t)i;
    }
}

// Of the foot's points that are lowest at rest.
static bool is_sole(const limberi_live_acting* l, uint32_t leg, uint32_t point, const float* places, double low) {
    return l->pose.foot_of[l->now.points->joints[point]] == (int32_t)leg &&
           (double)places[3 * (size_t)point + 1] <= low + flat * l->now.body->height;
}

// Adds a point to the soles; how far the others are from those that were chosen shrinks.
static void add_sole(const limberi_live_acting* l, uint32_t leg, uint32_t point, const float* places, double* far) {
    limberi_live_leg* out = &l->pose.legs[leg];
    uint32_t joint = l->now.points->joints[point];
    const limberi_placed_joint* w = &l->now.world[joint];
    const double at[3] = {(double)places[3 * (size_t)point], (double)places[3 * (size_t)point + 1],
                          (double)places[3 * (size_t)point + 2]};
    double away[3];
    for (int c = 0; c < 3; c++)
        away[c] = (at[c] - w->place[c]) / fmax(w->scale, 1e-12);
    limberi_out_of_heading(w->turn, away, out->soles[out->sole_count]);
    out->sole_joints[out->sole_count++] = joint;
    for (uint32_t i = 0; i < l->now.points->count; i++) {
        const float* p = places + 3 * (size_t)i;
        const double q[3] = {(double)p[0], (double)p[1], (double)p[2]};
        far[i] = fmin(far[i], limberi_distance3(at, q));
    }
}

// A few points that are far from each other, the first one far from the ankle. `places`: [point * 3] at rest; `far`:
// [point] scratch.
static void find_soles(const limberi_live_acting* l, uint32_t leg, const float* places, double* far) {
    limberi_live_leg* out = &l->pose.legs[leg];
    const double* ankle = l->now.world[l->pose.found.list[leg].end].place;
    uint32_t count = l->now.points->count;
    double low = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        const double at[3] = {(double)places[3 * (size_t)i], (double)places[3 * (size_t)i + 1],
                              (double)places[3 * (size_t)i + 2]};
        far[i] = limberi_distance3(at, ankle);
        if (l->pose.foot_of[l->now.points->joints[i]] == (int32_t)leg)
            low = fmin(low, at[1]);
    }
    while (out->sole_count < LIMBERI_SOLES) {
        int64_t best = -1;
        for (uint32_t i = 0; i < count; i++)
            if (is_sole(l, leg, i, places, low) && (best < 0 || far[i] > far[best]))
                best = i;
        if (best < 0 || !(far[best] > 0))
            break;
        if (!out->sole_count)
            for (uint32_t i = 0; i < count; i++)
                far[i] = INFINITY;
        add_sole(l, leg, (uint32_t)best, places, far);
    }
    if (!out->sole_count) // a foot without points: its joint
        out->sole_joints[out->sole_count++] = l->pose.found.list[leg].end;
}

static bool place_points(limberi_live_acting* l, limberi_arena* scratch, float** places) {
    const limberi_touch_points* points = l->now.points;
    limberi_slot_matrix* slots = LIMBERI_ALLOCATE(scratch, limberi_slot_matrix, l->now.surface->slot_count);
    *places = LIMBERI_ALLOCATE(scratch, float, 3 * (size_t)points->count);
    limber_pose rest;
    if (scratch->failed || limber_pose_create(l->now.model, &rest))
        return false;
    memcpy(rest.local, l->now.model->rig.rest_local, l->now.joint_count * sizeof *rest.local);
    limber_pose_update_world(l->now.model, &rest);
    limberi_skin_sums_slots(l->now.surface, &rest, slots);
    for (uint32_t i = 0; i < points->count; i++)
        limberi_skin_sums_place(l->now.surface, (const limberi_slot_matrix*)slots, points->vertices[i],
                                *places + 3 * (size_t)i);
    limber_pose_destroy(&rest);
    return true;
}

bool limberi_live_legs_open(limberi_live_acting* l) {
    limberi_live_pose* p = &l->pose;
    limberi_arena scratch = {NULL, false};
    float* places = NULL;
    if (l->now.body->hips < 0)
        return true;
    if (limberi_legs_find(&l->now, &p->found))
        return false;
    p->legs = LIMBERI_ALLOCATE(&l->now.arena, limberi_live_leg, p->found.count + (size_t)1);
    p->foot_of = LIMBERI_ALLOCATE(&l->now.arena, int32_t, l->now.joint_count);
    if (l->now.arena.failed)
        return false;
    list_feet(l);
    double* far = LIMBERI_ALLOCATE(&scratch, double, l->now.points->count);
    bool made = far && place_points(l, &scratch, &places);
    for (uint32_t i = 0; made && i < p->found.count; i++)
        find_soles(l, i, places, far);
    limberi_arena_free(&scratch);
    p->shifts = made && p->found.count && limberi_may_shift(l->now.body, &p->found, true);
    return made;
}

// --- over time ---

// From hip to ankle, heading taken out.
static void reach_of(const limberi_live_acting* l, const limberi_leg* leg, double* reach) {
    const limberi_placed_joint* w = l->now.world;
    for (int i = 0; i < 3; i++)
        reach[i] = w[leg->end].place[i] - w[leg->root].place[i];
    limberi_out_of_heading(l->pose.heading, reach, reach);
}

void limberi_live_legs_start(limberi_live_acting* l) {
    for (uint32_t i = 0; i < l->pose.found.count; i++) {
        limberi_live_leg* leg = &l->pose.legs[i];
        reach_of(l, &l->pose.found.list[i], leg->mean);
        memcpy(leg->last, leg->mean, sizeof leg->last);
        memset(leg->soft, 0, sizeof leg->soft);
    }
}

void limberi_live_legs_advance(limberi_live_acting* l, const limberi_live_step* step) {
    double follow = 1 - exp(-step->step_s / soft_s);
    for (uint32_t i = 0; i < l->pose.found.count; i++) {
        limberi_live_leg* leg = &l->pose.legs[i];
        double now[3];
        reach_of(l, &l->pose.found.list[i], now);
        for (int c = 0; c < 3; c++) {
            double middle = 0.5 * (leg->last[c] + now[c]);
            leg->mean[c] += step->part * (middle - leg->mean[c]);
            leg->soft[c] += follow * (middle - leg->mean[c] - leg->soft[c]);
            leg->last[c] = now[c];
        }
    }
}

void limberi_live_legs_see(limberi_live_acting* l, const limberi_live_ground* ground) {
    limberi_live_pose* p = &l->pose;
    double lowest = INFINITY;
    for (uint32_t i = 0; i < p->found.count; i++) {
        limberi_live_leg* leg = &p->legs[i];
        leg->low = INFINITY;
        for (uint32_t k = 0; k < leg->sole_count; k++) {
            const limberi_placed_joint* joint = &l->now.world[leg->sole_joints[k]];
            double way[3];
            limberi_turn_rotate(joint->turn, leg->soles[k], way);
            leg->low = fmin(leg->low, joint->place[1] + joint->scale * way[1]);
        }
        lowest = fmin(lowest, leg->low);
    }
    for (uint32_t i = 0; i < p->found.count; i++) {
        limberi_live_leg* leg = &p->legs[i];
        const limberi_leg* found = &p->found.list[i];
        double floor = l->now.has_floor ? (double)ground->height[found->end] : lowest;
        leg->high = (leg->low - floor) / l->now.body->height;
        leg->near = 1 - limberi_smooth_step(on_ground[0], on_ground[1], leg->high);
    }
    for (uint32_t j = 0; j < l->now.joint_count && l->now.has_floor; j++)
        if (p->foot_of[j] >= 0)
            p->legs[p->foot_of[j]].near = fmax(p->legs[p->foot_of[j]].near, p->touch[j]);
}

double limberi_live_legs_carry(const limberi_live_acting* l) {
    double max = 0;
    for (uint32_t i = 0; i < l->pose.found.count; i++)
        max = fmax(max, 1 - limberi_smooth_step(down[0], down[1], l->pose.legs[i].high));
    return max;
}

// --- the hips ---

static double gain_of(const limberi_live_acting* l, uint32_t joint) {
    return l->settings.of_joint ? (double)l->settings.of_joint[joint] : 1;
}

static double saturated(double x, double limit) {
    return x / sqrt(1 + x * x / (limit * limit));
}

static void find_shift(const limberi_live_acting* l, double amount, double fade, double* shift) {
    const limberi_live_pose* p = &l->pose;
    double height = l->now.body->height;
    const double* now = l->now.world[l->now.body->hips].place;
    double travel = sqrt(p->travel[0] * p->travel[0] + p->travel[2] * p->travel[2]);
    double free = 1 - limberi_smooth_step(gone[0], gone[1], travel);
    double gate = fade * (1 - p->lying) * gain_of(l, (uint32_t)l->now.body->hips);
    double air = 1;
    for (int i = 0; i < 3; i++) {
        double gain = amount * (i == 1 ? limberi_body_y : limberi_body_xz * free);
        shift[i] = gain * (now[i] - 2 * p->place[0][i] + p->place[1][i]);
    }
    for (uint32_t i = 0; i < p->found.count; i++)
        air *= 1 - p->legs[i].near;
    double level = sqrt(shift[0] * shift[0] + shift[2] * shift[2]);
    double side = level > 0 ? saturated(level, limberi_body_max_xz * height) / level : 0;
    shift[0] *= gate * side;
    shift[2] *= gate * side;
    shift[1] = gate * saturated(shift[1], limberi_body_max_y * height * (1 + (shift[1] > 0 ? 0.6 * air : 0)));
    for (uint32_t i = 0; i < p->found.count; i++)
        shift[1] = limberi_leg_limit_sinking(&l->now, &p->found.list[i], 0, p->legs[i].near, shift[1]);
    double size = limberi_length3(shift) / height;
    double some = limberi_smooth_step(1e-5, 1e-4, size); // a still puppet has its plain pose
    for (int i = 0; i < 3; i++)
        shift[i] *= some;
}

// --- legs ---

// Where the ankle goes on top of its plain place, because the pose is larger: outwards and up, never down.
static void find_step(const limberi_live_acting* l, uint32_t index, double amount, double fade, double* step) {
    const limberi_live_leg* leg = &l->pose.legs[index];
    const limberi_leg* found = &l->pose.found.list[index];
    double gain = limberi_step_gain * amount * gain_of(l, found->root);
    double gate = (1 - leg->near) * fade * (1 - l->pose.lying) * limberi_leg_room(&l->now, found, 0);
    limberi_turn_rotate(l->pose.heading, leg->soft, step);
    for (int i = 0; i < 3; i++)
        step[i] *= gain;
    step[1] = fmax(step[1], 0);
    double size = limberi_length3(step);
    double over = size > 0 ? saturated(size, limberi_step_max * l->now.body->height) / size : 0;
    over *= limberi_smooth_step(1e-5, 1e-4, size / l->now.body->height);
    for (int i = 0; i < 3; i++)
        step[i] *= gate * over;
}

// `hip`: of the edited pose.
static void aim_leg(const limberi_live_acting* l, uint32_t index, const double* hip, const double* step) {
    limberi_live_leg* leg = &l->pose.legs[index];
    const limberi_leg* found = &l->pose.found.list[index];
    const limberi_placed_joint* plain = l->now.world;
    for (int i = 0; i < 3; i++) {
        double move = (1 - leg->near) * (hip[i] - plain[found->root].place[i]);
        leg->target[i] = plain[found->end].place[i] + move + step[i];
    }
}

// Where a leg aims at with the hips shifted; how far they must come back for that.
static void try_shift(const limberi_live_acting* l, uint32_t index, const double* step, const double* shift,
                      double* way) {
    const limberi_live_pose* p = &l->pose;
    double hip[3];
    for (int i = 0; i < 3; i++)
        hip[i] = p->now[p->found.list[index].root].place[i] + shift[i];
    aim_leg(l, index, hip, step);
    limberi_leg_overreach(&l->now, &p->found.list[index], 0, hip, p->legs[index].target, way);
}

// Brings the shift back to where all legs reach.
static void bring_into_reach(const limberi_live_acting* l, double amount, double fade, double* shift) {
    const limberi_live_pose* p = &l->pose;
    double way[3];
    for (uint32_t i = 0; i < p->found.count; i++)
        find_step(l, i, amount, fade, p->legs[i].step);
    for (int pass = 0; pass < 3; pass++)
        for (uint32_t i = 0; i < p->found.count; i++) {
            try_shift(l, i, p->legs[i].step, shift, way);
            for (int c = 0; c < 3 && p->shifts && pass < 2; c++)
                shift[c] += way[c];
        }
}

static void shift_joint(const limberi_live_acting* l, uint32_t joint, const double* way, limber_transform* local) {
    int32_t parent = l->now.model->rig.parents[joint];
    limber_vec3* place = &local[joint].translation;
    double own[3];
    limberi_way_below(parent < 0 ? NULL : &l->pose.now[parent], way, own);
    *place = limberi_add(*place, limberi_vec3((float)own[0], (float)own[1], (float)own[2]));
}

static void bend_leg(const limberi_live_acting* l, uint32_t index, limber_transform* local) {
    const limberi_live_pose* p = &l->pose;
    const limberi_leg* leg = &p->found.list[index];
    const limberi_placed_joint* plain = l->now.world;
    double target[3], end[3];
    double near = 1e-7 * l->now.body->height;
    memcpy(target, p->legs[index].target, sizeof target);
    if (leg->foot >= 0) {
        double way[3];
        for (int i = 0; i < 3; i++)
            way[i] = target[i] - plain[leg->end].place[i];
        shift_joint(l, leg->end, way, local);
        limberi_leg_aim_at_foot(&l->now, leg, 0, target);
    }
    limberi_leg_end(leg, p->now, end);
    if (limberi_distance3(end, target) > near ||
        limberi_distance3(plain[leg->root].place, p->now[leg->root].place) > near)
        limberi_leg_bend(&l->now, leg, 0, target, p->now, local);
}

void limberi_live_stand(limberi_live_acting* l, double gain, double fade, limber_transform* local) {
    limberi_live_pose* p = &l->pose;
    double amount = fmin(gain / 0.8, 1.3); // as in clips
    double shift[3] = {0, 0, 0};
    if (p->shifts)
        find_shift(l, amount, fade, shift);
    bring_into_reach(l, amount, fade, shift);
    shift_joint(l, (uint32_t)l->now.body->hips, shift, local);
    for (uint32_t j = 0; j < l->now.joint_count; j++)
        for (int i = 0; i < 3 && p->shifted[j]; i++)
            p->now[j].place[i] += shift[i];
    for (uint32_t i = 0; i < p->found.count; i++)
        bend_leg(l, i, local);
}
