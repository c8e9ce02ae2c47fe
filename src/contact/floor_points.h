// The support points of a character in groups of the same joints, each with a box. A frame for a GPU knows only vertices
// that somebody asks for: groups that are too high up to matter are neither skinned nor deformed.
#ifndef LIMBERI_FLOOR_POINTS_H
#define LIMBERI_FLOOR_POINTS_H

#include "asset/groups.h"
#include "contact/support.h"

typedef struct limberi_floor_box {
    float middle[3], half[3];
} limberi_floor_box;

// A group of points, in the order of the meshes.
typedef struct limberi_floor_group {
    uint32_t mesh, index; // in the groups of the mesh
    uint32_t count;
    const uint32_t* vertices; // [count] of all meshes
    const uint32_t* owners;   // [count] joint whose ground counts
    limberi_floor_box rest;   // in the space of the mesh
    bool still_mesh;          // no morph target moves it
} limberi_floor_group;

typedef struct limberi_floor_points {
    const struct limberi_groups** groups; // [mesh] of the points
    uint32_t group_count;
    limberi_floor_group* all; // [group_count]
    limberi_floor_box* boxes; // [group_count] scratch: in the world, this frame
} limberi_floor_points;

// False (and a failed arena): not enough memory.
bool limberi_floor_points_make(const limberi_support* support, limberi_arena* arena, limberi_floor_points* points);

// Boxes around the points as matrices place them; without limits where morph targets do. Linear skinning leaves a vertex
// between the places that its joints give it.
void limberi_floor_points_place(const limberi_floor_points* points, const limber_model* model,
                                limber_mat4* const* palettes);

#endif
