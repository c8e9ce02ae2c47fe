// Shared inside src/deform: the deformer and the steps of a run.
#ifndef LIMBERI_DEFORM_PRIVATE_H
#define LIMBERI_DEFORM_PRIVATE_H

#include "asset/vertex_names.h"
#include "base/arena.h"
#include "deform/effects.h"
#include "deform/group.h"
#include "deform/lanes.h"
#include "deform/welds.h"

enum { EFFECT_SLOTS = LIMBER_EFFECT_COUNT + LIMBER_CUSTOM_EFFECTS };

// How the numbers of an effect are to be had, known when the deformer is made.
typedef struct limberi_slot_plan {
    bool active;
    bool source;         // of lift
    bool varies;         // some number differs from vertex to vertex
    bool gain_varies[2]; // linear, angular: by a layer or a formula ...
    bool formula[2];     // ... and by a formula
    int fold;            // palette of its affine part
    bool layered;        // some mesh has the layer
    bool scalar;         // no kernel: runs through its scalar function
} limberi_slot_plan;

// Palettes of matrices that add up along the hierarchy: what all constant gains make, what single effects whose gains
// differ from vertex to vertex make (per unit of gain), and the velocity of every point.
enum { FOLD_CONSTANT, FOLD_FLOPPY, FOLD_DRAG, FOLD_FOLLOWTHROUGH, FOLD_STRETCH, FOLD_VELOCITY, FOLD_COUNT };

// What a joint does this frame that is not affine, ready for the kernels.
enum {
    ROW_BEND = 1,
    ROW_SQUASH = 2,
    ROW_TOGETHER = 4,
    ROW_TRAVEL = 8,
    ROW_SPIN = 16,
    ROW_DRAG = 32,
    ROW_FOLLOW = 64,
    ROW_LIFT = 128,
    ROW_TURNS = ROW_BEND | ROW_SQUASH | ROW_DRAG | ROW_FOLLOW
};

typedef struct limberi_joint_rows {
    uint32_t kinds;        // ROW_..., or-ed
    uint32_t scalar_slots; // bit per slot
    float place[3];        // of the joint
    limberi_turn_row bend, squash, drag, follow;
    limberi_travel_row travel;
    limberi_spin_row spin, lift;
} limberi_joint_rows;

// One frame of one deformer: everything that does not depend on the vertex.
typedef struct limberi_deform_frame {
    limber_deform_job job;
    bool moves;                  // anything at all
    uint32_t folds;              // bit per FOLD_ that some joint fills
    limberi_joint_rows* rows;    // [joint]
    int32_t* acting;             // [joint] itself or the nearest joint above that has rows, -1
    uint8_t* folded;             // [joint] bit per FOLD_ that is not zero there
    float* palettes[FOLD_COUNT]; // [joint][12]
    bool shift_only[FOLD_COUNT];
    bool constants_ready;
    bool calm;                       // FOLD_CONSTANT holds no numbers that could overflow on a vertex
    limberi_block_values* constants; // [slot] numbers that are the same everywhere
    float cone_apex[3], cone_axis[3], cone_cosine, cone_sine;
} limberi_deform_frame;

struct limber_deformer {
    limberi_arena arena;
    const limber_model* model;
    limber_deform_settings settings;
    float size;
    bool active; // any effect on at all
    bool slot_active[EFFECT_SLOTS];
    limberi_slot_plan plans[EFFECT_SLOTS];
    bool follow_is_drag;                               // to the kernels, as far as they bend
    limber_joint_gain* own_gains[LIMBER_EFFECT_COUNT]; // [joint], where formulas write; NULL: the effect has none
    limber_cone cone;
    float cone_residual;
    uint32_t names_used;       // bits of limber_variable over all formulas
    limberi_mesh_names* names; // [mesh] in the order of its groups
    limber_mesh* sorted;       // [mesh] with its layers in the order of its groups
    const float** layers;      // [mesh][slot] the layer that scales the effect, in the order of the groups; NULL: none
    limberi_mesh_welds* welds; // [mesh]; NULL unless normals are averaged
    limberi_arena weld_arena;  // what they point to, unless they are ...
    bool borrows_welds;        // ... those of a deformer that this one will inherit from
    limberi_variant variant;
    limberi_deform_frame frame;
    limberi_deform_scratch scratch; // of limber_deformer_evaluate
};

const limber_effect_settings* limberi_slot_settings(const limber_deformer* deformer, uint32_t slot);

// Fills the per-vertex inputs that formulas use and finds the vertices that share a point.
limber_result limberi_prepare_sorted(limber_deformer* deformer);
// The model's layer has other values: the deformer is then as if it had been made with them.
void limberi_deformer_layer_changed(limber_deformer* deformer, uint32_t mesh, uint32_t layer);
limber_result limberi_prepare_welds(limber_deformer* deformer);
limber_result limberi_borrow_welds(limber_deformer* deformer, const limber_deformer* other);
limber_result limberi_prepare_frame(limber_deformer* deformer);

// Gains of joints that are formulas: checked once, evaluated once a frame.
limber_result limberi_prepare_gains(limber_deformer* deformer, limber_error* error);
void limberi_evaluate_gains(limber_deformer* deformer, const limber_deform_job* job);

// Values of an effect's numbers for `count` vertices from `first`, times its layer. Names and layers are those of
// `names` and `mesh`, in whatever order they stand there.
void limberi_evaluate_values(const limberi_mesh_names* names, const limber_mesh* mesh,
                             const limber_effect_settings* settings, const limber_deform_job* job, uint32_t first,
                             uint32_t count, const float* speed, limberi_block_values* out);
// For the sources of lift: gains of 1 where the rules say so.
void limberi_source_values(const limber_deformer* deformer, uint32_t slot, const limberi_block_values* values,
                           limberi_block_values* out);
bool limberi_is_source(const limber_deformer* deformer, uint32_t slot);

// Whether the slot has something to do at the joint, and the joint's gain for it.
bool limberi_slot_moves(const limber_deformer* deformer, const limber_deform_job* job, uint32_t slot, uint32_t joint);
limber_joint_gain limberi_joint_gain(const limber_deformer* deformer, uint32_t slot, uint32_t joint);
limber_about limberi_joint_about(const limber_deformer* deformer, uint32_t joint);

// A joint as an effect sees it: position and centroid, then its axes, and how it moves.
void limberi_fill_place(const limber_deformer* deformer, const limber_deform_job* job, uint32_t joint,
                        limber_effect_block* out);
void limberi_fill_axes(const limber_deformer* deformer, const limber_deform_job* job, limber_effect_block* out);
void limberi_fill_motion(const limber_kinematics* motion, uint32_t joint, limber_effect_block* out);

// One effect, one joint, one block of vertices, by its scalar function.
typedef struct limberi_effect_call {
    const limber_deformer* deformer;
    const limber_deform_job* job;
    const limberi_block3 *position, *normal;
    limberi_block3* displacement;
    const limberi_block_values *values, *source_values; // [slot]
    uint32_t count, joint;
    const float* weight;
} limberi_effect_call;

void limberi_effect_run(const limberi_effect_call* call, uint32_t slot);

// The same by scalar functions only, vertex after vertex: what the kernels are tested against.
LIMBER_MUST_USE limber_result limberi_deformer_run_reference(limber_deformer* deformer, const limber_deform_job* job);

#endif
