// Opens, prepares and closes the pipelines that evaluate frames of a bake at the same time.
#include "pipeline/team.h"
#include "base/error.h"
#include "base/memory.h"
#include "pipeline/twin.h"

#include <string.h>

// Where a few threads wait for the slowest frame, twice as many frames leave less to wait for. Memory grows with them.
enum { FEW_THREADS = 16 };

typedef struct twin_work {
    limberi_team* team;
    limber_result* results; // [member]
} twin_work;

// The memory of a frame is slow when it is first touched.
static void add_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const twin_work* work = user;
    (void)worker;
    for (uint32_t i = first; i < end; i++)
        work->results[i] = limberi_pipeline_create_twin(work->team->pipeline, &work->team->members[i], NULL);
}

static limber_result add_twins(limberi_team* team, uint32_t count, limber_error* error) {
    limber_result result = LIMBER_OK;
    twin_work work = {team, limberi_allocate_zeroed(count, sizeof *work.results)};
    team->members = limberi_allocate_zeroed(count, sizeof(limber_pipeline*));
    if (!team->members || !work.results) {
        limberi_release(work.results);
        return LIMBER_ERROR_MEMORY;
    }
    team->count = count;
    limberi_pipeline_for(team->pipeline, count, 1, add_some, &work);
    for (uint32_t i = 0; !result && i < count; i++)
        result = work.results[i];
    limberi_release(work.results);
    return limberi_error_fill(error, result);
}

uint32_t limberi_team_workers(const limber_pipeline* pipeline) {
    return pipeline->parallel.run ? pipeline->parallel.worker_count : 1;
}

limber_result limberi_team_open(limberi_team* team, limber_pipeline* pipeline, uint32_t max, limber_error* error) {
    uint32_t threads = limberi_team_workers(pipeline);
    uint32_t count = threads <= FEW_THREADS ? 2 * threads : threads;
    memset(team, 0, sizeof *team);
    team->pipeline = pipeline;
    count = count < max ? count : max;
    if (threads > 1 && count > 1)
        return add_twins(team, count, error);
    team->alone[0] = pipeline;
    team->members = team->alone;
    team->count = 1;
    return LIMBER_OK;
}

void limberi_team_close(limberi_team* team) {
    if (!team->members || team->members == team->alone)
        return;
    for (uint32_t i = 0; i < team->count; i++)
        limber_pipeline_destroy(team->members[i]);
    limberi_release(team->members);
    memset(team, 0, sizeof *team);
}

limber_result limberi_team_prepare(const limberi_team* team, uint32_t clip) {
    return team->members == team->alone ? LIMBER_OK : limberi_pipeline_prepare_clip(team->pipeline, clip);
}

limber_result limberi_team_prepare_all(const limberi_team* team) {
    return team->members == team->alone ? LIMBER_OK : limberi_pipeline_prepare_clips(team->pipeline);
}

typedef struct team_work {
    void (*one)(void* user, uint32_t item, uint32_t worker);
    void* user;
} team_work;

static void run_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const team_work* work = user;
    for (uint32_t i = first; i < end; i++)
        work->one(work->user, i, worker);
}

void limberi_team_run(const limberi_team* team, uint32_t count, void (*one)(void* user, uint32_t item, uint32_t worker),
                      void* user) {
    team_work work = {one, user};
    if (team->members == team->alone) // its own threads share out the vertices
        run_some(&work, 0, count, 0);
    else
        limberi_pipeline_for(team->pipeline, count, 1, run_some, &work);
}
