// The body as a whole (S17): stretched along its way through the air, squashed where it lands or pushes off, flattened
// along the axis it spins about, and bent against its acceleration. Found from the middle of the skin and the turns of its
// joints in the clip as it is played, on its grid.
#include "perform/body.h"

#include "base/math.h"
#include "base/turns.h"
#include "perform/passes.h"

#include <string.h>

static const double along_way = 0.20;    // largest strain by speed ...
static const double half_speed = 1.7;    // ... of which half is reached at this one, in heights per second
static const double under_weight = 0.30; // largest strain by vertical acceleration while something carries the body ...
static const double half_weight = 12;    // ... of which half is reached at this one, in heights per second squared
static const double about_spin = 0.15;   // largest strain by turning: flatter along the axis, wider across ...
static const double half_spin = 3;       // ... of which half is reached at this speed, in radians per second
static const double alike[2] = {0.15, 0.45}; // share of all turning that is the same for all: limbs swing, a body spins
static const double fastest_spin = 30;       // what turns faster was put there by a jump cut
static const double carried_share = 0.8;     // of horizontal speed, and of rolling, that counts less while carried
static const double support_s = 0.04;
static const double spring_hz = 4;
static const double spring_damping = 0.45;
static const double bend_hz = 2.8;
static const double bend_per_s2 = 0.02; // radians per height, of an acceleration in heights
static const double max_bend = 14 * LIMBERI_PI / 180;
static const double end_s = 0.2; // fades in and out at the ends of a clip that does not loop

// Signals on the grid of the output.
typedef struct mover {
    const limberi_acting* a;
    const limber_transform* played; // NULL: the plain clip
    double* shares;                 // [joint] of the skin
    double* steps;                  // [moment * 3] how fast the skin turns until the next one
    double* middle;                 // [moment * 3]
    double* velocity;               // [moment * 3] in heights per second
    double* push;                   // [moment * 3] acceleration
    double* travel;                 // [moment * 3] slow part of the velocity
    double* spin;                   // [moment * 3] how fast the skin turns as a whole, radians per second
    double* support;                // [moment]
    double* strain;                 // [moment * 6]
    double* bend;                   // [moment * 2]
} mover;

static bool allocate(limberi_arena* arena, mover* m) {
    size_t count = m->a->grid.count;
    m->steps = LIMBERI_ALLOCATE(arena, double, 3 * count);
    m->middle = LIMBERI_ALLOCATE(arena, double, 3 * count);
    m->velocity = LIMBERI_ALLOCATE(arena, double, 3 * count);
    m->push = LIMBERI_ALLOCATE(arena, double, 3 * count);
    m->travel = LIMBERI_ALLOCATE(arena, double, 3 * count);
    m->spin = LIMBERI_ALLOCATE(arena, double, 3 * count);
    m->support = LIMBERI_ALLOCATE(arena, double, count);
    m->strain = LIMBERI_ALLOCATE(arena, double, 6 * count);
    m->bend = LIMBERI_ALLOCATE(arena, double, 2 * count);
    return !arena->failed;
}

// Any thread, for different parts.
static void find_middle(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const mover* m = user;
    const limberi_acting* a = m->a;
    limberi_looker* own = &a->lookers[worker];
    limberi_moments_of(a, &first, &end);
    for (uint32_t f = first; f < end; f++) {
        limberi_look_at(a, &m->played[limberi_acting_at(a, f, 0)], own->poses, own->slots[0]);
        limberi_skin_sums_middle(a->surface, (const limberi_slot_matrix*)own->slots[0], &m->middle[3 * (size_t)f]);
    }
}

// Each joint counts as much as it has skin.
static double* share_skin(limberi_arena* arena, const limberi_acting* a) {
    double* shares = LIMBERI_ALLOCATE(arena, double, a->joint_count);
    for (uint32_t k = 0; shares && k < a->model->skin_count; k++)
        for (uint32_t i = 0; i < a->model->skins[k].joint_count; i++)
            shares[a->model->skins[k].joints[i]] += a->surface->mean[a->surface->first_slot[k] + i][3];
    return shares;
}

