// `limber bench crowd`: joints on the CPU, and the vertices behind them on the graphics card.
#ifndef LIMBER_CLI_BENCH_CROWD_H
#define LIMBER_CLI_BENCH_CROWD_H

#include "cli/pool.h"
#include "cli/verbs/bench.h"
#include <limber/limber.h>

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
double limber_cli_now_s(void);

#endif
