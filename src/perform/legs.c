// Legs: hip, knee and ankle, found from the skin and the contacts, and bent like two rods so that a foot stays where the
// plain clip has it while the body above it moves.
#include "perform/legs.h"

#include "base/math.h"
#include "base/turns.h"

#include <string.h>

const double limberi_leg_stretch = 0.07;

static const double foot_drift = 0.03; // of the height
static const double foot_near = 0.02;
static const double foot_far = 0.5;
static const double shortest_segment = 0.02;
static const double busy_joint = 0.2;       // of the contact time of the joint that touches most
static const double nearly_straight = 0.12; // radians of the knee
static const double well_bent = 0.7;
static const double near_hip[2] = {0.4, 0.75}; // of the length of the leg

// --- finding them ---

typedef struct segment_lengths {
    double upper, lower;
} segment_lengths;

static segment_lengths mean_lengths(const limberi_acting* a, uint32_t root, uint32_t knee, uint32_t end) {
    segment_lengths mean = {0, 0};
    for (uint32_t f = 0; f < a->grid.count; f++) {
        const limberi_placed_joint* w = &a->world[limberi_acting_at(a, f, 0)];
        mean.upper += limberi_distance3(w[root].place, w[knee].place) / a->grid.count;
        mean.lower += limberi_distance3(w[knee].place, w[end].place) / a->grid.count;
    }
    return mean;
}

// The joint between root and `last` (which counts when a loose foot follows) over which the way to the end is longest.
static bool find_knee(const limberi_acting* a, limberi_leg* leg, uint32_t last) {
    const limber_rig* rig = &a->model->rig;
    double longest = -1;
    for (int32_t j = leg->foot >= 0 ? (int32_t)last : rig->parents[last]; j > (int32_t)leg->root; j = rig->parents[j]) {
        segment_lengths s = mean_lengths(a, leg->root, (uint32_t)j, leg->end);
        if (s.upper + s.lower > longest) {
            longest = s.upper + s.lower;
            leg->knee = (uint32_t)j;
        }
    }
    return longest >= 0;
}

static void subtract3(const double* a, const double* b, double* out) {
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - b[i];
}

static void scale_to(double* v, double length) {
    double size = limberi_length3(v);
    for (int i = 0; i < 3; i++)
        v[i] *= size > 1e-30 ? length / size : 0;
}

static void find_axis(const limberi_acting* a, limberi_leg* leg) {
    memset(leg->axis, 0, sizeof leg->axis);
    for (uint32_t f = 0; f < a->grid.count; f++) {
        const limberi_placed_joint* w = &a->world[limberi_acting_at(a, f, 0)];
        double up[3], down[3], axis[3], back[4];
        subtract3(w[leg->root].place, w[leg->knee].place, up);
        subtract3(w[leg->end].place, w[leg->knee].place, down);
        limberi_cross3(up, down, axis);
        limberi_turn_inverse(w[leg->root].turn, back);
        limberi_turn_rotate(back, axis, axis);
        for (int i = 0; i < 3; i++)
            leg->axis[i] += axis[i];
    }
    scale_to(leg->axis, 1);
}

static void add_leg(limberi_acting* a, limberi_legs* legs, limberi_leg* leg) {
    find_axis(a, leg);
    legs->is_solved[leg->limb] = true;
    legs->list[legs->count++] = *leg;
}

// How much a foot moves in the frame of a bone (rms), its mean place there, and how far it is away.
typedef struct foot_fit {
    double drift, distance, offset[3];
} foot_fit;

static foot_fit fit_foot(const limberi_acting* a, uint32_t foot, uint32_t bone) {
    foot_fit fit = {0, 0, {0, 0, 0}};
    double square = 0;
    double scale = 0;
    double count = a->grid.count;
    for (uint32_t f = 0; f < a->grid.count; f++) {
        const limberi_placed_joint* w = &a->world[limberi_acting_at(a, f, 0)];
        double away[3], back[4];
        subtract3(w[foot].place, w[bone].place, away);
        fit.distance += limberi_length3(away) / count;
        limberi_turn_inverse(w[bone].turn, back);
        limberi_turn_rotate(back, away, away);
        for (int i = 0; i < 3; i++) {
            away[i] /= fmax(w[bone].scale, 1e-12);
            fit.offset[i] += away[i] / count;
        }
        square += limberi_dot3(away, away) / count;
        scale += w[bone].scale / count;
    }
    fit.drift = sqrt(fmax(square - limberi_dot3(fit.offset, fit.offset), 0)) * scale;
    return fit;
}

