// limber/usd.h: an animated character as UsdSkel (.usda, .usdz): a skeleton, its animation, skinned meshes and blend shapes.
//
// The effect rides in a corrective bake of one clip (limber/bake.h): its targets become blend shapes, which UsdSkel adds
// before it skins, as glTF does.
//
//     static int save_first_clip(const limber_asset* asset, limber_pipeline* pipeline) {
//         const uint32_t first = 0;
//         limber_error error;
//         limber_bake* bake;
//         limber_bake_settings settings = limber_bake_settings_default();
//         settings.kind = LIMBER_BAKE_CORRECTIVE;
//         settings.clips = &first;
//         settings.clip_count = 1;
//         if (limber_pipeline_bake(pipeline, &settings, &bake, &error) != LIMBER_OK)
//             return 1;
//         limber_usd_job job = limber_usd_job_default();
//         limber_edited_clip edited;
//         job.model = limber_asset_model(asset);
//         job.bake = bake;
//         job.fps = 24;
//         if (limber_pipeline_edited_clip(pipeline, first, &edited))
//             job.edited = &edited;
//         limber_result result = limber_usd_save(&job, "run.usda", &error);
//         limber_bake_destroy(bake);
//         return result == LIMBER_OK ? 0 : 1;
//     }
//
// The file has one SkelRoot. Below it are a Skeleton (more than one when skins bind the same joints differently), one
// SkelAnimation, a Mesh per mesh with its BlendShapes, and the materials. Names that USD does not allow are changed:
// other characters become _, and equal names get a number. A joint whose skin alone is stretched has a joint
// "NAME_skin" below it. UsdSkel holds scales in 16 bits; a scale that never changes goes into the bind and rest
// transforms and stays exact, one that changes is off by up to 1/2000. For exact vertices of such characters use a
// point cache (limber/cache.h).
//
// The time code of a frame is its time in seconds times fps. In-between copies and motion lines are left out.
#ifndef LIMBER_USD_H
#define LIMBER_USD_H

#include <limber/bake.h>

#ifdef __cplusplus
extern "C" {
#endif

// What to write.
typedef struct limber_usd_job {
    uint32_t struct_size;             // set by limber_usd_job_default
    const limber_model* model;        // from limber_asset_model
    const limber_bake* bake;          // corrective; NULL: the plain skin
    uint32_t track;                   // of the bake; a bake without tracks gives the default pose
    const limber_edited_clip* edited; // what the skeleton plays instead of the track's clip; NULL: that clip
    double fps;                       // time codes per second, 0.001 to 1,000,000
    // Frames of the track outside of these times are left out; the whole track by default.
    double range_start_s, range_end_s;
    const char* const* textures; // [image] the file as a reader of the .usda finds it, NULL: inside of the input
} limber_usd_job;

LIMBER_DEFAULT(limber_usd_job)

// The extension of `path` chooses the container: .usda is text; .usdz is that text with its PNG and JPEG pictures in one
// file, for phones and viewers (`textures` does not count then). On failure no new file is left on the disk.
LIMBER_API LIMBER_MUST_USE limber_result limber_usd_save(const limber_usd_job* job, const char* path,
                                                         limber_error* error);

#ifdef __cplusplus
}
#endif

#endif
