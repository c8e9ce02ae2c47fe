// limber/live.h: live poses, when no clip says what comes next: games, puppets, blended animation.
//
// A limber_live takes one pose per frame and makes a frame of its own of it. Several may share a pipeline, one per
// character; they do not disturb each other, nor what else the pipeline is used for:
//
//     limber_live* live;
//     limber_error error;
//     if (limber_live_create(pipeline, NULL, &live, &error) != LIMBER_OK)
//         return 1;
//     // every frame, with the joints' local transforms and a clock in seconds
//     limber_frame frame;
//     if (limber_live_evaluate(live, local, NULL, now_s, &frame) == LIMBER_OK)
//         draw(frame.positions, frame.normals);
//     limber_live_destroy(live);
//
// All memory except that of frames and smears is allocated by _create. The pipeline must outlive the limber_live.
#ifndef LIMBER_LIVE_H
#define LIMBER_LIVE_H

#include <limber/pipeline.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limber_smear_live_settings limber_smear_live_settings; // limber/stages/smear_live.h

// A stream of poses of one character.
typedef struct limber_live limber_live;

// `before` (may be NULL): a limber_live of another pipeline of the same asset, whose motion continues here: use it to
// change the style while the character moves. Smears start again.
LIMBER_API LIMBER_MUST_USE limber_result limber_live_create(limber_pipeline* pipeline, const limber_live* before,
                                                            limber_live** live, limber_error* error);
LIMBER_API void limber_live_destroy(limber_live* live);

// One pose: local transforms [joint_count], morph weights [model.morph_count] (NULL: the defaults) and a time stamp.
// Motion and time filters use the poses before and the real time between them. So does acting (limber/stages/perform.h):
// poses become larger without a delay and the body squashes, from what was so far; `timing`, `pose.anticipate` and
// `exaggerate` edit clips and have no effect here. The frame's pose is the larger one. In formulas `t` counts from the first pose, `frame` is 30 t and `phase` is 0. limber_tracker_push
// (limber/stages/motion.h) says what happens after pauses, gaps, teleports and steps back in time.
//
// The frame lies in memory of the limber_live, which the first call allocates, and is valid until its next call,
// whatever becomes of the pipeline's own. LIMBER_ERROR_ARGUMENT, with no effect, when a number is not finite.
LIMBER_API LIMBER_MUST_USE limber_result limber_live_evaluate(limber_live* live, const limber_transform* local,
                                                              const float* morph_weights, double time_s,
                                                              limber_frame* frame);

// The same without a copy: the pose becomes the pipeline's, for limber_pipeline_evaluate_vertices, limber_pack_evaluate
// or limber_live_evaluate_smeared, before anything else uses the pipeline.
LIMBER_API LIMBER_MUST_USE limber_result limber_live_push(limber_live* live, const limber_transform* local,
                                                          const float* morph_weights, double time_s);
// The next pose counts as the first one, whatever its time.
LIMBER_API void limber_live_reset(limber_live* live);

// The height of the ground at a place of the world; false: there is none.
typedef bool (*limber_ground_height)(void* user, float x, float z, float* height);

// Where the ground is, for styles with "contact", "impact" and "body"; asked for a few places with every pose. NULL: a
// floor that the style gives, otherwise there is none.
LIMBER_API void limber_live_set_ground(limber_live* live, limber_ground_height height, void* user);

// The pose that was pushed last with the style's smears, which reach into the past only (limber/stages/smear_live.h).
// Call it once per push. LIMBER_ERROR_ARGUMENT when the pipeline does not hold a pose of this limber_live.
LIMBER_API LIMBER_MUST_USE limber_result limber_live_evaluate_smeared(limber_live* live, limber_smeared* smeared);

// How far smears reach back (NULL: the default). Allocates their buffers, which the first evaluation does otherwise,
// and forgets all frames.
LIMBER_API LIMBER_MUST_USE limber_result limber_live_set_smears(limber_live* live,
                                                                const limber_smear_live_settings* settings,
                                                                limber_error* error);

#ifdef __cplusplus
}
#endif

#endif
