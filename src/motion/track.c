// Filtered kinematics of a clip: sampled once on a regular grid, filtered there, and looked up at any time.
#include "asset/clip.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/settings.h"
#include "base/turns.h"
#include "motion/air.h"
#include "motion/arrivals.h"
#include "motion/differences.h"
#include "motion/follower.h"
#include "motion/kinematics.h"
#include "motion/seam.h"
#include "motion/time_filter.h"

#include <string.h>

enum { QUANTITIES = 4 };

static const double largest_track_bytes = 1e9;
enum { SAMPLES_PER_TASK = 16 };

struct limber_track {
    limberi_arena arena;
    const limber_model* model;
    const limber_clip* clip;
    limber_motion_settings settings;
    limber_filter filters[QUANTITIES];
    limberi_stepper* steps[QUANTITIES]; // [sample] to the next one; NULL: the filter does not change
    limberi_filters of_time;
    limber_filter_set set; // for its gate, at the moment
    uint32_t derivative;   // 3, 4 or 0: none
    limber_follower follower;
    const limberi_arrivals* arrivals; // [joint] NULL: followers are late
    uint32_t max_arrivals;            // of a joint
    double (*speeds)[3];              // [worker * max_arrivals] scratch
    const limber_parallel* parallel;  // while it is filled
    const limberi_air* air;           // NULL: none
    uint32_t air_bits;
    limber_pose pose;           // with air: of a sample
    limber_kinematics air_only; // with air: of a sample, and then of the first one
    bool loops;
    double step_s;
    uint32_t sample_count;
    uint32_t joint_count;       // joints that move
    uint32_t* joints;           // [joint_count]
    float* samples[QUANTITIES]; // [sample][joint * 3], NULL for a quantity without a filter
    uint8_t* restart;           // [sample] for all joints
    uint32_t* place_of_joint;   // [joint] in `joints`, of those that move
    float* scratch;             // [3 * sample] of derivatives
};

limber_filter_set limber_filter_set_none(void) {
    return (limber_filter_set){0};
}

static limber_vec3* quantity(const limber_kinematics* k, int q) {
    limber_vec3* const all[QUANTITIES] = {k->velocity, k->acceleration, k->angular_velocity, k->angular_acceleration};
    return all[q];
}

static bool follows(const limber_track* track) {
    return track->follower.frequency_hz > 0;
}

// Filters are defined at 60 Hz; with a shorter step of the differences the clip is sampled finer. The steps divide the
// clip evenly, so that a loop's grid meets itself.
static void choose_grid(limber_track* track) {
    const limber_clip* clip = track->clip;
    double duration = clip ? clip->end_s - clip->start_s : 0;
    double step_s = clip ? fmin(1 / 60.0, limberi_motion_step(&track->settings)) : 1;
    if (follows(track))
        step_s = 1 / 120.0;
    if (track->derivative)
        step_s = fmin(step_s, limberi_motion_step(&track->settings) / LIMBERI_STEPS_OF_DIFFERENCE);
    double steps = duration > 0 ? fmax(1, round(duration / step_s)) : 0;
    track->loops = clip && limberi_motion_loops(clip, &track->settings);
    track->step_s = steps > 0 ? duration / steps : 0;
    track->sample_count = UINT32_MAX; // refused by fill_track
    if (steps < 4e8)
        track->sample_count = (uint32_t)steps + (track->loops ? 0 : 1);
}

static bool find_moving_joints(limber_track* track) {
    const limber_model* model = track->model;
    track->joints = LIMBERI_ALLOCATE(&track->arena, uint32_t, model->rig.joint_count);
    track->place_of_joint = LIMBERI_ALLOCATE(&track->arena, uint32_t, model->rig.joint_count);
    if (track->arena.failed)
        return false;
    for (uint32_t j = 0; track->clip && j < model->rig.joint_count; j++) {
        const int32_t* channels = track->clip->channel_of_joint + 3 * (size_t)j;
        track->place_of_joint[j] = track->joint_count;
        if (track->air || channels[LIMBER_CHANNEL_TRANSLATION] >= 0 || channels[LIMBER_CHANNEL_ROTATION] >= 0)
            track->joints[track->joint_count++] = j;
    }
    return true;
}

