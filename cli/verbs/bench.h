// The parts of `limber bench`: the CPU's kernels, crowds, and the graphics card.
#ifndef LIMBER_CLI_BENCH_H
#define LIMBER_CLI_BENCH_H

#include "cli/cli.h"

int limber_cli_bench_crowd(bool quick, uint32_t max_threads);
// Whole frames, with the vertices on the graphics card. Only where the renderer is built in.
int limber_cli_bench_crowd_gpu(bool quick, uint32_t threads);

// `scene`: only those with this in their names; `picture`: the meadow goes there, nothing is measured; NULL: neither.
// Only where the renderer is built in.
int limber_cli_bench_gpu(bool json, bool quick, const char* scene, const char* picture);

#endif
