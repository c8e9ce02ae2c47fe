// Inside src/pipeline: a bone bake while it is made. All passes go over all frames, one at a time.
#ifndef LIMBERI_PIPELINE_BAKE_BONES_H
#define LIMBERI_PIPELINE_BAKE_BONES_H

#include "bake/bones.h"
#include "pipeline/bake_smear.h"
#include "pipeline/bake_tracks.h"

typedef struct limberi_bone_rows limberi_bone_rows;

typedef struct limberi_bone_bake {
    limber_pipeline* pipeline;
    const limber_model* model;
    const limber_bake_settings* settings;
    limber_bake* bake;
    limber_error* error;
    limberi_arena arena;
    limberi_smear_bake smears;
    double tolerance; // world units
    uint32_t frame_count, progress_total, progress;
    uint32_t cache_count, cached;    // frames that have room in memory, frames that are there
    float* cache;                    // [cached][vertex * 3]
    limber_mat4 *world, *skin_world; // [frame][joint] the joints, and what skins hang on
    bool* shown;                     // [frame] false: outside the range, plain
    limberi_bones bones;
    int32_t* helper_of_vertex;
    uint32_t helper_count;
    limberi_bone_helper* helpers;
    limberi_affine* local;   // [frame][slot] relative to the joint
    float* wanted;           // [vertex * 3] of the current frame
    float* shape;            // [vertex * 3] scratch: skinned vertices, what is left of them
    float *off, *importance; // [vertex]
    limberi_bone_rows* rows; // [mesh]
} limberi_bone_bake;

// The joint that a slot hangs on.
static inline uint32_t limberi_bone_bake_joint(const limberi_bone_bake* b, uint32_t slot) {
    uint32_t joints = b->model->rig.joint_count;
    return slot < joints ? slot : b->helpers[slot - joints].joint;
}

// bake_bones_frames.c. The first pass over all frames: joints, smears, and as many vertices as there is room for.
LIMBER_MUST_USE limber_result limberi_bone_bake_collect(limberi_bone_bake* b);
// Makes `wanted` the vertices of a frame of all tracks, and says where it is.
LIMBER_MUST_USE limber_result limberi_bone_bake_frame(limberi_bone_bake* b, uint32_t frame, uint32_t* track,
                                                      uint32_t* index);
// Palettes of all meshes by the joints alone, or with what the bones add.
void limberi_bone_bake_pose(limberi_bone_bake* b, uint32_t frame, bool bones);
// Skins a mesh; `positions` in its own space.
void limberi_bone_bake_skin(limberi_bone_bake* b, uint32_t mesh, const float* positions, float* out);

// bake_bones_rows.c: morph targets for what the bones leave, and the error in the end.
LIMBER_MUST_USE limber_result limberi_bone_bake_targets(limberi_bone_bake* b);

#endif
