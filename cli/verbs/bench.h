// The parts of `limber bench`: the CPU's kernels, crowds, and the graphics card.
#ifndef LIMBER_CLI_BENCH_H
#define LIMBER_CLI_BENCH_H

#include "cli/cli.h"
#include "cli/pool.h"

#include <limber/limber.h>

int limber_cli_bench_crowd(bool quick, uint32_t max_threads);
// Whole frames, with the vertices on the graphics card. Only where the renderer is built in.
int limber_cli_bench_crowd_gpu(bool quick, uint32_t threads);

// `scene`: only those with this in their names; `picture`: the meadow goes there, nothing is measured; NULL: neither.
// Only where the renderer is built in.
int limber_cli_bench_gpu(bool json, bool quick, const char* scene, const char* picture);

// --- bench crowd ---
// `limber bench crowd`: joints on the CPU, and the vertices behind them on the graphics card.

typedef struct crowd_case {
    const char* name;
    const char* preset; // NULL: `everything`
    double step_s;
} crowd_case;

typedef struct crowd_run {
    limber_style* style;
    limber_crowd* crowd;
    limber_crowd_member* members;
    limber_crowd_memory memory;
    uint32_t count, rounds;
} crowd_run;

limber_result limber_cli_crowd_open(crowd_run* run, const limber_asset* asset, const crowd_case* c, cli_pool* pool,
                                    limber_error* error);
void limber_cli_crowd_close(crowd_run* run);

#endif
