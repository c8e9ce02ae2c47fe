// limber/stages/deform.h: the cartoon effects: vertices are displaced according to how the joints move.
//
// The settings say which effects run and how strongly; a job deforms the skinned vertices of one frame:
//
//     limber_deform_settings settings = limber_deform_settings_default(); // everything off
//     settings.effects[LIMBER_EFFECT_FLOPPY].angular.value = 0.4f;
//     limber_deformer* deformer;
//     limber_error error;
//     if (limber_deformer_create(asset, &settings, &deformer, &error) != LIMBER_OK)
//         return 1;
//     limber_deform_job job = limber_deform_job_default();
//     job.pose = &pose;
//     job.plain_motion = job.motion[LIMBER_EFFECT_FLOPPY] = &motion; // world space
//     job.positions = skinned_positions;
//     job.normals = skinned_normals;
//     job.out_positions = positions;
//     if (limber_deformer_evaluate(deformer, &job) == LIMBER_OK)
//         draw(positions, NULL);
//     limber_deformer_destroy(deformer);
//
// Each effect is a function that, for one joint and a block of vertices, adds a displacement weighted by the joint's
// upward weight. Effects of your own run beside the built-in ones: put the function into settings.custom (see
// limber_effect_block, and examples/own_effect for a complete program).
#ifndef LIMBER_STAGES_DEFORM_H
#define LIMBER_STAGES_DEFORM_H

#include <limber/stages/expression.h>
#include <limber/stages/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

// The effects (docs/effects.md). LIMBER_EFFECT_COUNT is their number.
typedef enum limber_effect {
    LIMBER_EFFECT_FLOPPY,
    LIMBER_EFFECT_SQUASH,
    LIMBER_EFFECT_DRAG,
    LIMBER_EFFECT_FOLLOWTHROUGH,
    LIMBER_EFFECT_STRETCH,
    LIMBER_EFFECT_LIFT,
    LIMBER_EFFECT_OVERLAP,
    LIMBER_EFFECT_DERIVATIVE,
    LIMBER_EFFECT_HOSE,
    LIMBER_EFFECT_COUNT
} limber_effect;

#define LIMBER_EFFECT_LIMIT 24u  // arrays by effect have room for effects that are still to come
#define LIMBER_CUSTOM_EFFECTS 8u // max effects of your own

// How `twist` and `bend` make one rotation: multipliers of its angle, or two displacements as the thesis prints them
// (equation 3.9), by -m twist and by (1 + m) bend.
typedef enum limber_decompose { LIMBER_DECOMPOSE_MIXED, LIMBER_DECOMPOSE_PRINTED } limber_decompose;
// How drag and followthrough share an acceleration: by the time until the motion turns, or by the product of velocity and
// acceleration, as printed (acceleration skinning, equation 9).
typedef enum limber_gate_type { LIMBER_GATE_TIME, LIMBER_GATE_PRODUCT } limber_gate_type;
// What the angular part of squash keeps in place: the medial axis of a part, or its center.
typedef enum limber_about { LIMBER_ABOUT_AXIS, LIMBER_ABOUT_CENTER } limber_about;
// Which motion squash sees: that of the springs of overlap, where it is on, or always the joints' own.
typedef enum limber_driven_by { LIMBER_DRIVEN_BY_OVERLAP, LIMBER_DRIVEN_BY_MOTION } limber_driven_by;
// How stretch grows with the distance from the axis of rotation.
typedef enum limber_profile { LIMBER_PROFILE_LINEAR, LIMBER_PROFILE_QUADRATIC } limber_profile;
// Along which normals lift goes: those of its cone, or of the mesh.
typedef enum limber_lift_normals { LIMBER_LIFT_CONE, LIMBER_LIFT_MESH } limber_lift_normals;
// Lift adds to what its sources displace, or takes their place: of their displacement only the part along the normals is
// left (acceleration skinning, equation 14).
typedef enum limber_lift_mode { LIMBER_LIFT_ADD, LIMBER_LIFT_REPLACE } limber_lift_mode;
// How lift grows with the distance from the axis of rotation: beyond the base radius, or not at all (thesis, 5.3.1).
typedef enum limber_lift_falloff { LIMBER_LIFT_BY_RADIUS, LIMBER_LIFT_EVEN } limber_lift_falloff;
// What drives the effect derivative: the first to fourth derivative of a joint's place and rotation.
typedef enum limber_derivative {
    LIMBER_BY_VELOCITY,
    LIMBER_BY_ACCELERATION,
    LIMBER_BY_JERK,
    LIMBER_BY_JOUNCE
} limber_derivative;
// How normals follow the effects: averaged from the triangles, or by the Jacobian of the deformation.
typedef enum limber_normals { LIMBER_NORMALS_AVERAGED, LIMBER_NORMALS_JACOBIAN } limber_normals;