static double sample_time(const limber_track* track, uint32_t i) {
    return track->clip->start_s + i * track->step_s;
}

// Where a cut lies on the grid.
static double cut_at(const limber_track* track, const limber_cut* cut) {
    return (0.5 * (cut->before_s + cut->after_s) - track->clip->start_s) / track->step_s;
}

// From the sample after a cut on, the signal is another one.
static void mark_cut(const limber_track* track, const limber_cut* cut, uint8_t* restart) {
    double at = ceil(cut_at(track, cut));
    if (track->loops && at == track->sample_count)
        at = 0;
    if (at >= 0 && at < track->sample_count)
        restart[(uint32_t)at] = 1;
}

// The numbers of the filters at a time since the start of the clip, on the grid.
static limber_filter_set set_at(const limber_track* track, double sample) {
    limberi_moment at = limberi_moment_of(track->clip, sample * track->step_s);
    return limberi_filters_at(&track->of_time, &at);
}

// Filters run on the share of the accelerations that the effect is about.
static void gate_joints(const limber_track* track, limber_kinematics* k) {
    for (uint32_t i = 0; i < track->joint_count; i++) {
        uint32_t j = track->joints[i];
        k->acceleration[j] = limberi_gated(&track->set, 0, k->velocity[j], k->acceleration[j]);
        k->angular_acceleration[j] = limberi_gated(&track->set, 1, k->angular_velocity[j], k->angular_acceleration[j]);
    }
}

// Whether the joint goes on in another direction, turn by turn.
static bool is_turning(const limber_track* track, uint32_t joint) {
    const limber_loop* loop = &track->clip->loop;
    return track->loops && loop->root == (int32_t)joint && loop->yaw_rad != 0;
}

// --- air ---

// The motion at a time, relative to the air.
static void sample_motion(limber_track* track, const limber_motion_settings* settings, double time_s,
                          limber_kinematics* out) {
    limberi_motion_at(track->model, track->clip, settings, time_s, track->air ? &track->pose : NULL, out);
    if (!track->air)
        return;
    limber_pose_update_world(track->model, &track->pose);
    limberi_moment at = limberi_moment_of(track->clip, time_s - track->clip->start_s);
    limberi_air_find(track->air, track->air_bits, &at, &track->pose, &track->air_only);
    limberi_air_add(track->model, &track->air_only, out);
}

// --- followers ---

typedef struct sampling {
    limber_track* track;
    limber_kinematics* scratch; // [worker]
} sampling;

// Any thread, for different steps: velocities over the steps from sample to sample; a jump cut is no motion.
static void sample_steps(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    limber_track* track = ((const sampling*)user)->track;
    limber_kinematics* scratch = ((const sampling*)user)->scratch + worker;
    limber_motion_settings settings = track->settings;
    settings.step_s = 0.5 * track->step_s;
    settings.derivatives = LIMBER_DERIVATIVES_DIFFERENCES; // over whole steps: the sum of all is the way
    for (uint32_t i = first; i < end; i++) {
        sample_motion(track, &settings, sample_time(track, i) + settings.step_s, scratch);
        for (uint32_t k = 0; k < track->joint_count; k++) {
            size_t at = 3 * ((size_t)i * track->joint_count + k);
            limberi_store3(track->samples[0] + at, scratch->velocity[track->joints[k]]);
            limberi_store3(track->samples[2] + at, scratch->angular_velocity[track->joints[k]]);
            if (track->air)
                limberi_store3(track->samples[3] + at, track->air_only.angular_acceleration[track->joints[k]]);
        }
    }
}

