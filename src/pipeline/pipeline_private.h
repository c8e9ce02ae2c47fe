// Shared inside src/pipeline.
#ifndef LIMBERI_PIPELINE_PRIVATE_H
#define LIMBERI_PIPELINE_PRIVATE_H

#include "base/memory.h"
#include "collide/colliders.h"
#include "contact/stage.h"
#include "deform/slots.h"
#include "deform/stage.h"
#include "motion/air.h"
#include "pipeline/state.h"
#include "rigid/rigid.h"
#include "smear/spin.h"
#include <limber/bake.h>
#include <limber/live.h>

struct limber_pipeline {
    limberi_arena arena;
    const limber_pipeline* original; // of a clone (clone.h): what it reads clips, tracks and contacts of; NULL: its own
    const limber_asset* asset;
    const limber_model* model;
    limber_bound_style* bound; // what the settings point into; NULL: the caller's own memory
    limber_stage_settings settings;
    limber_model performed_model;           // with clips that were retimed and posed, as they are asked for
    limber_clip* performed_clips;           // those of it
    struct limberi_performance** performed; // [clip], NULL: the clips are as they were; each NULL: not asked for yet
    struct limberi_held_clip** held;        // [clip], NULL: no pose is held; each NULL: not asked for yet
    limber_model edited_model;              // with clips that were exaggerated
    limber_exaggerated** edited;            // [clip], NULL: the clips are as they were
    limberi_spins spins;                    // joints that stand still in these clips, and textures that turn instead
    limber_pose skin_pose;                  // only world_from_joint: what skins hang on where bones stretch
    limber_pose pose;
    limber_kinematics local_motion, world_motion;
    limberi_air* air;                  // NULL: neither wind nor gravity
    limber_kinematics aired, air_only; // with air: local motion in it, and what it adds
    limber_deformer* deformer;
    uint32_t filter_count; // distinct filter sets of the effects that are on
    limberi_filters filters[LIMBERI_SLOTS];
    uint32_t filter_of_slot[LIMBERI_SLOTS]; // UINT32_MAX: the effect takes the plain motion
    uint32_t whole;      // bit per effect that adds up with others to one without a gate; the lowest runs for all
    int32_t track_clip;  // the clip the tracks below are of, -1: none yet
    int32_t posed_clip;  // whose pose it is, -1: of none
    double posed_time_s; // clip time; live: since the stream began
    const limber_live* posed_live;       // the stream it came from, NULL: none
    bool posed_filtered;                 // `filtered` below is of this pose
    bool posed_what_if;                  // only what followers make of a given motion is
    bool posed_by_program;               // which may ask for its vertices at any time
    bool plain_unread;                   // nobody reads world_motion of clips, and it is not computed
    limber_track* tracks[LIMBERI_SLOTS]; // [filter_count]
    limber_track*** kept; // [clip][filter_count] of clips that were prepared, whose `tracks` are; NULL: none was
    limber_kinematics filtered[LIMBERI_SLOTS]; // [filter_count] world space, this frame
    limber_mat4** palettes;                    // [skin]
    limber_dualquat** dualquats;               // [skin], NULL unless dual quaternion skinning is on
    float* morphed_positions;                  // [model.vertex_count * 3], used where a mesh has morph targets
    float* morphed_normals;
    float* morph_rates;    // [model.morph_count] per second; NULL: the style does nothing with morph targets that move
    float* morph_scratch;  // [2 * model.morph_count]
    float* late_positions; // [model.vertex_count * 3] where morph targets that move leave their meshes, before skinning
    uint8_t* mesh_is_late; // [mesh] the above has it
    bool is_late;          // some mesh is
    float* lift_normals; // in mesh space, one for all vertices of a place, for lift; NULL: those of the meshes will do
    const float** lift_kept; // [3 * mesh] x, y and z of them in the order of the groups; NULL: they change, or are none
    float* skinned;
    float* deformed;
    float* normals;
    float* skinned_normals;                        // where the ground turns Jacobian normals, else NULL
    uint32_t outputs;                              // LIMBER_OUTPUT_... bit flags
    const struct limberi_groups* const* groups;    // [mesh]
    uint32_t* first_group;                         // [mesh + 1] where its groups start when all follow each other
    limberi_rigid* rigid;                          // NULL: no part is rigid
    limberi_contact_stage* ground;                 // NULL: no contacts, impacts and rigid parts
    const limber_contacts* contacts;               // of the pose, NULL: none
    const limberi_live_contacts* live_contacts;    // instead of them where the pose is live, NULL: none
    const struct limberi_live_acting* live_acting; // of a live pose; NULL: it is of a clip, or nothing acts
    limberi_collision* collision;                  // NULL: no colliders
    uint8_t* rigid_group;                          // [group of all meshes] has vertices of rigid parts
    limber_parallel parallel;                      // run NULL: the calling thread
    limberi_arena worker_arena;
    limberi_deform_scratch* scratch; // [worker]
    limberi_variant variant;
    struct limberi_roots* roots;       // NULL: effects start at the root of the rig
    struct limberi_smear_stage* smear; // pipeline/smear_stage.c; NULL until something is smeared
};

