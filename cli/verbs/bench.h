// The two halves of `limber bench`: the CPU's kernels, and the graphics card.
#ifndef LIMBER_CLI_BENCH_H
#define LIMBER_CLI_BENCH_H

#include "cli/cli.h"

// `scene`: only those with this in their names; `picture`: the meadow goes there, nothing is measured; NULL: neither.
// Only where the renderer is built in.
int limber_cli_bench_gpu(bool json, bool quick, const char* scene, const char* picture);

#endif
