// The deformer itself: what src/deform shares inside, and what src/gpu reads to hand the same frame to a GPU.
#ifndef LIMBERI_DEFORMER_H
#define LIMBERI_DEFORMER_H

#include "asset/asset.h"
#include "base/memory.h"
#include "deform/effects/effect.h"
#include "deform/kernels/deform_kernels.h"
#include "deform/normals/averager.h"
#include "deform/normals/split.h"
#include "deform/stage.h"

// How each effect's numbers are evaluated, known when the deformer is made.
typedef struct limberi_slot_plan {
    const limberi_effect* effect;
    bool varies;           // some number differs from vertex to vertex
    bool constants_change; // some other number is a formula
    bool gain_varies[2];   // [part]: by a layer or a formula ...
    bool formula[2];       // ... and by a formula
    uint32_t fold;         // palette of its affine part
    bool layered;          // some mesh has the layer
    bool scalar;           // no kernel: runs through its scalar function
    limberi_numbers numbers;
} limberi_slot_plan;

// Palettes of matrices that add up along the hierarchy: one for all constant gains, one per effect whose gain differs
// from vertex to vertex (per unit of gain), and the velocity of every point.
enum { LIMBERI_FOLD_CONSTANT, LIMBERI_FOLD_SLOT, LIMBERI_FOLD_VELOCITY = LIMBERI_FOLD_SLOT + LIMBER_EFFECT_COUNT };
enum { LIMBERI_FOLD_COUNT = LIMBERI_FOLD_VELOCITY + 1 };

// One kind of row that joints may have: a shape, and whose numbers it runs with.
typedef struct limberi_work {
    limberi_shape shape; // of the slot's row; a squash row that also bends has both slots
    int32_t bend_slot;   // LIMBERI_SHAPE_BEND, or a bend that runs as one with the squash; -1: none
    int32_t slot;        // whose gain scales the row; of a bend alone that is bend_slot
    uint32_t part;
    uint32_t list; // works with the same numbers per vertex share the list of the first
} limberi_work;

enum { LIMBERI_WORKS = 16 };

typedef union limberi_joint_row {
    limberi_follow_row follow;
    limberi_turn_row turn;
    limberi_travel_row travel;
    limberi_spin_row spin;
} limberi_joint_row;

// What a joint does this frame that is not affine.
typedef struct limberi_joint_work {
    uint32_t works;        // bit per limberi_work that has a row
    uint32_t scalar_slots; // bit per slot that runs through its scalar function
    float place[3];        // of the joint
    uint8_t only_turn;     // the only work, where it is one that turns and nothing is scalar; else LIMBERI_WORKS
    uint8_t fold;          // the only palette it fills: LIMBERI_FOLD_VELOCITY for none, LIMBERI_FOLD_COUNT for more
    bool links;            // the kernel of followed joints has all it does, with numbers that cannot overflow
} limberi_joint_work;

// One frame of one deformer: everything that does not depend on the vertex.
typedef struct limberi_deform_frame {
    limber_deform_job job;
    bool moves;                          // anything at all
    uint32_t bends;                      // bit per slot that bends the pose before all others
    float strength;                      // of all effects
    uint32_t folds;                      // bit per palette that some joint fills
    limberi_joint_work* joints;          // [joint]
    limberi_joint_row* rows;             // [joint][work]
    int32_t* acting;                     // [joint] itself or the nearest joint above that acts, -1; see plan.c
    uint16_t* folded;                    // [joint] bit per palette that is not zero there
    float* palettes[LIMBERI_FOLD_COUNT]; // [joint][12]
    bool shift_only[LIMBERI_FOLD_COUNT];
    bool constants_ready;
    bool calm;                       // the constant palette holds no numbers that could overflow on a vertex
    bool all_link;                   // of a chain: all joints that act link, and no gain could overflow, either
    limberi_block_values* constants; // [slot] numbers that are the same everywhere
    float cone_apex[3], cone_axis[3], cone_cosine, cone_sine;
} limberi_deform_frame;

_Static_assert(LIMBERI_FOLD_COUNT <= 16, "limberi_deform_frame.folded has a bit per palette");

// The layer of an effect with gains per mesh.
typedef struct limberi_own_layer {
    const char* name;    // NULL: the effect has none
    const char* painted; // the layer of the style that it stands for; NULL: none
    float scale;         // what 1 in it stands for: the gains of the effect have it, or ...
    bool in_joints;      // ... those of its joints
} limberi_own_layer;