// What the hierarchy hangs on. With contacts, the displacement that a joint at rest in the world gets is taken from all
// vertices: what holds on stays, and the body trails from there.
typedef enum limber_root { LIMBER_ROOT_RIG, LIMBER_ROOT_CONTACTS } limber_root;
// How the displacements of several joints go together: added up at the skinned vertex, or applied one after another
// from the leaves to the root, each where the ones before have put the vertex.
typedef enum limber_compose { LIMBER_COMPOSE_SUM, LIMBER_COMPOSE_CHAIN } limber_compose;

// A cone attached to a joint, in joint space (rest pose). The axis points from the apex to the open end.
typedef struct limber_cone {
    int32_t joint;          // that it is attached to
    limber_vec3 apex, axis; // a point; a direction
    float half_angle_rad;   // between the axis and the side
    float base_radius;      // world units: closer to the axis of rotation nothing lifts
} limber_cone;

#define LIMBER_LIFT_CONES 16u // max cones of one style

// A part of the skin with a cone of its own, which is fitted: all below a joint, or a chain from one joint to another.
// What belongs to several is the deepest one's. A chain has a frustum from its first joint to its last.
typedef struct limber_lift_part {
    int32_t joint, to; // -1: no chain
} limber_lift_part;

// The cone or cones of lift.
typedef struct limber_lift_cones {
    limber_cone cone;    // joint -1: none given
    bool fit;            // fit the cone to the joint's vertices
    uint32_t part_count; // several cones in place of `cone`; other vertices do not lift
    const limber_lift_part* parts;
} limber_lift_cones;

#define LIMBER_EFFECT_VALUES 8u // max numbers of one effect besides its gains

// One effect: what all effects have, and numbers of its own. Numbers may be formulas with every limber_variable except
// `offset`, where docs/style.md says so.
typedef struct limber_effect_settings {
    limber_number linear, angular; // gains; 0: that part is off (overlap: the same for all vertices)
    // Its own numbers; limber_effect_number finds them by their names. Where the style has a word, the number says which
    // of the words (limber_about, limber_profile, ...); where it has a list of effects, bit i is word i of docs/style.md.
    limber_number values[LIMBER_EFFECT_VALUES];
    const char* layer;         // scales the gains; NULL: none
    const char* joint_layer;   // overlap: scales what joints lag, by the mean over their skin; NULL: none
    limber_filter_set filters; // of the motion that it sees
} limber_effect_settings;

// Multiplies the contribution of one joint to one effect.
typedef struct limber_joint_gain {
    float linear, angular; // 1: unchanged
} limber_joint_gain;

// A gain of a joint that changes with time: a formula of `t`, `frame` and `phase`, clamped to -1e6 ... 1e6. It replaces
// joint_gains for the parts it is for; of several for the same part the last one counts.
typedef struct limber_gain_formula {
    limber_effect effect;
    uint32_t joint;       // whose gain it is
    bool linear, angular; // the parts it is for
    const limber_expression* expression;
} limber_gain_formula;

// A number of an effect's filters that changes with time: a formula of `t`, `frame` and `phase`, in place of what stands at
// this offset of the filters: offsetof(limber_filter_set, angular_velocity.gamma). For gamma, frequency_hz and damping of the
// four filters, and frequency_hz, damping and smooth_s of the follower. Springs and lowpasses go on from where they are.
typedef struct limber_filter_formula {
    limber_effect effect;
    uint32_t number; // the offset
    const limber_expression* expression;
} limber_filter_formula;

// What an effect function receives: one joint and one block of vertices. World space, structure of arrays.
typedef struct limber_effect_block {
    uint32_t count;            // vertices, at most LIMBER_BLOCK
    const float *x, *y, *z;    // skinned positions; composed as a chain: where the joints below have put them
    const float *nx, *ny, *nz; // skinned normals
    const float* weight;       // upward weight of this joint
    const float* linear;       // gain of the linear part: style x joint x layer
    const float* angular;      // gain of the angular part
    const float* values[LIMBER_EFFECT_VALUES]; // the effect's own numbers that may be formulas; angles in radians
    limber_vec3 position, velocity, acceleration, angular_velocity, angular_acceleration; // of the joint, filtered
    bool gated[2];                                     // linear and angular: the accelerations are gated already
    limber_vec3 centroid, medial_axis, bone_direction; // world space
    float size;                                        // L
    uint32_t joint;                                    // in the rig
    const limber_effect_settings* settings;
    const void* user;    // limber_custom_effect.user
    float *dx, *dy, *dz; // displacements to add to
} limber_effect_block;

// Adds the displacements of one joint to one block of vertices.
typedef void (*limber_effect_function)(const limber_effect_block* block);

