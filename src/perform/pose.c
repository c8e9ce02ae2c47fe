// Pose and anticipation (S16): each pose goes farther from where the character dwells, and starts a little the other way;
// the body sinks deeper and rises higher; legs are bent so that the feet stay where they were.
#include "perform/passes.h"
#include "perform/poser.h"
#include "perform/room.h"

#include "base/math.h"
#include "base/turns.h"

#include <string.h>

static const double shortest_s = 0.2;
static const double soft_s = 0.04;    // poses are smoothed by this
static const double small_gain = 0.9; // a small performance gets more
static const double small_none = 0.01;
static const double small_full = 0.07;
static const double limb_wind_up = 0.7;
static const double fade_s = 0.15;
static const double lie_s = 0.1;    // the trunk is held that long before and after it lies on the floor,
static const double touch_s = 0.08; // and a limb before and after it touches it

// --- where the character dwells ---

// e: rotation vectors from the reference to the turns in q, which becomes the reference.
static void deviate(const limberi_poser* p, const double* turns, double* q, double* e) {
    const limberi_acting* a = p->a;
    memcpy(q, turns, 4 * (size_t)a->grid.count * sizeof *q);
    limberi_poser_refer(p, 4, q);
    for (uint32_t f = 0; f < a->grid.count; f++) {
        double* r = &q[4 * (size_t)f];
        double size = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
        double back[4];
        double way[4];
        for (int i = 0; i < 4; i++)
            r[i] = size > 1e-9 ? r[i] / size : turns[4 * (size_t)f + (size_t)i];
        limberi_turn_inverse(r, back);
        limberi_turn_mul(&turns[4 * (size_t)f], back, way);
        limberi_turn_log(way, &e[3 * (size_t)f]);
    }
}

// --- when not ---

static double touch_of_low_joint(const limberi_acting* a, uint32_t joint, uint32_t f) {
    if (!a->touch[joint] || !a->has_floor)
        return 0;
    double high = (a->world[limberi_acting_at(a, f, joint)].place[1] - a->floor) / a->body->height;
    return (1 - limberi_smooth_step(0.10, 0.22, high)) * a->touch[joint][f];
}

// Trunk joints at or below this one that lie on the floor hold it. Widened in time.
static void find_held(const limberi_acting* a, uint32_t joint, double* held) {
    const limberi_anatomy* body = a->body;
    memset(held, 0, a->grid.count * sizeof *held);
    for (uint32_t i = 0; i < body->trunk_count; i++)
        if (limberi_hangs_below(&a->model->rig, body->trunk[i], joint))
            for (uint32_t f = 0; f < a->grid.count; f++)
                held[f] = fmax(held[f], touch_of_low_joint(a, body->trunk[i], f));
}

// A limb that touches the floor anywhere, with a hand or a staff.
static void find_held_limb(const limberi_acting* a, int32_t limb, double* held) {
    memset(held, 0, a->grid.count * sizeof *held);
    for (uint32_t j = a->body->limbs[limb].root; j < a->joint_count; j++)
        if (a->touch[j] && a->body->limb_of[j] == limb && a->body->held[j] > 0.002f)
            for (uint32_t f = 0; f < a->grid.count; f++)
                held[f] = fmax(held[f], a->touch[j][f]);
}

static void widen(const limberi_acting* a, double reach_s, double* held) {
    limberi_signal_max(&a->grid, reach_s, held, a->scratch);
    limberi_signal_smooth(&a->grid, 0.06, 1, held, a->scratch);
}

// Sitting on the floor, lying, dead.
static void find_lying(limberi_poser* p) {
    limberi_acting* a = p->a;
    uint32_t hips = (uint32_t)a->body->hips;
    find_held(a, hips, p->lying);
    if (a->has_floor && limberi_has_legs(a->body, &p->legs)) {
        double* high = a->speeds[0];
        for (uint32_t f = 0; f < a->grid.count; f++)
            high[f] = a->world[limberi_acting_at(a, f, hips)].place[1] - a->floor;
        double at_rest = (double)a->model->rig.world_from_joint_rest[hips].m[13] - a->body->lowest;
        double tall = fmax(limberi_signal_percentile(&a->grid, 0.95, high, a->scratch), at_rest);
        for (uint32_t f = 0; f < a->grid.count; f++)
            p->lying[f] = fmax(p->lying[f], 1 - limberi_smooth_step(0.28, 0.50, high[f] / fmax(tall, 1e-9)));
    }
    widen(a, lie_s, p->lying);
}