// A loose foot ends the leg in whose frame it moves least.
static bool pair_foot(limberi_acting* a, limberi_legs* legs, uint32_t foot) {
    const limberi_anatomy* body = a->body;
    limberi_leg leg = {0, 0, 0, body->limbs[foot].root, true, (int32_t)foot, 0, {0, 0, 0}, {0, 0, 0}};
    double best = INFINITY;
    double drift = INFINITY;
    double height = body->height;
    for (uint32_t j = 0; j < a->joint_count; j++) {
        int32_t limb = body->limb_of[j];
        if (limb < 0 || body->limbs[limb].loose || j == body->limbs[limb].root ||
            (body->up[j] < 0.002f && body->own[j] == 0))
            continue;
        foot_fit fit = fit_foot(a, leg.end, j);
        double cost = fit.drift + 0.02 * fit.distance;
        if (fit.distance < foot_far * height && fit.distance > foot_near * height && cost < best) {
            best = cost;
            drift = fit.drift;
            leg.limb = (uint32_t)limb;
            leg.root = body->limbs[limb].root;
            leg.bone = j;
            memcpy(leg.offset, fit.offset, sizeof leg.offset);
        }
    }
    if (!(drift <= foot_drift * height) || !find_knee(a, &leg, leg.bone))
        return false;
    legs->is_leg[leg.limb] = true;
    add_leg(a, legs, &leg);
    return true;
}

static bool may_end(const limberi_acting* a, uint32_t joint, const limberi_limb* limb) {
    const limberi_anatomy* body = a->body;
    if (limb->leg)
        return body->touch[joint] > 0;
    return a->touch[joint] && body->held[joint] > 0.002f && body->up[limb->root] > 0.03f;
}

// The joint of a limb that stands on the floor: the nearest to the body that touches often, three joints down or more.
static int32_t find_end(const limberi_acting* a, uint32_t limb) {
    const limberi_anatomy* body = a->body;
    const limberi_limb* l = &body->limbs[limb];
    float busiest = 0;
    int32_t near = -1;
    int32_t far = -1;
    uint32_t near_length = UINT32_MAX;
    uint32_t far_length = 0;
    for (uint32_t j = l->root; j < a->joint_count; j++)
        if (body->limb_of[j] == (int32_t)limb && may_end(a, j, l))
            busiest = fmaxf(busiest, body->touch[j]);
    for (uint32_t j = l->root; j < a->joint_count; j++) {
        uint32_t length = body->limb_of[j] == (int32_t)limb ? limberi_chain_length(&a->model->rig, j, l->root) : 0;
        if (length < 3 || !may_end(a, j, l))
            continue;
        if (length < near_length && (double)body->touch[j] >= busy_joint * (double)busiest) {
            near_length = length;
            near = (int32_t)j;
        }
        if (length > far_length) {
            far_length = length;
            far = (int32_t)j;
        }
    }
    return near >= 0 ? near : far;
}

static bool touches(const limberi_acting* a, uint32_t limb) {
    for (uint32_t j = a->body->limbs[limb].root; j < a->joint_count; j++)
        if (a->body->limb_of[j] == (int32_t)limb && may_end(a, j, &a->body->limbs[limb]))
            return true;
    return false;
}

// False: it stands on the floor and cannot be bent.
static bool find_leg(limberi_acting* a, limberi_legs* legs, uint32_t limb) {
    const limberi_limb* l = &a->body->limbs[limb];
    int32_t end = find_end(a, limb);
    limberi_leg leg = {limb, l->root, 0, (uint32_t)end, l->leg, -1, 0, {0, 0, 0}, {0, 0, 0}};
    if (end < 0 || !find_knee(a, &leg, (uint32_t)end))
        return !l->leg || !touches(a, limb);
    segment_lengths s = mean_lengths(a, leg.root, leg.knee, leg.end);
    if (fmin(s.upper, s.lower) < shortest_segment * a->body->height)
        return !l->leg;
    add_leg(a, legs, &leg);
    return true;
}

