// What an effect is. Each built-in effect describes itself in one file of this folder; the loops over joints, vertices,
// GPU rows and style keys know descriptions, not effects. CONTRIBUTING.md walks through adding one.
#ifndef LIMBERI_DEFORM_EFFECT_H
#define LIMBERI_DEFORM_EFFECT_H

#include "asset/groups.h"
#include "base/build.h"
#include "deform/slots.h"
#include "keys/row.h"

// Quantities of a joint's motion.
enum { LIMBERI_VELOCITY = 1, LIMBERI_ANGULAR_VELOCITY = 2, LIMBERI_ACCELERATION = 4, LIMBERI_ANGULAR_ACCELERATION = 8 };

// The two parts of an effect, each with a gain.
enum { LIMBERI_LINEAR, LIMBERI_ANGULAR, LIMBERI_NO_PART };

// Kernels, by the shape of the motion they make (deform/kernels). What is affine in p needs none of these.
typedef enum limberi_shape {
    LIMBERI_SHAPE_BEND,    // about an axis through the joint, with a limit
    LIMBERI_SHAPE_SQUASH,  // in the plane across the medial axis; runs as one with a bend of the same turn
    LIMBERI_SHAPE_TRAVEL,  // stretch along a direction, about the centroid
    LIMBERI_SHAPE_SPIN,    // away from an axis, with the square of the distance
    LIMBERI_SHAPE_SHORTEN, // along the medial axis, towards the centroid
    LIMBERI_SHAPE_LIFT,    // along normals
    LIMBERI_SHAPE_FOLLOW,  // a turn and a shift that grow with the distance up to their whole size
    LIMBERI_SHAPE_COUNT
} limberi_shape;

// Blocks of texels that limber_deform.glsl reads for a joint. Two effects may share one; their roles tell them apart.
typedef enum limberi_gpu_block {
    LIMBERI_GPU_NONE,
    LIMBERI_GPU_TURN,    // role 0 bends, role 1 squashes
    LIMBERI_GPU_SLOWING, // two bends about one axis: role 0 while the joint speeds up, role 1 while it slows down
    LIMBERI_GPU_TRAVEL,
    LIMBERI_GPU_SPIN,
    LIMBERI_GPU_LIFT,
    LIMBERI_GPU_OVERLAP,
    LIMBERI_GPU_BLOCKS
} limberi_gpu_block;

typedef struct limberi_joint_plan limberi_joint_plan;   // deform/plan.h
typedef struct limberi_effect_call limberi_effect_call; // deform/run.h
typedef struct limberi_bend_call limberi_bend_call;     // deform/run.h
typedef struct limberi_joint_quad limberi_joint_quad;   // deform/gpu_rows.h

// A number that `fit` may look for. The range lies inside that of its style key.
typedef struct limberi_fit_row {
    const char* name; // of the key: `effects.EFFECT.NAME`
    bool gain;        // may be 0 or negative; other numbers are positive and sought by their logarithm
    double start, low, high;
    double more_starts[2];   // other places where the search begins; 0: none
    const char* only_limits; // a gain without which the number does nothing; NULL: any gain of the effect
} limberi_fit_row;

// What moves vertices one by one, and what only tools such as `info` and `fit` ask for. The browser's light module leaves
// vertices to the GPU and has no tools.
#define LIMBERI_SCALAR(function) (LIMBERI_HAS_VERTICES ? (function) : NULL)
#define LIMBERI_TOOL(pointer) (LIMBERI_HAS_TOOLS ? (pointer) : NULL)

