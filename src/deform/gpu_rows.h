// What joints do in one frame as texels for limber_deform.glsl, four joints side by side; docs/shader.md has the layout in
// words. The formulas are those of effects/formulas.h, in the same order, so to the same bits.
#ifndef LIMBERI_DEFORM_GPU_ROWS_H
#define LIMBERI_DEFORM_GPU_ROWS_H

#include "base/math.h"
#include "base/vectors.h"
#include "deform/deformer.h"
#include "deform/effects/formulas.h"

enum { LIMBERI_PEN_JOINTS = 4 };

// Axes of rotation, speeds about them, how much of them is twist; `turns` where there is a rotation at all.
typedef struct limberi_turns {
    const limber_kinematics* motion; // that they are of; NULL: not known yet
    limberi_mask turns;
    limberi_vectors3 axis;
    limberi_lanes speed, twist;
} limberi_turns;

// An effect in one frame, as all joints see it.
typedef struct limberi_gpu_slot {
    const limber_kinematics* motion; // NULL: it does nothing
    const limber_joint_gain* own;    // [joint]; NULL: 1
    uint32_t driven_by;
    bool gains_are_in_motion;
    float scale[2], constant[2]; // [part] of its column, and of the effect where no formula gives it at each vertex
} limberi_gpu_slot;

// What an effect adds to a palette at four joints.
typedef struct limberi_gpu_fold {
    limberi_mask acts;
    bool matrix; // else only the last three numbers count
    float m[LIMBERI_PEN_JOINTS][12];
} limberi_gpu_fold;

struct limberi_gpu_pen {
    const limber_deformer* d;
    const limber_deform_job* job;
    uint32_t count, joints[LIMBERI_PEN_JOINTS]; // after the last joint of a character comes the last again
    limberi_vectors3 position, centroid, medial_axis, bone_direction;
    const limber_kinematics* motion; // of the effect, that the next are of; NULL: none yet
    limberi_vectors3 velocity, acceleration, angular_velocity, angular_acceleration;
    limberi_mask moving; // LIMBERI_VELOCITY ...: quantities of it that are not zero
    limberi_turns turns_velocity, turns_acceleration;
    limberi_lanes gain[2]; // [part] of the effect and the joints, per unit of what the vertex's column holds
    limberi_lanes share;   // that the effect's `share` finds
    limberi_mask acts;     // joints that do anything
    bool puts_sources;     // rows of the sources follow those of the effect that reads them
    float* out;            // the next texel: of all four joints
    limberi_gpu_fold* fold;
};

// pen.c: with gains of 1 per column; where the four joints are; at the motion of an effect, with its gains, 0: it does
// nothing there.
limberi_gpu_slot limberi_gpu_slot_of(const limber_deformer* deformer, uint32_t slot);
void limberi_gpu_place(const limber_deformer* deformer, limberi_gpu_pen* pens); // all joints
void limberi_gpu_set_motion(limberi_gpu_pen* pen, const limber_kinematics* motion);
void limberi_gpu_open(limberi_gpu_pen* pen, const limberi_gpu_slot* slot);

static inline uint32_t limberi_gpu_pen_count(const limber_model* model) {
    return (model->rig.joint_count + LIMBERI_PEN_JOINTS - 1) / LIMBERI_PEN_JOINTS;
}

// folds.c: limberi_deform_begin for those who move the vertices themselves: only what adds up along the hierarchy. Places
// all pens. False: nothing moves; true: something may.
bool limberi_deform_can_fold(const limber_deformer* deformer); // all effects that fold have a `fold`
bool limberi_deform_begin_folds(limber_deformer* deformer, const limber_deform_job* job, limberi_gpu_pen* pens);

// fold_parts.c: a displacement by factor x gain x direction; (scale + rank d d^T) (p - point), where `acts` is set.
void limberi_gpu_fold_shift(limberi_gpu_pen* pen, limberi_lanes factor, limberi_vectors3 direction);
void limberi_gpu_fold_matrix(limberi_gpu_pen* pen, limberi_mask acts, limberi_lanes scale, limberi_lanes rank,
                             limberi_vectors3 d, limberi_vectors3 point);