limber_result limberi_legs_find(limberi_acting* a, limberi_legs* legs) {
    const limberi_anatomy* body = a->body;
    memset(legs, 0, sizeof *legs);
    legs->list = LIMBERI_ALLOCATE(&a->arena, limberi_leg, body->limb_count);
    legs->is_leg = LIMBERI_ALLOCATE(&a->arena, bool, body->limb_count);
    legs->is_solved = LIMBERI_ALLOCATE(&a->arena, bool, body->limb_count);
    if (a->arena.failed)
        return LIMBER_ERROR_MEMORY;
    legs->complete = true;
    for (uint32_t l = 0; l < body->limb_count; l++)
        legs->is_leg[l] = body->limbs[l].leg;
    for (uint32_t l = 0; l < body->limb_count; l++)
        if (body->limbs[l].loose && !pair_foot(a, legs, l))
            legs->complete = false;
    for (uint32_t l = 0; l < body->limb_count; l++)
        if (!body->limbs[l].loose && !legs->is_solved[l] && !find_leg(a, legs, l))
            legs->complete = false;
    return LIMBER_OK;
}

// --- one leg at one moment ---

void limberi_leg_end(const limberi_leg* leg, const limberi_placed_joint* world, double* place) {
    const limberi_placed_joint* bone = &world[leg->foot >= 0 ? leg->bone : leg->end];
    double away[3] = {0, 0, 0};
    if (leg->foot >= 0)
        limberi_turn_rotate(bone->turn, leg->offset, away);
    for (int i = 0; i < 3; i++)
        place[i] = bone->place[i] + bone->scale * away[i];
}

double limberi_leg_touch(const limberi_acting* a, const limberi_leg* leg, uint32_t moment) {
    double own = limberi_limb_touch(a, leg->limb, moment);
    return leg->foot < 0 ? own : fmax(own, limberi_limb_touch(a, (uint32_t)leg->foot, moment));
}

double limberi_leg_length(const limberi_acting* a, const limberi_leg* leg, uint32_t moment) {
    const limberi_placed_joint* w = &a->world[limberi_acting_at(a, moment, 0)];
    return limberi_distance3(w[leg->root].place, w[leg->knee].place) +
           limberi_distance3(w[leg->knee].place, w[leg->end].place);
}

double limberi_leg_overreach(const limberi_acting* a, const limberi_leg* leg, uint32_t moment, const double* hip,
                             const double* target, double* way) {
    const limberi_placed_joint* plain = &a->world[limberi_acting_at(a, moment, 0)];
    double length = limberi_leg_length(a, leg, moment);
    double shown = limberi_distance3(plain[leg->end].place, plain[leg->root].place);
    double limit = fmax(shown, 0.99 * length) * (1 + (leg->foot < 0 ? limberi_leg_stretch : 0));
    subtract3(target, hip, way);
    double far = limberi_length3(way);
    double over = fmax(0, far - limit + 0.002 * length);
    for (int i = 0; i < 3; i++)
        way[i] *= over / fmax(far, 1e-9);
    return over;
}

double limberi_leg_limit_sinking(const limberi_acting* a, const limberi_leg* leg, uint32_t moment, double touch,
                                 double down) {
    const limberi_placed_joint* w = &a->world[limberi_acting_at(a, moment, 0)];
    if (!(down < 0))
        return down;
    double length = limberi_leg_length(a, leg, moment);
    double high = w[leg->root].place[1] - w[leg->end].place[1];
    double room = 0.5 * fmax(high - 0.30 * length, 0.02 * length);
    return (1 - touch) * down - touch * room * tanh(-down / fmax(room, 1e-12));
}

