// For a GPU: what joints do in one frame, four joints side by side in SIMD lanes. An effect writes texels for
// limber_deform.glsl (docs/shader.md has their layout), and `fold` what it adds to the palettes. It stands here and not in
// src/gpu because effects write it; src/gpu decides which texels a style needs. The formulas are those of
// effects/formulas.h with the same operations in the same order, so that CPU and GPU get equal numbers.
#ifndef LIMBERI_DEFORM_GPU_ROWS_H
#define LIMBERI_DEFORM_GPU_ROWS_H

#include "base/math.h"
#include "base/vectors.h"
#include "deform/deformer.h"
#include "deform/effects/formulas.h"

enum { LIMBERI_QUAD_JOINTS = 4 };

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
    float m[LIMBERI_QUAD_JOINTS][12];
} limberi_gpu_fold;

// Four joints in a frame: where they are, how they move, and where their texels go.
struct limberi_joint_quad {
    const limber_deformer* d;
    const limber_deform_job* job;
    uint32_t count, joints[LIMBERI_QUAD_JOINTS]; // the last quad of a character is filled up with its last joint
    limberi_vectors3 position, centroid, medial_axis, bone_direction;
    const limber_kinematics* motion; // whose velocities and accelerations are loaded below; NULL: none yet
    limberi_vectors3 velocity, acceleration, angular_velocity, angular_acceleration;
    limberi_mask moving; // LIMBERI_VELOCITY ...: which of them are not zero
    limberi_turns turns_velocity, turns_acceleration;
    limberi_lanes gain[2]; // [part] of the effect and the joints, per unit of what the vertex's column holds
    limberi_lanes share;   // set by the effect's `share`
    limberi_mask acts;     // joints that do anything
    bool puts_sources;     // rows of the sources follow those of the effect that reads them
    float* out;            // the next texel: of all four joints
    limberi_gpu_fold* fold;
};

// How all joints see an effect in this frame; `scale` is 1 and may be changed before limberi_gpu_open.
limberi_gpu_slot limberi_gpu_slot_of(const limber_deformer* deformer, uint32_t slot);
// Sets the joints of all quads of a character, with their positions and axes.
void limberi_gpu_place(const limber_deformer* deformer, limberi_joint_quad* quads);
// Loads the motion of the four joints, unless it is loaded already.
void limberi_gpu_set_motion(limberi_joint_quad* quad, const limber_kinematics* motion);
// Makes the quad ready for an effect: its motion, and the gains of both parts; 0 at joints where it does nothing.
void limberi_gpu_open(limberi_joint_quad* quad, const limberi_gpu_slot* slot);

static inline uint32_t limberi_quad_count(const limber_model* model) {
    return (model->rig.joint_count + LIMBERI_QUAD_JOINTS - 1) / LIMBERI_QUAD_JOINTS;
}

// Whether limberi_deform_begin_folds does for this style: all effects that fold have a `fold`.
bool limberi_deform_can_fold(const limber_deformer* deformer);
// Stands for limberi_deform_begin where the caller moves the vertices itself: it fills the palettes only, and places all
// quads. False: nothing moves; true: something may.
bool limberi_deform_begin_folds(limber_deformer* deformer, const limber_deform_job* job, limberi_joint_quad* quads);

// What a `fold` adds to the palette of its effect: a displacement by factor x gain x direction, or
// (scale + rank d d^T) (p - point) where `acts` is set.
void limberi_gpu_fold_shift(limberi_joint_quad* quad, limberi_lanes factor, limberi_vectors3 direction);
void limberi_gpu_fold_matrix(limberi_joint_quad* quad, limberi_mask acts, limberi_lanes scale, limberi_lanes rank,
                             limberi_vectors3 d, limberi_vectors3 point);

LIMBERI_INLINED void limberi_gpu_put(limberi_joint_quad* quad, limberi_vectors3 v, limberi_lanes w) {
    limberi_lanes rows[4] = {v.x, v.y, v.z, w};
    limberi_lanes_transpose(rows);
    for (int i = 0; i < LIMBERI_QUAD_JOINTS; i++)
        limberi_lanes_store(quad->out + 4 * i, rows[i]);
    quad->out += 4 * LIMBERI_QUAD_JOINTS;
}