// As if the wind had blown before the clip starts.
static void start_in_air(const limber_track* track, uint32_t place, double (*state)[3]) {
    const float* turn = &track->air_only.angular_velocity[track->joints[place]].x;
    const float* push = &track->air_only.angular_acceleration[track->joints[place]].x;
    limber_follower spring = set_at(track, 0).follower;
    for (int c = 0; c < 3; c++)
        limberi_follower_settle(&spring, (double)turn[c], (double)push[c], state[c]);
}

static uint32_t samples_ahead(const limber_track* track) {
    return (uint32_t)(track->follower.ahead_s / track->step_s + 0.5);
}

static void find_arrivals(limber_track* track) {
    limberi_arrival_grid grid = {track->clip,         track->loops,         track->step_s,
                                 track->sample_count, samples_ahead(track), track->parallel};
    const limberi_arrivals* found = limberi_arrivals_find(&track->arena, track->model, &grid);
    for (uint32_t j = 0; j < track->model->rig.joint_count && !track->arena.failed; j++)
        track->max_arrivals = found[j].count > track->max_arrivals ? found[j].count : track->max_arrivals;
    track->speeds = limberi_arena_allocate(
        &track->arena, (size_t)track->max_arrivals * limberi_worker_count(track->parallel), sizeof *track->speeds);
    track->arrivals = found;
}

// The steps of the springs, for travel and for turns: one for all samples, or one for each.
typedef struct follower_steps {
    limberi_follower_step* of[2];
    uint32_t stride; // 0: one for all
    double decay;    // how much the springs calm down in the course of the clip
} follower_steps;

static follower_steps find_follower_steps(limber_track* track) {
    follower_steps steps = {{NULL, NULL}, track->of_time.formula_count ? 1 : 0, 0};
    uint32_t count = steps.stride ? track->sample_count : 1;
    for (int turns = 0; turns < 2; turns++)
        steps.of[turns] = LIMBERI_ALLOCATE(&track->arena, limberi_follower_step, count);
    for (uint32_t i = 0; !track->arena.failed && i < count; i++) {
        limber_follower spring = steps.stride ? set_at(track, i + 0.5).follower : track->follower;
        for (int turns = 0; turns < 2; turns++)
            steps.of[turns][i] = limberi_follower_stepper(&spring, turns, track->step_s);
        steps.decay += 6.28 * fmax(spring.frequency_hz, 1e-3) * fmax(spring.damping, 0.02);
    }
    steps.decay *= track->step_s * track->sample_count / count;
    return steps;
}

// Before a blow lands the lag goes within this time; that of slow springs, which is large, more slowly: within this part
// of a period.
static const double arrive_s = 0.08;
static const double arrive_periods = 0.22;
static const double slowest_hz = 0.5;

static void follow_joint(const limber_track* track, uint32_t place, const follower_steps* steps, uint32_t worker) {
    const limber_follower* spring = &track->follower;
    uint32_t joint = track->joints[place];
    for (int turns = 0; turns < 2; turns++) {
        limberi_following f = {.step = steps->of[turns],
                               .step_stride = steps->stride,
                               .velocities = track->samples[2 * turns] + 3 * (size_t)place,
                               .lags = track->samples[2 * turns + 1] + 3 * (size_t)place,
                               .stride = 3 * (size_t)track->joint_count,
                               .steps = track->loops ? track->sample_count : track->sample_count - 1,
                               .count = track->sample_count,
                               .loops = track->loops,
                               .rounds = fmin(1 + 14 / steps->decay, 200),
                               .step_s = track->step_s};
        double state[3][3] = {{0}};
        if (track->loops && is_turning(track, joint))
            f.turn = track->clip->loop.root_turn;
        if (track->air && turns && !track->loops)
            start_in_air(track, place, state);
        if (track->arrivals) {
            f.arrivals = &track->arrivals[joint];
            f.arrive = spring->arrive;
            f.fade_s = fmax(arrive_s, arrive_periods / fmax(spring->frequency_hz, slowest_hz));
            f.speeds = track->speeds + (size_t)worker * track->max_arrivals;
            f.ahead = samples_ahead(track);
        }
        limberi_following_run(&f, state);
    }
}