// One of several cones of lift, and where it stands in this frame.
typedef struct limberi_lift_cone {
    limber_cone cone; // in the space of its joint; of a chain as it is at rest
    int32_t to;       // last joint of a chain, -1: no chain
    float along,
        sign; // of a chain: from the first joint to the apex, in world units; 1: it opens towards the last joint
    float residual;
    const char* layer; // own layer with the part of each vertex that belongs to it
    limber_vec3 apex, axis;
    float cosine, sine; // of the half angle
} limberi_lift_cone;

struct limber_deformer {
    limberi_arena arena;
    const limber_model* model;
    const struct limberi_groups* const* groups; // [mesh]
    limber_deform_settings settings;
    limber_model own_model;                            // where the model has layers of the deformer (layers.c)
    limber_mesh* own_meshes;                           // its meshes; NULL: it has none
    limberi_own_layer own_layers[LIMBER_EFFECT_COUNT]; // [slot]
    float size;
    uint32_t active; // bit per slot that is on
    limberi_slot_plan plans[LIMBERI_SLOTS];
    uint32_t work_count, turn_works; // turn_works: bit per work of the kernel that turns
    uint32_t link_works;             // bit per work that the kernel of followed joints has; 0: nothing is followed
    uint32_t follow_slot;            // the effect whose springs follow the joints, where link_works is not 0 ...
    int32_t squash_slot;             // ... and the effect that squashes and travels in the same kernel; -1: none
    limberi_work works[LIMBERI_WORKS];
    uint8_t work_of[LIMBER_EFFECT_COUNT][LIMBERI_SHAPE_COUNT];
    uint32_t together;                                 // the work of a bend and a squash that run as one
    uint32_t sources, source_users;                    // bits of slots that other slots read, and of their readers
    uint32_t own_sources;                              // the sources that are read with their own gains ...
    bool sources_count_one;                            // ... or all of them are read with gains of 1
    limber_joint_gain* own_gains[LIMBER_EFFECT_COUNT]; // [joint], where formulas write; NULL: the effect has none
    void* states[LIMBER_EFFECT_COUNT];                 // what an effect's `prepare` makes for its `begin`
    bool has_cone;
    limber_cone cone;
    float cone_residual;
    uint32_t cone_count; // of lift with several cones; `cone` is the first of them
    limberi_lift_cone* cones;
    limberi_split_normals split; // vertices at one place, which lift moves along one normal
    float* lift_normals;         // [3 * vertex] of limber_deformer_evaluate; NULL: nothing is split
    uint32_t names_used;         // bits of limber_variable over all formulas
    limberi_mesh_names* names;   // [mesh] in the order of its groups
    limber_mesh* sorted;         // [mesh] with its layers in the order of its groups
    const float** layers;       // [mesh][slot] the layer that scales the effect, in the order of the groups; NULL: none
    limberi_averager* averager; // NULL unless normals are averaged
    bool borrows_averager;      // it belongs to a deformer that this one will inherit from
    limberi_variant variant;
    limberi_deform_frame frame;
    limberi_deform_scratch scratch; // of limber_deformer_evaluate
};

static inline bool limberi_slot_is_on(const limber_deformer* d, uint32_t slot) {
    return d->active >> slot & 1;
}

static inline bool limberi_is_chain(const limber_deformer* d) {
    return d->settings.compose == LIMBER_COMPOSE_CHAIN;
}

static inline bool limberi_slot_is_source(const limber_deformer* d, uint32_t slot) {
    return d->sources >> slot & 1;
}

// Whether the effect is prepared for a frame: it acts itself, or another effect reads it with its gains.
static inline bool limberi_slot_begins(const limber_deformer* d, uint32_t slot) {
    return (d->active | d->own_sources) >> slot & 1;
}

static inline limber_joint_gain limberi_joint_gain(const limber_deformer* d, uint32_t slot, uint32_t joint) {
    limber_joint_gain one = {1, 1};
    return slot < LIMBER_EFFECT_COUNT && d->settings.joint_gains[slot] ? d->settings.joint_gains[slot][joint] : one;
}

// With the strength of the style at this frame.
static inline limber_joint_gain limberi_frame_gain(const limber_deformer* d, uint32_t slot, uint32_t joint) {
    limber_joint_gain gain = limberi_joint_gain(d, slot, joint);
    gain.linear *= d->frame.strength;
    gain.angular *= d->frame.strength;
    return gain;
}

