// A rigid part in a frame, shared by the files of src/rigid.
#ifndef LIMBERI_RIGID_PRIVATE_H
#define LIMBERI_RIGID_PRIVATE_H

#include "rigid/rigid.h"

// A part in a frame: p -> turn stretch (p - pivot) + pivot + move.
typedef struct limberi_rigid_motion {
    double pivot[3], move[3];
    double turn[4];       // quaternion x, y, z, w
    double field_move[3]; // what the effects did to the pivot ...
    double field_turn[4]; // ... and around it, without limits
    double stretch[9];    // symmetric; keeps the volume
    double whole[9];      // turn and stretch: columns
    float matrix[9];      // the same minus the identity
    float normals[9];     // the same for normals
    float pivot_f[3], move_f[3];
} limberi_rigid_motion;

struct limberi_rigid {
    const limber_rigid_parts* parts;
    limber_rigid_parts* own; // `parts`, where they are not the asset's
    const limber_model* model;
    limberi_rigid_motion* motions; // [part], then [swing]
    bool *stiff, *props;           // [joint]
};

// motion.c: what a part does in a frame; those that carry it come before it.
void limberi_rigid_recall_body(const limberi_rigid* rigid, uint32_t index, const limber_pose* pose,
                               const float* stored);
void limberi_rigid_move_body(const limberi_rigid* rigid, uint32_t index, const limberi_rigid_frame* frame);
// A motion by `by` after a turn about `at` and a push.
void limberi_rigid_swing_motion(const limberi_rigid_motion* by, const double* at, const double* turn,
                                const double* push, limberi_rigid_motion* out);
// Where a place relative to the pivot goes, relative to the pivot.
void limberi_rigid_moved(const limberi_rigid_motion* m, const double* from, double* to);

// swing.c
void limberi_swing_all(const limberi_rigid* rigid, const limberi_rigid_frame* frame);

#endif
