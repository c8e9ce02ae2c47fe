// Shared inside review/: one clip while it is measured.
#ifndef LIMBERI_REVIEW_PRIVATE_H
#define LIMBERI_REVIEW_PRIVATE_H

#include "base/memory.h"
#include "collide/colliders.h"
#include "review/changes.h"
#include "review/review.h"

#define LIMBERI_REVIEW_EVERY 4u // of the frames: where every frame would only take longer
#define LIMBERI_NO_JOINT UINT32_MAX

enum { LIMBERI_PART_PROBES = 24 };

// --- rigid_islands.c: vertices that coincide, and islands that are rigid in the plain motion ---

typedef struct limberi_review_part {
    uint32_t ends[2]; // far points
    uint32_t probes[LIMBERI_PART_PROBES];
    float distances[LIMBERI_PART_PROBES][LIMBERI_PART_PROBES]; // in the first frame
    bool bends;                                                // a distance changed: not rigid
    double allowed; // how many times what blades and staffs may change in length
    double change;  // styled: of the distance of the ends
    double change_s;
} limberi_review_part;

typedef struct limberi_review_parts {
    uint32_t pair_count;
    uint32_t (*pairs)[2];
    uint32_t part_count;
    limberi_review_part* parts;
    limberi_farthest crack;
    double crack_s;
} limberi_review_parts;

// `first` and `middle`: plain positions of those frames.
void limberi_parts_find(limberi_review_parts* parts, limberi_arena* arena, const limber_model* model, double size,
                        const float* first, const float* middle);
void limberi_parts_add(limberi_review_parts* parts, double size, double time_s, const float* plain,
                       const float* styled);
void limberi_parts_end(const limberi_review_parts* parts, const limber_model* model, limberi_review* review);

// --- edges.c: how much edges stretch ---

typedef struct limberi_review_edges {
    uint32_t count, frames;
    uint32_t (*edges)[2];
    float* ratios; // [frame][edge]; below 0: too short to matter
} limberi_review_edges;

void limberi_edges_find(limberi_review_edges* edges, limberi_arena* arena, const limber_model* model, uint32_t frames);
void limberi_edges_add(limberi_review_edges* edges, double size, const float* plain, const float* styled);
// The 99.9th percentile of the ratios of one frame, which is not kept.
double limberi_edges_frame(limberi_review_edges* edges, double size, const float* plain, const float* styled);
// `times`: of every frame of the clip.
void limberi_edges_end(const limberi_review_edges* edges, limberi_arena* arena, const limber_model* model,
                       const double* times, limberi_review* review);

// --- samples.c: some vertices through all frames ---

typedef struct limberi_review_samples {
    uint32_t count, frames, capacity; // frames that are there, and that there is room for
    uint32_t* vertices;
    float* places; // [frame][sample][3] plain
    float* moved;  // [frame][sample] how far displaced, in sizes
} limberi_review_samples;

void limberi_samples_find(limberi_review_samples* samples, limberi_arena* arena, const limber_model* model,
                          uint32_t frames);
void limberi_samples_add(limberi_review_samples* samples, double size, const float* plain, const float* styled);
// motion, speed and strength of the review; then slide, which needs the height of the floor.
void limberi_samples_end(const limberi_review_samples* samples, limberi_arena* arena, const limber_model* model,
                         const double* times, limberi_review* review);
void limberi_samples_slide(const limberi_review_samples* samples, limberi_arena* arena, const limber_model* model,
                           const double* times, double floor, limberi_review* review);

// --- flicker.c: ribbons, lines and copies that go away for a frame ---

typedef struct limberi_review_flicker {
    uint32_t vertex_count, frames;
    uint32_t* piece_of;    // [vertex of all meshes] its first vertex
    double* ink;           // [3][piece] area times opacity
    double all, missing;   // of all frames
    double worst, worst_s; // of one frame
    double last_s;
} limberi_review_flicker;

void limberi_flicker_add(limberi_review_flicker* flicker, limberi_arena* arena, const limber_smeared* at,
                         double time_s);
// 0: none, 1: as much is missing as is there.
double limberi_flicker_share(const limberi_review_flicker* flicker);

// --- smears.c: what is smeared ---

// `first` and `middle`: plain positions of those frames. Needs the review's size, start_s and end_s.
LIMBER_MUST_USE limber_result limberi_smears_measure(const limberi_review_job* job, limberi_arena* arena,
                                                     const float* first, const float* middle, limberi_review* review);

// --- depths.c: parts that go into others ---

typedef struct limberi_review_depths {
    limberi_collision* collision; // NULL: no colliders
    float depth;                  // beyond the plain motion
    bool is_posed;                // most of it is there before the effects
    uint32_t vertex;
    int32_t into; // joint
    double time_s;
} limberi_review_depths;

LIMBER_MUST_USE limber_result limberi_depths_begin(limberi_review_depths* depths, const limber_asset* asset,
                                                   limber_error* error);
void limberi_depths_free(limberi_review_depths* depths);
// `styled` has its skinned positions.
void limberi_depths_add(limberi_review_depths* depths, const limber_model* model, const limber_asset* asset,
                        double time_s, const limber_frame* plain, const limber_frame* styled);
void limberi_depths_end(const limberi_review_depths* depths, const limber_model* model, double size,
                        limberi_review* review);

// --- limits.c: what of the effects is near its limit ---

typedef struct limberi_limit_frames {
    uint32_t any;     // frames in which some joint is near the limit
    uint32_t* joints; // [joint] frames in which this one is; NULL: the effect has no limit
    double max;       // 0: not set
} limberi_limit_frames;

typedef struct limberi_limits {
    uint32_t frames;
    limberi_limit_frames effects[LIMBER_EFFECT_COUNT];
} limberi_limits;

void limberi_limits_begin(limberi_limits* limits, limberi_arena* arena, const limber_model* model);
void limberi_limits_add(limberi_limits* limits, const limber_pipeline* styled);
void limberi_limits_end(const limberi_limits* limits, const limber_model* model, limberi_review* review);

// `percent` 0 ... 100, interpolated between neighbors in their order; 0 where there are no values. Puts the values into
// another order; none may be NaN.
double limberi_percentile(float* values, size_t count, double percent);

#endif
