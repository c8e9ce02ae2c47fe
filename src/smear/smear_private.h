// The smearer and its steps, shared by the files of src/smear.
#ifndef LIMBERI_SMEAR_PRIVATE_H
#define LIMBERI_SMEAR_PRIVATE_H

#include "asset/asset.h"
#include "base/math.h"
#include "base/memory.h"
#include "smear/smear.h"
#include <limber/stages/smear.h>

#define LIMBERI_STILL 1e-6f      // of L per frame: slower points count as still
#define LIMBERI_SHORT_BONE 1e-4f // of L
#define LIMBERI_FLAT 1e-5f       // of L: a part thinner than this along its motion has no front and back

// Vertices by the bone they hang on, those with a good part of their weight on it first.
typedef struct limberi_smear_bones {
    uint32_t* bone_of_joint; // [joint] itself, or the nearest ancestor that is not pruned
    int32_t* parent;         // [joint] among the bones that are kept, -1: none
    bool* leaf;              // [joint] no bone that is kept hangs on it
    limber_vec3* centroid;   // [joint] of its own vertices, joint's frame
    uint32_t* first;         // [joint + 1] into the two arrays below
    uint32_t* strong;        // [joint] how many of its vertices have a weight that counts for `own`
    uint32_t* vertex;
    float* weight;
} limberi_smear_bones;

// A point on the surface where a line starts.
typedef struct limberi_smear_seed {
    uint32_t mesh, vertices[3]; // of all meshes
    float parts[3];
    float color[4], second[3]; // where the line starts, and what it turns to
} limberi_smear_seed;

// One line in the current frame.
typedef struct limberi_smear_line {
    float start, end; // frames along the path; equal: not to be seen
    float radius, taper, point, dry, opacity, fade;
    float tint[2]; // how much of the second color there is at the start and at the end
} limberi_smear_line;

struct limber_smearer {
    limberi_arena arena;
    const limber_model* model;
    limber_smear_settings settings;
    float size;
    bool past_only; // whatever the settings say
    bool elongates; // whether vertices can move at all
    bool filters;   // whether some of the motion is not smeared
    uint8_t* spins; // [joint] whose spin is ignored
    bool* centered; // [joint] it lies in the middle of its vertices, so that all of its rotation is spin
    float* gains;   // [vertex] of its joints; NULL: 1
    float* outside; // [vertex] 0: hidden from outside in the rest pose, 1: not; NULL: there are no copies
    limberi_smear_bones bones;
    float *delta, *along, *value;     // [influence] scratch of a run
    struct limberi_bone_sizes* sizes; // [joint] scratch of a run
    uint32_t names_used;
    limberi_mesh_names* names; // [mesh]
    float* radii;              // [vertex] of its part in the rest pose, in L; NULL: nothing needs them
    float *speeds, *amounts;   // [vertex] of the planned frame
    const float *from, *to;    // positions of the step that the speeds come from
    float min, max;            // of the amounts
    limber_smear_reach reach;  // of the planned frame
    bool moved;
    float* filtered;                // [frames][vertex * 3] positions without the motion that is not smeared
    limber_smear_bone* moved_bones; // [2][joint] the same for the step of the offsets
    limber_smear_frame* seen;       // [frames] of the job, with the positions of `filtered`
    limber_smear_mesh* meshes;      // multiples, lines
    uint32_t mesh_count, multiple_count;
    float *copy_positions, *copy_normals, *copy_colors;
    uint32_t max_past, max_future; // copies that there is memory for
    uint32_t seed_count;
    limberi_smear_seed* seeds;
    limberi_smear_line* lines; // [seed]
    float *line_positions, *line_normals, *line_colors;
    struct limberi_drawn* drawn; // NULL: nothing is drawn by its rules
};

// Settings that a program filled, checked for their size.
LIMBER_MUST_USE limber_result limberi_smear_read(limber_smear_settings* out, const limber_smear_settings* given,
                                                 limber_error* error);

enum { LIMBERI_SMEAR_FRAMES = 2 * (LIMBER_SMEAR_REACH + 2) };

LIMBER_MUST_USE limber_result limberi_smear_prepare_bones(limber_smearer* smearer);
LIMBER_MUST_USE limber_result limberi_smear_prepare_offsets(limber_smearer* smearer);
LIMBER_MUST_USE limber_result limberi_smear_prepare_names(limber_smearer* smearer);
LIMBER_MUST_USE limber_result limberi_smear_prepare_multiples(limber_smearer* smearer);
// Fills `outside`.
LIMBER_MUST_USE limber_result limberi_smear_find_hidden(limber_smearer* smearer);
LIMBER_MUST_USE limber_result limberi_smear_prepare_lines(limber_smearer* smearer);

// Which joints have less skin, with their descendants, than settings.offsets.prune_below squared.
LIMBER_MUST_USE limber_result limberi_smear_find_small(limber_smearer* smearer, const float* areas, bool* small);
LIMBER_MUST_USE limber_result limberi_smear_find_radii(limber_smearer* smearer, const float* rest, const float* areas);
// Fills `centered`, and `spins` for joints in the middle of a ball.
LIMBER_MUST_USE limber_result limberi_smear_find_balls(limber_smearer* smearer, const float* rest, const float* areas);

