// Pose and anticipation (S16): each pose goes farther from where the character dwells, and starts a little the other way;
// the body sinks deeper and rises higher; legs are bent so that the feet stay where they were.
#include "perform/legs.h"
#include "perform/room.h"

#include "base/math.h"
#include "base/turns.h"

#include <string.h>

static const double shortest_s = 0.2;
static const double around_s = 1.2; // the reference, the pose, the anticipation
static const double soft_s = 0.04;
static const double wind_up_s = 0.12;
static const double small_gain = 0.9; // a small performance gets more
static const double small_none = 0.01;
static const double small_full = 0.07;
static const double limb_gain = 0.85;
static const double limb_wind_up = 0.7;
static const double degree = 0.017453292519943295;
static const double trunk_max = 1.5 * 26; // degrees, of all trunk joints together, of each limb joint
static const double limb_max = 22;
static const double bent_trunk = 55; // degrees: what is bent already needs no more
static const double fade_s = 0.15;
static const double head_back = 0.5;
static const double body_y = 0.9; // how far the hips go
static const double body_xz = 0.5;
static const double max_y = 0.09;
static const double max_xz = 0.045;
static const double leg_gain = 0.5;
static const double max_leg = 0.10;

typedef struct poser {
    limberi_acting* a;
    const limberi_pose_amounts* amounts;
    double gain; // pose.exaggerate, with what a small performance gets
    limber_transform* out;
    limberi_placed_joint* now; // [moment * joint_count + joint] of `out`
    limberi_legs legs;
    double** room;   // [limb] 0 ... 1 over time; NULL: 1
    double* fade;    // [moment] 0 at the ends of a clip that does not loop
    double* weight;  // [moment] how much the character dwells
    double* weights; // [moment] the same, smoothed
    double* lying;   // [moment] the legs carry nothing
    double* calm;    // [moment] how much the trunk may bend further
    double* shift;   // [moment * 3] of the hips, world units
    double* e;       // [moment * 3] scratch
    double* x;       // [moment * 3] scratch
    double* q;       // [moment * 4] scratch
} poser;

// --- where the character dwells ---

static void find_weights(poser* p) {
    const limberi_acting* a = p->a;
    double square = 0;
    for (uint32_t f = 0; f < a->grid.count; f++)
        square += a->speed[f] * a->speed[f] / a->grid.count;
    double typical = 0.5 * sqrt(square) + 1e-6;
    for (uint32_t f = 0; f < a->grid.count; f++) {
        double part = a->speed[f] / typical;
        p->weight[f] = p->weights[f] = 1 / (1 + part * part);
    }
    limberi_signal_smooth(&a->grid, around_s, 1, p->weights, a->scratch);
}

// The mean around each moment, in place; slow moments count most.
static void refer(const poser* p, uint32_t width, double* values) {
    const limberi_acting* a = p->a;
    for (uint32_t f = 0; f < a->grid.count; f++)
        for (uint32_t w = 0; w < width; w++)
            values[(size_t)f * width + w] *= p->weight[f];
    limberi_signal_smooth(&a->grid, around_s, width, values, a->scratch);
    for (uint32_t f = 0; f < a->grid.count; f++)
        for (uint32_t w = 0; w < width; w++)
            values[(size_t)f * width + w] /= fmax(p->weights[f], 1e-12);
}

