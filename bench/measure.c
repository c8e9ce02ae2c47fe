// Times effects on one character: plain skinning and a set of effects in turn, in the same run.
#include "base/error.h"
#include "base/sort.h"
#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

enum { FRAMES = 4, MIN_ROUNDS = 3, MAX_ROUNDS = 1000, MOTION_FRAMES = 64 };

static double seconds_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now_s(void) {
    return seconds_of(CLOCK_MONOTONIC);
}

// A stretch of work of one thread. Asking for its own time costs some tenths of a microsecond, which the other clock
// does not see; that one sees it waiting for a core that somebody else has. The smaller one is nearer the truth.
typedef struct stopwatch {
    double thread_s, wall_s;
} stopwatch;

static stopwatch stopwatch_start(void) {
    double thread_s = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    stopwatch watch = {thread_s, now_s()};
    return watch;
}

static double stopwatch_stop(stopwatch watch, bool one_thread) {
    double wall_s = now_s() - watch.wall_s;
    double thread_s = seconds_of(CLOCK_THREAD_CPUTIME_ID) - watch.thread_s;
    return one_thread && thread_s < wall_s ? thread_s : wall_s;
}

double bench_memory(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
#else
    return 0;
#endif
}

// Adds the best and the median of `samples`, times `scale`.
static void summarise(double* samples, uint32_t count, double scale, double* best, double* median) {
    qsort(samples, count, sizeof *samples, limberi_compare_doubles);
    *best += scale * samples[0];
    *median += scale * samples[count / 2];
}

// --- one case of bench_measure ---

typedef struct smear_frames {
    limber_smearer* smearer;
    limber_smear_frame frames[2];
    limber_smear_bone* bones[2];
    float* positions[2];
    float* offsets;
} smear_frames;

typedef struct runner {
    bench_set set;
    bool one_thread;
    limber_pipeline* pipeline;
    smear_frames smear;
    double (*samples)[MAX_ROUNDS]; // [FRAMES] seconds; the best of a frame is more likely to be undisturbed than that
                                   // of all of them together
} runner;

static void runner_close(runner* r) {
    limber_pipeline_destroy(r->pipeline);
    limber_smearer_destroy(r->smear.smearer);
    for (int i = 0; i < 2; i++) {
        free(r->smear.bones[i]);
        free(r->smear.positions[i]);
    }
    free(r->smear.offsets);
    free(r->samples);
}

// Two frames that follow each other, as motion offsets want them.
static limber_result open_smear(runner* r, const limber_asset* moving, limber_error* error) {
    const limber_model* model = limber_asset_model(moving);
    smear_frames* s = &r->smear;
    limber_smear_settings settings = limber_smear_settings_default();
    limber_result result = limber_smearer_create(moving, &settings, &s->smearer, error);
    if (result)
        return result;
    s->offsets = calloc(model->vertex_count, sizeof *s->offsets);
    for (int i = 0; i < 2; i++) {
        limber_frame frame;
        size_t bytes = 3 * sizeof(float) * model->vertex_count;
        s->positions[i] = malloc(bytes);
        s->bones[i] = calloc(model->rig.joint_count, sizeof *s->bones[i]);
        result = limber_pipeline_evaluate(r->pipeline, 0, bench_frame_time(0) + i / 30.0, &frame);
        if (!s->offsets || !s->positions[i] || !s->bones[i] || result)
            return LIMBER_ERROR_MEMORY;
        memcpy(s->positions[i], frame.positions, bytes);
        limber_smearer_bones(s->smearer, frame.pose, NULL, s->bones[i]);
        s->frames[i].positions = s->positions[i];
        s->frames[i].bones = s->bones[i];
    }
    return LIMBER_OK;
}

static limber_result runner_open(runner* r, const limber_asset* moving, bench_case* from, limber_error* error) {
    limber_stage_settings settings = bench_settings(from->set);
    r->set = from->set;
    r->one_thread = !from->parallel;
    r->samples = calloc(FRAMES, sizeof *r->samples);
    double before = bench_memory();
    limber_result result = limber_pipeline_create_from_settings(moving, &settings, &r->pipeline, error);
    if (result)
        return result;
    from->bytes = bench_memory() - before;
    limber_pipeline_set_outputs(r->pipeline, bench_outputs(from->set));
    result = limber_pipeline_set_parallel(r->pipeline, from->parallel);
    if (result || !r->samples)
        return LIMBER_ERROR_MEMORY;
    return from->set == BENCH_SMEAR ? open_smear(r, moving, error) : LIMBER_OK;
}

