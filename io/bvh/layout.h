// Shared by the files io/bvh/: the layout of a BVH file, which its writer keeps.
#ifndef LIMBERI_BVH_LAYOUT_H
#define LIMBERI_BVH_LAYOUT_H

#include "base/error.h"
#include "base/memory.h"

#include <limber/bvh.h>
#include <stdbool.h>
#include <stdint.h>

enum { LIMBERI_BVH_CHANNELS_MAX = 6, LIMBERI_BVH_ROTATIONS_MAX = 3 };

// Channels are numbered 0, 1, 2 for the position along x, y, z and 3, 4, 5 for the rotation about them.
enum { LIMBERI_BVH_ROTATION = 3 };

// A block of the hierarchy in file order: a joint, or an End Site.
typedef struct limberi_bvh_node {
    const char* name; // of a joint
    int32_t joint;    // rig index, -1: End Site
    int32_t parent;   // node, -1: none
    double offset[3];
    uint8_t channel_count;
    uint8_t channels[LIMBERI_BVH_CHANNELS_MAX]; // in the order of the file
} limberi_bvh_node;

struct limber_bvh {
    limberi_arena arena;
    limber_asset* asset;
    uint32_t node_count, joint_count;
    limberi_bvh_node* nodes;
    uint32_t channel_count; // over all joints: numbers in a frame
    uint32_t frame_count;
    uint32_t declared_frame_count; // what the file says; it may have more
    double frame_time_s;
};

// Appends the generated body (mesh, skin, material) to a model whose rig is filled. `nodes` tell where bones end.
LIMBER_MUST_USE limber_result limberi_bvh_body(const limber_bvh* bvh, limberi_arena* scratch, limber_model* model);

// The same for a skeleton of any file: `world` has its joints in the rest pose.
LIMBER_MUST_USE limber_result limberi_skeleton_body(const limber_mat4* world, limberi_arena* arena,
                                                    limber_model* model);

// --- euler ---
// Rotations as the three angles of a BVH joint.

// The angles (degrees) about axes[0], axes[1], axes[2] (0, 1, 2: x, y, z), applied from left to right, that make the
// unit quaternion q (x, y, z, w). No axis equals the one before it; the first may equal the last.
//
// Of the many triples that do, this is the one nearest to `angles`, the triple of the frame before, which it replaces:
// so angles run on past 180 degrees and do not jump over a gimbal lock. Of a joint that has only `kept` channels, the
// triple is preferred that leaves the others at 0.
void limberi_bvh_euler(const double* q, const uint8_t* axes, uint32_t kept, double* angles);

// q becomes q times the turn about an axis.
void limberi_bvh_turn(double* q, int axis, double degrees);

#endif