// An effect of your own.
typedef struct limber_custom_effect {
    const char* name;
    limber_effect_function function;
    const void* user; // limber_effect_block.user
    limber_effect_settings settings;
} limber_custom_effect;

// Which effects run, and how strongly.
typedef struct limber_deform_settings {
    uint32_t struct_size;   // set by limber_deform_settings_default
    float size;             // L; 0: the model's
    limber_number strength; // multiplies all effects: 0 ... 2; formulas of `t`, `frame` and `phase`
    limber_effect_settings effects[LIMBER_EFFECT_LIMIT];
    const limber_joint_gain* joint_gains[LIMBER_EFFECT_LIMIT]; // [joint], NULL: all 1
    uint32_t gain_formula_count;
    const limber_gain_formula* gain_formulas;
    const limber_vec3* centroid_offsets; // [joint], joint space, NULL: none
    const int8_t* about;                 // [joint]: limber_about or -1: the effect's; NULL: the effect's for all
    uint32_t custom_count;
    limber_custom_effect custom[LIMBER_CUSTOM_EFFECTS];
    limber_normals normals;
    limber_compose compose;
    uint32_t air; // LIMBER_AIR_... that the motions of effects are relative to; a pipeline sets it
    // [joint], joint space: direction of the medial axis through the joint, in place of the centroid's; 0: the centroid's.
    const limber_vec3* medial_axes; // NULL: the centroids' for all
    // [mesh]: multiplies the contribution of all joints to one effect; effects with equal gains share an array.
    const float* mesh_gains[LIMBER_EFFECT_LIMIT]; // NULL: all 1
    limber_lift_cones lift_cones;
    limber_root root; // contacts: of a pipeline that plays clips
    uint32_t filter_formula_count;
    const limber_filter_formula* filter_formulas; // one at most for each number
} limber_deform_settings;

// One frame. Positions and normals are those of all meshes, one after the other, 3 per vertex, world space.
typedef struct limber_deform_job {
    uint32_t struct_size;                                 // set by limber_deform_job_default
    double time_s, frame, phase;                          // for formulas: since the clip's start, in frames, 0 ... 1
    const limber_pose* pose;                              // with world matrices
    const limber_kinematics* motion[LIMBER_EFFECT_LIMIT]; // world space, filtered, per effect
    const limber_kinematics* custom_motion[LIMBER_CUSTOM_EFFECTS]; // the same for effects of your own
    // Bit per effect, those of your own from LIMBER_EFFECT_LIMIT on: its filtered accelerations are gated
    // (limber_filter_set), the effect does not gate them again.
    uint32_t gated;
    const limber_kinematics* plain_motion; // unfiltered, for `speed`
    const float *positions, *normals;      // skinned
    const float* lift_normals;             // skinned; NULL: means of `normals` at the same place, as lift wants them
    float* out_positions;                  // not the array of `positions`
    float* out_normals;                    // may be the array of `normals`; NULL: not needed
} limber_deform_job;

// Effects that are ready to run on one character.
typedef struct limber_deformer limber_deformer;

// Off, with the defaults of its numbers.
LIMBER_API limber_effect_settings limber_effect_settings_default(limber_effect effect);
// A number of an effect by its name in the style; NULL: it has none of that name. docs/style.md has the names, ranges and
// defaults, and so has limber_key_at (limber/stages/keys.h).
//     limber_effect_number(&settings, LIMBER_EFFECT_SQUASH, "max")->value = 0.5f;
LIMBER_API limber_number* limber_effect_number(limber_deform_settings* settings, limber_effect effect,
                                               const char* name);
// Everything off.
LIMBER_DEFAULT(limber_deform_settings)
LIMBER_DEFAULT(limber_deform_job)
// Its name in the style: "floppy".
LIMBER_API const char* limber_effect_name(limber_effect effect);

// Copies the settings (formulas, arrays and layer names in them must stay valid) and fits the cone if asked to.
LIMBER_API LIMBER_MUST_USE limber_result limber_deformer_create(const limber_asset* asset,
                                                                const limber_deform_settings* settings,
                                                                limber_deformer** deformer, limber_error* error);
LIMBER_API void limber_deformer_destroy(limber_deformer* deformer);
LIMBER_API LIMBER_MUST_USE limber_result limber_deformer_evaluate(limber_deformer* deformer,
                                                                  const limber_deform_job* job);

// The cone in use, and the root mean square distance of the fitted vertices from it, in L (0 for a given cone).
LIMBER_API bool limber_deformer_cone(const limber_deformer* deformer, limber_cone* cone, float* residual);
// The same by number, where there are several.
LIMBER_API bool limber_deformer_cone_at(const limber_deformer* deformer, uint32_t index, limber_cone* cone,
                                        float* residual);

#ifdef __cplusplus
}
#endif

#endif
