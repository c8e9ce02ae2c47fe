// Bone bakes: joints that move linear blend skinning as close to given vertices as it can come.
//
// The character as a bone bake sees it has slots: the joints of the rig, and helpers, each of which takes over a
// connected piece of one mesh. Every frame each slot gets an affine transform; the best ones are a linear least-squares
// problem whose matrix is the same in all frames.
#ifndef LIMBERI_BONES_H
#define LIMBERI_BONES_H

#include "bake/bake_private.h"
#include "base/memory.h"
#include "base/symmetric.h"

// A 3x4 matrix by rows.
typedef struct limberi_affine {
    double m[12];
} limberi_affine;

typedef struct limberi_bone_helper {
    uint32_t mesh, joint;
    uint32_t bind;  // index of the joint in the mesh's skin
    uint32_t count; // pieces that share it
} limberi_bone_helper;

// Where a joint is split: a place of a mesh, and the helper around it.
typedef struct limberi_bone_place {
    uint32_t mesh, bind;
    int32_t helper; // -1: the joint's own
    limber_vec3 at; // mesh space
} limberi_bone_place;

typedef struct limberi_bone_places {
    uint32_t count;
    limberi_bone_place* places;
} limberi_bone_places;

// What a vertex hangs on: a joint of the skin, or a helper of it.
typedef struct limberi_bone_share {
    uint32_t bind;
    int32_t helper; // -1: none
    float weight;
} limberi_bone_share;

// One mesh with the influences that it will have, and the slots they mean.
typedef struct limberi_bone_mesh {
    limber_mesh mesh; // influence_joint indexes the arrays below
    uint32_t bind_count;
    uint32_t* slots;              // [bind]
    limber_mat4* joint_from_mesh; // [bind]
} limberi_bone_mesh;

// An influence, and the vertex of the model that has it.
typedef struct limberi_bone_row {
    uint32_t vertex, row;
} limberi_bone_row;

typedef struct limberi_bones {
    limberi_arena arena;
    const limber_model* model;
    uint32_t slot_count; // joints, then helpers
    uint32_t helper_count;
    const limberi_bone_helper* helpers;
    limberi_bone_mesh* meshes;
    uint32_t row_count;
    float* rows;          // [influence of all meshes][4] weight times: place in the slot, about its center, in L; 1
    uint32_t* first_row;  // [mesh]
    uint32_t* row_column; // [row] column of its slot
    limberi_bone_row* gathered; // [row] by columns
    uint32_t* first_gathered;   // [column], and the end
    uint32_t* column;           // [slot] UINT32_MAX: nothing hangs on it
    uint32_t column_count;
    double* center;       // [slot][3] joint space
    double* unit;         // [slot] L per unit of its space, in the rest pose
    double *low, *high;   // [slot][3] box around its vertices, joint space
    limberi_lower matrix; // [4 columns]^2, factored; a row begins at the first slot that shares vertices with its own
    size_t matrix_size;
} limberi_bones;

// bones_fit.c. `helper_of_vertex` is [model.vertex_count], -1: none. Destroy the result, also after a failure.
LIMBER_MUST_USE limber_result limberi_bones_create(const limber_model* model, const int32_t* helper_of_vertex,
                                                   uint32_t helper_count, const limberi_bone_helper* helpers,
                                                   const limberi_bone_places* places, limberi_bones* bones);
void limberi_bones_destroy(limberi_bones* bones);

// `importance` is [model.vertex_count]; NULL: all the same.
LIMBER_MUST_USE limber_result limberi_bones_factor(limberi_bones* bones, const limber_parallel* parallel,
                                                   const float* importance);
// Finds what to add to the slots' world matrices so that the vertices move by `wanted` [vertex * 3], and takes what
// they do move by from `wanted`. Several frames may be fitted at once, each with its own `found` [LIMBERI_BONE_FOUND *
// column_count], whose transforms limberi_bones_found tells.
enum { LIMBERI_BONE_FOUND = 18 };
void limberi_bones_fit(const limberi_bones* bones, const float* importance, float* wanted, double* found);
// That of one slot, by its own coordinates.
limberi_affine limberi_bones_found(const limberi_bones* bones, const double* found, uint32_t slot);

