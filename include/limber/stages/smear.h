// limber/stages/smear.h: smear frames (S7): what moves fast is drawn over more than one moment, as animators do by hand.
//
// Everything starts from motion offsets: how far in front (+1) or behind (-1) a vertex lies in the motion of the part
// it belongs to. Three looks are made from them: elongated in-betweens (each vertex slides along its own path, the
// front into the future, the back into the past), multiples (fading copies at other moments) and motion lines (tubes
// along the paths). Lengths in time are counted in frames of the output.
//
//     limber_smearer* smearer;
//     if (limber_smearer_create(asset, &settings, &smearer, &error) != LIMBER_OK) ...
//     // per frame f: positions of f and of f + 1, both in the caller's buffers
//     limber_smearer_bones(smearer, &pose, NULL, bones);                            // for each of the two
//     limber_smearer_offsets(smearer, &now, &now, &next, offsets);                  // -1 ... 1 per vertex
//     limber_smear_job job = limber_smear_job_default();
//     job.offsets = offsets; job.now = job.from = &now; job.to = &next;
//     limber_smear_reach reach = limber_smearer_plan(smearer, &job);                // which frames the paths run
//     through job.first = reach.first; job.frames = ...;                                    // those frames
//     limber_smearer_evaluate(smearer, &job, smeared);
//
// The pipeline does all of this for a clip (limber_pipeline_evaluate_smeared); these jobs are for programs that have their own
// frames. A smearer belongs to one thread at a time; its memory is taken by _create.
#ifndef LIMBER_STAGES_SMEAR_H
#define LIMBER_STAGES_SMEAR_H

#include <limber/stages/expression.h>
#include <limber/stages/pose.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIMBER_SMEAR_REACH 32u  // frames that a path is followed at most, to either side
#define LIMBER_SMEAR_SMOOTH 16u // most frames on either side that offsets are smoothed over
#define LIMBER_SMEAR_COPIES 16u // most copies to either side
#define LIMBER_SMEAR_LINES 4096u
#define LIMBER_SMEAR_LEVELS 3u // most times that an edge is split

typedef struct limber_smear_offset_settings {
    bool skeleton;         // false: the whole character is one object (SM 1)
    const uint8_t* pruned; // [joint] 1: its vertices go to the nearest kept ancestor; NULL: none
    uint32_t smooth;       // frames on either side (SM 2)
    int32_t camera;        // index in model.cameras: motion as it sees it; -1: motion in the world
} limber_smear_offset_settings;

// How far a vertex slides along its path, in frames: amount (the formula may use `offset` and `speed`, L per frame)
// times `future` where that is positive and `past` where it is negative.
typedef struct limber_smear_elongate_settings {
    limber_number amount, past, future;
    uint32_t subdivide; // times that edges may be split before anything is smeared (limber/stages/subdivide.h)
    float tear;         // in L: an edge is split when its ends are displaced more differently than this
} limber_smear_elongate_settings;

typedef struct limber_smear_multiple_settings {
    uint32_t past, future; // copies
    uint32_t overlap;      // N: this many copies of one frame lie on copies of the next
    bool standard_opacity; // SM 12
    limber_number opacity; // otherwise: 0 ... 1
    float min_speed;       // L per frame; slower vertices of copies are not seen
} limber_smear_multiple_settings;

typedef struct limber_smear_line_settings {
    uint32_t count;
    bool standard_length;  // eight frames times the offset
    limber_number length;  // otherwise: frames; negative: into the past
    limber_number radius;  // in units of L
    limber_number taper;   // 0: as thick at the end as at the start, 1: a point
    limber_number gap;     // frames between the surface and the start
    limber_number opacity; // at the start
    limber_number fade;    // part of the opacity that is lost along the length
    float min_speed;       // L per frame; slower points have no line
    uint32_t seed;
} limber_smear_line_settings;

// Formulas may use every limber_variable.
typedef struct limber_smear_settings {
    float size; // L; 0: the model's
    limber_smear_offset_settings offsets;
    limber_smear_elongate_settings elongate;
    limber_smear_multiple_settings multiples;
    limber_smear_line_settings lines;
    const uint8_t* ignore_spin; // [joint] 1: paths leave out its rotation about its own bone; NULL: none
    uint32_t step;              // n: each pose is held for n frames and smears are n times as long
} limber_smear_settings;

// Everything off; offsets by the skeleton, smoothed over two frames on either side.
LIMBER_API limber_smear_settings limber_smear_settings_default(void);
// Whether anything would be seen at all: if not, no frame needs to be smeared.
LIMBER_API bool limber_smear_is_on(const limber_smear_settings* settings);