// How far the top of the trunk is from where it dwells, yaw apart.
static void find_calm(limberi_poser* p) {
    limberi_acting* a = p->a;
    const limberi_anatomy* body = a->body;
    uint32_t top = (uint32_t)body->hips;
    for (uint32_t i = 0; i < body->trunk_count; i++)
        if ((int32_t)body->trunk[i] != body->head)
            top = body->trunk[i];
    double* turns = LIMBERI_ALLOCATE(&a->arena, double, 4 * (size_t)a->grid.count);
    for (uint32_t f = 0; turns && f < a->grid.count; f++) {
        memcpy(&turns[4 * (size_t)f], a->world[limberi_acting_at(a, f, top)].turn, 4 * sizeof *turns);
        if (f > 0) {
            double* q = &turns[4 * (size_t)f];
            double side = q[0] * q[-4] + q[1] * q[-3] + q[2] * q[-2] + q[3] * q[-1];
            for (int i = 0; side < 0 && i < 4; i++)
                q[i] = -q[i];
        }
    }
    if (!turns)
        return;
    deviate(p, turns, p->q, p->e);
    for (uint32_t f = 0; f < a->grid.count; f++) {
        const double* e = &p->e[3 * (size_t)f];
        double tilt = sqrt(e[0] * e[0] + e[2] * e[2]) / (limberi_bent_trunk * limberi_degree);
        p->calm[f] = 1 / (1 + tilt * tilt);
    }
}

// --- rotations ---

static bool turns_at_all(const limberi_acting* a, uint32_t joint, double min) {
    const limber_quat* first = &a->local[joint].rotation;
    for (uint32_t f = 1; f < a->grid.count; f++) {
        const limber_quat* q = &a->local[limberi_acting_at(a, f, joint)].rotation;
        const double off[4] = {(double)(q->x - first->x), (double)(q->y - first->y), (double)(q->z - first->z),
                               (double)(q->w - first->w)};
        if (sqrt(limberi_dot3(off, off) + off[3] * off[3]) > min)
            return true;
    }
    return false;
}

bool limberi_carries_stiff_leg(const limberi_anatomy* body, const limberi_legs* legs, uint32_t joint) {
    for (uint32_t l = 0; l < body->limb_count; l++)
        if (legs->is_leg[l] && !legs->is_solved[l] && body->limbs[l].root != joint &&
            limberi_hangs_below(&body->model->rig, body->limbs[l].root, joint))
            return true;
    return false;
}

static void take_out_yaw(const limberi_acting* a, uint32_t hips, double* e) {
    int32_t parent = a->model->rig.parents[hips];
    for (uint32_t f = 0; f < a->grid.count; f++) {
        double up[3] = {0, 1, 0};
        double back[4];
        double* v = &e[3 * (size_t)f];
        if (parent >= 0) {
            limberi_turn_inverse(a->world[limberi_acting_at(a, f, (uint32_t)parent)].turn, back);
            limberi_turn_rotate(back, up, up);
        }
        double yaw = limberi_dot3(v, up);
        for (int i = 0; i < 3; i++)
            v[i] -= yaw * up[i];
    }
}

// How much of an edit is let through at one moment, apart from what depends on the gain. `held`: what hangs on the joint
// stands or lies on the floor.
static double let_through(const limberi_poser* p, int32_t limb, const double* held, uint32_t f) {
    if (limb < 0)
        return (1 - held[f]) * p->calm[f];
    return (p->room[limb] ? p->room[limb][f] : 1) * (1 - held[f]);
}

