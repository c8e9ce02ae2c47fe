// Shared inside src/bake: the frames of a bake, morph targets of meshes, and smear meshes.
#ifndef LIMBERI_BAKE_PRIVATE_H
#define LIMBERI_BAKE_PRIVATE_H

#include "bake/bake.h"
#include "bake/reduce.h"

// --- tracks.c: which frames there are ---

// Fills the tracks of the bake; *frame_count is over all of them.
LIMBER_MUST_USE limber_result limberi_bake_tracks(const limberi_bake_source* source,
                                                  const limber_bake_settings* settings, limber_bake* bake,
                                                  uint32_t* frame_count, limber_error* error);
double limberi_bake_rate(const limber_bake_settings* settings, const limber_clip* clip);
// Whether a frame is in the range; others are plain.
bool limberi_bake_shows(const limber_bake_settings* settings, double time_s);
limber_result limberi_bake_too_large(limber_error* error, double bytes);

// --- corrective.c: what to add to a mesh before skinning so that the skinned result lands on a given frame ---

typedef struct limberi_bake_corrective_job {
    const limber_mesh* mesh;
    const limber_mat4* palette;
    const float* morphed_positions; // mesh space before skinning; NULL: the mesh's own
    const float* morphed_normals;
    const float* positions; // world space, what the player must show
    const float* normals;   // world space or NULL
    float* out_positions;   // mesh-space displacement to add
    float* out_normals;     // may be NULL
    uint32_t first_vertex;
    uint32_t vertex_count; // LIMBER_TO_END: all that follow
} limberi_bake_corrective_job;

// Where the blended matrix of a vertex cannot be inverted (a joint scaled to nothing) the displacement is 0.
void limberi_bake_corrective(const limberi_bake_corrective_job* job);
// World length of a unit in the mesh's own space.
double limberi_bake_mesh_scale(const limber_model* model, const limber_mesh* mesh);

// --- smears.c: in-between copies and motion lines ---

// While frames come in. `bake` has its tracks.
typedef struct limberi_smear_bake {
    const limberi_bake_source* source;
    const limber_bake_settings* settings;
    limber_bake* bake;
    uint32_t frame_count; // over all tracks
    limber_error* error;
    struct limberi_smear_rows* rows; // [smear mesh]; NULL until a frame has some
    float *scratch_positions, *scratch_normals, *scratch_opacities;
    double byte_count;
} limberi_smear_bake;

// What a frame shows besides the character; `shown` false: it is outside the range and shows nothing.
LIMBER_MUST_USE limber_result limberi_smear_bake_collect(limberi_smear_bake* bake, uint32_t frame_index,
                                                         const limberi_bake_frame* frame, bool shown);
// Rows become targets and weights.
LIMBER_MUST_USE limber_result limberi_smear_bake_finish(limberi_smear_bake* bake);
void limberi_smear_bake_close(limberi_smear_bake* bake);

// --- targets.c: corrective and vertex bakes ---

// Frames of one mesh that differ from the plain skin, while they are being collected.
typedef struct limberi_collector {
    uint32_t row_count, capacity;
    int32_t* row_of_frame;    // over all tracks, -1: no displacement
    limberi_reducer* reducer; // gets the rows when there is a tolerance
    limberi_reducer* half;    // every second of them, for an estimate
} limberi_collector;

// What an estimate learns of a mesh beside its targets.
typedef struct limberi_half {
    uint32_t row_count;    // of the whole
    uint32_t target_count; // that half of the samples make
} limberi_half;

typedef struct limberi_baker {
    const limberi_bake_source* source;
    const limber_bake_settings* settings;
    limber_bake* bake;
    limberi_collector* collectors; // [mesh]
    limberi_smear_bake smears;
    uint32_t frame_count;  // over all tracks
    uint32_t member_count; // of the source
    bool by_worker;        // a frame is evaluated by the member of its thread, not of its slot
    uint64_t byte_count;   // of vertices that targets move
    uint64_t stored;       // bytes
    uint32_t samples;      // only so many frames, to estimate; 0: all
    uint32_t all_frames;   // with `samples`: frames over all tracks
    limberi_half* halves;  // [mesh] with `samples`
    uint32_t half_frames;  // every second sample
    limber_error* error;
} limberi_baker;

// Leaves the bake in baker->bake, or NULL after an error.
LIMBER_MUST_USE limber_result limberi_bake_targets(limberi_baker* baker);
// Weights from 0 to 1, as sliders have them (Blender clamps others): scales the targets of a mesh so that no weight is
// above 1. Where weights are below 0 it adds a target that is always on and holds what the lowest weights make
// together; the others start there.
LIMBER_MUST_USE limber_result limberi_bake_limit_weights(limber_bake* bake, uint32_t mesh, uint32_t vertex_count,
                                                         const limber_parallel* parallel);

// --- frames.c: frames become rows of targets, in rounds ---

// World length of a unit of the targets: corrective ones live in the mesh's own space.
double limberi_baker_scale(const limberi_baker* baker, const limber_mesh* mesh);
// Opens the source with as many members as the rounds can use.
LIMBER_MUST_USE limber_result limberi_bake_open(limberi_baker* baker);
// Evaluates all frames. Rows are then in the memory of the bake, in its store or in the reducers.
LIMBER_MUST_USE limber_result limberi_bake_rounds(limberi_baker* baker);
// Calls task over [0, count) items, each a frame of a member: in turn where there is one member.
void limberi_bake_each(const limberi_bake_source* source, uint32_t member_count, uint32_t count, limber_task task,
                       void* user);
// The threads that are free inside of a frame; NULL: none.
const limber_parallel* limberi_bake_inside(const limberi_bake_source* source, uint32_t member_count);
// A mesh before skinning, as the frame morphs it.
static inline const float* limberi_bake_morphed(const float* morphed, const limber_mesh* mesh, const float* plain) {
    return mesh->morph_count ? morphed + 3 * (size_t)mesh->first_vertex : plain;
}

// --- bones.c ---

LIMBER_MUST_USE limber_result limberi_bake_bones(const limberi_bake_source* source,
                                                 const limber_bake_settings* settings, limber_bake** bake,
                                                 limber_error* error);

#endif