typedef struct following_work {
    const limber_track* track;
    const follower_steps* steps;
} following_work;

// Any thread, for different joints.
static void follow_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const following_work* w = user;
    for (uint32_t k = first; k < end; k++)
        follow_joint(w->track, k, w->steps, worker);
}

static void follow_samples(limber_track* track, limber_kinematics* scratch) {
    follower_steps steps = find_follower_steps(track);
    if (track->arena.failed)
        return;
    sampling work = {track, scratch};
    uint32_t count = track->loops ? track->sample_count : track->sample_count - 1;
    limberi_parallel_for(track->parallel, count, SAMPLES_PER_TASK, sample_steps, &work);
    if (track->air)
        sample_motion(track, &track->settings, track->clip->start_s, scratch); // its air stays in air_only
    following_work following = {track, &steps};
    limberi_parallel_for(track->parallel, track->joint_count, 1, follow_some, &following);
}

// --- filters ---

// Any thread, for different samples.
static void sample_clip(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    limber_track* track = ((const sampling*)user)->track;
    limber_kinematics* scratch = ((const sampling*)user)->scratch + worker;
    for (uint32_t i = first; i < end; i++) {
        sample_motion(track, &track->settings, sample_time(track, i), scratch);
        if (track->of_time.formula_count)
            track->set = set_at(track, i);
        if (track->set.gate != LIMBER_GATE_NONE)
            gate_joints(track, scratch);
        for (int q = 0; q < QUANTITIES; q++)
            for (uint32_t k = 0; track->samples[q] && k < track->joint_count; k++)
                limberi_store3(track->samples[q] + 3 * ((size_t)i * track->joint_count + k),
                               quantity(scratch, q)[track->joints[k]]);
    }
}

// What leads from each sample to the next, where filters change with time: by their numbers half-way.
static void find_steps(limber_track* track) {
    if (!track->of_time.formula_count)
        return;
    for (int q = 0; q < QUANTITIES; q++)
        if (track->samples[q] && track->filters[q].type)
            track->steps[q] = LIMBERI_ALLOCATE(&track->arena, limberi_stepper, track->sample_count);
    for (uint32_t i = 0; !track->arena.failed && i < track->sample_count; i++) {
        limber_filter_set set = set_at(track, i + 0.5);
        const limber_filter* const filters[QUANTITIES] = {&set.velocity, &set.acceleration, &set.angular_velocity,
                                                          &set.angular_acceleration};
        for (int q = 0; q < QUANTITIES; q++)
            if (track->steps[q])
                track->steps[q][i] = limberi_filter_stepper(filters[q], track->step_s);
    }
}

// Jerk or jounce in place of the accelerations.
static void differentiate_joint(limber_track* track, uint32_t place, const uint8_t* restart) {
    for (int q = 1; q < QUANTITIES; q += 2) {
        limberi_vectors vectors = {track->samples[q] + 3 * (size_t)place,
                                   3 * (size_t)track->joint_count,
                                   track->sample_count,
                                   track->step_s,
                                   track->loops,
                                   restart,
                                   is_turning(track, track->joints[place]) ? track->clip->loop.root_turn : NULL};
        limberi_differentiate(&vectors, track->derivative - 2, limberi_motion_step(&track->settings), track->scratch);
    }
}

static void filter_joint(limber_track* track, uint32_t place, const uint8_t* restart) {
    if (track->derivative)
        differentiate_joint(track, place, restart);
    for (int q = 0; q < QUANTITIES; q++) {
        limberi_signal xyz[3];
        for (uint32_t k = 0; track->samples[q] && k < 3; k++) {
            limberi_signal signal = {track->samples[q] + 3 * place + k,
                                     3 * (size_t)track->joint_count,
                                     track->sample_count,
                                     track->step_s,
                                     track->loops,
                                     restart,
                                     track->steps[q]};
            xyz[k] = signal;
            if (!is_turning(track, track->joints[place]))
                limberi_filter_run(&track->filters[q], &signal);
        }
        if (track->samples[q] && is_turning(track, track->joints[place]))
            limberi_filter_run_turning(&track->filters[q], xyz, track->clip->loop.root_turn);
    }
}

