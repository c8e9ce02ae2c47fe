// Where the body is, and what its legs do about it (S16): the hips sink deeper and rise higher, and legs are bent so that
// the feet stay where they were.
#include "perform/passes.h"
#include "perform/poser.h"

#include "base/math.h"
#include "base/turns.h"

#include <string.h>

static const double soft_s = 0.04; // the way of the hips is smoothed by this

// One leg or arm that reaches for something.
typedef struct leg_track {
    double lowest;   // of its end, world height
    double* touch;   // [moment] of its end
    double* way;     // [moment * 3] of its end from its root, from where it dwells; NULL: it does not carry the body
    double* gate;    // [moment] 0 ... 1: how much of a larger step is let through
    double* steps;   // [moment * 3] where the end goes on top of its plain place
    double* targets; // [moment * 3]
} leg_track;

struct limberi_stance {
    double* way;   // [moment * 3] of the hips from where they dwell
    double* curve; // [moment * 3] the second derivative of their place
    double* air;   // [moment] 1 while no leg touches anything
    leg_track* tracks;
};

// --- the place of the body ---

static double amount_of_body(const limberi_poser* p) {
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
static double is_in_air(const limberi_poser* p, uint32_t f) {
    double air = 1;
    for (uint32_t i = 0; i < p->legs.count; i++)
        if (p->legs.is_leg[p->legs.list[i].limb])
            air *= 1 - limberi_leg_touch(p->a, &p->legs.list[i], f);
    return air;
}

// Any thread, for different parts.
static void find_air(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const limberi_poser* p = user;
    (void)worker;
    limberi_moments_of(p->a, &first, &end);
    for (uint32_t f = first; f < end; f++)
        p->stance->air[f] = is_in_air(p, f);
}

// Down, planted legs allow only part of what is left of them.
static double limit_sinking(const limberi_poser* p, uint32_t f, double down) {
    for (uint32_t i = 0; i < p->legs.count && down < 0; i++) {
        const limberi_leg* leg = &p->legs.list[i];
        if (p->legs.is_leg[leg->limb])
            down = limberi_leg_limit_sinking(p->a, leg, f, limberi_leg_touch(p->a, leg, f), down);
    }
    return down;
}

static void find_way_of_hips(limberi_poser* p) {
    limberi_acting* a = p->a;
    limberi_stance* stance = p->stance;
    size_t count = 3 * (size_t)a->grid.count;
    place_of_hips(a, stance->curve);
    memcpy(stance->way, stance->curve, count * sizeof *stance->way);
    memcpy(p->x, stance->curve, count * sizeof *p->x);
    limberi_signal_smooth(&a->grid, soft_s, 3, stance->way, a->scratch);
    limberi_poser_refer(p, 3, p->x);
    for (size_t i = 0; i < count; i++)
        stance->way[i] -= p->x[i];
    limberi_poser_curve(p, stance->curve);
    limberi_each_part(a, find_air, p);
    limberi_signal_smooth(&a->grid, 0.05, 1, stance->air, a->scratch);
}

// Larger poses may come later, but what stands has its ups and downs with its feet: a run that sinks late does not bounce.
static void trail_behind(limberi_poser* p) {
    size_t count = p->a->grid.count;
    memcpy(p->x, p->shift, 3 * count * sizeof *p->x);
    limberi_poser_delay(p, p->trail_s, 3, p->shift);
    for (size_t f = 0; p->a->has_floor && f < count; f++)
        p->shift[3 * f + 1] = p->x[3 * f + 1];
}

// Any thread, for different parts: what gates, limits and legs leave of the way of the hips.
static void limit_shift(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const limberi_poser* p = user;
    const limberi_acting* a = p->a;
    double height = a->body->height;
    double gain = limberi_poser_gain_of(p, (uint32_t)a->body->hips);
    (void)worker;
    limberi_moments_of(a, &first, &end);
    for (uint32_t f = first; f < end; f++) {
        double* s = &p->shift[3 * (size_t)f];
        double up = limberi_body_max_y * height * (1 + (a->has_floor && s[1] > 0 ? 0.6 * p->stance->air[f] : 0));
        double side = limberi_body_max_xz * height;
        double level = (s[0] * s[0] + s[2] * s[2]) / (side * side);
        double gate = gain * p->fade[f] * (1 - p->lying[f]);
        s[0] *= gate / sqrt(1 + level);
        s[2] *= gate / sqrt(1 + level);
        s[1] *= gate / sqrt(1 + s[1] * s[1] / (up * up));
        s[1] = limit_sinking(p, f, s[1]);
    }
}

static void shift_body(limberi_poser* p) {
    limberi_acting* a = p->a;
    const limberi_stance* stance = p->stance;
    double y = limberi_body_y * amount_of_body(p);
    double xz = limberi_body_xz * amount_of_body(p);
    for (uint32_t f = 0; f < a->grid.count; f++)
        for (size_t i = 0; i < 3; i++)
            p->shift[3 * (size_t)f + i] = (i == 1 ? y : xz * a->free[f]) * stance->way[3 * (size_t)f + i];
    limberi_poser_wind_up(p, p->amounts->anticipate, stance->curve, p->shift);
    trail_behind(p);
    limberi_each_part(a, limit_shift, p);
}

// No joint above the hips is edited.
static void move_hips(const limberi_poser* p, uint32_t f) {
    const limberi_acting* a = p->a;
    uint32_t hips = (uint32_t)a->body->hips;
    int32_t parent = a->model->rig.parents[hips];
    double way[3];
    limberi_way_below(parent < 0 ? NULL : &a->world[limberi_acting_at(a, f, (uint32_t)parent)],
                      &p->shift[3 * (size_t)f], way);
    limber_vec3 plain = a->local[limberi_acting_at(a, f, hips)].translation;
    limber_transform* out = &p->out[limberi_acting_at(a, f, hips)];
    out->translation.x = (float)((double)plain.x + way[0]);
    out->translation.y = (float)((double)plain.y + way[1]);
    out->translation.z = (float)((double)plain.z + way[2]);
}

// --- legs ---

static void find_way_of_leg(limberi_poser* p, const limberi_leg* leg, leg_track* track) {
    limberi_acting* a = p->a;
    for (uint32_t f = 0; f < a->grid.count; f++) {
        const limberi_placed_joint* w = &a->world[limberi_acting_at(a, f, 0)];
        track->gate[f] = track->touch[f];
        for (size_t i = 0; i < 3; i++)
            track->way[3 * (size_t)f + i] = p->x[3 * (size_t)f + i] = w[leg->end].place[i] - w[leg->root].place[i];
    }
    limberi_signal_smooth(&a->grid, 0.03, 3, track->way, a->scratch);
    limberi_poser_refer(p, 3, p->x);
    limberi_signal_max(&a->grid, 0.05, track->gate, a->scratch);
    limberi_signal_smooth(&a->grid, 0.05, 1, track->gate, a->scratch);
    for (size_t i = 0; i < 3 * (size_t)a->grid.count; i++)
        track->way[i] -= p->x[i];
    for (uint32_t f = 0; f < a->grid.count; f++)
        track->gate[f] = (1 - track->gate[f]) * (1 - p->lying[f]) * limberi_leg_room(a, leg, f);
}

// Where the ankle goes on top of its plain place, because the pose is larger: outwards and up, never down.
static void find_steps(const limberi_poser* p, const limberi_leg* leg, leg_track* track) {
    double limit = limberi_step_max * p->a->body->height * p->room_for_more;
    // A step that is free for a moment only would whip past the hips with more.
    double more = p->room_for_more * p->room_for_more;
    double gain = limberi_step_gain * amount_of_body(p) * more * limberi_poser_gain_of(p, leg->root);
    for (uint32_t f = 0; f < p->a->grid.count; f++) {
        double* s = &track->steps[3 * (size_t)f];
        for (size_t i = 0; i < 3; i++)
            s[i] = gain * track->way[3 * (size_t)f + i];
        s[1] = fmax(s[1], 0);
        double over = 1 / sqrt(1 + limberi_dot3(s, s) / (limit * limit));
        for (int i = 0; i < 3; i++)
            s[i] *= track->gate[f] * p->fade[f] * over;
    }
}

static void aim_leg(const limberi_poser* p, const limberi_leg* leg, const leg_track* track, uint32_t f) {
    const limberi_acting* a = p->a;
    const limberi_placed_joint* plain = &a->world[limberi_acting_at(a, f, 0)];
    const limberi_placed_joint* now = &p->now[limberi_acting_at(a, f, 0)];
    double touch = track->touch[f];
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

// Any thread, for different parts: puts the hips where they are to be and aims all legs. x: [moment * 3] what the hips are
// too far; e: [moment] by how much.
static void aim_legs(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const limberi_poser* p = user;
    const limberi_acting* a = p->a;
    const leg_track* tracks = p->stance->tracks;
    (void)worker;
    limberi_moments_of(a, &first, &end);
    for (uint32_t f = first; f < end; f++) {
        size_t at = limberi_acting_at(a, f, 0);
        double way[3];
        move_hips(p, f);
        limberi_place_joints(&a->model->rig, &p->out[at], &p->now[at]);
        memset(&p->x[3 * (size_t)f], 0, 3 * sizeof *p->x);
        p->e[f] = 0;
        for (uint32_t i = 0; i < p->legs.count; i++) {
            const limberi_leg* leg = &p->legs.list[i];
            aim_leg(p, leg, &tracks[i], f);
            double over =
                limberi_leg_overreach(a, leg, f, p->now[at + leg->root].place, &tracks[i].targets[3 * (size_t)f], way);
            if (over > p->e[f]) {
                p->e[f] = over;
                memcpy(&p->x[3 * (size_t)f], way, sizeof way);
            }
        }
    }
}

static bool reaches_too_far(const limberi_poser* p) {
    for (uint32_t f = 0; f < p->a->grid.count; f++)
        if (p->e[f] > 1e-5 * p->a->body->height)
            return true;
    return false;
}

// Two passes, the first one smooth; what is left stays out of reach.
static void bring_into_reach(limberi_poser* p) {
    const limberi_acting* a = p->a;
    for (int pass = 0;; pass++) {
        limberi_each_part(a, aim_legs, p);
        if (pass == 2 || !reaches_too_far(p))
            return;
        if (pass == 0)
            limberi_signal_smooth(&a->grid, 0.03, 3, p->x, a->scratch);
        for (size_t i = 0; i < 3 * (size_t)a->grid.count; i++)
            p->shift[i] += (pass ? 1.02 : 1.05) * p->x[i];
    }
}

// A loose foot goes to its target itself.
static void move_foot(const limberi_poser* p, const limberi_leg* leg, const double* target, uint32_t f) {
    const limberi_acting* a = p->a;
    const double* plain = a->world[limberi_acting_at(a, f, leg->end)].place;
    double way[3] = {target[0] - plain[0], target[1] - plain[1], target[2] - plain[2]};
    int32_t parent = a->model->rig.parents[leg->end];
    limberi_way_below(parent < 0 ? NULL : &p->now[limberi_acting_at(a, f, (uint32_t)parent)], way, way);
    limber_vec3* out = &p->out[limberi_acting_at(a, f, leg->end)].translation;
    *out = limberi_add(*out, limberi_vec3((float)way[0], (float)way[1], (float)way[2]));
}

// A hand that touches the floor now and then is bent only while it does.
static void bend_by_touch(const limberi_poser* p, const limberi_leg* leg, const leg_track* track, uint32_t f,
                          limber_transform* scratch) {
    const limberi_acting* a = p->a;
    double touch = track->touch[f];
    limber_transform* out = &p->out[limberi_acting_at(a, f, 0)];
    if (!(touch > 0))
        return;
    memcpy(scratch, out, a->joint_count * sizeof *scratch);
    limberi_leg_bend(a, leg, f, &track->targets[3 * (size_t)f], &p->now[limberi_acting_at(a, f, 0)], scratch);
    for (int32_t j = (int32_t)leg->end; j >= (int32_t)leg->root; j = a->model->rig.parents[j]) {
        double from[4], to[4], turn[4];
        limberi_turn_of_transform(&out[j], from);
        limberi_turn_of_transform(&scratch[j], to);
        limberi_turn_blend(from, to, touch, turn);
        limberi_set_turn(&out[j], turn);
    }
}

// Whether a leg is already where it should be.
static bool needs_no_bend(const limberi_poser* p, const limberi_leg* leg, const double* target, uint32_t f) {
    const limberi_acting* a = p->a;
    double end[3];
    double near = 1e-7 * a->body->height;
    limberi_leg_end(leg, &p->now[limberi_acting_at(a, f, 0)], end);
    return limberi_distance3(end, target) < near &&
           limberi_distance3(a->world[limberi_acting_at(a, f, leg->root)].place,
                             p->now[limberi_acting_at(a, f, leg->root)].place) < near;
}

static void bend_leg(const limberi_poser* p, uint32_t i, uint32_t f, limber_transform* scratch) {
    const limberi_acting* a = p->a;
    const limberi_leg* leg = &p->legs.list[i];
    const leg_track* track = &p->stance->tracks[i];
    double* target = &track->targets[3 * (size_t)f];
    if (leg->foot >= 0) {
        move_foot(p, leg, target, f);
        limberi_leg_aim_at_foot(a, leg, f, target);
    }
    if (needs_no_bend(p, leg, target, f))
        return;
    if (p->legs.is_leg[leg->limb])
        limberi_leg_bend(a, leg, f, target, &p->now[limberi_acting_at(a, f, 0)], &p->out[limberi_acting_at(a, f, 0)]);
    else
        bend_by_touch(p, leg, track, f, scratch);
}

// Any thread, for different parts: bends the legs, and brings along what keeps to another joint.
static void bend_legs(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const limberi_poser* p = user;
    const limberi_acting* a = p->a;
    limberi_moments_of(a, &first, &end);
    for (uint32_t f = first; f < end; f++) {
        size_t at = limberi_acting_at(a, f, 0);
        for (uint32_t i = 0; i < p->legs.count; i++)
            bend_leg(p, i, f, a->lookers[worker].poses->local);
        limberi_keep_companions(a->body, &a->world[at], &p->now[at], &p->out[at]);
    }
}

bool limberi_may_shift(const limberi_anatomy* body, const limberi_legs* legs, bool has_floor) {
    if (!legs->complete || (!legs->count && has_floor))
        return false;
    for (uint32_t l = 0; l < body->limb_count; l++)
        if (legs->is_leg[l] && !legs->is_solved[l])
            return false;
    return true;
}

static bool find_track(limberi_poser* p, const limberi_leg* leg, leg_track* track) {
    limberi_acting* a = p->a;
    size_t count = a->grid.count;
    track->touch = LIMBERI_ALLOCATE(&a->arena, double, count);
    track->targets = LIMBERI_ALLOCATE(&a->arena, double, 3 * count);
    track->lowest = INFINITY;
    for (uint32_t j = leg->end; !a->arena.failed && j < a->joint_count; j++)
        for (uint32_t f = 0; a->touch[j] && limberi_hangs_below(&a->model->rig, j, leg->end) && f < count; f++)
            track->touch[f] = fmax(track->touch[f], a->touch[j][f]);
    for (uint32_t f = 0; !a->arena.failed && f < count; f++)
        track->lowest = fmin(track->lowest, a->world[limberi_acting_at(a, f, leg->end)].place[1]);
    if (!p->legs.is_leg[leg->limb])
        return !a->arena.failed;
    track->way = LIMBERI_ALLOCATE(&a->arena, double, 3 * count);
    track->gate = LIMBERI_ALLOCATE(&a->arena, double, count);
    track->steps = LIMBERI_ALLOCATE(&a->arena, double, 3 * count);
    if (a->arena.failed)
        return false;
    find_way_of_leg(p, leg, track);
    return true;
}

limber_result limberi_stance_find(limberi_poser* p) {
    limberi_acting* a = p->a;
    limberi_stance* stance = p->stance = LIMBERI_ALLOCATE(&a->arena, limberi_stance, 1);
    if (!stance)
        return LIMBER_ERROR_MEMORY;
    stance->way = LIMBERI_ALLOCATE(&a->arena, double, 3 * (size_t)a->grid.count);
    stance->curve = LIMBERI_ALLOCATE(&a->arena, double, 3 * (size_t)a->grid.count);
    stance->air = LIMBERI_ALLOCATE(&a->arena, double, a->grid.count);
    stance->tracks = LIMBERI_ALLOCATE(&a->arena, leg_track, p->legs.count + (size_t)1);
    if (a->arena.failed)
        return LIMBER_ERROR_MEMORY;
    find_way_of_hips(p);
    for (uint32_t i = 0; i < p->legs.count; i++)
        if (!find_track(p, &p->legs.list[i], &stance->tracks[i]))
            return LIMBER_ERROR_MEMORY;
    return LIMBER_OK;
}

void limberi_poser_stand(limberi_poser* p) {
    if (limberi_may_shift(p->a->body, &p->legs, p->a->has_floor))
        shift_body(p);
    for (uint32_t i = 0; i < p->legs.count; i++)
        if (p->stance->tracks[i].way)
            find_steps(p, &p->legs.list[i], &p->stance->tracks[i]);
    bring_into_reach(p);
    limberi_each_part(p->a, bend_legs, p);
}
