// Filtered kinematics of a clip: sampled once on a regular grid, filtered there, and looked up at any time.
#include "base/arena.h"
#include "base/error.h"
#include "base/math.h"
#include "motion/filter.h"

#include <stdlib.h>
#include <string.h>

enum { QUANTITIES = 4 };

static const double largest_track_bytes = 1e9;

struct limber_track {
    limberi_arena arena;
    const limber_model* model;
    const limber_clip* clip;
    limber_motion_settings settings;
    limber_filter filters[QUANTITIES];
    bool loops;
    double step_s;
    uint32_t sample_count;
    uint32_t joint_count;       // joints that move
    uint32_t* joints;           // [joint_count]
    float* samples[QUANTITIES]; // [sample][joint * 3], NULL for a quantity without a filter
    uint8_t* restart;           // [sample]
};

limber_filter_set limber_filter_set_none(void) {
    limber_filter_set set;
    memset(&set, 0, sizeof set);
    return set;
}

static bool filter_equal(const limber_filter* a, const limber_filter* b) {
    if (a->type != b->type)
        return false;
    if (a->type == LIMBER_FILTER_LOWPASS)
        return a->gamma == b->gamma;
    return a->type == LIMBER_FILTER_NONE || (a->frequency_hz == b->frequency_hz && a->damping == b->damping);
}

bool limber_filter_set_equal(const limber_filter_set* a, const limber_filter_set* b) {
    return filter_equal(&a->velocity, &b->velocity) && filter_equal(&a->acceleration, &b->acceleration) &&
           filter_equal(&a->angular_velocity, &b->angular_velocity) &&
           filter_equal(&a->angular_acceleration, &b->angular_acceleration);
}

static limber_vec3* quantity(const limber_kinematics* k, int q) {
    limber_vec3* const all[QUANTITIES] = {k->velocity, k->acceleration, k->angular_velocity, k->angular_acceleration};
    return all[q];
}

// Filters are defined at 60 Hz; a clip with finer keys is sampled finer. The steps divide the clip evenly, so that a
// loop's grid meets itself.
static void choose_grid(limber_track* track) {
    const limber_clip* clip = track->clip;
    double duration = clip ? clip->end_s - clip->start_s : 0;
    double step_s = clip ? fmin(1 / 60.0, limber_motion_step(clip, &track->settings)) : 1;
    double steps = duration > 0 ? fmax(1, round(duration / step_s)) : 0;
    track->loops = clip && limber_motion_loops(clip, &track->settings);
    track->step_s = steps > 0 ? duration / steps : 0;
    track->sample_count = steps < 4e8 ? (uint32_t)steps + (track->loops ? 0 : 1) : 0;
}

static bool find_moving_joints(limber_track* track) {
    const limber_model* model = track->model;
    track->joints = LIMBERI_TAKE(&track->arena, uint32_t, model->rig.joint_count);
    for (uint32_t j = 0; track->joints && track->clip && j < model->rig.joint_count; j++) {
        const int32_t* channels = track->clip->channel_of_joint + 3 * (size_t)j;
        if (channels[LIMBER_PATH_TRANSLATION] >= 0 || channels[LIMBER_PATH_ROTATION] >= 0)
            track->joints[track->joint_count++] = j;
    }
    return track->joints != NULL;
}

static double sample_time(const limber_track* track, uint32_t i) {
    return track->clip->start_s + i * track->step_s;
}

// Between which samples a cut lies: from this sample on, the signal is another one.
static void mark_cuts(limber_track* track) {
    for (uint32_t c = 0; c < track->clip->cut_count; c++) {
        double middle = 0.5 * (track->clip->cuts[c].before_s + track->clip->cuts[c].after_s);
        double at = ceil((middle - track->clip->start_s) / track->step_s);
        if (at >= 0 && at < track->sample_count)
            track->restart[(uint32_t)at] = 1;
    }
}

static void sample_clip(limber_track* track, limber_kinematics* scratch) {
    for (uint32_t i = 0; i < track->sample_count; i++) {
        limber_motion_from_clip(track->model, track->clip, &track->settings, sample_time(track, i), scratch);
        for (int q = 0; q < QUANTITIES; q++)
            for (uint32_t k = 0; track->samples[q] && k < track->joint_count; k++)
                limberi_store3(track->samples[q] + 3 * ((size_t)i * track->joint_count + k),
                               quantity(scratch, q)[track->joints[k]]);
    }
}

static void filter_samples(limber_track* track) {
    for (int q = 0; q < QUANTITIES; q++) {
        for (uint32_t k = 0; track->samples[q] && k < 3 * track->joint_count; k++) {
            limberi_signal signal = {track->samples[q] + k, 3 * (size_t)track->joint_count,
                                     track->sample_count,   track->step_s,
                                     track->loops,          track->restart};
            limberi_filter_run(&track->filters[q], &signal);
        }
    }
}

