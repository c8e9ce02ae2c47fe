// The whole frame of a crowd: joints by all threads, texels to the graphics card, vertices by its compute shader. Members
// in the same moment share texels and vertices, so only those that differ are uploaded and deformed. Where all of them
// differ they write into memory that the card reads itself, slice by slice: the card is at the vertices of one while the
// processor is at the joints of the next.
#include "characters/characters.h"
#include "cli/cli.h"
#include "cli/verbs/bench.h"
#include "render/gl/deform_gpu.h"

#include <stdio.h>
#include <string.h>

static const crowd_case whole_frames[] = {{"cartoon, 1/60 s", "cartoon", 1.0 / 60}, {"cartoon", "cartoon", 0}};
enum { WHOLE_FRAMES = sizeof whole_frames / sizeof whole_frames[0], SLICES = 5 };

typedef struct whole {
    const crowd_case* shown;
    crowd_run run;
    limber_pipeline* pipeline;
    limberi_gpu* gpu;
    uint32_t slice_count;
    limberi_gpu_character* slices[SLICES];
    double joints_ms, card_ms; // of the best frame: until the last joints are there, and what the card needs after that
    uint32_t different;
} whole;

// Those that differ, one after the other.
static uint32_t fill_card(const whole* w, uint32_t slice, uint32_t members) {
    const crowd_run* r = &w->run;
    uint32_t count = 0;
    for (uint32_t i = 0; i < members; i++)
        if (r->memory.same_as[i] == i)
            memcpy(limberi_gpu_character_room(w->slices[slice], count++), r->memory.texels + i * r->memory.texel_stride,
                   16 * (size_t)r->memory.texel_counts[i]);
    limberi_gpu_character_use(w->slices[slice], count);
    return count;
}

static limber_result run_slice(whole* w, uint32_t slice, uint32_t frame, double* posed_s, limber_error* error) {
    crowd_run* r = &w->run;
    uint32_t count = r->count / w->slice_count;
    limber_crowd_memory memory = r->memory;
    float* lent = w->shown->step_s > 0 ? NULL : limberi_gpu_character_lend(w->slices[slice]);
    memory.texels = lent ? lent : memory.texels;
    limber_result result =
        limber_crowd_evaluate(r->crowd, r->members + slice * count, count, frame / 60.0, frame, &memory, error);
    if (!result)
        w->different += lent ? count : fill_card(w, slice, count);
    *posed_s = cli_now_s();
    return result ? result : limberi_gpu_character_run(w->slices[slice], LIMBERI_GPU_COMPUTE, error);
}

static limber_result run_frame(whole* w, uint32_t frame, limber_error* error) {
    limber_result result = LIMBER_OK;
    double begin = cli_now_s();
    double posed = begin;
    w->different = 0;
    for (uint32_t i = 0; !result && i < w->slice_count; i++)
        result = run_slice(w, i, frame, &posed, error);
    limberi_gpu_context(w->gpu)->gl.Finish();
    double joints = 1000 * (posed - begin);
    double card = 1000 * (cli_now_s() - posed);
    if (frame == 0 || joints + card < w->joints_ms + w->card_ms) {
        w->joints_ms = joints;
        w->card_ms = card;
    }
    return result;
}

static limber_result open_slices(whole* w, limber_error* error) {
    limber_result result = limber_pipeline_evaluate_joints(w->pipeline, -1, 0);
    w->slice_count = w->shown->step_s > 0 ? 1 : SLICES;
    const limberi_gpu_settings wanted = {.instances = w->run.count / w->slice_count};
    for (uint32_t i = 0; !result && i < w->slice_count; i++) {
        result = limberi_gpu_character_create(w->gpu, w->pipeline, &wanted, &w->slices[i], error);
        if (!result)
            result = limberi_gpu_character_pose(w->slices[i], 0, error);
    }
    return result;
}

static limber_result run_all(whole* w, const limber_asset* asset, cli_pool* pool, limber_error* error) {
    limber_result result = limber_cli_crowd_open(&w->run, asset, w->shown, pool, error);
    if (!result)
        result = limber_pipeline_create(asset, w->run.style, &w->pipeline, error);
    if (!result)
        result = open_slices(w, error);
    for (uint32_t f = 0; !result && f <= w->run.rounds; f++)
        result = run_frame(w, f, error);
    return result;
}

static int bench_cow(const limber_asset* cow, const crowd_case* shown, bool quick, uint32_t threads) {
    whole w = {.shown = shown, .run = {.count = quick ? 500 : 10000, .rounds = quick ? 2 : 30}};
    limber_error error;
    if (limberi_gpu_create(&w.gpu, &error) != LIMBER_OK || !limberi_gpu_can(w.gpu, LIMBERI_GPU_COMPUTE)) {
        printf("\nnot measured: whole frames, which need a driver with compute shaders\n");
        limberi_gpu_destroy(w.gpu);
        return CLI_DONE;
    }
    cli_pool* pool = cli_pool_create(threads);
    limber_result result = pool ? run_all(&w, cow, pool, &error) : LIMBER_ERROR_MEMORY;
    if (!result)
        printf(
            "\nwhole frames of %u cows, %s, %u threads, %s:\n"
            "  joints %.2f ms + what is left of upload and vertices by compute %.2f ms = %.2f ms; %u of them differ\n",
            w.run.count, shown->name, cli_pool_threads(pool), limberi_gpu_device(w.gpu), w.joints_ms, w.card_ms,
            w.joints_ms + w.card_ms, w.different);
    for (uint32_t i = 0; i < w.slice_count; i++)
        limberi_gpu_character_destroy(w.slices[i]);
    limber_pipeline_destroy(w.pipeline);
    limberi_gpu_destroy(w.gpu);
    limber_cli_crowd_close(&w.run);
    if (pool)
        cli_pool_destroy(pool);
    return result ? cli_fail(NULL, "%s", pool ? error.message : "not enough memory") : CLI_DONE;
}

int limber_cli_bench_crowd_gpu(bool quick, uint32_t threads) {
    limber_asset* cow;
    limber_error error;
    if (limberi_character_create("cow", 1, &cow, &error) != LIMBER_OK)
        return cli_fail(NULL, "%s", error.message);
    int status = CLI_DONE;
    for (int i = 0; !status && i < WHOLE_FRAMES; i++)
        status = bench_cow(cow, &whole_frames[i], quick, threads);
    limber_asset_destroy(cow);
    return status;
}
