// Time filters without a clip: the state that each joint's filters are in, carried from pose to pose.
#include "motion/live.h"

#include "base/memory.h"
#include "motion/differences.h"
#include "motion/follower.h"
#include "motion/time_filter.h"

#include <string.h>

enum { QUANTITIES = 4 };

// Of one component of one joint.
typedef struct signal {
    double input, y[2];
} signal;

struct limberi_live_filter {
    limberi_arena arena;
    uint32_t joint_count;
    limberi_filters of_time;
    signal* signals[QUANTITIES];           // [joint * 3], NULL for a quantity without a filter
    limber_filter_set set;                 // at the moment
    limber_vec3* gated;                    // [joint] input of one quantity; NULL: as it comes
    limberi_live_differences* differences; // NULL: accelerations stay what they are
    double (*following)[2][3][3];          // [joint][turns][component] state; NULL: no follower
};

static const limber_filter* filter_of(const limberi_live_filter* f, int q) {
    const limber_filter* const all[QUANTITIES] = {&f->set.velocity, &f->set.acceleration, &f->set.angular_velocity,
                                                  &f->set.angular_acceleration};
    return all[q];
}

limber_result limberi_live_filter_create(const limber_model* model, const limberi_filters* of_time, double step_s,
                                         limberi_live_filter** filter) {
    const limber_filter_set* filters = &of_time->set;
    *filter = NULL;
    limberi_live_filter* made = limberi_allocate_zeroed(1, sizeof *made);
    if (!made)
        return LIMBER_ERROR_MEMORY;
    made->joint_count = model->rig.joint_count;
    made->of_time = *of_time;
    made->set = *filters;
    for (int q = 0; q < QUANTITIES; q++)
        if (filter_of(made, q)->type != LIMBER_FILTER_NONE)
            made->signals[q] = LIMBERI_ALLOCATE(&made->arena, signal, 3 * (size_t)made->joint_count);
    if (filters->gate != LIMBER_GATE_NONE)
        made->gated = LIMBERI_ALLOCATE(&made->arena, limber_vec3, made->joint_count);
    if (filters->derivative)
        made->differences =
            limberi_live_differences_create(&made->arena, made->joint_count, filters->derivative - 2, step_s);
    if (filters->follower.frequency_hz > 0)
        made->following = limberi_arena_allocate(&made->arena, made->joint_count, sizeof *made->following);
    if (made->arena.failed) {
        limberi_live_filter_destroy(made);
        return LIMBER_ERROR_MEMORY;
    }
    *filter = made;
    return LIMBER_OK;
}

void limberi_live_filter_destroy(limberi_live_filter* filter) {
    if (!filter)
        return;
    limberi_arena_free(&filter->arena);
    limberi_release(filter);
}

static void start_signal(signal* s, double x) {
    s->input = s->y[0] = x;
    s->y[1] = 0;
}

// `first`: how many poses it takes until the quantity has a value.
static void push_quantity(limberi_live_filter* f, int q, limberi_tracked tracked, uint32_t first, const float* in,
                          float* out) {
    limberi_stepper stepper = {{0}, {0}, {0}};
    if (!tracked.held && tracked.step_s > 0)
        stepper = limberi_filter_stepper(filter_of(f, q), tracked.step_s);
    for (size_t i = 0; i < 3 * (size_t)f->joint_count; i++) {
        signal* s = &f->signals[q][i];
        if (!tracked.held && tracked.pushes[i / 3] <= first) {
            start_signal(s, (double)in[i]);
        } else if (!tracked.held) {
            limberi_filter_step(&stepper, s->input, (double)in[i], s->y);
            s->input = (double)in[i];
        }
        out[i] = (float)s->y[0];
    }
}

// What the filters of a quantity run on: an acceleration is gated by its velocity, which stands before it.
static const float* input_of(limberi_live_filter* f, const limber_kinematics* plain, int q) {
    const limber_vec3* const all[QUANTITIES] = {plain->velocity, plain->acceleration, plain->angular_velocity,
                                                plain->angular_acceleration};
    if (!f->gated || q % 2 == 0)
        return &all[q]->x;
    for (uint32_t j = 0; j < f->joint_count; j++)
        f->gated[j] = limberi_gated(&f->set, q / 2, all[q - 1][j], all[q][j]);
    return &f->gated->x;
}

