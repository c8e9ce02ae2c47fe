// What the files of the kit share with each other; characters include kit.h only.
#ifndef LIMBERI_CHARACTERS_KIT_INTERNAL_H
#define LIMBERI_CHARACTERS_KIT_INTERNAL_H

#include "base/error.h"
#include "base/memory.h"
#include "characters/kit.h"

typedef struct kit_chain_data {
    uint32_t count;
    uint32_t joints[KIT_CHAIN_LENGTH];
    float softness;
} kit_chain_data;

// A mesh in progress: arrays grow piece by piece with realloc, which moves pages and copies nothing when they are
// large.
typedef struct kit_mesh_data {
    const char* name;
    uint32_t vertex_count, triangle_count, influence_count;
    float *positions, *normals, *colors, *floppy, *squash, *extra;
    uint32_t *triangles, *influence_first;
    uint16_t* influence_joint;
    float* influence_weight;
    uint32_t part_count;
    limber_part parts[KIT_PART_LIMIT];
    const char* extra_name; // NULL: no third layer
    limber_layer layers[3];
} kit_mesh_data;

struct kit {
    limberi_arena arena;
    double detail;
    limber_error failure; // result LIMBER_OK while all is well
    uint32_t joint_count;
    const char* names[KIT_JOINT_LIMIT];
    int32_t parents[KIT_JOINT_LIMIT];
    limber_vec3 at[KIT_JOINT_LIMIT];
    limber_transform rest_local[KIT_JOINT_LIMIT];
    uint32_t chain_count;
    kit_chain_data chains[KIT_CHAIN_LIMIT];
    uint32_t mesh_count;
    kit_mesh_data meshes[KIT_MESH_LIMIT];
    bool mesh_open;
    uint32_t clip_count;
    limber_clip clips[KIT_CLIP_LIMIT];
    uint32_t material_count;
    int32_t material; // of the next piece
    limber_material materials[KIT_MATERIAL_LIMIT];
};

// Keeps the first failure only.
void kit_fail(kit* k, limber_result result, const char* message);
void kit_fail_memory(kit* k);

// A closed triangle mesh with its neighbours. Half-edge h = 3 * triangle + corner runs from corner[h] to the triangle's
// next corner; twin[h] runs the other way in the neighbouring triangle.
typedef struct kit_tri {
    uint32_t vertex_count, triangle_count;
    uint32_t vertex_capacity, triangle_capacity;
    limber_vec3* at;
    uint32_t *corner, *twin;
    uint32_t* out; // a half-edge that starts at the vertex; KIT_NONE: removed
    float* wanted; // edge length
} kit_tri;

#define KIT_NONE UINT32_MAX

static inline uint32_t kit_next(uint32_t h) {
    return h % 3 == 2 ? h - 2 : h + 1;
}

static inline uint32_t kit_prev(uint32_t h) {
    return h % 3 == 0 ? h + 2 : h - 1;
}

bool kit_tri_reserve(kit_tri* mesh, uint32_t vertices, uint32_t triangles);
// Fills twin and out from corner; false when memory is short or the mesh is not a closed manifold.
bool kit_tri_connect(kit_tri* mesh);
void kit_tri_free(kit_tri* mesh);

// Edge length wanted at a point.
float kit_shape_edge(const kit_shape* shape, limber_vec3 at, float detail);
// Smallest edge length any of the blobs wants, at detail 1.
float kit_shape_smallest_edge(const kit_shape* shape);
// Colour, layers and weights from the blobs around the vertex.
void kit_shape_dress(const kit* k, const kit_shape* shape, kit_vertex* vertex);

// Triangles of the zero set on a grid of `cell`, closed and manifold, not pretty.
bool kit_extract(const kit_shape* shape, float cell, kit_tri* mesh);
// Even triangles of the wanted length divided by `detail`, on the surface.
bool kit_remesh(const kit_shape* shape, float detail, kit_tri* mesh);
// Both. Tests put one in its place that reads what it made before (tests/kit/model_files.c).
bool kit_model(const kit_shape* shape, float cell, float detail, kit_tri* mesh);
// Each triangle becomes four. New vertices lie on the shape.
bool kit_subdivide(const kit_shape* shape, const kit_tri* mesh, kit_tri* finer);

// Makes room for a piece in the open mesh; NULL when the kit failed or the limit of vertices is reached.
kit_mesh_data* kit_mesh_grow(kit* k, double vertices, double triangles);
// Stores the next vertex, weights cut to KIT_INFLUENCES and normalised.
void kit_mesh_put(kit_mesh_data* mesh, const kit_vertex* vertex);
void kit_mesh_put_triangle(kit_mesh_data* mesh, uint32_t a, uint32_t b, uint32_t c);

#endif
