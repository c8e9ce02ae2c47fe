// limber/bake.h: frames as morph targets, for files that any viewer can play.
//
// A corrective bake keeps the skin: each frame becomes a displacement in the mesh's own space which, added to the mesh
// and skinned by an ordinary player, lands exactly on the frame. A vertex bake needs no skin: its targets are the
// frames. A bone bake puts the effect into the skeleton: new nodes below the joints carry the skin, and a few morph
// targets the rest. By default the smallest of these is made whose vertices are at most 1/1000 L off.
//
//     limber_bake_settings settings = limber_bake_settings_default();
//     settings.tolerance = 0.003; // in L: fewer targets, larger error
//     limber_bake* bake;
//     limber_error error;
//     if (limber_pipeline_bake(pipeline, &settings, &bake, &error) != LIMBER_OK)
//         return 1;
//     limber_gltf_edits edits = limber_gltf_edits_default();
//     edits.bake = bake;
//     if (limber_gltf_save_file(gltf, &edits, "toon.glb", &error) != LIMBER_OK)
//         fprintf(stderr, "%s\n", error.message);
//     limber_bake_destroy(bake);
//
// Clips whose poses the style holds (timing.step) have two keys for each hold, whatever the rate.
//
// An exact bake has a target for each frame. With a store (limber_gltf_store_open) they wait on the disk until they are
// saved, or are put into the .glb itself (limber_gltf_store_open_inside), and memory does not grow with their number.
#ifndef LIMBER_BAKE_H
#define LIMBER_BAKE_H

#include <limber/asset.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limber_pipeline limber_pipeline; // limber/pipeline.h

// Auto: the smallest of a corrective bake, with or without the tolerance, and a bone bake. The bake says which one it is.
typedef enum limber_bake_kind {
    LIMBER_BAKE_CORRECTIVE,
    LIMBER_BAKE_VERTEX,
    LIMBER_BAKE_BONES,
    LIMBER_BAKE_AUTO
} limber_bake_kind;

// What becomes of in-between copies and motion lines: one mesh per copy and one for the lines, everything that belongs
// to one mesh merged, or left out.
typedef enum limber_bake_smear_meshes {
    LIMBER_SMEAR_MESHES_SEPARATE,
    LIMBER_SMEAR_MESHES_MERGED,
    LIMBER_SMEAR_MESHES_NONE
} limber_bake_smear_meshes;

// Called between frames of long work; return false to cancel it.
typedef bool (*limber_progress)(void* user, uint32_t done, uint32_t total);

// Bytes on a disk, or anywhere but in memory: `put` writes them, `get` reads them. Both return false when it cannot be
// done. Threads that a program lends call both at once, `put` for different bytes.
typedef struct limber_bake_store {
    bool (*put)(void* user, uint64_t offset, const void* bytes, size_t byte_count);
    bool (*get)(void* user, uint64_t offset, void* bytes, size_t byte_count);
    void* user; // passed to both
} limber_bake_store;

// What a bake will come to, from a few of its frames: exact numbers of frames, targets and bytes within a factor of two
// with a tolerance (of three with one above 1), better without. In-between copies and motion lines do not count. Auto:
// that of the smaller corrective bake, in whose place bones come where they take less.
typedef struct limber_bake_estimate {
    uint32_t frame_count;  // of all clips
    uint32_t target_count; // of the mesh that has most
    uint64_t byte_count;   // of all targets and weights in a glTF file
    double tolerance;      // of what is estimated: auto may find that exact targets take less; 0: exact
} limber_bake_estimate;

