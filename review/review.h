// How a style looks on a clip, as numbers: what an art director would reject, measured.
//
// A clip is played plain and styled at 120 frames per second, at most the middle 3 seconds of it. Lengths are in units
// of the diagonal of the rest pose's box. The bounds are in review/bounds.h.
#ifndef LIMBERI_REVIEW_H
#define LIMBERI_REVIEW_H

#include <limber/bake.h>
#include <limber/pipeline.h>
#include <limber/stages/deform.h>

#define LIMBERI_REVIEW_RATE 120.0
#define LIMBERI_REVIEW_SECONDS 3.0
#define LIMBERI_REVIEW_MANY 20000u // at most so many pairs of vertices that coincide are looked at

// Where and when something is largest.
typedef struct limberi_spot {
    uint32_t joint; // that moves the vertex most; UINT32_MAX: nowhere
    double time_s;  // of the clip
} limberi_spot;

// How much of the time something is near the limit that the style sets.
typedef struct limberi_limited {
    bool has_limit;
    double max;       // as the style has it
    double share;     // of the frames in which some joint is within a tenth of it
    uint32_t joint;   // that is most often; UINT32_MAX: none ever is
    double max_share; // of that joint
} limberi_limited;

// Frames in a row in which something is smeared.
typedef struct limberi_smear_burst {
    double start_s, end_s;
    uint32_t joint; // of what is smeared most
} limberi_smear_burst;

#define LIMBERI_SMEAR_BURSTS 8u // more are counted, and not kept

// What is smeared, at 24 frames per second. All 0 where the style smears nothing.
typedef struct limberi_smear_review {
    uint32_t frame_count, smeared, longest; // frames; those with a smear; the most of them in a row
    double stretch;                         // 99.9th percentile of the edges' lengths, smeared over not, worst frame
    double rigid;                           // largest relative change of length of what is rigid
    double idle;    // how far something is smeared that went less than a hundredth of L since the last frame
    double flicker; // of what is drawn: how much is missing for a frame between two that have it, over all of it
    uint32_t burst_count;
    limberi_smear_burst bursts[LIMBERI_SMEAR_BURSTS];
    limberi_spot at_stretch, at_rigid, at_idle, at_flicker;
} limberi_smear_review;

typedef struct limberi_review {
    double start_s, end_s; // what was measured
    uint32_t frame_count;
    double size;            // the diagonal, in units of the model: what the lengths below are relative to
    double motion;          // 95th percentile over the vertices of how far they get from their mean place, travel aside
    double speed;           // 95th percentile of their largest speed, per second, travel aside
    double strength;        // 95th percentile of the displacement, at the strongest frame
    double stretch, shrink; // 99.9th and 0.1th percentile of the edges' lengths, styled over plain
    double floor;      // how far the styled character goes below the lowest point of the plain one; 0 without a floor
    double slide;      // 99th percentile of the displacement of vertices that stand on the floor; 0 without a floor
    double plain_step; // largest change of the plain motion within a frame, at least what can be seen
    double pop;        // largest change of displacement within a frame over plain_step
    double seam;       // gap between the first and the last displacement of a clip that closes
    double
        rigid; // largest relative change of length of what is rigid in the plain motion; of round parts a tenth of it
    double depth;         // how deep skin gets into another part beyond the plain motion, by capsules around its bones
    bool depth_is_posed;  // most of that by larger poses, not by effects
    uint32_t into;        // the joint of that part; UINT32_MAX: none
    double crack;         // largest distance between vertices that coincide in the plain motion
    bool closes;          // all of the clip was measured, and it ends where it began
    uint32_t rigid_count; // islands that are rigid in the plain motion
    limberi_spot at_strength, at_stretch, at_floor, at_slide, at_pop, at_seam, at_rigid, at_crack, at_depth;
    limberi_limited limits[LIMBER_EFFECT_COUNT]; // of effects that have one
    limberi_smear_review smears;
} limberi_review;

typedef struct limberi_review_job {
    limber_pipeline *plain, *styled; // of the same asset; their outputs are changed
    uint32_t clip;
    limber_progress progress; // may be NULL
    void* user;
    bool smears; // the style does: measures that, too
} limberi_review_job;

// LIMBER_ERROR_MEMORY, or an error with a sentence where a frame is not finite.
LIMBER_MUST_USE limber_result limberi_review_clip(const limberi_review_job* job, limberi_review* review,
                                                  limber_error* error);

// A part of a clip's motion that smears may take alone or leave out: how far a root travels, or how often something
// round turns about its own joint.
typedef struct limberi_motion_part {
    uint32_t joint;
    bool spin;
    double amount; // turns, or L
} limberi_motion_part;

// Fills at most `room` parts. LIMBER_ERROR_MEMORY.
LIMBER_MUST_USE limber_result limberi_review_motions(const limber_model* model, const limber_clip* clip,
                                                     limberi_motion_part* parts, uint32_t room, uint32_t* count);

// The joint that moves a vertex (counted through all meshes) most.
uint32_t limberi_review_joint(const limber_model* model, uint32_t vertex);

#endif
