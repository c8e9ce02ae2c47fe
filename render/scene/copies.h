// Inside render/: in-between copies and lines that smears add to a frame, seen through and without shadows.
#ifndef LIMBERI_COPIES_H
#define LIMBERI_COPIES_H

#include "render/scene/geometry.h"
#include <limber/stages/smear.h>

typedef struct limberi_copies {
    limberi_geometry geometry;
    uint32_t mesh_count;   // what the geometry was made for
    const uint32_t* shape; // and the triangles of its first mesh
    bool visible;          // in the current frame
    float *positions, *normals, *colors;
    uint32_t* sources; // [mesh] in the model; UINT32_MAX: lines
} limberi_copies;

// Takes over a frame's meshes; uploads what does not change when they are others than before.
LIMBER_MUST_USE limber_result limberi_copies_set(limberi_copies* copies, const limberi_gl* gl,
                                                 const limber_model* model, const limber_smear_mesh* meshes,
                                                 uint32_t mesh_count, limber_error* error);
void limberi_copies_destroy(limberi_copies* copies);

#endif