// Joints with their own cuts restart there, too. `scratch` has a byte per sample.
static void filter_samples(limber_track* track, uint8_t* scratch) {
    const limber_clip* clip = track->clip;
    uint32_t first = 0;
    for (uint32_t k = 0; k < track->joint_count; k++) {
        bool own = first < clip->joint_cut_count && clip->joint_cuts[first].joint == track->joints[k];
        if (!own) {
            filter_joint(track, k, track->restart);
            continue;
        }
        memcpy(scratch, track->restart, track->sample_count);
        for (uint32_t end = limberi_joint_cuts_end(clip, first); first < end; first++)
            mark_cut(track, &clip->joint_cuts[first].cut, scratch);
        filter_joint(track, k, scratch);
    }
}

static limber_result fill_track(limber_track* track, limber_error* error) {
    choose_grid(track);
    if (!find_moving_joints(track))
        return limberi_fail_memory(error);
    bool any = false;
    if (!track->joint_count && track->sample_count == UINT32_MAX)
        track->sample_count = 0; // nothing to filter
    size_t numbers = 3 * (size_t)track->sample_count * track->joint_count;
    if ((double)numbers * 16 > largest_track_bytes)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "clip '%s' is too long to filter (%u samples of %u joints)",
                            track->clip->name, track->sample_count, track->joint_count);
    for (int q = 0; q < QUANTITIES && numbers; q++) {
        if (track->filters[q].type == LIMBER_FILTER_NONE && !follows(track) && !(track->derivative && q % 2))
            continue;
        track->samples[q] = LIMBERI_ALLOCATE(&track->arena, float, numbers);
        any = true;
    }
    track->restart = LIMBERI_ALLOCATE(&track->arena, uint8_t, track->sample_count);
    uint8_t* restart = LIMBERI_ALLOCATE(&track->arena, uint8_t, track->sample_count);
    if (track->derivative)
        track->scratch = LIMBERI_ALLOCATE(&track->arena, float, 3 * (size_t)track->sample_count);
    if (any && follows(track) && track->follower.arrive > 0 && track->step_s > 0)
        find_arrivals(track);
    uint32_t workers = limberi_worker_count(track->parallel);
    limber_kinematics* scratch = LIMBERI_ALLOCATE(&track->arena, limber_kinematics, workers);
    if (track->air &&
        (limber_pose_create(track->model, &track->pose) || limber_kinematics_create(track->model, &track->air_only)))
        track->arena.failed = true;
    for (uint32_t i = 0; !track->arena.failed && i < workers; i++)
        track->arena.failed = limber_kinematics_create(track->model, &scratch[i]) != LIMBER_OK;
    if (!track->arena.failed && any && follows(track)) {
        follow_samples(track, scratch);
    } else if (!track->arena.failed && any) {
        sampling work = {track, scratch};
        for (uint32_t c = 0; c < track->clip->cut_count; c++)
            mark_cut(track, &track->clip->cuts[c], track->restart);
        limberi_parallel_for(track->parallel, track->sample_count, SAMPLES_PER_TASK, sample_clip, &work);
        find_steps(track);
        if (!track->arena.failed)
            filter_samples(track, restart);
    }
    for (uint32_t i = 0; scratch && i < workers; i++)
        limber_kinematics_destroy(&scratch[i]);
    return track->arena.failed ? limberi_fail_memory(error) : LIMBER_OK;
}

limber_result limber_track_create(const limber_model* model, const limber_clip* clip,
                                  const limber_motion_settings* given, const limber_filter_set* filters,
                                  limber_track** track, limber_error* error) {
    limberi_filters constant = {*filters, 0, {{0, 0, NULL}}};
    return limberi_track_create(model, clip, given, &constant, NULL, NULL, track, error);
}