double limberi_far_down(const limberi_anatomy* body, uint32_t joint) {
    int32_t limb = body->limb_of[joint];
    uint32_t depth = 0;
    for (int32_t j = (int32_t)joint; limb >= 0 && j >= 0 && j != (int32_t)body->limbs[limb].root;
         j = body->model->rig.parents[j])
        depth++;
    return depth / (depth + 2.0);
}

// A joint that turns farther; the same for every gain.
struct limberi_turn_track {
    uint32_t joint;
    bool limb;       // else: trunk
    double share;    // of the edits that it gets
    double limit;    // radians
    double kept_way; // of what the joints above it add, what it takes back
    double delay_s;  // of what flows through the limbs
    double* away;    // [moment * 3] rotation vectors from where the character dwells, smoothed
    double* curve;   // [moment * 3] their second derivatives
    double* gate;    // [moment] how much is let through
    double* way;     // [moment * 3] rotation vectors by which it is to turn farther, for one gain
};

// `held`: [moment * 5] scratch.
static void find_turner(limberi_poser* p, double* held, limberi_turn_track* t) {
    limberi_acting* a = p->a;
    int32_t limb = a->body->limb_of[t->joint];
    bool hips = (int32_t)t->joint == a->body->hips;
    double* turns = held + a->grid.count; // [moment * 4]
    for (uint32_t f = 0; f < a->grid.count; f++)
        limberi_turn_of_transform(&a->local[limberi_acting_at(a, f, t->joint)], &turns[4 * (size_t)f]);
    deviate(p, turns, p->q, p->e);
    if (hips)
        take_out_yaw(a, t->joint, p->e);
    memcpy(t->away, p->e, 3 * (size_t)a->grid.count * sizeof *t->away);
    memcpy(t->curve, p->e, 3 * (size_t)a->grid.count * sizeof *t->curve);
    limberi_signal_smooth(&a->grid, soft_s, 3, t->away, a->scratch);
    limberi_poser_curve(p, t->curve);
    t->delay_s = p->trail_s * (1 + 0.5 * limberi_far_down(a->body, t->joint));
    if (hips)
        memcpy(held, p->lying, a->grid.count * sizeof *held);
    else if (limb < 0)
        find_held(a, t->joint, held);
    else
        find_held_limb(a, limb, held);
    if (!hips)
        widen(a, limb < 0 ? lie_s : touch_s, held);
    for (uint32_t f = 0; f < a->grid.count; f++) {
        const double* e = &p->e[3 * (size_t)f];
        double near = 1 - limberi_smooth_step(1.7, 2.6, limberi_length3(e));
        t->gate[f] = t->share * near * let_through(p, limb, held, f);
    }
}

// Any thread, for different joints.
static void find_some_turners(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    limberi_poser_copy own;
    limberi_poser_copy_open(user, worker, &own);
    for (uint32_t i = first; i < end; i++)
        find_turner(&own.poser, own.more, &own.poser.turners[i]);
}

static bool add_turner(limberi_poser* p, uint32_t joint, double share, uint32_t moving_trunk) {
    limberi_acting* a = p->a;
    limberi_turn_track* t = &p->turners[p->turner_count++];
    size_t count = a->grid.count;
    t->joint = joint;
    t->share = share;
    t->limb = a->body->limb_of[joint] >= 0;
    t->kept_way = limberi_kept_way_of(a->body, &p->legs, joint);
    t->limit = limberi_degree * (t->limb ? limberi_limb_max : limberi_trunk_max / moving_trunk);
    t->away = LIMBERI_ALLOCATE(&a->arena, double, 10 * count);
    if (!t->away)
        return false;
    t->curve = t->away + 3 * count;
    t->way = t->curve + 3 * count;
    t->gate = t->way + 3 * count;
    return true;
}

