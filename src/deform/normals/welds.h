// What averaged normals need to know about a mesh, found once: which vertices are one point of the surface, and the
// triangles around each of these points.
#ifndef LIMBERI_DEFORM_WELDS_H
#define LIMBERI_DEFORM_WELDS_H

#include "asset/groups.h"
#include "base/variant.h"

// A weld is a set of vertices that are one point of the surface (same place, same normal). The triangles around it are
// fans: a first vertex and a ring, each two neighbours of which make a triangle with the first. Where triangles go all
// around a vertex, what they add up to depends on the ring alone, and the fan spans just that ring.
//
// Welds of the same shape (as many vertices, as many fans of the same lengths) stand together in a run. Entries of a
// weld: its vertices, then for each fan its first vertex and its ring.
typedef struct limberi_weld_run {
    uint32_t count; // welds
    uint32_t member_count, fan_count;
    uint32_t fan_first;   // in limberi_mesh_welds.rings
    uint32_t entry_first; // in limberi_mesh_welds.entries
    uint32_t entry_count; // of one weld
    bool last;            // the last vertex of the mesh is among them
} limberi_weld_run;

// Welds that lie near each other: entries count from a common vertex and mostly fit into 16 bits.
typedef struct limberi_weld_chunk {
    uint32_t base;
    uint32_t run_first, run_count;
    uint32_t group_first, group_count; // groups of vertices (asset/groups.h) that its entries are in
    bool wide;                         // entries take two numbers each, the low one first
} limberi_weld_chunk;

typedef struct limberi_mesh_welds {
    uint32_t chunk_count;
    uint32_t first_chunk; // where its chunks start when those of all meshes follow each other
    const limberi_weld_chunk* chunks;
    const limberi_weld_run* runs;
    const uint32_t* rings; // vertices in the ring of a fan
    const uint16_t* entries;
    const uint32_t* groups;
    uint8_t* moved; // [group] whether something acted on it in this frame
} limberi_mesh_welds;

LIMBER_MUST_USE limber_result limberi_mesh_welds_make(limberi_arena* arena, const limber_mesh* mesh,
                                                      const struct limberi_groups* groups, limberi_mesh_welds* welds);

// One run, as a kernel sees it. Arrays start at the vertex that entries count from.
typedef struct limberi_average_input {
    const limberi_weld_run* run;
    const uint32_t* rings;   // of this run
    const uint16_t* entries; // of this run
    bool wide;
    const float *before, *after; // positions
    const float* normals;
    float* out_normals;
} limberi_average_input;

void limberi_average_run_plain(const limberi_average_input* input);
void limberi_average_run_wide(const limberi_average_input* input);
#if defined(LIMBERI_HAS_AVX2)
void limberi_average_run_avx2(const limberi_average_input* input);
#endif

#endif
