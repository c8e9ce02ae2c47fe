// Shared inside src/deform: the deformer and the steps of a run.
#ifndef LIMBERI_DEFORM_PRIVATE_H
#define LIMBERI_DEFORM_PRIVATE_H

#include "asset/vertex_names.h"
#include "base/arena.h"
#include "deform/effects.h"

enum { EFFECT_SLOTS = LIMBER_EFFECT_COUNT + LIMBER_CUSTOM_EFFECTS };

// Numbers of an effect that may be formulas, in the order of limberi_block_values.
enum { VALUE_LINEAR, VALUE_ANGULAR, VALUE_MAX_BEND, VALUE_TWIST, VALUE_BEND, VALUE_THRESHOLD, VALUE_COUNT };

typedef struct limberi_block_values {
    float v[VALUE_COUNT][LIMBER_BLOCK];
} limberi_block_values;

// Vertices that are one point of the surface (same place, same normal) share a group.
typedef struct limberi_mesh_weld {
    uint32_t group_count;
    uint32_t* group; // [vertex]
} limberi_mesh_weld;

// One joint in the block at hand.
typedef struct limberi_block_joint {
    uint32_t joint;
    float weight[LIMBER_BLOCK];
} limberi_block_joint;

struct limber_deformer {
    limberi_arena arena;
    const limber_model* model;
    limber_deform_settings settings;
    float size;
    bool active; // any effect on at all
    bool slot_active[EFFECT_SLOTS];
    limber_joint_gain* own_gains[LIMBER_EFFECT_COUNT]; // [joint], where formulas write; NULL: the effect has none
    limber_cone cone;
    float cone_residual;
    uint32_t names_used;       // bits of limber_name over all formulas
    limberi_mesh_names* names; // [mesh]
    limberi_mesh_weld* welds;  // [mesh]
    uint32_t* joint_moves;     // [joint] bit per slot, this frame
    int32_t* row_of_joint;     // [joint] in the block at hand, -1
    limberi_block_joint* rows; // scratch
    uint32_t row_capacity;
    float* before; // normals: sums of face normals, 3 per group, before and after
    float* after;
};

const limber_effect_settings* limberi_slot_settings(const limber_deformer* deformer, uint32_t slot);

// Fills the per-vertex inputs that formulas use and finds the vertices that share a point.
limber_result limberi_prepare_names(limber_deformer* deformer);
limber_result limberi_prepare_welds(limber_deformer* deformer);

// Gains of joints that are formulas: checked once, evaluated once a frame.
limber_result limberi_prepare_gains(limber_deformer* deformer, limber_error* error);
void limberi_evaluate_gains(limber_deformer* deformer, const limber_deform_job* job);

// Values of an effect's numbers for `count` vertices from `first` of a mesh, times its layer.
void limberi_evaluate_values(const limber_deformer* deformer, const limber_effect_settings* settings,
                             const limber_deform_job* job, const limber_mesh* mesh, uint32_t mesh_index, uint32_t first,
                             uint32_t count, const float* speed, limberi_block_values* out);

// Normals of one mesh after its positions are known.
void limberi_average_normals(limber_deformer* deformer, const limber_deform_job* job, const limber_mesh* mesh,
                             uint32_t mesh_index);

#endif
