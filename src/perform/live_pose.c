// Poses of a live stream go farther from where the character dwells (S16): a slow mean of what was so far, in which slow
// moments count most. The edit has no delay; it grows in as the mean becomes known.
#include "perform/live_private.h"

#include "base/math.h"
#include "base/turns.h"

#include <string.h>

static const double soft_s = 0.02;                // edits are smoothed by this; their mean runs ahead by about as much
static const double usual_swing_s = 0.7;          // of a body, there and back
static const double mind_s = 2;                   // how slowly the gain goes after the size of poses
static const double none_turn = 1e-4;             // rad: a turn below this is none ...
static const double whole_turn = 1e-3;            // ... and above this it counts wholly
static const double busy[2] = {0.002, 0.02};      // rad, rms: how much a joint turns that counts as moving
static const double change_limits[2] = {0.25, 2}; // of the gain, to make poses as much larger as wanted
static const double upside_down[2] = {0.2, 0.5};

// --- where it dwells ---

static void dwell_start(limberi_dwelling* d, const double* turn) {
    memcpy(d->mean, turn, sizeof d->mean);
    memcpy(d->last, turn, sizeof d->last);
}

static void dwell_on(limberi_dwelling* d, const double* turn, double part) {
    double before = limberi_dot4(d->last, d->mean) < 0 ? -0.5 : 0.5;
    double after = limberi_dot4(turn, d->mean) < 0 ? -0.5 : 0.5;
    for (int i = 0; i < 4; i++)
        d->mean[i] += part * (before * d->last[i] + after * turn[i] - d->mean[i]);
    double size = sqrt(limberi_dot4(d->mean, d->mean));
    for (int i = 0; i < 4; i++)
        d->mean[i] = size > 1e-6 ? d->mean[i] / size : turn[i];
    memcpy(d->last, turn, sizeof d->last);
}

// The rotation vector from where it dwells.
static void deviate(const limberi_dwelling* d, const double* turn, double* away) {
    double back[4], way[4];
    limberi_turn_inverse(d->mean, back);
    limberi_turn_mul(turn, back, way);
    limberi_turn_log(way, away);
}

static void unit_turn(const limber_transform* local, double* turn) {
    limberi_turn_of_transform(local, turn);
    double size = sqrt(limberi_dot4(turn, turn));
    for (int i = 0; i < 4; i++)
        turn[i] = size > 1e-12 ? turn[i] / size : i == 3;
}

// --- which way it faces ---

// The part of the hips' turn since the rest pose that is about the vertical.
static void face(limberi_live_acting* l) {
    limberi_live_pose* p = &l->pose;
    double back[4], since[4];
    limberi_turn_inverse(p->rest_turn, back);
    limberi_turn_mul(l->now.world[l->now.body->hips].turn, back, since);
    double size = sqrt(since[1] * since[1] + since[3] * since[3]);
    p->upright = limberi_smooth_step(upside_down[0], upside_down[1], size);
    if (size < 1e-6)
        return;
    p->heading[0] = p->heading[2] = 0;
    p->heading[1] = since[1] / size;
    p->heading[3] = since[3] / size;
}

static void tilt_of(const limberi_live_pose* p, const limberi_placed_joint* joint, double* tilt) {
    double back[4];
    limberi_turn_inverse(p->heading, back);
    limberi_turn_mul(back, joint->turn, tilt);
}

// --- how large and how fast it is ---

// Where the skin of each joint is, and the middle of all.
static void place_lumps(const limberi_live_acting* l, const limberi_placed_joint* world, double* middle) {
    memset(middle, 0, 3 * sizeof *middle);
    for (uint32_t j = 0; j < l->now.joint_count; j++) {
        const limberi_placed_joint* w = &world[j];
        double* place = &l->pose.lump_now[3 * (size_t)j];
        double share = l->lumps[j][3];
        if (!(share > 0))
            continue;
        limberi_turn_rotate(w->turn, l->lumps[j], place);
        for (int i = 0; i < 3; i++) {
            place[i] = w->place[i] + w->scale * place[i];
            middle[i] += share * place[i];
        }
    }
}