typedef struct limberi_effect {
    const char* name;
    const char* source;            // paper and equations
    uint32_t reads;                // quantities it uses ...
    uint32_t driven_by;            // ... and those that make it act: a joint in which all of these are zero is skipped
    uint32_t parts;                // bit per part that it has
    uint32_t affine_part;          // folds into palettes; LIMBERI_NO_PART: none
    bool affine_matrix;            // with a matrix, else only shifts
    uint32_t constant_affine_part; // folds where its gain is the same everywhere; LIMBERI_NO_PART: none
    bool bends;                    // has max_bend, twist and bend
    limber_gate gate;              // share of the accelerations that its filters run on
    uint32_t air;                  // LIMBER_AIR_... that act on it
    uint32_t shapes;               // bit per limberi_shape that its plan may ask for
    bool gains_are_in_motion;      // `begin` puts the gains of effect and joints into the motion
    bool has_follower; // springs follow the joints (limber_filter_set.follower); `begin` makes the motion of them
    // Without a filter of its own it goes by the springs of the effect that has them and is on, unless its `driven_by`
    // says otherwise.
    bool joins_follower;

    limber_effect_function function;     // the scalar reference: one joint, a block of vertices
    void (*plan)(limberi_joint_plan* p); // what one joint does this frame, for the kernels; NULL: scalar only
    // Of that, what folds into palettes, at four joints at once (deform/gpu_rows.h), for frames of which nobody asks more;
    // NULL: the plan does.
    void (*fold)(limberi_joint_quad* quad, uint32_t slot);

    // Where the common rules do not do. NULL: they do.
    limber_result (*check)(const limber_effect_settings* settings, limber_error* error); // also while it is off
    bool (*is_affine)(const limber_effect_settings* settings);    // whether affine_part is, with these settings
    bool (*needs_scalar)(const limber_effect_settings* settings); // no kernel for these settings
    bool (*reads_normals)(const limber_effect_settings* settings);
    bool (*reads_plain)(const limber_deformer* d, uint32_t slot);     // the motion before all filters, too
    uint32_t (*sources)(const limber_effect_settings* settings);      // other effects it reads, bit per slot
    bool (*replaces_sources)(const limber_effect_settings* settings); // they act through this effect alone
    // Which time derivative of the motion stands in place of the accelerations: 3 jerk, 4 jounce, 0 none.
    uint32_t (*derivative)(const limber_effect_settings* settings);
    limber_result (*prepare)(limber_deformer* d, uint32_t slot, limber_error* error);
    void (*begin)(limber_deformer* d, uint32_t slot);         // every frame, before the joints
    void (*layer_changed)(limber_deformer* d, uint32_t slot); // a layer of the model has other values
    bool (*has_derivatives)(const limber_deformer* d, uint32_t slot);
    // In place of `function`, for an effect with sources: `sources` holds their displacements, unweighted.
    void (*run_on_sources)(const limberi_effect_call* call, const limber_effect_block* block,
                           const limberi_block3* sources);
    // In place of a motion of joints: where the pose puts vertices before all other effects, also where nothing moves.
    // `begin` sets its bit of limberi_deform_frame.bends. Returns whether it moved some.
    bool (*bend)(const limberi_bend_call* call);

    // A limit of the style that joints can come near to, for the review of a style.
    struct {
        const char* key;  // `effects.NAME.KEY`; NULL: it has none
        const char* unit; // as people read it
        double per_unit;  // from the number below to that unit
        uint32_t value;   // LIMBERI_VALUE_...
        // Whether the joint takes more than `share` of the limit in this frame.
        bool (*is_near)(const limber_deformer* d, uint32_t slot, uint32_t joint, float limit, float share);
    } limit;

    // Which keys `limber info` advises to change, each after `effects.NAME.`
    struct {
        const char* strength;   // NULL: `linear` or `angular`, whichever is on
        const char* stretch[2]; // lower these where it stretches too much, best first; NULL: none
        const char* pop;        // raise this where it pops; NULL: add a filter
    } advice;

    // What `fit` may look for: the gains of its parts and max_bend where it has that, unless listed here. Effects with a
    // follower are fitted on demand, as a chain and without filters and layers; all others by default.
    struct {
        bool is_offered;
        const limberi_fit_row* rows; // in place of the gains
        uint32_t row_count;
        const limberi_fit_row* limit; // in place of max_bend
    } fit;

    // Rows for the GPU (deform/gpu_rows.h). A part that is on, not folded and without a block is refused by src/gpu.
    struct {
        limberi_gpu_block block[2]; // [part]
        uint32_t role;
        void (*put)(limberi_joint_quad* quad, uint32_t slot);                  // a block of its own; says who acts
        void (*share)(limberi_joint_quad* quad, uint32_t slot, uint32_t part); // how much counts; NULL: 1
        void (*put_source)(limberi_joint_quad* quad, uint32_t slot); // for an effect that reads this one; NULL: a bend
        uint32_t source_texels;
        // Texels of an effect that bends: how many at most, then those of a frame. `column` scales its gain at a vertex,
        // -1: none; `scale`: what 1 in it stands for. Returns how many.
        uint32_t (*bend_texels)(const limber_deformer* d, uint32_t slot);
        uint32_t (*put_bend)(const limber_deformer* d, uint32_t slot, int column, float scale, float* out);
    } gpu;

    // Keys of the style file (deform/effects/keys.h), and what the help says about them.
    const limberi_row* keys; // `effects.NAME.*`
    uint32_t key_count;
    const limberi_row* joint_keys; // `joints.*.NAME`
    uint32_t joint_key_count;
    const limberi_section* sections;
    uint32_t section_count;
} limberi_effect;

// The numbers of an effect that may be formulas: its gains and the first of its own values.
typedef struct limberi_numbers {
    uint32_t count;   // gains included
    uint32_t degrees; // bit per number that is given in degrees and used in radians
} limberi_numbers;
limberi_numbers limberi_effect_numbers(const limberi_effect* effect); // from its keys
const char* limberi_effect_number_name(const limberi_effect* effect, uint32_t number);

// The built-in effects in the order of limber_effect; a program's own share one description.
extern const limberi_effect* const limberi_effects[LIMBER_EFFECT_COUNT];
extern const limberi_effect limberi_effect_custom;

// Effects in the order of reports: those with a follower first, which move most where they are on.
limber_effect limberi_effect_by_weight(uint32_t index);

// Whether the effect goes by the springs of one that has them, where it has no filter of its own.
static inline bool limberi_effect_joins(const limberi_effect* effect, const limber_effect_settings* settings) {
    return effect->joins_follower &&
           limberi_number_of(settings, LIMBERI_VALUE_DRIVEN_BY).value == LIMBER_DRIVEN_BY_OVERLAP;
}

static inline const limberi_effect* limberi_slot_effect(uint32_t slot) {
    return slot < LIMBER_EFFECT_COUNT ? limberi_effects[slot] : &limberi_effect_custom;
}

#endif
