// Threads of the command line, made once and lent to pipelines (limber_parallel in limber/pipeline.h).
#ifndef LIMBER_CLI_POOL_H
#define LIMBER_CLI_POOL_H

#include <limber/pipeline.h>

#define CLI_POOL_MAX 64u

typedef struct cli_pool cli_pool;

// `threads` counts the calling one; 0: as many as there are processor cores, and never more than CLI_POOL_MAX. Where
// the system gives fewer threads the pool has fewer. NULL when memory is short.
cli_pool* cli_pool_create(uint32_t threads);
void cli_pool_destroy(cli_pool* pool);

uint32_t cli_pool_threads(const cli_pool* pool);

// What pipelines take; lives as long as the pool. One thread at a time may hand out work, and tasks hand out none.
limber_parallel cli_pool_parallel(cli_pool* pool);

// Makes the pool when there is none yet, and lends it to the pipeline, which must be destroyed first.
LIMBER_MUST_USE limber_result cli_pool_lend(cli_pool** pool, uint32_t threads, limber_pipeline* pipeline);

#endif
