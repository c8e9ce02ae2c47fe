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
// weld: its vertices, then for each fan its first vertex and its ring. They are places in the list of the chunk, times
// four: kernels keep 32 bytes for each, and processors multiply by 8.
typedef struct limberi_weld_run {
    uint32_t count; // welds
    uint32_t member_count, fan_count;
    uint32_t fan_first;   // in limberi_mesh_welds.rings
    uint32_t entry_first; // in limberi_mesh_welds.entries
    uint32_t entry_count; // of one weld
} limberi_weld_run;

// What a chunk may turn and read, so that it fits into the cache. A weld with more than that is a chunk by itself: its
// list has the entries one by one, and there are no others.
enum { LIMBERI_CHUNK_TURNED = 256, LIMBERI_CHUNK_READ = 1024 };

// Welds that lie near each other. The list of its vertices has those that it turns, then the others that it reads, both
// in the order of the mesh. They count from a common vertex and mostly fit into 16 bits.
typedef struct limberi_weld_chunk {
    uint32_t base;
    uint32_t vertex_first; // in limberi_mesh_welds.vertices
    uint32_t turned_count, vertex_count;
    uint32_t run_first, run_count;
    uint32_t group_first, group_count; // groups of vertices (asset/groups.h) that its vertices are in
    bool wide;                         // vertices take two numbers each, the low one first
    bool large;                        // a single weld that does not fit
} limberi_weld_chunk;

typedef struct limberi_mesh_welds {
    uint32_t chunk_count;
    uint32_t first_chunk; // where its chunks start when those of all meshes follow each other
    const limberi_weld_chunk* chunks;
    const limberi_weld_run* runs;
    const uint32_t* rings; // vertices in the ring of a fan
    const uint16_t *entries, *vertices;
    const uint32_t* groups;
    uint8_t* moved; // [group] whether something acted on it in this frame
} limberi_mesh_welds;

LIMBER_MUST_USE limber_result limberi_mesh_welds_make(limberi_arena* arena, const limber_mesh* mesh,
                                                      const struct limberi_groups* groups, limberi_mesh_welds* welds);

// One chunk, as a kernel sees it. Arrays start at the vertex that the list counts from.
typedef struct limberi_average_input {
    const limberi_mesh_welds* welds;
    const limberi_weld_chunk* chunk;
    const float *before, *after; // positions
    const float* normals;
    float* out_normals;
} limberi_average_input;

void limberi_average_chunk_plain(const limberi_average_input* input);
void limberi_average_chunk_wide(const limberi_average_input* input);
#if defined(LIMBERI_HAS_AVX2)
void limberi_average_chunk_avx2(const limberi_average_input* input);
#endif

#endif
