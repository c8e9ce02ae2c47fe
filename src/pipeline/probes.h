// A few vertices of a frame whose others the GPU moves: the CPU has to know where effects put them.
#ifndef LIMBERI_PROBES_H
#define LIMBERI_PROBES_H

#include "pipeline/pipeline_private.h"

typedef struct limberi_probes {
    limberi_arena arena;
    const struct limberi_groups** groups; // [mesh] of these vertices; NULL: there are none
    limberi_deform_subset* subset;
    float *skinned, *deformed; // all meshes after each other, world space; only these vertices have values
} limberi_probes;

// `vertices` count through all meshes, in any order, some of them twice. No vertices: no memory.
LIMBER_MUST_USE limber_result limberi_probes_create(const limber_pipeline* pipeline, const uint32_t* vertices,
                                                    uint32_t count, limberi_probes* probes);
void limberi_probes_destroy(limberi_probes* probes);

// Layers of the model have other values.
void limberi_probes_repaint(limberi_probes* probes);
// Skins and, where something moves, deforms them for the current pose. limberi_deform_begin came before it.
void limberi_probes_run(const limber_pipeline* pipeline, bool moves, limberi_probes* probes);

#endif
