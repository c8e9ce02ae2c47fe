// limber/stages/smear_live.h: smears of a character whose future nobody knows: a game, a performer, a puppet.
//
// Frames are pushed as they come; elongation and copies go into the past only, along the frames that were kept.
//
//     limber_smear_live* live;
//     if (limber_smear_live_create(asset, &smear, NULL, &live, &error) != LIMBER_OK) ...
//     // per frame drawn: the vertices after skinning and effects, the pose they come from, and a clock
//     limber_smear_live_push(live, positions, normals, &pose, now_s);
//     if (limber_smear_live_evaluate(live, smeared, NULL) == LIMBER_OK) draw(smeared);
//
// What comes out is what a clip that ends with the frame at hand would show there, with `future` 0 in elongate and
// multiples: motion is taken from the last frame to this one, and what would lie ahead is the frame itself.
//
// Smears are counted in frames of `fps`, whatever the rate of the pushes: a path runs through the moments 1 / fps, 2 /
// fps, ... before the newest push. A push that fell on such a moment is taken as it is; between two pushes the
// moment lies on the straight line. Pushes that come faster than twice a frame are thinned out.
//
// All memory is taken by _create: 12 * (3 * history + 8) bytes per vertex for the frames, as much again for their
// normals when there are copies, 52 bytes per joint and frame, 4 * (smooth + 2) bytes per vertex for offsets, and that
// of a limber_smearer: per vertex 8, 20 for each joint that moves it, 40 for each copy, 816 when spin is ignored.
#ifndef LIMBER_STAGES_SMEAR_LIVE_H
#define LIMBER_STAGES_SMEAR_LIVE_H

#include <limber/stages/smear.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limber_smear_live_settings {
    double fps;       // of the frames that smears are counted in
    uint32_t history; // such frames that elongation can go back, 1 ... LIMBER_SMEAR_REACH; its paths end there. It is
                      // raised to what copies and the smoothing of offsets need
    float teleport;   // in L: a joint that goes further between two pushes, and more than four times as fast as just
                      // before, was put there; 0: never
} limber_smear_live_settings;

// 30 frames a second, 8 frames of history, L / 2.
LIMBER_API limber_smear_live_settings limber_smear_live_settings_default(void);

typedef struct limber_smear_live limber_smear_live;

// `live` NULL: the default. Of `settings`, `future`, lines, `step` and the camera are left out: a game that animates on
// twos pushes every second frame, with half the fps. Formulas and arrays in the settings must stay alive.
LIMBER_API LIMBER_MUST_USE limber_result limber_smear_live_create(const limber_asset* asset,
                                                                  const limber_smear_settings* settings,
                                                                  const limber_smear_live_settings* live,
                                                                  limber_smear_live** out, limber_error* error);
LIMBER_API void limber_smear_live_destroy(limber_smear_live* live);

// A frame: positions after every effect (3 per vertex, all meshes), normals (needed for copies only, may be NULL), the
// pose with its world matrices, the time. Everything is copied. The same time again (a pause) changes nothing; time
// that goes back, a gap of more than a quarter of a second and two frames, or a teleport start afresh.
LIMBER_API void limber_smear_live_push(limber_smear_live* live, const float* positions, const float* normals,
                                       const limber_pose* pose, double time_s);
// Forgets all frames.
LIMBER_API void limber_smear_live_reset(limber_smear_live* live);

// The elongated character of the newest frame, 3 per vertex, and its motion offsets (may be NULL). Fills the meshes
// below. LIMBER_ERROR_ARGUMENT when there is no frame.
LIMBER_API LIMBER_MUST_USE limber_result limber_smear_live_evaluate(limber_smear_live* live, float* positions,
                                                                    float* offsets);
// Whether the last evaluation moved any vertex: if not, the normals that were pushed are right.
LIMBER_API bool limber_smear_live_moved(const limber_smear_live* live);

// The copies.
LIMBER_API uint32_t limber_smear_live_mesh_count(const limber_smear_live* live);
LIMBER_API const limber_smear_mesh* limber_smear_live_mesh(const limber_smear_live* live, uint32_t index);

// All memory it holds, and will ever hold.
LIMBER_API size_t limber_smear_live_bytes(const limber_smear_live* live);

#ifdef __cplusplus
}
#endif

#endif