// bones_islands.c: pieces of meshes that are farther off than `limit` in some frame get helpers. At first all pieces of
// a joint share one; a piece that is still off with it gets a helper for itself. `off` and `helper_of_vertex` (-1:
// none) are [model.vertex_count], `helpers` has room for LIMBER_BONE_HELPERS. Returns whether any was added.
typedef struct limberi_bone_islands limberi_bone_islands;
limberi_bone_islands* limberi_bones_islands_create(const limber_model* model); // NULL: not enough memory
void limberi_bones_islands_destroy(limberi_bone_islands* islands);
bool limberi_bones_islands_add(limberi_bone_islands* islands, const float* off, float limit, int32_t* helper_of_vertex,
                               uint32_t* helper_count, limberi_bone_helper* helpers);

// bones_split.c: what a vertex hangs on when joints are split at places; returns how many, with room for
// LIMBERI_BONE_PARTS or all of the vertex's influences.
enum { LIMBERI_BONE_PARTS = 4 }; // joints of a vertex that all players know
uint32_t limberi_bone_shares(const limberi_bone_places* all, const limber_mesh* mesh, uint32_t m, uint32_t v,
                             limberi_bone_share* out);

// bones_keys.c: how one slot moves, relative to its joint, in all tracks; becomes keys, and is replaced by what the
// keys show.
typedef struct limberi_bone_keys_job {
    uint32_t track_count;
    const limber_bake_track* tracks;
    limberi_affine* frames; // [frame of all tracks] in steps of `stride`
    uint32_t stride;
    double tolerance;         // in the slot's units: how far off the keys may put a vertex
    const double *low, *high; // [3] the box around the slot's vertices
    bool packed;
} limberi_bone_keys_job;

// Fills axes, shears, packed and curves. *rests: the slot never moves from its joint; there is no bone then.
LIMBER_MUST_USE limber_result limberi_bone_keys(const limberi_bone_keys_job* job, limber_bake_bone* bone, bool* rests);

// bones_search.c: rows [row][width] become few targets [target][width] so that combinations of them come closer than
// `tolerance` to each row at every vertex (three numbers); at most `limit`. `old` [old_count][width] are there already.
typedef struct limberi_bone_targets_job {
    uint32_t row_count;
    size_t width;
    const float* rows;
    double tolerance;
    uint32_t limit;
    uint32_t frame_count;            // each target has a weight in every one of them
    const limber_parallel* parallel; // NULL: the calling thread alone
    bool* held;                      // whether the tolerance is; NULL: nobody asks
} limberi_bone_targets_job;

LIMBER_MUST_USE limber_result limberi_bone_targets(const limberi_bone_targets_job* job, uint32_t* count,
                                                   float** targets);

// bones_groups.c: the same by regions of the mesh, whose vertices are at `places`: more targets, and smaller ones.
LIMBER_MUST_USE limber_result limberi_bone_targets_by_region(const limberi_bone_targets_job* job, const float* places,
                                                             uint32_t* count, float** targets);

// The combination of the targets that comes closest to a row, by the factored products of the targets.
LIMBER_MUST_USE limber_result limberi_bone_products(const limber_parallel* parallel, uint32_t count, size_t width,
                                                    const float* targets, double* products);
void limberi_bone_combine(uint32_t count, size_t width, const float* targets, double* products, const float* row,
                          double* weights);

// --- bones_frames.c: a bone bake while it is made. All passes go over all frames, as many at a time as there are members ---

typedef struct limberi_bone_rows limberi_bone_rows;

// What a mesh needs while a frame is replayed.
typedef struct limberi_bone_replay {
    float *positions, *shape, *row; // [vertex * 3]
    double *weights, *shares;       // [target] shares: those that are shown
} limberi_bone_replay;

// A frame at work. Several are at once.
typedef struct limberi_bone_frame {
    struct limberi_bone_bake* bake;
    uint32_t member, frame, track, index;
    limberi_bake_frame shown;     // by the source; not of frames that were kept
    float* wanted;                // [vertex * 3]
    float* shape;                 // [vertex * 3] skinned vertices, what is left of them
    float* off;                   // [vertex] the farthest in this pass
    limber_mat4** palettes;       // [mesh][bind]
    double* found;                // of limberi_bones_fit
    limberi_bone_replay* replays; // [mesh]
    limber_result result;
} limberi_bone_frame;

