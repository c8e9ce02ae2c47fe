// limber/stages/exaggerate.h: a clip in, a cartoon clip out: skeletons that overshoot, stretch and squash.
//
// Two things happen to a clip. A filter makes every joint anticipate its motion and overshoot when it stops. Then
// joints are pulled to other places and the rest of the skeleton follows like rubber: bones change their length so that
// the shape of the whole is kept as well as possible.
//
//     limber_constraint hand = limber_constraint_default();
//     hand.joint = 0;
//     hand.elongate.value = 0.1f; // a tenth of L longer
//     limber_exaggerate_settings settings = limber_exaggerate_settings_default(); // everything off
//     settings.amount = 0.5;                                                      // the filter
//     settings.constraints = &hand;
//     settings.constraint_count = 1;
//     limber_exaggerated* edited;
//     limber_error error;
//     if (limber_exaggerate(model, &model->clips[0], 0, &settings, &edited, &error) != LIMBER_OK)
//         return 1;
//     const limber_clip* cartoon = limber_exaggerated_clip(edited); // play this one instead
//     printf("%g seconds\n", cartoon->end_s - cartoon->start_s);
//     limber_exaggerated_destroy(edited);
//
// To drag a joint interactively, use the solver at the end of this header: it is factored once, and moving a target
// afterwards takes microseconds.
#ifndef LIMBER_STAGES_EXAGGERATE_H
#define LIMBER_STAGES_EXAGGERATE_H

#include <limber/stages/expression.h>
#include <limber/stages/pose.h>

