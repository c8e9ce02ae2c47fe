// Shared by io/bvh/save.c and io/bvh/save_frames.c: what will be written, worked out before the first byte is.
#ifndef LIMBERI_BVH_SAVE_H
#define LIMBERI_BVH_SAVE_H

#include "io/bvh/layout.h"

// A reader adds places up along the skeleton and squares them, which must stay finite.
#define LIMBERI_BVH_FARTHEST 1e18f

// A joint as the file will hold it.
typedef struct limberi_bvh_column {
    float offset[3];
    uint8_t channel_count;
    uint8_t channels[LIMBERI_BVH_CHANNELS_MAX]; // as in limberi_bvh_node
    uint8_t axes[3];                            // the order of its rotations, completed to three
    uint8_t kept_rotations;                     // of these, how many were there from the start
    bool needs[LIMBERI_BVH_CHANNELS_MAX];       // channels whose numbers leave the rest pose
} limberi_bvh_column;

typedef struct limberi_bvh_sheet {
    limberi_arena* arena;
    const limber_model* model;
    const limber_clip* clip; // NULL: the default pose
    double frame_time_s;
    uint32_t frame_count;
    limberi_bvh_column* columns; // per joint
    float* numbers;              // [frame][joint][6]: x, y, z, then the angles in the order of `axes`
    bool scales;
} limberi_bvh_sheet;

// Offsets, numbers and needs, from the clip.
LIMBER_MUST_USE limber_result limberi_bvh_fill_sheet(limberi_bvh_sheet* sheet, limber_error* error);

#endif