static limber_result find_turners(limberi_poser* p) {
    limberi_acting* a = p->a;
    const limberi_anatomy* body = a->body;
    uint32_t moving = 0;
    p->turners = LIMBERI_ALLOCATE(&a->arena, limberi_turn_track, a->joint_count);
    if (!p->turners)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t i = 0; i < body->trunk_count; i++)
        moving += turns_at_all(a, body->trunk[i], 1e-3);
    for (uint32_t j = 0; j < a->joint_count; j++) {
        int32_t limb = body->limb_of[j];
        double share = limberi_smooth_step(0.004, 0.015, (double)body->up[j]) * limberi_poser_gain_of(p, j);
        bool leg = limb >= 0 && (p->legs.is_leg[limb] || body->limbs[limb].loose);
        if (leg || share == 0 || !limberi_hangs_below(&a->model->rig, j, (uint32_t)body->hips) ||
            limberi_carries_stiff_leg(body, &p->legs, j) || !turns_at_all(a, j, 1e-4))
            continue;
        share *= (int32_t)j == body->head ? 1 - limberi_kept_way : 1;
        if (!add_turner(p, j, share, moving ? moving : 1))
            return LIMBER_ERROR_MEMORY;
    }
    limberi_parallel_for(a->parallel, p->turner_count, 1, find_some_turners, p);
    return LIMBER_OK;
}

// Any thread, for different joints: how far they are to turn, before what gates and limits leave of it.
static void find_ways(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    limberi_poser_copy own;
    const limberi_poser* p = &own.poser;
    limberi_poser_copy_open(user, worker, &own);
    for (uint32_t k = first; k < end; k++) {
        const limberi_turn_track* t = &p->turners[k];
        double gain = p->gain * (t->limb ? limberi_limb_gain : 1);
        for (size_t i = 0; i < 3 * (size_t)p->a->grid.count; i++)
            t->way[i] = gain * t->away[i];
        limberi_poser_wind_up(p, p->amounts->anticipate * (t->limb ? limb_wind_up : 1), t->curve, t->way);
        limberi_poser_delay(p, t->delay_s, 3, t->way);
    }
}

static void keep_way(const limberi_poser* p, uint32_t joint, uint32_t f, double part) {
    const limberi_acting* a = p->a;
    int32_t parent = a->model->rig.parents[joint];
    limber_transform* local = &p->out[limberi_acting_at(a, f, 0)];
    double now[4];
    if (parent < 0 || part == 0)
        return;
    limberi_turn_above(&a->model->rig, local, joint, now);
    limberi_keep_way(a->world[limberi_acting_at(a, f, (uint32_t)parent)].turn, now, part, &local[joint]);
}

static void turn_joint(const limberi_poser* p, const limberi_turn_track* t, uint32_t f) {
    const double* x = &t->way[3 * (size_t)f];
    limber_transform* local = &p->out[limberi_acting_at(p->a, f, t->joint)];
    double size = limberi_length3(x) / (t->limit * (t->limb ? p->room_for_more : 1));
    double gate = t->gate[f] * p->fade[f];
    double own[4], turn[4], out[4];
    if (gate == 0)
        return;
    limberi_turn_of_transform(local, own);
    limberi_turn_exp(x, gate / sqrt(1 + size * size), turn);
    limberi_turn_mul(turn, own, out);
    limberi_set_turn(local, out);
    keep_way(p, t->joint, f, t->kept_way * gate);
}

// Any thread, for different parts.
static void turn_joints(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const limberi_poser* p = user;
    const limberi_acting* a = p->a;
    (void)worker;
    limberi_moments_of(a, &first, &end);
    for (uint32_t f = first; f < end; f++) {
        size_t at = limberi_acting_at(a, f, 0);
        memcpy(&p->out[at], &a->local[at], a->joint_count * sizeof *p->out);
        for (uint32_t i = 0; i < p->turner_count; i++)
            turn_joint(p, &p->turners[i], f);
        if (a->body->head >= 0)
            keep_way(p, (uint32_t)a->body->head, f, limberi_kept_way);
    }
}

// --- all of it ---