#ifdef __cplusplus
extern "C" {
#endif

// How an edit made at single moments fades to nothing at the ends of its window: smoothly, or in straight lines.
typedef enum limber_spread { LIMBER_SPREAD_BILAPLACE, LIMBER_SPREAD_LAPLACE } limber_spread;

// Where a joint should be at one moment.
typedef struct limber_target_key {
    double time_s;        // since the clip's start
    limber_vec3 position; // world, or with `relative` an offset in L
} limber_target_key;

// Where one joint should go: along its bone (no keys), or to places at given times.
typedef struct limber_constraint {
    uint32_t joint;         // that is pulled
    float weight;           // against the shape of the skeleton, which has weight 1
    limber_number elongate; // in L, away from the parent; formulas may use t, frame, phase and speed (L per second)
    uint32_t key_count;
    const limber_target_key* keys; // in order of time
    bool relative;                 // keys are offsets from where the clip has the joint
    double window_s;               // how long before and after the keys the edit is felt
} limber_constraint;

// Whether the joint where the bones meet (the first below each root with several children: the hips) and those above it
// stay where they are. A held joint keeps its place whatever its neighbors do, so that a pull on one leg leaves the chest
// and the other leg alone. Savoye's energy also keeps it in the middle of its neighbors: the others give way.
typedef enum limber_pin {
    LIMBER_PIN_NONE, // a pull may move the whole skeleton
    LIMBER_PIN_ROOT,
    LIMBER_PIN_PAPER, // as printed
} limber_pin;

// Formulas of `t`, `frame` (of the edited clip) and `phase` that multiply the numbers of the settings below. NULL: 1.
typedef struct limber_exaggerate_changes {
    const limber_expression *amount, *sigma_s, *delay_s, *strength;
} limber_exaggerate_changes;

// What happens to a clip.
typedef struct limber_exaggerate_settings {
    uint32_t struct_size; // set by limber_exaggerate_settings_default
    float size;           // L; 0: the model's
    limber_loop_mode loop;
    bool limited;                      // only the range below is edited
    double range_start_s, range_end_s; // clip time
    double amount;                     // of the filter; 0: off
    double sigma_s;                    // width of the filter
    double delay_s;                    // how much later each joint moves than its parent
    const bool* filter_joints;         // [joint]: which joints the filter changes; NULL: all
    uint32_t constraint_count;
    const limber_constraint* constraints;
    bool automatic;  // also pull the joints that stand out in every beat of the motion
    double strength; // how far at most, in L
    double limit;    // no joint goes farther than this from where the clip has it, in L, whatever moves it; 0: no limit
    limber_pin pin_root;
    double kinematic; // 0 ... 1: how much bones keep their length and turn instead
    limber_spread spread;
    double smooth;     // smoothing passes over the edits, each as wide as a frame at 30 fps
    bool stretch_skin; // skins stretch along with the bones
    const bool*
        stiff; // [joint] carries something rigid: its skin does not stretch, nor its bone with `automatic`; or NULL
    const bool* props; // [joint] moves nothing but a prop: `automatic` does not pull it; or NULL
    // How much each joint is held where it was, 0 ... 1, at a time of the clip; limber_exaggerate_hold_contacts sets it. NULL: none.
    void (*hold)(const void* user, double time_s, float* holds);
    const void* hold_user; // passed to `hold`
    limber_exaggerate_changes changes;
} limber_exaggerate_settings;

// One that pulls nowhere.
LIMBER_API limber_constraint limber_constraint_default(void);
// Everything off.
LIMBER_DEFAULT(limber_exaggerate_settings)
// Whether the settings change anything.
LIMBER_API bool limber_exaggerate_is_on(const limber_exaggerate_settings* settings);

// An edited clip.
typedef struct limber_exaggerated limber_exaggerated;

// `fps` is the rate of the new keys; 0: the clip's own. The clip and the model must outlive the result, which shares
// what did not change.
LIMBER_API LIMBER_MUST_USE limber_result limber_exaggerate(const limber_model* model, const limber_clip* clip,
                                                           double fps, const limber_exaggerate_settings* settings,
                                                           limber_exaggerated** edited, limber_error* error);
LIMBER_API void limber_exaggerated_destroy(limber_exaggerated* edited);
// The clip to play. It belongs to `edited`.
LIMBER_API const limber_clip* limber_exaggerated_clip(const limber_exaggerated* edited);
// [joint] whether a constraint pulls it, one of yours or an automatic one. NULL: the clip is as it was.
LIMBER_API const bool* limber_exaggerated_pulled(const limber_exaggerated* edited);
// How skins stretch along with the bones.
LIMBER_API uint32_t limber_exaggerated_stretch_count(const limber_exaggerated* edited);
LIMBER_API const limber_stretch* limber_exaggerated_stretch(const limber_exaggerated* edited, uint32_t index);
// Multiplies the matrices of stretched joints. For skinning only: children do not inherit the stretch.
LIMBER_API void limber_exaggerated_stretch_pose(const limber_exaggerated* edited, double time_s,
                                                limber_mat4* world_from_joint);

// --- the solver ---

// The least-squares problem of one pose: some joints are held or pulled, and all bones try to keep their shape.
//
//     limber_bone_graph graph = {model->rig.joint_count, model->rig.parents, NULL};
//     const uint32_t hand = 0;
//     const float weight = 1;
//     limber_bone_solver* solver;
//     limber_error error;
//     if (limber_bone_solver_create(&graph, 1, &hand, &weight, LIMBER_PIN_ROOT, &solver, &error) != LIMBER_OK)
//         return 1;
//     limber_bone_solver_pose(solver, joint_positions); // a pose of the clip
//     limber_bone_solver_move(solver, 0, target);       // whenever the mouse moves
//     const limber_vec3* moved = limber_bone_solver_positions(solver);
//     printf("the root is at height %g\n", moved[0].y);
//     limber_bone_solver_destroy(solver);
typedef struct limber_bone_graph {
    uint32_t joint_count;
    const int32_t* parents; // [joint] as in limber_rig
    const bool* members;    // [joint]: false for nodes that are not part of the skeleton; NULL: all are
} limber_bone_graph;

// A factored problem, see above.
typedef struct limber_bone_solver limber_bone_solver;

// A part of the skeleton that nothing holds is held at its root. Of several constraints on one joint the last one counts.
LIMBER_API LIMBER_MUST_USE limber_result limber_bone_solver_create(const limber_bone_graph* graph,
                                                                   uint32_t constraint_count, const uint32_t* joints,
                                                                   const float* weights, limber_pin pin_root,
                                                                   limber_bone_solver** solver, limber_error* error);
LIMBER_API void limber_bone_solver_destroy(limber_bone_solver* solver);
// A new pose; every target moves to where its joint is.
LIMBER_API void limber_bone_solver_pose(limber_bone_solver* solver, const limber_vec3* positions);
// Moves the target of one constraint.
LIMBER_API void limber_bone_solver_move(limber_bone_solver* solver, uint32_t constraint, limber_vec3 target);
// [joint] where all joints go. Valid until the next call.
LIMBER_API const limber_vec3* limber_bone_solver_positions(const limber_bone_solver* solver);

#ifdef __cplusplus
}
#endif

#endif
