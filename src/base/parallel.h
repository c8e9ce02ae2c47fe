// Loops over the threads that a program lends.
#ifndef LIMBERI_PARALLEL_H
#define LIMBERI_PARALLEL_H

#include "base/build.h"
#include <limber/base.h>

// Calls task over [0, count) in parts of `step`; the calling thread alone where `parallel` is NULL or has no `run`.
static inline void limberi_parallel_for(const limber_parallel* parallel, uint32_t count, uint32_t step,
                                        limber_task task, void* user) {
    if (LIMBERI_HAS_THREADS && parallel && parallel->run && count > step)
        parallel->run(parallel->pool, count, step, task, user);
    else if (count)
        task(user, 0, count, 0);
}

// How many workers there may be.
static inline uint32_t limberi_worker_count(const limber_parallel* parallel) {
    return LIMBERI_HAS_THREADS && parallel && parallel->run ? parallel->worker_count : 1;
}

#endif
