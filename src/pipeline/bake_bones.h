// Inside src/pipeline: a bone bake while it is made. All passes go over all frames, as many at a time as
// there are members of the team.
#ifndef LIMBERI_PIPELINE_BAKE_BONES_H
#define LIMBERI_PIPELINE_BAKE_BONES_H

#include "bake/bones.h"
#include "pipeline/bake_smear.h"
#include "pipeline/bake_tracks.h"
#include "pipeline/team.h"

typedef struct limberi_bone_rows limberi_bone_rows;

// What a mesh needs while a frame is replayed.
typedef struct limberi_bone_replay {
    float *positions, *shape, *row; // [vertex * 3]
    double* weights;                // [target]
    double error;                   // world units
    bool wants;                     // it is too far off; `row` is what would put that right
} limberi_bone_replay;

// A frame at work. Several are at once.
typedef struct limberi_bone_frame {
    struct limberi_bone_bake* bake;
    limber_pipeline* pipeline;
    uint32_t frame, track, index;
    limber_smeared smeared;
    float* wanted;                // [vertex * 3]
    float* shape;                 // [vertex * 3] skinned vertices, what is left of them
    float* off;                   // [vertex] the farthest in this pass
    limber_mat4** palettes;       // [mesh][bind]
    double* found;                // of limberi_bones_fit
    limberi_bone_replay* replays; // [mesh]
    limber_result result;
} limberi_bone_frame;

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
    float *off, *importance; // [vertex]
    limberi_team team;
    limberi_bone_frame* frames;  // [team.count]
    const float* fit_importance; // of the current pass
    bool fit_stores;
    limberi_bone_rows* rows; // [mesh]
} limberi_bone_bake;

// The joint that a slot hangs on.
static inline uint32_t limberi_bone_bake_joint(const limberi_bone_bake* b, uint32_t slot) {
    uint32_t joints = b->model->rig.joint_count;
    return slot < joints ? slot : b->helpers[slot - joints].joint;
}

// bake_bones_frames.c. Calls `one` for every frame, or every so many of them, by any threads: it makes use of
// limberi_bone_bake_frame, and leaves its result in the frame. Then `take`, unless it is NULL, in the order of frames.
typedef limber_result limberi_bone_store(limberi_bone_bake* b, limberi_bone_frame* f);
LIMBER_MUST_USE limber_result limberi_bone_bake_pass(limberi_bone_bake* b, uint32_t every,
                                                     void (*one)(void* frames, uint32_t member, uint32_t worker),
                                                     limberi_bone_store* take);
// The team, and memory for its frames; palettes and `found` come with the bones.
LIMBER_MUST_USE limber_result limberi_bone_bake_open(limberi_bone_bake* b);
// The first pass over all frames: joints, smears, and as many vertices as there is room for.
LIMBER_MUST_USE limber_result limberi_bone_bake_collect(limberi_bone_bake* b);
// Makes `wanted` the vertices of the frame.
LIMBER_MUST_USE limber_result limberi_bone_bake_frame(limberi_bone_frame* f);
// Palettes of all meshes by the joints alone, or with what the bones add.
void limberi_bone_bake_pose(limberi_bone_frame* f, bool bones);
// Skins a mesh; `positions` in its own space.
void limberi_bone_bake_skin(limberi_bone_frame* f, uint32_t mesh, const float* positions, float* out);
// The farthest that any frame of the pass is off, into b->off; each frame noted its own.
void limberi_bone_bake_merge_off(limberi_bone_bake* b);

// bake_bones_rows.c: morph targets for what the bones leave, and the error in the end.
LIMBER_MUST_USE limber_result limberi_bone_bake_targets(limberi_bone_bake* b);

#endif
