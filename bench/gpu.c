// What effects cost on the graphics card: large meshes and crowds, by each way to run the shader.
#include "bench/gpu.h"
#include "base/error.h"
#include "base/sort.h"
#include "characters/characters.h"
#include "render/gl/gl.h"
#include "render/gl/target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_ROUNDS = 200, COW_VERTICES = 3218, WIDTH = 1280, HEIGHT = 720 };

// The paper's ratios: 8.0 / 3.9 ms, 8.7 / 3.9, 13.9 / 6.6, ... and 21 / 13 MB, 35 / 22, 106 / 64, 2.4 / 1.7.
const bench_scene bench_scenes[] = {
    {"150k vertices, 1 joint moves", 150000, 1, 1, 2.05, 1.62},
    {"150k vertices, 12 joints move", 150000, 12, 1, 2.23, 1.62},
    {"250k vertices, 1 joint moves", 250000, 1, 1, 2.11, 1.59},
    {"250k vertices, 12 joints move", 250000, 12, 1, 2.18, 1.59},
    {"750k vertices, 1 joint moves", 750000, 1, 1, 1.86, 1.66},
    {"750k vertices, 12 joints move", 750000, 12, 1, 1.96, 1.66},
    {"4000 cows of 3.2k vertices", COW_VERTICES, 0, 4000, 2.27, 1.41},
};
const uint32_t bench_scene_count = sizeof bench_scenes / sizeof *bench_scenes;

