// A few vertices of a frame whose others the GPU moves: the CPU has to know where effects put them, so it runs the
// groups that they are in.
#ifndef LIMBERI_PROBES_H
#define LIMBERI_PROBES_H

#include "pipeline/pipeline_private.h"

typedef struct limberi_probe_group {
    uint32_t mesh, group;
} limberi_probe_group;

typedef struct limberi_probes {
    limberi_arena arena;
    uint32_t count;
    limberi_probe_group* groups;
    float *skinned, *deformed; // all meshes after each other, world space; only these groups have values
} limberi_probes;

// `vertices` count through all meshes, in any order. No vertices: no memory.
LIMBER_MUST_USE limber_result limberi_probes_create(const limber_pipeline* pipeline, const uint32_t* vertices,
                                                    uint32_t count, limberi_probes* probes);
void limberi_probes_destroy(limberi_probes* probes);

// Skins and deforms them for the current pose. limberi_deform_begin came before it, and something moves.
void limberi_probes_run(const limber_pipeline* pipeline, const limberi_probes* probes);

#endif
