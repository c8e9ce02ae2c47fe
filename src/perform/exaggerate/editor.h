// One clip while it is being edited, and the steps in the order they run.
#ifndef LIMBERI_EXAGGERATE_EDITOR_H
#define LIMBERI_EXAGGERATE_EDITOR_H

#include "base/math.h"
#include "perform/exaggerate/graph.h"
#include "perform/take.h"
#include <limber/stages/exaggerate.h>

// --- spread.c: edits made at single moments, spread over the time around them (stretchable cartoon editing, section 3:
// temporal Laplace with zero ends) ---

typedef struct limberi_knot {
    double time_s;
    double value[3];
    double slope[3]; // filled by limberi_spread_prepare
} limberi_knot;

// `knots` has room for `count` + 2: the first and the last become the ends of the window, where everything is 0; the
// keys lie between. `scratch` has room for `count` + 2 numbers.
void limberi_spread_prepare(limberi_knot* knots, uint32_t count, double window_s, limber_spread spread,
                            double* scratch);
// Adds the edit at a time; nothing outside the window. `count` as above.
void limberi_spread_add(const limberi_knot* knots, uint32_t count, limber_spread spread, double time_s,
                        limber_vec3* value);

// Smooths three numbers a frame by passes that are each as wide as a frame at 30 fps, whatever the step. `scratch` has
// room for `count` values. A loop's last frame is its first again.
void limberi_smooth(limber_vec3* values, size_t stride, uint32_t count, bool loops, double step_s, double passes,
                    limber_vec3* scratch);

// --- the editor ---

// Keys that share one window: `key_count` of them between two ends, in limberi_pull.knots from `first`.
typedef struct limberi_pull_group {
    uint32_t first, key_count;
    double start_s; // of this group and those after it: nothing before
    double end_s;   // of this group and those before it: nothing after
} limberi_pull_group;

// Where one joint is pulled over time.
typedef struct limberi_pull {
    uint32_t joint;
    float weight;
    const limber_constraint* constraint; // NULL: chosen automatically
    uint32_t group_count;
    limberi_pull_group* groups;
    limberi_knot* knots; // displacements, world
} limberi_pull;

typedef struct limberi_editor {
    limberi_arena arena;
    const limber_model* model;
    const limber_clip* clip;
    const limber_exaggerate_settings* settings;
    double size;
    limberi_take source; // as sampled
    limberi_take take;   // filtered, and in the end edited
    limber_bone_graph graph;
    uint32_t* twin;         // [joint] the joint of the graph that lies in the same place; itself, as a rule
    uint32_t* children;     // [joint] in the graph
    bool* pinned;           // [joint] what a pinned root holds
    bool* fixed;            // [joint] moves with its parent: edits do not bend what the clip never bends
    limber_vec3* positions; // [frame][joint] of the filtered take
    limber_vec3* moved;     // [frame][joint] how far the edits take each joint
    float* factors;         // [frame][joint] how much longer its bone is, or NULL
    uint32_t pull_count, pull_room;
    limberi_pull* pulls;
    limber_error* error;
} limberi_editor;

static inline limber_vec3* limberi_editor_at(const limberi_editor* e, limber_vec3* values, uint32_t frame,
                                             uint32_t joint) {
    return values + (size_t)frame * e->take.joint_count + joint;
}

// Metres of travel per second in units of L, smoothed over a thirtieth of a second either way. `about` -1: in the
// world, else seen from that joint.
double limberi_editor_speed(const limberi_editor* e, uint32_t frame, uint32_t joint, int32_t about);

static inline bool limberi_editor_is_stiff(const limberi_editor* e, uint32_t joint) {
    return e->settings->stiff && e->settings->stiff[joint];
}

// Whether the clip never turns it against its parent.
bool limberi_editor_is_still(const limberi_editor* e, uint32_t joint);

// The fingers of a robot that the clip never bends, for edits that nobody asked for by hand.
void limberi_editor_find_fixed(limberi_editor* e);

// A pull with room for `key_count` keys in as many groups; NULL when memory is short.
limberi_pull* limberi_editor_new_pull(limberi_editor* e, uint32_t joint, float weight, uint32_t key_count);

// pulls.c: what the constraints ask for, solved for the whole skeleton and spread and smoothed over time.
LIMBER_MUST_USE limber_result limberi_editor_pull(limberi_editor* e);

// Joints that are not in the graph go where their twins go.
static inline void limberi_editor_follow_twins(const limberi_editor* e, limber_vec3* moved) {
    for (uint32_t j = 0; j < e->take.joint_count; j++)
        moved[j] = moved[e->twin[j]];
}

// automatic.c: pulls on the joints that stand out.
LIMBER_MUST_USE limber_result limberi_editor_choose(limberi_editor* e);

// hold.c: what stands on the ground goes back to where it stood, and paws that hang on the root go with their leg.
bool limberi_editor_holds(const limberi_editor* e); // whether there is any of that
LIMBER_MUST_USE limber_result limberi_editor_hold(limberi_editor* e);

// rebuild.c: from positions back to joints.
LIMBER_MUST_USE limber_result limberi_editor_rebuild(limberi_editor* e);
// The rotation that takes the vectors `from` to `to` best in the sense of least squares; where they leave it open, one
// that does not twist.
limber_quat limberi_fit_rotation(const limber_vec3* from, const limber_vec3* to, uint32_t count);

#endif
