// limber's side of bench/compare: where the tip of the tail is at asked moments, and what a frame costs.
//
//     compare_tail SCENE.glb STYLE.json clip FIRST COUNT    any frame of the clip, in any order
//     compare_tail SCENE.glb STYLE.json live FIRST COUNT    poses as they come, without a clip
//     compare_tail SCENE.glb STYLE.json cost                nanoseconds, as JSON
//
// stdin has a frame per line: the clock [s], the time in the clip [s], height and yaw [rad] of the body. Every line gives
// one with the mean of the COUNT vertices from FIRST on.
#define _POSIX_C_SOURCE 200809L
#include <limber/limber.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_STYLE = 1 << 16, ROUNDS = 150, FRAMES = 60 };

typedef struct tail {
    limber_gltf* gltf;
    limber_style* style;
    limber_pipeline *styled, *plain;
    limber_live* live;
    limber_transform* local; // [joint]
    unsigned long first, count;
} tail;

static limber_result read_style(tail* t, const char* path, limber_error* error) {
    static char text[MAX_STYLE];
    FILE* file = fopen(path, "rb");
    size_t length = file ? fread(text, 1, sizeof text, file) : 0;
    if (file)
        fclose(file);
    return limber_style_read(t->style, text, length, error);
}

static limber_result open_tail(tail* t, const char* scene, const char* style, limber_error* error) {
    limber_result result = limber_gltf_load_file(scene, NULL, &t->gltf, error);
    if (result == LIMBER_OK)
        result = limber_style_create(&t->style, error);
    if (result == LIMBER_OK)
        result = read_style(t, style, error);
    if (result == LIMBER_OK)
        result = limber_pipeline_create(limber_gltf_asset(t->gltf), t->style, &t->styled, error);
    if (result == LIMBER_OK)
        result = limber_pipeline_create(limber_gltf_asset(t->gltf), NULL, &t->plain, error);
    if (result == LIMBER_OK)
        result = limber_live_create(t->styled, NULL, &t->live, error);
    return result;
}

static void close_tail(tail* t) {
    free(t->local);
    limber_live_destroy(t->live);
    limber_pipeline_destroy(t->plain);
    limber_pipeline_destroy(t->styled);
    limber_style_destroy(t->style);
    limber_gltf_destroy(t->gltf);
}

static const limber_model* model_of(const tail* t) {
    return limber_asset_model(limber_gltf_asset(t->gltf));
}

static void print_tip(const tail* t, const limber_frame* frame) {
    double sum[3] = {0, 0, 0};
    for (unsigned long v = t->first; v < t->first + t->count; v++) {
        for (int axis = 0; axis < 3; axis++)
            sum[axis] += (double)frame->positions[3 * v + (unsigned long)axis];
    }
    printf("%.9g %.9g %.9g\n", sum[0] / (double)t->count, sum[1] / (double)t->count, sum[2] / (double)t->count);
}

static limber_result push(tail* t, double clock_s, double height, double yaw, limber_frame* frame) {
    t->local[0].translation.y = (float)height;
    t->local[0].rotation.y = (float)sin(yaw / 2);
    t->local[0].rotation.w = (float)cos(yaw / 2);
    return limber_live_evaluate(t->live, t->local, NULL, clock_s, frame);
}

static bool play(tail* t, bool live) {
    char line[256];
    while (fgets(line, sizeof line, stdin)) {
        double clock_s, time_s, height, yaw;
        limber_frame frame;
        if (sscanf(line, "%lf %lf %lf %lf", &clock_s, &time_s, &height, &yaw) != 4)
            return false;
        limber_result result =
            live ? push(t, clock_s, height, yaw, &frame) : limber_pipeline_evaluate(t->styled, 0, time_s, &frame);
        if (result != LIMBER_OK)
            return false;
        print_tip(t, &frame);
    }
    return true;
}

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

typedef struct cost {
    double joints_ns, vertices_ns; // of a frame, the best of all rounds
} cost;