// What to bake, and how.
typedef struct limber_bake_settings {
    uint32_t struct_size;  // set by limber_bake_settings_default
    limber_bake_kind kind; // LIMBER_BAKE_AUTO by default
    uint32_t clip_count;
    const uint32_t* clips;             // NULL: all clips
    double fps;                        // 0: each clip's own rate
    double range_start_s, range_end_s; // clip time; the whole clip by default
    double tolerance; // max error, in L; 0: exact. Below 0 (the default): 0.001 for auto and bones, else exact
    bool normals;     // targets have normals, too; true by default
    limber_bake_smear_meshes smear_meshes; // separate by default
    limber_progress progress;              // NULL: none
    void* user;                            // passed to `progress`
    // Where the targets of an exact bake go, so that memory does not grow with their number; it must outlive the bake.
    // limber_gltf_store_open makes one. Other bakes leave it alone. NULL: memory.
    const limber_bake_store* store;
    uint64_t max_bytes;    // of all targets and weights as a file holds them; more is LIMBER_ERROR_LIMIT. 0: any number
    uint32_t target_limit; // bone bake: most morph targets per mesh; UINT32_MAX: as many as it takes
    // Bone bake: not 0: edited clips (limber_bake.clips) have rotations of 16 bits, and keys only where linear
    // interpolation shows something else; the bones fit them. For who writes these clips, as limber_gltf_save does.
    uint32_t packs_clips;
    // Bone bake: helpers may take shares of a joint's weights (limber_bake.shares) where that makes the file smaller.
    // Meshes that the bake does not see, such as levels of detail, no longer fit then.
    bool shares;
    // Auto: what limber_pipeline_bake_estimate found with these settings; NULL: the bake makes an estimate of its own.
    const limber_bake_estimate* estimate;
} limber_bake_settings;

LIMBER_DEFAULT(limber_bake_settings)

// The morph targets of one mesh, and the weight of each at each frame of each clip.
typedef struct limber_bake_mesh {
    uint32_t target_count; // 0: this mesh needs no targets
    float* base_positions; // vertex bake: world space, replaces the mesh's positions; else NULL
    float* base_normals;   // vertex bake; may be NULL
    float* positions;      // [target][vertex * 3]
    float* normals;        // [target][vertex * 3], or NULL
    float** weights;       // [track]: [frame][target]; NULL with `shown`
    uint64_t* rows;        // with a store: [target] where its positions and normals are; `positions` is NULL then
    int32_t** shown;       // with a store: [track]: [frame] the target that has weight 1, -1: none has
    float** shifts;        // [track]: [shift] how far the texture is shifted along u; NULL: not at all
    int32_t* helper;       // bone bake: [vertex] the bone that alone moves it, -1: as in the model; NULL: none
} limber_bake_mesh;

// Keys of one part of a bone in one clip, linear between them.
typedef struct limber_bake_curve {
    uint32_t key_count; // 0: at rest
    uint32_t* frames;   // [key] of the track
    float* values;      // [key][3], rotations [key][4]
} limber_bake_curve;

// The parts of a bone that have keys; LIMBER_BONE_CURVES is their number.
enum { LIMBER_BONE_TRANSLATION, LIMBER_BONE_ROTATION, LIMBER_BONE_SCALE, LIMBER_BONE_BACK, LIMBER_BONE_CURVES };

#define LIMBER_BONE_HELPERS 64u // most of them; each costs keys in every clip

// A new node below a joint that carries the joint's part of the skin, or, as a helper, pieces of one mesh. At rest it
// only turns by `axes`, which a second turn undoes: a constant one in the inverse bind matrix, or one with keys
// (LIMBER_BONE_BACK) in a node below it. Two turns around a scale are a shear, which a single node cannot express.
typedef struct limber_bake_bone {
    uint32_t joint;            // that it hangs below
    int32_t helper_mesh;       // -1: it carries the joint's skin
    uint32_t helper_bind;      // of a helper: index in the mesh's skin of the joint whose inverse bind matrix it takes
    limber_quat axes;          // rotation at rest
    bool shears;               // LIMBER_BONE_BACK has keys
    bool packed;               // rotations are multiples of 1 / 32767
    limber_bake_curve* curves; // [track * LIMBER_BONE_CURVES + part]
} limber_bake_bone;

// So much of what a vertex of the helper's mesh hangs on the helper's joint with goes to the helper.
typedef struct limber_bake_share {
    uint32_t vertex; // of the mesh
    uint32_t bone;   // a helper
    float weight;    // that goes to the helper
} limber_bake_share;