// A joint starts to be followed where it is; the wind has blown before.
static void start_following(const limberi_live_filter* f, const limber_kinematics* air, uint32_t joint,
                            double (*state)[3]) {
    memset(state, 0, 3 * sizeof *state);
    for (int c = 0; air && c < 3; c++)
        limberi_follower_settle(&f->set.follower, (double)(&air->angular_velocity[joint].x)[c],
                                (double)(&air->angular_acceleration[joint].x)[c], state[c]);
}

static void follow_joints(limberi_live_filter* f, limberi_tracked tracked, limber_kinematics* out) {
    limber_vec3* const velocities[2] = {out->velocity, out->angular_velocity};
    limber_vec3* const lags[2] = {out->acceleration, out->angular_acceleration};
    const limber_vec3* const inputs[2] = {tracked.velocity, tracked.angular_velocity};
    for (int turns = 0; turns < 2; turns++) {
        limberi_follower_step step = {{{0}}, {0}, {0}};
        if (!tracked.held && tracked.step_s > 0)
            step = limberi_follower_stepper(&f->set.follower, turns, tracked.step_s);
        for (uint32_t j = 0; j < f->joint_count; j++) {
            double(*state)[3] = f->following[j][turns];
            const limber_kinematics* air = turns ? tracked.air : NULL;
            if (!tracked.held && tracked.pushes[j] <= 1)
                start_following(f, air, j, state);
            for (int c = 0; c < 3; c++) {
                double wind = air ? (double)(&air->angular_velocity[j].x)[c] : 0;
                double push = air ? (double)(&air->angular_acceleration[j].x)[c] : 0;
                if (!tracked.held && tracked.pushes[j] > 1)
                    limberi_follow_pushed(&step, (double)(&inputs[turns][j].x)[c] + wind, push, state[c]);
                (&velocities[turns][j].x)[c] = (float)state[c][LIMBERI_FOLLOWING];
                (&lags[turns][j].x)[c] = (float)state[c][LIMBERI_SMOOTHED];
            }
        }
    }
}

void limberi_live_filter_push(limberi_live_filter* f, limberi_tracked tracked, const limberi_moment* at,
                              const limber_kinematics* plain, limber_kinematics* out) {
    f->set = limberi_filters_at(&f->of_time, at);
    if (f->following) {
        follow_joints(f, tracked, out);
        return;
    }
    limber_kinematics derived = *plain;
    if (f->differences) {
        limberi_live_differences_push(f->differences, tracked, plain, &derived);
        plain = &derived;
    }
    const limber_vec3* const from[QUANTITIES] = {plain->velocity, plain->acceleration, plain->angular_velocity,
                                                 plain->angular_acceleration};
    limber_vec3* const to[QUANTITIES] = {out->velocity, out->acceleration, out->angular_velocity,
                                         out->angular_acceleration};
    static const uint32_t first[QUANTITIES] = {2, 3, 2, 3};
    for (int q = 0; q < QUANTITIES; q++) {
        if (f->signals[q])
            push_quantity(f, q, tracked, first[q], input_of(f, plain, q), &to[q]->x);
        else if (f->joint_count)
            memcpy(to[q], from[q], f->joint_count * sizeof *to[q]);
    }
}

void limberi_live_filter_start(limberi_live_filter* f, const limber_kinematics* plain) {
    limber_kinematics derived = *plain;
    if (f->differences) {
        limberi_live_differences_start(f->differences, &derived);
        plain = &derived;
    }
    for (int q = 0; q < QUANTITIES; q++) {
        const float* from = f->signals[q] ? input_of(f, plain, q) : NULL;
        for (size_t i = 0; from && i < 3 * (size_t)f->joint_count; i++)
            start_signal(&f->signals[q][i], (double)from[i]);
    }
}

void limberi_live_filter_copy(limberi_live_filter* to, const limberi_live_filter* from) {
    if (to->differences && from->differences)
        limberi_live_differences_copy(to->differences, from->differences);
    if (to->following && from->following)
        memcpy(to->following, from->following, to->joint_count * sizeof *to->following);
    for (int q = 0; q < QUANTITIES; q++)
        if (to->signals[q] && from->signals[q])
            memcpy(to->signals[q], from->signals[q], 3 * (size_t)to->joint_count * sizeof *to->signals[q]);
}
