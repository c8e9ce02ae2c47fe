// What effects cost on the graphics card: large meshes and crowds, by each way to run the shader.
#ifndef LIMBER_BENCH_GPU_H
#define LIMBER_BENCH_GPU_H

#include "bench/bench.h"
#include "render/gl/deform_gpu.h"

// A row of velocity skinning, table 1, or one of ours.
typedef struct bench_scene {
    const char* name;
    uint32_t vertices;               // wanted; the cow's resolution follows
    uint32_t moving;                 // joints that move; 0: each character plays one of the cow's own clips
    uint32_t characters;             // individually animated
    double paper_time, paper_memory; // of the paper: velocity skinning over plain skinning; 0: not in its table
} bench_scene;

extern const bench_scene bench_scenes[];
extern const uint32_t bench_scene_count;

typedef enum bench_gpu_set {
    BENCH_GPU_SKIN,     // plain linear blend skinning
    BENCH_GPU_VELOCITY, // floppy and squash, both parts; normals are skinned
    BENCH_GPU_OVERLAP,  // overlap and squash as a chain, as the preset cartoon has them; normals are skinned
    BENCH_GPU_GROUND,   // the same with contacts, impacts and rigid parts, as the preset has them
    BENCH_GPU_WORLD,    // and with colliders
    BENCH_GPU_NORMALS,  // the velocity effects, with normals that follow
    BENCH_GPU_CHAIN,    // overlap and squash, with normals that follow
    BENCH_GPU_ALL,      // all six effects with limits, twist, layers and lift, with normals
    BENCH_GPU_SET_COUNT
} bench_gpu_set;

const char* bench_gpu_set_name(bench_gpu_set set);

enum { BENCH_GPU_PATHS = LIMBERI_GPU_REDRAW + 1 }; // the last one with the compute shader before it

typedef struct bench_gpu_result {
    uint32_t vertices, triangles;                         // of one character
    double best_ms[BENCH_GPU_SET_COUNT][BENCH_GPU_PATHS]; // 0: the driver cannot
    double spread[BENCH_GPU_SET_COUNT][BENCH_GPU_PATHS];  // how far the median lies above the best
    double megabytes[BENCH_GPU_SET_COUNT];                // vertices and joint texture, without triangles
    double vertex_bytes[BENCH_GPU_SET_COUNT];
    double joints_ms[BENCH_GPU_SET_COUNT]; // of one core: motion and texels of all characters
    uint32_t rounds;
} bench_gpu_result;

// `shrink` divides vertices and characters, for drivers that are a CPU. Sets take turns until `budget_s` is spent.
LIMBER_MUST_USE limber_result bench_gpu_measure(limberi_gpu* gpu, const bench_scene* scene, double shrink,
                                                double budget_s, bench_gpu_result* result, limber_error* error);

// --- a crowd of cows ---

typedef struct bench_crowd {
    limber_asset* asset;
    limber_pipeline* pipeline;
    limberi_gpu_character* character;
    uint32_t count;
} bench_crowd;

// Each plays one of the clips, from another moment on.
LIMBER_MUST_USE limber_result bench_crowd_pose(const bench_crowd* crowd, double time_s, limber_error* error);
// Where it stands in the meadow.
void bench_crowd_place(const bench_crowd* crowd, uint32_t index, float place[4]);

// A picture of `count` cows in a meadow, with the cartoon look of all velocity effects.
LIMBER_MUST_USE limber_result bench_meadow(limberi_gpu* gpu, uint32_t count, uint32_t width, uint32_t height,
                                           const char* path, limber_error* error);

#endif