// roots.c: effects that start at contacts.
typedef struct limberi_roots limberi_roots;
limberi_roots* limberi_roots_create(const limber_model* model, limber_deformer* deformer); // NULL: no memory
void limberi_roots_destroy(limberi_roots* roots);
// After the groups of a frame.
void limberi_roots_run(const limber_pipeline* pipeline, const limber_deform_job* job);

// Updates palettes and morphed meshes after the current pose got new local transforms and morph weights. `clip` NULL:
// of none.
void limberi_pipeline_move(limber_pipeline* pipeline, const limber_clip* clip, double time_s);
// After the morph rates of the pose: what they do to the meshes, with the strength of the style. A pose without a motion
// has no rates.
void limberi_pipeline_drag_morphs(limber_pipeline* pipeline, double strength);
void limberi_pipeline_clear_morph_rates(limber_pipeline* pipeline);
// Fills lift_normals from the meshes as they are morphed.
void limberi_pipeline_weld_normals(limber_pipeline* pipeline);
// limber_pipeline_evaluate_joints and limber_pipeline_evaluate of exactly this time, whatever pose is held then.
LIMBER_MUST_USE limber_result limberi_pipeline_evaluate_joints_at(limber_pipeline* pipeline, int32_t clip,
                                                                  double time_s);
LIMBER_MUST_USE limber_result limberi_pipeline_evaluate_at(limber_pipeline* pipeline, int32_t clip, double time_s,
                                                           limber_frame* frame);
// Skins and deforms every vertex of the current pose, group by group; `job` has the motion.
void limberi_pipeline_run_groups(limber_pipeline* pipeline, const limber_deform_job* job);
limber_result limberi_pipeline_allocate_groups(limber_pipeline* pipeline);

// What a frame wants of its groups, after limberi_deform_begin. Arrays are of all meshes after each other.
typedef struct limberi_group_work {
    const limber_pipeline* p;
    const struct limberi_groups* const* groups; // [mesh]
    const limber_deformer* deformer;            // for these groups
    float* deformed;
    float *skinned, *normals, *skinned_normals; // NULL: not wanted
    bool moves, jacobian;                       // what limberi_deform_begin said; normals follow by the Jacobian
    bool own_normals;                           // the skinned normals are read or wanted, not just those of lift
} limberi_group_work;

// Skins one group of a mesh into `skinned`.
void limberi_pipeline_skin_group(const limberi_group_work* work, uint32_t mesh, uint32_t group);
// Skins and deforms one group of a mesh; whether effects moved it.
bool limberi_pipeline_run_group(const limberi_group_work* work, uint32_t mesh, uint32_t group,
                                limberi_deform_scratch* scratch);
// Whether something after the effects moves vertices in this frame, and what it needs to know; the vertices themselves
// are for the caller to fill in.
bool limberi_pipeline_has_ground(const limber_pipeline* pipeline, bool moves);
limberi_contact_stage_frame limberi_pipeline_ground_frame(const limber_pipeline* pipeline,
                                                          const limber_deform_job* job);
