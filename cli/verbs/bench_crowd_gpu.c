// The whole frame of a crowd: joints by all threads, texels to the graphics card, vertices by its compute shader. Members
// in the same moment share texels and vertices, so only those that differ are uploaded and deformed. Where all of them
// differ they write into memory that the card reads itself.
#include "characters/characters.h"
#include "cli/cli.h"
#include "cli/verbs/bench.h"
#include "render/gl/deform_gpu.h"

#include <stdio.h>
#include <string.h>

static const crowd_case whole_frames[] = {{"cartoon, 1/60 s", "cartoon", 1.0 / 60}, {"cartoon", "cartoon", 0}};
enum { WHOLE_FRAMES = sizeof whole_frames / sizeof whole_frames[0] };

typedef struct whole {
    const crowd_case* shown;
    crowd_run run;
    limber_pipeline* pipeline;
    limberi_gpu* gpu;
    limberi_gpu_character* character;
    double joints_ms, card_ms; // of the best frame
    uint32_t different;
} whole;

// Those that differ, one after the other.
static uint32_t fill_card(whole* w) {
    const crowd_run* r = &w->run;
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->count; i++)
        if (r->memory.same_as[i] == i)
            memcpy(limberi_gpu_character_room(w->character, count++), r->memory.texels + i * r->memory.texel_stride,
                   16 * (size_t)r->memory.texel_counts[i]);
    limberi_gpu_character_use(w->character, count);
    return count;
}

static limber_result run_frame(whole* w, uint32_t frame, limber_error* error) {
    crowd_run* r = &w->run;
    limber_crowd_memory memory = r->memory;
    double begin = cli_now_s();
    float* lent = w->shown->step_s > 0 ? NULL : limberi_gpu_character_lend(w->character);
    memory.texels = lent ? lent : memory.texels;
    limber_result result = limber_crowd_evaluate(r->crowd, r->members, r->count, frame / 60.0, frame, &memory, error);
    double posed = cli_now_s();
    uint32_t different = lent ? r->count : 0;
    if (!result && !lent)
        different = fill_card(w);
    if (!result)
        result = limberi_gpu_character_run(w->character, LIMBERI_GPU_COMPUTE, error);
    limberi_gpu_context(w->gpu)->gl.Finish();
    double joints = 1000 * (posed - begin);
    double card = 1000 * (cli_now_s() - posed);
    if (frame == 0 || joints + card < w->joints_ms + w->card_ms) {
        w->joints_ms = joints;
        w->card_ms = card;
        w->different = different;
    }
    return result;
}

static limber_result run_all(whole* w, const limber_asset* asset, cli_pool* pool, limber_error* error) {
    const limberi_gpu_settings wanted = {.instances = w->run.count};
    limber_result result = limber_cli_crowd_open(&w->run, asset, w->shown, pool, error);
    if (!result)
        result = limber_pipeline_create(asset, w->run.style, &w->pipeline, error);
    if (!result)
        result = limberi_gpu_character_create(w->gpu, w->pipeline, &wanted, &w->character, error);
    if (!result)
        result = limber_pipeline_evaluate_joints(w->pipeline, -1, 0);
    if (!result)
        result = limberi_gpu_character_pose(w->character, 0, error);
    if (result)
        return result;
    for (uint32_t f = 0; f <= w->run.rounds; f++) {
        result = run_frame(w, f, error);
        if (result)
            return result;
    }
    return LIMBER_OK;
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
        printf("\nwhole frames of %u cows, %s, %u threads, %s:\n"
               "  joints %.2f ms + upload and vertices by compute %.2f ms = %.2f ms; %u of them differ\n",
               w.run.count, shown->name, cli_pool_threads(pool), limberi_gpu_device(w.gpu), w.joints_ms, w.card_ms,
               w.joints_ms + w.card_ms, w.different);
    limberi_gpu_character_destroy(w.character);
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
