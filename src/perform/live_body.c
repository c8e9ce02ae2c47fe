// The body as a whole in live poses (S17): the rule of clips on the middle of the skin, with filters that only look back.
#include "perform/live_private.h"

#include "base/math.h"

#include <string.h>

static const double longest_piece_s = 1 / 120.0; // time is gone through in pieces: the rule is not linear
static const double nothing = 1e-6;              // less strain than this is none

// The middle of the skin, in heights.
static void find_middle(const limberi_live_acting* l, const limber_pose* pose, double* middle) {
    memset(middle, 0, 3 * sizeof *middle);
    for (uint32_t j = 0; j < l->now.joint_count; j++) {
        const double* lump = l->lumps[j];
        const float* m = pose->world_from_joint[j].m;
        for (int r = 0; r < 3; r++)
            middle[r] += lump[3] * ((double)m[r] * lump[0] + (double)m[4 + r] * lump[1] + (double)m[8 + r] * lump[2] +
                                    (double)m[12 + r]);
    }
    for (int r = 0; r < 3; r++)
        middle[r] /= l->now.body->height;
}

// One piece of time.
typedef struct piece {
    double keep, keep_travel;
    limberi_body_springs springs;
} piece;

// Two filters after each other delay by as much as the one of clips is wide.
static piece piece_of(double step_s) {
    piece p = {exp(-2 * step_s / limberi_body_smooth_s), exp(-step_s / limberi_body_travel_s),
               limberi_body_stepper(step_s)};
    return p;
}

static void smooth_twice(const piece* p, double value, double* once, double* twice) {
    *once = value + p->keep * (*once - value);
    *twice = *once + p->keep * (*twice - *once);
}

static void go_on(limberi_live_shape* s, const piece* p, double support, const double* velocity, const double* push,
                  const double* spin) {
    limberi_body_motion motion = {.support = support};
    double strain[6], bend[2];
    for (int i = 0; i < 3; i++) {
        smooth_twice(p, velocity[i], &s->smooth[0][i], &s->smooth[1][i]);
        smooth_twice(p, push[i], &s->smooth[2][i], &s->smooth[3][i]);
        smooth_twice(p, spin[i], &s->smooth[4][i], &s->smooth[5][i]);
        s->travel[i] = s->smooth[1][i] + p->keep_travel * (s->travel[i] - s->smooth[1][i]);
        motion.velocity[i] = s->smooth[1][i];
        motion.travel[i] = s->travel[i];
        motion.push[i] = s->smooth[3][i];
        motion.spin[i] = s->smooth[5][i];
    }
    limberi_body_strain(&motion, strain);
    limberi_body_bend(motion.push, bend);
    for (int i = 0; i < 6; i++)
        limberi_spring_follow(&p->springs.strain, strain[i], &s->strain[i][0], &s->strain[i][1]);
    for (int i = 0; i < 2; i++)
        limberi_spring_follow(&p->springs.bend, bend[i], &s->bend[i][0], &s->bend[i][1]);
}

// For a time, from a velocity on with a steady acceleration.
static void go_through(limberi_live_shape* s, const double* velocity, const double* push, const double* spin,
                       double support, double time_s) {
    int count = (int)ceil(time_s / longest_piece_s - 1e-9);
    piece p = piece_of(time_s / count);
    for (int k = 0; k < count; k++) {
        double at[3];
        for (int i = 0; i < 3; i++)
            at[i] = velocity[i] + push[i] * time_s * (k + 0.5) / count;
        go_on(s, &p, support, at, push, spin);
    }
}

// Velocities are those of the middles of steps. Up to the middle of this step they are known, from there to the newest
// pose they are extrapolated.
static void advance(limberi_live_body* b, const double* velocity, const double* spin, double support, double step_s) {
    double between_s = 0.5 * (step_s + b->step_s);
    double push[3], turning[3];
    for (int i = 0; i < 3; i++) {
        push[i] = (velocity[i] - b->velocity[i]) / between_s;
        turning[i] = 0.5 * (spin[i] + b->spin[i]);
    }
    go_through(&b->known_to, b->velocity, push, turning, support, between_s);
    b->now = b->known_to;
    go_through(&b->now, velocity, push, spin, support, 0.5 * step_s);
}

// How fast the skin turns, from the pose before to this one.
static void find_spin(limberi_live_acting* l, const limber_pose* pose, double step_s, double* spin) {
    limberi_placed_joint* before = l->last_posed;
    memset(spin, 0, 3 * sizeof *spin);
    limberi_place_joints(&l->now.model->rig, pose->local, l->posed);
    if (l->body.known)
        limberi_body_spin(before, l->posed, l->shares, l->now.joint_count, step_s, spin);
    l->last_posed = l->posed;
    l->posed = before;
}

void limberi_live_acting_shape(limberi_live_acting* l, const limber_pose* pose, double step_s) {
    limberi_live_body* b = &l->body;
    double middle[3], velocity[3], spin[3];
    if (!b->on || (b->known && !(step_s > 0)))
        return;
    find_middle(l, pose, middle);
    find_spin(l, pose, step_s, spin);
    for (int i = 0; i < 3; i++)
        velocity[i] = b->known ? (middle[i] - b->middle[i]) / step_s : 0;
    if (b->known == 2)
        advance(b, velocity, spin, l->support, step_s);
    for (int i = 0; i < 3 && b->known == 1; i++) // nothing is known of what was before
        b->known_to.smooth[0][i] = b->known_to.smooth[1][i] = b->known_to.travel[i] = velocity[i];
    memcpy(b->middle, middle, sizeof middle);
    memcpy(b->velocity, velocity, sizeof velocity);
    memcpy(b->spin, spin, sizeof spin);
    b->step_s = step_s;
    b->known += b->known < 2;
}

bool limberi_live_acting_body(const limberi_live_acting* l, limberi_body_moment* body, double* height,
                              double* landing) {
    const limberi_live_body* b = &l->body;
    double fade = limberi_smooth_step(0, limberi_live_grow_s, l->age_s);
    double largest = 0;
    if (!b->on)
        return false;
    for (int i = 0; i < 6; i++) {
        body->strain[i] = fade * b->squash * b->now.strain[i][0];
        largest = fmax(largest, fabs(body->strain[i]));
    }
    for (int i = 0; i < 2; i++) {
        body->bend[i] = fade * b->bend * b->now.bend[i][0];
        largest = fmax(largest, fabs(body->bend[i]));
    }
    if (largest < nothing) {
        memset(body->strain, 0, sizeof body->strain);
        memset(body->bend, 0, sizeof body->bend);
    }
    body->support = l->support;
    *height = l->now.body->height;
    *landing = b->landing;
    return true;
}