static bool time_frames(limber_pipeline* pipeline, cost* best) {
    cost sum = {0, 0};
    for (int i = 0; i < FRAMES; i++) {
        limber_frame frame;
        double start = now_ns();
        if (limber_pipeline_evaluate_joints(pipeline, 0, i / 60.0) != LIMBER_OK)
            return false;
        double middle = now_ns();
        limber_pipeline_evaluate_vertices(pipeline, &frame);
        sum.joints_ns += (middle - start) / FRAMES;
        sum.vertices_ns += (now_ns() - middle) / FRAMES;
    }
    best->joints_ns = fmin(best->joints_ns, sum.joints_ns);
    best->vertices_ns = fmin(best->vertices_ns, sum.vertices_ns);
    return true;
}

// What a live pose costs more than the vertices: its joints.
static bool time_live(tail* t, double* best_ns) {
    double sum_ns = 0;
    for (int i = 0; i < FRAMES; i++) {
        static double clock_s = 0;
        clock_s += 1 / 60.0;
        t->local[0].rotation.y = (float)sin(0.4 * sin(3 * clock_s));
        t->local[0].rotation.w = (float)cos(0.4 * sin(3 * clock_s));
        double start = now_ns();
        if (limber_live_push(t->live, t->local, NULL, clock_s) != LIMBER_OK)
            return false;
        sum_ns += (now_ns() - start) / FRAMES;
    }
    *best_ns = fmin(*best_ns, sum_ns);
    return true;
}

// A pipeline and its first frame, for which it looks through the whole clip.
static bool time_start(const tail* t, double* best_ns) {
    limber_pipeline* pipeline = NULL;
    limber_error error;
    limber_frame frame;
    double start = now_ns();
    bool done = limber_pipeline_create(limber_gltf_asset(t->gltf), t->style, &pipeline, &error) == LIMBER_OK &&
                limber_pipeline_evaluate(pipeline, 0, 0, &frame) == LIMBER_OK;
    *best_ns = fmin(*best_ns, now_ns() - start);
    limber_pipeline_destroy(pipeline);
    return done;
}

static bool print_costs(tail* t) {
    cost styled = {1e30, 1e30};
    cost plain = {1e30, 1e30};
    double live_ns = 1e30;
    double start_ns = 1e30;
    limber_pipeline_set_outputs(t->styled, 0);
    limber_pipeline_set_outputs(t->plain, 0);
    for (int i = 0; i < ROUNDS; i++) {
        if (!time_frames(t->plain, &plain) || !time_frames(t->styled, &styled) || !time_live(t, &live_ns) ||
            !time_start(t, &start_ns))
            return false;
    }
    printf("{\"joints\": %u, \"vertices\": %u, \"plain_joints_ns\": %.1f, \"plain_vertices_ns\": %.1f, "
           "\"joints_ns\": %.1f, \"vertices_ns\": %.1f, \"live_joints_ns\": %.1f, \"start_ns\": %.1f}\n",
           model_of(t)->rig.joint_count, model_of(t)->vertex_count, plain.joints_ns, plain.vertices_ns,
           styled.joints_ns, styled.vertices_ns, live_ns, start_ns);
    return true;
}

int main(int argc, char** argv) {
    tail t = {NULL, NULL, NULL, NULL, NULL, NULL, 0, 0};
    limber_error error;
    bool timing = argc == 4 && !strcmp(argv[3], "cost");
    if (!timing && argc != 6) {
        fprintf(stderr, "usage: compare_tail SCENE.glb STYLE.json cost|(clip|live FIRST COUNT)\n");
        return 2;
    }
    if (open_tail(&t, argv[1], argv[2], &error) != LIMBER_OK) {
        fprintf(stderr, "compare_tail: %s: %s\n", error.place, error.message);
        close_tail(&t);
        return 1;
    }
    t.first = timing ? 0 : strtoul(argv[4], NULL, 10);
    t.count = timing ? 1 : strtoul(argv[5], NULL, 10);
    size_t size = model_of(&t)->rig.joint_count * sizeof *t.local;
    t.local = malloc(size);
    bool done = t.local && t.first + t.count <= model_of(&t)->vertex_count;
    if (done)
        memcpy(t.local, model_of(&t)->rig.rest_local, size);
    done = done && (timing ? print_costs(&t) : play(&t, !strcmp(argv[3], "live")));
    if (!done)
        fprintf(stderr, "compare_tail: a frame could not be evaluated\n");
    close_tail(&t);
    return done ? 0 : 1;
}
