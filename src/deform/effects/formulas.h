// Pieces of formulas that effects share: turns, bends, limits, and the sum of displacements.
#ifndef LIMBERI_DEFORM_FORMULAS_H
#define LIMBERI_DEFORM_FORMULAS_H

#include "base/math.h"
#include "deform/slots.h"

#define LIMBERI_MIN_STRETCH 0.1f // squash: 1 + s never goes below this
// Squash with a max: smaller ones are as good as this one, and s / max beyond this is at its end; both keep squares
// from overflowing.
#define LIMBERI_MIN_MAX_SQUASH 1e-6f
#define LIMBERI_MAX_SQUASH 1e15f

// The plane an angular squash lies in, and how much of it there is.
typedef struct limberi_squash_plane {
    limber_vec3 m, e, z; // medial axis, across it in the plane of the motion, along the motion
    limber_vec3 axis;    // of the rotation
    float speed;
    float guard, square; // how much is left near the medial axis: of the paper's own squash, and by the sine's square
} limberi_squash_plane;

// Where medial axis and rotation axis grow parallel the plane of the squash loses its meaning: the paper's own squash
// fades between these sines (0.6 and 2.9 degrees). Below the last one nothing is left either way: its square is within
// rounding.
#define LIMBERI_SQUASH_FADE_FROM 0.01f
#define LIMBERI_SQUASH_FADE_TO 0.05f
#define LIMBERI_SQUASH_MIN_SINE 1e-3f

// False when medial axis and rotation axis are parallel, or nothing turns.
static inline bool limberi_squash_plane_of(const limber_effect_block* b, limberi_squash_plane* q) {
    limber_vec3 across = limberi_cross(b->medial_axis, b->angular_velocity);
    float speed = limberi_length(b->angular_velocity);
    float sine = limberi_length(across);
    if (!(speed > 0) || !(sine > LIMBERI_SQUASH_MIN_SINE * speed))
        return false;
    float x = (sine / speed - LIMBERI_SQUASH_FADE_FROM) / (LIMBERI_SQUASH_FADE_TO - LIMBERI_SQUASH_FADE_FROM);
    x = fminf(fmaxf(x, 0), 1);
    q->guard = x * x * (3 - 2 * x);
    q->square = fminf((sine / speed) * (sine / speed), 1);
    q->axis = limberi_scale(b->angular_velocity, 1 / speed);
    q->speed = speed;
    q->m = b->medial_axis;
    q->e = limberi_scale(across, 1 / sine);
    q->z = limberi_cross(q->e, q->m);
    return true;
}

// The share of an angular squash that is left; `fade` mixes the two ways.
static inline float limberi_squash_share(const limberi_squash_plane* q, float fade) {
    return q->guard + fminf(fmaxf(fade, 0), 1) * (q->square - q->guard);
}

// Squash near 0 stays what it is, and |s| never reaches `max`. 0: no limit.
static inline float limberi_limit_squash(float s, float max) {
    if (!(max > 0))
        return s;
    max = fmaxf(max, LIMBERI_MIN_MAX_SQUASH);
    float x = fminf(fmaxf(s / max, -LIMBERI_MAX_SQUASH), LIMBERI_MAX_SQUASH);
    return max * x / sqrtf(1 + x * x);
}

// An axis of rotation through the joint: unit direction, speed about it, and how much of it is twist.
typedef struct limberi_turn {
    limber_vec3 axis;
    float speed;
    float twist; // |axis . bone direction|
} limberi_turn;

// False when there is no rotation.
static inline bool limberi_turn_of(limber_vec3 rotation, limber_vec3 bone_direction, limberi_turn* turn) {
    turn->speed = limberi_length(rotation);
    if (!(turn->speed > 0))
        return false;
    turn->axis = limberi_scale(rotation, 1 / turn->speed);
    turn->twist = fminf(fabsf(limberi_dot(turn->axis, bone_direction)), 1);
    return true;
}

// The angle itself up to three quarters of the limit, then a smooth (C1) approach to the limit. No limit: 0.
static inline float limberi_limit_angle(float angle, float limit) {
    float knee = 0.75f * limit;
    float over = fabsf(angle) - knee;
    if (!(limit > 0) || !(over > 0))
        return angle;
    float room = limit - knee;
    float x = over / room;
    return copysignf(fminf(knee + room * (x / (1 + x)), limit), angle);
}

// Part of p - position that is perpendicular to the axis.
static inline limber_vec3 limberi_radius(limber_vec3 p, limber_vec3 position, limber_vec3 axis) {
    limber_vec3 arm = limberi_sub(p, position);
    return limberi_sub(arm, limberi_scale(axis, limberi_dot(arm, axis)));
}

// sin(angle) (axis x r) - (1 - cos(angle)) r
static inline limber_vec3 limberi_bend(float angle, limber_vec3 axis, limber_vec3 r) {
    float half = sinf(0.5f * angle);
    return limberi_sub(limberi_scale(limberi_cross(axis, r), sinf(angle)), limberi_scale(r, 2 * half * half));
}

// Displacement of vertex i bent backwards by `gain` seconds of the turn, as floppy, drag and followthrough do.
static inline limber_vec3 limberi_bend_back(const limber_effect_block* b, uint32_t i, const limberi_turn* turn,
                                            float gain) {
    limber_vec3 r = limberi_radius(limberi_vec3(b->x[i], b->y[i], b->z[i]), b->position, turn->axis);
    float twist = limberi_values_of(b, LIMBERI_VALUE_TWIST)[i];
    float bend = limberi_values_of(b, LIMBERI_VALUE_BEND)[i];
    float limit = limberi_values_of(b, LIMBERI_VALUE_MAX_BEND)[i];
    float whole = gain * turn->speed * limberi_length(r) / b->size;
    if (limberi_number_of(b->settings, LIMBERI_VALUE_DECOMPOSE).value == LIMBER_DECOMPOSE_PRINTED) // thesis, 3.9
        return limberi_add(limberi_bend(limberi_limit_angle(-turn->twist * twist * whole, limit), turn->axis, r),
                           limberi_bend(limberi_limit_angle((1 + turn->twist) * bend * whole, limit), turn->axis, r));
    float mixed = gain * (turn->twist * twist + (1 - turn->twist) * bend);
    float angle = -mixed * turn->speed * limberi_length(r) / b->size;
    return limberi_bend(limberi_limit_angle(angle, limit), turn->axis, r);
}

static inline void limberi_displace(const limber_effect_block* b, uint32_t i, limber_vec3 d) {
    b->dx[i] += b->weight[i] * d.x;
    b->dy[i] += b->weight[i] * d.y;
    b->dz[i] += b->weight[i] * d.z;
}

#endif
