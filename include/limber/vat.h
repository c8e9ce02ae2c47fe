// limber/vat.h: moving vertices as textures that a vertex shader plays (vertex animation textures), in the layout of
// OpenVAT.
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
//         return limber_vat_save(&job, &job.model->clips[0], "fox_vat", "fox", &error) == LIMBER_OK ? 0 : 1;
//     }
//
// Three files in a folder:
//
// NAME_vat.png           16 bits per channel. A column per vertex, a row per frame: how far the vertex is from where
//                        NAME.glb has it, from 0 at Min to 65535 at Max. The lower half holds the normals, from 0 at -1
//                        to 65535 at 1. Red, green and blue are x, -z and y: OpenVAT's axes are Blender's, Z up.
// NAME-remap_info.json   Min, Max and the number of frames ("os-remap"), and the clip with its frame rate ("animations",
//                        frames from 1 on).
// NAME.glb               all meshes as one, as they are in the first frame, without skin and clips, with materials and
//                        base colors. TEXCOORD_1 is the middle of the vertex's texel of the first frame.
//
// With more than 8192 vertices the columns go on below the last frame of those before: first all frames of the first
// ones, then all frames of the next ones, and so on. docs/vat.md has shaders.
#ifndef LIMBER_VAT_H
#define LIMBER_VAT_H

#include <limber/cache.h>

#ifdef __cplusplus
extern "C" {
#endif

// Neither side of the texture is longer.
enum { LIMBER_VAT_SIDE = 8192 };

// Writes the three files into `folder`, which is made if it is not there; other files in it stay. `name` begins their
// names. `clip` (may be NULL) is what the frames show. Frames without normals give a texture without them. On failure
// no new file is left on the disk. Needs free disk space in the folder for the frames as plain numbers.
LIMBER_API LIMBER_MUST_USE limber_result limber_vat_save(const limber_cache_job* job, const limber_clip* clip,
                                                         const char* folder, const char* name, limber_error* error);

#ifdef __cplusplus
}
#endif

#endif
