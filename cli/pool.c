// Threads of the command line, made once and lent to pipelines (limber_parallel in limber/pipeline.h).
#include "cli/pool.h"
#include "io/system.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

// Looks at a number that another thread changes before going to sleep: about 50 microseconds, which is what waking up
// costs. Frames of a clip follow each other faster than that.
enum { LOOKS = 4000 };

typedef struct worker {
    cli_pool* pool;
    pthread_t thread;
    uint32_t index;
} worker;

struct cli_pool {
    pthread_mutex_t mutex;
    pthread_cond_t begun, ended;
    uint32_t thread_count; // with the caller, who is worker 0
    uint32_t looks;
    bool open, stop;           // by mutex: a job may be joined; everybody goes home
    atomic_uint round, inside; // written by mutex: number of the job; workers in it
    // the current job, constant while it is open or a worker is inside
    limber_task task;
    void* user;
    uint32_t count, step;
    atomic_ullong next; // first item nobody has taken yet
    worker workers[CLI_POOL_MAX];
};

static void rest_a_moment(void) {
#if defined(__aarch64__)
    __asm__ volatile("isb"); // a few dozen cycles, unlike yield
#elif defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void run_pieces(cli_pool* pool, uint32_t index) {
    for (;;) {
        unsigned long long first = atomic_fetch_add_explicit(&pool->next, pool->step, memory_order_relaxed);
        if (first >= pool->count)
            return;
        unsigned long long end = first + pool->step < pool->count ? first + pool->step : pool->count;
        pool->task(pool->user, (uint32_t)first, (uint32_t)end, index);
    }
}

static void* worker_main(void* user) {
    worker* self = user;
    cli_pool* pool = self->pool;
    uint32_t seen = 0;
    pthread_mutex_lock(&pool->mutex);
    while (!pool->stop) {
        if (!pool->open || atomic_load(&pool->round) == seen) {
            pthread_mutex_unlock(&pool->mutex);
            for (uint32_t i = 0; i < pool->looks && atomic_load(&pool->round) == seen; i++)
                rest_a_moment();
            pthread_mutex_lock(&pool->mutex);
            while (!pool->stop && (!pool->open || atomic_load(&pool->round) == seen))
                pthread_cond_wait(&pool->begun, &pool->mutex);
            continue;
        }
        seen = atomic_load(&pool->round);
        atomic_fetch_add(&pool->inside, 1);
        pthread_mutex_unlock(&pool->mutex);
        run_pieces(pool, self->index);
        pthread_mutex_lock(&pool->mutex);
        if (atomic_fetch_sub(&pool->inside, 1) == 1)
            pthread_cond_signal(&pool->ended);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

// A worker that wakes up after everything is done finds the job closed: nobody waits for it.
static void run_tasks(void* user, uint32_t count, uint32_t step, limber_task task, void* task_user) {
    cli_pool* pool = user;
    if (!count)
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->task = task;
    pool->user = task_user;
    pool->count = count;
    pool->step = step ? step : 1;
    atomic_store(&pool->next, 0);
    pool->open = true;
    atomic_fetch_add(&pool->round, 1);
    if (count > pool->step)
        pthread_cond_broadcast(&pool->begun);
    pthread_mutex_unlock(&pool->mutex);
    run_pieces(pool, 0);
    pthread_mutex_lock(&pool->mutex);
    pool->open = false;
    pthread_mutex_unlock(&pool->mutex);
    for (uint32_t i = 0; i < pool->looks && atomic_load(&pool->inside); i++)
        rest_a_moment();
    pthread_mutex_lock(&pool->mutex);
    while (atomic_load(&pool->inside))
        pthread_cond_wait(&pool->ended, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}

cli_pool* cli_pool_create(uint32_t threads) {
    cli_pool* pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    uint32_t cores = limberi_system_core_count();
    uint32_t wanted = threads ? threads : cores;
    wanted = wanted < CLI_POOL_MAX ? wanted : CLI_POOL_MAX;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->begun, NULL);
    pthread_cond_init(&pool->ended, NULL);
    pool->looks = wanted <= cores ? LOOKS : 0; // a thread without a core would only be in the way
    pool->thread_count = 1;
    while (pool->thread_count < wanted) {
        worker* w = &pool->workers[pool->thread_count];
        w->pool = pool;
        w->index = pool->thread_count;
        if (pthread_create(&w->thread, NULL, worker_main, w) != 0)
            break;
        pool->thread_count++;
    }
    return pool;
}

void cli_pool_destroy(cli_pool* pool) {
    if (!pool)
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->stop = true;
    pthread_cond_broadcast(&pool->begun);
    pthread_mutex_unlock(&pool->mutex);
    for (uint32_t i = 1; i < pool->thread_count; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->begun);
    pthread_cond_destroy(&pool->ended);
    pthread_mutex_destroy(&pool->mutex);
    free(pool);
}

uint32_t cli_pool_threads(const cli_pool* pool) {
    return pool->thread_count;
}

limber_parallel cli_pool_parallel(cli_pool* pool) {
    return (limber_parallel){pool->thread_count, run_tasks, pool};
}

limber_result cli_pool_lend(cli_pool** pool, uint32_t threads, limber_pipeline* pipeline) {
    if (!*pool)
        *pool = cli_pool_create(threads);
    if (!*pool)
        return LIMBER_ERROR_MEMORY;
    limber_parallel parallel = cli_pool_parallel(*pool);
    return limber_pipeline_set_parallel(pipeline, &parallel);
}
