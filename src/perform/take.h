// A clip as plain numbers: every joint at every frame of a steady rate. The steps of this stage work on it in place.
#ifndef LIMBERI_PERFORM_TAKE_H
#define LIMBERI_PERFORM_TAKE_H

#include "base/memory.h"
#include <limber/stages/expression.h>
#include <limber/stages/pose.h>

typedef struct limberi_take {
    uint32_t joint_count, frame_count;
    double start_s, step_s;
    bool loops; // the last frame is the first one again
    // Runs of frames between the clip's cuts; nothing is smoothed from one into the next.
    uint32_t segment_count;
    const uint32_t* segments; // [segment_count + 1] first frames
    limber_transform* local;  // [frame * joint_count + joint]
} limberi_take;

// Samples the clip at about `fps`: the steps divide it evenly, so that the frames of a loop meet.
LIMBER_MUST_USE limber_result limberi_take_create(limberi_arena* arena, const limber_model* model,
                                                  const limber_clip* clip, double fps, bool loops, limberi_take* take,
                                                  limber_error* error);

static inline limber_transform* limberi_take_at(const limberi_take* take, uint32_t frame, uint32_t joint) {
    return take->local + (size_t)frame * take->joint_count + joint;
}

static inline double limberi_take_time(const limberi_take* take, uint32_t frame) {
    return take->start_s + frame * take->step_s;
}

// A formula at a frame, within -limit ... limit; 1 where there is none.
double limberi_take_formula(const limberi_take* take, const limber_expression* formula, uint32_t frame, double limit);

// The segment that holds a frame.
uint32_t limberi_take_segment(const limberi_take* take, uint32_t frame);

// Two frames and how far (0 ... 1) a time lies between them; `frame` says in which segment to stay. Loops wrap.
typedef struct limberi_between {
    uint32_t a, b;
    double part;
} limberi_between;
limberi_between limberi_take_between(const limberi_take* take, uint32_t frame, double time_s);

// World positions of all joints: [frame * joint_count + joint].
void limberi_take_positions(const limberi_take* take, const limber_rig* rig, limber_mat4* scratch,
                            limber_vec3* positions);

// --- back to a clip ---

// The times of the keys, one per frame. NULL: not enough memory.
const float* limberi_take_key_times(const limberi_take* take, const limber_clip* clip, limberi_arena* arena);

// A clip whose joints move as in `take`, with a key per frame where that differs from `source`, which is the clip as it
// came; what does not differ keeps the channels of the clip. `times`: those of above.
LIMBER_MUST_USE limber_result limberi_take_to_clip(const limberi_take* take, const limberi_take* source,
                                                   const limber_model* model, const limber_clip* clip,
                                                   const float* times, limberi_arena* arena, limber_clip* out);

#endif