// e: rotation vectors from the reference to the turns in q, which becomes the reference.
static void deviate(const poser* p, const double* turns, double* q, double* e) {
    const limberi_acting* a = p->a;
    memcpy(q, turns, 4 * (size_t)a->grid.count * sizeof *q);
    refer(p, 4, q);
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

// values -= amount * wind_up^2 * the second derivative of `of`, smoothed. `of` is spoiled.
static void wind_up(const poser* p, double amount, double* of, double* values) {
    const limberi_acting* a = p->a;
    double* rate = a->speeds[1];
    if (amount == 0)
        return;
    limberi_signal_smooth(&a->grid, wind_up_s, 3, of, a->scratch);
    limberi_signal_rate(&a->grid, 3, of, rate);
    limberi_signal_rate(&a->grid, 3, rate, of);
    for (size_t i = 0; i < 3 * (size_t)a->grid.count; i++)
        values[i] -= amount * wind_up_s * wind_up_s * of[i];
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

static void widen(const limberi_acting* a, double* held) {
    limberi_signal_max(&a->grid, 0.1, held, a->scratch);
    limberi_signal_smooth(&a->grid, 0.06, 1, held, a->scratch);
}

static bool has_legs(const poser* p) {
    for (uint32_t l = 0; l < p->a->body->limb_count; l++)
        if (p->legs.is_leg[l])
            return true;
    return false;
}

// Sitting on the floor, lying, dead.
static void find_lying(poser* p) {
    limberi_acting* a = p->a;
    uint32_t hips = (uint32_t)a->body->hips;
    find_held(a, hips, p->lying);
    if (a->has_floor && has_legs(p)) {
        double* high = a->speeds[0];
        for (uint32_t f = 0; f < a->grid.count; f++)
            high[f] = a->world[limberi_acting_at(a, f, hips)].place[1] - a->floor;
        double at_rest = (double)a->model->rig.world_from_joint_rest[hips].m[13] - a->body->lowest;
        double tall = fmax(limberi_signal_percentile(&a->grid, 0.95, high, a->scratch), at_rest);
        for (uint32_t f = 0; f < a->grid.count; f++)
            p->lying[f] = fmax(p->lying[f], 1 - limberi_smooth_step(0.28, 0.50, high[f] / fmax(tall, 1e-9)));
    }
    widen(a, p->lying);
}

// How far the top of the trunk is from where it dwells, yaw apart.
static void find_calm(poser* p) {
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
        double tilt = sqrt(e[0] * e[0] + e[2] * e[2]) / (bent_trunk * degree);
        p->calm[f] = 1 / (1 + tilt * tilt);
    }
}

// --- rotations ---

static bool turns_at_all(const limberi_acting* a, uint32_t joint, double min) {
    const limber_quat* first = &a->local[joint].rotation;
    for (uint32_t f = 1; f < a->grid.count; f++) {
        const limber_quat* q = &a->local[limberi_acting_at(a, f, joint)].rotation;
        float off = fmaxf(fmaxf(fabsf(q->x - first->x), fabsf(q->y - first->y)),
                          fmaxf(fabsf(q->z - first->z), fabsf(q->w - first->w)));
        if ((double)off > min)
            return true;
    }
    return false;
}

// Trunk joints that carry a leg without a knee stay: nothing could keep its foot in place.
static bool carries_stiff_leg(const poser* p, uint32_t joint) {
    const limberi_anatomy* body = p->a->body;
    for (uint32_t l = 0; l < body->limb_count; l++)
        if (p->legs.is_leg[l] && !p->legs.is_solved[l] && body->limbs[l].root != joint &&
            limberi_hangs_below(&p->a->model->rig, body->limbs[l].root, joint))
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

// How much of an edit is let through at one moment, apart from what depends on the angle.
static double let_through(const poser* p, int32_t limb, const double* held, uint32_t f) {
    const limberi_acting* a = p->a;
    double gate = p->fade[f] * (held ? 1 - held[f] : 1);
    if (limb < 0)
        return gate * p->calm[f];
    double touch = 0;
    for (uint32_t j = a->body->limbs[limb].root; j < a->joint_count; j++)
        if (a->touch[j] && a->body->limb_of[j] == limb && a->body->held[j] > 0.002f)
            touch = fmax(touch, a->touch[j][f]);
    return gate * (p->room[limb] ? p->room[limb][f] : 1) * (1 - touch);
}

static void turn_joint(poser* p, uint32_t joint, double share, uint32_t moving_trunk, double* held) {
    limberi_acting* a = p->a;
    int32_t limb = a->body->limb_of[joint];
    bool hips = (int32_t)joint == a->body->hips;
    double* turns = held + a->grid.count; // [moment * 4]
    for (uint32_t f = 0; f < a->grid.count; f++)
        limberi_turn_of(&a->local[limberi_acting_at(a, f, joint)], &turns[4 * (size_t)f]);
    deviate(p, turns, p->q, p->e);
    if (hips)
        take_out_yaw(a, joint, p->e);
    double gain = p->gain * (limb < 0 ? 1 : limb_gain);
    double before = p->amounts->anticipate * (limb < 0 ? 1 : limb_wind_up);
    memcpy(p->x, p->e, 3 * (size_t)a->grid.count * sizeof *p->x);
    limberi_signal_smooth(&a->grid, soft_s, 3, p->x, a->scratch);
    for (size_t i = 0; i < 3 * (size_t)a->grid.count; i++)
        p->x[i] *= gain;
    memcpy(p->q, p->e, 3 * (size_t)a->grid.count * sizeof *p->q);
    wind_up(p, before, p->q, p->x);
    if (limb < 0 && hips)
        memcpy(held, p->lying, a->grid.count * sizeof *held);
    else if (limb < 0) {
        find_held(a, joint, held);
        widen(a, held);
    }
    double limit = degree * (limb < 0 ? trunk_max / moving_trunk : limb_max);
    for (uint32_t f = 0; f < a->grid.count; f++) {
        double* x = &p->x[3 * (size_t)f];
        double* e = &p->e[3 * (size_t)f];
        double size = sqrt(limberi_dot3(x, x)) / limit;
        double turn[4];
        double out[4];
        double gate = share * let_through(p, limb, limb < 0 ? held : NULL, f) / sqrt(1 + size * size);
        gate *= 1 - limberi_smooth_step(1.7, 2.6, sqrt(limberi_dot3(e, e)));
        limberi_turn_exp(x, gate, turn);
        limberi_turn_mul(turn, &turns[4 * (size_t)f], out);
        limberi_set_turn(&p->out[limberi_acting_at(a, f, joint)], out);
    }
}

static double gain_of(const poser* p, uint32_t joint) {
    return p->amounts->of_joint ? (double)p->amounts->of_joint[joint] : 1;
}

static limber_result turn_joints(poser* p) {
    limberi_acting* a = p->a;
    const limberi_anatomy* body = a->body;
    double* held = LIMBERI_ALLOCATE(&a->arena, double, 5 * (size_t)a->grid.count);
    uint32_t moving = 0;
    if (!held)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t i = 0; i < body->trunk_count; i++)
        moving += turns_at_all(a, body->trunk[i], 1e-3);
    for (uint32_t j = 0; j < a->joint_count; j++) {
        int32_t limb = body->limb_of[j];
        double share = limberi_smooth_step(0.004, 0.015, (double)body->up[j]) * gain_of(p, j);
        bool leg = limb >= 0 && (p->legs.is_leg[limb] || body->limbs[limb].loose);
        if (leg || share == 0 || !limberi_hangs_below(&a->model->rig, j, (uint32_t)body->hips) ||
            carries_stiff_leg(p, j) || !turns_at_all(a, j, 1e-4))
            continue;
        share *= (int32_t)j == body->head ? 1 - head_back : 1;
        turn_joint(p, j, share, moving ? moving : 1, held);
    }
    return LIMBER_OK;
}

static void place_all(poser* p) {
    const limberi_acting* a = p->a;
    for (uint32_t f = 0; f < a->grid.count; f++)
        limberi_place_joints(&a->model->rig, &p->out[limberi_acting_at(a, f, 0)], &p->now[limberi_acting_at(a, f, 0)]);
}

static void blend_turns(const double* a, const double* b, double part, double* out) {
    double back[4], way[4], v[3], turn[4];
    limberi_turn_inverse(a, back);
    limberi_turn_mul(b, back, way);
    limberi_turn_log(way, v);
    limberi_turn_exp(v, part, turn);
    limberi_turn_mul(turn, a, out);
}

// The face stays readable: half of what the joints above it add is taken back.
static void steady_head(poser* p) {
    const limberi_acting* a = p->a;
    int32_t head = a->body->head;
    int32_t parent = head < 0 ? -1 : a->model->rig.parents[head];
    if (parent < 0)
        return;
    place_all(p);
    for (uint32_t f = 0; f < a->grid.count; f++) {
        const double* plain = a->world[limberi_acting_at(a, f, (uint32_t)parent)].turn;
        const double* now = p->now[limberi_acting_at(a, f, (uint32_t)parent)].turn;
        limber_transform* local = &p->out[limberi_acting_at(a, f, (uint32_t)head)];
        double between[4], back[4], own[4], world[4], out[4];
        blend_turns(now, plain, head_back, between);
        limberi_turn_of(local, own);
        limberi_turn_mul(between, own, world);
        limberi_turn_inverse(now, back);
        limberi_turn_mul(back, world, out);
        limberi_set_turn(local, out);
    }
}

// --- the place of the body ---

static double amount_of_body(const poser* p) {
    return fmin(p->gain / 0.8, 1.3);
}

// The way of the hips; of a loop that travels, without its travel.
static void place_of_hips(const limberi_acting* a, double* place) {
    uint32_t last = a->grid.count - 1;
    uint32_t hips = (uint32_t)a->body->hips;
    const double* start = a->world[limberi_acting_at(a, 0, hips)].place;
    const double* end = a->world[limberi_acting_at(a, last, hips)].place;
    for (uint32_t f = 0; f <= last; f++)
        for (int i = 0; i < 3; i++) {
            double travel = a->grid.loops ? (end[i] - start[i]) * f / last : 0;
            place[3 * (size_t)f + (size_t)i] = a->world[limberi_acting_at(a, f, hips)].place[i] - travel;
        }
}

// 1 while no leg touches anything.
static double is_in_air(const poser* p, uint32_t f) {
    double air = 1;
    for (uint32_t i = 0; i < p->legs.count; i++)
        if (p->legs.is_leg[p->legs.list[i].limb])
            air *= 1 - limberi_leg_touch(p->a, &p->legs.list[i], f);
    return air;
}

// Down, a planted leg allows only part of what is left of it: a deep crouch stays a crouch.
static double limit_sinking(const poser* p, uint32_t f, double down) {
    const limberi_acting* a = p->a;
    const limberi_placed_joint* w = &a->world[limberi_acting_at(a, f, 0)];
    for (uint32_t i = 0; i < p->legs.count && down < 0; i++) {
        const limberi_leg* leg = &p->legs.list[i];
        if (!p->legs.is_leg[leg->limb])
            continue;
        double length = limberi_leg_length(a, leg, f);
        double high = w[leg->root].place[1] - w[leg->end].place[1];
        double room = 0.5 * fmax(high - 0.30 * length, 0.02 * length);
        double touch = limberi_leg_touch(a, leg, f);
        down = (1 - touch) * down - touch * room * tanh(-down / fmax(room, 1e-12));
    }
    return down;
}

static void shift_body(poser* p) {
    limberi_acting* a = p->a;
    double height = a->body->height;
    double* place = p->e;
    double* air = p->q;
    place_of_hips(a, place);
    memcpy(p->x, place, 3 * (size_t)a->grid.count * sizeof *p->x);
    limberi_signal_smooth(&a->grid, soft_s, 3, p->x, a->scratch);
    memcpy(p->shift, place, 3 * (size_t)a->grid.count * sizeof *p->shift);
    refer(p, 3, p->shift);
    double y = body_y * amount_of_body(p);
    double xz = body_xz * amount_of_body(p);
    for (uint32_t f = 0; f < a->grid.count; f++)
        for (int i = 0; i < 3; i++) {
            double gain = i == 1 ? y : xz * a->free[f];
            p->shift[3 * (size_t)f + (size_t)i] =
                gain * (p->x[3 * (size_t)f + (size_t)i] - p->shift[3 * (size_t)f + (size_t)i]);
        }
    wind_up(p, p->amounts->anticipate, place, p->shift);
    for (uint32_t f = 0; f < a->grid.count; f++)
        air[f] = is_in_air(p, f);
    limberi_signal_smooth(&a->grid, 0.05, 1, air, a->scratch);
    double gain = gain_of(p, (uint32_t)a->body->hips);
    for (uint32_t f = 0; f < a->grid.count; f++) {
        double* s = &p->shift[3 * (size_t)f];
        double up = max_y * height * (1 + (a->has_floor && s[1] > 0 ? 0.6 * air[f] : 0));
        double side = max_xz * height;
        double level = (s[0] * s[0] + s[2] * s[2]) / (side * side);
        double gate = gain * p->fade[f] * (1 - p->lying[f]);
        s[0] *= gate / sqrt(1 + level);
        s[2] *= gate / sqrt(1 + level);
        s[1] *= gate / sqrt(1 + s[1] * s[1] / (up * up));
        s[1] = limit_sinking(p, f, s[1]);
    }
}

static void move_hips(poser* p) {
    const limberi_acting* a = p->a;
    uint32_t hips = (uint32_t)a->body->hips;
    int32_t parent = a->model->rig.parents[hips];
    for (uint32_t f = 0; f < a->grid.count; f++) {
        double way[3];
        double back[4];
        double scale = 1;
        memcpy(way, &p->shift[3 * (size_t)f], sizeof way);
        if (parent >= 0) {
            const limberi_placed_joint* above = &p->now[limberi_acting_at(a, f, (uint32_t)parent)];
            limberi_turn_inverse(above->turn, back);
            limberi_turn_rotate(back, way, way);
            scale = fmax(above->scale, 1e-12);
        }
        limber_vec3 plain = a->local[limberi_acting_at(a, f, hips)].translation;
        limber_transform* out = &p->out[limberi_acting_at(a, f, hips)];
        out->translation.x = (float)((double)plain.x + way[0] / scale);
        out->translation.y = (float)((double)plain.y + way[1] / scale);
        out->translation.z = (float)((double)plain.z + way[2] / scale);
    }
}

// --- legs ---

// Where the ankle goes on top of its plain place, because the pose is larger: outwards and up, never down.
static limber_result find_steps(poser* p, const limberi_leg* leg, double** steps) {
    limberi_acting* a = p->a;
    size_t count = a->grid.count;
    double* step = *steps = LIMBERI_ALLOCATE(&a->arena, double, 3 * count);
    double* touch = a->speeds[0];
    if (!step)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t f = 0; f < count; f++) {
        const limberi_placed_joint* w = &a->world[limberi_acting_at(a, f, 0)];
        touch[f] = limberi_leg_end_touch(a, leg, f);
        for (int i = 0; i < 3; i++)
            step[3 * (size_t)f + (size_t)i] = p->x[3 * (size_t)f + (size_t)i] =
                w[leg->end].place[i] - w[leg->root].place[i];
    }
    limberi_signal_smooth(&a->grid, 0.03, 3, step, a->scratch);
    refer(p, 3, p->x);
    limberi_signal_max(&a->grid, 0.05, touch, a->scratch);
    limberi_signal_smooth(&a->grid, 0.05, 1, touch, a->scratch);
    double limit = max_leg * a->body->height;
    double gain = leg_gain * amount_of_body(p) * gain_of(p, leg->root);
    for (uint32_t f = 0; f < count; f++) {
        double* s = &step[3 * (size_t)f];
        double gate = (1 - touch[f]) * p->fade[f] * (1 - p->lying[f]);
        for (int i = 0; i < 3; i++)
            s[i] = gain * (s[i] - p->x[3 * (size_t)f + (size_t)i]);
        s[1] = fmax(s[1], 0);
        double over = 1 / sqrt(1 + limberi_dot3(s, s) / (limit * limit));
        for (int i = 0; i < 3; i++)
            s[i] *= gate * over;
    }
    return LIMBER_OK;
}