static bool allocate(limberi_poser* p) {
    limberi_acting* a = p->a;
    size_t count = a->grid.count;
    size_t all = count * a->joint_count;
    p->out = LIMBERI_ALLOCATE(&a->arena, limber_transform, all);
    p->now = LIMBERI_ALLOCATE(&a->arena, limberi_placed_joint, all);
    p->ends = LIMBERI_ALLOCATE(&a->arena, double, count);
    p->fade = LIMBERI_ALLOCATE(&a->arena, double, count);
    p->weight = LIMBERI_ALLOCATE(&a->arena, double, count);
    p->weights = LIMBERI_ALLOCATE(&a->arena, double, count);
    p->lying = LIMBERI_ALLOCATE(&a->arena, double, count);
    p->calm = LIMBERI_ALLOCATE(&a->arena, double, count);
    p->shift = LIMBERI_ALLOCATE(&a->arena, double, 3 * count);
    p->e = LIMBERI_ALLOCATE(&a->arena, double, 3 * count);
    p->x = LIMBERI_ALLOCATE(&a->arena, double, 3 * count);
    p->q = LIMBERI_ALLOCATE(&a->arena, double, 4 * count);
    p->scratch = LIMBERI_ALLOCATE(&a->arena, double*, a->looker_count);
    for (uint32_t i = 0; p->scratch && i < a->looker_count; i++)
        p->scratch[i] = LIMBERI_ALLOCATE(&a->arena, double, LIMBERI_COPY_WIDTH* count);
    return !a->arena.failed;
}

static void find_fade(limberi_poser* p) {
    const limberi_acting* a = p->a;
    uint32_t last = a->grid.count - 1;
    double length = (last - a->first) * a->grid.step_s;
    double fade = fmin(fade_s, length / 4);
    for (uint32_t f = 0; f <= last; f++) {
        double since = f > a->first ? (f - a->first) * a->grid.step_s : 0;
        double left = (last - f) * a->grid.step_s;
        p->ends[f] = a->grid.loops ? 1 : limberi_smooth_step(0, fade, fmin(since, left));
    }
}

double limberi_small_gain(double amplitude) {
    return 1 + small_gain * (1 - limberi_smooth_step(small_none, small_full, amplitude));
}

double limberi_pose_gain(const limberi_acting* a, double exaggerate) {
    return exaggerate * limberi_small_gain(a->amplitude);
}

// The same gain does little to a walk and much to a fish, so it is found by trying.
static const double more_in_gaits = 0.6; // their feet stay, so the rest has more to do
static const double near_enough = 0.08;
static const double farthest[2] = {0.03, 0.055};  // in heights, and per amount: what a vertex is moved, as a mean
static const double change_limits[2] = {0.25, 3}; // of the gain
static const double limit_soft_s = 0.1;
static const double max_room = 1.9;
static const double swing_times[2] = {0.4, 2}; // seconds
enum { TRIES = 3 };

static void edit(limberi_poser* p) {
    limberi_parallel_for(p->a->parallel, p->turner_count, 1, find_ways, p);
    limberi_each_part(p->a, turn_joints, p);
    limberi_poser_stand(p);
}

// No moment is moved too far: what such a moment gets less is known once it was tried.
static limber_result edit_within_limits(limberi_poser* p) {
    limberi_acting* a = p->a;
    double limit = farthest[0] + farthest[1] * p->wanted;
    double* keep = p->e;
    bool any = false;
    memcpy(p->fade, p->ends, a->grid.count * sizeof *p->fade);
    edit(p);
    if (!limberi_changes(a, p->out, keep))
        return LIMBER_ERROR_MEMORY;
    for (uint32_t f = 0; f < a->grid.count; f++) {
        any = any || keep[f] > limit;
        keep[f] = keep[f] > limit ? limit / keep[f] : 1;
    }
    if (!any)
        return LIMBER_OK;
    limberi_soften_keep(a, limit_soft_s, keep);
    for (uint32_t f = 0; f < a->grid.count; f++)
        p->fade[f] = p->ends[f] * keep[f];
    edit(p);
    return LIMBER_OK;
}