// What squash keeps in place at this joint.
static inline limber_about limberi_about_of(const limber_deformer* d, uint32_t slot, uint32_t joint) {
    const int8_t* about = d->settings.about;
    if (about && about[joint] >= 0)
        return (limber_about)about[joint];
    float chosen = limberi_number_of(&d->settings.effects[slot], LIMBERI_VALUE_ABOUT).value;
    return chosen == (float)LIMBER_ABOUT_AXIS ? LIMBER_ABOUT_AXIS : LIMBER_ABOUT_CENTER;
}

// Whether the accelerations that drive the part come with their share already.
static inline bool limberi_is_gated(const limber_deformer* d, const limber_deform_job* job, uint32_t slot,
                                    uint32_t part) {
    const limber_filter_set* filters = &limberi_slot_settings(&d->settings, slot)->filters;
    const limber_filter* filter = part == LIMBERI_ANGULAR ? &filters->angular_acceleration : &filters->acceleration;
    return (job->gated >> slot & 1) && filter->type != LIMBER_FILTER_NONE;
}

// Whether the part of an effect is affine in p with these settings, so that it folds into a palette.
static inline bool limberi_part_is_folded(const limber_deformer* d, uint32_t slot, uint32_t part) {
    const limberi_effect* effect = d->plans[slot].effect;
    if (part == effect->constant_affine_part)
        return !d->plans[slot].gain_varies[part];
    return part == effect->affine_part && (!effect->is_affine || effect->is_affine(&d->settings.effects[slot]));
}

// run.c: fills lift_normals from the skinned ones.
void limberi_deform_weld_normals(const limber_deformer* deformer, const limber_deform_job* job);

// values.c: whether a number differs from vertex to vertex.
bool limberi_number_varies(limber_number number);
// Values of an effect's numbers for `count` vertices from `first`, times its layer. Names and layers are those of
// `names` and `mesh`, in whatever order they stand there.
void limberi_evaluate_values(const limberi_mesh_names* names, const limber_mesh* mesh, limberi_numbers numbers,
                             const limber_effect_settings* settings, const limber_deform_job* job, uint32_t first,
                             uint32_t count, const float* speed, limberi_block_values* out);
// For effects that others read: gains of 1 where the rules say so.
void limberi_source_values(const limber_deformer* deformer, uint32_t slot, const limberi_block_values* values,
                           limberi_block_values* out);
// Gains of joints that are formulas: checked once, evaluated once a frame.
limber_result limberi_prepare_gains(limber_deformer* deformer, limber_error* error);
void limberi_evaluate_gains(limber_deformer* deformer, const limber_deform_job* job);

// layers.c: layers and the inputs of formulas, sorted by groups; the second does it again for a layer that has changed.
limber_result limberi_prepare_sorted(limber_deformer* deformer);
void limberi_sort_layer(const limber_deformer* deformer, uint32_t mesh, uint32_t layer);
// Layers for gains per mesh.
limber_result limberi_prepare_own_layers(limber_deformer* deformer);
// One more layer of a mesh, its values to be filled; NULL: no memory. The name must stay.
float* limberi_own_layer_add(limber_deformer* deformer, uint32_t mesh, const char* name);

// plan.c: what is known when a deformer is made.
limber_result limberi_prepare_plans(limber_deformer* deformer);
// What effects do once a frame; d->frame.job is the job, and may be changed.
void limberi_begin_effects(limber_deformer* deformer);
// What comes before all joints of a frame; false: nothing moves.
bool limberi_deform_open(limber_deformer* deformer, const limber_deform_job* job);
// plan_joint.c: the velocity of points that the joint carries, in the palette for it.
void limberi_fold_velocity(limber_deformer* deformer, uint32_t joint);

// reference.c: by scalar functions only, vertex after vertex: what the kernels are tested against.
LIMBER_MUST_USE limber_result limberi_deformer_run_reference(limber_deformer* deformer, const limber_deform_job* job);

// What the effects of one joint and those above it do at any points: re-rooting takes that away. Made once, run per
// frame.
typedef struct limberi_rooting limberi_rooting;
limberi_rooting* limberi_rooting_create(limber_deformer* deformer); // NULL: no memory
void limberi_rooting_destroy(limberi_rooting* rooting);
// After limberi_deform_begin of the job: out_positions -= share * what the effects of `joint` and those above it do at the
// positions.
void limberi_rooting_run(limberi_rooting* rooting, const limber_deform_job* job, uint32_t joint, float share);

#endif
