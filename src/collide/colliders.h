// Colliders in a frame, after the effects and rigid parts: each vertex that effects push into a collider slides along it.
// Nothing is kept from frame to frame.
#ifndef LIMBERI_COLLIDERS_H
#define LIMBERI_COLLIDERS_H

#include "contact/stage.h"
#include <limber/stages/colliders.h>
#include <limber/stages/pose.h>

typedef struct limberi_collision limberi_collision;

// *collision is NULL where the settings or the character leave nothing to do. `parts`: [vertex] the rigid part that it
// belongs to, -1: none; they keep their shape, and nothing pushes them. NULL: there are none. `stands`: contacts hold the
// feet, so that fitted colliders leave those alone.
LIMBER_MUST_USE limber_result limberi_collision_create(const limber_asset* asset,
                                                       const limber_collider_settings* settings, const int32_t* parts,
                                                       bool stands, limberi_collision** collision, limber_error* error);
void limberi_collision_destroy(limberi_collision* collision);
// Layers of the model have other values.
void limberi_collision_repaint(limberi_collision* collision);
const limber_colliders* limberi_collision_colliders(const limberi_collision* collision);

// All meshes after each other, 3 floats per vertex, world space.
typedef struct limberi_collision_frame {
    const limber_pose* pose;
    const float* skinned;                // before the effects
    float* deformed;                     // after them; vertices are moved in place
    float* normals;                      // with Jacobian normals, else NULL: averaged normals follow from the positions
    const limberi_contact_stage* ground; // of this frame, NULL: none
} limberi_collision_frame;

// Where the colliders are; reads `deformed` only.
void limberi_collision_begin(limberi_collision* collision, const limberi_collision_frame* frame);

// Then moves the groups of vertices (asset/groups.h) that obey some collider, by any number of threads.
typedef struct limberi_collision_group {
    uint32_t mesh, group;
} limberi_collision_group;

uint32_t limberi_collision_group_count(const limberi_collision* collision);
limberi_collision_group limberi_collision_group_at(const limberi_collision* collision, uint32_t index);
// Whether it moved any vertex.
bool limberi_collision_run(const limberi_collision* collision, const limberi_collision_frame* frame, uint32_t index);

// For a GPU that moves the vertices instead: the vertices whose positions limberi_collision_begin reads, some of them
// twice. Returns their number; `vertices` may be NULL.
uint32_t limberi_collision_probes(const limberi_collision* collision, uint32_t* vertices);

// A collider that vertices of a group obey.
typedef struct limberi_obeyed {
    uint32_t collider;
    const float* base; // [width of the group, padded like its vertices] below 0: until it is let through; NULL: 1
    float* painted;    // the same times the collider's layer; NULL: the mesh does not have it
} limberi_obeyed;

// Those of a group, by its index.
const limberi_obeyed* limberi_collision_obeyed(const limberi_collision* collision, uint32_t index, uint32_t* count);
// A collider in the current frame: from, radius; along (of a plane: its normal), 1 / |along|^2 (of a plane: -1); what
// the effects did to its two ends, each with a -1 behind it.
void limberi_collision_row(const limberi_collision* collision, uint32_t collider, float out[16]);

// A collider in the world: in a pose, without what effects do to it; and in the current frame.
typedef struct limberi_placed_collider {
    limber_vec3 from, to; // of a plane: a point and the unit normal
    float radius;
} limberi_placed_collider;

limberi_placed_collider limberi_collider_place(const limber_collider* collider, const limber_pose* pose);
limberi_placed_collider limberi_collision_placed(const limberi_collision* collision, uint32_t index);

#endif
