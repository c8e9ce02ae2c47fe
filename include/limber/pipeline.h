// limber/pipeline.h: the whole pipeline in one call: a clip and a time in, the character's vertices out.
//
//     limber_error error;
//     limber_pipeline* pipeline;
//     if (limber_pipeline_create(asset, style, &pipeline, &error) != LIMBER_OK) {
//         fprintf(stderr, "%s: %s\n", error.place, error.message);
//         return 1;
//     }
//     for (uint32_t i = 0; i < limber_pipeline_warning_count(pipeline); i++)
//         fprintf(stderr, "%s\n", limber_pipeline_warning(pipeline, i));
//     limber_frame frame;
//     if (limber_pipeline_evaluate(pipeline, 0, 0.5, &frame) == LIMBER_OK) // clip 0 at half a second
//         draw(frame.positions, frame.normals);
//     limber_pipeline_destroy(pipeline);
//
// Any time of any clip can be evaluated in any order. The asset must outlive the pipeline. A pipeline is used by one
// thread at a time; several pipelines may share an asset. All memory except smear buffers is allocated by _create.
#ifndef LIMBER_PIPELINE_H
#define LIMBER_PIPELINE_H

#include <limber/asset.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limber_style limber_style;           // limber/style.h
typedef struct limber_pose limber_pose;             // limber/stages/pose.h
typedef struct limber_kinematics limber_kinematics; // limber/stages/motion.h

// A character with a style, ready to be evaluated.
typedef struct limber_pipeline limber_pipeline;

// Pointers into the pipeline's own buffers, valid until the next call. World space, 3 floats per vertex. All meshes
// follow each other; mesh i starts at vertex model.meshes[i].first_vertex.
typedef struct limber_frame {
    double time_s; // of the clip, or of the live pose
    const limber_pose* pose;
    const limber_kinematics* motion; // of the joints, world space
    const float* skinned;            // before the effects; NULL unless LIMBER_OUTPUT_SKINNED is set
    const float* positions;          // after the effects
    const float* normals;            // NULL unless LIMBER_OUTPUT_NORMALS is set
    const void* reserved[6];
} limber_frame;

// `style` NULL: plain skinning. The pipeline keeps what it needs of the style, which may be destroyed or changed
// afterwards. Joint names that match no joint and paint.<layer> names that no mesh has are errors; a "layer" that no
// mesh has is a warning and counts as 1 everywhere, but a "skirt" is found by its shape (limber/stages/layer.h), and
// effects on it do nothing where there is none.
LIMBER_API LIMBER_MUST_USE limber_result limber_pipeline_create(const limber_asset* asset, const limber_style* style,
                                                                limber_pipeline** pipeline, limber_error* error);
LIMBER_API void limber_pipeline_destroy(limber_pipeline* pipeline);
LIMBER_API const limber_asset* limber_pipeline_asset(const limber_pipeline* pipeline);

// What the style says that does not fit this character, one sentence each.
LIMBER_API uint32_t limber_pipeline_warning_count(const limber_pipeline* pipeline);
LIMBER_API const char* limber_pipeline_warning(const limber_pipeline* pipeline, uint32_t index);

// What evaluations compute besides positions: bit flags, default LIMBER_OUTPUT_NORMALS | LIMBER_OUTPUT_SKINNED. Leaving
// out what is not needed saves time, and may run other kernels, whose positions differ by float rounding.
enum { LIMBER_OUTPUT_NORMALS = 1, LIMBER_OUTPUT_SKINNED = 2, LIMBER_OUTPUT_OFFSETS = 4 };
LIMBER_API void limber_pipeline_set_outputs(limber_pipeline* pipeline, uint32_t outputs);

// Threads to evaluate with. Copies `parallel` and allocates memory for the workers. NULL: the calling thread alone, which is the default.
LIMBER_API LIMBER_MUST_USE limber_result limber_pipeline_set_parallel(limber_pipeline* pipeline,
                                                                      const limber_parallel* parallel);

// `clip` -1: the default pose, at rest. LIMBER_ERROR_ARGUMENT when there is no such clip.
LIMBER_API LIMBER_MUST_USE limber_result limber_pipeline_evaluate(limber_pipeline* pipeline, int32_t clip,
                                                                  double time_s, limber_frame* frame);

// The two halves of an evaluation: the joints (pose, motion, filters) come first, then the vertices.
LIMBER_API LIMBER_MUST_USE limber_result limber_pipeline_evaluate_joints(limber_pipeline* pipeline, int32_t clip,
                                                                         double time_s);
LIMBER_API void limber_pipeline_evaluate_vertices(limber_pipeline* pipeline, limber_frame* frame);

// A frame with smears. frame.positions and frame.normals are smeared; `deformed` holds the positions before smearing.
typedef struct limber_smeared {
    limber_frame frame;
    const float* deformed;
    const float* offsets; // [vertex] motion offsets, -1 ... 1; NULL when nothing in the style is made with them, unless
                          // LIMBER_OUTPUT_OFFSETS is set
    uint32_t mesh_count;  // in-between copies and motion lines
    const limber_smear_mesh* meshes;
    const void* reserved[6];
} limber_smeared;

// limber_pipeline_evaluate with the smears of the style, which depend on the frame rate of the output (0: the clip's
// own). Neighboring frames are evaluated and kept in memory of the pipeline, so that stepping through a clip costs
// about one evaluation per frame. A style without smears gives the frame of limber_pipeline_evaluate.
LIMBER_API LIMBER_MUST_USE limber_result limber_pipeline_evaluate_smeared(limber_pipeline* pipeline, int32_t clip,
                                                                          double time_s, double fps,
                                                                          limber_smeared* smeared);

// For styles with "smear": {"spin": "texture"}: how far the texture of each mesh is to be shifted along u at a time of a
// clip (-1: not at all), added to the texture coordinates. shifts[model.mesh_count], 0 where a texture stays, else
// -0.5 ... 0.5 times the textures around the axis. False: no texture is ever shifted.
LIMBER_API bool limber_pipeline_texture_shifts(const limber_pipeline* pipeline, int32_t clip, double time_s,
                                               float* shifts);

// The clip that the style's `exaggerate` (or `smear.spin`) made of a clip, for programs that write it to a file
// (limber_gltf_edits.clips). False when the style does not change the clip. The edited clip belongs to the pipeline.
LIMBER_API bool limber_pipeline_edited_clip(const limber_pipeline* pipeline, uint32_t clip, limber_edited_clip* edited);

#ifdef __cplusplus
}
#endif

#endif
