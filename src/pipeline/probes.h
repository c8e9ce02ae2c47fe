// A few vertices of a frame whose others the GPU moves: the CPU has to know where effects put them.
#ifndef LIMBERI_PROBES_H
#define LIMBERI_PROBES_H

#include "pipeline/pipeline_private.h"

typedef struct limberi_probes {
    limberi_arena arena;
    const struct limberi_groups* const* groups; // [mesh] of these vertices; NULL: there are none
    limberi_deform_subset* subset;
    float *skinned, *deformed; // all meshes after each other, world space; only vertices that are asked for have values
    uint32_t* first_group;     // [mesh + 1]
    // this frame
    limberi_group_work work;
    limberi_deform_scratch* scratch;
    uint8_t* shown; // [group of all meshes] what the arrays have of it
} limberi_probes;

// Room for the places of vertices, which several probes may share.
typedef struct limberi_probe_places {
    float *skinned, *deformed; // [3 * vertex]
} limberi_probe_places;

// `vertices` count through all meshes, in any order, some of them twice. No vertices: no memory.
LIMBER_MUST_USE limber_result limberi_probes_create(const limber_pipeline* pipeline, const uint32_t* vertices,
                                                    uint32_t count, limberi_probe_places places,
                                                    limberi_probes* probes);
// Of groups that outlive them; NULL: none.
LIMBER_MUST_USE limber_result limberi_probes_create_of(const limber_pipeline* pipeline,
                                                       const struct limberi_groups* const* groups,
                                                       limberi_probe_places places, limberi_probes* probes);
void limberi_probes_destroy(limberi_probes* probes);

// Layers of the model have other values.
void limberi_probes_repaint(limberi_probes* probes);
// A frame of the current pose, in which nothing is known yet; `moves`: effects do something. limberi_deform_begin came
// before it.
void limberi_probes_begin(const limber_pipeline* pipeline, bool moves, limberi_probes* probes);
// Skins a group and, with `moved`, deforms it, if that was not done yet.
void limberi_probes_show(limberi_probes* probes, uint32_t mesh, uint32_t group, bool moved);
// All groups.
void limberi_probes_show_all(limberi_probes* probes, bool moved);
// How far effects move what is in a box and belongs to the group along each axis, at most. False: nobody knows.
bool limberi_probes_reach(limberi_probes* probes, uint32_t mesh, uint32_t group, const float middle[3],
                          const float half[3], float reach[3]);

#endif