static inline void limberi_gpu_put_nothing(limberi_joint_quad* quad, uint32_t texels) {
    memset(quad->out, 0, 4 * LIMBERI_QUAD_JOINTS * texels * sizeof *quad->out);
    quad->out += 4 * LIMBERI_QUAD_JOINTS * texels;
}

LIMBERI_INLINED float limberi_gpu_constant(const limberi_joint_quad* quad, uint32_t slot, int value) {
    return quad->d->frame.constants[slot].v[value][0];
}

// Of the joints, without the strength of the style.
static inline void limberi_gpu_joint_gains(const limberi_joint_quad* quad, const limber_joint_gain* own,
                                           limberi_lanes* gains) {
    gains[LIMBERI_LINEAR] = gains[LIMBERI_ANGULAR] = limberi_lanes_all(1);
    for (int i = 0; own && i < LIMBERI_QUAD_JOINTS; i++) {
        gains[LIMBERI_LINEAR][i] = own[quad->joints[i]].linear;
        gains[LIMBERI_ANGULAR][i] = own[quad->joints[i]].angular;
    }
}

// The gain of the effect times the joint's, but for what columns give at each vertex.
LIMBERI_INLINED limberi_lanes limberi_gpu_gain(const limberi_gpu_slot* s, const limberi_lanes* own, uint32_t part) {
    return s->gains_are_in_motion ? limberi_lanes_all(s->scale[part]) : own[part] * s->scale[part] * s->constant[part];
}

// Turns of the quad's motion, by the angular velocity or the angular acceleration; found once for all effects.
static inline const limberi_turns* limberi_gpu_turns(limberi_joint_quad* quad, bool acceleration) {
    limberi_turns* t = acceleration ? &quad->turns_acceleration : &quad->turns_velocity;
    limberi_vectors3 rotation = acceleration ? quad->angular_acceleration : quad->angular_velocity;
    if (t->motion == quad->motion)
        return t;
    t->motion = quad->motion;
    t->speed = limberi_vectors_length(rotation);
    t->turns = limberi_lanes_less(limberi_lanes_all(0), t->speed);
    t->axis = limberi_vectors_scale(rotation, 1 / t->speed);
    t->twist = limberi_lanes_at_most_one(limberi_lanes_abs(limberi_vectors_dot(t->axis, quad->bone_direction)));
    return t;
}

// How far along the medial axis the center is that a squash goes about, never 0; 0: it goes about the axis.
limberi_lanes limberi_gpu_center(const limberi_joint_quad* quad, uint32_t slot);

// limberi_squash_plane_of, without what nobody asks for: the share of an angular squash that is left with this fade.
typedef struct limberi_squash_planes {
    limberi_mask is_there;
    limberi_vectors3 e, z;
    limberi_lanes share;
} limberi_squash_planes;

static inline limberi_squash_planes limberi_gpu_squash_planes(const limberi_joint_quad* quad, limberi_lanes speed,
                                                              float fade) {
    static const float from = LIMBERI_SQUASH_FADE_FROM;
    static const float to = LIMBERI_SQUASH_FADE_TO;
    limberi_squash_planes q;
    limberi_vectors3 across = limberi_vectors_cross(quad->medial_axis, quad->angular_velocity);
    limberi_lanes sine = limberi_vectors_length(across);
    limberi_lanes part = sine / speed;
    q.is_there =
        limberi_lanes_less(limberi_lanes_all(0), speed) & limberi_lanes_less(LIMBERI_SQUASH_MIN_SINE * speed, sine);
    limberi_lanes x = limberi_lanes_part((part - from) / (to - from));
    limberi_lanes guard = x * x * (3 - 2 * x);
    limberi_lanes square = limberi_lanes_at_most_one(part * part);
    q.share = guard + fminf(fmaxf(fade, 0), 1) * (square - guard);
    q.e = limberi_vectors_scale(across, 1 / sine);
    q.z = limberi_vectors_cross(q.e, quad->medial_axis);
    return q;
}

#endif
