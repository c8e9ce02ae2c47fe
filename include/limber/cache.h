// limber/cache.h: moving vertices as files that other programs play: .pc2, .mdd, .usda and .obj sequences.
//
// A program gives the frames one by one, from a pipeline or from anywhere else:
//
//     static limber_result one_frame(void* user, uint32_t index, const float** positions, const float** normals) {
//         limber_frame frame;
//         limber_result result = limber_pipeline_evaluate((limber_pipeline*)user, 0, index / 24.0, &frame);
//         if (result == LIMBER_OK) {
//             *positions = frame.positions;
//             *normals = frame.normals;
//         }
//         return result;
//     }
//
//     static int save_two_seconds(const limber_asset* asset, limber_pipeline* pipeline) {
//         limber_error error;
//         limber_cache_job job = limber_cache_job_default();
//         job.model = limber_asset_model(asset);
//         job.fps = 24;
//         job.frame_count = 48;
//         job.frame = one_frame;
//         job.user = pipeline;
//         return limber_cache_save(&job, "run.pc2", &error) == LIMBER_OK ? 0 : 1;
//     }
//
// .pc2   PointCache 2: the points of every frame, no triangles. The start frame is start_s * fps.
// .mdd   the same with a time in seconds per frame, big-endian.
// .obj   one file per frame, counted from 1: "run.obj" becomes run.0001.obj, run.0002.obj, ... A name with a counter,
//        such as "run_%03d.obj" (%d or %01d to %09d), is used as it is; %% stands for a percent sign.
// .usda  USD as text, points only (limber/usd.h writes skeletons): a Mesh prim per mesh with time samples, texture
//        coordinates and colors. The time code is seconds times fps. An attribute that is the same in every frame is
//        written once, without samples.
//
// All meshes go into one cache. A .pc2 or .mdd has a single list of points: the meshes follow each other as in the
// model, mesh i from model.meshes[i].first_vertex on, so the program that plays it needs the meshes joined in that
// order (the .obj files are). Everything is in world space, Y up; .usda files say so, readers of the others must be
// told. Texture coordinates start at the bottom and colors in .obj files are sRGB, as readers of these formats expect.
//
// Files appear complete or not at all, and only one frame is in memory at a time. Writing a .usda needs free disk space
// beside it for the frames as plain numbers. Files of an older, longer .obj sequence are not removed.
#ifndef LIMBER_CACHE_H
#define LIMBER_CACHE_H

#include <limber/asset.h>

#ifdef __cplusplus
extern "C" {
#endif

// Gives one frame: world space, 3 floats per vertex, all meshes one after the other, valid until the next call. Normals
// are optional: either every frame sets *normals or none does. Called once per frame, in order. A result other than
// LIMBER_OK ends the job with that result, and no file is written.
typedef limber_result (*limber_cache_frame)(void* user, uint32_t index, const float** positions, const float** normals);

// Frames to write.
typedef struct limber_cache_job {
    uint32_t struct_size;      // set by limber_cache_job_default
    const limber_model* model; // from limber_asset_model
    double fps;                // 0.001 to 1,000,000
    double start_s;            // time of the first frame
    uint32_t frame_count;
    limber_cache_frame frame;
    void* user; // passed to `frame`
} limber_cache_job;

// No frames, 30 per second.
LIMBER_DEFAULT(limber_cache_job)

// The extension of `path` chooses the format. On failure no new file is left on the disk.
LIMBER_API LIMBER_MUST_USE limber_result limber_cache_save(const limber_cache_job* job, const char* path,
                                                           limber_error* error);

// Whether limber_cache_save knows the extension of `path` (case-insensitive).
LIMBER_API bool limber_cache_knows(const char* path);

#ifdef __cplusplus
}
#endif

#endif