// Brings the mean shape `part` of the way to what is now; returns how far that is from it, squared, in heights.
static double go_from_mean(const limberi_live_acting* l, const double* middle, double part, limberi_live_size* size) {
    const double* heading = l->pose.heading;
    double cosine = heading[3] * heading[3] - heading[1] * heading[1];
    double sine = 2 * heading[1] * heading[3];
    double square = 0;
    for (uint32_t j = 0; j < l->now.joint_count; j++) {
        const double* now = &l->pose.lump_now[3 * (size_t)j];
        double* mean = &size->mean[3 * (size_t)j];
        if (!(l->lumps[j][3] > 0))
            continue;
        double x = now[0] - middle[0];
        double z = now[2] - middle[2];
        double about[3] = {cosine * x - sine * z, now[1] - middle[1], sine * x + cosine * z};
        for (int i = 0; i < 3; i++) {
            mean[i] += part * (about[i] - mean[i]);
            about[i] -= mean[i];
        }
        square += l->lumps[j][3] * limberi_dot3(about, about);
    }
    return square / (l->now.body->height * l->now.body->height);
}

// Horizontal, of the middle of the skin.
static void see_travel(limberi_live_acting* l, const double* middle, double step_s) {
    limberi_live_pose* p = &l->pose;
    double keep = exp(-step_s / limberi_body_travel_s);
    for (int i = 0; i < 3; i += 2) {
        double v = (middle[i] - p->middle[i]) / (step_s * l->now.body->height);
        p->travel[i] = p->travels ? v + keep * (p->travel[i] - v) : v;
    }
    p->travels = true;
}

// How fast the pose changes, travel taken out; heights per second.
static double speed_of_lumps(const limberi_live_acting* l, double step_s) {
    const limberi_live_pose* p = &l->pose;
    double per = 1 / (step_s * l->now.body->height);
    double square = 0;
    for (uint32_t j = 0; j < l->now.joint_count; j++) {
        double v[3];
        for (int i = 0; i < 3; i++)
            v[i] =
                (p->lump_now[3 * (size_t)j + (size_t)i] - p->lump_last[3 * (size_t)j + (size_t)i]) * per - p->travel[i];
        square += l->lumps[j][3] * limberi_dot3(v, v);
    }
    return sqrt(square);
}

static void keep_lumps(limberi_live_acting* l, const double* middle) {
    memcpy(l->pose.lump_last, l->pose.lump_now, 3 * (size_t)l->now.joint_count * sizeof *l->pose.lump_last);
    memcpy(l->pose.middle, middle, sizeof l->pose.middle);
}

// --- over time ---

static uint32_t top_of(const limberi_anatomy* body) {
    uint32_t top = (uint32_t)body->hips;
    for (uint32_t i = 0; i < body->trunk_count; i++)
        if ((int32_t)body->trunk[i] != body->head)
            top = body->trunk[i];
    return top;
}

static void add_turner(limberi_live_acting* l, uint32_t joint) {
    const limberi_anatomy* body = l->now.body;
    int32_t limb = body->limb_of[joint];
    double share = limberi_smooth_step(0.004, 0.015, (double)body->up[joint]);
    bool leg = limb >= 0 && (l->pose.found.is_leg[limb] || body->limbs[limb].loose);
    if (leg || share == 0 || !limberi_hangs_below(&l->now.model->rig, joint, (uint32_t)body->hips) ||
        limberi_carries_stiff_leg(body, &l->pose.found, joint))
        return;
    share *= (int32_t)joint == body->head ? 1 - limberi_kept_way : 1;
    limberi_turner turner = {.joint = joint, .limb = limb, .share = share};
    turner.share *= l->settings.of_joint ? (double)l->settings.of_joint[joint] : 1;
    turner.soft_s = soft_s + l->settings.trail * usual_swing_s * (1 + 0.5 * limberi_far_down(body, joint));
    l->pose.turners[l->pose.count++] = turner;
}

bool limberi_live_pose_open(limberi_live_acting* l) {
    const limberi_anatomy* body = l->now.body;
    limberi_live_pose* p = &l->pose;
    limberi_arena* arena = &l->now.arena;
    size_t joints = l->now.joint_count;
    p->on =
        l->settings.exaggerate != 0 && body->posable && body->hips >= 0 && (body->trunk_count >= 2 || body->limb_count);
    if (!limberi_live_legs_open(l))
        return false;
    if (!p->on)
        return true;
    p->turners = LIMBERI_ALLOCATE(arena, limberi_turner, joints);
    p->lump_now = LIMBERI_ALLOCATE(arena, double, 3 * joints);
    p->lump_last = LIMBERI_ALLOCATE(arena, double, 3 * joints);
    p->plain.mean = LIMBERI_ALLOCATE(arena, double, 3 * joints);
    p->edited.mean = LIMBERI_ALLOCATE(arena, double, 3 * joints);
    p->now = LIMBERI_ALLOCATE(arena, limberi_placed_joint, joints);
    p->shifted = LIMBERI_ALLOCATE(arena, uint8_t, joints);
    if (arena->failed)
        return false;
    memcpy(p->rest_turn, l->now.world[body->hips].turn, sizeof p->rest_turn);
    p->rest_high = l->now.world[body->hips].place[1] - body->lowest;
    p->top = top_of(body);
    p->heading[3] = 1;
    for (uint32_t j = 0; j < joints; j++) {
        p->shifted[j] = limberi_hangs_below(&l->now.model->rig, j, (uint32_t)body->hips);
        add_turner(l, j);
    }
    return true;
}

