// What other folders may see of a pipeline besides its frames: its state, for the current pose. For those who move
// the vertices themselves (a GPU) and for tests.
#ifndef LIMBERI_PIPELINE_STATE_H
#define LIMBERI_PIPELINE_STATE_H

#include "base/variant.h"
#include "collide/colliders.h"
#include <limber/pipeline.h>
#include <limber/stages/settings.h>

typedef struct limberi_pipeline_state {
    const limber_asset* asset;
    const limber_model* model; // the asset's, with the clips that were exaggerated
    limber_deformer* deformer;
    limber_skinning skinning;
    limber_normals normals; // the style's
    uint32_t outputs;       // LIMBER_OUTPUT_... bit flags
    const limber_pose* pose;
    const limber_kinematics* motion;   // world space, not filtered
    limber_mat4* const* palettes;      // [skin]
    limber_dualquat* const* dualquats; // [skin], NULL unless dual quaternion skinning is on
    const float* morphed_positions;    // mesh space, all meshes after each other; NULL: no morph targets
    const float* lift_normals;         // likewise; NULL: nothing is split (deform/normals/split.h)
} limberi_pipeline_state;

limberi_pipeline_state limberi_pipeline_state_of(const limber_pipeline* pipeline);
// The deformer's job for the current pose, without positions and normals.
limber_deform_job limberi_pipeline_job(const limber_pipeline* pipeline);
// Mesh-space positions and normals of a mesh as the current pose morphs them.
const float* limberi_pipeline_morphed_positions(const limber_pipeline* pipeline, const limber_mesh* mesh);
// With what the motion of morph targets does to them.
const float* limberi_pipeline_late_positions(const limber_pipeline* pipeline, const limber_mesh* mesh);
const float* limberi_pipeline_morphed_normals(const limber_pipeline* pipeline, const limber_mesh* mesh);

// Where a collider of the current frame is, moved along by effects; only after the vertices were evaluated.
limberi_placed_collider limberi_pipeline_collider(const limber_pipeline* pipeline, uint32_t index);

// Which build of the kernels runs; for tests and benchmarks.
void limberi_pipeline_use(limber_pipeline* pipeline, limberi_variant variant);

#endif