limber_result limberi_track_create(const limber_model* model, const limber_clip* clip,
                                   const limber_motion_settings* given, const limberi_filters* of_time,
                                   const limberi_air* air, const limber_parallel* parallel, limber_track** track,
                                   limber_error* error) {
    const limber_filter_set* filters = &of_time->set;
    *track = NULL;
    limber_motion_settings settings = limber_motion_settings_default();
    limber_result result = limberi_settings_read(&settings, sizeof settings, given, "limber_motion_settings", error);
    if (result)
        return result;
    limber_track* made = limberi_allocate_zeroed(1, sizeof *made);
    if (!made)
        return limberi_fail_memory(error);
    made->model = model;
    made->clip = clip;
    made->settings = settings;
    made->filters[0] = filters->velocity;
    made->filters[1] = filters->acceleration;
    made->filters[2] = filters->angular_velocity;
    made->filters[3] = filters->angular_acceleration;
    made->of_time = *of_time;
    made->set = *filters;
    made->derivative = filters->derivative;
    made->follower = filters->follower;
    made->air = filters->air && clip ? air : NULL;
    made->air_bits = filters->air;
    // Air and formulas keep what they have of a moment in the track.
    made->parallel = made->air || of_time->formula_count ? NULL : parallel;
    result = fill_track(made, error);
    made->parallel = NULL;
    if (result) {
        limber_track_destroy(made);
        return result;
    }
    *track = made;
    return LIMBER_OK;
}

void limber_track_destroy(limber_track* track) {
    if (!track)
        return;
    if (track->air) {
        limber_pose_destroy(&track->pose);
        limber_kinematics_destroy(&track->air_only);
    }
    limberi_arena_free(&track->arena);
    limberi_release(track);
}

// Two neighbouring samples and the part of the way between them; on one side of a cut both are the same.
typedef struct lookup {
    uint32_t a, b;
    float part;
    double at; // on the grid, between samples `a` and `a` + 1
} lookup;

static lookup find_samples(const limber_track* track, double time_s) {
    double at = (limber_clip_wrap(track->clip, track->loops, time_s) - track->clip->start_s) / track->step_s;
    double whole = fmin(fmax(floor(at), 0), (double)track->sample_count - 1);
    lookup l = {(uint32_t)whole, 0, (float)fmin(fmax(at - whole, 0), 1), at};
    l.b = track->loops ? 0 : l.a;
    if (l.a + 1 < track->sample_count)
        l.b = l.a + 1;
    if (!track->restart[l.b] || l.a == l.b)
        return l;
    bool any = false;
    bool after = false;
    for (uint32_t c = 0; c < track->clip->cut_count; c++) {
        double m = cut_at(track, &track->clip->cuts[c]);
        bool between = m > whole && m <= whole + 1;
        any = any || between;
        after = after || (between && at >= m);
    }
    if (any)
        l.a = l.b = after ? l.b : l.a;
    return l;
}

static void blend(const float* from, const float* to, float part, uint32_t count, float* restrict out) {
    for (uint32_t i = 0; i < count; i++)
        out[i] = from[i] + (to[i] - from[i]) * part;
}

// Joints that follow each other are blended in one go.
static void blend_joints(const limber_track* track, const float* from, const float* to, float part, limber_vec3* out) {
    for (uint32_t k = 0; k < track->joint_count;) {
        uint32_t first = track->joints[k];
        uint32_t run = 1;
        while (k + run < track->joint_count && track->joints[k + run] == first + run)
            run++;
        blend(from + 3 * (size_t)k, to + 3 * (size_t)k, part, 3 * run, &out[first].x);
        k += run;
    }
}

