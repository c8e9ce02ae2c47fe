// Effects while they run over vertices: what run.c, run_chain.c and run_group.c share, and scalar functions for
// reference.c.
#ifndef LIMBERI_DEFORM_RUN_H
#define LIMBERI_DEFORM_RUN_H

#include "base/math.h"
#include "deform/deformer.h"

// --- scalar functions (run_group.c): one joint, a block of vertices ---

struct limberi_effect_call {
    const limber_deformer* deformer;
    const limber_deform_job* job;
    const limberi_block3 *position, *normal;
    limberi_block3* displacement;
    const limberi_block_values *values, *source_values; // [slot]
    uint32_t count, joint;
    const float* weight;
    const limber_mesh* mesh; // with its layers in the order of the block,
    uint32_t first;          // which starts here
};

void limberi_effect_run(const limberi_effect_call* call, uint32_t slot);

// A block of vertices for an effect that bends the pose.
struct limberi_bend_call {
    const limber_deformer* deformer;
    uint32_t slot;
    const limber_mesh* mesh;
    uint32_t first, count;
    const uint32_t* vertices; // [count] of the mesh; NULL: those from `first` on
    const float* gain;        // [count] of the effect at the vertex; gains of joints come on top
    limberi_block3* position;
    limberi_block3* normal; // turned along; NULL: nobody asks
};

// Whether the slot has something to do at the joint.
bool limberi_slot_moves(const limber_deformer* deformer, const limber_deform_job* job, uint32_t slot, uint32_t joint);

// --- groups ---

typedef struct limberi_group_state {
    const limber_deformer* d;
    const limberi_deform_frame* f;
    const limberi_deform_kernels* kernels;
    const struct limberi_groups* groups;
    const limberi_group* group;
    const limber_mesh* mesh;
    limberi_deform_scratch* scratch;
    limberi_lane_block block;
    const limberi_block3* normal; // skinned
    const limberi_block3* along;  // the mesh's normals that lift takes: the same, or averaged where it is split
    limberi_block3 lift_normal;   // the cone's
    bool lift_normal_ready;
    uint32_t ready; // bit per slot: values evaluated
    float speed[LIMBER_BLOCK];
    uint32_t mesh_index;
    float middle[3], radius; // of a sphere around the positions
} limberi_group_state;

// How the joints of a work turn: the numbers per vertex that they share.
typedef struct limberi_turn_list {
    bool open; // the fields below are set
    limberi_turn_mode mode;
    float widest[LIMBERI_TURN_WIDE]; // angle, per unit of gain, of each reach
    float bend_gain, squash_gain;    // largest of any vertex, times what is in the rows
} limberi_turn_list;

// run_chain.c: joint after joint, into the displacements.
void limberi_chain_effects(limberi_group_state* g);
// The same at once on the positions, where all joints link and are calm.
void limberi_chain_move(limberi_group_state* g);
// An upper bound of how far limberi_chain_effects moves points along each axis, in a box around g->middle.
void limberi_chain_reach(const limberi_group_state* g, const float half[3], float reach[3]);

// run_group.c: what multiplies the rates of an effect at each vertex: its formula times its layer, or the layer alone, or
// ones.
const float* limberi_group_gain_or_ones(limberi_group_state* g, uint32_t slot, uint32_t part);
// What scales the palette at each vertex: the layer or formula of the effect it is for.
const float* limberi_group_fold_gain(limberi_group_state* g, uint32_t fold);

// A palette, blended with the skinning weights.
void limberi_group_run_fold(const limberi_group_state* g, const limberi_lane_block* block, uint32_t fold,
                            const float* gain, limberi_affine_use use);

// Effects that bend the pose, before all others: they move the positions and turn `normal`, which may be NULL.
bool limberi_group_bend(limberi_group_state* g, limberi_block3* normal);

void limberi_group_clear(float (*rows)[LIMBER_BLOCK], int count, uint32_t width);
// The sphere around the positions as they are now.
void limberi_group_bound(limberi_group_state* g);

void limberi_group_open_turns(limberi_group_state* g, const limberi_work* work, limberi_turn_list* list);
// Rows that do not turn.
void limberi_group_run_rows(limberi_group_state* g, const limberi_work* work, const limberi_row_call* calls,
                            uint32_t count);
// Effects without a kernel.
void limberi_group_run_scalar(limberi_group_state* g, const limberi_joint_work* own, uint32_t joint,
                              const float* weight);

// No vertex of the group is farther from the joint than this.
static inline float limberi_group_farthest(const limberi_group_state* g, const float* place) {
    float x = g->middle[0] - place[0];
    float y = g->middle[1] - place[1];
    float z = g->middle[2] - place[2];
    return sqrtf(x * x + y * y + z * z) + g->radius;
}

// How far the row turns vertices that are at most `far` from the joint.
static inline limberi_turn_reach limberi_turn_reach_of(const limberi_turn_list* list, const limberi_turn_row* row,
                                                       float far) {
    float angle = far * row->longest;
    limberi_turn_reach reach = row->squash_rate < 0 ? LIMBERI_TURN_WIDE : LIMBERI_TURN_FAINT;
    while (reach < LIMBERI_TURN_WIDE && !(angle <= list->widest[reach]))
        reach++;
    return reach;
}

#endif