typedef struct leg_track {
    double* steps;   // [moment * 3] NULL: the limb does not carry the body
    double lowest;   // of its end, world height
    double* targets; // [moment * 3]
} leg_track;

static void aim_leg(poser* p, const limberi_leg* leg, const leg_track* track, uint32_t f) {
    const limberi_acting* a = p->a;
    const limberi_placed_joint* plain = &a->world[limberi_acting_at(a, f, 0)];
    const limberi_placed_joint* now = &p->now[limberi_acting_at(a, f, 0)];
    double touch = limberi_leg_end_touch(a, leg, f);
    double* target = &track->targets[3 * (size_t)f];
    for (int i = 0; i < 3; i++) {
        if (!p->legs.is_leg[leg->limb]) {
            target[i] = touch * plain[leg->end].place[i] + (1 - touch) * now[leg->end].place[i];
            continue;
        }
        double move = (1 - touch) * (now[leg->root].place[i] - plain[leg->root].place[i]);
        double high = (plain[leg->end].place[1] - track->lowest) / a->body->height;
        if (i == 1 && move < 0 && a->has_floor)
            move *= limberi_smooth_step(0.03, 0.20, high);
        target[i] = plain[leg->end].place[i] + move + track->steps[3 * (size_t)f + (size_t)i];
    }
}

