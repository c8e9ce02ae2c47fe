// What the edits of a pose share: where the character dwells, anticipation, gains of joints.
#include "perform/poser.h"

#include "perform/passes.h"

#include <math.h>
#include <string.h>

static const double wind_up_s = 0.12; // time scale of anticipation

void limberi_poser_weigh(limberi_poser* p) {
    const limberi_acting* a = p->a;
    double square = 0;
    for (uint32_t f = 0; f < a->grid.count; f++)
        square += a->speed[f] * a->speed[f] / a->grid.count;
    double typical = 0.5 * sqrt(square) + 1e-6;
    for (uint32_t f = 0; f < a->grid.count; f++) {
        double part = a->speed[f] / typical;
        p->weight[f] = p->weights[f] = 1 / (1 + part * part);
    }
    limberi_signal_smooth(&a->grid, limberi_around_s, 1, p->weights, a->scratch);
}

// The mean around each moment, in place; slow moments count most.
void limberi_poser_refer(const limberi_poser* p, uint32_t width, double* values) {
    const limberi_acting* a = p->a;
    for (uint32_t f = 0; f < a->grid.count; f++)
        for (uint32_t w = 0; w < width; w++)
            values[(size_t)f * width + w] *= p->weight[f];
    limberi_signal_smooth(&a->grid, limberi_around_s, width, values, a->scratch);
    for (uint32_t f = 0; f < a->grid.count; f++)
        for (uint32_t w = 0; w < width; w++)
            values[(size_t)f * width + w] /= fmax(p->weights[f], 1e-12);
}

void limberi_poser_curve(const limberi_poser* p, double* values) {
    const limberi_acting* a = p->a;
    double* rate = a->speeds[1];
    limberi_signal_smooth(&a->grid, wind_up_s, 3, values, a->scratch);
    limberi_signal_rate(&a->grid, 3, values, rate);
    limberi_signal_rate(&a->grid, 3, rate, values);
}

void limberi_poser_wind_up(const limberi_poser* p, double amount, const double* curve, double* values) {
    for (size_t i = 0; amount > 0 && i < 3 * (size_t)p->a->grid.count; i++)
        values[i] -= amount * wind_up_s * wind_up_s * curve[i];
}

void limberi_poser_delay(const limberi_poser* p, double delay_s, uint32_t width, double* values) {
    const limberi_moments* grid = &p->a->grid;
    uint32_t count = grid->count;
    double steps = delay_s / grid->step_s;
    if (!(steps > 0))
        return;
    for (uint32_t w = 0; w < width; w++) {
        double* track = p->a->scratch;
        for (uint32_t f = 0; f < count; f++)
            track[f] = values[(size_t)f * width + w];
        for (uint32_t f = 0; f < count; f++) {
            double at = f - steps;
            if (grid->loops && at < 0)
                at += (count - 1) * ceil(-at / (count - 1));
            values[(size_t)f * width + w] = limberi_signal_at(track, count, at);
        }
    }
}

double limberi_poser_gain_of(const limberi_poser* p, uint32_t joint) {
    return p->amounts->of_joint ? (double)p->amounts->of_joint[joint] : 1;
}

void limberi_poser_copy_open(const limberi_poser* p, uint32_t worker, limberi_poser_copy* copy) {
    size_t count = p->a->grid.count;
    double* free = p->scratch[worker];
    copy->acting = *p->a;
    copy->poser = *p;
    copy->poser.a = &copy->acting;
    copy->poser.e = free;
    copy->poser.x = free + 3 * count;
    copy->acting.speeds[1] = free + 6 * count;
    copy->poser.q = free + 9 * count;
    copy->more = free + 13 * count;
    copy->acting.scratch = p->a->lookers[worker].signal;
}

static bool is_companion(const limberi_anatomy* body, uint32_t joint) {
    const limber_rig* rig = &body->model->rig;
    int32_t holder = rig->hangs_on[joint];
    int32_t limb = body->limb_of[joint];
    return holder >= 0 && holder != rig->parents[joint] && !(limb >= 0 && body->limbs[limb].loose) &&
           !limberi_hangs_below(rig, (uint32_t)body->hips, joint);
}

// Where a joint is when it keeps to its holder as in the plain pose.
static limberi_placed_joint kept_beside(const limberi_placed_joint* plain, const limberi_placed_joint* now,
                                        uint32_t holder, uint32_t joint) {
    limberi_placed_joint kept = now[joint];
    double back[4], change[4], away[3];
    limberi_turn_inverse(plain[holder].turn, back);
    limberi_turn_mul(now[holder].turn, back, change);
    limberi_turn_mul(change, plain[joint].turn, kept.turn);
    for (int i = 0; i < 3; i++)
        away[i] = plain[joint].place[i] - plain[holder].place[i];
    limberi_turn_rotate(change, away, away);
    for (int i = 0; i < 3; i++)
        kept.place[i] = now[holder].place[i] + away[i];
    return kept;
}

void limberi_keep_companions(const limberi_anatomy* body, const limberi_placed_joint* plain, limberi_placed_joint* now,
                             limber_transform* local) {
    const limber_rig* rig = &body->model->rig;
    bool any = false; // most characters have none
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        if (!is_companion(body, j))
            continue;
        any = true;
        limberi_place_joints(rig, local, now);
        limberi_placed_joint kept = kept_beside(plain, now, (uint32_t)rig->hangs_on[j], j);
        const limberi_placed_joint* above = rig->parents[j] < 0 ? NULL : &now[rig->parents[j]];
        double way[3], turn[4], back[4];
        for (int i = 0; i < 3; i++)
            way[i] = kept.place[i] - (above ? above->place[i] : 0);
        limberi_way_below(above, way, way);
        memcpy(turn, kept.turn, sizeof turn);
        if (above) {
            limberi_turn_inverse(above->turn, back);
            limberi_turn_mul(back, kept.turn, turn);
        }
        local[j].translation = limberi_vec3((float)way[0], (float)way[1], (float)way[2]);
        limberi_set_turn(&local[j], turn);
    }
    if (any)
        limberi_place_joints(rig, local, now);
}

bool limberi_has_legs(const limberi_anatomy* body, const limberi_legs* legs) {
    for (uint32_t l = 0; l < body->limb_count; l++)
        if (legs->is_leg[l])
            return true;
    return false;
}

void limberi_keep_way(const double* plain, const double* now, double part, limber_transform* local) {
    double between[4], back[4], own[4], world[4], out[4];
    limberi_turn_blend(now, plain, part, between);
    limberi_turn_of_transform(local, own);
    limberi_turn_mul(between, own, world);
    limberi_turn_inverse(now, back);
    limberi_turn_mul(back, world, out);
    limberi_set_turn(local, out);
}

double limberi_kept_way_of(const limberi_anatomy* body, const limberi_legs* legs, uint32_t joint) {
    bool limb = body->limb_of[joint] >= 0 && (int32_t)joint != body->head;
    return limb && limberi_has_legs(body, legs) ? limberi_kept_way : 0;
}
