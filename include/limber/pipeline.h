// limber/pipeline.h: the whole street in one call: a clip and a time in, the character's vertices out.
//
//     limber_stage_settings settings = limber_stage_settings_default();
//     limber_pipeline* pipeline;
//     if (limber_pipeline_create_from_settings(asset, &settings, &pipeline, &error) != LIMBER_OK) ...
//     limber_frame frame;
//     limber_pipeline_evaluate(pipeline, 0, 0.5, &frame);   // clip 0 at half a second
//     draw(frame.positions, frame.normals);
//     limber_pipeline_destroy(pipeline);
//
// The asset must outlive the pipeline. A pipeline belongs to one thread at a time; several may share an asset. All
// memory is taken by _create, none per frame.
#ifndef LIMBER_PIPELINE_H
#define LIMBER_PIPELINE_H

#include <limber/bake.h>
#include <limber/stages/smear_live.h>
#include <limber/style.h>

#ifdef __cplusplus
extern "C" {
#endif

// What every stage takes; a bound style (limber/style.h) gives one, the default is plain linear skinning. Formulas,
// layer names and per-joint arrays in it must outlive the pipeline.

// Views of the pipeline's own buffers, valid until the next call. All meshes follow each other; mesh i starts at
// model.meshes[i].first_vertex. World space, 3 floats per vertex.
typedef struct limber_frame {
    double time_s;
    const limber_pose* pose;
    const limber_kinematics* motion; // world space
    const float* skinned;            // NULL unless asked for, see limber_pipeline_set_outputs
    const float* positions;          // after every effect
    const float* normals;            // NULL unless asked for
} limber_frame;

typedef struct limber_pipeline limber_pipeline;

// What evaluations compute besides positions, or-ed; both by default. What is left out is NULL in the frame. (Averaged
// normals need the skinned positions and make them anyway.)
enum { LIMBER_OUTPUT_NORMALS = 1, LIMBER_OUTPUT_SKINNED = 2, LIMBER_OUTPUT_OFFSETS = 4 };

// How a program lends its threads: `run` calls `task` for pieces [first, end) of [0, count), each about `step` long,
// from any threads, and returns when all are done. `worker` is below worker_count and no two calls that run at the same
// time share one. The result is the same to the bit however the work is cut.
typedef void (*limber_task)(void* user, uint32_t first, uint32_t end, uint32_t worker);

typedef struct limber_parallel {
    uint32_t worker_count;
    void (*run)(void* pool, uint32_t count, uint32_t step, limber_task task, void* user);
    void* pool;
} limber_parallel;

LIMBER_API void limber_stage_settings_default(limber_stage_settings* settings);
LIMBER_API LIMBER_MUST_USE limber_result limber_pipeline_create_from_settings(const limber_asset* asset,
                                                                              const limber_stage_settings* settings,
                                                                              limber_pipeline** pipeline,
                                                                              limber_error* error);
LIMBER_API void limber_pipeline_destroy(limber_pipeline* pipeline);
LIMBER_API const limber_asset* limber_pipeline_asset(const limber_pipeline* pipeline);

LIMBER_API void limber_pipeline_set_outputs(limber_pipeline* pipeline, uint32_t outputs);
// Takes memory for the workers. NULL: the calling thread alone, as by default.
LIMBER_API LIMBER_MUST_USE limber_result limber_pipeline_set_parallel(limber_pipeline* pipeline,
                                                                      const limber_parallel* parallel);

// `clip` -1: the default pose, at rest.
LIMBER_API LIMBER_MUST_USE limber_result limber_pipeline_evaluate(limber_pipeline* pipeline, int32_t clip,
                                                                  double time_s, limber_frame* frame);

// The two halves of an evaluation: the joints (pose, motion, filters) come first, then the vertices.
LIMBER_API LIMBER_MUST_USE limber_result limber_pipeline_evaluate_joints(limber_pipeline* pipeline, int32_t clip,
                                                                         double time_s);
LIMBER_API void limber_pipeline_evaluate_vertices(limber_pipeline* pipeline, limber_frame* frame);

// The deformation of a pose held still whose joints are given velocities by hand (VS section 5): `motion`, in world
// space, times `amount` takes the place of the clip's. Amounts from 0 to 1 trace each vertex's path.
LIMBER_API LIMBER_MUST_USE limber_result limber_pipeline_evaluate_what_if(limber_pipeline* pipeline, int32_t clip,
                                                                          double time_s,
                                                                          const limber_kinematics* motion, float amount,
                                                                          limber_frame* frame);

// What the style's `exaggerate` made of a clip, for those who write it to a file; NULL: nothing.
LIMBER_API const limber_exaggerated* limber_pipeline_edited(const limber_pipeline* pipeline, uint32_t clip);

// The cone that lift uses and how far the vertices lie from it (limber_deformer_cone); false when there is none.
LIMBER_API bool limber_pipeline_cone(const limber_pipeline* pipeline, limber_cone* cone, float* residual);

// A frame with smears (S7). What positions and normals were before is `deformed`.
typedef struct limber_smeared {
    limber_frame frame;
    const float* deformed;
    const float* offsets; // [vertex] -1 ... 1; NULL unless something is smeared or LIMBER_OUTPUT_OFFSETS is asked for
    uint32_t mesh_count;  // multiples and lines; none when smears are off
    const limber_smear_mesh* meshes;
} limber_smeared;

// The same with the smears of the style, which need to know the frame rate of the output (0: the clip's own). Frames
// around this one are evaluated, too, and kept: going through a clip frame by frame costs about one evaluation each.
// Without smears this is limber_pipeline_evaluate. Keeps frames in memory of its own, as many as its paths run through.
LIMBER_API LIMBER_MUST_USE limber_result limber_pipeline_evaluate_smeared(limber_pipeline* pipeline, int32_t clip,
                                                                          double time_s, double fps,
                                                                          limber_smeared* smeared);

// Live use, where no clip says what comes next (a game, a puppet, a mixer of clips): a stream of poses through a
// pipeline. Several streams may share one, each for a character of its own (a crowd).
//
//     limber_live* live;
//     if (limber_live_create(pipeline, NULL, &live, &error) != LIMBER_OK) ...
//     // per frame drawn
//     if (limber_live_push(live, local, NULL, now_s) == LIMBER_OK) limber_pipeline_evaluate_vertices(pipeline, &frame);
//
// All memory is taken by _create, but that of smears. The pipeline must outlive the stream.
typedef struct limber_live limber_live;

// `before` (may be NULL): a stream through another pipeline of the same asset, whose motion is taken over: for a style
// that changes while the character moves. Smears start afresh.
LIMBER_API LIMBER_MUST_USE limber_result limber_live_create(limber_pipeline* pipeline, const limber_live* before,
                                                            limber_live** live, limber_error* error);
LIMBER_API void limber_live_destroy(limber_live* live);

// The joints' local transforms [joint_count], morph weights [model.morph_count] (NULL: the defaults) and a time stamp,
// once per frame drawn. Motion (accelerations over the style's derivative_step) and time filters follow from the poses
// before, with the real time between them; then
// limber_pipeline_evaluate_vertices gives the vertices. `t` in formulas counts from the first pose, `frame` is 30 t, `phase` 0.
// `exaggerate` edits clips and does nothing here. What a pause, slow motion, a tab that was away, a teleport and time
// that goes back do is said at limber_tracker_push; time filters start from the first motion there is.
// LIMBER_ERROR_ARGUMENT, and nothing happened, when a number is not finite.
LIMBER_API LIMBER_MUST_USE limber_result limber_live_push(limber_live* live, const limber_transform* local,
                                                          const float* morph_weights, double time_s);
// The next pose is the first, whatever its time.
LIMBER_API void limber_live_reset(limber_live* live);

// The frame of the last push with the style's smears, past only (limber/stages/smear_live.h says what is left out). To be
// called once per push, before anything else uses the pipeline: it runs the vertices, keeps them, and evaluates. Memory
// is taken by the first call, or by limber_live_set_smears, which also says how far smears go back (NULL: the default) and
// forgets all frames.
LIMBER_API LIMBER_MUST_USE limber_result limber_live_set_smears(limber_live* live,
                                                                const limber_smear_live_settings* settings,
                                                                limber_error* error);
LIMBER_API LIMBER_MUST_USE limber_result limber_live_evaluate_smeared(limber_live* live, limber_smeared* smeared);

// Called between frames of a long bake; return false to stop it.
typedef bool (*limber_progress)(void* user, uint32_t done, uint32_t total);

typedef struct limber_bake_settings {
    limber_bake_kind kind;
    uint32_t clip_count;
    const uint32_t* clips;             // NULL: all clips
    double fps;                        // 0: each clip's own
    double range_start_s, range_end_s; // clip time; the whole clip by default
    double tolerance;                  // largest error of the reduced targets, in units of L; 0: exact
    bool normals;
    limber_bake_smear_meshes smear_meshes; // multiples and lines; separate by default
    limber_progress progress;
    void* user;
} limber_bake_settings;

LIMBER_API limber_bake_settings limber_bake_settings_default(void);

// The character with finer meshes where the style's elongation would tear them, when the style asks for that
// (smear.elongate.subdivide); NULL when it does not, or nothing tears. Looks at every frame of the clips, rate and
// range of `frames` (NULL: everything). Joints, clips and meshes keep their numbers, so the same settings work with a
// pipeline of the result, which the caller destroys.
LIMBER_API LIMBER_MUST_USE limber_result limber_pipeline_subdivide(const limber_asset* asset,
                                                                   const limber_stage_settings* settings,
                                                                   const limber_bake_settings* frames,
                                                                   limber_asset** refined, limber_error* error);

// Evaluates every frame of the chosen clips into morph targets. Free the result with limber_bake_destroy.
LIMBER_API LIMBER_MUST_USE limber_result limber_pipeline_bake(limber_pipeline* pipeline,
                                                              const limber_bake_settings* settings, limber_bake** bake,
                                                              limber_error* error);

#ifdef __cplusplus
}
#endif

#endif