static limber_result fill(limber_track* track, limber_error* error) {
    choose_grid(track);
    if (!find_moving_joints(track))
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the motion");
    bool any = false;
    size_t numbers = 3 * (size_t)track->sample_count * track->joint_count;
    if ((double)numbers * 16 > largest_track_bytes)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "clip '%s' is too long to filter (%u samples of %u joints)",
                            track->clip->name, track->sample_count, track->joint_count);
    for (int q = 0; q < QUANTITIES && numbers; q++) {
        if (track->filters[q].type == LIMBER_FILTER_NONE)
            continue;
        track->samples[q] = LIMBERI_TAKE(&track->arena, float, numbers);
        any = true;
    }
    track->restart = LIMBERI_TAKE(&track->arena, uint8_t, track->sample_count);
    limber_kinematics scratch;
    if (track->arena.failed || limber_kinematics_create(track->model, &scratch))
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the motion");
    if (any) {
        mark_cuts(track);
        sample_clip(track, &scratch);
        filter_samples(track);
    }
    limber_kinematics_destroy(&scratch);
    return LIMBER_OK;
}

limber_result limber_track_create(const limber_model* model, const limber_clip* clip,
                                  const limber_motion_settings* settings, const limber_filter_set* filters,
                                  limber_track** track, limber_error* error) {
    *track = NULL;
    limber_track* made = calloc(1, sizeof *made);
    if (!made)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the motion");
    made->model = model;
    made->clip = clip;
    made->settings = *settings;
    made->filters[0] = filters->velocity;
    made->filters[1] = filters->acceleration;
    made->filters[2] = filters->angular_velocity;
    made->filters[3] = filters->angular_acceleration;
    limber_result result = fill(made, error);
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
    limberi_arena_free(&track->arena);
    free(track);
}

// Two neighbouring samples and the part of the way between them; on one side of a cut both are the same.
static void find_samples(const limber_track* track, double time_s, uint32_t* a, uint32_t* b, float* part) {
    double at = (limber_clip_wrap(track->clip, track->loops, time_s) - track->clip->start_s) / track->step_s;
    double whole = fmin(fmax(floor(at), 0), (double)track->sample_count - 1);
    *a = (uint32_t)whole;
    *b = *a + 1 < track->sample_count ? *a + 1 : track->loops ? 0 : *a;
    *part = (float)fmin(fmax(at - whole, 0), 1);
    if (!track->restart[*b] || *a == *b)
        return;
    bool after = false;
    for (uint32_t c = 0; c < track->clip->cut_count; c++) {
        double middle = 0.5 * (track->clip->cuts[c].before_s + track->clip->cuts[c].after_s);
        double m = (middle - track->clip->start_s) / track->step_s;
        after = after || (m > whole && m <= whole + 1 && at >= m);
    }
    *a = *b = after ? *b : *a;
}

static void blend(const float* from, const float* to, float part, uint32_t count, float* restrict out) {
    for (uint32_t i = 0; i < count; i++)
        out[i] = from[i] + (to[i] - from[i]) * part;
}

// Joints that follow each other are blended in one go.
static void blend_joints(const limber_track* track, const float* from, const float* to, float part, limber_vec3* out) {
    for (uint32_t k = 0; k < track->joint_count;) {
        uint32_t first = track->joints[k], run = 1;
        while (k + run < track->joint_count && track->joints[k + run] == first + run)
            run++;
        blend(from + 3 * (size_t)k, to + 3 * (size_t)k, part, 3 * run, &out[first].x);
        k += run;
    }
}

void limberi_track_apply(const limber_track* track, double time_s, const limber_kinematics* plain,
                         limber_kinematics* out) {
    size_t bytes = track->model->rig.joint_count * sizeof(limber_vec3);
    bool filtered = track->clip && track->sample_count >= 2;
    uint32_t a = 0, b = 0;
    float part = 0;
    if (filtered)
        find_samples(track, time_s, &a, &b, &part);
    for (int q = 0; q < QUANTITIES; q++) {
        const float* samples = track->samples[q];
        if (quantity(out, q) != quantity(plain, q))
            memcpy(quantity(out, q), quantity(plain, q), bytes);
        size_t numbers = 3 * (size_t)track->joint_count;
        if (filtered && samples)
            blend_joints(track, samples + a * numbers, samples + b * numbers, part, quantity(out, q));
    }
}

void limber_track_evaluate(const limber_track* track, double time_s, limber_kinematics* out) {
    limber_motion_from_clip(track->model, track->clip, &track->settings, time_s, out);
    limberi_track_apply(track, time_s, out, out);
}