// A copy of a mesh, or the motion lines.
typedef struct limber_bake_piece {
    int32_t source;                      // mesh in the model whose triangles and parts the copy has; -1: lines
    uint32_t first_vertex, vertex_count; // in the smear mesh
    uint32_t triangle_count;             // of lines
    uint32_t* triangles;                 // of lines, else NULL
} limber_bake_piece;

// A mesh beside the character's own, visible in some frames only. World space, relative to `center`.
typedef struct limber_bake_smear_mesh {
    char name[32];  // "multiple -2", "lines"; "smears" when merged
    int32_t source; // the mesh it belongs to; -1: all of them
    uint32_t piece_count;
    limber_bake_piece* pieces;
    uint32_t vertex_count;
    limber_vec3 center;    // of the rest pose, in the world
    float* base_positions; // 3 per vertex
    float* base_normals;   // 3 per vertex
    float* base_colors;    // 4 per vertex, linear; the opacity is the mean of the visible frames
    uint32_t target_count;
    uint32_t shape_count;   // the first targets move vertices
    uint32_t opacity_count; // the last targets change opacities; 0: none does. A target may do both
    float* positions;       // [shape][vertex * 3]; NULL: never visible
    float* normals;         // [shape][vertex * 3], or NULL
    float* opacities;       // [opacity][vertex], added to the base opacity, in steps of 1 / 127
    float** weights;        // [track]: [frame][target]; in hidden frames those of the last visible frame
    uint8_t** visible;      // [track]: [frame]
} limber_bake_smear_mesh;

// The frames of one clip.
typedef struct limber_bake_track {
    uint32_t clip; // index in the model
    uint32_t frame_count;
    float* times; // seconds, increasing
    // Where textures are shifted (smear.spin): keys over the whole clip, whatever the range.
    uint32_t shift_count;
    float* shift_times; // seconds, increasing
} limber_bake_track;

// A finished bake.
typedef struct limber_bake {
    limber_bake_kind kind; // never auto
    uint32_t mesh_count;   // as in the model
    limber_bake_mesh* meshes;
    uint32_t track_count; // one per baked clip
    limber_bake_track* tracks;
    uint32_t smear_mesh_count;
    limber_bake_smear_mesh* smear_meshes;
    double error;            // how far a vertex is off at most, in L; 0: exact but for rounding
    limber_bake_store store; // the settings', for meshes with `rows`
    bool stored_normals;     // there, normals follow positions
    uint32_t bone_count;     // bone bake
    limber_bake_bone* bones;
    // Baked clips that the style edits (timing, poses, exaggerate): the bake only fits together with them, so writers
    // put them in the place of the file's.
    uint32_t clip_count;
    limber_edited_clip* clips;
    void* clip_memory;    // what `clips` consist of
    uint32_t share_count; // with settings.shares
    limber_bake_share* shares;
} limber_bake;

// Evaluates every frame of the chosen clips. The bake does not depend on the pipeline.
LIMBER_API LIMBER_MUST_USE limber_result limber_pipeline_bake(limber_pipeline* pipeline,
                                                              const limber_bake_settings* settings, limber_bake** bake,
                                                              limber_error* error);
LIMBER_API void limber_bake_destroy(limber_bake* bake);

// Evaluates a few frames of the chosen clips.
LIMBER_API LIMBER_MUST_USE limber_result limber_pipeline_bake_estimate(limber_pipeline* pipeline,
                                                                       const limber_bake_settings* settings,
                                                                       limber_bake_estimate* estimate,
                                                                       limber_error* error);

// A character with more triangles where the style's elongation would tear its meshes, for styles that ask for it
// (smear.elongate.subdivide). *subdivided is NULL when the style does not ask or nothing tears. Looks at every frame of
// the clips, rate and range of `frames` (NULL: everything). Joints, clips and meshes keep their indices: make a
// pipeline of the result with the same style. The caller destroys the result.
LIMBER_API LIMBER_MUST_USE limber_result limber_pipeline_subdivide(const limber_pipeline* pipeline,
                                                                   const limber_bake_settings* frames,
                                                                   limber_asset** subdivided, limber_error* error);

#ifdef __cplusplus
}
#endif

#endif