void limberi_live_pose_copy(limberi_live_pose* to, const limberi_live_pose* from, uint32_t joint_count) {
    limberi_live_pose old = *to;
    *to = *from;
    to->turners = old.turners;
    to->legs = old.legs;
    to->found = old.found;
    to->lump_now = old.lump_now;
    to->lump_last = old.lump_last;
    to->plain.mean = old.plain.mean;
    to->edited.mean = old.edited.mean;
    to->now = old.now;
    to->touch = old.touch;
    to->limb_touch = old.limb_touch;
    to->foot_of = old.foot_of;
    to->shifted = old.shifted;
    for (uint32_t i = 0; i < to->count; i++) {
        limberi_turner own = to->turners[i];
        to->turners[i] = from->turners[i];
        to->turners[i].share = own.share;
        to->turners[i].soft_s = own.soft_s;
    }
    memcpy(to->legs, from->legs, to->found.count * sizeof *to->legs);
    memcpy(to->lump_last, from->lump_last, 3 * (size_t)joint_count * sizeof *to->lump_last);
    memcpy(to->plain.mean, from->plain.mean, 3 * (size_t)joint_count * sizeof *to->plain.mean);
    memcpy(to->edited.mean, from->edited.mean, 3 * (size_t)joint_count * sizeof *to->edited.mean);
}

void limberi_live_pose_start(limberi_live_acting* l, const limber_transform* local) {
    limberi_live_pose* p = &l->pose;
    const limberi_placed_joint* hips = &l->now.world[l->now.body->hips];
    double tilt[4], middle[3];
    face(l);
    tilt_of(p, hips, tilt);
    dwell_start(&p->hips, tilt);
    tilt_of(p, &l->now.world[p->top], tilt);
    dwell_start(&p->chest, tilt);
    for (uint32_t i = 0; i < p->count; i++) {
        limberi_turner* t = &p->turners[i];
        unit_turn(&local[t->joint], tilt);
        dwell_start(&t->at, tilt);
        memset(t->away, 0, sizeof t->away);
        memset(t->soft, 0, sizeof t->soft);
        t->square = 0;
    }
    for (int k = 0; k < 2; k++)
        memcpy(p->place[k], hips->place, sizeof p->place[k]);
    memcpy(p->last, hips->place, sizeof p->last);
    p->speed_square = p->plain.square = p->edited.square = p->largest = 0;
    p->weight = p->change = 1;
    p->travels = false;
    place_lumps(l, l->now.world, middle);
    go_from_mean(l, middle, 1, &p->plain);
    go_from_mean(l, middle, 1, &p->edited);
    keep_lumps(l, middle);
    limberi_live_legs_start(l);
}

// How far means go in a step; a stream that has just begun is its own mean.
static double part_of(const limberi_live_acting* l, double share, double step_s) {
    return 1 - exp(-step_s * fmax(share / limberi_around_s, 1 / l->age_s));
}

// Turns that poses make larger: about the joint's parent, those of the hips about the world, yaw taken out.
static void turner_away(const limberi_live_acting* l, const limberi_turner* t, const double* turn, double* away) {
    const limberi_live_pose* p = &l->pose;
    int32_t parent = l->now.model->rig.parents[t->joint];
    double tilt[4];
    if ((int32_t)t->joint != l->now.body->hips) {
        deviate(&t->at, turn, away);
        return;
    }
    tilt_of(p, &l->now.world[t->joint], tilt);
    deviate(&p->hips, tilt, away);
    away[1] = 0;
    limberi_turn_rotate(p->heading, away, away);
    if (parent >= 0)
        limberi_out_of_heading(l->now.world[parent].turn, away, away);
}

static void advance_turner(limberi_live_acting* l, limberi_turner* t, const limber_transform* local,
                           const limberi_live_step* step) {
    double turn[4], away[3];
    double follow = 1 - exp(-step->step_s / t->soft_s);
    unit_turn(&local[t->joint], turn);
    dwell_on(&t->at, turn, step->part);
    turner_away(l, t, turn, away);
    for (int i = 0; i < 3; i++) {
        t->soft[i] += follow * (0.5 * (t->away[i] + away[i]) - t->soft[i]);
        t->away[i] = away[i];
    }
    t->square += step->even * (limberi_dot3(away, away) - t->square);
}