// How far the hips must come back so that the target is in reach.
static double out_of_reach(const poser* p, const limberi_leg* leg, const leg_track* track, uint32_t f, double* way) {
    const limberi_acting* a = p->a;
    const limberi_placed_joint* plain = &a->world[limberi_acting_at(a, f, 0)];
    const double* hip = p->now[limberi_acting_at(a, f, leg->root)].place;
    double length = limberi_leg_length(a, leg, f);
    double shown = limberi_distance3(plain[leg->end].place, plain[leg->root].place);
    double limit = fmax(shown, 0.99 * length) * (1 + (leg->foot < 0 ? limberi_leg_stretch : 0));
    for (int i = 0; i < 3; i++)
        way[i] = track->targets[3 * (size_t)f + (size_t)i] - hip[i];
    double far = sqrt(limberi_dot3(way, way));
    double over = fmax(0, far - limit + 0.002 * length);
    for (int i = 0; i < 3; i++)
        way[i] *= over / fmax(far, 1e-9);
    return over;
}

// Aims all legs; `back`: [moment * 3] what the hips are too far. Whether there is any.
static bool aim_legs(poser* p, const leg_track* tracks, double* back) {
    const limberi_acting* a = p->a;
    double worst = 0;
    for (uint32_t f = 0; f < a->grid.count; f++) {
        double max = 0;
        double way[3];
        memset(&back[3 * (size_t)f], 0, 3 * sizeof *back);
        for (uint32_t i = 0; i < p->legs.count; i++) {
            aim_leg(p, &p->legs.list[i], &tracks[i], f);
            double over = out_of_reach(p, &p->legs.list[i], &tracks[i], f, way);
            if (over > max) {
                max = over;
                memcpy(&back[3 * (size_t)f], way, sizeof way);
            }
        }
        worst = fmax(worst, max);
    }
    return worst > 1e-5 * a->body->height;
}

