// What to add to a mesh before skinning so that the skinned result lands on a given frame.
#ifndef LIMBERI_BAKE_CORRECTIVE_H
#define LIMBERI_BAKE_CORRECTIVE_H

#include <limber/asset.h>

typedef struct limberi_bake_corrective_job {
    const limber_mesh* mesh;
    const limber_mat4* palette;
    const float* morphed_positions; // mesh space before skinning; NULL: the mesh's own
    const float* morphed_normals;
    const float* positions; // world space, what the player must show
    const float* normals;   // world space or NULL
    float* out_positions;   // mesh-space displacement to add
    float* out_normals;     // may be NULL
    uint32_t first_vertex;
    uint32_t vertex_count; // LIMBER_TO_END: all that follow
} limberi_bake_corrective_job;

// Where the blended matrix of a vertex cannot be inverted (a joint scaled to nothing) the displacement is 0.
void limberi_bake_corrective(const limberi_bake_corrective_job* job);

#endif