double limberi_leg_room(const limberi_acting* a, const limberi_leg* leg, uint32_t moment) {
    const limberi_placed_joint* w = &a->world[limberi_acting_at(a, moment, 0)];
    double across = limberi_distance3(w[leg->root].place, w[leg->end].place);
    return limberi_smooth_step(near_hip[0], near_hip[1], across / fmax(limberi_leg_length(a, leg, moment), 1e-12));
}

void limberi_leg_aim_at_foot(const limberi_acting* a, const limberi_leg* leg, uint32_t moment, double* target) {
    const limberi_placed_joint* plain = &a->world[limberi_acting_at(a, moment, 0)];
    double end[3];
    limberi_leg_end(leg, plain, end);
    for (int i = 0; i < 3; i++)
        target[i] += end[i] - plain[leg->end].place[i];
}

void limberi_way_below(const limberi_placed_joint* above, const double* way, double* local) {
    double back[4];
    for (int i = 0; i < 3; i++)
        local[i] = way[i];
    if (!above)
        return;
    limberi_turn_inverse(above->turn, back);
    limberi_turn_rotate(back, local, local);
    for (int i = 0; i < 3; i++)
        local[i] /= fmax(above->scale, 1e-12);
}

// The angle of a triangle between sides a and b.
static double angle_between(double a, double b, double opposite) {
    double cosine = (a * a + b * b - opposite * opposite) / (2 * a * b + 1e-30);
    return acos(fmin(fmax(cosine, -1), 1));
}

// A leg that is nearly straight takes up small changes by its length: its knee would turn with the root of the distance,
// which pops.
static double stretch_of(double upper, double lower, double plain, double wanted, double limit) {
    double knee = LIMBERI_PI - angle_between(upper, lower, plain);
    double straight = 1 - limberi_smooth_step(nearly_straight, well_bent, knee);
    double ratio = wanted / fmax(plain, 1e-9) - 1;
    double stretch = 1 + straight * limit * tanh(ratio / limit);
    double over = wanted / stretch / (0.995 * (upper + lower));
    return over > 1 ? fmin(stretch * over, 1 + 1.5 * limit) : stretch;
}

// The turn of a joint in the frame of a parent.
static void set_world_turn(limber_transform* local, const double* parent, const double* turn) {
    double back[4], out[4];
    limberi_turn_inverse(parent, back);
    limberi_turn_mul(back, turn, out);
    limberi_set_turn(local, out);
}

static void lengthen(const limber_rig* rig, const limberi_leg* leg, double stretch, limber_transform* local) {
    for (int32_t j = (int32_t)leg->end; j > (int32_t)leg->root; j = rig->parents[j]) {
        local[j].translation.x *= (float)stretch;
        local[j].translation.y *= (float)stretch;
        local[j].translation.z *= (float)stretch;
    }
}

// The triangle of a leg: where its joints are, and its two sides.
typedef struct leg_triangle {
    double root[3], knee[3], end[3];
    double upper, lower, across; // across: from root to end
} leg_triangle;

static leg_triangle triangle_of(const limberi_leg* leg, const limberi_placed_joint* world) {
    leg_triangle t;
    memcpy(t.root, world[leg->root].place, sizeof t.root);
    memcpy(t.knee, world[leg->knee].place, sizeof t.knee);
    limberi_leg_end(leg, world, t.end);
    t.upper = limberi_distance3(t.root, t.knee);
    t.lower = limberi_distance3(t.knee, t.end);
    t.across = limberi_distance3(t.root, t.end);
    return t;
}

static void stretch_triangle(leg_triangle* t, double stretch) {
    for (int i = 0; i < 3; i++) {
        t->knee[i] = t->root[i] + stretch * (t->knee[i] - t->root[i]);
        t->end[i] = t->root[i] + stretch * (t->end[i] - t->root[i]);
    }
    t->upper *= stretch;
    t->lower *= stretch;
    t->across *= stretch;
}