// Calls task over [0, count), by the caller's threads where there are some.
void limberi_pipeline_for(const limber_pipeline* pipeline, uint32_t count, uint32_t step, limber_task task, void* user);

// prepared.c: filtered motions of a clip, for `tracks`.
limber_result limberi_pipeline_prepare_tracks(limber_pipeline* pipeline, int32_t clip);
void limberi_pipeline_drop_tracks(limber_pipeline* pipeline, limber_track** tracks); // [filter_count]

// texture_spin.c: stops what is to spin in its texture, in all clips.
limber_result limberi_pipeline_stop_spins(limber_pipeline* pipeline, limber_error* error);
// How far textures are shifted over the clips of a bake.
limber_result limberi_bake_shifts(const limber_pipeline* pipeline, double fps, limber_bake* bake);

// performed_clips.c: readies the pipeline for clips that are performed, each when it is first asked for. Not of a clone.
limber_result limberi_pipeline_begin_performing(limber_pipeline* pipeline, limber_error* error);
LIMBER_MUST_USE limber_result limberi_pipeline_perform(limber_pipeline* pipeline, uint32_t clip);
LIMBER_MUST_USE limber_result limberi_pipeline_perform_all(limber_pipeline* pipeline); // by the caller's threads
// Whether a clip, of those from `at` on, is so long that all threads are to share its moments: most would wait for one.
bool limberi_pipeline_is_long(const limber_pipeline* pipeline, const uint32_t* order, uint32_t at);
void limberi_pipeline_drop_performances(limber_pipeline* pipeline);
// Of a clip that is performed already. False: nothing is held.
struct limberi_holds;
bool limberi_pipeline_holds(const limber_pipeline* pipeline, uint32_t clip, struct limberi_holds* holds);
// A time becomes that of the pose which is on show then. Performs the clip.
LIMBER_MUST_USE limber_result limberi_pipeline_hold(limber_pipeline* pipeline, int32_t clip, double* time_s);
// The time of the plain clip that the current pose shows; contacts are those of the plain clip.
double limberi_pipeline_posed_source_s(const limber_pipeline* pipeline);
// Whether the performance moved joints of the current clip from their plain places.
bool limberi_pipeline_is_posed(const limber_pipeline* pipeline);
// What the performance does to the body as a whole, in the posed clip and frame. False: nothing.
bool limberi_pipeline_has_body(const limber_pipeline* pipeline);
bool limberi_pipeline_body(const limber_pipeline* pipeline, limberi_body_state* body);

// What live poses of all styles share; NULL: not enough memory.
struct limberi_performer;
const struct limberi_performer* limberi_pipeline_live_performer(const limber_pipeline* pipeline);

// held_clips.c: clips for files, with the holds of the style. Not of a clone.
limber_result limberi_pipeline_begin_holding(limber_pipeline* pipeline, limber_error* error);
LIMBER_MUST_USE limber_result limberi_pipeline_hold_clip(limber_pipeline* pipeline, limber_edited_clip* edited);
void limberi_pipeline_drop_held(limber_pipeline* pipeline);

// edited_clips.c: edits all clips, and puts a model that has them in the place of the asset's.
limber_result limberi_pipeline_exaggerate(limber_pipeline* pipeline, limber_error* error);
// Of a clone: those of its original.
limber_result limberi_pipeline_share_edits(limber_pipeline* pipeline, limber_error* error);
void limberi_pipeline_drop_edits(limber_pipeline* pipeline);
// limber_pipeline_edited_clip, with what went wrong.
LIMBER_MUST_USE limber_result limberi_pipeline_find_edited(limber_pipeline* pipeline, uint32_t clip,
                                                           limber_edited_clip* edited, bool* changed);
// The pose that skins are bound to: the current one, with stretched bones.
const limber_pose* limberi_pipeline_skin_pose(limber_pipeline* pipeline, const limber_clip* clip, double time_s);

void limberi_pipeline_smear_destroy(struct limberi_smear_stage* stage);

#endif