static double run_frame(runner* r, uint32_t f) {
    limber_frame frame;
    int32_t clip = r->set == BENCH_STILL ? -1 : 0;
    if (!r->smear.smearer && limber_pipeline_evaluate_joints(r->pipeline, clip, bench_frame_time(f)) != LIMBER_OK)
        return 0;
    stopwatch watch = stopwatch_start();
    if (r->smear.smearer) {
        const limber_smear_frame* frames = r->smear.frames;
        limber_smearer_offsets(r->smear.smearer, &frames[0], &frames[0], &frames[1], r->smear.offsets);
    } else {
        limber_pipeline_evaluate_vertices(r->pipeline, &frame);
    }
    return stopwatch_stop(watch, r->one_thread);
}

static void run_round(runner* runners, uint32_t count, uint32_t round) {
    for (uint32_t c = 0; c < count; c++)
        for (uint32_t f = 0; f < FRAMES; f++)
            runners[c].samples[f][round] = run_frame(&runners[c], f);
}

static uint32_t run_rounds(runner* runners, uint32_t count, double budget_s) {
    double end_s = now_s() + budget_s;
    uint32_t round = 0;
    run_round(runners, count, 0); // memory is touched and clocks are up before anything counts
    while (round < MIN_ROUNDS || (round < MAX_ROUNDS && now_s() < end_s))
        run_round(runners, count, round++);
    return round;
}

limber_result bench_measure(const limber_asset* moving, bench_case* cases, uint32_t case_count, double budget_s,
                            uint32_t* rounds, limber_error* error) {
    double per_vertex = 1e9 / limber_asset_model(moving)->vertex_count;
    runner* runners = calloc(case_count, sizeof *runners);
    limber_result result = runners ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    uint32_t opened = 0;
    limberi_fail_memory(error);
    while (!result && opened < case_count) {
        result = runner_open(&runners[opened], moving, &cases[opened], error);
        opened++;
    }
    if (!result)
        *rounds = run_rounds(runners, case_count, budget_s);
    for (uint32_t c = 0; c < opened; c++) {
        cases[c].best_ns = cases[c].median_ns = 0;
        for (uint32_t f = 0; !result && f < FRAMES; f++)
            summarise(runners[c].samples[f], *rounds, per_vertex / FRAMES, &cases[c].best_ns, &cases[c].median_ns);
        runner_close(&runners[c]);
    }
    free(runners);
    return result;
}

// --- joints ---

static limber_result motion_open(const limber_asset* asset, limber_filter_type type, limber_pipeline** pipeline,
                                 limber_error* error) {
    limber_stage_settings settings = bench_settings(BENCH_VELOCITY);
    const limber_filter filter = {type, 0.2, 4, 0.3}; // a soft low-pass, a lively spring
    const limber_filter_set filters = {filter, filter,          filter, filter, LIMBER_GATE_NONE,
                                       0,      {0, 0, 0, 0, 0}, 0,      0,      {0, 0}};
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
        if (type != LIMBER_FILTER_NONE)
            settings.deform.effects[e].filters = filters;
    limber_result result = limber_pipeline_create_from_settings(asset, &settings, pipeline, error);
    // The first pose of a clip runs its filters, once.
    return result ? result : limber_pipeline_evaluate_joints(*pipeline, 0, 0);
}

static double motion_sample(limber_pipeline* pipeline, const limber_clip* clip) {
    stopwatch watch = stopwatch_start();
    for (uint32_t f = 0; f < MOTION_FRAMES; f++) {
        double time_s = clip->start_s + (clip->end_s - clip->start_s) * (f + 0.5) / MOTION_FRAMES;
        if (limber_pipeline_evaluate_joints(pipeline, 0, time_s) != LIMBER_OK)
            return 0;
    }
    return stopwatch_stop(watch, true) / MOTION_FRAMES;
}

enum { MAX_MOTIONS = 4 };

limber_result bench_measure_motion(const limber_asset* asset, bench_motion* cases, uint32_t case_count, double budget_s,
                                   limber_error* error) {
    static double samples[MAX_MOTIONS][MAX_ROUNDS];
    const limber_model* model = limber_asset_model(asset);
    limber_pipeline* pipelines[MAX_MOTIONS] = {NULL};
    if (case_count > MAX_MOTIONS || !model->clip_count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "there is no motion to measure");
    limber_result result = LIMBER_OK;
    for (uint32_t c = 0; !result && c < case_count; c++)
        result = motion_open(asset, cases[c].filter, &pipelines[c], error);
    double end_s = now_s() + budget_s;
    uint32_t round = 0;
    while (!result && (round < MIN_ROUNDS || (round < MAX_ROUNDS && now_s() < end_s))) {
        for (uint32_t c = 0; c < case_count; c++)
            samples[c][round] = motion_sample(pipelines[c], &model->clips[0]);
        round++;
    }
    for (uint32_t c = 0; c < case_count; c++) {
        cases[c].best_us = cases[c].median_us = 0;
        if (!result)
            summarise(samples[c], round, 1e6, &cases[c].best_us, &cases[c].median_us);
        limber_pipeline_destroy(pipelines[c]);
    }
    return result;
}