// The mean of the hips' place without its travel: their steady velocity leaves no lag behind.
static void advance_place(limberi_live_acting* l, double part) {
    limberi_live_pose* p = &l->pose;
    const double* now = l->now.world[l->now.body->hips].place;
    for (int i = 0; i < 3; i++) {
        double before = p->place[0][i];
        p->place[0][i] += part * (0.5 * (p->last[i] + now[i]) - p->place[0][i]);
        p->place[1][i] += part * (0.5 * (before + p->place[0][i]) - p->place[1][i]);
        p->last[i] = now[i];
    }
}

// Slow moments count most in means, but a held pose does not come back faster than in their own time.
static limberi_live_step weigh(limberi_live_acting* l, double speed, double step_s) {
    limberi_live_pose* p = &l->pose;
    double even = part_of(l, 1, step_s);
    p->speed_square += even * (speed * speed - p->speed_square);
    double fast = speed / (0.5 * sqrt(p->speed_square) + 1e-6);
    double weight = 1 / (1 + fast * fast);
    p->weight += even * (weight - p->weight);
    return (limberi_live_step){step_s, even, part_of(l, fmin(weight / fmax(p->weight, 1e-6), 1), step_s)};
}

static limberi_live_step see_skin(limberi_live_acting* l, double step_s) {
    limberi_live_pose* p = &l->pose;
    double middle[3];
    place_lumps(l, l->now.world, middle);
    see_travel(l, middle, step_s);
    limberi_live_step step = weigh(l, speed_of_lumps(l, step_s), step_s);
    keep_lumps(l, middle);
    double square = go_from_mean(l, middle, step.part, &p->plain);
    p->plain.square += step.even * (square - p->plain.square);
    p->largest = fmax(p->plain.square, 0.5 * square);
    return step;
}

// The same gain does little to a walk and much to a fish: it goes where poses become as much larger as wanted.
static void find_gain(limberi_live_acting* l, double step_s) {
    limberi_live_pose* p = &l->pose;
    p->wanted = l->settings.exaggerate * limberi_small_gain(sqrt(p->largest));
    if (!(p->wanted > 0))
        return;
    double goal = limberi_larger * p->wanted;
    double now = sqrt(p->edited.square / fmax(p->plain.square, 1e-12)) - 1;
    double more = goal / fmax(now, 0.25 * goal);
    double known = limberi_smooth_step(0.3, 1.2, l->age_s) * limberi_smooth_step(3e-3, 1e-2, sqrt(p->plain.square));
    p->change *= exp((1 - exp(-step_s / mind_s)) * known * log(more));
    p->change = fmin(fmax(p->change, change_limits[0]), change_limits[1]);
}

void limberi_live_pose_advance(limberi_live_acting* l, const limber_transform* local, double step_s) {
    limberi_live_pose* p = &l->pose;
    double tilt[4];
    face(l);
    find_gain(l, step_s);
    limberi_live_step step = p->step = see_skin(l, step_s);
    tilt_of(p, &l->now.world[l->now.body->hips], tilt);
    dwell_on(&p->hips, tilt, step.part);
    tilt_of(p, &l->now.world[p->top], tilt);
    dwell_on(&p->chest, tilt, step.part);
    for (uint32_t i = 0; i < p->count; i++)
        advance_turner(l, &p->turners[i], local, &step);
    advance_place(l, 1 - exp(-step_s / limberi_around_s));
    limberi_live_legs_advance(l, &step);
}

// --- the edit ---

// Sitting on the floor, lying, dead.
static void see_lying(limberi_live_acting* l) {
    limberi_live_pose* p = &l->pose;
    double floor = l->now.has_floor ? l->now.floor : INFINITY;
    for (uint32_t i = 0; i < p->found.count && !l->now.has_floor; i++)
        floor = fmin(floor, p->legs[i].low);
    double high = l->now.world[l->now.body->hips].place[1] - floor;
    p->lying = 0;
    if (p->found.count)
        p->lying = 1 - limberi_smooth_step(0.28, 0.50, high / fmax(p->rest_high, 1e-9));
}

static double trunk_held(const limberi_live_acting* l) {
    const limberi_anatomy* body = l->now.body;
    double held = 0;
    for (uint32_t i = 0; i < body->trunk_count && l->now.has_floor; i++) {
        double high = (l->now.world[body->trunk[i]].place[1] - l->now.floor) / body->height;
        double near = (1 - limberi_smooth_step(0.10, 0.22, high)) * l->pose.touch[body->trunk[i]];
        held = near > held ? near : held; // by comparing: gcc 12 for Arm fails to compile fmax here
    }
    return held;
}

