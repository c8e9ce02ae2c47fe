// limber/stages/smear_live.h: real-time smears, without look-ahead, for games, performers and puppets.
//
// Push every frame that is drawn; elongation, copies and lines reach into the past only, along the frames that were
// kept:
//
//     limber_smear_live* live;
//     limber_error error;
//     if (limber_smear_live_create(asset, &settings, NULL, &live, &error) != LIMBER_OK)
//         return 1;
//     // every frame: the vertices after skinning and effects, the pose they come from, and a clock in seconds
//     limber_smear_live_push(live, positions, normals, &pose, now_s);
//     if (limber_smear_live_evaluate(live, smeared, NULL) == LIMBER_OK)
//         draw(smeared, normals);
//     limber_smear_live_destroy(live);
//
// The result is that of a clip which ends with the newest frame, with `future` 0: motion is measured from the previous
// push to the newest. limber/live.h does all of this for a pipeline.
//
// Smears count in frames of `fps`, whatever the rate of the pushes: paths run through the moments 1 / fps, 2 / fps, ...
// before the newest push, interpolated linearly between pushes. Pushes that come more than twice per frame are thinned
// out.
//
// All memory is allocated by _create: 12 * (3 * history + 8) bytes per vertex for the frames, the same again for
// normals when there are copies, 52 bytes per joint and frame, 4 * (smooth + 2) bytes per vertex for offsets, and a
// limber_smearer: per vertex 8 bytes, 20 for each of its joints, 40 for each copy, 816 when spin is ignored or
// motion is chosen; and 5.2 KB for each line. Smears as drawn take 15 bytes per
// vertex and up to 3 MB more.
#ifndef LIMBER_STAGES_SMEAR_LIVE_H
#define LIMBER_STAGES_SMEAR_LIVE_H

#include <limber/stages/smear.h>

#ifdef __cplusplus
extern "C" {
#endif

// How far smears reach back, and in which frames they count.
typedef struct limber_smear_live_settings {
    uint32_t struct_size; // set by limber_smear_live_settings_default
    double fps;           // of the frames that smears count in
    uint32_t history; // frames that elongation can reach back, 1 ... LIMBER_SMEAR_REACH; raised to what copies and the
                      // smoothing of offsets need
    float teleport;   // in L: a joint that goes further between two pushes, and more than four times as fast as just
                      // before, was teleported; 0: never
} limber_smear_live_settings;

// 30 frames per second, 8 frames of history, L / 2.
LIMBER_DEFAULT(limber_smear_live_settings)

// The frames of one character that were kept.
typedef struct limber_smear_live limber_smear_live;

// `live` NULL: the default. `future`, lines into the future and the camera in `settings` are ignored. With a `step`, the
// poses at multiples of step / fps are held. Formulas and arrays in the settings must stay valid.
LIMBER_API LIMBER_MUST_USE limber_result limber_smear_live_create(const limber_asset* asset,
                                                                  const limber_smear_settings* settings,
                                                                  const limber_smear_live_settings* live,
                                                                  limber_smear_live** out, limber_error* error);
LIMBER_API void limber_smear_live_destroy(limber_smear_live* live);

// A frame: positions after all effects (3 per vertex, all meshes), normals (needed for copies only, may be NULL), the
// pose with its world matrices, and the time. Everything is copied. The same time again (a pause) changes nothing; a
// step back in time, a gap of more than a quarter of a second and two frames, or a teleport discards the older frames.
LIMBER_API void limber_smear_live_push(limber_smear_live* live, const float* positions, const float* normals,
                                       const limber_pose* pose, double time_s);
// Forgets all frames.
LIMBER_API void limber_smear_live_reset(limber_smear_live* live);

// The elongated character of the newest frame, 3 per vertex, and its motion offsets (may be NULL). Updates the meshes
// below. LIMBER_ERROR_ARGUMENT when there is no frame.
LIMBER_API LIMBER_MUST_USE limber_result limber_smear_live_evaluate(limber_smear_live* live, float* positions,
                                                                    float* offsets);
// Whether the last evaluation moved any vertex: if not, the normals that were pushed are still correct.
LIMBER_API bool limber_smear_live_moved(const limber_smear_live* live);

// The copies, then the lines.
LIMBER_API uint32_t limber_smear_live_mesh_count(const limber_smear_live* live);
LIMBER_API const limber_smear_mesh* limber_smear_live_mesh(const limber_smear_live* live, uint32_t index);

// The bytes of memory it holds; they never change.
LIMBER_API size_t limber_smear_live_bytes(const limber_smear_live* live);

#ifdef __cplusplus
}
#endif

#endif