// A joint with a cut between the two samples takes the one on its side of the cut; it is not blended.
static void blend_cut_joints(const limber_track* track, const lookup* l, limber_kinematics* out) {
    const limber_clip* clip = track->clip;
    for (uint32_t first = 0, end; first < clip->joint_cut_count; first = end) {
        end = limberi_joint_cuts_end(clip, first);
        uint32_t next = limberi_joint_cut_after(clip, first, end, clip->start_s + l->at * track->step_s);
        bool after = next > first && cut_at(track, &clip->joint_cuts[next - 1].cut) > l->a;
        bool before = next < end && cut_at(track, &clip->joint_cuts[next].cut) <= l->a + 1.0;
        if (!after && !before)
            continue;
        uint32_t joint = clip->joint_cuts[first].joint;
        uint32_t side = after ? l->b : l->a;
        size_t at = 3 * ((size_t)side * track->joint_count + track->place_of_joint[joint]);
        for (int q = 0; q < QUANTITIES; q++)
            if (track->samples[q])
                quantity(out, q)[joint] = limberi_load3(track->samples[q] + at);
    }
}

// Between its last sample and the first one, and at its end, a root that turns is in the next turn.
static void blend_turning_root(const limber_track* track, double time_s, const lookup* l, limber_kinematics* out) {
    int32_t root = track->clip->loop.root;
    if (root < 0 || !is_turning(track, (uint32_t)root))
        return;
    size_t numbers = 3 * (size_t)track->joint_count;
    size_t place = 3 * (size_t)track->place_of_joint[root];
    bool at_end = limberi_turns_at_end(track->clip, time_s);
    for (int q = 0; q < QUANTITIES && (l->b < l->a || at_end); q++) {
        float next[3];
        float* now = &quantity(out, q)[root].x;
        if (!track->samples[q])
            continue;
        memcpy(next, track->samples[q] + l->b * numbers + place, sizeof next);
        if (l->b < l->a)
            limberi_turn_at_seam(track->clip, next);
        blend(track->samples[q] + l->a * numbers + place, next, l->part, 3, now);
        if (at_end)
            limberi_turn_at_seam(track->clip, now);
    }
}

double limberi_track_step(const limber_track* track, double* ahead_s) {
    *ahead_s = follows(track) ? track->follower.ahead_s : 0;
    return track->clip ? track->step_s : 0;
}

static bool is_filtered(const limber_track* track) {
    return track->clip && track->sample_count >= 2;
}

bool limberi_track_replaces(const limber_track* track) {
    bool all = is_filtered(track);
    for (int q = 0; q < QUANTITIES; q++)
        all = all && track->samples[q];
    return all;
}

void limberi_track_apply(const limber_track* track, double time_s, const limber_kinematics* plain,
                         limber_kinematics* out) {
    size_t bytes = track->model->rig.joint_count * sizeof(limber_vec3);
    bool filtered = is_filtered(track);
    lookup l = {0, 0, 0, 0};
    if (filtered && follows(track)) { // followers look ahead, in a clip that does not loop up to its end
        double ahead_s = time_s + track->follower.ahead_s;
        time_s = track->loops ? ahead_s : fmin(ahead_s, fmax(time_s, track->clip->end_s));
    }
    if (filtered)
        l = find_samples(track, time_s);
    for (int q = 0; q < QUANTITIES; q++) {
        const float* samples = track->samples[q];
        if (quantity(out, q) != quantity(plain, q))
            memcpy(quantity(out, q), quantity(plain, q), bytes);
        size_t numbers = 3 * (size_t)track->joint_count;
        if (filtered && samples)
            blend_joints(track, samples + l.a * numbers, samples + l.b * numbers, l.part, quantity(out, q));
    }
    if (filtered && l.a != l.b && track->clip->joint_cut_count)
        blend_cut_joints(track, &l, out);
    if (filtered && track->loops && track->clip->travels)
        blend_turning_root(track, time_s, &l, out);
}

void limber_track_evaluate(const limber_track* track, double time_s, limber_kinematics* out) {
    limberi_motion_at(track->model, track->clip, &track->settings, time_s, NULL, out);
    limberi_track_apply(track, time_s, out, out);
}
