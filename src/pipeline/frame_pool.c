// Opens, prepares and closes the pipelines that evaluate frames of a bake at the same time.
#include "pipeline/frame_pool.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "pipeline/clone.h"

#include <string.h>

// Where a few threads wait for the slowest frame, twice as many frames leave less to wait for. Memory grows with them.
enum { FEW_THREADS = 16 };

typedef struct clone_work {
    limberi_frame_pool* pool;
    limber_result* results; // [member]
} clone_work;

// The memory of a frame is slow when it is first touched.
static void add_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const clone_work* work = user;
    (void)worker;
    for (uint32_t i = first; i < end; i++)
        work->results[i] = limberi_pipeline_clone(work->pool->pipeline, &work->pool->members[i], NULL);
}

static limber_result add_clones(limberi_frame_pool* pool, uint32_t count, limber_error* error) {
    limber_result result = LIMBER_OK;
    clone_work work = {pool, limberi_allocate_zeroed(count, sizeof *work.results)};
    pool->members = limberi_allocate_zeroed(count, sizeof(limber_pipeline*));
    if (!pool->members || !work.results) {
        limberi_release(work.results);
        return LIMBER_ERROR_MEMORY;
    }
    pool->count = count;
    limberi_pipeline_for(pool->pipeline, count, 1, add_some, &work);
    for (uint32_t i = 0; !result && i < count; i++)
        result = work.results[i];
    limberi_release(work.results);
    return limberi_error_fill(error, result);
}

limber_result limberi_frame_pool_open(limberi_frame_pool* pool, limber_pipeline* pipeline, uint32_t max,
                                      limber_error* error) {
    uint32_t threads = limberi_worker_count(&pipeline->parallel);
    uint32_t count = threads <= FEW_THREADS ? 2 * threads : threads;
    memset(pool, 0, sizeof *pool);
    pool->pipeline = pipeline;
    count = count < max ? count : max;
    if (threads > 1 && count > 1)
        return add_clones(pool, count, error);
    pool->alone[0] = pipeline;
    pool->members = pool->alone;
    pool->count = 1;
    return LIMBER_OK;
}

void limberi_frame_pool_close(limberi_frame_pool* pool) {
    if (!pool->members || pool->members == pool->alone)
        return;
    for (uint32_t i = 0; i < pool->count; i++)
        limber_pipeline_destroy(pool->members[i]);
    limberi_release(pool->members);
    memset(pool, 0, sizeof *pool);
}

limber_result limberi_frame_pool_prepare(const limberi_frame_pool* pool, uint32_t clip) {
    return pool->members == pool->alone ? LIMBER_OK : limberi_pipeline_prepare_clip(pool->pipeline, clip);
}

limber_result limberi_frame_pool_prepare_all(const limberi_frame_pool* pool) {
    return pool->members == pool->alone ? LIMBER_OK : limberi_pipeline_prepare_clips(pool->pipeline);
}
