// limber/stages/motion.h: how every joint moves: linear and angular velocities and accelerations, and time filters.
//
// Derivatives are taken in the parent's frame, so a joint that is only carried along has no motion of its own. From a
// clip, at any time, in any order:
//
//     limber_motion_settings settings = limber_motion_settings_default();
//     limber_kinematics motion;
//     if (limber_kinematics_create(model, &motion) != LIMBER_OK)
//         return 1;
//     if (limber_motion_from_clip(model, &model->clips[0], &settings, 0.5, &motion) == LIMBER_OK)
//         limber_motion_to_world(model, &pose, &motion, &motion); // `pose` of the same moment
//     limber_kinematics_destroy(&motion);
//
// Live, from poses with time stamps:
//
//     limber_tracker* tracker;
//     limber_error error;
//     if (limber_tracker_create(model, &tracker, &error) != LIMBER_OK)
//         return 1;
//     limber_tracker_push(tracker, pose.local, now_s); // once per frame
//     const limber_kinematics* motion = limber_tracker_kinematics(tracker);
//     printf("joint 0 moves %g up per second\n", motion->velocity[0].y);
//     limber_tracker_destroy(tracker);
#ifndef LIMBER_STAGES_MOTION_H
#define LIMBER_STAGES_MOTION_H

#include <limber/stages/expression.h>
#include <limber/stages/pose.h>

