// Colliders of a character and their state in a frame, shared by the files of src/collide.
#ifndef LIMBERI_COLLIDERS_PRIVATE_H
#define LIMBERI_COLLIDERS_PRIVATE_H

#include "asset/groups.h"
#include "base/math.h"
#include "base/memory.h"
#include "collide/colliders.h"

enum { LIMBERI_COLLIDER_ANCHORS = 8 };

// Vertices of the skin that a collider goes along with, at its two ends.
typedef struct limberi_collider_anchors {
    uint32_t count[2];
    uint32_t vertices[2][LIMBERI_COLLIDER_ANCHORS];
} limberi_collider_anchors;

struct limber_colliders {
    limberi_arena arena;
    const limber_model* model;
    uint32_t count;
    limber_collider* items;
    uint8_t* fitted;  // [collider] by limberi_colliders_fit, not given
    float* thickness; // [joint] of the skin on it: radius, or 0 for cloth and where there is none
    float* rest;      // [vertex * 3] of the rest pose, world space
    uint32_t* main;   // [vertex] the joint that most of it hangs on; UINT32_MAX: no joint has half of it
};

typedef struct limberi_obeying {
    limberi_collision_group at;
    uint32_t count;
    const limberi_obeyed* obeyed;
} limberi_obeying;

// In the current frame.
typedef struct limberi_moving_collider {
    limber_collider_shape shape;
    limber_vec3 from, along; // of a plane: a point and the unit normal
    float per_square;        // 1 / |along|^2, or 0
    float radius;
    limber_vec3 move[2]; // what the effects did to its ends
    limber_vec3 middle;  // of a sphere around it
    float reach;         // of that sphere
    float fastest;       // the longer one of the moves
} limberi_moving_collider;

struct limberi_collision {
    limberi_arena arena;
    const limber_asset* asset;
    const limber_model* model;
    limber_colliders* colliders;
    limberi_collider_anchors* anchors; // [collider]
    limberi_moving_collider* moving;   // [collider]
    bool stands;                       // feet stay where contacts have them
    const int32_t* parts; // [vertex] the rigid part it belongs to, -1: none; NULL: there are none; until it is prepared
    uint32_t group_count;
    limberi_obeying* groups;
    float length;      // L
    float floor_reach; // in this frame: no vertex above it is near the floor
};

// fit.c: capsules around bones; appends to the list, which has room for all joints.
limber_result limberi_colliders_fit(limber_colliders* colliders);
// obey.c: anchors, and which vertices obey which collider.
limber_result limberi_collision_prepare(limberi_collision* collision);

static const float limberi_collider_soft = 0.02f; // in L: clearance from which on a vertex is slowed down

// A collider that a group of vertices may touch.
typedef struct limberi_near_collider {
    const limberi_moving_collider* moving;
    const float* weights; // [width of the group] below 0: until it is let through; NULL: 1
    uint64_t which;       // vertices, by limberi_push_out
} limberi_near_collider;

// A group of vertices: where they are before the effects and after them, and the difference.
typedef struct limberi_push_block {
    const limberi_collision_frame* frame;
    const uint32_t* vertices; // [width] of the mesh
    uint32_t first_vertex, width;
    float length, floor_reach; // as limberi_collision has them
    limberi_block3 plain, deformed, moved;
} limberi_push_block;

// push.c: moves the vertices of the frame that touch some of the colliders; false: none does.
bool limberi_push_out(const limberi_push_block* block, limberi_near_collider* near, uint32_t near_count);

// The nearest point of a capsule's axis: away from it, squared distance, and how far along it is (0 to 1).
typedef struct limberi_nearest {
    limber_vec3 away;
    float square, part;
} limberi_nearest;

static inline limberi_nearest limberi_axis_nearest(limber_vec3 from, limber_vec3 along, float per_square,
                                                   limber_vec3 p) {
    limberi_nearest n;
    limber_vec3 to = limberi_sub(p, from);
    n.part = limberi_clamp(limberi_dot(to, along) * per_square, 0, 1);
    n.away = limberi_sub(to, limberi_scale(along, n.part));
    n.square = limberi_dot(n.away, n.away);
    return n;
}

static inline float limberi_per_square(limber_vec3 along) {
    float square = limberi_dot(along, along);
    return square > 1e-30f ? 1 / square : 0;
}

static inline float limberi_smooth(float low, float high, float x) {
    float t = high > low ? (x - low) / (high - low) : (float)(x >= high);
    t = limberi_clamp(t, 0, 1);
    return t * t * (3 - 2 * t);
}

#endif