// The turn of the knee that brings the end to a distance from the root. `mean`: the axis where the leg is straight.
static void knee_turn(const leg_triangle* t, const double* mean, double distance, double* turn) {
    double up[3], down[3], axis[3];
    subtract3(t->root, t->knee, up);
    subtract3(t->end, t->knee, down);
    limberi_cross3(up, down, axis);
    for (int i = 0; i < 3; i++)
        axis[i] += 0.03 * t->upper * t->lower * mean[i];
    scale_to(axis, angle_between(t->upper, t->lower, distance) - angle_between(t->upper, t->lower, t->across));
    limberi_turn_exp(axis, 1, turn);
}

// The turn of the whole leg that brings its bent end into the direction of the target.
static void aim_turn(const leg_triangle* t, const double* bend, const double* target, double* turn) {
    double down[3], bent[3], want[3];
    subtract3(t->end, t->knee, down);
    limberi_turn_rotate(bend, down, down);
    for (int i = 0; i < 3; i++)
        bent[i] = t->knee[i] + down[i] - t->root[i];
    subtract3(target, t->root, want);
    limberi_turn_onto(bent, want, turn);
}

// The root turns by the aim, the knee by the bend before that; the end keeps the turn of the plain clip.
static void turn_leg(const limber_rig* rig, const limberi_leg* leg, const double* aim, const double* bend,
                     const limberi_placed_joint* plain, const limberi_placed_joint* world, limber_transform* local) {
    const double still[4] = {0, 0, 0, 1};
    int32_t parent = rig->parents[leg->root];
    double turn[4], above[4], both[4];
    limberi_turn_mul(aim, world[leg->root].turn, turn);
    set_world_turn(&local[leg->root], parent < 0 ? still : world[parent].turn, turn);
    limberi_turn_mul(aim, bend, both);
    limberi_turn_mul(aim, world[rig->parents[leg->knee]].turn, above);
    limberi_turn_mul(both, world[leg->knee].turn, turn);
    set_world_turn(&local[leg->knee], above, turn);
    if (leg->foot >= 0)
        return;
    limberi_turn_mul(both, world[rig->parents[leg->end]].turn, above);
    set_world_turn(&local[leg->end], above, plain[leg->end].turn);
}

void limberi_leg_bend(const limberi_acting* a, const limberi_leg* leg, uint32_t moment, const double* target,
                      const limberi_placed_joint* world, limber_transform* local) {
    const limberi_placed_joint* plain = &a->world[limberi_acting_at(a, moment, 0)];
    leg_triangle t = triangle_of(leg, world);
    if (!(t.upper > 0 && t.lower > 0 && t.across > 0))
        return;
    double shown = triangle_of(leg, plain).across;
    double longest = fmax(shown, 0.985 * (t.upper + t.lower));
    double shortest = fmin(shown, fabs(t.upper - t.lower) * 1.05 + 0.15 * fmin(t.upper, t.lower));
    double wanted = fmax(limberi_distance3(target, t.root), shortest);
    double stretch = leg->foot >= 0 ? 1 : stretch_of(t.upper, t.lower, t.across, wanted, limberi_leg_stretch);
    if (fabs(stretch - 1) > 1e-9)
        lengthen(&a->model->rig, leg, stretch, local);
    stretch_triangle(&t, stretch);
    double reach = fmin(fmax(longest * stretch, 0.995 * (t.upper + t.lower)), 0.99999 * (t.upper + t.lower));
    double mean[3], bend[4], aim[4];
    limberi_turn_rotate(world[leg->root].turn, leg->axis, mean);
    knee_turn(&t, mean, fmin(fmax(wanted, 0.9 * shortest), reach), bend);
    aim_turn(&t, bend, target, aim);
    turn_leg(&a->model->rig, leg, aim, bend, plain, world, local);
}

void limberi_turn_above(const limber_rig* rig, const limber_transform* local, uint32_t joint, double* turn) {
    const double still[4] = {0, 0, 0, 1};
    memcpy(turn, still, sizeof still);
    for (int32_t j = rig->parents[joint]; j >= 0; j = rig->parents[j]) {
        double own[4], sum[4];
        limberi_turn_of_transform(&local[j], own);
        limberi_turn_mul(own, turn, sum);
        memcpy(turn, sum, sizeof sum);
    }
}