// Two passes, the first one smooth; what is left stays out of reach.
static void bring_into_reach(poser* p, const leg_track* tracks) {
    const limberi_acting* a = p->a;
    double* back = p->x;
    for (int pass = 0;; pass++) {
        place_all(p);
        move_hips(p);
        place_all(p);
        if (!aim_legs(p, tracks, back) || pass == 2)
            return;
        if (pass == 0)
            limberi_signal_smooth(&a->grid, 0.03, 3, back, a->scratch);
        for (size_t i = 0; i < 3 * (size_t)a->grid.count; i++)
            p->shift[i] += (pass ? 1.02 : 1.05) * back[i];
    }
}

// A loose foot goes to its target itself.
static void move_foot(poser* p, const limberi_leg* leg, const double* target, uint32_t f) {
    const limberi_acting* a = p->a;
    const double* plain = a->world[limberi_acting_at(a, f, leg->end)].place;
    double way[3] = {target[0] - plain[0], target[1] - plain[1], target[2] - plain[2]};
    double back[4];
    double scale = 1;
    int32_t parent = a->model->rig.parents[leg->end];
    if (parent >= 0) {
        const limberi_placed_joint* above = &p->now[limberi_acting_at(a, f, (uint32_t)parent)];
        limberi_turn_inverse(above->turn, back);
        limberi_turn_rotate(back, way, way);
        scale = fmax(above->scale, 1e-12);
    }
    limber_transform* out = &p->out[limberi_acting_at(a, f, leg->end)];
    out->translation.x += (float)(way[0] / scale);
    out->translation.y += (float)(way[1] / scale);
    out->translation.z += (float)(way[2] / scale);
}

