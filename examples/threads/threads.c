// Threads: limber starts none. A program that has a job system lends it to a pipeline, which then cuts every frame into
// pieces. The result is the same to the bit, however the work is cut and whichever thread does it.
//
//     cc threads.c $(pkg-config --cflags --libs limber) -pthread -o threads
//     limber sample cow -o cow.glb
//     ./threads cow.glb cartoon 4
//
// The job system below is about as small as one can be: its threads sleep until a job is there.
#include <limber/limber.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 64 };

typedef struct job_system {
    pthread_mutex_t mutex;
    pthread_cond_t begin, end;
    pthread_t threads[MAX_THREADS];
    uint32_t thread_count; // besides the caller
    uint32_t job;          // number of the current job
    uint32_t busy;         // threads that are not done with it
    bool stop;
    limber_task task;
    void* user;
    uint32_t count, step;
    atomic_uint next; // first piece that nobody took
} job_system;

typedef struct worker {
    job_system* jobs;
    uint32_t index; // the caller is 0
} worker;

static void take_pieces(job_system* jobs, uint32_t worker_index) {
    uint32_t pieces = (jobs->count + jobs->step - 1) / jobs->step;
    for (uint32_t piece = atomic_fetch_add(&jobs->next, 1); piece < pieces; piece = atomic_fetch_add(&jobs->next, 1)) {
        uint32_t first = piece * jobs->step;
        uint32_t rest = jobs->count - first;
        jobs->task(jobs->user, first, first + (rest < jobs->step ? rest : jobs->step), worker_index);
    }
}

static void* work(void* user) {
    worker self = *(worker*)user;
    job_system* jobs = self.jobs;
    uint32_t done = 0;
    free(user);
    pthread_mutex_lock(&jobs->mutex);
    for (;;) {
        while (!jobs->stop && jobs->job == done)
            pthread_cond_wait(&jobs->begin, &jobs->mutex);
        if (jobs->stop)
            break;
        done = jobs->job;
        pthread_mutex_unlock(&jobs->mutex);
        take_pieces(jobs, self.index);
        pthread_mutex_lock(&jobs->mutex);
        if (--jobs->busy == 0)
            pthread_cond_signal(&jobs->end);
    }
    pthread_mutex_unlock(&jobs->mutex);
    return NULL;
}

// What limber calls: limber_parallel.run. Returns when all of [0, count) is done.
static void run_task(void* pool, uint32_t count, uint32_t step, limber_task task, void* user) {
    job_system* jobs = pool;
    pthread_mutex_lock(&jobs->mutex);
    jobs->task = task;
    jobs->user = user;
    jobs->count = count;
    jobs->step = step ? step : 1;
    atomic_store(&jobs->next, 0);
    jobs->busy = jobs->thread_count;
    jobs->job++;
    pthread_cond_broadcast(&jobs->begin);
    pthread_mutex_unlock(&jobs->mutex);
    take_pieces(jobs, 0); // the caller helps
    pthread_mutex_lock(&jobs->mutex);
    while (jobs->busy)
        pthread_cond_wait(&jobs->end, &jobs->mutex);
    pthread_mutex_unlock(&jobs->mutex);
}

static void start_threads(job_system* jobs, uint32_t count) {
    memset(jobs, 0, sizeof *jobs);
    pthread_mutex_init(&jobs->mutex, NULL);
    pthread_cond_init(&jobs->begin, NULL);
    pthread_cond_init(&jobs->end, NULL);
    while (jobs->thread_count + 1 < count) {
        worker* w = malloc(sizeof *w);
        if (!w)
            return;
        w->jobs = jobs;
        w->index = jobs->thread_count + 1;
        if (pthread_create(&jobs->threads[jobs->thread_count], NULL, work, w) != 0) {
            free(w);
            return; // fewer will do
        }
        jobs->thread_count++;
    }
}

static void stop_threads(job_system* jobs) {
    pthread_mutex_lock(&jobs->mutex);
    jobs->stop = true;
    pthread_cond_broadcast(&jobs->begin);
    pthread_mutex_unlock(&jobs->mutex);
    for (uint32_t i = 0; i < jobs->thread_count; i++)
        pthread_join(jobs->threads[i], NULL);
    pthread_cond_destroy(&jobs->begin);
    pthread_cond_destroy(&jobs->end);
    pthread_mutex_destroy(&jobs->mutex);
}

// Two pipelines of one character: one that has the job system and one that has the calling thread alone.
typedef struct stage {
    limber_gltf* gltf;
    limber_style* style;
    limber_pipeline *alone, *together;
} stage;

static limber_result open_stage(stage* s, const char* path, const char* preset, limber_error* error) {
    limber_result result = limber_gltf_load_file(path, NULL, &s->gltf, error);
    if (result == LIMBER_OK)
        result = limber_style_create(&s->style, error);
    if (result == LIMBER_OK)
        result = limber_style_read_preset(s->style, preset, error);
    if (result == LIMBER_OK)
        result = limber_pipeline_create(limber_gltf_asset(s->gltf), s->style, &s->alone, error);
    if (result == LIMBER_OK)
        result = limber_pipeline_create(limber_gltf_asset(s->gltf), s->style, &s->together, error);
    return result;
}

static bool compare(const stage* s, job_system* jobs) {
    const limber_model* model = limber_asset_model(limber_gltf_asset(s->gltf));
    const limber_parallel parallel = {.worker_count = jobs->thread_count + 1, .run = run_task, .pool = jobs};
    size_t bytes = 3 * (size_t)model->vertex_count * sizeof(float);
    if (limber_pipeline_set_parallel(s->together, &parallel) != LIMBER_OK)
        return false;
    for (uint32_t i = 0; i < 48; i++) {
        limber_frame a, b;
        if (limber_pipeline_evaluate(s->alone, 0, i / 24.0, &a) != LIMBER_OK ||
            limber_pipeline_evaluate(s->together, 0, i / 24.0, &b) != LIMBER_OK)
            return false;
        if (memcmp(a.positions, b.positions, bytes) != 0 || memcmp(a.normals, b.normals, bytes) != 0) {
            fprintf(stderr, "frame %u differs\n", i);
            return false;
        }
    }
    printf("48 frames of %u vertices: the same with 1 and %u threads\n", model->vertex_count, parallel.worker_count);
    return true;
}

int main(int argc, char** argv) {
    stage s = {NULL, NULL, NULL, NULL};
    job_system jobs;
    limber_error error;
    long count = argc == 4 ? strtol(argv[3], NULL, 10) : 0;
    if (count < 1 || count > MAX_THREADS) {
        fprintf(stderr, "usage: threads IN.glb PRESET COUNT (1 to %d)\n", MAX_THREADS);
        return 2;
    }
    start_threads(&jobs, (uint32_t)count);
    bool done = false;
    if (open_stage(&s, argv[1], argv[2], &error) == LIMBER_OK)
        done = compare(&s, &jobs);
    else
        fprintf(stderr, "%s: %s\n", error.place, error.message);
    limber_pipeline_destroy(s.together);
    limber_pipeline_destroy(s.alone);
    limber_style_destroy(s.style);
    limber_gltf_destroy(s.gltf);
    stop_threads(&jobs);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
