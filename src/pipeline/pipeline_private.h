// Shared inside src/pipeline.
#ifndef LIMBERI_PIPELINE_PRIVATE_H
#define LIMBERI_PIPELINE_PRIVATE_H

#include "base/arena.h"
#include <limber/pipeline.h>

struct limber_pipeline {
    limberi_arena arena;
    const limber_model* model;
    limber_pipeline_settings settings;
    limber_pose pose;
    limber_kinematics local_motion, world_motion;
    limber_mat4** palettes;      // [skin]
    limber_dualquat** dualquats; // [skin], NULL unless dual quaternion skinning is on
    float* morphed_positions;    // [model.vertex_count * 3], used where a mesh has morph targets
    float* morphed_normals;
    float* skinned;
    float* normals;
};

// Mesh-space positions and normals of a mesh as the current pose morphs them.
const float* limberi_pipeline_morphed_positions(const limber_pipeline* pipeline, const limber_mesh* mesh);
const float* limberi_pipeline_morphed_normals(const limber_pipeline* pipeline, const limber_mesh* mesh);

#endif