// A hand that touches the floor now and then is bent only while it does.
static void bend_by_touch(poser* p, const limberi_leg* leg, const double* target, uint32_t f,
                          limber_transform* scratch) {
    const limberi_acting* a = p->a;
    double touch = limberi_leg_end_touch(a, leg, f);
    limber_transform* out = &p->out[limberi_acting_at(a, f, 0)];
    if (!(touch > 0))
        return;
    memcpy(scratch, out, a->joint_count * sizeof *scratch);
    limberi_leg_bend(a, leg, f, target, &p->now[limberi_acting_at(a, f, 0)], scratch);
    for (int32_t j = (int32_t)leg->end; j >= (int32_t)leg->root; j = a->model->rig.parents[j]) {
        double from[4], to[4], turn[4];
        limberi_turn_of(&out[j], from);
        limberi_turn_of(&scratch[j], to);
        blend_turns(from, to, touch, turn);
        limberi_set_turn(&out[j], turn);
    }
}

// The leg goes as far from its plain place as its loose foot does; the two do not fit together exactly.
static void aim_at_foot(const poser* p, const limberi_leg* leg, uint32_t f, double* target) {
    const limberi_placed_joint* plain = &p->a->world[limberi_acting_at(p->a, f, 0)];
    double end[3];
    limberi_leg_end(leg, plain, end);
    for (int i = 0; i < 3; i++)
        target[i] += end[i] - plain[leg->end].place[i];
}