// Where the formulas for a mesh are.
static inline const limber_smear_settings* limberi_smear_of_mesh(const limber_smearer* smearer, uint32_t mesh) {
    const limber_smear_settings* set = &smearer->settings;
    return set->of_mesh && mesh < set->of_mesh_count ? &set->of_mesh[mesh] : set;
}

// Whether smears leave this mesh alone: what no clip ever moves, unless it is seen from a moving camera.
static inline bool limberi_smear_skips(const limber_smearer* smearer, const limber_mesh* mesh) {
    return mesh->scenery && smearer->settings.offsets.camera < 0;
}

// How bones move from one frame to another, for shaders: five times four numbers per joint (kind; angle; cosine; origin;
// along; a; b; and the products of the last two).
enum { LIMBERI_BONE_NUMBERS = 20 };
void limberi_smear_bone_rows(const limber_smearer* smearer, const limber_smear_bone* at, const limber_smear_bone* from,
                             const limber_smear_bone* to, float* rows);

// What takes the spin of joints since `now` out of a frame: a rotation, its center, and 1 where there is some to take.
enum { LIMBERI_SPIN_NUMBERS = 8 };
void limberi_smear_spin_rows(const limber_smearer* smearer, const limber_smear_bone* now,
                             const limber_smear_bone* frame, float* rows);

// Whether the settings smear anything by the rules of drawn.h.
bool limberi_smear_draws(const limber_smear_settings* settings);
LIMBER_MUST_USE limber_result limberi_smear_prepare_drawn(limber_smearer* smearer);
// Material, texture and vertex colour, linear RGBA.
void limberi_smear_surface_color(const limber_smearer* smearer, const limberi_smear_seed* seed, float* rgba);

// The value after an instruction of a line's formula, at a seed.
float limberi_smear_seed_until(const limber_smearer* smearer, uint32_t seed, const limber_expression* expression,
                               uint32_t instruction);
// The same for the first vertices of a mesh's block.
void limberi_smear_run_until(const limber_smearer* smearer, uint32_t mesh, const limber_expression* expression,
                             uint32_t instruction, uint32_t first, uint32_t count, float* out);
// Whether a stroke has ink at a ring, 0 ... 1; cut off at `dry`.
float limberi_smear_ink(uint32_t line, uint32_t ring);

enum { LIMBERI_LINE_RINGS = 13, LIMBERI_LINE_SIDES = 6 };

// L per frame of every vertex, by the motion that is smeared.
void limberi_smear_speeds(limber_smearer* smearer, const limber_smear_job* job);
// Frames along the path of every vertex, and their range.
void limberi_smear_amounts(limber_smearer* smearer, const limber_smear_job* job);

LIMBER_MUST_USE limber_result limberi_smear_prepare_motion(limber_smearer* smearer);
// The frames of the job with the motion that is to be smeared, and no other.
const limber_smear_frame* limberi_smear_see(limber_smearer* smearer, const limber_smear_job* job, int32_t* first);
// The same for the positions of one frame, into `out`; and for its bones, without ignored spin, which does not move them.
void limberi_smear_filter(const limber_smearer* smearer, const limber_smear_frame* now, const limber_smear_frame* frame,
                          float* out);
void limberi_smear_filter_bones(const limber_smearer* smearer, const limber_smear_frame* now,
                                const limber_smear_frame* frame, limber_smear_bone* out);
// A point of `frame`, or of `now` where the settings let that be carried along.
limber_vec3 limberi_smear_filter_point(const limber_smearer* smearer, const limber_smear_frame* now,
                                       const limber_smear_frame* frame, limber_vec3 of_now, limber_vec3 of_frame);

// Every vertex of the character by its own amount along its path.
void limberi_smear_move(const limber_smearer* smearer, const limber_smear_frame* frames, int32_t first, float* out);
// The point on the path of one vertex: a uniform Catmull-Rom spline through its frames (SMEAR, section 4.1). frames[i]
// has number first + i; at the ends the last one is repeated. `amount` is in frames from number 0.
limber_vec3 limberi_smear_path(const limber_smear_frame* frames, int32_t first, int32_t last, uint32_t vertex,
                               float amount);

// `count` numbers from `from` on of all positions, each at the same place of its path.
void limberi_smear_copy(const limber_smear_frame* frames, int32_t first, float amount, size_t from, size_t count,
                        float* out);

float limberi_smear_spacing(const limber_smear_settings* settings); // between copies, frames
void limberi_smear_multiples(limber_smearer* smearer, const limber_smear_job* job, const limber_smear_frame* frames,
                             int32_t first);
void limberi_smear_plan_lines(limber_smearer* smearer, const limber_smear_job* job, float* min, float* max);
void limberi_smear_lines(limber_smearer* smearer, const limber_smear_frame* frames, int32_t first);

// Values of a number for `count` vertices from `first` of a mesh. `copy` is the number of the in-between copy, 0: none.
void limberi_smear_evaluate(const limber_smearer* smearer, const limber_smear_job* job, uint32_t mesh,
                            limber_number number, int32_t copy, uint32_t first, uint32_t count, float* out);
// changes.c: the settings of this frame.
void limberi_smear_change(limber_smearer* s, const limber_smear_job* job);
limber_expression_inputs limberi_smear_inputs(const limber_smear_job* job);

static inline bool limberi_number_is_on(limber_number number) {
    return number.expression || number.value != 0;
}

static inline float limberi_smoothstep(float x) {
    float t = limberi_clamp(x, 0, 1);
    return t * t * (3 - 2 * t);
}

#endif