LIMBERI_INLINED void limberi_gpu_put(limberi_gpu_pen* pen, limberi_vectors3 v, limberi_lanes w) {
    limberi_lanes rows[4] = {v.x, v.y, v.z, w};
    limberi_lanes_transpose(rows);
    for (int i = 0; i < LIMBERI_PEN_JOINTS; i++)
        limberi_lanes_store(pen->out + 4 * i, rows[i]);
    pen->out += 4 * LIMBERI_PEN_JOINTS;
}

static inline void limberi_gpu_put_nothing(limberi_gpu_pen* pen, uint32_t texels) {
    memset(pen->out, 0, 4 * LIMBERI_PEN_JOINTS * texels * sizeof *pen->out);
    pen->out += 4 * LIMBERI_PEN_JOINTS * texels;
}

LIMBERI_INLINED float limberi_gpu_constant(const limberi_gpu_pen* pen, uint32_t slot, int value) {
    return pen->d->frame.constants[slot].v[value][0];
}

// Of the joints, without the strength of the style.
static inline void limberi_gpu_joint_gains(const limberi_gpu_pen* pen, const limber_joint_gain* own,
                                           limberi_lanes* gains) {
    gains[LIMBERI_LINEAR] = gains[LIMBERI_ANGULAR] = limberi_lanes_all(1);
    for (int i = 0; own && i < LIMBERI_PEN_JOINTS; i++) {
        gains[LIMBERI_LINEAR][i] = own[pen->joints[i]].linear;
        gains[LIMBERI_ANGULAR][i] = own[pen->joints[i]].angular;
    }
}

// The gain of the effect times the joint's, but for what columns give at each vertex.
LIMBERI_INLINED limberi_lanes limberi_gpu_gain(const limberi_gpu_slot* s, const limberi_lanes* own, uint32_t part) {
    return s->gains_are_in_motion ? limberi_lanes_all(s->scale[part]) : own[part] * s->scale[part] * s->constant[part];
}

// Turns of the pen's motion, by the angular velocity or the angular acceleration; found once for all effects.
static inline const limberi_turns* limberi_gpu_turns(limberi_gpu_pen* pen, bool acceleration) {
    limberi_turns* t = acceleration ? &pen->turns_acceleration : &pen->turns_velocity;
    limberi_vectors3 rotation = acceleration ? pen->angular_acceleration : pen->angular_velocity;
    if (t->motion == pen->motion)
        return t;
    t->motion = pen->motion;
    t->speed = limberi_vectors_length(rotation);
    t->turns = limberi_lanes_less(limberi_lanes_all(0), t->speed);
    t->axis = limberi_vectors_scale(rotation, 1 / t->speed);
    t->twist = limberi_lanes_at_most_one(limberi_lanes_abs(limberi_vectors_dot(t->axis, pen->bone_direction)));
    return t;
}

// limberi_squash_plane_of, without what nobody asks for: the share of an angular squash that is left with this fade.
typedef struct limberi_squash_planes {
    limberi_mask is_there;
    limberi_vectors3 e, z;
    limberi_lanes share;
} limberi_squash_planes;

static inline limberi_squash_planes limberi_gpu_squash_planes(const limberi_gpu_pen* pen, limberi_lanes speed,
                                                              float fade) {
    static const float from = LIMBERI_SQUASH_FADE_FROM, to = LIMBERI_SQUASH_FADE_TO;
    limberi_squash_planes q;
    limberi_vectors3 across = limberi_vectors_cross(pen->medial_axis, pen->angular_velocity);
    limberi_lanes sine = limberi_vectors_length(across), part = sine / speed;
    q.is_there =
        limberi_lanes_less(limberi_lanes_all(0), speed) & limberi_lanes_less(LIMBERI_SQUASH_MIN_SINE * speed, sine);
    limberi_lanes x = limberi_lanes_part((part - from) / (to - from));
    limberi_lanes guard = x * x * (3 - 2 * x), square = limberi_lanes_at_most_one(part * part);
    q.share = guard + fminf(fmaxf(fade, 0), 1) * (square - guard);
    q.e = limberi_vectors_scale(across, 1 / sine);
    q.z = limberi_vectors_cross(q.e, pen->medial_axis);
    return q;
}

#endif
