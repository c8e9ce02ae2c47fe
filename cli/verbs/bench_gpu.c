// `limber bench gpu`: velocity skinning, table 1, remade on this machine.
#include "bench/gpu.h"
#include "cli/verbs/bench.h"
#include "io/file_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct gpu_options {
    bool json, quick;
    const char *picture, *scene;
    double shrink, budget_s;
} gpu_options;

static const char* const path_names[BENCH_GPU_PATHS] = {"feedback", "compute", "draw", "compute+draw"};

static double ratio(double a, double b) {
    return b > 0 ? a / b : 0;
}

static void print_time(double ms, double plain_ms) {
    if (ms > 0)
        printf("  %9.3f %5.2f", ms, ratio(ms, plain_ms));
    else
        printf("  %9s %5s", "-", "-");
}

static void print_scene(const bench_scene* scene, const bench_gpu_result* r, double shrink) {
    printf("\n%s%s: %u vertices, %u triangles", scene->name, shrink > 1 ? " (reduced)" : "", r->vertices, r->triangles);
    if (scene->characters > 1)
        printf(" each, %u characters", (uint32_t)fmax(2, scene->characters / shrink));
    printf("; best of %u rounds\n  %-17s  %15s  %15s  %15s  %15s  %10s  %8s  %9s\n", r->rounds, "", "draw: ms     x",
           "both: ms     x", "compute: ms   x", "feedback: ms  x", "B/vertex x", "MB", "joints ms");
    for (int set = 0; set < BENCH_GPU_SET_COUNT; set++) {
        printf("  %-17s", bench_gpu_set_name((bench_gpu_set)set));
        print_time(r->best_ms[set][LIMBERI_GPU_DRAW], r->best_ms[0][LIMBERI_GPU_DRAW]);
        print_time(r->best_ms[set][LIMBERI_GPU_REDRAW], r->best_ms[0][LIMBERI_GPU_REDRAW]);
        print_time(r->best_ms[set][LIMBERI_GPU_COMPUTE], r->best_ms[0][LIMBERI_GPU_COMPUTE]);
        print_time(r->best_ms[set][LIMBERI_GPU_FEEDBACK], r->best_ms[0][LIMBERI_GPU_FEEDBACK]);
        printf("  %4.0f  %4.2f  %8.2f  %9.3f\n", r->vertex_bytes[set], ratio(r->vertex_bytes[set], r->vertex_bytes[0]),
               r->megabytes[set], r->joints_ms[set]);
    }
    if (scene->paper_time > 0)
        printf("  %-17s  %9s %5.2f  %50s  %10.2f\n", "paper (table 1)", "", scene->paper_time, "", scene->paper_memory);
}

static void print_json(const bench_scene* scene, const bench_gpu_result* r, double shrink, bool first) {
    for (int set = 0; set < BENCH_GPU_SET_COUNT; set++)
        for (int path = 0; path < BENCH_GPU_PATHS; path++) {
            if (r->best_ms[set][path] <= 0)
                continue;
            printf("%s\n  {\"scene\": \"%s\", \"characters\": %u, \"vertices\": %u, \"effects\": \"%s\", \"path\": "
                   "\"%s\", \"ms\": %.5f, \"ratio_to_skinning\": %.4f, \"spread_percent\": %.1f, "
                   "\"bytes_per_vertex\": %.0f, \"joints_ms\": %.4f}",
                   first && set == 0 && path == 0 ? "[" : ",", scene->name,
                   scene->characters > 1 ? (uint32_t)fmax(2, scene->characters / shrink) : 1, r->vertices,
                   bench_gpu_set_name((bench_gpu_set)set), path_names[path], r->best_ms[set][path],
                   ratio(r->best_ms[set][path], r->best_ms[0][path]), 100 * r->spread[set][path], r->vertex_bytes[set],
                   r->joints_ms[set]);
        }
}

static int measure_rows(limberi_gpu* gpu, const gpu_options* o) {
    limber_error error;
    bool any = false;
    for (uint32_t i = 0; i < bench_scene_count; i++) {
        bench_gpu_result result;
        if (o->scene && !strstr(bench_scenes[i].name, o->scene))
            continue;
        if (bench_gpu_measure(gpu, &bench_scenes[i], o->shrink, o->budget_s, &result, &error) != LIMBER_OK)
            return cli_fail_error(bench_scenes[i].name, &error);
        if (o->json)
            print_json(&bench_scenes[i], &result, o->shrink, !any);
        else
            print_scene(&bench_scenes[i], &result, o->shrink);
        fflush(stdout);
        any = true;
    }
    if (o->json)
        printf(any ? "\n]\n" : "[]\n");
    return any ? CLI_DONE : cli_usage("no scene of bench gpu has '%s' in its name", o->scene);
}

static int bench_all(limberi_gpu* gpu, gpu_options* o) {
    limber_error error;
    const char* device = limberi_gpu_device(gpu);
    bool software = limberi_context_is_software(limberi_gpu_context(gpu)); // gets a fraction of the work
    if (o->picture) {
        limberi_file file; // what would be wrong at the end had better be known before
        if (limberi_file_open(&file, o->picture, &error) != LIMBER_OK)
            return cli_fail_error(o->picture, &error);
        limberi_file_discard(&file);
        if (bench_meadow(gpu, 4000, 1920, 1080, o->picture, &error) != LIMBER_OK)
            return cli_fail_error(o->picture, &error);
        return CLI_DONE;
    }
    o->shrink = 1;
    if (software)
        o->shrink = o->quick ? 100 : 20;
    o->budget_s = o->quick ? 0.05 : 2;
    if (!o->json)
        printf(
            "limber %s on %s\nmilliseconds per frame on the graphics card and times plain skinning; draw: a picture of "
            "1280 x 720;\nMB: vertices and joints; joints: motion and texels, one core of the CPU%s\n",
            limber_version(), device,
            software ? "\nthis driver runs on the CPU, so scenes have a fraction of their size" : "");
    return measure_rows(gpu, o);
}

int limber_cli_bench_gpu(bool json, bool quick, const char* scene, const char* picture) {
    gpu_options o = {.json = json, .quick = quick, .scene = scene, .picture = picture};
    limberi_gpu* gpu;
    limber_error error;
    if (limberi_gpu_create(&gpu, &error) != LIMBER_OK)
        return cli_fail_error(NULL, &error);
    int status = bench_all(gpu, &o);
    limberi_gpu_destroy(gpu);
    return status;
}
