// Normals averaged from the triangles around each vertex, before and after a deformation. Knows a mesh, not effects.
#ifndef LIMBERI_DEFORM_AVERAGER_H
#define LIMBERI_DEFORM_AVERAGER_H

#include "base/variant.h"
#include <limber/asset.h>

typedef struct limberi_averager limberi_averager;

// NULL: not enough memory. The asset must outlive it.
limberi_averager* limberi_averager_create(const limber_asset* asset);
// Runs at the same time as `other`, which must outlive it: only what a frame writes is its own.
limberi_averager* limberi_averager_clone(const limberi_averager* other);
void limberi_averager_destroy(limberi_averager* averager);

// All meshes after each other, 3 floats per vertex. `out_normals` holds `normals` where nothing moved.
typedef struct limberi_average_job {
    const float *positions, *normals; // before
    const float* out_positions;       // after
    float* out_normals;
    limberi_variant variant;
} limberi_average_job;

// Which groups of vertices (asset/groups.h) moved in this frame.
void limberi_averager_mark(limberi_averager* averager, uint32_t mesh, uint32_t group, bool moved);
// Chunks of vertices, which threads may share out in any way.
uint32_t limberi_averager_chunks(const limberi_averager* averager);
void limberi_averager_run(const limberi_averager* averager, const limberi_average_job* job, uint32_t first,
                          uint32_t end);
// All of them, as if every group had moved.
void limberi_averager_run_everywhere(limberi_averager* averager, const limberi_average_job* job);

#endif
