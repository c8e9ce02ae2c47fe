// limber/cache.h: moving vertices as files that other programs play: .pc2, .mdd, .usda and .obj sequences.
//
//     static limber_result one_frame(void* user, uint32_t index, const float** positions, const float** normals) {
//         player* p = user;                                     // say, a pipeline, a clip and a frame rate
//         limber_frame frame;
//         limber_result result = limber_pipeline_evaluate(p->pipeline, 0, index / p->fps, &frame);
//         *positions = frame.positions;
//         *normals = frame.normals;
//         return result;
//     }
//
//     limber_cache_job job = limber_cache_job_default();
//     job.model = limber_asset_model(asset);
//     job.fps = 24; job.frame_count = 48; job.frame = one_frame; job.user = &player;
//     if (limber_cache_save(&job, "run.pc2", &error) != LIMBER_OK) ...
//
// | ending | what it holds |
// |--------|---------------|
// | .pc2   | PointCache 2: the points of every frame, no triangles. Start frame is start_s * fps, one sample a frame. |
// | .mdd   | the same with a time in seconds per frame, big-endian. |
// | .obj   | one file per frame, counted from 1: "run.obj" becomes run.0001.obj, run.0002.obj, ... A name that has a |
// |        | counter, "run_%03d.obj" (%d or %01d to %09d), is used as it is; %% stands for a percent sign. |
// | .usda  | USD as text: a Mesh prim per mesh with time samples, texture coordinates and colours. Time code is seconds
// | |        | times fps. An attribute that is the same in every frame is written once, without samples. |
//
// All meshes go into one cache. A .pc2 or .mdd knows only one list of points: the meshes follow each other as in the
// model, mesh i from model.meshes[i].first_vertex on, so a program that plays it needs the meshes joined in that order
// (the .obj files and dump's manifest have it). Everything is in world space and limber's axes, Y up; .usda says so in
// the file, for the others the reader has to be told. Texture coordinates are turned to start at the bottom, and
// colours in an .obj are sRGB, because that is what readers of these formats expect.
//
// Files appear complete or not at all, and frames are never all in memory. A .usda needs free disk space beside it for
// the frames as plain numbers while it is written. Old files of a longer .obj sequence are not removed.
#ifndef LIMBER_CACHE_H
#define LIMBER_CACHE_H

#include <limber/asset.h>

#ifdef __cplusplus
extern "C" {
#endif

// Gives one frame: world space, 3 floats per vertex, all meshes after each other, valid until the next call. *normals
// may be left NULL, then in every frame. Called once per frame, in order. Anything but LIMBER_OK ends the job with that
// result and without a file.
typedef limber_result (*limber_cache_frame)(void* user, uint32_t index, const float** positions, const float** normals);

typedef struct limber_cache_job {
    const limber_model* model; // from limber_asset_model
    double fps;                // 0.001 to 1,000,000
    double start_s;            // time of the first frame
    uint32_t frame_count;
    limber_cache_frame frame;
    void* user;
} limber_cache_job;

// No frames yet, 30 per second.
LIMBER_API limber_cache_job limber_cache_job_default(void);

// The ending of `path` picks the format. On failure nothing new is left on the disk.
LIMBER_API LIMBER_MUST_USE limber_result limber_cache_save(const limber_cache_job* job, const char* path,
                                                           limber_error* error);

// Whether limber_cache_save knows the ending of `path` (in either case).
LIMBER_API bool limber_cache_knows(const char* path);

#ifdef __cplusplus
}
#endif

#endif
