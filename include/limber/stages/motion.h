// limber/stages/motion.h: how every joint moves: velocity, acceleration, spin and its change.
//
// Derivatives are taken in the parent's frame, so a joint that is merely carried along contributes nothing of its own,
// and then turned to world space. From a clip, at any time, in any order:
//
//     limber_motion_settings settings = limber_motion_settings_default();
//     limber_kinematics local, world;                      // each four arrays of joint_count vectors
//     limber_motion_from_clip(model, clip, &settings, t, &local);
//     limber_motion_to_world(model, &pose, &local, &world);
//
// Live, from a stream of poses with time stamps (games, puppets):
//
//     limber_tracker* tracker;
//     limber_tracker_create(model, &tracker, &error);
//     limber_tracker_push(tracker, pose.local, time_s);    // once per frame
//     const limber_kinematics* now = limber_tracker_kinematics(tracker);
#ifndef LIMBER_STAGES_MOTION_H
#define LIMBER_STAGES_MOTION_H

#include <limber/stages/pose.h>

#ifdef __cplusplus
extern "C" {
#endif

// Per joint: m/s, m/s^2, rad/s, rad/s^2 (lengths in the model's own units).
typedef struct limber_kinematics {
    limber_vec3* velocity;
    limber_vec3* acceleration;
    limber_vec3* angular_velocity;
    limber_vec3* angular_acceleration;
} limber_kinematics;

typedef struct limber_motion_settings {
    double step_s; // of the central differences; 0: the clip's median key spacing within 1/120 ... 1/24 s
    limber_loop_mode loop;
} limber_motion_settings;

LIMBER_API limber_motion_settings limber_motion_settings_default(void);

LIMBER_API LIMBER_MUST_USE limber_result limber_kinematics_create(const limber_model* model, limber_kinematics* out);
LIMBER_API void limber_kinematics_destroy(limber_kinematics* kinematics);

LIMBER_API double limberi_motion_step(const limber_clip* clip, const limber_motion_settings* settings);
LIMBER_API bool limberi_motion_loops(const limber_clip* clip, const limber_motion_settings* settings);

// Kinematics of `clip` at `time_s`, each joint in its parent's frame. One-sided at the ends of a clip that does not
// loop, beside its cuts, and for single joints beside their own.
LIMBER_API void limber_motion_from_clip(const limber_model* model, const limber_clip* clip,
                                        const limber_motion_settings* settings, double time_s, limber_kinematics* out);

// Parent's frame to world. `in` and `out` may be the same. The pose's world matrices must be up to date.
LIMBER_API void limber_motion_to_world(const limber_model* model, const limber_pose* pose, const limber_kinematics* in,
                                       limber_kinematics* out);

// Time filters (S6), per joint and quantity. They run over the whole clip once, at a fixed inner rate, so a frame does
// not depend on the frames before it being asked for, nor on the frame rate. A loop starts in its steady state.
typedef enum limber_filter_type { LIMBER_FILTER_NONE, LIMBER_FILTER_LOWPASS, LIMBER_FILTER_SPRING } limber_filter_type;

typedef struct limber_filter {
    limber_filter_type type;
    double gamma;        // lowpass: part of the way to the input per 1/60 s, in (0, 1]
    double frequency_hz; // spring
    double damping;      // spring: 1 is critical
} limber_filter;

typedef struct limber_filter_set {
    limber_filter velocity, acceleration, angular_velocity, angular_acceleration;
} limber_filter_set;

LIMBER_API limber_filter_set limber_filter_set_none(void);

// The filtered kinematics of one clip, at any time and in any order.
typedef struct limber_track limber_track;

LIMBER_API LIMBER_MUST_USE limber_result limber_track_create(const limber_model* model, const limber_clip* clip,
                                                             const limber_motion_settings* settings,
                                                             const limber_filter_set* filters, limber_track** track,
                                                             limber_error* error);
LIMBER_API void limber_track_destroy(limber_track* track);
LIMBER_API void limber_track_evaluate(const limber_track* track, double time_s, limber_kinematics* out);

typedef struct limber_tracker limber_tracker;

LIMBER_API LIMBER_MUST_USE limber_result limber_tracker_create(const limber_model* model, limber_tracker** tracker,
                                                               limber_error* error);
LIMBER_API void limber_tracker_destroy(limber_tracker* tracker);

// Takes the pose at `time_s`. Backward differences over the real time between pushes; accelerations compare with the
// velocities of a thirtieth of a second ago (of the push before when pushes are slower), so that keys joined by
// straight lines make no spikes. The same time stamp again (a pause), or one less than half a millisecond later, keeps
// the kinematics and is not remembered; a step back in time, a gap of more than a quarter of a second or a teleport
// starts afresh at rest. Joints teleport that go more than L/2 or 120 degrees in one step; when half of the skin hangs
// on them or on what they carry, all joints start afresh, and else only they do.
LIMBER_API void limber_tracker_push(limber_tracker* tracker, const limber_transform* local, double time_s);
LIMBER_API void limber_tracker_reset(limber_tracker* tracker);

// In the parent's frame, like limber_motion_from_clip.
LIMBER_API const limber_kinematics* limber_tracker_kinematics(const limber_tracker* tracker);

#ifdef __cplusplus
}
#endif

#endif
