// What is found out about a clip before it is changed (S14), on a grid of its own whatever the rate of the output.
// Lengths are in body heights unless a name says otherwise.
#ifndef LIMBERI_PERFORM_ACTING_H
#define LIMBERI_PERFORM_ACTING_H

#include "base/turns.h"
#include "perform/anatomy.h"
#include "perform/signal.h"
#include "perform/skin_sums.h"
#include <limber/stages/perform.h>

// Vertices that can touch a floor.
typedef struct limberi_touch_points {
    uint32_t count;
    const uint32_t* vertices; // of all meshes
    const uint32_t* joints;   // which joint each one belongs to
} limberi_touch_points;

// Where a joint is in the world.
typedef struct limberi_placed_joint {
    double place[3], turn[4], scale;
} limberi_placed_joint;

typedef struct limberi_looker limberi_looker; // passes.h

typedef struct limberi_acting {
    limberi_arena arena;
    const limber_parallel* parallel; // NULL: the calling thread alone
    const limber_model* model;
    const limber_clip* clip;
    const limberi_anatomy* body;
    const limberi_skin_sums* surface;
    const limberi_clip_ground* ground;
    const limberi_touch_points* points;
    limberi_moments grid;
    uint32_t joint_count;
    uint32_t first;          // the first moment of the motion: before it there is a pose that was put in front of it
    limber_transform* local; // [moment * joint_count + joint]; quaternions keep to one side
    limberi_placed_joint* world;
    double* middle;   // [moment * 3] of the skin, world units
    double* velocity; // [moment * 3] of that, heights per second
    double* speed;    // [moment] of the pose: what is left when the body's travel is taken out
    double* free;     // [moment] 0 while the body travels steadily, else 1 (the travel gate)
    double* support;  // [moment] how much of the body something carries
    double** touch;   // [joint] how much it touches the floor at each moment; NULL: never
    bool has_floor;
    double floor;      // world height
    double belt;       // speed of the ground under feet that walk on the spot
    double amplitude;  // rms of the pose against its mean
    double rest;       // how much the pose comes to rest: 5th over 95th percentile of the speed
    double* scratch;   // [2 * count + 2], for the signals
    double* speeds[2]; // [moment] scratch
    uint32_t looker_count;
    limberi_looker* lookers; // one for each thread
} limberi_acting;

// `loops`: whether the clip counts as a loop. `parallel` is used until it is destroyed. LIMBER_ERROR_MEMORY or LIMBER_OK.
LIMBER_MUST_USE limber_result limberi_acting_create(const limberi_anatomy* body, const limberi_skin_sums* surface,
                                                    const limberi_touch_points* points, const limber_clip* clip,
                                                    const limberi_clip_ground* ground, bool loops,
                                                    const limber_parallel* parallel, limberi_acting* acting);
void limberi_acting_destroy(limberi_acting* acting);

static inline size_t limberi_acting_at(const limberi_acting* a, uint32_t moment, uint32_t joint) {
    return (size_t)moment * a->joint_count + joint;
}

// Places all joints of one moment. `local` and `world`: [joint].
void limberi_place_joints(const limber_rig* rig, const limber_transform* local, limberi_placed_joint* world);

// How much something of a limb touches the floor; 0 where it has no contacts.
double limberi_limb_touch(const limberi_acting* a, uint32_t limb, uint32_t moment);

// How much of the body something carries.
double limberi_carried(const limberi_acting* a, uint32_t moment);

// --- timing (S15) ---

typedef struct limberi_timing_amounts {
    double snap, hang;
    uint32_t hold_count;
    const limber_hold* holds; // of all clips
    int32_t clip;             // which one this is
} limberi_timing_amounts;

typedef struct limberi_timing {
    double* source;     // [moment] of the output: which moment of the plain clip it shows, in moments
    uint32_t key_count; // key poses: where the motion rests
    uint32_t* keys;     // moments of the plain clip
    uint32_t flight_count;
    uint32_t hold_count; // single holds
    bool gait;           // a loop that never comes to rest
    bool changed;
} limberi_timing;

// Arrays are in the arena of the acting.
LIMBER_MUST_USE limber_result limberi_timing_find(limberi_acting* a, const limberi_timing_amounts* amounts,
                                                  limberi_timing* timing);

// --- pose and anticipation (S16) ---

typedef struct limberi_pose_amounts {
    double exaggerate, anticipate, trail;
    const float* of_joint; // [joint] NULL: 1
} limberi_pose_amounts;

// How much larger poses become: a small performance gets more.
double limberi_pose_gain(const limberi_acting* a, double exaggerate);

// The edited local transforms of all moments of the plain clip, [moment * joint_count + joint]; NULL: not changed.
LIMBER_MUST_USE limber_result limberi_pose_edit(limberi_acting* a, const limberi_pose_amounts* amounts,
                                                limber_transform** edited);

#endif