static double find_goal(const limberi_poser* p) {
    double steady = 0;
    for (uint32_t f = 0; f < p->a->grid.count; f++)
        steady += (1 - p->a->free[f]) / p->a->grid.count;
    return limberi_larger * p->wanted * (1 + more_in_gaits * steady);
}

// One try: the edit with `change` times the wanted gain, and by how much the poses became larger.
static limber_result try_gain(limberi_poser* p, double change, double plain, double* larger) {
    p->gain = p->wanted * change;
    p->room_for_more = fmin(fmax(change, 1), max_room);
    limber_result result = edit_within_limits(p);
    if (!result)
        result = limberi_floor_guard(p->a, p->legs.is_leg, p->resting, p->out);
    double now = !result && larger ? limberi_amplitude(p->a, p->out) : 0;
    if (larger)
        *larger = now / fmax(plain, 1e-30) - 1;
    return now < 0 ? LIMBER_ERROR_MEMORY : result;
}

// A larger gain can come out smaller, where the floor or a limit then takes more away: the try that came nearest counts.
static limber_result find_gain(limberi_poser* p, double wanted) {
    double plain = limberi_amplitude(p->a, p->a->local);
    p->wanted = wanted;
    if (plain < 0)
        return LIMBER_ERROR_MEMORY;
    if (wanted == 0 || plain < 1e-5)
        return try_gain(p, 1, plain, NULL);
    double goal = find_goal(p);
    double change = 1;
    double best = 1;
    double best_miss = INFINITY;
    for (int i = 0; i < TRIES; i++) {
        double larger;
        limber_result result = try_gain(p, change, plain, &larger);
        if (result)
            return result;
        double more = goal / fmax(larger, 0.1 * goal);
        if (fabs(larger - goal) < best_miss) {
            best_miss = fabs(larger - goal);
            best = change;
        }
        if (fabs(more - 1) < near_enough)
            return LIMBER_OK;
        double next = fmin(fmax(change * more, change_limits[0]), change_limits[1]);
        if (i + 1 == TRIES || next == change)
            break;
        change = next;
    }
    return best == change ? LIMBER_OK : try_gain(p, best, plain, NULL);
}

// How long the body takes to swing there and back, in seconds, as if it swung like a pendulum: a run trails less than a
// stroll.
static double swing_time(const limberi_acting* a) {
    double square = 0;
    for (uint32_t f = 0; f < a->grid.count; f++)
        square += a->speed[f] * a->speed[f] / a->grid.count;
    double time = 2 * LIMBERI_PI * a->amplitude / fmax(sqrt(square), 1e-9);
    return fmin(fmax(time, swing_times[0]), swing_times[1]);
}

limber_result limberi_pose_edit(limberi_acting* a, const limberi_pose_amounts* amounts, limber_transform** edited) {
    const limberi_anatomy* body = a->body;
    double length = (a->grid.count - 1 - a->first) * a->grid.step_s;
    bool nothing = (amounts->exaggerate == 0 && amounts->anticipate == 0) || !body->posable || length < shortest_s ||
                   body->hips < 0 || (body->trunk_count < 2 && !body->limb_count);
    limberi_poser p = {0};
    *edited = NULL;
    if (nothing)
        return LIMBER_OK;
    p.a = a;
    p.amounts = amounts;
    p.trail_s = amounts->trail * swing_time(a);
    if (!allocate(&p) || limberi_legs_find(a, &p.legs) || limberi_room_find(a, p.legs.is_leg, &p.room) ||
        limberi_resting_find(a, &p.resting))
        return LIMBER_ERROR_MEMORY;
    find_fade(&p);
    limberi_poser_weigh(&p);
    find_lying(&p);
    find_calm(&p);
    if (a->arena.failed || find_turners(&p) || limberi_stance_find(&p))
        return LIMBER_ERROR_MEMORY;
    if (find_gain(&p, limberi_pose_gain(a, amounts->exaggerate)))
        return LIMBER_ERROR_MEMORY;
    *edited = p.out;
    return LIMBER_OK;
}