// Whether a leg is already where it should be.
static bool needs_no_bend(const poser* p, const limberi_leg* leg, const double* target, uint32_t f) {
    const limberi_acting* a = p->a;
    double end[3];
    double near = 1e-7 * a->body->height;
    limberi_leg_end(leg, &p->now[limberi_acting_at(a, f, 0)], end);
    return limberi_distance3(end, target) < near &&
           limberi_distance3(a->world[limberi_acting_at(a, f, leg->root)].place,
                             p->now[limberi_acting_at(a, f, leg->root)].place) < near;
}

static limber_result bend_legs(poser* p) {
    limberi_acting* a = p->a;
    leg_track* tracks = LIMBERI_ALLOCATE(&a->arena, leg_track, p->legs.count + (size_t)1);
    limber_transform* scratch = LIMBERI_ALLOCATE(&a->arena, limber_transform, a->joint_count);
    for (uint32_t i = 0; tracks && i < p->legs.count; i++) {
        const limberi_leg* leg = &p->legs.list[i];
        tracks[i].targets = LIMBERI_ALLOCATE(&a->arena, double, 3 * (size_t)a->grid.count);
        tracks[i].lowest = INFINITY;
        for (uint32_t f = 0; f < a->grid.count; f++)
            tracks[i].lowest = fmin(tracks[i].lowest, a->world[limberi_acting_at(a, f, leg->end)].place[1]);
        if (p->legs.is_leg[leg->limb] && find_steps(p, leg, &tracks[i].steps))
            return LIMBER_ERROR_MEMORY;
    }
    if (a->arena.failed)
        return LIMBER_ERROR_MEMORY;
    bring_into_reach(p, tracks);
    for (uint32_t i = 0; i < p->legs.count; i++) {
        const limberi_leg* leg = &p->legs.list[i];
        for (uint32_t f = 0; f < a->grid.count; f++) {
            double* target = &tracks[i].targets[3 * (size_t)f];
            if (leg->foot >= 0) {
                move_foot(p, leg, target, f);
                aim_at_foot(p, leg, f, target);
            }
            if (needs_no_bend(p, leg, target, f))
                continue;
            if (p->legs.is_leg[leg->limb])
                limberi_leg_bend(a, leg, f, target, &p->now[limberi_acting_at(a, f, 0)],
                                 &p->out[limberi_acting_at(a, f, 0)]);
            else
                bend_by_touch(p, leg, target, f, scratch);
        }
    }
    return LIMBER_OK;
}