void limberi_body_spin(const limberi_placed_joint* before, const limberi_placed_joint* now, const double* shares,
                       uint32_t joints, double step_s, double* spin) {
    double square = 0;
    memset(spin, 0, 3 * sizeof *spin);
    for (uint32_t j = 0; j < joints; j++) {
        double back[4], turn[4], way[3];
        if (shares[j] == 0)
            continue;
        limberi_turn_inverse(before[j].turn, back);
        limberi_turn_mul(now[j].turn, back, turn);
        limberi_turn_log(turn, way);
        for (int i = 0; i < 3; i++)
            spin[i] += shares[j] * way[i] / step_s;
        square += shares[j] * limberi_dot3(way, way) / (step_s * step_s);
    }
    double mean = limberi_dot3(spin, spin);
    double together = limberi_smooth_step(alike[0], alike[1], mean / fmax(square, 1e-12));
    for (int i = 0; i < 3; i++)
        spin[i] *= mean < fastest_spin * fastest_spin ? together : 0;
}

// Any thread, for different parts.
static void find_steps(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const mover* m = user;
    const limberi_acting* a = m->a;
    limberi_placed_joint* const* joints = a->lookers[worker].joints;
    const limber_transform* local = m->played ? m->played : a->local;
    limberi_moments_of(a, &first, &end);
    for (uint32_t f = first; f <= end && f < a->grid.count; f++) {
        limberi_place_joints(&a->model->rig, &local[limberi_acting_at(a, f, 0)], joints[f % 2]);
        if (f > first && f > a->first)
            limberi_body_spin(joints[(f + 1) % 2], joints[f % 2], m->shares, a->joint_count, a->grid.step_s,
                              &m->steps[3 * (size_t)(f - 1)]);
    }
}

static void find_spin(mover* m) {
    const limberi_acting* a = m->a;
    uint32_t last = a->grid.count - 1;
    uint32_t before_first = a->grid.loops ? last - 1 : 0;
    uint32_t after_last = a->grid.loops ? 0 : last - 1;
    limberi_each_part(a, find_steps, m);
    for (uint32_t f = 0; f <= last; f++) {
        const double* before = &m->steps[3 * (size_t)(f > 0 ? f - 1 : before_first)];
        const double* after = &m->steps[3 * (size_t)(f < last ? f : after_last)];
        for (size_t i = 0; i < 3; i++)
            m->spin[3 * (size_t)f + i] = 0.5 * (before[i] + after[i]);
    }
    limberi_signal_smooth(&a->grid, limberi_body_smooth_s, 3, m->spin, a->scratch);
}

static void find_motion(const double* source, mover* m) {
    const limberi_acting* a = m->a;
    uint32_t count = a->grid.count;
    for (uint32_t f = 0; f < a->first; f++) // a pose that was put in front of the motion
        memcpy(&m->middle[3 * (size_t)f], &m->middle[3 * (size_t)a->first], 3 * sizeof *m->middle);
    for (uint32_t f = 0; f < count; f++)
        m->support[f] = source ? limberi_signal_at(a->support, count, source[f]) : a->support[f];
    limberi_signal_smooth(&a->grid, support_s, 1, m->support, a->scratch);
    limberi_signal_rate(&a->grid, 3, m->middle, m->velocity);
    for (size_t i = 0; i < 3 * (size_t)count; i++)
        m->velocity[i] /= a->body->height;
    limberi_signal_smooth(&a->grid, limberi_body_smooth_s, 3, m->velocity, a->scratch);
    limberi_signal_rate(&a->grid, 3, m->velocity, m->push);
    limberi_signal_smooth(&a->grid, limberi_body_smooth_s, 3, m->push, a->scratch);
    memcpy(m->travel, m->velocity, 3 * (size_t)count * sizeof *m->travel);
    limberi_signal_smooth(&a->grid, limberi_body_travel_s, 3, m->travel, a->scratch);
}

// How hard the ground pushes the body up, with a continuous slope from 0 on.
static double weight_of(double rise) {
    double push = 0.5 * rise + sqrt(0.25 * rise * rise + 1) - 1;
    return under_weight * push / (half_weight + fmax(push, 0));
}

