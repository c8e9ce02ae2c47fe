// Where the body is, and what its legs do about it (S16): the hips sink deeper and rise higher, and legs are bent so that
// the feet stay where they were.
#include "perform/poser.h"

#include "base/math.h"

#include <string.h>

static const double soft_s = 0.04; // the way of the hips is smoothed by this
static const double body_y = 0.9;  // how far they go from where they dwell
static const double body_xz = 0.5;
static const double max_y = 0.09; // in heights
static const double max_xz = 0.045;
static const double leg_gain = 0.5;
static const double max_leg = 0.10;            // in heights
static const double near_hip[2] = {0.4, 0.75}; // of the length of the leg

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

// Down, a planted leg allows only part of what is left of it: a deep crouch stays a crouch.
static double limit_sinking(const limberi_poser* p, uint32_t f, double down) {
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

static void shift_body(limberi_poser* p) {
    limberi_acting* a = p->a;
    double height = a->body->height;
    double* place = p->e;
    double* air = p->q;
    place_of_hips(a, place);
    memcpy(p->x, place, 3 * (size_t)a->grid.count * sizeof *p->x);
    limberi_signal_smooth(&a->grid, soft_s, 3, p->x, a->scratch);
    memcpy(p->shift, place, 3 * (size_t)a->grid.count * sizeof *p->shift);
    limberi_poser_refer(p, 3, p->shift);
    double y = body_y * amount_of_body(p);
    double xz = body_xz * amount_of_body(p);
    for (uint32_t f = 0; f < a->grid.count; f++)
        for (int i = 0; i < 3; i++) {
            double gain = i == 1 ? y : xz * a->free[f];
            p->shift[3 * (size_t)f + (size_t)i] =
                gain * (p->x[3 * (size_t)f + (size_t)i] - p->shift[3 * (size_t)f + (size_t)i]);
        }
    limberi_poser_wind_up(p, p->amounts->anticipate, place, p->shift);
    limberi_poser_delay(p, p->amounts->trail_s, 3, p->shift);
    for (uint32_t f = 0; f < a->grid.count; f++)
        air[f] = is_in_air(p, f);
    limberi_signal_smooth(&a->grid, 0.05, 1, air, a->scratch);
    double gain = limberi_poser_gain_of(p, (uint32_t)a->body->hips);
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

static void move_hips(limberi_poser* p) {
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

// A foot that is near the hip swings the whole leg around when it goes a little farther.
static double room_to_turn(const limberi_acting* a, const limberi_leg* leg, uint32_t f) {
    const limberi_placed_joint* w = &a->world[limberi_acting_at(a, f, 0)];
    double across = limberi_distance3(w[leg->root].place, w[leg->end].place);
    return limberi_smooth_step(near_hip[0], near_hip[1], across / fmax(limberi_leg_length(a, leg, f), 1e-12));
}

// Where the ankle goes on top of its plain place, because the pose is larger: outwards and up, never down.
static limber_result find_steps(limberi_poser* p, const limberi_leg* leg, double** steps) {
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
    limberi_poser_refer(p, 3, p->x);
    limberi_signal_max(&a->grid, 0.05, touch, a->scratch);
    limberi_signal_smooth(&a->grid, 0.05, 1, touch, a->scratch);
    double limit = max_leg * a->body->height * p->room_for_more;
    double gain = leg_gain * amount_of_body(p) * pow(p->room_for_more, 3) * limberi_poser_gain_of(p, leg->root);
    for (uint32_t f = 0; f < count; f++) {
        double* s = &step[3 * (size_t)f];
        double gate = (1 - touch[f]) * p->fade[f] * (1 - p->lying[f]) * room_to_turn(a, leg, f);
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

static void aim_leg(limberi_poser* p, const limberi_leg* leg, const leg_track* track, uint32_t f) {
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
static double out_of_reach(const limberi_poser* p, const limberi_leg* leg, const leg_track* track, uint32_t f,
                           double* way) {
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
static bool aim_legs(limberi_poser* p, const leg_track* tracks, double* back) {
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
static void bring_into_reach(limberi_poser* p, const leg_track* tracks) {
    const limberi_acting* a = p->a;
    double* back = p->x;
    for (int pass = 0;; pass++) {
        limberi_poser_place(p);
        move_hips(p);
        limberi_poser_place(p);
        if (!aim_legs(p, tracks, back) || pass == 2)
            return;
        if (pass == 0)
            limberi_signal_smooth(&a->grid, 0.03, 3, back, a->scratch);
        for (size_t i = 0; i < 3 * (size_t)a->grid.count; i++)
            p->shift[i] += (pass ? 1.02 : 1.05) * back[i];
    }
}

// A loose foot goes to its target itself.
static void move_foot(limberi_poser* p, const limberi_leg* leg, const double* target, uint32_t f) {
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
static void bend_by_touch(limberi_poser* p, const limberi_leg* leg, const double* target, uint32_t f,
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
        limberi_turn_blend(from, to, touch, turn);
        limberi_set_turn(&out[j], turn);
    }
}

// The leg goes as far from its plain place as its loose foot does; the two do not fit together exactly.
static void aim_at_foot(const limberi_poser* p, const limberi_leg* leg, uint32_t f, double* target) {
    const limberi_placed_joint* plain = &p->a->world[limberi_acting_at(p->a, f, 0)];
    double end[3];
    limberi_leg_end(leg, plain, end);
    for (int i = 0; i < 3; i++)
        target[i] += end[i] - plain[leg->end].place[i];
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

static limber_result bend_legs(limberi_poser* p) {
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

// The hips go elsewhere only where every leg can be bent to that.
static bool may_shift(const limberi_poser* p) {
    const limberi_anatomy* body = p->a->body;
    if (!p->legs.complete || (!p->legs.count && p->a->has_floor))
        return false;
    for (uint32_t l = 0; l < body->limb_count; l++)
        if (p->legs.is_leg[l] && !p->legs.is_solved[l])
            return false;
    return true;
}

limber_result limberi_poser_stand(limberi_poser* p) {
    if (may_shift(p))
        shift_body(p);
    return bend_legs(p);
}