// --- all of it ---

static bool allocate(poser* p) {
    limberi_acting* a = p->a;
    size_t count = a->grid.count;
    size_t all = count * a->joint_count;
    p->out = LIMBERI_COPY(&a->arena, limber_transform, a->local, all);
    p->now = LIMBERI_ALLOCATE(&a->arena, limberi_placed_joint, all);
    p->fade = LIMBERI_ALLOCATE(&a->arena, double, count);
    p->weight = LIMBERI_ALLOCATE(&a->arena, double, count);
    p->weights = LIMBERI_ALLOCATE(&a->arena, double, count);
    p->lying = LIMBERI_ALLOCATE(&a->arena, double, count);
    p->calm = LIMBERI_ALLOCATE(&a->arena, double, count);
    p->shift = LIMBERI_ALLOCATE(&a->arena, double, 3 * count);
    p->e = LIMBERI_ALLOCATE(&a->arena, double, 3 * count);
    p->x = LIMBERI_ALLOCATE(&a->arena, double, 3 * count);
    p->q = LIMBERI_ALLOCATE(&a->arena, double, 4 * count);
    return !a->arena.failed;
}

static void find_fade(poser* p) {
    const limberi_acting* a = p->a;
    uint32_t last = a->grid.count - 1;
    double length = (last - a->first) * a->grid.step_s;
    double fade = fmin(fade_s, length / 4);
    for (uint32_t f = 0; f <= last; f++) {
        double since = f > a->first ? (f - a->first) * a->grid.step_s : 0;
        double left = (last - f) * a->grid.step_s;
        p->fade[f] = a->grid.loops ? 1 : limberi_smooth_step(0, fade, fmin(since, left));
    }
}

// The hips go elsewhere only where every leg can be bent to that.
static bool may_shift(const poser* p) {
    const limberi_anatomy* body = p->a->body;
    if (!p->legs.complete || (!p->legs.count && p->a->has_floor))
        return false;
    for (uint32_t l = 0; l < body->limb_count; l++)
        if (p->legs.is_leg[l] && !p->legs.is_solved[l])
            return false;
    return true;
}

limber_result limberi_pose_edit(limberi_acting* a, const limberi_pose_amounts* amounts, limber_transform** edited) {
    const limberi_anatomy* body = a->body;
    double length = (a->grid.count - 1 - a->first) * a->grid.step_s;
    bool nothing = (amounts->exaggerate == 0 && amounts->anticipate == 0) || !body->posable || length < shortest_s ||
                   body->hips < 0 || (body->trunk_count < 2 && !body->limb_count);
    poser p;
    memset(&p, 0, sizeof p);
    *edited = NULL;
    if (nothing)
        return LIMBER_OK;
    p.a = a;
    p.amounts = amounts;
    p.gain = amounts->exaggerate * (1 + small_gain * (1 - limberi_smooth_step(small_none, small_full, a->amplitude)));
    if (!allocate(&p) || limberi_legs_find(a, &p.legs) || limberi_room_find(a, p.legs.is_leg, &p.room))
        return LIMBER_ERROR_MEMORY;
    find_fade(&p);
    find_weights(&p);
    find_lying(&p);
    find_calm(&p);
    if (turn_joints(&p))
        return LIMBER_ERROR_MEMORY;
    steady_head(&p);
    if (may_shift(&p))
        shift_body(&p);
    if (bend_legs(&p) || limberi_floor_guard(a, p.legs.is_leg, p.out))
        return LIMBER_ERROR_MEMORY;
    *edited = p.out;
    return LIMBER_OK;
}
