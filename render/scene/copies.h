// Inside render/: meshes that smears add to a frame, seen through and without shadows.
#ifndef LIMBERI_EXTRAS_H
#define LIMBERI_EXTRAS_H

#include "render/scene/geometry.h"
#include <limber/smear.h>

typedef struct limberi_extras {
    limberi_geometry geometry;
    uint32_t mesh_count;   // what the geometry was made for
    const uint32_t* shape; // and the triangles of its first mesh
    bool visible;          // in the frame at hand
    float *positions, *normals, *colors;
} limberi_extras;

// Takes over a frame's meshes; uploads what does not change when they are others than before.
LIMBER_MUST_USE limber_result limberi_extras_set(limberi_extras* extras, const limberi_gl* gl,
                                                 const limber_model* model, const limber_smear_mesh* meshes,
                                                 uint32_t mesh_count, limber_error* error);
void limberi_extras_destroy(limberi_extras* extras);

#endif