// Quadratic in the velocity, so nothing turns over where it passes 0. The trace is 0: exp keeps the volume.
void limberi_body_strain(const limberi_body_motion* m, double* strain) {
    static const int rows[6] = {0, 1, 2, 0, 1, 2};
    static const int columns[6] = {0, 1, 2, 1, 2, 0};
    const double* v = m->velocity;
    double free = 1 - carried_share * m->support;
    const double w[3] = {free * (v[0] - m->travel[0]), v[1], free * (v[2] - m->travel[2])};
    double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    double weight = m->support * weight_of(m->push[1]);
    const double s[3] = {free * m->spin[0], m->spin[1], free * m->spin[2]}; // what rolls keeps its shape
    double turning = limberi_dot3(s, s);
    double round = about_spin / (turning + half_spin * half_spin);
    for (int i = 0; i < 6; i++) {
        double even = i < 3 ? 0.5 : 0;
        strain[i] = round * (even * turning - 1.5 * s[rows[i]] * s[columns[i]]);
        strain[i] +=
            along_way * (1.5 * w[rows[i]] * w[columns[i]] - even * square) / (square + half_speed * half_speed);
        strain[i] -= weight * ((i == 1 ? 1.5 : 0) - even);
    }
}

void limberi_body_bend(const double* push, double* bend) {
    const double raw[2] = {-bend_per_s2 * push[0], -bend_per_s2 * push[2]};
    double limited = 1 / sqrt(1 + (raw[0] * raw[0] + raw[1] * raw[1]) / (max_bend * max_bend));
    bend[0] = raw[0] * limited;
    bend[1] = raw[1] * limited;
}

limberi_body_springs limberi_body_stepper(double step_s) {
    limberi_body_springs springs = {limberi_spring_stepper(spring_hz, spring_damping, step_s),
                                    limberi_spring_stepper(bend_hz, spring_damping, step_s)};
    return springs;
}

static limberi_body_motion motion_at(const mover* m, uint32_t f) {
    limberi_body_motion motion;
    memcpy(motion.velocity, &m->velocity[3 * (size_t)f], sizeof motion.velocity);
    memcpy(motion.travel, &m->travel[3 * (size_t)f], sizeof motion.travel);
    memcpy(motion.push, &m->push[3 * (size_t)f], sizeof motion.push);
    memcpy(motion.spin, &m->spin[3 * (size_t)f], sizeof motion.spin);
    motion.support = m->support[f];
    return motion;
}

static double fade_at(const limberi_moments* grid, uint32_t f) {
    double whole = (grid->count - 1) * grid->step_s;
    double edge = fmin(end_s, whole / 3);
    double t = f * grid->step_s;
    return grid->loops ? 1 : limberi_smooth_step(0, edge, t) * limberi_smooth_step(0, edge, whole - t);
}

// A clip too short for the body to swing out and back hardly bends it: it would only whip.
static double room_to_bend(const limberi_moments* grid) {
    double whole = (grid->count - 1) * grid->step_s;
    return grid->loops ? 1 : limberi_smooth_step(0.15, 0.75, whole);
}

limber_result limberi_body_find(limberi_acting* a, const limber_transform* played, const double* source, double squash,
                                double bend, limberi_arena* arena, const limberi_body_moment** body) {
    mover m = {.a = a, .played = played, .shares = share_skin(&a->arena, a)};
    *body = NULL;
    limberi_body_moment* out = LIMBERI_ALLOCATE(arena, limberi_body_moment, a->grid.count);
    if (!out || !allocate(&a->arena, &m))
        return LIMBER_ERROR_MEMORY;
    if (!played)
        memcpy(m.middle, a->middle, 3 * (size_t)a->grid.count * sizeof *m.middle);
    else
        limberi_each_part(a, find_middle, &m);
    find_spin(&m);
    find_motion(source, &m);
    for (uint32_t f = 0; f < a->grid.count; f++) {
        limberi_body_motion motion = motion_at(&m, f);
        limberi_body_strain(&motion, &m.strain[6 * (size_t)f]);
        limberi_body_bend(motion.push, &m.bend[2 * (size_t)f]);
    }
    limberi_signal_spring(&a->grid, spring_hz, spring_damping, 6, m.strain);
    limberi_signal_spring(&a->grid, bend_hz, spring_damping, 2, m.bend);
    double room = room_to_bend(&a->grid);
    for (uint32_t f = 0; f < a->grid.count; f++) {
        double fade = fade_at(&a->grid, f);
        for (int i = 0; i < 6; i++)
            out[f].strain[i] = squash * fade * m.strain[6 * (size_t)f + (size_t)i];
        for (int i = 0; i < 2; i++)
            out[f].bend[i] = bend * room * fade * m.bend[2 * (size_t)f + (size_t)i];
        out[f].support = m.support[f];
    }
    *body = out;
    return LIMBER_OK;
}