// What is bent far already needs no more.
static double calm_of(const limberi_live_acting* l) {
    double tilt[4], away[3];
    tilt_of(&l->pose, &l->now.world[l->pose.top], tilt);
    deviate(&l->pose.chest, tilt, away);
    double far = sqrt(away[0] * away[0] + away[2] * away[2]) / (limberi_bent_trunk * limberi_degree);
    return 1 / (1 + far * far);
}

// How many trunk joints share the bend of the trunk.
static double moving_trunk(const limberi_live_pose* p) {
    double moving = 0;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->turners[i].limb < 0)
            moving += limberi_smooth_step(busy[0], busy[1], sqrt(p->turners[i].square));
    return fmax(moving, 1);
}

// Gates of an edit, for trunk and limbs.
typedef struct gates {
    double gain, fade, trunk, hips, trunk_limit;
} gates;

static void keep_way(const limberi_live_acting* l, uint32_t joint, double gate, limber_transform* local) {
    double part = gate * limberi_kept_way_of(l->now.body, &l->pose.found, joint);
    int32_t parent = l->now.model->rig.parents[joint];
    double now[4], back[4], way[4], added[3];
    if (parent < 0 || part == 0)
        return;
    const double* plain = l->now.world[parent].turn;
    limberi_turn_above(&l->now.model->rig, local, joint, now);
    limberi_turn_inverse(plain, back);
    limberi_turn_mul(now, back, way);
    limberi_turn_log(way, added);
    part *= limberi_smooth_step(none_turn, whole_turn, limberi_length3(added));
    if (part > 0)
        limberi_keep_way(plain, now, part, &local[joint]);
}

static void turn_joint(const limberi_live_acting* l, const limberi_turner* t, const gates* g, limber_transform* local) {
    bool limb = t->limb >= 0;
    bool hips = (int32_t)t->joint == l->now.body->hips;
    double limit = limberi_degree * (limb ? limberi_limb_max : g->trunk_limit);
    double gain = g->gain * (limb ? limberi_limb_gain : 1);
    double x[3], turn[4], out[4], own[4];
    for (int i = 0; i < 3; i++)
        x[i] = gain * t->soft[i];
    double size = limberi_length3(x);
    double gate = g->fade * t->share * (1 - limberi_smooth_step(1.7, 2.6, limberi_length3(t->away)));
    if (limb)
        gate *= 1 - l->pose.limb_touch[t->limb];
    else
        gate *= hips ? g->hips : g->trunk;
    if (gate == 0)
        return;
    double part = gate * limberi_smooth_step(none_turn, whole_turn, size) / sqrt(1 + size * size / (limit * limit));
    if (part > 0) {
        unit_turn(&local[t->joint], own);
        limberi_turn_exp(x, part, turn);
        limberi_turn_mul(turn, own, out);
        limberi_set_turn(&local[t->joint], out);
    }
    keep_way(l, t->joint, gate, local);
}

// How large the edited pose is.
static void see_edited(limberi_live_acting* l) {
    limberi_live_pose* p = &l->pose;
    double middle[3];
    place_lumps(l, p->now, middle);
    double square = go_from_mean(l, middle, p->step.part, &p->edited);
    p->edited.square += p->step.even * (square - p->edited.square);
}

void limberi_live_pose_edit(limberi_live_acting* l, double step_s, limber_transform* local) {
    limberi_live_pose* p = &l->pose;
    const limberi_anatomy* body = l->now.body;
    int32_t neck = body->head < 0 ? -1 : l->now.model->rig.parents[body->head];
    gates g = {.gain = p->wanted * p->change, .fade = limberi_smooth_step(0, limberi_live_grow_s, l->age_s)};
    see_lying(l);
    g.trunk = calm_of(l) * (1 - trunk_held(l));
    g.hips = g.trunk * (1 - p->lying) * p->upright;
    g.trunk_limit = limberi_trunk_max / moving_trunk(p);
    for (uint32_t i = 0; i < p->count; i++)
        turn_joint(l, &p->turners[i], &g, local);
    limberi_place_joints(&l->now.model->rig, local, p->now);
    if (neck >= 0)
        limberi_keep_way(l->now.world[neck].turn, p->now[neck].turn, limberi_kept_way, &local[body->head]);
    limberi_live_stand(l, g.gain, g.fade, local);
    limberi_keep_companions(body, l->now.world, p->now, local);
    if (step_s > 0)
        see_edited(l);
}