const char* bench_gpu_set_name(bench_gpu_set set) {
    static const char* const names[BENCH_GPU_SET_COUNT] = {
        "skin",          "velocity",         "overlap",         "overlap+ground",
        "overlap+world", "velocity+normals", "overlap+normals", "everything"};
    return names[set];
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Characters that bring clips also bring layers.
static limber_stage_settings settings_of(bench_gpu_set set, bool own) {
    static const bench_set sets[BENCH_GPU_SET_COUNT] = {BENCH_SKIN,    BENCH_VELOCITY, BENCH_OVERLAP, BENCH_OVERLAP,
                                                        BENCH_OVERLAP, BENCH_VELOCITY, BENCH_OVERLAP, BENCH_ALL};
    limber_stage_settings settings = bench_settings(sets[set]);
    if (set == BENCH_GPU_GROUND || set == BENCH_GPU_WORLD) {
        settings.contacts.strength = 1;
        settings.impact.gain = 0.75;
        settings.rigid.mode = LIMBER_RIGID_AUTO;
    }
    settings.colliders.automatic = set == BENCH_GPU_WORLD;
    for (int e = 0; own && set == BENCH_GPU_ALL && e < LIMBER_EFFECT_COUNT; e++)
        settings.deform.effects[e].layer = e % 2 ? "squash" : "floppy";
    return settings;
}

// --- one set of one scene ---

typedef struct runner {
    bench_crowd crowd;
    double samples[BENCH_GPU_PATHS][MAX_ROUNDS]; // seconds
} runner;

static limber_result runner_open(runner* r, limberi_gpu* gpu, limber_asset* asset, uint32_t count, bench_gpu_set set,
                                 limber_error* error) {
    limber_stage_settings settings = settings_of(set, limber_asset_model(asset)->clip_count > 1);
    const limberi_gpu_settings wanted = {.instances = count, .skinned_normals = set < BENCH_GPU_NORMALS};
    r->crowd.asset = asset;
    r->crowd.count = count;
    limber_result result = limber_pipeline_create_from_settings(asset, &settings, &r->crowd.pipeline, error);
    if (result)
        return result;
    limber_pipeline_set_outputs(r->crowd.pipeline, set >= BENCH_GPU_NORMALS ? LIMBER_OUTPUT_NORMALS : 0);
    return limberi_gpu_character_create(gpu, r->crowd.pipeline, &wanted, &r->crowd.character, error);
}

// A lone character fills the picture, a crowd stands in its meadow.
static limberi_gpu_camera camera_of(const bench_crowd* crowd) {
    const limber_model* model = limber_asset_model(crowd->asset);
    float size = crowd->count > 1 ? 60 * model->size : model->size;
    limberi_gpu_camera camera = {.eye = {0, 0.5f * size, 2 * size}, .haze = {0.6f, 0.7f, 0.8f}};
    float scale = 2.2f;
    float near = 0.1f * size;
    float far = 5 * size; // cotangent of half the field of view
    float* m = camera.clip_from_world;
    m[0] = scale * HEIGHT / WIDTH;
    m[5] = scale;
    m[10] = -(far + near) / (far - near);
    m[11] = -1;
    m[13] = -scale * 0.3f * size;
    m[14] = -2 * far * near / (far - near) + 2 * size * (far + near) / (far - near);
    m[15] = 2 * size;
    return camera;
}

static limber_result run_once(const runner* r, limberi_gpu_path path, uint32_t repeats, limber_error* error) {
    for (uint32_t i = 0; i < repeats; i++) {
        limber_result result = LIMBER_OK;
        if (path == LIMBERI_GPU_REDRAW)
            result = limberi_gpu_character_run(r->crowd.character, LIMBERI_GPU_COMPUTE, error);
        if (!result)
            result = limberi_gpu_character_run(r->crowd.character, path, error);
        if (result)
            return result;
    }
    return LIMBER_OK;
}

static limber_result time_path(const runner* r, const limberi_target* target, limberi_timer* timer,
                               limberi_gpu_path path, uint32_t repeats, double* seconds, limber_error* error) {
    const limberi_gl* gl = target->gl;
    if (path == LIMBERI_GPU_DRAW || path == LIMBERI_GPU_REDRAW) {
        limberi_target_begin(target, 0);
        gl->Enable(GL_DEPTH_TEST);
        gl->DepthMask(GL_TRUE);
    }
    limberi_timer_start(timer);
    limber_result result = run_once(r, path, repeats, error);
    *seconds = limberi_timer_stop(timer) / repeats;
    return result;
}

// --- all sets of one scene, in turns ---

typedef struct stage {
    limberi_gpu* gpu;
    limberi_target target;
    limberi_timer timer;
    runner* runners;  // [set]
    uint32_t repeats; // draws per sample, so that the clock's grain does not show
} stage;

static limber_result pose_all(stage* s, bench_gpu_result* out, limber_error* error) {
    for (int set = 0; set < BENCH_GPU_SET_COUNT; set++) {
        const bench_crowd* crowd = &s->runners[set].crowd;
        limberi_gpu_camera camera = camera_of(crowd);
        limber_result result = bench_crowd_pose(crowd, 0.2, error); // layers, which stay, go along with the first
        double start_s = now_s();
        if (!result)
            result = bench_crowd_pose(crowd, 0.3, error);
        if (result)
            return result;
        out->joints_ms[set] = 1e3 * (now_s() - start_s);
        for (uint32_t i = 0; i < crowd->count; i++) {
            float place[4];
            bench_crowd_place(crowd, i, place);
            limberi_gpu_character_place(crowd->character, i, place);
        }
        limberi_gpu_character_camera(crowd->character, &camera);
        limberi_gpu_memory bytes = limberi_gpu_character_bytes(crowd->character);
        out->vertex_bytes[set] = (double)(set == BENCH_GPU_SKIN ? bytes.plain : bytes.all);
        out->megabytes[set] = 1e-6 * (out->vertex_bytes[set] * out->vertices +
                                      16.0 * crowd->count * (double)limberi_gpu_character_texels(crowd->character));
    }
    return LIMBER_OK;
}

static limber_result run_rounds(stage* s, double budget_s, bench_gpu_result* out, limber_error* error) {
    double end_s = 0;
    // The first round compiles, uploads and wakes the card up; it is thrown away.
    for (uint32_t round = 0; round <= MAX_ROUNDS; round++) {
        for (int set = 0; set < BENCH_GPU_SET_COUNT; set++)
            for (int path = 0; path < BENCH_GPU_PATHS; path++) {
                limber_result result = LIMBER_OK;
                double seconds = 0;
                if (limberi_gpu_can(s->gpu, (limberi_gpu_path)path))
                    result = time_path(&s->runners[set], &s->target, &s->timer, (limberi_gpu_path)path, s->repeats,
                                       &seconds, error);
                if (result)
                    return result;
                if (round)
                    s->runners[set].samples[path][round - 1] = seconds;
            }
        if (round == 0)
            end_s = now_s() + budget_s;
        out->rounds = round;
        if (round >= 3 && now_s() > end_s)
            break;
    }
    return LIMBER_OK;
}

static void summarise(stage* s, bench_gpu_result* out) {
    for (int set = 0; set < BENCH_GPU_SET_COUNT; set++)
        for (int path = 0; path < BENCH_GPU_PATHS; path++) {
            double* samples = s->runners[set].samples[path];
            qsort(samples, out->rounds, sizeof *samples, limberi_compare_doubles);
            double best = samples[0];
            double median = samples[out->rounds / 2];
            out->best_ms[set][path] = 1e3 * best;
            out->spread[set][path] = best > 0 ? median / best - 1 : 0;
        }
}

static limber_result make_asset(const bench_scene* scene, double vertices, limber_asset** asset, limber_error* error) {
    limber_asset* cow;
    limber_result result = limberi_character_create("cow", sqrt(vertices / COW_VERTICES), &cow, error);
    if (result)
        return result;
    if (!scene->moving) { // its own layers and clips
        *asset = cow;
        return LIMBER_OK;
    }
    result = bench_moving_joints(cow, 1, scene->moving, asset, error); // from the hips on: they move every vertex
    limber_asset_destroy(cow);
    return result;
}

static limber_result measure_crowd(stage* s, limber_asset* asset, uint32_t count, double budget_s,
                                   bench_gpu_result* out, limber_error* error) {
    limber_result result = LIMBER_OK;
    for (int set = 0; !result && set < BENCH_GPU_SET_COUNT; set++)
        result = runner_open(&s->runners[set], s->gpu, asset, count, (bench_gpu_set)set, error);
    if (!result)
        result = pose_all(s, out, error);
    if (!result)
        result = run_rounds(s, budget_s, out, error);
    if (!result)
        summarise(s, out);
    for (int set = 0; set < BENCH_GPU_SET_COUNT; set++) {
        limberi_gpu_character_destroy(s->runners[set].crowd.character);
        limber_pipeline_destroy(s->runners[set].crowd.pipeline);
    }
    return result;
}

limber_result bench_gpu_measure(limberi_gpu* gpu, const bench_scene* scene, double shrink, double budget_s,
                                bench_gpu_result* out, limber_error* error) {
    stage s = {.gpu = gpu, .repeats = shrink > 1 ? 1 : 8};
    limber_asset* asset = NULL;
    memset(out, 0, sizeof *out);
    bool crowd = scene->characters > 1;
    uint32_t count = crowd ? (uint32_t)fmax(2, scene->characters / shrink) : 1;
    limber_result result =
        make_asset(scene, crowd ? scene->vertices : fmax(500, scene->vertices / shrink), &asset, error);
    if (result)
        return result;
    const limberi_context* context = limberi_gpu_context(gpu);
    const limber_model* model = limber_asset_model(asset);
    out->vertices = model->vertex_count;
    out->triangles = model->triangle_count;
    s.runners = calloc(BENCH_GPU_SET_COUNT, sizeof *s.runners);
    if (!s.runners)
        result = limberi_fail_memory(error);
    if (!result)
        result = limberi_context_use(context, error);
    if (!result)
        result = limberi_target_create(&context->gl, WIDTH, HEIGHT, 1, &s.target, error);
    if (!result) {
        limberi_timer_create(context, &s.timer);
        result = measure_crowd(&s, asset, count, budget_s, out, error);
        limberi_timer_destroy(&s.timer);
        limberi_target_destroy(&s.target);
    }
    free(s.runners);
    limber_asset_destroy(asset);
    return result;
}
