// limber bench crowd: how long the joints of a crowd take: texels for the shader, by 1, 2, 4 ... threads.
#include "characters/characters.h"
#include "cli/cli.h"
#include "cli/verbs/bench.h"
#include <limber/limber.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 12, COWS = 4000, MAX_LOOPS = 8 };

// All six effects, as `limber bench gpu` has them; and a preset with contacts, impacts and rigid parts.
static const char everything[] =
    "{\"effects\": {\"floppy\": {\"linear\": 0.02, \"angular\": 0.2, \"max_bend\": 60}, \"squash\": {\"linear\": 0.2, "
    "\"angular\": 0.1}, \"drag\": {\"linear\": 0.002, \"angular\": 0.02, \"max_bend\": 60}, \"followthrough\": "
    "{\"linear\": 0.002, \"angular\": 0.02, \"max_bend\": 60}, \"stretch\": {\"angular\": 0.01}, \"lift\": "
    "{\"angular\": 0.01, \"normals\": \"mesh\"}}}";

static const crowd_case cases[] = {{"all six effects", NULL, 0},
                                   {"cartoon", "cartoon", 0},
                                   {"mocap-toon", "mocap-toon", 0},
                                   {"cartoon, 1/60 s", "cartoon", 1.0 / 60}};
enum { CASES = sizeof cases / sizeof cases[0] };

// Clips that loop, each member from another moment on.
static limber_crowd_member* make_members(const limber_model* model, uint32_t count) {
    limber_crowd_member* members = calloc(count, sizeof *members);
    int32_t loops[MAX_LOOPS];
    uint32_t loop_count = 0;
    for (uint32_t c = 0; c < model->clip_count && loop_count < MAX_LOOPS; c++)
        if (model->clips[c].loops)
            loops[loop_count++] = (int32_t)c;
    for (uint32_t i = 0; members && loop_count && i < count; i++) {
        members[i].clip = loops[i % loop_count];
        members[i].start_s = 0.6180339887 * i;
        members[i].speed = 1;
    }
    return members;
}

limber_result limber_cli_crowd_open(crowd_run* r, const limber_asset* asset, const crowd_case* c, cli_pool* pool,
                                    limber_error* error) {
    limber_parallel parallel = cli_pool_parallel(pool);
    limber_crowd_settings settings = limber_crowd_settings_default();
    limber_result result = limber_style_create(&r->style, error);
    if (!result)
        result = c->preset ? limber_style_read_preset(r->style, c->preset, error)
                           : limber_style_read(r->style, everything, strlen(everything), error);
    limber_crowd_kind kind = {asset, r->style};
    settings.kind_count = 1;
    settings.kinds = &kind;
    settings.member_limit = r->count;
    settings.outputs = LIMBER_CROWD_TEXELS | LIMBER_CROWD_NORMALS;
    settings.step_s = c->step_s;
    settings.parallel = &parallel;
    if (!result)
        result = limber_crowd_create(&settings, &r->crowd, error);
    for (uint32_t clip = 0; !result && clip < limber_asset_model(asset)->clip_count; clip++)
        result = limber_crowd_prepare(r->crowd, 0, clip, error);
    if (result)
        return result;
    r->members = make_members(limber_asset_model(asset), r->count);
    r->memory.texel_stride = 4 * (size_t)limber_crowd_layout(r->crowd, 0).max_texels;
    r->memory.texels = calloc(r->count * r->memory.texel_stride, sizeof(float));
    r->memory.same_as = calloc(r->count, sizeof *r->memory.same_as);
    r->memory.texel_counts = calloc(r->count, sizeof *r->memory.texel_counts);
    if (r->members && r->memory.texels && r->memory.same_as && r->memory.texel_counts)
        return LIMBER_OK;
    return limberi_fail_memory(error);
}

void limber_cli_crowd_close(crowd_run* r) {
    free(r->memory.texels);
    free(r->memory.same_as);
    free(r->memory.texel_counts);
    free(r->members);
    limber_crowd_destroy(r->crowd);
    limber_style_destroy(r->style);
}

// Milliseconds of the best round, and how many members were computed in it.
static int measure_case(const limber_asset* asset, const crowd_case* c, cli_pool* pool, bool quick, double* best_ms,
                        uint32_t* computed) {
    crowd_run r = {.count = quick ? COWS / 20 : COWS, .rounds = quick ? 2 : ROUNDS};
    limber_error error;
    limber_result result = limber_cli_crowd_open(&r, asset, c, pool, &error);
    *best_ms = 1e12;
    for (uint32_t i = 0; !result && i < r.rounds; i++) {
        double begin = cli_now_s();
        result = limber_crowd_evaluate(r.crowd, r.members, r.count, i / 60.0, i, &r.memory, &error);
        double took = 1000 * (cli_now_s() - begin);
        *best_ms = took < *best_ms ? took : *best_ms;
        *computed = limber_crowd_computed(r.crowd);
    }
    limber_cli_crowd_close(&r);
    return result ? cli_fail(NULL, "%s", error.message) : CLI_DONE;
}

static int print_case(const limber_asset* asset, const crowd_case* c, bool quick, uint32_t max_threads) {
    double one = 0;
    double ms = 0;
    uint32_t computed = 0;
    for (uint32_t threads = 1; threads <= max_threads; threads *= 2) {
        cli_pool* pool = cli_pool_create(threads);
        if (!pool)
            return cli_fail_memory(NULL);
        int status = measure_case(asset, c, pool, quick, &ms, &computed);
        cli_pool_destroy(pool);
        if (status)
            return status;
        if (threads == 1)
            printf("  %-18s %8u", c->name, computed);
        one = threads == 1 ? ms : one;
        printf("  %10.2f", ms);
    }
    printf("  %8.2f us\n", 1000 * one / computed);
    return CLI_DONE;
}

int limber_cli_bench_crowd(bool quick, uint32_t max_threads) {
    limber_asset* cow;
    limber_error error;
    if (limberi_character_create("cow", 1, &cow, &error) != LIMBER_OK)
        return cli_fail(NULL, "%s", error.message);
    printf("limber %s: a crowd of %d cows, each with its own time: motion and texels of a frame, ms\n"
           "1/60 s: times are rounded to that, so that members share moments\n\n  %-18s %8s",
           limber_version(), quick ? COWS / 20 : COWS, "", "computed");
    for (uint32_t threads = 1; threads <= max_threads; threads *= 2)
        printf("  %2u thread%s", threads, threads > 1 ? "s" : " ");
    printf("  each, one thread\n");
    int status = CLI_DONE;
    for (int c = 0; !status && c < CASES; c++)
        status = print_case(cow, &cases[c], quick, max_threads);
    limber_asset_destroy(cow);
    return status;
}