typedef struct limberi_bone_bake {
    const limberi_bake_source* source;
    const limber_model* model;
    const limber_bake_settings* settings;
    limber_bake* bake;
    limber_error* error;
    limberi_arena arena;
    limberi_smear_bake smears;
    double tolerance; // world units
    uint32_t frame_count, progress_total, progress;
    uint32_t cache_count, cached;    // frames that have room in memory, frames that are there
    float* cache;                    // [cached][vertex * 3]
    limber_mat4 *world, *skin_world; // [frame][joint] the joints, and what skins hang on
    bool* shown;                     // [frame] false: outside the range, plain
    bool* settled;                   // [frame] passes leave it out
    limberi_bones bones;
    int32_t* helper_of_vertex;
    uint32_t helper_count;
    limberi_bone_helper* helpers;
    limberi_bone_places places;
    struct split_search* split;  // while joints are split
    limberi_affine* local;       // [frame][slot] relative to the joint
    float *off, *importance;     // [vertex]
    uint32_t member_count;       // of the source
    bool by_worker;              // a member is that of a thread, whichever frame it does
    limberi_bone_frame* frames;  // [member]
    const float* fit_importance; // of the current pass
    bool fit_stores;
    float* left; // [frame / every][vertex * 3] what plain joints leave, for passes that only look around; NULL: no room
    bool* left_kept;         // [frame / every]
    limberi_bone_rows* rows; // [mesh]
} limberi_bone_bake;

// The joint that a slot hangs on.
static inline uint32_t limberi_bone_bake_joint(const limberi_bone_bake* b, uint32_t slot) {
    uint32_t joints = b->model->rig.joint_count;
    return slot < joints ? slot : b->helpers[slot - joints].joint;
}

// Calls `task` for every frame that is not settled, or every so many of them, by any threads; its parts are members of `frames`. It makes
// use of limberi_bone_bake_frame, and leaves its result in the frame. Then `collect`, in the order of frames: NULL where
// members are those of threads.
typedef limber_result limberi_bone_collect(limberi_bone_bake* b, limberi_bone_frame* f);
LIMBER_MUST_USE limber_result limberi_bone_bake_pass(limberi_bone_bake* b, uint32_t every, limber_task task,
                                                     limberi_bone_collect* collect);
// How many frames a pass that only looks around goes on by.
uint32_t limberi_bone_bake_every(const limberi_bone_bake* b);
// bones_split.c: splits joints as long as that makes the file smaller, beginning with what the last pass of fits left, which
// limberi_bones_split_look kept. `refit` makes the bones again and fits them, and keeps it in the same way. In the end
// `off` is what fits of the best places leave; the bones may be those of others.
typedef limber_result limberi_bone_refit(limberi_bone_bake* b);
bool limberi_bones_split_open(limberi_bone_bake* b);        // false: not enough memory
void limberi_bones_split_look(const limberi_bone_frame* f); // any thread, for every frame of the pass
LIMBER_MUST_USE limber_result limberi_bones_split(limberi_bone_bake* b, limberi_bone_refit* refit);
void limberi_bones_split_close(limberi_bone_bake* b); // also where it was not opened
// The source, and memory for its frames; palettes and `found` come with the bones.
LIMBER_MUST_USE limber_result limberi_bone_bake_open(limberi_bone_bake* b);
// The first pass over all frames: joints, smears, and as many vertices as there is room for.
LIMBER_MUST_USE limber_result limberi_bone_bake_collect(limberi_bone_bake* b);
// Makes `wanted` the vertices of the frame.
LIMBER_MUST_USE limber_result limberi_bone_bake_frame(limberi_bone_frame* f);
// A mesh before skinning, as the frame morphs it.
const float* limberi_bone_bake_morphed(const limberi_bone_frame* f, uint32_t mesh);
// Palettes of all meshes by the joints alone, or with what the bones add.
void limberi_bone_bake_pose(limberi_bone_frame* f, bool bones);
// Skins a mesh; `positions` in its own space.
void limberi_bone_bake_skin(limberi_bone_frame* f, uint32_t mesh, const float* positions, float* out);
// The farthest that any frame of the pass is off, into b->off; each frame noted its own.
void limberi_bone_bake_merge_off(limberi_bone_bake* b);

// bones_clips.c: edited clips, as the file will play them; moves the joints of the bake accordingly. After the first pass.
LIMBER_MUST_USE limber_result limberi_bone_bake_clips(limberi_bone_bake* b);

// bones_targets.c: morph targets for what the bones leave, and the error in the end.
LIMBER_MUST_USE limber_result limberi_bone_bake_targets(limberi_bone_bake* b);

#endif