// Where the bone of a joint is at one moment: from the joint to the mean of its children, or, without any, to the point
// that lies twice as far as the centroid of its vertices.
typedef struct limber_smear_bone {
    limber_vec3 root, tip;
    limber_vec3 centroid; // of the vertices that hang on it
    limber_quat turn;     // of the joint
} limber_smear_bone;

// A moment as smears see it. Everything in one space, which may be a camera's.
typedef struct limber_smear_frame {
    const float* positions;         // all meshes after each other, 3 per vertex
    const float* normals;           // may be NULL unless there are multiples
    const limber_smear_bone* bones; // [joint]
} limber_smear_frame;

// One frame to smear. frames[i] is frame number first + i, counted from the one at hand; at the ends of a clip the
// caller repeats the last frame or wraps.
typedef struct limber_smear_job {
    double time_s, frame, phase;         // for formulas
    const limber_smear_frame* now;       // number 0
    const limber_smear_frame *from, *to; // the step that velocities are taken over: now and next, or previous and now
    const float* offsets;                // [vertex]
    int32_t first;                       // limber_smearer_evaluate needs the frames of limber_smearer_plan
    const limber_smear_frame* frames;
    const limber_mat4* world_from_space; // of number 0; what comes out is moved by it. NULL: it is the world
} limber_smear_job;

// The frames from `first` to `last`, both included.
typedef struct limber_smear_reach {
    int32_t first, last;
} limber_smear_reach;

typedef enum limber_smear_kind { LIMBER_SMEAR_KIND_COPY, LIMBER_SMEAR_KIND_LINES } limber_smear_kind;

// A mesh that smears add to the character. What it consists of is the same in all frames; where nothing is to be seen
// its triangles have no area. A multiple has the vertices, triangles and parts of the mesh it is a copy of.
typedef struct limber_smear_mesh {
    limber_smear_kind kind;
    char name[32];   // "multiple -2", "lines"
    int32_t number;  // of a multiple: -past ... future, not 0
    uint32_t source; // of a multiple: index in model.meshes
    uint32_t vertex_count, triangle_count;
    const uint32_t* triangles;
    // of the frame that limber_smearer_evaluate saw last
    const float* positions; // 3 per vertex
    const float* normals;   // 3 per vertex
    const float* colors;    // 4 per vertex, linear; the last is the opacity
    bool visible;           // whether anything of it is
} limber_smear_mesh;

typedef struct limber_smearer limber_smearer;

// Copies the settings; formulas and arrays in them must stay alive.
LIMBER_API LIMBER_MUST_USE limber_result limber_smearer_create(const limber_asset* asset,
                                                               const limber_smear_settings* settings,
                                                               limber_smearer** smearer, limber_error* error);
LIMBER_API void limber_smearer_destroy(limber_smearer* smearer);

// bones[joint_count] of a pose whose world matrices are up to date. Moves them by `to_space` when that is not NULL.
LIMBER_API void limber_smearer_bones(const limber_smearer* smearer, const limber_pose* pose,
                                     const limber_mat4* to_space, limber_smear_bone* bones);

// Motion offsets, -1 ... 1 per vertex, of frame `at` for a motion from one frame to another: from `at` to the next one,
// or at the end of a clip from the previous one to `at`.
LIMBER_API void limber_smearer_offsets(limber_smearer* smearer, const limber_smear_frame* at,
                                       const limber_smear_frame* from, const limber_smear_frame* to, float* offsets);

LIMBER_API limber_smear_job limber_smear_job_default(void);

// Works out how far everything goes along its path and says which frames limber_smearer_evaluate needs for that.
LIMBER_API limber_smear_reach limber_smearer_plan(limber_smearer* smearer, const limber_smear_job* job);
// Writes the elongated character (3 per vertex) and fills the meshes below. The job must be the one that was planned.
LIMBER_API void limber_smearer_evaluate(limber_smearer* smearer, const limber_smear_job* job, float* positions);
// Whether limber_smearer_evaluate moved any vertex of the character.
LIMBER_API bool limber_smearer_moved(const limber_smearer* smearer);

// Of the frame that was planned last: frames along the path and L per frame, one per vertex. NULL when nothing needs
// them.
LIMBER_API const float* limberi_smearer_amounts(const limber_smearer* smearer);
LIMBER_API const float* limberi_smearer_speeds(const limber_smearer* smearer);

// Multiples, then lines.
LIMBER_API uint32_t limber_smearer_mesh_count(const limber_smearer* smearer);
LIMBER_API const limber_smear_mesh* limber_smearer_mesh(const limber_smearer* smearer, uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
