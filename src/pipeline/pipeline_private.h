// Shared inside src/pipeline.
#ifndef LIMBERI_PIPELINE_PRIVATE_H
#define LIMBERI_PIPELINE_PRIVATE_H

#include "base/arena.h"
#include <limber/pipeline.h>

enum { LIMBERI_SLOTS = LIMBER_EFFECT_COUNT + LIMBER_CUSTOM_EFFECTS };

struct limber_pipeline {
    limberi_arena arena;
    const limber_model* model;
    limber_pipeline_settings settings;
    limber_pose pose;
    limber_kinematics local_motion, world_motion;
    limber_deformer* deformer;
    uint32_t filter_count; // distinct filter sets of the effects that are on
    limber_filter_set filters[LIMBERI_SLOTS];
    uint32_t filter_of_slot[LIMBERI_SLOTS];    // UINT32_MAX: the effect takes the plain motion
    int32_t track_clip;                        // the clip the tracks below are of, -1: none yet
    limber_track* tracks[LIMBERI_SLOTS];       // [filter_count]
    limber_kinematics filtered[LIMBERI_SLOTS]; // [filter_count] world space, this frame
    limber_mat4** palettes;                    // [skin]
    limber_dualquat** dualquats;               // [skin], NULL unless dual quaternion skinning is on
    float* morphed_positions;                  // [model.vertex_count * 3], used where a mesh has morph targets
    float* morphed_normals;
    float* skinned;
    float* deformed;
    float* normals;
};

// Mesh-space positions and normals of a mesh as the current pose morphs them.
const float* limberi_pipeline_morphed_positions(const limber_pipeline* pipeline, const limber_mesh* mesh);
const float* limberi_pipeline_morphed_normals(const limber_pipeline* pipeline, const limber_mesh* mesh);

#endif