#ifdef __cplusplus
extern "C" {
#endif

// How every joint moves.
typedef struct limber_kinematics {
    limber_vec3* velocity;             // [joint] units/s
    limber_vec3* acceleration;         // [joint] units/s^2
    limber_vec3* angular_velocity;     // [joint] rad/s
    limber_vec3* angular_acceleration; // [joint] rad/s^2
} limber_kinematics;

// Allocates the arrays, and releases them.
LIMBER_API LIMBER_MUST_USE limber_result limber_kinematics_create(const limber_model* model, limber_kinematics* out);
LIMBER_API void limber_kinematics_destroy(limber_kinematics* kinematics);

// How velocities and accelerations come about: by central differences, or from the derivatives of a clip's curves where
// it has them: velocities of all curves, accelerations of cubic splines. (Lines and steps have no acceleration but at
// their keys, where it is infinite: they keep the differences.)
typedef enum limber_derivatives { LIMBER_DERIVATIVES_DIFFERENCES, LIMBER_DERIVATIVES_ANALYTIC } limber_derivatives;

// How motion is taken from a clip.
typedef struct limber_motion_settings {
    uint32_t struct_size; // set by limber_motion_settings_default
    double step_s;        // of the central differences; 0: 1/24 s
    limber_loop_mode loop;
    limber_derivatives derivatives;
} limber_motion_settings;

LIMBER_DEFAULT(limber_motion_settings)

// The motion of `clip` at `time_s`, each joint in its parent's frame. Differences are one-sided at the ends of a clip
// that does not loop and next to cuts. Those of a loop belong to the endless motion: gaps at the seam are spread over the
// clip, and travel goes on (limber_loop).
LIMBER_API LIMBER_MUST_USE limber_result limber_motion_from_clip(const limber_model* model, const limber_clip* clip,
                                                                 const limber_motion_settings* settings, double time_s,
                                                                 limber_kinematics* out);

// From the parent's frame to world space. `in` and `out` may be the same. The pose's world matrices must be up to date.
LIMBER_API void limber_motion_to_world(const limber_model* model, const limber_pose* pose, const limber_kinematics* in,
                                       limber_kinematics* out);

// --- time filters ---

// Which filter runs: none, a lowpass that smooths and delays, or a spring that overshoots and settles.
typedef enum limber_filter_type { LIMBER_FILTER_NONE, LIMBER_FILTER_LOWPASS, LIMBER_FILTER_SPRING } limber_filter_type;

// A filter of one quantity over time.
typedef struct limber_filter {
    limber_filter_type type;
    double gamma;        // lowpass: fraction of the way to the input per 1/60 s, in (0, 1]
    double frequency_hz; // spring
    double damping;      // spring: 1 is critical
} limber_filter;

// Which share of an acceleration a filter runs on: all of it, the share of a motion that starts (drag), or that of one
// that stops (followthrough). t = -(v . a) / |a|^2 is the time until the motion turns round; the share of a stop is
// smoothstep(-turn_s, turn_s, t), that of a start the rest. With a limit it is clamp(-(v . a) / limit, 0, 1) instead
// (acceleration skinning, equation 9).
typedef enum limber_gate { LIMBER_GATE_NONE, LIMBER_GATE_STARTING, LIMBER_GATE_STOPPING } limber_gate;

// A spring that follows each joint. What comes out instead of the joint's motion is how it is followed: `velocity` and
// `angular_velocity` are the spring's, `acceleration` and `angular_acceleration` its lag behind the joint, smoothed, as a
// length and in radians. A steady turn leaves a lag, a steady travel leaves none.
typedef struct limber_follower {
    double frequency_hz; // 0: no follower
    double damping;      // 1 is critical
    double smooth_s;     // of the lag
    double ahead_s;      // in clips the lag is that of a moment later; live poses have no later
    double arrive; // 0 to 1: in clips nothing lags where a fast tip stops, and then overshoots; not for live poses
} limber_follower;

// What the motion of a joint is relative to, besides its parent: bit flags.
enum { LIMBER_AIR_WIND = 1, LIMBER_AIR_GRAVITY = 2 };

// Wind and gravity act on the skin of each joint, whose centroid is l away from it. The angular velocity becomes
// w - (l x wind) / |l|^2, the angular acceleration a - (l x (g - R R_rest^-1 g)) / |l|^2 with the rotation R of the joint:
// what hangs in the rest pose hangs like that already. |l| counts as L/20 at least.
typedef struct limber_air_settings {
    limber_number wind[3]; // world, L/s; formulas may use t, frame, phase and the joint's position x, y, z [L]
    limber_vec3 gravity;   // world, L/s^2
} limber_air_settings;

// One filter per quantity.
typedef struct limber_filter_set {
    limber_filter velocity, acceleration, angular_velocity, angular_acceleration;
    limber_gate gate;         // of the accelerations that have a filter
    double turn_s;            // 0: a hard switch
    limber_follower follower; // instead of all of these
    uint32_t air;             // LIMBER_AIR_... that the motion is relative to, before any filter
    uint32_t derivative;      // 3, 4: accelerations become jerk, jounce before their filters run; 0: they stay
    double gate_limit[2];     // of linear and angular motion, in place of turn_s; 0: none
} limber_filter_set;

// No filter, no gate, no follower.
LIMBER_API limber_filter_set limber_filter_set_none(void);

// The filtered motion of one clip. The filters run over the whole clip once, at a fixed internal rate, so that a frame
// depends neither on which frames were evaluated before nor on the frame rate. A loop starts in its steady state.
typedef struct limber_track limber_track;

// Runs the filters; limber_track_evaluate gives the motion at any time. The clip and the model must outlive the track.
LIMBER_API LIMBER_MUST_USE limber_result limber_track_create(const limber_model* model, const limber_clip* clip,
                                                             const limber_motion_settings* settings,
                                                             const limber_filter_set* filters, limber_track** track,
                                                             limber_error* error);
LIMBER_API void limber_track_destroy(limber_track* track);
LIMBER_API void limber_track_evaluate(const limber_track* track, double time_s, limber_kinematics* out);

// --- live ---

// Finds the motion of poses that come one by one.
typedef struct limber_tracker limber_tracker;

// The model must outlive the tracker.
LIMBER_API LIMBER_MUST_USE limber_result limber_tracker_create(const limber_model* model, limber_tracker** tracker,
                                                               limber_error* error);
LIMBER_API void limber_tracker_destroy(limber_tracker* tracker);

// Adds the pose at `time_s`. Motion is the backward difference over the real time between pushes; accelerations compare
// with the velocities of a thirtieth of a second ago (or of the previous push, if that is longer ago), so that linear
// interpolation between keys causes no spikes.
//   - The same time stamp again (a pause), or one less than half a millisecond later: the motion stays as it is.
//   - A step back in time, or a gap of more than a quarter of a second: all joints start again at rest.
//   - A joint that moves more than L/2 or 120 degrees in one step counts as teleported and starts again at rest; when
//     teleported joints and those below them carry half of the skin, all joints do.
LIMBER_API void limber_tracker_push(limber_tracker* tracker, const limber_transform* local, double time_s);
// The next pose counts as the first one.
LIMBER_API void limber_tracker_reset(limber_tracker* tracker);

// In the parent's frame, like limber_motion_from_clip.
LIMBER_API const limber_kinematics* limber_tracker_kinematics(const limber_tracker* tracker);

#ifdef __cplusplus
}
#endif

#endif
